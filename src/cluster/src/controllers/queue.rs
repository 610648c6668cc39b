//! The one work queue: what is due when. A piece of work that is queued already keeps its earlier time.

use crate::store::Key;
use base::Time;
use rpds::{RedBlackTreeMap, RedBlackTreeSet};
use std::rc::Rc;

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    /// A namespace's own objects, or its termination.
    Namespace(Rc<str>),
    /// What goes last of a namespace that is being deleted.
    NamespaceRest(Rc<str>),
    /// A Deployment.
    Deployment(Key),
    /// A ReplicaSet.
    ReplicaSet(Key),
    /// A StatefulSet.
    StatefulSet(Key),
    /// A DaemonSet.
    DaemonSet(Key),
    /// A Service's endpoints.
    Endpoints(Key),
    /// A claim of a volume.
    Claim(Key),
    /// A PodDisruptionBudget.
    Budget(Key),
    /// A HorizontalPodAutoscaler.
    Autoscaler(Key),
    /// A Job.
    Job(Key),
    /// The scheduler puts a pod on the node.
    PodBind(Key),
    /// The kubelet has taken a pod.
    PodStart(Key),
    /// A pod's containers do what is due.
    PodTick(Key),
    /// A pod of a Job that is gone loses its finalizer.
    PodRelease(Key),
    /// A deleted pod is gone.
    PodStop(Key),
    /// An owner is gone.
    Orphaned(Rc<str>),
    /// A new object's owners are checked.
    Owners(Key),
    /// A garbage collection finalizer.
    Finalize(Key),
}

/// The queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Queue {
    due: RedBlackTreeSet<(Time, u64, Work)>,
    at: RedBlackTreeMap<Work, (Time, u64)>,
    count: u64,
    seen: u64,
}

impl Queue {
    /// Queues work for a time, unless it is queued for an earlier one.
    pub(crate) fn add(&mut self, time: Time, work: Work) {
        if let Some((had, n)) = self.at.get(&work).copied() {
            if had <= time {
                return;
            }
            self.due.remove_mut(&(had, n, work.clone()));
        }
        self.count += 1;
        self.at.insert_mut(work.clone(), (time, self.count));
        self.due.insert_mut((time, self.count, work));
    }

    /// Takes the next work that is due by `now`.
    pub(crate) fn pop(&mut self, now: Time) -> Option<(Time, Work)> {
        let first = self.due.first().filter(|(time, _, _)| *time <= now).cloned()?;
        self.due.remove_mut(&first);
        self.at.remove_mut(&first.2);
        Some((first.0, first.2))
    }

    /// True while this work is queued.
    pub(crate) fn holds(&self, work: &Work) -> bool {
        self.at.contains_key(work)
    }

    /// When the next work is due.
    pub(crate) fn next(&self) -> Option<Time> {
        self.due.first().map(|(time, _, _)| *time)
    }

    /// The resource version up to which changes were noticed.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    /// Notes the resource version up to which changes are noticed.
    pub(crate) fn saw(&mut self, version: u64) {
        self.seen = version;
    }
}
