//! Versions and constraints as Masterminds/semver 3.5 reads them: lenient (`v1.2`) and strict versions, constraint
//! groups (`>=1.2 <2 || ~3`), pre-release rules and the exact error texts. Used by `semverCompare`, `semver`,
//! dependency ranges and `kubeVersion`.

use std::cmp::Ordering;
use std::fmt;

/// The longest version text that is accepted, in bytes.
const MAX_VERSION: usize = 256;
/// The longest constraint text that is accepted, in bytes.
const MAX_CONSTRAINT: usize = 512;
/// The most `||` groups in one constraint.
const MAX_GROUPS: usize = 32;

/// A version: three numbers, pre-release, build metadata, and the text it was read from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Version {
    /// First number.
    pub major: u64,
    /// Second number.
    pub minor: u64,
    /// Third number.
    pub patch: u64,
    /// Pre-release without its dash; empty when there is none.
    pub pre: String,
    /// Build metadata without its plus; empty when there is none.
    pub metadata: String,
    /// The text as it was given.
    pub original: String,
}

impl Version {
    /// Reads `1`, `v1.2`, `1.2.3-rc.1+build` and the like (`NewVersion`). The error is the library's text.
    pub fn parse(text: &str) -> Result<Version, String> {
        if text.len() > MAX_VERSION {
            return Err(format!("version string is too long (max {MAX_VERSION} bytes)"));
        }
        const INVALID: &str = "invalid semantic version";
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        let parts = reader.parts(|b| b.is_ascii_digit()).ok_or(INVALID)?;
        if reader.at != text.len() {
            return Err(INVALID.to_string());
        }
        let number = |digits: &str| -> Result<u64, String> {
            if digits.is_empty() {
                return Ok(0);
            }
            let wrap =
                |_| format!("error parsing version segment: strconv.ParseUint: parsing {digits:?}: value out of range");
            digits.parse().map_err(wrap)
        };
        let version = Version {
            major: number(parts.major)?,
            minor: number(parts.minor.trim_start_matches('.'))?,
            patch: number(parts.patch.trim_start_matches('.'))?,
            pre: parts.pre.get(1..).unwrap_or("").to_string(),
            metadata: parts.metadata.get(1..).unwrap_or("").to_string(),
            original: text.to_string(),
        };
        if !version.pre.is_empty() {
            check_pre(&version.pre)?;
        }
        if !version.metadata.is_empty() {
            check_metadata(&version.metadata)?;
        }
        Ok(version)
    }

    /// Reads exactly `X.Y.Z[-pre][+meta]` (`StrictNewVersion`). The error is the library's text.
    pub fn parse_strict(text: &str) -> Result<Version, String> {
        if text.is_empty() {
            return Err("version string empty".into());
        }
        if text.len() > MAX_VERSION {
            return Err(format!("version string is too long (max {MAX_VERSION} bytes)"));
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err("invalid semantic version".into());
        };
        let (rest, metadata) = rest.split_once('+').map_or((rest, None), |(a, b)| (a, Some(b)));
        if let Some(metadata) = metadata {
            check_metadata(metadata)?;
        }
        let (patch, pre) = rest.split_once('-').map_or((rest, None), |(a, b)| (a, Some(b)));
        if let Some(pre) = pre {
            check_pre(pre)?;
        }
        for part in [major, minor, patch] {
            if !part.bytes().all(|b| b.is_ascii_digit()) {
                return Err("invalid characters in version".into());
            }
            if part.len() > 1 && part.starts_with('0') {
                return Err("version segment starts with 0".into());
            }
        }
        let number = |digits: &str| -> Result<u64, String> {
            digits.parse().map_err(|_| {
                let why = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
                format!("strconv.ParseUint: parsing {digits:?}: {why}")
            })
        };
        Ok(Version {
            major: number(major)?,
            minor: number(minor)?,
            patch: number(patch)?,
            pre: pre.unwrap_or("").to_string(),
            metadata: metadata.unwrap_or("").to_string(),
            original: text.to_string(),
        })
    }

