// Handles of a workshop page: points, centres of mass and axes of joints are dragged in the picture, and their numbers in the text follow.

/** Distance that the pointer moves before a drag begins, px; time between two compilations during a drag, ms. */
const [DRAG_AFTER, DRAG_EVERY] = [4, 100];
/** Distance to the coordinate of another point at which the dragged point takes it, px. Length of the arrow of an axis, px. */
const [TARGET_REACH, ARROW] = [6, 80];
/** Decimals of the components of an axis: the angle is accurate to 0.003 degrees. Steps of its angles, degrees: with Shift, and by keys. */
const [AXIS_DECIMALS, AXIS_STEP, AXIS_FINE_STEP] = [4, 5, 1];
/** Most decimals that a coordinate takes over from another point. */
const MAX_DECIMALS = 9;
/** With more handles only the name below the pointer is shown. */
const MAX_NAMES = 40;
/** Time after which a key that waits for a compilation is dropped; duration of the readout after a key, ms. */
const [KEY_WAITS, READOUT_STAYS] = [2000, 1500];
const UNIT_MATRIX = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

/** Smallest number of decimals that gives a value. */
function decimalsOf(value) {
  let decimals = 0;
  while (decimals < MAX_DECIMALS && Math.abs(Number(value.toFixed(decimals)) - value) > 1e-10) decimals++;
  return decimals;
}

/** A number as text with at most `most` decimals, and at least as many of them as the text that it replaces. */
function numberText(value, old, most) {
  const least = Math.min(((/\.(\d+)/.exec(old) || ["", ""])[1]).length, most);
  let text = (Math.abs(value) < 0.5 * 10 ** -most ? 0 : value).toFixed(most);
  while (text.includes(".") && (text.endsWith("0") || text.endsWith(".")) && text.length - text.indexOf(".") - 1 > least) text = text.slice(0, -1);
  return text.replace(/\.$/, "");
}

/**
 * Replaces the numbers of handles in a text. `edits`: handles with their new numbers and the decimals of each. Returns the new text, and the
 * one range that differs with its content; null if no number changes. Columns count characters, so they are converted to code units.
 */
function movedHandles(text, edits) {
  const lines = text.split("\n");
  const starts = [0];
  for (const line of lines) starts.push(starts[starts.length - 1] + line.length + 1);
  const offset = (line, column) => starts[line - 1] + [...lines[line - 1]].slice(0, column - 1).join("").length;
  const changes = edits.flatMap(({ point, numbers, decimals }) => point.values.flatMap((place, k) => {
    if (!place || Math.abs(numbers[k] - point.v[k]) < 1e-10) return [];
    const [from, end] = [offset(place.line, place.column), offset(place.line, place.end)];
    return [{ from, end, place, text: numberText(numbers[k], text.slice(from, end), decimals[k]) }];
  }));
  if (changes.length === 0) return null;
  changes.sort((a, b) => a.from - b.from);
  let [insert, at] = ["", changes[0].from];
  for (const change of changes) {
    insert += text.slice(at, change.from) + change.text;
    at = change.end;
  }
  const [first, last] = [changes[0].place, changes[changes.length - 1].place];
  return {
    text: text.slice(0, changes[0].from) + insert + text.slice(at), insert,
    from: { line: first.line, column: first.column }, to: { line: last.line, column: last.end },
  };
}

/** Name of the point on the other side: `left` and `right`, or `l` and `r` between dots, underscores and the ends. */
function otherSide(name) {
  const swap = { left: "right", right: "left", l: "r", r: "l" };
  const swapped = (word) => {
    const other = swap[word.toLowerCase()];
    if (word === word.toLowerCase()) return other;
    return word === word.toUpperCase() ? other.toUpperCase() : other[0].toUpperCase() + other.slice(1);
  };
  const words = /left|right/i;
  return words.test(name) ? name.replace(words, swapped) : name.replace(/(?<![^._])[lr](?![^._])/i, swapped);
}

/** The change in W for a change of the numbers of a handle, and back: the matrix is orthogonal. */
const toWorld = ({ m }, by) => (m || UNIT_MATRIX).map((row) => dot(row, by));
const toFile = ({ m }, by) => [0, 1, 2].map((k) => (m || UNIT_MATRIX).reduce((sum, row, i) => sum + row[k] * by[i], 0));
/** Direction in W of one of the numbers of a handle. */
const fileAxis = (point, k) => (point.m || UNIT_MATRIX).map((row) => row[k]);
/** The numbers of a handle that the text can change. */
const freeAxes = (point) => [0, 1, 2].filter((k) => point.values[k]);
/** Handles with the same numbers in the text. */
const samePlace = (one, other) => one.file === other.file && one.line === other.line && one.column === other.column;
/** Where a handle is with other numbers. */
const placeWith = (point, numbers) => (point.kind === "axis" ? toWorld(point, numbers) : add(point.p, toWorld(point, subtract(numbers, point.v))));

