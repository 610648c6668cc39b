//! The evaluator: runs the steps of templates. `template`, `include` and `tpl` push frames on a stack of its own;
//! nothing nests natively. Each step spends fuel.

use crate::code::{Const, Op, RangeVars};
use crate::error::ExecError;
use crate::field::{self, Found};
use crate::frames::{Failure, Frame, FrameKind, func_failure};
use crate::func::{Call, Func, Host, Outcome, Param};
use crate::heap::{Heap, ObjectData};
use crate::label::Label;
use crate::marked::{Action, Marked, StackId, TextBuilder};
use crate::template::{MissingKey, Options, Set, Template};
use crate::tree::{DYNAMIC, NodeId};
use crate::types::NilType;
use crate::value::{Data, IntKind, Key, Kind, Value};
use base::limits;
use std::rc::Rc;

pub(crate) struct Scope {
    dot: Value,
    control: Label,
}

pub(crate) enum Items {
    List(Rc<Vec<Value>>, bool),
    Map(Rc<Vec<(Key, Value)>>, bool),
    Int(i64, IntKind),
}

pub(crate) struct Iter {
    items: Items,
    next: i64,
    label: Label,
}

pub(crate) struct Machine<'a> {
    pub(crate) heap: &'a mut Heap,
    pub(crate) host: &'a mut dyn Host,
    pub(crate) options: &'a Options,
    pub(crate) frames: Vec<Frame>,
    pub(crate) stack: Vec<Value>,
    pub(crate) vars: Vec<Value>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) iters: Vec<Iter>,
    /// Methods whose arguments are being evaluated, with their receivers.
    pub(crate) methods: Vec<(&'static Func, Value)>,
    pub(crate) outs: Vec<TextBuilder>,
    pub(crate) written: usize,
    pub(crate) last_at: NodeId,
}

/// Stands for the method of no value: Go gives no value again.
static NO_METHOD: Func = Func::new("", &[], |_, args| Ok(args.first().copied().unwrap_or(Value::NIL).into()))
    .variadic(Param::Any)
    .own_labels();

pub(crate) fn run(
    template: &Rc<Template>,
    set: &Set,
    dot: Value,
    heap: &mut Heap,
    host: &mut dyn Host,
    options: &Options,
) -> Result<Marked, ExecError> {
    let mut machine = Machine {
        heap,
        host,
        options,
        frames: Vec::new(),
        stack: Vec::new(),
        vars: Vec::new(),
        scopes: Vec::new(),
        iters: Vec::new(),
        methods: Vec::new(),
        outs: vec![TextBuilder::default()],
        written: 0,
        last_at: 0,
    };
    let mut frame = machine.frame(template.clone(), set.clone(), dot, Label::NONE, StackId::ROOT);
    machine.run(&mut frame)?;
    Ok(machine.outs.pop().unwrap_or_default().finish())
}

