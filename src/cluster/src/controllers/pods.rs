//! The scheduler and the kubelet of the one simulated node: a pod is bound after 50 ms, created 100 ms later, starts
//! 900 ms after that, and is gone a second after its deletion unless a shell has to be killed first.

use super::Work;
use super::container::{Container, Happened, Log, Program, State, Surroundings};
use crate::cluster::Cluster;
use crate::registry::Behaviour;
use crate::shell;
use crate::status::Status;
use crate::store::{Change, ChangeType, Key};
use base::{Json, Time, hash};
use std::rc::Rc;

/// The node's name.
pub(super) const NODE: &str = "sim-node";
pub(super) const NODE_IP: &str = "10.0.0.10";
const BIND: i64 = 50;
const CREATE: i64 = 100;
const RUN: i64 = 900;
const STOP: i64 = 1000;
/// Milliseconds until the scheduler tries a pod again that waits for a volume.
const RESCHEDULE: i64 = 2000;

/// A pod's containers: first the init containers, then the others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PodRun {
    pub(super) init: Vec<Container>,
    pub(super) main: Vec<Container>,
}

impl PodRun {
    fn new(pod: &Json) -> PodRun {
        let make = |list: &str| pod.items_at(&["spec", list]).iter().map(|_| Container::new()).collect();
        PodRun { init: make("initContainers"), main: make("containers") }
    }

    fn due(&self) -> Option<Time> {
        self.init.iter().chain(&self.main).filter_map(|c| c.due).min()
    }
}

