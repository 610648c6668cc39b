//! Which commit last changed a line. Renames are not followed; of a merge's parents, the first that has the line
//! unchanged takes it.

use crate::diff::line_matches;
use crate::oid::Oid;
use crate::repository::Repository;

impl Repository {
    /// For each line of `path` at commit `at`, the commit that last changed it; `None` when there is no such file.
    pub fn blame_file(&self, at: Oid, path: &str) -> Option<Vec<Oid>> {
        let lines = split_lines(self.file(at, path)?);
        let mut out = vec![at; lines.len()];
        // Lines still looked for, as (line there, line at the start), per commit.
        let mut todo: Vec<(Oid, Vec<(usize, usize)>)> = vec![(at, (0..lines.len()).map(|i| (i, i)).collect())];
        while let Some((oid, mut wanted)) = todo.pop() {
            let (Some(commit), Some(bytes)) = (self.commit(oid), self.file(oid, path)) else { continue };
            let here = split_lines(bytes);
            for parent in &commit.parents {
                let Some(old) = self.file(*parent, path) else { continue };
                let matches = if old == bytes {
                    (0..here.len()).map(Some).collect()
                } else {
                    line_matches(&split_lines(old), &here)
                };
                let (passed, kept): (Vec<_>, Vec<_>) =
                    wanted.into_iter().partition(|(line, _)| matches.get(*line).is_some_and(Option::is_some));
                wanted = kept;
                let passed: Vec<_> =
                    passed.into_iter().filter_map(|(line, first)| Some((matches[line]?, first))).collect();
                if !passed.is_empty() {
                    todo.push((*parent, passed));
                }
            }
            for (_, first) in wanted {
                out[first] = oid;
            }
        }
        Some(out)
    }

    /// The commit that last changed line `line` (from 1) of `path` at commit `at`.
    pub fn blame(&self, at: Oid, path: &str, line: u32) -> Option<Oid> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        self.blame_file(at, path)?.get(index).copied()
    }
}

fn split_lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}
