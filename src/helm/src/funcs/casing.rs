//! Case conversions on words: `camelcase`, `snakecase`, `kebabcase` as huandu/xstrings 1.5 does them, `title`,
//! `untitle`, `swapcase`, `initials`, `nospace`, `wrap` and `abbrev` as goutils 1.1 does them.

use super::unicode::{is_letter, is_number, is_punct, is_space, is_title, lower, title, upper};

/// The characters of a Go string with their sizes; a byte that is not UTF-8 reads as U+FFFD of size 1.
pub(crate) fn runes(text: &[u8]) -> impl Iterator<Item = (char, usize)> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (c, size) = first_rune(rest)?;
        rest = &rest[size..];
        Some((c, size))
    })
}

/// The first character of a Go string and its size.
pub(crate) fn first_rune(text: &[u8]) -> Option<(char, usize)> {
    let &lead = text.first()?;
    if lead < 0x80 {
        return Some((lead as char, 1));
    }
    let size = match lead {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Some((char::REPLACEMENT_CHARACTER, 1)),
    };
    match text.get(..size).and_then(|bytes| std::str::from_utf8(bytes).ok()).and_then(|s| s.chars().next()) {
        Some(c) => Some((c, size)),
        None => Some((char::REPLACEMENT_CHARACTER, 1)),
    }
}

fn push(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn map(text: &[u8], mut each: impl FnMut(char) -> char) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for (c, _) in runes(text) {
        push(&mut out, each(c));
    }
    out
}

/// `strings.ToUpper`.
pub(crate) fn to_upper(text: &[u8]) -> Vec<u8> {
    if text.is_ascii() { text.to_ascii_uppercase() } else { map(text, upper) }
}

/// `strings.ToLower`.
pub(crate) fn to_lower(text: &[u8]) -> Vec<u8> {
    if text.is_ascii() { text.to_ascii_lowercase() } else { map(text, lower) }
}

/// `strings.Title`: the letter after anything that is not a letter, digit or underscore.
pub(crate) fn to_title(text: &[u8]) -> Vec<u8> {
    let mut previous = ' ';
    map(text, |c| {
        let separated = match previous {
            p if p.is_ascii() => !(p.is_ascii_alphanumeric() || p == '_'),
            p => is_space(p),
        };
        previous = c;
        if separated { title(c) } else { c }
    })
}

/// goutils `Uncapitalize`: the first letter of each word in lower case.
pub(crate) fn untitle(text: &[u8]) -> Vec<u8> {
    let mut first = true;
    map(text, |c| {
        if is_space(c) {
            first = true;
            return c;
        }
        if std::mem::take(&mut first) { lower(c) } else { c }
    })
}

/// goutils `SwapCase`.
pub(crate) fn swapcase(text: &[u8]) -> Vec<u8> {
    let mut after_space = true;
    map(text, |c| {
        if super::unicode::is_upper(c) || is_title(c) {
            after_space = false;
            lower(c)
        } else if super::unicode::is_lower(c) {
            if std::mem::take(&mut after_space) { title(c) } else { upper(c) }
        } else {
            after_space = is_space(c);
            c
        }
    })
}

/// goutils `Initials`. It goes byte by byte, so that text outside ASCII comes out as Latin-1 letters.
pub(crate) fn initials(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut after_space = true;
    for &b in text {
        if is_space(b as char) {
            after_space = true;
        } else if std::mem::take(&mut after_space) {
            push(&mut out, b as char);
        }
    }
    out
}

/// goutils `DeleteWhiteSpace`, byte by byte like [`initials`]. Text without white space stays as it is.
pub(crate) fn nospace(text: &[u8]) -> Vec<u8> {
    if !text.iter().any(|&b| is_space(b as char)) {
        return text.to_vec();
    }
    let mut out = Vec::with_capacity(text.len());
    for &b in text.iter().filter(|&&b| !is_space(b as char)) {
        push(&mut out, b as char);
    }
    out
}

/// goutils `WrapCustom`: breaks at spaces so that lines have at most `width` bytes.
pub(crate) fn wrap(text: &[u8], width: i64, newline: &[u8], break_long: bool) -> Vec<u8> {
    let newline = if newline.is_empty() { b"\n" } else { newline };
    let width = width.clamp(1, 1 << 40) as usize;
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while text.len() - at > width {
        if text[at] == b' ' {
            at += 1;
            continue;
        }
        let (end, next) = match text[at..=at + width].iter().rposition(|&b| b == b' ') {
            Some(space) => (at + space, at + space + 1),
            None if break_long => (at + width, at + width),
            None => match text[at + width..].iter().position(|&b| b == b' ') {
                Some(space) => (at + width + space, at + width + space + 1),
                None => break,
            },
        };
        out.extend_from_slice(&text[at..end]);
        out.extend_from_slice(newline);
        at = next;
    }
    out.extend_from_slice(&text[at..]);
    out
}

