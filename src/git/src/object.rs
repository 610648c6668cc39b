//! The four kinds of object and their encodings.

use crate::oid::Oid;
use base::Time;
use std::rc::Rc;

/// What a tree entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// A directory (`40000`).
    Dir,
    /// A regular file (`100644`).
    File,
    /// An executable file (`100755`).
    Executable,
    /// A symbolic link (`120000`); its blob holds the target.
    Link,
}

impl Mode {
    /// The octal digits that git writes in a tree.
    pub fn digits(self) -> &'static str {
        match self {
            Mode::Dir => "40000",
            Mode::File => "100644",
            Mode::Executable => "100755",
            Mode::Link => "120000",
        }
    }
}

/// One entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// What it is.
    pub mode: Mode,
    /// Its name within the tree.
    pub name: Rc<str>,
    /// The blob or tree.
    pub id: Oid,
}

/// A person and a moment, as `author` and `committer` lines hold them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Name.
    pub name: Rc<str>,
    /// E-mail address without angle brackets.
    pub email: Rc<str>,
    /// When; git keeps whole seconds.
    pub time: Time,
    /// Offset from UTC in minutes (540 is `+0900`).
    pub zone: i32,
}

impl Signature {
    /// A signature in UTC.
    pub fn new(name: impl Into<Rc<str>>, email: impl Into<Rc<str>>, time: Time) -> Signature {
        Signature { name: name.into(), email: email.into(), time, zone: 0 }
    }

    /// `name <email> seconds +zzzz`.
    pub fn text(&self) -> String {
        let (sign, zone) = if self.zone < 0 { ('-', -self.zone) } else { ('+', self.zone) };
        format!("{} <{}> {} {sign}{:02}{:02}", self.name, self.email, self.time.secs(), zone / 60, zone % 60)
    }
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The root tree.
    pub tree: Oid,
    /// Parents; the first is the branch that was committed to.
    pub parents: Vec<Oid>,
    /// Who wrote the change.
    pub author: Signature,
    /// Who made the commit.
    pub committer: Signature,
    /// The message, with its final line break.
    pub message: Rc<str>,
}

impl Commit {
    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or("")
    }
}

/// An annotated tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The tagged object, a commit in this crate.
    pub target: Oid,
    /// The tag's name.
    pub name: Rc<str>,
    /// Who tagged.
    pub tagger: Signature,
    /// The message, with its final line break.
    pub message: Rc<str>,
}

/// An object of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    /// File content.
    Blob(Rc<[u8]>),
    /// A directory, sorted as git sorts.
    Tree(Rc<Vec<TreeEntry>>),
    /// A commit.
    Commit(Rc<Commit>),
    /// An annotated tag.
    Tag(Rc<Tag>),
}

impl Object {
    /// A tree of these entries, put into git's order (a directory sorts as if its name ended in `/`).
    pub fn tree(mut entries: Vec<TreeEntry>) -> Object {
        let key = |entry: &TreeEntry| {
            let mut name = entry.name.as_bytes().to_vec();
            if entry.mode == Mode::Dir {
                name.push(b'/');
            }
            name
        };
        base::order::sort_by_key(&mut entries, key);
        Object::Tree(Rc::new(entries))
    }

    /// git's word for the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Object::Blob(_) => "blob",
            Object::Tree(_) => "tree",
            Object::Commit(_) => "commit",
            Object::Tag(_) => "tag",
        }
    }

    /// The content as git stores it (without the header).
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Object::Blob(bytes) => bytes.to_vec(),
            Object::Tree(entries) => {
                let mut out = Vec::new();
                for entry in entries.iter() {
                    out.extend_from_slice(entry.mode.digits().as_bytes());
                    out.push(b' ');
                    out.extend_from_slice(entry.name.as_bytes());
                    out.push(0);
                    out.extend_from_slice(&entry.id.0);
                }
                out
            }
            Object::Commit(commit) => {
                let mut out = format!("tree {}\n", commit.tree);
                for parent in &commit.parents {
                    out += &format!("parent {parent}\n");
                }
                out += &format!("author {}\ncommitter {}\n\n", commit.author.text(), commit.committer.text());
                out += &commit.message;
                out.into_bytes()
            }
            Object::Tag(tag) => format!(
                "object {}\ntype commit\ntag {}\ntagger {}\n\n{}",
                tag.target,
                tag.name,
                tag.tagger.text(),
                tag.message
            )
            .into_bytes(),
        }
    }

    /// The object's id.
    pub fn id(&self) -> Oid {
        match self {
            Object::Blob(bytes) => Oid::of("blob", bytes),
            _ => Oid::of(self.kind(), &self.encode()),
        }
    }
}

/// A message as `git commit -m` keeps it: no blank lines at either end, no trailing blanks, one blank line at a time,
/// and a final line break. Empty when nothing is left.
pub fn clean_message(text: &str) -> String {
    let mut out = String::new();
    let mut blank = false;
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() {
            blank = true;
            continue;
        }
        if blank && !out.is_empty() {
            out.push('\n');
        }
        blank = false;
        out.push_str(line);
        out.push('\n');
    }
    out
}
