//! Not simulated yet.

use super::args::Res;
use gotmpl::{Call, FuncError, Value};

pub(super) fn from_toml(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn to_toml(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn must_to_toml(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

