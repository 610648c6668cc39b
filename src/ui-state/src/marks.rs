//! What the editor draws over the text: problems at their exact places, and marks on lines that decide a value or
//! lost it.

use crate::{Lang, State, layer, message};
use protocol::{ExplainStep, SeverityView};
use std::collections::BTreeMap;

/// A problem in the file on show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// First UTF-16 code unit.
    pub from: u32,
    /// Just after the last.
    pub to: u32,
    /// `error`, `warning` or `info`.
    pub severity: &'static str,
    /// Message and hints, one a line.
    pub message: String,
}

/// A mark on a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Line, from 1.
    pub line: u32,
    /// `win`, `lose`, or empty for a note only.
    pub kind: &'static str,
    /// Text at the end of the line.
    pub note: String,
}

/// Problems of the file in the editor, in order.
pub fn problems(state: &State) -> Vec<Problem> {
    let Some(path) = state.active.as_deref() else { return Vec::new() };
    let mut out = Vec::new();
    for d in state.render.diagnostics.iter() {
        let Some(place) = d.place.as_ref().filter(|p| p.file == path) else { continue };
        let mut text = d.message.clone();
        for hint in &d.hints {
            text.push('\n');
            text.push_str(&message(state.lang, hint));
        }
        let severity = match d.severity {
            SeverityView::Error => "error",
            SeverityView::Warning => "warning",
            SeverityView::Info => "info",
        };
        out.push(Problem { from: place.from, to: place.to.max(place.from), severity, message: text });
    }
    out
}

/// Marks of the file in the editor: one a line, in order of line.
pub fn marks(state: &State) -> Vec<Mark> {
    let Some(path) = state.active.as_deref() else { return Vec::new() };
    let mut out: BTreeMap<u32, Mark> = BTreeMap::new();
    for note in state.render.notes.iter().filter(|n| n.place.file == path) {
        let sign = if note.won { "=" } else { "→" };
        let text = format!("{sign} {} · {}", note.value, short_layer(state.lang, &note.layer));
        let kind = if note.won { "" } else { "lose" };
        let mark =
            out.entry(note.place.line).or_insert_with(|| Mark { line: note.place.line, kind, note: String::new() });
        if mark.note.is_empty() {
            mark.note = text;
        }
    }
    for (line, kind) in explained(state, path) {
        let mark = out.entry(line).or_insert_with(|| Mark { line, ..Mark::default() });
        mark.kind = kind;
    }
    out.into_values().collect()
}

/// Lines that the chain on show passes through.
fn explained(state: &State, path: &str) -> Vec<(u32, &'static str)> {
    let mut out = Vec::new();
    for step in state.explain.iter().flat_map(|e| &e.steps) {
        match step {
            ExplainStep::Template { place, .. } if place.file == path => out.push((place.line, "win")),
            ExplainStep::Value { claims, .. } => {
                for claim in claims {
                    if let Some(place) = claim.place.as_ref().filter(|p| p.file == path) {
                        out.push((place.line, if claim.won { "win" } else { "lose" }));
                    }
                }
            }
            _ => {}
        }
    }
    out
}

/// A layer in the space that a line's end has: `valuesObject` rather than `Application · valuesObject`.
fn short_layer(lang: Lang, view: &protocol::LayerView) -> String {
    let whole = layer(lang, view);
    whole.rsplit(" · ").next().unwrap_or(&whole).to_owned()
}
