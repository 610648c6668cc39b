//! The root: owns the state and the engine, turns effects into deeds, and lays the panes out.

use crate::browser::{self, Every};
use crate::engine::Engine;
use crate::view::{
    AppChooser, AppPane, Banners, ClockBar, DetailsPane, Editor, EditorTabs, EventsPane, FilesPane, GitPanel, Header,
    LessonPane, RenderedPane, StatusStrip, TerminalPane, TimelinePane, TreePane, ValuesPane, WhoPane, looking_back,
    tablist,
};
use crate::{store, timing};
use ui_state::{Action, Boot, BottomTab, Effect, Pane, RightTab, State, fill, texts};
use yew::prelude::*;

/// The lesson that opens when the address names none.
const FIRST_LESSON: &str = "lab-values";
/// Real milliseconds between two moves of a running clock.
const TICK_MS: i32 = 100;

/// The root component.
pub(crate) struct App {
    state: State,
    engine: Engine,
    on: Callback<Action>,
    _timers: Vec<Every>,
}

impl Component for App {
    type Message = Action;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let on = ctx.link().callback(|action| action);
        let mut state = State::default();
        let (lang, theme) = store::preferences();
        state.lang = browser::query("lang").map(|l| ui_state::Lang::of(&l)).or(lang).unwrap_or_else(browser::language);
        state.theme = browser::query("theme").map_or(theme, |t| ui_state::Theme::of(&t));
        let lesson = browser::query("lesson").unwrap_or_else(|| FIRST_LESSON.to_owned());
        let (saved, edits) = (store::saved(&lesson), store::edits(&lesson));
        on.emit(Action::Start { lesson, saved, edits });
        let engine = Engine::start(on.clone());
        let tick = on.clone();
        let watched = engine.clone();
        let timers = [
            Every::new(TICK_MS, move || tick.emit(Action::Tick(TICK_MS as u64))),
            Every::new(1000, move || watched.watch()),
        ];
        App { state, engine, on, _timers: timers.into_iter().flatten().collect() }
    }

    fn update(&mut self, _: &Context<Self>, action: Action) -> bool {
        if matches!(action, Action::Typed(_)) {
            timing::input();
        }
        // What was typed stands in the editor already; the page is drawn when its answer comes.
        let silent = matches!(action, Action::Tick(_) | Action::Typed(_));
        for effect in self.state.apply(action) {
            self.perform(effect);
        }
        !silent
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        timing::drawn();
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let s = &self.state;
        let t = texts(s.lang);
        let on = &self.on;
        let engine = self.engine.clone();
        let keydown = Callback::from(move |e: KeyboardEvent| {
            engine.expect_answer();
            // Everything is kept as it is typed; the browser's own save dialog would only confuse.
            if (e.ctrl_key() || e.meta_key()) && e.key().eq_ignore_ascii_case("s") {
                e.prevent_default();
            }
        });
        let banner = !s.banners.is_empty() || !matches!(s.boot, Boot::Ready | Boot::Starting);
        html! {
            <div class={classes!("app", banner.then_some("with-banner"))} data-testid="app" data-boot={boot_code(&s.boot)}
                data-busy={(s.busy > 0).to_string()} onkeydown={keydown}>
                <Header lang={s.lang} theme={s.theme} lesson={s.lesson.clone()} step={s.step} on={on.clone()} />
                if banner {
                    <Banners lang={s.lang} boot={s.boot.clone()} banners={s.banners.clone()} on={on.clone()} />
                }
                <main class="panes" data-pane={s.pane.code()}>
                    <LessonPane lang={s.lang} starting={s.boot == Boot::Starting} lesson={s.lesson.clone()}
                        progress={s.progress.clone()} step={s.step} hints={s.hints} busy={s.busy > 0} on={on.clone()} />
                    <div class="pane tree">
                        <FilesPane lang={s.lang} rows={ui_state::rows(&s.files)} active={s.active.clone()}
                            work_tree={s.work_tree.clone()} on={on.clone()} />
                        <GitPanel lang={s.lang} git={s.git.clone()} message={s.commit_message.clone()} on={on.clone()} />
                    </div>
                    <section class="pane editor" aria-label={t.editor}>
                        <EditorTabs lang={s.lang} tabs={self.tabs()} active={s.active.clone()}
                            apply={s.applicable().map(str::to_owned)} on={on.clone()} />
                        { self.editor() }
                    </section>
                    <section class="pane right" aria-label={t.rendered}>
                        { self.right_tabs() }
                        { self.right() }
                    </section>
                    <section class="pane bottom" aria-label={t.cluster}>
                        { self.bottom() }
                    </section>
                </main>
                { self.footer() }
                { self.pane_nav() }
            </div>
        }
    }
}

