//! The bytes before the scanner: byte order marks, UTF-16, and characters YAML does not allow.
//!
//! go-yaml reads in blocks of 512 bytes and reports a bad character as soon as it decodes the block that holds it,
//! even when the scanner stands well before. [`Input::text`] therefore ends where that block starts, and the
//! scanner reports the fault when it asks for characters beyond.

use std::borrow::Cow;

/// Bytes go-yaml decodes at a time.
const BLOCK: usize = 512;

/// A text ready for the scanner.
pub(crate) struct Input<'a> {
    /// What may be scanned.
    pub(crate) text: Cow<'a, str>,
    /// How many bytes of the source come before `text` (a byte order mark).
    pub(crate) skipped: usize,
    /// The reader's message when something after `text` is not allowed.
    pub(crate) fault: Option<&'static str>,
}

/// Checks and, for UTF-16, converts `source`. An empty source reads as one empty line.
pub(crate) fn open(source: &[u8]) -> Input<'_> {
    match source {
        [] => Input { text: Cow::Borrowed("\n"), skipped: 0, fault: None },
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, ..] => utf8(source, 3),
        _ => utf8(source, 0),
    }
}

fn utf8(source: &[u8], skipped: usize) -> Input<'_> {
    let body = &source[skipped..];
    let (good, fault) = match std::str::from_utf8(body) {
        Ok(text) => match text.char_indices().find(|&(_, c)| !allowed(c)) {
            None => return Input { text: Cow::Borrowed(text), skipped, fault: None },
            Some((at, _)) => (at, "control characters are not allowed"),
        },
        Err(error) => {
            let valid = error.valid_up_to();
            let text = std::str::from_utf8(&body[..valid]).unwrap_or_default();
            match text.char_indices().find(|&(_, c)| !allowed(c)) {
                Some((at, _)) => (at, "control characters are not allowed"),
                None => (valid, octet_fault(&body[valid..])),
            }
        }
    };
    let end = block_start(source, skipped, skipped + good, fault).saturating_sub(skipped);
    let text = std::str::from_utf8(&body[..end.min(good)]).unwrap_or_default();
    Input { text: Cow::Borrowed(text), skipped, fault: Some(fault) }
}

/// The characters YAML 1.1 allows in a stream.
fn allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..='\u{10FFFF}')
}

/// What libyaml says about the malformed sequence at the start of `bytes`.
fn octet_fault(bytes: &[u8]) -> &'static str {
    let Some(&lead) = bytes.first() else { return "incomplete UTF-8 octet sequence" };
    let width = match lead {
        0x00..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    if width > bytes.len() {
        return "incomplete UTF-8 octet sequence";
    }
    let mut value = u32::from(lead) & (0xFF >> (width + 1));
    for &octet in &bytes[1..width] {
        if octet & 0xC0 != 0x80 {
            return "invalid trailing UTF-8 octet";
        }
        value = value << 6 | u32::from(octet & 0x3F);
    }
    let least = [0, 0, 0x80, 0x800, 0x10000][width];
    if value < least { "invalid length of a UTF-8 sequence" } else { "invalid Unicode character" }
}

/// Where the block that holds the fault at `bad` starts: blocks are 512 bytes, less a character cut at the end,
/// which opens the next one.
fn block_start(source: &[u8], skipped: usize, bad: usize, fault: &str) -> usize {
    if fault.starts_with("incomplete") {
        return bad;
    }
    let mut start = 0;
    loop {
        let mut end = (start + BLOCK).min(source.len());
        // A character cut by the end of the block waits for the next block.
        let width = |lead: u8| match lead {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF7 => 4,
            _ => 1,
        };
        let last = end.saturating_sub(3).max(start)..end;
        if end < source.len()
            && let Some(cut) = last.into_iter().find(|&at| at + width(source[at]) > end)
        {
            end = cut;
        }
        if bad < end || end >= source.len() || end <= start {
            return start.max(skipped);
        }
        start = end;
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Input<'static> {
    let mut text = String::new();
    let mut fault = (bytes.len() % 2 == 1).then_some("incomplete UTF-16 character");
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut read = 0;
    for decoded in char::decode_utf16(units) {
        read += decoded.as_ref().map_or(2, |c| c.len_utf16() * 2);
        match decoded {
            Ok(c) if allowed(c) => text.push(c),
            Ok(_) => fault = Some("control characters are not allowed"),
            Err(error) if error.unpaired_surrogate() >= 0xDC00 => fault = Some("unexpected low surrogate area"),
            Err(_) if bytes.len() - read < 2 => fault = Some("incomplete UTF-16 surrogate pair"),
            Err(_) => fault = Some("expected low surrogate area"),
        }
        if fault.is_some_and(|f| !f.starts_with("incomplete UTF-16 c")) {
            text.clear();
            break;
        }
    }
    if text.is_empty() && fault.is_none() {
        text.push('\n');
    }
    Input { text: Cow::Owned(text), skipped: 0, fault }
}
