//! The past, to look at and to go on from: a copy of the simulation at every moment at which something was done. Copies
//! share what did not change, so they are small.

use crate::log::Entry;
use base::Time;
use sim::State;

/// The most copies that are kept; beyond, every other one of the older half goes.
const KEPT: usize = 512;

/// Copies, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past(Vec<Glimpse>);

/// One copy.
#[derive(Clone, Debug)]
pub(crate) struct Glimpse {
    pub(crate) state: State,
    /// Which steps were done.
    pub(crate) done: Vec<bool>,
    /// How many entries the log had.
    entries: usize,
    /// What its last entry was when it was time that passed: later time is added to it.
    passed: Option<u64>,
}

impl Past {
    /// Keeps the present.
    pub(crate) fn keep(&mut self, state: &State, done: &[bool], log: &[Entry]) {
        if self.0.last().is_some_and(|last| last.state.now == state.now && last.entries == log.len()) {
            self.0.pop();
        }
        let passed = match log.last() {
            Some(Entry::Advance(ms)) => Some(*ms),
            _ => None,
        };
        self.0.push(Glimpse { state: state.clone(), done: done.to_vec(), entries: log.len(), passed });
        if self.0.len() > KEPT {
            let mut index = 0;
            self.0.retain(|_| {
                index += 1;
                index > KEPT / 2 || index % 2 == 1
            });
        }
    }

    /// The simulation as it was at an instant. Between two copies nothing but time passed, so the earlier one is moved on.
    pub(crate) fn at(&self, at: Time) -> Option<Glimpse> {
        let mut found = self.0.iter().rev().find(|glimpse| glimpse.state.now <= at)?.clone();
        let ms = at - found.state.now;
        if ms > 0 {
            found.state.apply(sim::Command::Advance(ms));
            found.passed = Some(found.passed.unwrap_or(0) + u64::try_from(ms).unwrap_or_default());
        }
        Some(found)
    }

    /// Forgets everything after an instant.
    pub(crate) fn forget_after(&mut self, at: Time) {
        self.0.retain(|glimpse| glimpse.state.now <= at);
    }
}

impl Glimpse {
    /// The log as it was.
    pub(crate) fn log(&self, log: &[Entry]) -> Vec<Entry> {
        let mut log = log.get(..self.entries).unwrap_or(log).to_vec();
        match (log.last_mut(), self.passed) {
            (Some(Entry::Advance(ms)), Some(passed)) => *ms = passed,
            (_, Some(passed)) => log.push(Entry::Advance(passed)),
            (_, None) => {}
        }
        log
    }
}
