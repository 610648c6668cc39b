//! The keywords of one schema, ready to be checked.

use super::compile::Id;
use super::document::Doc;
use super::format::Format;
use super::number::Number;
use crate::funcs::re2::Pattern;
use std::collections::BTreeMap;
use std::rc::Rc;

/// JSON types in the order of messages; a set of them is a bit each.
pub(crate) const TYPES: [&str; 7] = ["null", "boolean", "number", "integer", "string", "array", "object"];

/// The bit of `number`.
pub(crate) const NUMBER: u8 = 1 << 2;
/// The bit of `integer`.
pub(crate) const INTEGER: u8 = 1 << 3;

/// The set of types that a `type` keyword names.
pub(crate) fn types_of(doc: &Doc) -> u8 {
    let bit = |doc: &Doc| {
        let name = doc.as_str();
        TYPES.iter().position(|t| name.is_some_and(|name| **name == **t)).map_or(0, |i| 1 << i)
    };
    doc.as_list().map_or_else(|| bit(doc), |items| items.iter().map(bit).fold(0, |all, bit| all | bit))
}

/// The bit of a value's type; whole numbers are numbers.
pub(crate) fn type_of(doc: &Doc) -> u8 {
    match doc {
        Doc::Null => 1,
        Doc::Bool(_) => 1 << 1,
        Doc::Num(_) => NUMBER,
        Doc::Str(_) => 1 << 4,
        Doc::List(_) => 1 << 5,
        Doc::Map(_) => 1 << 6,
    }
}

/// `additionalProperties` or `additionalItems`.
#[derive(Debug, Default)]
pub(crate) enum Additional {
    #[default]
    Unsaid,
    Fixed(bool),
    Schema(Id),
}

/// `items` before 2020-12.
#[derive(Debug, Default)]
pub(crate) enum Items {
    #[default]
    Unsaid,
    All(Id),
    Each(Vec<Id>),
}

/// An entry of `dependencies`.
#[derive(Debug)]
pub(crate) enum Dependency {
    Required(Vec<Rc<str>>),
    Schema(Id),
}

/// Keywords that limit a number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf,
}

impl Limit {
    /// All, in the order of checking.
    pub(crate) const ALL: [Limit; 5] =
        [Limit::Minimum, Limit::Maximum, Limit::ExclusiveMinimum, Limit::ExclusiveMaximum, Limit::MultipleOf];

    /// The keyword.
    pub(crate) fn keyword(self) -> &'static str {
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"][self as usize]
    }
}

/// Keywords that limit a count.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Count {
    MinLength,
    MaxLength,
    MinItems,
    MaxItems,
    MinProperties,
    MaxProperties,
    MinContains,
    MaxContains,
}

impl Count {
    /// All of them.
    pub(crate) const ALL: [Count; 8] = [
        Count::MinLength,
        Count::MaxLength,
        Count::MinItems,
        Count::MaxItems,
        Count::MinProperties,
        Count::MaxProperties,
        Count::MinContains,
        Count::MaxContains,
    ];

    /// The keyword.
    pub(crate) fn keyword(self) -> &'static str {
        [
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "minProperties",
            "maxProperties",
            "minContains",
            "maxContains",
        ][self as usize]
    }
}

/// All keywords that say anything about a value.
#[derive(Debug, Default)]
pub(crate) struct Keywords {
    pub(crate) reference: Option<Id>,
    pub(crate) recursive_reference: Option<Id>,
    pub(crate) recursive_anchor: bool,
    /// `$dynamicRef`: the schema it leads to at first, and its fragment.
    pub(crate) dynamic_reference: Option<(Id, Rc<str>)>,
    pub(crate) dynamic_anchor: Option<Rc<str>>,
    /// A bit a type; none means any.
    pub(crate) types: u8,
    pub(crate) constant: Option<Doc>,
    pub(crate) choices: Option<Rc<Vec<Doc>>>,
    pub(crate) format: Option<Format>,
    pub(crate) not: Option<Id>,
    pub(crate) all_of: Vec<Id>,
    pub(crate) any_of: Vec<Id>,
    pub(crate) one_of: Vec<Id>,
    pub(crate) condition: Option<Id>,
    pub(crate) then: Option<Id>,
    pub(crate) otherwise: Option<Id>,
    pub(crate) limits: [Option<Number>; 5],
    pub(crate) counts: [Option<i64>; 8],
    pub(crate) pattern: Option<(Pattern, Rc<str>)>,
    pub(crate) required: Vec<Rc<str>>,
    pub(crate) properties: BTreeMap<Rc<str>, Id>,
    pub(crate) pattern_properties: Vec<(Pattern, Id)>,
    pub(crate) additional_properties: Additional,
    pub(crate) property_names: Option<Id>,
    pub(crate) dependencies: Vec<(Rc<str>, Dependency)>,
    pub(crate) dependent_schemas: Vec<(Rc<str>, Id)>,
    pub(crate) dependent_required: Vec<(Rc<str>, Vec<Rc<str>>)>,
    pub(crate) unevaluated_properties: Option<Id>,
    pub(crate) unique_items: bool,
    pub(crate) items: Items,
    pub(crate) additional_items: Additional,
    pub(crate) prefix_items: Vec<Id>,
    /// `items` from 2020-12 on.
    pub(crate) items_after: Option<Id>,
    pub(crate) contains: Option<Id>,
    pub(crate) unevaluated_items: Option<Id>,
}
