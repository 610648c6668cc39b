//! The registry and what its images do: a table that is part of the cluster's state. Images that nobody declared exist,
//! are pulled and serve; a few base images end at once, as they do without a command.

use base::{Json, hash};
use rpds::RedBlackTreeMap;
use std::rc::Rc;

/// What the program of an image does when no command replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Runs on and serves this many seconds after its start.
    Serves {
        /// Seconds from start to readiness.
        after: i64,
    },
    /// Runs on and never becomes ready.
    NeverReady,
    /// Ends by itself.
    Exits {
        /// Seconds from start to end.
        after: i64,
        /// Exit code.
        code: i64,
        /// What it prints before it ends.
        log: Rc<str>,
    },
    /// The registry has no such image: `ErrImagePull`, then `ImagePullBackOff`.
    Absent,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The digest that the tag points to, such as `sha256:…`.
    pub digest: Rc<str>,
    /// What it does.
    pub behaviour: Behaviour,
}

/// Images by reference (`nginx:1.27`) or by repository (`nginx`: all tags that have no line of their own).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registry {
    images: RedBlackTreeMap<Rc<str>, Image>,
}

/// Images whose program is a shell without input: it ends at once.
const SHELLS: &[&str] = &["busybox", "alpine", "ubuntu", "debian", "bash", "hello-world"];

impl Registry {
    /// Puts an image into the table, or changes it; a new digest moves the tag.
    pub fn set(&mut self, reference: &str, image: Image) {
        self.images.insert_mut(short(reference).into(), image);
    }

    /// Sets what an image does and keeps its digest.
    pub fn set_behaviour(&mut self, reference: &str, behaviour: Behaviour) {
        let digest = self.image(reference).digest;
        self.set(reference, Image { digest, behaviour });
    }

    /// Takes an image out of the table, so that it behaves as one that nobody declared.
    pub fn forget(&mut self, reference: &str) {
        self.images.remove_mut(short(reference));
    }

    /// The declared images, sorted by reference.
    pub fn images(&self) -> impl Iterator<Item = (&Rc<str>, &Image)> {
        self.images.iter()
    }

    /// What a reference stands for.
    pub fn image(&self, reference: &str) -> Image {
        let name = short(reference);
        if let Some(image) = self.images.get(name).or_else(|| self.images.get(repository(name))) {
            return image.clone();
        }
        let base = repository(name);
        let behaviour = if SHELLS.contains(&base) {
            Behaviour::Exits { after: 0, code: 0, log: "".into() }
        } else {
            Behaviour::Serves { after: 0 }
        };
        Image { digest: digest(name), behaviour }
    }

    /// The table as JSON: reference → `{digest, behaviour, …}`.
    pub fn to_json(&self) -> Json {
        Json::map(self.images.iter().map(|(name, image)| (name.clone(), image.to_json())))
    }
}

impl Image {
    fn to_json(&self) -> Json {
        let mut out = Json::map([("digest", Json::str(self.digest.clone()))]);
        let word = match &self.behaviour {
            Behaviour::Serves { after } => {
                out.set(&["after"], Json::Int(*after));
                "serves"
            }
            Behaviour::NeverReady => "neverReady",
            Behaviour::Exits { after, code, log } => {
                out.set(&["after"], Json::Int(*after));
                out.set(&["code"], Json::Int(*code));
                out.set(&["log"], Json::str(log.clone()));
                "exits"
            }
            Behaviour::Absent => "absent",
        };
        out.set(&["behaviour"], word.into());
        out
    }
}

/// The digest that an undeclared reference has: a function of its name.
pub(crate) fn digest(reference: &str) -> Rc<str> {
    let part = |n| hash::hash(0, reference, "image digest", n);
    format!("sha256:{:016x}{:016x}{:016x}{:016x}", part(0), part(1), part(2), part(3)).into()
}

/// A reference without Docker Hub's own prefixes.
fn short(reference: &str) -> &str {
    let name = reference.strip_prefix("docker.io/").unwrap_or(reference);
    name.strip_prefix("library/").unwrap_or(name)
}

/// A reference without tag and digest.
pub(crate) fn repository(reference: &str) -> &str {
    let name = short(reference).split('@').next().unwrap_or("");
    match name.rsplit_once(':') {
        Some((base, tag)) if !tag.contains('/') => base,
        _ => name,
    }
}
