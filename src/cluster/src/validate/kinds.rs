//! Rules of single kinds: access control, storage, autoscaling, disruption, networking, quotas, secrets. Mirrors the
//! `validation` packages of the API server, one function a kind.

use super::{network, selector};
use crate::metadata;
use crate::quantity::nanos;
use crate::status::Cause;
use base::Json;

type Causes = Vec<Cause>;

/// Checks an object of a kind that has rules here.
pub(super) fn check(kind: &str, object: &Json, causes: &mut Causes) {
    match kind {
        "Role" | "ClusterRole" => role(kind, object, causes),
        "RoleBinding" | "ClusterRoleBinding" => binding(kind, object, causes),
        "StorageClass" => storage_class(object, causes),
        "PersistentVolumeClaim" => claim(object.get("spec").unwrap_or(&Json::Null), "spec", causes),
        "PersistentVolume" => volume(object, causes),
        "PodDisruptionBudget" => budget(object, causes),
        "HorizontalPodAutoscaler" => autoscaler(object, causes),
        "NetworkPolicy" => network::policy(object, causes),
        "Ingress" => network::ingress(object, causes),
        "IngressClass" => {
            let controller = object.text_at(&["spec", "controller"]);
            if controller.is_empty() {
                causes.push(Cause::required("spec.controller", ""));
            }
        }
        "ResourceQuota" => quota(object, causes),
        "Secret" => secret(object, causes),
        "PriorityClass" => priority(object, causes),
        "Namespace" => {
            for finalizer in object.items_at(&["spec", "finalizers"]) {
                let text = finalizer.as_str().unwrap_or("");
                if text != "kubernetes" && !text.contains('/') {
                    let words = "name is neither a standard finalizer name nor is it fully qualified";
                    causes.push(Cause::invalid("spec.finalizers", finalizer, words));
                }
            }
        }
        _ => {}
    }
}

pub(super) fn one_of(object: &Json, key: &str, field: &str, known: &[&str], causes: &mut Causes) {
    let text = object.text_at(&[key]);
    if !text.is_empty() && !known.contains(&text) {
        causes.push(Cause::not_supported(field, &Json::str(text), known));
    }
}

fn role(kind: &str, object: &Json, causes: &mut Causes) {
    for (i, rule) in object.items_at(&["rules"]).iter().enumerate() {
        let at = format!("rules[{i}]");
        let empty = |key: &str| rule.items_at(&[key]).is_empty();
        if empty("verbs") {
            causes.push(Cause::required(format!("{at}.verbs"), "verbs must contain at least one value"));
        }
        if !empty("nonResourceURLs") {
            let urls = rule.get("nonResourceURLs").unwrap_or(&Json::Null);
            let field = format!("{at}.nonResourceURLs");
            if kind == "Role" {
                causes.push(Cause::invalid(&field, urls, "namespaced rules cannot apply to non-resource URLs"));
            }
            if !empty("apiGroups") || !empty("resources") || !empty("resourceNames") {
                let words = "rules cannot apply to both regular resources and non-resource URLs";
                causes.push(Cause::invalid(&field, urls, words));
            }
            continue;
        }
        if empty("apiGroups") {
            let words = "resource rules must supply at least one api group";
            causes.push(Cause::required(format!("{at}.apiGroups"), words));
        }
        if empty("resources") {
            let words = "resource rules must supply at least one resource";
            causes.push(Cause::required(format!("{at}.resources"), words));
        }
    }
    let Some(aggregation) = object.get("aggregationRule").filter(|rule| !rule.is_null()) else { return };
    let selectors = aggregation.items_at(&["clusterRoleSelectors"]);
    if selectors.is_empty() {
        let words = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        causes.push(Cause::required("aggregationRule.clusterRoleSelectors", words));
    }
    for (i, one) in selectors.iter().enumerate() {
        let at = format!("aggregationRule.clusterRoleSelectors[{i}]");
        let before = causes.len();
        selector(Some(one), &at, causes);
        if causes.len() > before {
            causes.push(Cause::invalid(at, &Json::Null, "invalid label selector."));
        }
    }
}

