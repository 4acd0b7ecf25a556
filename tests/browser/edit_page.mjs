// Development of the page of `ballesta edit` without a build of the program: writes the page from the files of `crates/pictures/viewer`,
// as `crates/pictures/src/page/workshop.rs` does. `node tests/browser/edit_page.mjs MODEL_FOLDER LIBRARY.gz PAGE [WORKER.js]`.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { SCRIPTS, script } from "./refresh.mjs";

/** The files of the workshop, in the order of `EDIT_SCRIPTS` in `crates/pictures/src/page/workshop.rs`. */
const EDIT_SCRIPTS = ["handles", "analyses", "files", "records", "gallery", "panel_files", "download", "edit"];

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

/** The templates of models; `write(name)` writes a template and returns its folder. */
export function templatesOf(write) {
  const source = readFileSync(path.join(root, "crates/run/src/templates.rs"), "utf8");
  const names = readdirSync(path.join(root, "crates/pictures/viewer/templates")).map((file) => file.replace(".webp", ""));
  const found = [...source.matchAll(/template\(\s*"([^"]+)",\s*"([^"]+)"/g)].filter(([, name]) => names.includes(name));
  return found.map(([, name, description]) => {
    const folder = write(name);
    // The program writes schemas for text editors next to the files.
    const own = filesIn(folder).filter((file) => !file.endsWith(".schema.json"));
    const files = own.map((file) => [file, readFileSync(path.join(folder, file)).toString("base64")]);
    const picture = readFileSync(path.join(root, "crates/pictures/viewer/templates", `${name}.webp`)).toString("base64");
    return { name, description, main: "model.toml", files, picture: `data:image/webp;base64,${picture}` };
  });
}

/** Gallery models of the folder `models` as `ModelFiles::packed` writes them, with all files of their folders. */
export function galleryOf(names) {
  return names.map((name) => {
    const folder = path.join(root, "models", name);
    const contents = filesIn(folder).map((file) => [file, readFileSync(path.join(folder, file))]);
    const index = Buffer.from(`${JSON.stringify(contents.map(([file, bytes]) => [file, bytes.length]))}\n`);
    const picture = readFileSync(path.join(root, "docs/pictures/gallery", `${name}.webp`)).toString("base64");
    const description = /^description = "(.*)"/m.exec(readFileSync(path.join(folder, "model.toml"), "utf8"))[1];
    const packed = gzipSync(Buffer.concat([index, ...contents.map(([, bytes]) => bytes)])).toString("base64");
    return { name, description, main: "model.toml", picture: `data:image/webp;base64,${picture}`, packed };
  });
}

const fmuParts = ({ packer, libraries, platforms }) => `<script type="text/plain" id="packer">${packer.toString("base64")}</script>
<script type="text/plain" id="fmu-libraries" data-platforms="${platforms}">${libraries.toString("base64")}</script>
<script type="text/plain" id="packer-worker">${viewer("packer.js")}</script>
`;

/** The page of a folder with `model.toml` (null: an empty page) and a library; `fmu`: { packer, libraries, platforms }. */
export function editPage(folder, library, { worker = viewer("worker.js"), templates = [], gallery = [], fmu = null } = {}) {
  const files = folder ? filesIn(folder).map((name) => [name, readFileSync(path.join(folder, name)).toString("base64")]) : [];
  const schema = JSON.parse(readFileSync(path.join(root, "docs/model.schema.json"), "utf8"));
  const workshop = { version: "0", main: folder ? "model.toml" : null, files, templates, gallery, schema };
  const bundle = path.join(root, "crates/pictures/viewer/editor/codemirror.js");
  if (!existsSync(bundle)) throw new Error(`${bundle} is missing: scripts/editor.sh makes it`);
  const [editor, program, style] = [readFileSync(bundle, "utf8"), script([...SCRIPTS, ...EDIT_SCRIPTS]), viewer("style.css") + viewer("edit.css")];
  const fill = (text, words) => text.replace(/\{\{(\w+)\}\}/g, (_, word) => words[word]);
  // The parts of the frame: each begins with a comment, the name of its place.
  const parts = Object.fromEntries(viewer("edit.html").split(/^<!-- (\w+) -->\n/m).slice(1).reduce((pairs, text, k, all) => (k % 2 ? [...pairs, [all[k - 1], text]] : pairs), []));
  const contents = fill(parts.contents, { workshop: harmless(JSON.stringify(workshop)), library: library.toString("base64"), worker, fmu: fmu ? fmuParts(fmu) : "", licenses: "", editor });
  return fill(viewer("index.html"), {
    ...parts, contents, title: "ballesta workshop", body: ' class="edit"',
    scripts: `${hash(editor)} ${hash(program)} 'wasm-unsafe-eval'; worker-src blob:`, styles: hash(style), style, script: program,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, library, page, worker] = process.argv.slice(2);
  writeFileSync(page, editPage(folder, readFileSync(library), worker ? { worker: readFileSync(worker, "utf8") } : {}));
}
