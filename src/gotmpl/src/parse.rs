//! The parser of text/template. Control structures and parentheses stand on stacks of its own, so that depth of the
//! source costs no native stack; each pipeline is compiled as soon as it is read. Messages and the order in which
//! errors are found are Go's.

use crate::code::{Op, Pools, RangeVars};
use crate::func::Func;
use crate::lex::{Lexer, Tok, Token};
use crate::literal;
use crate::tree::{NodeId, NodeKind, Tree};
use base::{Diagnostic, Place, Span};
use std::rc::Rc;

pub(crate) struct Parser<'a> {
    pub(crate) name: &'a str,
    pub(crate) input: &'a [u8],
    lexer: Lexer<'a>,
    pub(crate) tables: &'a [&'static [Func]],
    /// Lookahead: `token[0]` is the last one lexed, as Go's parser keeps it.
    pub(crate) token: [Token; 3],
    pub(crate) peeked: usize,
    pub(crate) tree: Tree,
    pub(crate) pools: Pools,
    pub(crate) bodies: Vec<Body>,
    pub(crate) done: Vec<Body>,
    /// End of the last token taken, for spans.
    pub(crate) last_end: usize,
}

/// One template under construction: the file's own, a `define` or a `block`.
#[derive(Debug)]
pub(crate) struct Body {
    pub name: Rc<str>,
    context: &'static str,
    pub code: Vec<Op>,
    /// Names that the parser lets pass.
    pub(crate) vars: Vec<Rc<str>>,
    /// Variables that exist when the code runs, with their slots.
    pub scope: Vec<(Rc<str>, u32)>,
    pub slots: u32,
    action_line: u32,
    pub empty: bool,
    blocks: Vec<Block>,
    range_depth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    If,
    With,
    Range,
}

#[derive(Debug)]
struct Block {
    control: Control,
    /// Lengths of `vars` and `scope` before it.
    before: (usize, usize),
    /// The step whose `otherwise` is not known yet.
    head: usize,
    /// The `RangeNext` of a range.
    next: usize,
    /// Jumps to just after the whole structure.
    to_end: Vec<usize>,
    /// `break`s of a range.
    breaks: Vec<usize>,
    /// Begun by `else if` or `else with`: one `end` closes it and the one before.
    chained: bool,
    in_else: bool,
}

pub(crate) type Parse<T> = Result<T, Box<Diagnostic>>;

