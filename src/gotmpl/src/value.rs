//! What a template computes with: small copyable handles into the [`Heap`](crate::Heap) of one render.
//! Mirrors the part of Go's `reflect` that text/template shows: kinds, typed nils, sized integers.

use crate::label::Label;
use crate::types::NilType;
use std::rc::Rc;

/// Handle of a string or byte slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StrId(pub(crate) u32);

/// Handle of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListId(pub(crate) u32);

/// Handle of a map. Two equal handles are one shared, mutable map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MapId(pub(crate) u32);

/// Handle of a host object (a Go struct, pointer to struct or named scalar).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjId(pub(crate) u32);

/// A map key: Go strings are bytes.
pub type Key = Rc<[u8]>;

/// The sized integer types of Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IntKind {
    /// `int` (64 bits).
    Int,
    /// `int8`.
    Int8,
    /// `int16`.
    Int16,
    /// `int32`.
    Int32,
    /// `int64`.
    Int64,
    /// `uint` (64 bits).
    Uint,
    /// `uint8`.
    Uint8,
    /// `uint16`.
    Uint16,
    /// `uint32`.
    Uint32,
    /// `uint64`.
    Uint64,
}

impl IntKind {
    /// True for the unsigned ones; their bits stand in the `i64` unchanged.
    pub const fn unsigned(self) -> bool {
        matches!(self, IntKind::Uint | IntKind::Uint8 | IntKind::Uint16 | IntKind::Uint32 | IntKind::Uint64)
    }

    /// Go's name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            IntKind::Int => "int",
            IntKind::Int8 => "int8",
            IntKind::Int16 => "int16",
            IntKind::Int32 => "int32",
            IntKind::Int64 => "int64",
            IntKind::Uint => "uint",
            IntKind::Uint8 => "uint8",
            IntKind::Uint16 => "uint16",
            IntKind::Uint32 => "uint32",
            IntKind::Uint64 => "uint64",
        }
    }

    /// The kind of this type.
    pub const fn kind(self) -> Kind {
        match self {
            IntKind::Int => Kind::Int,
            IntKind::Int8 => Kind::Int8,
            IntKind::Int16 => Kind::Int16,
            IntKind::Int32 => Kind::Int32,
            IntKind::Int64 => Kind::Int64,
            IntKind::Uint => Kind::Uint,
            IntKind::Uint8 => Kind::Uint8,
            IntKind::Uint16 => Kind::Uint16,
            IntKind::Uint32 => Kind::Uint32,
            IntKind::Uint64 => Kind::Uint64,
        }
    }
}

/// `reflect.Kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// No value at all.
    Invalid,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `int8`.
    Int8,
    /// `int16`.
    Int16,
    /// `int32`.
    Int32,
    /// `int64`.
    Int64,
    /// `uint`.
    Uint,
    /// `uint8`.
    Uint8,
    /// `uint16`.
    Uint16,
    /// `uint32`.
    Uint32,
    /// `uint64`.
    Uint64,
    /// `float64`.
    Float64,
    /// `complex128`.
    Complex128,
    /// A function.
    Func,
    /// A map.
    Map,
    /// A pointer.
    Ptr,
    /// A slice.
    Slice,
    /// A string.
    String,
    /// A struct.
    Struct,
}

impl Kind {
    /// Go's name of the kind (`reflect.Kind.String`).
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Invalid => "invalid",
            Kind::Bool => "bool",
            Kind::Int => "int",
            Kind::Int8 => "int8",
            Kind::Int16 => "int16",
            Kind::Int32 => "int32",
            Kind::Int64 => "int64",
            Kind::Uint => "uint",
            Kind::Uint8 => "uint8",
            Kind::Uint16 => "uint16",
            Kind::Uint32 => "uint32",
            Kind::Uint64 => "uint64",
            Kind::Float64 => "float64",
            Kind::Complex128 => "complex128",
            Kind::Func => "func",
            Kind::Map => "map",
            Kind::Ptr => "ptr",
            Kind::Slice => "slice",
            Kind::String => "string",
            Kind::Struct => "struct",
        }
    }

    /// True for every integer kind.
    pub const fn is_int(self) -> bool {
        self as u8 >= Kind::Int as u8 && self as u8 <= Kind::Uint64 as u8
    }
}

