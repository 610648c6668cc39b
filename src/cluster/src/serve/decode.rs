//! What comes in: type and kind are checked, unknown fields dropped or refused, namespace and status set right.

use crate::kinds::Resource;
use crate::schema::normalise;
use crate::serve::Context;
use crate::serve::write::schema;
use crate::status::Status;
use crate::store::Key;
use crate::typed::mismatch;
use base::Json;

/// Checks type and kind, drops what the type does not know, and warns about it.
pub(super) fn decode(body: &Json, context: &mut Context<'_>) -> Result<Json, Status> {
    let resource = context.resource;
    if body.as_map().is_none() {
        return Err(Status::bad_request("the object provided is unrecognized (must be of type Object)"));
    }
    let (kind, version) = (body.text_at(&["kind"]), body.text_at(&["apiVersion"]));
    let wanted = resource.api_version();
    if kind != &*resource.kind && !kind.is_empty() || version != wanted && !version.is_empty() {
        let (group, v) = version.split_once('/').unwrap_or(("", version));
        let (want_group, _) = wanted.split_once('/').unwrap_or(("", &wanted));
        let known = resource.other_versions.iter().any(|other| **other == *v) && group == want_group;
        if !(known && kind == &*resource.kind) {
            let registered = known_kind(kind, version, &wanted, resource);
            if version != wanted && kind == &*resource.kind && registered {
                return Err(Status::bad_request(format!(
                    "the API version in the data ({version}) does not match the expected API version ({wanted})"
                )));
            }
            if !registered {
                let holder = &resource.kind;
                return Err(Status::bad_request(format!(
                    "{kind} in version \"{v}\" cannot be handled as a {holder}: no kind \"{kind}\" is registered for version \"{version}\" in scheme \"pkg/runtime/scheme.go:111\""
                )));
            }
            return Err(Status::bad_request(format!(
                "{kind} in version \"{v}\" cannot be handled as a {}: converting ({}).{kind} to ({}).{}: unknown conversion",
                resource.kind,
                go_package(group, v),
                go_package(want_group, ""),
                resource.kind
            )));
        }
    }
    let mut object = body.clone();
    if let Some(fields) = schema(resource) {
        if let Some(words) = mismatch(&resource.kind, body, fields) {
            let (kind, version) = (&resource.kind, &resource.version);
            let text = format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {words}");
            return Err(Status::bad_request(text));
        }
        let mut unknown = Vec::new();
        object = normalise(body, fields, "", &mut unknown);
        if !unknown.is_empty() {
            let texts: Vec<String> = unknown.iter().map(|path| format!("unknown field \"{path}\"")).collect();
            match context.field_validation {
                "Ignore" => {}
                "Strict" => {
                    return Err(Status::bad_request(format!(
                        "{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
                        resource.kind,
                        resource.version,
                        resource.kind,
                        texts.join(", ")
                    )));
                }
                _ => context.warnings.extend(texts),
            }
        }
    } else if object.get("metadata").is_none() {
        object.set(&["metadata"], Json::map::<&str>([]));
    }
    object.set(&["apiVersion"], Json::str(wanted));
    object.set(&["kind"], Json::str(resource.kind.clone()));
    Ok(object)
}

/// True when the server's types include this kind in this version.
fn known_kind(kind: &str, version: &str, wanted: &str, resource: &Resource) -> bool {
    if resource.custom {
        return true;
    }
    version == wanted && kind == &*resource.kind || crate::kinds::is_built_in(kind, version)
}

/// A converted type's package: the versioned one, and the one inside the server.
fn go_package(group: &str, version: &str) -> String {
    let short = group.split('.').next().filter(|g| !g.is_empty()).unwrap_or("core");
    if version.is_empty() { short.to_string() } else { version.to_string() }
}

pub(super) fn set_namespace(object: &mut Json, key: &Key) -> Result<(), Status> {
    let given = object.text_at(&["metadata", "namespace"]);
    if !given.is_empty() && given != &*key.namespace && !key.namespace.is_empty() {
        const WHY: &str = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Status::bad_request(WHY));
    }
    if key.namespace.is_empty() {
        object.remove(&["metadata", "namespace"]);
    } else {
        object.set(&["metadata", "namespace"], Json::str(key.namespace.clone()));
    }
    Ok(())
}

/// Status as it is before anybody wrote it.
pub(super) fn reset_status(object: &mut Json, resource: &Resource) {
    object.remove(&["status"]);
    if let Some(fields) = schema(resource) {
        *object = normalise(object, fields, "", &mut Vec::new());
        object.set(&["apiVersion"], Json::str(resource.api_version()));
        object.set(&["kind"], Json::str(resource.kind.clone()));
    }
}
