//! One call of `helm template` from options to manifests, and what is kept from call to call: parsed templates, by
//! name and content. A warm session gives the same bytes as a cold one.

use crate::capabilities::{Capabilities, KubeVersion};
use crate::chart::{ChartRef, crds};
use crate::coalesce::{Nulls, coalesce};
use crate::context::{self, Release};
use crate::dependencies;
use crate::engine;
use crate::explain;
use crate::funcs;
use crate::funcs::RenderHost;
use crate::layers;
use crate::load;
use crate::manifest::{Manifest, RenderedFile, sort_files};
use crate::notice::Log;
use crate::options::TemplateOptions;
use crate::origins::{Origins, SharedOrigins};
use crate::schema::{self, Schemas};
use crate::strvals::quote;
use crate::values::{TableRef, Value};
use crate::version::HelmVersion;
use base::SortedMap;
use base::{Diagnostic, World};
use gotmpl::{Func, Heap, Options, Parsed, Set};
use std::rc::Rc;

/// What a render gives.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// Name of the release, after `--name-template`.
    pub release_name: String,
    /// Custom resource definitions of `crds/` directories, as (source, bytes); only with `include_crds`.
    pub crds: Vec<(String, Rc<[u8]>)>,
    /// Manifests in the order of their kinds.
    pub manifests: Vec<Manifest>,
    /// Hooks in the order of their kinds.
    pub hooks: Vec<Manifest>,
    /// Text of `NOTES.txt`.
    pub notes: String,
    /// What Helm logged, each line once.
    pub diagnostics: Vec<Diagnostic>,
    /// The log as Helm writes it.
    pub log: Log,
    /// The effective values of the root chart, sub-charts inside.
    pub values: TableRef,
    /// Marks' meaning, when the render was traced.
    pub trace: Option<Rc<Trace>>,
}

/// What the marks of a traced render refer to.
#[derive(Debug)]
pub struct Trace {
    /// The heap: labels, template files and call stacks.
    pub heap: Heap,
    /// What dependencies stand for.
    pub origins: Origins,
    /// Path of each template in the World, by its key.
    pub paths: SortedMap<Rc<str>, Rc<str>>,
}

/// A render that ended with an error.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The error, in Helm's words.
    pub error: Diagnostic,
    /// What Helm logged before.
    pub log: Log,
    /// True when the chart was loaded and its values were good: the command then adds a hint about `--debug`.
    pub started: bool,
    /// For an error in a rendered document, all rendered files: what `--debug` prints.
    pub files: Vec<RenderedFile>,
}

/// A template's text and what it parses to.
type Content = (Rc<[u8]>, Rc<Parsed>);

/// Parsed templates by name; the last few contents of each.
#[derive(Debug, Default)]
pub struct ParsedTemplates {
    known: SortedMap<(Rc<str>, HelmVersion), Vec<Content>>,
}

/// Contents kept of one name.
const KEPT: usize = 4;

impl ParsedTemplates {
    /// The parsed form of a template, new or kept.
    pub fn parse(
        &mut self,
        name: &Rc<str>,
        text: &Rc<[u8]>,
        funcs: &'static [&'static [Func]],
        version: HelmVersion,
    ) -> Result<Rc<Parsed>, Diagnostic> {
        let kept = self.known.entry((name.clone(), version)).or_default();
        let same = |(known, _): &&Content| Rc::ptr_eq(known, text) || known == text;
        if let Some((_, parsed)) = kept.iter().find(same) {
            return Ok(parsed.clone());
        }
        let parsed = Parsed::parse(name, text, funcs)?;
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((text.clone(), parsed.clone()));
        Ok(parsed)
    }
}

/// Renders charts and remembers what it parsed.
#[derive(Debug, Default)]
pub struct Session {
    parsed: ParsedTemplates,
    schemas: Schemas,
}

impl Session {
    /// An empty session.
    pub fn new() -> Session {
        Session::default()
    }

    /// Runs `helm template`.
    pub fn template(&mut self, world: &dyn World, options: &TemplateOptions) -> Result<Rendered, Box<Failure>> {
        let mut log = Log::default();
        let mut progress = Progress::default();
        match self.run(world, options, &mut log, &mut progress) {
            Ok(rendered) => Ok(Rendered { diagnostics: log.distinct(), log, ..rendered }),
            Err(error) => Err(Box::new(Failure { error, log, started: progress.started, files: progress.files })),
        }
    }