/// The datum of a value.
#[derive(Clone, Copy, Debug)]
pub enum Data {
    /// Nil of no type: Go's invalid `reflect.Value`, or a nil `interface {}`.
    Nil,
    /// `bool`.
    Bool(bool),
    /// Any integer type. Unsigned ones keep their bits.
    Int(i64, IntKind),
    /// `float64`.
    Float(f64),
    /// `string`.
    Str(StrId),
    /// `[]uint8`.
    Bytes(StrId),
    /// Any other slice.
    List(ListId),
    /// A map with string keys.
    Map(MapId),
    /// A struct, a pointer to one, or a named scalar.
    Object(ObjId),
    /// A nil slice, map or pointer of a type.
    NilOf(&'static NilType),
}

/// A datum and what it depends on.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The datum.
    pub data: Data,
    /// What it depends on, beside the marks that a string may carry. [`Label::NONE`] while tracing is off.
    pub label: Label,
    /// Whether it was read out of a slot of type `interface {}` (an element, entry or field): Go's errors then speak
    /// of `interface {}`, and a nil differs from no value.
    pub(crate) boxed: bool,
}

impl Value {
    /// Nil of no type.
    pub const NIL: Value = Value { data: Data::Nil, label: Label::NONE, boxed: false };

    /// A value that depends on nothing.
    pub const fn new(data: Data) -> Value {
        Value { data, label: Label::NONE, boxed: false }
    }

    /// A `bool`.
    pub const fn bool(b: bool) -> Value {
        Value::new(Data::Bool(b))
    }

    /// An `int`.
    pub const fn int(n: i64) -> Value {
        Value::new(Data::Int(n, IntKind::Int))
    }

    /// An `int64`.
    pub const fn int64(n: i64) -> Value {
        Value::new(Data::Int(n, IntKind::Int64))
    }

    /// A `float64`.
    pub const fn float(f: f64) -> Value {
        Value::new(Data::Float(f))
    }

    /// The same datum with another label.
    pub const fn with_label(self, label: Label) -> Value {
        Value { label, ..self }
    }

    /// True for a nil of no type (not for typed nils).
    pub const fn is_nil(self) -> bool {
        matches!(self.data, Data::Nil)
    }

    /// True for a nil of any type.
    pub const fn is_any_nil(self) -> bool {
        matches!(self.data, Data::Nil | Data::NilOf(_))
    }

    /// True when it was read out of a slot of type `interface {}` and not unwrapped since.
    pub const fn is_boxed(self) -> bool {
        self.boxed
    }

    /// The same as read out of a slot of type `interface {}`.
    pub const fn boxed(self) -> Value {
        Value { boxed: true, ..self }
    }

    /// The value inside the `interface {}` slot.
    pub const fn unboxed(self) -> Value {
        Value { boxed: false, ..self }
    }

    /// The truth value, when it is a `bool`.
    pub const fn as_bool(self) -> Option<bool> {
        match self.data {
            Data::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The integer, when it is of an integer type. Unsigned ones give their bits.
    pub const fn as_int(self) -> Option<i64> {
        match self.data {
            Data::Int(n, _) => Some(n),
            _ => None,
        }
    }

    /// The float, when it is a `float64`.
    pub const fn as_float(self) -> Option<f64> {
        match self.data {
            Data::Float(f) => Some(f),
            _ => None,
        }
    }

    /// The map handle, when it is a map that is not nil.
    pub const fn as_map(self) -> Option<MapId> {
        match self.data {
            Data::Map(id) => Some(id),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::bool(b)
    }
}

/// The bytes of a string, owned or shared.
#[derive(Clone, Debug)]
pub enum Bytes {
    /// Part of the program.
    Static(&'static [u8]),
    /// Shared with a template, a file or another string.
    Shared(Rc<[u8]>),
    /// Made here.
    Owned(Vec<u8>),
}

impl Bytes {
    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Static(bytes) => bytes,
            Bytes::Shared(bytes) => bytes,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

impl From<&'static str> for Bytes {
    fn from(text: &'static str) -> Bytes {
        Bytes::Static(text.as_bytes())
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Bytes {
        Bytes::Owned(text.into_bytes())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes::Owned(bytes)
    }
}

impl From<Rc<[u8]>> for Bytes {
    fn from(bytes: Rc<[u8]>) -> Bytes {
        Bytes::Shared(bytes)
    }
}

impl From<Rc<str>> for Bytes {
    fn from(text: Rc<str>) -> Bytes {
        Bytes::Shared(Rc::from(text))
    }
}
