//! `lesson.toml` and `wrong/*/wrong.toml` as types, and the reading of a whole lesson folder.

use super::text::{self, LessonText};
use super::{Act, LessonFiles, parse_act};
use base::SortedMap;
use base::{Json, Time};
use serde::Deserialize;

/// A lesson as read from its folder.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug, Deserialize)]
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
#[derive(Clone, Debug, Deserialize)]
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
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommittedGoal {
    /// A file.
    #[serde(default)]
    pub path: String,
    /// Fields of that file, read as YAML.
    #[serde(default)]
    pub fields: SortedMap<String, Json>,
    /// Instead of `path`: a folder with templates.
    #[serde(default)]
    pub under: String,
    /// A template for each of these kinds has to be in the folder (a line `kind: X`).
    #[serde(default)]
    pub kinds: Vec<String>,
}

/// The state of an Application; words that are not given do not matter.
#[derive(Clone, Debug, Deserialize)]
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
#[derive(Clone, Debug, Deserialize)]
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
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileGoal {
    /// Absolute path.
    pub path: String,
    /// Member → fixed value.
    #[serde(default)]
    pub json: SortedMap<String, Json>,
    /// Member → field of an object whose value it has to have.
    #[serde(default)]
    pub live: SortedMap<String, LiveField>,
}

/// A field of an object in the cluster.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveField {
    /// Kind.
    pub kind: String,
    /// Namespace; empty for cluster-scoped kinds.
    #[serde(default)]
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Field path.
    pub field: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LessonToml {
    format: u32,
    start: String,
    #[serde(default)]
    seed: u64,
    root: String,
    #[serde(default)]
    open: String,
    repository: RepositorySpec,
    #[serde(default, rename = "chart")]
    charts: Vec<ChartRule>,
    #[serde(rename = "step")]
    steps: Vec<StepToml>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepToml {
    id: String,
    #[serde(default)]
    open: String,
    solve: Vec<String>,
    #[serde(rename = "goal")]
    goals: Vec<GoalToml>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GoalToml {
    id: String,
    committed: Option<Vec<CommittedGoal>>,
    app: Option<AppGoal>,
    object: Option<ObjectGoal>,
    file: Option<FileGoal>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrongToml {
    step: String,
    solve: Option<Vec<String>>,
    fails: Vec<String>,
}

impl Lesson {
    /// Reads a lesson from its folder's files. The error says which file is at fault and why.
    pub fn read(id: &str, files: &LessonFiles) -> Result<Lesson, String> {
        let head: LessonToml = read_toml(files, "lesson.toml")?;
        if head.format != 1 {
            return Err(format!("lesson.toml: format {} is not known, only 1 is", head.format));
        }
        let start = Time::parse_rfc3339(&head.start)
            .ok_or_else(|| format!("lesson.toml: start is not an RFC 3339 instant: {}", head.start))?;
        let root = head.root.trim_end_matches('/').to_string();
        let under = |folder: &str| -> SortedMap<String, Vec<u8>> {
            let prefix = format!("{folder}/");
            let inside = files.iter().filter_map(|(path, bytes)| Some((path.strip_prefix(&prefix)?, bytes)));
            inside.map(|(path, bytes)| (format!("{root}/{path}"), bytes.clone())).collect()
        };
        let mut steps = Vec::new();
        for step in head.steps {
            let at = |error: String| format!("lesson.toml: step {}: {error}", step.id);
            let goals = step.goals.into_iter().map(goal).collect::<Result<Vec<_>, _>>().map_err(at)?;
            let solve = step.solve.iter().map(|act| parse_act(act)).collect::<Result<Vec<_>, _>>().map_err(at)?;
            steps.push(Step {
                files: under(&format!("solution/{}", step.id)),
                id: step.id,
                open: step.open,
                solve,
                goals,
            });
        }
        let mut wrong = Vec::new();
        for path in files.keys() {
            let Some(name) = path.strip_prefix("wrong/").and_then(|p| p.strip_suffix("/wrong.toml")) else { continue };
            let case: WrongToml = read_toml(files, path)?;
            let acts = |lines: Vec<String>| lines.iter().map(|act| parse_act(act)).collect::<Result<Vec<_>, _>>();
            let mut own = under(&format!("wrong/{name}"));
            own.remove(&format!("{root}/wrong.toml"));
            wrong.push(Wrong {
                name: name.to_string(),
                step: case.step,
                solve: case.solve.map(acts).transpose().map_err(|error| format!("{path}: {error}"))?,
                fails: case.fails,
                files: own,
            });
        }
        Ok(Lesson {
            id: id.to_string(),
            start,
            seed: head.seed,
            open: head.open,
            repository: head.repository,
            charts: head.charts,
            steps,
            wrong,
            files: under("start"),
            en: text::read(read_text(files, "en.md")?).map_err(|error| format!("en.md: {error}"))?,
            ko: text::read(read_text(files, "ko.md")?).map_err(|error| format!("ko.md: {error}"))?,
        })
    }
}

fn goal(goal: GoalToml) -> Result<(String, Goal), String> {
    let kind = match (goal.committed, goal.app, goal.object, goal.file) {
        (Some(files), None, None, None) => Goal::Committed(files),
        (None, Some(app), None, None) => Goal::App(app),
        (None, None, Some(object), None) => Goal::Object(object),
        (None, None, None, Some(file)) => Goal::File(file),
        _ => return Err(format!("goal {} needs exactly one of committed, app, object, file", goal.id)),
    };
    Ok((goal.id, kind))
}

fn read_text<'a>(files: &'a LessonFiles, path: &str) -> Result<&'a str, String> {
    let bytes = files.get(path).ok_or_else(|| format!("{path} is missing"))?;
    std::str::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8"))
}

fn read_toml<T: serde::de::DeserializeOwned>(files: &LessonFiles, path: &str) -> Result<T, String> {
    toml::from_str(read_text(files, path)?).map_err(|error| format!("{path}: {error}"))
}
