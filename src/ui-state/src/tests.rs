//! The page's state as a person and a worker drive it.

use crate::*;
use protocol::*;

fn reply(revision: u64, update: Update) -> Reply {
    Reply { id: 1, revision, micros: 0, body: Body::Update(Box::new(update)) }
}

fn file(path: &str, text: &str) -> FileView {
    FileView { path: path.into(), text: Some(text.into()), ..FileView::default() }
}

fn opened() -> State {
    let mut s = State::default();
    s.apply(Action::Start { lesson: "lab".into(), saved: None, edits: None });
    let effects = s.apply(Action::WorkerReady);
    let opening = RequestKind::Open(Opening::Lesson { id: "lab".into() });
    assert_eq!(effects, vec![Effect::Recover(vec![opening.clone()])]);
    let lesson = LessonView {
        id: "lab".into(),
        open: "/w/values.yaml".into(),
        steps: vec![StepView::default(); 2],
        ..LessonView::default()
    };
    let files = FilesView {
        work_tree: "/w".into(),
        files: vec![file("/app.yaml", "kind: Application"), file("/w/values.yaml", "a: 1\n")],
    };
    let update =
        Update { whole: true, lesson: Some(lesson), files: Some(files), saved: Some("S0".into()), ..Update::default() };
    s.apply(Action::Answer(opening, reply(0, update)));
    s
}

fn edit(path: &str, text: &str) -> RequestKind {
    RequestKind::Edit { path: path.into(), change: Change::Text(text.into()) }
}

#[test]
fn opens_the_lesson_and_its_first_file() {
    let s = opened();
    assert_eq!((s.boot.clone(), s.active.as_deref(), s.tabs.len()), (Boot::Ready, Some("/w/values.yaml"), 1));
    assert_eq!(s.saved.as_deref(), Some("S0"));
}

#[test]
fn typing_is_sent_and_kept_and_an_older_answer_does_not_overwrite_it() {
    let mut s = opened();
    let effects = s.apply(Action::Typed("a: 2\n".into()));
    assert_eq!(effects[0], Effect::Send(edit("/w/values.yaml", "a: 2\n")));
    assert!(matches!(&effects[1], Effect::KeepEdits { text: Some(t), .. } if t.contains("a: 2")));
    s.apply(Action::Typed("a: 23\n".into()));
    let files = FilesView { work_tree: "/w".into(), files: vec![file("/w/values.yaml", "filled in\n")] };
    s.apply(Action::Answer(
        RequestKind::FillIn { step: 0 },
        reply(1, Update { files: Some(files), ..Update::default() }),
    ));
    assert_eq!(&*s.text("/w/values.yaml").unwrap(), "a: 23\n");
    assert!(s.apply(Action::Typed("a: 23\n".into())).is_empty(), "no change, no request");
}

#[test]
fn a_new_worker_hears_the_saved_playground_and_what_was_typed_since() {
    let mut s = opened();
    s.apply(Action::Typed("a: 2\n".into()));
    let push = RequestKind::Command(Command::GitPush);
    s.apply(Action::Answer(push, reply(1, Update { saved: Some("S1".into()), ..Update::default() })));
    assert!(s.draft.is_empty());
    s.apply(Action::Typed("a: 3\n".into()));
    let effects = s.apply(Action::WorkerReady);
    let want = vec![
        RequestKind::Open(Opening::Saved { text: "S1".into() }),
        edit("/w/values.yaml", "a: 3\n"),
        RequestKind::Focus { path: "/w/values.yaml".into() },
    ];
    assert_eq!(effects, vec![Effect::Recover(want.clone())]);
    // The whole update shows the older text; what was typed stays.
    let files = FilesView { work_tree: "/w".into(), files: vec![file("/w/values.yaml", "a: 2\n")] };
    let update = Update { whole: true, files: Some(files), saved: Some("S1".into()), ..Update::default() };
    s.apply(Action::Answer(want[0].clone(), reply(s.revision, update)));
    assert_eq!(&*s.text("/w/values.yaml").unwrap(), "a: 3\n");
    assert!(!s.draft.is_empty(), "not in S1, so it is still to be kept");
}