const RBAC: &str = "rbac.authorization.k8s.io";

fn binding(kind: &str, object: &Json, causes: &mut Causes) {
    let reference = object.get("roleRef").unwrap_or(&Json::Null);
    let group = reference.text_at(&["apiGroup"]);
    if group != RBAC {
        causes.push(Cause::not_supported("roleRef.apiGroup", &Json::str(group), &[RBAC]));
    }
    let known: &[&str] = if kind == "ClusterRoleBinding" { &["ClusterRole"] } else { &["Role", "ClusterRole"] };
    let to = reference.text_at(&["kind"]);
    if !known.contains(&to) {
        causes.push(Cause::not_supported("roleRef.kind", &Json::str(to), known));
    }
    if reference.text_at(&["name"]).is_empty() {
        causes.push(Cause::required("roleRef.name", ""));
    }
    for (i, subject) in object.items_at(&["subjects"]).iter().enumerate() {
        let at = format!("subjects[{i}]");
        let text = |key: &str| subject.text_at(&[key]);
        if text("name").is_empty() {
            causes.push(Cause::required(format!("{at}.name"), ""));
        }
        let group = match text("kind") {
            "ServiceAccount" => {
                if !text("name").is_empty() {
                    metadata::subdomain(text("name"), &format!("{at}.name"), causes);
                }
                ""
            }
            "User" | "Group" => RBAC,
            other => {
                const KNOWN: &[&str] = &["ServiceAccount", "User", "Group"];
                causes.push(Cause::not_supported(format!("{at}.kind"), &Json::str(other), KNOWN));
                continue;
            }
        };
        if text("apiGroup") != group {
            causes.push(Cause::not_supported(format!("{at}.apiGroup"), &Json::str(text("apiGroup")), &[group]));
        }
        if text("kind") == "ServiceAccount" && kind == "ClusterRoleBinding" && text("namespace").is_empty() {
            causes.push(Cause::required(format!("{at}.namespace"), ""));
        }
    }
}

fn storage_class(object: &Json, causes: &mut Causes) {
    let provisioner = object.text_at(&["provisioner"]);
    if provisioner.is_empty() {
        causes.push(Cause::required("provisioner", ""));
    } else {
        metadata::qualified(&provisioner.to_lowercase(), "provisioner", provisioner, causes);
    }
    for (key, _) in object.get("parameters").and_then(Json::as_map).into_iter().flatten() {
        if key.is_empty() {
            causes.push(Cause::invalid("parameters", &"".into(), "field can not be empty."));
        }
    }
    one_of(object, "reclaimPolicy", "reclaimPolicy", &["Delete", "Retain"], causes);
    let modes = ["Immediate", "WaitForFirstConsumer"];
    one_of(object, "volumeBindingMode", "volumeBindingMode", &modes, causes);
    for (i, term) in object.items_at(&["allowedTopologies"]).iter().enumerate() {
        for (j, one) in term.items_at(&["matchLabelExpressions"]).iter().enumerate() {
            if one.items_at(&["values"]).is_empty() {
                let field = format!("allowedTopologies[{i}].matchLabelExpressions[{j}].values");
                causes.push(Cause::required(field, ""));
            }
        }
    }
}

const MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

fn access_modes(spec: &Json, at: &str, missing: &str, causes: &mut Causes) {
    let modes = spec.items_at(&["accessModes"]);
    if modes.is_empty() {
        causes.push(Cause::required(format!("{at}.accessModes"), missing));
    }
    for mode in modes.iter().filter(|mode| mode.as_str().is_none_or(|mode| !MODES.contains(&mode))) {
        causes.push(Cause::not_supported(format!("{at}.accessModes"), mode, MODES));
    }
    if modes.len() > 1 && modes.iter().any(|mode| mode.as_str() == Some("ReadWriteOncePod")) {
        let words = "may not use ReadWriteOncePod with other access modes";
        causes.push(Cause::forbidden(format!("{at}.accessModes"), words));
    }
}

