//! From a source at a commit to targets: finds out what kind of source it is, renders it, reads the manifests and marks
//! each with its tracking id.

use crate::application::{HelmSource, Source};
use crate::repo::RepoError;
use crate::tracking;
use base::world::{self, EntryKind};
use base::{Json, LayerKind, MemWorld, Time, World};
use helm::{Assignment, Flavour, HelmVersion, TemplateOptions, ValuesSource};
use std::rc::Rc;

/// What the manifests of a source depend on besides the source and the commit.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Name under which objects are tracked.
    pub instance: &'a str,
    /// Name of the Application: the default release name.
    pub app: &'a str,
    /// Destination namespace.
    pub namespace: &'a str,
    /// Project of the Application.
    pub project: &'a str,
    /// Version of the destination cluster, such as `1.36.1`.
    pub kube_version: &'a str,
    /// API versions of the destination cluster.
    pub api_versions: Served<'a>,
    /// The present instant.
    pub now: Time,
    /// Seed of random functions.
    pub seed: u64,
    /// Sources that value files may be taken from; empty for an Application with one source.
    pub references: &'a [Reference],
}

/// API versions that charts see, made only when something is rendered.
#[derive(Clone, Copy, Debug)]
pub enum Served<'a> {
    /// These.
    Listed(&'a [String]),
    /// Those of a cluster.
    By(&'a cluster::Cluster),
}

impl Served<'_> {
    fn list(self) -> Vec<String> {
        match self {
            Served::Listed(list) => list.to_vec(),
            Served::By(cluster) => {
                let all = cluster.resources();
                all.flat_map(|r| [r.api_version(), format!("{}/{}", r.api_version(), r.kind)]).collect()
            }
        }
    }
}

/// A source that others name as `$ref`.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Its `ref`, with the dollar sign.
    pub name: Rc<str>,
    /// Its commit.
    pub revision: Rc<str>,
    /// The files of the commit.
    pub files: git::Files,
}

impl Request<'_> {
    /// What of it belongs to the key of a manifest cache.
    pub fn key(&self) -> String {
        let Request { instance, app, namespace, project, kube_version, .. } = self;
        let mut key = format!("{instance}\n{app}\n{namespace}\n{project}\n{kube_version}");
        for reference in self.references {
            key.push_str(&format!("\n{}={}", reference.name, reference.revision));
        }
        key
    }
}

/// Kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceType {
    /// A Helm chart.
    Helm,
    /// A Kustomize overlay.
    Kustomize,
    /// Plain manifests.
    Directory,
}

impl SourceType {
    /// The word in `status.sourceType`.
    pub fn text(self) -> &'static str {
        match self {
            SourceType::Helm => "Helm",
            SourceType::Kustomize => "Kustomize",
            SourceType::Directory => "Directory",
        }
    }
}

/// The manifests of one source.
#[derive(Clone, Debug)]
pub struct Generated {
    /// What the source is.
    pub source_type: SourceType,
    /// The objects, tracking ids set.
    pub objects: Vec<Target>,
    /// The render, for Helm sources; traced, so that each field finds its origins.
    pub rendered: Option<Rc<helm::Rendered>>,
    /// The build, for Kustomize sources; its objects are in the order of `objects`, lists apart.
    pub overlay: Option<Rc<kustomize::Build>>,
}

impl Generated {
    /// Nothing at all.
    pub fn empty() -> Generated {
        Generated { source_type: SourceType::Directory, objects: Vec::new(), rendered: None, overlay: None }
    }
}

/// One wanted object.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The object as Argo CD applies it, but for its namespace.
    pub object: Json,
    /// Its index among the manifests and hooks of the render, for Helm sources.
    pub manifest: Option<usize>,
    /// The file that it stands in (a template's path for Helm sources), in the repository.
    pub file: Rc<str>,
}

