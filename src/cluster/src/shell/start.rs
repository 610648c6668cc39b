//! From a container's spec to what its shell starts with: words, environment, arguments.

use super::parse::{Node, Part, parse};
use super::programs;
use super::run::{Env, Machine};
use crate::cluster::Cluster;
use crate::registry::{Behaviour, repository};
use crate::store::Key;
use base::{Json, SortedMap};
use std::rc::Rc;

impl Machine {
    /// What a container runs: `None` when it is the image's own program, an error when it cannot be started.
    pub(crate) fn new(
        cluster: &Cluster,
        pod: &Json,
        spec: &Json,
        behaviour: &Behaviour,
    ) -> Option<Result<Machine, String>> {
        let vars = environment(cluster, pod, spec);
        let list = |name: &str| spec.items_at(&[name]).iter().filter_map(Json::as_str).map(|w| substitute(w, &vars));
        let command: Vec<String> = list("command").collect();
        let base = repository(spec.text_at(&["image"]));
        let small = matches!(base, "busybox" | "alpine");
        let plain = small || matches!(base, "ubuntu" | "debian" | "bash");
        let argv: Vec<String> = match command.is_empty() {
            // Without a command only images whose entry is a shell take arguments as one.
            true if plain => list("args").collect(),
            true => return None,
            false => command.into_iter().chain(list("args")).collect(),
        };
        let program = argv.first()?.rsplit('/').next().unwrap_or("").to_string();
        let mut env = Env::new(vars, &program);
        env.small = small;
        env.own = base.rsplit('/').next().unwrap_or("").to_string();
        env.behaviour = Some(behaviour.clone());
        let now = cluster.now();
        if !matches!(program.as_str(), "sh" | "bash" | "ash" | "dash" | "zsh" | "ksh") {
            if programs::known(&program, small) {
                let words = argv.into_iter().map(|w| vec![Part::Text(w, true)]).collect();
                let node = Node::Simple { assigns: Vec::new(), words, redirects: Vec::new() };
                return Some(Ok(Machine::begin(Rc::new(node), env, now)));
            }
            return plain.then(|| {
                Err(format!(
                    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: \"{}\": executable file not found in $PATH",
                    argv[0]
                ))
            });
        }
        let mut words = argv.into_iter().skip(1);
        let mut script = None;
        while let Some(word) = words.next() {
            match word.strip_prefix('-') {
                Some("-") => {}
                Some("o") => env.option(&words.next().unwrap_or_default(), true),
                Some(flags) => {
                    flags.chars().for_each(|c| env.flag(c, true));
                    if flags.contains('o') {
                        env.option(&words.next().unwrap_or_default(), true);
                    }
                    if flags.contains('c') {
                        script = words.next();
                        break;
                    }
                }
                // A script in a file of the image: unknown to us, so it is the image's own program.
                None => return None,
            }
        }
        if let Some(name) = words.next() {
            env.name = name.into();
        }
        env.args = words.map(Rc::from).collect();
        Some(Ok(match parse(script.as_deref().unwrap_or("")) {
            Ok(node) => Machine::begin(node, env, now),
            Err(words) => Machine::refused(format!("{program}: syntax error: {words}"), env, now),
        }))
    }
}

/// `$(NAME)` in command and args, as the kubelet expands it.
fn substitute(text: &str, vars: &SortedMap<Rc<str>, Rc<str>>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("$(") {
        let Some(end) = rest[start..].find(')').map(|e| start + e) else { break };
        let name = &rest[start + 2..end];
        out.push_str(&rest[..start]);
        match vars.get(name) {
            Some(value) => out.push_str(value),
            None => out.push_str(&rest[start..=end]),
        }
        rest = &rest[end + 1..];
    }
    out + rest
}

fn environment(cluster: &Cluster, pod: &Json, spec: &Json) -> SortedMap<Rc<str>, Rc<str>> {
    let namespace = pod.text_at(&["metadata", "namespace"]);
    let mut vars: SortedMap<Rc<str>, Rc<str>> = SortedMap::new();
    let mut put = |name: &str, value: &str| {
        vars.insert(name.into(), value.into());
    };
    put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    put("HOME", "/root");
    let host = match pod.text_at(&["spec", "hostname"]) {
        "" => pod.text_at(&["metadata", "name"]),
        host => host,
    };
    put("HOSTNAME", host);
    put("KUBERNETES_SERVICE_HOST", "10.43.0.1");
    put("KUBERNETES_SERVICE_PORT", "443");
    let object = |resource: &str, name: &str| cluster.store.get(&Key::new("", resource, namespace, name)).cloned();
    let secret = |value: &Json| decode(value.as_str().unwrap_or(""));
    for source in spec.items_at(&["envFrom"]) {
        let prefix = source.text_at(&["prefix"]);
        for (field, resource) in [("configMapRef", "configmaps"), ("secretRef", "secrets")] {
            let found = object(resource, source.text_at(&[field, "name"]));
            let data = found.as_ref().and_then(|o| o.get("data")).and_then(Json::as_map);
            for (key, value) in data.into_iter().flatten() {
                let text = if resource == "secrets" { secret(value) } else { value.as_str().unwrap_or("").into() };
                put(&format!("{prefix}{key}"), &text);
            }
        }
    }
    let mut known = vars;
    for item in spec.items_at(&["env"]) {
        let from = |kind: &str, field: &str| item.text_at(&["valueFrom", kind, field]).to_string();
        let value = match item.get("value").and_then(Json::as_str) {
            Some(text) => substitute(text, &known),
            None => {
                let map = object("configmaps", &from("configMapKeyRef", "name"));
                let text = map.as_ref().map(|m| m.text_at(&["data", &from("configMapKeyRef", "key")]).to_string());
                let hidden = object("secrets", &from("secretKeyRef", "name"));
                let hidden = hidden.as_ref().and_then(|s| s.at(&["data", &from("secretKeyRef", "key")]).map(secret));
                text.or(hidden).unwrap_or_else(|| field(pod, &from("fieldRef", "fieldPath")))
            }
        };
        known.insert(item.text_at(&["name"]).into(), value.into());
    }
    known
}

/// A field of the pod by its path in the downward API.
fn field(pod: &Json, path: &str) -> String {
    if let Some((path, key)) = path.split_once("['") {
        let key = key.trim_end_matches("']");
        let keys: Vec<&str> = path.split('.').chain([key]).collect();
        return pod.text_at(&keys).to_string();
    }
    let keys: Vec<&str> = path.split('.').collect();
    pod.text_at(&keys).to_string()
}

fn decode(text: &str) -> String {
    let digit = |b: u8| match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a' + 26),
        b'0'..=b'9' => Some(b - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bits, mut count, mut out) = (0u32, 0, Vec::new());
    for value in text.bytes().filter_map(digit) {
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