/** The axis nearest to a direction in the picture: the signed part of the direction along it, and its visible length; null if there is none. */
function nearestAxis(axes, by) {
  const back = camera.axes()[2];
  const seen = axes.map((axis) => {
    const flat = subtract(axis, scale(back, dot(axis, back)));
    const length = norm(flat);
    return { axis, length, along: length > 0.1 ? dot(by, flat) / length : 0 };
  });
  const best = seen.reduce((a, b) => (Math.abs(b.along) > Math.abs(a.along) ? b : a), { along: 0 });
  return best.along === 0 ? null : best;
}

/** The part of a move along the one of these axes that is nearest to it in the picture. */
function alongAxis(axes, by) {
  const best = nearestAxis(axes, by);
  return best ? scale(best.axis, best.along / best.length) : [0, 0, 0];
}

/** A direction with its angles rounded, degrees: in the plane from x to y, and out of it. */
function roundedDirection(direction, step) {
  const [x, y, z] = unit(direction);
  const rounded = (angle) => (Math.round((angle * 180) / Math.PI / step) * step * Math.PI) / 180;
  const [around, up] = [rounded(Math.atan2(y, x)), rounded(Math.asin(Math.min(Math.max(z, -1), 1)))];
  return [Math.cos(up) * Math.cos(around), Math.cos(up) * Math.sin(around), Math.sin(up)];
}

