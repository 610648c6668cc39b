//! Sets of field paths (`fieldsV1`), and which fields differ between two states of an object.

use crate::schema::{Merge, Shape, Type, normalise, type_of};
use base::SortedMap;
use base::{Json, Map};
use std::rc::Rc;

/// A set of field paths as a tree. A node's own path is in the set when `member` is true.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FieldSet {
    /// This path itself is in the set.
    pub(crate) member: bool,
    /// Longer paths by their next element, spelled as in `fieldsV1` (`f:name`, `k:{…}`, `v:…`).
    pub(crate) children: SortedMap<Rc<str>, FieldSet>,
}

/// How deep field sets are read from requests.
const DEPTH: usize = 64;

impl FieldSet {
    pub(crate) fn is_empty(&self) -> bool {
        !self.member && self.children.values().all(FieldSet::is_empty)
    }

    /// Reads `fieldsV1`.
    pub(crate) fn read(value: &Json) -> FieldSet {
        fn node(value: &Json, depth: usize) -> FieldSet {
            let members = value.as_map().filter(|m| !m.is_empty());
            let mut out = FieldSet { member: members.is_none_or(|m| m.contains_key(".")), ..FieldSet::default() };
            for (key, item) in members.into_iter().flatten().filter(|(key, _)| &***key != "." && depth < DEPTH) {
                out.children.insert(key.clone(), node(item, depth + 1));
            }
            out
        }
        FieldSet { member: false, ..node(value, 0) }
    }

    /// Writes `fieldsV1`.
    pub(crate) fn write(&self) -> Json {
        let mut out = Map::new();
        for (key, child) in &self.children {
            if !child.is_empty() {
                out.insert(key.clone(), child.write());
            }
        }
        if self.member && !out.is_empty() {
            out.insert(".".into(), Json::map::<&str>([]));
        }
        Json::map(out)
    }

    /// Adds the paths of `other`.
    pub(crate) fn add(&mut self, other: &FieldSet) {
        self.member |= other.member;
        for (key, child) in &other.children {
            self.children.entry(key.clone()).or_default().add(child);
        }
    }

    /// Takes away the paths of `other`.
    pub(crate) fn subtract(&mut self, other: &FieldSet) {
        self.member &= !other.member;
        for (key, child) in &other.children {
            if let Some(mine) = self.children.get_mut(key) {
                mine.subtract(child);
            }
        }
        self.children.retain(|_, child| !child.is_empty());
    }

    /// The paths in both.
    pub(crate) fn both(&self, other: &FieldSet) -> FieldSet {
        let mut out = FieldSet { member: self.member && other.member, ..FieldSet::default() };
        for (key, child) in &self.children {
            if let Some(theirs) = other.children.get(key) {
                let common = child.both(theirs);
                if !common.is_empty() {
                    out.children.insert(key.clone(), common);
                }
            }
        }
        out
    }

    /// All paths as people read them (`.spec.replicas`, `.spec.containers[name="c"].image`), in order.
    pub(crate) fn paths(&self) -> Vec<String> {
        fn walk(set: &FieldSet, path: &str, out: &mut Vec<String>) {
            if set.member {
                out.push(path.to_string());
            }
            for (key, child) in &set.children {
                walk(child, &format!("{path}{}", spoken(key)), out);
            }
        }
        let mut out = Vec::new();
        walk(self, "", &mut out);
        out
    }

    /// Takes away what no manager ever owns: type, identity and what the server keeps.
    pub(crate) fn strip_identity(&mut self) {
        self.children.remove("f:apiVersion");
        self.children.remove("f:kind");
        if let Some(metadata) = self.children.get_mut("f:metadata") {
            metadata.member = false;
            for name in [
                "name",
                "namespace",
                "creationTimestamp",
                "selfLink",
                "uid",
                "generation",
                "managedFields",
                "resourceVersion",
            ] {
                metadata.children.remove(format!("f:{name}").as_str());
            }
        }
        self.children.retain(|_, child| !child.is_empty());
    }

    /// The paths that an applied object sets.
    pub(crate) fn of(value: &Json, shape: &Shape) -> FieldSet {
        let mut out = FieldSet::default();
        out.collect(value, shape);
        out
    }

    fn collect(&mut self, value: &Json, shape: &Shape) {
        match granular(value, shape) {
            Parts::Whole => self.member = true,
            Parts::Fields(members) => {
                for (key, item) in members {
                    self.children.entry(format!("f:{key}").into()).or_default().collect(item, &child_shape(shape, key));
                }
            }
            Parts::Items(items) => {
                for (key, item) in items {
                    let child = self.children.entry(key).or_default();
                    if let Shape::List { item: inner, .. } = shape {
                        child.collect(item, inner);
                    }
                    child.member = true;
                }
            }
        }
    }
}

fn spoken(element: &str) -> String {
    match element.split_once(':') {
        Some(("f", name)) => format!(".{name}"),
        Some(("k", keys)) => {
            let keys = Json::parse(keys).unwrap_or_default();
            let shown = keys.as_map().into_iter().flatten().map(|(k, v)| format!("{k}={}", v.to_raw_text()));
            format!("[{}]", shown.collect::<Vec<_>>().join(","))
        }
        Some(("v", value)) => format!("[={value}]"),
        _ => format!("[{element}]"),
    }
}