    fn run(
        &mut self,
        world: &dyn World,
        options: &TemplateOptions,
        log: &mut Log,
        progress: &mut Progress,
    ) -> Result<Rendered, Diagnostic> {
        let version = options.version;
        let fail = |code: &'static str, text: String| Diagnostic::error(code, text);
        let kube_version = match options.kube_version.as_deref().filter(|text| !text.is_empty()) {
            None => None,
            Some(text) => Some(
                KubeVersion::parse(text, version)
                    .map_err(|error| fail("helm/kube-version", format!("invalid kube version '{text}': {error}")))?,
            ),
        };
        let release_name = if options.name_template.is_empty() {
            options.release_name.clone()
        } else {
            self.name_of_template(world, options)?
        };
        world.kind(&options.chart).map_err(|_| locate_failure(&options.chart))?;
        let user = layers::user_values(world, &options.values, &options.assignments, version)?;
        let chart = load::load(world, &options.chart, version, log)?;
        check_installable(&chart, version, log)?;
        check_release_name(&release_name).map_err(|text| {
            let text = format!("release name {}: {text}", quote(&release_name));
            wrapped(version, log, "helm/release-name", "release name check failed", text)
        })?;
        let mut keep = vec![chart.clone()];
        dependencies::process(&chart, &user, version, &mut keep, log)
            .map_err(|text| wrapped(version, log, "helm/dependencies", "chart dependencies processing failed", text))?;
        let capabilities = Capabilities::new(kube_version, &options.api_versions);
        let values = coalesce(&chart, &user, Nulls::Remove, version, log).map_err(|text| fail("helm/values", text))?;
        if !options.skip_schema_validation {
            schema::check(&chart, &values, &mut self.schemas, version, log)?;
        }
        progress.started = true;
        let range = chart.metadata.borrow().kube_version.clone();
        let cluster = &capabilities.kube_version.normalised;
        if !range.is_empty() && !dependencies::in_range(&range, cluster) {
            let text = format!("chart requires kubeVersion: {range} which is incompatible with Kubernetes {cluster}");
            return Err(fail("helm/kube-version", text));
        }
        let release = Release {
            name: release_name.clone(),
            namespace: options.namespace.clone(),
            is_upgrade: options.is_upgrade,
            revision: 1,
        };
        let mut heap = Heap::new(options.trace);
        let origins = SharedOrigins::default();
        let templates =
            context::build(&mut heap, &chart, &values, &release, &capabilities, version, &mut origins.0.borrow_mut());
        let paths = templates.iter().map(|t| (t.key.clone(), t.file.path.clone())).collect();
        let mut host = RenderHost::new(version, world.now(), world.seed());
        if options.trace {
            host.tracer = Some(Box::new(origins.clone()));
        }
        let mut files = engine::render(templates, &mut heap, &mut host, &mut self.parsed, version)?;
        let notes = take_notes(&mut files, &chart, options.render_subchart_notes);
        let (manifests, hooks) = match sort_files(&files, version, log) {
            Ok(sorted) => sorted,
            Err(bad) => {
                progress.files = files;
                if !options.trace {
                    return Err(bad.error);
                }
                drop(host);
                let trace = Trace { heap, origins: Origins::default(), paths };
                return Err(explain::at_template(&trace, *bad));
            }
        };
        drop(host);
        let trace = options.trace.then(|| {
            let origins = std::mem::take(&mut *origins.0.borrow_mut());
            Rc::new(Trace { heap, origins, paths })
        });
        let crds = if options.include_crds { crds(&chart) } else { Vec::new() };
        Ok(Rendered {
            release_name,
            crds: crds.into_iter().map(|(source, file)| (source, file.data)).collect(),
            manifests,
            hooks,
            notes,
            diagnostics: Vec::new(),
            log: Log::default(),
            values,
            trace,
        })
    }

    fn name_of_template(&mut self, world: &dyn World, options: &TemplateOptions) -> Result<String, Diagnostic> {
        let parsed = Parsed::parse("name-template", options.name_template.as_bytes(), funcs::tables(options.version))?;
        let mut set = Set::new();
        set.add(&parsed);
        let mut heap = Heap::new(false);
        let mut host = RenderHost::new(options.version, world.now(), world.seed());
        let dot = gotmpl::Value::NIL;
        let name = "name-template";
        let text = gotmpl::render(&set, name, name, dot, &mut heap, &mut host, &Options::default())
            .map_err(|error| error.diagnostic())?;
        Ok(String::from_utf8_lossy(&text.bytes).into_owned())
    }
}

