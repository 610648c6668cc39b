//! JSON merge patch (RFC 7386): apply one, and make one from two documents.

use base::{Json, Map};
use std::rc::Rc;

/// Applies a merge patch.
pub(crate) fn merge_patch(target: &Json, patch: &Json) -> Json {
    let Json::Map(changes) = patch else { return patch.clone() };
    let mut out: Map = target.as_map().cloned().unwrap_or_default();
    for (key, change) in changes.iter() {
        if change.is_null() {
            out.remove(key);
        } else {
            let old = out.get(key).cloned().unwrap_or_default();
            out.insert(key.clone(), merge_patch(&old, change));
        }
    }
    Json::Map(Rc::new(out))
}

/// The merge patch that turns `from` into `to`; an empty object when they are equal.
pub(crate) fn create_merge_patch(from: &Json, to: &Json) -> Json {
    let (Some(old), Some(new)) = (from.as_map(), to.as_map()) else { return to.clone() };
    let mut out = Map::new();
    for (key, item) in new {
        match old.get(key) {
            Some(was) if was == item => {}
            Some(was) if was.as_map().is_some() && item.as_map().is_some() => {
                out.insert(key.clone(), create_merge_patch(was, item));
            }
            _ => {
                out.insert(key.clone(), item.clone());
            }
        }
    }
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        out.insert(key.clone(), Json::Null);
    }
    Json::Map(Rc::new(out))
}
