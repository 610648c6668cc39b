//! What functions ask of values: type and kind names, truth, printing, equality, JSON, copies.

use crate::error::FuncError;
use crate::heap::Heap;
use crate::label::Label;
use crate::types::{ListType, MapType, NilType};
use crate::value::{Data, Key, Kind, Value};
use base::Json;
use std::rc::Rc;

impl Heap {
    /// `%T`; `<nil>` for a nil of no type.
    pub fn type_name(&self, value: Value) -> &'static str {
        match value.data {
            Data::Nil => "<nil>",
            Data::Bool(_) => "bool",
            Data::Int(_, kind) => kind.name(),
            Data::Float(_) => "float64",
            Data::Str(_) => "string",
            Data::Bytes(_) => "[]uint8",
            Data::List(id) => self.list_type(id).name,
            Data::Map(id) => self.map_type(id).name,
            Data::Object(id) => self.object_data(id).ty.name,
            Data::NilOf(ty) => ty.name,
        }
    }

    /// `reflect.Value.Kind`.
    pub fn kind(&self, value: Value) -> Kind {
        match value.data {
            Data::Nil => Kind::Invalid,
            Data::Bool(_) => Kind::Bool,
            Data::Int(_, kind) => kind.kind(),
            Data::Float(_) => Kind::Float64,
            Data::Str(_) => Kind::String,
            Data::Bytes(_) | Data::List(_) => Kind::Slice,
            Data::Map(_) => Kind::Map,
            Data::Object(id) => self.object_data(id).ty.kind,
            Data::NilOf(ty) => ty.kind,
        }
    }

    /// `template.IsTrue`: whether it is not the zero value of its type.
    pub fn truth(&self, value: Value) -> bool {
        match value.data {
            Data::Nil | Data::NilOf(_) => false,
            Data::Bool(b) => b,
            Data::Int(n, _) => n != 0,
            Data::Float(f) => f != 0.0,
            Data::Str(id) | Data::Bytes(id) => !self.text(id).0.is_empty(),
            Data::List(id) => !self.items(id).is_empty(),
            Data::Map(id) => self.map_len(id) > 0,
            Data::Object(id) => {
                let object = self.object_data(id);
                match object.ty.kind {
                    Kind::Struct | Kind::Ptr => true,
                    Kind::Complex128 => object.fields.iter().any(|part| self.truth(*part)),
                    _ => object.fields.first().is_some_and(|inner| self.truth(*inner)),
                }
            }
        }
    }

    /// The length of a string, list or map (0 for typed nils); `None` for anything else.
    pub fn len(&self, value: Value) -> Option<usize> {
        match value.data {
            Data::Str(id) | Data::Bytes(id) => Some(self.text(id).0.len()),
            Data::List(id) => Some(self.items(id).len()),
            Data::Map(id) => Some(self.map_len(id)),
            Data::NilOf(ty) if ty.kind != Kind::Ptr => Some(0),
            _ => None,
        }
    }

    /// `fmt.Sprint(value)`, which is `%v`: `<nil>` for nil.
    pub fn print_v(&self, value: Value) -> Vec<u8> {
        let mut out = Vec::new();
        crate::fmt::print_value(self, &mut out, value);
        out
    }

    /// `reflect.DeepEqual`. Values nested deeper than the fuel reaches count as different.
    pub fn deep_equal(&self, a: Value, b: Value) -> bool {
        let mut work = vec![(a, b)];
        let mut steps = 0u64;
        while let Some((a, b)) = work.pop() {
            steps += 1;
            if steps > base::limits::RENDER_FUEL {
                return false;
            }
            match (a.data, b.data) {
                (Data::Nil, Data::Nil) => {}
                (Data::Bool(a), Data::Bool(b)) if a == b => {}
                (Data::Int(a, k), Data::Int(b, l)) if a == b && k == l => {}
                (Data::Float(a), Data::Float(b)) if a == b => {}
                (Data::Str(a), Data::Str(b)) | (Data::Bytes(a), Data::Bytes(b)) if self.text(a).0 == self.text(b).0 => {
                }
                (Data::NilOf(a), Data::NilOf(b)) if a.name == b.name => {}
                (Data::List(a), Data::List(b)) => {
                    if a == b {
                        continue;
                    }
                    let (left, right) = (self.items(a), self.items(b));
                    if self.list_type(a).name != self.list_type(b).name || left.len() != right.len() {
                        return false;
                    }
                    work.extend(left.iter().copied().zip(right.iter().copied()));
                }
                (Data::Map(a), Data::Map(b)) => {
                    if a == b {
                        continue;
                    }
                    let (left, right) = (self.entries(a), self.entries(b));
                    if self.map_type(a).name != self.map_type(b).name || left.len() != right.len() {
                        return false;
                    }
                    for (x, y) in left.iter().zip(right.iter()) {
                        if x.0 != y.0 {
                            return false;
                        }
                        work.push((x.1, y.1));
                    }
                }
                (Data::Object(a), Data::Object(b)) => {
                    if a == b {
                        continue;
                    }
                    let (left, right) = (self.object_data(a), self.object_data(b));
                    if left.ty.name != right.ty.name || left.fields.len() != right.fields.len() {
                        return false;
                    }
                    if left.native.is_some() || right.native.is_some() {
                        let text = |o: &crate::heap::ObjectData| o.ty.text.map(|text| text(self, o));
                        if text(left) != text(right) {
                            return false;
                        }
                    }
                    work.extend(left.fields.iter().copied().zip(right.fields.iter().copied()));
                }
                _ => return false,
            }
        }
        true
    }

    /// A value out of JSON as `encoding/json` gives it into an `interface {}`: all numbers are `float64`, unless
    /// `whole` keeps whole numbers as `int64`. Every node gets `label`.
    pub fn from_json(&mut self, json: &Json, whole: bool, label: Label) -> Value {
        let value = match json {
            Json::Null => Value::NIL,
            Json::Bool(b) => Value::bool(*b),
            Json::Int(n) if whole => Value::int64(*n),
            Json::Int(n) => Value::float(*n as f64),
            Json::Float(f) => Value::float(*f),
            Json::Str(text) => self.str(text.clone()),
            Json::List(items) => {
                let items = items.iter().map(|item| self.from_json(item, whole, label)).collect();
                self.list(items)
            }
            Json::Map(members) => {
                let entries: Vec<(Key, Value)> = members
                    .iter()
                    .map(|(key, item)| (Rc::from(key.as_bytes()), self.from_json(item, whole, label)))
                    .collect();
                self.map_of(MapType::ANY, entries)
            }
        };
        value.with_label(label)
    }

    /// The JSON form as `encoding/json` sees the value: bytes as base64, objects by their own rule or their fields,
    /// nil slices and maps as `null`, floats without fraction as whole numbers where they are exact. Not-UTF-8 becomes
    /// U+FFFD. An error for a value that contains itself, or for a float that is not finite.
    pub fn to_json(&self, value: Value) -> Result<Json, FuncError> {
        self.to_json_at(value, &mut Vec::new())
    }

    /// `path` holds the lists and maps that are open around `value`.
    fn to_json_at(&self, value: Value, path: &mut Vec<Data>) -> Result<Json, FuncError> {
        let open = |data: &Data| match (data, value.data) {
            (Data::Map(a), Data::Map(b)) => *a == b,
            (Data::List(a), Data::List(b)) => *a == b,
            _ => false,
        };
        // Looking through the path costs; a cycle comes by again.
        if path.len() > 64 && path.iter().any(open) {
            let name = self.type_name(value);
            return Err(FuncError::Message(format!("json: unsupported value: encountered a cycle via {name}")));
        }
        if path.len() > 500 {
            return Err(FuncError::Limit("value is nested too deeply for JSON".into()));
        }
        Ok(match value.data {
            Data::Nil | Data::NilOf(_) => Json::Null,
            Data::Bool(b) => Json::Bool(b),
            Data::Int(n, kind) if kind.unsigned() && n < 0 => Json::Float(n as u64 as f64),
            Data::Int(n, _) => Json::Int(n),
            Data::Float(f) if !f.is_finite() => {
                let text = String::from_utf8_lossy(&self.print_v(value)).into_owned();
                return Err(FuncError::Message(format!("json: unsupported value: {text}")));
            }
            Data::Float(f) => Json::Float(f),
            Data::Str(id) => Json::str(String::from_utf8_lossy(self.text(id).0).into_owned()),
            Data::Bytes(id) => Json::str(base64(self.text(id).0)),
            Data::List(id) => {
                let items = self.items(id);
                path.push(value.data);
                let items: Result<Vec<Json>, _> = items.iter().map(|v| self.to_json_at(*v, path)).collect();
                path.pop();
                Json::List(Rc::new(items?))
            }
            Data::Map(id) => {
                let mut members = base::Map::new();
                path.push(value.data);
                for (key, item) in self.entries(id).iter() {
                    members.insert(Rc::from(String::from_utf8_lossy(key)), self.to_json_at(*item, path)?);
                }
                path.pop();
                Json::Map(Rc::new(members))
            }
            Data::Object(id) => {
                let object = self.object_data(id);
                if let Some(json) = object.ty.json {
                    return Ok(json(self, object));
                }
                if !matches!(object.ty.kind, Kind::Struct | Kind::Ptr) {
                    return object.fields.first().map_or(Ok(Json::Null), |v| self.to_json_at(*v, path));
                }
                let mut members = base::Map::new();
                for field in object.ty.fields.iter().filter(|f| f.promoted.is_none()) {
                    let inner = object.fields.get(field.index).copied().unwrap_or(Value::NIL);
                    members.insert(Rc::from(field.name), self.to_json_at(inner, path)?);
                }
                Json::Map(Rc::new(members))
            }
        })
    }

    /// A copy that shares nothing changeable. Labels stay. A value that contains itself is cut with an error.
    pub fn deep_copy(&mut self, value: Value) -> Result<Value, FuncError> {
        self.deep_copy_at(value, 0)
    }

    fn deep_copy_at(&mut self, value: Value, depth: u32) -> Result<Value, FuncError> {
        if depth > 500 {
            return Err(FuncError::Limit("value is nested too deeply to copy".into()));
        }
        self.spend(1)?;
        Ok(match value.data {
            Data::List(id) => {
                let items = self.items(id);
                let ty = self.list_type(id);
                let mut copy = Vec::with_capacity(items.len());
                for item in items.iter() {
                    copy.push(self.deep_copy_at(*item, depth + 1)?);
                }
                self.list_of(ty, copy).with_label(value.label)
            }
            Data::Map(id) => {
                let entries = self.entries(id);
                let ty = self.map_type(id);
                let mut copy = Vec::with_capacity(entries.len());
                for (key, item) in entries.iter() {
                    copy.push((key.clone(), self.deep_copy_at(*item, depth + 1)?));
                }
                self.map_of(ty, copy).with_label(value.label)
            }
            _ => value,
        })
    }

    /// The zero value of an element type by its `%T`, as a missing map key or a missing argument gives it.
    pub fn zero_of(&mut self, name: &'static str) -> Value {
        match name {
            "string" => self.str(""),
            "int" => Value::int(0),
            "int64" => Value::int64(0),
            "float64" => Value::float(0.0),
            "bool" => Value::bool(false),
            "[]uint8" => Value::new(Data::NilOf(NilType::BYTES)),
            "[]string" => Value::new(Data::NilOf(NilType::STRINGS)),
            "[]interface {}" => Value::new(Data::NilOf(NilType::LIST)),
            "map[string]interface {}" => Value::new(Data::NilOf(NilType::MAP)),
            "map[string]string" => Value::new(Data::NilOf(NilType::MAP_STRINGS)),
            "interface {}" => Value::NIL.boxed(),
            _ => Value::new(Data::NilOf(NilType::POINTER)),
        }
    }

    /// A list of type `[]interface {}` with the same elements as another slice.
    pub fn as_any_list(&mut self, value: Value) -> Option<Value> {
        match value.data {
            Data::List(id) if self.list_type(id).name == ListType::ANY.name => Some(value),
            _ => {
                let items = self.elements(value)?;
                Some(self.list(items.to_vec()).with_label(value.label))
            }
        }
    }
}

/// Standard base64 with padding, as `encoding/json` writes byte slices.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let n = chunk.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = ALPHABET[(n >> (18 - 6 * i) & 63) as usize] as char;
            out.push(if i <= chunk.len() { digit } else { '=' });
        }
    }
    out
}
