// Appearance of all parts, from unit meshes; places are relative to the camera's target.

const COLOURS = {
  light: {
    back: [0.957, 0.961, 0.969], bodies: [[0.27, 0.46, 0.68], [0.3, 0.58, 0.42], [0.72, 0.52, 0.25], [0.52, 0.42, 0.66], [0.28, 0.58, 0.62], [0.68, 0.42, 0.42], [0.5, 0.55, 0.3], [0.55, 0.5, 0.46]],
    joint: [0.93, 0.93, 0.95], guided: [0.85, 0.3, 0.55], axis: [0.2, 0.22, 0.26], rod: [0.42, 0.45, 0.5], spring: [0.13, 0.55, 0.25], damper: [0.33, 0.36, 0.42], rubber: [0.85, 0.6, 0.1],
    tyre: [0.2, 0.21, 0.23], rim: [0.7, 0.72, 0.75], force: [0.82, 0.16, 0.12], torque: [0.55, 0.2, 0.7], contact: [0.9, 0.4, 0.05], touch: [0.9, 0.4, 0.05], connection: [0.1, 0.5, 0.6],
    selected: [1, 0.45, 0.05], related: [0.1, 0.55, 1], ground: [0.45, 0.48, 0.52], grid: [0.5, 0.55, 0.63, 0.6], floor: [0.885, 0.895, 0.91], road: [0.8, 0.81, 0.82], asphalt: [0.5, 0.51, 0.53], ink: [0.35, 0.38, 0.42], path: [0.75, 0.2, 0.1, 0.9], ghost: [0.3, 0.35, 0.42, 0.8],
  },
  dark: {
    back: [0.078, 0.09, 0.11], bodies: [[0.42, 0.62, 0.86], [0.42, 0.72, 0.54], [0.86, 0.66, 0.36], [0.66, 0.56, 0.82], [0.4, 0.72, 0.76], [0.84, 0.55, 0.55], [0.66, 0.7, 0.42], [0.7, 0.65, 0.6]],
    joint: [0.93, 0.94, 0.96], guided: [1, 0.45, 0.7], axis: [0.85, 0.87, 0.9], rod: [0.68, 0.71, 0.76], spring: [0.35, 0.82, 0.46], damper: [0.62, 0.66, 0.73], rubber: [0.95, 0.75, 0.25],
    tyre: [0.34, 0.36, 0.4], rim: [0.75, 0.78, 0.82], force: [1, 0.36, 0.3], torque: [0.8, 0.5, 0.98], contact: [1, 0.6, 0.2], touch: [1, 0.6, 0.2], connection: [0.3, 0.8, 0.9],
    selected: [1, 0.6, 0.15], related: [0.35, 0.75, 1], ground: [0.6, 0.64, 0.7], grid: [0.5, 0.56, 0.66, 0.5], floor: [0.13, 0.145, 0.17], road: [0.26, 0.28, 0.31], asphalt: [0.2, 0.21, 0.235], ink: [0.55, 0.6, 0.66], path: [1, 0.5, 0.4, 0.9], ghost: [0.7, 0.75, 0.85, 0.7],
  },
};

/** From 0 to 1: blue, green, yellow, red. */
function heat(t) {
  const stops = [[0.2, 0.3, 0.75], [0.1, 0.62, 0.72], [0.25, 0.72, 0.3], [0.92, 0.8, 0.15], [0.86, 0.18, 0.12]];
  const place = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(place), stops.length - 2);
  return mix(stops[k], stops[k + 1], place - k);
}

