//! Values with the places they were written at: what Helm's values files become.

use base::{Json, Span};
use std::rc::Rc;

/// A value, where it stands, and where the key that names it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The value.
    pub json: LocatedValue,
    /// The text of the value. For an alias this is the alias itself; what is inside keeps its own place.
    pub span: Span,
    /// The text of its key, when it is a member of a mapping.
    pub key_span: Option<Span>,
}

/// A JSON-like value whose parts are [`Located`].
#[derive(Clone, Debug, PartialEq)]
pub enum LocatedValue {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number within 64 bits signed.
    Int(i64),
    /// Any other number; whole numbers above `i64::MAX` too.
    Float(f64),
    /// A text.
    Str(Rc<str>),
    /// A list.
    List(Vec<Located>),
    /// An object, sorted by key as bytes, each key once.
    Map(Vec<(Rc<str>, Located)>),
}

impl Located {
    /// The same without places.
    pub fn to_json(&self) -> Json {
        match &self.json {
            LocatedValue::Null => Json::Null,
            LocatedValue::Bool(b) => Json::Bool(*b),
            LocatedValue::Int(n) => Json::Int(*n),
            LocatedValue::Float(f) => Json::Float(*f),
            LocatedValue::Str(s) => Json::Str(s.clone()),
            LocatedValue::List(items) => Json::list(items.iter().map(Located::to_json)),
            LocatedValue::Map(members) => Json::map(members.iter().map(|(k, v)| (k.clone(), v.to_json()))),
        }
    }

    /// The same without places, using up the value.
    pub fn into_json(self) -> Json {
        match self.json {
            LocatedValue::List(items) => Json::list(items.into_iter().map(Located::into_json)),
            LocatedValue::Map(members) => Json::map(members.into_iter().map(|(key, value)| (key, value.into_json()))),
            LocatedValue::Str(text) => Json::Str(text),
            _ => self.to_json(),
        }
    }

    /// The member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Located> {
        match &self.json {
            LocatedValue::Map(members) => members.binary_search_by(|(k, _)| (**k).cmp(key)).ok().map(|i| &members[i].1),
            _ => None,
        }
    }

    /// The text that `sigs.k8s.io/yaml` hands to a field of type string when this scalar stands there: numbers
    /// print in Go's shortest form for 32 bits (`1.10` gives `1.1`), truth values as `true` and `false`.
    /// None for null and for collections, which such a field refuses or leaves alone.
    pub fn string_for_field(&self) -> Option<String> {
        match &self.json {
            LocatedValue::Bool(b) => Some(b.to_string()),
            LocatedValue::Int(n) => Some(n.to_string()),
            LocatedValue::Float(f) => Some(crate::number::go_g32(*f)),
            LocatedValue::Str(s) => Some(s.to_string()),
            _ => None,
        }
    }
}
