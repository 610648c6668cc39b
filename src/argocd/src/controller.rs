//! The application controller: its queues on virtual time, and what wakes them.
//!
//! Nothing ticks. Changes of the cluster queue a refresh; a refresh may start an operation; an operation runs in passes;
//! polling queues a refresh when its time has come.

use crate::api;
use crate::application::{ARGOCD_NAMESPACE, Application, REFRESH_ANNOTATION};
use crate::compare::Comparison;
use crate::health;
use crate::hook::SyncPhase;
use crate::object::{ObjectKey, owner_uids};
use crate::project::Project;
use crate::repo::{RepoServer, Repositories};
use crate::source::Generated;
use crate::sync::Wait;
use crate::tracking;
use base::SortedMap;
use base::{Json, Time};
use cluster::{Change, ChangeType, Cluster, ObjectRef, PatchType, Writer};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Time between a change and the refresh that it causes, in milliseconds.
pub(crate) const REFRESH_DELAY: i64 = 120;
/// Time between the setting of an operation (or the end of a pass) and the next pass.
pub(crate) const PASS_DELAY: i64 = 100;
/// How long the first pass of an operation takes that makes a namespace, with discovery and dry run, until its state is
/// stored; recorded ones took 250 to 1240 ms.
pub(crate) const FIRST_PASS: i64 = 600;
/// Delay between two waves.
pub(crate) const WAVE_DELAY: i64 = 2000;
/// Soft resync: an Application is compared again after this time plus up to half of it.
const RESYNC: i64 = 120_000;
const RESYNC_JITTER: u64 = 60_000;
/// Steps of one call of [`Controller::step`] until it gives up on coming to rest.
const STEPS: usize = 100_000;

/// How thorough a refresh is; a higher one includes the lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Only the resource tree and the summary.
    Nothing,
    /// Against the revision compared last.
    Recent,
    /// Resolves the revision, believing the repo-server's cache.
    Latest,
    /// Resolves the revision anew.
    ForceResolve,
}

/// The controller's memory of one Application.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// When the next refresh is due, and which.
    pub(crate) refresh: Option<(Time, Level)>,
    /// Refreshes put off to a time of their own; one that comes earlier does not replace them.
    pub(crate) timers: Vec<(Time, Level)>,
    /// When the deletion of the Application goes on.
    pub(crate) finalize: Option<Time>,
    /// When the operation goes on.
    pub(crate) operation: Option<Time>,
    /// An operation state to store once the delay between waves is over.
    pub(crate) sleeping: Option<(Time, Json)>,
    /// The state of an attempt that has just begun again. It is known to the pass to come only: release 3.5.2 merges
    /// states into the stored one, which keeps what this one lacks.
    pub(crate) resumed: Option<Json>,
    /// The destination namespace was there when the operation began: what its first pass knows of it.
    pub(crate) namespace_seen: bool,
    /// What was wrong with the spec before the refresh that began the operation. The first pass still finds it, as the
    /// operation is set before the conditions are.
    pub(crate) refused: Option<String>,
    /// When polling refreshes next.
    pub(crate) poll: Option<Time>,
    /// Since when the repo-server fails.
    pub(crate) failing_since: Option<Time>,
    /// The last comparison.
    pub(crate) comparison: Option<Rc<Comparison>>,
    /// Its targets.
    pub(crate) generated: Option<Rc<Generated>>,
    /// Keys of its pairs.
    pub(crate) managed: BTreeSet<ObjectKey>,
    /// What the operation waits for.
    pub(crate) wait: Option<Wait>,
    /// The phase and wave at which the operation stands.
    pub(crate) step: Option<(SyncPhase, i64)>,
    /// The last failure to render, with places for the editor.
    pub(crate) failure: Option<base::Diagnostic>,
}

impl Run {
    /// Asks for a refresh; levels merge by the higher, times by the earlier.
    pub(crate) fn request(&mut self, at: Time, level: Level) {
        self.refresh = Some(match self.refresh {
            Some((t, l)) => (t.min(at), l.max(level)),
            None => (at, level),
        });
    }

    /// Asks for a refresh later, whatever happens until then.
    pub(crate) fn request_after(&mut self, at: Time, level: Level) {
        match self.timers.iter_mut().find(|(_, l)| *l == level) {
            Some((time, _)) => *time = at.min(*time),
            None => self.timers.push((at, level)),
        }
    }

