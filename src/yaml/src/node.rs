//! The tree a person wrote: nodes with spans, tags, anchors, style and comments.
//!
//! Nodes live in one list per document and name each other by [`NodeId`], so that a deep document costs no native
//! stack, neither while it is built nor when it is dropped, and an alias can simply name its target.

use base::Span;
use std::rc::Rc;

/// A node of one [`Document`], by its place in [`Document::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// How a node was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// A scalar without quotes; also what is absent (`a:`).
    #[default]
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
    /// A collection by indentation.
    Block,
    /// A collection in brackets or braces.
    Flow,
}

/// The comments that belong to a node, with their `#`, one line each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comments {
    /// Lines above the node.
    pub head: Vec<Rc<str>>,
    /// What follows the node on its last line.
    pub line: Option<Rc<str>>,
    /// Lines after the node that belong to nothing that follows.
    pub foot: Vec<Rc<str>>,
}

/// One node as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it holds.
    pub value: Value,
    /// From its first to its last character, properties (tag, anchor) included.
    pub span: Span,
    /// Where its `-` stands, when it is an item of a block sequence.
    pub dash: Option<u32>,
    /// The tag in long form (`tag:yaml.org,2002:str`), when one was written.
    pub tag: Option<Rc<str>>,
    /// The anchor's name, when one was written.
    pub anchor: Option<Rc<str>>,
    /// How it was written.
    pub style: Style,
    /// Its comments; most nodes have none.
    pub comments: Option<Box<Comments>>,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The text of a scalar after unescaping and folding, before it is resolved to a type.
    Scalar(Rc<str>),
    /// The items of a sequence.
    Seq(Vec<NodeId>),
    /// The entries of a mapping, in the order of the text, duplicates and merge keys included.
    Map(Vec<(NodeId, NodeId)>),
    /// `*name`.
    Alias {
        /// The name.
        name: Rc<str>,
        /// The node that had that anchor at this point of the document.
        target: NodeId,
    },
}

/// One document of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Every node. A child has a higher number than its parent, and numbers follow the order of the text.
    pub nodes: Vec<Node>,
    /// From the first to the last character of the document, the `---` line excluded.
    pub span: Span,
    /// True when the document was opened by `---`.
    pub explicit: bool,
}

impl Document {
    /// The root node. Every document has one; an empty document has an empty plain scalar, which reads as null.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The node `id`.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The node `id`, or what it stands for when it is an alias.
    pub fn deref(&self, id: NodeId) -> &Node {
        match &self.node(id).value {
            Value::Alias { target, .. } => self.node(*target),
            _ => self.node(id),
        }
    }

    /// The value of the last entry of mapping `id` whose key is the scalar `key`; no merge keys.
    pub fn get(&self, id: NodeId, key: &str) -> Option<NodeId> {
        match &self.deref(id).value {
            Value::Map(entries) => entries.iter().rev().find(|(k, _)| self.scalar(*k) == Some(key)).map(|(_, v)| *v),
            _ => None,
        }
    }

    /// The text of scalar `id`, aliases followed.
    pub fn scalar(&self, id: NodeId) -> Option<&str> {
        match &self.deref(id).value {
            Value::Scalar(text) => Some(text),
            _ => None,
        }
    }
}

impl std::ops::Index<NodeId> for Document {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        self.node(id)
    }
}
