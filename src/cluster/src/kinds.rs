//! Which resources the cluster serves: the built-in ones in a table, others by CustomResourceDefinitions.

use base::Json;
use rpds::RedBlackTreeMap;
use std::rc::Rc;

/// A served resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// API group; `""` for core.
    pub group: Rc<str>,
    /// Stored version.
    pub version: Rc<str>,
    /// Plural name in paths.
    pub plural: Rc<str>,
    /// Kind.
    pub kind: Rc<str>,
    /// True when objects live in namespaces.
    pub namespaced: bool,
    /// True when `status` is written apart.
    pub status: bool,
    /// True for kinds defined by a CustomResourceDefinition.
    pub custom: bool,
    /// Versions served beside the stored one.
    pub other_versions: Vec<Rc<str>>,
}

impl Resource {
    /// `group/version`, or `version` in the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.to_string() } else { format!("{}/{}", self.group, self.version) }
    }
}

/// A custom resource to serve, as a CustomResourceDefinition would name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomResource<'a> {
    /// API group.
    pub group: &'a str,
    /// The one version.
    pub version: &'a str,
    /// Plural name.
    pub plural: &'a str,
    /// Kind.
    pub kind: &'a str,
    /// True when objects live in namespaces.
    pub namespaced: bool,
    /// True when the status subresource is on.
    pub status: bool,
}

impl CustomResource<'_> {
    /// The CustomResourceDefinition object, with a schema that keeps all fields.
    pub fn definition(&self) -> Json {
        let schema =
            Json::map([("type", Json::str("object")), ("x-kubernetes-preserve-unknown-fields", Json::Bool(true))]);
        let mut version = Json::map([
            ("name", Json::str(self.version)),
            ("served", Json::Bool(true)),
            ("storage", Json::Bool(true)),
            ("schema", Json::map([("openAPIV3Schema", schema)])),
        ]);
        if self.status {
            version.set(&["subresources", "status"], Json::map::<&str>([]));
        }
        let names = Json::map([
            ("plural", Json::str(self.plural)),
            ("singular", Json::str(self.kind.to_lowercase())),
            ("kind", Json::str(self.kind)),
            ("listKind", Json::str(format!("{}List", self.kind))),
        ]);
        Json::map([
            ("apiVersion", Json::str("apiextensions.k8s.io/v1")),
            ("kind", Json::str("CustomResourceDefinition")),
            ("metadata", Json::map([("name", Json::str(format!("{}.{}", self.plural, self.group)))])),
            (
                "spec",
                Json::map([
                    ("group", Json::str(self.group)),
                    ("names", names),
                    ("scope", Json::str(if self.namespaced { "Namespaced" } else { "Cluster" })),
                    ("versions", Json::list([version])),
                ]),
            ),
        ])
    }
}

