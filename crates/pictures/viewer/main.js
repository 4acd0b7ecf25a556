// The camera, the player, pointer and keys; everything comes together here.

class Camera {
  constructor(up) {
    this.up = up;
    const k = up.findIndex((x) => x !== 0);
    const [f, s] = [[0, 0, 0], [0, 0, 0]];
    f[(k + 1) % 3] = 1;
    s[(k + 2) % 3] = 1;
    // Front, side and up are right-handed.
    [this.front, this.side] = up[k] > 0 ? [f, s] : [s, f];
    Object.assign(this, { target: [0, 0, 0], distance: 10, azimuth: -1, elevation: 0.4, parallel: false, aspect: 1, far: 100, field: 0.6, room: [0, 0] });
  }

  /** Direction from the target to the eye. */
  toEye() {
    const [ce, se] = [Math.cos(this.elevation), Math.sin(this.elevation)];
    return add(add(scale(this.front, ce * Math.cos(this.azimuth)), scale(this.side, ce * Math.sin(this.azimuth))), scale(this.up, se));
  }

  /** Right, up and back of the picture. */
  axes() {
    const back = this.toEye();
    const right = add(scale(this.front, -Math.sin(this.azimuth)), scale(this.side, Math.cos(this.azimuth)));
    return [right, cross(back, right), back];
  }

  rotation() {
    const [r, u, b] = this.axes();
    return new Float32Array([r[0], u[0], b[0], r[1], u[1], b[1], r[2], u[2], b[2]]);
  }

  /** Half the visible height at the target, m. */
  half() {
    return this.distance * Math.tan(this.field / 2);
  }

  /** From places relative to the target to the picture. */
  project() {
    const [r, u, b] = this.axes();
    const view = new Float32Array([r[0], u[0], b[0], 0, r[1], u[1], b[1], 0, r[2], u[2], b[2], 0, 0, 0, -this.distance, 1]);
    const far = this.distance + this.far;
    if (this.parallel) {
      const half = this.half();
      const depth = this.distance + this.far;
      return multiply(new Float32Array([1 / (half * this.aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -1 / depth, 0, 0, 0, -this.distance / depth, 1]), view);
    }
    const near = Math.max(0.02 * this.distance, 0.001 * far);
    const f = 1 / Math.tan(this.field / 2);
    return multiply(new Float32Array([f / this.aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]), view);
  }

  /** Pixel of a world place in a picture of this size; none behind the eye. */
  pixel(place, width, height) {
    const m = this.project();
    const [x, y, z] = subtract(place, this.target);
    const row = (k) => m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k];
    const w = row(3);
    return w > 0 ? [(0.5 + (0.5 * row(0)) / w) * width, (0.5 - (0.5 * row(1)) / w) * height] : null;
  }

  /** Looks from a direction of the world. */
  lookFrom(direction) {
    const height = dot(direction, this.up);
    this.elevation = Math.asin(Math.min(Math.max(height, -1), 1));
    const flat = [dot(direction, this.front), dot(direction, this.side)];
    this.azimuth = Math.hypot(...flat) > 1e-6 ? Math.atan2(flat[1], flat[0]) : -Math.PI / 2;
  }

  /** Shows all places, with a margin, below and above what covers the fractions `room` of the picture at its upper and lower end. */
  fit(places) {
    if (places.length === 0) return;
    const [r, u, b] = this.axes();
    const t = Math.tan(this.field / 2);
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const place of places) {
      [r, u, b].forEach((axis, k) => {
        const x = dot(place, axis);
        low[k] = Math.min(low[k], x);
        high[k] = Math.max(high[k], x);
      });
    }
    const middle = [0, 1, 2].map((k) => (low[k] + high[k]) / 2);
    this.target = add(add(scale(r, middle[0]), scale(u, middle[1])), scale(b, middle[2]));
    let distance = 0;
    const free = 1 - this.room[0] - this.room[1];
    for (const place of places) {
      const p = subtract(place, this.target);
      const depth = this.parallel ? 0 : dot(p, b);
      distance = Math.max(distance, Math.abs(dot(p, u)) / (t * free) + depth, Math.abs(dot(p, r)) / (t * this.aspect) + depth);
    }
    this.distance = Math.max(distance * 1.13, 1e-6);
    this.target = add(this.target, scale(u, (this.room[0] - this.room[1]) * this.half()));
  }
}

/** A page without a model: an empty scene. */
const EMPTY = {
  kind: "start", name: "", description: "", up: [0, 0, 1], size: 1, groups: [], items: [], bodies: ["ground"], sliders: [], unmoved: [], roads: [], ground: 0,
  parts: { bodies: [], marks: [], struts: [], lines: [], wheels: [], flexible: [], loads: [], paths: [], ground: [], shapes: [], shape_groups: [], meshes: [] },
  frames: { count: 1, times: 0, poses: [[0, 0, 0, 1, 0, 0, 0]], elastic: [], tensions: [], singular: [], choices: [], fault: null },
  plots: { times: null, count: 0, curves: [], panels: [] },
};

