//! The horizontal pod autoscaler: every fifteen seconds it holds a workload within its bounds and, where the load of its
//! pods is known, at the number that brings their use of the processor to the target. Nothing measures pods here: without
//! a load that somebody scripted, metrics fail as on a cluster without a metrics server.

use super::{MANAGER, Work};
use crate::cluster::Cluster;
use crate::selector::Labels;
use crate::status::Status;
use crate::store::Key;
use base::{Json, Time};
use std::rc::Rc;

/// Milliseconds between two looks at one autoscaler.
const PERIOD: i64 = 15_000;
/// How long the highest recommendation holds off a smaller one, in milliseconds.
const STABILIZATION: i64 = 300_000;
const COMPONENT: &str = "horizontal-pod-autoscaler";
const NO_METRICS: &str = "unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)";

/// What an autoscaler recommended lately: when and how many.
pub(crate) type Recommended = Rc<[(Time, i64)]>;

impl Cluster {
    /// Scripts the load of a workload: millicores that its pods use together, shared evenly; `None` takes it away.
    pub fn set_load(&mut self, namespace: &str, kind: &str, name: &str, millicores: Option<i64>) {
        let key: Rc<str> = format!("{namespace}/{kind}/{name}").into();
        match millicores {
            Some(n) => self.loads.insert_mut(key, n.max(0)),
            None => {
                self.loads.remove_mut(&key);
            }
        }
    }

    /// A new autoscaler is looked at after one period.
    pub(super) fn notice_autoscaler(&mut self, key: &Key, new: bool) {
        if new {
            self.queue.add(self.now + PERIOD, Work::Autoscaler(key.clone()));
        }
    }

    #[inline(never)]
    pub(super) fn sync_autoscaler(&mut self, key: &Key) -> Result<(), Status> {
        let Some(hpa) = self.store.get(key).cloned() else { return Ok(()) };
        self.queue.add(self.now + PERIOD, Work::Autoscaler(key.clone()));
        let mut look =
            Look { now: Json::str(self.now.rfc3339()), status: hpa.get("status").cloned().unwrap_or_default() };
        let done = self.look_at(key, &hpa, &mut look);
        let mut new = self.existing(key)?;
        if new.get("status") != Some(&look.status) {
            new.set(&["status"], look.status);
            self.controller_update(key, new, MANAGER, "status")?;
        }
        done
    }

    fn look_at(&mut self, key: &Key, hpa: &Json, look: &mut Look) -> Result<(), Status> {
        let to = |part: &str| hpa.text_at(&["spec", "scaleTargetRef", part]);
        let (group, _) = to("apiVersion").split_once('/').unwrap_or(("", ""));
        let plural = self.kinds.kind(group, to("kind")).map_or_else(Rc::default, |r| r.plural.clone());
        let target = Key::new(group, &plural, &key.namespace, to("name"));
        let workload = match self.existing(&target) {
            Ok(workload) => workload,
            Err(status) => {
                let text = &status.message;
                self.record(hpa, COMPONENT, "Warning", "FailedGetScale", text);
                let message = format!("the HPA controller was unable to get the target's current scale: {text}");
                look.condition("AbleToScale", false, "FailedGetScale", &message);
                return Ok(());
            }
        };
        const FOUND: &str = "the HPA controller was able to get the target's current scale";
        look.condition("AbleToScale", true, "SucceededGetScale", FOUND);
        let current = workload.int_at(&["spec", "replicas"]).unwrap_or(0);
        let least = hpa.int_at(&["spec", "minReplicas"]).unwrap_or(1);
        let most = hpa.int_at(&["spec", "maxReplicas"]).unwrap_or(least);
        let mut metrics = Json::Null;
        let (desired, why) = if current == 0 && least != 0 {
            const WHY: &str = "scaling is disabled since the replica count of the target is zero";
            look.condition("ScalingActive", false, "ScalingDisabled", WHY);
            (0, String::new())
        } else if current > most {
            (most, "Current number of replicas above Spec.MaxReplicas".to_string())
        } else if current < least {
            (least, "Current number of replicas below Spec.MinReplicas".to_string())
        } else {
            match self.wanted(hpa, &workload, current) {
                Ok((wanted, found)) => {
                    const FOUND: &str = "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)";
                    look.condition("ScalingActive", true, "ValidMetricFound", FOUND);
                    metrics = Json::list([found]);
                    let why = if wanted > current {
                        "cpu resource utilization (percentage of request) above target"
                    } else {
                        "All metrics below target"
                    };
                    (self.settle_on(hpa, wanted, current, (least, most), look), why.to_string())
                }
                Err(text) => {
                    let text = format!("failed to get cpu utilization: {text}");
                    let message = format!("the HPA was unable to compute the replica count: {text}");
                    self.record(hpa, COMPONENT, "Warning", "FailedGetResourceMetric", &text);
                    let whole = format!(
                        "invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: {text}"
                    );
                    self.record(hpa, COMPONENT, "Warning", "FailedComputeMetricsReplicas", &whole);
                    look.condition("ScalingActive", false, "FailedGetResourceMetric", &message);
                    let desired = look.status.int_at(&["desiredReplicas"]).unwrap_or(0);
                    look.figures(current, desired, Json::list([Json::map([("type", Json::str(""))])]));
                    return Ok(());
                }
            }
        };
        if desired != current {
            let mut scaled = workload;
            scaled.set(&["spec", "replicas"], Json::Int(desired));
            self.controller_update(&target, scaled, MANAGER, "scale")?;
            let message = format!("the HPA controller was able to update the target scale to {desired}");
            look.condition("AbleToScale", true, "SucceededRescale", &message);
            self.record(hpa, COMPONENT, "Normal", "SuccessfulRescale", &format!("New size: {desired}; reason: {why}"));
            look.status.set(&["lastScaleTime"], look.now.clone());
        }
        look.figures(current, desired, metrics);
        Ok(())
    }

