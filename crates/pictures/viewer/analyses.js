// Analyses of the valid model of the workshop: equilibrium, modes, linearization, verification, and the check. A second worker computes
// them with its own instance of the library, so that the picture keeps moving.

/** Largest relative error of an eigenvalue that is shown without a question mark. */
const MAX_CERTAIN_ERROR = 1e-3;
/** Time in which a request before a new text is repeated for that text, ms. */
const MEANT_AFTER = 1000;
/** Largest number of numbers of a matrix that the page lists. */
const MAX_LISTED = 20000;

/** The worker that computes analyses. It is started by the first request and has a copy of the files. */
class Analyst {
  /** `told` receives its answers. */
  constructor(told) {
    Object.assign(this, { told, solver: null, ready: false, waiting: [], files: new Map() });
  }

  start() {
    this.solver = new Solver(this);
    const library = Solver.library();
    this.solver.post({ do: "library", library }, [library]);
  }

  /** Ends all requests. */
  stop() {
    if (this.solver) this.solver.worker.terminate();
    Object.assign(this, { solver: null, ready: false, waiting: [], files: new Map() });
  }

  /** Requests an analysis of the model in `files`: contents by path, texts or bytes. */
  ask(id, request, files) {
    if (!this.solver) this.start();
    const put = [...files].filter(([path, content]) => this.files.get(path) !== content);
    const drop = [...this.files.keys()].filter((path) => !files.has(path));
    this.files = new Map(files);
    this.send({ do: "files", put: put.map(([path, content]) => [path, typeof content === "string" ? utf8.encode(content) : content]), drop });
    this.send({ do: "analyse", id, request });
  }

  send(message) {
    if (this.ready) this.solver.post(message);
    else this.waiting.push(message);
  }

  on_ready() {
    this.ready = true;
    for (const message of this.waiting.splice(0)) this.solver.post(message);
  }

  on_analysed(message) {
    this.told(message);
  }

  on_fault({ text }) {
    this.stop();
    this.told({ id: null, error: `the worker failed: ${text}` });
  }
}

/** A table of an answer; `head`: headings, numbers are aligned to the right. */
function tableOf(head, rows) {
  const table = document.createElement("table");
  const row = (cells, tag) => {
    const made = document.createElement("tr");
    for (const cell of cells) {
      const one = document.createElement(tag);
      if (cell instanceof Node) one.append(cell);
      else one.textContent = cell;
      if (typeof cell === "string" && /^[−\d–]/.test(cell)) one.className = "number";
      made.append(one);
    }
    return made;
  };
  const [top, body] = [document.createElement("thead"), document.createElement("tbody")];
  top.append(row(head, "th"));
  body.append(...rows.map((cells) => row(cells, "td")));
  table.append(top, body);
  return table;
}

/** Text in the format CSV. */
const csv = (rows) => `${rows.map((row) => row.map((cell) => (/[",\n]/.test(String(cell)) ? `"${String(cell).replace(/"/g, '""')}"` : cell ?? "")).join()).join("\n")}\n`;

const paragraph = (text, className = "") => Object.assign(document.createElement("p"), { textContent: text, className });
const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
const eigenvalueOf = ({ re, im }) => (im === 0 ? short(re, 6) : `${short(re, 6)} ± ${short(Math.abs(im), 6)} i`);
const doubtful = (uncertainty) => (uncertainty === null || uncertainty > MAX_CERTAIN_ERROR ? " ?" : "");

/** Where an analysis is made. */
const PLACES = { start: "at the start", trim: "at the equilibrium", now: "at the current time" };

/**
 * The analyses by their names. `places` of the analysis, first the default; `fields`: key, label, value, least value, unit; `show` fills
 * the host with a result and returns the files to save: button, ending, text.
 */