impl App {
    fn perform(&mut self, effect: Effect) {
        let revision = self.state.revision;
        let kept = match effect {
            Effect::Send(kind) => {
                self.engine.send(revision, kind);
                Ok(())
            }
            Effect::Recover(kinds) => {
                self.engine.recover(revision, kinds);
                Ok(())
            }
            Effect::Restart(kind) => {
                self.engine.restart(revision, kind);
                Ok(())
            }
            Effect::KeepSaved { lesson, text } => store::keep_saved(&lesson, text.as_deref()),
            Effect::KeepEdits { lesson, text } => store::keep_edits(&lesson, text.as_deref()),
            Effect::Preferences(lang, theme) => {
                store::keep_preferences(lang, theme);
                browser::dress(lang, theme);
                Ok(())
            }
        };
        if kept.is_err() {
            for effect in self.state.apply(Action::StorageFailed) {
                self.perform(effect);
            }
        }
    }

    fn tabs(&self) -> Vec<(String, bool)> {
        let marked = |path: &String| {
            self.state
                .files
                .get(path)
                .is_some_and(|f| matches!(f.mark, protocol::FileMark::Modified | protocol::FileMark::Untracked))
        };
        self.state.tabs.iter().map(|t| (t.clone(), marked(t))).collect()
    }

    fn editor(&self) -> Html {
        let s = &self.state;
        let t = texts(s.lang);
        let Some(path) = s.active.clone() else { return html! { <p class="empty">{ t.no_file }</p> } };
        let file = s.files.get(&path).cloned().unwrap_or_default();
        let label = fill(t.editor_of, &[&path]);
        html! {
            <Editor label={label} path={path} text={file.text} epoch={s.epoch} readonly={file.binary} spot={s.spot.clone()}
                problems={ui_state::problems(s)} marks={ui_state::marks(s)} on={self.on.clone()} />
        }
    }

    fn right_tabs(&self) -> Html {
        let s = &self.state;
        let t = texts(s.lang);
        let items = [
            (RightTab::Rendered, "right-rendered", t.rendered, s.errors()),
            (RightTab::Who, "right-who", t.who_set, 0),
            (RightTab::App, "right-app", t.application, 0),
            (RightTab::Object, "right-object", t.object_tab, 0),
            (RightTab::Values, "right-values", t.values, 0),
        ];
        tablist(t.rendered, &items, s.right, &self.on, Action::Right)
    }

    fn right(&self) -> Html {
        let s = &self.state;
        let on = self.on.clone();
        match s.right {
            RightTab::Rendered => {
                let picked = match s.picked.as_ref().map(|p| &p.target) {
                    Some(protocol::Target::Rendered { manifest, line, .. }) => Some((manifest.clone(), *line)),
                    _ => None,
                };
                html! { <RenderedPane lang={s.lang} source={s.render.source.clone()} fresh={s.render.fresh}
                manifests={s.render.manifests.clone()} diagnostics={s.render.diagnostics.clone()} pending={s.pending()} picked={picked} {on} /> }
            }
            RightTab::Who => {
                html! { <WhoPane lang={s.lang} explain={s.explain.clone()} pending={s.pending()} now={s.clock.now} {on} /> }
            }
            RightTab::App => html! { <AppPane lang={s.lang} apps={s.apps.clone()} app={s.app.clone()} {on} /> },
            RightTab::Object => {
                html! { <DetailsPane lang={s.lang} object={s.object.clone()} details={s.details.clone()}
                side={s.side} {on} /> }
            }
            RightTab::Values => html! { <ValuesPane lang={s.lang} values={s.values.clone()} {on} /> },
        }
    }

