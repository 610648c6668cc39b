//! Lessons as data: what a lesson holds, and their form as bytes. Lesson folders are
//! read at build time, and by `tidepool lesson check`; the page gets the result and carries no reader.

mod act;
mod bytes;
mod model;
#[cfg(feature = "read")]
pub mod read;

pub use act::{Act, parse_act};
pub use model::{
    AppGoal, ChartRule, CommittedGoal, FileGoal, Goal, Later, Lesson, LessonText, LiveField, ObjectGoal,
    RepositorySpec, Step, StepText, Wrong,
};
