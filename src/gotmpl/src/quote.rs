//! `strconv.Quote` and its kin.

pub use crate::unicode::is_print;

pub(crate) use crate::unicode::is_print as printable;

/// `strconv.Quote`.
pub fn go_quote(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len() + 2);
    quote_into(&mut out, bytes, b'"', false);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends `bytes` quoted with `mark`, as `strconv.Quote` (or `QuoteToASCII`) does; always valid UTF-8.
pub(crate) fn quote_into(out: &mut Vec<u8>, bytes: &[u8], mark: u8, ascii: bool) {
    out.push(mark);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            quote_char(out, c, mark, ascii);
        }
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
        }
    }
    out.push(mark);
}

/// Appends one character, escaped where Go would.
pub(crate) fn quote_char(out: &mut Vec<u8>, c: char, mark: u8, ascii: bool) {
    match c {
        '\\' => out.extend_from_slice(b"\\\\"),
        c if c as u32 == u32::from(mark) => out.extend_from_slice(&[b'\\', mark]),
        '\u{7}' => out.extend_from_slice(b"\\a"),
        '\u{8}' => out.extend_from_slice(b"\\b"),
        '\u{c}' => out.extend_from_slice(b"\\f"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        '\u{b}' => out.extend_from_slice(b"\\v"),
        c if printable(c) && (!ascii || c.is_ascii()) => {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        c if (c as u32) < 0x20 || c == '\u{7f}' => out.extend_from_slice(format!("\\x{:02x}", c as u32).as_bytes()),
        c if (c as u32) < 0x10000 => out.extend_from_slice(format!("\\u{:04x}", c as u32).as_bytes()),
        c => out.extend_from_slice(format!("\\U{:08x}", c as u32).as_bytes()),
    }
}
