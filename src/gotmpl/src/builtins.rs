//! The functions that every template has: comparison, index, slice, len, print and the escapers.

use crate::error::FuncError;
use crate::fmt;
use crate::func::{Call, Func, Outcome, Param};
use crate::heap::Heap;
use crate::label::Label;
use crate::value::{Data, IntKind, Kind, Value};
use std::cmp::Ordering;

const R: Param = Param::Reflect;

/// The builtins, sorted by name.
pub static BUILTINS: &[Func] = &[
    Func::new("and", &[R], never).variadic(R),
    Func::new("call", &[R], never).variadic(R),
    Func::new("eq", &[R], |c, a| Ok(Value::bool(eq(c.heap, a)?).into())).variadic(R),
    Func::new("ge", &[R, R], |c, a| Ok(Value::bool(!lt(c.heap, a)?).into())),
    Func::new("gt", &[R, R], |c, a| Ok(Value::bool(!le(c.heap, a)?).into())),
    Func::new("html", &[], |c, a| escape(c, a, html)).variadic(Param::Any),
    Func::new("index", &[R], index).variadic(R).own_labels(),
    Func::new("js", &[], |c, a| escape(c, a, js)).variadic(Param::Any),
    Func::new("le", &[R, R], |c, a| Ok(Value::bool(le(c.heap, a)?).into())),
    Func::new("len", &[R], len),
    Func::new("lt", &[R, R], |c, a| Ok(Value::bool(lt(c.heap, a)?).into())),
    Func::new("ne", &[R, R], |c, a| Ok(Value::bool(!eq(c.heap, a)?).into())),
    Func::new("not", &[R], |c, a| Ok(Value::bool(!c.heap.truth(a[0])).into())),
    Func::new("or", &[R], never).variadic(R),
    Func::new("print", &[], |c, a| text(c, |h| fmt::sprint(h, a))).variadic(Param::Any).own_labels(),
    Func::new("printf", &[Param::Str], |c, a| text(c, |h| fmt::sprintf(h, a[0], &a[1..])))
        .variadic(Param::Any)
        .own_labels(),
    Func::new("println", &[], |c, a| text(c, |h| fmt::sprintln(h, a))).variadic(Param::Any).own_labels(),
    Func::new("slice", &[R], slice).variadic(R).own_labels(),
    Func::new("urlquery", &[], |c, a| escape(c, a, url_query)).variadic(Param::Any),
];

/// `and`, `or` and `call` are steps of the evaluator.
fn never(_: &mut Call<'_>, _: &[Value]) -> Result<Outcome, FuncError> {
    Err(FuncError::Panic("unreachable".into()))
}

fn text(call: &mut Call<'_>, make: impl FnOnce(&mut Heap) -> crate::Marked) -> Result<Outcome, FuncError> {
    let text = make(call.heap);
    Ok(call.heap.text_value(text).into())
}

#[derive(Clone, Copy, PartialEq)]
enum Basic {
    Bool(bool),
    Complex(f64, f64),
    Int(i64),
    Uint(u64),
    Float(f64),
    Str(crate::StrId),
    /// Not a basic kind.
    Other,
}

