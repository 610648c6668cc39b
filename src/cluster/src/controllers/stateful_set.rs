//! The StatefulSet controller: pods with numbers, made and replaced one after the other, each with its own claims.

use super::replica_set::ready_since;
use super::{MANAGER, Work, controller_reference};
use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::Key;
use base::{Json, Time};

const REVISION: &str = "controller-revision-hash";

/// What a sync of one StatefulSet works with.
struct Plan {
    key: Key,
    set: Json,
    current: String,
    update: String,
    start: i64,
    replicas: i64,
    partition: i64,
    ordered: bool,
    least: i64,
}

impl Cluster {
    #[inline(never)]
    pub(super) fn sync_stateful_set(&mut self, key: &Key) -> Result<(), Status> {
        let Some(set) = self.store.get(key).cloned() else { return Ok(()) };
        if set.at(&["metadata", "deletionTimestamp"]).is_some() {
            return Ok(());
        }
        let (update, _) = self.current_revision(&set, "controller.kubernetes.io/hash")?;
        let current = match set.text_at(&["status", "currentRevision"]) {
            "" => update.clone(),
            name => name.to_string(),
        };
        let plan = Plan {
            key: key.clone(),
            current,
            update,
            start: set.int_at(&["spec", "ordinals", "start"]).unwrap_or(0),
            replicas: set.int_at(&["spec", "replicas"]).unwrap_or(1),
            partition: set.int_at(&["spec", "updateStrategy", "rollingUpdate", "partition"]).unwrap_or(0),
            ordered: set.text_at(&["spec", "podManagementPolicy"]) != "Parallel",
            least: set.int_at(&["spec", "minReadySeconds"]).unwrap_or(0),
            set,
        };
        let done = self.move_stateful_set(&plan);
        self.write_stateful_set(&plan)?;
        done
    }

    fn numbered_pods(&self, plan: &Plan) -> Vec<(i64, Key, Json)> {
        let pods = self.pods_of(plan.set.text_at(&["metadata", "uid"]));
        let number = |key: &Key| key.name.strip_prefix(&*plan.key.name)?.strip_prefix('-')?.parse::<i64>().ok();
        let mut out: Vec<_> = pods.into_iter().filter_map(|(k, p)| number(&k).map(|n| (n, k, p))).collect();
        base::order::sort_by(&mut out, |a, b| a.0.cmp(&b.0));
        out
    }

    /// True when a pod has been ready long enough; asks for a later look when it has not yet.
    fn is_available(&mut self, plan: &Plan, pod: &Json) -> bool {
        let Some(since) = ready_since(pod) else { return false };
        let from = since + plan.least * 1000;
        if plan.least == 0 || from <= self.now {
            return true;
        }
        self.queue.add(from, Work::StatefulSet(plan.key.clone()));
        false
    }

