//! The endpoint controllers: which pods stand behind a Service, as Endpoints and as an EndpointSlice.

use super::pods::NODE;
use super::replica_set::ready_since;
use super::{LAG, MANAGER, Work, controller_reference};
use crate::cluster::Cluster;
use crate::selector::Labels;
use crate::status::Status;
use crate::store::{Change, Key};
use base::Json;

impl Cluster {
    /// A pod changed: the Services that select it look again.
    pub(super) fn notice_endpoint(&mut self, change: &Change) {
        let pod = &change.object;
        let facts = |p: &Json| {
            let ip = p.text_at(&["status", "podIP"]).to_string();
            let leaving = p.at(&["metadata", "deletionTimestamp"]).is_some();
            (ip, ready_since(p).is_some(), leaving, p.at(&["metadata", "labels"]).cloned())
        };
        let gone = change.kind == crate::store::ChangeType::Deleted;
        if !gone && facts(pod) == facts(&change.before) {
            return;
        }
        let services = self.store.list("", "services", Some(&change.key.namespace));
        let behind = |service: &Json| {
            let labels = selector_of(service);
            !labels.is_empty() && (labels.matches(pod) || labels.matches(&change.before))
        };
        let found: Vec<Key> = services.filter(|(_, s)| behind(s)).map(|(key, _)| key.clone()).collect();
        for key in found {
            self.queue.add(self.now + LAG, Work::Endpoints(key));
        }
    }

    #[inline(never)]
    pub(super) fn sync_endpoints(&mut self, key: &Key) -> Result<(), Status> {
        let endpoints = Key::new("", "endpoints", &key.namespace, &key.name);
        let Some(service) = self.store.get(key).cloned() else {
            self.remove_object(&endpoints);
            return Ok(());
        };
        let labels = selector_of(&service);
        if labels.is_empty() || service.at(&["metadata", "deletionTimestamp"]).is_some() {
            return Ok(());
        }
        let all = service.at(&["spec", "publishNotReadyAddresses"]).and_then(Json::as_bool) == Some(true);
        let mut pods: Vec<Json> = Vec::new();
        for (_, pod) in self.store.list("", "pods", Some(&key.namespace)) {
            let ended = matches!(pod.text_at(&["status", "phase"]), "Succeeded" | "Failed");
            if labels.matches(pod) && !ended && !pod.text_at(&["status", "podIP"]).is_empty() {
                pods.push(pod.clone());
            }
        }
        // Addresses are given in the order in which pods are made.
        let made = |p: &Json| p.text_at(&["metadata", "creationTimestamp"]).to_string();
        base::order::sort_by(&mut pods, |a, b| made(a).cmp(&made(b)));
        self.write_endpoints(&endpoints, &service, &pods, all)?;
        self.write_slice(key, &service, &pods, all)
    }

    fn write_endpoints(&mut self, key: &Key, service: &Json, pods: &[Json], all: bool) -> Result<(), Status> {
        let headless = service.text_at(&["spec", "clusterIP"]) == "None";
        let (mut ready, mut unready) = (Vec::new(), Vec::new());
        for pod in pods.iter().filter(|p| all || p.at(&["metadata", "deletionTimestamp"]).is_none()) {
            let mut address = Json::map([("ip", Json::str(pod.text_at(&["status", "podIP"])))]);
            let hostname = pod.text_at(&["spec", "hostname"]);
            if !hostname.is_empty() && pod.text_at(&["spec", "subdomain"]) == &*key.name {
                address.set(&["hostname"], Json::str(hostname));
            }
            address.set(&["nodeName"], NODE.into());
            address.set(&["targetRef"], target(pod));
            if all || ready_since(pod).is_some() { ready.push(address) } else { unready.push(address) }
        }
        let mut labels = service.at(&["metadata", "labels"]).cloned().unwrap_or_else(|| Json::map::<&str>([]));
        labels.set(&["endpoints.kubernetes.io/managed-by"], "endpoint-controller".into());
        if headless {
            labels.set(&["service.kubernetes.io/headless"], "".into());
        }
        let mut object =
            Json::map([("metadata", Json::map([("name", Json::str(key.name.clone())), ("labels", labels)]))]);
        if !(ready.is_empty() && unready.is_empty()) {
            let mut subset = Json::map::<&str>([]);
            if !ready.is_empty() {
                subset.set(&["addresses"], Json::list(ready));
            }
            if !unready.is_empty() {
                subset.set(&["notReadyAddresses"], Json::list(unready));
            }
            let ports = ports(service, pods);
            if !ports.is_empty() {
                subset.set(&["ports"], Json::list(ports));
            }
            object.set(&["subsets"], Json::list([subset]));
        }
        match self.store.get(key).cloned() {
            None => self.controller_create(key.clone(), object).map(|_| ()),
            Some(old) if old.get("subsets") == object.get("subsets") => Ok(()),
            Some(mut new) => {
                match object.get("subsets") {
                    Some(subsets) => new.set(&["subsets"], subsets.clone()),
                    None => {
                        new.remove(&["subsets"]);
                    }
                }
                self.controller_update(key, new, MANAGER, "").map(|_| ())
            }
        }
    }

