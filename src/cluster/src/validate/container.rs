//! Rules of containers that the table of single fields cannot say: names and ports, environment, mounts, resources,
//! probes and handlers. Mirrors `validateContainers` of the API server's core validation.

use super::LABEL;
use crate::metadata;
use crate::quantity::nanos;
use crate::status::Cause;
use base::Json;

/// What a container may refer to in its pod.
pub(super) struct Pod<'a> {
    /// The pod's spec.
    pub(super) spec: &'a Json,
    /// True for init containers.
    pub(super) init: bool,
}

/// A port's name, an IANA service name.
pub(super) fn port_name(name: &str, field: &str, causes: &mut Vec<Cause>) {
    let mut add = |words: &str| causes.push(Cause::invalid(field, &Json::str(name), words));
    if name.len() > 15 {
        add("must be no more than 15 characters");
    }
    if !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        add("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if !name.bytes().any(|b| b.is_ascii_lowercase()) {
        add("must contain at least one letter (a-z)");
    }
    if name.contains("--") {
        add("must not contain consecutive hyphens");
    }
    if name.starts_with('-') || name.ends_with('-') {
        add("must not begin or end with a hyphen");
    }
}

/// A port that is a number or a name.
pub(super) fn port(value: Option<&Json>, field: &str, causes: &mut Vec<Cause>) {
    match value {
        Some(Json::Str(name)) => port_name(name, field, causes),
        Some(Json::Int(n)) if (1..=65_535).contains(n) => {}
        Some(n @ Json::Int(_)) => {
            causes.push(Cause::invalid(field, n, "must be between 1 and 65535, inclusive"));
        }
        _ => {}
    }
}

pub(super) fn check(container: &Json, at: &str, pod: &Pod<'_>, causes: &mut Vec<Cause>) {
    let name = container.text_at(&["name"]);
    if name.is_empty() {
        causes.push(Cause::required(format!("{at}.name"), ""));
    } else {
        if name.len() > 63 {
            causes.push(Cause::invalid(format!("{at}.name"), &Json::str(name), "must be no more than 63 characters"));
        }
        if !metadata::is_label(name) {
            causes.push(Cause::invalid(format!("{at}.name"), &Json::str(name), LABEL));
        }
    }
    let image = container.text_at(&["image"]);
    if image.is_empty() {
        causes.push(Cause::required(format!("{at}.image"), ""));
    } else if image.trim() != image {
        let field = format!("{at}.image");
        causes.push(Cause::invalid(field, &Json::str(image), "must not have leading or trailing whitespace"));
    }
    ports(container, at, causes);
    environment(container, at, causes);
    mounts(container, at, pod.spec, causes);
    resources(container.get("resources").unwrap_or(&Json::Null), &format!("{at}.resources"), causes);
    security(container, at, causes);
    if pod.init && container.text_at(&["restartPolicy"]) != "Always" {
        for probe in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
            if container.get(probe).is_some() {
                const WHY: &str = "may not be set for init containers without restartPolicy=Always";
                causes.push(Cause::forbidden(format!("{at}.{probe}"), WHY));
            }
        }
        return;
    }
    let grace = pod.spec.int_at(&["terminationGracePeriodSeconds"]).unwrap_or(30);
    for which in ["postStart", "preStop"] {
        if let Some(hook) = container.at(&["lifecycle", which]) {
            handler(hook, &format!("{at}.lifecycle.{which}"), &["exec", "httpGet", "tcpSocket", "sleep"], causes);
            if let Some(seconds) = hook.int_at(&["sleep", "seconds"]).filter(|s| !(0..=grace).contains(s)) {
                let words = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
                causes.push(Cause::invalid(format!("{at}.lifecycle.{which}.sleep"), &Json::Int(seconds), &words));
            }
        }
    }
    for which in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = container.get(which) else { continue };
        let field = format!("{at}.{which}");
        handler(probe, &field, &["exec", "httpGet", "tcpSocket", "grpc"], causes);
        if which != "readinessProbe"
            && let Some(times) = probe.int_at(&["successThreshold"]).filter(|n| *n > 1)
        {
            causes.push(Cause::invalid(format!("{field}.successThreshold"), &Json::Int(times), "must be 1"));
        }
        let own_grace = probe.int_at(&["terminationGracePeriodSeconds"]);
        if let Some(seconds) = own_grace.filter(|_| which == "readinessProbe") {
            let words = "must not be set for readinessProbes";
            causes.push(Cause::invalid(format!("{field}.terminationGracePeriodSeconds"), &Json::Int(seconds), words));
        }
    }
}

