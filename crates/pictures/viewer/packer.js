// The worker of "Download FMU": packs the files of a model in WebAssembly, as `ballesta export` does. The page starts it for one FMU
// and then ends it.

"use strict";

/** Duration between two reports of progress, ms. */
const REPORT_AFTER = 50;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function unpack(compressed) {
  const plain = new Response(new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip")));
  return WebAssembly.compile(await plain.arrayBuffer());
}

/** Makes the FMU; returns the answer for the page. */
async function pack({ packer, libraries, files, main, version, holdMode, reference }) {
  let reported = 0;
  const progress = (row, rows) => {
    const now = performance.now();
    if (now - reported < REPORT_AFTER) return;
    reported = now;
    postMessage({ is: "progress", part: (row + 1) / rows });
  };
  const wasm = new WebAssembly.Instance(await unpack(packer), { page: { pack_progress: progress } }).exports;
  const bytes = (at, length) => new Uint8Array(wasm.memory.buffer, at, length).slice();
  const text = () => decoder.decode(bytes(wasm.pack_text(), wasm.pack_text_length()));
  /** Writes bytes where the library takes them. */
  const hand = (...parts) => {
    let at = wasm.pack_buffer(parts.reduce((sum, part) => sum + part.length, 0));
    for (const part of parts) {
      new Uint8Array(wasm.memory.buffer, at, part.length).set(part);
      at += part.length;
    }
  };
  hand(new Uint8Array(libraries));
  if (wasm.pack_libraries()) throw new Error(text());
  for (const [path, content] of files) {
    const name = encoder.encode(path);
    hand(name, content);
    wasm.pack_file(name.length);
  }
  hand(encoder.encode(main));
  const wrong = wasm.pack_write(version, Number(holdMode), Number(reference));
  const answer = JSON.parse(text());
  return wrong ? { is: "wrong", ...answer } : { is: "packed", fmu: bytes(wasm.pack_fmu(), wasm.pack_fmu_length()), ...answer };
}

onmessage = async ({ data }) => {
  const answer = await pack(data).catch((error) => ({ is: "wrong", error: `The FMU cannot be packed: ${error.message || error}` }));
  postMessage(answer, answer.fmu ? [answer.fmu.buffer] : []);
};
