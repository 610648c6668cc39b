//! Rendering all templates of a chart tree in Helm's order, and Helm's clean-up of their errors
//! (`pkg/engine/engine.go`).

use crate::context::{self, Renderable};
use crate::funcs;
use crate::funcs::{PARENT, RenderHost, WARN_END, WARN_START};
use crate::manifest::RenderedFile;
use crate::session::ParsedTemplates;
use crate::version::HelmVersion;
use base::SortedMap;
use base::{Diagnostic, Place};
use gotmpl::{ExecError, Heap, Options, Set};
use std::rc::Rc;

/// Renders every template that is not a partial. Files come back sorted by key. Errors have Helm's words; their places
/// name the files of the World.
pub fn render(
    mut templates: Vec<Renderable>,
    heap: &mut Heap,
    host: &mut RenderHost,
    cache: &mut ParsedTemplates,
    version: HelmVersion,
) -> Result<Vec<RenderedFile>, Diagnostic> {
    // Deepest paths first, and within a depth the last name first.
    base::order::sort_by(&mut templates, |a, b| {
        let depth = |r: &Renderable| r.key.bytes().filter(|b| *b == b'/').count();
        depth(b).cmp(&depth(a)).then_with(|| b.key.cmp(&a.key))
    });
    let paths: SortedMap<Rc<str>, Rc<str>> =
        templates.iter().map(|template| (template.key.clone(), template.file.path.clone())).collect();
    let mut set = Set::new();
    for template in &templates {
        let parsed = cache
            .parse(&template.key, &template.file.data, funcs::tables(version), version)
            .map_err(|error| locate(parse_error(&template.key, error), &paths))?;
        set.add(&parsed);
    }
    let mut rendered = Vec::with_capacity(templates.len());
    for template in &templates {
        let base = template.key.rsplit('/').next().unwrap_or(&template.key);
        if base.starts_with('_') {
            continue;
        }
        context::set_template(heap, template, version);
        let text = gotmpl::render(&set, &template.key, PARENT, template.dot, heap, host, &Options::default())
            .map_err(|error| locate(exec_error(&template.key, &error, version), &paths))?;
        rendered.push(RenderedFile {
            source: template.key.clone(),
            path: template.file.path.clone(),
            text: text.without(b"<no value>"),
        });
    }
    base::order::sort_by(&mut rendered, |a, b| a.source.cmp(&b.source));
    Ok(rendered)
}

/// Names the World's files instead of template keys.
fn locate(mut diagnostic: Diagnostic, paths: &SortedMap<Rc<str>, Rc<str>>) -> Diagnostic {
    let rename = |place: &mut Place| {
        if let Some(path) = paths.get(&place.file) {
            place.file = path.clone();
        }
    };
    diagnostic.primary.iter_mut().for_each(rename);
    diagnostic.trace.iter_mut().for_each(rename);
    diagnostic.labels.iter_mut().for_each(|label| rename(&mut label.place));
    diagnostic
}

/// Helm keeps the location and what stands after the last `: `.
fn parse_error(key: &str, error: Diagnostic) -> Diagnostic {
    let parts: Vec<&str> = error.message.split(": ").collect();
    let message = match parts.as_slice() {
        [_, location, .., last] => format!("parse error at ({location}): {last}"),
        [_, location] => format!("parse error at ({location}): {location}"),
        _ => format!("parse error in ({key}): {}", error.message),
    };
    Diagnostic { message, code: "helm/parse", ..error }
}

/// `required` and `fail` show only their own words and the outermost place; Helm 4 prints levels on lines of their own.
fn exec_error(key: &str, error: &ExecError, version: HelmVersion) -> Diagnostic {
    let diagnostic = Diagnostic { code: "helm/render", ..error.diagnostic() };
    let text = error.text();
    if error.levels.is_empty() {
        return Diagnostic { message: text, ..diagnostic };
    }
    let mut parts = text.splitn(3, ": ");
    let (Some(_), Some(location), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return Diagnostic { message: format!("execution error in ({key}): {text}"), ..diagnostic };
    };
    if let (Some(start), Some(end)) = (rest.find(WARN_START), rest.rfind(WARN_END))
        && start + WARN_START.len() <= end
    {
        let words = &rest[start + WARN_START.len()..end];
        return Diagnostic { message: format!("execution error at ({location}): {words}"), ..diagnostic };
    }
    let message = if version.is_v4() { levels_on_lines(error).unwrap_or(text) } else { text };
    Diagnostic { message, ..diagnostic }
}

/// Helm 4's form; `None` when a level of the error does not read as one of text/template.
fn levels_on_lines(error: &ExecError) -> Option<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut push = |block: String| {
        if blocks.last() != Some(&block) {
            blocks.push(block);
        }
    };
    for (i, level) in error.levels.iter().enumerate() {
        let innermost = i + 1 == error.levels.len();
        let calls = level.message.starts_with("error calling ");
        let bare = calls && level.message.ends_with(": ") && level.message.matches(": ").count() == 1;
        // A function's own error ends the chain with a text that is not a template's.
        let opaque = if innermost && error.message.is_empty() { calls } else { !bare };
        if opaque {
            return None;
        }
        let rest: String =
            error.levels.iter().skip(i + 1).map(|level| format!("template: {}: ", level.location)).collect();
        let mut message = format!("{}{rest}{}", level.message, if innermost { error.message.as_str() } else { "" });
        if let Some(cut) = message.find(" template:") {
            message.truncate(cut);
        }
        let name = crate::strvals::quote(&level.name);
        let executing = format!("executing {name} at <{}>:", level.context);
        push(format!("{}\n  {executing}\n    {message}\n", level.location));
    }
    if !error.message.is_empty() {
        if !error.message.starts_with("template: no template ") {
            return None;
        }
        push(format!("{}\n", error.message));
    }
    Some(blocks.concat().trim().to_string())
}