/// Renders a source. `files` are those of the commit.
pub fn generate(
    files: &MemWorld,
    source: &Source,
    revision: &str,
    request: &Request<'_>,
    session: &mut helm::Session,
) -> Result<Generated, RepoError> {
    if !source.chart.is_empty() {
        return Err(RepoError::unknown("charts from Helm repositories are not simulated yet"));
    }
    let path = app_path(files, &source.path)?;
    let source_type = detect(files, source, &path)?;
    let mut generated = match source_type {
        SourceType::Helm => helm_source(files, source, revision, &path, request, session)?,
        SourceType::Directory => directory(files, source, &path)?,
        SourceType::Kustomize => overlay(files, source, revision, &path, request)?,
    };
    generated.objects = expand_lists(generated.objects);
    for target in &mut generated.objects {
        tracking::mark(&mut target.object, request.instance, request.namespace).map_err(RepoError::unknown)?;
    }
    Ok(generated)
}

fn app_path(files: &MemWorld, path: &str) -> Result<String, RepoError> {
    if path.starts_with('/') {
        return Err(RepoError::unknown(format!("{path}: app path is absolute")));
    }
    let clean = world::clean(path);
    if clean == ".." || clean.starts_with("../") {
        return Err(RepoError::unknown(format!("{path}: app path outside root")));
    }
    match files.kind(&clean) {
        Ok(EntryKind::Dir) => Ok(clean),
        Ok(_) => Err(RepoError::unknown(format!("{path}: app path is not a directory"))),
        Err(_) => Err(RepoError::unknown(format!("{path}: app path does not exist"))),
    }
}

/// The kind that the source names, else what lies in its folder.
fn detect(files: &MemWorld, source: &Source, path: &str) -> Result<SourceType, RepoError> {
    let mut named = Vec::new();
    for (kind, there) in [
        (SourceType::Kustomize, source.kustomize.is_some()),
        (SourceType::Helm, source.helm.is_some()),
        (SourceType::Directory, source.directory.is_some()),
    ] {
        if there {
            named.push(kind);
        }
    }
    if named.len() > 1 {
        let list: Vec<&str> = named.iter().map(|k| k.text()).collect();
        return Err(RepoError::unknown(format!("multiple application sources defined: {}", list.join(","))));
    }
    if let Some(kind) = named.first() {
        return Ok(*kind);
    }
    let mut found = SourceType::Directory;
    for (name, kind) in files.list(path).unwrap_or_default() {
        if kind != EntryKind::File {
            continue;
        }
        if name.ends_with("Chart.yaml") {
            found = SourceType::Helm;
        } else if matches!(&*name, "kustomization.yaml" | "kustomization.yml" | "Kustomization") {
            return Ok(SourceType::Kustomize);
        }
    }
    Ok(found)
}

/// A Kustomize overlay with the Application's overrides.
fn overlay(
    files: &MemWorld,
    source: &Source,
    revision: &str,
    path: &str,
    request: &Request<'_>,
) -> Result<Generated, RepoError> {
    let none = Json::Null;
    let block = source.kustomize.as_ref().unwrap_or(&none);
    let fill = |text: &str| substitute(text, source, revision, request);
    let overrides = kustomize::Overrides::read(block, &fill).map_err(RepoError::unknown)?;
    let built = kustomize::build(files, path, &overrides, CACHED).map_err(|text| {
        RepoError::unknown(format!("`kustomize build {CACHED}/{path}` failed exit status 1: {text}"))
    })?;
    let target = |r: &kustomize::Resource| Target { object: r.object.clone(), manifest: None, file: r.file.clone() };
    Ok(Generated {
        source_type: SourceType::Kustomize,
        objects: built.resources.iter().map(target).collect(),
        rendered: None,
        overlay: Some(Rc::new(built)),
    })
}

const CACHED: &str = "<path to cached source>";

