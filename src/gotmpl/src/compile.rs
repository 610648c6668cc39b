//! Compiles a pipeline into steps. Go's evaluator remembers the node it last looked at and names it in errors; since
//! it works in the order of the source, that node is known here for nearly every step.

use crate::code::{Const, Op};
use crate::func::{Func, Param};
use crate::literal::Number;
use crate::parse::Parser;
use crate::tree::{DYNAMIC, NodeId, NodeKind, Tree};
use crate::value::IntKind;

/// What type an argument has to be of.
#[derive(Clone, Copy)]
enum Want {
    /// No type: the value under a field chain.
    Free,
    Param(Param),
    /// The n-th argument of a method that is found when it runs.
    Method(u16),
}

/// Work that is left, the next piece last: pipelines nest as deep as the source likes.
enum Task {
    Pipe(NodeId),
    Command {
        cmd: NodeId,
        piped: bool,
    },
    Arg {
        node: NodeId,
        want: Want,
    },
    /// Fields of the value on the stack; the last may be a method that takes the arguments of `cmd`.
    Fields {
        node: NodeId,
        skip: usize,
        cmd: Option<NodeId>,
        piped: bool,
    },
    Declare(NodeId),
    Op(Op),
    /// A step that names the node last looked at.
    OpAt(fn(NodeId, u32) -> Op, u32),
    AndOr {
        or: bool,
        jumps: usize,
    },
    AndOrEnd {
        jumps: usize,
        piped: bool,
    },
    /// The place from which errors of the piped value are named.
    CheckPiped {
        param: Param,
        above: u16,
    },
}

