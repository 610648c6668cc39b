//! `kubectl`: the subcommands that change something. Resource words are left as they were typed; the simulation knows
//! which kinds its cluster serves.

use super::Words;
use crate::command::{ApplyFrom, Command, ObjectRef};
use base::Json;
use cluster::PatchType;
use std::rc::Rc;

/// Flags with a value of their own.
const VALUED: [&str; 14] = [
    "n",
    "namespace",
    "f",
    "filename",
    "p",
    "patch",
    "type",
    "replicas",
    "subresource",
    "field-manager",
    "l",
    "selector",
    "from-literal",
    "timeout",
];

pub(super) fn parse(words: &[&str], stdin: &str) -> Result<Vec<Command>, String> {
    let unknown = || format!("kubectl {}: not simulated yet", words.join(" "));
    let read = Words::read(words, &VALUED);
    let namespace = read.flag(&["n", "namespace"]);
    let Some((verb, rest)) = read.plain.split_first() else { return Ok(Vec::new()) };
    let one = |command: Command| Ok(vec![command]);
    match *verb {
        "get" | "describe" | "logs" | "explain" | "api-resources" | "top" | "events" | "wait" | "diff" => {
            Ok(Vec::new())
        }
        "apply" if !read.is_set("server-side") => {
            let from = match read.flag(&["f", "filename"]).ok_or_else(unknown)? {
                "-" => ApplyFrom::Text(stdin.into()),
                file => ApplyFrom::File(file.into()),
            };
            one(Command::KubectlApply { from, namespace: namespace.map(Rc::from) })
        }
        "create" => one(Command::KubectlCreate(create(rest, &read, namespace).ok_or_else(unknown)?)),
        "set" => {
            let (what, rest) = rest.split_first().ok_or_else(unknown)?;
            let (object, more) = named(rest, namespace).ok_or_else(unknown)?;
            match *what {
                "env" => {
                    let pair = |word: &&str| match word.split_once('=') {
                        Some((name, value)) => Some((Rc::from(name), Some(Rc::from(value)))),
                        None => word.strip_suffix('-').map(|name| (Rc::from(name), None)),
                    };
                    let pairs = more.iter().map(pair).collect::<Option<Vec<_>>>().ok_or_else(unknown)?;
                    one(Command::KubectlSetEnv { object, pairs })
                }
                "image" => {
                    let pair = |word: &&str| word.split_once('=').map(|(c, i)| (Rc::from(c), Rc::from(i)));
                    let pairs = more.iter().map(pair).collect::<Option<Vec<_>>>().ok_or_else(unknown)?;
                    one(Command::KubectlSetImage { object, pairs })
                }
                _ => Err(unknown()),
            }
        }
        "delete" => {
            if let Some(selector) = read.flag(&["l", "selector"]) {
                let [kind] = rest else { return Err(unknown()) };
                let object = reference(kind, "", namespace);
                return one(Command::KubectlDeleteMatching { object, selector: selector.into() });
            }
            let (first, more) = named(rest, namespace).ok_or_else(unknown)?;
            let mut commands = vec![Command::KubectlDelete(first.clone())];
            for word in more {
                let object = match word.split_once('/') {
                    Some((kind, name)) => reference(kind, name, namespace),
                    None => ObjectRef { name: (*word).into(), ..first.clone() },
                };
                commands.push(Command::KubectlDelete(object));
            }
            Ok(commands)
        }
        "scale" => {
            let (object, _) = named(rest, namespace).ok_or_else(unknown)?;
            let replicas = read.flag(&["replicas"]).and_then(|n| n.parse().ok()).ok_or_else(unknown)?;
            one(Command::KubectlScale { object, replicas })
        }
        "annotate" | "label" => {
            let (object, more) = named(rest, namespace).ok_or_else(unknown)?;
            let pair = |word: &&str| {
                let (key, value) = match word.split_once('=') {
                    Some((key, value)) => (key, Some(Rc::from(value))),
                    None => (word.strip_suffix('-')?, None),
                };
                let (object, key) = (object.clone(), Rc::from(key));
                Some(match *verb {
                    "annotate" => Command::KubectlAnnotate { object, key, value },
                    _ => Command::KubectlLabel { object, key, value, overwrite: read.is_set("overwrite") },
                })
            };
            more.iter().map(pair).collect::<Option<Vec<_>>>().filter(|c| !c.is_empty()).ok_or_else(unknown)
        }
        "patch" => {
            let (object, _) = named(rest, namespace).ok_or_else(unknown)?;
            let text = read.flag(&["p", "patch"]).ok_or_else(unknown)?;
            let patch = yaml::to_json(text.as_bytes()).map_err(|e| format!("kubectl patch: {}", e.converting()))?;
            let kind = match read.flag(&["type"]).unwrap_or("strategic") {
                "merge" => PatchType::Merge,
                "json" => PatchType::Json,
                "strategic" => PatchType::Strategic,
                _ => return Err(unknown()),
            };
            let text = |name: &str| Rc::from(read.flag(&[name]).unwrap_or(""));
            one(Command::KubectlEdit { object, kind, patch, part: text("subresource"), manager: text("field-manager") })
        }
        _ => Err(unknown()),
    }
}

/// `KIND NAME` or `KIND/NAME`, and what follows.
fn named<'a, 'b>(rest: &'b [&'a str], namespace: Option<&str>) -> Option<(ObjectRef, &'b [&'a str])> {
    match rest {
        [both, more @ ..] if both.contains('/') => {
            let (kind, name) = both.split_once('/')?;
            Some((reference(kind, name, namespace), more))
        }
        [kind, name, more @ ..] => Some((reference(kind, name, namespace), more)),
        _ => None,
    }
}

fn reference(kind: &str, name: &str, namespace: Option<&str>) -> ObjectRef {
    let (kind, group) = kind.split_once('.').unwrap_or((kind, ""));
    ObjectRef {
        group: group.into(),
        kind: kind.into(),
        namespace: namespace.unwrap_or("default").into(),
        name: name.into(),
    }
}

/// The object of `kubectl create namespace NAME` or `kubectl create configmap NAME --from-literal=k=v`.
fn create(rest: &[&str], read: &Words<'_>, namespace: Option<&str>) -> Option<Json> {
    let [kind, name] = rest else { return None };
    let mut object = Json::map([("apiVersion", Json::from("v1"))]);
    match *kind {
        "ns" | "namespace" => object.set(&["kind"], "Namespace".into()),
        "cm" | "configmap" => {
            object.set(&["kind"], "ConfigMap".into());
            object.set(&["metadata", "namespace"], namespace.unwrap_or("default").into());
            for (_, literal) in read.flags.iter().filter(|(flag, _)| *flag == "from-literal") {
                let (key, value) = literal.split_once('=')?;
                object.set(&["data", key], value.into());
            }
        }
        _ => return None,
    }
    object.set(&["metadata", "name"], (*name).into());
    Some(object)
}
