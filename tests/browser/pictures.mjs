// The pictures of the 3-D page in docs/pictures: node tests/browser/pictures.mjs [NAME …] after what test.sh prepares for the tests of the page.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PNG, ballesta, close, folder, launch, open, page, root, textFile } from "./support.mjs";

const FOUR_BAR = readFileSync(path.join(root, "models/four_bar/model.toml"), "utf8");
/** The four-bar linkage with one thing wrong. */
function wrong(name, from, to) {
  const text = FOUR_BAR.replace(from, to);
  if (text === FOUR_BAR) throw new Error(`${name}: the model has no ${from}`);
  return textFile(`${name}/model.toml`, text);
}
/** The row of a name in the tree. */
const select = (p, name) => p.get(`panel.select(data.items.findIndex((item) => item.n === ${JSON.stringify(name)}))`);
const at = (p, time, view = "iso") => p.tab.evaluate(([t, v]) => { window.page.go(t); window.page.setView(v); }, [time, view]);
const alone = (p) => p.id("tree-toggle").click();
/** All that is ever reached. */
const whole = (p) => p.get("(() => { const { time } = motion; camera.fit(drawing.reached()); window.page.go(time); })()");
const size = { width: 1180, height: 660 };

const PICTURES = {
  page_van: [() => page("run", "models/van", "--inputs", "models/van/manoeuvres/double_lane_change.csv"), size, async (p) => { await alone(p); await at(p, 2.2); }],
  page_truck: [() => page("run", "models/truck", "--inputs", "models/truck/manoeuvres/slalom.csv", "--stop", "10", "--step", String(1 / 60)), size, async (p) => { await alone(p); await at(p, 5, "-y"); await p.get("(() => { camera.elevation = 0.12; camera.azimuth -= 0.35; state.dirty = true; })()"); }],
  page_bricard: [() => page("run", "models/bricard"), { ...size, dark: true }, async (p) => { await at(p, 1.2); await whole(p); }],
  page_spinup_beam: [() => page("run", "models/spinup_beam"), size, async (p) => { await at(p, 7); }],
  page_five_link: [() => page("run", "models/five_link_suspension"), size, async (p) => { await at(p, 1); }],
  page_arm: [() => page("run", "models/driven_arm"), size, async (p) => { await at(p, 1.6); }],
  page_modes: [() => { const file = path.join(folder, "modes.html"); ballesta(["modes", "models/structures/space_frame", "--html", file]); return file; }, size, async (p) => { await p.id("play").click(); await p.tab.locator("#plots .row").nth(0).click(); await p.tab.evaluate(() => window.page.go(0)); }],
  page_wrong_axis: [() => page("view", wrong("wrong_axis", /(name = "B0"\ntype[^]*?axis = )\[0, 0, 1\]/, "$1[1, 0, 0]")), { width: 900, height: 520 }, async (p) => { await select(p, "B0"); }],
  page_wrong_unit: [() => page("view", wrong("wrong_unit", "B1 = [1, 1, 0]", "B1 = [1000, 1000, 0]")), { width: 900, height: 520 }, async (p) => { await p.tab.evaluate(() => window.page.setView("iso")); }],
};

const wanted = process.argv.slice(2);
await launch();
try {
  for (const [name, [make, view, prepare]] of Object.entries(PICTURES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const p = await open(make(), view);
    await prepare(p);
    await p.picture();
    await p.tab.waitForTimeout(200);
    // Written anew: without the times that a browser's PNG may hold.
    writeFileSync(path.join(root, "docs/pictures", `${name}.png`), PNG.sync.write(PNG.sync.read(await p.tab.screenshot()), { colorType: 2 }));
    if (p.said.length > 0) throw new Error(`${name}: ${p.said.join("\n")}`);
    console.log(`docs/pictures/${name}.png`);
    await p.done();
  }
} finally {
  await close();
  rmSync(folder, { recursive: true, force: true });
}
