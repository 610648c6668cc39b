//! ApplicationSets: generated Applications are made, kept as the template wants them, and deleted when nothing
//! generates them any more.

use crate::application::{ARGOCD_NAMESPACE, REFRESH_ANNOTATION};
use crate::controller::Controller;
use crate::generators::{Sight, render};
use crate::patch;
use crate::repo::Repositories;
use base::{Json, Time};
use cluster::{Change, ChangeType, Cluster, ObjectRef, Propagation, Writer};
use std::rc::Rc;

const GROUP: &str = "argoproj.io";
const KIND: &str = "ApplicationSet";
const MANAGER: &str = "argocd-applicationset-controller";
const FINALIZER: &str = "resources-finalizer.argocd.argoproj.io";
/// Milliseconds from a change until the set is looked at.
const DELAY: i64 = 100;
/// The same after a generated Application was changed.
const SHORT: i64 = 10;
/// Milliseconds between two looks at a repository unless the generator says otherwise.
const REQUEUE: i64 = 180_000;

/// Why a set gives no Applications: the reason of its condition, and the words.
struct Refusal {
    reason: &'static str,
    message: String,
    generated: bool,
}

impl Controller {
    /// An ApplicationSet changed, or an Application that one owns.
    pub(crate) fn set_changed(&mut self, change: &Change, now: Time) {
        let object = if change.object.is_null() { &change.before } else { &change.object };
        if object.text_at(&["kind"]) == KIND {
            let name: Rc<str> = object.text_at(&["metadata", "name"]).into();
            if change.kind == ChangeType::Deleted {
                self.sets.remove(&name);
            } else if change.before.get("spec") != change.object.get("spec") {
                self.look_at_set(name, now + DELAY);
            }
            return;
        }
        for owner in object.items_at(&["metadata", "ownerReferences"]) {
            let wanted = |o: &Json| {
                let part = |path: &[&str]| o.at(path).cloned().unwrap_or_default();
                (part(&["spec"]), part(&["metadata", "labels"]), part(&["metadata", "annotations"]))
            };
            let touched = change.kind == ChangeType::Deleted || wanted(&change.before) != wanted(&change.object);
            if owner.text_at(&["kind"]) == KIND && change.kind != ChangeType::Added && touched {
                self.look_at_set(owner.text_at(&["name"]).into(), now + SHORT);
            }
        }
    }

    fn look_at_set(&mut self, name: Rc<str>, at: Time) {
        let due = self.sets.get(&name).map_or(at, |had| at.min(*had));
        self.sets.insert(name, due);
    }

    /// The set that is due next.
    pub(crate) fn next_set(&self) -> Option<(Time, Rc<str>)> {
        self.sets.iter().map(|(name, at)| (*at, name.clone())).min()
    }

    /// Looks at one set: makes, changes and deletes Applications.
    pub(crate) fn sync_set(
        &mut self,
        name: &Rc<str>,
        cluster: &mut Cluster,
        repositories: &dyn Repositories,
        now: Time,
    ) {
        self.sets.remove(name);
        let at = ObjectRef::new(GROUP, KIND, ARGOCD_NAMESPACE, name);
        let Ok(set) = cluster.get(&at) else { return };
        if set.at(&["metadata", "deletionTimestamp"]).is_some() {
            return;
        }
        if let Some(period) = period(&set) {
            self.look_at_set(name.clone(), now + period);
        }
        let outcome = self.generate_applications(&set, repositories, now);
        let wanted = match &outcome {
            Ok(wanted) => wanted.clone(),
            Err(refusal) if refusal.generated => Vec::new(),
            Err(refusal) => {
                self.store_set(&set, Some(refusal), cluster, now);
                return;
            }
        };
        let policy = set.text_at(&["spec", "syncPolicy", "applicationsSync"]);
        let (updates, deletes) = match policy {
            "create-only" => (false, false),
            "create-update" => (true, false),
            "create-delete" => (false, true),
            _ => (true, true),
        };
        let owned = owned(&set, cluster);
        for object in &wanted {
            let name = object.text_at(&["metadata", "name"]);
            match owned.iter().find(|o| o.text_at(&["metadata", "name"]) == name) {
                // What the API server refuses is tried again with the next look.
                None => drop(cluster.create(object, &Writer::new(MANAGER))),
                Some(live) if updates => bring_back(object, live, cluster),
                Some(_) => {}
            }
        }
        let gone = |o: &&Json| {
            let name = o.text_at(&["metadata", "name"]);
            !wanted.iter().any(|w| w.text_at(&["metadata", "name"]) == name)
                && o.at(&["metadata", "deletionTimestamp"]).is_none()
        };
        for object in owned.iter().filter(gone).filter(|_| deletes) {
            let _ = cluster.delete(&ObjectRef::of(object), Some(Propagation::Background), &Writer::new(MANAGER));
        }
        self.store_set(&set, outcome.as_ref().err(), cluster, now);
    }

