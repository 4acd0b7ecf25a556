// Opens pages of the site from disk and from a local server: fails on console messages, errors and requests for anything outside of
// the site, and if a saved replay needs files of the site. `node tests/browser/site.mjs [--all] [FOLDER [PAGE ...]]`; without --all and
// PAGE one page of every kind and a sample of the gallery.
// Needs target/browser, which ./test.sh installs, and a site made by scripts/site.sh (FOLDER: dist/site).

import { createServer } from "node:http";
import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { context, launch, close, folder, open, root } from "./support.mjs";

const all = process.argv.includes("--all");
const [typed, ...chosen] = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const site = path.resolve(typed || path.join(root, "dist/site"));
if (!existsSync(path.join(site, "index.html"))) {
  console.error(`error: ${site} has no index.html; scripts/site.sh makes the site`);
  process.exit(2);
}
/** Also enough on a machine with other work. */
const TIMEOUT_MS = 120000;
const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", webp: "image/webp", png: "image/png", svg: "image/svg+xml", woff2: "font/woff2", txt: "text/plain" };

/** Serves the site with types, without compression; `sent` counts the bytes of the present page. */
let sent = 0;
const server = createServer((request, response) => {
  const file = path.join(site, decodeURIComponent(new URL(request.url, "http://x").pathname));
  if (!file.startsWith(site + path.sep) || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
  const body = readFileSync(file);
  sent += body.length;
  response.writeHead(200, { "content-type": TYPES[path.extname(file).slice(1)] || "application/octet-stream" }).end(body);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const addresses = { disk: (page) => pathToFileURL(path.join(site, page)).href, server: (page) => `http://127.0.0.1:${server.address().port}/${page}` };

/** Whether the program of a page runs: a live page has its first frame of the solver, the workshop its choice of models. */
const ready = (page) => {
  if (page === "workshop.html") return () => document.querySelector("dialog[open] button") !== null && window.page !== undefined;
  if (page.startsWith("gallery/structure_")) return () => window.page && window.page.state.frames > 0;
  if (page.startsWith("gallery/")) return () => window.page && window.page.state.frames > 0 && window.page.live && window.page.live.opened;
  return () => document.readyState === "complete" && performance.getEntriesByName("first-contentful-paint").length > 0;
};

/** A replay that a page saves runs without the other files of the site. */
async function replayAlone(page) {
  const own = await context({ offline: true });
  const tab = await own.newPage();
  await tab.goto(addresses.disk(page));
  if (page === "workshop.html") await tab.locator("#templates .card", { hasText: "One body with a joint" }).click();
  await tab.waitForFunction(() => window.page && window.page.live && window.page.live.opened);
  await tab.locator("#play").click();
  await tab.waitForTimeout(1500);
  const download = tab.waitForEvent("download");
  await tab.locator("#save-replay").click();
  const file = path.join(folder, "replay.html");
  copyFileSync(await (await download).path(), file);
  await own.close();
  if (/ src=/.test(readFileSync(file, "utf8").replace(/<script[^]*?<\/script>/g, (script) => script.slice(0, 200)))) return ["its replay loads a file"];
  const replay = await open(file);
  const said = [...replay.said];
  if ((await replay.get("data.kind")) !== "run") said.push("its replay is not that of a run");
  await replay.done();
  return said;
}

/** Pages below a folder of the site. */
const below = (folder) => readdirSync(path.join(site, folder), { recursive: true }).filter((name) => name.endsWith(".html"))
  .map((name) => path.join(folder, name)).sort();
const sample = below("").filter((page) => all || !page.includes("/") || ["book/index.html", "book/gallery.html", "book/python-reference.html"].includes(page)
  || /^gallery\/(van|four_bar|walker|flexible_slider_crank|structure_truss)\.html$/.test(page));
const pages = chosen.length > 0 ? chosen : sample;

await launch();
const faults = [];
const times = [];
for (const [from, address] of Object.entries(addresses)) {
  for (const page of pages) {
    const own = await context();
    const tab = await own.newPage();
    const said = [];
    tab.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
    tab.on("pageerror", (error) => said.push(String(error)));
    tab.on("requestfailed", (request) => said.push(`fails to load ${request.url()}`));
    const origin = from === "disk" ? pathToFileURL(site).href : `http://127.0.0.1:${server.address().port}`;
    tab.on("request", (request) => { if (!request.url().startsWith(`${origin}/`) && !/^(data|blob):/.test(request.url())) said.push(`asks for ${request.url()}`); });
    const begun = performance.now();
    sent = 0;
    try {
      await tab.goto(address(page), { timeout: TIMEOUT_MS });
      await tab.waitForFunction(ready(page), undefined, { timeout: TIMEOUT_MS });
    } catch (error) {
      said.push(error.message.split("\n")[0]);
    }
    const ms = Math.round(performance.now() - begun);
    const painted = await tab.evaluate(() => performance.getEntriesByName("first-contentful-paint").map((entry) => Math.round(entry.startTime))[0]).catch(() => NaN);
    times.push({ from, page, ms, painted, sent });
    if (times.length % 50 === 0) console.log(`${times.length} of ${2 * pages.length} pages`);
    faults.push(...said.map((text) => `${page} from ${from}: ${text}`));
    await own.close();
  }
}
for (const page of ["gallery/four_bar.html", "workshop.html"].filter((page) => pages.includes(page))) {
  const said = await replayAlone(page).catch((error) => [error.message]);
  faults.push(...said.map((text) => `replay of ${page}: ${text}`));
}
await close();
server.close();
rmSync(folder, { recursive: true, force: true });

for (const from of Object.keys(addresses)) {
  const own = times.filter((row) => row.from === from).sort((a, b) => a.ms - b.ms);
  console.log(`${from}: ${own.length} pages, median ${own[own.length >> 1].ms} ms, slowest ${own.at(-1).page} ${own.at(-1).ms} ms`);
  for (const { page, ms, painted, sent: bytes } of own.filter((row) => /^(index|workshop|gallery|book\/index)\.html$|gallery\/(van|truck|four_bar)\.html/.test(row.page))) {
    console.log(`  ${page}: first paint after ${painted} ms, ready after ${ms} ms${from === "server" ? `, ${(bytes / 1e6).toFixed(2)} MB` : ""}`);
  }
}
console.log(`${faults.length} faults`);
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
