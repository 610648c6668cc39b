//! The timeline: what happened when, and for every wait what it waits for.

use crate::cause::{Cause, causes};
use argocd::{Controller, ObjectKey};
use base::{Json, Time};
use cluster::{Change, ChangeType, Cluster};
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
    /// Why the object is not there yet, as it was when the wait began.
    pub causes: Vec<Cause>,
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
        /// True when Argo CD began it by itself.
        automated: bool,
    },
    /// An operation stands at another phase and wave, or waits for something else; nothing of both once it is over.
    Stand {
        /// The phase (`PreSync`, `Sync`, …) and wave.
        step: Option<(&'static str, i64)>,
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

/// The entries that a change of the cluster makes: about what, what, by whom.
pub(crate) fn read(change: &Change) -> Vec<(Rc<str>, What, Rc<str>)> {
    let object = if change.object.is_null() { &change.before } else { &change.object };
    let key = ObjectKey::of(object);
    let name: Rc<str> = key.to_string().into();
    let by = writer(change);
    if &*key.kind == "Event" {
        let at = |part: &str| object.text_at(&["involvedObject", part]);
        let (group, _) = at("apiVersion").split_once('/').unwrap_or(("", ""));
        let about = format!("{group}/{}/{}/{}", at("kind"), at("namespace"), at("name"));
        let (reason, message) = (object.text_at(&["reason"]), object.text_at(&["message"]));
        let by = object.text_at(&["source", "component"]);
        return vec![(about.into(), What::Event(reason.into(), message.into()), by.into())];
    }
    let mut out = Vec::new();
    let mut add = |what: What| out.push((name.clone(), what, by.clone()));
    match change.kind {
        ChangeType::Added => add(What::Created),
        ChangeType::Deleted => {
            add(What::Deleted);
            return out;
        }
        ChangeType::Modified => {
            if wanted(&change.before) != wanted(&change.object) {
                add(What::Changed);
            }
        }
    }
    let (before, after) = (argocd::health::of(&change.before), argocd::health::of(&change.object));
    if let Some(health) = after.filter(|h| before.as_ref() != Some(h)) {
        add(What::Health(health.status.text().into(), health.message));
    }
    if &*key.kind == "Application" && &*key.group == "argoproj.io" {
        application(change, &mut add);
    }
    out
}

/// Where the operation of an Application stands now.
pub(crate) fn stand(app: &str, argocd: &Controller, cluster: &Cluster) -> What {
    let step = argocd.sync_step(app).map(|(phase, wave)| (phase.text(), wave));
    let delay = argocd.wave_delay(app).map(|until| Wait {
        on: "".into(),
        reason: "wave-delay",
        message: "".into(),
        until: Some(until),
        causes: Vec::new(),
    });
    let wait = argocd.wait(app).map(|wait| Wait {
        on: wait.on.to_string().into(),
        reason: wait.reason,
        message: wait.message.clone(),
        until: None,
        causes: causes(&wait.on, cluster),
    });
    What::Stand { step, wait: wait.or(delay) }
}

fn application(change: &Change, add: &mut dyn FnMut(What)) {
    let (old, new) = (change.before.get("status"), change.object.get("status"));
    let text = |status: Option<&Json>, path: &[&str]| -> Rc<str> { status.map_or("", |s| s.text_at(path)).into() };
    let moved = |path: &[&str]| text(old, path) != text(new, path) && !text(new, path).is_empty();
    if moved(&["sync", "status"]) || moved(&["sync", "revision"]) {
        add(What::Sync(text(new, &["sync", "status"]), text(new, &["sync", "revision"])));
    }
    if moved(&["health", "status"]) {
        add(What::Health(text(new, &["health", "status"]), "".into()));
    }
    if moved(&["operationState", "phase"]) || moved(&["operationState", "message"]) {
        let message = text(new, &["operationState", "message"]);
        let by = new.and_then(|status| status.at(&["operationState", "operation", "initiatedBy", "automated"]));
        let automated = by.and_then(Json::as_bool) == Some(true);
        add(What::Operation { phase: text(new, &["operationState", "phase"]), message, automated });
    }
}

/// What a person or controller wants of an object: everything but status and bookkeeping.
fn wanted(object: &Json) -> Json {
    let mut out = object.clone();
    for path in [
        &["status"][..],
        &["operation"],
        &["metadata", "resourceVersion"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
    ] {
        out.remove(path);
    }
    out
}

/// The manager whose entry the change made or moved.
fn writer(change: &Change) -> Rc<str> {
    let path = ["metadata", "managedFields"];
    let before = change.before.items_at(&path);
    let new = change.object.items_at(&path).iter().find(|entry| !before.contains(entry));
    new.map_or("", |entry| entry.text_at(&["manager"])).into()
}
