//! The Application object: its spec as Argo CD 3.5.2 reads it from the cluster.
//!
//! The API server has already checked the object against the CRD, so reading is lenient: a field of a wrong type
//! counts as absent.

use base::Json;
use std::rc::Rc;

/// Namespace of Argo CD's own objects.
pub const ARGOCD_NAMESPACE: &str = "argocd";
/// Annotation that asks for a refresh; `hard` also drops the manifest cache, any other value is a normal refresh.
pub const REFRESH_ANNOTATION: &str = "argocd.argoproj.io/refresh";
/// The address of the cluster that Argo CD runs in.
pub const IN_CLUSTER: &str = "https://kubernetes.default.svc";

/// An Application as the controller works with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Application {
    /// `metadata.name`.
    pub name: Rc<str>,
    /// `metadata.namespace`.
    pub namespace: Rc<str>,
    /// The desired state.
    pub spec: Spec,
    /// The whole object as stored.
    pub object: Json,
}

/// `spec` of an Application.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    /// `spec.project`; `default` when empty.
    pub project: Rc<str>,
    /// The sources: `spec.sources` when it is not empty, else `spec.source` alone.
    pub sources: Vec<Source>,
    /// True when `spec.sources` is used.
    pub multi_source: bool,
    /// Where the objects go.
    pub destination: Destination,
    /// `syncPolicy.automated`, when it is there and not switched off by `enabled: false`.
    pub automated: Option<Automated>,
    /// `syncPolicy.syncOptions`.
    pub sync_options: Vec<Rc<str>>,
    /// `syncPolicy.retry` as written.
    pub retry: Option<Json>,
    /// `syncPolicy.managedNamespaceMetadata` as written.
    pub managed_namespace: Option<Json>,
    /// `ignoreDifferences` entries as written.
    pub ignore_differences: Vec<Json>,
    /// `revisionHistoryLimit`; 10 when absent.
    pub history_limit: usize,
}

/// `syncPolicy.automated`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Automated {
    /// Delete objects that left the source.
    pub prune: bool,
    /// Undo changes of the cluster.
    pub self_heal: bool,
    /// Allow a sync that deletes everything.
    pub allow_empty: bool,
}

/// `spec.destination`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// Address of the cluster.
    pub server: Rc<str>,
    /// Name of the cluster, in place of the address.
    pub name: Rc<str>,
    /// Namespace of objects that name none.
    pub namespace: Rc<str>,
}

/// One source of manifests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The source as written, which is what status and operations repeat.
    pub raw: Json,
    /// `repoURL`.
    pub repo_url: Rc<str>,
    /// `path`.
    pub path: Rc<str>,
    /// `targetRevision`; empty means `HEAD`.
    pub target_revision: Rc<str>,
    /// `chart`, of a Helm repository.
    pub chart: Rc<str>,
    /// `helm`, unless it is empty.
    pub helm: Option<HelmSource>,
    /// `kustomize` as written, unless it is empty.
    pub kustomize: Option<Json>,
    /// `directory` as written, unless it is empty.
    pub directory: Option<Json>,
}

/// `source.helm`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HelmSource {
    /// `releaseName`; the Application's name when empty.
    pub release_name: Rc<str>,
    /// `namespace`; the destination's when empty.
    pub namespace: Rc<str>,
    /// `valueFiles`.
    pub value_files: Vec<Rc<str>>,
    /// `values`, a YAML text.
    pub values: Rc<str>,
    /// `valuesObject`; wins completely over `values`.
    pub values_object: Option<Json>,
    /// `parameters`.
    pub parameters: Vec<Parameter>,
    /// `fileParameters` as (name, path).
    pub file_parameters: Vec<(Rc<str>, Rc<str>)>,
    /// `ignoreMissingValueFiles`.
    pub ignore_missing_value_files: bool,
    /// `skipCrds`.
    pub skip_crds: bool,
    /// `skipTests`.
    pub skip_tests: bool,
    /// `skipSchemaValidation`.
    pub skip_schema_validation: bool,
    /// `kubeVersion`; the cluster's when empty.
    pub kube_version: Rc<str>,
    /// `apiVersions`; the cluster's when empty.
    pub api_versions: Vec<Rc<str>>,
}

