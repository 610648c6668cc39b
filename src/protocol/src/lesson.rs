//! Lessons: their texts as a tree that the page draws without ever meeting HTML, and the state of their goals.

use crate::Both;
use serde::{Deserialize, Serialize};

/// A lesson with the texts of both languages. Steps and goals are the same in both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LessonView {
    /// Id, such as `lab-values`.
    pub id: String,
    /// Title.
    pub title: Both<String>,
    /// What comes before the first step.
    pub intro: Both<Vec<Block>>,
    /// The steps in order.
    pub steps: Vec<StepView>,
    /// File to open first.
    pub open: String,
    /// All lessons there are, in order.
    pub lessons: Vec<LessonCard>,
}

/// A lesson in the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LessonCard {
    /// Id.
    pub id: String,
    /// Title.
    pub title: Both<String>,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepView {
    /// Id, the same in `lesson.toml` and both texts.
    pub id: String,
    /// Title.
    pub title: Both<String>,
    /// Text.
    pub body: Both<Vec<Block>>,
    /// Goals in order.
    pub goals: Vec<GoalView>,
    /// Hints in order, shown one after the other.
    pub hints: Both<Vec<Vec<Block>>>,
    /// Files that `FillIn` would write.
    pub fills: Vec<String>,
    /// File to open when the step begins; empty for none.
    pub open: String,
}

/// One goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoalView {
    /// Id, unique in the lesson.
    pub id: String,
    /// What is to be reached.
    pub text: Both<Vec<Inline>>,
}

/// Which goals are met; steps and goals in the lesson's order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgressView {
    /// Index of the first step that is not done; the number of steps when all are.
    pub current: u32,
    /// The steps.
    pub steps: Vec<StepProgress>,
    /// Whether the lesson is done.
    pub done: bool,
}

/// One step's goals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepProgress {
    /// Whether all goals were met at once at some time: a step that is done stays done.
    pub done: bool,
    /// States of its goals.
    pub goals: Vec<GoalState>,
}

/// State of one goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoalState {
    /// Whether it is met now.
    pub met: bool,
    /// What was found instead, in the real tools' words (`2`, `OutOfSync`, a JSON error); empty when there is nothing
    /// to say.
    pub found: String,
}

/// A block of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Block {
    /// A heading inside a text; level 3 and below.
    Heading {
        /// Level, 3 to 6.
        level: u8,
        /// Content.
        content: Vec<Inline>,
    },
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list.
    List {
        /// Numbered or not.
        ordered: bool,
        /// Items.
        items: Vec<Vec<Block>>,
    },
    /// A block of code.
    Code {
        /// Language; may be empty.
        lang: String,
        /// Text.
        text: String,
    },
    /// A quotation, used for side notes.
    Quote(Vec<Block>),
    /// A table; the first row is its head.
    Table {
        /// Rows of cells.
        rows: Vec<Vec<Vec<Inline>>>,
    },
}

/// A piece of running text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inline {
    /// Plain text.
    Text(String),
    /// Code.
    Code(String),
    /// Strong.
    Strong(Vec<Inline>),
    /// Emphasis.
    Emphasis(Vec<Inline>),
    /// A link. `file:PATH` opens a file of the playground; everything else is `https:` and opens in a new tab.
    Link {
        /// Target.
        href: String,
        /// Content.
        content: Vec<Inline>,
    },
    /// A forced line break.
    Break,
}
