//! Health of one object (gitops-engine's built-in checks) and of an Application (the worst of its roots).

use crate::tracking::split_api_version;
use base::Json;
use std::rc::Rc;

/// Finalizer that keeps a hook until its sync has seen it finish.
pub const HOOK_FINALIZER: &str = "argocd.argoproj.io/hook-finalizer";

/// A health status; a later one is worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Works.
    #[default]
    Healthy,
    /// Stopped on purpose.
    Suspended,
    /// On its way.
    Progressing,
    /// Not in the cluster.
    Missing,
    /// Does not work.
    Degraded,
    /// The check itself failed.
    Unknown,
}

impl Status {
    /// The word that Argo CD writes.
    pub fn text(self) -> &'static str {
        match self {
            Status::Healthy => "Healthy",
            Status::Suspended => "Suspended",
            Status::Progressing => "Progressing",
            Status::Missing => "Missing",
            Status::Degraded => "Degraded",
            Status::Unknown => "Unknown",
        }
    }
}

/// The health of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// How it is.
    pub status: Status,
    /// Why; often empty.
    pub message: Rc<str>,
}

fn health(status: Status, message: impl Into<Rc<str>>) -> Option<Health> {
    Some(Health { status, message: message.into() })
}

/// The health of a live object, `None` for kinds without a check.
pub fn of(object: &Json) -> Option<Health> {
    let hook = object.items_at(&["metadata", "finalizers"]).iter().any(|f| f.as_str() == Some(HOOK_FINALIZER));
    if object.at(&["metadata", "deletionTimestamp"]).is_some() && !hook {
        return health(Status::Progressing, "Pending deletion");
    }
    let api_version = object.text_at(&["apiVersion"]);
    let (group, version) = split_api_version(api_version);
    let kind = object.text_at(&["kind"]);
    let typed: fn(&Json) -> Option<Health> = match (group, kind) {
        ("apps", "Deployment") => deployment,
        ("apps", "StatefulSet") => stateful_set,
        ("apps", "DaemonSet") => daemon_set,
        ("apps", "ReplicaSet") => replica_set,
        ("", "Pod") => pod,
        ("batch", "Job") => job,
        ("batch", "CronJob") => return cron_job(object),
        ("", "PersistentVolumeClaim") => claim,
        ("", "Service") => service,
        ("networking.k8s.io" | "extensions", "Ingress") => return ingress(object),
        ("autoscaling", "HorizontalPodAutoscaler") if version == "v2" => return autoscaler(object),
        _ => return None,
    };
    if version != "v1" {
        return health(Status::Unknown, format!("unsupported {kind} GVK: {group}/{version}, Kind={kind}"));
    }
    typed(object)
}

/// The health of an Application: the worst of its live roots that have a check, Missing when it has resources and
/// none of them lives. `roots` holds the live object of each target (or of each tracked extra).
pub fn aggregate<'a>(roots: impl IntoIterator<Item = Option<&'a Json>>) -> Status {
    let (mut worst, mut resources, mut lives) = (Status::Healthy, false, false);
    for root in roots {
        resources = true;
        let Some(live) = root else { continue };
        lives = true;
        let child =
            live.text_at(&["kind"]) == "Application" && live.text_at(&["apiVersion"]).starts_with("argoproj.io/");
        if child {
            continue;
        }
        if let Some(found) = of(live) {
            worst = worst.max(found.status);
        }
    }
    if resources && !lives { worst.max(Status::Missing) } else { worst }
}

fn int(object: &Json, path: &[&str]) -> i64 {
    object.int_at(path).unwrap_or(0)
}

fn stale(object: &Json) -> bool {
    int(object, &["metadata", "generation"]) > int(object, &["status", "observedGeneration"])
}

