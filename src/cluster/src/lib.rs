//! A tiny Kubernetes 1.36: API semantics and controllers on virtual time.
//!
//! A [`Cluster`] is plain persistent data: cloning it is a snapshot. Requests change it at once ([`Cluster::request`] and
//! the typed shortcuts); controllers act only when time is moved ([`Cluster::step`]). Everything that looks random (uids,
//! name suffixes, addresses) is a function of the seed and of what asks for it.

mod advice;
pub mod api;
pub mod apply;
mod client;
mod cluster;
mod controllers;
mod defaults;
mod fields;
mod kinds;
mod managed;
mod metadata;
mod patch;
mod pod_template;
mod quantity;
pub mod registry;
mod request;
mod rules;
mod schema;
mod selector;
mod serve;
mod shell;
mod status;
mod store;
mod structural;
mod typed;
mod validate;

pub use client::{ObjectRef, Propagation, Writer};
pub use cluster::Cluster;
pub use controllers::Log;
pub use kinds::{CustomResource, Resource};
pub use request::{PatchType, Request, Response, Verb};
pub use schema::as_typed;
pub use status::{Cause, Status};
pub use store::{Change, ChangeType, Key};
