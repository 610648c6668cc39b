//! From documents to values: go-yaml v2 decoding into an empty interface, then the YAML-to-JSON step of
//! `sigs.k8s.io/yaml`.
//!
//! Of its quirks these show: a merge key overrides what stands before it in its mapping and is overridden by what
//! stands after; of duplicate keys the last wins; a document of which too much comes from aliases is refused.

use crate::error::Error;
use crate::gosyntax::go_syntax;
use crate::located::{Located, LocatedValue};
use crate::node::{Document, Node, NodeId, Style, Value};
use crate::number::go_g32;
use crate::resolve::{Resolved, plain, tagged};
use base::Span;
use base::limits;
use std::rc::Rc;

/// The tag of `<<`.
const MERGE: &str = "tag:yaml.org,2002:merge";

/// What the document's root stands for.
pub(crate) fn document(doc: &Document) -> Result<Located, Error> {
    let mut decoder = Decoder { doc, decoded: 1, from_alias: 0, alias_depth: 0, active: Vec::new(), late: None };
    let value = decoder.value(doc.root(), 0)?;
    match decoder.late {
        Some((_, error)) => Err(error),
        None => Ok(value),
    }
}

/// The type of a scalar node.
pub(crate) fn scalar(node: &Node) -> Result<Resolved, String> {
    let Value::Scalar(text) = &node.value else { return Ok(Resolved::Str) };
    match &node.tag {
        None if node.style == Style::Plain => Ok(plain(text)),
        None => Ok(Resolved::Str),
        Some(tag) => tagged(tag, text),
    }
}

/// The later steps whose errors come only when decoding went through.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Keys,
    Numbers,
}

struct Decoder<'a> {
    doc: &'a Document,
    /// Nodes decoded so far, and how many of these inside aliases: go-yaml's measure of alias bombs.
    decoded: u64,
    from_alias: u64,
    alias_depth: u32,
    /// Aliases being expanded.
    active: Vec<NodeId>,
    /// The first error of a later step.
    late: Option<(Step, Error)>,
}

