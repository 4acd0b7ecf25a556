// The tree, the selection, the menu of visible parts, the sliders of the joints.

const element = (id) => document.getElementById(id);

class Panel {
  /** `old`: the panel of an earlier version of the model. */
  constructor(data, drawing, motion, changed, old = null) {
    Object.assign(this, { data, drawing, motion, changed, chosen: -1, onSelect: () => {} });
    this.rows = [];
    this.closed = old ? old.groups() : new Map();
    this.tree();
    this.menu();
    this.joints();
  }

  tree() {
    const host = element("rows");
    const { scrollTop } = host;
    host.replaceChildren();
    this.data.groups.forEach((heading, group) => {
      const rows = this.data.items.map((item, i) => [item, i]).filter(([item]) => item.g === group);
      if (rows.length === 0) return;
      const details = document.createElement("details");
      details.open = this.closed.get(heading) ?? rows.length <= 40;
      details.dataset.heading = heading;
      const summary = document.createElement("summary");
      summary.textContent = `${heading} (${rows.length})`;
      details.append(summary);
      for (const [item, i] of rows) {
        const row = document.createElement("button");
        row.className = "row";
        const name = document.createElement("span");
        name.textContent = item.n;
        const detail = document.createElement("small");
        detail.textContent = item.d;
        row.append(name, detail);
        row.addEventListener("click", () => this.select(this.chosen === i ? -1 : i));
        details.append(row);
        this.rows[i] = row;
      }
      host.append(details);
    });
    this.find();
    host.scrollTop = scrollTop;
  }

  /** Hides the rows without the text of the search field. */
  find() {
    const wanted = element("search").value.toLowerCase();
    this.data.items.forEach((item, i) => { this.rows[i].hidden = !(`${item.n} ${item.d}`.toLowerCase().includes(wanted)); });
  }

  /** Which headings of the tree are open. */
  groups() {
    return new Map([...element("rows").querySelectorAll("details")].map((details) => [details.dataset.heading, details.open]));
  }

  /** Selects the row of an item of an earlier version of the model, if there still is one. */
  restore({ g, n }) {
    const i = this.data.items.findIndex((item) => item.g === g && item.n === n);
    if (i < 0) return;
    const { onSelect } = this;
    this.onSelect = () => {};
    this.select(i, false);
    this.onSelect = onSelect;
  }

  /** Selects a row, −1 for none, and highlights its parts. */
  select(i, scroll = true) {
    const { items } = this.data;
    this.chosen = i;
    const related = new Set();
    if (i >= 0) {
      items[i].r.forEach((other) => related.add(other));
      items.forEach((item, k) => { if (item.r.includes(i)) related.add(k); });
    }
    this.drawing.selected = new Set(i >= 0 ? [i] : []);
    // The tree shows the attachments of a body; in the scene only the other parts of a joint or element are highlighted.
    this.drawing.related = new Set(i >= 0 && items[i].g !== 0 ? items[i].r : []);
    this.rows.forEach((row, k) => {
      row.classList.toggle("selected", k === i);
      row.classList.toggle("related", related.has(k));
    });
    if (i >= 0 && scroll) {
      this.rows[i].closest("details").open = true;
      this.rows[i].scrollIntoView({ block: "nearest" });
    }
    const curves = new Set(i >= 0 ? items[i].c || [] : []);
    related.forEach((k) => (items[k].c || []).forEach((curve) => curves.add(curve)));
    const body = i >= 0 && this.data.parts.bodies.find((part) => part.i === i);
    this.drawing.chosenPath = body && this.motion.count > 1 ? { points: this.motion.path([body.b, [0, 0, 0]]) } : null;
    this.onSelect(curves, i);
    this.tell();
    this.changed();
  }

  /** What the selected part does at the present time. */
  tell() {
    const box = element("info");
    const i = this.chosen;
    box.hidden = i < 0;
    if (i < 0) return;
    const item = this.data.items[i];
    const lines = [item.d];
    const vector = (v) => v.map((x) => short(x)).join(", ");
    const body = this.data.parts.bodies.find((part) => part.i === i);
    if (body) lines.push(`centre ${vector(this.motion.positions[body.b])} m`);
    const mark = this.data.parts.marks.find((part) => part.i === i);
    if (mark) {
      lines.push(`at ${vector(this.motion.world(mark.at))} m`);
      if (norm(mark.axis) > 0) lines.push(`axis ${vector(turn(this.motion.rotations[mark.at[0]], mark.axis))}`);
    }
    this.data.parts.flexible.forEach((part, k) => {
      if (part.i === i && part.stress && this.data.kind !== "modes") lines.push(...part.stress.told);
      const sign = part.signs.find(([row]) => row === i);
      if (sign) lines.push(`at ${vector(this.motion.nodes[k][sign[1]].flat)} m`);
    });
    const strut = this.data.parts.struts.find((part) => part.i === i);
    if (strut) {
      const [a, b] = strut.ends.map((end) => this.motion.world(end));
      lines.push(`length ${short(norm(subtract(b, a)), 5)} m`);
      const tension = strut.element === null ? null : this.motion.tensions.get(strut.element);
      if (tension) lines.push(`force ${short(this.motion.at(tension))} N, tension positive`);
    }
    for (const load of this.motion.loads.filter((one) => one.i === i)) {
      const value = load.v.map((series) => this.motion.at(series));
      if (load.at && norm(value) === 0) continue;
      lines.push(`${load.kind === "torque" ? "torque" : "force"} ${short(norm(value))} ${load.kind === "torque" ? "N m" : "N"}\n(${vector(value)})`);
    }
    const unmoved = this.data.unmoved.find((one) => one.i === i);
    if (unmoved) lines.push(`no slider: ${unmoved.why}`);
    const text = lines.filter(Boolean).join("\n");
    if (this.told === item.n + text) return;
    this.told = item.n + text;
    const name = document.createElement("b");
    name.textContent = item.n;
    const words = document.createElement("p");
    words.textContent = text;
    box.replaceChildren(name, words);
  }

