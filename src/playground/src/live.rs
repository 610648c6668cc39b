//! The live render: the source of the file in view, from the work tree as it is typed. When an Application's manifest
//! points at it, it is rendered as Argo CD renders it; else a chart as `helm template` does with the lesson's values
//! files, and a Kustomize folder as it is. The last good render is kept and shown as stale while there is an error.

use crate::engine;
use crate::place::Places;
use crate::session::Playground;
use argocd::source::{Generated, Request};
use base::SortedMap;
use base::{Diagnostic, Json, MemWorld, Severity};
use helm::{Rendered, Session, TemplateOptions, ValuesSource};
use protocol::{DiagnosticView, ManifestView, Message, RenderView, SeverityView, SourceView};
use std::rc::Rc;

/// Calls shown of one error.
const SHOWN_CALLS: usize = 12;

/// What is rendered, and the last good render.
#[derive(Debug, Default)]
pub(crate) struct Live {
    session: Session,
    /// The folder in view (a chart, an overlay, plain manifests), relative to the work tree.
    chart: String,
    /// The last good render.
    pub(crate) good: Option<Good>,
    /// The last typed manifest of the Application that could be read, with its path.
    app: Option<(String, Json)>,
    input: Option<Input>,
    /// Text of each manifest that the page has, by id.
    sent: SortedMap<String, String>,
    last: Option<RenderView>,
}

/// A render that went well.
#[derive(Clone, Debug)]
pub(crate) struct Good {
    pub(crate) made: Made,
    pub(crate) source: SourceView,
    /// Texts that it was made from, by absolute path.
    pub(crate) files: SortedMap<Rc<str>, Rc<[u8]>>,
}

/// What was made.
#[derive(Clone, Debug)]
pub(crate) enum Made {
    /// A chart's manifests.
    Helm(Rc<Rendered>),
    /// Objects of a Kustomize build or of plain files.
    Plain(Rc<Generated>),
}

impl Good {
    /// The render, for charts.
    pub(crate) fn rendered(&self) -> Option<&Rc<Rendered>> {
        match &self.made {
            Made::Helm(rendered) => Some(rendered),
            Made::Plain(_) => None,
        }
    }
}

/// A manifest as it is shown.
struct Shown {
    source: String,
    kind: String,
    name: String,
    text: String,
}

impl Made {
    fn shown(&self) -> Vec<Shown> {
        match self {
            Made::Helm(rendered) => {
                let shown = |manifest: &helm::Manifest| Shown {
                    source: manifest.source.to_string(),
                    kind: manifest.kind.to_string(),
                    name: manifest.name.to_string(),
                    text: manifest.to_text(),
                };
                rendered.manifests.iter().chain(&rendered.hooks).map(shown).collect()
            }
            Made::Plain(generated) => {
                let shown = |target: &argocd::source::Target| {
                    let object = untracked(&target.object);
                    let name = object.text_at(&["metadata", "name"]);
                    let name = if name.is_empty() { object.text_at(&["metadata", "generateName"]) } else { name };
                    Shown {
                        source: target.file.to_string(),
                        kind: object.text_at(&["kind"]).to_string(),
                        name: name.to_string(),
                        text: yaml::emit_v2(&object),
                    }
                };
                generated.objects.iter().map(shown).collect()
            }
        }
    }
}

/// An object without the mark that Argo CD gives it: what the source says.
pub(crate) fn untracked(object: &Json) -> Json {
    let mut out = object.clone();
    out.remove(&["metadata", "annotations", argocd::tracking::TRACKING_ANNOTATION]);
    if out.at(&["metadata", "annotations"]).and_then(Json::as_map).is_some_and(base::Map::is_empty) {
        out.remove(&["metadata", "annotations"]);
    }
    out
}

/// Everything that a render depends on.
#[derive(Debug, PartialEq)]
struct Input {
    files: git::Files,
    app: Option<(String, Option<String>)>,
    chart: String,
}

