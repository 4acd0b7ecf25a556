// Handles of the points of a workshop page: a point is dragged in the picture, and its three numbers in the text follow.

/** Distance that the pointer moves before a drag begins, px; time between two compilations during a drag, ms. */
const [DRAG_AFTER, DRAG_EVERY] = [4, 100];
/** Grid of the coordinates, m: without and with Ctrl. Decimals of a coordinate on the grid. */
const [GRID, COARSE_GRID, DECIMALS] = [1e-3, 1e-2, 3];
/** With more points only the name below the pointer is shown. */
const MAX_NAMES = 40;

/** A coordinate as text, with the decimals of the number that it replaces, or more if it needs them. */
function coordinateText(value, old) {
  const decimals = Math.min(((/\.(\d+)/.exec(old) || ["", ""])[1]).length, DECIMALS);
  let text = (Math.abs(value) < 0.5 * 10 ** -DECIMALS ? 0 : value).toFixed(DECIMALS);
  while (text.includes(".") && (text.endsWith("0") || text.endsWith(".")) && text.length - text.indexOf(".") - 1 > decimals) text = text.slice(0, -1);
  return text.replace(/\.$/, "");
}

/**
 * Replaces numbers of points in a text. `moves`: points with their new coordinates. Returns the new text, and the one range that
 * differs with its content; null if no number changes. Columns count characters, so they are converted to code units.
 */