fn helm_source(
    files: &MemWorld,
    source: &Source,
    revision: &str,
    path: &str,
    request: &Request<'_>,
    session: &mut helm::Session,
) -> Result<Generated, RepoError> {
    let none = HelmSource::default();
    let helm = source.helm.as_ref().unwrap_or(&none);
    let release = if helm.release_name.is_empty() { request.app } else { &helm.release_name };
    let namespace = if helm.namespace.is_empty() { request.namespace } else { &helm.namespace };
    let kube = if helm.kube_version.is_empty() { request.kube_version } else { &helm.kube_version };
    let substitute = |text: &str| substitute(text, source, revision, request);
    let mut options = TemplateOptions::new(if path.is_empty() { "." } else { path });
    options.version = HelmVersion::V4;
    options.release_name = release.to_string();
    options.namespace = namespace.to_string();
    options.kube_version = Some(kube.to_string());
    options.api_versions = match &helm.api_versions[..] {
        [] => request.api_versions.list(),
        own => own.iter().map(ToString::to_string).collect(),
    };
    options.include_crds = !helm.skip_crds;
    options.skip_tests = helm.skip_tests;
    options.skip_schema_validation = helm.skip_schema_validation;
    options.trace = true;
    let mut command = format!("helm template . --name-template {release}");
    if !namespace.is_empty() {
        command.push_str(&format!(" --namespace {namespace}"));
    }
    command.push_str(&format!(" --kube-version {kube}"));
    for (i, parameter) in helm.parameters.iter().enumerate() {
        // A name that comes again is set once, by its last value.
        if helm.parameters[i + 1..].iter().any(|p| p.name == parameter.name) {
            continue;
        }
        let flavour = if parameter.force_string { Flavour::Text } else { Flavour::Typed };
        let text = format!("{}={}", parameter.name, escape_commas(&substitute(&parameter.value)));
        let flag = if parameter.force_string { "--set-string" } else { "--set" };
        command.push_str(&format!(" {flag} {text}"));
        options.assignments.push(Assignment { flavour, text, kind: LayerKind::AppParameter(i as u32), file: None });
    }
    for (i, (name, file)) in helm.file_parameters.iter().enumerate() {
        let file = in_repository(&substitute(file), path)?;
        command.push_str(&format!(" --set-file {name}={CACHED}/{file}"));
        let text = format!("{name}={file}");
        let kind = LayerKind::AppFileParameter(i as u32);
        options.assignments.push(Assignment { flavour: Flavour::File, text, kind, file: None });
    }
    let mut used: Vec<String> = Vec::new();
    let mut borrowed = files.clone();
    for file in &helm.value_files {
        if let Some((name, rest)) = referenced(file, request)? {
            let inside = world::clean(rest);
            match name.files.iter().find(|(path, _)| ***path == *inside) {
                Some((_, bytes)) => {
                    borrowed.files.insert(file.clone(), bytes.clone());
                }
                None if helm.ignore_missing_value_files => continue,
                None => {}
            }
            used.push(file.to_string());
            continue;
        }
        let named = substitute(file);
        if let Some((scheme, _)) = named.split_once("://") {
            let text = match scheme {
                "http" | "https" => "values files from the network are not simulated yet".to_string(),
                _ => format!("the URL scheme '{scheme}' is not allowed"),
            };
            return Err(values_path(text));
        }
        if named.contains(['*', '?', '[']) {
            for found in glob(files, &in_repository(&named, path)?, &named, helm.ignore_missing_value_files)? {
                if !used.contains(&found) {
                    used.push(found);
                }
            }
            continue;
        }
        let resolved = in_repository(&named, path)?;
        let missing = helm.ignore_missing_value_files && files.kind(&resolved).is_err();
        if !missing && !used.contains(&resolved) {
            used.push(resolved);
        }
    }
    for file in &used {
        command.push_str(&format!(" --values {CACHED}/{}", own_path(file)));
        options.values.push(ValuesSource::File(file.clone()));
    }
    if let Some(json) = &helm.values_object {
        let kind = LayerKind::AppValuesObject;
        options.values.push(ValuesSource::Object { kind, file: None, json: json.clone() });
    } else if !helm.values.is_empty() {
        let text = Rc::from(helm.values.as_bytes());
        options.values.push(ValuesSource::Text { kind: LayerKind::AppValues, file: None, text });
    }
    command.push_str(" <api versions removed>");
    for (flag, on) in [
        ("--include-crds", options.include_crds),
        ("--skip-schema-validation", options.skip_schema_validation),
        ("--skip-tests", options.skip_tests),
    ] {
        if on {
            command.push_str(&format!(" {flag}"));
        }
    }
    let rendered = session.template(&borrowed, &options).map_err(|failure| {
        let mut text = failure.error.message.clone();
        for file in &used {
            text = text.replace(&format!(" {file}: "), &format!(" {CACHED}/{}: ", own_path(file)));
        }
        let hint = if failure.started { "\n\nUse --debug flag to render out invalid YAML" } else { "" };
        RepoError {
            code: "Unknown",
            text: format!(
                "failed to execute helm template command: failed running helm: `{command}` failed exit status 1: \
                 Error: {text}{hint}"
            ),
            diagnostic: Some(Box::new(failure.error.clone())),
        }
    })?;
    let mut objects = Vec::new();
    for (source, bytes) in &rendered.crds {
        for text in documents(&String::from_utf8_lossy(bytes)) {
            let object = read_document(text).map_err(RepoError::unknown)?;
            if !object.is_null() {
                objects.push(Target { object, manifest: None, file: source.as_str().into() });
            }
        }
    }
    for (i, manifest) in rendered.manifests.iter().chain(&rendered.hooks).enumerate() {
        let object = read_document(&manifest.to_text()).map_err(RepoError::unknown)?;
        if !object.is_null() {
            objects.push(Target { object, manifest: Some(i), file: manifest.path.clone() });
        }
    }
    Ok(Generated { source_type: SourceType::Helm, objects, rendered: Some(Rc::new(rendered)), overlay: None })
}

