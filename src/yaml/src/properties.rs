//! Scanning directives, anchors, aliases and tags.

use crate::error::Error;
use crate::scanner::Scanner;
use crate::token::{Kind, Mark, Token};
use std::rc::Rc;

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
}

impl Scanner<'_> {
    /// Letters, digits, `_` and `-` from here on.
    fn scan_word(&mut self) -> Result<Rc<str>, Error> {
        let start = self.mark.pos;
        while is_word(self.byte(0)) {
            self.step();
            self.need(1)?;
        }
        Ok(Rc::from(&self.text[start..self.mark.pos]))
    }

    fn skip_blanks(&mut self) -> Result<(), Error> {
        self.need(1)?;
        while self.is_blank(0) {
            self.step();
            self.need(1)?;
        }
        Ok(())
    }

    pub(crate) fn scan_name(&mut self, kind: Kind) -> Result<Token, Error> {
        let start = self.mark;
        self.step();
        self.need(1)?;
        let name = self.scan_word()?;
        let ends = self.is_blankz(0) || matches!(self.byte(0), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ends {
            return Err(self.error(start, "did not find expected alphabetic or numeric character"));
        }
        Ok(Token::new(kind, start, self.mark).with(name))
    }

    pub(crate) fn scan_directive(&mut self) -> Result<Token, Error> {
        let start = self.mark;
        self.step();
        self.need(1)?;
        let name = self.scan_word()?;
        if name.is_empty() {
            return Err(self.error(start, "could not find expected directive name"));
        }
        if !self.is_blankz(0) {
            return Err(self.error(start, "found unexpected non-alphabetical character"));
        }
        let token = match &*name {
            "YAML" => {
                self.skip_blanks()?;
                let major = self.scan_version_number(start)?;
                if self.byte(0) != b'.' {
                    return Err(self.error(start, "did not find expected digit or '.' character"));
                }
                self.step();
                let minor = self.scan_version_number(start)?;
                let mut token = Token::new(Kind::VersionDirective, start, self.mark);
                token.version = (major, minor);
                token
            }
            "TAG" => {
                self.skip_blanks()?;
                let handle = self.scan_tag_handle(true, start)?;
                self.need(1)?;
                if !self.is_blank(0) {
                    return Err(self.error(start, "did not find expected whitespace"));
                }
                self.skip_blanks()?;
                let prefix = self.scan_tag_uri(None, start)?;
                self.need(1)?;
                if !self.is_blankz(0) {
                    return Err(self.error(start, "did not find expected whitespace or line break"));
                }
                let mut token = Token::new(Kind::TagDirective, start, self.mark).with(handle);
                token.suffix = Some(prefix);
                token
            }
            _ => return Err(self.error(start, "found unknown directive name")),
        };
        self.skip_blanks()?;
        self.skip_comment()?;
        if !self.is_breakz(0) {
            return Err(self.error(start, "did not find expected comment or line break"));
        }
        if self.is_break(0) {
            self.need(2)?;
            self.step_line();
        }
        Ok(token)
    }

    /// One or two digits.
    fn scan_version_number(&mut self, start: Mark) -> Result<u8, Error> {
        self.need(1)?;
        let mut digits = 0;
        let mut value = 0u8;
        while self.byte(0).is_ascii_digit() {
            digits += 1;
            if digits > 2 {
                return Err(self.error(start, "found extremely long version number"));
            }
            value = value * 10 + (self.byte(0) - b'0');
            self.step();
            self.need(1)?;
        }
        if digits == 0 {
            return Err(self.error(start, "did not find expected version number"));
        }
        Ok(value)
    }

    pub(crate) fn scan_tag(&mut self) -> Result<Token, Error> {
        let start = self.mark;
        self.need(2)?;
        let (handle, suffix): (Rc<str>, Rc<str>);
        if self.byte(1) == b'<' {
            self.step();
            self.step();
            suffix = self.scan_tag_uri(None, start)?;
            handle = Rc::from("");
            if self.byte(0) != b'>' {
                return Err(self.error(start, "did not find the expected '>'"));
            }
            self.step();
        } else {
            let first = self.scan_tag_handle(false, start)?;
            if first.len() > 1 && first.ends_with('!') {
                suffix = self.scan_tag_uri(None, start)?;
                handle = first;
            } else {
                let rest = self.scan_tag_uri(Some(&first), start)?;
                // A lone `!` is the non-specific tag.
                if rest.is_empty() {
                    (handle, suffix) = (Rc::from(""), Rc::from("!"));
                } else {
                    (handle, suffix) = (Rc::from("!"), rest);
                }
            }
        }
        self.need(1)?;
        if !self.is_blankz(0) {
            return Err(self.error(start, "did not find expected whitespace or line break"));
        }
        let mut token = Token::new(Kind::Tag, start, self.mark).with(handle);
        token.suffix = Some(suffix);
        Ok(token)
    }

    /// `!`, `!word` or `!word!`; in a directive the second form is refused.
    fn scan_tag_handle(&mut self, directive: bool, start: Mark) -> Result<Rc<str>, Error> {
        self.need(1)?;
        if self.byte(0) != b'!' {
            return Err(self.error(start, "did not find expected '!'"));
        }
        let from = self.mark.pos;
        self.step();
        self.need(1)?;
        self.scan_word()?;
        if self.byte(0) == b'!' {
            self.step();
        } else if directive && self.mark.pos - from > 1 {
            return Err(self.error(start, "did not find expected '!'"));
        }
        Ok(Rc::from(&self.text[from..self.mark.pos]))
    }

    /// The URI part of a tag, with `%xx` decoded. `head` is what was taken for a handle and is part of it after all.
    fn scan_tag_uri(&mut self, head: Option<&str>, start: Mark) -> Result<Rc<str>, Error> {
        let mut bytes: Vec<u8> = head.map(|h| h.as_bytes()[1..].to_vec()).unwrap_or_default();
        let mut found = head.is_some();
        self.need(1)?;
        loop {
            match self.byte(0) {
                b'%' => self.scan_uri_escape(start, &mut bytes)?,
                b if is_word(b) || b";/?:@&=+$,.!~*'()[]".contains(&b) => {
                    bytes.push(b);
                    self.step();
                }
                _ => break,
            }
            self.need(1)?;
            found = true;
        }
        if !found {
            return Err(self.error(start, "did not find expected tag URI"));
        }
        Ok(Rc::from(String::from_utf8_lossy(&bytes)))
    }

    /// The octets of one character, each as `%xx`.
    fn scan_uri_escape(&mut self, start: Mark, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let mut left = None;
        while left != Some(0) {
            self.need(3)?;
            let digits = (char::from(self.byte(1)).to_digit(16), char::from(self.byte(2)).to_digit(16));
            let (b'%', (Some(high), Some(low))) = (self.byte(0), digits) else {
                return Err(self.error(start, "did not find URI escaped octet"));
            };
            let octet = (high << 4 | low) as u8;
            left = Some(match left {
                None => match octet {
                    0x00..=0x7F => 0,
                    0xC0..=0xDF => 1,
                    0xE0..=0xEF => 2,
                    0xF0..=0xF7 => 3,
                    _ => return Err(self.error(start, "found an incorrect leading UTF-8 octet")),
                },
                Some(n) if octet & 0xC0 == 0x80 => n - 1,
                Some(_) => return Err(self.error(start, "found an incorrect trailing UTF-8 octet")),
            });
            bytes.push(octet);
            for _ in 0..3 {
                self.step();
            }
        }
        Ok(())
    }
}
