// WebGL 2: instances of unit meshes, lines, surfaces of roads, and which part is below the pointer.

const INSTANCE = 18;

const SOLID = [
  `#version 300 es
  layout(location=0) in vec3 place; layout(location=1) in vec3 normal;
  layout(location=2) in vec3 x; layout(location=3) in vec3 y; layout(location=4) in vec3 z; layout(location=5) in vec3 at;
  layout(location=6) in vec4 colour; layout(location=7) in vec2 mark;
  uniform mat4 project; uniform mat3 camera;
  out vec3 n; out vec4 paint; out vec3 own; flat out vec2 which;
  void main() {
    vec3 world = place.x * x + place.y * y + place.z * z + at;
    vec3 outward = normal.x * x / dot(x, x) + normal.y * y / dot(y, y) + normal.z * z / dot(z, z);
    if (mark.y < 0.0) {
      outward = normal.x * normalize(x) + normal.y * normalize(y) + normal.z * normalize(z);
      world -= mark.y * outward;
    }
    gl_Position = project * vec4(world, 1.0);
    n = camera * outward;
    paint = colour; own = place; which = mark;
  }`,
  `#version 300 es
  precision highp float;
  in vec3 n; in vec4 paint; in vec3 own; flat in vec2 which;
  uniform bool picking;
  out vec4 result;
  void main() {
    if (picking) { float id = which.x; result = vec4(mod(id, 256.0), mod(floor(id / 256.0), 256.0), floor(id / 65536.0), 255.0) / 255.0; return; }
    vec3 normal = normalize(n);
    vec3 colour = paint.rgb;
    if (which.y > 0.5) colour = own.x * own.y * own.z > 0.0 ? vec3(0.08) : vec3(0.97);
    float light = 0.42 + 0.5 * max(dot(normal, normalize(vec3(0.35, 0.6, 0.75))), 0.0) + 0.14 * max(normal.z, 0.0);
    float shine = 0.16 * pow(max(dot(normal, normalize(vec3(0.15, 0.5, 0.75))), 0.0), 24.0);
    result = vec4(colour * light + shine, paint.a);
  }`,
];

const LINES = [
  `#version 300 es
  layout(location=0) in vec3 place; uniform mat4 project; uniform vec3 offset; uniform vec4 eye; out float near;
  void main() { gl_Position = project * vec4(place + offset, 1.0); near = exp(-eye.w * distance(place + offset, eye.xyz)); }`,
  `#version 300 es
  precision mediump float; uniform vec4 colour; in float near; out vec4 result; void main() { result = vec4(colour.rgb, colour.a * near); }`,
];

/** How dark the shadow makes a place; with the distance from the eye the ground becomes the colour of the horizon. */
const SHADE = `
  uniform sampler2D shadow; uniform mat4 light; uniform vec4 eye; uniform vec3 back; uniform bool coarse;
  float lit(vec3 at) {
    vec2 uv = (light * vec4(at, 1.0)).xy * 0.5 + 0.5;
    if (any(lessThan(uv, vec2(0.0))) || any(greaterThan(uv, vec2(1.0)))) return 1.0;
    if (coarse) return 1.0 - 0.378 * texture(shadow, uv).a;
    float dark = 0.0;
    for (int i = -1; i <= 1; i++) for (int k = -1; k <= 1; k++) dark += texture(shadow, uv + vec2(i, k) * 0.0075).a;
    return 1.0 - 0.042 * dark;
  }
  vec3 hazy(vec3 colour, vec3 at) { return mix(back, colour, exp(-eye.w * distance(at, eye.xyz))); }`;

