//! A pod's status as the kubelet writes it: phase, container statuses and the conditions that follow from them.

use super::container::{Container, Ended, State, pull_error};
use super::pods::PodRun;
use crate::cluster::Cluster;
use crate::registry::repository;
use base::{Json, Time, hash};

/// Condition texts: reason and message.
type Why = Option<(&'static str, Option<String>)>;

impl Cluster {
    /// Writes what the containers do into the pod's status.
    pub(super) fn write_pod_status(&self, pod: &mut Json, run: &PodRun) {
        let specs = pod.items_at(&["spec", "containers"]).to_vec();
        let init_specs = pod.items_at(&["spec", "initContainers"]).to_vec();
        let sidecar = |i: usize| init_specs.get(i).is_some_and(|s| s.text_at(&["restartPolicy"]) == "Always");
        let unfinished = |i: &usize| {
            let container = &run.init[*i];
            !(container.over() == Some(0) || sidecar(*i) && container.started)
        };
        let ready = |containers: &[Container], at: usize| containers.get(at).is_some_and(|c| c.ready);
        let names = |specs: &[Json], of: &mut dyn Iterator<Item = usize>| {
            let found: Vec<&str> = of.map(|i| specs[i].text_at(&["name"])).collect();
            found.join(" ")
        };
        let incomplete = match self.recorded_kubelet {
            true => String::new(),
            false => names(&init_specs, &mut (0..run.init.len()).filter(unfinished)),
        };
        let unready = names(&specs, &mut (0..specs.len()).filter(|i| !ready(&run.main, *i)));
        if !init_specs.is_empty() && !self.recorded_kubelet {
            let statuses: Vec<Json> = init_specs
                .iter()
                .zip(&run.init)
                .enumerate()
                .map(|(i, (spec, container))| {
                    let done = container.over() == Some(0) || sidecar(i) && container.ready;
                    self.container_status(pod, spec, container, done, true)
                })
                .collect();
            pod.set(&["status", "initContainerStatuses"], Json::list(statuses));
        }
        let blocked = !incomplete.is_empty();
        let statuses: Vec<Json> = specs
            .iter()
            .zip(&run.main)
            .map(|(spec, container)| self.container_status(pod, spec, container, container.ready, !blocked))
            .collect();
        pod.set(&["status", "containerStatuses"], Json::list(statuses));
        let phase = phase(run, blocked);
        pod.set(&["status", "phase"], phase.into());
        let generation = pod.int_at(&["metadata", "generation"]).unwrap_or(1);
        pod.set(&["status", "observedGeneration"], Json::Int(generation));
        let ended = matches!(phase, "Succeeded" | "Failed");
        let not_ready: Why = match phase {
            "Succeeded" => Some(("PodCompleted", None)),
            "Failed" => Some(("PodFailed", None)),
            _ if unready.is_empty() => None,
            _ => Some(("ContainersNotReady", Some(format!("containers with unready status: [{unready}]")))),
        };
        let initialized: Why = match phase {
            "Succeeded" => Some(("PodCompleted", None)),
            _ if blocked => {
                Some(("ContainersNotInitialized", Some(format!("containers with incomplete status: [{incomplete}]"))))
            }
            _ => None,
        };
        let is_ready = not_ready.is_none();
        let conditions = [
            self.pod_condition(pod, "PodReadyToStartContainers", !ended, None),
            self.pod_condition(pod, "Initialized", !blocked, initialized),
            self.pod_condition(pod, "Ready", is_ready, not_ready.clone()),
            self.pod_condition(pod, "ContainersReady", is_ready, not_ready),
            self.pod_condition(pod, "PodScheduled", true, None),
        ];
        pod.set(&["status", "conditions"], Json::list(conditions));
    }

    fn pod_condition(&self, pod: &Json, kind: &str, status: bool, why: Why) -> Json {
        let word = if status { "True" } else { "False" };
        let before = pod.items_at(&["status", "conditions"]).iter().find(|c| c.text_at(&["type"]) == kind);
        let since = before.filter(|c| c.text_at(&["status"]) == word).and_then(|c| c.get("lastTransitionTime"));
        let mut out = Json::map([
            ("type", Json::str(kind)),
            ("observedGeneration", Json::Int(pod.int_at(&["metadata", "generation"]).unwrap_or(1))),
            ("status", Json::str(word)),
            ("lastProbeTime", Json::Null),
            ("lastTransitionTime", since.cloned().unwrap_or_else(|| Json::str(self.now.rfc3339()))),
        ]);
        // The recordings' kubelet patches conditions and so leaves old words behind.
        if let Some(before) = before.filter(|_| self.recorded_kubelet) {
            for name in ["reason", "message"] {
                if let Some(text) = before.get(name) {
                    out.set(&[name], text.clone());
                }
            }
        }
        if let Some((reason, message)) = why {
            out.set(&["reason"], reason.into());
            if let Some(message) = message {
                out.set(&["message"], Json::str(message));
            }
        }
        out
    }

    fn container_status(&self, pod: &Json, spec: &Json, container: &Container, ready: bool, begun: bool) -> Json {
        let (name, image) = (spec.text_at(&["name"]), spec.text_at(&["image"]));
        let ran = container.last.is_some() || matches!(container.state, State::Running(_) | State::Ended(_));
        let forgotten = self.recorded_kubelet && matches!(container.state, State::BackOff(_));
        let image_id = if ran && !forgotten {
            let base = if self.recorded_kubelet { "sim" } else { repository(image) };
            format!("{base}@{}", self.registry.image(image).digest)
        } else {
            String::new()
        };
        let state = match &container.state {
            State::Creating if !begun => waiting("PodInitializing", None),
            State::Creating => match &container.last {
                Some(ended) => terminated(ended),
                None => waiting("ContainerCreating", None),
            },
            State::Unpulled(false) => waiting("ErrImagePull", Some(pull_error(image))),
            State::Unpulled(true) => {
                let words = format!("Back-off pulling image \"{image}\": ErrImagePull: {}", pull_error(image));
                waiting("ImagePullBackOff", Some(words))
            }
            State::Running(since) => Json::map([("running", Json::map([("startedAt", Json::str(since.rfc3339()))]))]),
            State::BackOff(seconds) => {
                let at = |path: &str| pod.text_at(&["metadata", path]);
                let (pod_name, namespace, uid) = (at("name"), at("namespace"), at("uid"));
                let time = if self.recorded_kubelet { format!("{seconds}s") } else { duration(*seconds) };
                let words =
                    format!("back-off {time} restarting failed container={name} pod={pod_name}_{namespace}({uid})");
                waiting("CrashLoopBackOff", Some(words))
            }
            State::Ended(ended) => terminated(ended),
        };
        let last = match &container.last {
            Some(ended) if container.state != State::Creating => terminated(ended),
            _ => Json::map::<&str>([]),
        };
        let mut status = Json::map([
            ("name", Json::str(name)),
            ("state", state),
            ("lastState", last),
            ("ready", Json::Bool(ready)),
            ("restartCount", Json::Int(container.restarts)),
            ("image", Json::str(image)),
            ("imageID", Json::str(image_id)),
            ("started", Json::Bool(container.started)),
        ]);
        if ran && !forgotten {
            let uid = pod.text_at(&["metadata", "uid"]);
            let n = container.restarts as u64 * 4;
            let id = |i| hash::hash(self.seed, &format!("{uid}/{name}"), "containerID", n + i);
            let id = format!("containerd://{:016x}{:016x}{:016x}{:016x}", id(0), id(1), id(2), id(3));
            status.set(&["containerID"], Json::str(id));
        }
        status
    }
}

fn phase(run: &PodRun, blocked: bool) -> &'static str {
    if run.init.iter().any(|c| c.over().is_some_and(|code| code != 0)) {
        return "Failed";
    }
    if blocked {
        return "Pending";
    }
    if run.main.iter().all(|c| c.over().is_some()) {
        return if run.main.iter().all(|c| c.over() == Some(0)) { "Succeeded" } else { "Failed" };
    }
    let unborn = |c: &Container| c.last.is_none() && matches!(c.state, State::Creating | State::Unpulled(_));
    if run.main.iter().any(unborn) { "Pending" } else { "Running" }
}

fn waiting(reason: &str, message: Option<String>) -> Json {
    let mut inner = Json::map([("reason", Json::str(reason))]);
    if let Some(message) = message {
        inner.set(&["message"], Json::str(message));
    }
    Json::map([("waiting", inner)])
}

fn terminated(ended: &Ended) -> Json {
    let mut inner = Json::map([("exitCode", Json::Int(ended.code)), ("reason", Json::str(ended.reason))]);
    if let Some(message) = &ended.message {
        inner.set(&["message"], Json::str(message.clone()));
    }
    let time = |t: Time| Json::str(t.rfc3339());
    inner.set(&["startedAt"], time(ended.from));
    inner.set(&["finishedAt"], time(ended.to));
    Json::map([("terminated", inner)])
}

/// A duration as Go prints it: `10s`, `1m20s`, `5m0s`.
fn duration(seconds: i64) -> String {
    if seconds < 60 { format!("{seconds}s") } else { format!("{}m{}s", seconds / 60, seconds % 60) }
}
