//! The formats that schemas check: dates, addresses, names. Errors in the words of the library, or of Go where the
//! library asks Go.

use super::location::quote;
use crate::funcs::re2::Pattern;
use crate::funcs::{timeparse, url};

type Verdict = Result<(), String>;
type Check = fn(&str) -> Verdict;

/// Names and checks; each gets a text.
const FORMATS: &[(&str, Check)] = &[
    ("regex", |s| Pattern::new(s.as_bytes()).map(|_| ())),
    ("json-pointer", json_pointer),
    ("relative-json-pointer", relative_json_pointer),
    ("uuid", uuid),
    ("duration", duration),
    ("period", period),
    ("ipv4", ipv4),
    ("ipv6", ipv6),
    ("hostname", hostname),
    ("email", email),
    ("date", |s| timeparse::check_date(s.as_bytes())),
    ("time", time),
    ("date-time", date_time),
    ("uri", uri),
    ("iri", uri),
    ("uri-reference", uri_reference),
    ("iri-reference", uri_reference),
    ("uri-template", uri_template),
    ("semver", semver),
];

/// A format that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format(usize);

impl Format {
    /// The format of a name; unknown ones are not checked.
    pub(crate) fn named(name: &str) -> Option<Format> {
        FORMATS.iter().position(|(known, _)| *known == name).map(Format)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        FORMATS[self.0].0
    }

    /// Whether a text has it; the error is what messages say after the colon.
    pub(crate) fn check(self, text: &str) -> Verdict {
        FORMATS[self.0].1(text)
    }
}

fn fail(text: &str) -> Verdict {
    Err(text.to_string())
}

