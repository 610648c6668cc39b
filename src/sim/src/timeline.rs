//! The timeline: what happened when, and for every wait what it waits for.

use base::Time;
use std::rc::Rc;

/// What a wait waits for, for machines; the page has the words.
#[derive(Clone, Debug, PartialEq)]
pub struct Wait {
    /// The object that has to change, as `group/Kind/namespace/name`.
    pub on: Rc<str>,
    /// Stable key of the reason, such as `healthy`, `hook`, `deletion`, `wave-delay`, `retry`, `self-heal-backoff`.
    pub reason: &'static str,
    /// The real tool's words, when it has some.
    pub message: Rc<str>,
    /// When the wait ends by itself, if it does.
    pub until: Option<Time>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// An object appeared.
    Created,
    /// An object's spec or data changed.
    Changed,
    /// An object is gone.
    Deleted,
    /// An object's health is now this (`Progressing`, `Healthy` …) with Argo CD's message.
    Health(Rc<str>, Rc<str>),
    /// An Application's sync status is now this, at this revision.
    Sync(Rc<str>, Rc<str>),
    /// An operation's phase and message.
    Operation {
        /// `Running`, `Succeeded` …
        phase: Rc<str>,
        /// Argo CD's message.
        message: Rc<str>,
        /// What it waits for.
        wait: Option<Wait>,
    },
    /// A Kubernetes Event about the object: reason and message.
    Event(Rc<str>, Rc<str>),
    /// A command was carried out; its words as typed in a shell.
    Command(Rc<str>),
}

/// One entry of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// When.
    pub at: Time,
    /// About what, as `group/Kind/namespace/name`.
    pub object: Rc<str>,
    /// What.
    pub what: What,
    /// Who did it: a field manager, controller or `user`.
    pub by: Rc<str>,
}
