//! Application cards: the Application's status, its resources with the health of the live objects, the plan of the next
//! sync, and a verdict.

use super::since_text;
use super::verdict::verdict;
use crate::engine;
use argocd::Task;
use base::{Json, Time};
use protocol::{AppView, ConditionView, HistoryView, ObjectView, PlanView, ResourceView};
use sim::State;

/// The cards of these Applications. `objects` are all of the cluster.
pub(crate) fn apps(applications: &[Json], objects: &[Json], state: &State, start: Time) -> Vec<AppView> {
    applications.iter().map(|app| card(app, objects, state, start)).collect()
}

fn card(app: &Json, objects: &[Json], state: &State, start: Time) -> AppView {
    let text = |path: &[&str]| app.text_at(path).to_string();
    // A spec with several sources is shown by its first.
    let first = app.items_at(&["spec", "sources"]).first().or_else(|| app.at(&["spec", "source"])).cloned();
    let source = first.unwrap_or_default();
    // An operation that was asked for and not begun yet is shown as running, as Argo CD's page does.
    let pending = app.get("operation").is_some();
    let operation = app.at(&["status", "operationState"]).cloned().unwrap_or_default();
    let phase = operation.text_at(&["phase"]);
    let running = pending || matches!(phase, "Running" | "Terminating");
    let plan = || state.argocd.plan(app.text_at(&["metadata", "name"]), &state.cluster, state.now);
    let time = |path: &[&str]| since_text(start, app.text_at(path));
    AppView {
        name: text(&["metadata", "name"]),
        sync: text(&["status", "sync", "status"]),
        revision: text(&["status", "sync", "revision"]),
        health: text(&["status", "health", "status"]),
        phase: if phase.is_empty() && pending { "Running".to_string() } else { phase.to_string() },
        message: operation.text_at(&["message"]).to_string(),
        operation_revision: match operation.text_at(&["syncResult", "revision"]) {
            "" => operation.text_at(&["operation", "sync", "revision"]).to_string(),
            revision => revision.to_string(),
        },
        started: time(&["status", "operationState", "startedAt"]),
        finished: time(&["status", "operationState", "finishedAt"]),
        conditions: app.items_at(&["status", "conditions"]).iter().map(condition).collect(),
        resources: resources(app, objects),
        history: app.items_at(&["status", "history"]).iter().map(|h| history(h, start)).collect(),
        repo: source.text_at(&["repoURL"]).to_string(),
        path: source.text_at(&["path"]).to_string(),
        target_revision: source.text_at(&["targetRevision"]).to_string(),
        namespace: text(&["spec", "destination", "namespace"]),
        automated: app
            .at(&["spec", "syncPolicy", "automated"])
            .is_some_and(|automated| automated.get("enabled").and_then(Json::as_bool) != Some(false)),
        verdict: verdict(app, state),
        plan: if running { Vec::new() } else { plan().iter().map(planned).collect() },
    }
}

fn planned(task: &Task) -> PlanView {
    let action = match (&task.target, &task.live) {
        _ if task.hook => "hook",
        (None, _) => "prune",
        (Some(_), None) => "create",
        (Some(_), Some(_)) if task.modified => "change",
        _ => "keep",
    };
    PlanView {
        phase: task.phase.text().to_string(),
        wave: i32::try_from(task.wave).unwrap_or_default(),
        object: ObjectView {
            group: task.key.group.to_string(),
            kind: task.key.kind.to_string(),
            namespace: task.key.namespace.to_string(),
            name: task.key.name.to_string(),
        },
        action: action.to_string(),
    }
}

fn condition(condition: &Json) -> ConditionView {
    ConditionView {
        kind: condition.text_at(&["type"]).to_string(),
        message: condition.text_at(&["message"]).to_string(),
    }
}

fn history(entry: &Json, start: Time) -> HistoryView {
    HistoryView {
        id: entry.int_at(&["id"]).and_then(|id| u64::try_from(id).ok()).unwrap_or_default(),
        revision: entry.text_at(&["revision"]).to_string(),
        at: since_text(start, entry.text_at(&["deployedAt"])).unwrap_or_default(),
    }
}

/// `status.resources` joined with the last operation's results; results for objects that are not listed (the
/// namespace that a sync made) come after.
fn resources(app: &Json, objects: &[Json]) -> Vec<ResourceView> {
    let results = app.items_at(&["status", "operationState", "syncResult", "resources"]);
    let same = |a: &Json, b: &Json| {
        ["group", "kind", "namespace", "name"].iter().all(|key| a.text_at(&[key]) == b.text_at(&[key]))
    };
    let listed = app.items_at(&["status", "resources"]);
    let mut views: Vec<ResourceView> = Vec::new();
    for resource in listed {
        let result = results.iter().find(|result| same(result, resource));
        views.push(resource_view(resource, resource.text_at(&["status"]), result));
    }
    for result in results.iter().filter(|result| !listed.iter().any(|resource| same(result, resource))) {
        views.push(resource_view(result, "", Some(result)));
    }
    // Argo CD 3 keeps no health of single resources in the Application: its page asks the live objects, too.
    for view in &mut views {
        let live = objects.iter().find(|object| {
            object.text_at(&["kind"]) == view.kind
                && object.text_at(&["metadata", "name"]) == view.name
                && object.text_at(&["metadata", "namespace"]) == view.namespace
        });
        view.health = match live {
            Some(live) => engine::health(live),
            None if !view.sync.is_empty() => "Missing".to_string(),
            None => String::new(),
        };
    }
    views
}

fn resource_view(resource: &Json, sync: &str, result: Option<&Json>) -> ResourceView {
    let of_result = |key: &str| result.map_or("", |result| result.text_at(&[key])).to_string();
    ResourceView {
        group: resource.text_at(&["group"]).to_string(),
        kind: resource.text_at(&["kind"]).to_string(),
        namespace: resource.text_at(&["namespace"]).to_string(),
        name: resource.text_at(&["name"]).to_string(),
        sync: sync.to_string(),
        health: resource.text_at(&["health", "status"]).to_string(),
        message: of_result("message"),
        phase: of_result("syncPhase"),
        wave: resource.int_at(&["syncWave"]).and_then(|wave| i32::try_from(wave).ok()).unwrap_or_default(),
    }
}
