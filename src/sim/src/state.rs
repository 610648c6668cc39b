//! The whole simulated world as plain data: disk, repositories, cluster, Argo CD, clock. A clone is a snapshot.

use crate::command::{Command, Outcome};
use crate::timeline::Entry;
use base::{Json, Time};
use std::rc::Rc;

/// One simulation.
#[derive(Clone, Debug)]
pub struct State {
    /// The present instant.
    pub now: Time,
    /// Seed of everything that looks random.
    pub seed: u64,
    /// What happened, for the timeline, oldest first.
    pub timeline: rpds::Vector<Entry>,
    /// The simulated disk: absolute path → content.
    pub disk: rpds::RedBlackTreeMap<Rc<str>, Rc<[u8]>>,
}

impl State {
    /// A fresh machine at `now`: an empty cluster with Argo CD installed in namespace `argocd`, no repositories.
    pub fn new(now: Time, seed: u64) -> State {
        State { now, seed, timeline: rpds::Vector::new(), disk: rpds::RedBlackTreeMap::new() }
    }

    /// Carries out one command.
    pub fn apply(&mut self, command: Command) -> Outcome {
        let _ = command;
        Outcome::fail(1, "error: not simulated yet\n")
    }

    /// When something happens next without a command: a controller's wake-up. `None` when nothing ever will.
    pub fn next_event(&self) -> Option<Time> {
        None
    }

    /// The Application object of this name in namespace `argocd`.
    pub fn application(&self, name: &str) -> Option<Json> {
        let _ = name;
        None
    }
}
