//! The text that keeps a playground: the lesson's id, the log, the moments and a digest of the end state, so that a
//! replay that ends elsewhere says so.

use crate::log::Entry;
use base::SortedMap;
use serde::{Deserialize, Serialize};

/// Raised whenever old texts need a different reading.
pub const SAVED_FORMAT: u32 = 1;

/// The text's content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// [`SAVED_FORMAT`].
    pub format: u32,
    /// Build that wrote it.
    pub build: String,
    /// Lesson.
    pub lesson: String,
    /// File in view.
    #[serde(default)]
    pub focus: String,
    /// What happened.
    pub log: Vec<Entry>,
    /// Remembered moments: name → number of log entries.
    #[serde(default)]
    pub moments: SortedMap<String, usize>,
    /// Digest of the state after the log.
    pub digest: String,
}

impl Saved {
    /// The text.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a text; the error is a text key.
    pub fn read(text: &str) -> Result<Saved, &'static str> {
        let saved: Saved = serde_json::from_str(text).map_err(|_| "saved-unreadable")?;
        if saved.format == SAVED_FORMAT { Ok(saved) } else { Err("saved-from-newer-version") }
    }
}