// The model on show; `load` replaces it.
let data = EMPTY;
let motion = null;
let drawing = null;
let panel = null;
let plots = null;
let live = null;
let camera = null;
/** The worker of a page with the solver, and the page as it was read, for a replay. */
let solver = null;
const read = element("library") ? document.documentElement.cloneNode(true) : null;
/** Functions of a page around the viewer: `selected(i)` is called after a selection by the user, `drawn()` after every picture, `mode()` after the choice of a mode. `held`: the camera stays. */
const hooks = { selected: () => {}, drawn: () => {}, mode: () => {}, held: false };

const canvas = element("view");
let renderer = null;
const message = (text) => {
  element("message").textContent = text;
  element("message").hidden = !text;
};
try {
  renderer = new Renderer(canvas);
} catch (error) {
  message(error.message);
}
const state = { playing: false, speed: 1, dirty: true, last: 0, frames: 0, theme: "light" };
const changed = () => { state.dirty = true; };
/** Nothing moves unless the user starts it. */
const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The functions of the page that a running model uses. */
const host = {
  state, message, read,
  play: (on) => play(on),
  /** Somebody drives the model for the first time. */
  begin: () => {
    if (!live.instruments.hideHint()) return;
    refit();
    play(true);
  },
  moved: () => {
    if (live.pull) drawing.pulled = [motion.world([live.pull.body, [0, 0, 0]]), live.pull.target];
    else drawing.pulled = null;
    shown();
  },
};

// Time.

function go(time) {
  if (live) return live.seek(time);
  motion.set(Math.min(Math.max(time, motion.start), motion.stop));
  return shown();
}

/** Shows the present time everywhere. */
function shown() {
  if (live) [element("time").min, element("time").max] = [motion.start, motion.stop];
  element("time").value = motion.time;
  element("clock").textContent = motion.modes ? `${Math.round(360 * motion.time)}°` : `${motion.time.toFixed(motion.stop - motion.start > 2 ? 2 : 4)} s`;
  if (panel.follow) follow();
  else if (live && reached && !live.hold) keepInSight();
  // With a picture the plots are drawn together with it.
  if (plots.curves && !renderer) plots.set(motion.time);
  panel.tell();
  changed();
}

/** What was ever out of the picture of a live page; none once somebody has moved the camera. */
let reached = [];
/** The places that were fitted into the picture. */
let framed = null;
/** Moves the camera away until a mechanism that stays where it is fits again. */
function keepInSight() {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const places = drawing.places();
  const out = places.filter((place) => {
    const at = camera.pixel(place, width, height);
    return !at || at[0] < 12 || at[0] > width - 12 || at[1] < 12 || at[1] > height - 12;
  });
  if (out.length === 0 || !width) return;
  reached.push(...out);
  camera.fit([...places, ...reached]);
  camera.far = Math.max(camera.far, 3 * camera.distance);
}

/** Whether the chase camera starts with the drive. */
let chaseNext = false;
let followed = null;
function follow() {
  const body = data.parts.bodies.find((part) => part.i === panel.chosen) || data.parts.bodies.find((part) => part.b === leader);
  if (!body) return;
  const now = motion.positions[body.b];
  if (followed && followed.b === body.b && !hooks.held) camera.target = add(camera.target, subtract(now, followed.at));
  followed = { b: body.b, at: now };
  if (panel.chase && body.b === leader && !hooks.held) chase(body.b);
}

/** Heading that the chase camera has reached, and how far its azimuth, elevation, logarithm of the distance and target are from those behind the vehicle. */
let [heading, swing] = [null, null];
const wrapped = (angle) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** Heading of a body whose first axis points ahead in the design position. */
function headingOf(b) {
  const ahead = turn(motion.rotations[b], camera.front);
  return Math.atan2(dot(ahead, camera.side), dot(ahead, camera.front));
}

/** Turns the camera with a vehicle, with a delay that keeps the picture calm. */
function chase(b) {
  const now = headingOf(b);
  if (heading === null) heading = now;
  const part = 0.15 * wrapped(now - heading);
  heading += part;
  camera.azimuth += part;
  if (!swing) return;
  const step = swing.map((rest) => 0.07 * rest);
  camera.azimuth += step[0];
  camera.elevation += step[1];
  camera.distance *= Math.exp(step[2]);
  camera.target = add(camera.target, step.slice(3));
  swing = swing.map((rest, k) => rest - step[k]);
  if (Math.hypot(...swing) < 1e-3) swing = null;
}

/** The camera goes behind the vehicle; a long one is seen more from the side. */
function startChase() {
  const places = drawing.places();
  const spread = (axis) => Math.max(...places.map((place) => dot(place, axis))) - Math.min(...places.map((place) => dot(place, axis)));
  const beside = Math.min(0.15 + 0.1 * (spread(camera.front) / spread(camera.side)), 0.9);
  heading = headingOf(leader);
  const { azimuth, elevation, distance, target } = camera;
  Object.assign(camera, { azimuth: heading + Math.PI + beside, elevation: 0.3 });
  camera.fit(places);
  swing = [wrapped(camera.azimuth - azimuth), 0.3 - elevation, Math.log(camera.distance / distance), ...subtract(camera.target, target)];
  Object.assign(camera, { azimuth, elevation, distance, target });
}

