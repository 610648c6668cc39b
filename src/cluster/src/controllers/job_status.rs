//! What a Job's pods add up to: counts, indexes, and the verdict (complete, failed and why).

use super::job::{FINALIZER, INDEX_FAILURES, index_of};
use super::replica_set::ready_since;
use crate::store::Key;
use base::{Json, SortedMap, Time};

/// A set of completion indexes, printed as Kubernetes does (`0-2,5`).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Indexes(SortedMap<i64, ()>);

impl Indexes {
    pub(super) fn parse(text: &str) -> Indexes {
        let mut out = Indexes::default();
        for part in text.split(',').filter(|p| !p.is_empty()) {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
                (from..=to.min(from + 100_000)).for_each(|i| out.add(i));
            }
        }
        out
    }

    pub(super) fn add(&mut self, index: i64) {
        self.0.insert(index, ());
    }

    pub(super) fn has(&self, index: i64) -> bool {
        self.0.contains_key(&index)
    }

    pub(super) fn len(&self) -> i64 {
        self.0.len() as i64
    }

    fn text(&self) -> String {
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for (index, ()) in self.0.iter() {
            match runs.last_mut() {
                Some((_, end)) if *end + 1 == *index => *end = *index,
                _ => runs.push((*index, *index)),
            }
        }
        let text = |(from, to): &(i64, i64)| match to - from {
            0 => from.to_string(),
            1 => format!("{from},{to}"),
            _ => format!("{from}-{to}"),
        };
        runs.iter().map(text).collect::<Vec<_>>().join(",")
    }
}

/// How a Job ends.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) success: bool,
    pub(super) reason: &'static str,
    pub(super) message: String,
}

impl Verdict {
    fn failed(reason: &'static str, message: impl Into<String>) -> Option<Verdict> {
        Some(Verdict { success: false, reason, message: message.into() })
    }

    /// The condition that comes one write before the last.
    pub(super) fn interim(&self) -> &'static str {
        if self.success { "SuccessCriteriaMet" } else { "FailureTarget" }
    }

    /// The condition that ends the Job.
    pub(super) fn last(&self) -> &'static str {
        if self.success { "Complete" } else { "Failed" }
    }
}

/// The pods of a Job, counted.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) active: Vec<(Key, Json)>,
    pub(super) ready: i64,
    pub(super) terminating: i64,
    /// All that succeeded, also in this round.
    pub(super) succeeded: i64,
    failed: i64,
    pub(super) newly_succeeded: Vec<Key>,
    pub(super) newly_failed: Vec<Key>,
    /// Failed pods that the failure policy ignores.
    pub(super) newly_ignored: Vec<Key>,
    pub(super) completed: Indexes,
    pub(super) failed_indexes: Indexes,
    /// Failures of each index so far and when the last one was.
    pub(super) index_failures: SortedMap<i64, (i64, Time)>,
    pub(super) last_failure: Option<Time>,
    /// Deleted pods count as failed at once.
    pub(super) counts_deleted: bool,
    indexed: bool,
    per_index: Option<i64>,
    restarts: i64,
    refused: Option<String>,
}

impl Tally {
    #[inline(never)]
    pub(super) fn new(job: &Json, pods: &[(Key, Json)]) -> Tally {
        let status = |name: &str| job.int_at(&["status", name]).unwrap_or(0);
        let per_index = job.int_at(&["spec", "backoffLimitPerIndex"]);
        let mut tally = Tally {
            active: Vec::new(),
            ready: 0,
            terminating: 0,
            succeeded: status("succeeded"),
            failed: status("failed"),
            newly_succeeded: Vec::new(),
            newly_failed: Vec::new(),
            newly_ignored: Vec::new(),
            completed: Indexes::parse(job.text_at(&["status", "completedIndexes"])),
            failed_indexes: Indexes::parse(job.text_at(&["status", "failedIndexes"])),
            index_failures: SortedMap::new(),
            last_failure: None,
            counts_deleted: job.text_at(&["spec", "podReplacementPolicy"]) != "Failed",
            indexed: job.text_at(&["spec", "completionMode"]) == "Indexed",
            per_index,
            restarts: 0,
            refused: None,
        };
        pods.iter().for_each(|(key, pod)| tally.count(job, key, pod));
        if tally.indexed {
            tally.succeeded = tally.completed.len();
        } else {
            tally.succeeded += tally.newly_succeeded.len() as i64;
        }
        tally
    }

