//! Every built-in lesson is sound, and the first one is done from start to end by requests as the page sends them.

use playground::lesson::{BUILT_IN, BuiltIn, built_in, check_lesson};
use playground::{Endless, Playground, Progress, Slice};
use protocol::*;

fn request(playground: &mut Playground, kind: RequestKind) -> Body {
    playground.answer(Request { id: 1, revision: 1, kind }).body
}

fn ask(playground: &mut Playground, kind: RequestKind) -> Update {
    match request(playground, kind) {
        Body::Update(update) => *update,
        other => panic!("{other:?}"),
    }
}

fn open(playground: &mut Playground) -> Update {
    ask(playground, RequestKind::Open(Opening::Lesson { id: "lab-values".into() }))
}

fn edit(playground: &mut Playground, path: &str, text: &str) -> Update {
    ask(playground, RequestKind::Edit { path: path.into(), change: Change::Text(text.into()) })
}

fn solve(playground: &mut Playground) {
    open(playground);
    ask(playground, RequestKind::FillIn { step: 0 });
    ask(playground, RequestKind::Command(Command::GitCommit { message: "chart web".into() }));
    ask(playground, RequestKind::Command(Command::GitPush));
    ask(playground, RequestKind::Command(Command::KubectlApply { path: "/root/capa-src/app-src-helm.yaml".into() }));
    ask(playground, RequestKind::Clock(ClockMove::RunUntilIdle { max_ms: 60_000 }));
    ask(playground, RequestKind::FillIn { step: 1 });
    ask(playground, RequestKind::Command(Command::KubectlApply { path: "/root/capa-src/app-src-helm.yaml".into() }));
    ask(playground, RequestKind::Clock(ClockMove::RunUntilIdle { max_ms: 60_000 }));
}

#[test]
fn lessons_are_sound() {
    assert!(!BUILT_IN.is_empty());
    for BuiltIn { id, .. } in BUILT_IN {
        let report = check_lesson(built_in(id).expect("reads"));
        assert!(report.sound(), "{id}: {:#?}", report.faults);
    }
}

#[test]
fn the_lesson_start_to_end() {
    let mut playground = Playground::new();
    let update = open(&mut playground);
    assert!(update.whole && update.lesson.is_some());
    assert_eq!(update.progress.as_ref().map(|p| (p.current, p.done)), Some((0, false)));

    let update = ask(&mut playground, RequestKind::FillIn { step: 0 });
    let render = update.render.unwrap();
    assert!(render.fresh, "{:?}", render.diagnostics);
    assert!(
        matches!(&render.source, SourceView::Application { name, .. } if name == "src-helm"),
        "{:?}",
        render.source
    );
    let deployment = render.manifests.iter().find(|m| m.kind == "Deployment").unwrap();
    assert!(deployment.text.contains("replicas: 2"), "{}", deployment.text);

    // A typing error keeps the last good render, marked stale, with Helm's words at the place.
    let path = "/root/capa-src/repo/charts/web/templates/deployment.yaml";
    let good = std::str::from_utf8(include_bytes!(
        "../../../lessons/lab-values/solution/chart/repo/charts/web/templates/deployment.yaml"
    ))
    .unwrap();
    let update = edit(&mut playground, path, &good.replace(".Values.replicaCount }}", ".Values.replicaCount }"));
    let render = update.render.unwrap();
    assert!(!render.fresh && render.order.len() == 2);
    let place = render.diagnostics[0].place.clone().unwrap();
    assert_eq!((place.file.as_str(), place.line), (path, 6), "{:?}", render.diagnostics);
    let update = edit(&mut playground, path, good);
    assert!(update.render.unwrap().fresh);

    ask(&mut playground, RequestKind::Command(Command::GitCommit { message: "chart web".into() }));
    let update = ask(&mut playground, RequestKind::Command(Command::GitPush));
    assert_eq!(update.git.map(|git| (git.ahead, git.dirty)), Some((0, 0)));
    let app = "/root/capa-src/app-src-helm.yaml".to_string();
    let update = ask(&mut playground, RequestKind::Command(Command::KubectlApply { path: app.clone() }));
    assert_eq!(update.terminal[0].output, "application.argoproj.io/src-helm created\n");
    let update = ask(&mut playground, RequestKind::Clock(ClockMove::RunUntilIdle { max_ms: 60_000 }));
    assert_eq!(update.progress.map(|p| p.current), Some(1));
    let card = update.apps.unwrap().remove(0);
    assert_eq!((card.sync.as_str(), card.health.as_str(), card.phase.as_str()), ("Synced", "Healthy", "Succeeded"));
    let tree = update.trees.unwrap().remove(0);
    assert_eq!(tree.nodes.iter().filter(|node| node.kind == "Pod").count(), 2);
    assert!(!update.timeline.unwrap().lanes.is_empty());

    ask(&mut playground, RequestKind::FillIn { step: 1 });
    ask(&mut playground, RequestKind::Command(Command::KubectlApply { path: app }));
    let update = ask(&mut playground, RequestKind::Clock(ClockMove::RunUntilIdle { max_ms: 60_000 }));
    let tree = update.trees.unwrap().remove(0);
    assert_eq!(tree.nodes.iter().filter(|node| node.kind == "Pod").count(), 3);
    assert_eq!(playground.steps_done(), [true, true]);
}

