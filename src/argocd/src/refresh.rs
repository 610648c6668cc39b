//! Refreshes: compare an Application, decide about an automatic sync, write its status.

use crate::application::{Application, REFRESH_ANNOTATION, Source};
use crate::compare::{self, Comparison};
use crate::controller::{Controller, Level, PASS_DELAY};
use crate::health;
use crate::object::{self, ObjectKey};
use crate::operation::{self, Decision};
use crate::patch;
use crate::project::{self, Project};
use crate::repo::{RepoError, Repositories};
use crate::several::{self, LoadError};
use crate::source::{Generated, Reference, Request, Served, Target};
use base::{Json, Time};
use cluster::Cluster;
use std::rc::Rc;

/// Component of events by the controller.
pub(crate) const COMPONENT: &str = "argocd-application-controller";
/// How long a repository may fail before an Application shows it, in milliseconds.
const GRACE: i64 = 180_000;
/// Version of the destination cluster.
const KUBE_VERSION: &str = "1.36.1";

/// Targets of an Application.
pub(crate) struct Loaded {
    pub(crate) revision: Rc<str>,
    pub(crate) generated: Rc<Generated>,
    /// The type of each source, empty for one that only lends its files.
    pub(crate) types: Vec<&'static str>,
}

impl Controller {
    /// Renders the sources of an Application at a revision, which is joined for several sources.
    pub(crate) fn load(
        &mut self,
        app: &Application,
        sources: &[Source],
        revision: &str,
        force: bool,
        hard: bool,
        cluster: &Cluster,
        repositories: &dyn Repositories,
        now: Time,
    ) -> Result<Loaded, LoadError> {
        let of = sources.len();
        let failed = |index: usize| move |error: RepoError| LoadError { index, of, error };
        let asked = several::parts(revision);
        let mut revisions: Vec<Rc<str>> = Vec::new();
        let mut references = Vec::new();
        for (i, source) in sources.iter().enumerate() {
            let asked = if app.spec.multi_source { asked.get(i).copied().unwrap_or("") } else { revision };
            let commit = self.repo.resolve(repositories, &source.repo_url, asked, now, force).map_err(failed(i))?;
            if app.spec.multi_source && !source.text("ref").is_empty() {
                let files = repositories
                    .repository(&source.repo_url)
                    .zip(git::Oid::parse(&commit))
                    .map(|(repository, oid)| repository.files(oid))
                    .unwrap_or_default();
                let name = format!("${}", source.text("ref")).into();
                references.push(Reference { name, revision: commit.clone(), files });
            }
            revisions.push(commit);
        }
        let instance = app.instance();
        let request = Request {
            instance: &instance,
            app: &app.name,
            namespace: &app.spec.destination.namespace,
            project: &app.spec.project,
            kube_version: KUBE_VERSION,
            api_versions: Served::By(cluster),
            now,
            seed: self.seed,
            references: &references,
        };
        let mut types = Vec::new();
        let mut all: Option<Rc<Generated>> = None;
        for (i, source) in sources.iter().enumerate() {
            // A source that only lends its files makes no manifests.
            if of > 1 && source.path.is_empty() && source.chart.is_empty() {
                types.push("");
                continue;
            }
            let answer = self.repo.manifests(repositories, source, &revisions[i], &request, hard).map_err(failed(i))?;
            types.push(answer.generated.source_type.text());
            all = Some(match all {
                None => answer.generated,
                Some(first) => {
                    let mut both = (*first).clone();
                    // Traces lead to the first source's render only.
                    let more = answer.generated.objects.iter().cloned();
                    both.objects.extend(more.map(|target| Target { manifest: None, ..target }));
                    Rc::new(both)
                }
            });
        }
        let generated = all.unwrap_or_else(|| Rc::new(Generated::empty()));
        Ok(Loaded { revision: several::joined(revisions.iter().map(|r| &**r)), generated, types })
    }

