//! Go's `regexp` on top of the `regex` crate: the same automaton semantics, but Go's own syntax, error texts, template
//! expansion and rules about empty matches. A pattern is read by Go's grammar and written anew in the crate's syntax;
//! `\d \w \s \b` are ASCII as in Go.

use regex::bytes::Regex;
use std::fmt::Write;
use std::ops::Range;

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    regex: Regex,
    /// Names of the groups, the whole match first; empty for those without.
    names: Vec<String>,
    /// Whether the pattern is the empty text.
    empty: bool,
}

/// Nested groups that a pattern may have (Go allows a tree of height 1000).
const DEPTH: usize = 200;

impl Pattern {
    /// `regexp.Compile`. The error is Go's text, ``error parsing regexp: missing closing ): `(` ``.
    pub(crate) fn new(pattern: &[u8]) -> Result<Pattern, String> {
        let fail = |code: &str, at: &str| Err(format!("error parsing regexp: {code}: `{at}`"));
        let Ok(text) = std::str::from_utf8(pattern) else {
            return fail("invalid UTF-8", &String::from_utf8_lossy(pattern));
        };
        let mut writer = Writer { out: String::new(), names: vec![String::new()] };
        if let Err((code, at)) = writer.pattern(text) {
            return fail(code, &at);
        }
        match regex::bytes::RegexBuilder::new(&writer.out).size_limit(4 << 20).nest_limit(1000).build() {
            Ok(regex) => Ok(Pattern { regex, names: writer.names, empty: text.is_empty() }),
            Err(_) => fail("expression too large", text),
        }
    }

    /// Whether it matches anywhere.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        self.regex.is_match(text)
    }

    /// The first match.
    pub(super) fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        self.regex.find(text).map(|m| m.range())
    }

    /// All matches, at most `limit` of them; no empty match right after another match.
    pub(super) fn find_all(&self, text: &[u8], limit: usize) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let (mut at, mut last_end) = (0, None);
        while found.len() < limit && at <= text.len() {
            let Some(m) = self.regex.find_at(text, at) else { break };
            let accept = !(m.end() == at && m.start() == m.end() && last_end == Some(m.start()));
            at = if m.end() > at { m.end() } else { at + rune_len(text, at) };
            last_end = Some(m.end());
            if accept {
                found.push(m.range());
            }
        }
        found
    }

    /// `ReplaceAllString` with a template, or literally.
    pub(super) fn replace_all(&self, text: &[u8], replacement: &[u8], literal: bool, limit: usize) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let (mut last_end, mut at) = (0, 0);
        while at <= text.len() {
            let Some(groups) = self.regex.captures_at(text, at) else { break };
            let Some(whole) = groups.get(0) else { break };
            out.extend_from_slice(&text[last_end..whole.start()]);
            if whole.end() > last_end || whole.start() == 0 {
                if literal { out.extend_from_slice(replacement) } else { self.expand(&mut out, replacement, &groups) }
            }
            if out.len() > limit {
                return None;
            }
            last_end = whole.end();
            let width = if at < text.len() { rune_len(text, at) } else { 0 };
            at = if at + width > whole.end() {
                at + width
            } else if at + 1 > whole.end() {
                at + 1
            } else {
                whole.end()
            };
        }
        out.extend_from_slice(&text[last_end..]);
        Some(out)
    }

    /// Appends a template with `$1`, `${1}`, `$name` and `$$` replaced.
    fn expand(&self, out: &mut Vec<u8>, mut template: &[u8], groups: &regex::bytes::Captures<'_>) {
        while let Some(dollar) = template.iter().position(|&b| b == b'$') {
            out.extend_from_slice(&template[..dollar]);
            template = &template[dollar..];
            if template.get(1) == Some(&b'$') {
                out.push(b'$');
                template = &template[2..];
                continue;
            }
            let Some((name, rest)) = reference(&template[1..]) else {
                out.push(b'$');
                template = &template[1..];
                continue;
            };
            template = rest;
            let group = match name.parse::<usize>() {
                Ok(n) if name.bytes().all(|b| b.is_ascii_digit()) && (name.len() == 1 || !name.starts_with('0')) => {
                    groups.get(n)
                }
                _ => (1..self.names.len()).filter(|&i| self.names[i] == name).find_map(|i| groups.get(i)),
            };
            out.extend_from_slice(group.map_or(&[][..], |m| m.as_bytes()));
        }
        out.extend_from_slice(template);
    }

    /// `Split`; `None` for a limit of 0.
    pub(super) fn split(&self, text: &[u8], limit: i64) -> Option<Vec<Range<usize>>> {
        if limit == 0 {
            return None;
        }
        let limit = usize::try_from(limit).ok();
        if !self.empty && text.is_empty() {
            return Some(std::iter::once(0..0).collect());
        }
        let mut parts = Vec::new();
        let (mut begin, mut end) = (0, 0);
        for m in self.find_all(text, limit.unwrap_or(usize::MAX)) {
            if limit.is_some_and(|limit| parts.len() + 1 == limit) {
                break;
            }
            end = m.start;
            if m.end != 0 {
                parts.push(begin..end);
            }
            begin = m.end;
        }
        if end != text.len() {
            parts.push(begin..text.len());
        }
        Some(parts)
    }
}