impl Parser<'_> {
    /// Compiles `pipe`, so that its value lies on the stack; gives the node that errors about the value name.
    pub(crate) fn compile_pipe(&mut self, pipe: NodeId, at: NodeId) -> NodeId {
        let mut c = Compiler { at, jumps: Vec::new(), work: vec![Task::Pipe(pipe)] };
        while let Some(task) = c.work.pop() {
            self.compile_task(&mut c, task);
        }
        c.at
    }

    fn compile_task(&mut self, c: &mut Compiler, task: Task) {
        match task {
            Task::Op(op) => self.emit(op),
            Task::OpAt(make, n) => {
                let op = make(c.at, n);
                self.emit(op);
            }
            Task::Pipe(pipe) => {
                c.at = pipe;
                let NodeKind::Pipe { cmds, .. } = self.tree.kind(pipe) else { return };
                let mut next = Vec::new();
                for (i, cmd) in cmds.iter().enumerate() {
                    next.push(Task::Command { cmd: *cmd, piped: i > 0 });
                    next.push(Task::Op(Op::Unbox));
                }
                next.push(Task::Declare(pipe));
                c.push(next);
            }
            Task::Declare(pipe) => self.declare(c, pipe),
            Task::Command { cmd, piped } => self.command(c, cmd, piped),
            Task::Arg { node, want } => self.argument(c, node, want),
            Task::Fields { node, skip, cmd, piped } => self.fields(c, node, skip, cmd, piped),
            Task::AndOr { or, jumps } => {
                c.jumps[jumps].push(self.body().code.len());
                self.emit(Op::AndOr { or, target: 0, at: c.at });
            }
            Task::AndOrEnd { jumps, piped } => {
                self.emit(Op::SetAt(c.at));
                if piped {
                    self.emit(Op::AndOrPiped);
                    let skip = self.body().code.len() as u32 + 2;
                    self.emit(Op::Jump(skip));
                    let drop = self.body().code.len() as u32;
                    self.emit(Op::AndOrDrop);
                    self.patch(std::mem::take(&mut c.jumps[jumps]), drop);
                } else {
                    let end = self.body().code.len() as u32;
                    self.emit(Op::AndOrEnd);
                    self.patch(std::mem::take(&mut c.jumps[jumps]), end);
                }
                c.at = DYNAMIC;
            }
            Task::CheckPiped { param, above } => {
                if !matches!(param, Param::Any | Param::Reflect) {
                    let param = self.param(param);
                    self.emit(Op::CheckPiped { param, above, at: c.at });
                }
            }
        }
    }

    fn patch(&mut self, jumps: Vec<usize>, to: u32) {
        for at in jumps {
            if let Op::AndOr { target, .. } = &mut self.body().code[at] {
                *target = to;
            }
        }
    }

    fn declare(&mut self, c: &mut Compiler, pipe: NodeId) {
        let NodeKind::Pipe { assign, decl, .. } = self.tree.kind(pipe) else { return };
        let assign = *assign;
        for id in decl.clone() {
            let NodeKind::Variable { idents } = self.tree.kind(id) else { continue };
            let name = idents[0].clone();
            if assign {
                match self.body().slot(&name) {
                    Some(slot) => self.emit(Op::SetVar(slot)),
                    None => self.fail_op(c.at, format!("undefined variable: {name}")),
                }
            } else {
                let body = self.body();
                let slot = body.slots;
                body.slots += 1;
                body.scope.push((name, slot));
                self.emit(Op::SetVar(slot));
            }
        }
    }

    fn fail_op(&mut self, at: NodeId, message: String) {
        self.pools.messages.push(message);
        let message = self.pools.messages.len() as u32 - 1;
        self.emit(Op::Fail { message, at });
    }

    fn constant(&mut self, value: Const) {
        self.pools.consts.push(value);
        let n = self.pools.consts.len() as u32 - 1;
        self.emit(Op::Const(n));
    }

    fn param(&mut self, param: Param) -> u32 {
        let params = &mut self.pools.params;
        let at = params.iter().position(|p| *p == param).unwrap_or_else(|| {
            params.push(param);
            params.len() - 1
        });
        at as u32
    }

    fn command(&mut self, c: &mut Compiler, cmd: NodeId, piped: bool) {
        let NodeKind::Command { args } = self.tree.kind(cmd) else { return };
        let (first, more) = (args[0], args.len() > 1);
        let takes_args = more || piped;
        let not_a_function = |p: &mut Self, at| {
            let word = p.tree.print(p.input, first);
            p.fail_op(at, format!("can't give argument to non-function {word}"));
        };
        match self.tree.kind(first) {
            NodeKind::Field { .. } => {
                c.at = first;
                self.emit(Op::Dot);
                c.push(vec![Task::Fields { node: first, skip: 0, cmd: Some(cmd), piped }]);
            }
            NodeKind::Chain { node, .. } => {
                c.at = first;
                if matches!(self.tree.kind(*node), NodeKind::Nil) {
                    let text = self.tree.print(self.input, first);
                    return self.fail_op(first, format!("indirection through explicit nil in {text}"));
                }
                let inner = Task::Arg { node: *node, want: Want::Free };
                c.push(vec![inner, Task::Fields { node: first, skip: 0, cmd: Some(cmd), piped }]);
            }
            NodeKind::Ident { .. } => self.function(c, first, cmd, true, piped),
            NodeKind::Pipe { .. } => {
                if takes_args {
                    not_a_function(self, c.at);
                }
                c.push(vec![Task::Pipe(first)]);
            }
            NodeKind::Variable { idents } => {
                let single = idents.len() == 1;
                c.at = first;
                self.variable_op(first);
                if single {
                    if takes_args {
                        not_a_function(self, first);
                    }
                } else {
                    c.push(vec![Task::Fields { node: first, skip: 1, cmd: Some(cmd), piped }]);
                }
            }
            word => {
                c.at = first;
                let word = constant_of(word);
                if takes_args {
                    not_a_function(self, first);
                }
                match word {
                    None if matches!(self.tree.kind(first), NodeKind::Dot) => self.emit(Op::Dot),
                    None => self.fail_op(first, "nil is not a command".into()),
                    Some(Ok(value)) => self.constant(value),
                    Some(Err(message)) => self.fail_op(first, message),
                }
            }
        }
    }

    fn variable_op(&mut self, node: NodeId) {
        let NodeKind::Variable { idents } = self.tree.kind(node) else { return };
        let name = idents[0].clone();
        match self.body().slot(&name) {
            Some(slot) => self.emit(Op::Var(slot)),
            None => self.fail_op(node, format!("undefined variable: {name}")),
        }
    }

    fn fields(&mut self, c: &mut Compiler, node: NodeId, skip: usize, cmd: Option<NodeId>, piped: bool) {
        let names = match self.tree.kind(node) {
            NodeKind::Field { idents } | NodeKind::Variable { idents } => idents[skip..].to_vec(),
            NodeKind::Chain { fields, .. } => fields.clone(),
            _ => return,
        };
        let args: Vec<NodeId> = match cmd.map(|c| self.tree.kind(c)) {
            Some(NodeKind::Command { args }) => args[1..].to_vec(),
            _ => Vec::new(),
        };
        for (i, name) in names.iter().enumerate() {
            let last = i + 1 == names.len();
            let name = self.name_index(name.clone());
            if !last || args.is_empty() && !piped {
                self.emit(Op::Field { name, at: c.at });
                continue;
            }
            let argc = args.len() as u16;
            self.emit(Op::Method { name, argc, piped, at: c.at });
            let mut next: Vec<Task> = Vec::new();
            for (i, arg) in args.iter().enumerate() {
                next.push(Task::Arg { node: *arg, want: Want::Method(i as u16) });
            }
            next.push(Task::Op(Op::CallMethod { argc, piped, at: node }));
            c.push(next);
        }
    }

    /// A function as the first word of a command (`is_cmd`) or alone as an argument.
    fn function(&mut self, c: &mut Compiler, ident: NodeId, cmd: NodeId, is_cmd: bool, piped: bool) {
        c.at = ident;
        let NodeKind::Ident { name } = self.tree.kind(ident) else { return };
        let name = name.clone();
        let args: Vec<NodeId> = match self.tree.kind(cmd) {
            NodeKind::Command { args } if is_cmd => args[1..].to_vec(),
            _ => Vec::new(),
        };
        let Some((func, builtin)) = self.find(&name) else {
            let quoted = crate::quote::go_quote(name.as_bytes());
            return self.fail_op(ident, format!("{quoted} is not a defined function"));
        };
        if let Some(message) = wrong_count(func, args.len(), piped) {
            return self.fail_op(ident, message);
        }
        let total = args.len() + usize::from(piped);
        if builtin && matches!(&*name, "and" | "or") {
            return self.and_or(c, &args, &*name == "or", piped);
        }
        let mut next = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            next.push(Task::Arg { node: *arg, want: Want::Param(param_of(func, i)) });
        }
        let argc = args.len() as u16;
        if piped {
            next.push(Task::CheckPiped { param: param_of(func, total - 1), above: argc });
        }
        if builtin && &*name == "call" {
            let callee = args.first().map_or_else(String::new, |a| self.tree.print(self.input, *a));
            let name = self.name_index(callee.into());
            next.push(Task::Op(Op::CallValue { name, argc, piped, at: cmd }));
        } else {
            let funcs = &mut self.pools.funcs;
            let func = funcs.iter().position(|f| std::ptr::eq(*f, func)).unwrap_or_else(|| {
                funcs.push(func);
                funcs.len() - 1
            }) as u32;
            next.push(Task::Op(Op::Call { func, argc, piped, at: cmd }));
        }
        c.push(next);
    }

    fn and_or(&mut self, c: &mut Compiler, args: &[NodeId], or: bool, piped: bool) {
        // Holds the labels of what was tested.
        self.emit(Op::Nil);
        c.jumps.push(Vec::new());
        let jumps = c.jumps.len() - 1;
        let mut next = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            next.push(Task::Arg { node: *arg, want: Want::Param(Param::Reflect) });
            if piped || i + 1 < args.len() {
                next.push(Task::AndOr { or, jumps });
            }
        }
        next.push(Task::AndOrEnd { jumps, piped });
        c.push(next);
    }

    fn argument(&mut self, c: &mut Compiler, node: NodeId, want: Want) {
        c.at = node;
        let check = match want {
            Want::Free | Want::Param(Param::Any | Param::Reflect) => None,
            Want::Param(param) => {
                let param = self.param(param);
                Some(Task::OpAt(|at, param| Op::Check { param, at }, param))
            }
            Want::Method(arg) => Some(Task::OpAt(|at, arg| Op::MethodCheck { arg: arg as u16, at }, arg.into())),
        };
        let mut next = match self.tree.kind(node) {
            NodeKind::Dot => {
                self.emit(Op::Dot);
                vec![]
            }
            NodeKind::Field { .. } => {
                self.emit(Op::Dot);
                vec![Task::Fields { node, skip: 0, cmd: None, piped: false }]
            }
            NodeKind::Variable { idents } => {
                let single = idents.len() == 1;
                self.variable_op(node);
                if single { vec![] } else { vec![Task::Fields { node, skip: 1, cmd: None, piped: false }] }
            }
            NodeKind::Pipe { .. } => vec![Task::Pipe(node)],
            NodeKind::Ident { .. } => {
                if let Some(check) = check {
                    c.work.push(check);
                }
                return self.function(c, node, node, false, false);
            }
            NodeKind::Chain { node: inner, .. } => {
                if matches!(self.tree.kind(*inner), NodeKind::Nil) {
                    let text = self.tree.print(self.input, node);
                    return self.fail_op(node, format!("indirection through explicit nil in {text}"));
                }
                let inner = Task::Arg { node: *inner, want: Want::Free };
                vec![inner, Task::Fields { node, skip: 0, cmd: None, piped: false }]
            }
            _ => {
                match want {
                    Want::Method(arg) => self.emit(Op::MethodConst { arg, node }),
                    Want::Param(param) => match convert(&self.tree, self.input, node, param) {
                        Ok(value) => self.constant(value),
                        Err(message) => self.fail_op(node, message),
                    },
                    Want::Free => {}
                }
                return;
            }
        };
        next.extend(check);
        c.push(next);
    }
}

