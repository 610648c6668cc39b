//! Numbers as Go's `strconv.FormatFloat` prints them with verb `g` and the shortest precision.

/// A 64-bit float as `%g`: `3e+06`, `1e-07`, `0.5`; `+Inf`, `-Inf` and `NaN` as Go spells them.
pub fn go_g64(f: f64) -> String {
    g_form(f.is_nan(), f.is_infinite(), f.is_sign_negative(), &format!("{:e}", f.abs()))
}

/// The same after rounding to 32 bits: what `sigs.k8s.io/yaml` prints for a float used as a key or as a string.
pub fn go_g32(f: f64) -> String {
    let f = f as f32;
    g_form(f.is_nan(), f.is_infinite(), f.is_sign_negative(), &format!("{:e}", f.abs()))
}

/// Lays out shortest digits in scientific form (`1.25e-7`) as `%g`: an exponent outside -4 to 5 keeps it.
fn g_form(nan: bool, infinite: bool, negative: bool, scientific: &str) -> String {
    if nan {
        return "NaN".to_string();
    }
    let sign = if negative { "-" } else { "" };
    if infinite {
        return if negative { "-Inf".to_string() } else { "+Inf".to_string() };
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    // With the shortest precision Go decides as if the precision were 6.
    if !(-4..6).contains(&exponent) {
        let (mark, size) = if exponent < 0 { ('-', -exponent) } else { ('+', exponent) };
        return format!("{sign}{mantissa}e{mark}{size:02}");
    }
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{sign}{digits}{}", "0".repeat(whole - digits.len()));
    }
    format!("{sign}{}.{}", &digits[..whole], &digits[whole..])
}
