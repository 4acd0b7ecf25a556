// The live page: the solver inside, driven by sliders, keys, a gamepad and the pointer; and what was done, repeated by the program.
// Needs the library of pages (scripts/platforms.sh wasm32), and is skipped without it.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { ballesta, close, difference, folder, launch, open, page, program, root, target, textFile } from "./support.mjs";

const library = path.join(target, "platforms/wasm32/ballesta.wasm.gz");
const skip = existsSync(library) ? false : `no ${library}: scripts/platforms.sh wasm32 builds it`;

before(launch);
after(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A live page whose model is paused at its start; a model without inputs has begun to play. */
async function live(model, options) {
  const p = await open(page("view", model, "--live"), options);
  await p.tab.waitForFunction(() => window.page.live.frames > 0);
  if (await p.get("state.playing")) {
    await p.id("first").click();
    // Frames that were on their way come before that of the start.
    await p.tab.waitForTimeout(150);
    await p.tab.waitForFunction(() => window.page.motion.time === window.page.data.live.start);
    await p.get("page.setView('iso')");
  }
  const time = () => p.get("motion.time");
  const reach = (seconds) => p.tab.waitForFunction((t) => window.page.motion.time >= t, seconds);
  const input = (name) => p.get(`page.live.inputs.find((knob) => knob.n === "${name}").value`);
  const at = (body) => p.get(`(() => { const b = data.parts.bodies.find((part) => data.items[part.i].n === "${body}"); const box = document.getElementById("view").getBoundingClientRect(); const c = camera.pixel(motion.world([b.b, [0, 0, 0]]), box.width, box.height); return [c[0] + box.left, c[1] + box.top]; })()`);
  return { ...p, time, reach, input, at };
}

/** Repeats what was done in a page by the program; how many numbers there are, and how many differ. */
async function repeated(p, model) {
  const drive = await p.tab.evaluate(() => window.page.live.ask("drive"));
  const table = await p.tab.evaluate(() => window.page.live.ask("table"));
  const copy = path.join(folder, `copy of ${path.basename(model)}`);
  cpSync(path.join(root, model), copy, { recursive: true });
  const file = drive.pulled ? textFile(path.join(path.basename(copy), "live.toml"), await p.get("data.live.model")) : copy;
  const args = ["run", file, "--stop", String(drive.stop), "--csv", "-", "--quiet"];
  if (drive.inputs) args.push("--inputs", textFile("drive.csv", drive.inputs));
  for (const [name, value] of drive.set) args.push("--set", `${name}=${value}`);
  const rows = (text) => text.trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  const [own, other] = [rows(table), rows(execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] }))];
  assert.equal(own.length, other.length);
  assert.equal(table.split("\n")[0], execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] }).split("\n")[0]);
  let different = 0;
  own.forEach((row, i) => row.forEach((value, k) => { if (!Object.is(value, other[i][k]) && !(value === 0 && other[i][k] === 0)) different++; }));
  return { drive, numbers: own.length * own[0].length, different };
}