struct Compiler {
    /// The node that Go's evaluator looked at last.
    at: NodeId,
    /// Jumps of `and` and `or` whose target is not known yet.
    jumps: Vec<Vec<usize>>,
    work: Vec<Task>,
}

impl Compiler {
    fn push(&mut self, tasks: Vec<Task>) {
        self.work.extend(tasks.into_iter().rev());
    }
}

impl crate::parse::Body {
    fn slot(&self, name: &str) -> Option<u32> {
        self.scope.iter().rev().find(|(n, _)| &**n == name).map(|(_, slot)| *slot)
    }
}

/// The type of the n-th argument.
pub(crate) fn param_of(func: &Func, n: usize) -> Param {
    func.params.get(n).copied().or(func.variadic).unwrap_or(Param::Any)
}

/// Go's complaint about the number of arguments.
pub(crate) fn wrong_count(func: &Func, args: usize, piped: bool) -> Option<String> {
    let (fixed, total) = (func.params.len(), args + usize::from(piped));
    if func.variadic.is_some() {
        (total < fixed).then(|| format!("wrong number of args for {}: want at least {fixed} got {args}", func.name))
    } else {
        (total != fixed).then(|| format!("wrong number of args for {}: want {fixed} got {total}", func.name))
    }
}

/// A constant where no type is asked for; `None` for `.` and `nil`.
fn constant_of(kind: &NodeKind) -> Option<Result<Const, String>> {
    Some(Ok(match kind {
        NodeKind::Bool(b) => Const::Bool(*b),
        NodeKind::Str { value, .. } => Const::Str(value.clone()),
        NodeKind::Number { text, value } => return Some(ideal(text, *value)),
        _ => return None,
    }))
}

