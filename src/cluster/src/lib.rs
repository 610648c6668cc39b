//! A tiny Kubernetes: API semantics and controllers on virtual time.
