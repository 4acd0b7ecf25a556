// Development without a new build: the program embeds the viewer when it is compiled, and this replaces it in a page by the files of
// `crates/pictures/viewer`, with their hashes in the policy. `BALLESTA_VIEWER=1 node --test tests/browser/…` does so for every page
// that a test opens; `node tests/browser/refresh.mjs PAGE...` for pages on disk.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const viewer = (name) => readFileSync(path.join(root, "crates/pictures/viewer", name), "utf8");
/** The files of the script, in the order of `SCRIPTS` in `crates/pictures/src/page/mod.rs`. */
export const SCRIPTS = ["decode", "vectors", "meshes", "looks", "hull", "motion", "modes", "draw", "render", "plots", "panel", "replay", "instruments", "live", "main"];
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The script of a page from its files. */
export const script = (names) => `\n"use strict";\n(() => {\n${names.map((name) => viewer(`${name}.js`)).join("\n")}\n})();\n`;

/** The page with the present viewer; a page that has it already stays as it is. */
export function refreshed(text) {
  const between = (first, last) => {
    const from = text.lastIndexOf(first) + first.length;
    return text.slice(from, text.indexOf(last, from));
  };
  const replace = (old, now) => { if (old !== now) text = text.replace(old, () => now); };
  const [oldScript, oldStyle, now, style] = [between("<script>", "</script>"), between("<style>", "</style>"), script(SCRIPTS), viewer("style.css")];
  replace(hash(oldScript), hash(now));
  replace(hash(oldStyle), hash(style));
  replace(oldScript, now);
  replace(oldStyle, style);
  const worker = '<script type="text/plain" id="worker">';
  if (text.includes(worker)) replace(between(worker, "</script>"), viewer("worker.js"));
  return text;
}

/** Refreshes a page on disk. */
export function refresh(file) {
  const text = readFileSync(file, "utf8");
  // Pages of edit.html have two scripts: they are assembled by edit_page.mjs.
  if (text.includes('id="workshop"')) return;
  const now = refreshed(text);
  if (now !== text) writeFileSync(file, now);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.argv.slice(2).forEach(refresh);
