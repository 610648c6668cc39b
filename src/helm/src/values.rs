//! Values with their origins. A tree of values as Helm holds it while it merges: tables are shared and changed in place
//! (Helm's own merge leaks changes between shared tables, and charts depend on it), and every node knows the layer and
//! the place it came from and which claims it beat.

use base::{Claim, Fate, Json, Layer, Origin, Place, Span};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

/// Nested tables and lists that a value may have. Deeper ones are refused when they are read, so that copying,
/// comparing and dropping trees stays within a small native stack.
pub const DEPTH: usize = 512;

/// A shared table.
pub type TableRef = Rc<RefCell<Table>>;

/// The members of a table and what is known of members that were removed.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Members by key, sorted by bytes.
    pub entries: BTreeMap<Rc<str>, Value>,
    /// Claims on keys that a stronger layer's null removed.
    pub removed: BTreeMap<Rc<str>, Vec<Loss>>,
}

/// What a value is, in Go's terms.
#[derive(Clone, Debug, Default)]
pub enum Data {
    /// `nil`.
    #[default]
    Null,
    /// `bool`.
    Bool(bool),
    /// `int64`: only `--set` makes these; numbers of files are floats.
    Int(i64),
    /// `float64`.
    Float(f64),
    /// `string`: bytes, as `--set-file` may read any file.
    Str(Rc<[u8]>),
    /// `[]interface {}`.
    List(Rc<Vec<Value>>),
    /// `map[string]interface {}`.
    Map(TableRef),
}

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The layer that set it.
    pub layer: Rc<Layer>,
    /// Place in the layer's file or text; empty when there is none.
    pub span: Span,
}

/// A claim that lost.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The value that was claimed.
    pub value: Value,
    /// Why it is not the effective one.
    pub fate: Fate,
}

/// One node.
#[derive(Clone, Debug, Default)]
pub struct Value {
    /// The value itself.
    pub data: Data,
    /// Who set it; `None` for what Helm makes up.
    pub source: Option<Source>,
    /// The claims it beat, weakest first.
    pub losers: Option<Rc<Vec<Loss>>>,
}

impl Value {
    /// A value of `data` set by `source`.
    pub fn new(data: Data, source: Option<Source>) -> Value {
        Value { data, source, losers: None }
    }

    /// A text value.
    pub fn text(text: &str, source: Option<Source>) -> Value {
        Value::new(Data::Str(Rc::from(text.as_bytes())), source)
    }

    /// A table value.
    pub fn table(table: Table, source: Option<Source>) -> Value {
        Value::new(Data::Map(Rc::new(RefCell::new(table))), source)
    }

    /// The table, when it is one.
    pub fn as_table(&self) -> Option<&TableRef> {
        match &self.data {
            Data::Map(table) => Some(table),
            _ => None,
        }
    }

    /// True for nil.
    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// The text, when it is one and is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::Str(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// A copy that shares no table with the original.
    pub fn deep_copy(&self) -> Value {
        let data = match &self.data {
            Data::List(items) => Data::List(Rc::new(items.iter().map(Value::deep_copy).collect())),
            Data::Map(table) => Data::Map(deep_copy(table)),
            other => other.clone(),
        };
        Value { data, source: self.source.clone(), losers: self.losers.clone() }
    }

    /// Takes over a beaten claim and whatever that claim had beaten before. A claim by the same writing (values are
    /// merged more than once) is recorded once.
    pub fn beat(&mut self, loser: &Value, fate: Fate) {
        let stronger = self.losers.take().map(Rc::unwrap_or_clone).unwrap_or_default();
        let mut losers = Vec::new();
        let earlier = loser.losers.iter().flat_map(|list| list.iter()).cloned();
        let bare = Loss { value: Value { losers: None, ..loser.clone() }, fate };
        for loss in earlier.chain([bare]) {
            // A claim that is known keeps its place among the stronger ones.
            if !stronger.iter().any(|known| known.value.source == loss.value.source) {
                push_loss(&mut losers, &self.source, loss);
            }
        }
        losers.extend(stronger);
        if !losers.is_empty() {
            self.losers = Some(Rc::new(losers));
        }
    }

