// The worker of a live page: steps the model in WebAssembly, paced by the clock, and records all inputs. In a workshop page it also
// compiles the model after every change. Until the new text is valid, the run of the last valid model continues.
//
// Point k of the model is at start + k · step. What is wanted of an input holds from the next point on; the list of such events,
// with the values of the start, is the drive: `ballesta run --inputs` makes the same bits of it, and so does going back.

"use strict";

/** A push: so long, s, with so many newtons per kg of the mechanism, but at most per kg of the body. */
const PUSH = { time: 0.1, all: 5, body: 100 };
const [SAVE_EVERY, MOST_SAVED, MOST_NUMBERS, BUDGET, FRAME, FILM_RATE, MOST_FILMED] = [0.2, 600, 16e6, 25, 14, 60, 6000];
const encoder = new TextEncoder();
const decoder = new TextDecoder();

let wasm = null;
let info = null;
/** Of a workshop page: the library, the files of the model, and the number of the compiled text, which all messages contain. */
let library = null;
const files = new Map();
let rev;
/** Time of point 0, s. */
let start = 0;
/** Values of inputs and parameters, now and at the start, and what changed: {point, parameter, k, v}. */
let inputs = [];
let parameters = [];
let starts = { inputs: [], parameters: [] };
let events = [];
let rows = [];
/** Least and greatest outputs at the points since the last frame. */
let extremes = null;
/** Frames for a replay: number i belongs to point i · every; 60 per simulated second, and fewer when there are many. */
let film = { every: 1, frames: [] };
let names = [];
let point = 0;
let playing = false;
let speed = 1;
let clock = { now: 0, time: 0 };
let saves = { every: 1, count: 0 };
let pull = null;
let push = null;
let failed = false;
let sent = 0;
let measured = { now: 0, time: 0, computing: 0 };
let warned = "";

const say = (message) => postMessage({ rev, ...message });
const time = () => start + point * info.step;
const numbers = (at, count) => new Float64Array(wasm.memory.buffer, at, count).slice();
const text = () => decoder.decode(new Uint8Array(wasm.memory.buffer, wasm.live_text(), wasm.live_text_length()).slice());
const outputs = () => { const at = wasm.live_outputs(); return numbers(at, wasm.live_output_count()); };
const frame = () => { const at = wasm.live_frame(); return numbers(at, wasm.live_frame_length()); };

/** Writes bytes where the library takes them. */
function hand(...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  let at = wasm.live_buffer(length);
  for (const part of parts) {
    new Uint8Array(wasm.memory.buffer, at, part.length).set(part);
    at += part.length;
  }
}

const bytes = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

