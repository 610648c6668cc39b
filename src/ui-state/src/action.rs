//! What can happen to the page, and what the page wants done about it.

use crate::{BottomTab, Lang, Pane, RightTab, Side, Theme, Zoom};
use protocol::{Command, ObjectView, Reply, RequestKind};

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The page starts: preferences and the kept draft of the lesson, as the browser stored them.
    Start {
        /// Lesson to open.
        lesson: String,
        /// Text of the kept playground.
        saved: Option<String>,
        /// Text of the edits since ([`crate::Draft`]).
        edits: Option<String>,
    },
    /// The worker is ready and speaks our version.
    WorkerReady,
    /// The worker is of another version.
    WorkerMismatch,
    /// The worker cannot be started at all.
    WorkerFailed(String),
    /// The worker died and was replaced; it has to be told everything again.
    WorkerReplaced,
    /// A request killed the worker twice and is not tried again.
    SetAside(RequestKind),
    /// An answer, with what was asked.
    Answer(RequestKind, Reply),
    /// The browser refuses to store.
    StorageFailed,

    /// The person typed: the whole new text of the file in the editor.
    Typed(String),
    /// Opens a file in a tab.
    OpenFile(String),
    /// Opens a file at a line and column, from 1.
    OpenAt(String, u32, u32),
    /// Closes a tab.
    CloseTab(String),
    /// Makes an empty file.
    AddFile(String),
    /// Moves a file.
    RenameFile(String, String),
    /// Deletes a file.
    DeleteFile(String),

    /// A line of a rendered manifest is chosen: id, line and column, from 1.
    PickLine(String, u32, u32),
    /// A field of a live object is chosen.
    PickLive(protocol::Target),
    /// Shows an object of the cluster from all sides.
    ShowObject(ObjectView),
    /// Timeline, tree and card show this Application; all of them when empty.
    ShowApp(String),
    /// How much of the timeline is shown.
    Zoom(Zoom),
    /// The side of that object that is shown.
    ShowSide(Side),
    /// Runs a command.
    Run(Command),
    /// Types the commit message.
    CommitMessage(String),
    /// Commits with the typed message.
    Commit,

    /// Starts or stops the clock.
    TogglePlay,
    /// Real milliseconds passed while the page is open.
    Tick(u64),
    /// Sets how many virtual milliseconds pass in a real one.
    Speed(u32),
    /// Shows the cluster at a past moment; `None` shows the present.
    Look(Option<u64>),
    /// Goes on from the past moment that is shown.
    Rewind,
    /// To the next event.
    NextEvent,
    /// Until nothing is due.
    UntilIdle,
    /// Until the goals of the shown step are met.
    UntilGoals,

    /// Shows a step of the lesson.
    ShowStep(usize),
    /// Shows one hint more.
    MoreHints,
    /// Lets the lesson write the files of the shown step.
    FillIn,
    /// Opens a lesson, or the same one from its start.
    OpenLesson(String),

    /// Shows a tab of the right pane.
    Right(RightTab),
    /// Shows a tab of the bottom pane.
    Bottom(BottomTab),
    /// Shows a pane on a narrow screen.
    Pane(Pane),
    /// Sets the language.
    Lang(Lang),
    /// Sets the theme.
    Theme(Theme),
    /// Closes the first banner.
    Dismiss,
}

/// What the page's edges have to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the worker.
    Send(RequestKind),
    /// Put these before everything that waits: what a new worker has to hear first.
    Recover(Vec<RequestKind>),
    /// Throw away what is waiting and ask this instead.
    Restart(RequestKind),
    /// Keep the playground of this lesson.
    KeepSaved {
        /// Lesson.
        lesson: String,
        /// Text; `None` forgets it.
        text: Option<String>,
    },
    /// Keep the edits since.
    KeepEdits {
        /// Lesson.
        lesson: String,
        /// Text; `None` forgets them.
        text: Option<String>,
    },
    /// Keep language and theme, and set them on the document.
    Preferences(Lang, Theme),
}
