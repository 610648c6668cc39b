//! Git repositories in memory with real object ids.
