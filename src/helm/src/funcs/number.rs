//! Numbers from texts as Go's `strconv` reads them, and the lenient conversions of spf13/cast.

/// `strconv.ParseInt(text, 0, 64)`: sign, prefixes `0x 0o 0b 0`, underscores between digits. `None` on any error,
/// overflow included.
pub(crate) fn parse_int(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (base, body) = match digits {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, rest),
        [b'0', b'o' | b'O', rest @ ..] => (8, rest),
        [b'0', rest @ ..] if !rest.is_empty() => (8, rest),
        rest => (10, rest),
    };
    if digits.contains(&b'_') && !underscores_fit(digits) {
        return None;
    }
    magnitude(body, base, negative)
}

/// `strconv.ParseInt(text, base, 64)` for a given base: no prefix, no underscores.
pub(crate) fn parse_int_base(text: &[u8], base: u32) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.contains(&b'_') {
        return None;
    }
    magnitude(digits, base, negative)
}

fn magnitude(digits: &[u8], base: u32, negative: bool) -> Option<i64> {
    let mut n: u64 = 0;
    let mut any = false;
    for &b in digits {
        if b == b'_' {
            continue;
        }
        let digit = (b as char).to_digit(base)?;
        n = n.checked_mul(u64::from(base))?.checked_add(u64::from(digit))?;
        any = true;
    }
    match (any, negative) {
        (false, _) => None,
        (true, true) if n <= 1 << 63 => Some((n as i64).wrapping_neg()),
        (true, true) => None,
        (true, false) => i64::try_from(n).ok(),
    }
}

/// Whether underscores stand only between digits (a base prefix counts as one).
fn underscores_fit(text: &[u8]) -> bool {
    let text = match text {
        [b'-' | b'+', rest @ ..] => rest,
        rest => rest,
    };
    let prefixed = text.len() >= 2 && text[0] == b'0' && matches!(text[1] | 0x20, b'b' | b'o' | b'x');
    let hex = prefixed && text[1] | 0x20 == b'x';
    let mut last = if prefixed { b'0' } else { b'^' };
    for &b in &text[if prefixed { 2 } else { 0 }..] {
        let digit = b.is_ascii_digit() || hex && b.is_ascii_hexdigit();
        match (digit, b) {
            (true, _) => last = b'0',
            (false, b'_') if last != b'0' => return false,
            (false, b'_') => last = b'_',
            _ if last == b'_' => return false,
            _ => last = b'!',
        }
    }
    last != b'_'
}

/// `strconv.ParseFloat(text, 64)`. `None` on any error; overflow to infinity is one too.
pub(crate) fn parse_float(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    let (sign, body) = match text.as_bytes().first() {
        Some(b'-') => (-1.0, &text[1..]),
        Some(b'+') => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let signed = body.len() != text.len();
    if body.eq_ignore_ascii_case("inf") || body.eq_ignore_ascii_case("infinity") {
        return Some(sign * f64::INFINITY);
    }
    if body.eq_ignore_ascii_case("nan") {
        return (!signed).then_some(f64::NAN);
    }
    if body.contains('_') && !underscores_fit(text.as_bytes()) {
        return None;
    }
    let body: String = body.chars().filter(|&c| c != '_').collect();
    if let Some(hex) = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
        return parse_hex(hex).map(|f| sign * f);
    }
    // Rust reads the same decimal grammar, and `inf` and `nan`, which are gone by here.
    if !body.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')) {
        return None;
    }
    let value: f64 = body.parse().ok()?;
    value.is_finite().then_some(sign * value)
}

/// A hexadecimal float after its `0x`; the exponent is required.
fn parse_hex(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut mantissa = 0f64;
    for c in whole.chars().chain(fraction.chars()) {
        mantissa = mantissa * 16.0 + f64::from(c.to_digit(16)?);
    }
    let value = mantissa * 2f64.powi(exponent - 4 * fraction.len() as i32);
    value.is_finite().then_some(value)
}

/// Go's conversion of a float to `int64` on amd64: truncation, and the least value for what does not fit.
pub(crate) fn truncate(f: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&f) { f as i64 } else { i64::MIN }
}

/// A text as cast's `ToInt64` takes it: one trailing `.000` is cut first.
pub(crate) fn text_to_int(text: &[u8]) -> i64 {
    let zeros = text.iter().rev().take_while(|&&b| b == b'0').count();
    let rest = &text[..text.len() - zeros];
    let cut = match rest {
        [head @ .., b'.'] if zeros > 0 => head,
        _ => text,
    };
    parse_int(cut).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_follow_strconv() {
        for (text, want) in [
            ("1_000", Some(1000)),
            ("0_7", Some(7)),
            ("_1", None),
            ("0x_1F", Some(31)),
            ("0b11", Some(3)),
            ("0o17", Some(15)),
            ("08", None),
            ("+5", Some(5)),
            ("-0x8000000000000000", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("1__0", None),
            ("1_", None),
            ("", None),
            ("-", None),
            ("0", Some(0)),
        ] {
            assert_eq!(parse_int(text.as_bytes()), want, "{text}");
        }
        assert_eq!(text_to_int(b"5.000"), 5);
        assert_eq!(text_to_int(b"3.7"), 0);
        assert_eq!(text_to_int(b"100"), 100);
        assert_eq!(text_to_int(b"5."), 0);
    }

    #[test]
    fn floats_follow_strconv() {
        for (text, want) in [
            ("1_000.5", Some(1000.5)),
            ("0x1p-2", Some(0.25)),
            ("1e400", None),
            ("+Inf", Some(f64::INFINITY)),
            ("-nan", None),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("1e", None),
            ("0x10", None),
            (" 1", None),
            ("infi", None),
        ] {
            assert_eq!(parse_float(text.as_bytes()), want, "{text}");
        }
    }
}
