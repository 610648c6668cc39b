//! Steps 1 and 2 of the lab, as a person does them.

use base::{Json, Time};
use sim::{ApplyFrom, Command, ObjectRef, State, Until};
use std::rc::Rc;

const REPO: &str = "/root/capa-src/repo";
const FILES: [(&str, &str); 5] = [
    ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 0.1.0\n"),
    ("charts/web/values.yaml", "replicaCount: 1\ngreeting: chart-default\n"),
    ("charts/web/values-prod.yaml", "replicaCount: 2\ngreeting: from-values-file\n"),
    (
        "charts/web/templates/configmap.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-greeting\ndata:\n  greeting: {{ .Values.greeting | quote }}\n",
    ),
    (
        "charts/web/templates/deployment.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}-web\nspec:\n  replicas: {{ .Values.replicaCount }}\n  selector:\n    matchLabels:\n      app: {{ .Release.Name }}-web\n  template:\n    metadata:\n      labels:\n        app: {{ .Release.Name }}-web\n    spec:\n      containers:\n        - name: web\n          image: nginx:1.27-alpine\n          ports:\n            - containerPort: 80\n",
    ),
];

fn application(helm: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: src-helm\n  namespace: argocd\nspec:\n  project: default\n  source:\n    repoURL: git://gitd.gitsrv.svc.cluster.local:9418/src.git\n    targetRevision: main\n    path: charts/web\n    helm:\n      valueFiles:\n      - values-prod.yaml\n{helm}  destination:\n    server: https://kubernetes.default.svc\n    namespace: src-helm\n  syncPolicy:\n    automated:\n      prune: true\n      selfHeal: true\n    syncOptions:\n    - CreateNamespace=true\n"
    )
}

fn at(group: &str, kind: &str, name: &str) -> ObjectRef {
    ObjectRef { group: group.into(), kind: kind.into(), namespace: "src-helm".into(), name: name.into() }
}

fn until() -> Command {
    let done = Until::App {
        name: "src-helm".into(),
        sync: Some("Synced".into()),
        health: Some("Healthy".into()),
        phase: Some("Succeeded".into()),
    };
    Command::RunUntil(done, 60_000)
}

fn run() -> State {
    let mut state = State::new(Time::parse_rfc3339("2026-11-30T22:19:30Z").expect("an instant"), 7);
    let bare: Rc<str> = "/srv/bare/src.git".into();
    let mut go = |command: Command| {
        let outcome = state.apply(command);
        assert_eq!(outcome.code, 0, "{outcome:?}\n{:?}", state.application("src-helm").map(|a| a.to_text()));
        outcome.stdout
    };
    go(Command::GitInitBare { path: bare.clone() });
    go(Command::GitClone { from: bare, dir: REPO.into() });
    for (path, text) in FILES {
        go(Command::WriteFile { path: format!("{REPO}/{path}").into(), bytes: Rc::from(text.as_bytes()) });
    }
    go(Command::GitCommit { dir: REPO.into(), message: "chart web".into() });
    go(Command::GitPush { dir: REPO.into(), branch: None });
    let text = go(Command::KubectlApply { from: ApplyFrom::Text(application("").into()), namespace: None });
    assert_eq!(text, "application.argoproj.io/src-helm created\n");
    go(until());
    state
}

