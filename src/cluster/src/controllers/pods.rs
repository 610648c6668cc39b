//! The life of a pod on the one simulated node: bound after 50 ms, created 100 ms later, running 900 ms after that, ready
//! at once or when its readiness probe succeeds, and gone one second after its deletion.

use super::Work;
use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::{Change, ChangeType, Key};
use base::{Json, hash};

/// The node's name.
pub(super) const NODE: &str = "sim-node";
const NODE_IP: &str = "10.0.0.10";
const BIND: i64 = 50;
const CREATE: i64 = 100;
const RUN: i64 = 900;
const STOP: i64 = 1000;
const PULL_BACK_OFF: i64 = 2000;

/// What an image does when it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    /// Runs and becomes ready.
    Serves,
    /// Runs and never becomes ready.
    NeverReady,
    /// Cannot be pulled.
    Absent,
}

/// What an image's name stands for. Images that nobody declared exist and work.
fn behaviour(image: &str) -> Behaviour {
    if image.contains("doesnotexist") {
        Behaviour::Absent
    } else if image.contains("bad") {
        Behaviour::NeverReady
    } else {
        Behaviour::Serves
    }
}

impl Cluster {
    pub(super) fn notice_pod(&mut self, change: &Change) {
        let (now, key, pod) = (self.now, &change.key, &change.object);
        if change.kind == ChangeType::Deleted {
            return;
        }
        if pod.at(&["metadata", "deletionTimestamp"]).is_some() {
            if change.before.at(&["metadata", "deletionTimestamp"]).is_none() {
                let seconds = pod.text_at(&["metadata", "annotations", "sim/stop-seconds"]).parse::<f64>().ok();
                let stop = seconds.map_or(STOP, |s| (s * 1000.0) as i64);
                self.queue.add(now + stop, Work::PodStop(key.clone()));
            }
            return;
        }
        let free = |p: &Json| p.items_at(&["spec", "schedulingGates"]).is_empty();
        let unbound = pod.text_at(&["spec", "nodeName"]).is_empty();
        if unbound && free(pod) && (change.kind == ChangeType::Added || !free(&change.before)) {
            self.queue.add(now + BIND, Work::PodBind(key.clone()));
        }
        if !unbound && change.before.text_at(&["spec", "nodeName"]).is_empty() {
            self.queue.add(now + CREATE, Work::PodStart(key.clone()));
        }
    }

    fn living_pod(&self, key: &Key) -> Option<Json> {
        self.store.get(key).filter(|p| p.at(&["metadata", "deletionTimestamp"]).is_none()).cloned()
    }