test("a model runs at the speed of the clock, in slow motion, and by single steps", { skip }, async () => {
  const p = await live("models/four_bar");
  const before = await p.picture();
  await p.id("play").click();
  const [from, began] = [await p.time(), Date.now()];
  await p.reach(1);
  const factor = ((await p.time()) - from) / ((Date.now() - began) / 1000);
  assert.ok(factor > 0.6 && factor < 1.4, `${factor} × real time`);
  await p.tab.waitForFunction(() => /× real time; up to/.test(document.getElementById("pace").textContent));
  await p.id("speed").selectOption("0.1");
  const slow = await p.time();
  await p.tab.waitForTimeout(1000);
  const moved = (await p.time()) - slow;
  assert.ok(moved > 0.02 && moved < 0.3, `${moved} s in a second of slow motion`);
  await p.id("play").click();
  // What the worker had sent before it heard of the pause.
  await p.tab.waitForTimeout(150);
  const paused = await p.time();
  await p.id("forward").click();
  await p.tab.waitForFunction((t) => Math.abs(window.page.motion.time - t - 0.01) < 1e-9, paused);
  await p.id("back").click();
  await p.tab.waitForFunction((t) => Math.abs(window.page.motion.time - t) < 1e-9, paused);
  assert.ok(difference(before, await p.picture()) > 1e-3, "nothing has moved");
  assert.ok(await p.get("plots.curves[0].v.length > 10"), "the plots have not grown");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a model without inputs plays at once", { skip }, async () => {
  const p = await open(page("view", "models/four_bar", "--live"));
  await p.tab.waitForFunction(() => window.page.motion.time > 0.2);
  assert.equal(await p.get("state.playing"), true);
  assert.equal(await p.id("hint").count(), 0);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a model with inputs shows what drives it until the first key, then the camera follows the vehicle", { skip }, async () => {
  const p = await live("models/van");
  assert.equal(await p.get("state.playing"), false);
  assert.match(await p.id("hint").textContent(), /Press a key to drive.*←→steering wheel.*↑↓speed.*space.*gamepad.*sliders/);
  const inside = await p.get("(() => { const { clientWidth: w } = document.getElementById('view'); const top = document.getElementById('hint').offsetTop; return drawing.places().every((place) => { const at = camera.pixel(place, w, document.getElementById('view').clientHeight); return at[1] < top; }); })()");
  assert.ok(inside, "the hint covers the van");
  const before = await p.get("camera.azimuth");
  await p.tab.keyboard.press("ArrowLeft");
  await p.reach(1);
  assert.equal(await p.id("hint").count(), 0);
  assert.equal(await p.get("state.playing && panel.chase && panel.follow"), true);
  assert.ok(Math.abs((await p.get("camera.azimuth")) - before) > 0.5, "the camera has not gone behind the van");
  assert.ok(Math.abs(Number(await p.tab.locator("#dash output").first().textContent()) - 72) <= 2);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("plots have sensible ranges before there are data, and round-off is drawn as zero", { skip }, async () => {
  const p = await live("models/van");
  const ranges = await p.get("plots.panels.map((entry) => [entry.panel.unit, ...plots.limits(entry, entry.curves).map((value) => value * entry.panel.factor)])");
  for (const [unit, low, high] of ranges) assert.ok(low < high && (unit !== "mm" || high - low <= 200) && (unit !== "m" || high - low < 10), `${low} to ${high} ${unit}`);
  await p.get("page.play(true)");
  await p.reach(0.5);
  // The van drives straight ahead.
  const lateral = await p.get("(() => { const entry = plots.panels[1]; const { v } = plots.curves[entry.curves[0].number]; return [Math.max(...v.map(Math.abs)), ...plots.limits(entry, entry.curves), entry.curves[0].value.textContent]; })()");
  assert.ok(lateral[0] < 1e-9 && lateral[1] < -1e-3 && lateral[2] > 1e-3, `${lateral}`);
  assert.equal(lateral[3], "0");
  await p.done();
});

test("one indicator tells of constraint violation and energy, with the numbers in its title", { skip }, async () => {
  const p = await live("models/four_bar");
  assert.equal(await p.id("health").textContent(), "Health: good");
  assert.match(await p.id("health").getAttribute("title"), /^Constraint violation: .* m \(limit .*\nVelocity violation: .*\nEnergy drift: /);
  const hidden = () => p.get("plots.panels.filter(({ canvas }) => canvas.parentElement.hidden).map(({ curves }) => curves[0].name)");
  assert.deepEqual(await hidden(), ["gap", "velocity_gap", "near_singular"]);
  await p.id("health").click();
  assert.deepEqual(await hidden(), []);
  await p.get("(() => { const { instruments } = page.live; const outputs = plots.curves.map((curve) => curve.v[0]); outputs[instruments.numbers.gap] = 1e-3; instruments.check(outputs, false); })()");
  assert.equal(await p.id("health").textContent(), "Health: warning");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a mechanism stays in the picture until somebody moves the camera", { skip }, async () => {
  const p = await live("models/four_bar");
  const inside = () => p.get(`(() => { const { clientWidth: w, clientHeight: h } = document.getElementById("view"); return drawing.places().every((place) => { const at = camera.pixel(place, w, h); return at && at[0] >= 0 && at[0] <= w && at[1] >= 0 && at[1] <= h; }); })()`);
  assert.ok(await inside());
  const near = await p.get("camera.distance");
  await p.id("play").click();
  await p.reach(2);
  await p.id("play").click();
  await p.tab.waitForTimeout(150);
  assert.ok(await inside(), "it has left the picture");
  const far = await p.get("camera.distance");
  assert.ok(far > 1.05 * near && far < 3 * near, `${near} m, ${far} m`);
  await p.id("view").hover();
  await p.tab.mouse.wheel(0, -1500);
  await p.id("play").click();
  await p.reach(3);
  assert.ok((await p.get("camera.distance")) < 0.3 * far, "the camera has moved by itself");
  assert.deepEqual(p.said, []);
  await p.done();
});

test("who presses play before the library is compiled is heard", { skip }, async () => {
  const p = await open(page("view", "models/van", "--live"));
  await p.id("play").click();
  await p.tab.waitForFunction(() => window.page.motion.time > 0.1);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("going back gives the same outputs, and reset the start", { skip }, async () => {
  const p = await live("models/driven_arm");
  const last = () => p.get("plots.curves.map((curve) => curve.v[curve.v.length - 1])");
  const start = await last();
  await p.id("play").click();
  await p.reach(1.2);
  await p.id("play").click();
  await p.tab.waitForTimeout(100);
  const [end, values] = [await p.time(), await last()];
  await p.id("time").fill("0.5");
  await p.tab.waitForFunction(() => Math.abs(window.page.motion.time - 0.5) < 1e-9);
  const points = Math.round((end - 0.5) / (await p.get("data.live.step")));
  await p.get(`page.live.step(${points})`);
  await p.tab.waitForFunction((t) => window.page.motion.time === t, end);
  assert.deepEqual(await last(), values);
  await p.id("first").click();
  await p.tab.waitForFunction(() => window.page.motion.time === 0);
  assert.deepEqual(await last(), start);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("keys steer and let go, sliders and number fields set inputs, a gamepad is heard", { skip }, async () => {
  const p = await live("models/van");
  const steering = "steering_wheel.angle";
  await p.id("play").click();
  await p.tab.keyboard.down("ArrowLeft");
  await p.tab.waitForFunction((name) => window.page.live.inputs.find((knob) => knob.n === name).value > 0.2, steering);
  await p.tab.keyboard.up("ArrowLeft");
  await p.tab.waitForFunction((name) => window.page.live.inputs.find((knob) => knob.n === name).value === 0, steering);
  const speed = await p.input("target_speed");
  await p.tab.keyboard.down("s");
  await p.tab.waitForFunction((v) => window.page.live.inputs[0].value < v - 1, speed);
  await p.tab.keyboard.up("s");
  await p.tab.keyboard.down(" ");
  await p.tab.waitForFunction(() => window.page.live.inputs.filter((knob) => /brake/.test(knob.n) && knob.value === 1800).length === 4);
  await p.tab.keyboard.up(" ");
  await p.tab.waitForFunction(() => window.page.live.inputs.every((knob) => !/brake/.test(knob.n) || knob.value === 0));
  await p.tab.getByLabel("target_speed, number").fill("12.5");
  await p.tab.getByLabel("target_speed, number").press("Enter");
  assert.equal(await p.input("target_speed"), 12.5);
  await p.id("view").focus();
  await p.tab.evaluate(() => {
    window.stick = -0.5;
    const buttons = Array.from({ length: 16 }, () => ({ value: 0 }));
    Object.defineProperty(navigator, "getGamepads", { value: () => [{ connected: true, axes: [window.stick, 0], buttons }] });
  });
  await p.tab.waitForFunction((name) => { const knob = window.page.live.inputs.find((one) => one.n === name); return Math.abs(knob.value - 0.5 * knob.reach()[1]) < 1e-9; }, steering);
  await p.tab.evaluate(() => { window.stick = 0; });
  await p.tab.waitForFunction((name) => window.page.live.inputs.find((knob) => knob.n === name).value === 0, steering);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a model says with [page] which sliders it has and what drives them", { skip }, async () => {
  const p = await live("models/driven_arm");
  const names = (where) => p.tab.$$eval(where, (labels) => labels.map((label) => label.dataset.input));
  assert.deepEqual(await names("#live > label"), ["yaw.torque", "elbow.torque", "elbow.damping"]);
  assert.deepEqual(await names("#live details label"), ["tool.force.x", "tool.force.y", "tool.force.z", "tool.torque", "elbow.gain"]);
  assert.match(await p.tab.locator("#live summary").textContent(), /^Further inputs and parameters \(5\)$/);
  assert.deepEqual(await p.get("page.live.inputs.slice(0, 2).map((knob) => knob.reach())"), [[-6, 6], [-20, 4]]);
  await p.id("help").click();
  assert.match(await p.id("keys").textContent(), /←, a, left stick left and →, d, left stick rightyaw.torque/);
  await p.tab.locator("#keys button").click();
  await p.id("play").click();
  await p.tab.keyboard.down("d");
  await p.tab.waitForFunction(() => window.page.live.inputs[0].value < -2);
  await p.tab.keyboard.up("d");
  await p.tab.waitForFunction(() => window.page.live.inputs[0].value === 0.4);
  await p.tab.evaluate(() => {
    window.axes = [0, 0, 0, 0.5];
    Object.defineProperty(navigator, "getGamepads", { value: () => [{ connected: true, axes: window.axes, buttons: [] }] });
  });
  await p.tab.waitForFunction(() => Math.abs(window.page.live.inputs[1].value + 2) < 1e-9);
  await p.tab.evaluate(() => { window.axes = [0, 0, 0, -0.5]; });
  await p.tab.waitForFunction(() => Math.abs(window.page.live.inputs[1].value + 14) < 1e-9);
  await p.tab.getByLabel("elbow.damping, number").fill("7");
  await p.tab.getByLabel("elbow.damping, number").press("Enter");
  assert.equal(await p.get("page.live.parameters[0].value"), 7);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("plots reach as far as the outputs between two pictures", { skip }, async (t) => {
  const p = await live("models/flexible_slider_crank");
  await p.id("play").click();
  await p.reach(0.2);
  await p.id("play").click();
  await p.tab.waitForTimeout(150);
  const table = (await p.tab.evaluate(() => window.page.live.ask("table"))).trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  const curves = await p.get("plots.curves.map(({ t, v }) => ({ t: [...t], v: [...v] }))");
  const extent = (values) => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  assert.ok(table.length > 3 * curves[0].t.length, `${table.length} points, ${curves[0].t.length} in a plot`);
  t.diagnostic(`${table.length} points, ${curves[0].t.length} in each of ${curves.length} plots`);
  curves.forEach(({ v }, k) => assert.deepEqual(extent(v), extent(table.map((row) => row[k + 1]))));
  assert.deepEqual(p.said, []);
  await p.done();
});

test("what was driven is saved as a page that plays it without the solver", { skip }, async (t) => {
  const p = await live("models/van");
  await p.id("play").click();
  await p.tab.keyboard.down("ArrowLeft");
  await p.reach(0.6);
  await p.tab.keyboard.up("ArrowLeft");
  await p.reach(1.3);
  await p.get("page.live.seek(0.9)");
  // Until the worker has gone back, the time is the one before.
  await p.tab.waitForFunction(() => window.page.motion.time < 1.1);
  await p.reach(1.2);
  await p.id("play").click();
  await p.tab.waitForTimeout(150);
  const [end, places, ground] = [await p.time(), await p.get("motion.positions"), await p.get("drawing.level")];
  const table = (await p.tab.evaluate(() => window.page.live.ask("table"))).trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  const download = p.tab.waitForEvent("download");
  await p.id("save-replay").click();
  const file = path.join(folder, "replay.html");
  copyFileSync(await (await download).path(), file);
  assert.deepEqual(p.said, []);
  await p.done();
  const text = readFileSync(file, "utf8");
  t.diagnostic(`${text.length} bytes`);
  assert.ok(text.length < 600000 && !text.includes('id="library"'), "the solver is in it");
  const replay = await open(file);
  assert.deepEqual(await replay.get("[data.kind, page.live, motion.count > 60, drawing.level]"), ["run", null, true, ground]);
  await replay.get("page.go(motion.stop)");
  assert.ok(Math.abs((await replay.get("motion.time")) - end) < 1e-6);
  const size = await replay.get("data.size");
  const shown = await replay.get("motion.positions");
  places.forEach((place, body) => place.forEach((x, k) => assert.ok(Math.abs(x - shown[body][k]) <= 1e-5 * size, `body ${body}`)));
  const curves = await replay.get("plots.curves.map((curve) => [[...curve.t], [...curve.v]])");
  curves.forEach(([times, values], k) => {
    const own = table.map((row) => row[k + 1]);
    const range = Math.max(...own) - Math.min(...own);
    assert.equal(values.length, table.length);
    // A range of round-off alone: whole numbers up to 1e15.
    values.forEach((value, i) => assert.ok(Math.abs(value - own[i]) <= range / 65536 + 1e-15 * Math.abs(own[i]) && Math.abs(times[i] - table[i][0]) < 1e-6, `curve ${k} at ${times[i]}`));
  });
  await replay.id("play").click();
  await replay.tab.waitForFunction((stop) => window.page.motion.time > 0.2 && window.page.motion.time < stop, end);
  assert.deepEqual(replay.said, []);
  await replay.done();
});

test("the demo writes a live page where it is asked for one", { skip }, async () => {
  ballesta(["demo", "--live", "--out", path.join(folder, "demo")]);
  const p = await open(path.join(folder, "demo/four_bar.live.html"));
  await p.tab.waitForFunction(() => window.page.motion.time > 0.1);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("the program repeats a drive to the same bits, gone back included", { skip }, async (t) => {
  const p = await live("models/van");
  await p.id("play").click();
  await p.tab.keyboard.down("ArrowLeft");
  await p.reach(0.6);
  await p.tab.keyboard.up("ArrowLeft");
  await p.reach(1);
  await p.get("page.live.seek(0.7)");
  await p.tab.keyboard.down("s");
  await p.reach(1.3);
  await p.tab.keyboard.up("s");
  await p.id("play").click();
  await p.tab.waitForTimeout(150);
  const { drive, numbers, different } = await repeated(p, "models/van");
  t.diagnostic(`${numbers} numbers compared, ${different} different`);
  assert.ok(drive.inputs.split("\n").length > 20 && !drive.pulled && numbers > 10000);
  assert.equal(different, 0);
  const download = p.tab.waitForEvent("download");
  await p.id("save-drive").click();
  copyFileSync(await (await download).path(), path.join(folder, "saved.csv"));
  assert.equal(readFileSync(path.join(folder, "saved.csv"), "utf8"), drive.inputs);
  assert.match(await p.id("message").textContent(), /ballesta run models\/van --inputs van\.drive\.csv --stop /);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a body that is pulled follows, its force is shown, and the program repeats it", { skip }, async (t) => {
  const p = await live("models/driven_arm");
  const rest = await p.get("motion.positions[data.live.pulls[0].b]");
  await p.id("pull").click();
  const eye = await p.get("camera.toEye()");
  const [x, y] = await p.at("upper_arm");
  await p.tab.mouse.move(x, y);
  await p.tab.mouse.down();
  // From here on it moves: on a busy machine it would be elsewhere before the pointer is.
  await p.get("page.play(true)");
  await p.tab.mouse.move(x + 90, y + 40, { steps: 4 });
  await p.tab.waitForFunction(() => window.page.live.pull && Math.hypot(...window.page.live.pull.force) > 1);
  await p.tab.waitForTimeout(500);
  const moved = await p.get("motion.positions[live.pull.body]".replace("live", "page.live"));
  assert.ok(Math.hypot(...moved.map((v, k) => v - rest[k])) > 1e-3, "it has not moved");
  assert.deepEqual(await p.get("camera.toEye()"), eye, "the camera has turned");
  await p.tab.mouse.up();
  await p.tab.waitForFunction(() => !window.page.live.pull);
  await p.tab.waitForTimeout(200);
  await p.id("play").click();
  await p.tab.waitForTimeout(150);
  const { drive, numbers, different } = await repeated(p, "models/driven_arm");
  t.diagnostic(`${numbers} numbers compared, ${different} different`);
  assert.ok(drive.pulled && drive.inputs.includes("pull.upper_arm.x"));
  assert.equal(different, 0);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a click pushes a body for a tenth of a second, and the program repeats it", { skip }, async (t) => {
  const p = await live("models/driven_arm");
  await p.id("play").click();
  await p.reach(0.2);
  // It would have moved on before the pointer is there.
  await p.id("play").click();
  await p.tab.waitForTimeout(150);
  await p.id("push").click();
  const [x, y] = await p.at("forearm");
  await p.tab.mouse.click(x, y);
  await p.tab.waitForFunction(() => window.page.live.pull && Math.hypot(...window.page.live.pull.force) > 1);
  await p.id("play").click();
  await p.tab.waitForFunction(() => !window.page.live.pull);
  const until = await p.time();
  await p.reach(until + 0.3);
  await p.id("play").click();
  await p.tab.waitForTimeout(150);
  const { drive, numbers, different } = await repeated(p, "models/driven_arm");
  t.diagnostic(`${numbers} numbers compared, ${different} different`);
  const rows = drive.inputs.trim().split("\n");
  const column = rows[0].split(",").findIndex((name) => /^pull\..*\.[xyz]$/.test(name));
  const pushed = rows.slice(1).map((row) => row.split(",").map(Number)).filter((row) => row[column] !== 0).map((row) => row[0]);
  assert.ok(column > 0 && Math.abs(pushed[pushed.length - 1] - pushed[0] - 0.1) < 0.011, `${pushed}`);
  assert.equal(different, 0);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a parameter acts at once, and after a reset it is of the whole drive", { skip }, async () => {
  const p = await live("models/driven_arm");
  await p.id("play").click();
  await p.reach(0.3);
  const [name, value] = await p.get("(() => { const knob = page.live.parameters[0]; knob.set(0.5 * knob.value); return [knob.n, knob.value]; })()");
  await p.reach(0.6);
  assert.notEqual((await p.tab.evaluate(() => window.page.live.ask("drive"))).parameters, null);
  await p.id("first").click();
  await p.tab.waitForFunction(() => window.page.motion.time === 0);
  await p.id("play").click();
  await p.reach(0.4);
  await p.id("play").click();
  await p.tab.waitForTimeout(150);
  const { drive, different } = await repeated(p, "models/driven_arm");
  assert.deepEqual(drive.set, [[name, value]]);
  assert.equal(drive.parameters, null);
  assert.equal(different, 0);
  await p.done();
});

test("a fault stops the page with the words of the program", { skip }, async () => {
  const text = /const OUT_OF_REACH: &str = r#"([^]*?)"#/.exec(readFileSync(`${root}/crates/cli/tests/cli/main.rs`, "utf8"))[1];
  const model = textFile("out/model.toml", text);
  const p = await live(model);
  await p.id("speed").selectOption("10");
  await p.id("play").click();
  await p.tab.waitForFunction(() => document.getElementById("message").textContent.startsWith("Stopped: "));
  const { stderr } = spawnSync(program, ["run", model, "--quiet"], { encoding: "utf8" });
  const words = (await p.id("message").textContent()).slice("Stopped: ".length);
  assert.ok(words.length > 20 && stderr.includes(words), `${words}\n${stderr}`);
  assert.equal(await p.get("state.playing"), false);
  await p.id("back").click();
  await p.tab.waitForFunction(() => document.getElementById("message").hidden);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("on a phone everything is in reach, and dark is dark", { skip }, async () => {
  const p = await live("models/van", { width: 390, height: 800, dark: true });
  await p.tab.waitForTimeout(100);
  const sizes = await p.get("[document.documentElement.scrollWidth, document.getElementById('view').clientHeight, ...['play', 'save-drive', 'pull'].map((id) => document.getElementById(id).getBoundingClientRect().right)]");
  assert.ok(sizes[0] <= 390 && sizes[1] >= 220, `${sizes}`);
  assert.ok(sizes.slice(2).every((right) => right > 0 && right <= 390), `${sizes}`);
  assert.ok((await p.picture()).data[0] < 60, "not dark");
  assert.deepEqual(p.said, []);
  await p.done();
});