    /// The origin, when the value was written by someone.
    pub fn origin(&self) -> Option<Origin> {
        self.source.as_ref().map(Source::origin)
    }

    /// All claims on this value, winner first, then the losers from strongest to weakest.
    pub fn claims(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        claims.extend(self.claim(Fate::Won));
        for loss in self.losers.iter().flat_map(|list| list.iter().rev()) {
            claims.extend(loss.value.claim(loss.fate.clone()));
        }
        claims
    }

    /// This value as a claim with the given fate; `None` when nobody wrote it.
    pub fn claim(&self, fate: Fate) -> Option<Claim> {
        Some(Claim { origin: self.origin()?, value: short_text(&self.to_json()), fate })
    }

    /// The value as JSON; bytes that are not UTF-8 become U+FFFD.
    pub fn to_json(&self) -> Json {
        match &self.data {
            Data::Null => Json::Null,
            Data::Bool(b) => Json::Bool(*b),
            Data::Int(n) => Json::Int(*n),
            // Whole floats print without a fraction in JSON and in YAML alike, so they may as well be whole numbers.
            Data::Float(f) if f.fract() == 0.0 && f.abs() < 9e15 => Json::Int(*f as i64),
            Data::Float(f) => Json::Float(*f),
            Data::Str(bytes) => Json::str(String::from_utf8_lossy(bytes).as_ref()),
            Data::List(items) => Json::list(items.iter().map(Value::to_json)),
            Data::Map(table) => {
                Json::map(table.borrow().entries.iter().map(|(key, value)| (key.clone(), value.to_json())))
            }
        }
    }

    /// A tree whose every node has the same source. `None` when it is nested too deeply.
    pub fn from_json(json: &Json, source: &Option<Source>, float_numbers: bool) -> Option<Value> {
        fn go(json: &Json, source: &Option<Source>, floats: bool, depth: usize) -> Option<Value> {
            if depth > DEPTH {
                return None;
            }
            let data = match json {
                Json::Null => Data::Null,
                Json::Bool(b) => Data::Bool(*b),
                Json::Int(n) if floats => Data::Float(*n as f64),
                Json::Int(n) => Data::Int(*n),
                Json::Float(f) => Data::Float(*f),
                Json::Str(text) => Data::Str(Rc::from(text.as_bytes())),
                Json::List(items) => {
                    let items: Option<Vec<Value>> =
                        items.iter().map(|item| go(item, source, floats, depth + 1)).collect();
                    Data::List(Rc::new(items?))
                }
                Json::Map(members) => {
                    let mut table = Table::default();
                    for (key, member) in members.iter() {
                        table.entries.insert(key.clone(), go(member, source, floats, depth + 1)?);
                    }
                    return Some(Value::table(table, source.clone()));
                }
            };
            Some(Value::new(data, source.clone()))
        }
        go(json, source, float_numbers, 0)
    }

    /// The value at a path of keys, when tables lead there.
    pub fn at(&self, path: &[&str]) -> Option<Value> {
        let Some((first, rest)) = path.split_first() else { return Some(self.clone()) };
        let next = self.as_table()?.borrow().entries.get(*first).cloned()?;
        next.at(rest)
    }

    /// Go's `%v` of the value.
    pub fn go_text(&self) -> String {
        let mut out = String::new();
        self.write_go(&mut out);
        out
    }

