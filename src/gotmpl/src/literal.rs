//! Literals of template source: strings, characters and numbers, as Go's `strconv` reads them.

use crate::lex::decode;

/// A number literal: which types it can become, and its value as each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Number {
    pub int: Option<i64>,
    pub uint: Option<u64>,
    pub float: Option<f64>,
    pub complex: Option<(f64, f64)>,
}

/// `strconv.Unquote` for `"…"` and `` `…` ``; `None` is `invalid syntax`.
pub(crate) fn unquote(text: &[u8]) -> Option<Vec<u8>> {
    let inner = text.get(1..text.len().checked_sub(1)?)?;
    if text[0] == b'`' {
        return Some(inner.iter().copied().filter(|b| *b != b'\r').collect());
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while !rest.is_empty() {
        let (piece, used) = unquote_char(rest, b'"')?;
        match piece {
            Piece::Byte(b) => out.push(b),
            Piece::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        rest = &rest[used..];
    }
    Some(out)
}

enum Piece {
    Byte(u8),
    Char(char),
}

/// `strconv.UnquoteChar`: one character or byte and how much text it took.
fn unquote_char(text: &[u8], quote: u8) -> Option<(Piece, usize)> {
    let first = *text.first()?;
    if first == quote {
        return None;
    }
    if first != b'\\' {
        let (c, width) = decode(text);
        return Some((Piece::Char(c), width));
    }
    let hex = |n: usize| -> Option<u32> {
        let digits = text.get(2..2 + n)?;
        digits.iter().try_fold(0u32, |v, b| Some(v << 4 | (*b as char).to_digit(16)?))
    };
    let byte = |b: u8| Some((Piece::Byte(b), 2));
    match *text.get(1)? {
        b'a' => byte(7),
        b'b' => byte(8),
        b'f' => byte(12),
        b'n' => byte(b'\n'),
        b'r' => byte(b'\r'),
        b't' => byte(b'\t'),
        b'v' => byte(11),
        b'x' => Some((Piece::Byte(hex(2)? as u8), 4)),
        b'u' => Some((Piece::Char(char::from_u32(hex(4)?)?), 6)),
        b'U' => Some((Piece::Char(char::from_u32(hex(8)?)?), 10)),
        b'0'..=b'7' => {
            let digits = text.get(1..4)?;
            let v = digits.iter().try_fold(0u32, |v, b| Some(v << 3 | (*b as char).to_digit(8)?))?;
            Some((Piece::Byte(u8::try_from(v).ok()?), 4))
        }
        b'\\' => byte(b'\\'),
        b @ (b'\'' | b'"') if b == quote => byte(b),
        _ => None,
    }
}

/// A character constant `'x'`.
pub(crate) fn char_constant(text: &[u8]) -> Result<Number, String> {
    let (piece, used) = unquote_char(&text[1..], b'\'').ok_or("invalid syntax")?;
    if &text[1 + used..] != b"'" {
        return Err(format!("malformed character constant: {}", String::from_utf8_lossy(text)));
    }
    let n = match piece {
        Piece::Byte(b) => u32::from(b),
        Piece::Char(c) => c as u32,
    };
    Ok(Number { int: Some(n.into()), uint: Some(n.into()), float: Some(n.into()), complex: None })
}

/// A number; `complex` when the lexer saw two parts.
pub(crate) fn number(text: &str, complex: bool) -> Result<Number, String> {
    let quoted = || crate::quote::go_quote(text.as_bytes());
    if complex {
        // The second sign splits real and imaginary part; a sign right after an exponent letter does not.
        let bytes = text.as_bytes();
        let split = (1..bytes.len())
            .rev()
            .find(|&i| matches!(bytes[i], b'+' | b'-') && !matches!(bytes[i - 1] | 32, b'e' | b'p'));
        if text.ends_with("+i") || text.ends_with("-i") {
            return Err("syntax error scanning complex number".into());
        }
        let (re, im) = text.split_at(split.unwrap_or(0));
        let im = im.strip_suffix('i').unwrap_or(im);
        let part = |t: &str| {
            let quoted = crate::quote::go_quote(t.as_bytes());
            float(t).ok_or_else(|| format!("strconv.ParseFloat: parsing {quoted}: invalid syntax"))
        };
        let (re, im) = (part(re)?, part(im)?);
        return Ok(simplify(re, im));
    }
    if let Some(im) = text.strip_suffix('i').and_then(float) {
        return Ok(simplify(0.0, im));
    }
    let mut n = Number { int: parse_int(text), uint: parse_uint(text), ..Number::default() };
    if n.int == Some(0) {
        n.uint = Some(0);
    }
    n.float = match (n.int, n.uint) {
        (Some(i), _) => Some(i as f64),
        (None, Some(u)) => Some(u as f64),
        (None, None) => {
            let f = float(text).ok_or_else(|| format!("illegal number syntax: {}", quoted()))?;
            if !text.contains(['.', 'e', 'E', 'p', 'P']) {
                return Err(format!("integer overflow: {}", quoted()));
            }
            n.int = exact_int(f);
            n.uint = exact_uint(f);
            Some(f)
        }
    };
    Ok(n)
}

fn exact_int(f: f64) -> Option<i64> {
    (f.fract() == 0.0 && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&f)).then_some(f as i64)
}

fn exact_uint(f: f64) -> Option<u64> {
    (f.fract() == 0.0 && (0.0..18_446_744_073_709_551_616.0).contains(&f)).then_some(f as u64)
}

fn simplify(re: f64, im: f64) -> Number {
    let mut n = Number { complex: Some((re, im)), ..Number::default() };
    if im == 0.0 {
        n.float = Some(re);
        n.int = exact_int(re);
        n.uint = exact_uint(re);
    }
    n
}

/// Whether underscores only separate digits (or follow a base prefix).
fn underscores_fit(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text).as_bytes();
    let prefixed = text.len() >= 2 && text[0] == b'0' && matches!(text[1] | 32, b'b' | b'o' | b'x');
    let hex = prefixed && text[1] | 32 == b'x';
    let (mut last, rest) = if prefixed { (b'0', &text[2..]) } else { (b'^', text) };
    for &b in rest {
        last = if b.is_ascii_digit() || hex && b.is_ascii_hexdigit() {
            b'0'
        } else if b == b'_' {
            if last != b'0' {
                return false;
            }
            b'_'
        } else {
            if last == b'_' {
                return false;
            }
            b'!'
        };
    }
    last != b'_'
}

