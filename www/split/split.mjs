// Splits the worker's wasm in two: what runs until the first lesson is shown and while one types into it, and the rest,
// which the worker fetches when it is idle (or at once, when it is called earlier). Which functions belong to the first
// part is found by running an instrumented worker here through exactly that. Run on dist/ after the build.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const dist = process.argv[2];
const FEATURES = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue"].map(
  (name) => `--enable-${name}`,
);
const work = mkdtempSync(join(tmpdir(), "tidepool-split-"));
const at = (name) => join(work, name);
const run = (tool, ...args) => execFileSync(tool, [...FEATURES, ...args], { stdio: ["ignore", "inherit", "inherit"] });

try {
  const whole = join(dist, "worker_bg.wasm");
  copyFileSync(join(dist, "worker.js"), at("worker.mjs"));
  run("wasm-split", "--instrument", whole, "-o", at("watched.wasm"));
  externrefs(at("watched.wasm"));
  // A process of its own: the worker believes that it is alone in its global scope.
  execFileSync(process.execPath, [join(here, "profile.mjs"), pathToFileURL(at("worker.mjs")).href, at("watched.wasm"), at("profile")], {
    stdio: "inherit",
  });
  run("wasm-split", "--split", `--profile=${at("profile")}`, whole, "-o1", at("first.wasm"), "-o2", at("rest.wasm"));
  externrefs(at("first.wasm"));
  const before = statSync(whole).size;
  run("wasm-opt", "-Oz", "--strip-debug", "--strip-producers", at("first.wasm"), "-o", whole);
  run("wasm-opt", "-Oz", "--strip-debug", "--strip-producers", at("rest.wasm"), "-o", at("rest.opt.wasm"));
  const rest = readFileSync(at("rest.opt.wasm"));
  const name = `worker_rest-${createHash("sha256").update(rest).digest("hex").slice(0, 16)}.wasm`;
  writeFileSync(join(dist, name), rest);
  writeFileSync(join(dist, "worker_rest.js"), readFileSync(join(here, "rest.js"), "utf8").replace("%rest%", name));
  glue(join(dist, "worker.js"));
  console.log(`    worker split: ${before} bytes into ${statSync(whole).size} at once and ${rest.length} later`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

// wasm-split of Binaryen 108, which Debian 12 has, exports the first table where the second is meant.
function externrefs(file) {
  const bytes = readFileSync(file);
  const name = Buffer.from("__wbindgen_externrefs");
  for (let i = bytes.indexOf(name); i > 0; i = bytes.indexOf(name, i + 1)) {
    const [kind, index] = [i + name.length, i + name.length + 1];
    if (bytes[i - 1] === name.length && bytes[kind] === 1 && bytes[index] === 0) bytes[index] = 1;
  }
  writeFileSync(file, bytes);
}

// The generated glue gets the placeholders among its imports and tells rest.js the first part's exports.
function glue(file) {
  let text = readFileSync(file, "utf8");
  const patch = (from, to) => {
    if (!text.includes(from)) throw new Error(`${file}: no ${from}; wasm-bindgen's glue has changed`);
    text = text.replaceAll(from, to);
  };
  patch("const imports = __wbg_get_imports();", "const imports = placeholders(__wbg_get_imports());");
  patch("function __wbg_finalize_init(instance, module) {", "function __wbg_finalize_init(instance, module) {\n    first(instance.exports);");
  writeFileSync(file, `import { first, placeholders } from './worker_rest.js';\n${text}`);
}
