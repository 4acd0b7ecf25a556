// Analyses in the page of a text: trim, modes, linearize, verify and check in a second worker, with the results of the commands.
// Needs the library of pages (scripts/platforms.sh wasm32), and is skipped without it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { editPage } from "./edit_page.mjs";
import { ballesta, close, folder, launch, open, program, root, target } from "./support.mjs";

const library = process.env.BALLESTA_LIBRARY || path.join(target, "platforms/wasm32/ballesta.wasm.gz");
const skip = existsSync(library) ? false : `no ${library}: scripts/platforms.sh wasm32 builds it`;

before(launch);
after(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** The page of a model with its first model compiled and the panel of the analyses. */
async function edit(model, options = {}) {
  const file = path.join(folder, `analyses_${model}.html`);
  if (!process.env.BALLESTA_VIEWER) ballesta(["edit", `models/${model}`, "-o", file]);
  else writeFileSync(file, editPage(path.join(root, "models", model), readFileSync(library)));
  const p = await open(file, { width: 1280, height: 800, ...options });
  await p.tab.waitForFunction(() => window.page.edit.valid, null, { timeout: 120000 });
  await p.id("analyse").click();
  const ask = (expression) => p.tab.evaluate(`(() => { const { edit } = window.page; const { analyses } = edit; return ${expression}; })()`);
  const show = (name) => p.tab.locator(`#analyses [data-analysis=${name}]`).click();
  const press = () => p.tab.locator("#analyses [type=submit]").click();
  const field = (name, value) => p.tab.locator(`#analyses [name=${name}]`).fill(String(value));
  const answer = async (name) => {
    await p.tab.waitForFunction((which) => window.page.edit.analyses.results[which] && !window.page.edit.analyses.jobs.has(which), name, { timeout: 240000 });
    return ask(`analyses.results.${name}.error ?? analyses.results.${name}.text`);
  };
  const run = async (name) => {
    await show(name);
    await press();
    return answer(name);
  };
  const saved = async (label) => {
    const download = p.tab.waitForEvent("download");
    await p.tab.locator("#analyses button", { hasText: label }).click();
    const got = await download;
    return [got.suggestedFilename(), readFileSync(await got.path(), "utf8")];
  };
  /** Appends a comment to the first line of the text. */
  const comment = async (words) => {
    await ask("edit.editors.get(edit.shown).editor.goTo(1, 1)");
    await ask("edit.editors.get(edit.shown).editor.focus()");
    await p.tab.keyboard.press("End");
    await p.tab.keyboard.insertText(words);
  };
  return { ...p, ask, show, press, field, answer, run, saved, comment };
}

const printed = (...args) => execFileSync(program, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Numbers that differ only by rounding, texts that are equal. */
function same(own, expected, where = "") {
  if (typeof expected === "number") {
    assert.ok(typeof own === "number" && Math.abs(own - expected) <= 1e-7 * Math.abs(expected) + 1e-9, `${where}: ${own}, not ${expected}`);
  } else if (expected && typeof expected === "object") {
    assert.deepEqual(Object.keys(own), Object.keys(expected), where);
    for (const key of Object.keys(expected)) same(own[key], expected[key], `${where}.${key}`);
  } else assert.equal(own, expected, where);
}

test("modes are those of the command, a click animates one, and the run continues afterwards", { skip, timeout: 400000 }, async () => {
  const p = await edit("flexible_four_bar");
  await p.tab.waitForFunction(() => window.page.motion.time > 0.05);
  await p.show("modes");
  await p.field("count", 6);
  const time = await p.get("motion.time");
  const own = JSON.parse(await p.run("modes"));
  assert.ok((await p.get("motion.time")) > time, "the picture has stopped");
  same(own, JSON.parse(printed("modes", "models/flexible_four_bar", "--count", "6", "--json")));
  const [name, text] = await p.saved("Save CSV");
  assert.equal(name, "flexible_four_bar.modes.csv");
  assert.equal(text.split("\n").length, 8);
  await p.tab.locator("#analyses [data-shape='2']").click();
  assert.deepEqual(await p.get("[data.kind, motion.modes.current, page.live, data.shapes.length]"), ["modes", 2, null, 6]);
  assert.equal(await p.tab.locator("#analyses tr.selected td").first().textContent(), "3");
  // The shape moves about the start; no part moves far.
  const reach = () => p.get("Math.max(...[...drawing.places(), ...motion.middles()].map((place) => Math.hypot(...place)))");
  const still = await p.get("(page.play(false), page.go(0.25), 0)").then(reach);
  for (const phase of [0, 0.4, 0.8]) {
    await p.get(`(page.go(${phase}), 0)`);
    assert.ok(Math.abs((await reach()) - still) < 0.1 * (await p.get("data.size")), `phase ${phase}`);
  }
  await p.id("view").focus();
  await p.tab.keyboard.press("ArrowDown");
  assert.equal(await p.tab.locator("#analyses tr.selected td").first().textContent(), "4");
  const before = await p.get("motion.time");
  await p.id("play").click();
  await p.tab.waitForFunction((t) => Math.abs(window.page.motion.time - t) > 0.02, before);
  await p.tab.screenshot({ path: path.join(folder, "modes.png") });
  await p.id("return").click();
  assert.equal(await p.id("return").isHidden(), true);
  await p.tab.waitForFunction((t) => window.page.data.kind === "live" && window.page.motion.time > t + 0.05, time);
  assert.equal(await p.id("plots-toggle").textContent(), "Plots");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("an equilibrium is shown in the picture and becomes the start by one click, which Undo takes back", { skip, timeout: 400000 }, async () => {
  const p = await edit("bushing_mount");
  const own = JSON.parse(await p.run("trim"));
  same(own, JSON.parse(printed("check", "models/bushing_mount", "--trim", "--json")).equilibrium);
  await p.tab.locator("#analyses button", { hasText: "Show in the picture" }).click();
  assert.deepEqual(await p.get("[data.kind, page.live, data.sliders.length]"), ["start", null, 0]);
  assert.equal(await p.id("return").textContent(), "Equilibrium: back to the run");
  const text = await p.ask("edit.files.get(edit.main).text");
  await p.tab.locator("#analyses button", { hasText: "Use as start" }).click();
  const now = await p.ask("edit.files.get(edit.main).text");
  assert.match(now, /\[experiment\]\ntrim = true\n/);
  // The new text shows the run again.
  await p.tab.waitForFunction(() => window.page.data.kind === "live" && window.page.edit.sent.texts.get("model.toml").includes("trim = true"));
  assert.equal(await p.id("return").isHidden(), true);
  assert.equal(await p.tab.locator("#analyses .stale").isHidden(), false);
  await p.id("undo").click();
  assert.equal(await p.ask("edit.files.get(edit.main).text"), text);
  await p.tab.waitForFunction(() => document.querySelector("#analyses .stale").hidden);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a model is linearized at its start as by the command, and at the current time of the run", { skip, timeout: 400000 }, async () => {
  const p = await edit("driven_arm");
  const own = JSON.parse(await p.run("linearize"));
  same(own, JSON.parse(printed("linearize", "models/driven_arm", "--json")));
  const script = path.join(folder, "arm.m");
  ballesta(["linearize", "models/driven_arm", "-o", script]);
  const [name, text] = await p.saved("Save MATLAB");
  assert.equal(name, "driven_arm.linearize.m");
  const shape = (of) => of.replace(/-?\d[\d.e-]*/g, "0");
  assert.equal(shape(text), shape(readFileSync(script, "utf8")));
  await p.tab.locator("#analyses summary").first().click();
  assert.equal(await p.tab.locator("#analyses details[open] tbody tr").count(), own.states.length);
  if (!(await p.get("state.playing"))) await p.id("play").click();
  await p.tab.waitForFunction(() => window.page.motion.time > 0.2);
  await p.id("play").click();
  await p.tab.waitForTimeout(300);
  await p.tab.locator("#analyses select").selectOption("now");
  await p.press();
  const present = JSON.parse(await p.answer("linearize"));
  assert.ok(Math.abs(present.time_s - (await p.get("motion.time"))) < 1e-9);
  assert.deepEqual([present.states, present.inputs], [own.states, own.inputs]);
  assert.notDeepEqual(present.a, own.a);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a verification runs beside the picture, ends by a click or by a new text, and has the result of the command", { skip, timeout: 600000 }, async () => {
  const p = await edit("four_bar");
  await p.show("verify");
  await p.field("stop", 60);
  await p.press();
  const time = await p.get("motion.time");
  await p.tab.waitForFunction((t) => window.page.motion.time > t + 0.3, time);
  assert.match(await p.tab.locator("#analyses [type=submit]").textContent(), /Cancel/);
  await p.press();
  assert.equal(await p.answer("verify"), "Cancelled.");
  await p.press();
  await p.tab.waitForTimeout(1500);
  await p.comment(" # more");
  assert.equal(await p.answer("verify"), "Cancelled, because the text has changed.");
  await p.field("stop", 0.5);
  const own = JSON.parse(await p.run("verify"));
  const expected = JSON.parse(printed("verify", "models/four_bar", "--stop", "0.5", "--json"));
  for (const run of expected.runs) run.microseconds_per_step = null;
  same(own, expected);
  assert.match(await p.tab.locator("#analyses").textContent(), /Verified: all results converge/);
  const [name, text] = await p.saved("Save JSON");
  assert.deepEqual([name, JSON.parse(text)], ["four_bar.verify.json", own]);
  assert.equal(await p.tab.locator("#analyses .stale").isHidden(), true);
  await p.comment(" and more");
  assert.equal(await p.tab.locator("#analyses .stale").isHidden(), false);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a failure of the library ends one analysis only, and an impossible one is explained", { skip, timeout: 400000 }, async () => {
  const p = await edit("four_bar");
  await p.run("modes");
  const [, analyst] = p.tab.workers();
  await analyst.evaluate(() => { wasm = { ...wasm, live_analyse: () => { throw new WebAssembly.RuntimeError("unreachable"); } }; });
  assert.equal(await p.run("modes"), "the solver failed: unreachable. It was started again");
  assert.equal(JSON.parse(await p.run("modes")).name, "four_bar");
  await p.tab.waitForFunction(() => window.page.motion.time > 0);
  await p.id("check").click();
  await p.tab.waitForFunction(() => window.page.edit.checked, null, { timeout: 60000 });
  assert.equal(await p.ask("edit.checked.dof"), 1);
  await p.show("verify");
  await p.field("stop", -1);
  assert.match(await p.run("verify"), /stop/);
  assert.deepEqual(p.said, []);
  await p.done();
});