#[derive(Default)]
struct Progress {
    started: bool,
    files: Vec<RenderedFile>,
}

/// Helm 4 logs some errors and says once more what failed.
fn wrapped(version: HelmVersion, log: &mut Log, code: &'static str, what: &'static str, text: String) -> Diagnostic {
    if version.is_v4() {
        log.error(code, what, &text);
        return Diagnostic::error(code, format!("{what}: {text}"));
    }
    Diagnostic::error(code, text)
}

/// Where Helm would go on to look for a chart that is not on disk.
fn locate_failure(name: &str) -> Diagnostic {
    let name = name.trim();
    let text = if name.starts_with(['/', '.']) {
        format!("path {} not found", quote(name))
    } else if name.contains("://") {
        format!("charts are not downloaded here: {name}")
    } else {
        match name.split_once('/') {
            None => format!("non-absolute URLs should be in form of repo_name/path_to_chart, got: {name}"),
            Some((repo, _)) => format!("repo {repo} not found"),
        }
    };
    Diagnostic::error("helm/load", text)
}

fn check_installable(chart: &ChartRef, version: HelmVersion, log: &mut Log) -> Result<(), Diagnostic> {
    let metadata = chart.metadata.borrow();
    if !matches!(&*metadata.kind, "" | "application") {
        let text = format!("{} charts are not installable", metadata.kind);
        return Err(Diagnostic::error("helm/metadata", text));
    }
    if metadata.deprecated {
        let text = if version.is_v4() { "this chart is deprecated" } else { "WARNING: This chart is deprecated" };
        log.warn("", "helm/deprecated", text);
    }
    if metadata.dependencies.is_none() {
        return Ok(());
    }
    drop(metadata);
    let missing = dependencies::missing(chart);
    if missing.is_empty() {
        return Ok(());
    }
    let missing: Vec<&str> = missing.iter().map(|name| &**name).collect();
    let intro = if version.is_v4() {
        "an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies"
    } else {
        "An error occurred while checking for chart dependencies. You may need to run `helm dependency build` to fetch missing dependencies"
    };
    let text = format!("{intro}: found in Chart.yaml, but missing in charts/ directory: {}", missing.join(", "));
    Err(Diagnostic::error("helm/dependencies", text))
}

fn check_release_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("no name provided");
    }
    let edge = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let good = |part: &str| {
        let bytes = part.as_bytes();
        edge(bytes.first())
            && edge(bytes.last())
            && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
    };
    if name.len() > 53 || !name.split('.').all(good) {
        return Err(
            "invalid release name, must match regex ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ and the length must not be longer than 53",
        );
    }
    Ok(())
}

/// Takes the notes out of the files: the root chart's, or all.
fn take_notes(files: &mut Vec<RenderedFile>, chart: &ChartRef, all: bool) -> String {
    let own = format!("{}/templates/NOTES.txt", chart.name());
    let mut notes = String::new();
    files.retain(|file| {
        if !file.source.ends_with("NOTES.txt") {
            return true;
        }
        if all || *file.source == *own {
            if !notes.is_empty() {
                notes.push('\n');
            }
            notes.push_str(&String::from_utf8_lossy(&file.text.bytes));
        }
        false
    });
    notes
}

/// The effective values as one value.
pub(crate) fn root_value(values: &TableRef) -> Value {
    Value::new(crate::values::Data::Map(values.clone()), None)
}

/// The values of a chart under the user's layers, without rendering.
pub(crate) fn effective_values(
    world: &dyn World,
    options: &TemplateOptions,
    log: &mut Log,
) -> Result<(ChartRef, TableRef), Diagnostic> {
    let version = options.version;
    let user = layers::user_values(world, &options.values, &options.assignments, version)?;
    let chart = load::load(world, &options.chart, version, log)?;
    let mut keep = vec![chart.clone()];
    let fail = |text: String| Diagnostic::error("helm/values", text);
    dependencies::process(&chart, &user, version, &mut keep, log).map_err(fail)?;
    let values = coalesce(&chart, &user, Nulls::Remove, version, log).map_err(fail)?;
    Ok((chart, values))
}
