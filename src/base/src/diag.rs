//! The one diagnostic of the project. `message` holds the real tool's exact words and is compared with recorded
//! output; what we add to teach goes into [`Hint`]s, which are text keys, so that it exists in every language.

use crate::place::Place;
use std::rc::Rc;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Info,
    /// The tool goes on.
    Warning,
    /// The tool stops.
    Error,
}

/// A key of a text that explains or helps, with its arguments in order. The texts stand in `ui-state`, one per language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Stable key, such as `value-file-is-relative-to-chart`.
    pub key: &'static str,
    /// Arguments that the text mentions.
    pub args: Vec<Rc<str>>,
}

/// A second place with a word on why it matters, in the tool's own terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What is there.
    pub text: String,
}

/// One message to the person, as an ordinary value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable machine-readable code, such as `helm/parse`.
    pub code: &'static str,
    /// The real tool's words, without its `Error: ` prefix.
    pub message: String,
    /// Where it is, when a place is known.
    pub primary: Option<Place>,
    /// Further places.
    pub labels: Vec<Label>,
    /// The chain of calls that led here, innermost first (include, tpl, template).
    pub trace: Vec<Place>,
    /// What we add to help.
    pub hints: Vec<Hint>,
}

impl Diagnostic {
    /// An error with no place yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            primary: None,
            labels: Vec::new(),
            trace: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// A warning with no place yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// The same with its place.
    pub fn at(mut self, place: Place) -> Diagnostic {
        self.primary = Some(place);
        self
    }

    /// The same with one more hint.
    pub fn hint(mut self, key: &'static str, args: impl IntoIterator<Item = Rc<str>>) -> Diagnostic {
        self.hints.push(Hint { key, args: args.into_iter().collect() });
        self
    }

    /// The same with its message wrapped as Go wraps errors: `prefix: message`.
    pub fn wrap(mut self, prefix: &str) -> Diagnostic {
        self.message = format!("{prefix}: {}", self.message);
        self
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}
