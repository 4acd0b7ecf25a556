// The live page: the worker that steps the model, and what drives it: sliders, keys, a gamepad, the pointer.

/** Keys that write no letter, by the names of model files. */
const KEY_NAMES = { " ": "space", ArrowLeft: "arrow_left", ArrowRight: "arrow_right", ArrowUp: "arrow_up", ArrowDown: "arrow_down" };
const SIGNS = { arrow_left: "←", arrow_right: "→", arrow_up: "↑", arrow_down: "↓" };
/** Parts of a gamepad of the standard layout: a button, or an axis and its side. */
const PAD = {
  left_stick_left: [0, -1], left_stick_right: [0, 1], left_stick_up: [1, -1], left_stick_down: [1, 1],
  right_stick_left: [2, -1], right_stick_right: [2, 1], right_stick_up: [3, -1], right_stick_down: [3, 1],
  button_a: [0], button_b: [1], button_x: [2], button_y: [3], left_trigger: [6], right_trigger: [7],
  dpad_up: [12], dpad_down: [13], dpad_left: [14], dpad_right: [15],
};
const WINDOW = 10;

/** The worker with the solver. `edit` receives the messages about the text of a workshop page, the present model all others. */
class Solver {
  constructor(edit = null) {
    Object.assign(this, { edit, live: null });
    const source = element("worker").textContent;
    this.worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    this.worker.onmessage = ({ data: message }) => this.receive(message);
    this.worker.onerror = (event) => this.receive({ is: "fault", rev: this.live ? this.live.rev : undefined, text: event.message });
  }

  receive(message) {
    const { edit, live } = this;
    const name = `on_${message.is}`;
    if (edit && edit[name]) edit[name](message);
    // Messages of an earlier model can still arrive.
    else if (live && live.rev === message.rev) live[name](message);
  }

  post(message, transferred = []) {
    this.worker.postMessage(message, transferred);
  }

  /** The library of the page, compressed. */
  static library() {
    return Uint8Array.from(atob(element("library").textContent), (character) => character.charCodeAt(0)).buffer;
  }
}

class Live {
  /** `compiled`: number of the model and whether it continues the run, if the worker has compiled it; null: the worker opens it. */
  constructor(data, motion, drawing, plots, page, solver, compiled) {
    Object.assign(this, { data, info: data.live, motion, drawing, plots, page, solver, rev: compiled ? compiled.rev : undefined, opened: Boolean(compiled), point: 0, time: motion.start, held: new Set(), waiting: {}, asked: [], pulling: false, pushing: false, strength: 1, fault: "", warning: "", frames: 0 });
    this.ended = new AbortController();
    const outputNames = data.plots.curves.map((curve) => curve.n);
    this.names = outputNames;
    if (plots.curves) plots.feedFrom(WINDOW);
    this.controls();
    this.instruments = new Instruments(data, motion, plots, this, () => page.begin());
    // The load of the pull, drawn as the others.
    this.pullLoad = { kind: "force", b: 0, p: [0, 0, 0], i: -1, v: [0, 1, 2].map(() => new Float64Array(1)) };
    motion.loads.push(this.pullLoad);
    solver.live = this;
    this.repeatable(!compiled || compiled.carried.how === "start");
    if (!this.opened) {
      const library = Solver.library();
      solver.post({ do: "open", library, live: this.info, outputNames }, [library]);
    }
    this.polled = performance.now();
    this.polling = setInterval(() => this.poll(), 16);
  }

  /** Another model takes its place. */
  end() {
    clearInterval(this.polling);
    this.ended.abort();
    this.instruments.end();
    if (this.solver.live === this) this.solver.live = null;
  }

  /** Requests wait until the library is compiled. */
  send(what, more = {}) {
    if (!this.opened) this.asked.push([what, more]);
    else this.solver.post({ do: what, rev: this.rev, ...more });
  }

  // What the worker says.

  on_opened() {
    this.opened = true;
    for (const [what, more] of this.asked.splice(0)) this.send(what, more);
  }

