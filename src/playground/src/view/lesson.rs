//! The lesson's texts and progress.

use crate::lesson::{BUILT_IN, BuiltIn};
use lesson::Lesson;
use protocol::{Both, GoalState, GoalView, LessonCard, LessonView, ProgressView, StepProgress, StepView};

/// A lesson's texts in both languages.
pub(crate) fn lesson(lesson: &Lesson) -> LessonView {
    let steps = lesson.steps.iter().map(|step| {
        let en = lesson.en.steps.iter().find(|text| text.id == step.id).cloned().unwrap_or_default();
        let ko = lesson.ko.steps.iter().find(|text| text.id == step.id).cloned().unwrap_or_default();
        let goal = |id: &str| {
            let text = |goals: &[(String, Vec<protocol::Inline>)]| {
                goals.iter().find(|(name, _)| name == id).map(|(_, text)| text.clone()).unwrap_or_default()
            };
            GoalView { id: id.to_string(), text: Both { en: text(&en.goals), ko: text(&ko.goals) } }
        };
        StepView {
            id: step.id.clone(),
            goals: step.goals.iter().map(|(id, _)| goal(id)).collect(),
            title: Both { en: en.title, ko: ko.title },
            body: Both { en: en.body, ko: ko.body },
            hints: Both { en: en.hints, ko: ko.hints },
            fills: step.files.keys().cloned().collect(),
            open: step.open.clone(),
        }
    });
    LessonView {
        id: lesson.id.clone(),
        title: Both { en: lesson.en.title.clone(), ko: lesson.ko.title.clone() },
        intro: Both { en: lesson.en.intro.clone(), ko: lesson.ko.intro.clone() },
        steps: steps.collect(),
        open: lesson.open.clone(),
        lessons: BUILT_IN.iter().map(card).collect(),
    }
}

fn card(lesson: &BuiltIn) -> LessonCard {
    LessonCard { id: lesson.id.into(), title: Both { en: lesson.en.into(), ko: lesson.ko.into() } }
}

/// Progress: `done` is what was reached once, `goals` what holds now.
pub(crate) fn progress(done: &[bool], goals: Vec<Vec<GoalState>>) -> ProgressView {
    let current = done.iter().position(|done| !done).unwrap_or(done.len());
    let steps = done.iter().zip(goals).map(|(done, goals)| StepProgress { done: *done, goals }).collect();
    ProgressView { current: u32::try_from(current).unwrap_or(u32::MAX), steps, done: current == done.len() }
}