fn deployment(o: &Json) -> Option<Health> {
    if o.at(&["spec", "paused"]).and_then(Json::as_bool) == Some(true) {
        return health(Status::Suspended, "Deployment is paused");
    }
    let wait = "Waiting for rollout to finish:";
    if stale(o) {
        return health(
            Status::Progressing,
            format!("{wait} observed deployment generation less than desired generation"),
        );
    }
    let late = o
        .items_at(&["status", "conditions"])
        .iter()
        .any(|c| c.text_at(&["type"]) == "Progressing" && c.text_at(&["reason"]) == "ProgressDeadlineExceeded");
    if late {
        let name = o.text_at(&["metadata", "name"]);
        return health(Status::Degraded, format!("Deployment \"{name}\" exceeded its progress deadline"));
    }
    let (updated, all) = (int(o, &["status", "updatedReplicas"]), int(o, &["status", "replicas"]));
    let available = int(o, &["status", "availableReplicas"]);
    match o.int_at(&["spec", "replicas"]) {
        Some(wanted) if updated < wanted => {
            health(Status::Progressing, format!("{wait} {updated} out of {wanted} new replicas have been updated..."))
        }
        _ if all > updated => {
            health(Status::Progressing, format!("{wait} {} old replicas are pending termination...", all - updated))
        }
        _ if available < updated => {
            health(Status::Progressing, format!("{wait} {available} of {updated} updated replicas are available..."))
        }
        _ => health(Status::Healthy, ""),
    }
}

fn stateful_set(o: &Json) -> Option<Health> {
    if int(o, &["status", "observedGeneration"]) == 0 || stale(o) {
        return health(Status::Progressing, "Waiting for statefulset spec update to be observed...");
    }
    let status = |key: &str| int(o, &["status", key]);
    if let Some(wanted) = o.int_at(&["spec", "replicas"]).filter(|w| status("readyReplicas") < *w) {
        return health(
            Status::Progressing,
            format!("Waiting for {} pods to be ready...", wanted - status("readyReplicas")),
        );
    }
    let strategy = o.text_at(&["spec", "updateStrategy", "type"]);
    if strategy == "RollingUpdate" && o.at(&["spec", "updateStrategy", "rollingUpdate"]).is_some() {
        let partition = o.int_at(&["spec", "updateStrategy", "rollingUpdate", "partition"]);
        if let (Some(replicas), Some(partition)) = (o.int_at(&["spec", "replicas"]), partition) {
            let (updated, wanted) = (status("updatedReplicas"), replicas - partition);
            if updated < wanted {
                return health(
                    Status::Progressing,
                    format!(
                        "Waiting for partitioned roll out to finish: {updated} out of {wanted} new pods have been updated..."
                    ),
                );
            }
        }
        let updated = status("updatedReplicas");
        return health(
            Status::Healthy,
            format!("partitioned roll out complete: {updated} new pods have been updated..."),
        );
    }
    if strategy == "OnDelete" {
        return health(Status::Healthy, format!("statefulset has {} ready pods", status("readyReplicas")));
    }
    let (update, current) = (o.text_at(&["status", "updateRevision"]), o.text_at(&["status", "currentRevision"]));
    if update != current {
        let updated = status("updatedReplicas");
        return health(
            Status::Progressing,
            format!("waiting for statefulset rolling update to complete {updated} pods at revision {update}..."),
        );
    }
    let pods = status("currentReplicas");
    health(Status::Healthy, format!("statefulset rolling update complete {pods} pods at revision {current}..."))
}

fn daemon_set(o: &Json) -> Option<Health> {
    if stale(o) {
        return health(
            Status::Progressing,
            "Waiting for rollout to finish: observed daemon set generation less than desired generation",
        );
    }
    let status = |key: &str| int(o, &["status", key]);
    let (updated, wanted) = (status("updatedNumberScheduled"), status("desiredNumberScheduled"));
    let (available, name) = (status("numberAvailable"), o.text_at(&["metadata", "name"]));
    let wait = format!("Waiting for daemon set \"{name}\" rollout to finish:");
    if o.text_at(&["spec", "updateStrategy", "type"]) == "OnDelete" {
        health(Status::Healthy, format!("daemon set {updated} out of {wanted} new pods have been updated"))
    } else if updated < wanted {
        health(Status::Progressing, format!("{wait} {updated} out of {wanted} new pods have been updated..."))
    } else if available < wanted {
        health(Status::Progressing, format!("{wait} {available} of {wanted} updated pods are available..."))
    } else {
        health(Status::Healthy, "")
    }
}

