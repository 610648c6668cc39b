//! Errors of functions and of execution, nested as Go nests them and kept apart so that others can print them anew.

use base::{Diagnostic, Place};
use std::collections::VecDeque;
use std::fmt::Write;

/// What a function reports instead of a value.
#[derive(Clone, Debug)]
pub enum FuncError {
    /// An error value: `error calling F: TEXT`.
    Message(String),
    /// A Go panic with that text; text/template makes it an error just the same.
    Panic(String),
    /// An error of a template that the function ran, after a text of its own (empty for `include`).
    Nested(String, Box<ExecError>),
    /// A limit of ours was reached; the render ends with this text.
    Limit(String),
}

impl From<String> for FuncError {
    fn from(text: String) -> FuncError {
        FuncError::Message(text)
    }
}

impl From<&str> for FuncError {
    fn from(text: &str) -> FuncError {
        FuncError::Message(text.to_string())
    }
}

/// One `template: LOCATION: executing "NAME" at <CONTEXT>: ` of an error.
#[derive(Clone, Debug)]
pub struct Level {
    /// File and span of the node.
    pub place: Place,
    /// `FILE:LINE:COLUMN`, the column counted from 0 as Go does.
    pub location: String,
    /// Name of the executing template.
    pub name: String,
    /// The node, printed anew.
    pub context: String,
    /// The text of this level, up to the next level's `template: `.
    pub message: String,
    /// The `template` actions that led here within this level, innermost first.
    pub calls: Vec<Place>,
}

/// An execution error: levels from the outermost to the innermost.
#[derive(Clone, Debug, Default)]
pub struct ExecError {
    /// The levels; empty when the template could not start.
    pub levels: VecDeque<Level>,
    /// The text when there is no level (such as `template: no template "x" associated with template "gotpl"`).
    pub message: String,
}

impl ExecError {
    /// An error without a place.
    pub fn plain(message: impl Into<String>) -> ExecError {
        ExecError { levels: VecDeque::new(), message: message.into() }
    }

    /// The whole text as Go prints it.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for level in &self.levels {
            let name = crate::quote::go_quote(level.name.as_bytes());
            let _ = write!(
                out,
                "template: {}: executing {} at <{}>: {}",
                level.location, name, level.context, level.message
            );
        }
        out.push_str(&self.message);
        out
    }

    /// The diagnostic: Go's text, the innermost place, the chain of calls innermost first.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error("template/exec", self.text());
        let mut levels = self.levels.iter().rev();
        if let Some(inner) = levels.next() {
            diagnostic = diagnostic.at(inner.place.clone());
            diagnostic.trace.extend(inner.calls.iter().cloned());
        }
        for level in levels {
            diagnostic.trace.push(level.place.clone());
            diagnostic.trace.extend(level.calls.iter().cloned());
        }
        diagnostic
    }
}

impl std::fmt::Display for ExecError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

impl std::error::Error for ExecError {}
