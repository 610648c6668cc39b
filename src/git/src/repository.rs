//! The repository: objects, references, commits and the files of a commit.

use crate::object::{Commit, Mode, Object, Signature, Tag, TreeEntry, clean_message};
use crate::oid::Oid;
use crate::refs::Head;
use base::SortedMap;
use rpds::RedBlackTreeMap;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

/// Files of a tree: path with `/` → bytes. The same shape as [`base::MemWorld::files`].
pub type Files = SortedMap<Rc<str>, Rc<[u8]>>;

/// Why a command was refused, in git's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitError(pub String);

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for GitError {}

/// Deepest directory nesting that is read back; deeper trees cannot be made here either.
const TREE_DEPTH: usize = 128;

/// A repository. Cloning shares all content.
#[derive(Clone, Debug, PartialEq)]
pub struct Repository {
    objects: RedBlackTreeMap<Oid, Object>,
    refs: RedBlackTreeMap<Rc<str>, Oid>,
    head: Head,
    bare: bool,
}

impl Repository {
    /// An empty repository whose HEAD names `branch` (`git init -b branch`).
    pub fn init(branch: &str) -> Repository {
        Repository {
            objects: RedBlackTreeMap::new(),
            refs: RedBlackTreeMap::new(),
            head: Head::Branch(branch.into()),
            bare: false,
        }
    }

    /// An empty bare repository.
    pub fn init_bare(branch: &str) -> Repository {
        Repository { bare: true, ..Repository::init(branch) }
    }

    /// True for a repository without a work tree.
    pub fn is_bare(&self) -> bool {
        self.bare
    }

    /// Where HEAD points.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The commit HEAD is at; `None` on a branch without commits.
    pub fn head_commit(&self) -> Option<Oid> {
        match &self.head {
            Head::Branch(name) => self.branch(name),
            Head::Detached(oid) => Some(*oid),
        }
    }

    /// The name of the current branch; `None` when HEAD is detached.
    pub fn current_branch(&self) -> Option<&str> {
        match &self.head {
            Head::Branch(name) => Some(name),
            Head::Detached(_) => None,
        }
    }

    /// Moves HEAD to a branch (which need not exist) or to a commit. Files are the caller's matter.
    pub fn set_head(&mut self, head: Head) {
        self.head = head;
    }

    /// An object.
    pub fn object(&self, oid: Oid) -> Option<&Object> {
        self.objects.get(&oid)
    }

    /// A commit.
    pub fn commit(&self, oid: Oid) -> Option<&Rc<Commit>> {
        match self.object(oid)? {
            Object::Commit(commit) => Some(commit),
            _ => None,
        }
    }

    /// Stores an object and returns its id.
    pub fn write(&mut self, object: Object) -> Oid {
        let oid = object.id();
        if !self.objects.contains_key(&oid) {
            self.objects.insert_mut(oid, object);
        }
        oid
    }

    /// The target of a full reference name such as `refs/heads/main`.
    pub fn reference(&self, full: &str) -> Option<Oid> {
        self.refs.get(full).copied()
    }

    /// All references, sorted by full name.
    pub fn references(&self) -> impl Iterator<Item = (&str, Oid)> {
        self.refs.iter().map(|(name, oid)| (&**name, *oid))
    }

    /// Points a full reference name at an object.
    pub fn set_reference(&mut self, full: &str, oid: Oid) {
        self.refs.insert_mut(full.into(), oid);
    }

    /// Removes a reference; true when it existed.
    pub fn delete_reference(&mut self, full: &str) -> bool {
        self.refs.remove_mut(full)
    }

    /// The tip of a branch.
    pub fn branch(&self, name: &str) -> Option<Oid> {
        self.reference(&format!("refs/heads/{name}"))
    }

    /// Branches as (name, tip), sorted by name.
    pub fn branches(&self) -> impl Iterator<Item = (&str, Oid)> {
        self.references().filter_map(|(name, oid)| Some((name.strip_prefix("refs/heads/")?, oid)))
    }

    /// Tags as (name, object), sorted by name; the object of an annotated tag is the tag object.
    pub fn tags(&self) -> impl Iterator<Item = (&str, Oid)> {
        self.references().filter_map(|(name, oid)| Some((name.strip_prefix("refs/tags/")?, oid)))
    }

    /// Makes a branch at a commit; git's words when it exists.
    pub fn create_branch(&mut self, name: &str, at: Oid) -> Result<(), GitError> {
        if self.branch(name).is_some() {
            return Err(GitError(format!("fatal: a branch named '{name}' already exists")));
        }
        self.set_reference(&format!("refs/heads/{name}"), at);
        Ok(())
    }

    /// Makes a lightweight tag (`tagger` is `None`) or an annotated one; git's words when it exists.
    pub fn create_tag(&mut self, name: &str, at: Oid, tagger: Option<(Signature, &str)>) -> Result<Oid, GitError> {
        let full = format!("refs/tags/{name}");
        if self.reference(&full).is_some() {
            return Err(GitError(format!("fatal: tag '{name}' already exists")));
        }
        let oid = match tagger {
            None => at,
            Some((tagger, message)) => self.write(Object::Tag(Rc::new(Tag {
                target: at,
                name: name.into(),
                tagger,
                message: clean_message(message).into(),
            }))),
        };
        self.set_reference(&full, oid);
        Ok(oid)
    }

