//! Applications with several sources: their revisions as one text, and how they are stored.
//!
//! Inside the controller the revisions of several sources are one text, joined as Argo CD's events join them
//! (`a, b, c`); a single source's is that text alone. Stored objects hold `revision` and `source`, or `revisions` and
//! `sources` beside an empty `source`.

use crate::application::{Application, Source};
use crate::repo::RepoError;
use base::Json;
use std::fmt;
use std::rc::Rc;

const JOINT: &str = ", ";

/// The revision that a stored part (`status.sync`, `syncResult`, `operation.sync`) names, joined for several sources.
pub(crate) fn revision_of(part: &Json) -> Rc<str> {
    let list = part.items_at(&["revisions"]);
    if list.is_empty() {
        return part.text_at(&["revision"]).into();
    }
    joined(list.iter().map(|r| r.as_str().unwrap_or("")))
}

/// Revisions as one text.
pub(crate) fn joined<'a>(revisions: impl Iterator<Item = &'a str>) -> Rc<str> {
    revisions.collect::<Vec<_>>().join(JOINT).into()
}

/// The revision of each source.
pub(crate) fn parts(revision: &str) -> Vec<&str> {
    revision.split(JOINT).collect()
}

/// What the sources of an Application ask for.
pub(crate) fn targets(sources: &[Source]) -> Rc<str> {
    joined(sources.iter().map(|s| &*s.target_revision))
}

/// The sources of an operation: its own, else those of the Application.
pub(crate) fn sources_of(op: &Json, app: &Application) -> Vec<Source> {
    let listed = op.items_at(&["sources"]);
    if app.spec.multi_source && !listed.is_empty() {
        return listed.iter().map(Source::read).collect();
    }
    match op.get("source").filter(|s| !s.is_null() && !app.spec.multi_source) {
        Some(raw) => vec![Source::read(raw)],
        None => app.spec.sources.clone(),
    }
}

/// Writes revisions and sources into a part whose empty fields are kept (`syncResult`).
pub(crate) fn store(part: &mut Json, multi: bool, sources: &[Source], revision: &str) {
    if multi {
        part.set(&["revision"], "".into());
        part.set(&["revisions"], Json::list(parts(revision).into_iter().map(Json::from)));
        part.set(&["source"], no_source());
        part.set(&["sources"], Json::list(sources.iter().map(|s| s.raw.clone())));
    } else {
        part.set(&["revision"], revision.into());
        part.set(&["source"], sources.first().map_or(Json::Null, |s| s.raw.clone()));
    }
}

/// The fields of an operation's `sync` that name revisions and sources.
pub(crate) fn wanted(multi: bool, sources: &[Source], revision: &str) -> [(&'static str, Json); 2] {
    if multi {
        let all = Json::list(parts(revision).into_iter().map(Json::from));
        [("revisions", all), ("sources", Json::list(sources.iter().map(|s| s.raw.clone())))]
    } else {
        [("revision", revision.into()), ("source", sources.first().map_or(Json::Null, |s| s.raw.clone()))]
    }
}

/// The empty source that stands where there are several.
pub(crate) fn no_source() -> Json {
    Json::map([("repoURL", Json::from(""))])
}

/// Which of the sources could not be loaded.
#[derive(Clone, Debug)]
pub(crate) struct LoadError {
    pub(crate) index: usize,
    pub(crate) of: usize,
    pub(crate) error: RepoError,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (index, of) = (self.index + 1, self.of);
        write!(f, "Failed to load target state: failed to generate manifest for source {index} of {of}: {}", self.error)
    }
}
