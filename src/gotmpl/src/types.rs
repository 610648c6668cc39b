//! The Go types that a template can see, as static tables: named maps and lists with methods (`chartutil.Values`,
//! `chartutil.VersionSet`), structs and pointers (`.Chart`, `*semver.Version`), typed nils.

use crate::func::Func;
use crate::heap::{Heap, ObjectData};
use crate::value::Kind;
use base::Json;

/// A slice type.
#[derive(Debug)]
pub struct ListType {
    /// `%T`, such as `[]interface {}` or `chartutil.VersionSet`.
    pub name: &'static str,
    /// `%T` of the element type, such as `interface {}` or `string`.
    pub elem: &'static str,
    /// Methods; the receiver is the first argument of the call and not a parameter.
    pub methods: &'static [Func],
}

impl ListType {
    /// `[]interface {}`.
    pub const ANY: &'static ListType = &ListType { name: "[]interface {}", elem: "interface {}", methods: &[] };
    /// `[]string`.
    pub const STRINGS: &'static ListType = &ListType { name: "[]string", elem: "string", methods: &[] };
    /// `[]int`.
    pub const INTS: &'static ListType = &ListType { name: "[]int", elem: "int", methods: &[] };
    /// `[]float64`.
    pub const FLOATS: &'static ListType = &ListType { name: "[]float64", elem: "float64", methods: &[] };
    /// `[]map[string]interface {}`.
    pub const MAPS: &'static ListType =
        &ListType { name: "[]map[string]interface {}", elem: "map[string]interface {}", methods: &[] };
    /// `[][]interface {}`.
    pub const LISTS: &'static ListType = &ListType { name: "[][]interface {}", elem: "[]interface {}", methods: &[] };

    /// Whether elements are of type `interface {}`.
    pub fn boxes(&self) -> bool {
        self.elem == "interface {}"
    }

    /// The unnamed type it is assignable to (`[]string` for a named list of strings).
    pub fn assignable_to(&self, name: &str) -> bool {
        self.name == name || (name.strip_prefix("[]") == Some(self.elem))
    }
}

/// A map type with string keys.
#[derive(Debug)]
pub struct MapType {
    /// `%T`, such as `map[string]interface {}` or `chartutil.Values`.
    pub name: &'static str,
    /// `%T` of the element type.
    pub elem: &'static str,
    /// Methods; the receiver is the first argument of the call and not a parameter.
    pub methods: &'static [Func],
}

impl MapType {
    /// `map[string]interface {}`.
    pub const ANY: &'static MapType = &MapType { name: "map[string]interface {}", elem: "interface {}", methods: &[] };
    /// `map[string]string`.
    pub const STRINGS: &'static MapType = &MapType { name: "map[string]string", elem: "string", methods: &[] };

    /// Whether elements are of type `interface {}`.
    pub fn boxes(&self) -> bool {
        self.elem == "interface {}"
    }

    /// Whether Go may assign it to the type of that name.
    pub fn assignable_to(&self, name: &str) -> bool {
        self.name == name || (name.strip_prefix("map[string]") == Some(self.elem))
    }
}

/// The type of a nil slice, map or pointer.
#[derive(Debug)]
pub struct NilType {
    /// `%T`.
    pub name: &'static str,
    /// Its kind: [`Kind::Slice`], [`Kind::Map`] or [`Kind::Ptr`].
    pub kind: Kind,
}

impl NilType {
    /// A nil `map[string]interface {}`.
    pub const MAP: &'static NilType = &NilType { name: "map[string]interface {}", kind: Kind::Map };
    /// A nil `map[string]string`.
    pub const MAP_STRINGS: &'static NilType = &NilType { name: "map[string]string", kind: Kind::Map };
    /// A nil `[]interface {}`.
    pub const LIST: &'static NilType = &NilType { name: "[]interface {}", kind: Kind::Slice };
    /// A nil `[]string`.
    pub const STRINGS: &'static NilType = &NilType { name: "[]string", kind: Kind::Slice };
    /// A nil `[]uint8`.
    pub const BYTES: &'static NilType = &NilType { name: "[]uint8", kind: Kind::Slice };
    /// A nil pointer of a type we know nothing about.
    pub const POINTER: &'static NilType = &NilType { name: "*struct {}", kind: Kind::Ptr };
}

/// One field of a struct.
#[derive(Debug)]
pub struct Field {
    /// Go's name.
    pub name: &'static str,
    /// Index in [`ObjectData::fields`].
    pub index: usize,
    /// For a field promoted from an embedded struct: the index *there*, while `index` is that of the embedded struct.
    pub promoted: Option<usize>,
    /// Whether the field's static type is `interface {}`.
    pub boxes: bool,
}

/// A struct, a pointer to one, or a named scalar. For a named scalar [`ObjectData::fields`] has one value, the scalar.
pub struct ObjectType {
    /// `%T`, such as `*semver.Version`.
    pub name: &'static str,
    /// [`Kind::Struct`], [`Kind::Ptr`] (to a struct), [`Kind::Complex128`], or the kind of the named scalar.
    pub kind: Kind,
    /// Exported fields, in Go's order, promoted ones last.
    pub fields: &'static [Field],
    /// Methods; the receiver is the first argument of the call and not a parameter.
    pub methods: &'static [Func],
    /// `String()` or `Error()`, which printing uses.
    pub text: Option<fn(&Heap, &ObjectData) -> Vec<u8>>,
    /// Its JSON form; without it the fields, by name.
    pub json: Option<fn(&Heap, &ObjectData) -> Json>,
}

impl std::fmt::Debug for ObjectType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
