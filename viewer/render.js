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
    result = vec4(colour * light, paint.a);
  }`,
];

const LINES = [
  `#version 300 es
  layout(location=0) in vec3 place; uniform mat4 project; uniform vec3 offset;
  void main() { gl_Position = project * vec4(place + offset, 1.0); }`,
  `#version 300 es
  precision mediump float; uniform vec4 colour; out vec4 result; void main() { result = colour; }`,
];

const GROUND = [
  `#version 300 es
  layout(location=0) in vec3 place; layout(location=1) in vec3 normal;
  uniform mat4 project; uniform vec3 offset; uniform vec3 colour;
  out vec3 paint;
  void main() {
    gl_Position = project * vec4(place + offset, 1.0);
    paint = colour * (0.72 + 0.28 * dot(normalize(vec3(normal.xy * 4.0, normal.z)), normalize(vec3(-0.5, 0.3, 0.8))));
  }`,
  `#version 300 es
  precision mediump float; in vec3 paint; out vec4 result; void main() { result = vec4(paint, 1.0); }`,
];

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

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    this.software = inSoftware();
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: !this.software });
    if (!gl) throw new Error("This browser has no WebGL 2, which the picture needs; the plots work without it.");
    this.gl = gl;
    this.solid = this.program(SOLID);
    this.lines = this.program(LINES);
    this.ground = this.program(GROUND);
    this.meshes = {};
    for (const [name, make] of Object.entries(MESHES)) this.meshes[name] = this.mesh(make());
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
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(corners), gl.STATIC_DRAW);
    for (const k of [0, 1]) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, 12 * k);
    }
    const instances = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    [[2, 3, 0], [3, 3, 3], [4, 3, 6], [5, 3, 9], [6, 4, 12], [7, 2, 16]].forEach(([k, size, from]) => {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, gl.FLOAT, false, 4 * INSTANCE, 4 * from);
      gl.vertexAttribDivisor(k, 1);
    });
    gl.bindVertexArray(null);
    return { array, instances, corners: corners.length / 6, data: new Float32Array(INSTANCE * 64), count: 0 };
  }

  /** Forgets all instances. */
  clear() {
    for (const mesh of Object.values(this.meshes)) mesh.count = 0;
  }

  /**
   * One more of a mesh: its axes x, y, z, its place from the camera's target, colour, row of the tree; style: 1 for quarters in black
   * and white, minus the thickness of the wire for springs.
   */
  add(name, x, y, z, at, colour, row, style = 0) {
    const mesh = this.meshes[name];
    const from = mesh.count * INSTANCE;
    if (from + INSTANCE > mesh.data.length) {
      const larger = new Float32Array(2 * mesh.data.length);
      larger.set(mesh.data);
      mesh.data = larger;
    }
    mesh.data.set([...x, ...y, ...z, ...at, ...colour, row + 1, style], from);
    mesh.count++;
  }

  /** The surface of a road. */
  surface(corners) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    for (const k of [0, 1]) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, 12 * k);
    }
    gl.bindVertexArray(null);
    return { array, corners: corners.length / 6 };
  }

  /** Lines that never change: pairs of points. */
  fixedLines(points) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    return { array, count: points.length / 3 };
  }

  /** Fits the picture to its place; without a graphics card it is coarser while it moves. */
  resize(moving) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * (this.software && moving ? 0.6 : 1);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight].map((px) => Math.max(1, Math.round(px * ratio)));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
  }

  /** Draws: `scene` has back, camera (project, rotation), surfaces, lines. */
  draw(scene) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...scene.back, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.ground.program);
    gl.uniformMatrix4fv(this.ground.uniforms.project, false, scene.project);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    for (const surface of scene.surfaces) {
      gl.uniform3fv(this.ground.uniforms.offset, surface.offset);
      gl.uniform3fv(this.ground.uniforms.colour, surface.colour);
      gl.bindVertexArray(surface.mesh.array);
      gl.drawArrays(gl.TRIANGLES, 0, surface.mesh.corners);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
    this.drawLines(scene);
    this.upload();
    this.drawSolids(scene, false);
  }

  drawLines(scene) {
    const { gl } = this;
    gl.useProgram(this.lines.program);
    gl.uniformMatrix4fv(this.lines.uniforms.project, false, scene.project);
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.enable(gl.BLEND);
    for (const line of scene.lines) {
      if (line.array) gl.bindVertexArray(line.array);
      else {
        gl.bindVertexArray(this.lineArray);
        gl.bufferData(gl.ARRAY_BUFFER, line.points, gl.STREAM_DRAW);
      }
      gl.uniform3fv(this.lines.uniforms.offset, line.offset);
      gl.uniform4fv(this.lines.uniforms.colour, line.colour);
      gl.drawArrays(line.strip ? gl.LINE_STRIP : gl.LINES, 0, line.count ?? line.points.length / 3);
    }
    gl.disable(gl.BLEND);
  }

  upload() {
    const { gl } = this;
    for (const mesh of Object.values(this.meshes)) {
      if (mesh.count === 0) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.instances);
      gl.bufferData(gl.ARRAY_BUFFER, mesh.data.subarray(0, mesh.count * INSTANCE), gl.STREAM_DRAW);
    }
  }

  drawSolids(scene, picking) {
    const { gl } = this;
    gl.useProgram(this.solid.program);
    gl.uniformMatrix4fv(this.solid.uniforms.project, false, scene.project);
    gl.uniformMatrix3fv(this.solid.uniforms.camera, false, scene.rotation);
    gl.uniform1i(this.solid.uniforms.picking, picking ? 1 : 0);
    for (const mesh of Object.values(this.meshes)) {
      if (mesh.count === 0) continue;
      gl.bindVertexArray(mesh.array);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, mesh.corners, mesh.count);
    }
    gl.bindVertexArray(null);
  }

  /** The row of what is at a pixel or up to four pixels beside it, from the left and the top; −1 where there is nothing. */
  pick(scene, x, y) {
    const { gl } = this;
    const [width, height] = [this.canvas.width, this.canvas.height];
    if (!this.target || this.target.width !== width || this.target.height !== height) {
      if (this.target) {
        gl.deleteTexture(this.target.texture);
        gl.deleteRenderbuffer(this.target.depth);
        gl.deleteFramebuffer(this.target.frame);
      }
      const [texture, depth, frame] = [gl.createTexture(), gl.createRenderbuffer(), gl.createFramebuffer()];
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, width, height);
      gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
      gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, width, height);
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
      this.target = { texture, depth, frame, width, height };
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
