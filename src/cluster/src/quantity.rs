//! Quantities as the API writes them back: as given when that is near the canonical form already, else the shortest exact
//! form in the unit family that was given. Mirrors `resource.Quantity` of apimachinery.

/// The most digits that are read; longer numbers are left as they are.
const DIGITS: usize = 30;
/// Suffixes of powers of ten, from 10⁻⁹ in steps of three.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
/// Suffixes of powers of 1024.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// A number as mantissa × 10^exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Decimal {
    mantissa: i128,
    exponent: i32,
}

/// How a quantity is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Family {
    Decimal,
    Exponent,
    Binary,
}

/// The text of a quantity; `None` for what is no quantity or too long to tell.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let (value, family) = read(text)?;
    if is_kept(text, family) {
        return Some(text.to_string());
    }
    Some(written(value, family))
}

/// The same in a list of resources, where nothing is finer than a thousandth.
pub(crate) fn of_resource(text: &str) -> Option<String> {
    let (value, family) = read(text)?;
    if value.exponent >= -3 {
        return canonical(text);
    }
    Some(written(Decimal { mantissa: rounded_up(value, -3), exponent: -3 }, family))
}

/// The value in billionths; `None` for what is no quantity or does not fit.
pub(crate) fn nanos(text: &str) -> Option<i128> {
    let (value, _) = read(text)?;
    let power = u32::try_from(value.exponent + 9).ok()?;
    value.mantissa.checked_mul(10_i128.checked_pow(power)?)
}

fn written(value: Decimal, family: Family) -> String {
    match family {
        Family::Binary => binary(value),
        Family::Decimal | Family::Exponent => decimal(value, family),
    }
}

/// Whether the reader keeps the text: it is canonical as far as a quick look tells.
fn is_kept(text: &str, family: Family) -> bool {
    let body = text.trim_start_matches(['+', '-']);
    let end = body.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let (number, suffix) = body.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches('0'));
    if text == "0" || digits.len() > 17 {
        return text == "0";
    }
    if family == Family::Binary {
        return fraction.is_empty() && digits.len() < 10 && digits.parse::<u64>().is_ok_and(|value| value & 7 != 0);
    }
    let exponent = match DECIMAL.iter().position(|s| *s == suffix) {
        Some(power) => (power as i64 - 3) * 3,
        None => suffix.get(1..).and_then(|e| e.parse().ok()).unwrap_or(0),
    };
    (exponent - fraction.len() as i64).rem_euclid(3) == 0
        && !digits.is_empty()
        && !digits.ends_with("000")
        && !digits.starts_with('0')
}

fn read(text: &str) -> Option<(Decimal, Family)> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let end = body.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let (number, suffix) = body.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + fraction.len() == 0 || whole.len() + fraction.len() > DIGITS || fraction.contains('.') {
        return None;
    }
    let mantissa: i128 = format!("0{whole}{fraction}").parse().ok()?;
    let mantissa = if negative { -mantissa } else { mantissa };
    let mut value = Decimal { mantissa, exponent: -i32::try_from(fraction.len()).ok()? };
    if let Some(power) = BINARY.iter().position(|s| !s.is_empty() && *s == suffix) {
        value.mantissa = value.mantissa.checked_mul(1024_i128.checked_pow(u32::try_from(power).ok()?)?)?;
        return Some((nano(value), Family::Binary));
    }
    if let Some(power) = DECIMAL.iter().position(|s| *s == suffix) {
        value.exponent += (i32::try_from(power).ok()? - 3) * 3;
        return Some((nano(value), Family::Decimal));
    }
    let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    value.exponent += exponent.clamp(-60, 60);
    Some((nano(value), Family::Exponent))
}

/// Nothing is finer than 10⁻⁹; the rest is rounded away from zero.
fn nano(value: Decimal) -> Decimal {
    if value.exponent >= -9 {
        return value;
    }
    Decimal { mantissa: rounded_up(value, -9), exponent: -9 }
}

/// The value as a multiple of 10^exponent, rounded away from zero.
fn rounded_up(value: Decimal, exponent: i32) -> i128 {
    let mut mantissa = value.mantissa;
    let mut at = value.exponent;
    while at > exponent {
        mantissa = mantissa.saturating_mul(10);
        at -= 1;
    }
    let mut lost = false;
    while at < exponent && mantissa != 0 {
        lost |= mantissa % 10 != 0;
        mantissa /= 10;
        at += 1;
    }
    mantissa + if lost { value.mantissa.signum() } else { 0 }
}

fn decimal(value: Decimal, family: Family) -> String {
    let Decimal { mut mantissa, mut exponent } = value;
    if mantissa == 0 {
        return "0".into();
    }
    while mantissa % 10 == 0 {
        mantissa /= 10;
        exponent += 1;
    }
    while exponent.rem_euclid(3) != 0 || exponent > 18 {
        mantissa = mantissa.saturating_mul(10);
        exponent -= 1;
    }
    match (family, exponent) {
        (_, 0) => mantissa.to_string(),
        (Family::Exponent, exponent) => format!("{mantissa}e{exponent}"),
        (_, exponent) => {
            let index = usize::try_from(exponent / 3 + 3).unwrap_or(3);
            format!("{mantissa}{}", DECIMAL.get(index).copied().unwrap_or(""))
        }
    }
}

fn binary(value: Decimal) -> String {
    let mut mantissa = rounded_up(value, 0);
    let exact = Decimal { mantissa, exponent: 0 };
    // Below 1024 and between whole numbers the decimal family tells it without loss.
    if mantissa.abs() < 1024 || decimal(exact, Family::Decimal) != decimal(value, Family::Decimal) {
        return decimal(value, Family::Decimal);
    }
    let mut power = 0;
    while mantissa % 1024 == 0 && power + 1 < BINARY.len() {
        mantissa /= 1024;
        power += 1;
    }
    format!("{mantissa}{}", BINARY[power])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of a Kubernetes 1.36 API server.
    #[test]
    fn canonical_forms() {
        let pairs = [
            ("0.5", "500m"),
            ("1000m", "1"),
            ("512.0Mi", "512Mi"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("100m", "100m"),
            ("2", "2"),
            ("1e3", "1e3"),
            ("1000", "1k"),
            ("1E3", "1E3"),
            ("+1", "+1"),
            ("5.", "5."),
            ("2.0", "2"),
            ("00.5", "500m"),
            ("0.1Gi", "107374182400m"),
            ("1073741824", "1073741824"),
            ("0", "0"),
            ("0Gi", "0"),
            ("1000Mi", "1000Mi"),
            ("500Ki", "500Ki"),
            ("0.5Gi", "512Mi"),
            ("-1.5", "-1500m"),
        ];
        for (given, want) in pairs {
            assert_eq!(canonical(given).as_deref(), Some(want), "{given}");
        }
        assert_eq!((canonical("abc"), canonical("1.2.3"), canonical("")), (None, None, None));
        assert_eq!(of_resource("0.0001").as_deref(), Some("1m"));
        assert_eq!(of_resource("10u").as_deref(), Some("1m"));
    }
}
