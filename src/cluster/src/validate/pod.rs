//! Rules of pod specs beyond single fields: volumes, tolerations, spreading, affinity, and what belongs together.
//! Mirrors `ValidatePodSpec` of the API server's core validation.

use super::container::{self, Pod};
use super::{LABEL, selector};
use crate::metadata;
use crate::quantity::nanos;
use crate::status::Cause;
use base::Json;

/// Checks the spec at a dotted path of an object.
pub(super) fn check(object: &Json, path: &str, causes: &mut Vec<Cause>) {
    let keys: Vec<&str> = path.split('.').collect();
    let Some(spec) = object.at(&keys) else { return };
    volumes(spec, path, causes);
    let containers = spec.items_at(&["containers"]);
    if containers.is_empty() {
        causes.push(Cause::required(format!("{path}.containers"), ""));
    }
    let mut seen: Vec<&str> = Vec::new();
    for (list, init) in [("containers", false), ("initContainers", true)] {
        for (i, container) in spec.items_at(&[list]).iter().enumerate() {
            let at = format!("{path}.{list}[{i}]");
            container::check(container, &at, &Pod { spec, init }, causes);
            let name = container.text_at(&["name"]);
            if seen.contains(&name) && !name.is_empty() {
                causes.push(Cause::duplicate(format!("{at}.name"), &Json::str(name)));
            }
            seen.push(name);
        }
    }
    let text = |key: &str| spec.text_at(&[key]);
    for key in ["hostname", "subdomain"] {
        let name = text(key);
        if !name.is_empty() && !metadata::is_label(name) {
            let words = if name.contains('.') && name.split('.').all(metadata::is_label) {
                "must not contain dots"
            } else {
                LABEL
            };
            causes.push(Cause::invalid(format!("{path}.{key}"), &Json::str(name), words));
        }
    }
    if text("dnsPolicy") == "None" && spec.at(&["dnsConfig", "nameservers"]).is_none() {
        if spec.get("dnsConfig").is_none() {
            let words = "must provide `dnsConfig` when `dnsPolicy` is None";
            causes.push(Cause::required(format!("{path}.dnsConfig"), words));
        } else {
            let words = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            causes.push(Cause::required(format!("{path}.dnsConfig.nameservers"), words));
        }
    }
    for (i, gate) in spec.items_at(&["readinessGates"]).iter().enumerate() {
        let kind = gate.text_at(&["conditionType"]);
        metadata::qualified(kind, &format!("{path}.readinessGates[{i}].conditionType"), kind, causes);
    }
    for (i, gate) in spec.items_at(&["schedulingGates"]).iter().enumerate() {
        let name = gate.text_at(&["name"]);
        metadata::qualified(name, &format!("{path}.schedulingGates[{i}]"), name, causes);
    }
    for (i, sysctl) in spec.items_at(&["securityContext", "sysctls"]).iter().enumerate() {
        let name = sysctl.text_at(&["name"]);
        let good = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.' | b'/');
        if !name.bytes().all(good) {
            const WORDS: &str = "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
            causes.push(Cause::invalid(format!("{path}.securityContext.sysctls[{i}].name"), &Json::str(name), WORDS));
        }
    }
    tolerations(spec, path, causes);
    spreading(spec, path, causes);
    affinity(spec, path, causes);
}