/// The spec of a claim, of its own or in a template.
pub(super) fn claim(spec: &Json, at: &str, causes: &mut Causes) {
    access_modes(spec, at, "at least 1 access mode is required", causes);
    selector(spec.get("selector"), &format!("{at}.selector"), causes);
    let field = format!("{at}.resources[storage]");
    match spec.at(&["resources", "requests", "storage"]) {
        None => causes.push(Cause::required(field, "")),
        Some(value) if value.as_str().and_then(nanos).is_some_and(|n| n <= 0) => {
            causes.push(Cause::invalid(field, value, "must be greater than zero"));
        }
        Some(_) => {}
    }
    let class = spec.text_at(&["storageClassName"]);
    if !class.is_empty() {
        metadata::subdomain(class, &format!("{at}.storageClassName"), causes);
    }
    one_of(spec, "volumeMode", &format!("{at}.volumeMode"), &["Block", "Filesystem"], causes);
}

fn volume(object: &Json, causes: &mut Causes) {
    let spec = object.get("spec").unwrap_or(&Json::Null);
    access_modes(spec, "spec", "", causes);
    let capacity = spec.get("capacity").filter(|c| c.as_map().is_some_and(|m| !m.is_empty()));
    if capacity.is_none() {
        causes.push(Cause::required("spec.capacity", ""));
    }
    let only_storage = capacity.and_then(Json::as_map).is_some_and(|m| m.len() == 1 && m.contains_key("storage"));
    if !only_storage {
        causes.push(Cause::not_supported("spec.capacity", capacity.unwrap_or(&Json::Null), &["storage"]));
    }
    if let Some(value) = spec.at(&["capacity", "storage"])
        && value.as_str().and_then(nanos).is_some_and(|n| n <= 0)
    {
        causes.push(Cause::invalid("spec.capacity[storage]", value, "must be greater than zero"));
    }
    one_of(
        spec,
        "persistentVolumeReclaimPolicy",
        "spec.persistentVolumeReclaimPolicy",
        &["Delete", "Recycle", "Retain"],
        causes,
    );
    let affinity = spec.get("nodeAffinity");
    if affinity.is_some_and(|affinity| affinity.get("required").is_none()) {
        let words = "must specify required node constraints";
        causes.push(Cause::required("spec.nodeAffinity.required", words));
    }
    const SOURCES: [&str; 12] = [
        "hostPath",
        "nfs",
        "rbd",
        "glusterfs",
        "cephfs",
        "iscsi",
        "cinder",
        "fc",
        "flexVolume",
        "azureFile",
        "local",
        "csi",
    ];
    let given: Vec<&str> = SOURCES.into_iter().filter(|source| spec.get(source).is_some()).collect();
    for source in given.iter().skip(1) {
        causes.push(Cause::forbidden(format!("spec.{source}"), "may not specify more than 1 volume type"));
    }
    if given.is_empty() {
        causes.push(Cause::required("spec", "must specify a volume type"));
    }
    let class = spec.text_at(&["storageClassName"]);
    if !class.is_empty() {
        metadata::subdomain(class, "spec.storageClassName", causes);
    }
    one_of(spec, "volumeMode", "spec.volumeMode", &["Block", "Filesystem"], causes);
}

const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/// A count or a percentage.
pub(super) fn count_or_percent(value: Option<&Json>, field: &str, causes: &mut Causes) {
    match value {
        Some(Json::Str(text)) => {
            let digits = text.strip_suffix('%').unwrap_or("");
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                causes.push(Cause::invalid(field, &Json::str(text.clone()), PERCENT));
            }
        }
        Some(n @ Json::Int(number)) if *number < 0 => {
            causes.push(Cause::invalid(field, n, "must be greater than or equal to 0"));
        }
        _ => {}
    }
}

