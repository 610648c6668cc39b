//! The ReplicaSet controller: makes and deletes pods, and counts them.

use super::{MANAGER, Work, controller_reference, owners};
use crate::cluster::Cluster;
use crate::selector::Labels;
use crate::status::Status;
use crate::store::Key;
use base::{Json, Time};

/// Pods made or deleted in one go, as in the real controller.
const BURST: usize = 500;

impl Cluster {
    #[inline(never)]
    pub(super) fn sync_replica_set(&mut self, key: &Key) -> Result<(), Status> {
        let Some(set) = self.store.get(key).cloned() else { return Ok(()) };
        let uid = set.text_at(&["metadata", "uid"]).to_string();
        let labels = Labels::of(set.at(&["spec", "selector"]).unwrap_or(&Json::Null));
        let leaving = set.at(&["metadata", "deletionTimestamp"]).is_some();
        if !leaving {
            self.adopt(key, &set, &labels)?;
        }
        let pods = self.pods_of(&uid);
        let gone = |p: &Json| p.at(&["metadata", "deletionTimestamp"]).is_some();
        let ended = |p: &Json| matches!(p.text_at(&["status", "phase"]), "Succeeded" | "Failed");
        let active: Vec<(Key, Json)> = pods.iter().filter(|(_, p)| !gone(p) && !ended(p)).cloned().collect();
        let terminating = pods.iter().filter(|(_, p)| gone(p) && !ended(p)).count();
        if !leaving {
            self.manage_pods(key, &set, &active)?;
        }
        self.count_pods(key, &set, &active, terminating)
    }

    /// Pods that an owner controls.
    pub(super) fn pods_of(&self, uid: &str) -> Vec<(Key, Json)> {
        let keys = self.store.owned_by(uid).into_iter().filter(|key| &*key.resource == "pods");
        keys.filter_map(|key| self.store.get(&key).cloned().map(|pod| (key, pod)))
            .filter(|(_, pod)| owners(pod).iter().any(|(owner, controls)| *controls && owner == uid))
            .collect()
    }

    /// Takes pods that match and that nobody controls; lets go of pods that no longer match.
    fn adopt(&mut self, key: &Key, set: &Json, labels: &Labels) -> Result<(), Status> {
        let uid = set.text_at(&["metadata", "uid"]);
        let mut found: Vec<(Key, Json)> = Vec::new();
        for pod_key in self.store.stray_pods(&key.namespace) {
            found.extend(self.store.get(&pod_key).filter(|p| labels.matches(p)).cloned().map(|p| (pod_key, p)));
        }
        found.extend(self.pods_of(uid).into_iter().filter(|(_, pod)| !labels.matches(pod)));
        found.retain(|(_, pod)| pod.at(&["metadata", "deletionTimestamp"]).is_none());
        for (pod_key, mut pod) in found {
            let mut references = pod.items_at(&["metadata", "ownerReferences"]).to_vec();
            if labels.matches(&pod) {
                references.push(controller_reference(set));
            } else {
                references.retain(|r| r.text_at(&["uid"]) != uid);
            }
            if references.is_empty() {
                pod.remove(&["metadata", "ownerReferences"]);
            } else {
                pod.set(&["metadata", "ownerReferences"], Json::list(references));
            }
            self.controller_update(&pod_key, pod, MANAGER, "")?;
        }
        Ok(())
    }

