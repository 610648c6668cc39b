//! Controllers on virtual time. Each watches changes and puts work on one queue; work runs when its time comes. Nothing
//! is scheduled while nothing can happen.

mod autoscaler;
mod budget;
mod claim;
mod container;
mod daemon_set;
mod deployment;
mod deployment_status;
mod endpoints;
mod events;
mod garbage;
mod job;
mod job_status;
mod namespace;
mod pod_status;
mod pods;
mod queue;
mod replica_set;
mod revision;
mod stateful_set;

pub(crate) use autoscaler::Recommended;
pub use container::Log;
pub(crate) use job::Failures;
pub(crate) use pods::PodRun;
pub(crate) use queue::{Queue, Work};

use crate::cluster::Cluster;
use crate::serve::Context;
use crate::status::Status;
use crate::store::{Change, ChangeType, Key};
use base::Json;

/// Milliseconds from a change until a controller has seen it and acts.
const LAG: i64 = 10;

/// The field manager of the built-in controllers.
const MANAGER: &str = "kube-controller-manager";

impl Cluster {
    /// What a cluster has before anybody uses it.
    pub(crate) fn boot(&mut self) {
        let object = |kind: &str, name: &str| {
            let metadata = Json::map([("name", Json::str(name))]);
            Json::map([("apiVersion", Json::str("v1")), ("kind", Json::str(kind)), ("metadata", metadata)])
        };
        let writer = crate::Writer::new("kube-apiserver");
        for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
            // Creation in an empty store cannot fail.
            let _ = self.create(&object("Namespace", name), &writer);
        }
        let _ = self.create(&object("Node", pods::NODE), &writer);
        self.step(self.now + 1000);
    }

    /// Looks at what changed since the last call and schedules who cares.
    pub(crate) fn wake(&mut self) {
        let changes: Vec<Change> = self.store.changes_since(self.queue.seen()).cloned().collect();
        self.queue.saw(self.store.version());
        for change in &changes {
            self.notice(change);
        }
    }

    fn notice(&mut self, change: &Change) {
        let (now, key) = (self.now, &change.key);
        let soon = now + LAG;
        let gone = change.kind == ChangeType::Deleted;
        match (&*key.group, &*key.resource) {
            ("", "namespaces") if !gone => self.queue.add(soon, Work::Namespace(key.name.clone())),
            // A namespace that is being deleted is looked at again after its own time only.
            ("", "serviceaccounts" | "configmaps") if gone && !self.terminating(&key.namespace) => {
                self.queue.add(soon, Work::Namespace(key.namespace.clone()));
            }
            ("apps", "deployments") if !gone => self.queue.add(soon, Work::Deployment(key.clone())),
            ("apps", "replicasets") if !gone => self.queue.add(soon, Work::ReplicaSet(key.clone())),
            ("apps", "statefulsets") if !gone => self.queue.add(soon, Work::StatefulSet(key.clone())),
            ("apps", "daemonsets") if !gone => self.queue.add(soon, Work::DaemonSet(key.clone())),
            ("", "services") => self.queue.add(soon, Work::Endpoints(key.clone())),
            ("", "pods") => {
                self.notice_pod(change);
                self.notice_endpoint(change);
                self.notice_budgets(change);
                if gone {
                    self.free_claims(&change.object);
                }
            }
            ("", "persistentvolumeclaims") => self.notice_claim(change),
            ("policy", "poddisruptionbudgets") if !gone => self.queue.add(soon, Work::Budget(key.clone())),
            ("batch", "jobs") => self.notice_job(change),
            ("autoscaling", "horizontalpodautoscalers") => {
                self.notice_autoscaler(key, change.kind == ChangeType::Added);
            }
            _ => {}
        }
        for (owner, controls) in owners(&change.object) {
            let Some(owner_key) = self.store.key_of_uid(&owner).cloned() else { continue };
            match (&*owner_key.group, &*owner_key.resource, controls) {
                ("apps", "deployments", true) => self.queue.add(soon, Work::Deployment(owner_key)),
                ("apps", "replicasets", true) => self.queue.add(soon, Work::ReplicaSet(owner_key)),
                ("apps", "statefulsets", true) => self.queue.add(soon, Work::StatefulSet(owner_key)),
                ("apps", "daemonsets", true) => self.queue.add(soon, Work::DaemonSet(owner_key)),
                ("batch", "jobs", true) => self.queue.add(now + job::BATCH, Work::Job(owner_key)),
                _ if gone => self.queue.add(soon, Work::Finalize(owner_key)),
                _ => {}
            }
        }
        if gone {
            let uid = change.object.text_at(&["metadata", "uid"]);
            if !self.store.owned_by(uid).is_empty() {
                self.queue.add(now + 2 * LAG, Work::Orphaned(uid.into()));
            }
            for (owner, _) in owners(&change.object) {
                if let Some(owner) = self.store.key_of_uid(&owner).cloned() {
                    self.queue.add(soon, Work::Finalize(owner));
                }
            }
        } else {
            let held = |f: &Json| matches!(f.as_str(), Some("foregroundDeletion" | "orphan"));
            if change.object.at(&["metadata", "deletionTimestamp"]).is_some()
                && change.object.items_at(&["metadata", "finalizers"]).iter().any(held)
            {
                self.queue.add(soon, Work::Finalize(key.clone()));
            }
            if change.kind == ChangeType::Added && !change.object.items_at(&["metadata", "ownerReferences"]).is_empty()
            {
                self.queue.add(now + 2 * LAG, Work::Owners(key.clone()));
            }
        }
    }

    /// Runs one piece of work. A conflict or a vanished object ends it: the change that caused it has woken it again.
    ///
    /// Each controller stays a function of its own (`#[inline(never)]`), so that a first visit fetches only those that run.
    pub(crate) fn work(&mut self, work: Work) {
        let result = match &work {
            Work::Namespace(name) => self.sync_namespace(name),
            Work::NamespaceRest(name) => self.end_namespace(name),
            Work::Deployment(key) => self.sync_deployment(key),
            Work::ReplicaSet(key) => self.sync_replica_set(key),
            Work::PodBind(key) => self.bind_pod(key),
            Work::PodStart(key) => self.start_pod(key),
            Work::PodTick(key) => self.tick_pod(key),
            Work::StatefulSet(key) => self.sync_stateful_set(key),
            Work::DaemonSet(key) => self.sync_daemon_set(key),
            Work::Endpoints(key) => self.sync_endpoints(key),
            Work::Claim(key) => self.sync_claim(key),
            Work::Budget(key) => self.sync_budget(key),
            Work::Autoscaler(key) => self.sync_autoscaler(key),
            Work::Job(key) => self.sync_job(key),
            Work::PodRelease(key) => self.release_pod(key),
            Work::PodStop(key) => self.stop_pod(key),
            Work::Orphaned(uid) => self.collect_orphaned(uid),
            Work::Owners(key) => self.check_owners(key),
            Work::Finalize(key) => self.finalize(key),
        };
        // Controllers log and retry; here the next change wakes them.
        drop(result);
    }

    /// Writes an object back as a controller does, or its status when `subresource` says so.
    pub(crate) fn controller_update(
        &mut self,
        key: &Key,
        new: Json,
        manager: &str,
        subresource: &str,
    ) -> Result<Json, Status> {
        self.as_controller(key, manager, subresource, |cluster, context| {
            let old = cluster.existing(key)?;
            cluster.commit_update(key, &old, new, None, context)
        })
    }

    /// Creates an object as a controller does.
    pub(crate) fn controller_create(&mut self, key: Key, object: Json) -> Result<Json, Status> {
        self.as_controller(&key.clone(), MANAGER, "", |cluster, context| {
            cluster.create_object(key, object, context).map(|(_, object)| object)
        })
    }

    fn as_controller<T>(
        &mut self,
        key: &Key,
        manager: &str,
        subresource: &str,
        act: impl FnOnce(&mut Cluster, &mut Context<'_>) -> Result<T, Status>,
    ) -> Result<T, Status> {
        let resource = self.kinds.plural(&key.group, &key.resource).cloned();
        let resource = resource.ok_or_else(|| Status::not_found(&key.group, &key.resource, &key.name))?;
        let mut warnings = Vec::new();
        let mut context = Context {
            resource: &resource,
            manager: manager.to_string(),
            subresource,
            dry_run: false,
            warnings: &mut warnings,
            field_validation: "Ignore",
            applied: None,
        };
        act(self, &mut context)
    }
}

/// Uids of an object's owners, and whether each is its controller.
pub(crate) fn owners(object: &Json) -> Vec<(String, bool)> {
    let references = object.items_at(&["metadata", "ownerReferences"]).iter();
    references
        .map(|r| (r.text_at(&["uid"]).to_string(), r.get("controller").and_then(Json::as_bool) == Some(true)))
        .collect()
}

/// The ownerReference by which a controller owns what it makes.
pub(crate) fn controller_reference(owner: &Json) -> Json {
    Json::map([
        ("apiVersion", Json::str(owner.text_at(&["apiVersion"]))),
        ("kind", Json::str(owner.text_at(&["kind"]))),
        ("name", Json::str(owner.text_at(&["metadata", "name"]))),
        ("uid", Json::str(owner.text_at(&["metadata", "uid"]))),
        ("controller", Json::Bool(true)),
        ("blockOwnerDeletion", Json::Bool(true)),
    ])
}
