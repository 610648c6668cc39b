//! Field paths: which field is at a byte, and where a field is.

use crate::node::{Document, Node, NodeId, Value};
use base::Span;
use std::rc::Rc;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathSeg {
    /// The member of a mapping.
    Key(Rc<str>),
    /// The item of a sequence, from 0.
    Index(usize),
}

/// The path of the innermost field at byte `offset` of the text; empty at the top or outside the document.
///
/// A member starts at its key, an item at its dash, and both reach up to where the next field starts, so that
/// comments and blanks after a value still point at something.
pub fn field_at(doc: &Document, offset: usize) -> Vec<PathSeg> {
    let offset = u32::try_from(offset).unwrap_or(u32::MAX);
    let mut path = Vec::new();
    let mut id = doc.root();
    loop {
        let next = match &doc.node(id).value {
            Value::Map(entries) => {
                let at = entries.partition_point(|(key, _)| doc.node(*key).span.start <= offset);
                at.checked_sub(1).map(|i| {
                    let (key, value) = entries[i];
                    (PathSeg::Key(Rc::from(doc.scalar(key).unwrap_or(""))), value)
                })
            }
            Value::Seq(items) => {
                let at = items.partition_point(|item| start(doc.node(*item)) <= offset);
                at.checked_sub(1).map(|i| (PathSeg::Index(i), items[i]))
            }
            _ => None,
        };
        let Some((seg, child)) = next else { return path };
        path.push(seg);
        // On the key, before the value: the field itself is meant.
        if doc.node(child).span.start > offset {
            return path;
        }
        id = child;
    }
}

/// Where an item starts.
fn start(item: &Node) -> u32 {
    item.dash.unwrap_or(item.span.start)
}

/// The spans of the key (None for items of sequences and for the root) and of the value at `path`. Aliases are
/// followed on the way; the last of duplicate keys counts.
pub fn span_of(doc: &Document, path: &[PathSeg]) -> Option<(Option<Span>, Span)> {
    let mut id: NodeId = doc.root();
    let mut key_span = None;
    for seg in path {
        (key_span, id) = match (seg, &doc.deref(id).value) {
            (PathSeg::Key(name), Value::Map(entries)) => {
                let (key, value) = entries.iter().rev().find(|(key, _)| doc.scalar(*key) == Some(name))?;
                (Some(doc.node(*key).span), *value)
            }
            (PathSeg::Index(i), Value::Seq(items)) => (None, *items.get(*i)?),
            _ => return None,
        };
    }
    Some((key_span, doc.node(id).span))
}
