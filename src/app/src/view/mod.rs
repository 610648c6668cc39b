//! The components, one pane or part a file. They show what they are given and report actions; none holds state of the
//! playground.

mod application;
mod blocks;
mod clock;
mod details;
mod editor;
mod events;
mod files;
mod git;
mod header;
mod lesson;
mod rendered;
mod status;
mod tabs;
mod terminal;
mod timeline;
mod tree;
mod values;
mod who;

pub(crate) use application::AppPane;
pub(crate) use clock::ClockBar;
pub(crate) use details::{DetailsPane, looking_back};
pub(crate) use editor::Editor;
pub(crate) use events::EventsPane;
pub(crate) use files::FilesPane;
pub(crate) use git::GitPanel;
pub(crate) use header::{Banners, Header};
pub(crate) use lesson::LessonPane;
pub(crate) use rendered::RenderedPane;
pub(crate) use status::{AppChooser, StatusStrip};
pub(crate) use tabs::{EditorTabs, tablist};
pub(crate) use terminal::TerminalPane;
pub(crate) use timeline::TimelinePane;
pub(crate) use tree::TreePane;
pub(crate) use values::ValuesPane;
pub(crate) use who::WhoPane;
