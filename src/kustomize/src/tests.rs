//! The lab's overlay, and overlays of that kind; the outcome is what kustomize 5.8.1 prints.

use crate::{Overrides, Transformer, build};
use base::{Json, MemWorld};

const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: api\n  labels: {app: api}\nspec:\n  \
                          replicas: 1\n  template:\n    spec:\n      containers:\n      - name: api\n        image: \
                          nginx:1.27-alpine\n        envFrom:\n        - configMapRef: {name: conf}\n";

fn lab() -> MemWorld {
    MemWorld::new([
        ("kust/base/deployment.yaml", DEPLOYMENT),
        ("kust/base/conf.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: conf\n"),
        ("kust/base/kustomization.yaml", "resources: [deployment.yaml, conf.yaml]\n"),
        (
            "kust/overlays/prod/kustomization.yaml",
            "resources:\n- ../../base\nnamePrefix: prod-\nreplicas:\n- name: api\n  count: 2\n",
        ),
    ])
}

fn overrides(text: &str) -> Overrides {
    Overrides::read(&Json::parse(text).unwrap(), &|t| t.to_string()).unwrap()
}

#[test]
fn the_overlay_of_the_lab() {
    let with = overrides(r#"{"images":["nginx=nginx:1.28-alpine"]}"#);
    let made = build(&lab(), "kust/overlays/prod", &with, "").unwrap();
    let api = &made.resources[0];
    assert_eq!(api.object.text_at(&["metadata", "name"]), "prod-api");
    assert_eq!(api.object.int_at(&["spec", "replicas"]), Some(2));
    let path = "spec/template/spec/containers/0/image";
    let touch = api.history(path).next().unwrap();
    assert_eq!(touch.before, Some("nginx:1.27-alpine".into()));
    assert_eq!(touch.after, "nginx:1.28-alpine".into());
    let step = &made.steps[touch.step];
    assert_eq!((step.transformer, step.overridden), (Transformer::Images, true));
    let reference = api.history("spec/template/spec/containers/0/envFrom/0/configMapRef/name").next().unwrap();
    assert_eq!(reference.after, "prod-conf".into());
    assert_eq!(&*api.file, "kust/base/deployment.yaml");
}

#[test]
fn labels_reach_selectors_unless_told_otherwise() {
    let labels = |text: &str| build(&lab(), "kust/base", &overrides(text), "").unwrap().resources.remove(0).object;
    let all = labels(r#"{"commonLabels":{"team":"x"}}"#);
    assert_eq!(all.text_at(&["spec", "selector", "matchLabels", "team"]), "x");
    assert_eq!(all.text_at(&["spec", "template", "metadata", "labels", "team"]), "x");
    let some = labels(r#"{"commonLabels":{"team":"x"},"labelWithoutSelector":true,"labelIncludeTemplates":true}"#);
    assert_eq!(some.at(&["spec", "selector"]), None);
    assert_eq!(some.text_at(&["spec", "template", "metadata", "labels", "team"]), "x");
}

#[test]
fn errors_are_kustomizes() {
    let failed = |text: &str| build(&lab(), "kust/base", &overrides(text), "").unwrap_err();
    assert_eq!(
        failed(r#"{"replicas":[{"name":"nope","count":3}]}"#),
        "Error: resource with name nope does not match a config with the following GVK [Deployment.[noVer].[noGrp] \
         StatefulSet.[noVer].[noGrp] ReplicaSet.[noVer].[noGrp] ReplicationController.[noVer].[noGrp]]"
    );
    let world = MemWorld::new([("m/kustomization.yaml", "bases: [../x]\n")]);
    assert_eq!(
        build(&world, "m", &Overrides::default(), "R").unwrap_err(),
        "# Warning: 'bases' is deprecated. Please use 'resources' instead. Run 'kustomize edit fix' to update your \
         Kustomization automatically.\nError: accumulating resources: accumulation err='accumulating resources from \
         '../x': evalsymlink failure on 'R/x' : lstat R/x: no such file or directory': must build at directory: not a \
         valid directory: evalsymlink failure on 'R/x' : lstat R/x: no such file or directory"
    );
    let cycle = MemWorld::new([("a/kustomization.yaml", "resources: [../a]\n")]);
    assert!(build(&cycle, "a", &Overrides::default(), "").unwrap_err().contains("cycle detected"));
    let unknown = MemWorld::new([("a/kustomization.yaml", "configMapGenerator: []\n")]);
    assert!(build(&unknown, "a", &Overrides::default(), "").unwrap_err().contains("not simulated yet"));
}
