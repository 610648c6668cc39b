//! YAML and JSON in and out: Helm's `toYaml`, `toYamlPretty`, `fromYaml`, `fromYamlArray`, `toJson`, `fromJson`,
//! `fromJsonArray`, and Sprig's `toPrettyJson`, `toRawJson` and the `must` forms.

use super::args::{Res, ok, panic, text};
use super::gojson;
use base::Json;
use gotmpl::{Call, Data, FuncError, Heap, Label, NilType, TextBuilder, Value};
use std::ops::Range;
use std::rc::Rc;
use yaml::PathSeg;

/// The JSON form of a value, or Go's error text.
fn json_of(heap: &Heap, value: Value) -> Result<Json, String> {
    heap.to_json(value).map_err(|error| match error {
        FuncError::Message(text) | FuncError::Panic(text) | FuncError::Limit(text) | FuncError::Nested(text, _) => text,
    })
}

/// JSON as the YAML step reads it again: whole numbers are integers whatever their Go type was.
fn whole_numbers(json: Json) -> Json {
    match json {
        Json::Float(f) if f.fract() == 0.0 && f.abs() < 9_223_372_036_854_775_808.0 => Json::Int(f as i64),
        Json::List(items) => Json::list(items.iter().cloned().map(whole_numbers)),
        Json::Map(members) => Json::map(members.iter().map(|(k, v)| (k.clone(), whole_numbers(v.clone())))),
        other => other,
    }
}

/// The value at a path below `root`.
fn at_path(heap: &Heap, root: Value, path: &[PathSeg]) -> Option<Value> {
    path.iter().try_fold(root, |value, seg| match (seg, value.data) {
        (PathSeg::Key(key), Data::Map(map)) => heap.get(map, key.as_bytes()),
        (PathSeg::Index(i), Data::List(list)) => heap.items(list).get(*i).copied(),
        _ => None,
    })
}

/// `toYaml` with the label of every value on its key and its text.
fn traced_yaml(heap: &mut Heap, root: Value, json: &Json) -> Option<Value> {
    let mut found: Vec<(Range<usize>, Label)> = Vec::new();
    let emitted = {
        let mut report = |path: &[PathSeg], key: Option<Range<usize>>, range: Range<usize>| {
            let Some(value) = at_path(heap, root, path) else { return };
            let label = heap.label_of(value);
            found.extend(key.map(|key| (key, label)));
            // A collection's own text is its members' and some punctuation.
            let leaf = !matches!(value.data, Data::Map(_) | Data::List(_)) || heap.len(value) == Some(0);
            if leaf {
                found.push((range, label));
            }
        };
        yaml::emit_v2_traced(json, &mut report).ok()?
    };
    base::order::sort_by_key(&mut found, |(range, _)| range.start);
    let emitted = emitted.strip_suffix('\n').unwrap_or(&emitted).as_bytes();
    let mut out = TextBuilder::new();
    let mut at = 0;
    for (range, label) in found {
        let range = range.start.max(at)..range.end.min(emitted.len());
        if range.start >= range.end {
            continue;
        }
        out.push(&emitted[at..range.start]);
        out.push_labeled(&emitted[range.clone()], label);
        at = range.end;
    }
    out.push(&emitted[at..]);
    let value = super::args::finish(heap, out, &[root]);
    Some(value.with_label(root.label))
}

fn yaml_text(call: &mut Call<'_>, value: Value) -> Result<Value, String> {
    let json = whole_numbers(json_of(call.heap, value)?);
    if call.heap.tracing()
        && matches!(value.data, Data::Map(_) | Data::List(_))
        && let Some(marked) = traced_yaml(call.heap, value, &json)
    {
        return Ok(marked);
    }
    let mut emitted = yaml::try_emit_v2(&json).map_err(|error| error.to_string())?;
    if emitted.ends_with('\n') {
        emitted.pop();
    }
    let out = call.heap.str(emitted);
    Ok(call.heap.also_from(out, value))
}

pub(super) fn to_yaml(call: &mut Call<'_>, args: &[Value]) -> Res {
    match yaml_text(call, args[0]) {
        Ok(value) => ok(value),
        Err(_) => text(call, ""),
    }
}

pub(super) fn must_to_yaml(call: &mut Call<'_>, args: &[Value]) -> Res {
    match yaml_text(call, args[0]) {
        Ok(value) => ok(value),
        Err(error) => panic(error),
    }
}

pub(super) fn to_yaml_pretty(call: &mut Call<'_>, args: &[Value]) -> Res {
    let Ok(json) = json_of(call.heap, args[0]) else { return text(call, "") };
    let mut emitted = yaml::emit_v3_pretty(&json);
    if emitted.ends_with('\n') {
        emitted.pop();
    }
    text(call, emitted)
}

/// A map with the error under `Error`, which is how Helm's `from…` functions report.
fn error_map(call: &mut Call<'_>, error: String) -> Res {
    let map = call.heap.map();
    let error = call.heap.str(error);
    if let Some(id) = map.as_map() {
        call.heap.set_str(id, "Error", error);
    }
    ok(map)
}

fn error_list(call: &mut Call<'_>, error: String) -> Res {
    let error = call.heap.str(error);
    ok(call.heap.list(vec![error]))
}

/// What everything inside a decoded text depends on.
fn source_label(call: &mut Call<'_>, source: Value) -> Label {
    call.heap.label_of(source)
}