#[test]
fn only_changed_manifests_are_replaced() {
    let mut s = opened();
    let manifest = |id: &str, text: &str| ManifestView { id: id.into(), text: text.into(), ..ManifestView::default() };
    let render = |order: &[&str], manifests| RenderView {
        fresh: true,
        order: order.iter().map(|o| (*o).to_owned()).collect(),
        manifests,
        ..RenderView::default()
    };
    let answer = |s: &mut State, r| {
        s.apply(Action::Answer(edit("/w/values.yaml", ""), reply(1, Update { render: Some(r), ..Update::default() })))
    };
    answer(&mut s, render(&["a", "b"], vec![manifest("a", "1"), manifest("b", "1")]));
    let before = s.render.manifests.clone();
    answer(&mut s, render(&["b", "a"], vec![manifest("a", "2")]));
    assert!(s.render.manifests[0] == before[1], "b is the same allocation");
    assert_eq!(s.render.manifests[1].text, "2");
    answer(&mut s, render(&["a"], vec![]));
    assert_eq!(s.render.manifests.len(), 1);
}

#[test]
fn the_clock_asks_once_at_a_time() {
    let mut s = opened();
    s.apply(Action::Speed(10));
    assert!(s.apply(Action::Tick(100)).is_empty(), "not playing");
    s.apply(Action::TogglePlay);
    let sent = s.apply(Action::Tick(100));
    let advance = RequestKind::Clock(ClockMove::Advance { ms: 1000 });
    assert_eq!(sent, vec![Effect::Send(advance.clone())]);
    assert!(s.apply(Action::Tick(100)).is_empty());
    s.apply(Action::Answer(advance, reply(0, Update::default())));
    assert_eq!(s.apply(Action::Tick(100)).len(), 1);
}

#[test]
fn files_are_added_renamed_deleted_and_applied_only_outside_of_the_repository() {
    let mut s = opened();
    assert_eq!(s.applicable(), None);
    s.apply(Action::OpenFile("/app.yaml".into()));
    assert_eq!(s.applicable(), Some("/app.yaml"));
    s.apply(Action::AddFile("templates/a.yaml".into()));
    assert_eq!(s.active.as_deref(), Some("/w/templates/a.yaml"));
    s.apply(Action::Typed("x".into()));
    s.apply(Action::RenameFile("/w/templates/a.yaml".into(), "templates/b.yaml".into()));
    assert_eq!((s.active.as_deref(), &*s.text("/w/templates/b.yaml").unwrap()), (Some("/w/templates/b.yaml"), "x"));
    s.apply(Action::DeleteFile("/w/templates/b.yaml".into()));
    assert_eq!(s.active.as_deref(), Some("/app.yaml"));
    assert!(s.draft.is_empty());
}

#[test]
fn a_playground_that_cannot_be_opened_starts_again_with_all_texts_on_top() {
    let mut s = opened();
    s.apply(Action::Typed("a: 9\n".into()));
    s.apply(Action::SetAside(RequestKind::Open(Opening::Saved { text: "S0".into() })));
    let Effect::Recover(kinds) = &s.apply(Action::WorkerReady)[0] else { panic!() };
    assert_eq!(kinds[0], RequestKind::Open(Opening::Lesson { id: "lab".into() }));
    assert!(
        kinds.contains(&edit("/w/values.yaml", "a: 9\n")) && kinds.contains(&edit("/app.yaml", "kind: Application"))
    );
    assert_eq!(s.banners.len(), 1);
}

#[test]
fn notes_and_the_chain_mark_lines() {
    let mut s = opened();
    let place = |line| PlaceView { file: "/w/values.yaml".into(), line, ..PlaceView::default() };
    let layer = |kind: &str| LayerView { kind: kind.into(), ..LayerView::default() };
    s.render.notes = Shared::new(vec![NoteView {
        place: place(1),
        value: "3".into(),
        layer: layer("app-values-object"),
        won: false,
    }]);
    let claim = ClaimView { place: Some(place(1)), won: false, fate: "overridden".into(), ..ClaimView::default() };
    let steps = vec![ExplainStep::Value { path: ".Values.a".into(), claims: vec![claim], control: false }];
    s.explain = Some(Shared::new(ExplainView { steps, ..ExplainView::default() }));
    assert_eq!(marks(&s), vec![Mark { line: 1, kind: "lose", note: "→ 3 · valuesObject".into() }]);
}
