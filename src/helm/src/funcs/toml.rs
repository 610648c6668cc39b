//! `toToml` as BurntSushi/toml 1.6 encodes: direct members first, then tables and arrays of tables, indented by two
//! spaces a level; `fromToml` reads with [`tomlread`].

use super::args::{Res, ok, panic, text};
use super::gotime::Instant;
use super::tomlread::{self, Fault};
use gotmpl::{Call, Data, FuncError, Heap, Key, Kind, Value};
use std::fmt::Write;

const TOO_DEEP: &str = "value is nested too deeply for TOML";

pub(super) fn to_toml(call: &mut Call<'_>, args: &[Value]) -> Res {
    match encode(call.heap, args[0]) {
        Ok(out) => text(call, out),
        Err(FuncError::Message(error)) => text(call, error),
        Err(error) => Err(error),
    }
}

pub(super) fn must_to_toml(call: &mut Call<'_>, args: &[Value]) -> Res {
    let out = encode(call.heap, args[0])?;
    text(call, out)
}

pub(super) fn from_toml(call: &mut Call<'_>, args: &[Value]) -> Res {
    let source = call.heap.bytes(args[0]).to_vec();
    call.heap.spend(source.len() as u64 / 8)?;
    match tomlread::read(call.heap, &source) {
        Ok(map) => ok(map),
        Err(Fault::Known(error)) => {
            let map = call.heap.map();
            let error = call.heap.str(error);
            if let Some(id) = map.as_map() {
                call.heap.set_str(id, "Error", error);
            }
            ok(map)
        }
        Err(Fault::Unknown(line)) => {
            Err(FuncError::Limit(format!("fromToml: line {line} is not TOML; the real text is not simulated yet")))
        }
    }
}

fn encode(heap: &Heap, value: Value) -> Result<Vec<u8>, FuncError> {
    if value.is_nil() {
        return panic("reflect: call of reflect.Value.Type on zero Value");
    }
    let mut writer = Writer { heap, out: Vec::new(), has_written: false };
    match value.data {
        Data::Map(_) => writer.table(&[], value)?,
        Data::NilOf(_) => {}
        _ if is_tables(heap, value) => {
            return Err(FuncError::Message("toml: top-level values must be Go maps or structs".into()));
        }
        _ => writer.element(value, 0)?,
    }
    Ok(writer.out)
}

/// Whether a list is written as an array of tables: all elements are maps, and there is one.
fn is_tables(heap: &Heap, value: Value) -> bool {
    match heap.elements(value) {
        Some(items) => !items.is_empty() && items.iter().all(|item| heap.kind(*item) == Kind::Map),
        None => false,
    }
}

struct Writer<'a> {
    heap: &'a Heap,
    out: Vec<u8>,
    has_written: bool,
}

fn key_text(key: &[u8]) -> Vec<u8> {
    let bare = !key.is_empty() && key.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if bare { key.to_vec() } else { quoted(key) }
}

fn quoted(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for &b in text {
        match b {
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            b if b < 0x20 || b == 0x7f => out.extend_from_slice(format!("\\u00{b:02x}").as_bytes()),
            b => out.push(b),
        }
    }
    out.push(b'"');
    out
}

