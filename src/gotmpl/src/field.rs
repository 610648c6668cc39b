//! Field and method lookup, and whether a value may stand for an argument of a type: the `reflect` rules of
//! text/template.

use crate::func::{Func, Param};
use crate::heap::Heap;
use crate::label::Label;
use crate::types::{NilType, ObjectType};
use crate::value::{Data, IntKind, Kind, Value};

/// `complex128`: two floats.
pub(crate) static COMPLEX_TYPE: ObjectType =
    ObjectType { name: "complex128", kind: Kind::Complex128, fields: &[], methods: &[], text: None, json: None };
pub(crate) const COMPLEX: &ObjectType = &COMPLEX_TYPE;

pub(crate) enum Found {
    Value(Value),
    Method(&'static Func),
    /// A map without the key; the type of its elements.
    Missing(&'static str),
    /// There is no value to look into.
    NoReceiver,
}

/// The type as errors about a field name it.
fn static_type(heap: &Heap, value: Value) -> &'static str {
    if value.boxed { "interface {}" } else { heap.type_name(value) }
}

/// Looks `name` up in `receiver`; the error is Go's text.
pub(crate) fn find(heap: &Heap, receiver: Value, name: &str) -> Result<Found, String> {
    let inherit = |v: Value| if v.label == Label::NONE { v.with_label(receiver.label) } else { v };
    match receiver.data {
        Data::Nil if !receiver.boxed => return Ok(Found::NoReceiver),
        Data::Nil => return Err(format!("nil pointer evaluating interface {{}}.{name}")),
        Data::Map(id) => {
            let ty = heap.map_type(id);
            if let Some(func) = ty.methods.iter().find(|m| m.name == name) {
                return Ok(Found::Method(func));
            }
            return Ok(match heap.get(id, name.as_bytes()) {
                Some(value) => Found::Value(Value { boxed: ty.boxes(), ..inherit(value) }),
                None => Found::Missing(ty.elem),
            });
        }
        Data::NilOf(ty) if ty.kind == Kind::Map => {
            return Ok(Found::Missing(if ty.name == "map[string]string" { "string" } else { "interface {}" }));
        }
        Data::NilOf(ty) if ty.kind == Kind::Ptr => {
            return Err(format!("nil pointer evaluating {}.{name}", static_type(heap, receiver)));
        }
        Data::List(id) => {
            if let Some(func) = heap.list_type(id).methods.iter().find(|m| m.name == name) {
                return Ok(Found::Method(func));
            }
        }
        Data::Object(id) => {
            let object = heap.object_data(id);
            if let Some(func) = object.ty.methods.iter().find(|m| m.name == name) {
                return Ok(Found::Method(func));
            }
            if let Some(field) = object.ty.fields.iter().find(|f| f.name == name) {
                let mut value = object.fields.get(field.index).copied().unwrap_or(Value::NIL);
                if let Some(inner) = field.promoted {
                    value = match value.data {
                        Data::Object(id) => heap.object_data(id).fields.get(inner).copied().unwrap_or(Value::NIL),
                        _ => Value::NIL,
                    };
                }
                return Ok(Found::Value(Value { boxed: field.boxes, ..inherit(value) }));
            }
        }
        _ => {}
    }
    Err(format!("can't evaluate field {name} in type {}", static_type(heap, receiver)))
}

/// The value as an argument of type `param`; the error is Go's text.
pub(crate) fn assign(heap: &Heap, value: Value, param: Param) -> Result<Value, String> {
    if value.is_nil() && !value.boxed {
        let nil = |ty| Ok(Value::new(Data::NilOf(ty)).with_label(value.label));
        return match param {
            Param::Any | Param::Reflect => Ok(value),
            Param::Map => nil(NilType::MAP),
            Param::MapStr => nil(NilType::MAP_STRINGS),
            Param::List => nil(NilType::LIST),
            Param::Strings => nil(NilType::STRINGS),
            Param::Bytes => nil(NilType::BYTES),
            Param::Named(name) if name.starts_with('*') => nil(NilType::POINTER),
            _ => Err(format!("invalid value; expected {}", param.name())),
        };
    }
    let fits = match (param, value.data) {
        (Param::Any | Param::Reflect, _) => true,
        (Param::Str, Data::Str(_)) => true,
        (Param::Bool, Data::Bool(_)) => true,
        (Param::Int, Data::Int(_, IntKind::Int)) => true,
        (Param::Int64, Data::Int(_, IntKind::Int64)) => true,
        (Param::Uint32, Data::Int(_, IntKind::Uint32)) => true,
        (Param::Float, Data::Float(_)) => true,
        (Param::Bytes, Data::Bytes(_)) => true,
        (Param::Map | Param::MapStr, Data::Map(id)) => heap.map_type(id).assignable_to(param.name()),
        (Param::List | Param::Strings, Data::List(id)) => heap.list_type(id).assignable_to(param.name()),
        (_, Data::NilOf(ty)) => ty.name == param.name(),
        (Param::Named(name), _) => {
            let own = heap.type_name(value);
            own == name || own.strip_prefix('*') == Some(name)
        }
        _ => false,
    };
    if fits {
        return Ok(value);
    }
    let own = if value.is_nil() { "interface {}" } else { heap.type_name(value) };
    Err(format!("wrong type for value; expected {}; got {own}", param.name()))
}
