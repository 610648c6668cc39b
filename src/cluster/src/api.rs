//! Runs recorded API cases: what `tidepool api` prints. A case starts on a fresh cluster with an empty namespace `ns`.
//!
//! Masks in a case (`RV1`, `UID2`) stand for the values of the own run: resource versions count in rising order, uids in
//! order of appearance. The recordings' kubelet patches pod conditions instead of replacing them; runs do the same, so
//! that final states can be compared.

use crate::cluster::Cluster;
use crate::request::{Request, Response, Verb};
use crate::status::Status;
use crate::store::Change;
use base::{Json, Map, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// When runs begin.
const START: Time = Time::from_secs(1_796_000_000);

/// Resources that controller cases watch.
const WATCHED: &[&str] = &[
    "pods",
    "services",
    "endpoints",
    "configmaps",
    "serviceaccounts",
    "resourcequotas",
    "persistentvolumeclaims",
    "events",
    "namespaces",
    "deployments",
    "replicasets",
    "statefulsets",
    "daemonsets",
    "controllerrevisions",
    "jobs",
    "cronjobs",
    "poddisruptionbudgets",
    "horizontalpodautoscalers",
    "endpointslices",
];

/// Runs one case (`{id, setupObjects?, steps}` or `{id, durationSeconds, actions}`) on a fresh cluster and returns
/// `{id, steps: [{code, response, warnings?}]}` or `{id, events}`.
pub fn run_case(case: &Json) -> Json {
    let mut run = Run::new(case);
    let id = Json::str(case.text_at(&["id"]));
    if case.get("actions").is_some() {
        return Json::map([("id", id), ("events", Json::list(run.play(case)))]);
    }
    let steps = case.items_at(&["steps"]).iter().map(|step| run.step(step));
    Json::map([("id", id), ("steps", Json::list(steps.collect::<Vec<_>>()))])
}

struct Run {
    cluster: Cluster,
    versions: BTreeSet<u64>,
    uids: Vec<Rc<str>>,
    /// Own values and the masks that stand for them in answers.
    masks: BTreeMap<Rc<str>, String>,
    counts: BTreeMap<&'static str, usize>,
}

impl Run {
    fn new(case: &Json) -> Run {
        let mut cluster = Cluster::new(1, START);
        cluster.recorded_kubelet = true;
        let metadata = Json::map([("name", Json::str("ns"))]);
        let namespace =
            Json::map([("apiVersion", Json::str("v1")), ("kind", "Namespace".into()), ("metadata", metadata)]);
        let writer = crate::Writer::new("sim-client");
        let mut run = Run {
            cluster,
            versions: BTreeSet::new(),
            uids: Vec::new(),
            masks: BTreeMap::new(),
            counts: BTreeMap::new(),
        };
        // A set-up object that is refused shows in the case's own answers.
        let _ = run.cluster.create(&namespace, &writer);
        for object in case.items_at(&["setupObjects"]) {
            let _ = run.cluster.create(object, &writer);
        }
        if case.get("actions").is_none() {
            run.cluster.step(run.cluster.now() + 2000);
        } else {
            run.cluster.step(run.cluster.now() + 20);
        }
        run
    }

    fn step(&mut self, step: &Json) -> Json {
        let wait = seconds(step.get("waitSeconds")).unwrap_or(0).max(1);
        self.cluster.step(self.cluster.now() + wait);
        let response = self.answer(step);
        self.learn_masks(&response.body);
        let body = self.masked(&response.body);
        let mut out = Json::map([("code", Json::Int(i64::from(response.code))), ("response", body)]);
        if !response.warnings.is_empty() {
            let header = |text: String| {
                let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
                Json::str(format!("299 - \"{quoted}\""))
            };
            out.set(&["warnings"], Json::list(response.warnings.into_iter().map(header)));
        }
        self.learn(&response.body);
        out
    }

    fn answer(&mut self, step: &Json) -> Response {
        let refuse = |status: Status| Response { code: status.code, body: status.body(), warnings: Vec::new() };
        if step.text_at(&["accept"]).contains("as=") {
            return refuse(Status::new(501, "", "tables and partial metadata are not served yet"));
        }
        let request = match self.request(step) {
            Ok(request) => request,
            Err(status) => return refuse(status),
        };
        if matches!(request.param("watch"), "1" | "true") {
            return refuse(Status::new(501, "", "watch requests are not served yet"));
        }
        self.cluster.request(&request)
    }

    fn request(&self, step: &Json) -> Result<Request, Status> {
        let missing = || {
            let text = "the server could not find the requested resource";
            Status { details: Json::map::<&str>([]), ..Status::new(404, "NotFound", text) }
        };
        let path = self.own(&Json::str(step.text_at(&["path"])));
        let parts: Vec<&str> = path.as_str().unwrap_or("").split('/').filter(|p| !p.is_empty()).collect();
        let (group, version, mut rest) = match parts.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return Err(missing()),
        };
        let mut namespace = None;
        if let ["namespaces", name, more @ ..] = rest
            && !more.is_empty()
            && !(more.len() == 1 && matches!(more[0], "status" | "finalize"))
        {
            (namespace, rest) = (Some(*name), more);
        }
        let (resource, name, subresource) = match rest {
            [resource] => (*resource, None, None),
            [resource, name] => (*resource, Some(*name), None),
            [resource, name, sub] => (*resource, Some(*name), Some(*sub)),
            _ => return Err(missing()),
        };
        let verb = match (step.text_at(&["verb"]), name.is_some()) {
            ("GET", true) => Verb::Get,
            ("GET", false) => Verb::List,
            ("POST", _) => Verb::Create,
            ("PUT", _) => Verb::Update,
            ("PATCH", _) => Verb::Patch,
            ("DELETE", true) => Verb::Delete,
            ("DELETE", false) => Verb::DeleteCollection,
            _ => {
                return Err(Status::new(
                    405,
                    "MethodNotAllowed",
                    "the server does not allow this method on the requested resource",
                ));
            }
        };
        let mut request = Request::new(verb, group, version, resource, namespace);
        request.name = name.map(str::to_string);
        request.subresource = subresource.map(str::to_string);
        for (key, value) in step.get("query").and_then(Json::as_map).into_iter().flatten() {
            let text = match self.own(value) {
                Json::Str(text) => text.to_string(),
                other => other.to_raw_text(),
            };
            request.query.insert(key.to_string(), text);
        }
        if let Some(kind) = step.get("contentType").and_then(Json::as_str) {
            request.content_type = kind.to_string();
        }
        request.user_agent = step.get("userAgent").and_then(Json::as_str).unwrap_or("sim-client/1.0").to_string();
        request.body = match step.get("bodyRaw") {
            Some(raw) => Json::parse(raw.as_str().unwrap_or(""))
                .map_err(|error| Status::bad_request(format!("error decoding the request body: {error}")))?,
            None => self.own(step.get("body").unwrap_or(&Json::Null)),
        };
        Ok(request)
    }

    /// Puts the own run's values in the place of masks.
    fn own(&self, value: &Json) -> Json {
        match value {
            Json::Str(text) => {
                let number = |prefix: &str| text.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok());
                if let Some(version) = number("RV").and_then(|n| self.versions.iter().nth(n.wrapping_sub(1))) {
                    return Json::str(version.to_string());
                }
                match number("UID").and_then(|n| self.uids.get(n.wrapping_sub(1))) {
                    Some(uid) => Json::str(uid.clone()),
                    None if text.contains("HASH") || text.contains("RAND") => {
                        let mut own = text.to_string();
                        for (value, mask) in self.masks.iter().rev().filter(|(_, m)| m.starts_with(['H', 'R'])) {
                            own = own.replace(mask.as_str(), value);
                        }
                        Json::str(own)
                    }
                    None => value.clone(),
                }
            }
            Json::List(items) => Json::list(items.iter().map(|item| self.own(item))),
            Json::Map(members) => {
                Json::Map(Rc::new(members.iter().map(|(k, v)| (k.clone(), self.own(v))).collect::<Map>()))
            }
            other => other.clone(),
        }
    }

    /// Notes the resource versions and uids of an answer.
    fn learn(&mut self, value: &Json) {
        match value {
            Json::List(items) => items.iter().for_each(|item| self.learn(item)),
            Json::Map(members) => {
                let list = members.get("items").is_some();
                for (key, item) in members.iter() {
                    match (&**key, item) {
                        ("resourceVersion", Json::Str(text)) => {
                            self.versions.extend(text.parse::<u64>().ok());
                        }
                        ("uid", Json::Str(uid)) if !self.uids.contains(uid) => self.uids.push(uid.clone()),
                        ("metadata", _) if list => {}
                        _ => self.learn(item),
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes what an answer holds that differs from run to run and has a mask of its own.
    fn learn_masks(&mut self, value: &Json) {
        match value {
            Json::List(items) => items.iter().for_each(|item| self.learn_masks(item)),
            Json::Map(members) => {
                for (key, item) in members.iter() {
                    match (&**key, item) {
                        ("uid", Json::Str(text)) => self.mask("UID", text),
                        ("pod-template-hash" | "controller.kubernetes.io/hash", Json::Str(text)) => {
                            self.mask("HASH", text)
                        }
                        ("podIP", Json::Str(text)) if !text.is_empty() => {
                            self.masks.insert(text.clone(), "PODIP".to_string());
                        }
                        ("ca.crt", Json::Str(text)) if text.starts_with("-----") => {
                            self.masks.insert(text.clone(), "CERT".to_string());
                        }
                        ("generateName", Json::Str(base)) => {
                            let suffix =
                                members.get("name").and_then(Json::as_str).and_then(|n| n.strip_prefix(&**base));
                            if let Some(suffix) = suffix.filter(|s| s.len() == 5) {
                                self.mask("RAND", suffix);
                            }
                        }
                        _ => self.learn_masks(item),
                    }
                }
            }
            _ => {}
        }
    }

    fn mask(&mut self, kind: &'static str, text: &str) {
        if !self.masks.contains_key(text) {
            let count = self.counts.entry(kind).or_default();
            *count += 1;
            self.masks.insert(text.into(), format!("{kind}{count}"));
        }
    }

    /// An answer with masks in the place of what they stand for.
    fn masked(&self, value: &Json) -> Json {
        let text = |text: &str| {
            if let Some(mask) = self.masks.get(text) {
                return mask.clone();
            }
            let mut out = text.to_string();
            if text.len() > 5 && text.contains(['-', '"']) {
                for (own, mask) in &self.masks {
                    if out.contains(&**own) {
                        out = out.replace(&**own, mask);
                    }
                }
            }
            out
        };
        match value {
            Json::Str(s) => Json::str(text(s)),
            Json::List(items) => Json::list(items.iter().map(|item| self.masked(item))),
            Json::Map(members) => {
                let masked = members.iter().map(|(k, v)| {
                    let key = if k.starts_with("k:") { Rc::from(text(k)) } else { k.clone() };
                    (key, self.masked(v))
                });
                Json::Map(Rc::new(masked.collect::<Map>()))
            }
            other => other.clone(),
        }
    }

    /// Plays a controller case and returns what the watches saw.
    fn play(&mut self, case: &Json) -> Vec<Json> {
        let zero = self.cluster.now();
        let mut times: BTreeMap<u64, Time> = BTreeMap::new();
        let mut actions: Vec<&Json> = case.items_at(&["actions"]).iter().collect();
        base::order::sort_by_key(&mut actions, |action| seconds(action.get("t")).unwrap_or(0));
        for action in actions {
            self.run_to(zero + seconds(action.get("t")).unwrap_or(0), &mut times);
            let response = self.answer(action);
            self.learn(&response.body);
            self.learn_masks(&response.body);
        }
        self.run_to(zero + seconds(case.get("durationSeconds")).unwrap_or(10_000), &mut times);
        let cluster = self.cluster.clone();
        let mine = cluster.changes_since(0).filter(|change| {
            let namespace = &*change.key.namespace;
            let own = namespace == "ns" || &*change.key.resource == "namespaces" && &*change.key.name == "ns";
            own && WATCHED.contains(&&*change.key.resource)
        });
        let events: Vec<Json> = mine.map(|change| event(change, zero, &times)).collect();
        events.iter().for_each(|event| self.learn_masks(event));
        events.iter().map(|event| self.masked(event)).collect()
    }

    fn run_to(&mut self, until: Time, times: &mut BTreeMap<u64, Time>) {
        while let Some(due) = self.cluster.next_wakeup().filter(|due| *due <= until) {
            self.cluster.step(due);
            times.entry(self.cluster.version()).or_insert(self.cluster.now());
        }
        self.cluster.step(until);
        times.entry(self.cluster.version()).or_insert(self.cluster.now());
    }
}

fn event(change: &Change, zero: Time, times: &BTreeMap<u64, Time>) -> Json {
    let at = times.range(change.version..).next().map_or(zero, |(_, time)| *time);
    let mut object = change.object.clone();
    object.remove(&["metadata", "managedFields"]);
    Json::map([
        ("t", Json::Float((at - zero) as f64 / 1000.0)),
        ("type", Json::str(change.kind.text())),
        ("resource", Json::str(change.key.resource.clone())),
        ("name", Json::str(change.key.name.clone())),
        ("object", object),
    ])
}

fn seconds(value: Option<&Json>) -> Option<i64> {
    match value? {
        Json::Int(n) => Some(n * 1000),
        Json::Float(f) => Some((f * 1000.0) as i64),
        _ => None,
    }
}
