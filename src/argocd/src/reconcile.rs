//! `kubectl auth reconcile`, which a client-side apply of RBAC objects runs first: missing permissions are added, and
//! its report stands before the apply's.

use crate::api;
use crate::object::ObjectKey;
use base::Json;
use cluster::{Cluster, Writer};

/// Field manager of a reconciliation: the name of Argo CD's program.
const MANAGER: &str = "argocd";

/// Reconciles an RBAC object and reports; `None` for any other kind.
pub(crate) fn reconcile(cluster: &mut Cluster, target: &Json) -> Option<Result<String, String>> {
    let key = ObjectKey::of(target);
    let list = match &*key.kind {
        "Role" | "ClusterRole" => "rules",
        "RoleBinding" | "ClusterRoleBinding" => "subjects",
        _ => return None,
    };
    if &*key.group != "rbac.authorization.k8s.io" {
        return None;
    }
    let live = api::live(cluster, &key);
    let have = live.as_ref().map(|l| l.items_at(&[list]).to_vec()).unwrap_or_default();
    let covered = |wanted: &&Json| if list == "rules" { covers(&have, wanted) } else { have.contains(wanted) };
    let missing: Vec<Json> = target.items_at(&[list]).iter().filter(|w| !covered(w)).cloned().collect();
    let mut text = format!("{} reconciled", api::kubectl_name(&key));
    let writer = Writer::new(MANAGER);
    let done = match live {
        None => cluster.create(target, &writer).map(|_| "create"),
        Some(_) if missing.is_empty() => return Some(Ok(text)),
        Some(mut live) => {
            live.set(&[list], Json::list(have.into_iter().chain(missing.iter().cloned())));
            cluster.update(&live, &writer).map(|_| "update")
        }
    };
    match done {
        Err(status) => return Some(Err(status.message)),
        Ok(what) => text.push_str(&format!(". reconciliation required {what}")),
    }
    if !missing.is_empty() {
        text.push_str(&format!("\n\tmissing {list} added:"));
        for item in &missing {
            text.push_str(&format!("\n\t\t{}", if list == "rules" { rule(item) } else { subject(item) }));
        }
    }
    Some(Ok(text))
}

/// kubectl's warning about an object that it did not create itself.
pub(crate) fn adoption_warning(cluster: &Cluster, key: &ObjectKey) -> String {
    let plural = cluster.resource(&key.group, &key.kind).map(|r| r.plural.to_string()).unwrap_or_default();
    format!(
        ". Warning: resource {plural}/{} is missing the kubectl.kubernetes.io/last-applied-configuration annotation which \
         is required by  apply.  apply should only be used on resources created declaratively by either  create \
         --save-config or  apply. The missing annotation will be patched automatically.",
        key.name
    )
}

/// Whether rules grant all that a rule grants, permission by permission.
fn covers(have: &[Json], wanted: &Json) -> bool {
    let texts = |rule: &Json, key: &str| -> Vec<String> {
        rule.items_at(&[key]).iter().filter_map(Json::as_str).map(str::to_string).collect()
    };
    let any = |rule: &Json, key: &str, value: &str| {
        let list = texts(rule, key);
        list.iter().any(|v| v == value || v == "*")
    };
    let or_none = |list: Vec<String>| if list.is_empty() { vec![String::new()] } else { list };
    texts(wanted, "verbs").iter().all(|verb| {
        let paths = texts(wanted, "nonResourceURLs");
        let urls = paths.iter().all(|p| have.iter().any(|r| any(r, "verbs", verb) && any(r, "nonResourceURLs", p)));
        let names = or_none(texts(wanted, "resourceNames"));
        let resources = texts(wanted, "apiGroups").iter().all(|group| {
            texts(wanted, "resources").iter().all(|resource| {
                names.iter().all(|name| {
                    have.iter().any(|r| {
                        let named = r.items_at(&["resourceNames"]).is_empty()
                            || (!name.is_empty() && any(r, "resourceNames", name));
                        any(r, "verbs", verb) && any(r, "apiGroups", group) && any(r, "resources", resource) && named
                    })
                })
            })
        });
        urls && resources
    })
}

/// A rule as Go prints the struct.
fn rule(rule: &Json) -> String {
    let list = |key: &str| {
        let words: Vec<&str> = rule.items_at(&[key]).iter().filter_map(Json::as_str).collect();
        words.join(" ")
    };
    format!(
        "{{Verbs:[{}] APIGroups:[{}] Resources:[{}] ResourceNames:[{}] NonResourceURLs:[{}]}}",
        list("verbs"),
        list("apiGroups"),
        list("resources"),
        list("resourceNames"),
        list("nonResourceURLs")
    )
}

fn subject(subject: &Json) -> String {
    let text = |key: &str| subject.text_at(&[key]);
    format!(
        "{{Kind:{} APIGroup:{} Name:{} Namespace:{}}}",
        text("kind"),
        text("apiGroup"),
        text("name"),
        text("namespace")
    )
}
