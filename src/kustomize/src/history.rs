//! What a build remembers: each object with its file, and for each touched field the steps that changed it.

use base::Json;
use std::rc::Rc;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transformer {
    /// `namespace`
    Namespace,
    /// `namePrefix`
    NamePrefix,
    /// `nameSuffix`
    NameSuffix,
    /// `labels` and `commonLabels`
    Labels,
    /// `commonAnnotations`
    Annotations,
    /// `replicas`
    Replicas,
    /// `images`
    Images,
    /// References to objects that got another name.
    NameReference,
}

/// One step of a build, in the order in which they ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub transformer: Transformer,
    /// The kustomization that asks for it.
    pub file: Rc<str>,
    /// True when Argo CD's `source.kustomize` asks for it.
    pub overridden: bool,
}

/// A change of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// The field, `spec/replicas` or `spec/template/spec/containers/0/image`.
    pub path: Rc<str>,
    /// Index of the step.
    pub step: usize,
    /// The value before; `None` when it was not there.
    pub before: Option<Json>,
    /// The value after.
    pub after: Json,
}

/// One object of a build.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// The object as it is now.
    pub object: Json,
    /// The file that it was read from.
    pub file: Rc<str>,
    /// Names that it had, oldest first; the present one is not among them.
    pub names: Vec<Rc<str>>,
    /// Changes of its fields, oldest first.
    pub touches: Vec<Touch>,
}

impl Resource {
    /// Sets a field and notes it; a field that has this value already is left alone.
    pub(crate) fn set(&mut self, path: &[&str], value: Json, step: usize) {
        let slot = locate(&mut self.object, path);
        let before = slot.as_ref().map(|s| (**s).clone());
        if before.as_ref() == Some(&value) {
            return;
        }
        match slot {
            Some(slot) => *slot = value.clone(),
            // Only maps are missing on the way: lists are never made.
            None => self.object.set(path, value.clone()),
        }
        self.touches.push(Touch { path: path.join("/").into(), step, before, after: value });
    }

    /// The steps that touched a field, oldest first.
    pub fn history(&self, path: &str) -> impl Iterator<Item = &Touch> {
        self.touches.iter().filter(move |touch| *touch.path == *path)
    }

    /// True when the object has this name, or had it before a step gave it another.
    pub(crate) fn was_called(&self, name: &str) -> bool {
        self.object.text_at(&["metadata", "name"]) == name || self.names.iter().any(|n| **n == *name)
    }
}

/// A field by the parts of its path; numbers count elements of lists.
fn locate<'a>(node: &'a mut Json, path: &[&str]) -> Option<&'a mut Json> {
    let Some((first, rest)) = path.split_first() else { return Some(node) };
    let next = match node {
        Json::Map(members) => Rc::make_mut(members).get_mut(*first)?,
        Json::List(items) => Rc::make_mut(items).get_mut(first.parse::<usize>().ok()?)?,
        _ => return None,
    };
    locate(next, rest)
}
