//! Stored objects, their indexes, and the ordered log that watches read.

use base::Json;
use rpds::{RedBlackTreeMap, RedBlackTreeSet};
use std::rc::Rc;

/// Which object: its resource and its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// API group.
    pub group: Rc<str>,
    /// Plural resource name.
    pub resource: Rc<str>,
    /// Namespace; `""` for cluster-scoped objects.
    pub namespace: Rc<str>,
    /// Name.
    pub name: Rc<str>,
}

impl Key {
    /// A key from its parts.
    pub fn new(group: &str, resource: &str, namespace: &str, name: &str) -> Key {
        Key { group: group.into(), resource: resource.into(), namespace: namespace.into(), name: name.into() }
    }

    /// The key of another object of the same resource and namespace.
    pub fn sibling(&self, name: &str) -> Key {
        Key { name: name.into(), ..self.clone() }
    }
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeType {
    /// It is new.
    Added,
    /// It changed.
    Modified,
    /// It is gone; the object is its last state.
    Deleted,
}

impl ChangeType {
    /// The `type` of a watch event.
    pub fn text(self) -> &'static str {
        match self {
            ChangeType::Added => "ADDED",
            ChangeType::Modified => "MODIFIED",
            ChangeType::Deleted => "DELETED",
        }
    }
}

/// One entry of the watch log.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The resource version that the change made.
    pub version: u64,
    /// What happened.
    pub kind: ChangeType,
    /// To which object.
    pub key: Key,
    /// The object after the change, or before a deletion (with the deletion's resource version).
    pub object: Json,
    /// The object before; `Null` when it is new.
    pub before: Json,
}

/// Entries of the watch log that are kept; readers further behind must list again.
const LOG: usize = 20_000;

/// The objects.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Store {
    objects: RedBlackTreeMap<Key, Json>,
    by_owner: RedBlackTreeSet<(Rc<str>, Key)>,
    by_uid: RedBlackTreeMap<Rc<str>, Key>,
    log: RedBlackTreeMap<u64, Change>,
    version: u64,
}

impl Store {
    pub(crate) fn new() -> Store {
        Store {
            objects: RedBlackTreeMap::new(),
            by_owner: RedBlackTreeSet::new(),
            by_uid: RedBlackTreeMap::new(),
            log: RedBlackTreeMap::new(),
            version: 0,
        }
    }

    /// The newest resource version.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&Json> {
        self.objects.get(key)
    }

    pub(crate) fn key_of_uid(&self, uid: &str) -> Option<&Key> {
        self.by_uid.get(uid)
    }

    /// Objects of a resource in a namespace (`None`: all), in order of namespace and name.
    pub(crate) fn list<'a>(
        &'a self,
        group: &'a str,
        resource: &'a str,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a Key, &'a Json)> {
        let from = Key::new(group, resource, namespace.unwrap_or(""), "");
        self.objects.range(from..).take_while(move |(key, _)| {
            *key.group == *group && *key.resource == *resource && namespace.is_none_or(|ns| *key.namespace == *ns)
        })
    }

    /// Keys of the objects that name this uid as an owner.
    pub(crate) fn owned_by(&self, uid: &str) -> Vec<Key> {
        let from = (Rc::from(uid), Key::new("", "", "", ""));
        self.by_owner.range(from..).take_while(|(owner, _)| **owner == *uid).map(|(_, key)| key.clone()).collect()
    }

    /// Number of stored objects.
    pub(crate) fn len(&self) -> usize {
        self.objects.size()
    }

    /// Stores an object with a new resource version, and returns it as stored.
    pub(crate) fn put(&mut self, key: Key, mut object: Json) -> Json {
        self.version += 1;
        object.set(&["metadata", "resourceVersion"], Json::str(self.version.to_string()));
        let before = self.objects.get(&key).cloned();
        if let Some(old) = &before {
            self.unindex(&key, old);
        }
        for owner in object.items_at(&["metadata", "ownerReferences"]) {
            self.by_owner.insert_mut((owner.text_at(&["uid"]).into(), key.clone()));
        }
        if let Some(stray) = stray(&key, &object) {
            self.by_owner.insert_mut((stray, key.clone()));
        }
        self.by_uid.insert_mut(object.text_at(&["metadata", "uid"]).into(), key.clone());
        self.objects.insert_mut(key.clone(), object.clone());
        let kind = if before.is_some() { ChangeType::Modified } else { ChangeType::Added };
        self.note(kind, key, object.clone(), before.unwrap_or_default());
        object
    }

    /// Removes an object.
    pub(crate) fn remove(&mut self, key: &Key) -> Option<Json> {
        let old = self.objects.get(key).cloned()?;
        self.version += 1;
        self.unindex(key, &old);
        self.by_uid.remove_mut(old.text_at(&["metadata", "uid"]));
        self.objects.remove_mut(key);
        let mut last = old.clone();
        last.set(&["metadata", "resourceVersion"], Json::str(self.version.to_string()));
        self.note(ChangeType::Deleted, key.clone(), last, old.clone());
        Some(old)
    }

    fn unindex(&mut self, key: &Key, old: &Json) {
        for owner in old.items_at(&["metadata", "ownerReferences"]) {
            self.by_owner.remove_mut(&(owner.text_at(&["uid"]).into(), key.clone()));
        }
        if let Some(stray) = stray(key, old) {
            self.by_owner.remove_mut(&(stray, key.clone()));
        }
    }

    /// Pods of a namespace that nobody controls.
    pub(crate) fn stray_pods(&self, namespace: &str) -> Vec<Key> {
        self.owned_by(&format!("stray/{namespace}"))
    }

    fn note(&mut self, kind: ChangeType, key: Key, object: Json, before: Json) {
        let change = Change { version: self.version, kind, key, object, before };
        self.log.insert_mut(self.version, change);
        if self.log.size() > LOG
            && let Some(first) = self.log.keys().next().copied()
        {
            self.log.remove_mut(&first);
        }
    }

    /// Changes after a resource version, oldest first.
    pub(crate) fn changes_since(&self, version: u64) -> impl Iterator<Item = &Change> {
        self.log.range(version.saturating_add(1)..).map(|(_, change)| change)
    }

    /// The oldest resource version from which [`Store::changes_since`] still misses nothing.
    pub(crate) fn oldest(&self) -> u64 {
        self.log.keys().next().map_or(self.version, |first| first - 1)
    }
}

/// The index entry of a pod that nobody controls, so that controllers find what they may adopt.
fn stray(key: &Key, object: &Json) -> Option<Rc<str>> {
    let controlled = |r: &Json| r.get("controller").and_then(Json::as_bool) == Some(true);
    let is_pod = key.group.is_empty() && &*key.resource == "pods";
    let free = is_pod && !object.items_at(&["metadata", "ownerReferences"]).iter().any(controlled);
    free.then(|| Rc::from(format!("stray/{}", key.namespace)))
}
