//! A process: files on disk, the machine's clock and a seed from it, the standard streams.
#![expect(clippy::disallowed_methods, reason = "this is where the process meets the disk and the clock")]

use base::world::EntryKind;
use base::{FileError, Time, World};
use cli::Machine;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Files on disk. Relative paths start at the working directory.
#[derive(Debug)]
struct Disk {
    now: Time,
    seed: u64,
}

impl Disk {
    /// The disk at this instant.
    fn new() -> Disk {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Disk { now: Time(since.as_millis() as i64), seed: since.as_nanos() as u64 }
    }
}

fn error(error: std::io::Error) -> FileError {
    match error.kind() {
        ErrorKind::NotFound => FileError::NotFound,
        ErrorKind::IsADirectory => FileError::IsDirectory,
        ErrorKind::NotADirectory => FileError::NotDirectory,
        ErrorKind::PermissionDenied => FileError::Other("permission denied".to_string()),
        _ => FileError::Other(error.to_string()),
    }
}

fn kind_of(kind: fs::FileType) -> EntryKind {
    if kind.is_dir() {
        EntryKind::Dir
    } else if kind.is_file() {
        EntryKind::File
    } else {
        EntryKind::Irregular
    }
}

/// This process.
#[derive(Debug)]
pub(crate) struct Process {
    disk: Disk,
}

impl Process {
    /// The process at this instant.
    pub(crate) fn new() -> Process {
        Process { disk: Disk::new() }
    }
}

impl Machine for Process {
    fn world(&self) -> &dyn World {
        &self.disk
    }

    fn absolute(&self, path: &str) -> String {
        std::path::absolute(path).map_or_else(|_| path.to_string(), |full| full.to_string_lossy().into_owned())
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn input(&mut self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    fn print(&mut self, bytes: &[u8]) -> Result<(), String> {
        std::io::stdout().lock().write_all(bytes).map_err(|error| format!("write /dev/stdout: {error}"))
    }

    fn complain(&mut self, bytes: &[u8]) {
        // Nobody is left to hear that standard error is closed.
        let _ = std::io::stderr().lock().write_all(bytes);
    }

    fn write(&mut self, path: &str, bytes: &[u8], append: bool) -> Result<(), String> {
        let text = |error: std::io::Error| error.to_string();
        if let Some(parent) = std::path::Path::new(path).parent() {
            fs::create_dir_all(parent).map_err(text)?;
        }
        let mut options = fs::OpenOptions::new();
        let mut file = options.create(true).append(append).write(true).truncate(!append).open(path).map_err(text)?;
        file.write_all(bytes).map_err(text)
    }
}

impl World for Disk {
    fn read(&self, path: &str) -> Result<Rc<[u8]>, FileError> {
        fs::read(path).map(Rc::from).map_err(error)
    }

    fn list(&self, path: &str) -> Result<Vec<(String, EntryKind)>, FileError> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(if path.is_empty() { "." } else { path }).map_err(error)? {
            let entry = entry.map_err(error)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let mut kind = entry.file_type().map_err(error)?;
            if kind.is_symlink() {
                kind = fs::metadata(entry.path()).map_err(error)?.file_type();
            }
            entries.push((name, kind_of(kind)));
        }
        entries.sort_by(|a: &(String, EntryKind), b| a.0.cmp(&b.0));
        Ok(entries)
    }

    fn kind(&self, path: &str) -> Result<EntryKind, FileError> {
        fs::metadata(path).map(|data| kind_of(data.file_type())).map_err(error)
    }

    fn now(&self) -> Time {
        self.now
    }

    fn seed(&self) -> u64 {
        self.seed
    }
}
