//! Validation of the built-in kinds, in the server's words: names and metadata here, pods, containers and single kinds in
//! files of their own, plain fields in the table of [`crate::rules`].

mod container;
mod kinds;
mod network;
mod pod;

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
        "Pod" => pod::check(object, "spec", &mut causes),
        "Job" => job(object, "spec", &mut causes),
        "CronJob" => cron_job(object, &mut causes),
        "Service" => service(object, &mut causes),
        "ConfigMap" | "Secret" => data_keys(object, &mut causes),
        _ => {}
    }
    kinds::check(kind, object, &mut causes);
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
    fixed(kind, old, new, &mut causes);
    if kind == "Secret" && old.get("type") != new.get("type") {
        causes.push(Cause::invalid("type", new.get("type").unwrap_or(&Json::Null), "field is immutable"));
    }
    causes
}

/// Fields that never change, whole.
const FIXED: &[(&str, &[&str], &str)] = &[
    ("StorageClass", &["parameters"], "parameters"),
    ("StorageClass", &["provisioner"], "provisioner"),
    ("StorageClass", &["reclaimPolicy"], "reclaimPolicy"),
    ("StorageClass", &["volumeBindingMode"], "volumeBindingMode"),
    ("PriorityClass", &["preemptionPolicy"], "preemptionPolicy"),
    ("IngressClass", &["spec", "controller"], "spec.controller"),
    ("ResourceQuota", &["spec", "scopes"], "spec.scopes"),
    ("Job", &["spec", "completionMode"], "spec.completionMode"),
    ("Job", &["spec", "completions"], "spec.completions"),
    ("PersistentVolume", &["spec", "volumeMode"], "volumeMode"),
];

fn fixed(kind: &str, old: &Json, new: &Json, causes: &mut Vec<Cause>) {
    for (_, path, field) in FIXED.iter().filter(|(own, ..)| *own == kind) {
        let (was, is) = (old.at(path), new.at(path));
        if was != is {
            causes.push(Cause::invalid(*field, is.unwrap_or(&Json::Null), "field is immutable"));
        }
    }
    if kind == "PriorityClass" && old.get("value") != new.get("value") {
        causes.push(Cause::forbidden("value", "may not be changed in an update."));
    }
    if matches!(kind, "RoleBinding" | "ClusterRoleBinding") && old.get("roleRef") != new.get("roleRef") {
        let text = |key: &str| new.text_at(&["roleRef", key]);
        let shown = format!(
            "{{\"APIGroup\":{},\"Kind\":{},\"Name\":{}}}",
            Json::str(text("apiGroup")).to_raw_text(),
            Json::str(text("kind")).to_raw_text(),
            Json::str(text("name")).to_raw_text()
        );
        let message = format!("Invalid value: {shown}: cannot change roleRef");
        causes.push(Cause { reason: "FieldValueInvalid", message, field: "roleRef".into() });
    }
    if kind == "StatefulSet" {
        let rest = |object: &Json| {
            let mut spec = object.get("spec").cloned().unwrap_or_default();
            for key in [
                "replicas",
                "ordinals",
                "template",
                "updateStrategy",
                "revisionHistoryLimit",
                "persistentVolumeClaimRetentionPolicy",
                "minReadySeconds",
            ] {
                spec.remove(&[key]);
            }
            spec
        };
        if rest(old) != rest(new) {
            const WHY: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
            causes.push(Cause::forbidden("spec", WHY));
        }
    }
}

