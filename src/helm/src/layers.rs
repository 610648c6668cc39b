//! The user's layers of values in Helm's fixed order: files from left to right, then `--set-json`, `--set`,
//! `--set-string`, `--set-file`, `--set-literal`. An Application's values are further layers of the same kinds.

use crate::metadata::Problem;
use crate::strvals::{self, Flavour};
use crate::values::{DEPTH, Data, Source, Table, TableRef, Value};
use crate::version::HelmVersion;
use base::{Diagnostic, Fate, Json, Layer, LayerKind, Place, Span, World};
use std::cell::RefCell;
use std::rc::Rc;
use yaml::{Located, LocatedValue};

const CODE: &str = "helm/values";

/// One source of whole values, in the place of a `-f` file.
#[derive(Clone, Debug, PartialEq)]
pub enum ValuesSource {
    /// A file of the World (`-f PATH`, an Application's `valueFiles`).
    File(String),
    /// YAML text that is not a file of its own: standard input, `helm.values` of an Application.
    Text {
        /// What it is.
        kind: LayerKind,
        /// File that the text is part of, when known.
        file: Option<Rc<str>>,
        /// The text.
        text: Rc<[u8]>,
    },
    /// Values that are already a tree: `helm.valuesObject` of an Application.
    Object {
        /// What it is.
        kind: LayerKind,
        /// File that it is part of, when known.
        file: Option<Rc<str>>,
        /// The tree.
        json: Json,
    },
}

/// One assignment in the grammar of `--set` and its like.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Which grammar.
    pub flavour: Flavour,
    /// The argument.
    pub text: String,
    /// What it is: a flag, or a parameter of an Application.
    pub kind: LayerKind,
    /// File that it is part of, when known.
    pub file: Option<Rc<str>>,
}

/// The order in which Helm applies the kinds of assignments.
const ORDER: [(Flavour, &str); 5] = [
    (Flavour::Json, "--set-json"),
    (Flavour::Typed, "--set"),
    (Flavour::Text, "--set-string"),
    (Flavour::File, "--set-file"),
    (Flavour::Literal, "--set-literal"),
];

/// The user's values out of all sources.
pub fn user_values(
    world: &dyn World,
    sources: &[ValuesSource],
    assignments: &[Assignment],
    version: HelmVersion,
) -> Result<TableRef, Diagnostic> {
    let values = TableRef::default();
    for (i, source) in sources.iter().enumerate() {
        let table = read_source(world, source, i as u32, version)?;
        merge(&values, &table);
    }
    let read = |path: &str| match path.trim() {
        "" => Err("open : no such file or directory".to_string()),
        path => world.read(path).map_err(|error| match error {
            base::FileError::IsDirectory => format!("read {path}: {error}"),
            _ => format!("open {path}: {error}"),
        }),
    };
    for (flavour, flag) in ORDER {
        for assignment in assignments.iter().filter(|a| a.flavour == flavour) {
            let layer = Rc::new(Layer { kind: assignment.kind.clone(), file: assignment.file.clone() });
            let text = assignment.text.trim();
            if version.is_v4() && flavour == Flavour::Json && text.starts_with('{') {
                let table = json_object(text, &layer).ok_or_else(|| {
                    Diagnostic::error(CODE, format!("failed parsing --set-json data JSON: {}", assignment.text))
                })?;
                merge(&values, &table);
                continue;
            }
            strvals::parse_into(&assignment.text, flavour, &values, &layer, &read, version).map_err(|text| {
                let message = match flavour {
                    Flavour::Json => format!("failed parsing --set-json data {}", assignment.text),
                    _ => format!("failed parsing {flag} data: {text}"),
                };
                Diagnostic::error(CODE, message)
            })?;
        }
    }
    Ok(values)
}

fn json_object(text: &str, layer: &Rc<Layer>) -> Option<TableRef> {
    let json = Json::parse(text).ok()?;
    let source = Some(Source { layer: layer.clone(), span: Span::new(0, text.len()) });
    Value::from_json(&json, &source, true)?.as_table().cloned()
}

fn read_source(
    world: &dyn World,
    source: &ValuesSource,
    index: u32,
    version: HelmVersion,
) -> Result<TableRef, Diagnostic> {
    match source {
        ValuesSource::File(path) => {
            let bytes = world.read(path).map_err(|error| {
                let verb = if error == base::FileError::IsDirectory { "read" } else { "open" };
                Diagnostic::error(CODE, format!("{verb} {path}: {error}"))
            })?;
            let file: Rc<str> = path.as_str().into();
            let layer = Rc::new(Layer { kind: LayerKind::ValuesFile(index), file: Some(file.clone()) });
            read_file(&bytes, &layer, version).map_err(|problem| parse_failure(path, problem, Some(file)))
        }
        ValuesSource::Text { kind, file, text } => {
            let layer = Rc::new(Layer { kind: kind.clone(), file: file.clone() });
            let name = file.as_deref().unwrap_or("-");
            read_file(text, &layer, version).map_err(|problem| parse_failure(name, problem, file.clone()))
        }
        ValuesSource::Object { kind, file, json } => {
            let layer = Rc::new(Layer { kind: kind.clone(), file: file.clone() });
            let source = Some(Source { layer, span: Span::default() });
            let value = Value::from_json(json, &source, true);
            let value = value.ok_or_else(|| Diagnostic::error(CODE, "values are nested too deeply"))?;
            Ok(value.as_table().cloned().unwrap_or_default())
        }
    }
}