/** The body that travels farthest along an axis, and how far. */
function traveller() {
  let best = [1, 0];
  motion.poses.forEach((pose, body) => {
    const travel = Math.max(...[0, 1, 2].map((k) => {
      let [low, high] = [Infinity, -Infinity];
      for (const x of pose[k]) { low = Math.min(low, x); high = Math.max(high, x); }
      return high - low;
    }));
    if (travel > best[1] + 0.2 * data.size) best = [body, travel];
  });
  return best;
}
/** The body that the camera follows without a selection, and how far it travels, m. */
let [leader, travelled] = [1, 0];

function play(on) {
  if (motion.count < 2 && !motion.modes && !live) return;
  if (live) {
    live.play(on);
    if (on && chaseNext) press("chase");
  } else if (on && motion.time >= motion.stop && !motion.modes) go(motion.start);
  state.playing = on;
  state.last = performance.now();
  element("play").textContent = on ? "Pause" : "Play";
  element("play").setAttribute("aria-pressed", String(on));
  changed();
}

function step(frames) {
  play(false);
  if (live) live.step(frames);
  if (motion.modes) go((motion.time + frames / 36 + 1) % 1);
  if (motion.count < 2) return;
  const k = Math.min(Math.max(motion.frame + (motion.part > 0.5 ? 1 : 0) + frames, 0), motion.count - 1);
  go(motion.times[k]);
}

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
function setSpeed(speed) {
  state.speed = speed;
  if (live) live.send("speed", { speed });
  element("speed").value = String(speed);
}
for (const speed of SPEEDS) {
  const option = document.createElement("option");
  option.value = String(speed);
  option.textContent = `${speed} ×`;
  element("speed").append(option);
}

// The picture.

/** Width by height of the picture, and what buttons and scales cover of it. */
function shape() {
  const [width, height, buttons] = [Math.max(1, canvas.clientWidth), Math.max(1, canvas.clientHeight), element("views")];
  camera.aspect = width / height;
  const hint = element("hint");
  const covered = [buttons.offsetTop + buttons.offsetHeight, hint ? hint.offsetHeight + 12 : element("dash") ? 50 : 34];
  const part = Math.min(1, ((hint ? 0.6 : 0.35) * height) / (covered[0] + covered[1]));
  camera.room = covered.map((pixels) => (part * pixels) / height);
}

function fit() {
  shape();
  [reached, framed] = [[], () => drawing.places()];
  camera.fit(drawing.places());
  camera.far = Math.max(12 * data.size, 3 * travelled, 3 * camera.distance);
  changed();
}

/** Fits again after the picture has changed its shape, unless somebody has moved the camera. */
function refit() {
  if (!framed || !reached) return;
  shape();
  camera.fit([...framed(), ...reached]);
  followed = null;
  if (swing) startChase();
  if (panel.follow) follow();
}

/** Best view of a mechanism with parallel axes: next to its axis; otherwise from front, side and above. */
function oblique() {
  const axes = data.parts.marks.filter((mark) => mark.kind === "revolute").map((mark) => turn(motion.rotations[mark.at[0]], mark.axis));
  const plane = axes.length > 1 && data.parts.wheels.length === 0 && axes.every((axis) => Math.abs(dot(axis, axes[0])) > 0.999);
  camera.elevation = 0.36;
  camera.azimuth = -1.05;
  if (plane && Math.abs(dot(axes[0], camera.up)) < 0.5) {
    const flat = [dot(axes[0], camera.front), dot(axes[0], camera.side)];
    // Of both sides, that from which the first axis of the ground points to the right.
    const azimuth = Math.atan2(flat[1], flat[0]);
    const right = (a) => -Math.sin(a) * 1 + Math.cos(a) * 0.2;
    camera.azimuth = (right(azimuth) >= right(azimuth + Math.PI) ? azimuth : azimuth + Math.PI) + 0.4;
    camera.elevation = 0.26;
  } else if (plane) camera.elevation = 1.1;
  else if (data.parts.wheels.length > 0) {
    // A vehicle more from ahead where it fills more of the picture.
    shape();
    const places = drawing.places();
    const reach = [-1.05, -0.9, -0.75, -0.6, -0.5].map((azimuth) => {
      camera.azimuth = azimuth;
      camera.fit(places);
      return [camera.distance * (1 + 0.25 * Math.abs(azimuth + 1.05)), azimuth];
    });
    camera.azimuth = reach.reduce((best, one) => (one[0] < 0.99 * best[0] ? one : best))[1];
  }
}

function setView(name) {
  const axes = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
  if (name === "iso") oblique();
  swing = null;
  if (name !== "fit" && name !== "iso") camera.lookFrom(scale(axes[name[1]], name[0] === "+" ? 1 : -1));
  fit();
}

function setParallel(on) {
  camera.parallel = on;
  element("projection").setAttribute("aria-pressed", String(on));
  changed();
}