    /// Asks for a pass of the operation.
    pub(crate) fn go_on(&mut self, at: Time) {
        self.operation = Some(self.operation.map_or(at, |t| t.min(at)));
    }
}

/// The application controller with its repo-server.
#[derive(Clone, Debug)]
pub struct Controller {
    pub(crate) repo: RepoServer,
    pub(crate) runs: SortedMap<Rc<str>, Run>,
    /// ApplicationSets that are due, and when.
    pub(crate) sets: SortedMap<Rc<str>, Time>,
    tracked: SortedMap<Rc<str>, BTreeSet<ObjectKey>>,
    seen: u64,
    pub(crate) seed: u64,
    pub(crate) events: u64,
    pub(crate) release: Release,
}

/// The releases whose visible differences are mirrored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Release {
    /// 3.5.0 to 3.5.2: an operation's state is merged into the stored one, so that the result of a failed attempt
    /// outlives the beginning of the next one, and a failed hook runs in every second retry only.
    #[default]
    V3_5_2,
    /// 3.5.3 to 3.5.7: the state is replaced as a whole; every retry runs the hook.
    V3_5_7,
}

impl Release {
    /// The release of a version such as `v3.5.2`.
    pub fn of(version: &str) -> Release {
        let patch = version.trim_start_matches('v').strip_prefix("3.5.").and_then(|p| p.parse::<u32>().ok());
        if patch.is_some_and(|p| p >= 3) { Release::V3_5_7 } else { Release::V3_5_2 }
    }
}

impl Controller {
    /// A controller that has seen nothing yet.
    pub fn new(seed: u64) -> Controller {
        Controller {
            repo: RepoServer::default(),
            runs: SortedMap::new(),
            sets: SortedMap::new(),
            tracked: SortedMap::new(),
            seen: 0,
            seed,
            events: 0,
            release: Release::default(),
        }
    }

    /// Behaves as another release from now on.
    pub fn set_release(&mut self, release: Release) {
        self.release = release;
    }

    /// Takes in what changed and does everything that is due at `now`.
    pub fn step(&mut self, cluster: &mut Cluster, repositories: &dyn Repositories, now: Time) {
        for _ in 0..STEPS {
            self.ingest(cluster, now);
            if let Some((_, name)) = self.next_set().filter(|(at, _)| *at <= now) {
                self.sync_set(&name, cluster, repositories, now);
                continue;
            }
            let Some((at, name)) = self.earliest(true) else { return };
            if at > now {
                return;
            }
            self.run_one(&name, cluster, repositories, now);
        }
    }

    /// When the controller has something to do next; polling counts.
    pub fn next_wakeup(&self) -> Option<Time> {
        let application = self.earliest(true).map(|(at, _)| at);
        application.into_iter().chain(self.next_set().map(|(at, _)| at)).min()
    }

    /// The same without polling: `None` when nothing happens unless a commit or the cluster gives a reason.
    pub fn next_activity(&self) -> Option<Time> {
        self.earliest(false).map(|(at, _)| at)
    }

    /// When an Application is polled next.
    pub fn next_poll(&self, app: &str) -> Option<Time> {
        self.runs.get(app)?.poll
    }

    /// What an Application's operation waits for.
    pub fn wait(&self, app: &str) -> Option<&Wait> {
        self.runs.get(app)?.wait.as_ref()
    }

    /// The phase and wave at which an Application's operation stands.
    pub fn sync_step(&self, app: &str) -> Option<(SyncPhase, i64)> {
        self.runs.get(app)?.step
    }

    /// Until when an Application's operation sits out the delay between two waves.
    pub fn wave_delay(&self, app: &str) -> Option<Time> {
        self.runs.get(app)?.sleeping.as_ref().map(|(until, _)| *until)
    }

    /// Names of the Applications that it knows.
    pub fn names(&self) -> impl Iterator<Item = &Rc<str>> {
        self.runs.keys()
    }

    /// The last comparison of an Application.
    pub fn comparison(&self, app: &str) -> Option<&Rc<Comparison>> {
        self.runs.get(app)?.comparison.as_ref()
    }