    fn write_go(&self, out: &mut String) {
        match &self.data {
            Data::Null => out.push_str("<nil>"),
            Data::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Data::Int(n) => {
                let _ = write!(out, "{n}");
            }
            Data::Float(f) => out.push_str(&go_float(*f)),
            Data::Str(bytes) => out.push_str(&String::from_utf8_lossy(bytes)),
            Data::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(' ');
                    }
                    item.write_go(out);
                }
                out.push(']');
            }
            Data::Map(table) => {
                out.push_str("map[");
                for (i, (key, item)) in table.borrow().entries.iter().enumerate() {
                    if i > 0 {
                        out.push(' ');
                    }
                    let _ = write!(out, "{key}:");
                    item.write_go(out);
                }
                out.push(']');
            }
        }
    }

    /// Go's name of the value's type.
    pub fn go_type(&self) -> &'static str {
        match &self.data {
            Data::Null => "nil",
            Data::Bool(_) => "bool",
            Data::Int(_) => "int64",
            Data::Float(_) => "float64",
            Data::Str(_) => "string",
            Data::List(_) => "[]interface {}",
            Data::Map(_) => "map[string]interface {}",
        }
    }
}

impl Source {
    /// The same as an origin of `base`.
    pub fn origin(&self) -> Origin {
        let place = self.layer.file.as_ref().map(|file| Place { file: file.clone(), span: self.span });
        Origin { layer: self.layer.clone(), place }
    }
}

impl Table {
    /// The member, when there is one.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key)
    }

    /// Removes `key` because `by` (a null of a stronger layer) says so, and remembers who lost.
    pub fn remove_by_null(&mut self, key: &Rc<str>, loser: Option<&Value>) {
        let Some(null) = self.entries.remove(key) else { return };
        let mut losses = self.removed.remove(key).unwrap_or_default();
        if let Some(loser) = loser {
            let mut by = null;
            by.beat(loser, Fate::RemovedByNull);
            losses.extend(by.losers.iter().flat_map(|list| list.iter().cloned()));
            losses.push(Loss { value: Value { losers: None, ..by }, fate: Fate::Won });
        } else {
            losses.push(Loss { value: null, fate: Fate::Won });
        }
        self.removed.insert(key.clone(), losses);
    }
}

/// A copy of a table that shares nothing with the original.
pub fn deep_copy(table: &TableRef) -> TableRef {
    let table = table.borrow();
    let entries = table.entries.iter().map(|(key, value)| (key.clone(), value.deep_copy())).collect();
    Rc::new(RefCell::new(Table { entries, removed: table.removed.clone() }))
}

fn push_loss(losers: &mut Vec<Loss>, winner: &Option<Source>, loss: Loss) {
    if loss.value.source.is_none() || loss.value.source == *winner {
        return;
    }
    if !losers.iter().any(|have| have.value.source == loss.value.source) {
        losers.push(loss);
    }
}

/// JSON text cut to a readable length.
fn short_text(json: &Json) -> Rc<str> {
    let text = json.to_raw_text();
    match text.char_indices().nth(120) {
        Some((cut, _)) => format!("{}…", &text[..cut]).into(),
        None => text.into(),
    }
}

/// A float as Go's `%v` prints it: shortest digits, exponent form below 1e-4 and from 1e6 on.
pub fn go_float(f: f64) -> String {
    if f.is_nan() {
        return "NaN".to_string();
    }
    if f.is_infinite() {
        return if f > 0.0 { "+Inf" } else { "-Inf" }.to_string();
    }
    let text = format!("{f:e}");
    let (digits, exp) = text.split_once('e').unwrap_or((&text, "0"));
    let exp: i32 = exp.parse().unwrap_or(0);
    if f != 0.0 && !(-4..6).contains(&exp) {
        let sign = if exp < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exp.abs());
    }
    format!("{f}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_go_does() {
        let value = Value::from_json(&Json::parse(r#"{"b":[1,"x",null],"a":{"c":1.5}}"#).expect("json"), &None, true);
        assert_eq!(value.expect("shallow").go_text(), "map[a:map[c:1.5] b:[1 x <nil>]]");
        let texts = [(3e6, "3e+06"), (123456.0, "123456"), (1234567.0, "1.234567e+06"), (1e-5, "1e-05"), (0.0, "0")];
        for (f, text) in texts {
            assert_eq!(go_float(f), text);
        }
    }
}