/// A label selector.
fn selector(value: Option<&Json>, field: &str, causes: &mut Vec<Cause>) {
    let Some(value) = value else { return };
    metadata::labels(value.get("matchLabels"), &format!("{field}.matchLabels"), causes);
    for (i, one) in value.items_at(&["matchExpressions"]).iter().enumerate() {
        let at = format!("{field}.matchExpressions[{i}]");
        let values = one.items_at(&["values"]);
        match one.text_at(&["operator"]) {
            "In" | "NotIn" if values.is_empty() => {
                let words = "must be specified when `operator` is 'In' or 'NotIn'";
                causes.push(Cause::required(format!("{at}.values"), words));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                causes.push(Cause::forbidden(format!("{at}.values"), words));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => {
                let words = "not a valid selector operator";
                causes.push(Cause::invalid(format!("{at}.operator"), &Json::str(other), words));
            }
        }
        let key = one.text_at(&["key"]);
        metadata::qualified(key, &format!("{at}.key"), key, causes);
    }
}

fn job(object: &Json, at: &str, causes: &mut Vec<Cause>) {
    let path = format!("{at}.template.spec");
    pod::check(object, &path, causes);
    let keys: Vec<&str> = path.split('.').collect();
    let restart = object.at(&keys).map_or("", |spec| spec.text_at(&["restartPolicy"]));
    let field = format!("{path}.restartPolicy");
    match restart {
        "OnFailure" | "Never" => {}
        // The default of pods is what nobody chose.
        "" | "Always" => causes.push(if restart.is_empty() {
            Cause::required(field, "valid values: \"OnFailure\", \"Never\"")
        } else {
            Cause::not_supported(field, &Json::str(restart), &["OnFailure", "Never"])
        }),
        other => causes.push(Cause::not_supported(field, &Json::str(other), &["OnFailure", "Never"])),
    }
    let spec: Vec<&str> = at.split('.').collect();
    let spec = object.at(&spec).cloned().unwrap_or_default();
    let mode = spec.text_at(&["completionMode"]);
    const MODES: &[&str] = &["NonIndexed", "Indexed"];
    if !mode.is_empty() && !MODES.contains(&mode) {
        causes.push(Cause::not_supported(format!("{at}.completionMode"), &Json::str(mode), MODES));
    }
    if mode == "Indexed" && spec.get("completions").is_none() {
        let words = "when completion mode is Indexed";
        causes.push(Cause::required(format!("{at}.completions"), words));
    }
}

fn cron_job(object: &Json, causes: &mut Vec<Cause>) {
    let schedule = object.text_at(&["spec", "schedule"]);
    if !schedule.is_empty()
        && let Some(words) = schedule_fault(schedule)
    {
        causes.push(Cause::invalid("spec.schedule", &Json::str(schedule), &words));
    }
    let zone = object.at(&["spec", "timeZone"]).and_then(Json::as_str);
    if zone == Some("") {
        let words = "timeZone must be nil or non-empty string";
        causes.push(Cause::invalid("spec.timeZone", &"".into(), words));
    }
    job(object, "spec.jobTemplate.spec", causes);
    if object.at(&["spec", "jobTemplate", "spec", "manualSelector"]).and_then(Json::as_bool) == Some(true) {
        let field = "spec.jobTemplate.spec.manualSelector";
        causes.push(Cause::not_supported(field, &Json::Bool(true), &["nil", "false"]));
    }
    let name = object.text_at(&["metadata", "name"]);
    if name.len() > 52 {
        // The Jobs get eleven characters more.
        causes.push(Cause::invalid("metadata.name", &Json::str(name), "must be no more than 52 characters"));
    }
}

/// What is wrong with a cron schedule, in the words of its parser.
fn schedule_fault(schedule: &str) -> Option<String> {
    if schedule.contains("TZ") {
        return Some("cannot use TZ or CRON_TZ in schedule, use timeZone field instead".into());
    }
    if let Some(word) = schedule.strip_prefix('@') {
        const KNOWN: &[&str] = &["yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly"];
        let known = KNOWN.contains(&word) || word.starts_with("every ");
        return (!known).then(|| format!("unrecognized descriptor: {schedule}"));
    }
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    if fields.len() != 5 {
        return Some(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    const BOUNDS: [(u32, u32); 5] = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)];
    fields.iter().zip(BOUNDS).flat_map(|(field, bounds)| field.split(',').map(move |part| (part, bounds))).find_map(
        |(part, (least, most))| {
            let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
            let number = |text: &str| text.parse::<u32>().ok();
            let (start, end) = match range {
                "*" | "?" => (least, most),
                _ => {
                    let (from, to) = range.split_once('-').unwrap_or((range, range));
                    match (number(from), number(to)) {
                        (Some(from), Some(to)) => (from, if step.is_some() && from == to { most } else { to }),
                        // Names of months and days.
                        _ if range.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-') => (least, most),
                        _ => {
                            return Some(format!(
                                "failed to parse int from {range}: strconv.Atoi: parsing \"{range}\": invalid syntax"
                            ));
                        }
                    }
                }
            };
            if start < least {
                return Some(format!("beginning of range ({start}) below minimum ({least}): {part}"));
            }
            if end > most {
                return Some(format!("end of range ({end}) above maximum ({most}): {part}"));
            }
            if start > end {
                return Some(format!("beginning of range ({start}) beyond end of range ({end}): {part}"));
            }
            (step.and_then(number) == Some(0)).then(|| format!("step of range should be a positive number: {part}"))
        },
    )
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
    let before = causes.len();
    self::selector(selector, "spec.selector", causes);
    if causes.len() > before
        && let Some(selector) = selector
    {
        causes.push(Cause::invalid("spec.selector", selector, "invalid label selector"));
    }
    let template = object.at(&["spec", "template"]).cloned().unwrap_or_default();
    metadata::labels(template.at(&["metadata", "labels"]), "spec.template.labels", causes);
    metadata::annotations(template.at(&["metadata", "annotations"]), "spec.template.annotations", causes);
    let matched = match selector {
        Some(selector) => causes.len() > before || Labels::of(selector).matches(&template),
        None => kind == "ReplicationController",
    };
    if !matched {
        let labels = template.at(&["metadata", "labels"]).cloned().unwrap_or_default();
        const WHY: &str = "`selector` does not match template `labels`";
        causes.push(Cause::invalid("spec.template.metadata.labels", &labels, WHY));
    }
    pod::check(object, "spec.template.spec", causes);
    let strategy = object.at(&["spec", "strategy"]);
    if kind == "Deployment"
        && strategy.is_some_and(|s| s.text_at(&["type"]) == "Recreate" && s.get("rollingUpdate").is_some())
    {
        const WHY: &str = "may not be specified when strategy `type` is 'Recreate'";
        causes.push(Cause::forbidden("spec.strategy.rollingUpdate", WHY));
    }
    strategies(kind, object, causes);
    let restart = object.text_at(&["spec", "template", "spec", "restartPolicy"]);
    if restart != "Always" && !restart.is_empty() {
        causes.push(Cause::not_supported("spec.template.spec.restartPolicy", &Json::str(restart), &["Always"]));
    }
}

/// How a workload replaces its pods.
fn strategies(kind: &str, object: &Json, causes: &mut Vec<Cause>) {
    let number = |value: Option<&Json>| match value {
        Some(Json::Int(n)) => *n == 0,
        Some(Json::Str(text)) => text.trim_end_matches('%').parse::<u64>() == Ok(0),
        _ => false,
    };
    match kind {
        "Deployment" => {
            let at = "spec.strategy";
            let strategy = object.at(&["spec", "strategy"]).cloned().unwrap_or_default();
            let how = strategy.text_at(&["type"]);
            if !matches!(how, "Recreate" | "RollingUpdate" | "") {
                let message = format!(
                    "Unsupported value: {{\"Type\":\"{how}\",\"RollingUpdate\":null}}: supported values: \"Recreate\", \"RollingUpdate\""
                );
                causes.push(Cause { reason: "FieldValueNotSupported", message, field: at.into() });
            }
            let (surge, gone) =
                (strategy.at(&["rollingUpdate", "maxSurge"]), strategy.at(&["rollingUpdate", "maxUnavailable"]));
            if how == "RollingUpdate" {
                kinds::count_or_percent(gone, "spec.strategy.rollingUpdate.maxUnavailable", causes);
                kinds::count_or_percent(surge, "spec.strategy.rollingUpdate.maxSurge", causes);
                if number(gone) && number(surge) {
                    let words = "may not be 0 when `maxSurge` is 0";
                    let shown = gone.cloned().unwrap_or_default();
                    causes.push(Cause::invalid("spec.strategy.rollingUpdate.maxUnavailable", &shown, words));
                }
                kinds::percent_above(gone, "spec.strategy.rollingUpdate.maxUnavailable", causes);
            }
            let ready = object.int_at(&["spec", "minReadySeconds"]).unwrap_or(0);
            if let Some(deadline) = object.int_at(&["spec", "progressDeadlineSeconds"])
                && deadline <= ready
            {
                let field = "spec.progressDeadlineSeconds";
                if deadline < 0 {
                    let words = "must be greater than or equal to 0";
                    causes.push(Cause::invalid(field, &Json::Int(deadline), words));
                }
                causes.push(Cause::invalid(field, &Json::Int(deadline), "must be greater than minReadySeconds"));
            }
        }
        "DaemonSet" => {
            let strategy = object.at(&["spec", "updateStrategy"]).cloned().unwrap_or_default();
            let how = strategy.text_at(&["type"]);
            if !matches!(how, "OnDelete" | "RollingUpdate" | "") {
                let message = format!(
                    "Unsupported value: {{\"Type\":\"{how}\",\"RollingUpdate\":null}}: supported values: \"RollingUpdate\", \"OnDelete\""
                );
                causes.push(Cause { reason: "FieldValueNotSupported", message, field: "spec.updateStrategy".into() });
            }
            let (surge, gone) =
                (strategy.at(&["rollingUpdate", "maxSurge"]), strategy.at(&["rollingUpdate", "maxUnavailable"]));
            if how == "RollingUpdate" && gone.is_some() {
                let none = surge.is_none() || number(surge);
                if number(gone) && none {
                    let field = "spec.updateStrategy.rollingUpdate.maxUnavailable";
                    causes.push(Cause::required(field, "cannot be 0 when maxSurge is 0"));
                } else if !number(gone) && !none {
                    let words = "may not be set when maxUnavailable is non-zero";
                    let shown = surge.cloned().unwrap_or_default();
                    causes.push(Cause::invalid("spec.updateStrategy.rollingUpdate.maxSurge", &shown, words));
                }
            }
        }
        "StatefulSet" => {
            let how = object.text_at(&["spec", "updateStrategy", "type"]);
            let rolling = object.at(&["spec", "updateStrategy", "rollingUpdate"]);
            let partition = rolling.and_then(|r| r.int_at(&["partition"]));
            match how {
                "RollingUpdate" | "" => {
                    if let Some(partition) = partition.filter(|p| *p < 0) {
                        let field = "spec.updateStrategy.rollingUpdate.partition";
                        causes.push(Cause::invalid(field, &Json::Int(partition), "must be greater than or equal to 0"));
                    }
                }
                "OnDelete" => {
                    if rolling.is_some() {
                        let shown = partition.map_or("null".to_string(), |p| p.to_string());
                        let message = format!(
                            "Invalid value: {{\"Partition\":{shown},\"MaxUnavailable\":null}}: only allowed for updateStrategy 'RollingUpdate'"
                        );
                        let field = "spec.updateStrategy.rollingUpdate".to_string();
                        causes.push(Cause { reason: "FieldValueInvalid", message, field });
                    }
                }
                other => {
                    let message = format!(
                        "Invalid value: {{\"Type\":\"{other}\",\"RollingUpdate\":null}}: must be 'RollingUpdate' or 'OnDelete'"
                    );
                    causes.push(Cause { reason: "FieldValueInvalid", message, field: "spec.updateStrategy".into() });
                }
            }
            let management = object.text_at(&["spec", "podManagementPolicy"]);
            if !matches!(management, "OrderedReady" | "Parallel" | "") {
                let words = "must be 'OrderedReady' or 'Parallel'";
                causes.push(Cause::invalid("spec.podManagementPolicy", &Json::str(management), words));
            }
            for key in ["whenDeleted", "whenScaled"] {
                let policy = object.text_at(&["spec", "persistentVolumeClaimRetentionPolicy", key]);
                if !matches!(policy, "Retain" | "Delete" | "") {
                    let field = format!("spec.persistentVolumeClaimRetentionPolicy.{key}");
                    causes.push(Cause::not_supported(field, &Json::str(policy), &["Retain", "Delete"]));
                }
            }
            let service = object.text_at(&["spec", "serviceName"]);
            if !service.is_empty() && !is_label(service) {
                causes.push(Cause::invalid("spec.serviceName", &Json::str(service), LABEL));
            }
            for (i, claim) in object.items_at(&["spec", "volumeClaimTemplates"]).iter().enumerate() {
                let spec = claim.get("spec").cloned().unwrap_or_default();
                kinds::claim(&spec, &format!("spec.volumeClaimTemplates[{i}].spec"), causes);
            }
        }
        _ => {}
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
    service_fields(&spec, kind, causes);
}

const ADDRESS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

fn service_fields(spec: &Json, kind: &str, causes: &mut Vec<Cause>) {
    let ports = spec.items_at(&["ports"]);
    let mut names: Vec<&str> = Vec::new();
    for (i, port) in ports.iter().enumerate() {
        let at = format!("spec.ports[{i}]");
        let name = port.text_at(&["name"]);
        if !name.is_empty() {
            if !is_label(name) {
                causes.push(Cause::invalid(format!("{at}.name"), &Json::str(name), LABEL));
            } else if names.contains(&name) {
                causes.push(Cause::duplicate(format!("{at}.name"), &Json::str(name)));
            }
            names.push(name);
        }
        if let Some(Json::Str(target)) = port.get("targetPort") {
            container::port_name(target, &format!("{at}.targetPort"), causes);
        }
        let key = |port: &Json| (port.text_at(&["protocol"]).to_string(), port.int_at(&["port"]));
        if ports[..i].iter().any(|other| key(other) == key(port)) {
            let protocol = port.text_at(&["protocol"]);
            let number = port.int_at(&["port"]).unwrap_or(0);
            let message = format!(
                "Duplicate value: {{\"Name\":\"\",\"Protocol\":\"{protocol}\",\"AppProtocol\":null,\"Port\":{number},\"TargetPort\":0,\"NodePort\":0}}"
            );
            causes.push(Cause { reason: "FieldValueDuplicate", message, field: at });
        }
    }
    metadata::labels(spec.get("selector"), "spec.selector", causes);
    let text = |key: &str| spec.text_at(&[key]);
    let one_of = |key: &str, known: &[&str], causes: &mut Vec<Cause>| {
        if !text(key).is_empty() && !known.contains(&text(key)) {
            causes.push(Cause::not_supported(format!("spec.{key}"), &Json::str(text(key)), known));
        }
    };
    if kind == "ExternalName" {
        if text("externalName").is_empty() {
            causes.push(Cause::required("spec.externalName", ""));
        } else {
            metadata::subdomain(text("externalName").trim_end_matches('.'), "spec.externalName", causes);
        }
    }
    let address = text("clusterIP");
    if !address.is_empty() && address != "None" && address.parse::<std::net::IpAddr>().is_err() {
        causes.push(Cause::invalid("spec.clusterIPs[0]", &Json::str(address), ADDRESS));
    }
    if address == "None" && matches!(kind, "NodePort" | "LoadBalancer") {
        let words = format!("may not be set to 'None' for {kind} services");
        causes.push(Cause::invalid("spec.clusterIPs[0]", &Json::str(address), &words));
    }
    for (i, ip) in spec.items_at(&["externalIPs"]).iter().enumerate() {
        let field = format!("spec.externalIPs[{i}]");
        match ip.as_str().and_then(|ip| ip.parse::<std::net::IpAddr>().ok()) {
            None => causes.push(Cause::invalid(field, ip, ADDRESS)),
            Some(address) if address.is_loopback() => {
                let words = "may not be in the loopback range (127.0.0.0/8, ::1/128)";
                causes.push(Cause::invalid(field, ip, words));
            }
            Some(_) => {}
        }
    }
    let balanced = kind == "LoadBalancer";
    const ONLY: &str = "may only be used when `type` is 'LoadBalancer'";
    if spec.get("allocateLoadBalancerNodePorts").is_some() && !balanced {
        causes.push(Cause::forbidden("spec.allocateLoadBalancerNodePorts", ONLY));
    }
    if !text("loadBalancerClass").is_empty() && !balanced {
        causes.push(Cause::forbidden("spec.loadBalancerClass", ONLY));
    }
    let ranges = spec.items_at(&["loadBalancerSourceRanges"]);
    if !ranges.is_empty() && !balanced {
        causes.push(Cause::forbidden("spec.LoadBalancerSourceRanges", ONLY));
    }
    for (i, range) in ranges.iter().enumerate().filter(|_| balanced) {
        if range.as_str().and_then(network::range).is_none() {
            let words = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
            causes.push(Cause::invalid(format!("spec.LoadBalancerSourceRanges[{i}]"), range, words));
        }
    }
    one_of("internalTrafficPolicy", &["Cluster", "Local"], causes);
    one_of("ipFamilyPolicy", &["PreferDualStack", "RequireDualStack", "SingleStack"], causes);
    one_of("trafficDistribution", &["PreferClose", "PreferSameZone", "PreferSameNode"], causes);
    let outside = matches!(kind, "NodePort" | "LoadBalancer") || !spec.items_at(&["externalIPs"]).is_empty();
    let policy = text("externalTrafficPolicy");
    if !policy.is_empty() && !outside {
        let words = "may only be set for externally-accessible services";
        causes.push(Cause::invalid("spec.externalTrafficPolicy", &Json::str(policy), words));
    } else {
        one_of("externalTrafficPolicy", &["Cluster", "Local"], causes);
    }
    if let Some(port) = spec.int_at(&["healthCheckNodePort"]).filter(|port| *port != 0)
        && !(balanced && policy == "Local")
    {
        let words = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        causes.push(Cause::invalid("spec.healthCheckNodePort", &Json::Int(port), words));
    }
    for (i, family) in spec.items_at(&["ipFamilies"]).iter().enumerate() {
        if !matches!(family.as_str(), Some("IPv4" | "IPv6")) {
            causes.push(Cause::not_supported(format!("spec.ipFamilies[{i}]"), family, &["IPv4", "IPv6"]));
        }
    }
}

fn data_keys(object: &Json, causes: &mut Vec<Cause>) {
    for field in ["data", "binaryData"] {
        for key in object.get(field).and_then(Json::as_map).into_iter().flatten().map(|(key, _)| key) {
            let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
            if matches!(&**key, "." | "..") {
                causes.push(Cause::invalid(
                    format!("{field}[{key}]"),
                    &Json::str(key.clone()),
                    &format!("must not be '{key}'"),
                ));
            } else if key.len() > 253 {
                let words = "must be no more than 253 characters";
                causes.push(Cause::invalid(format!("{field}[{key}]"), &Json::str(key.clone()), words));
            } else if key.is_empty() || !key.bytes().all(good) {
                const WHY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
                causes.push(Cause::invalid(format!("{field}[{key}]"), &Json::str(key.clone()), WHY));
            }
        }
    }
}
