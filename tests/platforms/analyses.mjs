// Analyses of a model by the WebAssembly library under Node.js, as in the second worker of a page.
//
//     node analyses.mjs LIBRARY.wasm.gz MODEL_FOLDER REQUEST...
//
// Prints the report of every request, a JSON object, as one JSON list. A refused request has the entry {"error": message}.

import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

const [library, folder, ...requests] = process.argv.slice(2);
const wasm = new WebAssembly.Instance(new WebAssembly.Module(gunzipSync(readFileSync(library))), {}).exports;
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

function hand(...parts) {
  let at = wasm.live_buffer(parts.reduce((sum, part) => sum + part.length, 0));
  for (const part of parts) {
    new Uint8Array(wasm.memory.buffer, at, part.length).set(part);
    at += part.length;
  }
}

function put(place) {
  for (const file of readdirSync(path.join(folder, place))) {
    const next = place ? `${place}/${file}` : file;
    if (statSync(path.join(folder, next)).isDirectory()) put(next);
    else {
      const name = encoder.encode(next);
      hand(name, readFileSync(path.join(folder, next)));
      wasm.live_file(name.length);
    }
  }
}

put("");
const reports = requests.map((request) => {
  hand(encoder.encode(JSON.stringify({ main: "model.toml", ...JSON.parse(request) })));
  const wrong = wasm.live_analyse();
  const text = decoder.decode(new Uint8Array(wasm.memory.buffer, wasm.live_text(), wasm.live_text_length()));
  return wrong ? { error: text } : JSON.parse(JSON.parse(text).report);
});
process.stdout.write(JSON.stringify(reports));
