// Splits the worker's wasm in two: what runs until the first lesson is shown and while one types into it, and the rest,
// which the worker fetches when it is idle (or at once, when it is called earlier). Which functions belong to the first
// part is found by running an instrumented worker here through exactly that. Run on dist/ after the build.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { divide } from "./data.mjs";
import { defined, withData, without } from "./wasm.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [dist, linked] = process.argv.slice(2);
const FEATURES = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue"].map(
  (name) => `--enable-${name}`,
);
const work = mkdtempSync(join(tmpdir(), "tidepool-split-"));
const at = (name) => join(work, name);
const run = (tool, ...args) => execFileSync(tool, [...FEATURES, ...args], { stdio: ["ignore", "inherit", "inherit"] });

try {
  // Not yet optimised, so that every function still is what the linker's relocations speak of.
  const glue = ["--target", "web", "--no-typescript", "--keep-debug", "--no-demangle", "--out-name", "worker"];
  execFileSync("wasm-bindgen", [...glue, "--out-dir", work, linked], { stdio: "inherit" });
  const whole = at("worker_bg.wasm");
  // The linker's notes no longer fit this module.
  writeFileSync(whole, without(readFileSync(whole), ["linking", "reloc.CODE", "reloc.DATA"]));
  run("wasm-split", "-g", "--instrument", whole, "-o", at("watched.wasm"));
  externrefs(at("watched.wasm"));
  // A process of its own: the worker believes that it is alone in its global scope.
  writeFileSync(at("worker.mjs"), readFileSync(at("worker.js")));
  execFileSync(process.execPath, [join(here, "profile.mjs"), pathToFileURL(at("worker.mjs")).href, at("watched.wasm"), at("profile")], {
    stdio: "inherit",
  });
  const split = (...args) => run("wasm-split", ...args, "--split", `--profile=${at("profile")}`, whole, "-o1", at("first.wasm"), "-o2", at("rest.wasm"));
  // Once with names, to know which function went where, and once without, as they would become names of exports.
  split("-g");
  const inFirst = new Set(defined(readFileSync(at("first.wasm"))));
  const later = new Set(defined(readFileSync(at("rest.wasm"))).filter((name) => !inFirst.has(name)));
  split();
  externrefs(at("first.wasm"));
  const data = divide(readFileSync(linked), later);
  const finish = (name, pieces) => {
    writeFileSync(at(name), withData(readFileSync(at(name)), pieces));
    run("wasm-opt", "-Oz", "--strip-debug", "--strip-producers", at(name), "-o", at(`small-${name}`));
    return readFileSync(at(`small-${name}`));
  };
  const first = finish("first.wasm", data.first);
  writeFileSync(join(dist, "worker_bg.wasm"), first);
  const rest = finish("rest.wasm", data.rest);
  const name = `worker_rest-${createHash("sha256").update(rest).digest("hex").slice(0, 16)}.wasm`;
  writeFileSync(join(dist, name), rest);
  writeFileSync(join(dist, "worker_rest.js"), readFileSync(join(here, "rest.js"), "utf8").replace("%rest%", name));
  writeFileSync(join(dist, "worker.js"), withPlaceholders(readFileSync(at("worker.js"), "utf8")));
  console.log(`    worker split: ${first.length} bytes at once, ${rest.length} later`);
} finally {
  if (!process.env.KEEP) rmSync(work, { recursive: true, force: true });
  else console.log(work);
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
function withPlaceholders(glue) {
  const patch = (from, to) => {
    if (!glue.includes(from)) throw new Error(`worker.js: no ${from}; wasm-bindgen's glue has changed`);
    glue = glue.replaceAll(from, to);
  };
  patch("const imports = __wbg_get_imports();", "const imports = placeholders(__wbg_get_imports());");
  const begin = "function __wbg_finalize_init(instance, module) {";
  patch(begin, `${begin}\n    first(instance.exports);`);
  return `import { first, placeholders } from './worker_rest.js';\n${glue}`;
}
