//! The lesson: text of the step on show, goals with their live state, hints one after the other, and the buttons that
//! fill in, run on and go to the next step.

use super::blocks::{blocks, inlines};
use super::header::pick;
use protocol::{GoalView, LessonView, ProgressView, StepView};
use ui_state::{Action, Lang, Shared, fill, texts};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct LessonProps {
    pub(crate) lang: Lang,
    pub(crate) starting: bool,
    pub(crate) lesson: Option<Shared<LessonView>>,
    pub(crate) progress: Shared<ProgressView>,
    pub(crate) step: usize,
    pub(crate) hints: usize,
    pub(crate) busy: bool,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn LessonPane(p: &LessonProps) -> Html {
    let t = texts(p.lang);
    let Some(lesson) = &p.lesson else {
        let text = if p.starting { t.starting } else { "" };
        return html! { <section class="pane lesson" aria-label={t.lesson}><p class="empty" role="status">{ text }</p></section> };
    };
    let on = &p.on;
    let step = lesson.steps.get(p.step);
    html! {
        <section class="pane lesson" aria-label={t.lesson} data-testid="lesson" data-step={p.step.to_string()}
            data-done={p.progress.done.to_string()}>
            <div class="scroll body" key={p.step}>
                if p.step == 0 {
                    <p class="title" data-testid="lesson-title">{ pick(p.lang, &lesson.title.en, &lesson.title.ko) }</p>
                    <div class="intro">{ blocks(both(p.lang, &lesson.intro), on) }</div>
                }
                if let Some(step) = step {
                    <h1 data-testid="step-title">{ pick(p.lang, &step.title.en, &step.title.ko) }</h1>
                    { blocks(both(p.lang, &step.body), on) }
                    { goals(p, step) }
                    { buttons(p, step) }
                    { hints(p, step) }
                }
            </div>
            if let Some(step) = step { { next(p, lesson, step) } }
            { steps(p, lesson) }
        </section>
    }
}

fn both<T>(lang: Lang, both: &protocol::Both<Vec<T>>) -> &[T] {
    match lang {
        Lang::En => &both.en,
        Lang::Ko => &both.ko,
    }
}

fn goals(p: &LessonProps, step: &StepView) -> Html {
    let t = texts(p.lang);
    let states = p.progress.steps.get(p.step).map(|s| s.goals.as_slice()).unwrap_or_default();
    let first_open = (0..step.goals.len()).find(|i| !states.get(*i).is_some_and(|s| s.met));
    html! {
        <ul class="goals" aria-label={t.goals} aria-live="polite">
            { for step.goals.iter().enumerate().map(|(i, g)| goal(p, g, states.get(i), first_open == Some(i))) }
        </ul>
    }
}

fn goal(p: &LessonProps, g: &GoalView, state: Option<&protocol::GoalState>, current: bool) -> Html {
    let t = texts(p.lang);
    let met = state.is_some_and(|s| s.met);
    let found = state.map(|s| s.found.as_str()).filter(|f| !f.is_empty() && !met);
    let tick = if met {
        "done"
    } else if current {
        "now"
    } else {
        ""
    };
    html! {
        <li key={g.id.clone()} class={classes!(current.then_some("current"))} data-testid={format!("goal-{}", g.id)} data-met={met.to_string()}>
            <span class={classes!("tick", tick)} role="img" aria-label={if met { t.goal_met } else { t.goal_open }}>
                { if met { "✓" } else { "" } }
            </span>
            <div>
                { inlines(both(p.lang, &g.text), &p.on) }
                if let Some(found) = found { <div class="found mono">{ found }</div> }
            </div>
        </li>
    }
}

fn buttons(p: &LessonProps, step: &StepView) -> Html {
    let t = texts(p.lang);
    html! {
            <div class="actions">
                if !step.fills.is_empty() {
                    <button class="ghost" data-testid="fill-in" title={t.fill_in_title} disabled={p.busy}
                        onclick={p.on.reform(|_| Action::FillIn)}>{ t.fill_in }</button>
                }
                <button class="ghost" data-testid="run-until" title={t.run_until_title} disabled={p.busy}
                    onclick={p.on.reform(|_| Action::UntilGoals)}>{ t.run_until }</button>
                if p.hints < both(p.lang, &step.hints).len() {
                    <button class="ghost" data-testid="more-hints" onclick={p.on.reform(|_| Action::MoreHints)}>{ t.hints }</button>
                }
            </div>
    }
}

/// What is next, always in sight: the first open goal, or the way to the next step.
fn next(p: &LessonProps, lesson: &LessonView, step: &StepView) -> Html {
    let t = texts(p.lang);
    let progress = p.progress.steps.get(p.step);
    if progress.is_some_and(|s| s.done) {
        let (last, next) = (p.step + 1 >= lesson.steps.len(), p.step + 1);
        return html! {
            <div class="finished" role="status" data-testid="step-done">
                <span>{ if last && p.progress.done { t.lesson_done } else { t.step_done } }</span>
                if !last {
                    <button class="primary" data-testid="next-step" onclick={p.on.reform(move |_| Action::ShowStep(next))}>
                        { t.next_step }{ " →" }
                    </button>
                }
            </div>
        };
    }
    let met = |i: usize| progress.and_then(|s| s.goals.get(i)).is_some_and(|g| g.met);
    let count = (0..step.goals.len()).filter(|i| met(*i)).count();
    let open = step.goals.iter().enumerate().find(|(i, _)| !met(*i)).map(|(_, goal)| goal);
    html! {
        <div class="next-goal" data-testid="next-goal">
            <b>{ format!("{count}/{}", step.goals.len()) }</b>
            if let Some(goal) = open { <span>{ inlines(both(p.lang, &goal.text), &p.on) }</span> }
        </div>
    }
}

fn hints(p: &LessonProps, step: &StepView) -> Html {
    both(p.lang, &step.hints)
        .iter()
        .take(p.hints)
        .enumerate()
        .map(|(i, h)| html! { <aside class="hint" key={i} data-testid={format!("hint-{i}")}>{ blocks(h, &p.on) }</aside> })
        .collect()
}

/// The row of steps at the foot of the pane.
fn steps(p: &LessonProps, lesson: &LessonView) -> Html {
    let t = texts(p.lang);
    let id = lesson.id.clone();
    let over = p.on.clone();
    let lang = p.lang;
    let onclick = Callback::from(move |_| {
        if crate::browser::confirm(texts(lang).start_over_confirm) {
            over.emit(Action::OpenLesson(id.clone()));
        }
    });
    html! {
        <nav class="steps" aria-label={t.lesson}>
            { for lesson.steps.iter().enumerate().map(|(i, s)| {
                let done = p.progress.steps.get(i).is_some_and(|s| s.done);
                let name = pick(p.lang, &s.title.en, &s.title.ko).to_owned();
                let label = format!("{} {name}", fill(t.step_of, &[&(i + 1).to_string(), &lesson.steps.len().to_string()]));
                html! {
                    <button key={s.id.clone()} data-testid={format!("step-{i}")} data-done={done.to_string()} title={name} aria-label={label}
                        class={classes!(done.then_some("done"))} aria-current={(i == p.step).then_some("step")}
                        onclick={p.on.reform(move |_| Action::ShowStep(i))}>{ if done { "✓".to_owned() } else { (i + 1).to_string() } }</button>
                }
            }) }
            <span class="grow"></span>
            <button class="link" data-testid="start-over" {onclick}>{ t.start_over }</button>
        </nav>
    }
}
