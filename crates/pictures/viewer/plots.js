// The outputs over time: panels with a cursor, zoom, values below the pointer, and a legend that switches curves.

const CURVES = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#3a9bd8", "#6b4ea0", "#5b6470"],
  dark: ["#56b4e9", "#ff9448", "#2fd0a0", "#ef9fca", "#f0e442", "#9ad0f5", "#b89cf0", "#b9c2cf"],
};

/** Values below this fraction of a typical size of their quantity are round-off. */
const NOISE = 1e-9;

/** A value without round-off. */
const quiet = (value, typical) => (Math.abs(value) < NOISE * typical ? 0 : value);

/** Typical sizes of values by their unit, of units without an entry 1. */
function typicalSizes({ size, live }) {
  const weight = 9.81 * (live ? live.pulls.reduce((sum, { m }) => sum + m, 0) : 0) || 1;
  return { m: size, "m/s": size, "m/s2": size, N: weight, "N.m": weight * size, J: weight * size };
}

class Plots {
  constructor(data, host, onTime) {
    const { plots } = data;
    Object.assign(this, { data, host, onTime, panels: [], theme: "light", time: 0, hover: null });
    host.replaceChildren();
    if (!plots.count) return;
    this.sizes = typicalSizes(data);
    const times = decodeSeries(plots.times, plots.count);
    this.curves = plots.curves.map((curve) => {
      const at = curve.at ? decodeAscending(curve.at) : null;
      const t = at ? Float64Array.from(at, (i) => times[i]) : times;
      return { ...curve, t, v: decodeSeries(curve.v, t.length) };
    });
    this.range = [times[0], times[times.length - 1]];
    this.whole = [...this.range];
    plots.panels.forEach((panel) => this.addPanel(panel));
  }

  addPanel(panel) {
    const box = document.createElement("div");
    box.className = "panel";
    const head = document.createElement("h2");
    const unitText = panel.unit === "1" ? "" : panel.unit;
    head.textContent = (panel.title || this.common(panel)) + (unitText ? ` in ${unitText}` : "");
    const canvas = document.createElement("canvas");
    const legend = document.createElement("div");
    legend.className = "legend";
    box.append(head, canvas, legend);
    this.host.append(box);
    const entry = { panel, canvas, legend, curves: [], overTime: !panel.along };
    panel.curves.forEach(([number, name], k) => {
      const button = document.createElement("button");
      button.setAttribute("aria-pressed", "true");
      button.title = this.curves[number].d || "Show or hide the curve";
      const swatch = document.createElement("i");
      const label = document.createElement("span");
      const [value, unit] = [document.createElement("b"), document.createElement("small")];
      label.textContent = name;
      unit.textContent = unitText;
      button.append(swatch, label, value, unit);
      const curve = { number, name, on: true, k, button, swatch, value };
      button.addEventListener("click", () => {
        curve.on = !curve.on;
        button.setAttribute("aria-pressed", String(curve.on));
        this.draw();
      });
      entry.curves.push(curve);
      legend.append(button);
    });
    this.panels.push(entry);
    this.listen(entry);
  }

  /** Hides the curves that are hidden in the plots of an earlier version of the model. */
  keep(old) {
    const off = new Set(old.panels.flatMap((entry) => entry.curves.filter((curve) => !curve.on).map((curve) => curve.name)));
    for (const curve of this.panels.flatMap((entry) => entry.curves)) {
      if (off.has(curve.name)) curve.button.click();
    }
  }

  /** What the names of a panel without a heading begin with. */
  common(panel) {
    const names = panel.curves.map(([, name]) => name);
    if (names.length === 1) return names[0];
    const parts = names[0].split(".");
    let count = 0;
    while (count < parts.length && names.every((name) => name.split(".")[count] === parts[count])) count++;
    return count ? parts.slice(0, count).join(".") : names.slice(0, 3).join(", ") + (names.length > 3 ? ", …" : "");
  }

  listen(entry) {
    const { canvas } = entry;
    let from = null;
    const timeAt = (event) => this.timeAt(entry, event);
    canvas.addEventListener("pointerdown", (event) => {
      if (!entry.overTime) return;
      from = timeAt(event);
      entry.drag = null;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!entry.overTime) return;
      this.hover = timeAt(event);
      if (from !== null && Math.abs(this.hover - from) > 0.015 * (this.range[1] - this.range[0])) entry.drag = [from, this.hover];
      this.draw();
    });
    const end = (event) => {
      if (from === null) return;
      const to = timeAt(event);
      if (entry.drag) this.zoom([Math.min(from, to), Math.max(from, to)]);
      else this.onTime(to);
      from = null;
      entry.drag = null;
      this.draw();
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", () => { from = null; entry.drag = null; });
    canvas.addEventListener("pointerleave", () => { this.hover = null; this.draw(); });
    canvas.addEventListener("dblclick", () => this.zoom(this.whole));
    canvas.addEventListener("wheel", (event) => {
      if (!entry.overTime || !(event.ctrlKey || event.shiftKey || event.altKey)) return;
      event.preventDefault();
      const at = timeAt(event);
      const factor = Math.exp(0.0015 * (event.deltaY || event.deltaX));
      this.zoom([at - (at - this.range[0]) * factor, at + (this.range[1] - at) * factor]);
    }, { passive: false });
  }

