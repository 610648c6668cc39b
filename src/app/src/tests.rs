//! Components in a real browser: what they show for a given view, and which action a click or key means.

use crate::view::{
    AppPane, ClockBar, DetailsPane, Editor, FilesPane, GitPanel, LessonPane, RenderedPane, TerminalPane, TimelinePane,
    WhoPane,
};
use protocol::*;
use std::cell::RefCell;
use std::rc::Rc;
use ui_state::{Action, Lang, Pending, Shared, Side};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::*;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;
use yew::virtual_dom::VNode;

wasm_bindgen_test_configure!(run_in_browser);

type Seen = Rc<RefCell<Vec<Action>>>;

#[derive(Properties, PartialEq)]
struct StageProps {
    html: VNode,
}

/// Holds the component under test.
#[component]
fn Stage(p: &StageProps) -> Html {
    p.html.clone()
}

fn log() -> (Seen, Callback<Action>) {
    let seen = Seen::default();
    let into = Rc::clone(&seen);
    (seen, Callback::from(move |a| into.borrow_mut().push(a)))
}

async fn show(html: VNode) -> Element {
    let document = crate::browser::document().unwrap();
    let root = document.create_element("div").unwrap();
    document.body().unwrap().append_child(&root).unwrap();
    yew::Renderer::<Stage>::with_root_and_props(root.clone(), StageProps { html }).render();
    yew::platform::time::sleep(std::time::Duration::from_millis(20)).await;
    root
}

fn find(root: &Element, id: &str) -> HtmlElement {
    let found = root.query_selector(&format!("[data-testid='{id}']")).unwrap();
    found.unwrap_or_else(|| panic!("no {id} in {}", root.inner_html())).unchecked_into()
}

fn text(root: &Element, id: &str) -> String {
    find(root, id).text_content().unwrap()
}

#[wasm_bindgen_test]
async fn a_line_of_a_manifest_asks_who_set_it_and_a_stale_render_says_so() {
    let (seen, on) = log();
    let manifest = ManifestView {
        id: "d".into(),
        kind: "Deployment".into(),
        name: "web".into(),
        text: "kind: Deployment\nspec:\n  replicas: 3\n".into(),
        ..ManifestView::default()
    };
    let error =
        DiagnosticView { code: "helm/exec".into(), message: "nil pointer <x>".into(), ..DiagnosticView::default() };
    let root = show(html! {
        <RenderedPane lang={Lang::Ko} source={SourceView::Chart { path: "/c".into(), value_files: vec![] }} fresh={false}
            manifests={vec![Shared::new(manifest)]} diagnostics={Shared::new(vec![error])} pending={Pending::Commit} picked={None::<(String, u32)>} {on} />
    })
    .await;
    assert_eq!(text(&root, "problem"), "nil pointer <x>");
    assert!(text(&root, "stale").contains("최신이 아님"));
    let line: HtmlElement = root.query_selector("[data-line='3']").unwrap().unwrap().unchecked_into();
    assert_eq!(line.text_content().unwrap(), "  replicas: 3\n");
    line.click();
    assert_eq!(*seen.borrow(), [Action::PickLine("d".into(), 3, 3)]);
}

#[wasm_bindgen_test]
async fn the_chain_shows_winner_and_losers() {
    let (_, on) = log();
    let claim = |kind: &str, value: &str, won: bool| ClaimView {
        layer: LayerView { kind: kind.into(), ..LayerView::default() },
        value: value.into(),
        won,
        fate: if won { "won" } else { "overridden" }.into(),
        ..ClaimView::default()
    };
    let claims = vec![claim("app-values-object", "3", true), claim("chart-default", "1", false)];
    let explain = ExplainView {
        title: "replicas".into(),
        value: "3".into(),
        steps: vec![ExplainStep::Value { path: ".Values.replicaCount".into(), claims, control: false }],
        ..ExplainView::default()
    };
    let root = show(html! { <WhoPane lang={Lang::En} explain={Some(Shared::new(explain))} pending={Pending::Nothing} now={0} {on} /> }).await;
    assert_eq!(text(&root, "who-title"), "replicas: 3");
    let rows: Vec<String> =
        (0..2).map(|i| root.query_selector_all("tbody tr").unwrap().get(i).unwrap().text_content().unwrap()).collect();
    assert_eq!(rows, ["Application · valuesObject3wins", "chart default1overridden"]);
}

