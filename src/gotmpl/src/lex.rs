//! The lexer of text/template: text, delimiters with trim markers, comments, tokens inside actions. One token a call;
//! line numbers are counted as Go counts them, since parse errors show the line of the last token.

use crate::unicode::{is_digit, is_letter};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tok {
    Error,
    Bool,
    Char,
    CharConstant,
    Complex,
    Assign,
    Declare,
    Eof,
    Field,
    Identifier,
    LeftDelim,
    LeftParen,
    Number,
    Pipe,
    RawString,
    RightDelim,
    RightParen,
    Space,
    Str,
    Text,
    Variable,
    // From here on keywords.
    Block,
    Break,
    Continue,
    Dot,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl Tok {
    fn keyword(self) -> bool {
        self as u8 >= Tok::Block as u8
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: Tok,
    pub start: usize,
    pub end: usize,
    pub line: u32,
    /// The message of an error token.
    pub message: Option<String>,
}

impl Token {
    pub(crate) fn val<'a>(&self, input: &'a [u8]) -> &'a [u8] {
        &input[self.start..self.end]
    }

    /// The token as errors name it.
    pub(crate) fn describe(&self, input: &[u8]) -> String {
        if let Some(message) = &self.message {
            return message.clone();
        }
        let val = self.val(input);
        match self.kind {
            Tok::Eof => "EOF".into(),
            kind if kind.keyword() => format!("<{}>", String::from_utf8_lossy(val)),
            _ if val.len() > 10 => {
                // `%.10q` cuts after ten characters, not bytes.
                let mut cut = 0;
                for _ in 0..10 {
                    cut += decode(&val[cut..]).1;
                }
                format!("{}...", crate::quote::go_quote(&val[..cut]))
            }
            _ => crate::quote::go_quote(val),
        }
    }
}

/// The first character and its width; an invalid byte is U+FFFD of width 1, and nothing has width 0.
pub(crate) fn decode(bytes: &[u8]) -> (char, usize) {
    match bytes.first() {
        None => ('\u{fffd}', 0),
        Some(&b) if b < 0x80 => (b as char, 1),
        Some(_) => {
            let head = &bytes[..bytes.len().min(4)];
            let chunk = head.utf8_chunks().next();
            match chunk.and_then(|c| c.valid().chars().next()) {
                Some(c) => (c, c.len_utf8()),
                None => ('\u{fffd}', 1),
            }
        }
    }
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() { c == '_' || c.is_ascii_alphanumeric() } else { is_letter(c) || is_digit(c) }
}

/// `%#U`.
fn code_point(c: Option<char>) -> String {
    match c {
        // Go's end-of-input marker is the rune -1.
        None => "U+FFFFFFFFFFFFFFFF".into(),
        Some(c) if crate::quote::printable(c) => format!("U+{:04X} '{c}'", c as u32),
        Some(c) => format!("U+{:04X}", c as u32),
    }
}

