// The workshop: a text that is typed in a page is compiled there, its errors are marked, and text and picture select each other.
// Needs the library of pages (scripts/platforms.sh wasm32), and is skipped without it.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { after, before, test } from "node:test";
import { editPage } from "./edit_page.mjs";
import { ballesta, close, difference, folder, launch, open, program, root, target } from "./support.mjs";

const library = process.env.BALLESTA_LIBRARY || path.join(target, "platforms/wasm32/ballesta.wasm.gz");
const skip = existsSync(library) ? false : `no ${library}: scripts/platforms.sh wasm32 builds it`;

before(launch);
after(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
/** The page of a model folder or a template, written by the program; with BALLESTA_VIEWER from the sources of the viewer. */
function written(model) {
  const file = path.join(folder, `edit${count++}.html`);
  if (!process.env.BALLESTA_VIEWER) ballesta(["edit", model, "-o", file]);
  else {
    const made = path.join(folder, `made${count}`);
    if (!existsSync(path.join(root, model))) ballesta(["new", model, "-o", made]);
    const worker = process.env.BALLESTA_WORKER;
    const own = existsSync(path.join(root, model)) ? path.join(root, model) : made;
    writeFileSync(file, editPage(own, readFileSync(library), worker ? { worker: readFileSync(worker, "utf8") } : {}));
  }
  return file;
}

/** The page with its first model compiled. */
async function edit(model, options = {}) {
  const p = await open(existsSync(model) && model.endsWith(".html") ? model : written(model), { width: 1280, height: 800, ...options });
  await p.tab.waitForFunction(() => window.page.edit.valid);
  /** Expressions with `edit`, the workshop. */
  const ask = (expression) => p.tab.evaluate(`(() => { const { edit } = window.page; return ${expression}; })()`);
  const settled = () => p.tab.waitForFunction(() => { const { edit } = window.page; return !edit.flying && edit.sent.texts.get(edit.main) === edit.files.get(edit.main).text; });
  const text = () => ask("edit.files.get(edit.main).text");
  /** Line of the text, from 1. */
  const lineOf = async (words) => (await text()).split("\n").findIndex((line) => line.includes(words)) + 1;
  /** Replaces the first `old` in the text as a user: finds it, selects it, and types. */
  const type = async (old, now) => {
    const before = await text();
    const at = before.indexOf(old);
    assert.ok(at >= 0, `no ${old}`);
    const [line, column] = [before.slice(0, at).split("\n").length, at - before.lastIndexOf("\n", at - 1)];
    await ask(`edit.editors.get(edit.shown).editor.goTo(${line}, ${column})`);
    await ask("edit.editors.get(edit.shown).editor.focus()");
    for (let k = 0; k < [...old].length; k++) await p.tab.keyboard.press("Shift+ArrowRight");
    if (now) await p.tab.keyboard.insertText(now);
    else await p.tab.keyboard.press("Delete");
  };
  const at = (body) => p.get(`(() => { const b = data.parts.bodies.find((part) => data.items[part.i].n === "${body}"); const box = document.getElementById("view").getBoundingClientRect(); const c = camera.pixel(motion.world([b.b, [0, 0, 0]]), box.width, box.height); return [c[0] + box.left, c[1] + box.top]; })()`);
  return { ...p, ask, settled, text, lineOf, type, at };
}

/** Lines with an underline. */
const underlined = (p) => p.tab.locator(".cm-line:has(.cm-lintRange-error)").allTextContents();

test("a model without inputs plays at once, and a change of the text changes the picture", { skip }, async () => {
  const p = await edit("models/four_bar");
  await p.tab.waitForFunction(() => window.page.motion.time > 0.2);
  assert.equal(await p.get("state.playing"), true);
  await p.id("play").click();
  await p.tab.waitForTimeout(150);
  const [before, time] = [await p.picture(), await p.get("motion.time")];
  const rev = await p.ask("edit.valid.rev");
  const bodies = await p.get("data.items.filter((item) => item.g === 0).length");
  await p.type("mass = 1", "mass = 7");
  await p.tab.waitForFunction((old) => window.page.edit.valid.rev > old, rev);
  assert.match(await p.tab.locator("#rows .row small").first().textContent(), /^7 kg$/);
  assert.equal(await p.get("data.items.filter((item) => item.g === 0).length"), bodies);
  assert.ok(Math.abs((await p.get("motion.time")) - time) < 0.3, "the time was not kept");
  assert.equal(await p.get("state.playing"), false);
  assert.ok(difference(before, await p.picture()) < 0.05, "the camera has moved");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("an error is underlined at its line, the last model continues, and one click repairs it", { skip }, async () => {
  const p = await edit("models/four_bar");
  const line = await p.lineOf("mass = 1");
  await p.type("mass = 1", "mas = 1");
  await p.tab.waitForFunction(() => window.page.edit.problems.length > 0);
  const [problem] = await p.ask("edit.problems");
  assert.equal(problem.line, line);
  await p.tab.waitForTimeout(100);
  assert.deepEqual(await underlined(p), ["mas = 1"]);
  assert.match(await p.id("badge").textContent(), /^\d+ problem/);
  assert.equal(await p.id("stale").textContent(), `Shows the last valid model: line ${line} has an error`);
  const time = await p.get("motion.time");
  await p.tab.waitForFunction((t) => window.page.motion.time > t + 0.2, time);
  await p.tab.screenshot({ path: path.join(folder, "wrong.png") });
  await p.tab.locator(".problem > button").first().click();
  assert.equal(await p.ask("edit.line"), line);
  await p.tab.locator(".problem .fix").first().click();
  await p.settled();
  await p.tab.waitForFunction(() => window.page.edit.problems.length === 0);
  assert.equal((await p.text()).split("\n")[line - 1], "mass = 1");
  assert.equal(await p.id("badge").textContent(), "No problems");
  assert.equal(await p.id("stale").isHidden(), true);
  assert.deepEqual(await underlined(p), []);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a name that does not exist, a missing quote and a number in quotes are repaired by a click", { skip }, async () => {
  const p = await edit("models/four_bar");
  const text = await p.text();
  for (const [old, now] of [['"left"]', '"lft"]'], ['name = "left"', 'name = "left'], ["mass = 1", 'mass = "1"'], ["[[joint]]", "[[jont]]"]]) {
    await p.type(old, now);
    await p.tab.waitForFunction(() => window.page.edit.problems.length > 0);
    const wrong = await p.text();
    await p.tab.locator(".problem .fix").first().click();
    await p.tab.waitForFunction(() => window.page.edit.problems.length === 0);
    assert.equal(await p.text(), text, `${wrong.split("\n").find((line, k) => line !== text.split("\n")[k])} is not repaired`);
  }
  assert.deepEqual(p.said, []);
  await p.done();
});

test("if the solver fails, the text stays and a new instance continues", { skip }, async () => {
  const p = await edit("models/four_bar");
  const trap = (name) => p.tab.workers()[0].evaluate((which) => { wasm = { ...wasm, [which]: () => { throw new WebAssembly.RuntimeError("unreachable"); } }; }, name);
  await trap("live_compile");
  await p.type("mass = 1", "mass = 7");
  await p.tab.waitForFunction(() => window.page.edit.problems.length > 0);
  assert.match(await p.id("message").textContent(), /^Stopped: the solver failed: unreachable$/);
  await p.type("mass = 7", "mass = 3");
  await p.tab.waitForFunction(() => document.querySelector("#rows .row small").textContent === "3 kg");
  assert.equal(await p.id("message").isHidden(), true);
  await p.id("play").click();
  await p.tab.waitForFunction(() => window.page.motion.time > 0.1);
  const rev = await p.ask("edit.rev");
  await trap("live_step");
  await p.tab.waitForFunction((old) => window.page.edit.valid.rev > old && window.page.motion.time === 0, rev);
  assert.match(await p.id("stale").textContent(), /^Restarted: the solver failed/);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("undo and redo are of the text and the picture, from the buttons and from the picture", { skip }, async () => {
  const p = await edit("models/four_bar");
  const [first, text] = [await p.tab.locator("#rows .row small").first().textContent(), await p.text()];
  await p.type("mass = 1", "mass = 7");
  const shows = (words) => p.tab.waitForFunction((wanted) => document.querySelector("#rows .row small").textContent === wanted, words);
  await shows("7 kg");
  await p.id("undo").click();
  await shows(first);
  assert.equal(await p.text(), text);
  await p.id("redo").click();
  await shows("7 kg");
  await p.id("view").focus();
  await p.tab.keyboard.press("Control+z");
  await shows(first);
  assert.equal(await p.text(), text);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a click on a body shows its table, and the cursor in a table selects its part", { skip }, async () => {
  const p = await edit("models/four_bar");
  await p.id("play").click();
  await p.tab.waitForTimeout(150);
  await p.tab.mouse.click(...await p.at("right"));
  assert.equal(await p.get("data.items[panel.chosen].n"), "right");
  await p.tab.waitForFunction(() => document.querySelector("#editors > div").shadowRoot.querySelectorAll(".cm-highlighted").length > 2);
  assert.equal(await p.tab.locator(".cm-highlighted").first().textContent(), "[[body]]");
  assert.match((await p.tab.locator(".cm-highlighted").allTextContents()).join(), /name = "right"/);
  // A change above moves the table.
  await p.type("A0 = [0, 0, 0]", "\nA0 = [0, 0, 0]");
  const joint = await p.lineOf('name = "B0"') - 1;
  await p.ask(`edit.editors.get(edit.shown).editor.goTo(${joint + 2}, 1)`);
  assert.deepEqual(await p.get("[data.items[panel.chosen].n, data.items[panel.chosen].g]"), ["B0", 1]);
  await p.settled();
  assert.deepEqual(await p.get("[data.items[panel.chosen].n, data.items[panel.chosen].g]"), ["B0", 1]);
  await p.id("tree-toggle").click();
  await p.tab.locator("#rows .row", { hasText: "coupler" }).first().click();
  assert.equal(await p.ask("edit.line"), (await p.lineOf('name = "coupler"')) - 1);
  assert.match((await p.tab.locator(".cm-highlighted").allTextContents()).join(), /name = "coupler"/);
  await p.ask("edit.editors.get(edit.shown).editor.goTo(1, 1)");
  assert.equal(await p.get("panel.chosen"), -1);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("keys that are typed in the text do not drive the model", { skip }, async () => {
  const p = await edit("models/van");
  assert.equal(await p.get("state.playing"), false);
  await p.ask("edit.editors.get(edit.shown).editor.goTo(1, 1)");
  await p.ask("edit.editors.get(edit.shown).editor.focus()");
  await p.tab.keyboard.type("# a w s d p 1 ");
  await p.tab.keyboard.press("ArrowLeft");
  await p.settled();
  assert.deepEqual(await p.get("[page.live.held.size, state.playing, camera.parallel, panel.chosen]"), [0, false, false, -1]);
  assert.ok((await p.text()).startsWith("# a w s d p 1 "));
  assert.deepEqual(p.said, []);
  await p.done();
});

test("the van is on show again soon after the last key", { skip }, async (t) => {
  const p = await edit("models/van");
  const times = [];
  for (const now of ["-9.82", "-9.83", "-9.84", "-9.85", "-9.86"]) {
    const rev = await p.ask("edit.valid.rev");
    await p.ask("(edit.redraw = null, 0)");
    await p.type((await p.text()).match(/-9\.8\d/)[0], now);
    await p.tab.waitForFunction((old) => window.page.edit.valid.rev > old && window.page.edit.redraw, rev);
    times.push(await p.ask("edit.redraw"));
  }
  const middle = (key) => Math.round(times.map((one) => one[key]).sort((a, b) => a - b)[2]);
  t.diagnostic(`van: compiled in ${middle("compile")} ms, drawn ${middle("answer")} ms after the request and ${middle("key")} ms after the last key (median of 5)`);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a template is edited like a model, its parts are in tabs, and the archive has all files", { skip }, async () => {
  const p = await edit("vehicle");
  const tabs = await p.tab.locator("#tabs button").allTextContents();
  assert.ok(tabs.length > 1 && tabs[0] === "model.toml", `${tabs}`);
  await p.tab.locator("#tabs button").nth(1).click();
  assert.equal(await p.ask("edit.shown"), tabs[1]);
  const download = p.tab.waitForEvent("download");
  await p.id("download").click();
  const file = path.join(folder, "model.zip");
  copyFileSync(await (await download).path(), file);
  const out = path.join(folder, "unpacked");
  mkdirSync(out);
  const unpacked = spawnSync("python3", ["-m", "zipfile", "-e", file, out], { encoding: "utf8" });
  assert.equal(unpacked.status, 0, unpacked.stderr);
  const name = await p.get("data.name");
  assert.equal(readFileSync(path.join(out, name, "model.toml"), "utf8"), await p.text());
  assert.equal(spawnSync(program, ["check", path.join(out, name)], { encoding: "utf8" }).status, 0);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("the browser keeps changes for the page, and says so", { skip }, async () => {
  const p = await edit("models/four_bar");
  const text = await p.text();
  await p.type("mass = 1", "mass = 7");
  await p.tab.waitForFunction(() => !document.getElementById("notice").hidden);
  assert.match(await p.id("notice").textContent(), /^Your changes are stored in this browser only/);
  await p.tab.reload();
  await p.tab.waitForFunction(() => window.page && window.page.edit.valid);
  assert.match(await p.id("notice").textContent(), /^Restored your changes/);
  assert.match(await p.text(), /mass = 7/);
  await p.id("discard").click();
  await p.settled();
  assert.equal(await p.text(), text);
  await p.tab.reload();
  await p.tab.waitForFunction(() => window.page && window.page.edit.valid);
  assert.equal(await p.id("notice").isHidden(), true);
  assert.equal(await p.text(), text);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("check says what the program says, and a replay is a page without the text", { skip }, async () => {
  const p = await edit("models/four_bar");
  await p.tab.waitForFunction(() => window.page.motion.time > 0.5);
  await p.id("check").click();
  await p.tab.waitForFunction(() => window.page.edit.checked);
  assert.match(await p.id("problems").textContent(), /1 degree of freedom: 3 bodies, 4 joints, 1 loop/);
  const download = p.tab.waitForEvent("download");
  await p.id("save-replay").click();
  const file = path.join(folder, "replay.html");
  copyFileSync(await (await download).path(), file);
  assert.deepEqual(p.said, []);
  await p.done();
  const replay = await open(file);
  assert.deepEqual(await replay.get("[data.kind, page.live, motion.count > 10, document.getElementById('text'), page.edit]"), ["run", null, true, null, undefined]);
  assert.deepEqual(replay.said, []);
  await replay.done();
});

test("a new model replaces the files, Discard returns to those of the page, and the splitter is moved by keys", { skip }, async () => {
  const p = await edit("models/four_bar");
  const text = await p.text();
  await p.id("new").click();
  await p.tab.locator("#templates .row", { hasText: "empty" }).click();
  await p.tab.waitForFunction(() => window.page.data.name === "model");
  assert.deepEqual(await p.get("[data.items.length, page.edit.problems.length]"), [0, 0]);
  await p.id("discard").click();
  await p.tab.waitForFunction(() => window.page.data.name === "four_bar");
  assert.equal(await p.text(), text);
  const width = () => p.get("document.getElementById('text').getBoundingClientRect().width");
  const before = await width();
  await p.id("splitter").focus();
  for (let k = 0; k < 3; k++) await p.tab.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await width()) - before - 0.06 * 1280) < 3);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("on a phone the text is above the picture, and everything is in reach", { skip }, async () => {
  const p = await edit("models/four_bar", { width: 390, height: 800, dark: true });
  await p.tab.waitForTimeout(100);
  const [width, text, view] = await p.get("[document.documentElement.scrollWidth, document.getElementById('text').getBoundingClientRect().toJSON(), document.getElementById('view').getBoundingClientRect().toJSON()]");
  assert.ok(width <= 390 && text.bottom <= view.top && text.height > 150 && view.height > 120, JSON.stringify([width, text, view]));
  assert.ok((await p.get("document.getElementById('play').getBoundingClientRect().right")) <= 390);
  // The buttons of the heading are in a row that scrolls.
  await p.id("badge").click();
  assert.equal(await p.id("problems").textContent(), "No problems.");
  await p.id("dark").click();
  assert.deepEqual(p.said, []);
  await p.done();
});
