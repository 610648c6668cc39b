//! The expression nodes of a parsed file, kept to print a failing node anew as Go does in `<…>`.

use crate::literal::Number;
use base::Span;
use std::rc::Rc;

pub(crate) type NodeId = u32;

/// No node known at compile time: the evaluator remembers the last one (`and`, `or`).
pub(crate) const DYNAMIC: NodeId = u32::MAX;

#[derive(Debug)]
pub(crate) struct Node {
    /// Go's position, for `FILE:LINE:COLUMN`.
    pub pos: u32,
    /// The whole text of the node; of an action with its delimiters.
    pub span: Span,
    pub kind: NodeKind,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    Action { pipe: NodeId },
    Template { name: Rc<str>, pipe: Option<NodeId> },
    Pipe { assign: bool, decl: Vec<NodeId>, cmds: Vec<NodeId> },
    Command { args: Vec<NodeId> },
    Field { idents: Vec<Rc<str>> },
    Variable { idents: Vec<Rc<str>> },
    Chain { node: NodeId, fields: Vec<Rc<str>> },
    Ident { name: Rc<str> },
    Dot,
    Nil,
    Bool(bool),
    Number { text: Rc<str>, value: Number },
    Str { quoted: Span, value: Rc<[u8]> },
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
}

impl Tree {
    pub(crate) fn add(&mut self, pos: usize, span: Span, kind: NodeKind) -> NodeId {
        self.nodes.push(Node { pos: pos as u32, span, kind });
        self.nodes.len() as NodeId - 1
    }

    pub(crate) fn kind(&self, id: NodeId) -> &NodeKind {
        &self.nodes[id as usize].kind
    }

    /// The node as Go prints it. Without recursion: expressions nest as deep as the source likes.
    pub(crate) fn print(&self, source: &[u8], id: NodeId) -> String {
        enum Work<'a> {
            Node(NodeId),
            Text(&'a str),
        }
        let mut out = String::new();
        let mut work = vec![Work::Node(id)];
        while let Some(item) = work.pop() {
            let id = match item {
                Work::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Work::Node(id) => id,
            };
            let mut next: Vec<Work<'_>> = Vec::new();
            let wrapped = |next: &mut Vec<Work<'_>>, id: NodeId| {
                let pipe = matches!(self.kind(id), NodeKind::Pipe { .. });
                if pipe {
                    next.push(Work::Text("("));
                }
                next.push(Work::Node(id));
                if pipe {
                    next.push(Work::Text(")"));
                }
            };
            match self.kind(id) {
                NodeKind::Action { pipe } => {
                    next.extend([Work::Text("{{"), Work::Node(*pipe), Work::Text("}}")]);
                }
                NodeKind::Template { name, pipe } => {
                    out.push_str("{{template ");
                    out.push_str(&crate::quote::go_quote(name.as_bytes()));
                    if let Some(pipe) = pipe {
                        next.extend([Work::Text(" "), Work::Node(*pipe)]);
                    }
                    next.push(Work::Text("}}"));
                }
                NodeKind::Pipe { assign, decl, cmds } => {
                    for (i, id) in decl.iter().enumerate() {
                        next.extend([Work::Text(if i > 0 { ", " } else { "" }), Work::Node(*id)]);
                    }
                    if !decl.is_empty() {
                        next.push(Work::Text(if *assign { " = " } else { " := " }));
                    }
                    for (i, id) in cmds.iter().enumerate() {
                        next.extend([Work::Text(if i > 0 { " | " } else { "" }), Work::Node(*id)]);
                    }
                }
                NodeKind::Command { args } => {
                    for (i, id) in args.iter().enumerate() {
                        next.push(Work::Text(if i > 0 { " " } else { "" }));
                        wrapped(&mut next, *id);
                    }
                }
                NodeKind::Chain { node, fields } => {
                    wrapped(&mut next, *node);
                    for field in fields {
                        next.extend([Work::Text("."), Work::Text(field)]);
                    }
                }
                NodeKind::Field { idents } => {
                    for ident in idents {
                        out.push('.');
                        out.push_str(ident);
                    }
                }
                NodeKind::Variable { idents } => out.push_str(&idents.join(".")),
                NodeKind::Ident { name } => out.push_str(name),
                NodeKind::Dot => out.push('.'),
                NodeKind::Nil => out.push_str("nil"),
                NodeKind::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
                NodeKind::Number { text, .. } => out.push_str(text),
                NodeKind::Str { quoted, .. } => out.push_str(&String::from_utf8_lossy(&source[quoted.range()])),
            }
            work.extend(next.into_iter().rev());
        }
        out
    }
}
