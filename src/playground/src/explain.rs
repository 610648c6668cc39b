//! "Who set this?" for the page: what Helm, Argo CD, the cluster and Git each know, joined into one chain with the
//! page's places and words.

use crate::live::{Good, Made};
use crate::place::{Places, offset};
use crate::session::{Playground, message};
use crate::{engine, field, view};
use argocd::ObjectKey;
use argocd::explain::{self as chain, Added, Owner, PathSeg};
use argocd::source::Generated;
use base::SortedMap;
use base::{Claim, Fate, Json, LayerKind, Place};
use helm::explain::{Explanation, Field, Reason};
use protocol::{ClaimView, ExplainStep, ExplainView, LayerView, PlaceView, SourceView, Target, ValueRow, ValuesView};
use std::rc::Rc;

/// The longest value that is shown, in characters.
const SHOWN: usize = 120;

/// The chain for a place in a rendered manifest or a field of a live object.
pub(crate) fn explain(playground: &Playground, target: &Target) -> Option<ExplainView> {
    match target {
        Target::Rendered { manifest, line, col } => rendered(playground, manifest, *line, *col),
        Target::Live { group, kind, namespace, name, field } => {
            let part = |text: &str| Rc::from(text);
            let key = ObjectKey { group: part(group), kind: part(kind), namespace: part(namespace), name: part(name) };
            live(playground, &key, field)
        }
        Target::LiveLine { object, line, col } => {
            let field = crate::details::field_at(playground, object, *line, *col)?;
            let part = |text: &str| Rc::from(text);
            let (group, kind) = (part(&object.group), part(&object.kind));
            let key = ObjectKey { group, kind, namespace: part(&object.namespace), name: part(&object.name) };
            live(playground, &key, &field)
        }
    }
}

/// All values of an Application, or of the chart in view, from the last good render.
pub(crate) fn values(playground: &Playground, app: Option<&str>) -> ValuesView {
    let mut view = ValuesView { app: app.unwrap_or("").to_string(), rows: Vec::new() };
    let Some(good) = &playground.live.good else { return view };
    if let SourceView::Application { name, .. } = &good.source {
        view.app.clone_from(name);
    }
    let world = base::MemWorld::default();
    let options = helm::TemplateOptions::new("");
    // With a render at hand its own values are listed; nothing is read again.
    let Some(rendered) = good.rendered() else { return view };
    let rows = helm::explain::values_table(&world, &options, Some(rendered)).unwrap_or_default();
    let context = Context::of(playground, good);
    view.rows = rows
        .into_iter()
        .map(|row| ValueRow {
            value: row.effective.as_deref().map(|text| field::cut(text, SHOWN)).unwrap_or_default(),
            claims: row.claims.iter().map(|claim| context.claim(claim, &row.path)).collect(),
            used: row.used,
            path: row.path.to_string(),
        })
        .collect();
    view
}

fn rendered(playground: &Playground, id: &str, line: u32, col: u32) -> Option<ExplainView> {
    let good = playground.live.good.as_ref()?;
    let index = playground.live.index(id)?;
    let rendered = match &good.made {
        Made::Helm(rendered) => rendered,
        Made::Plain(generated) => return plain(playground, good, generated, index, line, col),
    };
    let manifest = rendered.manifests.iter().chain(&rendered.hooks).nth(index)?;
    let text = manifest.to_text();
    let at = offset(&text, line, col);
    let document = yaml::parse_first(text.as_bytes()).ok()??;
    let path = yaml::field_at(&document, at);
    if path.is_empty() {
        return None;
    }
    let helm = helm::explain::field(rendered, index, &Field::Path(&chain::dotted(&path)))?;
    let context = Context::of(playground, good);
    let group = manifest.api_version.split_once('/').map_or("", |(group, _)| group);
    let key = ObjectKey {
        group: group.into(),
        kind: manifest.kind.clone(),
        namespace: context.namespace.as_str().into(),
        name: manifest.name.clone(),
    };
    let mut view = head(&key, &path, helm.text.trim());
    view.steps.extend(in_cluster(playground, &key, &path));
    context.helm_steps(&helm, &mut view.steps);
    context.git_step(&helm, &mut view.steps);
    Some(view)
}

