//! Places in source text: byte spans, files, and the line and column that people and tools speak of.

use std::rc::Rc;

/// A half-open range of byte offsets in one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just after the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, not including, `end`. Offsets beyond 4 GiB saturate.
    pub fn new(start: usize, end: usize) -> Span {
        let cut = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { start: cut(start), end: cut(end) }
    }

    /// The smallest span that covers both.
    pub fn join(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span as an index range.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A span in a named file. The path uses `/` and is relative to whatever root the World has.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Path of the file.
    pub file: Rc<str>,
    /// Where in the file.
    pub span: Span,
}

impl Place {
    /// A place in `file`.
    pub fn new(file: impl Into<Rc<str>>, span: Span) -> Place {
        Place { file: file.into(), span }
    }
}

/// A line and a column, both from 1, the column counted in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineCol {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub col: u32,
}

impl LineCol {
    /// The line and column of byte `offset` in `text`; an offset past the end gives the end.
    pub fn of(text: &[u8], offset: usize) -> LineCol {
        let before = &text[..offset.min(text.len())];
        let line = before.iter().filter(|&&b| b == b'\n').count();
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        LineCol { line: line as u32 + 1, col: (before.len() - start) as u32 + 1 }
    }

    /// The byte offset of the start of `line` (from 1) in `text`, and of its end without the line break.
    pub fn line_span(text: &[u8], line: u32) -> Span {
        let mut start = 0;
        for _ in 1..line {
            match text[start..].iter().position(|&b| b == b'\n') {
                Some(i) => start += i + 1,
                None => return Span::new(text.len(), text.len()),
            }
        }
        let end = text[start..].iter().position(|&b| b == b'\n').map_or(text.len(), |i| start + i);
        Span::new(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_and_column_count_from_one() {
        let text = b"a\nbc\n";
        assert_eq!(LineCol::of(text, 0), LineCol { line: 1, col: 1 });
        assert_eq!(LineCol::of(text, 3), LineCol { line: 2, col: 2 });
        assert_eq!(LineCol::of(text, 99), LineCol { line: 3, col: 1 });
        assert_eq!(LineCol::line_span(text, 2), Span::new(2, 4));
        assert_eq!(LineCol::line_span(text, 9), Span::new(5, 5));
    }
}
