// The workshop: points, centres of mass and axes of joints are dragged in the picture, and their numbers in the text follow.
// Needs the library of pages (scripts/platforms.sh wasm32), and is skipped without it.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { editPage } from "./edit_page.mjs";
import { ballesta, close, difference, folder, launch, open, root, target } from "./support.mjs";

const library = process.env.BALLESTA_LIBRARY || path.join(target, "platforms/wasm32/ballesta.wasm.gz");
const skip = existsSync(library) ? false : `no ${library}: scripts/platforms.sh wasm32 builds it`;

before(launch);
after(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
/** The page of a model folder, written by the program; with BALLESTA_VIEWER from the sources of the viewer. */
function written(model) {
  const file = path.join(folder, `handles${count++}.html`);
  if (process.env.BALLESTA_VIEWER) writeFileSync(file, editPage(path.join(root, model), readFileSync(library)));
  else ballesta(["edit", model, "-o", file]);
  return file;
}

/** The page with its first model compiled. */
async function edit(model) {
  const p = await open(written(model), { width: 1280, height: 800 });
  await p.tab.waitForFunction(() => window.page.edit.valid);
  /** Expressions with `edit`, the workshop. */
  const ask = (expression) => p.tab.evaluate(`(() => { const { edit } = window.page; return ${expression}; })()`);
  /** The model on show is the one of the present texts. */
  const settled = () => p.tab.waitForFunction(() => {
    const { edit } = window.page;
    return !edit.flying && [...edit.files].every(([name, { text }]) => edit.valid.texts.get(name) === text) && !window.page.state.dirty;
  });
  const text = (file = "model.toml") => ask(`edit.files.get("${file}").text`);
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
    await p.tab.keyboard.insertText(now);
  };
  /** A handle of the valid model by its path in the model. */
  const point = (key) => ask(`edit.valid.points.find((one) => one.k === "${key}")`);
  return { ...p, ask, settled, text, lineOf, type, point };
}

const button = (p, name) => p.tab.locator(`#handles [data-point="${name}"]`);
/** Middle of a handle. */
const handle = async (p, name) => {
  const box = await button(p, name).boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};
/** Shows the handles, seen along an axis in parallel projection. */
async function showPoints(p, view = "+z") {
  await p.id("points").click();
  await p.tab.waitForFunction(() => window.page.live.point === 0 && !window.page.state.playing);
  await p.tab.evaluate((name) => { window.page.setView(name); }, view);
  await p.tab.waitForFunction(() => !window.page.state.dirty && document.querySelectorAll("#handles button").length > 0);
}
const pressed = async (p, [x, y], [dx, dy], keys = []) => {
  await p.tab.mouse.move(x, y);
  await p.tab.mouse.down();
  for (const key of keys) await p.tab.keyboard.down(key);
  for (let k = 1; k <= 4; k++) await p.tab.mouse.move(x + (k * dx) / 4, y + (k * dy) / 4);
};
const released = async (p, keys = []) => {
  await p.tab.mouse.up();
  for (const key of keys) await p.tab.keyboard.up(key);
};
/** Zooms to a handle until its neighbours are apart; the mouse is on the handle. */
const zoomTo = async (p, name) => {
  await p.tab.mouse.move(...(await handle(p, name)));
  const distance = await p.get("camera.distance");
  for (let k = 0; k < 8; k++) await p.tab.mouse.wheel(0, -240);
  await p.tab.waitForFunction((far) => window.page.camera.distance < 0.15 * far && !window.page.state.dirty, distance);
};

