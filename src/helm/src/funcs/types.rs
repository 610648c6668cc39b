//! Sprig's reflection: `typeOf`, `kindOf` and their tests, `deepEqual`.

use super::args::{Res, ok, text};
use gotmpl::{Call, Value};

pub(super) fn type_of(call: &mut Call<'_>, args: &[Value]) -> Res {
    let name = call.heap.type_name(args[0]);
    text(call, name)
}

pub(super) fn type_is(call: &mut Call<'_>, args: &[Value]) -> Res {
    let name = call.heap.type_name(args[1]);
    ok(call.heap.bytes(args[0]) == name.as_bytes())
}

pub(super) fn type_is_like(call: &mut Call<'_>, args: &[Value]) -> Res {
    let name = call.heap.type_name(args[1]).as_bytes();
    let target = call.heap.bytes(args[0]);
    ok(target == name || name.strip_prefix(b"*") == Some(target))
}

pub(super) fn kind_of(call: &mut Call<'_>, args: &[Value]) -> Res {
    let name = call.heap.kind(args[0]).name();
    text(call, name)
}

pub(super) fn kind_is(call: &mut Call<'_>, args: &[Value]) -> Res {
    let name = call.heap.kind(args[1]).name();
    ok(call.heap.bytes(args[0]) == name.as_bytes())
}

pub(super) fn deep_equal(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(call.heap.deep_equal(args[0], args[1]))
}