/// Go's `%q` of a character.
fn quoted_char(c: char) -> String {
    match c {
        '\'' => "'\\''".to_string(),
        '"' => "'\"'".to_string(),
        c => {
            let quoted = quote(c.encode_utf8(&mut [0; 4]));
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    }
}

/// The digits at the start of a text.
fn leading_digits(s: &str) -> usize {
    s.bytes().take_while(u8::is_ascii_digit).count()
}

fn json_pointer(s: &str) -> Verdict {
    if s.is_empty() {
        return Ok(());
    }
    if !s.starts_with('/') {
        return fail("not starting with /");
    }
    for token in s.split('/').skip(1) {
        if token.split('~').skip(1).any(|part| !part.starts_with(['0', '1'])) {
            return fail("~ must be followed by 0 or 1");
        }
    }
    Ok(())
}

fn relative_json_pointer(s: &str) -> Verdict {
    let digits = leading_digits(s);
    if digits == 0 {
        return fail("must start with non-negative integer");
    }
    if digits > 1 && s.starts_with('0') {
        return fail("starts with zero");
    }
    if &s[digits..] == "#" { Ok(()) } else { json_pointer(&s[digits..]) }
}

fn uuid(s: &str) -> Verdict {
    const LENGTHS: [usize; 5] = [8, 4, 4, 4, 12];
    let groups: Vec<&str> = s.split('-').collect();
    if groups.len() != LENGTHS.len() {
        return fail("must have 5 elements");
    }
    for (i, (group, length)) in groups.iter().zip(LENGTHS).enumerate() {
        if group.len() != length {
            return Err(format!("element {} must be {length} characters long", i + 1));
        }
        if let Some(c) = group.chars().find(|c| !c.is_ascii_hexdigit()) {
            return Err(format!("non-hex character {}", quoted_char(c)));
        }
    }
    Ok(())
}

fn duration(s: &str) -> Verdict {
    let Some(s) = s.strip_prefix('P') else { return fail("must start with P") };
    if s.is_empty() {
        return fail("nothing after P");
    }
    if let Some(weeks) = s.strip_suffix('W') {
        return match () {
            () if weeks.is_empty() => fail("no number in week"),
            () if leading_digits(weeks) < weeks.len() => fail("invalid week"),
            () => Ok(()),
        };
    }
    for (i, mut part) in s.split('T').enumerate() {
        if i != 0 && part.is_empty() {
            return fail("no time elements");
        }
        let Some(all) = ["YMD", "HMS"].get(i).copied() else { return fail("more than one T") };
        let mut units = all;
        while !part.is_empty() {
            let digits = leading_digits(part);
            if digits == 0 {
                return fail("missing number");
            }
            let Some(&unit) = part.as_bytes().get(digits) else { return fail("missing unit") };
            let unit = char::from(unit);
            let Some(at) = units.find(unit) else {
                let shown = quoted_char(unit);
                return Err(match all.contains(unit) {
                    true => format!("unit {shown} out of order"),
                    false => format!("invalid unit {shown}"),
                });
            };
            units = &units[at + 1..];
            part = &part[digits + 1..];
        }
    }
    Ok(())
}

/// `strconv.Atoi`.
fn atoi(s: &str) -> Result<i64, String> {
    let digits = s.strip_prefix(['+', '-']).unwrap_or(s);
    if digits.is_empty() || leading_digits(digits) < digits.len() {
        return Err(format!("strconv.Atoi: parsing {}: invalid syntax", quote(s)));
    }
    s.parse().map_err(|_| format!("strconv.Atoi: parsing {}: value out of range", quote(s)))
}

fn ipv4(s: &str) -> Verdict {
    let groups: Vec<&str> = s.split('.').collect();
    if groups.len() != 4 {
        return fail("expected four decimals");
    }
    for group in groups {
        if group.len() > 1 && group.starts_with('0') {
            return fail("leading zeros");
        }
        if !(0..=255).contains(&atoi(group)?) {
            return fail("decimal must be between 0 and 255");
        }
    }
    Ok(())
}

fn ipv6(s: &str) -> Verdict {
    if !s.contains(':') {
        return fail("missing colon");
    }
    go_address(s)?;
    if s.contains('%') { fail("zone id is not a part of ipv6 address") } else { Ok(()) }
}

/// Go's `netip.ParseAddr` of a text with a colon.
fn go_address(whole: &str) -> Verdict {
    let error = |why: &str, at: &str| {
        let at = if at.is_empty() { String::new() } else { format!(" (at {})", quote(at)) };
        Err(format!("ParseAddr({}): {why}{at}", quote(whole)))
    };
    match whole.find(['.', ':', '%']).map(|i| whole.as_bytes()[i]) {
        Some(b'.') => return dotted(whole).or_else(|(why, at)| error(why, at)),
        Some(b'%') => return error("missing IPv6 address", ""),
        _ => {}
    }
    let (mut s, zone) = whole.split_once('%').map_or((whole, None), |(s, zone)| (s, Some(zone)));
    if zone == Some("") {
        return error("zone must be a non-empty string", "");
    }
    let mut gap: Option<usize> = None;
    if let Some(rest) = s.strip_prefix("::") {
        gap = Some(0);
        s = rest;
        if s.is_empty() {
            return Ok(());
        }
    }
    let mut bytes = 0;
    while bytes < 16 {
        let digits = s.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits > 4 {
            return error("each group must have 4 or less digits", s);
        }
        if digits == 0 {
            return error("each colon-separated field must have at least one digit", s);
        }
        if s[digits..].starts_with('.') {
            if gap.is_none() && bytes != 12 {
                return error("embedded IPv4 address must replace the final 2 fields of the address", s);
            }
            if bytes + 4 > 16 {
                return error("too many hex fields to fit an embedded IPv4 at the end of the address", s);
            }
            if let Err((why, at)) = dotted(s) {
                return error(why, at);
            }
            s = "";
            bytes += 4;
            break;
        }
        bytes += 2;
        s = &s[digits..];
        if s.is_empty() {
            break;
        }
        let Some(rest) = s.strip_prefix(':') else { return error("unexpected character, want colon", s) };
        if rest.is_empty() {
            return error("colon must be followed by more characters", s);
        }
        s = rest;
        if let Some(rest) = s.strip_prefix(':') {
            if gap.is_some() {
                return error("multiple :: in address", s);
            }
            gap = Some(bytes);
            s = rest;
            if s.is_empty() {
                break;
            }
        }
    }
    if !s.is_empty() {
        return error("trailing garbage after address", s);
    }
    match gap {
        None if bytes < 16 => error("address string too short", ""),
        Some(_) if bytes == 16 => error("the :: must expand to at least one field of zeros", ""),
        _ => Ok(()),
    }
}

/// The four numbers of an IPv4 address; the error says why and where.
fn dotted(s: &str) -> Result<(), (&'static str, &str)> {
    let (mut value, mut digits, mut dots) = (0u32, 0, 0);
    for (i, c) in s.char_indices() {
        match c {
            '0'..='9' => {
                if digits == 1 && value == 0 {
                    return Err(("IPv4 field has octet with leading zero", ""));
                }
                value = value * 10 + u32::from(c) - 48;
                digits += 1;
                if value > 255 {
                    return Err(("IPv4 field has value >255", ""));
                }
            }
            '.' => {
                if digits == 0 || i == s.len() - 1 {
                    return Err(("IPv4 field must have at least one digit", &s[i..]));
                }
                if dots == 3 {
                    return Err(("IPv4 address too long", ""));
                }
                (value, digits, dots) = (0, 0, dots + 1);
            }
            _ => return Err(("unexpected character", &s[i..])),
        }
    }
    if dots < 3 { Err(("IPv4 address too short", "")) } else { Ok(()) }
}

fn hostname(s: &str) -> Verdict {
    let s = s.strip_suffix('.').unwrap_or(s);
    if s.len() > 253 {
        return fail("more than 253 characters long");
    }
    for label in s.split('.') {
        if !(1..=63).contains(&label.len()) {
            return fail("label must be 1 to 63 characters long");
        }
        if label.starts_with('-') {
            return fail("label starts with hyphen");
        }
        if label.ends_with('-') {
            return fail("label ends with hyphen");
        }
        if let Some(c) = label.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '-') {
            return Err(format!("invalid character {}", quoted_char(c)));
        }
    }
    Ok(())
}

