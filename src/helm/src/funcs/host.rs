//! What the functions need of a render beside the heap: time, seed, the count of nested includes, and the tracer that
//! answers origin questions. The engine passes a [`RenderHost`] to every [`gotmpl::render`] of one chart.

use crate::version::HelmVersion;
use base::SortedMap;
use base::Time;
use gotmpl::{Heap, Host, Label, MapId, Value};
use std::any::Any;
use std::fmt;
use std::rc::Rc;

/// Answers what a missing key and a range depend on. Asked only while tracing.
pub trait Tracer {
    /// A key was looked for in a map and is missing.
    fn absent(&mut self, heap: &mut Heap, map: MapId, key: &[u8]) -> Label;
    /// A map, list or number is ranged over.
    fn ranged(&mut self, heap: &mut Heap, over: Value) -> Label;
}

/// The host of one render of a chart.
pub struct RenderHost {
    /// Which Helm is mirrored; decides which functions `tpl` texts see.
    pub version: HelmVersion,
    /// The present instant: `now`, `ago`, `date` of nothing.
    pub now: Time,
    /// The seed of what looks random: `randAlphaNum`, `uuidv4`, `shuffle`.
    pub seed: u64,
    /// Who answers origin questions.
    pub tracer: Option<Box<dyn Tracer>>,
    /// How many includes of a name are running.
    pub(crate) includes: SortedMap<Rc<[u8]>, u32>,
    /// How many random values were drawn so far.
    pub(crate) drawn: u64,
}

impl RenderHost {
    /// A host at an instant, with a seed and no tracer.
    pub fn new(version: HelmVersion, now: Time, seed: u64) -> RenderHost {
        RenderHost { version, now, seed, tracer: None, includes: SortedMap::new(), drawn: 0 }
    }
}

impl fmt::Debug for RenderHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RenderHost({:?}, {}, {})", self.version, self.now, self.seed)
    }
}

impl Host for RenderHost {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn absent(&mut self, heap: &mut Heap, map: MapId, key: &[u8]) -> Label {
        self.tracer.as_mut().map_or(Label::NONE, |tracer| tracer.absent(heap, map, key))
    }

    fn ranged(&mut self, heap: &mut Heap, over: Value) -> Label {
        self.tracer.as_mut().map_or(Label::NONE, |tracer| tracer.ranged(heap, over))
    }
}
