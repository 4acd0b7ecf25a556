// The 3-D page in a real browser: that it renders, that every control does its work, that nothing leaves the page.

import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { PNG, ballesta, close, difference, folder, launch, open, orange, page, root, share, textFile } from "./support.mjs";

before(launch);
after(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** The model of the same name of the tests of the command line. */
const OUT_OF_REACH = /const OUT_OF_REACH: &str = r#"([^]*?)"#/.exec(readFileSync(`${root}/crates/cli/tests/cli/main.rs`, "utf8"))[1];
const FOUR_BAR = () => page("run", "models/four_bar");
const near = (a, b, by = 1e-6) => assert.ok(Math.abs(a - b) <= by, `${a} is not ${b}`);

test("a run is drawn, moves when played, and says nothing on the console", async () => {
  const p = await open(FOUR_BAR());
  const first = await p.picture();
  const back = [first.data[0], first.data[1], first.data[2]];
  const drawn = share(first, (r, g, b) => Math.abs(r - back[0]) + Math.abs(g - back[1]) + Math.abs(b - back[2]) > 60);
  assert.ok(drawn > 0.005 && drawn < 0.5, `${drawn} of the picture is drawn`);
  await p.tab.keyboard.press("Space");
  await p.tab.waitForFunction(() => window.page.motion.time > 0.3);
  await p.tab.keyboard.press("Space");
  assert.equal(await p.get("state.playing"), false);
  const second = await p.picture();
  assert.ok(difference(first, second) > 0.003, "the picture has not changed");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("the poses are those of the run", async () => {
  const p = await open(FOUR_BAR());
  // Outputs B0.x and B0.y are the end of the left rod.
  for (const time of [0.5, 3.21, 9.99]) {
    const [place, values] = await p.get(`(page => { motion.set(${time}); const path = data.parts.paths[0];
      const curve = (name) => plots.value(plots.curves.find((c) => c.n === name), motion.time);
      return [motion.world(path.at), ["B0.x", "B0.y", "B0.z"].map(curve)]; })()`);
    place.forEach((x, k) => near(x, values[k], 1e-3));
  }
  await p.done();
});

test("a click on a part in the tree colours it, a click in the scene selects it, Escape lets go", async () => {
  const p = await open(FOUR_BAR());
  const before = share(await p.picture(), orange);
  await p.tab.locator(".row", { hasText: "coupler" }).first().click();
  assert.equal(await p.get("data.items[panel.chosen].n"), "coupler");
  const selected = await p.picture();
  assert.ok(share(selected, orange) > before + 0.0015, `${share(selected, orange)} is orange`);
  // A quarter of the way along the coupler.
  const [column, row] = await p.get("(() => { const at = (name) => motion.world(data.parts.marks.find((m) => data.items[m.i].n === name).at); const [a, b] = [at('B0'), at('B1')]; return camera.pixel(a.map((x, k) => x + 0.25 * (b[k] - x)), renderer.canvas.width, renderer.canvas.height).map(Math.round); })()");
  const first = 4 * (row * selected.width + column);
  assert.ok(orange(...selected.data.slice(first, first + 3)), `${selected.data.slice(first, first + 3)} at ${column}, ${row}`);
  assert.match(await p.id("info").textContent(), /coupler.*1 kg/s);
  await p.tab.keyboard.press("Escape");
  assert.equal(await p.get("panel.chosen"), -1);
  assert.equal(await p.id("info").isHidden(), true);
  const [x, y] = await p.get("(() => { const b = document.getElementById('view').getBoundingClientRect(); const c = camera.pixel(motion.world(data.parts.marks.find((m) => data.items[m.i].n === 'B1').at), b.width, b.height); return [c[0] + b.left, c[1] + b.top]; })()");
  await p.tab.mouse.click(x, y);
  assert.equal(await p.get("data.items[panel.chosen].n"), "B1");
  assert.equal(await p.tab.locator(".row.selected span").textContent(), "B1");
  assert.deepEqual((await p.tab.locator(".row.related span").allTextContents()).slice(0, 2), ["right", "coupler"]);
  await p.done();
});

test("an output selects its joint and its curves, a joint its outputs", async () => {
  const p = await open(FOUR_BAR());
  await p.tab.locator(".row", { hasText: "left.angle" }).click();
  assert.equal(await p.get("[...drawing.related].map((i) => data.items[i].n).join()"), "A0");
  assert.equal(await p.tab.locator(".legend button.related").count(), 1);
  await p.tab.locator("details", { hasText: "Joints" }).locator(".row", { hasText: "A0" }).click();
  const names = await p.tab.locator(".legend button.related").allTextContents();
  assert.ok(names.some((name) => name.startsWith("left.angle")) && names.some((name) => name.startsWith("A0.force")), names.join());
  await p.done();
});

test("the player's buttons, slider, speed and loop do what they say", async () => {
  const p = await open(FOUR_BAR());
  const time = () => p.get("motion.time");
  await p.id("last").click();
  near(await time(), 10);
  await p.id("back").click();
  const step = 10 - (await time());
  assert.ok(step > 0 && step <= 1 / 50 + 1e-6, `${step} s from frame to frame`);
  await p.id("forward").click();
  near(await time(), 10);
  await p.id("first").click();
  near(await time(), 0);
  await p.id("time").fill("4.5");
  near(await time(), 4.5);
  assert.equal(await p.id("clock").textContent(), "4.50 s");
  await p.tab.keyboard.press("End");
  near(await time(), 10);
  await p.tab.keyboard.press("Home");
  near(await time(), 0);
  await p.tab.keyboard.press("Shift+ArrowRight");
  near(await time(), 10 * step, 1e-6);
  await p.tab.keyboard.press("ArrowLeft");
  near(await time(), 9 * step, 1e-6);
  await p.id("speed").selectOption("5");
  assert.equal(await p.get("state.speed"), 5);
  await p.id("view").focus();
  await p.tab.keyboard.press("-");
  assert.equal(await p.get("state.speed"), 2);
  await p.tab.keyboard.press("+");
  assert.equal(await p.id("speed").inputValue(), "5");
  await p.id("loop").uncheck();
  await p.id("time").fill("9.6");
  await p.id("play").click();
  await p.tab.waitForFunction(() => !window.page.state.playing);
  near(await time(), 10);
  await p.id("loop").check();
  await p.id("time").fill("9.9");
  await p.id("play").click();
  await p.tab.waitForFunction(() => window.page.motion.time < 5);
  assert.equal(await p.id("play").textContent(), "Pause");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("views, fit, projection, orbit, pan and zoom move the camera and nothing else", async () => {
  const p = await open(FOUR_BAR());
  const eye = () => p.get("camera.toEye()");
  const places = { "+x": [1, 0, 0], "-x": [-1, 0, 0], "+y": [0, 1, 0], "-y": [0, -1, 0], "+z": [0, 0, 1], "-z": [0, 0, -1] };
  let key = 1;
  for (const [name, direction] of Object.entries(places)) {
    await p.tab.locator("[data-view='iso']").click();
    await p.tab.locator(`[data-view='${name}']`).click();
    (await eye()).forEach((x, k) => near(x, direction[k]));
    await p.tab.keyboard.press("0");
    await p.tab.keyboard.press(String(key++));
    (await eye()).forEach((x, k) => near(x, direction[k]));
  }
  const fitted = await p.get("camera.distance");
  const box = await p.id("view").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await p.tab.mouse.move(x, y);
  await p.tab.mouse.wheel(0, 400);
  await p.tab.waitForFunction((d) => window.page.camera.distance > 1.3 * d, fitted);
  await p.tab.keyboard.press("f");
  near(await p.get("camera.distance"), fitted, 1e-9);
  const before = [await eye(), await p.get("camera.target")];
  await p.tab.mouse.down();
  await p.tab.mouse.move(x + 80, y + 30, { steps: 4 });
  await p.tab.mouse.up();
  assert.ok(Math.hypot(...(await eye()).map((v, k) => v - before[0][k])) > 0.3, "orbit");
  near(Math.hypot(...(await p.get("camera.target")).map((v, k) => v - before[1][k])), 0);
  await p.tab.mouse.down({ button: "right" });
  await p.tab.mouse.move(x, y, { steps: 4 });
  await p.tab.mouse.up({ button: "right" });
  assert.ok(Math.hypot(...(await p.get("camera.target")).map((v, k) => v - before[1][k])) > 0.05, "pan");
  assert.equal(await p.get("panel.chosen"), -1, "dragging selects nothing");
  const seen = await p.picture();
  await p.id("projection").click();
  assert.equal(await p.get("camera.parallel"), true);
  assert.ok(difference(seen, await p.picture()) > 0.001, "parallel projection looks the same");
  await p.tab.keyboard.press("p");
  assert.equal(await p.get("camera.parallel"), false);
  assert.ok(difference(seen, await p.picture()) < 1e-4, "the picture of before");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("every switch of what is shown changes the picture and brings it back", async () => {
  const p = await open(page("run", "models/five_link_suspension"));
  await p.id("show-toggle").click();
  for (const [name, least] of [["bodies", 1e-3], ["forces", 1e-3], ["loads", 2e-4], ["centres", 5e-5], ["ground", 1e-3]]) {
    const seen = await p.picture();
    const box = p.tab.locator(`[data-show=${name}]`);
    await box.click();
    assert.ok(difference(seen, await p.picture(), 12) > least, `${name}: nothing has changed`);
    await box.click();
    assert.equal(difference(seen, await p.picture(), 12), 0, name);
  }
  const seen = await p.picture();
  await p.id("arrows").fill("1");
  assert.ok(difference(seen, await p.picture()) > 1e-3, "longer arrows");
  const names = () => p.tab.evaluate(() => { return document.getElementById("overlay").toDataURL(); });
  await p.picture();
  const ink = await names();
  await p.id("view").focus();
  await p.tab.keyboard.press("n");
  await p.picture();
  assert.notEqual(await names(), ink);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("shapes have their colours, groups with switches, and the body as what a click selects", async () => {
  const p = await open(page("run", "models/driven_arm"));
  await p.id("show-toggle").click();
  const gold = (r, g, b) => r > 120 && Math.abs(g / r - 0.763) < 0.06 && Math.abs(b / r - 0.25) < 0.08;
  assert.ok(share(await p.picture(), gold) > 0.005, "the mesh of the forearm");
  for (const name of ["Shapes: stand", "Shapes", "Shapes: payload"]) {
    const seen = await p.picture();
    const box = p.tab.getByLabel(name, { exact: true });
    await box.click();
    assert.ok(difference(seen, await p.picture(), 12) > 2e-3, `${name}: nothing has changed`);
    await box.click();
    assert.equal(difference(seen, await p.picture(), 12), 0, name);
  }
  await p.id("show-toggle").click();
  const [x, y] = await p.get("(() => { const b = document.getElementById('view').getBoundingClientRect(); const a = (n) => motion.world(data.parts.marks.find((m) => data.items[m.i].n === n).at); const [e, f] = [a('elbow'), a('flange')]; const c = camera.pixel(e.map((v, k) => v + 0.4 * (f[k] - v)), b.width, b.height); return [c[0] + b.left, c[1] + b.top]; })()");
  await p.tab.mouse.click(x, y);
  assert.equal(await p.get("data.items[panel.chosen].n"), "forearm");
  // While it plays without a graphics card, small parts are put together into one mesh: the picture is nearly the same, and so is a click.
  const still = await p.picture();
  const moving = await p.get("(() => { renderer.coarse = true; const s = drawing.scene(camera, state.theme); renderer.draw(s); const id = renderer.pick(s, renderer.canvas.width / 2, renderer.canvas.height / 2); return [renderer.canvas.toDataURL(), renderer.batch.count, id]; })()");
  assert.ok(moving[1] > 100, `${moving[1]} corners in one mesh`);
  assert.ok(difference(still, PNG.sync.read(Buffer.from(moving[0].split(",")[1], "base64"))) < 0.01, "another picture");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("modes of a structure show its interfaces and supports", async () => {
  const file = `${folder}/frame.html`;
  ballesta(["modes", "models/structures/space_frame", "--html", file]);
  const p = await open(file);
  const kinds = await p.get("data.parts.flexible[0].signs.map(([, , kind]) => kind)");
  assert.ok(kinds.includes("interface"), kinds.join());
  const seen = await p.picture();
  await p.id("show-toggle").click();
  await p.tab.locator("[data-show=joints]").click();
  assert.ok(difference(seen, await p.picture(), 12) > 2e-4, "no signs");
  await p.tab.locator(".row", { hasText: "interface" }).first().click();
  assert.match(await p.id("info").textContent(), /interface.*at /s);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("dark and light follow the system and the button", async () => {
  const p = await open(FOUR_BAR(), { dark: true });
  const brightness = async () => share(await p.picture(), (r, g, b) => r + g + b > 400);
  assert.ok((await brightness()) < 0.3);
  await p.id("dark").click();
  assert.ok((await brightness()) > 0.6);
  await p.tab.keyboard.press("d");
  assert.ok((await brightness()) < 0.3);
  await p.done();
});

test("tree, plots, search and help open and close", async () => {
  const p = await open(FOUR_BAR());
  for (const [id, key] of [["tree", "t"], ["plots", "g"]]) {
    await p.id(`${id}-toggle`).click();
    assert.equal(await p.id(id).isHidden(), true);
    await p.id("view").focus();
    await p.tab.keyboard.press(key);
    assert.equal(await p.id(id).isVisible(), true);
  }
  await p.id("search").fill("energy");
  assert.equal(await p.tab.locator(".row:visible").count(), 3);
  await p.id("search").fill("");
  assert.ok((await p.tab.locator(".row:visible").count()) > 10);
  await p.id("help").click();
  assert.match(await p.id("keys").textContent(), /play or pause/);
  await p.tab.keyboard.press("Escape");
  assert.equal(await p.tab.evaluate(() => document.getElementById("keys").open), false);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("plots: a click sets the time, a drag zooms, a double click shows all, the legend switches, values follow the pointer", async () => {
  const p = await open(FOUR_BAR());
  const canvas = p.tab.locator(".panel canvas").first();
  const box = await canvas.boundingBox();
  const at = (part) => box.x + 52 + part * (box.width - 60);
  const y = box.y + 80;
  await p.tab.mouse.click(at(0.5), y);
  near(await p.get("motion.time"), 5, 0.05);
  const value = () => p.tab.locator(".legend button b").first().textContent();
  const here = await value();
  await p.tab.mouse.move(at(0.25), y);
  const there = await value();
  assert.notEqual(here, there);
  near(Number(there.replace("−", "-")), await p.get("plots.value(plots.curves[0], 2.5)"), 0.2);
  await p.tab.mouse.down();
  await p.tab.mouse.move(at(0.5), y, { steps: 5 });
  await p.tab.mouse.up();
  const range = await p.get("plots.range");
  near(range[0], 2.5, 0.1);
  near(range[1], 5, 0.1);
  await canvas.dblclick();
  assert.deepEqual((await p.get("plots.range")).map((t) => Math.round(t)), [0, 10]);
  await p.tab.keyboard.down("Shift");
  await p.tab.mouse.wheel(0, -500);
  await p.tab.keyboard.up("Shift");
  await p.tab.waitForFunction(() => window.page.plots.range[1] - window.page.plots.range[0] < 8);
  const ink = () => p.tab.evaluate(() => { const c = document.querySelectorAll(".panel canvas")[1]; return c.toDataURL(); });
  const with_ = await ink();
  await p.tab.locator(".panel").nth(1).locator(".legend button").first().click();
  assert.notEqual(await ink(), with_);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("near-singular instants, new choices of coordinates and a fault are marked on the time line", async () => {
  const marked = (p) => p.tab.evaluate(() => {
    const c = document.getElementById("marks");
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [c.width, c.height];
    const read = copy.getContext("2d", { willReadFrequently: true });
    read.drawImage(c, 0, 0);
    const { data } = read.getImageData(0, 0, c.width, 1);
    return Array.from({ length: c.width }, (_, i) => [...data.slice(4 * i, 4 * i + 4)]).filter((pixel) => pixel[3] > 0);
  });
  const good = await open(FOUR_BAR());
  assert.ok((await marked(good)).some(([r, , b]) => b > r), "new choices");
  assert.match(await good.id("time").getAttribute("title"), /new independent coordinates/);
  await good.done();
  // A guided crank that the coupler cannot follow to its end.
  const model = textFile("fault/model.toml", OUT_OF_REACH);
  const file = `${folder}/fault.html`;
  ballesta(["run", model, "--html", file], 3);
  const p = await open(file);
  assert.match(await p.id("message").textContent(), /^Stopped: /);
  assert.ok((await marked(p)).some(([r, , b]) => r > 150 && b < 100), "the fault");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("sliders move what hangs on their joints, and joints on loops say why they have none", async () => {
  const p = await open(page("view", "models/serial_arm"));
  const hand = () => p.get("motion.positions[data.bodies.indexOf('payload')]");
  const [before, seen] = [await hand(), await p.picture()];
  const slide = (amount) => p.tab.locator("[data-slider=shoulder]").evaluate((input, value) => { input.value = value; input.dispatchEvent(new Event("input")); }, amount);
  await slide(Math.PI / 2);
  const moved = await hand();
  near(Math.hypot(moved[0], moved[1]), Math.hypot(before[0], before[1]), 1e-4);
  near(moved[0] * before[0] + moved[1] * before[1], 0, 1e-3);
  assert.ok(difference(seen, await p.picture()) > 0.003);
  assert.match(await p.id("joints").textContent(), /90\.00°/);
  await p.tab.locator("[data-slider=elbow]").evaluate((input) => { input.value = 1; input.dispatchEvent(new Event("input")); });
  const apart = await p.get("(() => { const elbow = motion.world(data.parts.marks.find((m) => data.items[m.i].n === 'elbow').at); const ends = data.parts.bodies.find((b) => data.items[b.i].n === 'upper').pts; return Math.min(...ends.map((end) => Math.hypot(...motion.world(end).map((x, k) => x - elbow[k])))); })()");
  near(apart, 0, 1e-3);
  await p.tab.locator("[data-slider=elbow]").dblclick();
  await p.tab.locator("[data-slider=shoulder]").dblclick();
  (await hand()).forEach((x, k) => near(x, before[k], 1e-9));
  assert.equal(await p.id("player").isHidden(), true);
  assert.deepEqual(p.said, []);
  await p.done();
  const loop = await open(page("view", "models/four_bar"));
  assert.equal(await loop.tab.locator("[data-slider]").count(), 0);
  assert.match(await loop.id("joints").textContent(), /part of a closed loop: .*A0/);
  await loop.done();
});

test("a flexible body bends with its factor and is coloured by its displacement", async () => {
  const p = await open(page("run", "models/spinup_beam"));
  await p.id("time").fill("7");
  const seen = await p.picture();
  const tip = () => p.get("motion.nodes[0][motion.nodes[0].length - 1]");
  const node = await tip();
  await p.id("show-toggle").click();
  await p.id("factor").fill("0.3");
  const larger = await tip();
  const bent = (n) => Math.hypot(...n.at.map((x, k) => x - n.flat[k]));
  near(bent(larger) / bent(node), 10 ** 0.3, 1e-2);
  assert.ok(difference(seen, await p.picture()) > 1e-3);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("with a recovery file the whole structure has the colours of its stress, or of its displacement", async () => {
  const [rom, recovery] = ["beam.rom.toml", "beam.recovery.toml"].map((name) => `${folder}/${name}`);
  ballesta(["reduce", "models/structures/cantilever_clamped", "-o", rom, "--recovery", recovery, "--no-comparison"]);
  const p = await open(page("run", "models/beam_on_spring", "--recovery", recovery));
  await p.id("time").fill("0.06");
  // The clamped end has the largest stress and no displacement, the tip the other way round.
  const { ends, nodes } = await p.get("motion.stressesOf(0)");
  const largest = await p.get("drawing.largestStress");
  assert.equal(ends.length, 20);
  assert.ok(ends[0][0] > 0.95 * largest && ends[0][0] <= 1.001 * largest, `${ends[0][0]} of ${largest}`);
  ends.slice(1).forEach(([a], k) => near(a / largest, ends[k][1] / largest, 2e-3));
  assert.ok(ends[19][1] < 0.1 * largest && nodes[2] === ends[0][0]);
  const seen = await p.picture();
  await p.id("show-toggle").click();
  const box = p.tab.locator("[data-show=stress]");
  assert.equal(await box.isChecked(), true);
  await box.uncheck();
  assert.ok(difference(seen, await p.picture()) > 1e-4);
  await p.tab.getByText("flexible, 1.35 kg").click();
  assert.match(await p.id("info").textContent(), /greatest stress [\d.]+ MPa beam\[1\]\.start, fibre \w+ at 0\.06/);
  assert.deepEqual(p.said, []);
  await p.done();
  const plain = await open(page("run", "models/beam_on_spring"));
  assert.equal(await plain.tab.locator("[data-show=stress]").count(), 0);
  await plain.done();
});

test("mode shapes are listed, chosen and animated, those of structures, reduced models and models", async () => {
  const rom = `${folder}/frame.rom.toml`;
  ballesta(["reduce", "models/structures/space_frame", "-o", rom, "--no-comparison"]);
  for (const subject of ["models/structures/space_frame", rom, "models/flexible_four_bar"]) {
    const file = `${folder}/modes.html`;
    ballesta(["modes", subject, "--count", "4", "--html", file]);
    const p = await open(file);
    assert.equal(await p.get("state.playing"), true, "it plays from the start");
    await p.id("play").click();
    const rows = await p.tab.locator("#plots .row span").allTextContents();
    assert.ok(rows.length >= 1 && rows.every((row) => / Hz/.test(row)), `${subject}: ${rows.join()}`);
    const [far, size] = await p.get("[(() => { motion.set(0); const a = drawing.places(); motion.set(0.5); return Math.max(...drawing.places().map((b, k) => Math.hypot(...b.map((x, i) => x - a[k][i])))); })(), data.size]");
    // The largest displacement to both sides, that of a mode with a phase a little less.
    assert.ok(far > 0.1 * size && far < 0.19 * size, `${subject}: ${far} of ${size}`);
    // No mode moves a part farther, bending with several waves included.
    const reach = await p.get("motion.modes.shapes.map((_, mode) => { motion.modes.current = mode; const at = (time) => { motion.set(time); return [...drawing.places(), ...motion.middles()]; }; const [a, b] = [at(0), at(0.5)]; return Math.max(...a.map((place, k) => Math.hypot(...place.map((x, i) => x - b[k][i])))); })");
    assert.ok(reach.every((one) => one > 0.01 * size && one < 0.19 * size), `${subject}: ${reach} of ${size}`);
    await p.get("(motion.modes.choose(0, () => {}), 0)");
    await p.get("window.page.go(0)");
    const first = await p.picture();
    await p.id("play").click();
    await p.tab.waitForFunction(() => window.page.motion.time > 0.3 && window.page.motion.time < 0.7);
    await p.id("play").click();
    assert.ok(difference(first, await p.picture()) > 0.002, `${subject} stands still`);
    await p.id("view").focus();
    await p.tab.keyboard.press("ArrowDown");
    assert.equal(await p.get("motion.modes.current"), Math.min(1, rows.length - 1));
    await p.id("show-toggle").click();
    await p.id("amplitude").fill("-1");
    assert.ok((await p.get("motion.modes.amplitude")) < 0.11);
    assert.deepEqual(p.said, []);
    await p.done();
  }
});

test("bodies without shapes are hulls around the places that hold them, or bars", async () => {
  const p = await open(FOUR_BAR());
  const outside = "drawing.hulls.filter(Boolean).length";
  assert.equal(await p.get(outside), 3);
  // Every place lies within the hull: no face of its mesh has it in front.
  const worst = await p.get("Math.max(...data.parts.bodies.map((body, k) => { const { different: c, numbers: n } = renderer.meshes[drawing.hulls[k].name]; const at = (i) => [c[6 * i], c[6 * i + 1], c[6 * i + 2]]; const places = [[0, 0, 0], ...body.pts.map((p) => p[1])]; let worst = -Infinity; for (let f = 0; f < n.length; f += 3) { const [a, b, d] = [at(n[f]), at(n[f + 1]), at(n[f + 2])]; const u = b.map((x, i) => x - a[i]), v = d.map((x, i) => x - a[i]); const w = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]; const long = Math.hypot(...w); if (long < 1e-12) continue; for (const p of places) worst = Math.max(worst, p.reduce((sum, x, i) => sum + (x - a[i]) * w[i], 0) / long); } return worst; }))");
  assert.ok(worst < 0, `a place is ${worst} m outside of the hull`);
  const hulls = await p.picture();
  await p.id("show-toggle").click();
  await p.tab.getByLabel("Bodies as bars").click();
  assert.ok(difference(hulls, await p.picture(), 12) > 1e-3, "bars look like hulls");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("what stands on the ground has a shadow there, below the horizon", async () => {
  const p = await open(page("run", "models/van"));
  const seen = await p.picture();
  const { width, height, data } = seen;
  const grey = (x, y) => data[4 * (Math.round(y) * width + Math.round(x))];
  const spot = (place) => p.get(`(() => { const box = document.getElementById("view").getBoundingClientRect(); const c = camera.pixel(${place}, box.width, box.height); return [c[0] / box.width, c[1] / box.height]; })()`);
  const under = await spot("(() => { const w = motion.world([data.parts.wheels[0].b, data.parts.wheels[0].middles[0]]); return [w[0] - 1.2, w[1] - 0.6, 0]; })()");
  const beside = await spot("(() => { const w = motion.world([data.parts.wheels[0].b, data.parts.wheels[0].middles[0]]); return [w[0] + 3, w[1] - 0.6, 0]; })()");
  const [dark, bright] = [under, beside].map(([x, y]) => grey(x * width, y * height));
  assert.ok(bright - dark > 25, `${dark} in the shadow, ${bright} beside it`);
  await p.id("show-toggle").click();
  await p.tab.getByLabel("Ground", { exact: true }).click();
  assert.ok(difference(seen, await p.picture(), 12) > 0.1);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("what travels is followed, and the road lies below the wheels", async () => {
  const p = await open(page("run", "models/van"));
  assert.equal(await p.get("panel.follow"), true);
  const start = await p.get("camera.target");
  await p.id("last").click();
  const end = await p.get("camera.target");
  assert.ok(end[0] - start[0] > 50, `${end[0] - start[0]} m`);
  assert.equal(await p.get("drawing.surfaces.length"), 1);
  const contacts = await p.get("motion.loads.filter((load) => load.kind === 'contact').map((load) => load.at.map((series) => motion.at(series)))");
  assert.ok(contacts.length === 4 && contacts.every(([, , z]) => Math.abs(z) < 0.01), JSON.stringify(contacts));
  await p.tab.keyboard.press("c");
  await p.id("first").click();
  assert.deepEqual(await p.get("camera.target"), end);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("where bodies touch there are arrows in front of everything, and their sum is the force of the contact", async () => {
  const p = await open(page("run", "models/contacts/tumbling_box.toml"));
  const drawn = () => p.get("(drawing.scene(camera, state.theme), renderer.front.length)");
  const [low, high] = [-1, 1].map((sign) => sign * 2 * 3000 / 16384);
  for (const [time, touches] of [[0.1, 0], [0.24, 1], [2.9, 4]]) {
    await p.get(`page.go(${time})`);
    const sum = await p.get("['x', 'y', 'z'].map((_, k) => motion.loads.filter((load) => load.kind === 'touch').reduce((all, load) => all + motion.at(load.v[k]), 0))");
    const force = await p.get("['x', 'y', 'z'].map((k) => plots.value(plots.curves.find((c) => c.n === `force.${k}`), motion.time))");
    sum.forEach((value, k) => assert.ok(value - force[k] >= 4 * low && value - force[k] <= 4 * high, `${time} s: ${sum} is not ${force}`));
    const there = await p.get("motion.loads.filter((load) => load.kind === 'touch' && Math.hypot(...load.v.map((series) => motion.at(series))) > 1).map((load) => load.at.map((series) => motion.at(series)))");
    assert.equal(there.length, touches);
    there.forEach((place) => near(place[2], 0, 0.02));
  }
  // An impact is a hundred times the weight: its arrow is long, those of a box at rest are points.
  await p.get("page.go(0.24)");
  assert.equal(await drawn(), 2);
  await p.get("page.go(0.1)");
  assert.equal(await drawn(), 0);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("no text of a model gets out of its place", async () => {
  const text = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\\\"\\u2028{{script}}";
  const model = textFile("hostile/model.toml", `[model]\nname = "hostile"\ndescription = "${text}"\n[[body]]\nname = "b"\nmass = 1\ncom = [0.1, 0, 0]\n[[joint]]\nname = "j"\ntype = "revolute"\nbodies = ["ground", "b"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n[[output]]\nname = "angle"\njoint = "j"\nquantity = "position"\ndescription = "${text}"\n`);
  const p = await open(page("run", model));
  const expected = JSON.parse(`"${text}"`);
  assert.equal(await p.id("description").textContent(), expected);
  assert.equal(await p.tab.locator(".row", { hasText: "onerror" }).locator("small").textContent(), expected);
  assert.equal(await p.tab.locator("img").count(), 0);
  assert.equal(await p.tab.locator("script").count(), 2);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a phone's width holds the page", async () => {
  const p = await open(FOUR_BAR(), { width: 390, height: 780 });
  const sizes = await p.get("[document.documentElement.scrollWidth, document.getElementById('view').clientHeight, document.getElementById('play').getBoundingClientRect().bottom]");
  assert.ok(sizes[0] <= 390 && sizes[1] > 220 && sizes[2] <= 780, sizes.join());
  assert.equal(await p.id("tree").isHidden(), true);
  await p.id("tree-toggle").click();
  assert.equal(await p.tab.locator(".row").first().isVisible(), true);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("the truck's page stays below 3 MB for 10 s at 60 frames/s, and says how fast it plays", async (context) => {
  const file = page("run", "models/truck", "--inputs", "models/truck/manoeuvres/slalom.csv", "--stop", "10", "--step", String(1 / 60));
  const size = statSync(file).size;
  const p = await open(file, { width: 1280, height: 800 });
  assert.equal(await p.get("motion.count"), 601);
  await p.tab.keyboard.press("Space");
  const [frames, begin] = [await p.get("state.frames"), Date.now()];
  await p.tab.waitForTimeout(4000);
  const rate = ((await p.get("state.frames")) - frames) / ((Date.now() - begin) / 1000);
  context.diagnostic(`truck: ${(size / 1e6).toFixed(2)} MB, ${rate.toFixed(1)} frames/s in software at 1280 × 800`);
  assert.ok(size < 3e6, `${size} bytes`);
  assert.ok(rate > 1, `${rate} frames/s`);
  assert.ok(!/https?:/.test(readFileSync(file, "utf8")), "an address");
  assert.deepEqual(p.said, []);
  await p.done();
});

/** In every frame of the page until `done` holds: the time of the bodies, that of the cursor, the clock, and the legend in view beside what it should say. */
async function instants(p, done) {
  await p.tab.evaluate(`(() => {
    const { motion, plots, state } = window.page;
    const seen = [];
    window.seen = null;
    const frame = () => {
      const host = plots.host.getBoundingClientRect();
      const inView = ({ canvas }) => { const box = canvas.getBoundingClientRect(); return box.top < host.bottom && box.bottom > host.top; };
      const power = (text) => text.replace("⁻", "-").replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(digit));
      const number = ({ value }) => Number(power(value.textContent.replace("−", "-").replace("·10", "e")));
      const legend = plots.panels.filter(inView).flatMap((entry) => entry.curves.map((curve) => [number(curve),
        plots.value(plots.curves[curve.number], motion.time) * entry.panel.factor]));
      seen.push({ dirty: state.dirty, time: motion.time, cursor: plots.time, clock: document.getElementById("clock").textContent, legend });
      if (${done}) window.seen = seen;
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })()`);
  await p.tab.waitForFunction(() => window.seen);
  return p.tab.evaluate(() => window.seen);
}

function assertOneInstant(seen, digits) {
  assert.ok(seen.every(({ legend }) => legend.length > 0), "a legend is in view");
  for (const { dirty, time, cursor, clock, legend } of seen) {
    assert.equal(dirty, false, `the picture is older than t = ${time}`);
    assert.equal(cursor, time);
    assert.equal(clock, `${time.toFixed(digits)} s`);
    // Four digits.
    for (const [shown, right] of legend) near(shown, right, 6e-4 * Math.abs(right) + 1e-12);
  }
}

test("picture, clock, legend and plots show one instant: while the run plays, after Pause and at its end", async () => {
  const p = await open(FOUR_BAR());
  await p.id("play").click();
  const playing = await instants(p, "seen.length >= 12");
  assert.ok(new Set(playing.map(({ time }) => time)).size > 2, "the run plays");
  assertOneInstant(playing, 2);
  // Whatever is drawn anew is as it was.
  const unchanged = async () => {
    await p.tab.waitForFunction(() => !window.page.state.dirty);
    const before = PNG.sync.read(await p.tab.screenshot());
    await p.get("(plots.draw(), page.go(motion.time))");
    await p.tab.waitForFunction(() => !window.page.state.dirty);
    assert.equal(difference(before, PNG.sync.read(await p.tab.screenshot()), 8), 0);
  };
  for (let k = 0; k < 3; k++) {
    await p.tab.keyboard.press("Space");
    assertOneInstant(await instants(p, "seen.length >= 2"), 2);
    await unchanged();
    await p.tab.keyboard.press("Space");
    await p.tab.waitForTimeout(70);
  }
  await p.tab.keyboard.press("Space");
  await p.id("loop").uncheck();
  await p.id("time").fill("9.8");
  await p.id("play").click();
  assertOneInstant(await instants(p, "!state.playing"), 2);
  near(await p.get("motion.time"), 10);
  assertOneInstant(await instants(p, "seen.length >= 2"), 2);
  await unchanged();
  await p.done();
});
