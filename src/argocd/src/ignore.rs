//! `ignoreDifferences`: which fields of an object do not count. Rules are JSON pointers, jq expressions, and names of
//! field managers; they are applied to the wanted, the live and the last applied object alike.

use crate::jq::{self, Expression, Step};
use crate::object::ObjectKey;
use base::Json;
use std::rc::Rc;

/// The rules of an Application.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules(Vec<Rule>);

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    group: Rc<str>,
    kind: Rc<str>,
    name: Rc<str>,
    namespace: Rc<str>,
    paths: Vec<What>,
    managers: Vec<Rc<str>>,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Pointer(Vec<Rc<str>>),
    Jq(Expression),
}

impl Rules {
    /// Reads `spec.ignoreDifferences`. A jq expression that cannot be read makes the whole comparison fail.
    ///
    /// # Errors
    /// gojq's words, or what is not simulated.
    pub fn read(entries: &[Json]) -> Result<Rules, String> {
        let mut rules = Vec::new();
        for entry in entries {
            let text = |key: &str| Rc::from(entry.text_at(&[key]));
            let texts = |key: &'static str| entry.items_at(&[key]).iter().filter_map(Json::as_str);
            let pointer = |pointer: &str| {
                pointer.split('/').skip(1).map(|part| Rc::from(part.replace("~1", "/").replace("~0", "~"))).collect()
            };
            // A pointer without its leading slash is skipped.
            let pointers = texts("jsonPointers").filter(|p| p.starts_with('/'));
            let mut paths: Vec<What> = pointers.map(|p| What::Pointer(pointer(p))).collect();
            for expression in texts("jqPathExpressions") {
                paths.push(What::Jq(jq::parse(expression)?));
            }
            rules.push(Rule {
                group: text("group"),
                kind: text("kind"),
                name: text("name"),
                namespace: text("namespace"),
                paths,
                managers: texts("managedFieldsManagers").map(Rc::from).collect(),
            });
        }
        Ok(Rules(rules))
    }

    fn about(&self, object: &Json) -> Vec<&Rule> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let key = ObjectKey::of(object);
        let fits = |rule: &&Rule| {
            let same = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
            crate::source::glob_text(&rule.group, &key.group)
                && crate::source::glob_text(&rule.kind, &key.kind)
                && same(&rule.name, &key.name)
                && same(&rule.namespace, &key.namespace)
        };
        self.0.iter().filter(fits).collect()
    }

    /// Removes what pointers and jq expressions name. `like` is the object that the rules are looked up for.
    pub fn remove(&self, object: &mut Json, like: &Json) {
        for rule in self.about(like) {
            for what in &rule.paths {
                match what {
                    What::Pointer(pointer) => remove_pointer(object, pointer),
                    What::Jq(expression) => {
                        let mut found = jq::paths(expression, object).unwrap_or_default();
                        // From the end, so that indices stay true.
                        found.reverse();
                        for path in found {
                            remove_steps(object, &path);
                        }
                    }
                }
            }
        }
    }

    /// Removes from both objects the fields that differ and that a trusted manager owns in the live one.
    pub fn remove_managed(&self, target: &mut Json, live: &mut Json) {
        let about = self.about(target);
        let trusted: Vec<&Rc<str>> = about.iter().flat_map(|rule| &rule.managers).collect();
        if trusted.is_empty() {
            return;
        }
        for entry in live.clone().items_at(&["metadata", "managedFields"]) {
            if trusted.iter().any(|m| ***m == *entry.text_at(&["manager"])) {
                remove_owned(entry.get("fieldsV1").unwrap_or(&Json::Null), target, live);
            }
        }
    }

    /// With `RespectIgnoreDifferences` an ignored field of an existing object keeps its live value; one that the live
    /// object has not is left out.
    pub fn respect(&self, target: &Json, live: &Json) -> Json {
        if self.about(target).is_empty() {
            return target.clone();
        }
        let (mut wanted, mut bare) = (target.clone(), live.clone());
        self.remove_managed(&mut wanted, &mut bare);
        self.remove(&mut wanted, target);
        self.remove(&mut bare, target);
        // What the rules took from the live object is put into the wanted one, and nothing else.
        let mut back = live.clone();
        for object in [&mut bare, &mut back] {
            object.remove(&["status"]);
        }
        let mut out = overlay(Some(&wanted), Some(&bare), &back).unwrap_or_default();
        restore(&mut out, target, &wanted, &bare);
        out
    }
}

