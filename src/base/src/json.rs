//! The immutable tree that APIs and simulations hold: shared, cheap to clone, whole numbers and floats apart.
//! Printing follows Go's `encoding/json`.

use crate::{SortedMap, gojson};
use std::fmt::Write;
use std::rc::Rc;

/// The members of an object, sorted by key as bytes, which is how Go prints them.
pub type Map = SortedMap<Rc<str>, Json>;

/// A JSON value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that was written as one.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Str(Rc<str>),
    /// A list.
    List(Rc<Vec<Json>>),
    /// An object.
    Map(Rc<Map>),
}

impl Json {
    /// A text value.
    pub fn str(text: impl Into<Rc<str>>) -> Json {
        Json::Str(text.into())
    }

    /// A list value.
    pub fn list(items: impl IntoIterator<Item = Json>) -> Json {
        Json::List(Rc::new(items.into_iter().collect()))
    }

    /// An object value.
    pub fn map<K: Into<Rc<str>>>(members: impl IntoIterator<Item = (K, Json)>) -> Json {
        Json::Map(Rc::new(members.into_iter().map(|(k, v)| (k.into(), v)).collect()))
    }

    /// The member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_map()?.get(key)
    }

    /// The value at a path of object keys (`["spec", "replicas"]`).
    pub fn at(&self, path: &[&str]) -> Option<&Json> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The text at a path of object keys, or `""`.
    pub fn text_at(&self, path: &[&str]) -> &str {
        self.at(path).and_then(Json::as_str).unwrap_or("")
    }

    /// The whole number at a path of object keys.
    pub fn int_at(&self, path: &[&str]) -> Option<i64> {
        self.at(path).and_then(Json::as_int)
    }

    /// The items of the list at a path of object keys; empty when there is none.
    pub fn items_at(&self, path: &[&str]) -> &[Json] {
        self.at(path).and_then(Json::as_list).unwrap_or(&[])
    }

    /// The text, when it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number, when it is one (a float without fraction counts).
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Json::Int(n) => Some(*n),
            Json::Float(f) if f.fract() == 0.0 && f.abs() < 9.2e18 => Some(*f as i64),
            _ => None,
        }
    }

    /// The truth value, when it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The items, when it is a list.
    pub fn as_list(&self) -> Option<&[Json]> {
        match self {
            Json::List(items) => Some(items),
            _ => None,
        }
    }

    /// The members, when it is an object.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Json::Map(members) => Some(members),
            _ => None,
        }
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// Sets the value at a path of object keys, making objects on the way; other branches stay shared.
    pub fn set(&mut self, path: &[&str], value: Json) {
        let Some((first, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        if !matches!(self, Json::Map(_)) {
            *self = Json::Map(Rc::default());
        }
        if let Json::Map(members) = self {
            Rc::make_mut(members).entry(Rc::from(*first)).or_default().set(rest, value);
        }
    }

    /// Removes the value at a path of object keys and returns it.
    pub fn remove(&mut self, path: &[&str]) -> Option<Json> {
        let (first, rest) = path.split_first()?;
        let Json::Map(members) = self else { return None };
        members.get(*first)?;
        let members = Rc::make_mut(members);
        if rest.is_empty() { members.remove(*first) } else { members.get_mut(*first)?.remove(rest) }
    }

    /// The value as one line, keys sorted, as Go's `json.Marshal` prints it (`<`, `>`, `&` escaped).
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        write_json(&mut out, self, true);
        out
    }

    /// The same without escaping `<`, `>` and `&`.
    pub fn to_raw_text(&self) -> String {
        let mut out = String::new();
        write_json(&mut out, self, false);
        out
    }

    /// Reads JSON text. Whole numbers that fit 64 signed bits become [`Json::Int`], all others floats. The error is
    /// what Go's `encoding/json` says.
    pub fn parse(text: &str) -> Result<Json, String> {
        match gojson::parse(text.as_bytes())? {
            (value, None) => Ok(value),
            (_, Some(error)) => Err(error),
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::str(text)
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::str(text)
    }
}

impl From<i64> for Json {
    fn from(n: i64) -> Json {
        Json::Int(n)
    }
}

impl From<bool> for Json {
    fn from(b: bool) -> Json {
        Json::Bool(b)
    }
}

impl<'de> serde::Deserialize<'de> for Json {
    fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Json, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Json;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a JSON value")
            }
            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }
            fn visit_none<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }
            fn visit_bool<E>(self, b: bool) -> Result<Json, E> {
                Ok(Json::Bool(b))
            }
            fn visit_i64<E>(self, n: i64) -> Result<Json, E> {
                Ok(Json::Int(n))
            }
            fn visit_u64<E>(self, n: u64) -> Result<Json, E> {
                Ok(i64::try_from(n).map(Json::Int).unwrap_or(Json::Float(n as f64)))
            }
            fn visit_f64<E>(self, n: f64) -> Result<Json, E> {
                Ok(Json::Float(n))
            }
            fn visit_str<E>(self, s: &str) -> Result<Json, E> {
                Ok(Json::str(s))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Json::List(Rc::new(items)))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
                let mut members: Vec<(Rc<str>, Json)> = Vec::new();
                while let Some((key, value)) = access.next_entry::<String, Json>()? {
                    members.push((key.into(), value));
                }
                Ok(Json::Map(Rc::new(members.into())))
            }
        }
        // Formats that do not say what comes next carry the text.
        if !reader.is_human_readable() {
            let text = <String as serde::Deserialize>::deserialize(reader)?;
            return Json::parse(&text).map_err(serde::de::Error::custom);
        }
        reader.deserialize_any(Visitor)
    }
}

