//! Unicode classes as Go's `unicode` package has them, by the tables of the standard library.

/// `unicode.IsLetter`.
pub(crate) fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

/// `unicode.IsDigit`.
pub(crate) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric())
}

/// `strconv.IsPrint` beyond ASCII.
pub(crate) fn is_print(c: char) -> bool {
    // `escape_debug` leaves printable characters alone; its idea of printable is that of the same Unicode data.
    let mut escaped = c.escape_debug();
    escaped.next() == Some(c) && escaped.next().is_none() && !c.is_whitespace()
}
