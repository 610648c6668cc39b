//! What a value depends on: hash-consed sets of dependencies, data and control apart.

use base::limits::ORIGIN_SET;
use std::collections::HashMap;
use std::rc::Rc;

/// One dependency: a number that the host gives out (a value read, an absence, keys ranged over).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dep(pub u32);

/// A pair of dependency sets, by number: data (flowed into the value) and control (decided about it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub(crate) u32);

impl Label {
    /// Depends on nothing.
    pub const NONE: Label = Label(0);
}

/// The sets behind the labels of one render.
#[derive(Debug)]
pub(crate) struct Labels {
    sets: Vec<(Set, Set)>,
    index: HashMap<(Set, Set), u32>,
    unions: HashMap<(u32, u32), u32>,
    /// The last answers of `unions`, by a few bits of the pair: most unions repeat.
    recent: [(u32, u32, u32); RECENT],
}

const RECENT: usize = 64;

/// The place of a pair in `recent`.
fn slot(a: u32, b: u32) -> usize {
    (a.wrapping_mul(31) ^ b) as usize % RECENT
}

type Set = Rc<[Dep]>;

impl Labels {
    pub(crate) fn new() -> Labels {
        Labels {
            sets: vec![(Rc::from([]), Rc::from([]))],
            index: HashMap::new(),
            unions: HashMap::new(),
            recent: [(0, 0, 0); RECENT],
        }
    }

    pub(crate) fn data(&self, label: Label) -> &[Dep] {
        &self.sets[label.0 as usize].0
    }

    pub(crate) fn control(&self, label: Label) -> &[Dep] {
        &self.sets[label.0 as usize].1
    }

    pub(crate) fn of(&mut self, data: &[Dep], control: &[Dep]) -> Label {
        let sort = |deps: &[Dep]| {
            let mut deps = deps.to_vec();
            base::order::sort(&mut deps);
            deps.dedup();
            deps.truncate(ORIGIN_SET);
            Set::from(deps)
        };
        self.intern((sort(data), sort(control)))
    }

    fn intern(&mut self, pair: (Set, Set)) -> Label {
        if pair.0.is_empty() && pair.1.is_empty() {
            return Label::NONE;
        }
        if let Some(&n) = self.index.get(&pair) {
            return Label(n);
        }
        let n = self.sets.len() as u32;
        self.sets.push(pair.clone());
        self.index.insert(pair, n);
        Label(n)
    }

    pub(crate) fn union(&mut self, a: Label, b: Label) -> Label {
        if a == b || b == Label::NONE {
            return a;
        }
        if a == Label::NONE {
            return b;
        }
        let key = (a.0.min(b.0), a.0.max(b.0));
        let recent = self.recent[slot(key.0, key.1)];
        if (recent.0, recent.1) == key {
            return Label(recent.2);
        }
        let label = self.union_of(key);
        self.recent[slot(key.0, key.1)] = (key.0, key.1, label.0);
        label
    }

    fn union_of(&mut self, key: (u32, u32)) -> Label {
        if let Some(&n) = self.unions.get(&key) {
            return Label(n);
        }
        let join = |a: &Set, b: &Set| {
            if b.is_empty() || a == b {
                return a.clone();
            }
            if a.is_empty() {
                return b.clone();
            }
            let mut all: Vec<Dep> = a.iter().chain(b.iter()).copied().collect();
            base::order::sort(&mut all);
            all.dedup();
            all.truncate(ORIGIN_SET);
            Set::from(all)
        };
        let (left, right) = (&self.sets[key.0 as usize], &self.sets[key.1 as usize]);
        let pair = (join(&left.0, &right.0), join(&left.1, &right.1));
        let label = self.intern(pair);
        self.unions.insert(key, label.0);
        label
    }

    /// Everything in `label`, as control.
    pub(crate) fn as_control(&mut self, label: Label) -> Label {
        if label == Label::NONE || self.data(label).is_empty() {
            return label;
        }
        // The pair (n, n) never occurs among unions, so it can hold this.
        let recent = self.recent[slot(label.0, label.0)];
        if (recent.0, recent.1) == (label.0, label.0) {
            return Label(recent.2);
        }
        if let Some(&n) = self.unions.get(&(label.0, label.0)) {
            return Label(n);
        }
        let all: Vec<Dep> = self.data(label).iter().chain(self.control(label)).copied().collect();
        let control = self.of(&[], &all);
        self.unions.insert((label.0, label.0), control.0);
        self.recent[slot(label.0, label.0)] = (label.0, label.0, control.0);
        control
    }
}
