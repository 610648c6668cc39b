//! Text with marks: which template action wrote which bytes, through which calls, and what they depend on.

use crate::heap::Heap;
use crate::label::Label;
use crate::value::{Data, Value};
use base::Span;
use std::ops::Range;

/// A template file of one render; [`Heap::file`] gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

impl FileId {
    /// No file yet: a mark that a function made, before an action prints it.
    pub const NONE: FileId = FileId(u32::MAX);
}

/// A chain of `include`, `tpl` and `template` calls; [`Heap::stack`] walks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackId(pub u32);

impl StackId {
    /// Not inside any call.
    pub const ROOT: StackId = StackId(0);
}

/// An action (or a piece of literal text) of a template file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action {
    /// The file.
    pub file: FileId,
    /// Where in it: `{{ … }}` with its delimiters, or literal text.
    pub span: Span,
}

impl Action {
    /// No action yet.
    pub const NONE: Action = Action { file: FileId::NONE, span: Span { start: 0, end: 0 } };
}

/// Who wrote a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just after the last byte.
    pub end: u32,
    /// What wrote it. For literal text the span has the same length, so that each byte has its own place.
    pub action: Action,
    /// Whether `action` is literal text.
    pub literal: bool,
    /// The calls that led to the action.
    pub stack: StackId,
    /// What the bytes depend on, data and control ([`Heap::label_data`], [`Heap::label_control`]).
    pub label: Label,
}

/// Bytes and their marks, sorted and not overlapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The marks; empty while tracing is off.
    pub marks: Vec<Mark>,
}

impl Marked {
    /// Text without marks.
    pub fn plain(bytes: impl Into<Vec<u8>>) -> Marked {
        Marked { bytes: bytes.into(), marks: Vec::new() }
    }

    /// The mark that covers byte `at`.
    pub fn mark_at(&self, at: usize) -> Option<&Mark> {
        let i = self.marks.partition_point(|m| m.end as usize <= at);
        self.marks.get(i).filter(|m| m.start as usize <= at)
    }

    /// The same with every occurrence of `needle` taken out (Helm deletes `<no value>`); marks follow.
    pub fn without(self, needle: &[u8]) -> Marked {
        if needle.is_empty() || !self.bytes.windows(needle.len()).any(|w| w == needle) {
            return self;
        }
        let mut out = TextBuilder::default();
        let (mut from, mut at) = (0, 0);
        while at + needle.len() <= self.bytes.len() {
            if &self.bytes[at..at + needle.len()] == needle {
                out.copy(&self.bytes, &self.marks, from..at);
                at += needle.len();
                from = at;
            } else {
                at += 1;
            }
        }
        out.copy(&self.bytes, &self.marks, from..self.bytes.len());
        out.finish()
    }

    /// The part in `range`, with its marks.
    pub fn slice(&self, range: Range<usize>) -> Marked {
        let mut out = TextBuilder::default();
        out.copy(&self.bytes, &self.marks, range);
        out.finish()
    }
}

/// Builds text out of literal bytes and pieces of other text, keeping the pieces' marks. Every operation that passes
/// text through (`indent`, `quote`, `trim`, `join`, `replace`, …) is a sequence of [`push`](TextBuilder::push) and
/// [`value`](TextBuilder::value).
#[derive(Clone, Debug, Default)]
pub struct TextBuilder {
    pub(crate) out: Marked,
}

impl TextBuilder {
    /// An empty text.
    pub fn new() -> TextBuilder {
        TextBuilder::default()
    }

    /// The number of bytes so far.
    pub fn len(&self) -> usize {
        self.out.bytes.len()
    }

    /// True when nothing was written.
    pub fn is_empty(&self) -> bool {
        self.out.bytes.is_empty()
    }

    /// Appends bytes that depend on nothing of their own.
    pub fn push(&mut self, bytes: &[u8]) {
        self.out.bytes.extend_from_slice(bytes);
    }

    /// Appends bytes that depend on `label`.
    pub fn push_labeled(&mut self, bytes: &[u8], label: Label) {
        let start = self.out.bytes.len() as u32;
        self.out.bytes.extend_from_slice(bytes);
        let end = self.out.bytes.len() as u32;
        if label != Label::NONE && end > start {
            self.add(Mark { start, end, action: Action::NONE, literal: false, stack: StackId::ROOT, label });
        }
    }

