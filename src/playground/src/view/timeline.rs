//! The timeline: one lane for each object, its states as bars, and who waits for what. Worked out from the
//! simulation's record of what happened.

use super::since;
use base::SortedMap;
use base::{Json, Time};
use protocol::{BarView, LaneView, TimelineView, WaitView};
use sim::{Entry, What};

/// Kinds in which the record has no part of the story that a timeline tells.
const HIDDEN: [&str; 5] = ["Event", "ServiceAccount", "EndpointSlice", "Endpoints", "Lease"];

/// A lane while it is built.
#[derive(Default)]
struct Lane {
    bars: Vec<BarView>,
    open: Option<(u64, String, String)>,
    created: u64,
}

impl Lane {
    fn set(&mut self, at: u64, state: &str, text: &str) {
        if let Some((_, open, words)) = &mut self.open
            && open == state
        {
            *words = text.to_string();
            return;
        }
        self.close(at);
        self.open = Some((at, state.to_string(), text.to_string()));
    }

    fn close(&mut self, at: u64) {
        if let Some((from, state, text)) = self.open.take() {
            self.bars.push(BarView { from, to: at, state, text });
        }
    }
}

/// The timeline up to `now`. `applications` tell which object belongs to which Application, phase and wave.
pub(crate) fn timeline<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    applications: &[Json],
    start: Time,
    now: Time,
) -> TimelineView {
    let end = since(start, now);
    let mut lanes: SortedMap<String, Lane> = SortedMap::new();
    let mut waits: Vec<WaitView> = Vec::new();
    let mut waiting: SortedMap<String, WaitView> = SortedMap::new();
    for entry in entries {
        let (at, id) = (since(start, entry.at), entry.object.to_string());
        let kind = id.split('/').nth(1).unwrap_or("");
        if HIDDEN.contains(&kind) || id.ends_with("/kube-root-ca.crt") || id.is_empty() {
            continue;
        }
        match &entry.what {
            What::Created => {
                let lane = lanes.entry(id).or_default();
                lane.created = at;
                lane.set(at, "Created", "");
            }
            What::Deleted => {
                if let Some(lane) = lanes.get_mut(&id) {
                    lane.close(at);
                }
            }
            What::Health(health, message) => {
                let application = id.starts_with("argoproj.io/Application/");
                // The lane of an Application shows its operation; its health is on its card.
                if !application && (lanes.contains_key(&id) || &**health != "Missing") {
                    lanes.entry(id).or_default().set(at, health, message);
                }
            }
            What::Operation { phase, message, wait } => {
                lanes.entry(id.clone()).or_default().set(at, phase, message);
                let on = wait.as_ref().map(|wait| (wait.on.to_string(), wait.message.to_string()));
                let same = waiting.get(&id).is_some_and(|open| on.as_ref().is_some_and(|(_, text)| *text == open.text));
                if !same {
                    if let Some(open) = waiting.remove(&id) {
                        waits.push(WaitView { to: at, ..open });
                    }
                    if let Some((on, text)) = on {
                        waiting.insert(id.clone(), WaitView { from: at, to: at, lane: id, on, text });
                    }
                }
                let lane_id = entry.object.to_string();
                if matches!(&**phase, "Succeeded" | "Failed" | "Error")
                    && let Some(lane) = lanes.get_mut(&lane_id)
                {
                    // An end is a moment: the bar of the phase that ended is what took time.
                    lane.close(at);
                    lane.bars.push(BarView { from: at, to: at, state: phase.to_string(), text: message.to_string() });
                }
            }
            What::Changed | What::Sync(..) | What::Event(..) | What::Command(_) => {}
        }
    }
    waits.extend(waiting.into_values().map(|wait| WaitView { to: end, ..wait }));
    let mut views: Vec<(Order, LaneView)> = Vec::new();
    for (id, mut lane) in lanes {
        lane.close(end);
        let view = named(id, lane.bars, applications);
        let order = (view.kind != "Application", phase_rank(&view.phase), view.wave, lane.created, view.id.clone());
        views.push((order, view));
    }
    base::order::sort_by(&mut views, |a, b| a.0.cmp(&b.0));
    let lanes: Vec<LaneView> = views.into_iter().map(|(_, view)| view).collect();
    let from = lanes.iter().flat_map(|lane| lane.bars.first()).map(|bar| bar.from).min().unwrap_or(0);
    TimelineView { from, to: end, lanes, waits }
}

type Order = (bool, u8, i32, u64, String);

fn phase_rank(phase: &str) -> u8 {
    match phase {
        "PreSync" => 0,
        "Sync" => 1,
        "PostSync" => 2,
        "SyncFail" => 3,
        _ => 4,
    }
}

fn named(id: String, bars: Vec<BarView>, applications: &[Json]) -> LaneView {
    let parts: Vec<&str> = id.splitn(4, '/').collect();
    let part = |n: usize| parts.get(n).copied().unwrap_or("").to_string();
    let (kind, namespace, name) = (part(1), part(2), part(3));
    let mut view = LaneView { kind, namespace, name, bars, ..LaneView::default() };
    if view.kind == "Application" {
        view.app.clone_from(&view.name);
    }
    for app in applications {
        let results = app.items_at(&["status", "operationState", "syncResult", "resources"]);
        let listed = app.items_at(&["status", "resources"]);
        let me = |resource: &&Json| {
            resource.text_at(&["kind"]) == view.kind
                && resource.text_at(&["name"]) == view.name
                && (resource.text_at(&["namespace"]) == view.namespace || view.namespace.is_empty())
                && resource.text_at(&["group"]) == part(0)
        };
        let wave = |resource: &Json| resource.int_at(&["syncWave"]).and_then(|wave| i32::try_from(wave).ok());
        let (result, resource) = (results.iter().find(me), listed.iter().find(me));
        if result.is_none() && resource.is_none() {
            continue;
        }
        view.app = app.text_at(&["metadata", "name"]).to_string();
        view.phase = result.map_or("Sync", |result| result.text_at(&["syncPhase"])).to_string();
        view.wave = resource.and_then(wave).unwrap_or_default();
        break;
    }
    view.id = id;
    view
}