    /// Order by precedence: numbers, then pre-release; metadata does not count.
    pub fn compare(&self, other: &Version) -> Ordering {
        let numbers = (self.major, self.minor, self.patch).cmp(&(other.major, other.minor, other.patch));
        numbers.then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => compare_pre(&self.pre, &other.pre),
        })
    }

    /// The next patch release (of a pre-release: the release itself); keeps a leading `v` in `original`.
    pub fn inc_patch(&self) -> Version {
        let patch = if self.pre.is_empty() { self.patch.wrapping_add(1) } else { self.patch };
        self.next(self.major, self.minor, patch)
    }

    /// The next minor release.
    pub fn inc_minor(&self) -> Version {
        self.next(self.major, self.minor.wrapping_add(1), 0)
    }

    /// The next major release.
    pub fn inc_major(&self) -> Version {
        self.next(self.major.wrapping_add(1), 0, 0)
    }

    /// The same with another pre-release; empty takes it away. The error is the library's text.
    pub fn with_pre(&self, pre: &str) -> Result<Version, String> {
        if !pre.is_empty() {
            check_pre(pre)?;
        }
        Ok(Version { pre: pre.to_string(), ..self.clone() }.reprinted())
    }

    /// The same with other metadata; empty takes it away. The error is the library's text.
    pub fn with_metadata(&self, metadata: &str) -> Result<Version, String> {
        if !metadata.is_empty() {
            check_metadata(metadata)?;
        }
        Ok(Version { metadata: metadata.to_string(), ..self.clone() }.reprinted())
    }

    /// With `original` printed anew, a leading `v` kept.
    fn reprinted(self) -> Version {
        let v = if self.original.starts_with('v') { "v" } else { "" };
        Version { original: format!("{v}{self}"), ..self }
    }

    fn next(&self, major: u64, minor: u64, patch: u64) -> Version {
        let v = if self.original.starts_with('v') { "v" } else { "" };
        Version { major, minor, patch, original: format!("{v}{major}.{minor}.{patch}"), ..Version::default() }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(f, "-{}", self.pre)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

fn is_word(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn check_pre(pre: &str) -> Result<(), String> {
    for part in pre.split('.') {
        if part.is_empty() || !is_word(part) {
            return Err("invalid prerelease string".into());
        }
        if part.len() > 1 && part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit()) {
            return Err("version segment starts with 0".into());
        }
    }
    Ok(())
}

fn check_metadata(metadata: &str) -> Result<(), String> {
    match metadata.split('.').all(|part| !part.is_empty() && is_word(part)) {
        true => Ok(()),
        false => Err("invalid metadata string".into()),
    }
}

/// Order of two pre-release texts, part by part: a missing part is least, numbers come before words.
fn compare_pre(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        let (l, r) = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (l, r) => (l.unwrap_or(""), r.unwrap_or("")),
        };
        if l == r {
            continue;
        }
        if l.is_empty() || r.is_empty() {
            return l.len().cmp(&r.len());
        }
        let number = |part: &str| part.bytes().all(|c| c.is_ascii_digit()).then(|| part.parse::<u64>().ok()).flatten();
        return match (number(l), number(r)) {
            (None, None) => l.cmp(r),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            // Never equal: texts that differ but mean one number (01 and 1) order as the library orders them.
            (Some(x), Some(y)) if x > y => Ordering::Greater,
            (Some(_), Some(_)) => Ordering::Less,
        };
    }
}

