//! Origins: who set a value, and who lost. An origin travels inside the value from the file that was read, through
//! every merge, into the render; a merge keeps the winner and records each loser with the reason.

use crate::place::Place;
use std::rc::Rc;

/// What kind of source a layer of values is, weakest first as Helm and Argo CD apply them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LayerKind {
    /// `values.yaml` of the chart with this dotted path (`web`, `parent.sub`).
    ChartDefault(Rc<str>),
    /// A parent chart's `values.yaml` section for this sub-chart.
    ParentChart(Rc<str>),
    /// `import-values` of a dependency.
    ImportValues(Rc<str>),
    /// A values file: `-f` of the command line, or `helm.valueFiles` of an Application. The index counts from 0.
    ValuesFile(u32),
    /// `helm.values` (text) of an Application.
    AppValues,
    /// `helm.valuesObject` of an Application.
    AppValuesObject,
    /// `helm.parameters[n]` of an Application.
    AppParameter(u32),
    /// `helm.fileParameters[n]` of an Application.
    AppFileParameter(u32),
    /// A command-line flag such as `--set`, with its index among the flags of that name.
    Flag(&'static str, u32),
    /// Set by Helm itself (`global` of a sub-chart, release and capabilities).
    Builtin,
}

/// One source of values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Layer {
    /// What it is.
    pub kind: LayerKind,
    /// Its file, when it is one; for an Application the path of the manifest when known.
    pub file: Option<Rc<str>>,
}

/// Who set a value: a layer and, when known, the place in its file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The layer.
    pub layer: Rc<Layer>,
    /// Where the value is written.
    pub place: Option<Place>,
}

/// Why a claim on a value won or lost.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fate {
    /// It is the effective value.
    Won,
    /// A stronger layer set the same key.
    Overridden,
    /// A stronger layer gave a list, and lists are replaced whole.
    ListReplaced,
    /// A stronger layer set the key to null, which removes it.
    RemovedByNull,
    /// A map met a scalar (or the reverse) and was skipped with a warning.
    TypeConflict,
    /// `helm.values` is ignored as `helm.valuesObject` is set.
    IgnoredForValuesObject,
    /// The parent's `global` won over the child's.
    ParentGlobal,
}

/// One layer's claim on a value and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Who claimed it.
    pub origin: Origin,
    /// The claimed value, as JSON text cut to a readable length.
    pub value: Rc<str>,
    /// What came of it.
    pub fate: Fate,
}
