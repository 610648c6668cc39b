//! The Job controller: pods with a tracking finalizer, counted exactly once, retried with a growing delay, until the Job
//! is complete, has failed, or is suspended.

use super::job_status::{Indexes, Tally, Verdict};
use super::replica_set::{deletion_rank, ready_since};
use super::{LAG, MANAGER, Work, controller_reference};
use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::{Change, ChangeType, Key};
use base::{Json, Time};
use std::rc::Rc;

/// Milliseconds over which changes of a Job's pods are gathered.
pub(super) const BATCH: i64 = 1000;
pub(super) const FINALIZER: &str = "batch.kubernetes.io/job-tracking";
pub(super) const INDEX: &str = "batch.kubernetes.io/job-completion-index";
pub(super) const INDEX_FAILURES: &str = "batch.kubernetes.io/job-index-failure-count";
/// Seconds before the first retry, and of the longest one.
const BACK_OFF: i64 = 10;
const LONGEST: i64 = 600;

/// The failures in a row of a Job, and when the last one was.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failures {
    pub(super) count: u32,
    pub(super) last: Time,
}

/// Waiting time after so many failures in a row, in milliseconds.
fn back_off(failures: u32) -> i64 {
    if failures == 0 { 0 } else { (BACK_OFF << (failures - 1).min(10)).min(LONGEST) * 1000 }
}

impl Cluster {
    pub(super) fn notice_job(&mut self, change: &Change) {
        if change.kind != ChangeType::Deleted {
            self.queue.add(self.now + LAG, Work::Job(change.key.clone()));
            return;
        }
        // Pods of a Job that is gone need no tracking any more.
        let uid = change.object.text_at(&["metadata", "uid"]);
        self.job_failures.remove_mut(uid);
        for pod in self.store.owned_by(uid).into_iter().filter(|key| &*key.resource == "pods") {
            self.queue.add(self.now + LAG, Work::PodRelease(pod));
        }
    }

