//! The types of the built-in API: which fields exist, how they merge, and which are written even when empty. Read once
//! from a table; unknown kinds (custom resources) have no type and are treated as free-form.

use crate::quantity::{canonical, of_resource};
use base::SortedMap;
use base::{Json, Map};
use std::sync::OnceLock;

/// How deep objects may nest; deeper parts are taken as they are.
const DEPTH: usize = 64;

/// The shape of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Anything, owned whole.
    Any,
    /// A text.
    Text,
    /// A whole number.
    Int,
    /// A truth value.
    Bool,
    /// A quantity such as `100m`.
    Quantity,
    /// Quantities by name.
    Quantities,
    /// A number or a text.
    IntOrText,
    /// A time; `null` when zero.
    Time,
    /// An object of a custom resource's schema.
    Open {
        /// Its known members.
        members: SortedMap<String, Shape>,
        /// The shape of all others.
        rest: Option<Box<Shape>>,
        /// Owned whole.
        atomic: bool,
    },
    /// A map of scalars; owned by key unless `atomic`.
    Map {
        /// Owned whole.
        atomic: bool,
    },
    /// A struct.
    Struct {
        /// Name of its type.
        name: &'static str,
        /// Owned whole.
        atomic: bool,
    },
    /// A list.
    List {
        /// Shape of the items.
        item: Box<Shape>,
        /// How it merges.
        merge: Merge,
    },
}

/// How a list merges.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Merge {
    /// As a whole.
    Atomic,
    /// As a set of scalars.
    Set,
    /// By these keys; the first is that of strategic merge patches.
    Keys(Vec<String>),
}

/// One field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    /// Its shape.
    pub(crate) shape: Shape,
    /// Zero is kept (a Go pointer).
    pub(crate) pointer: bool,
    /// Written even when empty.
    pub(crate) always: bool,
    /// A strategic patch keeps only the keys it names.
    pub(crate) retain_keys: bool,
}

/// A struct type: field name → field.
pub(crate) type Type = SortedMap<&'static str, Field>;

/// The type with this name; kinds carry their own name.
pub(crate) fn type_of(name: &str) -> Option<&'static Type> {
    types().get(name)
}

/// The type of a built-in kind; `None` for custom resources and kinds without a table entry.
pub(crate) fn kind_type(kind: &str) -> Option<&'static Type> {
    type_of(kind).filter(|t| t.contains_key("metadata"))
}

/// The table's own copy of a kind's name.
pub(crate) fn static_name(kind: &str) -> Option<&'static str> {
    types().get_key_value(kind).map(|(name, _)| *name)
}

