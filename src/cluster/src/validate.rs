//! Validation of the built-in kinds, in the server's words: what this slice needs, extended kind by kind.

use crate::metadata::{self, SUBDOMAIN, is_label};
use crate::rules;
use crate::schema::kind_type;
use crate::selector::Labels;
use crate::status::Cause;
use base::Json;

/// What is wrong with a new object.
pub(crate) fn new_object(kind: &str, object: &Json) -> Vec<Cause> {
    let mut causes = Vec::new();
    name(kind, object, &mut causes);
    metadata::check(kind, object, &mut causes);
    match kind {
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" => workload(kind, object, &mut causes),
        "Pod" => pod_spec(object, "spec", &mut causes),
        "Job" => pod_spec(object, "spec.template.spec", &mut causes),
        "Service" => service(object, &mut causes),
        "ConfigMap" | "Secret" => data_keys(object, &mut causes),
        _ => {}
    }
    if let Some(fields) = kind_type(kind) {
        rules::check(object, fields, &mut causes);
    }
    causes
}

/// What is wrong with a change.
pub(crate) fn changed_object(kind: &str, old: &Json, new: &Json) -> Vec<Cause> {
    let mut causes = new_object(kind, new);
    match kind {
        "Deployment" | "ReplicaSet" | "DaemonSet" => {
            let (was, is) = (old.at(&["spec", "selector"]), new.at(&["spec", "selector"]));
            if was != is {
                causes.push(Cause::invalid("spec.selector", is.unwrap_or(&Json::Null), "field is immutable"));
            }
        }
        "Job" => {
            for (path, name) in [(["spec", "selector"], "spec.selector"), (["spec", "template"], "spec.template")] {
                let (was, is) = (old.at(&path), new.at(&path));
                if was == is {
                    continue;
                }
                let is = is.unwrap_or(&Json::Null);
                if name == "spec.template" {
                    let shown = crate::pod_template::text(is);
                    let message = format!("Invalid value: {shown}: field is immutable");
                    causes.push(Cause { reason: "FieldValueInvalid", message, field: name.into() });
                } else {
                    causes.push(Cause::invalid(name, is, "field is immutable"));
                }
            }
        }
        "ConfigMap" | "Secret" if old.get("immutable").and_then(Json::as_bool) == Some(true) => {
            const WHY: &str = "field is immutable when `immutable` is set";
            if new.get("immutable").and_then(Json::as_bool) != Some(true) {
                causes.push(Cause::forbidden("immutable", WHY));
            }
            for field in ["data", "binaryData"] {
                if old.get(field) != new.get(field) {
                    causes.push(Cause::forbidden(field, WHY));
                }
            }
        }
        _ => {}
    }
    if kind == "Secret" && old.get("type") != new.get("type") {
        causes.push(Cause::invalid("type", new.get("type").unwrap_or(&Json::Null), "field is immutable"));
    }
    causes
}

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

fn name(kind: &str, object: &Json, causes: &mut Vec<Cause>) {
    let name = object.text_at(&["metadata", "name"]);
    let field = "metadata.name";
    if name.is_empty() {
        causes.push(Cause::required(field, "name or generateName is required"));
        return;
    }
    if kind.ends_with("Role") || kind.ends_with("RoleBinding") {
        return;
    }
    let (ok, words, most) = match kind {
        // Since 1.36 a Service's name may start with a digit.
        "Service" | "Namespace" => (is_label(name), LABEL, 63),
        _ => (name.split('.').all(is_label), SUBDOMAIN, 253),
    };
    let value = Json::str(name);
    if name.len() > most {
        causes.push(Cause::invalid(field, &value, &format!("must be no more than {most} characters")));
    }
    if !ok {
        causes.push(Cause::invalid(field, &value, words));
    }
}

fn workload(kind: &str, object: &Json, causes: &mut Vec<Cause>) {
    if let Some(replicas) = object.int_at(&["spec", "replicas"]).filter(|n| *n < 0) {
        causes.push(Cause::invalid("spec.replicas", &Json::Int(replicas), "must be greater than or equal to 0"));
    }
    let selector = object.at(&["spec", "selector"]).filter(|s| !s.is_null());
    match selector {
        None => causes.push(Cause::required("spec.selector", "")),
        Some(s) if s.as_map().is_none_or(|m| m.is_empty()) => {
            let what = if kind == "Deployment" { "deployment" } else { "" };
            if !what.is_empty() {
                let why = format!("empty selector is invalid for {what}");
                causes.push(Cause::invalid("spec.selector", s, &why));
            } else {
                causes.push(Cause::invalid(
                    "spec.selector",
                    s,
                    &format!("empty selector is invalid for {}", kind.to_lowercase()),
                ));
            }
        }
        Some(_) => {}
    }
    let template = object.at(&["spec", "template"]).cloned().unwrap_or_default();
    metadata::labels(template.at(&["metadata", "labels"]), "spec.template.labels", causes);
    metadata::annotations(template.at(&["metadata", "annotations"]), "spec.template.annotations", causes);
    if let Some(selector) = selector
        && !Labels::of(selector).matches(&template)
    {
        let labels = template.at(&["metadata", "labels"]).cloned().unwrap_or_default();
        const WHY: &str = "`selector` does not match template `labels`";
        causes.push(Cause::invalid("spec.template.metadata.labels", &labels, WHY));
    }
    pod_spec(object, "spec.template.spec", causes);
    let strategy = object.at(&["spec", "strategy"]);
    if kind == "Deployment"
        && strategy.is_some_and(|s| s.text_at(&["type"]) == "Recreate" && s.get("rollingUpdate").is_some())
    {
        const WHY: &str = "may not be specified when strategy `type` is 'Recreate'";
        causes.push(Cause::forbidden("spec.strategy.rollingUpdate", WHY));
    }
    let restart = object.text_at(&["spec", "template", "spec", "restartPolicy"]);
    if restart != "Always" {
        causes.push(Cause::not_supported("spec.template.spec.restartPolicy", &Json::str(restart), &["Always"]));
    }
}

