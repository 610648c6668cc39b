//! `semver` and `semverCompare`, and the `*semver.Version` object with its methods.

use super::args::{Res, ok, panic, text};
use crate::semver::{Constraints, Version};
use base::Json;
use gotmpl::{Call, Data, Func, FuncError, Heap, IntKind, Kind, ObjectData, ObjectType, Param, Value};
use std::rc::Rc;

fn shown(_: &Heap, object: &ObjectData) -> Vec<u8> {
    version_in(object).map(|v| v.to_string().into_bytes()).unwrap_or_default()
}

fn json(_: &Heap, object: &ObjectData) -> Json {
    Json::str(version_in(object).map(|v| v.to_string()).unwrap_or_default())
}

fn version_in(object: &ObjectData) -> Option<&Version> {
    object.native.as_ref()?.downcast_ref()
}

const POINTER: &str = "*semver.Version";

static VERSION: ObjectType =
    ObjectType { name: POINTER, kind: Kind::Ptr, fields: &[], methods: METHODS, text: Some(shown), json: Some(json) };

/// What the `Inc…` methods return: the struct itself.
static PLAIN: ObjectType = ObjectType {
    name: "semver.Version",
    kind: Kind::Struct,
    fields: &[],
    methods: METHODS,
    text: Some(shown),
    json: Some(json),
};

const OTHER: &[Param] = &[Param::Named(POINTER)];

/// Sorted by name.
static METHODS: &[Func] = &[
    Func::new("Compare", OTHER, |call, args| {
        let order = version(call, args[0])?.compare(&version(call, args[1])?);
        ok(Value::int(order as i64))
    }),
    Func::new("Equal", OTHER, |call, args| ok(version(call, args[0])?.compare(&version(call, args[1])?).is_eq())),
    Func::new("GreaterThan", OTHER, |call, args| ok(version(call, args[0])?.compare(&version(call, args[1])?).is_gt())),
    Func::new("GreaterThanEqual", OTHER, |call, args| {
        ok(version(call, args[0])?.compare(&version(call, args[1])?).is_ge())
    }),
    Func::new("IncMajor", &[], |call, args| {
        let next = version(call, args[0])?.inc_major();
        ok(object(call, &PLAIN, next))
    }),
    Func::new("IncMinor", &[], |call, args| {
        let next = version(call, args[0])?.inc_minor();
        ok(object(call, &PLAIN, next))
    }),
    Func::new("IncPatch", &[], |call, args| {
        let next = version(call, args[0])?.inc_patch();
        ok(object(call, &PLAIN, next))
    }),
    Func::new("LessThan", OTHER, |call, args| ok(version(call, args[0])?.compare(&version(call, args[1])?).is_lt())),
    Func::new("LessThanEqual", OTHER, |call, args| {
        ok(version(call, args[0])?.compare(&version(call, args[1])?).is_le())
    }),
    Func::new("Major", &[], |call, args| number(version(call, args[0])?.major)),
    Func::new("Metadata", &[], |call, args| {
        let part = version(call, args[0])?.metadata;
        text(call, part)
    }),
    Func::new("Minor", &[], |call, args| number(version(call, args[0])?.minor)),
    Func::new("Original", &[], |call, args| {
        let part = version(call, args[0])?.original;
        text(call, part)
    }),
    Func::new("Patch", &[], |call, args| number(version(call, args[0])?.patch)),
    Func::new("Prerelease", &[], |call, args| {
        let part = version(call, args[0])?.pre;
        text(call, part)
    }),
    Func::new("SetMetadata", &[Param::Str], |call, args| {
        let part = call.heap.lossy(args[1]).into_owned();
        let next = version(call, args[0])?.with_metadata(&part)?;
        ok(object(call, &PLAIN, next))
    }),
    Func::new("SetPrerelease", &[Param::Str], |call, args| {
        let part = call.heap.lossy(args[1]).into_owned();
        let next = version(call, args[0])?.with_pre(&part)?;
        ok(object(call, &PLAIN, next))
    }),
    Func::new("String", &[], |call, args| {
        let shown = version(call, args[0])?.to_string();
        text(call, shown)
    }),
];

fn number(n: u64) -> Res {
    ok(Value::new(Data::Int(n as i64, IntKind::Uint64)))
}

fn version(call: &Call<'_>, value: Value) -> Result<Version, FuncError> {
    match call.heap.native::<Version>(value) {
        Some(version) => Ok(version.clone()),
        None => panic("runtime error: invalid memory address or nil pointer dereference"),
    }
}

fn object(call: &mut Call<'_>, ty: &'static ObjectType, version: Version) -> Value {
    call.heap.object(ObjectData { ty, fields: Vec::new(), native: Some(Rc::new(version)) })
}

pub(super) fn semver(call: &mut Call<'_>, args: &[Value]) -> Res {
    let version = Version::parse(&call.heap.lossy(args[0]))?;
    ok(object(call, &VERSION, version))
}

pub(super) fn semver_compare(call: &mut Call<'_>, args: &[Value]) -> Res {
    let constraints = Constraints::parse(&call.heap.lossy(args[0]))?;
    let version = Version::parse(&call.heap.lossy(args[1]))?;
    ok(constraints.check(&version))
}
