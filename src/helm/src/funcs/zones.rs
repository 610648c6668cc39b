//! Time zones by name, for the zones that people use, with today's rules. A zone that exists but is not here is reported
//! instead of being taken for UTC.

use super::gotime::{Instant, days_of};
use std::rc::Rc;

/// When clocks change.
#[derive(Clone, Copy, PartialEq)]
enum Summer {
    None,
    /// Last Sunday of March to last Sunday of October, at 01:00 UTC.
    Europe,
    /// Second Sunday of March to first Sunday of November, at 02:00 local time.
    America,
    /// First Sunday of October to first Sunday of April, at 02:00 standard time.
    Australia,
}

/// Name, minutes east of UTC, abbreviation, summer abbreviation, rule.
type Zone = (&'static str, i64, &'static str, &'static str, Summer);

static ZONES: &[Zone] = &[
    ("UTC", 0, "UTC", "", Summer::None),
    ("GMT", 0, "GMT", "", Summer::None),
    ("Etc/UTC", 0, "UTC", "", Summer::None),
    ("Etc/GMT", 0, "GMT", "", Summer::None),
    ("EST", -300, "EST", "", Summer::None),
    ("MST", -420, "MST", "", Summer::None),
    ("HST", -600, "HST", "", Summer::None),
    ("Asia/Seoul", 540, "KST", "", Summer::None),
    ("Asia/Tokyo", 540, "JST", "", Summer::None),
    ("Asia/Shanghai", 480, "CST", "", Summer::None),
    ("Asia/Taipei", 480, "CST", "", Summer::None),
    ("Asia/Hong_Kong", 480, "HKT", "", Summer::None),
    ("Asia/Singapore", 480, "+08", "", Summer::None),
    ("Asia/Kolkata", 330, "IST", "", Summer::None),
    ("Asia/Dubai", 240, "+04", "", Summer::None),
    ("Europe/London", 0, "GMT", "BST", Summer::Europe),
    ("Europe/Dublin", 0, "GMT", "IST", Summer::Europe),
    ("Europe/Lisbon", 0, "WET", "WEST", Summer::Europe),
    ("Europe/Paris", 60, "CET", "CEST", Summer::Europe),
    ("Europe/Berlin", 60, "CET", "CEST", Summer::Europe),
    ("Europe/Madrid", 60, "CET", "CEST", Summer::Europe),
    ("Europe/Rome", 60, "CET", "CEST", Summer::Europe),
    ("Europe/Amsterdam", 60, "CET", "CEST", Summer::Europe),
    ("Europe/Zurich", 60, "CET", "CEST", Summer::Europe),
    ("Europe/Vienna", 60, "CET", "CEST", Summer::Europe),
    ("Europe/Stockholm", 60, "CET", "CEST", Summer::Europe),
    ("Europe/Warsaw", 60, "CET", "CEST", Summer::Europe),
    ("Europe/Helsinki", 120, "EET", "EEST", Summer::Europe),
    ("Europe/Athens", 120, "EET", "EEST", Summer::Europe),
    ("Europe/Moscow", 180, "MSK", "", Summer::None),
    ("America/New_York", -300, "EST", "EDT", Summer::America),
    ("America/Toronto", -300, "EST", "EDT", Summer::America),
    ("America/Chicago", -360, "CST", "CDT", Summer::America),
    ("America/Denver", -420, "MST", "MDT", Summer::America),
    ("America/Phoenix", -420, "MST", "", Summer::None),
    ("America/Los_Angeles", -480, "PST", "PDT", Summer::America),
    ("America/Sao_Paulo", -180, "-03", "", Summer::None),
    ("Australia/Sydney", 600, "AEST", "AEDT", Summer::Australia),
    ("Australia/Melbourne", 600, "AEST", "AEDT", Summer::Australia),
    ("Australia/Brisbane", 600, "AEST", "", Summer::None),
];

/// The first parts of zone names that exist.
const AREAS: &[&str] = &[
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Brazil",
    "Canada",
    "Chile",
    "Etc",
    "Europe",
    "Indian",
    "Mexico",
    "Pacific",
    "US",
];

/// The day of the `n`th Sunday (from 1; 0 is the last) of a month, as days since the epoch.
fn sunday(year: i64, month: i64, n: i64) -> i64 {
    if n == 0 {
        let last = days_of(year, month, 31);
        return last - (last + 4).rem_euclid(7);
    }
    let first = days_of(year, month, 1);
    first + (7 - (first + 4).rem_euclid(7)) % 7 + 7 * (n - 1)
}

fn is_summer(rule: Summer, at: &Instant, standard: i64) -> bool {
    let year = Instant { offset: standard, ..at.clone() }.civil().year;
    let (from, to) = match rule {
        Summer::None => return false,
        Summer::Europe => (sunday(year, 3, 0) * 86_400 + 3600, sunday(year, 10, 0) * 86_400 + 3600),
        // The end is at 02:00 summer time, which is 01:00 standard time.
        Summer::America => {
            (sunday(year, 3, 2) * 86_400 + 7200 - standard, sunday(year, 11, 1) * 86_400 + 3600 - standard)
        }
        Summer::Australia => {
            let start = sunday(year, 10, 1) * 86_400 + 7200 - standard;
            let end = sunday(year, 4, 1) * 86_400 + 7200 - standard;
            return at.secs < end || at.secs >= start;
        }
    };
    (from..to).contains(&at.secs)
}

/// The instant as the zone shows it. A name that is no zone is UTC, as Sprig has it; the error names a zone that exists
/// but is not in our table.
pub(super) fn in_zone(at: &Instant, name: &str) -> Result<Instant, String> {
    let name = if matches!(name, "" | "Local") { "UTC" } else { name };
    match ZONES.iter().find(|zone| zone.0 == name) {
        Some((_, minutes, short, summer, rule)) => {
            let standard = minutes * 60;
            if is_summer(*rule, at, standard) {
                return Ok(Instant { offset: standard + 3600, zone: Rc::from(*summer), ..at.clone() });
            }
            Ok(Instant { offset: standard, zone: Rc::from(*short), ..at.clone() })
        }
        None if name.split_once('/').is_some_and(|(area, _)| AREAS.contains(&area)) => {
            Err(format!("time zone {name} is not simulated yet"))
        }
        None => Ok(Instant { offset: 0, zone: Rc::from("UTC"), ..at.clone() }),
    }
}
