//! What a lesson holds. These types are also the form in which built-in lessons travel; goals are written in
//! `lesson.toml` under the same names.

use crate::Act;
use base::{Json, SortedMap, Time};
use protocol::{Block, Inline};
use serde::{Deserialize, Serialize};

/// A lesson as read from its folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lesson {
    /// Name of the folder.
    pub id: String,
    /// Instant of the first moment.
    pub start: Time,
    /// Seed of everything that looks random.
    pub seed: u64,
    /// File to open first.
    pub open: String,
    /// The repository.
    pub repository: RepositorySpec,
    /// What is done before the first step, without a trace.
    pub setup: Vec<Act>,
    /// How charts without an Application are rendered.
    pub charts: Vec<ChartRule>,
    /// The steps.
    pub steps: Vec<Step>,
    /// Known mistakes.
    pub wrong: Vec<Wrong>,
    /// Files at the start: absolute path → content.
    pub files: SortedMap<String, Vec<u8>>,
    /// English texts.
    pub en: LessonText,
    /// Korean texts.
    pub ko: LessonText,
}

/// The bare repository, its clone, and the URL that Argo CD knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepositorySpec {
    /// Absolute path of the bare repository.
    pub bare: String,
    /// Absolute path of the clone.
    pub work_tree: String,
    /// URL that Applications name.
    pub url: String,
}

/// How a chart that no Application points at is rendered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChartRule {
    /// Path of the chart in the repository.
    pub path: String,
    /// Release name.
    pub release: String,
    /// Namespace.
    pub namespace: String,
    /// Values files, relative to the chart; those that do not exist are left out.
    #[serde(default)]
    pub value_files: Vec<String>,
}

/// One step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Id, the anchor of its heading in the texts.
    pub id: String,
    /// File to open when the step begins; empty for none.
    pub open: String,
    /// What solves it.
    pub solve: Vec<Act>,
    /// Its goals.
    pub goals: Vec<(String, Goal)>,
    /// The solution's files: absolute path → content.
    pub files: SortedMap<String, Vec<u8>>,
}

/// A known mistake: after the steps before it were solved, this step is done wrong and exactly these goals stay open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wrong {
    /// Name of its folder.
    pub name: String,
    /// Step in which the mistake is made.
    pub step: String,
    /// What the person does; the step's own `solve` when the file says nothing.
    pub solve: Option<Vec<Act>>,
    /// Goals of that step that stay open.
    pub fails: Vec<String>,
    /// Files that differ from the step's solution: absolute path → content.
    pub files: SortedMap<String, Vec<u8>>,
}

/// One goal: a predicate over the state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Goal {
    /// Files in the remote branch `main`.
    Committed(Vec<CommittedGoal>),
    /// State of an Application.
    App(AppGoal),
    /// Fields of an object in the cluster.
    Object(ObjectGoal),
    /// A JSON file on the disk.
    File(FileGoal),
}

/// What the remote branch has to hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommittedGoal {
    /// A file.
    #[serde(default)]
    pub path: String,
    /// Fields of that file, read as YAML.
    #[serde(default)]
    pub fields: SortedMap<String, Json>,
    /// Field paths that have to be there.
    #[serde(default)]
    pub present: Vec<String>,
    /// Instead of `path`: a folder with templates.
    #[serde(default)]
    pub under: String,
    /// A template for each of these kinds has to be in the folder (a line `kind: X`).
    #[serde(default)]
    pub kinds: Vec<String>,
}

/// The state of an Application; words that are not given do not matter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppGoal {
    /// Name.
    pub name: String,
    /// Sync status.
    pub sync: Option<String>,
    /// Health.
    pub health: Option<String>,
    /// Phase of the operation.
    pub phase: Option<String>,
}

/// Fields of an object.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectGoal {
    /// Kind.
    pub kind: String,
    /// Namespace; empty for cluster-scoped kinds.
    #[serde(default)]
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Field path → value, equal in type and content.
    #[serde(default)]
    pub fields: SortedMap<String, Json>,
    /// Field paths that have to be there.
    #[serde(default)]
    pub present: Vec<String>,
    /// Field paths that must not be there.
    #[serde(default)]
    pub absent: Vec<String>,
}

/// A JSON file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileGoal {
    /// Absolute path.
    pub path: String,
    /// Member → fixed value.
    #[serde(default)]
    pub json: SortedMap<String, Json>,
    /// Member → field of an object whose value it has to have; `null` when there is no such field.
    #[serde(default)]
    pub live: SortedMap<String, LiveField>,
    /// Members that are instants in Unix seconds, and how far they have to be apart.
    #[serde(default)]
    pub later: Vec<Later>,
}

/// One instant that has to lie after another.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Later {
    /// Member with the later instant.
    pub member: String,
    /// Member with the earlier one.
    pub than: String,
    /// At least so many seconds.
    pub seconds: i64,
}

/// A field of an object in the cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveField {
    /// Kind.
    pub kind: String,
    /// Namespace; empty for cluster-scoped kinds.
    #[serde(default)]
    pub namespace: String,
    /// Name; `$MEMBER` is what the file says under that member.
    pub name: String,
    /// Field path; `[key=value]` picks the first item of a list with such a member.
    pub field: String,
}

/// The texts of a lesson in one language.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LessonText {
    /// Title.
    pub title: String,
    /// What comes before the first step.
    pub intro: Vec<Block>,
    /// The steps.
    pub steps: Vec<StepText>,
}

/// The texts of a step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StepText {
    /// Id.
    pub id: String,
    /// Title.
    pub title: String,
    /// Text.
    pub body: Vec<Block>,
    /// Goal id → text.
    pub goals: Vec<(String, Vec<Inline>)>,
    /// Hints.
    pub hints: Vec<Vec<Block>>,
}
