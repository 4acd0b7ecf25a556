// The workshop: the text of a model next to its picture. The worker compiles the model after every change. A valid model replaces the
// picture. The problems of an invalid one are marked in the text, and the last valid model continues.

/** Delay from the last key to the compilation and to storing, ms; duration after which a compilation can be stopped, ms. */
const [COMPILE_AFTER, STORE_AFTER, SLOW] = [120, 400, 4000];
/** Header of a table, with its path. */
const TABLE = /^\s*\[\[?\s*([A-Za-z_][\w.-]*)\s*\]\]?\s*(#.*)?$/;
/** Text of a new file. */
const NEW_MODEL = '[model]\nname = "model"\ngravity = [0, 0, -9.81]\nstep = 1e-3\nintegrator = "rk4"\n\n[experiment]\nstart = 0\nstop = 10\nstep = 1e-2\n';

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

/** Number that differs between different texts (FNV-1a). */
function fingerprint(text) {
  let hash = 0x811c9dc5;
  for (let k = 0; k < text.length; k++) hash = Math.imul(hash ^ text.charCodeAt(k), 0x01000193);
  return (hash >>> 0).toString(16);
}

// The text.

/** First and last line of the table around a line: from its header up to the comments above the next one. Lines are counted from 1. */
function tableAround(lines, line) {
  let from = Math.min(line, lines.length);
  while (from > 1 && !TABLE.test(lines[from - 1])) from--;
  const path = (TABLE.exec(lines[from - 1]) || [])[1];
  let to = from;
  for (let k = from + 1; k <= lines.length; k++) {
    const next = TABLE.exec(lines[k - 1]);
    if (next && !(path && next[1].startsWith(`${path}.`))) break;
    if (!/^\s*(#.*)?$/.test(lines[k - 1])) to = k;
  }
  return [from, to];
}

/** Converts lines of one version of a text to lines of another, which differs in one place. */
function lineMap(before, after) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return (line) => {
    if (line <= head) return line;
    if (line > a.length - tail) return line + b.length - a.length;
    return Math.min(line, b.length - tail);
  };
}

/** First and last column of the string or word at a column: [from, to), in characters from 1. */
function tokenAt(characters, column) {
  const first = column - 1;
  const quote = characters[first];
  let end = first;
  if (quote === '"' || quote === "'") {
    for (end++; end < characters.length && characters[end] !== quote; end++) if (characters[end] === "\\" && quote === '"') end++;
    end++;
  } else while (end < characters.length && /[\w.+-]/.test(characters[end])) end++;
  return [column, Math.max(end, first + 1) + 1];
}

/** The replacements that a message proposes: "did you mean `mass`?", a missing character, a number in quotes. */
function fixesOf({ line, column, found, expected }, text) {
  const content = text === null || line < 1 ? undefined : text.split("\n")[line - 1];
  if (content === undefined) return [];
  const characters = [...content];
  const missing = /^TOML expects `([\]"'}=])` here$/.exec(expected);
  if (missing) return [{ label: `Insert ${missing[1]}`, from: { line, column }, to: { line, column }, text: missing[1] }];
  if (expected === "write the number without quotes") {
    const [from, to] = tokenAt(characters, column);
    const number = characters.slice(from, to - 2).join("");
    return [{ label: `Replace by ${number}`, from: { line, column: from }, to: { line, column: to }, text: number }];
  }
  const meant = /did you mean ([`"])(.+?)\1/.exec(expected);
  if (!meant) return [];
  const said = (/[`"](.+?)[`"]/.exec(found) || [])[1];
  const bare = (from, to) => characters.slice(from - 1, to - 1).join("").replace(/^(["'])(.*)\1$/, "$2");
  let [from, to] = tokenAt(characters, column);
  if (said && bare(from, to) !== said) {
    // The position is the one of a whole array or table: the word is within the line.
    const at = characters.findIndex((_, k) => bare(...tokenAt(characters, k + 1)) === said);
    if (at < 0) return [];
    [from, to] = tokenAt(characters, at + 1);
  }
  const quote = /["']/.test(characters[from - 1]) ? characters[from - 1] : "";
  return [{ label: `Replace by ${meant[2]}`, from: { line, column: from }, to: { line, column: to }, text: quote + meant[2] + quote }];
}

/** A message as text, without its place. */
const wordsOf = ({ key, found, expected }) => `${key ? `${key}: ` : ""}${found}${expected ? `; ${expected}` : ""}`;

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

/** A button. */
function button(text, act, title = "") {
  const made = document.createElement("button");
  made.textContent = text;
  made.title = title;
  made.addEventListener("click", act);
  return made;
}

// The page.

class Workshop {
  constructor(page) {
    Object.assign(this, {
      page, main: null, files: new Map(), editors: new Map(), shown: null,
      // Number of the last compilation, its texts, whether its answer is pending, and the files to send with the next one.
      rev: 0, sent: null, flying: false, again: false, ready: false, put: new Set(), drop: new Set(), carry: "start",
      // The texts and positions of the valid model on show, and the problems of the present text.
      valid: null, problems: [], checked: null, quiet: false, temporary: new Map(), typed: 0, redraw: null, leads: "text",
    });
    this.key = `ballesta edit ${location.pathname} ${fingerprint(JSON.stringify([page.main, page.files]))}`;
    this.original = new Map(page.files.map(([path, base64]) => [path, this.file(base64)]));
    this.handles = new Handles(this);
    this.fmu = new FmuDownload(this);
    this.listen();
    this.readsAsViewer();
    this.start();
    const stored = this.stored();
    if (stored) this.take(stored.main, new Map(stored.files.map(([path, text]) => [path, text === null ? this.original.get(path) : { text, bytes: null }])));
    else if (page.main) this.take(page.main, this.original);
    else this.chooseTemplate();
    if (stored) this.notice(`Restored your changes of ${new Date(stored.saved).toLocaleString()} from this browser.`);
  }

  file(base64) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return { text: textOf(bytes), bytes };
  }

  bytes(path) {
    const { text, bytes } = this.files.get(path);
    return text === null ? bytes : utf8.encode(text);
  }

  /** Makes a saved replay a page of the viewer alone. */
  readsAsViewer() {
    for (const where of ["#workshop", "#licenses", "#text", "#splitter", "#tools", "#templates", "#stale", "#handles", "script:not([type])"]) read.querySelector(where).remove();
    read.querySelectorAll("#fmu-dialog, #packer, #packer-worker, #fmu-libraries").forEach((node) => node.remove());
    read.querySelector("body").classList.remove("edit");
    const holder = document.createElement("script");
    Object.assign(holder, { type: "application/json", id: "data" });
    read.querySelector("#library").before(holder);
  }

  // Files.

  /** Takes other files in place of all present ones. */
  take(main, files) {
    this.handles.set(false);
    for (const path of this.files.keys()) if (!files.has(path)) this.drop.add(path);
    this.files = new Map([...files].map(([path, file]) => [path, { ...file }]));
    this.main = main;
    for (const path of this.files.keys()) {
      this.put.add(path);
      this.drop.delete(path);
    }
    for (const { host } of this.editors.values()) host.remove();
    this.editors.clear();
    this.carry = "start";
    this.open(main);
    this.schedule(0);
  }

  /** Shows a file; returns its editor, null for a file that is not text. */
  open(path) {
    let entry = this.editors.get(path);
    if (!entry) {
      const host = document.createElement("div");
      element("editors").append(host);
      const { text, bytes } = this.files.get(path);
      entry = { host, editor: null };
      if (text === null) {
        const note = document.createElement("p");
        note.textContent = `This file is not text (${bytes.length} bytes).`;
        host.append(note);
      } else {
        entry.editor = Codemirror.create(host, {
          text, schema: path.endsWith(".toml") ? this.page.schema : undefined, names: () => this.names(),
          onChange: (now) => this.change(path, now),
          onCursor: (line) => this.cursor(path, line),
        });
        this.editors.set(path, entry);
        this.underline(path);
      }
      this.editors.set(path, entry);
    }
    for (const [other, { host }] of this.editors) host.hidden = other !== path;
    this.shown = path;
    this.tabs();
    return entry.editor;
  }

  /** Shows which files there are, which is on show, which have problems, and which differ from those of the page. */
  tabs() {
    const host = element("tabs");
    const paths = [...this.files.keys()];
    if ([...host.children].map((tab) => tab.textContent).join("\n") !== paths.join("\n")) {
      host.replaceChildren(...paths.map((path) => {
        const tab = button(path, () => this.open(path), path === this.main ? "The main file of the model" : "");
        tab.setAttribute("role", "tab");
        return tab;
      }));
    }
    const wrong = new Set(this.problems.map(({ file }) => file));
    [...host.children].forEach((tab, k) => {
      const [path, selected] = [paths[k], tab.getAttribute("aria-selected") === "true"];
      tab.setAttribute("aria-selected", String(path === this.shown));
      tab.classList.toggle("wrong", wrong.has(path));
      tab.classList.toggle("changed", this.isChanged(path));
      if (path === this.shown && !selected) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  }

  isChanged(path) {
    const [now, first] = [this.files.get(path), this.original.get(path)];
    return !first || now.text !== first.text;
  }

  /** Names of the valid model by the table that has them, for completion. */
  names() {
    const names = {};
    for (const { k, n } of this.valid ? this.valid.outline : []) {
      const table = k.replace(/\[\d+\]$/, "").replace(/^.*\./, "");
      (names[table] = names[table] || []).push(n);
    }
    return names;
  }

  change(path, text) {
    this.files.get(path).text = text;
    this.put.add(path);
    this.typed = performance.now();
    this.leads = "text";
    this.checked = null;
    this.schedule(COMPILE_AFTER);
    clearTimeout(this.storing);
    this.storing = setTimeout(() => this.store(), STORE_AFTER);
  }

  // Storage in the browser.

  stored() {
    try {
      const found = JSON.parse(localStorage.getItem(this.key));
      const known = ([path, text]) => typeof path === "string" && (typeof text === "string" || this.original.has(path));
      return found && Array.isArray(found.files) && found.files.every(known) && found.files.some(([path]) => path === found.main) ? found : null;
    } catch {
      return null;
    }
  }

  store() {
    this.tabs();
    const same = this.main === this.page.main && this.files.size === this.original.size && ![...this.files.keys()].some((path) => this.isChanged(path));
    try {
      if (same) localStorage.removeItem(this.key);
      else localStorage.setItem(this.key, JSON.stringify({ saved: Date.now(), main: this.main, files: [...this.files].map(([path, { text }]) => [path, text]) }));
      if (!same && !this.told) this.notice("Your changes are stored in this browser only. Download the files to keep a copy.");
    } catch {
      if (!this.told) this.notice("This browser cannot store your changes. Download the files before you close the page.");
    }
    this.told = true;
  }

  notice(text) {
    element("notice").firstElementChild.textContent = text;
    element("notice").hidden = false;
    element("discard").hidden = !this.page.main;
  }

  /** Returns to the files of the page; each text can be restored by Undo. */
  discard() {
    element("notice").hidden = true;
    const texts = [...this.files.keys()].every((path) => this.original.has(path)) && this.files.size === this.original.size;
    if (!texts) this.take(this.page.main, this.original);
    else {
      for (const path of this.files.keys()) {
        if (!this.isChanged(path)) continue;
        this.open(path).replace({ line: 1, column: 1 }, { line: 1e9, column: 1e9 }, this.original.get(path).text);
      }
    }
    this.carry = "start";
    this.schedule(0);
    this.store();
  }

  download() {
    const name = (data.name || "model").replace(/[^\w.-]+/g, "_");
    save(`${name}.zip`, zip([...this.files.keys()].map((path) => [`${name}/${path}`, this.bytes(path)])), "application/zip");
  }

  // Compilation.

  start() {
    solver = new Solver(this);
    this.ready = false;
    this.status("The solver starts …");
    const library = Solver.library();
    solver.post({ do: "library", library }, [library]);
  }

  schedule(after) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.compile(), after);
  }

  /** Compiles the present text. If an answer is pending, the newest text is compiled after it. */
  compile() {
    if (!this.ready || !this.main) return;
    if (this.flying) {
      this.again = true;
      return;
    }
    // During a drag the text of the editor is not yet changed.
    const temporary = (path, text) => this.temporary.get(path) ?? text;
    const put = [...this.put].map((path) => [path, this.temporary.has(path) ? utf8.encode(this.temporary.get(path)) : this.bytes(path)]);
    if (put.length + this.drop.size > 0) solver.post({ do: "files", put, drop: [...this.drop] });
    this.put.clear();
    this.drop.clear();
    this.sent = { main: this.main, texts: new Map([...this.files].map(([path, { text }]) => [path, temporary(path, text)])) };
    this.flying = true;
    this.asked = performance.now();
    solver.post({ do: "compile", rev: ++this.rev, main: this.main, carry: this.handles.on ? "start" : this.carry });
    this.slow = setTimeout(() => this.status("The compilation is slow. Click to stop it.", () => this.stop()), SLOW);
  }

  /** Ends a compilation that takes too long: the worker is replaced. */
  stop() {
    solver.worker.terminate();
    if (live) live.end();
    this.answered();
    this.again = false;
    this.start();
    for (const path of this.files.keys()) this.put.add(path);
    [this.carry, this.stopped] = ["start", true];
    play(false);
    this.status("Stopped. Change the text to compile again.");
  }

  answered() {
    clearTimeout(this.slow);
    this.flying = false;
    if (this.again) this.schedule(0);
    this.again = false;
  }

  on_ready() {
    this.ready = true;
    if (!this.stopped) {
      this.status("");
      this.compile();
    }
    this.stopped = false;
  }

  on_compiled({ rev, ms, data: model, outline, points, carried }) {
    if (rev !== this.rev) return;
    this.answered();
    const first = !this.valid;
    this.valid = { rev, outline, points, texts: this.sent.texts };
    [this.carry, this.checked] = ["keep", null];
    this.setProblems([]);
    load(model, { rev, carried });
    document.title = data.name;
    this.handles.show();
    if (this.handles.on && carried.how !== "start") toStart();
    if (first && data.live.inputs.length === 0 && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) play(true);
    this.status(this.failure || (carried.how === "start" && carried.why ? `Restarted: ${carried.why}` : ""));
    this.failure = "";
    if (this.leads === "text" && this.line) this.cursor(this.shown, this.line);
    else this.mark(panel.chosen);
    const [asked, typed, { frames }] = [this.asked, this.typed, state];
    const drawn = () => {
      if (state.frames === frames && renderer) return requestAnimationFrame(drawn);
      this.redraw = { compile: ms, answer: performance.now() - asked, key: typed ? performance.now() - typed : null };
      return undefined;
    };
    requestAnimationFrame(drawn);
  }

  on_wrong({ rev, diagnostics }) {
    if (rev !== this.rev) return;
    this.answered();
    // The problems of a text that is not in the editor are not listed.
    if (this.temporary.size > 0) return this.status(`Not possible here: ${wordsOf(diagnostics[0])}`, null, true);
    return this.setProblems(diagnostics);
  }

  /** If the instance of the solver failed (`lost`), the model is compiled again. */
  on_fault(message) {
    if (message.lost) {
      this.carry = "start";
      // The text may be good if only the run has failed.
      if (!this.flying) {
        this.failure = `Restarted: ${message.text}`;
        this.schedule(0);
      }
    }
    if (live && live.rev === message.rev) live.on_fault(message);
  }

  on_checked({ rev, check }) {
    if (!this.valid || rev !== this.valid.rev) return;
    this.checked = check;
    this.list();
    element("problems").hidden = false;
  }

  // Problems.

  setProblems(problems) {
    this.problems = problems;
    if (!this.valid) element("name").textContent = this.main;
    for (const path of this.editors.keys()) this.underline(path);
    this.tabs();
    this.list();
    const badge = element("badge");
    badge.textContent = problems.length === 0 ? "No problems" : `${problems.length} problem${problems.length > 1 ? "s" : ""}`;
    badge.classList.toggle("wrong", problems.length > 0);
    if (problems.length === 0) return this.status("");
    const [first] = problems;
    const where = first.line > 0 ? `${first.file === this.main ? "" : `${first.file}, `}line ${first.line} has an error` : first.found;
    return this.status(`${this.valid ? "Shows the last valid model" : "No valid model yet"}: ${where}`, () => this.goTo(first), true);
  }

  /** Underlines the problems of a file, unless its text has changed since they were found. */
  underline(path) {
    const entry = this.editors.get(path);
    if (!entry || !entry.editor || !this.sent || this.sent.texts.get(path) !== this.files.get(path).text) return;
    const { text } = this.files.get(path);
    entry.editor.setDiagnostics(this.problems.filter((problem) => problem.file === path && problem.line > 0).map((problem) => {
      const { line, column } = problem;
      return { line, column, severity: "error", message: wordsOf(problem), fixes: fixesOf(problem, text) };
    }));
  }

  /** Lists the problems and the result of the check below the text. */
  list() {
    const host = element("problems");
    const rows = this.problems.map((problem) => {
      const row = document.createElement("div");
      row.className = "problem";
      const place = document.createElement("b");
      place.textContent = problem.line > 0 ? `${problem.file}:${problem.line} ` : `${problem.file} `;
      const go = button("", () => this.goTo(problem), "Show in the text");
      go.append(place, wordsOf(problem));
      row.append(go, ...fixesOf(problem, (this.files.get(problem.file) || { text: null }).text).map((fix) => {
        const made = button(fix.label, () => this.fix(problem.file, fix));
        made.className = "fix";
        return made;
      }));
      return row;
    });
    const heading = (text) => Object.assign(document.createElement("h2"), { textContent: text });
    const words = (text, good = false) => Object.assign(document.createElement("p"), { textContent: text, className: good ? "good" : "" });
    if (rows.length > 0) rows.unshift(heading("Problems"));
    if (this.checked) rows.push(heading("Check"), ...checkLines(this.checked).map(([text, good]) => words(text, good)));
    host.replaceChildren(...(rows.length > 0 ? rows : [words("No problems.", true)]));
    if (this.problems.length > 0) this.showProblems(true);
    else if (!this.checked && !this.pinned) this.showProblems(false);
  }

  showProblems(on) {
    element("problems").hidden = !on;
    element("badge").setAttribute("aria-pressed", String(on));
  }

  goTo({ file, line, column }) {
    if (!this.files.has(file)) return;
    const editor = this.open(file);
    if (!editor) return;
    if (line > 0) editor.goTo(line, column);
    editor.focus();
  }

  /** Applies a replacement; Undo takes it back. */
  fix(file, { from, to, text }) {
    const editor = this.open(file);
    editor.replace(from, to, text);
    editor.focus();
  }

  /** Shows a note in the picture; `act` is called by a click on it. */
  status(text, act = null, wrong = false) {
    const host = element("stale");
    host.textContent = text;
    host.hidden = !text;
    host.classList.toggle("wrong", wrong);
    this.acts = act || (() => { host.hidden = true; });
  }

  // Selection: the table of a part, and the part of a table.

  /** Converts a line of the valid model's text to one of the present text. */
  lines(path) {
    const [before, { text }] = [this.valid.texts.get(path), this.files.get(path)];
    if (before === undefined || before === null) return null;
    return { of: lineMap(before, text), lines: text.split("\n") };
  }

  /** Shows the table of a row of the tree. */
  select(i) {
    if (this.quiet || !this.valid) return;
    this.leads = "picture";
    const entry = this.valid.outline.find(({ item, file }) => item === i && this.files.has(file));
    if (!entry) return this.mark(-1);
    const editor = this.open(entry.file);
    const { of, lines } = this.lines(entry.file);
    const [from] = tableAround(lines, of(entry.line));
    this.quiet = true;
    editor.goTo(from, 1);
    this.quiet = false;
    return this.mark(i);
  }

  /** Highlights the table of a row in the file on show, if it is there. */
  mark(i) {
    if (!this.valid) return;
    const entry = i < 0 ? null : this.valid.outline.find(({ item, file }) => item === i && file === this.shown);
    for (const [path, { editor }] of this.editors) {
      if (!editor) continue;
      const at = entry && path === this.shown ? this.lines(path) : null;
      if (at) editor.highlight(...tableAround(at.lines, at.of(entry.line)));
      else editor.highlight(null, null);
    }
  }

  /** Selects the part of the table with the cursor. */
  cursor(path, line) {
    this.line = line;
    if (this.quiet || !this.valid || path !== this.shown) return;
    const at = this.lines(path);
    if (!at) return;
    this.leads = "text";
    const [from, to] = tableAround(at.lines, line);
    const rows = line > to ? [] : this.valid.outline.filter((row) => {
      if (row.file !== path || row.item === null) return false;
      const own = at.of(row.line);
      return own >= from && own <= to;
    });
    this.quiet = true;
    const row = rows.length > 0 ? rows[0].item : -1;
    if (row !== panel.chosen) panel.select(row);
    // A file that is used more than once has several parts for one table.
    if (rows.length > 1) rows.forEach(({ item }) => drawing.selected.add(item));
    this.mark(row);
    this.quiet = false;
    changed();
  }

  // Controls.

  listen() {
    const on = (id, act) => element(id).addEventListener("click", act);
    const editor = () => (this.editors.get(this.shown) || { editor: null }).editor;
    on("undo", () => { if (editor()) editor().undo(); });
    on("redo", () => { if (editor()) editor().redo(); });
    on("badge", () => {
      this.pinned = element("problems").hidden;
      this.list();
      this.showProblems(this.pinned);
    });
    on("check", () => { if (this.valid) solver.post({ do: "check", rev: this.valid.rev }); });
    on("download", () => this.download());
    on("new", () => this.chooseTemplate());
    on("discard", () => this.discard());
    on("notice-close", () => { element("notice").hidden = true; });
    on("stale", () => this.acts());
    hooks.selected = (i) => this.select(i);
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || !editor()) return;
      const inField = event.composedPath().some((node) => node instanceof Element && node.matches(".typing, input"));
      const key = event.key.toLowerCase();
      if (inField || (key !== "z" && key !== "y")) return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) editor().redo();
      else editor().undo();
    });
    window.addEventListener("pagehide", () => { if (this.main) this.store(); });
    this.splitter();
  }

  /** Sets the part of the text by the pointer or the arrow keys. */
  splitter() {
    const [bar, desk] = [element("splitter"), element("desk")];
    let part = null;
    const upright = () => getComputedStyle(bar).cursor === "row-resize";
    const set = (percent) => {
      part = Math.min(Math.max(percent, 12), 80);
      desk.style.setProperty("--part", `${part}%`);
    };
    bar.addEventListener("pointerdown", (event) => bar.setPointerCapture(event.pointerId));
    bar.addEventListener("pointermove", (event) => {
      if (!bar.hasPointerCapture(event.pointerId)) return;
      const box = desk.getBoundingClientRect();
      set(100 * (upright() ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width));
    });
    bar.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2 }[event.key];
      if (!step) return;
      event.preventDefault();
      const [own, all] = [element("text").getBoundingClientRect(), desk.getBoundingClientRect()];
      set((part ?? 100 * (upright() ? own.height / all.height : own.width / all.width)) + step);
    });
  }

  chooseTemplate() {
    const dialog = element("templates");
    const heading = Object.assign(document.createElement("h2"), { textContent: "Start from a template" });
    const choose = (main, files) => {
      dialog.close();
      element("notice").hidden = true;
      [this.valid, this.leads, this.told] = [null, "text", false];
      this.take(main, files);
      this.store();
    };
    const row = (name, description, main, files) => {
      const made = button("", () => choose(main, files()));
      made.className = "row";
      made.append(name, Object.assign(document.createElement("small"), { textContent: description }));
      return made;
    };
    const rows = this.page.templates.map(({ name, description, main, files }) => row(name, description, main, () => new Map(files.map(([path, base64]) => [path, this.file(base64)]))));
    rows.push(row("empty", "A model without bodies", "model.toml", () => new Map([["model.toml", { text: NEW_MODEL, bytes: null }]])));
    const close = this.main ? [Object.assign(document.createElement("p"), { textContent: "The files of this page are replaced. Download them first to keep them." }), button("Cancel", () => dialog.close())] : [];
    dialog.replaceChildren(heading, ...rows, ...close);
    dialog.showModal();
  }
}

