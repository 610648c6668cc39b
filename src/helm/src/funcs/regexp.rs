//! Not simulated yet.

use super::args::Res;
use gotmpl::{Call, FuncError, Value};

pub(super) fn must_find(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn must_find_all(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn must_matches(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn must_replace_all(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn must_replace_all_literal(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn must_split(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn find(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn find_all(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn matches(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn quote_meta(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn replace_all(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn replace_all_literal(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn split(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

