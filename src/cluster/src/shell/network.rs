//! What a pod can reach: Services by name, ready endpoints by port, pods by address.

use super::{Reach, World};
use crate::cluster::Cluster;
use crate::selector::Labels;
use crate::store::Key;
use base::Json;

/// The cluster as a pod of a namespace sees it.
pub(crate) struct ClusterNetwork<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) namespace: &'a str,
}

impl World for ClusterNetwork<'_> {
    fn reach(&self, host: &str, port: Option<i64>) -> Reach {
        if matches!(host, "localhost" | "127.0.0.1" | "::1") {
            return Reach::Refused("127.0.0.1".to_string());
        }
        let own = |service: &Json| service.text_at(&["spec", "clusterIP"]) == host;
        let numeric = host.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let service = if numeric {
            let mut all = self.cluster.store.list("", "services", None);
            match all.find(|(_, s)| own(s)) {
                Some((_, service)) => service.clone(),
                None => return self.reach_pod(host, port),
            }
        } else {
            let name = host.trim_end_matches('.');
            let name = name.strip_suffix(".cluster.local").unwrap_or(name);
            let name = name.strip_suffix(".svc").unwrap_or(name);
            let (name, namespace) = name.split_once('.').unwrap_or((name, self.namespace));
            if (name, namespace) == ("kubernetes", "default") {
                return Reach::Open("10.43.0.1".to_string());
            }
            match self.cluster.store.get(&Key::new("", "services", namespace, name)) {
                Some(service) => service.clone(),
                None => return Reach::Unknown,
            }
        };
        self.reach_service(&service, port)
    }
}

impl ClusterNetwork<'_> {
    fn reach_service(&self, service: &Json, port: Option<i64>) -> Reach {
        let headless = service.text_at(&["spec", "clusterIP"]) == "None";
        let ready = self.ready_pods(service);
        let first = ready.first().map_or("", |pod| pod.text_at(&["status", "podIP"]));
        if headless && first.is_empty() || service.text_at(&["spec", "type"]) == "ExternalName" {
            return Reach::Unknown;
        }
        let ip = if headless { first } else { service.text_at(&["spec", "clusterIP"]) }.to_string();
        let Some(port) = port else { return Reach::Open(ip) };
        let ports = service.items_at(&["spec", "ports"]);
        // Behind a headless name the port is the pod's own; whatever runs there listens.
        if !headless && !ports.iter().any(|p| p.int_at(&["port"]) == Some(port)) {
            return Reach::Silent(ip);
        }
        if ready.is_empty() { Reach::Refused(ip) } else { Reach::Open(ip) }
    }

    fn ready_pods(&self, service: &Json) -> Vec<Json> {
        let Some(selector) = service.at(&["spec", "selector"]).filter(|s| !s.is_null()) else { return Vec::new() };
        let labels = Labels::of(&Json::map([("matchLabels", selector.clone())]));
        let namespace = service.text_at(&["metadata", "namespace"]);
        let all = service.at(&["spec", "publishNotReadyAddresses"]).and_then(Json::as_bool) == Some(true);
        let ready = |c: &Json| c.text_at(&["type"]) == "Ready" && c.text_at(&["status"]) == "True";
        let pods = self.cluster.store.list("", "pods", Some(namespace)).map(|(_, pod)| pod);
        pods.filter(|p| !labels.is_empty() && labels.matches(p) && p.at(&["metadata", "deletionTimestamp"]).is_none())
            .filter(|p| all || p.items_at(&["status", "conditions"]).iter().any(ready))
            .cloned()
            .collect()
    }

    fn reach_pod(&self, address: &str, port: Option<i64>) -> Reach {
        let mut pods = self.cluster.store.list("", "pods", None);
        let found = pods.find(|(_, pod)| pod.text_at(&["status", "podIP"]) == address);
        match (found, port) {
            (None, _) => Reach::Silent(address.to_string()),
            (Some(_), None) => Reach::Open(address.to_string()),
            (Some((_, pod)), Some(_)) => {
                let running = pod.text_at(&["status", "phase"]) == "Running";
                if running { Reach::Open(address.to_string()) } else { Reach::Refused(address.to_string()) }
            }
        }
    }
}
