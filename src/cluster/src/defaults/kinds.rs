//! Defaults of the built-in kinds other than pods.

use super::pod::pod_spec;
use super::{default, each, empty, within};
use base::Json;

/// Fills in an object of a built-in kind.
pub(crate) fn fill(kind: &str, object: &mut Json) {
    match kind {
        "Pod" => within(object, "spec", |spec| pod_spec(spec, true)),
        "PodTemplate" => template(object),
        "Deployment" => within(object, "spec", |spec| {
            template(spec);
            default(spec, "replicas", || Json::Int(1));
            within(spec, "strategy", |strategy| {
                default(strategy, "type", || "RollingUpdate".into());
                if strategy.text_at(&["type"]) == "RollingUpdate" {
                    default(strategy, "rollingUpdate", empty);
                    within(strategy, "rollingUpdate", |rolling| {
                        default(rolling, "maxUnavailable", || "25%".into());
                        default(rolling, "maxSurge", || "25%".into());
                    });
                }
            });
            default(spec, "revisionHistoryLimit", || Json::Int(10));
            default(spec, "progressDeadlineSeconds", || Json::Int(600));
        }),
        "ReplicaSet" => within(object, "spec", |spec| {
            template(spec);
            default(spec, "replicas", || Json::Int(1));
        }),
        "ReplicationController" => {
            within(object, "spec", |spec| {
                template(spec);
                default(spec, "replicas", || Json::Int(1));
                let labels = spec.at(&["template", "metadata", "labels"]).cloned();
                if let Some(labels) = labels {
                    default(spec, "selector", || labels);
                }
            });
            labels_from_template(object);
        }
        "StatefulSet" => within(object, "spec", stateful_set),
        "DaemonSet" => {
            const TEMPLATES: &[&str] = &["metadata", "annotations", "deprecated.daemonset.template.generation"];
            if object.at(TEMPLATES).is_none() {
                object.set(TEMPLATES, "1".into());
            }
            within(object, "spec", daemon_set);
        }
        "Job" => {
            within(object, "spec", job_spec);
            within(object, "spec", |spec| default(spec, "manualSelector", || Json::Bool(false)));
            labels_from_template(object);
        }
        "CronJob" => within(object, "spec", |spec| {
            default(spec, "concurrencyPolicy", || "Allow".into());
            default(spec, "suspend", || Json::Bool(false));
            default(spec, "successfulJobsHistoryLimit", || Json::Int(3));
            default(spec, "failedJobsHistoryLimit", || Json::Int(1));
            within(spec, "jobTemplate", |job| within(job, "spec", template));
        }),
        "Service" => service(object),
        "Secret" => secret(object),
        "Namespace" => {
            let name = object.text_at(&["metadata", "name"]).to_string();
            object.set(&["metadata", "labels", "kubernetes.io/metadata.name"], Json::str(name));
        }
        "PersistentVolumeClaim" => within(object, "spec", |s| default(s, "volumeMode", || "Filesystem".into())),
        "HorizontalPodAutoscaler" => within(object, "spec", |spec| {
            default(spec, "minReplicas", || Json::Int(1));
            default(spec, "metrics", || {
                let target = Json::map([("type", Json::str("Utilization")), ("averageUtilization", Json::Int(80))]);
                let cpu = Json::map([("name", Json::str("cpu")), ("target", target)]);
                Json::list([Json::map([("type", Json::str("Resource")), ("resource", cpu)])])
            });
        }),
        "NetworkPolicy" => within(object, "spec", |spec| {
            let types: Vec<Json> = if spec.items_at(&["egress"]).is_empty() {
                vec!["Ingress".into()]
            } else {
                vec!["Ingress".into(), "Egress".into()]
            };
            default(spec, "policyTypes", || Json::list(types));
            for rules in ["ingress", "egress"] {
                each(spec, rules, |rule| each(rule, "ports", |port| default(port, "protocol", || "TCP".into())));
            }
        }),
        "RoleBinding" | "ClusterRoleBinding" => {
            const GROUP: &str = "rbac.authorization.k8s.io";
            within(object, "roleRef", |role| {
                if role.text_at(&["apiGroup"]).is_empty() {
                    role.set(&["apiGroup"], GROUP.into());
                }
            });
            each(object, "subjects", |subject| {
                if matches!(subject.text_at(&["kind"]), "User" | "Group") {
                    default(subject, "apiGroup", || GROUP.into());
                }
            });
        }
        "StorageClass" => {
            default(object, "reclaimPolicy", || "Delete".into());
            default(object, "volumeBindingMode", || "Immediate".into());
        }
        "PriorityClass" => default(object, "preemptionPolicy", || "PreemptLowerPriority".into()),
        "CustomResourceDefinition" => within(object, "spec", |spec| {
            default(spec, "conversion", || Json::map([("strategy", Json::str("None"))]));
        }),
        "LimitRange" => within(object, "spec", |spec| each(spec, "limits", limits)),
        _ => {}
    }
}

fn template(owner: &mut Json) {
    within(owner, "template", |template| within(template, "spec", |spec| pod_spec(spec, false)));
}

fn labels_from_template(object: &mut Json) {
    let labels = object.at(&["spec", "template", "metadata", "labels"]).cloned();
    if let Some(labels) = labels
        && object.at(&["metadata", "labels"]).is_none()
    {
        object.set(&["metadata", "labels"], labels);
    }
}

