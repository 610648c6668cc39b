//! Operations under way: passes, retries, termination, and what is stored of them.

use crate::api;
use crate::application::Application;
use crate::compare::{self, Comparison};
use crate::controller::{Controller, FIRST_PASS, Level, PASS_DELAY, Release, WAVE_DELAY};
use crate::ignore::Rules;
use crate::object::ObjectKey;
use crate::operation::{retry_delay, with_retry};
use crate::patch;
use crate::project::Project;
use crate::refresh::COMPONENT;
use crate::repo::Repositories;
use crate::result::{OperationPhase, ResultRow};
use crate::several;
use crate::sync::{self, Pass, Settings};
use crate::task::{Plan, tasks};
use base::{Json, Time};
use cluster::Cluster;
use std::rc::Rc;

impl Controller {
    /// Goes on with an Application's operation.
    pub(crate) fn operate(
        &mut self,
        name: &Rc<str>,
        cluster: &mut Cluster,
        repositories: &dyn Repositories,
        now: Time,
    ) {
        let Some(app) = self.application(name, cluster) else { return };
        let stored = app.status().get("operationState").filter(|s| !s.is_null()).cloned();
        let phase = stored.as_ref().and_then(|s| OperationPhase::read(s.text_at(&["phase"])));
        let open = phase.is_some_and(|p| !p.completed());
        // An operation that runs keeps its own copy: editing the requested one does not reach it, removing it stops all.
        if app.operation().is_none() {
            return;
        }
        let Some(state) = stored.filter(|_| open) else {
            let fresh = Json::map([
                ("phase", Json::from(OperationPhase::Running.text())),
                ("operation", app.operation().cloned().unwrap_or_default()),
                ("startedAt", Json::str(now.rfc3339())),
            ]);
            self.write_state(&app, &fresh, None, cluster);
            let namespace = namespace_key(&app);
            let run = self.runs.entry(name.clone()).or_default();
            run.resumed = Some(fresh);
            run.namespace_seen = api::live(cluster, &namespace).is_some();
            run.go_on(now + PASS_DELAY);
            return;
        };
        let run = self.runs.entry(name.clone()).or_default();
        let waiting = state.text_at(&["finishedAt"]).to_string();
        if phase == Some(OperationPhase::Running) && !waiting.is_empty() {
            let retry = state.at(&["operation", "retry"]).cloned().unwrap_or_default();
            let count = state.int_at(&["retryCount"]).unwrap_or(0);
            let delay = retry_delay(&retry, u32::try_from(count).unwrap_or(0)).unwrap_or(0);
            let due = Time::parse_rfc3339(&waiting).unwrap_or(now) + delay;
            if due > now {
                run.operation = Some(due);
                return;
            }
            let mut next = state.clone();
            next.remove(&["finishedAt"]);
            let latest = retry.get("refresh").and_then(Json::as_bool) == Some(true);
            let words = if latest { " with latest revisions" } else { "" };
            next.set(&["message"], Json::str(format!("Retrying operation{words}. Attempt #{count}")));
            next.remove(&["syncResult"]);
            if latest {
                next.remove(&["operation", "sync", "revision"]);
            }
            run.resumed = Some(next.clone());
            run.go_on(now + PASS_DELAY);
            self.write_state(&app, &next, None, cluster);
            return;
        }
        self.pass(name, &app, state, phase == Some(OperationPhase::Terminating), cluster, repositories, now);
    }

