//! Go's `time`: instants with nanoseconds and a zone, layouts written as the reference time
//! `Mon Jan 2 15:04:05 MST 2006`, and durations.

use base::Time;
use std::rc::Rc;

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(super) const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// An instant as Go shows it in a zone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instant {
    /// Seconds since the Unix epoch.
    pub(super) secs: i64,
    /// Nanoseconds within the second.
    pub(super) nanos: u32,
    /// Seconds east of UTC.
    pub(super) offset: i64,
    /// Name of the zone; empty when it has none.
    pub(super) zone: Rc<str>,
}

/// A date and time of day.
pub(super) struct Civil {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    /// 0 is Sunday.
    pub(super) weekday: i64,
    /// From 1.
    pub(super) yearday: i64,
}

/// Days since the epoch of a date.
pub(super) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let (era, yoe) = (y.div_euclid(400), y.rem_euclid(400));
    let doy = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub(super) fn days_in(month: i64, year: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Instant {
    /// The zero time, 0001-01-01T00:00:00Z.
    pub(super) fn zero() -> Instant {
        Instant::utc(-62_135_596_800, 0)
    }

    /// An instant in UTC.
    pub(super) fn utc(secs: i64, nanos: u32) -> Instant {
        Instant { secs, nanos, offset: 0, zone: Rc::from("UTC") }
    }

    /// The instant of a virtual time.
    pub(super) fn of(time: Time) -> Instant {
        Instant::utc(time.secs(), time.0.rem_euclid(1000) as u32 * 1_000_000)
    }

    /// Moved by nanoseconds.
    pub(super) fn add(&self, nanos: i64) -> Instant {
        let total = i128::from(self.secs) * 1_000_000_000 + i128::from(self.nanos) + i128::from(nanos);
        let secs = total.div_euclid(1_000_000_000) as i64;
        Instant { secs, nanos: total.rem_euclid(1_000_000_000) as u32, ..self.clone() }
    }

    /// The date and time of day in its zone.
    pub(super) fn civil(&self) -> Civil {
        let local = self.secs.saturating_add(self.offset);
        let (days, rest) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        let z = days + 719_468;
        let (era, doe) = (z.div_euclid(146_097), z.rem_euclid(146_097));
        let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        let year = yoe + era * 400 + i64::from(month <= 2);
        Civil {
            year,
            month,
            day: doy - (153 * mp + 2) / 5 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 4).rem_euclid(7),
            yearday: days - days_of(year, 1, 1) + 1,
        }
    }

    /// `Time.Format`.
    pub(super) fn format(&self, layout: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let c = self.civil();
        let mut rest = layout;
        loop {
            let (prefix, chunk, after) = next_chunk(rest);
            out.extend_from_slice(prefix);
            let Some(chunk) = chunk else { return out };
            rest = after;
            let hour12 = if c.hour % 12 == 0 { 12 } else { c.hour % 12 };
            let text = match chunk {
                Chunk::Year => format!("{:02}", c.year.max(0) % 100),
                Chunk::LongYear if c.year < 0 => format!("-{:04}", -c.year),
                Chunk::LongYear => format!("{:04}", c.year),
                Chunk::Month => MONTHS[c.month as usize - 1][..3].to_string(),
                Chunk::LongMonth => MONTHS[c.month as usize - 1].to_string(),
                Chunk::NumMonth => c.month.to_string(),
                Chunk::ZeroMonth => format!("{:02}", c.month),
                Chunk::WeekDay => DAYS[c.weekday as usize][..3].to_string(),
                Chunk::LongWeekDay => DAYS[c.weekday as usize].to_string(),
                Chunk::Day => c.day.to_string(),
                Chunk::UnderDay => format!("{:2}", c.day),
                Chunk::ZeroDay => format!("{:02}", c.day),
                Chunk::UnderYearDay => format!("{:3}", c.yearday),
                Chunk::ZeroYearDay => format!("{:03}", c.yearday),
                Chunk::Hour => format!("{:02}", c.hour),
                Chunk::Hour12 => hour12.to_string(),
                Chunk::ZeroHour12 => format!("{hour12:02}"),
                Chunk::Minute => c.minute.to_string(),
                Chunk::ZeroMinute => format!("{:02}", c.minute),
                Chunk::Second => c.second.to_string(),
                Chunk::ZeroSecond => format!("{:02}", c.second),
                Chunk::Pm => if c.hour >= 12 { "PM" } else { "AM" }.to_string(),
                Chunk::LowerPm => if c.hour >= 12 { "pm" } else { "am" }.to_string(),
                Chunk::Offset { z: true, .. } if self.offset == 0 => "Z".to_string(),
                Chunk::Offset { colon, minutes, seconds, .. } => {
                    let sign = if self.offset < 0 { '-' } else { '+' };
                    let abs = self.offset.abs();
                    let colon = if colon { ":" } else { "" };
                    let mut text = format!("{sign}{:02}", abs / 3600);
                    if minutes {
                        text += &format!("{colon}{:02}", abs / 60 % 60);
                    }
                    if seconds {
                        text += &format!("{colon}{:02}", abs % 60);
                    }
                    text
                }
                Chunk::Zone if !self.zone.is_empty() => self.zone.to_string(),
                Chunk::Zone => {
                    let sign = if self.offset < 0 { '-' } else { '+' };
                    format!("{sign}{:02}{:02}", self.offset.abs() / 3600, self.offset.abs() / 60 % 60)
                }
                Chunk::Fraction { separator, digits, trim } => {
                    let all = format!("{:09}{}", self.nanos, "0".repeat(digits.saturating_sub(9)));
                    let digits = &all[..digits];
                    let digits = if trim { digits.trim_end_matches('0') } else { digits };
                    match digits {
                        "" => String::new(),
                        digits => format!("{}{digits}", separator as char),
                    }
                }
            };
            out.extend_from_slice(text.as_bytes());
        }
    }

    /// `Time.String`.
    pub(super) fn shown(&self) -> Vec<u8> {
        self.format(b"2006-01-02 15:04:05.999999999 -0700 MST")
    }
}

