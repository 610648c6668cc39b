//! What the scanner hands to the parser.

use crate::node::Style;
use std::rc::Rc;

/// A place in the text, with what libyaml counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Byte offset in the scanned text.
    pub(crate) pos: usize,
    /// Characters before it; a line break of two characters counts as two.
    pub(crate) index: usize,
    /// Line, from 0.
    pub(crate) line: u32,
    /// Characters before it in its line.
    pub(crate) column: i64,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    StreamStart,
    StreamEnd,
    VersionDirective,
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar,
}

/// One token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
    /// The value of a scalar, the name of an anchor or alias, the handle of a tag or tag directive.
    pub(crate) text: Option<Rc<str>>,
    /// The suffix of a tag, the prefix of a tag directive.
    pub(crate) suffix: Option<Rc<str>>,
    /// How a scalar is written.
    pub(crate) style: Style,
    /// Major and minor number of a version directive.
    pub(crate) version: (u8, u8),
}

impl Token {
    pub(crate) fn new(kind: Kind, start: Mark, end: Mark) -> Token {
        Token { kind, start, end, text: None, suffix: None, style: Style::Plain, version: (0, 0) }
    }

    pub(crate) fn with(mut self, text: Rc<str>) -> Token {
        self.text = Some(text);
        self
    }
}
