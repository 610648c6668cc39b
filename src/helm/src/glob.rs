//! Go's `filepath.Match` on `/`-separated paths: `*` and `?` stop at `/`, classes with ranges and `^`, `\` escapes.
//! `.helmignore` rules and `--show-only` patterns are of this kind.

/// The text of Go's `filepath.ErrBadPattern`.
pub const BAD_PATTERN: &str = "syntax error in pattern";

/// Whether `name` matches `pattern` whole. `Err` is [`BAD_PATTERN`]; like Go, a malformed tail that is never reached
/// because the name failed earlier is still reported.
pub fn matches(pattern: &str, name: &str) -> Result<bool, &'static str> {
    let (mut pattern, mut name) = (pattern, name);
    while !pattern.is_empty() {
        let (star, chunk, rest) = next_chunk(pattern);
        pattern = rest;
        if star && chunk.is_empty() {
            // A trailing star takes the rest of this path component.
            return Ok(!name.contains('/'));
        }
        let (tail, ok) = match_chunk(chunk, name)?;
        // The last chunk must use up the name; otherwise the star may still stretch.
        if ok && (tail.is_empty() || !pattern.is_empty()) {
            name = tail;
            continue;
        }
        if star && let Some(tail) = stretch(chunk, name, pattern.is_empty())? {
            name = tail;
            continue;
        }
        check_rest(pattern)?;
        return Ok(false);
    }
    Ok(name.is_empty())
}

/// Lets a star swallow more and more of one component until `chunk` fits after it.
fn stretch<'n>(chunk: &str, name: &'n str, last: bool) -> Result<Option<&'n str>, &'static str> {
    for (i, c) in name.char_indices() {
        if c == '/' {
            break;
        }
        let (tail, ok) = match_chunk(chunk, &name[i + c.len_utf8()..])?;
        if ok && (!last || tail.is_empty()) {
            return Ok(Some(tail));
        }
    }
    Ok(None)
}

/// Reports a syntax error anywhere in the part of the pattern that was not needed.
fn check_rest(mut pattern: &str) -> Result<(), &'static str> {
    while !pattern.is_empty() {
        let (_, chunk, rest) = next_chunk(pattern);
        match_chunk(chunk, "")?;
        pattern = rest;
    }
    Ok(())
}

/// Splits leading stars and the piece up to the next star that is neither escaped nor in a class.
fn next_chunk(pattern: &str) -> (bool, &str, &str) {
    let body = pattern.trim_start_matches('*');
    let star = body.len() < pattern.len();
    let bytes = body.as_bytes();
    let (mut i, mut in_class) = (0, false);
    while i < bytes.len() {
        match bytes[i] {
            b'\\' if i + 1 < bytes.len() => i += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'*' if !in_class => break,
            _ => {}
        }
        i += 1;
    }
    (star, &body[..i], &body[i..])
}

/// Matches a star-free piece at the start of `name`. Goes on reading the pattern after a failure, to find errors.
fn match_chunk<'n>(chunk: &str, name: &'n str) -> Result<(&'n str, bool), &'static str> {
    let (mut chunk, mut name) = (chunk, name);
    let mut failed = false;
    while let Some(p) = chunk.chars().next() {
        failed |= name.is_empty();
        match p {
            '[' => {
                let mut c = '\0';
                if !failed {
                    c = take(&mut name);
                }
                let hit = class(&mut chunk, c)?;
                failed |= !hit;
            }
            '?' => {
                if !failed {
                    failed |= name.starts_with('/');
                    take(&mut name);
                }
                chunk = &chunk[1..];
            }
            _ => {
                if p == '\\' {
                    chunk = &chunk[1..];
                }
                let Some(want) = chunk.chars().next() else { return Err(BAD_PATTERN) };
                if !failed {
                    failed |= !name.starts_with(want);
                    take(&mut name);
                }
                chunk = &chunk[want.len_utf8()..];
            }
        }
    }
    Ok(if failed { ("", false) } else { (name, true) })
}

/// Reads one `[…]` at the start of `chunk` and says whether `c` is in it.
fn class(chunk: &mut &str, c: char) -> Result<bool, &'static str> {
    *chunk = &chunk[1..];
    let negated = chunk.starts_with('^');
    if negated {
        *chunk = &chunk[1..];
    }
    let (mut hit, mut ranges) = (false, 0);
    loop {
        if chunk.starts_with(']') && ranges > 0 {
            *chunk = &chunk[1..];
            return Ok(hit != negated);
        }
        let low = class_char(chunk)?;
        let mut high = low;
        if chunk.starts_with('-') {
            *chunk = &chunk[1..];
            high = class_char(chunk)?;
        }
        hit |= low <= c && c <= high;
        ranges += 1;
    }
}

/// One possibly escaped character of a class; a class must not end the pattern.
fn class_char(chunk: &mut &str) -> Result<char, &'static str> {
    let first = chunk.chars().next().ok_or(BAD_PATTERN)?;
    if first == '-' || first == ']' {
        return Err(BAD_PATTERN);
    }
    if first == '\\' {
        *chunk = &chunk[1..];
    }
    let c = chunk.chars().next().ok_or(BAD_PATTERN)?;
    *chunk = &chunk[c.len_utf8()..];
    if chunk.is_empty() { Err(BAD_PATTERN) } else { Ok(c) }
}

fn take(name: &mut &str) -> char {
    let c = name.chars().next().unwrap_or('\0');
    *name = &name[if name.is_empty() { 0 } else { c.len_utf8() }..];
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_go() {
        for (pattern, name, want) in [
            ("abc", "abc", true),
            ("*", "abc", true),
            ("*c", "abc", true),
            ("a*", "ab/c", false),
            ("a*/b", "a/c/b", false),
            ("a*b*c*d*e*/f", "axbxcxdxe/f", true),
            ("a*b?c*x", "abxbbxdbxebxczzx", true),
            ("ab[c]", "abc", true),
            ("ab[^b-d]", "abc", false),
            ("ab[e-g]", "abc", false),
            ("a\\*b", "a*b", true),
            ("a?b", "a/b", false),
            ("a???b", "a☺☺☺b", true),
            ("templates/.?*", "templates/.x", true),
            ("", "", true),
            ("", "a", false),
            ("a*b", "a/b", false),
            ("*.yaml", ".yaml", true),
        ] {
            assert_eq!(matches(pattern, name), Ok(want), "{pattern} {name}");
        }
        for pattern in ["[]a]", "[-]", "[x-]", "[", "[^", "[^bc", "a[", "\\", "[a-b-c]", "[\\"] {
            assert_eq!(matches(pattern, "a"), Err(BAD_PATTERN), "{pattern}");
        }
    }
}
