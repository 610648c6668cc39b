//! What every engine shares: places in files, the one [`Diagnostic`], the [`World`] through which engines see
//! files and time, the immutable [`Json`] tree that APIs and simulations hold, origins ("who set this?"),
//! virtual [`Time`], and the table of limits.
//!
//! This crate depends on no other crate of the project, does no IO, reads no clock and draws no randomness.

pub mod diag;
pub mod gojson;
pub mod hash;
pub mod json;
pub mod limits;
pub mod order;
pub mod origin;
pub mod place;
pub mod sorted_map;
pub mod time;
pub mod utf16;
pub mod world;

pub use diag::{Diagnostic, Hint, Label, Severity};
pub use json::{Json, Map};
pub use origin::{Claim, Fate, Layer, LayerKind, Origin};
pub use place::{LineCol, Place, Span};
pub use sorted_map::SortedMap;
pub use time::Time;
pub use world::{FileError, MemWorld, World};
