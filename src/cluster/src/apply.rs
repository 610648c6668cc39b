//! `kubectl apply`'s client side: the three-way patch from the live object, the wanted one, and the one applied last.
//! kubectl and Argo CD send the result as a strategic merge patch for built-in kinds and as a merge patch for others; the
//! patch made here is the merge patch with the same result, with keyed lists of built-in kinds merged item by item.

use crate::client::{ObjectRef, Writer};
use crate::cluster::Cluster;
use crate::fields::{Parts, child_shape, element, granular, root_shape};
use crate::patch::create_merge_patch;
use crate::request::PatchType;
use crate::schema::{Merge, Shape, kind_type};
use crate::status::Status;
use base::{Json, Map};
use std::rc::Rc;

/// The annotation in which `kubectl apply` keeps what it applied last.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What an apply did, as kubectl prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `created`
    Created,
    /// `configured`
    Configured,
    /// `unchanged`
    Unchanged,
}

impl Outcome {
    /// kubectl's word.
    pub fn text(self) -> &'static str {
        match self {
            Outcome::Created => "created",
            Outcome::Configured => "configured",
            Outcome::Unchanged => "unchanged",
        }
    }
}

/// The object that an apply of `desired` would leave: what `desired` sets, without what only `last_applied` set, and all
/// else as it is live.
pub fn merged(live: &Json, desired: &Json, last_applied: &Json) -> Json {
    let kind = live.text_at(&["kind"]);
    merge(live, desired, last_applied, &root_shape(kind, kind_type(kind).is_some()))
}

/// The JSON merge patch that turns `live` into `desired`, removing only what `last_applied` had and `desired` has not.
/// An empty object when there is nothing to do.
pub fn three_way(live: &Json, desired: &Json, last_applied: &Json) -> Json {
    create_merge_patch(live, &merged(live, desired, last_applied))
}

/// `desired` with the last-applied annotation that kubectl gives it.
pub fn with_last_applied(desired: &Json) -> Json {
    let mut bare = desired.clone();
    bare.remove(&["metadata", "annotations", LAST_APPLIED]);
    if bare.at(&["metadata", "annotations"]).is_none() {
        // kubectl writes the map even when it is empty.
        bare.set(&["metadata", "annotations"], Json::map::<&str>([]));
    }
    let mut out = desired.clone();
    out.set(&["metadata", "annotations", LAST_APPLIED], Json::str(format!("{}\n", bare.to_text())));
    out
}

/// What an object says was applied last; `Null` when it says nothing.
pub fn last_applied(live: &Json) -> Json {
    Json::parse(live.text_at(&["metadata", "annotations", LAST_APPLIED])).unwrap_or_default()
}

/// Applies an object as `kubectl apply` does without `--server-side`. The writer's manager is usually
/// `kubectl-client-side-apply`.
pub fn client_side(cluster: &mut Cluster, object: &Json, writer: &Writer) -> Result<(Json, Outcome), Status> {
    let at = ObjectRef::of(object);
    let desired = with_last_applied(object);
    let live = match cluster.get(&at) {
        Ok(live) => live,
        Err(status) if status.code == 404 && status.reason == "NotFound" => {
            return Ok((cluster.create(&desired, writer)?, Outcome::Created));
        }
        Err(status) => return Err(status),
    };
    let patch = three_way(&live, &desired, &last_applied(&live));
    if patch.as_map().is_none_or(|m| m.is_empty()) {
        return Ok((live, Outcome::Unchanged));
    }
    // kubectl looks at its patch only: one that changes nothing (`stringData`, `cpu: 1000m`) counts as well.
    let stored = cluster.patch(&at, "", PatchType::Merge, &patch, writer)?;
    Ok((stored, Outcome::Configured))
}

fn merge(live: &Json, desired: &Json, last: &Json, shape: &Shape) -> Json {
    // Strategic merge reads keyed lists item by item and maps by key whatever server-side apply makes of them.
    let open = match shape {
        Shape::Struct { name, .. } => Shape::Struct { name, atomic: false },
        Shape::Map { .. } => Shape::Map { atomic: false },
        Shape::List { item, merge: Merge::Keys(keys) } => {
            Shape::List { item: item.clone(), merge: Merge::Keys(keys.iter().take(1).cloned().collect()) }
        }
        other => other.clone(),
    };
    match (live, desired) {
        (Json::Map(old), Json::Map(new)) => {
            let mut out: Map = (**old).clone();
            for key in last.as_map().into_iter().flatten().map(|(key, _)| key) {
                if !new.contains_key(key) {
                    out.remove(key);
                }
            }
            for (key, value) in new.iter() {
                if value.is_null() {
                    out.remove(key);
                    continue;
                }
                let was = old.get(key).unwrap_or(&Json::Null);
                let before = last.get(key).unwrap_or(&Json::Null);
                out.insert(key.clone(), merge(was, value, before, &child_shape(&open, key)));
            }
            Json::Map(Rc::new(out))
        }
        (Json::List(_), Json::List(_)) => {
            let Shape::List { item, merge: how } = &open else { return desired.clone() };
            let (Parts::Items(old), Parts::Items(new)) = (granular(live, &open), granular(desired, &open)) else {
                return desired.clone();
            };
            let before: Vec<(Rc<str>, &Json)> = match granular(last, &open) {
                Parts::Items(items) => items,
                _ => Vec::new(),
            };
            let dropped = |key: &Rc<str>| before.iter().any(|(k, _)| k == key) && !new.iter().any(|(k, _)| k == key);
            // The wanted order leads; items that only the live list has keep their places after what precedes them.
            let mut out: Vec<(Rc<str>, Json)> = Vec::new();
            for (key, value) in &new {
                let was = old.iter().find(|(k, _)| k == key).map_or(&Json::Null, |(_, v)| *v);
                let had = before.iter().find(|(k, _)| k == key).map_or(&Json::Null, |(_, v)| *v);
                let merged = if *how == Merge::Set { (*value).clone() } else { merge(was, value, had, item) };
                out.push((key.clone(), merged));
            }
            for (at, (key, value)) in old.iter().enumerate() {
                if out.iter().any(|(k, _)| k == key) || dropped(key) {
                    continue;
                }
                let previous = old[..at].iter().rev().find_map(|(k, _)| out.iter().position(|(o, _)| o == k));
                out.insert(previous.map_or(0, |p| p + 1), (element(value, how), (*value).clone()));
            }
            Json::list(out.into_iter().map(|(_, v)| v))
        }
        _ => desired.clone(),
    }
}