const ANALYSES = {
  trim: {
    title: "Trim", places: ["trim"], fields: [],
    about: "Finds the static equilibrium near the initial position, or steady driving of a vehicle, as the command check --trim.",
    show: (host, result, panel) => {
      const { report } = result;
      host.append(paragraph(`Found in ${counted(report.iterations, "iteration")}; potential energy ${short(report.potential_energy, 6)} J.`));
      if (report.unstable_directions > 0) host.append(paragraph(`Unstable: ${counted(report.unstable_directions, "direction")} with negative stiffness.`, "wrong"));
      const { driving } = report;
      if (driving) {
        const words = [`Steady driving at ${short(driving.speed_m_s, 6)} m/s`];
        if (Math.abs(driving.turning_rad_s) > 1e-9) words.push(`yaw rate ${short(driving.turning_rad_s, 6)} rad/s`, `radius ${short(Math.abs(driving.speed_m_s / driving.turning_rad_s), 6)} m`);
        if (driving.torque_nm !== null) words.push(`drive torque ${short(driving.torque_nm, 6)} N m`);
        if (driving.held_n !== 0) words.push(`balanced by ${short(driving.held_n, 6)} N`);
        host.append(paragraph(`${words.join(", ")}.`));
      }
      const left = (name) => (name in report.forces_left ? short(report.forces_left[name], 2) : "dependent or driven");
      const rows = Object.entries(report.coordinates);
      host.append(panel.pictureButton(result, "Show in the picture", "Equilibrium"), panel.startButton());
      host.append(tableOf(["coordinate", "rad or m", "residual force in N m or N"], rows.map(([name, value]) => [name, short(value, 8), left(name)])));
      return [["CSV", "csv", csv([["coordinate", "value", "residual_force"], ...rows.map(([name, value]) => [name, value, report.forces_left[name]])])]];
    },
  },
  modes: {
    title: "Modes", places: ["start", "trim"], fields: [["count", "Number", 10, 1, ""]],
    about: "Natural frequencies and damping of small motions, as the command modes. Click an oscillation to animate its shape.",
    show: (host, result, panel) => {
      const { report } = result;
      let shape = 0;
      const rows = report.modes.map((mode, k) => {
        const own = mode.im !== 0 && result.drawing ? shape++ : -1;
        let name = String(k + 1);
        if (own >= 0) {
          name = button(String(k + 1), () => panel.animate(result, own), "Animate this mode in the picture");
          name.dataset.shape = own;
        }
        return [name, short(mode.frequency_hz, 6) + doubtful(mode.uncertainty), short(mode.damping, 4), eigenvalueOf(mode), mode.moves];
      });
      host.append(tableOf(["mode", "Hz", "damping ratio", "eigenvalue in 1/s", "moves"], rows));
      if (report.modes.some(({ uncertainty }) => doubtful(uncertainty))) host.append(paragraph("?  The relative rounding error may exceed 0.001: the model also has much stiffer modes."));
      if (shape === 0) host.append(paragraph("No mode oscillates."));
      const numbers = report.modes.map((mode, k) => [k + 1, mode.frequency_hz, mode.damping, mode.re, mode.im, mode.moves]);
      return [["CSV", "csv", csv([["mode", "frequency_hz", "damping", "re", "im", "moves"], ...numbers])]];
    },
  },
  linearize: {
    title: "Linearize", places: ["start", "trim", "now"], fields: [],
    about: "State space dx/dt = A x + B u + E p, y = C x + D u + F p for small changes, as the command linearize.",
    show: (host, result) => {
      const { report } = result;
      host.append(paragraph(`At t = ${short(report.time_s, 6)} s: ${counted(report.states.length, "state")}, ${counted(report.inputs.length, "input")}, ${counted(report.outputs.length, "output")}, ${counted(report.parameters.length, "tunable parameter")}.`));
      const values = report.eigenvalues.filter(({ im }) => im >= 0);
      host.append(tableOf(["eigenvalue of A in 1/s", "Hz", "damping ratio", "moves"], values.map((value) => [eigenvalueOf(value), short(value.frequency_hz, 6) + doubtful(value.uncertainty ?? 0), short(value.damping, 4), value.moves || ""])));
      const { states, inputs, outputs, parameters } = report;
      for (const [name, rows, columns] of [["A", states, states], ["B", states, inputs], ["C", outputs, states], ["D", outputs, inputs], ["E", states, parameters], ["F", outputs, parameters]]) {
        if (rows.length === 0 || columns.length === 0) continue;
        const details = document.createElement("details");
        details.append(Object.assign(document.createElement("summary"), { textContent: `${name}: ${rows.length} × ${columns.length}` }));
        details.addEventListener("toggle", () => {
          if (details.children.length > 1) return;
          if (rows.length * columns.length > MAX_LISTED) details.append(paragraph("Too large for a list. Save the matrices as a file."));
          else details.append(tableOf(["", ...columns], rows.map((row, i) => [row, ...report[name.toLowerCase()][i].map((x) => short(x, 6))])));
        });
        host.append(details);
      }
      return [["MATLAB .m", "m", result.script]];
    },
  },
  verify: {
    title: "Verify", places: ["start", "trim"], fields: [["tolerance", "Tolerance", 1e-3, 0, ""], ["stop", "Stop time", null, null, "s"]],
    about: "Estimates the error of the results: runs with the step h, h/2 and h/4 and with a second integrator, as the command verify.",
    show: (host, result) => {
      const { report } = result;
      const worst = [...report.outputs].sort((a, b) => b.relative_error - a.relative_error)[0];
      const step = (value) => (value === null ? "–" : `${value >= 3.999 * report.step ? "≥ " : ""}${short(value, 2)} s`);
      if (!report.converges) host.append(paragraph(`Not verified: ${report.failures.join("; ")}.`, "wrong"));
      else if (!worst) host.append(paragraph("Verified: no output changes."));
      else host.append(paragraph(`Verified: all results converge; largest relative error ${short(worst.relative_error, 2)} (${worst.name}); step for the tolerance ${step(report.step_for_tolerance)}.`));
      host.append(paragraph(`${report.start} s to ${report.stop} s with ${report.integrator} (order ${report.order}), h = ${report.step} s, tolerance ${report.tolerance} of the peak.`));
      for (const remark of report.remarks) host.append(paragraph(`Note: ${remark}.`));
      const number = (value, digits) => (value === null ? "–" : short(value, digits));
      host.append(tableOf(["output", "unit", "error at h", "relative", "order", "step for tolerance", "other integrator", ""],
        report.outputs.map((one) => [one.name, one.unit, number(one.error, 3), number(one.relative_error, 2), one.order === null ? "–" : one.order.toFixed(1), step(one.step_for_tolerance), number(one.second_difference, 3), one.words])));
      const details = document.createElement("details");
      details.append(Object.assign(document.createElement("summary"), { textContent: "Runs" }));
      details.append(tableOf(["integrator", "step in s", "steps", "gap in m", "velocity gap in m/s", "energy error in J", "energy exchanged in J", "near singular", "halved", "changes", ""],
        report.runs.map((run) => [run.integrator, short(run.step, 6), String(run.steps), number(run.largest_gap, 2), number(run.largest_velocity_gap, 2), number(run.energy_change, 3), number(run.energy_exchanged, 3), String(run.near_singular_steps), String(run.halved_steps), String(run.coordinate_changes), run.fault ? "stopped by a fault" : ""])));
      host.append(details);
      const keys = ["name", "unit", "size", "error", "relative_error", "order", "verdict", "agree_until", "step_for_tolerance", "second_difference"];
      return [["CSV", "csv", csv([keys, ...report.outputs.map((one) => keys.map((key) => one[key]))])]];
    },
  },
};

