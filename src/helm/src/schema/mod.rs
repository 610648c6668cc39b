//! `values.schema.json`: the effective values of a chart and of its sub-charts against their schemas, as Helm checks
//! them (`pkg/chartutil/jsonschema.go` over santhosh-tekuri/jsonschema v6). JSON Schema drafts 4, 6, 7, 2019-09 and
//! 2020-12; formats are checked up to draft 7. Go walks maps in random order; here complaints come sorted by key.
//! Schemas on other hosts are not fetched: a chart that refers to one fails with a message that says so.

mod compile;
mod document;
mod draft;
mod error;
mod format;
mod keywords;
mod location;
mod number;
mod resources;
mod validate;

use crate::chart::{ChartRef, File};
use crate::notice::Log;
use crate::values::{Data, TableRef, Value};
use crate::version::HelmVersion;
use base::{Diagnostic, Place, Span};
use compile::{Schema, Unusable};
use document::Doc;
use error::{Failure, Kind};
use std::rc::Rc;

/// Code of a schema that refers to another host.
const REMOTE: &str = "helm/schema-remote";

/// Schemas kept from render to render.
const KEPT: usize = 32;

/// A schema, or why it cannot be used.
type Compiled = Rc<Result<Schema, Unusable>>;

/// Compiled schemas by their text; the most recent ones.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    known: Vec<(Rc<[u8]>, Compiled)>,
}

impl Schemas {
    fn compiled(&mut self, text: &Rc<[u8]>) -> Compiled {
        let same = |(known, _): &&(Rc<[u8]>, Compiled)| Rc::ptr_eq(known, text) || known == text;
        if let Some((_, schema)) = self.known.iter().find(same) {
            return schema.clone();
        }
        let schema = Rc::new(Schema::compile(text));
        if self.known.len() == KEPT {
            self.known.remove(0);
        }
        self.known.push((text.clone(), schema.clone()));
        schema
    }
}

/// Checks the effective values of a chart, sub-charts inside, against all schemas. The error has Helm's words; its
/// place is the first value that is wrong, where somebody wrote it, or else the schema that cannot be used.
pub(crate) fn check(
    chart: &ChartRef,
    values: &TableRef,
    schemas: &mut Schemas,
    version: HelmVersion,
    log: &mut Log,
) -> Result<(), Diagnostic> {
    let mut run = Run { schemas, version, log, text: String::new(), code: "helm/schema", place: None };
    run.chart(chart, values);
    if run.text.is_empty() {
        return Ok(());
    }
    let head = "values don't meet the specifications of the schema(s) in the following chart(s):";
    let mut diagnostic = Diagnostic::error(run.code, format!("{head}\n{}", run.text));
    if run.code == REMOTE {
        diagnostic = diagnostic.hint("schema-remote", []);
    }
    diagnostic.primary = run.place;
    Err(diagnostic)
}

struct Run<'a> {
    schemas: &'a mut Schemas,
    version: HelmVersion,
    log: &'a mut Log,
    text: String,
    code: &'static str,
    place: Option<Place>,
}

impl Run<'_> {
    fn chart(&mut self, chart: &ChartRef, values: &TableRef) {
        if let Some(file) = &chart.schema
            && let Err(text) = self.schema(file, values)
        {
            self.text.push_str(&format!("{}:\n{text}", chart.name()));
        }
        for sub in chart.dependencies.borrow().iter() {
            let name = sub.name();
            let Some(section) = values.borrow().get(&name).filter(|value| !value.is_null()).cloned() else { continue };
            match section.as_table() {
                Some(table) => self.chart(sub, table),
                None => {
                    let got = section.go_type();
                    let text = format!("{name}:\ninvalid type for values: expected object (map), got {got}\n");
                    self.text.push_str(&text);
                }
            }
        }
    }

    fn schema(&mut self, file: &File, values: &TableRef) -> Result<(), String> {
        let compiled = self.schemas.compiled(&file.data);
        let in_schema = || Place::new(file.path.clone(), Span::default());
        match &*compiled {
            Err(unusable) => {
                self.place.get_or_insert_with(in_schema);
                Err(match unusable {
                    Unusable::Invalid(text) => text.clone(),
                    Unusable::Remote(text) => {
                        self.code = REMOTE;
                        text.clone()
                    }
                })
            }
            Ok(schema) => {
                for urn in &schema.urns {
                    self.warn_of_urn(urn);
                }
                schema.validate(&Doc::of_table(values)).map_err(|failure| {
                    if matches!(failure.kind, Kind::Limit) {
                        self.code = "helm/schema-limit";
                        self.place.get_or_insert_with(in_schema);
                    } else if self.place.is_none() {
                        self.place = place_of(failure.first(), values);
                    }
                    format!("{}\n", failure.body())
                })
            }
        }
    }

    fn warn_of_urn(&mut self, urn: &str) {
        let text = "unresolved URN reference ignored; using permissive schema";
        let told = |message: &str, attrs: &[(&str, String)]| {
            message.contains(text) && (message.ends_with(&format!(": {urn}")) || attrs.iter().any(|(_, at)| at == urn))
        };
        // Helm says it once a run.
        if self.log.notices.iter().any(|notice| told(&notice.diagnostic.message, &notice.attrs)) {
            return;
        }
        if self.version.is_v4() {
            self.log.warn("", "helm/schema", text);
            if let Some(notice) = self.log.notices.last_mut() {
                notice.attrs.push(("urn", urn.to_string()));
            }
        } else {
            self.log.warn("jsonschema.go:192", "helm/schema", format!("WARNING: {text}: {urn}"));
        }
    }
}

/// Where the value that a complaint is about, or the nearest around it, was written.
fn place_of(failure: &Failure, values: &TableRef) -> Option<Place> {
    let mut here = Value::new(Data::Map(values.clone()), None);
    let mut place = None;
    for token in failure.path.iter().chain(&failure.member) {
        let next = match &here.data {
            Data::Map(table) => table.borrow().get(token).cloned(),
            Data::List(items) => token.parse::<usize>().ok().and_then(|i| items.get(i).cloned()),
            _ => None,
        };
        here = next?;
        place = here.origin().and_then(|origin| origin.place).or(place);
    }
    place
}

#[cfg(test)]
mod tests;
