//! What a person asks of Argo CD's API server: sync, rollback, terminate. Refusals have its words.

use crate::application::{Application, Source};
use crate::controller::Controller;
use crate::patch;
use crate::repo::Repositories;
use crate::several;
use base::{Json, Time};
use cluster::Cluster;
use std::rc::Rc;

/// Component of events by the API server.
const SERVER: &str = "argocd-server";

/// The flags of `argocd app sync`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncRequest {
    /// Delete objects that left the source.
    pub prune: bool,
    /// Change nothing.
    pub dry_run: bool,
    /// Delete and create again where an object cannot be changed.
    pub force: bool,
    /// `--strategy apply`: run no hooks.
    pub apply_only: bool,
    /// A revision other than the Application's; empty for that.
    pub revision: Rc<str>,
    /// Sync options in place of the Application's; empty for those.
    pub options: Vec<Rc<str>>,
    /// Only these, as (group, kind, name).
    pub resources: Vec<(Rc<str>, Rc<str>, Rc<str>)>,
}

impl Controller {
    /// `argocd app sync`: a user starts an operation. The error has the API server's words.
    pub fn sync(
        &mut self,
        name: &str,
        user: &str,
        prune: bool,
        cluster: &mut Cluster,
        repositories: &dyn Repositories,
        now: Time,
    ) -> Result<(), String> {
        let request = SyncRequest { prune, ..SyncRequest::default() };
        self.sync_with(name, user, &request, cluster, repositories, now)
    }

    /// `argocd app sync` with its flags. The error has the API server's words.
    pub fn sync_with(
        &mut self,
        name: &str,
        user: &str,
        request: &SyncRequest,
        cluster: &mut Cluster,
        repositories: &dyn Repositories,
        now: Time,
    ) -> Result<(), String> {
        let app = self.asked(name, cluster)?;
        let sources = &app.spec.sources;
        let target = &several::targets(sources);
        if app.spec.automated.is_some()
            && !request.dry_run
            && !request.revision.is_empty()
            && request.revision != *target
        {
            let shown: &str = if target.is_empty() { "HEAD" } else { target };
            return Err(precondition(&format!(
                "Cannot sync to {}: auto-sync currently set to {shown}",
                request.revision
            )));
        }
        let asked = if request.revision.is_empty() { target } else { &request.revision };
        let mut commits = Vec::new();
        for (source, asked) in sources.iter().zip(several::parts(asked)) {
            let resolved = self.repo.resolve(repositories, &source.repo_url, asked, now, true);
            commits.push(resolved.map_err(|e| precondition(&format!("error resolving repo revision: {e}")))?);
        }
        let revision = several::joined(commits.iter().map(|c| &**c));
        let [wanted, source] = several::wanted(app.spec.multi_source, sources, &revision);
        let options = if request.options.is_empty() { &app.spec.sync_options } else { &request.options };
        let force = patch::without_empty([("force", Json::Bool(request.force))]);
        let strategy = if request.apply_only { "apply" } else { "hook" };
        let selection = self.selection(&app, request);
        if selection.is_empty() && !request.resources.is_empty() {
            return Err("No matching resources found".to_string());
        }
        let partial = if selection.is_empty() { "" } else { "partial " };
        let sync = patch::without_empty([
            wanted,
            ("prune", Json::Bool(request.prune)),
            ("dryRun", Json::Bool(request.dry_run)),
            source,
            ("syncOptions", Json::list(options.iter().cloned().map(Json::Str))),
            ("syncStrategy", Json::map([(strategy, force)])),
            ("resources", Json::list(selection)),
        ]);
        let retry = app.spec.retry.clone().unwrap_or_else(|| Json::Map(Rc::default()));
        self.start(&app, user, sync, retry, cluster);
        let text = match *asked == revision {
            true => format!("{user} initiated {partial}sync to {revision}"),
            false => format!("{user} initiated {partial}sync to {asked} ({revision})"),
        };
        self.event(&app, false, "OperationStarted", &text, SERVER, cluster, now);
        Ok(())
    }

