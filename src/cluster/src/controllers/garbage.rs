//! The garbage collector: dependents of owners that are gone, and the finalizers `foregroundDeletion` and `orphan`.

use super::{LAG, MANAGER, Work, owners};
use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::Key;
use base::Json;

impl Cluster {
    /// Deletes the dependents of an owner that is gone, or frees them of it when another owner is left.
    #[inline(never)]
    pub(crate) fn collect_orphaned(&mut self, uid: &str) -> Result<(), Status> {
        for key in self.store.owned_by(uid) {
            self.check_owners(&key)?;
        }
        Ok(())
    }

    /// Deletes an object none of whose owners exist; drops references to those that do not.
    #[inline(never)]
    pub(crate) fn check_owners(&mut self, key: &Key) -> Result<(), Status> {
        let Some(object) = self.store.get(key).cloned() else { return Ok(()) };
        let all = owners(&object);
        if all.is_empty() || object.at(&["metadata", "deletionTimestamp"]).is_some() {
            return Ok(());
        }
        let alive = |uid: &str| self.store.key_of_uid(uid).is_some();
        if all.iter().any(|(uid, _)| alive(uid)) {
            if all.iter().all(|(uid, _)| alive(uid)) {
                return Ok(());
            }
            let references = object.items_at(&["metadata", "ownerReferences"]).iter();
            let kept = Json::list(references.filter(|r| alive(r.text_at(&["uid"]))).cloned());
            let mut new = object.clone();
            new.set(&["metadata", "ownerReferences"], kept);
            return self.controller_update(key, new, MANAGER, "").map(|_| ());
        }
        self.begin_delete(key, "Background", None);
        Ok(())
    }

    /// Works on an object that waits for its dependents, or for letting them go.
    #[inline(never)]
    pub(crate) fn finalize(&mut self, key: &Key) -> Result<(), Status> {
        let Some(object) = self.store.get(key).cloned() else { return Ok(()) };
        if object.at(&["metadata", "deletionTimestamp"]).is_none() {
            return Ok(());
        }
        let has = |name: &str| object.items_at(&["metadata", "finalizers"]).iter().any(|f| f.as_str() == Some(name));
        let uid = object.text_at(&["metadata", "uid"]).to_string();
        let dependents = self.store.owned_by(&uid);
        if has("orphan") {
            for dependent in dependents {
                let Some(mut free) = self.store.get(&dependent).cloned() else { continue };
                let references = free.items_at(&["metadata", "ownerReferences"]).iter();
                let kept: Vec<Json> = references.filter(|r| r.text_at(&["uid"]) != uid).cloned().collect();
                if kept.is_empty() {
                    free.remove(&["metadata", "ownerReferences"]);
                } else {
                    free.set(&["metadata", "ownerReferences"], Json::list(kept));
                }
                self.controller_update(&dependent, free, MANAGER, "")?;
            }
            return self.drop_finalizer(key, "orphan");
        }
        if has("foregroundDeletion") {
            let mut blocked = false;
            for dependent in dependents {
                let Some(below) = self.store.get(&dependent) else { continue };
                let references = below.items_at(&["metadata", "ownerReferences"]).iter();
                let blocks = references
                    .filter(|r| r.text_at(&["uid"]) == uid)
                    .any(|r| r.get("blockOwnerDeletion").and_then(Json::as_bool) == Some(true));
                blocked |= blocks;
                if below.at(&["metadata", "deletionTimestamp"]).is_none() {
                    // What has dependents of its own waits for them in turn.
                    let policy = if self.store.owned_by(below.text_at(&["metadata", "uid"])).is_empty() {
                        "Background"
                    } else {
                        "Foreground"
                    };
                    self.begin_delete(&dependent, policy, None);
                }
            }
            let left = self.store.owned_by(&uid);
            if !blocked || left.is_empty() {
                return self.drop_finalizer(key, "foregroundDeletion");
            }
            if left.iter().all(|key| self.store.get(key).is_none()) {
                self.queue.add(self.now + LAG, Work::Finalize(key.clone()));
            }
        }
        Ok(())
    }

    fn drop_finalizer(&mut self, key: &Key, name: &str) -> Result<(), Status> {
        let mut new = self.existing(key)?;
        let all = new.items_at(&["metadata", "finalizers"]).iter();
        let kept: Vec<Json> = all.filter(|f| f.as_str() != Some(name)).cloned().collect();
        if kept.is_empty() {
            new.remove(&["metadata", "finalizers"]);
        } else {
            new.set(&["metadata", "finalizers"], Json::list(kept));
        }
        self.controller_update(key, new, MANAGER, "").map(|_| ())
    }
}