  timeAt(entry, event) {
    const box = entry.canvas.getBoundingClientRect();
    const part = (event.clientX - box.left - this.left) / (box.width - this.left - this.right);
    return this.range[0] + Math.min(Math.max(part, 0), 1) * (this.range[1] - this.range[0]);
  }

  zoom([from, to]) {
    const [first, last] = this.whole;
    const smallest = 1e-5 * (last - first);
    if (to - from < smallest) return;
    this.range = [Math.max(first, from), Math.min(last, to)];
    this.draw();
  }

  get left() { return 52; }
  get right() { return 8; }

  /** Moves the cursor: once for every picture, so that both show one instant. Axes and curves that stay are not drawn anew. */
  set(time) {
    this.time = time;
    this.draw();
  }

  /** From now on curves grow by `feed`, and the last `seconds` are shown. Until the first values come, the axes are drawn for those of the start. */
  feedFrom(seconds) {
    this.window = seconds;
    this.times = [this.range[0]];
    for (const curve of this.curves) Object.assign(curve, { t: this.times, v: [curve.v[0]] });
    this.range = [this.range[0], this.range[0] + 0.1 * seconds];
    this.fed = 0;
  }

  /**
   * Adds the values at a time; what came after it is forgotten. Of the points between, a curve shows the least and the greatest value where
   * they are not between its ends, so that what swings faster than pictures come is a band as wide as it swings.
   */
  feed(time, values, extremes) {
    while (this.times.length && (this.fed === 0 || this.times[this.times.length - 1] >= time)) this.drop(-1);
    const last = this.times.length - 1;
    if (extremes && last >= 0) {
      const from = this.times[last];
      this.times.push((2 * from + time) / 3, (from + 2 * time) / 3);
      this.curves.forEach(({ v }, k) => {
        const ends = v[last] <= values[k] ? [extremes.low[k], extremes.high[k]] : [extremes.high[k], extremes.low[k]];
        const [lower, upper] = [Math.min(v[last], values[k]), Math.max(v[last], values[k])];
        if (extremes.low[k] < lower || extremes.high[k] > upper) v.push(...ends);
        else v.push((2 * v[last] + values[k]) / 3, (v[last] + 2 * values[k]) / 3);
      });
    }
    this.times.push(time);
    this.curves.forEach((curve, k) => curve.v.push(values[k]));
    while (this.times[0] < time - this.window) this.drop(0);
    const first = this.times[0];
    this.range = [first, Math.max(time, first + 0.1 * this.window)];
    this.whole = [...this.range];
    this.fed++;
  }

  drop(end) {
    for (const list of [this.times, ...this.curves.map((curve) => curve.v)]) {
      if (end < 0) list.pop();
      else list.shift();
    }
  }

  forget() {
    this.times.length = 0;
    for (const curve of this.curves) curve.v.length = 0;
  }

  /** Draws the panels that are in view. */
  draw() {
    if (this.host.hidden || (this.times && this.times.length === 0)) return;
    const host = this.host.getBoundingClientRect();
    for (const entry of this.panels) {
      const box = entry.canvas.getBoundingClientRect();
      if (box.bottom > host.top - 50 && box.top < host.bottom + 50 && box.width > 80) this.drawPanel(entry, box);
    }
  }

  /** A typical size of the values of a curve. */
  typical(number) {
    return this.sizes[this.curves[number].unit] || 1;
  }

  /** Lowest and highest shown value, with a margin. Constant curves get a range that suits their quantity. */
  limits(entry, curves) {
    let [low, high] = [Infinity, -Infinity];
    for (const { number } of curves) {
      const { t, v } = this.curves[number];
      for (let i = 0; i < v.length; i++) {
        if (entry.overTime && (t[i] < this.range[0] || t[i] > this.range[1])) continue;
        if (v[i] < low) low = v[i];
        if (v[i] > high) high = v[i];
      }
    }
    if (!(low <= high)) [low, high] = [0, 0];
    const typical = curves.length ? this.typical(curves[0].number) : 1;
    [low, high] = [low, high].map((value) => quiet(value, typical));
    const [size, span] = [Math.max(Math.abs(low), Math.abs(high)), high - low];
    const beginning = this.times && this.times.length < 2;
    const smallest = (beginning ? 2e-2 : 1e-7) * typical;
    if (span > Math.max(smallest, NOISE * size)) return [low - 0.06 * span, high + 0.06 * span];
    const half = roundBelow(size > 0 ? Math.max(0.1 * size, smallest) : 2e-2 * typical);
    return [0.5 * (low + high) - half, 0.5 * (low + high) + half];
  }

