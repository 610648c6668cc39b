// Runs every tests/browser/*.test.mjs in turn against dist/, served under a sub-path as a static host would.
// A test file exports `tests`: { name: async ({ page, browser, base, shot }) => … }; a thrown error is a failure.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { readdirSync, readFileSync, existsSync, statSync } from "node:fs";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const dist = process.env.DIST ?? join(here, "..", "..", "dist");
const out = join(here, "..", "out");
const { chromium } = createRequire(join(process.env.NODE_TOOLS, "package.json"))("playwright-core");

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".json": "application/json", ".woff2": "font/woff2" };
// What scripts/serve sends too. Below /bare/ without: a host that cannot set headers.
const ISOLATED = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const server = createServer((request, response) => {
  const asked = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
  const bare = asked.startsWith("/bare/");
  const path = asked.replace(/^\/(sub|bare)\/path/, "");
  let file = join(dist, path);
  if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", ...(bare ? {} : ISOLATED) }).end(readFileSync(file));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${server.address().port}/sub/path/`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
let passed = 0, failed = 0;
const only = process.argv.slice(2);
for (const file of readdirSync(here).filter((f) => f.endsWith(".test.mjs")).sort()) {
  const { tests } = await import(pathToFileURL(join(here, file)));
  for (const [name, test] of Object.entries(tests)) {
    if (only.length && !only.some((o) => `${file} ${name}`.includes(o))) continue;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    const problems = [];
    page.on("pageerror", (e) => problems.push(String(e)));
    page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
    const start = Date.now();
    const shot = (label, target = page) => target.screenshot({ path: join(out, `${file.replace(".test.mjs", "")}-${label}.png`) });
    try {
      await test({ page, context, browser, base, bare: base.replace("/sub/", "/bare/"), shot, problems });
      if (problems.length) throw new Error(`the page reported: ${problems.join(" | ")}`);
      passed += 1;
      console.log(`ok   ${file} ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      await shot(`FAILED-${name.replace(/\W+/g, "-")}`).catch(() => {});
      console.log(`FAIL ${file} ${name} (${Date.now() - start} ms)\n${String(error.stack ?? error).split("\n").slice(0, 12).join("\n")}`);
    }
    await context.close();
  }
}
await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
