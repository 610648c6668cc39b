//! The order of sync tasks: phase, wave, kind, name, as gitops-engine sorts them.

use base::Json;

/// Annotation of the sync wave.
pub const WAVE_ANNOTATION: &str = "argocd.argoproj.io/sync-wave";

/// Kinds in the order in which they are applied within a wave; any other kind comes after them. The group is not
/// looked at.
const KINDS: [&str; 35] = [
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
];

/// The rank of a kind, lowest first.
pub fn kind_rank(kind: &str) -> usize {
    KINDS.iter().position(|k| *k == kind).unwrap_or(KINDS.len())
}

/// The wave of an object: its sync-wave, else its Helm hook weight (on any object), else 0. Text that is not a plain
/// decimal integer falls through.
pub fn wave(object: &Json) -> i64 {
    let read = |key: &str| decimal(object.at(&["metadata", "annotations", key])?.as_str()?);
    read(WAVE_ANNOTATION).or_else(|| read("helm.sh/hook-weight")).unwrap_or(0)
}

/// An optional sign and decimal digits, nothing else (Go's `Atoi`).
fn decimal(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(annotations: &str) -> Json {
        Json::parse(&format!(r#"{{"metadata":{{"annotations":{annotations}}}}}"#)).unwrap()
    }

    #[test]
    fn waves_as_atoi_reads_them() {
        for (text, want) in [("5", 5), ("-1", -1), ("+2", 2), (" 5", 0), ("1.5", 0), ("", 0), ("0x1", 0)] {
            assert_eq!(wave(&with(&format!(r#"{{"{WAVE_ANNOTATION}":"{text}"}}"#))), want, "{text:?}");
        }
        assert_eq!(wave(&with(r#"{"argocd.argoproj.io/sync-wave":"x","helm.sh/hook-weight":"3"}"#)), 3);
    }

    #[test]
    fn unknown_kinds_come_last() {
        assert!(kind_rank("ConfigMap") < kind_rank("Deployment"));
        assert!(kind_rank("APIService") < kind_rank("Widget"));
    }
}