/// `wanted` with the changes that lead from `bare` to `live`: maps member by member, lists whose items have a key item
/// by item, other values whole. `None` when nothing is wanted and nothing changed.
fn overlay(wanted: Option<&Json>, bare: Option<&Json>, live: &Json) -> Option<Json> {
    if bare == Some(live) {
        return wanted.cloned();
    }
    match (wanted, live) {
        (None | Some(Json::Map(_)), Json::Map(members)) => {
            let mut out = wanted.and_then(Json::as_map).cloned().unwrap_or_default();
            for (key, value) in members.iter() {
                let before = bare.and_then(|b| b.get(key));
                if let Some(next) = overlay(wanted.and_then(|w| w.get(key)), before, value) {
                    out.insert(key.clone(), next);
                }
            }
            Some(Json::Map(Rc::new(out)))
        }
        (Some(Json::List(kept)), Json::List(items)) => {
            let Some(key) = list_key(kept, items) else { return Some(live.clone()) };
            let same = |a: &Json, b: &Json| a.get(key) == b.get(key);
            let before = bare.and_then(Json::as_list).unwrap_or(&[]);
            let mut out: Vec<Json> = Vec::new();
            for item in items.iter() {
                let wanted = kept.iter().find(|k| same(k, item));
                out.extend(overlay(wanted, before.iter().find(|b| same(b, item)), item));
            }
            // Items that only the wanted list has keep their places after what precedes them.
            for (i, item) in kept.iter().enumerate() {
                if !out.iter().any(|o| same(o, item)) {
                    let previous = kept[..i].iter().rev().find_map(|k| out.iter().position(|o| same(o, k)));
                    out.insert(previous.map_or(0, |p| p + 1), item.clone());
                }
            }
            Some(Json::list(out))
        }
        _ => Some(live.clone()),
    }
}

/// The key by which the items of two lists are told apart, if there is one.
fn list_key(a: &[Json], b: &[Json]) -> Option<&'static str> {
    ["name", "containerPort", "port", "mountPath", "ip", "topologyKey"]
        .into_iter()
        .find(|key| a.iter().chain(b).all(|item| item.get(key).is_some()))
}

/// A patch replaces some parents whole; what it brought along is undone: a field that the rules left alone gets its
/// wanted value back, one that was never wanted goes.
fn restore(out: &mut Json, target: &Json, wanted: &Json, bare: &Json) {
    let Json::Map(members) = out else { return };
    let keys: Vec<Rc<str>> = members.keys().cloned().collect();
    let members = Rc::make_mut(members);
    for key in keys {
        match (target.get(&key), wanted.get(&key)) {
            (Some(original), Some(kept)) if original == kept => {
                members.insert(key, original.clone());
            }
            (Some(original), kept) => {
                let null = Json::Null;
                if let Some(inner) = members.get_mut(&key) {
                    restore(inner, original, kept.unwrap_or(&null), bare.get(&key).unwrap_or(&null));
                }
            }
            (None, _) => {
                if bare.get(&key).is_some() {
                    members.remove(&key);
                }
            }
        }
    }
}

/// Removes what a JSON pointer names; a path that is not there changes nothing.
fn remove_pointer(object: &mut Json, pointer: &[Rc<str>]) {
    let Some((first, rest)) = pointer.split_first() else { return };
    match object {
        Json::Map(members) if rest.is_empty() && members.contains_key(first) => {
            Rc::make_mut(members).remove(first);
        }
        Json::Map(members) => {
            if let Some(inner) = Rc::make_mut(members).get_mut(first) {
                remove_pointer(inner, rest);
            }
        }
        Json::List(items) => {
            let Some(index) = first.parse::<usize>().ok().filter(|i| *i < items.len()) else { return };
            let items = Rc::make_mut(items);
            if rest.is_empty() {
                items.remove(index);
            } else {
                remove_pointer(&mut items[index], rest);
            }
        }
        _ => {}
    }
}

