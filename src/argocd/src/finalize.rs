//! Deletion of an Application: its delete hooks, the cascade over what it owns, and the finalizers that hold it until
//! all is done. Without `resources-finalizer.argocd.argoproj.io` the Application goes and its objects stay.

use crate::api;
use crate::application::Application;
use crate::controller::Controller;
use crate::health::{self, Status};
use crate::hook;
use crate::object::ObjectKey;
use crate::order;
use base::{Json, Time};
use cluster::{Cluster, Propagation, Writer};
use std::rc::Rc;

const CASCADE: &str = "resources-finalizer.argocd.argoproj.io";
const BACKGROUND: &str = "resources-finalizer.argocd.argoproj.io/background";
const PRE: &str = "pre-delete-finalizer.argocd.argoproj.io";
const PRE_CLEANUP: &str = "pre-delete-finalizer.argocd.argoproj.io/cleanup";
const POST: &str = "post-delete-finalizer.argocd.argoproj.io";
const POST_CLEANUP: &str = "post-delete-finalizer.argocd.argoproj.io/cleanup";
/// Field manager of delete hooks: the name of Argo CD's program.
const MANAGER: &str = "argocd";
/// Time between two passes over an Application that is being deleted, in milliseconds.
pub(crate) const FINALIZE_DELAY: i64 = 130;

/// What holds an Application whose manifests have delete hooks.
fn wanted_finalizers(targets: &[crate::source::Target]) -> Vec<&'static str> {
    let mut out = Vec::new();
    for (kind, names) in [("PreDelete", [PRE, PRE_CLEANUP]), ("PostDelete", [POST, POST_CLEANUP])] {
        if targets.iter().any(|t| hook::runs_at_deletion(&t.object, kind)) {
            out.extend(names);
        }
    }
    out
}

impl Controller {
    /// Adds the finalizers that delete hooks need.
    pub(crate) fn hold(&mut self, app: &Application, targets: &[crate::source::Target], cluster: &mut Cluster) {
        let mut all = app.object.items_at(&["metadata", "finalizers"]).to_vec();
        let had = all.len();
        for name in wanted_finalizers(targets) {
            if !all.iter().any(|f| f.as_str() == Some(name)) {
                all.push(name.into());
            }
        }
        if all.len() > had && app.object.at(&["metadata", "deletionTimestamp"]).is_none() {
            self.set_finalizers(app, all, cluster);
        }
    }

    /// Goes on with the deletion of an Application. One step a call; the first that is not finished ends it.
    pub(crate) fn finalize(&mut self, name: &Rc<str>, cluster: &mut Cluster, now: Time) {
        let Some(app) = self.application(name, cluster) else { return };
        if app.object.at(&["metadata", "deletionTimestamp"]).is_none() {
            return;
        }
        let has =
            |name: &str| app.object.items_at(&["metadata", "finalizers"]).iter().any(|f| f.as_str() == Some(name));
        let step = if has(PRE) {
            if !self.delete_hooks_done(&app, "PreDelete", cluster) {
                return;
            }
            PRE
        } else if has(CASCADE) || has(BACKGROUND) {
            if !self.cascade(&app, has(BACKGROUND), cluster) {
                return;
            }
            if has(CASCADE) { CASCADE } else { BACKGROUND }
        } else if has(POST) {
            if !self.delete_hooks_done(&app, "PostDelete", cluster) {
                return;
            }
            POST
        } else if has(PRE_CLEANUP) {
            self.clean_up(&app, "PreDelete", cluster);
            PRE_CLEANUP
        } else if has(POST_CLEANUP) {
            self.clean_up(&app, "PostDelete", cluster);
            POST_CLEANUP
        } else {
            return;
        };
        let all = app.object.items_at(&["metadata", "finalizers"]).iter();
        let kept: Vec<Json> = all.filter(|f| f.as_str() != Some(step)).cloned().collect();
        self.set_finalizers(&app, kept, cluster);
        if let Some(run) = self.runs.get_mut(name) {
            run.finalize = Some(now + FINALIZE_DELAY);
        }
    }