/// A value's parts as ownership sees them.
pub(crate) enum Parts<'a> {
    /// Owned as one.
    Whole,
    /// Fields of a struct or keys of a map.
    Fields(&'a Map),
    /// Items of a keyed list or a set, by path element.
    Items(Vec<(Rc<str>, &'a Json)>),
}

/// Splits a value by its shape; empty collections are owned whole.
pub(crate) fn granular<'a>(value: &'a Json, shape: &Shape) -> Parts<'a> {
    match (shape, value) {
        (Shape::Struct { atomic: true, .. } | Shape::Map { atomic: true } | Shape::Open { atomic: true, .. }, _) => {
            Parts::Whole
        }
        (
            Shape::Struct { .. } | Shape::Map { .. } | Shape::Quantities | Shape::Open { .. } | Shape::Any,
            Json::Map(members),
        ) if !members.is_empty() => Parts::Fields(members),
        (Shape::List { merge, .. }, Json::List(items)) if *merge != Merge::Atomic && !items.is_empty() => {
            Parts::Items(items.iter().map(|item| (element(item, merge), item)).collect())
        }
        _ => Parts::Whole,
    }
}

/// The path element of a list item.
pub(crate) fn element(item: &Json, merge: &Merge) -> Rc<str> {
    match merge {
        Merge::Keys(keys) => {
            let default = |key: &String| if key == "protocol" { Json::str("TCP") } else { Json::Null };
            let members = keys.iter().map(|key| (key.as_str(), item.get(key).cloned().unwrap_or_else(|| default(key))));
            format!("k:{}", Json::map(members.filter(|(_, v)| !v.is_null())).to_raw_text()).into()
        }
        _ => format!("v:{}", item.to_raw_text()).into(),
    }
}

/// The shape of a member of a struct or map.
pub(crate) fn child_shape(shape: &Shape, key: &str) -> Shape {
    match shape {
        Shape::Struct { name, .. } => {
            type_of(name).and_then(|t| t.get(key)).map_or(Shape::Any, |field| field.shape.clone())
        }
        Shape::Map { .. } => Shape::Text,
        Shape::Quantities => Shape::Quantity,
        Shape::Open { members, rest, .. } => {
            members.get(key).cloned().or_else(|| rest.as_deref().cloned()).unwrap_or(Shape::Any)
        }
        _ => Shape::Any,
    }
}

/// What differs between two states.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Difference {
    /// New or changed paths.
    pub(crate) changed: FieldSet,
    /// Paths that are gone.
    pub(crate) removed: FieldSet,
}

/// Compares two states of an object of a kind; `Null` stands for an object that does not exist yet.
pub(crate) fn compare(old: &Json, new: &Json, shape: &Shape, fields: Option<&Type>) -> Difference {
    // A kind with a Go type starts as its zero value, so that structs inside are not new when they first get fields.
    let zero;
    let old = match fields {
        Some(fields) if old.is_null() => {
            zero = normalise(&Json::Null, fields, "", &mut Vec::new());
            &zero
        }
        _ => old,
    };
    let (mut changed, mut removed) = (FieldSet::default(), FieldSet::default());
    walk(Some(old), Some(new), shape, &mut changed, &mut removed);
    changed.strip_identity();
    removed.strip_identity();
    (changed.member, removed.member) = (false, false);
    Difference { changed, removed }
}

/// The shape of a whole object of a kind.
pub(crate) fn root_shape(kind: &str, typed: bool) -> Shape {
    match crate::schema::static_name(kind) {
        Some(name) if typed => Shape::Struct { name, atomic: false },
        _ => Shape::Any,
    }
}

fn walk(old: Option<&Json>, new: Option<&Json>, shape: &Shape, changed: &mut FieldSet, removed: &mut FieldSet) {
    if old == new {
        return;
    }
    let parts = |value: Option<&Json>| -> Option<SortedMap<Rc<str>, Json>> {
        match value {
            None | Some(Json::Null) => Some(SortedMap::new()),
            Some(value) => match granular(value, shape) {
                Parts::Fields(members) => {
                    Some(members.iter().map(|(k, v)| (format!("f:{k}").into(), v.clone())).collect())
                }
                Parts::Items(items) => Some(items.into_iter().map(|(k, v)| (k, v.clone())).collect()),
                Parts::Whole if is_empty(value) && !atomic(shape) => Some(SortedMap::new()),
                Parts::Whole => None,
            },
        }
    };
    let (Some(before), Some(after)) = (parts(old), parts(new)) else {
        match new {
            None | Some(Json::Null) => removed.member = true,
            Some(_) => changed.member = true,
        }
        // A collection that became a scalar or the other way round loses its old parts.
        return;
    };
    for key in before.keys().chain(after.keys().filter(|key| !before.contains_key(*key))) {
        let (was, is) = (before.get(key), after.get(key));
        if was == is {
            continue;
        }
        let inner = match (shape, key.strip_prefix("f:")) {
            (Shape::List { item, .. }, _) => (**item).clone(),
            (_, Some(name)) => child_shape(shape, name),
            _ => Shape::Any,
        };
        let (mut more, mut less) = (FieldSet::default(), FieldSet::default());
        walk(was, is, &inner, &mut more, &mut less);
        more.member |= was.is_none() && is.is_some_and(|v| !v.is_null());
        less.member |= is.is_none() && was.is_some_and(|v| !v.is_null());
        if !more.is_empty() {
            changed.children.entry(key.clone()).or_default().add(&more);
        }
        if !less.is_empty() {
            removed.children.entry(key.clone()).or_default().add(&less);
        }
    }
}

fn atomic(shape: &Shape) -> bool {
    matches!(shape, Shape::Struct { atomic: true, .. } | Shape::Map { atomic: true } | Shape::Open { atomic: true, .. })
        || matches!(shape, Shape::List { merge: Merge::Atomic, .. })
}

fn is_empty(value: &Json) -> bool {
    value.as_map().is_some_and(|m| m.is_empty()) || value.as_list().is_some_and(<[Json]>::is_empty)
}