/// Built-in resources: group, version, plural, kind, namespaced, status subresource.
const BUILT_IN: &[(&str, &str, &str, &str, bool, bool)] = &[
    ("", "v1", "configmaps", "ConfigMap", true, false),
    ("", "v1", "endpoints", "Endpoints", true, false),
    ("", "v1", "events", "Event", true, false),
    ("", "v1", "limitranges", "LimitRange", true, false),
    ("", "v1", "namespaces", "Namespace", false, true),
    ("", "v1", "nodes", "Node", false, true),
    ("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true, true),
    ("", "v1", "persistentvolumes", "PersistentVolume", false, true),
    ("", "v1", "pods", "Pod", true, true),
    ("", "v1", "podtemplates", "PodTemplate", true, false),
    ("", "v1", "replicationcontrollers", "ReplicationController", true, true),
    ("", "v1", "resourcequotas", "ResourceQuota", true, true),
    ("", "v1", "secrets", "Secret", true, false),
    ("", "v1", "serviceaccounts", "ServiceAccount", true, false),
    ("", "v1", "services", "Service", true, true),
    ("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false, true),
    ("apps", "v1", "controllerrevisions", "ControllerRevision", true, false),
    ("apps", "v1", "daemonsets", "DaemonSet", true, true),
    ("apps", "v1", "deployments", "Deployment", true, true),
    ("apps", "v1", "replicasets", "ReplicaSet", true, true),
    ("apps", "v1", "statefulsets", "StatefulSet", true, true),
    ("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true, true),
    ("batch", "v1", "cronjobs", "CronJob", true, true),
    ("batch", "v1", "jobs", "Job", true, true),
    ("coordination.k8s.io", "v1", "leases", "Lease", true, false),
    ("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", true, false),
    ("networking.k8s.io", "v1", "ingressclasses", "IngressClass", false, false),
    ("networking.k8s.io", "v1", "ingresses", "Ingress", true, true),
    ("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true, false),
    ("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true, true),
    ("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", false, false),
    ("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false, false),
    ("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", true, false),
    ("rbac.authorization.k8s.io", "v1", "roles", "Role", true, false),
    ("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false, false),
    ("storage.k8s.io", "v1", "storageclasses", "StorageClass", false, false),
];

/// True for a built-in kind in one of its versions.
pub(crate) fn is_built_in(kind: &str, api_version: &str) -> bool {
    BUILT_IN.iter().any(|(group, version, _, known, ..)| {
        let whole = if group.is_empty() { (*version).to_string() } else { format!("{group}/{version}") };
        *known == kind && whole == api_version
    })
}

/// The served resources by group and plural name, and by group and kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kinds {
    by_plural: RedBlackTreeMap<(Rc<str>, Rc<str>), Rc<Resource>>,
    by_kind: RedBlackTreeMap<(Rc<str>, Rc<str>), Rc<Resource>>,
}

impl Kinds {
    /// The built-in resources.
    pub(crate) fn built_in() -> Kinds {
        let mut kinds = Kinds { by_plural: RedBlackTreeMap::new(), by_kind: RedBlackTreeMap::new() };
        for (group, version, plural, kind, namespaced, status) in BUILT_IN {
            kinds.add(Resource {
                group: (*group).into(),
                version: (*version).into(),
                plural: (*plural).into(),
                kind: (*kind).into(),
                namespaced: *namespaced,
                status: *status,
                custom: false,
                other_versions: if *plural == "horizontalpodautoscalers" { vec!["v1".into()] } else { Vec::new() },
            });
        }
        kinds
    }

    /// Serves a resource.
    pub(crate) fn add(&mut self, resource: Resource) {
        let resource = Rc::new(resource);
        self.by_plural.insert_mut((resource.group.clone(), resource.plural.clone()), resource.clone());
        self.by_kind.insert_mut((resource.group.clone(), resource.kind.clone()), resource);
    }

    /// Stops serving a custom resource.
    pub(crate) fn remove(&mut self, group: &str, plural: &str) {
        let key = (Rc::from(group), Rc::from(plural));
        if let Some(resource) = self.by_plural.get(&key).cloned() {
            self.by_kind.remove_mut(&(resource.group.clone(), resource.kind.clone()));
            self.by_plural.remove_mut(&key);
        }
    }

    /// By group and plural name.
    pub(crate) fn plural(&self, group: &str, plural: &str) -> Option<&Rc<Resource>> {
        self.by_plural.get(&(group.into(), plural.into()))
    }

    /// By group and kind.
    pub(crate) fn kind(&self, group: &str, kind: &str) -> Option<&Rc<Resource>> {
        self.by_kind.get(&(group.into(), kind.into()))
    }

    /// All, sorted by group and plural name.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Rc<Resource>> {
        self.by_plural.values()
    }

    /// The resource that a CustomResourceDefinition describes; `None` while it has no storage version.
    pub(crate) fn of_definition(crd: &Json) -> Option<Resource> {
        let versions = crd.items_at(&["spec", "versions"]);
        let stored = versions.iter().find(|v| v.get("storage").and_then(Json::as_bool) == Some(true))?;
        let served = |v: &&Json| v.get("served").and_then(Json::as_bool) == Some(true);
        let other = versions.iter().filter(served).filter(|v| *v != stored).map(|v| v.text_at(&["name"]).into());
        Some(Resource {
            group: crd.text_at(&["spec", "group"]).into(),
            version: stored.text_at(&["name"]).into(),
            plural: crd.text_at(&["spec", "names", "plural"]).into(),
            kind: crd.text_at(&["spec", "names", "kind"]).into(),
            namespaced: crd.text_at(&["spec", "scope"]) == "Namespaced",
            status: stored.at(&["subresources", "status"]).is_some(),
            custom: true,
            other_versions: other.collect(),
        })
    }
}