impl Live {
    /// The view; `None` when nothing changed.
    pub(crate) fn view(&mut self, playground: &Playground, whole: bool, revision: u64) -> Option<RenderView> {
        let lesson = playground.lesson.clone()?;
        let disk = playground.disk();
        let work_tree = format!("{}/", lesson.repository.work_tree);
        let mut files: git::Files = SortedMap::new();
        for (path, bytes) in &disk {
            if let Some(inside) = path.strip_prefix(&work_tree) {
                files.insert(inside.into(), bytes.clone());
            }
        }
        let mut problems = Vec::new();
        let apps = applications(&disk, &lesson.repository.url);
        self.choose(&playground.focus, &work_tree, &files, &apps, &lesson.charts);
        let app = self.application(&apps, &disk, &mut problems);
        let text_of = |path: &str| disk.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let input = Input {
            files: files.clone(),
            app: app.as_ref().map(|(path, _)| (path.clone(), text_of(path))),
            chart: self.chart.clone(),
        };
        if whole {
            self.sent.clear();
            self.last = None;
        }
        if self.input.as_ref() == Some(&input) && !whole {
            return None;
        }
        self.input = Some(input);
        let places = Places::new(&work_tree, &disk);
        let mut view = RenderView { revision, fresh: true, ..RenderView::default() };
        if self.chart.is_empty() || !has_files(&files, &self.chart) {
            self.good = None;
        } else {
            let world = MemWorld { files, now: playground.state.now, seed: playground.state.seed };
            let result = match &app {
                Some((path, object)) => {
                    let name = object.text_at(&["metadata", "name"]).to_string();
                    let source = SourceView::Application {
                        name,
                        file: path.clone(),
                        path: format!("{work_tree}{}", self.chart),
                    };
                    let outcome = self.as_application(&world, object, &engine::api_versions(&playground.state));
                    let manifest = disk.get(path.as_str()).map(|bytes| &bytes[..]).unwrap_or_default();
                    (
                        source,
                        outcome
                            .map_err(|errors| errors.into_iter().map(|e| at_value_file(e, path, manifest)).collect()),
                    )
                }
                None if has(&world.files, &self.chart, CHART) || self.kustomization(&world.files).is_none() => {
                    self.as_template(&world, &work_tree, &lesson.charts)
                }
                None => {
                    let path = Json::map([("path", self.chart.as_str().into())]);
                    let app = Json::map([("spec", Json::map([("source", path)]))]);
                    let source = SourceView::Folder { path: format!("{work_tree}{}", self.chart) };
                    (source, self.as_application(&world, &app, &[]))
                }
            };
            let (source, outcome) = result;
            match outcome {
                Ok(made) => {
                    if let Made::Helm(rendered) = &made {
                        problems.extend(rendered.diagnostics.clone());
                    }
                    self.good = Some(Good { made, source: source.clone(), files: disk.clone() });
                }
                Err(errors) => problems.extend(errors),
            }
            view.source = source;
        }
        view.diagnostics = problems.iter().map(|problem| diagnostic(problem, &places)).collect();
        view.fresh = !problems.iter().any(|problem| problem.severity == Severity::Error);
        self.manifests(&mut view);
        self.last = Some(RenderView { manifests: Vec::new(), ..view.clone() });
        Some(view)
    }