fn volumes(spec: &Json, path: &str, causes: &mut Vec<Cause>) {
    let mut names: Vec<&str> = Vec::new();
    for (i, volume) in spec.items_at(&["volumes"]).iter().enumerate() {
        let at = format!("{path}.volumes[{i}]");
        let kinds: Vec<&std::rc::Rc<str>> =
            volume.as_map().into_iter().flatten().map(|(key, _)| key).filter(|key| &***key != "name").collect();
        if kinds.is_empty() {
            causes.push(Cause::required(&at, "must specify a volume type"));
        }
        const ORDER: [&str; 6] = ["emptyDir", "hostPath", "secret", "nfs", "persistentVolumeClaim", "configMap"];
        let mut given: Vec<&str> = ORDER.into_iter().filter(|kind| volume.get(kind).is_some()).collect();
        given.extend(kinds.iter().map(|kind| &***kind).filter(|kind| !ORDER.contains(kind)));
        for kind in given.iter().skip(1) {
            causes.push(Cause::forbidden(format!("{at}.{kind}"), "may not specify more than 1 volume type"));
        }
        if let Some(limit) = volume.at(&["emptyDir", "sizeLimit"]).and_then(Json::as_str).and_then(nanos)
            && limit < 0
        {
            let words = "SizeLimit field must be a valid resource quantity";
            causes.push(Cause::forbidden(format!("{at}.emptyDir.sizeLimit"), words));
        }
        let host = volume.text_at(&["hostPath", "path"]);
        if host.split('/').any(|part| part == "..") {
            causes.push(Cause::invalid(format!("{at}.hostPath.path"), &Json::str(host), "must not contain '..'"));
        }
        if let Some(nfs) = volume.get("nfs") {
            let path = nfs.text_at(&["path"]);
            if nfs.text_at(&["server"]).is_empty() {
                causes.push(Cause::required(format!("{at}.nfs.server"), ""));
            }
            if path.is_empty() {
                causes.push(Cause::required(format!("{at}.nfs.path"), ""));
            }
            if !path.starts_with('/') {
                causes.push(Cause::invalid(format!("{at}.nfs.path"), &Json::str(path), "must be an absolute path"));
            }
        }
        for file in volume.items_at(&["downwardAPI", "items"]) {
            if file.get("fieldRef").is_none() && file.get("resourceFieldRef").is_none() {
                let words = "one of fieldRef and resourceFieldRef is required";
                causes.push(Cause::required(format!("{at}.downwardAPI"), words));
            }
        }
        let name = volume.text_at(&["name"]);
        if name.is_empty() {
            causes.push(Cause::required(format!("{at}.name"), ""));
        } else {
            if name.len() > 63 {
                let words = "must be no more than 63 characters";
                causes.push(Cause::invalid(format!("{at}.name"), &Json::str(name), words));
            }
            if !metadata::is_label(name) {
                causes.push(Cause::invalid(format!("{at}.name"), &Json::str(name), LABEL));
            }
            if names.contains(&name) {
                causes.push(Cause::duplicate(format!("{at}.name"), &Json::str(name)));
            }
        }
        names.push(name);
    }
}

fn tolerations(spec: &Json, path: &str, causes: &mut Vec<Cause>) {
    for (i, toleration) in spec.items_at(&["tolerations"]).iter().enumerate() {
        let at = format!("{path}.tolerations[{i}]");
        let text = |key: &str| toleration.text_at(&[key]);
        if text("key").is_empty() && text("operator") != "Exists" {
            const WORDS: &str =
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            causes.push(Cause::invalid(format!("{at}.operator"), &Json::str(text("operator")), WORDS));
        }
        if toleration.get("tolerationSeconds").is_some() && text("effect") != "NoExecute" {
            let words = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            causes.push(Cause::invalid(format!("{at}.effect"), &Json::str(text("effect")), words));
        }
        if text("operator") == "Exists" && !text("value").is_empty() {
            let words = "value must be empty when `operator` is 'Exists'";
            causes.push(Cause::invalid(format!("{at}.operator"), &Json::str(text("value")), words));
        }
    }
}

fn spreading(spec: &Json, path: &str, causes: &mut Vec<Cause>) {
    let list = spec.items_at(&["topologySpreadConstraints"]);
    for (i, one) in list.iter().enumerate() {
        let at = format!("{path}.topologySpreadConstraints[{i}]");
        let skew = one.int_at(&["maxSkew"]).unwrap_or(0);
        if skew <= 0 {
            causes.push(Cause::invalid(format!("{at}.maxSkew"), &Json::Int(skew), "must be greater than zero"));
        }
        let (key, when) = (one.text_at(&["topologyKey"]), one.text_at(&["whenUnsatisfiable"]));
        if key.is_empty() {
            causes.push(Cause::required(format!("{at}.topologyKey"), "can not be empty"));
        } else {
            metadata::qualified(key, &format!("{at}.topologyKey"), key, causes);
        }
        const KNOWN: &[&str] = &["DoNotSchedule", "ScheduleAnyway"];
        if !KNOWN.contains(&when) {
            causes.push(Cause::not_supported(format!("{at}.whenUnsatisfiable"), &Json::str(when), KNOWN));
        }
        let same =
            |other: &Json| other.text_at(&["topologyKey"]) == key && other.text_at(&["whenUnsatisfiable"]) == when;
        if list[i + 1..].iter().any(same) {
            let field = format!("{at}.{{topologyKey, whenUnsatisfiable}}");
            causes.push(Cause::duplicate(field, &Json::str(format!("{{{key}, {when}}}"))));
        }
        if let Some(domains) = one.int_at(&["minDomains"]) {
            if domains <= 0 {
                causes.push(Cause::invalid(
                    format!("{at}.minDomains"),
                    &Json::Int(domains),
                    "must be greater than zero",
                ));
            }
            if when == "ScheduleAnyway" {
                let words = "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway";
                causes.push(Cause::invalid(format!("{at}.minDomains"), &Json::Int(domains), words));
            }
        }
        selector(one.get("labelSelector"), &format!("{at}.labelSelector"), causes);
    }
}

