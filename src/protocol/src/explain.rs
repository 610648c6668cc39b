//! "Who set this, and who lost?": a chain from the cluster back to the source, and the table of all values.

use crate::{Message, PlaceView};
use serde::{Deserialize, Serialize};

/// The answer for one field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExplainView {
    /// The last part of the field path, such as `replicas`.
    pub title: String,
    /// The value, cut to a readable length.
    pub value: String,
    /// The object, as `apps/Deployment src-helm/src-helm-web`.
    pub object: String,
    /// The field path, such as `spec.replicas`.
    pub field: String,
    /// The chain, from the cluster back to the source.
    pub steps: Vec<ExplainStep>,
}

/// One link of the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExplainStep {
    /// The live object: who manages the field there.
    Cluster {
        /// Field manager, such as `argocd-controller`.
        manager: String,
        /// `Apply` or `Update`.
        operation: String,
        /// When, in milliseconds of the clock.
        at: u64,
        /// The live value, cut to a readable length; it differs from the rendered one when not synced.
        value: String,
    },
    /// Something that Argo CD does: adds the tracking annotation, sets the destination's namespace.
    Argo {
        /// Name of the Application.
        app: String,
        /// What it did.
        text: Message,
    },
    /// The template action or literal text that wrote the field.
    Template {
        /// Where.
        place: PlaceView,
        /// The source text at that place, cut to a readable length.
        action: String,
        /// True when the template says it literally and no value had a part in it.
        literal: bool,
        /// The chain of include, template and tpl calls, innermost first.
        calls: Vec<PlaceView>,
    },
    /// A step of a Kustomize build that changed the field.
    Change {
        /// The field of the kustomization that asks for it, such as `replicas` or `images`.
        transformer: String,
        /// Where it is asked for.
        place: Option<PlaceView>,
        /// The value before; empty when the field was not there.
        before: String,
        /// The value after.
        after: String,
        /// True when the Application's `source.kustomize` asks for it.
        overridden: bool,
    },
    /// A value that the template read, with all claims on it, winner first.
    Value {
        /// Path, such as `.Values.replicaCount`.
        path: String,
        /// Who claimed it, winner first.
        claims: Vec<ClaimView>,
        /// True when the value decided only whether the text is there (`if`, `with`, `range`, `default`).
        control: bool,
    },
    /// Something that Helm knows by itself, such as `.Release.Name`.
    Builtin {
        /// Path, such as `.Release.Name`.
        path: String,
        /// Where that comes from.
        text: Message,
    },
    /// The commit that last changed the winning line.
    Git {
        /// Full id.
        commit: String,
        /// First line of its message.
        subject: String,
        /// Author's name.
        author: String,
        /// When, in milliseconds of the clock.
        at: u64,
        /// The line.
        place: PlaceView,
    },
    /// The winning line is not in Git: it stands only in the Application, or is not committed yet.
    NotInGit {
        /// Where it stands.
        place: Option<PlaceView>,
        /// Why it is not in Git: `only-in-application` or `not-committed`.
        text: Message,
    },
}

/// One claim on a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClaimView {
    /// Who claims.
    pub layer: LayerView,
    /// Where the claim is written, when known.
    pub place: Option<PlaceView>,
    /// The claimed value, cut to a readable length.
    pub value: String,
    /// Whether it is the effective value.
    pub won: bool,
    /// `won`, `overridden`, `list-replaced`, `removed-by-null`, `type-conflict`, `ignored-for-values-object`,
    /// `parent-global`: a text key.
    pub fate: String,
}

/// A layer of values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerView {
    /// `chart-default`, `parent-chart`, `import-values`, `values-file`, `app-values`, `app-values-object`,
    /// `app-parameter`, `app-file-parameter`, `flag`, `builtin`: a text key.
    pub kind: String,
    /// File, flag or chart that the text names; empty when there is none.
    pub name: String,
    /// Index among layers of the kind, from 0.
    pub index: u32,
}

/// All values of an Application or chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValuesView {
    /// Application; empty when it is the chart in view.
    pub app: String,
    /// Rows in order of path.
    pub rows: Vec<ValueRow>,
}

/// One value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValueRow {
    /// Path without `.Values.`, such as `image.tag`.
    pub path: String,
    /// Effective value, cut to a readable length.
    pub value: String,
    /// Who claimed it, winner first.
    pub claims: Vec<ClaimView>,
    /// Whether any template read it.
    pub used: bool,
}