/// The chain for a field of an object that no template made: its file, and the steps of a Kustomize build.
fn plain(
    playground: &Playground,
    good: &Good,
    generated: &Generated,
    index: usize,
    line: u32,
    col: u32,
) -> Option<ExplainView> {
    let object = crate::live::untracked(&generated.objects.get(index)?.object);
    let text = yaml::emit_v2(&object);
    let document = yaml::parse_first(text.as_bytes()).ok()??;
    let path = yaml::field_at(&document, offset(&text, line, col));
    if path.is_empty() {
        return None;
    }
    let context = Context::of(playground, good);
    let mut key = ObjectKey::of(&object);
    if key.namespace.is_empty() {
        key.namespace = context.namespace.as_str().into();
    }
    let mut view = head(&key, &path, &shown(chain::at(&object, &path)));
    view.steps.extend(in_cluster(playground, &key, &path));
    context.plain_steps(generated, index, &path, &mut view.steps);
    Some(view)
}

/// What the cluster says about a field.
fn in_cluster(playground: &Playground, key: &ObjectKey, path: &[PathSeg]) -> Vec<ExplainStep> {
    let object = playground.shown().object(&sim::ObjectRef {
        group: key.group.clone(),
        kind: key.kind.clone(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
    });
    let Some(object) = object else { return Vec::new() };
    cluster(playground, &chain::owners(&object, path), chain::at(&object, path))
}

fn live(playground: &Playground, key: &ObjectKey, field_path: &str) -> Option<ExplainView> {
    let state = &playground.state;
    let path = segments(field::parts(field_path));
    let names: Vec<String> = engine::objects(state)
        .iter()
        .filter(|object| object.text_at(&["kind"]) == "Application")
        .map(|app| app.text_at(&["metadata", "name"]).to_string())
        .collect();
    let found = names.iter().find_map(|app| {
        let found = chain::field(&state.argocd, &state.cluster, &state.remotes, app, key, &path)?;
        Some((app.clone(), found))
    });
    let Some((app, found)) = found else {
        // Not an Application's own object: only the cluster knows about it.
        let object = state.object(&sim::ObjectRef {
            group: key.group.clone(),
            kind: key.kind.clone(),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
        })?;
        let value = chain::at(&object, &path)?.clone();
        let mut view = head(key, &path, &shown(Some(&value)));
        view.steps = cluster(playground, &chain::owners(&object, &path), Some(&value));
        return Some(view);
    };
    let value = found.live.as_ref().or(found.target.as_ref());
    let mut view = head(key, &path, &shown(value));
    view.steps = cluster(playground, &found.owners, found.live.as_ref());
    if let Some(added) = found.added {
        let text = match added {
            Added::TrackingId => "tracking-annotation",
            Added::DestinationNamespace => "destination-namespace",
        };
        view.steps.push(ExplainStep::Argo { app: app.clone(), text: message(text, &[&app]) });
    }
    let lesson = playground.lesson.as_ref()?;
    let work_tree = format!("{}/", lesson.repository.work_tree);
    let remote = engine::remote(state, &lesson.repository.bare);
    let committed = remote.zip(git::Oid::parse(&found.revision)).map(|(remote, oid)| remote.files(oid));
    let files: SortedMap<Rc<str>, Rc<[u8]>> = committed
        .unwrap_or_default()
        .into_iter()
        .map(|(path, bytes)| (Rc::from(format!("{work_tree}{path}")), bytes))
        .collect();
    let app_file = playground.live.application_in_view().map(|(path, _)| path.clone());
    let context = Context { playground, work_tree, files, app_file, namespace: String::new() };
    if let Some(helm) = &found.helm {
        context.helm_steps(helm, &mut view.steps);
        match (&found.blame, &found.origin) {
            (Some(blame), Some(place)) => view.steps.push(context.git(blame, place)),
            _ => context.not_in_git(helm, &mut view.steps),
        }
    } else if found.target.is_some()
        && let Some(generated) = state.argocd.generated(&app)
        && let Some(index) = generated.objects.iter().position(|target| {
            target.object.text_at(&["kind"]) == &*key.kind && target.object.text_at(&["metadata", "name"]) == &*key.name
        })
    {
        context.plain_steps(generated, index, &path, &mut view.steps);
    }
    Some(view)
}

fn segments(parts: Vec<field::Part>) -> Vec<PathSeg> {
    let segment = |part| match part {
        field::Part::Key(key) | field::Part::Where(key, _) => PathSeg::Key(key.into()),
        field::Part::Index(index) => PathSeg::Index(index),
    };
    parts.into_iter().map(segment).collect()
}

fn head(key: &ObjectKey, path: &[PathSeg], value: &str) -> ExplainView {
    let title = path.iter().rev().find_map(|part| match part {
        PathSeg::Key(key) => Some(key.to_string()),
        PathSeg::Index(_) => None,
    });
    let group = if key.group.is_empty() { String::new() } else { format!("{}/", key.group) };
    let namespace = if key.namespace.is_empty() { String::new() } else { format!("{}/", key.namespace) };
    ExplainView {
        title: title.unwrap_or_default(),
        value: field::cut(value, SHOWN),
        object: format!("{group}{} {namespace}{}", key.kind, key.name),
        field: chain::dotted(path),
        steps: Vec::new(),
    }
}

fn cluster(playground: &Playground, owners: &[Owner], value: Option<&Json>) -> Vec<ExplainStep> {
    let step = |owner: &Owner| ExplainStep::Cluster {
        manager: owner.manager.to_string(),
        operation: owner.operation.to_string(),
        at: view::since_text(playground.start(), &owner.time).unwrap_or_default(),
        value: shown(value),
    };
    owners.iter().map(step).collect()
}

pub(crate) fn shown(value: Option<&Json>) -> String {
    match value {
        None => String::new(),
        Some(Json::Str(text)) => field::cut(text, SHOWN),
        Some(other) => field::cut(&other.to_raw_text(), SHOWN),
    }
}

/// What the steps of one render are told against.
pub(crate) struct Context<'a> {
    pub(crate) playground: &'a Playground,
    work_tree: String,
    pub(crate) files: SortedMap<Rc<str>, Rc<[u8]>>,
    pub(crate) app_file: Option<String>,
    namespace: String,
}

