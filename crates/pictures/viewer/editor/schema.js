// Completion and hover text from the JSON schema of the model file.

import { autocompletion, completionKeymap, acceptCompletion, startCompletion } from "@codemirror/autocomplete";
import { hoverTooltip, keymap } from "@codemirror/view";
import { Prec } from "@codemirror/state";
import { context, header, keysOf, namesOf } from "./toml.js";

const SPRINGS = ["spring", "joint_spring", "torsion_bar", "leaf_spring", "air_spring", "damper", "anti_roll_bar", "bump_stop"];
const CONSTRAINTS = ["rod", "coupler", "rack_and_pinion", "point_on_line", "point_in_plane", "curve_on_curve"];
const DRIVES = ["drive", "brake", "speed_control", "engine", "clutch", "gearbox", "torque_converter"];

/** Tables whose names a key may have as its value; other keys refer to the table with their name. */
const KINDS = {
  body: ["body", "flexible_body"], bodies: ["body", "flexible_body"], chassis: ["body"], wheel: ["body"],
  point: ["points"], points: ["points"], com: ["points"], centre: ["points"], in: ["frame"],
  spring: SPRINGS, constraint: CONSTRAINTS, drive: DRIVES, variable: ["input", "parameter"], also: ["input"],
};

/** The first sentence of a description, on one line. */
function sentence(text = "") {
  const line = text.replaceAll("\n", " ");
  const end = /[.:](?= [A-Z`])/.exec(line);
  return end ? line.slice(0, end.index + 1).replace(/:$/, ".") : line;
}

/** Reads a schema: tables, keys and values at a position. */
class Reader {
  constructor(root) {
    this.root = root;
  }

  /** A schema and all that it refers to as an alternative. */
  all(schema) {
    if (!schema) return [];
    const target = schema.$ref && this.root.definitions[schema.$ref.split("/").pop()];
    const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    return [schema, ...this.all(target), ...parts.flatMap((part) => this.all(part))];
  }

  /** Keys of a table with their schemas. */
  keys(schema) {
    return Object.assign({}, ...this.all(schema).map((part) => part.properties ?? {}));
  }

  items(schema) {
    return this.all(schema).find((part) => part.items)?.items;
  }

  /** The schema below a table header. */
  table(path) {
    return path.reduce((schema, key) => {
      const found = this.at(schema, [key]);
      return this.items(found) && this.all(found).some((part) => part.type === "array") ? this.items(found) : found;
    }, this.root);
  }

  /** The schema of a key of a table, or below it. */
  at(schema, path) {
    return path.reduce((inner, key) => {
      if (key === "[]") return this.items(inner);
      return this.keys(inner)[key] ?? this.all(inner).find((part) => typeof part.additionalProperties === "object")?.additionalProperties;
    }, schema);
  }

  /** Names in quotes and other fixed values. */
  values(schema) {
    const parts = this.all(schema);
    const fixed = parts.flatMap((part) => {
      if (typeof part.const === "string") return [{ value: part.const, text: part.description }];
      return (part.enum ?? []).filter((value) => typeof value === "string").map((value) => ({ value, text: "" }));
    });
    return { fixed, boolean: parts.some((part) => part.type === "boolean"), refers: (name) => parts.some((part) => part.$ref?.endsWith(`/${name}`)) };
  }

  /** All headers: {name, text, list}. */
  headers() {
    const list = [];
    const add = (schema, before) => {
      for (const [key, value] of Object.entries(this.keys(schema))) {
        const inner = this.items(value);
        const keyed = this.all(inner).some((part) => part.properties);
        const object = !inner && this.all(value).some((part) => part.properties || typeof part.additionalProperties === "object");
        if (!(inner ? keyed : object)) continue;
        list.push({ name: before + key, text: value.description, list: Boolean(inner) });
        if (!inner && !before) add(value, `${key}.`);
      }
    };
    add(this.root, "");
    return list;
  }
}

function headers(reader, at, doc) {
  const line = doc.lineAt(at.from);
  const from = line.from + line.text.indexOf("[");
  // Brackets that the editor has closed are replaced.
  const options = reader.headers().map((entry) => ({
    label: entry.name,
    detail: entry.list ? "[[ ]]" : "[ ]",
    info: sentence(entry.text),
    type: "class",
    apply(view, completion, _, to) {
      const rest = /^\s*\]{0,2}/.exec(view.state.doc.lineAt(to).text.slice(to - view.state.doc.lineAt(to).from))[0].length;
      const text = entry.list ? `[[${entry.name}]]\n` : `[${entry.name}]\n`;
      view.dispatch({ changes: { from, to: to + rest, insert: text }, selection: { anchor: from + text.length }, userEvent: "input.complete" });
      startCompletion(view);
    },
  }));
  return { from: at.from, options, validFor: /^[\w.]*$/ };
}

function keys(reader, at, doc) {
  const table = reader.table(at.table);
  const nested = at.path.filter((key) => key !== at.word);
  const schema = nested.length ? reader.at(table, nested) : table;
  const present = nested.length ? new Set() : keysOf(doc, at.first);
  const required = new Set(reader.all(schema).flatMap((part) => part.required ?? []));
  const options = Object.entries(reader.keys(schema)).filter(([key]) => !present.has(key)).map(([key, value], index) => ({
    label: key,
    detail: required.has(key) ? "required" : "",
    // Required keys first, in the order of the schema.
    boost: (required.has(key) ? 50 : 0) - Math.min(index, 49),
    info: sentence(value.description),
    type: "property",
    apply(view, completion, from, to) {
      const line = view.state.doc.lineAt(to);
      const assigned = /^\s*=/.test(line.text.slice(to - line.from));
      const text = assigned ? key : `${key} = `;
      view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length }, userEvent: "input.complete" });
      if (!assigned) startCompletion(view);
    },
  }));
  return options.length ? { from: at.from, options, validFor: /^[\w-]*$/ } : null;
}

function values(reader, at, doc, names) {
  const schema = reader.at(reader.table(at.table), at.path);
  const key = at.path.findLast((part) => part !== "[]");
  const { fixed, boolean, refers } = reader.values(schema);
  const given = { ...namesOf(doc) };
  for (const [kind, list] of Object.entries(names?.() ?? {})) given[kind] = [...new Set([...(given[kind] ?? []), ...list])];
  const kinds = [...(KINDS[key] ?? (key in given ? [key] : []))];
  if (refers("Place") && !kinds.includes("points")) kinds.push("points");
  if (refers("Number")) kinds.push("parameter");
  const references = kinds.flatMap((kind) => (given[kind] ?? []).map((name) => ({ value: name, text: "", kind })));
  if (kinds.includes("body") && key !== "com") references.push({ value: "ground", text: "The world.", kind: "body" });
  const options = [...fixed, ...references].map(({ value, text, kind }) => ({
    label: at.quoted ? value : `"${value}"`,
    detail: kind ?? "",
    info: text ? text.replaceAll("\n", " ") : undefined,
    type: kind ? "variable" : "enum",
    apply(view, completion, from, to) {
      const closed = at.quoted && view.state.doc.sliceString(to, to + 1) === at.quoted;
      const insert = at.quoted ? `${value}${closed ? "" : at.quoted}` : `"${value}"`;
      const anchor = from + insert.length + (closed ? 1 : 0);
      view.dispatch({ changes: { from, to, insert }, selection: { anchor }, userEvent: "input.complete" });
    },
  }));
  if (boolean && !at.quoted) options.push({ label: "true", type: "keyword" }, { label: "false", type: "keyword" });
  return options.length ? { from: at.from, options, validFor: at.quoted ? /^[^"']*$/ : /^[\w.-]*$/ } : null;
}

/** The word at a position and its description: {from, to, title, text}; null without one. */
function described(reader, doc, position) {
  const line = doc.lineAt(position);
  const path = header(line.text);
  if (path) {
    const parent = reader.table(path.slice(0, -1));
    const text = reader.keys(parent)[path[path.length - 1]]?.description;
    return text ? { from: line.from + line.text.indexOf("["), to: line.from + line.text.lastIndexOf("]") + 1, title: path.join("."), text } : null;
  }
  let [from, to] = [position - line.from, position - line.from];
  while (from > 0 && /[\w-]/.test(line.text[from - 1])) from--;
  while (to < line.text.length && /[\w-]/.test(line.text[to])) to++;
  if (from === to) return null;
  const [range, word] = [{ from: line.from + from, to: line.from + to }, line.text.slice(from, to)];
  const at = context(doc, range.to);
  const table = reader.table(at.table);
  if (at.in === "key") {
    const nested = [...at.path.filter((key) => key !== word), word];
    const text = reader.at(table, nested)?.description;
    return text ? { ...range, title: word, text } : null;
  }
  if (at.in !== "value" || !at.quoted) return null;
  const value = reader.values(reader.at(table, at.path)).fixed.find((fixed) => fixed.value === word);
  return value?.text ? { ...range, title: word, text: value.text } : null;
}

/** Completion and hover text; `names` returns names by table. */
export function help(schema, names) {
  const reader = new Reader(schema);
  const complete = ({ state, pos, explicit }) => {
    const at = context(state.doc, pos);
    if (at.in === "header") return headers(reader, at, state.doc);
    if (at.in === "key") return explicit || at.word ? keys(reader, at, state.doc) : null;
    return at.in === "value" ? values(reader, at, state.doc, names) : null;
  };
  const hover = hoverTooltip((view, position) => {
    const found = described(reader, view.state.doc, position);
    if (!found) return null;
    const create = () => {
      const dom = document.createElement("div");
      dom.className = "cm-described";
      const title = dom.appendChild(document.createElement("b"));
      title.textContent = found.title;
      dom.appendChild(document.createElement("p")).textContent = found.text.replaceAll("\n", " ");
      return { dom };
    };
    return { pos: found.from, end: found.to, above: true, create };
  });
  const tab = Prec.highest(keymap.of([{ key: "Tab", run: acceptCompletion }]));
  return [autocompletion({ override: [complete], icons: false }), hover, tab, keymap.of(completionKeymap)];
}
