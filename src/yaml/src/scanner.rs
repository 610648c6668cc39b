//! The scanner: characters to tokens, with indentation and simple keys, as libyaml's Go port does it.
//!
//! What is accepted, the messages and the line numbers they carry follow go-yaml v2. Two of its quirks matter:
//! a scanner error names the next line after the 0-based one (so the human one), but in the first line it names
//! none; and a key of more than 1024 characters, or over a line break, is no simple key.

use crate::error::Error;
use crate::input::Input;
use crate::token::{Kind, Mark, Token};
use base::Span;
use std::collections::VecDeque;

/// Nested flow collections, and nested block collections, that go-yaml accepts.
pub(crate) const MAX_DEPTH: usize = 10_000;
/// Characters a simple key may span.
const KEY_LENGTH: usize = 1024;

/// A place where a key without `?` may have started.
#[derive(Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    required: bool,
    /// Whether the token queue waits for this key to be decided.
    awaited: bool,
    token: usize,
    mark: Mark,
}

/// A comment as it was met.
pub(crate) struct Comment {
    /// From `#` to the end of its line.
    pub(crate) span: std::ops::Range<usize>,
    /// True when nothing but blanks stands before it in its line.
    pub(crate) own_line: bool,
}

/// The scanner over one text.
pub(crate) struct Scanner<'a> {
    pub(crate) text: &'a str,
    bytes: &'a [u8],
    fault: Option<&'static str>,
    skipped: usize,
    /// Where it stands.
    pub(crate) mark: Mark,
    tokens: VecDeque<Token>,
    parsed: usize,
    started: bool,
    pub(crate) indent: i64,
    indents: Vec<i64>,
    pub(crate) flow_level: usize,
    pub(crate) key_allowed: bool,
    keys: Vec<SimpleKey>,
    keep_comments: bool,
    /// Comments met so far.
    pub(crate) comments: Vec<Comment>,
}

