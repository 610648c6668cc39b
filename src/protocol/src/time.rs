//! The virtual clock and what happened on it. All times are milliseconds since the playground was opened.

use serde::{Deserialize, Serialize};

/// The clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockView {
    /// Now.
    pub now: u64,
    /// The same instant as the cluster sees it, RFC 3339.
    pub wall: String,
    /// When the next thing happens; `None` when nothing is due.
    pub next_event: Option<u64>,
    /// Whether nothing but periodic refreshes is due.
    pub idle: bool,
    /// The past moment that Applications, resource trees and events show; `None` for the present.
    pub looking: Option<u64>,
    /// Where a move that stopped early wanted to go (fuel ran out): asking again goes on.
    pub until: Option<u64>,
}

/// Bars of resources over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineView {
    /// First moment that is shown.
    pub from: u64,
    /// Last moment that is shown.
    pub to: u64,
    /// One lane for each object, in order of phase, wave, kind order and name; Applications first.
    pub lanes: Vec<LaneView>,
    /// Who waits for what.
    pub waits: Vec<WaitView>,
    /// Phases and waves of each operation, in order of time.
    pub bands: Vec<BandView>,
}

/// A stretch of an operation that belongs to one phase and wave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BandView {
    /// Application.
    pub app: String,
    /// Start.
    pub from: u64,
    /// End; the clock's now while it lasts.
    pub to: u64,
    /// `PreSync`, `Sync`, `PostSync`, `SyncFail`.
    pub phase: String,
    /// Wave.
    pub wave: i32,
}

/// One object's lane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneView {
    /// Stable id: `group/Kind/namespace/name`.
    pub id: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Name of the Application it belongs to; empty when none.
    pub app: String,
    /// Sync phase (`PreSync`, `Sync`, …); empty for objects that no sync touches.
    pub phase: String,
    /// Wave.
    pub wave: i32,
    /// Its states, oldest first, without overlap.
    pub bars: Vec<BarView>,
}

/// A state of an object from a moment to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BarView {
    /// Start.
    pub from: u64,
    /// End; the clock's now while it lasts.
    pub to: u64,
    /// Health word, operation phase or `Created`.
    pub state: String,
    /// The tool's words for it, when there are any (`0/2 available`).
    pub text: String,
    /// For an operation: true when Argo CD began it by itself.
    pub automated: bool,
}

/// A wait with its cause.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaitView {
    /// Start.
    pub from: u64,
    /// End; the clock's now while it lasts.
    pub to: u64,
    /// Lane that waits.
    pub lane: String,
    /// Lane that it waits for; empty when it waits for time only.
    pub on: String,
    /// The tool's words, such as `waiting for healthy state of /Namespace/src-helm`.
    pub text: String,
    /// Why it is not there yet, with figures, as it was when the wait began.
    pub causes: Vec<crate::Message>,
}
