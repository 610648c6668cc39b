//! The lessons that are built in, as one block of bytes.

use crate::Lesson;
use serde::{Deserialize, Serialize};

/// Lessons in the order of the list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Book {
    /// The lessons.
    pub lessons: Vec<Lesson>,
}

impl Book {
    /// The book as bytes, read again by the same build only.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads [`Book::to_bytes`]; anything else is an empty book.
    pub fn from_bytes(bytes: &[u8]) -> Book {
        postcard::from_bytes(bytes).unwrap_or_default()
    }
}
