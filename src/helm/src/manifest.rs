//! Rendered files become manifests: documents are split, their heads read, hooks told apart, all sorted by kind
//! (Helm's `pkg/releaseutil/{manifest,manifest_sorter}.go`).

use crate::notice::Log;
use crate::order;
use crate::strvals::quote;
use crate::version::HelmVersion;
use base::{Diagnostic, Place, Span};
use gotmpl::Marked;
use std::ops::Range;
use std::rc::Rc;
use yaml::{Located, LocatedValue};

/// The annotation that makes a hook.
const HOOK: &str = "helm.sh/hook";
const WEIGHT: &str = "helm.sh/hook-weight";
const DELETE_POLICY: &str = "helm.sh/hook-delete-policy";

/// One document of the render.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Key of the template it came from (`web/templates/deployment.yaml`): Helm's `# Source:`.
    pub source: Rc<str>,
    /// Path of the template in the World, for links to the editor.
    pub path: Rc<str>,
    /// `apiVersion`, empty when absent.
    pub api_version: Rc<str>,
    /// `kind`, empty when absent.
    pub kind: Rc<str>,
    /// `metadata.name`, empty when absent.
    pub name: Rc<str>,
    /// The document, with marks when the render was traced.
    pub text: Marked,
    /// Set for a hook.
    pub hook: Option<Hook>,
}

/// What makes a manifest a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hook {
    /// Events, such as `pre-install` and `test`.
    pub events: Vec<&'static str>,
    /// Weight; 0 when absent or not a number.
    pub weight: i64,
    /// Delete policies as written, lower-cased and trimmed.
    pub delete_policies: Vec<Rc<str>>,
}

impl Manifest {
    /// The document as text; invalid UTF-8 is replaced.
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.text.bytes).into_owned()
    }

    /// True for a hook with the test event.
    pub fn is_test(&self) -> bool {
        self.hook.as_ref().is_some_and(|hook| hook.events.contains(&"test"))
    }
}

/// A rendered file.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderedFile {
    /// Key of the template.
    pub source: Rc<str>,
    /// Path of the template in the World.
    pub path: Rc<str>,
    /// Its output.
    pub text: Marked,
}

/// A document that is not YAML, or not an object's.
#[derive(Clone, Debug)]
pub struct BadDocument {
    /// The error in Helm's words; its place is in the template's output, under the template's key.
    pub error: Diagnostic,
    /// The document with its marks, which tell the template's own line.
    pub text: Marked,
    /// Where in the document.
    pub span: Span,
}

/// Splits files (sorted by key) into manifests and hooks, each sorted by kind.
pub fn sort_files(
    files: &[RenderedFile],
    version: HelmVersion,
    log: &mut Log,
) -> Result<(Vec<Manifest>, Vec<Manifest>), Box<BadDocument>> {
    let (mut manifests, mut hooks) = (Vec::new(), Vec::new());
    for file in files {
        let base = file.source.rsplit('/').next().unwrap_or(&file.source);
        if base.starts_with('_') || trim_range(&file.text.bytes, 0..file.text.bytes.len()).is_empty() {
            continue;
        }
        for range in split(&file.text.bytes, version) {
            let text = file.text.slice(range);
            let head = Head::read(&text.bytes, version).map_err(|(message, span)| {
                let message = format!("YAML parse error on {}: {message}", file.source);
                let error = Diagnostic::error("helm/manifest", message).at(Place { file: file.source.clone(), span });
                Box::new(BadDocument { error, text: text.clone(), span })
            })?;
            let mut manifest = Manifest {
                source: file.source.clone(),
                path: file.path.clone(),
                api_version: head.api_version.as_str().into(),
                kind: head.kind.as_str().into(),
                name: head.name.as_str().into(),
                text,
                hook: None,
            };
            let Some(hook) = head.annotation(HOOK) else {
                manifests.push(manifest);
                continue;
            };
            let events: Option<Vec<&'static str>> = hook.split(',').map(event).collect();
            let Some(events) = events else {
                let text = match version {
                    HelmVersion::V3 => format!("info: skipping unknown hook: {}", quote(hook)),
                    HelmVersion::V4 => format!("skipping unknown hooks\" hookTypes=\"{hook}"),
                };
                log.info("manifest_sorter.go:199", "helm/hook", text);
                continue;
            };
            let policies = head.annotation(DELETE_POLICY).unwrap_or_default().split(',');
            let policies = policies.map(|policy| Rc::from(policy.trim().to_lowercase()));
            manifest.hook = Some(Hook {
                events,
                weight: head.annotation(WEIGHT).and_then(|text| text.parse().ok()).unwrap_or(0),
                delete_policies: policies.filter(|policy: &Rc<str>| !policy.is_empty()).collect(),
            });
            hooks.push(manifest);
        }
    }
    base::order::sort_by(&mut manifests, |a, b| order::compare(&a.kind, &b.kind, version));
    base::order::sort_by(&mut hooks, |a, b| order::compare(&a.kind, &b.kind, version));
    Ok((manifests, hooks))
}

