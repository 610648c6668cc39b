//! Loading a chart from the World: a directory (through `.helmignore`) or an archive, and sorting its files into the
//! chart and its sub-charts (Helm's `pkg/chart/loader`).

use crate::archive::{self, Member};
use crate::chart::{Chart, ChartRef, File, set_dependencies};
use crate::ignore::Rules;
use crate::layers;
use crate::metadata::{Metadata, Problem};
use crate::notice::Log;
use crate::version::HelmVersion;
use base::SortedMap;
use base::limits::CHART_FILE;
use base::world::EntryKind;
use base::{Diagnostic, Layer, LayerKind, Place, Span, World};
use std::cell::RefCell;
use std::rc::Rc;

const CODE: &str = "helm/load";
/// Nested directories and nested sub-charts that are followed.
const DEPTH: usize = 100;

/// Loads the chart at `path` of the World.
pub fn load(world: &dyn World, path: &str, version: HelmVersion, log: &mut Log) -> Result<ChartRef, Diagnostic> {
    let fail = |message: String| Diagnostic::error(CODE, message);
    match world.kind(path) {
        Err(_) => Err(fail(format!("path {} not found", crate::strvals::quote(path)))),
        Ok(EntryKind::Dir) => {
            let file = format!("{path}/Chart.yaml");
            if version.is_v4()
                && let Err(error) = world.read(&file)
            {
                return Err(fail(format!("unable to detect chart at {file}: open {file}: {error}")));
            }
            let members = read_dir(world, path, version)?;
            Loader { version, log }.chart(members, path, "", 0)
        }
        Ok(_) => {
            let bytes = world.read(path).map_err(|error| fail(format!("open {path}: {error}")))?;
            if let Some(text) = archive::not_an_archive(path, &bytes) {
                return Err(fail(text));
            }
            let members = archive::unpack(&bytes).map_err(|text| match text.as_str() {
                crate::gzip::BAD_HEADER => {
                    fail(format!("file '{path}' does not appear to be a valid chart file (details: {text})"))
                }
                _ => fail(text),
            })?;
            Loader { version, log }.chart(members, &format!("{path}!"), "", 0)
        }
    }
}

fn read_dir(world: &dyn World, root: &str, version: HelmVersion) -> Result<Vec<Member>, Diagnostic> {
    let fail = |message: String| Diagnostic::error(CODE, message);
    let rules = match world.read(&format!("{root}/.helmignore")) {
        Ok(text) => {
            // Helm 4 no longer drops a byte order mark: its first rule then has one.
            let text = if version.is_v4() { &text[..] } else { archive::strip_mark(&text) };
            Rules::parse(text)
                .map_err(|text| fail(text).at(Place::new(format!("{root}/.helmignore"), Span::default())))?
        }
        Err(_) => Rules::default(),
    };
    let rules = rules.with_defaults();
    let mut members = Vec::new();
    // Directories still to read, deepest first, so that files come in the order of a depth-first walk.
    let mut stack: Vec<(String, EntryKind, usize)> = children(world, root, "", 0)?;
    while let Some((name, kind, depth)) = stack.pop() {
        if rules.ignores(&name, kind == EntryKind::Dir) {
            continue;
        }
        let path = format!("{root}/{name}");
        match kind {
            EntryKind::Dir if depth >= DEPTH => {
                return Err(fail(format!("directories are nested too deeply at {path}")));
            }
            EntryKind::Dir => stack.extend(children(world, root, &name, depth + 1)?),
            EntryKind::Irregular => {
                return Err(fail(format!("cannot load irregular file {path} as it has file mode type bits set")));
            }
            EntryKind::File => {
                let data =
                    world.read(&path).map_err(|error| fail(format!("error reading {name}: open {path}: {error}")))?;
                if data.len() > CHART_FILE {
                    let base = name.rsplit('/').next().unwrap_or(&name);
                    return Err(fail(format!(
                        "chart file {} is larger than the maximum file size {CHART_FILE}",
                        crate::strvals::quote(base)
                    )));
                }
                let marked = archive::strip_mark(&data).len() < data.len();
                let data = if marked { archive::strip_mark(&data).into() } else { data };
                members.push(Member { name, data });
            }
        }
    }
    Ok(members)
}

