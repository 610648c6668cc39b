//! The directives of `fmt`: padding, signs, bases, quoting, and floats as `strconv.FormatFloat` writes them.

use crate::lex::decode;
use crate::quote::{quote_char, quote_into};

/// Flags, width and precision of one directive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spec {
    pub minus: bool,
    pub plus: bool,
    pub sharp: bool,
    pub space: bool,
    pub zero: bool,
    pub plus_v: bool,
    pub sharp_v: bool,
    pub width: Option<usize>,
    pub prec: Option<usize>,
}

/// The number of characters, an invalid byte counting as one.
fn count(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    bytes
        .utf8_chunks()
        .map(|c| c.valid().chars().count() + if c.invalid().is_empty() { 0 } else { c.invalid().len() })
        .sum()
}

impl Spec {
    fn fill(&self, out: &mut Vec<u8>, n: usize) {
        let byte = if self.zero && !self.minus { b'0' } else { b' ' };
        out.resize(out.len() + n, byte);
    }

    /// Appends `text`, padded to the width.
    pub(crate) fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let missing = self.width.map_or(0, |w| w.saturating_sub(count(text)));
        if !self.minus {
            self.fill(out, missing);
        }
        out.extend_from_slice(text);
        if self.minus {
            self.fill(out, missing);
        }
    }

    fn pad_spaces(&self, out: &mut Vec<u8>, text: &[u8]) {
        Spec { zero: false, ..*self }.pad(out, text);
    }

    fn cut<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let Some(prec) = self.prec else { return text };
        let mut at = 0;
        for _ in 0..prec {
            at += decode(&text[at..]).1;
            if at >= text.len() {
                return text;
            }
        }
        &text[..at]
    }

    /// `%s`.
    pub(crate) fn string(&self, out: &mut Vec<u8>, text: &[u8]) {
        self.pad(out, self.cut(text));
    }

    /// `%q`.
    pub(crate) fn quoted(&self, out: &mut Vec<u8>, text: &[u8]) {
        let text = self.cut(text);
        let raw = self.sharp
            && std::str::from_utf8(text).is_ok_and(|t| {
                t.chars().all(|c| c != '\u{feff}' && c != '`' && c != '\u{7f}' && (c >= ' ' || c == '\t'))
            });
        let mut quoted = Vec::with_capacity(text.len() + 2);
        if raw {
            quoted.push(b'`');
            quoted.extend_from_slice(text);
            quoted.push(b'`');
        } else {
            quote_into(&mut quoted, text, b'"', self.plus);
        }
        self.pad(out, &quoted);
    }

    /// `%x` of bytes.
    pub(crate) fn hex_bytes(&self, out: &mut Vec<u8>, text: &[u8], upper: bool) {
        let text = &text[..self.prec.unwrap_or(text.len()).min(text.len())];
        let digits: &[u8; 16] = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
        let prefix: &[u8] = if !self.sharp {
            b""
        } else if upper {
            b"0X"
        } else {
            b"0x"
        };
        let mut hex = Vec::with_capacity(text.len() * 2);
        for (i, b) in text.iter().enumerate() {
            if i > 0 && self.space {
                hex.push(b' ');
            }
            if i == 0 || self.space {
                hex.extend_from_slice(prefix);
            }
            hex.push(digits[usize::from(b >> 4)]);
            hex.push(digits[usize::from(b & 15)]);
        }
        self.pad(out, &hex);
    }

    /// `%c`.
    pub(crate) fn char(&self, out: &mut Vec<u8>, n: u64) {
        self.pad(out, rune(n).encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// `%q` of an integer.
    pub(crate) fn quoted_char(&self, out: &mut Vec<u8>, n: u64) {
        let mut quoted = vec![b'\''];
        quote_char(&mut quoted, rune(n), b'\'', self.plus);
        quoted.push(b'\'');
        self.pad(out, &quoted);
    }

    /// `%U`.
    pub(crate) fn code_point(&self, out: &mut Vec<u8>, n: u64) {
        let digits = self.prec.filter(|p| *p > 4).unwrap_or(4);
        let mut text = format!("U+{n:0digits$X}");
        if self.sharp
            && let Some(c) = u32::try_from(n).ok().and_then(char::from_u32)
            && crate::quote::printable(c)
        {
            text.push_str(&format!(" '{c}'"));
        }
        self.pad_spaces(out, text.as_bytes());
    }

    /// Hexadecimal with or without `0x`, whatever the flags say.
    pub(crate) fn hex(&self, out: &mut Vec<u8>, n: u64, prefix: bool) {
        Spec { sharp: prefix, ..*self }.integer(out, n, 16, false, 'v');
    }

    /// An integer in a base.
    pub(crate) fn integer(&self, out: &mut Vec<u8>, n: u64, base: u32, signed: bool, verb: char) {
        let negative = signed && (n as i64) < 0;
        let n = if negative { n.wrapping_neg() } else { n };
        let upper = verb == 'X';
        let mut digits = match base {
            2 => format!("{n:b}"),
            8 => format!("{n:o}"),
            16 if upper => format!("{n:X}"),
            16 => format!("{n:x}"),
            _ => n.to_string(),
        };
        let mut least = 0;
        if let Some(prec) = self.prec {
            if prec == 0 && n == 0 {
                // Nothing but padding.
                return self.pad_spaces(out, b"");
            }
            least = prec;
        } else if let (true, false, Some(width)) = (self.zero, self.minus, self.width) {
            least = width.saturating_sub(usize::from(negative || self.plus || self.space));
        }
        if digits.len() < least {
            digits = format!("{digits:0>least$}");
        }
        let mut text = String::with_capacity(digits.len() + 3);
        if negative {
            text.push('-');
        } else if self.plus {
            text.push('+');
        } else if self.space {
            text.push(' ');
        }
        if verb == 'O' {
            text.push_str("0o");
        }
        if self.sharp {
            match base {
                2 => text.push_str("0b"),
                8 if !digits.starts_with('0') => text.push('0'),
                16 => text.push_str(if upper { "0X" } else { "0x" }),
                _ => {}
            }
        }
        text.push_str(&digits);
        self.pad_spaces(out, text.as_bytes());
    }

    /// A float by any of its verbs; false when the verb is none.
    pub(crate) fn float_verb(&self, out: &mut Vec<u8>, f: f64, verb: char) -> bool {
        let (form, prec) = match verb {
            'v' => ('g', None),
            'b' | 'g' | 'G' | 'x' | 'X' => (verb, None),
            'f' | 'e' | 'E' => (verb, Some(6)),
            'F' => ('f', Some(6)),
            _ => return false,
        };
        self.float(out, f, form, self.prec.or(prec));
        true
    }

    fn float(&self, out: &mut Vec<u8>, f: f64, form: char, prec: Option<usize>) {
        let text = float_text(f, form, prec);
        let (sign, mut digits) = match text.strip_prefix(['-', '+']) {
            Some(rest) if text.starts_with('-') => ('-', rest.to_string()),
            Some(rest) => ('+', rest.to_string()),
            None => ('+', text),
        };
        let sign = if self.space && sign == '+' && !self.plus { ' ' } else { sign };
        if digits.starts_with(['I', 'N']) {
            let bare = digits.starts_with('N') && !self.space && !self.plus;
            let show = self.plus || sign != '+';
            let text = if bare || !show && !digits.starts_with('I') {
                digits
            } else if digits.starts_with('I') && !show {
                // An infinity keeps its sign.
                format!("+{digits}")
            } else {
                format!("{sign}{digits}")
            };
            return self.pad_spaces(out, text.as_bytes());
        }
        if self.sharp && form != 'b' {
            digits = with_point(&digits, form, prec);
        }
        if self.plus || sign != '+' {
            let len = digits.len() + 1;
            if let Some(width) = self.width
                && self.zero
                && !self.minus
                && width > len
            {
                out.push(sign as u8);
                out.resize(out.len() + width - len, b'0');
                out.extend_from_slice(digits.as_bytes());
                return;
            }
            return self.pad(out, format!("{sign}{digits}").as_bytes());
        }
        self.pad(out, digits.as_bytes());
    }
}

/// `#` with a float: a decimal point always, and trailing zeros up to the precision.
fn with_point(digits: &str, form: char, prec: Option<usize>) -> String {
    let mut wanted = match form {
        'g' | 'G' | 'x' => prec.map_or(6, |p| p as i64),
        _ => 0,
    };
    let exponent = if matches!(form, 'x' | 'X') { ['p', 'P'] } else { ['e', 'E'] };
    let cut = digits.find(exponent).unwrap_or(digits.len());
    let (number, tail) = digits.split_at(cut);
    let mut number = number.to_string();
    let mut nonzero = false;
    for c in number.chars() {
        if c == '.' {
            continue;
        }
        nonzero |= c != '0';
        wanted -= i64::from(nonzero);
    }
    if !number.contains('.') {
        if number == "0" {
            wanted -= 1;
        }
        number.push('.');
    }
    for _ in 0..wanted.max(0) {
        number.push('0');
    }
    number + tail
}

fn rune(n: u64) -> char {
    u32::try_from(n).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
}

/// `strconv.FormatFloat(f, form, prec, 64)`; no precision means the fewest digits that read back the same.
pub fn float_text(f: f64, form: char, prec: Option<usize>) -> String {
    if f.is_nan() {
        return "NaN".into();
    }
    if f.is_infinite() {
        return if f < 0.0 { "-Inf" } else { "+Inf" }.into();
    }
    let sign = if f.is_sign_negative() { "-" } else { "" };
    let abs = f.abs();
    let text = match form {
        'b' => binary(abs),
        'x' | 'X' => {
            let text = hexadecimal(abs, prec);
            if form == 'X' { text.to_uppercase() } else { text }
        }
        'f' => match prec {
            Some(prec) => format!("{abs:.prec$}"),
            None => format!("{abs}"),
        },
        'e' | 'E' => scientific(abs, prec, form),
        _ => general(abs, prec, if form == 'G' { 'E' } else { 'e' }),
    };
    format!("{sign}{text}")
}

/// Significant digits without trailing zeros, and the decimal exponent of the first.
fn digits_of(abs: f64, digits: Option<usize>) -> (String, i32) {
    let text = match digits {
        Some(n) => format!("{abs:.*e}", n.max(1) - 1),
        None => format!("{abs:e}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    (digits.trim_end_matches('0').to_string(), exponent.parse().unwrap_or(0))
}

fn exponent(e: i32, letter: char) -> String {
    format!("{letter}{}{:02}", if e < 0 { '-' } else { '+' }, e.abs())
}

fn scientific(abs: f64, prec: Option<usize>, letter: char) -> String {
    let text = match prec {
        Some(prec) => format!("{abs:.prec$e}"),
        None => format!("{abs:e}"),
    };
    let (mantissa, e) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{mantissa}{}", exponent(e.parse().unwrap_or(0), letter))
}

fn general(abs: f64, prec: Option<usize>, letter: char) -> String {
    let wanted = prec.map(|p| p.max(1));
    let (digits, e) = digits_of(abs, wanted);
    if abs == 0.0 {
        return "0".into();
    }
    let (count, point) = (digits.len() as i32, e + 1);
    let mut limit = wanted.map_or(6, |p| p as i32);
    if wanted.is_some() && limit > count && count >= point {
        limit = count;
    }
    if wanted.is_none() {
        limit = 21.min(limit);
    }
    if e < -4 || e >= limit {
        let mut text = digits[..1].to_string();
        if count > 1 {
            text.push('.');
            text.push_str(&digits[1..]);
        }
        return text + &exponent(e, letter);
    }
    if point <= 0 {
        return format!("0.{}{digits}", "0".repeat((-point) as usize));
    }
    if count <= point {
        return format!("{digits}{}", "0".repeat((point - count) as usize));
    }
    format!("{}.{}", &digits[..point as usize], &digits[point as usize..])
}

fn parts(abs: f64) -> (u64, i32) {
    let bits = abs.to_bits();
    let (mantissa, e) = (bits & ((1 << 52) - 1), (bits >> 52) as i32 & 0x7ff);
    if e == 0 { (mantissa, -1022) } else { (mantissa | 1 << 52, e - 1023) }
}

fn binary(abs: f64) -> String {
    let (mantissa, e) = parts(abs);
    format!("{mantissa}p{:+}", e - 52)
}

fn hexadecimal(abs: f64, prec: Option<usize>) -> String {
    let (mantissa, mut e) = parts(abs);
    if mantissa == 0 {
        e = 0;
    }
    // One bit before the point, sixty behind it.
    let mut m = mantissa << (60 - 52);
    while m != 0 && m & (1 << 60) == 0 {
        m <<= 1;
        e -= 1;
    }
    if let Some(prec) = prec
        && prec < 15
    {
        let shift = (prec * 4) as u32;
        let extra = (m << shift) & ((1 << 60) - 1);
        m >>= 60 - shift;
        if extra | (m & 1) > 1 << 59 {
            m += 1;
        }
        m <<= 60 - shift;
        if m & (1 << 61) != 0 {
            m >>= 1;
            e += 1;
        }
    }
    let mut digits = format!("{:015x}", m & ((1 << 60) - 1));
    match prec {
        None => digits = digits.trim_end_matches('0').to_string(),
        Some(prec) => digits = format!("{digits:0<prec$}").chars().take(prec).collect(),
    }
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{}{point}{digits}p{}{:02}", m >> 60 & 1, if e < 0 { '-' } else { '+' }, e.abs())
}
