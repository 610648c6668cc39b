//! JSON texts as Go's `encoding/json` reads them: its grammar, its error texts, what is not UTF-8 replaced, the last of
//! equal keys kept.

use crate::{Json, SortedMap};
use std::rc::Rc;

/// Nested arrays and objects that we follow (Go stops at 10 000, which a small native stack cannot).
const DEPTH: u32 = 500;

/// Reads one JSON value that fills the text. The error is Go's text. Numbers that [`Tree::number`] refuses are null in
/// the value, and the second part then has the error that Go reports beside it.
pub fn parse<T: Tree>(text: &[u8]) -> Result<(T, Option<String>), String> {
    let mut reader = Reader { text, at: 0, range_error: None };
    let value: T = reader.value(0)?;
    reader.spaces();
    if let Some(&b) = text.get(reader.at) {
        return Err(format!("invalid character {} after top-level value", shown(b)));
    }
    Ok((value, reader.range_error))
}

/// What a reader builds.
pub trait Tree: Sized {
    /// `null`.
    fn null() -> Self;
    /// `true` or `false`.
    fn bool(b: bool) -> Self;
    /// A number as it is written; `Err` is Go's complaint about it, and the value is then null.
    fn number(text: &str) -> Result<Self, String>;
    /// A text.
    fn text(text: String) -> Self;
    /// An array.
    fn list(items: Vec<Self>) -> Self;
    /// An object.
    fn map(members: SortedMap<Rc<str>, Self>) -> Self;
}

impl Tree for Json {
    fn null() -> Json {
        Json::Null
    }

    fn bool(b: bool) -> Json {
        Json::Bool(b)
    }

    /// Whole numbers that fit 64 signed bits are [`Json::Int`], all others floats.
    fn number(text: &str) -> Result<Json, String> {
        if let Ok(n) = text.parse::<i64>() {
            return Ok(if n == 0 && text.starts_with('-') { Json::Float(-0.0) } else { Json::Int(n) });
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Json::Float(value)),
            _ => Err(format!("json: cannot unmarshal number {text} into Go value of type float64")),
        }
    }

    fn text(text: String) -> Json {
        Json::str(text)
    }

    fn list(items: Vec<Json>) -> Json {
        Json::list(items)
    }

    fn map(members: SortedMap<Rc<str>, Json>) -> Json {
        Json::Map(Rc::new(members))
    }
}