  on_frame({ time, point, frame, outputs, extremes, pull, inputs, parameters, failed }) {
    const { motion, drawing, info } = this;
    let at = 1;
    for (const pose of motion.poses) for (const series of pose) series[0] = frame[at++];
    for (const body of motion.elastic) for (const series of body) series[0] = frame[at++];
    for (const number of info.loads) {
      const load = number === null ? null : motion.loads[number];
      if (load) {
        load.v.forEach((series, k) => { series[0] = frame[at + k]; });
        if (load.at) load.at.forEach((series, k) => { series[0] = frame[at + 3 + k]; });
        const size = Math.hypot(...load.v.map((series) => series[0]));
        if (load.kind === "torque") drawing.torqueSize = Math.max(drawing.torqueSize, size);
        else drawing.forceSize = Math.max(drawing.forceSize, size);
      }
      at += 6;
    }
    for (const series of motion.tensions.values()) series[0] = frame[at++];
    // A model that was changed while it moved begins later than its experiment, until it is reset.
    motion.start = Math.min(motion.start, time);
    motion.stop = Math.max(motion.stop, time);
    if (time < this.time) motion.stop = time;
    this.time = time;
    this.point = point;
    this.pull = pull;
    if (pull) this.pullLoad.b = pull.body;
    this.pullLoad.v.forEach((series, k) => { series[0] = pull ? pull.force[k] : 0; });
    if (pull) drawing.forceSize = Math.max(drawing.forceSize, norm(pull.force));
    motion.set(time);
    motion.nodes.forEach((nodes, k) => nodes.forEach((node) => { drawing.largest[k] = Math.max(drawing.largest[k], node.size); }));
    if (this.plots.curves) this.plots.feed(time, outputs, extremes);
    if (inputs) {
      this.inputs.forEach((knob, k) => knob.show(inputs[k]));
      this.parameters.forEach((knob, k) => knob.show(parameters[k]));
      if (this.fault && !failed) this.say("fault", "");
    }
    this.singular = frame[0] !== 0;
    this.instruments.check(outputs, this.singular);
    this.instruments.drive(time, outputs);
    this.frames++;
    this.page.moved();
  }

  on_pace({ factor, able }) {
    const wanted = this.page.state.speed;
    const slow = factor < 0.95 * wanted;
    element("pace").textContent = `${short(factor, 3)} × real time; up to ${short(able, 2)} ×`;
    element("pace").classList.toggle("slow", slow && able < wanted);
    element("pace").title = slow && able < wanted ? `This browser cannot run this model at ${wanted} × real time` : "Simulated time per real time, and the maximum that this browser can compute";
  }

  on_fault({ text }) {
    this.page.play(false);
    this.say("fault", `Stopped: ${text}`);
  }

  on_warning({ text }) {
    this.say("warning", text && `Warning: ${text}`);
  }

  on_table({ text }) {
    this.answer("table", text);
  }

  on_drive(message) {
    this.answer("drive", message);
  }

  on_replay(message) {
    this.answer("replay", message);
  }

  answer(what, value) {
    (this.waiting[what] || []).forEach((resolve) => resolve(value));
    this.waiting[what] = [];
  }

  ask(what) {
    return new Promise((resolve) => {
      (this.waiting[what] = this.waiting[what] || []).push(resolve);
      this.send(what);
    });
  }

  say(what, text) {
    this[what] = text;
    this.page.message([this.fault, this.warning].filter(Boolean).join("\n"));
  }

  // Requests of the page.

  play(on) {
    if (on && !this.fault) this.say("fault", "");
    if (on) this.instruments.hideHint();
    this.send("play", { on });
  }

  step(count) {
    if (count > 0) this.send("step", { count });
    else this.send("seek", { to: this.point + count });
  }

  seek(time) {
    this.send("seek", { to: this.point + (time - this.time) / this.info.step });
  }

  reset() {
    this.motion.stop = this.motion.start;
    this.time = this.motion.start;
    if (this.plots.curves) this.plots.forget();
    this.say("warning", "");
    this.instruments.rebase();
    this.repeatable(true);
    this.send("reset");
  }

  /** Whether the program can repeat the run: not if the model was changed while it moved. */
  repeatable(can) {
    element("save-drive").disabled = !can;
    element("save-drive").title = can ? "Save the inputs so far as a file for ballesta run --inputs" : "The model was changed while it moved. Reset to record a drive that the program can repeat";
  }

  // Sliders.

