//! What a value does wrong: a tree, and the text of it as Helm prints it.

use super::location;
use gotmpl::quote::go_quote;
use std::rc::Rc;

/// What an entry of the tree says.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Several complaints about one value.
    Group,
    /// Complaints of the schema behind a reference; with a single one, only that is shown.
    Reference,
    /// A complaint in words.
    Message(String),
    /// Nobody will look: only the fact counts.
    Silent,
    /// Not a complaint of the schema: the check was too much work.
    Limit,
}

/// One entry of the tree.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Keys from the value that was checked.
    pub(crate) path: Vec<Rc<str>>,
    /// What it says.
    pub(crate) kind: Kind,
    /// The member that should not be there, when that is the complaint.
    pub(crate) member: Option<Rc<str>>,
    /// Entries below.
    pub(crate) causes: Vec<Failure>,
}

impl Failure {
    /// The report with its first line, which names the schema.
    pub(crate) fn report(&self, schema: &str) -> String {
        let head = format!("jsonschema validation failed with {}", quoted(schema));
        format!("{head}\n{}", self.body())
    }

    /// The report without its first line.
    pub(crate) fn body(&self) -> String {
        let mut out = String::new();
        match self.kind {
            Kind::Group => self.causes.iter().for_each(|cause| cause.write(&mut out, 0)),
            _ => self.write(&mut out, 0),
        }
        out
    }

    fn write(&self, out: &mut String, mut indent: usize) {
        if !(matches!(self.kind, Kind::Reference) && self.causes.len() == 1) {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&"  ".repeat(indent));
            let pointer: String = self.path.iter().map(|token| format!("/{}", location::escape(token))).collect();
            let message = match &self.kind {
                Kind::Message(text) => text,
                Kind::Limit => "too much work to check here",
                _ => "validation failed",
            };
            out.push_str(&format!("- at {}: {message}", quoted(&pointer)));
            indent += 1;
        }
        self.causes.iter().for_each(|cause| cause.write(out, indent));
    }

    /// The first complaint that stands for itself: what a place is looked for.
    pub(crate) fn first(&self) -> &Failure {
        let mut here = self;
        while let (Kind::Group | Kind::Reference, Some(cause)) = (&here.kind, here.causes.first()) {
            here = cause;
        }
        here
    }
}

/// Text in single quotes, escaped as Go escapes it.
pub(crate) fn quoted(text: &str) -> String {
    let text = go_quote(text.as_bytes());
    format!("'{}'", text[1..text.len() - 1].replace("\\\"", "\"").replace('\'', "\\'"))
}

/// Several of them.
pub(crate) fn quoted_list(names: &[Rc<str>]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}
