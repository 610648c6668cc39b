//! Frames of the evaluator: entering and leaving templates, and turning a failure into Go's nested error.

use crate::error::{ExecError, FuncError, Level};
use crate::exec::Machine;
use crate::func::{Call, Func, Labels, Nested};
use crate::label::Label;
use crate::marked::{Action, FileId, StackId, TextBuilder};
use crate::template::{Set, Template};
use crate::tree::{DYNAMIC, NodeId};
use crate::value::Value;
use base::{LineCol, Place, Span};
use std::rc::Rc;

/// Frames that may be open at once; only runaway `tpl` gets there, which Go answers with a crash.
const FRAMES: usize = 120_000;

pub(crate) struct Frame {
    pub(crate) template: Rc<Template>,
    pub(crate) set: Set,
    pub(crate) pc: usize,
    pub(crate) vars: usize,
    pub(crate) scopes: usize,
    pub(crate) iters: usize,
    pub(crate) methods: usize,
    pub(crate) stack: usize,
    pub(crate) dot: Value,
    pub(crate) control: Label,
    pub(crate) calls: StackId,
    pub(crate) file: FileId,
    /// Nested `template` actions of this execution.
    pub(crate) depth: u32,
    /// The node that called, in the frame below.
    pub(crate) caller: NodeId,
    pub(crate) kind: FrameKind,
}

pub(crate) enum FrameKind {
    /// Begun by `render`.
    Root,
    /// Begun by a `template` action: writes to the same output.
    Template,
    /// Begun by a function: has its own output. The call's arguments still lie on the stack.
    Nested { func: &'static Func, args: usize, nested: Nested },
}

/// An error at a node of the current frame.
pub(crate) struct Failure {
    pub(crate) at: NodeId,
    pub(crate) message: String,
    pub(crate) inner: Option<Box<ExecError>>,
}

impl Failure {
    pub(crate) fn new(at: NodeId, message: impl Into<String>) -> Failure {
        Failure { at, message: message.into(), inner: None }
    }
}

impl Machine<'_> {
    pub(crate) fn frame(
        &mut self,
        template: Rc<Template>,
        set: Set,
        dot: Value,
        control: Label,
        calls: StackId,
    ) -> Frame {
        let file = if self.heap.tracing() { self.heap.file_id(&template.file.name) } else { FileId::NONE };
        let vars = self.vars.len();
        self.vars.resize(vars + template.slots as usize, Value::NIL);
        self.vars[vars] = dot;
        Frame {
            template,
            set,
            pc: 0,
            vars,
            scopes: self.scopes.len(),
            iters: self.iters.len(),
            methods: self.methods.len(),
            stack: self.stack.len(),
            dot,
            control,
            calls,
            file,
            depth: 0,
            caller: 0,
            kind: FrameKind::Root,
        }
    }

    pub(crate) fn run(&mut self, frame: &mut Frame) -> Result<(), ExecError> {
        loop {
            match self.steps(frame) {
                Ok(()) => return Ok(()),
                Err(failure) => self.unwind(frame, failure)?,
            }
        }
    }

    /// Turns a failure into an error of the whole render, unless a function on the way makes a value of it (none does
    /// today: `failed` always gives an error).
    pub(crate) fn unwind(&mut self, frame: &mut Frame, failure: Failure) -> Result<(), ExecError> {
        let mut failure = failure;
        loop {
            // One level: this frame and the `template` calls around it.
            let mut level = self.level(frame, &failure);
            let mut error = *failure.inner.take().unwrap_or_default();
            loop {
                let Some(below) = self.frames.pop() else {
                    error.levels.push_front(level);
                    return Err(error);
                };
                let above = std::mem::replace(frame, below);
                self.drop_to(&above);
                let place = self.place(frame, above.caller);
                match above.kind {
                    FrameKind::Nested { func, args, nested } => {
                        self.outs.pop();
                        error.levels.push_front(level);
                        let base = self.stack.len() - args;
                        let set = frame.set.clone();
                        let action = Action { file: frame.file, span: place.span };
                        let mut call = Call { heap: self.heap, host: self.host, set: &set, action };
                        let told = (nested.failed)(&mut call, &self.stack[base..], error);
                        failure = func_failure(above.caller, func.name, told);
                        break;
                    }
                    _ => level.calls.push(place),
                }
            }
        }
    }

