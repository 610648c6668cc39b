//! Everything the page knows. It holds no truth but the typed text: the rest comes from the worker and can be asked
//! for again.

use crate::{Draft, Lang, Shared, Theme};
use protocol::{
    AppView, ClockView, DetailsView, DiagnosticView, EventView, ExplainView, FileMark, GitView, LessonView,
    ManifestView, NoteView, ObjectView, ProgressView, SourceView, Target, TerminalView, TimelineView, TreeView,
    ValuesView,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How far the start has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Boot {
    /// The worker is being loaded or opens the lesson.
    #[default]
    Starting,
    /// The lesson is there.
    Ready,
    /// Page and worker are of different versions.
    Mismatch,
    /// The worker cannot be started.
    Failed(String),
}

/// A file as the page knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its text.
    pub text: Rc<str>,
    /// State against the last commit.
    pub mark: FileMark,
    /// Not text: cannot be edited.
    pub binary: bool,
}

/// The rendered manifests on show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderState {
    /// What was rendered.
    pub source: SourceView,
    /// False when these are the last good ones and the newest text has errors.
    pub fresh: bool,
    /// The manifests in order.
    pub manifests: Vec<Shared<ManifestView>>,
    /// Errors and warnings.
    pub diagnostics: Shared<Vec<DiagnosticView>>,
    /// Notes for the editor.
    pub notes: Shared<Vec<NoteView>>,
    /// Microseconds that the render took.
    pub micros: u64,
}

/// What "who set this?" points at.
#[derive(Clone, Debug, PartialEq)]
pub struct Picked {
    /// The target.
    pub target: Target,
}

/// Where the editor should jump to. A new `nonce` makes the same place a new jump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub col: u32,
    /// Counts jumps.
    pub nonce: u64,
}

/// A message over the page that stays until it is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Banner {
    /// The worker was replaced.
    Restarted,
    /// A request is set aside; its name.
    SetAside(String),
    /// The browser does not store.
    Storage,
    /// The worker refused something; a message for the person.
    Refused(protocol::Message),
    /// The worker has something to say.
    Notice(protocol::Message),
    /// A command that the person ran by a button failed; the next one that succeeds takes the message away.
    CommandFailed {
        /// The command line.
        command: String,
        /// What the tool printed.
        output: String,
    },
}

/// What stands between the typed files and Argo CD.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pending {
    /// Nothing: the remote has what the editor has.
    #[default]
    Nothing,
    /// Files are to be committed.
    Commit,
    /// Commits are to be pushed.
    Push,
}

/// Tabs of the right pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RightTab {
    /// Rendered manifests.
    #[default]
    Rendered,
    /// Who set this.
    Who,
    /// Application card.
    App,
    /// Table of values.
    Values,
    /// One object of the cluster.
    Object,
}

/// How much of the timeline is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zoom {
    /// From a little before the latest operation began.
    #[default]
    Operation,
    /// The last minute.
    Minute,
    /// Everything since the start.
    All,
}

/// The sides of an object of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// What an apply would change.
    #[default]
    Difference,
    /// As it is in the cluster.
    Live,
    /// As the Application wants it.
    Desired,
    /// As it was applied last.
    LastApplied,
    /// Events about it.
    Events,
}

/// Tabs of the bottom pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BottomTab {
    /// Timeline.
    #[default]
    Timeline,
    /// Resource tree.
    Tree,
    /// Events.
    Events,
    /// Commands that ran.
    Terminal,
}

/// The pane that a narrow screen shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// Lesson.
    #[default]
    Lesson,
    /// Files and editor.
    Editor,
    /// Right pane.
    Right,
    /// Bottom pane.
    Bottom,
}

impl Pane {
    /// Value of the `data-pane` attribute.
    pub fn code(self) -> &'static str {
        match self {
            Pane::Lesson => "lesson",
            Pane::Editor => "editor",
            Pane::Right => "right",
            Pane::Bottom => "bottom",
        }
    }
}