async function unpack(compressed) {
  const plain = new Response(new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip")));
  return WebAssembly.compile(await plain.arrayBuffer());
}

function put(path, content) {
  const name = encoder.encode(path);
  hand(name, content);
  wasm.live_file(name.length);
}

async function open(message) {
  wasm = new WebAssembly.Instance(await unpack(message.library), {}).exports;
  for (const [path, content] of message.live.files) put(path, bytes(content));
  hand(encoder.encode(message.live.model));
  describe(message.live, message.outputNames);
  if (wasm.live_open()) return fail(text());
  say({ is: "opened" });
  return begin();
}

/** Takes the interface of a model; inputs and parameters have the values of the file. */
function describe(live, outputNames) {
  [info, names, start] = [live, outputNames, live.start];
  inputs = [];
  info.inputs.forEach(({ k, v }) => { inputs[k] = v; });
  info.pulls.forEach(({ k }) => k.forEach((one) => { inputs[one] = 0; }));
  parameters = [...info.values];
}

function fail(words) {
  playing = false;
  failed = true;
  say({ is: "fault", text: words, time: info ? time() : 0 });
}

// A workshop page.

async function load(message) {
  library = await unpack(message.library);
  renew();
  say({ is: "ready" });
}

/** A new instance of the library, with all files. */
function renew() {
  wasm = new WebAssembly.Instance(library, {}).exports;
  for (const [path, content] of files) put(path, content);
}

function changeFiles({ put: changed, drop }) {
  for (const [path, content] of changed) {
    files.set(path, content);
    put(path, content);
  }
  for (const path of drop) {
    files.delete(path);
    hand(encoder.encode(path));
    wasm.live_drop();
  }
}

/** Compiles the model. The run of the last valid model continues if the text is wrong. */
function compile({ rev: number, main, carry }) {
  const began = performance.now();
  let answer = null;
  let wrong = false;
  try {
    hand(encoder.encode(main));
    wrong = wasm.live_compile(carry === "keep" && info ? 1 : 0) !== 0;
    answer = JSON.parse(text());
  } catch (error) {
    recover(error);
    const found = `the compiler failed: ${error.message}`;
    return postMessage({ is: "wrong", rev: number, diagnostics: [{ file: main, line: 0, column: 0, key: "", found, expected: "change the text, which is kept" }] });
  }
  if (wrong) return postMessage({ is: "wrong", rev: number, diagnostics: answer.diagnostics });
  const { data, outline, points, carried } = answer;
  rev = number;
  describe(data.live, data.plots.curves.map((curve) => curve.n));
  record();
  say({ is: "compiled", ms: performance.now() - began, data, outline, points, carried });
  return show(true);
}

/** After a trap an instance cannot be used again. A new one has the files, but no model. */
function recover(error) {
  if (!library) return fail(`the solver's library failed: ${error.message}`);
  const running = info !== null;
  renew();
  [info, playing, pull, push] = [null, false, null, null];
  if (running) say({ is: "fault", lost: true, text: `the solver failed: ${error.message}`, time: 0 });
}

/** An analysis of the files. The page requests it from a second worker, so that the first one can step the model. */
function analyse({ id, request }) {
  const began = performance.now();
  let result;
  try {
    hand(encoder.encode(JSON.stringify(request)));
    result = wasm.live_analyse() ? { error: text() } : { answer: JSON.parse(text()) };
  } catch (error) {
    renew();
    result = { error: `the solver failed: ${error.message}. It was started again` };
  }
  postMessage({ is: "analysed", id, ms: performance.now() - began, ...result });
}

/** Sends the state of the run, which an analysis can start from. */
function sendState() {
  hand(encoder.encode('{"analysis":"state"}'));
  say({ is: "state", state: wasm.live_analyse() ? null : JSON.parse(text()) });
}

// The run.

/** To the start of the experiment, with the present values. */
function begin() {
  info.pulls.forEach(({ k }) => k.forEach((one) => { inputs[one] = 0; }));
  inputs.forEach((v, k) => wasm.live_set_input(k, v));
  parameters.forEach((v, k) => wasm.live_set_parameter(k, v));
  [point, failed, events] = [0, false, []];
  if (wasm.live_begin()) return fail(text());
  record();
  return show(true);
}

/** Records from the present point on, which is point 0. */
function record() {
  [point, failed, warned, events, pull, push] = [0, false, "", [], null, null];
  if (wasm.live_start) start = wasm.live_start();
  starts = { inputs: [...inputs], parameters: [...parameters] };
  saves = { every: Math.max(1, Math.round(SAVE_EVERY / info.step)), count: 1 };
  wasm.live_save();
  rows = [outputs()];
  film = { every: Math.max(1, Math.round(1 / (FILM_RATE * info.step))), frames: [frame()] };
  extremes = null;
  pace();
}

/** Applies a change that holds from point `at` on. */
function change({ parameter, k, v }) {
  (parameter ? parameters : inputs)[k] = v;
  (parameter ? wasm.live_set_parameter : wasm.live_set_input)(k, v);
}

function want(parameter, k, v) {
  // No sign of zero: a text has none.
  const event = { point: point + 1, parameter, k, v: v + 0 };
  if (Object.is((parameter ? parameters : inputs)[k], event.v)) return;
  // Of several wishes between two points the last counts.
  const known = events.findLast((one) => one.point === event.point && one.parameter === parameter && one.k === k);
  if (known) known.v = event.v;
  else events.push(event);
  change(event);
}

function advance() {
  if (failed) return false;
  if (pull) pullOnce();
  if (push) pushOnce();
  if (wasm.live_step()) {
    fail(text());
    return false;
  }
  point++;
  const values = outputs();
  extremes = extremes ? { low: extremes.low.map((v, k) => Math.min(v, values[k])), high: extremes.high.map((v, k) => Math.max(v, values[k])) } : { low: values, high: values };
  if (rows.length === point && rows.length * names.length < MOST_NUMBERS) rows.push(values);
  if (point === film.every * film.frames.length) {
    film.frames.push(frame());
    if (film.frames.length > MOST_FILMED) film = { every: 2 * film.every, frames: film.frames.filter((_, i) => i % 2 === 0) };
  }
  if (point % saves.every === 0) {
    wasm.live_save();
    if (++saves.count > MOST_SAVED) {
      wasm.live_thin();
      saves = { every: 2 * saves.every, count: Math.ceil(saves.count / 2) };
    }
  }
  return true;
}

/** Goes back to a point that was reached, or forgets what came after it. */
function seek(to) {
  const wanted = Math.max(0, Math.min(Math.round(to), point));
  const kept = events.filter((event) => event.point <= wanted);
  failed = false;
  [pull, push] = [null, null];
  const from = wasm.live_restore(wanted);
  if (from < 0) return fail("no earlier state is stored");
  saves.count = Math.floor(from / saves.every) + 1;
  [inputs, parameters] = [[...starts.inputs], [...starts.parameters]];
  kept.filter((event) => event.point <= from).forEach(({ parameter, k, v }) => { (parameter ? parameters : inputs)[k] = v; });
  point = from;
  rows.length = Math.min(rows.length, point + 1);
  film.frames.length = Math.min(film.frames.length, Math.floor(point / film.every) + 1);
  let next = kept.findIndex((event) => event.point > from);
  while (point < wanted) {
    for (; next >= 0 && next < kept.length && kept[next].point === point + 1; next++) change(kept[next]);
    if (!advance()) break;
  }
  [events, extremes] = [kept, null];
  // A body that was pulled there is let go.
  for (const { k } of info.pulls) for (const one of k) want(false, one, 0);
  pace();
  return show(true);
}

/** The spring between the pointer and a body: sampled at the points, held between them. */
function pullOnce() {
  const { body, target, k, mass } = pull;
  const at = 7 * body + 1;
  const place = frame().slice(at, at + 3);
  const last = pull.last || place;
  pull.last = place;
  const total = info.pulls.reduce((sum, one) => sum + one.m, 0);
  // One hertz for the whole mechanism, and soft enough for the light body that is held from point to point.
  const stiffness = pull.strength * Math.min(39.5 * total, (0.05 * mass) / info.step ** 2);
  const damping = 1.4 * Math.sqrt(stiffness * mass);
  pull.force = [0, 1, 2].map((n) => stiffness * (target[n] - place[n]) - (damping * (place[n] - last[n])) / info.step);
  k.forEach((one, n) => want(false, one, pull.force[n]));
}

/** A force in one direction for a short time, from the next point on. */
function pushOnce() {
  const { k, force } = push;
  const over = push.left-- <= 0;
  k.forEach((one, n) => want(false, one, over ? 0 : force[n]));
  if (over) push = null;
}

function startPush({ body, k, mass, direction }) {
  if (push) push.k.forEach((one) => want(false, one, 0));
  const total = info.pulls.reduce((sum, one) => sum + one.m, 0);
  const size = Math.min(PUSH.all * total, PUSH.body * mass);
  push = { body, k, force: direction.map((x) => size * x), left: Math.max(1, Math.round(PUSH.time / info.step)) };
}

function release() {
  if (!pull) return;
  pull.k.forEach((one) => want(false, one, 0));
  pull = null;
}

/** From here on the clock counts. */
function pace() {
  clock = { now: performance.now(), time: time() };
  measured = { now: clock.now, time: clock.time, computing: 0 };
}

function advanceInTime() {
  const now = performance.now();
  if (playing && !failed && info) {
    const due = clock.time + ((now - clock.now) / 1000) * speed;
    while (time() + info.step <= due + 1e-9 && performance.now() - now < BUDGET) if (!advance()) break;
    const after = performance.now();
    measured.computing += after - now;
    // Lost time is not made up.
    if (due - time() > Math.max(0.1 * speed, 2 * info.step)) clock = { now: after, time: time() };
    if (after - measured.now > 500) measure(after);
    show(false);
  }
}

function tick() {
  try {
    advanceInTime();
  } catch (error) {
    recover(error);
  }
  setTimeout(tick, 2);
}

function measure(now) {
  const simulated = time() - measured.time;
  const factor = simulated / ((now - measured.now) / 1000);
  say({ is: "pace", factor, able: measured.computing > 0 ? simulated / (measured.computing / 1000) : 0 });
  measured = { now, time: time(), computing: 0 };
  const words = wasm.live_warning() ? text() : "";
  if (words !== warned) say({ is: "warning", text: words });
  warned = words;
}

/** Sends all poses to the page. */
function show(whole) {
  const now = performance.now();
  if (!whole && now - sent < FRAME) return;
  sent = now;
  const [all, acting] = [frame(), pull || push];
  const message = { is: "frame", time: time(), point, frame: all, outputs: outputs(), extremes, pull: acting && { body: acting.body, target: acting.target || [...all.slice(7 * acting.body + 1, 7 * acting.body + 4)], force: acting.force || [0, 0, 0] } };
  if (whole) Object.assign(message, { inputs: info.inputs.map(({ k }) => inputs[k]), parameters: info.parameters.map(({ k }) => parameters[k]), failed });
  say(message);
  extremes = null;
}

const cell = (name) => (/[",]/.test(name) ? `"${name.replace(/"/g, '""')}"` : name);

/** All outputs at the points so far, as `ballesta run --csv` writes them. */
function table() {
  const lines = [["time", ...names].map(cell).join()];
  rows.forEach((row, k) => lines.push([start + k * info.step, ...row].join()));
  return `${lines.join("\n")}\n`;
}

/** The inputs so far for `ballesta run --inputs`, and what the command needs besides. */
function drive() {
  const all = [...info.inputs.map(({ n, k }) => [n, k]), ...info.pulls.flatMap(({ n, k }) => k.map((one, axis) => [`${n}.${"xyz"[axis]}`, one]))];
  const changes = events.filter((event) => !event.parameter && event.point <= point);
  const touched = new Set(changes.map((event) => event.k));
  const own = new Set(info.inputs.map(({ k }) => k));
  const columns = all.filter(([, k]) => own.has(k) || touched.has(k));
  const values = [...starts.inputs];
  const row = (at) => [start + at * info.step, ...columns.map(([, k]) => values[k])].join();
  const lines = [["time", ...columns.map(([name]) => name)].map(cell).join(), row(0)];
  for (let i = 0; i < changes.length;) {
    const at = changes[i].point;
    lines.push(row(at));
    for (; i < changes.length && changes[i].point === at; i++) values[changes[i].k] = changes[i].v;
    lines.push(row(at));
  }
  const set = [...info.given, ...info.parameters.filter(({ k, f }) => starts.parameters[k] !== f).map(({ n, k }) => [n, starts.parameters[k]])];
  const later = events.find((event) => event.parameter && event.point <= point);
  return {
    inputs: columns.length ? `${lines.join("\n")}\n` : "", set, stop: time(), pulled: columns.some(([, k]) => !own.has(k)),
    parameters: later ? start + later.point * info.step : null,
  };
}

/** Everything that a replay shows. */
function replay() {
  const at = (k) => start + k * info.step;
  const [times, frames] = [film.frames.map((_, i) => at(i * film.every)), [...film.frames]];
  if (times[times.length - 1] < time()) {
    times.push(time());
    frames.push(frame());
  }
  return { times, frames, points: rows.map((_, k) => at(k)), rows };
}

/** Messages of a workshop page about the text. */
const TEXT = { library: load, files: changeFiles, compile, analyse };
/** Messages about the run. */
const DO = {
  open,
  play: ({ on }) => { playing = on && !failed; pace(); show(true); },
  speed: (message) => { speed = message.speed; pace(); },
  step: ({ count }) => { for (let i = 0; i < count && advance(); i++); pace(); show(true); },
  reset: () => begin(),
  seek: ({ to }) => seek(to),
  input: ({ k, v }) => want(false, k, v),
  parameter: ({ k, v }) => want(true, k, v),
  pull: ({ body, target, k, mass, strength }) => { pull = { ...(pull && pull.body === body ? pull : {}), body, target, k, mass, strength }; },
  push: (message) => { startPush(message); if (!playing) advance(); show(true); },
  release: () => { release(); },
  table: () => say({ is: "table", text: table() }),
  drive: () => say({ is: "drive", ...drive() }),
  replay: () => say({ is: "replay", ...replay() }),
  state: sendState,
};

onmessage = async ({ data }) => {
  try {
    if (TEXT[data.do]) await TEXT[data.do](data);
    // Messages to an earlier model are dropped: their indices are of that model.
    else if (data.do === "open" || (info && data.rev === rev)) await DO[data.do](data);
  } catch (error) {
    recover(error);
  }
};
tick();
