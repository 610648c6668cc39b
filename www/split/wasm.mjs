// Reading and writing of wasm binaries, as far as splitting needs it: sections, names, data segments, and the linker's
// symbols and relocations (https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md).

export class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }
  byte() {
    return this.bytes[this.at++];
  }
  number() {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }
  signed() {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      shift += 7;
      if (byte < 128) return shift < 32 && byte & 64 ? value | (-1 << shift) : value;
    }
  }
  text() {
    const length = this.number();
    this.at += length;
    return this.bytes.toString("utf8", this.at - length, this.at);
  }
}

export function number(value) {
  const out = [];
  for (; value > 127; value = Math.floor(value / 128)) out.push((value % 128) | 128);
  return [...out, value];
}

export function signed(value) {
  const out = [];
  for (;;) {
    const byte = value & 127;
    value >>= 7;
    if ((value === 0 && !(byte & 64)) || (value === -1 && byte & 64)) return [...out, byte];
    out.push(byte | 128);
  }
}

// The sections in order: id, name (of custom ones), and where the content lies.
export function sections(bytes) {
  const found = [];
  for (const r = new Reader(bytes, 8); r.at < bytes.length; ) {
    const from = r.at;
    const id = r.byte();
    const size = r.number();
    const start = r.at;
    const name = id === 0 ? r.text() : "";
    found.push({ id, name, from, start, content: id === 0 ? r.at : start, end: start + size });
    r.at = start + size;
  }
  return found;
}

// Names of the functions that a module defines (imports have names too and are left out).
export function defined(bytes) {
  const all = sections(bytes);
  const imported = functionImports(bytes, all);
  const names = new Map();
  const section = all.find((s) => s.name === "name");
  for (const r = new Reader(bytes, section.content); r.at < section.end; ) {
    const kind = r.byte();
    const end = r.number() + r.at;
    if (kind === 1) for (let n = r.number(); n > 0; n--) names.set(r.number(), r.text());
    r.at = end;
  }
  return [...names].filter(([index]) => index >= imported).map(([, name]) => name);
}

export function functionImports(bytes, all = sections(bytes)) {
  const section = all.find((s) => s.id === 2);
  let functions = 0;
  const r = new Reader(bytes, section?.content ?? 0);
  const limits = () => {
    const more = r.byte();
    r.number();
    if (more & 1) r.number();
  };
  for (let n = section ? r.number() : 0; n > 0; n--) {
    r.text();
    r.text();
    const kind = r.byte();
    if (kind === 0) [functions] = [functions + 1, r.number()];
    else if (kind === 1) [r.byte(), limits()];
    else if (kind === 2) limits();
    else [r.byte(), r.byte()];
  }
  return functions;
}

// The active data segments: address, and where their bytes lie.
export function segments(bytes, all = sections(bytes)) {
  const section = all.find((s) => s.id === 11);
  const r = new Reader(bytes, section.content);
  const found = [];
  for (let n = r.number(); n > 0; n--) {
    if (r.byte() !== 0 || r.byte() !== 0x41) throw new Error("a data segment that is not at a constant address");
    const address = r.signed();
    r.byte();
    const length = r.number();
    found.push({ address, start: r.at, end: r.at + length });
    r.at += length;
  }
  return found;
}

// A module without these custom sections.
export function without(bytes, names) {
  const kept = sections(bytes).filter((s) => s.id !== 0 || !names.includes(s.name));
  return Buffer.concat([bytes.subarray(0, 8), ...kept.map((s) => bytes.subarray(s.from, s.end))]);
}

// A module with other data: pieces of { address, bytes }.
export function withData(bytes, pieces) {
  const content = [Buffer.from(number(pieces.length))];
  for (const piece of pieces) {
    content.push(Buffer.from([0, 0x41, ...signed(piece.address), 0x0b, ...number(piece.bytes.length)]), piece.bytes);
  }
  const data = section(11, Buffer.concat(content));
  const out = [bytes.subarray(0, 8)];
  let placed = false;
  for (const s of sections(bytes)) {
    // Data come after code and before custom sections.
    if (s.id === 11 || (s.id === 0 && !placed && s.name === "name")) {
      if (!placed) out.push(data);
      placed = true;
      if (s.id === 11) continue;
    }
    out.push(s.id === 12 ? section(12, Buffer.from(number(pieces.length))) : bytes.subarray(s.from, s.end));
  }
  if (!placed) out.push(data);
  return Buffer.concat(out);
}

const section = (id, content) => Buffer.concat([Buffer.from([id, ...number(content.length)]), content]);