    /// How many pods the first metric asks for, and what was measured. Only the processor's use is known.
    fn wanted(&self, hpa: &Json, workload: &Json, current: i64) -> Result<(i64, Json), String> {
        let metric = hpa.items_at(&["spec", "metrics"]).first().cloned().unwrap_or_default();
        let load = self.loads.get(&*format!(
            "{}/{}/{}",
            hpa.text_at(&["metadata", "namespace"]),
            workload.text_at(&["kind"]),
            workload.text_at(&["metadata", "name"])
        ));
        let Some(load) = load.filter(|_| metric.text_at(&["resource", "name"]) == "cpu") else {
            return Err(NO_METRICS.into());
        };
        let mut request = 0;
        for container in workload.items_at(&["spec", "template", "spec", "containers"]) {
            let cpu = container.at(&["resources", "requests", "cpu"]).and_then(millicores);
            let name = container.text_at(&["name"]);
            request += cpu.ok_or_else(|| {
                format!("missing request for cpu in container {name} of Pod {}", self.one_pod(workload))
            })?;
        }
        let each = load / current.max(1);
        let (used, target, figures) = match metric.int_at(&["resource", "target", "averageUtilization"]) {
            Some(target) => {
                let used = each * 100 / request.max(1);
                let average = ("averageUtilization", Json::Int(used));
                (used, target, Json::map([average, ("averageValue", Json::str(format!("{each}m")))]))
            }
            None => {
                let target = metric.at(&["resource", "target", "averageValue"]).and_then(millicores).unwrap_or(1);
                (each, target, Json::map([("averageValue", Json::str(format!("{each}m")))]))
            }
        };
        let found = Json::map([
            ("type", Json::str("Resource")),
            ("resource", Json::map([("name", Json::str("cpu")), ("current", figures)])),
        ]);
        let target = target.max(1);
        // Within a tenth of the target nothing is done.
        if (used - target).abs() * 10 <= target {
            return Ok((current, found));
        }
        Ok(((used * current + target - 1).div_euclid(target), found))
    }

    /// Any pod of a workload, for messages.
    fn one_pod(&self, workload: &Json) -> String {
        let labels = Labels::of(workload.at(&["spec", "selector"]).unwrap_or(&Json::Null));
        let namespace = workload.text_at(&["metadata", "namespace"]);
        let mut pods = self.store.list("", "pods", Some(namespace));
        pods.find(|(_, pod)| labels.matches(pod)).map(|(key, _)| key.name.to_string()).unwrap_or_default()
    }

    /// A recommendation held back by higher ones of late, by the pace of growth, and by the bounds.
    fn settle_on(&mut self, hpa: &Json, wanted: i64, current: i64, bounds: (i64, i64), look: &mut Look) -> i64 {
        let uid: Rc<str> = hpa.text_at(&["metadata", "uid"]).into();
        let now = self.now;
        let mut lately: Vec<(Time, i64)> = match self.recommended.get(&uid) {
            Some(list) => list.iter().copied().filter(|(at, _)| now - *at < STABILIZATION).collect(),
            None => vec![(now, current)],
        };
        lately.push((now, wanted));
        let held = lately.iter().map(|(_, n)| *n).max().unwrap_or(wanted).min(current.max(wanted));
        self.recommended.insert_mut(uid, lately.into());
        if held > wanted {
            const WHY: &str =
                "recent recommendations were higher than current one, applying the highest recent recommendation";
            look.condition("AbleToScale", true, "ScaleDownStabilized", WHY);
        } else {
            look.condition("AbleToScale", true, "ReadyForNewScale", "recommended size matches current size");
        }
        let pace = (2 * current).max(current + 4);
        let (least, most) = bounds;
        let (limited, reason, message, desired) = if held > pace && pace < most {
            const WHY: &str = "the desired replica count is increasing faster than the maximum scale rate";
            (true, "ScaleUpLimit", WHY, pace)
        } else if held > most {
            (true, "TooManyReplicas", "the desired replica count is more than the maximum replica count", most)
        } else if held < least {
            (true, "TooFewReplicas", "the desired replica count is less than the minimum replica count", least)
        } else {
            (false, "DesiredWithinRange", "the desired count is within the acceptable range", held)
        };
        look.condition("ScalingLimited", limited, reason, message);
        desired
    }
}

/// The status that a look at an autoscaler leaves.
struct Look {
    now: Json,
    status: Json,
}

