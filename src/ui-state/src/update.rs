//! Takes the worker's answers into the state. Only views that changed arrive; what was typed meanwhile is never
//! overwritten by an older answer.

use crate::{Action, Banner, Boot, BottomTab, Effect, File, RenderState, RightTab, Shared, State};
use protocol::{Body, ClockMove, FileMark, FilesView, Opening, RenderView, Reply, RequestKind, Update};
use std::collections::BTreeMap;
use std::rc::Rc;

impl State {
    pub(crate) fn answer(&mut self, kind: RequestKind, reply: Reply) -> Vec<Effect> {
        let mut effects = Vec::new();
        match &kind {
            RequestKind::Clock(ClockMove::Advance { .. }) => self.clock_busy = false,
            RequestKind::Clock(_) => {
                self.clock_busy = false;
                self.busy = self.busy.saturating_sub(1);
            }
            RequestKind::Command(_) | RequestKind::FillIn { .. } | RequestKind::Rewind { .. } => {
                self.busy = self.busy.saturating_sub(1)
            }
            _ => {}
        }
        match reply.body {
            Body::Update(update) => effects.extend(self.update(&kind, *update, reply.revision)),
            Body::Explain(view) => self.explain = view.map(Shared::new),
            Body::Details(view) => self.details = view.map(|view| Shared::new(*view)),
            Body::Values(view) => self.values = Some(Shared::new(view)),
            Body::Saved(text) => self.saved = Some(text),
            Body::Pong => {}
            Body::Refused(why) => effects.extend(self.refused(&kind, why)),
        }
        effects
    }

    fn refused(&mut self, kind: &RequestKind, why: protocol::Message) -> Vec<Effect> {
        if let RequestKind::Open(opening) = kind {
            if matches!(opening, Opening::Saved { .. }) {
                // Kept by an older version: start the lesson, with the edits on top.
                self.saved = None;
                self.banner(Banner::Refused(why));
                return self.apply(Action::WorkerReady);
            }
            self.boot = Boot::Failed(format!("{} {}", why.key, why.args.join(" ")));
            return vec![];
        }
        self.banner(Banner::Refused(why));
        vec![]
    }

    fn update(&mut self, kind: &RequestKind, update: Update, revision: u64) -> Vec<Effect> {
        let mut effects = Vec::new();
        if update.whole {
            self.forget_views();
        }
        if let Some(lesson) = update.lesson {
            self.lesson_id.clone_from(&lesson.id);
            self.lesson = Some(Shared::new(lesson));
        }
        if let Some(files) = update.files {
            self.take_files(files, revision, update.whole);
        }
        if let Some(progress) = update.progress {
            let before = self.progress.current;
            self.progress = Shared::new(progress);
            if update.whole && before == 0 {
                self.show_step(self.progress.current as usize);
            }
        }
        if let Some(git) = update.git {
            self.git = Shared::new(git);
        }
        let rendered = update.render.is_some();
        if let Some(render) = update.render {
            self.take_render(render);
        }
        let cluster = update.apps.is_some() || update.trees.is_some() || update.timeline.is_some();
        if let Some(apps) = update.apps {
            self.choose_app(&apps);
            self.apps = Shared::new(apps);
        }
        if let Some(trees) = update.trees {
            self.trees = Shared::new(trees);
        }
        if let Some(events) = update.events {
            self.events = Shared::new(events);
        }
        if let Some(clock) = update.clock {
            self.clock = Shared::new(clock);
        }
        if let Some(timeline) = update.timeline {
            self.timeline = Shared::new(timeline);
        }
        if !update.terminal.is_empty() {
            self.report_failure(kind, &update.terminal);
            self.terminal.change().extend(update.terminal);
        }
        for notice in update.notices {
            self.banner(Banner::Notice(notice));
        }
        if let Some(saved) = update.saved {
            if !matches!(kind, RequestKind::Open(_)) {
                self.draft.saved(revision);
            }
            effects.push(Effect::KeepSaved { lesson: self.lesson_id.clone(), text: Some(saved.clone()) });
            effects.push(self.keep_edits());
            self.saved = Some(saved);
        }
        if matches!(kind, RequestKind::Open(_)) {
            self.boot = Boot::Ready;
            if self.active.is_none() {
                effects.extend(self.open_first());
            }
        }
        if let RequestKind::FillIn { .. } = kind {
            effects.extend(self.open_filled());
        }
        if rendered || cluster {
            effects.extend(self.ask_again());
            if self.right == RightTab::Values {
                effects.push(Effect::Send(self.values_request()));
            }
        }
        effects
    }

