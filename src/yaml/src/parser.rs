//! The parser: tokens to events, by a state machine with an explicit stack, as libyaml's grammar has it.

use crate::error::Error;
use crate::node::Style;
use crate::scanner::Scanner;
use crate::token::{Kind, Mark, Token};
use std::rc::Rc;

/// What the parser found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    StreamEnd,
    DocumentStart { explicit: bool },
    DocumentEnd,
    Alias(Rc<str>),
    Scalar(Rc<str>),
    SequenceStart,
    MappingStart,
    CollectionEnd,
}

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) what: What,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
    pub(crate) anchor: Option<Rc<str>>,
    pub(crate) tag: Option<Rc<str>>,
    pub(crate) style: Style,
    /// Where the `-` of a block sequence stands that this node is an item of.
    pub(crate) dash: Option<usize>,
}

impl Event {
    fn new(what: What, start: Mark, end: Mark) -> Event {
        Event { what, start, end, anchor: None, tag: None, style: Style::Plain, dash: None }
    }

    fn empty_scalar(mark: Mark) -> Event {
        Event::new(What::Scalar(Rc::from("")), mark, mark)
    }
}

/// What is expected next.
#[derive(Clone, Copy, Debug)]
enum State {
    StreamStart,
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequence { first: bool },
    IndentlessSequence,
    BlockMappingKey { first: bool },
    BlockMappingValue,
    FlowSequence { first: bool },
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingKey { first: bool },
    FlowMappingValue { empty: bool },
    End,
}