class Drawing {
  constructor(data, motion, renderer) {
    Object.assign(this, { data, motion, renderer, size: data.size });
    MEMORY.next();
    this.parts = data.parts;
    this.show = { bodies: true, bars: false, joints: true, forces: true, loads: true, connections: false, paths: true, ground: true, names: data.items.length <= 24, centres: true };
    this.largestStress = Math.max(0, ...this.parts.flexible.map((body) => (body.stress && body.stress.largest) || 0));
    this.show.stress = this.largestStress > 0;
    this.looks = new Looks(data, motion, renderer);
    this.looks.groups.forEach((_, k) => { this.show[`group ${k}`] = true; });
    this.arrows = 1;
    this.hulls = [];
    this.largest = motion.largestDisplacements();
    // Symbols are small relative to wheels, whose size is known.
    const wheels = this.parts.wheels.map((wheel) => wheel.radius);
    this.wheel = Math.max(0, ...wheels);
    this.unit = wheels.length ? Math.min(0.011 * this.size, 0.15 * this.wheel) : 0.0135 * this.size;
    if (renderer) this.makeHulls();
    this.loadSizes();
    this.paths = this.parts.paths.map((path) => ({ i: path.i, points: motion.path(path.at) }));
    this.chosenPath = null;
    this.slides = this.slidingPairs();
    // Cylinders of dampers keep the length that they have at the start.
    this.lengths = this.parts.struts.map((strut) => norm(subtract(...strut.ends.map((end) => motion.world(end)))));
    this.surfaces = renderer ? data.roads.map((road) => this.road(road)) : [];
    // A road is slightly above the surrounding ground.
    this.roadLevel = Math.min(...this.surfaces.map((surface) => surface.low)) - 2e-3 * this.size;
    this.level = this.lowest();
    this.lane = data.ground !== null && data.parts.wheels.length > 1 && this.surfaces.length === 0 && dot(turn(motion.rotations[data.parts.wheels[0].b], data.parts.wheels[0].axis), this.side()) > 0.9;
    this.floor = this.floorSize();
    this.selected = new Set();
    this.related = new Set();
  }

  /** Takes the visible parts from the drawing of an earlier version of the model, and the height of the ground if the run continues. */
  keep(old, continues) {
    if (continues && this.data.ground === null && this.surfaces.length === 0) this.level = old.level;
    const same = String(old.looks.groups) === String(this.looks.groups);
    for (const [key, on] of Object.entries(old.show)) if (key in this.show && (same || !key.startsWith("group "))) this.show[key] = on;
    this.arrows = old.arrows;
    this.motion.factor = old.motion.factor;
  }

  /** The places on both bodies of every prismatic or cylindrical joint that move along each other: a rod joins them when they part. */
  slidingPairs() {
    return this.parts.marks.map((mark) => {
      if (mark.kind !== "prismatic" && mark.kind !== "cylindrical") return null;
      const rows = this.data.items[mark.i].r;
      const [one, other] = rows.map((row) => this.parts.bodies.find((body) => body.i === row));
      if (!one || !other) return null;
      const axis = turn(this.motion.rotations[mark.at[0]], mark.axis);
      const off = (p, q) => norm(cross(subtract(this.motion.world(p), this.motion.world(q)), axis));
      const on = (body) => body.pts.find((p) => p[0] === body.b && off(p, mark.at) < 1e-3 * this.size);
      const pair = [on(one), on(other)];
      return pair.every(Boolean) ? pair : null;
    });
  }

  /** Rounded hulls of the bodies that have no shape. */
  makeHulls() {
    this.hulls = this.parts.bodies.map((body, k) => {
      if (body.flexible || body.wheel || this.looks.bodies.has(body.b)) return null;
      const hull = MEMORY.get(`hull ${JSON.stringify(body.pts)} ${this.unit} ${this.size}`, () => bodyHull(body, this.unit, this.size));
      if (!hull) return null;
      this.renderer.own(`hull ${k}`, hull.corners);
      return { name: `hull ${k}`, opacity: hull.wide ? 0.4 : 1 };
    });
  }

  /** Largest force and torque of the run. */
  loadSizes() {
    this.forceSize = 0;
    this.torqueSize = 0;
    for (const load of this.motion.loads) {
      for (let i = 0; i < this.motion.count; i++) {
        const size = Math.hypot(load.v[0][i], load.v[1][i], load.v[2][i]);
        if (load.kind === "torque") this.torqueSize = Math.max(this.torqueSize, size);
        else this.forceSize = Math.max(this.forceSize, size);
      }
    }
  }

  /** World places of everything that has one, now. */
  places() {
    return [...this.own(), ...this.parts.ground];
  }

  /** The same without the feet on the ground. */
  own() {
    const { motion } = this;
    const places = this.parts.bodies.flatMap((body) => [motion.positions[body.b], ...body.pts.map((p) => motion.world(p))]);
    places.push(...this.parts.marks.map((mark) => motion.world(mark.at)));
    places.push(...this.parts.struts.flatMap((strut) => strut.ends.map((end) => motion.world(end))));
    places.push(...this.parts.lines.flatMap((line) => line.pts.map((at) => motion.world([line.b, at]))));
    places.push(...this.looks.places(motion, this.size));
    for (const body of this.parts.bodies) {
      const axes = this.boxOf(body);
      const centre = axes && motion.world([body.b, [0, 0, 0]]);
      if (axes) for (let n = 0; n < 8; n++) places.push(axes.reduce((place, axis, k) => add(place, scale(axis, (n >> k) & 1 ? 0.5 : -0.5)), centre));
    }
    motion.nodes.forEach((nodes) => nodes.forEach((node) => places.push(node.at)));
    for (const wheel of this.parts.wheels) {
      const axis = turn(motion.rotations[wheel.b], wheel.axis);
      for (const middle of wheel.middles) {
        const at = motion.world([wheel.b, middle]);
        const [u, v] = beside(axis);
        for (const d of [u, v, scale(u, -1), scale(v, -1)]) places.push(add(at, scale(d, wheel.radius)));
      }
    }
    return places;
  }