impl serde::Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        if !writer.is_human_readable() {
            return writer.serialize_str(&self.to_raw_text());
        }
        match self {
            Json::Null => writer.serialize_unit(),
            Json::Bool(b) => writer.serialize_bool(*b),
            Json::Int(n) => writer.serialize_i64(*n),
            Json::Float(n) => writer.serialize_f64(*n),
            Json::Str(s) => writer.serialize_str(s),
            Json::List(items) => writer.collect_seq(items.iter()),
            Json::Map(members) => writer.collect_map(members.iter()),
        }
    }
}

/// A float as Go's `encoding/json` prints it: shortest digits, exponent below 1e-6 and from 1e21 on.
pub fn float_text(f: f64) -> String {
    if !f.is_finite() {
        return "null".to_string();
    }
    let abs = f.abs();
    if abs != 0.0 && !(1e-6..1e21).contains(&abs) {
        let text = format!("{f:e}");
        let (digits, exp) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exp) = exp.strip_prefix('-').map_or(('+', exp), |e| ('-', e));
        // Go's shortest form has two exponent digits; the JSON encoder then drops the zero of a negative one (1e-07).
        return if sign == '-' { format!("{digits}e-{exp}") } else { format!("{digits}e+{exp:0>2}") };
    }
    format!("{f}")
}

/// Appends `text` as a JSON string literal, as Go writes it.
pub fn write_string(out: &mut String, text: &str, escape_html: bool) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' if escape_html => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

fn write_json(out: &mut String, value: &Json, escape_html: bool) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Json::Int(n) => {
            let _ = write!(out, "{n}");
        }
        Json::Float(f) => out.push_str(&float_text(*f)),
        Json::Str(s) => write_string(out, s, escape_html),
        Json::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_json(out, item, escape_html);
            }
            out.push(']');
        }
        Json::Map(members) => {
            out.push('{');
            for (i, (key, item)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(out, key, escape_html);
                out.push(':');
                write_json(out, item, escape_html);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_go_does() {
        let text = r#"{"b":[1,2.5,1e21,1e-7,"<x>"],"a":null}"#;
        let value = Json::parse(text).expect("valid");
        assert_eq!(value.to_text(), r#"{"a":null,"b":[1,2.5,1e+21,1e-7,"\u003cx\u003e"]}"#);
    }

    #[test]
    fn set_makes_objects_on_the_way() {
        let mut value = Json::Null;
        value.set(&["spec", "replicas"], Json::Int(3));
        assert_eq!(value.int_at(&["spec", "replicas"]), Some(3));
        assert_eq!(value.remove(&["spec", "replicas"]), Some(Json::Int(3)));
        assert_eq!(value.to_text(), r#"{"spec":{}}"#);
    }
}
