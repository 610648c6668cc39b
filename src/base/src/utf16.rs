//! The one conversion between byte offsets (inside) and UTF-16 code units (the editor).

/// The number of UTF-16 units before byte `offset` of `text`; an offset inside a character counts that character's start.
pub fn from_byte(text: &str, offset: usize) -> usize {
    let mut units = 0;
    for (i, c) in text.char_indices() {
        if i + c.len_utf8() > offset {
            break;
        }
        units += c.len_utf16();
    }
    units
}

/// The byte offset of UTF-16 unit `units` of `text`; past the end gives the end.
pub fn to_byte(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (i, c) in text.char_indices() {
        if seen + c.len_utf16() > units {
            return i;
        }
        seen += c.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogate_pairs_count_two() {
        let text = "가😀b";
        assert_eq!(from_byte(text, text.len()), 4);
        assert_eq!(from_byte(text, 3), 1);
        assert_eq!(to_byte(text, 3), 7);
        assert_eq!(to_byte(text, 99), text.len());
    }
}