#[test]
fn a_kept_playground_replays_to_the_same_bytes() {
    let mut first = Playground::new();
    solve(&mut first);
    let Body::Saved(text) = first.answer(Request { id: 1, revision: 1, kind: RequestKind::Export }).body else {
        panic!()
    };
    let mut second = Playground::new();
    let update = ask(&mut second, RequestKind::Open(Opening::Saved { text }));
    assert_eq!(update.notices, []);
    assert_eq!(second.digest(), first.digest());
    assert_eq!(second.steps_done(), first.steps_done());
}

#[test]
fn slices_leave_no_trace() {
    struct Never;
    impl Slice for Never {
        fn more(&mut self) -> bool {
            false
        }
    }
    let mut whole = Playground::new();
    solve(&mut whole);
    let mut sliced = Playground::new();
    solve(&mut sliced);
    let request = Request { id: 1, revision: 1, kind: RequestKind::Clock(ClockMove::Advance { ms: 400_000 }) };
    whole.handle(request.clone(), &mut Endless);
    let mut progress = sliced.handle(request, &mut Never);
    let mut slices = 0;
    while let Progress::More = progress {
        progress = sliced.resume(&mut Never);
        slices += 1;
    }
    assert!(slices > 0);
    assert_eq!(whole.digest(), sliced.digest());
}

#[test]
fn how_a_text_was_typed_leaves_no_trace() {
    let path = "/root/capa-src/repo/charts/web/values-prod.yaml";
    let mut slow = Playground::new();
    open(&mut slow);
    for text in ["", "r", "replicaCount: ", "replicaCount: 5\n"] {
        edit(&mut slow, path, text);
    }
    let mut quick = Playground::new();
    open(&mut quick);
    edit(&mut quick, path, "replicaCount: 5\n");
    assert_eq!(slow.digest(), quick.digest());
}

#[test]
fn moments_come_back() {
    let mut playground = Playground::new();
    open(&mut playground);
    let before = playground.digest();
    ask(&mut playground, RequestKind::Snapshot { name: "start".into() });
    ask(&mut playground, RequestKind::FillIn { step: 0 });
    assert_ne!(playground.digest(), before);
    let update = ask(&mut playground, RequestKind::Restore { name: "start".into() });
    assert!(update.whole);
    assert_eq!(playground.digest(), before);
}