fn affinity(spec: &Json, path: &str, causes: &mut Vec<Cause>) {
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
    let at = format!("{path}.affinity.nodeAffinity");
    if let Some(required) = spec.at(&["affinity", "nodeAffinity", REQUIRED]) {
        let terms = required.items_at(&["nodeSelectorTerms"]);
        if terms.is_empty() {
            let words = "must have at least one node selector term";
            causes.push(Cause::required(format!("{at}.{REQUIRED}.nodeSelectorTerms"), words));
        }
        for (i, term) in terms.iter().enumerate() {
            node_term(term, &format!("{at}.{REQUIRED}.nodeSelectorTerms[{i}]"), causes);
        }
    }
    for (i, term) in spec.items_at(&["affinity", "nodeAffinity", PREFERRED]).iter().enumerate() {
        weight(term, &format!("{at}.{PREFERRED}[{i}]"), causes);
        node_term(term.get("preference").unwrap_or(&Json::Null), &format!("{at}.{PREFERRED}[{i}].preference"), causes);
    }
    for which in ["podAffinity", "podAntiAffinity"] {
        let at = format!("{path}.affinity.{which}");
        for (i, term) in spec.items_at(&["affinity", which, REQUIRED]).iter().enumerate() {
            pod_term(term, &format!("{at}.{REQUIRED}[{i}]"), causes);
        }
        for (i, term) in spec.items_at(&["affinity", which, PREFERRED]).iter().enumerate() {
            weight(term, &format!("{at}.{PREFERRED}[{i}]"), causes);
            let inner = term.get("podAffinityTerm").unwrap_or(&Json::Null);
            pod_term(inner, &format!("{at}.{PREFERRED}[{i}].podAffinityTerm"), causes);
        }
    }
}

fn weight(term: &Json, at: &str, causes: &mut Vec<Cause>) {
    let weight = term.int_at(&["weight"]).unwrap_or(0);
    if !(1..=100).contains(&weight) {
        causes.push(Cause::invalid(format!("{at}.weight"), &Json::Int(weight), "must be in the range 1-100"));
    }
}

fn pod_term(term: &Json, at: &str, causes: &mut Vec<Cause>) {
    selector(term.get("labelSelector"), &format!("{at}.labelSelector"), causes);
    let key = term.text_at(&["topologyKey"]);
    let field = format!("{at}.topologyKey");
    if key.is_empty() {
        causes.push(Cause::required(&field, "can not be empty"));
    }
    metadata::qualified(key, &field, key, causes);
}

fn node_term(term: &Json, at: &str, causes: &mut Vec<Cause>) {
    for (i, expression) in term.items_at(&["matchExpressions"]).iter().enumerate() {
        let at = format!("{at}.matchExpressions[{i}]");
        let values = expression.items_at(&["values"]);
        match expression.text_at(&["operator"]) {
            "In" | "NotIn" if values.is_empty() => {
                let words = "must be specified when `operator` is 'In' or 'NotIn'";
                causes.push(Cause::required(format!("{at}.values"), words));
            }
            "In" | "NotIn" => {}
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                causes.push(Cause::forbidden(format!("{at}.values"), words));
            }
            "Exists" | "DoesNotExist" => {}
            "Gt" | "Lt" if values.len() != 1 => {
                let words = "must be specified single value when `operator` is 'Lt' or 'Gt'";
                causes.push(Cause::required(format!("{at}.values"), words));
            }
            "Gt" | "Lt" => {}
            other => {
                let words = "not a valid selector operator";
                causes.push(Cause::invalid(format!("{at}.operator"), &Json::str(other), words));
            }
        }
        let key = expression.text_at(&["key"]);
        metadata::qualified(key, &format!("{at}.key"), key, causes);
    }
}
