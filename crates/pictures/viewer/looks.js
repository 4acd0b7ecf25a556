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

class Looks {
  constructor(parts, renderer) {
    this.shapes = parts.shapes;
    this.groups = parts.shape_groups;
    /** Bodies that have a shape: their bars are thin. */
    this.bodies = new Set(this.shapes.map((shape) => shape.b));
    this.bounds = parts.meshes.map((mesh) => this.bound(mesh));
    if (!renderer) return;
    parts.meshes.forEach((mesh, k) => renderer.own(`mesh ${k}`, MEMORY.get(`mesh ${mesh.r} ${mesh.v} ${mesh.t}`, () => meshCorners(mesh))));
    const kinds = new Set(this.shapes.map((shape) => shape.kind));
    if (kinds.has("cylinder")) renderer.own("shape cylinder", lathe([[0, -0.5], [1, -0.5], [1, 0.5], [0, 0.5]], 36));
    if (kinds.has("sphere")) renderer.own("shape sphere", sphereMesh(32, 16));
    this.shapes.forEach((shape, k) => {
      if (shape.kind === "capsule") renderer.own(`capsule ${k}`, capsuleMesh(shape.size[0], shape.size[2]));
    });
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
