//! What the page asks of the worker.

use serde::{Deserialize, Serialize};

/// One request. The worker answers each with exactly one [`crate::Reply`] of the same id, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Chosen by the page, unique in one worker's life.
    pub id: u64,
    /// The page's count of typed changes when it asked; comes back in the reply, so that late answers are known as such.
    pub revision: u64,
    /// What is asked.
    pub kind: RequestKind,
}

/// The kinds of request. The page keeps at most one of each kind in flight; of waiting edits the latest wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RequestKind {
    /// Starts or restores a playground. The reply is a whole [`crate::Update`].
    Open(Opening),
    /// A change of a file's text, sent at every keystroke. The reply's update holds what the change touched: at least
    /// the render and the file marks.
    Edit {
        /// Path in the playground.
        path: String,
        /// The change.
        change: Change,
    },
    /// Makes an empty file or one with the given text.
    AddFile {
        /// Path in the playground.
        path: String,
        /// First text.
        text: String,
    },
    /// Moves a file.
    RenameFile {
        /// Old path.
        from: String,
        /// New path.
        to: String,
    },
    /// Deletes a file.
    DeleteFile {
        /// Path in the playground.
        path: String,
    },
    /// The person looks at this file: the render follows it (which chart, which Application).
    Focus {
        /// Path in the playground.
        path: String,
    },
    /// Runs a command as a person would in a terminal.
    Command(Command),
    /// Moves the virtual clock.
    Clock(ClockMove),
    /// Who set this? The reply is [`crate::Body::Explain`].
    Explain(Target),
    /// An object from all sides. The reply is [`crate::Body::Details`].
    Details(ObjectView),
    /// All values of an Application, or of the chart in view when there is none. The reply is [`crate::Body::Values`].
    ValuesTable {
        /// Name of the Application; `None` means the chart in view.
        app: Option<String>,
    },
    /// Lets the lesson write the files of one step. The reply's update has the texts of the changed files.
    FillIn {
        /// Index of the step, from 0.
        step: u32,
    },
    /// Looks at all goals again (they are also looked at after every command and clock move).
    Check,
    /// Remembers the present moment under a name.
    Snapshot {
        /// Name, free to choose.
        name: String,
    },
    /// Goes back to a remembered moment. The reply is a whole [`crate::Update`].
    Restore {
        /// Name given to `Snapshot`.
        name: String,
    },
    /// Shows the cluster as it was at a moment, in milliseconds of the clock; `None` goes back to the present. Whatever
    /// changes the cluster goes back to the present first.
    Look {
        /// The moment.
        at: Option<u64>,
    },
    /// Goes back to a moment for good: what came after it is forgotten. The reply is a whole [`crate::Update`].
    Rewind {
        /// The moment, in milliseconds of the clock.
        at: u64,
    },
    /// The playground as a text to keep or hand on. The reply is [`crate::Body::Saved`].
    Export,
    /// Is the worker there? The reply is [`crate::Body::Pong`].
    Ping,
}

/// Where a playground comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Opening {
    /// A lesson from its start.
    Lesson {
        /// Id of the lesson, such as `lab-values`.
        id: String,
    },
    /// A text that an earlier worker gave as `saved` or for `Export`; it is replayed.
    Saved {
        /// The text.
        text: String,
    },
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// The whole new text.
    Text(String),
    /// A replaced range. Offsets outside the text, or inside a surrogate pair, are refused with `edit-out-of-range`.
    Splice {
        /// First UTF-16 code unit that goes.
        from: u32,
        /// Just after the last one that goes.
        to: u32,
        /// What comes instead.
        insert: String,
    },
}

/// A command of the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// `git add -A && git commit -m MESSAGE` in the work tree.
    GitCommit {
        /// The message.
        message: String,
    },
    /// `git push origin main` in the work tree.
    GitPush,
    /// `kubectl apply -f PATH`.
    KubectlApply {
        /// Path in the playground.
        path: String,
    },
    /// `kubectl -n argocd annotate app NAME argocd.argoproj.io/refresh=normal|hard --overwrite`.
    Refresh {
        /// Name of the Application.
        app: String,
        /// Also throw away cached manifests.
        hard: bool,
    },
    /// `argocd app sync NAME`.
    Sync {
        /// Name of the Application.
        app: String,
    },
    /// A line of `kubectl`, `argocd` or `git` as typed at a prompt.
    Line {
        /// The line.
        line: String,
    },
    /// `kubectl edit`: an object's YAML as the person left it.
    Edit {
        /// The object.
        object: ObjectView,
        /// The YAML.
        text: String,
    },
}

/// Names an object of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectView {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// A move of the virtual clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClockMove {
    /// So many milliseconds.
    Advance {
        /// Milliseconds, at least 1.
        ms: u64,
    },
    /// To just after the next thing that happens.
    NextEvent,
    /// Until nothing but periodic refreshes is due, at most `max_ms`.
    RunUntilIdle {
        /// Upper bound in milliseconds.
        max_ms: u64,
    },
    /// Until all goals of this step that the cluster can meet by itself are met, at most `max_ms`.
    RunUntilGoals {
        /// Index of the step, from 0.
        step: u32,
        /// Upper bound in milliseconds.
        max_ms: u64,
    },
}

/// What "who set this?" points at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Target {
    /// A place in a rendered manifest in view.
    Rendered {
        /// [`crate::ManifestView::id`].
        manifest: String,
        /// Line in the manifest's text, from 1.
        line: u32,
        /// Column in UTF-16 code units, from 1.
        col: u32,
    },
    /// A place in the live YAML of [`crate::DetailsView`].
    LiveLine {
        /// The object.
        object: ObjectView,
        /// Line, from 1.
        line: u32,
        /// Column in UTF-16 code units, from 1.
        col: u32,
    },
    /// A field of an object in the cluster.
    Live {
        /// API group; empty for the core group.
        group: String,
        /// Kind.
        kind: String,
        /// Namespace; empty for cluster-scoped objects.
        namespace: String,
        /// Name.
        name: String,
        /// Field path, such as `spec.replicas` or `spec.template.spec.containers[0].image`.
        field: String,
    },
}