/// The source that a value file names (`$ref/path`), and the path in it; `None` for files of the source itself.
fn referenced<'a, 'b>(file: &'b str, request: &'a Request<'_>) -> Result<Option<(&'a Reference, &'b str)>, RepoError> {
    if !file.starts_with('$') || request.references.is_empty() {
        return Ok(None);
    }
    let (name, rest) = file.split_once('/').unwrap_or((file, ""));
    if name.starts_with("$ARGOCD_") {
        return Ok(None);
    }
    match request.references.iter().find(|r| *r.name == *name) {
        Some(found) => Ok(Some((found, rest))),
        None => {
            let mut known: Vec<&str> = request.references.iter().map(|r| &*r.name).collect();
            base::order::sort(&mut known);
            Err(RepoError::unknown(format!(
                "source referenced \"{name}\", which is not one of the available sources ({})",
                known.join(", ")
            )))
        }
    }
}

/// The path of a value file in its own repository.
fn own_path(file: &str) -> &str {
    if file.starts_with('$') { file.split_once('/').map_or(file, |(_, path)| path) } else { file }
}

fn values_path(text: String) -> RepoError {
    RepoError::unknown(format!("error resolving helm value files: error resolving value file path: {text}"))
}

/// A path of a source: from the repository's root when it begins with `/`, else from the chart.
fn in_repository(file: &str, chart: &str) -> Result<String, RepoError> {
    let joined = match file.strip_prefix('/') {
        Some(rest) => rest.to_string(),
        None => format!("{chart}/{file}"),
    };
    let clean = world::clean(&joined);
    if clean == ".." || clean.starts_with("../") {
        return Err(values_path(format!("file '{file}' resolved to outside repository root")));
    }
    Ok(clean)
}

