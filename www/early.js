// Runs before anything else has loaded: sets theme and language so that nothing flashes, and starts the worker while
// the page's own wasm is still on its way. The page takes the worker over together with what it said meanwhile.
(() => {
  const query = new URLSearchParams(location.search);
  const kept = (name) => {
    try {
      return localStorage.getItem("tidepool/" + name);
    } catch {
      return null;
    }
  };
  const theme = query.get("theme") ?? kept("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const lang = query.get("lang") ?? kept("lang") ?? navigator.language;
  document.documentElement.lang = /^ko\b/i.test(lang) ? "ko" : "en";
  try {
    const worker = new Worker("./worker_loader.js", { type: "module" });
    const early = { worker, messages: [], failed: "" };
    worker.onmessage = (event) => early.messages.push(event.data);
    worker.onerror = (event) => {
      early.failed = event.message || "the worker could not be loaded";
    };
    window.__tidepoolEarly = early;
  } catch {
    // The page tries again and reports it.
  }
})();
