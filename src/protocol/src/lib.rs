//! Messages between the page and the worker: plain data and its form as bytes, nothing else. The page sends a
//! [`Request`]; the worker answers with [`FromWorker`] messages. Views hold what is shown, already worked out: offsets
//! are UTF-16 code units as the editor counts them, lines and columns count from 1, times are milliseconds of the
//! virtual clock since the playground was opened.
//!
//! The real tools' words (messages, conditions, events) are English text. Everything else that a person reads is
//! either a [`Message`] (a key with arguments, whose texts stand in `ui-state`) or exists in both languages ([`Both`]).

use serde::{Deserialize, Serialize};

mod app;
mod details;
mod explain;
mod files;
mod lesson;
mod render;
mod reply;
mod request;
mod time;

pub use app::{AppView, ConditionView, EventView, HistoryView, NodeView, PlanView, ResourceView, TreeView};
pub use details::{DetailsView, DiffLine, LineChange};
pub use explain::{ClaimView, ExplainStep, ExplainView, LayerView, ValueRow, ValuesView};
pub use files::{FileMark, FileView, FilesView, GitView};
pub use lesson::{Block, GoalState, GoalView, Inline, LessonCard, LessonView, ProgressView, StepProgress, StepView};
pub use render::{DiagnosticView, ManifestView, NoteView, RenderView, SeverityView, SourceView};
pub use reply::{Body, FromWorker, Reply, TerminalView, Update};
pub use request::{Change, ClockMove, Command, ObjectView, Opening, Request, RequestKind, Target};
pub use time::{BandView, BarView, ClockView, LaneView, TimelineView, WaitView};

/// Raised whenever a message changes its meaning or shape; both sides refuse to talk across versions.
pub const PROTOCOL_VERSION: u32 = 3;

/// Which build this is. Page and worker are built together; unequal ids mean that the browser mixed two deployments.
pub const BUILD: &str = match option_env!("TIDEPOOL_BUILD") {
    Some(id) => id,
    None => env!("CARGO_PKG_VERSION"),
};

/// A message as bytes (postcard: no names, so both sides have to be of one version).
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    // Plain data without maps of unknown length cannot fail.
    postcard::to_allocvec(message).unwrap_or_default()
}

/// A message from bytes; `None` when they are not one of this version.
pub fn decode<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

/// One thing in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Both<T> {
    /// English.
    pub en: T,
    /// Korean.
    pub ko: T,
}

/// A text that the page looks up in its own language, with the arguments that it mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Stable key, such as `value-file-is-relative-to-chart`.
    pub key: String,
    /// Arguments in order.
    pub args: Vec<String>,
}

/// A range in a file, as the editor and as people count it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceView {
    /// Path in the playground, such as `/root/capa-src/repo/charts/web/values.yaml`.
    pub file: String,
    /// First UTF-16 code unit.
    pub from: u32,
    /// Just after the last UTF-16 code unit.
    pub to: u32,
    /// Line of `from`, counted from 1.
    pub line: u32,
    /// Column of `from` in UTF-16 code units, counted from 1.
    pub col: u32,
}

#[cfg(test)]
mod tests;