    /// Appends `range` of a text with the marks that lie in it.
    pub fn copy(&mut self, bytes: &[u8], marks: &[Mark], range: Range<usize>) {
        let base = self.out.bytes.len();
        self.out.bytes.extend_from_slice(&bytes[range.clone()]);
        if marks.is_empty() {
            return;
        }
        let first = marks.partition_point(|m| m.end as usize <= range.start);
        for mark in &marks[first..] {
            if mark.start as usize >= range.end {
                break;
            }
            let start = (mark.start as usize).max(range.start);
            let end = (mark.end as usize).min(range.end);
            let mut cut = *mark;
            if mark.literal {
                // Keep literal text byte-precise.
                cut.action.span.start += (start - mark.start as usize) as u32;
                cut.action.span.end = cut.action.span.start + (end - start) as u32;
            }
            cut.start = (start - range.start + base) as u32;
            cut.end = (end - range.start + base) as u32;
            if cut.end > cut.start {
                self.add(cut);
            }
        }
    }

    /// Appends `range` of the string `value` with its marks; what the marks leave open gets the value's own label.
    /// A value that is no string appends nothing.
    pub fn value(&mut self, heap: &mut Heap, value: Value, range: Range<usize>) {
        let (Data::Str(id) | Data::Bytes(id)) = value.data else { return };
        let base = self.out.marks.len();
        let at = self.out.bytes.len();
        let (bytes, marks) = heap.text(id);
        self.copy(bytes, marks, range);
        if heap.tracing() && value.label != Label::NONE {
            self.fill(heap, base, at, Action::NONE, StackId::ROOT, value.label);
        }
    }

    /// Appends `bytes`, a transformed piece of the string `value` (such as an escaped character), as depending on
    /// whatever byte `at` of it depends on.
    pub fn value_as(&mut self, heap: &mut Heap, value: Value, at: usize, bytes: &[u8]) {
        let start = self.out.bytes.len() as u32;
        self.out.bytes.extend_from_slice(bytes);
        let end = self.out.bytes.len() as u32;
        if !heap.tracing() || start == end {
            return;
        }
        let (Data::Str(id) | Data::Bytes(id)) = value.data else { return };
        let marks = heap.text(id).1;
        let i = marks.partition_point(|m| m.end as usize <= at);
        let mark = marks.get(i).filter(|m| m.start as usize <= at).copied();
        let mut mark = mark.unwrap_or(Mark {
            start,
            end,
            action: Action::NONE,
            literal: false,
            stack: StackId::ROOT,
            label: Label::NONE,
        });
        mark.start = start;
        mark.end = end;
        mark.literal = false;
        mark.label = heap.join(mark.label, value.label);
        if mark.label != Label::NONE || mark.action != Action::NONE {
            self.add(mark);
        }
    }

    /// Appends literal text of a template file, which starts there at byte `at`.
    pub(crate) fn literal(&mut self, bytes: &[u8], file: FileId, at: u32, stack: StackId, label: Label, tracing: bool) {
        let start = self.out.bytes.len() as u32;
        self.out.bytes.extend_from_slice(bytes);
        if tracing {
            let len = bytes.len() as u32;
            let action = Action { file, span: Span { start: at, end: at + len } };
            self.add(Mark { start, end: start + len, action, literal: true, stack, label });
        }
    }

    /// The text.
    pub fn finish(self) -> Marked {
        self.out
    }

    /// Adds a mark at the end, joining it with the last when it only continues it.
    fn add(&mut self, mark: Mark) {
        if let Some(last) = self.out.marks.last_mut() {
            let same = last.end == mark.start
                && last.label == mark.label
                && last.stack == mark.stack
                && last.literal == mark.literal
                && last.action.file == mark.action.file;
            let joins = if mark.literal {
                last.action.span.end == mark.action.span.start
            } else {
                last.action.span == mark.action.span
            };
            if same && joins {
                last.end = mark.end;
                if mark.literal {
                    last.action.span.end = mark.action.span.end;
                }
                return;
            }
        }
        self.out.marks.push(mark);
    }

    /// Gives everything from byte `at` on (whose marks start at index `base`) the action and label where none is set,
    /// and joins the label into the marks that are there.
    pub(crate) fn fill(
        &mut self,
        heap: &mut Heap,
        base: usize,
        at: usize,
        action: Action,
        stack: StackId,
        label: Label,
    ) {
        let end = self.out.bytes.len();
        if at == end {
            return;
        }
        if self.out.marks.len() == base {
            let (start, end) = (at as u32, end as u32);
            return self.add(Mark { start, end, action, literal: false, stack, label });
        }
        let inner: Vec<Mark> = self.out.marks.drain(base..).collect();
        let outer = |start: usize, end: usize| Mark {
            start: start as u32,
            end: end as u32,
            action,
            literal: false,
            stack,
            label,
        };
        let mut from = at;
        for mut mark in inner {
            if (mark.start as usize) > from {
                self.add(outer(from, mark.start as usize));
            }
            from = mark.end as usize;
            mark.label = heap.join(mark.label, label);
            if mark.action.file == FileId::NONE {
                mark.action = action;
                mark.stack = stack;
            }
            self.add(mark);
        }
        if from < end {
            self.add(outer(from, end));
        }
    }
}
