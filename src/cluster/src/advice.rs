//! Warnings about pod specs that are allowed but hardly meant.

use base::Json;

/// Volume types that have no effect any more, and since when.
const GONE: &str = "cephfs deprecated in v1.28, non-functional in v1.31+
flocker deprecated in v1.22, non-functional in v1.25+
gitRepo deprecated in v1.11, and disabled by default in v1.33+
glusterfs deprecated in v1.25, non-functional in v1.26+
photonPersistentDisk deprecated in v1.11, non-functional in v1.16+
quobyte deprecated in v1.22, non-functional in v1.25+
scaleIO deprecated in v1.16, non-functional in v1.22+
storageOS deprecated in v1.22, non-functional in v1.25+
rbd deprecated in v1.28, non-functional in v1.31+";

/// Warns about the pod spec in an object of this kind.
pub(crate) fn warn(kind: &str, object: &Json, warnings: &mut Vec<String>) {
    let path: &[&str] = match kind {
        "Pod" => &["spec"],
        "PodTemplate" => &["template", "spec"],
        "CronJob" => &["spec", "jobTemplate", "spec", "template", "spec"],
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "ReplicationController" => {
            &["spec", "template", "spec"]
        }
        _ => return,
    };
    let Some(spec) = object.at(path) else { return };
    let at = path.join(".");
    for (i, spread) in spec.items_at(&["topologySpreadConstraints"]).iter().enumerate() {
        if spread.get("labelSelector").is_none_or(Json::is_null) {
            let words = "labelSelector: a null labelSelector results in matching no pod";
            warnings.push(format!("{at}.topologySpreadConstraints[{i}].{words}"));
        }
    }
    for (i, volume) in spec.items_at(&["volumes"]).iter().enumerate() {
        for (name, words) in GONE.lines().filter_map(|line| line.split_once(' ')) {
            if volume.get(name).is_some() {
                warnings.push(format!("{at}.volumes[{i}].{name}: {words}"));
            }
        }
        if volume.get("projected").is_some_and(|p| p.items_at(&["sources"]).is_empty()) {
            let name = volume.text_at(&["name"]);
            warnings.push(format!("volume \"{name}\" (Projected) has no sources provided"));
        }
    }
}