    pub(crate) fn drop_to(&mut self, frame: &Frame) {
        self.vars.truncate(frame.vars);
        self.scopes.truncate(frame.scopes);
        self.iters.truncate(frame.iters);
        self.methods.truncate(frame.methods);
        self.stack.truncate(frame.stack);
    }

    pub(crate) fn place(&self, frame: &Frame, at: NodeId) -> Place {
        let file = &frame.template.file;
        let span = file.tree.nodes.get(at as usize).map_or(Span::default(), |n| n.span);
        Place::new(file.name.clone(), span)
    }

    pub(crate) fn level(&self, frame: &Frame, failure: &Failure) -> Level {
        let file = &frame.template.file;
        let at = if failure.at == DYNAMIC { self.last_at } else { failure.at };
        let pos = file.tree.nodes.get(at as usize).map_or(0, |n| n.pos as usize);
        let LineCol { line, col } = LineCol::of(&file.text, pos);
        Level {
            place: self.place(frame, at),
            location: format!("{}:{line}:{}", file.name, col - 1),
            name: frame.template.name.to_string(),
            context: file.tree.print(&file.text, at),
            message: failure.message.clone(),
            calls: Vec::new(),
        }
    }

    /// Replaces a call's arguments by its value.
    pub(crate) fn returned(&mut self, func: &Func, args: usize, value: Value) {
        let base = self.stack.len() - args;
        // A nil can only come out of a result of type `interface {}`.
        let mut value = if value.is_nil() { value.boxed() } else { value.unboxed() };
        if self.heap.tracing() && func.labels == Labels::Widen {
            let mut label = value.label;
            for i in base..self.stack.len() {
                let arg = self.heap.label_of(self.stack[i]);
                label = self.heap.join(label, arg);
            }
            value.label = label;
        }
        self.stack.truncate(base);
        self.stack.push(value);
    }

    pub(crate) fn enter(
        &mut self,
        f: &mut Frame,
        template: Rc<Template>,
        set: Set,
        dot: Value,
        at: NodeId,
        kind: FrameKind,
    ) -> Result<(), Failure> {
        if self.frames.len() >= FRAMES {
            return Err(Failure::new(at, format!("more than {FRAMES} templates called within each other")));
        }
        let nested = matches!(kind, FrameKind::Nested { .. });
        let mut calls = f.calls;
        if self.heap.tracing() {
            let span = f.template.file.tree.nodes[at as usize].span;
            calls = self.heap.push_stack(f.calls, Action { file: f.file, span }, &template.name);
        }
        if nested {
            self.outs.push(TextBuilder::default());
        }
        // Inside a function's template the control of the call joins when the text is printed.
        let control = if nested { Label::NONE } else { f.control };
        let mut frame = self.frame(template, set, dot, control, calls);
        frame.depth = if nested { 0 } else { f.depth + 1 };
        frame.caller = at;
        frame.kind = kind;
        self.frames.push(std::mem::replace(f, frame));
        Ok(())
    }

    /// Ends a frame; true when it was the last.
    pub(crate) fn leave(&mut self, f: &mut Frame) -> Result<bool, Failure> {
        let Some(below) = self.frames.pop() else { return Ok(true) };
        let above = std::mem::replace(f, below);
        self.drop_to(&above);
        if let FrameKind::Nested { func, args, nested } = above.kind {
            let text = self.outs.pop().unwrap_or_default().finish();
            let base = self.stack.len() - args;
            let span = f.template.file.tree.nodes[above.caller as usize].span;
            let action = Action { file: f.file, span };
            let mut call = Call { heap: self.heap, host: self.host, set: &f.set, action };
            match (nested.done)(&mut call, &self.stack[base..], text) {
                Ok(value) => self.returned(func, args, value),
                Err(error) => return Err(func_failure(above.caller, func.name, error)),
            }
        }
        Ok(false)
    }
}

pub(crate) fn func_failure(at: NodeId, name: &str, error: FuncError) -> Failure {
    match error {
        FuncError::Message(text) | FuncError::Panic(text) => Failure::new(at, format!("error calling {name}: {text}")),
        FuncError::Nested(prefix, inner) => {
            Failure { at, message: format!("error calling {name}: {prefix}"), inner: Some(inner) }
        }
        FuncError::Limit(text) => Failure::new(at, text),
    }
}