    fn write_slice(&mut self, service_key: &Key, service: &Json, pods: &[Json], all: bool) -> Result<(), Status> {
        let owned = self.store.owned_by(service.text_at(&["metadata", "uid"]));
        let key = owned.into_iter().find(|key| &*key.resource == "endpointslices");
        let items: Vec<Json> = pods
            .iter()
            .map(|pod| {
                let serving = ready_since(pod).is_some();
                let leaving = pod.at(&["metadata", "deletionTimestamp"]).is_some();
                let conditions = Json::map([
                    ("ready", Json::Bool(all || serving && !leaving)),
                    ("serving", Json::Bool(serving)),
                    ("terminating", Json::Bool(leaving)),
                ]);
                Json::map([
                    ("addresses", Json::list([Json::str(pod.text_at(&["status", "podIP"]))])),
                    ("conditions", conditions),
                    ("targetRef", target(pod)),
                    ("nodeName", NODE.into()),
                ])
            })
            .collect();
        let list = |items: Vec<Json>| if items.is_empty() { Json::Null } else { Json::list(items) };
        let ports = if items.is_empty() { Vec::new() } else { ports(service, pods) };
        let (items, ports) = (list(items), list(ports));
        if let Some((key, mut old)) = key.and_then(|key| self.store.get(&key).cloned().map(|old| (key, old))) {
            if old.get("endpoints") == Some(&items) {
                return Ok(());
            }
            old.set(&["endpoints"], items);
            old.set(&["ports"], ports);
            return self.controller_update(&key, old, MANAGER, "").map(|_| ());
        }
        let name = &service_key.name;
        let labels = Json::map([
            ("endpointslice.kubernetes.io/managed-by", Json::str("endpointslice-controller.k8s.io")),
            ("kubernetes.io/service-name", Json::str(name.clone())),
        ]);
        let metadata = Json::map([
            ("generateName", Json::str(format!("{name}-"))),
            ("labels", labels),
            ("ownerReferences", Json::list([controller_reference(service)])),
        ]);
        let object =
            Json::map([("metadata", metadata), ("addressType", "IPv4".into()), ("endpoints", items), ("ports", ports)]);
        let key = Key::new("discovery.k8s.io", "endpointslices", &service_key.namespace, "");
        self.controller_create(key, object).map(|_| ())
    }
}

fn selector_of(service: &Json) -> Labels {
    let selector = service.at(&["spec", "selector"]).cloned().unwrap_or_default();
    Labels::of(&Json::map([("matchLabels", selector)]))
}

fn target(pod: &Json) -> Json {
    Json::map([
        ("kind", Json::str("Pod")),
        ("namespace", Json::str(pod.text_at(&["metadata", "namespace"]))),
        ("name", Json::str(pod.text_at(&["metadata", "name"]))),
        ("uid", Json::str(pod.text_at(&["metadata", "uid"]))),
    ])
}

/// A Service's ports as the pods have them; a named port is looked up in the first pod.
fn ports(service: &Json, pods: &[Json]) -> Vec<Json> {
    let mut out = Vec::new();
    for port in service.items_at(&["spec", "ports"]) {
        let number = match port.get("targetPort") {
            Some(Json::Str(name)) => pods.iter().find_map(|pod| {
                let containers = pod.items_at(&["spec", "containers"]).iter();
                let mut all = containers.flat_map(|c| c.items_at(&["ports"]));
                all.find(|p| p.text_at(&["name"]) == &**name).and_then(|p| p.int_at(&["containerPort"]))
            }),
            Some(value) => value.as_int(),
            None => port.int_at(&["port"]),
        };
        let Some(number) = number else { continue };
        let mut item = Json::map::<&str>([]);
        if !port.text_at(&["name"]).is_empty() {
            item.set(&["name"], Json::str(port.text_at(&["name"])));
        }
        item.set(&["port"], Json::Int(number));
        item.set(&["protocol"], Json::str(port.text_at(&["protocol"])));
        out.push(item);
    }
    out
}
