//! Go text/template (Go 1.26): lexer, parser, evaluator with origins, and Go's `fmt`.
//!
//! A file is parsed once into a shared [`Parsed`] (tree and code); a [`Set`] is a namespace of templates, cheap to
//! clone; [`render`] runs one template on a per-render [`Heap`] of [`Value`]s. Functions come as tables of [`Func`]
//! with Go signatures, which decide Go's errors. Every output byte can carry a [`Mark`]: where in which template it
//! was written, through which calls, and which values it depends on.

pub mod builtins;
mod code;
mod compile;
pub mod error;
mod exec;
mod field;
pub mod fmt;
pub mod format;
mod frames;
pub mod func;
pub mod heap;
pub mod label;
mod lex;
mod literal;
pub mod marked;
mod ops;
mod parse;
mod pipeline;
pub mod quote;
pub mod template;
mod tree;
pub mod types;
mod unicode;
mod unicode_tables;
pub mod value;

pub use error::{ExecError, FuncError, Level};
pub use func::{Call, Func, Host, Labels, Nested, NoHost, Outcome, Param};
pub use heap::{Heap, ObjectData};
pub use label::{Dep, Label};
pub use marked::{Action, FileId, Mark, Marked, StackId, TextBuilder};
pub use template::{MissingKey, Options, Parsed, Set, Template, render};
pub use types::{Field, ListType, MapType, NilType, ObjectType};
pub use value::{Bytes, Data, IntKind, Key, Kind, ListId, MapId, ObjId, StrId, Value};