/// The whole state of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Language.
    pub lang: Lang,
    /// Theme.
    pub theme: Theme,
    /// Start.
    pub boot: Boot,
    /// Messages over the page.
    pub banners: Vec<Banner>,

    /// Id of the lesson.
    pub lesson_id: String,
    /// The lesson's texts.
    pub lesson: Option<Shared<LessonView>>,
    /// Which goals are met.
    pub progress: Shared<ProgressView>,
    /// The step on show, from 0.
    pub step: usize,
    /// How many hints of that step are shown.
    pub hints: usize,

    /// Path of the work tree.
    pub work_tree: String,
    /// Files in order of path.
    pub files: Shared<BTreeMap<String, File>>,
    /// Count of typed changes.
    pub revision: u64,
    /// What the person typed since the worker last gave `saved`.
    pub draft: Draft,
    /// The playground as the worker last gave it.
    pub saved: Option<String>,
    /// Open files.
    pub tabs: Vec<String>,
    /// The file in the editor.
    pub active: Option<String>,
    /// Raised when the active file's text changed by other than typing.
    pub epoch: u64,
    /// Where the editor should jump.
    pub spot: Option<Spot>,

    /// Git.
    pub git: Shared<GitView>,
    /// Commit message as typed.
    pub commit_message: String,
    /// Rendered manifests.
    pub render: RenderState,
    /// Applications.
    pub apps: Shared<Vec<AppView>>,
    /// Resource trees.
    pub trees: Shared<Vec<TreeView>>,
    /// Kubernetes events.
    pub events: Shared<Vec<EventView>>,
    /// Clock.
    pub clock: Shared<ClockView>,
    /// Timeline.
    pub timeline: Shared<TimelineView>,
    /// Commands that ran.
    pub terminal: Shared<Vec<TerminalView>>,
    /// What "who set this?" points at.
    pub picked: Option<Picked>,
    /// Its answer.
    pub explain: Option<Shared<ExplainView>>,
    /// Table of values.
    pub values: Option<Shared<ValuesView>>,

    /// The object of the cluster that is shown.
    pub object: Option<ObjectView>,
    /// That object from all sides.
    pub details: Option<Shared<DetailsView>>,
    /// The side on show.
    pub side: Side,
    /// The Application that timeline, tree and card show; all of them when empty.
    pub app: String,
    /// How much of the timeline is shown.
    pub zoom: Zoom,

    /// Tab of the right pane.
    pub right: RightTab,
    /// Tab of the bottom pane.
    pub bottom: BottomTab,
    /// Pane on a narrow screen.
    pub pane: Pane,
    /// Whether the clock runs.
    pub playing: bool,
    /// Virtual milliseconds in a real one.
    pub speed: u32,
    /// A clock request is under way: the next one waits for its answer.
    pub clock_busy: bool,
    /// Commands and long moves under way.
    pub busy: u32,
}

impl State {
    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<Rc<str>> {
        self.files.get(path).map(|f| Rc::clone(&f.text))
    }

    /// How many errors the newest render has.
    pub fn errors(&self) -> usize {
        self.render.diagnostics.iter().filter(|d| d.severity == protocol::SeverityView::Error).count()
    }

    /// What Argo CD does not see yet of the files that are rendered while they are typed.
    pub fn pending(&self) -> Pending {
        match (self.git.dirty, self.git.ahead) {
            (0, 0) => Pending::Nothing,
            (0, _) => Pending::Push,
            _ => Pending::Commit,
        }
    }

    /// Whether the lesson's shown step is done.
    pub fn step_done(&self) -> bool {
        self.progress.steps.get(self.step).is_some_and(|s| s.done)
    }

    /// The file in the editor if it is a manifest to apply: YAML outside of the work tree.
    pub fn applicable(&self) -> Option<&str> {
        let path = self.active.as_deref()?;
        let yaml = path.ends_with(".yaml") || path.ends_with(".yml");
        let outside = self.work_tree.is_empty() || !path.starts_with(&format!("{}/", self.work_tree));
        (yaml && outside && self.files.contains_key(path)).then_some(path)
    }
}