#[test]
fn who_set_this() {
    let mut playground = Playground::new();
    solve(&mut playground);
    let explain = |playground: &mut Playground, target| match playground
        .answer(Request { id: 1, revision: 1, kind: RequestKind::Explain(target) })
        .body
    {
        Body::Explain(Some(view)) => view,
        other => panic!("{other:?}"),
    };
    let claims = |view: &ExplainView| -> Vec<(String, String, bool)> {
        let value = view.steps.iter().find_map(|step| match step {
            ExplainStep::Value { claims, .. } => Some(claims),
            _ => None,
        });
        value.unwrap().iter().map(|c| (c.layer.kind.clone(), c.value.clone(), c.won)).collect()
    };
    let want = [("app-values-object", "3", true), ("values-file", "2", false), ("chart-default", "1", false)]
        .map(|(layer, value, won)| (layer.to_string(), value.to_string(), won));
    let deployment = "web/templates/deployment.yaml|Deployment|src-helm-web".to_string();
    let view = explain(&mut playground, Target::Rendered { manifest: deployment, line: 6, col: 5 });
    assert_eq!((view.title.as_str(), view.value.as_str()), ("replicas", "3"));
    assert_eq!(view.object, "apps/Deployment src-helm/src-helm-web");
    assert_eq!(claims(&view), want);
    assert!(
        matches!(&view.steps[0], ExplainStep::Cluster { manager, .. } if manager == "argocd-controller"),
        "{view:#?}"
    );
    let last = view.steps.last().unwrap();
    let ExplainStep::NotInGit { place: Some(place), text } = last else { panic!("{last:?}") };
    assert_eq!((place.file.as_str(), text.key.as_str()), ("/root/capa-src/app-src-helm.yaml", "only-in-application"));

    let target = |kind: &str, group: &str, name: &str, field: &str| Target::Live {
        group: group.into(),
        kind: kind.into(),
        namespace: "src-helm".into(),
        name: name.into(),
        field: field.into(),
    };
    let view = explain(&mut playground, target("Deployment", "apps", "src-helm-web", "spec.replicas"));
    assert_eq!(claims(&view), want);
    let view = explain(&mut playground, target("ConfigMap", "", "src-helm-greeting", "data.greeting"));
    assert_eq!(view.value, "from-parameter");
    assert_eq!(claims(&view).len(), 4);

    let kind = RequestKind::ValuesTable { app: None };
    let Body::Values(table) = playground.answer(Request { id: 1, revision: 1, kind }).body else { panic!() };
    let rows: Vec<(&str, &str, usize, bool)> =
        table.rows.iter().map(|row| (row.path.as_str(), row.value.as_str(), row.claims.len(), row.used)).collect();
    assert_eq!(rows, [("greeting", "\"from-parameter\"", 4, true), ("replicaCount", "3", 3, true)]);
}

/// Not a bar, a smoke alarm: a keystroke's work must not depend on anything slow.
#[test]
fn keystrokes_send_little() {
    let mut playground = Playground::new();
    open(&mut playground);
    ask(&mut playground, RequestKind::FillIn { step: 0 });
    let path = "/root/capa-src/repo/charts/web/values-prod.yaml";
    for n in 0..200 {
        let update = edit(&mut playground, path, &format!("replicaCount: {n}\ngreeting: from-values-file\n"));
        let render = update.render.unwrap();
        assert_eq!(render.manifests.iter().map(|m| m.kind.as_str()).collect::<Vec<_>>(), ["Deployment"]);
        assert!(update.apps.is_none() && update.timeline.is_none() && update.saved.is_none());
    }
}

