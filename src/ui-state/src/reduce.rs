//! The step from an action to the next state and what is to be done about it.

use crate::{Action, Draft, Effect, File, Pane, Picked, RightTab, Side, Spot, State};
use crate::{Banner, Boot};
use protocol::{Change, ClockMove, Command, FileMark, Opening, RequestKind, Target};
use std::rc::Rc;

/// How far "until quiet" and "until done" go at most: an hour of the cluster's time.
const RUN_LIMIT_MS: u64 = 300_000;
/// The most virtual time one tick may ask for, so that a tab that slept does not run hours on waking.
const TICK_LIMIT_MS: u64 = 250;

impl State {
    /// Applies an action and says what is to be done.
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Start { lesson, saved, edits } => {
                self.lesson_id = lesson;
                self.saved = saved;
                self.draft = edits.as_deref().map(Draft::decode).unwrap_or_default();
                self.revision = self.draft.revision();
                self.speed = 1;
                vec![Effect::Preferences(self.lang, self.theme)]
            }
            Action::WorkerReady => vec![Effect::Recover(self.recovery())],
            Action::WorkerMismatch => {
                self.boot = Boot::Mismatch;
                vec![]
            }
            Action::WorkerFailed(why) => {
                self.boot = Boot::Failed(why);
                vec![]
            }
            Action::WorkerReplaced => {
                self.clock_busy = false;
                self.busy = 0;
                self.banner(Banner::Restarted);
                vec![]
            }
            Action::SetAside(kind) => self.set_aside(&kind),
            Action::Answer(kind, reply) => self.answer(kind, reply),
            Action::StorageFailed => {
                self.banner(Banner::Storage);
                vec![]
            }

            Action::Typed(text) => self.typed(text),
            Action::OpenFile(path) => self.open_file(&path),
            Action::OpenAt(path, line, col) => {
                let effects = self.open_file(&path);
                self.spot = Some(Spot { line, col, nonce: self.spot.as_ref().map_or(1, |s| s.nonce + 1) });
                self.pane = Pane::Editor;
                effects
            }
            Action::CloseTab(path) => self.close_tab(&path),
            Action::AddFile(path) => {
                let path = self.absolute(&path);
                if path.is_empty() || self.files.get(&path).is_some_and(|f| f.mark != FileMark::Deleted) {
                    return self.open_file(&path);
                }
                self.files.change().insert(path.clone(), File { mark: FileMark::Untracked, ..File::default() });
                let mut effects = vec![Effect::Send(RequestKind::AddFile { path: path.clone(), text: String::new() })];
                effects.extend(self.open_file(&path));
                effects
            }
            Action::RenameFile(from, to) => self.rename(&from, &to),
            Action::DeleteFile(path) => {
                let mut effects = self.close_tab(&path);
                self.files.change().remove(&path);
                self.draft.forget(&path);
                effects.push(Effect::Send(RequestKind::DeleteFile { path }));
                effects.push(self.keep_edits());
                effects
            }

            Action::PickLine(manifest, line, col) => self.pick(Target::Rendered { manifest, line, col }),
            Action::PickLive(target) => self.pick(target),
            Action::ShowObject(object) => {
                if self.object.as_ref() != Some(&object) {
                    self.details = None;
                    self.side = Side::default();
                }
                self.object = Some(object.clone());
                self.right = RightTab::Object;
                self.pane = Pane::Right;
                vec![Effect::Send(RequestKind::Details(object))]
            }
            Action::ShowApp(app) => {
                self.app = app;
                vec![]
            }
            Action::Zoom(zoom) => {
                self.zoom = zoom;
                vec![]
            }
            Action::ShowSide(side) => {
                self.side = side;
                vec![]
            }
            Action::Run(command) => self.run(command),
            Action::CommitMessage(text) => {
                self.commit_message = text;
                vec![]
            }
            Action::Commit => {
                let message = self.commit_message.trim().to_owned();
                if message.is_empty() {
                    return vec![];
                }
                self.commit_message.clear();
                self.run(Command::GitCommit { message })
            }

            Action::TogglePlay => {
                self.playing = !self.playing;
                vec![]
            }
            Action::Tick(real_ms) => {
                if !self.playing || self.clock_busy || self.boot != Boot::Ready {
                    return vec![];
                }
                let ms = real_ms.clamp(1, TICK_LIMIT_MS) * u64::from(self.speed.max(1));
                self.clock(ClockMove::Advance { ms })
            }
            Action::Speed(speed) => {
                self.speed = speed.clamp(1, 1000);
                vec![]
            }
            Action::Look(at) => {
                self.playing = false;
                vec![Effect::Send(RequestKind::Look { at })]
            }
            Action::Rewind => match self.clock.looking {
                Some(at) => {
                    self.busy += 1;
                    vec![Effect::Send(RequestKind::Rewind { at })]
                }
                None => vec![],
            },
            Action::NextEvent => self.jump(ClockMove::NextEvent),
            Action::UntilIdle => self.jump(ClockMove::RunUntilIdle { max_ms: RUN_LIMIT_MS }),
            Action::UntilGoals => self.jump(ClockMove::RunUntilGoals { step: self.step as u32, max_ms: RUN_LIMIT_MS }),

