//! What the API server fills in when an object is decoded, one file for pods and one for the other kinds.

mod kinds;
mod pod;

pub(crate) use kinds::fill;
pub(crate) use pod::{admit_pod, quality_class};

use base::Json;
use std::rc::Rc;

/// Sets a member unless it is there already (`null` counts as absent).
fn default(node: &mut Json, key: &str, value: impl FnOnce() -> Json) {
    if node.get(key).is_none_or(Json::is_null) {
        node.set(&[key], value());
    }
}

/// Changes a member that is there.
fn within(node: &mut Json, key: &str, change: impl FnOnce(&mut Json)) {
    if let Json::Map(members) = node
        && members.contains_key(key)
        && let Some(member) = Rc::make_mut(members).get_mut(key)
    {
        change(member);
    }
}

/// Changes each item of a list member.
fn each(node: &mut Json, key: &str, mut change: impl FnMut(&mut Json)) {
    within(node, key, |list| {
        if let Json::List(items) = list {
            Rc::make_mut(items).iter_mut().for_each(&mut change);
        }
    });
}

fn empty() -> Json {
    Json::map::<&str>([])
}
