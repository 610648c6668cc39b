//! What changed between two trees, between HEAD and a person's files, and between the lines of two texts.

use crate::oid::Oid;
use crate::repository::{Files, Repository};
use base::SortedMap;
use std::rc::Rc;

/// How a path changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// New.
    Added,
    /// Other content or mode.
    Modified,
    /// Gone.
    Deleted,
}

impl ChangeKind {
    /// The letter of `git diff --name-status`.
    pub fn letter(self) -> char {
        match self {
            ChangeKind::Added => 'A',
            ChangeKind::Modified => 'M',
            ChangeKind::Deleted => 'D',
        }
    }
}

/// One changed path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The path.
    pub path: Rc<str>,
    /// How it changed.
    pub kind: ChangeKind,
}

/// Cells of the comparison table above which a changed middle counts as wholly rewritten.
const TABLE: usize = 4 << 20;

impl Repository {
    /// Paths that differ from commit or tree `old` (`None`: the empty tree) to `new`, sorted.
    pub fn diff(&self, old: Option<Oid>, new: Oid) -> Vec<Change> {
        let old = old.map(|oid| self.tree_entries(oid)).unwrap_or_default();
        compare(&old, &self.tree_entries(new))
    }

    /// Paths in which a person's files differ from HEAD, sorted; empty when there is nothing to commit.
    pub fn status(&self, files: &Files) -> Vec<Change> {
        let head: Files = self.head_commit().map(|head| self.files(head)).unwrap_or_default();
        compare(&head, files)
    }
}

fn compare<V: PartialEq>(old: &SortedMap<Rc<str>, V>, new: &SortedMap<Rc<str>, V>) -> Vec<Change> {
    let mut out = Vec::new();
    for (path, was) in old {
        match new.get(path) {
            None => out.push(Change { path: path.clone(), kind: ChangeKind::Deleted }),
            Some(is) if is != was => out.push(Change { path: path.clone(), kind: ChangeKind::Modified }),
            Some(_) => {}
        }
    }
    let added = new.keys().filter(|path| !old.contains_key(*path));
    out.extend(added.map(|path| Change { path: path.clone(), kind: ChangeKind::Added }));
    base::order::sort(&mut out);
    out
}

/// For each line of `new`, the index of the line of `old` it came from; `None` for a new or changed line. Lines in
/// common at both ends are matched first, the middle by a longest common subsequence.
pub fn line_matches<T: PartialEq>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let mut out = vec![None; new.len()];
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    for (i, slot) in out.iter_mut().enumerate().take(start) {
        *slot = Some(i);
    }
    for i in 1..=end {
        out[new.len() - i] = Some(old.len() - i);
    }
    let (a, b) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    if a.is_empty() || b.is_empty() || a.len().saturating_mul(b.len()) > TABLE {
        return out;
    }
    // best[i][j]: longest common subsequence of a[i..] and b[j..].
    let width = b.len() + 1;
    let mut best = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            best[i * width + j] = if a[i] == b[j] {
                best[(i + 1) * width + j + 1] + 1
            } else {
                best[(i + 1) * width + j].max(best[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            out[start + j] = Some(start + i);
            (i, j) = (i + 1, j + 1);
        } else if best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}