function setDark(on) {
  state.theme = on ? "dark" : "light";
  plots.theme = state.theme;
  document.documentElement.classList.toggle("dark", on);
  element("dark").setAttribute("aria-pressed", String(on));
  element("dark").textContent = on ? "Light" : "Dark";
  if (plots.curves) plots.draw();
  marks();
  changed();
}

/** Singular, faulted and re-chosen instants above the time slider. */
function marks() {
  const host = element("marks");
  const ratio = window.devicePixelRatio || 1;
  host.width = Math.max(1, host.clientWidth * ratio);
  host.height = Math.max(1, host.clientHeight * ratio);
  const c = host.getContext("2d");
  const span = motion.stop - motion.start || 1;
  const x = (time) => ((time - motion.start) / span) * host.width;
  const notes = [];
  const paint = (ranges, colour, text) => {
    if (ranges.length === 0) return;
    c.fillStyle = colour;
    for (const [from, to] of ranges) c.fillRect(Math.min(Math.max(x(from) - ratio, 0), host.width - 2 * ratio), 0, Math.max(x(to) - x(from), 0) + 2 * ratio, host.height);
    notes.push(text);
  };
  const { choices, singular, fault } = data.frames;
  paint(choices.map((time) => [time, time]), "#3a82d8", "blue: new independent coordinates");
  paint(singular, "#e8a000", "amber: near a singular position");
  paint(fault ? [[fault[0], fault[0]]] : [], "#e02020", "red: the run stopped");
  element("time").title = ["Time", ...notes].join("; ");
}

let written = "";
function overlay() {
  const host = element("overlay");
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  // Names move with the parts; the axes and scales stay as long as the camera does.
  const names = drawing.show.names || panel.chosen >= 0;
  const look = [width, height, ratio, state.theme, camera.azimuth, camera.elevation, camera.half(), drawing.show.loads, drawing.show.stress, drawing.arrows, live ? drawing.largest : 0].join();
  if (!names && written === look) return;
  written = names ? "" : look;
  if (host.width !== Math.round(width * ratio) || host.height !== Math.round(height * ratio)) {
    host.width = Math.round(width * ratio);
    host.height = Math.round(height * ratio);
  }
  const c = host.getContext("2d", { willReadFrequently: true });
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  const style = getComputedStyle(document.documentElement);
  const [text, back] = [style.getPropertyValue("--text"), style.getPropertyValue("--back")];
  triad(c, 44, height - 44);
  c.font = "12px system-ui, sans-serif";
  c.fillStyle = text;
  c.strokeStyle = text;
  const perMetre = height / (2 * camera.half());
  const bar = roundBelow(Math.min(150, 0.3 * width) / perMetre);
  const right = width - 16;
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(right - bar * perMetre, height - 20);
  c.lineTo(right - bar * perMetre, height - 14);
  c.lineTo(right, height - 14);
  c.lineTo(right, height - 20);
  c.stroke();
  c.textAlign = "right";
  haloed(c, lengthText(bar), right, height - 24);
  if (drawing.forceSize > 0 && drawing.show.loads) {
    const force = roundBelow(drawing.forceSize);
    const length = (force / drawing.forceSize) * drawing.reach() * perMetre;
    if (length < 0.6 * width && length > 4) {
      c.strokeStyle = c.fillStyle = state.theme === "dark" ? "#ff7a6a" : "#c22a20";
      c.beginPath();
      c.moveTo(right - length, height - 48);
      c.lineTo(right, height - 48);
      c.moveTo(right - 6, height - 51);
      c.lineTo(right, height - 48);
      c.lineTo(right - 6, height - 45);
      c.stroke();
      haloed(c, force >= 1000 ? `${force / 1000} kN` : `${force} N`, right, height - 54);
    }
  }
  if (drawing.parts.flexible.length > 0) colourBar(c, right, height - (drawing.forceSize > 0 && drawing.show.loads ? 76 : 46), text);
  labels(c, width, height, text, back);
}

/** Text that is legible on whatever is below. */
function haloed(c, text, x, y) {
  const { lineWidth, strokeStyle } = c;
  [c.lineWidth, c.lineJoin, c.strokeStyle] = [3, "round", state.theme === "dark" ? "#14171c" : "#f4f5f7"];
  c.strokeText(text, x, y);
  c.fillText(text, x, y);
  Object.assign(c, { lineWidth, strokeStyle });
}

/** What the colours of flexible bodies mean: the displacement or the stress, up to the largest. */
function colourBar(c, right, bottom, text) {
  const [wide, high] = [11, 90];
  const colours = c.createLinearGradient(0, bottom, 0, bottom - high);
  for (let k = 0; k <= 8; k++) colours.addColorStop(k / 8, `rgb(${heat(k / 8).map((x) => Math.round(255 * x)).join()})`);
  c.fillStyle = colours;
  c.fillRect(right - wide, bottom - high, wide, high);
  c.fillStyle = text;
  const { stress } = drawing.show;
  haloed(c, stress ? "stress" : "displacement", right, bottom - high - 6);
  const most = stress ? `${short(1e-6 * drawing.largestStress, 3)} MPa` : motion.modes ? "largest" : lengthText(Math.max(...drawing.largest));
  haloed(c, most, right - wide - 5, bottom - high + 10);
  haloed(c, "0", right - wide - 5, bottom);
}

