//! Reads the lesson folders into the lessons that are built in, each by itself: a first visit needs one.
#![expect(clippy::disallowed_methods, reason = "a build script reads files and the environment")]

use lesson::read::{LessonFiles, index, read};
use std::path::{Path, PathBuf};

fn main() {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs this")).join("../../lessons");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo runs this"));
    println!("cargo::rerun-if-changed={}", folder.display());
    let list = std::fs::read_to_string(folder.join("index.toml")).expect("lessons/index.toml");
    let ids = index(&list).unwrap_or_else(|error| panic!("lessons/{error}"));
    let mut list = String::from("&[\n");
    for id in &ids {
        let mut files = LessonFiles::new();
        collect(&folder.join(id), "", &mut files);
        let lesson = read(id, &files).unwrap_or_else(|error| panic!("lessons/{id}/{error}"));
        let path = out.join(format!("{id}.bin"));
        std::fs::write(&path, lesson.to_bytes()).expect("the output folder can be written");
        let (en, ko) = (&lesson.en.title, &lesson.ko.title);
        // A function for each, so that a first visit fetches the bytes of one.
        list += &format!(
            "BuiltIn {{ id: {id:?}, en: {en:?}, ko: {ko:?}, bytes: {{ #[inline(never)] fn bytes() -> &'static [u8] {{ include_bytes!({path:?}) }} bytes }} }},\n"
        );
    }
    list.push(']');
    std::fs::write(out.join("lessons.rs"), list).expect("the output folder can be written");
}

fn collect(folder: &Path, under: &str, files: &mut LessonFiles) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let path = format!("{under}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else {
            files.insert(path, std::fs::read(entry.path()).expect("a lesson file"));
        }
    }
}
