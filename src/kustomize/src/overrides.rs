//! `source.kustomize` of an Argo CD Application: what it changes in the top kustomization before the build.

use base::{Json, Map};
use std::rc::Rc;

/// The overrides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `namePrefix`
    pub name_prefix: Rc<str>,
    /// `nameSuffix`
    pub name_suffix: Rc<str>,
    /// `namespace`
    pub namespace: Rc<str>,
    /// `images`, as written.
    pub images: Vec<Rc<str>>,
    /// `replicas`
    pub replicas: Vec<(Rc<str>, i64)>,
    /// `commonLabels`
    pub labels: Map,
    /// `labelWithoutSelector`
    pub label_without_selector: bool,
    /// `labelIncludeTemplates`
    pub label_include_templates: bool,
    /// `commonAnnotations`
    pub annotations: Map,
}

impl Overrides {
    /// Reads `source.kustomize`. `substitute` fills in the build environment where Argo CD does.
    ///
    /// # Errors
    /// A field that is not simulated.
    pub fn read(block: &Json, substitute: &dyn Fn(&str) -> String) -> Result<Overrides, String> {
        let mut out = Overrides::default();
        let is = |value: &Json| value.as_bool() == Some(true);
        let with_environment = |pairs: &Json| -> Map {
            let mut out = Map::new();
            for (key, value) in pairs.as_map().into_iter().flatten() {
                let value = value.as_str().map_or_else(|| value.clone(), |text| Json::str(substitute(text)));
                out.insert(key.clone(), value);
            }
            out
        };
        let environment = block.get("commonAnnotationsEnvsubst").is_some_and(is);
        for (key, value) in block.as_map().into_iter().flatten() {
            let text = || Rc::from(value.as_str().unwrap_or(""));
            match &**key {
                "namePrefix" => out.name_prefix = text(),
                "nameSuffix" => out.name_suffix = text(),
                "namespace" => out.namespace = text(),
                "images" => {
                    let images = value.as_list().unwrap_or(&[]).iter().filter_map(Json::as_str);
                    out.images = images.map(|image| substitute(image).into()).collect();
                }
                "replicas" => {
                    for entry in value.as_list().unwrap_or(&[]) {
                        let count = entry.get("count");
                        let number =
                            count.and_then(|c| c.as_str().map_or(entry.int_at(&["count"]), |s| s.parse().ok()));
                        out.replicas.push((entry.text_at(&["name"]).into(), number.unwrap_or(0)));
                    }
                }
                "commonLabels" => out.labels = with_environment(value),
                "labelWithoutSelector" => out.label_without_selector = is(value),
                "labelIncludeTemplates" => out.label_include_templates = is(value),
                "commonAnnotations" if environment => out.annotations = with_environment(value),
                "commonAnnotations" => out.annotations = value.as_map().cloned().unwrap_or_default(),
                "commonAnnotationsEnvsubst" | "forceCommonLabels" | "forceCommonAnnotations" | "version" => {}
                other => return Err(format!("source.kustomize.{other} is not simulated yet")),
            }
        }
        Ok(out)
    }
}