    /// Stores `files` as a tree. A path that is also a directory of another path loses to it; modes of files that
    /// `like` (an older tree) has are kept.
    pub fn write_tree(&mut self, files: &Files, like: Option<Oid>) -> Oid {
        let modes = like.map(|tree| self.tree_entries(tree)).unwrap_or_default();
        // One open directory per level: (path with a trailing slash, entries so far).
        let mut open: Vec<(String, Vec<TreeEntry>)> = vec![(String::new(), Vec::new())];
        for (path, bytes) in files {
            let (dir, name) = path.rsplit_once('/').map_or(("", &**path), |(d, n)| (d, n));
            let dir = if dir.is_empty() { String::new() } else { format!("{dir}/") };
            while open.len() > 1 && open.last().is_some_and(|(at, _)| !dir.starts_with(at.as_str())) {
                self.close_dir(&mut open);
            }
            let mut at = open.last().map_or(0, |(at, _)| at.len());
            while at < dir.len() {
                at += dir[at..].find('/').map_or(dir.len() - at, |i| i + 1);
                open.push((dir[..at].to_string(), Vec::new()));
            }
            let id = self.write(Object::Blob(bytes.clone()));
            let mode = modes.get(path).map_or(Mode::File, |(mode, _)| *mode);
            if let Some((_, entries)) = open.last_mut() {
                entries.push(TreeEntry { mode, name: name.into(), id });
            }
        }
        while open.len() > 1 {
            self.close_dir(&mut open);
        }
        let root = open.pop().map(|(_, entries)| entries).unwrap_or_default();
        self.write(Object::tree(merge_same_names(root)))
    }

    fn close_dir(&mut self, open: &mut Vec<(String, Vec<TreeEntry>)>) {
        let Some((path, entries)) = open.pop() else { return };
        let Some((_, parent)) = open.last_mut() else { return };
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        // Paths sort with "a-b" before "a/b", so a directory can be left and entered again: join the two parts.
        let mut all = entries;
        if let Some(i) = parent.iter().position(|e| &*e.name == name && e.mode == Mode::Dir) {
            let old = parent.remove(i);
            if let Some(Object::Tree(old)) = self.objects.get(&old.id) {
                all.extend(old.iter().cloned());
            }
        }
        let id = self.write(Object::tree(merge_same_names(all)));
        if let Some((_, parent)) = open.last_mut() {
            parent.push(TreeEntry { mode: Mode::Dir, name: name.into(), id });
        }
    }

    /// All files of a tree or of a commit's tree: path → (mode, blob id). Empty for other objects.
    pub fn tree_entries(&self, oid: Oid) -> SortedMap<Rc<str>, (Mode, Oid)> {
        let mut out = SortedMap::new();
        let root = self.commit(oid).map_or(oid, |commit| commit.tree);
        let mut todo = vec![(String::new(), root, 0)];
        while let Some((prefix, tree, depth)) = todo.pop() {
            let Some(Object::Tree(entries)) = self.object(tree) else { continue };
            for entry in entries.iter() {
                let path = format!("{prefix}{}", entry.name);
                match entry.mode {
                    Mode::Dir if depth < TREE_DEPTH => todo.push((path + "/", entry.id, depth + 1)),
                    Mode::Dir => {}
                    mode => {
                        out.insert(path.into(), (mode, entry.id));
                    }
                }
            }
        }
        out
    }

    /// All files of a commit or tree with their bytes (shared, not copied).
    pub fn files(&self, oid: Oid) -> Files {
        let entries = self.tree_entries(oid);
        entries.into_iter().filter_map(|(path, (_, blob))| Some((path, self.blob(blob)?.clone()))).collect()
    }