    fn pass(
        &mut self,
        name: &Rc<str>,
        app: &Application,
        mut state: Json,
        terminating: bool,
        cluster: &mut Cluster,
        repositories: &dyn Repositories,
        now: Time,
    ) {
        let run = self.runs.entry(name.clone()).or_default();
        if let Some(resumed) = run.resumed.take() {
            state = resumed;
        }
        let op = state.at(&["operation", "sync"]).cloned().unwrap_or_default();
        let multi = app.spec.multi_source;
        let sources = several::sources_of(&op, app);
        let known = state.get("syncResult").map(several::revision_of).unwrap_or_default();
        let asked = [known, several::revision_of(&op)].into_iter().find(|r| !r.is_empty());
        let asked = asked.unwrap_or_else(|| several::targets(&sources));
        let keep = |state: &mut Json, revision: &str| {
            let mut result = state.get("syncResult").cloned().unwrap_or_default();
            several::store(&mut result, multi, &sources, revision);
            state.set(&["syncResult"], result);
        };
        let loaded = match self.load(app, &sources, &asked, false, false, cluster, repositories, now) {
            Ok(loaded) => loaded,
            Err(error) => {
                state.set(&["phase"], OperationPhase::Error.text().into());
                state.set(&["message"], Json::str(format!("ComparisonError: {error}")));
                keep(&mut state, &asked);
                self.store_operation(name, state, cluster, now);
                return;
            }
        };
        let extras = self.extras(&app.instance());
        if let Some(stale) = self.runs.get_mut(name).and_then(|run| run.refused.take()) {
            state.set(&["phase"], OperationPhase::Error.text().into());
            state.set(&["message"], Json::str(stale));
            keep(&mut state, &loaded.revision);
            self.store_operation(name, state, cluster, now);
            return;
        }
        let before = self.runs.get(name).and_then(|run| run.comparison.clone());
        let mut comparison =
            compare::compare(app, Some(&loaded.generated.objects), &extras, before.as_deref(), cluster);
        let wrong = |kind: &str| matches!(kind, "ComparisonError" | "InvalidSpecError");
        let errors: Vec<String> = comparison
            .warnings
            .iter()
            .filter(|(kind, _)| wrong(kind))
            .map(|(kind, text)| format!("{kind}: {text}"))
            .collect();
        if !errors.is_empty() {
            state.set(&["phase"], OperationPhase::Error.text().into());
            state.set(&["message"], Json::str(errors.join(";")));
            keep(&mut state, &loaded.revision);
            self.store_operation(name, state, cluster, now);
            return;
        }
        let settings = Settings {
            prune: op.get("prune").and_then(Json::as_bool) == Some(true),
            dry_run: op.get("dryRun").and_then(Json::as_bool) == Some(true),
            force: ["hook", "apply"]
                .iter()
                .any(|s| op.at(&["syncStrategy", s, "force"]).and_then(Json::as_bool) == Some(true)),
            options: op.items_at(&["syncOptions"]).iter().filter_map(Json::as_str).map(Rc::from).collect(),
            approved: approved(app, &state),
            project: Project::of(app, cluster).unwrap_or_default(),
        };
        let has = |option: &str| settings.options.iter().any(|o| &**o == option);
        if has("RespectIgnoreDifferences=true") {
            let rules = Rules::read(&app.spec.ignore_differences).unwrap_or_default();
            for pair in &mut comparison.pairs {
                if let (Some(target), Some(live)) = (&pair.target, &pair.live) {
                    pair.target = Some(rules.respect(target, live));
                }
            }
        }
        let rows: Vec<ResultRow> =
            state.items_at(&["syncResult", "resources"]).iter().filter_map(ResultRow::read).collect();
        let retried = state.int_at(&["retryCount"]).unwrap_or(0) > 0;
        let selection = op.items_at(&["resources"]);
        let started_at = Time::parse_rfc3339(state.text_at(&["startedAt"])).unwrap_or(now);
        // A namespace that went away since the operation began is missed by the objects only.
        let seen = !retried
            && rows.is_empty()
            && app.spec.managed_namespace.is_none()
            && self.runs.get(name).is_some_and(|run| run.namespace_seen);
        let plan = Plan {
            pairs: &comparison.pairs,
            selection,
            skip_hooks: !selection.is_empty() || op.at(&["syncStrategy", "apply"]).is_some(),
            prune_last: has("PruneLast=true"),
            create_namespace: (has("CreateNamespace=true") && !seen)
                .then(|| namespace(app, &comparison, cluster))
                .flatten(),
            revision: if multi { "" } else { &loaded.revision },
            started_at,
            results: &rows,
        };
        let settling = plan.create_namespace.is_some() && rows.is_empty() && !terminating && !retried;
        let mut list = tasks(&plan, cluster);
        let shared = comparison.warnings.iter().find(|(kind, _)| *kind == "SharedResourceWarning");
        let done: Pass = if terminating {
            sync::terminate(&mut list, rows, &settings, cluster)
        } else if let Some((_, text)) = shared.filter(|_| has("FailOnSharedResource=true")) {
            let message = format!("Shared resource found: {text}");
            Pass { phase: OperationPhase::Failed, message, rows, wave_delay: false, wait: None, step: None }
        } else {
            sync::pass(list, rows, &settings, cluster)
        };
        state.set(&["phase"], done.phase.text().into());
        state.set(&["message"], Json::str(done.message));
        keep(&mut state, &loaded.revision);
        if done.rows.is_empty() {
            state.remove(&["syncResult", "resources"]);
        } else {
            state.set(&["syncResult", "resources"], Json::list(done.rows.iter().map(ResultRow::to_json)));
        }
        let run = self.runs.entry(name.clone()).or_default();
        run.wait = done.wait;
        run.step = done.step;
        let first = if settling { FIRST_PASS } else { 0 };
        match first + if done.wave_delay { WAVE_DELAY } else { 0 } {
            0 => self.store_operation(name, state, cluster, now),
            // What the pass did stands in the cluster; its state is stored when it is over.
            took => run.sleeping = Some((now + took, state)),
        }
    }

