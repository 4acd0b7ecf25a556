// Development of the page of `ballesta edit` without a build of the program: writes the page from the files of `crates/pictures/viewer`,
// as `crates/pictures/src/page/workshop.rs` does. `node tests/browser/edit_page.mjs MODEL_FOLDER LIBRARY.gz PAGE [WORKER.js]`.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { SCRIPTS, script } from "./refresh.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const viewer = (name) => readFileSync(path.join(root, "crates/pictures/viewer", name), "utf8");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const harmless = (json) => json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Paths of all files in a folder, model.toml first. */
function filesIn(folder, under = "") {
  const names = readdirSync(path.join(folder, under)).sort((a, b) => (b === "model.toml") - (a === "model.toml") || (a < b ? -1 : 1));
  return names.flatMap((name) => {
    const own = under ? `${under}/${name}` : name;
    return statSync(path.join(folder, own)).isDirectory() ? filesIn(folder, own) : [own];
  });
}

const fmuParts = ({ packer, libraries, platforms }) => `<script type="text/plain" id="packer">${packer.toString("base64")}</script>
<script type="text/plain" id="fmu-libraries" data-platforms="${platforms}">${libraries.toString("base64")}</script>
<script type="text/plain" id="packer-worker">${viewer("packer.js")}</script>
`;

/** The page of a folder with `model.toml` (null: an empty page) and a library; `fmu`: { packer, libraries, platforms }. */
export function editPage(folder, library, { worker = viewer("worker.js"), templates = [], fmu = null } = {}) {
  const files = folder ? filesIn(folder).map((name) => [name, readFileSync(path.join(folder, name)).toString("base64")]) : [];
  const schema = JSON.parse(readFileSync(path.join(root, "docs/model.schema.json"), "utf8"));
  const workshop = { version: "0", main: folder ? "model.toml" : null, files, templates, schema };
  const bundle = path.join(root, "crates/pictures/viewer/editor/codemirror.js");
  if (!existsSync(bundle)) throw new Error(`${bundle} is missing: scripts/editor.sh makes it`);
  const [editor, program, style] = [readFileSync(bundle, "utf8"), script([...SCRIPTS, "handles", "download", "edit"]), viewer("style.css") + viewer("edit.css")];
  const words = {
    scripts: `${hash(editor)} ${hash(program)} 'wasm-unsafe-eval'; worker-src blob:`, styles: hash(style), style, workshop: harmless(JSON.stringify(workshop)),
    library: library.toString("base64"), worker, fmu: fmu ? fmuParts(fmu) : "", licenses: "", editor, script: program,
  };
  return viewer("edit.html").replace(/\{\{(\w+)\}\}/g, (_, word) => words[word]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, library, page, worker] = process.argv.slice(2);
  writeFileSync(page, editPage(folder, readFileSync(library), worker ? { worker: readFileSync(worker, "utf8") } : {}));
}
