//! Tasks of a sync: what has to be done with which object, in which phase and wave, in gitops-engine's order.

use crate::api;
use crate::compare::Pair;
use crate::health::HOOK_FINALIZER;
use crate::hook::{self, SyncPhase};
use crate::object::{ObjectKey, version};
use crate::order;
use crate::result::{OperationPhase, ResultRow};
use base::{Json, Time};
use cluster::Cluster;
use std::rc::Rc;

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// When.
    pub phase: SyncPhase,
    /// When within the phase.
    pub wave: i64,
    /// Which object.
    pub key: ObjectKey,
    /// Its API version without the group.
    pub version: Rc<str>,
    /// The wanted object; `None` to delete it.
    pub target: Option<Json>,
    /// The object in the cluster.
    pub live: Option<Json>,
    /// True for hooks.
    pub hook: bool,
    /// True when target and live differ or one is missing.
    pub modified: bool,
    /// How far it is; `None` before it has begun.
    pub state: Option<OperationPhase>,
    /// `Synced`, `SyncFailed` …; empty before it has begun.
    pub status: Rc<str>,
    /// kubectl's line, a health message, or an error.
    pub message: Rc<str>,
}

impl Task {
    /// True before it has begun.
    pub fn pending(&self) -> bool {
        self.state.is_none()
    }

    /// True between its beginning and its end.
    pub fn running(&self) -> bool {
        self.state == Some(OperationPhase::Running)
    }

    /// True once it has ended, well or badly.
    pub fn completed(&self) -> bool {
        self.state.is_some_and(OperationPhase::completed)
    }

    /// True for a deletion.
    pub fn is_prune(&self) -> bool {
        self.target.is_none()
    }

    /// The object that says what the task is: the wanted one, else the live one.
    pub fn object(&self) -> &Json {
        self.target.as_ref().or(self.live.as_ref()).unwrap_or(&Json::Null)
    }

    /// The task's row of the sync result.
    pub fn row(&self) -> ResultRow {
        ResultRow {
            key: self.key.clone(),
            version: self.version.clone(),
            sync_phase: self.phase,
            hook: self.hook,
            status: self.status.clone(),
            phase: self.state,
            message: self.message.clone(),
            images: self.target.as_ref().map(crate::object::images).unwrap_or_default(),
        }
    }
}

/// What the tasks of a pass are made from.
pub struct Plan<'a> {
    /// Targets and live objects.
    pub pairs: &'a [Pair],
    /// Resources to which a partial sync is limited; empty for all.
    pub selection: &'a [Json],
    /// Strategy `apply` and partial syncs run no hooks.
    pub skip_hooks: bool,
    /// `PruneLast=true` of the Application.
    pub prune_last: bool,
    /// Namespace to create before anything else, with its labels and annotations when they are managed.
    pub create_namespace: Option<Json>,
    /// The revision, for names of generated hooks; empty for several sources.
    pub revision: &'a str,
    /// When the operation began, for the same names.
    pub started_at: Time,
    /// Rows of earlier passes.
    pub results: &'a [ResultRow],
}

/// The tasks in order.
pub fn tasks(plan: &Plan<'_>, cluster: &Cluster) -> Vec<Task> {
    let mut tasks = Vec::new();
    for pair in plan.pairs {
        let object = pair.target.as_ref().or(pair.live.as_ref()).unwrap_or(&Json::Null);
        if !selected(plan.selection, pair) || hook::is_skip(object) {
            continue;
        }
        if hook::is_hook(object) {
            // Hooks left over from earlier syncs are never pruned by a sync.
            let (Some(target), false) = (&pair.target, plan.skip_hooks) else { continue };
            for phase in hook::phases(target) {
                tasks.push(hook_task(plan, pair, target, phase, cluster));
            }
            continue;
        }
        tasks.push(Task {
            phase: SyncPhase::Sync,
            wave: order::wave(object),
            key: pair.key.clone(),
            version: version(object).into(),
            target: pair.target.clone(),
            live: pair.live.clone(),
            hook: false,
            modified: pair.modified,
            state: None,
            status: "".into(),
            message: "".into(),
        });
    }
    if let Some(namespace) = &plan.create_namespace {
        let key = ObjectKey::of(namespace);
        tasks.push(Task {
            phase: SyncPhase::PreSync,
            wave: 0,
            live: api::live(cluster, &key),
            key,
            version: "v1".into(),
            target: Some(namespace.clone()),
            hook: false,
            modified: true,
            state: None,
            status: "".into(),
            message: "".into(),
        });
    }
    prune_waves(&mut tasks, plan.prune_last);
    base::order::sort_by(&mut tasks, |a, b| {
        let rank = |t: &Task| (t.phase, t.wave, order::kind_rank(&t.key.kind));
        rank(a).cmp(&rank(b)).then_with(|| a.key.name.cmp(&b.key.name)).then_with(|| a.key.cmp(&b.key))
    });
    dependencies(&mut tasks);
    for task in &mut tasks {
        if let Some(row) = plan.results.iter().find(|row| row.is(&task.key, task.phase)) {
            (task.state, task.status, task.message) = (row.phase, row.status.clone(), row.message.clone());
        }
    }
    tasks
}

