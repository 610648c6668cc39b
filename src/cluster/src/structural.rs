//! Structural schemas of custom resources: unknown fields are dropped, defaults filled in.

use crate::cluster::Cluster;
use crate::fields::root_shape;
use crate::kinds::Resource;
use crate::schema::{Merge, Shape};
use crate::serve::Context;
use crate::status::Status;
use crate::store::Key;
use base::{Json, Map, SortedMap};
use std::rc::Rc;

/// How deep schemas are followed.
const DEPTH: usize = 64;

impl Cluster {
    /// Prunes and defaults an object of a custom resource by its definition's schema.
    pub(crate) fn admit_custom(&self, object: &mut Json, context: &mut Context<'_>) -> Result<(), Status> {
        let resource = context.resource;
        let Some(schema) = self.custom_schema(resource) else { return Ok(()) };
        let mut unknown = Vec::new();
        let pruned = prune(object, &schema, "", 0, &mut unknown);
        if !unknown.is_empty() {
            base::order::sort(&mut unknown);
            let texts: Vec<String> = unknown.iter().map(|path| format!("unknown field \"{path}\"")).collect();
            match context.field_validation {
                "Ignore" => {}
                "Strict" => {
                    let (kind, version) = (&resource.kind, &resource.version);
                    let words = texts.join(", ");
                    return Err(Status::bad_request(format!(
                        "{kind} in version \"{version}\" cannot be handled as a {kind}: strict decoding error: {words}"
                    )));
                }
                _ => context.warnings.extend(texts),
            }
        }
        *object = pruned;
        fill(object, &schema, 0);
        Ok(())
    }

    /// How the fields of a resource's objects are owned.
    pub(crate) fn shape_of(&self, resource: &Resource) -> Shape {
        match self.custom_schema(resource) {
            Some(schema) => shape(&schema, 0),
            None => root_shape(
                &resource.kind,
                (!resource.custom).then(|| crate::schema::kind_type(&resource.kind)).flatten().is_some(),
            ),
        }
    }

    fn custom_schema(&self, resource: &Resource) -> Option<Json> {
        if !resource.custom {
            return None;
        }
        let name = format!("{}.{}", resource.plural, resource.group);
        let crd = self.store.get(&Key::new("apiextensions.k8s.io", "customresourcedefinitions", "", &name))?;
        let mut versions = crd.items_at(&["spec", "versions"]).iter();
        versions.find(|v| v.text_at(&["name"]) == &*resource.version)?.at(&["schema", "openAPIV3Schema"]).cloned()
    }
}

/// A structural schema as ownership sees it.
fn shape(schema: &Json, depth: usize) -> Shape {
    let flag = |key: &str| schema.text_at(&[key]);
    if depth > DEPTH || schema.get("x-kubernetes-int-or-string").is_some() {
        return Shape::Any;
    }
    match schema.text_at(&["type"]) {
        "array" => {
            let keys = schema.items_at(&["x-kubernetes-list-map-keys"]).iter();
            let merge = match flag("x-kubernetes-list-type") {
                "map" => Merge::Keys(keys.filter_map(Json::as_str).map(str::to_string).collect()),
                "set" => Merge::Set,
                _ => Merge::Atomic,
            };
            let item = schema.get("items").map_or(Shape::Any, |items| shape(items, depth + 1));
            Shape::List { item: Box::new(item), merge }
        }
        "object" => {
            let known = schema.get("properties").and_then(Json::as_map).into_iter().flatten();
            let mut members: SortedMap<String, Shape> =
                known.map(|(key, inner)| (key.to_string(), shape(inner, depth + 1))).collect();
            let embedded = schema.get("x-kubernetes-embedded-resource").and_then(Json::as_bool) == Some(true);
            if depth == 0 || embedded {
                members.insert("metadata".into(), Shape::Struct { name: "ObjectMeta", atomic: false });
            }
            let rest = schema.get("additionalProperties").filter(|rest| rest.as_map().is_some());
            let rest = rest.map(|rest| Box::new(shape(rest, depth + 1)));
            Shape::Open { members, rest, atomic: flag("x-kubernetes-map-type") == "atomic" }
        }
        _ => Shape::Any,
    }
}

fn keeps_unknown(schema: &Json) -> bool {
    schema.get("x-kubernetes-preserve-unknown-fields").and_then(Json::as_bool) == Some(true)
}

fn prune(value: &Json, schema: &Json, path: &str, depth: usize, unknown: &mut Vec<String>) -> Json {
    if depth > DEPTH {
        return value.clone();
    }
    match value {
        Json::List(items) => {
            let Some(item) = schema.get("items") else { return value.clone() };
            let items = items.iter().enumerate();
            Json::list(items.map(|(i, x)| prune(x, item, &format!("{path}[{i}]"), depth + 1, unknown)))
        }
        Json::Map(members) => {
            let mut out = Map::new();
            let embedded =
                depth == 0 || schema.get("x-kubernetes-embedded-resource").and_then(Json::as_bool) == Some(true);
            for (key, item) in members.iter() {
                let here = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                if embedded && matches!(&**key, "apiVersion" | "kind" | "metadata") {
                    out.insert(key.clone(), item.clone());
                    continue;
                }
                let known = schema.get("properties").and_then(|p| p.get(key));
                let any = schema.get("additionalProperties").filter(|a| a.as_bool() != Some(false));
                match (known, any) {
                    (Some(inner), _) | (None, Some(inner)) => {
                        out.insert(key.clone(), prune(item, inner, &here, depth + 1, unknown));
                    }
                    (None, None) if keeps_unknown(schema) => {
                        out.insert(key.clone(), item.clone());
                    }
                    (None, None) => unknown.push(here),
                }
            }
            Json::Map(Rc::new(out))
        }
        other => other.clone(),
    }
}

fn fill(value: &mut Json, schema: &Json, depth: usize) {
    if depth > DEPTH {
        return;
    }
    match value {
        Json::List(items) => {
            if let Some(item) = schema.get("items") {
                Rc::make_mut(items).iter_mut().for_each(|x| fill(x, item, depth + 1));
            }
        }
        Json::Map(members) => {
            let members = Rc::make_mut(members);
            for (name, inner) in schema.get("properties").and_then(Json::as_map).into_iter().flatten() {
                let nullable = inner.get("nullable").and_then(Json::as_bool) == Some(true);
                let missing = match members.get(&**name) {
                    None => true,
                    // A null that is not allowed gives way to the default.
                    Some(Json::Null) => !nullable,
                    Some(_) => false,
                };
                if let Some(default) = inner.get("default").filter(|_| missing) {
                    members.insert(name.clone(), default.clone());
                }
                if let Some(member) = members.get_mut(&**name) {
                    fill(member, inner, depth + 1);
                }
            }
            if let Some(inner) = schema.get("additionalProperties").filter(|a| a.as_map().is_some()) {
                let names: Vec<Rc<str>> = members.keys().cloned().collect();
                for name in names {
                    if let Some(member) = members.get_mut(&*name) {
                        fill(member, inner, depth + 1);
                    }
                }
            }
        }
        _ => {}
    }
}
