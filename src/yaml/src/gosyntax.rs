//! Values as Go's `%#v` prints them, for the messages that quote a whole key or value.

use crate::convert::scalar;
use crate::node::{Document, NodeId, Value};
use crate::number::go_g64;
use crate::resolve::Resolved;
use std::fmt::Write;

/// Nested collections printed before the text is cut.
const DEPTH: usize = 64;

/// The value of `id`, as decoded by go-yaml into an empty interface, in Go syntax. Mappings are sorted by key text.
pub(crate) fn go_syntax(doc: &Document, id: NodeId) -> String {
    let mut out = String::new();
    write_value(&mut out, doc, id, 0);
    out
}

fn write_value(out: &mut String, doc: &Document, id: NodeId, depth: usize) {
    if depth > DEPTH {
        out.push_str("...");
        return;
    }
    let id = match &doc.node(id).value {
        Value::Alias { target, .. } => *target,
        _ => id,
    };
    match &doc.node(id).value {
        Value::Seq(items) => {
            out.push_str("[]interface {}{");
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_value(out, doc, *item, depth + 1);
            }
            out.push('}');
        }
        Value::Map(entries) => {
            let mut members: Vec<(String, NodeId)> = Vec::new();
            for (key, value) in entries {
                let mut text = String::new();
                write_value(&mut text, doc, *key, depth + 1);
                members.retain(|(known, _)| *known != text);
                members.push((text, *value));
            }
            members.sort();
            out.push_str("map[interface {}]interface {}{");
            for (i, (key, value)) in members.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                out.push_str(key);
                out.push(':');
                write_value(out, doc, *value, depth + 1);
            }
            out.push('}');
        }
        Value::Scalar(text) => {
            let _ = match scalar(doc.node(id)) {
                Ok(Resolved::Null) => write!(out, "interface {{}}(nil)"),
                Ok(Resolved::Bool(b)) => write!(out, "{b}"),
                Ok(Resolved::Int(n)) => write!(out, "{n}"),
                Ok(Resolved::Uint(n)) => write!(out, "0x{n:x}"),
                Ok(Resolved::Float(f)) => write!(out, "{}", go_g64(f)),
                _ => {
                    quote(out, text);
                    Ok(())
                }
            };
        }
        Value::Alias { .. } => {}
    }
}

/// A text as Go's `%q` prints it, for texts of printable characters.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 || c as u32 == 0x7F => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