    /// Takes the tracking finalizer off a pod.
    #[inline(never)]
    pub(super) fn release_pod(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut pod) = self.store.get(key).cloned() else { return Ok(()) };
        let all = pod.items_at(&["metadata", "finalizers"]);
        let kept: Vec<Json> = all.iter().filter(|f| f.as_str() != Some(FINALIZER)).cloned().collect();
        if kept.len() == all.len() {
            return Ok(());
        }
        if kept.is_empty() {
            pod.remove(&["metadata", "finalizers"]);
        } else {
            pod.set(&["metadata", "finalizers"], Json::list(kept));
        }
        self.controller_update(key, pod, MANAGER, "").map(|_| ())
    }

    #[inline(never)]
    pub(super) fn sync_job(&mut self, key: &Key) -> Result<(), Status> {
        let Some(job) = self.store.get(key).cloned() else { return Ok(()) };
        if let Some(ended) = finished_at(&job) {
            return self.expire_job(key, &job, ended);
        }
        let uid = job.text_at(&["metadata", "uid"]).to_string();
        let pods = self.pods_of(&uid);
        let mut tally = Tally::new(&job, &pods);
        self.remember_failures(&uid, &tally);
        let suspended = flag(&job, "suspend");
        let mut status = job.get("status").cloned().unwrap_or_default();
        if !suspended && status.get("startTime").is_none() {
            status.set(&["startTime"], Json::str(self.now.rfc3339()));
        }
        let start = Time::parse_rfc3339(status.text_at(&["startTime"]));
        let deadline = job.int_at(&["spec", "activeDeadlineSeconds"]).zip(start).map(|(s, t)| t + s * 1000);
        let overdue = deadline.is_some_and(|at| at <= self.now) && !suspended;
        if let Some(at) = deadline.filter(|at| *at > self.now && !suspended) {
            self.queue.add(at, Work::Job(key.clone()));
        }
        let verdict = tally.verdict(&job, overdue);
        let mut conditions = status.items_at(&["conditions"]).to_vec();
        let leaving = job.at(&["metadata", "deletionTimestamp"]).is_some();
        let mut events: Vec<(&str, &str, &str)> = Vec::new();
        match &verdict {
            Some(verdict) => {
                self.add_condition(&mut conditions, verdict.interim(), verdict);
                for (pod, _) in std::mem::take(&mut tally.active) {
                    self.delete_job_pod(&job, &pod, false)?;
                    tally.terminating += 1;
                    if !verdict.success && tally.counts_deleted {
                        tally.newly_failed.push(pod);
                    }
                }
                tally.ready = 0;
            }
            None if suspended => {
                for (pod, _) in std::mem::take(&mut tally.active) {
                    self.delete_job_pod(&job, &pod, true)?;
                    tally.terminating += 1;
                }
                tally.ready = 0;
                if self.suspension(&mut conditions, true) {
                    status.remove(&["startTime"]);
                    events.push(("Normal", "Suspended", "Job suspended"));
                }
            }
            None if !leaving => {
                if self.suspension(&mut conditions, false) {
                    status.set(&["startTime"], Json::str(self.now.rfc3339()));
                    events.push(("Normal", "Resumed", "Job resumed"));
                }
                self.manage_job_pods(key, &job, &mut tally)?;
            }
            // A Job that goes only lets its pods go.
            None => {
                let gone = std::mem::take(&mut tally.newly_failed);
                tally.newly_ignored.extend(gone);
            }
        }
        if !conditions.is_empty() {
            status.set(&["conditions"], Json::list(conditions.clone()));
        }
        tally.write(&mut status, &job, &pods);
        let changed = self.write_job_status(key, &status)?;
        for (kind, reason, message) in events {
            self.record(&changed, "job-controller", kind, reason, message);
        }
        // Second half: what is counted needs its finalizer no more.
        let counted: Vec<Key> = tally.counted().cloned().collect();
        for pod in &counted {
            self.release_pod(pod)?;
        }
        tally.settle(&mut status);
        if let Some(verdict) = verdict.filter(|_| tally.terminating == 0) {
            self.add_condition(&mut conditions, verdict.last(), &verdict);
            status.set(&["conditions"], Json::list(conditions));
            if verdict.success {
                status.set(&["completionTime"], Json::str(self.now.rfc3339()));
            }
            let changed = self.write_job_status(key, &status)?;
            let (kind, reason, message) = match verdict.success {
                true => ("Normal", "Completed", "Job completed"),
                false => ("Warning", verdict.reason, verdict.message.as_str()),
            };
            self.record(&changed, "job-controller", kind, reason, message);
            return Ok(());
        }
        self.write_job_status(key, &status).map(|_| ())
    }

    fn remember_failures(&mut self, uid: &str, tally: &Tally) {
        let new = (tally.newly_failed.len() + tally.newly_ignored.len()) as u32;
        if !tally.newly_succeeded.is_empty() {
            self.job_failures.remove_mut(uid);
        }
        if new > 0 {
            let count = self.job_failures.get(uid).map_or(0, |f| f.count) + new;
            let last = tally.last_failure.unwrap_or(self.now);
            self.job_failures.insert_mut(uid.into(), Failures { count, last });
        }
    }

    fn write_job_status(&mut self, key: &Key, status: &Json) -> Result<Json, Status> {
        let mut job = self.existing(key)?;
        if job.get("status") == Some(status) {
            return Ok(job);
        }
        job.set(&["status"], status.clone());
        self.controller_update(key, job, MANAGER, "status")
    }

    fn add_condition(&self, conditions: &mut Vec<Json>, kind: &str, verdict: &Verdict) {
        if conditions.iter().any(|c| c.text_at(&["type"]) == kind) {
            return;
        }
        conditions.push(self.job_condition(kind, true, verdict.reason, &verdict.message));
    }

    fn job_condition(&self, kind: &str, status: bool, reason: &str, message: &str) -> Json {
        let now = Json::str(self.now.rfc3339());
        Json::map([
            ("type", Json::str(kind)),
            ("status", if status { "True" } else { "False" }.into()),
            ("lastProbeTime", now.clone()),
            ("lastTransitionTime", now),
            ("reason", Json::str(reason)),
            ("message", Json::str(message)),
        ])
    }

    /// Sets the condition Suspended; true when that changed something.
    fn suspension(&self, conditions: &mut Vec<Json>, on: bool) -> bool {
        let (word, reason, message) =
            if on { ("True", "JobSuspended", "Job suspended") } else { ("False", "JobResumed", "Job resumed") };
        let had = conditions.iter_mut().find(|c| c.text_at(&["type"]) == "Suspended");
        match had {
            Some(had) if had.text_at(&["status"]) == word => false,
            Some(had) => {
                *had = self.job_condition("Suspended", on, reason, message);
                true
            }
            None if on => {
                conditions.push(self.job_condition("Suspended", on, reason, message));
                true
            }
            None => false,
        }
    }

    fn delete_job_pod(&mut self, job: &Json, pod: &Key, release: bool) -> Result<(), Status> {
        if release {
            self.release_pod(pod)?;
        }
        self.begin_delete(pod, "Background", None);
        let message = format!("Deleted pod: {}", pod.name);
        self.record(job, "job-controller", "Normal", "SuccessfulDelete", &message);
        Ok(())
    }

    fn manage_job_pods(&mut self, key: &Key, job: &Json, tally: &mut Tally) -> Result<(), Status> {
        let parallelism = job.int_at(&["spec", "parallelism"]).unwrap_or(1).max(0);
        let active = tally.active.len() as i64;
        let wanted = match job.int_at(&["spec", "completions"]) {
            None if tally.succeeded > 0 => active,
            None => parallelism,
            Some(completions) => (completions - tally.succeeded - tally.failed_indexes.len()).max(0).min(parallelism),
        };
        if active > wanted {
            let mut order = tally.active.clone();
            base::order::sort_by(&mut order, |a, b| {
                deletion_rank(&a.1).cmp(&deletion_rank(&b.1)).then_with(|| a.0.cmp(&b.0))
            });
            for (pod, object) in order.into_iter().take((active - wanted) as usize) {
                self.delete_job_pod(job, &pod, true)?;
                tally.active.retain(|(key, _)| *key != pod);
                tally.ready -= i64::from(ready_since(&object).is_some());
                tally.terminating += 1;
            }
            return Ok(());
        }
        let replaces_failed_only = job.text_at(&["spec", "podReplacementPolicy"]) == "Failed";
        let held = if replaces_failed_only { tally.terminating } else { 0 };
        let missing = wanted - active - held;
        if missing <= 0 {
            return Ok(());
        }
        let per_index = job.int_at(&["spec", "backoffLimitPerIndex"]).is_some();
        let failures = self.job_failures.get(job.text_at(&["metadata", "uid"])).cloned();
        if let Some(failures) = failures.filter(|_| !per_index) {
            let from = failures.last + back_off(failures.count);
            if from > self.now {
                self.queue.add(from, Work::Job(key.clone()));
                return Ok(());
            }
        }
        let indexed = job.text_at(&["spec", "completionMode"]) == "Indexed";
        let mut taken = Indexes::default();
        tally.active.iter().filter_map(|(_, pod)| index_of(pod)).for_each(|i| taken.add(i));
        let completions = job.int_at(&["spec", "completions"]).unwrap_or(0);
        let mut free =
            (0..completions).filter(|i| !taken.has(*i) && !tally.completed.has(*i) && !tally.failed_indexes.has(*i));
        for _ in 0..missing.min(500) {
            let index = if indexed {
                let Some(index) = free.next() else { break };
                if let Some((count, last)) = tally.index_failures.get(&index).copied().filter(|_| per_index) {
                    let from = last + back_off(count as u32);
                    if from > self.now {
                        self.queue.add(from, Work::Job(key.clone()));
                        continue;
                    }
                }
                Some(index)
            } else {
                None
            };
            let failed = index.and_then(|i| tally.index_failures.get(&i)).map_or(0, |(count, _)| *count);
            let pod = job_pod(key, job, index, per_index.then_some(failed));
            match self.controller_create(Key::new("", "pods", &key.namespace, ""), pod) {
                Ok(pod) => {
                    let name = pod.text_at(&["metadata", "name"]);
                    let message = format!("Created pod: {name}");
                    self.record(job, "job-controller", "Normal", "SuccessfulCreate", &message);
                    tally.active.push((Key::new("", "pods", &key.namespace, name), pod));
                }
                Err(status) => {
                    let message = format!("Error creating: {status}");
                    self.record(job, "job-controller", "Warning", "FailedCreate", &message);
                    self.queue.add(self.now + BATCH, Work::Job(key.clone()));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Deletes a finished Job when its time is over.
    fn expire_job(&mut self, key: &Key, job: &Json, ended: Time) -> Result<(), Status> {
        let uid = job.text_at(&["metadata", "uid"]).to_string();
        for (pod, _) in self.pods_of(&uid) {
            self.release_pod(&pod)?;
        }
        let Some(seconds) = job.int_at(&["spec", "ttlSecondsAfterFinished"]) else { return Ok(()) };
        if job.at(&["metadata", "deletionTimestamp"]).is_some() {
            return Ok(());
        }
        let at = ended + seconds * 1000;
        if at <= self.now {
            self.begin_delete(key, "Foreground", None);
        } else {
            self.queue.add(at, Work::Job(key.clone()));
        }
        Ok(())
    }
}

/// When a Job became complete or failed for good.
pub(super) fn finished_at(job: &Json) -> Option<Time> {
    let done = |c: &&Json| matches!(c.text_at(&["type"]), "Complete" | "Failed") && c.text_at(&["status"]) == "True";
    let condition = job.items_at(&["status", "conditions"]).iter().find(done)?;
    Time::parse_rfc3339(condition.text_at(&["lastTransitionTime"]))
}

/// A pod's completion index.
pub(super) fn index_of(pod: &Json) -> Option<i64> {
    pod.text_at(&["metadata", "annotations", INDEX]).parse().ok()
}

fn flag(job: &Json, name: &str) -> bool {
    job.at(&["spec", name]).and_then(Json::as_bool) == Some(true)
}

fn job_pod(key: &Key, job: &Json, index: Option<i64>, index_failures: Option<i64>) -> Json {
    let template = job.at(&["spec", "template"]);
    let part = |name: &str| template.and_then(|t| t.get(name)).cloned().unwrap_or_else(|| Json::map::<&str>([]));
    let mut pod = Json::map([("metadata", part("metadata")), ("spec", part("spec"))]);
    let mut base = format!("{}-", key.name);
    if let Some(index) = index {
        base = format!("{}-{index}-", key.name);
        let text = Json::str(index.to_string());
        pod.set(&["metadata", "annotations", INDEX], text.clone());
        pod.set(&["metadata", "labels", INDEX], text);
        if pod.text_at(&["spec", "hostname"]).is_empty() {
            pod.set(&["spec", "hostname"], Json::str(format!("{}-{index}", key.name)));
        }
        let field = Json::map([("fieldPath", Json::str(format!("metadata.labels['{INDEX}']")))]);
        let variable =
            Json::map([("name", Json::str("JOB_COMPLETION_INDEX")), ("valueFrom", Json::map([("fieldRef", field)]))]);
        for list in ["initContainers", "containers"] {
            let mut containers = pod.items_at(&["spec", list]).to_vec();
            for container in &mut containers {
                let has = |v: &Json| v.text_at(&["name"]) == "JOB_COMPLETION_INDEX";
                let mut env = container.items_at(&["env"]).to_vec();
                if !env.iter().any(has) {
                    env.push(variable.clone());
                    container.set(&["env"], Json::list(env));
                }
            }
            if !containers.is_empty() {
                pod.set(&["spec", list], Json::list(containers));
            }
        }
    }
    if let Some(failures) = index_failures {
        pod.set(&["metadata", "annotations", INDEX_FAILURES], Json::str(failures.to_string()));
    }
    pod.set(&["metadata", "generateName"], Json::str(base));
    pod.set(&["metadata", "finalizers"], Json::list([Json::str(Rc::from(FINALIZER))]));
    pod.set(&["metadata", "ownerReferences"], Json::list([controller_reference(job)]));
    pod
}