test("a point is dragged with the mouse: only its numbers change, the picture follows, and one undo restores the text", { skip }, async () => {
  const p = await edit("models/four_bar");
  await p.type("B1 = [1, 1, 0]", "B1 = [1, 1.00, 0] # \u{1f600} right");
  await p.settled();
  const text = await p.text();
  await p.tab.waitForFunction(() => window.page.motion.time > 0.3);
  await showPoints(p);
  const at = await handle(p, "B1");
  // During the drag the model is compiled, and the text of the editor stays.
  const rev = await p.ask("edit.valid.rev");
  await pressed(p, at, [40, -30]);
  await p.tab.waitForFunction((old) => window.page.edit.valid.rev > old, rev);
  assert.equal(await p.text(), text);
  assert.equal(await p.ask("edit.valid.texts.get(edit.main) === edit.files.get(edit.main).text"), false);
  // The numbers are next to the pointer.
  const readout = p.tab.locator("#handles .readout");
  assert.match(await readout.textContent(), /^B1 = \[1\.\d+, 1\.\d+, 0\] m\nmoved by \[\d+, \d+, 0\] mm$/);
  const box = await readout.boundingBox();
  assert.ok(Math.hypot(box.x - at[0] - 40, box.y - at[1] + 30) < 60, JSON.stringify(box));
  await p.tab.mouse.up();
  assert.equal(await readout.isHidden(), true);
  const moved = await p.text();
  const line = (await p.lineOf("B1 = [")) - 1;
  const [before, after] = [text.split("\n"), moved.split("\n")];
  assert.deepEqual(after.filter((_, k) => k !== line), before.filter((_, k) => k !== line));
  const found = /^B1 = \[(\d\.\d+), (\d\.\d+), 0\] # \u{1f600} right$/u.exec(after[line]);
  assert.ok(found && Number(found[1]) > 1.02 && Number(found[2]) > 1.02, after[line]);
  await p.settled();
  // The handle and the joint are where the mouse was released.
  const point = (await p.point("points.B1")).p;
  assert.deepEqual(point, [Number(found[1]), Number(found[2]), 0]);
  const mark = await p.get("motion.world(data.parts.marks.find((one) => data.items[one.i].n === 'B1').at)");
  assert.ok(Math.hypot(mark[0] - point[0], mark[1] - point[1]) < 1e-3, `${mark} ${point}`);
  const rest = await handle(p, "B1");
  assert.ok(Math.hypot(rest[0] - at[0] - 40, rest[1] - at[1] + 30) < 3, `${at} ${rest}`);
  await p.id("undo").click();
  assert.equal(await p.text(), text);
  await p.settled();
  assert.deepEqual((await p.point("points.B1")).p, [1, 1, 0]);
  assert.equal(await p.ask("edit.handles.on"), true);
  await p.id("play").click();
  await p.tab.waitForFunction(() => !window.page.edit.handles.on);
  assert.equal(await p.id("handles").isHidden(), true);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("Ctrl keeps a drag on one axis, Snap and Shift set the grid, Escape cancels, and a click shows the line", { skip }, async () => {
  const p = await edit("models/four_bar");
  const text = await p.text();
  await showPoints(p);
  // 10 mm along x; then a tenth of 0.1 mm.
  for (const [snap, keys, digits] of [["1e-2", ["Control"], "1,2"], ["1e-4", ["Control", "Shift"], "1,5"]]) {
    await p.id("snap").selectOption(snap);
    await pressed(p, await handle(p, "A1"), [37, -11], keys);
    await released(p, keys);
    const found = new RegExp(`^A1 = \\[(\\d\\.\\d{${digits}}), 0, 0\\]$`, "m").exec(await p.text());
    assert.ok(found && Number(found[1]) > 1, (await p.text()).split("\n")[(await p.lineOf("A1 = [")) - 1]);
    await p.id("undo").click();
    assert.equal(await p.text(), text);
    await p.settled();
  }
  // Without a grid the decimals are those of a pixel.
  await p.id("snap").selectOption("0");
  await pressed(p, await handle(p, "A1"), [37, -11]);
  await released(p);
  assert.match(await p.text(), /^A1 = \[1\.\d{1,4}, 0\.\d{1,4}, 0\]$/m);
  await p.id("undo").click();
  await p.settled();
  await p.id("snap").selectOption("1e-3");
  const rev = await p.ask("edit.valid.rev");
  await pressed(p, await handle(p, "B0"), [30, 20]);
  await p.tab.waitForFunction((old) => window.page.edit.valid.rev > old, rev);
  await p.tab.keyboard.press("Escape");
  await p.tab.mouse.up();
  await p.settled();
  assert.equal(await p.text(), text);
  assert.deepEqual((await p.point("points.B0")).p, [0, 1, 0]);
  await p.tab.mouse.click(...(await handle(p, "B0")));
  assert.equal(await p.ask("edit.line"), await p.lineOf("B0 = ["));
  assert.equal(await p.text(), text);
  // Near the height of another point the point takes it.
  await p.type("A1 = [1, 0, 0]", "A1 = [1, 0.03251, 0]");
  await p.settled();
  const [a0, a1] = [await handle(p, "A0"), await handle(p, "A1")];
  await pressed(p, a0, [-25, a1[1] - a0[1] + 2]);
  assert.match(await p.tab.locator("#handles .readout").textContent(), /\nat y of A1$/);
  await released(p);
  assert.match(await p.text(), /^A0 = \[-0\.\d+, 0\.03251, 0\]$/m);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("with Mirror the point of the other side follows in the same step; frames are taken back, and a parameter stays", { skip }, async () => {
  const p = await edit("models/four_bar");
  await p.type("[points]", "[points]\nmount_l = [0.2, 0.3, 0]\nmount_r = [0.2, -0.3, 0] # right\nheld = [\"height\", 0.6, 0]\nnone = [\"height\", \"height\", \"height\"]");
  await p.type("[[body]]", '[[parameter]]\nname = "height"\nvalue = 0.75\n\n[[frame]]\nname = "f"\nangles_deg = [0, 0, 90]\npoints = { F = [0.5, 0.50, 0] }\n\n[[body]]');
  await p.settled();
  await p.tab.waitForFunction(() => window.page.edit.valid.points.some((one) => one.n === "F"));
  const text = await p.text();
  await showPoints(p);
  await p.id("mirror").check();
  await pressed(p, await handle(p, "mount_l"), [30, -25]);
  await p.tab.mouse.up();
  const [l, r] = [/^mount_l = \[(.+), (.+), 0\]$/m.exec(await p.text()), /^mount_r = \[(.+), -(.+), 0\] # right$/m.exec(await p.text())];
  assert.ok(l && r && l[1] === r[1] && l[2] === r[2] && Number(l[1]) > 0.2 && Number(l[2]) > 0.3, await p.text());
  await p.id("undo").click();
  await p.settled();
  assert.equal(await p.text(), text);
  // The x axis of the frame is the y axis of W: up in the picture.
  const at = await handle(p, "F");
  await pressed(p, at, [30, -25], ["Shift"]);
  await released(p, ["Shift"]);
  const [, x, y] = /points = \{ F = \[(.+), (.+), 0\] \}/.exec(await p.text());
  assert.ok(Number(x) > 0.51 && Number(y) < 0.49, `${x} ${y}`);
  await p.settled();
  const rest = await handle(p, "F");
  assert.ok(Math.hypot(rest[0] - at[0] - 30, rest[1] - at[1] + 25) < 3, `${at} ${rest}`);
  await p.id("undo").click();
  await p.settled();
  // A number that is a parameter stays; a point of parameters only cannot be dragged, and says why.
  await pressed(p, await handle(p, "held"), [30, -25]);
  await released(p);
  const [, held] = /^held = \["height", (\d\.\d{1,3}), 0\]$/m.exec(await p.text());
  assert.ok(Number(held) > 0.6, held);
  assert.match(await button(p, "held").getAttribute("title"), /\nStays: x is the parameter "height"$/);
  await p.id("undo").click();
  await p.settled();
  assert.match(await button(p, "none").getAttribute("title"), /^Cannot be dragged: x is the parameter "height", y is the parameter "height"/);
  await pressed(p, await handle(p, "none"), [30, -25]);
  await p.tab.mouse.up();
  assert.equal(await p.text(), text);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a point of a mirrored subassembly of the van moves with its partner, and its numbers change against the mirror", { skip }, async () => {
  const p = await edit("models/van");
  const file = "parts/front_corner_forces.toml";
  const [text, main] = [await p.text(file), await p.text()];
  await showPoints(p);
  const name = "axle1.right.tie_rod_outer";
  await zoomTo(p, name);
  const at = await handle(p, name);
  await pressed(p, at, [30, -24]);
  const partner = p.tab.locator("#handles .partner");
  assert.deepEqual(await partner.evaluateAll((all) => all.map((one) => one.dataset.point)), ["axle1.left.tie_rod_outer"]);
  await p.tab.mouse.up();
  assert.equal(await partner.count(), 0);
  const now = await p.text(file);
  const line = text.split("\n").findIndex((one) => one.startsWith("tie_rod_outer ="));
  assert.deepEqual(now.split("\n").filter((_, k) => k !== line), text.split("\n").filter((_, k) => k !== line));
  assert.equal(await p.text(), main);
  const [, x, y] = /^tie_rod_outer = \[(.+), (.+), 0\.34612\]$/.exec(now.split("\n")[line]);
  // Up in the picture is +y, towards the middle of the van: the number of the left corner falls.
  assert.ok(Number(x) > -0.136 && Number(y) < 0.688, `${x} ${y}`);
  await p.settled();
  const rest = await handle(p, name);
  assert.ok(Math.hypot(rest[0] - at[0] - 30, rest[1] - at[1] + 24) < 4, `${at} ${rest}`);
  assert.deepEqual((await p.point("points.axle1.right.tie_rod_outer")).p.slice(0, 2), [Number(x), -Number(y)]);
  assert.deepEqual((await p.point("points.axle1.left.tie_rod_outer")).p.slice(0, 2), [Number(x), Number(y)]);
  assert.equal(await p.ask("edit.shown"), file);
  await p.tab.keyboard.press("Control+z");
  assert.equal(await p.text(file), text);
  await p.settled();
  assert.deepEqual((await p.point("points.axle1.right.tie_rod_outer")).p, [-0.136, -0.688, 0.34612]);
  const points = await p.ask("edit.valid.points.filter((one) => one.kind === 'point').map((one) => one.drag)");
  assert.ok(points.length === 44 && points.filter(Boolean).length >= 40, JSON.stringify(points));
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a centre of mass is dragged, and the arrow of the axis of the selected joint rotates", { skip }, async () => {
  const p = await edit("models/four_bar");
  const text = await p.text();
  await showPoints(p, "+x");
  const com = "body[1].com";
  assert.equal(await button(p, "joint[0].axis").isHidden(), true);
  await pressed(p, await handle(p, com), [0, -40], ["Control"]);
  await released(p, ["Control"]);
  assert.match(await p.text(), /^com = \[1, 0\.[56]\d*, 0\]$/m);
  await p.settled();
  await p.id("undo").click();
  await p.settled();
  assert.equal(await p.text(), text);
  // The joint A0, chosen in the tree. Its axis z is to the left in the picture, y is up.
  await p.id("tree-toggle").click();
  await p.tab.locator("#rows .row", { hasText: "A0" }).first().click();
  await p.tab.waitForFunction(() => !window.page.state.dirty);
  const [at, base] = [await handle(p, "joint[0].axis"), await handle(p, "A0")];
  assert.ok(Math.abs(base[0] - at[0] - 80) < 3 && Math.abs(base[1] - at[1]) < 2, `${at} ${base}`);
  assert.equal(await p.tab.locator("#handles .shaft").isVisible(), true);
  // The arrow follows the mouse; with Shift it stops at 5 degrees.
  await pressed(p, at, [2.5, -20]);
  assert.match(await p.tab.locator("#handles .readout").textContent(), /^A0 = \[0, 0\.2\d+, 0\.9\d+\]\nrotated by 14\.?\d*°$/);
  await released(p);
  const found = /^axis = \[0, (0\.2\d*), (0\.9\d*)\]$/m.exec(await p.text());
  assert.ok(found && Math.abs(Math.hypot(found[1], found[2]) - 1) < 1e-4, await p.text());
  await p.id("undo").click();
  await p.settled();
  await pressed(p, await handle(p, "joint[0].axis"), [2.5, -20], ["Shift"]);
  await released(p, ["Shift"]);
  assert.match(await p.text(), /^axis = \[0, 0\.2588, 0\.9659\]$/m);
  await p.id("undo").click();
  await p.settled();
  assert.equal(await p.text(), text);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("the arrow keys move the handle with the focus, and Ctrl+Z takes each step back", { skip }, async () => {
  const p = await edit("models/four_bar");
  const text = await p.text();
  await showPoints(p);
  await button(p, "B1").focus();
  await p.tab.keyboard.press("ArrowRight");
  await p.settled();
  assert.match(await p.text(), /^B1 = \[1\.001, 1, 0\]$/m);
  await p.tab.keyboard.press("Shift+ArrowDown");
  await p.settled();
  assert.match(await p.text(), /^B1 = \[1\.001, 0\.9999, 0\]$/m);
  // Keys that arrive during a compilation count too.
  for (let k = 0; k < 5; k++) await p.tab.keyboard.press("ArrowLeft");
  await p.tab.waitForFunction(() => !window.page.edit.handles.waiting);
  await p.settled();
  assert.match(await p.text(), /^B1 = \[0\.996, 0\.9999, 0\]$/m);
  assert.deepEqual((await p.point("points.B1")).p, [0.996, 0.9999, 0]);
  for (let k = 0; k < 10 && (await p.text()) !== text; k++) await p.tab.keyboard.press("Control+z");
  assert.equal(await p.text(), text);
  await p.settled();
  assert.deepEqual((await p.point("points.B1")).p, [1, 1, 0]);
  assert.equal(await p.ask("edit.handles.on"), true);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("hulls and shapes that are defined by points follow after the drop", { skip }, async () => {
  const p = await edit("models/four_bar");
  await p.type("[[body]]", '[[shape]]\nbody = "right"\ntype = "capsule"\npoints = ["A1", "B1"]\nradius = 0.03\n\n[[body]]');
  await p.settled();
  await p.tab.waitForFunction(() => window.page.data.parts.shapes.length === 1);
  await showPoints(p);
  /** Places that the hull of the coupler encloses, and length of the shape. */
  const drawn = () => p.get(`[drawing.parts.bodies.find((body) => data.items[body.i].n === "coupler").pts.map((at) => motion.world(at)), data.parts.shapes[0].size[2]]`);
  const near = ([places], [x, y]) => places.some((place) => Math.hypot(place[0] - x, place[1] - y) < 2e-3);
  const before = await p.picture();
  assert.ok(near(await drawn(), [1, 1]));
  await pressed(p, await handle(p, "B1"), [45, -35]);
  await p.tab.mouse.up();
  await p.settled();
  const [x, y] = (await p.point("points.B1")).p;
  const [places, length] = await drawn();
  assert.ok(x > 1.05 && near([places], [x, y]) && !near([places], [1, 1]), JSON.stringify(places));
  assert.ok(Math.abs(length - Math.hypot(x - 1, y)) < 1e-3, `${length}`);
  // The picture shows it: the hull reaches the new place of the point, where the background was.
  const after = await p.picture();
  assert.ok(difference(before, after) > 0.002, `${difference(before, after)}`);
  assert.deepEqual(p.said, []);
  await p.done();
});
