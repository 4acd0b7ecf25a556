// The files of a workshop page: the dialog with all files, adding, replacing, renaming and removing them, folders and archives.

class FilesPanel {
  constructor(workshop) {
    Object.assign(this, { workshop, dialog: element("files"), folder: null, missing: null });
    const on = (id, act) => element(id).addEventListener("click", act);
    on("files-toggle", () => this.show());
    on("add", () => this.show());
    on("save", () => this.save());
    element("pick-files").addEventListener("change", (event) => this.picked(event.target));
    element("pick-folder").addEventListener("change", (event) => this.picked(event.target));
    element("pick-archive").addEventListener("change", (event) => this.picked(event.target));
    this.drops();
  }

  /** Runs an action of the user, and shows its error as a message. */
  async guarded(act) {
    try {
      await act();
    } catch (error) {
      // The user has closed the dialog of the browser.
      if (error.name !== "AbortError") await this.ask(error.message, ["OK"]);
    }
  }

  // Questions.

  /**
   * Asks a question; returns the label of the button, or null after Escape and Cancel. With `input` the user edits this text, and the
   * answer is the text. `check(text)` returns what is wrong with it. `list`: lines below the question.
   */
  ask(text, labels, { input = null, check = () => "", list = [] } = {}) {
    const dialog = element("question");
    const form = made("form");
    const [field, wrong, buttons] = [made("input"), made("p", "wrong"), made("div", "buttons")];
    field.value = input ?? "";
    field.setAttribute("aria-label", text);
    wrong.setAttribute("role", "alert");
    return new Promise((resolve) => {
      const answer = (value) => {
        resolve(value);
        dialog.close();
      };
      labels.forEach((label, k) => {
        const one = button(label, () => { if (k > 0 || input === null) answer(label === "Cancel" ? null : label); });
        one.type = k === 0 ? "submit" : "button";
        buttons.append(one);
      });
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (input === null) return;
        wrong.textContent = check(field.value);
        if (!wrong.textContent) answer(field.value);
      });
      field.addEventListener("input", () => { wrong.textContent = field.value === input ? "" : check(field.value); });
      form.append(made("p", "", text));
      if (list.length > 0) {
        const lines = made("ul");
        lines.append(...list.slice(0, 12).map((line) => made("li", "", line)));
        if (list.length > 12) lines.append(made("li", "", `… and ${list.length - 12} more`));
        form.append(lines);
      }
      if (input !== null) form.append(field, wrong);
      form.append(buttons);
      dialog.replaceChildren(form);
      dialog.oncancel = () => resolve(null);
      dialog.showModal();
      if (input === null) buttons.firstChild.focus();
      else {
        field.focus();
        // The name without its folder and ending.
        field.setSelectionRange(input.lastIndexOf("/") + 1, input.includes(".") ? input.lastIndexOf(".") : input.length);
      }
    });
  }

  // The dialog.

  show() {
    this.list();
    if (!this.dialog.open) this.dialog.showModal();
  }

  list() {
    const { workshop, dialog } = this;
    const head = made("div", "bar");
    const total = [...workshop.files.keys()].reduce((sum, path) => sum + workshop.size(path), 0);
    head.append(made("h2", "", "Files of the model"), made("span", "faint", `${workshop.files.size} ${workshop.files.size === 1 ? "file" : "files"}, ${sizeText(total)}`), button("Close", () => dialog.close(), "Esc"));
    const missing = workshop.missing().map((path) => {
      const line = made("div", "file missing");
      line.append(made("b", "", path), made("small", "", "missing: the model names it"), button("Add file…", () => this.pickFor(path)));
      return line;
    });
    const lines = [...workshop.files.keys()].map((path) => this.line(path));
    const [lost, hosts] = [made("div"), made("div", "list")];
    lost.append(...missing);
    hosts.append(...lines);
    const buttons = made("div", "buttons");
    buttons.append(
      button("New file…", () => this.newFile(), "Add an empty file"),
      button("Add files…", () => element("pick-files").click(), "Add files of this computer; dropping them on the page does the same"),
      button("Add folder…", () => element("pick-folder").click(), "Add all files of a folder of this computer"),
    );
    const stores = made("div", "buttons");
    stores.append(
      button("Download .zip", () => workshop.download(), "Save all files in a zip archive"),
      button("Open .zip…", () => this.pickArchive(), "Replace the model by the one of a zip archive"),
    );
    if (window.showDirectoryPicker) {
      stores.append(
        button("Open folder…", () => this.openFolder(), "Replace the model by the one of a folder, and save it there later"),
        button(this.folder ? `Save to ${this.folder.handle.name}` : "Save to folder…", () => this.saveFolder(), "Write the changed files to the folder (Ctrl+S)"),
      );
    }
    if (workshop.isStored()) stores.append(button("Discard changes…", () => workshop.discard(), "Delete the changes that this browser stores"));
    dialog.replaceChildren(head, lost, hosts, buttons, stores, made("p", "faint", window.showDirectoryPicker ? "Files can also be dropped anywhere on the page." : "Files can also be dropped anywhere on the page. This browser cannot write to folders; download the zip archive instead."));
  }

  line(path) {
    const { workshop } = this;
    const { text } = workshop.files.get(path);
    const main = path === workshop.main;
    const line = made("div", "file");
    const open = button(path, () => {
      this.dialog.close();
      const editor = workshop.open(path);
      if (editor) editor.focus();
    }, "Show this file");
    open.className = workshop.isUnsaved(path) ? "open unsaved" : "open";
    line.append(open, made("small", "", `${main ? "main file" : kindOf(path, text)}, ${sizeText(workshop.size(path))}`));
    const acts = made("div", "buttons");
    const act = (label, run, title) => {
      const one = button(label, run, title);
      one.setAttribute("aria-label", `${label} ${path}`);
      acts.append(one);
    };
    if (!main && path.endsWith(".toml") && text !== null && isModel(text)) act("Set main", () => this.useAsMain(path), "Use this file as the main file of the model");
    act("Rename…", () => this.rename(path), "Change the name or the folder");
    act("Replace…", () => this.pickFor(path), "Take the content of a file of this computer");
    act("Download", () => save(path.split("/").pop(), workshop.bytes(path), "application/octet-stream"), "Save this file alone");
    if (!main) act("Remove", () => this.remove(path), "Remove the file from the model");
    line.append(acts);
    return line;
  }

  // One file.

  useAsMain(path) {
    const { workshop } = this;
    if (path.includes("/")) return this.ask(`The main file is in the folder of the model: rename ${path} to ${path.split("/").pop()} first.`, ["OK"]);
    workshop.setMain(path);
    this.list();
    return undefined;
  }

  async rename(path) {
    const { workshop } = this;
    const others = [...workshop.files.keys()].filter((other) => other !== path);
    const main = path === workshop.main;
    const check = (name) => pathProblem(name, others) || (main && name.includes("/") ? "The main file is in the folder of the model: write a name without /." : "");
    const name = await this.ask(`New name of ${path}, with / between folders`, ["Rename", "Cancel"], { input: path, check });
    if (name === null || name === path) return;
    workshop.rename(path, name);
    this.refresh();
    const naming = workshop.naming(path);
    if (naming.length > 0 && await this.ask(`Write ${name} in the files that name ${path}?`, ["Change them", "Cancel"], { list: naming }) !== null) workshop.renameIn(naming, path, name);
  }

  async remove(path) {
    const { workshop } = this;
    const unsaved = workshop.isUnsaved(path) ? " It has changes that are not saved." : "";
    if (await this.ask(`Remove ${path} from the model?${unsaved}`, ["Remove", "Cancel"]) === null) return;
    workshop.removeFile(path);
    this.refresh();
  }

  async newFile() {
    const { workshop } = this;
    const name = await this.ask("Name of the new file, with / between folders", ["Create", "Cancel"], { input: "part.toml", check: (text) => pathProblem(text, [...workshop.files.keys()]) });
    if (name === null) return;
    workshop.addFiles([[name, new Uint8Array()]]);
    this.dialog.close();
    const editor = workshop.open(name);
    if (editor) editor.focus();
  }

  /** Lists the files again; the focus stays on its button. */
  refresh() {
    const { dialog } = this;
    if (!dialog.open) return;
    const labelOf = (node) => node.getAttribute("aria-label") || node.textContent;
    const [focused, { scrollTop }] = [dialog.contains(document.activeElement) ? labelOf(document.activeElement) : null, dialog.querySelector(".list")];
    this.list();
    dialog.querySelector(".list").scrollTop = scrollTop;
    if (focused === null && document.querySelector("#question[open]")) return;
    const buttons = [...dialog.querySelectorAll("button")];
    (buttons.find((one) => labelOf(one) === focused) || buttons[0]).focus();
  }

  // Adding.

  /** Lets the user choose the content of a path. */
  pickFor(path) {
    this.missing = path;
    element("pick-files").multiple = false;
    element("pick-files").click();
    element("pick-files").multiple = true;
  }

  pickArchive() {
    element("pick-archive").click();
  }

  /** Takes the files that the user has chosen. */
  picked(input) {
    const path = this.missing;
    this.missing = null;
    return this.guarded(async () => {
      const files = await readFiles(input.files);
      const name = input.files.length > 0 ? input.files[0].name : "";
      input.value = "";
      if (files.length === 0) return;
      if (input.id === "pick-archive") await this.openArchive(files[0][1], name);
      else if (path) await this.add([[path, files[0][1]]], true);
      else await this.add(files);
    });
  }

  /** Adds files after a question about the existing ones; `replace`: the user has chosen the path. */
  async add(list, replace = false) {
    const { workshop } = this;
    const missing = workshop.missing();
    // A file that the model names in a folder goes there.
    const place = (path) => (path.includes("/") || workshop.files.has(path) ? path : missing.find((wanted) => wanted.endsWith(`/${path}`)) || path);
    let files = list.filter(([path]) => !SYSTEM_FILE.test(path)).map(([path, bytes]) => [place(path), bytes]);
    const others = (path, k) => [...workshop.files.keys(), ...files.slice(0, k).map(([earlier]) => earlier)].filter((other) => other !== path);
    const wrong = files.map(([path], k) => [path, pathProblem(path, others(path, k))]).filter(([, problem]) => problem);
    if (wrong.length > 0) {
      const label = wrong.length < files.length ? ["Add the others", "Cancel"] : ["OK"];
      const answer = await this.ask(`${wrong.length === 1 ? "This file cannot" : "These files cannot"} be added:`, label, { list: wrong.map(([path, problem]) => `${path}: ${problem}`) });
      if (wrong.length === files.length || answer === null) return;
      files = files.filter(([path]) => !wrong.some(([other]) => other === path));
    }
    const known = files.filter(([path]) => workshop.files.has(path)).map(([path]) => path);
    if (known.length > 0) {
      const rest = known.length < files.length && !replace;
      const answer = await this.ask(known.length === 1 ? `Replace ${known[0]}?` : `Replace these ${known.length} files?`, ["Replace", ...(rest ? ["Add the others only"] : []), "Cancel"], { list: known.length > 1 ? known : [] });
      if (answer === null) return;
      if (answer !== "Replace") files = files.filter(([path]) => !known.includes(path));
    }
    workshop.addFiles(files);
    this.refresh();
    const of = files.length === 1 ? files[0][0] : `${files.length} files`;
    workshop.notice(known.length === files.length ? `Replaced ${of}.` : `Added ${of}.`);
  }

  /** Files that are dropped on the page are added. A folder or archive with a model can replace the present one. */
  drops() {
    const overlay = element("drop");
    const hasFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
    let depth = 0;
    const end = () => {
      depth = 0;
      overlay.hidden = true;
    };
    // In the capture phase: the editor would take the text of a dropped file.
    const listen = (name, act) => window.addEventListener(name, (event) => { if (hasFiles(event)) act(event); }, true);
    listen("dragenter", (event) => {
      event.preventDefault();
      depth++;
      // An open dialog is above everything else.
      const open = [...document.querySelectorAll("dialog[open]")].pop();
      (open || document.body).append(overlay);
      overlay.hidden = false;
    });
    listen("dragleave", () => { if (--depth <= 0) end(); });
    listen("dragover", (event) => {
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
    });
    listen("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      document.body.append(overlay);
      end();
      this.guarded(async () => this.take(await dropped(event.dataTransfer)));
    });
  }

  async take({ files, folder }) {
    const { workshop } = this;
    if (files.length === 0) throw new Error("The folder has no files.");
    if (files.length === 1 && /\.zip$/i.test(files[0][0])) return this.openArchive(files[0][1], files[0][0]);
    if (!workshop.main) return this.openModel(files, folder || files[0][0]);
    if (folder && modelIn(files).mains.length > 0) {
      const answer = await this.ask(`The folder ${folder} has a model.`, ["Open the model", "Add the folder", "Cancel"]);
      if (answer === null) return undefined;
      if (answer === "Open the model") return this.openModel(files, folder);
    }
    return this.add(files);
  }

  // Models.

  openArchive(bytes, name) {
    return this.guarded(async () => this.openModel(await unzip(bytes), name));
  }

  /** Replaces the present model by the one in files; `name` for messages. Returns whether a model was opened. */
  async openModel(list, name, keep = null) {
    const { files, mains, left } = modelIn(list);
    if (mains.length === 0) {
      await this.ask(`${name} has no model: a file model.toml, or another .toml file with a table [model].`, ["OK"]);
      return false;
    }
    const wrong = files.map(([path], k) => [path, pathProblem(path, files.slice(0, k).map(([other]) => other))]).filter(([, problem]) => problem);
    if (wrong.length > 0) {
      await this.ask(`${name} cannot be opened:`, ["OK"], { list: wrong.map(([path, problem]) => `${path}: ${problem}`) });
      return false;
    }
    let [main] = mains;
    if (mains.length > 1) main = await this.ask(`Which file of ${name} is the main file?`, [...mains.slice(0, 6), "Cancel"]);
    if (main === null) return false;
    this.dialog.close();
    this.workshop.begin(main, new Map(files.map(([path, bytes]) => [path, { text: textOf(bytes), bytes }])));
    this.folder = keep;
    this.workshop.showSaved();
    if (left > 0) this.workshop.notice(`Opened ${name}. ${left} ${left === 1 ? "file" : "files"} outside of the folder of ${main} ${left === 1 ? "was" : "were"} left out.`);
    return true;
  }

  // Folders of this computer.

  openFolder() {
    return this.guarded(async () => {
      const handle = await window.showDirectoryPicker({ mode: "readwrite", id: "ballesta" });
      const files = await readFolder(handle);
      // The paths of the model are those of the folder, so that they can be saved there.
      if (!modelIn(files).mains.every((main) => files.some(([path]) => path === main))) throw new Error(`The folder ${handle.name} has no model file at its top. Open the folder that has the model.toml.`);
      const times = new Map(files.map(([path, , time]) => [path, time]));
      await this.openModel(files.map(([path, bytes]) => [path, bytes]), handle.name, { handle, times });
    });
  }

  /** Saves: to the folder if one is open, otherwise as an archive. */
  save() {
    if (!this.workshop.main) return undefined;
    return this.folder ? this.saveFolder() : this.workshop.download();
  }

  /** Writes the changed files to the folder, after a question about files that others have changed. */
  saveFolder() {
    return this.guarded(async () => {
      const { workshop } = this;
      const folder = this.folder || { handle: await window.showDirectoryPicker({ mode: "readwrite", id: "ballesta" }), times: new Map() };
      const paths = [...workshop.files.keys()].filter((path) => !folder.times.has(path) || workshop.isUnsaved(path));
      const removed = [...folder.times.keys()].filter((path) => !workshop.files.has(path));
      // Files that are newer than the text that was read from them.
      const newer = [];
      for (const path of paths) {
        const found = await this.find(folder.handle, path);
        if (found && found.lastModified !== folder.times.get(path)) newer.push(path);
      }
      const { name } = folder.handle;
      if (newer.length > 0 && await this.ask(`${name} has other versions of these files. Replace them?`, ["Replace", "Cancel"], { list: newer }) === null) return;
      if (removed.length > 0 && await this.ask(`Delete these files in ${name}? They are no longer files of the model.`, ["Delete", "Keep them"], { list: removed }) === "Delete") {
        for (const path of removed) {
          const [parent, own] = await folderOf(folder.handle, path, false);
          await parent.removeEntry(own);
        }
      }
      removed.forEach((path) => folder.times.delete(path));
      for (const path of paths) {
        const [parent, own] = await folderOf(folder.handle, path, true);
        const file = await parent.getFileHandle(own, { create: true });
        const stream = await file.createWritable();
        await stream.write(workshop.bytes(path));
        await stream.close();
        folder.times.set(path, (await file.getFile()).lastModified);
      }
      this.folder = folder;
      workshop.saved();
      workshop.notice(`Saved ${paths.length === 1 ? paths[0] : `${paths.length} files`} to the folder ${name}.`);
      this.refresh();
    });
  }

  /** The file of a path in a folder, or null. */
  async find(handle, path) {
    try {
      const [parent, name] = await folderOf(handle, path, false);
      return await (await parent.getFileHandle(name)).getFile();
    } catch (error) {
      if (error.name === "NotFoundError") return null;
      throw error;
    }
  }
}