/// An element of a layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Chunk {
    Year,
    LongYear,
    Month,
    LongMonth,
    NumMonth,
    ZeroMonth,
    WeekDay,
    LongWeekDay,
    Day,
    UnderDay,
    ZeroDay,
    UnderYearDay,
    ZeroYearDay,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    Pm,
    LowerPm,
    /// A numeric zone; with `z` UTC is `Z`.
    Offset {
        z: bool,
        colon: bool,
        minutes: bool,
        seconds: bool,
    },
    Zone,
    /// Fractional seconds; `trim` drops trailing zeros.
    Fraction {
        separator: u8,
        digits: usize,
        trim: bool,
    },
}

/// The text before the first element of a layout, the element, and what follows it.
pub(super) fn next_chunk(layout: &[u8]) -> (&[u8], Option<Chunk>, &[u8]) {
    for at in 0..layout.len() {
        let rest = &layout[at..];
        // Month and day names must not run into further letters: Janet is no month.
        let ends = |n: usize| !rest.get(n).is_some_and(u8::is_ascii_lowercase);
        let offset = |z, colon, minutes, seconds| Chunk::Offset { z, colon, minutes, seconds };
        let table: &[(&[u8], Chunk)] = match rest[0] {
            b'J' => &[(b"January", Chunk::LongMonth), (b"Jan", Chunk::Month)],
            b'M' => &[(b"Monday", Chunk::LongWeekDay), (b"Mon", Chunk::WeekDay), (b"MST", Chunk::Zone)],
            b'0' => &[
                (b"002", Chunk::ZeroYearDay),
                (b"01", Chunk::ZeroMonth),
                (b"02", Chunk::ZeroDay),
                (b"03", Chunk::ZeroHour12),
                (b"04", Chunk::ZeroMinute),
                (b"05", Chunk::ZeroSecond),
                (b"06", Chunk::Year),
            ],
            b'1' => &[(b"15", Chunk::Hour), (b"1", Chunk::NumMonth)],
            b'2' => &[(b"2006", Chunk::LongYear), (b"2", Chunk::Day)],
            b'_' => &[(b"__2", Chunk::UnderYearDay), (b"_2", Chunk::UnderDay)],
            b'3' => &[(b"3", Chunk::Hour12)],
            b'4' => &[(b"4", Chunk::Minute)],
            b'5' => &[(b"5", Chunk::Second)],
            b'P' => &[(b"PM", Chunk::Pm)],
            b'p' => &[(b"pm", Chunk::LowerPm)],
            b'-' | b'Z' => {
                let z = rest[0] == b'Z';
                let forms: [(&[u8], Chunk); 5] = [
                    (b"070000", offset(z, false, true, true)),
                    (b"07:00:00", offset(z, true, true, true)),
                    (b"0700", offset(z, false, true, false)),
                    (b"07:00", offset(z, true, true, false)),
                    (b"07", offset(z, false, false, false)),
                ];
                if let Some((form, chunk)) = forms.into_iter().find(|(form, _)| rest[1..].starts_with(form)) {
                    return (&layout[..at], Some(chunk), &rest[1 + form.len()..]);
                }
                &[]
            }
            separator @ (b'.' | b',') if matches!(rest.get(1), Some(b'0' | b'9')) => {
                let digits = rest[1..].iter().take_while(|&&b| b == rest[1]).count();
                if !rest.get(1 + digits).is_some_and(u8::is_ascii_digit) {
                    let chunk = Chunk::Fraction { separator, digits, trim: rest[1] == b'9' };
                    return (&layout[..at], Some(chunk), &rest[1 + digits..]);
                }
                &[]
            }
            _ => &[],
        };
        if rest.starts_with(b"_2006") {
            return (&layout[..=at], Some(Chunk::LongYear), &rest[5..]);
        }
        for (text, chunk) in table {
            let short = matches!(chunk, Chunk::Month | Chunk::WeekDay);
            if rest.starts_with(text) && (!short || ends(3)) {
                return (&layout[..at], Some(*chunk), &rest[text.len()..]);
            }
        }
    }
    (layout, None, &[])
}

