//! Goals are predicates over the state: the remote branch, objects in the cluster, files on the disk. A goal that is
//! not met says what was found instead.

use crate::field;
use base::Json;
use base::SortedMap;
use lesson::{AppGoal, CommittedGoal, FileGoal, Goal, ObjectGoal};
use protocol::GoalState;
use std::rc::Rc;

/// What goals look at.
pub trait GoalContext {
    /// A file of the remote branch `main`; the path counts from the repository's root.
    fn remote_file(&self, path: &str) -> Option<Rc<[u8]>>;
    /// All files of the remote branch `main` below a folder.
    fn remote_under(&self, folder: &str) -> Vec<Rc<[u8]>>;
    /// An object of the cluster. Kinds are found in any group.
    fn object(&self, kind: &str, namespace: &str, name: &str) -> Option<Json>;
    /// A file of the disk, as typed.
    fn file(&self, path: &str) -> Option<Rc<[u8]>>;
}

/// Whether a goal is met, and what was found when it is not.
pub fn evaluate(goal: &Goal, context: &dyn GoalContext) -> GoalState {
    let missing = match goal {
        Goal::Committed(files) => files.iter().find_map(|file| committed(file, context)),
        Goal::App(app) => application(app, context),
        Goal::Object(object) => fields_of_object(object, context),
        Goal::File(file) => json_file(file, context),
    };
    GoalState { met: missing.is_none(), found: missing.unwrap_or_default() }
}

fn committed(goal: &CommittedGoal, context: &dyn GoalContext) -> Option<String> {
    if !goal.under.is_empty() {
        let files = context.remote_under(&goal.under);
        let has = |kind: &String| {
            let line = format!("kind: {kind}");
            files.iter().any(|bytes| String::from_utf8_lossy(bytes).lines().any(|l| l.trim() == line))
        };
        return goal.kinds.iter().find(|kind| !has(kind)).map(|kind| format!("{}: ∅ ≠ kind: {kind}", goal.under));
    }
    let Some(bytes) = context.remote_file(&goal.path) else {
        return Some(format!("{}: no such file or directory", goal.path));
    };
    if goal.fields.is_empty() && goal.present.is_empty() {
        return None;
    }
    match yaml::to_json(&bytes) {
        Ok(json) => match goal.present.iter().find(|path| field::get(&json, path).is_none()) {
            Some(path) => Some(format!("{}: {path}: ∅", goal.path)),
            None => differing(&json, &goal.fields),
        },
        Err(error) => Some(format!("{}: {error}", goal.path)),
    }
}

fn application(goal: &AppGoal, context: &dyn GoalContext) -> Option<String> {
    let Some(app) = context.object("Application", "argocd", &goal.name) else {
        return Some(not_found("Application", &goal.name));
    };
    let words = [
        (&goal.sync, app.text_at(&["status", "sync", "status"])),
        (&goal.health, app.text_at(&["status", "health", "status"])),
        (&goal.phase, app.text_at(&["status", "operationState", "phase"])),
    ];
    let differs = words.iter().any(|(want, have)| want.as_deref().is_some_and(|want| want != *have));
    let found: Vec<&str> = words.iter().filter(|(want, _)| want.is_some()).map(|(_, have)| *have).collect();
    differs.then(|| found.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" · "))
}

fn fields_of_object(goal: &ObjectGoal, context: &dyn GoalContext) -> Option<String> {
    let Some(object) = context.object(&goal.kind, &goal.namespace, &goal.name) else {
        return Some(not_found(&goal.kind, &goal.name));
    };
    if let Some(path) = goal.present.iter().find(|path| field::get(&object, path).is_none()) {
        return Some(format!("{path}: ∅"));
    }
    if let Some(path) = goal.absent.iter().find(|path| field::get(&object, path).is_some()) {
        return Some(format!("{path}: {}", shown(field::get(&object, path))));
    }
    differing(&object, &goal.fields)
}

