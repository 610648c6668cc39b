//! One object of the cluster from all sides: live, desired, last applied, and what an apply would change.

use crate::{EventView, ObjectView};
use serde::{Deserialize, Serialize};

/// An object from all sides. The YAML texts have their keys sorted, as `kubectl get -o yaml` prints them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DetailsView {
    /// The object.
    pub object: ObjectView,
    /// The Application that it belongs to; empty when none does.
    pub app: String,
    /// The live object without `managedFields`; empty when it is not in the cluster.
    pub live: String,
    /// What the Application wants; empty when no source has it.
    pub desired: String,
    /// What the last apply sent; empty when there was none.
    pub last_applied: String,
    /// What an apply would change, with some lines around; empty when nothing.
    pub diff: Vec<DiffLine>,
    /// `spec.replicas`, for kinds that can be scaled.
    pub replicas: Option<u32>,
    /// Events about it, oldest first.
    pub events: Vec<EventView>,
}

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffLine {
    /// What becomes of it.
    pub change: LineChange,
    /// Its text.
    pub text: String,
}

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineChange {
    /// It stays.
    Same,
    /// Only the live object has it: an apply removes it.
    Live,
    /// Only the desired object has it: an apply adds it.
    Desired,
    /// Lines that stay are left out here.
    Gap,
}
