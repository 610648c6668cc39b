//! The small shell stub.
use crate::cluster::Cluster;
use crate::registry::Behaviour;
use base::{Json, Time};
use std::rc::Rc;
/// How far a script has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Exited { code: i64, at: Time },
    Waits(Time),
    Forever,
    Becomes,
}
pub(crate) trait World {}
pub(crate) struct ClusterNetwork<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) namespace: &'a str,
}
impl World for ClusterNetwork<'_> {}
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Machine {}
impl Machine {
    pub(crate) fn new(_: &Cluster, _: &Json, _: &Json, _: &Behaviour) -> Option<Result<Machine, String>> {
        None
    }
    pub(crate) fn advance(&mut self, _: Time, _: &dyn World) -> Progress {
        Progress::Forever
    }
    pub(crate) fn take_lines(&mut self) -> Vec<(Time, Rc<str>)> {
        Vec::new()
    }
}
