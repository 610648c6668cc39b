//! Status and conditions of a Deployment.

use super::MANAGER;
use super::deployment::{Set, available, max_unavailable, replicas};
use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::Key;
use base::{Json, Time};

impl Cluster {
    /// Writes what the sets add up to, with the conditions Available and (when `progress`) Progressing.
    pub(super) fn write_status(
        &mut self,
        key: &Key,
        sets: &[Set],
        new: Option<&Set>,
        progress: bool,
    ) -> Result<(), Status> {
        let deployment = self.existing(key)?;
        let old = deployment.get("status").cloned().unwrap_or_default();
        let sum = |name: &str| sets.iter().map(|(_, s)| s.int_at(&["status", name]).unwrap_or(0)).sum::<i64>();
        let total: i64 = sets.iter().map(|(_, s)| replicas(s)).sum();
        let available_now = sum("availableReplicas");
        let generation = deployment.int_at(&["metadata", "generation"]).unwrap_or(1);
        let mut status = Json::map([("observedGeneration", Json::Int(generation))]);
        for (name, n) in [
            ("replicas", sum("replicas")),
            ("updatedReplicas", new.map_or(0, |(_, s)| s.int_at(&["status", "replicas"]).unwrap_or(0))),
            ("readyReplicas", sum("readyReplicas")),
            ("availableReplicas", available_now),
            ("unavailableReplicas", (total - available_now).max(0)),
        ] {
            if n > 0 {
                status.set(&[name], Json::Int(n));
            }
        }
        status.set(&["terminatingReplicas"], Json::Int(sum("terminatingReplicas")));
        if let Some(collisions) = old.get("collisionCount") {
            status.set(&["collisionCount"], collisions.clone());
        }
        let mut conditions = old.items_at(&["conditions"]).to_vec();
        let enough = available_now >= replicas(&deployment) - max_unavailable(&deployment);
        let (reason, message) = if enough {
            ("MinimumReplicasAvailable", "Deployment has minimum availability.")
        } else {
            ("MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        };
        self.set_condition(&mut conditions, "Available", enough, reason, message);
        let deadline = deployment.int_at(&["spec", "progressDeadlineSeconds"]).filter(|n| *n < i64::from(i32::MAX));
        if progress {
            match deadline {
                None => conditions.retain(|c| c.text_at(&["type"]) != "Progressing"),
                Some(deadline) => {
                    self.progress(key, &deployment, &old, &status, new, &mut conditions, deadline);
                }
            }
        }
        status.set(&["conditions"], Json::list(conditions));
        if status == old {
            return Ok(());
        }
        let mut changed = deployment;
        changed.set(&["status"], status);
        self.controller_update(key, changed, MANAGER, "status").map(|_| ())
    }

    fn progress(
        &mut self,
        key: &Key,
        deployment: &Json,
        old: &Json,
        status: &Json,
        new: Option<&Set>,
        conditions: &mut Vec<Json>,
        deadline: i64,
    ) {
        let current = conditions.iter().find(|c| c.text_at(&["type"]) == "Progressing").cloned();
        let reason = current.as_ref().map_or("", |c| c.text_at(&["reason"])).to_string();
        let count = |s: &Json, name: &str| s.int_at(&[name]).unwrap_or(0);
        let settled =
            count(status, "replicas") == count(status, "updatedReplicas") && reason == "NewReplicaSetAvailable";
        if settled {
            return;
        }
        let name = match new {
            Some((set, _)) => format!("ReplicaSet \"{}\"", set.name),
            None => format!("Deployment \"{}\"", key.name),
        };
        let mut probe = deployment.clone();
        probe.set(&["status"], status.clone());
        let older = |s: &Json| count(s, "replicas") - count(s, "updatedReplicas");
        let moved = count(status, "updatedReplicas") > count(old, "updatedReplicas")
            || older(status) < older(old)
            || count(status, "readyReplicas") > count(old, "readyReplicas")
            || count(status, "availableReplicas") > count(old, "availableReplicas");
        if complete(&probe) {
            let message = format!("{name} has successfully progressed.");
            self.set_condition(conditions, "Progressing", true, "NewReplicaSetAvailable", &message);
            return;
        }
        if moved {
            // Progress renews the update time, so the condition is written anew even with the same reason.
            let message = format!("{name} is progressing.");
            let since = current.as_ref().filter(|c| c.text_at(&["status"]) == "True");
            let since = since.and_then(|c| c.get("lastTransitionTime")).cloned();
            conditions.retain(|c| c.text_at(&["type"]) != "Progressing");
            self.set_condition(conditions, "Progressing", true, "ReplicaSetUpdated", &message);
            if let (Some(since), Some(last)) = (since, conditions.last_mut()) {
                last.set(&["lastTransitionTime"], since);
            }
            self.again(key, deadline * 1000 + 1000);
            return;
        }
        let Some(current) = current else { return };
        if reason == "ProgressDeadlineExceeded" {
            return;
        }
        let from = Time::parse_rfc3339(current.text_at(&["lastUpdateTime"])).unwrap_or(self.now);
        let until = from + deadline * 1000;
        if until < self.now {
            let message = format!("{name} has timed out progressing.");
            self.set_condition(conditions, "Progressing", false, "ProgressDeadlineExceeded", &message);
        } else if reason != "NewReplicaSetAvailable" || older(status) > 0 || !complete(&probe) {
            self.again(key, until - self.now + 1000);
        }
    }

    /// Notes that a set was made, before anything of it runs.
    pub(super) fn note_new_set(&mut self, key: &Key, name: &str) -> Result<(), Status> {
        let mut deployment = self.existing(key)?;
        if deployment.at(&["spec", "progressDeadlineSeconds"]).is_none() {
            return Ok(());
        }
        let mut conditions = deployment.items_at(&["status", "conditions"]).to_vec();
        let message = format!("Created new replica set \"{name}\"");
        self.set_condition(&mut conditions, "Progressing", true, "NewReplicaSetCreated", &message);
        deployment.set(&["status", "conditions"], Json::list(conditions));
        self.controller_update(key, deployment, MANAGER, "status").map(|_| ())
    }

    /// Notes a pause, or its end, in the Progressing condition.
    pub(super) fn note_pause(&mut self, key: &Key, paused: bool) -> Result<(), Status> {
        let mut deployment = self.existing(key)?;
        if deployment.at(&["spec", "progressDeadlineSeconds"]).is_none() {
            return Ok(());
        }
        let mut conditions = deployment.items_at(&["status", "conditions"]).to_vec();
        let current = conditions.iter().find(|c| c.text_at(&["type"]) == "Progressing");
        let reason = current.map_or("", |c| c.text_at(&["reason"])).to_string();
        if reason == "ProgressDeadlineExceeded" {
            return Ok(());
        }
        let word = |status: &str, reason: &str, message: &str, list: &mut Vec<Json>| {
            self.set_condition_word(list, "Progressing", status, reason, message);
        };
        match (paused, reason == "DeploymentPaused") {
            (true, false) => word("Unknown", "DeploymentPaused", "Deployment is paused", &mut conditions),
            (false, true) => word("Unknown", "DeploymentResumed", "Deployment is resumed", &mut conditions),
            _ => return Ok(()),
        }
        deployment.set(&["status", "conditions"], Json::list(conditions));
        self.controller_update(key, deployment, MANAGER, "status").map(|_| ())
    }

    fn set_condition(&self, list: &mut Vec<Json>, kind: &str, status: bool, reason: &str, message: &str) {
        self.set_condition_word(list, kind, if status { "True" } else { "False" }, reason, message);
    }

    /// Sets a condition unless status and reason are those it has; the transition time moves with the status only.
    fn set_condition_word(&self, list: &mut Vec<Json>, kind: &str, status: &str, reason: &str, message: &str) {
        let now = Json::str(self.now.rfc3339());
        let current = list.iter().find(|c| c.text_at(&["type"]) == kind).cloned();
        if current.as_ref().is_some_and(|c| c.text_at(&["status"]) == status && c.text_at(&["reason"]) == reason) {
            return;
        }
        let same = current.as_ref().filter(|c| c.text_at(&["status"]) == status);
        let since = same.and_then(|c| c.get("lastTransitionTime")).cloned().unwrap_or_else(|| now.clone());
        list.retain(|c| c.text_at(&["type"]) != kind);
        list.push(Json::map([
            ("type", Json::str(kind)),
            ("status", Json::str(status)),
            ("lastUpdateTime", now),
            ("lastTransitionTime", since),
            ("reason", Json::str(reason)),
            ("message", Json::str(message)),
        ]));
    }
}

/// True when everything runs the present template and is available.
pub(super) fn complete(deployment: &Json) -> bool {
    let wanted = replicas(deployment);
    let count = |name: &str| deployment.int_at(&["status", name]).unwrap_or(0);
    count("updatedReplicas") == wanted
        && count("replicas") == wanted
        && available(deployment) == wanted
        && count("observedGeneration") >= deployment.int_at(&["metadata", "generation"]).unwrap_or(1)
}