class Handles {
  constructor(workshop) {
    Object.assign(this, { workshop, on: false, arrived: false, drag: null, click: true, waiting: null, host: element("handles"), buttons: new Map() });
    this.shaft = Object.assign(document.createElement("div"), { className: "shaft", hidden: true });
    this.readout = Object.assign(document.createElement("output"), { className: "readout", hidden: true });
    this.host.append(this.shaft, this.readout);
    element("points").addEventListener("click", () => this.set(!this.on));
    hooks.drawn = () => this.draw();
    window.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.drag) return;
      event.preventDefault();
      event.stopPropagation();
      this.cancel();
    }, true);
  }

  /** Shows or hides the handles. They are in the design position, so the model returns to its start. */
  set(on) {
    if (on && !this.workshop.valid) return;
    if (on) this.workshop.analyses.leave();
    if (!on) this.cancel();
    [this.on, this.arrived, this.waiting] = [on, false, null];
    this.host.hidden = !on;
    element("points").setAttribute("aria-pressed", String(on));
    for (const id of ["mirror", "snap"]) element(id).parentElement.hidden = !on;
    if (!on) return;
    toStart();
    this.show();
  }

  /** Makes a handle for every point, place and axis of the valid model. A handle that is dragged stays. */
  show() {
    if (!this.on) return;
    const points = new Map(this.workshop.valid.points.map((point) => [point.k, point]));
    for (const [key, { made }] of this.buttons) {
      if (points.has(key)) continue;
      if (this.drag && this.drag.point.k === key) this.cancel();
      made.remove();
      this.buttons.delete(key);
    }
    for (const [key, point] of points) {
      const known = this.buttons.get(key);
      const made = known ? known.made : this.handle(point);
      made.className = point.drag ? point.kind : `${point.kind} fixed`;
      made.title = this.help(point, [...points.values()]);
      this.buttons.set(key, { made, point });
    }
    this.host.classList.toggle("many", points.size > MAX_NAMES);
    if (this.drag) this.partners(this.drag.point.k);
    changed();
    this.afterKey();
  }

  /** What can be done with a handle, or why nothing can. */
  help(point, points) {
    if (!point.drag) return `Cannot be dragged: ${point.why}`;
    const copies = points.filter((other) => other.k !== point.k && samePlace(point, other));
    const lines = point.kind === "axis"
      ? [`Axis of ${point.n}: drag to rotate; Shift: ${AXIS_STEP}° steps; arrow keys: ${AXIS_STEP}°, with Shift ${AXIS_FINE_STEP}°; Esc: cancel`]
      : ["Drag in the plane of the view; Shift: fine; Ctrl: along one axis; arrow keys: one step; Esc: cancel"];
    if (point.why) lines.push(`Stays: ${point.why}`);
    if (copies.length > 0) lines.push(`Moves too: ${copies.map((copy) => copy.n).join(", ")}`);
    return lines.join("\n");
  }

  handle(point) {
    const key = point.k;
    const made = button("", (event) => {
      if (!this.click) return;
      this.goTo(key);
      // After a click of the mouse the arrow keys move the point.
      if (event.detail > 0) made.focus();
    });
    const words = { point: "", com: " (centre of mass)", place: ` ${key.replace(/^.*\./, "")}`, axis: " axis" };
    made.append(Object.assign(document.createElement("span"), { textContent: point.n + words[point.kind] }));
    made.dataset.point = point.kind === "point" ? point.n : key;
    made.addEventListener("pointerdown", (event) => this.begin(event, key, made));
    made.addEventListener("pointermove", (event) => this.move(event));
    made.addEventListener("pointerup", () => this.release());
    made.addEventListener("pointercancel", () => this.cancel());
    // The wheel zooms also over a handle.
    made.addEventListener("wheel", (event) => {
      event.preventDefault();
      canvas.dispatchEvent(new WheelEvent("wheel", event));
    }, { passive: false });
    made.addEventListener("pointerenter", () => { if (!this.drag) this.partners(key); });
    made.addEventListener("pointerleave", () => { if (!this.drag) this.partners(null); });
    made.addEventListener("keydown", (event) => this.key(event, key));
    this.host.append(made);
    return made;
  }

  /** Highlights the handles that move with a handle. */
  partners(key) {
    const of = key && this.buttons.get(key);
    const moves = this.drag ? this.drag.handles : of && of.point.drag ? this.copies(of.point) : [];
    for (const [name, { made }] of this.buttons) made.classList.toggle("partner", name !== key && moves.some((one) => one.k === name));
  }

  /** The handles with the same numbers, the handle itself included. */
  copies(point) {
    return [...this.buttons.values()].map((one) => one.point).filter((other) => samePlace(point, other));
  }

  /** Where the arrow of an axis begins, and its direction at the present time; null if the picture does not have the joint. */
  arrow(point, direction = unit(point.p)) {
    const mark = data.parts.marks.find((one) => one.i === point.i);
    if (!mark) return null;
    const base = motion.world(mark.at);
    const rotation = motion.rotations[mark.at[0]];
    const axis = turn(rotation, direction);
    return { base, rotation, axis, tip: add(base, scale(axis, ARROW * this.perPixel(base))) };
  }

  /** Size of a pixel at a place, m. */
  perPixel(place) {
    const depth = camera.parallel ? 1 : 1 - dot(subtract(place, camera.target), camera.axes()[2]) / camera.distance;
    return Math.max(((2 * camera.half()) / canvas.clientHeight) * depth, 1e-12);
  }

  /** Places the handles in the picture. A model that leaves its start has no handles. */
  draw() {
    if (!this.on) return;
    if (live && live.point === 0) this.arrived = true;
    if (state.playing || (this.arrived && live && live.point > 0)) return void this.set(false);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    this.shaft.hidden = true;
    for (const [key, { made, point }] of this.buttons) {
      const to = (this.drag && this.drag.moves && this.drag.moves.get(key)) || point.p;
      const isShown = point.kind === "point" || point.kind === "com" || point.i === panel.chosen || made === document.activeElement || (this.drag && this.drag.point.k === key);
      let at = null;
      if (isShown && point.kind === "axis") {
        const arrow = this.arrow(point, unit(to));
        at = arrow && camera.pixel(arrow.tip, width, height);
        if (at) this.drawShaft(camera.pixel(arrow.base, width, height), at);
      } else if (isShown) at = camera.pixel(to, width, height);
      made.hidden = !at;
      if (at) made.style.transform = `translate(${at[0]}px, ${at[1]}px)`;
    }
  }

  drawShaft(from, to) {
    if (!from) return;
    const [x, y] = [to[0] - from[0], to[1] - from[1]];
    this.shaft.hidden = false;
    this.shaft.style.width = `${Math.hypot(x, y)}px`;
    this.shaft.style.transform = `translate(${from[0]}px, ${from[1]}px) rotate(${Math.atan2(y, x)}rad)`;
  }

  /** Shows the line of a handle in the text. */
  goTo(key) {
    const { workshop } = this;
    const { file, line, column } = this.buttons.get(key).point;
    if (!workshop.files.has(file)) return;
    const { of } = workshop.lines(file);
    workshop.goTo({ file, line: of(line), column });
  }

  /** Whether the positions of the numbers are those of the present text. */
  isCurrent(point) {
    const { files, valid } = this.workshop;
    return files.has(point.file) && files.get(point.file).text === valid.texts.get(point.file);
  }

  begin(event, key, made) {
    this.click = true;
    const { workshop } = this;
    const { point } = this.buttons.get(key);
    if (event.button !== 0 || this.drag || !point.drag || !workshop.files.has(point.file)) return;
    if (!this.isCurrent(point)) {
      workshop.status("Points can be dragged when the text has no errors. Undo takes the last change back.");
      return;
    }
    const arrow = point.kind === "axis" ? this.arrow(point) : null;
    if (point.kind === "axis" && !arrow) return;
    made.setPointerCapture(event.pointerId);
    // From here on the camera stays.
    [reached, hooks.held] = [null, true];
    const { text } = workshop.files.get(point.file);
    const at = arrow ? arrow.tip : point.p;
    this.drag = { point, text, arrow, from: [event.clientX, event.clientY], at, grip: below(event, at), other: this.mirrored(point), edits: null, moves: null, made, pointer: event.pointerId, timer: 0 };
    this.drag.handles = [point, this.drag.other].filter(Boolean).flatMap((one) => this.copies(one));
  }

  move(event) {
    const { drag } = this;
    if (!drag) return;
    if (!drag.edits && Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) < DRAG_AFTER) return;
    this.click = false;
    const by = subtract(below(event, drag.at), drag.grip);
    const edit = drag.arrow ? this.turned(by, event) : this.shifted(by, event);
    this.take(edit);
    this.read(edit, event.clientX, event.clientY);
    if (!drag.timer) drag.timer = setTimeout(() => this.preview(), DRAG_EVERY);
    changed();
  }

  /** Takes the numbers of a handle for it, its copies, and the handle of the other side. */
  take(edit) {
    const { drag } = this;
    const { other, handles } = drag;
    drag.edits = [edit];
    if (other) {
      const [x, y, z] = edit.numbers;
      drag.edits.push({ ...edit, point: other, numbers: [x, -y, z] });
    }
    drag.moves = new Map(handles.map((one) => {
      const { numbers } = drag.edits.find(({ point }) => samePlace(point, one));
      return [one.k, placeWith(one, numbers)];
    }));
    this.partners(drag.point.k);
  }

  /** The handle of the other side in the same file, if the user wants it to follow. */
  mirrored(point) {
    if (!element("mirror").checked || point.kind === "axis") return null;
    const points = [...this.buttons.values()].map((one) => one.point);
    const key = ({ k }) => k.replace(/^.*\./, "");
    const other = points.find((one) => one.kind === point.kind && one.n === otherSide(point.n) && (point.kind === "point" || key(one) === key(point)));
    const fits = other && other.drag && other.file === point.file && !samePlace(other, point) && String(other.m) === String(point.m);
    return fits ? other : null;
  }

  /** Step of the coordinates, m: the chosen one, or a power of ten not above the size of a pixel; with Shift a tenth of it. */
  step(point, fine) {
    const chosen = Number(element("snap").value);
    const step = chosen > 0 ? chosen : 10 ** Math.floor(Math.log10(this.perPixel(point.p)));
    return fine ? step / 10 : step;
  }

  /** New numbers of a place after a move in W. */
  shifted(by, { shiftKey, ctrlKey, metaKey }) {
    const { point } = this.drag;
    const free = freeAxes(point);
    const axes = free.map((k) => fileAxis(point, k));
    if (ctrlKey || metaKey || free.length === 1) by = alongAxis(axes, by);
    else if (free.length === 2) by = this.inPlane(cross(...axes), by);
    const [step, change] = [this.step(point, shiftKey), toFile(point, by)];
    const most = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    const targets = [];
    const decimals = [most, most, most];
    const numbers = point.v.map((x, k) => {
      // A coordinate that stays within half a step keeps its number.
      if (!free.includes(k) || Math.abs(change[k]) < step / 2) return x;
      const target = shiftKey || !(Number(element("snap").value) > 0) ? null : this.target(k, x + change[k]);
      if (target) {
        targets.push(`${"xyz"[k]} of ${target.name}`);
        decimals[k] = Math.max(most, decimalsOf(target.number));
        return target.number;
      }
      return Number((Math.round((x + change[k]) / step) * step).toFixed(most));
    });
    return { point, numbers, decimals, targets };
  }

  /** The move in a plane that the pointer shows; an edge-on plane gives the part of the move in it. */
  inPlane(normal, by) {
    const [, , back] = camera.axes();
    const at = add(this.drag.at, by);
    const ray = camera.parallel ? back : unit(subtract(add(camera.target, scale(back, camera.distance)), at));
    const steep = dot(normal, ray);
    return Math.abs(steep) > 0.2 ? subtract(by, scale(ray, dot(by, normal) / steep)) : subtract(by, scale(normal, dot(by, normal)));
  }

  /** The coordinate of another point that is near the value of a number, if the number is a coordinate of W. */
  target(k, value) {
    const { point, handles } = this.drag;
    const axis = fileAxis(point, k);
    const j = axis.findIndex((entry) => Math.abs(entry) === 1);
    if (j < 0) return null;
    let [best, least] = [null, TARGET_REACH * this.perPixel(point.p)];
    for (const { point: other } of this.buttons.values()) {
      if (other.kind === "axis" || handles.some((one) => one.k === other.k)) continue;
      const number = point.v[k] + axis[j] * (other.p[j] - point.p[j]);
      const rounded = Number(number.toFixed(decimalsOf(number)));
      if (Math.abs(rounded - value) < least && Math.abs(rounded - number) < 1e-9) [best, least] = [{ name: other.n, number: rounded }, Math.abs(rounded - value)];
    }
    return best;
  }

  /** New components of an axis after a move of the end of its arrow. */
  turned(by, { shiftKey }) {
    const { point, arrow, at } = this.drag;
    const back = camera.axes()[2];
    const length = norm(subtract(at, arrow.base));
    // The end of the arrow is on a sphere, on the side of the eye or on the other one as before.
    const reach = add(subtract(at, arrow.base), by);
    const flat = subtract(reach, scale(back, dot(reach, back)));
    const side = dot(arrow.axis, back) < -0.02 ? -1 : 1;
    const deep = side * Math.sqrt(Math.max(0, length ** 2 - norm(flat) ** 2));
    return this.axisEdit(point, turnBack(arrow.rotation, add(unit(flat).map((x) => x * Math.min(norm(flat), length)), scale(back, deep))), shiftKey ? AXIS_STEP : 0);
  }

  /** The components of an axis with a direction in the design position; `step`: steps of the angles, degrees, or 0. */
  axisEdit(point, direction, step) {
    const own = toFile(point, unit(direction));
    const typed = Math.max(...point.v.map(decimalsOf));
    const most = Math.min(Math.max(AXIS_DECIMALS, typed), MAX_DECIMALS);
    const numbers = (step > 0 ? roundedDirection(own, step) : own).map((x) => Number(x.toFixed(most)) + 0);
    return { point, numbers, decimals: [most, most, most], targets: [] };
  }

  /** Shows the numbers and their change next to a place of the window. */
  read({ point, numbers, decimals, targets }, x, y) {
    const change = subtract(numbers, point.v);
    const lines = [`${point.n} = [${numbers.map((value, k) => numberText(value, "", decimals[k])).join(", ")}]${point.kind === "axis" ? "" : " m"}`];
    if (point.kind === "axis") {
      const cosine = dot(unit(numbers), unit(point.v));
      lines.push(`rotated by ${short((Math.acos(Math.min(Math.max(cosine, -1), 1)) * 180) / Math.PI, 3)}°`);
    } else lines.push(`moved by [${change.map((value) => numberText(1000 * value, "", 3).replace("-", "−")).join(", ")}] mm`);
    if (targets.length > 0) lines.push(`at ${targets.join(", ")}`);
    const box = this.host.getBoundingClientRect();
    const { readout } = this;
    readout.textContent = lines.join("\n");
    readout.hidden = false;
    const [left, top] = [x - box.left + 18, y - box.top + 18];
    const [most, lowest] = [box.width - readout.offsetWidth - 4, box.height - readout.offsetHeight - 4];
    readout.style.transform = `translate(${Math.max(0, Math.min(left, most))}px, ${top > lowest ? Math.max(0, top - readout.offsetHeight - 36) : top}px)`;
  }

  /** Moves a handle by the arrow keys: along the axis of its file that is nearest to the direction in the picture. */
  key(event, key) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    const { point } = this.buttons.get(key);
    if (!way || event.ctrlKey || event.metaKey || event.altKey || this.drag || !point.drag) return;
    event.preventDefault();
    event.stopPropagation();
    const [right, up] = camera.axes();
    const by = add(scale(right, way[0]), scale(up, way[1]));
    // Keys that arrive during a compilation are applied after it.
    if (!this.waiting || this.waiting.key !== key) this.waiting = { key, ways: [], since: performance.now() };
    this.waiting.ways.push({ by, fine: event.shiftKey });
    this.afterKey();
  }

  /** Applies the keys that wait. */
  afterKey() {
    const { waiting } = this;
    const known = waiting && this.buttons.get(waiting.key);
    if (!known || this.drag || !this.isCurrent(known.point)) {
      if (waiting && performance.now() - waiting.since > KEY_WAITS) this.waiting = null;
      return;
    }
    this.waiting = null;
    const { point, made } = known;
    const { text } = this.workshop.files.get(point.file);
    this.drag = { point, text, made, other: this.mirrored(point), edits: null, moves: null, pointer: null, timer: 0 };
    this.drag.handles = [point, this.drag.other].filter(Boolean).flatMap((one) => this.copies(one));
    const edit = point.kind === "axis" ? this.turnedByKeys(point, waiting.ways) : this.shiftedByKeys(point, waiting.ways);
    this.take(edit);
    this.release();
    const box = made.getBoundingClientRect();
    this.read(edit, box.x + box.width / 2, box.y + box.height / 2);
    clearTimeout(this.fading);
    this.fading = setTimeout(() => { if (!this.drag) this.readout.hidden = true; }, READOUT_STAYS);
  }

  shiftedByKeys(point, ways) {
    const free = freeAxes(point);
    const axes = free.map((k) => fileAxis(point, k));
    const [numbers, decimals] = [[...point.v], [0, 0, 0]];
    for (const { by, fine } of ways) {
      const best = nearestAxis(axes, by);
      if (!best) continue;
      const k = free[axes.indexOf(best.axis)];
      const step = this.step(point, fine);
      // The number stays on its grid if it is on it, and keeps its distance to the grid otherwise.
      decimals[k] = Math.max(decimals[k], Math.ceil(-Math.log10(step) - 1e-9), decimalsOf(point.v[k]));
      numbers[k] = Number((numbers[k] + Math.sign(best.along) * step).toFixed(decimals[k]));
    }
    return { point, numbers, decimals, targets: [] };
  }

  turnedByKeys(point, ways) {
    const arrow = this.arrow(point);
    let axis = arrow ? arrow.axis : unit(point.p);
    for (const { by, fine } of ways) {
      const across = subtract(by, scale(axis, dot(by, axis)));
      if (norm(across) < 1e-6) continue;
      const angle = ((fine ? AXIS_FINE_STEP : AXIS_STEP) * Math.PI) / 180;
      axis = add(scale(axis, Math.cos(angle)), scale(unit(across), Math.sin(angle)));
    }
    return this.axisEdit(point, arrow ? turnBack(arrow.rotation, axis) : axis, 0);
  }

  /** Compiles the text with the present position. The text of the editor stays. */
  preview() {
    const { drag, workshop } = this;
    drag.timer = 0;
    const next = movedHandles(drag.text, drag.edits);
    workshop.temporary.set(drag.point.file, next ? next.text : drag.text);
    workshop.put.add(drag.point.file);
    workshop.compile();
  }

  end() {
    const { drag, workshop } = this;
    clearTimeout(drag.timer);
    [this.drag, hooks.held] = [null, false];
    if (drag.pointer !== null && drag.made.hasPointerCapture(drag.pointer)) drag.made.releasePointerCapture(drag.pointer);
    this.readout.hidden = true;
    this.partners(null);
    if (drag.edits) workshop.status("");
    if (workshop.temporary.delete(drag.point.file)) {
      workshop.put.add(drag.point.file);
      workshop.schedule(0);
    }
    changed();
    return drag;
  }

  cancel() {
    if (this.drag) this.end();
  }

  /** Writes the new numbers into the text, in one step of its history. */
  release() {
    if (!this.drag) return;
    const { point, text, edits, moves, handles } = this.end();
    const next = edits && movedHandles(text, edits);
    const { workshop } = this;
    if (!next || workshop.files.get(point.file).text !== text) return;
    for (const one of handles) this.buttons.set(one.k, { made: this.buttons.get(one.k).made, point: { ...one, p: moves.get(one.k) } });
    workshop.open(point.file).replace(next.from, next.to, next.insert);
    workshop.schedule(0);
  }
}
