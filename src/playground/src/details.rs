//! One object from all sides, for the page: live, desired, last applied, what an apply would change, events.

use crate::session::Playground;
use crate::{engine, place, view};
use argocd::ObjectKey;
use base::Json;
use protocol::{DetailsView, DiffLine, LineChange, ObjectView};
use similar::{ChangeTag, TextDiff};
use std::rc::Rc;

/// Lines around a change.
const AROUND: usize = 3;

/// The object from all sides; `None` when neither the cluster nor an Application has it.
pub(crate) fn details(playground: &Playground, object: &ObjectView) -> Option<DetailsView> {
    let key = key(object);
    let state = playground.shown();
    let live = live(playground, object);
    let found =
        engine::objects(state).iter().filter(|object| object.text_at(&["kind"]) == "Application").find_map(|app| {
            let name = app.text_at(&["metadata", "name"]);
            let pair = state.argocd.comparison(name)?.pairs.iter().find(|pair| pair.key == key)?.clone();
            Some((app.clone(), pair))
        });
    let target = found.as_ref().and_then(|(_, pair)| pair.target.as_ref());
    if live.is_none() && target.is_none() {
        return None;
    }
    let last = live.as_ref().map(|live| live.text_at(&["metadata", "annotations", cluster::apply::LAST_APPLIED]));
    let last = last.and_then(|text| Json::parse(text).ok());
    let diff = match (&found, target, &live) {
        (Some((app, _)), Some(target), Some(live)) => {
            let app = argocd::Application::read(app);
            let rules = argocd::ignore::Rules::read(&app.spec.ignore_differences).unwrap_or_default();
            let (before, after) = argocd::compare::sides(target, live, &rules);
            difference(&yaml::emit_v2(&before), &yaml::emit_v2(&after))
        }
        (_, Some(target), None) => difference("", &yaml::emit_v2(target)),
        _ => Vec::new(),
    };
    let text = |object: Option<&Json>| object.map(yaml::emit_v2).unwrap_or_default();
    let events: Vec<Json> = engine::objects(state)
        .into_iter()
        .filter(|event| {
            let at = |part: &str| event.text_at(&["involvedObject", part]);
            event.text_at(&["kind"]) == "Event"
                && at("kind") == &*key.kind
                && at("name") == &*key.name
                && at("namespace") == &*key.namespace
        })
        .collect();
    let scaled = ["Deployment", "ReplicaSet", "StatefulSet"].contains(&&*key.kind);
    let replicas = live.as_ref().filter(|_| scaled).and_then(|live| live.int_at(&["spec", "replicas"]));
    Some(DetailsView {
        object: object.clone(),
        app: found.as_ref().map(|(app, _)| app.text_at(&["metadata", "name"]).to_string()).unwrap_or_default(),
        live: live.as_ref().map(shown).unwrap_or_default(),
        desired: text(target),
        last_applied: text(last.as_ref()),
        diff,
        replicas: replicas.and_then(|count| u32::try_from(count).ok()),
        events: view::events(&events, playground.start()),
    })
}

/// The field that stands at a place of the live YAML.
pub(crate) fn field_at(playground: &Playground, object: &ObjectView, line: u32, col: u32) -> Option<String> {
    let text = shown(&live(playground, object)?);
    let document = yaml::parse_first(text.as_bytes()).ok()??;
    let path = yaml::field_at(&document, place::offset(&text, line, col));
    (!path.is_empty()).then(|| argocd::explain::dotted(&path))
}

/// The object without `managedFields`, which only make it long.
pub(crate) fn without_managers(object: &Json) -> Json {
    let mut out = object.clone();
    out.remove(&["metadata", "managedFields"]);
    out
}

fn shown(object: &Json) -> String {
    yaml::emit_v2(&without_managers(object))
}

fn key(object: &ObjectView) -> ObjectKey {
    let part = |text: &str| Rc::from(text);
    ObjectKey {
        group: part(&object.group),
        kind: part(&object.kind),
        namespace: part(&object.namespace),
        name: part(&object.name),
    }
}

fn live(playground: &Playground, object: &ObjectView) -> Option<Json> {
    let key = key(object);
    let at = sim::ObjectRef { group: key.group, kind: key.kind, namespace: key.namespace, name: key.name };
    playground.shown().object(&at)
}

/// The changed lines with some around them.
fn difference(live: &str, desired: &str) -> Vec<DiffLine> {
    let diff = TextDiff::from_lines(live, desired);
    let mut lines = Vec::new();
    for group in diff.grouped_ops(AROUND) {
        if !lines.is_empty() || group.first().is_some_and(|op| op.old_range().start > 0 || op.new_range().start > 0) {
            lines.push(DiffLine { change: LineChange::Gap, text: String::new() });
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let kind = match change.tag() {
                ChangeTag::Equal => LineChange::Same,
                ChangeTag::Delete => LineChange::Live,
                ChangeTag::Insert => LineChange::Desired,
            };
            lines.push(DiffLine { change: kind, text: change.value().trim_end_matches('\n').to_string() });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_keeps_some_lines_around() {
        let lines = |changed: &str| {
            (0..12).map(|n| if n == 6 { format!("{changed}\n") } else { format!("l{n}\n") }).collect::<String>()
        };
        let out = difference(&lines("a: 1"), &lines("a: 2"));
        let kinds: Vec<LineChange> = out.iter().map(|line| line.change).collect();
        use LineChange::{Desired, Gap, Live, Same};
        assert_eq!(kinds, [Gap, Same, Same, Same, Live, Desired, Same, Same, Same]);
        assert!(difference("a\n", "a\n").is_empty());
    }
}