impl Writer<'_> {
    fn indent(&mut self, keys: usize) {
        for _ in 1..keys {
            self.out.extend_from_slice(b"  ");
        }
    }

    /// The members of a map under `path`: plain ones first, then tables.
    fn table(&mut self, path: &[Key], value: Value) -> Result<(), FuncError> {
        if path.len() > 200 {
            return Err(FuncError::Limit(TOO_DEEP.into()));
        }
        let Data::Map(id) = value.data else { return Ok(()) };
        let entries = self.heap.entries(id);
        let is_table = |v: Value| matches!(v.data, Data::Map(_)) || is_tables(self.heap, v);
        let (tables, plain): (Vec<_>, Vec<_>) =
            entries.iter().filter(|(_, v)| !v.is_any_nil()).partition(|(_, v)| is_table(*v));
        for (key, item) in plain {
            self.indent(path.len() + 1);
            self.out.extend(key_text(key));
            self.out.extend_from_slice(b" = ");
            self.element(*item, 0)?;
            self.out.push(b'\n');
            self.has_written = true;
        }
        for (key, item) in tables {
            let mut path = path.to_vec();
            path.push(key.clone());
            if matches!(item.data, Data::Map(_)) {
                if path.len() == 1 {
                    self.blank_line();
                }
                self.header(&path, b"[", b"]");
                self.table(&path, *item)?;
                continue;
            }
            for row in self.heap.elements(*item).unwrap_or_default().iter() {
                self.blank_line();
                self.header(&path, b"[[", b"]]");
                self.table(&path, *row)?;
            }
        }
        Ok(())
    }

    fn blank_line(&mut self) {
        if self.has_written {
            self.out.push(b'\n');
        }
    }

    fn header(&mut self, path: &[Key], open: &[u8], close: &[u8]) {
        self.indent(path.len());
        self.out.extend_from_slice(open);
        let keys: Vec<Vec<u8>> = path.iter().map(|key| key_text(key)).collect();
        self.out.extend(keys.join(&b'.'));
        self.out.extend_from_slice(close);
        self.out.push(b'\n');
        self.has_written = true;
    }

    /// A value on one line.
    fn element(&mut self, value: Value, depth: u32) -> Result<(), FuncError> {
        if depth > 200 {
            return Err(FuncError::Limit(TOO_DEEP.into()));
        }
        let mut number = String::new();
        match value.data {
            Data::Bool(b) => self.out.extend_from_slice(if b { b"true" } else { b"false" }),
            Data::Int(n, kind) => {
                let _ = if kind.unsigned() { write!(number, "{}", n as u64) } else { write!(number, "{n}") };
                self.out.extend(number.into_bytes());
            }
            Data::Float(f) if f.is_nan() => self.out.extend_from_slice(b"nan"),
            Data::Float(f) if f.is_infinite() => self.out.extend_from_slice(if f < 0.0 { b"-inf" } else { b"inf" }),
            Data::Float(_) => {
                let mut printed = self.heap.print_v(value);
                if !printed.iter().any(|b| matches!(b, b'.' | b'e')) {
                    printed.extend_from_slice(b".0");
                }
                self.out.extend(printed);
            }
            Data::Str(_) => self.out.extend(quoted(self.heap.bytes(value))),
            Data::Map(id) => {
                self.out.push(b'{');
                for (i, (key, item)) in self.heap.entries(id).iter().filter(|(_, v)| !v.is_any_nil()).enumerate() {
                    self.out.extend_from_slice(if i > 0 { b", " } else { b"" });
                    self.out.extend(key_text(key));
                    self.out.extend_from_slice(b" = ");
                    self.element(*item, depth + 1)?;
                }
                self.out.push(b'}');
            }
            Data::Object(_) if self.heap.native::<Instant>(value).is_some() => {
                if let Some(at) = self.heap.native::<Instant>(value) {
                    self.out.extend(at.format(match &*at.zone {
                        "datetime-local" => b"2006-01-02T15:04:05.999999999".as_slice(),
                        "date-local" => b"2006-01-02",
                        "time-local" => b"15:04:05.999999999",
                        _ => b"2006-01-02T15:04:05.999999999Z07:00",
                    }));
                }
            }
            Data::Object(_) => self.out.extend(quoted(&self.heap.print_v(value))),
            _ => match self.heap.elements(value) {
                Some(items) => {
                    if items.iter().any(|item| item.is_nil()) {
                        return Err(FuncError::Message("toml: cannot encode array with nil element".into()));
                    }
                    self.out.push(b'[');
                    for (i, item) in items.iter().enumerate() {
                        self.out.extend_from_slice(if i > 0 { b", " } else { b"" });
                        self.element(*item, depth + 1)?;
                    }
                    self.out.push(b']');
                }
                None => {
                    return Err(FuncError::Message(format!(
                        "unsupported type for key '': {}",
                        self.heap.kind(value).name()
                    )));
                }
            },
        }
        Ok(())
    }
}