    /// Follows what happens: an Application that is new, or one that begins an operation while no other is chosen.
    fn choose_app(&mut self, apps: &[protocol::AppView]) {
        let new = apps.iter().find(|app| !self.apps.iter().any(|old| old.name == app.name));
        let begins = || {
            apps.iter().find(|app| {
                app.phase == "Running" && self.apps.iter().any(|old| old.name == app.name && old.started != app.started)
            })
        };
        let gone = !apps.iter().any(|app| app.name == self.app);
        if let Some(app) = new.or_else(begins).or(apps.first().filter(|_| gone)) {
            self.app.clone_from(&app.name);
        }
    }

    /// Shows what a failed command printed: its output is in the terminal's tab, which may be out of sight.
    fn report_failure(&mut self, kind: &RequestKind, ran: &[protocol::TerminalView]) {
        if !matches!(kind, RequestKind::Command(_)) {
            return;
        }
        self.banners.retain(|banner| !matches!(banner, Banner::CommandFailed { .. }));
        let typed =
            matches!(kind, RequestKind::Command(protocol::Command::Line { .. })) && self.bottom == BottomTab::Terminal;
        if let Some(failed) = ran.iter().find(|run| run.code != 0 && !typed && run.note.is_none()) {
            let output = failed.output.trim_end().to_owned();
            self.banners.insert(0, Banner::CommandFailed { command: failed.command.clone(), output });
        }
    }

    /// After a whole update nothing that was shown still holds, except what the person typed and opened.
    fn forget_views(&mut self) {
        self.render = RenderState::default();
        self.apps = Shared::default();
        self.trees = Shared::default();
        self.events = Shared::default();
        self.timeline = Shared::default();
        self.terminal = Shared::default();
        self.explain = None;
        self.values = None;
        self.details = None;
        self.clock_busy = false;
    }

    fn take_files(&mut self, view: FilesView, revision: u64, whole: bool) {
        self.work_tree = view.work_tree;
        let mut next: BTreeMap<String, File> = BTreeMap::new();
        for file in view.files {
            // A whole update comes from the saved playground, before the draft is replayed on it.
            let newer = self.draft.newer(&file.path, if whole { 0 } else { revision });
            let old = self.files.get(&file.path);
            let text: Rc<str> = match (newer, file.text, old) {
                (Some(typed), _, _) => Rc::from(typed),
                (None, Some(text), _) => Rc::from(text),
                (None, None, Some(old)) => Rc::clone(&old.text),
                (None, None, None) => Rc::from(""),
            };
            if self.active.as_deref() == Some(&file.path) && old.is_none_or(|o| o.text != text) {
                self.epoch += 1;
            }
            next.insert(file.path, File { text, mark: file.mark, binary: file.binary });
        }
        // Files whose `AddFile` is still on its way are not in the worker's list yet.
        for (path, file) in self.files.iter() {
            if !whole && !next.contains_key(path) && self.draft.newer(path, revision).is_some() {
                next.insert(path.clone(), file.clone());
            }
        }
        self.tabs.retain(|t| next.get(t).is_some_and(|f| f.mark != FileMark::Deleted));
        if self.active.as_ref().is_some_and(|a| !self.tabs.contains(a)) {
            self.active = self.tabs.last().cloned();
            self.epoch += 1;
        }
        self.files = Shared::new(next);
    }

    fn take_render(&mut self, view: RenderView) {
        let mut known: BTreeMap<String, Shared<protocol::ManifestView>> =
            std::mem::take(&mut self.render.manifests).into_iter().map(|m| (m.id.clone(), m)).collect();
        for manifest in view.manifests {
            known.insert(manifest.id.clone(), Shared::new(manifest));
        }
        self.render = RenderState {
            source: view.source,
            fresh: view.fresh,
            manifests: view.order.iter().filter_map(|id| known.remove(id)).collect(),
            diagnostics: Shared::new(view.diagnostics),
            notes: Shared::new(view.notes),
            micros: view.micros,
        };
    }

    fn open_first(&mut self) -> Vec<Effect> {
        let wanted = self.lesson.as_ref().map(|l| {
            let step = l.steps.get(self.step).map(|s| s.open.clone()).filter(|o| !o.is_empty());
            step.unwrap_or_else(|| l.open.clone())
        });
        let lesson = self.lesson.as_ref().map(|l| l.open.clone());
        let known = |path: &String| self.files.contains_key(path);
        let path = wanted.filter(known).or(lesson.filter(known)).or_else(|| self.files.keys().next().cloned());
        path.map(|p| self.open_file(&p)).unwrap_or_default()
    }

    /// Opens what the lesson just wrote, the last one on top.
    fn open_filled(&mut self) -> Vec<Effect> {
        let fills =
            self.lesson.as_ref().and_then(|l| l.steps.get(self.step)).map(|s| s.fills.clone()).unwrap_or_default();
        let mut effects = Vec::new();
        let mut shown = 0;
        for path in fills {
            if self.files.contains_key(&path) && shown < 6 {
                shown += 1;
                effects = self.open_file(&path);
            }
        }
        self.epoch += 1;
        effects
    }
}
