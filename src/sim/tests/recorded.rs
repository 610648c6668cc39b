//! Recordings of a real Argo CD 3.5.2 (and 3.5.7), replayed on virtual time: the operations of each Application with
//! their last message and their result rows, as the real one left them. Times and orders are held by the conformance
//! run; here stands what every change must keep.
#![expect(clippy::disallowed_methods, reason = "tests read recordings from disk")]

use base::Json;
use std::collections::BTreeMap;

/// Digits that depend on the moment: `-1796077183` in names of hooks, `at 9:33PM` in messages.
fn masked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
        if c == '-' && digits == 10 {
            out.push_str("-T");
            rest = &rest[11..];
            continue;
        }
        let clock = rest.strip_prefix("at ").and_then(|r| r.find(['A', 'P']).map(|i| (r, i)));
        if let Some((r, i)) = clock
            && i <= 5
            && r[i..].starts_with(['A', 'P'])
            && r[..i].contains(':')
            && r[i + 1..].starts_with('M')
        {
            out.push_str("at TIME");
            rest = &r[i + 2..];
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// The operations of each Application: phase, message, sorted rows. Self-heal operations that changed nothing come and
/// go with a race of the real controller.
fn operations(events: &str) -> BTreeMap<String, Vec<Json>> {
    let mut states: BTreeMap<String, Vec<(String, Json)>> = BTreeMap::new();
    for line in events.lines() {
        let event = Json::parse(line).expect("an event is JSON");
        if event.text_at(&["resource"]) != "applications" {
            continue;
        }
        let Some(state) = event.at(&["object", "status", "operationState"]) else { continue };
        let operation = state.get("operation").cloned().unwrap_or_default();
        let key = format!("{}{}", state.text_at(&["startedAt"]), operation.to_text());
        let list = states.entry(event.text_at(&["name"]).to_string()).or_default();
        match list.last_mut().filter(|(k, _)| *k == key) {
            Some(last) => last.1 = state.clone(),
            None => list.push((key, state.clone())),
        }
    }
    let mut out: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for (app, list) in states {
        for (_, state) in list {
            let rows = state.items_at(&["syncResult", "resources"]);
            let healed = state.at(&["operation", "initiatedBy", "automated"]).is_some()
                && !state.items_at(&["operation", "sync", "resources"]).is_empty();
            if healed && rows.iter().all(|r| r.text_at(&["message"]).contains("unchanged")) {
                continue;
            }
            let text = |row: &Json, key: &str| row.text_at(&[key]).to_string();
            let mut shown: Vec<String> = rows
                .iter()
                .map(|r| {
                    let (phase, kind, name) = (text(r, "syncPhase"), text(r, "kind"), text(r, "name"));
                    masked(&format!("{phase} {kind}/{name} {} {}", text(r, "status"), text(r, "hookPhase")))
                })
                .collect();
            shown.sort();
            out.entry(app.clone()).or_default().push(Json::list([
                text(&state, "phase").into(),
                masked(&text(&state, "message")).into(),
                Json::list(shown.into_iter().map(Json::from)),
            ]));
        }
    }
    out
}

#[test]
fn operations_end_as_recorded() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10);
    let mut wrong = Vec::new();
    for file in files {
        let case = Json::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let events = sim::replay(&case).unwrap();
        let got = operations(&events);
        let wanted = case.get("operations").and_then(Json::as_map).unwrap();
        for (app, want) in wanted {
            let have = Json::list(got.get(&**app).cloned().unwrap_or_default());
            if *want != have {
                wrong.push(format!("{} {app}:\n  want {}\n  got  {}", file.display(), want.to_text(), have.to_text()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_replay_gives_the_same_bytes_again() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded/03d-hooks-helm.json");
    let case = Json::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(sim::replay(&case).unwrap(), sim::replay(&case).unwrap());
}
