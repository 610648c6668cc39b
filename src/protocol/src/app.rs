//! Applications, their resources, and what happened to them. Status words are Argo CD's and Kubernetes' own.

use serde::{Deserialize, Serialize};

/// One Application's card: sync status, health and operation are three different things and never mixed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AppView {
    /// Name.
    pub name: String,
    /// `Synced`, `OutOfSync`, `Unknown`; empty before the first comparison.
    pub sync: String,
    /// Commit compared to; empty before the first comparison.
    pub revision: String,
    /// `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing`, `Unknown`; empty before the first.
    pub health: String,
    /// Phase of the operation: `Running`, `Succeeded`, `Failed`, `Error`, `Terminating`; empty when there was none.
    pub phase: String,
    /// Message of the operation.
    pub message: String,
    /// Commit that the operation synced or syncs to.
    pub operation_revision: String,
    /// When the operation started, in milliseconds of the clock.
    pub started: Option<u64>,
    /// When it finished.
    pub finished: Option<u64>,
    /// Conditions such as `ComparisonError`.
    pub conditions: Vec<ConditionView>,
    /// Its resources, as `status.resources` lists them, joined with the results of the last operation.
    pub resources: Vec<ResourceView>,
    /// Deployments done, oldest first.
    pub history: Vec<HistoryView>,
    /// Repository of the source.
    pub repo: String,
    /// Path of the source in the repository.
    pub path: String,
    /// Target revision of the source.
    pub target_revision: String,
    /// Destination namespace.
    pub namespace: String,
    /// Whether it syncs by itself.
    pub automated: bool,
    /// Whether it will come to rest, and if not, why and what helps.
    pub verdict: Option<crate::Message>,
    /// What the next sync would do, in order; empty when there is nothing to do or one is running.
    pub plan: Vec<PlanView>,
}

/// One task of a sync that has not run yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanView {
    /// Phase.
    pub phase: String,
    /// Wave.
    pub wave: i32,
    /// The object; hooks with a `generateName` have the name that a sync now would give them.
    pub object: crate::ObjectView,
    /// `create`, `change`, `keep`, `prune` or `hook`.
    pub action: String,
}

/// A condition of an Application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConditionView {
    /// Type, such as `ComparisonError`.
    pub kind: String,
    /// Message in Argo CD's words.
    pub message: String,
}

/// A resource of an Application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResourceView {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Sync status; empty when it has none.
    pub sync: String,
    /// Health status; empty when the kind has none.
    pub health: String,
    /// Message of its result in the last operation (`deployment.apps/x created`).
    pub message: String,
    /// Phase of the last operation in which it was handled (`PreSync`, `Sync`, …).
    pub phase: String,
    /// Its wave.
    pub wave: i32,
}

/// A finished deployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HistoryView {
    /// Number, from 0.
    pub id: u64,
    /// Commit.
    pub revision: String,
    /// When, in milliseconds of the clock.
    pub at: u64,
}

/// The resource tree of one Application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreeView {
    /// Name of the Application.
    pub app: String,
    /// Nodes with every parent before its children; the first is the Application.
    pub nodes: Vec<NodeView>,
}

/// One object in a tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeView {
    /// The object's uid.
    pub id: String,
    /// The parent's `id`; empty for the root.
    pub parent: String,
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Health status; empty when the kind has none.
    pub health: String,
    /// Sync status; empty for objects that controllers made.
    pub sync: String,
    /// One line more, such as `2/2 ready`, `Running` or `rev:1`.
    pub info: String,
    /// When it was created, in milliseconds of the clock.
    pub created: u64,
}

/// A Kubernetes event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventView {
    /// When it was last seen, in milliseconds of the clock.
    pub at: u64,
    /// `Normal` or `Warning`.
    pub kind: String,
    /// Reason, such as `ScalingReplicaSet`.
    pub reason: String,
    /// The object it is about, as `kind/name`.
    pub object: String,
    /// Namespace of that object.
    pub namespace: String,
    /// Message.
    pub message: String,
    /// How often it was seen.
    pub count: u32,
}