/// A group reference after its `$`, and what follows.
fn reference(text: &[u8]) -> Option<(&str, &[u8])> {
    let braced = text.first() == Some(&b'{');
    let body = if braced { &text[1..] } else { text };
    let mut len = 0;
    for (c, size) in super::casing::runes(body) {
        if !(c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii() && (c.is_alphabetic() || c.is_numeric())) {
            break;
        }
        len += size;
    }
    let name = std::str::from_utf8(&body[..len]).ok().filter(|name| !name.is_empty())?;
    match (braced, body.get(len)) {
        (false, _) => Some((name, &body[len..])),
        (true, Some(b'}')) => Some((name, &body[len + 1..])),
        (true, _) => None,
    }
}

fn rune_len(text: &[u8], at: usize) -> usize {
    super::casing::first_rune(&text[at..]).map_or(1, |(_, size)| size)
}

/// `regexp.QuoteMeta`.
pub(super) fn quote_meta(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &b in text {
        if br"\.+*?()|[]{}^$".contains(&b) {
            out.push(b'\\');
        }
        out.push(b);
    }
    out
}

/// Go's code of a syntax error, and the part of the pattern it shows.
type SyntaxError = (&'static str, String);

/// Reads Go's syntax and writes the crate's.
struct Writer {
    out: String,
    names: Vec<String>,
}

/// What one open group holds so far: where its latest element starts in the output, if there is one to repeat.
struct Group {
    last: Option<usize>,
    /// The greatest product of repeat counts of the latest element and of the whole group.
    last_repeat: u32,
    repeat: u32,
}

impl Group {
    fn new() -> Group {
        Group { last: None, last_repeat: 1, repeat: 1 }
    }
}

impl Writer {
    fn pattern(&mut self, whole: &str) -> Result<(), SyntaxError> {
        let mut groups = vec![Group::new()];
        let mut rest = whole;
        let mut last_operator: Option<&str> = None;
        while let Some(c) = rest.chars().next() {
            let before = rest;
            let mut operator = None;
            let start = self.out.len();
            match c {
                '(' => {
                    if groups.len() > DEPTH {
                        return Err(("expression nests too deeply", whole.to_string()));
                    }
                    let flags_only;
                    (rest, flags_only) = self.open(rest)?;
                    if !flags_only {
                        if let Some(group) = groups.last_mut() {
                            group.last = Some(start);
                        }
                        groups.push(Group::new());
                    }
                }
                ')' => {
                    if groups.len() == 1 {
                        return Err(("unexpected )", whole.to_string()));
                    }
                    self.out.push(')');
                    let inner = groups.pop().map_or(1, |g| g.repeat);
                    if let Some(group) = groups.last_mut() {
                        group.last_repeat = inner;
                        group.repeat = group.repeat.max(inner);
                    }
                    rest = &rest[1..];
                }
                '|' => {
                    self.out.push('|');
                    if let Some(group) = groups.last_mut() {
                        group.last = None;
                    }
                    rest = &rest[1..];
                }
                '*' | '+' | '?' | '{' if c != '{' || counts(rest).is_some() => {
                    operator = Some(before);
                    let (after, low, high) = counts(rest).unwrap_or((&rest[1..], Some(0), None));
                    if c == '{' {
                        let bad = low.is_none_or(|n| n > 1000)
                            || high.is_some_and(|n| n > 1000 || low.is_some_and(|l| l > n));
                        if bad {
                            return Err(("invalid repeat count", before[..before.len() - after.len()].to_string()));
                        }
                    }
                    let lazy = after.starts_with('?');
                    let after = if lazy { &after[1..] } else { after };
                    if let Some(last) = last_operator {
                        let shown = last[..last.len() - after.len()].to_string();
                        return Err(("invalid nested repetition operator", shown));
                    }
                    let shown = &before[..before.len() - after.len()];
                    let group = groups.last_mut().filter(|g| g.last.is_some());
                    let Some(group) = group else {
                        return Err(("missing argument to repetition operator", shown.to_string()));
                    };
                    let element = group.last.unwrap_or(start);
                    if c == '{' {
                        let times = high.or(low).unwrap_or(1).max(1);
                        group.last_repeat = group.last_repeat.saturating_mul(times);
                        if group.last_repeat > 1000 {
                            return Err(("invalid repeat count", shown.to_string()));
                        }
                        group.repeat = group.repeat.max(group.last_repeat);
                    }
                    self.out.insert_str(element, "(?:");
                    self.out.push(')');
                    self.out.push_str(shown);
                    rest = after;
                }
                '[' => rest = self.class(rest)?,
                '\\' if rest.starts_with(r"\Q") => {
                    let body = &rest[2..];
                    let (literal, after) = body.split_once(r"\E").unwrap_or((body, ""));
                    for c in literal.chars() {
                        if let Some(group) = groups.last_mut() {
                            group.last = Some(self.out.len());
                            group.last_repeat = 1;
                        }
                        self.literal(c);
                    }
                    rest = after;
                    last_operator = None;
                    continue;
                }
                '\\' => rest = self.escape(rest)?,
                '^' | '$' | '.' => {
                    self.out.push(c);
                    rest = &rest[1..];
                }
                _ => {
                    self.literal(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
            if operator.is_none()
                && !matches!(c, '(' | ')' | '|')
                && let Some(group) = groups.last_mut()
            {
                group.last = Some(start);
                group.last_repeat = 1;
            }
            last_operator = operator;
        }
        match groups.len() {
            1 => Ok(()),
            _ => Err(("missing closing )", whole.to_string())),
        }
    }

    fn literal(&mut self, c: char) {
        if c.is_ascii_alphanumeric() || !c.is_ascii() {
            self.out.push(c);
        } else {
            let _ = write!(self.out, "\\x{{{:x}}}", c as u32);
        }
    }

    /// After a `(`: what follows it, and whether it only set flags.
    fn open<'a>(&mut self, text: &'a str) -> Result<(&'a str, bool), SyntaxError> {
        if !text.starts_with("(?") {
            self.names.push(String::new());
            self.out.push('(');
            return Ok((&text[1..], false));
        }
        let named = if text.len() > 4 && text.starts_with("(?P<") {
            Some(4)
        } else if text.len() > 3 && text.starts_with("(?<") {
            Some(3)
        } else {
            None
        };
        if let Some(from) = named {
            let Some(end) = text.find('>') else { return Err(("invalid named capture", text.to_string())) };
            let name = &text[from..end.max(from)];
            if name.is_empty() || !name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
                return Err(("invalid named capture", text[..=end].to_string()));
            }
            self.names.push(name.to_string());
            self.out.push('(');
            return Ok((&text[end + 1..], false));
        }
        let (mut on, mut off) = (String::new(), String::new());
        let (mut negative, mut seen) = (false, false);
        let mut at = 2;
        for c in text[2..].chars() {
            at += c.len_utf8();
            match c {
                'i' | 'm' | 's' | 'U' => {
                    let list = if negative { &mut off } else { &mut on };
                    if !list.contains(c) {
                        list.push(c);
                    }
                    seen = true;
                }
                '-' if !negative => (negative, seen) = (true, false),
                ':' | ')' if !negative || seen => {
                    on.retain(|c| !off.contains(c));
                    let dash = if off.is_empty() { "" } else { "-" };
                    if c == ':' {
                        let _ = write!(self.out, "(?{on}{dash}{off}:");
                    } else if !on.is_empty() || !off.is_empty() {
                        let _ = write!(self.out, "(?{on}{dash}{off})");
                    }
                    return Ok((&text[at..], c == ')'));
                }
                _ => return Err(("invalid or unsupported Perl syntax", text[..at].to_string())),
            }
        }
        // Go shows what it read before the pattern ended.
        Err(("invalid or unsupported Perl syntax", text.to_string()))
    }

    /// An escape outside a class.
    fn escape<'a>(&mut self, text: &'a str) -> Result<&'a str, SyntaxError> {
        match text[1..].chars().next() {
            Some('A') => self.out.push_str(r"\A"),
            Some('z') => self.out.push_str(r"\z"),
            Some('b') => self.out.push_str(r"(?-u:\b)"),
            Some('B') => self.out.push_str(r"(?-u:\B)"),
            Some('C') => return Err(("invalid escape sequence", text[..2].to_string())),
            _ => {
                if let Some((class, rest)) = self.named_class(text)? {
                    let _ = write!(self.out, "[{class}]");
                    return Ok(rest);
                }
                let (c, rest) = escaped(text)?;
                self.literal(c);
                return Ok(rest);
            }
        }
        Ok(&text[2..])
    }

    /// `\d`, `\pL`, `\p{Greek}` and the like, in the crate's syntax for the inside of a class.
    fn named_class<'a>(&self, text: &'a str) -> Result<Option<(String, &'a str)>, SyntaxError> {
        let Some(letter) = text[1..].chars().next() else { return Ok(None) };
        let perl = match letter {
            'd' => "0-9",
            'D' => "[^0-9]",
            's' => r"\t\n\x0c\r\x20",
            'S' => r"[^\t\n\x0c\r\x20]",
            'w' => "0-9A-Za-z_",
            'W' => "[^0-9A-Za-z_]",
            'p' | 'P' => "",
            _ => return Ok(None),
        };
        if !perl.is_empty() {
            return Ok(Some((perl.to_string(), &text[2..])));
        }
        let Some(first) = text[2..].chars().next() else { return Ok(None) };
        let (name, end) = if first == '{' {
            let Some(end) = text.find('}') else { return Err(("invalid character class range", text.to_string())) };
            (&text[3..end], end + 1)
        } else {
            (&text[2..2 + first.len_utf8()], 2 + first.len_utf8())
        };
        let (name, flip) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
        let letter = if (letter == 'P') != flip { 'P' } else { 'p' };
        let class = format!("\\{letter}{{{name}}}");
        let known = !name.is_empty() && !name.contains('=') && Regex::new(&class).is_ok();
        if !known {
            return Err(("invalid character class range", text[..end].to_string()));
        }
        Ok(Some((class, &text[end..])))
    }

    /// A bracketed class.
    fn class<'a>(&mut self, whole: &'a str) -> Result<&'a str, SyntaxError> {
        let mut rest = &whole[1..];
        let mut out = String::from("[");
        if let Some(after) = rest.strip_prefix('^') {
            out.push('^');
            rest = after;
        }
        let missing = || ("missing closing ]", whole.to_string());
        let mut first = true;
        while first || !rest.starts_with(']') {
            first = false;
            if rest.len() > 2
                && rest.starts_with("[:")
                && let Some(end) = rest[2..].find(":]")
            {
                let name = &rest[..end + 4];
                let class = posix(name).ok_or(("invalid character class range", name.to_string()))?;
                out.push_str(class);
                rest = &rest[name.len()..];
                continue;
            }
            if rest.len() > 1
                && rest.starts_with('\\')
                && let Some((class, after)) = self.named_class(rest)?
            {
                out.push_str(&class);
                rest = after;
                continue;
            }
            let range = rest;
            let low;
            (low, rest) = class_char(rest).map_err(|e| e.unwrap_or_else(missing))?;
            let mut high = low;
            if rest.len() >= 2 && rest.starts_with('-') && !rest[1..].starts_with(']') {
                (high, rest) = class_char(&rest[1..]).map_err(|e| e.unwrap_or_else(missing))?;
                if high < low {
                    let shown = range[..range.len() - rest.len()].to_string();
                    return Err(("invalid character class range", shown));
                }
            }
            let _ = write!(out, "\\x{{{:x}}}-\\x{{{:x}}}", low as u32, high as u32);
        }
        out.push(']');
        self.out.push_str(&out);
        Ok(&rest[1..])
    }
}