    /// Refreshes an Application.
    pub(crate) fn refresh(
        &mut self,
        name: &Rc<str>,
        level: Level,
        cluster: &mut Cluster,
        repositories: &dyn Repositories,
        now: Time,
    ) {
        let Some(app) = self.application(name, cluster) else {
            self.runs.remove(name);
            return;
        };
        if app.annotation("argocd.argoproj.io/skip-reconcile") == Some("true") {
            return;
        }
        if level == Level::Nothing {
            let mut status = app.status().clone();
            if status.is_null() {
                return;
            }
            let run = self.runs.get(name);
            let images = run.and_then(|r| r.comparison.as_ref()).map(|c| images(c, cluster)).unwrap_or_default();
            status.set(&["summary"], patch::without_empty([("images", Json::list(images))]));
            if let Some(project) = Project::of(&app, cluster).filter(Project::watches_orphans) {
                let mut all = kept_conditions(&app, project::ORPHANS);
                let managed = |key: &ObjectKey| run.is_some_and(|run| run.managed.contains(key));
                let warning = project.orphan_warning(&app, &managed, cluster);
                all.extend(warning.map(|text| (project::ORPHANS, text)));
                set_or_remove(&mut status, "conditions", conditions_of(&app, all, now));
            }
            self.store_status(&app, &status, false, cluster);
            return;
        }
        let mut conditions: Vec<(&'static str, String)> = Vec::new();
        let mut invalid: Vec<(&'static str, String)> =
            app.spec.errors().into_iter().map(|e| ("InvalidSpecError", e)).collect();
        let project = Project::of(&app, cluster);
        match &project {
            Some(project) => invalid.extend(project.refusals(&app).into_iter().map(|e| ("InvalidSpecError", e))),
            None => {
                let text = format!("Application referencing project {} which does not exist", app.spec.project);
                invalid.push(("InvalidSpecError", text));
            }
        }
        let hard = app.annotation(REFRESH_ANNOTATION) == Some("hard");
        let stored = several::revision_of(app.status().get("sync").unwrap_or(&Json::Null));
        let sources = app.spec.sources.clone();
        let asked: Rc<str> = match level {
            Level::Recent if !stored.is_empty() => stored.clone(),
            _ => several::targets(&sources),
        };
        let changed = asked != stored;
        let mut comparison = None;
        let mut loaded = None;
        let mut revision: Rc<str> = asked.clone();
        if invalid.is_empty() {
            let force = level == Level::ForceResolve;
            let given_up = self.resync_at(name, now);
            let got = self.load(&app, &sources, &asked, force, hard, cluster, repositories, now);
            let run = self.runs.entry(name.clone()).or_default();
            match got {
                Ok(found) => {
                    (run.failing_since, run.failure) = (None, None);
                    revision = found.revision.clone();
                    loaded = Some(found);
                }
                Err(failed) => {
                    run.failure = failed.error.diagnostic.as_deref().cloned();
                    let since = *run.failing_since.get_or_insert(now);
                    if level != Level::ForceResolve && now - since < GRACE {
                        run.poll = Some(given_up);
                        return;
                    }
                    conditions.push(("ComparisonError", failed.to_string()));
                }
            }
            let extras = self.extras(&app.instance());
            let targets = loaded.as_ref().map(|l| &l.generated.objects[..]);
            let before = self.runs.get(name).and_then(|run| run.comparison.clone());
            let made = compare::compare(&app, targets, &extras, before.as_deref(), cluster);
            conditions.extend(made.warnings.iter().cloned());
            let managed = |key: &ObjectKey| made.pairs.iter().any(|p| p.key == *key);
            let warning = project.as_ref().and_then(|p| p.orphan_warning(&app, &managed, cluster));
            conditions.extend(warning.map(|text| (project::ORPHANS, text)));
            comparison = Some(Rc::new(made));
        } else {
            revision = stored.clone();
            conditions.append(&mut invalid);
            // The other stages did not run: their conditions stay.
            let others = app.status().items_at(&["conditions"]).iter();
            for condition in others.filter(|c| c.text_at(&["type"]) == "SyncError") {
                conditions.push(("SyncError", condition.text_at(&["message"]).to_string()));
            }
        }
        if let Some(loaded) = &loaded {
            let generated = loaded.generated.clone();
            self.hold(&app, &generated.objects, cluster);
        }
        let mut current = app.clone();
        let mut again = None;
        if let Some(comparison) = &comparison {
            match operation::decide(&app, comparison, &revision, changed, now) {
                Decision::Nothing => {}
                Decision::Refused(text) => conditions.push(("SyncError", text)),
                Decision::Later(at) => again = Some(at),
                Decision::Start(op) => {
                    self.set_operation(&app, &op, cluster);
                    if let Some(run) = self.runs.get_mut(name) {
                        run.refused = spec_errors(&app);
                    }
                    let text = format!("Initiated automated sync to '{revision}'");
                    self.event(&app, false, "OperationStarted", &text, COMPONENT, cluster, now);
                    if let Some(fresh) = self.application(name, cluster) {
                        current = fresh;
                    }
                }
            }
        }
        let status =
            self.status_of(&current, &app, level, &revision, comparison.as_deref(), &loaded, conditions, cluster, now);
        self.announce(&app, &status, cluster, now);
        self.store_status(&current, &status, app.annotation(REFRESH_ANNOTATION).is_some(), cluster);
        let poll = self.resync_at(name, now);
        let run = self.runs.entry(name.clone()).or_default();
        if level >= Level::Latest || run.poll.is_none() {
            run.poll = Some(poll);
        }
        if let Some(at) = again {
            run.request_after(at, Level::Latest);
        }
        if let Some(comparison) = comparison {
            run.managed = comparison.pairs.iter().map(|p| p.key.clone()).collect();
            run.comparison = Some(comparison);
        }
        run.generated = loaded.map(|l| l.generated);
        if current.operation().is_some() {
            run.go_on(now + PASS_DELAY / 2);
        }
    }

    /// Sets the operation of an Application and takes away the state of the former one.
    pub(crate) fn set_operation(&mut self, app: &Application, op: &Json, cluster: &mut Cluster) {
        let mut status = app.status().clone();
        if status.is_null() {
            // The whole object is written, so a new Application shows the zero values of its status for a moment.
            status = Json::parse(
                r#"{"health":{},"sourceHydrator":{},"summary":{},"sync":{"comparedTo":{"destination":{},"source":{"repoURL":""}},"status":""}}"#,
            )
            .unwrap_or_default();
        }
        status.remove(&["operationState"]);
        let change = Json::map([("operation", op.clone()), ("status", patch::between(app.status(), &status))]);
        self.patch_application(&app.name, &change, cluster);
    }

    /// The status after a comparison.
    fn status_of(
        &self,
        current: &Application,
        app: &Application,
        level: Level,
        revision: &str,
        comparison: Option<&Comparison>,
        loaded: &Option<Loaded>,
        conditions: Vec<(&'static str, String)>,
        cluster: &Cluster,
        now: Time,
    ) -> Json {
        let stamp = || Json::str(now.rfc3339());
        let mut status = current.status().clone();
        let spec = app.object.get("spec").unwrap_or(&Json::Null);
        let part = |key: &str| spec.get(key).cloned().unwrap_or_default();
        let multi = app.spec.multi_source;
        let compared = patch::without_empty([
            ("source", if multi { several::no_source() } else { part("source") }),
            ("sources", part("sources")),
            ("destination", part("destination")),
            ("ignoreDifferences", part("ignoreDifferences")),
        ]);
        let word = comparison.map_or("Unknown", |c| c.sync.text());
        let (one, many) = match (multi, loaded) {
            (false, _) => (revision.into(), Json::list([])),
            (true, None) => ("".into(), Json::list([])),
            (true, Some(_)) => ("".into(), Json::list(several::parts(revision).into_iter().map(Json::from))),
        };
        let sync = patch::without_empty([
            ("status", word.into()),
            ("comparedTo", compared),
            ("revision", one),
            ("revisions", many),
        ]);
        status.set(&["sync"], sync);
        let health = comparison.map_or(health::Status::Unknown, |c| c.health).text();
        if app.status().text_at(&["health", "status"]) != health
            || status.at(&["health", "lastTransitionTime"]).is_none()
        {
            status.set(&["health"], Json::map([("lastTransitionTime", stamp()), ("status", health.into())]));
        }
        let entries: Vec<Json> = comparison.iter().flat_map(|c| &c.pairs).map(compare::Pair::entry).collect();
        let images = comparison.map(|c| images(c, cluster)).unwrap_or_default();
        set_or_remove(&mut status, "resources", Json::list(entries));
        status.set(&["summary"], patch::without_empty([("images", Json::list(images))]));
        let types = loaded.as_ref().map_or(&[][..], |l| &l.types[..]);
        let kind = if multi { "" } else { types.first().copied().unwrap_or("") };
        set_or_remove(&mut status, "sourceType", kind.into());
        let kinds = if multi { types } else { &[] };
        set_or_remove(&mut status, "sourceTypes", Json::list(kinds.iter().map(|k| Json::from(*k))));
        set_or_remove(&mut status, "conditions", conditions_of(app, conditions, now));
        status.set(&["controllerNamespace"], Json::Str(app.namespace.clone()));
        status.set(&["resourceHealthSource"], "appTree".into());
        status.set(&["sourceHydrator"], Json::Map(Rc::default()));
        if level >= Level::Latest || status.at(&["reconciledAt"]).is_none() {
            status.set(&["reconciledAt"], stamp());
        }
        status
    }

    /// Events about changes of the two statuses.
    fn announce(&mut self, app: &Application, status: &Json, cluster: &mut Cluster, now: Time) {
        for what in ["sync", "health"] {
            let (old, new) = (app.status().text_at(&[what, "status"]), status.text_at(&[what, "status"]));
            if old != new {
                let text = format!("Updated {what} status: {old} -> {new}");
                self.event(app, false, "ResourceUpdated", &text, COMPONENT, cluster, now);
            }
        }
    }

    fn store_status(&mut self, app: &Application, status: &Json, refreshed: bool, cluster: &mut Cluster) {
        let change = patch::between(app.status(), status);
        let mut whole = Json::Map(Rc::default());
        if !patch::is_empty(&change) {
            whole.set(&["status"], change);
        }
        if refreshed {
            whole.set(&["metadata", "annotations", REFRESH_ANNOTATION], Json::Null);
        }
        self.patch_application(&app.name, &whole, cluster);
    }
}

/// Condition types that a comparison leaves, for conditions that are kept as they are.
const KINDS: [&str; 8] = [
    "ComparisonError",
    "DeletionError",
    "InvalidSpecError",
    "RepeatedResourceWarning",
    "SharedResourceWarning",
    "SyncError",
    "UnknownError",
    project::ORPHANS,
];

/// The stored conditions but for those of one type.
fn kept_conditions(app: &Application, but: &str) -> Vec<(&'static str, String)> {
    let all = app.status().items_at(&["conditions"]).iter();
    let known = |c: &Json| KINDS.into_iter().find(|k| *k == c.text_at(&["type"]) && *k != but);
    all.filter_map(|c| Some((known(c)?, c.text_at(&["message"]).to_string()))).collect()
}

fn set_or_remove(status: &mut Json, key: &str, value: Json) {
    let empty = value.as_list().is_some_and(<[Json]>::is_empty) || value.as_str() == Some("");
    if empty {
        status.remove(&[key]);
    } else {
        status.set(&[key], value);
    }
}

/// Conditions sorted by type and message; one whose message stays keeps its time.
fn conditions_of(app: &Application, mut conditions: Vec<(&'static str, String)>, now: Time) -> Json {
    base::order::sort(&mut conditions);
    conditions.dedup();
    let old = app.status().items_at(&["conditions"]);
    Json::list(conditions.into_iter().map(|(kind, message)| {
        let same = old.iter().find(|c| c.text_at(&["type"]) == kind && c.text_at(&["message"]) == message);
        let since = same.map_or_else(|| now.rfc3339(), |c| c.text_at(&["lastTransitionTime"]).to_string());
        Json::map([("type", kind.into()), ("message", Json::str(message)), ("lastTransitionTime", Json::str(since))])
    }))
}

/// Images of the pods below an Application's objects, sorted.
fn images(comparison: &Comparison, cluster: &Cluster) -> Vec<Json> {
    let mut found: Vec<Rc<str>> = Vec::new();
    let mut open: Vec<(Json, u32)> = comparison.pairs.iter().filter_map(|p| Some((p.live.clone()?, 0))).collect();
    while let Some((object, depth)) = open.pop() {
        if &*ObjectKey::of(&object).kind == "Pod" {
            found.extend(object::images(&object));
        }
        if depth < 8 {
            let owned = cluster.owned_by(object.text_at(&["metadata", "uid"]));
            open.extend(owned.iter().filter_map(|key| Some((cluster.object(key)?.clone(), depth + 1))));
        }
    }
    base::order::sort(&mut found);
    found.dedup();
    found.into_iter().map(Json::Str).collect()
}

/// The stored conditions about the spec, as an operation quotes them.
fn spec_errors(app: &Application) -> Option<String> {
    let all = app.status().items_at(&["conditions"]).iter().filter(|c| c.text_at(&["type"]) == "InvalidSpecError");
    let texts: Vec<String> = all.map(|c| format!("InvalidSpecError: {}", c.text_at(&["message"]))).collect();
    (!texts.is_empty()).then(|| texts.join(";"))
}