/// The parser over one scanner.
pub(crate) struct Parser<'a> {
    pub(crate) scanner: Scanner<'a>,
    state: State,
    states: Vec<State>,
    /// Starts of the open collections, for errors.
    marks: Vec<Mark>,
    /// Tag handles and their prefixes.
    handles: Vec<(Rc<str>, Rc<str>)>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(scanner: Scanner<'a>) -> Parser<'a> {
        Parser { scanner, state: State::StreamStart, states: Vec::new(), marks: Vec::new(), handles: Vec::new() }
    }

    /// The next event; after the end of the stream always [`What::StreamEnd`].
    pub(crate) fn next(&mut self) -> Result<Event, Error> {
        match self.state {
            State::StreamStart => {
                self.peek()?;
                self.scanner.take();
                self.state = State::ImplicitDocumentStart;
                self.next_document(true)
            }
            State::ImplicitDocumentStart => self.next_document(true),
            State::DocumentStart => self.next_document(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(true, false),
            State::BlockSequence { first } => self.block_sequence(first),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockMappingKey { first } => self.block_mapping_key(first),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequence { first } => self.flow_sequence(first),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => {
                let (_, start, _) = self.peek()?;
                self.state = State::FlowSequence { first: false };
                Ok(Event::new(What::CollectionEnd, start, start))
            }
            State::FlowMappingKey { first } => self.flow_mapping_key(first),
            State::FlowMappingValue { empty } => self.flow_mapping_value(empty),
            State::End => Ok(Event::new(What::StreamEnd, self.scanner.mark, self.scanner.mark)),
        }
    }

    fn peek(&mut self) -> Result<(Kind, Mark, Mark), Error> {
        let token = self.scanner.peek()?;
        Ok((token.kind, token.start, token.end))
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// An error in the collection that was opened last.
    fn collection_error(&mut self, at: Mark, problem: &str) -> Error {
        let context = self.marks.pop().unwrap_or(at);
        self.scanner.parser_error(context, at, problem)
    }

    fn open_collection(&mut self) -> Result<(), Error> {
        let (_, start, _) = self.peek()?;
        self.marks.push(start);
        self.scanner.take();
        Ok(())
    }

    fn close_collection(&mut self) -> Event {
        let token = self.scanner.take();
        self.marks.pop();
        self.pop_state();
        Event::new(What::CollectionEnd, token.start, token.end)
    }

    /// A child node, unless the next token is one of `enders`: then an empty scalar at `mark`.
    fn child_or_empty(
        &mut self,
        enders: &[Kind],
        mark: Mark,
        next: State,
        block: bool,
        indentless: bool,
    ) -> Result<Event, Error> {
        let (kind, _, _) = self.peek()?;
        if enders.contains(&kind) {
            self.state = next;
            return Ok(Event::empty_scalar(mark));
        }
        self.states.push(next);
        self.node(block, indentless)
    }

    // ---- documents --------------------------------------------------------------------------------------------

    fn next_document(&mut self, implicit: bool) -> Result<Event, Error> {
        let (mut kind, start, end) = self.peek()?;
        if !implicit {
            while kind == Kind::DocumentEnd {
                self.scanner.take();
                kind = self.peek()?.0;
            }
        }
        let (_, start, end) = if implicit { (kind, start, end) } else { self.peek()? };
        match kind {
            Kind::StreamEnd => {
                self.state = State::End;
                self.scanner.take();
                Ok(Event::new(What::StreamEnd, start, end))
            }
            Kind::VersionDirective | Kind::TagDirective | Kind::DocumentStart => self.explicit_document(start),
            _ if implicit => {
                self.directives()?;
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                Ok(Event::new(What::DocumentStart { explicit: false }, start, end))
            }
            _ => self.explicit_document(start),
        }
    }

    fn explicit_document(&mut self, start: Mark) -> Result<Event, Error> {
        self.directives()?;
        let (kind, at, end) = self.peek()?;
        if kind != Kind::DocumentStart {
            return Err(self.scanner.parser_error(Mark::default(), at, "did not find expected <document start>"));
        }
        self.scanner.take();
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        Ok(Event::new(What::DocumentStart { explicit: true }, start, end))
    }

    fn document_content(&mut self) -> Result<Event, Error> {
        let (kind, start, _) = self.peek()?;
        match kind {
            Kind::VersionDirective | Kind::TagDirective | Kind::DocumentStart | Kind::DocumentEnd | Kind::StreamEnd => {
                self.pop_state();
                Ok(Event::empty_scalar(start))
            }
            _ => self.node(true, false),
        }
    }

    fn document_end(&mut self) -> Result<Event, Error> {
        let (kind, start, mut end) = self.peek()?;
        if kind == Kind::DocumentEnd {
            self.scanner.take();
        } else {
            end = start;
        }
        self.handles.clear();
        self.state = State::DocumentStart;
        Ok(Event::new(What::DocumentEnd, start, end))
    }

    fn directives(&mut self) -> Result<(), Error> {
        let mut version_seen = false;
        loop {
            let (kind, start, _) = self.peek()?;
            match kind {
                Kind::VersionDirective => {
                    if version_seen {
                        return Err(self.scanner.parser_error(
                            Mark::default(),
                            start,
                            "found duplicate %YAML directive",
                        ));
                    }
                    version_seen = true;
                    if self.scanner.take().version != (1, 1) {
                        return Err(self.scanner.parser_error(
                            Mark::default(),
                            start,
                            "found incompatible YAML document",
                        ));
                    }
                }
                Kind::TagDirective => {
                    let Token { text: handle, suffix: prefix, .. } = self.scanner.take();
                    let (handle, prefix) = (handle.unwrap_or_default(), prefix.unwrap_or_default());
                    if self.handles.iter().any(|(known, _)| *known == handle) {
                        return Err(self.scanner.parser_error(
                            Mark::default(),
                            start,
                            "found duplicate %TAG directive",
                        ));
                    }
                    self.handles.push((handle, prefix));
                }
                _ => break,
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if !self.handles.iter().any(|(known, _)| &**known == handle) {
                self.handles.push((Rc::from(handle), Rc::from(prefix)));
            }
        }
        Ok(())
    }

    // ---- nodes ------------------------------------------------------------------------------------------------

    fn node(&mut self, block: bool, indentless: bool) -> Result<Event, Error> {
        let (kind, start, mut end) = self.peek()?;
        if kind == Kind::Alias {
            self.pop_state();
            let token = self.scanner.take();
            return Ok(Event::new(What::Alias(token.text.unwrap_or_default()), token.start, token.end));
        }
        let mut anchor = None;
        let mut tag_token = None;
        // At most one anchor and one tag, in either order.
        loop {
            let (kind, _, token_end) = self.peek()?;
            match kind {
                Kind::Anchor if anchor.is_none() => anchor = self.scanner.take().text,
                Kind::Tag if tag_token.is_none() => tag_token = Some(self.scanner.take()),
                _ => break,
            }
            end = token_end;
        }
        let tag = match &tag_token {
            None => None,
            Some(token) => Some(self.resolve_tag(token, start)?),
        };
        let (kind, token_start, token_end) = self.peek()?;
        let event = |what, end, style| Event {
            anchor: anchor.clone(),
            tag: tag.clone(),
            style,
            ..Event::new(what, start, end)
        };
        let (what, style, next) = match kind {
            Kind::BlockEntry if indentless => (What::SequenceStart, Style::Block, State::IndentlessSequence),
            Kind::Scalar => {
                self.pop_state();
                let token = self.scanner.take();
                return Ok(event(What::Scalar(token.text.unwrap_or_default()), token.end, token.style));
            }
            Kind::FlowSequenceStart => (What::SequenceStart, Style::Flow, State::FlowSequence { first: true }),
            Kind::FlowMappingStart => (What::MappingStart, Style::Flow, State::FlowMappingKey { first: true }),
            Kind::BlockSequenceStart if block => {
                (What::SequenceStart, Style::Block, State::BlockSequence { first: true })
            }
            Kind::BlockMappingStart if block => {
                (What::MappingStart, Style::Block, State::BlockMappingKey { first: true })
            }
            _ if anchor.is_some() || tag.is_some() => {
                self.pop_state();
                return Ok(event(What::Scalar(Rc::from("")), end, Style::Plain));
            }
            _ => return Err(self.scanner.parser_error(start, token_start, "did not find expected node content")),
        };
        self.state = next;
        Ok(event(what, token_end, style))
    }

    fn resolve_tag(&self, token: &Token, context: Mark) -> Result<Rc<str>, Error> {
        let handle = token.text.as_deref().unwrap_or("");
        let suffix = token.suffix.as_deref().unwrap_or("");
        if handle.is_empty() {
            return Ok(Rc::from(suffix));
        }
        match self.handles.iter().find(|(known, _)| &**known == handle) {
            Some((_, prefix)) => Ok(Rc::from(format!("{prefix}{suffix}"))),
            None => Err(self.scanner.parser_error(context, token.start, "found undefined tag handle")),
        }
    }

    // ---- block collections ------------------------------------------------------------------------------------

    fn block_sequence(&mut self, first: bool) -> Result<Event, Error> {
        if first {
            self.open_collection()?;
        }
        let (kind, start, end) = self.peek()?;
        match kind {
            Kind::BlockEntry => {
                self.scanner.take();
                let next = State::BlockSequence { first: false };
                let item = self.child_or_empty(&[Kind::BlockEntry, Kind::BlockEnd], end, next, true, false)?;
                Ok(Event { dash: Some(start.pos), ..item })
            }
            Kind::BlockEnd => Ok(self.close_collection()),
            _ => Err(self.collection_error(start, "did not find expected '-' indicator")),
        }
    }

    fn indentless_sequence(&mut self) -> Result<Event, Error> {
        let (kind, start, end) = self.peek()?;
        if kind != Kind::BlockEntry {
            self.pop_state();
            return Ok(Event::new(What::CollectionEnd, start, start));
        }
        self.scanner.take();
        let enders = [Kind::BlockEntry, Kind::Key, Kind::Value, Kind::BlockEnd];
        let item = self.child_or_empty(&enders, end, State::IndentlessSequence, true, false)?;
        Ok(Event { dash: Some(start.pos), ..item })
    }

    fn block_mapping_key(&mut self, first: bool) -> Result<Event, Error> {
        if first {
            self.open_collection()?;
        }
        let (kind, start, end) = self.peek()?;
        match kind {
            Kind::Key => {
                self.scanner.take();
                let enders = [Kind::Key, Kind::Value, Kind::BlockEnd];
                self.child_or_empty(&enders, end, State::BlockMappingValue, true, true)
            }
            Kind::BlockEnd => Ok(self.close_collection()),
            _ => Err(self.collection_error(start, "did not find expected key")),
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event, Error> {
        let (kind, start, end) = self.peek()?;
        let next = State::BlockMappingKey { first: false };
        if kind != Kind::Value {
            self.state = next;
            return Ok(Event::empty_scalar(start));
        }
        self.scanner.take();
        self.child_or_empty(&[Kind::Key, Kind::Value, Kind::BlockEnd], end, next, true, true)
    }

    // ---- flow collections -------------------------------------------------------------------------------------

    fn flow_sequence(&mut self, first: bool) -> Result<Event, Error> {
        if first {
            self.open_collection()?;
        }
        let (mut kind, start, _) = self.peek()?;
        if kind != Kind::FlowSequenceEnd && !first {
            if kind != Kind::FlowEntry {
                return Err(self.collection_error(start, "did not find expected ',' or ']'"));
            }
            self.scanner.take();
            kind = self.peek()?.0;
        }
        match kind {
            Kind::FlowSequenceEnd => Ok(self.close_collection()),
            Kind::Key => {
                let token = self.scanner.take();
                self.state = State::FlowPairKey;
                let mut event = Event::new(What::MappingStart, token.start, token.end);
                event.style = Style::Flow;
                Ok(event)
            }
            _ => {
                self.states.push(State::FlowSequence { first: false });
                self.node(false, false)
            }
        }
    }

    fn flow_pair_key(&mut self) -> Result<Event, Error> {
        let (kind, _, end) = self.peek()?;
        if matches!(kind, Kind::Value | Kind::FlowEntry | Kind::FlowSequenceEnd) {
            // go-yaml drops this token, so `[? : x]` and the like fail later on; kept as it is.
            self.scanner.take();
            self.state = State::FlowPairValue;
            return Ok(Event::empty_scalar(end));
        }
        self.states.push(State::FlowPairValue);
        self.node(false, false)
    }

    fn flow_pair_value(&mut self) -> Result<Event, Error> {
        let (kind, start, _) = self.peek()?;
        if kind != Kind::Value {
            self.state = State::FlowPairEnd;
            return Ok(Event::empty_scalar(start));
        }
        self.scanner.take();
        self.child_or_empty(&[Kind::FlowEntry, Kind::FlowSequenceEnd], start, State::FlowPairEnd, false, false)
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<Event, Error> {
        if first {
            self.open_collection()?;
        }
        let (mut kind, start, _) = self.peek()?;
        if kind != Kind::FlowMappingEnd && !first {
            if kind != Kind::FlowEntry {
                return Err(self.collection_error(start, "did not find expected ',' or '}'"));
            }
            self.scanner.take();
            kind = self.peek()?.0;
        }
        match kind {
            Kind::FlowMappingEnd => Ok(self.close_collection()),
            Kind::Key => {
                self.scanner.take();
                let (_, at, _) = self.peek()?;
                let enders = [Kind::Value, Kind::FlowEntry, Kind::FlowMappingEnd];
                self.child_or_empty(&enders, at, State::FlowMappingValue { empty: false }, false, false)
            }
            _ => {
                self.states.push(State::FlowMappingValue { empty: true });
                self.node(false, false)
            }
        }
    }

    fn flow_mapping_value(&mut self, empty: bool) -> Result<Event, Error> {
        let (kind, start, _) = self.peek()?;
        let next = State::FlowMappingKey { first: false };
        if empty || kind != Kind::Value {
            self.state = next;
            return Ok(Event::empty_scalar(start));
        }
        self.scanner.take();
        self.child_or_empty(&[Kind::FlowEntry, Kind::FlowMappingEnd], start, next, false, false)
    }
}
