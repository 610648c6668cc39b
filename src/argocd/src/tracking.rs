//! Resource tracking by annotation, Argo CD 3's default method: `<instance>:<group>/<Kind>:<namespace>/<name>`.

use base::Json;

/// The annotation that says which Application an object belongs to.
pub const TRACKING_ANNOTATION: &str = "argocd.argoproj.io/tracking-id";

/// A parsed tracking id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackingId {
    /// The Application (`<namespace>_<name>` outside Argo CD's own namespace).
    pub instance: String,
    /// API group; empty for core.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; the destination's for cluster-scoped objects.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl TrackingId {
    /// Reads an id: three parts by the first two colons, the last two with exactly one slash each.
    pub fn parse(text: &str) -> Option<TrackingId> {
        let mut parts = text.splitn(3, ':');
        let (instance, kind, name) = (parts.next()?, parts.next()?, parts.next()?);
        let one = |text: &str| {
            let (a, b) = text.split_once('/')?;
            (!b.contains('/')).then(|| (a.to_string(), b.to_string()))
        };
        let (group, kind) = one(kind)?;
        let (namespace, name) = one(name)?;
        Some(TrackingId { instance: instance.to_string(), group, kind, namespace, name })
    }
}

impl std::fmt::Display for TrackingId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}/{}:{}/{}", self.instance, self.group, self.kind, self.namespace, self.name)
    }
}

/// The tracking id that an object carries, if it carries a readable one.
pub fn of(object: &Json) -> Option<TrackingId> {
    TrackingId::parse(object.at(&["metadata", "annotations", TRACKING_ANNOTATION])?.as_str()?)
}

/// Puts the tracking id of `instance` on a target. CRDs get none, as an Application never owns one.
///
/// Fails in Argo CD's words when the annotations hold something that is not a text.
pub fn mark(object: &mut Json, instance: &str, namespace: &str) -> Result<(), String> {
    let api_version = object.text_at(&["apiVersion"]).to_string();
    let (group, version) = split_api_version(&api_version);
    let (kind, name) = (object.text_at(&["kind"]).to_string(), object.text_at(&["metadata", "name"]).to_string());
    if kind == "CustomResourceDefinition" && group == "apiextensions.k8s.io" {
        return Ok(());
    }
    if let Some(annotations) = object.at(&["metadata", "annotations"]).and_then(Json::as_map) {
        for (key, value) in annotations {
            let found = match value {
                Json::Str(_) => continue,
                Json::Int(n) => format!("{n} is of the type int64"),
                Json::Float(n) => format!("{n} is of the type float64"),
                Json::Bool(b) => format!("{b} is of the type bool"),
                Json::Null => "<nil> is of the type <nil>".to_string(),
                Json::List(_) => format!("{} is of the type []interface {{}}", value.to_raw_text()),
                Json::Map(_) => format!("{} is of the type map[string]interface {{}}", value.to_raw_text()),
            };
            return Err(format!(
                "failed to set app instance tracking info on manifest: failed to get annotations for {group}/{version}, \
                 Kind={kind} {}/{name}: .metadata.annotations accessor error: contains non-string value in the map under \
                 key \"{key}\": {found}, expected string",
                object.text_at(&["metadata", "namespace"])
            ));
        }
    }
    let own = object.text_at(&["metadata", "namespace"]);
    let namespace = if own.is_empty() { namespace } else { own };
    let id = TrackingId { instance: instance.into(), group: group.into(), kind, namespace: namespace.into(), name };
    object.set(&["metadata", "annotations", TRACKING_ANNOTATION], Json::str(id.to_string()));
    Ok(())
}

/// `apps/v1` → (`apps`, `v1`); `v1` → (``, `v1`).
pub fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_objects_have_an_empty_group() {
        let mut cm = Json::parse(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#).unwrap();
        mark(&mut cm, "src-helm", "ns").unwrap();
        assert_eq!(of(&cm).map(|id| id.to_string()).as_deref(), Some("src-helm:/ConfigMap:ns/a"));
        assert_eq!(TrackingId::parse("a:b:c"), None);
        assert_eq!(TrackingId::parse("a:b/c/d:e/f"), None);
    }

    #[test]
    fn an_unquoted_wave_is_refused_in_argo_cds_words() {
        let text = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","annotations":{"argocd.argoproj.io/sync-wave":-1}}}"#;
        let error = mark(&mut Json::parse(text).unwrap(), "x", "ns").unwrap_err();
        assert_eq!(
            error,
            "failed to set app instance tracking info on manifest: failed to get annotations for /v1, Kind=ConfigMap /a: \
             .metadata.annotations accessor error: contains non-string value in the map under key \
             \"argocd.argoproj.io/sync-wave\": -1 is of the type int64, expected string"
        );
    }
}