    /// Stores the state after a pass, adds what retries say, and ends the operation when it is over.
    pub(crate) fn store_operation(&mut self, name: &Rc<str>, mut state: Json, cluster: &mut Cluster, now: Time) {
        let Some(app) = self.application(name, cluster) else { return };
        let phase = OperationPhase::read(state.text_at(&["phase"])).unwrap_or(OperationPhase::Error);
        let told = app.status().text_at(&["operationState", "phase"]) == "Terminating";
        if phase == OperationPhase::Running && told {
            state.set(&["phase"], OperationPhase::Terminating.text().into());
            state.set(&["message"], "operation is terminating".into());
            self.write_state(&app, &state, None, cluster);
            self.runs.entry(name.clone()).or_default().go_on(now + PASS_DELAY);
            return;
        }
        if !phase.completed() {
            let before = app.status().get("operationState").cloned().unwrap_or_default();
            if patch::merged(&before, &state) != before {
                self.write_state(&app, &state, None, cluster);
                self.runs.entry(name.clone()).or_default().go_on(now + PASS_DELAY);
            }
            return;
        }
        let retry = state.at(&["operation", "retry"]).cloned().unwrap_or_default();
        let count = state.int_at(&["retryCount"]).unwrap_or(0);
        let message = state.text_at(&["message"]).to_string();
        let (again, message) = match told {
            // Nothing is tried again after a termination, but how often it was before is still said.
            true if count > 0 => (false, format!("{message} (retried {count} times).")),
            true => (false, message),
            false => with_retry(phase, &message, &retry, count, now),
        };
        state.set(&["message"], Json::str(message.clone()));
        state.set(&["finishedAt"], Json::str(now.rfc3339()));
        let run = self.runs.entry(name.clone()).or_default();
        run.wait = None;
        run.step = None;
        if again {
            state.set(&["phase"], OperationPhase::Running.text().into());
            state.set(&["retryCount"], Json::Int(count + 1));
            let delay = retry_delay(&retry, u32::try_from(count + 1).unwrap_or(0)).unwrap_or(0);
            // Stored times have whole seconds, and the wait is counted from the stored one.
            let due = Time::from_secs(now.secs()) + delay;
            run.operation = Some(due);
            run.request_after(due, Level::Latest);
            self.write_state(&app, &state, None, cluster);
            return;
        }
        let automated = state.at(&["operation", "initiatedBy", "automated"]).is_some();
        let sync = state.at(&["operation", "sync"]).cloned().unwrap_or_default();
        let partial = !sync.items_at(&["resources"]).is_empty();
        let dry = sync.get("dryRun").and_then(Json::as_bool) == Some(true);
        let record = phase == OperationPhase::Succeeded && !partial && !dry;
        let history = record.then(|| history(&app, &state, now));
        self.write_state(&app, &state, Some(history), cluster);
        let result = state.get("syncResult").unwrap_or(&Json::Null);
        let revision: Rc<str> = match self.release {
            Release::V3_5_2 => result.text_at(&["revision"]).into(),
            Release::V3_5_7 => several::revision_of(result),
        };
        let to = if state.get("syncResult").is_some() { format!(" to {revision}") } else { String::new() };
        let what = if partial { "Partial sync operation" } else { "Sync operation" };
        let (warning, text) = match phase {
            OperationPhase::Succeeded => (false, format!("{what}{to} succeeded")),
            _ => (true, format!("{what}{to} failed: {message}")),
        };
        self.event(&app, warning, "OperationCompleted", &text, COMPONENT, cluster, now);
        let level = if automated { Level::Latest } else { Level::ForceResolve };
        self.runs.entry(name.clone()).or_default().request(now + PASS_DELAY / 2, level);
    }

