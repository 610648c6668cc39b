//! kubectl as far as commands of the simulation need it: apply, delete, patch, scale, annotate.

use crate::command::{ApplyFrom, Command, ObjectRef, Outcome};
use crate::state::State;
use argocd::application::{ARGOCD_NAMESPACE, REFRESH_ANNOTATION};
use base::Json;
use cluster::{PatchType, Propagation, Status, Writer, apply};
use std::rc::Rc;

/// Short names of resources.
const SHORT_NAMES: [(&str, &str); 18] = [
    ("app", "applications"),
    ("apps", "applications"),
    ("appset", "applicationsets"),
    ("cm", "configmaps"),
    ("crd", "customresourcedefinitions"),
    ("deploy", "deployments"),
    ("ds", "daemonsets"),
    ("cj", "cronjobs"),
    ("hpa", "horizontalpodautoscalers"),
    ("ing", "ingresses"),
    ("netpol", "networkpolicies"),
    ("ns", "namespaces"),
    ("po", "pods"),
    ("pdb", "poddisruptionbudgets"),
    ("pvc", "persistentvolumeclaims"),
    ("rs", "replicasets"),
    ("sts", "statefulsets"),
    ("svc", "services"),
];

/// Field manager of `kubectl apply`.
const APPLY_MANAGER: &str = "kubectl-client-side-apply";

impl State {
    pub(crate) fn kubectl_command(&mut self, command: Command) -> Outcome {
        match command {
            Command::KubectlApply { from, namespace } => self.kubectl_apply(&from, namespace.as_deref()),
            Command::KubectlCreate(object) => {
                let at = ObjectRef::of(&object);
                match self.cluster.create(&object, &Writer::new("kubectl-create")) {
                    Ok(_) => Outcome::ok(format!("{}/{} created\n", resource(&at), at.name)),
                    Err(status) => server_error(&status, ""),
                }
            }
            Command::KubectlDeleteMatching { object, selector } => {
                let at = self.resolved(object);
                let found = match self.cluster.list(&at.group, &at.kind, Some(&at.namespace), &selector) {
                    Ok(found) => found,
                    Err(status) => return server_error(&status, ""),
                };
                if found.is_empty() {
                    return Outcome::ok("No resources found\n");
                }
                let mut outcome = Outcome::default();
                for object in found {
                    let one = self.kubectl_command(Command::KubectlDelete(ObjectRef::of(&object)));
                    outcome.code = outcome.code.max(one.code);
                    outcome.stdout.push_str(&one.stdout);
                    outcome.stderr.push_str(&one.stderr);
                }
                outcome
            }
            Command::KubectlLabel { object, key, value, overwrite } => {
                let object = self.resolved(object);
                let live = self.object(&object).unwrap_or_default();
                let now = live.at(&["metadata", "labels", &key]).and_then(Json::as_str);
                if let (Some(now), Some(wanted), false) = (now, &value, overwrite)
                    && *now != **wanted
                {
                    let text = format!("error: '{key}' already has a value ({now}), and --overwrite is false\n");
                    return Outcome::fail(1, text);
                }
                let mut patch = Json::Null;
                patch.set(&["metadata", "labels", &key], value.map_or(Json::Null, Json::Str));
                self.kubectl_patch(&object, "", &patch, "kubectl-label", "labeled")
            }
            Command::KubectlEdit { object, kind, patch, part, manager } => {
                let at = self.resolved(object);
                let manager = if manager.is_empty() { "kubectl-patch" } else { &manager };
                let done = if manager == "kubectl-edit" { "edited" } else { "patched" };
                match self.cluster.patch(&at.cluster(), &part, kind, &patch, &Writer::new(manager)) {
                    Ok(_) => Outcome::ok(format!("{}/{} {done}\n", resource(&at), at.name)),
                    Err(status) => server_error(&status, ""),
                }
            }
            Command::KubectlSetEnv { object, pairs } => {
                let env = |_: &str| {
                    let variable = |(name, value): &(Rc<str>, Option<Rc<str>>)| {
                        let name = ("name", Json::Str(name.clone()));
                        match value {
                            Some(value) => Json::map([name, ("value", Json::Str(value.clone()))]),
                            None => Json::map([name, ("$patch", "delete".into())]),
                        }
                    };
                    Some(("env", Json::list(pairs.iter().map(variable))))
                };
                self.kubectl_set(object, &env, "env updated")
            }
            Command::KubectlSetImage { object, pairs } => {
                let image = |container: &str| {
                    let found = pairs.iter().find(|(c, _)| **c == *container || &**c == "*")?;
                    Some(("image", Json::Str(found.1.clone())))
                };
                self.kubectl_set(object, &image, "image updated")
            }
            Command::KubectlDelete(at) => {
                let at = self.resolved(at);
                let done = self.cluster.delete(&at.cluster(), Some(Propagation::Background), &Writer::new("kubectl"));
                match done {
                    Ok(_) => Outcome::ok(format!("{} \"{}\" deleted{}\n", resource(&at), at.name, from_namespace(&at))),
                    Err(status) => server_error(&status, ""),
                }
            }
            Command::KubectlPatch { object, patch } => {
                let object = self.resolved(object);
                self.kubectl_patch(&object, "", &patch, "kubectl-patch", "patched")
            }
            Command::KubectlScale { object, replicas } => {
                let object = self.resolved(object);
                let patch = Json::map([("spec", Json::map([("replicas", Json::Int(replicas))]))]);
                self.kubectl_patch(&object, "scale", &patch, "kubectl", "scaled")
            }
            Command::KubectlAnnotate { object, key, value } => {
                let object = self.resolved(object);
                let value = value.map_or(Json::Null, Json::Str);
                self.kubectl_annotate(&object, &key, value)
            }
            Command::Refresh { app, hard } => {
                let object = ObjectRef {
                    group: "argoproj.io".into(),
                    kind: "Application".into(),
                    namespace: ARGOCD_NAMESPACE.into(),
                    name: app,
                };
                self.kubectl_annotate(&object, REFRESH_ANNOTATION, if hard { "hard" } else { "normal" }.into())
            }
            _ => Outcome::default(),
        }
    }

