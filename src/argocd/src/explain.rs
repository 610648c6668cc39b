//! Who set a field: the chain from the live object back to the commit, joined from what the cluster, Argo CD, Helm and
//! Git each know.

use crate::controller::Controller;
use crate::object::ObjectKey;
use crate::repo::Repositories;
use crate::tracking::TRACKING_ANNOTATION;
use base::{Json, LineCol, Place};
use cluster::Cluster;
use git::Oid;
use std::rc::Rc;

/// One step of a path into an object.
pub use yaml::PathSeg;

/// What Argo CD itself did to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It marked the object as belonging to the Application.
    TrackingId,
    /// It filled in the destination's namespace.
    DestinationNamespace,
}

/// A manager that owns a field in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Name of the manager.
    pub manager: Rc<str>,
    /// `Update` or `Apply`.
    pub operation: Rc<str>,
    /// When it last wrote, as RFC 3339.
    pub time: Rc<str>,
    /// Subresource it wrote through; usually empty.
    pub subresource: Rc<str>,
}

/// The commit that last changed a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The line's file in the repository.
    pub file: Rc<str>,
    /// Line, from 1.
    pub line: u32,
    /// The commit.
    pub commit: Oid,
    /// First line of its message.
    pub subject: Rc<str>,
    /// Who wrote it.
    pub author: Rc<str>,
}

/// The whole chain for one field.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The object.
    pub key: ObjectKey,
    /// The field.
    pub path: Vec<PathSeg>,
    /// Its value in the cluster, when it is there.
    pub live: Option<Json>,
    /// Its value in what Argo CD applies, when it is there. A field that only the cluster has was set by a default, a
    /// controller or a person: the owners say which.
    pub target: Option<Json>,
    /// Who owns the field in the cluster.
    pub owners: Vec<Owner>,
    /// What Argo CD added itself.
    pub added: Option<Added>,
    /// The revision that was compared last.
    pub revision: Rc<str>,
    /// The Helm part: template actions and claims on values.
    pub helm: Option<helm::explain::Explanation>,
    /// The place that decided: the winning value's line, else the template's, else the manifest's.
    pub origin: Option<Place>,
    /// Who last changed that place's line.
    pub blame: Option<Blame>,
}

/// Explains a field of an object of an Application. `None` when the Application has no such object, live or wanted.
pub fn field(
    controller: &Controller,
    cluster: &Cluster,
    repositories: &dyn Repositories,
    app: &str,
    key: &ObjectKey,
    path: &[PathSeg],
) -> Option<Explanation> {
    let application = controller.application(app, cluster)?;
    let comparison = controller.comparison(app)?;
    let pair = comparison.pairs.iter().find(|p| p.key == *key)?;
    let live = crate::api::live(cluster, key);
    let generated = controller.generated(app);
    let written = pair.generated.and_then(|i| generated?.objects.get(i));
    let revision: Rc<str> = application.status().text_at(&["sync", "revision"]).into();
    let names: Vec<&str> = path.iter().map(|s| if let PathSeg::Key(k) = s { &**k } else { "" }).collect();
    let own_namespace =
        written.is_some_and(|t| t.manifest.is_none() && t.object.at(&["metadata", "namespace"]).is_some());
    let added = match &names[..] {
        ["metadata", "annotations", TRACKING_ANNOTATION] => Some(Added::TrackingId),
        ["metadata", "namespace"] if !own_namespace => Some(Added::DestinationNamespace),
        _ => None,
    };
    let helm = written.and_then(|t| {
        let rendered = generated?.rendered.as_ref()?;
        helm::explain::field(rendered, t.manifest?, &helm::explain::Field::Path(&dotted(path)))
    });
    let added = if helm.is_some() { None } else { added };
    let origin = helm.as_ref().and_then(decisive);
    let repository = application.spec.source().and_then(|s| repositories.repository(&s.repo_url));
    let blame = origin.as_ref().zip(repository).and_then(|(place, repository)| blame(repository, &revision, place));
    Some(Explanation {
        key: key.clone(),
        path: path.to_vec(),
        target: pair.target.as_ref().and_then(|t| at(t, path)).cloned(),
        owners: live.as_ref().map(|l| owners(l, path)).unwrap_or_default(),
        live: live.as_ref().and_then(|l| at(l, path)).cloned(),
        added,
        revision,
        helm,
        origin,
        blame,
    })
}