  /** To the left of what looks along the first axis. */
  side() {
    return cross(this.data.up, this.data.up[0] === 0 ? [1, 0, 0] : [0, 1, 0]);
  }

  /** A little below the lowest place of the whole run. */
  lowest() {
    const { up, ground } = this.data;
    if (ground !== null) return ground * Math.max(...up);
    let lowest = Infinity;
    for (const place of this.reached()) lowest = Math.min(lowest, dot(place, up));
    return Number.isFinite(lowest) ? lowest - 0.03 * this.size : 0;
  }

  /** Size of the objects on the grid: the mechanism, or its shapes if they are larger, m. */
  floorSize() {
    const places = this.looks.places(this.motion, this.size);
    const lengths = [0, 1, 2].map((k) => places.reduce((high, place) => Math.max(high, place[k]), -Infinity) - places.reduce((low, place) => Math.min(low, place[k]), Infinity));
    return places.length ? Math.max(this.size, norm(lengths)) : this.size;
  }

  /** Places at 33 instants of the run. */
  reached() {
    const { motion } = this;
    if (motion.count < 2) return this.places();
    const reached = [];
    for (let k = 0; k <= 32; k++) {
      motion.set(motion.start + (k / 32) * (motion.stop - motion.start));
      reached.push(...this.places());
    }
    motion.set(motion.start);
    return reached;
  }

