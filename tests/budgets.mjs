// Size budgets: what a first visit fetches from dist/, compressed with gzip -9, against tests/budgets.json.
// `limit` is where we are, and the check fails above it; `goal` is where we want to be, and is only reported. A change that
// makes something smaller lowers the limit. Everything in dist/ is fetched by a first visit today.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "..", "dist");
const { gzip: budgets } = JSON.parse(readFileSync(join(here, "budgets.json"), "utf8"));

const walk = (dir) =>
  readdirSync(dir, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? walk(join(dir, e.name)) : [join(dir, e.name)]));
const sizes = walk(dist)
  .filter((f) => !/\.(gz|br)$/.test(f) && !basename(f).startsWith("."))
  .map((f) => [relative(dist, f), gzipSync(readFileSync(f), { level: 9 }).length]);

let bad = 0;
for (const [name, { match, limit, goal }] of Object.entries(budgets)) {
  const found = sizes.filter(([f]) => new RegExp(match).test(basename(f)));
  const sum = found.reduce((n, [, s]) => n + s, 0);
  const fits = found.length > 0 && sum <= limit;
  if (!fits) bad += 1;
  const verdict = found.length === 0 ? "nothing matched" : sum > goal ? `${(sum / goal).toFixed(2)} of the goal` : "within the goal";
  console.log(`${fits ? "ok  " : "OVER"} ${name}: ${sum} bytes gzip, limit ${limit}, goal ${goal} (${verdict})`);
  if (!fits) for (const [f, s] of found) console.log(`       ${s} ${f}`);
}
console.log(`${Object.keys(budgets).length - bad} passed, ${bad} failed`);
process.exit(bad ? 1 : 0);
