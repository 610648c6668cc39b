//! Files on the disk, and git as a person uses it: clone, commit, push, checkout.

use crate::command::{Command, Outcome};
use crate::state::{State, WorkTree};
use base::SortedMap;
use git::{Head, Repository, Signature};
use std::rc::Rc;

/// Who commits.
const AUTHOR: (&str, &str) = ("root", "root@lab");

impl State {
    pub(crate) fn disk_command(&mut self, command: Command) -> Outcome {
        match command {
            Command::WriteFile { path, bytes } => {
                self.disk.insert_mut(path, bytes);
                Outcome::default()
            }
            Command::DeleteFile { path } => {
                if self.disk.remove_mut(&path) {
                    return Outcome::default();
                }
                Outcome::fail(1, format!("rm: cannot remove '{path}': No such file or directory\n"))
            }
            Command::RenameFile { from, to } => {
                if let Some(bytes) = self.disk.get(&from).cloned() {
                    self.disk.remove_mut(&from);
                    self.disk.insert_mut(to, bytes);
                    return Outcome::default();
                }
                let below = self.files_below(&from);
                if below.is_empty() {
                    return Outcome::fail(1, format!("mv: cannot stat '{from}': No such file or directory\n"));
                }
                for (path, bytes) in below {
                    self.disk.remove_mut(format!("{from}/{path}").as_str());
                    self.disk.insert_mut(format!("{to}/{path}").into(), bytes);
                }
                Outcome::default()
            }
            _ => Outcome::default(),
        }
    }

    pub(crate) fn git_command(&mut self, command: Command) -> Outcome {
        match command {
            Command::GitInitBare { path } => {
                if self.remotes.bare.contains_key(&path) {
                    return Outcome::ok(format!("Reinitialized existing Git repository in {path}/\n"));
                }
                self.remotes.bare.insert_mut(path.clone(), Repository::init_bare("main"));
                Outcome::ok(format!("Initialized empty Git repository in {path}/\n"))
            }
            Command::BindUrl { url, path } => {
                self.remotes.urls.insert_mut(url, path);
                Outcome::default()
            }
            Command::GitClone { from, dir } => self.clone_tree(&from, dir),
            Command::GitCommit { dir, message } => self.commit(&dir, &message),
            Command::GitPush { dir, branch } => self.push(&dir, branch),
            Command::GitCheckout { dir, branch, create } => self.checkout(&dir, &branch, create),
            Command::RemoteCommit { path, branch, message, files, deleted } => {
                self.remote_commit(&path, &branch, &message, files, deleted)
            }
            Command::RemoteTag { path, tag, revision } => {
                let Some(remote) = self.remotes.bare.get_mut(&path) else { return no_repository(&path) };
                let made = remote.resolve(&revision).map_err(|e| e.to_string());
                match made.and_then(|oid| remote.create_tag(&tag, oid, None).map_err(|e| e.to_string())) {
                    Ok(_) => Outcome::default(),
                    Err(text) => Outcome::fail(128, format!("fatal: {text}\n")),
                }
            }
            _ => Outcome::default(),
        }
    }

    fn signature(&self) -> Signature {
        Signature::new(AUTHOR.0, AUTHOR.1, self.now)
    }

    fn clone_tree(&mut self, from: &Rc<str>, dir: Rc<str>) -> Outcome {
        let Some(path) = self.remotes.path_of(from) else {
            return Outcome::fail(128, format!("fatal: repository '{from}' does not exist\n"));
        };
        if self.trees.contains_key(&dir) || !self.files_below(&dir).is_empty() {
            let text = format!("fatal: destination path '{dir}' already exists and is not an empty directory.\n");
            return Outcome::fail(128, text);
        }
        let Some(remote) = self.remotes.bare.get(&path) else { return no_repository(&path) };
        let repository = Repository::clone_from(remote);
        let empty = repository.head_commit().is_none();
        if let Some(head) = repository.head_commit() {
            for (file, bytes) in repository.files(head) {
                self.disk.insert_mut(format!("{dir}/{file}").into(), bytes);
            }
        }
        let name = dir.rsplit('/').next().unwrap_or(&dir).to_string();
        self.trees.insert_mut(dir, WorkTree { repository, origin: path, origin_url: from.clone() });
        let warning = if empty { "warning: You appear to have cloned an empty repository.\n" } else { "" };
        let stderr = format!("Cloning into '{name}'...\n{warning}");
        Outcome { stderr, ..Outcome::default() }
    }

