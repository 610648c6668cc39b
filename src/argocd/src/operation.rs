//! Operations: their state as stored, retries with their delays, and the decision to start one automatically.

use crate::application::Application;
use crate::compare::{Comparison, SyncStatus};
use crate::patch::without_empty;
use crate::result::OperationPhase;
use crate::several;
use base::{Json, Time};

/// Waits before the next self-heal attempt by the number of attempts so far, in milliseconds: 0, 2, 6, 18 … 300 s.
pub fn self_heal_delay(attempts: i64) -> i64 {
    match attempts {
        ..=0 => 0,
        n => (2000 * 3i64.saturating_pow(u32::try_from(n - 1).unwrap_or(u32::MAX))).min(300_000),
    }
}

/// A Go duration such as `1m30s`, or a bare number of seconds, in milliseconds.
pub fn duration(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<i64>() {
        return Some(seconds * 1000);
    }
    let (mut total, mut rest) = (0.0, text);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|e| *e > 0)?;
        let number: f64 = rest[..end].parse().ok()?;
        let unit_end = rest[end..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |n| end + n);
        let unit = match &rest[end..unit_end] {
            "h" => 3_600_000.0,
            "m" => 60_000.0,
            "s" => 1000.0,
            "ms" => 1.0,
            _ => return None,
        };
        total += number * unit;
        rest = &rest[unit_end..];
    }
    (!text.is_empty()).then_some(total as i64)
}

/// The delay of the `k`-th step of a retry strategy in milliseconds; the error is Argo CD's text.
pub fn retry_delay(retry: &Json, k: u32) -> Result<i64, String> {
    let backoff = retry.get("backoff").unwrap_or(&Json::Null);
    let read = |key: &str, default: i64| match backoff.text_at(&[key]) {
        "" => Ok(default),
        text => duration(text).ok_or_else(|| format!("unable to parse {text} as a duration")),
    };
    let (first, cap) = (read("duration", 5000)?, read("maxDuration", 180_000)?);
    let factor = backoff.int_at(&["factor"]).unwrap_or(2).max(1);
    let delay = (0..k).fold(first, |d, _| d.saturating_mul(factor).min(i64::MAX / 1024));
    Ok(if cap > 0 { delay.min(cap) } else { delay })
}

/// `3:04PM` in UTC, as retry messages name a time.
pub fn clock(time: Time) -> String {
    let (_, _, _, hour, minute, _) = time.civil();
    let half = if hour < 12 { "AM" } else { "PM" };
    format!("{}:{minute:02}{half}", (hour + 11) % 12 + 1)
}

/// The message of a completed operation with what retries add to it, and whether it is tried again.
pub fn with_retry(phase: OperationPhase, message: &str, retry: &Json, count: i64, now: Time) -> (bool, String) {
    let limit = retry.int_at(&["limit"]).unwrap_or(0);
    if phase == OperationPhase::Succeeded {
        return (false, message.to_string());
    }
    if limit < 0 || count < limit {
        // The shown time uses one step less than the wait that follows.
        return match retry_delay(retry, u32::try_from(count).unwrap_or(u32::MAX)) {
            Ok(delay) => (true, format!("{message}. Retrying attempt #{} at {}.", count + 1, clock(now + delay))),
            Err(error) => (false, format!("{message} (failed to retry: {error})")),
        };
    }
    if count > 0 { (false, format!("{message} (retried {count} times).")) } else { (false, message.to_string()) }
}

/// What the automatic sync decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Nothing to do.
    Nothing,
    /// Refused; the text of a SyncError condition.
    Refused(String),
    /// Start this operation.
    Start(Json),
    /// Self-heal, but not before this instant.
    Later(Time),
}