/// goutils `AbbreviateFull` behind the guards of `abbrev` (left 0) and `abbrevboth`.
pub(crate) fn abbreviate(text: &[u8], left: i64, width: i64) -> Vec<u8> {
    let len = text.len() as i64;
    if text.is_empty() || width < 4 {
        return Vec::new();
    }
    if len <= width {
        return text.to_vec();
    }
    let mut left = left.min(len);
    if len - left < width - 3 {
        left = len - (width - 3);
    }
    if left <= 4 {
        return [&text[..(width - 3) as usize], b"..."].concat();
    }
    if width < 7 {
        return Vec::new();
    }
    if left + width - 3 < len {
        return [b"...".to_vec(), abbreviate(&text[left as usize..], 0, width - 3)].concat();
    }
    [b"...", &text[(len - (width - 3)) as usize..]].concat()
}

fn is_connector(c: char) -> bool {
    c == '-' || c == '_' || is_space(c)
}

/// xstrings `ToPascalCase`.
pub(crate) fn pascal(text: &[u8]) -> Vec<u8> {
    use super::unicode::is_upper;
    let mut out = Vec::with_capacity(text.len());
    let mut rest = runes(text).map(|(c, _)| c).peekable();
    let Some(mut current) = rest.next() else { return out };
    while is_connector(current) {
        match rest.next() {
            // The last connector of a text of nothing else.
            None => {
                push(&mut out, current);
                push(&mut out, current);
                return out;
            }
            Some(next) => {
                push(&mut out, current);
                current = next;
            }
        }
    }
    let mut in_upper = is_upper(current);
    current = upper(current);
    for mut next in rest {
        let previous = current;
        match (is_connector(next), is_connector(previous)) {
            (true, true) => push(&mut out, previous),
            (_, true) => {
                in_upper = is_upper(next);
                next = upper(next);
            }
            _ => {
                if in_upper && is_upper(next) {
                    next = lower(next);
                } else {
                    in_upper = false;
                }
                push(&mut out, previous);
            }
        }
        current = next;
    }
    push(&mut out, current);
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Invalid,
    Number,
    Upper,
    Alphabet,
    Connector,
    Punct,
    Other,
}

/// The next character that is valid, skipping bytes that are not; `previous` when there is none.
fn valid_rune(text: &[u8], previous: char) -> (char, usize) {
    let mut size = 0;
    for (c, n) in runes(text) {
        size += n;
        if c != char::REPLACEMENT_CHARACTER {
            return (c, size);
        }
    }
    (previous, size)
}

/// Letters outside the CJK ideographs, which are words of their own kind.
fn is_alphabet(c: char) -> bool {
    is_letter(c) && !matches!(c, '\u{4e00}'..='\u{9fcc}' | '\u{3400}'..='\u{4d85}' | '\u{20000}'..='\u{2b81d}')
}

/// Splits off the next word.
fn next_word(text: &[u8]) -> (Word, &[u8], &[u8]) {
    use super::unicode::is_upper;
    if text.is_empty() {
        return (Word::Invalid, text, text);
    }
    let (first, size) = valid_rune(text, char::REPLACEMENT_CHARACTER);
    if first == char::REPLACEMENT_CHARACTER {
        return (Word::Invalid, &text[..size], &text[size..]);
    }
    // Extends from `at` over characters of one kind; returns the end, the size of the last one and what stopped it.
    let extend = |mut at: usize, accept: &dyn Fn(char) -> bool| {
        let (mut last, mut c) = (0, first);
        while at < text.len() {
            let (next, size) = valid_rune(&text[at..], c);
            c = next;
            if size == 0 || !accept(c) {
                return (at, last, Some(c));
            }
            at += size;
            last = size;
        }
        (at, last, None)
    };
    let (word, end) = if is_connector(first) {
        (Word::Connector, extend(size, &is_connector).0)
    } else if is_punct(first) {
        (Word::Punct, extend(size, &is_punct).0)
    } else if is_upper(first) {
        let end = match text.get(size..).filter(|rest| !rest.is_empty()).map(|rest| valid_rune(rest, first).0) {
            Some(second) if is_upper(second) => {
                let (end, last, stop) = extend(size, &is_upper);
                // In HTTPStatus the S belongs to the next word.
                if stop.is_some_and(is_alphabet) { end - last } else { end }
            }
            Some(second) if is_alphabet(second) => extend(size, &|c| is_alphabet(c) && !is_upper(c)).0,
            _ => size,
        };
        (Word::Upper, end)
    } else if is_alphabet(first) {
        (Word::Alphabet, extend(size, &|c| is_alphabet(c) && !is_upper(c)).0)
    } else if is_number(first) {
        (Word::Number, extend(size, &is_number).0)
    } else {
        let other = |c: char| !(is_connector(c) || is_alphabet(c) || is_number(c) || is_punct(c));
        (Word::Other, extend(size, &other).0)
    };
    (word, &text[..end], &text[end..])
}

