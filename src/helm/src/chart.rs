//! A loaded chart: metadata, default values, templates, files, sub-charts (Helm's `pkg/chart`).

use crate::metadata::Metadata;
use crate::values::TableRef;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// A shared chart. Charts change while dependencies are processed (names by alias, kept sub-charts, imported values).
pub type ChartRef = Rc<Chart>;

/// One file of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path inside the chart.
    pub name: Rc<str>,
    /// Path as the World has it, for places in diagnostics; files of archives have `ARCHIVE!PATH`.
    pub path: Rc<str>,
    /// Its bytes, without a byte order mark.
    pub data: Rc<[u8]>,
}

/// A chart.
#[derive(Debug, Default)]
pub struct Chart {
    /// `Chart.yaml` (and `requirements.yaml`).
    pub metadata: RefCell<Metadata>,
    /// `values.yaml`; after dependency processing, with imported values.
    pub values: RefCell<TableRef>,
    /// `values.schema.json`.
    pub schema: Option<File>,
    /// Files under `templates/`.
    pub templates: Vec<File>,
    /// All other files that templates can read.
    pub files: Vec<File>,
    /// Sub-charts.
    pub dependencies: RefCell<Vec<ChartRef>>,
    /// The chart that this one was last attached to.
    pub parent: RefCell<Weak<Chart>>,
}

impl Chart {
    /// The chart's name, or its alias.
    pub fn name(&self) -> Rc<str> {
        self.metadata.borrow().name.clone()
    }

    /// The chart it belongs to.
    pub fn parent(&self) -> Option<ChartRef> {
        self.parent.borrow().upgrade()
    }

    /// True for a chart without a parent.
    pub fn is_root(&self) -> bool {
        self.parent().is_none()
    }

    /// `root/charts/sub/charts/subsub`.
    pub fn full_path(&self) -> String {
        match self.parent() {
            Some(parent) => format!("{}/charts/{}", parent.full_path(), self.name()),
            None => self.name().to_string(),
        }
    }

    /// `root.sub.subsub`.
    pub fn dotted_path(&self) -> String {
        match self.parent() {
            Some(parent) => format!("{}.{}", parent.dotted_path(), self.name()),
            None => self.name().to_string(),
        }
    }

    /// True for a library chart, whose templates only define.
    pub fn is_library(&self) -> bool {
        self.metadata.borrow().kind.eq_ignore_ascii_case("library")
    }
}

/// Makes `subs` the sub-charts of `chart`.
pub fn set_dependencies(chart: &ChartRef, subs: Vec<ChartRef>) {
    for sub in &subs {
        *sub.parent.borrow_mut() = Rc::downgrade(chart);
    }
    *chart.dependencies.borrow_mut() = subs;
}

/// A copy of `chart` under another metadata. The nested charts are shared, as in Helm 3, or copied, as in Helm 4.
pub fn copy_as(chart: &ChartRef, metadata: Metadata, copy_nested: bool) -> ChartRef {
    let nested: Vec<ChartRef> = match copy_nested {
        true => {
            let subs = chart.dependencies.borrow();
            subs.iter().map(|sub| copy_as(sub, sub.metadata.borrow().clone(), true)).collect()
        }
        false => chart.dependencies.borrow().clone(),
    };
    let copy = Rc::new(Chart {
        metadata: RefCell::new(metadata),
        values: RefCell::new(chart.values.borrow().clone()),
        schema: chart.schema.clone(),
        templates: chart.templates.clone(),
        files: chart.files.clone(),
        dependencies: RefCell::default(),
        parent: RefCell::new(chart.parent.borrow().clone()),
    });
    if copy_nested {
        set_dependencies(&copy, nested);
    } else {
        // Helm copies the struct only: nested charts go on naming their old parent until dependencies are set again.
        *copy.dependencies.borrow_mut() = nested;
    }
    copy
}

/// The files under `crds/` of the chart and then of its sub-charts, each with its path from the root chart.
pub fn crds(chart: &ChartRef) -> Vec<(String, File)> {
    let mut found = Vec::new();
    let path = chart.full_path();
    for file in &chart.files {
        let extension = file.name.rsplit('/').next().and_then(|base| base.rfind('.').map(|dot| &base[dot + 1..]));
        let is_manifest =
            extension.is_some_and(|e| ["yaml", "yml", "json"].iter().any(|known| e.eq_ignore_ascii_case(known)));
        if file.name.starts_with("crds/") && is_manifest {
            found.push((format!("{path}/{}", file.name), file.clone()));
        }
    }
    for sub in chart.dependencies.borrow().iter() {
        found.extend(crds(sub));
    }
    found
}
