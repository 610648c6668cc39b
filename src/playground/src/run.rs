//! Work that may take longer than a slice: moves of the clock and the replay of a log. It stands as data between
//! slices, and where slices end leaves no trace in the state.

use crate::engine;
use crate::saved::Saved;
use crate::session::{Playground, message};
use base::Time;
use lesson::Goal;
use protocol::{ClockMove, Message};
use sim::State;

/// The longest move in one request: a day.
const LONGEST: u64 = 86_400_000;
/// How far "next event" looks for something that shows, in wake-ups.
const WAKE_UPS: u32 = 1000;
/// How much "run until idle" does between two looks at the slice, in milliseconds of the clock.
const IDLE_PIECE: i64 = 1000;

/// An unfinished request.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) id: u64,
    pub(crate) revision: u64,
    pub(crate) failure: Option<Message>,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Advance { until: Time },
    Next { shown: usize, wake_ups: u32 },
    Idle { until: Time },
    Goals { step: usize, until: Time },
    Replay { saved: Box<Saved>, at: usize },
}

impl Running {
    pub(crate) fn clock(id: u64, revision: u64, movement: ClockMove, state: &State) -> Running {
        let until = |ms: u64| state.now + i64::try_from(ms.min(LONGEST)).unwrap_or_default();
        let work = match movement {
            ClockMove::Advance { ms } => Work::Advance { until: until(ms) },
            ClockMove::NextEvent => Work::Next { shown: state.timeline.len(), wake_ups: 0 },
            ClockMove::RunUntilIdle { max_ms } => Work::Idle { until: until(max_ms) },
            ClockMove::RunUntilGoals { step, max_ms } => {
                Work::Goals { step: usize::try_from(step).unwrap_or(usize::MAX), until: until(max_ms) }
            }
        };
        Running { id, revision, failure: None, work }
    }

    pub(crate) fn replay(id: u64, revision: u64, saved: Saved) -> Running {
        Running { id, revision, failure: None, work: Work::Replay { saved: Box::new(saved), at: 0 } }
    }

    /// Whether everything is new afterwards.
    pub(crate) fn whole(&self) -> bool {
        matches!(self.work, Work::Replay { .. })
    }

    /// Where a move that stopped early wanted to go.
    pub(crate) fn until(&self) -> Option<u64> {
        None
    }

    /// Does one piece of the work; true when it is done.
    pub(crate) fn step(&mut self, playground: &mut Playground) -> bool {
        match &mut self.work {
            Work::Advance { until } => {
                let until = *until;
                let piece = playground.state.next_wakeup().map_or(until, |next| next.min(until));
                advance(playground, piece);
                playground.state.now >= until
            }
            Work::Next { shown, wake_ups } => {
                let Some(next) = playground.state.next_wakeup() else { return true };
                advance(playground, next);
                *wake_ups += 1;
                playground.state.timeline.len() != *shown || *wake_ups >= WAKE_UPS
            }
            Work::Idle { until } => {
                let (until, before) = (*until, playground.state.now);
                let piece = (until - before).min(IDLE_PIECE);
                playground.state.apply(sim::Command::RunUntilIdle(piece));
                let passed = playground.state.now - before;
                playground.passed(u64::try_from(passed).unwrap_or_default());
                passed < piece || playground.state.now >= until
            }
            Work::Goals { step, until } => {
                let (step, until) = (*step, *until);
                if met(playground, step) {
                    return true;
                }
                let Some(next) = playground.state.next_wakeup() else { return true };
                if next > until {
                    return true;
                }
                advance(playground, next);
                false
            }
            Work::Replay { saved, at } => {
                let here: Vec<String> = saved
                    .moments
                    .iter()
                    .filter(|(_, position)| **position == *at)
                    .map(|(name, _)| name.clone())
                    .collect();
                for name in here {
                    playground.remember(name);
                }
                if let Some(entry) = saved.log.get(*at) {
                    playground.execute(entry.clone());
                    *at += 1;
                    return false;
                }
                if !saved.focus.is_empty() {
                    playground.focus.clone_from(&saved.focus);
                }
                if !saved.digest.is_empty() && engine::digest(&playground.state) != saved.digest {
                    playground.note_difference(&saved.build);
                }
                true
            }
        }
    }
}

/// Moves the clock to an instant, at least by a millisecond, and remembers it.
fn advance(playground: &mut Playground, to: Time) {
    let before = playground.state.now;
    let ms = (to - before).max(1);
    playground.state.apply(sim::Command::Advance(ms));
    let passed = playground.state.now - before;
    playground.passed(u64::try_from(passed).unwrap_or_default());
}

/// Whether all goals of a step that the cluster can meet by itself are met.
fn met(playground: &Playground, step: usize) -> bool {
    let Some(lesson) = &playground.lesson else { return true };
    let Some(goals) = lesson.steps.get(step).map(|step| &step.goals) else { return true };
    let states = playground.goals();
    let states = states.get(step).map(Vec::as_slice).unwrap_or_default();
    goals.iter().zip(states).all(|((_, goal), state)| state.met || matches!(goal, Goal::File(_) | Goal::Committed(_)))
}

impl Playground {
    /// Says in the terminal that a replay ended in another state than the one that was kept.
    fn note_difference(&mut self, build: &str) {
        self.say(message("replay-differs", &[build]));
    }
}
