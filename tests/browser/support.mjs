// Pages written by the program, opened in Chromium.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { refresh } from "./refresh.mjs";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const target = path.resolve(root, process.env.CARGO_TARGET_DIR || "target");
export const program = path.join(target, "release/ballesta");
const require = createRequire(path.join(root, "target/browser/"));
const { chromium } = require("playwright-core");
export const { PNG } = require("pngjs");

export const folder = mkdtempSync(path.join(tmpdir(), "ballesta-page-"));

/** Runs the program in the folder of the tests; with `fails` it has to end with that exit code. */
export function ballesta(args, fails = 0) {
  try {
    execFileSync(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    if (error.status !== fails) throw error;
  }
}

const written = new Map();
/** A page of a model, written once: `run` or `view`, and further arguments. */
export function page(command, model, ...further) {
  const key = [command, model, ...further].join(" ");
  if (!written.has(key)) {
    const file = path.join(folder, `page${written.size}.html`);
    ballesta([command, model, command === "run" ? "--html" : "-o", file, ...further]);
    written.set(key, file);
  }
  return written.get(key);
}

export function textFile(name, text) {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const FLAGS = [
  "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
];
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

let browser = null;
export async function launch() {
  const executablePath = process.env.CHROMIUM || BROWSERS.find((file) => existsSync(file));
  browser = await chromium.launch({ executablePath, args: FLAGS });
}

/** A browser context without stored data. */
export const context = (options = {}) => browser.newContext(options);

export async function close() {
  await browser.close();
}

/** Opens a page from disk; what it says on the console, errors and requests for anything else are collected. */
export async function open(file, { width = 1200, height = 720, dark = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", offline: true });
  const tab = await context.newPage();
  const said = [];
  tab.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  tab.on("pageerror", (error) => said.push(String(error)));
  tab.on("dialog", (dialog) => { said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  tab.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) said.push(`asks for ${request.url()}`); });
  if (process.env.BALLESTA_VIEWER) refresh(file);
  await tab.goto(pathToFileURL(file).href);
  await tab.waitForFunction(() => window.page && window.page.state.frames > 0);
  const id = (name) => tab.locator(`#${name}`);
  /** The picture once nothing is left to draw. */
  const picture = async () => {
    await tab.waitForFunction(() => !window.page.state.dirty);
    const url = await tab.evaluate(() => window.page.picture());
    return PNG.sync.read(Buffer.from(url.split(",")[1], "base64"));
  };
  const get = (expression) => tab.evaluate(`(() => { const { page } = window; const { motion, camera, state, panel, plots, drawing, data, renderer } = page; return ${expression}; })()`);
  return { tab, said, id, picture, get, done: () => context.close() };
}

/** Part of the pixels that differ by more than `by` of 255 in a channel. */
export function difference(a, b, by = 40) {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  for (let i = 0; i < a.data.length; i += 4) {
    if ([0, 1, 2].some((k) => Math.abs(a.data[i + k] - b.data[i + k]) > by)) count++;
  }
  return count / (a.width * a.height);
}

/** Part of the pixels for which `is` holds, of red, green, blue. */
export function share(picture, is) {
  let count = 0;
  for (let i = 0; i < picture.data.length; i += 4) if (is(picture.data[i], picture.data[i + 1], picture.data[i + 2])) count++;
  return count / (picture.width * picture.height);
}

export const orange = (r, g, b) => r > 150 && g > 40 && g < 0.62 * r && b < 0.35 * r;