    /// The kustomization of the folder in view.
    fn kustomization(&self, files: &git::Files) -> Option<&'static str> {
        KUSTOMIZATIONS.into_iter().find(|name| has(files, &self.chart, name))
    }

    /// Which source the file in view belongs to.
    fn choose(
        &mut self,
        focus: &str,
        work_tree: &str,
        files: &git::Files,
        apps: &[(String, Json)],
        rules: &[lesson::ChartRule],
    ) {
        let is_chart = |dir: &str| has(files, dir, CHART);
        let sources: Vec<String> =
            apps.iter().map(|(_, app)| base::world::clean(app.text_at(&["spec", "source", "path"]))).collect();
        let top = |path: &str| path.split('/').next().unwrap_or("").to_string();
        if let Some((_, app)) = apps.iter().find(|(path, _)| path == focus) {
            let path = base::world::clean(app.text_at(&["spec", "source", "path"]));
            if !path.is_empty() {
                self.chart = path;
                return;
            }
        }
        if let Some(inside) = focus.strip_prefix(work_tree) {
            let mut dir = inside;
            while let Some((up, _)) = dir.rsplit_once('/') {
                dir = up;
                if is_chart(dir) || sources.iter().any(|source| source == dir) {
                    self.chart = dir.to_string();
                    return;
                }
                if KUSTOMIZATIONS.iter().any(|name| has(files, dir, name)) {
                    // A base is seen through the overlay that is deployed.
                    let overlay = sources.iter().find(|source| top(source) == top(dir));
                    self.chart = overlay.cloned().unwrap_or_else(|| dir.to_string());
                    return;
                }
            }
        }
        // A chart that lost its Chart.yaml stays in view, so that the person reads the real tool's error.
        if !self.chart.is_empty() && has_files(files, &self.chart) {
            return;
        }
        let rule = rules.iter().map(|rule| rule.path.clone()).find(|path| has_files(files, path));
        let any = || files.keys().find_map(|path| path.strip_suffix("/Chart.yaml").map(str::to_string));
        self.chart = rule.or_else(any).unwrap_or_default();
    }

    /// The Application that points at the chart: the typed manifest, or its last readable form while it is broken.
    fn application(
        &mut self,
        apps: &[(String, Json)],
        disk: &SortedMap<Rc<str>, Rc<[u8]>>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<(String, Json)> {
        let chart = self.chart.clone();
        let points = |app: &Json| base::world::clean(app.text_at(&["spec", "source", "path"])) == chart;
        if let Some((path, _)) = &self.app
            && let Some(bytes) = disk.get(path.as_str())
            && let Err(error) = yaml::to_json(bytes)
        {
            let place = base::Place::new(path.as_str(), error.span);
            problems.push(Diagnostic::error("yaml/parse", error.converting()).at(place));
            return self.app.clone().filter(|(_, app)| points(app));
        }
        self.app = apps.iter().find(|(_, app)| points(app)).cloned();
        self.app.clone()
    }

    fn as_application(
        &mut self,
        world: &MemWorld,
        object: &Json,
        api_versions: &[String],
    ) -> Result<Made, Vec<Diagnostic>> {
        let app = argocd::Application::read(object);
        let Some(source) = app.spec.sources.first() else { return Err(Vec::new()) };
        let request = Request {
            instance: &app.name,
            app: &app.name,
            namespace: &app.spec.destination.namespace,
            project: &app.spec.project,
            kube_version: "1.36.1",
            api_versions: argocd::source::Served::Listed(api_versions),
            now: world.now,
            seed: world.seed,
            references: &[],
        };
        let made = argocd::source::generate(world, source, "", &request, &mut self.session);
        match made {
            Ok(Generated { rendered: Some(rendered), .. }) => Ok(Made::Helm(rendered)),
            Ok(generated) => Ok(Made::Plain(Rc::new(generated))),
            Err(error) => Err(vec![match error.diagnostic {
                Some(diagnostic) => *diagnostic,
                None => Diagnostic::error("argocd/manifest", error.text),
            }]),
        }
    }

    fn as_template(
        &mut self,
        world: &MemWorld,
        work_tree: &str,
        rules: &[lesson::ChartRule],
    ) -> (SourceView, Result<Made, Vec<Diagnostic>>) {
        let mut options = TemplateOptions::new(self.chart.clone());
        options.trace = true;
        let mut value_files = Vec::new();
        if let Some(rule) = rules.iter().find(|rule| rule.path == self.chart) {
            options.release_name.clone_from(&rule.release);
            options.namespace.clone_from(&rule.namespace);
            for file in &rule.value_files {
                let path = base::world::clean(&format!("{}/{file}", self.chart));
                if world.files.contains_key(path.as_str()) {
                    value_files.push(file.clone());
                    options.values.push(ValuesSource::File(path));
                }
            }
        }
        let source = SourceView::Chart { path: format!("{work_tree}{}", self.chart), value_files };
        let rendered = self.session.template(world, &options).map(|rendered| Made::Helm(Rc::new(rendered)));
        (source, rendered.map_err(|failure| vec![failure.error]))
    }

    /// Puts the manifests of the last good render into the view, texts only where the page has another.
    fn manifests(&mut self, view: &mut RenderView) {
        let Some(good) = &self.good else {
            self.sent.clear();
            return;
        };
        let mut now: SortedMap<String, String> = SortedMap::new();
        for Shown { source, kind, name, text } in good.made.shown() {
            let mut id = format!("{source}|{kind}|{name}");
            while now.contains_key(&id) {
                id.push('+');
            }
            if self.sent.get(&id) != Some(&text) {
                let hash = git::Oid::of("blob", text.as_bytes()).short();
                view.manifests.push(ManifestView { id: id.clone(), source, kind, name, text: text.clone(), hash });
            }
            view.order.push(id.clone());
            now.insert(id, text);
        }
        self.sent = now;
    }

    /// The manifest with this id in the last good render: its index among manifests and hooks.
    pub(crate) fn index(&self, id: &str) -> Option<usize> {
        self.last.as_ref()?.order.iter().position(|other| other == id)
    }

    /// The Application in view as typed, with its path.
    pub(crate) fn application_in_view(&self) -> Option<&(String, Json)> {
        self.app.as_ref()
    }
}

