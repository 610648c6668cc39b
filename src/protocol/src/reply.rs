//! What the worker says.

use crate::{
    AppView, ClockView, DetailsView, EventView, ExplainView, FilesView, GitView, LessonView, Message, ProgressView,
    RenderView, TimelineView, TreeView, ValuesView,
};
use serde::{Deserialize, Serialize};

/// A message from the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// First message of a worker's life; requests sent before it are answered after it.
    Ready {
        /// [`crate::PROTOCOL_VERSION`] of the worker.
        protocol: u32,
        /// [`crate::BUILD`] of the worker.
        build: String,
    },
    /// The answer to a request.
    Reply(Reply),
    /// Still at work on this request; sent between slices of a long run.
    Beat {
        /// Id of the request.
        id: u64,
    },
    /// The worker is broken and must be replaced.
    Fatal {
        /// What happened, for a bug report.
        message: String,
    },
}

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Id of the request.
    pub id: u64,
    /// Revision of the request.
    pub revision: u64,
    /// Microseconds from receiving to answering, as the worker measured; 0 when it did not.
    pub micros: u64,
    /// The answer.
    pub body: Body,
}

/// The answer itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Body {
    /// Views that changed.
    Update(Box<Update>),
    /// Answer to `Explain`; `None` when there is no field at that place.
    Explain(Option<ExplainView>),
    /// Answer to `Details`; `None` when neither the cluster nor an Application has the object.
    Details(Option<Box<DetailsView>>),
    /// Answer to `ValuesTable`.
    Values(ValuesView),
    /// Answer to `Export`.
    Saved(String),
    /// Answer to `Ping`.
    Pong,
    /// The request made no sense (unknown file, lesson, step, snapshot). Nothing changed.
    Refused(Message),
}

/// The views that a request changed; a view that is `None` is as it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Update {
    /// Everything is new: the page forgets what it showed. True after `Open` and `Restore`.
    pub whole: bool,
    /// The lesson's texts; after `Open` only.
    pub lesson: Option<LessonView>,
    /// Which goals are met.
    pub progress: Option<ProgressView>,
    /// The file tree with marks, and the texts of files that the worker changed (not those that the page just sent).
    pub files: Option<FilesView>,
    /// Branch, commits, what is not committed or pushed.
    pub git: Option<GitView>,
    /// The live render of the chart in view.
    pub render: Option<RenderView>,
    /// All Applications, in order of name.
    pub apps: Option<Vec<AppView>>,
    /// The resource trees, one for each Application.
    pub trees: Option<Vec<TreeView>>,
    /// Kubernetes events, oldest first.
    pub events: Option<Vec<EventView>>,
    /// The clock.
    pub clock: Option<ClockView>,
    /// The timeline.
    pub timeline: Option<TimelineView>,
    /// Commands that ran since the last update, with what they printed; the page appends them.
    pub terminal: Vec<TerminalView>,
    /// Things to tell the person once, such as `replay-differs` with the build that kept the playground.
    pub notices: Vec<Message>,
    /// The playground as a text to keep; sent whenever a request other than `Edit` changed it. A new worker opened with
    /// it is where this one is, but for edits since.
    pub saved: Option<String>,
}

/// One command and its output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalView {
    /// The command line as one would type it.
    pub command: String,
    /// What it printed, standard output and standard error in order.
    pub output: String,
    /// Exit code.
    pub code: i32,
    /// What we have to say about it, when the real tool has nothing to do with it (`not-simulated`).
    pub note: Option<Message>,
    /// When, in milliseconds of the clock.
    pub at: u64,
}
