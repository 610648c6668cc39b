//! Kubernetes events of all namespaces, oldest first.

use super::since_text;
use base::{Json, Time};
use protocol::EventView;

/// More than this many are not shown; the oldest go.
const SHOWN: usize = 500;

/// The events among these objects.
pub(crate) fn events(objects: &[Json], start: Time) -> Vec<EventView> {
    let mut views: Vec<EventView> = objects.iter().map(|event| view(event, start)).collect();
    // Times of events are whole seconds; of one second the order of storage stands.
    base::order::sort_by_key(&mut views, |event| event.at);
    let surplus = views.len().saturating_sub(SHOWN);
    views.drain(..surplus);
    views
}

fn view(event: &Json, start: Time) -> EventView {
    let about = event.get("involvedObject").or_else(|| event.get("regarding")).cloned().unwrap_or_default();
    let times = ["lastTimestamp", "eventTime", "deprecatedLastTimestamp"];
    let at = times.iter().find_map(|key| since_text(start, event.text_at(&[key])));
    let created = || since_text(start, event.text_at(&["metadata", "creationTimestamp"]));
    let message = if event.get("message").is_some() { "message" } else { "note" };
    EventView {
        at: at.or_else(created).unwrap_or_default(),
        kind: event.text_at(&["type"]).to_string(),
        reason: event.text_at(&["reason"]).to_string(),
        object: format!("{}/{}", about.text_at(&["kind"]).to_lowercase(), about.text_at(&["name"])),
        namespace: about.text_at(&["namespace"]).to_string(),
        message: event.text_at(&[message]).to_string(),
        count: event.int_at(&["count"]).and_then(|count| u32::try_from(count).ok()).unwrap_or(1),
    }
}