function triad(c, x, y) {
  const axes = camera.axes();
  const names = [["x", "#d03030", [1, 0, 0]], ["y", "#2a9a3a", [0, 1, 0]], ["z", "#3a6ee0", [0, 0, 1]]];
  const seen = names.map(([name, colour, axis]) => ({ name, colour, px: dot(axis, axes[0]), py: -dot(axis, axes[1]), depth: dot(axis, axes[2]) }));
  seen.sort((a, b) => a.depth - b.depth);
  c.lineWidth = 2.4;
  c.font = "bold 12px system-ui, sans-serif";
  c.textAlign = "center";
  c.textBaseline = "middle";
  for (const { name, colour, px, py } of seen) {
    c.strokeStyle = c.fillStyle = colour;
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + 26 * px, y + 26 * py);
    c.stroke();
    const length = Math.hypot(px, py);
    const [dx, dy] = length > 0.15 ? [36 * px, 36 * py] : [10, -10];
    haloed(c, name, x + dx, y + dy);
  }
  c.textBaseline = "alphabetic";
}

/** Names, as many as have room; always the name of the selected part. */
function labels(c, width, height, text, back) {
  const wanted = [];
  const offer = (row, place, rank) => wanted.push({ row, place, rank: row === panel.chosen ? -1 : rank });
  drawing.parts.bodies.forEach((part) => offer(part.i, motion.world([part.b, [0, 0, 0]]), 0));
  drawing.parts.struts.forEach((part) => offer(part.i, mix(motion.world(part.ends[0]), motion.world(part.ends[1]), 0.5), 2));
  drawing.parts.marks.forEach((part) => offer(part.i, motion.world(part.at), 1));
  drawing.parts.wheels.forEach((part) => offer(part.i, motion.world([part.b, part.middles[0]]), 3));
  drawing.parts.flexible.forEach((part, k) => part.signs.forEach(([row, node]) => offer(row, motion.nodes[k][node].at, 1)));
  wanted.sort((a, b) => a.rank - b.rank);
  c.font = "12px system-ui, sans-serif";
  c.textAlign = "left";
  c.lineJoin = "round";
  // The axes, the scales and the buttons keep their places.
  const buttons = element("views");
  const taken = [[0, height - 90, 100, height], [width - 180, height - 42, width, height], [0, 0, width, buttons.offsetTop + buttons.offsetHeight]];
  if (drawing.parts.flexible.length > 0) taken.push([width - 110, height - 190, width, height]);
  const done = new Set();
  for (const { row, place, rank } of wanted) {
    if (rank >= 0 && !drawing.show.names) continue;
    // A body and its joint often have one name.
    if (done.has(row) || (rank >= 0 && done.has(data.items[row].n))) continue;
    const at = camera.pixel(place, width, height);
    if (!at || at[0] < 0 || at[0] > width || at[1] < 0 || at[1] > height) continue;
    const name = data.items[row].n;
    const long = c.measureText(name).width;
    const options = [[9, -7], [9, 16], [-9 - long, -7], [-9 - long, 16], [-long / 2, -16]];
    const box = ([dx, dy]) => [at[0] + dx - 2, at[1] + dy - 12, at[0] + dx + long + 2, at[1] + dy + 4];
    const free = (b) => b[0] > 0 && b[2] < width && taken.every((t) => b[2] < t[0] || b[0] > t[2] || b[3] < t[1] || b[1] > t[3]);
    const option = options.find((one) => free(box(one))) || (rank < 0 ? options[0] : null);
    if (!option) continue;
    taken.push(box(option));
    done.add(row).add(name);
    c.lineWidth = 3.5;
    c.strokeStyle = back;
    c.strokeText(name, at[0] + option[0], at[1] + option[1]);
    c.fillStyle = rank < 0 ? getComputedStyle(document.documentElement).getPropertyValue("--mark") : text;
    c.fillText(name, at[0] + option[0], at[1] + option[1]);
  }
}

let scene = null;
function draw(now) {
  if (state.playing && !live) {
    const elapsed = Math.min((now - state.last) / 1000, 0.25);
    state.last = now;
    if (elapsed > 0) {
      if (motion.modes) go((motion.time + 0.6 * elapsed * state.speed) % 1);
      else {
        const next = motion.time + elapsed * state.speed;
        if (next < motion.stop) go(next);
        else if (element("loop").checked) go(motion.start);
        else { go(motion.stop); play(false); }
      }
    }
  }
  if (state.dirty && renderer) {
    state.dirty = false;
    renderer.resize(state.playing);
    shape();
    scene = drawing.scene(camera, state.theme);
    renderer.draw(scene);
    overlay();
    hooks.drawn();
    if (plots.curves) plots.set(motion.time);
    state.frames++;
  }
  requestAnimationFrame(draw);
}

// Pointer: left turns, right or shift or two fingers move, wheel or pinch zooms, a click selects.