    fn count(&mut self, job: &Json, key: &Key, pod: &Json) {
        let phase = pod.text_at(&["status", "phase"]);
        let leaving = pod.at(&["metadata", "deletionTimestamp"]).is_some();
        let ended = matches!(phase, "Succeeded" | "Failed");
        let tracked = pod.items_at(&["metadata", "finalizers"]).iter().any(|f| f.as_str() == Some(FINALIZER));
        if !ended {
            let statuses = pod.items_at(&["status", "containerStatuses"]).iter();
            self.restarts += statuses.map(|s| s.int_at(&["restartCount"]).unwrap_or(0)).sum::<i64>();
        }
        let index = index_of(pod).filter(|_| self.indexed);
        if phase == "Failed" && index.is_some() {
            self.note_index(pod, index);
        }
        match (ended, leaving) {
            (false, false) => {
                self.ready += i64::from(ready_since(pod).is_some());
                self.active.push((key.clone(), pod.clone()));
                return;
            }
            (false, true) => self.terminating += 1,
            _ => {}
        }
        if !tracked {
            return;
        }
        if phase == "Succeeded" {
            self.newly_succeeded.push(key.clone());
            index.into_iter().for_each(|i| self.completed.add(i));
            return;
        }
        if !ended && !self.counts_deleted {
            return;
        }
        self.last_failure = self.last_failure.max(finish_of(pod));
        match policy(job, key, pod) {
            Some((_, "Ignore", _)) => self.newly_ignored.push(key.clone()),
            Some((_, "FailJob", message)) => {
                self.refused = Some(message);
                self.newly_failed.push(key.clone());
            }
            Some((_, "FailIndex", _)) => {
                index.into_iter().for_each(|i| self.failed_indexes.add(i));
                self.newly_failed.push(key.clone());
            }
            _ => self.newly_failed.push(key.clone()),
        }
    }

    fn note_index(&mut self, pod: &Json, index: Option<i64>) {
        let (Some(index), Some(limit)) = (index, self.per_index) else { return };
        let had: i64 = pod.text_at(&["metadata", "annotations", INDEX_FAILURES]).parse().unwrap_or(0);
        if had >= limit {
            self.failed_indexes.add(index);
        }
        let at = finish_of(pod).unwrap_or_default();
        let before = self.index_failures.get(&index).copied().unwrap_or((0, at));
        self.index_failures.insert(index, (before.0.max(had + 1), before.1.max(at)));
    }

    /// Whether the Job is at its end.
    pub(super) fn verdict(&self, job: &Json, overdue: bool) -> Option<Verdict> {
        for condition in job.items_at(&["status", "conditions"]) {
            let success = match condition.text_at(&["type"]) {
                "SuccessCriteriaMet" => true,
                "FailureTarget" => false,
                _ => continue,
            };
            let message = condition.text_at(&["message"]).to_string();
            return Some(Verdict { success, reason: known_reason(condition.text_at(&["reason"])), message });
        }
        if let Some(message) = &self.refused {
            return Verdict::failed("PodFailurePolicy", message.as_str());
        }
        let limit = job.int_at(&["spec", "backoffLimit"]).unwrap_or(6);
        let failed = self.failed + self.newly_failed.len() as i64;
        let on_failure = job.text_at(&["spec", "template", "spec", "restartPolicy"]) == "OnFailure";
        let worn = on_failure && self.restarts > 0 && self.restarts >= limit;
        if worn || !self.newly_failed.is_empty() && failed > limit {
            return Verdict::failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
        }
        if overdue {
            return Verdict::failed("DeadlineExceeded", "Job was active longer than specified deadline");
        }
        if let Some(most) = job.int_at(&["spec", "maxFailedIndexes"])
            && self.failed_indexes.len() > most
        {
            const WORDS: &str = "Job has exceeded the specified maximal number of failed indexes";
            return Verdict::failed("MaxFailedIndexesExceeded", WORDS);
        }
        if let Some(rule) = self.success_rule(job) {
            let message = format!("Matched rules at index {rule}");
            return Some(Verdict { success: true, reason: "SuccessPolicy", message });
        }
        let done = match job.int_at(&["spec", "completions"]) {
            None => self.succeeded > 0 && self.active.is_empty(),
            Some(n) if self.failed_indexes.len() > 0 => {
                if self.succeeded + self.failed_indexes.len() >= n && self.active.is_empty() {
                    return Verdict::failed("FailedIndexes", "Job has failed indexes");
                }
                false
            }
            Some(n) => self.succeeded >= n,
        };
        let message = "Reached expected number of succeeded pods".to_string();
        done.then_some(Verdict { success: true, reason: "CompletionsReached", message })
    }

    fn success_rule(&self, job: &Json) -> Option<usize> {
        job.items_at(&["spec", "successPolicy", "rules"]).iter().position(|rule| {
            let wanted = rule.get("succeededIndexes").and_then(Json::as_str).map(Indexes::parse);
            let count = rule.int_at(&["succeededCount"]);
            match (wanted, count) {
                (Some(wanted), count) => {
                    let met = wanted.0.iter().filter(|(i, ())| self.completed.has(**i)).count() as i64;
                    met >= count.unwrap_or(wanted.len())
                }
                (None, Some(count)) => self.completed.len() >= count,
                (None, None) => false,
            }
        })
    }

