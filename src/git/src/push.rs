//! Exchange with a remote: clone, fetch, push with git's refusals and words.

use crate::oid::Oid;
use crate::refs::Head;
use crate::repository::{GitError, Repository};
use std::fmt;

/// What a push did to a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushUpdate {
    /// The remote had that commit already.
    UpToDate,
    /// The branch is new on the remote.
    Created(Oid),
    /// The branch moved forward.
    Updated {
        /// The tip before.
        old: Oid,
        /// The tip now.
        new: Oid,
    },
    /// The branch was moved by force.
    Forced {
        /// The tip before.
        old: Oid,
        /// The tip now.
        new: Oid,
    },
}

/// A push that went through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushResult {
    /// The branch.
    pub branch: String,
    /// What happened to it.
    pub update: PushUpdate,
}

impl PushResult {
    /// What git prints to stderr for a remote with this address.
    pub fn text(&self, url: &str) -> String {
        let name = &self.branch;
        match &self.update {
            PushUpdate::UpToDate => "Everything up-to-date\n".to_string(),
            PushUpdate::Created(_) => format!("To {url}\n * [new branch]      {name} -> {name}\n"),
            PushUpdate::Updated { old, new } => {
                format!("To {url}\n   {}..{}  {name} -> {name}\n", old.short(), new.short())
            }
            PushUpdate::Forced { old, new } => {
                format!("To {url}\n + {}...{} {name} -> {name} (forced update)\n", old.short(), new.short())
            }
        }
    }
}

/// Why a push was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushError {
    /// There is no such branch here.
    NoSuchBranch(String),
    /// The remote's tip is a commit that this repository has never seen.
    FetchFirst(String),
    /// The remote's tip is known here and is no ancestor of what was pushed.
    NonFastForward(String),
}

impl PushError {
    /// What git prints to stderr for a remote with this address.
    pub fn text(&self, url: &str) -> String {
        let (name, why, hint) = match self {
            PushError::NoSuchBranch(name) => {
                return format!(
                    "error: src refspec {name} does not match any\nerror: failed to push some refs to '{url}'\n"
                );
            }
            PushError::FetchFirst(name) => (
                name,
                "fetch first",
                "hint: Updates were rejected because the remote contains work that you do not\n\
                 hint: have locally. This is usually caused by another repository pushing to\n\
                 hint: the same ref. If you want to integrate the remote changes, use\n\
                 hint: 'git pull' before pushing again.\n\
                 hint: See the 'Note about fast-forwards' in 'git push --help' for details.\n",
            ),
            PushError::NonFastForward(name) => (
                name,
                "non-fast-forward",
                "hint: Updates were rejected because the tip of your current branch is behind\n\
                 hint: its remote counterpart. If you want to integrate the remote changes,\n\
                 hint: use 'git pull' before pushing again.\n\
                 hint: See the 'Note about fast-forwards' in 'git push --help' for details.\n",
            ),
        };
        format!(
            "To {url}\n ! [rejected]        {name} -> {name} ({why})\nerror: failed to push some refs to '{url}'\n{hint}"
        )
    }
}

impl fmt::Display for PushError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PushError::NoSuchBranch(name) => write!(f, "error: src refspec {name} does not match any"),
            PushError::FetchFirst(name) => write!(f, "! [rejected] {name} -> {name} (fetch first)"),
            PushError::NonFastForward(name) => write!(f, "! [rejected] {name} -> {name} (non-fast-forward)"),
        }
    }
}

impl std::error::Error for PushError {}

impl Repository {
    /// A clone: the remote's objects and tags, its branches as `refs/remotes/origin/*`, and its HEAD branch checked out.
    pub fn clone_from(remote: &Repository) -> Repository {
        let branch = remote.current_branch().unwrap_or("main").to_string();
        let mut here = Repository::init(&branch);
        here.fetch(remote, "origin");
        if let Some(tip) = remote.branch(&branch) {
            here.set_reference(&format!("refs/heads/{branch}"), tip);
        }
        here
    }

    /// Fetches the remote's branches (as `refs/remotes/<name>/*`) and the tags that are not here yet.
    pub fn fetch(&mut self, remote: &Repository, name: &str) {
        self.take_objects(remote);
        for (branch, tip) in remote.branches() {
            self.set_reference(&format!("refs/remotes/{name}/{branch}"), tip);
        }
        for (tag, oid) in remote.tags() {
            let full = format!("refs/tags/{tag}");
            if self.reference(&full).is_none() {
                self.set_reference(&full, oid);
            }
        }
    }

    /// Pushes the local `branch` to the branch of that name of `remote`, and notes the new tip as `origin/<branch>`.
    /// Anything but a fast-forward is refused unless `force`.
    pub fn push(&mut self, remote: &mut Repository, branch: &str, force: bool) -> Result<PushResult, PushError> {
        let new = self.branch(branch).ok_or_else(|| PushError::NoSuchBranch(branch.to_string()))?;
        let update = match remote.branch(branch) {
            None => PushUpdate::Created(new),
            Some(old) if old == new => PushUpdate::UpToDate,
            Some(old) if self.is_ancestor(old, new) => PushUpdate::Updated { old, new },
            Some(old) if force => PushUpdate::Forced { old, new },
            Some(old) if self.object(old).is_none() => return Err(PushError::FetchFirst(branch.to_string())),
            Some(_) => return Err(PushError::NonFastForward(branch.to_string())),
        };
        remote.take_objects(self);
        remote.set_reference(&format!("refs/heads/{branch}"), new);
        self.set_reference(&format!("refs/remotes/origin/{branch}"), new);
        Ok(PushResult { branch: branch.to_string(), update })
    }

    /// Moves the current branch forward to `to` (`git merge --ff-only`); git's words when that is not possible.
    pub fn fast_forward(&mut self, to: Oid) -> Result<(), GitError> {
        if self.head_commit().is_some_and(|head| !self.is_ancestor(head, to)) {
            return Err(GitError("fatal: Not possible to fast-forward, aborting.".into()));
        }
        match self.head().clone() {
            Head::Branch(name) => self.set_reference(&format!("refs/heads/{name}"), to),
            Head::Detached(_) => self.set_head(Head::Detached(to)),
        }
        Ok(())
    }
}
