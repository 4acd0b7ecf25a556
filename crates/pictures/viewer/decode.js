// Series of numbers from the text that `src/page/encode.rs` makes of them; the format is in FORMAT.md.

/** The natural numbers of variable length in base64, each mapped back to a number with a sign. */
function decodeNumbers(text) {
  const bytes = atob(text);
  const numbers = [];
  let number = 0;
  let factor = 1;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes.charCodeAt(i);
    // Multiplied, not shifted: numbers have up to 53 bits here.
    number += (byte & 127) * factor;
    factor *= 128;
    if (byte < 128) {
      numbers.push(number % 2 === 0 ? number / 2 : -(number + 1) / 2);
      number = 0;
      factor = 1;
    }
  }
  return numbers;
}

/** A series with `count` values. */
function decodeSeries(series, count) {
  const values = new Float64Array(count);
  if (typeof series === "number") return values.fill(series);
  let k = 0;
  let change = 0;
  decodeNumbers(series.d).forEach((number, i) => {
    change = i === 0 ? 0 : change + number;
    k += i === 0 ? number : change;
    values[i] = k * series.r;
  });
  return values;
}

/** Natural numbers that ascend. */
function decodeAscending(text) {
  let last = 0;
  return decodeNumbers(text).map((change) => (last += change));
}
