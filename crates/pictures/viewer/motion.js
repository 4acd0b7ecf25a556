// Where the bodies are: between the frames of a run, or where the sliders put them.

class Motion {
  constructor(data) {
    const { frames } = data;
    this.count = frames.count;
    this.times = decodeSeries(frames.times, this.count);
    this.start = this.times[0] || 0;
    this.stop = this.times[this.count - 1] || 0;
    this.poses = frames.poses.map((pose) => pose.map((series) => decodeSeries(series, this.count)));
    this.elastic = frames.elastic.map((body) => body.map((series) => decodeSeries(series, this.count)));
    this.loads = data.parts.loads.map((load) => ({
      ...load,
      at: load.at && load.at.map((series) => decodeSeries(series, this.count)),
      v: load.v.map((series) => decodeSeries(series, this.count)),
    }));
    this.stresses = new Map((frames.stresses || []).map(([body, list]) => [body, list.map((series) => decodeSeries(series, this.count))]));
    this.tensions = new Map(frames.tensions.map(([element, series]) => [element, decodeSeries(series, this.count)]));
    this.sliders = data.sliders.map((slider) => ({ ...slider, amount: 0 }));
    this.flexible = data.parts.flexible;
    this.modes = data.shapes ? new Modes(data) : null;
    if (this.modes) [this.start, this.stop] = [0, 1];
    this.factor = 1;
    this.positions = this.poses.map(() => [0, 0, 0]);
    this.rotations = this.poses.map(() => [1, 0, 0, 0]);
    this.shifts = new Map();
    this.set(this.start);
  }

  /** The frame before a time and the part of the way to the next. */
  place(time) {
    let [low, high] = [0, this.count - 1];
    if (this.count < 2 || !(time > this.times[0])) return [0, 0];
    if (time >= this.times[high]) return [high, 0];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle;
    }
    return [low, (time - this.times[low]) / (this.times[low + 1] - this.times[low])];
  }

  /** A number of a series at the present time. */
  at(series) {
    const value = series[this.frame];
    return this.part > 0 ? value + this.part * (series[this.frame + 1] - value) : value;
  }

  /** Puts everything where it is at a time. */
  set(time) {
    this.time = time;
    [this.frame, this.part] = this.place(time);
    this.poses.forEach((pose, body) => {
      this.positions[body] = [this.at(pose[0]), this.at(pose[1]), this.at(pose[2])];
      this.rotations[body] = normalized([3, 4, 5, 6].map((k) => this.at(pose[k])));
    });
    this.amplitudes = this.elastic.map((body) => body.map((series) => this.at(series)));
    for (let s = this.sliders.length - 1; s >= 0; s--) this.slide(this.sliders[s]);
    if (this.modes) this.modes.apply(this, time);
    this.deform();
  }

  /** Moves what a slider moves: the screws of the inner joints are applied to what the outer ones have moved. */
  slide({ amount, turns, p, a, b }) {
    if (amount === 0) return;
    const q = turns ? about(unit(a), amount * norm(a)) : [1, 0, 0, 0];
    for (const body of b) {
      const at = this.positions[body];
      this.positions[body] = turns ? add(p, turn(q, subtract(at, p))) : add(at, scale(a, amount));
      this.rotations[body] = product(q, this.rotations[body]);
    }
  }

  /** Displaced nodes of the flexible bodies, and what the factor moves the bodies of their interfaces by. */
  deform() {
    this.shifts.clear();
    this.nodes = this.flexible.map((body, index) => {
      const amplitudes = this.amplitudes[index];
      const [origin, q] = [this.positions[body.b], this.rotations[body.b]];
      // A mode is a small motion: the rotation of the frame is added to the displacements.
      const tilt = this.modes ? this.modes.tilts.get(body.b) : null;
      return body.places.map((place, node) => {
        const u = body.shapes[node].map((row) => row.reduce((sum, shape, k) => sum + shape * amplitudes[k], 0));
        const shift = [u[0], u[1], u[2]];
        const at = add(origin, turn(q, add(place, scale(shift, this.factor))));
        const bend = scale([u[3], u[4], u[5]], this.factor);
        if (body.interfaces[node]) this.shifts.set(body.interfaces[node], turn(q, scale(shift, this.factor - 1)));
        const flat = add(origin, turn(q, place));
        if (!tilt) return { at, flat, bend: turn(q, bend), size: norm(shift) };
        const own = cross(tilt, turn(q, place));
        return { at: add(at, own), flat, bend: add(turn(q, bend), tilt), size: norm(add(own, turn(q, shift))) };
      });
    });
  }

  /** The middles of the curves that draw the flexible bodies. */
  middles() {
    return this.nodes.flatMap((nodes, index) => this.flexible[index].edges.map(([i, j]) => {
      const [a, b] = [nodes[i], nodes[j]];
      return add(mix(a.at, b.at, 0.5), scale(cross(subtract(a.bend, b.bend), subtract(b.flat, a.flat)), 1 / 8));
    }));
  }

  /** Stresses of a flexible body at the present time, Pa: per edge at its two ends, per node the largest of them; null where none is known. */
  stressesOf(index) {
    const { edges, places, stress } = this.flexible[index];
    const list = this.stresses.get(index);
    const ends = stress.ends.map((pair) => pair.map((k) => (k === null ? null : this.at(list[k]))));
    const nodes = places.map(() => null);
    edges.forEach((edge, k) => edge.forEach((node, end) => { if (ends[k][end] !== null) nodes[node] = Math.max(nodes[node] || 0, ends[k][end]); }));
    return { ends, nodes };
  }

  /** World coordinates of a place [body, [x, y, z]]. */
  world([body, place]) {
    const at = add(this.positions[body], turn(this.rotations[body], place));
    const shift = this.shifts.get(body);
    return shift ? add(at, shift) : at;
  }

  /** A place at every frame, as a flat array. */
  path([body, place]) {
    const pose = this.poses[body];
    const out = new Float64Array(3 * this.count);
    for (let i = 0; i < this.count; i++) {
      const q = normalized([pose[3][i], pose[4][i], pose[5][i], pose[6][i]]);
      const v = turn(q, place);
      for (let k = 0; k < 3; k++) out[3 * i + k] = pose[k][i] + v[k];
    }
    return out;
  }

  /** The largest displacement of every flexible body in the run, m. */
  largestDisplacements() {
    return this.flexible.map((body, index) => {
      // For modes, colours have the scale of the displayed displacement.
      if (this.modes) return SHOWN * this.modes.size;
      let largest = 0;
      const every = Math.max(1, Math.floor(this.count / 400));
      for (let i = 0; i < this.count; i += every) {
        for (const shape of body.shapes) {
          const u = [0, 1, 2].map((row) => shape[row].reduce((sum, s, k) => sum + s * this.elastic[index][k][i], 0));
          largest = Math.max(largest, norm(u));
        }
      }
      return largest;
    });
  }
}
