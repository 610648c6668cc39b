//! References, HEAD, and how a revision text names a commit.

use crate::object::Object;
use crate::oid::Oid;
use crate::repository::Repository;
use std::fmt;
use std::rc::Rc;

/// Where HEAD points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// At a branch (short name), which may not exist yet.
    Branch(Rc<str>),
    /// At a commit.
    Detached(Oid),
}

/// Why a revision names no commit. Printed in git's words, without `fatal: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolveError {
    /// Nothing has that name.
    Unknown(String),
    /// More than one object begins with these digits.
    Ambiguous(String),
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResolveError::Unknown(rev) => {
                write!(f, "ambiguous argument '{rev}': unknown revision or path not in the working tree.")
            }
            ResolveError::Ambiguous(rev) => write!(f, "short object ID {rev} is ambiguous"),
        }
    }
}

impl std::error::Error for ResolveError {}

impl Repository {
    /// The commit that `rev` names: HEAD, a branch, tag or remote branch (short or full name), a full id or at least
    /// four digits of one, each with any number of `^`, `^n`, `~n` after it. Annotated tags are followed to their commit.
    pub fn resolve(&self, rev: &str) -> Result<Oid, ResolveError> {
        let unknown = || ResolveError::Unknown(rev.to_string());
        let cut = rev.find(['^', '~']).unwrap_or(rev.len());
        let mut oid = self.resolve_name(&rev[..cut], rev)?;
        let mut rest = &rev[cut..];
        while let Some(op) = rest.chars().next() {
            rest = &rest[1..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let n: usize = if digits == 0 { 1 } else { rest[..digits].parse().map_err(|_| unknown())? };
            rest = &rest[digits..];
            if !rest.is_empty() && !rest.starts_with(['^', '~']) {
                return Err(unknown());
            }
            match op {
                '^' if n == 0 => {}
                '^' => oid = self.commit(oid).and_then(|c| c.parents.get(n - 1).copied()).ok_or_else(unknown)?,
                _ => {
                    for _ in 0..n {
                        oid = self.commit(oid).and_then(|c| c.parents.first().copied()).ok_or_else(unknown)?;
                    }
                }
            }
        }
        Ok(oid)
    }

    fn resolve_name(&self, name: &str, rev: &str) -> Result<Oid, ResolveError> {
        let unknown = || ResolveError::Unknown(rev.to_string());
        if name == "HEAD" || name == "@" {
            return self.head_commit().ok_or_else(unknown);
        }
        for full in [
            name.to_string(),
            format!("refs/{name}"),
            format!("refs/tags/{name}"),
            format!("refs/heads/{name}"),
            format!("refs/remotes/{name}"),
        ] {
            if let Some(oid) = self.reference(&full) {
                return self.peel(oid).ok_or_else(unknown);
            }
        }
        if let Some(oid) = Oid::parse(name) {
            return self.peel(oid).ok_or_else(unknown);
        }
        if !(4..40).contains(&name.len()) || !name.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(unknown());
        }
        let (name, mut low) = (name.to_ascii_lowercase(), [0u8; 20]);
        for (i, digit) in name.chars().enumerate() {
            low[i / 2] |= (digit.to_digit(16).unwrap_or(0) as u8) << (if i % 2 == 0 { 4 } else { 0 });
        }
        let found: Vec<Oid> = self
            .object_ids_from(Oid(low))
            .take_while(|oid| oid.to_string().starts_with(&name))
            .filter_map(|oid| self.peel(oid))
            .collect();
        match found.as_slice() {
            [] => Err(unknown()),
            [one] => Ok(*one),
            _ => Err(ResolveError::Ambiguous(rev.to_string())),
        }
    }

    /// The commit behind an id: itself, or what an annotated tag points at; `None` for other objects.
    pub fn peel(&self, oid: Oid) -> Option<Oid> {
        match self.object(oid)? {
            Object::Commit(_) => Some(oid),
            Object::Tag(tag) => matches!(self.object(tag.target), Some(Object::Commit(_))).then_some(tag.target),
            _ => None,
        }
    }
}