impl Look {
    fn condition(&mut self, kind: &str, holds: bool, reason: &str, message: &str) {
        let mut all = self.status.items_at(&["conditions"]).to_vec();
        let word = if holds { "True" } else { "False" };
        let at = all.iter().position(|c| c.text_at(&["type"]) == kind);
        let before = at.map(|i| &all[i]).filter(|c| c.text_at(&["status"]) == word);
        let since = before.and_then(|c| c.get("lastTransitionTime")).cloned().unwrap_or_else(|| self.now.clone());
        let condition = Json::map([
            ("type", Json::str(kind)),
            ("status", word.into()),
            ("lastTransitionTime", since),
            ("reason", Json::str(reason)),
            ("message", Json::str(message)),
        ]);
        match at {
            Some(i) => all[i] = condition,
            None => all.push(condition),
        }
        self.status.set(&["conditions"], Json::list(all));
    }

    fn figures(&mut self, current: i64, desired: i64, metrics: Json) {
        if current == 0 {
            self.status.remove(&["currentReplicas"]);
        } else {
            self.status.set(&["currentReplicas"], Json::Int(current));
        }
        self.status.set(&["desiredReplicas"], Json::Int(desired));
        self.status.set(&["currentMetrics"], metrics);
    }
}

/// A quantity of processors in thousandths.
fn millicores(value: &Json) -> Option<i64> {
    match value {
        Json::Str(text) => match text.strip_suffix('m') {
            Some(digits) => digits.parse().ok(),
            None => text.parse::<f64>().ok().map(|n| (n * 1000.0) as i64),
        },
        value => value.as_int().map(|n| n * 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ObjectRef, Writer};

    fn parsed(text: &str) -> Json {
        Json::parse(text).unwrap_or_default()
    }

    fn cluster(replicas: i64) -> (Cluster, ObjectRef, ObjectRef) {
        let mut cluster = Cluster::new(1, Time::from_secs(1_800_000_000));
        let writer = Writer::new("test");
        let mut web = parsed(
            r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"},"spec":{
                "selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{
                "containers":[{"name":"c","image":"nginx","resources":{"requests":{"cpu":"100m"}}}]}}}}"#,
        );
        web.set(&["spec", "replicas"], Json::Int(replicas));
        let hpa = parsed(
            r#"{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h","namespace":"default"},
                "spec":{"minReplicas":2,"maxReplicas":9,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},
                "metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]}}"#,
        );
        for object in [&web, &hpa] {
            assert!(cluster.create(object, &writer).is_ok());
        }
        (cluster, ObjectRef::of(&web), ObjectRef::of(&hpa))
    }

    fn after(cluster: &mut Cluster, seconds: i64, at: &ObjectRef) -> Json {
        cluster.step(cluster.now() + seconds * 1000);
        cluster.get(at).unwrap_or_default()
    }

    fn condition<'a>(hpa: &'a Json, kind: &str) -> (&'a str, &'a str, &'a str) {
        let found = hpa.items_at(&["status", "conditions"]).iter().find(|c| c.text_at(&["type"]) == kind);
        found.map_or(("", "", ""), |c| (c.text_at(&["status"]), c.text_at(&["reason"]), c.text_at(&["message"])))
    }

    /// Kubernetes 1.36.1: statuses and messages of the recordings `hpa-minreplicas` and `17c-hpa-fight`.
    #[test]
    fn without_metrics_only_the_bounds_hold() {
        let (mut cluster, web, h) = cluster(1);
        let hpa = after(&mut cluster, 16, &h);
        assert_eq!(hpa.at(&["status", "currentMetrics"]), Some(&Json::Null));
        let words = ("True", "SucceededRescale", "the HPA controller was able to update the target scale to 2");
        assert_eq!(condition(&hpa, "AbleToScale"), words);
        assert_eq!(after(&mut cluster, 0, &web).int_at(&["spec", "replicas"]), Some(2));
        let hpa = after(&mut cluster, 15, &h);
        let (status, reason, message) = condition(&hpa, "ScalingActive");
        assert_eq!((status, reason), ("False", "FailedGetResourceMetric"));
        assert_eq!(
            message,
            format!("the HPA was unable to compute the replica count: failed to get cpu utilization: {NO_METRICS}")
        );
    }

    #[test]
    fn a_scripted_load_is_followed_up_at_once_and_down_after_five_minutes() {
        let (mut cluster, web, _) = cluster(2);
        cluster.set_load("default", "Deployment", "web", Some(400));
        let up = after(&mut cluster, 16, &web);
        // 200m of 100m requested is four times the target of a half.
        assert_eq!(up.int_at(&["spec", "replicas"]), Some(6));
        let up = after(&mut cluster, 15, &web);
        assert_eq!(up.int_at(&["spec", "replicas"]), Some(8));
        cluster.set_load("default", "Deployment", "web", Some(100));
        assert_eq!(after(&mut cluster, 240, &web).int_at(&["spec", "replicas"]), Some(8));
        assert_eq!(after(&mut cluster, 120, &web).int_at(&["spec", "replicas"]), Some(2));
    }
}