    pub(super) fn bind_pod(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut pod) = self.living_pod(key) else { return Ok(()) };
        if !pod.text_at(&["spec", "nodeName"]).is_empty() {
            return Ok(());
        }
        pod.set(&["spec", "nodeName"], NODE.into());
        let condition = Json::map([
            ("type", Json::str("PodScheduled")),
            ("status", "True".into()),
            ("lastProbeTime", Json::Null),
            ("lastTransitionTime", Json::str(self.now.rfc3339())),
        ]);
        pod.set(&["status", "conditions"], Json::list([condition]));
        // Binding changes spec and status in one write, without a new generation.
        self.controller_update(key, pod, "kube-scheduler", "status").map(|_| ())
    }

    pub(super) fn start_pod(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut pod) = self.living_pod(key) else { return Ok(()) };
        let now = Json::str(self.now.rfc3339());
        pod.set(&["status", "hostIP"], NODE_IP.into());
        pod.set(&["status", "hostIPs"], Json::list([Json::map([("ip", Json::str(NODE_IP))])]));
        pod.set(&["status", "startTime"], now);
        let waiting = Json::map([("waiting", Json::map([("reason", Json::str("ContainerCreating"))]))]);
        self.set_containers(&mut pod, |_, _| ContainerNow {
            state: waiting.clone(),
            ready: false,
            started: false,
            ran: false,
        });
        self.controller_update(key, pod, "kubelet", "status")?;
        self.queue.add(self.now + RUN, Work::PodRun(key.clone()));
        Ok(())
    }

    pub(super) fn run_pod(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut pod) = self.living_pod(key) else { return Ok(()) };
        let who = format!("pods/{}/{}", key.namespace, key.name);
        let n = hash::hash(self.seed, &who, "podIP", self.now.0 as u64);
        let ip = format!("10.42.{}.{}", (n >> 8) % 250 + 1, n % 253 + 2);
        pod.set(&["status", "podIPs"], Json::list([Json::map([("ip", Json::str(ip.as_str()))])]));
        pod.set(&["status", "podIP"], Json::str(ip));
        let absent =
            pod.items_at(&["spec", "containers"]).iter().any(|c| behaviour(c.text_at(&["image"])) == Behaviour::Absent);
        if !absent {
            pod.set(&["status", "phase"], "Running".into());
        }
        let delay = readiness_delay(&pod);
        let now = Json::str(self.now.rfc3339());
        self.set_containers(&mut pod, |container, _| {
            let image = container.text_at(&["image"]);
            if behaviour(image) == Behaviour::Absent {
                let text = format!("failed to pull and unpack image \"{image}\": failed to resolve reference \"{image}\": {image}: not found");
                let waiting = Json::map([("reason", Json::str("ErrImagePull")), ("message", Json::str(text))]);
                let state = Json::map([("waiting", waiting)]);
                return ContainerNow { state, ready: false, started: false, ran: false };
            }
            let state = Json::map([("running", Json::map([("startedAt", now.clone())]))]);
            let ready = delay == Some(0) && behaviour(image) == Behaviour::Serves;
            ContainerNow { state, ready, started: true, ran: true }
        });
        self.controller_update(key, pod, "kubelet", "status")?;
        match delay {
            _ if absent => self.queue.add(self.now + PULL_BACK_OFF, Work::PodPull(key.clone())),
            Some(seconds) if seconds > 0 => self.queue.add(self.now + seconds * 1000, Work::PodReady(key.clone())),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn back_off_pull(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut pod) = self.living_pod(key) else { return Ok(()) };
        self.set_containers(&mut pod, |container, old| {
            let image = container.text_at(&["image"]);
            let state = if behaviour(image) == Behaviour::Absent {
                let text = format!("Back-off pulling image \"{image}\"");
                let waiting = Json::map([("reason", Json::str("ImagePullBackOff")), ("message", Json::str(text))]);
                Json::map([("waiting", waiting)])
            } else {
                old.get("state").cloned().unwrap_or_default()
            };
            let ran = state.get("running").is_some();
            ContainerNow { state, ready: false, started: ran, ran }
        });
        self.controller_update(key, pod, "kubelet", "status").map(|_| ())
    }

    pub(super) fn ready_pod(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut pod) = self.living_pod(key) else { return Ok(()) };
        self.set_containers(&mut pod, |container, old| {
            let state = old.get("state").cloned().unwrap_or_default();
            let ready = behaviour(container.text_at(&["image"])) == Behaviour::Serves;
            ContainerNow { state, ready, started: true, ran: true }
        });
        self.controller_update(key, pod, "kubelet", "status").map(|_| ())
    }

    pub(super) fn stop_pod(&mut self, key: &Key) -> Result<(), Status> {
        let Some(pod) = self.store.get(key) else { return Ok(()) };
        // A finalizer keeps the pod although its containers are gone.
        if pod.items_at(&["metadata", "finalizers"]).is_empty() {
            self.remove_object(key);
        }
        Ok(())
    }

    /// Writes container statuses and the conditions that follow from them.
    fn set_containers(&self, pod: &mut Json, state_of: impl Fn(&Json, &Json) -> ContainerNow) {
        let containers = pod.items_at(&["spec", "containers"]).to_vec();
        let old = pod.items_at(&["status", "containerStatuses"]).to_vec();
        let uid = pod.text_at(&["metadata", "uid"]).to_string();
        let mut unready = Vec::new();
        let mut statuses = Vec::new();
        for container in &containers {
            let name = container.text_at(&["name"]);
            let before = old.iter().find(|s| s.text_at(&["name"]) == name).cloned().unwrap_or_default();
            let now = state_of(container, &before);
            if !now.ready {
                unready.push(name.to_string());
            }
            let image = container.text_at(&["image"]);
            let mut status = Json::map([
                ("name", Json::str(name)),
                ("state", now.state),
                ("lastState", Json::map::<&str>([])),
                ("ready", Json::Bool(now.ready)),
                ("restartCount", Json::Int(0)),
                ("image", Json::str(image)),
                ("imageID", Json::str(if now.ran { digest(image) } else { String::new() })),
                ("started", Json::Bool(now.started)),
            ]);
            if now.ran {
                let id = |n| hash::hash(self.seed, &format!("{uid}/{name}"), "containerID", n);
                let id = format!("containerd://{:016x}{:016x}{:016x}{:016x}", id(0), id(1), id(2), id(3));
                status.set(&["containerID"], Json::str(id));
            }
            statuses.push(status);
        }
        pod.set(&["status", "containerStatuses"], Json::list(statuses));
        let generation = pod.int_at(&["metadata", "generation"]).unwrap_or(1);
        pod.set(&["status", "observedGeneration"], Json::Int(generation));
        let ready = unready.is_empty();
        let reason = (!ready).then(|| format!("containers with unready status: [{}]", unready.join(" ")));
        let had = pod.items_at(&["status", "conditions"]).to_vec();
        let condition = |kind: &str, status: bool, why: Option<&String>| {
            let word = if status { "True" } else { "False" };
            let before = had.iter().find(|c| c.text_at(&["type"]) == kind);
            let since =
                before.filter(|c| c.text_at(&["status"]) == word).and_then(|c| c.get("lastTransitionTime")).cloned();
            let mut out = Json::map([
                ("type", Json::str(kind)),
                ("observedGeneration", Json::Int(generation)),
                ("status", Json::str(word)),
                ("lastProbeTime", Json::Null),
                ("lastTransitionTime", since.unwrap_or_else(|| Json::str(self.now.rfc3339()))),
            ]);
            if let Some(message) = why {
                out.set(&["reason"], "ContainersNotReady".into());
                out.set(&["message"], Json::str(message.as_str()));
            } else if self.recorded_kubelet
                && let Some(before) = before
            {
                // The recordings' kubelet patches conditions and so leaves the old words behind.
                for name in ["reason", "message"] {
                    if let Some(text) = before.get(name) {
                        out.set(&[name], text.clone());
                    }
                }
            }
            out
        };
        let conditions = [
            condition("PodReadyToStartContainers", true, None),
            condition("Initialized", true, None),
            condition("Ready", ready, reason.as_ref()),
            condition("ContainersReady", ready, reason.as_ref()),
            condition("PodScheduled", true, None),
        ];
        pod.set(&["status", "conditions"], Json::list(conditions));
    }
}

struct ContainerNow {
    state: Json,
    ready: bool,
    started: bool,
    ran: bool,
}

/// Seconds from running to ready: none, a readiness probe's delay and one more, or what an annotation says.
fn readiness_delay(pod: &Json) -> Option<i64> {
    if let Ok(seconds) = pod.text_at(&["metadata", "annotations", "sim/ready-seconds"]).parse::<i64>() {
        return Some(seconds);
    }
    let probes = pod.items_at(&["spec", "containers"]).iter().filter_map(|c| c.get("readinessProbe"));
    Some(probes.map(|p| p.int_at(&["initialDelaySeconds"]).unwrap_or(0) + 1).max().unwrap_or(0))
}

/// The digest of an image, from its name.
fn digest(image: &str) -> String {
    let part = |n| hash::hash(0, image, "image digest", n);
    format!("sim@sha256:{:016x}{:016x}{:016x}{:016x}", part(0), part(1), part(2), part(3))
}