#[test]
fn step_one_takes_replicas_from_the_values_file() {
    let state = run();
    let deployment = state.object(&at("apps", "Deployment", "src-helm-web")).unwrap();
    assert_eq!(deployment.int_at(&["spec", "replicas"]), Some(2));
    assert_eq!(deployment.int_at(&["status", "readyReplicas"]), Some(2));
    let cm = state.object(&at("", "ConfigMap", "src-helm-greeting")).unwrap();
    assert_eq!(cm.text_at(&["data", "greeting"]), "from-values-file");
    assert_eq!(
        cm.text_at(&["metadata", "annotations", "argocd.argoproj.io/tracking-id"]),
        "src-helm:/ConfigMap:src-helm/src-helm-greeting"
    );
    let app = state.application("src-helm").unwrap();
    let rows: Vec<&str> = app
        .items_at(&["status", "operationState", "syncResult", "resources"])
        .iter()
        .map(|r| r.text_at(&["message"]))
        .collect();
    assert_eq!(
        rows,
        ["namespace/src-helm created", "configmap/src-helm-greeting created", "deployment.apps/src-helm-web created"]
    );
    assert_eq!(app.text_at(&["status", "operationState", "message"]), "successfully synced (all tasks run)");
    assert_eq!(app.text_at(&["status", "sourceType"]), "Helm");
    assert_eq!(app.items_at(&["status", "summary", "images"]), [Json::from("nginx:1.27-alpine")]);
}

#[test]
fn step_two_parameters_win() {
    let mut state = run();
    let more = "      valuesObject:\n        replicaCount: 3\n        greeting: from-values-object\n      parameters:\n      - name: greeting\n        value: from-parameter\n";
    state.apply(Command::KubectlApply { from: ApplyFrom::Text(application(more).into()), namespace: None });
    state.apply(Command::Advance(5000));
    assert_eq!(state.apply(until()).code, 0, "{:?}", state.application("src-helm").map(|a| a.to_text()));
    let deployment = state.object(&at("apps", "Deployment", "src-helm-web")).unwrap();
    assert_eq!(deployment.int_at(&["status", "readyReplicas"]), Some(3));
    let cm = state.object(&at("", "ConfigMap", "src-helm-greeting")).unwrap();
    assert_eq!(cm.text_at(&["data", "greeting"]), "from-parameter");
}

#[test]
fn a_hand_scaled_deployment_is_healed() {
    let mut state = run();
    state.apply(Command::RunUntilIdle(20_000));
    state.apply(Command::KubectlScale { object: at("apps", "Deployment", "src-helm-web"), replicas: 5 });
    state.apply(Command::Advance(2000));
    let deployment = state.object(&at("apps", "Deployment", "src-helm-web")).unwrap();
    assert_eq!(deployment.int_at(&["spec", "replicas"]), Some(2));
    let app = state.application("src-helm").unwrap();
    assert_eq!(app.int_at(&["status", "operationState", "operation", "sync", "autoHealAttemptsCount"]), Some(1));
    assert_eq!(app.items_at(&["status", "history"]).len(), 1);
}

#[test]
fn the_same_commands_give_the_same_bytes() {
    let text =
        |s: &State| s.cluster.objects(None).iter().map(|(k, o)| format!("{k:?} {}\n", o.to_text())).collect::<String>();
    assert_eq!(text(&run()), text(&run()));
    assert_eq!(run().timeline, run().timeline);
}

#[test]
fn replicas_are_explained_down_to_the_commit() {
    let state = run();
    let key = argocd::ObjectKey {
        group: "apps".into(),
        kind: "Deployment".into(),
        namespace: "src-helm".into(),
        name: "src-helm-web".into(),
    };
    let path = ["spec", "replicas"].map(|k| argocd::explain::PathSeg::Key(k.into()));
    let why = argocd::explain::field(&state.argocd, &state.cluster, &state.remotes, "src-helm", &key, &path).unwrap();
    assert_eq!((why.live, why.target), (Some(Json::Int(2)), Some(Json::Int(2))));
    assert_eq!(why.owners.iter().map(|o| &*o.manager).collect::<Vec<_>>(), ["argocd-controller"]);
    let helm = why.helm.unwrap();
    assert_eq!(&*helm.data[0].path, "replicaCount");
    assert_eq!(&*why.origin.unwrap().file, "charts/web/values-prod.yaml");
    let blame = why.blame.unwrap();
    assert_eq!((blame.line, &*blame.subject), (1, "chart web"));
}
