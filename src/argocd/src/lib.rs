//! Argo CD: Applications, comparison, health, sync.
