//! How Argo CD speaks to the cluster: kubectl's apply, replace and delete, with kubectl's words as messages.

use crate::object::ObjectKey;
use crate::reconcile;
use base::Json;
use cluster::{Cluster, Key, ObjectRef, Propagation, Status, Writer};

/// Field manager of everything that a sync applies.
pub const SYNC_MANAGER: &str = "argocd-controller";
/// Field manager of the controller's writes to Applications and Events.
pub const STATUS_MANAGER: &str = "argocd-application-controller";

/// The cluster's reference of a key.
pub(crate) fn reference(key: &ObjectKey) -> ObjectRef {
    ObjectRef::new(&key.group, &key.kind, &key.namespace, &key.name)
}

/// Where the cluster stores the object of a key; `None` for a kind that it does not serve.
pub(crate) fn store_key(cluster: &Cluster, key: &ObjectKey) -> Option<Key> {
    let resource = cluster.resource(&key.group, &key.kind)?;
    let namespace = if resource.namespaced { &*key.namespace } else { "" };
    Some(Key::new(&key.group, &resource.plural, namespace, &key.name))
}

/// The live object of a key.
pub(crate) fn live(cluster: &Cluster, key: &ObjectKey) -> Option<Json> {
    cluster.object(&store_key(cluster, key)?).cloned()
}

/// Whether objects of the kind live in namespaces; `None` for a kind that the cluster does not serve.
pub(crate) fn is_namespaced(cluster: &Cluster, group: &str, kind: &str) -> Option<bool> {
    Some(cluster.resource(group, kind)?.namespaced)
}

/// `deployment.apps/web`, `configmap/x`: how kubectl names an object that it worked on.
pub(crate) fn kubectl_name(key: &ObjectKey) -> String {
    let kind = key.kind.to_ascii_lowercase();
    if key.group.is_empty() { format!("{kind}/{}", key.name) } else { format!("{kind}.{}/{}", key.group, key.name) }
}

/// What discovery says about a target whose kind is not served, in Argo CD's words; `None` when it is served.
pub(crate) fn discovery_error(cluster: &Cluster, target: &Json) -> Option<String> {
    let (group, version) = crate::tracking::split_api_version(target.text_at(&["apiVersion"]));
    let kind = target.text_at(&["kind"]);
    let serves = |r: &cluster::Resource| &*r.version == version || r.other_versions.iter().any(|v| &**v == version);
    if cluster.resource(group, kind).is_some_and(|r| serves(r)) {
        return None;
    }
    let known = cluster.resources().any(|r| &*r.group == group && serves(r));
    Some(if known {
        format!("{kind}.{group} \"\" not found")
    } else {
        format!(
            "failed to discover server resources for group version {}: the server could not find the requested resource",
            target.text_at(&["apiVersion"])
        )
    })
}

/// Applies a target as kubectl does on the client side, and returns kubectl's line or the API's error.
pub(crate) fn apply(cluster: &mut Cluster, target: &Json, dry_run: bool) -> Result<String, String> {
    let key = ObjectKey::of(target);
    if key.name.is_empty() {
        return Err("error: resource name may not be empty".to_string());
    }
    let mut writer = Writer::new(SYNC_MANAGER);
    writer.dry_run = dry_run;
    let mut report = String::new();
    if !dry_run && let Some(done) = reconcile::reconcile(cluster, target) {
        report = done?;
    }
    let before = live(cluster, &key);
    let lives = before.is_some();
    if dry_run && !lives {
        // Tried on the client's side: the server is not asked.
        return Ok(format!("{} created{}", kubectl_name(&key), dry(true)));
    }
    let path = ["metadata", "annotations", cluster::apply::LAST_APPLIED];
    let adopts = before.as_ref().is_some_and(|live| live.at(&path).is_none());
    let patched = before.as_ref().is_some_and(|live| crate::keyed::has_more(target, live));
    match cluster::apply::client_side(cluster, target, &writer) {
        Ok((_, outcome)) => {
            let warning = if adopts { reconcile::adoption_warning(cluster, &key) } else { String::new() };
            let word = if patched { "configured" } else { outcome.text() };
            Ok(format!("{report}{} {word}{}{warning}", kubectl_name(&key), dry(dry_run)))
        }
        // Argo CD cleans the names of its temporary files out of errors, but not this one.
        Err(status) if lives => Err(format!(
            "error when patching \"/dev/shm/{}\": {}",
            base::hash::hash(cluster.version(), &key.to_string(), "temporary file", 0) % 4_000_000_000,
            status.message
        )),
        Err(status) => Err(status.message),
    }
}

/// Replaces a live object, or creates it when there is none; with `force` the live one is deleted first.
pub(crate) fn replace(cluster: &mut Cluster, target: &Json, force: bool) -> Result<String, String> {
    let key = ObjectKey::of(target);
    let writer = Writer::new(SYNC_MANAGER);
    let Some(live) = live(cluster, &key) else {
        return cluster
            .create(target, &writer)
            .map(|_| format!("{} created", kubectl_name(&key)))
            .map_err(|status| status.message);
    };
    let name = kubectl_name(&key);
    if force {
        delete(cluster, &key, Propagation::Background).map_err(|status| status.message)?;
        let place = if key.namespace.is_empty() { String::new() } else { format!(" from {} namespace", key.namespace) };
        cluster.create(target, &writer).map_err(|status| status.message)?;
        return Ok(format!("{} deleted{place}\n{name} replaced", name.replacen('/', " \"", 1) + "\""));
    }
    let mut wanted = target.clone();
    wanted.set(&["metadata", "resourceVersion"], live.text_at(&["metadata", "resourceVersion"]).into());
    cluster.update(&wanted, &writer).map_err(|status| status.message)?;
    if &*key.kind == "Namespace" || &*key.kind == "CustomResourceDefinition" {
        return Ok(format!("{}/{} updated", key.kind, key.name));
    }
    Ok(format!("{name} replaced"))
}

/// Server-side apply, taking fields from other managers.
pub(crate) fn server_side(cluster: &mut Cluster, target: &Json) -> Result<String, String> {
    let writer = Writer { force: true, ..Writer::new(SYNC_MANAGER) };
    let key = ObjectKey::of(target);
    let mut target = target.clone();
    // Who applies an object never owns a status that is written apart.
    if cluster.resource(&key.group, &key.kind).is_some_and(|r| r.status) {
        target.remove(&["status"]);
    }
    cluster
        .apply(&target, &writer)
        .map(|_| format!("{} serverside-applied", kubectl_name(&key)))
        .map_err(|status| status.message)
}

/// The object that a server-side apply of `target` would leave, as the API server answers a dry run.
pub(crate) fn predicted(cluster: &Cluster, target: &Json) -> Result<Json, String> {
    let writer = Writer { force: true, dry_run: true, ..Writer::new(SYNC_MANAGER) };
    // A copy costs nothing, and a dry run needs to write nowhere.
    cluster.clone().apply(target, &writer).map_err(|status| status.message)
}

/// Deletes an object. An object that is gone already gives the API's NotFound.
pub(crate) fn delete(cluster: &mut Cluster, key: &ObjectKey, propagation: Propagation) -> Result<(), Status> {
    cluster.delete(&reference(key), Some(propagation), &Writer::new(SYNC_MANAGER)).map(|_| ())
}

fn dry(dry_run: bool) -> &'static str {
    if dry_run { " (dry run)" } else { "" }
}