const pointers = new Map();
let moved = 0;
const spread = () => {
  const [a, b] = [...pointers.values()];
  return { distance: Math.hypot(a.x - b.x, a.y - b.y) || 1, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
};
function pan(dx, dy) {
  const [right, up] = camera.axes();
  const perPixel = (2 * camera.half()) / canvas.clientHeight;
  camera.target = add(camera.target, add(scale(right, -dx * perPixel), scale(up, dy * perPixel)));
}
function zoom(factor, x, y) {
  const box = canvas.getBoundingClientRect();
  const [right, up] = camera.axes();
  const perPixel = (2 * camera.half()) / box.height;
  const [px, py] = [(x - box.left - box.width / 2) * perPixel, (box.top + box.height / 2 - y) * perPixel];
  const next = Math.min(Math.max(camera.distance * factor, 1e-3 * data.size), 1e3 * data.size + 3 * travelled);
  const part = 1 - next / camera.distance;
  camera.target = add(camera.target, add(scale(right, px * part), scale(up, py * part)));
  camera.distance = next;
  camera.far = Math.max(12 * data.size, 3 * travelled, 3 * camera.distance);
  changed();
}
/** The place below the pointer in the plane of the picture through another place. */
function below(event, place) {
  const box = canvas.getBoundingClientRect();
  const [right, up, back] = camera.axes();
  const depth = camera.parallel ? 1 : 1 - dot(subtract(place, camera.target), back) / camera.distance;
  const perPixel = ((2 * camera.half()) / box.height) * depth;
  const at = add(scale(right, (event.clientX - box.left - box.width / 2) * perPixel), scale(up, (box.top + box.height / 2 - event.clientY) * perPixel));
  return add(add(camera.target, at), scale(back, dot(subtract(place, camera.target), back)));
}
const picked = (event) => {
  const box = canvas.getBoundingClientRect();
  const ratio = canvas.width / box.width;
  return renderer.pick(scene, (event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio);
};
const pullTo = (event) => live.drag(below(event, motion.world([live.hold.b, [0, 0, 0]])));
canvas.addEventListener("pointerdown", (event) => {
  if (live && scene && pointers.size === 0 && live.pushing && live.push(picked(event), scale(camera.toEye(), -1))) return;
  if (live && scene && pointers.size === 0 && (live.pulling || event.altKey) && live.grab(picked(event))) {
    canvas.setPointerCapture(event.pointerId);
    pullTo(event);
    return;
  }
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  if (pointers.size === 1) moved = 0;
});
canvas.addEventListener("pointermove", (event) => {
  if (live && live.hold) return pullTo(event);
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
  reached = null;
  swing = null;
  moved += Math.abs(dx) + Math.abs(dy);
  if (pointers.size === 2) {
    const old = spread();
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const now = spread();
    pan(now.x - old.x, now.y - old.y);
    zoom(old.distance / now.distance, now.x, now.y);
    return;
  }
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  if (event.buttons & 6 || event.shiftKey) pan(dx, dy);
  else {
    camera.azimuth -= 0.008 * dx;
    camera.elevation = Math.min(Math.max(camera.elevation + 0.008 * dy, -Math.PI / 2), Math.PI / 2);
  }
  changed();
});
const lift = (event) => {
  if (live && live.hold) return live.letGo();
  const known = pointers.delete(event.pointerId);
  if (known && event.type === "pointerup" && event.button === 0 && moved < 5 && scene) {
    panel.select(picked(event));
  }
};
canvas.addEventListener("pointerup", lift);
canvas.addEventListener("pointercancel", lift);
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  reached = null;
  zoom(Math.exp(0.0012 * event.deltaY), event.clientX, event.clientY);
}, { passive: false });

// Buttons and keys.

for (const button of document.querySelectorAll("[data-view]")) button.addEventListener("click", () => setView(button.dataset.view));
element("projection").addEventListener("click", () => setParallel(!camera.parallel));
element("dark").addEventListener("click", () => setDark(state.theme === "light"));
element("play").addEventListener("click", () => play(!state.playing));
function toStart() {
  play(false);
  if (live) live.reset();
  else go(motion.start);
}
element("first").addEventListener("click", toStart);
element("last").addEventListener("click", () => { play(false); go(motion.stop); });
element("back").addEventListener("click", () => step(-1));
element("forward").addEventListener("click", () => step(1));
element("time").addEventListener("input", (event) => { play(false); go(Number(event.target.value)); });
element("speed").addEventListener("change", (event) => setSpeed(Number(event.target.value)));
element("show-toggle").addEventListener("click", () => {
  element("show").hidden = !element("show").hidden;
  element("show-toggle").setAttribute("aria-pressed", String(!element("show").hidden));
});
function toggle(id) {
  const part = element(id);
  part.hidden = !part.hidden;
  element(`${id}-toggle`).setAttribute("aria-pressed", String(!part.hidden));
  if (plots.curves) plots.draw();
  changed();
}
element("tree-toggle").addEventListener("click", () => toggle("tree"));
element("plots-toggle").addEventListener("click", () => toggle("plots"));

