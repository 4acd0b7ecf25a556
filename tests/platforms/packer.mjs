// Packs the model of a page of `ballesta edit --with-fmu` under Node.js, with the libraries and the files in the page, as its worker does.
//
//     node packer.mjs PAGE.html FMU.fmu VERSION HOLD_MODE REFERENCE
//
// VERSION is 2 or 3, HOLD_MODE and REFERENCE are 0 or 1. Prints the answer of the library as JSON, and its duration in ms on stderr. A model
// that cannot be packed gives exit code 3.

import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const [page, fmu, ...options] = process.argv.slice(2);
const text = readFileSync(page, "utf8");
/** Text of the element with an id. */
const content = (id) => new RegExp(`<script [^>]*id="${id}"[^>]*>([^<]*)</script>`).exec(text)[1];
const bytes = (base64) => Buffer.from(base64, "base64");

const rows = [];
const imports = { page: { pack_progress: (row, of) => rows.push([row, of]) } };
const { instance } = await WebAssembly.instantiate(gunzipSync(bytes(content("packer"))), imports);
const wasm = instance.exports;
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
const took = (at, length) => new Uint8Array(wasm.memory.buffer, at, length).slice();
const answer = () => decoder.decode(took(wasm.pack_text(), wasm.pack_text_length()));

function hand(...parts) {
  let at = wasm.pack_buffer(parts.reduce((sum, part) => sum + part.length, 0));
  for (const part of parts) {
    new Uint8Array(wasm.memory.buffer, at, part.length).set(part);
    at += part.length;
  }
}

const begin = performance.now();
hand(bytes(content("fmu-libraries")));
if (wasm.pack_libraries()) throw new Error(answer());
const taken = performance.now();
const { main, files } = JSON.parse(content("workshop"));
for (const [path, base64] of files) {
  const name = encoder.encode(path);
  hand(name, bytes(base64));
  wasm.pack_file(name.length);
}
hand(encoder.encode(main));
const wrong = wasm.pack_write(...options.map(Number));
process.stderr.write(`libraries ${Math.round(taken - begin)} ms, all ${Math.round(performance.now() - begin)} ms, ${rows.length} rows\n`);
process.stdout.write(answer());
if (wrong) process.exit(3);
if (rows.some(([row, of], k) => row !== k || of !== rows.length)) throw new Error("the progress has gaps");
writeFileSync(fmu, took(wasm.pack_fmu(), wasm.pack_fmu_length()));
