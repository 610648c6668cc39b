//! A build: resources and bases in order, then the transformers of each kustomization, from the innermost outwards.

use crate::file::Kustomization;
use crate::history::{Resource, Step, Transformer};
use crate::overrides::Overrides;
use crate::{refer, transform};
use base::world::{self, EntryKind};
use base::{Json, World};
use std::rc::Rc;

/// Nesting of bases.
const DEPTH: usize = 64;

/// The outcome of a build.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Build {
    /// The objects in order.
    pub resources: Vec<Resource>,
    /// The steps, in the order in which they ran.
    pub steps: Vec<Step>,
    /// Lines for standard error.
    pub warnings: Vec<String>,
}

/// What a failed build says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Failure(String);

/// Builds a folder. Paths in messages begin with `root`.
///
/// # Errors
/// kustomize's words, warnings first, as its standard error has them.
pub fn build(world: &dyn World, dir: &str, overrides: &Overrides, root: &str) -> Result<Build, String> {
    let mut build = Build::default();
    let mut run = Run { world, root, build: &mut build, overrides };
    let done = run.accumulate(dir, &[]);
    match done {
        Ok(resources) => {
            build.resources = resources;
            let step = build.steps.len();
            if refer::fix(&mut build.resources, step) {
                let file = "".into();
                build.steps.push(Step { transformer: Transformer::NameReference, file, overridden: false });
            }
            Ok(build)
        }
        Err(Failure(text)) => {
            let warnings: String = build.warnings.iter().map(|w| format!("{w}\n")).collect();
            Err(format!("{warnings}Error: {text}"))
        }
    }
}

struct Run<'a> {
    world: &'a dyn World,
    root: &'a str,
    build: &'a mut Build,
    overrides: &'a Overrides,
}