pub(crate) struct Lexer<'a> {
    input: &'a [u8],
    pos: usize,
    start: usize,
    line: u32,
    start_line: u32,
    parens: u32,
    inside: bool,
    break_ok: bool,
    continue_ok: bool,
    failed: bool,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(input: &'a [u8], break_ok: bool, continue_ok: bool) -> Lexer<'a> {
        Lexer {
            input,
            pos: 0,
            start: 0,
            line: 1,
            start_line: 1,
            parens: 0,
            inside: false,
            break_ok,
            continue_ok,
            failed: false,
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.input[self.pos..]
    }

    fn peek(&self) -> Option<char> {
        let (c, width) = decode(self.rest());
        (width > 0).then_some(c)
    }

    fn bump(&mut self) -> Option<char> {
        let (c, width) = decode(self.rest());
        if width == 0 {
            return None;
        }
        self.pos += width;
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    fn emit(&mut self, kind: Tok) -> Token {
        let token = Token { kind, start: self.start, end: self.pos, line: self.start_line, message: None };
        self.start = self.pos;
        self.start_line = self.line;
        token
    }

    fn count_lines(&mut self) {
        self.line += self.input[self.start..self.pos].iter().filter(|&&b| b == b'\n').count() as u32;
    }

    /// Skips what was scanned by moving `pos` alone.
    fn ignore(&mut self) {
        self.count_lines();
        self.start = self.pos;
        self.start_line = self.line;
    }

    fn error(&mut self, message: impl Into<String>) -> Token {
        self.failed = true;
        let (start, end) = (self.start, self.pos.max(self.start));
        Token { kind: Tok::Error, start, end, line: self.start_line, message: Some(message.into()) }
    }

    pub(crate) fn next_token(&mut self) -> Token {
        if self.failed {
            // Go empties its input after an error; the parser stops at the error and never looks further.
            return Token { kind: Tok::Eof, start: self.pos, end: self.pos, line: self.start_line, message: None };
        }
        if self.inside { self.action() } else { self.text() }
    }

    fn text(&mut self) -> Token {
        loop {
            let Some(found) = self.rest().windows(2).position(|w| w == b"{{") else {
                self.pos = self.input.len();
                if self.pos > self.start {
                    self.count_lines();
                    return self.emit(Tok::Text);
                }
                return self.emit(Tok::Eof);
            };
            if found > 0 {
                self.pos += found;
                let trim = left_trim_marker(&self.input[self.pos + 2..]);
                let text = &self.input[self.start..self.pos];
                let cut = if trim { text.iter().rev().take_while(|b| is_space(**b)).count() } else { 0 };
                self.pos -= cut;
                self.count_lines();
                let token = self.emit(Tok::Text);
                self.pos += cut;
                self.ignore();
                if token.end > token.start {
                    return token;
                }
            }
            if let Some(token) = self.left_delim() {
                return token;
            }
        }
    }

    /// `None` after a comment: text goes on.
    fn left_delim(&mut self) -> Option<Token> {
        self.pos += 2;
        let marker = if left_trim_marker(self.rest()) { 2 } else { 0 };
        if self.input[self.pos + marker..].starts_with(b"/*") {
            self.pos += marker;
            self.ignore();
            return self.comment();
        }
        let token = self.emit(Tok::LeftDelim);
        self.inside = true;
        self.pos += marker;
        self.ignore();
        self.parens = 0;
        Some(token)
    }

    fn comment(&mut self) -> Option<Token> {
        self.pos += 2;
        let Some(end) = self.rest().windows(2).position(|w| w == b"*/") else {
            return Some(self.error("unclosed comment"));
        };
        self.pos += end + 2;
        let (delim, trim) = self.at_right_delim();
        if !delim {
            return Some(self.error("comment ends before closing delimiter"));
        }
        self.count_lines();
        self.start = self.pos;
        self.pos += if trim { 4 } else { 2 };
        if trim {
            self.pos += self.rest().iter().take_while(|b| is_space(**b)).count();
        }
        self.ignore();
        None
    }

    fn at_right_delim(&self) -> (bool, bool) {
        let rest = self.rest();
        if right_trim_marker(rest) && rest[2..].starts_with(b"}}") {
            (true, true)
        } else {
            (rest.starts_with(b"}}"), false)
        }
    }

    fn right_delim(&mut self) -> Token {
        let trim = self.at_right_delim().1;
        if trim {
            self.pos += 2;
            self.ignore();
        }
        self.pos += 2;
        let token = self.emit(Tok::RightDelim);
        if trim {
            self.pos += self.rest().iter().take_while(|b| is_space(**b)).count();
            self.ignore();
        }
        self.inside = false;
        token
    }

    fn action(&mut self) -> Token {
        if self.at_right_delim().0 {
            if self.parens == 0 {
                return self.right_delim();
            }
            return self.error("unclosed left paren");
        }
        let before = (self.pos, self.line);
        match self.bump() {
            None => self.error("unclosed action"),
            Some(' ' | '\t' | '\r' | '\n') => {
                (self.pos, self.line) = before;
                self.space()
            }
            Some('=') => self.emit(Tok::Assign),
            Some(':') => {
                if self.bump() != Some('=') {
                    return self.error("expected :=");
                }
                self.emit(Tok::Declare)
            }
            Some('|') => self.emit(Tok::Pipe),
            Some('"') => self.quoted('"', "unterminated quoted string", Tok::Str),
            Some('`') => loop {
                match self.bump() {
                    None => return self.error("unterminated raw quoted string"),
                    Some('`') => return self.emit(Tok::RawString),
                    Some(_) => {}
                }
            },
            Some('$') => self.name(Tok::Variable),
            Some('\'') => self.quoted('\'', "unterminated character constant", Tok::CharConstant),
            Some('.') if self.rest().first().is_some_and(|b| !b.is_ascii_digit()) => self.name(Tok::Field),
            Some('.' | '+' | '-' | '0'..='9') => {
                (self.pos, self.line) = before;
                self.number()
            }
            Some('(') => {
                self.parens += 1;
                self.emit(Tok::LeftParen)
            }
            Some(')') => {
                if self.parens == 0 {
                    return self.error("unexpected right paren");
                }
                self.parens -= 1;
                self.emit(Tok::RightParen)
            }
            Some(c) if is_alphanumeric(c) => self.identifier(),
            Some(c) if (' '..='~').contains(&c) => self.emit(Tok::Char),
            Some(c) => self.error(format!("unrecognized character in action: {}", code_point(Some(c)))),
        }
    }

    fn space(&mut self) -> Token {
        let mut count = 0;
        while self.rest().first().is_some_and(|b| is_space(*b)) {
            self.bump();
            count += 1;
        }
        // The last space may belong to a trim marker: give it back.
        let last = &self.input[self.pos - 1..];
        if right_trim_marker(last) && last[2..].starts_with(b"}}") {
            self.pos -= 1;
            if last[0] == b'\n' {
                self.line -= 1;
            }
            if count == 1 {
                return self.right_delim();
            }
        }
        self.emit(Tok::Space)
    }

    fn identifier(&mut self) -> Token {
        while self.peek().is_some_and(is_alphanumeric) {
            self.bump();
        }
        if !self.at_terminator() {
            return self.error(format!("bad character {}", code_point(self.peek())));
        }
        let kind = match &self.input[self.start..self.pos] {
            b"block" => Tok::Block,
            b"break" if self.break_ok => Tok::Break,
            b"continue" if self.continue_ok => Tok::Continue,
            b"define" => Tok::Define,
            b"else" => Tok::Else,
            b"end" => Tok::End,
            b"if" => Tok::If,
            b"range" => Tok::Range,
            b"nil" => Tok::Nil,
            b"template" => Tok::Template,
            b"with" => Tok::With,
            b"true" | b"false" => Tok::Bool,
            _ => Tok::Identifier,
        };
        self.emit(kind)
    }

    fn name(&mut self, kind: Tok) -> Token {
        if self.at_terminator() {
            return self.emit(if kind == Tok::Variable { Tok::Variable } else { Tok::Dot });
        }
        while self.peek().is_some_and(is_alphanumeric) {
            self.bump();
        }
        if !self.at_terminator() {
            return self.error(format!("bad character {}", code_point(self.peek())));
        }
        self.emit(kind)
    }

    fn at_terminator(&self) -> bool {
        match self.peek() {
            None | Some(' ' | '\t' | '\r' | '\n' | '.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(_) => self.rest().starts_with(b"}}"),
        }
    }

    fn quoted(&mut self, mark: char, message: &str, kind: Tok) -> Token {
        loop {
            match self.bump() {
                Some('\\') => match self.bump() {
                    None | Some('\n') => return self.error(message),
                    Some(_) => {}
                },
                None | Some('\n') => return self.error(message),
                Some(c) if c == mark => return self.emit(kind),
                Some(_) => {}
            }
        }
    }

    fn accept(&mut self, valid: &[u8]) -> bool {
        let ok = self.rest().first().is_some_and(|b| valid.contains(b));
        self.pos += usize::from(ok);
        ok
    }

    fn number(&mut self) -> Token {
        let bad = |l: &Lexer<'_>| {
            format!("bad number syntax: {}", crate::quote::go_quote(&l.input[l.start..l.pos.max(l.start)]))
        };
        if !self.scan_number() {
            let message = bad(self);
            return self.error(message);
        }
        if matches!(self.rest().first(), Some(b'+' | b'-')) {
            if !self.scan_number() || self.input[self.pos - 1] != b'i' {
                let message = bad(self);
                return self.error(message);
            }
            return self.emit(Tok::Complex);
        }
        self.emit(Tok::Number)
    }

    fn scan_number(&mut self) -> bool {
        self.accept(b"+-");
        let mut digits: &[u8] = b"0123456789_";
        if self.accept(b"0") {
            if self.accept(b"xX") {
                digits = b"0123456789abcdefABCDEF_";
            } else if self.accept(b"oO") {
                digits = b"01234567_";
            } else if self.accept(b"bB") {
                digits = b"01_";
            }
        }
        while self.accept(digits) {}
        if self.accept(b".") {
            while self.accept(digits) {}
        }
        let exponent: &[u8] = match digits.len() {
            11 => b"eE",
            23 => b"pP",
            _ => b"",
        };
        if self.accept(exponent) {
            self.accept(b"+-");
            while self.accept(b"0123456789_") {}
        }
        self.accept(b"i");
        if self.peek().is_some_and(is_alphanumeric) {
            self.bump();
            return false;
        }
        true
    }
}

fn left_trim_marker(text: &[u8]) -> bool {
    text.len() >= 2 && text[0] == b'-' && is_space(text[1])
}

fn right_trim_marker(text: &[u8]) -> bool {
    text.len() >= 2 && is_space(text[0]) && text[1] == b'-'
}
