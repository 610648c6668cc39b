//! What every namespace gets (service account `default`, ConfigMap `kube-root-ca.crt`), and how a namespace ends.

use super::{LAG, MANAGER, Work};
use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::Key;
use base::Json;

const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/// Stands for the cluster's certificate authority; nothing in the simulation verifies it.
const CERTIFICATE: &str =
    "-----BEGIN CERTIFICATE-----\nc2ltdWxhdGVkIGNsdXN0ZXIgY2VydGlmaWNhdGUgYXV0aG9yaXR5\n-----END CERTIFICATE-----\n";

/// Milliseconds from the deletion of a namespace until its content is deleted.
const TERMINATION: i64 = 5000;
/// Milliseconds in which the objects of some kinds are deleted.
const KINDS: i64 = 180;

impl Cluster {
    /// True while a namespace is being deleted.
    pub(crate) fn terminating(&self, name: &str) -> bool {
        let namespace = self.store.get(&Key::new("", "namespaces", "", name));
        namespace.is_some_and(|n| n.at(&["metadata", "deletionTimestamp"]).is_some())
    }

    pub(crate) fn sync_namespace(&mut self, name: &str) -> Result<(), Status> {
        let key = Key::new("", "namespaces", "", name);
        let Some(namespace) = self.store.get(&key).cloned() else { return Ok(()) };
        if namespace.at(&["metadata", "deletionTimestamp"]).is_some() {
            return self.terminate(&key, namespace);
        }
        let account = Key::new("", "serviceaccounts", name, "default");
        if self.store.get(&account).is_none() {
            let object = Json::map([("metadata", Json::map([("name", Json::str("default"))]))]);
            self.controller_create(account, object)?;
        }
        let authority = Key::new("", "configmaps", name, "kube-root-ca.crt");
        if self.store.get(&authority).is_none() {
            let notes = Json::map([("kubernetes.io/description", Json::str(DESCRIPTION))]);
            let metadata = Json::map([("name", Json::str("kube-root-ca.crt")), ("annotations", notes)]);
            let object = Json::map([("metadata", metadata), ("data", Json::map([("ca.crt", Json::str(CERTIFICATE))]))]);
            self.controller_create(authority, object)?;
        }
        Ok(())
    }

    fn terminate(&mut self, key: &Key, namespace: Json) -> Result<(), Status> {
        let since =
            base::Time::parse_rfc3339(namespace.text_at(&["metadata", "deletionTimestamp"])).unwrap_or(self.now);
        if self.now < since + TERMINATION {
            // Stored times have whole seconds; the wait is counted from the deletion as it was seen.
            self.queue.add(self.now + (TERMINATION - LAG), Work::Namespace(key.name.clone()));
            return Ok(());
        }
        let rest = Work::NamespaceRest(key.name.clone());
        if self.queue.holds(&rest) {
            return Ok(());
        }
        let content = self.objects(Some(&key.name));
        let leaving = |object: &Json| object.at(&["metadata", "deletionTimestamp"]).is_some();
        // Pods go first; all else is not looked at before the last of them is gone.
        let pods: Vec<&Key> = content.iter().map(|(key, _)| key).filter(|key| &*key.resource == "pods").collect();
        if !pods.is_empty() {
            for (inside, object) in content.iter().filter(|(key, _)| &*key.resource == "pods") {
                if !leaving(object) {
                    self.begin_delete(inside, "Background", None);
                }
            }
            if self.store.list("", "pods", Some(&key.name)).next().is_some() {
                return self.remains(key, &[]);
            }
        }
        // The real controller takes the kinds in no certain order, some ten milliseconds each. Here those that own others
        // go first, and what they leave to others after them.
        let first: Vec<_> = content.iter().filter(|(key, object)| !key.group.is_empty() && !leaving(object)).collect();
        for (inside, _) in &first {
            self.begin_delete(inside, "Background", None);
        }
        self.queue.add(self.now + if first.is_empty() { 0 } else { KINDS }, rest);
        Ok(())
    }

