//! Lists of built-in kinds that kubectl merges item by item. Its patch for such a list also says in which order the
//! items stand, so it is not empty as soon as the live list holds more than the wanted one.

use base::Json;

/// Fields that hold such lists, with the key of their items. Which key `ports` has depends on where they stand.
const LISTS: [(&str, &[&str]); 9] = [
    ("containers", &["name"]),
    ("initContainers", &["name"]),
    ("env", &["name"]),
    ("volumes", &["name"]),
    ("imagePullSecrets", &["name"]),
    ("ports", &["containerPort", "port"]),
    ("volumeMounts", &["mountPath"]),
    ("hostAliases", &["ip"]),
    ("topologySpreadConstraints", &["topologyKey"]),
];
/// Nesting that is looked at.
const DEPTH: usize = 32;

/// Whether the live object of a built-in kind holds items in such lists that the wanted one has not.
pub(crate) fn has_more(target: &Json, live: &Json) -> bool {
    let kinds = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod", "Service"];
    kinds.contains(&target.text_at(&["kind"])) && more(target, live, 0)
}

fn more(target: &Json, live: &Json, depth: usize) -> bool {
    if depth > DEPTH {
        return false;
    }
    let (Some(wanted), Some(found)) = (target.as_map(), live.as_map()) else { return false };
    wanted.iter().any(|(name, value)| {
        let Some(there) = found.get(name) else { return false };
        match (value, there, LISTS.iter().find(|(list, _)| **list == **name)) {
            (Json::Map(_), _, _) => more(value, there, depth + 1),
            (Json::List(items), Json::List(live), Some((_, keys))) => {
                let same = |a: &Json, b: &Json| {
                    keys.iter().any(|key| a.get(key).is_some_and(|value| Some(value) == b.get(key)))
                };
                live.iter().any(|l| match items.iter().find(|i| same(i, l)) {
                    Some(item) => more(item, l, depth + 1),
                    None => !items.is_empty(),
                })
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_by_hand_makes_a_patch() {
        let service = |ports: &str| {
            Json::parse(&format!(r#"{{"apiVersion":"v1","kind":"Service","spec":{{"ports":[{ports}]}}}}"#)).unwrap()
        };
        let (one, two) = (service(r#"{"port":80}"#), service(r#"{"port":80,"name":"http"},{"port":81}"#));
        assert!(has_more(&one, &two) && !has_more(&two, &two) && !has_more(&two, &one));
    }
}
