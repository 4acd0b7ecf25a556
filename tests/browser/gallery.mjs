// Thumbnails of all models, contact scenes and structures from their pages (docs/pictures/gallery), the page that shows the models
// (docs/gallery.md), the moving pictures of the README (docs/pictures/hero.webp) and the site (scripts/site), and the thumbnails of the
// templates in workshop pages (crates/pictures/viewer/templates): scripts/gallery.sh [NAME …].

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ballesta, close, folder, launch, open, page, root } from "./support.mjs";

const COLUMNS = 4;
/** Where a model is seen at another instant than a third of its run, s. */
const TIMES = { van: 2.2, truck: 5, spinup_beam: 7, four_bar: 3.3, hammer: 0.3 };
const ARGUMENTS = {
  van: ["--inputs", "models/van/manoeuvres/double_lane_change.csv"],
  truck: ["--inputs", "models/truck/manoeuvres/slalom.csv", "--stop", "8", "--step", String(1 / 60)],
  "contacts/walker": ["--inputs", "models/contacts/walker_gait.csv"],
};
const PICTURES = path.join(root, "docs/pictures/gallery");
/** Templates of models: time of the picture, s, and inputs of the run. They are part of every workshop page, so they are small. */
const TEMPLATES = {
  pendulum: [0.35], "four-bar": [0.6], "quarter-car": [1.2], "robot-arm": [0.8], vehicle: [2.2, "double_lane_change.csv"], car: [1], "flexible-link": [0.3],
};
const TEMPLATE_PICTURES = path.join(root, "crates/pictures/viewer/templates");

const webp = (p, quality) => p.tab.evaluate((q) => { window.page.picture(); return document.getElementById("view").toDataURL("image/webp", q).split(",")[1]; }, quality);

/** Nothing but the view, without plots and tree. */
async function bare(p, width) {
  for (const id of ["tree", "plots"]) if (!(await p.get(`document.getElementById("${id}").hidden`))) await p.id(`${id}-toggle`).click();
  await p.tab.waitForFunction((wide) => document.getElementById("view").clientWidth === wide, width);
}

/** Writes the picture of the page of a run at a time; without a time after a third of the run. */
async function thumbnail(run, file, time, { width = 400, height = 380, quality = 0.82 } = {}) {
  const p = await open(run, { width, height });
  await bare(p, width);
  const at = time === undefined ? await p.get("motion.start + (motion.stop - motion.start) / 3") : time;
  await p.tab.evaluate((t) => { window.page.go(t); window.page.setView("iso"); }, at);
  await p.picture();
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, Buffer.from(await webp(p, quality), "base64"));
  if (p.said.length > 0) throw new Error(`${file}: ${p.said.join("\n")}`);
  await p.done();
  console.log(path.relative(root, file));
}

/** The page of a run, or the mode shapes of a structure. */
function subject(name) {
  if (!name.startsWith("structures/")) return page("run", `models/${name}${name.includes("/") ? ".toml" : ""}`, ...(ARGUMENTS[name] || []));
  const file = path.join(folder, "structure.html");
  ballesta(["modes", `models/${name}`, "--html", file]);
  return file;
}

/** The page of a run of a template. */
function templatePage(name, inputs) {
  const made = path.join(folder, name);
  if (!existsSync(made)) ballesta(["new", name, "-o", made]);
  return page("run", made, ...(inputs ? ["--inputs", path.join(made, inputs)] : []));
}

/** An animation of WebP pictures of one size (RIFF container: VP8X, ANIM, a chunk ANMF per picture). */
function animation(pictures, width, height, milliseconds) {
  const chunk = (name, ...parts) => {
    const body = Buffer.concat(parts);
    const head = Buffer.alloc(8);
    head.write(name, 0, "ascii");
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
  };
  const three = (...numbers) => Buffer.concat(numbers.map((number) => { const out = Buffer.alloc(4); out.writeUInt32LE(number); return out.subarray(0, 3); }));
  const frames = pictures.map((picture) => {
    // Behind `RIFF`, size and `WEBP` its chunks; the one with the picture is taken over as it is.
    let at = 12;
    while (!picture.toString("ascii", at, at + 4).startsWith("VP8 ")) at += 8 + picture.readUInt32LE(at + 4) + (picture.readUInt32LE(at + 4) % 2);
    const size = picture.readUInt32LE(at + 4);
    return chunk("ANMF", three(0, 0, width - 1, height - 1, milliseconds), Buffer.from([2]), picture.subarray(at, at + 8 + size + (size % 2)));
  });
  const body = Buffer.concat([
    Buffer.from("WEBP"), chunk("VP8X", Buffer.from([2, 0, 0, 0]), three(width - 1, height - 1)), chunk("ANIM", Buffer.alloc(4, 255), Buffer.alloc(2)), ...frames,
  ]);
  return chunk("RIFF", body);
}