const KEYS = [
  ["Drag", "turn; with Shift or the right button move; two fingers move and zoom"], ["Wheel", "zoom to the pointer"], ["Click", "select a part, here or in the tree; click on the background to deselect"],
  ["Space", "play or pause"], ["← →", "previous or next frame; with Shift 10 frames"], ["↑ ↓", "in a page of modes: previous or next mode"], ["Home, End", "start and end"], ["+ −", "faster, slower"],
  ["f", "fit"], ["0", "oblique view"], ["1 … 6", "seen from +x, −x, +y, −y, +z, −z"], ["p", "perspective or parallel projection"], ["n", "names"], ["c", "follow the motion, or the selected body"], ["v", "chase camera of a vehicle"], ["d", "dark or light theme"], ["t, g", "tree, plots"], ["Esc", "deselect"],
  ["Plots", "click sets the time, drag zooms, double click shows all; Shift and wheel zoom"], ["Sliders", "double click returns to the start value"],
];
/** Lists the keys, with those that drive the model. */
function listKeys() {
  const keys = [...KEYS];
  if (live) {
    for (const { knob, up, down } of live.drives) keys.push([[up, down].filter((names) => names.length).map(spelled).join(" and "), knob.title]);
    if (element("workshop")) keys.push(["Ctrl Z, Ctrl Y", "undo and redo changes of the text"], ["Ctrl S", "save the files: to the open folder, or as an archive"], ["Ctrl F", "in the text: search"], ["Ctrl Space", "in the text: complete"], ["Points", "drag a point, a centre of mass, or the axis of the selected joint; Shift: fine, or 5° steps; Ctrl: along one axis; arrow keys: one step; Esc: cancel"]);
    keys.push(["Alt and drag", "pull a body"], ["Push", "then click a body: push it away"], ["Home, ←, →", "reset, step back, step forward"]);
  }
  const list = document.createElement("dl");
  for (const [key, what] of keys) {
    const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
    dt.textContent = key;
    dd.textContent = what;
    list.append(dt, dd);
  }
  const close = document.createElement("button");
  close.textContent = "Close";
  close.addEventListener("click", () => element("keys").close());
  element("keys").replaceChildren(list, close);
}
element("help").addEventListener("click", () => element("keys").showModal());

function press(id) {
  const box = element(id) || document.querySelector(`[data-show=${id}]`);
  if (box) box.click();
}
const ACTIONS = {
  " ": () => play(!state.playing), Home: toStart, End: () => { play(false); go(motion.stop); },
  f: () => setView("fit"), 0: () => setView("iso"), 1: () => setView("+x"), 2: () => setView("-x"), 3: () => setView("+y"), 4: () => setView("-y"), 5: () => setView("+z"), 6: () => setView("-z"),
  v: () => press("chase"), p: () => setParallel(!camera.parallel), d: () => setDark(state.theme === "light"), n: () => press("names"), c: () => press("follow"), t: () => toggle("tree"), g: () => toggle("plots"),
  Escape: () => panel.select(-1), "?": () => element("keys").showModal(),
  "+": () => setSpeed(SPEEDS.find((speed) => speed > state.speed) || state.speed), "-": () => setSpeed([...SPEEDS].reverse().find((speed) => speed < state.speed) || state.speed),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  // The target of an event in a shadow root is its host; the path has the element itself.
  const inside = (where) => event.composedPath().find((node) => node instanceof Element && node.matches(where));
  if (inside(".typing")) return;
  const field = inside("input[type=search], input[type=number], select");
  if (live && !field && live.key(event.key, true)) return void event.preventDefault();
  const slider = inside("input[type=range]");
  if (field || (slider && slider.id !== "time" && event.key.startsWith("Arrow"))) return;
  if (motion.modes && (event.key === "ArrowUp" || event.key === "ArrowDown")) motion.modes.choose(motion.modes.current + (event.key === "ArrowUp" ? -1 : 1), modeChosen);
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") step((event.key === "ArrowLeft" ? -1 : 1) * (event.shiftKey ? 10 : 1));
  else if (ACTIONS[event.key] && !(event.key === " " && inside("button"))) ACTIONS[event.key]();
  else return;
  event.preventDefault();
});

document.addEventListener("keyup", (event) => { if (live) live.key(event.key, false); });
window.addEventListener("blur", () => { if (live) live.held.clear(); });

element("search").addEventListener("input", () => panel.find());
new ResizeObserver(() => {
  refit();
  changed();
  marks();
  if (plots.curves) plots.draw();
}).observe(element("stage"));
element("plots").addEventListener("scroll", () => plots.draw(), { passive: true });

/** The picture as a PNG, in a data address. */
function picture() {
  renderer.resize(false);
  shape();
  renderer.draw(drawing.scene(camera, state.theme));
  return canvas.toDataURL("image/png");
}

// The model.

/**
 * Shows a model in place of the present one. A model with the same name keeps the settings of the user: camera, selection, visible parts.
 * `compiled`: number of a model that the worker has compiled, and whether it continues the run.
 */