fn pod_spec(object: &Json, path: &str, causes: &mut Vec<Cause>) {
    let keys: Vec<&str> = path.split('.').collect();
    let Some(spec) = object.at(&keys) else { return };
    let containers = spec.items_at(&["containers"]);
    if containers.is_empty() {
        causes.push(Cause::required(format!("{path}.containers"), ""));
    }
    let mut seen: Vec<&str> = Vec::new();
    for (i, container) in containers.iter().enumerate() {
        let at = format!("{path}.containers[{i}]");
        let name = container.text_at(&["name"]);
        if name.is_empty() {
            causes.push(Cause::required(format!("{at}.name"), ""));
        } else if !is_label(name) {
            causes.push(Cause::invalid(format!("{at}.name"), &Json::str(name), LABEL));
        } else if seen.contains(&name) {
            causes.push(Cause::duplicate(format!("{at}.name"), &Json::str(name)));
        }
        seen.push(name);
        if container.text_at(&["image"]).is_empty() {
            causes.push(Cause::required(format!("{at}.image"), ""));
        }
        for (j, port) in container.items_at(&["ports"]).iter().enumerate() {
            let number = port.int_at(&["containerPort"]).unwrap_or(0);
            let field = format!("{at}.ports[{j}].containerPort");
            if number == 0 {
                causes.push(Cause::required(field, ""));
            } else if !(1..=65_535).contains(&number) {
                causes.push(Cause::invalid(field, &Json::Int(number), "must be between 1 and 65535, inclusive"));
            }
        }
        let volumes = spec.items_at(&["volumes"]);
        for (j, mount) in container.items_at(&["volumeMounts"]).iter().enumerate() {
            let name = mount.text_at(&["name"]);
            if !volumes.iter().any(|v| v.text_at(&["name"]) == name) {
                causes.push(Cause::not_found(format!("{at}.volumeMounts[{j}].name"), &Json::str(name)));
            }
        }
    }
}

fn service(object: &Json, causes: &mut Vec<Cause>) {
    let spec = object.get("spec").cloned().unwrap_or_default();
    let kind = spec.text_at(&["type"]);
    const TYPES: &[&str] = &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    let ports = spec.items_at(&["ports"]);
    if ports.is_empty() && spec.text_at(&["clusterIP"]) != "None" && kind != "ExternalName" {
        causes.push(Cause::required("spec.ports", ""));
    }
    for (i, port) in ports.iter().enumerate() {
        let at = format!("spec.ports[{i}]");
        let number = port.int_at(&["port"]).unwrap_or(0);
        if ports.len() > 1 && port.text_at(&["name"]).is_empty() {
            causes.push(Cause::required(format!("{at}.name"), ""));
        }
        if !(1..=65_535).contains(&number) {
            causes.push(Cause::invalid(
                format!("{at}.port"),
                &Json::Int(number),
                "must be between 1 and 65535, inclusive",
            ));
        }
        if let Some(target) = port.int_at(&["targetPort"]).filter(|n| !(1..=65_535).contains(n)) {
            let field = format!("{at}.targetPort");
            causes.push(Cause::invalid(field, &Json::Int(target), "must be between 1 and 65535, inclusive"));
        }
    }
    if !TYPES.contains(&kind) {
        causes.push(Cause::not_supported("spec.type", &Json::str(kind), TYPES));
    }
}

fn data_keys(object: &Json, causes: &mut Vec<Cause>) {
    for field in ["data", "binaryData"] {
        for key in object.get(field).and_then(Json::as_map).into_iter().flatten().map(|(key, _)| key) {
            let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
            if key.is_empty() || !key.bytes().all(good) {
                const WHY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
                causes.push(Cause::invalid(format!("{field}[{key}]"), &Json::str(key.clone()), WHY));
            }
        }
    }
}
