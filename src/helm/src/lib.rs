//! Helm: charts, values, functions, rendering, manifests. Mirrors `helm template` of Helm 3.21.4, and of Helm 4.2.4 with
//! [`HelmVersion::V4`], byte for byte; every value knows who set it and whom it beat.
//!
//! [`template`] takes files from a [`base::World`] and all flags as [`TemplateOptions`]; [`Session`] does the same and
//! keeps parsed templates; [`output::text`] prints what the command prints; [`explain`] says why a field reads as it does.

pub mod archive;
pub mod capabilities;
pub mod chart;
pub mod coalesce;
pub mod context;
pub mod dependencies;
pub mod engine;
pub mod explain;
mod files;
pub mod funcs;
pub mod glob;
mod gzip;
pub mod ignore;
pub mod layers;
pub mod load;
pub mod manifest;
pub mod metadata;
pub mod notice;
mod objects;
pub mod options;
pub mod order;
pub mod origins;
pub mod output;
pub mod plain;
mod schema;
pub mod semver;
pub mod session;
pub mod strvals;
pub mod values;
pub mod version;

pub use layers::{Assignment, ValuesSource};
pub use manifest::{Hook, Manifest};
pub use options::TemplateOptions;
pub use session::{Failure, Rendered, Session, Trace};
pub use strvals::Flavour;
pub use version::HelmVersion;

use base::{Diagnostic, World};

/// Runs `helm template` once. The error has Helm's words (without `Error: `); [`Session::template`] also gives what
/// Helm logged before it failed.
pub fn template(world: &dyn World, options: &TemplateOptions) -> Result<Rendered, Diagnostic> {
    Session::new().template(world, options).map_err(|failure| failure.error)
}
