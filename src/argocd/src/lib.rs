//! Argo CD 3.5.2: Applications, comparison, health, sync. Pure: it changes a cluster only through that cluster's API,
//! and its waits are data on virtual time.

pub mod application;
pub mod health;
pub mod order;
pub mod tracking;
