//! The step machine of a sync, gitops-engine's `Sync()`: one pass takes the present state of targets, cluster and
//! earlier results, does what is due, and says what it waits for. Between passes only the result rows are kept.

use crate::api;
use crate::health::{self, HOOK_FINALIZER, Status};
use crate::hook::{self, DeletePolicy, SyncPhase};
use crate::object::ObjectKey;
use crate::project::Project;
use crate::result::{OperationPhase, ResultRow};
use crate::task::Task;
use base::Json;
use cluster::{Cluster, PatchType, Propagation, Writer};
use std::rc::Rc;

/// Why a pass ends before the sync does, for machines: what has to change on which object.
#[derive(Clone, Debug, PartialEq)]
pub struct Wait {
    /// The object waited for.
    pub on: ObjectKey,
    /// `healthy`, `hook`, `deletion` or `confirmation`.
    pub reason: &'static str,
    /// How many further objects are waited for.
    pub more: usize,
    /// Argo CD's words.
    pub message: Rc<str>,
}

/// How the pass works.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Delete objects that left the source.
    pub prune: bool,
    /// Change nothing.
    pub dry_run: bool,
    /// Strategy force: delete and create again where an object cannot be changed.
    pub force: bool,
    /// `syncOptions` of the operation.
    pub options: Vec<Rc<str>>,
    /// Somebody approved deletions since the operation began.
    pub approved: bool,
    /// The Application's project.
    pub project: Project,
}

impl Settings {
    fn has(&self, option: &str) -> bool {
        self.options.iter().any(|o| &**o == option)
    }

    /// The value of `Prune=` for a task: of the live object, else of the Application.
    fn prune_option(&self, task: &Task) -> Option<Rc<str>> {
        let live = task.live.as_ref().unwrap_or(&Json::Null);
        let own = hook::tokens(live, "argocd.argoproj.io/sync-options").into_iter();
        let app = self.options.iter().map(|o| &**o);
        let value = |option: &str| option.strip_prefix("Prune=").map(Rc::from);
        own.filter_map(value).next().or_else(|| app.filter_map(value).next())
    }

    fn propagation(&self) -> Propagation {
        let policy = self.options.iter().find_map(|o| o.strip_prefix("PrunePropagationPolicy="));
        match policy {
            Some("background") => Propagation::Background,
            Some("orphan") => Propagation::Orphan,
            _ => Propagation::Foreground,
        }
    }
}

/// What a pass came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The operation's phase.
    pub phase: OperationPhase,
    /// Its message, in Argo CD's words.
    pub message: String,
    /// Result rows, old and new, in the order in which they were first recorded.
    pub rows: Vec<ResultRow>,
    /// True when the pass ends with the delay between waves.
    pub wave_delay: bool,
    /// What it waits for.
    pub wait: Option<Wait>,
    /// The phase and wave at which it stands.
    pub step: Option<(SyncPhase, i64)>,
}

/// A pass under way.
struct Run<'a> {
    cluster: &'a mut Cluster,
    settings: &'a Settings,
    rows: Vec<ResultRow>,
    wave_delay: bool,
    step: Option<(SyncPhase, i64)>,
}