    /// The bytes of a blob.
    pub fn blob(&self, oid: Oid) -> Option<&Rc<[u8]>> {
        match self.object(oid)? {
            Object::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The bytes of one file of a commit or tree.
    pub fn file(&self, oid: Oid, path: &str) -> Option<&Rc<[u8]>> {
        let mut at = self.commit(oid).map_or(oid, |commit| commit.tree);
        for part in path.split('/') {
            let Object::Tree(entries) = self.object(at)? else { return None };
            at = entries.iter().find(|entry| &*entry.name == part)?.id;
        }
        self.blob(at)
    }

    /// Commits `files` as the whole tree on HEAD (`git add -A && git commit -m message`) and moves the branch. Author
    /// and committer are the same. Refused in git's words when nothing changed or the message is empty.
    pub fn commit_files(&mut self, files: &Files, message: &str, author: &Signature) -> Result<Oid, GitError> {
        let parent = self.head_commit();
        let old = parent.and_then(|p| self.commit(p)).map(|c| c.tree);
        let tree = self.write_tree(files, old);
        if old == Some(tree) || (old.is_none() && files.is_empty()) {
            let on = match &self.head {
                Head::Branch(name) => format!("On branch {name}"),
                Head::Detached(oid) => format!("HEAD detached at {}", oid.short()),
            };
            let first = if old.is_none() { "\n\nInitial commit\n" } else { "" };
            let tail = if old.is_none() {
                "nothing to commit (create/copy files and use \"git add\" to track)"
            } else {
                "nothing to commit, working tree clean"
            };
            return Err(GitError(format!("{on}{first}\n{tail}")));
        }
        let message = clean_message(message);
        if message.is_empty() {
            return Err(GitError("Aborting commit due to empty commit message.".into()));
        }
        Ok(self.commit_tree(tree, parent.into_iter().collect(), &message, author, author))
    }

    /// Commits a change of some paths on HEAD: `Some` writes a file, `None` removes it.
    pub fn commit_delta(
        &mut self,
        delta: &SortedMap<Rc<str>, Option<Rc<[u8]>>>,
        message: &str,
        author: &Signature,
    ) -> Result<Oid, GitError> {
        let mut files = self.head_commit().map(|head| self.files(head)).unwrap_or_default();
        for (path, bytes) in delta {
            match bytes {
                Some(bytes) => files.insert(path.clone(), bytes.clone()),
                None => files.remove(path),
            };
        }
        self.commit_files(&files, message, author)
    }

    /// Writes a commit of a stored tree exactly as given, and moves HEAD's branch (or a detached HEAD) to it.
    pub fn commit_tree(
        &mut self,
        tree: Oid,
        parents: Vec<Oid>,
        message: &str,
        author: &Signature,
        committer: &Signature,
    ) -> Oid {
        let commit =
            Commit { tree, parents, author: author.clone(), committer: committer.clone(), message: message.into() };
        let oid = self.write(Object::Commit(Rc::new(commit)));
        match self.head.clone() {
            Head::Branch(name) => self.set_reference(&format!("refs/heads/{name}"), oid),
            Head::Detached(_) => self.head = Head::Detached(oid),
        }
        oid
    }

    /// Commits reachable from `from`, newest first by committer time (ties: children before parents), as `git log`.
    pub fn log(&self, from: Oid) -> Vec<Oid> {
        let mut seen = BTreeSet::from([from]);
        let mut queue = vec![from];
        let mut out = Vec::new();
        while !queue.is_empty() {
            let newest = (0..queue.len())
                .max_by_key(|&i| (self.commit(queue[i]).map(|c| c.committer.time), std::cmp::Reverse(i)))
                .unwrap_or(0);
            let oid = queue.remove(newest);
            let Some(commit) = self.commit(oid) else { continue };
            out.push(oid);
            queue.extend(commit.parents.iter().copied().filter(|parent| seen.insert(*parent)));
        }
        out
    }

    /// True when `ancestor` is `of` or reachable from it.
    pub fn is_ancestor(&self, ancestor: Oid, of: Oid) -> bool {
        self.reachable(of).contains(&ancestor)
    }

    /// The best common ancestor: one that no other common ancestor descends from.
    pub fn merge_base(&self, a: Oid, b: Oid) -> Option<Oid> {
        let theirs = self.reachable(b);
        let common: Vec<Oid> = self.log(a).into_iter().filter(|oid| theirs.contains(oid)).collect();
        let best = |oid: &&Oid| !common.iter().any(|other| other != *oid && self.is_ancestor(**oid, *other));
        common.iter().find(best).or(common.first()).copied()
    }

    /// All commits reachable from `from`, with it.
    pub(crate) fn reachable(&self, from: Oid) -> BTreeSet<Oid> {
        let mut seen = BTreeSet::from([from]);
        let mut todo = vec![from];
        while let Some(oid) = todo.pop() {
            let parents = self.commit(oid).map(|c| c.parents.as_slice()).unwrap_or_default();
            todo.extend(parents.iter().copied().filter(|parent| seen.insert(*parent)));
        }
        seen
    }

    pub(crate) fn object_ids_from(&self, low: Oid) -> impl Iterator<Item = Oid> + '_ {
        self.objects.range(low..).map(|(oid, _)| *oid)
    }

    /// Copies the objects that `other` has and this one lacks.
    pub(crate) fn take_objects(&mut self, other: &Repository) {
        for (oid, object) in &other.objects {
            if !self.objects.contains_key(oid) {
                self.objects.insert_mut(*oid, object.clone());
            }
        }
    }
}

/// Drops a file whose name is also a directory's: git's index cannot hold both.
fn merge_same_names(mut entries: Vec<TreeEntry>) -> Vec<TreeEntry> {
    let dirs: BTreeSet<Rc<str>> = entries.iter().filter(|e| e.mode == Mode::Dir).map(|e| e.name.clone()).collect();
    entries.retain(|e| e.mode == Mode::Dir || !dirs.contains(&e.name));
    entries
}
