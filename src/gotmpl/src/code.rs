//! The code that the evaluator runs: a flat list of steps per template over pools that a file's templates share.
//! Control flow is jumps and calls are frames, so that no template can nest natively.

use crate::func::{Func, Param};
use crate::tree::{NodeId, Tree};
use std::rc::Rc;

/// A file's pools.
#[derive(Debug)]
pub(crate) struct File {
    pub name: Rc<str>,
    pub text: Rc<[u8]>,
    pub tree: Tree,
    pub pools: Pools,
}

#[derive(Debug, Default)]
pub(crate) struct Pools {
    pub consts: Vec<Const>,
    /// Field, template and callee names.
    pub names: Vec<Rc<str>>,
    pub params: Vec<Param>,
    pub funcs: Vec<&'static Func>,
    pub ranges: Vec<RangeVars>,
    pub messages: Vec<String>,
}

/// A constant argument or word.
#[derive(Clone, Debug)]
pub(crate) enum Const {
    Bool(bool),
    Int(i64, crate::IntKind),
    Float(f64),
    Complex(f64, f64),
    Str(Rc<[u8]>),
    /// The zero value of a parameter's type, for `nil`.
    Zero(Param),
}

/// The variables that a `range` sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RangeVars {
    pub index: Option<u32>,
    pub elem: Option<u32>,
}

/// One step. `at` is the node that an error names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Text {
        start: u32,
        end: u32,
    },
    Print {
        at: NodeId,
    },
    Pop,
    Dot,
    Nil,
    Var(u32),
    /// Copies the top of the stack into a variable.
    SetVar(u32),
    Const(u32),
    Field {
        name: u32,
        at: NodeId,
    },
    /// Looks a method up for a call with arguments; the receiver leaves the stack.
    Method {
        name: u32,
        argc: u16,
        piped: bool,
        at: NodeId,
    },
    /// A constant argument of the pending method.
    MethodConst {
        arg: u16,
        node: NodeId,
    },
    /// Checks the top of the stack as an argument of the pending method.
    MethodCheck {
        arg: u16,
        at: NodeId,
    },
    CallMethod {
        argc: u16,
        piped: bool,
        at: NodeId,
    },
    Check {
        param: u32,
        at: NodeId,
    },
    /// Like `Check`, for the piped value, which lies below `above` arguments.
    CheckPiped {
        param: u32,
        above: u16,
        at: NodeId,
    },
    Call {
        func: u32,
        argc: u16,
        piped: bool,
        at: NodeId,
    },
    /// The builtin `call`.
    CallValue {
        name: u32,
        argc: u16,
        piped: bool,
        at: NodeId,
    },
    /// Keeps the tested value and jumps when it decides; else drops it.
    AndOr {
        or: bool,
        target: u32,
        at: NodeId,
    },
    /// Joins what was tested into the result: `[tested, result]` becomes `[result]`.
    AndOrEnd,
    /// `[piped, tested, result]` becomes `[result]`.
    AndOrDrop,
    /// `[piped, tested]` becomes `[piped]`.
    AndOrPiped,
    SetAt(NodeId),
    /// Takes the value out of its `interface {}` slot.
    Unbox,
    Fail {
        message: u32,
        at: NodeId,
    },
    Jump(u32),
    Branch {
        with: bool,
        otherwise: u32,
    },
    ScopeEnd,
    /// Leaves that many scopes at once (`break`, `continue`).
    Unwind(u32),
    RangeStart {
        vars: u32,
        otherwise: u32,
        at: NodeId,
    },
    RangeNext {
        vars: u32,
        exit: u32,
    },
    IterPop,
    TemplateCheck {
        name: u32,
        at: NodeId,
    },
    TemplateCall {
        name: u32,
        at: NodeId,
    },
    End,
}
