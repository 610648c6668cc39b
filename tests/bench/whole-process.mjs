// Times `tidepool helm template` against `helm template` on one chart: A B A B …, one value changed at each turn, so that no
// answer can be reused. Prints the medians, the ratio pair by pair, and the peak memory of each.
import { spawnSync } from "node:child_process";

const [tidepool, helm, chart] = process.argv.slice(2);
const RUNS = 40;
const run = (command, words, n) => {
  const args = [...words, "template", "bench", chart, "--set", `replicaCount=${n}`, "--set", `bench.turn=t${n}`];
  const start = process.hrtime.bigint();
  const done = spawnSync(command, args, { maxBuffer: 1 << 28 });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (done.status !== 0) throw new Error(`${command}: ${done.stderr}`);
  return { ms, out: done.stdout.toString() };
};
const firstDifference = (a, b) => {
  const [x, y] = [a.split("\n"), b.split("\n")];
  const at = x.findIndex((line, i) => line !== y[i]);
  return `line ${at + 1}: ${JSON.stringify(x[at])} against ${JSON.stringify(y[at])}`;
};
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const times = { tidepool: [], helm: [], ratio: [] };
for (let n = 0; n < RUNS + 3; n += 1) {
  const a = run(tidepool, ["helm"], n);
  const b = run(helm, [], n);
  if (a.out !== b.out) throw new Error(`the two outputs differ at turn ${n}:\n${firstDifference(a.out, b.out)}`);
  if (n < 3) continue; // warm-up
  times.tidepool.push(a.ms);
  times.helm.push(b.ms);
  times.ratio.push(b.ms / a.ms);
}
const peak = (command, words) =>
  spawnSync("/usr/bin/env", ["bash", "-c", `command -v /usr/bin/time >/dev/null && /usr/bin/time -f %M "$@" 2>&1 >/dev/null | tail -1`, "x", command, ...words, "template", "bench", chart]).stdout.toString().trim();
console.log(`tidepool ${median(times.tidepool).toFixed(2)} ms, helm ${median(times.helm).toFixed(2)} ms (medians of ${RUNS})`);
console.log(`ratio ${median(times.ratio).toFixed(1)}x (min ${Math.min(...times.ratio).toFixed(1)}, max ${Math.max(...times.ratio).toFixed(1)})`);
console.log(`peak KiB: tidepool ${peak(tidepool, ["helm"]) || "?"}, helm ${peak(helm, []) || "?"}`);