impl<'a> Parser<'a> {
    pub(crate) fn new(name: &'a str, input: &'a [u8], tables: &'a [&'static [Func]]) -> Parser<'a> {
        let none = Token { kind: Tok::Eof, start: 0, end: 0, line: 0, message: None };
        let has = |word| find(tables, word).is_some();
        Parser {
            name,
            input,
            lexer: Lexer::new(input, !has("break"), !has("continue")),
            tables,
            token: [none.clone(), none.clone(), none],
            peeked: 0,
            tree: Tree::default(),
            pools: Pools::default(),
            bodies: vec![Body::new(Rc::from(name), "")],
            done: Vec::new(),
            last_end: 0,
        }
    }

    pub(crate) fn body(&mut self) -> &mut Body {
        let last = self.bodies.len() - 1;
        &mut self.bodies[last]
    }

    pub(crate) fn next(&mut self) -> Token {
        if self.peeked > 0 {
            self.peeked -= 1;
        } else {
            self.token[0] = self.lexer.next_token();
        }
        let token = self.token[self.peeked].clone();
        self.last_end = token.end;
        token
    }

    pub(crate) fn backup(&mut self) {
        self.peeked += 1;
    }

    pub(crate) fn peek(&mut self) -> &Token {
        if self.peeked == 0 {
            self.peeked = 1;
            self.token[0] = self.lexer.next_token();
        }
        &self.token[self.peeked - 1]
    }

    pub(crate) fn next_non_space(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != Tok::Space {
                return token;
            }
        }
    }

    pub(crate) fn peek_non_space(&mut self) -> Token {
        let end = self.last_end;
        let token = self.next_non_space();
        self.backup();
        self.last_end = end;
        token
    }

    pub(crate) fn fail<T>(&mut self, message: impl AsRef<str>) -> Parse<T> {
        let last = &self.token[0];
        let text = format!("template: {}:{}: {}", self.name, last.line, message.as_ref());
        let place = Place::new(self.name, Span::new(last.start, last.end));
        Err(Box::new(Diagnostic::error("template/parse", text).at(place)))
    }

    pub(crate) fn unexpected<T>(&mut self, token: &Token, context: &str) -> Parse<T> {
        let text = token.describe(self.input);
        if token.kind == Tok::Error {
            let line = self.body().action_line;
            let mut extra = String::new();
            if line != 0 && line != token.line {
                extra = format!(" in action started at {}:{line}", self.name);
                if text.ends_with(" action") {
                    extra.replace_range(..10, "");
                }
            }
            return self.fail(format!("{text}{extra}"));
        }
        self.fail(format!("unexpected {text} in {context}"))
    }

    fn expect(&mut self, kind: Tok, context: &str) -> Parse<Token> {
        let token = self.next_non_space();
        if token.kind != kind { self.unexpected(&token, context) } else { Ok(token) }
    }

    /// Parses the whole file.
    pub(crate) fn run(&mut self) -> Parse<()> {
        loop {
            let root = self.bodies.len() == 1 && self.bodies[0].blocks.is_empty();
            let token = if root { self.peek().clone() } else { self.peek_non_space() };
            if token.kind == Tok::Eof {
                if !root {
                    return self.fail("unexpected EOF");
                }
                return self.finish_body();
            }
            if root && token.kind == Tok::LeftDelim {
                let delim = self.next();
                if self.next_non_space().kind == Tok::Define {
                    self.define()?;
                    continue;
                }
                self.token[1] = delim;
                self.peeked = 2;
            }
            let token = self.next_non_space();
            match token.kind {
                Tok::Text => {
                    let blank = String::from_utf8_lossy(token.val(self.input)).trim().is_empty();
                    let body = self.body();
                    body.empty &= blank || !body.blocks.is_empty();
                    body.code.push(Op::Text { start: token.start as u32, end: token.end as u32 });
                }
                Tok::LeftDelim => {
                    self.body().action_line = token.line;
                    self.action(token.start)?;
                }
                _ => return self.unexpected(&token, "input"),
            }
        }
    }

    fn define(&mut self) -> Parse<()> {
        const CONTEXT: &str = "define clause";
        self.bodies.push(Body::new(Rc::from("definition"), CONTEXT));
        let token = self.next_non_space();
        if !matches!(token.kind, Tok::Str | Tok::RawString) {
            return self.unexpected(&token, CONTEXT);
        }
        let name = self.unquoted(&token)?;
        self.body().name = Rc::from(String::from_utf8_lossy(&name));
        self.expect(Tok::RightDelim, CONTEXT)?;
        Ok(())
    }

    pub(crate) fn unquoted(&mut self, token: &Token) -> Parse<Vec<u8>> {
        match literal::unquote(token.val(self.input)) {
            Some(text) => Ok(text),
            None => self.fail("invalid syntax"),
        }
    }

    fn action(&mut self, start: usize) -> Parse<()> {
        let token = self.next_non_space();
        match token.kind {
            Tok::Block => return self.block(),
            Tok::Break | Tok::Continue => self.leave_range(token.kind)?,
            Tok::Else => return self.otherwise(),
            Tok::End => return self.end(),
            Tok::If => return self.control(Control::If, false),
            Tok::Range => return self.control(Control::Range, false),
            Tok::With => return self.control(Control::With, false),
            Tok::Template => self.template()?,
            _ => {
                self.backup();
                let pos = self.peek().start;
                let pipe = self.pipeline("command", Tok::RightDelim)?;
                let span = Span::new(start, self.last_end);
                let node = self.tree.add(pos, span, NodeKind::Action { pipe });
                self.not_empty();
                self.compile_pipe(pipe, node);
                let declares = matches!(self.tree.kind(pipe), NodeKind::Pipe { decl, .. } if !decl.is_empty());
                self.emit(if declares { Op::Pop } else { Op::Print { at: node } });
            }
        }
        self.body().action_line = 0;
        Ok(())
    }

    fn not_empty(&mut self) {
        self.body().empty = false;
    }

    fn leave_range(&mut self, word: Tok) -> Parse<()> {
        let is_break = word == Tok::Break;
        let text = if is_break { "{{break}}" } else { "{{continue}}" };
        let token = self.next_non_space();
        if token.kind != Tok::RightDelim {
            return self.unexpected(&token, text);
        }
        if self.body().range_depth == 0 {
            return self.fail(format!("{text} outside {{{{range}}}}"));
        }
        let body = self.body();
        // In its else part a range still takes a `break`, which then ends that part, but no `continue`.
        let found = body.blocks.iter().rposition(|b| b.control == Control::Range && (is_break || !b.in_else));
        if let Some(i) = found {
            let scopes = body.blocks.len() - 1 - i;
            body.code.push(Op::Unwind(scopes as u32));
            if is_break && body.blocks[i].in_else {
                body.blocks[i].breaks.push(body.code.len());
                body.code.push(Op::Jump(0));
            } else if is_break {
                body.code.push(Op::IterPop);
                body.blocks[i].breaks.push(body.code.len());
                body.code.push(Op::Jump(0));
            } else {
                let next = body.blocks[i].next as u32;
                body.code.push(Op::Jump(next));
            }
        }
        Ok(())
    }

    fn control(&mut self, control: Control, chained: bool) -> Parse<()> {
        let body = self.body();
        let before = (body.vars.len(), body.scope.len());
        let context = match control {
            Control::If => "if",
            Control::With => "with",
            Control::Range => "range",
        };
        let pipe = self.pipeline(context, Tok::RightDelim)?;
        self.not_empty();
        let at = self.compile_pipe(pipe, pipe);
        let mut next = 0;
        if control == Control::Range {
            let vars = self.range_vars(pipe);
            self.pools.ranges.push(vars);
            let vars = self.pools.ranges.len() as u32 - 1;
            self.emit(Op::RangeStart { vars, otherwise: 0, at });
            next = self.body().code.len();
            self.emit(Op::RangeNext { vars, exit: 0 });
            self.body().range_depth += 1;
        } else {
            self.emit(Op::Branch { with: control == Control::With, otherwise: 0 });
        }
        let body = self.body();
        let head = body.code.len() - if control == Control::Range { 2 } else { 1 };
        let (to_end, breaks) = (Vec::new(), Vec::new());
        body.blocks.push(Block { control, before, head, next, to_end, breaks, chained, in_else: false });
        Ok(())
    }

    /// The slots that a range over this pipeline sets each time round.
    fn range_vars(&mut self, pipe: NodeId) -> RangeVars {
        let NodeKind::Pipe { assign, decl, .. } = self.tree.kind(pipe) else {
            return RangeVars { index: None, elem: None };
        };
        let scope = &self.bodies[self.bodies.len() - 1].scope;
        let slot = |id: NodeId| match self.tree.kind(id) {
            NodeKind::Variable { idents } => scope.iter().rev().find(|(name, _)| *name == idents[0]).map(|v| v.1),
            _ => None,
        };
        match (decl.as_slice(), assign) {
            // Declared variables are the topmost ones of the scope, whatever their names.
            ([_], false) => RangeVars { index: None, elem: scope.last().map(|v| v.1) },
            ([_, _], false) => {
                RangeVars { index: scope.len().checked_sub(2).map(|i| scope[i].1), elem: scope.last().map(|v| v.1) }
            }
            ([elem], true) => RangeVars { index: None, elem: slot(*elem) },
            ([index, elem], true) => RangeVars { index: slot(*index), elem: slot(*elem) },
            _ => RangeVars { index: None, elem: None },
        }
    }

    /// Closes the first part of the innermost structure; the else part, if any, follows.
    fn close_part(&mut self) {
        let body = self.body();
        let Some(block) = body.blocks.last_mut() else { return };
        if block.control == Control::Range {
            body.code.push(Op::Jump(block.next as u32));
            let exit = body.code.len() as u32;
            if let Op::RangeNext { exit: slot, .. } = &mut body.code[block.next] {
                *slot = exit;
            }
            for at in block.breaks.drain(..) {
                body.code[at] = Op::Jump(exit);
            }
            body.range_depth -= 1;
        }
        body.code.push(Op::ScopeEnd);
        block.to_end.push(body.code.len());
        body.code.push(Op::Jump(0));
        let here = body.code.len() as u32;
        match &mut body.code[block.head] {
            Op::Branch { otherwise, .. } | Op::RangeStart { otherwise, .. } => *otherwise = here,
            _ => {}
        }
        block.in_else = true;
    }

    fn otherwise(&mut self) -> Parse<()> {
        let peek = self.peek_non_space();
        if !matches!(peek.kind, Tok::If | Tok::With) {
            self.expect(Tok::RightDelim, "else")?;
        }
        self.body().action_line = 0;
        let context = self.body().context;
        let Some(block) = self.body().blocks.last() else {
            let place = if context.is_empty() { String::new() } else { format!(" in {context}") };
            return self.fail(format!("unexpected {{{{else}}}}{place}"));
        };
        if block.in_else {
            return self.fail("expected end; found {{else}}");
        }
        let control = block.control;
        self.close_part();
        if control == Control::If && self.peek().kind == Tok::If
            || control == Control::With && self.peek().kind == Tok::With
        {
            self.next();
            return self.control(control, true);
        }
        Ok(())
    }

    fn end(&mut self) -> Parse<()> {
        self.expect(Tok::RightDelim, "end")?;
        self.body().action_line = 0;
        if self.body().blocks.is_empty() {
            if self.bodies.len() == 1 {
                return self.fail("unexpected {{end}}");
            }
            return self.finish_body();
        }
        loop {
            if self.body().blocks.last().is_some_and(|b| !b.in_else) {
                self.close_part();
            }
            // The scope of the else part.
            let body = self.body();
            let scope_end = body.code.len() as u32;
            body.code.push(Op::ScopeEnd);
            let Some(block) = body.blocks.pop() else { return Ok(()) };
            let here = body.code.len() as u32;
            for at in block.to_end {
                body.code[at] = Op::Jump(here);
            }
            for at in block.breaks {
                body.code[at] = Op::Jump(scope_end);
            }
            body.vars.truncate(block.before.0);
            body.scope.truncate(block.before.1);
            if !block.chained {
                return Ok(());
            }
        }
    }

    fn template_name(&mut self, token: &Token, context: &str) -> Parse<Rc<str>> {
        if !matches!(token.kind, Tok::Str | Tok::RawString) {
            return self.unexpected(token, context);
        }
        let name = self.unquoted(token)?;
        Ok(Rc::from(String::from_utf8_lossy(&name)))
    }

    fn template(&mut self) -> Parse<()> {
        const CONTEXT: &str = "template clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let mut pipe = None;
        if self.next_non_space().kind != Tok::RightDelim {
            self.backup();
            pipe = Some(self.pipeline(CONTEXT, Tok::RightDelim)?);
        }
        self.call_template(&token, name, pipe);
        Ok(())
    }

    fn block(&mut self) -> Parse<()> {
        const CONTEXT: &str = "block clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let pipe = self.pipeline(CONTEXT, Tok::RightDelim)?;
        self.call_template(&token, name.clone(), Some(pipe));
        self.bodies.push(Body::new(name, CONTEXT));
        Ok(())
    }

    fn call_template(&mut self, token: &Token, name: Rc<str>, pipe: Option<NodeId>) {
        let span = Span::new(token.start, self.last_end);
        let node = self.tree.add(token.start, span, NodeKind::Template { name: name.clone(), pipe });
        self.not_empty();
        let name = self.name_index(name);
        self.emit(Op::TemplateCheck { name, at: node });
        match pipe {
            Some(pipe) => {
                self.compile_pipe(pipe, node);
            }
            None => self.emit(Op::Nil),
        }
        self.emit(Op::TemplateCall { name, at: node });
    }

    fn finish_body(&mut self) -> Parse<()> {
        self.emit(Op::End);
        let last = self.bodies.len() - 1;
        let (name, empty) = (self.bodies[last].name.clone(), self.bodies[last].empty);
        let old = self.done.iter().position(|b| b.name == name);
        let keep = match old {
            Some(i) if self.done[i].empty => {
                self.done.swap_remove(i);
                true
            }
            Some(_) if !empty => {
                let name = crate::quote::go_quote(name.as_bytes());
                return self.fail(format!("template: multiple definition of template {name}"));
            }
            Some(_) => false,
            None => true,
        };
        if let Some(body) = self.bodies.pop()
            && keep
        {
            self.done.push(body);
        }
        if let Some(outer) = self.bodies.last_mut() {
            // A `block` ends the action that began it; a `define` stands outside of any.
            outer.action_line = 0;
        }
        Ok(())
    }

    pub(crate) fn emit(&mut self, op: Op) {
        self.body().code.push(op);
    }

    pub(crate) fn find(&self, name: &str) -> Option<(&'static Func, bool)> {
        find(self.tables, name)
    }

    pub(crate) fn name_index(&mut self, name: Rc<str>) -> u32 {
        let names = &mut self.pools.names;
        let at = names.iter().position(|n| *n == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        at as u32
    }
}

impl Body {
    fn new(name: Rc<str>, context: &'static str) -> Body {
        Body {
            name,
            context,
            code: Vec::new(),
            vars: vec![Rc::from("$")],
            scope: vec![(Rc::from("$"), 0)],
            slots: 1,
            action_line: 0,
            empty: true,
            blocks: Vec::new(),
            range_depth: 0,
        }
    }
}

/// The function of that name, and whether it is a builtin.
pub(crate) fn find(tables: &[&'static [Func]], name: &str) -> Option<(&'static Func, bool)> {
    let search = |table: &'static [Func]| table.binary_search_by(|f| f.name.cmp(name)).ok().map(|i| &table[i]);
    tables
        .iter()
        .find_map(|table| search(table))
        .map(|f| (f, false))
        .or_else(|| search(crate::builtins::BUILTINS).map(|f| (f, true)))
}
