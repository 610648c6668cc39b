//! Strategic merge patch: lists of the built-in types merge by their keys; `$patch`, `$retainKeys`,
//! `$deleteFromPrimitiveList` and `$setElementOrder` direct it.

use crate::fields::child_shape;
use crate::schema::{Merge, Shape};
use crate::status::Status;
use base::{Json, Map};
use std::rc::Rc;

/// Applies a patch to an object of this shape.
pub(crate) fn strategic_patch(target: &Json, patch: &Json, shape: &Shape) -> Result<Json, Status> {
    merge(target, patch, shape)
}

fn merge(target: &Json, patch: &Json, shape: &Shape) -> Result<Json, Status> {
    let Json::Map(changes) = patch else { return Ok(patch.clone()) };
    match changes.get("$patch").and_then(Json::as_str) {
        Some("replace") => {
            let mut kept = (**changes).clone();
            kept.remove("$patch");
            return Ok(Json::map(kept));
        }
        Some("delete") => return Ok(Json::map::<&str>([])),
        Some("merge") | None => {}
        Some(other) => {
            return Err(Status::new(500, "", format!("unknown patch type {other}")));
        }
    }
    let mut out: Map = target.as_map().cloned().unwrap_or_default();
    if let Some(keep) = changes.get("$retainKeys").and_then(Json::as_list) {
        out.retain(|key, _| keep.iter().any(|k| k.as_str() == Some(key)));
    }
    for (key, change) in changes.iter() {
        if let Some(name) = key.strip_prefix("$deleteFromPrimitiveList/") {
            let gone = change.as_list().unwrap_or(&[]);
            if let Some(Json::List(items)) = out.get_mut(name) {
                Rc::make_mut(items).retain(|item| !gone.contains(item));
            }
            continue;
        }
        if key.starts_with('$') {
            continue;
        }
        if change.is_null() {
            out.remove(key);
            continue;
        }
        let inner = child_shape(shape, key);
        let old = out.get(key).cloned().unwrap_or_default();
        let order = changes.get(format!("$setElementOrder/{key}").as_str()).and_then(Json::as_list);
        let merged = match (&inner, change) {
            (Shape::List { item, merge: how }, Json::List(items)) => {
                merge_list(old.as_list().unwrap_or(&[]), items, item, how, order)?
            }
            (_, Json::Map(_)) => merge(&old, change, &inner)?,
            _ => change.clone(),
        };
        out.insert(key.clone(), merged);
    }
    // An order without changes still reorders.
    for (key, order) in changes.iter() {
        if let (Some(name), Some(order)) = (key.strip_prefix("$setElementOrder/"), order.as_list())
            && !changes.contains_key(name)
            && let (Shape::List { merge: how, .. }, Some(Json::List(items))) = (child_shape(shape, name), out.get(name))
        {
            let sorted = reorder(items.to_vec(), items, order, &how);
            out.insert(name.into(), Json::list(sorted));
        }
    }
    Ok(Json::map(out))
}

fn merge_list(old: &[Json], patch: &[Json], item: &Shape, how: &Merge, order: Option<&[Json]>) -> Result<Json, Status> {
    let mut out = old.to_vec();
    match how {
        Merge::Atomic => {
            return Ok(Json::list(patch.iter().map(without_directive)));
        }
        Merge::Set => {
            for value in patch {
                if !out.contains(value) {
                    out.push(value.clone());
                }
            }
        }
        Merge::Keys(keys) => {
            let Some(key) = keys.first() else { return Ok(Json::list(patch.iter().cloned())) };
            if patch.iter().any(|p| p.get("$patch").and_then(Json::as_str) == Some("replace")) {
                let kept = patch.iter().filter(|p| p.get("$patch").is_none());
                return Ok(Json::list(kept.cloned()));
            }
            for change in patch {
                let Some(id) = change.get(key) else {
                    let text = format!("map: {} does not contain declared merge key: {key}", go_map(change));
                    return Err(Status::new(500, "", text));
                };
                let same = |x: &Json| x.get(key) == Some(id);
                match change.get("$patch").and_then(Json::as_str) {
                    Some("delete") => out.retain(|x| !same(x)),
                    _ => match out.iter().position(same) {
                        Some(at) => out[at] = merge(&out[at], change, item)?,
                        None => out.push(without_directive(&merge(&Json::Null, change, item)?)),
                    },
                }
            }
        }
    }
    Ok(Json::list(match order {
        Some(order) => reorder(out, old, order, how),
        None => out,
    }))
}

/// Puts items in the order that the patch gives; items it does not name keep their places relative to live ones.
fn reorder(items: Vec<Json>, live: &[Json], order: &[Json], how: &Merge) -> Vec<Json> {
    let id = |item: &Json| match how {
        Merge::Keys(keys) => keys.first().and_then(|key| item.get(key)).cloned().unwrap_or_default(),
        _ => item.clone(),
    };
    let wanted: Vec<Json> = order.iter().map(id).collect();
    let place = |item: &Json| wanted.iter().position(|w| *w == id(item));
    let (mut named, only_live): (Vec<Json>, Vec<Json>) = items.into_iter().partition(|item| place(item).is_some());
    base::order::sort_by_key(&mut named, |item| place(item));
    let live_at = |item: &Json| live.iter().position(|l| id(l) == id(item));
    let mut out = Vec::new();
    let mut rest = only_live.into_iter().peekable();
    for item in named {
        let here = live_at(&item);
        while rest.peek().is_some_and(|r| here.is_some_and(|here| live_at(r).is_some_and(|at| at < here))) {
            out.extend(rest.next());
        }
        out.push(item);
    }
    out.extend(rest);
    out
}

fn without_directive(item: &Json) -> Json {
    let mut item = item.clone();
    item.remove(&["$patch"]);
    item
}

/// A map as Go's `%v` prints it.
fn go_map(value: &Json) -> String {
    match value {
        Json::Map(members) => {
            let inner: Vec<String> = members.iter().map(|(k, v)| format!("{k}:{}", go_map(v))).collect();
            format!("map[{}]", inner.join(" "))
        }
        Json::List(items) => format!("[{}]", items.iter().map(go_map).collect::<Vec<_>>().join(" ")),
        Json::Str(text) => text.to_string(),
        Json::Null => "<nil>".to_string(),
        other => other.to_raw_text(),
    }
}
