// Which constants only the second part needs. The linker's relocations say exactly which function and which constant
// points at which other constant; what no function of the first part reaches can arrive with the second.
import { Reader, functionImports, sections, segments } from "./wasm.mjs";

// Symbols in the linker's table.
const [FUNCTION, DATA, SECTION] = [0, 1, 3];
const [UNDEFINED, NAMED] = [0x10, 0x40];
// Relocations that carry an addend: addresses, and offsets in debug sections.
const ADDEND = new Set([3, 4, 5, 8, 9, 11, 14, 15, 16, 17, 21, 22, 23, 25]);
// A gap between two pieces of one part that costs less than another piece would.
const GAP = 12;

// `linked` is the linker's output, `later` the names of the functions in the second part. Answers with the address
// ranges of the first part's data and of the second's.
export function divide(linked, later) {
  const all = sections(linked);
  const memory = segments(linked, all);
  const { functions, constants, symbols } = symbolTable(linked, all, memory);
  const imported = functionImports(linked, all);

  // Who points at what: constants by index, keyed by the function's or constant's own.
  const roots = new Set();
  const points = constants.map(() => new Set());
  const code = all.find((s) => s.id === 10);
  const bodies = bodyRanges(linked, code);
  const target = (symbol) => symbols[symbol];
  for (const { offset, symbol } of relocations(linked, all, "reloc.CODE")) {
    const to = target(symbol);
    if (to === undefined) continue;
    const body = find(bodies, code.content + offset);
    const names = functions.get(imported + body) ?? [];
    // A function without a name, or with one that both parts know, counts as the first part's.
    if (names.length === 0 || !names.every((name) => later.has(name))) roots.add(to);
  }
  const data = all.find((s) => s.id === 11);
  const covering = cover(constants);
  for (const { offset, symbol } of relocations(linked, all, "reloc.DATA")) {
    const to = target(symbol);
    if (to === undefined) continue;
    const place = data.content + offset;
    const segment = memory.find((s) => s.start <= place && place < s.end);
    const owners = covering(segment.address + place - segment.start);
    if (owners.length === 0) roots.add(to);
    for (const owner of owners) points[owner].add(to);
  }
  const open = [...roots];
  while (open.length > 0) for (const next of points[open.pop()]) if (!roots.has(next)) (roots.add(next), open.push(next));

  // Bytes that belong to no constant stay in the first part.
  const low = Math.min(...memory.map((s) => s.address));
  const high = Math.max(...memory.map((s) => s.address + s.end - s.start));
  const second = new Uint8Array(high - low);
  constants.forEach(({ from, to }) => second.fill(1, from - low, to - low));
  for (const index of roots) second.fill(0, constants[index].from - low, constants[index].to - low);
  const pick = (which) =>
    memory.flatMap(({ address, start, end }) => {
      const pieces = [];
      for (let i = 0; i < end - start; i++) {
        if (second[address - low + i] !== which) continue;
        const last = pieces.at(-1);
        if (last && i - last.to <= GAP) last.to = i + 1;
        else pieces.push({ from: i, to: i + 1 });
      }
      return pieces.map(({ from, to }) => ({ address: address + from, bytes: linked.subarray(start + from, start + to) }));
    });
  return { first: pick(0), rest: pick(1) };
}

// Functions by index with all their names; constants as address ranges; symbol index → constant.
function symbolTable(bytes, all, memory) {
  const linking = all.find((s) => s.name === "linking");
  const functions = new Map();
  const constants = [];
  const symbols = [];
  const r = new Reader(bytes, linking.content);
  r.number();
  while (r.at < linking.end) {
    const kind = r.byte();
    const end = r.number() + r.at;
    for (let n = kind === 8 ? r.number() : 0, i = 0; i < n; i++) {
      const type = r.byte();
      const flags = r.number();
      if (type === DATA) {
        r.text();
        if (flags & UNDEFINED) continue;
        const [segment, offset, size] = [r.number(), r.number(), r.number()];
        // Uninitialised memory and the linker's own marks have no bytes in the file.
        if (size === 0 || !memory[segment]) continue;
        const from = memory[segment].address + offset;
        if (from + size > memory[segment].address + memory[segment].end - memory[segment].start) continue;
        symbols[i] = constants.push({ from, to: from + size }) - 1;
      } else if (type === SECTION) {
        r.number();
      } else {
        const index = r.number();
        const name = !(flags & UNDEFINED) || flags & NAMED ? r.text() : "";
        if (type === FUNCTION && !(flags & UNDEFINED)) functions.set(index, [...(functions.get(index) ?? []), name]);
      }
    }
    r.at = end;
  }
  return { functions, constants, symbols };
}

function relocations(bytes, all, name) {
  const section = all.find((s) => s.name === name);
  const r = new Reader(bytes, section.content);
  r.number();
  const found = [];
  for (let n = r.number(); n > 0; n--) {
    const type = r.byte();
    const [offset, symbol] = [r.number(), r.number()];
    if (ADDEND.has(type)) r.signed();
    if ([3, 4, 5, 11, 14, 15, 16, 17, 21, 22, 23, 25].includes(type)) found.push({ offset, symbol });
  }
  return found;
}

function bodyRanges(bytes, code) {
  const r = new Reader(bytes, code.content);
  const starts = [];
  for (let n = r.number(); n > 0; n--) {
    starts.push(r.at);
    const size = r.number();
    r.at += size;
  }
  return starts;
}

// The last start that is not behind a place.
function find(starts, place) {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= place) low = middle;
    else high = middle;
  }
  return low;
}

// Address → the constants that have this byte.
function cover(constants) {
  const SHIFT = 5;
  const buckets = new Map();
  constants.forEach(({ from, to }, index) => {
    for (let bucket = from >> SHIFT; bucket <= (to - 1) >> SHIFT; bucket++) {
      if (!buckets.has(bucket)) buckets.set(bucket, []);
      buckets.get(bucket).push(index);
    }
  });
  return (address) =>
    (buckets.get(address >> SHIFT) ?? []).filter((i) => constants[i].from <= address && address < constants[i].to);
}