/// The place that decided a rendered value: the winning claim's, else the first action's.
fn decisive(helm: &helm::explain::Explanation) -> Option<Place> {
    let claim = helm.data.iter().flat_map(|reason| reason.claims.first()).next();
    match claim {
        Some(claim) => claim.origin.place.clone(),
        None => helm.actions.first().map(|action| action.place.clone()),
    }
}

/// The commit that last changed the line of a place, as of a revision.
pub fn blame(repository: &git::Repository, revision: &str, place: &Place) -> Option<Blame> {
    let oid = Oid::parse(revision)?;
    let text = repository.file(oid, &place.file)?;
    let line = LineCol::of(text, place.span.start as usize).line;
    let commit = repository.blame(oid, &place.file, line)?;
    let entry = repository.commit(commit)?;
    Some(Blame {
        file: place.file.clone(),
        line,
        commit,
        subject: entry.subject().into(),
        author: entry.author.name.clone(),
    })
}

/// The value at a path.
pub fn at<'a>(object: &'a Json, path: &[PathSeg]) -> Option<&'a Json> {
    path.iter().try_fold(object, |node, seg| match seg {
        PathSeg::Key(key) => node.get(key),
        PathSeg::Index(i) => node.as_list()?.get(*i),
    })
}

/// The managers that own a field: those whose field set reaches the path, or holds it whole.
pub fn owners(object: &Json, path: &[PathSeg]) -> Vec<Owner> {
    let mut found = Vec::new();
    for entry in object.items_at(&["metadata", "managedFields"]) {
        if !reaches(entry.get("fieldsV1").unwrap_or(&Json::Null), object, path) {
            continue;
        }
        let text = |key: &str| Rc::from(entry.text_at(&[key]));
        found.push(Owner {
            manager: text("manager"),
            operation: text("operation"),
            time: text("time"),
            subresource: text("subresource"),
        });
    }
    found
}

fn reaches(fields: &Json, object: &Json, path: &[PathSeg]) -> bool {
    let Some((seg, rest)) = path.split_first() else { return true };
    let Some(set) = fields.as_map() else { return false };
    // An empty set stands for the whole value: an atomic list or map.
    if set.is_empty() {
        return true;
    }
    match seg {
        PathSeg::Key(key) => {
            let Some(inner) = set.get(format!("f:{key}").as_str()) else { return false };
            reaches(inner, object.get(key).unwrap_or(&Json::Null), rest)
        }
        PathSeg::Index(i) => {
            let Some(item) = object.as_list().and_then(|l| l.get(*i)) else { return false };
            set.iter().any(|(name, inner)| {
                let mine = match name.split_once(':') {
                    Some(("k", keys)) => Json::parse(keys).ok().is_some_and(|keys| {
                        keys.as_map().is_some_and(|m| m.iter().all(|(k, v)| item.get(k) == Some(v)))
                    }),
                    Some(("v", value)) => Json::parse(value).ok().as_ref() == Some(item),
                    _ => false,
                };
                mine && reaches(inner, item, rest)
            })
        }
    }
}

/// `spec.template.spec.containers[0].image`; a key that holds dots stands as `["key"]`.
pub fn dotted(path: &[PathSeg]) -> String {
    let mut out = String::new();
    for seg in path {
        match seg {
            PathSeg::Key(key) if key.contains(['.', '[']) => out.push_str(&format!("[\"{key}\"]")),
            PathSeg::Key(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(key);
            }
            PathSeg::Index(i) => out.push_str(&format!("[{i}]")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_of_an_element_are_found_by_its_keys() {
        let object = Json::parse(
            r#"{"metadata":{"managedFields":[
                {"manager":"a","operation":"Update","fieldsV1":{"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{"f:image":{}}}}}},
                {"manager":"b","operation":"Update","fieldsV1":{"f:spec":{"f:replicas":{}}}}]},
                "spec":{"replicas":2,"containers":[{"name":"web","image":"x"}]}}"#,
        )
        .unwrap();
        let key = |k: &str| PathSeg::Key(k.into());
        let names = |path: &[PathSeg]| owners(&object, path).iter().map(|o| o.manager.to_string()).collect::<Vec<_>>();
        let image = [key("spec"), key("containers"), PathSeg::Index(0), key("image")];
        assert_eq!(names(&image), ["a"]);
        assert_eq!(names(&[key("spec"), key("replicas")]), ["b"]);
        assert_eq!(dotted(&image), "spec.containers[0].image");
    }
}
