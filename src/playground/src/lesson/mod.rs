//! Lessons: data in files (TOML and Markdown), goals that are predicates over the state, and proofs that a lesson is
//! sound: its start fails the goals, its solution meets them, each known mistake fails the right one.

mod check;
mod embedded;
mod format;
mod goals;
mod markdown;
mod script;
mod text;

pub use check::{Report, check_lesson};
pub use embedded::{lesson_files, lesson_ids};
pub use format::{
    AppGoal, ChartRule, CommittedGoal, FileGoal, Goal, Lesson, LiveField, ObjectGoal, RepositorySpec, Step, Wrong,
};
pub use goals::{GoalContext, evaluate};
pub use markdown::{blocks, inlines};
pub use script::{Act, parse_act};

/// The files of one lesson: path inside its folder → content.
pub type LessonFiles = base::SortedMap<String, Vec<u8>>;
