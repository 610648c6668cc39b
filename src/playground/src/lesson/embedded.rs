//! The lessons that are built in. The table is checked against the folder `lessons/` by a test, which also writes it
//! anew when it runs with `UPDATE=1`.

use super::LessonFiles;

/// Ids of the lessons in the order of the list.
pub fn lesson_ids() -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Index {
        lessons: Vec<String>,
    }
    let index = include_str!("../../../../lessons/index.toml");
    toml::from_str::<Index>(index).map(|index| index.lessons).unwrap_or_default()
}

/// The files of a lesson; `None` when there is none of this id.
pub fn lesson_files(id: &str) -> Option<LessonFiles> {
    let prefix = format!("{id}/");
    let files =
        FILES.iter().filter_map(|(path, bytes)| Some((path.strip_prefix(&prefix)?.to_string(), bytes.to_vec())));
    let files: LessonFiles = files.collect();
    (!files.is_empty()).then_some(files)
}

include!("embedded.in");

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    #[expect(clippy::disallowed_methods, reason = "the test compares the built-in table with the folder on disk")]
    #[test]
    fn table_is_the_folder() {
        let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../lessons"));
        let mut paths = Vec::new();
        for id in lesson_ids() {
            walk(&root.join(&id), &id, &mut paths);
        }
        paths.sort();
        let lines = paths
            .iter()
            .map(|path| format!("    (\"{path}\", include_bytes!(\"../../../../lessons/{path}\").as_slice()),\n"));
        let want = format!(
            "/// Path below `lessons/` → content. Written by the test `table_is_the_folder`.\nconst FILES: &[(&str, &[u8])] = &[\n{}];\n",
            lines.collect::<String>()
        );
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lesson/embedded.in");
        if std::env::var("UPDATE").is_ok() {
            std::fs::write(file, &want).unwrap();
        }
        assert_eq!(std::fs::read_to_string(file).unwrap(), want, "run again with UPDATE=1");
    }

    fn walk(dir: &Path, name: &str, paths: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{name}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &path, paths);
            } else {
                paths.push(path);
            }
        }
    }
}