fn parse_failure(path: &str, problem: Problem, file: Option<Rc<str>>) -> Diagnostic {
    let diagnostic = Diagnostic::error(CODE, format!("failed to parse {path}: {}", problem.message));
    match file {
        Some(file) => diagnostic.at(Place { file, span: problem.span.unwrap_or_default() }),
        None => diagnostic,
    }
}

/// The values of a YAML text. Helm 3 reads the first document, Helm 4 merges all of them.
pub fn read_file(text: &[u8], layer: &Rc<Layer>, version: HelmVersion) -> Result<TableRef, Problem> {
    if !version.is_v4() {
        return read_document(text, 0, layer);
    }
    let values = TableRef::default();
    for range in documents(text) {
        let table = read_document(&text[range.clone()], range.start, layer).map_err(|problem| Problem {
            message: format!("cannot unmarshal yaml document: {}", problem.message),
            ..problem
        })?;
        merge(&values, &table);
    }
    Ok(values)
}

/// The documents of a stream as Kubernetes' reader splits it: at lines that are `---` and blanks.
fn documents(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive(|&b| b == b'\n') {
        let end = at + line.len();
        if line.strip_prefix(b"---").is_some_and(|rest| rest.trim_ascii().is_empty()) {
            if at > start {
                ranges.push(start..at);
            }
            start = end;
        }
        at = end;
    }
    if at > start {
        ranges.push(start..at);
    }
    ranges
}

fn read_document(text: &[u8], offset: usize, layer: &Rc<Layer>) -> Result<TableRef, Problem> {
    let shift = |span: Span| Span::new(span.start as usize + offset, span.end as usize + offset);
    let root =
        yaml::located(text).map_err(|error| Problem { message: error.converting(), span: Some(shift(error.span)) })?;
    let Some(root) = root else { return Ok(TableRef::default()) };
    let kind = match &root.json {
        LocatedValue::Map(_) | LocatedValue::Null => "",
        LocatedValue::Bool(_) => "bool",
        LocatedValue::Int(_) | LocatedValue::Float(_) => "number",
        LocatedValue::Str(_) => "string",
        LocatedValue::List(_) => "array",
    };
    if !kind.is_empty() {
        let message = format!(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
        );
        return Err(Problem { message, span: Some(shift(root.span)) });
    }
    let too_deep = || Problem { message: "values are nested too deeply".to_string(), span: Some(shift(root.span)) };
    let value = from_located(&root, layer, offset, 0).ok_or_else(too_deep)?;
    Ok(value.as_table().cloned().unwrap_or_default())
}

/// A located tree as values: all numbers are floats. `None` when it is nested too deeply.
fn from_located(node: &Located, layer: &Rc<Layer>, offset: usize, depth: usize) -> Option<Value> {
    if depth > DEPTH {
        return None;
    }
    let data = match &node.json {
        LocatedValue::Null => Data::Null,
        LocatedValue::Bool(b) => Data::Bool(*b),
        LocatedValue::Int(n) => Data::Float(*n as f64),
        LocatedValue::Float(f) => Data::Float(*f),
        LocatedValue::Str(text) => Data::Str(Rc::from(text.clone())),
        LocatedValue::List(items) => {
            let items: Option<Vec<Value>> =
                items.iter().map(|item| from_located(item, layer, offset, depth + 1)).collect();
            Data::List(Rc::new(items?))
        }
        LocatedValue::Map(members) => {
            let mut table = Table::default();
            for (key, member) in members {
                table.entries.insert(key.clone(), from_located(member, layer, offset, depth + 1)?);
            }
            Data::Map(Rc::new(RefCell::new(table)))
        }
    };
    let span = node.key_span.map_or(node.span, |key| key.join(node.span));
    let span = Span::new(span.start as usize + offset, span.end as usize + offset);
    Some(Value::new(data, Some(Source { layer: layer.clone(), span })))
}

/// Merges the stronger `over` into `into`: tables deeply, everything else replaced, nulls kept as nulls.
pub fn merge(into: &TableRef, over: &TableRef) {
    let entries: Vec<(Rc<str>, Value)> =
        over.borrow().entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    for (key, mut value) in entries {
        let old = into.borrow().get(&key).cloned();
        if let Some(old) = old {
            if let (Some(weak), Some(strong)) = (old.as_table(), value.as_table()) {
                merge(weak, strong);
                continue;
            }
            let lists = matches!((&old.data, &value.data), (Data::List(_), Data::List(_)));
            value.beat(&old, if lists { Fate::ListReplaced } else { Fate::Overridden });
        }
        into.borrow_mut().entries.insert(key, value);
    }
}