fn replica_set(o: &Json) -> Option<Health> {
    let wait = "Waiting for rollout to finish:";
    if stale(o) {
        return health(
            Status::Progressing,
            format!("{wait} observed replica set generation less than desired generation"),
        );
    }
    let conditions = o.items_at(&["status", "conditions"]);
    if let Some(c) =
        conditions.iter().find(|c| c.text_at(&["type"]) == "ReplicaFailure" && c.text_at(&["status"]) == "True")
    {
        return health(Status::Degraded, c.text_at(&["message"]));
    }
    let available = int(o, &["status", "availableReplicas"]);
    match o.int_at(&["spec", "replicas"]) {
        Some(wanted) if available < wanted => {
            health(Status::Progressing, format!("{wait} {available} out of {wanted} new replicas are available..."))
        }
        _ => health(Status::Healthy, ""),
    }
}

fn pod(o: &Json) -> Option<Health> {
    let policy = o.text_at(&["spec", "restartPolicy"]);
    let containers = o.items_at(&["status", "containerStatuses"]);
    if policy == "Always" {
        let stuck: Vec<&str> = containers
            .iter()
            .filter(|c| {
                let reason = c.text_at(&["state", "waiting", "reason"]);
                reason.starts_with("Err") || reason.ends_with("Error") || reason.ends_with("BackOff")
            })
            .map(|c| c.text_at(&["state", "waiting", "message"]))
            .collect();
        if !stuck.is_empty() {
            return health(Status::Degraded, stuck.join(", "));
        }
    }
    let message = o.text_at(&["status", "message"]);
    match o.text_at(&["status", "phase"]) {
        "Pending" => health(Status::Progressing, message),
        "Succeeded" => health(Status::Healthy, message),
        "Failed" => {
            if !message.is_empty() {
                return health(Status::Degraded, message);
            }
            let init = o.items_at(&["status", "initContainerStatuses"]);
            for c in init.iter().chain(containers) {
                let Some(end) = c.at(&["state", "terminated"]) else { continue };
                let (said, code) = (end.text_at(&["message"]), int(end, &["exitCode"]));
                if !said.is_empty() {
                    return health(Status::Degraded, said);
                }
                if end.text_at(&["reason"]) == "OOMKilled" {
                    return health(Status::Degraded, "OOMKilled");
                }
                if code != 0 {
                    let name = c.text_at(&["name"]);
                    return health(Status::Degraded, format!("container \"{name}\" failed with exit code {code}"));
                }
            }
            health(Status::Degraded, "")
        }
        "Running" => match policy {
            "Always" => {
                let ready = o
                    .items_at(&["status", "conditions"])
                    .iter()
                    .any(|c| c.text_at(&["type"]) == "Ready" && c.text_at(&["status"]) == "True");
                if ready {
                    health(Status::Healthy, message)
                } else if containers.iter().any(|c| c.at(&["lastState", "terminated"]).is_some()) {
                    health(Status::Degraded, message)
                } else {
                    health(Status::Progressing, message)
                }
            }
            "OnFailure" | "Never" => health(Status::Progressing, message),
            _ => health(Status::Unknown, message),
        },
        _ => health(Status::Unknown, message),
    }
}

fn job(o: &Json) -> Option<Health> {
    let (mut failed, mut complete, mut suspended, mut message) = (None, false, false, "");
    for c in o.items_at(&["status", "conditions"]) {
        match c.text_at(&["type"]) {
            "Failed" => failed = Some(c.text_at(&["message"])),
            "Complete" => (complete, message) = (true, c.text_at(&["message"])),
            "Suspended" => {
                (complete, message) = (true, c.text_at(&["message"]));
                suspended = suspended || c.text_at(&["status"]) == "True";
            }
            _ => {}
        }
    }
    match failed {
        Some(why) => health(Status::Degraded, why),
        None if suspended => health(Status::Suspended, ""),
        None if complete => health(Status::Healthy, message),
        None => health(Status::Progressing, ""),
    }
}