fn remove_steps(object: &mut Json, path: &[Step]) {
    let pointer = path.iter().map(|step| match step {
        Step::Key(key) => key.clone(),
        Step::Index(i) => Rc::from(i.to_string()),
    });
    remove_pointer(object, &pointer.collect::<Vec<_>>());
}

/// Walks a set of owned fields; leaves that differ are removed on both sides.
fn remove_owned(fields: &Json, target: &mut Json, live: &mut Json) {
    for (name, inner) in fields.as_map().into_iter().flatten() {
        let Some((sort, text)) = name.split_once(':') else { continue };
        let leaf = inner.as_map().is_none_or(|m| m.is_empty());
        match sort {
            "f" => {
                if leaf {
                    if target.get(text) != live.get(text) {
                        for side in [&mut *target, &mut *live] {
                            side.remove(&[text]);
                        }
                    }
                } else if let (Json::Map(a), Json::Map(b)) = (&mut *target, &mut *live)
                    && let (Some(a), Some(b)) = (Rc::make_mut(a).get_mut(text), Rc::make_mut(b).get_mut(text))
                {
                    remove_owned(inner, a, b);
                }
            }
            "k" => {
                let keys = Json::parse(text).unwrap_or_default();
                let mine = |item: &Json| keys.as_map().is_some_and(|m| m.iter().all(|(k, v)| item.get(k) == Some(v)));
                let find = |side: &Json| side.as_list().and_then(|l| l.iter().position(mine));
                match (find(target), find(live)) {
                    (Some(i), Some(j)) => {
                        if let (Json::List(a), Json::List(b)) = (&mut *target, &mut *live) {
                            remove_owned(inner, &mut Rc::make_mut(a)[i], &mut Rc::make_mut(b)[j]);
                        }
                    }
                    (None, Some(j)) => {
                        if let Json::List(items) = &mut *live {
                            Rc::make_mut(items).remove(j);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    fn deployment(spec: &str) -> Json {
        read(&format!(r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"x"}},"spec":{spec}}}"#))
    }

    fn rules(text: &str) -> Rules {
        Rules::read(&[read(text)]).unwrap()
    }

    #[test]
    fn ignored_fields_keep_their_live_value() {
        let rules = rules(r#"{"group":"apps","kind":"Deployment","jsonPointers":["/spec/replicas"]}"#);
        let (target, live) = (deployment(r#"{"replicas":2}"#), deployment(r#"{"replicas":4,"paused":true}"#));
        let out = rules.respect(&target, &live);
        assert_eq!(out, deployment(r#"{"replicas":4}"#));
        let gone = rules.respect(&target, &deployment("{}"));
        assert_eq!(gone, deployment("{}"));
        assert!(rules.about(&read(r#"{"apiVersion":"v1","kind":"Pod"}"#)).is_empty());
    }

    #[test]
    fn one_variable_of_a_container() {
        let rules = rules(
            r#"{"group":"apps","kind":"Deployment","jqPathExpressions":[".spec.template.spec.containers[] | select(.name == \"web\") | .env[] | select(.name == \"A\")"]}"#,
        );
        let with = |env: &str| {
            deployment(&format!(r#"{{"template":{{"spec":{{"containers":[{{"name":"web","env":[{env}]}}]}}}}}}"#))
        };
        let target = with(r#"{"name":"A","value":"1"},{"name":"B","value":"2"}"#);
        let live = with(r#"{"name":"A","value":"hand"},{"name":"B","value":"9"}"#);
        let env = ["spec", "template", "spec", "containers"];
        let out = rules.respect(&target, &live);
        let found = out.items_at(&env)[0].items_at(&["env"]).to_vec();
        let value =
            |name: &str| found.iter().find(|e| e.text_at(&["name"]) == name).map(|e| e.text_at(&["value"]).to_string());
        assert_eq!((value("A").as_deref(), value("B").as_deref()), (Some("hand"), Some("2")));
    }
}