    fn bottom(&self) -> Html {
        let s = &self.state;
        let t = texts(s.lang);
        let on = self.on.clone();
        let items = [
            (BottomTab::Timeline, "bottom-timeline", t.timeline, 0),
            (BottomTab::Tree, "bottom-tree", t.tree, 0),
            (BottomTab::Events, "bottom-events", t.events, 0),
            (BottomTab::Terminal, "bottom-terminal", t.terminal, 0),
        ];
        let pane = match s.bottom {
            BottomTab::Timeline => {
                html! { <TimelinePane lang={s.lang} timeline={s.timeline.clone()} app={s.app.clone()} zoom={s.zoom} now={s.clock.now} looking={s.clock.looking} {on} /> }
            }
            BottomTab::Tree => {
                html! { <TreePane lang={s.lang} trees={s.trees.clone()} app={s.app.clone()} now={s.clock.now} {on} /> }
            }
            BottomTab::Events => html! { <EventsPane lang={s.lang} events={s.events.clone()} /> },
            BottomTab::Terminal => html! { <TerminalPane lang={s.lang} terminal={s.terminal.clone()} {on} /> },
        };
        html! {
            <>
                { tablist(t.cluster, &items, s.bottom, &self.on, Action::Bottom) }
                <ClockBar lang={s.lang} clock={s.clock.clone()} playing={s.playing} speed={s.speed} busy={s.busy > 0}
                    on={self.on.clone()}>
                    <AppChooser lang={s.lang} apps={s.apps.clone()} app={s.app.clone()} on={self.on.clone()} />
                </ClockBar>
                if let Some(at) = s.clock.looking { { looking_back(s.lang, at, &self.on) } }
                <StatusStrip lang={s.lang} apps={s.apps.clone()} app={s.app.clone()} on={self.on.clone()} />
                { pane }
            </>
        }
    }

    fn footer(&self) -> Html {
        let s = &self.state;
        let t = texts(s.lang);
        let head = ui_state::short(&s.git.head);
        let tenths = (s.render.micros + 50) / 100;
        let millis = format!("{}.{}", tenths / 10, tenths % 10);
        html! {
            <footer class="foot">
                <span data-testid="foot-git">
                    { &s.git.branch }
                    if !head.is_empty() { { " · " }<span class="mono">{ head }</span> }
                    { " · " }{ fill(t.uncommitted, &[&s.git.dirty.to_string()]) }
                </span>
                if s.render.micros > 0 { <span data-testid="foot-render">{ fill(t.render_time, &[&millis]) }</span> }
                <span class="grow"></span>
                if s.busy > 0 { <span role="status">{ t.busy }</span> }
                <span>{ t.simulated }</span>
            </footer>
        }
    }

    /// Switches between panes on a narrow screen.
    fn pane_nav(&self) -> Html {
        let t = texts(self.state.lang);
        let items = [
            (Pane::Lesson, t.nav_lesson),
            (Pane::Editor, t.nav_editor),
            (Pane::Right, t.nav_right),
            (Pane::Bottom, t.nav_bottom),
        ];
        html! {
            <nav class="pane-nav">
                { for items.into_iter().map(|(pane, name)| {
                    let onclick = self.on.reform(move |_| Action::Pane(pane));
                    html! { <button {onclick} data-testid={format!("nav-{}", pane.code())}
                        aria-pressed={(self.state.pane == pane).to_string()}>{ name }</button> }
                }) }
            </nav>
        }
    }
}

fn boot_code(boot: &Boot) -> &'static str {
    match boot {
        Boot::Starting => "starting",
        Boot::Ready => "ready",
        Boot::Mismatch => "mismatch",
        Boot::Failed(_) => "failed",
    }
}
