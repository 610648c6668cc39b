//! The file tree with marks against the last commit, and the repository's line.

use base::SortedMap;
use protocol::{FileMark, FileView, FilesView, GitView};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The files: `disk` is absolute path → content as typed, `head` the last commit's files by path in the work tree.
/// `texts` says whether the page needs a file's text.
pub(crate) fn files(
    work_tree: &str,
    disk: &SortedMap<Rc<str>, Rc<[u8]>>,
    head: &git::Files,
    texts: &dyn Fn(&str, &[u8]) -> bool,
) -> FilesView {
    let prefix = format!("{work_tree}/");
    let mut views = Vec::new();
    for (path, bytes) in disk {
        let mark = match path.strip_prefix(&prefix) {
            None => FileMark::Outside,
            Some(inside) => match head.get(inside) {
                None => FileMark::Untracked,
                Some(committed) if committed == bytes => FileMark::Clean,
                Some(_) => FileMark::Modified,
            },
        };
        let text = std::str::from_utf8(bytes).ok();
        let wanted = text.filter(|_| texts(path, bytes));
        views.push(FileView { path: path.to_string(), mark, text: wanted.map(str::to_string), binary: text.is_none() });
    }
    let gone = head.keys().map(|inside| format!("{prefix}{inside}")).filter(|path| !disk.contains_key(path.as_str()));
    views.extend(gone.map(|path| FileView { path, mark: FileMark::Deleted, ..FileView::default() }));
    base::order::sort_by(&mut views, |a, b| a.path.cmp(&b.path));
    FilesView { work_tree: work_tree.to_string(), files: views }
}

/// The repository's line: the clone against its remote, and how many files are not committed.
pub(crate) fn git(
    clone: Option<&git::Repository>,
    remote: Option<&git::Repository>,
    files: &FilesView,
    remote_url: &str,
) -> GitView {
    let mut view = GitView { branch: "main".into(), remote_url: remote_url.to_string(), ..GitView::default() };
    let dirty = files.files.iter().filter(|file| !matches!(file.mark, FileMark::Clean | FileMark::Outside)).count();
    view.dirty = u32::try_from(dirty).unwrap_or(u32::MAX);
    let Some(clone) = clone else { return view };
    if let Some(branch) = clone.current_branch() {
        view.branch = branch.to_string();
    }
    let pushed = remote.and_then(|remote| remote.branch(&view.branch));
    view.remote = pushed.map(|oid| oid.to_string()).unwrap_or_default();
    if let Some(head) = clone.head_commit() {
        view.head = head.to_string();
        view.subject = clone.commit(head).map(|commit| commit.subject().to_string()).unwrap_or_default();
        let there: BTreeSet<git::Oid> =
            pushed.filter(|oid| clone.object(*oid).is_some()).into_iter().flat_map(|oid| clone.log(oid)).collect();
        let ahead = clone.log(head).into_iter().filter(|oid| !there.contains(oid)).count();
        view.ahead = u32::try_from(ahead).unwrap_or(u32::MAX);
    }
    view
}
