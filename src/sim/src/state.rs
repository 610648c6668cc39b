//! The whole simulated world as plain data: disk, repositories, cluster, Argo CD, clock. A clone is a snapshot.

use crate::command::{Command, ObjectRef, Outcome};
use crate::timeline::{self, Entry, What};
use argocd::{ARGOCD_NAMESPACE, Controller, Repositories};
use base::{Json, SortedMap, Time, limits};
use cluster::{Cluster, CustomResource, Writer};
use git::Repository;
use rpds::RedBlackTreeMap;
use std::rc::Rc;

/// Address under which the git daemon of the lab serves `/srv/bare`.
const GIT_DAEMON: &str = "git://gitd.gitsrv.svc.cluster.local:9418/";

/// A work tree: its repository and where it pushes to. Its files are those of the disk below its path.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkTree {
    /// The repository.
    pub repository: Repository,
    /// Path of the bare repository behind `origin`; empty for none.
    pub origin: Rc<str>,
    /// The address of `origin` as it was typed, for git's output.
    pub origin_url: Rc<str>,
}

/// One simulation.
#[derive(Clone, Debug)]
pub struct State {
    /// The present instant.
    pub now: Time,
    /// Seed of everything that looks random.
    pub seed: u64,
    /// What happened, for the timeline, oldest first.
    pub timeline: rpds::Vector<Entry>,
    /// The simulated disk: absolute path → content.
    pub disk: RedBlackTreeMap<Rc<str>, Rc<[u8]>>,
    /// Work trees by absolute path.
    pub trees: RedBlackTreeMap<Rc<str>, WorkTree>,
    /// Bare repositories.
    pub remotes: Remotes,
    /// The cluster.
    pub cluster: Cluster,
    /// Argo CD.
    pub argocd: Controller,
    pub(crate) seen: u64,
    /// Where each operation stood when it was noted last.
    stands: SortedMap<Rc<str>, Stands>,
}

/// Phase and wave, wait, end of the delay between waves.
type Stands = (Option<(argocd::SyncPhase, i64)>, Option<argocd::Wait>, Option<Time>);

/// Bare repositories and the URLs that mean them.
#[derive(Clone, Debug, Default)]
pub struct Remotes {
    /// By absolute path.
    pub bare: RedBlackTreeMap<Rc<str>, Repository>,
    /// URL → path.
    pub urls: RedBlackTreeMap<Rc<str>, Rc<str>>,
}

impl Remotes {
    /// The path of the bare repository that a URL or path means.
    pub fn path_of(&self, url: &str) -> Option<Rc<str>> {
        if let Some(path) = self.urls.get(url) {
            return Some(path.clone());
        }
        let served = url.strip_prefix(GIT_DAEMON).map(|rest| format!("/srv/bare/{rest}"));
        let path = served.as_deref().unwrap_or(url);
        [path, path.trim_end_matches('/')].into_iter().find_map(|p| self.bare.get_key_value(p)).map(|(k, _)| k.clone())
    }
}

impl Repositories for Remotes {
    fn repository(&self, url: &str) -> Option<&Repository> {
        self.bare.get(&self.path_of(url)?)
    }
}

impl State {
    /// A fresh machine at `now`: an empty cluster with Argo CD installed in namespace `argocd`, no repositories.
    pub fn new(now: Time, seed: u64) -> State {
        let mut cluster = Cluster::new(seed, now);
        install(&mut cluster);
        let seen = cluster.version();
        let mut state = State {
            now,
            seed,
            timeline: rpds::Vector::new(),
            disk: RedBlackTreeMap::new(),
            trees: RedBlackTreeMap::new(),
            remotes: Remotes::default(),
            cluster,
            argocd: Controller::new(seed),
            seen,
            stands: SortedMap::new(),
        };
        state.settle();
        state
    }

