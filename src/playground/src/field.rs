//! Field paths as people write them: `spec.template.spec.containers[0].image`, with `["a.b/c"]` for keys that hold
//! dots.

use base::Json;

/// One part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A member of an object.
    Key(String),
    /// An item of a list.
    Index(usize),
    /// The first item of a list with this member.
    Where(String, String),
}

/// The parts of a path; text that is not a path gives what could be read.
pub fn parts(path: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let quoted = inner.strip_prefix('"').and_then(|q| q.split_once("\"]"));
            if let Some((key, after)) = quoted {
                parts.push(Part::Key(key.to_string()));
                rest = after;
                continue;
            }
            let Some((index, after)) = inner.split_once(']') else { break };
            if let Some((key, value)) = index.split_once('=') {
                parts.push(Part::Where(key.to_string(), value.to_string()));
                rest = after;
                continue;
            }
            let Ok(index) = index.parse() else { break };
            parts.push(Part::Index(index));
            rest = after;
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        if end == 0 && !rest.starts_with('[') {
            break;
        }
        if end > 0 {
            parts.push(Part::Key(rest[..end].to_string()));
        }
        rest = &rest[end..];
    }
    parts
}

/// The path of these parts as text.
pub fn text(parts: &[Part]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Index(index) => out.push_str(&format!("[{index}]")),
            Part::Where(key, value) => out.push_str(&format!("[{key}={value}]")),
            Part::Key(key) if key.contains(['.', '[', '/']) => out.push_str(&format!("[\"{key}\"]")),
            Part::Key(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(key);
            }
        }
    }
    out
}

/// The value at a path.
pub fn get<'a>(json: &'a Json, path: &str) -> Option<&'a Json> {
    parts(path).iter().try_fold(json, |node, part| match part {
        Part::Key(key) => node.get(key),
        Part::Index(index) => node.as_list()?.get(*index),
        Part::Where(key, value) => node.as_list()?.iter().find(|item| item.text_at(&[key.as_str()]) == value),
    })
}

/// `text` cut to `max` characters, with an ellipsis when something went.
pub fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_and_written() {
        let path = "spec.containers[0].env[\"a.b/c\"].x";
        assert_eq!(text(&parts(path)), path);
        let json = Json::parse(r#"{"spec":{"list":[{"n":7}]}}"#).unwrap();
        assert_eq!(get(&json, "spec.list[0].n"), Some(&Json::Int(7)));
        assert_eq!(get(&json, "spec.list[1].n"), None);
        let hooks = Json::parse(r#"{"l":[{"t":"Sync"},{"t":"PreSync","n":"m"}]}"#).unwrap();
        assert_eq!(get(&hooks, "l[t=PreSync].n"), Some(&"m".into()));
        assert_eq!(text(&parts("l[t=PreSync].n")), "l[t=PreSync].n");
        assert_eq!(parts("a..b"), vec![Part::Key("a".into())]);
        assert_eq!(cut("가나다", 2), "가나…");
    }
}
