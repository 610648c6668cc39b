//! "Who set this?": for a field of a rendered manifest, the template action that wrote it, the calls that led there,
//! and who claims the values it depends on; and the table of all values.

use crate::manifest::{BadDocument, Manifest};
use crate::notice::Log;
use crate::options::TemplateOptions;
use crate::origins::{Dependency, Read};
use crate::session::{Rendered, Trace, effective_values, root_value};
use crate::values::{Data, Value};
use base::{Claim, Diagnostic, Fate, Place, Span, World};
use gotmpl::{Dep, Mark, StackId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use yaml::PathSeg;

/// One value and who claims it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Dotted path from the root chart's values.
    pub path: Rc<str>,
    /// The effective value as JSON text; `None` when a null removed it.
    pub effective: Option<Rc<str>>,
    /// Claims, the winner first.
    pub claims: Vec<Claim>,
    /// Whether the render read it; false when there was no traced render.
    pub used: bool,
}

/// A template action that took part in writing something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionPlace {
    /// File and span: `{{ … }}` with its delimiters, or literal text.
    pub place: Place,
    /// Whether it is literal text of the template.
    pub literal: bool,
    /// The calls that led to it, innermost first: where the call is and the name that was called.
    pub stack: Vec<(Place, Rc<str>)>,
}

/// One dependency of an explained text.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// Dotted path from the root chart's values.
    pub path: Rc<str>,
    /// What was done with it.
    pub read: Read,
    /// Claims, the winner first. Empty for a key that nobody ever set.
    pub claims: Vec<Claim>,
}

/// Why a piece of a manifest reads as it does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Where the field's key and value are in the manifest's text.
    pub rendered: Span,
    /// The value's text as rendered.
    pub text: String,
    /// Actions that wrote the value, in the order of its text.
    pub actions: Vec<ActionPlace>,
    /// Values that flowed into the text.
    pub data: Vec<Reason>,
    /// Values that decided whether or which text was written.
    pub control: Vec<Reason>,
}

/// A field of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// By its path, such as `spec.template.spec.containers[0].image`.
    Path(&'a str),
    /// By a byte offset in the manifest's text.
    Offset(usize),
}

/// Explains a field of `rendered.manifests[manifest]` (or of a hook, counted on). `None` when there is no such field or
/// the render was not traced.
pub fn field(rendered: &Rendered, manifest: usize, field: &Field<'_>) -> Option<Explanation> {
    let trace = rendered.trace.as_ref()?;
    let manifest = rendered.manifests.iter().chain(&rendered.hooks).nth(manifest)?;
    let document = yaml::parse_first(&manifest.text.bytes).ok()??;
    let path = match field {
        Field::Path(path) => segments(path),
        Field::Offset(at) => yaml::field_at(&document, *at),
    };
    let (_, value) = yaml::span_of(&document, &path)?;
    Some(span(trace, manifest, value))
}

/// Explains a range of a manifest's text.
pub fn span(trace: &Trace, manifest: &Manifest, span: Span) -> Explanation {
    let range = span.start as usize..(span.end as usize).min(manifest.text.bytes.len());
    let mut explanation = Explanation {
        rendered: span,
        text: String::from_utf8_lossy(&manifest.text.bytes[range.clone()]).into_owned(),
        ..Explanation::default()
    };
    let mut data: BTreeSet<Dep> = BTreeSet::new();
    let mut control: BTreeSet<Dep> = BTreeSet::new();
    let first = manifest.text.marks.partition_point(|mark| mark.end as usize <= range.start);
    for mark in &manifest.text.marks[first..] {
        if mark.start as usize >= range.end {
            break;
        }
        // A quote mark or blank between two values is not worth an action of its own.
        data.extend(trace.heap.label_data(mark.label));
        control.extend(trace.heap.label_control(mark.label));
        if let Some(action) = action_of(trace, mark, &range)
            && !explanation.actions.contains(&action)
        {
            explanation.actions.push(action);
        }
    }
    explanation.data = reasons(trace, &data);
    explanation.control = reasons(trace, &control.difference(&data).copied().collect());
    explanation
}