fn selected(selection: &[Json], pair: &Pair) -> bool {
    let fits = |entry: &Json| {
        let namespace = entry.text_at(&["namespace"]);
        entry.text_at(&["kind"]) == &*pair.key.kind
            && entry.text_at(&["group"]) == &*pair.key.group
            && entry.text_at(&["name"]) == &*pair.key.name
            && (namespace.is_empty() || namespace == &*pair.key.namespace)
    };
    selection.is_empty() || (selection.iter().any(fits) && pair.self_referenced)
}

fn hook_task(plan: &Plan<'_>, pair: &Pair, target: &Json, phase: SyncPhase, cluster: &Cluster) -> Task {
    let mut target = target.clone();
    let mut key = pair.key.clone();
    if key.name.is_empty() {
        let generate = target.text_at(&["metadata", "generateName"]).to_string();
        let short = if plan.revision.len() >= 8 { &plan.revision[..7] } else { plan.revision };
        let suffix = format!("{short}-{}-{}", phase.text(), plan.started_at.secs()).to_lowercase();
        key.name = format!("{generate}{suffix}").into();
        target.set(&["metadata", "name"], Json::Str(key.name.clone()));
    }
    let mut finalizers = target.items_at(&["metadata", "finalizers"]).to_vec();
    if !finalizers.iter().any(|f| f.as_str() == Some(HOOK_FINALIZER)) {
        finalizers.push(HOOK_FINALIZER.into());
    }
    target.set(&["metadata", "finalizers"], Json::list(finalizers));
    Task {
        phase,
        wave: order::wave(&target),
        live: api::live(cluster, &key),
        version: version(&target).into(),
        key,
        target: Some(target),
        hook: true,
        modified: true,
        state: None,
        status: "".into(),
        message: "".into(),
    }
}

/// Deletions run in reverse: the waves that hold them are swapped, lowest with highest. `PruneLast` moves one behind
/// everything else of the phase.
fn prune_waves(tasks: &mut [Task], prune_last: bool) {
    let mut waves: Vec<i64> = tasks.iter().filter(|t| t.is_prune()).map(|t| t.wave).collect();
    base::order::sort(&mut waves);
    waves.dedup();
    let swapped: Vec<i64> = waves.iter().rev().copied().collect();
    for task in tasks.iter_mut().filter(|t| t.is_prune()) {
        if let Some(i) = waves.iter().position(|w| *w == task.wave) {
            task.wave = swapped[i];
        }
    }
    let last = tasks.iter().filter(|t| t.phase == SyncPhase::Sync).map(|t| t.wave).max().unwrap_or(0).max(0) + 1;
    for task in tasks.iter_mut().filter(|t| t.is_prune()) {
        if prune_last || task.live.as_ref().is_some_and(|l| hook::has_option(l, "PruneLast=true")) {
            task.wave = last;
        }
    }
}

/// A Namespace moves before the first task inside it, a CRD before the first of its objects; both take over that
/// task's phase and wave.
fn dependencies(tasks: &mut Vec<Task>) {
    for i in 0..tasks.len() {
        let Some(target) = tasks[i].target.clone() else { continue };
        let key = tasks[i].key.clone();
        let depends: Box<dyn Fn(&Task) -> bool> = match (&*key.group, &*key.kind) {
            ("", "Namespace") => Box::new(|t| t.target.is_some() && t.key.namespace == key.name),
            ("apiextensions.k8s.io", "CustomResourceDefinition") => {
                let (group, kind) = (target.text_at(&["spec", "group"]), target.text_at(&["spec", "names", "kind"]));
                Box::new(move |t| t.target.is_some() && &*t.key.group == group && &*t.key.kind == kind)
            }
            _ => continue,
        };
        let Some(first) = tasks[..i].iter().position(depends) else { continue };
        let mut task = tasks.remove(i);
        (task.phase, task.wave) = (tasks[first].phase, tasks[first].wave);
        tasks.insert(first, task);
    }
}