    /// Makes one step (or all at once, when the order does not matter).
    fn move_stateful_set(&mut self, plan: &Plan) -> Result<(), Status> {
        let pods = self.numbered_pods(plan);
        let leaving = |pod: &Json| pod.at(&["metadata", "deletionTimestamp"]).is_some();
        let find = |n: i64| pods.iter().find(|(number, _, _)| *number == n);
        let mut healthy = true;
        for number in plan.start..plan.start + plan.replicas {
            match find(number) {
                None => {
                    self.create_numbered(plan, number)?;
                    healthy = false;
                }
                Some((_, key, pod)) => {
                    if matches!(pod.text_at(&["status", "phase"]), "Failed" | "Succeeded") && !leaving(pod) {
                        self.begin_delete(key, "Background", None);
                        let name = &plan.key.name;
                        let message =
                            format!("StatefulSet {}/{name} is recreating failed Pod {}", key.namespace, key.name);
                        self.record(&plan.set, "statefulset-controller", "Warning", "RecreatingFailedPod", &message);
                        healthy = false;
                    } else if leaving(pod) || !self.is_available(plan, pod) {
                        healthy = false;
                    }
                }
            }
            if plan.ordered && !healthy {
                return Ok(());
            }
        }
        let outside = |n: &i64| *n < plan.start || *n >= plan.start + plan.replicas;
        let condemned: Vec<_> = pods.iter().rev().filter(|(n, _, _)| outside(n)).collect();
        for (_, key, pod) in &condemned {
            if !leaving(pod) {
                self.delete_numbered(plan, key);
            }
            if plan.ordered {
                return Ok(());
            }
        }
        if plan.set.text_at(&["spec", "updateStrategy", "type"]) == "OnDelete" {
            return Ok(());
        }
        for (number, key, pod) in pods.iter().rev().filter(|(n, _, _)| !outside(n)) {
            if *number < plan.start + plan.partition {
                break;
            }
            let old = pod.text_at(&["metadata", "labels", REVISION]) != plan.update;
            if old && !leaving(pod) {
                self.delete_numbered(plan, key);
                return Ok(());
            }
            if leaving(pod) || !self.is_available(plan, pod) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn delete_numbered(&mut self, plan: &Plan, key: &Key) {
        self.begin_delete(key, "Background", None);
        let message = format!("Delete Pod {} in StatefulSet {} successful", key.name, plan.key.name);
        self.record(&plan.set, "statefulset-controller", "Normal", "SuccessfulDelete", &message);
    }

    fn create_numbered(&mut self, plan: &Plan, number: i64) -> Result<(), Status> {
        let name = format!("{}-{number}", plan.key.name);
        // Numbers below the partition stay at the old revision.
        let rolling = plan.set.at(&["spec", "updateStrategy", "rollingUpdate"]).is_some();
        let kept = plan.set.int_at(&["status", "currentReplicas"]).unwrap_or(0);
        let old = if rolling { number < plan.start + plan.partition } else { number < plan.start + kept };
        let revision = if old { &plan.current } else { &plan.update };
        let own = || plan.set.at(&["spec", "template"]).cloned();
        let template = match old {
            true => self.revision_template(&plan.key.namespace, revision).or_else(own),
            false => own(),
        };
        let template = template.unwrap_or_default();
        let mut pod = Json::map([
            ("metadata", template.get("metadata").cloned().unwrap_or_else(|| Json::map::<&str>([]))),
            ("spec", template.get("spec").cloned().unwrap_or_default()),
        ]);
        pod.set(&["metadata", "name"], Json::str(name.as_str()));
        pod.set(&["metadata", "generateName"], Json::str(format!("{}-", plan.key.name)));
        pod.set(&["metadata", "ownerReferences"], Json::list([controller_reference(&plan.set)]));
        for (label, value) in [
            ("apps.kubernetes.io/pod-index", number.to_string()),
            (REVISION, revision.clone()),
            ("statefulset.kubernetes.io/pod-name", name.clone()),
        ] {
            pod.set(&["metadata", "labels", label], Json::str(value));
        }
        pod.set(&["spec", "hostname"], Json::str(name.as_str()));
        let service = plan.set.text_at(&["spec", "serviceName"]);
        if !service.is_empty() {
            pod.set(&["spec", "subdomain"], Json::str(service));
        }
        self.claims_of(plan, &name, &mut pod)?;
        let result = self.controller_create(Key::new("", "pods", &plan.key.namespace, &name), pod);
        let set = &plan.set;
        match &result {
            Ok(_) => {
                let message = format!("Create Pod {name} in StatefulSet {} successful", plan.key.name);
                self.record(set, "statefulset-controller", "Normal", "SuccessfulCreate", &message);
            }
            Err(status) => {
                let message = format!("create Pod {name} in StatefulSet {} failed error: {status}", plan.key.name);
                self.record(set, "statefulset-controller", "Warning", "FailedCreate", &message);
                self.queue.add(self.now + 1000, Work::StatefulSet(plan.key.clone()));
            }
        }
        result.map(|_| ())
    }

    /// Makes the claims of a numbered pod and mounts them in the place of volumes of the same name.
    fn claims_of(&mut self, plan: &Plan, name: &str, pod: &mut Json) -> Result<(), Status> {
        let mut volumes = pod.items_at(&["spec", "volumes"]).to_vec();
        for template in plan.set.items_at(&["spec", "volumeClaimTemplates"]) {
            let volume = template.text_at(&["metadata", "name"]);
            let claim = format!("{volume}-{name}");
            let key = Key::new("", "persistentvolumeclaims", &plan.key.namespace, &claim);
            let source = Json::map([("claimName", Json::str(claim.as_str()))]);
            volumes.retain(|v| v.text_at(&["name"]) != volume);
            volumes.insert(0, Json::map([("name", Json::str(volume)), ("persistentVolumeClaim", source)]));
            if self.store.get(&key).is_some() {
                continue;
            }
            let mut object = template.clone();
            object.remove(&["status"]);
            object.set(&["metadata", "name"], Json::str(claim.as_str()));
            let labels = plan.set.at(&["spec", "selector", "matchLabels"]).and_then(Json::as_map);
            for (label, value) in labels.into_iter().flatten() {
                object.set(&["metadata", "labels", label], value.clone());
            }
            if plan.set.text_at(&["spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted"]) == "Delete" {
                object.set(&["metadata", "ownerReferences"], Json::list([controller_reference(&plan.set)]));
            }
            self.controller_create(key, object)?;
            let set = &plan.key.name;
            let message = format!("Create Claim {claim} Pod {name} in StatefulSet {set} success");
            self.record(&plan.set, "statefulset-controller", "Normal", "SuccessfulCreate", &message);
        }
        if !volumes.is_empty() {
            pod.set(&["spec", "volumes"], Json::list(volumes));
        }
        Ok(())
    }

    fn write_stateful_set(&mut self, plan: &Plan) -> Result<(), Status> {
        let pods = self.numbered_pods(plan);
        let stays = |pod: &Json| pod.at(&["metadata", "deletionTimestamp"]).is_none();
        let of = |name: &str| {
            let counted =
                |(_, _, p): &&(i64, Key, Json)| stays(p) && p.text_at(&["metadata", "labels", REVISION]) == name;
            pods.iter().filter(counted).count() as i64
        };
        let (mut now_current, updated) = (of(&plan.current), of(&plan.update));
        let ready = pods.iter().filter(|(_, _, p)| ready_since(p).is_some()).count() as i64;
        let available =
            |p: &Json| ready_since(p).is_some_and(|t: Time| plan.least == 0 || t + plan.least * 1000 <= self.now);
        let available = pods.iter().filter(|(_, _, p)| available(p)).count() as i64;
        let mut current = plan.current.clone();
        let rolled = plan.set.text_at(&["spec", "updateStrategy", "type"]) != "OnDelete";
        if rolled && updated == plan.replicas && ready == plan.replicas && pods.len() as i64 == plan.replicas {
            (current, now_current) = (plan.update.clone(), updated);
        }
        let Some(mut set) = self.store.get(&plan.key).cloned() else { return Ok(()) };
        let mut status = Json::map([
            ("observedGeneration", plan.set.at(&["metadata", "generation"]).cloned().unwrap_or(Json::Int(1))),
            ("replicas", Json::Int(pods.len() as i64)),
        ]);
        for (name, n) in [("readyReplicas", ready), ("currentReplicas", now_current), ("updatedReplicas", updated)] {
            if n > 0 {
                status.set(&[name], Json::Int(n));
            }
        }
        status.set(&["currentRevision"], Json::str(current));
        status.set(&["updateRevision"], Json::str(plan.update.as_str()));
        status.set(&["collisionCount"], Json::Int(0));
        status.set(&["availableReplicas"], Json::Int(available));
        if set.get("status") == Some(&status) {
            return Ok(());
        }
        set.set(&["status"], status);
        self.controller_update(&plan.key, set, MANAGER, "status").map(|_| ())
    }
}
