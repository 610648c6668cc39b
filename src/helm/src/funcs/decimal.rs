//! Decimal numbers of any size, as shopspring/decimal 1.4 computes them: what `addf`, `subf`, `mulf` and `divf` use, so
//! that `subf 1 0.9` is 0.1. Digits are kept in groups of nine, least first.

use std::cmp::Ordering;

const BASE: u64 = 1_000_000_000;
/// Digits after the point that a division keeps.
const DIVISION_PRECISION: i64 = 16;

/// `(-1)^negative × digits × 10^exponent`.
#[derive(Clone, Debug)]
pub(crate) struct Decimal {
    negative: bool,
    digits: Vec<u32>,
    exponent: i64,
}

impl Decimal {
    /// The shortest decimal that reads back as `value`. `None` for infinities and NaN, where the library panics.
    pub(crate) fn from_float(value: f64) -> Option<Decimal> {
        if !value.is_finite() {
            return None;
        }
        let text = format!("{:e}", value.abs());
        let (digits, exponent) = text.split_once('e')?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let exponent: i64 = exponent.parse().ok()?;
        let digits: u64 = format!("{whole}{fraction}").parse().ok()?;
        let mut decimal = Decimal { negative: value < 0.0, digits: Vec::new(), exponent: 0 };
        let mut rest = digits;
        while rest > 0 {
            decimal.digits.push((rest % BASE) as u32);
            rest /= BASE;
        }
        decimal.exponent = if digits == 0 { 0 } else { exponent - fraction.len() as i64 };
        Some(decimal)
    }

    /// The nearest float.
    pub(crate) fn to_float(&self) -> f64 {
        let mut text = String::new();
        if self.negative && !self.digits.is_empty() {
            text.push('-');
        }
        match self.digits.split_last() {
            None => text.push('0'),
            Some((first, rest)) => {
                text.push_str(&first.to_string());
                for group in rest.iter().rev() {
                    text.push_str(&format!("{group:09}"));
                }
            }
        }
        text.push_str(&format!("e{}", self.exponent));
        text.parse().unwrap_or(0.0)
    }

    /// The sum.
    pub(crate) fn add(&self, other: &Decimal) -> Decimal {
        let exponent = self.exponent.min(other.exponent);
        let (a, b) =
            (shifted(&self.digits, self.exponent - exponent), shifted(&other.digits, other.exponent - exponent));
        if self.negative == other.negative {
            return Decimal { negative: self.negative, digits: sum(&a, &b), exponent };
        }
        match compare(&a, &b) {
            Ordering::Less => Decimal { negative: other.negative, digits: difference(&b, &a), exponent },
            Ordering::Equal => Decimal { negative: false, digits: Vec::new(), exponent },
            Ordering::Greater => Decimal { negative: self.negative, digits: difference(&a, &b), exponent },
        }
    }

    /// The difference.
    pub(crate) fn sub(&self, other: &Decimal) -> Decimal {
        self.add(&Decimal { negative: !other.negative, ..other.clone() })
    }

    /// The product.
    pub(crate) fn mul(&self, other: &Decimal) -> Decimal {
        Decimal {
            negative: self.negative != other.negative,
            digits: product(&self.digits, &other.digits),
            exponent: self.exponent + other.exponent,
        }
    }

    /// The quotient with 16 digits after the point, the last one rounded half up. `None` for a division by zero, where
    /// the library panics with `decimal division by 0`.
    pub(crate) fn div(&self, other: &Decimal) -> Option<Decimal> {
        if other.digits.is_empty() {
            return None;
        }
        let shift = self.exponent - other.exponent + DIVISION_PRECISION;
        let (a, b) = match shift {
            s if s >= 0 => (shifted(&self.digits, s), other.digits.clone()),
            s => (self.digits.clone(), shifted(&other.digits, -s)),
        };
        let (mut quotient, rest) = divide(&a, &b);
        // Rounds up when the rest is at least half of the divisor.
        if compare(&sum(&rest, &rest), &b).is_ge() {
            quotient = sum(&quotient, &[1]);
        }
        let negative = self.negative != other.negative;
        Some(Decimal { negative, digits: quotient, exponent: -DIVISION_PRECISION })
    }
}