    /// Merges a state into the stored one. `end` is there when the operation is over, with a new history or not.
    fn write_state(&mut self, app: &Application, state: &Json, end: Option<Option<Json>>, cluster: &mut Cluster) {
        let mut change = Json::Map(Rc::default());
        let mut merged = match (self.release, app.status().get("operationState")) {
            (Release::V3_5_7, Some(before)) => patch::between(before, state),
            _ => state.clone(),
        };
        if state.get("finishedAt").is_none() {
            merged.set(&["finishedAt"], Json::Null);
        }
        change.set(&["status", "operationState"], merged);
        if let Some(history) = end {
            change.set(&["operation"], Json::Null);
            if let Some(history) = history {
                change.set(&["status", "history"], history);
            }
        }
        self.patch_application(&app.name, &change, cluster);
    }
}

/// Whether deletions were approved (`deletion-approved` on the Application) since the operation began.
fn approved(app: &Application, state: &Json) -> bool {
    let at = app.annotation("argocd.argoproj.io/deletion-approved").and_then(Time::parse_rfc3339);
    at.zip(Time::parse_rfc3339(state.text_at(&["startedAt"]))).is_some_and(|(at, began)| at >= began)
}

fn namespace_key(app: &Application) -> ObjectKey {
    let name = app.spec.destination.namespace.clone();
    ObjectKey { kind: "Namespace".into(), name, ..ObjectKey::default() }
}

/// The namespace to create first: when it is missing, or on every sync when its metadata is managed.
pub(crate) fn namespace(app: &Application, comparison: &Comparison, cluster: &Cluster) -> Option<Json> {
    let name = &app.spec.destination.namespace;
    let own = comparison.pairs.iter().any(|p| p.target.is_some() && &*p.key.kind == "Namespace" && p.key.name == *name);
    if name.is_empty() || own {
        return None;
    }
    if api::live(cluster, &namespace_key(app)).is_some() && app.spec.managed_namespace.is_none() {
        return None;
    }
    let empty = || Json::Map(Rc::default());
    let mut object = Json::map([
        ("apiVersion", Json::from("v1")),
        ("kind", "Namespace".into()),
        ("metadata", Json::map([("name", Json::Str(name.clone()))])),
        ("spec", empty()),
        ("status", empty()),
    ]);
    if let Some(managed) = &app.spec.managed_namespace {
        for part in ["labels", "annotations"] {
            if let Some(value) = managed.get(part).filter(|v| v.as_map().is_some()) {
                object.set(&["metadata", part], value.clone());
            }
        }
        object.set(&["metadata", "annotations", "argocd.argoproj.io/sync-options"], "ServerSideApply=true".into());
    }
    Some(object)
}

/// The history with one more entry, cut to the limit.
fn history(app: &Application, state: &Json, now: Time) -> Json {
    let mut entries = app.status().items_at(&["history"]).to_vec();
    let id = entries.last().and_then(|e| e.int_at(&["id"])).map_or(0, |id| id + 1);
    let part = |path: &[&str]| state.at(path).cloned().unwrap_or_default();
    let mut entry = Json::map([
        ("id", Json::Int(id)),
        ("source", part(&["syncResult", "source"])),
        ("deployedAt", Json::str(now.rfc3339())),
        ("deployStartedAt", part(&["startedAt"])),
        ("initiatedBy", part(&["operation", "initiatedBy"])),
    ]);
    let names: &[&str] = if app.spec.multi_source { &["revisions", "sources"] } else { &["revision"] };
    for name in names {
        entry.set(&[name], part(&["syncResult", name]));
    }
    entries.push(entry);
    let extra = entries.len().saturating_sub(app.spec.history_limit);
    Json::list(entries.split_off(extra))
}
