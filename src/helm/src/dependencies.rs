//! Which sub-charts take part, under which names, and what the parent imports of their values
//! (Helm's `pkg/chartutil/dependencies.go`).

use crate::chart::{ChartRef, copy_as, set_dependencies};
use crate::coalesce::{Nulls, coalesce, singleton, table_at, tables, value_at};
use crate::notice::Log;
use crate::semver::{Constraints, Version};
use crate::values::{Data, Source, Table, TableRef, Value, deep_copy};
use crate::version::HelmVersion;
use base::{Json, Layer, LayerKind};
use std::cell::RefCell;
use std::rc::Rc;

const CODE: &str = "helm/dependencies";

/// Processes the dependencies of a root chart. `keep` receives every chart that a name in the tree may still refer to;
/// it has to live as long as the chart is used. The error is Helm's text.
pub fn process(
    chart: &ChartRef,
    values: &TableRef,
    version: HelmVersion,
    keep: &mut Vec<ChartRef>,
    log: &mut Log,
) -> Result<(), String> {
    let mut run = Run { version, keep, log };
    run.enabled(chart, values, "")?;
    run.imports(chart)
}

/// Whether `version` satisfies `range`; anything unreadable does not.
pub fn in_range(range: &str, version: &str) -> bool {
    match (Version::parse(version), Constraints::parse(range)) {
        (Ok(version), Ok(range)) => range.check(&version),
        _ => false,
    }
}

/// Names in `dependencies` that no loaded sub-chart has.
pub fn missing(chart: &ChartRef) -> Vec<Rc<str>> {
    let loaded = chart.dependencies.borrow();
    let entries = chart.metadata.borrow().entries();
    let names = entries.iter().map(|entry| entry.borrow().name.clone());
    names.filter(|name| !loaded.iter().any(|sub| sub.name() == *name)).collect()
}

struct Run<'a> {
    version: HelmVersion,
    keep: &'a mut Vec<ChartRef>,
    log: &'a mut Log,
}