    /// Carries out one command at the present instant.
    pub fn apply(&mut self, command: Command) -> Outcome {
        let outcome = match command {
            Command::Advance(ms) => {
                self.advance(self.now + ms.max(0));
                Outcome::default()
            }
            Command::RunUntilIdle(ms) => self.run_until(ms, |state| state.next_event().is_none()),
            Command::RunUntil(until, ms) => self.run_until(ms, |state| state.holds(&until)),
            Command::WriteFile { .. } | Command::DeleteFile { .. } | Command::RenameFile { .. } => {
                self.disk_command(command)
            }
            Command::GitInitBare { .. }
            | Command::BindUrl { .. }
            | Command::GitClone { .. }
            | Command::GitCommit { .. }
            | Command::GitPush { .. }
            | Command::GitCheckout { .. }
            | Command::RemoteCommit { .. }
            | Command::RemoteTag { .. } => self.git_command(command),
            Command::SyncApp { app, prune } => {
                let done = self.argocd.sync(&app, "admin", prune, &mut self.cluster, &self.remotes, self.now);
                fatal(done, "")
            }
            Command::SyncAppWith { app, request } => {
                let done = self.argocd.sync_with(&app, "admin", &request, &mut self.cluster, &self.remotes, self.now);
                fatal(done, "")
            }
            Command::Rollback { app, id } => {
                fatal(self.argocd.rollback(&app, "admin", id, &mut self.cluster, self.now), "")
            }
            Command::TerminateOp { app } => {
                let done = self.argocd.terminate(&app, "admin", &mut self.cluster, self.now);
                fatal(done, &format!("Application '{app}' operation terminating\n"))
            }
            _ => self.kubectl_command(command),
        };
        self.settle();
        outcome
    }

    /// Lets time pass up to an instant: everything due happens in order. Gives up, short of it, when the events of
    /// one advance exceed the limit.
    pub fn advance(&mut self, to: Time) {
        for _ in 0..limits::ADVANCE_EVENTS {
            let Some(at) = self.next_wakeup().filter(|at| *at <= to) else {
                self.move_to(to.max(self.now));
                return;
            };
            self.move_to(at.max(self.now));
        }
    }

    /// When something happens next without a command. Polling does not count: `None` means that nothing will happen
    /// unless somebody gives a reason.
    pub fn next_event(&self) -> Option<Time> {
        [self.cluster.next_wakeup(), self.argocd.next_activity()].into_iter().flatten().min()
    }

    /// The same with polling.
    pub fn next_wakeup(&self) -> Option<Time> {
        [self.cluster.next_wakeup(), self.argocd.next_wakeup()].into_iter().flatten().min()
    }

    /// The Application object of this name in namespace `argocd`.
    pub fn application(&self, name: &str) -> Option<Json> {
        self.object(&ObjectRef {
            group: "argoproj.io".into(),
            kind: "Application".into(),
            namespace: ARGOCD_NAMESPACE.into(),
            name: name.into(),
        })
    }

    /// A live object.
    pub fn object(&self, at: &ObjectRef) -> Option<Json> {
        self.cluster.get(&at.cluster()).ok()
    }

    /// Files below a folder of the disk, paths relative to it.
    pub fn files_below(&self, dir: &str) -> git::Files {
        let prefix = format!("{}/", dir.trim_end_matches('/'));
        self.disk
            .range::<str, _>((std::ops::Bound::Included(prefix.as_str()), std::ops::Bound::Unbounded))
            .map_while(|(path, bytes)| Some((Rc::from(path.strip_prefix(prefix.as_str())?), bytes.clone())))
            .collect()
    }

    fn move_to(&mut self, at: Time) {
        self.now = at;
        self.cluster.step(at);
        self.settle();
    }

    /// Lets Argo CD take in what changed, and notes it for the timeline.
    fn settle(&mut self) {
        self.argocd.step(&mut self.cluster, &self.remotes, self.now);
        let changes: Vec<cluster::Change> = self.cluster.changes_since(self.seen).cloned().collect();
        self.seen = self.cluster.version();
        for change in &changes {
            for (object, what, by) in timeline::read(change) {
                self.timeline.push_back_mut(Entry { at: self.now, object, what, by });
            }
        }
        let names: Vec<Rc<str>> = self.argocd.names().cloned().collect();
        for name in names {
            let stands =
                (self.argocd.sync_step(&name), self.argocd.wait(&name).cloned(), self.argocd.wave_delay(&name));
            let before = self.stands.get(&name);
            if before == Some(&stands) || before.is_none() && stands == (None, None, None) {
                continue;
            }
            let what = timeline::stand(&name, &self.argocd, &self.cluster);
            self.stands.insert(name.clone(), stands);
            let object = format!("argoproj.io/Application/{}/{name}", argocd::ARGOCD_NAMESPACE).into();
            self.timeline.push_back_mut(Entry { at: self.now, object, what, by: "".into() });
        }
    }