/// Manifests of Applications among the files whose source is this repository: path and object.
fn applications(disk: &SortedMap<Rc<str>, Rc<[u8]>>, url: &str) -> Vec<(String, Json)> {
    let mut found = Vec::new();
    for (path, bytes) in disk {
        let yaml = path.ends_with(".yaml") || path.ends_with(".yml");
        if !yaml || !String::from_utf8_lossy(bytes).contains("kind: Application") {
            continue;
        }
        let Ok(object) = yaml::to_json(bytes) else { continue };
        let ours = object.text_at(&["kind"]) == "Application"
            && object.text_at(&["spec", "source", "repoURL"]).trim_end_matches(".git") == url.trim_end_matches(".git");
        if ours {
            found.push((path.to_string(), object));
        }
    }
    found
}

/// An error about a value file that is not there, at the entry of the Application's `valueFiles` that names it.
fn at_value_file(error: Diagnostic, path: &str, manifest: &[u8]) -> Diagnostic {
    if error.primary.is_some() || !error.message.ends_with("no such file or directory") {
        return error;
    }
    let Ok(Some(doc)) = yaml::parse_first(manifest) else { return error };
    let Ok(object) = yaml::to_json(manifest) else { return error };
    let names = object.items_at(&["spec", "source", "helm", "valueFiles"]);
    let named = |name: &Json| name.as_str().is_some_and(|name| error.message.contains(&format!("/{name}: ")));
    let Some(index) = names.iter().position(named) else { return error };
    let mut entry: Vec<yaml::PathSeg> =
        ["spec", "source", "helm", "valueFiles"].map(|key| yaml::PathSeg::Key(key.into())).into();
    entry.push(yaml::PathSeg::Index(index));
    let hinted = error.hint("value-file-is-relative-to-chart", []);
    match yaml::span_of(&doc, &entry) {
        Some((_, span)) => hinted.at(base::Place::new(path, span)),
        None => hinted,
    }
}

const CHART: &str = "Chart.yaml";
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

fn has(files: &git::Files, dir: &str, name: &str) -> bool {
    files.contains_key(format!("{dir}/{name}").as_str())
}

fn has_files(files: &git::Files, dir: &str) -> bool {
    let prefix = format!("{dir}/");
    files.keys().any(|path| path.starts_with(&prefix))
}

fn diagnostic(problem: &Diagnostic, places: &Places<'_>) -> DiagnosticView {
    DiagnosticView {
        severity: match problem.severity {
            Severity::Info => SeverityView::Info,
            Severity::Warning => SeverityView::Warning,
            Severity::Error => SeverityView::Error,
        },
        code: problem.code.to_string(),
        message: problem.message.clone(),
        place: problem.primary.as_ref().map(|place| places.view(place)),
        hints: problem
            .hints
            .iter()
            .map(|hint| Message { key: hint.key.into(), args: hint.args.iter().map(ToString::to_string).collect() })
            .collect(),
        trace: calls(problem).map(|place| places.view(place)).collect(),
    }
}

/// The innermost calls; one that calls itself stands once.
fn calls(problem: &Diagnostic) -> impl Iterator<Item = &base::Place> {
    let mut last = None;
    problem.trace.iter().filter(move |place| last.replace(*place) != Some(*place)).take(SHOWN_CALLS)
}