    /// The other kinds of a namespace that is being deleted, then the namespace itself.
    pub(crate) fn end_namespace(&mut self, name: &str) -> Result<(), Status> {
        if !self.terminating(name) {
            return Ok(());
        }
        let key = Key::new("", "namespaces", "", name);
        let content = self.objects(Some(name));
        for (inside, object) in &content {
            if object.at(&["metadata", "deletionTimestamp"]).is_none() {
                self.begin_delete(inside, "Background", None);
            }
        }
        if !self.objects(Some(name)).is_empty() {
            return self.remains(&key, &content);
        }
        if content.is_empty() {
            self.remove_object(&key);
        } else {
            self.queue.add(self.now + 3 * LAG, Work::NamespaceRest(name.into()));
        }
        Ok(())
    }

    /// Writes what remains in a namespace, and looks again later.
    fn remains(&mut self, key: &Key, content: &[(Key, Json)]) -> Result<(), Status> {
        let mut new = self.existing(key)?;
        new.set(&["status", "conditions"], conditions(content, &self.now.rfc3339()));
        self.controller_update(key, new, MANAGER, "status")?;
        self.queue.add(self.now + TERMINATION.max(LAG), Work::Namespace(key.name.clone()));
        Ok(())
    }
}

fn conditions(content: &[(Key, Json)], now: &str) -> Json {
    let held = content.iter().filter(|(_, object)| !object.items_at(&["metadata", "finalizers"]).is_empty()).count();
    let condition = |kind: &str, status: bool, reason: &str, message: String| {
        Json::map([
            ("type", Json::str(kind)),
            ("status", Json::str(if status { "True" } else { "False" })),
            ("lastTransitionTime", Json::str(now)),
            ("reason", Json::str(reason)),
            ("message", Json::str(message)),
        ])
    };
    let gone = content.is_empty();
    Json::list([
        condition(
            "NamespaceDeletionDiscoveryFailure",
            false,
            "ResourcesDiscovered",
            "All resources successfully discovered".into(),
        ),
        condition(
            "NamespaceDeletionGroupVersionParsingFailure",
            false,
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed".into(),
        ),
        condition(
            "NamespaceDeletionContentFailure",
            false,
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization".into(),
        ),
        condition(
            "NamespaceContentRemaining",
            !gone,
            if gone { "ContentRemoved" } else { "SomeResourcesRemain" },
            if gone { "All content successfully removed".into() } else { remaining(content) },
        ),
        condition(
            "NamespaceFinalizersRemaining",
            held > 0,
            if held > 0 { "SomeFinalizersRemain" } else { "ContentHasNoFinalizers" },
            if held > 0 { finalizers(content) } else { "All content-preserving finalizers finished".into() },
        ),
    ])
}

fn remaining(content: &[(Key, Json)]) -> String {
    let mut counts = base::SortedMap::<String, usize>::new();
    for (key, _) in content {
        let name =
            if key.group.is_empty() { format!("{}.", key.resource) } else { format!("{}.{}", key.resource, key.group) };
        *counts.entry(name).or_default() += 1;
    }
    let parts: Vec<String> = counts.iter().map(|(name, n)| format!("{name} has {n} resource instances")).collect();
    format!("Some resources are remaining: {}", parts.join(", "))
}

fn finalizers(content: &[(Key, Json)]) -> String {
    let mut counts = base::SortedMap::<String, usize>::new();
    for finalizer in content.iter().flat_map(|(_, object)| object.items_at(&["metadata", "finalizers"])) {
        *counts.entry(finalizer.as_str().unwrap_or("").to_string()).or_default() += 1;
    }
    let parts: Vec<String> = counts.iter().map(|(name, n)| format!("{name} in {n} resource instances")).collect();
    format!("Some content in the namespace has finalizers remaining: {}", parts.join(", "))
}
