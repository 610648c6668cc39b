//! Helm: charts, values, functions, rendering, manifests.