/// `strconv.ParseUint(text, 0, 64)`.
fn parse_uint(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let (digits, base) = if let Some(d) = lower.strip_prefix("0x") {
        (d, 16)
    } else if let Some(d) = lower.strip_prefix("0b") {
        (d, 2)
    } else if let Some(d) = lower.strip_prefix("0o") {
        (d, 8)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (&lower[1..], 8)
    } else {
        (lower.as_str(), 10)
    };
    if !underscores_fit(text) {
        return None;
    }
    let plain: String = digits.chars().filter(|c| *c != '_').collect();
    if plain.is_empty() || plain.starts_with(['+', '-']) {
        return None;
    }
    u64::from_str_radix(&plain, base).ok()
}

/// `strconv.ParseInt(text, 0, 64)`.
fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let n = parse_uint(digits)?;
    if negative { (n <= 1 << 63).then(|| (n as i64).wrapping_neg()) } else { i64::try_from(n).ok() }
}

/// `strconv.ParseFloat(text, 64)`; `None` for bad syntax and for values out of range.
pub(crate) fn float(text: &str) -> Option<f64> {
    if text.contains('_') && !underscores_fit(text) {
        return None;
    }
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(&plain);
    if let Some(hex) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let f = hex_float(hex)?;
        return Some(if plain.starts_with('-') { -f } else { f });
    }
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    plain.parse::<f64>().ok().filter(|f| f.is_finite())
}

/// `h.hhhp±d` with a mandatory exponent, rounded to nearest even.
fn hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent: i64 = exponent.parse().ok()?;
    let (mut bits, mut sticky, mut digits, mut point) = (0u64, false, 0, false);
    for c in mantissa.chars() {
        if c == '.' {
            if point {
                return None;
            }
            point = true;
            continue;
        }
        let digit = c.to_digit(16)?;
        digits += 1;
        if bits >> 58 == 0 {
            bits = bits << 4 | u64::from(digit);
            exponent -= if point { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            exponent += if point { 0 } else { 4 };
        }
    }
    if digits == 0 {
        return None;
    }
    // The lowest of 62 bits can stand for all dropped ones; the conversion then rounds once for normal numbers.
    let mut f = (bits | u64::from(sticky)) as f64;
    let mut left = exponent.clamp(-3000, 3000);
    while left != 0 {
        let step = left.clamp(-500, 500);
        f *= 2f64.powi(step as i32);
        left -= step;
    }
    f.is_finite().then_some(f)
}