fn event(name: &str) -> Option<&'static str> {
    const EVENTS: [&str; 9] = [
        "pre-install",
        "post-install",
        "pre-delete",
        "post-delete",
        "pre-upgrade",
        "post-upgrade",
        "pre-rollback",
        "post-rollback",
        "test",
    ];
    let name = name.trim().to_lowercase();
    if name == "test-success" {
        return Some("test");
    }
    EVENTS.iter().find(|known| **known == name).copied()
}

/// The documents of a rendered file, as ranges.
pub fn split(text: &[u8], version: HelmVersion) -> Vec<Range<usize>> {
    match version {
        HelmVersion::V3 => split_v3(text),
        HelmVersion::V4 => split_v4(text),
    }
}

/// Helm 3: the text is trimmed and cut at `---` with all blanks around it; pieces are trimmed.
fn split_v3(text: &[u8]) -> Vec<Range<usize>> {
    let whole = trim_range(text, 0..text.len());
    let blank = |b: u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0c);
    let mut pieces = Vec::new();
    // Where the current piece starts, which is also how far back a separator's blanks may reach.
    let mut from = whole.start;
    let mut at = whole.start;
    while let Some(found) = find(&text[..whole.end], b"---", at) {
        let opens = found == whole.start || (found > from && text[found - 1] == b'\n');
        if !opens {
            at = found + 1;
            continue;
        }
        let mut end = found;
        while found != whole.start && end > from && blank(text[end - 1]) {
            end -= 1;
        }
        if end > from {
            pieces.push(trim_range(text, from..end));
        }
        from = found + 3;
        while from < whole.end && blank(text[from]) {
            from += 1;
        }
        at = from;
    }
    if from < whole.end {
        pieces.push(trim_range(text, from..whole.end));
    }
    pieces
}

/// Helm 4: every line that starts with `---` separates; pieces keep what is at their end.
fn split_v4(text: &[u8]) -> Vec<Range<usize>> {
    let start = trim_start(text, 0..text.len()).start;
    let mut pieces = Vec::new();
    let (mut from, mut at) = (start, start);
    let push = |range: Range<usize>, pieces: &mut Vec<Range<usize>>| {
        if !trim_range(text, range.clone()).is_empty() {
            pieces.push(trim_start(text, range));
        }
    };
    while let Some(found) = find(text, b"---", at) {
        if found != start && text[found - 1] != b'\n' {
            at = found + 1;
            continue;
        }
        push(from..found, &mut pieces);
        from = found + 3;
        while from < text.len() && matches!(text[from], b' ' | b'\t') {
            from += 1;
        }
        at = from;
    }
    push(from..text.len(), &mut pieces);
    pieces
}

fn find(text: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    text.get(from..)?.windows(needle.len()).position(|window| window == needle).map(|i| from + i)
}

/// `range` of `text` without the white space (as Go's `strings.TrimSpace` sees it) at its start.
fn trim_start(text: &[u8], range: Range<usize>) -> Range<usize> {
    let mut start = range.start;
    while start < range.end {
        match space_len(&text[start..range.end]) {
            0 => break,
            n => start += n,
        }
    }
    start..range.end
}

/// `range` of `text` without white space at both ends.
pub fn trim_range(text: &[u8], range: Range<usize>) -> Range<usize> {
    let range = trim_start(text, range);
    let mut end = range.end;
    while end > range.start {
        // White space characters have one, two or three bytes.
        let hit = (1..=3).find(|n| end - range.start >= *n && space_len(&text[end - n..end]) == *n);
        match hit {
            Some(n) => end -= n,
            None => break,
        }
    }
    range.start..end
}

