// Files of a workshop page: paths, archives, and what the browser hands over.

/** Size above which a file is refused, and above which a text is shown on request only; bytes. Number of files that a folder may have. */
const [MAX_FILE, MAX_SHOWN_TEXT, MAX_FILES] = [64e6, 2e6, 2000];
/** Longest path, in characters. */
const MAX_PATH = 200;
/** Files that systems add to folders and archives. */
const SYSTEM_FILE = /(^|\/)(__MACOSX|\.[^/]*|Thumbs\.db|desktop\.ini)(\/|$)/;

const utf8 = new TextEncoder();

/** Text of bytes, or null if they are not text. */
function textOf(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** Number that differs between different texts or bytes (FNV-1a). */
function fingerprint(content) {
  let hash = 0x811c9dc5;
  const at = typeof content === "string" ? (k) => content.charCodeAt(k) : (k) => content[k];
  for (let k = 0; k < content.length; k++) hash = Math.imul(hash ^ at(k), 0x01000193);
  return (hash >>> 0).toString(16);
}

/** A number of bytes for people. */
function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(bytes < 1e4 ? 1 : 0)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

/** What a file is, by the end of its name and its text. */
function kindOf(path, text) {
  const name = path.toLowerCase();
  if (name.endsWith(".rom.toml")) return "reduced-order model";
  if (name.endsWith(".toml")) return text !== null && isModel(text) ? "model" : "subassembly or data";
  if (name.endsWith(".tir")) return "tyre";
  if (name.endsWith(".csv")) return "table";
  if (/\.(obj|stl|gltf|glb)$/.test(name)) return "mesh";
  return text === null ? "binary file" : "text";
}

/** Whether a text has the table `[model]`. */
const isModel = (text) => /^\s*\[\s*model\s*\]/m.test(text);

// Paths.

/** What is wrong with the path of a file, as a sentence; empty if the path is valid. `taken`: paths of the other files. */
function pathProblem(path, taken = []) {
  if (path.trim() === "") return "Write a name for the file.";
  if (path.includes("\\")) return "Write / between folders, not \\.";
  if (/^\/|^[A-Za-z]:/.test(path)) return "Write a path relative to the folder of the model, without a drive or a leading /.";
  const parts = path.split("/");
  if (parts.includes("..")) return "Write a path without “..”: all files are inside the folder of the model.";
  if (parts.some((part) => part === "" || part === ".")) return "Write a path without empty folder names and without “.” folders.";
  // Other systems do not accept these names.
  if (/[\u0000-\u001f<>:"|?*]/.test(path)) return "Write a path without control characters and without < > : \" | ? *";
  if (parts.some((part) => /^ |[ .]$/.test(part))) return "Write names that neither begin with a space nor end with a space or a dot.";
  if (path.length > MAX_PATH) return `Write a path of at most ${MAX_PATH} characters.`;
  const same = taken.find((other) => other.toLowerCase() === path.toLowerCase());
  if (same === path) return `The model has a file ${path} already.`;
  if (same) return `The model has a file ${same} already; many systems do not distinguish capital letters.`;
  if (taken.some((other) => other.startsWith(`${path}/`))) return `${path} is a folder of the model.`;
  const file = taken.find((other) => path.startsWith(`${other}/`));
  return file ? `${file} is a file of the model, not a folder.` : "";
}

/** Files without the folders that all of them are in. */
function withoutTopFolder(files) {
  let all = files;
  for (;;) {
    const [first] = all.length > 0 ? all[0][0].split("/") : [""];
    if (all.length === 0 || !all.every(([path]) => path.startsWith(`${first}/`))) return all;
    all = all.map(([path, bytes]) => [path.slice(first.length + 1), bytes]);
  }
}

/**
 * The model in files: `files` relative to the folder of its main file, `mains` the files that can be the main file, and `left`, the
 * number of files outside of this folder. The folder is the one of the first model.toml from the top.
 */
function modelIn(files) {
  const own = files.filter(([path]) => !SYSTEM_FILE.test(path));
  const depth = (path) => path.split("/").length;
  const named = own.map(([path]) => path).filter((path) => /(^|\/)model\.toml$/.test(path)).sort((a, b) => depth(a) - depth(b));
  const all = named.length > 0 ? own : withoutTopFolder(own);
  const root = named.length > 0 ? named[0].slice(0, -"model.toml".length) : "";
  const inside = all.filter(([path]) => path.startsWith(root)).map(([path, bytes]) => [path.slice(root.length), bytes]);
  const models = inside.filter(([path, bytes]) => /^[^/]+\.toml$/.test(path) && isModel(textOf(bytes) || "")).map(([path]) => path);
  const mains = named.length > 0 ? ["model.toml"] : models;
  return { files: inside, mains, left: all.length - inside.length };
}

// Archives.

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc32(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = CRC[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** A zip archive of [path, bytes], not compressed, dated 1 January 1980. */
function zip(entries) {
  const [parts, directory] = [[], []];
  let offset = 0;
  const record = (signature, fields) => {
    const view = new DataView(new ArrayBuffer(4 + fields.reduce((sum, [size]) => sum + size, 0)));
    view.setUint32(0, signature, true);
    let at = 4;
    for (const [size, value] of fields) {
      if (size === 2) view.setUint16(at, value, true);
      else view.setUint32(at, value, true);
      at += size;
    }
    return new Uint8Array(view.buffer);
  };
  for (const [path, bytes] of entries) {
    const name = utf8.encode(path);
    // Version 2.0, names in UTF-8, stored, time, date, checksum, two sizes, length of the name, no extra field.
    const common = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], [4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, name.length], [2, 0]];
    const head = record(0x04034b50, common);
    directory.push(record(0x02014b50, [[2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), name);
    parts.push(head, name, bytes);
    offset += head.length + name.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = record(0x06054b50, [[2, 0], [2, 0], [2, entries.length], [2, entries.length], [4, size], [4, offset], [2, 0]]);
  const all = [...parts, ...directory, end];
  const out = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of all) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Bytes of a compressed format of the browser: `gzip` or `deflate-raw`. */
async function inflated(bytes, format) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format))).arrayBuffer());
}

/**
 * The files of a zip archive as [path, bytes]: stored or deflated entries, without folders and files of systems. Throws a message for
 * other archives.
 */
async function unzip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const damaged = () => new Error("The file is damaged or is not a zip archive.");
  // The end of the directory is in front of a comment of at most 65535 bytes.
  let end = bytes.length - 22;
  while (end >= Math.max(0, bytes.length - 22 - 65535) && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) throw damaged();
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count > MAX_FILES) throw new Error(`The archive has ${count} files; at most ${MAX_FILES} are accepted.`);
  const files = [];
  try {
    for (let k = 0; k < count; k++) {
      if (view.getUint32(at, true) !== 0x02014b50) throw damaged();
      const [flags, method, sum] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true), view.getUint32(at + 16, true)];
      const [packed, size, offset] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true), view.getUint32(at + 42, true)];
      const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
      const path = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + name)).replace(/\\/g, "/");
      at += 46 + name + extra + comment;
      if (path.endsWith("/") || SYSTEM_FILE.test(path)) continue;
      if (flags & 1) throw new Error(`${path} is encrypted; only archives without a password can be opened.`);
      if (method !== 0 && method !== 8) throw new Error(`${path} uses compression method ${method}; only “deflate” can be opened.`);
      if (size > MAX_FILE) throw new Error(`${path} has ${sizeText(size)}; at most ${sizeText(MAX_FILE)} are accepted.`);
      const from = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
      const content = bytes.slice(from, from + packed);
      const plain = method === 0 ? content : await inflated(content, "deflate-raw");
      if (plain.length !== size || crc32(plain) !== sum) throw new Error(`${path} is damaged: its checksum is wrong.`);
      files.push([path, plain]);
    }
  } catch (error) {
    throw error instanceof RangeError || error instanceof TypeError ? damaged() : error;
  }
  return files;
}