/** The level ground: lines every unit of \`along\`, every fifth of them stronger, as wide as a pixel. */
const FLOOR = [
  `#version 300 es
  layout(location=0) in vec2 place; uniform mat4 project; uniform vec3 middle; uniform vec3 x; uniform vec3 y; uniform vec4 grid;
  out vec3 at; out vec2 along;
  void main() { at = middle + place.x * x + place.y * y; along = grid.xy + grid.z * place; gl_Position = project * vec4(at, 1.0); }`,
  `#version 300 es
  precision highp float;
  in vec3 at; in vec2 along; uniform vec3 colour; uniform vec4 ink; uniform vec4 road; uniform vec3 asphalt; out vec4 result; ${SHADE}
  float lines(vec2 p) {
    vec2 wide = fwidth(p);
    vec2 away = abs(fract(p - 0.5) - 0.5) / wide;
    return (1.0 - min(min(away.x, away.y), 1.0)) * clamp(1.5 - 3.0 * max(wide.x, wide.y), 0.0, 1.0);
  }
  void main() {
    float line = max(0.55 * lines(along), lines(0.2 * along)) * ink.a;
    vec3 ground = mix(colour, ink.rgb, line);
    if (road.w > 0.0) {
      // Metres along and across a road with two lanes of 3.6 m; the first lane is in the middle of the world.
      vec2 p = road.xy + road.z * along;
      float soft = max(fwidth(p.y), 1e-3);
      float lane = abs(p.y - 1.8);
      float asphalted = 1.0 - smoothstep(4.2 - soft, 4.2 + soft, lane);
      float dash = smoothstep(0.0, 0.05, 2.0 - abs(mod(p.x, 12.0) - 6.0));
      float edge = 1.0 - smoothstep(0.07, 0.07 + soft, abs(lane - 3.6));
      float middle = (1.0 - smoothstep(0.07, 0.07 + soft, lane)) * mix(dash, 0.33, min(0.2 * fwidth(p.x), 1.0));
      vec3 paint = mix(asphalt, vec3(0.95), max(edge, middle) * min(0.14 / soft, 1.0));
      ground = mix(ground, paint, asphalted);
    }
    result = vec4(hazy(ground * lit(at), at), 1.0);
  }`,
];

const GROUND = [
  `#version 300 es
  layout(location=0) in vec3 place; layout(location=1) in vec3 normal;
  uniform mat4 project; uniform vec3 offset; uniform vec3 colour;
  out vec3 paint; out vec3 at;
  void main() {
    at = place + offset;
    gl_Position = project * vec4(at, 1.0);
    paint = colour * (0.72 + 0.28 * dot(normalize(vec3(normal.xy * 4.0, normal.z)), normalize(vec3(-0.5, 0.3, 0.8))));
  }`,
  `#version 300 es
  precision highp float; in vec3 paint; in vec3 at; out vec4 result; ${SHADE}
  void main() { result = vec4(hazy(paint * lit(at), at), 1.0); }`,
];

/** Pixels along a side of the picture of the shadow. */
const SHADOW = 512;
/** Frames for which it is kept while a picture moves that is computed without a graphics card. */
const KEPT = 4;

/** Whether pictures are computed without a graphics card: then edges are not smoothed, which takes most of the time there. */
function inSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const about = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  const lose = gl.getExtension("WEBGL_lose_context");
  if (lose) lose.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

/** Corners [x, y, z, nx, ny, nz] with every different one once, and their numbers; large meshes stay as they are. */
function indexed(corners) {
  const count = corners.length / 6;
  const numbers = new Uint32Array(count);
  if (count > 60000) return { numbers: numbers.map((_, k) => k), different: new Float32Array(corners) };
  const known = new Map();
  const different = [];
  for (let k = 0; k < count; k++) {
    const corner = corners.slice(6 * k, 6 * k + 6);
    const key = Array.from(corner, (x) => Math.fround(x)).join();
    if (!known.has(key)) {
      known.set(key, known.size);
      different.push(...corner);
    }
    numbers[k] = known.get(key);
  }
  return { numbers, different: new Float32Array(different) };
}

/** A piece of the drawing, with its bounding sphere. */
function tile(first, count, points, stride) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (let i = first; i < first + count; i++) {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], points[stride * i + k]);
      high[k] = Math.max(high[k], points[stride * i + k]);
    }
  }
  return { first, count, at: mix(low, high, 0.5), radius: 0.5 * norm(subtract(high, low)) };
}

/** Whether a sphere is in view, by the sides of the picture as planes. */
function inView(planes, at, radius) {
  return planes.every(([x, y, z, w]) => x * at[0] + y * at[1] + z * at[2] + w >= -radius);
}

/** Whether a piece of a road with heights around `rough` is seen as flat from the eye: within a pixel. */
function flatAt({ rough, radius }, at, { eye, perMetre }) {
  return rough * perMetre < Math.max(norm(subtract(at, eye)) - radius, 1e-9);
}

/** Left, right, lower, upper and near side of the picture of a projection, pointing inwards. */
function sides(m) {
  return [[0, 1], [0, -1], [1, 1], [1, -1], [2, 1]].map(([row, sign]) => {
    const plane = [0, 1, 2, 3].map((k) => m[4 * k + 3] + sign * m[4 * k + row]);
    return plane.map((x) => x / norm(plane));
  });
}

