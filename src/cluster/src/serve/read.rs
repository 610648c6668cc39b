//! GET of objects, subresources and collections.

use crate::cluster::Cluster;
use crate::kinds::Resource;
use crate::request::{Request, Verb};
use crate::selector::{Labels, fields_match};
use crate::status::Status;
use crate::store::Key;
use base::Json;
use std::rc::Rc;

impl Cluster {
    /// The resource that a request names.
    pub(crate) fn served(&self, request: &Request) -> Result<Rc<Resource>, Status> {
        let found = self.kinds.plural(&request.group, &request.resource);
        let version = |r: &&Rc<Resource>| {
            *r.version == *request.version || r.other_versions.iter().any(|v| **v == *request.version)
        };
        found.filter(version).cloned().ok_or_else(|| {
            let mut status = Status::new(404, "NotFound", "the server could not find the requested resource");
            status.details = Json::map::<&str>([]);
            status
        })
    }

    pub(crate) fn key_for(&self, resource: &Resource, request: &Request) -> Key {
        let namespace = if resource.namespaced { request.namespace.as_deref().unwrap_or("") } else { "" };
        Key::new(&resource.group, &resource.plural, namespace, request.name.as_deref().unwrap_or(""))
    }

    pub(crate) fn read(&self, request: &Request) -> Result<Json, Status> {
        let resource = self.served(request)?;
        if request.verb == Verb::List {
            return self.read_list(&resource, request);
        }
        let key = self.key_for(&resource, request);
        let object = self.store.get(&key);
        let object = object.ok_or_else(|| Status::not_found(&key.group, &key.resource, &key.name))?;
        match request.subresource.as_deref() {
            None | Some("status") => Ok(object.clone()),
            Some("scale") => scale_of(object, &resource),
            Some(_) => Err(Status::new(404, "NotFound", "the server could not find the requested resource")),
        }
    }

    fn read_list(&self, resource: &Resource, request: &Request) -> Result<Json, Status> {
        let labels = Labels::parse(request.param("labelSelector"))?;
        let fields = request.param("fieldSelector");
        let namespace = request.namespace.as_deref().filter(|_| resource.namespaced);
        let mut items = Vec::new();
        for (_, object) in self.store.list(&resource.group, &resource.plural, namespace) {
            if !(labels.is_empty() || labels.matches(object)) || !fields_match(fields, object) {
                continue;
            }
            let mut item = object.clone();
            if !resource.custom {
                // Items of typed lists carry no type of their own.
                item.remove(&["apiVersion"]);
                item.remove(&["kind"]);
            }
            items.push(item);
        }
        Ok(Json::map([
            ("kind", Json::str(format!("{}List", resource.kind))),
            ("apiVersion", Json::str(resource.api_version())),
            ("metadata", Json::map([("resourceVersion", Json::str(self.store.version().to_string()))])),
            ("items", Json::list(items)),
        ]))
    }
}

/// The Scale of a workload.
pub(crate) fn scale_of(object: &Json, resource: &Resource) -> Result<Json, Status> {
    if !matches!(&*resource.kind, "Deployment" | "ReplicaSet" | "StatefulSet" | "ReplicationController") {
        return Err(Status::new(404, "NotFound", "the server could not find the requested resource"));
    }
    let mut metadata = Json::map::<&str>([]);
    for name in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = object.at(&["metadata", name]) {
            metadata.set(&[name], value.clone());
        }
    }
    let mut spec = Json::map::<&str>([]);
    if let Some(replicas) = object.int_at(&["spec", "replicas"]).filter(|n| *n != 0) {
        spec.set(&["replicas"], Json::Int(replicas));
    }
    let selector = object.at(&["spec", "selector"]).map(selector_text).unwrap_or_default();
    let mut status = Json::map([("replicas", Json::Int(object.int_at(&["status", "replicas"]).unwrap_or(0)))]);
    if !selector.is_empty() {
        status.set(&["selector"], Json::str(selector));
    }
    Ok(Json::map([
        ("kind", Json::str("Scale")),
        ("apiVersion", Json::str("autoscaling/v1")),
        ("metadata", metadata),
        ("spec", spec),
        ("status", status),
    ]))
}

/// A selector in text form (`a=b,c in (d,e)`), keys sorted.
fn selector_text(selector: &Json) -> String {
    let plain = selector.get("matchLabels").or(selector.get("matchExpressions").is_none().then_some(selector));
    let mut parts: Vec<(String, String)> = Vec::new();
    for (key, value) in plain.and_then(Json::as_map).into_iter().flatten() {
        parts.push((key.to_string(), format!("{key}={}", value.as_str().unwrap_or(""))));
    }
    for item in selector.items_at(&["matchExpressions"]) {
        let key = item.text_at(&["key"]).to_string();
        let mut values: Vec<&str> = item.items_at(&["values"]).iter().filter_map(Json::as_str).collect();
        base::order::sort(&mut values);
        let text = match item.text_at(&["operator"]) {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "Exists" => key.clone(),
            _ => format!("!{key}"),
        };
        parts.push((key, text));
    }
    base::order::sort(&mut parts);
    parts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",")
}
