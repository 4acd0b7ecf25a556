// The shapes of the model file: boxes, cylinders, spheres, capsules, meshes.

/** Meshes of the present model and of the one before: most of them stay when a text is changed. */
class Memory {
  constructor() {
    [this.now, this.before] = [new Map(), new Map()];
  }

  /** From now on results are of another model. */
  next() {
    [this.now, this.before] = [new Map(), this.now];
  }

  /** The known result for a key, or a new one. */
  get(key, make) {
    if (!this.now.has(key)) this.now.set(key, this.before.has(key) ? this.before.get(key) : make());
    return this.now.get(key);
  }
}
const MEMORY = new Memory();

/** Corners of a mesh of the file. */
function meshCorners({ r, count, v, t }) {
  const coordinates = decodeAscending(v);
  return smoothCorners(Array.from({ length: count }, (_, k) => [coordinates[k] * r, coordinates[count + k] * r, coordinates[2 * count + k] * r]), decodeAscending(t));
}

/** Corners [x, y, z, nx, ny, nz] of triangles with normals that are smooth but for kinks beyond 35°. */
function smoothCorners(points, triangles) {
  const faces = [];
  const around = points.map(() => []);
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [0, 1, 2].map((n) => points[triangles[k + n]]);
    // Its length is twice the area, by which faces count in a common normal.
    const normal = cross(subtract(b, a), subtract(c, a));
    for (let n = 0; n < 3; n++) around[triangles[k + n]].push(k / 3);
    faces.push({ places: [a, b, c], normal, direction: unit(normal) });
  }
  const kink = Math.cos((35 * Math.PI) / 180);
  const out = new Float32Array(6 * triangles.length);
  faces.forEach(({ places, direction }, f) => {
    for (let n = 0; n < 3; n++) {
      let sum = [0, 0, 0];
      for (const other of around[triangles[3 * f + n]]) {
        if (dot(faces[other].direction, direction) > kink) sum = add(sum, faces[other].normal);
      }
      out.set([...places[n], ...(norm(sum) > 0 ? unit(sum) : direction)], 6 * (3 * f + n));
    }
  });
  return out;
}

/** A capsule along z with its own radius and distance of the half spheres' middles. */
function capsuleMesh(radius, length, sides = 28, rings = 7) {
  const out = [];
  const profile = [];
  for (const end of [-1, 1]) {
    for (let i = 0; i <= rings; i++) {
      const angle = (Math.PI / 2) * (end < 0 ? i / rings - 1 : i / rings);
      profile.push([Math.cos(angle), Math.sin(angle), (end * length) / 2]);
    }
  }
  const corner = ([c, s, shift], k) => {
    const angle = (2 * Math.PI * k) / sides;
    const n = [c * Math.cos(angle), c * Math.sin(angle), s];
    return [radius * n[0], radius * n[1], radius * s + shift, ...n];
  };
  for (let i = 0; i + 1 < profile.length; i++) {
    for (let k = 0; k < sides; k++) {
      const [a, b, c, d] = [corner(profile[i], k), corner(profile[i], k + 1), corner(profile[i + 1], k + 1), corner(profile[i + 1], k)];
      out.push(...a, ...b, ...c, ...a, ...c, ...d);
    }
  }
  return out;
}

/** A gear of radius and length 1 along z: teeth outside of a shaft, or inside of a ring up to the radius `ring`. */
function gearMesh(count, ring) {
  const depth = (ring ? -1.1 : 1.1) / count;
  const outline = [];
  for (let k = 0; k < count; k++) {
    for (const [part, height] of [[-0.32, -1.1], [-0.12, 0.9], [0.12, 0.9], [0.32, -1.1]]) {
      const [angle, r] = [(2 * Math.PI * (k + part)) / count, 1 + depth * height];
      outline.push([r * Math.cos(angle), r * Math.sin(angle)]);
    }
  }
  const out = [];
  const corner = ([x, y], z, n) => [x, y, z, ...n];
  const side = ring ? -1 : 1;
  outline.forEach((a, k) => {
    const b = outline[(k + 1) % outline.length];
    const n = unit([side * (b[1] - a[1]), side * (a[0] - b[0]), 0]);
    const quad = [corner(a, -0.5, n), corner(b, -0.5, n), corner(b, 0.5, n), corner(a, 0.5, n)];
    out.push(...quad[0], ...quad[1], ...quad[2], ...quad[0], ...quad[2], ...quad[3]);
    // Both faces, to the axis or to the outer circle.
    const far = ([x, y]) => scale(unit([x, y, 0]), ring || 0);
    for (const z of [-0.5, 0.5]) {
      const face = [a, b, far(b), far(a)].map((place) => corner(place, z, [0, 0, Math.sign(z)]));
      out.push(...face[0], ...face[1], ...face[2]);
      if (ring) out.push(...face[0], ...face[2], ...face[3]);
    }
  });
  if (ring) out.push(...lathe([[ring, -0.5], [ring, 0.5]], 48));
  return out;
}

