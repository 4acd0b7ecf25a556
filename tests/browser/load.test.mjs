// One page shows one model after the other: nothing of a model is left in the picture of the next.

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { close, difference, folder, launch, open, page } from "./support.mjs";

const MODELS = ["models/four_bar", "models/van", "models/contacts/stacked_boxes.toml", "models/flexible_slider_crank"];

before(launch);
after(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

const dataOf = (file) => /<script type="application\/json" id="data">([^]*?)<\/script>/.exec(readFileSync(file, "utf8"))[1];

test("models in turn look as in pages of their own, and leave no meshes and no elements", async () => {
  const own = new Map();
  for (const model of MODELS) {
    const p = await open(page("view", model));
    own.set(model, [await p.picture(), await p.get("[Object.keys(renderer.meshes).length, renderer.made.length, document.querySelectorAll('*').length]")]);
    await p.done();
  }
  const p = await open(page("view", MODELS[0]));
  for (const model of [...MODELS, ...MODELS, MODELS[0]]) {
    await p.tab.evaluate((text) => window.page.load(JSON.parse(text)), dataOf(page("view", model)));
    await p.get("page.setView('iso')");
    const [picture, counts] = own.get(model);
    assert.ok(difference(picture, await p.picture()) < 1e-3, `${model} looks different`);
    assert.deepEqual(await p.get("[Object.keys(renderer.meshes).length, renderer.made.length, document.querySelectorAll('*').length]"), counts, model);
  }
  assert.deepEqual(p.said, []);
  await p.done();
});

test("a model with the same name keeps camera, selection and what is visible", async () => {
  const p = await open(page("view", "models/four_bar"));
  await p.tab.locator("#rows .row").nth(1).click();
  await p.tab.locator("[data-view='+z']").click();
  await p.id("show-toggle").click();
  await p.tab.locator("[data-show=joints]").click();
  const [name, camera] = await p.get("[data.items[panel.chosen].n, [camera.azimuth, camera.elevation, camera.distance, camera.target]]");
  const before = await p.picture();
  await p.get("page.load(structuredClone(data))");
  assert.deepEqual(await p.get("[data.items[panel.chosen].n, [camera.azimuth, camera.elevation, camera.distance, camera.target]]"), [name, camera]);
  assert.equal(await p.tab.locator("[data-show=joints]").isChecked(), false);
  assert.equal(difference(before, await p.picture()), 0);
  await p.get("page.load({ ...structuredClone(data), name: 'another' })");
  assert.equal(await p.get("panel.chosen"), -1);
  assert.notDeepEqual(await p.get("[camera.azimuth, camera.elevation]"), camera.slice(0, 2));
  assert.deepEqual(p.said, []);
  await p.done();
});