fn mismatch(json: &Json, ty: &str) -> String {
    format!("json: cannot unmarshal {} into Go value of type {ty}", gojson::kind(json))
}

/// What was read, and an error beside it that leaves the value standing.
type Decoded = Result<(Json, Option<String>), String>;

fn map_result(call: &mut Call<'_>, json: Decoded, source: Value, prefix: &str) -> Res {
    match json {
        Ok((Json::Null, _)) => ok(Value::new(Data::NilOf(NilType::MAP))),
        Ok((json @ Json::Map(_), error)) => {
            let label = source_label(call, source);
            let map = call.heap.from_json(&json, false, label);
            if let (Some(id), Some(error)) = (map.as_map(), error) {
                let error = call.heap.str(error);
                call.heap.set_str(id, "Error", error);
            }
            ok(map)
        }
        Ok((other, _)) => error_map(call, format!("{prefix}{}", mismatch(&other, "map[string]interface {}"))),
        Err(error) => error_map(call, error),
    }
}

fn list_result(call: &mut Call<'_>, json: Decoded, source: Value, prefix: &str) -> Res {
    match json {
        Ok((Json::Null, _)) => ok(Value::new(Data::NilOf(NilType::LIST))),
        Ok((Json::List(_), Some(error))) => error_list(call, error),
        Ok((json @ Json::List(_), None)) => {
            let label = source_label(call, source);
            ok(call.heap.from_json(&json, false, label))
        }
        Ok((other, _)) => error_list(call, format!("{prefix}{}", mismatch(&other, "[]interface {}"))),
        Err(error) => error_list(call, error),
    }
}

/// The first document of a YAML text; `empty` when there is none.
fn decoded_yaml(text: &[u8], empty: Json) -> Decoded {
    match yaml::located(text) {
        Ok(document) => Ok((document.map_or(empty, |value| value.to_json()), None)),
        Err(error) => Err(error.converting()),
    }
}

const YAML_PREFIX: &str = "error unmarshaling JSON: while decoding JSON: ";

pub(super) fn from_yaml(call: &mut Call<'_>, args: &[Value]) -> Res {
    let json = decoded_yaml(call.heap.bytes(args[0]), Json::Map(Rc::default()));
    map_result(call, json, args[0], YAML_PREFIX)
}

pub(super) fn from_yaml_array(call: &mut Call<'_>, args: &[Value]) -> Res {
    let json = decoded_yaml(call.heap.bytes(args[0]), Json::List(Rc::default()));
    list_result(call, json, args[0], YAML_PREFIX)
}

pub(super) fn from_json(call: &mut Call<'_>, args: &[Value]) -> Res {
    let json = gojson::parse(call.heap.bytes(args[0]));
    map_result(call, json, args[0], "")
}

pub(super) fn from_json_array(call: &mut Call<'_>, args: &[Value]) -> Res {
    let json = gojson::parse(call.heap.bytes(args[0]));
    list_result(call, json, args[0], "")
}

pub(super) fn must_from_json(call: &mut Call<'_>, args: &[Value]) -> Res {
    let (json, error) = gojson::parse(call.heap.bytes(args[0])).map_err(FuncError::Message)?;
    if let Some(error) = error {
        return Err(FuncError::Message(error));
    }
    let label = source_label(call, args[0]);
    ok(call.heap.from_json(&json, false, label))
}

/// Renders JSON and finishes it; an error gives "" or itself.
fn json_text(call: &mut Call<'_>, value: Value, html: bool, finish: fn(String) -> String, must: bool) -> Res {
    match gojson::marshal(call.heap, value, html) {
        Ok(json) => {
            let out = call.heap.str(finish(json));
            ok(deep_label(call, out, value))
        }
        Err(error) if must => Err(FuncError::Message(error)),
        Err(_) => text(call, ""),
    }
}

/// `out` with the labels of everything inside `value`.
fn deep_label(call: &mut Call<'_>, mut out: Value, value: Value) -> Value {
    if !call.heap.tracing() {
        return out;
    }
    let mut work = vec![(value, 0)];
    while let Some((value, depth)) = work.pop() {
        out = call.heap.also_from(out, value);
        match value.data {
            Data::Map(map) if depth < 64 => {
                work.extend(call.heap.entries(map).iter().map(|(_, v)| (*v, depth + 1)));
            }
            Data::List(list) if depth < 64 => work.extend(call.heap.items(list).iter().map(|v| (*v, depth + 1))),
            _ => {}
        }
        if call.heap.spend(1).is_err() {
            break;
        }
    }
    out
}

pub(super) fn to_json(call: &mut Call<'_>, args: &[Value]) -> Res {
    json_text(call, args[0], true, |json| json, false)
}

pub(super) fn must_to_json(call: &mut Call<'_>, args: &[Value]) -> Res {
    json_text(call, args[0], true, |json| json, true)
}

pub(super) fn to_pretty_json(call: &mut Call<'_>, args: &[Value]) -> Res {
    json_text(call, args[0], true, |json| gojson::indent(&json), false)
}

pub(super) fn must_to_pretty_json(call: &mut Call<'_>, args: &[Value]) -> Res {
    json_text(call, args[0], true, |json| gojson::indent(&json), true)
}

pub(super) fn to_raw_json(call: &mut Call<'_>, args: &[Value]) -> Res {
    json_text(call, args[0], false, |json| json, true)
}
