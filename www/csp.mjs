// After a build: puts the hash of each inline script into the page's Content-Security-Policy, so that nothing else
// inline may ever run. Run by Trunk with its staging folder in the environment.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = join(process.env.TRUNK_STAGING_DIR, "index.html");
const html = readFileSync(file, "utf8");
const hashes = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
  ([, body]) => `'sha256-${createHash("sha256").update(body).digest("base64")}'`,
);
writeFileSync(file, html.replace("%inline%", hashes.join(" ")));