    fn kubectl_annotate(&mut self, object: &ObjectRef, key: &str, value: Json) -> Outcome {
        let mut patch = Json::Null;
        patch.set(&["metadata", "annotations", key], value);
        self.kubectl_patch(object, "", &patch, "kubectl-annotate", "annotated")
    }

    fn kubectl_patch(&mut self, at: &ObjectRef, part: &str, patch: &Json, manager: &str, word: &str) -> Outcome {
        match self.cluster.patch(&at.cluster(), part, PatchType::Merge, patch, &Writer::new(manager)) {
            Ok(_) => Outcome::ok(format!("{}/{} {word}\n", resource(at), at.name)),
            Err(status) => server_error(&status, ""),
        }
    }

    /// `kubectl set`: changes the containers of a workload's pod template by a strategic patch.
    fn kubectl_set(
        &mut self,
        object: ObjectRef,
        change: &dyn Fn(&str) -> Option<(&'static str, Json)>,
        word: &str,
    ) -> Outcome {
        let at = self.resolved(object);
        let live = match self.cluster.get(&at.cluster()) {
            Ok(live) => live,
            Err(status) => return server_error(&status, ""),
        };
        let path = ["spec", "template", "spec", "containers"];
        let mut containers = Vec::new();
        for container in live.items_at(&path) {
            let name = container.text_at(&["name"]);
            if let Some(field) = change(name) {
                containers.push(Json::map([field, ("name", name.into())]));
            }
        }
        let mut patch = Json::Null;
        patch.set(&path, Json::list(containers));
        match self.cluster.patch(&at.cluster(), "", PatchType::Strategic, &patch, &Writer::new("kubectl-set")) {
            Ok(_) => Outcome::ok(format!("{}/{} {word}\n", resource(&at), at.name)),
            Err(status) => server_error(&status, ""),
        }
    }

    /// The reference with the kind that a word of the command line means: a kind, a plural, or a short name. A word
    /// that means nothing stays, and the API server's refusal follows. Cluster-scoped kinds lose their namespace.
    fn resolved(&self, mut at: ObjectRef) -> ObjectRef {
        let long = SHORT_NAMES.iter().find(|(short, _)| *short == &*at.kind).map(|(_, plural)| *plural);
        let word = Rc::from(long.unwrap_or(&at.kind).to_ascii_lowercase());
        let found = self.cluster.resources().find(|r| {
            let named = r.plural == word || r.kind.eq_ignore_ascii_case(&word);
            named && (at.group.is_empty() || r.group == at.group)
        });
        if let Some(resource) = found {
            (at.group, at.kind) = (resource.group.clone(), resource.kind.clone());
            if !resource.namespaced {
                at.namespace = "".into();
            }
        }
        at
    }

    fn kubectl_apply(&mut self, from: &ApplyFrom, namespace: Option<&str>) -> Outcome {
        let (name, text) = match from {
            ApplyFrom::Text(text) => ("STDIN".to_string(), text.to_string()),
            ApplyFrom::File(path) => match self.disk.get(path) {
                Some(bytes) => (path.to_string(), String::from_utf8_lossy(bytes).into_owned()),
                None => return Outcome::fail(1, format!("error: the path \"{path}\" does not exist\n")),
            },
        };
        let documents = match yaml::to_json_all(text.as_bytes()) {
            Ok(documents) => documents,
            Err(error) => {
                return Outcome::fail(1, format!("error: error parsing {name}: {}\n", error.converting()));
            }
        };
        let mut outcome = Outcome::default();
        let mut any = false;
        for mut object in documents.into_iter().filter(|d| !d.is_null()) {
            any = true;
            if let Some(text) = self.untyped(&object, &name) {
                outcome.code = 1;
                outcome.stderr.push_str(&text);
                continue;
            }
            let at = cluster::ObjectRef::of(&object);
            let namespaced = self.cluster.resource(&at.group, &at.kind).is_some_and(|r| r.namespaced);
            if namespaced && at.namespace.is_empty() {
                object.set(&["metadata", "namespace"], namespace.unwrap_or("default").into());
            }
            let verb = match self.cluster.get(&cluster::ObjectRef::of(&object)) {
                Ok(_) => "applying patch to",
                Err(_) => "creating",
            };
            match apply::client_side(&mut self.cluster, &object, &Writer::new(APPLY_MANAGER)) {
                Ok((_, done)) => {
                    let kind = at.kind.to_ascii_lowercase();
                    let kind = if at.group.is_empty() { kind } else { format!("{kind}.{}", at.group) };
                    outcome.stdout.push_str(&format!("{kind}/{} {}\n", at.name, done.text()));
                }
                Err(status) => {
                    let failed = server_error(&status, &format!("error when {verb} \"{name}\": "));
                    outcome.code = 1;
                    outcome.stderr.push_str(&failed.stderr);
                }
            }
        }
        if !any {
            return Outcome::fail(1, "error: no objects passed to apply\n");
        }
        outcome
    }

    /// What kubectl says of a document that is no object, or of a kind that the cluster does not know.
    fn untyped(&self, object: &Json, name: &str) -> Option<String> {
        let mut missing = Vec::new();
        for (key, word) in [("apiVersion", "apiVersion not set"), ("kind", "kind not set")] {
            if object.text_at(&[key]).is_empty() {
                missing.push(word);
            }
        }
        if !missing.is_empty() {
            return Some(format!("error: error validating \"{name}\": error validating data: [{}]; if you choose to ignore these errors, turn validation off with --validate=false\n", missing.join(", "))
                .replace(&format!("[{}]", missing[0]), missing[0]));
        }
        let at = cluster::ObjectRef::of(object);
        if self.cluster.resource(&at.group, &at.kind).is_some() {
            return None;
        }
        let version = object.text_at(&["apiVersion"]);
        Some(format!(
            "error: resource mapping not found for name: \"{}\" namespace: \"{}\" from \"{name}\": no matches for kind \"{}\" in version \"{version}\"\nensure CRDs are installed first\n",
            at.name, at.namespace, at.kind
        ))
    }
}

fn resource(at: &ObjectRef) -> String {
    let kind = at.kind.to_ascii_lowercase();
    if at.group.is_empty() { kind } else { format!("{kind}.{}", at.group) }
}

fn from_namespace(at: &ObjectRef) -> String {
    if at.namespace.is_empty() { String::new() } else { format!(" from {} namespace", at.namespace) }
}

/// A refusal of the API server as kubectl prints it.
fn server_error(status: &Status, context: &str) -> Outcome {
    let reason = if status.reason.is_empty() { String::new() } else { format!(" ({})", status.reason) };
    let text = if status.reason == "Invalid" && context.is_empty() {
        format!("The {}\n", status.message)
    } else if status.reason == "Invalid" {
        let _ = context;
        format!("The {}\n", status.message)
    } else {
        format!("Error from server{reason}: {context}{}\n", status.message)
    };
    Outcome::fail(1, text)
}