/// `time.ParseDuration` in nanoseconds. The error is Go's text.
pub(super) fn parse_duration(text: &[u8]) -> Result<i64, String> {
    let quoted = gotmpl::quote::go_quote(text);
    let invalid = || format!("time: invalid duration {quoted}");
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if rest == b"0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total = 0u64;
    const MAX: u64 = 1 << 63;
    while !rest.is_empty() {
        if !matches!(rest[0], b'.' | b'0'..=b'9') {
            return Err(invalid());
        }
        let whole = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let mut value = 0u64;
        for b in &rest[..whole] {
            value = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(b - b'0'))).ok_or_else(invalid)?;
            if value > MAX {
                return Err(invalid());
            }
        }
        rest = &rest[whole..];
        let (mut fraction, mut scale, mut digits) = (0u64, 1f64, 0);
        if rest.first() == Some(&b'.') {
            rest = &rest[1..];
            digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            for b in &rest[..digits] {
                // Digits that cannot matter any more are skipped, as in Go.
                if let Some(next) = fraction.checked_mul(10).and_then(|f| f.checked_add(u64::from(b - b'0')))
                    && next <= MAX / 10
                {
                    fraction = next;
                    scale *= 10.0;
                }
            }
            rest = &rest[digits..];
        }
        if whole == 0 && digits == 0 {
            return Err(invalid());
        }
        let unit_len = rest.iter().take_while(|&&b| b != b'.' && !b.is_ascii_digit()).count();
        if unit_len == 0 {
            return Err(format!("time: missing unit in duration {quoted}"));
        }
        let (unit, after) = rest.split_at(unit_len);
        rest = after;
        let nanos: u64 = match std::str::from_utf8(unit) {
            Ok("ns") => 1,
            Ok("us" | "\u{b5}s" | "\u{3bc}s") => 1_000,
            Ok("ms") => 1_000_000,
            Ok("s") => 1_000_000_000,
            Ok("m") => 60_000_000_000,
            Ok("h") => 3_600_000_000_000,
            _ => {
                let unit = gotmpl::quote::go_quote(unit);
                return Err(format!("time: unknown unit {unit} in duration {quoted}"));
            }
        };
        let mut part = value.checked_mul(nanos).filter(|n| *n <= MAX).ok_or_else(invalid)?;
        if fraction > 0 {
            part += (fraction as f64 * (nanos as f64 / scale)) as u64;
        }
        total = total.checked_add(part).filter(|n| *n <= MAX).ok_or_else(invalid)?;
    }
    match (negative, total) {
        (true, _) => Ok((total as i64).wrapping_neg()),
        (false, MAX) => Err(invalid()),
        (false, _) => Ok(total as i64),
    }
}

/// `Duration.String`.
pub(super) fn duration_text(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let abs = nanos.unsigned_abs();
    let decimal = |n: u64, unit: u64| {
        let fraction = format!("{:0width$}", n % unit, width = unit.ilog10() as usize);
        match fraction.trim_end_matches('0') {
            "" => (n / unit).to_string(),
            digits => format!("{}.{digits}", n / unit),
        }
    };
    match abs {
        0 => "0s".into(),
        1..1_000 => format!("{sign}{abs}ns"),
        1_000..1_000_000 => format!("{sign}{}\u{b5}s", decimal(abs, 1_000)),
        1_000_000..1_000_000_000 => format!("{sign}{}ms", decimal(abs, 1_000_000)),
        _ => {
            let minutes = abs / 60_000_000_000;
            let seconds = decimal(abs % 60_000_000_000, 1_000_000_000);
            match minutes {
                0 => format!("{sign}{seconds}s"),
                1..60 => format!("{sign}{minutes}m{seconds}s"),
                _ => format!("{sign}{}h{}m{seconds}s", minutes / 60, minutes % 60),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_and_durations_follow_go() {
        let t = Instant::utc(1_709_211_845, 120_000_000);
        let shown = |layout: &str| String::from_utf8(t.format(layout.as_bytes())).unwrap();
        assert_eq!(shown("Mon Jan _2 15:04:05 2006"), "Thu Feb 29 13:04:05 2024");
        assert_eq!(shown("2006-01-02T15:04:05.000Z07:00 002 3PM"), "2024-02-29T13:04:05.120Z 060 1PM");
        assert_eq!(shown("Monday January Janet 06"), "Thursday February Janet 24");
        assert_eq!(duration_text(5_415_000_000_000), "1h30m15s");
        assert_eq!(duration_text(1_500_000), "1.5ms");
        assert_eq!(parse_duration(b"1h15m30.918273645s"), Ok(4_530_918_273_645));
        assert_eq!(parse_duration(b"1d").unwrap_err(), "time: unknown unit \"d\" in duration \"1d\"");
        assert_eq!(parse_duration(b"5").unwrap_err(), "time: missing unit in duration \"5\"");
    }
}