/// A percentage above a hundred.
pub(super) fn percent_above(value: Option<&Json>, field: &str, causes: &mut Causes) {
    let Some(Json::Str(text)) = value else { return };
    if text.strip_suffix('%').and_then(|n| n.parse::<u64>().ok()).is_some_and(|n| n > 100) {
        causes.push(Cause::invalid(field, &Json::str(text.clone()), "must not be greater than 100%"));
    }
}

fn budget(object: &Json, causes: &mut Causes) {
    let spec = object.get("spec").unwrap_or(&Json::Null);
    let (least, most) = (spec.get("minAvailable"), spec.get("maxUnavailable"));
    if let (Some(least), Some(most)) = (least, most) {
        let shown = Json::map([
            ("MinAvailable", least.clone()),
            ("Selector", Json::Null),
            ("MaxUnavailable", most.clone()),
            ("UnhealthyPodEvictionPolicy", Json::Null),
        ]);
        let order = ["MinAvailable", "Selector", "MaxUnavailable", "UnhealthyPodEvictionPolicy"];
        let inner: Vec<String> = order
            .iter()
            .map(|key| format!("\"{key}\":{}", shown.get(key).map(Json::to_raw_text).unwrap_or_default()))
            .collect();
        let message =
            format!("Invalid value: {{{}}}: minAvailable and maxUnavailable cannot be both set", inner.join(","));
        causes.push(Cause { reason: "FieldValueInvalid", message, field: "spec".into() });
    }
    for (value, field) in [(least, "spec.minAvailable"), (most, "spec.maxUnavailable")] {
        count_or_percent(value, field, causes);
        percent_above(value, field, causes);
    }
    selector(spec.get("selector"), "spec.selector", causes);
    const KNOWN: &[&str] = &["AlwaysAllow", "IfHealthyBudget"];
    one_of(spec, "unhealthyPodEvictionPolicy", "spec.unhealthyPodEvictionPolicy", KNOWN, causes);
}

fn autoscaler(object: &Json, causes: &mut Causes) {
    let spec = object.get("spec").unwrap_or(&Json::Null);
    let (least, most) = (spec.int_at(&["minReplicas"]), spec.int_at(&["maxReplicas"]).unwrap_or(0));
    let zero = least == Some(0);
    if let Some(least) = least.filter(|n| *n < 1) {
        causes.push(Cause::invalid("spec.minReplicas", &Json::Int(least), "must be greater than or equal to 1"));
    }
    if most < 1 {
        causes.push(Cause::required("spec.maxReplicas", "must be set and greater than 0"));
    }
    if least.is_some_and(|least| most < least) {
        let words = "must be greater than or equal to `minReplicas`";
        causes.push(Cause::invalid("spec.maxReplicas", &Json::Int(most), words));
    }
    let target = spec.get("scaleTargetRef").unwrap_or(&Json::Null);
    for key in ["kind", "name"] {
        let text = target.text_at(&[key]);
        let field = format!("spec.scaleTargetRef.{key}");
        if text.is_empty() {
            causes.push(Cause::required(field, ""));
        } else if text.contains('/') {
            causes.push(Cause::invalid(field, &Json::str(text), "may not contain '/'"));
        }
    }
    let version = target.text_at(&["apiVersion"]);
    if !version.contains('/') && (version.is_empty() || target.text_at(&["kind"]) != "ReplicationController") {
        let words = "apiVersion must specify API group";
        causes.push(Cause::invalid("spec.scaleTargetRef.apiVersion", &Json::str(version), words));
    }
    let external = |metric: &Json| matches!(metric.text_at(&["type"]), "Object" | "External");
    let metrics = spec.items_at(&["metrics"]);
    for (i, metric) in metrics.iter().enumerate() {
        metric_source(metric, &format!("spec.metrics[{i}]"), causes);
    }
    if zero && !metrics.iter().any(external) {
        let words = "must specify at least one Object or External metric to support scaling to zero replicas";
        causes.push(Cause::forbidden("spec.metrics", words));
    }
    for which in ["scaleUp", "scaleDown"] {
        if let Some(rules) = spec.at(&["behavior", which]) {
            scaling_rules(rules, &format!("spec.behavior.{which}"), causes);
        }
    }
}

