//! The cluster: its objects, its clock and its seed.

use crate::controllers::{Failures, PodRun, Queue, Recommended};
use crate::kinds::{CustomResource, Kinds, Resource};
use crate::registry::Registry;
use crate::status::Status;
use crate::store::{Change, Key, Store};
use base::{Json, Time, limits};
use rpds::{RedBlackTreeMap, RedBlackTreeSet};
use std::rc::Rc;

/// A simulated cluster. Cloning it is a cheap snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    pub(crate) store: Store,
    pub(crate) kinds: Kinds,
    pub(crate) seed: u64,
    pub(crate) now: Time,
    /// Uids of objects that are gone, so that an object made again at the same instant gets another one.
    pub(crate) buried: RedBlackTreeSet<Rc<str>>,
    pub(crate) queue: Queue,
    /// Conditions of pods as the recordings' kubelet leaves them (see [`crate::api`]).
    pub(crate) recorded_kubelet: bool,
    pub(crate) registry: Registry,
    /// What runs in each pod, by uid.
    pub(crate) pods: RedBlackTreeMap<Rc<str>, Rc<PodRun>>,
    /// Failures in a row of each Job, by uid.
    pub(crate) job_failures: RedBlackTreeMap<Rc<str>, Failures>,
    /// Scripted load by `namespace/Kind/name`, in millicores.
    pub(crate) loads: RedBlackTreeMap<Rc<str>, i64>,
    /// What each autoscaler recommended lately, by uid.
    pub(crate) recommended: RedBlackTreeMap<Rc<str>, Recommended>,
}

impl Cluster {
    /// A cluster with its system namespaces and one node, as the controllers leave it when nothing is left to do.
    pub fn new(seed: u64, now: Time) -> Cluster {
        let mut cluster = Cluster {
            store: Store::new(),
            kinds: Kinds::built_in(),
            seed,
            now,
            buried: RedBlackTreeSet::new(),
            queue: Queue::default(),
            recorded_kubelet: false,
            registry: Registry::default(),
            pods: RedBlackTreeMap::new(),
            job_failures: RedBlackTreeMap::new(),
            loads: RedBlackTreeMap::new(),
            recommended: RedBlackTreeMap::new(),
        };
        cluster.boot();
        cluster
    }

    /// The cluster's clock.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Moves the clock to `now` and runs everything that is due until then, in order of time.
    pub fn step(&mut self, now: Time) {
        let mut events = 0;
        while let Some((due, work)) = self.queue.pop(now) {
            if due > self.now {
                self.now = due;
                self.buried = RedBlackTreeSet::new();
            }
            self.work(work);
            events += 1;
            if events > limits::ADVANCE_EVENTS {
                break;
            }
        }
        if now > self.now {
            self.now = now;
            self.buried = RedBlackTreeSet::new();
        }
    }

    /// The table of images: what exists and what it does.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The table of images, to change it. Running containers go on as they are; pulls that wait look again.
    pub fn registry_mut(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// Makes the kubelet behave as the fake one of recorded clusters did: image names and annotations (`sim/…`) decide
    /// what containers do, and commands are not run. For replays only.
    pub fn imitate_recorded_kubelet(&mut self) {
        self.recorded_kubelet = true;
    }

    /// When the next controller has something to do; `None` when nothing can happen by itself.
    pub fn next_wakeup(&self) -> Option<Time> {
        self.queue.next()
    }

    /// Moves the clock on until nothing is left to do, at most to `limit`; returns the time reached.
    pub fn settle(&mut self, limit: Time) -> Time {
        while let Some(due) = self.next_wakeup().filter(|due| *due <= limit) {
            self.step(due);
        }
        self.now
    }

    /// The newest resource version.
    pub fn version(&self) -> u64 {
        self.store.version()
    }

    /// Everything that happened after a resource version, oldest first. Reaches back a bounded number of changes:
    /// see [`Cluster::oldest_version`].
    pub fn changes_since(&self, version: u64) -> impl Iterator<Item = &Change> {
        self.store.changes_since(version)
    }

    /// The oldest resource version from which [`Cluster::changes_since`] misses nothing; older readers list again.
    pub fn oldest_version(&self) -> u64 {
        self.store.oldest()
    }

    /// An object by its storage key (a cheap shared reference, unlike [`Cluster::get`] without error texts).
    pub fn object(&self, key: &Key) -> Option<&Json> {
        self.store.get(key)
    }

    /// Where the object with this uid is.
    pub fn key_of_uid(&self, uid: &str) -> Option<&Key> {
        self.store.key_of_uid(uid)
    }

    /// The objects that name this uid in their `ownerReferences`.
    pub fn owned_by(&self, uid: &str) -> Vec<Key> {
        self.store.owned_by(uid)
    }

    /// Every object in a namespace (`None`: of the whole cluster), by resource, namespace and name.
    pub fn objects(&self, namespace: Option<&str>) -> Vec<(Key, Json)> {
        let mut out = Vec::new();
        for resource in self.kinds.all().filter(|r| r.namespaced || namespace.is_none()) {
            let found = self.store.list(&resource.group, &resource.plural, namespace);
            out.extend(found.map(|(key, object)| (key.clone(), object.clone())));
        }
        out
    }

    /// Number of stored objects.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// True when nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The served resource of a group and kind.
    pub fn resource(&self, group: &str, kind: &str) -> Option<&Rc<Resource>> {
        self.kinds.kind(group, kind)
    }

    /// All served resources, sorted by group and plural name.
    pub fn resources(&self) -> impl Iterator<Item = &Rc<Resource>> {
        self.kinds.all()
    }

    /// Installs a CustomResourceDefinition that keeps all fields, and serves it at once.
    pub fn serve_custom(&mut self, custom: &CustomResource<'_>) -> Result<Json, Status> {
        self.create(&custom.definition(), &crate::Writer::new("kubectl"))
    }

    pub(crate) fn kinds(&self) -> &Kinds {
        &self.kinds
    }
}
