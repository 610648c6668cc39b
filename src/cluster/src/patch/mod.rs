//! The kinds of patch that change a document without asking who owns what.

mod json_patch;
mod merge;
mod strategic;

pub(crate) use json_patch::json_patch;
pub(crate) use merge::{create_merge_patch, merge_patch};
pub(crate) use strategic::strategic_patch;
