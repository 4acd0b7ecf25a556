// Steps models in the WebAssembly library under Node.js, as the worker of a live page does, and writes their outputs bit by bit.
//
//     node gallery.mjs LIBRARY.wasm.gz MODEL.toml POINTS NAME=INDEX:VALUE... > outputs
//
// Files that the model may name are those of its folder. The output is all values at POINTS + 1 points as 64-bit floating-point numbers, little-endian;
// a fault ends them, with its words on stderr and exit code 3.

import { readFileSync, readdirSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

const [library, model, points] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(gunzipSync(readFileSync(library)), {});
const wasm = instance.exports;
const encoder = new TextEncoder();

function hand(...parts) {
  let at = wasm.live_buffer(parts.reduce((sum, part) => sum + part.length, 0));
  for (const part of parts) {
    new Uint8Array(wasm.memory.buffer, at, part.length).set(part);
    at += part.length;
  }
}

const text = () => new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.live_text(), wasm.live_text_length()));

function write(bytes) {
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}

function outputs() {
  const at = wasm.live_outputs();
  write(new Uint8Array(wasm.memory.buffer, at, 8 * wasm.live_output_count()).slice());
}

function end() {
  process.stderr.write(`${text()}\n`);
  process.exit(3);
}

const folder = path.dirname(model);
const files = (below) => readdirSync(path.join(folder, below)).flatMap((name) => {
  const place = below ? `${below}/${name}` : name;
  return statSync(path.join(folder, place)).isDirectory() ? files(place) : [place];
});
for (const place of files("")) {
  const name = encoder.encode(place);
  hand(name, readFileSync(path.join(folder, place)));
  wasm.live_file(name.length);
}
hand(readFileSync(model));
if (wasm.live_open()) end();
if (wasm.live_begin()) end();
outputs();
for (let k = 0; k < Number(points); k++) {
  if (wasm.live_step()) end();
  outputs();
}