impl<'a> Context<'a> {
    fn of(playground: &'a Playground, good: &Good) -> Context<'a> {
        let lesson = playground.lesson.as_ref();
        let work_tree = lesson.map(|lesson| format!("{}/", lesson.repository.work_tree)).unwrap_or_default();
        let (app_file, namespace) = match &good.source {
            SourceView::Application { file, .. } => {
                let app = playground.live.application_in_view();
                let namespace = app.map(|(_, app)| app.text_at(&["spec", "destination", "namespace"]).to_string());
                (Some(file.clone()), namespace.unwrap_or_default())
            }
            SourceView::Chart { path, .. } => {
                let rules = lesson.map(|lesson| lesson.charts.as_slice()).unwrap_or_default();
                let rule = rules.iter().find(|rule| path.strip_prefix(&work_tree) == Some(&*rule.path));
                (None, rule.map(|rule| rule.namespace.clone()).unwrap_or_default())
            }
            SourceView::Folder { .. } | SourceView::Nothing => (None, String::new()),
        };
        Context { playground, work_tree, files: good.files.clone(), app_file, namespace }
    }

    pub(crate) fn places(&self) -> Places<'_> {
        Places::new(&self.work_tree, &self.files)
    }

    /// Template, values and built-in objects.
    fn helm_steps(&self, helm: &Explanation, steps: &mut Vec<ExplainStep>) {
        let places = self.places();
        let mut builtins: Vec<(String, &'static str)> = Vec::new();
        for action in &helm.actions {
            let source = places.excerpt(&action.place);
            // A quote mark beside an action is not worth a step of its own.
            if action.literal && helm.actions.len() > 1 && !source.chars().any(char::is_alphanumeric) {
                continue;
            }
            builtins.extend(builtin_of(&source));
            steps.push(ExplainStep::Template {
                place: places.view(&action.place),
                action: source,
                literal: action.literal,
                calls: action.stack.iter().map(|(place, _)| places.view(place)).collect(),
            });
        }
        builtins.dedup();
        for (path, key) in builtins {
            steps.push(ExplainStep::Builtin { path, text: message(key, &[]) });
        }
        for (reasons, control) in [(&helm.data, false), (&helm.control, true)] {
            steps.extend(reasons.iter().map(|reason| self.value(reason, control)));
        }
    }

    fn value(&self, reason: &Reason, control: bool) -> ExplainStep {
        let claims = reason.claims.iter().map(|claim| self.claim(claim, &reason.path)).collect();
        ExplainStep::Value { path: format!(".Values.{}", reason.path), claims, control }
    }

    fn claim(&self, claim: &Claim, path: &str) -> ClaimView {
        let layer = &claim.origin.layer;
        let known = claim.origin.place.as_ref().filter(|place| !place.file.is_empty());
        ClaimView {
            layer: layer_view(&layer.kind, layer.file.as_deref()),
            place: known.map(|place| self.places().view(place)).or_else(|| self.in_application(&layer.kind, path)),
            value: field::cut(&claim.value, SHOWN),
            won: claim.fate == Fate::Won,
            fate: fate_key(&claim.fate).to_string(),
        }
    }

    /// Where a value of the Application stands in its manifest.
    fn in_application(&self, kind: &LayerKind, path: &str) -> Option<PlaceView> {
        let file = self.app_file.as_ref()?;
        let inside = match kind {
            LayerKind::AppValuesObject => format!("valuesObject.{path}"),
            LayerKind::AppValues => "values".to_string(),
            LayerKind::AppParameter(n) => format!("parameters[{n}].value"),
            LayerKind::AppFileParameter(n) => format!("fileParameters[{n}].path"),
            _ => return None,
        };
        let text = self.playground.text(file)?;
        let document = yaml::parse_first(text.as_bytes()).ok()??;
        let parts = field::parts(&format!("spec.source.helm.{inside}"));
        let path = segments(parts);
        let (key, value) = yaml::span_of(&document, &path)?;
        let span = key.map_or(value, |key| key.join(value));
        Some(crate::place::of_text(file.clone(), &text, span.start as usize, span.end as usize))
    }

    /// The commit of the deciding line, as the work tree stands.
    fn git_step(&self, helm: &Explanation, steps: &mut Vec<ExplainStep>) {
        let place = match helm.data.iter().flat_map(|reason| reason.claims.first()).next() {
            Some(claim) => claim.origin.place.clone(),
            None => helm.actions.first().map(|action| action.place.clone()),
        };
        match place.and_then(|place| self.blamed(&place)) {
            Some(step) => steps.push(step),
            None => self.not_in_git(helm, steps),
        }
    }

    /// The commit that last changed a line; `None` when the file is not as committed.
    pub(crate) fn blamed(&self, place: &Place) -> Option<ExplainStep> {
        if place.file.is_empty() {
            return None;
        }
        let repository = &self.playground.lesson.as_ref()?.repository;
        let clone = engine::clone_at(&self.playground.state, &repository.work_tree)?;
        let head = clone.head_commit()?;
        let typed = self.files.get(self.places().path(&place.file).as_str())?;
        let same = clone.file(head, &place.file).is_some_and(|committed| committed == typed);
        let blame = same.then(|| chain::blame(clone, &head.to_string(), place)).flatten()?;
        Some(self.git(&blame, place))
    }

    fn git(&self, blame: &chain::Blame, place: &Place) -> ExplainStep {
        let state = &self.playground.state;
        let repository = self.playground.lesson.as_ref().map(|lesson| &lesson.repository);
        let at = repository.and_then(|repository| {
            let clone = engine::clone_at(state, &repository.work_tree)?;
            Some(clone.commit(blame.commit)?.author.time)
        });
        ExplainStep::Git {
            commit: blame.commit.to_string(),
            subject: blame.subject.to_string(),
            author: blame.author.to_string(),
            at: at.map(|at| view::since(self.playground.start(), at)).unwrap_or_default(),
            place: self.places().view(place),
        }
    }

    fn not_in_git(&self, helm: &Explanation, steps: &mut Vec<ExplainStep>) {
        let winner = helm.data.iter().find_map(|reason| Some((reason, reason.claims.first()?)));
        let step = match winner {
            Some((reason, claim)) => {
                let view = self.claim(claim, &reason.path);
                let app = view.layer.kind.starts_with("app-");
                let key = if app { "only-in-application" } else { "not-committed" };
                ExplainStep::NotInGit { place: view.place, text: message(key, &[]) }
            }
            None => {
                let place = helm.actions.first().map(|action| self.places().view(&action.place));
                ExplainStep::NotInGit { place, text: message("not-committed", &[]) }
            }
        };
        steps.push(step);
    }
}

/// The built-in objects that an action names, with the key of the text that says where they come from.
fn builtin_of(action: &str) -> Vec<(String, &'static str)> {
    const KNOWN: [(&str, &str); 4] = [
        (".Release.Name", "release-name"),
        (".Release.Namespace", "release-namespace"),
        (".Chart.", "chart-yaml"),
        (".Capabilities.", "capabilities"),
    ];
    let path = |start: &str| -> String {
        let at = action.find(start).unwrap_or(0);
        action[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '.').collect()
    };
    let named = KNOWN.iter().filter(|(start, _)| action.contains(start));
    named.map(|(start, key)| (path(start), *key)).collect()
}

fn layer_view(kind: &LayerKind, file: Option<&str>) -> LayerView {
    let base = |path: Option<&str>| path.map(|path| path.rsplit('/').next().unwrap_or(path)).unwrap_or("").to_string();
    let (kind, name, index) = match kind {
        LayerKind::ChartDefault(chart) => ("chart-default", chart.to_string(), 0),
        LayerKind::ParentChart(chart) => ("parent-chart", chart.to_string(), 0),
        LayerKind::ImportValues(name) => ("import-values", name.to_string(), 0),
        LayerKind::ValuesFile(n) => ("values-file", base(file), *n),
        LayerKind::AppValues => ("app-values", String::new(), 0),
        LayerKind::AppValuesObject => ("app-values-object", String::new(), 0),
        LayerKind::AppParameter(n) => ("app-parameter", String::new(), *n),
        LayerKind::AppFileParameter(n) => ("app-file-parameter", String::new(), *n),
        LayerKind::Flag(flag, n) => ("flag", (*flag).to_string(), *n),
        LayerKind::Builtin => ("builtin", String::new(), 0),
    };
    LayerView { kind: kind.to_string(), name, index }
}

fn fate_key(fate: &Fate) -> &'static str {
    match fate {
        Fate::Won => "won",
        Fate::Overridden => "overridden",
        Fate::ListReplaced => "list-replaced",
        Fate::RemovedByNull => "removed-by-null",
        Fate::TypeConflict => "type-conflict",
        Fate::IgnoredForValuesObject => "ignored-for-values-object",
        Fate::ParentGlobal => "parent-global",
    }
}
