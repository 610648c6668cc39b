//! The life of objects: a rollout on virtual time, apply, deletion, and that the same steps give the same state.

use base::{Json, Time};
use cluster::apply::{Outcome, client_side, three_way};
use cluster::{Cluster, CustomResource, ObjectRef, PatchType, Propagation, Writer};

const START: Time = Time::from_secs(1_796_000_000);

fn json(text: &str) -> Json {
    Json::parse(text).expect("json")
}

fn deployment(replicas: i64, image: &str) -> Json {
    json(&format!(
        r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"web","namespace":"ns"}},"spec":{{"replicas":{replicas},
        "selector":{{"matchLabels":{{"app":"web"}}}},"template":{{"metadata":{{"labels":{{"app":"web"}}}},
        "spec":{{"containers":[{{"name":"c","image":"{image}"}}]}}}}}}}}"#
    ))
}

fn with_namespace() -> Cluster {
    let mut cluster = Cluster::new(7, START);
    let namespace = json(r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}}"#);
    cluster.create(&namespace, &Writer::new("kubectl")).expect("namespace");
    cluster.settle(cluster.now() + 10_000);
    cluster
}

fn web(cluster: &Cluster) -> Json {
    cluster.get(&ObjectRef::new("apps", "Deployment", "ns", "web")).expect("web")
}

#[test]
fn a_deployment_rolls_out_and_over() {
    let mut cluster = with_namespace();
    cluster.create(&deployment(2, "nginx:1.27"), &Writer::new("kubectl")).expect("create");
    cluster.settle(cluster.now() + 60_000);
    let live = web(&cluster);
    assert_eq!(live.int_at(&["status", "readyReplicas"]), Some(2));
    assert_eq!(live.items_at(&["status", "conditions"])[1].text_at(&["reason"]), "NewReplicaSetAvailable");
    assert_eq!(live.int_at(&["metadata", "generation"]), Some(1));
    let at = ObjectRef::of(&live);
    let patch = json(r#"{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"nginx:1.28"}]}}}}"#);
    cluster.patch(&at, "", PatchType::Strategic, &patch, &Writer::new("kubectl")).expect("patch");
    cluster.settle(cluster.now() + 60_000);
    let pods = cluster.list("", "Pod", Some("ns"), "app=web").expect("pods");
    let images: Vec<_> = pods.iter().map(|p| p.items_at(&["spec", "containers"])[0].text_at(&["image"])).collect();
    assert_eq!(images, ["nginx:1.28", "nginx:1.28"]);
    assert_eq!(web(&cluster).text_at(&["metadata", "annotations", "deployment.kubernetes.io/revision"]), "2");
    cluster.delete(&at, Some(Propagation::Foreground), &Writer::new("kubectl")).expect("delete");
    cluster.settle(cluster.now() + 60_000);
    assert_eq!(cluster.list("", "Pod", Some("ns"), "").expect("pods").len(), 0);
    assert_eq!(cluster.get(&at).expect_err("gone").message, "deployments.apps \"web\" not found");
    assert_eq!(cluster.next_wakeup().map(|t| t - cluster.now() > 60_000), None);
}

#[test]
fn client_side_apply_removes_only_what_it_applied() {
    let mut cluster = with_namespace();
    let kubectl = Writer::new("kubectl-client-side-apply");
    let first = json(
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"ns"},"data":{"a":"1","b":"2"}}"#,
    );
    assert_eq!(client_side(&mut cluster, &first, &kubectl).expect("apply").1, Outcome::Created);
    assert_eq!(client_side(&mut cluster, &first, &kubectl).expect("apply").1, Outcome::Unchanged);
    let at = ObjectRef::of(&first);
    cluster.patch(&at, "", PatchType::Merge, &json(r#"{"data":{"x":"9"}}"#), &Writer::new("hand")).expect("patch");
    let second =
        json(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"ns"},"data":{"a":"5"}}"#);
    let (live, outcome) = client_side(&mut cluster, &second, &kubectl).expect("apply");
    assert_eq!(outcome, Outcome::Configured);
    assert_eq!(live.get("data").map(Json::to_text).as_deref(), Some(r#"{"a":"5","x":"9"}"#));
    assert_eq!(three_way(&live, &live, &live).to_text(), "{}");
}

#[test]
fn defaults_do_not_show_in_a_three_way_patch() {
    let mut cluster = with_namespace();
    cluster.create(&deployment(2, "nginx:1.27"), &Writer::new("kubectl")).expect("create");
    cluster.settle(cluster.now() + 60_000);
    let desired = deployment(3, "nginx:1.27");
    let patch = three_way(&web(&cluster), &desired, &deployment(2, "nginx:1.27"));
    assert_eq!(patch.to_text(), r#"{"spec":{"replicas":3}}"#);
}

#[test]
fn server_side_apply_conflicts_in_the_real_words() {
    let mut cluster = with_namespace();
    let map = |a: &str| {
        json(&format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"c","namespace":"ns"}},"data":{{"a":"{a}"}}}}"#
        ))
    };
    cluster.apply(&map("1"), &Writer::new("one")).expect("apply");
    let error = cluster.apply(&map("2"), &Writer::new("two")).expect_err("conflict");
    assert_eq!(error.message, "Apply failed with 1 conflict: conflict with \"one\": .data.a");
    let forced = cluster.apply(&map("2"), &Writer { force: true, ..Writer::new("two") }).expect("forced");
    assert_eq!(forced.items_at(&["metadata", "managedFields"]).len(), 1);
}