fn handler(value: &Json, at: &str, kinds: &[&str], causes: &mut Vec<Cause>) {
    let given: Vec<&str> = kinds.iter().copied().filter(|kind| value.get(kind).is_some()).collect();
    if given.is_empty() {
        causes.push(Cause::required(at, "must specify a handler type"));
    }
    for kind in given.iter().skip(1) {
        causes.push(Cause::forbidden(format!("{at}.{kind}"), "may not specify more than 1 handler type"));
    }
    for kind in given.iter().take(1).filter(|kind| matches!(**kind, "httpGet" | "tcpSocket" | "grpc")) {
        port(value.at(&[kind, "port"]), &format!("{at}.{kind}.port"), causes);
        if *kind == "httpGet" && value.text_at(&["httpGet", "path"]).is_empty() {
            causes.push(Cause::required(format!("{at}.httpGet.path"), ""));
        }
    }
}

fn ports(container: &Json, at: &str, causes: &mut Vec<Cause>) {
    let mut names: Vec<&str> = Vec::new();
    let mut host_ports: Vec<String> = Vec::new();
    for (i, port) in container.items_at(&["ports"]).iter().enumerate() {
        let field = format!("{at}.ports[{i}]");
        let name = port.text_at(&["name"]);
        if !name.is_empty() {
            let before = causes.len();
            port_name(name, &format!("{field}.name"), causes);
            if causes.len() == before {
                if names.contains(&name) {
                    causes.push(Cause::duplicate(format!("{field}.name"), &Json::str(name)));
                }
                names.push(name);
            }
        }
        let number = port.int_at(&["containerPort"]).unwrap_or(0);
        if number == 0 {
            causes.push(Cause::required(format!("{field}.containerPort"), ""));
        } else if !(1..=65_535).contains(&number) {
            let words = "must be between 1 and 65535, inclusive";
            causes.push(Cause::invalid(format!("{field}.containerPort"), &Json::Int(number), words));
        }
        let host = port.int_at(&["hostPort"]).unwrap_or(0);
        if host != 0 && !(1..=65_535).contains(&host) {
            let words = "must be between 1 and 65535, inclusive";
            causes.push(Cause::invalid(format!("{field}.hostPort"), &Json::Int(host), words));
        }
        if host > 0 {
            let key = format!("{}/{}/{host}", port.text_at(&["protocol"]), port.text_at(&["hostIP"]));
            if host_ports.contains(&key) {
                causes.push(Cause::duplicate(format!("{field}.hostPort"), &Json::str(key.as_str())));
            }
            host_ports.push(key);
        }
    }
}

const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

