//! Label and field selectors.

use crate::status::Status;
use base::Json;

/// One requirement of a label selector.
#[derive(Clone, Debug, PartialEq)]
struct Requirement {
    key: String,
    /// `in`, `notin`, `exists`, `!`.
    operator: &'static str,
    values: Vec<String>,
}

/// A parsed label selector; the empty one selects everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Labels(Vec<Requirement>);

impl Labels {
    /// Reads the text form (`a=b,c!=d,e in (x,y),f,!g`).
    pub(crate) fn parse(text: &str) -> Result<Labels, Status> {
        let mut out = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let mut depth = 0;
            let end = rest
                .find(|c| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    c == ',' && depth == 0
                })
                .unwrap_or(rest.len());
            out.push(requirement(rest[..end].trim(), text)?);
            rest = rest.get(end + 1..).unwrap_or("").trim_start();
        }
        Ok(Labels(out))
    }

    /// Reads a `LabelSelector` object.
    pub(crate) fn of(selector: &Json) -> Labels {
        let mut out: Vec<Requirement> = Vec::new();
        for (key, value) in selector.get("matchLabels").and_then(Json::as_map).into_iter().flatten() {
            let values = vec![value.as_str().unwrap_or("").to_string()];
            out.push(Requirement { key: key.to_string(), operator: "in", values });
        }
        for item in selector.items_at(&["matchExpressions"]) {
            let operator = match item.text_at(&["operator"]) {
                "In" => "in",
                "NotIn" => "notin",
                "Exists" => "exists",
                _ => "!",
            };
            let values = item.items_at(&["values"]).iter().filter_map(Json::as_str).map(str::to_string).collect();
            out.push(Requirement { key: item.text_at(&["key"]).to_string(), operator, values });
        }
        Labels(out)
    }

    /// True when an object's labels match.
    pub(crate) fn matches(&self, object: &Json) -> bool {
        let labels = object.at(&["metadata", "labels"]);
        self.0.iter().all(|r| {
            let value = labels.and_then(|l| l.get(&r.key)).and_then(Json::as_str);
            match r.operator {
                "in" => value.is_some_and(|v| r.values.iter().any(|w| w == v)),
                "notin" => value.is_none_or(|v| r.values.iter().all(|w| w != v)),
                "exists" => value.is_some(),
                _ => value.is_none(),
            }
        })
    }

    /// True when it selects everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn requirement(text: &str, whole: &str) -> Result<Requirement, Status> {
    let list = |values: &str| -> Vec<String> {
        values.trim().trim_start_matches('(').trim_end_matches(')').split(',').map(|v| v.trim().to_string()).collect()
    };
    let make = |key: &str, operator, values| Requirement { key: key.trim().to_string(), operator, values };
    if let Some((key, value)) = text.split_once("!=") {
        return Ok(make(key, "notin", vec![value.trim().to_string()]));
    }
    if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return Ok(make(key, "in", vec![value.trim().to_string()]));
    }
    if let Some((key, values)) = text.split_once(" notin ").or_else(|| text.split_once(" notin(")) {
        return Ok(make(key, "notin", list(values)));
    }
    if let Some((key, values)) = text.split_once(" in ").or_else(|| text.split_once(" in(")) {
        return Ok(make(key, "in", list(values)));
    }
    if let Some(key) = text.strip_prefix('!') {
        return Ok(make(key, "!", Vec::new()));
    }
    if text.is_empty() || text.contains([' ', '(', ')', '<', '>']) {
        return Err(Status::bad_request(format!(
            "unable to parse requirement: found '{text}', expected: identifier in \"{whole}\""
        )));
    }
    Ok(make(text, "exists", Vec::new()))
}

/// True when a field selector (`a.b=c,d!=e`) matches an object.
pub(crate) fn fields_match(text: &str, object: &Json) -> bool {
    text.split(',').filter(|part| !part.trim().is_empty()).all(|part| {
        let (path, wanted, equal) = match part.split_once("!=") {
            Some((path, value)) => (path, value, false),
            None => match part.split_once("==").or_else(|| part.split_once('=')) {
                Some((path, value)) => (path, value, true),
                None => return false,
            },
        };
        let keys: Vec<&str> = path.trim().split('.').collect();
        let found = match object.at(&keys) {
            Some(Json::Str(text)) => text.to_string(),
            Some(Json::Null) | None => String::new(),
            Some(other) => other.to_raw_text(),
        };
        (found == wanted.trim()) == equal
    })
}
