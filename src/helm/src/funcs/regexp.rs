//! Sprig's regular expressions. The functions without `must` panic where the pattern is wrong, except `regexMatch`.

use super::args::{Res, int, ok, text};
use super::re2::{Pattern, quote_meta};
use gotmpl::{Call, Data, FuncError, ListType, NilType, Value};
use std::ops::Range;

/// The pattern, or an error in the words of `Compile` (`must`) or of the panic of `MustCompile`.
fn compile(call: &mut Call<'_>, pattern: Value, must: bool) -> Result<Pattern, FuncError> {
    call.heap.spend(200)?;
    let source = call.heap.bytes(pattern);
    Pattern::new(source).map_err(|error| {
        if must {
            return FuncError::Message(error);
        }
        let plain = std::str::from_utf8(source).is_ok_and(|text| {
            text.chars().all(|c| c != '`' && c != '\u{feff}' && (c >= ' ' || c == '\t') && c != '\u{7f}')
        });
        let quoted = if plain { format!("`{}`", call.heap.lossy(pattern)) } else { gotmpl::quote::go_quote(source) };
        FuncError::Panic(format!("regexp: Compile({quoted}): {error}"))
    })
}

pub(super) fn matches(call: &mut Call<'_>, args: &[Value]) -> Res {
    let found = compile(call, args[0], true).is_ok_and(|p| p.matches(call.heap.bytes(args[1])));
    ok(found)
}

pub(super) fn must_matches(call: &mut Call<'_>, args: &[Value]) -> Res {
    let pattern = compile(call, args[0], true)?;
    ok(pattern.matches(call.heap.bytes(args[1])))
}

fn find_with(call: &mut Call<'_>, args: &[Value], must: bool) -> Res {
    let pattern = compile(call, args[0], must)?;
    let bytes = call.heap.bytes(args[1]);
    let found = pattern.find(bytes).map(|range| bytes[range].to_vec()).unwrap_or_default();
    text(call, found)
}

pub(super) fn find(call: &mut Call<'_>, args: &[Value]) -> Res {
    find_with(call, args, false)
}

pub(super) fn must_find(call: &mut Call<'_>, args: &[Value]) -> Res {
    find_with(call, args, true)
}

/// Ranges of a text as a `[]string`; none at all is a nil slice.
fn parts(call: &mut Call<'_>, source: Value, ranges: Option<Vec<Range<usize>>>) -> Res {
    let Some(ranges) = ranges else { return ok(Value::new(Data::NilOf(NilType::STRINGS))) };
    call.heap.reserve(ranges.len() * 64)?;
    call.heap.spend(ranges.len() as u64)?;
    let parts = ranges.into_iter().map(|range| super::args::part(call.heap, source, range)).collect();
    ok(call.heap.list_of(ListType::STRINGS, parts))
}

fn find_all_with(call: &mut Call<'_>, args: &[Value], must: bool) -> Res {
    let pattern = compile(call, args[0], must)?;
    let limit = usize::try_from(int(args[2])).unwrap_or(usize::MAX);
    let found = pattern.find_all(call.heap.bytes(args[1]), limit);
    parts(call, args[1], Some(found).filter(|found| !found.is_empty()))
}

pub(super) fn find_all(call: &mut Call<'_>, args: &[Value]) -> Res {
    find_all_with(call, args, false)
}

pub(super) fn must_find_all(call: &mut Call<'_>, args: &[Value]) -> Res {
    find_all_with(call, args, true)
}

fn replace_with(call: &mut Call<'_>, args: &[Value], literal: bool, must: bool) -> Res {
    let pattern = compile(call, args[0], must)?;
    let room = call.heap.room;
    let replaced = pattern.replace_all(call.heap.bytes(args[1]), call.heap.bytes(args[2]), literal, room);
    match replaced {
        Some(bytes) => text(call, bytes),
        None => {
            call.heap.reserve(usize::MAX)?;
            text(call, "")
        }
    }
}

pub(super) fn replace_all(call: &mut Call<'_>, args: &[Value]) -> Res {
    replace_with(call, args, false, false)
}

pub(super) fn must_replace_all(call: &mut Call<'_>, args: &[Value]) -> Res {
    replace_with(call, args, false, true)
}

pub(super) fn replace_all_literal(call: &mut Call<'_>, args: &[Value]) -> Res {
    replace_with(call, args, true, false)
}

pub(super) fn must_replace_all_literal(call: &mut Call<'_>, args: &[Value]) -> Res {
    replace_with(call, args, true, true)
}

fn split_with(call: &mut Call<'_>, args: &[Value], must: bool) -> Res {
    let pattern = compile(call, args[0], must)?;
    let ranges = pattern.split(call.heap.bytes(args[1]), int(args[2]));
    parts(call, args[1], ranges)
}

pub(super) fn split(call: &mut Call<'_>, args: &[Value]) -> Res {
    split_with(call, args, false)
}

pub(super) fn must_split(call: &mut Call<'_>, args: &[Value]) -> Res {
    split_with(call, args, true)
}

pub(super) fn quote_metacharacters(call: &mut Call<'_>, args: &[Value]) -> Res {
    let quoted = quote_meta(call.heap.bytes(args[0]));
    text(call, quoted)
}
