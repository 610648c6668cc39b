//! AppProjects: which sources, destinations and kinds an Application may use, and orphaned objects in its namespace.

use crate::api;
use crate::application::Application;
use crate::object::{ObjectKey, owner_uids};
use crate::source::glob_text;
use crate::tracking;
use base::Json;
use cluster::Cluster;
use std::rc::Rc;

/// Argo CD's condition about objects that nobody tracks.
pub(crate) const ORPHANS: &str = "OrphanedResourceWarning";

/// An AppProject.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Project {
    /// Its name.
    pub name: Rc<str>,
    spec: Json,
    lenient: bool,
}

impl Project {
    /// The project of an Application; `None` when there is none of that name. Where the cluster serves no projects, only
    /// `default` is there, and allows everything.
    pub(crate) fn of(app: &Application, cluster: &Cluster) -> Option<Project> {
        let name = app.spec.project.clone();
        let key = ObjectKey {
            group: "argoproj.io".into(),
            kind: "AppProject".into(),
            namespace: app.namespace.clone(),
            name: name.clone(),
        };
        match api::live(cluster, &key) {
            Some(object) => {
                Some(Project { name, spec: object.get("spec").cloned().unwrap_or_default(), lenient: false })
            }
            None => (&*name == "default").then_some(Project { name, spec: Json::Null, lenient: true }),
        }
    }

    /// What the project forbids of an Application's spec, as messages of InvalidSpecError conditions.
    pub(crate) fn refusals(&self, app: &Application) -> Vec<String> {
        let mut out = Vec::new();
        for source in app.spec.sources.iter().filter(|s| !self.permits_source(&s.repo_url)) {
            out.push(format!("application repo {} is not permitted in project '{}'", source.repo_url, self.name));
        }
        let to = &app.spec.destination;
        if !self.permits_destination(&to.server, &to.namespace) {
            out.push(format!(
                "application destination server '{}' and namespace '{}' do not match any of the allowed destinations in \
                 project '{}'",
                to.server, to.namespace, self.name
            ));
        }
        out
    }

    fn permits_source(&self, url: &str) -> bool {
        let listed = self.spec.items_at(&["sourceRepos"]).iter().filter_map(Json::as_str);
        self.lenient || chosen(listed, |pattern| matches_path(pattern, url))
    }

    /// True when objects may go to a namespace of a cluster. A pattern that begins with `!` denies.
    pub(crate) fn permits_destination(&self, server: &str, namespace: &str) -> bool {
        let (mut any, mut denied) = (self.lenient, false);
        for entry in self.spec.items_at(&["destinations"]) {
            let server_fits = match (entry.text_at(&["server"]), entry.text_at(&["name"])) {
                ("", "") => true,
                ("", name) => glob_text(name, "in-cluster"),
                (pattern, _) => server.is_empty() || fits(pattern, server),
            };
            let pattern = entry.text_at(&["namespace"]);
            match pattern.strip_prefix('!') {
                Some(pattern) => denied |= server_fits && glob_text(pattern, namespace),
                None => any |= server_fits && glob_text(pattern, namespace),
            }
        }
        any && !denied
    }

    /// True when a sync may touch objects of a kind.
    pub(crate) fn permits_kind(&self, group: &str, kind: &str, namespaced: bool) -> bool {
        let holds = |list: &str| {
            self.spec
                .items_at(&[list])
                .iter()
                .any(|entry| glob_text(entry.text_at(&["group"]), group) && glob_text(entry.text_at(&["kind"]), kind))
        };
        if self.lenient {
            return true;
        }
        if namespaced {
            let open = self.spec.get("namespaceResourceWhitelist").is_none_or(Json::is_null);
            (open || holds("namespaceResourceWhitelist")) && !holds("namespaceResourceBlacklist")
        } else {
            holds("clusterResourceWhitelist") && !holds("clusterResourceBlacklist")
        }
    }

    /// True when somebody asked to hear of objects that no Application tracks.
    pub(crate) fn watches_orphans(&self) -> bool {
        self.spec.get("orphanedResources").is_some_and(|o| !o.is_null())
    }