    fn generate_applications(
        &mut self,
        set: &Json,
        repositories: &dyn Repositories,
        now: Time,
    ) -> Result<Vec<Json>, Refusal> {
        let structured = set.at(&["spec", "goTemplate"]).and_then(Json::as_bool) == Some(true);
        let strict =
            set.items_at(&["spec", "goTemplateOptions"]).iter().any(|o| o.as_str() == Some("missingkey=error"));
        let refuse = |reason| move |message| Refusal { reason, message, generated: false };
        let mut sight = Sight { repo: &mut self.repo, repositories, now, structured };
        let params =
            sight.all(set.items_at(&["spec", "generators"])).map_err(refuse("ApplicationGenerationFromParamsError"))?;
        let template = set.at(&["spec", "template"]).cloned().unwrap_or_default();
        let change = set.text_at(&["spec", "templatePatch"]);
        let keep = set.at(&["spec", "syncPolicy", "preserveResourcesOnDeletion"]).and_then(Json::as_bool) == Some(true);
        let mut out: Vec<Json> = Vec::new();
        for one in &params {
            let failed = refuse("RenderTemplateParamsError");
            let mut made = render(&template, one, structured, strict).map_err(failed)?;
            if !change.is_empty() {
                let text = helm::plain::text(change, one, strict)
                    .map_err(|e| failed(format!("failed to execute go template {change}: {e}")))?;
                let extra = yaml::to_json(text.as_bytes()).map_err(|e| failed(e.converting().to_string()))?;
                if !extra.is_null() {
                    made = patch::merged(&made, &extra);
                }
            }
            out.push(complete(set, made, keep));
        }
        for (i, object) in out.iter().enumerate() {
            let name = object.text_at(&["metadata", "name"]);
            if out[..i].iter().any(|o| o.text_at(&["metadata", "name"]) == name) {
                let set = set.text_at(&["metadata", "name"]);
                let message = format!("ApplicationSet {set} contains applications with duplicate name: {name}");
                return Err(Refusal { reason: "ApplicationValidationError", message, generated: true });
            }
        }
        Ok(out)
    }

    /// Writes what came of it into the set's status.
    fn store_set(&self, set: &Json, refusal: Option<&Refusal>, cluster: &mut Cluster, now: Time) {
        let Ok(mut new) = cluster.get(&ObjectRef::of(set)) else { return };
        const DONE: &str = "All applications have been generated successfully";
        const PARAMS: &str = "Successfully generated parameters for all Applications";
        let words = refusal.map_or(DONE, |r| &r.message);
        let params = refusal.is_none_or(|r| r.generated);
        let rows = [
            ("ErrorOccurred", refusal.is_some(), refusal.map_or("ApplicationSetUpToDate", |r| r.reason), words),
            (
                "ParametersGenerated",
                params,
                if params { "ParametersGenerated" } else { "ErrorOccurred" },
                if params { PARAMS } else { words },
            ),
            (
                "ResourcesUpToDate",
                refusal.is_none(),
                if refusal.is_none() { "ApplicationSetUpToDate" } else { "ErrorOccurred" },
                words,
            ),
        ];
        let old = new.items_at(&["status", "conditions"]).to_vec();
        let conditions = rows.map(|(kind, holds, reason, message)| {
            let same = |c: &&Json| c.text_at(&["type"]) == kind && c.text_at(&["message"]) == message;
            let since = old.iter().find(same).and_then(|c| c.get("lastTransitionTime")).cloned();
            Json::map([
                ("lastTransitionTime", since.unwrap_or_else(|| Json::str(now.rfc3339()))),
                ("message", message.into()),
                ("reason", reason.into()),
                ("status", Json::from(if holds { "True" } else { "False" })),
                ("type", kind.into()),
            ])
        });
        let resources = owned(set, cluster).into_iter().map(|app| {
            let health = app.at(&["status", "health", "status"]).map(|h| Json::map([("status", h.clone())]));
            let mut row = Json::map([
                ("group", Json::from(GROUP)),
                ("health", health.unwrap_or_else(|| Json::Map(Rc::default()))),
                ("kind", "Application".into()),
                ("name", app.text_at(&["metadata", "name"]).into()),
                ("namespace", ARGOCD_NAMESPACE.into()),
                ("version", "v1alpha1".into()),
            ]);
            if let status @ ("Synced" | "OutOfSync" | "Unknown") = app.text_at(&["status", "sync", "status"]) {
                row.set(&["status"], status.into());
            }
            row
        });
        let resources: Vec<Json> = resources.collect();
        let health = if refusal.is_some() { "Degraded" } else { "Healthy" };
        let mut status = Json::map([
            ("conditions", Json::list(conditions)),
            ("health", Json::map([("message", Json::from(words)), ("status", health.into())])),
        ]);
        if !resources.is_empty() {
            status.set(&["resourcesCount"], Json::Int(resources.len() as i64));
            status.set(&["resources"], Json::list(resources));
        }
        if new.get("status") != Some(&status) {
            new.set(&["status"], status);
            let _ = cluster.update_status(&new, &Writer::new(MANAGER));
        }
    }
}

