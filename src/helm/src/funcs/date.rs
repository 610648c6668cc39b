//! Not simulated yet.

use super::args::Res;
use gotmpl::{Call, FuncError, Value};

pub(super) fn ago(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn date(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn date_in_zone(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn date_modify(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn duration(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn duration_round(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn html_date(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn html_date_in_zone(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn must_date_modify(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn must_to_date(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn now(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn to_date(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

pub(super) fn unix_epoch(_: &mut Call<'_>, _: &[Value]) -> Res {
    Err(FuncError::Limit("function is not simulated yet".into()))
}

