// TOML for the editor: colours, folding, and the position of the cursor in tables, keys and values.

import { StreamLanguage, foldService } from "@codemirror/language";
import { toml as mode } from "@codemirror/legacy-modes/mode/toml";

const HEADER = /^\s*\[\[?\s*([A-Za-z_"][\w."\s-]*?)\s*\]\]?\s*(#.*)?$/;
const HEADER_BEGUN = /^\s*(\[\[?)\s*([\w.-]*)$/;
const WORD = /[\w.+-]/;

/** The path of a table header, such as ["page", "control"]; null for other lines. */
export function header(line) {
  const match = HEADER.exec(line);
  return match && match[1].replaceAll('"', "").split(".").map((part) => part.trim());
}

/** The mode with keys of inline tables, exponents, and recovery from unfinished strings and arrays. */
export const toml = StreamLanguage.define({
  ...mode,
  token(stream, state) {
    if (stream.sol()) {
      if (state.stringType.length === 1) state.inString = false;
      if (!state.inString && HEADER.test(stream.string)) Object.assign(state, { inArray: 0, lhs: true });
    }
    if (!state.inString && !state.lhs) {
      if (stream.match(/^[A-Za-z_][\w-]*(?=\s*=)/)) return "property";
      if (stream.match(/^[+-]?(\d[\d_]*\.?[\d_]*|\.\d+)([eE][+-]?\d+)?(?![\d:-])/)) return "number";
    }
    return mode.token(stream, state);
  },
});

/** Folds a table up to the comments above the next header. */
export const tableFolding = foldService.of((state, from) => {
  const first = state.doc.lineAt(from);
  if (!header(first.text)) return null;
  let last = first.number;
  for (let k = first.number + 1; k <= state.doc.lines; k++) {
    const text = state.doc.line(k).text;
    if (header(text)) break;
    if (!/^\s*(#.*)?$/.test(text)) last = k;
  }
  return last > first.number ? { from: first.to, to: state.doc.line(last).to } : null;
});

/** The last header at or above a line: {path, line}; the path is empty above the first header. */
function tableAbove(doc, number) {
  for (let k = number; k >= 1; k--) {
    const path = header(doc.line(k).text);
    if (path) return { path, line: k };
  }
  return { path: [], line: 0 };
}

/**
 * What a position of the text is part of: {in: "header" | "key" | "value" | "comment", table, path, word, from, quoted}.
 * `table` is the path of the header, `path` the keys of inline tables down to the position, each followed by [] per array.
 */
export function context(doc, position) {
  const line = doc.lineAt(position);
  const begun = HEADER_BEGUN.exec(line.text.slice(0, position - line.from));
  const above = tableAbove(doc, begun ? line.number - 1 : line.number);
  const start = above.line ? Math.min(doc.line(above.line).to, position) : 0;
  const text = doc.sliceString(start, position);
  const frames = [{ kind: "top", key: null }];
  let [value, word, quoted, comment] = [false, 0, "", false];
  const top = () => frames[frames.length - 1];
  for (let k = 0; k < text.length; ) {
    const c = text[k];
    if (c === "#") {
      const end = text.indexOf("\n", k);
      comment = end < 0;
      k = comment ? text.length : end;
      word = k;
    } else if (c === '"' || c === "'") {
      const mark = text.startsWith(c.repeat(3), k) ? c.repeat(3) : c;
      let end = k + mark.length;
      while (end < text.length && !text.startsWith(mark, end) && (mark.length === 3 || text[end] !== "\n")) {
        end += c === '"' && text[end] === "\\" ? 2 : 1;
      }
      if (end >= text.length) [quoted, word, k] = [mark, k + mark.length, text.length];
      else {
        if (!value && text[end] !== "\n") top().key = text.slice(k + mark.length, end);
        k = text[end] === "\n" ? end : end + mark.length;
        word = k;
      }
    } else if (WORD.test(c)) {
      word = k;
      while (k < text.length && WORD.test(text[k])) k++;
      if (k < text.length) {
        if (!value) top().key = text.slice(word, k);
        word = k;
      }
    } else {
      k++;
      word = k;
      if (c === "=") value = true;
      else if (c === "{" && value) {
        frames.push({ kind: "inline", key: null });
        value = false;
      } else if (c === "[" && value) frames.push({ kind: "array", key: null });
      else if ((c === "}" || c === "]") && frames.length > 1) {
        frames.pop();
        value = true;
      } else if (c === "," && top().kind === "inline") {
        top().key = null;
        value = false;
      } else if (c === "\n" && frames.length === 1) {
        top().key = null;
        value = false;
      }
    }
  }
  const found = { table: above.path, first: above.line, word: text.slice(word), from: start + word, quoted };
  if (begun && frames.length === 1 && !quoted) {
    return { ...found, in: "header", word: begun[2], from: position - begun[2].length };
  }
  const path = frames.flatMap((frame) => (frame.kind === "array" ? ["[]"] : frame.key === null ? [] : [frame.key]));
  return { ...found, path, in: comment ? "comment" : value ? "value" : "key" };
}

/** The keys that a table has so far, without inline tables. */
export function keysOf(doc, first) {
  const keys = new Set();
  for (let k = first + 1; k <= doc.lines; k++) {
    const text = doc.line(k).text;
    if (header(text)) break;
    const key = /^\s*"?([\w-]+)"?\s*=/.exec(text);
    if (key) keys.add(key[1]);
  }
  return keys;
}

/** Names that the text defines, by table: {body: ["chassis"], points: ["A0"]}. */
export function namesOf(doc) {
  const names = {};
  let table = null;
  for (let k = 1; k <= doc.lines; k++) {
    const text = doc.line(k).text;
    const path = header(text);
    if (path) table = path.length === 1 ? path[0] : null;
    else if (table === "points") {
      const point = /^\s*"?([^"=#\s]+)"?\s*=/.exec(text);
      if (point) (names.points ??= []).push(point[1]);
    } else if (table) {
      const name = /^\s*name\s*=\s*["']([^"']+)["']/.exec(text);
      if (name) (names[table] ??= []).push(name[1]);
    }
  }
  return names;
}

/** The end of the token at an offset of a line: a string, a number or a key. */
export function tokenEnd(text, offset) {
  const rest = text.slice(offset);
  const token = /^("(\\.|[^"\\])*"?|'[^']*'?|\[\[?[^\]]*\]?\]?|[\w.+-]+|\S)/.exec(rest);
  return offset + (token ? token[0].length : 0);
}
