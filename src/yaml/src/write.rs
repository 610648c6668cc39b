//! Writing scalars and indicators at the right column: quoting, escapes, folding and literal blocks.

use crate::analysis::{analyze, is_break, is_printable};
use crate::order::Flavour;

/// Spaces of one level.
const INDENT: i32 = 2;
/// The column after which v2 folds at the next space.
const WIDTH: usize = 80;

/// The style wanted for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// The output and where it stands.
pub(crate) struct Writer {
    pub(crate) out: String,
    flavour: Flavour,
    column: usize,
    /// -1 before the first collection.
    indent: i32,
    /// The last thing written was whitespace, so no space is needed.
    whitespace: bool,
    /// Nothing but indentation and indicators that count as such stands in this line.
    indention: bool,
}

impl Writer {
    pub(crate) fn new(flavour: Flavour) -> Writer {
        Writer { out: String::new(), flavour, column: 0, indent: -1, whitespace: true, indention: true }
    }

    /// Ends the document.
    pub(crate) fn finish(mut self) -> String {
        self.indent = -1;
        self.new_line();
        self.out
    }

    // ---- layout -----------------------------------------------------------------------------------------------

    /// Enters a block sequence; gives the indentation to go back to. In v2 a sequence that is the value of a key
    /// written in this line is not indented.
    pub(crate) fn open_sequence(&mut self, in_mapping: bool) -> i32 {
        let flush = self.flavour == Flavour::V2 && in_mapping && !self.indention;
        self.open(0, flush)
    }

    /// Enters a block mapping; gives the indentation to go back to.
    pub(crate) fn open_mapping(&mut self) -> i32 {
        self.open(0, false)
    }

    fn open(&mut self, first: i32, flush: bool) -> i32 {
        let outer = self.indent;
        if outer < 0 {
            self.indent = first;
        } else if !flush {
            self.indent += INDENT;
        }
        outer
    }

    /// Leaves a collection.
    pub(crate) fn close(&mut self, outer: i32) {
        self.indent = outer;
    }