#[test]
fn the_past_can_be_looked_at_and_gone_on_from() {
    let mut playground = Playground::new();
    solve(&mut playground);
    let path = "/root/capa-src/repo/charts/web/values.yaml";
    edit(&mut playground, path, "replicaCount: 9\n");
    let (now, digest) = (ask(&mut playground, RequestKind::Check).clock.map(|clock| clock.now), playground.digest());
    let past = ask(&mut playground, RequestKind::Look { at: Some(500) });
    let clock = past.clock.expect("the clock says so");
    assert_eq!(clock.looking, Some(500));
    assert!(now.is_none_or(|now| now == clock.now));
    assert_ne!(past.apps.expect("another state")[0].health, "Healthy");
    let present = ask(&mut playground, RequestKind::Look { at: None });
    assert_eq!(present.apps.expect("back")[0].health, "Healthy");
    assert_eq!(playground.digest(), digest, "looking changes nothing");

    let update = ask(&mut playground, RequestKind::Rewind { at: 500 });
    assert!(update.whole && update.clock.expect("a clock").now == 500);
    let files = update.files.expect("files").files;
    let text = files.iter().find(|file| file.path == path).and_then(|file| file.text.clone());
    assert_eq!(text.as_deref(), Some("replicaCount: 9\n"), "typed text stays");
    ask(&mut playground, RequestKind::Clock(ClockMove::RunUntilIdle { max_ms: 60_000 }));
    let Body::Saved(saved) = request(&mut playground, RequestKind::Export) else { panic!("saved") };
    let mut again = Playground::new();
    ask(&mut again, RequestKind::Open(Opening::Saved { text: saved }));
    assert_eq!(again.digest(), playground.digest(), "the log tells the way that was gone");
}

#[test]
fn an_object_is_shown_from_all_sides_and_edited() {
    let mut playground = Playground::new();
    solve(&mut playground);
    let object = ObjectView {
        group: "apps".into(),
        kind: "Deployment".into(),
        namespace: "src-helm".into(),
        name: "src-helm-web".into(),
    };
    let details = |playground: &mut Playground| match request(playground, RequestKind::Details(object.clone())) {
        Body::Details(Some(details)) => details,
        other => panic!("{other:?}"),
    };
    let before = details(&mut playground);
    assert!(before.diff.is_empty() && before.app == "src-helm" && before.replicas == Some(3), "{before:#?}");
    let line = before.live.lines().position(|line| line.trim() == "replicas: 3").expect("replicas") as u32 + 1;
    let target = Target::LiveLine { object: object.clone(), line, col: 3 };
    let Body::Explain(Some(explained)) = request(&mut playground, RequestKind::Explain(target)) else {
        panic!("explained")
    };
    assert_eq!(explained.field, "spec.replicas");

    let text = before.live.replace("replicas: 3", "replicas: 5");
    let edit = Command::Edit { object: object.clone(), text };
    let ran = ask(&mut playground, RequestKind::Command(edit)).terminal;
    assert_eq!(ran[0].output, "deployment.apps/src-helm-web edited\n");
    let after = details(&mut playground);
    let changed: Vec<(LineChange, &str)> = after
        .diff
        .iter()
        .filter(|l| matches!(l.change, LineChange::Live | LineChange::Desired))
        .map(|l| (l.change, l.text.trim()))
        .collect();
    assert_eq!(changed, [(LineChange::Live, "replicas: 5"), (LineChange::Desired, "replicas: 3")]);
}

#[test]
fn typed_lines_run() {
    let mut playground = Playground::new();
    solve(&mut playground);
    let mut line =
        |text: &str| ask(&mut playground, RequestKind::Command(Command::Line { line: text.into() })).terminal;
    let ran = line("kubectl -n src-helm scale deploy src-helm-web --replicas=4");
    assert_eq!((ran[0].output.as_str(), ran[0].code), ("deployment.apps/src-helm-web scaled\n", 0));
    let ran = line("kubectl get pods");
    assert_eq!(ran[0].note.as_ref().map(|note| note.key.as_str()), Some("only-looks"));
    let ran = line("rm -rf /");
    assert_eq!((ran[0].note.as_ref().map(|note| note.key.as_str()), ran[0].code), (Some("not-simulated"), 127));
}
