//! The World: the only way an engine sees files, time and seed.

use crate::SortedMap;
use crate::time::Time;
use std::rc::Rc;

/// Why a file could not be read. The texts are those of Go's `os` package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// Nothing has that path.
    NotFound,
    /// The path is a directory where a file was wanted.
    IsDirectory,
    /// The path goes through a file.
    NotDirectory,
    /// Anything else, in the platform's words.
    Other(String),
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FileError::NotFound => "no such file or directory",
            FileError::IsDirectory => "is a directory",
            FileError::NotDirectory => "not a directory",
            FileError::Other(text) => text,
        })
    }
}

/// What one directory entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A device, socket or pipe.
    Irregular,
}

/// Files, time and seed. Paths use `/`; `""` and `"."` name the root.
pub trait World {
    /// The bytes of a file.
    fn read(&self, path: &str) -> Result<Rc<[u8]>, FileError>;
    /// The entries of a directory as (name, kind), sorted by name as bytes.
    fn list(&self, path: &str) -> Result<Vec<(String, EntryKind)>, FileError>;
    /// What `path` is, following links.
    fn kind(&self, path: &str) -> Result<EntryKind, FileError>;
    /// The present instant.
    fn now(&self) -> Time;
    /// The seed of everything that looks random.
    fn seed(&self) -> u64;
}

/// A World of files held in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemWorld {
    /// Path → bytes; directories exist by their files.
    pub files: SortedMap<Rc<str>, Rc<[u8]>>,
    /// The present instant.
    pub now: Time,
    /// The seed.
    pub seed: u64,
}

impl MemWorld {
    /// A World with these files, at the epoch, with seed 0.
    pub fn new<P: Into<Rc<str>>, B: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, B)>) -> MemWorld {
        let files = files.into_iter().map(|(p, b)| (p.into(), Rc::from(b.into()))).collect();
        MemWorld { files, ..MemWorld::default() }
    }
}

/// `path` without `.` parts, doubled or trailing slashes; `..` takes back a part. The root is `""`.
pub fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

impl World for MemWorld {
    fn read(&self, path: &str) -> Result<Rc<[u8]>, FileError> {
        let path = clean(path);
        match self.files.get(path.as_str()) {
            Some(bytes) => Ok(bytes.clone()),
            None => Err(match self.kind(&path) {
                Ok(_) => FileError::IsDirectory,
                Err(error) => error,
            }),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<(String, EntryKind)>, FileError> {
        let dir = clean(path);
        if self.kind(&dir)? == EntryKind::File {
            return Err(FileError::NotDirectory);
        }
        let prefix = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let mut entries: SortedMap<String, EntryKind> = SortedMap::new();
        for (file, _) in self.files.range_from(prefix.as_str()) {
            let Some(rest) = file.strip_prefix(prefix.as_str()) else { break };
            match rest.split_once('/') {
                Some((name, _)) => entries.insert(name.to_string(), EntryKind::Dir),
                None => entries.insert(rest.to_string(), EntryKind::File),
            };
        }
        Ok(entries.into_iter().collect())
    }

    fn kind(&self, path: &str) -> Result<EntryKind, FileError> {
        let path = clean(path);
        if path.is_empty() {
            return Ok(EntryKind::Dir);
        }
        if self.files.contains_key(path.as_str()) {
            return Ok(EntryKind::File);
        }
        let prefix = format!("{path}/");
        match self.files.range_from(prefix.as_str()).next() {
            Some((file, _)) if file.starts_with(&prefix) => Ok(EntryKind::Dir),
            _ => Err(FileError::NotFound),
        }
    }

    fn now(&self) -> Time {
        self.now
    }

    fn seed(&self) -> u64 {
        self.seed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_exist_by_their_files() {
        let world = MemWorld::new([("a/b.yaml", "x"), ("a/c/d", "y"), ("e", "z")]);
        assert_eq!(world.kind("a/c"), Ok(EntryKind::Dir));
        assert_eq!(world.list("a/"), Ok(vec![("b.yaml".into(), EntryKind::File), ("c".into(), EntryKind::Dir)]));
        assert_eq!(world.read("./a/../e").as_deref(), Ok(&b"z"[..]));
        assert_eq!(world.read("a"), Err(FileError::IsDirectory));
        assert_eq!(world.read("nope"), Err(FileError::NotFound));
        assert_eq!(clean("./a//b/../c/"), "a/c");
    }
}
