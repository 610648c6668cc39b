//! A kustomization file: where it lies and what it says.

use crate::image::Image;
use crate::overrides::Overrides;
use base::world::{self, EntryKind};
use base::{Json, Map, World};
use std::rc::Rc;

/// Names of the file.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// What a kustomization asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Kustomization {
    pub(crate) path: Rc<str>,
    pub(crate) resources: Vec<Rc<str>>,
    pub(crate) name_prefix: Rc<str>,
    pub(crate) name_suffix: Rc<str>,
    pub(crate) namespace: Rc<str>,
    pub(crate) labels: Vec<Labels>,
    pub(crate) annotations: Map,
    pub(crate) replicas: Vec<(Rc<str>, i64)>,
    pub(crate) images: Vec<Image>,
    /// The deprecated fields that it uses, for the warnings.
    pub(crate) deprecated: Vec<&'static str>,
    /// What of it Argo CD's overrides replaced.
    pub(crate) overridden: Vec<&'static str>,
}

/// One entry of `labels`; `commonLabels` is one with selectors.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Labels {
    pub(crate) pairs: Map,
    pub(crate) selectors: bool,
    pub(crate) templates: bool,
}

impl Kustomization {
    /// Reads the kustomization of a folder. Errors are kustomize's.
    pub(crate) fn read(world: &dyn World, dir: &str) -> Result<Kustomization, String> {
        let found: Vec<String> = NAMES
            .iter()
            .map(|name| world::clean(&format!("{dir}/{name}")))
            .filter(|path| world.kind(path) == Ok(EntryKind::File))
            .collect();
        let path = match &found[..] {
            [one] => one.clone(),
            [] => {
                return Err(format!(
                    "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '{dir}'"
                ));
            }
            _ => return Err(format!("Found multiple kustomization files under: {dir}\n")),
        };
        let bytes = world.read(&path).map_err(|e| format!("{path}: {e}"))?;
        let file = yaml::to_json(&bytes).map_err(|e| format!("invalid Kustomization: {}", e.converting()))?;
        Kustomization::of(&file, path.into(), dir)
    }

    fn of(file: &Json, path: Rc<str>, dir: &str) -> Result<Kustomization, String> {
        let Some(members) = file.as_map().filter(|m| m.keys().any(|k| !matches!(&**k, "kind" | "apiVersion"))) else {
            return Err("kustomization.yaml is empty".to_string());
        };
        let kind = file.text_at(&["kind"]);
        if !matches!(kind, "" | "Kustomization") {
            return Err(format!(
                "Failed to read kustomization file under {dir}:\nkind should be Kustomization or Component"
            ));
        }
        let texts = |key: &str| -> Vec<Rc<str>> {
            file.items_at(&[key]).iter().filter_map(Json::as_str).map(Rc::from).collect()
        };
        let mut out = Kustomization { path, ..Kustomization::default() };
        for (key, value) in members.iter() {
            let text = || Rc::from(value.as_str().unwrap_or(""));
            match &**key {
                "apiVersion" | "kind" | "metadata" => {}
                "resources" => {}
                "bases" => out.deprecated.push("bases"),
                "namePrefix" => out.name_prefix = text(),
                "nameSuffix" => out.name_suffix = text(),
                "namespace" => out.namespace = text(),
                "labels" | "commonLabels" => {}
                "commonAnnotations" => out.annotations = value.as_map().cloned().unwrap_or_default(),
                "replicas" => {
                    for entry in value.as_list().unwrap_or(&[]) {
                        out.replicas.push((entry.text_at(&["name"]).into(), entry.int_at(&["count"]).unwrap_or(0)));
                    }
                }
                "images" => out.images = value.as_list().unwrap_or(&[]).iter().map(Image::read).collect(),
                other => return Err(format!("kustomization field \"{other}\" is not simulated yet")),
            }
        }
        out.resources = texts("resources");
        out.resources.extend(texts("bases"));
        for entry in file.items_at(&["labels"]) {
            let is = |key: &str| entry.get(key).and_then(Json::as_bool) == Some(true);
            out.labels.push(Labels {
                pairs: entry.get("pairs").and_then(Json::as_map).cloned().unwrap_or_default(),
                selectors: is("includeSelectors"),
                templates: is("includeTemplates"),
            });
        }
        if let Some(pairs) = file.get("commonLabels").and_then(Json::as_map) {
            out.deprecated.push("commonLabels");
            out.labels.push(Labels { pairs: pairs.clone(), selectors: true, templates: true });
        }
        Ok(out)
    }

    /// Applies Argo CD's overrides, as `kustomize edit` would.
    pub(crate) fn overrule(&mut self, with: &Overrides) {
        if !with.name_prefix.is_empty() {
            self.name_prefix = with.name_prefix.clone();
            self.overridden.push("namePrefix");
        }
        if !with.name_suffix.is_empty() {
            self.name_suffix = with.name_suffix.clone();
            self.overridden.push("nameSuffix");
        }
        if !with.namespace.is_empty() {
            self.namespace = with.namespace.clone();
            self.overridden.push("namespace");
        }
        for text in &with.images {
            self.overridden.push("images");
            let image = Image::parse(text);
            match self.images.iter_mut().find(|i| i.name == image.name) {
                Some(old) => old.edit(image),
                None => self.images.push(image),
            }
        }
        for (name, count) in &with.replicas {
            self.overridden.push("replicas");
            match self.replicas.iter_mut().find(|(n, _)| n == name) {
                Some(old) => old.1 = *count,
                None => self.replicas.push((name.clone(), *count)),
            }
        }
        if !with.labels.is_empty() {
            self.overridden.push("labels");
            self.labels.push(Labels {
                pairs: with.labels.clone(),
                selectors: !with.label_without_selector,
                templates: !with.label_without_selector || with.label_include_templates,
            });
        }
        for (key, value) in &with.annotations {
            self.overridden.push("commonAnnotations");
            self.annotations.insert(key.clone(), value.clone());
        }
    }
}
