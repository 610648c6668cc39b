//! Keys of objects and the texts that Argo CD makes of them.

use crate::tracking::split_api_version;
use base::Json;
use std::fmt;
use std::rc::Rc;

/// Names one object across versions; prints as `group/Kind/namespace/name`, empty parts staying empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// API group; empty for core.
    pub group: Rc<str>,
    /// Kind.
    pub kind: Rc<str>,
    /// Namespace; empty for cluster-scoped kinds.
    pub namespace: Rc<str>,
    /// Name.
    pub name: Rc<str>,
}

impl ObjectKey {
    /// The key of an object as written.
    pub fn of(object: &Json) -> ObjectKey {
        let (group, _) = split_api_version(object.text_at(&["apiVersion"]));
        ObjectKey {
            group: group.into(),
            kind: object.text_at(&["kind"]).into(),
            namespace: object.text_at(&["metadata", "namespace"]).into(),
            name: object.text_at(&["metadata", "name"]).into(),
        }
    }

    /// `group/Kind/name`, as waiting messages name an object.
    pub fn short(&self) -> String {
        format!("{}/{}/{}", self.group, self.kind, self.name)
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.group, self.kind, self.namespace, self.name)
    }
}

/// The API version (without the group) of an object.
pub fn version(object: &Json) -> &str {
    split_api_version(object.text_at(&["apiVersion"])).1
}

/// Images of a workload's (or pod's) containers, init containers first, as results list them; sorted, without doubles.
pub fn images(object: &Json) -> Vec<Rc<str>> {
    let kind = object.text_at(&["kind"]);
    let spec: &[&str] = match kind {
        "Pod" => &["spec"],
        "CronJob" => &["spec", "jobTemplate", "spec", "template", "spec"],
        _ => &["spec", "template", "spec"],
    };
    let Some(spec) = object.at(spec) else { return Vec::new() };
    let mut found: Vec<Rc<str>> = Vec::new();
    for list in ["initContainers", "containers"] {
        for container in spec.items_at(&[list]) {
            let image = container.text_at(&["image"]);
            if !image.is_empty() && !found.iter().any(|f| &**f == image) {
                found.push(image.into());
            }
        }
    }
    found
}

/// The UIDs of an object's owners.
pub fn owner_uids(object: &Json) -> Vec<Rc<str>> {
    object.items_at(&["metadata", "ownerReferences"]).iter().map(|o| Rc::from(o.text_at(&["uid"]))).collect()
}
