// Pictures of five models at two times against those in `golden`; BALLESTA_REWRITE=1 writes them anew.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { PNG, close, difference, launch, open, page, root } from "./support.mjs";

before(launch);
after(close);

const CASES = [
  ["four_bar", [0, 3.3], []],
  ["bricard", [0, 1.2], []],
  ["spinup_beam", [0, 7], []],
  ["van", [0, 2], []],
  ["driven_arm", [1.6], []],
];
const GOLDEN = path.join(root, "tests/browser/golden");

for (const [model, times, further] of CASES) {
  for (const time of times) {
    test(`${model} at ${time} s looks as before`, async () => {
      const p = await open(page("run", `models/${model}`, ...further), { width: 900, height: 520 });
      if (!(await p.get("document.getElementById(\"tree\").hidden"))) await p.id("tree-toggle").click();
      await p.id("plots-toggle").click();
      await p.tab.waitForFunction(() => document.getElementById("view").clientWidth === 900);
      await p.tab.evaluate((t) => { window.page.go(t); window.page.setView("iso"); }, time);
      const picture = await p.picture();
      const file = path.join(GOLDEN, `${model}_${time}.png`);
      if (process.env.BALLESTA_REWRITE) {
        mkdirSync(GOLDEN, { recursive: true });
        writeFileSync(file, PNG.sync.write(picture, { colorType: 2 }));
      }
      assert.ok(existsSync(file), `${file} is missing: BALLESTA_REWRITE=1 writes it`);
      const differs = difference(picture, PNG.sync.read(readFileSync(file)));
      assert.ok(differs < 0.004, `${(100 * differs).toFixed(2)} % of the pixels differ`);
      await p.done();
    });
  }
}
