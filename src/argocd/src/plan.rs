//! What a sync would do, before it runs: the tasks of the Application's own options over the last comparison.

use crate::controller::Controller;
use crate::operate::namespace;
use crate::task::{self, Task, tasks};
use base::Time;
use cluster::Cluster;

impl Controller {
    /// The tasks of the next sync in order, as `argocd app sync` (with pruning when the automated policy prunes) would
    /// carry them out. Empty when nothing was compared yet. Names of generated hooks are those of a sync that begins at
    /// `now`.
    pub fn plan(&self, name: &str, cluster: &Cluster, now: Time) -> Vec<Task> {
        let (Some(app), Some(comparison)) = (self.application(name, cluster), self.comparison(name)) else {
            return Vec::new();
        };
        let revision = app.status().text_at(&["sync", "revision"]).to_string();
        let create = app.spec.has_option("CreateNamespace=true");
        let plan = task::Plan {
            pairs: &comparison.pairs,
            selection: &[],
            skip_hooks: false,
            prune_last: app.spec.has_option("PruneLast=true"),
            create_namespace: create.then(|| namespace(&app, comparison, cluster)).flatten(),
            revision: &revision,
            started_at: now,
            results: &[],
        };
        tasks(&plan, cluster)
    }
}
