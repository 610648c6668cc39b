//! The simulation: one state with a virtual clock, changed by commands only. Same commands, same bytes.
//!
//! Argo CD and Kubernetes run inside as work queues on virtual time; nothing ticks while nothing can happen.

mod cause;
mod command;
mod gitcmd;
mod kubectl;
mod scenario;
mod state;
pub mod terminal;
mod timeline;

pub use cause::Cause;
pub use command::{ApplyFrom, Command, ObjectRef, Outcome, Until};
pub use scenario::replay;
pub use state::{Remotes, State, WorkTree};
pub use timeline::{Entry, Wait, What};