fn metric_source(metric: &Json, at: &str, causes: &mut Causes) {
    let (key, named) = match metric.text_at(&["type"]) {
        "Resource" => ("resource", "resource"),
        "Pods" => ("pods", "pods"),
        "Object" => ("object", "object"),
        "External" => ("external", "external"),
        "ContainerResource" => ("containerResource", "containerResource"),
        _ => return,
    };
    let Some(source) = metric.get(key) else {
        let words = "must populate information for the given metric source";
        causes.push(Cause::required(format!("{at}.{named}"), words));
        return;
    };
    if key != "resource" {
        return;
    }
    if source.text_at(&["name"]).is_empty() {
        causes.push(Cause::required(format!("{at}.resource.name"), "must specify a resource name"));
    }
    let at = format!("{at}.resource.target");
    let (share, raw) = (source.int_at(&["target", "averageUtilization"]), source.at(&["target", "averageValue"]));
    match (share, raw) {
        (None, None) => {
            let words = "must set either a target raw value or a target utilization";
            causes.push(Cause::required(format!("{at}.averageUtilization"), words));
        }
        (Some(share), raw) => {
            if share < 1 {
                let words = "must be greater than 0";
                causes.push(Cause::invalid(format!("{at}.averageUtilization"), &Json::Int(share), words));
            }
            if raw.is_some() {
                let words = "may not set both a target raw value and a target utilization";
                causes.push(Cause::forbidden(format!("{at}.averageValue"), words));
            }
        }
        (None, Some(_)) => {}
    }
}

fn scaling_rules(rules: &Json, at: &str, causes: &mut Causes) {
    if let Some(window) = rules.int_at(&["stabilizationWindowSeconds"]) {
        let field = format!("{at}.stabilizationWindowSeconds");
        if window < 0 {
            causes.push(Cause::invalid(field, &Json::Int(window), "must be greater than or equal to zero"));
        } else if window > 3600 {
            causes.push(Cause::invalid(field, &Json::Int(window), "must be less than or equal to 3600"));
        }
    }
    one_of(rules, "selectPolicy", &format!("{at}.selectPolicy"), &["Disabled", "Max", "Min"], causes);
    let policies = rules.items_at(&["policies"]);
    if policies.is_empty() {
        causes.push(Cause::required(format!("{at}.policies"), "must specify at least one Policy"));
    }
    for (i, policy) in policies.iter().enumerate() {
        let at = format!("{at}.policies[{i}]");
        one_of(policy, "type", &format!("{at}.type"), &["Percent", "Pods"], causes);
        for key in ["value", "periodSeconds"] {
            let number = policy.int_at(&[key]).unwrap_or(0);
            if number <= 0 {
                causes.push(Cause::invalid(format!("{at}.{key}"), &Json::Int(number), "must be greater than zero"));
            }
        }
        if let Some(period) = policy.int_at(&["periodSeconds"]).filter(|p| *p > 1800) {
            let words = "must be less than or equal to 1800";
            causes.push(Cause::invalid(format!("{at}.periodSeconds"), &Json::Int(period), words));
        }
    }
}

