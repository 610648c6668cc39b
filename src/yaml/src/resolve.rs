//! What a scalar is: the YAML 1.1 flavour of go-yaml v2, and the one difference of v3 that its writer needs.

use crate::timestamp::is_timestamp;
use std::borrow::Cow;

/// The long form of the tags of YAML's own types.
const LONG: &str = "tag:yaml.org,2002:";

/// What a scalar resolved to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Resolved {
    Null,
    Bool(bool),
    Int(i64),
    /// A whole number above `i64::MAX`.
    Uint(u64),
    Float(f64),
    /// The text itself.
    Str,
    /// The text itself, which looks like a timestamp.
    Timestamp,
    /// Base64 of the bytes meant.
    Binary,
}

impl Resolved {
    fn tag(self) -> &'static str {
        match self {
            Resolved::Null => "!!null",
            Resolved::Bool(_) => "!!bool",
            Resolved::Int(_) | Resolved::Uint(_) => "!!int",
            Resolved::Float(_) => "!!float",
            Resolved::Str => "!!str",
            Resolved::Timestamp => "!!timestamp",
            Resolved::Binary => "!!binary",
        }
    }
}

/// Resolves a plain scalar without a tag.
pub(crate) fn plain(text: &str) -> Resolved {
    resolve(text, true, false)
}

/// [`plain`] as v3 does it when it decides on quotes: it also knows `0o` followed by a sign. (What v3 reads as a
/// text but v2 as a truth value, such as `yes`, it quotes all the same.)
pub(crate) fn plain_v3(text: &str) -> Resolved {
    resolve(text, true, true)
}

/// Resolves a scalar with tag `tag`; the error is go-yaml's message.
pub(crate) fn tagged(tag: &str, text: &str) -> Result<Resolved, String> {
    let Some(short) = tag.strip_prefix(LONG) else { return Ok(Resolved::Str) };
    let found = match short {
        "str" => return Ok(Resolved::Str),
        "binary" => return Ok(Resolved::Binary),
        "bool" | "int" | "null" => resolve(text, false, false),
        "float" => match resolve(text, false, false) {
            Resolved::Int(n) => Resolved::Float(n as f64),
            other => other,
        },
        "timestamp" => resolve(text, true, false),
        // Unknown types keep their text.
        _ => return Ok(Resolved::Str),
    };
    if found.tag().strip_prefix("!!") == Some(short) {
        Ok(found)
    } else {
        Err(format!("cannot decode {} `{text}` as a !!{short}", found.tag()))
    }
}

fn resolve(text: &str, timestamps: bool, v3: bool) -> Resolved {
    let Some(&first) = text.as_bytes().first() else { return Resolved::Null };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        b'.' => match text {
            ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" => Resolved::Float(f64::INFINITY),
            _ if !text.contains('_') => float(text).map_or(Resolved::Str, Resolved::Float),
            _ if separates_digits(text) => float(&text.replace('_', "")).map_or(Resolved::Str, Resolved::Float),
            _ => Resolved::Str,
        },
        b'+' | b'-' | b'0'..=b'9' => match text {
            "+.inf" | "+.Inf" | "+.INF" => Resolved::Float(f64::INFINITY),
            "-.inf" | "-.Inf" | "-.INF" => Resolved::Float(f64::NEG_INFINITY),
            _ if timestamps && is_timestamp(text) => Resolved::Timestamp,
            _ => number(text, v3),
        },
        _ => Resolved::Str,
    }
}

/// Whether every `_` stands between two digits, as Go's `ParseFloat` wants it.
fn separates_digits(text: &str) -> bool {
    let digit = |b: Option<&u8>| b.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    (1..bytes.len()).all(|i| bytes[i] != b'_' || (digit(bytes.get(i - 1)) && digit(bytes.get(i + 1))))
}

