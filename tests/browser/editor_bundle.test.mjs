// The text editor of workshop pages: the stored bundle and its licences are those of the lock file.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const sources = path.join(root, "crates/pictures/viewer/editor");
const folder = mkdtempSync(path.join(tmpdir(), "ballesta-editor-"));
const read = (name) => readFileSync(path.join(sources, name), "utf8");
const lock = JSON.parse(read("package-lock.json"));

after(() => rmSync(folder, { recursive: true, force: true }));

test("the bundle made from the lock file is the stored one", () => {
  execFileSync(path.join(root, "scripts/editor.sh"), [folder], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  for (const name of ["codemirror.js", "LICENSES.txt"]) {
    assert.ok(readFileSync(path.join(folder, name)).equals(readFileSync(path.join(sources, name))), `${name} is not current: scripts/editor.sh`);
  }
});

test("the licences name every package of the lock file that is not only for the build", () => {
  const packages = Object.entries(lock.packages).filter(([place, { dev }]) => place && !dev);
  const expected = packages.map(([place, { version, license }]) => `${place.slice("node_modules/".length)} ${version}: ${license}`);
  const licenses = read("LICENSES.txt");
  const found = licenses.split("\n").filter((line) => /^\S+ \d+\.\d+\.\d+: /.test(line));
  // Of packages that are installed only for imports that the editor does not use, nothing is in the bundle.
  const unused = expected.filter((line) => !found.includes(line)).map((line) => line.split(" ")[0]);
  assert.deepEqual(found.filter((line) => !expected.includes(line)), []);
  assert.deepEqual(unused, ["@lezer/lr"]);
  assert.ok(packages.every(([, { license }]) => license === "MIT"));
  assert.ok(licenses.includes("Permission is hereby granted, free of charge"));
});

test("versions are exact, and the bundle runs under the policy of pages", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name);
    assert.equal(lock.packages[`node_modules/${name}`].version, version, name);
  }
  const bundle = read("codemirror.js");
  assert.ok(!/<\/script|<!--|\r/.test(bundle), "a page contains the bundle");
  assert.ok(!/\beval\(|new Function\(/.test(bundle), "the policy allows no evaluation of text");
  assert.ok(bundle.length < 450_000, `${bundle.length} bytes`);
});
