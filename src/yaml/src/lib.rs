//! YAML as Go reads and writes it: a reader with spans, the resolution of go-yaml v2 under `sigs.k8s.io/yaml`
//! (what Helm and Argo CD use for values, charts and manifests), and the two emitters behind Helm's `toYaml` and
//! `toYamlPretty`.
//!
//! Bad input never panics: every limit ends as an [`Error`] whose text is the real library's.

mod analysis;
mod compose;
mod convert;
mod emit;
mod error;
mod gosyntax;
mod input;
mod located;
mod node;
mod number;
mod order;
mod parser;
mod path;
mod properties;
mod resolve;
mod scalars;
mod scanner;
mod timestamp;
mod token;
mod write;

pub use error::Error;
pub use located::{Located, LocatedValue};
pub use node::{Comments, Document, Node, NodeId, Style, Value};
pub use number::{go_g32, go_g64};
pub use path::{PathSeg, field_at, span_of};

use base::Json;
use emit::{Traced, Untraced};
use order::Flavour;
use std::ops::Range;

/// Reads every document of a stream. An empty stream has none. Errors carry go-yaml v2's texts.
pub fn parse(text: &[u8]) -> Result<Vec<Document>, Error> {
    let mut documents = Vec::new();
    compose::each_document(text, true, |doc| {
        documents.push(doc);
        Ok(true)
    })?;
    Ok(documents)
}

/// Reads the first document only, as `yaml.Unmarshal` does: errors after its end are not seen.
pub fn parse_first(text: &[u8]) -> Result<Option<Document>, Error> {
    compose::first_document(text, true)
}

/// The first document as located values; None when the stream is empty. This is the YAML-to-JSON step of
/// `sigs.k8s.io/yaml`: keys become texts, aliases are expanded, merge keys applied, the last duplicate wins.
pub fn located(text: &[u8]) -> Result<Option<Located>, Error> {
    compose::first_document(text, false)?.as_ref().map(convert::document).transpose()
}

/// The first document as JSON, null when the stream is empty, as `yaml.YAMLToJSON` gives it.
/// [`Error::converting`] gives the text of `yaml.Unmarshal`.
pub fn to_json(text: &[u8]) -> Result<Json, Error> {
    Ok(located(text)?.map_or(Json::Null, Located::into_json))
}

/// A parsed document as located values; see [`located`].
pub fn document_located(doc: &Document) -> Result<Located, Error> {
    convert::document(doc)
}

/// A parsed document as JSON; see [`to_json`].
pub fn document_to_json(doc: &Document) -> Result<Json, Error> {
    Ok(convert::document(doc)?.into_json())
}

/// Every document of the stream as JSON, in order, empty documents as null. As with Go's decoder, what is wrong in one
/// document is found before the next is read.
pub fn to_json_all(text: &[u8]) -> Result<Vec<Json>, Error> {
    let mut values = Vec::new();
    compose::each_document(text, false, |doc| {
        values.push(document_to_json(&doc)?);
        Ok(true)
    })?;
    Ok(values)
}

/// What `sigs.k8s.io/yaml`'s `Marshal` prints (Helm's `toYaml` then drops the last newline). Empty when the real
/// one fails, which is also what `toYaml` prints then; [`try_emit_v2`] says why.
pub fn emit_v2(value: &Json) -> String {
    try_emit_v2(value).unwrap_or_default()
}

/// [`emit_v2`] with the reason of a failure, such as control characters in a text.
pub fn try_emit_v2(value: &Json) -> Result<String, Error> {
    Ok(emit::document(value, Flavour::V2, &mut Untraced)?.0)
}

/// What [`emit_v2_traced`] calls for each value: its path, the range of its key, its own range.
pub type Report<'a> = dyn FnMut(&[PathSeg], Option<Range<usize>>, Range<usize>) + 'a;

/// [`emit_v2`] that also reports where everything went: for each value, after its inside, `report` gets its path,
/// the byte range of its key (none for items and the root) and the byte range of the value, without the newline.
pub fn emit_v2_traced(value: &Json, report: &mut Report<'_>) -> Result<String, Error> {
    let mut trace = Traced::default();
    let (text, root) = emit::document(value, Flavour::V2, &mut trace)?;
    for (path, key, value) in trace.reports {
        report(&path, key, value);
    }
    report(&[], None, root);
    Ok(text)
}

/// What Helm's `toYamlPretty` prints: yaml.v3 with an indent of 2, sequences indented, no folding.
pub fn emit_v3_pretty(value: &Json) -> String {
    emit::document(value, Flavour::V3, &mut Untraced).map(|(text, _)| text).unwrap_or_default()
}
