//! Pipelines: declarations, commands, operands and parentheses, read without recursion.

use crate::lex::{Tok, Token};
use crate::literal;
use crate::parse::{Parse, Parser, find};
use crate::tree::{NodeId, NodeKind};
use base::{Span, limits};
use std::rc::Rc;

/// A pipeline under construction.
struct PipeState {
    context: &'static str,
    end: Tok,
    start: usize,
    assign: bool,
    decl: Vec<NodeId>,
    cmds: Vec<NodeId>,
    args: Vec<NodeId>,
    cmd_start: usize,
    /// Where the parenthesis began.
    paren: usize,
}

impl Parser<'_> {
    fn variable(&mut self, token: &Token) -> NodeId {
        let name: Rc<str> = Rc::from(String::from_utf8_lossy(token.val(self.input)));
        self.body().vars.push(name.clone());
        self.tree.add(token.start, Span::new(token.start, token.end), NodeKind::Variable { idents: vec![name] })
    }

    /// The declarations at the head of a pipeline.
    fn declarations(&mut self, state: &mut PipeState) -> Parse<()> {
        loop {
            let v = self.peek_non_space();
            if v.kind != Tok::Variable {
                return Ok(());
            }
            self.next_non_space();
            let after = self.peek().clone();
            let next = self.peek_non_space();
            match next.kind {
                Tok::Assign | Tok::Declare => {
                    state.assign = next.kind == Tok::Assign;
                    self.next_non_space();
                    let node = self.variable(&v);
                    state.decl.push(node);
                    return Ok(());
                }
                Tok::Char if next.val(self.input) == b"," => {
                    self.next_non_space();
                    let node = self.variable(&v);
                    state.decl.push(node);
                    if state.context == "range" && state.decl.len() < 2 {
                        match self.peek_non_space().kind {
                            Tok::Variable | Tok::RightDelim | Tok::RightParen => continue,
                            _ => return self.fail("range can only initialize variables"),
                        }
                    }
                    return self.fail(format!("too many declarations in {}", state.context));
                }
                _ if after.kind == Tok::Space => {
                    self.token[1] = after;
                    self.token[2] = v;
                    self.peeked = 3;
                }
                _ => {
                    self.token[1] = v;
                    self.peeked = 2;
                }
            }
            return Ok(());
        }
    }

    fn open(&mut self, context: &'static str, end: Tok, paren: usize) -> Parse<PipeState> {
        let start = self.peek_non_space().start;
        let mut state = PipeState {
            context,
            end,
            start,
            assign: false,
            decl: Vec::new(),
            cmds: Vec::new(),
            args: Vec::new(),
            cmd_start: 0,
            paren,
        };
        self.declarations(&mut state)?;
        Ok(state)
    }

    /// Reads a pipeline up to and with its end token.
    pub(crate) fn pipeline(&mut self, context: &'static str, end: Tok) -> Parse<NodeId> {
        let mut outer: Vec<PipeState> = Vec::new();
        let mut state = self.open(context, end, 0)?;
        let mut in_command = false;
        loop {
            if !in_command {
                let token = self.next_non_space();
                match token.kind {
                    kind if kind == state.end => {
                        let pipe = self.close_pipe(&mut state, token.start)?;
                        let Some(up) = outer.pop() else { return Ok(pipe) };
                        let paren = state.paren;
                        state = up;
                        in_command = self.after_term(&mut state, pipe, paren)?;
                        continue;
                    }
                    Tok::Bool
                    | Tok::CharConstant
                    | Tok::Complex
                    | Tok::Dot
                    | Tok::Field
                    | Tok::Identifier
                    | Tok::Number
                    | Tok::Nil
                    | Tok::RawString
                    | Tok::Str
                    | Tok::Variable
                    | Tok::LeftParen => {
                        self.backup();
                        state.cmd_start = token.start;
                        state.args = Vec::new();
                    }
                    _ => return self.unexpected(&token, state.context),
                }
            }
            // One operand of a command.
            let token = self.next_non_space();
            if token.kind == Tok::LeftParen {
                if outer.len() >= limits::EXPRESSION_DEPTH as usize {
                    return self.fail("max expression depth exceeded");
                }
                let inner = self.open("parenthesized pipeline", Tok::RightParen, token.start)?;
                outer.push(std::mem::replace(&mut state, inner));
                in_command = false;
                continue;
            }
            in_command = match self.term(&token)? {
                Some(node) => self.after_term(&mut state, node, token.start)?,
                None => {
                    self.backup();
                    self.after_operand(&mut state)?
                }
            };
        }
    }

    fn close_pipe(&mut self, state: &mut PipeState, end: usize) -> Parse<NodeId> {
        if state.cmds.is_empty() {
            return self.fail(format!("missing value for {}", state.context));
        }
        for (i, cmd) in state.cmds.iter().enumerate().skip(1) {
            let NodeKind::Command { args } = self.tree.kind(*cmd) else { continue };
            let first = args.first().map(|a| self.tree.kind(*a));
            if let Some(
                NodeKind::Bool(_) | NodeKind::Dot | NodeKind::Nil | NodeKind::Number { .. } | NodeKind::Str { .. },
            ) = first
            {
                return self.fail(format!("non executable command in pipeline stage {}", i + 1));
            }
        }
        let (decl, cmds) = (std::mem::take(&mut state.decl), std::mem::take(&mut state.cmds));
        let kind = NodeKind::Pipe { assign: state.assign, decl, cmds };
        Ok(self.tree.add(state.start, Span::new(state.start, end), kind))
    }

    /// A word other than a parenthesis; `None` when the token begins none.
    fn term(&mut self, token: &Token) -> Parse<Option<NodeId>> {
        let val = token.val(self.input);
        let text = || Rc::<str>::from(String::from_utf8_lossy(val));
        let kind = match token.kind {
            Tok::Identifier => {
                let name = text();
                if find(self.tables, &name).is_none() {
                    let quoted = crate::quote::go_quote(val);
                    return self.fail(format!("function {quoted} not defined"));
                }
                NodeKind::Ident { name }
            }
            Tok::Dot => NodeKind::Dot,
            Tok::Nil => NodeKind::Nil,
            Tok::Variable => {
                let name = text();
                if name.as_ref() != "$" && !self.body().vars.contains(&name) {
                    let quoted = crate::quote::go_quote(val);
                    return self.fail(format!("undefined variable {quoted}"));
                }
                NodeKind::Variable { idents: vec![name] }
            }
            Tok::Field => NodeKind::Field { idents: vec![Rc::from(String::from_utf8_lossy(&val[1..]))] },
            Tok::Bool => NodeKind::Bool(val == b"true"),
            Tok::CharConstant | Tok::Complex | Tok::Number => {
                let text = text();
                let value = match token.kind {
                    Tok::CharConstant => literal::char_constant(val),
                    kind => literal::number(&text, kind == Tok::Complex),
                };
                match value {
                    Ok(value) => NodeKind::Number { text, value },
                    Err(message) => return self.fail(message),
                }
            }
            Tok::Str | Tok::RawString => {
                let value = self.unquoted(token)?;
                NodeKind::Str { quoted: Span::new(token.start, token.end), value: Rc::from(value) }
            }
            _ => return Ok(None),
        };
        Ok(Some(self.tree.add(token.start, Span::new(token.start, token.end), kind)))
    }

    /// Fields that follow a term directly, then the end of the operand.
    fn after_term(&mut self, state: &mut PipeState, node: NodeId, start: usize) -> Parse<bool> {
        let mut node = node;
        if self.peek().kind == Tok::Field {
            let pos = self.peek().start;
            let mut fields: Vec<Rc<str>> = Vec::new();
            while self.peek().kind == Tok::Field {
                let token = self.next();
                fields.push(Rc::from(String::from_utf8_lossy(&token.val(self.input)[1..])));
            }
            let kind = match self.tree.kind(node) {
                NodeKind::Field { idents } => {
                    NodeKind::Field { idents: idents.iter().cloned().chain(fields).collect() }
                }
                NodeKind::Variable { idents } => {
                    NodeKind::Variable { idents: idents.iter().cloned().chain(fields).collect() }
                }
                NodeKind::Bool(_) | NodeKind::Str { .. } | NodeKind::Number { .. } | NodeKind::Nil | NodeKind::Dot => {
                    let quoted = crate::quote::go_quote(self.tree.print(self.input, node).as_bytes());
                    return self.fail(format!("unexpected . after term {quoted}"));
                }
                _ => NodeKind::Chain { node, fields },
            };
            node = self.tree.add(pos, Span::new(start, self.last_end), kind);
        }
        state.args.push(node);
        self.after_operand(state)
    }

    /// True when the command goes on.
    fn after_operand(&mut self, state: &mut PipeState) -> Parse<bool> {
        let end = self.last_end;
        let token = self.next();
        match token.kind {
            Tok::Space => {
                self.peek_non_space();
                return Ok(true);
            }
            Tok::RightDelim | Tok::RightParen => self.backup(),
            Tok::Pipe => {}
            _ => return self.unexpected(&token, "operand"),
        }
        if state.args.is_empty() {
            return self.fail("empty command");
        }
        let args = std::mem::take(&mut state.args);
        let end = args.last().map_or(end, |a| self.tree.nodes[*a as usize].span.end as usize);
        let span = Span::new(state.cmd_start, end.max(state.cmd_start));
        let node = self.tree.add(state.cmd_start, span, NodeKind::Command { args });
        state.cmds.push(node);
        Ok(false)
    }
}
