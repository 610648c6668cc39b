//! One text rendered with the function set of charts, outside any chart: what templates of other tools need that use the
//! same functions.

use crate::funcs::{self, RenderHost};
use crate::version::HelmVersion;
use base::{Json, Time, limits};
use gotmpl::{Heap, MissingKey, Options, Parsed, Set, Value};

/// Renders `text` under the name `base` with `params` as its dot. With `strict` a missing key is an error
/// (`missingkey=error`). Numbers are Go's float64, as decoded JSON holds them. The error has Go's words.
pub fn text(text: &str, params: &Json, strict: bool) -> Result<String, String> {
    const NAME: &str = "base";
    let parsed = Parsed::parse(NAME, text.as_bytes(), funcs::tables(HelmVersion::V3)).map_err(|e| e.message)?;
    let mut set = Set::new();
    set.add(&parsed);
    let mut heap = Heap::new(false);
    let mut host = RenderHost::new(HelmVersion::V3, Time(0), 0);
    let dot = value(&mut heap, params, 0);
    let missing_key = if strict { MissingKey::Error } else { MissingKey::Invalid };
    let options = Options { missing_key, ..Options::default() };
    let out = gotmpl::render(&set, NAME, NAME, dot, &mut heap, &mut host, &options).map_err(|e| e.text())?;
    Ok(String::from_utf8_lossy(&out.bytes).into_owned())
}

fn value(heap: &mut Heap, json: &Json, depth: usize) -> Value {
    if depth > limits::VALUE_DEPTH {
        return Value::NIL;
    }
    match json {
        Json::Null => Value::NIL,
        Json::Bool(b) => Value::bool(*b),
        Json::Int(n) => Value::float(*n as f64),
        Json::Float(f) => Value::float(*f),
        Json::Str(text) => heap.str(text.as_bytes().to_vec()),
        Json::List(items) => {
            let items: Vec<Value> = items.iter().map(|item| value(heap, item, depth + 1)).collect();
            heap.list(items)
        }
        Json::Map(entries) => {
            let map = heap.map();
            for (key, item) in entries.iter() {
                let item = value(heap, item, depth + 1);
                if let Some(id) = map.as_map() {
                    heap.set_str(id, key, item);
                }
            }
            map
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_missing_keys() {
        let params = Json::parse(r#"{"env":"dev","path":{"segments":["a","b"]},"n":3}"#).unwrap_or_default();
        assert_eq!(text("{{.env | upper}}-{{index .path.segments 1}}-{{.n}}", &params, true).as_deref(), Ok("DEV-b-3"));
        // Argo CD 3.5.2's words, in recording 10e.
        let error = text("envs/{{.nope}}", &params, true);
        let words = "template: base:1:7: executing \"base\" at <.nope>: map has no entry for key \"nope\"";
        assert_eq!(error, Err(words.to_string()));
    }
}
