//! Resource trees: the Application, what it applied, and what controllers made below.

use super::{group_of, since_text};
use base::SortedMap;
use base::{Json, Time};
use protocol::{NodeView, TreeView};
use std::collections::BTreeSet;

/// The trees of these Applications over the objects of the cluster.
pub(crate) fn trees(applications: &[Json], objects: &[Json], start: Time) -> Vec<TreeView> {
    let mut children: SortedMap<&str, Vec<&Json>> = SortedMap::new();
    for object in objects {
        for owner in object.items_at(&["metadata", "ownerReferences"]) {
            children.entry(owner.text_at(&["uid"])).or_default().push(object);
        }
    }
    applications.iter().map(|app| tree(app, objects, &children, start)).collect()
}

fn tree(app: &Json, objects: &[Json], children: &SortedMap<&str, Vec<&Json>>, start: Time) -> TreeView {
    let name = app.text_at(&["metadata", "name"]);
    let root = app.text_at(&["metadata", "uid"]);
    let mut nodes = vec![NodeView {
        health: app.text_at(&["status", "health", "status"]).to_string(),
        sync: app.text_at(&["status", "sync", "status"]).to_string(),
        ..node(app, "", start)
    }];
    let mut seen = BTreeSet::from([root]);
    let mut stack: Vec<(&Json, &str)> = Vec::new();
    for resource in app.items_at(&["status", "resources"]).iter().rev() {
        let live = objects.iter().find(|object| {
            object.text_at(&["kind"]) == resource.text_at(&["kind"])
                && group_of(object) == resource.text_at(&["group"])
                && object.text_at(&["metadata", "namespace"]) == resource.text_at(&["namespace"])
                && object.text_at(&["metadata", "name"]) == resource.text_at(&["name"])
        });
        if let Some(live) = live {
            stack.push((live, root));
        }
    }
    while let Some((object, parent)) = stack.pop() {
        let uid = object.text_at(&["metadata", "uid"]);
        if !seen.insert(uid) {
            continue;
        }
        let mut view = node(object, parent, start);
        if let Some(resource) = resource_of(app, object) {
            view.sync = resource.text_at(&["status"]).to_string();
            view.health = resource.text_at(&["health", "status"]).to_string();
        }
        if view.health.is_empty() {
            view.health = crate::engine::health(object);
        }
        nodes.push(view);
        for child in children.get(uid).into_iter().flatten().rev() {
            stack.push((child, uid));
        }
    }
    TreeView { app: name.to_string(), nodes }
}

fn resource_of<'a>(app: &'a Json, object: &Json) -> Option<&'a Json> {
    app.items_at(&["status", "resources"]).iter().find(|resource| {
        resource.text_at(&["kind"]) == object.text_at(&["kind"])
            && resource.text_at(&["group"]) == group_of(object)
            && resource.text_at(&["name"]) == object.text_at(&["metadata", "name"])
            && resource.text_at(&["namespace"]) == object.text_at(&["metadata", "namespace"])
    })
}

fn node(object: &Json, parent: &str, start: Time) -> NodeView {
    NodeView {
        id: object.text_at(&["metadata", "uid"]).to_string(),
        parent: parent.to_string(),
        group: group_of(object).to_string(),
        kind: object.text_at(&["kind"]).to_string(),
        namespace: object.text_at(&["metadata", "namespace"]).to_string(),
        name: object.text_at(&["metadata", "name"]).to_string(),
        info: info(object),
        created: since_text(start, object.text_at(&["metadata", "creationTimestamp"])).unwrap_or_default(),
        ..NodeView::default()
    }
}

/// The one line that Argo CD's tree shows beside an object.
fn info(object: &Json) -> String {
    let revision = object.text_at(&["metadata", "annotations", "deployment.kubernetes.io/revision"]);
    let ready = || {
        let ready = object.int_at(&["status", "readyReplicas"]).unwrap_or(0);
        format!("{ready}/{}", object.int_at(&["spec", "replicas"]).unwrap_or(1))
    };
    match object.text_at(&["kind"]) {
        "ReplicaSet" if !revision.is_empty() => format!("rev:{revision} · {}", ready()),
        "Deployment" | "ReplicaSet" | "StatefulSet" => ready(),
        "Pod" => pod_info(object),
        _ => String::new(),
    }
}

/// Phase and ready containers of a pod, as `kubectl get pods` words them.
fn pod_info(pod: &Json) -> String {
    let containers = pod.items_at(&["spec", "containers"]).len();
    let statuses = pod.items_at(&["status", "containerStatuses"]);
    let ready = statuses.iter().filter(|s| s.get("ready").and_then(Json::as_bool) == Some(true)).count();
    let waiting = statuses.iter().map(|s| s.text_at(&["state", "waiting", "reason"])).find(|reason| !reason.is_empty());
    let state = if pod.at(&["metadata", "deletionTimestamp"]).is_some() {
        "Terminating"
    } else {
        waiting.unwrap_or(pod.text_at(&["status", "phase"]))
    };
    format!("{state} · {ready}/{containers}")
}
