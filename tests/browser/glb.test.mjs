// glTF files of runs and starts, checked by the validator of the standard.

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { after, test } from "node:test";
import { ballesta, folder, root } from "./support.mjs";

const validator = createRequire(path.join(root, "target/browser/"))("gltf-validator");
after(() => rmSync(folder, { recursive: true, force: true }));

function json(bytes) {
  assert.equal(bytes.toString("latin1", 0, 4), "glTF");
  return JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12)));
}

async function written(name, args) {
  const file = path.join(folder, `${name}.glb`);
  ballesta([...args, file]);
  const bytes = readFileSync(file);
  const { issues } = await validator.validateBytes(new Uint8Array(bytes));
  const said = issues.messages.map(({ code, message, pointer }) => `${code} ${message} ${pointer}`);
  assert.equal(issues.numErrors, 0, said.join("\n"));
  assert.equal(issues.numWarnings, 0, said.join("\n"));
  return [json(bytes), bytes];
}

const CASES = [
  ["driven_arm", ["run", "models/driven_arm", "--glb"]],
  ["arm at its start", ["view", "models/driven_arm", "-o"]],
  ["four_bar", ["run", "models/four_bar", "--glb"]],
  ["bricard", ["run", "models/bricard", "--glb"]],
  ["spinup_beam", ["run", "models/spinup_beam", "--glb"]],
  ["five_link_suspension", ["run", "models/five_link_suspension", "--glb"]],
  ["van", ["run", "models/van", "--inputs", "models/van/manoeuvres/double_lane_change.csv", "--glb"]],
  ["truck", ["view", "models/truck", "-o"]],
  ["serial_arm", ["run", "models/serial_arm", "--stop", "1", "--glb"]],
  ["rack_steering", ["run", "models/rack_steering", "--glb"]],
  ["swash_plate", ["run", "models/swash_plate", "--stop", "0.2", "--glb"]],
];

for (const [name, args] of CASES) {
  test(`${name} is valid`, async (context) => {
    const [file, bytes] = await written(name, args);
    const channels = file.animations ? file.animations[0].channels.length : 0;
    context.diagnostic(`${(bytes.length / 1e6).toFixed(2)} MB, ${file.nodes.length} nodes, ${channels} channels`);
    assert.equal(channels > 0, args[0] === "run");
    assert.ok(file.meshes.length > 1);
  });
}

test("the nodes of the bodies go where the outputs of the run say, with y upwards", async () => {
  const csv = path.join(folder, "van.csv");
  const [file, bytes] = await written("followed", ["run", "models/four_bar", "--step", "0.02", "--csv", csv, "--glb"]);
  const binary = bytes.subarray(20 + bytes.readUInt32LE(12) + 8);
  const floats = (accessor) => {
    const { byteOffset, byteLength } = file.bufferViews[file.accessors[accessor].bufferView];
    return Array.from({ length: byteLength / 4 }, (_, k) => binary.readFloatLE(byteOffset + 4 * k));
  };
  const node = file.nodes.findIndex((one) => one.name === "left");
  const animation = file.animations[0];
  const channel = (of) => animation.samplers[animation.channels.find(({ target }) => target.node === node && target.path === of).sampler];
  const [times, places, turns] = [floats(channel("translation").input), floats(channel("translation").output), floats(channel("rotation").output)];
  const rows = readFileSync(csv, "utf8").trim().split("\n").map((line) => line.split(","));
  const column = (name) => rows[0].indexOf(name);
  const turned = ([x, y, z, w], [a, b, c]) => {
    const t = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
    return [a + w * t[0] + y * t[2] - z * t[1], b + w * t[1] + z * t[0] - x * t[2], c + w * t[2] + x * t[1] - y * t[0]];
  };
  for (const k of [0, 57, 333, times.length - 1]) {
    const row = rows[1 + Math.round(times[k] / 0.02)];
    // B0 is the end of the left rod, 0.5 m from its centre of mass along its y axis.
    const end = turned(turns.slice(4 * k, 4 * k + 4), [0, 0.5, 0]).map((x, n) => x + places[3 * k + n]);
    ["B0.x", "B0.y", "B0.z"].forEach((name, n) => assert.ok(Math.abs(end[n] - Number(row[column(name)])) < 1e-5, `${name} at ${times[k]} s`));
  }
  const { nodes } = json(readFileSync(path.join(folder, "driven_arm.glb")));
  turned(nodes[0].rotation, [0, 0, 1]).forEach((x, n) => assert.ok(Math.abs(x - [0, 1, 0][n]) < 1e-6, "z becomes y"));
  // The stand is a cylinder from 0.02 m to 0.44 m above the floor, in the node of the ground.
  const ground = nodes.find((one) => one.name === "ground").translation;
  const middle = nodes.find((one) => one.name === "stand").translation.map((x, n) => x + ground[n]);
  middle.forEach((x, n) => assert.ok(Math.abs(x - [0, 0, 0.23][n]) < 1e-6, String(middle)));
});