impl Machine<'_> {
    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::NIL)
    }

    pub(crate) fn steps(&mut self, f: &mut Frame) -> Result<(), Failure> {
        loop {
            let op = f.template.code[f.pc];
            f.pc += 1;
            if self.heap.fuel == 0 || self.heap.room == 0 {
                return Err(self.out_of_limits(f));
            }
            self.heap.fuel -= 1;
            match op {
                Op::Text { start, end } => {
                    let file = f.template.file.clone();
                    let out = self.outs.len() - 1;
                    let bytes = &file.text[start as usize..end as usize];
                    self.outs[out].literal(bytes, f.file, start, f.calls, f.control, self.heap.tracing());
                    self.wrote(bytes.len(), 0)?;
                }
                Op::Print { at } => self.print(f, at)?,
                Op::Pop => {
                    self.pop();
                }
                Op::Dot => self.stack.push(f.dot),
                Op::Nil => self.stack.push(Value::NIL),
                Op::Var(slot) => self.stack.push(self.vars[f.vars + slot as usize]),
                Op::SetVar(slot) => {
                    let top = self.stack.last().copied().unwrap_or(Value::NIL);
                    // What decided that this runs decided the value.
                    let top = if f.control == Label::NONE {
                        top
                    } else {
                        top.with_label(self.heap.join(top.label, f.control))
                    };
                    self.vars[f.vars + slot as usize] = top;
                }
                Op::Const(n) => {
                    let value = constant(self.heap, &f.template.file.pools.consts[n as usize]);
                    self.stack.push(value);
                }
                Op::Field { name, at } => {
                    let receiver = self.pop();
                    match field::find(self.heap, receiver, &f.template.file.pools.names[name as usize]) {
                        Ok(Found::Value(value)) => self.stack.push(value),
                        other => self.field(f, receiver, name, at, other)?,
                    }
                }
                Op::Method { name, argc, piped, at } => self.method(f, name, argc, piped, at)?,
                Op::MethodConst { arg, node } => {
                    let Some((func, _)) = self.methods.last() else { continue };
                    let file = &f.template.file;
                    let param = crate::compile::param_of(func, arg as usize);
                    match crate::compile::convert(&file.tree, &file.text, node, param) {
                        Ok(value) => {
                            let value = constant(self.heap, &value);
                            self.stack.push(value);
                        }
                        Err(message) => return Err(Failure::new(node, message)),
                    }
                }
                Op::MethodCheck { arg, at } => {
                    let Some((func, _)) = self.methods.last() else { continue };
                    let param = crate::compile::param_of(func, arg as usize);
                    self.check(param, 0, at)?;
                }
                Op::CallMethod { argc, piped, at } => {
                    let Some((func, receiver)) = self.methods.last().copied() else { continue };
                    if piped {
                        self.check(crate::compile::param_of(func, argc as usize), argc, at)?;
                    }
                    self.methods.pop();
                    let base = self.stack.len() - argc as usize - usize::from(piped);
                    if piped {
                        self.stack[base..].rotate_left(1);
                    }
                    self.stack.insert(base, receiver);
                    self.call(f, func, self.stack.len() - base, at)?;
                }
                Op::Check { param, at } => self.check(f.template.file.pools.params[param as usize], 0, at)?,
                Op::CheckPiped { param, above, at } => {
                    self.check(f.template.file.pools.params[param as usize], above, at)?;
                }
                Op::Call { func, argc, piped, at } => {
                    let func = f.template.file.pools.funcs[func as usize];
                    let mut args = argc as usize;
                    if piped {
                        args += 1;
                        let base = self.stack.len() - args;
                        self.stack[base..].rotate_left(1);
                    }
                    self.call(f, func, args, at)?;
                }
                Op::CallValue { name, argc, piped, at } => {
                    let args = argc as usize + usize::from(piped);
                    let base = self.stack.len() - args;
                    if piped {
                        self.stack[base..].rotate_left(1);
                    }
                    let callee = self.stack[base].unboxed();
                    let text = if callee.is_nil() {
                        "call of nil".to_string()
                    } else {
                        let mut name = f.template.file.pools.names[name as usize].to_string();
                        if argc == 0 {
                            // Go prints the piped value with `reflect.Value.String`.
                            name = match self.heap.as_str(callee) {
                                Some(text) => String::from_utf8_lossy(text).into_owned(),
                                None => format!("<{} Value>", self.heap.type_name(callee)),
                            };
                        }
                        format!("non-function {name} of type {}", self.heap.type_name(callee))
                    };
                    return Err(Failure::new(at, format!("error calling call: {text}")));
                }
                Op::AndOr { or, target, at } => {
                    let tested = self.pop();
                    if self.heap.truth(tested) == or {
                        if at != DYNAMIC {
                            self.last_at = at;
                        }
                        self.stack.push(tested);
                        f.pc = target as usize;
                    } else if self.heap.tracing() {
                        let label = self.heap.label_of(tested);
                        let control = self.heap.as_control(label);
                        let top = self.stack.len() - 1;
                        let joined = self.heap.join(self.stack[top].label, control);
                        self.stack[top].label = joined;
                    }
                }
                Op::AndOrEnd => {
                    let result = self.pop();
                    let tested = self.pop();
                    let label = self.heap.join(result.label, tested.label);
                    self.stack.push(result.with_label(label));
                }
                Op::AndOrDrop => {
                    let result = self.pop();
                    let tested = self.pop();
                    self.pop();
                    let label = self.heap.join(result.label, tested.label);
                    self.stack.push(result.with_label(label));
                }
                Op::AndOrPiped => {
                    let tested = self.pop();
                    let result = self.pop();
                    let label = self.heap.join(result.label, tested.label);
                    self.stack.push(result.with_label(label));
                }
                Op::SetAt(at) => {
                    if at != DYNAMIC {
                        self.last_at = at;
                    }
                }
                Op::Unbox => {
                    if let Some(top) = self.stack.last_mut() {
                        top.boxed = false;
                    }
                }
                Op::Fail { message, at } => {
                    return Err(Failure::new(at, f.template.file.pools.messages[message as usize].clone()));
                }
                Op::Jump(to) => f.pc = to as usize,
                Op::Branch { with, otherwise } => {
                    let value = self.pop();
                    self.scopes.push(Scope { dot: f.dot, control: f.control });
                    self.control(f, value);
                    if !self.heap.truth(value) {
                        f.pc = otherwise as usize;
                    } else if with {
                        f.dot = value;
                    }
                }
                Op::ScopeEnd => {
                    if let Some(scope) = self.scopes.pop() {
                        f.dot = scope.dot;
                        f.control = scope.control;
                    }
                }
                Op::Unwind(n) => {
                    for _ in 0..n {
                        if let Some(scope) = self.scopes.pop() {
                            f.dot = scope.dot;
                            f.control = scope.control;
                        }
                    }
                }
                Op::RangeStart { vars, otherwise, at } => self.range(f, vars, otherwise, at)?,
                Op::RangeNext { vars, exit } => {
                    let vars = f.template.file.pools.ranges[vars as usize];
                    if !self.next_item(f, vars) {
                        self.iters.pop();
                        f.pc = exit as usize;
                    }
                }
                Op::IterPop => {
                    self.iters.pop();
                }
                Op::TemplateCheck { name, at } => {
                    let name = &f.template.file.pools.names[name as usize];
                    if f.set.get(name).is_none() {
                        let quoted = crate::quote::go_quote(name.as_bytes());
                        return Err(Failure::new(at, format!("template {quoted} not defined")));
                    }
                    if f.depth >= limits::TEMPLATE_DEPTH {
                        let text = format!("exceeded maximum template depth ({})", limits::TEMPLATE_DEPTH);
                        return Err(Failure::new(at, text));
                    }
                }
                Op::TemplateCall { name, at } => {
                    let dot = self.pop();
                    let name = &f.template.file.pools.names[name as usize];
                    let Some(template) = f.set.get(name).cloned() else { continue };
                    self.enter(f, template, f.set.clone(), dot, at, FrameKind::Template)?;
                }
                Op::End => {
                    if self.leave(f)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn out_of_limits(&self, f: &Frame) -> Failure {
        let text = if self.heap.fuel == 0 {
            format!("render stopped after {} steps", limits::RENDER_FUEL)
        } else {
            format!("render needs more than {} MiB of memory", limits::RENDER_HEAP >> 20)
        };
        // No node is at fault; the first of the file will do.
        let _ = f;
        Failure::new(0, text)
    }

    fn wrote(&mut self, bytes: usize, at: NodeId) -> Result<(), Failure> {
        self.written += bytes;
        if self.written <= self.options.output {
            return Ok(());
        }
        Err(Failure::new(at, format!("render writes more than {} MiB", self.options.output >> 20)))
    }

    /// The dependencies of a condition join the control of what it guards.
    fn control(&mut self, f: &mut Frame, value: Value) {
        if self.heap.tracing() {
            let label = self.heap.label_of(value);
            let control = self.heap.as_control(label);
            f.control = self.heap.join(f.control, control);
        }
    }

    /// What is printed for a struct that is reached through a pointer: the text of its `String` method on the pointer,
    /// if it has one, as text/template takes the address.
    fn addressed(&mut self, f: &Frame, value: Value) -> Value {
        let Data::Object(id) = value.data else { return value };
        let ty = self.heap.object_data(id).ty;
        let Some(method) = ty.methods.iter().find(|m| m.name == "String" && ty.text.is_none()) else { return value };
        let mut call = Call { heap: self.heap, host: self.host, set: &f.set, action: Action::NONE };
        match (method.call)(&mut call, &[value]) {
            Ok(Outcome::Value(text)) => text.with_label(value.label),
            _ => value,
        }
    }

    fn print(&mut self, f: &Frame, at: NodeId) -> Result<(), Failure> {
        let value = self.pop();
        let value = self.addressed(f, value);
        let last = self.outs.len() - 1;
        let out = &mut self.outs[last];
        let start = out.len();
        let marks = out.out.marks.len();
        match value.data {
            Data::Str(id) => {
                let (bytes, inner) = self.heap.text(id);
                out.copy(bytes, inner, 0..bytes.len());
            }
            Data::Nil => out.push(b"<no value>"),
            Data::Object(id) if self.heap.object_data(id).ty.kind == Kind::Ptr => {
                // text/template prints what a pointer points to.
                crate::fmt::print_value(self.heap, &mut out.out.bytes, value);
                if out.out.bytes.get(start) == Some(&b'&') {
                    out.out.bytes.remove(start);
                }
            }
            _ => crate::fmt::print_value(self.heap, &mut out.out.bytes, value),
        }
        if self.heap.tracing() {
            let label = self.heap.join(value.label, f.control);
            let span = f.template.file.tree.nodes[at as usize].span;
            out.fill(self.heap, marks, start, Action { file: f.file, span }, f.calls, label);
        }
        let bytes = out.len() - start;
        self.wrote(bytes, at)
    }

    /// The parts of field access that are not a plain value.
    fn field(
        &mut self,
        f: &mut Frame,
        receiver: Value,
        name: u32,
        at: NodeId,
        found: Result<Found, String>,
    ) -> Result<(), Failure> {
        let file = f.template.file.clone();
        let name = &file.pools.names[name as usize];
        match found {
            Ok(Found::Value(value)) => self.stack.push(value),
            Ok(Found::NoReceiver) => {
                if self.options.missing_key == MissingKey::Error {
                    let quoted = crate::quote::go_quote(name.as_bytes());
                    return Err(Failure::new(at, format!("nil data; no entry for key {quoted}")));
                }
                self.stack.push(Value::NIL.with_label(receiver.label));
            }
            Ok(Found::Missing(elem)) => {
                let mut value = match self.options.missing_key {
                    MissingKey::Invalid => Value::NIL,
                    MissingKey::Zero => self.heap.zero_of(elem),
                    MissingKey::Error => {
                        let quoted = crate::quote::go_quote(name.as_bytes());
                        return Err(Failure::new(at, format!("map has no entry for key {quoted}")));
                    }
                };
                if self.heap.tracing() {
                    value.label = receiver.label;
                    if let Data::Map(id) = receiver.data {
                        let label = self.host.absent(self.heap, id, name.as_bytes());
                        value.label = self.heap.join(value.label, label);
                    }
                }
                self.stack.push(value);
            }
            Ok(Found::Method(func)) => {
                if let Some(message) = crate::compile::wrong_count(func, 0, false) {
                    return Err(Failure::new(at, message));
                }
                self.stack.push(receiver);
                self.call(f, func, 1, at)?;
            }
            Err(message) => return Err(Failure::new(at, message)),
        }
        Ok(())
    }

    fn method(&mut self, f: &mut Frame, name: u32, argc: u16, piped: bool, at: NodeId) -> Result<(), Failure> {
        let receiver = self.pop();
        let name = &f.template.file.pools.names[name as usize];
        let message = match field::find(self.heap, receiver, name) {
            Ok(Found::Method(func)) => match crate::compile::wrong_count(func, argc as usize, piped) {
                None => {
                    self.methods.push((func, receiver));
                    return Ok(());
                }
                Some(message) => message,
            },
            Ok(Found::NoReceiver) if self.options.missing_key != MissingKey::Error => {
                self.methods.push((&NO_METHOD, receiver));
                return Ok(());
            }
            Ok(Found::NoReceiver) => {
                format!("nil data; no entry for key {}", crate::quote::go_quote(name.as_bytes()))
            }
            Ok(_) if matches!(receiver.data, Data::Object(_)) => {
                format!("{name} has arguments but cannot be invoked as function")
            }
            Ok(_) => format!("{name} is not a method but has arguments"),
            Err(message) => message,
        };
        Err(Failure::new(at, message))
    }

    /// Checks the value below `above` others as an argument of a type.
    fn check(&mut self, param: Param, above: u16, at: NodeId) -> Result<(), Failure> {
        let i = self.stack.len() - 1 - above as usize;
        match field::assign(self.heap, self.stack[i], param) {
            Ok(value) => {
                self.stack[i] = value;
                Ok(())
            }
            Err(message) => Err(Failure::new(at, message)),
        }
    }

    /// Calls a function whose `args` arguments lie on the stack.
    fn call(&mut self, f: &mut Frame, func: &'static Func, args: usize, at: NodeId) -> Result<(), Failure> {
        let base = self.stack.len() - args;
        if func.params.first() != Some(&Param::Reflect) {
            for arg in &mut self.stack[base..] {
                arg.boxed = false;
            }
        }
        let span = f.template.file.tree.nodes[at as usize].span;
        let action = Action { file: f.file, span };
        let mut call = Call { heap: self.heap, host: self.host, set: &f.set, action };
        match (func.call)(&mut call, &self.stack[base..]) {
            Ok(Outcome::Value(value)) => {
                self.returned(func, args, value);
                Ok(())
            }
            Ok(Outcome::Render(nested)) => {
                let Some(template) = nested.set.get(&nested.name).cloned() else {
                    let text = format!(
                        "template: no template {} associated with template {}",
                        crate::quote::go_quote(nested.name.as_bytes()),
                        crate::quote::go_quote(nested.asker.as_bytes())
                    );
                    let mut call = Call { heap: self.heap, host: self.host, set: &f.set, action };
                    let told = (nested.failed)(&mut call, &self.stack[base..], ExecError::plain(text));
                    return Err(func_failure(at, func.name, told));
                };
                let (set, dot) = (nested.set.clone(), nested.dot.unboxed());
                self.enter(f, template, set, dot, at, FrameKind::Nested { func, args, nested })
            }
            Err(error) => Err(func_failure(at, func.name, error)),
        }
    }

    fn range(&mut self, f: &mut Frame, vars: u32, otherwise: u32, at: NodeId) -> Result<(), Failure> {
        let over = self.pop().unboxed();
        let vars = f.template.file.pools.ranges[vars as usize];
        self.scopes.push(Scope { dot: f.dot, control: f.control });
        let items = match over.data {
            Data::Nil => None,
            Data::NilOf(ty) if ty.kind != crate::Kind::Ptr => None,
            Data::Int(n, kind) => {
                if vars.index.is_some() {
                    let text = String::from_utf8_lossy(&self.heap.print_v(over)).into_owned();
                    let text = format!("can't use {text} to iterate over more than one variable");
                    return Err(Failure::new(at, text));
                }
                (n != 0 && (n > 0 || kind.unsigned())).then_some(Items::Int(n, kind))
            }
            Data::List(id) => Some(Items::List(self.heap.items(id), self.heap.list_type(id).boxes())),
            Data::Bytes(_) => self.heap.elements(over).map(|items| Items::List(items, false)),
            Data::Map(id) => Some(Items::Map(self.heap.entries(id), self.heap.map_type(id).boxes())),
            _ => {
                let text = String::from_utf8_lossy(&self.heap.print_v(over)).into_owned();
                return Err(Failure::new(at, format!("range can't iterate over {text}")));
            }
        };
        if self.heap.tracing() {
            self.control(f, over);
            let label = self.host.ranged(self.heap, over);
            let label = self.heap.as_control(label);
            f.control = self.heap.join(f.control, label);
        }
        let empty = match &items {
            None => true,
            Some(Items::List(items, _)) => items.is_empty(),
            Some(Items::Map(entries, _)) => entries.is_empty(),
            Some(Items::Int(..)) => false,
        };
        match items {
            Some(items) if !empty => self.iters.push(Iter { items, next: 0, label: over.label }),
            _ => f.pc = otherwise as usize,
        }
        Ok(())
    }

    /// Sets dot and variables to the next item.
    fn next_item(&mut self, f: &mut Frame, vars: RangeVars) -> bool {
        let Some(iter) = self.iters.last_mut() else { return false };
        let i = iter.next;
        let label = iter.label;
        let inherit = |v: Value| if v.label == Label::NONE { v.with_label(label) } else { v };
        let (mut key, elem) = match &iter.items {
            Items::List(items, boxes) => {
                let Some(item) = items.get(i as usize) else { return false };
                (Value::int(i), Value { boxed: *boxes, ..inherit(*item) })
            }
            Items::Map(entries, boxes) => {
                let Some((key, item)) = entries.get(i as usize) else { return false };
                let key = if vars.index.is_some() { self.heap.str(key.clone()) } else { Value::NIL };
                (key, Value { boxed: *boxes, ..inherit(*item) })
            }
            Items::Int(n, kind) => {
                if i == *n {
                    return false;
                }
                (Value::NIL, Value::new(Data::Int(i, *kind)).with_label(label))
            }
        };
        key.label = label;
        iter.next += 1;
        f.dot = elem;
        if let Some(slot) = vars.index {
            self.vars[f.vars + slot as usize] = key;
        }
        if let Some(slot) = vars.elem {
            self.vars[f.vars + slot as usize] = elem;
        }
        true
    }
}

fn constant(heap: &mut Heap, value: &Const) -> Value {
    match value {
        Const::Bool(b) => Value::bool(*b),
        Const::Int(n, kind) => Value::new(Data::Int(*n, *kind)),
        Const::Float(f) => Value::float(*f),
        Const::Complex(re, im) => heap.object(ObjectData {
            ty: field::COMPLEX,
            fields: vec![Value::float(*re), Value::float(*im)],
            native: None,
        }),
        Const::Str(bytes) => heap.str(bytes.clone()),
        Const::Zero(param) => match param {
            Param::Map => Value::new(Data::NilOf(NilType::MAP)),
            Param::MapStr => Value::new(Data::NilOf(NilType::MAP_STRINGS)),
            Param::List => Value::new(Data::NilOf(NilType::LIST)),
            Param::Strings => Value::new(Data::NilOf(NilType::STRINGS)),
            Param::Bytes => Value::new(Data::NilOf(NilType::BYTES)),
            Param::Named(_) => Value::new(Data::NilOf(NilType::POINTER)),
            _ => Value::NIL,
        },
    }
}