    /// Notes a command in the timeline.
    pub fn note(&mut self, words: impl Into<Rc<str>>) {
        let what = What::Command(words.into());
        self.timeline.push_back_mut(Entry { at: self.now, object: "".into(), what, by: "user".into() });
    }

    fn run_until(&mut self, ms: i64, done: impl Fn(&State) -> bool) -> Outcome {
        let end = self.now + ms.max(0);
        for _ in 0..limits::ADVANCE_EVENTS {
            if done(self) {
                return Outcome::default();
            }
            match self.next_wakeup().filter(|at| *at <= end) {
                Some(at) => self.move_to(at.max(self.now)),
                None => break,
            }
        }
        if done(self) {
            return Outcome::default();
        }
        self.move_to(end);
        Outcome::fail(1, "")
    }

    fn holds(&self, until: &crate::command::Until) -> bool {
        use crate::command::Until;
        match until {
            Until::Exists(at, wanted) => self.object(at).is_some() == *wanted,
            Until::App { name, sync, health, phase } => {
                let Some(app) = self.application(name) else { return false };
                let is =
                    |wanted: &Option<Rc<str>>, path: &[&str]| wanted.as_ref().is_none_or(|w| app.text_at(path) == &**w);
                app.get("operation").is_none_or(Json::is_null)
                    && is(sync, &["status", "sync", "status"])
                    && is(health, &["status", "health", "status"])
                    && is(phase, &["status", "operationState", "phase"])
            }
        }
    }
}

impl ObjectRef {
    /// The reference of an object as written.
    pub fn of(object: &Json) -> ObjectRef {
        let cluster::ObjectRef { group, kind, namespace, name } = cluster::ObjectRef::of(object);
        ObjectRef { group: group.into(), kind: kind.into(), namespace: namespace.into(), name: name.into() }
    }

    /// The cluster's form of the reference.
    pub(crate) fn cluster(&self) -> cluster::ObjectRef {
        cluster::ObjectRef::new(&self.group, &self.kind, &self.namespace, &self.name)
    }
}

fn fatal(done: Result<(), String>, said: &str) -> Outcome {
    match done {
        Ok(()) => Outcome::ok(said),
        Err(text) => Outcome::fail(20, format!("{{\"level\":\"fatal\",\"msg\":{}}}\n", Json::str(text).to_text())),
    }
}

/// Argo CD's kinds, its namespace and the project `default`.
fn install(cluster: &mut Cluster) {
    let writer = Writer::new("argocd-installer");
    let kinds = [("applications", "Application"), ("applicationsets", "ApplicationSet"), ("appprojects", "AppProject")];
    for (plural, kind) in kinds {
        let status = kind == "ApplicationSet";
        let custom =
            CustomResource { group: "argoproj.io", version: "v1alpha1", plural, kind, namespaced: true, status };
        // A built-in cluster has no reason to refuse these.
        let _ = cluster.serve_custom(&custom);
    }
    let named = |api: &str, kind: &str, name: &str| {
        Json::map([
            ("apiVersion", Json::from(api)),
            ("kind", kind.into()),
            ("metadata", Json::map([("name", Json::from(name))])),
        ])
    };
    let _ = cluster.create(&named("v1", "Namespace", ARGOCD_NAMESPACE), &writer);
    let mut project = named("argoproj.io/v1alpha1", "AppProject", "default");
    project.set(&["metadata", "namespace"], ARGOCD_NAMESPACE.into());
    let any = |pairs: &[(&'static str, &'static str)]| {
        Json::list([Json::map(pairs.iter().map(|(k, v)| (*k, Json::from(*v))))])
    };
    project.set(&["spec", "sourceRepos"], Json::list([Json::from("*")]));
    project.set(&["spec", "destinations"], any(&[("namespace", "*"), ("server", "*")]));
    project.set(&["spec", "clusterResourceWhitelist"], any(&[("group", "*"), ("kind", "*")]));
    let _ = cluster.create(&project, &writer);
}
