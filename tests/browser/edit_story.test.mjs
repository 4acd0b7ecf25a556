// The workshop as a new user meets it: an empty page becomes a driven four-bar linkage by keys and mouse alone. The page's own functions
// are only read. Needs the library of pages (scripts/platforms.sh wasm32), and is skipped without it.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { after, before, test } from "node:test";
import { editPage } from "./edit_page.mjs";
import { ballesta, close, difference, folder, launch, open, program, target } from "./support.mjs";

const library = process.env.BALLESTA_LIBRARY || path.join(target, "platforms/wasm32/ballesta.wasm.gz");
const skip = existsSync(library) ? false : `no ${library}: scripts/platforms.sh wasm32 builds it`;
// Screenshots of the stations, for people.
const shots = process.env.BALLESTA_SHOTS;

before(launch);
after(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

const MODEL = `[model]
name = "four_bar"
gravity = [0, -9.81, 0]
step = 1e-3
integrator = "rk4"

[experiment]
stop = 4
step = 1e-2

[points]
crank_pivot = [0, 0, 0]
crank_pin = [0, 0.15, 0]
rocker_pin = [0.4, 0.4, 0]
rocker_pivot = [0.5, 0, 0]

[[body]]
name = "crank"
mass = 1
com = [0, 0.075, 0]
inertia = [0.002, 0.0001, 0.002, 0, 0, 0]

[[body]]
name = "coupler"
mass = 2
com = [0.2, 0.275, 0]
inertia = [0.02, 0.04, 0.06, 0, 0, 0]

[[body]]
name = "rocker"
mass = 2
com = [0.45, 0.2, 0]
inertia = [0.03, 0.002, 0.03, 0, 0, 0]

[[joint]]
name = "drive"
type = "revolute"
bodies = ["ground", "crank"]
point = "crank_pivot"
axis = [0, 0, 1]

[[joint]]
name = "front"
type = "revolute"
bodies = ["crank", "coupler"]
point = "crank_pin"
axis = [0, 0, 1]

[[joint]]
name = "rear"
type = "revolute"
bodies = ["coupler", "rocker"]
point = "rocker_pin"
axis = [0, 0, 1]

[[joint]]
name = "rest"
type = "revolute"
bodies = ["rocker", "ground"]
point = "rocker_pivot"
axis = [0, 0, 1]

[[guided]]
name = "motor"
joint = "drive"
motion = { speed = 6 }

[[output]]
name = "torque"
guided = "motor"
quantity = "effort"
`;
// Ten errors of different kinds, each corrected by one click: what is right, and what is typed.
const ERRORS = [
  ["gravity =", "gravty ="],
  ['"rk4"', '"rk5"'],
  ["[experiment]", "[experimnt]"],
  ["mass = 1\n", 'mass = "1"\n'],
  ["com = [0.2", "con = [0.2"],
  ["[[body]]\nname = \"rocker\"", "[[bodi]]\nname = \"rocker\""],
  ['type = "revolute"\nbodies = ["ground"', 'type = "revolut"\nbodies = ["ground"'],
  ['["crank", "coupler"]', '["crank", "couple"]'],
  ['point = "rocker_pin"', 'point = "rockr_pin"'],
  ['joint = "drive"', 'joint = "drve"'],
];

test("an empty page becomes a driven four-bar linkage by typing, ten corrections by a click, and dragging", { skip }, async () => {
  const file = path.join(folder, "empty.html");
  if (process.env.BALLESTA_VIEWER) writeFileSync(file, editPage(null, readFileSync(library)));
  else ballesta(["edit", "-o", file]);
  const p = await open(file, { width: 1280, height: 800 });
  const shot = async (name) => { if (shots) await p.tab.screenshot({ path: path.join(shots, `${name}.png`) }); };
  const text = () => p.tab.evaluate(() => window.page.edit.files.get("model.toml").text);
  const settled = () => p.tab.waitForFunction(() => {
    const { edit } = window.page;
    return !edit.flying && edit.sent.texts.get(edit.main) === edit.files.get(edit.main).text;
  });
  await shot("1_empty");
  // The gallery has the keyboard: its search finds the blank model.
  await p.tab.keyboard.type("blank");
  await p.tab.keyboard.press("Enter");
  await p.tab.waitForFunction(() => window.page.edit.valid);

  // Type the model with its errors. The editor closes brackets and quotes, and typing over them is the same text.
  const wrong = ERRORS.reduce((words, [right, typed]) => {
    assert.ok(words.includes(right), right);
    return words.replace(right, typed);
  }, MODEL);
  await p.tab.locator(".cm-content").click();
  await p.tab.keyboard.press("Control+a");
  await p.tab.keyboard.press("Delete");
  for (const line of wrong.trimEnd().split("\n")) {
    await p.tab.keyboard.type(line);
    // An open list of completions would take Enter.
    await p.tab.keyboard.press("Escape");
    await p.tab.keyboard.press("Enter");
  }
  assert.equal(await text(), wrong);
  await settled();
  await shot("2_typed");

  // Correct one error after the other by the button next to its message.
  let clicks = 0;
  for (; (await p.id("badge").textContent()) !== "No problems" && clicks < 20; clicks++) {
    if (await p.id("problems").isHidden()) await p.id("badge").click();
    const before = await text();
    await p.tab.locator(".problem .fix").first().click({ timeout: 5000 });
    await p.tab.waitForFunction((old) => window.page.edit.files.get("model.toml").text !== old, before);
    await settled();
  }
  assert.equal(await text(), MODEL);
  assert.equal(clicks, ERRORS.length);

  // It moves: the crank turns by 6 rad/s.
  await p.tab.waitForFunction(() => window.page.data.name === "four_bar" && window.page.motion.time > 0.5);
  await shot("3_moves");

  // Drag a point: the numbers in the text follow, and the picture is another one.
  await p.id("points").click();
  const pin = p.tab.locator('#handles [data-point="rocker_pin"]');
  await pin.waitFor();
  await p.tab.keyboard.press("5");
  const [before, box] = [await p.picture(), await pin.boundingBox()];
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await p.tab.mouse.move(x, y);
  await p.tab.mouse.down();
  for (let k = 1; k <= 5; k++) await p.tab.mouse.move(x + 4 * k, y - 4 * k);
  await p.tab.mouse.up();
  await settled();
  const dragged = await text();
  const [, px, py] = /^rocker_pin = \[(.+), (.+), 0\]$/m.exec(dragged);
  assert.ok(dragged !== MODEL && [px, py].every((number) => Number.isFinite(Number(number))), dragged);
  assert.equal(dragged.replace(/^rocker_pin.*$/m, ""), MODEL.replace(/^rocker_pin.*$/m, ""));
  assert.ok(difference(before, await p.picture()) > 0);
  await p.id("points").click();
  await shot("4_dragged");

  // The program accepts the text, and the linkage turns with it.
  const model = path.join(folder, "four_bar.toml");
  writeFileSync(model, dragged);
  const done = spawnSync(program, ["run", model, "--csv", path.join(folder, "four_bar.csv")], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stdout + done.stderr);
  assert.deepEqual(p.said, []);
  await p.done();
});
