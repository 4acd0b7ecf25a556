// What a live page shows over the picture: what drives the model, the health of the run, and the instruments of a vehicle.

/** Limits of a good run: constraint violation as a fraction of the size of the mechanism (velocities per second), energy drift as a fraction of the energies. */
const MAX_GAP = 1e-6;
const MAX_DRIFT = 1e-3;
/** Outputs about the run, by the descriptions that the program gives them. */
const RUN_OUTPUTS = {
  gap: "Gap", velocityGap: "Velocity gap", singular: "Near singular", choices: "Repartitions",
  balance: "Energy balance", kinetic: "Kinetic energy", potential: "Potential energy", dissipated: "Dissipated energy", work: "Input work",
};

const STEERING_WHEEL = '<svg viewBox="-50 -50 100 100" aria-hidden="true"><g fill="none" stroke="currentColor"><circle r="40" stroke-width="11"/><path d="M-38-3H-12M12-3H38M0 12V38" stroke-width="9"/><circle r="10" stroke-width="8"/></g></svg>';

/** An element with a class and a text. */
function made(tag, name = "", text = "") {
  const node = document.createElement(tag);
  node.className = name;
  node.textContent = text;
  return node;
}

class Instruments {
  /** `start` lets the model run. */
  constructor(data, motion, plots, live, start) {
    Object.assign(this, { data, motion, plots, live, start });
    this.numbers = {};
    data.plots.curves.forEach(({ d }, k) => {
      const what = Object.keys(RUN_OUTPUTS).find((key) => d === `${RUN_OUTPUTS[key]} of the model`);
      if (what) this.numbers[what] = k;
    });
    this.dash();
    this.makeHealth();
  }

  /** Another model takes the place of the present one. */
  end() {
    for (const node of [this.hint, this.panel, this.health]) if (node) node.remove();
  }

  // What drives the model.

  /** Shows keys, gamepad and sliders in the picture until the user touches one of them. */
  showHint() {
    const { live } = this;
    const rows = new Map();
    // A phone has no keys.
    const touch = window.matchMedia("(pointer: coarse)").matches;
    for (const { knob, up, down } of touch ? [] : live.drives) {
      const keys = [up, down].map((names) => names.filter((name) => !PAD[name]));
      if (keys.flat().length === 0) continue;
      const key = JSON.stringify(keys);
      rows.set(key, [...(rows.get(key) || []), knob.title]);
    }
    this.hint = made("div", "");
    this.hint.id = "hint";
    const head = made("div", "");
    const button = made("button", "", "▶ Start");
    button.addEventListener("click", this.start);
    head.append(made("b", "", rows.size > 0 ? "Press a key to drive" : "Move a slider to drive"), button);
    const list = document.createElement("dl");
    for (const [key, titles] of rows) {
      // The help lists all keys; here the first of each direction has to do.
      const dt = document.createElement("dt");
      for (const [name] of JSON.parse(key)) if (name) dt.append(made("kbd", "", spelled([name])));
      const row = document.createElement("div");
      row.append(dt, made("dd", "", titles.length > 1 ? `${titles[0]} and ${titles.length - 1} more` : titles[0]));
      list.append(row);
    }
    const pads = live.drives.flatMap(({ up, down }) => [...up, ...down]).filter((name) => PAD[name]).map((name) => name.replace(/_(left|right|up|down)$/, "").replace(/_/g, " "));
    const others = [pads.length > 0 ? `gamepad (${[...new Set(pads)].join(", ")})` : "", rows.size > 0 ? "sliders" : ""].filter(Boolean);
    const also = made("p", "", others.length > 0 ? `Also: ${others.join(", ")}` : "");
    this.hint.append(head, list, also);
    element("stage").append(this.hint);
  }

  /** Removes the hint; returns whether it was there. */
  hideHint() {
    const there = Boolean(this.hint);
    if (there) this.hint.remove();
    this.hint = null;
    return there;
  }

  // The health of the run.

  makeHealth() {
    const { gap, velocityGap, balance } = this.numbers;
    this.begun = null;
    if ([gap, velocityGap, balance].every((number) => number === undefined)) return;
    this.health = made("button", "good", "Health: good");
    this.health.id = "health";
    element("pace").before(this.health);
    // Panels of these outputs alone appear on request.
    const own = new Set(["gap", "velocityGap", "singular", "choices"].map((key) => this.numbers[key]));
    const panels = this.plots.panels.filter(({ panel }) => panel.curves.every(([number]) => own.has(number)));
    const show = (on) => {
      panels.forEach(({ canvas }) => { canvas.parentElement.hidden = !on; });
      this.health.setAttribute("aria-pressed", String(on));
    };
    show(false);
    this.health.addEventListener("click", () => {
      show(this.health.getAttribute("aria-pressed") === "false");
      this.plots.draw();
      if (panels[0] && !panels[0].canvas.parentElement.hidden) panels[0].canvas.parentElement.scrollIntoView({ block: "nearest" });
    });
  }