fn basic(heap: &Heap, value: Value) -> Basic {
    match value.data {
        Data::Bool(b) => Basic::Bool(b),
        Data::Int(n, kind) if kind.unsigned() => Basic::Uint(n as u64),
        Data::Int(n, _) => Basic::Int(n),
        Data::Float(f) => Basic::Float(f),
        Data::Str(id) => Basic::Str(id),
        Data::Object(id) => {
            let object = heap.object_data(id);
            let float = |i: usize| object.fields.get(i).and_then(|v| v.as_float()).unwrap_or(0.0);
            match object.ty.kind {
                Kind::Complex128 => Basic::Complex(float(0), float(1)),
                Kind::Struct | Kind::Ptr => Basic::Other,
                _ => object.fields.first().map_or(Basic::Other, |v| basic(heap, *v)),
            }
        }
        _ => Basic::Other,
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

fn incompatible(heap: &Heap, a: Value, b: Value) -> FuncError {
    let text = format!("incompatible types for comparison: {} and {}", heap.type_name(a), heap.type_name(b));
    FuncError::Message(text)
}

fn eq(heap: &Heap, args: &[Value]) -> Result<bool, FuncError> {
    let first = args[0];
    if args.len() < 2 {
        return Err("missing argument for comparison".into());
    }
    let left = basic(heap, first);
    for &other in &args[1..] {
        let equal = match (left, basic(heap, other)) {
            (Basic::Bool(a), Basic::Bool(b)) => a == b,
            (Basic::Complex(a, b), Basic::Complex(c, d)) => a == c && b == d,
            (Basic::Int(a), Basic::Int(b)) => a == b,
            (Basic::Uint(a), Basic::Uint(b)) => a == b,
            (Basic::Float(a), Basic::Float(b)) => a == b,
            (Basic::Str(a), Basic::Str(b)) => heap.text(a).0 == heap.text(b).0,
            (Basic::Int(a), Basic::Uint(b)) | (Basic::Uint(b), Basic::Int(a)) => u64::try_from(a) == Ok(b),
            (Basic::Other, Basic::Other) => eq_other(heap, first, other)?,
            _ if first.is_nil() || other.is_nil() => false,
            _ => return Err(incompatible(heap, first, other)),
        };
        if equal {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Equality of what is of no basic kind.
fn eq_other(heap: &Heap, a: Value, b: Value) -> Result<bool, FuncError> {
    let (left, right) = (heap.kind(a), heap.kind(b));
    let shown = |v: Value, verb: char| lossy(fmt::format_verb(heap, v, verb));
    if left != right && left != Kind::Invalid && right != Kind::Invalid {
        return Err(FuncError::Message(format!(
            "non-comparable types {}: {}, {}: {}",
            shown(a, 's'),
            heap.type_name(a),
            heap.type_name(b),
            shown(b, 'v')
        )));
    }
    if a.is_any_nil() || b.is_any_nil() {
        return Ok(a.is_any_nil() == b.is_any_nil());
    }
    match (a.data, b.data) {
        (Data::Object(x), Data::Object(y)) if left == Kind::Ptr => Ok(x == y),
        (Data::Object(_), Data::Object(_)) => Ok(heap.deep_equal(a, b)),
        _ => Err(FuncError::Message(format!("non-comparable type {}: {}", shown(b, 's'), heap.type_name(b)))),
    }
}

fn order(heap: &Heap, a: Value, b: Value) -> Result<Option<Ordering>, FuncError> {
    let (left, right) = (basic(heap, a), basic(heap, b));
    if left == Basic::Other || right == Basic::Other {
        return Err("invalid type for comparison".into());
    }
    Ok(match (left, right) {
        (Basic::Int(a), Basic::Int(b)) => Some(a.cmp(&b)),
        (Basic::Uint(a), Basic::Uint(b)) => Some(a.cmp(&b)),
        (Basic::Float(a), Basic::Float(b)) => a.partial_cmp(&b),
        (Basic::Str(a), Basic::Str(b)) => Some(heap.text(a).0.cmp(heap.text(b).0)),
        (Basic::Int(a), Basic::Uint(b)) => Some(u64::try_from(a).map_or(Ordering::Less, |a| a.cmp(&b))),
        (Basic::Uint(a), Basic::Int(b)) => Some(u64::try_from(b).map_or(Ordering::Greater, |b| a.cmp(&b))),
        (Basic::Bool(_), Basic::Bool(_)) | (Basic::Complex(..), Basic::Complex(..)) => {
            return Err("invalid type for comparison".into());
        }
        _ => return Err(incompatible(heap, a, b)),
    })
}

fn lt(heap: &Heap, args: &[Value]) -> Result<bool, FuncError> {
    Ok(order(heap, args[0], args[1])? == Some(Ordering::Less))
}

fn le(heap: &Heap, args: &[Value]) -> Result<bool, FuncError> {
    Ok(matches!(order(heap, args[0], args[1])?, Some(Ordering::Less | Ordering::Equal)))
}

/// An index into something of that length.
fn position(heap: &Heap, index: Value, len: usize) -> Result<usize, FuncError> {
    let n = match basic(heap, index) {
        Basic::Int(n) => n,
        Basic::Uint(n) => n as i64,
        _ if index.is_nil() => return Err("cannot index slice/array with nil".into()),
        _ => {
            return Err(FuncError::Message(format!("cannot index slice/array with type {}", heap.type_name(index))));
        }
    };
    usize::try_from(n).ok().filter(|n| *n <= len).ok_or_else(|| format!("index out of range: {n}").into())
}

fn index(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let heap = &mut *call.heap;
    let mut item = args[0].unboxed();
    if item.is_nil() {
        return Err("index of untyped nil".into());
    }
    for &by in &args[1..] {
        if item.is_nil() || matches!(item.data, Data::NilOf(ty) if ty.kind == Kind::Ptr) {
            return Err("index of nil pointer".into());
        }
        let of = item;
        let mut next = match item.data {
            Data::Str(_) | Data::Bytes(_) => {
                let bytes = heap.bytes(item);
                let i = position(heap, by, bytes.len())?;
                let what = if matches!(item.data, Data::Str(_)) { "string" } else { "slice" };
                let byte =
                    bytes.get(i).ok_or_else(|| FuncError::Panic(format!("reflect: {what} index out of range")))?;
                Value::new(Data::Int(i64::from(*byte), IntKind::Uint8))
            }
            Data::List(id) => {
                let items = heap.items(id);
                let i = position(heap, by, items.len())?;
                let item = items.get(i).ok_or_else(|| FuncError::Panic("reflect: slice index out of range".into()))?;
                *item
            }
            Data::NilOf(ty) if ty.kind == Kind::Slice => {
                position(heap, by, 0)?;
                return Err(FuncError::Panic("reflect: slice index out of range".into()));
            }
            Data::Map(_) | Data::NilOf(_) => {
                if by.is_nil() {
                    return Err("value is nil; should be of type string".into());
                }
                let Some(key) = heap.as_str(by).map(<[u8]>::to_vec) else {
                    let text = format!("value has type {}; should be string", heap.type_name(by));
                    return Err(FuncError::Message(text));
                };
                match item.data {
                    Data::Map(id) => match heap.get(id, &key) {
                        Some(value) => value,
                        None => {
                            let elem = heap.map_type(id).elem;
                            let mut value = heap.zero_of(elem).unboxed();
                            if heap.tracing() {
                                value.label = call.host.absent(heap, id, &key);
                            }
                            value
                        }
                    },
                    _ => Value::NIL,
                }
            }
            _ => {
                let name = heap.type_name(item).trim_start_matches('*');
                return Err(FuncError::Message(format!("can't index item of type {name}")));
            }
        };
        if next.label == Label::NONE {
            next.label = of.label;
        }
        item = heap.decided_by(next, by);
    }
    Ok(item.into())
}

fn slice(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let heap = &mut *call.heap;
    let item = args[0].unboxed();
    if item.is_nil() {
        return Err("slice of untyped nil".into());
    }
    if matches!(item.data, Data::NilOf(ty) if ty.kind == Kind::Ptr) {
        return Err("slice of nil pointer".into());
    }
    let by = &args[1..];
    if by.len() > 3 {
        return Err(FuncError::Message(format!("too many slice indexes: {}", by.len())));
    }
    let string = matches!(item.data, Data::Str(_));
    if string && by.len() == 3 {
        return Err("cannot 3-index slice a string".into());
    }
    let len = match heap.len(item) {
        Some(len) if heap.kind(item) != Kind::Map => len,
        _ => {
            let name = heap.type_name(item).trim_start_matches('*');
            return Err(FuncError::Message(format!("can't slice item of type {name}")));
        }
    };
    let mut at = [0, len, len];
    for (i, by) in by.iter().enumerate() {
        if by.is_boxed() {
            // Unlike `index`, Go's `slice` does not look into the slot.
            return Err("cannot index slice/array with type interface {}".into());
        }
        at[i] = position(heap, *by, len)?;
    }
    for (a, b) in [(at[0], at[1]), (at[1], at[2])].into_iter().take(by.len().max(2) - 1) {
        if a > b {
            return Err(FuncError::Message(format!("invalid slice index: {a} > {b}")));
        }
    }
    let mut value = match item.data {
        Data::Str(_) => {
            let mut out = crate::TextBuilder::new();
            out.value(heap, item, at[0]..at[1]);
            let text = out.finish();
            heap.text_value(text)
        }
        Data::Bytes(id) => {
            let bytes = heap.text(id).0[at[0]..at[1]].to_vec();
            heap.byte_slice(bytes).with_label(item.label)
        }
        Data::List(id) => {
            let (ty, items) = (heap.list_type(id), heap.items(id));
            heap.list_of(ty, items[at[0]..at[1]].to_vec()).with_label(item.label)
        }
        _ => item,
    };
    for by in by {
        value = heap.decided_by(value, *by);
    }
    Ok(value.into())
}

fn len(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let heap = &*call.heap;
    let item = args[0];
    match item.data {
        Data::Nil if item.is_boxed() => return Err("len of nil pointer".into()),
        Data::Nil => return Err(FuncError::Panic("reflect: call of reflect.Value.Type on zero Value".into())),
        Data::NilOf(ty) if ty.kind == Kind::Ptr => return Err("len of nil pointer".into()),
        _ => {}
    }
    match heap.len(item) {
        Some(len) => Ok(Value::int(len as i64).into()),
        None => {
            let name = heap.type_name(item).trim_start_matches('*');
            Err(FuncError::Message(format!("len of type {name}")))
        }
    }
}

/// The operands as the escapers see them: one text, nil being `<no value>`.
fn escape(call: &mut Call<'_>, args: &[Value], by: fn(&[u8]) -> Vec<u8>) -> Result<Outcome, FuncError> {
    let heap = &mut *call.heap;
    let out = match args {
        [one] if heap.as_str(*one).is_some() => by(heap.bytes(*one)),
        _ => {
            let none = heap.str("<no value>");
            let args: Vec<Value> = args.iter().map(|v| if v.is_nil() { none } else { *v }).collect();
            by(&fmt::sprint(heap, &args).bytes)
        }
    };
    Ok(heap.str(out).into())
}

fn html(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &b in text {
        match b {
            0 => out.extend_from_slice("\u{fffd}".as_bytes()),
            b'"' => out.extend_from_slice(b"&#34;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            _ => out.push(b),
        }
    }
    out
}

fn js(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (c, width) = crate::lex::decode(rest);
        match c {
            '\\' => out.extend_from_slice(b"\\\\"),
            '\'' => out.extend_from_slice(b"\\'"),
            '"' => out.extend_from_slice(b"\\\""),
            '<' | '>' | '&' | '=' => out.extend_from_slice(format!("\\u{:04X}", c as u32).as_bytes()),
            c if c < ' ' => out.extend_from_slice(format!("\\u{:04X}", c as u32).as_bytes()),
            c if c.is_ascii() || crate::quote::printable(c) => out.extend_from_slice(&rest[..width]),
            c => out.extend_from_slice(format!("\\u{:04X}", c as u32).as_bytes()),
        }
        rest = &rest[width..];
    }
    out
}

fn url_query(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &b in text {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(b),
            b' ' => out.push(b'+'),
            _ => out.extend_from_slice(format!("%{b:02X}").as_bytes()),
        }
    }
    out
}
