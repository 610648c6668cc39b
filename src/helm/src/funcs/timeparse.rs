//! Go's `time.ParseInLocation` with UTC as the local zone, and its error texts.

use super::gotime::{Chunk, DAYS, Instant, MONTHS, days_in, days_of, next_chunk};
use gotmpl::quote::go_quote;
use std::rc::Rc;

/// What has been read so far; -1 is "not given".
struct Fields {
    year: i64,
    month: i64,
    day: i64,
    yearday: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: u32,
    pm: Option<bool>,
    utc: bool,
    offset: Option<i64>,
    zone: String,
}

/// Why an element does not fit.
enum Misfit {
    Syntax,
    Range(&'static str),
}

type Read<T> = Result<T, Misfit>;

fn digit(text: &[u8], i: usize) -> bool {
    text.get(i).is_some_and(u8::is_ascii_digit)
}

fn number(text: &[u8]) -> Read<i64> {
    let text = std::str::from_utf8(text).map_err(|_| Misfit::Syntax)?;
    text.parse().map_err(|_| Misfit::Syntax)
}

/// One or two digits (exactly two when `fixed`).
fn short_number(text: &[u8], fixed: bool) -> Read<(i64, &[u8])> {
    let len = match (digit(text, 0), digit(text, 1)) {
        (true, true) => 2,
        (true, false) if !fixed => 1,
        _ => return Err(Misfit::Syntax),
    };
    Ok((number(&text[..len])?, &text[len..]))
}

fn ranged<'a>(read: Read<(i64, &'a [u8])>, low: i64, high: i64, what: &'static str) -> Read<(i64, &'a [u8])> {
    let (n, rest) = read?;
    if (low..=high).contains(&n) { Ok((n, rest)) } else { Err(Misfit::Range(what)) }
}

/// Which of `names` (or of their first three letters) the text starts with, whatever the case.
fn name<'a>(text: &'a [u8], names: &[&str], short: bool) -> Read<(i64, &'a [u8])> {
    for (i, name) in names.iter().enumerate() {
        let name = if short { &name[..3] } else { name };
        if text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes())) {
            return Ok((i as i64, &text[name.len()..]));
        }
    }
    Err(Misfit::Syntax)
}

/// A separator and digits as nanoseconds.
fn nanoseconds(text: &[u8]) -> Read<u32> {
    if !matches!(text.first(), Some(b'.' | b',')) {
        return Err(Misfit::Syntax);
    }
    let digits = &text[1..text.len().min(10)];
    let n = number(digits)?;
    if n < 0 {
        return Err(Misfit::Range("fractional second"));
    }
    Ok(n as u32 * 10u32.pow(9 - digits.len() as u32))
}

/// The length of a zone abbreviation at the start of a text.
fn zone_name(text: &[u8]) -> Option<usize> {
    let signed = |text: &[u8]| -> usize {
        if !matches!(text.first(), Some(b'+' | b'-')) {
            return 0;
        }
        let digits = text[1..].iter().take_while(|b| b.is_ascii_digit()).count();
        match number(&text[1..1 + digits]) {
            Ok(n) if n <= 23 => 1 + digits,
            _ => 0,
        }
    };
    if text.len() < 3 {
        return None;
    }
    if text.starts_with(b"ChST") || text.starts_with(b"MeST") {
        return Some(4);
    }
    if text.starts_with(b"GMT") {
        return Some(3 + signed(&text[3..]));
    }
    if matches!(text[0], b'+' | b'-') {
        return Some(signed(text)).filter(|n| *n > 0);
    }
    match text.iter().take(6).take_while(|b| b.is_ascii_uppercase()).count() {
        5 if text[4] == b'T' => Some(5),
        4 if text[3] == b'T' || text.starts_with(b"WITA") => Some(4),
        3 => Some(3),
        _ => None,
    }
}

