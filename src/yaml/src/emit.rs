//! The emitter: block style as go-yaml v2 (`toYaml`) and v3 (`toYamlPretty`) write it.
//!
//! v2 gets its values as JSON text that it reads as YAML first, which shows in numbers (`3000000` stays a whole
//! number) and in a few characters: what YAML does not allow in a stream makes the whole call fail. v3 gets the
//! values as they are, indents sequences in mappings and never folds.

use crate::Error;
use crate::number::go_g64;
use crate::order::{Flavour, sort_by_key};
use crate::path::PathSeg;
use crate::resolve::{self, Resolved};
use crate::write::{Style, Writer};
use base::json::{Json, float_text};
use base::{Span, limits};
use std::ops::Range;
use std::rc::Rc;

/// Characters of JSON text that a key may have before go-yaml no longer takes it for one.
const KEY_LENGTH: usize = 1024;

/// Who wants to know where values went.
pub(crate) trait Trace {
    /// A member or item begins.
    fn enter(&mut self, seg: impl FnOnce() -> PathSeg);
    /// Everything told so far is void; writing begins anew.
    fn restart(&mut self);
    /// It ends, with the ranges of its key and of its value.
    fn leave(&mut self, key: Option<Range<usize>>, value: Range<usize>);
}

/// Nobody.
pub(crate) struct Untraced;

impl Trace for Untraced {
    #[inline]
    fn enter(&mut self, _: impl FnOnce() -> PathSeg) {}
    fn restart(&mut self) {}
    #[inline]
    fn leave(&mut self, _: Option<Range<usize>>, _: Range<usize>) {}
}

/// Where one value went: its path, the range of its key, its own range.
type Report = (Vec<PathSeg>, Option<Range<usize>>, Range<usize>);

/// Notes everything.
#[derive(Default)]
pub(crate) struct Traced {
    path: Vec<PathSeg>,
    pub(crate) reports: Vec<Report>,
}

impl Trace for Traced {
    fn enter(&mut self, seg: impl FnOnce() -> PathSeg) {
        self.path.push(seg());
    }

    fn restart(&mut self) {
        self.path.clear();
        self.reports.clear();
    }

    fn leave(&mut self, key: Option<Range<usize>>, value: Range<usize>) {
        self.reports.push((self.path.clone(), key, value));
        self.path.pop();
    }
}

/// Writes one document; gives the text and where the root value is in it.
pub(crate) fn document<T: Trace>(
    value: &Json,
    flavour: Flavour,
    trace: &mut T,
) -> Result<(String, Range<usize>), Error> {
    match write(value, flavour, flavour == Flavour::V2, trace) {
        Ok(written) => Ok(written),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::ReadFirst) => {
            if !is_shallow(value, limits::VALUE_DEPTH) {
                return Err(failure(&format!("exceeded max depth of {}", limits::VALUE_DEPTH)));
            }
            trace.restart();
            let read = crate::to_json(value.to_text().as_bytes())?;
            write(&read, flavour, false, trace).map_err(|stop| match stop {
                Stop::Error(error) => error,
                Stop::ReadFirst => failure("unknown problem generating YAML content"),
            })
        }
    }
}

fn write<T: Trace>(
    value: &Json,
    flavour: Flavour,
    through_json: bool,
    trace: &mut T,
) -> Result<(String, Range<usize>), Stop> {
    let mut emitter = Emitter { writer: Writer::new(flavour), flavour, through_json, trace };
    let start = emitter.value(value, false, 0)?;
    let end = emitter.writer.out.trim_end_matches('\n').len().max(start);
    Ok((emitter.writer.finish(), start..end))
}

/// Whether no collection is nested deeper than `left`.
fn is_shallow(value: &Json, left: usize) -> bool {
    let below = |item: &Json| left > 0 && is_shallow(item, left - 1);
    match value {
        Json::List(items) => items.iter().all(below),
        Json::Map(members) => members.values().all(below),
        _ => true,
    }
}

/// Why writing stopped.
enum Stop {
    Error(Error),
    /// The value holds something that the way through JSON text may change: take that way in full.
    ReadFirst,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}

struct Emitter<'t, T> {
    writer: Writer,
    flavour: Flavour,
    /// Whether texts must be checked for what JSON text read as YAML would not give back.
    through_json: bool,
    trace: &'t mut T,
}

