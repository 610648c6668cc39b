//! Exact decimal numbers as schemas compare them, and the way their messages print them: English digit groups, and
//! `1.5×10⁰⁶` from a million on.

use std::cmp::Ordering;

/// `(-1)^negative × digits × 10^exponent`; the digits have no zero at either end, and zero has none.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Number {
    /// Reads `-12.5e3`. `None` for what is not a number.
    pub(crate) fn parse(text: &str) -> Option<Number> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        // Beyond any size that matters, but still of the right sign.
        let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN / 4 } else { i64::MAX / 4 });
        let mut exponent = exponent.clamp(i64::MIN / 4, i64::MAX / 4) - fraction.len() as i64;
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent += 1;
        }
        let zeros = digits.iter().take_while(|&&d| d == b'0').count();
        digits.drain(..zeros);
        let zero = digits.is_empty();
        Some(Number { negative: negative && !zero, digits, exponent: if zero { 0 } else { exponent } })
    }

    /// Whether there is nothing after the point.
    pub(crate) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The whole number, when it is one; beyond 64 bits, the nearest that fits.
    pub(crate) fn as_int(&self) -> Option<i64> {
        self.is_integer().then(|| self.to_float() as i64)
    }

    /// Which is larger.
    pub(crate) fn compare(&self, other: &Number) -> Ordering {
        let sign = |n: &Number| if n.digits.is_empty() { 0 } else { 1 - 2 * i32::from(n.negative) };
        sign(self).cmp(&sign(other)).then_with(|| {
            let place = |n: &Number| n.digits.len() as i64 + n.exponent;
            let size = place(self).cmp(&place(other)).then_with(|| self.digits.cmp(&other.digits));
            if self.negative { size.reverse() } else { size }
        })
    }

    /// Whether it is `other` times a whole number. `other` is not zero.
    pub(crate) fn is_multiple_of(&self, other: &Number) -> bool {
        let shift = self.exponent - other.exponent;
        if self.digits.is_empty() || other.digits.is_empty() {
            return self.digits.is_empty();
        }
        if shift < 0 {
            // The digits do not end in a zero, so no factor of ten is left in them.
            return false;
        }
        // More factors of ten than the divisor has factors of two or five change nothing.
        let shift = (shift as usize).min(4 * other.digits.len() + 8);
        let divisor: Vec<u8> = other.digits.iter().map(|d| d - b'0').collect();
        let mut rest: Vec<u8> = Vec::new();
        for digit in self.digits.iter().map(|d| d - b'0').chain(std::iter::repeat_n(0, shift)) {
            if !rest.is_empty() || digit != 0 {
                rest.push(digit);
            }
            while rest.len().cmp(&divisor.len()).then_with(|| rest.cmp(&divisor)).is_ge() {
                subtract(&mut rest, &divisor);
            }
        }
        rest.is_empty()
    }

    fn to_float(&self) -> f64 {
        let digits = std::str::from_utf8(&self.digits).unwrap_or("");
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}0{digits}e{}", self.exponent).parse().unwrap_or(0.0)
    }

    /// The number in a message.
    pub(crate) fn shown(&self) -> String {
        let f = self.to_float();
        let text = format!("{f:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let power: i32 = exponent.parse().unwrap_or(0);
        if f == 0.0 || (-4..6).contains(&power) {
            let text = f.to_string();
            let (whole, fraction) = text.split_once('.').map_or((&*text, None), |(w, f)| (w, Some(f)));
            let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |rest| ("-", rest));
            let fraction = fraction.map(|f| format!(".{f}")).unwrap_or_default();
            return format!("{sign}{}{fraction}", grouped(whole));
        }
        let raised: String = format!("{:02}", power.abs())
            .bytes()
            .map(|d| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][usize::from(d - b'0') % 10])
            .collect();
        format!("{digits}×10{}{raised}", if power < 0 { "⁻" } else { "" })
    }
}

/// `a -= b`, digit by digit, where `a` is not less than `b`; no zeros are left in front.
fn subtract(a: &mut Vec<u8>, b: &[u8]) {
    let mut borrow = 0;
    let offset = a.len() - b.len();
    for i in (0..a.len()).rev() {
        let take = borrow + if i >= offset { b[i - offset] } else { 0 };
        borrow = u8::from(a[i] < take);
        a[i] = a[i] + 10 * borrow - take;
    }
    let zeros = a.iter().take_while(|&&d| d == 0).count();
    a.drain(..zeros);
}

/// Digits in groups of three.
fn grouped(digits: &str) -> String {
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count in a message.
pub(crate) fn count(n: i64) -> String {
    let digits = grouped(&n.unsigned_abs().to_string());
    if n < 0 { format!("-{digits}") } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Number {
        Number::parse(text).expect("a number")
    }

    #[test]
    fn prints_as_the_library_does() {
        let cases = [
            ("0", "0"),
            ("-1234.5", "-1,234.5"),
            ("999999", "999,999"),
            ("1e6", "1×10⁰⁶"),
            ("1234567.891", "1.234567891×10⁰⁶"),
            ("0.0001234", "0.0001234"),
            ("1.5e-07", "1.5×10⁻⁰⁷"),
            ("1e100", "1×10¹⁰⁰"),
        ];
        for (text, shown) in cases {
            assert_eq!(of(text).shown(), shown);
        }
        assert_eq!(count(1234567), "1,234,567");
    }

    #[test]
    fn compares_and_divides_exactly() {
        assert!(of("0.3").is_multiple_of(&of("0.1")));
        assert!(!of("0.35").is_multiple_of(&of("0.1")));
        assert!(of("1e300").is_multiple_of(&of("1e-300")));
        assert!(of("-12").is_multiple_of(&of("4")));
        assert!(of("10").is_multiple_of(&of("2.5")));
        assert!(!of("11").is_multiple_of(&of("5")));
        assert!(of("1.0").compare(&of("1")).is_eq() && of("-2").compare(&of("1")).is_lt());
        assert!(of("1e2").compare(&of("99.9")).is_gt() && of("-1e2").compare(&of("-99")).is_lt());
        assert!(of("1.0").is_integer() && of("1e20").is_integer() && !of("1.5").is_integer());
    }
}
