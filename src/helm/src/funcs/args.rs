//! What all function families share: results, conversions of arguments, and text results that keep their marks.

use super::number;
use gotmpl::{Call, Data, FuncError, Heap, Outcome, TextBuilder, Value};
use std::ops::Range;

/// What a function returns.
pub(super) type Res = Result<Outcome, FuncError>;

/// A value as a result.
pub(super) fn ok(value: impl Into<Value>) -> Res {
    Ok(Outcome::Value(value.into()))
}

/// A new string without marks as a result.
pub(super) fn text(call: &mut Call<'_>, bytes: impl Into<gotmpl::Bytes>) -> Res {
    ok(call.heap.str(bytes))
}

/// A Go panic.
pub(super) fn panic<T>(message: impl Into<String>) -> Result<T, FuncError> {
    Err(FuncError::Panic(message.into()))
}

/// The panic of `reflect.TypeOf(nil).Kind()`.
pub(super) fn nil_panic<T>() -> Result<T, FuncError> {
    panic("runtime error: invalid memory address or nil pointer dereference")
}

/// An argument whose parameter is an integer.
pub(super) fn int(value: Value) -> i64 {
    value.as_int().unwrap_or(0)
}

/// cast's `ToInt64`: what cannot be converted is 0.
pub(super) fn to_int(heap: &Heap, value: Value) -> i64 {
    match value.data {
        Data::Int(n, _) => n,
        Data::Float(f) => number::truncate(f),
        Data::Bool(b) => i64::from(b),
        Data::Str(_) => number::text_to_int(heap.bytes(value)),
        _ => 0,
    }
}

/// cast's `ToFloat64`: what cannot be converted is 0.
pub(super) fn to_float(heap: &Heap, value: Value) -> f64 {
    match value.data {
        Data::Int(n, kind) if kind.unsigned() => n as u64 as f64,
        Data::Int(n, _) => n as f64,
        Data::Float(f) => f,
        Data::Bool(b) => f64::from(u8::from(b)),
        Data::Str(_) => number::parse_float(heap.bytes(value)).unwrap_or(0.0),
        _ => 0.0,
    }
}

/// Sprig's `strval`: strings and byte slices as they are, everything else as `%v`.
pub(super) fn strval(heap: &Heap, value: Value) -> Vec<u8> {
    match value.data {
        Data::Str(_) | Data::Bytes(_) => heap.bytes(value).to_vec(),
        _ => heap.print_v(value),
    }
}

/// Appends [`strval`] with marks.
pub(super) fn push_strval(heap: &mut Heap, out: &mut TextBuilder, value: Value) {
    match value.data {
        Data::Str(_) | Data::Bytes(_) => {
            let len = heap.bytes(value).len();
            out.value(heap, value, 0..len);
        }
        _ => {
            let printed = heap.print_v(value);
            let label = heap.label_of(value);
            out.push_labeled(&printed, label);
        }
    }
}

/// Sprig's `strslice`: the texts of a list's elements that are not nil; a scalar is a list of one.
pub(super) fn str_values(heap: &mut Heap, value: Value) -> Vec<Value> {
    match heap.elements(value) {
        Some(items) => {
            let items = items.iter().copied().filter(|item| !item.is_nil());
            items.collect::<Vec<_>>().into_iter().map(|item| as_string(heap, item)).collect()
        }
        None if value.is_nil() => Vec::new(),
        None => vec![as_string(heap, value)],
    }
}

/// [`strval`] as a string value with its label.
pub(super) fn as_string(heap: &mut Heap, value: Value) -> Value {
    match value.data {
        Data::Str(_) => value.unboxed(),
        _ => {
            let printed = strval(heap, value);
            heap.str(printed).with_label(value.label)
        }
    }
}

/// The built text as a value. An empty text has no place for marks, so its label says what it comes from.
pub(super) fn finish(heap: &mut Heap, out: TextBuilder, sources: &[Value]) -> Value {
    let empty = out.is_empty();
    let mut value = heap.marked(out.finish());
    if empty && heap.tracing() {
        for source in sources {
            value = heap.also_from(value, *source);
        }
    }
    value
}

/// A part of a string, with its marks.
pub(super) fn part(heap: &mut Heap, value: Value, range: Range<usize>) -> Value {
    let bytes = heap.bytes(value);
    if range == (0..bytes.len()) {
        return value.unboxed();
    }
    if !heap.tracing() {
        let bytes = bytes[range].to_vec();
        return heap.str(bytes);
    }
    let mut out = TextBuilder::new();
    out.value(heap, value, range);
    finish(heap, out, &[value])
}

/// The offsets of `needle` in `text`, not overlapping; `needle` is not empty.
pub(super) fn find_all(text: &[u8], needle: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + needle.len() <= text.len() {
        if text[at..].starts_with(needle) {
            found.push(at);
            at += needle.len();
        } else {
            at += 1;
        }
    }
    found
}