/// The error at the line of the template that wrote the bad line of the document, with the calls that led there.
pub(crate) fn at_template(trace: &Trace, bad: BadDocument) -> Diagnostic {
    let bytes = &bad.text.bytes;
    let start = (bad.span.start as usize).min(bytes.len());
    let line = bytes[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let end = bytes[start..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| start + length);
    let written = |at: &usize| !bytes[*at].is_ascii_whitespace();
    let Some(first) = (start..end).find(written).or_else(|| (line..end).find(written)) else { return bad.error };
    let Some(action) = bad.text.mark_at(first).and_then(|mark| action_of(trace, mark, &(first..end))) else {
        return bad.error;
    };
    Diagnostic { trace: action.stack.into_iter().map(|(place, _)| place).collect(), ..bad.error.at(action.place) }
}

fn action_of(trace: &Trace, mark: &Mark, range: &std::ops::Range<usize>) -> Option<ActionPlace> {
    let mut span = mark.action.span;
    if mark.literal {
        // Literal text is byte-precise: cut it to what is asked about.
        let start = (mark.start as usize).max(range.start) - mark.start as usize;
        let end = (mark.end as usize).min(range.end) - mark.start as usize;
        span = Span::new(span.start as usize + start, span.start as usize + end);
    }
    let file = path_of(trace, mark.action.file)?;
    let mut stack = Vec::new();
    let mut at: StackId = mark.stack;
    while let Some((up, action, name)) = trace.heap.stack(at) {
        if let Some(file) = path_of(trace, action.file) {
            stack.push((Place { file, span: action.span }, name.clone()));
        }
        at = up;
    }
    Some(ActionPlace { place: Place { file, span }, literal: mark.literal, stack })
}

fn path_of(trace: &Trace, file: gotmpl::FileId) -> Option<Rc<str>> {
    let key = trace.heap.file(file)?;
    Some(trace.paths.get(key).unwrap_or(key).clone())
}

fn reasons(trace: &Trace, deps: &BTreeSet<Dep>) -> Vec<Reason> {
    let reason = |dep: &Dependency| Reason { path: dep.path.clone(), read: dep.read, claims: dep.claims() };
    deps.iter().filter_map(|dep| trace.origins.get(*dep)).map(reason).collect()
}

/// Reads `a.b[0].c`; a key with dots may stand in `["…"]`.
fn segments(path: &str) -> Vec<PathSeg> {
    let mut all = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let Some(end) = inner.find(']') else { break };
            let text = &inner[..end];
            all.push(match text.parse() {
                Ok(index) => PathSeg::Index(index),
                Err(_) => PathSeg::Key(text.trim_matches('"').into()),
            });
            rest = inner[end + 1..].trim_start_matches('.');
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            if end > 0 {
                all.push(PathSeg::Key(rest[..end].into()));
            }
            rest = rest[end..].strip_prefix('.').unwrap_or(&rest[end..]);
        }
    }
    all
}

/// All values of a chart under its layers with who claims them, sorted by path. With a traced render of the same
/// options, rows say whether they were used.
pub fn values_table(
    world: &dyn World,
    options: &TemplateOptions,
    rendered: Option<&Rendered>,
) -> Result<Vec<Row>, Diagnostic> {
    let values = match rendered {
        Some(rendered) => rendered.values.clone(),
        None => effective_values(world, options, &mut Log::default())?.1,
    };
    let used = rendered.map(used_paths).unwrap_or_default();
    let mut rows = BTreeMap::new();
    collect(&root_value(&values), "", &mut rows);
    Ok(rows
        .into_values()
        .map(|mut row: Row| {
            let inside = |path: &Rc<str>| {
                path.strip_prefix(&*row.path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            row.used = used.iter().any(inside);
            row
        })
        .collect())
}

/// Paths that anything printed depends on.
fn used_paths(rendered: &Rendered) -> BTreeSet<Rc<str>> {
    let Some(trace) = &rendered.trace else { return BTreeSet::new() };
    let mut labels = BTreeSet::new();
    for manifest in rendered.manifests.iter().chain(&rendered.hooks) {
        labels.extend(manifest.text.marks.iter().map(|mark| mark.label));
    }
    let heap = &trace.heap;
    let deps: BTreeSet<Dep> = labels
        .iter()
        .flat_map(|label| heap.label_data(*label).iter().chain(heap.label_control(*label)).copied())
        .collect();
    deps.iter().filter_map(|dep| trace.origins.get(*dep)).map(|dep| dep.path.clone()).collect()
}

fn collect(value: &Value, path: &str, rows: &mut BTreeMap<Rc<str>, Row>) {
    let Data::Map(table) = &value.data else {
        let row = Row {
            path: path.into(),
            effective: Some(value.to_json().to_raw_text().into()),
            claims: value.claims(),
            used: false,
        };
        rows.insert(path.into(), row);
        return;
    };
    let table = table.borrow();
    let join = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
    for (key, member) in &table.entries {
        collect(member, &join(key), rows);
    }
    for (key, losses) in table.removed.iter().filter(|(key, _)| !table.entries.contains_key(*key)) {
        let path: Rc<str> = join(key).into();
        let mut claims: Vec<Claim> =
            losses.iter().rev().filter_map(|loss| loss.value.claim(loss.fate.clone())).collect();
        base::order::sort_by_key(&mut claims, |claim| claim.fate != Fate::Won);
        rows.insert(path.clone(), Row { path, effective: None, claims, used: false });
    }
    if table.entries.is_empty() && !path.is_empty() {
        let row = Row { path: path.into(), effective: Some("{}".into()), claims: value.claims(), used: false };
        rows.insert(path.into(), row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read() {
        let key = |text: &str| PathSeg::Key(text.into());
        assert_eq!(segments("spec.ports[0].name"), [key("spec"), key("ports"), PathSeg::Index(0), key("name")]);
        assert_eq!(segments("metadata[\"a.b/c\"].d"), [key("metadata"), key("a.b/c"), key("d")]);
    }
}
