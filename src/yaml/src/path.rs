//! Field paths: which field is at a byte, and where a field is.

use crate::node::{Document, NodeId, Value};
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
/// A member reaches from the start of its key to the end of its value, an item from its start to its end; between
/// two fields the earlier one is meant, so that the blanks after a value and the `- ` of an item still point.
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
                let at = items.partition_point(|item| doc.node(*item).span.start <= offset);
                // The dash of the first item belongs to it.
                let i = at.saturating_sub(1);
                items.get(i).map(|item| (PathSeg::Index(i), *item))
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