fn email(s: &str) -> Verdict {
    if s.len() > 254 {
        return fail("more than 255 characters long");
    }
    let Some((local, domain)) = s.rsplit_once('@') else { return fail("missing @") };
    if local.len() > 64 {
        return fail("local part more than 64 characters long");
    }
    if local.len() > 1 && local.starts_with('"') {
        // Whatever stands last is taken for the closing quote.
        if local.as_bytes()[1..local.len() - 1].iter().any(|b| matches!(b, b'\\' | b'"')) {
            return fail("backslash and quote are not allowed within quoted local part");
        }
    } else {
        if local.starts_with('.') {
            return fail("starts with dot");
        }
        if local.ends_with('.') {
            return fail("ends with dot");
        }
        if local.contains("..") {
            return fail("consecutive dots");
        }
        let good = |c: char| c.is_ascii_alphanumeric() || ".!#$%&'*+-/=?^_`{|}~".contains(c);
        if let Some(c) = local.chars().find(|c| !good(*c)) {
            return Err(format!("invalid character {}", quoted_char(c)));
        }
    }
    if let Some(address) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return match address.strip_prefix("IPv6:") {
            Some(address) => ipv6(address).map_err(|why| format!("invalid ipv6 address: {why}")),
            None => ipv4(address).map_err(|why| format!("invalid ipv4 address: {why}")),
        };
    }
    hostname(domain).map_err(|why| format!("invalid domain: {why}"))
}

/// Numbers between colons; the words are for what is no number and for what is below zero.
fn clock(text: &[u8], parts: usize, bad: &str, negative: &str) -> Result<Vec<i64>, String> {
    let text = String::from_utf8_lossy(text);
    let mut numbers = Vec::new();
    for part in text.splitn(parts, ':') {
        let n = atoi(part).map_err(|_| bad.to_string())?;
        if n < 0 {
            return Err(negative.to_string());
        }
        numbers.push(n);
    }
    Ok(numbers)
}

fn time(text: &str) -> Verdict {
    let s = text.as_bytes();
    if s.len() < 9 {
        return fail("less than 9 characters long");
    }
    if s[2] != b':' || s[5] != b':' {
        return fail("missing colon in correct place");
    }
    let hms = clock(&s[..8], 3, "invalid hour/min/sec", "non-positive hour/min/sec")?;
    let [mut h, mut m, sec] = hms[..] else { return fail("missing hour/min/sec") };
    if h > 23 || m > 59 || sec > 60 {
        return fail("hour/min/sec out of range");
    }
    let mut rest = &s[8..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return fail("no digits in second fraction");
        }
        rest = &fraction[digits..];
    }
    if !rest.eq_ignore_ascii_case(b"z") {
        if rest.len() != 6 {
            return fail("offset must be 6 characters long");
        }
        let sign = match rest[0] {
            b'+' => -1,
            b'-' => 1,
            _ => return fail("offset must begin with plus/minus"),
        };
        if rest[3] != b':' {
            return fail("missing colon in offset in correct place");
        }
        let offset = clock(&rest[1..], 2, "invalid hour/min in offset", "non-positive hour/min in offset")?;
        let [zh, zm] = offset[..] else { return fail("invalid hour/min in offset") };
        if zh > 23 || zm > 59 {
            return fail("hour/min in offset out of range");
        }
        let minutes = h * 60 + m + sign * (zh * 60 + zm);
        let minutes = if minutes < 0 { minutes + 24 * 60 } else { minutes };
        (h, m) = (minutes / 60, minutes % 60);
    }
    if sec >= 60 && (h != 23 || m != 59) { fail("invalid leap second") } else { Ok(()) }
}

