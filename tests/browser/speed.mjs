// Frames per second of pages that play, as the table of docs/viewing.md has them: node tests/browser/speed.mjs

import { rmSync, statSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import { ballesta, close, folder, launch, open, page } from "./support.mjs";

const PAGES = [
  ["four-bar linkage", () => page("run", "models/four_bar")],
  ["Bricard loop", () => page("run", "models/bricard")],
  ["robot arm with shapes", () => page("run", "models/driven_arm")],
  ["five-link suspension", () => page("run", "models/five_link_suspension")],
  ["spin-up beam", () => page("run", "models/spinup_beam")],
  ["van, double lane change", () => page("run", "models/van", "--inputs", "models/van/manoeuvres/double_lane_change.csv")],
  ["truck, slalom", () => page("run", "models/truck", "--inputs", "models/truck/manoeuvres/slalom.csv", "--stop", "10", "--step", String(1 / 60))],
  ["space frame, modes", () => { const file = path.join(folder, "modes.html"); ballesta(["modes", "models/structures/space_frame", "--html", file]); return file; }],
];
const TIMES = 5;

await launch();
try {
  for (const [name, make] of PAGES) {
    const file = make();
    const rates = [];
    for (let k = 0; k < TIMES; k++) {
      const p = await open(file, { width: 1280, height: 800 });
      await p.tab.keyboard.press("Space");
      await p.tab.waitForTimeout(500);
      const [frames, begin] = [await p.get("state.frames"), Date.now()];
      await p.tab.waitForTimeout(2000);
      rates.push(((await p.get("state.frames")) - frames) / ((Date.now() - begin) / 1000));
      await p.done();
    }
    rates.sort((a, b) => a - b);
    console.log(`${name}: ${(statSync(file).size / 1e6).toFixed(2)} MB, ${rates[0].toFixed(0)} to ${rates[TIMES - 1].toFixed(0)} frames/s, median ${rates[TIMES >> 1].toFixed(0)}; load ${loadavg()[0].toFixed(1)}`);
  }
} finally {
  await close();
  rmSync(folder, { recursive: true, force: true });
}