fn json_file(goal: &FileGoal, context: &dyn GoalContext) -> Option<String> {
    let name = goal.path.rsplit('/').next().unwrap_or(&goal.path);
    let Some(bytes) = context.file(&goal.path) else {
        return Some(format!("{name}: no such file or directory"));
    };
    let json = match Json::parse(&String::from_utf8_lossy(&bytes)) {
        Ok(json) => json,
        Err(error) => return Some(format!("{name}: {error}")),
    };
    if let Some(found) = differing(&json, &goal.json) {
        return Some(found);
    }
    for (path, live) in &goal.live {
        let named = live.name.strip_prefix('$').map(|member| field::get(&json, member).and_then(Json::as_str));
        let Some(name) = named.unwrap_or(Some(&live.name)) else { return Some(format!("{}: ∅", &live.name[1..])) };
        let Some(object) = context.object(&live.kind, &live.namespace, name) else {
            return Some(not_found(&live.kind, name));
        };
        let have = field::get(&json, path);
        let want = field::get(&object, &live.field).unwrap_or(&Json::Null);
        if have != Some(want) {
            return Some(differs(path, have, Some(want)));
        }
    }
    goal.later.iter().find_map(|later| {
        let at = |member: &str| field::get(&json, member).and_then(Json::as_int);
        match (at(&later.member), at(&later.than)) {
            (Some(after), Some(before)) if after.saturating_sub(before) >= later.seconds => None,
            (Some(after), Some(before)) => {
                Some(format!("{} - {}: {} < {}", later.member, later.than, after.saturating_sub(before), later.seconds))
            }
            (after, _) => Some(format!("{}: ∅", if after.is_none() { &later.member } else { &later.than })),
        }
    })
}

/// An answer file with what the cluster says now: members that a goal compares with live fields take their values.
pub(crate) fn answered(goal: &FileGoal, text: &str, context: &dyn GoalContext) -> Option<String> {
    let mut json = Json::parse(text).ok()?;
    // Members that name an object come before those that are fields of it.
    let (fixed, named): (Vec<_>, Vec<_>) = goal.live.iter().partition(|(_, live)| !live.name.starts_with('$'));
    for (member, live) in fixed.into_iter().chain(named) {
        let name = match live.name.strip_prefix('$') {
            Some(other) => json.text_at(&[other]).to_string(),
            None => live.name.clone(),
        };
        let object = context.object(&live.kind, &live.namespace, &name);
        let value = object.as_ref().and_then(|object| field::get(object, &live.field)).cloned();
        json.set(&[member.as_str()], value.unwrap_or(Json::Null));
    }
    let order = Json::parse(text).ok()?;
    let known = order.as_map()?.keys().map(|key| text.find(&format!("\"{key}\"")).map(|at| (at, key.to_string())));
    let mut known: Vec<(usize, String)> = known.flatten().collect();
    base::order::sort_by(&mut known, |a, b| a.cmp(b));
    let line = |(_, key): &(usize, String)| {
        format!("  \"{key}\": {}", json.get(key).map(Json::to_raw_text).unwrap_or_default())
    };
    let lines: Vec<String> = known.iter().map(line).collect();
    Some(format!("{{\n{}\n}}\n", lines.join(",\n")))
}

fn differing(json: &Json, fields: &SortedMap<String, Json>) -> Option<String> {
    let (path, want) = fields.iter().find(|(path, want)| field::get(json, path) != Some(*want))?;
    Some(differs(path, field::get(json, path), Some(want)))
}

/// What stands there and what should, without words of any language.
fn differs(path: &str, have: Option<&Json>, want: Option<&Json>) -> String {
    format!("{path}: {} ≠ {}", shown(have), shown(want))
}

fn shown(value: Option<&Json>) -> String {
    value.map_or_else(|| "∅".to_string(), |value| field::cut(&value.to_raw_text(), 80))
}

fn not_found(kind: &str, name: &str) -> String {
    format!("{kind} \"{name}\" not found")
}
