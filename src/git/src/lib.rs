//! Git repositories in memory with real object ids.
//!
//! A [`Repository`] holds objects (blob, tree, commit, tag, encoded and hashed exactly as git does), references and
//! HEAD. It is persistent data: a clone shares everything, so a simulation can keep one per step. There is no index and
//! no work tree here: a caller passes the files it has ([`Files`]) and asks for a commit or a [`status`](Repository::status).

mod blame;
mod diff;
mod object;
mod oid;
mod push;
mod refs;
mod repository;

pub use diff::{Change, ChangeKind, line_matches};
pub use object::{Commit, Mode, Object, Signature, Tag, TreeEntry, clean_message};
pub use oid::Oid;
pub use push::{PushError, PushResult, PushUpdate};
pub use refs::{Head, ResolveError};
pub use repository::{Files, GitError, Repository};
