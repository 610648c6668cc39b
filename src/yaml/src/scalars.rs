//! Scanning scalars: plain, quoted and block, with the folding rules of YAML 1.1 as libyaml has them.

use crate::error::Error;
use crate::node::Style;
use crate::scanner::Scanner;
use crate::token::{Kind, Mark, Token};
use std::rc::Rc;

/// Line breaks met between two runs of text, to be folded.
#[derive(Default)]
struct Breaks {
    first: &'static str,
    rest: String,
}

impl Breaks {
    fn push(&mut self, text: &'static str, is_first: bool) {
        if is_first {
            self.first = text;
        } else {
            self.rest.push_str(text);
        }
    }

    /// Appends what the breaks fold to and forgets them: one newline is a space, of more the first is dropped.
    fn fold_into(&mut self, out: &mut String) {
        if self.first == "\n" {
            out.push_str(if self.rest.is_empty() { " " } else { &self.rest });
        } else {
            out.push_str(self.first);
            out.push_str(&self.rest);
        }
        self.first = "";
        self.rest.clear();
    }
}

impl Scanner<'_> {
    pub(crate) fn scan_plain(&mut self) -> Result<Token, Error> {
        let indent = self.indent + 1;
        let start = self.mark;
        let mut end = start;
        let mut out = String::new();
        let mut run = start.pos;
        let mut breaks = Breaks::default();
        let mut new_line = false;
        loop {
            self.need(4)?;
            if self.at_document_indicator() || self.byte(0) == b'#' {
                break;
            }
            while !self.is_blankz(0) {
                let b = self.byte(0);
                if b == b':' && self.is_blankz(1) {
                    break;
                }
                if self.flow_level > 0 && matches!(b, b',' | b'?' | b'[' | b']' | b'{' | b'}') {
                    break;
                }
                if new_line {
                    out.push_str(&self.text[run..end.pos]);
                    breaks.fold_into(&mut out);
                    run = self.mark.pos;
                    new_line = false;
                }
                self.step();
                self.run(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/'));
                end = self.mark;
                self.need(2)?;
            }
            if !(self.is_blank(0) || self.is_break(0)) {
                break;
            }
            self.need(1)?;
            loop {
                if self.is_blank(0) {
                    if new_line && self.mark.column < indent && self.byte(0) == b'\t' {
                        return Err(self.error(start, "found a tab character that violates indentation"));
                    }
                    self.step();
                } else if self.is_break(0) {
                    self.need(2)?;
                    let text = self.step_line();
                    breaks.push(text, !new_line);
                    new_line = true;
                } else {
                    break;
                }
                self.need(1)?;
            }
            if self.flow_level == 0 && self.mark.column < indent {
                break;
            }
        }
        if new_line {
            self.key_allowed = true;
        }
        let last = &self.text[run..end.pos.max(run)];
        let value: Rc<str> = if out.is_empty() {
            Rc::from(last)
        } else {
            out.push_str(last);
            Rc::from(out)
        };
        Ok(Token::new(Kind::Scalar, start, end).with(value))
    }

    pub(crate) fn scan_quoted(&mut self, single: bool) -> Result<Token, Error> {
        let quote = if single { b'\'' } else { b'"' };
        let start = self.mark;
        self.step();
        let mut out = String::new();
        let mut breaks = Breaks::default();
        loop {
            self.need(4)?;
            if self.at_document_indicator() {
                return Err(self.error(start, "found unexpected document indicator"));
            }
            if self.at_end() {
                return Err(self.error(start, "found unexpected end of stream"));
            }
            let mut run = self.mark.pos;
            let mut new_line = false;
            while !self.is_blankz(0) {
                let b = self.byte(0);
                if single && b == b'\'' && self.byte(1) == b'\'' {
                    self.step();
                    out.push_str(&self.text[run..self.mark.pos]);
                    self.step();
                    run = self.mark.pos;
                } else if b == quote {
                    break;
                } else if !single && b == b'\\' {
                    out.push_str(&self.text[run..self.mark.pos]);
                    if self.is_break(1) {
                        self.need(3)?;
                        self.step();
                        self.step_line();
                        new_line = true;
                        run = self.mark.pos;
                        break;
                    }
                    self.scan_escape(start, &mut out)?;
                    run = self.mark.pos;
                } else {
                    self.step();
                    self.run(|b| b.is_ascii_alphanumeric());
                }
                self.need(2)?;
            }
            self.need(1)?;
            out.push_str(&self.text[run..self.mark.pos]);
            if self.byte(0) == quote {
                break;
            }
            let blanks = self.mark.pos;
            let mut blanks_end = blanks;
            loop {
                if self.is_blank(0) {
                    self.step();
                    if !new_line {
                        blanks_end = self.mark.pos;
                    }
                } else if self.is_break(0) {
                    self.need(2)?;
                    let text = self.step_line();
                    breaks.push(text, !new_line);
                    new_line = true;
                } else {
                    break;
                }
                self.need(1)?;
            }
            if new_line {
                breaks.fold_into(&mut out);
            } else {
                out.push_str(&self.text[blanks..blanks_end]);
            }
        }
        self.step();
        let mut token = Token::new(Kind::Scalar, start, self.mark).with(Rc::from(out));
        token.style = if single { Style::SingleQuoted } else { Style::DoubleQuoted };
        Ok(token)
    }

    /// One escape sequence of a double-quoted scalar, the backslash included.
    fn scan_escape(&mut self, start: Mark, out: &mut String) -> Result<(), Error> {
        let digits = match self.byte(1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        if digits == 0 {
            out.push(match self.byte(1) {
                b'0' => '\0',
                b'a' => '\u{7}',
                b'b' => '\u{8}',
                b't' | b'\t' => '\t',
                b'n' => '\n',
                b'v' => '\u{B}',
                b'f' => '\u{C}',
                b'r' => '\r',
                b'e' => '\u{1B}',
                b' ' => ' ',
                b'"' => '"',
                b'\'' => '\'',
                b'\\' => '\\',
                b'N' => '\u{85}',
                b'_' => '\u{A0}',
                b'L' => '\u{2028}',
                b'P' => '\u{2029}',
                _ => return Err(self.error(start, "found unknown escape character")),
            });
        }
        self.step();
        self.step();
        if digits == 0 {
            return Ok(());
        }
        self.need(digits)?;
        let mut value: u32 = 0;
        for ahead in 0..digits {
            let Some(digit) = char::from(self.byte(ahead)).to_digit(16) else {
                return Err(self.error(start, "did not find expected hexdecimal number"));
            };
            value = value.wrapping_shl(4) | digit;
        }
        match char::from_u32(value) {
            Some(c) => out.push(c),
            None => return Err(self.error(start, "found invalid Unicode character escape code")),
        }
        for _ in 0..digits {
            self.step();
        }
        Ok(())
    }

    pub(crate) fn scan_block_scalar(&mut self, literal: bool) -> Result<Token, Error> {
        let start = self.mark;
        self.step();
        self.need(1)?;
        let (keep, strip, increment) = self.scan_block_header(start)?;
        let mut end = self.mark;
        let mut indent = match increment {
            0 => 0,
            n if self.indent >= 0 => self.indent + n,
            n => n,
        };
        let mut out = String::new();
        let mut trailing = String::new();
        let mut leading: &'static str = "";
        let mut blank_before = false;
        self.scan_block_breaks(&mut indent, &mut trailing, start, &mut end)?;
        self.need(1)?;
        while self.mark.column == indent && !self.at_end() {
            let blank_now = self.is_blank(0);
            if !literal && !blank_before && !blank_now && leading == "\n" {
                if trailing.is_empty() {
                    out.push(' ');
                }
            } else {
                out.push_str(leading);
            }
            out.push_str(&trailing);
            trailing.clear();
            blank_before = blank_now;
            let run = self.mark.pos;
            loop {
                self.run(|b| b.is_ascii_graphic() || b == b' ');
                if self.is_breakz(0) {
                    break;
                }
                self.step();
                self.need(1)?;
            }
            out.push_str(&self.text[run..self.mark.pos]);
            self.need(2)?;
            leading = self.step_line();
            self.scan_block_breaks(&mut indent, &mut trailing, start, &mut end)?;
        }
        if !strip {
            out.push_str(leading);
        }
        if keep {
            out.push_str(&trailing);
        }
        let mut token = Token::new(Kind::Scalar, start, end).with(Rc::from(out));
        token.style = if literal { Style::Literal } else { Style::Folded };
        Ok(token)
    }

    /// The rest of the line after `|` or `>`: whether to keep or strip the last breaks, the indentation given.
    fn scan_block_header(&mut self, start: Mark) -> Result<(bool, bool, i64), Error> {
        let (mut keep, mut strip, mut increment) = (false, false, 0);
        // At most one sign and one digit, in either order.
        for _ in 0..2 {
            match self.byte(0) {
                sign @ (b'+' | b'-') if !keep && !strip => {
                    keep = sign == b'+';
                    strip = sign == b'-';
                }
                b'0' if increment == 0 => {
                    return Err(self.error(start, "found an indentation indicator equal to 0"));
                }
                digit @ b'1'..=b'9' if increment == 0 => increment = i64::from(digit - b'0'),
                _ => break,
            }
            self.step();
            self.need(1)?;
        }
        while self.is_blank(0) {
            self.step();
            self.need(1)?;
        }
        self.skip_comment()?;
        if !self.is_breakz(0) {
            return Err(self.error(start, "did not find expected comment or line break"));
        }
        if self.is_break(0) {
            self.need(2)?;
            self.step_line();
        }
        Ok((keep, strip, increment))
    }

    /// Moves over indentation and empty lines; settles the indentation when it is still 0.
    fn scan_block_breaks(
        &mut self,
        indent: &mut i64,
        breaks: &mut String,
        start: Mark,
        end: &mut Mark,
    ) -> Result<(), Error> {
        *end = self.mark;
        let mut deepest = 0;
        loop {
            self.need(1)?;
            while (*indent == 0 || self.mark.column < *indent) && self.byte(0) == b' ' {
                self.step();
                self.need(1)?;
            }
            deepest = deepest.max(self.mark.column);
            if (*indent == 0 || self.mark.column < *indent) && self.byte(0) == b'\t' {
                return Err(self.error(start, "found a tab character where an indentation space is expected"));
            }
            if !self.is_break(0) {
                break;
            }
            self.need(2)?;
            breaks.push_str(self.step_line());
            *end = self.mark;
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}