/// The files that a pattern matches, in lexical order. `**` stands for any number of folders.
fn glob(files: &MemWorld, pattern: &str, written: &str, may_miss: bool) -> Result<Vec<String>, RepoError> {
    let parts: Vec<&str> = pattern.split('/').collect();
    let found: Vec<String> = files
        .files
        .keys()
        .filter(|path| matches(&parts, &path.split('/').collect::<Vec<_>>(), 0))
        .map(ToString::to_string)
        .collect();
    if found.is_empty() && !may_miss {
        return Err(values_path(format!("values file glob \"{written}\" matched no files")));
    }
    Ok(found)
}

fn matches(pattern: &[&str], path: &[&str], depth: usize) -> bool {
    if depth > 64 {
        return false;
    }
    match pattern.split_first() {
        None => path.is_empty(),
        Some((&"**", rest)) => (0..=path.len()).any(|n| matches(rest, &path[n..], depth + 1)),
        Some((part, rest)) => match path.split_first() {
            Some((name, below)) => wild(part.as_bytes(), name.as_bytes()) && matches(rest, below, depth + 1),
            None => false,
        },
    }
}

/// Whether a pattern of a path fits, part by part; `**` stands for any number of folders.
pub(crate) fn path_fits(pattern: &str, path: &str) -> bool {
    matches(&pattern.split('/').collect::<Vec<_>>(), &path.split('/').collect::<Vec<_>>(), 0)
}

/// Whether a pattern with `*` and `?` fits a text.
pub(crate) fn glob_text(pattern: &str, text: &str) -> bool {
    wild(pattern.as_bytes(), text.as_bytes())
}

/// `*` and `?` within one name.
fn wild(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == b'?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (p, n) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

/// Commas of a parameter's value are escaped, unless they are already or the value is a `{…}` list.
fn escape_commas(value: &str) -> String {
    if value.starts_with('{') && value.ends_with('}') {
        return value.to_string();
    }
    let mut out = String::new();
    let mut before = ' ';
    for c in value.chars() {
        if c == ',' && before != '\\' {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

/// Replaces `$NAME` and `${NAME}` by Argo CD's build environment; `$$` is a dollar sign, unknown names become empty.
fn substitute(text: &str, source: &Source, revision: &str, request: &Request<'_>) -> String {
    if !text.contains('$') {
        return text.to_string();
    }
    let cut = |n: usize| revision.get(..n).unwrap_or(revision).to_string();
    let value = |name: &str| match name {
        "ARGOCD_APP_NAME" => request.instance.to_string(),
        "ARGOCD_APP_NAMESPACE" => request.namespace.to_string(),
        "ARGOCD_APP_PROJECT_NAME" => request.project.to_string(),
        "ARGOCD_APP_REVISION" => revision.to_string(),
        "ARGOCD_APP_REVISION_SHORT" => cut(7),
        "ARGOCD_APP_REVISION_SHORT_8" => cut(8),
        "ARGOCD_APP_SOURCE_REPO_URL" => source.repo_url.to_string(),
        "ARGOCD_APP_SOURCE_PATH" => source.path.to_string(),
        "ARGOCD_APP_SOURCE_TARGET_REVISION" => source.target_revision.to_string(),
        _ => String::new(),
    };
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
        } else if let Some((name, after)) = rest.strip_prefix('{').and_then(|r| r.split_once('}')) {
            out.push_str(&value(name));
            rest = after;
        } else {
            let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
            out.push_str(&value(&rest[..end]));
            rest = &rest[end..];
        }
    }
    out + rest
}

/// Plain manifests: the YAML and JSON files of the folder, in lexical order, below it only with `recurse`.
fn directory(files: &MemWorld, source: &Source, path: &str) -> Result<Generated, RepoError> {
    let none = Json::Null;
    let block = source.directory.as_ref().unwrap_or(&none);
    let recurse = block.get("recurse").and_then(Json::as_bool) == Some(true);
    let (include, exclude) = (block.text_at(&["include"]), block.text_at(&["exclude"]));
    let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
    let mut objects = Vec::new();
    for (file, bytes) in &files.files {
        let Some(relative) = file.strip_prefix(prefix.as_str()) else { continue };
        let known = [".yaml", ".yml", ".json", ".jsonnet"].iter().any(|e| relative.ends_with(e));
        if !known || (!recurse && relative.contains('/')) {
            continue;
        }
        if (!exclude.is_empty() && any_wild(exclude, relative)) || (!include.is_empty() && !any_wild(include, relative))
        {
            continue;
        }
        if relative.ends_with(".jsonnet") {
            return Err(RepoError::unknown("jsonnet is not simulated yet"));
        }
        let text = String::from_utf8_lossy(bytes);
        if text.contains("+argocd:skip-file-rendering") {
            continue;
        }
        let refuse = |text: String| RepoError { code: "FailedPrecondition", text, diagnostic: None };
        if relative.ends_with(".json") {
            let object = Json::parse(&text).map_err(|e| {
                refuse(format!("Failed to unmarshal \"{relative}\": failed to unmarshal manifest: {e}"))
            })?;
            objects.push(Target { object, manifest: None, file: file.clone() });
            continue;
        }
        let before = objects.len();
        for document in documents(&text) {
            match read_manifest(document) {
                Ok(Json::Null) => {}
                Ok(object) => objects.push(Target { object, manifest: None, file: file.clone() }),
                // A file that shows no sign of being a manifest is left out without a word.
                Err(error) => {
                    let alike = ["apiVersion:", "kind:", "metadata:"].iter().all(|w| text.contains(w));
                    if objects.len() > before || alike {
                        return Err(refuse(format!("Failed to unmarshal \"{relative}\": {error}")));
                    }
                    break;
                }
            }
        }
    }
    Ok(Generated { source_type: SourceType::Directory, objects, rendered: None, overlay: None })
}

/// A glob without a notion of separators; `{a,b}` offers choices.
fn any_wild(pattern: &str, path: &str) -> bool {
    let choices: Vec<&str> = match pattern.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
        Some(list) => list.split(',').collect(),
        None => vec![pattern],
    };
    choices.iter().any(|c| wild(c.as_bytes(), path.as_bytes()))
}

/// The documents of a stream, cut at lines that begin with `---`.
fn documents(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") {
            out.push(&text[start..at]);
            start = at + line.len();
        }
        at += line.len();
    }
    out.push(&text[start..]);
    out.retain(|d| !d.trim().is_empty());
    out
}

