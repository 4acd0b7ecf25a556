// The workshop: the text of a model next to its picture. The worker compiles the model after every change. A valid model replaces the
// picture. The problems of an invalid one are marked in the text, and the last valid model continues.

/** Delay from the last key to the compilation and to storing, ms; duration after which a compilation can be stopped, ms. */
const [COMPILE_AFTER, STORE_AFTER, SLOW] = [120, 400, 4000];
/** Header of a table, with its path. */
const TABLE = /^\s*\[\[?\s*([A-Za-z_][\w.-]*)\s*\]\]?\s*(#.*)?$/;
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

/** The file that a model names and that is missing; null for other problems. */
const missingIn = ({ found }) => (/^"(.+)" is not among the files in memory$/.exec(found) || [null, null])[1];

/** A message as text, without its place. */
function wordsOf({ key, found, expected }) {
  const missing = missingIn({ found });
  const what = missing === null ? `${found}${expected ? `; ${expected}` : ""}` : `the file ${missing} is missing; add it to the model`;
  return `${key ? `${key}: ` : ""}${what}`;
}

/** A button. */
function button(text, act, title = "") {
  const made = document.createElement("button");
  made.textContent = text;
  made.title = title;
  made.addEventListener("click", act);
  return made;
}

/** Fingerprint of a file, computed again if its content is another one. */
function markOf(file) {
  const content = file.text === null ? file.bytes : file.text;
  if (!file.mark || file.mark.content !== content) file.mark = { content, value: fingerprint(content) };
  return file.mark.value;
}

const marksOf = (files) => new Map([...files].map(([path, file]) => [path, markOf(file)]));

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
    this.original = new Map(page.files.map(([path, base64]) => [path, this.file(base64)]));
    // The files as they were chosen; fingerprints of the saved ones, and the saved main file.
    [this.origin, this.marks, this.savedMain] = [this.original, marksOf(this.original), page.main];
    this.records = new Records(page, this.original);
    this.handles = new Handles(this);
    this.panel = new FilesPanel(this);
    this.gallery = new Gallery(this);
    this.analyses = new Analyses(this);
    this.fmu = new FmuDownload(this);
    this.listen();
    this.readsAsViewer();
    this.start();
    const stored = this.records.list();
    const own = stored.find((record) => record.own);
    if (own) this.resume(own);
    else if (page.main) this.take(page.main, this.original);
    else this.gallery.show();
    const former = stored.find((record) => record.path === location.pathname);
    if (!own && former) this.notice(`This page was written again. Your changes of ${new Date(former.saved).toLocaleString()} to the former page are in “New / Gallery”.`);
  }

  file(base64) {
    const bytes = bytesOf(base64);
    return { text: textOf(bytes), bytes };
  }

  bytes(path) {
    const { text, bytes } = this.files.get(path);
    return text === null ? bytes : utf8.encode(text);
  }

  /** Size of a file in bytes. */
  size(path) {
    return this.bytes(path).length;
  }

  /** Makes a saved replay a page of the viewer alone. */
  readsAsViewer() {
    for (const where of ["#workshop", "#licenses", "#text", "#splitter", "#tools", "#dialogs", "#stale", "#return", "#handles", "script:not([type])"]) read.querySelector(where).remove();
    read.querySelectorAll("#packer, #packer-worker, #fmu-libraries").forEach((node) => node.remove());
    read.querySelector("body").classList.remove("edit");
    const holder = document.createElement("script");
    Object.assign(holder, { type: "application/json", id: "data" });
    read.querySelector("#library").before(holder);
  }

  // Files.

  /** Takes other files in place of all present ones. */
  take(main, files) {
    this.handles.set(false);
    this.analyses.reset();
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

  /** Begins with another model. The files are those of a template, a gallery model, an archive or a folder, so they count as saved. */
  begin(main, files, id = null) {
    element("notice").hidden = true;
    if (this.main && this.isPristine()) this.records.remove();
    if (id === null) this.records.fork();
    else this.records.id = id;
    [this.valid, this.leads, this.told, this.panel.folder] = [null, "text", false, null];
    [this.origin, this.marks, this.savedMain] = [new Map([...files].map(([path, file]) => [path, { ...file }])), marksOf(files), main];
    this.take(main, files);
    this.gallery.dialog.close();
    this.store(!this.page.main);
  }

  /** Continues with a model of this browser. */
  resume(record) {
    if (this.main && this.isPristine()) this.records.remove();
    if (record.own) this.records.id = record.id;
    else this.records.fork();
    [this.valid, this.leads, this.origin, this.told, this.panel.folder] = [null, "text", null, true, null];
    [this.marks, this.savedMain] = [new Map(record.marks), record.savedMain];
    this.take(record.main, record.files);
    this.gallery.dialog.close();
    this.notice(`Restored your changes of ${new Date(record.saved).toLocaleString()} from this browser.`, true);
  }

  /** Shows a file; returns its editor, null for a file that is not text. */
  open(path) {
    let entry = this.editors.get(path);
    if (!entry) {
      const { text } = this.files.get(path);
      entry = { path, host: document.createElement("div"), editor: null };
      element("editors").append(entry.host);
      if (text === null || text.length > MAX_SHOWN_TEXT) this.describeFile(entry);
      else this.edit(entry);
      this.editors.set(path, entry);
      this.underline(path);
    }
    for (const [other, { host }] of this.editors) host.hidden = other !== path;
    this.shown = path;
    this.tabs();
    return entry.editor;
  }

  /** Makes the editor of a file. */
  edit(entry) {
    entry.editor = Codemirror.create(entry.host, {
      text: this.files.get(entry.path).text, schema: entry.path.endsWith(".toml") ? this.page.schema : undefined, names: () => this.names(),
      onChange: (now) => this.change(entry.path, now),
      onCursor: (line) => this.cursor(entry.path, line),
    });
  }

  /** Describes a file that is not text, or a long one. */
  describeFile(entry) {
    const { path, host } = entry;
    const { text } = this.files.get(path);
    const kind = kindOf(path, text);
    const note = made("div", "about");
    const acts = made("div", "buttons");
    if (text !== null) {
      acts.append(button("Show the text", () => {
        note.remove();
        this.edit(entry);
        this.underline(entry.path);
      }, "Typing in it may be slow"));
    }
    acts.append(button("Replace…", () => this.panel.pickFor(entry.path)), button("Download", () => save(entry.path.split("/").pop(), this.bytes(entry.path), "application/octet-stream")));
    const why = text === null ? "The content is not text and is not shown. The solver uses it as it is." : "The text is long and is not shown at once.";
    note.append(made("h2", "", path), made("p", "", `${kind[0].toUpperCase()}${kind.slice(1)}, ${sizeText(this.size(path))}`), made("p", "faint", why), acts);
    host.append(note);
  }

  /** Shows which files there are, which is on show, which have problems, and which differ from those of the page. */
  tabs() {
    const host = element("tabs");
    const paths = [...this.files.keys()];
    if ([...host.children].map((tab) => tab.textContent).join("\n") !== paths.join("\n")) {
      host.replaceChildren(...paths.map((path) => {
        const tab = button(path, () => this.open(path));
        tab.setAttribute("role", "tab");
        tab.addEventListener("dblclick", () => this.panel.rename(path));
        return tab;
      }));
    }
    const wrong = new Set(this.problems.map(({ file }) => file));
    [...host.children].forEach((tab, k) => {
      const [path, selected] = [paths[k], tab.getAttribute("aria-selected") === "true"];
      tab.setAttribute("aria-selected", String(path === this.shown));
      tab.classList.toggle("wrong", wrong.has(path));
      tab.classList.toggle("changed", this.isUnsaved(path));
      tab.title = `${path === this.main ? "The main file of the model" : kindOf(path, this.files.get(path).text)}${this.isUnsaved(path) ? "; has unsaved changes" : ""}`;
      if (path === this.shown && !selected) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    this.showSaved();
  }

  /** Shows whether all changes are saved. */
  showSaved() {
    const [unsaved, { folder }] = [this.isAnyUnsaved(), this.panel];
    const host = element("saved");
    host.textContent = unsaved ? "Unsaved" : "Saved";
    host.hidden = !this.main;
    host.classList.toggle("unsaved", unsaved);
    host.title = unsaved ? "The model has changes since it was last downloaded or saved to a folder" : "No changes since the model was opened, downloaded or saved to a folder";
    element("save").hidden = !folder;
    if (folder) element("save").title = `Write the changed files to the folder ${folder.handle.name} (Ctrl+S)`;
    document.title = `${unsaved ? "• " : ""}${data.name || "ballesta workshop"}`;
  }

  isUnsaved(path) {
    return this.marks.get(path) !== markOf(this.files.get(path));
  }

  isAnyUnsaved() {
    return this.main !== this.savedMain || [...this.files.keys()].some((path) => this.isUnsaved(path)) || [...this.marks.keys()].some((path) => !this.files.has(path));
  }

  /** The files are saved. */
  saved() {
    [this.marks, this.savedMain] = [marksOf(this.files), this.main];
    this.tabs();
    if (this.isStored()) this.store(true);
  }

  /** Whether the files are as they were chosen. */
  isPristine() {
    const { origin, files } = this;
    return origin !== null && this.main === this.savedMain && files.size === origin.size && [...files].every(([path, file]) => origin.has(path) && markOf(origin.get(path)) === markOf(file));
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
    this.analyses.changedText();
    this.schedule(COMPILE_AFTER);
    clearTimeout(this.storing);
    this.storing = setTimeout(() => this.store(), STORE_AFTER);
  }

  // Changes of the list of files.

  /** After a change of the list: compiles, stores and shows it. */
  relisted() {
    this.checked = null;
    this.tabs();
    this.schedule(0);
    this.store();
  }

  /** Adds and replaces files: [path, bytes]. A replaced text can be restored by Undo. */
  addFiles(list) {
    for (const [path, bytes] of list) {
      const [text, entry] = [textOf(bytes), this.editors.get(path)];
      this.put.add(path);
      this.drop.delete(path);
      if (entry && entry.editor && text !== null) {
        entry.editor.replace({ line: 1, column: 1 }, { line: 1e9, column: 1e9 }, text);
        continue;
      }
      this.files.set(path, { text, bytes });
      this.forget(path);
      if (this.shown === path) this.open(path);
    }
    this.relisted();
  }

  /** Removes the editor of a file. */
  forget(path) {
    const entry = this.editors.get(path);
    if (entry) entry.host.remove();
    this.editors.delete(path);
  }

  removeFile(path) {
    this.files.delete(path);
    this.put.delete(path);
    this.drop.add(path);
    this.forget(path);
    if (this.shown === path) this.open(this.main);
    this.relisted();
  }

  /** Gives a file another path; its editor keeps its history. */
  rename(path, name) {
    const entry = this.editors.get(path);
    this.files = new Map([...this.files].map(([key, file]) => [key === path ? name : key, file]));
    this.editors.delete(path);
    if (entry && path.endsWith(".toml") === name.endsWith(".toml") && entry.editor) {
      entry.path = name;
      this.editors.set(name, entry);
    } else if (entry) entry.host.remove();
    this.put.delete(path);
    this.put.add(name);
    this.drop.add(path);
    this.drop.delete(name);
    if (this.main === path) this.main = name;
    if (this.shown === path) this.open(name);
    this.relisted();
  }

  /** The files that name a path in quotes. */
  naming(path) {
    return [...this.files].filter(([, { text }]) => text !== null && (text.includes(`"${path}"`) || text.includes(`'${path}'`))).map(([key]) => key);
  }

  /** Writes another path in files; Undo restores it. */
  renameIn(paths, path, name) {
    const { shown } = this;
    for (const key of paths) {
      const text = this.files.get(key).text.replaceAll(`"${path}"`, `"${name}"`).replaceAll(`'${path}'`, `'${name}'`);
      const editor = this.open(key);
      if (editor) editor.replace({ line: 1, column: 1 }, { line: 1e9, column: 1e9 }, text);
      else this.files.get(key).text = text;
      this.put.add(key);
    }
    this.open(shown);
    this.relisted();
  }

  /** Compiles another file. */
  setMain(path) {
    this.files = new Map([[path, this.files.get(path)], ...this.files]);
    [this.main, this.carry] = [path, "start"];
    this.relisted();
  }

  /** The files that the model names and that are missing. */
  missing() {
    return [...new Set(this.problems.map(missingIn))].filter((path) => path !== null && !this.files.has(path));
  }

  // Storage in the browser.

  /** Whether the files differ from those of the page, so that this browser stores them. */
  isStored() {
    const { page, original, files } = this;
    if (!this.main) return false;
    return this.main !== page.main || files.size !== original.size || [...files].some(([path, file]) => !original.has(path) || markOf(original.get(path)) !== markOf(file));
  }

  /** Stores the files; `quiet`: without the message about it. */
  store(quiet = false) {
    this.tabs();
    const { records } = this;
    if (!this.isStored()) records.remove();
    else if (!records.write(this.record())) this.notice("This browser cannot store your changes: its storage is full or switched off. Download the files before you close the page.");
    else if (!quiet && !this.told) this.notice("Your changes are stored in this browser only. Download the files to keep a copy.", true);
    if (!quiet) this.told = true;
  }

  record() {
    return { main: this.main, name: this.valid && data.name ? data.name : this.main, files: this.files, marks: this.marks, savedMain: this.savedMain };
  }

  /** Shows a message above the text, with the button that discards the changes if `discard`. */
  notice(text, discard = false) {
    element("notice").firstElementChild.textContent = text;
    element("notice").hidden = false;
    element("discard").hidden = !discard;
  }

  /** Returns to the files of the page, or to the start page. In the first case each text can be restored by Undo. */
  async discard() {
    const { records, page, original, files } = this;
    const texts = records.id === "" && files.size === original.size && [...files].every(([path, { text }]) => original.has(path) && (text === null) === (original.get(path).text === null));
    if (!texts && !this.isPristine() && await this.panel.ask("Delete the changes of this model? This cannot be undone.", ["Delete", "Cancel"]) === null) return;
    element("notice").hidden = true;
    this.panel.dialog.close();
    records.remove();
    records.id = "";
    if (!page.main) return this.empty();
    if (!texts) this.begin(page.main, original, "");
    else {
      for (const [path, { text, bytes }] of original) {
        if (text === null) this.files.get(path).bytes = bytes;
        else if (this.files.get(path).text !== text) {
          const editor = this.open(path);
          if (editor) editor.replace({ line: 1, column: 1 }, { line: 1e9, column: 1e9 }, text);
          else this.files.get(path).text = text;
        }
        this.put.add(path);
      }
      this.main = page.main;
    }
    [this.marks, this.savedMain] = [marksOf(original), page.main];
    this.carry = "start";
    this.schedule(0);
    this.store();
  }

  /** Returns to the start page. */
  empty() {
    play(false);
    for (const path of this.files.keys()) this.drop.add(path);
    for (const path of [...this.editors.keys()]) this.forget(path);
    [this.files, this.main, this.shown, this.valid, this.origin] = [new Map(), null, null, null, this.original];
    [this.marks, this.savedMain] = [new Map(), null];
    // The answer to a compilation of the old files is dropped.
    [this.timer, this.slow].forEach(clearTimeout);
    [this.flying, this.again] = [false, false];
    this.rev++;
    this.handles.set(false);
    load(EMPTY);
    solver.live = null;
    this.setProblems([]);
    this.gallery.show();
  }

  download() {
    if (!this.main) return;
    const name = (data.name || "model").replace(/[^\w.-]+/g, "_");
    save(`${name}.zip`, zip([...this.files.keys()].map((path) => [`${name}/${path}`, this.bytes(path)])), "application/zip");
    this.saved();
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
    this.valid = { rev, outline, points, model, carried, texts: this.sent.texts };
    this.analyses.compiled();
    [this.carry, this.checked] = ["keep", null];
    this.setProblems([]);
    load(model, { rev, carried });
    this.showSaved();
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

  /** The state of the run, for an analysis. */
  on_state(message) {
    this.analyses.on_state(message);
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
    this.panel.refresh();
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
      const missing = missingIn(problem);
      if (missing !== null && pathProblem(missing) === "" && !this.files.has(missing)) {
        const add = button("Add file…", () => this.panel.pickFor(missing), `Choose the file ${missing} on this computer; it can also be dropped on the page`);
        add.className = "fix";
        row.append(add);
      }
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
    on("check", () => this.analyses.check());
    on("download", () => this.download());
    on("new", () => this.gallery.show());
    on("discard", () => this.discard());
    on("notice-close", () => { element("notice").hidden = true; });
    on("stale", () => this.acts());
    hooks.selected = (i) => this.select(i);
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || !editor()) return;
      if (event.key.toLowerCase() === "s" && !event.shiftKey) {
        event.preventDefault();
        if (!document.querySelector("dialog[open]")) this.panel.save();
        return;
      }
      const inField = event.composedPath().some((node) => node instanceof Element && node.matches(".typing, input"));
      const key = event.key.toLowerCase();
      if (inField || (key !== "z" && key !== "y")) return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) editor().redo();
      else editor().undo();
    });
    window.addEventListener("pagehide", () => { if (this.main) this.store(true); });
    // Changes that this browser could not store would be lost.
    window.addEventListener("beforeunload", (event) => { if (!this.records.works && this.main && this.isAnyUnsaved()) event.preventDefault(); });
    element("tabs").addEventListener("keydown", (event) => {
      const [tabs, by] = [[...element("tabs").children], { ArrowLeft: -1, ArrowRight: 1 }[event.key]];
      const at = tabs.indexOf(document.activeElement);
      if (at < 0) return;
      if (event.key === "F2") this.panel.rename(this.shown);
      else if (event.key === "Delete" && this.shown !== this.main) this.panel.remove(this.shown);
      else if (by && tabs[at + by]) {
        tabs[at + by].click();
        tabs[at + by].focus();
      } else return;
      event.preventDefault();
    });
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