/** The panel of the analyses. */
class Analyses {
  constructor(edit) {
    Object.assign(this, { edit, host: element("analyses"), current: "modes", jobs: new Map(), last: 0, results: {}, shown: null });
    this.options = Object.fromEntries(Object.entries(ANALYSES).map(([name, { places, fields }]) => [name, { place: places[0], ...Object.fromEntries(fields.map(([key, , value]) => [key, value])) }]));
    this.analyst = new Analyst((message) => this.answered(message));
    element("analyse").addEventListener("click", () => this.open(this.host.hidden));
    element("return").addEventListener("click", () => this.leave());
    hooks.mode = () => this.mark();
  }

  open(on) {
    this.host.hidden = !on;
    element("analyse").setAttribute("aria-pressed", String(on));
    if (on) this.draw();
  }

  // Requests.

  /** Files of the valid model. */
  files() {
    const { valid, files } = this.edit;
    return new Map([...valid.texts].map(([path, text]) => [path, text ?? files.get(path).bytes]));
  }

  /** Parameters with other values than in the file. */
  set() {
    if (live) this.changed = live.info.parameters.flatMap(({ n, f }, k) => (live.parameters[k].value === f ? [] : [[n, live.parameters[k].value]]));
    return this.changed || [];
  }

  run(name) {
    const { edit } = this;
    if (!edit.valid || this.jobs.has(name)) return;
    const { place, ...options } = this.options[name];
    const request = { analysis: name, main: edit.main, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null)) };
    if (place !== "now") Object.assign(request, { trim: place === "trim", set: this.set() });
    const job = { id: ++this.last, name, place, request, texts: edit.valid.texts, rev: edit.valid.rev, began: performance.now() };
    this.jobs.set(name, job);
    delete this.results[name];
    // The state of the run comes from the worker that steps the model.
    if (place === "now") solver.post({ do: "state", rev: edit.valid.rev });
    else this.analyst.ask(job.id, request, this.files());
    this.draw();
  }

  on_state({ state: present }) {
    const job = this.jobs.get("linearize");
    if (!job || job.place !== "now" || job.request.state) return;
    job.request.state = present;
    this.analyst.ask(job.id, job.request, this.files());
  }

  check() {
    const { edit } = this;
    if (!edit.valid || this.jobs.has("check")) return;
    const job = { id: ++this.last, name: "check", texts: edit.valid.texts, rev: edit.valid.rev, began: performance.now() };
    this.jobs.set("check", job);
    element("check").disabled = true;
    this.analyst.ask(job.id, { analysis: "check", main: edit.main }, this.files());
  }

  /** Ends all requests; `why` is shown in their place. */
  cancel(why) {
    if (this.jobs.size === 0) return;
    this.analyst.stop();
    for (const name of this.jobs.keys()) if (name !== "check") this.results[name] = { error: why };
    this.jobs.clear();
    element("check").disabled = false;
    this.draw();
  }

  answered({ id, answer, error, ms }) {
    if (id === null) return this.cancel(error);
    const job = [...this.jobs.values()].find((one) => one.id === id);
    if (!job) return undefined;
    this.jobs.delete(job.name);
    const report = answer && JSON.parse(answer.report);
    if (job.name === "check") {
      element("check").disabled = false;
      return this.edit.on_checked({ rev: job.rev, check: error ? { error } : report });
    }
    this.results[job.name] = error ? { error } : { ...answer, text: answer.report, report, job, ms };
    return this.draw();
  }

  /** Whether the texts of the model differ from those of a result. */
  stale({ texts }) {
    const { files } = this.edit;
    return texts.size !== files.size || [...texts].some(([path, text]) => !files.has(path) || files.get(path).text !== text);
  }

  /** The text has changed, so that a result may be of another model. */
  changedText() {
    if (!this.host.hidden && this.results[this.current]) this.warn();
  }

  /** A model is about to be shown in place of the present one. */
  compiled() {
    if (this.shown) {
      this.close();
      state.playing = this.shown.playing;
      this.shown = null;
    }
    const old = [...this.jobs.values()].filter((job) => this.stale(job));
    if (old.length === 0) return this.changedText();
    this.cancel("Cancelled, because the text has changed.");
    // A request right after the last key is for the new text.
    for (const { name, began } of old) if (performance.now() - began < MEANT_AFTER) name === "check" ? this.check() : this.run(name);
    return undefined;
  }

  /** Other files replace all present ones. */
  reset() {
    this.cancel("");
    if (this.shown) this.close();
    this.shown = null;
    [this.results, this.changed] = [{}, []];
    this.draw();
  }

  // The picture.

  /** Shows a drawing in place of the run, which pauses. */
  enter(result, what) {
    if (this.shown && this.shown.result === result) return;
    const { edit } = this;
    edit.handles.set(false);
    const playing = this.shown ? this.shown.playing : state.playing;
    this.set();
    play(false);
    load(result.drawing);
    this.shown = { result, playing };
    element("return").textContent = `${what}: back to the run`;
    element("return").hidden = false;
  }

  close() {
    play(false);
    element("return").hidden = true;
  }

  /** Shows the run again. */
  leave() {
    const { shown, edit } = this;
    if (!shown) return;
    this.close();
    this.shown = null;
    load(edit.valid.model, { rev: edit.valid.rev, carried: edit.valid.carried });
    if (shown.playing) play(true);
    this.mark();
  }

  animate(result, shape) {
    this.enter(result, `Mode shapes ${PLACES[result.job.place]}`);
    motion.modes.choose(shape, () => go(motion.time));
    if (!still) play(true);
    this.mark();
  }

  /** Marks the mode that is animated. */
  mark() {
    const chosen = this.shown && motion.modes ? motion.modes.current : -1;
    for (const made of this.host.querySelectorAll("[data-shape]")) made.closest("tr").classList.toggle("selected", Number(made.dataset.shape) === chosen);
  }

  pictureButton(result, label, what) {
    return button(label, () => this.enter(result, what), "The run pauses meanwhile");
  }

  /** Writes `trim = true` in the table `[experiment]`, so that the run starts at the equilibrium. */
  startButton() {
    const { edit } = this;
    const lines = () => edit.files.get(edit.main).text.split("\n");
    const found = () => {
      const all = lines();
      const from = all.findIndex((line) => (TABLE.exec(line) || [])[1] === "experiment") + 1;
      if (from === 0) return { all, from: 0, key: 0 };
      const [, to] = tableAround(all, from);
      const key = all.findIndex((line, k) => k >= from && k < to && /^\s*trim\s*=/.test(line)) + 1;
      return { all, from, key };
    };
    const { all, key } = found();
    const made = button("Use as start", () => {
      const now = found();
      const editor = edit.open(edit.main);
      if (now.key) editor.replace({ line: now.key, column: 1 }, { line: now.key, column: 1e9 }, now.all[now.key - 1].replace(/=\s*\w+/, "= true"));
      else if (now.from) editor.replace({ line: now.from, column: 1e9 }, { line: now.from, column: 1e9 }, "\ntrim = true");
      else editor.replace({ line: now.all.length, column: 1e9 }, { line: now.all.length, column: 1e9 }, "\n[experiment]\ntrim = true\n");
      [edit.carry, made.disabled] = ["start", true];
    }, "Write `trim = true` in the table [experiment]: every run starts at the equilibrium");
    made.disabled = key > 0 && /=\s*true/.test(all[key - 1]);
    return made;
  }

  // The panel.

  draw() {
    const { host, current } = this;
    const tabs = Object.assign(document.createElement("div"), { className: "buttons" });
    tabs.setAttribute("role", "tablist");
    for (const [name, { title }] of Object.entries(ANALYSES)) {
      const tab = button(title, () => { this.current = name; this.draw(); });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(name === current));
      tab.dataset.analysis = name;
      tabs.append(tab);
    }
    const body = document.createElement("div");
    body.setAttribute("role", "tabpanel");
    body.append(paragraph(ANALYSES[current].about, "good"), this.form());
    host.replaceChildren(tabs, body);
    clearInterval(this.ticking);
    const [job, result] = [this.jobs.get(current), this.results[current]];
    if (job) {
      const elapsed = paragraph("", "");
      const tick = () => { elapsed.textContent = `Computing … ${((performance.now() - job.began) / 1000).toFixed(0)} s`; };
      tick();
      this.ticking = setInterval(tick, 500);
      body.append(elapsed);
    } else if (result) this.present(body, result);
    this.mark();
  }

  form() {
    const { current } = this;
    const [{ places, fields }, options] = [ANALYSES[current], this.options[current]];
    const form = Object.assign(document.createElement("form"), { className: "buttons" });
    if (places.length > 1) {
      const select = document.createElement("select");
      select.setAttribute("aria-label", "Where");
      select.append(...places.map((place) => Object.assign(document.createElement("option"), { value: place, textContent: PLACES[place] })));
      select.value = options.place;
      select.addEventListener("change", () => { options.place = select.value; });
      form.append(select);
    }
    for (const [key, label, , least, unit] of fields) {
      const [holder, field] = [document.createElement("label"), document.createElement("input")];
      Object.assign(field, { type: "number", step: "any", value: options[key] ?? "", name: key, placeholder: "of the model" });
      field.addEventListener("input", () => {
        const value = Number(field.value);
        const good = field.value !== "" && Number.isFinite(value) && (least === null || value >= least);
        options[key] = key === "count" && good ? Math.round(value) : good ? value : fields.find(([own]) => own === key)[2];
      });
      holder.append(label, field, unit);
      form.append(holder);
    }
    const running = this.jobs.has(current);
    const run = Object.assign(document.createElement("button"), { textContent: running ? "Cancel" : "Run", type: "submit" });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (running) this.cancel("Cancelled.");
      else this.run(current);
    });
    form.append(run);
    return form;
  }

  /** Says that a result is of another text. */
  warn() {
    const [note, result] = [this.host.querySelector(".stale"), this.results[this.current]];
    if (note && result.job) note.hidden = !this.stale(result.job);
  }

  present(body, result) {
    if (result.error !== undefined) {
      if (result.error) body.append(paragraph(result.error, "wrong"));
      return;
    }
    const { job } = result;
    const note = paragraph("The text has changed since. Run again for the present model.", "stale wrong");
    body.append(note);
    if (job.request.set && job.request.set.length > 0) body.append(paragraph(`With ${job.request.set.map(([name, value]) => `${name} = ${value}`).join(", ")}.`));
    const host = document.createElement("div");
    const files = ANALYSES[job.name].show(host, result, this);
    for (const text of result.notes) host.prepend(paragraph(`Note: ${text}`));
    const row = Object.assign(document.createElement("div"), { className: "buttons" });
    const name = `${(data.name || "model").replace(/[^\w.-]+/g, "_")}.${job.name}`;
    for (const [label, ending, text] of [["JSON", "json", result.text], ...files]) row.append(button(`Save ${label}`, () => save(`${name}.${ending}`, text), `${name}.${ending}`));
    row.append(paragraph(`${(result.ms / 1000).toFixed(2)} s`, "good"));
    body.append(host, row);
    this.warn();
  }
}
