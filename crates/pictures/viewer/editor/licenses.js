// Prints the licences of the packages in a bundle, from the description that esbuild writes of its parts. Not bundled.

import { existsSync, readFileSync } from "node:fs";

const parts = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const names = new Set(Object.keys(parts.inputs).flatMap((file) => /^(node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []));
const texts = new Map();
console.log("Packages of npm in the text editor of workshop pages (codemirror.js).\n");
for (const folder of [...names].sort()) {
  const { version, license } = packages[folder];
  const name = folder.slice("node_modules/".length);
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((end) => `${folder}/${end}`).find(existsSync);
  if (license !== "MIT" || !file) throw new Error(`${name} (${license}): decide how to pass its licence on`);
  console.log(`${name} ${version}: ${license}`);
  const text = readFileSync(file, "utf8").split("\n").map((line) => line.trimEnd()).join("\n").trim();
  texts.set(text, [...(texts.get(text) ?? []), name]);
}
for (const [text, users] of texts) console.log(`\n${"-".repeat(100)}\n${users.join(", ")}\n\n${text}`);
