//! The built-in lessons, goals as predicates over the state, and proofs that a lesson is sound: its start fails the
//! goals, its solution meets them, each known mistake fails the right one.

mod check;
mod goals;

pub use check::{Report, check_lesson};
pub(crate) use goals::answered;
pub use goals::{GoalContext, evaluate};
pub use lesson::{Goal, Lesson};

/// A lesson that is built in.
#[derive(Debug)]
pub struct BuiltIn {
    /// Id.
    pub id: &'static str,
    /// English title.
    pub en: &'static str,
    /// Korean title.
    pub ko: &'static str,
    bytes: fn() -> &'static [u8],
}

/// The lessons that are built in, in the order of the list.
pub static BUILT_IN: &[BuiltIn] = include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// The built-in lesson of this id.
pub fn built_in(id: &str) -> Option<Lesson> {
    let lesson = BUILT_IN.iter().find(|lesson| lesson.id == id)?;
    Lesson::from_bytes((lesson.bytes)())
}
