//! Rules for the fields of pod specs and other types, as a table: type, field, rule. A walk along the type table applies
//! them wherever a type occurs.

use crate::metadata;
use crate::schema::{Shape, Type, type_of};
use crate::status::Cause;
use base::Json;

/// How deep objects are looked at.
const DEPTH: usize = 64;

/// `Type.field rule arguments`. Rules: `req` must be there; `in` one of; `min`, `between`; `dns` subdomain; `map` labels;
/// `key` a qualified name; `ip`; `abs` an absolute path; `rel` no `..` and not absolute.
const RULES: &str = "\
PodSpec.activeDeadlineSeconds between 1 2147483647
PodSpec.dnsPolicy in ClusterFirstWithHostNet ClusterFirst Default None
PodSpec.nodeName dns
PodSpec.nodeSelector map
PodSpec.priorityClassName dns
PodSpec.runtimeClassName dns
PodSpec.serviceAccountName dns
PodOS.name in linux windows
PodSecurityContext.fsGroup between 0 2147483647
PodSecurityContext.runAsUser between 0 2147483647
PodSecurityContext.runAsGroup between 0 2147483647
PodSecurityContext.fsGroupChangePolicy in Always OnRootMismatch
SecurityContext.runAsUser between 0 2147483647
SecurityContext.runAsGroup between 0 2147483647
HostAlias.ip ip
DNSConfig.nameservers ip
Toleration.key key
Toleration.operator in Equal Exists
Toleration.effect in NoSchedule PreferNoSchedule NoExecute
EnvVar.name req
KeyRef.key req
Container.imagePullPolicy in Always IfNotPresent Never
Container.terminationMessagePolicy in File FallbackToLogsOnError
ContainerPort.protocol in SCTP TCP UDP
HTTPGet.scheme in HTTP HTTPS
Exec.command req
Probe.initialDelaySeconds min 0
Probe.timeoutSeconds min 0
Probe.periodSeconds min 0
Probe.successThreshold min 0
Probe.failureThreshold min 0
VolumeMount.mountPath req
SecretVolume.secretName req
SecretVolume.defaultMode mode
ConfigMapVolume.name req
ConfigMapVolume.defaultMode mode
KeyToPath.key req
KeyToPath.path req
ClaimVolume.claimName req
HostPath.path req
HostPath.type in BlockDevice CharDevice Directory DirectoryOrCreate File FileOrCreate Socket
CSIVolume.driver req
DeploymentSpec.minReadySeconds min 0
DeploymentSpec.revisionHistoryLimit min 0
ReplicaSetSpec.minReadySeconds min 0
StatefulSetSpec.minReadySeconds min 0
StatefulSetSpec.revisionHistoryLimit min 0
DaemonSetSpec.minReadySeconds min 0
DaemonSetSpec.revisionHistoryLimit min 0
JobSpec.parallelism min 0
JobSpec.completions min 0
JobSpec.activeDeadlineSeconds min 0
JobSpec.backoffLimit min 0
JobSpec.ttlSecondsAfterFinished min 0
CronJobSpec.schedule req
CronJobSpec.concurrencyPolicy in Allow Forbid Replace
CronJobSpec.startingDeadlineSeconds min 0
CronJobSpec.successfulJobsHistoryLimit min 0
CronJobSpec.failedJobsHistoryLimit min 0
ServiceSpec.sessionAffinity in ClientIP None
ServicePort.protocol in SCTP TCP UDP";

/// What the table says about an object of a built-in kind.
pub(crate) fn check(object: &Json, fields: &Type, causes: &mut Vec<Cause>) {
    walk("", object, fields, "", 0, causes);
}

fn walk(name: &str, value: &Json, fields: &Type, path: &str, depth: usize, causes: &mut Vec<Cause>) {
    if depth > DEPTH {
        return;
    }
    if !name.is_empty() {
        let own = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        for line in RULES.lines().filter(own) {
            let mut words = line[name.len() + 1..].split(' ');
            let (field, rule) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            apply(value.get(field), &format!("{path}.{field}"), rule, &words.collect::<Vec<_>>(), causes);
        }
    }
    for (key, item) in value.as_map().into_iter().flatten() {
        let Some(field) = fields.get(&**key) else { continue };
        let here = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        match (&field.shape, item) {
            // Metadata and status have rules of their own.
            (Shape::Struct { name: "ObjectMeta", .. }, _) => {}
            _ if &**key == "status" && path.is_empty() => {}
            (Shape::Struct { name, .. }, Json::Map(_)) => {
                if let Some(inner) = type_of(name) {
                    walk(name, item, inner, &here, depth + 1, causes);
                }
            }
            (Shape::List { item: shape, .. }, Json::List(items)) => {
                if let Shape::Struct { name, .. } = &**shape
                    && let Some(inner) = type_of(name)
                {
                    for (i, x) in items.iter().enumerate() {
                        walk(name, x, inner, &format!("{here}[{i}]"), depth + 1, causes);
                    }
                }
            }
            _ => {}
        }
    }
}

fn apply(value: Option<&Json>, field: &str, rule: &str, words: &[&str], causes: &mut Vec<Cause>) {
    let text = value.and_then(Json::as_str).unwrap_or("");
    let empty = match value {
        None | Some(Json::Null) => true,
        Some(Json::Str(text)) => text.is_empty(),
        Some(Json::List(items)) => items.is_empty(),
        _ => false,
    };
    if rule == "req" {
        if empty {
            causes.push(Cause::required(field, ""));
        }
        return;
    }
    let Some(value) = value.filter(|_| !empty) else { return };
    let bound = |i: usize| words.get(i).and_then(|w| w.parse::<i64>().ok()).unwrap_or(0);
    match rule {
        "in" if !words.contains(&text) => {
            // A host path may also have no type.
            let known: Vec<&str> =
                if field.ends_with("hostPath.type") { [&[""], words].concat() } else { words.to_vec() };
            causes.push(Cause::not_supported(field, value, &known));
        }
        "min" if value.as_int().is_some_and(|n| n < bound(0)) => {
            causes.push(Cause::invalid(field, value, &format!("must be greater than or equal to {}", bound(0))));
        }
        "between" if value.as_int().is_some_and(|n| n < bound(0) || n > bound(1)) => {
            let detail = format!("must be between {} and {}, inclusive", bound(0), bound(1));
            causes.push(Cause::invalid(field, value, &detail));
        }
        "mode" if value.as_int().is_some_and(|n| !(0..=0o777).contains(&n)) => {
            causes.push(Cause::invalid(field, value, "must be a number between 0 and 0777 (octal), both inclusive"));
        }
        "dns" => metadata::subdomain(text, field, causes),
        "map" => metadata::labels(Some(value), field, causes),
        "key" => metadata::qualified(text, field, text, causes),
        "ip" => {
            let one = [value.clone()];
            for (i, item) in value.as_list().unwrap_or(&one).iter().enumerate() {
                let text = item.as_str().unwrap_or("");
                let good = text.parse::<std::net::IpAddr>().is_ok();
                let at = if value.as_list().is_some() { format!("{field}[{i}]") } else { field.to_string() };
                if !good {
                    const WORDS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
                    causes.push(Cause::invalid(at, item, WORDS));
                }
            }
        }
        _ => {}
    }
}