fn quota(object: &Json, causes: &mut Causes) {
    for (name, value) in object.at(&["spec", "hard"]).and_then(Json::as_map).into_iter().flatten() {
        let field = format!("spec.hard[{name}]");
        const KNOWN: &[&str] = &[
            "cpu",
            "memory",
            "ephemeral-storage",
            "requests.cpu",
            "requests.memory",
            "requests.storage",
            "requests.ephemeral-storage",
            "limits.cpu",
            "limits.memory",
            "limits.ephemeral-storage",
            "pods",
            "resourcequotas",
            "services",
            "replicationcontrollers",
            "secrets",
            "persistentvolumeclaims",
            "configmaps",
            "services.nodeports",
            "services.loadbalancers",
        ];
        if !KNOWN.contains(&&**name) && !name.contains('/') {
            for words in
                ["must be a standard resource type or fully qualified", "must be a standard resource for quota"]
            {
                causes.push(Cause::invalid(&field, &Json::str(name.clone()), words));
            }
        }
        let Some(amount) = value.as_str().and_then(nanos) else { continue };
        if amount < 0 {
            causes.push(Cause::invalid(&field, value, "must be greater than or equal to 0"));
        }
        let counted =
            !["cpu", "memory", "storage"].iter().any(|part| name.contains(part)) || name.starts_with("count/");
        if counted && amount % 1_000_000_000 != 0 {
            causes.push(Cause::invalid(&field, value, "must be an integer"));
        }
    }
    let scopes = object.at(&["spec", "scopes"]).unwrap_or(&Json::Null);
    let has = |scope: &str| scopes.as_list().unwrap_or(&[]).iter().any(|s| s.as_str() == Some(scope));
    let hard = object.at(&["spec", "hard"]).and_then(Json::as_map);
    if has("BestEffort") && hard.is_some_and(|m| m.keys().any(|key| &**key != "pods")) {
        causes.push(Cause::invalid("spec.scopes", scopes, "unsupported scope applied to resource"));
    }
    if has("BestEffort") && has("NotBestEffort") || has("Terminating") && has("NotTerminating") {
        causes.push(Cause::invalid("spec.scopes", scopes, "conflicting scopes"));
    }
    for one in object.items_at(&["spec", "scopeSelector", "matchExpressions"]) {
        if matches!(one.text_at(&["operator"]), "In" | "NotIn") && one.items_at(&["values"]).is_empty() {
            let words = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
            causes.push(Cause::required("spec.scopeSelector.matchExpressions.values", words));
        }
    }
}

fn secret(object: &Json, causes: &mut Causes) {
    let has = |key: &str| object.get("data").and_then(|data| data.get(key)).is_some();
    let mut need = |key: &str| {
        if !has(key) {
            causes.push(Cause::required(format!("data[{key}]"), ""));
        }
    };
    match object.text_at(&["type"]) {
        // One of the two is enough.
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => {
            need("username");
            need("password");
        }
        "kubernetes.io/dockercfg" => need(".dockercfg"),
        "kubernetes.io/dockerconfigjson" => need(".dockerconfigjson"),
        "kubernetes.io/ssh-auth" => need("ssh-privatekey"),
        "kubernetes.io/tls" => {
            need("tls.crt");
            need("tls.key");
        }
        "kubernetes.io/service-account-token" => {
            const NAME: &str = "kubernetes.io/service-account.name";
            if object.text_at(&["metadata", "annotations", NAME]).is_empty() {
                causes.push(Cause::required(format!("metadata.annotations[{NAME}]"), ""));
            }
        }
        _ => {}
    }
}

fn priority(object: &Json, causes: &mut Causes) {
    let name = object.text_at(&["metadata", "name"]);
    if name.starts_with("system-") && !matches!(name, "system-node-critical" | "system-cluster-critical") {
        let words = format!(
            "priority class names with 'system-' prefix are reserved for system use only. error: {name} is not a known system priority class"
        );
        causes.push(Cause::forbidden("metadata.name", &words));
    } else if object.int_at(&["value"]).is_some_and(|value| value > 1_000_000_000) {
        let words = "maximum allowed value of a user defined priority is 1000000000";
        causes.push(Cause::forbidden("value", words));
    }
}
