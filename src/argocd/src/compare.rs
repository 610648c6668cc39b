//! Comparison of targets with the cluster: pairs, three-way difference, sync status of each resource and of the whole.

use crate::api;
use crate::application::Application;
use crate::health;
use crate::hook;
use crate::ignore::Rules;
use crate::object::{ObjectKey, version};
use crate::order;
use crate::source::Target;
use crate::tracking;
use base::{Json, Map};
use cluster::{Cluster, apply};
use std::collections::BTreeSet;

/// Whether the cluster is as the source wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyncStatus {
    /// It is.
    Synced,
    /// It is not.
    OutOfSync,
    /// It could not be found out.
    Unknown,
}

impl SyncStatus {
    /// The word that Argo CD writes.
    pub fn text(self) -> &'static str {
        match self {
            SyncStatus::Synced => "Synced",
            SyncStatus::OutOfSync => "OutOfSync",
            SyncStatus::Unknown => "Unknown",
        }
    }
}

/// A wanted object and the live one of the same key; at least one is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The key; its name is empty for a target that has only a `generateName`.
    pub key: ObjectKey,
    /// The wanted object; `None` for a tracked one that left the source.
    pub target: Option<Json>,
    /// The object in the cluster.
    pub live: Option<Json>,
    /// True when an apply would change the live object, or there is none.
    pub modified: bool,
    /// False for a live object whose tracking id names another object: a copy that somebody made.
    pub self_referenced: bool,
    /// The resource's status; `None` for hooks and other objects that do not count.
    pub status: Option<SyncStatus>,
    /// Index of the target among the generated ones.
    pub generated: Option<usize>,
}

impl Pair {
    /// True when a sync with pruning would delete the live object.
    pub fn requires_pruning(&self) -> bool {
        self.target.is_none() && self.live.is_some() && self.self_referenced
    }

