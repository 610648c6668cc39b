//! Application cards, from the Application objects' status alone.

use super::since_text;
use base::{Json, Time};
use protocol::{AppView, ConditionView, HistoryView, ResourceView};

/// The cards of these Applications.
pub(crate) fn apps(applications: &[Json], start: Time) -> Vec<AppView> {
    applications.iter().map(|app| card(app, start)).collect()
}

fn card(app: &Json, start: Time) -> AppView {
    let text = |path: &[&str]| app.text_at(path).to_string();
    // A spec with several sources is shown by its first.
    let first = app.items_at(&["spec", "sources"]).first().or_else(|| app.at(&["spec", "source"])).cloned();
    let source = first.unwrap_or_default();
    // An operation that was asked for and not begun yet is shown as running, as Argo CD's page does.
    let pending = app.get("operation").is_some();
    let state = app.at(&["status", "operationState"]).cloned().unwrap_or_default();
    let phase = state.text_at(&["phase"]);
    let time = |path: &[&str]| since_text(start, app.text_at(path));
    AppView {
        name: text(&["metadata", "name"]),
        sync: text(&["status", "sync", "status"]),
        revision: text(&["status", "sync", "revision"]),
        health: text(&["status", "health", "status"]),
        phase: if phase.is_empty() && pending { "Running".to_string() } else { phase.to_string() },
        message: state.text_at(&["message"]).to_string(),
        operation_revision: match state.text_at(&["syncResult", "revision"]) {
            "" => state.text_at(&["operation", "sync", "revision"]).to_string(),
            revision => revision.to_string(),
        },
        started: time(&["status", "operationState", "startedAt"]),
        finished: time(&["status", "operationState", "finishedAt"]),
        conditions: app.items_at(&["status", "conditions"]).iter().map(condition).collect(),
        resources: resources(app),
        history: app.items_at(&["status", "history"]).iter().map(|h| history(h, start)).collect(),
        repo: source.text_at(&["repoURL"]).to_string(),
        path: source.text_at(&["path"]).to_string(),
        target_revision: source.text_at(&["targetRevision"]).to_string(),
        namespace: text(&["spec", "destination", "namespace"]),
        automated: app
            .at(&["spec", "syncPolicy", "automated"])
            .is_some_and(|automated| automated.get("enabled").and_then(Json::as_bool) != Some(false)),
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
fn resources(app: &Json) -> Vec<ResourceView> {
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
