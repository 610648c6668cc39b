//! ControllerRevisions: the templates that StatefulSets and DaemonSets have had.

use super::controller_reference;
use super::deployment::template_hash;
use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::Key;
use base::Json;

impl Cluster {
    /// The revision of an owner's template now: its name. Made when the template is new, moved to the end when it came
    /// back.
    pub(super) fn current_revision(&mut self, owner: &Json, label: &str) -> Result<(String, String), Status> {
        let namespace = owner.text_at(&["metadata", "namespace"]);
        let mut template = owner.at(&["spec", "template"]).cloned().unwrap_or_default();
        let hash = template_hash(&template, 0);
        template.set(&["$patch"], "replace".into());
        let mut data = Json::map::<&str>([]);
        data.set(&["spec", "template"], template);
        let all = self.revisions_of(owner);
        let last = all.iter().filter_map(|(_, r)| r.int_at(&["revision"])).max().unwrap_or(0);
        if let Some((key, found)) = all.into_iter().find(|(_, r)| r.get("data") == Some(&data)) {
            if found.int_at(&["revision"]) != Some(last) {
                let mut moved = found;
                moved.set(&["revision"], Json::Int(last + 1));
                self.controller_update(&key, moved, super::MANAGER, "")?;
            }
            return Ok((key.name.to_string(), hash));
        }
        let name = format!("{}-{hash}", owner.text_at(&["metadata", "name"]));
        let mut labels = owner.at(&["spec", "template", "metadata", "labels"]).cloned().unwrap_or_default();
        labels.set(&[label], Json::str(hash.as_str()));
        let mut metadata = Json::map([("name", Json::str(name.as_str())), ("labels", labels)]);
        if let Some(notes) = owner.at(&["metadata", "annotations"]) {
            metadata.set(&["annotations"], notes.clone());
        }
        metadata.set(&["ownerReferences"], Json::list([controller_reference(owner)]));
        let revision = Json::map([("metadata", metadata), ("data", data), ("revision", Json::Int(last + 1))]);
        self.controller_create(Key::new("apps", "controllerrevisions", namespace, &name), revision)?;
        Ok((name, hash))
    }

    /// The template of a revision.
    pub(super) fn revision_template(&self, namespace: &str, name: &str) -> Option<Json> {
        let revision = self.store.get(&Key::new("apps", "controllerrevisions", namespace, name))?;
        let mut template = revision.at(&["data", "spec", "template"]).cloned()?;
        template.remove(&["$patch"]);
        Some(template)
    }

    fn revisions_of(&self, owner: &Json) -> Vec<(Key, Json)> {
        let keys = self.store.owned_by(owner.text_at(&["metadata", "uid"])).into_iter();
        let keys = keys.filter(|key| &*key.resource == "controllerrevisions");
        keys.filter_map(|key| self.store.get(&key).cloned().map(|r| (key, r))).collect()
    }
}
