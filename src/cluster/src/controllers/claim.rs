//! Claims of volumes: bound at once to a volume made for them, protected while a pod uses them.

use super::{LAG, MANAGER, Work};
use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::{Change, ChangeType, Key};
use base::Json;

const PROTECTION: &str = "kubernetes.io/pvc-protection";
/// Milliseconds that the provisioner needs.
const PROVISION: i64 = 500;

impl Cluster {
    pub(super) fn notice_claim(&mut self, change: &Change) {
        if change.kind == ChangeType::Deleted {
            return;
        }
        let leaving = change.object.at(&["metadata", "deletionTimestamp"]).is_some();
        // The recorded cluster has no provisioner.
        let unbound = change.object.text_at(&["status", "phase"]) != "Bound" && !self.recorded_kubelet;
        if leaving {
            self.queue.add(self.now + LAG, Work::Claim(change.key.clone()));
        } else if unbound && change.kind == ChangeType::Added {
            self.queue.add(self.now + PROVISION, Work::Claim(change.key.clone()));
        }
    }

    /// A pod is gone: its claims may go too.
    pub(super) fn free_claims(&mut self, pod: &Json) {
        for volume in pod.items_at(&["spec", "volumes"]) {
            let claim = volume.text_at(&["persistentVolumeClaim", "claimName"]);
            if !claim.is_empty() {
                let key = Key::new("", "persistentvolumeclaims", pod.text_at(&["metadata", "namespace"]), claim);
                self.queue.add(self.now + LAG, Work::Claim(key));
            }
        }
    }

    #[inline(never)]
    pub(super) fn sync_claim(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut claim) = self.store.get(key).cloned() else { return Ok(()) };
        if claim.at(&["metadata", "deletionTimestamp"]).is_some() {
            let uses = |pod: &Json| {
                let mut volumes = pod.items_at(&["spec", "volumes"]).iter();
                volumes.any(|v| v.text_at(&["persistentVolumeClaim", "claimName"]) == &*key.name)
            };
            if self.store.list("", "pods", Some(&key.namespace)).any(|(_, pod)| uses(pod)) {
                return Ok(());
            }
            let all = claim.items_at(&["metadata", "finalizers"]);
            let kept: Vec<Json> = all.iter().filter(|f| f.as_str() != Some(PROTECTION)).cloned().collect();
            if kept.is_empty() {
                claim.remove(&["metadata", "finalizers"]);
            } else {
                claim.set(&["metadata", "finalizers"], Json::list(kept));
            }
            return self.controller_update(key, claim, MANAGER, "").map(|_| ());
        }
        if self.recorded_kubelet || claim.text_at(&["status", "phase"]) == "Bound" {
            return Ok(());
        }
        self.bind_claim(key, claim)
    }

    /// Makes a volume for a claim and binds the two.
    fn bind_claim(&mut self, key: &Key, mut claim: Json) -> Result<(), Status> {
        let uid = claim.text_at(&["metadata", "uid"]).to_string();
        let name = format!("pvc-{uid}");
        let storage = claim.at(&["spec", "resources", "requests", "storage"]).cloned().unwrap_or_else(|| "1Gi".into());
        let modes = claim.at(&["spec", "accessModes"]).cloned().unwrap_or_else(|| Json::list([]));
        let reference = Json::map([
            ("kind", Json::str("PersistentVolumeClaim")),
            ("apiVersion", "v1".into()),
            ("namespace", Json::str(key.namespace.clone())),
            ("name", Json::str(key.name.clone())),
            ("uid", Json::str(uid)),
        ]);
        let capacity = Json::map([("storage", storage)]);
        let spec = Json::map([
            ("capacity", capacity.clone()),
            ("accessModes", modes.clone()),
            ("claimRef", reference),
            ("persistentVolumeReclaimPolicy", "Delete".into()),
            ("storageClassName", Json::str(claim.text_at(&["spec", "storageClassName"]))),
            ("hostPath", Json::map([("path", Json::str(format!("/var/lib/storage/{name}")))])),
        ]);
        let volume = Json::map([("metadata", Json::map([("name", Json::str(name.as_str()))])), ("spec", spec)]);
        let volume_key = Key::new("", "persistentvolumes", "", &name);
        self.controller_create(volume_key.clone(), volume)?;
        let mut bound = self.existing(&volume_key)?;
        bound.set(&["status", "phase"], "Bound".into());
        self.controller_update(&volume_key, bound, MANAGER, "status")?;
        claim.set(&["spec", "volumeName"], Json::str(name));
        let claim = self.controller_update(key, claim, MANAGER, "")?;
        let mut bound = claim;
        bound.set(&["status", "phase"], "Bound".into());
        bound.set(&["status", "accessModes"], modes);
        bound.set(&["status", "capacity"], capacity);
        self.controller_update(key, bound, MANAGER, "status").map(|_| ())
    }
}
