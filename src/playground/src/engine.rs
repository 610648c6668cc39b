//! The one place where the playground looks into the simulation: repositories, cluster objects, health.

use crate::lesson::GoalContext;
use base::Json;
use base::SortedMap;
use lesson::RepositorySpec;
use sim::State;
use std::rc::Rc;

/// Argo CD's health word of a live object; empty for kinds that have none.
pub(crate) fn health(object: &Json) -> String {
    argocd::health::of(object).map(|health| health.status.text().to_string()).unwrap_or_default()
}

/// The bare repository of this path.
pub(crate) fn remote<'a>(state: &'a State, path: &str) -> Option<&'a git::Repository> {
    state.remotes.bare.get(path)
}

/// The repository of the work tree at this path.
pub(crate) fn clone_at<'a>(state: &'a State, path: &str) -> Option<&'a git::Repository> {
    state.trees.get(path).map(|tree| &tree.repository)
}

/// All objects of the cluster.
pub(crate) fn objects(state: &State) -> Vec<Json> {
    state.cluster.objects(None).into_iter().map(|(_, object)| object).collect()
}

/// API versions of the cluster, as Argo CD hands them to Helm.
pub(crate) fn api_versions(state: &State) -> Vec<String> {
    let of = |r: &Rc<cluster::Resource>| [r.api_version(), format!("{}/{}", r.api_version(), r.kind)];
    state.cluster.resources().flat_map(of).collect()
}

/// The state as goals see it.
pub(crate) struct Goals<'a> {
    /// The simulation.
    pub(crate) state: &'a State,
    /// Texts that are typed and not in the simulation yet.
    pub(crate) typed: &'a SortedMap<Rc<str>, Rc<str>>,
    /// The lesson's repository.
    pub(crate) repository: &'a RepositorySpec,
}

impl GoalContext for Goals<'_> {
    fn remote_file(&self, path: &str) -> Option<Rc<[u8]>> {
        let remote = remote(self.state, &self.repository.bare)?;
        remote.file(remote.branch("main")?, path).cloned()
    }

    fn remote_under(&self, folder: &str) -> Vec<Rc<[u8]>> {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        let Some(remote) = remote(self.state, &self.repository.bare) else { return Vec::new() };
        let Some(head) = remote.branch("main") else { return Vec::new() };
        remote.files(head).into_iter().filter(|(path, _)| path.starts_with(&prefix)).map(|(_, bytes)| bytes).collect()
    }

    fn object(&self, kind: &str, namespace: &str, name: &str) -> Option<Json> {
        let namespace_of = |object: &Json| object.text_at(&["metadata", "namespace"]) == namespace;
        let within = (!namespace.is_empty()).then_some(namespace);
        let found = self.state.cluster.objects(within).into_iter().map(|(_, object)| object);
        found
            .filter(namespace_of)
            .find(|object| object.text_at(&["kind"]) == kind && object.text_at(&["metadata", "name"]) == name)
    }

    fn file(&self, path: &str) -> Option<Rc<[u8]>> {
        match self.typed.get(path) {
            Some(text) => Some(Rc::from(text.as_bytes())),
            None => self.state.disk.get(path).cloned(),
        }
    }
}

/// Digest of everything that the simulation holds: time, disk, repositories, objects, timeline. Equal logs give equal
/// digests on every platform.
pub(crate) fn digest(state: &State) -> String {
    let mut text = format!("{}\n{}\n", state.now.0, state.seed);
    for (path, bytes) in &state.disk {
        text.push_str(&format!("{path} {}\n", git::Oid::of("blob", bytes)));
    }
    for object in objects(state) {
        text.push_str(&object.to_raw_text());
        text.push('\n');
    }
    for entry in &state.timeline {
        text.push_str(&format!("{} {} {:?} {}\n", entry.at.0, entry.object, entry.what, entry.by));
    }
    git::Oid::of("blob", text.as_bytes()).to_string()
}

/// Whether nothing but periodic polling is due.
pub(crate) fn idle(state: &State) -> bool {
    state.next_event().is_none()
}
