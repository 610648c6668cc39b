//! Virtual time: milliseconds since 1970-01-01T00:00:00Z. It moves only by a command.

use std::fmt;
use std::ops::{Add, Sub};

/// An instant in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Time(pub i64);

impl Time {
    /// An instant from whole seconds since the epoch.
    pub const fn from_secs(s: i64) -> Time {
        Time(s * 1000)
    }

    /// Whole seconds since the epoch, rounded down.
    pub const fn secs(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// `2026-01-02T03:04:05Z`, as Kubernetes prints a `metav1.Time`.
    pub fn rfc3339(self) -> String {
        let (y, mo, d, h, mi, s) = self.civil();
        format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}Z")
    }

    /// Year, month, day, hour, minute, second in UTC (proleptic Gregorian calendar).
    pub fn civil(self) -> (i64, u32, u32, u32, u32, u32) {
        let secs = self.secs();
        let (days, rest) = (secs.div_euclid(86_400), secs.rem_euclid(86_400));
        // Days to civil date with years that start in March, so that the leap day comes last.
        let z = days + 719_468;
        let era = z.div_euclid(146_097);
        let doe = z.rem_euclid(146_097);
        let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let day = doy - (153 * mp + 2) / 5 + 1;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        let year = yoe + era * 400 + i64::from(month <= 2);
        (year, month as u32, day as u32, (rest / 3600) as u32, (rest / 60 % 60) as u32, (rest % 60) as u32)
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fff](Z|±HH:MM)`; `None` when it is not of that form.
    pub fn parse_rfc3339(text: &str) -> Option<Time> {
        let b = text.as_bytes();
        let num = |r: std::ops::Range<usize>| -> Option<i64> {
            let part = b.get(r)?;
            part.iter().try_fold(0i64, |n, c| c.is_ascii_digit().then(|| n * 10 + i64::from(c - b'0')))
        };
        let sep = |i: usize, c: &[u8]| b.get(i).is_some_and(|x| c.contains(x));
        if !(sep(4, b"-") && sep(7, b"-") && sep(10, b"Tt ") && sep(13, b":") && sep(16, b":")) {
            return None;
        }
        let (y, mo, d) = (num(0..4)?, num(5..7)?, num(8..10)?);
        let (h, mi, s) = (num(11..13)?, num(14..16)?, num(17..19)?);
        if !(1..=12).contains(&mo) || !(1..=31).contains(&d) || h > 23 || mi > 59 || s > 60 {
            return None;
        }
        let mut rest = &text[19..];
        let mut millis = 0;
        if let Some(frac) = rest.strip_prefix('.') {
            let digits = frac.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                return None;
            }
            millis = format!("{:0<3}", &frac[..digits])[..3].parse().ok()?;
            rest = &frac[digits..];
        }
        let offset = match rest.as_bytes() {
            [b'Z' | b'z'] => 0,
            [sign @ (b'+' | b'-'), ..] if rest.len() == 6 => {
                let minutes = rest[1..3].parse::<i64>().ok()? * 60 + rest[4..6].parse::<i64>().ok()?;
                if *sign == b'-' { -minutes } else { minutes }
            }
            _ => return None,
        };
        let y2 = if mo <= 2 { y - 1 } else { y };
        let era = y2.div_euclid(400);
        let yoe = y2.rem_euclid(400);
        let doy = (153 * (if mo > 2 { mo - 3 } else { mo + 9 }) + 2) / 5 + d - 1;
        let days = era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468;
        Some(Time(((days * 86_400 + h * 3600 + mi * 60 + s) - offset * 60) * 1000 + millis))
    }
}

impl Add<i64> for Time {
    type Output = Time;
    fn add(self, millis: i64) -> Time {
        Time(self.0.saturating_add(millis))
    }
}

impl Sub for Time {
    type Output = i64;
    fn sub(self, other: Time) -> i64 {
        self.0.saturating_sub(other.0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339_round_trips() {
        for text in ["1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "2026-11-30T08:00:00Z", "1900-03-01T00:00:01Z"] {
            assert_eq!(Time::parse_rfc3339(text).map(Time::rfc3339).as_deref(), Some(text));
        }
        assert_eq!(Time::parse_rfc3339("2026-11-30T17:00:00.25+09:00"), Some(Time(1_796_025_600_250)));
        assert_eq!(Time::parse_rfc3339("2026-13-30T17:00:00Z"), None);
        assert_eq!(Time::parse_rfc3339("nonsense"), None);
    }
}