/// Carries out one pass over the tasks, which are sorted and carry what earlier passes recorded.
pub fn pass(mut tasks: Vec<Task>, rows: Vec<ResultRow>, settings: &Settings, cluster: &mut Cluster) -> Pass {
    let first = rows.is_empty();
    let mut run = Run { cluster, settings, rows, wave_delay: false, step: None };
    if let Some(invalid) = run.invalid(&mut tasks) {
        return run.end(OperationPhase::Failed, invalid, None);
    }
    if first && let Some(end) = run.begin(&mut tasks) {
        return end;
    }
    run.refresh(&mut tasks);
    let multi_step = match (tasks.first(), tasks.last()) {
        (Some(a), Some(b)) => (a.phase, a.wave) != (b.phase, b.wave),
        _ => false,
    };
    let waiting: Vec<usize> =
        (0..tasks.len()).filter(|&i| tasks[i].running() && (multi_step || tasks[i].hook)).collect();
    if !waiting.is_empty() {
        for &i in &waiting {
            if tasks[i].live.is_none() && api::live(run.cluster, &tasks[i].key).is_none() {
                let text = format!("Resource {} is missing, it might have been deleted", tasks[i].key.short());
                run.record(&mut tasks[i], "SyncFailed", OperationPhase::Error, &text);
            }
        }
        let set: Vec<&Task> = waiting.iter().map(|&i| &tasks[i]).collect();
        return run.wait(&set, "healthy");
    }
    let going: Vec<&Task> = tasks
        .iter()
        .filter(|t| t.is_prune() && t.completed() && &*t.status == "Pruned")
        .filter(|t| api::live(run.cluster, &t.key).is_some_and(|l| l.at(&["metadata", "deletionTimestamp"]).is_some()))
        .collect();
    if !going.is_empty() {
        return run.wait(&going, "deletion");
    }
    for task in tasks.iter().filter(|task| task.hook && task.completed()) {
        run.release(&task.key);
    }
    let bad = |t: &Task| t.phase != SyncPhase::SyncFail && t.completed() && t.state != Some(OperationPhase::Succeeded);
    if tasks.iter().any(bad) {
        run.delete_hooks(&tasks, DeletePolicy::HookFailed);
        return run.fail(&mut tasks, "one or more synchronization tasks completed unsuccessfully");
    }
    let only_changes = run.settings.has("ApplyOutOfSyncOnly=true");
    let pending: Vec<usize> = (0..tasks.len())
        .filter(|&i| tasks[i].pending() && tasks[i].phase != SyncPhase::SyncFail)
        .filter(|&i| {
            let t = &tasks[i];
            !(only_changes && !t.hook && !t.modified && t.target.is_some() && t.live.is_some())
        })
        .collect();
    let Some(&head) = pending.first() else {
        run.delete_hooks(&tasks, DeletePolicy::HookSucceeded);
        return run.end(OperationPhase::Succeeded, "successfully synced (no more tasks)".into(), None);
    };
    let step = (tasks[head].phase, tasks[head].wave);
    run.step = Some(step);
    let group: Vec<usize> = pending.iter().copied().filter(|&i| (tasks[i].phase, tasks[i].wave) == step).collect();
    let last = pending.iter().all(|&i| (tasks[i].phase, tasks[i].wave) == step);
    if !run.settings.approved {
        let confirm = |t: &Task| t.is_prune() && run.settings.prune_option(t).as_deref() == Some("confirm");
        let open: Vec<&Task> = group.iter().map(|&i| &tasks[i]).filter(|t| confirm(t)).collect();
        if !open.is_empty() {
            return run.wait(&open, "confirmation");
        }
    }
    let outcome = run.group(&mut tasks, &group);
    run.wave_delay = outcome != Outcome::Failed && !last || outcome == Outcome::Pending;
    run.conclude(&mut tasks, &group, outcome, last)
}

/// What running a group came to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Successful,
    Failed,
    Pending,
}