impl Decoder<'_> {
    /// Counts one decoded node and refuses alias bombs.
    fn count(&mut self, span: Span) -> Result<(), Error> {
        self.decoded += 1;
        if self.alias_depth > 0 {
            self.from_alias += 1;
        }
        if self.from_alias > 100
            && self.decoded > 1000
            && self.from_alias as f64 / self.decoded as f64 > allowed_alias_ratio(self.decoded)
        {
            return Err(Error::new("document contains excessive aliasing", span));
        }
        Ok(())
    }

    fn note(&mut self, step: Step, error: Error) {
        if self.late.as_ref().is_none_or(|(known, _)| step < *known) {
            self.late = Some((step, error));
        }
    }

    fn value(&mut self, id: NodeId, depth: usize) -> Result<Located, Error> {
        let doc = self.doc;
        let node = doc.node(id);
        self.count(node.span)?;
        if depth > limits::VALUE_DEPTH {
            return Err(Error::new(format!("exceeded max depth of {}", limits::VALUE_DEPTH), node.span));
        }
        let json = match &node.value {
            Value::Scalar(text) => self.scalar(node, text)?,
            Value::Alias { name, target } => {
                self.enter(id, name)?;
                let value = self.value(*target, depth + 1)?;
                self.leave();
                value.json
            }
            Value::Seq(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    list.push(self.value(*item, depth + 1)?);
                }
                LocatedValue::List(list)
            }
            Value::Map(entries) => {
                let mut members = Vec::with_capacity(entries.len());
                self.entries(entries, &mut members, depth)?;
                LocatedValue::Map(last_of_each(members))
            }
        };
        Ok(Located { json, span: node.span, key_span: None })
    }

    fn enter(&mut self, alias: NodeId, name: &str) -> Result<(), Error> {
        if self.active.contains(&alias) {
            return Err(Error::new(format!("anchor '{name}' value contains itself"), self.doc.node(alias).span));
        }
        self.active.push(alias);
        self.alias_depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.active.pop();
        self.alias_depth -= 1;
    }

    #[inline(never)]
    fn entries(
        &mut self,
        entries: &[(NodeId, NodeId)],
        members: &mut Vec<(Rc<str>, Located)>,
        depth: usize,
    ) -> Result<(), Error> {
        for &(key, value) in entries {
            if self.is_merge(key) {
                self.merge(value, members, depth)?;
                continue;
            }
            let name = self.key(key, value)?;
            let mut located = self.value(value, depth + 1)?;
            located.key_span = Some(self.doc.node(key).span);
            members.push((name, located));
        }
        Ok(())
    }

    fn is_merge(&self, key: NodeId) -> bool {
        let node = self.doc.node(key);
        matches!(&node.value, Value::Scalar(text) if &**text == "<<")
            && match node.tag.as_deref() {
                None => node.style == Style::Plain,
                Some(tag) => tag == "!" || tag == MERGE,
            }
    }

    #[inline(never)]
    fn merge(&mut self, source: NodeId, members: &mut Vec<(Rc<str>, Located)>, depth: usize) -> Result<(), Error> {
        match &self.doc.node(source).value {
            Value::Seq(items) => {
                // Earlier items win, so the last comes first.
                for &item in items.iter().rev() {
                    self.merge_one(item, members, depth)?;
                }
                Ok(())
            }
            _ => self.merge_one(source, members, depth),
        }
    }

    fn merge_one(&mut self, source: NodeId, members: &mut Vec<(Rc<str>, Located)>, depth: usize) -> Result<(), Error> {
        let doc = self.doc;
        let span = doc.node(source).span;
        let Value::Map(entries) = &doc.deref(source).value else {
            return Err(Error::new("map merge requires map or sequence of maps as the value", span));
        };
        if depth > limits::VALUE_DEPTH {
            return Err(Error::new(format!("exceeded max depth of {}", limits::VALUE_DEPTH), span));
        }
        self.count(span)?;
        let alias = match &doc.node(source).value {
            Value::Alias { name, .. } => {
                self.enter(source, name)?;
                self.count(span)?;
                true
            }
            _ => false,
        };
        self.entries(entries, members, depth + 1)?;
        if alias {
            self.leave();
        }
        Ok(())
    }

    /// The text of a key.
    fn key(&mut self, key: NodeId, value: NodeId) -> Result<Rc<str>, Error> {
        let doc = self.doc;
        let span = doc.node(key).span;
        self.count(span)?;
        let node = match &doc.node(key).value {
            Value::Alias { name, target } => {
                self.enter(key, name)?;
                self.count(span)?;
                self.leave();
                doc.node(*target)
            }
            _ => doc.node(key),
        };
        let Value::Scalar(text) = &node.value else {
            // Decoding the key comes first in go-yaml, so what is wrong inside it is said first.
            self.value(key, 0)?;
            return Err(Error::new(format!("invalid map key: {}", go_syntax(doc, key)), span));
        };
        let (kind, shown) = match self.resolve(node)? {
            Resolved::Str | Resolved::Timestamp => return Ok(text.clone()),
            Resolved::Binary => return self.binary(text, span),
            Resolved::Int(n) => return Ok(Rc::from(n.to_string())),
            Resolved::Bool(b) => return Ok(Rc::from(if b { "true" } else { "false" })),
            Resolved::Float(f) => {
                return Ok(match &*go_g32(f) {
                    "+Inf" => Rc::from(".inf"),
                    "-Inf" => Rc::from("-.inf"),
                    "NaN" => Rc::from(".nan"),
                    text => Rc::from(text),
                });
            }
            Resolved::Null => ("%!s(<nil>)", "<nil>".to_string()),
            Resolved::Uint(n) => ("uint64", format!("0x{n:x}")),
        };
        // The first one is said; printing a value for each could take long.
        if matches!(self.late, Some((Step::Keys, _))) {
            return Ok(Rc::from(""));
        }
        let shown_value = match go_syntax(doc, value) {
            // Only inside a collection does Go say which interface is nil.
            nil if nil == "interface {}(nil)" => "<nil>".to_string(),
            other => other,
        };
        let message = format!("unsupported map key of type: {kind}, key: {shown}, value: {shown_value}");
        self.note(Step::Keys, Error::conversion(message, span));
        Ok(Rc::from(""))
    }

    fn resolve(&mut self, node: &Node) -> Result<Resolved, Error> {
        scalar(node).map_err(|message| Error::new(message, node.span))
    }

    fn scalar(&mut self, node: &Node, text: &Rc<str>) -> Result<LocatedValue, Error> {
        Ok(match self.resolve(node)? {
            Resolved::Null => LocatedValue::Null,
            Resolved::Bool(b) => LocatedValue::Bool(b),
            Resolved::Int(n) => LocatedValue::Int(n),
            Resolved::Uint(n) => LocatedValue::Float(n as f64),
            Resolved::Float(f) => {
                if !f.is_finite() {
                    let message = format!("json: unsupported value: {}", crate::number::go_g64(f));
                    self.note(Step::Numbers, Error::conversion(message, node.span));
                }
                LocatedValue::Float(f)
            }
            Resolved::Str | Resolved::Timestamp => LocatedValue::Str(text.clone()),
            Resolved::Binary => LocatedValue::Str(self.binary(text, node.span)?),
        })
    }

    /// The bytes of a `!!binary` scalar as JSON shows them: what is not UTF-8 becomes U+FFFD, byte by byte.
    fn binary(&self, text: &str, span: Span) -> Result<Rc<str>, Error> {
        let bytes =
            decode_base64(text).ok_or_else(|| Error::new("!!binary value contains invalid base64 data", span))?;
        let mut out = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            out.push_str(chunk.valid());
            out.extend(chunk.invalid().iter().map(|_| '\u{FFFD}'));
        }
        Ok(Rc::from(out))
    }
}

/// How much of a document may come from aliases: 99 % up to 400 000 nodes, falling to 10 % at 4 000 000.
fn allowed_alias_ratio(decoded: u64) -> f64 {
    const LOW: f64 = 400_000.0;
    const HIGH: f64 = 4_000_000.0;
    let decoded = decoded as f64;
    if decoded <= LOW {
        0.99
    } else if decoded >= HIGH {
        0.10
    } else {
        0.99 - 0.89 * ((decoded - LOW) / (HIGH - LOW))
    }
}

/// Sorts by key and keeps the last member of each.
fn last_of_each(mut members: Vec<(Rc<str>, Located)>) -> Vec<(Rc<str>, Located)> {
    base::order::sort_by(&mut members, |a, b| a.0.cmp(&b.0));
    // `dedup_by` drops the later of two equal ones; swapping first makes that the earlier.
    members.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            std::mem::swap(later, earlier);
        }
        same
    });
    members
}

/// Standard base64 with padding; line breaks are skipped, as Go's decoder does.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|b| !matches!(b, b'\n' | b'\r')).collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let padding = digits.iter().rev().take_while(|&&b| b == b'=').count();
    if padding > 2 {
        return None;
    }
    let mut out = Vec::with_capacity(digits.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for &b in &digits[..digits.len() - padding] {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xFF_FFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}
