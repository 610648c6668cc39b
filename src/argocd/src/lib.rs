//! Argo CD 3.5.2: Applications, comparison, health, sync. Pure: it changes a cluster only through that cluster's API,
//! and its waits are data on virtual time.
//!
//! [`Controller`] is the application controller with its repo-server. [`Controller::step`] does what is due,
//! [`Controller::next_wakeup`] says when there is more to do.

mod api;
pub mod application;
mod appset;
pub mod compare;
mod controller;
pub mod explain;
mod finalize;
mod generators;
pub mod health;
pub mod hook;
pub mod ignore;
mod jq;
mod keyed;
pub mod object;
mod operate;
pub mod operation;
pub mod order;
mod patch;
mod plan;
mod project;
mod reconcile;
mod refresh;
pub mod repo;
mod request;
pub mod result;
mod several;
pub mod source;
pub mod sync;
pub mod task;
pub mod tracking;

pub use api::{STATUS_MANAGER, SYNC_MANAGER};
pub use application::{ARGOCD_NAMESPACE, Application};
pub use compare::{Comparison, Pair, SyncStatus};
pub use controller::{Controller, Level, Release};
pub use hook::SyncPhase;
pub use object::ObjectKey;
pub use project::Project;
pub use repo::Repositories;
pub use request::SyncRequest;
pub use result::OperationPhase;
pub use sync::Wait;
pub use task::Task;
