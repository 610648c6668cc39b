//! Defaults of pods and pod templates, and what admission adds to a new pod.

use super::{default, each, empty, within};
use base::Json;

/// Fills in a PodSpec; `pod` is false inside a template.
pub(super) fn pod_spec(spec: &mut Json, pod: bool) {
    default(spec, "restartPolicy", || "Always".into());
    default(spec, "terminationGracePeriodSeconds", || Json::Int(30));
    default(spec, "dnsPolicy", || "ClusterFirst".into());
    default(spec, "securityContext", empty);
    default(spec, "schedulerName", || "default-scheduler".into());
    if pod {
        default(spec, "enableServiceLinks", || Json::Bool(true));
    }
    // The old and the new name of the service account stand side by side.
    let (old, new) = (spec.text_at(&["serviceAccount"]).to_string(), spec.text_at(&["serviceAccountName"]).to_string());
    if !new.is_empty() {
        spec.set(&["serviceAccount"], Json::str(new));
    } else if !old.is_empty() {
        spec.set(&["serviceAccountName"], Json::str(old));
    }
    let host_network = spec.get("hostNetwork").and_then(Json::as_bool) == Some(true);
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        each(spec, list, |item| {
            container(item, host_network);
            if pod {
                requests(item);
            }
        });
    }
    each(spec, "volumes", volume);
}

fn container(item: &mut Json, host_network: bool) {
    default(item, "terminationMessagePath", || "/dev/termination-log".into());
    default(item, "terminationMessagePolicy", || "File".into());
    let policy = if is_latest(item.text_at(&["image"])) { "Always" } else { "IfNotPresent" };
    default(item, "imagePullPolicy", || policy.into());
    each(item, "ports", |port| {
        default(port, "protocol", || "TCP".into());
        if host_network && let Some(number) = port.get("containerPort").cloned() {
            default(port, "hostPort", || number);
        }
    });
    each(item, "env", |env| {
        within(env, "valueFrom", |from| within(from, "fieldRef", |r| default(r, "apiVersion", || "v1".into())));
    });
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        within(item, name, |probe| {
            default(probe, "timeoutSeconds", || Json::Int(1));
            default(probe, "periodSeconds", || Json::Int(10));
            default(probe, "successThreshold", || Json::Int(1));
            default(probe, "failureThreshold", || Json::Int(3));
            handler(probe);
        });
    }
    within(item, "lifecycle", |hooks| {
        within(hooks, "postStart", handler);
        within(hooks, "preStop", handler);
    });
    within(item, "securityContext", |context| {
        if context.text_at(&["procMount"]).is_empty() {
            context.remove(&["procMount"]);
        }
    });
}

/// Limits stand in for missing requests: in pods, not in templates.
fn requests(item: &mut Json) {
    within(item, "resources", |resources| {
        let limits = resources.get("limits").and_then(Json::as_map).cloned();
        for (name, limit) in limits.into_iter().flatten() {
            if resources.at(&["requests", &name]).is_none() {
                resources.set(&["requests", &name], limit);
            }
        }
    });
}

fn handler(node: &mut Json) {
    within(node, "httpGet", |get| {
        default(get, "path", || "/".into());
        default(get, "scheme", || "HTTP".into());
    });
    within(node, "grpc", |grpc| default(grpc, "service", || "".into()));
}

fn is_latest(image: &str) -> bool {
    if image.contains('@') {
        return false;
    }
    let last = image.rsplit('/').next().unwrap_or("");
    last.split_once(':').is_none_or(|(_, tag)| tag == "latest")
}

fn volume(volume: &mut Json) {
    if volume.as_map().is_some_and(|m| m.keys().all(|k| &**k == "name")) {
        volume.set(&["emptyDir"], empty());
    }
    for source in ["secret", "configMap", "downwardAPI", "projected"] {
        within(volume, source, |s| default(s, "defaultMode", || Json::Int(420)));
    }
    let field_refs = |node: &mut Json| {
        each(node, "items", |i| within(i, "fieldRef", |r| default(r, "apiVersion", || "v1".into())));
    };
    within(volume, "downwardAPI", field_refs);
    within(volume, "projected", |projected| {
        each(projected, "sources", |source| {
            within(source, "serviceAccountToken", |t| default(t, "expirationSeconds", || Json::Int(3600)));
            within(source, "downwardAPI", field_refs);
        });
    });
    within(volume, "hostPath", |h| default(h, "type", || "".into()));
    within(volume, "ephemeral", |e| {
        within(e, "volumeClaimTemplate", |t| within(t, "spec", |s| default(s, "volumeMode", || "Filesystem".into())));
    });
}

