//! Sprig's dictionaries. Maps are shared: `set`, `unset` and the merges change the map that they are given. Where Go's
//! order is random (`keys`, `values`) ours is by key.

use super::args::{Res, ok, panic, strval};
use gotmpl::{Call, Data, FuncError, Key, Kind, ListType, MapId, MapType, NilType, Value};

/// Nested maps that a merge follows.
const DEPTH: u32 = 400;

pub(super) fn dict(call: &mut Call<'_>, args: &[Value]) -> Res {
    let mut entries: Vec<(Key, Value)> = Vec::with_capacity(args.len().div_ceil(2));
    for pair in args.chunks(2) {
        let key = match pair[0].data {
            Data::Str(_) => call.heap.key(pair[0]),
            _ => Key::from(strval(call.heap, pair[0])),
        };
        let value = match pair.get(1) {
            Some(value) => value.unboxed(),
            None => call.heap.str(""),
        };
        entries.push((key, value));
    }
    ok(call.heap.map_of(MapType::ANY, entries))
}

pub(super) fn get(call: &mut Call<'_>, args: &[Value]) -> Res {
    let key = call.heap.key(args[1]);
    let Some(map) = args[0].as_map() else { return ok(call.heap.str("")) };
    match call.heap.get(map, &key) {
        Some(value) => {
            let value = value.with_label(call.heap.join(value.label, args[0].label));
            ok(call.heap.decided_by(value, args[1]))
        }
        None => {
            let missing = call.heap.str("");
            let label = if call.heap.tracing() { call.host.absent(call.heap, map, &key) } else { missing.label };
            ok(missing.with_label(label))
        }
    }
}

pub(super) fn set(call: &mut Call<'_>, args: &[Value]) -> Res {
    let Some(map) = args[0].as_map() else { return panic("assignment to entry in nil map") };
    let key = call.heap.key(args[1]);
    call.heap.reserve(0)?;
    call.heap.set(map, key, args[2]);
    ok(args[0])
}

pub(super) fn unset(call: &mut Call<'_>, args: &[Value]) -> Res {
    if let Some(map) = args[0].as_map() {
        let key = call.heap.key(args[1]);
        call.heap.remove(map, &key);
    }
    ok(args[0])
}

pub(super) fn has_key(call: &mut Call<'_>, args: &[Value]) -> Res {
    let Some(map) = args[0].as_map() else { return ok(false) };
    let key = call.heap.key(args[1]);
    match call.heap.get(map, &key) {
        Some(value) => {
            let label = call.heap.join(value.label, args[0].label);
            ok(Value::bool(true).with_label(label))
        }
        None => {
            let label = if call.heap.tracing() { call.host.absent(call.heap, map, &key) } else { args[0].label };
            ok(Value::bool(false).with_label(label))
        }
    }
}

pub(super) fn pluck(call: &mut Call<'_>, args: &[Value]) -> Res {
    let key = call.heap.key(args[0]);
    let found = args[1..].iter().filter_map(|v| call.heap.get(v.as_map()?, &key)).collect();
    ok(call.heap.list(found))
}

pub(super) fn keys(call: &mut Call<'_>, args: &[Value]) -> Res {
    let mut all: Vec<(Key, Value)> = Vec::new();
    for map in args.iter().filter_map(|v| v.as_map()) {
        all.extend(call.heap.entries(map).iter().cloned());
    }
    call.heap.spend(all.len() as u64)?;
    let names = all.into_iter().map(|(key, value)| call.heap.str(key).with_label(value.label)).collect();
    ok(call.heap.list_of(ListType::STRINGS, names))
}

pub(super) fn values(call: &mut Call<'_>, args: &[Value]) -> Res {
    let found = args[0].as_map().map(|map| call.heap.entries(map));
    let found = found.iter().flat_map(|entries| entries.iter().map(|(_, v)| *v)).collect();
    ok(call.heap.list(found))
}

pub(super) fn pick(call: &mut Call<'_>, args: &[Value]) -> Res {
    let mut kept = Vec::new();
    for name in &args[1..] {
        let key = call.heap.key(*name);
        if let Some(value) = args[0].as_map().and_then(|map| call.heap.get(map, &key)) {
            kept.push((key, value));
        }
    }
    ok(call.heap.map_of(MapType::ANY, kept))
}

