//! What `.Capabilities` says without a cluster: the Kubernetes version, the API versions built into Helm, and Helm's
//! own version (`pkg/chartutil/capabilities.go`).

use crate::strvals::quote;
use crate::version::HelmVersion;
use std::rc::Rc;

/// The group versions that Helm 3.21.4 and 4.2.4 know, in the order they print.
pub const API_VERSIONS: &[&str] = &[
    "v1",
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "apps/v1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "batch/v1beta1",
    "certificates.k8s.io/v1",
    "certificates.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "networking.k8s.io/v1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1",
    "resource.k8s.io/v1beta2",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha2",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
];

/// A Kubernetes version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeVersion {
    /// `v1.36.0`; Helm 4 keeps a suffix (`v1.25.3-gke.100`).
    pub version: String,
    /// The same without a suffix, which Helm 4 uses to check a chart's `kubeVersion`.
    pub normalised: String,
    /// First number.
    pub major: String,
    /// Second number.
    pub minor: String,
}

impl Default for KubeVersion {
    fn default() -> KubeVersion {
        let version = "v1.36.0".to_string();
        KubeVersion { normalised: version.clone(), version, major: "1".into(), minor: "36".into() }
    }
}

impl KubeVersion {
    /// Reads `1.25`, `v1.25.3`, `1.25.3-gke.100`. The error is the library's text, without Helm's prefix.
    pub fn parse(text: &str, version: HelmVersion) -> Result<KubeVersion, String> {
        let unreadable = || format!("could not parse {} as version", quote(text));
        let body = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
        let body = body.strip_prefix('v').unwrap_or(body);
        let bytes = body.as_bytes();
        let mut end = 0;
        loop {
            let digits = bytes[end..].iter().take_while(|b| b.is_ascii_digit()).count();
            if digits == 0 {
                // A dot without digits after it belongs to the suffix.
                end = end.saturating_sub(1);
                break;
            }
            end += digits;
            if bytes.get(end) != Some(&b'.') {
                break;
            }
            end += 1;
        }
        let numbers = &body[..end];
        if numbers.is_empty() {
            return Err(unreadable());
        }
        let parts: Vec<&str> = numbers.split('.').collect();
        if parts.len() < 2 {
            return Err(format!("illegal version string {}", quote(text)));
        }
        if parts[0].len() > 1 && parts[0].starts_with('0') {
            return Err(format!("illegal zero-prefixed version component {} in {}", quote(parts[0]), quote(text)));
        }
        let mut plain = Vec::new();
        for part in &parts {
            let number: u64 = part.parse().map_err(|_| {
                format!(
                    "illegal non-numeric version component {} in {}: strconv.ParseUint: parsing {}: value out of range",
                    quote(part),
                    quote(text),
                    quote(part)
                )
            })?;
            plain.push(number.to_string());
        }
        let normalised = format!("v{}", plain.join("."));
        let full = if version.is_v4() && !text.starts_with('v') { format!("v{text}") } else { text.to_string() };
        Ok(KubeVersion {
            version: if version.is_v4() { full } else { normalised.clone() },
            normalised,
            major: plain[0].clone(),
            minor: plain[1].clone(),
        })
    }
}

/// What a render is told about the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The Kubernetes version.
    pub kube_version: KubeVersion,
    /// Group versions, built-in ones first.
    pub api_versions: Vec<Rc<str>>,
}

impl Capabilities {
    /// The built-in capabilities with another Kubernetes version (when given) and further API versions.
    pub fn new(kube_version: Option<KubeVersion>, extra: &[String]) -> Capabilities {
        let built_in = API_VERSIONS.iter().map(|text| Rc::from(*text));
        let extra = extra.iter().map(|text| Rc::from(text.as_str()));
        Capabilities { kube_version: kube_version.unwrap_or_default(), api_versions: built_in.chain(extra).collect() }
    }
}

/// `.Capabilities.HelmVersion.Version`.
pub fn helm_version_text(version: HelmVersion) -> &'static str {
    if version.is_v4() { "v4.2.4" } else { "v3.21.4" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kube_versions_and_their_errors() {
        let parse = |text: &str| KubeVersion::parse(text, HelmVersion::V3).map(|v| v.version);
        assert_eq!(parse("1.25").as_deref(), Ok("v1.25"));
        assert_eq!(parse("v1.20.0-gke.1").as_deref(), Ok("v1.20.0"));
        assert_eq!(parse("1"), Err("illegal version string \"1\"".to_string()));
        assert_eq!(parse("1.x"), Err("illegal version string \"1.x\"".to_string()));
        assert_eq!(parse("=1.25"), Err("could not parse \"=1.25\" as version".to_string()));
        assert_eq!(parse("01.25"), Err("illegal zero-prefixed version component \"01\" in \"01.25\"".to_string()));
        let v4 = KubeVersion::parse("1.25.3-gke.100", HelmVersion::V4).expect("valid");
        assert_eq!((v4.version.as_str(), v4.normalised.as_str()), ("v1.25.3-gke.100", "v1.25.3"));
    }
}