    fn set_finalizers(&self, app: &Application, all: Vec<Json>, cluster: &mut Cluster) {
        let value = if all.is_empty() { Json::Null } else { Json::list(all) };
        let patch = Json::map([("metadata", Json::map([("finalizers", value)]))]);
        self.patch_application(&app.name, &patch, cluster);
    }

    /// The delete hooks of one kind that the last manifests hold, in the destination namespace.
    fn hooks(&self, app: &Application, kind: &str, cluster: &Cluster) -> Vec<Json> {
        let Some(generated) = self.generated(&app.name) else { return Vec::new() };
        let place = |target: &crate::source::Target| {
            let mut object = target.object.clone();
            let key = ObjectKey::of(&object);
            if api::is_namespaced(cluster, &key.group, &key.kind) == Some(true) && key.namespace.is_empty() {
                object.set(&["metadata", "namespace"], Json::Str(app.spec.destination.namespace.clone()));
            }
            object
        };
        generated.objects.iter().filter(|t| hook::runs_at_deletion(&t.object, kind)).map(place).collect()
    }

    /// Creates missing hooks; true once none of them is on its way.
    fn delete_hooks_done(&mut self, app: &Application, kind: &str, cluster: &mut Cluster) -> bool {
        let mut waits = false;
        for target in self.hooks(app, kind, cluster) {
            match api::live(cluster, &ObjectKey::of(&target)) {
                None => {
                    // What cannot be created is tried again by the next pass.
                    let _ = cluster.create(&target, &Writer::new(MANAGER));
                    waits = true;
                }
                Some(live) => waits |= health::of(&live).is_some_and(|h| h.status == Status::Progressing),
            }
        }
        !waits
    }

    /// Deletes what the Application owns, highest wave first; true once nothing is left to delete.
    fn cascade(&mut self, app: &Application, background: bool, cluster: &mut Cluster) -> bool {
        let mut owned: Vec<(i64, ObjectKey)> = Vec::new();
        let mut leaving = false;
        for key in self.extras(&app.instance()) {
            let Some(live) = api::live(cluster, &key) else { continue };
            let itself = &*key.kind == "Application" && key.name == app.name && &*key.group == "argoproj.io";
            let keeps = match hook::tokens(&live, "argocd.argoproj.io/sync-options")
                .iter()
                .find_map(|t| t.strip_prefix("Delete="))
            {
                Some(value) => value == "false",
                None => app.spec.has_option("Delete=false"),
            };
            let helm = hook::tokens(&live, "helm.sh/resource-policy").contains(&"keep");
            if itself || keeps || helm || &*key.kind == "CustomResourceDefinition" {
                continue;
            }
            leaving |= live.at(&["metadata", "deletionTimestamp"]).is_some();
            owned.push((order::wave(&live), key));
        }
        if leaving {
            return false;
        }
        let Some(last) = owned.iter().map(|(wave, _)| *wave).max() else { return true };
        let propagation = if background { Propagation::Background } else { Propagation::Foreground };
        for (_, key) in owned.iter().filter(|(wave, _)| *wave == last) {
            // What is gone already needs no deletion.
            let _ = cluster.delete(&api::reference(key), Some(propagation), &Writer::new(MANAGER));
        }
        false
    }

    /// Deletes the hooks whose policy asks for it.
    fn clean_up(&mut self, app: &Application, kind: &str, cluster: &mut Cluster) {
        for target in self.hooks(app, kind, cluster) {
            let key = ObjectKey::of(&target);
            let Some(live) = api::live(cluster, &key) else { continue };
            let status = health::of(&live).map_or(Status::Healthy, |h| h.status);
            let wanted = match status {
                Status::Healthy => hook::DeletePolicy::HookSucceeded,
                Status::Degraded => hook::DeletePolicy::HookFailed,
                _ => continue,
            };
            if hook::delete_policies(&live).contains(&wanted) {
                let _ = cluster.delete(&api::reference(&key), Some(Propagation::Foreground), &Writer::new(MANAGER));
            }
        }
    }

    /// Takes in that an Application is being deleted.
    pub(crate) fn deletion_noticed(&mut self, name: &Rc<str>, now: Time) {
        if let Some(run) = self.runs.get_mut(name) {
            run.finalize = Some(run.finalize.map_or(now + FINALIZE_DELAY, |at| at.min(now + FINALIZE_DELAY)));
        }
    }
}