    /// `argocd app rollback`: goes back to an entry of the history. The error has the words of the client or the API
    /// server.
    pub fn rollback(
        &mut self,
        name: &str,
        user: &str,
        id: i64,
        cluster: &mut Cluster,
        now: Time,
    ) -> Result<(), String> {
        let app =
            self.application(name, cluster).ok_or_else(|| format!("applications.argoproj.io \"{name}\" not found"))?;
        let entries = app.status().items_at(&["history"]);
        let Some(entry) = entries.iter().find(|e| e.int_at(&["id"]) == Some(id)) else {
            return Err(format!("application '{name}' does not have deployment id '{id}' in history"));
        };
        let app = self.asked(name, cluster)?;
        if app.spec.automated.is_some() {
            return Err(precondition("rollback cannot be initiated when auto-sync is enabled"));
        }
        let sources: Vec<Source> = match app.spec.multi_source {
            true => entry.items_at(&["sources"]).iter().map(Source::read).collect(),
            false => vec![Source::read(entry.get("source").unwrap_or(&Json::Null))],
        };
        let [wanted, source] = several::wanted(app.spec.multi_source, &sources, &several::revision_of(entry));
        let sync = patch::without_empty([
            wanted,
            source,
            ("syncOptions", Json::list(app.spec.sync_options.iter().cloned().map(Json::Str))),
            ("syncStrategy", Json::map([("apply", Json::Map(Rc::default()))])),
        ]);
        self.start(&app, user, sync, Json::Map(Rc::default()), cluster);
        let text = format!("{user} initiated rollback to {id}");
        self.event(&app, false, "OperationStarted", &text, SERVER, cluster, now);
        Ok(())
    }

    /// `argocd app terminate-op`. The error has the API server's words.
    pub fn terminate(&mut self, name: &str, user: &str, cluster: &mut Cluster, now: Time) -> Result<(), String> {
        let app =
            self.application(name, cluster).ok_or_else(|| format!("applications.argoproj.io \"{name}\" not found"))?;
        if app.operation().is_none() || app.status().get("operationState").is_none() {
            return Err("rpc error: code = InvalidArgument desc = Unable to terminate operation. No operation is in \
                        progress"
                .to_string());
        }
        let state = Json::map([("phase", Json::from("Terminating"))]);
        let change = Json::map([("status", Json::map([("operationState", state)]))]);
        self.patch_application(name, &change, cluster);
        let text = format!("{user} terminated running operation");
        self.event(&app, false, "ResourceUpdated", &text, SERVER, cluster, now);
        Ok(())
    }

    /// The Application of a request that would start an operation, unless one is under way.
    fn asked(&self, name: &str, cluster: &Cluster) -> Result<Application, String> {
        let app =
            self.application(name, cluster).ok_or_else(|| format!("applications.argoproj.io \"{name}\" not found"))?;
        if app.operation().is_some() {
            return Err(precondition("another operation is already in progress"));
        }
        if app.object.at(&["metadata", "deletionTimestamp"]).is_some() {
            return Err(precondition("application is deleting"));
        }
        Ok(app)
    }

    /// The client looks up which namespaces the wanted resources have.
    fn selection(&self, app: &Application, request: &SyncRequest) -> Vec<Json> {
        let mut out = Vec::new();
        for entry in app.status().items_at(&["resources"]) {
            let same = |key: &str, wanted: &str| wanted == "*" || entry.text_at(&[key]) == wanted;
            let fits = |(group, kind, name): &(Rc<str>, Rc<str>, Rc<str>)| {
                same("group", group) && same("kind", kind) && same("name", name)
            };
            if request.resources.iter().any(fits) {
                let part = |key: &str| entry.get(key).cloned().unwrap_or_default();
                out.push(patch::without_empty([
                    ("group", part("group")),
                    ("kind", part("kind")),
                    ("name", part("name")),
                    ("namespace", part("namespace")),
                ]));
            }
        }
        out
    }

    fn start(&mut self, app: &Application, user: &str, sync: Json, retry: Json, cluster: &mut Cluster) {
        let by = Json::map([("username", Json::from(user))]);
        let op = Json::map([("initiatedBy", by), ("retry", retry), ("sync", sync)]);
        self.set_operation(app, &op, cluster);
    }
}

fn precondition(text: &str) -> String {
    format!("rpc error: code = FailedPrecondition desc = {text}")
}