impl Run<'_> {
    fn shown(&self, path: &str) -> String {
        if self.root.is_empty() { path.to_string() } else { format!("{}/{path}", self.root) }
    }

    fn accumulate(&mut self, dir: &str, above: &[&str]) -> Result<Vec<Resource>, Failure> {
        if above.len() > DEPTH {
            return Err(Failure("bases are nested too deeply".to_string()));
        }
        let mut file = Kustomization::read(self.world, dir).map_err(Failure)?;
        for field in &file.deprecated {
            let instead = if *field == "bases" { "resources" } else { "labels" };
            self.build.warnings.push(format!(
                "# Warning: '{field}' is deprecated. Please use '{instead}' instead. Run 'kustomize edit fix' to update \
                 your Kustomization automatically."
            ));
        }
        if above.is_empty() {
            file.overrule(self.overrides);
        }
        let mut found: Vec<Resource> = Vec::new();
        for entry in &file.resources {
            let path = world::clean(&format!("{dir}/{entry}"));
            let made = match self.world.kind(&path) {
                Ok(EntryKind::File) => self.load(&path, entry)?,
                Ok(_) => {
                    let inside = above.iter().chain([&dir]).any(|a| *a == path || a.starts_with(&format!("{path}/")));
                    if inside {
                        let (a, b) = (self.shown(&path), self.shown(dir));
                        return Err(Failure(format!(
                            "accumulating resources: accumulation err='accumulating resources from '{entry}': '{a}' must \
                             resolve to a file': cycle detected: candidate root '{a}' contains visited root '{b}'"
                        )));
                    }
                    let chain: Vec<&str> = above.iter().copied().chain([dir]).collect();
                    self.accumulate(&path, &chain)?
                }
                Err(_) => {
                    let shown = self.shown(&path);
                    let lost = format!("evalsymlink failure on '{shown}' : lstat {shown}: no such file or directory");
                    return Err(Failure(format!(
                        "accumulating resources: accumulation err='accumulating resources from '{entry}': {lost}': must \
                         build at directory: not a valid directory: {lost}"
                    )));
                }
            };
            for resource in made {
                let id = identity(&resource.object);
                if found.iter().any(|f| identity(&f.object) == id) {
                    return Err(Failure(format!("may not add resource with an already registered id: {}", name(&id))));
                }
                found.push(resource);
            }
        }
        self.transform(&file, &mut found)?;
        Ok(found)
    }

    fn load(&self, path: &str, entry: &str) -> Result<Vec<Resource>, Failure> {
        let failure = |text: String| {
            let shown = self.shown(path);
            Failure(format!(
                "accumulating resources: accumulation err='accumulating resources from '{entry}': {text}': must build at \
                 directory: not a valid directory: '{shown}' is not directory"
            ))
        };
        let bytes = self.world.read(path).map_err(|e| failure(e.to_string()))?;
        let documents =
            yaml::to_json_all(&bytes).map_err(|e| failure(format!("MalformedYAMLError: {}", e.converting())))?;
        let mut out = Vec::new();
        for object in documents.into_iter().filter(|d| !d.is_null()) {
            if object.text_at(&["kind"]).is_empty() {
                return Err(failure(format!("missing kind in object in {path}")));
            }
            if object.text_at(&["metadata", "name"]).is_empty() {
                return Err(failure(format!("missing metadata.name in object in {path}")));
            }
            out.push(Resource { object, file: path.into(), names: Vec::new(), touches: Vec::new() });
        }
        Ok(out)
    }

    /// The transformers of one kustomization, in kustomize's order.
    fn transform(&mut self, file: &Kustomization, resources: &mut [Resource]) -> Result<(), Failure> {
        let steps = &mut self.build.steps;
        let mut step = |transformer: Transformer, field: &str| {
            steps.push(Step { transformer, file: file.path.clone(), overridden: file.overridden.contains(&field) });
            steps.len() - 1
        };
        if !file.namespace.is_empty() {
            transform::namespace(resources, &file.namespace, step(Transformer::Namespace, "namespace"));
        }
        if !file.name_prefix.is_empty() {
            let at = step(Transformer::NamePrefix, "namePrefix");
            transform::rename(resources, &|name| format!("{}{name}", file.name_prefix), at);
        }
        if !file.name_suffix.is_empty() {
            let at = step(Transformer::NameSuffix, "nameSuffix");
            transform::rename(resources, &|name| format!("{name}{}", file.name_suffix), at);
        }
        for labels in &file.labels {
            transform::labels(resources, labels, step(Transformer::Labels, "labels"));
        }
        if !file.annotations.is_empty() {
            transform::annotations(resources, &file.annotations, step(Transformer::Annotations, "commonAnnotations"));
        }
        for (name, count) in &file.replicas {
            let at = step(Transformer::Replicas, "replicas");
            if !transform::replicas(resources, name, *count, at) {
                return Err(Failure(format!(
                    "resource with name {name} does not match a config with the following GVK [Deployment.[noVer].[noGrp] \
                     StatefulSet.[noVer].[noGrp] ReplicaSet.[noVer].[noGrp] ReplicationController.[noVer].[noGrp]]"
                )));
            }
        }
        for image in &file.images {
            transform::images(resources, image, step(Transformer::Images, "images"));
        }
        Ok(())
    }
}

/// Group-version, kind, namespace and name.
fn identity(object: &Json) -> [Rc<str>; 4] {
    [
        object.text_at(&["apiVersion"]).into(),
        object.text_at(&["kind"]).into(),
        object.text_at(&["metadata", "namespace"]).into(),
        object.text_at(&["metadata", "name"]).into(),
    ]
}

/// `Pod.v1.[noGrp]/a.default`
fn name(id: &[Rc<str>; 4]) -> String {
    let [api, kind, namespace, name] = id;
    let (group, version) = api.split_once('/').unwrap_or(("[noGrp]", api));
    let namespace: &str = if namespace.is_empty() { "[noNs]" } else { namespace };
    format!("{kind}.{version}.{group}/{name}.{namespace}")
}
