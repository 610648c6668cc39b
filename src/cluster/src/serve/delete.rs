//! DELETE: propagation, grace, finalizers, and what is answered.

use crate::cluster::Cluster;
use crate::kinds::Resource;
use crate::request::Request;
use crate::selector::{Labels, fields_match};
use crate::serve::Context;
use crate::status::Status;
use crate::store::Key;
use base::Json;

impl Cluster {
    pub(crate) fn delete_object(
        &mut self,
        key: &Key,
        request: &Request,
        context: &mut Context<'_>,
    ) -> Result<(u16, Json), Status> {
        let object = self.existing(key)?;
        let body = &request.body;
        let wanted = body.at(&["preconditions"]);
        if let Some(uid) = wanted.and_then(|p| p.get("uid")).and_then(Json::as_str)
            && uid != object.text_at(&["metadata", "uid"])
        {
            let have = object.text_at(&["metadata", "uid"]);
            let why = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {have}");
            return Err(Status::conflict(&key.group, &key.resource, &key.name, &why));
        }
        if let Some(version) = wanted.and_then(|p| p.get("resourceVersion")).and_then(Json::as_str)
            && version != object.text_at(&["metadata", "resourceVersion"])
        {
            let have = object.text_at(&["metadata", "resourceVersion"]);
            let why = format!(
                "Precondition failed: ResourceVersion in precondition: {version}, ResourceVersion in object meta: {have}"
            );
            return Err(Status::conflict(&key.group, &key.resource, &key.name, &why));
        }
        let policy = match body.text_at(&["propagationPolicy"]) {
            "" => request.param("propagationPolicy"),
            policy => policy,
        };
        let grace = body.int_at(&["gracePeriodSeconds"]).or_else(|| request.param("gracePeriodSeconds").parse().ok());
        let kind = &*context.resource.kind;
        if kind == "Job" && policy.is_empty() && body.at(&["orphanDependents"]).is_none() {
            context.warnings.push("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning".to_string());
        }
        let policy = match (policy, kind) {
            ("", "Job") => "Orphan",
            (policy, _) => policy,
        };
        let dry = context.dry_run || !body.items_at(&["dryRun"]).is_empty();
        let answer = if dry { Some(object.clone()) } else { self.begin_delete(key, policy, grace) };
        Ok((
            200,
            match answer {
                Some(object) if whole_answer(kind) || object.at(&["metadata", "deletionTimestamp"]).is_some() => object,
                _ => success(context.resource, &object),
            },
        ))
    }

    /// Deletes an object, or marks it when something still has to happen first. Returns the object as it then is or was.
    pub(crate) fn begin_delete(&mut self, key: &Key, policy: &str, grace: Option<i64>) -> Option<Json> {
        let mut object = self.store.get(key).cloned()?;
        let before = object.clone();
        let mut finalizers = object.items_at(&["metadata", "finalizers"]).to_vec();
        if matches!(policy, "Foreground" | "Orphan" | "Background") {
            finalizers.retain(|f| !matches!(f.as_str(), Some("foregroundDeletion" | "orphan")));
        }
        match policy {
            "Foreground" => finalizers.push("foregroundDeletion".into()),
            "Orphan" => finalizers.push("orphan".into()),
            _ => {}
        }
        if finalizers.is_empty() {
            object.remove(&["metadata", "finalizers"]);
        } else {
            object.set(&["metadata", "finalizers"], Json::list(finalizers.clone()));
        }
        let is = |resource: &str| key.group.is_empty() && &*key.resource == resource;
        let pod_grace = if !is("pods") || object.text_at(&["spec", "nodeName"]).is_empty() {
            0
        } else {
            let own = object.int_at(&["spec", "terminationGracePeriodSeconds"]).unwrap_or(30);
            let ended = matches!(object.text_at(&["status", "phase"]), "Succeeded" | "Failed");
            if ended { 0 } else { grace.unwrap_or(own).max(0) }
        };
        let held = !finalizers.is_empty() || is("namespaces");
        if pod_grace == 0 && !held {
            self.remove_object(key);
            return Some(before);
        }
        let marked = object.at(&["metadata", "deletionTimestamp"]).is_some();
        let sooner = object.int_at(&["metadata", "deletionGracePeriodSeconds"]).is_some_and(|have| pod_grace < have);
        if !marked || sooner {
            let at = self.now + pod_grace * 1000;
            object.set(&["metadata", "deletionTimestamp"], Json::str(at.rfc3339()));
            object.set(&["metadata", "deletionGracePeriodSeconds"], Json::Int(pod_grace));
            if let Some(generation) = object.int_at(&["metadata", "generation"]) {
                object.set(&["metadata", "generation"], Json::Int(generation + 1));
            }
        }
        if is("namespaces") {
            object.set(&["status", "phase"], "Terminating".into());
            object.remove(&["metadata", "deletionGracePeriodSeconds"]);
        }
        if is("pods") && pod_grace == 0 && finalizers.is_empty() {
            self.remove_object(key);
            return Some(object);
        }
        if object == before {
            return Some(object);
        }
        Some(self.store_object(key.clone(), object))
    }

    pub(crate) fn delete_collection(
        &mut self,
        resource: &Resource,
        request: &Request,
        context: &mut Context<'_>,
    ) -> Result<(u16, Json), Status> {
        let labels = Labels::parse(request.param("labelSelector"))?;
        let fields = request.param("fieldSelector");
        let found: Vec<(Key, Json)> = self
            .store
            .list(&resource.group, &resource.plural, request.namespace.as_deref().filter(|_| resource.namespaced))
            .filter(|(_, object)| labels.matches(object) && fields_match(fields, object))
            .map(|(key, object)| (key.clone(), object.clone()))
            .collect();
        let mut items = Vec::new();
        for (key, object) in found {
            let mut one = request.clone();
            one.name = Some(key.name.to_string());
            let (_, answer) = self.delete_object(&key, &one, context)?;
            let mut item = if answer.text_at(&["kind"]) == "Status" { object } else { answer };
            if !resource.custom {
                item.remove(&["apiVersion"]);
                item.remove(&["kind"]);
            }
            items.push(item);
        }
        Ok((
            200,
            Json::map([
                ("kind", Json::str(format!("{}List", resource.kind))),
                ("apiVersion", Json::str(resource.api_version())),
                ("metadata", Json::map([("resourceVersion", Json::str(self.store.version().to_string()))])),
                ("items", Json::list(items)),
            ]),
        ))
    }
}

/// Kinds whose deletion answers the object itself.
fn whole_answer(kind: &str) -> bool {
    matches!(
        kind,
        "Pod"
            | "Service"
            | "PersistentVolumeClaim"
            | "PersistentVolume"
            | "Namespace"
            | "CustomResourceDefinition"
            | "StorageClass"
            | "ServiceAccount"
    )
}

fn success(resource: &Resource, object: &Json) -> Json {
    let mut details = Json::map([
        ("name", Json::str(object.text_at(&["metadata", "name"]))),
        ("kind", Json::str(resource.plural.clone())),
        ("uid", Json::str(object.text_at(&["metadata", "uid"]))),
    ]);
    if !resource.group.is_empty() {
        details.set(&["group"], Json::str(resource.group.clone()));
    }
    Json::map([
        ("kind", Json::str("Status")),
        ("apiVersion", "v1".into()),
        ("metadata", Json::map::<&str>([])),
        ("status", "Success".into()),
        ("details", details),
    ])
}