/**
 * Many small parts as one mesh, put together anew for every picture: without a graphics card an instance costs as much as some hundred
 * triangles. Per corner place and normal (floats), colour (bytes), row of the tree (float).
 */
class Batch {
  constructor(gl) {
    this.gl = gl;
    this.array = gl.createVertexArray();
    this.buffers = [gl.createBuffer(), gl.createBuffer()];
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[0]);
    for (const [k, size, type, normalized, from] of [[0, 3, gl.FLOAT, false, 0], [1, 3, gl.FLOAT, false, 12], [6, 4, gl.UNSIGNED_BYTE, true, 24], [7, 1, gl.FLOAT, false, 28]]) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, type, normalized, 32, from);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers[1]);
    gl.bindVertexArray(null);
    this.room(4096, 16384);
    this.clear();
  }

  /** Room for so many corners and numbers of corners; what is there stays. */
  room(corners, numbers) {
    const [floats, indices] = [new Float32Array(8 * corners), new Uint32Array(numbers)];
    if (this.floats) {
      floats.set(this.floats);
      indices.set(this.numbers);
    }
    Object.assign(this, { floats, bytes: new Uint8Array(floats.buffer), numbers: indices });
  }

  clear() {
    this.count = 0;
    this.indices = 0;
  }

  add({ different, numbers }, x, y, z, at, colour, id) {
    const corners = different.length / 6;
    if (8 * (this.count + corners) > this.floats.length || this.indices + numbers.length > this.numbers.length) {
      this.room(Math.max(this.floats.length / 4, this.count + corners), Math.max(2 * this.numbers.length, this.indices + numbers.length));
    }
    const { floats, bytes } = this;
    const [xx, yy, zz] = [1 / (dot(x, x) || 1), 1 / (dot(y, y) || 1), 1 / (dot(z, z) || 1)];
    const [r, g, b] = [Math.round(255 * colour[0]), Math.round(255 * colour[1]), Math.round(255 * colour[2])];
    for (let k = 0, to = 8 * this.count; k < different.length; k += 6, to += 8) {
      const [a, c, e] = [different[k], different[k + 1], different[k + 2]];
      const [u, v, w] = [different[k + 3] * xx, different[k + 4] * yy, different[k + 5] * zz];
      floats[to] = a * x[0] + c * y[0] + e * z[0] + at[0];
      floats[to + 1] = a * x[1] + c * y[1] + e * z[1] + at[1];
      floats[to + 2] = a * x[2] + c * y[2] + e * z[2] + at[2];
      floats[to + 3] = u * x[0] + v * y[0] + w * z[0];
      floats[to + 4] = u * x[1] + v * y[1] + w * z[1];
      floats[to + 5] = u * x[2] + v * y[2] + w * z[2];
      bytes[4 * to + 24] = r;
      bytes[4 * to + 25] = g;
      bytes[4 * to + 26] = b;
      bytes[4 * to + 27] = 255;
      floats[to + 7] = id;
    }
    for (let k = 0; k < numbers.length; k++) this.numbers[this.indices + k] = this.count + numbers[k];
    this.count += corners;
    this.indices += numbers.length;
  }

  upload() {
    if (this.count === 0) return;
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[0]);
    gl.bufferData(gl.ARRAY_BUFFER, this.floats.subarray(0, 8 * this.count), gl.STREAM_DRAW);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, this.numbers.subarray(0, this.indices), gl.STREAM_DRAW);
    gl.bindVertexArray(null);
  }

  draw() {
    if (this.count === 0) return;
    const { gl } = this;
    gl.bindVertexArray(this.array);
    // Places are in the axes of the picture's target already.
    gl.vertexAttrib3f(2, 1, 0, 0);
    gl.vertexAttrib3f(3, 0, 1, 0);
    gl.vertexAttrib3f(4, 0, 0, 1);
    gl.vertexAttrib3f(5, 0, 0, 0);
    gl.drawElements(gl.TRIANGLES, this.indices, gl.UNSIGNED_INT, 0);
  }
}

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    this.software = inSoftware();
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: !this.software });
    if (!gl) throw new Error("This browser does not support WebGL 2, which the 3-D view needs; the plots work without it.");
    this.gl = gl;
    this.solid = this.program(SOLID);
    this.lines = this.program(LINES);
    this.ground = this.program(GROUND);
    this.floor = this.program(FLOOR);
    this.shadow = this.pictureOf(SHADOW, SHADOW);
    this.square = gl.createVertexArray();
    gl.bindVertexArray(this.square);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    this.meshes = {};
    /** Names of the meshes of the present model, and all of its vertex arrays with their buffers. */
    this.owned = [];
    this.made = [];
    /** Indexed corners by the corners. */
    this.indexed = new WeakMap();
    /** Instances that one sees through. */
    this.glass = [];
    /** Instances that nothing hides, and whether more of them come. */
    this.front = [];
    this.inFront = false;
    for (const [name, make] of Object.entries(MESHES)) this.meshes[name] = this.mesh(make());
    for (const [name, make] of Object.entries(COARSE)) this.meshes[`coarse ${name}`] = this.mesh(make());
    /** Whether small parts are drawn with few triangles: without a graphics card, while the picture moves. */
    this.coarse = false;
    this.ratio = 0.6;
    this.batch = new Batch(gl);
    this.lineBuffer = gl.createBuffer();
    this.lineArray = gl.createVertexArray();
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    this.target = null;
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  program([vertex, fragment]) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  /** A mesh with room for instances. */
  mesh(corners) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    if (!this.indexed.has(corners)) this.indexed.set(corners, indexed(corners));
    const { numbers, different } = this.indexed.get(corners);
    const buffers = this.corners(different, numbers);
    const instances = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    [[2, 3, 0], [3, 3, 3], [4, 3, 6], [5, 3, 9], [6, 4, 12], [7, 2, 16]].forEach(([k, size, from]) => {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, gl.FLOAT, false, 4 * INSTANCE, 4 * from);
      gl.vertexAttribDivisor(k, 1);
    });
    gl.bindVertexArray(null);
    return { array, buffers: [...buffers, instances], instances, indices: numbers.length, numbers, different, data: new Float32Array(INSTANCE * 64), count: 0 };
  }

  /** A mesh of the present model. */
  own(name, corners) {
    this.meshes[name] = this.mesh(corners);
    this.owned.push(name);
    this.made.push(this.meshes[name]);
  }

  /** Deletes everything of the present model. */
  forget() {
    const { gl } = this;
    this.clear();
    for (const name of this.owned) delete this.meshes[name];
    for (const { array, buffers } of this.made) {
      gl.deleteVertexArray(array);
      buffers.forEach((buffer) => gl.deleteBuffer(buffer));
    }
    [this.owned, this.made, this.kept] = [[], [], 0];
  }

  /** Forgets all instances. */
  clear() {
    for (const mesh of Object.values(this.meshes)) mesh.count = 0;
    this.glass = [];
    this.front = [];
    this.batch.clear();
  }

  /**
   * One more of a mesh: its axes x, y, z, its place from the camera's target, colour, row of the tree; style: 1 for quarters in black
   * and white, minus the thickness of the wire for springs.
   */
  add(name, x, y, z, at, colour, row, style = 0) {
    const mesh = this.meshes[this.coarse && COARSE[name] ? `coarse ${name}` : name];
    const list = this.inFront ? this.front : this.glass;
    if (this.inFront || colour[3] < 1) list.push({ name, instance: new Float32Array([...x, ...y, ...z, ...at, ...colour, row + 1, style]) });
    else if (this.coarse && style === 0 && mesh.indices < 2000) this.batch.add(mesh, x, y, z, at, colour, row + 1);
    else this.put(mesh, [...x, ...y, ...z, ...at, ...colour, row + 1, style]);
  }

  put(mesh, instance) {
    const from = mesh.count * INSTANCE;
    if (from + INSTANCE > mesh.data.length) {
      const larger = new Float32Array(2 * mesh.data.length);
      larger.set(mesh.data);
      mesh.data = larger;
    }
    mesh.data.set(instance, from);
    mesh.count++;
  }

  /** Places and normals of corners for the bound array, and their numbers in triangles; their buffers. */
  corners(different, numbers) {
    const { gl } = this;
    const buffers = [gl.createBuffer(), gl.createBuffer()];
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[0]);
    gl.bufferData(gl.ARRAY_BUFFER, different, gl.STATIC_DRAW);
    for (const k of [0, 1]) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, 12 * k);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers[1]);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    return buffers;
  }

  /** The surface of a road: corners, numbers of corners in triangles, and tiles of them that are drawn where they are in view. */
  surface(different, numbers, tiles) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.made.push({ array, buffers: this.corners(different, numbers) });
    gl.bindVertexArray(null);
    return { array, tiles };
  }

  /** Lines that never change: pairs of points, drawn in pieces where they are in view. */
  fixedLines(points) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffer = gl.createBuffer();
    this.made.push({ array, buffers: [buffer] });
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    const tiles = [];
    const count = points.length / 3;
    for (let first = 0; first < count; first += 128) tiles.push(tile(first, Math.min(128, count - first), points, 3));
    return { array, tiles };
  }

  /** Fits the picture to its place; without a graphics card it is coarser while it moves. */
  resize(moving) {
    this.coarse = this.software && moving;
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * (this.coarse ? this.ratio : 1);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight].map((px) => Math.max(1, Math.round(px * ratio)));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
  }

  /** Draws: `scene` has back, camera (project, rotation), surfaces, lines. */
  draw(scene) {
    const { gl } = this;
    // Without a graphics card the picture of the shadow is kept for some frames; it goes along with what throws it.
    this.kept = this.coarse && this.kept > 0 ? this.kept - 1 : KEPT;
    if (scene.floor && this.kept === KEPT) this.drawShadow(scene);
    else this.upload();
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...scene.back, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (scene.floor) this.drawFloor(scene);
    if (scene.surfaces.length > 0) this.useGround(this.ground, scene);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    const planes = sides(scene.project);
    for (const surface of scene.surfaces) {
      gl.uniform3fv(this.ground.uniforms.offset, surface.offset);
      gl.uniform3fv(this.ground.uniforms.colour, surface.colour);
      gl.bindVertexArray(surface.mesh.array);
      for (const piece of surface.mesh.tiles) {
        const at = add(piece.at, surface.offset);
        if (!inView(planes, at, piece.radius)) continue;
        const flat = this.coarse && flatAt(piece, at, scene);
        gl.drawElements(gl.TRIANGLES, flat ? 6 : piece.count, gl.UNSIGNED_INT, 4 * (flat ? piece.quad : piece.first));
      }
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
    this.drawLines(scene);
    this.drawSolids(scene, false);
    this.drawGlass(scene);
    this.drawFront();
  }

  /** What nothing hides. */
  drawFront() {
    if (this.front.length === 0) return;
    const { gl } = this;
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.solid.program);
    for (const { name, instance } of this.front) this.one(this.meshes[name], instance);
    gl.bindVertexArray(null);
  }

  /** What one sees through, the farthest first: of each its nearest surface alone. */
  drawGlass(scene) {
    if (this.glass.length === 0) return;
    const { gl } = this;
    const r = scene.rotation;
    const near = ({ instance }) => r[2] * instance[9] + r[5] * instance[10] + r[8] * instance[11];
    this.glass.sort((a, b) => near(a) - near(b));
    gl.useProgram(this.solid.program);
    gl.depthFunc(gl.LEQUAL);
    for (const { name, instance } of this.glass) {
      const mesh = this.meshes[name];
      gl.colorMask(false, false, false, false);
      this.one(mesh, instance);
      gl.colorMask(true, true, true, true);
      gl.enable(gl.BLEND);
      gl.drawElementsInstanced(gl.TRIANGLES, mesh.indices, gl.UNSIGNED_INT, 0, 1);
      gl.disable(gl.BLEND);
    }
    gl.depthFunc(gl.LESS);
    gl.bindVertexArray(null);
  }

  drawLines(scene) {
    const { gl } = this;
    gl.useProgram(this.lines.program);
    gl.uniformMatrix4fv(this.lines.uniforms.project, false, scene.project);
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.enable(gl.BLEND);
    const planes = sides(scene.project);
    for (const line of scene.lines) {
      gl.uniform3fv(this.lines.uniforms.offset, line.offset);
      gl.uniform4fv(this.lines.uniforms.colour, line.colour);
      gl.uniform4f(this.lines.uniforms.eye, ...scene.eye, line.ground ? scene.haze : 0);
      if (line.array) {
        gl.bindVertexArray(line.array);
        for (const { first, count, at, radius } of line.tiles) {
          if (inView(planes, add(at, line.offset), radius)) gl.drawArrays(gl.LINES, first, count);
        }
        continue;
      }
      gl.bindVertexArray(this.lineArray);
      gl.bufferData(gl.ARRAY_BUFFER, line.points, gl.STREAM_DRAW);
      gl.drawArrays(line.strip ? gl.LINE_STRIP : gl.LINES, 0, line.points.length / 3);
    }
    gl.disable(gl.BLEND);
  }

  upload() {
    const { gl } = this;
    this.batch.upload();
    for (const mesh of Object.values(this.meshes)) {
      if (mesh.count === 0) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.instances);
      gl.bufferData(gl.ARRAY_BUFFER, mesh.data.subarray(0, mesh.count * INSTANCE), gl.STREAM_DRAW);
    }
  }

  useSolid(project, rotation, picking) {
    const { gl } = this;
    gl.useProgram(this.solid.program);
    gl.uniformMatrix4fv(this.solid.uniforms.project, false, project);
    gl.uniformMatrix3fv(this.solid.uniforms.camera, false, rotation);
    gl.uniform1i(this.solid.uniforms.picking, picking ? 1 : 0);
  }

  drawSolids(scene, picking) {
    const { gl } = this;
    this.useSolid(scene.project, scene.rotation, picking);
    for (const mesh of Object.values(this.meshes)) {
      if (mesh.count === 0) continue;
      gl.bindVertexArray(mesh.array);
      gl.drawElementsInstanced(gl.TRIANGLES, mesh.indices, gl.UNSIGNED_INT, 0, mesh.count);
    }
    this.batch.draw();
    gl.bindVertexArray(null);
  }

  /** A picture that is not shown. */
  pictureOf(width, height) {
    const { gl } = this;
    const [texture, depth, frame] = [gl.createTexture(), gl.createRenderbuffer(), gl.createFramebuffer()];
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, width, height);
    for (const [key, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, key, value);
    gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, depth, frame, width, height };
  }

  /** What the light does not reach, seen from the light. */
  drawShadow(scene) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.frame);
    gl.viewport(0, 0, SHADOW, SHADOW);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    // What one sees through comes first: it borrows the buffers of the others, which are filled afterwards.
    this.useSolid(scene.light, scene.rotation, true);
    for (const { name, instance } of this.glass) this.one(this.meshes[name], instance);
    this.upload();
    this.drawSolids({ ...scene, project: scene.light }, true);
    gl.enable(gl.DEPTH_TEST);
  }

  /** Draws one instance of a mesh by the program in use. */
  one(mesh, instance) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.instances);
    gl.bufferData(gl.ARRAY_BUFFER, instance, gl.STREAM_DRAW);
    gl.bindVertexArray(mesh.array);
    gl.drawElementsInstanced(gl.TRIANGLES, mesh.indices, gl.UNSIGNED_INT, 0, 1);
  }

  /** Makes a program of the ground the one in use, with what both have in common. */
  useGround({ program, uniforms }, scene) {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.project, false, scene.project);
    gl.uniformMatrix4fv(uniforms.light, false, scene.light);
    gl.uniform4f(uniforms.eye, ...scene.eye, scene.haze);
    gl.uniform3fv(uniforms.back, scene.back);
    gl.uniform1i(uniforms.coarse, this.coarse ? 1 : 0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
  }

  /** The level ground, behind everything. */
  drawFloor(scene) {
    const { gl } = this;
    const { middle, x, y, grid, colour, ink, road, asphalt } = scene.floor;
    const { uniforms } = this.floor;
    this.useGround(this.floor, scene);
    for (const [name, value] of Object.entries({ middle, x, y, colour, asphalt })) gl.uniform3fv(uniforms[name], value);
    gl.uniform4fv(uniforms.grid, grid);
    gl.uniform4fv(uniforms.ink, ink);
    gl.uniform4fv(uniforms.road, road);
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.square);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.bindVertexArray(null);
    gl.enable(gl.DEPTH_TEST);
  }

  /** The row of the part at a pixel (from the left and the top) or within four pixels; −1 if there is none. */
  pick(scene, x, y) {
    const { gl } = this;
    const [width, height] = [this.canvas.width, this.canvas.height];
    if (!this.target || this.target.width !== width || this.target.height !== height) {
      if (this.target) {
        gl.deleteTexture(this.target.texture);
        gl.deleteRenderbuffer(this.target.depth);
        gl.deleteFramebuffer(this.target.frame);
      }
      this.target = this.pictureOf(width, height);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target.frame);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.drawSolids(scene, true);
    const side = 9;
    const pixels = new Uint8Array(4 * side * side);
    gl.readPixels(Math.round(x) - 4, height - Math.round(y) - 5, side, side, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    let best = [Infinity, -1];
    for (let k = 0; k < side * side; k++) {
      const id = pixels[4 * k] + 256 * pixels[4 * k + 1] + 65536 * pixels[4 * k + 2];
      const distance = Math.hypot((k % side) - 4, Math.floor(k / side) - 4);
      if (id > 0 && distance < best[0]) best = [distance, id - 1];
    }
    return best[1];
  }
}