/// Argo CD's decision to sync by itself. `changed` says whether the compared revision counts as one that may hold
/// changes, which is what release 3.5.2 looks at.
pub fn decide(app: &Application, comparison: &Comparison, revision: &str, changed: bool, now: Time) -> Decision {
    let Some(automated) = app.spec.automated else { return Decision::Nothing };
    let deleting = app.object.at(&["metadata", "deletionTimestamp"]).is_some();
    if app.operation().is_some() || deleting || comparison.sync != SyncStatus::OutOfSync {
        return Decision::Nothing;
    }
    let open = || comparison.pairs.iter().filter(|p| p.status != Some(SyncStatus::Synced));
    if !automated.prune && open().all(|p| p.requires_pruning()) {
        return Decision::Nothing;
    }
    let state = app.status().get("operationState").filter(|s| !s.is_null());
    let mut selection = Vec::new();
    let mut attempts = 0;
    if let Some(state) = state
        && attempted(app, state, revision, changed)
    {
        let phase = OperationPhase::read(state.text_at(&["phase"]));
        if phase != Some(OperationPhase::Succeeded) {
            let tried = state.get("syncResult").map(several::revision_of).unwrap_or_default();
            let shown = if tried.is_empty() { revision } else { &tried };
            let shown = several::parts(shown).join(" ");
            return Decision::Refused(format!(
                "Failed last sync attempt to [{shown}]: {}",
                state.text_at(&["message"])
            ));
        }
        if !automated.self_heal {
            return Decision::Nothing;
        }
        let made = state.int_at(&["operation", "sync", "autoHealAttemptsCount"]).unwrap_or(0);
        if let Some(finished) = Time::parse_rfc3339(state.text_at(&["finishedAt"])) {
            let due = finished + self_heal_delay(made);
            if due > now {
                return Decision::Later(due);
            }
        }
        attempts = made + 1;
        selection = open()
            .map(|p| {
                without_empty([
                    ("group", Json::Str(p.key.group.clone())),
                    ("kind", Json::Str(p.key.kind.clone())),
                    ("name", Json::Str(p.key.name.clone())),
                ])
            })
            .collect();
    }
    if automated.prune && !automated.allow_empty && comparison.pairs.iter().all(|p| p.requires_pruning()) {
        return Decision::Refused(format!(
            "Skipping sync attempt to [{}]: auto-sync will wipe out all resources",
            several::parts(revision).join(" ")
        ));
    }
    let [wanted, sources] = several::wanted(app.spec.multi_source, &app.spec.sources, revision);
    let sync = without_empty([
        sources,
        wanted,
        ("prune", Json::Bool(automated.prune)),
        ("syncOptions", Json::list(app.spec.sync_options.iter().cloned().map(Json::Str))),
        ("autoHealAttemptsCount", Json::Int(attempts)),
        ("resources", Json::list(selection)),
    ]);
    let retry = app.spec.retry.clone().unwrap_or_else(|| Json::map([("limit", Json::Int(5))]));
    Decision::Start(Json::map([
        ("sync", sync),
        ("initiatedBy", Json::map([("automated", Json::Bool(true))])),
        ("retry", retry),
    ]))
}

/// Whether the last operation already tried this revision of this source.
fn attempted(app: &Application, state: &Json, revision: &str, changed: bool) -> bool {
    let Some(result) = state.get("syncResult") else {
        return OperationPhase::read(state.text_at(&["phase"])).is_some_and(OperationPhase::completed);
    };
    if changed && *several::revision_of(result) != *revision {
        return false;
    }
    if app.spec.multi_source {
        let spec = app.object.at(&["spec", "sources"]);
        return result.get("sources") == spec;
    }
    let source = app.spec.source().map_or(&Json::Null, |s| &s.raw);
    result.get("source").unwrap_or(&Json::Null) == source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays() {
        let seen: Vec<i64> = (0..8).map(|n| self_heal_delay(n) / 1000).collect();
        assert_eq!(seen, [0, 2, 6, 18, 54, 162, 300, 300]);
        let waits: Vec<i64> = (0..7).filter_map(|k| retry_delay(&Json::Null, k).ok()).map(|d| d / 1000).collect();
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 180]);
        assert_eq!((duration("1m30s"), duration("7"), duration("x")), (Some(90_000), Some(7000), None));
        assert_eq!(duration("3m0s"), Some(180_000));
    }

    #[test]
    fn retry_texts() {
        let retry = Json::map([("limit", Json::Int(1))]);
        let at = Time::parse_rfc3339("2026-11-30T22:20:07Z").unwrap();
        let (again, text) = with_retry(OperationPhase::Failed, "x", &retry, 0, at);
        assert_eq!((again, &*text), (true, "x. Retrying attempt #1 at 10:20PM."));
        let (again, text) = with_retry(OperationPhase::Failed, "x", &retry, 1, at);
        assert_eq!((again, &*text), (false, "x (retried 1 times)."));
        assert_eq!(clock(Time::from_secs(0)), "12:00AM");
    }
}
