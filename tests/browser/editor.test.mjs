// The text editor of workshop pages by itself, under their policy: completion, hover text, errors with fixes, history.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { close, folder, launch, open, root, textFile } from "./support.mjs";

const read = (name) => readFileSync(path.join(root, name), "utf8");
const MODEL = read("models/four_bar/model.toml");

before(launch);
after(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A page with an editor, whose changes and cursor lines are recorded. */
function written() {
  const bundle = read("crates/pictures/viewer/editor/codemirror.js");
  const style = `${read("crates/pictures/viewer/style.css")}#host { height: 600px; width: 800px; }`;
  const schema = JSON.stringify(JSON.parse(read("docs/model.schema.json"))).replaceAll("<", "\\u003c");
  const text = JSON.stringify(MODEL).replaceAll("<", "\\u003c");
  const script = `
    Object.assign(window, { page: { state: { frames: 1 } }, changes: [], cursor: [], violations: [] });
    document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective));
    document.documentElement.classList.toggle("dark", matchMedia("(prefers-color-scheme: dark)").matches);
    window.editor = Codemirror.create(document.getElementById("host"), {
      text: ${text}, schema: ${schema}, names: () => ({ body: ["from_elsewhere"] }),
      onChange: (text, transaction) => changes.push([text, transaction.isUserEvent("input")]),
      onCursor: (line) => cursor.push(line),
    });
    window.inside = (selector) => [...document.getElementById("host").shadowRoot.querySelectorAll(selector)];`;
  const hash = (part) => `'sha256-${createHash("sha256").update(part).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(bundle)} ${hash(script)}; style-src ${hash(style)}; img-src data:`;
  return textFile("editor.html", `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="icon" href="data:,"><style>${style}</style><div id="host"></div><script>${bundle}</script><script>${script}</script>`);
}

/** The page with the keyboard at the end of the text. */
async function editor(options) {
  const p = await open(written(), options);
  const text = () => p.tab.evaluate(() => editor.getText());
  const end = async () => {
    await p.tab.evaluate(() => editor.focus());
    await p.tab.keyboard.press("Control+End");
  };
  /** Labels of the completion once the list begins with `first`. */
  const offered = async (first) => {
    const labels = () => p.tab.evaluate(() => inside(".cm-tooltip-autocomplete .cm-completionLabel").map((label) => label.textContent));
    await p.tab.waitForFunction((text) => inside(".cm-tooltip-autocomplete .cm-completionLabel")[0]?.textContent === text, first);
    return labels();
  };
  /** Takes the selected completion. The list ignores keys right after it opens. */
  const take = async () => {
    await p.tab.waitForTimeout(120);
    await p.tab.keyboard.press("Tab");
    await p.tab.waitForTimeout(60);
  };
  const clean = async () => {
    assert.deepEqual([await p.tab.evaluate(() => violations), p.said], [[], []]);
    await p.tab.close();
  };
  return { ...p, text, end, offered, take, clean };
}

test("tables, keys, values and names are completed from the schema and the text", async () => {
  const p = await editor();
  await p.end();
  await p.tab.keyboard.type("\n[[joi");
  assert.deepEqual(await p.offered("joint"), ["joint", "joint_spring"]);
  await p.take();
  assert.ok((await p.offered("name")).includes("axis"));
  await p.tab.keyboard.type("ty");
  assert.deepEqual(await p.offered("type"), ["type"]);
  await p.take();
  assert.ok((await p.offered('"along_curve"')).includes('"revolute"'));
  await p.tab.keyboard.type('"rev');
  assert.deepEqual(await p.offered("revolute"), ["revolute"]);
  await p.take();
  await p.tab.keyboard.type('\nbodies = ["');
  const bodies = await p.offered("coupler");
  assert.ok(["left", "right", "ground", "from_elsewhere"].every((name) => bodies.includes(name)), String(bodies));
  await p.tab.keyboard.type("gro");
  await p.take();
  assert.ok((await p.text()).endsWith('[[joint]]\ntype = "revolute"\nbodies = ["ground"]'), (await p.text()).slice(-80));
  await p.clean();
});

test("the text below the pointer is explained in the words of the schema", async () => {
  const p = await editor();
  const explained = async (word) => {
    const at = await p.tab.evaluate((text) => {
      const { left, top } = inside(".cm-line span").find((span) => span.textContent === text).getBoundingClientRect();
      return [left + 4, top + 4];
    }, word);
    await p.tab.mouse.move(850, 650);
    await p.tab.waitForFunction(() => inside(".cm-described").length === 0);
    await p.tab.mouse.move(...at);
    await p.tab.waitForFunction(() => inside(".cm-described").length > 0);
    return p.tab.evaluate(() => inside(".cm-described")[0].textContent);
  };
  assert.match(await explained("mass"), /^massMass in kg\./);
  assert.match(await explained("[experiment]"), /^experimentDefault experiment/);
  await p.clean();
});

test("errors have marks, and a click on a fix is one step of the history", async () => {
  for (const dark of [false, true]) {
    const p = await editor({ dark });
    const line = MODEL.split("\n").indexOf("[experiment]") + 2;
    await p.tab.evaluate((at) => editor.setDiagnostics([
      { line: at, column: 1, severity: "error", message: "did you mean `begin`?", fixes: [{ label: "Use begin", from: { line: at, column: 1 }, to: { line: at, column: 6 }, text: "begin" }] },
      { line: 0, column: 0, severity: "error", message: "of the whole file" },
    ]), line);
    assert.deepEqual(await p.tab.evaluate(() => inside(".cm-lintRange").map((range) => range.textContent)), ["start"]);
    assert.equal(await p.tab.evaluate(() => inside(".cm-lint-marker-error").length), 1);
    const at = await p.tab.evaluate(() => { const { left, top } = inside(".cm-lintRange")[0].getBoundingClientRect(); return [left + 4, top + 4]; });
    await p.tab.mouse.move(...at);
    await p.tab.waitForFunction(() => inside(".cm-diagnosticAction").length > 0);
    const button = await p.tab.evaluate(() => { const { left, top } = inside(".cm-diagnosticAction")[0].getBoundingClientRect(); return [left + 4, top + 4]; });
    await p.tab.mouse.click(...button);
    assert.equal((await p.text()).split("\n")[line - 1], "begin = 0");
    assert.equal(await p.tab.evaluate(() => changes.length), 1);
    await p.tab.evaluate(() => editor.undo());
    assert.equal(await p.text(), MODEL);
    await p.tab.evaluate(() => editor.redo());
    assert.equal((await p.text()).split("\n")[line - 1], "begin = 0");
    await p.clean();
  }
});

test("columns count characters, and replaced texts, cursor and highlight follow the calls", async () => {
  const p = await editor();
  await p.tab.evaluate(() => {
    editor.setText('# 😀 é\nname = "😀b"\n');
    editor.replace({ line: 2, column: 10 }, { line: 2, column: 11 }, "cd");
    editor.goTo(2, 3);
  });
  assert.equal(await p.text(), '# 😀 é\nname = "😀cd"\n');
  assert.deepEqual(await p.tab.evaluate(() => [changes.length, cursor]), [1, [2]]);
  await p.tab.evaluate(() => editor.undo());
  await p.tab.evaluate(() => editor.undo());
  assert.equal(await p.text(), '# 😀 é\nname = "😀b"\n', "another text has its own history");
  const marked = () => p.tab.evaluate(() => inside(".cm-highlighted").map((line) => line.textContent));
  await p.tab.evaluate(() => editor.highlight(1, 2));
  assert.equal((await marked()).length, 2);
  await p.tab.evaluate(() => editor.highlight(1, null));
  assert.deepEqual(await marked(), []);
  await p.clean();
});

test("tables fold up to the comments of the next table, and the search finds words", async () => {
  const p = await editor();
  await p.tab.evaluate(() => editor.setText("[[body]]\nname = \"a\"\n\n# The second.\n[[body]]\nname = \"b\"\n"));
  await p.tab.evaluate(() => inside("[title='Fold line']")[0].click());
  const lines = await p.tab.evaluate(() => inside(".cm-line").map((line) => line.textContent));
  assert.deepEqual(lines.slice(0, 3), ["[[body]]…", "", "# The second."]);
  await p.end();
  await p.tab.keyboard.press("Control+f");
  await p.tab.keyboard.type("second");
  await p.tab.waitForFunction(() => inside(".cm-searchMatch").length === 1);
  await p.clean();
});
