//! Texts that the real libraries (`sigs.k8s.io/yaml` 1.6.0 over go-yaml 2.4.4, and go-yaml 3.0.4) read and wrote.
//! Each line of `cases/*.jsonl` holds an input and what they gave: `OK ` and the text, or `ERR ` and the message.

use base::Json;

fn cases(text: &str) -> Vec<Json> {
    text.lines().map(|line| Json::parse(line).expect("a line of JSON")).collect()
}

/// Every number as a float: that is what Go's JSON decoder makes of them.
fn floats(value: &Json) -> Json {
    match value {
        Json::Int(n) => Json::Float(*n as f64),
        Json::List(items) => Json::list(items.iter().map(floats)),
        Json::Map(members) => Json::map(members.iter().map(|(key, value)| (key.clone(), floats(value)))),
        other => other.clone(),
    }
}

#[test]
fn reads_as_go_does() {
    let mut wrong = Vec::new();
    let all = cases(include_str!("cases/read.jsonl"));
    for case in &all {
        let (input, expected) = (case.text_at(&["in"]), case.text_at(&["out"]));
        let got = match yaml::to_json(input.as_bytes()) {
            Ok(value) => format!("OK {}", value.to_text()),
            Err(error) => format!("ERR {error}"),
        };
        if got != expected {
            wrong.push(format!("{input:?}\n  go   {expected}\n  here {got}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    assert!(all.len() > 300);
}

#[test]
fn writes_as_go_does() {
    let mut wrong = Vec::new();
    let all = cases(include_str!("cases/write.jsonl"));
    for case in &all {
        let value = floats(&Json::parse(case.text_at(&["in"])).unwrap());
        let v2 = match yaml::try_emit_v2(&value) {
            Ok(text) => format!("OK {text}"),
            Err(error) => format!("ERR {error}"),
        };
        let v3 = format!("OK {}", yaml::emit_v3_pretty(&value));
        for (expected, got) in [(case.text_at(&["v2"]), v2), (case.text_at(&["v3"]), v3)] {
            if got != expected {
                wrong.push(format!("{}\n  go   {expected:?}\n  here {got:?}", case.text_at(&["in"])));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    assert!(all.len() > 300);
}