/** The van in a double lane change, seen from a camera that goes along. */
async function hero(name, { width = 720, height = 400, frames = 66, quality = 0.62, dark = false, still = false } = {}) {
  const milliseconds = 66;
  const p = await open(page("run", "models/van", ...ARGUMENTS.van), { width, height: height + 106, dark });
  await bare(p, width);
  await p.tab.evaluate(() => { window.page.go(1.2); window.page.setView("iso"); });
  const tall = await p.get("document.getElementById('view').clientHeight");
  const pictures = [];
  for (let k = 0; k < frames; k++) {
    await p.tab.evaluate(([time, turn]) => {
      const { camera } = window.page;
      [camera.azimuth, camera.elevation] = [-1 + turn, 0.24];
      if (turn === 0) camera.distance *= 1.05;
      window.page.go(time);
    }, [1.2 + (k * milliseconds) / 1000, 0.5 * Math.sin((Math.PI * k) / frames)]);
    pictures.push(Buffer.from(await webp(p, quality), "base64"));
  }
  const data = animation(pictures, width, tall, milliseconds);
  writeFileSync(path.join(root, `${name}.webp`), data);
  console.log(`${name}.webp: ${width} x ${tall}, ${data.length} bytes`);
  // For readers who prefer pages without motion.
  if (still) writeFileSync(path.join(root, `${name}_still.webp`), pictures[frames >> 1]);
  await p.done();
}

function index(names) {
  const cell = (name) => `[![${name}](pictures/gallery/${name}.webp)](../models/${name}/model.toml)<br>${name}`;
  const rows = [];
  for (let k = 0; k < names.length; k += COLUMNS) {
    const cells = names.slice(k, k + COLUMNS).map(cell);
    while (cells.length < COLUMNS) cells.push("");
    rows.push(`| ${cells.join(" | ")} |`);
  }
  return `# Gallery

Each picture shows a model after a third of its run, on the page of \`ballesta run models/NAME --html NAME.html\`.
[models/README.md](../models/README.md) describes the models. \`scripts/gallery.sh\` generates this page.

|${" |".repeat(COLUMNS)}
|${"---|".repeat(COLUMNS)}
${rows.join("\n")}
`;
}

const inModels = (under, is) => readdirSync(path.join(root, "models", under), { withFileTypes: true }).filter(is).map((entry) => entry.name).sort();
const holds = (under, file) => (entry) => entry.isDirectory() && readdirSync(path.join(root, "models", under, entry.name)).includes(file);
const names = inModels("", holds("", "model.toml"));
const further = [
  ...inModels("contacts", (entry) => entry.isFile() && entry.name.endsWith(".toml")).map((name) => `contacts/${name.slice(0, -5)}`),
  ...inModels("structures", holds("structures", "structure.toml")).map((name) => `structures/${name}`),
];
const wanted = process.argv.slice(2);
const makes = (name) => wanted.length === 0 || wanted.includes(name);
await launch();
try {
  for (const name of [...names, ...further].filter(makes)) await thumbnail(subject(name), path.join(PICTURES, `${name}.webp`), TIMES[name]);
  for (const [name, [time, inputs]] of Object.entries(TEMPLATES)) {
    if (makes("templates")) await thumbnail(templatePage(name, inputs), path.join(TEMPLATE_PICTURES, `${name}.webp`), time, { width: 360, height: 330, quality: 0.76 });
  }
  if (makes("hero")) await hero("docs/pictures/hero");
  if (makes("site")) for (const dark of [false, true]) await hero(dark ? "scripts/site/hero_dark" : "scripts/site/hero", { width: 640, frames: 44, quality: 0.5, dark, still: true });
  writeFileSync(path.join(root, "docs/gallery.md"), index(names));
} finally {
  await close();
  rmSync(folder, { recursive: true, force: true });
}