    fn commit(&mut self, dir: &Rc<str>, message: &str) -> Outcome {
        let files = self.files_below(dir);
        let author = self.signature();
        let Some(tree) = self.trees.get_mut(dir) else { return no_work_tree() };
        let changes = tree.repository.status(&files);
        let root = tree.repository.head_commit().is_none();
        match tree.repository.commit_files(&files, message, &author) {
            Ok(oid) => {
                let branch = tree.repository.current_branch().unwrap_or("detached HEAD").to_string();
                let first = if root { " (root-commit)" } else { "" };
                let subject = tree.repository.commit(oid).map(|c| c.subject().to_string()).unwrap_or_default();
                let (n, s) = (changes.len(), if changes.len() == 1 { "" } else { "s" });
                Outcome::ok(format!("[{branch}{first} {}] {subject}\n {n} file{s} changed\n", oid.short()))
            }
            Err(error) => Outcome { code: 1, stdout: format!("{error}\n"), ..Outcome::default() },
        }
    }

    fn push(&mut self, dir: &Rc<str>, branch: Option<Rc<str>>) -> Outcome {
        let Some(tree) = self.trees.get_mut(dir) else { return no_work_tree() };
        let branch = branch.or_else(|| tree.repository.current_branch().map(Rc::from));
        let Some(branch) = branch else {
            return Outcome::fail(128, "fatal: You are not currently on a branch.\n");
        };
        let origin = tree.origin.clone();
        let Some(remote) = self.remotes.bare.get_mut(&origin) else { return no_repository(&origin) };
        let done = tree.repository.push(remote, &branch, false);
        match done {
            Ok(result) => Outcome { stderr: result.text(&tree.origin_url), ..Outcome::default() },
            Err(error) => Outcome::fail(1, error.text(&tree.origin_url)),
        }
    }

    fn checkout(&mut self, dir: &Rc<str>, branch: &Rc<str>, create: bool) -> Outcome {
        let Some(tree) = self.trees.get_mut(dir) else { return no_work_tree() };
        if create {
            if let Some(head) = tree.repository.head_commit()
                && let Err(error) = tree.repository.create_branch(branch, head)
            {
                return Outcome::fail(128, format!("fatal: {error}\n"));
            }
            tree.repository.set_head(Head::Branch(branch.clone()));
            return Outcome { stderr: format!("Switched to a new branch '{branch}'\n"), ..Outcome::default() };
        }
        let Some(tip) = tree.repository.branch(branch) else {
            let text = format!("error: pathspec '{branch}' did not match any file(s) known to git\n");
            return Outcome::fail(1, text);
        };
        tree.repository.set_head(Head::Branch(branch.clone()));
        let files = tree.repository.files(tip);
        for path in self.files_below(dir).keys() {
            self.disk.remove_mut(format!("{dir}/{path}").as_str());
        }
        for (path, bytes) in files {
            self.disk.insert_mut(format!("{dir}/{path}").into(), bytes);
        }
        Outcome { stderr: format!("Switched to branch '{branch}'\n"), ..Outcome::default() }
    }

    fn remote_commit(
        &mut self,
        path: &Rc<str>,
        branch: &Rc<str>,
        message: &str,
        files: Vec<(Rc<str>, Rc<[u8]>)>,
        deleted: Vec<Rc<str>>,
    ) -> Outcome {
        let author = self.signature();
        let Some(remote) = self.remotes.bare.get_mut(path) else { return no_repository(path) };
        let home = remote.head().clone();
        let tip = remote.branch(branch);
        if tip.is_none()
            && let Some(head) = remote.head_commit()
            && let Err(error) = remote.create_branch(branch, head)
        {
            return Outcome::fail(128, format!("fatal: {error}\n"));
        }
        remote.set_head(Head::Branch(branch.clone()));
        let mut delta: SortedMap<Rc<str>, Option<Rc<[u8]>>> = SortedMap::new();
        delta.extend(files.into_iter().map(|(p, b)| (p, Some(b))));
        delta.extend(deleted.into_iter().map(|p| (p, None)));
        let made = remote.commit_delta(&delta, message, &author);
        // Somebody may push a commit that changes nothing (`--allow-empty`).
        let done = made.or_else(|error| {
            let head = remote.head_commit().ok_or(error)?;
            let tree = remote.commit(head).map(|c| c.tree).unwrap_or(head);
            Ok::<_, git::GitError>(remote.commit_tree(tree, vec![head], message, &author, &author))
        });
        remote.set_head(home);
        match done {
            Ok(oid) => Outcome::ok(format!("{oid}\n")),
            Err(error) => Outcome { code: 1, stdout: format!("{error}\n"), ..Outcome::default() },
        }
    }
}

fn no_work_tree() -> Outcome {
    Outcome::fail(128, "fatal: not a git repository (or any of the parent directories): .git\n")
}

fn no_repository(path: &str) -> Outcome {
    Outcome::fail(128, format!("fatal: '{path}' does not appear to be a git repository\n"))
}