pub(super) fn omit(call: &mut Call<'_>, args: &[Value]) -> Res {
    let entries = args[0].as_map().map(|map| call.heap.entries(map));
    let dropped: Vec<Key> = args[1..].iter().map(|name| call.heap.key(*name)).collect();
    let kept = entries.iter().flat_map(|e| e.iter()).filter(|(key, _)| !dropped.contains(key)).cloned().collect();
    ok(call.heap.map_of(MapType::ANY, kept))
}

pub(super) fn merge(call: &mut Call<'_>, args: &[Value]) -> Res {
    merge_all(call, args, false)
}

pub(super) fn merge_overwrite(call: &mut Call<'_>, args: &[Value]) -> Res {
    merge_all(call, args, true)
}

fn merge_all(call: &mut Call<'_>, args: &[Value], overwrite: bool) -> Res {
    let target = if args[0].as_map().is_some() { args[0] } else { call.heap.map() };
    let Some(target_id) = target.as_map() else { return ok(target) };
    for source in &args[1..] {
        if let Some(source) = source.as_map() {
            merge_into(call, target_id, source, overwrite, 0)?;
        } else if args[0].as_map().is_none() {
            return ok(args[0]);
        }
    }
    ok(target)
}

/// mergo's deep merge of maps. Without `overwrite` the target's values win unless they are empty; nested maps merge in
/// place, and maps that the target lacks become shared with the source.
fn merge_into(call: &mut Call<'_>, target: MapId, source: MapId, overwrite: bool, depth: u32) -> Result<(), FuncError> {
    if depth > DEPTH {
        return Err(FuncError::Limit("maps are nested too deeply to merge".into()));
    }
    for (key, new) in call.heap.entries(source).iter() {
        call.heap.spend(1)?;
        let old = call.heap.get(target, key);
        if new.is_nil() {
            if overwrite {
                call.heap.set(target, key.clone(), *new);
            }
            continue;
        }
        let new_kind = call.heap.kind(*new);
        let old_map = old.and_then(Value::as_map);
        if let (Some(inner), Some(new_map)) = (old_map, new.as_map()) {
            merge_into(call, inner, new_map, overwrite, depth + 1)?;
        }
        let old_kept = old.filter(|v| call.heap.truth(*v));
        if let Some(old) = old_kept {
            if new_kind == Kind::Slice && !overwrite || new_kind == Kind::Map && call.heap.kind(old) == Kind::Map {
                continue;
            }
            if !overwrite {
                continue;
            }
        }
        call.heap.set(target, key.clone(), *new);
    }
    Ok(())
}

pub(super) fn deep_copy(call: &mut Call<'_>, args: &[Value]) -> Res {
    if args[0].is_nil() {
        return panic("reflect: call of reflect.Value.Type on zero Value");
    }
    ok(call.heap.deep_copy(args[0])?)
}

pub(super) fn dig(call: &mut Call<'_>, args: &[Value]) -> Res {
    let [keys @ .., default, dict] = args else { return panic("dig needs at least three arguments") };
    if keys.is_empty() {
        return panic("dig needs at least three arguments");
    }
    let mut current = checked_map(call, *dict)?;
    for key in keys {
        if call.heap.as_str(*key).is_none() {
            let found = if key.is_nil() { "nil" } else { call.heap.type_name(*key) };
            return panic(format!("interface conversion: interface {{}} is {found}, not string"));
        }
    }
    for (i, key) in keys.iter().enumerate() {
        let name = call.heap.key(*key);
        let found = match current.data {
            Data::Map(map) => call.heap.get(map, &name).map(|v| (v, map)),
            _ => None,
        };
        let Some((value, _)) = found else {
            let label = match current.data {
                Data::Map(map) if call.heap.tracing() => call.host.absent(call.heap, map, &name),
                _ => current.label,
            };
            let absent = Value::NIL.with_label(label);
            return ok(call.heap.decided_by(*default, absent));
        };
        if i + 1 == keys.len() {
            return ok(value);
        }
        current = checked_map(call, value)?;
    }
    ok(*default)
}

/// A `map[string]interface {}` of exactly that type, or the panic of Go's type assertion.
fn checked_map(call: &mut Call<'_>, value: Value) -> Result<Value, FuncError> {
    let exact = match value.data {
        Data::Map(id) => call.heap.map_type(id).name == MapType::ANY.name,
        Data::NilOf(ty) => ty.name == NilType::MAP.name,
        _ => false,
    };
    if exact {
        return Ok(value);
    }
    let found = if value.is_nil() { "nil" } else { call.heap.type_name(value) };
    panic(format!("interface conversion: interface {{}} is {found}, not map[string]interface {{}}"))
}