impl Run<'_> {
    fn end(self, phase: OperationPhase, message: String, wait: Option<Wait>) -> Pass {
        Pass { phase, message, rows: self.rows, wave_delay: self.wave_delay, wait, step: self.step }
    }

    /// Waits for a set of tasks. Hooks are named first.
    fn wait(mut self, set: &[&Task], why: &'static str) -> Pass {
        let Some(first) = set.iter().find(|t| t.hook).or(set.first()) else {
            return self.end(OperationPhase::Running, String::new(), None);
        };
        let (verb, reason) = match (why, first.hook) {
            ("deletion", true) => ("deletion of hook", "deletion"),
            ("deletion", false) => ("deletion of", "deletion"),
            ("confirmation", _) => ("pruning confirmation of", "confirmation"),
            (_, true) => ("completion of hook", "hook"),
            _ => ("healthy state of", "healthy"),
        };
        let mut message = format!("waiting for {verb} {}", first.key.short());
        let more = set.len() - 1;
        if more > 0 {
            let what = if set.iter().all(|t| t.hook) { "hooks" } else { "resources" };
            message.push_str(&format!(" and {more} more {what}"));
        }
        self.step = Some((first.phase, first.wave));
        let wait = Wait { on: first.key.clone(), reason, more, message: message.as_str().into() };
        self.end(OperationPhase::Running, message, Some(wait))
    }

    /// Notes what became of a task. A message that is empty keeps the former one.
    fn record(&mut self, task: &mut Task, status: &str, phase: OperationPhase, message: &str) {
        if !status.is_empty() {
            task.status = status.into();
        }
        if !message.is_empty() {
            task.message = message.into();
        }
        task.state = Some(phase);
        let row = task.row();
        match self.rows.iter_mut().find(|r| r.is(&task.key, task.phase)) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
    }

    /// Tasks whose kind the cluster does not serve, or the project forbids, make the whole sync invalid.
    fn invalid(&mut self, tasks: &mut [Task]) -> Option<String> {
        let crds: Vec<(String, String)> = tasks
            .iter()
            .filter(|t| &*t.key.kind == "CustomResourceDefinition")
            .map(|t| {
                (t.object().text_at(&["spec", "group"]).into(), t.object().text_at(&["spec", "names", "kind"]).into())
            })
            .collect();
        let mut messages: Vec<String> = Vec::new();
        for task in tasks.iter_mut() {
            let own = crds.iter().any(|(g, k)| *g == *task.key.group && *k == *task.key.kind);
            let skip = "SkipDryRunOnMissingResource=true";
            let ObjectKey { group, kind, namespace, .. } = &task.key;
            let found = match &task.target {
                Some(target) if !own && !self.settings.has(skip) && !hook::has_option(target, skip) => {
                    api::discovery_error(self.cluster, target)
                }
                _ => None,
            };
            if let Some(text) = found {
                let shown = missing_kind(self.cluster, task, &text);
                messages.push(text);
                self.refuse(task, &shown);
                continue;
            }
            let namespaced = api::is_namespaced(self.cluster, group, kind).unwrap_or(!namespace.is_empty());
            let project = &self.settings.project;
            let text = if !project.permits_kind(group, kind, namespaced) {
                format!("resource {group}:{kind} is not permitted in project {}", project.name)
            } else if namespaced && !project.permits_destination("", namespace) {
                format!("namespace {namespace} is not permitted in project '{}'", project.name)
            } else {
                continue;
            };
            messages.push(text.clone());
            self.refuse(task, &text);
        }
        if messages.is_empty() {
            return None;
        }
        base::order::sort(&mut messages);
        messages.dedup();
        Some(format!("one or more synchronization tasks are not valid: {}", messages.join("; ")))
    }

    /// Notes a task that makes the sync invalid: it never begins.
    fn refuse(&mut self, task: &mut Task, message: &str) {
        (task.status, task.message, task.state) = ("SyncFailed".into(), message.into(), None);
        let row = task.row();
        match self.rows.iter_mut().find(|r| r.is(&task.key, task.phase)) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
    }

    /// The first pass: the destination namespace is made for real, everything else is tried with a dry run.
    fn begin(&mut self, tasks: &mut [Task]) -> Option<Pass> {
        if !self.settings.dry_run
            && let Some(i) = tasks.iter().position(|t| {
                t.phase == SyncPhase::PreSync && !t.hook && &*t.key.kind == "Namespace" && t.live.is_none()
            })
        {
            let failed = self.create(&mut tasks[i]).is_err();
            if failed {
                let reasons = reasons(tasks);
                let message = format!("the namespace failed to apply{reasons}");
                return Some(self.take().end(OperationPhase::Failed, message, None));
            }
        }
        let mut failed = false;
        if self.settings.dry_run {
            // A sync that is itself a dry run ends with this: every task is tried, and nothing is left to do.
            for prunes in [true, false] {
                for task in tasks.iter_mut().filter(|t| t.is_prune() == prunes && t.pending()) {
                    failed |= if prunes { self.prune(task) } else { self.create(task) }.is_err();
                }
            }
        }
        for task in tasks.iter_mut() {
            let Some(target) = task.target.clone().filter(|_| task.pending()) else { continue };
            // The client-side dry run knows kinds and names only; all else shows when the object is really applied.
            if target.text_at(&["metadata", "name"]).is_empty() {
                failed = true;
                let text = "error: resource name may not be empty";
                self.record(task, "SyncFailed", OperationPhase::Failed, text);
            }
        }
        failed.then(|| {
            self.take().end(OperationPhase::Failed, "one or more objects failed to apply (dry run)".into(), None)
        })
    }

    fn take(&mut self) -> Run<'_> {
        Run {
            cluster: self.cluster,
            settings: self.settings,
            rows: std::mem::take(&mut self.rows),
            wave_delay: false,
            step: None,
        }
    }

    /// Running tasks take over what their live objects say.
    fn refresh(&mut self, tasks: &mut [Task]) {
        for task in tasks.iter_mut().filter(|t| t.running()) {
            let Some(live) = task.live.clone() else { continue };
            let health = health::of(&live);
            if task.hook {
                let (phase, text) = match health {
                    Some(h) => {
                        let phase = match h.status {
                            Status::Unknown | Status::Degraded => OperationPhase::Failed,
                            Status::Progressing | Status::Suspended => OperationPhase::Running,
                            Status::Healthy | Status::Missing => OperationPhase::Succeeded,
                        };
                        (phase, h.message.to_string())
                    }
                    None => (OperationPhase::Succeeded, format!("{} created", task.key.name)),
                };
                self.record(task, "", phase, &text);
                continue;
            }
            match health {
                None => self.record(task, "", OperationPhase::Succeeded, ""),
                Some(h) if h.status == Status::Healthy => self.record(task, "", OperationPhase::Succeeded, &h.message),
                Some(h) if h.status == Status::Degraded => self.record(task, "", OperationPhase::Failed, &h.message),
                Some(_) => {}
            }
        }
    }

    /// Runs all tasks of one phase and wave.
    fn group(&mut self, tasks: &mut [Task], group: &[usize]) -> Outcome {
        let mut failed = false;
        for &i in group {
            failed |= tasks[i].is_prune() && self.prune(&mut tasks[i]).is_err();
        }
        if failed {
            return Outcome::Failed;
        }
        let mut deleting = false;
        for &i in group {
            let before = tasks[i].hook
                && tasks[i]
                    .target
                    .as_ref()
                    .is_some_and(|t| hook::delete_policies(t).contains(&DeletePolicy::BeforeHookCreation));
            if !before || self.settings.dry_run || api::live(self.cluster, &tasks[i].key).is_none() {
                continue;
            }
            self.release(&tasks[i].key);
            match api::delete(self.cluster, &tasks[i].key, self.settings.propagation()) {
                Ok(()) => deleting = true,
                Err(status) if status.code == 404 => {}
                Err(status) => {
                    let text = format!("failed to delete resource: {}", status.message);
                    self.record(&mut tasks[i], "", OperationPhase::Error, &text);
                    return Outcome::Failed;
                }
            }
        }
        if deleting {
            return Outcome::Pending;
        }
        for &i in group {
            // Later kinds are still applied after a failure in an earlier one.
            failed |= !tasks[i].is_prune() && self.create(&mut tasks[i]).is_err();
        }
        if failed { Outcome::Failed } else { Outcome::Successful }
    }

    fn create(&mut self, task: &mut Task) -> Result<(), ()> {
        let Some(mut target) = task.target.clone() else { return Ok(()) };
        if api::is_namespaced(self.cluster, &task.key.group, &task.key.kind) == Some(false) {
            target.remove(&["metadata", "namespace"]);
        }
        let live = task.live.clone().unwrap_or(Json::Null);
        let option = |o: &str| hook::has_option(&target, o) || hook::has_option(&live, o);
        let force = self.settings.force || option("Force=true");
        let replace = self.settings.has("Replace=true") || option("Replace=true");
        let server_side = !hook::has_option(&target, "ServerSideApply=false")
            && (self.settings.has("ServerSideApply=true") || hook::has_option(&target, "ServerSideApply=true"));
        let done = if self.settings.dry_run {
            api::apply(self.cluster, &target, true)
        } else if replace {
            api::replace(self.cluster, &target, force)
        } else if server_side {
            api::server_side(self.cluster, &target)
        } else {
            match api::apply(self.cluster, &target, false) {
                Err(_) if force && !live.is_null() => {
                    let again = api::replace(self.cluster, &target, true);
                    again.map(|_| format!("{} configured", api::kubectl_name(&task.key)))
                }
                done => done,
            }
        };
        match done {
            Ok(text) => {
                let phase = if self.settings.dry_run { OperationPhase::Succeeded } else { OperationPhase::Running };
                self.record(task, "Synced", phase, &text);
                Ok(())
            }
            Err(text) => {
                self.record(task, "SyncFailed", OperationPhase::Failed, &text);
                Err(())
            }
        }
    }

    fn prune(&mut self, task: &mut Task) -> Result<(), ()> {
        let live = task.live.clone().unwrap_or(Json::Null);
        let protected = self.settings.prune_option(task).as_deref() == Some("false");
        let (status, text) = if !self.settings.prune {
            ("PruneSkipped", "ignored (requires pruning)")
        } else if protected {
            ("PruneSkipped", "ignored (no prune)")
        } else if self.settings.dry_run {
            ("Pruned", "pruned (dry run)")
        } else {
            if live.at(&["metadata", "deletionTimestamp"]).is_none() {
                match api::delete(self.cluster, &task.key, self.settings.propagation()) {
                    Ok(()) => {}
                    Err(status) if status.code == 404 => {}
                    Err(status) => {
                        self.record(task, "SyncFailed", OperationPhase::Failed, &status.message);
                        return Err(());
                    }
                }
            }
            ("Pruned", "pruned")
        };
        self.record(task, status, OperationPhase::Succeeded, text);
        Ok(())
    }

    /// Decides what the group's outcome means for the operation.
    fn conclude(mut self, tasks: &mut [Task], group: &[usize], outcome: Outcome, last: bool) -> Pass {
        match outcome {
            Outcome::Failed => {
                // While anything of the group runs the failure is only noted; a later pass ends the operation.
                let running: Vec<&Task> = group.iter().map(|&i| &tasks[i]).filter(|t| t.running()).collect();
                if !running.is_empty() {
                    return self.wait(&running, "healthy");
                }
                self.fail(tasks, "one or more objects failed to apply")
            }
            Outcome::Pending => {
                let hooks: Vec<&Task> = group.iter().map(|&i| &tasks[i]).filter(|t| t.hook && t.pending()).collect();
                self.wait(&hooks, "deletion")
            }
            Outcome::Successful => {
                let with_hook = group.iter().any(|&i| tasks[i].hook);
                if self.settings.dry_run || (last && !with_hook) {
                    self.delete_hooks(tasks, DeletePolicy::HookSucceeded);
                    return self.end(OperationPhase::Succeeded, "successfully synced (all tasks run)".into(), None);
                }
                // The whole group is named, deletions that are done included.
                let all: Vec<&Task> = group.iter().map(|&i| &tasks[i]).collect();
                self.wait(&all, "healthy")
            }
        }
    }

    /// The phase after a failure: its hooks run, then the operation fails.
    fn fail(mut self, tasks: &mut [Task], base: &str) -> Pass {
        let message = format!("{base}{}", reasons(tasks));
        let hooks: Vec<usize> = (0..tasks.len()).filter(|&i| tasks[i].phase == SyncPhase::SyncFail).collect();
        let pending: Vec<usize> = hooks.iter().copied().filter(|&i| tasks[i].pending()).collect();
        if !pending.is_empty() {
            // The outcome is in the rows.
            self.group(tasks, &pending);
        }
        let open: Vec<&Task> = hooks.iter().map(|&i| &tasks[i]).filter(|t| !t.completed()).collect();
        if !open.is_empty() {
            return self.wait(&open, "healthy");
        }
        let lost = hooks.iter().map(|&i| &tasks[i]).filter(|t| &*t.status == "SyncFailed");
        let lost: Vec<&str> = lost.map(|t| &*t.message).collect();
        let message = if lost.is_empty() {
            message
        } else {
            format!("{message}\none or more SyncFail hooks failed, reason: {}", lost.join(","))
        };
        self.delete_hooks(tasks, DeletePolicy::HookFailed);
        self.end(OperationPhase::Failed, message, None)
    }

    /// Deletes finished hooks that have this policy.
    fn delete_hooks(&mut self, tasks: &[Task], policy: DeletePolicy) {
        for task in tasks.iter().filter(|t| t.hook && t.completed()) {
            let wanted = task.target.as_ref().is_some_and(|t| hook::delete_policies(t).contains(&policy));
            if wanted && api::live(self.cluster, &task.key).is_some() {
                self.release(&task.key);
                // A hook that somebody else deleted meanwhile is what was wanted.
                let _ = api::delete(self.cluster, &task.key, self.settings.propagation());
            }
        }
    }

    /// Takes the hook finalizer off, so that the object can go.
    fn release(&mut self, key: &ObjectKey) {
        release(self.cluster, key);
    }
}