/// One character of a class; an error of `None` means that the class does not end.
fn class_char(text: &str) -> Result<(char, &str), Option<SyntaxError>> {
    match text.chars().next() {
        None => Err(None),
        Some('\\') => escaped(text).map_err(Some),
        Some(c) => Ok((c, &text[c.len_utf8()..])),
    }
}

/// An escape that stands for one character.
fn escaped(text: &str) -> Result<(char, &str), SyntaxError> {
    let body = &text[1..];
    let Some(c) = body.chars().next() else {
        return Err(("trailing backslash at end of expression", String::new()));
    };
    let rest = &body[c.len_utf8()..];
    let bad = |rest: &str| Err(("invalid escape sequence", text[..text.len() - rest.len()].to_string()));
    let octal = |digits: &str| -> (u32, usize) {
        let len = digits.bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
        (u32::from_str_radix(&digits[..len], 8).unwrap_or(0), len)
    };
    match c {
        '1'..='7' if rest.starts_with(|c| ('0'..='7').contains(&c)) => {
            let (code, len) = octal(body);
            Ok((char::from_u32(code).unwrap_or('\0'), &body[len..]))
        }
        '0' => {
            let (code, len) = octal(body);
            Ok((char::from_u32(code).unwrap_or('\0'), &body[len..]))
        }
        'x' => {
            let (digits, after) = match rest.strip_prefix('{') {
                Some(inner) => {
                    let Some(end) = inner.find('}') else { return bad("") };
                    (&inner[..end], &inner[end + 1..])
                }
                None => {
                    let hex = |c: Option<char>| c.is_some_and(|c| c.is_ascii_hexdigit());
                    let mut chars = rest.chars();
                    let (Some(a), b) = (chars.next(), chars.next()) else { return bad("") };
                    if !hex(Some(a)) || !hex(b) {
                        let used = a.len_utf8() + b.map_or(0, char::len_utf8);
                        return bad(&rest[used.min(rest.len())..]);
                    }
                    (&rest[..2], &rest[2..])
                }
            };
            let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
            match code.filter(|_| digits.bytes().all(|b| b.is_ascii_hexdigit())) {
                Some(c) => Ok((c, after)),
                None => bad(after),
            }
        }
        'a' => Ok(('\u{7}', rest)),
        'f' => Ok(('\u{c}', rest)),
        'n' => Ok(('\n', rest)),
        'r' => Ok(('\r', rest)),
        't' => Ok(('\t', rest)),
        'v' => Ok(('\u{b}', rest)),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok((c, rest)),
        _ => bad(rest),
    }
}