function load(next, compiled = null) {
  const old = data !== EMPTY && data.name === next.name && String(data.up) === String(next.up) ? { data, drawing, motion, panel, plots, leader } : null;
  // The library computes the size from the present position, so that it would change with every edit of a moving model.
  const continues = old && compiled && compiled.carried.how !== "start";
  if (continues && next.size < 1.6 * data.size && data.size < 1.6 * next.size) next.size = data.size;
  const hinted = live && live.instruments.hint;
  if (live) live.end();
  if (renderer) renderer.forget();
  [data, live, scene, written] = [next, null, null, ""];
  message("");
  motion = new Motion(data);
  drawing = new Drawing(data, motion, renderer);
  if (old) drawing.keep(old.drawing, continues);
  if (!old) {
    camera = Object.assign(new Camera(data.up), camera ? { parallel: camera.parallel } : {});
    followed = null;
  }
  panel = new Panel(data, drawing, motion, changed, old ? old.panel : null);
  plots = new Plots(data, element("plots"), (time) => go(time));
  plots.theme = state.theme;
  if (old) plots.keep(old.plots);
  panel.onChase = (on) => {
    chaseNext = false;
    [heading, swing] = [null, null];
    if (!on) return;
    if (!panel.follow) press("follow");
    startChase();
  };
  panel.onSelect = (curves, i) => {
    if (plots.curves) plots.mark(curves, i >= 0);
    hooks.selected(i);
  };
  if (data.live) {
    solver = solver || new Solver();
    live = new Live(data, motion, drawing, plots, host, solver, compiled);
  }
  [leader, travelled] = data.live ? [data.live.lead, 10 * data.size] : traveller();
  describe();
  if (motion.modes) {
    motion.modes.scale(motion, () => [...drawing.places(), ...motion.middles()]);
    motion.modes.list(element("plots"), modeChosen);
  }
  // Below a text there is little room.
  const narrow = document.body.classList.contains("edit") && window.innerWidth <= 900;
  const charts = plots.panels.length > 0 || Boolean(motion.modes);
  if (!old || (old.plots.panels.length > 0) !== charts) element("plots").hidden = !charts || narrow;
  element("plots-toggle").hidden = !charts;
  for (const id of ["tree", "plots"]) element(`${id}-toggle`).setAttribute("aria-pressed", String(!element(id).hidden));
  setSpeed(state.speed);
  listKeys();
  marks();
  if (data.frames.fault) message(`Stopped: ${data.frames.fault[1]}`);
  shape();
  go(motion.start);
  if (!old) {
    setView("iso");
    chaseNext = Boolean(live) && data.parts.wheels.length > 1;
    if (live ? data.parts.wheels.length > 0 : travelled > 4 * data.size && motion.count > 1) press("follow");
    else if (motion.count > 1) {
      // All that is ever reached, where the mechanism stays.
      const places = drawing.reached();
      framed = () => places;
      camera.fit(places);
    }
  } else {
    if (followed && followed.b === old.leader) followed.b = leader;
    if (old.panel.follow) press("follow");
    if (old.panel.chase) {
      press("chase");
      swing = null;
    }
    if (old.panel.chosen >= 0) panel.restore(old.data.items[old.panel.chosen]);
  }
  if (!old || panel.follow) follow();
  if (plots.curves) plots.draw();
  if (live && compiled) live.play(state.playing);
  if (live && (!old || hinted)) begin(compiled);
  changed();
}

/** A model without inputs plays at once; another one shows what drives it. The page of a text plays its first model itself. */
function begin(compiled) {
  if (data.live.inputs.length > 0) {
    if (state.playing) return;
    live.instruments.showHint();
    refit();
  } else if (!compiled && !still) play(true);
}

function modeChosen() {
  go(motion.time);
  hooks.mode();
}

/** Names the model, and shows the controls that it has. */
function describe() {
  element("name").textContent = data.name;
  element("description").textContent = data.description;
  element("description").title = data.description;
  element("time").min = motion.start;
  element("time").max = motion.stop;
  element("player").hidden = motion.count < 2 && !motion.modes && !live;
  element("live").hidden = !live;
  element("first").title = live ? "Reset; inputs and parameters keep their values (Home)" : "To the start (Home)";
  element("last").hidden = Boolean(live);
  element("loop").parentElement.hidden = Boolean(live || motion.modes);
  element("plots-toggle").textContent = motion.modes ? "Modes" : "Plots";
  if (motion.modes) {
    element("time").title = "Phase of the oscillation";
  }
}

// The start.

element("tree").hidden = element("stage").parentElement.clientWidth < 1100;
load(element("data") ? JSON.parse(element("data").textContent) : EMPTY);
setDark(window.matchMedia("(prefers-color-scheme: dark)").matches);
if (motion.modes && !still) play(true);

// For tests and for people with a console.
window.page = {
  state, renderer, go, play, setView, picture, load,
  get data() { return data; }, get motion() { return motion; }, get camera() { return camera; }, get panel() { return panel; },
  get plots() { return plots; }, get drawing() { return drawing; }, get live() { return live; },
};
requestAnimationFrame(draw);
