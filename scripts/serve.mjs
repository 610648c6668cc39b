// Serves a folder on this machine: node serve.mjs FOLDER PORT. With the two headers that let the page share memory with
// its worker; any static host that can set them should (www/_headers), all others work without.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const sirv = createRequire(join(process.env.NODE_TOOLS, "package.json"))("sirv");
const [folder, port] = process.argv.slice(2);
const files = sirv(folder, {
  gzip: true,
  etag: true,
  setHeaders: (response) => {
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
  },
});
const server = createServer((request, response) => files(request, response, () => response.writeHead(404).end()));
server.on("error", (error) => {
  console.error(`error: ${error.message}`);
  process.exit(1);
});
server.listen(Number(port), "127.0.0.1", () => console.log(`\x1b[1m==>\x1b[0m Tidepool: http://127.0.0.1:${port}/   (Ctrl-C stops)`));