class Looks {
  constructor({ parts, items }, motion, renderer) {
    this.shapes = parts.shapes;
    this.groups = parts.shape_groups;
    /** Bodies that have a shape: their bars are thin. */
    this.bodies = new Set(this.shapes.map((shape) => shape.b));
    this.bounds = parts.meshes.map((mesh) => this.bound(mesh));
    if (!renderer) return;
    parts.meshes.forEach((mesh, k) => renderer.own(`mesh ${k}`, MEMORY.get(`mesh ${mesh.r} ${mesh.v} ${mesh.t}`, () => meshCorners(mesh))));
    this.gears = this.findGears(parts, items, motion);
    this.gears.forEach(({ count, ring }, k) => renderer.own(`gear ${k}`, gearMesh(count, ring)));
    const kinds = new Set(this.shapes.map((shape) => shape.kind));
    if (kinds.has("cylinder")) renderer.own("shape cylinder", lathe([[0, -0.5], [1, -0.5], [1, 0.5], [0, 0.5]], 36));
    if (kinds.has("sphere")) renderer.own("shape sphere", sphereMesh(32, 16));
    this.shapes.forEach((shape, k) => {
      if (shape.kind === "capsule") renderer.own(`capsule ${k}`, capsuleMesh(shape.size[0], shape.size[2]));
    });
  }

  /** Whether a shape of a body is shown. */
  shows(b, show) {
    return this.bodies.has(b) && this.shapes.some((shape) => shape.b === b && shape.opacity > 0 && show[`group ${shape.group}`]);
  }

  /** Cylinders on bodies of couplers whose pitch circles touch: their number of teeth and pitch radius by the number of the shape. */
  findGears(parts, items, motion) {
    const rows = new Set(items.filter(({ d }) => d.startsWith("coupler:")).flatMap(({ r }) => r).flatMap((joint) => [joint, ...items[joint].r]));
    const coupled = new Set(parts.bodies.filter(({ i }) => rows.has(i)).map(({ b }) => b));
    const round = this.shapes.flatMap((shape, k) => (shape.kind === "cylinder" && coupled.has(shape.b) ? [{ k, b: shape.b, r: shape.size[0], long: shape.size[2], at: motion.world([shape.b, shape.at]), axis: turn(motion.rotations[shape.b], shape.axes[2]) }] : []));
    const gears = new Map();
    for (const one of round) {
      for (const other of round) {
        if (one.b === other.b || Math.abs(dot(one.axis, other.axis)) < 0.999) continue;
        const way = subtract(other.at, one.at);
        const shift = Math.abs(dot(way, one.axis));
        const apart = norm(cross(way, one.axis));
        if (apart < 1e-6 || shift > 0.5 * (one.long + other.long)) continue;
        if (Math.abs(apart - one.r - other.r) < 0.02 * apart) gears.set(one.k, { r: one.r });
        // A ring around the other one has its teeth inside.
        const inner = apart + other.r;
        if (inner < 1.001 * one.r && one.r < 1.25 * inner) gears.set(one.k, { r: inner, ring: Math.max(one.r / inner, 1.06) });
      }
    }
    const smallest = Math.min(...[...gears.values()].map(({ r }) => r));
    for (const gear of gears.values()) gear.count = Math.min(Math.round((16 * gear.r) / smallest), 200);
    return gears;
  }

  /** Lowest and highest coordinates of a mesh, in the units of its file. */
  bound({ r, count, v }) {
    const coordinates = decodeAscending(v);
    return [0, 1, 2].map((k) => {
      let [low, high] = [Infinity, -Infinity];
      for (let i = k * count; i < (k + 1) * count; i++) [low, high] = [Math.min(low, coordinates[i]), Math.max(high, coordinates[i])];
      return [low * r, high * r];
    });
  }

  /** The mesh that draws a shape, and the factors on it along the axes of the shape. */
  drawn(shape, k) {
    const gear = this.gears.get(k);
    if (gear) return [`gear ${k}`, [gear.r, gear.r, shape.size[2]]];
    switch (shape.kind) {
      case "box": return ["box", shape.size];
      case "cylinder": return ["shape cylinder", shape.size];
      case "sphere": return ["shape sphere", shape.size];
      case "capsule": return [`capsule ${k}`, [1, 1, 1]];
      default: return [`mesh ${shape.mesh}`, shape.size];
    }
  }

  /**
   * World places of the corners of a box around each shape, for what has to fit into the picture; floors and halls on the ground, beyond
   * three times the size of the mechanism, have not.
   */
  places(motion, size) {
    return this.shapes.flatMap((shape) => {
      const [a, b, c] = shape.size;
      const half = { box: [a / 2, b / 2, c / 2], cylinder: [a, b, c / 2], sphere: [a, b, c], capsule: [a, b, c / 2 + a] }[shape.kind];
      const bounds = half ? half.map((x) => [-x, x]) : this.bounds[shape.mesh].map((pair, k) => pair.map((x) => x * shape.size[k]));
      if (shape.b === 0 && Math.hypot(...bounds.map(([low, high]) => high - low)) > 3 * size) return [];
      return [0, 1, 2, 3, 4, 5, 6, 7].map((n) => {
        const own = [0, 1, 2].map((k) => bounds[k][(n >> k) & 1]);
        return motion.world([shape.b, shape.axes.reduce((sum, axis, k) => add(sum, scale(axis, own[k])), shape.at)]);
      });
    });
  }

  /** Draws the shapes whose group is shown. */
  draw(drawing) {
    const { motion, renderer, colours } = drawing;
    this.shapes.forEach((shape, k) => {
      if (!drawing.show[`group ${shape.group}`] || shape.opacity === 0) return;
      const q = motion.rotations[shape.b];
      const [mesh, factors] = this.drawn(shape, k);
      const axes = shape.axes.map((axis, n) => scale(turn(q, axis), factors[n]));
      const own = shape.colour || (shape.i === null ? colours.ground : colours.bodies[drawing.numberOf(shape.i) % colours.bodies.length]);
      const colour = drawing.paint(shape.i, own);
      colour[3] = shape.opacity;
      renderer.add(mesh, ...axes, subtract(motion.world([shape.b, shape.at]), drawing.origin), colour, shape.i === null ? -1 : shape.i);
    });
  }
}