impl<'a> Scanner<'a> {
    /// `keep_comments` asks for [`Scanner::comments`].
    pub(crate) fn new(input: &'a Input<'_>, keep_comments: bool) -> Scanner<'a> {
        Scanner {
            text: &input.text,
            bytes: input.text.as_bytes(),
            fault: input.fault,
            skipped: input.skipped,
            mark: Mark::default(),
            tokens: VecDeque::new(),
            parsed: 0,
            started: false,
            indent: -1,
            indents: Vec::new(),
            flow_level: 0,
            key_allowed: true,
            keys: vec![SimpleKey::default()],
            keep_comments,
            comments: Vec::new(),
        }
    }

    /// The next token, left in the queue.
    pub(crate) fn peek(&mut self) -> Result<&Token, Error> {
        self.fill()?;
        let end = self.mark;
        self.tokens.front().ok_or_else(|| self.at_mark(end, "unknown problem parsing YAML content"))
    }

    /// Takes the next token; call after [`Scanner::peek`].
    pub(crate) fn take(&mut self) -> Token {
        self.parsed += 1;
        self.tokens.pop_front().unwrap_or_else(|| Token::new(Kind::StreamEnd, self.mark, self.mark))
    }

    /// Scans until the first token in the queue cannot become something else.
    fn fill(&mut self) -> Result<(), Error> {
        loop {
            if !self.tokens.is_empty() {
                let first = self.keys.partition_point(|key| key.token < self.parsed);
                let waiting = (first..self.keys.len())
                    .take_while(|&i| self.keys[i].token == self.parsed)
                    .find(|&i| self.keys[i].awaited);
                match waiting {
                    None => return Ok(()),
                    Some(i) if !self.key_is_valid(i)? => return Ok(()),
                    Some(_) => {}
                }
            }
            if self.started && self.tokens.back().is_some_and(|token| token.kind == Kind::StreamEnd) {
                return Ok(());
            }
            self.fetch()?;
        }
    }

    // ---- characters -------------------------------------------------------------------------------------------

    /// The byte `ahead` of the current one; 0 beyond the end.
    #[inline]
    pub(crate) fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.mark.pos + ahead).copied().unwrap_or(0)
    }

    /// Asks for `count` characters: where they are not to be had because of a fault in the input, that is reported.
    #[inline]
    pub(crate) fn need(&self, count: usize) -> Result<(), Error> {
        match self.fault {
            None => Ok(()),
            Some(fault) => self.need_before_fault(count, fault),
        }
    }

    fn need_before_fault(&self, count: usize, fault: &str) -> Result<(), Error> {
        if self.text[self.mark.pos.min(self.text.len())..].chars().take(count).count() < count {
            let at = self.skipped + self.text.len();
            return Err(Error::new(fault, Span::new(at, at + 1)));
        }
        Ok(())
    }

    /// Length in bytes of the line break `ahead`; 0 when there is none. CR LF counts as CR here.
    #[inline]
    pub(crate) fn break_len(&self, ahead: usize) -> usize {
        match self.byte(ahead) {
            b'\n' | b'\r' => 1,
            0xC2 if self.byte(ahead + 1) == 0x85 => 2,
            0xE2 if self.byte(ahead + 1) == 0x80 && matches!(self.byte(ahead + 2), 0xA8 | 0xA9) => 3,
            _ => 0,
        }
    }

    #[inline]
    pub(crate) fn is_break(&self, ahead: usize) -> bool {
        self.break_len(ahead) > 0
    }

    #[inline]
    pub(crate) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t')
    }

    #[inline]
    pub(crate) fn at_end(&self) -> bool {
        self.mark.pos >= self.bytes.len()
    }

    /// Line break or end.
    #[inline]
    pub(crate) fn is_breakz(&self, ahead: usize) -> bool {
        let b = self.byte(ahead);
        b == 0 || (!(0x20..0x80).contains(&b) && self.is_break(ahead))
    }

    /// Blank, line break or end.
    #[inline]
    pub(crate) fn is_blankz(&self, ahead: usize) -> bool {
        self.is_blank(ahead) || self.is_breakz(ahead)
    }

    /// `---` or `...` at the start of a line, followed by a blank or nothing.
    pub(crate) fn at_document_indicator(&self) -> bool {
        self.mark.column == 0
            && matches!((self.byte(0), self.byte(1), self.byte(2)), (b'-', b'-', b'-') | (b'.', b'.', b'.'))
            && self.is_blankz(3)
    }

    /// Moves over one character that is no line break.
    #[inline]
    pub(crate) fn step(&mut self) {
        self.mark.pos += match self.byte(0) {
            0x00..=0x7F => 1,
            0x80..=0xDF => 2,
            0xE0..=0xEF => 3,
            _ => 4,
        };
        self.mark.index += 1;
        self.mark.column += 1;
    }

    /// Moves over ASCII characters for as long as `wanted` holds. A text with a fault is read character by character,
    /// so that the fault shows in time.
    #[inline]
    pub(crate) fn run(&mut self, wanted: impl Fn(u8) -> bool) {
        if self.fault.is_none() {
            let rest = self.bytes.get(self.mark.pos..).unwrap_or_default();
            let count = rest.iter().position(|&b| !wanted(b)).unwrap_or(rest.len());
            self.mark.pos += count;
            self.mark.index += count;
            self.mark.column += count as i64;
        }
    }

    /// Moves over a line break; gives the text it reads as: LS and PS stay, all others are a newline.
    pub(crate) fn step_line(&mut self) -> &'static str {
        let crlf = self.byte(0) == b'\r' && self.byte(1) == b'\n';
        let text = match (self.byte(0), self.byte(2)) {
            (0xE2, 0xA8) => "\u{2028}",
            (0xE2, _) => "\u{2029}",
            _ => "\n",
        };
        let length = if crlf { 2 } else { self.break_len(0) };
        if length == 0 {
            return "";
        }
        self.mark.pos += length;
        self.mark.index += 1 + usize::from(crlf);
        self.mark.column = 0;
        self.mark.line += 1;
        text
    }

    // ---- errors -----------------------------------------------------------------------------------------------

    /// An error of the scanner here, in something that started at `context`.
    pub(crate) fn error(&self, context: Mark, problem: &str) -> Error {
        let line = if self.mark.line != 0 { self.mark.line + 1 } else { context.line };
        Error { line, ..self.at_mark(self.mark, problem) }
    }

    /// An error of the parser at `problem_mark`, in something that started at `context`.
    pub(crate) fn parser_error(&self, context: Mark, problem_mark: Mark, problem: &str) -> Error {
        let line = if problem_mark.line != 0 { problem_mark.line } else { context.line };
        Error { line, ..self.at_mark(problem_mark, problem) }
    }

    /// An error without a line at `mark`.
    pub(crate) fn at_mark(&self, mark: Mark, problem: &str) -> Error {
        Error::new(problem, self.span(mark.pos, mark.pos + 1))
    }

    /// The span in the source of a range of the scanned text.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(start + self.skipped, end.min(self.bytes.len()).max(start) + self.skipped)
    }

    // ---- simple keys ------------------------------------------------------------------------------------------

    /// Whether key `i` can still be one; a key that had to be one and cannot is an error.
    fn key_is_valid(&mut self, i: usize) -> Result<bool, Error> {
        let key = self.keys[i];
        if !key.possible {
            return Ok(false);
        }
        if key.mark.line < self.mark.line || key.mark.index + KEY_LENGTH < self.mark.index {
            if key.required {
                return Err(self.error(key.mark, "could not find expected ':'"));
            }
            self.keys[i].possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    /// Notes that a simple key may start here.
    pub(crate) fn save_key(&mut self) -> Result<(), Error> {
        if !self.key_allowed {
            return Ok(());
        }
        let required = self.flow_level == 0 && self.indent == self.mark.column;
        let token = self.parsed + self.tokens.len();
        self.remove_key()?;
        if let Some(key) = self.keys.last_mut() {
            *key = SimpleKey { possible: true, required, awaited: true, token, mark: self.mark };
        }
        Ok(())
    }

    /// Gives up the possible key of this flow level.
    pub(crate) fn remove_key(&mut self) -> Result<(), Error> {
        let Some(&key) = self.keys.last() else { return Ok(()) };
        if key.possible {
            if key.required {
                return Err(self.error(key.mark, "could not find expected ':'"));
            }
            if let Some(key) = self.keys.last_mut() {
                key.possible = false;
                key.awaited = false;
            }
        }
        Ok(())
    }

    fn enter_flow(&mut self) -> Result<(), Error> {
        let token = self.parsed + self.tokens.len();
        self.keys.push(SimpleKey { token, mark: self.mark, ..SimpleKey::default() });
        self.flow_level += 1;
        if self.flow_level > MAX_DEPTH {
            return Err(self.error(self.mark, "exceeded max depth of 10000"));
        }
        Ok(())
    }

    fn leave_flow(&mut self) {
        if self.flow_level == 0 {
            return;
        }
        self.flow_level -= 1;
        if let Some(inner) = self.keys.pop() {
            // An inner level that never saved a key carries the number of its own bracket; go-yaml then forgets that
            // the outer level waits for it, and `[]: x` is not read as a mapping.
            if let Some(outer) = self.keys.last_mut().filter(|outer| outer.token == inner.token) {
                outer.awaited = false;
            }
        }
    }

    // ---- indentation ------------------------------------------------------------------------------------------

    /// Opens a block collection at `column` when it is deeper than the current one. `number` says before which
    /// token; None appends.
    fn roll_indent(&mut self, column: i64, number: Option<usize>, kind: Kind, mark: Mark) -> Result<(), Error> {
        if self.flow_level > 0 || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > MAX_DEPTH {
            let context = self.keys.last().map_or(self.mark, |key| key.mark);
            return Err(self.error(context, "exceeded max depth of 10000"));
        }
        self.insert(number, Token::new(kind, mark, mark));
        Ok(())
    }

    /// Closes block collections deeper than `column`.
    fn unroll_indent(&mut self, column: i64) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.tokens.push_back(Token::new(Kind::BlockEnd, self.mark, self.mark));
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    /// Puts a token before token `number`; at the end when that one is gone already, as go-yaml does.
    fn insert(&mut self, number: Option<usize>, token: Token) {
        match number.and_then(|number| number.checked_sub(self.parsed)) {
            Some(at) if at <= self.tokens.len() => self.tokens.insert(at, token),
            _ => self.tokens.push_back(token),
        }
    }

    // ---- tokens -----------------------------------------------------------------------------------------------

    /// Scans one more token.
    fn fetch(&mut self) -> Result<(), Error> {
        self.need(1)?;
        if !self.started {
            self.started = true;
            self.tokens.push_back(Token::new(Kind::StreamStart, self.mark, self.mark));
            return Ok(());
        }
        self.skip_to_token()?;
        self.unroll_indent(self.mark.column);
        self.need(4)?;
        if self.at_end() {
            return self.fetch_stream_end();
        }
        let first = self.byte(0);
        if self.mark.column == 0 && first == b'%' {
            self.unroll_indent(-1);
            self.remove_key()?;
            self.key_allowed = false;
            let token = self.scan_directive()?;
            self.tokens.push_back(token);
            return Ok(());
        }
        if self.at_document_indicator() {
            let kind = if first == b'-' { Kind::DocumentStart } else { Kind::DocumentEnd };
            self.unroll_indent(-1);
            self.remove_key()?;
            self.key_allowed = false;
            self.push_indicator(kind, 3);
            return Ok(());
        }
        let block = self.flow_level == 0;
        match first {
            b'[' => self.fetch_flow_start(Kind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Kind::FlowMappingStart),
            b']' => self.fetch_flow_end(Kind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Kind::FlowMappingEnd),
            b',' => {
                self.remove_key()?;
                self.key_allowed = true;
                self.push_indicator(Kind::FlowEntry, 1);
                Ok(())
            }
            b'-' if self.is_blankz(1) => self.fetch_block_entry(),
            b'?' if !block || self.is_blankz(1) => self.fetch_key(),
            b':' if !block || self.is_blankz(1) => self.fetch_value(),
            b'*' => self.fetch_name(Kind::Alias),
            b'&' => self.fetch_name(Kind::Anchor),
            b'!' => {
                self.save_key()?;
                self.key_allowed = false;
                let token = self.scan_tag()?;
                self.tokens.push_back(token);
                Ok(())
            }
            b'|' | b'>' if block => {
                self.remove_key()?;
                self.key_allowed = true;
                let token = self.scan_block_scalar(first == b'|')?;
                self.tokens.push_back(token);
                Ok(())
            }
            b'\'' | b'"' => {
                self.save_key()?;
                self.key_allowed = false;
                let token = self.scan_quoted(first == b'\'')?;
                self.tokens.push_back(token);
                Ok(())
            }
            _ if self.starts_plain(first) => {
                self.save_key()?;
                self.key_allowed = false;
                let token = self.scan_plain()?;
                self.tokens.push_back(token);
                Ok(())
            }
            _ => Err(self.error(self.mark, "found character that cannot start any token")),
        }
    }

    fn starts_plain(&self, first: u8) -> bool {
        match first {
            b'-' => !self.is_blank(1),
            b'?' | b':' => self.flow_level == 0 && !self.is_blankz(1),
            b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => false,
            _ => !self.is_blankz(0),
        }
    }

    /// Moves over blanks, comments and line breaks.
    fn skip_to_token(&mut self) -> Result<(), Error> {
        loop {
            self.need(1)?;
            if self.mark.pos == 0 && self.text.starts_with('\u{FEFF}') {
                self.step();
            }
            self.need(1)?;
            while self.byte(0) == b' ' || (self.byte(0) == b'\t' && (self.flow_level > 0 || !self.key_allowed)) {
                self.step();
                self.need(1)?;
            }
            self.skip_comment()?;
            if !self.is_break(0) {
                return Ok(());
            }
            self.need(2)?;
            self.step_line();
            if self.flow_level == 0 {
                self.key_allowed = true;
            }
        }
    }

    /// Moves over a comment, if one starts here, and notes it.
    pub(crate) fn skip_comment(&mut self) -> Result<(), Error> {
        if self.byte(0) != b'#' {
            return Ok(());
        }
        let start = self.mark.pos;
        loop {
            self.run(|b| b.is_ascii_graphic() || b == b' ');
            if self.is_breakz(0) {
                break;
            }
            self.step();
            self.need(1)?;
        }
        if !self.keep_comments {
            return Ok(());
        }
        let line = self.bytes[..start].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let own_line = self.bytes[line..start].iter().all(|b| matches!(b, b' ' | b'\t'));
        self.comments.push(Comment { span: start..self.mark.pos, own_line });
        Ok(())
    }

    fn push_indicator(&mut self, kind: Kind, width: usize) {
        let start = self.mark;
        for _ in 0..width {
            self.step();
        }
        self.tokens.push_back(Token::new(kind, start, self.mark));
    }

    fn fetch_stream_end(&mut self) -> Result<(), Error> {
        if self.mark.column != 0 {
            self.mark.column = 0;
            self.mark.line += 1;
        }
        self.unroll_indent(-1);
        self.remove_key()?;
        self.key_allowed = false;
        self.tokens.push_back(Token::new(Kind::StreamEnd, self.mark, self.mark));
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: Kind) -> Result<(), Error> {
        self.save_key()?;
        self.enter_flow()?;
        self.key_allowed = true;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: Kind) -> Result<(), Error> {
        self.remove_key()?;
        self.leave_flow();
        self.key_allowed = false;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), Error> {
        // In a flow collection the parser complains, since it knows the context.
        if self.flow_level == 0 {
            if !self.key_allowed {
                return Err(self.error(self.mark, "block sequence entries are not allowed in this context"));
            }
            self.roll_indent(self.mark.column, None, Kind::BlockSequenceStart, self.mark)?;
        }
        self.remove_key()?;
        self.key_allowed = true;
        self.push_indicator(Kind::BlockEntry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), Error> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return Err(self.error(self.mark, "mapping keys are not allowed in this context"));
            }
            self.roll_indent(self.mark.column, None, Kind::BlockMappingStart, self.mark)?;
        }
        self.remove_key()?;
        self.key_allowed = self.flow_level == 0;
        self.push_indicator(Kind::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), Error> {
        let last = self.keys.len() - 1;
        if self.key_is_valid(last)? {
            let key = self.keys[last];
            self.insert(Some(key.token), Token::new(Kind::Key, key.mark, key.mark));
            self.roll_indent(key.mark.column, Some(key.token), Kind::BlockMappingStart, key.mark)?;
            self.keys[last].possible = false;
            self.keys[last].awaited = false;
            self.key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.key_allowed {
                    return Err(self.error(self.mark, "mapping values are not allowed in this context"));
                }
                self.roll_indent(self.mark.column, None, Kind::BlockMappingStart, self.mark)?;
            }
            self.key_allowed = self.flow_level == 0;
        }
        self.push_indicator(Kind::Value, 1);
        Ok(())
    }

    fn fetch_name(&mut self, kind: Kind) -> Result<(), Error> {
        self.save_key()?;
        self.key_allowed = false;
        let token = self.scan_name(kind)?;
        self.tokens.push_back(token);
        Ok(())
    }
}