/// Milliseconds until a set looks at its repositories again; `None` when no generator needs it.
fn period(set: &Json) -> Option<i64> {
    fn of(generators: &[Json], depth: usize) -> Option<i64> {
        let each = generators.iter().filter_map(|generator| match generator.get("git") {
            Some(git) => Some(git.int_at(&["requeueAfterSeconds"]).map_or(REQUEUE, |s| s.max(1) * 1000)),
            None if depth < 4 => {
                let inner = ["matrix", "merge"].iter().find_map(|k| generator.get(k));
                inner.and_then(|inner| of(inner.items_at(&["generators"]), depth + 1))
            }
            None => None,
        });
        each.min()
    }
    of(set.items_at(&["spec", "generators"]), 0)
}

/// The Applications that a set owns, by name.
fn owned(set: &Json, cluster: &Cluster) -> Vec<Json> {
    let keys = cluster.owned_by(set.text_at(&["metadata", "uid"]));
    keys.iter().filter(|k| &*k.resource == "applications").filter_map(|k| cluster.object(k).cloned()).collect()
}

/// A rendered template as the Application that is stored.
fn complete(set: &Json, made: Json, keep: bool) -> Json {
    let part = |key: &str| made.at(&["metadata", key]).cloned().filter(|v| !v.is_null());
    let owner = Json::map([
        ("apiVersion", Json::from("argoproj.io/v1alpha1")),
        ("blockOwnerDeletion", Json::Bool(true)),
        ("controller", Json::Bool(true)),
        ("kind", KIND.into()),
        ("name", set.text_at(&["metadata", "name"]).into()),
        ("uid", set.text_at(&["metadata", "uid"]).into()),
    ]);
    let mut meta = Json::map([
        ("name", Json::from(made.text_at(&["metadata", "name"]))),
        ("namespace", ARGOCD_NAMESPACE.into()),
        ("ownerReferences", Json::list([owner])),
    ]);
    for key in ["labels", "annotations"] {
        if let Some(value) = part(key) {
            meta.set(&[key], value);
        }
    }
    match part("finalizers") {
        Some(own) => meta.set(&["finalizers"], own),
        None if !keep => meta.set(&["finalizers"], Json::list([FINALIZER.into()])),
        None => {}
    }
    const STATUS: &str = r#"{"health":{},"sourceHydrator":{},"summary":{},"sync":{"comparedTo":{"destination":{},"source":{"repoURL":""}},"status":""}}"#;
    Json::map([
        ("apiVersion", "argoproj.io/v1alpha1".into()),
        ("kind", "Application".into()),
        ("metadata", meta),
        ("spec", made.get("spec").cloned().unwrap_or_default()),
        ("status", Json::parse(STATUS).unwrap_or_default()),
    ])
}

/// Undoes changes of a generated Application, but for what refreshes and deletions need.
fn bring_back(wanted: &Json, live: &Json, cluster: &mut Cluster) {
    let mut new = live.clone();
    new.set(&["spec"], wanted.get("spec").cloned().unwrap_or_default());
    for key in ["labels", "annotations"] {
        let mut value = wanted.at(&["metadata", key]).cloned().unwrap_or_default();
        if let Some(kept) = live.at(&["metadata", "annotations", REFRESH_ANNOTATION]).filter(|_| key == "annotations") {
            value.set(&[REFRESH_ANNOTATION], kept.clone());
        }
        if value.is_null() {
            new.remove(&["metadata", key]);
        } else {
            new.set(&["metadata", key], value);
        }
    }
    if new != *live {
        let _ = cluster.update(&new, &Writer::new(MANAGER));
    }
}