/// `{n}`, `{n,}` or `{n,m}`: what follows and both counts; a count too large to read is `None` for the first. `None`
/// when it is no repetition but literal text.
fn counts(text: &str) -> Option<(&str, Option<u32>, Option<u32>)> {
    let body = text.strip_prefix('{')?;
    let number = |text: &str| -> Option<(u32, usize)> {
        let len = text.bytes().take_while(u8::is_ascii_digit).count();
        // Leading zeros are no number.
        if len == 0 || len > 1 && text.starts_with('0') {
            return None;
        }
        Some((text[..len].parse().unwrap_or(u32::MAX), len))
    };
    let (low, len) = number(body)?;
    let rest = &body[len..];
    if let Some(after) = rest.strip_prefix('}') {
        return Some((after, Some(low), Some(low)));
    }
    let rest = rest.strip_prefix(',')?;
    if let Some(after) = rest.strip_prefix('}') {
        return Some((after, Some(low), None));
    }
    let (high, len) = number(rest)?;
    let after = rest[len..].strip_prefix('}')?;
    Some((after, Some(low), Some(high)))
}

/// A POSIX class such as `[:alpha:]`, in the crate's syntax.
fn posix(name: &str) -> Option<&'static str> {
    Some(match name {
        "[:alnum:]" => "0-9A-Za-z",
        "[:^alnum:]" => "[^0-9A-Za-z]",
        "[:alpha:]" => "A-Za-z",
        "[:^alpha:]" => "[^A-Za-z]",
        "[:ascii:]" => r"\x00-\x7f",
        "[:^ascii:]" => r"[^\x00-\x7f]",
        "[:blank:]" => r"\t\x20",
        "[:^blank:]" => r"[^\t\x20]",
        "[:cntrl:]" => r"\x00-\x1f\x7f",
        "[:^cntrl:]" => r"[^\x00-\x1f\x7f]",
        "[:digit:]" => "0-9",
        "[:^digit:]" => "[^0-9]",
        "[:graph:]" => r"\x21-\x7e",
        "[:^graph:]" => r"[^\x21-\x7e]",
        "[:lower:]" => "a-z",
        "[:^lower:]" => "[^a-z]",
        "[:print:]" => r"\x20-\x7e",
        "[:^print:]" => r"[^\x20-\x7e]",
        "[:punct:]" => r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
        "[:^punct:]" => r"[^\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]",
        "[:space:]" => r"\t-\r\x20",
        "[:^space:]" => r"[^\t-\r\x20]",
        "[:upper:]" => "A-Z",
        "[:^upper:]" => "[^A-Z]",
        "[:word:]" => "0-9A-Za-z_",
        "[:^word:]" => "[^0-9A-Za-z_]",
        "[:xdigit:]" => "0-9A-Fa-f",
        "[:^xdigit:]" => "[^0-9A-Fa-f]",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(pattern: &str) -> String {
        Pattern::new(pattern.as_bytes()).err().unwrap_or_default()
    }

    #[test]
    fn errors_have_gos_words() {
        for (pattern, want) in [
            ("(", "error parsing regexp: missing closing ): `(`"),
            (")", "error parsing regexp: unexpected ): `)`"),
            ("a**", "error parsing regexp: invalid nested repetition operator: `**`"),
            ("*", "error parsing regexp: missing argument to repetition operator: `*`"),
            ("[a", "error parsing regexp: missing closing ]: `[a`"),
            ("[b-a]", "error parsing regexp: invalid character class range: `b-a`"),
            ("\\", "error parsing regexp: trailing backslash at end of expression: ``"),
            ("\\8", "error parsing regexp: invalid escape sequence: `\\8`"),
            ("(?=a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"),
            ("a{1001}", "error parsing regexp: invalid repeat count: `{1001}`"),
            ("[[:foo:]]", "error parsing regexp: invalid character class range: `[:foo:]`"),
            ("\\p{Nope}", "error parsing regexp: invalid character class range: `\\p{Nope}`"),
        ] {
            assert_eq!(error(pattern), want, "{pattern}");
        }
    }

    #[test]
    fn matches_replace_and_split_as_go() {
        let p = |pattern: &str| Pattern::new(pattern.as_bytes()).unwrap();
        let replaced = |pattern: &str, text: &str, with: &str| {
            String::from_utf8(p(pattern).replace_all(text.as_bytes(), with.as_bytes(), false, 1 << 20).unwrap())
                .unwrap()
        };
        assert_eq!(replaced("a(x*)b", "-ab-axxb-", "${1}W"), "-W-xxW-");
        assert_eq!(replaced("a(x*)b", "-ab-axxb-", "$1W"), "---");
        assert_eq!(replaced("x*", "abc", "-"), "-a-b-c-");
        assert_eq!(replaced("(?P<n>b)", "abc", "[$n]"), "a[b]c");
        assert_eq!(p("a*").find_all(b"baaac", 9), vec![0..0, 1..4, 5..5]);
        assert!(!p(r"\d").matches("٣".as_bytes()));
        assert!(p(r"^a{,2}$").matches(b"a{,2}"));
        assert!(p(r"[&&a]").matches(b"&"));
    }
}