    /// The targets of the last comparison of an Application, with the render they came from.
    pub fn generated(&self, app: &str) -> Option<&Rc<Generated>> {
        self.runs.get(app)?.generated.as_ref()
    }

    /// Why the last comparison could not render, with a place in the repository.
    pub fn failure(&self, app: &str) -> Option<&base::Diagnostic> {
        self.runs.get(app)?.failure.as_ref()
    }

    /// Until when the repo-server believes what it knows of a repository's branches.
    pub fn revisions_known_until(&self, url: &str) -> Option<Time> {
        self.repo.known_until(url)
    }

    fn earliest(&self, polling: bool) -> Option<(Time, Rc<str>)> {
        self.runs.iter().filter_map(|(name, run)| Some((due(run, polling)?, name.clone()))).min()
    }

    fn run_one(&mut self, name: &Rc<str>, cluster: &mut Cluster, repositories: &dyn Repositories, now: Time) {
        let Some(run) = self.runs.get_mut(name) else { return };
        if let Some((at, _)) = run.sleeping
            && at <= now
            && let Some((_, state)) = run.sleeping.take()
        {
            self.store_operation(name, state, cluster, now);
            return;
        }
        if let Some(i) = run.timers.iter().position(|(at, _)| *at <= now) {
            let (_, level) = run.timers.remove(i);
            run.request(now, level);
            return;
        }
        if let Some((at, level)) = run.refresh
            && at <= now
        {
            run.refresh = None;
            self.refresh(name, level, cluster, repositories, now);
            return;
        }
        if run.finalize.is_some_and(|at| at <= now) {
            run.finalize = None;
            self.finalize(name, cluster, now);
            return;
        }
        if run.sleeping.is_none() && run.operation.is_some_and(|at| at <= now) {
            run.operation = None;
            self.operate(name, cluster, repositories, now);
            return;
        }
        if run.poll.is_some_and(|at| at <= now) {
            run.poll = None;
            self.refresh(name, Level::Latest, cluster, repositories, now);
            if let Some(run) = self.runs.get_mut(name) {
                // A refresh that was given up leaves no new time of its own.
                run.poll.get_or_insert(now + RESYNC);
            }
        }
    }

    /// Takes in the changes of the cluster since the last call.
    fn ingest(&mut self, cluster: &Cluster, now: Time) {
        if self.seen == cluster.version() {
            return;
        }
        let changes: Vec<Change> = cluster.changes_since(self.seen).cloned().collect();
        self.seen = cluster.version();
        for change in &changes {
            match (&*change.key.group, &*change.key.resource) {
                ("", "events") | ("events.k8s.io", _) | ("coordination.k8s.io", _) => {}
                ("argoproj.io", "applicationsets") => self.set_changed(change, now),
                ("argoproj.io", "applications") if &*change.key.namespace == ARGOCD_NAMESPACE => {
                    self.set_changed(change, now);
                    self.application_changed(change, now);
                    self.object_changed(change, cluster, now);
                }
                _ => self.object_changed(change, cluster, now),
            }
        }
    }

    fn application_changed(&mut self, change: &Change, now: Time) {
        let name = change.key.name.clone();
        if change.kind == ChangeType::Deleted {
            self.runs.remove(&name);
            return;
        }
        let app = Application::read(&change.object);
        if app.object.at(&["metadata", "deletionTimestamp"]).is_some() {
            self.runs.entry(name.clone()).or_default();
            self.deletion_noticed(&name, now);
        }
        let level = wanted_level(&app, &change.before);
        let run = self.runs.entry(name).or_default();
        if let Some(level) = level {
            run.request(now + REFRESH_DELAY, level);
        }
        let had = change.before.get("operation").is_some_and(|o| !o.is_null());
        let phase = |o: &Json| o.text_at(&["status", "operationState", "phase"]).to_string();
        let told = phase(&change.object) == "Terminating" && phase(&change.before) != "Terminating";
        // An approval of deletions is an annotation.
        let marks = ["metadata", "annotations"];
        let marked = !change.before.is_null() && change.before.at(&marks) != change.object.at(&marks);
        if app.operation().is_some() && (!had || told || marked) {
            run.go_on(now + PASS_DELAY / 2);
        }
    }