impl Run<'_> {
    fn enabled(&mut self, chart: &ChartRef, values: &TableRef, path: &str) -> Result<(), String> {
        if chart.metadata.borrow().dependencies.is_none() {
            return Ok(());
        }
        let entries = chart.metadata.borrow().entries();
        let loaded = chart.dependencies.borrow().clone();
        self.keep.extend(loaded.iter().cloned());
        let fits = |sub: &ChartRef, name: &str, range: &str| {
            *sub.name() == *name && in_range(range, &sub.metadata.borrow().version)
        };
        let listed = |sub: &ChartRef| entries.iter().any(|e| fits(sub, &e.borrow().name, &e.borrow().version));
        let mut subs: Vec<ChartRef> = loaded.iter().filter(|sub| !listed(sub)).cloned().collect();
        for entry in &entries {
            let found = {
                let entry = entry.borrow();
                loaded.iter().find(|sub| fits(sub, &entry.name, &entry.version)).map(|sub| {
                    let mut metadata = sub.metadata.borrow().clone();
                    if self.version.is_v4() {
                        metadata = metadata.detached();
                    }
                    if !entry.alias.is_empty() {
                        metadata.name = entry.alias.clone();
                    }
                    copy_as(sub, metadata, self.version.is_v4())
                })
            };
            subs.extend(found);
            let mut entry = entry.borrow_mut();
            if !entry.alias.is_empty() {
                entry.name = entry.alias.clone();
            }
        }
        set_dependencies(chart, subs);
        for entry in &entries {
            entry.borrow_mut().enabled = true;
        }
        let effective = coalesce(chart, values, Nulls::Remove, self.version, self.log)?;
        for entry in &entries {
            let mut entry = entry.borrow_mut();
            if let Ok(tags) = table_at(&effective, "tags") {
                entry.enabled = self.by_tags(&entry.tags, &entry.name, &tags);
            }
            if let Some(on) = self.by_condition(&entry.condition, &entry.name, &effective, path) {
                entry.enabled = on;
            }
        }
        let removed: Vec<Rc<str>> =
            entries.iter().filter(|e| !e.borrow().enabled).map(|e| e.borrow().name.clone()).collect();
        let subs: Vec<ChartRef> = chart.dependencies.borrow().clone();
        self.keep.extend(subs.iter().cloned());
        let subs: Vec<ChartRef> = subs.into_iter().filter(|sub| !removed.contains(&sub.name())).collect();
        let kept: Vec<_> = entries.into_iter().filter(|e| !removed.contains(&e.borrow().name)).map(Some).collect();
        for sub in &subs {
            self.enabled(sub, &effective, &format!("{path}{}.", sub.name()))?;
        }
        chart.metadata.borrow_mut().dependencies = (!kept.is_empty()).then_some(kept);
        set_dependencies(chart, subs);
        Ok(())
    }

    fn by_tags(&mut self, tags: &[Rc<str>], name: &str, values: &TableRef) -> bool {
        let (mut any_true, mut any_false) = (false, false);
        for tag in tags {
            match values.borrow().get(tag).map(|value| &value.data) {
                Some(Data::Bool(true)) => any_true = true,
                Some(Data::Bool(false)) => any_false = true,
                Some(_) => {
                    let text = format!("Warning: Tag '{tag}' for chart {name} returned non-bool value");
                    self.log.warn("dependencies.go:95", CODE, text);
                }
                None => {}
            }
        }
        any_true || !any_false
    }

    fn by_condition(&mut self, condition: &str, name: &str, values: &TableRef, path: &str) -> Option<bool> {
        for condition in condition.trim().split(',').filter(|text| !text.is_empty()) {
            match value_at(values, &format!("{path}{condition}")).map(|value| value.data) {
                Some(Data::Bool(on)) => return Some(on),
                Some(_) => {
                    let text =
                        format!("Warning: Condition path '{condition}' for chart {name} returned non-bool value");
                    self.log.warn("dependencies.go:64", CODE, text);
                }
                None => {}
            }
        }
        None
    }

    fn imports(&mut self, chart: &ChartRef) -> Result<(), String> {
        let subs = chart.dependencies.borrow().clone();
        for sub in &subs {
            self.imports(sub)?;
        }
        if chart.metadata.borrow().dependencies.is_none() {
            return Ok(());
        }
        let effective = coalesce(chart, &TableRef::default(), Nulls::Keep, self.version, self.log)?;
        let imported = TableRef::default();
        for entry in chart.metadata.borrow().entries() {
            let mut entry = entry.borrow_mut();
            let mut processed = Vec::new();
            for item in std::mem::take(&mut entry.import_values) {
                let (child, parent, listed) = match &item {
                    // What was processed through another alias of this chart is not processed again.
                    Json::List(_) => {
                        processed.push(item);
                        continue;
                    }
                    Json::Map(_) => {
                        let text = |key: &str| item.get(key).map_or("<nil>".to_string(), go_text);
                        (text("child"), text("parent"), false)
                    }
                    Json::Str(name) => (format!("exports.{name}"), ".".to_string(), true),
                    _ => continue,
                };
                processed.push(Json::list([Json::map(
                    [("child", child.as_str()), ("parent", parent.as_str())].map(|(key, text)| (key, Json::str(text))),
                )]));
                match table_at(&effective, &format!("{}.{child}", entry.name)) {
                    Err(text) if listed => {
                        let text = format!("Warning: ImportValues missing table: {text}");
                        self.log.warn("dependencies.go:287", CODE, text);
                    }
                    Err(text) => {
                        let text = format!("Warning: ImportValues missing table from chart {}: {text}", entry.name);
                        self.log.warn("dependencies.go:270", CODE, text);
                    }
                    Ok(table) => {
                        let table = if table.borrow().entries.is_empty() { TableRef::default() } else { table };
                        tables(&imported, &at_path(&parent, table), Nulls::Keep, self.version, self.log);
                    }
                }
            }
            entry.import_values = processed;
        }
        let effective = deep_copy(&effective);
        let path: Rc<str> = chart.dotted_path().into();
        let imported = resource(&imported, &path, &mut Vec::new());
        tables(&effective, &imported, Nulls::Keep, self.version, self.log);
        *chart.values.borrow_mut() = effective;
        Ok(())
    }
}

fn go_text(json: &Json) -> String {
    Value::from_json(json, &None, true).map(|value| value.go_text()).unwrap_or_default()
}

fn at_path(path: &str, table: TableRef) -> TableRef {
    if path == "." {
        return table;
    }
    path.rsplit('.').fold(table, |inner, key| singleton(key, Value::new(Data::Map(inner), None)))
}

/// A copy whose values say that they came by `import-values`, with the places they were written at.
fn resource(table: &TableRef, chart: &Rc<str>, layers: &mut Vec<(Rc<Layer>, Rc<Layer>)>) -> TableRef {
    let mut copy = Table::default();
    for (key, value) in &table.borrow().entries {
        let source = value.source.as_ref().map(|source| {
            let known = layers.iter().find(|(from, _)| Rc::ptr_eq(from, &source.layer)).map(|(_, to)| to.clone());
            let layer = known.unwrap_or_else(|| {
                let kind = LayerKind::ImportValues(chart.clone());
                let layer = Rc::new(Layer { kind, file: source.layer.file.clone() });
                layers.push((source.layer.clone(), layer.clone()));
                layer
            });
            Source { layer, span: source.span }
        });
        let data = match &value.data {
            Data::Map(inner) => Data::Map(resource(inner, chart, layers)),
            other => Value::new(other.clone(), None).deep_copy().data,
        };
        copy.entries.insert(key.clone(), Value { data, source, losers: value.losers.clone() });
    }
    Rc::new(RefCell::new(copy))
}