  road(road) {
    const [nx, ny] = road.count;
    const z = decodeSeries(road.z, nx * ny);
    const height = (i, j) => z[Math.min(Math.max(j, 0), ny - 1) * nx + Math.min(Math.max(i, 0), nx - 1)];
    const corner = (i, j) => {
      const slope = (a, b, n) => (a - b) / n;
      const sx = slope(height(i + 1, j), height(i - 1, j), (Math.min(i + 1, nx - 1) - Math.max(i - 1, 0)) * road.step[0]);
      const sy = slope(height(i, j + 1), height(i, j - 1), (Math.min(j + 1, ny - 1) - Math.max(j - 1, 0)) * road.step[1]);
      return [i * road.step[0], j * road.step[1], height(i, j), -sx, -sy, 1];
    };
    const corners = new Float32Array(6 * nx * ny);
    for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) corners.set(corner(i, j), 6 * (j * nx + i));
    const tiles = [];
    const side = 24;
    const numbers = new Uint32Array(6 * (nx - 1) * (ny - 1) + 6 * Math.ceil(nx / side) * Math.ceil(ny / side));
    let from = 0;
    for (let j0 = 0; j0 + 1 < ny; j0 += side) {
      for (let i0 = 0; i0 + 1 < nx; i0 += side) {
        const [first, places] = [from, []];
        for (let j = j0; j < Math.min(j0 + side, ny - 1); j++) {
          for (let i = i0; i < Math.min(i0 + side, nx - 1); i++) {
            const n = j * nx + i;
            numbers.set([n, n + 1, n + nx + 1, n, n + nx + 1, n + nx], from);
            for (const k of [n, n + nx + 1]) places.push(corners[6 * k], corners[6 * k + 1], corners[6 * k + 2]);
            from += 6;
          }
        }
        const count = from - first;
        const [i1, j1] = [Math.min(i0 + side, nx - 1), Math.min(j0 + side, ny - 1)];
        const [a, b, c, d] = [j0 * nx + i0, j0 * nx + i1, j1 * nx + i1, j1 * nx + i0];
        numbers.set([a, b, c, a, c, d], from);
        // How far heights are from those between the four corners.
        let rough = 0;
        for (let j = j0; j <= j1; j++) {
          for (let i = i0; i <= i1; i++) {
            const [s, t] = [(i - i0) / (i1 - i0), (j - j0) / (j1 - j0)];
            const between = (1 - t) * ((1 - s) * height(i0, j0) + s * height(i1, j0)) + t * ((1 - s) * height(i0, j1) + s * height(i1, j1));
            rough = Math.max(rough, Math.abs(height(i, j) - between));
          }
        }
        tiles.push({ ...tile(0, places.length / 3, places, 3), first, count, quad: from, rough });
        from += 6;
      }
    }
    return { mesh: this.renderer.surface(corners, numbers, tiles), from: road.from, low: z.reduce((low, height) => Math.min(low, height), Infinity), ...this.roadLines(road, height) };
  }

  /** Lines on a road at round places of the world, every fifth in a set of its own. */
  roadLines(road, height) {
    const spacing = Math.max(0.5, roundBelow(this.size / 4));
    const sets = [[], []];
    for (const along of [0, 1]) {
      const across = 1 - along;
      const last = road.from[across] + (road.count[across] - 1) * road.step[across];
      for (let k = Math.ceil(road.from[across] / spacing); k * spacing <= last; k++) {
        const place = (k * spacing - road.from[across]) / road.step[across];
        const [low, part] = [Math.floor(place), place - Math.floor(place)];
        const point = (i) => {
          const at = (j) => (along === 0 ? height(i, j) : height(j, i));
          const out = [0, 0, at(low) + part * (at(low + 1) - at(low)) + 1e-3];
          out[along] = i * road.step[along];
          out[across] = k * spacing - road.from[across];
          return out;
        };
        for (let i = 0; i + 1 < road.count[along]; i++) sets[k % 5 === 0 ? 1 : 0].push(...point(i), ...point(i + 1));
      }
    }
    return { lines: sets.map((points) => this.renderer.fixedLines(points)) };
  }

  /** Everything at the present time, for the renderer. */
  scene(camera, theme) {
    const colours = COLOURS[theme];
    Object.assign(this, { colours, origin: camera.target });
    this.renderer.clear();
    this.lines = [];
    if (this.show.ground) this.drawGround();
    if (this.show.bodies) this.parts.bodies.forEach((body, k) => this.drawBody(body, k));
    this.looks.draw(this);
    this.parts.flexible.forEach((body, k) => this.drawFlexible(body, k));
    this.parts.wheels.forEach((wheel) => this.drawWheel(wheel));
    if (this.show.joints) this.parts.marks.forEach((mark) => this.drawMark(mark));
    this.slides.forEach((pair, k) => {
      if (pair) this.bar(...pair.map((place) => this.motion.world(place)), 0.5 * this.unit, this.paint(this.parts.marks[k].i, this.colours.rim), this.parts.marks[k].i);
    });
    this.parts.lines.forEach((line) => this.drawLine(line));
    this.parts.struts.forEach((strut, k) => { if (this.show.forces || strut.kind === "rod") this.drawStrut(strut, this.lengths[k]); });
    this.motion.loads.forEach((load) => this.drawLoad(load));
    if (this.pulled) this.lines.push({ points: new Float32Array(this.pulled.flatMap((place) => subtract(place, this.origin))), offset: [0, 0, 0], colour: [...colours.force, 1], strip: true });
    if (this.show.paths) this.drawPaths();
    const relative = ({ from }) => [from[0] - this.origin[0], from[1] - this.origin[1], -this.origin[2]];
    const surfaces = this.show.ground ? this.surfaces : [];
    for (const surface of surfaces) {
      surface.offset = relative(surface);
      surface.colour = colours.road;
      surface.lines.forEach((line, k) => this.lines.push({ ...line, offset: surface.offset, colour: [...colours.ink, k ? 0.75 : 0.3], strip: false, ground: true }));
    }
    const eye = scale(camera.toEye(), camera.distance);
    const perMetre = (this.renderer.canvas.height / (2 * camera.half())) * camera.distance;
    const ground = this.show.ground ? this.ground(camera) : { haze: 0, floor: null, light: new Float32Array(16) };
    return { ...ground, back: colours.back, eye, perMetre, project: camera.project(), rotation: camera.rotation(), surfaces, lines: this.lines };
  }

  /** Which of the bodies a row of the tree is, for its colour. */
  numberOf(row) {
    return Math.max(this.parts.bodies.findIndex((body) => body.i === row), 0);
  }

  paint(row, colour) {
    const by = this.selected.has(row) ? this.colours.selected : this.related.has(row) ? mix(this.colours.related, colour, 0.25) : colour;
    return [by[0], by[1], by[2], 1];
  }

  /** A mesh along `axis` with two half widths and a length. */
  stand(name, at, axis, wide, deep, long, colour, row, u = null, style = 0) {
    const [a, b] = u ? [u, cross(axis, u)] : beside(axis);
    this.renderer.add(name, scale(a, wide), scale(b, deep), scale(axis, long), subtract(at, this.origin), colour, row, style);
  }

  bar(from, to, radius, colour, row) {
    const along = subtract(to, from);
    const length = norm(along);
    if (length > 1e-9 * this.size) this.stand(this.renderer.coarse ? "coarse bar" : "cylinder", mix(from, to, 0.5), scale(along, 1 / length), radius, radius, length, colour, row);
  }

  ball(at, radius, colour, row, quarters = 0, q = null) {
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => scale(q ? turn(q, axis) : axis, radius));
    this.renderer.add("sphere", ...axes, subtract(at, this.origin), colour, row, quarters);
  }

  /** Axes of the box with the inertia of a body, with the lengths of its sides; null without a box. */
  boxOf(body) {
    if (!body.box || body.wheel || this.looks.bodies.has(body.b)) return null;
    const longest = Math.max(...body.box.size);
    // What turns a drum is small beside it; several boxes leave room for each other.
    const most = (this.parts.bodies.filter((other) => other.box).length > 1 ? 0.3 : 0.6) * this.size;
    const lengths = longest > 0 ? body.box.size.map((length) => length * Math.min(1, most / longest)) : [1, 1, 1].map(() => 2 * this.unit);
    return body.box.axes.map((axis, n) => scale(turn(this.motion.rotations[body.b], axis), lengths[n]));
  }

  drawBody(body, k) {
    const { motion } = this;
    const shaped = !this.show.bars && this.looks.shows(body.b, this.show);
    const centre = motion.world([body.b, [0, 0, 0]]);
    const colour = this.paint(body.i, this.colours.bodies[k % this.colours.bodies.length]);
    const places = [];
    for (const place of body.pts.map((p) => motion.world(p))) {
      if (!places.some((other) => norm(subtract(other, place)) < 1e-4 * this.size)) places.push(place);
    }
    const hull = this.show.bars ? null : this.hulls[k];
    if (hull) {
      const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => turn(motion.rotations[body.b], axis));
      this.renderer.add(hull.name, ...axes, subtract(centre, this.origin), [...colour.slice(0, 3), hull.opacity], body.i);
    } else if (!body.flexible && !shaped) {
      const reach = Math.max(...places.map((place) => norm(subtract(place, centre))), 0);
      const radius = Math.min(this.unit * 0.8, Math.max(0.05 * reach, this.unit * 0.3)) * (places.length > 6 ? 0.6 : 1) * (this.looks.bodies.has(body.b) ? 0.5 : 1);
      const straight = places.length === 2 && this.onLine(centre, places);
      if (straight) {
        this.bar(places[0], places[1], radius, colour, body.i);
      } else if (!body.wheel || places.length > 1) {
        places.forEach((place) => this.bar(centre, place, radius, colour, body.i));
        if (places.length > 1) this.ball(centre, radius, colour, body.i);
      }
      // They round the ends of the bars, which nobody sees in a coarse picture.
      if (!this.renderer.coarse) places.forEach((place) => this.ball(place, radius, colour, body.i));
      const axes = this.boxOf(body);
      if (axes && !(this.show.bars && places.some((place) => norm(subtract(place, centre)) > 3e-3 * this.size))) {
        this.renderer.add("box", ...axes, subtract(centre, this.origin), colour, body.i);
      }
    }
    if (body.massive && this.show.centres && !body.wheel) {
      const marked = this.selected.has(body.i) ? 1.5 : 1;
      this.ball(centre, 1.15 * this.unit * marked, [1, 1, 1, 1], body.i, 1, motion.rotations[body.b]);
    }
  }

  onLine(centre, [a, b]) {
    const along = subtract(b, a);
    const t = dot(subtract(centre, a), along) / (dot(along, along) || 1);
    return t > -0.02 && t < 1.02 && norm(subtract(centre, mix(a, b, t))) < 0.03 * norm(along);
  }

  drawFlexible(body, index) {
    const nodes = this.motion.nodes[index];
    const largest = this.largest[index] || 1;
    const radius = 0.9 * this.unit;
    const chosen = this.selected.has(body.i) || this.related.has(body.i);
    const stresses = this.show.stress ? body.stress && this.motion.stressesOf(index) : null;
    const paint = (size, stress) => {
      if (chosen) return this.paint(body.i, [0, 0, 0]);
      if (!this.show.stress) return [...heat(size / largest), 1];
      return stress === null ? [0.6, 0.6, 0.6, 1] : [...heat(stress / this.largestStress), 1];
    };
    const ghost = [];
    for (const [number, [i, j]] of body.edges.entries()) {
      const [a, b] = [nodes[i], nodes[j]];
      const [from, to] = stresses ? stresses.ends[number] : [null, null];
      const pieces = body.edges.length > 150 ? 1 : body.edges.length > 40 ? 3 : 8;
      const chord = subtract(b.flat, a.flat);
      // Tangents of the undeformed line, rotated with the nodes.
      const [ta, tb] = [a, b].map((node) => add(chord, cross(node.bend, chord)));
      let last = a.at;
      for (let k = 1; k <= pieces; k++) {
        const t = k / pieces;
        const [h0, h1, h2, h3] = [2 * t ** 3 - 3 * t ** 2 + 1, t ** 3 - 2 * t ** 2 + t, -2 * t ** 3 + 3 * t ** 2, t ** 3 - t ** 2];
        const at = [0, 1, 2].map((x) => h0 * a.at[x] + h1 * ta[x] + h2 * b.at[x] + h3 * tb[x]);
        const middle = t - 0.5 / pieces;
        const stress = from === null || to === null ? null : from + middle * (to - from);
        this.bar(last, at, body.edges.length > 150 ? 0.4 * radius : radius, paint(a.size + middle * (b.size - a.size), stress), body.i);
        last = at;
      }
      ghost.push(...subtract(a.flat, this.origin), ...subtract(b.flat, this.origin));
    }
    nodes.forEach((node, k) => this.ball(node.at, (body.edges.length > 150 ? 0.4 : 1.15) * radius, paint(node.size, stresses ? stresses.nodes[k] : null), body.i));
    this.lines.push({ points: new Float32Array(ghost), offset: [0, 0, 0], colour: this.colours.ghost, strip: false });
    if (this.show.joints) body.signs.forEach((sign) => this.drawSign(sign, nodes[sign[1]].at));
  }

  /** An interface, a support or a point mass of a structure. */
  drawSign([row, , kind], at) {
    const r = 1.6 * this.unit;
    const { up } = this.data;
    if (kind === "interface") this.renderer.add("box", [1.9 * r, 0, 0], [0, 1.9 * r, 0], [0, 0, 1.9 * r], subtract(at, this.origin), this.paint(row, this.colours.joint), row);
    else if (kind === "mass") this.ball(at, 1.2 * r, this.paint(row, [1, 1, 1]), row, 1);
    else {
      const colour = this.paint(row, this.colours.ground);
      this.stand("cone", subtract(at, scale(up, 2.4 * r)), up, 1.5 * r, 1.5 * r, 2.3 * r, colour, row);
      this.stand("box", subtract(at, scale(up, 2.5 * r)), up, 4 * r, 4 * r, 0.3 * r, colour, row);
    }
  }

  drawWheel(wheel) {
    const q = this.motion.rotations[wheel.b];
    const axis = turn(q, wheel.axis);
    const [u] = beside(wheel.axis).map((direction) => turn(q, direction));
    for (const middle of wheel.middles) {
      const at = this.motion.world([wheel.b, middle]);
      this.stand("tyre", at, axis, wheel.radius, wheel.radius, wheel.width, this.paint(wheel.i, this.colours.tyre), wheel.i, u);
      // Behind the spokes it is dark.
      this.stand("cylinder", at, axis, 0.63 * wheel.radius, 0.63 * wheel.radius, 0.12 * wheel.width, this.paint(wheel.i, scale(this.colours.tyre, 0.6)), wheel.i, u);
      this.stand("rim", at, axis, wheel.radius, wheel.radius, wheel.width, this.paint(wheel.i, this.colours.rim), wheel.i, u);
    }
  }

  /** The curve of a joint. */
  drawLine(line) {
    const places = line.pts.map((at) => this.motion.world([line.b, at]));
    places.slice(1).forEach((at, k) => this.bar(places[k], at, 0.3 * this.unit, this.paint(line.i, this.colours.axis), line.i));
  }

  drawMark(mark) {
    const [body] = mark.at;
    const q = this.motion.rotations[body];
    const at = this.motion.world(mark.at);
    const [axis, up] = [turn(q, mark.axis), turn(q, mark.up)];
    const r = 1.35 * this.unit;
    const plain = mark.guided ? this.colours.guided : mark.sprung ? mix(this.colours.spring, [1, 1, 1], 0.4) : this.colours.joint;
    const colour = this.paint(mark.i, plain);
    const thin = this.paint(mark.i, this.colours.axis);
    // Among shapes, long axes look like parts.
    const line = (direction, reach) => (this.looks.shapes.length === 0 || this.selected.has(mark.i)) && this.bar(subtract(at, scale(direction, reach)), add(at, scale(direction, reach)), 0.2 * r, thin, mark.i);
    switch (mark.kind) {
      case "revolute":
        this.stand("cylinder", at, axis, r, r, 2.2 * r, colour, mark.i);
        line(axis, 3.2 * r);
        break;
      case "prismatic":
        this.stand("box", at, axis, 1.8 * r, 1.8 * r, 3 * r, colour, mark.i);
        line(axis, 5 * r);
        break;
      case "cylindrical":
        this.stand("cylinder", at, axis, r, r, 3.4 * r, colour, mark.i);
        line(axis, 5 * r);
        break;
      case "universal":
        this.stand("cylinder", at, axis, 0.5 * r, 0.5 * r, 3.6 * r, colour, mark.i);
        this.stand("cylinder", at, norm(up) > 0 ? up : beside(axis)[0], 0.5 * r, 0.5 * r, 3.6 * r, thin, mark.i);
        break;
      case "spherical":
        this.ball(at, 1.25 * r, colour, mark.i);
        break;
      case "planar":
        this.stand("cylinder", at, axis, 2.6 * r, 2.6 * r, 0.4 * r, colour, mark.i);
        line(axis, 1.6 * r);
        break;
      case "fixed":
        this.ball(at, 0.01 * r, colour, mark.i);
        this.renderer.add("box", [1.7 * r, 0, 0], [0, 1.7 * r, 0], [0, 0, 1.7 * r], subtract(at, this.origin), colour, mark.i);
        break;
      case "constraint":
        this.ball(at, 0.9 * r, colour, mark.i);
        line(axis, 7 * r);
        break;
      case "bushing":
        this.stand("ring", at, norm(axis) > 0 ? axis : turn(q, [0, 0, 1]), 1.7 * r, 1.7 * r, 1.3 * r, this.paint(mark.i, this.colours.rubber), mark.i);
        break;
      case "leaf_spring":
        [0, 1, 2].forEach((k) => this.stand("box", subtract(at, scale(up, 0.45 * k * r)), axis, 0.38 * r, 1.4 * r, (1 - 0.25 * k) * (this.wheel ? 2.6 * this.wheel : 14 * r), this.paint(mark.i, this.colours.spring), mark.i, up));
        break;
      default:
    }
  }

  drawStrut(strut, start) {
    const [a, b] = strut.ends.map((end) => this.motion.world(end));
    const along = subtract(b, a);
    const length = norm(along);
    if (length < 1e-9 * this.size) return;
    const axis = scale(along, 1 / length);
    const r = this.unit;
    const wide = Math.min(2.3 * r, 0.3 * length);
    const part = (t) => mix(a, b, t);
    switch (strut.kind) {
      case "rod":
        this.bar(a, b, 0.55 * r, this.paint(strut.i, this.colours.rod), strut.i);
        [a, b].forEach((end) => this.ball(end, 0.9 * r, this.paint(strut.i, this.colours.rod), strut.i));
        break;
      case "spring":
        this.stand("helix", a, axis, 0.85 * wide, 0.85 * wide, length, this.paint(strut.i, this.colours.spring), strut.i, null, -Math.min(0.32 * r, 0.03 * length));
        break;
      case "damper": {
        const colour = this.paint(strut.i, this.colours.damper);
        this.bar(a, part(Math.min((0.55 * start) / length, 0.95)), 0.55 * wide, colour, strut.i);
        this.bar(part(0.05), b, 0.2 * wide, this.paint(strut.i, this.colours.joint), strut.i);
        break;
      }
      case "air_spring":
        this.stand("bellows", a, axis, 1.6 * wide, 1.6 * wide, length, this.paint(strut.i, this.colours.rubber), strut.i);
        break;
      case "bump_stop": {
        const colour = this.paint(strut.i, this.colours.rubber);
        this.stand("cone", a, axis, 0.6 * wide, 0.6 * wide, 0.4 * length, colour, strut.i);
        this.bar(a, b, 0.12 * r, colour, strut.i);
        break;
      }
      default:
        this.bar(a, b, 0.4 * r, this.paint(strut.i, this.colours.spring), strut.i);
    }
  }

  /** Length of the longest arrow, m. */
  reach() {
    return Math.min(0.3 * this.size, this.wheel > 0 ? 2.4 * this.wheel : Infinity) * this.arrows;
  }

  drawLoad(load) {
    const shown = load.kind === "connection" ? this.show.connections : this.show.loads;
    if (!shown && !this.selected.has(load.i)) return;
    const value = load.v.map((series) => this.motion.at(series));
    const largest = load.kind === "torque" ? this.torqueSize : this.forceSize;
    const length = (norm(value) / (largest || 1)) * this.reach();
    if (length < 0.5 * this.unit) return;
    const at = load.at ? load.at.map((series) => this.motion.at(series)) : this.motion.world([load.b, load.p]);
    const axis = unit(value);
    const colour = this.paint(load.i, this.colours[load.kind]);
    const head = Math.min(4 * this.unit, 0.45 * length);
    const tip = add(at, scale(axis, length));
    const neck = subtract(tip, scale(axis, head));
    // Where bodies touch the arrow begins inside of one of them.
    this.renderer.inFront = load.kind === "touch";
    this.bar(at, neck, Math.min(0.55 * this.unit, 0.15 * length), colour, load.i);
    this.stand("cone", neck, axis, 0.4 * head, 0.4 * head, head, colour, load.i);
    this.renderer.inFront = false;
    if (load.kind === "torque") this.stand("cone", subtract(neck, scale(axis, 0.8 * head)), axis, 0.4 * head, 0.4 * head, head, colour, load.i);
  }

  drawPaths() {
    const paths = this.paths.map((path) => [path, this.colours.path]);
    if (this.chosenPath) paths.push([this.chosenPath, [...this.colours.selected, 1]]);
    for (const [path, colour] of paths) {
      if (path.points.length < 6) continue;
      if (!path.first) {
        path.first = [path.points[0], path.points[1], path.points[2]];
        path.local = Float32Array.from(path.points, (value, k) => value - path.first[k % 3]);
      }
      this.lines.push({ points: path.local, offset: subtract(path.first, this.origin), colour, strip: true });
    }
  }

  /** Where the ground holds something. */
  drawGround() {
    const { up } = this.data;
    const colour = [...this.colours.ground, 1];
    for (const place of this.parts.ground) {
      const foot = subtract(place, scale(up, 2.6 * this.unit));
      this.stand("cone", foot, up, 1.5 * this.unit, 1.5 * this.unit, 2.3 * this.unit, colour, -1);
      this.stand("box", subtract(foot, scale(up, 0.15 * this.unit)), up, 4 * this.unit, 4 * this.unit, 0.3 * this.unit, colour, -1);
    }
  }

  /** The ground as a plane up to the horizon, with lines at round distances where there is no road, and the light on it. */
  ground(camera) {
    const { up } = this.data;
    const { front, side } = camera;
    const places = this.own().map((place) => subtract(place, this.origin));
    if (places.length === 0) places.push([0, 0, 0]);
    const [low, high] = [1, -1].map((sign) => [0, 1, 2].map((k) => places.reduce((best, place) => (sign * place[k] < sign * best ? place[k] : best), places[0][k])));
    const middle = mix(low, high, 0.5);
    const radius = 1.1 * Math.max(Math.min(norm(subtract(high, middle)), 2 * this.floor), 1e-6);
    const sun = unit(add(up, add(scale(front, -0.22), scale(side, -0.38))));
    const [u, v] = beside(sun);
    const row = (axis, by) => [...scale(axis, 1 / by), -dot(axis, middle) / by];
    const rows = [row(u, radius), row(v, radius), row(sun, 8 * radius), [0, 0, 0, 1]];
    const light = new Float32Array(16).map((_, n) => rows[n % 4][n >> 2]);
    const spacing = roundBelow(this.floor / 6);
    // Line coordinates are relative to a crossing of strong lines near the target, so that the numbers are small.
    const reach = camera.far;
    const [a, b] = [front, side].map((axis) => dot(this.origin, axis) / spacing);
    const height = this.surfaces.length > 0 ? this.roadLevel : this.level;
    const grid = [a - 5 * Math.round(a / 5), b - 5 * Math.round(b / 5), reach / spacing, 0];
    const ink = [...this.colours.grid];
    if (this.surfaces.length > 0) ink[3] = 0;
    // A vehicle on level ground gets a road with markings, at round places of the world.
    const road = [spacing * 5 * Math.round(a / 5), spacing * 5 * Math.round(b / 5), spacing, this.lane ? 1 : 0];
    road[0] %= 12;
    return {
      light, haze: 1.6 / reach,
      floor: { road, asphalt: this.colours.asphalt, middle: scale(up, height - dot(this.origin, up)), x: scale(front, reach), y: scale(side, reach), grid, colour: this.colours.floor, ink },
    };
  }
}