    fn manage_pods(&mut self, key: &Key, set: &Json, active: &[(Key, Json)]) -> Result<(), Status> {
        let wanted = usize::try_from(set.int_at(&["spec", "replicas"]).unwrap_or(1)).unwrap_or(0);
        for _ in active.len()..wanted.min(active.len() + BURST) {
            let template = set.at(&["spec", "template"]);
            let mut pod = Json::map([
                ("metadata", template.and_then(|t| t.get("metadata")).cloned().unwrap_or_default()),
                ("spec", template.and_then(|t| t.get("spec")).cloned().unwrap_or_default()),
            ]);
            pod.set(&["metadata", "generateName"], Json::str(format!("{}-", key.name)));
            pod.set(&["metadata", "ownerReferences"], Json::list([controller_reference(set)]));
            match self.controller_create(Key::new("", "pods", &key.namespace, ""), pod) {
                Ok(pod) => {
                    let message = format!("Created pod: {}", pod.text_at(&["metadata", "name"]));
                    self.record(set, "replicaset-controller", "Normal", "SuccessfulCreate", &message);
                }
                Err(status) => {
                    let message = format!("Error creating: {status}");
                    self.record(set, "replicaset-controller", "Warning", "FailedCreate", &message);
                    self.queue.add(self.now + 1000, Work::ReplicaSet(key.clone()));
                    break;
                }
            }
        }
        if active.len() > wanted {
            let mut order = active.to_vec();
            base::order::sort_by(&mut order, |a, b| {
                deletion_rank(&a.1).cmp(&deletion_rank(&b.1)).then_with(|| a.0.cmp(&b.0))
            });
            for (pod, _) in order.iter().take((active.len() - wanted).min(BURST)) {
                self.begin_delete(pod, "Background", None);
                let message = format!("Deleted pod: {}", pod.name);
                self.record(set, "replicaset-controller", "Normal", "SuccessfulDelete", &message);
            }
        }
        Ok(())
    }

    fn count_pods(&mut self, key: &Key, set: &Json, active: &[(Key, Json)], terminating: usize) -> Result<(), Status> {
        let Some(live) = self.store.get(key).cloned() else { return Ok(()) };
        let template = set.at(&["spec", "template", "metadata", "labels"]);
        let labelled = |pod: &Json| {
            let labels = pod.at(&["metadata", "labels"]);
            let wanted = template.and_then(Json::as_map).into_iter().flatten();
            wanted.into_iter().all(|(k, v)| labels.and_then(|l| l.get(k)) == Some(v))
        };
        let least = set.int_at(&["spec", "minReadySeconds"]).unwrap_or(0);
        let mut next: Option<Time> = None;
        let mut available = 0;
        let ready: Vec<Time> = active.iter().filter_map(|(_, pod)| ready_since(pod)).collect();
        for since in &ready {
            let from = *since + least * 1000;
            if least == 0 || from <= self.now {
                available += 1;
            } else {
                next = Some(next.map_or(from, |n: Time| n.min(from)));
            }
        }
        let mut status = Json::map([("replicas", Json::Int(active.len() as i64))]);
        for (name, n) in [
            ("fullyLabeledReplicas", active.iter().filter(|(_, pod)| labelled(pod)).count()),
            ("readyReplicas", ready.len()),
            ("availableReplicas", available),
        ] {
            if n > 0 {
                status.set(&[name], Json::Int(n as i64));
            }
        }
        status.set(&["terminatingReplicas"], Json::Int(terminating as i64));
        status.set(&["observedGeneration"], set.at(&["metadata", "generation"]).cloned().unwrap_or(Json::Int(1)));
        if let Some(next) = next {
            self.queue.add(next, Work::ReplicaSet(key.clone()));
        }
        let mut new = live;
        if let Some(conditions) = new.at(&["status", "conditions"]).cloned() {
            status.set(&["conditions"], conditions);
        }
        new.set(&["status"], status);
        self.controller_update(key, new, MANAGER, "status").map(|_| ())
    }
}

/// Since when a pod is ready.
pub(super) fn ready_since(pod: &Json) -> Option<Time> {
    let mut conditions = pod.items_at(&["status", "conditions"]).iter();
    let ready = conditions.rfind(|c| c.text_at(&["type"]) == "Ready" && c.text_at(&["status"]) == "True")?;
    Some(Time::parse_rfc3339(ready.text_at(&["lastTransitionTime"])).unwrap_or_default())
}

/// Which pods go first: not bound, pending, not ready, younger.
pub(super) fn deletion_rank(pod: &Json) -> (bool, bool, bool, std::cmp::Reverse<String>) {
    (
        !pod.text_at(&["spec", "nodeName"]).is_empty(),
        pod.text_at(&["status", "phase"]) != "Pending",
        ready_since(pod).is_some(),
        std::cmp::Reverse(pod.text_at(&["metadata", "creationTimestamp"]).to_string()),
    )
}
