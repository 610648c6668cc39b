//! References by name: an object that got another name keeps its referrers.

use crate::history::Resource;
use base::Json;
use std::rc::Rc;

/// The last parts of a field's path, and the kind that its text names.
const FIELDS: [(&[&str], &str); 17] = [
    (&["configMapKeyRef", "name"], "ConfigMap"),
    (&["configMapRef", "name"], "ConfigMap"),
    (&["configMap", "name"], "ConfigMap"),
    (&["secretKeyRef", "name"], "Secret"),
    (&["secretRef", "name"], "Secret"),
    (&["secret", "name"], "Secret"),
    (&["secret", "secretName"], "Secret"),
    (&["tls", "*", "secretName"], "Secret"),
    (&["imagePullSecrets", "*", "name"], "Secret"),
    (&["secrets", "*", "name"], "Secret"),
    (&["persistentVolumeClaim", "claimName"], "PersistentVolumeClaim"),
    (&["spec", "serviceAccountName"], "ServiceAccount"),
    (&["spec", "serviceAccount"], "ServiceAccount"),
    (&["spec", "serviceName"], "Service"),
    (&["backend", "service", "name"], "Service"),
    (&["defaultBackend", "service", "name"], "Service"),
    (&["spec", "priorityClassName"], "PriorityClass"),
];
/// Objects that say the kind beside the name.
const TYPED: [&str; 3] = ["scaleTargetRef", "roleRef", "subjects"];
/// Nesting that is looked at.
const DEPTH: usize = 48;

/// Renames what refers to objects by a name that they had; true when anything changed.
pub(crate) fn fix(resources: &mut [Resource], step: usize) -> bool {
    let renamed: Vec<(Rc<str>, Rc<str>, Rc<str>)> = resources
        .iter()
        .filter_map(|r| {
            let (kind, name) = (r.object.text_at(&["kind"]), r.object.text_at(&["metadata", "name"]));
            Some((kind.into(), r.names.first()?.clone(), name.into()))
        })
        .collect();
    let new = |kind: &str, name: &str| {
        renamed.iter().find(|(k, old, new)| **k == *kind && **old == *name && old != new).map(|(_, _, new)| new.clone())
    };
    let mut any = false;
    for resource in resources {
        let mut found = Vec::new();
        look(&resource.object, &mut Vec::new(), &new, &mut found);
        for (path, name) in found {
            any = true;
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            resource.set(&path, Json::Str(name), step);
        }
    }
    any
}

type Found = Vec<(Vec<String>, Rc<str>)>;

fn look(node: &Json, path: &mut Vec<String>, new: &dyn Fn(&str, &str) -> Option<Rc<str>>, found: &mut Found) {
    if path.len() > DEPTH {
        return;
    }
    match node {
        Json::Map(members) => {
            let typed = path.iter().rev().take(2).any(|p| TYPED.contains(&p.as_str()));
            for (key, value) in members.iter() {
                path.push(key.to_string());
                if let Json::Str(text) = value {
                    let kind = match FIELDS.iter().find(|(tail, _)| ends(path, tail)) {
                        Some((_, kind)) => kind,
                        None if typed && &**key == "name" => node.text_at(&["kind"]),
                        None => "",
                    };
                    if let Some(name) = new(kind, text) {
                        found.push((path.clone(), name));
                    }
                }
                look(value, path, new, found);
                path.pop();
            }
        }
        Json::List(items) => {
            for (i, value) in items.iter().enumerate() {
                path.push(i.to_string());
                look(value, path, new, found);
                path.pop();
            }
        }
        _ => {}
    }
}

fn ends(path: &[String], tail: &[&str]) -> bool {
    path.len() >= tail.len() && path[path.len() - tail.len()..].iter().zip(tail).all(|(p, t)| *t == "*" || p == t)
}
