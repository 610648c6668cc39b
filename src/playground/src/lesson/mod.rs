//! The built-in lessons, goals as predicates over the state, and proofs that a lesson is sound: its start fails the
//! goals, its solution meets them, each known mistake fails the right one.

mod check;
mod goals;

pub use check::{Report, check_lesson};
pub use goals::{GoalContext, evaluate};
pub use lesson::{Book, Goal, Lesson};

/// The lessons that are built in, in the order of the list.
pub fn built_in() -> Book {
    Book::from_bytes(include_bytes!(concat!(env!("OUT_DIR"), "/lessons.bin")))
}