fn read_document(text: &str) -> Result<Json, String> {
    yaml::to_json(text.as_bytes()).map_err(|e| format!("failed to unmarshal manifest: {}", e.converting()))
}

fn read_manifest(text: &str) -> Result<Json, String> {
    let object = read_document(text)?;
    if object.is_null() || !object.text_at(&["kind"]).is_empty() {
        return Ok(object);
    }
    Err(format!("failed to unmarshal manifest: Object 'Kind' is missing in '{}'", object.to_text()))
}

/// `List` objects are replaced by their items.
fn expand_lists(targets: Vec<Target>) -> Vec<Target> {
    let mut out = Vec::new();
    for target in targets {
        let list = target.object.text_at(&["kind"]).ends_with("List") && target.object.get("items").is_some();
        if !list {
            out.push(target);
            continue;
        }
        for item in target.object.items_at(&["items"]) {
            out.push(Target { object: item.clone(), ..target.clone() });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_variables() {
        assert_eq!(escape_commas("a,b"), "a\\,b");
        assert_eq!(escape_commas("a\\,b"), "a\\,b");
        assert_eq!(escape_commas("{a,b}"), "{a,b}");
        assert!(wild(b"values-*.yaml", b"values-prod.yaml") && !wild(b"a?", b"a"));
    }

    #[test]
    fn documents_are_cut_at_dashes() {
        assert_eq!(documents("---\na: 1\n---\n\n--- # x\nb: 2\n"), ["a: 1\n", "b: 2\n"]);
    }
}
