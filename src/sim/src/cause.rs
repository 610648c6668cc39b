//! Why an object is not yet what somebody waits for, with figures: read from the object and what belongs to it.

use argocd::ObjectKey;
use base::Json;
use cluster::Cluster;
use std::rc::Rc;

/// One reason, for machines; the page has the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Stable key, such as `cause-available`.
    pub key: &'static str,
    /// Figures and names that the words mention, in order.
    pub args: Vec<Rc<str>>,
}

impl Cause {
    fn new<const N: usize>(key: &'static str, args: [String; N]) -> Cause {
        Cause { key, args: args.into_iter().map(Rc::from).collect() }
    }
}

/// The reasons, most telling first.
pub(crate) fn causes(key: &ObjectKey, cluster: &Cluster) -> Vec<Cause> {
    let objects = cluster.objects((!key.namespace.is_empty()).then_some(&*key.namespace));
    let mine =
        |object: &Json| object.text_at(&["kind"]) == &*key.kind && object.text_at(&["metadata", "name"]) == &*key.name;
    let Some(object) = objects.iter().map(|(_, object)| object).find(|object| mine(object)) else { return Vec::new() };
    let mut out = Vec::new();
    let status = |path: &str| object.int_at(&["status", path]).unwrap_or(0);
    match &*key.kind {
        "Deployment" | "StatefulSet" | "ReplicaSet" => {
            let wanted = object.int_at(&["spec", "replicas"]).unwrap_or(1);
            let there = if &*key.kind == "Deployment" { status("availableReplicas") } else { status("readyReplicas") };
            out.push(Cause::new("cause-available", [there.to_string(), wanted.to_string()]));
        }
        "DaemonSet" => {
            let figures = [status("numberAvailable").to_string(), status("desiredNumberScheduled").to_string()];
            out.push(Cause::new("cause-available", figures));
        }
        "Job" => {
            let wanted = object.int_at(&["spec", "completions"]).unwrap_or(1);
            out.push(Cause::new("cause-job", [status("succeeded").to_string(), wanted.to_string()]));
            if status("failed") > 0 {
                out.push(Cause::new("cause-job-failed", [status("failed").to_string()]));
            }
        }
        "Service" if object.text_at(&["spec", "type"]) == "LoadBalancer" => out.push(Cause::new("cause-address", [])),
        "Ingress" => out.push(Cause::new("cause-address", [])),
        "PersistentVolumeClaim" => out.push(Cause::new("cause-unbound", [])),
        _ => {}
    }
    let template = object.at(&["spec", "template", "spec"]);
    for container in template.map(|spec| spec.items_at(&["containers"])).unwrap_or_default() {
        let Some(probe) = container.get("readinessProbe") else { continue };
        let delay = probe.int_at(&["initialDelaySeconds"]).unwrap_or(0);
        out.push(Cause::new("cause-probe", [container.text_at(&["name"]).to_string(), delay.to_string()]));
    }
    let selector = object.at(&["spec", "selector", "matchLabels"]).and_then(Json::as_map);
    for (_, pod) in objects.iter().filter(|(_, pod)| pod.text_at(&["kind"]) == "Pod") {
        let labels = pod.at(&["metadata", "labels"]).cloned().unwrap_or_default();
        let owned =
            selector.is_some_and(|s| !s.is_empty() && s.iter().all(|(key, value)| labels.get(key) == Some(value)));
        if !owned {
            continue;
        }
        for container in pod.items_at(&["status", "containerStatuses"]) {
            let reason = container.text_at(&["state", "waiting", "reason"]);
            if !matches!(reason, "" | "ContainerCreating" | "PodInitializing") {
                let message = container.text_at(&["state", "waiting", "message"]);
                out.push(Cause::new("cause-waiting", [reason.to_string(), message.to_string()]));
            }
        }
    }
    out.dedup();
    out
}