fn daemon_set(spec: &mut Json) {
    template(spec);
    within(spec, "updateStrategy", |strategy| {
        default(strategy, "type", || "RollingUpdate".into());
        if strategy.text_at(&["type"]) == "RollingUpdate" {
            default(strategy, "rollingUpdate", empty);
            within(strategy, "rollingUpdate", |rolling| {
                default(rolling, "maxUnavailable", || Json::Int(1));
                default(rolling, "maxSurge", || Json::Int(0));
            });
        }
    });
    default(spec, "revisionHistoryLimit", || Json::Int(10));
}

fn stateful_set(spec: &mut Json) {
    template(spec);
    default(spec, "replicas", || Json::Int(1));
    default(spec, "podManagementPolicy", || "OrderedReady".into());
    within(spec, "updateStrategy", |strategy| {
        default(strategy, "type", || "RollingUpdate".into());
        if strategy.text_at(&["type"]) == "RollingUpdate" {
            default(strategy, "rollingUpdate", empty);
            within(strategy, "rollingUpdate", |rolling| default(rolling, "partition", || Json::Int(0)));
        }
    });
    default(spec, "revisionHistoryLimit", || Json::Int(10));
    default(spec, "persistentVolumeClaimRetentionPolicy", empty);
    within(spec, "persistentVolumeClaimRetentionPolicy", |policy| {
        default(policy, "whenDeleted", || "Retain".into());
        default(policy, "whenScaled", || "Retain".into());
    });
    each(spec, "volumeClaimTemplates", |claim| {
        claim.set(&["apiVersion"], "v1".into());
        claim.set(&["kind"], "PersistentVolumeClaim".into());
        within(claim, "spec", |s| default(s, "volumeMode", || "Filesystem".into()));
        claim.set(&["status", "phase"], "Pending".into());
    });
}

fn job_spec(spec: &mut Json) {
    template(spec);
    if spec.get("completions").is_none() && spec.get("parallelism").is_none() {
        default(spec, "completions", || Json::Int(1));
    }
    default(spec, "parallelism", || Json::Int(1));
    let per_index = spec.get("backoffLimitPerIndex").is_some_and(|v| !v.is_null());
    default(spec, "backoffLimit", || Json::Int(if per_index { i64::from(i32::MAX) } else { 6 }));
    default(spec, "completionMode", || "NonIndexed".into());
    default(spec, "suspend", || Json::Bool(false));
    let policed = spec.get("podFailurePolicy").is_some_and(|v| !v.is_null());
    default(spec, "podReplacementPolicy", || if policed { "Failed" } else { "TerminatingOrFailed" }.into());
    within(spec, "podFailurePolicy", |policy| {
        each(policy, "rules", |rule| each(rule, "onPodConditions", |c| default(c, "status", || "True".into())));
    });
}

fn service(object: &mut Json) {
    within(object, "spec", |spec| {
        default(spec, "sessionAffinity", || "None".into());
        default(spec, "type", || "ClusterIP".into());
        if spec.text_at(&["sessionAffinity"]) == "ClientIP" && spec.at(&["sessionAffinityConfig", "clientIP"]).is_none()
        {
            spec.set(&["sessionAffinityConfig", "clientIP", "timeoutSeconds"], Json::Int(10_800));
        }
        each(spec, "ports", |port| {
            default(port, "protocol", || "TCP".into());
            let target = port.get("targetPort");
            if target.is_none() || target.is_some_and(|t| t.as_int() == Some(0) || t.as_str() == Some("")) {
                let number = port.get("port").cloned().unwrap_or_default();
                port.set(&["targetPort"], number);
            }
        });
        let kind = spec.text_at(&["type"]).to_string();
        if matches!(kind.as_str(), "NodePort" | "LoadBalancer") || !spec.items_at(&["externalIPs"]).is_empty() {
            default(spec, "externalTrafficPolicy", || "Cluster".into());
        }
        if matches!(kind.as_str(), "ClusterIP" | "NodePort" | "LoadBalancer") {
            default(spec, "internalTrafficPolicy", || "Cluster".into());
        }
        if kind == "LoadBalancer" {
            default(spec, "allocateLoadBalancerNodePorts", || Json::Bool(true));
        }
    });
}

/// `stringData` is written only: its texts go into `data` as base64.
fn secret(object: &mut Json) {
    default(object, "type", || "Opaque".into());
    if let Some(Json::Map(texts)) = object.remove(&["stringData"]) {
        for (key, text) in texts.iter() {
            object.set(&["data", key], Json::str(base64(text.as_str().unwrap_or("").as_bytes())));
        }
    }
}

fn limits(item: &mut Json) {
    if item.text_at(&["type"]) != "Container" {
        return;
    }
    let fallback = |item: &mut Json, to: &str, from: &str| {
        for (name, value) in item.get(from).and_then(Json::as_map).cloned().into_iter().flatten() {
            if item.at(&[to, &name]).is_none() {
                item.set(&[to, &name], value);
            }
        }
    };
    fallback(item, "default", "max");
    fallback(item, "defaultRequest", "default");
    fallback(item, "defaultRequest", "min");
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let n = chunk.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = DIGITS[(n >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}
