//! Proofs that a lesson is sound: its start leaves every step open, its solution meets each step's goals in order,
//! each known mistake leaves exactly the goals open that it names, and both languages have the same steps and goals.

use crate::session::Playground;
use base::SortedMap;
use lesson::{Act, Lesson, LessonText};
use protocol::{ClockMove, Command, Request, RequestKind};
use std::rc::Rc;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// One line for each thing that was looked at and is as it should be.
    pub passed: Vec<String>,
    /// One line for each fault.
    pub faults: Vec<String>,
}

impl Report {
    /// Whether there is no fault.
    pub fn sound(&self) -> bool {
        self.faults.is_empty()
    }

    fn note(&mut self, fine: bool, what: String, else_what: impl FnOnce() -> String) {
        if fine { self.passed.push(what) } else { self.faults.push(format!("{what}: {}", else_what())) }
    }
}

/// Checks a lesson.
pub fn check_lesson(lesson: Lesson) -> Report {
    let mut report = Report::default();
    let lesson = Rc::new(lesson);
    for (name, text) in [("en.md", &lesson.en), ("ko.md", &lesson.ko)] {
        texts(&lesson, name, text, &mut report);
    }
    let same_hints = lesson.en.steps.iter().zip(&lesson.ko.steps).all(|(en, ko)| en.hints.len() == ko.hints.len());
    report.note(same_hints, "both languages have as many hints".into(), || "they differ".into());

    let mut playground = Playground::new();
    playground.open(lesson.clone());
    for (step, goals) in lesson.steps.iter().zip(playground.goals()) {
        let open = goals.iter().any(|goal| !goal.met);
        report.note(open, format!("start leaves step {} open", step.id), || "all its goals are met".into());
    }
    for (index, step) in lesson.steps.iter().enumerate() {
        solve(&mut playground, index, &step.solve, &SortedMap::new());
        let open = open_goals(&playground, index);
        let done = playground.steps_done().get(index) == Some(&true);
        report.note(open.is_empty() && done, format!("solution meets step {}", step.id), || open.join("; "));
    }
    for wrong in &lesson.wrong {
        let what = format!("mistake {}", wrong.name);
        let Some(index) = lesson.steps.iter().position(|step| step.id == wrong.step) else {
            report.faults.push(format!("{what}: there is no step {}", wrong.step));
            continue;
        };
        let mut playground = Playground::new();
        playground.open(lesson.clone());
        for (before, step) in lesson.steps.iter().enumerate().take(index) {
            solve(&mut playground, before, &step.solve, &SortedMap::new());
        }
        let acts = wrong.solve.as_deref().unwrap_or(&lesson.steps[index].solve);
        solve(&mut playground, index, acts, &wrong.files);
        let open = open_goals(&playground, index);
        let ids: Vec<&str> = open.iter().map(|line| line.split(" (").next().unwrap_or(line)).collect();
        let right = ids == wrong.fails;
        report.note(right, format!("{what} leaves open {}", wrong.fails.join(", ")), || {
            format!("open are {}", open.join("; "))
        });
    }
    report
}

fn texts(lesson: &Lesson, name: &str, text: &LessonText, report: &mut Report) {
    report.note(!text.title.is_empty(), format!("{name} has a title"), || "it is missing".into());
    let want: Vec<&str> = lesson.steps.iter().map(|step| step.id.as_str()).collect();
    let have: Vec<&str> = text.steps.iter().map(|step| step.id.as_str()).collect();
    report.note(want == have, format!("{name} has the steps {}", want.join(", ")), || have.join(", "));
    for (step, text) in lesson.steps.iter().zip(&text.steps) {
        let want: Vec<&str> = step.goals.iter().map(|(id, _)| id.as_str()).collect();
        let have: Vec<&str> = text.goals.iter().map(|(id, _)| id.as_str()).collect();
        report.note(want == have, format!("{name} has the goals of step {}", step.id), || {
            format!("want {}, have {}", want.join(", "), have.join(", "))
        });
    }
}

/// Does what a person would do; `instead` are files that differ from the step's solution.
fn solve(playground: &mut Playground, step: usize, acts: &[Act], instead: &SortedMap<String, Vec<u8>>) {
    let index = u32::try_from(step).unwrap_or(u32::MAX);
    for act in acts {
        let kind = match act {
            Act::Fill(only) => {
                fill(playground, step, only.as_deref(), instead);
                continue;
            }
            Act::Commit(message) => RequestKind::Command(Command::GitCommit { message: message.clone() }),
            Act::Push => RequestKind::Command(Command::GitPush),
            Act::Apply(path) => RequestKind::Command(Command::KubectlApply { path: path.clone() }),
            Act::Sync(app) => RequestKind::Command(Command::Sync { app: app.clone() }),
            Act::Refresh(app, hard) => RequestKind::Command(Command::Refresh { app: app.clone(), hard: *hard }),
            Act::Line(line) => RequestKind::Command(Command::Line { line: line.clone() }),
            Act::Wait(ms) => RequestKind::Clock(ClockMove::Advance { ms: *ms }),
            Act::Run(ms) => RequestKind::Clock(ClockMove::RunUntilGoals { step: index, max_ms: *ms }),
        };
        playground.answer(Request { id: 0, revision: 0, kind });
    }
}

fn fill(playground: &mut Playground, step: usize, only: Option<&str>, instead: &SortedMap<String, Vec<u8>>) {
    let Some(lesson) = playground.lesson.clone() else { return };
    let Some(step) = lesson.steps.get(step) else { return };
    let mut files = step.files.clone();
    files.extend(instead.clone());
    for (path, bytes) in files.into_iter().filter(|(path, _)| only.is_none_or(|only| path.ends_with(only))) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let own = instead.get(&path).is_none();
        let text = playground.with_answers(step, &path, &text).filter(|_| own).unwrap_or(text);
        let kind = RequestKind::Edit { path, change: protocol::Change::Text(text) };
        playground.answer(Request { id: 0, revision: 0, kind });
    }
}

/// The goals of a step that are not met, as `id (found)`.
fn open_goals(playground: &Playground, step: usize) -> Vec<String> {
    let Some(lesson) = &playground.lesson else { return Vec::new() };
    let states = playground.goals();
    let pairs = lesson.steps[step].goals.iter().zip(&states[step]);
    pairs.filter(|(_, state)| !state.met).map(|((id, _), state)| format!("{id} ({})", state.found)).collect()
}