function movedPoints(text, moves) {
  const lines = text.split("\n");
  const starts = [0];
  for (const line of lines) starts.push(starts[starts.length - 1] + line.length + 1);
  const offset = (line, column) => starts[line - 1] + [...lines[line - 1]].slice(0, column - 1).join("").length;
  const changes = moves.flatMap(({ point, to }) => point.values.flatMap((place, k) => {
    if (Math.abs(to[k] - point.p[k]) < 1e-9) return [];
    const [from, end] = [offset(place.line, place.column), offset(place.line, place.end)];
    return [{ from, end, place, text: coordinateText(to[k], text.slice(from, end)) }];
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

class Handles {
  constructor(workshop) {
    Object.assign(this, { workshop, on: false, arrived: false, drag: null, click: true, host: element("handles"), buttons: new Map() });
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
    [this.on, this.arrived] = [on, false];
    this.host.hidden = !on;
    element("points").setAttribute("aria-pressed", String(on));
    element("mirror").parentElement.hidden = !on;
    if (!on) return;
    toStart();
    this.show();
  }

  /** Makes a handle for every point of the valid model. A handle that is dragged stays. */
  show() {
    if (!this.on) return;
    const points = new Map(this.workshop.valid.points.map((point) => [point.n, point]));
    for (const [name, { made }] of this.buttons) {
      if (points.has(name)) continue;
      if (this.drag && this.drag.point.n === name) this.cancel();
      made.remove();
      this.buttons.delete(name);
    }
    for (const [name, point] of points) {
      const known = this.buttons.get(name);
      const made = known ? known.made : this.handle(name);
      made.classList.toggle("fixed", !point.drag);
      made.title = point.drag ? "Drag in the plane of the view; Shift: along one axis; Ctrl: 10 mm grid; Esc: cancel" : `Cannot be dragged: ${point.why}`;
      this.buttons.set(name, { made, point });
    }
    this.host.classList.toggle("many", points.size > MAX_NAMES);
    changed();
  }

  handle(name) {
    const made = button("", () => { if (this.click) this.goTo(name); });
    made.append(Object.assign(document.createElement("span"), { textContent: name }));
    made.dataset.point = name;
    made.addEventListener("pointerdown", (event) => this.begin(event, name, made));
    made.addEventListener("pointermove", (event) => this.move(event));
    made.addEventListener("pointerup", () => this.release());
    made.addEventListener("pointercancel", () => this.cancel());
    this.host.append(made);
    return made;
  }

  /** Places the handles in the picture. A model that leaves its start has no handles. */
  draw() {
    if (!this.on) return;
    if (live && live.point === 0) this.arrived = true;
    if (state.playing || (this.arrived && live && live.point > 0)) return void this.set(false);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    for (const [name, { made, point }] of this.buttons) {
      const move = this.drag && this.drag.moves && this.drag.moves.find((one) => one.point.n === name);
      const at = camera.pixel(move ? move.to : point.p, width, height);
      made.hidden = !at;
      if (at) made.style.transform = `translate(${at[0]}px, ${at[1]}px)`;
    }
  }

  /** Shows the line of a point in the text. */
  goTo(name) {
    const { workshop } = this;
    const { file, line, column } = this.buttons.get(name).point;
    if (!workshop.files.has(file)) return;
    const { of } = workshop.lines(file);
    workshop.goTo({ file, line: of(line), column });
  }

  begin(event, name, made) {
    this.click = true;
    const { workshop } = this;
    const { point } = this.buttons.get(name);
    if (event.button !== 0 || this.drag || !point.drag || !workshop.files.has(point.file)) return;
    const { text } = workshop.files.get(point.file);
    if (text !== workshop.valid.texts.get(point.file)) {
      workshop.status("Points can be dragged when the text has no errors. Undo takes the last change back.");
      return;
    }
    made.setPointerCapture(event.pointerId);
    // From here on the camera stays.
    [reached, hooks.held] = [null, true];
    this.drag = { point, text, from: [event.clientX, event.clientY], grip: below(event, point.p), moves: null, made, pointer: event.pointerId, timer: 0 };
  }

  move(event) {
    const { drag } = this;
    if (!drag) return;
    if (!drag.moves && Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) < DRAG_AFTER) return;
    this.click = false;
    let by = subtract(below(event, drag.point.p), drag.grip);
    if (event.shiftKey) by = this.alongAxis(by);
    const grid = event.ctrlKey || event.metaKey ? COARSE_GRID : GRID;
    // A coordinate that stays within half a step keeps its number.
    const to = drag.point.p.map((x, k) => (Math.abs(by[k]) < grid / 2 ? x : Math.round((x + by[k]) / grid) * grid));
    drag.moves = [{ point: drag.point, to }, ...this.mirrored(drag.point, to)];
    this.workshop.status(`${drag.point.n} = [${to.map((x) => coordinateText(x, "")).join(", ")}] m`);
    if (!drag.timer) drag.timer = setTimeout(() => this.preview(), DRAG_EVERY);
    changed();
  }

  /** The part of a move along the axis of W that is nearest to it in the picture. */
  alongAxis(by) {
    const back = camera.axes()[2];
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => {
      const seen = subtract(axis, scale(back, dot(axis, back)));
      const length = norm(seen);
      return { axis, length, along: length > 0.1 ? dot(by, seen) / length : 0 };
    });
    const best = axes.reduce((a, b) => (Math.abs(b.along) > Math.abs(a.along) ? b : a));
    return best.along === 0 ? [0, 0, 0] : scale(best.axis, best.along / best.length);
  }

  /** The move of the point on the other side, if the user wants it and the file has that point. */
  mirrored(point, to) {
    const other = this.buttons.get(otherSide(point.n));
    if (!element("mirror").checked || !other || other.point.n === point.n || !other.point.drag || other.point.file !== point.file) return [];
    // The positions of the numbers are those of the text before the drag.
    this.drag.other = this.drag.other || other.point;
    return [{ point: this.drag.other, to: [to[0], -to[1], to[2]] }];
  }

  /** Compiles the text with the present position. The text of the editor stays. */
  preview() {
    const { drag, workshop } = this;
    drag.timer = 0;
    const next = movedPoints(drag.text, drag.moves);
    workshop.temporary.set(drag.point.file, next ? next.text : drag.text);
    workshop.put.add(drag.point.file);
    workshop.compile();
  }

  end() {
    const { drag, workshop } = this;
    clearTimeout(drag.timer);
    [this.drag, hooks.held] = [null, false];
    if (drag.made.hasPointerCapture(drag.pointer)) drag.made.releasePointerCapture(drag.pointer);
    if (drag.moves) workshop.status("");
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
    const { point, text, moves } = this.end();
    const next = moves && movedPoints(text, moves);
    const { workshop } = this;
    if (!next || workshop.files.get(point.file).text !== text) return;
    for (const { point: one, to } of moves) this.buttons.set(one.n, { made: this.buttons.get(one.n).made, point: { ...one, p: to } });
    workshop.open(point.file).replace(next.from, next.to, next.insert);
    workshop.schedule(0);
  }
}
