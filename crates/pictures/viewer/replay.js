// The drive of a live page as the page of a run: series as `src/page/encode.rs` makes them, see FORMAT.md.

/** Whole numbers as text, which `decodeNumbers` reads. */
function encodeNumbers(numbers) {
  const bytes = [];
  for (const number of numbers) {
    let rest = number < 0 ? -2 * number - 1 : 2 * number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.slice(i, i + 8192));
  return btoa(text);
}

/** Values to half of the resolution. */
function encodeSeries(values, resolution) {
  if (!(resolution > 0) || values.every((v) => Math.abs(v - values[0]) < 0.5 * resolution)) return values[0];
  const r = Math.max(resolution, values.reduce((size, v) => Math.max(size, Math.abs(v)), 0) / 1e15);
  const whole = Array.from(values, (v) => Math.round(v / r));
  const differences = whole.map((k, i) => (i > 0 ? k - whole[i - 1] : k));
  return { r, d: encodeNumbers(differences.map((d, i) => (i > 1 ? d - differences[i - 1] : d))) };
}

/** Values to a part 1 / `steps` of their range. */
function encodeRanged(values, steps) {
  const [low, high] = values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
  return encodeSeries(values, (high - low) / steps);
}

/** Numbers of the first, smallest, largest and last value in every part of a long curve; none: all. */
function thinned(values) {
  const [count, parts, kept] = [values.length, 700, []];
  if (count <= 4 * parts) return null;
  for (let part = 0; part < parts; part++) {
    const [from, to] = [part, part + 1].map((k) => Math.floor((k * count) / parts));
    let [low, high] = [from, from];
    for (let i = from; i < to; i++) {
      if (values[i] < values[low]) low = i;
      if (values[i] > values[high]) high = i;
    }
    kept.push(...new Set([from, low, high, to - 1].sort((a, b) => a - b)));
  }
  return kept;
}

/** The data of the page of a run: data of the live page, frames with their times, and the outputs at all points. */
function replayData(data, { times, frames, points, rows, fault }) {
  const { live, ...rest } = data;
  let at = 1;
  const next = () => {
    const k = at++;
    return Float64Array.from(frames, (frame) => frame[k]);
  };
  const span = times[times.length - 1] - times[0];
  const poses = data.frames.poses.map(() => {
    const pose = Array.from({ length: 7 }, next);
    // A rotation and its negative are the same; from frame to frame the sign stays.
    for (let i = 1; i < frames.length; i++) {
      if ([3, 4, 5, 6].reduce((sum, k) => sum + pose[k][i] * pose[k][i - 1], 0) < 0) for (const k of [3, 4, 5, 6]) pose[k][i] *= -1;
    }
    return pose.map((values, k) => encodeSeries(values, k < 3 ? 1e-5 * data.size : 1 / 32768));
  });
  const elastic = data.frames.elastic.map((body) => body.map(() => encodeRanged(next(), 16384)));
  const loads = [...data.parts.loads];
  for (const number of live.loads) {
    const values = Array.from({ length: 6 }, next);
    if (number === null) continue;
    const largest = frames.reduce((most, _, i) => Math.max(most, Math.hypot(values[0][i], values[1][i], values[2][i])), 0);
    const places = loads[number].at && values.slice(3).map((place) => encodeSeries(place, 1e-5 * data.size));
    loads[number] = { ...loads[number], at: places, v: values.slice(0, 3).map((value) => encodeSeries(value, largest / 16384)) };
  }
  const tensions = data.frames.tensions.map(([element]) => [element, encodeRanged(next(), 16384)]);
  const singular = times.flatMap((time, i) => (frames[i][0] ? [[times[Math.max(i - 1, 0)], time]] : []));
  const curves = data.plots.curves.map((curve, k) => {
    const values = Float64Array.from(rows, (row) => row[k]);
    const kept = thinned(values);
    const ascending = kept && encodeNumbers(kept.map((number, i) => number - (i ? kept[i - 1] : 0)));
    return { ...curve, at: ascending, v: encodeRanged(kept ? Float64Array.from(kept, (i) => values[i]) : values, 65536) };
  });
  return {
    ...rest, kind: "run", parts: { ...data.parts, loads },
    frames: { ...data.frames, times: encodeSeries(times, 1e-7 * span), count: times.length, poses, elastic, tensions, singular, fault },
    plots: { ...data.plots, times: encodeSeries(points, 1e-7 * (points[points.length - 1] - points[0])), count: points.length, curves },
  };
}

/** The page as it was read, with other data and without the solver. */
function replayPage(page, data) {
  const copy = page.cloneNode(true);
  for (const id of ["library", "worker"]) copy.querySelector(`#${id}`).remove();
  copy.querySelector("#data").textContent = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `<!DOCTYPE html>\n${copy.outerHTML}\n`;
}
