//! All that `helm template` can be told, as data.

use crate::layers::{Assignment, ValuesSource};
use crate::version::HelmVersion;

/// One call of `helm template`.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateOptions {
    /// Which Helm is mirrored.
    pub version: HelmVersion,
    /// Path of the chart in the World: a directory or a `.tgz`.
    pub chart: String,
    /// Name of the release.
    pub release_name: String,
    /// `--name-template`: a template that gives the name of the release; empty for none.
    pub name_template: String,
    /// Namespace of the release.
    pub namespace: String,
    /// Values files and what stands in their place, weakest first.
    pub values: Vec<ValuesSource>,
    /// `--set` and its like; Helm applies them by kind, and within a kind in this order.
    pub assignments: Vec<Assignment>,
    /// `--kube-version`.
    pub kube_version: Option<String>,
    /// `--api-versions`.
    pub api_versions: Vec<String>,
    /// `--include-crds`.
    pub include_crds: bool,
    /// `--is-upgrade`.
    pub is_upgrade: bool,
    /// `--no-hooks`.
    pub no_hooks: bool,
    /// `--skip-tests`.
    pub skip_tests: bool,
    /// `--skip-schema-validation`.
    pub skip_schema_validation: bool,
    /// `--render-subchart-notes`.
    pub render_subchart_notes: bool,
    /// `--show-only` patterns.
    pub show_only: Vec<String>,
    /// Whether to keep marks and origins, for [`crate::explain`].
    pub trace: bool,
}

impl TemplateOptions {
    /// The chart at a path with everything else as Helm has it by default.
    pub fn new(chart: impl Into<String>) -> TemplateOptions {
        TemplateOptions {
            version: HelmVersion::V3,
            chart: chart.into(),
            release_name: "release-name".to_string(),
            name_template: String::new(),
            namespace: "default".to_string(),
            values: Vec::new(),
            assignments: Vec::new(),
            kube_version: None,
            api_versions: Vec::new(),
            include_crds: false,
            is_upgrade: false,
            no_hooks: false,
            skip_tests: false,
            skip_schema_validation: false,
            render_subchart_notes: false,
            show_only: Vec::new(),
            trace: false,
        }
    }
}
