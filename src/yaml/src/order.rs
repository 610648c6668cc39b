//! The order of keys in go-yaml's output: letters after everything else, runs of digits by their number.

use std::cmp::Ordering;

/// Where v2 and v3 differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// `toYaml`.
    V2,
    /// `toYamlPretty`.
    V3,
}

/// Sorts by key. The order is not transitive for every set of keys, so this is a plain merge sort, which (unlike the
/// standard library's) takes any comparison.
pub(crate) fn sort_by_key<V: Copy>(members: Vec<(&str, V)>, flavour: Flavour) -> Vec<(&str, V)> {
    let mut from = members;
    let mut to = Vec::with_capacity(from.len());
    let mut width = 1;
    while width < from.len() {
        for start in (0..from.len()).step_by(2 * width) {
            let middle = (start + width).min(from.len());
            let end = (start + 2 * width).min(from.len());
            let (mut left, mut right) = (start, middle);
            while left < middle || right < end {
                let take_right = right < end && (left == middle || less(from[right].0, from[left].0, flavour));
                let index = if take_right { &mut right } else { &mut left };
                to.push(from[*index]);
                *index += 1;
            }
        }
        std::mem::swap(&mut from, &mut to);
        to.clear();
        width *= 2;
    }
    from
}

/// Go's `keyList.Less` for two texts.
pub(crate) fn less(a: &str, b: &str, flavour: Flavour) -> bool {
    let common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    if common == a.len() || common == b.len() {
        return a.len() < b.len();
    }
    // Back to the start of the first character that differs.
    let mut at = common;
    while !a.is_char_boundary(at) {
        at -= 1;
    }
    let (prefix, a, b) = (&a[..at], &a[at..], &b[at..]);
    let (Some(x), Some(y)) = (a.chars().next(), b.chars().next()) else { return a.len() < b.len() };
    match (is_letter(x), is_letter(y)) {
        (true, true) => return x < y,
        (false, false) => {}
        (x_letter, y_letter) => {
            // v3 puts `a1b` before `a10`: after a digit the letter comes first.
            let after_digit = flavour == Flavour::V3 && prefix.chars().next_back().is_some_and(is_digit);
            return if after_digit { x_letter } else { y_letter };
        }
    }
    // When zeros differ inside a number, what stands before makes them count.
    let counts = (x == '0' || y == '0') && prefix.chars().rev().take_while(|c| is_digit(*c)).any(|c| c != '0');
    let (x_number, x_digits) = leading_number(a, counts);
    let (y_number, y_digits) = leading_number(b, counts);
    match x_number.cmp(&y_number).then(x_digits.cmp(&y_digits)) {
        Ordering::Equal => x < y,
        other => other == Ordering::Less,
    }
}

/// The number at the start of `text`, wrapping as Go's int64 does, and how many digits it has.
fn leading_number(text: &str, one_before: bool) -> (i64, usize) {
    let mut number = i64::from(one_before);
    let mut digits = 0;
    for c in text.chars().take_while(|c| is_digit(*c)) {
        number = number.wrapping_mul(10).wrapping_add(i64::from(c as u32) - i64::from(b'0'));
        digits += 1;
    }
    (number, digits)
}

/// Unicode's letters (L). What Rust calls alphabetic has marks and letter-like numbers besides; these do not matter
/// for the order of any key seen so far.
fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { c.is_alphabetic() && !c.is_numeric() }
}

/// Decimal digits (Nd): ASCII, and the scripts whose digits stand in runs of ten.
fn is_digit(c: char) -> bool {
    const ZEROS: [u32; 16] = [
        0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20, 0xFF10,
    ];
    c.is_ascii_digit() || (!c.is_ascii() && ZEROS.iter().any(|zero| (*zero..zero + 10).contains(&(c as u32))))
}
