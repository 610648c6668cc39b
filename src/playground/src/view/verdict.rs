//! Will this Application come to rest? If not: why, and what helps.

use base::Json;
use protocol::Message;
use sim::{State, What};

/// How far back repeated syncs are counted, in milliseconds.
const WINDOW: i64 = 600_000;
/// So many syncs of one revision in that time are a fight.
const FIGHT: usize = 4;

/// The verdict; `None` while things take their normal course.
pub(crate) fn verdict(app: &Json, state: &State) -> Option<Message> {
    let say = |key: &str, args: &[String]| Some(Message { key: key.to_string(), args: args.to_vec() });
    let short = |revision: &str| revision.chars().take(7).collect::<String>();
    let operation = app.at(&["status", "operationState"]).cloned().unwrap_or_default();
    let sync = app.text_at(&["status", "sync", "status"]);
    let compared = app.text_at(&["status", "sync", "revision"]);
    let synced = operation.text_at(&["syncResult", "revision"]);
    let phase = operation.text_at(&["phase"]);
    if let Some(error) = app
        .items_at(&["status", "conditions"])
        .iter()
        .find(|condition| matches!(condition.text_at(&["type"]), "ComparisonError" | "InvalidSpecError"))
    {
        return say("verdict-error", &[error.text_at(&["type"]).to_string()]);
    }
    let retries = operation.int_at(&["retryCount"]).unwrap_or(0);
    if phase == "Running" && retries > 0 && !synced.is_empty() && synced != compared {
        return say("verdict-old-revision", &[short(synced), short(compared)]);
    }
    if phase == "Running" && retries > 0 {
        return say("verdict-retries", &[retries.to_string()]);
    }
    if let Some((count, period)) = fight(app, state) {
        return say("verdict-fight", &[count.to_string(), period]);
    }
    if app.get("operation").is_some() || phase == "Running" || phase == "Terminating" {
        return None;
    }
    let automated = app.at(&["spec", "syncPolicy", "automated"]);
    let heals = automated.and_then(|a| a.get("selfHeal")).and_then(Json::as_bool) == Some(true);
    match (sync, phase) {
        ("OutOfSync", _) if automated.is_none() => say("verdict-manual", &[]),
        ("OutOfSync", "Failed" | "Error") if synced == compared => say("verdict-not-retried", &[short(synced)]),
        ("OutOfSync", "Succeeded") if synced == compared && !heals => say("verdict-no-self-heal", &[]),
        ("Synced", "Succeeded") if app.text_at(&["status", "health", "status"]) == "Healthy" => {
            say("verdict-settled", &[])
        }
        _ => None,
    }
}

/// How often the same revision was synced again of late, and the usual time between.
fn fight(app: &Json, state: &State) -> Option<(usize, String)> {
    let id = format!("argoproj.io/Application/argocd/{}", app.text_at(&["metadata", "name"]));
    let since = state.now + -WINDOW;
    let ends: Vec<_> = state
        .timeline
        .iter()
        .filter(|entry| *entry.object == *id && entry.at >= since)
        .filter(
            |entry| matches!(&entry.what, What::Operation { phase, automated: true, .. } if &**phase == "Succeeded"),
        )
        .map(|entry| entry.at)
        .collect();
    let revision = app.text_at(&["status", "sync", "revision"]);
    let history = app.items_at(&["status", "history"]);
    // Deployments of new revisions are no fight.
    let deployments = history.iter().filter(|entry| entry.text_at(&["revision"]) != revision).count();
    if ends.len() < FIGHT + deployments {
        return None;
    }
    let (first, last) = (ends.first()?, ends.last()?);
    let seconds = (*last - *first) as f64 / 1000.0 / (ends.len() - 1) as f64;
    Some((ends.len(), format!("{seconds:.0}")))
}
