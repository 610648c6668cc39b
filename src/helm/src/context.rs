//! What a template sees as its dot: `.Values`, `.Chart`, `.Release`, `.Capabilities`, `.Files`, `.Subcharts` for every
//! chart of the tree (Helm's `pkg/engine/engine.go`), as values on the heap of one render. While tracing, every value
//! carries a dependency that leads back to who set it.

use crate::capabilities::{Capabilities, helm_version_text};
use crate::chart::{ChartRef, File};
use crate::objects;
use crate::origins::Origins;
use crate::values::{self, TableRef};
use crate::version::HelmVersion;
use base::SortedMap;
use gotmpl::{Data, Heap, Key, ListType, MapId, MapType, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The release a render is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Name.
    pub name: String,
    /// Namespace.
    pub namespace: String,
    /// True for an upgrade, false for an installation.
    pub is_upgrade: bool,
    /// Revision, from 1.
    pub revision: i64,
}

/// A template file with the context it runs in.
#[derive(Clone, Debug)]
pub struct Renderable {
    /// Its key: `root/charts/sub/templates/x.yaml`.
    pub key: Rc<str>,
    /// `root/charts/sub/templates`.
    pub base_path: Rc<str>,
    /// The file.
    pub file: File,
    /// The context, a map that all templates of one chart share.
    pub dot: Value,
}

/// Builds the contexts of all charts and collects their templates, in no particular order.
pub fn build(
    heap: &mut Heap,
    chart: &ChartRef,
    values: &TableRef,
    release: &Release,
    capabilities: &Capabilities,
    version: HelmVersion,
    origins: &mut Origins,
) -> Vec<Renderable> {
    let release = release_value(heap, release);
    let capabilities = objects::capabilities(heap, capabilities, helm_version_text(version), version);
    let mut builder =
        Builder { heap, version, origins, release, capabilities, seen: BTreeMap::new(), found: Vec::new() };
    let values_value = builder.table(values, "", objects::values_type(version));
    builder.chart(chart, values_value, values, "");
    let mut by_key: SortedMap<Rc<str>, Renderable> = SortedMap::new();
    for renderable in builder.found {
        by_key.insert(renderable.key.clone(), renderable);
    }
    by_key.into_values().collect()
}

fn release_value(heap: &mut Heap, release: &Release) -> Value {
    let map = heap.map();
    let name = heap.str(release.name.clone());
    let namespace = heap.str(release.namespace.clone());
    let service = heap.str("Helm");
    if let Data::Map(id) = map.data {
        heap.set_str(id, "Name", name);
        heap.set_str(id, "Namespace", namespace);
        heap.set_str(id, "IsUpgrade", Value::bool(release.is_upgrade));
        heap.set_str(id, "IsInstall", Value::bool(!release.is_upgrade));
        heap.set_str(id, "Revision", Value::int(release.revision));
        heap.set_str(id, "Service", service);
    }
    map
}

struct Builder<'a> {
    heap: &'a mut Heap,
    version: HelmVersion,
    origins: &'a mut Origins,
    release: Value,
    capabilities: Value,
    /// Tables that are on the heap already, by identity: shared tables stay shared.
    seen: BTreeMap<*const (), Value>,
    found: Vec<Renderable>,
}

impl Builder<'_> {
    fn chart(&mut self, chart: &ChartRef, values_value: Value, values: &TableRef, path: &str) -> Value {
        let subs = self.heap.map();
        let metadata = chart.metadata.borrow();
        let chart_value = objects::chart(self.heap, &metadata, chart.is_root(), self.version);
        drop(metadata);
        let files = objects::files(self.heap, &chart.files);
        let entries: Vec<(Key, Value)> = [
            ("Capabilities", self.capabilities),
            ("Chart", chart_value),
            ("Files", files),
            ("Release", self.release),
            ("Subcharts", subs),
            ("Values", values_value),
        ]
        .map(|(key, value)| (Key::from(key.as_bytes()), value))
        .into();
        // Go stores the context as a `Values`; the plain map type shows only through `.Subcharts`.
        let dot = self.heap.map_of(objects::values_type(self.version), entries);
        let loaded = chart.dependencies.borrow().clone();
        for sub in &loaded {
            let name = sub.name();
            let section = values.borrow().get(&name).and_then(|value| value.as_table().cloned());
            let sub_path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            let section = section.unwrap_or_default();
            let section_value = self.table(&section, &sub_path, MapType::ANY);
            let context = self.chart(sub, section_value, &section, &sub_path);
            if let Data::Map(id) = subs.data {
                self.heap.set_str(id, &name, context);
            }
        }
        let full = chart.full_path();
        let base_path: Rc<str> = format!("{full}/templates").into();
        for file in &chart.templates {
            let base = file.name.rsplit('/').next().unwrap_or(&file.name);
            if chart.is_library() && !base.starts_with('_') {
                continue;
            }
            let key = format!("{full}/{}", base::world::clean(&file.name)).into();
            self.found.push(Renderable { key, base_path: base_path.clone(), file: file.clone(), dot });
        }
        dot
    }

    fn table(&mut self, table: &TableRef, path: &str, ty: &'static MapType) -> Value {
        let identity = Rc::as_ptr(table).cast::<()>();
        if let Some(known) = self.seen.get(&identity) {
            return *known;
        }
        let entries: Vec<(Key, Value)> = {
            let table = table.borrow();
            table
                .entries
                .iter()
                .map(|(key, value)| {
                    let inner = if self.heap.tracing() { join(path, key) } else { String::new() };
                    (Key::from(key.as_bytes()), self.value(value, &inner))
                })
                .collect()
        };
        let value = self.heap.map_of(ty, entries);
        if self.heap.tracing()
            && let Some(id) = value.as_map()
        {
            self.origins.table(id, path, table);
        }
        self.seen.insert(identity, value);
        value
    }

    fn value(&mut self, value: &values::Value, path: &str) -> Value {
        let data = match &value.data {
            values::Data::Null => Value::NIL,
            values::Data::Bool(b) => Value::bool(*b),
            values::Data::Int(n) => Value::int64(*n),
            values::Data::Float(f) => Value::float(*f),
            values::Data::Str(bytes) => self.heap.str(bytes.clone()),
            values::Data::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for (i, item) in items.iter().enumerate() {
                    let inner = if self.heap.tracing() { format!("{path}[{i}]") } else { String::new() };
                    list.push(self.value(item, &inner));
                }
                let list = self.heap.list_of(ListType::ANY, list);
                if !items.is_empty() {
                    // The items carry the dependencies.
                    return list;
                }
                list
            }
            values::Data::Map(table) => {
                let map = self.table(table, path, MapType::ANY);
                if !table.borrow().entries.is_empty() {
                    return map;
                }
                map
            }
        };
        if !self.heap.tracing() {
            return data;
        }
        let dep = self.origins.value(path, value);
        let label = self.heap.label_dep(dep);
        data.with_label(label)
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

/// Sets `.Template` of a context before one of its templates runs.
pub fn set_template(heap: &mut Heap, renderable: &Renderable, version: HelmVersion) {
    let name = heap.str(renderable.key.clone());
    let base_path = heap.str(renderable.base_path.clone());
    let entries = vec![(Key::from(&b"BasePath"[..]), base_path), (Key::from(&b"Name"[..]), name)];
    let template = heap.map_of(objects::values_type(version), entries);
    if let Some(id) = renderable.dot.as_map() {
        heap.set_str(id, "Template", template);
    }
}

/// The map of a context.
pub fn map_of(renderable: &Renderable) -> Option<MapId> {
    renderable.dot.as_map()
}