/// Takes the hook finalizer off an object; nothing happens when it has none.
fn release(cluster: &mut Cluster, key: &ObjectKey) {
    let Some(live) = api::live(cluster, key) else { return };
    let all = live.items_at(&["metadata", "finalizers"]);
    let kept: Vec<Json> = all.iter().filter(|f| f.as_str() != Some(HOOK_FINALIZER)).cloned().collect();
    if kept.len() < all.len() {
        let value = if kept.is_empty() { Json::Null } else { Json::list(kept) };
        let patch = Json::map([("metadata", Json::map([("finalizers", value)]))]);
        // An object that went away meanwhile needs no release.
        let _ = cluster.patch(&api::reference(key), "", PatchType::Merge, &patch, &Writer::new(api::STATUS_MANAGER));
    }
}

/// Ends a sync on request: running hooks are deleted, everything applied stays.
pub fn terminate(tasks: &mut [Task], rows: Vec<ResultRow>, settings: &Settings, cluster: &mut Cluster) -> Pass {
    let mut run = Run { cluster, settings, rows, wave_delay: false, step: None };
    run.refresh(tasks);
    let mut errors = false;
    for task in tasks.iter_mut().filter(|t| t.running() && t.hook) {
        run.release(&task.key);
        match api::delete(run.cluster, &task.key, settings.propagation()) {
            Ok(()) => run.record(task, "", OperationPhase::Failed, "Terminated"),
            Err(status) if status.code == 404 => run.record(task, "", OperationPhase::Succeeded, "Terminated"),
            Err(status) => {
                errors = true;
                run.record(task, "", OperationPhase::Error, &status.message);
            }
        }
    }
    if errors {
        return run.end(OperationPhase::Error, "Operation termination had errors".into(), None);
    }
    run.end(OperationPhase::Failed, "Operation terminated".into(), None)
}

/// `, reason: …` with the distinct messages of what failed to apply.
fn reasons(tasks: &[Task]) -> String {
    let mut texts: Vec<&str> = Vec::new();
    for task in tasks.iter().filter(|t| &*t.status == "SyncFailed") {
        if !texts.contains(&&*task.message) {
            texts.push(&task.message);
        }
    }
    if texts.is_empty() { String::new() } else { format!(", reason: {}", texts.join(",")) }
}

/// The friendlier words of a result row for a kind that the cluster does not know.
fn missing_kind(cluster: &Cluster, task: &Task, error: &str) -> String {
    if !error.contains("the server could not find the requested resource") {
        return error.to_string();
    }
    let ObjectKey { group, kind, namespace, name } = &task.key;
    let version = &task.version;
    match cluster.resource(group, kind) {
        Some(r) => format!(
            "The Kubernetes API could not find version \"{version}\" of {group}/{kind} for requested resource \
             {namespace}/{name}. Version \"{}\" of {group}/{kind} is installed on the destination cluster.",
            r.version
        ),
        None => format!(
            "The Kubernetes API could not find {group}/{kind} for requested resource {namespace}/{name}. Make sure the \
             \"{kind}\" CRD is installed on the destination cluster."
        ),
    }
}