#[test]
fn custom_resources_and_namespaces_end() {
    let mut cluster = with_namespace();
    let custom = CustomResource {
        group: "example.com",
        version: "v1",
        plural: "things",
        kind: "Thing",
        namespaced: true,
        status: false,
    };
    cluster.serve_custom(&custom).expect("definition");
    let thing = json(
        r#"{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"ns"},"spec":{"n":1}}"#,
    );
    cluster.create(&thing, &Writer::new("kubectl")).expect("create");
    let mut live = cluster.get(&ObjectRef::of(&thing)).expect("live");
    live.set(&["status", "phase"], "Done".into());
    let live = cluster.update_status(&live, &Writer::new("controller")).expect("status");
    assert_eq!(live.text_at(&["status", "phase"]), "Done");
    cluster.delete(&ObjectRef::new("", "Namespace", "", "ns"), None, &Writer::new("kubectl")).expect("delete");
    cluster.settle(cluster.now() + 60_000);
    assert!(cluster.get(&ObjectRef::of(&thing)).is_err());
    assert!(cluster.get(&ObjectRef::new("", "Namespace", "", "ns")).is_err());
}

#[test]
fn the_same_steps_give_the_same_state() {
    let run = || {
        let mut cluster = with_namespace();
        cluster.create(&deployment(3, "nginx:1.27"), &Writer::new("kubectl")).expect("create");
        cluster.settle(cluster.now() + 60_000);
        cluster
    };
    assert_eq!(run(), run());
}

#[test]
fn many_deployments_settle_together() {
    let mut cluster = with_namespace();
    for i in 0..40 {
        let mut one = deployment(10, "nginx:1.27");
        let name = format!("web{i}");
        one.set(&["metadata", "name"], Json::str(name.as_str()));
        one.set(&["spec", "selector", "matchLabels", "app"], Json::str(name.as_str()));
        one.set(&["spec", "template", "metadata", "labels", "app"], Json::str(name.as_str()));
        cluster.create(&one, &Writer::new("kubectl")).expect("create");
    }
    cluster.settle(cluster.now() + 60_000);
    assert!(cluster.len() > 800);
    let ready = cluster.list("apps", "Deployment", Some("ns"), "").expect("list");
    assert!(ready.iter().all(|d| d.int_at(&["status", "readyReplicas"]) == Some(10)));
}
