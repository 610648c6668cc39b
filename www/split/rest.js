// The second part of the worker's wasm. The first part imports a placeholder for every function that it lacks; the second
// part, once it is there, puts the functions into the table that both share, over the placeholders.
const REST = new URL("./%rest%", import.meta.url);
// Milliseconds from the first request to the fetch, so that the page has the line for itself while it shows the lesson.
const IDLE = 800;
let primary;
let joined = false;

export const first = (exports) => {
  primary = exports;
};

export const placeholders = (imports) => {
  const call = (slot) => (...args) => {
    join(compileNow);
    return primary.table.get(slot)(...args);
  };
  imports.placeholder = new Proxy({}, { get: (_, slot) => call(Number(slot)) });
  return imports;
};

function join(module) {
  if (joined) return;
  new WebAssembly.Instance(module(), { primary });
  joined = true;
}

// Somebody calls before the fetch is done: a worker may wait.
function compileNow() {
  const request = new XMLHttpRequest();
  request.open("GET", REST, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`${REST}: ${request.status}`);
  return new WebAssembly.Module(request.response);
}

addEventListener(
  "message",
  () =>
    setTimeout(async () => {
      try {
        const module = await WebAssembly.compileStreaming(fetch(REST));
        join(() => module);
      } catch {
        // Tried again when it is needed, and reported then.
      }
    }, IDLE),
  { once: true },
);