fn environment(container: &Json, at: &str, causes: &mut Vec<Cause>) {
    for (i, variable) in container.items_at(&["env"]).iter().enumerate() {
        let field = format!("{at}.env[{i}]");
        let name = variable.text_at(&["name"]);
        if !name.is_empty() && !name.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'=') {
            const WORDS: &str =
                "a valid environment variable name must consist only of printable ASCII characters other than '='";
            causes.push(Cause::invalid(format!("{field}.name"), &Json::str(name), WORDS));
        }
        let Some(from) = variable.get("valueFrom").filter(|from| !from.is_null()) else { continue };
        let field = format!("{field}.valueFrom");
        let kinds = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
        let given: Vec<&str> = kinds.into_iter().filter(|kind| from.get(kind).is_some()).collect();
        if let Some(reference) = from.get("fieldRef") {
            field_reference(reference, &format!("{field}.fieldRef"), causes);
        }
        if let Some(reference) = from.get("resourceFieldRef") {
            let resource = reference.text_at(&["resource"]);
            let at = format!("{field}.resourceFieldRef.resource");
            if resource.is_empty() {
                causes.push(Cause::required(at, ""));
            } else if !RESOURCES.contains(&resource) && !resource.contains("hugepages-") {
                causes.push(Cause::not_supported(at, &Json::str(resource), &RESOURCES));
            }
        }
        for kind in ["configMapKeyRef", "secretKeyRef"] {
            let Some(reference) = from.get(kind) else { continue };
            let name = reference.text_at(&["name"]);
            if !name.split('.').all(metadata::is_label) {
                metadata::subdomain(name, &format!("{field}.{kind}.name"), causes);
            }
        }
        match given.len() {
            0 => {
                const WORDS: &str = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
                causes.push(Cause::invalid(&field, &"".into(), WORDS));
            }
            _ if !variable.text_at(&["value"]).is_empty() => {
                causes.push(Cause::invalid(&field, &"".into(), "may not be specified when `value` is not empty"));
            }
            1 => {}
            _ => {
                let words = "may not have more than one field specified at a time";
                causes.push(Cause::invalid(&field, &"".into(), words));
            }
        }
    }
    for (i, from) in container.items_at(&["envFrom"]).iter().enumerate() {
        let field = format!("{at}.envFrom[{i}]");
        let mut given = 0;
        for kind in ["configMapRef", "secretRef"] {
            if let Some(reference) = from.get(kind) {
                given += 1;
                let name = reference.text_at(&["name"]);
                if name.is_empty() {
                    causes.push(Cause::required(format!("{field}.{kind}.name"), ""));
                } else {
                    metadata::subdomain(name, &format!("{field}.{kind}.name"), causes);
                }
            }
        }
        if given == 0 {
            let words = "must specify one of: `configMapRef` or `secretRef`";
            causes.push(Cause::invalid(format!("{at}.envFrom"), &"".into(), words));
        } else if given > 1 {
            let words = "may not have more than one field specified at a time";
            causes.push(Cause::invalid(format!("{at}.envFrom"), &"".into(), words));
        }
    }
}

fn field_reference(reference: &Json, field: &str, causes: &mut Vec<Cause>) {
    let path = reference.text_at(&["fieldPath"]);
    let at = format!("{field}.fieldPath");
    let subscript =
        |map: &str| path.strip_prefix(map).is_some_and(|rest| rest.starts_with("['") && rest.ends_with("']"));
    if path.is_empty() {
        causes.push(Cause::required(at, ""));
    } else if !FIELDS.contains(&path) && !subscript("metadata.labels") && !subscript("metadata.annotations") {
        let words = format!("error converting fieldPath: field label not supported: {path}");
        causes.push(Cause::invalid(at, &Json::str(path), &words));
    }
}

