//! What the dependencies of a traced render stand for: a value that was read, a key that was looked for in vain, or the
//! keys of a table that was ranged over.

use crate::funcs::Tracer;
use crate::values::{TableRef, Value};
use base::SortedMap;
use base::{Claim, Fate};
use gotmpl::{Data, Dep, Heap, Label, MapId};
use std::cell::RefCell;
use std::rc::Rc;

/// What kind of dependency it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// The value itself was read.
    Value,
    /// The key was looked for and is missing.
    Absent,
    /// The keys were ranged over.
    Keys,
}

/// One dependency on the values.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// Dotted path from the root chart's values (`web.image.tag`, `list[0]`).
    pub path: Rc<str>,
    /// What was done.
    pub read: Read,
    /// The value read; for an absence, none.
    pub value: Option<Value>,
    /// Claims on a missing key that nulls removed, strongest first.
    pub removed: Vec<Claim>,
}

impl Dependency {
    /// Who claims the value, winner first.
    pub fn claims(&self) -> Vec<Claim> {
        match &self.value {
            Some(value) => value.claims(),
            None => self.removed.clone(),
        }
    }
}

/// All dependencies of one render, by number.
#[derive(Debug, Default)]
pub struct Origins {
    deps: Vec<Dependency>,
    tables: SortedMap<MapId, (Rc<str>, TableRef)>,
    made: SortedMap<(MapId, Rc<[u8]>), Dep>,
}

impl Origins {
    /// The dependency behind a number.
    pub fn get(&self, dep: Dep) -> Option<&Dependency> {
        self.deps.get(dep.0 as usize)
    }

    /// All of them.
    pub fn all(&self) -> &[Dependency] {
        &self.deps
    }

    /// Registers a value that can be read.
    pub fn value(&mut self, path: &str, value: &Value) -> Dep {
        let claims = Value { data: value.data.clone(), ..value.clone() };
        self.push(Dependency { path: path.into(), read: Read::Value, value: Some(claims), removed: Vec::new() })
    }

    /// Registers a table, so that absences and ranges in it can be named.
    pub fn table(&mut self, id: MapId, path: &str, table: &TableRef) {
        self.tables.insert(id, (path.into(), table.clone()));
    }

    fn push(&mut self, dependency: Dependency) -> Dep {
        self.deps.push(dependency);
        Dep(self.deps.len() as u32 - 1)
    }

    fn absent(&mut self, map: MapId, key: &[u8]) -> Option<Dep> {
        let at = (map, Rc::from(key));
        if let Some(dep) = self.made.get(&at) {
            return Some(*dep);
        }
        let (path, table) = self.tables.get(&map)?.clone();
        let key = String::from_utf8_lossy(key).into_owned();
        let path: Rc<str> = if path.is_empty() { key.as_str().into() } else { format!("{path}.{key}").into() };
        let mut removed = Vec::new();
        for loss in table.borrow().removed.get(key.as_str()).into_iter().flatten().rev() {
            let fate = if loss.fate == Fate::Won { Fate::Won } else { loss.fate.clone() };
            removed.extend(loss.value.claim(fate));
        }
        let dep = self.push(Dependency { path, read: Read::Absent, value: None, removed });
        self.made.insert(at, dep);
        Some(dep)
    }

    fn keys(&mut self, map: MapId) -> Option<Dep> {
        let at = (map, Rc::from(&b"\xff"[..]));
        if let Some(dep) = self.made.get(&at) {
            return Some(*dep);
        }
        let (path, _) = self.tables.get(&map)?.clone();
        let dep = self.push(Dependency { path, read: Read::Keys, value: None, removed: Vec::new() });
        self.made.insert(at, dep);
        Some(dep)
    }
}

/// The tracer of a render: shares its findings with whoever started it.
#[derive(Clone, Debug, Default)]
pub struct SharedOrigins(pub Rc<RefCell<Origins>>);

impl Tracer for SharedOrigins {
    fn absent(&mut self, heap: &mut Heap, map: MapId, key: &[u8]) -> Label {
        let dep = self.0.borrow_mut().absent(map, key);
        dep.map_or(Label::NONE, |dep| heap.label_dep(dep))
    }

    fn ranged(&mut self, heap: &mut Heap, over: gotmpl::Value) -> Label {
        let Data::Map(id) = over.data else { return heap.label_of(over) };
        let dep = self.0.borrow_mut().keys(id);
        dep.map_or(Label::NONE, |dep| heap.label_dep(dep))
    }
}
