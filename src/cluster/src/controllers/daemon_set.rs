//! The DaemonSet controller on the one node: a pod when the node fits, replaced when the template changes.

use super::pods::NODE;
use super::replica_set::ready_since;
use super::{MANAGER, Work, controller_reference};
use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::Key;
use base::Json;

const HASH: &str = "controller-revision-hash";
const GENERATION: &str = "pod-template-generation";
/// What the pods of a DaemonSet tolerate: key and effect.
const TOLERATED: &[(&str, &str)] = &[
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

impl Cluster {
    #[inline(never)]
    pub(super) fn sync_daemon_set(&mut self, key: &Key) -> Result<(), Status> {
        let Some(set) = self.store.get(key).cloned() else { return Ok(()) };
        if set.at(&["metadata", "deletionTimestamp"]).is_some() {
            return Ok(());
        }
        let (_, hash) = self.current_revision(&set, HASH)?;
        let leaving = |pod: &Json| pod.at(&["metadata", "deletionTimestamp"]).is_some();
        let pods = self.pods_of(set.text_at(&["metadata", "uid"]));
        let fits = self.node_fits(&set);
        let old = |pod: &Json| pod.text_at(&["metadata", "labels", HASH]) != hash;
        let on_delete = set.text_at(&["spec", "updateStrategy", "type"]) == "OnDelete";
        for (pod_key, pod) in &pods {
            let ended = pod.text_at(&["status", "phase"]) == "Failed";
            if !leaving(pod) && (!fits || ended || old(pod) && !on_delete) {
                self.begin_delete(pod_key, "Background", None);
                let message = format!("Deleted pod: {}", pod_key.name);
                self.record(&set, "daemonset-controller", "Normal", "SuccessfulDelete", &message);
            }
        }
        if fits && pods.is_empty() {
            let pod = daemon_pod(&set, &hash);
            match self.controller_create(Key::new("", "pods", &key.namespace, ""), pod) {
                Ok(pod) => {
                    let message = format!("Created pod: {}", pod.text_at(&["metadata", "name"]));
                    self.record(&set, "daemonset-controller", "Normal", "SuccessfulCreate", &message);
                }
                Err(status) => {
                    let message = format!("Error creating: {status}");
                    self.record(&set, "daemonset-controller", "Warning", "FailedCreate", &message);
                    self.queue.add(self.now + 1000, Work::DaemonSet(key.clone()));
                }
            }
        }
        self.write_daemon_set(key, &set, &hash, fits)
    }

    fn node_fits(&self, set: &Json) -> bool {
        let Some(wanted) = set.at(&["spec", "template", "spec", "nodeSelector"]).and_then(Json::as_map) else {
            return true;
        };
        let node = self.store.get(&Key::new("", "nodes", "", NODE));
        let labels = node.and_then(|n| n.at(&["metadata", "labels"]));
        wanted.iter().all(|(name, value)| labels.and_then(|l| l.get(name)) == Some(value))
    }

    fn write_daemon_set(&mut self, key: &Key, set: &Json, hash: &str, fits: bool) -> Result<(), Status> {
        let all = self.pods_of(set.text_at(&["metadata", "uid"]));
        let pods: Vec<&Json> = all.iter().map(|(_, pod)| pod).collect();
        let desired = i64::from(fits);
        let least = set.int_at(&["spec", "minReadySeconds"]).unwrap_or(0) * 1000;
        let scheduled = if fits { pods.len().min(1) as i64 } else { 0 };
        let ready: Vec<_> = pods.iter().filter_map(|p| ready_since(p)).collect();
        let available = ready.iter().filter(|t| least == 0 || **t + least <= self.now).count().min(1) as i64;
        if let Some(since) = ready.iter().find(|t| least > 0 && **t + least > self.now) {
            self.queue.add(*since + least, Work::DaemonSet(key.clone()));
        }
        let updated = pods.iter().filter(|p| p.text_at(&["metadata", "labels", HASH]) == hash).count().min(1) as i64;
        let Some(mut live) = self.store.get(key).cloned() else { return Ok(()) };
        let mut status = Json::map([
            ("currentNumberScheduled", Json::Int(scheduled)),
            ("numberMisscheduled", Json::Int(if fits { 0 } else { pods.len() as i64 })),
            ("desiredNumberScheduled", Json::Int(desired)),
            ("numberReady", Json::Int(ready.len().min(1) as i64)),
            ("observedGeneration", set.at(&["metadata", "generation"]).cloned().unwrap_or(Json::Int(1))),
        ]);
        for (name, n) in [
            ("updatedNumberScheduled", updated),
            ("numberAvailable", available),
            ("numberUnavailable", desired - available.min(desired)),
        ] {
            if n > 0 {
                status.set(&[name], Json::Int(n));
            }
        }
        if live.get("status") == Some(&status) {
            return Ok(());
        }
        live.set(&["status"], status);
        self.controller_update(key, live, MANAGER, "status").map(|_| ())
    }
}

fn daemon_pod(set: &Json, hash: &str) -> Json {
    let part = |name: &str| set.at(&["spec", "template", name]).cloned().unwrap_or_else(|| Json::map::<&str>([]));
    let mut pod = Json::map([("metadata", part("metadata")), ("spec", part("spec"))]);
    pod.set(&["metadata", "generateName"], Json::str(format!("{}-", set.text_at(&["metadata", "name"]))));
    pod.set(&["metadata", "ownerReferences"], Json::list([controller_reference(set)]));
    pod.set(&["metadata", "labels", HASH], Json::str(hash));
    let generation = set.text_at(&["metadata", "annotations", "deprecated.daemonset.template.generation"]);
    let generation = if generation.is_empty() { "1" } else { generation };
    pod.set(&["metadata", "labels", GENERATION], Json::str(generation));
    let field = Json::map([
        ("key", Json::str("metadata.name")),
        ("operator", "In".into()),
        ("values", Json::list([NODE.into()])),
    ]);
    let term = Json::map([("matchFields", Json::list([field]))]);
    const REQUIRED: &[&str] =
        &["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];
    pod.set(REQUIRED, Json::list([term]));
    let mut tolerations = pod.items_at(&["spec", "tolerations"]).to_vec();
    for (key, effect) in TOLERATED {
        tolerations.push(Json::map([
            ("key", Json::str(*key)),
            ("operator", "Exists".into()),
            ("effect", Json::str(*effect)),
        ]));
    }
    pod.set(&["spec", "tolerations"], Json::list(tolerations));
    pod
}
