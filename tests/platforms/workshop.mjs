// Edits models in the WebAssembly library under Node.js, as the worker of a page does.
//
//     node workshop.mjs LIBRARY.wasm.gz
//
// Prints the processor times of the compilations, drawings included. A failed assertion gives exit code 1.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const models = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../models");
const module = new WebAssembly.Module(gunzipSync(readFileSync(process.argv[2])));
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
/** Processor time from a change to the drawing. */
const MAX_VAN_MS = 200;

/** The library with the files of a model. */
function open(name) {
  const wasm = new WebAssembly.Instance(module, {}).exports;
  const hand = (...parts) => {
    let at = wasm.live_buffer(parts.reduce((sum, part) => sum + part.length, 0));
    for (const part of parts) {
      new Uint8Array(wasm.memory.buffer, at, part.length).set(part);
      at += part.length;
    }
  };
  const text = () => decoder.decode(new Uint8Array(wasm.memory.buffer, wasm.live_text(), wasm.live_text_length()).slice());
  const put = (file, bytes) => {
    const name = encoder.encode(file);
    hand(name, typeof bytes === "string" ? encoder.encode(bytes) : bytes);
    wasm.live_file(name.length);
  };
  const drop = (file) => { hand(encoder.encode(file)); wasm.live_drop(); };
  const compile = (carry) => {
    hand(encoder.encode("model.toml"));
    const begin = process.cpuUsage();
    const code = wasm.live_compile(carry);
    const ms = process.cpuUsage(begin).user / 1000;
    return { code, ms, ...JSON.parse(text()) };
  };
  const steps = (count) => { for (let k = 0; k < count; k++) assert.equal(wasm.live_step(), 0, text()); };
  const frame = () => { const at = wasm.live_frame(); return new Float64Array(wasm.memory.buffer, at, wasm.live_frame_length()).slice(); };
  const analyse = (request) => {
    hand(encoder.encode(JSON.stringify({ main: "model.toml", ...request })));
    const code = wasm.live_analyse();
    return { code, text: text() };
  };
  const folder = path.join(models, name);
  const below = (place) => readdirSync(path.join(folder, place)).forEach((file) => {
    const next = place ? `${place}/${file}` : file;
    if (statSync(path.join(folder, next)).isDirectory()) below(next);
    else put(next, readFileSync(path.join(folder, next)));
  });
  below("");
  return { wasm, put, drop, compile, steps, frame, analyse, main: readFileSync(path.join(folder, "model.toml"), "utf8") };
}

for (const name of ["four_bar", "driven_arm", "flexible_slider_crank", "van", "truck", "car"]) {
  const { wasm, put, drop, compile, steps, frame, main } = open(name);
  const first = compile(0);
  assert.equal(first.code, 0, JSON.stringify(first.diagnostics));
  assert.ok(first.data.items.length > 0 && first.outline.length > 0 && first.data.live.pulls.length > 0);
  assert.deepEqual([first.carried.how, first.data.live.model, first.data.live.files], ["start", undefined, undefined]);
  const ms = Math.min(...Array.from({ length: 12 }, () => compile(0).ms));
  assert.ok(name !== "van" || ms < MAX_VAN_MS, `${ms} ms`);

  steps(100);
  const [before, time] = [frame(), wasm.live_time()];
  put("model.toml", `${main}\n# A comment.\n`);
  const same = compile(1);
  assert.deepEqual([same.code, same.carried.how, same.carried.time, wasm.live_start()], [0, "same", time, time]);
  assert.deepEqual(frame(), before);
  put("model.toml", main.replace("description = \"", "description = \"Edited: "));
  const placed = compile(1);
  assert.deepEqual([placed.code, placed.carried.how, wasm.live_start()], [0, "placed", time]);
  const bodies = 7 * first.data.bodies.length;
  frame().forEach((value, k) => assert.ok(k === 0 || k > bodies || Math.abs(value - before[k]) < 1e-9, `${k}`));
  steps(10);

  put("model.toml", main.replace("[experiment]", "[experimnt]"));
  const wrong = compile(1);
  assert.equal(wrong.code, 1);
  assert.ok(wrong.diagnostics.some(({ file, line, found }) => file === "model.toml" && line > 0 && found.includes("experimnt")));
  // The old run goes on.
  steps(10);
  drop("model.toml");
  assert.equal(compile(1).diagnostics[0].line, 0);
  steps(1);
  wasm.live_begin();
  assert.equal(wasm.live_start(), first.data.live.start);
  console.log(`${name}: compiled and drawn in ${first.ms.toFixed(0)} ms, again in ${ms.toFixed(0)} ms, continued in ${placed.ms.toFixed(0)} ms`);
}

// Analyses do not change the session, and a state of the session can be linearized.
const { compile, analyse, steps, frame } = open("four_bar");
assert.deepEqual(analyse({ analysis: "state" }), { code: 1, text: "no model is compiled" });
assert.equal(compile(0).code, 0);
steps(50);
const before = frame();
const { code, text } = analyse({ analysis: "check" });
assert.deepEqual([code, JSON.parse(JSON.parse(text).report).dof], [0, 1]);
const state = JSON.parse(analyse({ analysis: "state" }).text);
const linear = analyse({ analysis: "linearize", state });
assert.equal(linear.code, 0, linear.text);
assert.equal(JSON.parse(JSON.parse(linear.text).report).time_s, 50 * JSON.parse(JSON.parse(text).report).step.communication_s);
assert.deepEqual(frame(), before);
