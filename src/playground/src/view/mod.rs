//! What is shown, worked out from the state. Every view is a function of the state alone.

mod apps;
mod events;
mod files;
mod lesson;
mod timeline;
mod tree;
mod verdict;

pub(crate) use apps::apps;
pub(crate) use events::events;
pub(crate) use files::{files, git};
pub(crate) use lesson::{lesson, progress};
pub(crate) use timeline::timeline;
pub(crate) use tree::trees;

use base::{Json, Time};

/// Milliseconds of the clock at an instant; instants before the start count as 0.
pub(crate) fn since(start: Time, at: Time) -> u64 {
    u64::try_from(at - start).unwrap_or(0)
}

/// The same for an RFC 3339 text; `None` when it is none.
pub(crate) fn since_text(start: Time, text: &str) -> Option<u64> {
    Time::parse_rfc3339(text).map(|at| since(start, at))
}

/// API group of an object.
pub(crate) fn group_of(object: &Json) -> &str {
    object.text_at(&["apiVersion"]).rsplit_once('/').map_or("", |(group, _)| group)
}