    /// A change of any object: the Applications that own it are refreshed.
    fn object_changed(&mut self, change: &Change, cluster: &Cluster, now: Time) {
        let object = if change.object.is_null() { &change.before } else { &change.object };
        let key = ObjectKey::of(object);
        let root =
            |o: &Json| if owner_uids(o).is_empty() { tracking::of(o).map(|id| Rc::from(id.instance)) } else { None };
        let before: Option<Rc<str>> = root(&change.before);
        let after: Option<Rc<str>> = if change.kind == ChangeType::Deleted { None } else { root(&change.object) };
        if before != after || change.kind == ChangeType::Added {
            if let Some(keys) = before.as_ref().and_then(|i| self.tracked.get_mut(i)) {
                keys.remove(&key);
            }
            if let Some(instance) = &after {
                self.tracked.entry(instance.clone()).or_default().insert(key.clone());
            }
        }
        let mut owners: BTreeSet<Rc<str>> = before.into_iter().chain(after).collect();
        owners.extend(self.runs.iter().filter(|(_, run)| run.managed.contains(&key)).map(|(name, _)| name.clone()));
        if !owners.is_empty() {
            if matters(change) {
                for name in &owners {
                    if self.application(name, cluster).is_some_and(|a| deleting(&a)) {
                        self.deletion_noticed(name, now);
                    }
                }
                for name in owners {
                    if let Some(run) = self.runs.get_mut(&name) {
                        run.request(now + REFRESH_DELAY, Level::Recent);
                    }
                }
            }
            return;
        }
        if change.kind == ChangeType::Modified {
            return;
        }
        if let Some(name) = root_instance(object, cluster) {
            if let Some(run) = self.runs.get_mut(&name) {
                run.request(now + REFRESH_DELAY, Level::Nothing);
            }
            return;
        }
        let watching: Vec<Rc<str>> =
            self.runs.keys().filter(|name| self.orphanage(name, &key, cluster)).cloned().collect();
        for name in watching {
            if let Some(run) = self.runs.get_mut(&name) {
                run.request(now + REFRESH_DELAY, Level::Nothing);
            }
        }
    }

    /// Whether an Application watches for orphans where an object is.
    fn orphanage(&self, name: &str, key: &ObjectKey, cluster: &Cluster) -> bool {
        self.application(name, cluster).is_some_and(|app| {
            app.spec.destination.namespace == key.namespace
                && !key.namespace.is_empty()
                && Project::of(&app, cluster).is_some_and(|p| p.watches_orphans())
        })
    }

    /// Live roots that carry an instance's tracking id.
    pub(crate) fn extras(&self, instance: &str) -> BTreeSet<ObjectKey> {
        self.tracked.get(instance).cloned().unwrap_or_default()
    }

    /// When an Application compared now is polled next.
    pub(crate) fn resync_at(&self, name: &str, from: Time) -> Time {
        let jitter = base::hash::hash(self.seed, name, "resync", from.0 as u64) % RESYNC_JITTER;
        from + RESYNC + jitter as i64
    }

    /// Merge-patches an Application; one that is gone meanwhile is no error.
    pub(crate) fn patch_application(&self, name: &str, patch: &Json, cluster: &mut Cluster) {
        if crate::patch::is_empty(patch) {
            return;
        }
        let at = ObjectRef::new("argoproj.io", "Application", ARGOCD_NAMESPACE, name);
        let writer = Writer::new(api::STATUS_MANAGER);
        let _ = cluster.patch(&at, "", PatchType::Merge, patch, &writer);
    }

    /// The Application of this name.
    pub(crate) fn application(&self, name: &str, cluster: &Cluster) -> Option<Application> {
        let key = ObjectKey {
            group: "argoproj.io".into(),
            kind: "Application".into(),
            namespace: ARGOCD_NAMESPACE.into(),
            name: name.into(),
        };
        api::live(cluster, &key).map(|object| Application::read(&object))
    }