/// One of `helm.parameters`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// Path of the value, as `--set` writes it.
    pub name: Rc<str>,
    /// The value.
    pub value: Rc<str>,
    /// Use `--set-string`.
    pub force_string: bool,
}

impl Application {
    /// Reads an Application object.
    pub fn read(object: &Json) -> Application {
        Application {
            name: object.text_at(&["metadata", "name"]).into(),
            namespace: object.text_at(&["metadata", "namespace"]).into(),
            spec: Spec::read(object.get("spec").unwrap_or(&Json::Null)),
            object: object.clone(),
        }
    }

    /// The stored status; null for a new Application.
    pub fn status(&self) -> &Json {
        self.object.get("status").unwrap_or(&Json::Null)
    }

    /// The requested operation, when one is set.
    pub fn operation(&self) -> Option<&Json> {
        self.object.get("operation").filter(|op| !op.is_null())
    }

    /// The value of an annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.object.at(&["metadata", "annotations", key]).and_then(Json::as_str)
    }

    /// The name under which objects are tracked: the plain name, as the Application is in Argo CD's own namespace.
    pub fn instance(&self) -> Rc<str> {
        if &*self.namespace == ARGOCD_NAMESPACE {
            self.name.clone()
        } else {
            format!("{}_{}", self.namespace, self.name).into()
        }
    }
}

impl Spec {
    /// Reads `spec`.
    pub fn read(spec: &Json) -> Spec {
        let listed = spec.items_at(&["sources"]);
        let multi_source = !listed.is_empty();
        let sources = if multi_source {
            listed.iter().map(Source::read).collect()
        } else {
            vec![Source::read(spec.get("source").unwrap_or(&Json::Null))]
        };
        let policy = spec.get("syncPolicy").unwrap_or(&Json::Null);
        let automated = policy.get("automated").filter(|a| a.as_map().is_some()).filter(|a| !is(a, "enabled", false));
        let project = spec.text_at(&["project"]);
        Spec {
            project: if project.is_empty() { "default".into() } else { project.into() },
            sources,
            multi_source,
            destination: Destination {
                server: spec.text_at(&["destination", "server"]).into(),
                name: spec.text_at(&["destination", "name"]).into(),
                namespace: spec.text_at(&["destination", "namespace"]).into(),
            },
            automated: automated.map(|a| Automated {
                prune: is(a, "prune", true),
                self_heal: is(a, "selfHeal", true),
                allow_empty: is(a, "allowEmpty", true),
            }),
            sync_options: texts(policy, "syncOptions"),
            retry: policy.get("retry").filter(|r| !r.is_null()).cloned(),
            managed_namespace: policy.get("managedNamespaceMetadata").filter(|m| !m.is_null()).cloned(),
            ignore_differences: spec.items_at(&["ignoreDifferences"]).to_vec(),
            history_limit: spec.int_at(&["revisionHistoryLimit"]).map_or(10, |n| usize::try_from(n).unwrap_or(0)),
        }
    }

    /// The first source, which is the only one of a single-source Application.
    pub fn source(&self) -> Option<&Source> {
        self.sources.first()
    }

    /// True when the exact token stands in `syncOptions` (`CreateNamespace=true`).
    pub fn has_option(&self, option: &str) -> bool {
        self.sync_options.iter().any(|o| &**o == option)
    }

    /// The errors of the spec that stop a comparison, as messages of InvalidSpecError conditions.
    pub fn errors(&self) -> Vec<String> {
        let mut errors = Vec::new();
        for source in &self.sources {
            let located = !source.path.is_empty() || !source.chart.is_empty() || source.raw.get("ref").is_some();
            if source.repo_url.is_empty() || !located {
                errors.push(if self.multi_source {
                    format!(
                        "spec.source.repoURL and either source.path, source.chart, or source.ref are required for source {}",
                        source.raw.to_raw_text()
                    )
                } else {
                    "spec.source.repoURL and either spec.source.path or spec.source.chart are required".to_string()
                });
            } else if !source.chart.is_empty() && source.target_revision.is_empty() {
                errors
                    .push("spec.source.targetRevision is required if the manifest source is a helm chart".to_string());
            }
        }
        let to = &self.destination;
        if !to.server.is_empty() && !to.name.is_empty() {
            errors.push(format!(
                "application destination can't have both name and server defined: {} {}",
                to.name, to.server
            ));
        } else if to.server.is_empty() && to.name.is_empty() {
            errors.push("Destination server missing from app spec".to_string());
        } else if !to.name.is_empty() && &*to.name != "in-cluster" {
            errors.push(format!("there are no clusters with this name: {}", to.name));
        }
        errors
    }
}