fn types() -> &'static SortedMap<&'static str, Type> {
    static TYPES: OnceLock<SortedMap<&'static str, Type>> = OnceLock::new();
    TYPES.get_or_init(|| {
        let lines = include_str!("schema.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        lines.map(read_type).collect()
    })
}

fn read_type(line: &'static str) -> (&'static str, Type) {
    let mut words = line.split(' ');
    let name = words.next().unwrap_or("");
    let mut fields = Type::new();
    for word in words {
        if let Some((field, text)) = word.split_once(':') {
            fields.insert(field, read_field(text));
        }
    }
    if fields.contains_key("metadata") {
        fields.entry("apiVersion").or_insert_with(|| read_field("s"));
        fields.entry("kind").or_insert_with(|| read_field("s"));
    }
    (name, fields)
}

fn read_field(mut text: &'static str) -> Field {
    let mut field = Field { shape: Shape::Any, pointer: false, always: false, retain_keys: false };
    if let Some(rest) = text.strip_prefix('*') {
        (field.pointer, text) = (true, rest);
    }
    if let Some(rest) = text.strip_suffix('^') {
        (field.retain_keys, text) = (true, rest);
    }
    if let Some(rest) = text.strip_suffix('!') {
        (field.always, text) = (true, rest);
    }
    field.shape = read_shape(text);
    field
}

fn read_shape(text: &'static str) -> Shape {
    if let Some((item, merge)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let merge = match merge.strip_prefix('@') {
            Some(keys) => Merge::Keys(keys.split(',').map(str::to_string).collect()),
            None if merge == "=" => Merge::Set,
            None => Merge::Atomic,
        };
        return Shape::List { item: Box::new(read_shape(item)), merge };
    }
    match text {
        "any" => Shape::Any,
        "s" => Shape::Text,
        "i" | "f" => Shape::Int,
        "b" => Shape::Bool,
        "q" => Shape::Quantity,
        "x" => Shape::IntOrText,
        "t" => Shape::Time,
        "M" => Shape::Map { atomic: false },
        "Mq" => Shape::Quantities,
        "MA" | "raw" => Shape::Map { atomic: true },
        name => match name.strip_suffix('~') {
            Some(name) => Shape::Struct { name, atomic: true },
            None => Shape::Struct { name, atomic: false },
        },
    }
}

/// An object as the server writes it back after decoding it into its Go type: unknown fields, nulls and empty optional
/// values are gone, fields that are always written are there. `unknown` receives the paths of unknown fields.
pub(crate) fn normalise(value: &Json, fields: &Type, path: &str, unknown: &mut Vec<String>) -> Json {
    struct_value(value, fields, path, unknown, 0)
}

/// An object of a built-in kind as its Go type writes it back, without what only that adds: quantities are canonical, empty
/// optional values are gone. An object with fields that the type does not know, or values that do not fit, stays as it is.
pub fn as_typed(object: &Json) -> Json {
    let kind = object.text_at(&["kind"]);
    let Some(fields) = kind_type(kind) else { return object.clone() };
    if crate::typed::mismatch(kind, object, fields).is_some() {
        return object.clone();
    }
    let mut unknown = Vec::new();
    let typed = normalise(object, fields, "", &mut unknown);
    if unknown.is_empty() { only(&typed, object, 0) } else { object.clone() }
}

/// `value` without the members that `wanted` has not.
fn only(value: &Json, wanted: &Json, depth: usize) -> Json {
    match (value, wanted) {
        (Json::Map(members), Json::Map(known)) if depth <= DEPTH => {
            let kept = members.iter().filter_map(|(key, item)| {
                let wanted = known.get(key)?;
                Some((key.clone(), only(item, wanted, depth + 1)))
            });
            Json::map(kept)
        }
        (Json::List(items), Json::List(known)) if items.len() == known.len() && depth <= DEPTH => {
            Json::list(items.iter().zip(known.iter()).map(|(item, wanted)| only(item, wanted, depth + 1)))
        }
        _ => value.clone(),
    }
}

fn struct_value(value: &Json, fields: &Type, path: &str, unknown: &mut Vec<String>, depth: usize) -> Json {
    let mut out = Map::new();
    if depth > DEPTH {
        return value.clone();
    }
    for (key, item) in value.as_map().into_iter().flatten() {
        let here = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        let Some(field) = fields.get(&**key) else {
            unknown.push(here);
            continue;
        };
        let kept = shape_value(item, &field.shape, &here, unknown, depth + 1);
        if !kept.is_null() && (field.pointer || field.always || !is_zero(&kept, &field.shape)) {
            out.insert(key.clone(), kept);
        }
    }
    for (name, field) in fields.iter().filter(|(_, field)| field.always) {
        if !out.contains_key(*name) {
            // A pointer that is always written is null while it points nowhere.
            let empty = if field.pointer { Json::Null } else { zero(&field.shape, depth) };
            out.insert((*name).into(), empty);
        }
    }
    Json::map(out)
}

fn shape_value(value: &Json, shape: &Shape, path: &str, unknown: &mut Vec<String>, depth: usize) -> Json {
    match (shape, value) {
        (Shape::Struct { name, .. }, Json::Map(_)) => match type_of(name) {
            Some(fields) => struct_value(value, fields, path, unknown, depth),
            None => value.clone(),
        },
        (Shape::List { item, .. }, Json::List(items)) => {
            let items = items.iter().enumerate();
            Json::list(items.map(|(i, x)| match x {
                // A null item decodes as the zero struct.
                Json::Null if matches!(**item, Shape::Struct { .. }) => zero(item, depth),
                x => shape_value(x, item, &format!("{path}[{i}]"), unknown, depth),
            }))
        }
        (Shape::Quantity, Json::Str(text)) => canonical(text).map_or_else(|| value.clone(), Json::str),
        (Shape::Quantity, Json::Int(_) | Json::Float(_)) => {
            canonical(&value.to_raw_text()).map_or_else(|| value.clone(), Json::str)
        }
        (Shape::Quantities, Json::Map(members)) => Json::map(members.iter().map(|(key, item)| {
            let text = match item {
                Json::Str(text) => text.to_string(),
                other => other.to_raw_text(),
            };
            (key.clone(), of_resource(&text).map_or_else(|| item.clone(), Json::str))
        })),
        _ => value.clone(),
    }
}

fn is_zero(value: &Json, shape: &Shape) -> bool {
    match value {
        Json::Null => true,
        Json::Str(text) => text.is_empty() && !matches!(shape, Shape::Any),
        Json::Int(n) => *n == 0 && matches!(shape, Shape::Int),
        Json::Bool(b) => !b && matches!(shape, Shape::Bool),
        Json::List(items) => items.is_empty() && matches!(shape, Shape::List { .. }),
        Json::Map(members) => members.is_empty() && matches!(shape, Shape::Map { .. } | Shape::Quantities),
        Json::Float(_) => false,
    }
}

/// The value of a field that is always written when nobody set it.
fn zero(shape: &Shape, depth: usize) -> Json {
    match shape {
        Shape::Text => Json::str(""),
        Shape::Quantity => Json::str("0"),
        Shape::Int | Shape::IntOrText => Json::Int(0),
        Shape::Bool => Json::Bool(false),
        Shape::Struct { name, .. } if depth <= DEPTH => match type_of(name) {
            Some(fields) => struct_value(&Json::Null, fields, "", &mut Vec::new(), depth + 1),
            None => Json::map::<&str>([]),
        },
        Shape::Struct { .. } => Json::map::<&str>([]),
        Shape::Any | Shape::Time | Shape::Map { .. } | Shape::Quantities | Shape::List { .. } | Shape::Open { .. } => {
            Json::Null
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_that_is_named_exists() {
        fn named(shape: &Shape) {
            match shape {
                Shape::Struct { name, .. } => assert!(type_of(name).is_some(), "{name}"),
                Shape::List { item, .. } => named(item),
                _ => {}
            }
        }
        types().values().flat_map(SortedMap::values).for_each(|field| named(&field.shape));
    }

    #[test]
    fn empty_and_unknown_fields_go() {
        let fields = kind_type("Deployment").expect("known");
        let value = Json::parse(r#"{"spec":{"replicas":0,"paused":false,"zzz":1,"selector":null}}"#).expect("json");
        let mut unknown = Vec::new();
        let kept = normalise(&value, fields, "", &mut unknown);
        assert_eq!(unknown, ["spec.zzz"]);
        assert_eq!(
            kept.to_text(),
            r#"{"metadata":{},"spec":{"replicas":0,"selector":null,"strategy":{},"template":{"metadata":{},"spec":{"containers":null}}},"status":{}}"#
        );
    }
}