  drawPanel(entry, box) {
    const { canvas, panel } = entry;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (canvas.width !== Math.round(box.width * ratio) || canvas.height !== Math.round(box.height * ratio)) {
      canvas.width = Math.round(box.width * ratio);
      canvas.height = Math.round(box.height * ratio);
    }
    const c = canvas.getContext("2d", { willReadFrequently: true });
    const shown = entry.curves.filter((curve) => curve.on);
    const key = `${this.fed} ${this.range} ${shown.map((curve) => curve.number)}`;
    if (entry.key !== key) Object.assign(entry, { key, y: this.limits(entry, shown).map((value) => value * panel.factor) });
    const area = { left: this.left, right: box.width - this.right, top: 6, bottom: box.height - 20 };
    const xs = entry.overTime ? this.range : this.alongRange(entry);
    const toX = (x) => area.left + ((x - xs[0]) / (xs[1] - xs[0] || 1)) * (area.right - area.left);
    const toY = (y) => area.bottom - ((y - entry.y[0]) / (entry.y[1] - entry.y[0])) * (area.bottom - area.top);
    const style = getComputedStyle(document.documentElement);
    const [ink, rule] = [style.getPropertyValue("--faint"), style.getPropertyValue("--line")];
    const clip = (context) => {
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.save();
      context.beginPath();
      context.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
      context.clip();
    };
    // Axes and curves are kept; the cursor alone moves.
    const look = `${key} ${canvas.width} ${canvas.height} ${this.theme} ${shown.map((curve) => curve.related)}`;
    if (entry.look !== look) {
      entry.look = look;
      entry.still = entry.still || document.createElement("canvas");
      [entry.still.width, entry.still.height] = [canvas.width, canvas.height];
      const still = entry.still.getContext("2d", { willReadFrequently: true });
      still.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.axes(still, area, xs, entry.y, toX, toY, ink, rule, panel.along ? `${panel.along.name} in ${panel.along.unit}` : "s");
      clip(still);
      for (const curve of shown) this.curve(still, entry, curve, toX, toY, area);
      still.restore();
    }
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, canvas.width, canvas.height);
    c.drawImage(entry.still, 0, 0);
    clip(c);
    if (entry.drag) {
      c.fillStyle = "rgba(128, 160, 220, .25)";
      c.fillRect(toX(Math.min(...entry.drag)), area.top, Math.abs(toX(entry.drag[1]) - toX(entry.drag[0])), area.bottom - area.top);
    }
    this.cursor(c, entry, toX, toY, area, style);
    c.restore();
    this.values(entry);
  }

  alongRange({ panel }) {
    const { v } = this.curves[panel.along.curve];
    const values = Array.from(v, (value) => value * panel.along.factor);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const least = 0.02 * this.typical(panel.along.curve) * panel.along.factor;
    const margin = Math.max(0.05 * (high - low), 0.5 * (least - (high - low)));
    return [low - margin, high + margin];
  }

  axes(c, area, xs, ys, toX, toY, ink, rule, name) {
    c.font = "11px system-ui, sans-serif";
    c.fillStyle = ink;
    c.strokeStyle = rule;
    c.lineWidth = 1;
    // Nearly equal values are relative to a round number.
    const span = ys[1] - ys[0];
    const base = Math.max(Math.abs(ys[0]), Math.abs(ys[1])) > 2000 * span ? Math.round(ys[0] / (100 * roundBelow(span))) * 100 * roundBelow(span) : 0;
    const ticks = ([low, high], room) => {
      let step = roundBelow((high - low) / Math.max(2, room));
      if ((high - low) / step > 2 * room) step *= 2;
      const out = [];
      for (let k = Math.ceil(low / step); k * step <= high; k++) out.push(+(k * step).toPrecision(14));
      return out;
    };
    c.beginPath();
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const x of ticks(xs, (area.right - area.left) / 90)) {
      c.moveTo(Math.round(toX(x)) + 0.5, area.top);
      c.lineTo(Math.round(toX(x)) + 0.5, area.bottom);
      if (toX(x) < area.right - 10 - c.measureText(name).width) c.fillText(this.tick(x, xs), toX(x), area.bottom + 4);
    }
    c.textAlign = "right";
    c.fillText(name, area.right + 4, area.bottom + 4);
    c.textBaseline = "middle";
    for (const y of ticks(ys, (area.bottom - area.top) / 36)) {
      c.moveTo(area.left, Math.round(toY(y)) + 0.5);
      c.lineTo(area.right, Math.round(toY(y)) + 0.5);
      c.fillText(this.tick(base ? +(y - base).toPrecision(8) : y, base ? [ys[0] - base, ys[1] - base] : ys), area.left - 5, toY(y));
    }
    if (base) {
      c.textAlign = "left";
      c.fillText(`${String(+base.toPrecision(9)).replace("-", "−")} +`, area.left + 4, area.top + 6);
    }
    c.stroke();
  }

  /** A number at an axis from `low` to `high`, with enough digits to differ from its neighbours. */
  tick(value, [low, high]) {
    const size = Math.max(Math.abs(low), Math.abs(high));
    const digits = Math.min(9, Math.max(1, Math.ceil(Math.log10(size / (high - low))) + 2));
    if (value === 0) return "0";
    const text = size < 1e-3 || size >= 1e6 ? value.toExponential(digits - 1).replace(/\.?0+e/, "e") : String(+value.toPrecision(digits + 1));
    return text.replace(/-/g, "−");
  }

  curve(c, entry, curve, toX, toY, area) {
    const { t, v, stepped } = this.curves[curve.number];
    const { factor, along } = entry.panel;
    const over = along ? this.curves[along.curve] : null;
    const typical = this.typical(curve.number);
    c.strokeStyle = CURVES[this.theme][curve.k % 8];
    c.lineWidth = curve.related ? 3 : 1.6;
    c.beginPath();
    let last = null;
    for (let i = 0; i < t.length; i++) {
      const x = over ? toX(this.value(over, t[i]) * along.factor) : toX(t[i]);
      if (!over && (x < area.left - 2 && i + 1 < t.length && toX(t[i + 1]) < area.left)) continue;
      const y = toY(quiet(v[i], typical) * factor);
      if (last === null) c.moveTo(x, y);
      else {
        if (stepped) c.lineTo(x, last);
        c.lineTo(x, y);
      }
      last = y;
      if (!over && x > area.right + 2) break;
    }
    c.stroke();
  }

  /** Value of a curve at a time, between its points. */
  value({ t, v, stepped }, time) {
    let [low, high] = [0, t.length - 1];
    if (time <= t[0]) return v[0];
    if (time >= t[high]) return v[high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle;
      else high = middle;
    }
    if (stepped || t[high] === t[low]) return v[low];
    return v[low] + ((time - t[low]) / (t[high] - t[low])) * (v[high] - v[low]);
  }

  cursor(c, entry, toX, toY, area, style) {
    const { factor, along } = entry.panel;
    const place = (time) => (along ? this.value(this.curves[along.curve], time) * along.factor : time);
    for (const [time, colour] of [[this.hover, "--faint"], [this.time, "--mark"]]) {
      if (time === null) continue;
      c.strokeStyle = style.getPropertyValue(colour);
      c.fillStyle = c.strokeStyle;
      c.lineWidth = 1.2;
      const x = toX(place(time));
      if (!along) {
        c.beginPath();
        c.moveTo(x, area.top);
        c.lineTo(x, area.bottom);
        c.stroke();
      }
      for (const curve of entry.curves.filter((one) => one.on)) {
        c.beginPath();
        c.arc(x, toY(quiet(this.value(this.curves[curve.number], time), this.typical(curve.number)) * factor), 2.8, 0, 7);
        c.fill();
      }
    }
  }

  values(entry) {
    const time = this.hover === null ? this.time : this.hover;
    for (const curve of entry.curves) {
      const text = `${short(quiet(this.value(this.curves[curve.number], time), this.typical(curve.number)) * entry.panel.factor)}`;
      if (curve.shown !== text) curve.value.textContent = curve.shown = text;
      const colour = CURVES[this.theme][curve.k % 8];
      if (curve.colour !== colour) curve.swatch.style.borderTopColor = curve.colour = colour;
    }
  }

  /** Marks the curves of outputs. */
  mark(numbers, scroll) {
    let first = null;
    for (const entry of this.panels) {
      for (const curve of entry.curves) {
        curve.related = numbers.has(curve.number);
        curve.button.classList.toggle("related", curve.related);
        if (curve.related && !first) first = entry;
      }
    }
    if (first && scroll) first.canvas.parentElement.scrollIntoView({ block: "nearest" });
    this.draw();
  }
}