impl<T: Trace> Emitter<'_, T> {
    /// Writes a value; gives the offset of its first character.
    fn value(&mut self, value: &Json, in_mapping: bool, depth: usize) -> Result<usize, Stop> {
        if depth > limits::VALUE_DEPTH {
            return Err(Stop::Error(failure(&format!("exceeded max depth of {}", limits::VALUE_DEPTH))));
        }
        match value {
            Json::Null => Ok(self.writer.bare("null")),
            Json::Bool(true) => Ok(self.writer.bare("true")),
            Json::Bool(false) => Ok(self.writer.bare("false")),
            Json::Int(n) => Ok(self.writer.bare(&n.to_string())),
            Json::Float(f) => {
                let text = float(*f, self.flavour)?;
                Ok(self.writer.bare(&text))
            }
            Json::Str(text) => {
                self.check(text)?;
                Ok(self.writer.scalar(text, style(text, self.flavour), false))
            }
            Json::List(items) if items.is_empty() => Ok(self.writer.empty_collection("[]")),
            Json::Map(members) if members.is_empty() => Ok(self.writer.empty_collection("{}")),
            Json::List(items) => self.list(items, in_mapping, depth),
            Json::Map(members) => {
                let members = members.iter().map(|(key, value)| (&**key, value)).collect();
                self.map(sort_by_key(members, self.flavour), depth)
            }
        }
    }

    fn list(&mut self, items: &[Json], in_mapping: bool, depth: usize) -> Result<usize, Stop> {
        let mut start = None;
        let outer = self.writer.open_sequence(in_mapping);
        for (i, item) in items.iter().enumerate() {
            self.trace.enter(|| PathSeg::Index(i));
            self.writer.new_line();
            start.get_or_insert(self.writer.out.len());
            self.writer.indicator("-", true, true);
            let from = self.value(item, false, depth + 1)?;
            self.trace.leave(None, from..self.writer.out.trim_end_matches('\n').len().max(from));
        }
        self.writer.close(outer);
        Ok(start.unwrap_or_default())
    }

    fn map(&mut self, members: Vec<(&str, &Json)>, depth: usize) -> Result<usize, Stop> {
        let mut start = None;
        let outer = self.writer.open_mapping();
        for (key, value) in members {
            self.trace.enter(|| PathSeg::Key(Rc::from(key)));
            self.writer.new_line();
            start.get_or_insert(self.writer.out.len());
            let key_range = self.key(key)?;
            let from = self.value(value, true, depth + 1)?;
            self.trace.leave(Some(key_range), from..self.writer.out.trim_end_matches('\n').len().max(from));
        }
        self.writer.close(outer);
        Ok(start.unwrap_or_default())
    }

    /// Writes a key and its colon; keys that are long or have line breaks get a `?` and a line of their own.
    fn key(&mut self, key: &str) -> Result<Range<usize>, Stop> {
        // A character of JSON text is at most six bytes of it, so shorter keys need no count.
        if self.through_json && key.len() * 6 + 2 > KEY_LENGTH {
            return Err(Stop::ReadFirst);
        }
        self.check(key)?;
        let style = style(key, self.flavour);
        let simple = key.len() <= 128 && !key.contains(crate::analysis::is_break);
        if !simple {
            self.writer.indicator("?", true, true);
        }
        let from = self.writer.scalar(key, style, simple);
        let range = from..self.writer.out.len();
        if !simple {
            self.writer.new_line();
        }
        self.writer.indicator(":", !simple, !simple);
        Ok(range)
    }

    /// Stops where the way through JSON text might change or refuse `text`.
    fn check(&self, text: &str) -> Result<(), Stop> {
        let odd = |c: char| matches!(c, '\u{7F}'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}');
        if self.through_json && text.bytes().any(|b| b >= 0x7F) && text.contains(odd) {
            return Err(Stop::ReadFirst);
        }
        Ok(())
    }
}

fn failure(message: &str) -> Error {
    Error::new(message, Span::default())
}

/// The style go-yaml asks for; the writer may have to choose another.
fn style(text: &str, flavour: Flavour) -> Style {
    let resolved = match flavour {
        Flavour::V2 => resolve::plain(text),
        Flavour::V3 => resolve::plain_v3(text),
    };
    if text.contains('\n') {
        Style::Literal
    } else if resolved == Resolved::Str && !resolve::is_base60(text) {
        Style::Plain
    } else {
        Style::Double
    }
}

fn float(f: f64, flavour: Flavour) -> Result<String, Error> {
    match flavour {
        Flavour::V2 if !f.is_finite() => {
            let message = format!("error marshaling into JSON: json: unsupported value: {}", go_g64(f));
            Err(Error::conversion(message, Span::default()))
        }
        Flavour::V2 => {
            let text = float_text(f);
            Ok(match resolve::plain(&text) {
                Resolved::Int(n) => n.to_string(),
                Resolved::Uint(n) => n.to_string(),
                _ => go_g64(f),
            })
        }
        Flavour::V3 => Ok(match &*go_g64(f) {
            "+Inf" => ".inf".to_string(),
            "-Inf" => "-.inf".to_string(),
            "NaN" => ".nan".to_string(),
            text => text.to_string(),
        }),
    }
}
