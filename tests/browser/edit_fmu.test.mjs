// "Download FMU" in a page of `ballesta edit --with-fmu`: the file has the bytes of `ballesta export` with the text of the page.
// Needs the libraries of pages and of FMUs (scripts/platforms.sh x86_64-linux wasm32 wasm32-packer), and is skipped without them.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { ballesta, close, folder, launch, open, root, target } from "./support.mjs";

const needed = ["wasm32/ballesta.wasm.gz", "wasm32-packer/packer.wasm.gz", "x86_64-linux/libballesta.so"].map((name) => path.join(target, "platforms", name));
const missing = needed.find((file) => !existsSync(file));
const skip = missing ? `no ${missing}: scripts/platforms.sh builds it` : false;
/** Packing with the reference trajectory takes some seconds; slow machines take longer. */
const PACK_TIMEOUT = 120_000;

before(launch);
after(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
/** A page that writes FMUs, with its first model compiled. */
async function edit(model, further = ["--with-fmu"]) {
  const file = path.join(folder, `fmu${count++}.html`);
  ballesta(["edit", model, ...further, "-o", file]);
  const p = await open(file, { width: 1280, height: 800 });
  await p.tab.waitForFunction(() => window.page.edit.valid);
  const report = p.tab.locator("#fmu-report");
  /** The file of the next download. */
  const download = async () => {
    const [event] = await Promise.all([p.tab.waitForEvent("download", { timeout: PACK_TIMEOUT }), p.id("fmu-write").click()]);
    return { name: event.suggestedFilename(), bytes: readFileSync(await event.path()) };
  };
  return { ...p, report, download };
}

/** The FMU of `ballesta export` of a text. */
function exported(text, ...options) {
  const [own, fmu] = [path.join(folder, `model${count++}`), path.join(folder, `export${count}.fmu`)];
  mkdirSync(own);
  writeFileSync(path.join(own, "model.toml"), text);
  ballesta(["export", own, "-o", fmu, ...options]);
  return readFileSync(fmu);
}

test("the FMU of a changed text has the bytes of export, for both versions of FMI", { skip }, async () => {
  const p = await edit("models/four_bar");
  // A change of the text with the keyboard: "mass = 1" becomes "mass = 17".
  const text = readFileSync(path.join(root, "models/four_bar/model.toml"), "utf8");
  const at = text.indexOf("mass = 1\n") + "mass = 1".length;
  const line = text.slice(0, at).split("\n").length;
  await p.tab.evaluate((to) => window.page.edit.editors.get("model.toml").editor.goTo(to, 1), line);
  await p.tab.evaluate(() => window.page.edit.editors.get("model.toml").editor.focus());
  await p.tab.keyboard.press("End");
  await p.tab.keyboard.type("7");
  const changed = `${text.slice(0, at)}7${text.slice(at)}`;
  await p.tab.waitForFunction((now) => window.page.edit.files.get("model.toml").text === now, changed);
  await p.tab.waitForFunction(() => !window.page.edit.flying && window.page.edit.problems.length === 0);

  await p.id("fmu").click();
  assert.match(await p.id("fmu-dialog").textContent(), /linux64/);
  const second = await p.download();
  assert.equal(second.name, "four_bar.fmu");
  assert.ok(second.bytes.equals(exported(changed)), "FMI 2.0: other bytes");
  assert.match(await p.report.textContent(), /four_bar\.fmu: \d+\.\d MB, FMI 2\.0/);
  await p.id("fmu-version").selectOption("3.0");
  await p.id("fmu-hold").check();
  await p.id("fmu-reference").uncheck();
  const third = await p.download();
  assert.ok(third.bytes.equals(exported(changed, "--fmi", "3.0", "--hold-mode", "--no-reference")), "FMI 3.0: other bytes");
  // Keys act on the dialog, not on the model.
  await p.tab.keyboard.press("Escape");
  assert.equal(await p.id("fmu-dialog").isVisible(), false);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a model with errors is not packed, and packing can be cancelled", { skip }, async () => {
  const p = await edit("models/van");
  await p.id("fmu").click();
  await p.id("fmu-write").click();
  await p.tab.waitForFunction(() => document.querySelector("#fmu-dialog progress").value > 0, null, { timeout: PACK_TIMEOUT });
  assert.match(await p.report.textContent(), /Reference trajectory: \d+ %/);
  assert.equal(await p.id("fmu-close").textContent(), "Cancel");
  await p.id("fmu-close").click();
  assert.equal(await p.tab.evaluate(() => window.page.edit.fmu.worker), null);
  // The dialog can be opened again; Escape closes it too.
  await p.id("fmu").click();
  assert.equal(await p.id("fmu-write").isEnabled(), true);
  await p.tab.keyboard.press("Escape");
  assert.equal(await p.id("fmu-dialog").isVisible(), false);

  await p.tab.evaluate(() => window.page.edit.editors.get("model.toml").editor.goTo(1, 1));
  await p.tab.evaluate(() => window.page.edit.editors.get("model.toml").editor.focus());
  await p.tab.keyboard.type("mess = 1");
  await p.tab.waitForFunction(() => window.page.edit.problems.length > 0);
  await p.id("fmu").click();
  await p.id("fmu-write").click();
  assert.match(await p.report.textContent(), /The model has .*Correct the text first\..*model\.toml:1/s);
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a page without the libraries has no such button", { skip }, async () => {
  const p = await edit("models/pendulum", []);
  assert.equal(await p.id("fmu").isVisible(), false);
  await p.done();
});
