//! Lessons as data: what a lesson holds, and the book of lessons that is built into the playground. Lesson folders are
//! read at build time, and by `tidepool lesson check`; the page gets the result and carries no reader.

mod act;
mod book;
mod model;
#[cfg(feature = "read")]
pub mod read;

pub use act::{Act, parse_act};
pub use book::Book;
pub use model::{
    AppGoal, ChartRule, CommittedGoal, FileGoal, Goal, Lesson, LessonText, LiveField, ObjectGoal, RepositorySpec, Step,
    StepText, Wrong,
};
