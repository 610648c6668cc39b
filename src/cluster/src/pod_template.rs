//! A pod template as Go prints the API server's internal type, which refusals of immutable templates show: fields in
//! the order of the struct, names capitalised, unset ones with their zero value.

use base::Json;

/// Fields of a struct in order. `:s`, `:f` and `:0` give the zero value (`""`, `false`, `0`; else `null`), `!` marks a
/// struct that is there even when it is empty.
const POD: &str = "Volumes InitContainers Containers EphemeralContainers RestartPolicy:s TerminationGracePeriodSeconds \
                   ActiveDeadlineSeconds DNSPolicy:s NodeSelector ServiceAccountName:s AutomountServiceAccountToken \
                   NodeName:s SecurityContext ImagePullSecrets Hostname:s Subdomain:s SetHostnameAsFQDN Affinity \
                   SchedulerName:s Tolerations HostAliases PriorityClassName:s Priority PreemptionPolicy DNSConfig \
                   ReadinessGates RuntimeClassName Overhead EnableServiceLinks TopologySpreadConstraints OS \
                   SchedulingGates ResourceClaims Resources HostnameOverride SchedulingGroup";
const POD_SECURITY: &str = "HostNetwork:f HostPID:f HostIPC:f ShareProcessNamespace HostUsers SELinuxOptions \
                            WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups \
                            SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls SeccompProfile \
                            AppArmorProfile SELinuxChangePolicy";
const CONTAINER: &str = "Name:s Image:s Command Args WorkingDir:s Ports EnvFrom Env Resources! ResizePolicy \
                         RestartPolicy RestartPolicyRules VolumeMounts VolumeDevices LivenessProbe ReadinessProbe \
                         StartupProbe Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s \
                         SecurityContext Stdin:f StdinOnce:f TTY:f";
const RESOURCES: &str = "Limits Requests Claims";
const ENV: &str = "Name:s Value:s ValueFrom";
const PORT: &str = "Name:s HostPort:0 ContainerPort:0 Protocol:s HostIP:s";
const MOUNT: &str = "Name:s ReadOnly:f RecursiveReadOnly MountPath:s SubPath:s MountPropagation SubPathExpr:s";
/// Members of a pod's spec that the internal type keeps in its security context.
const HOST: [&str; 5] = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];
/// Nesting of values whose type is not in a table.
const DEPTH: usize = 32;

/// The template's text.
pub(crate) fn text(template: &Json) -> String {
    let mut out = String::from("{");
    for part in ["name", "generateName", "labels", "annotations", "finalizers"] {
        if let Some(value) = template.at(&["metadata", part]).filter(|v| !is_empty(v)) {
            out.push_str(&format!("{}:{},", Json::str(part).to_text(), value.to_text()));
        }
    }
    let mut spec = template.get("spec").cloned().unwrap_or_default();
    for name in HOST {
        if let Some(value) = spec.remove(&[name]) {
            spec.set(&["securityContext", name], value);
        }
    }
    out.push_str("\"Spec\":");
    object(&mut out, POD, &spec);
    out.push('}');
    out
}

fn is_empty(value: &Json) -> bool {
    value.as_map().is_some_and(|m| m.is_empty()) || value.as_list().is_some_and(<[Json]>::is_empty)
}

fn object(out: &mut String, table: &str, value: &Json) {
    out.push('{');
    for (i, field) in table.split_whitespace().enumerate() {
        let there = field.trim_end_matches('!');
        let (name, zero) = there.split_once(':').unwrap_or((there, ""));
        out.push_str(if i == 0 { "\"" } else { ",\"" });
        out.push_str(name);
        out.push_str("\":");
        let inner = value.get(&json_name(name)).filter(|v| !v.is_null());
        let of = match (name, table) {
            ("InitContainers" | "Containers" | "EphemeralContainers", POD) => CONTAINER,
            ("SecurityContext", POD) => POD_SECURITY,
            ("Resources", CONTAINER) => RESOURCES,
            ("Env", CONTAINER) => ENV,
            ("Ports", CONTAINER) => PORT,
            ("VolumeMounts", CONTAINER) => MOUNT,
            _ => "",
        };
        match (inner, zero) {
            (None, _) if field.ends_with('!') => object(out, of, &Json::Null),
            (None, "s") => out.push_str("\"\""),
            (None, "f") => out.push_str("false"),
            (None, "0") => out.push('0'),
            (None, _) => out.push_str("null"),
            (Some(Json::List(items)), _) if !of.is_empty() => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    object(out, of, item);
                }
                out.push(']');
            }
            (Some(map @ Json::Map(_)), _) if !of.is_empty() => object(out, of, map),
            (Some(map @ Json::Map(_)), _) if matches!(name, "NodeSelector" | "Limits" | "Requests" | "Overhead") => {
                out.push_str(&map.to_text());
            }
            (Some(other), _) => plain(out, other, 0),
        }
    }
    out.push('}');
}

/// A value whose struct is not in a table: what is set, in the order of names.
fn plain(out: &mut String, value: &Json, depth: usize) {
    match value {
        Json::Map(members) if depth < DEPTH => {
            out.push('{');
            for (i, (name, inner)) in members.iter().enumerate() {
                out.push_str(if i == 0 { "\"" } else { ",\"" });
                let mut letters = name.chars();
                out.extend(letters.next().map(|c| c.to_ascii_uppercase()));
                out.push_str(letters.as_str());
                out.push_str("\":");
                plain(out, inner, depth + 1);
            }
            out.push('}');
        }
        Json::List(items) if depth < DEPTH => {
            out.push('[');
            for (i, inner) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                plain(out, inner, depth + 1);
            }
            out.push(']');
        }
        other => out.push_str(&other.to_text()),
    }
}

/// `DNSPolicy` → `dnsPolicy`, `OS` → `os`, `SELinuxOptions` → `seLinuxOptions`.
fn json_name(name: &str) -> String {
    let upper = name.bytes().take_while(u8::is_ascii_uppercase).count();
    let low = if upper == name.len() { upper } else { upper.saturating_sub(1).max(1) };
    format!("{}{}", name[..low].to_ascii_lowercase(), &name[low..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_values_are_printed() {
        let template = Json::parse(
            r#"{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never","hostPID":true,"securityContext":{},
                "containers":[{"name":"m","image":"i","command":["x"],"resources":{"limits":{"cpu":"1"}}}]}}"#,
        )
        .unwrap();
        let text = text(&template);
        assert!(
            text.starts_with(r#"{"labels":{"a":"b"},"Spec":{"Volumes":null,"InitContainers":null,"Containers":[{"#)
        );
        assert!(text.contains(r#""Command":["x"],"Args":null,"WorkingDir":"","#));
        assert!(text.contains(r#""Resources":{"Limits":{"cpu":"1"},"Requests":null,"Claims":null}"#));
        assert!(text.contains(r#""SecurityContext":{"HostNetwork":false,"HostPID":true,"HostIPC":false,"#));
        assert!(text.ends_with(r#""SchedulingGroup":null}}"#));
        assert_eq!((json_name("SELinuxOptions"), json_name("TTY")), ("seLinuxOptions".into(), "tty".into()));
    }
}
