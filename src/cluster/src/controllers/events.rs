//! Events as controllers record them: one object per thing that happens to an object, counted when it happens again.

use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::Key;
use base::{Json, hash};

impl Cluster {
    /// Records an event about an object.
    pub(crate) fn record(&mut self, about: &Json, component: &str, kind: &str, reason: &str, message: &str) {
        // Events are best effort in a cluster too.
        let _ = self.try_record(about, component, kind, reason, message);
    }

    fn try_record(
        &mut self,
        about: &Json,
        component: &str,
        kind: &str,
        reason: &str,
        message: &str,
    ) -> Result<(), Status> {
        let namespace = match about.text_at(&["metadata", "namespace"]) {
            "" => "default",
            namespace => namespace,
        };
        let (name, uid) = (about.text_at(&["metadata", "name"]), about.text_at(&["metadata", "uid"]));
        let mark = hash::hash(self.seed, &format!("{uid}/{component}"), &format!("{reason}/{message}"), 0);
        let key = Key::new("", "events", namespace, &format!("{name}.{mark:016x}"));
        let now = Json::str(self.now.rfc3339());
        if let Some(old) = self.store.get(&key).cloned() {
            let mut new = old.clone();
            new.set(&["count"], Json::Int(old.int_at(&["count"]).unwrap_or(1) + 1));
            new.set(&["lastTimestamp"], now);
            return self.controller_update(&key, new, component_manager(component), "").map(|_| ());
        }
        let object = Json::map([
            ("metadata", Json::map([("name", Json::str(key.name.clone()))])),
            (
                "involvedObject",
                Json::map([
                    ("kind", Json::str(about.text_at(&["kind"]))),
                    ("namespace", Json::str(about.text_at(&["metadata", "namespace"]))),
                    ("name", Json::str(name)),
                    ("uid", Json::str(uid)),
                    ("apiVersion", Json::str(about.text_at(&["apiVersion"]))),
                    ("resourceVersion", Json::str(about.text_at(&["metadata", "resourceVersion"]))),
                ]),
            ),
            ("reason", Json::str(reason)),
            ("message", Json::str(message)),
            ("source", Json::map([("component", Json::str(component))])),
            ("firstTimestamp", now.clone()),
            ("lastTimestamp", now),
            ("count", Json::Int(1)),
            ("type", Json::str(kind)),
            ("reportingComponent", Json::str(component)),
        ]);
        self.controller_create(key, object).map(|_| ())
    }
}

fn component_manager(component: &str) -> &'static str {
    match component {
        "kubelet" => "kubelet",
        "default-scheduler" => "kube-scheduler",
        _ => super::MANAGER,
    }
}
