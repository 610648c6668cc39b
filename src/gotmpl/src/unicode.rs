//! Unicode classes as Go's `unicode` and `strconv` packages have them.

use crate::unicode_tables as tables;

/// `unicode.IsLetter`.
pub(crate) fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { inside(c, tables::LETTER_LOW, tables::LETTER_HIGH) }
}

/// `unicode.IsDigit`.
pub(crate) fn is_digit(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { inside(c, tables::DIGIT_LOW, tables::DIGIT_HIGH) }
}

/// `strconv.IsPrint`.
pub fn is_print(c: char) -> bool {
    if c.is_ascii() { (' '..='~').contains(&c) } else { inside(c, tables::PRINT_LOW, tables::PRINT_HIGH) }
}

/// Whether `c` lies in one of the pairs: the number of ends passed is odd, or `c` is a last one.
fn inside(c: char, low: &[u16], high: &[u32]) -> bool {
    let c = c as u32;
    let hit = |passed: usize, last: Option<u32>| passed % 2 == 1 || passed > 0 && last == Some(c);
    match u16::try_from(c) {
        Ok(short) => {
            let passed = low.partition_point(|end| *end <= short);
            hit(passed, passed.checked_sub(1).map(|i| u32::from(low[i])))
        }
        Err(_) => {
            let passed = high.partition_point(|end| *end <= c);
            hit(passed, passed.checked_sub(1).map(|i| high[i]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_go() {
        let count = |f: fn(char) -> bool| (0..=0x10ffff).filter_map(char::from_u32).filter(|c| f(*c)).count();
        assert_eq!((count(is_letter), count(is_digit), count(is_print)), (136104, 680, 148998));
    }
}