fn trimmed(mut digits: Vec<u32>) -> Vec<u32> {
    while digits.last() == Some(&0) {
        digits.pop();
    }
    digits
}

fn compare(a: &[u32], b: &[u32]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn sum(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(a.len().max(b.len()) + 1);
    let mut carry = 0u64;
    for i in 0..a.len().max(b.len()) {
        let n = carry + u64::from(a.get(i).copied().unwrap_or(0)) + u64::from(b.get(i).copied().unwrap_or(0));
        out.push((n % BASE) as u32);
        carry = n / BASE;
    }
    if carry > 0 {
        out.push(carry as u32);
    }
    out
}

/// `a - b`, where `a` is not less than `b`.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(a.len());
    let mut borrow = 0i64;
    for (i, &digit) in a.iter().enumerate() {
        let mut n = i64::from(digit) - borrow - i64::from(b.get(i).copied().unwrap_or(0));
        borrow = i64::from(n < 0);
        n += borrow * BASE as i64;
        out.push(n as u32);
    }
    trimmed(out)
}

fn product(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = vec![0u32; a.len() + b.len()];
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0u64;
        for (j, &y) in b.iter().enumerate() {
            let n = u64::from(out[i + j]) + u64::from(x) * u64::from(y) + carry;
            out[i + j] = (n % BASE) as u32;
            carry = n / BASE;
        }
        out[i + b.len()] = carry as u32;
    }
    trimmed(out)
}

/// `digits × 10^by`.
fn shifted(digits: &[u32], by: i64) -> Vec<u32> {
    if digits.is_empty() {
        return Vec::new();
    }
    let mut out = vec![0u32; (by / 9) as usize];
    out.extend_from_slice(digits);
    product(&out, &[10u32.pow((by % 9) as u32)])
}

/// Quotient and rest, group by group; each group is found by bisection, as divisors are short.
fn divide(a: &[u32], b: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut quotient = vec![0u32; a.len()];
    let mut rest: Vec<u32> = Vec::new();
    for i in (0..a.len()).rev() {
        rest.insert(0, a[i]);
        rest = trimmed(rest);
        let (mut low, mut high) = (0u32, BASE as u32 - 1);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if compare(&product(b, &[middle]), &rest).is_le() { low = middle } else { high = middle - 1 }
        }
        quotient[i] = low;
        if low > 0 {
            rest = difference(&rest, &product(b, &[low]));
        }
    }
    (trimmed(quotient), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(f: f64) -> Decimal {
        Decimal::from_float(f).unwrap()
    }

    #[test]
    fn arithmetic_is_exact_in_decimal() {
        assert_eq!(of(1.0).sub(&of(0.9)).to_float(), 0.1);
        assert_eq!(of(0.1).add(&of(0.2)).to_float(), 0.3);
        assert_eq!(of(1.5).mul(&of(-2.25)).to_float(), -3.375);
        assert_eq!(of(10.0).div(&of(4.0)).unwrap().to_float(), 2.5);
        assert_eq!(of(1.0).div(&of(3.0)).unwrap().to_float(), 0.3333333333333333);
        assert_eq!(of(2.0).div(&of(-3.0)).unwrap().to_float(), -0.6666666666666667);
        assert_eq!(of(1e300).add(&of(1e-300)).to_float(), 1e300);
        assert_eq!(of(123456789012345.0).mul(&of(1e10)).to_float(), 123456789012345e10);
        assert!(of(1.0).div(&of(0.0)).is_none());
        assert!(Decimal::from_float(f64::NAN).is_none());
    }
}
