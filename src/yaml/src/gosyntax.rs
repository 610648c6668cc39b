//! Values as Go's `%#v` prints them, for the messages that quote a whole key or value.

use crate::convert::scalar;
use crate::node::{Document, NodeId, Value};
use crate::number::go_g64;
use crate::resolve::Resolved;
use base::SortedMap;
use std::fmt::Write;

/// Nested collections printed before the text is cut.
const DEPTH: usize = 64;
/// Nodes printed before the text is cut; a chain of aliases may stand for far more than anyone can read.
const NODES: usize = 20_000;

/// The value of `id`, as decoded by go-yaml into an empty interface, in Go syntax. Mappings are sorted by key text.
pub(crate) fn go_syntax(doc: &Document, id: NodeId) -> String {
    let mut printer = Printer { doc, left: NODES };
    let mut out = String::new();
    printer.value(&mut out, id, 0);
    out
}

struct Printer<'a> {
    doc: &'a Document,
    left: usize,
}

impl Printer<'_> {
    fn value(&mut self, out: &mut String, id: NodeId, depth: usize) {
        if depth > DEPTH || self.left == 0 {
            out.push_str("...");
            return;
        }
        self.left -= 1;
        let doc = self.doc;
        let node = doc.deref(id);
        match &node.value {
            Value::Seq(items) => {
                out.push_str("[]interface {}{");
                for (i, item) in items.iter().enumerate().take(self.left) {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    self.value(out, *item, depth + 1);
                }
                out.push('}');
            }
            Value::Map(entries) => {
                let mut members: Vec<(String, NodeId)> = Vec::new();
                for (key, value) in entries.iter().take(self.left) {
                    let mut text = String::new();
                    self.value(&mut text, *key, depth + 1);
                    members.push((text, *value));
                }
                let members = SortedMap::from(members);
                out.push_str("map[interface {}]interface {}{");
                for (i, (key, value)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(key);
                    out.push(':');
                    self.value(out, *value, depth + 1);
                }
                out.push('}');
            }
            Value::Scalar(text) => match scalar(node) {
                Ok(Resolved::Null) => out.push_str("interface {}(nil)"),
                Ok(Resolved::Bool(b)) => out.push_str(if b { "true" } else { "false" }),
                Ok(Resolved::Int(n)) => out.push_str(&n.to_string()),
                Ok(Resolved::Uint(n)) => {
                    let _ = write!(out, "0x{n:x}");
                }
                Ok(Resolved::Float(f)) => out.push_str(&go_g64(f)),
                _ => quote(out, text),
            },
            Value::Alias { .. } => {}
        }
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
            // Spaces other than the ASCII one, control and format characters do not count as printable in Go.
            c if !c.is_ascii()
                && (c.is_whitespace()
                    || c.is_control()
                    || matches!(c, '\u{AD}' | '\u{FEFF}' | '\u{200B}'..='\u{200F}')) =>
            {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
