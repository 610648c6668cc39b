//! Kustomize 5.8.1: a folder with a kustomization becomes objects, and each field that a step touched keeps the story.
//! Mirrors `kustomize build`; the order of steps is that of its target accumulator.
//!
//! Known so far: resources and bases, namePrefix, nameSuffix, namespace, labels, commonLabels, commonAnnotations,
//! replicas, images, and Argo CD's `source.kustomize` overrides of those. Every other field of a kustomization is
//! refused with its name.

mod accumulate;
mod file;
mod history;
mod image;
mod overrides;
mod refer;
#[cfg(test)]
mod tests;
mod transform;

pub use accumulate::{Build, build};
pub use history::{Resource, Step, Touch, Transformer};
pub use overrides::Overrides;