/// The entries of a directory inside the chart, last name first.
fn children(
    world: &dyn World,
    root: &str,
    dir: &str,
    depth: usize,
) -> Result<Vec<(String, EntryKind, usize)>, Diagnostic> {
    let path = if dir.is_empty() { root.to_string() } else { format!("{root}/{dir}") };
    let list = world.list(&path).map_err(|error| Diagnostic::error(CODE, format!("open {path}: {error}")))?;
    let full = |name: String| if dir.is_empty() { name } else { format!("{dir}/{name}") };
    Ok(list.into_iter().rev().map(|(name, kind)| (full(name), kind, depth)).collect())
}

struct Loader<'a> {
    version: HelmVersion,
    log: &'a mut Log,
}

impl Loader<'_> {
    /// Sorts files into a chart. `at` is where the chart's files are in the World, `dotted` the path of its parents.
    fn chart(&mut self, members: Vec<Member>, at: &str, dotted: &str, depth: usize) -> Result<ChartRef, Diagnostic> {
        if depth > DEPTH {
            return Err(Diagnostic::error(CODE, "sub-charts are nested too deeply"));
        }
        let path_of = |name: &str| -> Rc<str> {
            if at.ends_with('!') { format!("{at}{name}").into() } else { format!("{at}/{name}").into() }
        };
        let mut metadata: Option<Metadata> = None;
        for member in members.iter().filter(|member| member.name == "Chart.yaml") {
            let found = metadata.get_or_insert_default();
            found
                .decode(&member.data, self.version)
                .map_err(|problem| diagnose("cannot load Chart.yaml", problem, path_of("Chart.yaml")))?;
            if found.api_version.is_empty() {
                found.api_version = "v1".into();
            }
            if self.version.is_v4() && depth == 0 && !matches!(&*found.api_version, "v1" | "v2") {
                let text =
                    if &*found.api_version == "v3" { "invalid chart apiVersion" } else { "unsupported chart version" };
                return Err(
                    Diagnostic::error("helm/metadata", text).at(Place::new(path_of("Chart.yaml"), Span::default()))
                );
            }
        }
        let mut chart = Chart::default();
        let mut groups: SortedMap<String, Vec<Member>> = SortedMap::new();
        for member in members {
            let file =
                File { name: member.name.as_str().into(), path: path_of(&member.name), data: member.data.clone() };
            match member.name.as_str() {
                "Chart.yaml" => {}
                "Chart.lock" => check_lock(&file, self.version)?,
                "values.yaml" => {
                    let name = metadata.as_ref().map(|m| m.name.clone()).unwrap_or_default();
                    let dotted = if dotted.is_empty() { name.to_string() } else { format!("{dotted}.{name}") };
                    let kind = LayerKind::ChartDefault(dotted.into());
                    let layer = Rc::new(Layer { kind, file: Some(file.path.clone()) });
                    let table = layers::read_file(&file.data, &layer, self.version)
                        .map_err(|problem| diagnose("cannot load values.yaml", problem, file.path.clone()))?;
                    chart.values = RefCell::new(table);
                }
                "values.schema.json" => chart.schema = Some(file),
                "requirements.yaml" => {
                    let found = metadata.get_or_insert_default();
                    let is_v1 = &*found.api_version == "v1";
                    if !is_v1 {
                        self.log.warn(
                            "load.go:120",
                            CODE,
                            "Warning: Dependencies are handled in Chart.yaml since apiVersion \"v2\". We recommend migrating dependencies to Chart.yaml.",
                        );
                    }
                    found
                        .decode(&file.data, self.version)
                        .map_err(|problem| diagnose("cannot load requirements.yaml", problem, file.path.clone()))?;
                    if &*found.api_version == "v1" {
                        chart.files.push(file);
                    }
                }
                "requirements.lock" => {
                    check_lock(&file, self.version)?;
                    let found = metadata.get_or_insert_default();
                    if &*found.api_version != "v1" {
                        self.log.warn(
                            "load.go:138",
                            CODE,
                            "Warning: Dependency locking is handled in Chart.lock since apiVersion \"v2\". We recommend migrating to Chart.lock.",
                        );
                    } else {
                        chart.files.push(file);
                    }
                }
                name if name.starts_with("templates/") => chart.templates.push(file),
                name if name.starts_with("charts/") => {
                    if name.ends_with(".prov") {
                        chart.files.push(file);
                        continue;
                    }
                    let inner = name["charts/".len()..].to_string();
                    let group = inner.split('/').next().unwrap_or_default().to_string();
                    groups.entry(group).or_default().push(Member { name: inner, data: member.data });
                }
                _ => chart.files.push(file),
            }
        }
        let Some(mut metadata) = metadata else {
            return Err(Diagnostic::error(CODE, "Chart.yaml file is missing"));
        };
        metadata.validate().map_err(|text| {
            Diagnostic::error("helm/metadata", format!("validation: {text}"))
                .at(Place::new(path_of("Chart.yaml"), Span::default()))
        })?;
        chart.metadata = RefCell::new(metadata);
        let chart = Rc::new(chart);
        self.sub_charts(&chart, groups, at, dotted, depth)?;
        Ok(chart)
    }

    fn sub_charts(
        &mut self,
        chart: &ChartRef,
        groups: SortedMap<String, Vec<Member>>,
        at: &str,
        dotted: &str,
        depth: usize,
    ) -> Result<(), Diagnostic> {
        let name = chart.name();
        let path = if dotted.is_empty() { name.to_string() } else { format!("{dotted}.{name}") };
        let mut subs = Vec::new();
        for (group, members) in groups {
            if group.starts_with(['_', '.']) {
                continue;
            }
            let wrap = |error: Diagnostic| error.wrap(&format!("error unpacking subchart {group} in {name}"));
            let fail = |text: String| Diagnostic::error(CODE, text);
            let slash = if at.ends_with('!') { "" } else { "/" };
            let sub = if group.ends_with(".tgz") {
                let file = &members[0];
                if file.name != group {
                    let text = format!("error unpacking subchart tar in {name}: expected {group}, got {}", file.name);
                    return Err(fail(text));
                }
                let inner = archive::unpack(&file.data).map_err(|text| wrap(fail(text)))?;
                self.chart(inner, &format!("{at}{slash}charts/{group}!"), &path, depth + 1)
            } else {
                let inside = |member: Member| {
                    let (_, inner) = member.name.split_once('/')?;
                    Some(Member { name: inner.to_string(), data: member.data })
                };
                let inner = members.into_iter().filter_map(inside).collect();
                self.chart(inner, &format!("{at}{slash}charts/{group}"), &path, depth + 1)
            };
            subs.push(sub.map_err(wrap)?);
        }
        set_dependencies(chart, subs);
        Ok(())
    }
}

fn diagnose(prefix: &str, problem: Problem, file: Rc<str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(CODE, problem.message).wrap(prefix);
    diagnostic.at(Place { file, span: problem.span.unwrap_or_default() })
}

/// A lock file is read for its errors only.
fn check_lock(file: &File, _version: HelmVersion) -> Result<(), Diagnostic> {
    match yaml::located(&file.data) {
        Ok(_) => Ok(()),
        Err(error) => {
            let problem = Problem { message: error.converting(), span: Some(error.span) };
            Err(diagnose(&format!("cannot load {}", file.name), problem, file.path.clone()))
        }
    }
}
