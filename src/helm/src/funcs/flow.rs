//! Sprig's defaults and flow: `default`, `empty`, `coalesce`, `ternary`, `all`, `any`, and Helm's `required` and `fail`.
//! The chosen value keeps its own label; the tested ones decide about it.

use super::args::{Res, ok};
use gotmpl::{Call, FuncError, Value};

/// Marks around the text of `fail` and `required`; the engine's error clean-up looks for them.
pub(crate) const WARN_START: &str = "HELM_ERR_START";
/// See [`WARN_START`].
pub(crate) const WARN_END: &str = "HELM_ERR_END";

pub(super) fn default(call: &mut Call<'_>, args: &[Value]) -> Res {
    match args {
        [_, given, ..] if call.heap.truth(*given) => ok(*given),
        [default, given, ..] => ok(call.heap.decided_by(*default, *given)),
        [default] => ok(*default),
        [] => ok(Value::NIL),
    }
}

pub(super) fn empty(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(!call.heap.truth(args[0]))
}

pub(super) fn coalesce(call: &mut Call<'_>, args: &[Value]) -> Res {
    let chosen = args.iter().position(|v| call.heap.truth(*v));
    let mut value = chosen.map_or(Value::NIL, |i| args[i]);
    for tested in &args[..chosen.unwrap_or(args.len())] {
        value = call.heap.decided_by(value, *tested);
    }
    ok(value)
}

pub(super) fn all(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(args.iter().all(|v| call.heap.truth(*v)))
}

pub(super) fn any(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(args.iter().any(|v| call.heap.truth(*v)))
}

pub(super) fn ternary(call: &mut Call<'_>, args: &[Value]) -> Res {
    let chosen = if args[2].as_bool() == Some(true) { args[0] } else { args[1] };
    ok(call.heap.decided_by(chosen, args[2]))
}

pub(super) fn fail(call: &mut Call<'_>, args: &[Value]) -> Res {
    Err(warning(call, args[0]))
}

pub(super) fn required(call: &mut Call<'_>, args: &[Value]) -> Res {
    if args[1].is_nil() || call.heap.as_str(args[1]).is_some_and(<[u8]>::is_empty) {
        return Err(warning(call, args[0]));
    }
    ok(args[1])
}

fn warning(call: &mut Call<'_>, text: Value) -> FuncError {
    FuncError::Message(format!("{WARN_START}{}{WARN_END}", call.heap.lossy(text)))
}

pub(super) fn hello(call: &mut Call<'_>, _args: &[Value]) -> Res {
    ok(call.heap.str("Hello!"))
}
