//! Any order of commands keeps the invariants: versions rise, no step of a sync begins before the earlier ones are done,
//! nothing lives without its owner, and the same log gives the same state.

use base::{Json, Time};
use sim::{ApplyFrom, Command, ObjectRef, State};
use std::rc::Rc;

const PATH: &str = "/srv/bare/app.git";
const SEEDS: u64 = 24;
const COMMANDS: u64 = 14;

const APPLICATION: &str = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: app
  namespace: argocd
spec:
  project: default
  source: {repoURL: 'git://gitd.gitsrv.svc.cluster.local:9418/app.git', targetRevision: main, path: m}
  destination: {server: 'https://kubernetes.default.svc', namespace: app}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    syncOptions: [CreateNamespace=true]
    retry: {limit: 2, backoff: {duration: 3s}}
";

/// A Deployment in wave 0, a ConfigMap in wave 1, a hook before and one after; `variant` changes images, waves and hooks.
fn manifests(variant: u64) -> String {
    let image = if variant % 3 == 2 { "nginx:doesnotexist" } else { "nginx:1.27-alpine" };
    let exit = if variant % 4 == 3 { "exit 1" } else { "echo ok" };
    let mut out = format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, annotations: {{argocd.argoproj.io/sync-wave: '0'}}}}
spec:
  replicas: {}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: c, image: '{image}'}}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: before, annotations: {{argocd.argoproj.io/hook: PreSync}}}}
spec:
  backoffLimit: 0
  template:
    spec: {{restartPolicy: Never, containers: [{{name: c, image: busybox, command: [sh, -c, '{exit}']}}]}}
",
        1 + variant % 4
    );
    if variant.is_multiple_of(2) {
        out.push_str("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: late, annotations: {argocd.argoproj.io/sync-wave: '1'}}\ndata: {k: v}\n");
    }
    if variant % 5 < 3 {
        out.push_str("---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: after, annotations: {argocd.argoproj.io/hook: PostSync}}\nspec:\n  template:\n    spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: [sh, -c, 'echo ok']}]}\n");
    }
    out
}

fn commit(variant: u64) -> Command {
    Command::RemoteCommit {
        path: PATH.into(),
        branch: "main".into(),
        message: format!("variant {variant}").into(),
        files: vec![("m/all.yaml".into(), Rc::from(manifests(variant).as_bytes()))],
        deleted: Vec::new(),
    }
}

fn at(group: &str, kind: &str, name: &str) -> ObjectRef {
    ObjectRef { group: group.into(), kind: kind.into(), namespace: "app".into(), name: name.into() }
}

/// The commands of one seed.
fn log(seed: u64) -> Vec<Command> {
    let draw = |i: u64, what: &str, n: u64| base::hash::hash(seed, what, "log", i) % n;
    let mut out = vec![
        Command::GitInitBare { path: PATH.into() },
        commit(seed),
        Command::KubectlApply { from: ApplyFrom::Text(APPLICATION.into()), namespace: None },
    ];
    for i in 0..COMMANDS {
        out.push(match draw(i, "command", 9) {
            0 => commit(draw(i, "variant", 60)),
            1 => Command::Refresh { app: "app".into(), hard: draw(i, "hard", 2) == 0 },
            2 => Command::SyncApp { app: "app".into(), prune: true },
            3 => Command::TerminateOp { app: "app".into() },
            4 => Command::KubectlScale {
                object: at("apps", "Deployment", "web"),
                replicas: draw(i, "replicas", 6) as i64,
            },
            5 => Command::KubectlDelete(at("apps", "Deployment", "web")),
            6 => Command::KubectlDelete(at("", "ConfigMap", "late")),
            7 => Command::KubectlDelete(ObjectRef { namespace: "".into(), ..at("", "Namespace", "app") }),
            _ => Command::KubectlDelete(at("batch", "Job", "before")),
        });
        out.push(Command::Advance(draw(i, "wait", 12_000) as i64));
    }
    out.push(Command::Advance(400_000));
    out
}

/// Where a row of a sync result stands, by its name; rows of other objects do not count.
fn step(row: &Json) -> Option<(u8, u8)> {
    Some(match (row.text_at(&["kind"]), row.text_at(&["name"])) {
        ("Job", "before") => (0, 0),
        ("Deployment", "web") => (1, 0),
        ("ConfigMap", "late") => (1, 1),
        ("Job", "after") => (2, 0),
        _ => return None,
    })
}

/// No step has begun while a task of an earlier one runs or failed; how many pairs of steps were looked at. Deletions
/// have waves of their own.
fn steps_in_order(state: &State, seed: u64) -> usize {
    let Some(app) = state.application("app") else { return 0 };
    let rows = app.items_at(&["status", "operationState", "syncResult", "resources"]);
    let begun: Vec<(_, &Json)> =
        rows.iter().filter(|r| r.text_at(&["status"]) == "Synced").filter_map(|r| Some((step(r)?, r))).collect();
    let mut later = 0;
    for (late, row) in &begun {
        for (early, other) in &begun {
            later += usize::from(early < late);
            let phase = other.text_at(&["hookPhase"]);
            assert!(
                early >= late || phase == "Succeeded",
                "seed {seed} at {}: {} has begun although {} is {phase}",
                state.now,
                row.text_at(&["name"]),
                other.text_at(&["name"])
            );
        }
    }
    later
}

/// Runs a log; looks at the state at every instant at which something happens.
fn run(seed: u64) -> (State, usize) {
    let mut pairs = 0;
    let mut state = State::new(Time::from_secs(1_800_000_000), seed);
    let mut seen = state.cluster.version();
    for command in log(seed) {
        let end = match &command {
            Command::Advance(ms) => Some(state.now + *ms),
            _ => None,
        };
        match end {
            None => drop(state.apply(command)),
            Some(end) => {
                while let Some(next) = state.next_wakeup().filter(|next| *next < end) {
                    state.advance(next.max(state.now));
                    pairs += steps_in_order(&state, seed);
                }
                state.advance(end);
            }
        }
        let mut last = seen;
        for change in state.cluster.changes_since(seen) {
            let text = change.object.text_at(&["metadata", "resourceVersion"]);
            let version: u64 = text.parse().unwrap_or(last + 1);
            let deleted = change.kind == cluster::ChangeType::Deleted;
            assert!(deleted || version > last, "seed {seed}: version {version} after {last}");
            last = last.max(version);
        }
        seen = state.cluster.version();
    }
    (state, pairs)
}

#[test]
fn any_order_of_commands_keeps_the_invariants() {
    let mut pairs = 0;
    for seed in 0..SEEDS {
        let (state, looked) = run(seed);
        pairs += looked;
        let objects = state.cluster.objects(None);
        for (key, object) in &objects {
            for owner in object.items_at(&["metadata", "ownerReferences"]) {
                let uid = owner.text_at(&["uid"]);
                assert!(state.cluster.key_of_uid(uid).is_some(), "seed {seed}: {key:?} outlived {uid}");
            }
        }
        let (again, _) = run(seed);
        assert!(objects == again.cluster.objects(None), "seed {seed}: another end from the same log");
        assert!(state.timeline == again.timeline, "seed {seed}: another timeline from the same log");
    }
    assert!(pairs > 1000, "only {pairs} pairs of steps were looked at");
}