/** The files of `ModelFiles::packed` in base64: a line with paths and lengths, then the contents. */
async function unpacked(base64) {
  const all = await inflated(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)), "gzip");
  const line = all.indexOf(10);
  let at = line + 1;
  return JSON.parse(new TextDecoder().decode(all.subarray(0, line))).map(([path, length]) => [path, all.slice(at, at += length)]);
}

// Files from the user.

/** Path and content of a file of the browser. Throws a message for a file that is too large. */
async function readFile(file, path = file.webkitRelativePath || file.name) {
  if (file.size > MAX_FILE) throw new Error(`${path} has ${sizeText(file.size)}; at most ${sizeText(MAX_FILE)} are accepted.`);
  return [path, new Uint8Array(await file.arrayBuffer())];
}

/** Contents of a list of files, without those of systems. */
function readFiles(files) {
  const wanted = [...files].filter((file) => !SYSTEM_FILE.test(file.webkitRelativePath || file.name));
  if (wanted.length > MAX_FILES) throw new Error(`The folder has ${wanted.length} files; at most ${MAX_FILES} are accepted.`);
  return Promise.all(wanted.map((file) => readFile(file)));
}

/** All dropped files with their paths; `folder`: the name of the folder, if exactly one folder was dropped. */
async function dropped(transfer) {
  // The entries are valid only until the first pause.
  const items = [...transfer.items].filter((item) => item.kind === "file").map((item) => [item.webkitGetAsEntry && item.webkitGetAsEntry(), item.getAsFile()]);
  const files = [];
  const walk = async (entry, path) => {
    if (SYSTEM_FILE.test(path)) return;
    if (entry.isFile) {
      if (files.length === MAX_FILES) throw new Error(`The folder has more than ${MAX_FILES} files.`);
      files.push(await readFile(await new Promise((resolve, reject) => { entry.file(resolve, reject); }), path));
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      // A reader returns its entries in several parts.
      const entries = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
      if (entries.length === 0) return;
      for (const one of entries) await walk(one, `${path}/${one.name}`);
    }
  };
  for (const [entry, file] of items) {
    if (entry) await walk(entry, entry.name);
    else if (file) files.push(await readFile(file));
  }
  const folder = items.length === 1 && items[0][0] && items[0][0].isDirectory ? items[0][0].name : "";
  return { files, folder };
}

/** All files in a folder of the browser: [path, bytes, time of its last change]. */
async function readFolder(handle) {
  const files = [];
  const walk = async (folder, under) => {
    for await (const [name, entry] of folder.entries()) {
      const path = under + name;
      if (SYSTEM_FILE.test(path)) continue;
      if (entry.kind === "directory") await walk(entry, `${path}/`);
      else {
        if (files.length === MAX_FILES) throw new Error(`The folder has more than ${MAX_FILES} files. Open the folder of one model.`);
        const file = await entry.getFile();
        files.push([...await readFile(file, path), file.lastModified]);
      }
    }
  };
  await walk(handle, "");
  return files.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The folder of a path inside a folder of the browser, created if `create`, and the name of the file in it. */
async function folderOf(handle, path, create) {
  const parts = path.split("/");
  const name = parts.pop();
  let folder = handle;
  for (const part of parts) folder = await folder.getDirectoryHandle(part, { create });
  return [folder, name];
}
