//! A lesson folder → a lesson: `lesson.toml`, `wrong/*/wrong.toml`, the files of start, solutions and mistakes, and the
//! texts in both languages.

mod markdown;
mod text;

pub use markdown::{blocks, inlines};

use crate::act::parse_act;
use crate::{AppGoal, ChartRule, CommittedGoal, FileGoal, Goal, Lesson, ObjectGoal, RepositorySpec, Step, Wrong};
use base::{SortedMap, Time};
use serde::Deserialize;

/// The files of one lesson: path inside its folder → content.
pub type LessonFiles = SortedMap<String, Vec<u8>>;

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
    #[serde(default)]
    setup: Vec<String>,
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
    let setup = head.setup.iter().map(|act| parse_act(act)).collect::<Result<Vec<_>, _>>();
    let setup = setup.map_err(|error| format!("lesson.toml: setup: {error}"))?;
    let mut steps = Vec::new();
    for step in head.steps {
        let at = |error: String| format!("lesson.toml: step {}: {error}", step.id);
        let goals = step.goals.into_iter().map(goal).collect::<Result<Vec<_>, _>>().map_err(at)?;
        let solve = step.solve.iter().map(|act| parse_act(act)).collect::<Result<Vec<_>, _>>().map_err(at)?;
        steps.push(Step { files: under(&format!("solution/{}", step.id)), id: step.id, open: step.open, solve, goals });
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
        setup,
        charts: head.charts,
        steps,
        wrong,
        files: under("start"),
        en: text::read(read_text(files, "en.md")?).map_err(|error| format!("en.md: {error}"))?,
        ko: text::read(read_text(files, "ko.md")?).map_err(|error| format!("ko.md: {error}"))?,
    })
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

/// The ids in `lessons/index.toml`, in the order of the list.
pub fn index(text: &str) -> Result<Vec<String>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Index {
        lessons: Vec<String>,
    }
    toml::from_str::<Index>(text).map(|index| index.lessons).map_err(|error| format!("index.toml: {error}"))
}
