//! The transformers: each changes some fields of some objects, and notes what it did.

use crate::file::Labels;
use crate::history::Resource;
use crate::image::Image;
use base::{Json, Map};
use std::rc::Rc;

/// Kinds whose objects live in no namespace, as kustomize's built-in schema knows them.
const CLUSTER_SCOPED: [&str; 21] = [
    "APIService",
    "CSIDriver",
    "CSINode",
    "CertificateSigningRequest",
    "ClusterRole",
    "ClusterRoleBinding",
    "ComponentStatus",
    "CustomResourceDefinition",
    "FlowSchema",
    "IngressClass",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PodSecurityPolicy",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "RuntimeClass",
    "StorageClass",
    "ValidatingWebhookConfiguration",
    "VolumeAttachment",
];
/// Nesting in which images are looked for.
const DEPTH: usize = 48;

fn kind(resource: &Resource) -> &str {
    resource.object.text_at(&["kind"])
}

/// `namespace`
pub(crate) fn namespace(resources: &mut [Resource], namespace: &Rc<str>, step: usize) {
    for resource in resources {
        if kind(resource) == "Namespace" {
            resource.set(&["metadata", "name"], Json::Str(namespace.clone()), step);
        } else if !CLUSTER_SCOPED.contains(&kind(resource)) {
            resource.set(&["metadata", "namespace"], Json::Str(namespace.clone()), step);
        }
        let binding = matches!(kind(resource), "RoleBinding" | "ClusterRoleBinding");
        let subjects = if binding { resource.object.items_at(&["subjects"]).to_vec() } else { Vec::new() };
        for (i, subject) in subjects.iter().enumerate() {
            if subject.text_at(&["name"]) == "default" {
                resource.set(&["subjects", &i.to_string(), "namespace"], Json::Str(namespace.clone()), step);
            }
        }
    }
}

/// `namePrefix` and `nameSuffix`
pub(crate) fn rename(resources: &mut [Resource], to: &dyn Fn(&str) -> String, step: usize) {
    for resource in resources {
        if matches!(kind(resource), "Namespace" | "CustomResourceDefinition" | "APIService") {
            continue;
        }
        let name = resource.object.text_at(&["metadata", "name"]).to_string();
        resource.set(&["metadata", "name"], Json::str(to(&name)), step);
        resource.names.push(name.into());
    }
}

/// `labels` and `commonLabels`
pub(crate) fn labels(resources: &mut [Resource], labels: &Labels, step: usize) {
    for resource in resources {
        let mut places: Vec<&[&str]> = vec![&["metadata", "labels"]];
        let template: &[&[&str]] = match kind(resource) {
            "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet" | "Job" | "ReplicationController" => {
                &[&["spec", "template", "metadata", "labels"]]
            }
            "CronJob" => &[
                &["spec", "jobTemplate", "metadata", "labels"],
                &["spec", "jobTemplate", "spec", "template", "metadata", "labels"],
            ],
            _ => &[],
        };
        if labels.selectors || labels.templates {
            places.extend(template);
        }
        if labels.selectors {
            match kind(resource) {
                "Service" | "ReplicationController" => places.push(&["spec", "selector"]),
                "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet" => {
                    places.push(&["spec", "selector", "matchLabels"]);
                }
                "Job" if resource.object.at(&["spec", "selector", "matchLabels"]).is_some() => {
                    places.push(&["spec", "selector", "matchLabels"]);
                }
                "PodDisruptionBudget" if resource.object.at(&["spec", "selector", "matchLabels"]).is_some() => {
                    places.push(&["spec", "selector", "matchLabels"]);
                }
                "NetworkPolicy" if resource.object.at(&["spec", "podSelector", "matchLabels"]).is_some() => {
                    places.push(&["spec", "podSelector", "matchLabels"]);
                }
                _ => {}
            }
        }
        for place in places {
            for (key, value) in &labels.pairs {
                let path: Vec<&str> = place.iter().copied().chain([&**key]).collect();
                resource.set(&path, value.clone(), step);
            }
        }
    }
}

/// `commonAnnotations`
pub(crate) fn annotations(resources: &mut [Resource], pairs: &Map, step: usize) {
    for resource in resources {
        let mut places: Vec<&[&str]> = vec![&["metadata", "annotations"]];
        match kind(resource) {
            "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet" | "Job" | "ReplicationController" => {
                places.push(&["spec", "template", "metadata", "annotations"]);
            }
            "CronJob" => {
                places.push(&["spec", "jobTemplate", "metadata", "annotations"]);
                places.push(&["spec", "jobTemplate", "spec", "template", "metadata", "annotations"]);
            }
            _ => {}
        }
        for place in places {
            for (key, value) in pairs {
                let path: Vec<&str> = place.iter().copied().chain([&**key]).collect();
                resource.set(&path, value.clone(), step);
            }
        }
    }
}

/// `replicas`; false when no object has the name.
pub(crate) fn replicas(resources: &mut [Resource], name: &str, count: i64, step: usize) -> bool {
    let kinds = ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"];
    let mut any = false;
    for resource in resources.iter_mut().filter(|r| kinds.contains(&kind(r)) && r.was_called(name)) {
        any = true;
        resource.set(&["spec", "replicas"], Json::Int(count), step);
    }
    any
}

/// `images`, wherever a list of containers stands.
pub(crate) fn images(resources: &mut [Resource], image: &Image, step: usize) {
    for resource in resources.iter_mut().filter(|r| kind(r) != "CustomResourceDefinition") {
        let mut found = Vec::new();
        look(&resource.object, &mut Vec::new(), &mut found, image);
        for (path, new) in found {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            resource.set(&path, Json::str(new), step);
        }
    }
}

fn look(node: &Json, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>, image: &Image) {
    if path.len() > DEPTH {
        return;
    }
    match node {
        Json::Map(members) => {
            for (key, value) in members.iter() {
                path.push(key.to_string());
                if matches!(&**key, "containers" | "initContainers") {
                    for (i, container) in value.as_list().unwrap_or(&[]).iter().enumerate() {
                        if let Some(new) = image.replace(container.text_at(&["image"])) {
                            let below = [i.to_string(), "image".to_string()];
                            found.push((path.iter().cloned().chain(below).collect(), new));
                        }
                    }
                } else {
                    look(value, path, found, image);
                }
                path.pop();
            }
        }
        Json::List(items) => {
            for (i, value) in items.iter().enumerate() {
                path.push(i.to_string());
                look(value, path, found, image);
                path.pop();
            }
        }
        _ => {}
    }
}