fn date_time(s: &str) -> Verdict {
    let bytes = s.as_bytes();
    if bytes.len() < 20 {
        return fail("less than 20 characters long");
    }
    if !bytes[10].eq_ignore_ascii_case(&b't') {
        return fail("11th character must be t or T");
    }
    timeparse::check_date(&bytes[..10]).map_err(|why| format!("invalid date element: {why}"))?;
    // A `t` of ASCII stands before, so this is the start of a character.
    time(&s[11..]).map_err(|why| format!("invalid time element: {why}"))
}

fn parsed_uri(s: &str) -> Result<url::Reference, String> {
    let parsed = url::reference(s)?;
    if parsed.hostname.contains(':') {
        if !parsed.bracketed {
            return Err("ipv6 address not enclosed in brackets".into());
        }
        ipv6(&parsed.hostname).map_err(|why| format!("invalid ipv6 address: {why}"))?;
    }
    Ok(parsed)
}

fn uri(s: &str) -> Verdict {
    if parsed_uri(s)?.absolute { Ok(()) } else { fail("relative url") }
}

fn uri_reference(s: &str) -> Verdict {
    if s.contains('\\') {
        return fail("contains \\");
    }
    parsed_uri(s).map(|_| ())
}

fn uri_template(s: &str) -> Verdict {
    let parsed = parsed_uri(s)?;
    if parsed.opaque {
        return Ok(());
    }
    // Only a path that is not written as Go would write it is looked at.
    let main = s.split('#').next().unwrap_or(s);
    let main = main.split('?').next().unwrap_or(main);
    let path = if parsed.absolute { main.split_once(':').map_or(main, |(_, rest)| rest) } else { main };
    let path = match path.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or("", |i| &rest[i..]),
        None => path,
    };
    if url::is_plain_path(path) {
        return Ok(());
    }
    for token in path.split('/') {
        let token = url::path_unescape(token).map_err(|why| format!("percent decode failed: {why}"))?;
        let mut open = false;
        for brace in token.chars().filter(|c| matches!(c, '{' | '}')) {
            if (brace == '{') == open {
                return fail("nested curly braces");
            }
            open = !open;
        }
        if open {
            return fail("no matching closing brace");
        }
    }
    Ok(())
}

fn period(s: &str) -> Verdict {
    let Some((start, end)) = s.split_once('/') else { return fail("missing slash") };
    if start.starts_with('P') {
        duration(start).map_err(|why| format!("invalid start duration: {why}"))?;
        return date_time(end).map_err(|why| format!("invalid end date-time: {why}"));
    }
    date_time(start).map_err(|why| format!("invalid start date-time: {why}"))?;
    if end.starts_with('P') {
        return duration(end).map_err(|why| format!("invalid end duration: {why}"));
    }
    date_time(end).map_err(|why| format!("invalid end date-time: {why}"))
}

fn semver(s: &str) -> Verdict {
    let alphanumeric = |id: &str, what: &str| match id.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '-') {
        Some(c) => Err(format!("invalid character {} in {what} identifier", quoted_char(c))),
        None => Ok(()),
    };
    let mut s = s;
    if let Some((core, build)) = s.split_once('+') {
        if build.is_empty() {
            return fail("build is empty");
        }
        for id in build.split('.') {
            if id.is_empty() {
                return fail("build identifier is empty");
            }
            alphanumeric(id, "build")?;
        }
        s = core;
    }
    if let Some((core, pre_release)) = s.split_once('-') {
        for id in pre_release.split('.') {
            if id.is_empty() {
                return fail("pre-release identifier is empty");
            }
            alphanumeric(id, "pre-release")?;
            if id.len() > 1 && id.starts_with('0') && leading_digits(id) == id.len() {
                return fail("pre-release numeric identifier starts with zero");
            }
        }
        s = core;
    }
    let versions: Vec<&str> = s.split('.').collect();
    if versions.len() != 3 {
        return fail("versionCore must have 3 numbers separated by dot");
    }
    for (name, version) in ["major", "minor", "patch"].iter().zip(versions) {
        let why = match () {
            () if version.is_empty() => "is empty",
            () if version.len() > 1 && version.starts_with('0') => "starts with zero",
            () if leading_digits(version) < version.len() => "contains non-digit",
            () => continue,
        };
        return Err(format!("{name} {why}"));
    }
    Ok(())
}
