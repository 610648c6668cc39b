//! The timeline: one lane for each object, its states as bars, and who waits for what. Worked out from the
//! simulation's record of what happened.

use super::since;
use base::SortedMap;
use base::{Json, Time};
use protocol::{BandView, BarView, LaneView, Message, TimelineView, TreeView, WaitView};
use sim::{Entry, What};

/// Kinds in which the record has no part of the story that a timeline tells.
const HIDDEN: [&str; 5] = ["Event", "ServiceAccount", "EndpointSlice", "Endpoints", "Lease"];

/// A lane while it is built.
#[derive(Default)]
struct Lane {
    bars: Vec<BarView>,
    open: Option<(u64, String, String)>,
    created: u64,
    automated: bool,
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
            self.bars.push(BarView { from, to: at, state, text, automated: self.automated });
        }
    }
}

/// The timeline up to `now`. `applications` tell which object belongs to which Application, phase and wave.
pub(crate) fn timeline<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    applications: &[Json],
    trees: &[TreeView],
    start: Time,
    now: Time,
) -> TimelineView {
    let end = since(start, now);
    let mut lanes: SortedMap<String, Lane> = SortedMap::new();
    let mut waits: Vec<WaitView> = Vec::new();
    let mut bands: Vec<BandView> = Vec::new();
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
            What::Stand { step, wait } => {
                band(&mut bands, &id, at, *step);
                let on = wait.as_ref().map(|wait| {
                    let cause = |cause: &sim::Cause| Message {
                        key: cause.key.to_string(),
                        args: cause.args.iter().map(ToString::to_string).collect(),
                    };
                    let mut causes: Vec<Message> = wait.causes.iter().map(cause).collect();
                    if let Some(until) = wait.until {
                        let seconds = format!("{:.1}", (until - entry.at) as f64 / 1000.0);
                        causes.push(Message { key: format!("cause-{}", wait.reason), args: vec![seconds] });
                    }
                    (wait.on.to_string(), wait.message.to_string(), causes)
                });
                let same =
                    waiting.get(&id).is_some_and(|open| on.as_ref().is_some_and(|(_, text, _)| *text == open.text));
                if !same {
                    if let Some(open) = waiting.remove(&id) {
                        waits.push(WaitView { to: at, ..open });
                    }
                    if let Some((on, text, causes)) = on {
                        waiting.insert(id.clone(), WaitView { from: at, to: at, lane: id, on, text, causes });
                    }
                }
            }
            What::Operation { phase, message, automated } => {
                let lane = lanes.entry(id.clone()).or_default();
                lane.set(at, phase, message);
                lane.automated = *automated;
                let lane_id = entry.object.to_string();
                if matches!(&**phase, "Succeeded" | "Failed" | "Error")
                    && let Some(lane) = lanes.get_mut(&lane_id)
                {
                    // An end is a moment: the bar of the phase that ended is what took time.
                    lane.close(at);
                    let (state, text) = (phase.to_string(), message.to_string());
                    lane.bars.push(BarView { from: at, to: at, state, text, automated: *automated });
                }
            }
            What::Changed | What::Sync(..) | What::Event(..) | What::Command(_) => {}
        }
    }
    waits.extend(waiting.into_values().map(|wait| WaitView { to: end, ..wait }));
    for open in bands.iter_mut().filter(|band| band.to == u64::MAX) {
        open.to = end;
    }
    let mut views: Vec<(Order, LaneView)> = Vec::new();
    for (id, mut lane) in lanes {
        lane.close(end);
        let mut view = named(id, lane.bars, applications);
        if view.app.is_empty() {
            view.app = owner(&view, applications, trees);
        }
        let order = (view.kind != "Application", phase_rank(&view.phase), view.wave, lane.created, view.id.clone());
        views.push((order, view));
    }
    base::order::sort_by(&mut views, |a, b| a.0.cmp(&b.0));
    let lanes: Vec<LaneView> = views.into_iter().map(|(_, view)| view).collect();
    let from = lanes.iter().flat_map(|lane| lane.bars.first()).map(|bar| bar.from).min().unwrap_or(0);
    TimelineView { from, to: end, lanes, waits, bands }
}

/// Ends the Application's open band when its operation stands elsewhere now, and begins the next.
fn band(bands: &mut Vec<BandView>, id: &str, at: u64, step: Option<(&'static str, i64)>) {
    let app = id.rsplit('/').next().unwrap_or_default();
    let open = bands.iter_mut().rev().find(|band| band.app == app && band.to == u64::MAX);
    let wave = step.map(|(_, wave)| i32::try_from(wave).unwrap_or_default());
    if let Some(open) = open {
        if step.is_some_and(|(phase, _)| phase == open.phase) && wave == Some(open.wave) {
            return;
        }
        open.to = at;
    }
    if let Some((phase, _)) = step {
        let wave = wave.unwrap_or_default();
        bands.push(BandView { app: app.to_string(), from: at, to: u64::MAX, phase: phase.to_string(), wave });
    }
}

/// The Application whose controllers' objects this one is among: by the tree, and for objects that are gone by the
/// namespace.
fn owner(view: &LaneView, applications: &[Json], trees: &[TreeView]) -> String {
    let among = trees.iter().find(|tree| {
        let mine =
            |n: &&protocol::NodeView| n.kind == view.kind && n.namespace == view.namespace && n.name == view.name;
        tree.nodes.iter().any(|node| mine(&node))
    });
    let into = |app: &&Json| {
        let namespace = app.text_at(&["spec", "destination", "namespace"]);
        !namespace.is_empty() && (namespace == view.namespace || view.kind == "Namespace" && namespace == view.name)
    };
    let named = || applications.iter().find(into).map(|app| app.text_at(&["metadata", "name"]).to_string());
    among.map(|tree| tree.app.clone()).or_else(named).unwrap_or_default()
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
        // A hook of an earlier operation is listed, but no phase of this one.
        let old_hook = resource.is_some_and(|resource| resource.get("hook").and_then(Json::as_bool) == Some(true));
        let phase = if old_hook { "" } else { "Sync" };
        view.phase = result.map_or(phase, |result| result.text_at(&["syncPhase"])).to_string();
        view.wave = resource.and_then(wave).unwrap_or_default();
        break;
    }
    view.id = id;
    view
}
