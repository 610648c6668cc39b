//! The file tree as rows. A chain of folders with nothing else in them is one row, so that `/root/capa-src` does not
//! push everything to the right.

use crate::File;
use protocol::FileMark;
use std::collections::BTreeMap;

/// A row of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Whole path, of a folder without its final slash.
    pub path: String,
    /// What the row shows.
    pub label: String,
    /// How deep it stands, from 0.
    pub depth: usize,
    /// Whether it is a folder.
    pub folder: bool,
    /// State against the last commit; of a folder `Clean`.
    pub mark: FileMark,
}

#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    files: BTreeMap<&'a str, (&'a str, FileMark)>,
}

/// The rows of all files: folders first, then files, each in order of name. Paths deeper than 64 folders are flat below.
pub fn rows(files: &BTreeMap<String, File>) -> Vec<Row> {
    let mut root = Folder::default();
    for (path, file) in files {
        let mut parts: Vec<&str> = path.trim_start_matches('/').splitn(64, '/').collect();
        let Some(name) = parts.pop() else { continue };
        let mut at = &mut root;
        for part in parts {
            at = at.folders.entry(part).or_default();
        }
        at.files.insert(name, (path, file.mark));
    }
    let mut out = Vec::new();
    walk(&root, "", 0, &mut out);
    out
}

fn walk(folder: &Folder<'_>, path: &str, depth: usize, out: &mut Vec<Row>) {
    for (name, mut inner) in &folder.folders {
        let mut full = format!("{path}/{name}");
        let mut label = if path.is_empty() { format!("/{name}") } else { (*name).to_owned() };
        while let (true, Some((next, deeper))) =
            (inner.files.is_empty() && inner.folders.len() == 1, inner.folders.iter().next())
        {
            full = format!("{full}/{next}");
            label = format!("{label}/{next}");
            inner = deeper;
        }
        out.push(Row { path: full.clone(), label, depth, folder: true, mark: FileMark::Clean });
        walk(inner, &full, depth + 1, out);
    }
    for (name, (whole, mark)) in &folder.files {
        out.push(Row { path: (*whole).to_owned(), label: (*name).to_owned(), depth, folder: false, mark: *mark });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_folders_are_one_row() {
        let files = [
            "/root/src/app.yaml",
            "/root/src/repo/charts/web/Chart.yaml",
            "/root/src/repo/charts/web/templates/a.yaml",
        ]
        .into_iter()
        .map(|p| (p.to_owned(), File::default()))
        .collect();
        let shown: Vec<String> =
            rows(&files).into_iter().map(|r| format!("{}{}", " ".repeat(r.depth), r.label)).collect();
        assert_eq!(shown, ["/root/src", " repo/charts/web", "  templates", "   a.yaml", "  Chart.yaml", " app.yaml"]);
    }
}