/// The pieces of a version text; `minor` and `patch` keep their dot, `pre` its dash, `metadata` its plus.
#[derive(Clone, Copy)]
struct Parts<'a> {
    text: &'a str,
    major: &'a str,
    minor: &'a str,
    patch: &'a str,
    pre: &'a str,
    metadata: &'a str,
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn cut(&self, from: usize) -> &'a str {
        std::str::from_utf8(&self.text[from..self.at]).unwrap_or("")
    }

    fn run(&mut self, accept: impl Fn(u8) -> bool) -> bool {
        let from = self.at;
        while self.text.get(self.at).is_some_and(|&b| accept(b)) {
            self.at += 1;
        }
        self.at > from
    }

    fn spaces(&mut self) -> bool {
        self.run(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0c))
    }

    /// `lead` followed by a run, or nothing.
    fn tail(&mut self, lead: u8, accept: impl Fn(u8) -> bool) -> &'a str {
        let from = self.at;
        if self.text.get(from) == Some(&lead) {
            self.at += 1;
            if !self.run(accept) {
                self.at = from;
            }
        }
        self.cut(from)
    }

    /// `lead`, then dot-separated words, or nothing.
    fn words(&mut self, lead: u8) -> &'a str {
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        let from = self.at;
        if !self.tail(lead, word).is_empty() {
            while !self.tail(b'.', word).is_empty() {}
        }
        self.cut(from)
    }

    fn parts(&mut self, digit: impl Fn(u8) -> bool) -> Option<Parts<'a>> {
        let from = self.at;
        if self.text.get(self.at) == Some(&b'v') {
            self.at += 1;
        }
        let start = self.at;
        if !self.run(&digit) {
            self.at = from;
            return None;
        }
        let major = self.cut(start);
        let minor = self.tail(b'.', &digit);
        let patch = if minor.is_empty() { "" } else { self.tail(b'.', &digit) };
        let pre = self.words(b'-');
        let metadata = self.words(b'+');
        Some(Parts { text: self.cut(from), major, minor, patch, pre, metadata })
    }

    /// A version in a constraint, where `x`, `X`, `*` stand for numbers.
    fn pattern(&mut self) -> Option<Parts<'a>> {
        self.parts(|b| b.is_ascii_digit() || matches!(b, b'x' | b'X' | b'*' | b'|'))
    }

    fn operator(&mut self) -> Option<Op> {
        let from = self.at;
        self.run(|b| b"=!<>~^".contains(&b));
        Op::of(self.cut(from))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterEqual,
    LessEqual,
    Tilde,
    Caret,
}

impl Op {
    fn of(text: &str) -> Option<Op> {
        Some(match text {
            "" | "=" => Op::Equal,
            "!=" => Op::NotEqual,
            ">" => Op::Greater,
            "<" => Op::Less,
            ">=" | "=>" => Op::GreaterEqual,
            "<=" | "=<" => Op::LessEqual,
            "~" | "~>" => Op::Tilde,
            "^" => Op::Caret,
            _ => return None,
        })
    }
}

/// One comparison. `dirty` means that some part is a wildcard or missing; the two others say which.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Comparison {
    op: Op,
    version: Version,
    original: String,
    dirty: bool,
    minor_dirty: bool,
    patch_dirty: bool,
}

impl Comparison {
    fn new(op: Op, parts: Parts<'_>) -> Result<Comparison, String> {
        let wild = |part: &str| matches!(part.trim_start_matches('.'), "" | "x" | "X" | "*");
        let (mut minor_dirty, mut patch_dirty) = (false, false);
        let text = if wild(parts.major) {
            format!("0.0.0{}", parts.pre)
        } else if wild(parts.minor) {
            minor_dirty = true;
            format!("{}.0.0{}", parts.major, parts.pre)
        } else if wild(parts.patch) {
            patch_dirty = true;
            format!("{}{}.0{}", parts.major, parts.minor, parts.pre)
        } else {
            parts.text.to_string()
        };
        let dirty = wild(parts.major) || minor_dirty || patch_dirty;
        let version = Version::parse(&text).map_err(|_| "constraint parser error".to_string())?;
        Ok(Comparison { op, version, original: parts.text.to_string(), dirty, minor_dirty, patch_dirty })
    }

    /// Whether `v` fits; the error says why not, in the library's words.
    fn check(&self, v: &Version, include_pre: bool) -> Result<(), String> {
        if !v.pre.is_empty() && !include_pre {
            return Err(format!(
                "\"{v}\" is a prerelease version and the constraint is only looking for release versions"
            ));
        }
        let c = &self.version;
        let order = v.compare(c);
        let orig = &self.original;
        let when = |fits: bool, words: &str| match fits {
            true => Ok(()),
            false => Err(format!("\"{v}\" {words} \"{orig}\"")),
        };
        match self.op {
            Op::Equal if self.dirty => self.tilde(v),
            Op::Equal => when(order.is_eq(), "is not equal to"),
            Op::NotEqual => {
                let differs = if self.dirty && c.major != v.major {
                    true
                } else if self.dirty && self.minor_dirty {
                    false
                } else if self.dirty && c.minor != v.minor {
                    true
                } else if self.dirty && self.patch_dirty {
                    (!v.pre.is_empty() || !c.pre.is_empty()) && compare_pre(&v.pre, &c.pre).is_ne()
                } else {
                    order.is_ne()
                };
                when(differs, "is equal to")
            }
            Op::Greater => {
                let fits = if !self.dirty {
                    order.is_gt()
                } else if v.major != c.major {
                    v.major > c.major
                } else if self.minor_dirty {
                    false
                } else if self.patch_dirty {
                    v.minor > c.minor
                } else {
                    order.is_gt()
                };
                when(fits, "is less than or equal to")
            }
            Op::Less => when(order.is_lt(), "is greater than or equal to"),
            Op::GreaterEqual => when(order.is_ge(), "is less than"),
            Op::LessEqual => {
                let fits = if self.dirty {
                    v.major < c.major || v.major == c.major && (v.minor <= c.minor || self.minor_dirty)
                } else {
                    order.is_le()
                };
                when(fits, "is greater than")
            }
            Op::Tilde => self.tilde(v),
            Op::Caret => self.caret(v),
        }
    }

