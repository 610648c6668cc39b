//! The playground: it owns the simulation, the command log, typed texts and the lesson, and turns state into views.
//!
//! Pure: it does no IO and reads no clock. [`Playground::handle`] answers a request, in slices when it takes long.

mod command;
mod details;
mod engine;
mod explain;
pub mod field;
pub mod lesson;
mod live;
pub mod log;
mod past;
mod place;
mod plain;
mod run;
mod saved;
mod session;
mod view;

pub use saved::{SAVED_FORMAT, Saved};
pub use session::{Endless, Playground, Progress, Slice};