/// The bytes of the white space character at the start; 0 when there is none.
fn space_len(text: &[u8]) -> usize {
    match text {
        [b'\t'..=b'\r' | b' ', ..] => 1,
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..] => 3,
        [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..] => 3,
        [0xe2, 0x81, 0x9f, ..] => 3,
        [0xe3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

/// What Helm reads of a document.
#[derive(Debug, Default)]
struct Head {
    api_version: String,
    kind: String,
    name: String,
    annotations: Vec<(Rc<str>, String)>,
}

impl Head {
    fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.iter().find(|(k, _)| **k == *key).map(|(_, text)| text.as_str())
    }

    fn read(text: &[u8], version: HelmVersion) -> Result<Head, (String, Span)> {
        let root = yaml::located(text).map_err(|error| (error.converting(), error.span))?;
        let mut head = Head::default();
        let Some(root) = root else { return Ok(head) };
        let package = if version.is_v4() { "util" } else { "releaseutil" };
        let mut problem = None;
        for (key, value) in members(&root, &format!("value of type {package}.SimpleHead"), &mut problem) {
            match key.to_ascii_lowercase().as_str() {
                "apiversion" => {
                    text_field(value, "struct field SimpleHead.apiVersion", &mut head.api_version, &mut problem);
                }
                "kind" => text_field(value, "struct field SimpleHead.kind", &mut head.kind, &mut problem),
                "metadata" => head.metadata(value, &mut problem),
                _ => {}
            }
        }
        problem.map_or(Ok(head), Err)
    }

    fn metadata(&mut self, value: &Located, problem: &mut Option<(String, Span)>) {
        let wanted = "struct field SimpleHead.metadata of type struct { Name string \"json:\\\"name\\\"\"; Annotations map[string]string \"json:\\\"annotations\\\"\" }";
        for (key, value) in members(value, wanted, problem) {
            match key.to_ascii_lowercase().as_str() {
                "name" => text_field(value, "struct field .metadata.name", &mut self.name, problem),
                "annotations" => {
                    let field = "struct field .metadata.annotations";
                    for (key, value) in members(value, &format!("{field} of type map[string]string"), problem) {
                        let mut text = String::new();
                        text_field(value, field, &mut text, problem);
                        self.annotations.push((key.clone(), text));
                    }
                }
                _ => {}
            }
        }
    }
}

fn text_field(value: &Located, field: &str, into: &mut String, problem: &mut Option<(String, Span)>) {
    match value.string_for_field() {
        Some(text) => *into = text,
        None if value.json == LocatedValue::Null => {}
        None => mismatch(value, &format!("{field} of type string"), problem),
    }
}

fn members<'l>(value: &'l Located, target: &str, problem: &mut Option<(String, Span)>) -> &'l [(Rc<str>, Located)] {
    match &value.json {
        LocatedValue::Map(members) => members,
        LocatedValue::Null => &[],
        _ => {
            mismatch(value, target, problem);
            &[]
        }
    }
}

fn mismatch(value: &Located, target: &str, problem: &mut Option<(String, Span)>) {
    let kind = match value.json {
        LocatedValue::Null => "null",
        LocatedValue::Bool(_) => "bool",
        LocatedValue::Int(_) | LocatedValue::Float(_) => "number",
        LocatedValue::Str(_) => "string",
        LocatedValue::List(_) => "array",
        LocatedValue::Map(_) => "object",
    };
    let text =
        || format!("error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {kind} into Go {target}");
    problem.get_or_insert_with(|| (text(), value.span));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, version: HelmVersion) -> Vec<&str> {
        split(text.as_bytes(), version).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn splits_as_each_helm_does() {
        let v3 = |text| pieces(text, HelmVersion::V3);
        assert_eq!(v3("---\na: 1\n---\nb: 2\n"), ["a: 1", "b: 2"]);
        assert_eq!(v3("a: 1\n--- b: 2\n"), ["a: 1", "b: 2"]);
        assert_eq!(v3("a: |\n  ---\n  x\n"), ["a: |\n  ---\n  x"]);
        assert_eq!(v3("---\n---\na: 1\n"), ["---\na: 1"]);
        assert_eq!(v3("\n\n---\n"), Vec::<&str>::new());
        let v4 = |text| pieces(text, HelmVersion::V4);
        assert_eq!(v4("---\na: 1\n---\nb: 2\n"), ["a: 1\n", "b: 2\n"]);
        assert_eq!(v4("---\n---\na: 1\n"), ["a: 1\n"]);
    }
}
