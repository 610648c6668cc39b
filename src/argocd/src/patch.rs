//! JSON merge patches (RFC 7386), by which Argo CD writes an Application's status.

use base::{Json, Map};
use std::rc::Rc;

/// The merge patch from `old` to `new`; an empty object when they are equal.
pub(crate) fn between(old: &Json, new: &Json) -> Json {
    let (Some(before), Some(after)) = (old.as_map(), new.as_map()) else {
        return new.clone();
    };
    let mut patch = Map::new();
    for key in before.keys().filter(|k| !after.contains_key(*k)) {
        patch.insert(key.clone(), Json::Null);
    }
    for (key, value) in after {
        match before.get(key) {
            Some(same) if same == value => {}
            Some(was) if was.as_map().is_some() && value.as_map().is_some() => {
                patch.insert(key.clone(), between(was, value));
            }
            _ => {
                patch.insert(key.clone(), value.clone());
            }
        }
    }
    Json::Map(Rc::new(patch))
}

/// `target` after the merge patch: null removes, objects merge, anything else replaces.
pub(crate) fn merged(target: &Json, patch: &Json) -> Json {
    let Some(changes) = patch.as_map() else { return patch.clone() };
    let mut out = target.as_map().cloned().unwrap_or_default();
    for (key, change) in changes {
        if change.is_null() {
            out.remove(key);
        } else {
            let next = merged(out.get(key).unwrap_or(&Json::Null), change);
            out.insert(key.clone(), next);
        }
    }
    Json::Map(Rc::new(out))
}

/// True for a patch that changes nothing.
pub(crate) fn is_empty(patch: &Json) -> bool {
    patch.as_map().is_some_and(|m| m.is_empty())
}

/// The value without empty texts, objects, lists and nulls that Go's `omitempty` would leave out, at the top level
/// only.
pub(crate) fn without_empty(members: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Json::map(members.into_iter().filter(|(_, v)| match v {
        Json::Null => false,
        Json::Str(s) => !s.is_empty(),
        Json::List(l) => !l.is_empty(),
        Json::Map(m) => !m.is_empty(),
        Json::Bool(b) => *b,
        Json::Int(n) => *n != 0,
        Json::Float(_) => true,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_leads_from_old_to_new() {
        let read = |t: &str| Json::parse(t).unwrap();
        let (old, new) = (read(r#"{"a":1,"b":{"c":2,"d":3}}"#), read(r#"{"b":{"c":4},"e":[1]}"#));
        let patch = between(&old, &new);
        assert_eq!(patch.to_text(), r#"{"a":null,"b":{"c":4,"d":null},"e":[1]}"#);
        assert_eq!(merged(&old, &patch), new);
        assert!(is_empty(&between(&new, &new)));
    }
}