/// A number whose type is decided by how it is written.
fn ideal(text: &str, n: Number) -> Result<Const, String> {
    if let Some((re, im)) = n.complex {
        return Ok(Const::Complex(re, im));
    }
    let lower = text.to_ascii_lowercase();
    let hex_int = lower.len() > 2 && lower.starts_with("0x") && !lower.contains('p');
    if let Some(f) = n.float
        && !hex_int
        && !text.starts_with('\'')
        && lower.contains(['.', 'e', 'p'])
    {
        return Ok(Const::Float(f));
    }
    match n.int {
        Some(i) => Ok(Const::Int(i, IntKind::Int)),
        None => Err(format!("{text} overflows int")),
    }
}

/// A constant as an argument of a type.
pub(crate) fn convert(tree: &Tree, source: &[u8], node: NodeId, param: Param) -> Result<Const, String> {
    let kind = tree.kind(node);
    let found = |want: &str| format!("expected {want}; found {}", tree.print(source, node));
    if let NodeKind::Nil = kind {
        return match param {
            Param::Any | Param::Reflect | Param::Map | Param::MapStr | Param::List | Param::Strings | Param::Bytes => {
                Ok(Const::Zero(param))
            }
            Param::Named(name) if name.starts_with(['*', '[', 'm']) && !name.contains('.') || name.starts_with('*') => {
                Ok(Const::Zero(param))
            }
            _ => Err(format!("cannot assign nil to {}", param.name())),
        };
    }
    let number = match kind {
        NodeKind::Number { value, .. } => *value,
        _ => Number::default(),
    };
    match (param, kind) {
        (Param::Any | Param::Reflect, kind) => constant_of(kind).unwrap_or(Ok(Const::Zero(param))),
        (Param::Bool, NodeKind::Bool(b)) => Ok(Const::Bool(*b)),
        (Param::Bool, _) => Err(found("bool")),
        (Param::Str, NodeKind::Str { value, .. }) => Ok(Const::Str(value.clone())),
        (Param::Str, _) => Err(found("string")),
        (Param::Int, _) => number.int.map(|n| Const::Int(n, IntKind::Int)).ok_or_else(|| found("integer")),
        (Param::Int64, _) => number.int.map(|n| Const::Int(n, IntKind::Int64)).ok_or_else(|| found("integer")),
        (Param::Uint32, _) => number
            .uint
            .map(|n| Const::Int(i64::from(n as u32), IntKind::Uint32))
            .ok_or_else(|| found("unsigned integer")),
        (Param::Float, _) => number.float.map(Const::Float).ok_or_else(|| found("float")),
        _ => Err(format!("can't handle {} for arg of type {}", tree.print(source, node), param.name())),
    }
}
