//! Functions and methods: static tables with Go signatures. The signature decides Go's errors about arguments, so a
//! function sees only arguments that fit; what it returns may be a value or a template to run.

use crate::error::{ExecError, FuncError};
use crate::heap::Heap;
use crate::label::Label;
use crate::marked::{Action, Marked};
use crate::template::Set;
use crate::value::{MapId, Value};
use std::any::Any;

/// The Go type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// `interface {}`.
    Any,
    /// `reflect.Value`: like `interface {}`, but a nil constant and "no value" can be told apart by [`Value::is_boxed`].
    Reflect,
    /// `string`.
    Str,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `int64`.
    Int64,
    /// `uint32`.
    Uint32,
    /// `float64`.
    Float,
    /// `map[string]interface {}`. A nil one arrives as [`Data::NilOf`](crate::Data::NilOf).
    Map,
    /// `map[string]string`.
    MapStr,
    /// `[]interface {}`. A nil one arrives as [`Data::NilOf`](crate::Data::NilOf).
    List,
    /// `[]string`.
    Strings,
    /// `[]uint8`.
    Bytes,
    /// A host type by its `%T`, such as `time.Time`.
    Named(&'static str),
}

impl Param {
    /// Go's name of the type, as errors give it.
    pub const fn name(self) -> &'static str {
        match self {
            Param::Any => "interface {}",
            Param::Reflect => "reflect.Value",
            Param::Str => "string",
            Param::Bool => "bool",
            Param::Int => "int",
            Param::Int64 => "int64",
            Param::Uint32 => "uint32",
            Param::Float => "float64",
            Param::Map => "map[string]interface {}",
            Param::MapStr => "map[string]string",
            Param::List => "[]interface {}",
            Param::Strings => "[]string",
            Param::Bytes => "[]uint8",
            Param::Named(name) => name,
        }
    }
}

/// Who sets the label of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// The evaluator: the union of what all arguments depend on.
    Widen,
    /// The function itself.
    Own,
}

/// A function or method.
#[derive(Debug)]
pub struct Func {
    /// Its name in templates.
    pub name: &'static str,
    /// Fixed parameters.
    pub params: &'static [Param],
    /// The element type of a final `...` parameter.
    pub variadic: Option<Param>,
    /// Who sets the result's label.
    pub labels: Labels,
    /// What it does. Methods get their receiver as the first argument.
    pub call: fn(&mut Call<'_>, &[Value]) -> Result<Outcome, FuncError>,
}

impl Func {
    /// A function with a fixed number of parameters whose result depends on all its arguments.
    pub const fn new(
        name: &'static str,
        params: &'static [Param],
        call: fn(&mut Call<'_>, &[Value]) -> Result<Outcome, FuncError>,
    ) -> Func {
        Func { name, params, variadic: None, labels: Labels::Widen, call }
    }

    /// The same with a final `...` parameter.
    pub const fn variadic(self, elem: Param) -> Func {
        Func { variadic: Some(elem), ..self }
    }

    /// The same, but the function sets the result's label itself.
    pub const fn own_labels(self) -> Func {
        Func { labels: Labels::Own, ..self }
    }
}

/// What a function gives back.
#[derive(Debug)]
pub enum Outcome {
    /// A value.
    Value(Value),
    /// A template to run first; the evaluator runs it without native recursion, then asks `then` for the value.
    Render(Nested),
}

impl From<Value> for Outcome {
    fn from(value: Value) -> Outcome {
        Outcome::Value(value)
    }
}

/// A template that a function wants run, and what happens with its output.
pub struct Nested {
    /// Where the template is looked up, and what `template` and further functions inside see.
    pub set: Set,
    /// Its name. When the set has none of that name, `failed` gets Go's `template: no template "x" associated with
    /// template "Y"`, with Y from [`Nested::asker`].
    pub name: std::rc::Rc<str>,
    /// The name of the template that asked, for the error above (`gotpl` in Helm).
    pub asker: &'static str,
    /// Its dot.
    pub dot: Value,
    /// Makes the value from the call's arguments and the output.
    pub done: fn(&mut Call<'_>, &[Value], Marked) -> Result<Value, FuncError>,
    /// Makes the error from the call's arguments and the template's error.
    pub failed: fn(&mut Call<'_>, &[Value], ExecError) -> FuncError,
}

impl std::fmt::Debug for Nested {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Nested({})", self.name)
    }
}

/// What a function may use.
pub struct Call<'a> {
    /// The render's heap, with fuel and limits.
    pub heap: &'a mut Heap,
    /// The host of the render.
    pub host: &'a mut dyn Host,
    /// The templates that the calling template sees.
    pub set: &'a Set,
    /// The action that calls (file and span); the file is known only while tracing.
    pub action: Action,
}

impl Call<'_> {
    /// The host as what it is.
    pub fn host_as<T: Host>(&mut self) -> Option<&mut T> {
        self.host.as_any().downcast_mut::<T>()
    }
}

/// The program that renders: it answers origin questions and keeps what its functions need.
pub trait Host: Any {
    /// Itself, for downcasts.
    fn as_any(&mut self) -> &mut dyn Any;

    /// A key was looked for in a map and is missing. Called only while tracing; gives the label of the absence.
    fn absent(&mut self, _heap: &mut Heap, _map: MapId, _key: &[u8]) -> Label {
        Label::NONE
    }

    /// A map, list or number is ranged over. Called only while tracing; the label joins the body's control.
    fn ranged(&mut self, _heap: &mut Heap, _over: Value) -> Label {
        Label::NONE
    }
}

/// A host that knows nothing.
#[derive(Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
