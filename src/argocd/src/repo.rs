//! The repo-server: which commit a revision means, and the manifests of a source at a commit. Both are cached as the
//! real one does: what a branch points at for three minutes, manifests by their content, failures after the third.

use crate::application::Source;
use crate::source::{self, Generated, Request};
use base::SortedMap;
use base::{MemWorld, Time};
use git::Repository;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// How long the repo-server believes what it knows about a repository's branches, in milliseconds.
pub const REVISION_CACHE: i64 = 180_000;
/// Failures of one manifest generation in a row until the failure itself is cached.
const FAILURES: u32 = 3;
/// Cached manifest generations; the cache is emptied beyond.
const MANIFESTS: usize = 256;

/// Where repositories are found by the URL that an Application names.
pub trait Repositories {
    /// The repository behind a URL, `None` when there is none.
    fn repository(&self, url: &str) -> Option<&Repository>;
}

impl Repositories for SortedMap<Rc<str>, Repository> {
    fn repository(&self, url: &str) -> Option<&Repository> {
        self.get(url)
    }
}

/// A failure of the repo-server, as gRPC carries it.
#[derive(Clone, Debug, PartialEq)]
pub struct RepoError {
    /// gRPC status: `Unknown`, `FailedPrecondition`.
    pub code: &'static str,
    /// The text.
    pub text: String,
    /// The same with places and hints, for the editor; its file is a path in the repository.
    pub diagnostic: Option<Box<base::Diagnostic>>,
}

impl RepoError {
    /// A failure of unknown kind, which is what most are.
    pub fn unknown(text: impl Into<String>) -> RepoError {
        RepoError { code: "Unknown", text: text.into(), diagnostic: None }
    }
}

impl fmt::Display for RepoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rpc error: code = {} desc = {}", self.code, self.text)
    }
}

/// What is known of a repository, and since when.
#[derive(Clone, Debug)]
struct Known {
    at: Time,
    repository: Repository,
}

/// The state of the repo-server.
#[derive(Clone, Debug, Default)]
pub struct RepoServer {
    known: SortedMap<Rc<str>, Known>,
    manifests: SortedMap<Rc<str>, Rc<Generated>>,
    failures: SortedMap<Rc<str>, (u32, RepoError)>,
    // Parsed templates by content: a pure cache, so snapshots may share it.
    session: Rc<RefCell<helm::Session>>,
}

/// The answer to a request for manifests.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The commit.
    pub revision: Rc<str>,
    /// The manifests.
    pub generated: Rc<Generated>,
}

impl RepoServer {
    /// Resolves a revision: empty means HEAD, forty hexadecimal digits mean themselves, a version constraint the highest
    /// tag that fits, else a branch, tag or abbreviated commit. `force` asks the repository even when the cache is fresh.
    pub fn resolve(
        &mut self,
        repositories: &dyn Repositories,
        url: &str,
        revision: &str,
        now: Time,
        force: bool,
    ) -> Result<Rc<str>, RepoError> {
        let fresh = self.known.get(url).is_some_and(|k| now - k.at < REVISION_CACHE);
        if force || !fresh {
            let Some(found) = repositories.repository(url) else {
                self.known.remove(url);
                return Err(RepoError::unknown("failed to list refs: repository not found"));
            };
            self.known.insert(url.into(), Known { at: now, repository: found.clone() });
        }
        let Some(known) = self.known.get(url) else {
            return Err(RepoError::unknown("failed to list refs: repository not found"));
        };
        if git::Oid::parse(revision).is_some() {
            return Ok(revision.into());
        }
        resolve_in(&known.repository, revision)
            .ok_or_else(|| RepoError::unknown(format!("unable to resolve '{revision}' to a commit SHA")))
    }

    /// When the cached branches of a repository expire.
    pub fn known_until(&self, url: &str) -> Option<Time> {
        self.known.get(url).map(|k| k.at + REVISION_CACHE)
    }

    /// The manifests of a source at a resolved revision. `hard` drops what is cached.
    pub fn manifests(
        &mut self,
        repositories: &dyn Repositories,
        source: &Source,
        revision: &str,
        request: &Request<'_>,
        hard: bool,
    ) -> Result<Answer, RepoError> {
        let key: Rc<str> = format!("{revision}\n{}\n{}", source.raw.to_raw_text(), request.key()).into();
        if hard {
            self.manifests.remove(&key);
            self.failures.remove(&key);
        }
        if let Some(generated) = self.manifests.get(&key) {
            return Ok(Answer { revision: revision.into(), generated: generated.clone() });
        }
        if let Some((count, error)) = self.failures.get(&key)
            && *count >= FAILURES
        {
            let text = format!("Manifest generation error (cached): {}", error.text);
            return Err(RepoError { code: "Unknown", text, diagnostic: error.diagnostic.clone() });
        }
        let made = self.generate(repositories, source, revision, request);
        match made {
            Ok(generated) => {
                self.failures.remove(&key);
                if self.manifests.len() >= MANIFESTS {
                    self.manifests.clear();
                }
                let generated = Rc::new(generated);
                self.manifests.insert(key, generated.clone());
                Ok(Answer { revision: revision.into(), generated })
            }
            Err(error) => {
                let count = self.failures.get(&key).map_or(0, |f| f.0) + 1;
                if self.failures.len() >= MANIFESTS {
                    self.failures.clear();
                }
                self.failures.insert(key, (count, error.clone()));
                Err(error)
            }
        }
    }

    fn generate(
        &self,
        repositories: &dyn Repositories,
        source: &Source,
        revision: &str,
        request: &Request<'_>,
    ) -> Result<Generated, RepoError> {
        let missing = || RepoError::unknown(format!("unable to resolve '{revision}' to a commit SHA"));
        let oid = git::Oid::parse(revision).ok_or_else(missing)?;
        let has = |r: &&Repository| r.commit(oid).is_some();
        let known = self.known.get(&source.repo_url).map(|k| &k.repository).filter(has);
        let repository = known.or_else(|| repositories.repository(&source.repo_url).filter(has)).ok_or_else(missing)?;
        let world = MemWorld { files: repository.files(oid), now: request.now, seed: request.seed };
        source::generate(&world, source, revision, request, &mut self.session.borrow_mut())
    }
}

fn resolve_in(repository: &Repository, revision: &str) -> Option<Rc<str>> {
    let text = |oid: git::Oid| Rc::from(oid.to_string());
    if revision.is_empty() || revision == "HEAD" {
        return repository.head_commit().map(text);
    }
    if revision.contains(['*', '^', '~', '<', '>', '=', '|', ',']) {
        let wanted = helm::semver::Constraints::parse(revision).ok()?;
        let fits = repository.tags().filter_map(|(name, oid)| {
            let version = helm::semver::Version::parse(name).ok()?;
            wanted.check(&version).then_some((version, oid))
        });
        let (_, oid) = fits.max_by(|a, b| a.0.compare(&b.0))?;
        return repository.peel(oid).map(text);
    }
    if let Some(oid) = repository.branch(revision) {
        return Some(text(oid));
    }
    if let Some((_, oid)) = repository.tags().find(|(name, _)| *name == revision) {
        return repository.peel(oid).map(text);
    }
    if let Some(oid) = repository.reference(revision) {
        return repository.peel(oid).map(text);
    }
    let short = revision.len() >= 7 && revision.bytes().all(|b| b.is_ascii_hexdigit());
    short.then(|| repository.resolve(revision).ok()).flatten().map(text)
}
