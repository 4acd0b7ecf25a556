// Vectors [x, y, z], quaternions [w, x, y, z], and matrices of 16 numbers column by column.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scale(a, 1 / (norm(a) || 1));
const mix = (a, b, t) => [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])];

/** Two unit vectors perpendicular to the unit vector `a` and to each other. */
function beside(a) {
  const helper = Math.abs(a[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
  const u = unit(cross(helper, a));
  return [u, cross(a, u)];
}

/** The vector `v` turned by the quaternion `q`. */
function turn(q, v) {
  const [w, x, y, z] = q;
  const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [
    v[0] + w * t[0] + y * t[2] - z * t[1],
    v[1] + w * t[1] + z * t[0] - x * t[2],
    v[2] + w * t[2] + x * t[1] - y * t[0],
  ];
}

const turnBack = (q, v) => turn([q[0], -q[1], -q[2], -q[3]], v);

/** First `b`, then `a`. */
function product(a, b) {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

/** The rotation by `angle` about the unit vector `axis`. */
function about(axis, angle) {
  const s = Math.sin(angle / 2);
  return [Math.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s];
}

function normalized(q) {
  const length = Math.hypot(q[0], q[1], q[2], q[3]) || 1;
  return [q[0] / length, q[1] / length, q[2] / length, q[3] / length];
}

/** a · b for matrices. */
function multiply(a, b) {
  const out = new Float64Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

/** Round numbers 1, 2, 5 times a power of ten, the largest that is not above `size`. */
function roundBelow(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  const part = size / power;
  return (part >= 5 ? 5 : part >= 2 ? 2 : 1) * power;
}

/** A number as an engineer writes it. */
function short(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${mantissa.replace("-", "−")}·10${superscript(Number(exponent))}`;
  }
  return value.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size)))).replace("-", "−");
}

function superscript(number) {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return String(number).replace("-", "⁻").replace(/\d/g, (digit) => digits[digit]);
}

/** A length with its unit. */
function lengthText(metres) {
  if (metres >= 1000) return `${short(metres / 1000, 3)} km`;
  if (metres >= 1) return `${+metres.toPrecision(3)} m`;
  if (metres >= 1e-3) return `${+(metres * 1000).toPrecision(3)} mm`;
  return `${+(metres * 1e6).toPrecision(3)} µm`;
}