    /// The condition about objects in the destination namespace that no Application tracks, when it is wanted.
    pub(crate) fn orphan_warning(
        &self,
        app: &Application,
        managed: &dyn Fn(&ObjectKey) -> bool,
        cluster: &Cluster,
    ) -> Option<String> {
        let namespace = &app.spec.destination.namespace;
        let asked = self.spec.get("orphanedResources")?;
        if asked.is_null() || asked.get("warn").and_then(Json::as_bool) == Some(false) || namespace.is_empty() {
            return None;
        }
        let ignored = |key: &ObjectKey| {
            asked.items_at(&["ignore"]).iter().any(|entry| {
                let fit = |part: &str, text: &str| match entry.text_at(&[part]) {
                    "" => part != "kind" || text.is_empty(),
                    pattern => glob_text(pattern, text),
                };
                fit("group", &key.group) && fit("kind", &key.kind) && fit("name", &key.name)
            })
        };
        let mut count = 0;
        for (_, object) in cluster.objects(Some(namespace)) {
            let key = ObjectKey::of(&object);
            let quiet = matches!(
                (&*key.group, &*key.kind),
                ("", "Event" | "Endpoints") | ("events.k8s.io" | "discovery.k8s.io" | "coordination.k8s.io", _)
            );
            let known = matches!(
                (&*key.group, &*key.kind, &*key.name),
                ("", "ServiceAccount", "default")
                    | ("", "ConfigMap", "kube-root-ca.crt")
                    | ("", "Service", "kubernetes")
            );
            let root = owner_uids(&object).is_empty();
            if root && !quiet && !known && !managed(&key) && tracking::of(&object).is_none() && !ignored(&key) {
                count += 1;
            }
        }
        (count > 0).then(|| format!("Application has {count} orphaned resources"))
    }
}

/// Whether a list of patterns chooses: one that fits, and none with `!` that does.
fn chosen<'a>(patterns: impl Iterator<Item = &'a str>, fits: impl Fn(&str) -> bool) -> bool {
    let (mut any, mut denied) = (false, false);
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(pattern) => denied |= fits(pattern),
            None => any |= fits(pattern),
        }
    }
    any && !denied
}

fn fits(pattern: &str, text: &str) -> bool {
    match pattern.strip_prefix('!') {
        Some(pattern) => !glob_text(pattern, text),
        None => glob_text(pattern, text),
    }
}

/// A pattern for addresses: `*` alone is everything, within one it stops at a slash.
fn matches_path(pattern: &str, url: &str) -> bool {
    let bare = |text: &str| text.trim_end_matches(".git").to_ascii_lowercase();
    let (pattern, url) = (bare(pattern), bare(url));
    if pattern == "*" || pattern.contains("**") {
        return glob_text(&pattern.replace("**", "*"), &url);
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), url.split('/').collect());
    a.len() == b.len() && a.iter().zip(&b).all(|(pattern, text)| glob_text(pattern, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(spec: &str) -> Project {
        Project { name: "team-a".into(), spec: Json::parse(spec).unwrap_or_default(), lenient: false }
    }

    /// Argo CD 3.5.2: the outcomes of recording 08j.
    #[test]
    fn rules_of_a_team() {
        let p = project(
            r#"{"sourceRepos":["https://git.example.com/*"],"destinations":[{"server":"https://kubernetes.default.svc","namespace":"team-a-*"}],
                "namespaceResourceBlacklist":[{"group":"","kind":"Secret"}]}"#,
        );
        let server = "https://kubernetes.default.svc";
        assert!(p.permits_destination(server, "team-a-x") && !p.permits_destination(server, "r08j"));
        assert!(p.permits_source("https://git.example.com/a.git") && !p.permits_source("https://git.example.com/a/b"));
        assert!(!p.permits_kind("", "Namespace", false) && !p.permits_kind("", "Secret", true));
        assert!(p.permits_kind("", "ConfigMap", true));
    }

    #[test]
    fn denials_win() {
        let p =
            project(r#"{"sourceRepos":["*","!*secret*"],"destinations":[{"namespace":"*"},{"namespace":"!kube-*"}]}"#);
        assert!(p.permits_destination("x", "web") && !p.permits_destination("x", "kube-system"));
        assert!(p.permits_source("git://host/a") && !p.permits_source("secrets"));
    }
}
