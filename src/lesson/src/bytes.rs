//! A lesson as bytes, the form in which it is built in.

use crate::Lesson;

impl Lesson {
    /// The lesson as bytes, read again by the same build only.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads [`Lesson::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Lesson> {
        postcard::from_bytes(bytes).ok()
    }
}