fn offset(text: &[u8], colon: bool, minutes: bool, seconds: bool) -> Read<(i64, &[u8])> {
    let gap = usize::from(colon);
    let len = 3 + if minutes { 2 + gap } else { 0 } + if seconds { 2 + gap } else { 0 };
    if text.len() < len || colon && (text[3] != b':' || seconds && text[6] != b':') {
        return Err(Misfit::Syntax);
    }
    let part =
        |at: usize, max: i64, what| -> Read<i64> { Ok(ranged(short_number(&text[at..at + 2], true), 0, max, what)?.0) };
    let mut total = part(1, 24, "time zone offset hour")? * 3600;
    if minutes {
        total += part(3 + gap, 60, "time zone offset minute")? * 60;
    }
    if seconds {
        total += part(5 + 2 * gap, 60, "time zone offset second")?;
    }
    match text[0] {
        b'+' => Ok((total, &text[len..])),
        b'-' => Ok((-total, &text[len..])),
        _ => Err(Misfit::Syntax),
    }
}

impl Fields {
    /// Reads one element; `layout` is what follows it.
    fn element<'a>(&mut self, chunk: Chunk, text: &'a [u8], layout: &[u8]) -> Read<&'a [u8]> {
        let rest;
        match chunk {
            Chunk::Year => {
                let n = number(text.get(..2).ok_or(Misfit::Syntax)?)?;
                self.year = if n >= 69 { n + 1900 } else { n + 2000 };
                rest = &text[2..];
            }
            Chunk::LongYear => {
                if text.len() < 4 || !digit(text, 0) {
                    return Err(Misfit::Syntax);
                }
                self.year = number(&text[..4])?;
                rest = &text[4..];
            }
            Chunk::Month | Chunk::LongMonth => {
                let (i, after) = name(text, &MONTHS, chunk == Chunk::Month)?;
                (self.month, rest) = (i + 1, after);
            }
            Chunk::NumMonth | Chunk::ZeroMonth => {
                (self.month, rest) = ranged(short_number(text, chunk == Chunk::ZeroMonth), 1, 12, "month")?;
            }
            Chunk::WeekDay | Chunk::LongWeekDay => (_, rest) = name(text, &DAYS, chunk == Chunk::WeekDay)?,
            Chunk::Day | Chunk::UnderDay | Chunk::ZeroDay => {
                let text = if chunk == Chunk::UnderDay { text.strip_prefix(b" ").unwrap_or(text) } else { text };
                (self.day, rest) = short_number(text, chunk == Chunk::ZeroDay)?;
            }
            Chunk::UnderYearDay | Chunk::ZeroYearDay => {
                let fixed = chunk == Chunk::ZeroYearDay;
                let spaces = if fixed { 0 } else { text.iter().take(2).take_while(|&&b| b == b' ').count() };
                let text = &text[spaces..];
                let len = text.iter().take(3).take_while(|b| b.is_ascii_digit()).count();
                if len == 0 || fixed && len != 3 {
                    return Err(Misfit::Syntax);
                }
                self.yearday = number(&text[..len])?;
                rest = &text[len..];
            }
            Chunk::Hour => (self.hour, rest) = ranged(short_number(text, false), 0, 23, "hour")?,
            Chunk::Hour12 | Chunk::ZeroHour12 => {
                (self.hour, rest) = ranged(short_number(text, chunk == Chunk::ZeroHour12), 0, 12, "hour")?;
            }
            Chunk::Minute | Chunk::ZeroMinute => {
                (self.minute, rest) = ranged(short_number(text, chunk == Chunk::ZeroMinute), 0, 59, "minute")?;
            }
            Chunk::Second | Chunk::ZeroSecond => {
                let after;
                (self.second, after) = ranged(short_number(text, chunk == Chunk::ZeroSecond), 0, 59, "second")?;
                // A fraction may follow although the layout has none.
                let wanted = matches!(next_chunk(layout).1, Some(Chunk::Fraction { .. }));
                if matches!(after.first(), Some(b'.' | b',')) && digit(after, 1) && !wanted {
                    let len = 1 + after[1..].iter().take_while(|b| b.is_ascii_digit()).count();
                    self.nanos = nanoseconds(&after[..len])?;
                    rest = &after[len..];
                } else {
                    rest = after;
                }
            }
            Chunk::Pm | Chunk::LowerPm => {
                self.pm = Some(match (chunk, text.get(..2)) {
                    (Chunk::Pm, Some(b"PM")) | (Chunk::LowerPm, Some(b"pm")) => true,
                    (Chunk::Pm, Some(b"AM")) | (Chunk::LowerPm, Some(b"am")) => false,
                    _ => return Err(Misfit::Syntax),
                });
                rest = &text[2..];
            }
            Chunk::Offset { z, colon, minutes, seconds } => {
                if z && text.first() == Some(&b'Z') {
                    self.utc = true;
                    return Ok(&text[1..]);
                }
                let (n, after) = offset(text, colon, minutes, seconds)?;
                (self.offset, rest) = (Some(n), after);
            }
            Chunk::Zone => {
                if let Some(after) = text.strip_prefix(b"UTC") {
                    self.utc = true;
                    return Ok(after);
                }
                let len = zone_name(text).ok_or(Misfit::Syntax)?;
                self.zone = String::from_utf8_lossy(&text[..len]).into_owned();
                rest = &text[len..];
            }
            Chunk::Fraction { digits, trim: false, .. } => {
                self.nanos = nanoseconds(text.get(..=digits).ok_or(Misfit::Syntax)?)?;
                rest = &text[1 + digits..];
            }
            Chunk::Fraction { .. } => {
                if !matches!(text.first(), Some(b'.' | b',')) || !digit(text, 1) {
                    return Ok(text);
                }
                let len = 1 + text[1..].iter().take_while(|b| b.is_ascii_digit()).count();
                self.nanos = nanoseconds(&text[..len])?;
                rest = &text[len..];
            }
        }
        Ok(rest)
    }

    /// Puts month and day right; the error is the tail of Go's text.
    fn settle(&mut self) -> Result<(), &'static str> {
        if self.pm == Some(true) && self.hour < 12 {
            self.hour += 12;
        } else if self.pm == Some(false) && self.hour == 12 {
            self.hour = 0;
        }
        if self.yearday >= 0 {
            let year_len = 337 + days_in(2, self.year);
            if !(1..=year_len).contains(&self.yearday) {
                return Err(": day-of-year out of range");
            }
            let (mut month, mut day) = (1, self.yearday);
            while day > days_in(month, self.year) {
                day -= days_in(month, self.year);
                month += 1;
            }
            if self.month >= 0 && self.month != month {
                return Err(": day-of-year does not match month");
            }
            if self.day >= 0 && self.day != day {
                return Err(": day-of-year does not match day");
            }
            (self.month, self.day) = (month, day);
        }
        self.month = if self.month < 0 { 1 } else { self.month };
        self.day = if self.day < 0 { 1 } else { self.day };
        if self.day < 1 || self.day > days_in(self.month, self.year) {
            return Err(": day out of range");
        }
        Ok(())
    }

    fn instant(&self) -> Instant {
        let days = days_of(self.year, self.month, self.day);
        let secs = days * 86_400 + self.hour * 3600 + self.minute * 60 + self.second;
        let plain = Instant::utc(secs, self.nanos);
        if self.utc {
            return plain;
        }
        if let Some(offset) = self.offset {
            let here = offset == 0 && (self.zone.is_empty() || self.zone == "UTC");
            let zone = if here { Rc::from("UTC") } else { Rc::from(self.zone.as_str()) };
            return Instant { secs: secs - offset, offset, zone, ..plain };
        }
        if self.zone.is_empty() || self.zone == "UTC" {
            return plain;
        }
        // An abbreviation that is not known here gets a made-up zone without offset.
        let hours = self.zone.strip_prefix("GMT").and_then(|tail| tail.parse::<i64>().ok()).unwrap_or(0);
        Instant { offset: hours * 3600, zone: Rc::from(self.zone.as_str()), ..plain }
    }
}

