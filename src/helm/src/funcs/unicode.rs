//! Unicode classes and simple case mappings as Go's `unicode` package has them. ASCII is answered at once; the rest by
//! the class tables that the regex engine carries anyway.

use regex::Regex;
use std::sync::LazyLock;

macro_rules! class {
    ($(#[$doc:meta])* $name:ident, $table:ident, $pattern:literal, $ascii:expr) => {
        static $table: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($pattern).ok());
        $(#[$doc])*
        pub(crate) fn $name(c: char) -> bool {
            if c.is_ascii() {
                let ascii: fn(&char) -> bool = $ascii;
                return ascii(&c);
            }
            $table.as_ref().is_some_and(|class| class.is_match(c.encode_utf8(&mut [0; 4])))
        }
    };
}

class!(
    /// `unicode.IsLetter`.
    is_letter, LETTER, r"\p{L}", char::is_ascii_alphabetic
);
class!(
    /// `unicode.IsUpper`.
    is_upper, UPPER, r"\p{Lu}", char::is_ascii_uppercase
);
class!(
    /// `unicode.IsLower`.
    is_lower, LOWER, r"\p{Ll}", char::is_ascii_lowercase
);
class!(
    /// `unicode.IsTitle`.
    is_title, TITLE, r"\p{Lt}", |_| false
);
class!(
    /// `unicode.IsNumber`.
    is_number, NUMBER, r"\p{N}", char::is_ascii_digit
);
class!(
    /// `unicode.IsPunct`: unlike Rust's ASCII class, without the symbols ``$+<=>^`|~``.
    is_punct, PUNCT, r"\p{P}", |c| c.is_ascii_punctuation() && !"$+<=>^`|~".contains(*c)
);

/// `unicode.IsSpace`.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace()
}

/// `unicode.ToUpper`: one character to one.
pub(crate) fn upper(c: char) -> char {
    let mut mapped = c.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        // Letters whose full mapping is longer but that have a simple one.
        _ => match c {
            '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => {
                char::from_u32(c as u32 + 8).unwrap_or(c)
            }
            '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => char::from_u32(c as u32 + 9).unwrap_or(c),
            _ => c,
        },
    }
}

/// `unicode.ToLower`: one character to one.
pub(crate) fn lower(c: char) -> char {
    let mut mapped = c.to_lowercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ if c == '\u{130}' => 'i',
        _ => c,
    }
}

/// `unicode.ToTitle`: upper case but for the digraphs and for Georgian.
pub(crate) fn title(c: char) -> char {
    match c {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        '\u{10d0}'..='\u{10ff}' => c,
        _ => upper(c),
    }
}