            Action::ShowStep(step) => {
                self.show_step(step);
                vec![]
            }
            Action::MoreHints => {
                self.hints += 1;
                vec![]
            }
            Action::FillIn => {
                self.busy += 1;
                vec![Effect::Send(RequestKind::FillIn { step: self.step as u32 })]
            }
            Action::OpenLesson(id) => {
                let fresh =
                    State { lang: self.lang, theme: self.theme, lesson_id: id.clone(), speed: 1, ..State::default() };
                *self = fresh;
                vec![
                    Effect::KeepSaved { lesson: id.clone(), text: None },
                    Effect::KeepEdits { lesson: id.clone(), text: None },
                    Effect::Restart(RequestKind::Open(Opening::Lesson { id })),
                ]
            }

            Action::Right(tab) => {
                self.right = tab;
                match tab {
                    RightTab::Values => vec![Effect::Send(self.values_request())],
                    RightTab::Who | RightTab::Object => self.ask_again(),
                    _ => vec![],
                }
            }
            Action::Bottom(tab) => {
                self.bottom = tab;
                vec![]
            }
            Action::Pane(pane) => {
                self.pane = pane;
                vec![]
            }
            Action::Lang(lang) => {
                self.lang = lang;
                vec![Effect::Preferences(self.lang, self.theme)]
            }
            Action::Theme(theme) => {
                self.theme = theme;
                vec![Effect::Preferences(self.lang, self.theme)]
            }
            Action::Dismiss => {
                if !self.banners.is_empty() {
                    self.banners.remove(0);
                }
                vec![]
            }
        }
    }

    /// What a new worker has to hear first: where the playground was, and what was typed since.
    fn recovery(&self) -> Vec<RequestKind> {
        let opening = match &self.saved {
            Some(text) => Opening::Saved { text: text.clone() },
            None => Opening::Lesson { id: self.lesson_id.clone() },
        };
        let mut out = vec![RequestKind::Open(opening)];
        out.extend(self.draft.replay());
        out.extend(self.active.clone().map(|path| RequestKind::Focus { path }));
        out
    }

    fn set_aside(&mut self, kind: &RequestKind) -> Vec<Effect> {
        self.banner(Banner::SetAside(name_of(kind)));
        if matches!(kind, RequestKind::Open(Opening::Saved { .. })) {
            // The kept playground cannot be opened: begin again, with every text that the page has on top.
            self.saved = None;
            let files: Vec<(String, String)> =
                self.files.iter().filter(|(_, f)| !f.binary).map(|(p, f)| (p.clone(), f.text.to_string())).collect();
            self.revision += 1;
            for (path, text) in files {
                if self.draft.newer(&path, 0).is_none() {
                    self.draft.typed(&path, self.revision, text);
                }
            }
        }
        vec![]
    }

    fn typed(&mut self, text: String) -> Vec<Effect> {
        let Some(path) = self.active.clone() else { return vec![] };
        if self.files.get(&path).is_some_and(|f| *f.text == *text) {
            return vec![];
        }
        self.revision += 1;
        let file = self.files.change().entry(path.clone()).or_default();
        file.text = Rc::from(text.as_str());
        self.draft.typed(&path, self.revision, text.clone());
        vec![Effect::Send(RequestKind::Edit { path, change: Change::Text(text) }), self.keep_edits()]
    }

    pub(crate) fn keep_edits(&self) -> Effect {
        let text = (!self.draft.is_empty()).then(|| self.draft.encode());
        Effect::KeepEdits { lesson: self.lesson_id.clone(), text }
    }

    pub(crate) fn open_file(&mut self, path: &str) -> Vec<Effect> {
        if self.files.get(path).is_none_or(|f| f.mark == FileMark::Deleted) {
            return vec![];
        }
        if !self.tabs.iter().any(|t| t == path) {
            self.tabs.push(path.to_owned());
        }
        if self.active.as_deref() == Some(path) {
            return vec![];
        }
        self.active = Some(path.to_owned());
        vec![Effect::Send(RequestKind::Focus { path: path.to_owned() })]
    }

    fn close_tab(&mut self, path: &str) -> Vec<Effect> {
        let Some(at) = self.tabs.iter().position(|t| t == path) else { return vec![] };
        self.tabs.remove(at);
        if self.active.as_deref() != Some(path) {
            return vec![];
        }
        self.active = None;
        match self.tabs.get(at.min(self.tabs.len().saturating_sub(1))).cloned() {
            Some(next) => self.open_file(&next),
            None => vec![],
        }
    }

    fn rename(&mut self, from: &str, to: &str) -> Vec<Effect> {
        let to = self.absolute(to);
        if to.is_empty() || to == from || self.files.contains_key(&to) {
            return vec![];
        }
        let Some(file) = self.files.change().remove(from) else { return vec![] };
        self.files.change().insert(to.clone(), file);
        if let Some(text) = self.draft.newer(from, 0).map(str::to_owned) {
            self.draft.typed(&to, self.revision, text);
        }
        self.draft.forget(from);
        for tab in &mut self.tabs {
            if tab == from {
                tab.clone_from(&to);
            }
        }
        if self.active.as_deref() == Some(from) {
            self.active = Some(to.clone());
        }
        vec![Effect::Send(RequestKind::RenameFile { from: from.to_owned(), to }), self.keep_edits()]
    }

    /// A path as typed, from the root; relative ones start in the work tree.
    fn absolute(&self, path: &str) -> String {
        let path = path.trim().trim_end_matches('/');
        if path.is_empty() || path.starts_with('/') {
            return path.to_owned();
        }
        format!("{}/{path}", self.work_tree)
    }

    fn pick(&mut self, target: Target) -> Vec<Effect> {
        self.picked = Some(Picked { target: target.clone() });
        self.right = RightTab::Who;
        vec![Effect::Send(RequestKind::Explain(target))]
    }

    /// The chain on show may have changed: asks again while it is looked at.
    pub(crate) fn ask_again(&self) -> Vec<Effect> {
        match &self.picked {
            Some(picked) if self.right == RightTab::Who => {
                vec![Effect::Send(RequestKind::Explain(picked.target.clone()))]
            }
            _ => match &self.object {
                Some(object) if self.right == RightTab::Object => {
                    vec![Effect::Send(RequestKind::Details(object.clone()))]
                }
                _ => vec![],
            },
        }
    }

    pub(crate) fn values_request(&self) -> RequestKind {
        let app = match &self.render.source {
            protocol::SourceView::Application { name, .. } => Some(name.clone()),
            _ => None,
        };
        RequestKind::ValuesTable { app }
    }

    fn run(&mut self, command: Command) -> Vec<Effect> {
        self.busy += 1;
        // Whoever applies an Application's manifest wants to see that one.
        if let (Command::KubectlApply { path }, protocol::SourceView::Application { name, file, .. }) =
            (&command, &self.render.source)
            && path == file
            && self.apps.iter().any(|app| app.name == *name)
        {
            self.app.clone_from(name);
        }
        vec![Effect::Send(RequestKind::Command(command))]
    }

    fn jump(&mut self, to: ClockMove) -> Vec<Effect> {
        if self.clock_busy {
            return vec![];
        }
        self.playing = false;
        self.busy += 1;
        self.clock(to)
    }

    fn clock(&mut self, to: ClockMove) -> Vec<Effect> {
        self.clock_busy = true;
        vec![Effect::Send(RequestKind::Clock(to))]
    }

    pub(crate) fn show_step(&mut self, step: usize) {
        let last = self.lesson.as_ref().map_or(0, |l| l.steps.len().saturating_sub(1));
        let step = step.min(last);
        if step != self.step {
            self.step = step;
            self.hints = 0;
        }
    }

    /// Adds a banner unless it is there already.
    pub(crate) fn banner(&mut self, banner: Banner) {
        if !self.banners.contains(&banner) {
            self.banners.push(banner);
        }
    }
}

