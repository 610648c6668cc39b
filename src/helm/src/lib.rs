//! Helm: charts, values, functions, rendering, manifests.

pub mod semver;