/// Reads the first value of a text as Go's `json.Decoder` does, and refuses a second one. The error is Go's text.
pub fn decode<T: Tree>(text: &[u8]) -> Result<T, String> {
    let mut reader = Reader { text, at: 0, range_error: None };
    let value = reader.value(0).map_err(|error| match text.len() {
        len if reader.at < len => error,
        _ if text.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')) => "EOF".into(),
        _ => "unexpected EOF".into(),
    })?;
    let end = reader.at;
    reader.spaces();
    match text.get(reader.at) {
        None => Ok(value),
        // The end of a bare word or text is only seen one byte later.
        Some(&b) if reader.at == end && !matches!(text[end - 1], b'}' | b']') => {
            Err(format!("invalid character {} after top-level value", shown(b)))
        }
        Some(_) => Err("invalid character after top-level value".into()),
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// Go reports a number out of range only when the syntax of the whole is fine.
    range_error: Option<String>,
}

/// A character as Go's scanner quotes it in errors.
fn shown(b: u8) -> String {
    match b {
        b'\'' => r"'\''".into(),
        b'"' => "'\"'".into(),
        7 => r"'\a'".into(),
        8 => r"'\b'".into(),
        9 => r"'\t'".into(),
        10 => r"'\n'".into(),
        11 => r"'\v'".into(),
        12 => r"'\f'".into(),
        13 => r"'\r'".into(),
        b'\\' => r"'\\'".into(),
        b if b < 0x20 || b == 0x7f => format!(r"'\x{b:02x}'"),
        b => format!("'{}'", b as char),
    }
}

impl Reader<'_> {
    fn spaces(&mut self) {
        while self.text.get(self.at).is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn fail<T>(&self, context: &str) -> Result<T, String> {
        Err(match self.text.get(self.at) {
            Some(&b) => format!("invalid character {} {context}", shown(b)),
            // At the end Go feeds its scanner one more blank, which only these places refuse.
            None if ["in literal", "escape", "numeric literal"].iter().any(|place| context.contains(place)) => {
                format!("invalid character ' ' {context}")
            }
            None => "unexpected end of JSON input".into(),
        })
    }

    fn value<T: Tree>(&mut self, depth: u32) -> Result<T, String> {
        self.spaces();
        if depth > DEPTH {
            return Err("exceeded max depth".into());
        }
        match self.text.get(self.at) {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(T::text(self.string()?)),
            Some(b't') => self.word("true").map(|()| T::bool(true)),
            Some(b'f') => self.word("false").map(|()| T::bool(false)),
            Some(b'n') => self.word("null").map(|()| T::null()),
            Some(b'-' | b'0'..=b'9') => {
                let number = T::number(self.number()?);
                Ok(number.unwrap_or_else(|error| {
                    self.range_error.get_or_insert(error);
                    T::null()
                }))
            }
            _ => self.fail("looking for beginning of value"),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        for (i, expected) in word.bytes().enumerate() {
            if self.text.get(self.at) != Some(&expected) {
                return self.fail(&format!("in literal {word} (expecting '{}')", &word[i..=i]));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn digits(&mut self, context: &str) -> Result<(), String> {
        if !self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            return self.fail(context);
        }
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<&str, String> {
        let from = self.at;
        if self.text[self.at] == b'-' {
            self.at += 1;
        }
        match self.text.get(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits("in numeric literal")?,
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits("after decimal point in numeric literal")?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.text.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits("in exponent of numeric literal")?;
        }
        Ok(std::str::from_utf8(&self.text[from..self.at]).unwrap_or("0"))
    }

    fn string(&mut self) -> Result<String, String> {
        let mut out: Vec<u8> = Vec::new();
        self.at += 1;
        loop {
            match self.text.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut out)?;
                }
                Some(&b) if b >= 0x20 => {
                    out.push(b);
                    self.at += 1;
                }
                _ => return self.fail("in string literal"),
            }
        }
        self.at += 1;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    fn hex4(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            match self.text.get(self.at).and_then(|b| (*b as char).to_digit(16)) {
                Some(digit) => code = code * 16 + digit,
                None => return self.fail(r"in \u hexadecimal character escape"),
            }
            self.at += 1;
        }
        Ok(code)
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        let plain = match self.text.get(self.at) {
            Some(b @ (b'"' | b'\\' | b'/')) => *b,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                self.at += 1;
                let mut code = self.hex4()?;
                if (0xd800..0xdc00).contains(&code) && self.text[self.at..].starts_with(br"\u") {
                    let back = self.at;
                    self.at += 2;
                    let low = self.hex4()?;
                    if (0xdc00..0xe000).contains(&low) {
                        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                    } else {
                        self.at = back;
                    }
                }
                let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return self.fail("in string escape code"),
        };
        out.push(plain);
        self.at += 1;
        Ok(())
    }

    fn array<T: Tree>(&mut self, depth: u32) -> Result<T, String> {
        self.at += 1;
        let mut items = Vec::new();
        self.spaces();
        if self.text.get(self.at) == Some(&b']') {
            self.at += 1;
            return Ok(T::list(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.spaces();
            match self.text.get(self.at) {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return self.fail("after array element"),
            }
        }
        self.at += 1;
        Ok(T::list(items))
    }

    fn object<T: Tree>(&mut self, depth: u32) -> Result<T, String> {
        self.at += 1;
        let mut members: Vec<(Rc<str>, T)> = Vec::new();
        self.spaces();
        if self.text.get(self.at) == Some(&b'}') {
            self.at += 1;
            return Ok(T::map(SortedMap::new()));
        }
        let mut context = "looking for beginning of object key string";
        loop {
            self.spaces();
            if self.text.get(self.at) != Some(&b'"') {
                return self.fail(context);
            }
            let key = self.string()?;
            self.spaces();
            if self.text.get(self.at) != Some(&b':') {
                return self.fail("after object key");
            }
            self.at += 1;
            let value = self.value(depth + 1)?;
            members.push((key.into(), value));
            self.spaces();
            match self.text.get(self.at) {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return self.fail("after object key:value pair"),
            }
            context = "looking for beginning of object key string";
        }
        self.at += 1;
        Ok(T::map(members.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_gos_words() {
        for (text, want) in [
            ("", "unexpected end of JSON input"),
            ("{", "unexpected end of JSON input"),
            ("{a}", "invalid character 'a' looking for beginning of object key string"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string"),
            ("[1 2]", "invalid character '2' after array element"),
            ("nul", "invalid character ' ' in literal null (expecting 'l')"),
            ("1.", "invalid character ' ' after decimal point in numeric literal"),
            ("nulx", "invalid character 'x' in literal null (expecting 'l')"),
            ("1 2", "invalid character '2' after top-level value"),
            ("\u{1}", r"invalid character '\x01' looking for beginning of value"),
            ("01", "invalid character '1' after top-level value"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("\"\\x\"", "invalid character 'x' in string escape code"),
        ] {
            assert_eq!(parse::<Json>(text.as_bytes()).unwrap_err(), want, "{text}");
        }
        assert_eq!(parse(br#""\ud83d\ude00""#), Ok((Json::str("😀"), None)));
    }
}
