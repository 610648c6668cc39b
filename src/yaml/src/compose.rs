//! The composer: events to documents, with an explicit stack, so that depth costs no native stack.

use crate::error::Error;
use crate::input::{self, Input};
use crate::node::{Comments, Document, Node, NodeId, Style, Value};
use crate::parser::{Event, Parser, What};
use crate::scanner::Scanner;
use base::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// Reads documents and hands each to `take` before the next is read, until `take` wants no more or the stream ends.
/// Without `comments` the nodes have none.
pub(crate) fn each_document(
    source: &[u8],
    comments: bool,
    mut take: impl FnMut(Document) -> Result<bool, Error>,
) -> Result<(), Error> {
    let input: Input<'_> = input::open(source);
    let mut parser = Parser::new(Scanner::new(&input, comments));
    loop {
        let event = parser.next()?;
        let What::DocumentStart { explicit } = event.what else { return Ok(()) };
        if !take(document(&mut parser, explicit)?)? {
            return Ok(());
        }
    }
}

/// The first document.
pub(crate) fn first_document(source: &[u8], comments: bool) -> Result<Option<Document>, Error> {
    let mut first = None;
    each_document(source, comments, |doc| {
        first = Some(doc);
        Ok(false)
    })?;
    Ok(first)
}

/// A collection that is being filled.
struct Open {
    id: NodeId,
    /// In a mapping: the key whose value comes next.
    key: Option<NodeId>,
}

fn document(parser: &mut Parser<'_>, explicit: bool) -> Result<Document, Error> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut anchors: HashMap<Rc<str>, NodeId> = HashMap::new();
    let mut open: Vec<Open> = Vec::new();
    loop {
        let event = parser.next()?;
        match event.what {
            What::CollectionEnd => {
                if let Some(Open { id, .. }) = open.pop() {
                    close(parser, &mut nodes, id, &event);
                }
            }
            What::DocumentEnd | What::StreamEnd | What::DocumentStart { .. } => {
                let end = event.start.pos;
                let span = nodes.first().map_or(Span::default(), |root| root.span);
                attach_comments(parser, &mut nodes, end);
                return Ok(Document { nodes, span, explicit });
            }
            _ => {
                let id = NodeId(u32::try_from(nodes.len()).unwrap_or(u32::MAX));
                let node = begin(parser, event, &anchors)?;
                if let Some(name) = &node.anchor {
                    anchors.insert(name.clone(), id);
                }
                if let Some(parent) = open.last_mut() {
                    adopt(&mut nodes, parent, id);
                }
                if matches!(node.value, Value::Seq(_) | Value::Map(_)) {
                    open.push(Open { id, key: None });
                }
                nodes.push(node);
            }
        }
    }
}

/// The node an event opens.
fn begin(parser: &Parser<'_>, event: Event, anchors: &HashMap<Rc<str>, NodeId>) -> Result<Node, Error> {
    let Event { what, start, end, anchor, tag, style, dash } = event;
    let dash = dash.map(|at| parser.scanner.span(at, at).start);
    let mut end = end.pos;
    if matches!(style, Style::Literal | Style::Folded) {
        let text = &parser.scanner.text[start.pos..end];
        end = start.pos + text.trim_end_matches(['\n', '\r', ' ']).len();
    }
    let span = parser.scanner.span(start.pos, end);
    let value = match what {
        What::SequenceStart => Value::Seq(Vec::new()),
        What::MappingStart => Value::Map(Vec::new()),
        What::Scalar(text) => Value::Scalar(text),
        What::Alias(name) => match anchors.get(&name) {
            Some(&target) => Value::Alias { name, target },
            None => return Err(Error::new(format!("unknown anchor '{name}' referenced"), span)),
        },
        _ => Value::Scalar(Rc::from("")),
    };
    Ok(Node { value, span, dash, tag, anchor, style, comments: None })
}

fn adopt(nodes: &mut [Node], parent: &mut Open, child: NodeId) {
    match &mut nodes[parent.id.0 as usize].value {
        Value::Seq(items) => items.push(child),
        Value::Map(entries) => match parent.key.take() {
            None => parent.key = Some(child),
            Some(key) => entries.push((key, child)),
        },
        _ => {}
    }
}

/// Settles where a collection ends: at its bracket, or where its last child ends.
fn close(parser: &Parser<'_>, nodes: &mut [Node], id: NodeId, event: &Event) {
    let node = &nodes[id.0 as usize];
    let last = match &node.value {
        Value::Seq(items) => items.last().copied(),
        Value::Map(entries) => entries.last().map(|(_, value)| *value),
        _ => None,
    };
    let bracket = if node.style == Style::Flow { parser.scanner.span(0, event.end.pos).end } else { 0 };
    let last_end = last.map_or(0, |id| nodes[id.0 as usize].span.end);
    let span = &mut nodes[id.0 as usize].span;
    span.end = span.end.max(bracket).max(last_end);
}

/// Gives each comment met before byte `end` to a node: one on its own line to the node that follows (or to the root,
/// as a foot, when none follows), one behind something to what it is behind.
fn attach_comments(parser: &mut Parser<'_>, nodes: &mut [Node], end: usize) {
    let count = parser.scanner.comments.iter().take_while(|comment| comment.span.start < end).count();
    if count == 0 || nodes.is_empty() {
        return;
    }
    let comments: Vec<_> = parser.scanner.comments.drain(..count).collect();
    for comment in comments {
        let text: Rc<str> = Rc::from(&parser.scanner.text[comment.span.clone()]);
        let at = parser.scanner.span(comment.span.start, comment.span.end);
        let mut next = nodes.partition_point(|node| node.span.start < at.start);
        let foot = comment.own_line && next == nodes.len();
        if foot {
            next = 0;
        } else if comment.own_line {
            while next + 1 < nodes.len() && nodes[next + 1].span.start == nodes[next].span.start {
                next += 1;
            }
        } else {
            next = next.saturating_sub(1);
        }
        let comments: &mut Comments = nodes[next].comments.get_or_insert_default();
        if foot {
            comments.foot.push(text);
        } else if comment.own_line {
            comments.head.push(text);
        } else {
            comments.line = Some(text);
        }
    }
}