fn cron_job(o: &Json) -> Option<Health> {
    if o.at(&["spec", "suspend"]).and_then(Json::as_bool) == Some(true) {
        return health(Status::Healthy, "CronJob is Suspended");
    }
    let Some(status) = o.get("status") else { return health(Status::Progressing, "Waiting for CronJob") };
    let (scheduled, succeeded) = (status.text_at(&["lastScheduleTime"]), status.text_at(&["lastSuccessfulTime"]));
    if scheduled.is_empty() {
        return health(Status::Healthy, "CronJob has not been scheduled yet");
    }
    if succeeded.is_empty() {
        return health(Status::Healthy, "The CronJob never completed successfully. It may not be healthy");
    }
    if !status.items_at(&["active"]).is_empty() {
        return health(Status::Healthy, "The job is running. Its last execution may not have been successful");
    }
    if succeeded < scheduled {
        return health(Status::Degraded, "CronJob has not completed its last execution successfully");
    }
    health(Status::Healthy, "CronJob has completed its last execution successfully")
}

fn claim(o: &Json) -> Option<Health> {
    let status = match o.text_at(&["status", "phase"]) {
        "Lost" => Status::Degraded,
        "Pending" => Status::Progressing,
        "Bound" => Status::Healthy,
        _ => Status::Unknown,
    };
    health(status, "")
}

fn addressed(o: &Json) -> Status {
    if o.items_at(&["status", "loadBalancer", "ingress"]).is_empty() { Status::Progressing } else { Status::Healthy }
}

fn service(o: &Json) -> Option<Health> {
    let balanced = o.text_at(&["spec", "type"]) == "LoadBalancer";
    health(if balanced { addressed(o) } else { Status::Healthy }, "")
}

fn ingress(o: &Json) -> Option<Health> {
    health(addressed(o), "")
}

fn autoscaler(o: &Json) -> Option<Health> {
    let conditions = o.items_at(&["status", "conditions"]);
    let degraded = |c: &Json| match c.text_at(&["type"]) {
        "AbleToScale" => matches!(c.text_at(&["reason"]), "FailedGetScale" | "FailedUpdateScale"),
        "ScalingActive" => matches!(
            c.text_at(&["reason"]),
            "FailedGetResourceMetric"
                | "FailedGetObjectMetric"
                | "FailedGetPodsMetric"
                | "FailedGetExternalMetric"
                | "FailedComputeMetricsReplicas"
                | "InvalidSelector"
        ),
        _ => false,
    };
    if let Some(c) = conditions.iter().find(|c| degraded(c)) {
        return health(Status::Degraded, c.text_at(&["message"]));
    }
    let able = |c: &&Json| {
        matches!(c.text_at(&["type"]), "AbleToScale" | "ScalingLimited") && c.text_at(&["status"]) == "True"
    };
    match conditions.iter().find(able) {
        Some(c) => health(Status::Healthy, c.text_at(&["message"])),
        None => health(Status::Progressing, "Waiting to Autoscale"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> (Status, String) {
        let found = of(&Json::parse(text).unwrap()).unwrap();
        (found.status, found.message.to_string())
    }

    #[test]
    fn deployment_words() {
        let base = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"w","generation":1},"spec":{"replicas":2},"#;
        let with = |status: &str| check(&format!("{base}\"status\":{status}}}"));
        assert_eq!(
            with("{}"),
            (
                Status::Progressing,
                "Waiting for rollout to finish: observed deployment generation less than desired generation".into()
            )
        );
        assert_eq!(
            with(r#"{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"availableReplicas":1}"#).1,
            "Waiting for rollout to finish: 1 of 2 updated replicas are available..."
        );
        assert_eq!(
            with(r#"{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"availableReplicas":2}"#),
            (Status::Healthy, String::new())
        );
    }

    #[test]
    fn an_app_whose_objects_are_all_absent_is_missing() {
        let cm = Json::parse(r#"{"apiVersion":"v1","kind":"ConfigMap"}"#).unwrap();
        assert_eq!(aggregate([None, None]), Status::Missing);
        assert_eq!(aggregate([None, Some(&cm)]), Status::Healthy);
        assert_eq!(aggregate([]), Status::Healthy);
    }
}