impl Source {
    /// Reads one source.
    pub fn read(raw: &Json) -> Source {
        let block = |key: &str| raw.get(key).filter(|b| b.as_map().is_some_and(|m| !m.is_empty())).cloned();
        Source {
            repo_url: raw.text_at(&["repoURL"]).into(),
            path: raw.text_at(&["path"]).into(),
            target_revision: raw.text_at(&["targetRevision"]).into(),
            chart: raw.text_at(&["chart"]).into(),
            helm: block("helm").as_ref().map(HelmSource::read),
            kustomize: block("kustomize"),
            directory: block("directory"),
            raw: raw.clone(),
        }
    }
}

impl Source {
    /// A text of the source as written; empty when absent.
    pub fn text(&self, key: &str) -> &str {
        self.raw.text_at(&[key])
    }
}

impl HelmSource {
    /// Reads `source.helm`.
    pub fn read(helm: &Json) -> HelmSource {
        let pair = |item: &Json, b: &str| (item.text_at(&["name"]).into(), item.text_at(&[b]).into());
        HelmSource {
            release_name: helm.text_at(&["releaseName"]).into(),
            namespace: helm.text_at(&["namespace"]).into(),
            value_files: texts(helm, "valueFiles"),
            values: helm.text_at(&["values"]).into(),
            values_object: helm.get("valuesObject").filter(|v| !v.is_null()).cloned(),
            parameters: helm
                .items_at(&["parameters"])
                .iter()
                .map(|p| {
                    let (name, value) = pair(p, "value");
                    Parameter { name, value, force_string: is(p, "forceString", true) }
                })
                .collect(),
            file_parameters: helm.items_at(&["fileParameters"]).iter().map(|p| pair(p, "path")).collect(),
            ignore_missing_value_files: is(helm, "ignoreMissingValueFiles", true),
            skip_crds: is(helm, "skipCrds", true),
            skip_tests: is(helm, "skipTests", true),
            skip_schema_validation: is(helm, "skipSchemaValidation", true),
            kube_version: helm.text_at(&["kubeVersion"]).into(),
            api_versions: texts(helm, "apiVersions"),
        }
    }
}

fn is(object: &Json, key: &str, wanted: bool) -> bool {
    object.get(key).and_then(Json::as_bool) == Some(wanted)
}

fn texts(object: &Json, key: &str) -> Vec<Rc<str>> {
    object.items_at(&[key]).iter().filter_map(Json::as_str).map(Rc::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Spec {
        Spec::read(&Json::parse(text).unwrap())
    }

    #[test]
    fn automated_with_nothing_in_it_is_on() {
        let s = spec(r#"{"syncPolicy":{"automated":{}},"source":{"repoURL":"r","path":"p","helm":{}}}"#);
        assert_eq!(s.automated, Some(Automated::default()));
        assert_eq!((&*s.project, s.history_limit), ("default", 10));
        assert!(s.sources[0].helm.is_none());
        assert_eq!(spec(r#"{"syncPolicy":{"automated":{"enabled":false}}}"#).automated, None);
    }

    #[test]
    fn spec_errors_are_argo_cds() {
        let s = spec(r#"{"source":{"repoURL":"r"},"destination":{"server":"s","name":"n"}}"#);
        assert_eq!(
            s.errors(),
            [
                "spec.source.repoURL and either spec.source.path or spec.source.chart are required",
                "application destination can't have both name and server defined: n s"
            ]
        );
    }
}
