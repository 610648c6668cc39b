//! Not simulated yet.

use super::args::Res;
use gotmpl::{Call, FuncError, Value};

pub(super) fn join(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn parse(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