    fn tilde(&self, v: &Version) -> Result<(), String> {
        let (c, orig) = (&self.version, &self.original);
        if v.compare(c).is_lt() {
            return Err(format!("\"{v}\" is less than \"{orig}\""));
        }
        if (c.major, c.minor, c.patch) == (0, 0, 0) && !self.minor_dirty && !self.patch_dirty {
            return Ok(());
        }
        if v.major != c.major {
            return Err(format!("\"{v}\" does not have same major version as \"{orig}\""));
        }
        if v.minor != c.minor && !self.minor_dirty {
            return Err(format!("\"{v}\" does not have same major and minor version as \"{orig}\""));
        }
        Ok(())
    }

    fn caret(&self, v: &Version) -> Result<(), String> {
        let (c, orig) = (&self.version, &self.original);
        if v.compare(c).is_lt() {
            return Err(format!("\"{v}\" is less than \"{orig}\""));
        }
        let major = || format!("\"{v}\" does not have same major version as \"{orig}\"");
        if c.major > 0 || self.minor_dirty {
            return if v.major == c.major { Ok(()) } else { Err(major()) };
        }
        if v.major > 0 {
            return Err(major());
        }
        if c.minor > 0 || self.patch_dirty {
            if v.minor == c.minor {
                return Ok(());
            }
            return Err(format!(
                "\"{v}\" does not have same minor version as \"{orig}\". Expected minor versions to match when constraint major version is 0"
            ));
        }
        if v.minor > 0 {
            return Err(format!("\"{v}\" does not have same minor version as \"{orig}\""));
        }
        if c.patch == v.patch {
            return Ok(());
        }
        Err(format!(
            "\"{v}\" does not equal \"{orig}\". Expect version and constraint to equal when major and minor versions are 0"
        ))
    }
}

/// A constraint: groups joined by `||`, each a list of comparisons that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints {
    groups: Vec<Vec<Comparison>>,
}

impl Constraints {
    /// Reads a constraint (`NewConstraint`). The error is the library's text, such as `improper constraint: "x"`.
    pub fn parse(text: &str) -> Result<Constraints, String> {
        if text.len() > MAX_CONSTRAINT {
            return Err(format!("constraint string is too long (max {MAX_CONSTRAINT} bytes)"));
        }
        let text = rewrite_ranges(text);
        let groups: Vec<&str> = text.split("||").collect();
        if groups.len() > MAX_GROUPS {
            return Err(format!("too many constraint groups (max {MAX_GROUPS})"));
        }
        let groups = groups.into_iter().map(group).collect::<Result<_, _>>()?;
        Ok(Constraints { groups })
    }

    /// True when `version` fits. A pre-release fits only a group that names a pre-release itself.
    pub fn check(&self, version: &Version) -> bool {
        self.groups.iter().any(|group| {
            let pre = group.iter().any(|c| !c.version.pre.is_empty());
            group.iter().all(|c| c.check(version, pre).is_ok())
        })
    }