/** The result of a check as lines: [text, whether it is good]. */
function checkLines(check) {
  if (check.error) return [[check.error, false]];
  const of = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
  const lines = [[`${of(check.dof, "degree")} of freedom: ${of(check.bodies, "body", "bodies")}, ${of(check.joints, "joint")}, ${of(check.loops, "loop")}, ${of(check.constraints, "constraint equation")}.`, true]];
  const redundant = check.blocks.flatMap((block) => block.redundant).map(({ constraint, equations }) => `${constraint} (${equations})`);
  if (check.redundant > 0) lines.push([`Redundant constraint equations: ${redundant.join(", ") || check.redundant}.`, false]);
  if (check.undetermined.length > 0) lines.push([`Not determined by the model: ${check.undetermined.join(", ")}.`, false]);
  const { step } = check;
  if (step && step.limit_s) lines.push([`The largest stable step is ${short(step.limit_s)} s with ${step.integrator}; the model uses ${short(step.internal_s)} s.`, step.internal_s <= step.limit_s]);
  const { warnings = [], notes = [] } = check.assembly || {};
  for (const text of [...warnings, ...notes]) lines.push([typeof text === "string" ? text : JSON.stringify(text), false]);
  if (check.unused_inputs.length > 0) lines.push([`Unused inputs: ${check.unused_inputs.join(", ")}.`, false]);
  if (check.unused_parameters.length > 0) lines.push([`Unused parameters: ${check.unused_parameters.join(", ")}.`, false]);
  return lines;
}

if (element("workshop")) window.page.edit = new Workshop(JSON.parse(element("workshop").textContent));