  controls() {
    const host = element("live");
    while (host.children.length > 1) host.lastChild.remove();
    const { info } = this;
    const listen = (id, act) => element(id).addEventListener("click", act, { signal: this.ended.signal });
    const { inputs, parameters } = info;
    const rest = document.createElement("details");
    const shown = new Map(info.sliders.map((slider) => [slider.k, slider]));
    const knobs = [...inputs, ...parameters].map((variable, k) => {
      const what = k < inputs.length ? "input" : "parameter";
      const range = info.sliders.find(({ follow }) => follow.includes(k))?.range ?? null;
      const slider = shown.get(k) || { range, follow: [], label: null };
      const knob = new Knob(variable, slider, (v) => {
        this.send(what, { k: variable.k, v });
        if (what === "parameter") this.instruments.rebase();
        for (const other of slider.follow) this.inputs[other].set(v);
      });
      knob.slider.addEventListener("input", () => this.page.begin());
      if (!shown.has(k)) rest.append(knob.label);
      return knob;
    });
    this.inputs = knobs.slice(0, inputs.length);
    this.parameters = knobs.slice(inputs.length);
    host.append(...info.sliders.map(({ k }) => knobs[k].label));
    if (rest.children.length > 0) {
      const summary = document.createElement("summary");
      summary.textContent = `${inputs.some((_, k) => !shown.has(k)) ? "Further inputs and parameters" : "Parameters"} (${rest.children.length})`;
      rest.prepend(summary);
      host.append(rest);
    }
    this.drives = info.sliders.filter(({ up, down }) => up.length + down.length > 0).map((slider) => ({ ...slider, knob: knobs[slider.k] }));
    for (const { knob, up, down, returns } of this.drives) {
      knob.label.title += `\nKeys and gamepad: ${[up, down].filter((names) => names.length).map(spelled).join(" and ")}${returns ? "; returns when released" : ""}`;
    }
    element("pull").hidden = info.pulls.length === 0;
    listen("pull", () => this.setPulling(!this.pulling));
    element("push").hidden = info.pulls.length === 0;
    listen("push", () => this.setPushing(!this.pushing));
    listen("save-drive", () => this.saveDrive());
    listen("save-table", async () => save(`${this.file}.csv`, await this.ask("table")));
    listen("save-replay", async () => save(`${this.file}.html`, await this.replay()));
    this.setPulling(false);
    this.setPushing(false);
  }

  get file() {
    return this.data.name.replace(/[^\w.-]+/g, "_");
  }

  /** The page of the recorded drive. */
  async replay() {
    const film = await this.ask("replay");
    const fault = this.fault ? [this.time, this.fault.replace(/^Stopped: /, "")] : null;
    return replayPage(this.page.read, replayData(this.data, { ...film, fault }));
  }

  /** The command that repeats a drive. */
  command({ inputs, set, stop, pulled }) {
    const word = (text) => (/[^\w./=+-]/.test(text) ? `'${text}'` : text);
    const words = ["ballesta", "run", word(pulled ? `${this.file}.live.toml` : this.info.typed)];
    if (inputs) words.push("--inputs", word(`${this.file}.drive.csv`));
    for (const [name, value] of set) words.push("--set", word(`${name}=${value}`));
    return [...words, "--stop", String(stop), "--csv", word(`${this.file}.csv`)].join(" ");
  }

  async saveDrive() {
    const drive = await this.ask("drive");
    if (drive.inputs) save(`${this.file}.drive.csv`, drive.inputs);
    if (drive.pulled && this.info.model) save(`${this.file}.live.toml`, this.info.model);
    if (drive.pulled && !this.info.model) return this.page.message("Bodies were pulled or pushed. Only ballesta view --live saves the model with these forces.");
    const parts = [`Reproduce this drive, bit for bit, with\n${this.command(drive)}`];
    if (drive.pulled) parts.push(`Put ${this.file}.live.toml, the model with the pulling forces, into the folder of the files of ${this.info.typed}.`);
    if (drive.parameters !== null) parts.push(`A parameter was changed at t = ${drive.parameters} s: the command is valid up to this time. Reset applies the change from the start.`);
    return this.page.message(parts.join("\n"));
  }

  // Keys and gamepad.

  /** Whether a key drives something. */
  key(key, down) {
    const name = KEY_NAMES[key] || key.toLowerCase();
    if (!this.drives.some(({ up, down: back }) => up.includes(name) || back.includes(name))) return false;
    if (down) {
      this.held.add(name);
      this.page.begin();
    } else this.held.delete(name);
    return true;
  }