/// A request as a person would name it.
fn name_of(kind: &RequestKind) -> String {
    match kind {
        RequestKind::Edit { path, .. } => path.clone(),
        RequestKind::Command(Command::GitCommit { .. }) => "git commit".into(),
        RequestKind::Command(Command::GitPush) => "git push".into(),
        RequestKind::Command(Command::KubectlApply { path }) => format!("kubectl apply -f {path}"),
        RequestKind::Command(Command::Refresh { app, .. }) => format!("refresh {app}"),
        RequestKind::Command(Command::Line { line }) => line.clone(),
        RequestKind::Command(Command::Edit { object, .. }) => format!("kubectl edit {} {}", object.kind, object.name),
        RequestKind::Details(object) => object.name.clone(),
        RequestKind::Look { .. } | RequestKind::Rewind { .. } => "timeline".into(),
        RequestKind::Command(Command::Sync { app }) => format!("argocd app sync {app}"),
        RequestKind::AddFile { path, .. } | RequestKind::DeleteFile { path } | RequestKind::Focus { path } => {
            path.clone()
        }
        RequestKind::RenameFile { from, to } => format!("{from} → {to}"),
        RequestKind::Clock(_) => "clock".into(),
        RequestKind::Open(_) => "open".into(),
        RequestKind::Explain(_) => "explain".into(),
        RequestKind::ValuesTable { .. } => "values".into(),
        RequestKind::FillIn { .. } => "fill in".into(),
        RequestKind::Check | RequestKind::Ping | RequestKind::Export => "check".into(),
        RequestKind::Snapshot { name } | RequestKind::Restore { name } => name.clone(),
    }
}