    /// Like [`Constraints::check`], with the library's reasons when nothing fits (`Validate`).
    pub fn validate(&self, version: &Version) -> Result<(), Vec<String>> {
        let mut reasons = Vec::new();
        let mut told = false;
        for group in &self.groups {
            let pre = group.iter().any(|c| !c.version.pre.is_empty());
            let mut fits = true;
            for comparison in group {
                let Err(reason) = comparison.check(version, pre) else { continue };
                fits = false;
                // The reason about pre-releases is given once for all groups.
                if !version.pre.is_empty() && !pre && std::mem::replace(&mut told, true) {
                    continue;
                }
                reasons.push(reason);
            }
            if fits {
                return Ok(());
            }
        }
        Err(reasons)
    }
}

fn group(text: &str) -> Result<Vec<Comparison>, String> {
    let improper = || format!("improper constraint: {}", go_quote(text));
    let mut reader = Reader { text: text.as_bytes(), at: 0 };
    let mut parts = Vec::new();
    reader.spaces();
    loop {
        let op = reader.operator().ok_or_else(improper)?;
        reader.spaces();
        parts.push((op, reader.pattern().ok_or_else(improper)?));
        let spaced = reader.spaces();
        if reader.at == text.len() {
            break;
        }
        if reader.text[reader.at] == b',' {
            reader.at += 1;
            reader.spaces();
        } else if !spaced {
            return Err(improper());
        }
    }
    parts.into_iter().map(|(op, p)| Comparison::new(op, p)).collect()
}

/// `a - b` becomes `>= a, <= b `.
fn rewrite_ranges(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        let mut reader = Reader { text: bytes, at };
        let range = (|| {
            reader.spaces();
            let low = reader.pattern()?.text;
            if !reader.spaces() || reader.text.get(reader.at) != Some(&b'-') {
                return None;
            }
            reader.at += 1;
            if !reader.spaces() {
                return None;
            }
            let high = reader.pattern()?.text;
            reader.spaces();
            Some((low, high))
        })();
        match range {
            Some((low, high)) => {
                out.push_str(&text[copied..at]);
                out.push_str(&format!(">= {low}, <= {high} "));
                at = reader.at;
                copied = at;
            }
            None => at += 1,
        }
    }
    out.push_str(text.get(copied..).unwrap_or(""));
    out
}

/// Go's `%q` of a text that is nearly always plain ASCII.
fn go_quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push_str(&format!("\\x{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(constraint: &str, version: &str) -> Result<bool, String> {
        let constraint = Constraints::parse(constraint)?;
        Ok(constraint.check(&Version::parse(version)?))
    }

    #[test]
    fn constraints_follow_the_library() {
        for (constraint, version, want) in [
            (">=1.19-0", "v1.36.0", true),
            (">=1.21-0 <1.26", "1.25.3", true),
            ("^1.2.0 || ^2", "2.9", true),
            ("^0.2.3", "0.3.0", false),
            ("~1.2", "1.2.9", true),
            ("~1.2", "1.3.0", false),
            ("1.x", "1.9.9", true),
            ("!=1.2.x", "1.2.4", false),
            (">1.30", "1.30.1", false),
            ("1.2 - 1.4", "1.4.9", true),
            (">=1.0.0", "1.2.0-rc.1", false),
            ("*", "1.2.3", true),
            (">=1.2.3, <2", "1.9.9", true),
        ] {
            assert_eq!(fits(constraint, version), Ok(want), "{constraint} {version}");
        }
    }

    #[test]
    fn errors_have_the_librarys_words() {
        assert_eq!(fits("", "1").unwrap_err(), "improper constraint: \"\"");
        assert_eq!(fits(">=x.y", "1").unwrap_err(), "improper constraint: \">=x.y\"");
        assert_eq!(fits("1", "abc").unwrap_err(), "invalid semantic version");
        assert_eq!(fits("1", "1.2.3-01").unwrap_err(), "version segment starts with 0");
        assert_eq!(Version::parse_strict("1.2").unwrap_err(), "invalid semantic version");
        assert_eq!(Version::parse_strict("01.2.3").unwrap_err(), "version segment starts with 0");
    }

    #[test]
    fn versions_print_normalised_and_keep_the_original() {
        let v = Version::parse("v1.2-beta.2+b1").unwrap();
        assert_eq!((v.to_string().as_str(), v.original.as_str()), ("1.2.0-beta.2+b1", "v1.2-beta.2+b1"));
        assert_eq!(v.inc_minor().original, "v1.3.0");
        assert_eq!(v.inc_patch().to_string(), "1.2.0");
    }
}
