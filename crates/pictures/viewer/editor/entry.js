// The text editor of workshop pages. `scripts/editor.sh` bundles it as `codemirror.js`, with the global `Codemirror`.
//
// Lines and columns are counted from 1, columns in characters (code points), as in the diagnostics of the solver. The
// editor is in a shadow root, where CodeMirror uses constructed style sheets: the policy of the page allows no others.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, isolateHistory, redo, undo } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, codeFolding, foldGutter, foldKeymap, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { help } from "./schema.js";
import { tableFolding, tokenEnd, toml } from "./toml.js";

/** Colours of the text, light and dark; all others come from the variables of the page. */
const COLOURS = {
  light: { table: "#8a2be2", key: "#0b4f9e", string: "#176b2c", number: "#a33b00", comment: "#5d6776", mark: "#fff2b8" },
  dark: { table: "#d0a3ff", key: "#8cc2fa", string: "#93d6a0", number: "#ffb07c", comment: "#98a2b1", mark: "#4a431f" },
};

function theme(dark) {
  const colour = dark ? COLOURS.dark : COLOURS.light;
  const [panel, text, faint, line] = dark
    ? ["var(--panel, #1c2027)", "var(--text, #e4e8ee)", "var(--faint, #98a2b1)", "var(--line, #353c47)"]
    : ["var(--panel, #ffffff)", "var(--text, #1c2430)", "var(--faint, #5d6776)", "var(--line, #d4d9e0)"];
  const hover = dark ? "var(--hover, #29303a)" : "var(--hover, #e8eef6)";
  const accent = dark ? "var(--accent, #69aef7)" : "var(--accent, #0b62c4)";
  const small = { fontSize: "13px", fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif" };
  const box = { backgroundColor: panel, color: text, border: `1px solid ${line}`, borderRadius: "4px" };
  const look = EditorView.theme({
    "&": { height: "100%", backgroundColor: panel, color: text, fontSize: "13px" },
    "&.cm-focused": { outline: "none" },
    ".cm-scroller": { fontFamily: "ui-monospace, 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace", lineHeight: "1.5" },
    ".cm-content": { caretColor: text },
    ".cm-cursor": { borderLeftColor: text },
    ".cm-gutters": { backgroundColor: panel, color: faint, border: "none", borderRight: `1px solid ${line}` },
    ".cm-activeLine": { backgroundColor: dark ? "#ffffff0a" : "#0000000a" },
    ".cm-activeLineGutter": { backgroundColor: hover, color: text },
    ".cm-line.cm-highlighted": { backgroundColor: colour.mark },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: dark ? "#31527a" : "#bcd8f8" },
    ".cm-selectionMatch": { backgroundColor: dark ? "#3a4a2c" : "#dff0c8" },
    ".cm-foldPlaceholder": { backgroundColor: hover, color: faint, border: `1px solid ${line}` },
    ".cm-tooltip": { ...box, ...small, maxWidth: "420px" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: hover, color: text },
    ".cm-tooltip.cm-completionInfo": { padding: "4px 8px" },
    ".cm-completionDetail": { color: faint, fontStyle: "normal" },
    ".cm-described": { padding: "4px 8px" },
    ".cm-described p": { margin: "2px 0 0" },
    ".cm-panels": { ...small, backgroundColor: panel, color: text },
    ".cm-panels.cm-panels-bottom, .cm-panels.cm-panels-top": { borderColor: line },
    ".cm-button, .cm-textfield": { ...box, backgroundImage: "none" },
    ".cm-diagnosticAction": { backgroundColor: accent, color: dark ? "#14171c" : "#ffffff", borderRadius: "4px", cursor: "pointer" },
    ".cm-diagnosticText": { whiteSpace: "pre-wrap" },
  }, { dark });
  const code = HighlightStyle.define([
    { tag: tags.atom, color: colour.table, fontWeight: "600" },
    { tag: tags.propertyName, color: colour.key },
    { tag: tags.string, color: colour.string },
    { tag: tags.number, color: colour.number },
    { tag: tags.comment, color: colour.comment },
  ]);
  return [look, syntaxHighlighting(code)];
}

/** Offset of a line and column, limited to the text. */
function offset(doc, { line, column }) {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  let units = 0;
  for (const character of found.text) {
    if (--column < 1) break;
    units += character.length;
  }
  return found.from + units;
}

