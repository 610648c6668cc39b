//! The file tree and the state of its Git repository.

use serde::{Deserialize, Serialize};

/// All files of the playground, in order of path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilesView {
    /// Path of the work tree, such as `/root/capa-src/repo`.
    pub work_tree: String,
    /// The files.
    pub files: Vec<FileView>,
}

/// One file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileView {
    /// Path in the playground.
    pub path: String,
    /// State against the last commit.
    pub mark: FileMark,
    /// The text, when the page does not have it yet (opened, filled in, restored); a file that is not text has none.
    pub text: Option<String>,
    /// Whether the file is not text and so cannot be edited.
    pub binary: bool,
}

/// State of a file against the last commit. A file that is gone but committed is listed as `Deleted`, without text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileMark {
    /// As committed.
    #[default]
    Clean,
    /// Changed since.
    Modified,
    /// Not in the last commit.
    Untracked,
    /// In the last commit only.
    Deleted,
    /// Outside the work tree.
    Outside,
}

/// The repository.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GitView {
    /// Branch, such as `main`.
    pub branch: String,
    /// Full id of the last commit; empty before the first.
    pub head: String,
    /// First line of its message.
    pub subject: String,
    /// Full id of the remote branch; empty before the first push.
    pub remote: String,
    /// Commits that are not pushed.
    pub ahead: u32,
    /// Files that are not committed.
    pub dirty: u32,
    /// URL of the remote as an Application names it.
    pub remote_url: String,
}
