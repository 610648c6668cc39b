//! JSON documents for validation: schemas as they are written, values as they are merged. Numbers keep their digits,
//! since messages repeat a schema's numbers as its author wrote them.

use super::number::Number;
use crate::values::{Data, TableRef, Value};
use base::SortedMap;
use base::gojson::{self, Tree};
use std::rc::Rc;

/// A JSON value.
#[derive(Clone, Debug)]
pub(crate) enum Doc {
    Null,
    Bool(bool),
    /// The digits as written.
    Num(Rc<str>),
    Str(Rc<str>),
    List(Rc<Vec<Doc>>),
    Map(Rc<SortedMap<Rc<str>, Doc>>),
}

impl Tree for Doc {
    fn null() -> Doc {
        Doc::Null
    }

    fn bool(b: bool) -> Doc {
        Doc::Bool(b)
    }

    fn number(text: &str) -> Result<Doc, String> {
        Ok(Doc::Num(text.into()))
    }

    fn text(text: String) -> Doc {
        Doc::Str(text.into())
    }

    fn list(items: Vec<Doc>) -> Doc {
        Doc::List(Rc::new(items))
    }

    fn map(members: SortedMap<Rc<str>, Doc>) -> Doc {
        Doc::Map(Rc::new(members))
    }
}

impl Doc {
    /// Reads a document. The error is Go's text.
    pub(crate) fn parse(text: &[u8]) -> Result<Doc, String> {
        gojson::decode(text)
    }

    /// A table of values.
    pub(crate) fn of_table(table: &TableRef) -> Doc {
        let table = table.borrow();
        Doc::Map(Rc::new(table.entries.iter().map(|(key, value)| (key.clone(), Doc::of_value(value))).collect()))
    }

    fn of_value(value: &Value) -> Doc {
        match &value.data {
            Data::Null => Doc::Null,
            Data::Bool(b) => Doc::Bool(*b),
            Data::Int(n) => Doc::Num(n.to_string().into()),
            Data::Float(f) => Doc::Num(format!("{f:e}").into()),
            Data::Str(bytes) => Doc::Str(String::from_utf8_lossy(bytes).into()),
            Data::List(items) => Doc::List(Rc::new(items.iter().map(Doc::of_value).collect())),
            Data::Map(table) => Doc::of_table(table),
        }
    }

    /// The member of an object.
    pub(crate) fn get(&self, key: &str) -> Option<&Doc> {
        self.as_map()?.get(key)
    }

    /// The members, when it is an object.
    pub(crate) fn as_map(&self) -> Option<&SortedMap<Rc<str>, Doc>> {
        match self {
            Doc::Map(members) => Some(members),
            _ => None,
        }
    }

    /// The items, when it is an array.
    pub(crate) fn as_list(&self) -> Option<&[Doc]> {
        match self {
            Doc::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text, when it is one.
    pub(crate) fn as_str(&self) -> Option<&Rc<str>> {
        match self {
            Doc::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, when it is one.
    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Doc::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The number, when it is one that can be computed with.
    pub(crate) fn as_number(&self) -> Option<Number> {
        match self {
            Doc::Num(text) => Number::parse(text),
            _ => None,
        }
    }

    /// Equality of JSON values: numbers by what they are worth.
    pub(crate) fn same(&self, other: &Doc) -> bool {
        match (self, other) {
            (Doc::Null, Doc::Null) => true,
            (Doc::Bool(a), Doc::Bool(b)) => a == b,
            (Doc::Str(a), Doc::Str(b)) => a == b,
            (Doc::Num(a), Doc::Num(b)) => {
                let (a, b) = (Number::parse(a), Number::parse(b));
                a.zip(b).is_some_and(|(a, b)| a.compare(&b).is_eq())
            }
            (Doc::List(a), Doc::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.same(b)),
            (Doc::Map(a), Doc::Map(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|((k, a), (l, b))| k == l && a.same(b))
            }
            _ => false,
        }
    }
}

/// The first item that equals an earlier one, after that one.
pub(crate) fn duplicates(items: &[Doc]) -> Option<(usize, usize)> {
    // Long lists are sorted into equal texts first; what is equal has equal keys.
    let mut seen: SortedMap<String, Vec<usize>> = SortedMap::new();
    for (i, item) in items.iter().enumerate() {
        let bucket = seen.entry(key(item)).or_default();
        if let Some(&j) = bucket.iter().find(|&&j| items[j].same(item)) {
            return Some((j, i));
        }
        bucket.push(i);
    }
    None
}

/// A text that is equal for equal values; cheap, not exact.
fn key(item: &Doc) -> String {
    match item {
        Doc::Num(_) => item.as_number().map(|n| n.shown()).unwrap_or_default(),
        Doc::Str(text) => format!("\"{text}"),
        Doc::List(items) => format!("[{}", items.iter().map(key).collect::<Vec<_>>().join(",")),
        Doc::Map(members) => {
            let member = |(name, value): (&Rc<str>, &Doc)| format!("{name}:{}", key(value));
            format!("{{{}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
        Doc::Null => "null".into(),
        Doc::Bool(b) => b.to_string(),
    }
}