    /// Writes a Kubernetes Event about an Application, as the controller or the API server of Argo CD does.
    pub(crate) fn event(
        &mut self,
        app: &Application,
        warning: bool,
        reason: &str,
        message: &str,
        by: &str,
        cluster: &mut Cluster,
        now: Time,
    ) {
        self.events += 1;
        let number = now.0.wrapping_mul(1_000_000).wrapping_add(self.events as i64);
        let meta = |path: &[&str]| Json::from(app.object.text_at(path));
        let event = Json::map([
            ("apiVersion", "v1".into()),
            ("kind", "Event".into()),
            (
                "metadata",
                Json::map([
                    ("name", Json::str(format!("{}.{number:x}", app.name))),
                    ("namespace", Json::Str(app.namespace.clone())),
                    (
                        "annotations",
                        Json::map([
                            ("dest-namespace", Json::Str(app.spec.destination.namespace.clone())),
                            ("dest-server", Json::Str(app.spec.destination.server.clone())),
                        ]),
                    ),
                ]),
            ),
            (
                "involvedObject",
                Json::map([
                    ("kind", "Application".into()),
                    ("namespace", Json::Str(app.namespace.clone())),
                    ("name", Json::Str(app.name.clone())),
                    ("uid", meta(&["metadata", "uid"])),
                    ("apiVersion", "argoproj.io/v1alpha1".into()),
                    ("resourceVersion", meta(&["metadata", "resourceVersion"])),
                ]),
            ),
            ("reason", reason.into()),
            ("message", message.into()),
            ("source", Json::map([("component", Json::from(by))])),
            ("firstTimestamp", Json::str(now.rfc3339())),
            ("lastTimestamp", Json::str(now.rfc3339())),
            ("count", Json::Int(1)),
            ("type", if warning { "Warning" } else { "Normal" }.into()),
            ("eventTime", Json::Null),
            ("reportingComponent", "".into()),
            ("reportingInstance", "".into()),
        ]);
        // Events are a courtesy: a namespace that cannot take one does not stop the controller.
        let _ = cluster.create(&event, &Writer::new(by));
    }
}

fn deleting(app: &Application) -> bool {
    app.object.at(&["metadata", "deletionTimestamp"]).is_some()
}

fn due(run: &Run, polling: bool) -> Option<Time> {
    let operation = match run.sleeping {
        Some((at, _)) => Some(at),
        None => run.operation,
    };
    let timer = run.timers.iter().map(|(at, _)| *at).min();
    [run.refresh.map(|r| r.0), timer, run.finalize, operation, run.poll.filter(|_| polling)].into_iter().flatten().min()
}

/// The refresh that an Application's own state asks for.
fn wanted_level(app: &Application, before: &Json) -> Option<Level> {
    if app.annotation(REFRESH_ANNOTATION).is_some() {
        return Some(Level::ForceResolve);
    }
    let compared = app.status().at(&["sync", "comparedTo"]).unwrap_or(&Json::Null);
    let spec = app.object.get("spec").unwrap_or(&Json::Null);
    let same = |key: &str| spec.get(key).unwrap_or(&Json::Null) == compared.get(key).unwrap_or(&Json::Null);
    if !same(if app.spec.multi_source { "sources" } else { "source" }) {
        return Some(Level::ForceResolve);
    }
    if !same("destination") || !same("ignoreDifferences") {
        return Some(Level::Latest);
    }
    if !before.is_null() && before.text_at(&["spec", "project"]) != app.object.text_at(&["spec", "project"]) {
        return Some(Level::Latest);
    }
    let automated = ["spec", "syncPolicy", "automated"];
    (before.at(&automated).is_none() && app.object.at(&automated).is_some()).then_some(Level::Latest)
}

/// Whether a change is more than noise: health or anything but status and bookkeeping changed.
fn matters(change: &Change) -> bool {
    if change.kind != ChangeType::Modified {
        return true;
    }
    if health::of(&change.before) != health::of(&change.object) {
        return true;
    }
    let bare = |object: &Json| {
        let mut out = object.clone();
        out.remove(&["status"]);
        for key in ["resourceVersion", "generation", "managedFields"] {
            out.remove(&["metadata", key]);
        }
        out
    };
    bare(&change.before) != bare(&change.object)
}

/// The instance that tracks the root owner of an object.
fn root_instance(object: &Json, cluster: &Cluster) -> Option<Rc<str>> {
    let mut at = object.clone();
    for _ in 0..8 {
        let owners = owner_uids(&at);
        let Some(uid) = owners.first() else { return tracking::of(&at).map(|id| id.instance.into()) };
        at = cluster.object(cluster.key_of_uid(uid)?)?.clone();
    }
    None
}