  /** Takes the next energy as the reference: the model was changed or reset. */
  rebase() {
    this.begun = null;
  }

  /** Compares the outputs of a point with the limits. */
  check(outputs, singular) {
    if (!this.health) return;
    const { size } = this.data;
    const value = (key) => outputs[this.numbers[key]];
    const bad = [];
    const lines = [];
    const line = (text, wrong) => {
      lines.push(text);
      if (wrong) bad.push(text);
    };
    const limit = MAX_GAP * size;
    if (value("gap") !== undefined) line(`Constraint violation: ${short(quiet(value("gap"), size), 2)} m (limit ${short(limit, 2)} m)`, !(value("gap") <= limit));
    if (value("velocityGap") !== undefined) line(`Velocity violation: ${short(quiet(value("velocityGap"), size), 2)} m/s (limit ${short(limit, 2)} m/s)`, !(value("velocityGap") <= limit));
    if (value("balance") !== undefined) {
      const [balance, potential] = [value("balance"), value("potential") || 0];
      // A model at rest has hardly any energy: then the energy to lift it by a millionth of its size counts.
      if (!this.begun) this.begun = { balance, potential, size: 1e-6 * this.plots.sizes.J };
      const energies = [value("kinetic"), potential - this.begun.potential, value("dissipated"), value("work")];
      if (energies[0] === undefined) energies.push(balance);
      this.begun.size = Math.max(this.begun.size, ...energies.map((energy) => Math.abs(energy || 0)));
      const change = quiet(balance - this.begun.balance, this.begun.size);
      const drift = change === 0 ? 0 : Math.abs(change) / this.begun.size;
      line(`Energy drift: ${short(drift, 2)} of the largest energy (limit ${MAX_DRIFT})`, !(drift <= MAX_DRIFT));
    }
    if (singular) line("Near a singular position", false);
    this.state = bad.length > 0 ? "warning" : "good";
    if (this.health.className !== this.state) {
      this.health.className = this.state;
      this.health.textContent = `Health: ${this.state}`;
    }
    const title = [...lines, "Click to show or hide the curves"].join("\n");
    if (this.health.title !== title) this.health.title = title;
  }

  // The instruments of a vehicle.

  dash() {
    if (this.data.parts.wheels.length === 0) return;
    this.panel = made("div", "");
    this.panel.id = "dash";
    this.speed = made("output", "", "–");
    this.speed.setAttribute("aria-label", "Speed");
    const leader = this.data.bodies[this.data.live.lead];
    this.velocity = this.data.plots.curves.findIndex(({ d }) => d.startsWith(`x: Velocity of \`${leader}\`, in the axes`));
    const speed = made("span", "");
    speed.append(this.speed, made("small", "", "km/h"));
    this.panel.append(speed);
    this.gearNumber = this.data.plots.curves.findIndex(({ n, unit }) => unit === "1" && /(^|\.)gear$/.test(n));
    if (this.gearNumber >= 0) {
      this.gear = made("output", "", "–");
      const gear = made("span", "");
      gear.append(this.gear, made("small", "", "gear"));
      this.panel.append(gear);
    }
    this.steering = this.live.inputs.find(({ n, unit }) => unit === "rad" && /steer/.test(n));
    if (this.steering) {
      this.wheel = made("span", "wheel");
      this.wheel.innerHTML = STEERING_WHEEL;
      this.panel.append(this.wheel);
    }
    element("stage").append(this.panel);
  }

  /** Shows the speed of the leading body, the gear and the steering wheel. */
  drive(time, outputs) {
    if (!this.panel) return;
    const place = this.motion.positions[this.data.live.lead];
    const last = this.last;
    const elapsed = last ? time - last.time : 0;
    if (!last && this.velocity >= 0) this.speed.textContent = (3.6 * Math.abs(outputs[this.velocity])).toFixed(0);
    if (elapsed > 0 && elapsed < 0.5) {
      // The speed over the ground, without heave.
      const way = subtract(place, last.place);
      const flat = subtract(way, scale(this.data.up, dot(way, this.data.up)));
      this.speed.textContent = ((3.6 * norm(flat)) / elapsed).toFixed(0);
    }
    if (elapsed !== 0 || !last) this.last = { time, place };
    if (this.gear) {
      const gear = Math.round(outputs[this.gearNumber]);
      this.gear.textContent = gear < 0 ? "R" : gear === 0 ? "N" : String(gear);
    }
    if (this.steering) this.wheel.querySelector("g").setAttribute("transform", `rotate(${(-180 / Math.PI) * this.steering.value})`);
  }
}