fn word(text: &str) -> Resolved {
    match text {
        "true" | "True" | "TRUE" => Resolved::Bool(true),
        "false" | "False" | "FALSE" => Resolved::Bool(false),
        "~" | "null" | "Null" | "NULL" => Resolved::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Resolved::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Resolved::Bool(false),
        _ => Resolved::Str,
    }
}

fn number(text: &str, v3: bool) -> Resolved {
    let plain: Cow<'_, str> = if text.contains('_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) };
    let plain = &*plain;
    if let Some(n) = signed(plain) {
        return Resolved::Int(n);
    }
    if let Some(n) = unsigned(plain) {
        return Resolved::Uint(n);
    }
    if let Some(f) = float(plain) {
        return Resolved::Float(f);
    }
    // After the prefix go-yaml reads a signed number once more: `0b-1` is -1.
    let prefixes: &[(&str, u32)] = if v3 { &[("0b", 2), ("0o", 8)] } else { &[("0b", 2)] };
    for &(prefix, radix) in prefixes {
        if let Some(n) = plain.strip_prefix(prefix).and_then(|digits| i64::from_str_radix(digits, radix).ok()) {
            return Resolved::Int(n);
        }
    }
    Resolved::Str
}

/// Go's `ParseInt(text, 0, 64)` on a text without underscores.
fn signed(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    let magnitude = unsigned(digits)?;
    if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

/// Go's `ParseUint(text, 0, 64)` on a text without underscores.
fn unsigned(text: &str) -> Option<u64> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, &text[2..]),
        [b'0', b'o' | b'O', _, ..] => (8, &text[2..]),
        [b'0', b'b' | b'B', _, ..] => (2, &text[2..]),
        [b'0'] => return Some(0),
        [b'0', ..] => (8, &text[1..]),
        _ => (10, text),
    };
    // Rust would accept a sign here.
    if !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// `[-+]?(\.d+|d+(\.d*)?)([eE][-+]?d+)?`, when it is not too large for 64 bits.
fn float(text: &str) -> Option<f64> {
    let digits = |s: &mut &[u8]| {
        let count = s.iter().take_while(|b| b.is_ascii_digit()).count();
        *s = &s[count..];
        count
    };
    let mut rest = text.as_bytes();
    if matches!(rest.first(), Some(b'+' | b'-')) {
        rest = &rest[1..];
    }
    let whole = digits(&mut rest);
    if rest.first() == Some(&b'.') {
        rest = &rest[1..];
        if digits(&mut rest) == 0 && whole == 0 {
            return None;
        }
    } else if whole == 0 {
        return None;
    }
    if matches!(rest.first(), Some(b'e' | b'E')) {
        rest = &rest[1..];
        if matches!(rest.first(), Some(b'+' | b'-')) {
            rest = &rest[1..];
        }
        if digits(&mut rest) == 0 {
            return None;
        }
    }
    if !rest.is_empty() {
        return None;
    }
    text.parse::<f64>().ok().filter(|f| f.is_finite())
}

/// Whether `text` is a number to base 60 (`1:30`): go-yaml reads it as a text but writes it in quotes.
pub(crate) fn is_base60(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(colon) = bytes.iter().position(|&b| b == b':') else { return false };
    let (head, mut rest) = bytes.split_at(colon);
    let head = head.strip_prefix(b"+").or(head.strip_prefix(b"-")).unwrap_or(head);
    let digit_or_low_line = |b: &u8| b.is_ascii_digit() || *b == b'_';
    if !head.first().is_some_and(u8::is_ascii_digit) || !head.iter().all(digit_or_low_line) {
        return false;
    }
    while let [b':', tail @ ..] = rest {
        rest = match tail {
            [b'0'..=b'5', b'0'..=b'9', rest @ ..] | [b'0'..=b'9', rest @ ..] => rest,
            _ => return false,
        };
    }
    match rest {
        [] => true,
        [b'.', fraction @ ..] => fraction.iter().all(digit_or_low_line),
        _ => false,
    }
}