/// What the admission plugins add to a new pod: service account and its token volume, priority, tolerations. `suffix`
/// names the token volume.
pub(crate) fn admit_pod(pod: &mut Json, suffix: &str) {
    within(pod, "spec", |spec| {
        default(spec, "serviceAccountName", || "default".into());
        let account = spec.text_at(&["serviceAccountName"]).to_string();
        default(spec, "serviceAccount", || Json::str(account));
        if spec.get("automountServiceAccountToken").and_then(Json::as_bool) != Some(false) {
            mount_token(spec, &format!("kube-api-access-{suffix}"));
        }
        default(spec, "priority", || Json::Int(0));
        default(spec, "preemptionPolicy", || "PreemptLowerPriority".into());
        for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
            let tolerations = spec.items_at(&["tolerations"]);
            let covered = |t: &Json| {
                (t.text_at(&["key"]) == key || t.text_at(&["key"]).is_empty())
                    && matches!(t.text_at(&["effect"]), "" | "NoExecute")
            };
            if !tolerations.iter().any(covered) {
                let extra = Json::map([
                    ("key", Json::str(key)),
                    ("operator", "Exists".into()),
                    ("effect", "NoExecute".into()),
                    ("tolerationSeconds", Json::Int(300)),
                ]);
                let all = Json::list(tolerations.iter().cloned().chain([extra]));
                spec.set(&["tolerations"], all);
            }
        }
    });
}

fn mount_token(spec: &mut Json, name: &str) {
    const AT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
    let mut used = false;
    for list in ["initContainers", "containers"] {
        each(spec, list, |container| {
            let mounts = container.items_at(&["volumeMounts"]);
            if mounts.iter().any(|m| m.text_at(&["mountPath"]) == AT) {
                return;
            }
            let mount =
                Json::map([("name", Json::str(name)), ("readOnly", Json::Bool(true)), ("mountPath", Json::str(AT))]);
            let all = Json::list(mounts.iter().cloned().chain([mount]));
            container.set(&["volumeMounts"], all);
            used = true;
        });
    }
    if !used {
        return;
    }
    let token = Json::map([("expirationSeconds", Json::Int(3607)), ("path", "token".into())]);
    let item = Json::map([("key", Json::str("ca.crt")), ("path", "ca.crt".into())]);
    let authority = Json::map([("name", Json::str("kube-root-ca.crt")), ("items", Json::list([item]))]);
    let field = Json::map([("apiVersion", Json::str("v1")), ("fieldPath", "metadata.namespace".into())]);
    let downward = Json::map([("path", Json::str("namespace")), ("fieldRef", field)]);
    let sources = Json::list([
        Json::map([("serviceAccountToken", token)]),
        Json::map([("configMap", authority)]),
        Json::map([("downwardAPI", Json::map([("items", Json::list([downward]))]))]),
    ]);
    let projected = Json::map([("sources", sources), ("defaultMode", Json::Int(420))]);
    let volume = Json::map([("name", Json::str(name)), ("projected", projected)]);
    let all = Json::list(spec.items_at(&["volumes"]).iter().cloned().chain([volume]));
    spec.set(&["volumes"], all);
}

/// `status.qosClass` of a pod.
pub(crate) fn quality_class(pod: &Json) -> &'static str {
    let lists = ["containers", "initContainers"];
    let containers = lists.iter().flat_map(|list| pod.items_at(&["spec", list]));
    let (mut any, mut guaranteed) = (false, true);
    for container in containers {
        for resource in ["cpu", "memory"] {
            let limit = container.at(&["resources", "limits", resource]);
            let request = container.at(&["resources", "requests", resource]);
            any |= limit.is_some() || request.is_some();
            guaranteed &= limit.is_some() && limit == request;
        }
    }
    match (any, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}