    /// The entry of `status.resources`.
    pub fn entry(&self) -> Json {
        let object = self.live.as_ref().or(self.target.as_ref()).unwrap_or(&Json::Null);
        let shown = self.target.as_ref().unwrap_or(object);
        crate::patch::without_empty([
            ("group", Json::Str(self.key.group.clone())),
            ("kind", Json::Str(self.key.kind.clone())),
            ("version", version(shown).into()),
            ("namespace", Json::Str(self.key.namespace.clone())),
            ("name", Json::Str(self.key.name.clone())),
            ("status", self.status.map_or("", SyncStatus::text).into()),
            ("hook", Json::Bool(hook::is_hook(object))),
            ("requiresPruning", Json::Bool(self.requires_pruning())),
            ("syncWave", Json::Int(self.target.as_ref().map_or(0, order::wave))),
        ])
    }
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Pairs sorted by `group/kind/namespace/name`.
    pub pairs: Vec<Pair>,
    /// The Application's sync status.
    pub sync: SyncStatus,
    /// The Application's health.
    pub health: health::Status,
    /// Warnings as (condition type, message).
    pub warnings: Vec<(&'static str, String)>,
    /// The `ignoreDifferences` that held.
    pub ignored: Vec<Json>,
    /// True when the API server predicted what an apply would do.
    pub server_side: bool,
}

impl Comparison {
    /// What this comparison found for the same wanted and the same live object under the same rules.
    /// The search begins at `from`, where the one for the pair before it ended.
    fn found(&self, pair: &Pair, from: &mut usize) -> Option<bool> {
        let (first, last) = self.pairs.split_at((*from).min(self.pairs.len()));
        let at = last.iter().chain(first).position(|p| p.key == pair.key)?;
        *from = (*from + at + 1) % self.pairs.len();
        let known = last.iter().chain(first).nth(at)?;
        let version = |p: &Pair| {
            let part = |key| p.live.as_ref().and_then(|l| l.at(&["metadata", key])).cloned();
            part("uid").zip(part("resourceVersion"))
        };
        (version(known).is_some() && version(known) == version(pair) && known.target == pair.target)
            .then_some(known.modified)
    }
}

/// Compares. `before` is a comparison of the same Application, whose findings are used where nothing changed since; the
/// answer is the same without it. `targets` is `None` when they could not be made: all is Unknown then, but for the health.
pub fn compare(
    app: &Application,
    targets: Option<&[Target]>,
    extras: &BTreeSet<ObjectKey>,
    before: Option<&Comparison>,
    cluster: &Cluster,
) -> Comparison {
    let mut warnings = Vec::new();
    let mut pairs: Vec<Pair> = Vec::new();
    let mut seen: BTreeSet<ObjectKey> = BTreeSet::new();
    for (index, target) in targets.unwrap_or(&[]).iter().enumerate() {
        if hook::is_ignored(&target.object)
            || (hook::is_deletion_hook(&target.object) && hook::phases(&target.object).is_empty())
        {
            continue;
        }
        let object = placed(&target.object, app, cluster);
        let key = ObjectKey::of(&object);
        if key.namespace.is_empty() && api::is_namespaced(cluster, &key.group, &key.kind) == Some(true) {
            let ObjectKey { group, kind, name, .. } = &key;
            let text = format!("Namespace for {name} {group}/{}, Kind={kind} is missing.", version(&object));
            warnings.push(("InvalidSpecError", text));
        }
        if !key.name.is_empty()
            && !seen.insert(key.clone())
            && let Some(at) = pairs.iter().position(|p| p.key == key)
        {
            let count = 1 + warnings.iter().filter(|(t, _)| *t == "RepeatedResourceWarning").count();
            warnings.push((
                "RepeatedResourceWarning",
                format!("Resource {key} appeared {} times among application resources.", count + 1),
            ));
            pairs.remove(at);
        }
        let live = if key.name.is_empty() { None } else { api::live(cluster, &key) };
        pairs.push(Pair {
            key,
            target: Some(object),
            live,
            modified: true,
            self_referenced: true,
            status: None,
            generated: Some(index),
        });
    }
    for key in extras {
        if seen.contains(key) {
            continue;
        }
        let Some(live) = api::live(cluster, key) else { continue };
        let own = tracking::of(&live).is_none_or(|id| {
            *id.group == *key.group
                && *id.kind == *key.kind
                && *id.name == *key.name
                && (key.namespace.is_empty() || *id.namespace == *key.namespace)
        });
        pairs.push(Pair {
            key: key.clone(),
            target: None,
            live: Some(live),
            modified: false,
            self_referenced: own,
            status: None,
            generated: None,
        });
    }
    let instance = app.instance();
    let server_side = hook::tokens(&app.object, "argocd.argoproj.io/compare-options").contains(&"ServerSideDiff=true");
    let rules = Rules::read(&app.spec.ignore_differences);
    if let Err(error) = &rules {
        let text = "Failed to compare desired state to live state: failed to create diff normalizer:";
        warnings.push(("ComparisonError", format!("{text} {error}")));
    }
    let targets = targets.filter(|_| rules.is_ok());
    let rules = rules.unwrap_or_default();
    let mut sync = if targets.is_some() { SyncStatus::Synced } else { SyncStatus::Unknown };
    let same_rules = |b: &&Comparison| !b.server_side && b.ignored == app.spec.ignore_differences;
    let before = before.filter(|_| !server_side).filter(same_rules);
    let mut from = 0;
    for pair in &mut pairs {
        if let Some(live) = &pair.live
            && pair.target.is_some()
            && let Some(id) = tracking::of(live)
            && *id.instance != *instance
        {
            let other = id.instance.replace('_', "/");
            warnings.push((
                "SharedResourceWarning",
                format!(
                    "{}/{} is part of applications {}/{} and {other}",
                    pair.key.kind, pair.key.name, app.namespace, app.name
                ),
            ));
        }
        let known = before.and_then(|b| b.found(pair, &mut from));
        if let (Some(target), Some(live)) = (&pair.target, &pair.live) {
            if let Some(modified) = known {
                debug_assert_eq!(modified, is_modified(target, live, &rules));
            }
            let predicted = if server_side { api::predicted(cluster, target).map(Some) } else { Ok(None) };
            pair.modified = match predicted {
                Ok(None) if known.is_some() => known == Some(true),
                Ok(None) => is_modified(target, live, &rules),
                Ok(Some(predicted)) => differs(&predicted, live, &rules),
                Err(_) => true,
            };
        }
        let object = pair.live.as_ref().or(pair.target.as_ref()).unwrap_or(&Json::Null);
        let silent = hook::is_hook(object) || pair.target.as_ref().is_some_and(hook::is_skip) || !pair.self_referenced;
        if silent {
            continue;
        }
        let out = pair.modified || pair.target.is_none() || pair.live.is_none();
        let status = match (targets, out) {
            (None, _) => SyncStatus::Unknown,
            (_, true) => SyncStatus::OutOfSync,
            (_, false) => SyncStatus::Synced,
        };
        let ignored = pair.target.is_none()
            && hook::tokens(object, "argocd.argoproj.io/compare-options").contains(&"IgnoreExtraneous");
        if status == SyncStatus::OutOfSync && !ignored {
            sync = SyncStatus::OutOfSync;
        }
        pair.status = Some(status);
    }
    base::order::sort_by_key(&mut pairs, |p| p.key.to_string());
    let counted = pairs.iter().filter(|p| {
        let skipped = p.target.as_ref().is_some_and(hook::is_skip);
        let ignored = p.live.as_ref().is_some_and(|l| hook::is_hook(l) || is_health_ignored(l));
        let future_hook = p.live.is_none() && p.target.as_ref().is_some_and(hook::is_hook);
        !(skipped || ignored || future_hook)
    });
    let health = health::aggregate(counted.map(|p| p.live.as_ref()));
    Comparison { pairs, sync, health, warnings, ignored: app.spec.ignore_differences.clone(), server_side }
}

fn is_health_ignored(live: &Json) -> bool {
    live.text_at(&["metadata", "annotations", "argocd.argoproj.io/ignore-healthcheck"]) == "true"
}

/// A target in its namespace: the destination's when it names none, none for cluster-scoped kinds.
fn placed(target: &Json, app: &Application, cluster: &Cluster) -> Json {
    let mut object = target.clone();
    let key = ObjectKey::of(target);
    if api::is_namespaced(cluster, &key.group, &key.kind) == Some(false) {
        object.remove(&["metadata", "namespace"]);
    } else if key.namespace.is_empty() && !app.spec.destination.namespace.is_empty() {
        object.set(&["metadata", "namespace"], Json::Str(app.spec.destination.namespace.clone()));
    }
    object
}

/// True when an apply of `target` would change `live`, ignored fields apart: the three-way difference of the object
/// applied last, the wanted one and the live one. Without a last one, fields that only live has never count.
pub fn is_modified(target: &Json, live: &Json, rules: &Rules) -> bool {
    let (live, target, last) = normal(target, live, rules);
    !crate::patch::is_empty(&apply::three_way(&live, &target, &last))
}

/// The two sides that `argocd app diff` prints: the live object, and what an apply of `target` would make of it; both
/// without what never counts.
pub fn sides(target: &Json, live: &Json, rules: &Rules) -> (Json, Json) {
    let (live, target, last) = normal(target, live, rules);
    let then = apply::merged(&live, &target, &last);
    (live, then)
}

/// The fields in which two objects differ, as JSON pointers with the value on either side. Lists are compared by index.
pub fn changes(old: &Json, new: &Json) -> Vec<(String, Option<Json>, Option<Json>)> {
    let mut out = Vec::new();
    let mut open = vec![(String::new(), Some(old.clone()), Some(new.clone()))];
    while let Some((path, a, b)) = open.pop() {
        if a == b {
            continue;
        }
        let inner = |key: &str| format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        match (&a, &b) {
            (Some(Json::Map(x)), Some(Json::Map(y))) => {
                let mut keys: Vec<_> = x.keys().chain(y.keys()).cloned().collect();
                base::order::sort(&mut keys);
                keys.dedup();
                open.extend(keys.iter().rev().map(|k| (inner(k), x.get(k).cloned(), y.get(k).cloned())));
            }
            (Some(Json::List(x)), Some(Json::List(y))) => {
                let both = 0..x.len().max(y.len());
                open.extend(both.rev().map(|i| (inner(&i.to_string()), x.get(i).cloned(), y.get(i).cloned())));
            }
            _ => out.push((path, a, b)),
        }
    }
    out
}

/// Live, wanted and last applied object without ignored fields and what never counts.
fn normal(target: &Json, live: &Json, rules: &Rules) -> (Json, Json, Json) {
    let last = live
        .at(&["metadata", "annotations", apply::LAST_APPLIED])
        .and_then(Json::as_str)
        .and_then(|text| Json::parse(text).ok());
    let (mut wanted, mut found) = (target.clone(), live.clone());
    rules.remove_managed(&mut wanted, &mut found);
    let normal = |object: &Json| {
        let mut out = normalised(object);
        rules.remove(&mut out, target);
        out
    };
    let (mut target, live) = (normal(&wanted), normal(&found));
    let mut last = match last {
        Some(last) => normal(&last),
        None => target.clone(),
    };
    for object in [&mut target, &mut last] {
        object.remove(&["metadata", "namespace"]);
        if object.at(&["metadata", "annotations"]).and_then(Json::as_map).is_some_and(Map::is_empty) {
            object.remove(&["metadata", "annotations"]);
        }
    }
    (live, target, last)
}

/// The difference of a server-side dry run: what the API server would answer against what lives.
fn differs(predicted: &Json, live: &Json, rules: &Rules) -> bool {
    let (mut wanted, mut found) = (predicted.clone(), live.clone());
    rules.remove_managed(&mut wanted, &mut found);
    let normal = |object: &Json| {
        let mut out = normalised(object);
        rules.remove(&mut out, live);
        out
    };
    normal(&wanted) != normal(&found)
}

/// The object without what never counts: status and server-written metadata.
fn normalised(object: &Json) -> Json {
    let mut out = cluster::as_typed(object);
    out.remove(&["status"]);
    for key in ["creationTimestamp", "managedFields", "resourceVersion", "generation", "uid", "selfLink"] {
        out.remove(&["metadata", key]);
    }
    out.remove(&["metadata", "annotations", apply::LAST_APPLIED]);
    if out.text_at(&["kind"]) == "Secret"
        && let Some(plain) = out.remove(&["stringData"])
    {
        for (key, value) in plain.as_map().into_iter().flatten() {
            let text = value.as_str().unwrap_or("");
            out.set(&["data", key], Json::str(encode_base64(text.as_bytes())));
        }
    }
    out
}

fn encode_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let n = (0..3).fold(0u32, |n, i| n << 8 | u32::from(*chunk.get(i).unwrap_or(&0)));
        for i in 0..4 {
            let digit = DIGITS[(n >> (18 - 6 * i) & 63) as usize] as char;
            out.push(if i <= chunk.len() { digit } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64() {
        assert_eq!(encode_base64(b"a"), "YQ==");
        assert_eq!(encode_base64(b"hello!"), "aGVsbG8h");
    }
}
