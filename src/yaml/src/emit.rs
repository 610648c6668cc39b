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
use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

/// Characters of JSON text that a key may have before go-yaml no longer takes it for one.
const KEY_LENGTH: usize = 1024;

/// Who wants to know where values went.
pub(crate) trait Trace {
    /// A member or item begins.
    fn enter(&mut self, seg: impl FnOnce() -> PathSeg);
    /// It ends, with the ranges of its key and of its value.
    fn leave(&mut self, key: Option<Range<usize>>, value: Range<usize>);
}

/// Nobody.
pub(crate) struct Untraced;

impl Trace for Untraced {
    #[inline]
    fn enter(&mut self, _: impl FnOnce() -> PathSeg) {}
    #[inline]
    fn leave(&mut self, _: Option<Range<usize>>, _: Range<usize>) {}
}

/// What is called for each value: its path, the range of its key, its own range.
pub(crate) type Report<'a> = dyn FnMut(&[PathSeg], Option<Range<usize>>, Range<usize>) + 'a;

/// A function that gets each path with its ranges.
pub(crate) struct Traced<'a> {
    pub(crate) path: Vec<PathSeg>,
    pub(crate) report: &'a mut Report<'a>,
}

impl Trace for Traced<'_> {
    fn enter(&mut self, seg: impl FnOnce() -> PathSeg) {
        self.path.push(seg());
    }

    fn leave(&mut self, key: Option<Range<usize>>, value: Range<usize>) {
        (self.report)(&self.path, key, value);
        self.path.pop();
    }
}

/// Writes one document.
pub(crate) fn document<T: Trace>(
    value: &Json,
    flavour: Flavour,
    trace: &mut T,
) -> Result<(String, Range<usize>), Error> {
    let mut emitter = Emitter { writer: Writer::new(flavour), flavour, trace };
    let start = emitter.value(value, false, 0)?;
    let end = emitter.writer.out.len();
    Ok((emitter.writer.finish(), start..end))
}

struct Emitter<'t, T> {
    writer: Writer,
    flavour: Flavour,
    trace: &'t mut T,
}

impl<T: Trace> Emitter<'_, T> {
    /// Writes a value; gives the offset of its first character.
    fn value(&mut self, value: &Json, in_mapping: bool, depth: usize) -> Result<usize, Error> {
        if depth > limits::VALUE_DEPTH {
            return Err(failure(&format!("exceeded max depth of {}", limits::VALUE_DEPTH)));
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
                let text = self.text(text)?;
                Ok(self.writer.scalar(&text, style(&text, self.flavour), false))
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

    fn list(&mut self, items: &[Json], in_mapping: bool, depth: usize) -> Result<usize, Error> {
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

    fn map(&mut self, members: Vec<(&str, &Json)>, depth: usize) -> Result<usize, Error> {
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
    fn key(&mut self, key: &str) -> Result<Range<usize>, Error> {
        if self.flavour == Flavour::V2 && key.len() * 6 + 2 > KEY_LENGTH {
            let mut literal = String::new();
            base::json::write_string(&mut literal, key, true);
            if literal.chars().count() > KEY_LENGTH {
                return Err(failure("did not find expected ',' or '}'"));
            }
        }
        if self.flavour == Flavour::V2 && key.contains('\u{85}') {
            return Err(failure("did not find expected ',' or '}'"));
        }
        let text = self.text(key)?;
        let style = style(&text, self.flavour);
        let simple = text.len() <= 128 && !text.contains(crate::analysis::is_break);
        if !simple {
            self.writer.indicator("?", true, true);
        }
        let from = self.writer.scalar(&text, style, simple);
        let range = from..self.writer.out.len();
        if !simple {
            self.writer.new_line();
        }
        self.writer.indicator(":", !simple, !simple);
        Ok(range)
    }

    /// The text after the way through JSON that v2's input takes.
    fn text<'s>(&self, text: &'s str) -> Result<Cow<'s, str>, Error> {
        if self.flavour == Flavour::V3 || !text.bytes().any(|b| b >= 0x7F) {
            return Ok(Cow::Borrowed(text));
        }
        let refused = |c: char| matches!(c, '\u{7F}'..='\u{84}' | '\u{86}'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}');
        if text.contains(refused) {
            return Err(failure("control characters are not allowed"));
        }
        if !text.contains('\u{85}') {
            return Ok(Cow::Borrowed(text));
        }
        // A next-line character is a line break inside the quotes of the JSON text, and is folded.
        let mut literal = String::new();
        base::json::write_string(&mut literal, text, true);
        let doc = crate::parse_first(literal.as_bytes())?;
        let folded = doc.as_ref().and_then(|doc| doc.scalar(doc.root())).unwrap_or("");
        Ok(Cow::Owned(folded.to_string()))
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
