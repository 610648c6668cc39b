// Runs an instrumented worker as the page does until the first lesson is shown and its first keys are typed, and writes
// which functions were called: node profile.mjs GLUE WASM PROFILE.
import { readFileSync, writeFileSync } from "node:fs";

const [glue, wasm, out] = process.argv.slice(2);
const said = [];
let hear;
// A worker's global scope, as far as the glue looks.
globalThis.DedicatedWorkerGlobalScope = class {
  static [Symbol.hasInstance](object) {
    return object === globalThis;
  }
};
globalThis.postMessage = (message) => said.push(message);
Object.defineProperty(globalThis, "onmessage", { set: (handler) => (hear = handler), get: () => hear });

const { initSync } = await import(glue);
const exports = initSync({ module: readFileSync(wasm) });

// The few shapes of the protocol that are needed here (postcard: numbers in groups of seven bits, texts with their length).
const number = (n) => (n > 127 ? [(n & 127) | 128, ...number(n >> 7)] : [n]);
const text = (t) => {
  const bytes = [...new TextEncoder().encode(t)];
  return [...number(bytes.length), ...bytes];
};
const OPEN_LESSON = (id) => [0, 0, ...text(id)];
const EDIT = (path, content) => [1, ...text(path), 0, ...text(content)];
const FOCUS = (path) => [5, ...text(path)];

// What a page with shared memory does: `app::letterbox`.
const memory = new SharedArrayBuffer(1 << 18);
function collect() {
  const head = new Int32Array(memory);
  if (Atomics.load(head, 0) === 0) return;
  said.push(new Uint8Array(memory.slice(8, 8 + head[1])));
  Atomics.store(head, 0, 0);
}

let id = 0;
async function ask(kind) {
  id += 1;
  const before = said.length;
  hear({ data: new Uint8Array([...number(id), ...number(id), ...kind]) });
  const reply = () => said.slice(before).find((message) => message?.[0] === 1);
  for (let i = 0; i < 500 && !reply(); i++) {
    await new Promise((done) => setTimeout(done, 10));
    collect();
  }
  // Reply { id, revision, micros, body: Update }.
  const answer = reply();
  let body = 3;
  while (answer?.[body] > 127) body += 1;
  if (!answer || answer[1] !== id || answer[body + 1] !== 0) throw new Error(`request ${id} was not answered with views`);
}

const chart = "/root/capa-src/repo/charts/web";
// Once without shared memory, once with.
await ask(OPEN_LESSON("lab-values"));
hear({ data: memory });
await ask(OPEN_LESSON("lab-values"));
await ask(FOCUS(`${chart}/values-prod.yaml`));
await ask(EDIT(`${chart}/values-prod.yaml`, "replicaCount: 3\ngreeting: hello\n"));
const deployment = (replicas) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-web
spec:
  replicas: {{ ${replicas} }}
`;
await ask(EDIT(`${chart}/templates/deployment.yaml`, deployment(".Values.replicaCount")));
await ask(EDIT(`${chart}/templates/deployment.yaml`, deployment(".Values.")));
await ask(EDIT(`${chart}/templates/deployment.yaml`, "a: [\n"));

const size = exports.__write_profile(0, 0);
const place = exports.memory.grow(Math.ceil(size / 65536) + 1) * 65536;
exports.__write_profile(place, size);
writeFileSync(out, new Uint8Array(exports.memory.buffer, place, size));
process.exit(0);
