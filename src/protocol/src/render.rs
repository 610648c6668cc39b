//! The live render of the chart in view, from the work tree as it is typed.

use crate::{Message, PlaceView};
use serde::{Deserialize, Serialize};

/// Rendered manifests and what went wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RenderView {
    /// What is rendered.
    pub source: SourceView,
    /// The page's revision that these manifests show.
    pub revision: u64,
    /// False when `diagnostics` has an error and the manifests are those of the last good render.
    pub fresh: bool,
    /// Ids of all manifests in order.
    pub order: Vec<String>,
    /// The manifests whose text is not the one that the page has; the others stay as they are.
    pub manifests: Vec<ManifestView>,
    /// Errors and warnings, in order.
    pub diagnostics: Vec<DiagnosticView>,
    /// Values that template actions of open files got: shown beside the line.
    pub notes: Vec<NoteView>,
    /// Microseconds that the render took; 0 when not measured.
    pub micros: u64,
}

/// What a template action or values line came to, shown at the end of its line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NoteView {
    /// Where.
    pub place: PlaceView,
    /// The value, cut to a readable length.
    pub value: String,
    /// Who set it.
    pub layer: crate::LayerView,
    /// Whether this line's value is the effective one.
    pub won: bool,
}

/// What a render shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum SourceView {
    /// There is nothing to render yet: the file in view belongs to no chart.
    #[default]
    Nothing,
    /// A chart by itself, as `helm template` renders it.
    Chart {
        /// Path of the chart in the playground.
        path: String,
        /// Values files used, relative to the chart.
        value_files: Vec<String>,
    },
    /// A folder of manifests or a Kustomize overlay by itself.
    Folder {
        /// Path of the folder in the playground.
        path: String,
    },
    /// A source as an Application renders it: the Application's manifest as typed, with the work tree's files.
    Application {
        /// Name of the Application.
        name: String,
        /// Path of its manifest in the playground.
        file: String,
        /// Path of the source in the playground.
        path: String,
    },
}

/// One rendered manifest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManifestView {
    /// Stable while source, kind, namespace and name are the same.
    pub id: String,
    /// Template that it came from, as Helm's `# Source:` line names it (`web/templates/deployment.yaml`).
    pub source: String,
    /// Kind, such as `Deployment`.
    pub kind: String,
    /// Name.
    pub name: String,
    /// The text without the `# Source:` line.
    pub text: String,
    /// Digest of the text, for keyed lists.
    pub hash: String,
}

/// A message of a tool, with its place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DiagnosticView {
    /// How bad it is.
    pub severity: SeverityView,
    /// Stable machine-readable code, such as `helm/parse`.
    pub code: String,
    /// The real tool's words.
    pub message: String,
    /// Where, when known.
    pub place: Option<PlaceView>,
    /// What helps, in the person's language.
    pub hints: Vec<Message>,
    /// The chain of calls, innermost first.
    pub trace: Vec<PlaceView>,
}

/// How bad a message is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SeverityView {
    /// Worth knowing.
    Info,
    /// The tool goes on.
    Warning,
    /// The tool stops.
    #[default]
    Error,
}
