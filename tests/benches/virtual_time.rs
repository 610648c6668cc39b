//! Speed of virtual time: an hour of an Application that heals itself against a rival autoscaler, and a rollout of a
//! thousand pods. `cargo bench -p tidepool-tests --bench virtual_time [-- WORD]`; fails when a figure is over its budget.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a bench reads the clock and prints figures")]

use base::Time;
use sim::{ApplyFrom, Command, State};
use std::rc::Rc;
use std::time::{Duration, Instant};

const PATH: &str = "/srv/bare/bench.git";

fn deployment(name: &str, replicas: u32) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  replicas: {replicas}\n  selector:\n    matchLabels:\n      app: {name}\n  template:\n    metadata:\n      labels:\n        app: {name}\n    spec:\n      containers:\n      - name: c\n        image: nginx:1.27-alpine\n---\n"
    )
}

fn start(manifests: String) -> State {
    let mut state = State::new(Time::from_secs(1_800_000_000), 7);
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: bench\n  namespace: argocd\nspec:\n  project: default\n  source:\n    repoURL: git://gitd.gitsrv.svc.cluster.local:9418/bench.git\n    targetRevision: main\n    path: m\n  destination:\n    server: https://kubernetes.default.svc\n    namespace: bench\n  syncPolicy:\n    automated:\n      prune: true\n      selfHeal: true\n    syncOptions:\n    - CreateNamespace=true\n";
    for command in [
        Command::GitInitBare { path: PATH.into() },
        Command::RemoteCommit {
            path: PATH.into(),
            branch: "main".into(),
            message: "all".into(),
            files: vec![("m/all.yaml".into(), Rc::from(manifests.as_bytes()))],
            deleted: Vec::new(),
        },
        Command::KubectlApply { from: ApplyFrom::Text(application.into()), namespace: None },
    ] {
        let outcome = state.apply(command);
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    }
    state
}

fn hour() -> Duration {
    let mut manifests = String::new();
    for i in 0..10 {
        manifests.push_str(&deployment(&format!("web-{i}"), 1));
    }
    for i in 0..39 {
        manifests
            .push_str(&format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: conf-{i}\ndata:\n  k: v\n---\n"));
    }
    manifests.push_str("apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: rival\nspec:\n  minReplicas: 3\n  maxReplicas: 9\n  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: web-0\n");
    let mut state = start(manifests);
    let began = Instant::now();
    state.apply(Command::Advance(3_600_000));
    let took = began.elapsed();
    let app = state.application("bench").unwrap_or_default();
    assert_eq!(app.items_at(&["status", "resources"]).len(), 50);
    let heals = app.int_at(&["status", "operationState", "operation", "sync", "autoHealAttemptsCount"]).unwrap_or(0);
    assert!(heals > 0, "the rival never won");
    took
}

fn rollout() -> Duration {
    let mut state = start(deployment("web", 1000));
    let began = Instant::now();
    state.apply(Command::Advance(120_000));
    let took = began.elapsed();
    let app = state.application("bench").unwrap_or_default();
    assert_eq!(app.text_at(&["status", "health", "status"]), "Healthy");
    took
}

fn main() {
    let only = std::env::args().nth(1).filter(|word| !word.starts_with('-')).unwrap_or_default();
    let mut over = false;
    for (what, run, budget) in [
        ("1 h of 50 resources with self-heal and a rival autoscaler", hour as fn() -> Duration, 100),
        ("rollout of 1,000 pods", rollout, 1000),
    ] {
        if !what.contains(&only) {
            continue;
        }
        let best = (0..3).map(|_| run()).min().unwrap_or_default();
        let millis = best.as_secs_f64() * 1000.0;
        println!("{what}: {millis:.1} ms (budget {budget} ms)");
        over |= millis > f64::from(budget);
    }
    if over {
        std::process::exit(1);
    }
}