const setHighlight = StateEffect.define();
const highlighted = StateField.define({
  create: () => Decoration.none,
  update(lines, transaction) {
    lines = lines.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setHighlight)) continue;
      const { doc } = transaction.state;
      const [from, to] = effect.value ?? [1, 0];
      const marks = [];
      for (let k = Math.max(from, 1); k <= Math.min(to, doc.lines); k++) marks.push(Decoration.line({ class: "cm-highlighted" }).range(doc.line(k).from));
      lines = Decoration.set(marks);
    }
    return lines;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * Creates an editor in `host`.
 *
 * `onChange(text, transaction)` follows every change except `setText`; `onCursor(line)` follows the cursor to another
 * line. `schema` is the JSON schema of the file, `names()` returns further names by table: `{body: ["chassis"]}`.
 */
export function create(host, { text = "", onChange, onCursor, readOnly = false, schema, names } = {}) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const looks = new Compartment();
  const page = document.documentElement;
  const isDark = () => page.classList.contains("dark");
  let dark = isDark();
  let replaced = false;
  let cursor = 1;
  const follow = EditorView.updateListener.of((update) => {
    if (update.docChanged && !replaced) onChange?.(update.state.doc.toString(), update.transactions[update.transactions.length - 1]);
    const line = update.state.doc.lineAt(update.state.selection.main.head).number;
    if (line !== cursor && !replaced) onCursor?.(line);
    cursor = line;
  });
  // Text that replaces a selection: the browser would keep the style of the selection in a style attribute, which the policy blocks.
  const typing = EditorView.domEventHandlers({
    beforeinput(event, view) {
      const { from, to, empty } = view.state.selection.main;
      if (event.inputType !== "insertText" || !event.data || empty || view.composing || readOnly) return false;
      const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
      const handled = view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, event.data, insert));
      if (!handled) view.dispatch(insert());
      event.preventDefault();
      return true;
    },
  });
  const start = (content) => EditorState.create({
    doc: content,
    extensions: [
      toml, tableFolding, codeFolding(), looks.of(theme(dark)), highlighted, follow,
      typing, lineNumbers(), lintGutter(), foldGutter(), highlightActiveLine(), highlightActiveLineGutter(),
      history(), drawSelection(), bracketMatching(), closeBrackets(), search({ top: true }), highlightSelectionMatches(),
      schema ? help(schema, names) : [],
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({ "aria-label": "Text of the model", spellcheck: "false" }),
    ],
  });
  const view = new EditorView({ state: start(text), parent: root, root });
  new MutationObserver(() => {
    if (dark === isDark()) return;
    dark = isDark();
    view.dispatch({ effects: looks.reconfigure(theme(dark)) });
  }).observe(page, { attributes: true, attributeFilter: ["class"] });

  const at = (position) => offset(view.state.doc, position);
  /** Replaces a range by one step of the history. */
  const replace = (from, to, insert) => view.dispatch({
    changes: { from: at(from), to: at(to), insert },
    annotations: isolateHistory.of("full"),
    userEvent: "input.replace",
  });
  return {
    getText: () => view.state.doc.toString(),
    /** Shows another text, with a new history. */
    setText(content) {
      replaced = true;
      view.setState(start(content));
      replaced = false;
      cursor = 1;
    },
    /** Marks errors up to `end` (a column of the line, exclusive), without it up to the end of the token. Line 0 is left out. */
    setDiagnostics(list) {
      const { doc } = view.state;
      const marks = list.filter((entry) => entry.line >= 1).map((entry) => {
        const from = at(entry);
        const line = doc.lineAt(from);
        const to = entry.end ? at({ line: entry.line, column: entry.end }) : line.from + tokenEnd(line.text, from - line.from);
        const actions = (entry.fixes ?? []).map((fix) => ({ name: fix.label, apply: () => replace(fix.from, fix.to, fix.text) }));
        return { from, to: Math.max(from, to), severity: entry.severity ?? "error", message: entry.message, actions };
      });
      view.dispatch(setDiagnostics(view.state, marks.sort((a, b) => a.from - b.from)));
    },
    /** Puts the cursor at a position and shows it. */
    goTo(line, column = 1) {
      const anchor = at({ line, column });
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    },
    replace,
    undo: () => undo(view),
    redo: () => redo(view),
    focus: () => view.focus(),
    /** Highlights lines, or none if `to` or `from` is null. */
    highlight(from, to) {
      view.dispatch({ effects: setHighlight.of(from == null || to == null ? null : [from, to]) });
    },
  };
}