  poll() {
    const now = performance.now();
    const elapsed = Math.min((now - this.polled) / 1000, 0.1);
    this.polled = now;
    const pad = navigator.getGamepads ? [...navigator.getGamepads()].find((one) => one && one.connected) : null;
    const pressed = (name) => {
      const [number, side] = (pad && PAD[name]) || [];
      if (side) return Math.max(0, side * (pad.axes[number] || 0));
      return (number !== undefined && pad.buttons[number] && pad.buttons[number].value) || 0;
    };
    for (const drive of this.drives) {
      const { knob, returns, up, down, sweep } = drive;
      const way = up.some((key) => this.held.has(key)) - down.some((key) => this.held.has(key));
      const [low, high] = knob.reach();
      const span = (high - low) / sweep;
      let stick = Math.max(0, ...up.map(pressed)) - Math.max(0, ...down.map(pressed));
      if (Math.abs(stick) < 0.08) stick = 0;
      if (stick !== 0) this.page.begin();
      let wanted = null;
      if (!returns) {
        const rate = way + stick;
        if (rate !== 0) wanted = knob.value + rate * span * elapsed;
      } else if (stick !== 0 || drive.stick) wanted = stick >= 0 ? knob.rest + stick * (high - knob.rest) : knob.rest - stick * (low - knob.rest);
      else if (way !== 0) {
        wanted = knob.value + way * span * elapsed;
        drive.out = true;
      } else if (drive.out) {
        const left = knob.rest - knob.value;
        wanted = Math.abs(left) <= 2 * span * elapsed ? knob.rest : knob.value + Math.sign(left) * 2 * span * elapsed;
        drive.out = wanted !== knob.rest;
      }
      drive.stick = stick !== 0;
      if (wanted !== null) knob.set(Math.min(Math.max(wanted, low), high));
    }
  }

  // Pulling.

  setPulling(on) {
    this.pulling = on;
    element("pull").setAttribute("aria-pressed", String(on));
    if (on) this.setPushing(false);
  }

  setPushing(on) {
    this.pushing = on;
    element("push").setAttribute("aria-pressed", String(on));
    if (on) this.setPulling(false);
  }

  /** Pushes the body of a row in a direction, for a moment; whether it can be pushed. */
  push(row, direction) {
    const pull = this.info.pulls.find(({ i }) => i === row);
    if (!pull || !this.opened) return false;
    this.send("push", { body: pull.b, k: pull.k, mass: pull.m, direction });
    return true;
  }

  /** Takes hold of the body of a row; whether it can be pulled. */
  grab(row) {
    const pull = this.info.pulls.find(({ i }) => i === row);
    if (!pull || !this.opened) return false;
    this.hold = pull;
    return true;
  }

  /** The pointer at a ray: the target is in the plane of the picture through the body. */
  drag(target) {
    if (this.hold) this.send("pull", { body: this.hold.b, k: this.hold.k, mass: this.hold.m, target, strength: this.strength });
  }

  letGo() {
    if (this.hold) this.send("release");
    this.hold = null;
  }
}

/** Offers a file for download. */
function save(name, content, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Keys and parts of a gamepad for people. */
const spelled = (names) => names.map((name) => SIGNS[name] || name.replace(/_/g, " ")).join(", ");

/** A slider with a number field. */
class Knob {
  constructor({ n, unit, v, min, max, d }, { range, label: written }, changed) {
    Object.assign(this, { n, unit, title: written || n, changed, value: v, rest: v });
    const label = document.createElement("label");
    const [name, slider, field, word] = ["span", "input", "input", "span"].map((tag) => document.createElement(tag));
    name.textContent = this.title;
    label.title = d || n;
    word.textContent = unit === "1" ? "" : unit;
    const size = Math.max(Math.abs(v), unit === "rad" ? 1 : 0.5);
    // Without limits in the file: twice the start value, and more in the number field.
    this.ends = range ? [Math.min(v, range[0]), Math.max(v, range[1])] : [min === null ? Math.min(-2 * size, max === null ? Infinity : max) : min, max === null ? Math.max(2 * size, min === null ? -Infinity : min) : max];
    Object.assign(slider, { type: "range", step: "any" });
    Object.assign(field, { type: "number", step: "any" });
    slider.setAttribute("aria-label", n);
    field.setAttribute("aria-label", `${n}, number`);
    label.dataset.input = n;
    slider.addEventListener("input", () => this.set(Number(slider.value)));
    slider.addEventListener("dblclick", () => this.set(this.rest));
    field.addEventListener("change", () => {
      const typed = Number(field.value);
      if (!Number.isFinite(typed)) return;
      this.ends = [Math.min(this.ends[0], min === null ? typed : Math.max(min, typed)), Math.max(this.ends[1], max === null ? typed : Math.min(max, typed))];
      this.set(Math.min(Math.max(typed, this.ends[0]), this.ends[1]));
    });
    Object.assign(this, { label, slider, field });
    label.append(name, slider, field, word);
    this.show(v);
  }

  reach() {
    return this.ends;
  }

  set(value) {
    if (value === this.value) return;
    this.show(value);
    this.changed(value);
  }

  show(value) {
    this.value = value;
    [this.slider.min, this.slider.max] = this.ends;
    this.slider.value = value;
    if (document.activeElement !== this.field) this.field.value = +value.toPrecision(6);
  }
}