  menu() {
    const host = element("show");
    host.replaceChildren();
    const { show } = this.drawing;
    const labels = { bodies: "Bodies", bars: "Bodies as bars", centres: "Centres of mass", joints: "Joints", forces: "Springs, dampers", loads: "Applied loads, tyres, contacts", connections: "Forces of bushings and leaf springs", paths: "Paths", ground: "Ground", names: "Names" };
    if (this.drawing.largestStress > 0) labels.stress = "Stress as colour";
    for (const [key, text] of Object.entries(labels)) {
      const box = this.checkbox(text, show[key], (on) => { show[key] = on; });
      box.dataset.show = key;
      host.append(box.parentElement);
    }
    this.drawing.looks.groups.forEach((name, k) => {
      const text = name === "shapes" ? "Shapes" : `Shapes: ${name}`;
      const box = this.checkbox(text, show[`group ${k}`], (on) => { show[`group ${k}`] = on; });
      box.dataset.show = `group ${k}`;
      host.append(box.parentElement);
    });
    const travels = this.motion.count > 1 || this.data.live;
    [this.follow, this.chase] = [false, false];
    if (travels) host.append(this.checkbox("Follow the motion", false, (on) => { this.follow = on; }, "follow").parentElement);
    if (travels && this.data.parts.wheels.length > 1) host.append(this.checkbox("Chase camera", false, (on) => { this.chase = on; this.onChase(on); }, "chase").parentElement);
    if (this.motion.loads.length > 0) host.append(this.range("arrows", "Arrows", -1.5, 1.5, Math.log10(this.drawing.arrows), (value) => { this.drawing.arrows = 10 ** value; return `× ${short(10 ** value, 2)}`; }));
    const { modes } = this.motion;
    if (modes) host.append(this.range("amplitude", "Amplitude", -1.5, 1, 0, (value) => { modes.amplitude = 10 ** value; this.motion.set(this.motion.time); return `× ${short(10 ** value, 2)}`; }));
    else if (this.data.parts.flexible.length > 0) host.append(this.range("factor", "Deformation", 0, 4, Math.log10(this.motion.factor), (value) => { this.motion.factor = 10 ** value; this.motion.set(this.motion.time); return `× ${short(10 ** value, 2)}`; }));
  }

  checkbox(text, on, set, id) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = on;
    if (id) box.id = id;
    box.addEventListener("change", () => { set(box.checked); this.changed(); });
    label.append(box, ` ${text}`);
    return box;
  }

  range(id, text, low, high, value, set) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    const said = document.createElement("span");
    Object.assign(input, { type: "range", id, min: low, max: high, step: "any", value });
    const apply = () => { said.textContent = ` ${set(Number(input.value))}`; };
    apply();
    input.addEventListener("input", () => { apply(); this.changed(); });
    label.append(`${text} `, input, said);
    return label;
  }

  joints() {
    const host = element("joints");
    host.replaceChildren();
    const { sliders } = this.motion;
    host.hidden = this.data.kind !== "start";
    if (host.hidden) return;
    for (const slider of sliders) {
      const label = document.createElement("label");
      const name = document.createElement("span");
      name.textContent = slider.n;
      const input = document.createElement("input");
      const value = document.createElement("span");
      const reach = slider.turns ? Math.PI : 0.5 * this.data.size;
      Object.assign(input, { type: "range", min: -reach, max: reach, step: "any", value: 0 });
      input.dataset.slider = slider.n;
      const show = () => {
        const now = slider.start + slider.amount;
        const text = slider.turns ? `${((now * 180) / Math.PI).toFixed(2)}°` : `${now.toFixed(4)} m`;
        value.textContent = text.replace(/^-(?=[0.]*[^\d.])/, "").replace("-", "−");
      };
      input.addEventListener("input", () => {
        slider.amount = Number(input.value);
        this.motion.set(this.motion.time);
        show();
        this.tell();
        this.changed();
      });
      input.addEventListener("dblclick", () => { input.value = 0; input.dispatchEvent(new Event("input")); });
      show();
      label.append(name, input, value);
      host.append(label);
    }
    const reasons = new Map();
    for (const { i, why } of this.data.unmoved) reasons.set(why, [...(reasons.get(why) || []), this.data.items[i].n]);
    for (const [why, names] of reasons) {
      const note = document.createElement("p");
      note.textContent = `No slider, ${why}: ${names.join(", ")}.`;
      host.append(note);
    }
    if (sliders.length === 0 && reasons.size === 0) host.hidden = true;
  }
}
