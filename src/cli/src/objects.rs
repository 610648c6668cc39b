//! `tidepool health FILE` and `tidepool diff --desired FILE --live FILE`: what Argo CD's built-in checks say of objects in
//! YAML files.

use crate::Machine;
use argocd::compare;
use argocd::ignore::Rules;
use argocd::{ObjectKey, health};
use base::Json;

const HEALTH: &str = "usage: tidepool health FILE\n";
const DIFF: &str = "usage: tidepool diff --desired FILE --live FILE [--ignore FILE]\n";

/// `tidepool health FILE`: a JSON line for each object, `{group, kind, namespace, name, status, message}`; the status of
/// an object without a check is empty.
pub(crate) fn health(args: &[String], machine: &mut dyn Machine) -> u8 {
    let [path] = args else {
        machine.complain(HEALTH.as_bytes());
        return 2;
    };
    let done = objects(path, machine).map(|all| all.iter().map(health_line).collect::<String>());
    match done.and_then(|text| machine.print(text.as_bytes())) {
        Ok(()) => 0,
        Err(error) => failed(&error, machine),
    }
}

/// `tidepool diff`: what an apply of the wanted objects would change, ignored fields and what never counts apart. Exits
/// with 1 when there is a difference, as `argocd app diff` does, with 2 on an error.
pub(crate) fn diff(args: &[String], machine: &mut dyn Machine) -> u8 {
    let (mut desired, mut live, mut ignore) = (None, None, None);
    for pair in args.chunks(2) {
        let [flag, file] = pair else {
            machine.complain(DIFF.as_bytes());
            return 2;
        };
        match flag.as_str() {
            "--desired" => desired = Some(file),
            "--live" => live = Some(file),
            "--ignore" => ignore = Some(file),
            _ => {
                machine.complain(DIFF.as_bytes());
                return 2;
            }
        }
    }
    let (Some(desired), Some(live)) = (desired, live) else {
        machine.complain(DIFF.as_bytes());
        return 2;
    };
    let done = (|| {
        let rules = match ignore {
            Some(file) => {
                let entries = yaml::to_json(&read(file, machine)?).map_err(|e| e.converting().to_string())?;
                Rules::read(entries.as_list().unwrap_or(&[]))?
            }
            None => Rules::default(),
        };
        Ok::<String, String>(difference(&objects(desired, machine)?, &objects(live, machine)?, &rules))
    })();
    match done.and_then(|text| machine.print(text.as_bytes()).map(|()| text.is_empty())) {
        Ok(same) => u8::from(!same),
        Err(error) => {
            failed(&error, machine);
            2
        }
    }
}

fn failed(error: &str, machine: &mut dyn Machine) -> u8 {
    machine.complain(format!("error: {error}\n").as_bytes());
    1
}

fn read(path: &str, machine: &dyn Machine) -> Result<Vec<u8>, String> {
    machine.world().read(path).map(|bytes| bytes.to_vec()).map_err(|error| format!("{path}: {error}"))
}

fn objects(path: &str, machine: &dyn Machine) -> Result<Vec<Json>, String> {
    let all = yaml::to_json_all(&read(path, machine)?).map_err(|e| format!("{path}: {}", e.converting()))?;
    let mut out = Vec::new();
    for object in all.into_iter().filter(|o| !o.is_null()) {
        if object.text_at(&["kind"]).ends_with("List") && object.get("items").is_some() {
            out.extend(object.items_at(&["items"]).iter().cloned());
        } else {
            out.push(object);
        }
    }
    Ok(out)
}

fn health_line(object: &Json) -> String {
    let ObjectKey { group, kind, namespace, name } = ObjectKey::of(object);
    let found = health::of(object);
    let line = Json::map([
        ("group", Json::Str(group)),
        ("kind", Json::Str(kind)),
        ("namespace", Json::Str(namespace)),
        ("name", Json::Str(name)),
        ("status", found.as_ref().map_or("", |h| h.status.text()).into()),
        ("message", found.map_or_else(|| "".into(), |h| Json::Str(h.message))),
    ]);
    line.to_raw_text() + "\n"
}

/// A heading for each object that differs, then its changed fields.
fn difference(desired: &[Json], live: &[Json], rules: &Rules) -> String {
    let mut out = String::new();
    let heading = |key: &ObjectKey| format!("===== {}/{} {}/{} ======\n", key.group, key.kind, key.namespace, key.name);
    for wanted in desired {
        let key = ObjectKey::of(wanted);
        match live.iter().find(|l| ObjectKey::of(l) == key) {
            None => out.push_str(&format!("{}missing\n", heading(&key))),
            Some(found) if compare::is_modified(wanted, found, rules) => {
                let (now, then) = compare::sides(wanted, found, rules);
                out.push_str(&heading(&key));
                for (path, old, new) in compare::changes(&now, &then) {
                    let text = |side: Option<Json>| side.map_or_else(|| "nothing".to_string(), |v| v.to_raw_text());
                    out.push_str(&format!("{path}: {} -> {}\n", text(old), text(new)));
                }
            }
            Some(_) => {}
        }
    }
    for found in live {
        let key = ObjectKey::of(found);
        if !desired.iter().any(|d| ObjectKey::of(d) == key) {
            out.push_str(&format!("{}not wanted\n", heading(&key)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Json> {
        yaml::to_json_all(text.as_bytes()).unwrap_or_default()
    }

    /// Argo CD 3.5.2: health texts of recording 12a.
    #[test]
    fn a_line_for_each_object() {
        let all = read(
            "kind: Secret\napiVersion: v1\nmetadata: {name: s}\n---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: p, namespace: x}\nstatus: {phase: Pending}\n",
        );
        let lines: Vec<String> = all.iter().map(health_line).collect();
        assert_eq!(
            lines[0],
            "{\"group\":\"\",\"kind\":\"Secret\",\"message\":\"\",\"name\":\"s\",\"namespace\":\"\",\"status\":\"\"}\n"
        );
        assert!(lines[1].contains("\"status\":\"Progressing\""), "{}", lines[1]);
    }

    #[test]
    fn ignored_fields_do_not_differ() {
        let desired = read("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n");
        let live = read(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, uid: u}\nspec: {replicas: 4, paused: true}\nstatus: {replicas: 4}\n",
        );
        let none = Rules::default();
        assert_eq!(difference(&desired, &live, &none), "===== apps/Deployment /web ======\n/spec/replicas: 4 -> 1\n");
        let entries = read("- group: apps\n  kind: Deployment\n  jsonPointers: [/spec/replicas]\n");
        let rules = Rules::read(entries[0].as_list().unwrap_or(&[])).unwrap_or_default();
        assert_eq!(difference(&desired, &live, &rules), "");
    }
}
