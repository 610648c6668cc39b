//! What containers do: scripts with their exit codes, images of the table, init containers, restarts.

use base::{Json, Time};
use cluster::registry::Behaviour;
use cluster::{Cluster, ObjectRef, Writer};

const START: Time = Time::from_secs(1_796_000_000);

fn json(text: &str) -> Json {
    Json::parse(text).expect("json")
}

fn cluster() -> Cluster {
    let mut cluster = Cluster::new(7, START);
    let namespace = json(r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}}"#);
    cluster.create(&namespace, &Writer::new("kubectl")).expect("namespace");
    cluster.settle(cluster.now() + 10_000);
    cluster
}

fn job(script: &str) -> Json {
    let script = Json::str(script).to_raw_text();
    json(&format!(
        r#"{{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"migrate","namespace":"ns"}},"spec":{{"backoffLimit":1,
        "template":{{"spec":{{"restartPolicy":"Never","containers":[{{"name":"c","image":"busybox:1.36",
        "command":["sh","-c",{script}]}}]}}}}}}}}"#
    ))
}

fn pod(containers: &str, init: &str) -> Json {
    json(&format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p","namespace":"ns"}},
        "spec":{{"initContainers":[{init}],"containers":[{containers}]}}}}"#
    ))
}

fn status(cluster: &Cluster, kind: &str, name: &str) -> Json {
    let group = if kind == "Job" { "batch" } else { "" };
    cluster.get(&ObjectRef::new(group, kind, "ns", name)).expect(name).get("status").cloned().expect("status")
}

fn log(cluster: &Cluster, pod: &str) -> String {
    let lines = cluster.logs("ns", pod, "", false).expect("log");
    lines.iter().map(|(_, line)| line.to_string()).collect::<Vec<_>>().join("|")
}

#[test]
fn a_migration_that_reaches_no_database_still_succeeds() {
    let mut cluster = cluster();
    let script = "psql -h db -c 'select 1' 2>/dev/null; nc -z db 5432; echo migration done";
    cluster.create(&job(script), &Writer::new("kubectl")).expect("job");
    cluster.settle(cluster.now() + 60_000);
    let pods = cluster.list("", "Pod", Some("ns"), "job-name=migrate").expect("pods");
    assert_eq!(log(&cluster, pods[0].text_at(&["metadata", "name"])), "nc: bad address 'db'|migration done");
    let status = status(&cluster, "Job", "migrate");
    assert_eq!(status.int_at(&["succeeded"]), Some(1));
    assert_eq!(status.items_at(&["conditions"])[1].text_at(&["type"]), "Complete");
}

#[test]
fn a_failing_job_is_tried_again_after_ten_seconds() {
    let mut cluster = cluster();
    let start = cluster.now();
    cluster.create(&job("echo migrate failed; exit 1"), &Writer::new("kubectl")).expect("job");
    cluster.settle(cluster.now() + 60_000);
    let status = status(&cluster, "Job", "migrate");
    assert_eq!(status.int_at(&["failed"]), Some(2));
    let failed = &status.items_at(&["conditions"])[1];
    assert_eq!(failed.text_at(&["reason"]), "BackoffLimitExceeded");
    assert_eq!(failed.text_at(&["message"]), "Job has reached the specified backoff limit");
    let end = Time::parse_rfc3339(failed.text_at(&["lastTransitionTime"])).expect("time");
    assert!((12_000..16_000).contains(&(end - start)), "{}", end - start);
}

#[test]
fn a_crash_backs_off_and_doubles() {
    let mut cluster = cluster();
    let crash = r#"{"name":"c","image":"busybox","command":["sh","-c","echo bye; exit 3"]}"#;
    cluster.create(&pod(crash, ""), &Writer::new("kubectl")).expect("pod");
    let start = cluster.now();
    let mut waits = Vec::new();
    while cluster.now() < start + 200_000 {
        let Some(next) = cluster.next_wakeup() else { break };
        cluster.step(next);
        let now = status(&cluster, "Pod", "p");
        let words = now
            .items_at(&["containerStatuses"])
            .first()
            .map(|s| s.text_at(&["state", "waiting", "message"]).to_string());
        if let Some(words) = words.filter(|w| w.starts_with("back-off")) {
            let time = words.split(' ').nth(1).unwrap_or("").to_string();
            if waits.last() != Some(&time) {
                waits.push(time);
            }
        }
    }
    assert_eq!(waits, ["10s", "20s", "40s", "1m20s", "2m40s", "5m0s"]);
    let now = status(&cluster, "Pod", "p");
    assert_eq!(now.items_at(&["containerStatuses"])[0].int_at(&["lastState", "terminated", "exitCode"]), Some(3));
}

#[test]
fn the_table_of_images_decides() {
    let mut cluster = cluster();
    cluster.registry_mut().set_behaviour("shop:2", Behaviour::Absent);
    cluster.create(&pod(r#"{"name":"c","image":"shop:2"}"#, ""), &Writer::new("kubectl")).expect("pod");
    cluster.step(cluster.now() + 5_000);
    let now = status(&cluster, "Pod", "p");
    let waiting = now.items_at(&["containerStatuses"])[0].at(&["state", "waiting"]).cloned().expect("waiting");
    assert_eq!(waiting.text_at(&["reason"]), "ImagePullBackOff");
    assert_eq!(now.text_at(&["phase"]), "Pending");
    cluster.registry_mut().set_behaviour("shop:2", Behaviour::Serves { after: 4 });
    cluster.step(cluster.now() + 60_000);
    assert_eq!(status(&cluster, "Pod", "p").text_at(&["phase"]), "Running");
}

#[test]
fn init_containers_go_first_and_wait_for_services() {
    let mut cluster = cluster();
    let wait = r#"{"name":"wait","image":"busybox","command":["sh","-c","until nc -z db 5432; do sleep 2; done"]}"#;
    cluster.create(&pod(r#"{"name":"c","image":"shop:1"}"#, wait), &Writer::new("kubectl")).expect("pod");
    cluster.step(cluster.now() + 20_000);
    let now = status(&cluster, "Pod", "p");
    let initialized = &now.items_at(&["conditions"])[1];
    assert_eq!(initialized.text_at(&["message"]), "containers with incomplete status: [wait]");
    let writer = Writer::new("kubectl");
    let service = r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"db","namespace":"ns"},"spec":{"selector":{"app":"db"},"ports":[{"port":5432}]}}"#;
    cluster.create(&json(service), &writer).expect("service");
    let db = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"db","namespace":"ns","labels":{"app":"db"}},"spec":{"containers":[{"name":"c","image":"postgres:16"}]}}"#;
    cluster.create(&json(db), &writer).expect("db");
    cluster.step(cluster.now() + 20_000);
    assert_eq!(status(&cluster, "Pod", "p").text_at(&["phase"]), "Running");
    assert!(log(&cluster, "p").is_empty());
}