#[wasm_bindgen_test]
async fn the_card_keeps_sync_health_and_operation_apart() {
    let (seen, on) = log();
    let app = AppView {
        name: "src-helm".into(),
        sync: "OutOfSync".into(),
        health: "Healthy".into(),
        phase: "Failed".into(),
        conditions: vec![ConditionView { kind: "ComparisonError".into(), message: "boom".into() }],
        ..AppView::default()
    };
    let root = show(html! { <AppPane lang={Lang::En} apps={Shared::new(vec![app])} app="" {on} /> }).await;
    let words = ["app-sync", "app-health", "app-phase"].map(|id| text(&root, id));
    assert_eq!(words, ["OutOfSync", "Healthy", "Failed"]);
    assert_eq!(text(&root, "condition"), "ComparisonErrorboom");
    find(&root, "hard-refresh").click();
    assert_eq!(*seen.borrow(), [Action::Run(Command::Refresh { app: "src-helm".into(), hard: true })]);
}

#[wasm_bindgen_test]
async fn the_lesson_shows_goals_and_goes_on_when_done() {
    let (seen, on) = log();
    let goal = |id: &str| GoalView {
        id: id.into(),
        text: Both { en: vec![Inline::Text("pods".into())], ko: vec![Inline::Text("파드".into())] },
    };
    let link = |href: &str| Inline::Link { href: href.into(), content: vec![Inline::Text("x".into())] };
    let body = vec![Block::Paragraph(vec![link("javascript:alert(1)"), link("https://example.com/")])];
    let step = StepView {
        id: "one".into(),
        body: Both { en: vec![], ko: body },
        goals: vec![goal("a"), goal("b")],
        fills: vec!["f".into()],
        ..StepView::default()
    };
    let lesson =
        LessonView { steps: vec![step, StepView { id: "two".into(), ..StepView::default() }], ..LessonView::default() };
    let state = |met, found: &str| GoalState { met, found: found.into() };
    let progress = ProgressView {
        steps: vec![StepProgress { done: true, goals: vec![state(true, ""), state(false, "OutOfSync")] }],
        ..ProgressView::default()
    };
    let root = show(html! {
        <LessonPane lang={Lang::Ko} starting={false} lesson={Some(Shared::new(lesson))} progress={Shared::new(progress)} step={0}
            hints={0} busy={false} {on} />
    })
    .await;
    assert_eq!(find(&root, "goal-a").get_attribute("data-met").as_deref(), Some("true"));
    assert_eq!(text(&root, "goal-b"), "파드OutOfSync");
    let links = root.query_selector_all("a").unwrap();
    assert_eq!(links.length(), 1, "only https becomes a link");
    find(&root, "fill-in").click();
    find(&root, "next-step").click();
    assert_eq!(*seen.borrow(), [Action::FillIn, Action::ShowStep(1)]);
}

#[wasm_bindgen_test]
async fn the_plain_text_area_serves_without_the_bundle() {
    let (seen, on) = log();
    let root = show(html! {
        <Editor label="Editor: a" path="/a" text={Rc::<str>::from("a: 1\n")} epoch={0} readonly={false} spot={None::<ui_state::Spot>}
            problems={Vec::<ui_state::Problem>::new()} marks={Vec::<ui_state::Mark>::new()} {on} />
    })
    .await;
    let area: web_sys::HtmlTextAreaElement = find(&root, "editor-text").unchecked_into();
    assert_eq!(area.value(), "a: 1\n");
    area.set_value("a: 2\n");
    let init = web_sys::EventInit::new();
    init.set_bubbles(true);
    area.dispatch_event(&web_sys::Event::new_with_event_init_dict("input", &init).unwrap()).unwrap();
    assert_eq!(*seen.borrow(), [Action::Typed("a: 2\n".into())]);
}

#[wasm_bindgen_test]
async fn files_git_and_clock_act() {
    let (seen, on) = log();
    let files = [("/w/a.yaml", FileMark::Modified), ("/w/b.yaml", FileMark::Untracked)]
        .map(|(p, mark)| (p.to_owned(), ui_state::File { mark, ..ui_state::File::default() }));
    let rows = ui_state::rows(&files.into_iter().collect());
    let git = Shared::new(GitView {
        head: "7d1c0aa93".into(),
        branch: "main".into(),
        dirty: 2,
        ahead: 1,
        ..GitView::default()
    });
    let clock = Shared::new(ClockView { now: 21_400, ..ClockView::default() });
    let root = show(html! {
        <>
            <FilesPane lang={Lang::En} {rows} active={None::<String>} work_tree="/w" on={on.clone()} />
            <GitPanel lang={Lang::En} {git} message="first" on={on.clone()} />
            <ClockBar lang={Lang::En} {clock} playing={false} speed={4} busy={false} {on}>{ "" }</ClockBar>
        </>
    })
    .await;
    assert_eq!(find(&root, "file-/w/b.yaml").get_attribute("data-mark").as_deref(), Some("U"));
    assert_eq!(text(&root, "clock"), "00:21.4");
    for id in ["file-/w/a.yaml", "commit", "push", "play", "next-event"] {
        find(&root, id).click();
    }
    let want = [
        Action::OpenAt("/w/a.yaml".into(), 1, 1),
        Action::Commit,
        Action::Run(Command::GitPush),
        Action::TogglePlay,
        Action::NextEvent,
    ];
    assert_eq!(*seen.borrow(), want);
}

