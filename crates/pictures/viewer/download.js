// "Download FMU" of a workshop page that contains the libraries of FMUs (`ballesta edit --with-fmu`). The FMU has the bytes of
// `ballesta export` with the same text and libraries.

/** The content of an element in base64. */
const decoded = (id) => Uint8Array.from(atob(element(id).textContent), (character) => character.charCodeAt(0)).buffer;

/** Loads an element of a web site, which is a file until a visitor needs it (scripts/site.py). Other pages contain the element. */
function loaded(id) {
  const holder = element(id);
  const file = holder.dataset.file;
  if (!file) return Promise.resolve();
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    // The file inserts the element in place of its script.
    script.onload = () => done(holder.remove());
    script.onerror = () => {
      script.remove();
      failed(new Error(`${file} cannot be loaded`));
    };
    script.src = file;
    holder.after(script);
  });
}

class FmuDownload {
  /** `workshop` has the text. In a page without libraries the button stays hidden. */
  constructor(workshop) {
    Object.assign(this, { workshop, worker: null });
    if (!element("packer")) return;
    element("fmu").hidden = false;
    element("fmu").addEventListener("click", () => this.show());
    this.dialog = element("fmu-dialog");
    this.dialog.addEventListener("close", () => this.end());
    const made = (tag, properties, ...children) => {
      const node = Object.assign(document.createElement(tag), properties);
      node.append(...children);
      return node;
    };
    const option = (value) => made("option", { value, textContent: value });
    this.version = made("select", { id: "fmu-version" }, option("2.0"), option("3.0"));
    this.holdMode = made("input", { id: "fmu-hold", type: "checkbox" });
    this.reference = made("input", { id: "fmu-reference", type: "checkbox", checked: true });
    this.go = button("Download", () => this.start());
    this.leave = button("Close", () => this.dialog.close());
    this.bar = made("progress", { max: 1, hidden: true });
    this.report = made("div", { id: "fmu-report" });
    this.report.setAttribute("role", "status");
    this.go.id = "fmu-write";
    this.leave.id = "fmu-close";
    this.dialog.append(
      made("h2", { textContent: "Download FMU" }),
      made("p", { textContent: `Packs the model with the solver for ${element("fmu-libraries").dataset.platforms}.` }),
      made("p", {}, made("label", {}, "FMI version ", this.version)),
      made("p", {}, made("label", { title: "Adds the parameter hold_on_fault and the output fault: after a fault the outputs keep their values" }, this.holdMode, " Hold mode")),
      made("p", {}, made("label", { title: "Runs the experiment and packs all outputs, to check importers" }, this.reference, " Reference trajectory")),
      this.bar, this.report,
      made("p", { className: "buttons" }, this.go, this.leave),
    );
  }

  show() {
    this.say([]);
    this.dialog.showModal();
  }

  /** Lines below the options. */
  say(lines, wrong = false) {
    this.report.classList.toggle("wrong", wrong);
    this.report.replaceChildren(...lines.map((text) => Object.assign(document.createElement("p"), { textContent: text })));
  }

  async start() {
    const { main, files, problems, valid } = this.workshop;
    if (!main) return this.say(["There is no model yet."], true);
    if (problems.length > 0) return this.refuse(problems);
    const url = URL.createObjectURL(new Blob([element("packer-worker").textContent], { type: "text/javascript" }));
    const worker = new Worker(url);
    this.worker = worker;
    this.name = `${((valid && data.name) || "model").replace(/[^\w.-]+/g, "_")}.fmu`;
    worker.onmessage = ({ data: message }) => {
      URL.revokeObjectURL(url);
      this[`on_${message.is}`](message);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.on_wrong({ error: `The FMU cannot be packed: ${event.message || "the worker has stopped"}` });
    };
    [this.go.disabled, this.leave.textContent, this.bar.hidden] = [true, "Cancel", false];
    // A disabled button loses the focus, and the keys would act on the model.
    this.leave.focus();
    this.bar.removeAttribute("value");
    this.say(["Packing …"]);
    try {
      await Promise.all([loaded("packer"), loaded("fmu-libraries")]);
    } catch (error) {
      return this.on_wrong({ error: `The FMU cannot be packed: ${error.message}` });
    }
    // The dialog was closed while the files were loaded.
    if (worker !== this.worker) return undefined;
    const [packer, libraries] = [decoded("packer"), decoded("fmu-libraries")];
    const order = { version: Number(this.version.value[0]), holdMode: this.holdMode.checked, reference: this.reference.checked };
    return worker.postMessage({ packer, libraries, files: [...files.keys()].map((path) => [path, this.workshop.bytes(path)]), main, ...order }, [packer, libraries]);
  }

  /** Ends the worker, also in the middle of its work. */
  end() {
    if (this.worker) this.worker.terminate();
    [this.worker, this.go.disabled, this.leave.textContent, this.bar.hidden] = [null, false, "Close", true];
  }

  on_progress({ part }) {
    this.bar.value = part;
    this.say([`Reference trajectory: ${Math.floor(100 * part)} %`]);
  }

  on_packed({ fmu, summary, remarks }) {
    this.end();
    this.done = { summary, remarks };
    save(this.name, fmu, "application/octet-stream");
    this.say([`${this.name}: ${(summary.bytes * 1e-6).toFixed(1)} MB, FMI ${summary.fmi}.`, ...remarks.map((text) => `Note: ${text}.`)]);
  }

  on_wrong({ diagnostics, error }) {
    this.end();
    if (diagnostics) this.refuse(diagnostics);
    else this.say([error], true);
  }

  refuse(problems) {
    const [first] = problems;
    const place = first.line > 0 ? `${first.file}:${first.line}` : first.file;
    this.say([`The model has ${problems.length === 1 ? "an error" : `${problems.length} errors`}. Correct the text first.`, `${place} ${wordsOf(first)}`], true);
  }
}