fn mounts(container: &Json, at: &str, spec: &Json, causes: &mut Vec<Cause>) {
    let volumes = spec.items_at(&["volumes"]);
    let mut paths: Vec<&str> = Vec::new();
    for (i, mount) in container.items_at(&["volumeMounts"]).iter().enumerate() {
        let field = format!("{at}.volumeMounts[{i}]");
        let name = mount.text_at(&["name"]);
        if name.is_empty() {
            causes.push(Cause::required(format!("{field}.name"), ""));
        }
        if !volumes.iter().any(|v| v.text_at(&["name"]) == name) {
            causes.push(Cause::not_found(format!("{field}.name"), &Json::str(name)));
        }
        let path = mount.text_at(&["mountPath"]);
        if paths.contains(&path) {
            causes.push(Cause::invalid(format!("{field}.mountPath"), &Json::str(path), "must be unique"));
        }
        paths.push(path);
        // These two fields are named without the index, as the server does.
        let sub = mount.text_at(&["subPath"]);
        let sub_field = format!("{at}.volumeMounts.subPath");
        if sub.starts_with('/') {
            causes.push(Cause::invalid(&sub_field, &Json::str(sub), "must be a relative path"));
        }
        if sub.split('/').any(|part| part == "..") {
            causes.push(Cause::invalid(&sub_field, &Json::str(sub), "must not contain '..'"));
        }
        let spread = mount.text_at(&["mountPropagation"]);
        const KNOWN: &[&str] = &["Bidirectional", "HostToContainer", "None"];
        if !spread.is_empty() && !KNOWN.contains(&spread) {
            let field = format!("{at}.volumeMounts.mountPropagation");
            causes.push(Cause::not_supported(field, &Json::str(spread), KNOWN));
        }
    }
}

fn standard(name: &str) -> bool {
    matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-")
}

/// Limits and requests of a container.
pub(super) fn resources(resources: &Json, at: &str, causes: &mut Vec<Cause>) {
    let list = |which: &str| resources.get(which).and_then(Json::as_map).cloned().unwrap_or_default();
    let (limits, requests) = (list("limits"), list("requests"));
    let mut huge = false;
    for (which, map) in [("limits", &limits), ("requests", &requests)] {
        for (name, value) in map.iter() {
            let field = format!("{at}.{which}[{name}]");
            if !standard(name) && !name.contains('/') {
                for words in [
                    "must be a standard resource type or fully qualified",
                    "must be a standard resource for containers",
                ] {
                    causes.push(Cause::invalid(&field, &Json::str(name.clone()), words));
                }
            }
            let Some(amount) = value.as_str().and_then(nanos) else { continue };
            if amount < 0 {
                causes.push(Cause::invalid(&field, value, "must be greater than or equal to 0"));
            }
            if name.contains('/') && amount % 1_000_000_000 != 0 {
                causes.push(Cause::invalid(&field, value, "must be an integer"));
            }
            if let Some(page) = name.strip_prefix("hugepages-") {
                huge = true;
                if nanos(page).is_some_and(|page| page > 0 && (amount <= 0 || amount % page != 0)) {
                    let shown = value.as_str().unwrap_or("");
                    let words = format!("{shown} is not positive integer multiple of {name}");
                    causes.push(Cause::invalid(&field, value, &words));
                }
            }
            if which == "requests" {
                let limit = limits.get(name).and_then(Json::as_str);
                match limit {
                    Some(text) if nanos(text).is_some_and(|limit| amount > limit) => {
                        let words = format!("must be less than or equal to {name} limit of {text}");
                        causes.push(Cause::invalid(format!("{at}.requests"), value, &words));
                    }
                    None if name.contains('/') || name.starts_with("hugepages-") => {
                        let words = "Limit must be set for non overcommitable resources";
                        causes.push(Cause::required(format!("{at}.limits"), words));
                    }
                    _ => {}
                }
            }
        }
    }
    let plain = |map: &base::Map| map.contains_key("cpu") || map.contains_key("memory");
    if huge && !plain(&limits) && !plain(&requests) {
        causes.push(Cause::forbidden(at, "HugePages require cpu or memory"));
    }
}

fn security(container: &Json, at: &str, causes: &mut Vec<Cause>) {
    let Some(context) = container.get("securityContext") else { return };
    let profile = context.get("seccompProfile");
    if profile.is_some_and(|p| p.text_at(&["type"]) == "Localhost" && p.text_at(&["localhostProfile"]).is_empty()) {
        let field = format!("{at}.securityContext.seccompProfile.localhostProfile");
        causes.push(Cause::required(field, "must be set when seccomp type is Localhost"));
    }
}
