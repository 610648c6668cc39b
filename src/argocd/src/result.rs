//! Rows of an operation's `syncResult.resources`: the only memory between two passes of a sync.

use crate::hook::SyncPhase;
use crate::object::ObjectKey;
use base::Json;
use std::rc::Rc;

/// How far an operation, or one task of it, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationPhase {
    /// Under way.
    Running,
    /// Told to end.
    Terminating,
    /// Ended well.
    Succeeded,
    /// Ended badly.
    Failed,
    /// Could not be carried out.
    Error,
}

impl OperationPhase {
    /// The word that Argo CD writes.
    pub fn text(self) -> &'static str {
        match self {
            OperationPhase::Running => "Running",
            OperationPhase::Terminating => "Terminating",
            OperationPhase::Succeeded => "Succeeded",
            OperationPhase::Failed => "Failed",
            OperationPhase::Error => "Error",
        }
    }

    /// Reads that word.
    pub fn read(text: &str) -> Option<OperationPhase> {
        use OperationPhase::{Error, Failed, Running, Succeeded, Terminating};
        [Running, Terminating, Succeeded, Failed, Error].into_iter().find(|p| p.text() == text)
    }

    /// True when nothing more happens.
    pub fn completed(self) -> bool {
        matches!(self, OperationPhase::Succeeded | OperationPhase::Failed | OperationPhase::Error)
    }
}

/// What became of one task.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultRow {
    /// The object.
    pub key: ObjectKey,
    /// Its API version without the group.
    pub version: Rc<str>,
    /// Phase of the sync.
    pub sync_phase: SyncPhase,
    /// True when it is a hook.
    pub hook: bool,
    /// `Synced`, `SyncFailed`, `Pruned` or `PruneSkipped`; may be empty.
    pub status: Rc<str>,
    /// How far the task is; `None` for one that the sync never came to.
    pub phase: Option<OperationPhase>,
    /// kubectl's line, a health message, or an error.
    pub message: Rc<str>,
    /// Images of a workload.
    pub images: Vec<Rc<str>>,
}

impl ResultRow {
    /// Reads a row of a stored result.
    pub fn read(row: &Json) -> Option<ResultRow> {
        Some(ResultRow {
            key: ObjectKey {
                group: row.text_at(&["group"]).into(),
                kind: row.text_at(&["kind"]).into(),
                namespace: row.text_at(&["namespace"]).into(),
                name: row.text_at(&["name"]).into(),
            },
            version: row.text_at(&["version"]).into(),
            sync_phase: SyncPhase::read(row.text_at(&["syncPhase"]))?,
            hook: row.get("hookType").is_some(),
            status: row.text_at(&["status"]).into(),
            phase: OperationPhase::read(row.text_at(&["hookPhase"])),
            message: row.text_at(&["message"]).into(),
            images: row.items_at(&["images"]).iter().filter_map(Json::as_str).map(Rc::from).collect(),
        })
    }

    /// The row as Argo CD stores it.
    pub fn to_json(&self) -> Json {
        let mut row = Json::map([
            ("group", Json::Str(self.key.group.clone())),
            ("version", Json::Str(self.version.clone())),
            ("kind", Json::Str(self.key.kind.clone())),
            ("namespace", Json::Str(self.key.namespace.clone())),
            ("name", Json::Str(self.key.name.clone())),
            ("syncPhase", self.sync_phase.text().into()),
        ]);
        let mut set = |key: &str, value: Json| row.set(&[key], value);
        if let Some(phase) = self.phase {
            set("hookPhase", phase.text().into());
        }
        if !self.status.is_empty() {
            set("status", Json::Str(self.status.clone()));
        }
        if !self.message.is_empty() {
            set("message", Json::Str(self.message.clone()));
        }
        if self.hook {
            set("hookType", self.sync_phase.text().into());
        }
        if !self.images.is_empty() {
            set("images", Json::list(self.images.iter().cloned().map(Json::Str)));
        }
        row
    }

    /// True for the row of this task.
    pub fn is(&self, key: &ObjectKey, phase: SyncPhase) -> bool {
        self.sync_phase == phase && self.key == *key
    }
}
