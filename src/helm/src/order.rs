//! The order in which Helm applies kinds (`pkg/releaseutil/kind_sorter.go`), and with it the order of its output.

use crate::version::HelmVersion;
use std::cmp::Ordering;

const INSTALL: &[&str] = &[
    "PriorityClass",
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

/// Helm 4 knows two more, last.
const INSTALL_V4: &[&str] = &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

fn rank(kind: &str, version: HelmVersion) -> Option<usize> {
    let known = INSTALL.iter().position(|known| *known == kind);
    known.or_else(|| {
        let at = INSTALL_V4.iter().position(|known| *known == kind && version.is_v4())?;
        Some(INSTALL.len() + at)
    })
}

/// Compares two kinds for a stable sort: known kinds in install order, unknown ones after them by name.
pub fn compare(a: &str, b: &str, version: HelmVersion) -> Ordering {
    match (rank(a, version), rank(b, version)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_kinds_come_last_by_name() {
        let mut kinds = vec!["Zebra", "Deployment", "", "Service", "Apple", "Namespace"];
        kinds.sort_by(|a, b| compare(a, b, HelmVersion::V3));
        assert_eq!(kinds, ["Namespace", "Service", "Deployment", "", "Apple", "Zebra"]);
    }
}