/// Takes a layout's literal text off a value; runs of spaces match runs of spaces.
fn skip<'a>(mut value: &'a [u8], mut prefix: &[u8]) -> Result<&'a [u8], &'a [u8]> {
    while let Some(&b) = prefix.first() {
        if b == b' ' {
            if value.first().is_some_and(|&v| v != b' ') {
                return Err(value);
            }
            prefix = &prefix[prefix.iter().take_while(|&&b| b == b' ').count()..];
            value = &value[value.iter().take_while(|&&b| b == b' ').count()..];
            continue;
        }
        if value.first() != Some(&b) {
            return Err(value);
        }
        (prefix, value) = (&prefix[1..], &value[1..]);
    }
    Ok(value)
}

/// Whether a text is a date like `2006-01-02`. The error is Go's text.
pub(crate) fn check_date(value: &[u8]) -> Result<(), String> {
    parse(b"2006-01-02", value).map(|_| ())
}

/// Reads `value` by `layout`. The error is Go's text.
pub(super) fn parse(layout: &[u8], value: &[u8]) -> Result<Instant, String> {
    let (whole_layout, whole) = (go_quote(layout), go_quote(value));
    let cannot = |value: &[u8], element: &[u8]| {
        let (value, element) = (go_quote(value), go_quote(element));
        format!("parsing time {whole} as {whole_layout}: cannot parse {value} as {element}")
    };
    let mut fields = Fields {
        year: 0,
        month: -1,
        day: -1,
        yearday: -1,
        hour: 0,
        minute: 0,
        second: 0,
        nanos: 0,
        pm: None,
        utc: false,
        offset: None,
        zone: String::new(),
    };
    let (mut layout, mut rest) = (layout, value);
    loop {
        let (prefix, chunk, after) = next_chunk(layout);
        let element = &layout[prefix.len()..layout.len() - after.len()];
        rest = skip(rest, prefix).map_err(|at| cannot(at, prefix))?;
        let Some(chunk) = chunk else {
            if rest.is_empty() {
                break;
            }
            return Err(format!("parsing time {whole}: extra text: {}", go_quote(rest)));
        };
        layout = after;
        rest = fields.element(chunk, rest, layout).map_err(|misfit| match misfit {
            Misfit::Syntax => cannot(rest, element),
            Misfit::Range(what) => format!("parsing time {whole}: {what} out of range"),
        })?;
    }
    fields.settle().map_err(|tail| format!("parsing time {whole}{tail}"))?;
    Ok(fields.instant())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_complains_as_go() {
        let shown = |layout: &str, value: &str| {
            parse(layout.as_bytes(), value.as_bytes()).map(|t| String::from_utf8(t.shown()).unwrap())
        };
        assert_eq!(shown("15:04", "07:08").unwrap(), "0000-01-01 07:08:00 +0000 UTC");
        assert_eq!(
            shown("2006-01-02T15:04:05Z07:00", "2023-12-05T03:07:09.123456789+09:00").unwrap(),
            "2023-12-05 03:07:09.123456789 +0900 +0900"
        );
        assert_eq!(shown("2006-01-02", "2024-13-01").unwrap_err(), "parsing time \"2024-13-01\": month out of range");
        assert_eq!(
            shown("2006-01-02", "x").unwrap_err(),
            "parsing time \"x\" as \"2006-01-02\": cannot parse \"x\" as \"2006\""
        );
        assert_eq!(shown("2006-01-02", "2023-02-29").unwrap_err(), "parsing time \"2023-02-29\": day out of range");
    }
}