    /// The pods that this round counts.
    pub(super) fn counted(&self) -> impl Iterator<Item = &Key> {
        self.newly_succeeded.iter().chain(&self.newly_failed).chain(&self.newly_ignored)
    }

    /// Writes the first half: what is counted stands in `uncountedTerminatedPods` until its finalizer is off.
    pub(super) fn write(&self, status: &mut Json, job: &Json, pods: &[(Key, Json)]) {
        let uids = |keys: &[Key]| {
            let uid = |key: &Key| pods.iter().find(|(k, _)| k == key).map(|(_, p)| p.text_at(&["metadata", "uid"]));
            Json::list(keys.iter().filter_map(uid).map(Json::str).collect::<Vec<_>>())
        };
        let mut uncounted = Json::map::<&str>([]);
        if !self.indexed && !self.newly_succeeded.is_empty() {
            uncounted.set(&["succeeded"], uids(&self.newly_succeeded));
        }
        if !self.newly_failed.is_empty() {
            uncounted.set(&["failed"], uids(&self.newly_failed));
        }
        status.set(&["uncountedTerminatedPods"], uncounted);
        status.set(&["ready"], Json::Int(self.ready));
        status.set(&["terminating"], Json::Int(self.terminating));
        put(status, "active", self.active.len() as i64);
        if self.indexed {
            put(status, "succeeded", self.succeeded);
            if self.completed.len() > 0 {
                status.set(&["completedIndexes"], Json::str(self.completed.text()));
            }
        }
        if job.int_at(&["spec", "backoffLimitPerIndex"]).is_some() {
            status.set(&["failedIndexes"], Json::str(self.failed_indexes.text()));
        }
    }

    /// Writes the second half: the counts.
    pub(super) fn settle(&self, status: &mut Json) {
        status.set(&["uncountedTerminatedPods"], Json::map::<&str>([]));
        put(status, "succeeded", self.succeeded);
        put(status, "failed", self.failed + self.newly_failed.len() as i64);
    }
}

fn put(status: &mut Json, name: &str, count: i64) {
    if count > 0 {
        status.set(&[name], Json::Int(count));
    } else {
        status.remove(&[name]);
    }
}

/// The table's own copy of a reason.
fn known_reason(reason: &str) -> &'static str {
    const REASONS: &[&str] = &[
        "CompletionsReached",
        "SuccessPolicy",
        "BackoffLimitExceeded",
        "DeadlineExceeded",
        "PodFailurePolicy",
        "MaxFailedIndexesExceeded",
        "FailedIndexes",
    ];
    REASONS.iter().find(|known| **known == reason).copied().unwrap_or("")
}

/// When a pod's last container ended.
fn finish_of(pod: &Json) -> Option<Time> {
    let statuses = pod.items_at(&["status", "containerStatuses"]).iter();
    let ends = statuses.filter_map(|s| Time::parse_rfc3339(s.text_at(&["state", "terminated", "finishedAt"])));
    ends.max()
}

/// The rule of the pod failure policy that a failed pod matches: number, action, and the message of `FailJob`.
fn policy<'a>(job: &'a Json, key: &Key, pod: &Json) -> Option<(usize, &'a str, String)> {
    if pod.text_at(&["status", "phase"]) != "Failed" {
        return None;
    }
    for (i, rule) in job.items_at(&["spec", "podFailurePolicy", "rules"]).iter().enumerate() {
        let action = rule.text_at(&["action"]);
        let (name, namespace) = (&key.name, &key.namespace);
        if let Some(codes) = rule.get("onExitCodes") {
            let only = codes.text_at(&["containerName"]);
            let values: Vec<i64> = codes.items_at(&["values"]).iter().filter_map(Json::as_int).collect();
            for status in pod.items_at(&["status", "containerStatuses"]) {
                let container = status.text_at(&["name"]);
                let code = status.int_at(&["state", "terminated", "exitCode"]).unwrap_or(0);
                let matches = match codes.text_at(&["operator"]) {
                    "In" => values.contains(&code),
                    _ => code != 0 && !values.contains(&code),
                };
                if matches && code != 0 && (only.is_empty() || only == container) {
                    let message = format!(
                        "Container {container} for pod {namespace}/{name} failed with exit code {code} matching {action} rule at index {i}"
                    );
                    return Some((i, action, message));
                }
            }
        }
        for wanted in rule.items_at(&["onPodConditions"]) {
            let kind = wanted.text_at(&["type"]);
            let status = wanted.get("status").and_then(Json::as_str).unwrap_or("True");
            let has = |c: &Json| c.text_at(&["type"]) == kind && c.text_at(&["status"]) == status;
            if pod.items_at(&["status", "conditions"]).iter().any(has) {
                let message =
                    format!("Pod {namespace}/{name} has condition {kind} matching {action} rule at index {i}");
                return Some((i, action, message));
            }
        }
    }
    None
}