    /// Goes to the current indentation, on a new line unless this one is still empty up to there.
    pub(crate) fn new_line(&mut self) {
        let indent = self.indent.max(0) as usize;
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.line_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn line_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    #[inline]
    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn put_str(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += if text.is_ascii() { text.len() } else { text.chars().count() };
    }

    /// Writes a mark such as `-` or `:`. `space` asks for a space before it, `counts_as_indention` lets a block
    /// collection start behind it in the same line.
    pub(crate) fn indicator(&mut self, mark: &str, space: bool, counts_as_indention: bool) {
        if space && !self.whitespace {
            self.put(' ');
        }
        self.put_str(mark);
        self.whitespace = false;
        self.indention &= counts_as_indention;
    }

    // ---- values -----------------------------------------------------------------------------------------------

    /// Writes a text that needs no thought; gives the offset of its start.
    pub(crate) fn bare(&mut self, text: &str) -> usize {
        if !self.whitespace {
            self.put(' ');
        }
        let start = self.out.len();
        self.put_str(text);
        self.whitespace = false;
        self.indention = false;
        start
    }

    /// `[]` or `{}`; gives the offset of its start.
    pub(crate) fn empty_collection(&mut self, text: &str) -> usize {
        self.bare(text)
    }

    /// Writes a text in the style wanted or the next one that can hold it; gives the offset of its start.
    pub(crate) fn scalar(&mut self, text: &str, wanted: Style, simple_key: bool) -> usize {
        let analysis = analyze(text, self.flavour == Flavour::V3);
        let mut style = if simple_key && analysis.multiline { Style::Double } else { wanted };
        if style == Style::Plain && (!analysis.plain || (text.is_empty() && simple_key)) {
            style = Style::Single;
        }
        if style == Style::Single && !analysis.single {
            style = Style::Double;
        }
        if style == Style::Literal && (!analysis.block || simple_key) {
            style = Style::Double;
        }
        let outer = self.open(INDENT, false);
        let start = self.out.len() + usize::from(!self.whitespace);
        let fold = !simple_key && self.flavour == Flavour::V2;
        match style {
            Style::Plain => self.plain(text, fold),
            Style::Single => self.single_quoted(text, fold),
            Style::Double => self.double_quoted(text, fold),
            Style::Literal => self.literal(text),
        }
        self.close(outer);
        start
    }

    fn plain(&mut self, text: &str, fold: bool) {
        if !self.whitespace {
            self.put(' ');
        }
        if !fold || self.column + text.len() <= WIDTH {
            self.put_str(text);
        } else {
            let mut after_space = false;
            for (i, c) in text.char_indices() {
                let next_is_space = text.as_bytes().get(i + 1) == Some(&b' ');
                if c == ' ' && !after_space && self.column > WIDTH && !next_is_space {
                    self.new_line();
                } else {
                    self.put(c);
                }
                after_space = c == ' ';
            }
        }
        self.whitespace = false;
        self.indention = false;
    }

    fn single_quoted(&mut self, text: &str, fold: bool) {
        self.indicator("'", true, false);
        let (mut after_space, mut after_break) = (false, false);
        for (i, c) in text.char_indices() {
            if c == ' ' {
                let inside = i > 0 && i + 1 < text.len() && text.as_bytes()[i + 1] != b' ';
                if fold && !after_space && self.column > WIDTH && inside {
                    self.new_line();
                } else {
                    self.put(c);
                }
                after_space = true;
            } else if is_break(c) {
                if !after_break && c == '\n' {
                    self.line_break();
                }
                self.break_char(c);
                self.indention = true;
                after_break = true;
            } else {
                if after_break {
                    self.new_line();
                }
                if c == '\'' {
                    self.put(c);
                }
                self.put(c);
                self.indention = false;
                (after_space, after_break) = (false, false);
            }
        }
        self.indicator("'", false, false);
    }

    fn break_char(&mut self, c: char) {
        self.out.push(c);
        self.column = 0;
    }

    fn double_quoted(&mut self, text: &str, fold: bool) {
        self.indicator("\"", true, false);
        // libyaml looks for the byte order mark at the start of the text whatever character it is at.
        let escape_all = text.starts_with('\u{FEFF}');
        let mut after_space = false;
        for (i, c) in text.char_indices() {
            if escape_all || !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
                self.escape(c);
                after_space = false;
            } else if c == ' ' {
                if fold && !after_space && self.column > WIDTH && i > 0 && i + 1 < text.len() {
                    self.new_line();
                    if text.as_bytes()[i + 1] == b' ' {
                        self.put('\\');
                    }
                } else {
                    self.put(c);
                }
                after_space = true;
            } else {
                self.put(c);
                after_space = false;
            }
        }
        self.indicator("\"", false, false);
    }

    fn escape(&mut self, c: char) {
        let short = match c {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{B}' => 'v',
            '\u{C}' => 'f',
            '\r' => 'r',
            '\u{1B}' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{A0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => {
                let code = c as u32;
                let text = match code {
                    0..=0xFF => format!("\\x{code:02X}"),
                    0x100..=0xFFFF => format!("\\u{code:04X}"),
                    _ => format!("\\U{code:08X}"),
                };
                self.put_str(&text);
                return;
            }
        };
        self.put('\\');
        self.put(short);
    }

    fn literal(&mut self, text: &str) {
        self.indicator("|", true, false);
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.indicator("2", false, false);
        }
        let mut from_end = text.chars().rev();
        let last_breaks = from_end.next().is_some_and(is_break);
        if !last_breaks {
            self.indicator("-", false, false);
        } else if from_end.next().is_none_or(is_break) {
            self.indicator("+", false, false);
        }
        self.line_break();
        self.indention = true;
        self.whitespace = true;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if is_break(first) {
                self.break_char(first);
                self.indention = true;
                rest = &rest[first.len_utf8()..];
            } else {
                self.new_line();
                let line = rest.find(is_break).unwrap_or(rest.len());
                self.put_str(&rest[..line]);
                self.indention = false;
                rest = &rest[line..];
            }
        }
    }
}
