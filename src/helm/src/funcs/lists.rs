//! Sprig's lists. Every function makes a new list; elements keep their own labels.

use super::args::{Res, int, nil_panic, ok, panic, str_values, strval, to_int};
use gotmpl::{Call, Data, FuncError, ListType, NilType, Value};
use std::rc::Rc;

/// The elements of a slice, or the error that the function of that wording gives for anything else.
fn elements(call: &mut Call<'_>, list: Value, what: &str) -> Result<Rc<Vec<Value>>, FuncError> {
    if list.is_nil() {
        return nil_panic();
    }
    match call.heap.elements(list) {
        Some(items) => {
            call.heap.spend(items.len() as u64)?;
            Ok(items)
        }
        None => Err(FuncError::Message(format!("{what}{}", call.heap.kind(list).name()))),
    }
}

pub(super) fn list(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(call.heap.list(args.iter().map(|v| v.unboxed()).collect()))
}

pub(super) fn append(call: &mut Call<'_>, args: &[Value]) -> Res {
    let mut items = elements(call, args[0], "Cannot push on type ")?.to_vec();
    items.push(args[1].unboxed());
    ok(call.heap.list(items))
}

pub(super) fn prepend(call: &mut Call<'_>, args: &[Value]) -> Res {
    let mut items = elements(call, args[0], "Cannot prepend on type ")?.to_vec();
    items.insert(0, args[1].unboxed());
    ok(call.heap.list(items))
}

pub(super) fn first(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = elements(call, args[0], "Cannot find first on type ")?;
    ok(items.first().copied().unwrap_or(Value::NIL))
}

pub(super) fn last(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = elements(call, args[0], "Cannot find last on type ")?;
    ok(items.last().copied().unwrap_or(Value::NIL))
}

fn sub_list(call: &mut Call<'_>, items: Option<&[Value]>) -> Res {
    match items {
        Some(items) => ok(call.heap.list(items.to_vec())),
        None => ok(Value::new(Data::NilOf(NilType::LIST))),
    }
}

pub(super) fn rest(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = elements(call, args[0], "Cannot find rest on type ")?;
    sub_list(call, items.split_first().map(|(_, rest)| rest))
}

pub(super) fn initial(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = elements(call, args[0], "Cannot find initial on type ")?;
    sub_list(call, items.split_last().map(|(_, rest)| rest))
}

pub(super) fn reverse(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = elements(call, args[0], "Cannot find reverse on type ")?;
    ok(call.heap.list(items.iter().rev().copied().collect()))
}

pub(super) fn compact(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = elements(call, args[0], "Cannot compact on type ")?;
    let kept = items.iter().copied().filter(|v| call.heap.truth(*v)).collect();
    ok(call.heap.list(kept))
}

fn contains(call: &mut Call<'_>, items: &[Value], needle: Value) -> Result<bool, FuncError> {
    call.heap.spend(items.len() as u64)?;
    Ok(items.iter().any(|item| call.heap.deep_equal(needle, *item)))
}

pub(super) fn uniq(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = elements(call, args[0], "Cannot find uniq on type ")?;
    let mut kept: Vec<Value> = Vec::new();
    for item in items.iter() {
        if !contains(call, &kept, *item)? {
            kept.push(*item);
        }
    }
    ok(call.heap.list(kept))
}

pub(super) fn without(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = elements(call, args[0], "Cannot find without on type ")?;
    let mut kept = Vec::new();
    for item in items.iter() {
        if !contains(call, &args[1..], *item)? {
            kept.push(*item);
        }
    }
    ok(call.heap.list(kept))
}

pub(super) fn has(call: &mut Call<'_>, args: &[Value]) -> Res {
    if args[1].is_nil() {
        return ok(false);
    }
    let items = elements(call, args[1], "Cannot find has on type ")?;
    ok(contains(call, &items, args[0])?)
}

pub(super) fn slice(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = elements(call, args[0], "list should be type of slice or array but ")?;
    if items.is_empty() {
        return ok(Value::NIL);
    }
    let start = args.get(1).map_or(0, |v| to_int(call.heap, *v));
    let end = args.get(2).map_or(items.len() as i64, |v| to_int(call.heap, *v));
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let Some(part) = range.and_then(|(start, end)| items.get(start..end)) else {
        return panic("reflect.Value.Slice: slice index out of bounds");
    };
    match args[0].data {
        Data::Bytes(_) => {
            let bytes = part.iter().map(|v| int(*v) as u8).collect::<Vec<_>>();
            ok(call.heap.byte_slice(bytes))
        }
        Data::List(id) => {
            let ty = call.heap.list_type(id);
            ok(call.heap.list_of(ty, part.to_vec()))
        }
        _ => ok(call.heap.list(part.to_vec())),
    }
}

pub(super) fn concat(call: &mut Call<'_>, args: &[Value]) -> Res {
    let mut all = Vec::new();
    for list in args {
        if list.is_nil() {
            return nil_panic();
        }
        let Some(items) = call.heap.elements(*list) else {
            return panic(format!("Cannot concat type {} as list", call.heap.kind(*list).name()));
        };
        call.heap.spend(items.len() as u64)?;
        call.heap.reserve((all.len() + items.len()) * size_of::<Value>())?;
        all.extend(items.iter().copied());
    }
    if all.is_empty() {
        return ok(Value::new(Data::NilOf(NilType::LIST)));
    }
    ok(call.heap.list(all))
}

pub(super) fn chunk(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = elements(call, args[1], "Cannot chunk type ")?;
    let size = int(args[0]);
    // The library computes the number of chunks in floating point, and makes that many.
    let count = ((items.len() as f64 - 1.0) / size as f64).floor() + 1.0;
    if !(0.0..1e15).contains(&count) {
        return panic("runtime error: makeslice: len out of range");
    }
    let size = usize::try_from(size).unwrap_or(usize::MAX).max(1);
    let chunks = items.chunks(size).map(<[Value]>::to_vec).collect::<Vec<_>>();
    let chunks = chunks.into_iter().map(|chunk| call.heap.list(chunk)).collect();
    ok(call.heap.list_of(ListType::LISTS, chunks))
}

pub(super) fn sort_alpha(call: &mut Call<'_>, args: &[Value]) -> Res {
    if call.heap.elements(args[0]).is_none() {
        let text = strval(call.heap, args[0]);
        return ok(call.heap.strings([text]));
    }
    let mut items = str_values(call.heap, args[0]);
    call.heap.spend(items.len() as u64 * 8)?;
    base::order::sort_by(&mut items, |a, b| call.heap.bytes(*a).cmp(call.heap.bytes(*b)));
    if let Data::List(id) = args[0].data
        && call.heap.list_type(id).name == ListType::STRINGS.name
    {
        // A []string is sorted in place.
        for (i, item) in items.iter().enumerate() {
            call.heap.set_item(id, i, *item);
        }
        return ok(args[0]);
    }
    ok(call.heap.list_of(ListType::STRINGS, items))
}