impl Cluster {
    pub(super) fn notice_pod(&mut self, change: &Change) {
        let (now, key, pod) = (self.now, &change.key, &change.object);
        if change.kind == ChangeType::Deleted {
            self.pods.remove_mut(pod.text_at(&["metadata", "uid"]));
            return;
        }
        let tracked = |f: &Json| f.as_str() == Some(super::job::FINALIZER);
        let of_job = |r: &Json| r.text_at(&["kind"]) == "Job";
        if pod.items_at(&["metadata", "finalizers"]).iter().any(tracked)
            && !pod.items_at(&["metadata", "ownerReferences"]).iter().any(of_job)
        {
            self.queue.add(now + super::LAG, Work::PodRelease(key.clone()));
        }
        if pod.at(&["metadata", "deletionTimestamp"]).is_some() {
            if change.before.at(&["metadata", "deletionTimestamp"]).is_none() {
                self.queue.add(now + self.stop_time(pod), Work::PodStop(key.clone()));
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

    /// Milliseconds from a pod's deletion to its end. A shell as process 1 ignores the polite signal: it is killed when
    /// the grace period is over.
    fn stop_time(&self, pod: &Json) -> i64 {
        let seconds = pod.text_at(&["metadata", "annotations", "sim/stop-seconds"]).parse::<f64>().ok();
        if let Some(seconds) = seconds.filter(|s| s.is_finite()) {
            return (seconds.clamp(0.0, 1e6) * 1000.0) as i64;
        }
        let grace = pod.int_at(&["metadata", "deletionGracePeriodSeconds"]).unwrap_or(30) * 1000;
        let run = self.pods.get(pod.text_at(&["metadata", "uid"]));
        if run.is_some_and(|run| run.init.iter().chain(&run.main).any(Container::deaf)) {
            return grace;
        }
        let sleeps = |c: &Json| c.int_at(&["lifecycle", "preStop", "sleep", "seconds"]).unwrap_or(0) * 1000;
        let before = pod.items_at(&["spec", "containers"]).iter().map(sleeps).max().unwrap_or(0);
        (before + STOP).min(grace.max(STOP))
    }

    fn living_pod(&self, key: &Key) -> Option<Json> {
        self.store.get(key).filter(|p| p.at(&["metadata", "deletionTimestamp"]).is_none()).cloned()
    }

    #[inline(never)]
    pub(super) fn bind_pod(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut pod) = self.living_pod(key) else { return Ok(()) };
        if !pod.text_at(&["spec", "nodeName"]).is_empty() {
            return Ok(());
        }
        if let Some(words) = self.unschedulable(key, &pod) {
            self.queue.add(self.now + RESCHEDULE, Work::PodBind(key.clone()));
            let condition = Json::map([
                ("type", Json::str("PodScheduled")),
                ("status", "False".into()),
                ("lastProbeTime", Json::Null),
                ("lastTransitionTime", Json::str(self.now.rfc3339())),
                ("reason", "Unschedulable".into()),
                ("message", Json::str(words.as_str())),
            ]);
            if pod.items_at(&["status", "conditions"]).is_empty() {
                if !self.recorded_kubelet {
                    self.record(&pod, "default-scheduler", "Warning", "FailedScheduling", &words);
                }
                pod.set(&["status", "conditions"], Json::list([condition]));
                return self.controller_update(key, pod, "kube-scheduler", "status").map(|_| ());
            }
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

    /// Why the scheduler does not place a pod: a claim that is missing or unbound, a node selector that nothing matches.
    fn unschedulable(&self, key: &Key, pod: &Json) -> Option<String> {
        for volume in pod.items_at(&["spec", "volumes"]) {
            let claim = volume.text_at(&["persistentVolumeClaim", "claimName"]);
            if claim.is_empty() {
                continue;
            }
            match self.store.get(&Key::new("", "persistentvolumeclaims", &key.namespace, claim)) {
                None => return Some(format!("0/1 nodes are available: persistentvolumeclaim \"{claim}\" not found.")),
                Some(found) if found.text_at(&["status", "phase"]) != "Bound" => {
                    const WORDS: &str = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
                    return Some(WORDS.to_string());
                }
                Some(_) => {}
            }
        }
        if self.recorded_kubelet {
            return None;
        }
        let wanted = pod.at(&["spec", "nodeSelector"]).and_then(Json::as_map)?;
        let node = self.store.get(&Key::new("", "nodes", "", NODE));
        let labels = node.and_then(|n| n.at(&["metadata", "labels"]));
        let fits = wanted.iter().all(|(name, value)| labels.and_then(|l| l.get(name)) == Some(value));
        const WORDS: &str = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
        (!fits).then(|| WORDS.to_string())
    }

    #[inline(never)]
    pub(super) fn start_pod(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut pod) = self.living_pod(key) else { return Ok(()) };
        pod.set(&["status", "hostIP"], NODE_IP.into());
        pod.set(&["status", "hostIPs"], Json::list([Json::map([("ip", Json::str(NODE_IP))])]));
        pod.set(&["status", "startTime"], Json::str(self.now.rfc3339()));
        let mut run = PodRun::new(&pod);
        let start = Some(self.now + RUN);
        // The fake kubelet of the recordings runs no init containers.
        let waits_for_init = !run.init.is_empty() && !self.recorded_kubelet;
        match run.init.first_mut().filter(|_| waits_for_init) {
            Some(first) => first.due = start,
            None => run.main.iter_mut().for_each(|c| c.due = start),
        }
        self.write_pod_status(&mut pod, &run);
        self.queue.add(self.now + RUN, Work::PodTick(key.clone()));
        self.pods.insert_mut(pod.text_at(&["metadata", "uid"]).into(), Rc::new(run));
        self.controller_update(key, pod, "kubelet", "status").map(|_| ())
    }

    /// Lets a pod's containers do what is due.
    #[inline(never)]
    pub(super) fn tick_pod(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut pod) = self.living_pod(key) else { return Ok(()) };
        let uid: Rc<str> = pod.text_at(&["metadata", "uid"]).into();
        let Some(mut run) = self.pods.get(&uid).cloned() else { return Ok(()) };
        if pod.text_at(&["status", "podIP"]).is_empty() {
            let who = format!("pods/{}/{}", key.namespace, key.name);
            let n = hash::hash(self.seed, &who, "podIP", self.now.0 as u64);
            let ip = format!("10.42.{}.{}", (n >> 8) % 250 + 1, n % 253 + 2);
            pod.set(&["status", "podIPs"], Json::list([Json::map([("ip", Json::str(ip.as_str()))])]));
            pod.set(&["status", "podIP"], Json::str(ip));
        }
        let mut happened = Happened::new();
        self.advance_containers(&pod, Rc::make_mut(&mut run), &mut happened);
        if let Some(due) = run.due() {
            // What is due again at this instant comes with the next millisecond, so that time always moves on.
            self.queue.add(due.max(self.now + 1), Work::PodTick(key.clone()));
        }
        self.write_pod_status(&mut pod, &run);
        self.pods.insert_mut(uid, run);
        if !self.recorded_kubelet {
            for (kind, reason, message) in happened {
                self.record(&pod, "kubelet", kind, reason, &message);
            }
        }
        self.controller_update(key, pod, "kubelet", "status").map(|_| ())
    }

    fn advance_containers(&self, pod: &Json, run: &mut PodRun, happened: &mut Happened) {
        let namespace = pod.text_at(&["metadata", "namespace"]);
        let net = shell::ClusterNetwork { cluster: self, namespace };
        let pod_policy = pod.text_at(&["spec", "restartPolicy"]);
        let mut advance = |spec: &Json, container: &mut Container, restart: &str| {
            let image = self.registry.image(spec.text_at(&["image"]));
            let absent = match self.recorded_kubelet {
                true => spec.text_at(&["image"]).contains("doesnotexist"),
                false => image.behaviour == Behaviour::Absent,
            };
            let program = || self.program(pod, spec, &image.behaviour);
            let recorded = self.recorded_kubelet;
            let at = Surroundings { now: self.now, spec, restart, recorded, absent, program: &program, world: &net };
            container.advance(&at, happened);
        };
        let specs = pod.items_at(&["spec", "initContainers"]);
        let mut done = true;
        for (i, spec) in specs.iter().enumerate().filter(|_| !self.recorded_kubelet) {
            let sidecar = spec.text_at(&["restartPolicy"]) == "Always";
            let restart = match (sidecar, pod_policy) {
                (true, _) => "Always",
                (false, "Never") => "Never",
                (false, _) => "OnFailure",
            };
            if done && run.init[i].due.is_none() && run.init[i].state == State::Creating {
                run.init[i].due = Some(self.now);
            }
            advance(spec, &mut run.init[i], restart);
            done &= run.init[i].over() == Some(0) || sidecar && run.init[i].started;
        }
        let failed = run.init.iter().any(|c| c.over().is_some_and(|code| code != 0));
        for (spec, container) in pod.items_at(&["spec", "containers"]).iter().zip(&mut run.main) {
            if done && !failed && !specs.is_empty() && container.due.is_none() && container.state == State::Creating {
                container.due = Some(self.now);
            }
            advance(spec, container, pod_policy);
        }
    }

    /// What a container starts: a command that the small shell knows, or the image's own program.
    fn program(&self, pod: &Json, spec: &Json, behaviour: &Behaviour) -> Program {
        if self.recorded_kubelet {
            return recorded_program(pod, spec);
        }
        match shell::Machine::new(self, pod, spec, behaviour) {
            Some(Ok(machine)) => Program::Script(Box::new(machine)),
            Some(Err(words)) => Program::Missing(words),
            None => Program::Image(behaviour.clone()),
        }
    }

    #[inline(never)]
    pub(super) fn stop_pod(&mut self, key: &Key) -> Result<(), Status> {
        let Some(pod) = self.store.get(key).cloned() else { return Ok(()) };
        if pod.items_at(&["metadata", "finalizers"]).is_empty() {
            self.remove_object(key);
            return Ok(());
        }
        // A finalizer keeps the pod although its containers are gone.
        let mut stopped = pod;
        stopped.set(&["metadata", "deletionGracePeriodSeconds"], Json::Int(0));
        self.store_object(key.clone(), stopped);
        Ok(())
    }

    /// The output of a container, oldest line first, each with its time; `previous` asks for the run before its last
    /// restart. `None` when there is no such pod or container.
    pub fn logs(&self, namespace: &str, pod: &str, container: &str, previous: bool) -> Option<Log> {
        let pod = self.store.get(&Key::new("", "pods", namespace, pod))?;
        let run = self.pods.get(pod.text_at(&["metadata", "uid"]))?;
        let find = |list: &str| {
            let wanted = |c: &Json| container.is_empty() || c.text_at(&["name"]) == container;
            pod.items_at(&["spec", list]).iter().position(wanted)
        };
        let found = find("containers").and_then(|i| run.main.get(i));
        let found = found.or_else(|| find("initContainers").and_then(|i| run.init.get(i)))?;
        Some(if previous { found.previous_log.clone() } else { found.log.clone() })
    }
}

/// What the fake kubelet of the recordings runs: names of images and annotations decide.
fn recorded_program(pod: &Json, spec: &Json) -> Program {
    let note = |name: &str| pod.text_at(&["metadata", "annotations", name]);
    let image = spec.text_at(&["image"]);
    let exits = |after, code| Program::Image(Behaviour::Exits { after, code, log: "".into() });
    if image.contains("crash") {
        return exits(1, 1);
    }
    let of_job = pod.items_at(&["metadata", "ownerReferences"]).iter().any(|r| r.text_at(&["kind"]) == "Job");
    if of_job || matches!(pod.text_at(&["spec", "restartPolicy"]), "Never" | "OnFailure") {
        let words = spec.items_at(&["command"]).iter().chain(spec.items_at(&["args"]));
        let fails = note("sim/fail") == "true" || words.filter_map(Json::as_str).any(|w| w.contains("exit 1"));
        return exits(note("sim/run-seconds").parse().unwrap_or(3), i64::from(fails));
    }
    if image.contains("bad") {
        return Program::Image(Behaviour::NeverReady);
    }
    Program::Image(Behaviour::Serves { after: note("sim/ready-seconds").parse().unwrap_or(0) })
}