#[wasm_bindgen_test]
async fn the_timeline_has_a_lane_for_each_object_and_says_itself_in_words() {
    let (_, on) = log();
    let bars = vec![BarView { from: 0, to: 900, state: "Healthy".into(), ..BarView::default() }];
    let lane = LaneView { id: "x".into(), kind: "Deployment".into(), name: "web".into(), bars, ..LaneView::default() };
    let causes = vec![Message { key: "cause-available".into(), args: vec!["0".into(), "1".into()] }];
    let text = "waiting for healthy state of apps/Deployment/web".to_owned();
    let wait = WaitView { from: 100, to: 1000, lane: "x".into(), on: "x".into(), text, causes };
    let view = TimelineView { from: 0, to: 1000, lanes: vec![lane], waits: vec![wait], bands: vec![] };
    let root = show(html! { <TimelinePane lang={Lang::En} timeline={Shared::new(view)} app="" zoom={ui_state::Zoom::All} now={1000} looking={Some(500)} {on} /> }).await;
    let waiting = find(&root, "waiting").text_content().unwrap();
    assert!(waiting.ends_with("apps/Deployment/web (0 of 1 available)"), "{waiting}");
    find(&root, "looking-line");
    let svg = root.query_selector("svg[role=img]").unwrap().unwrap();
    assert_eq!(svg.get_attribute("aria-label").as_deref(), Some("Deployment web: Healthy"));
    assert!(root.query_selector("[data-testid='lane-Deployment-web'] rect.healthy").unwrap().is_some());
    assert!(root.query_selector("[style]").unwrap().is_none(), "the page's policy forbids style attributes");
}

#[wasm_bindgen_test]
async fn an_object_is_scaled_and_asked_about() {
    let (seen, on) = log();
    let object =
        ObjectView { group: "apps".into(), kind: "Deployment".into(), namespace: "w".into(), name: "web".into() };
    let line = |change, text: &str| DiffLine { change, text: text.into() };
    let details = DetailsView {
        object: object.clone(),
        live: "spec:\n  replicas: 5\n".into(),
        desired: "spec:\n  replicas: 3\n".into(),
        diff: vec![line(LineChange::Live, "  replicas: 5"), line(LineChange::Desired, "  replicas: 3")],
        replicas: Some(5),
        ..DetailsView::default()
    };
    let pane = |side: Side, on: Callback<Action>| {
        html! {
            <DetailsPane lang={Lang::Ko} object={Some(object.clone())} details={Some(Shared::new(details.clone()))} {side} {on} />
        }
    };
    let root = show(pane(Side::Difference, on.clone())).await;
    assert!(text(&root, "difference").contains("−   replicas: 5"));
    find(&root, "scale-down").click();
    let root = show(pane(Side::Live, on)).await;
    let line = root.query_selector("[data-line='2']").unwrap().unwrap();
    line.unchecked_into::<HtmlElement>().click();
    let command = Command::Line { line: "kubectl -n w scale deployment web --replicas=4".into() };
    let want = [Action::Run(command), Action::PickLive(Target::LiveLine { object: object.clone(), line: 2, col: 3 })];
    assert_eq!(*seen.borrow(), want);
}

#[wasm_bindgen_test]
async fn the_prompt_runs_a_line() {
    let (seen, on) = log();
    let note = Some(Message { key: "only-looks".into(), args: vec![] });
    let ran = TerminalView { command: "kubectl get pods".into(), note, ..TerminalView::default() };
    let root = show(html! { <TerminalPane lang={Lang::En} terminal={Shared::new(vec![ran])} {on} /> }).await;
    assert!(text(&root, "terminal").contains("This command only looks."));
    let prompt: web_sys::HtmlInputElement = find(&root, "prompt").unchecked_into();
    prompt.set_value(" argocd app sync web ");
    let init = web_sys::KeyboardEventInit::new();
    init.set_bubbles(true);
    init.set_key("Enter");
    prompt
        .dispatch_event(&web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap())
        .unwrap();
    assert_eq!(*seen.borrow(), [Action::Run(Command::Line { line: "argocd app sync web".into() })]);
}