/// xstrings `ToSnakeCase` (connector `_`) and `ToKebabCase` (connector `-`).
pub(crate) fn separated(text: &[u8], connector: char) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 8);
    let write = |out: &mut Vec<u8>, kind: Word, word: &[u8]| {
        if kind != Word::Upper && kind != Word::Connector {
            return out.extend_from_slice(word);
        }
        for (c, _) in runes(word) {
            push(out, if is_connector(c) { connector } else { lower(c) });
        }
    };
    let joins = |kind: Word| kind != Word::Connector && kind != Word::Punct;
    let (mut kind, mut word, mut rest) = next_word(text);
    while !rest.is_empty() {
        if kind != Word::Connector {
            write(&mut out, kind, word);
        }
        let (previous, last) = (kind, word);
        (kind, word, rest) = next_word(rest);
        match previous {
            Word::Number => {
                while kind == Word::Alphabet || kind == Word::Number {
                    write(&mut out, kind, word);
                    (kind, word, rest) = next_word(rest);
                }
                if kind != Word::Invalid && joins(kind) {
                    push(&mut out, connector);
                }
            }
            Word::Connector => write(&mut out, previous, last),
            Word::Punct => {}
            _ if kind != Word::Number => {
                if joins(kind) {
                    push(&mut out, connector);
                }
            }
            _ if rest.is_empty() => {}
            _ => {
                let number = word;
                (kind, word, rest) = next_word(rest);
                if kind != Word::Alphabet {
                    // The number ends the word before it: Bld4Floor gives bld4_floor.
                    write(&mut out, Word::Number, number);
                    if joins(kind) {
                        push(&mut out, connector);
                    }
                    continue;
                }
                // Lower-case letters follow, so the number starts a word: HTTP2xx gives http_2xx.
                push(&mut out, connector);
                write(&mut out, Word::Number, number);
                while kind == Word::Alphabet || kind == Word::Number {
                    write(&mut out, kind, word);
                    (kind, word, rest) = next_word(rest);
                }
                if kind != Word::Invalid && joins(kind) {
                    push(&mut out, connector);
                }
            }
        }
    }
    write(&mut out, kind, word);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn cases_follow_xstrings() {
        for (given, want) in [
            ("FirstName", "first_name"),
            ("HTTPServer", "http_server"),
            ("NoHTTPS", "no_https"),
            ("GO PATH", "go_path"),
            ("http2xx", "http_2xx"),
            ("HTTP20xOK", "http_20x_ok"),
            ("Duration2m3s", "duration_2m3s"),
            ("Bld4Floor3rd", "bld4_floor_3rd"),
        ] {
            assert_eq!(text(separated(given.as_bytes(), '_')), want);
        }
        for (given, want) in
            [("some_words", "SomeWords"), ("_complex__case_", "_Complex_Case_"), ("GOLANG_IS_GREAT", "GolangIsGreat")]
        {
            assert_eq!(text(pascal(given.as_bytes())), want);
        }
    }

    #[test]
    fn words_follow_goutils() {
        assert_eq!(text(wrap(b"Hello World foo", 5, b"", false)), "Hello\nWorld\nfoo");
        assert_eq!(text(wrap(b"abcdefgh ij", 3, b"|", true)), "abc|def|gh|ij");
        assert_eq!(text(abbreviate(b"hello world", 0, 8)), "hello...");
        assert_eq!(text(abbreviate(b"1234 5678 9123", 5, 10)), "...5678...");
        assert_eq!(text(initials(b"First Try")), "FT");
        assert_eq!(text(to_title(b"hello wORLD a-b")), "Hello WORLD A-B");
        assert_eq!(text(swapcase(b"This Is a.Test")), "tHIS iS A.tEST");
    }
}
