//! JSON as templates meet it: read with all numbers `float64`, written as `json.Marshal` and `json.MarshalIndent` do.

use base::Json;
use base::SortedMap;
use base::gojson::Tree;
use base::json::write_string;
use gotmpl::{Data, FuncError, Heap, Kind, Value};
use std::rc::Rc;

/// Nested arrays and objects that we write (Go follows pointers further, which a small native stack cannot).
const DEPTH: u32 = 500;

/// A value whose numbers are all floats, as Go's `any` has them.
struct Floats(Json);

impl Tree for Floats {
    fn null() -> Floats {
        Floats(Json::Null)
    }

    fn bool(b: bool) -> Floats {
        Floats(Json::Bool(b))
    }

    fn number(text: &str) -> Result<Floats, String> {
        let value: f64 = text.parse().unwrap_or(0.0);
        if value.is_finite() {
            return Ok(Floats(Json::Float(value)));
        }
        Err(format!("json: cannot unmarshal number {text} into Go value of type float64"))
    }

    fn text(text: String) -> Floats {
        Floats(Json::str(text))
    }

    fn list(items: Vec<Floats>) -> Floats {
        Floats(Json::list(items.into_iter().map(|item| item.0)))
    }

    fn map(members: SortedMap<Rc<str>, Floats>) -> Floats {
        Floats(Json::map(members.into_iter().map(|(key, item)| (key, item.0))))
    }
}

/// Reads one JSON value that fills the text, numbers always `float64`. Numbers that no float holds are null, and the
/// second part then has the error that Go reports beside it.
pub(super) fn parse(text: &[u8]) -> Result<(Json, Option<String>), String> {
    base::gojson::parse::<Floats>(text).map(|(value, error)| (value.0, error))
}

/// Go's word for the type of a JSON value in "cannot unmarshal" errors.
pub(super) fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "bool",
        Json::Int(_) | Json::Float(_) => "number",
        Json::Str(_) => "string",
        Json::List(_) => "array",
        Json::Map(_) => "object",
    }
}

/// `json.Marshal(value)`, or without escaping `<`, `>` and `&`. The error is Go's text.
pub(super) fn marshal(heap: &Heap, value: Value, escape_html: bool) -> Result<String, String> {
    let mut out = String::new();
    write(heap, &mut out, value, escape_html, 0)?;
    Ok(out)
}

fn write(heap: &Heap, out: &mut String, value: Value, html: bool, depth: u32) -> Result<(), String> {
    if depth > DEPTH {
        return Err(format!("json: unsupported value: encountered a cycle via {}", heap.type_name(value)));
    }
    match value.data {
        Data::Str(id) => write_bytes(out, heap.text(id).0, html),
        Data::List(id) => {
            out.push('[');
            for (i, item) in heap.items(id).iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                write(heap, out, *item, html, depth + 1)?;
            }
            out.push(']');
        }
        Data::Map(id) => {
            out.push('{');
            for (i, (key, item)) in heap.entries(id).iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                write_bytes(out, key, html);
                out.push(':');
                write(heap, out, *item, html, depth + 1)?;
            }
            out.push('}');
        }
        Data::Object(id) => {
            let object = heap.object_data(id);
            if object.ty.json.is_some() || !matches!(object.ty.kind, Kind::Struct | Kind::Ptr) {
                return write_plain(heap, out, value, html);
            }
            out.push('{');
            for (i, field) in object.ty.fields.iter().filter(|f| f.promoted.is_none()).enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                write_bytes(out, field.name.as_bytes(), html);
                out.push(':');
                write(heap, out, object.fields.get(field.index).copied().unwrap_or(Value::NIL), html, depth + 1)?;
            }
            out.push('}');
        }
        Data::Int(n, kind) if kind.unsigned() => out.push_str(&(n as u64).to_string()),
        _ => write_plain(heap, out, value, html)?,
    }
    Ok(())
}

fn write_plain(heap: &Heap, out: &mut String, value: Value, html: bool) -> Result<(), String> {
    let json = heap.to_json(value).map_err(|error| match error {
        FuncError::Message(text) | FuncError::Panic(text) | FuncError::Limit(text) | FuncError::Nested(text, _) => text,
    })?;
    out.push_str(&if html { json.to_text() } else { json.to_raw_text() });
    Ok(())
}

/// A Go string as a JSON literal; each byte that is not UTF-8 becomes the escape `\ufffd`.
fn write_bytes(out: &mut String, bytes: &[u8], html: bool) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return write_string(out, text, html);
    }
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        let mut literal = String::new();
        write_string(&mut literal, chunk.valid(), html);
        out.push_str(&literal[1..literal.len() - 1]);
        chunk.invalid().iter().for_each(|_| out.push_str("\\ufffd"));
    }
    out.push('"');
}

/// `json.Indent(text, "", "  ")` of JSON without blanks.
pub(super) fn indent(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        (0..depth).for_each(|_| out.push_str("  "));
    };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '{' | '[' => {
                out.push(c);
                if let Some(close) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_as_go_does() {
        assert_eq!(indent(r#"{"a\"{":[1,{}]}"#), "{\n  \"a\\\"{\": [\n    1,\n    {}\n  ]\n}");
    }
}
