//! The playground: it owns the simulation, the command log, typed texts and the lesson, and answers requests.
//!
//! Keystrokes go into `typed` only. They reach the simulation, as one write for each file, just before the next
//! command, so that how a text was typed leaves no trace in the state.

use crate::lesson::{built_in, evaluate};
use crate::live::Live;
use crate::log::{self, Entry};
use crate::past::Past;
use crate::run::Running;
use crate::saved::Saved;
use crate::{details, engine, explain, view};
use base::Json;
use base::SortedMap;
use lesson::Lesson;
use protocol::{
    Body, Change, ClockView, FilesView, GitView, GoalState, Message, Opening, ProgressView, Reply, Request,
    RequestKind, TerminalView, Update,
};
use sim::State;
use std::rc::Rc;

/// How long a slice may go on. Only the edge that runs the playground knows: a worker asks its clock, a test counts.
pub trait Slice {
    /// Whether there is time for one more piece of work (about a millisecond).
    fn more(&mut self) -> bool;
}

/// A slice without end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Endless;

impl Slice for Endless {
    fn more(&mut self) -> bool {
        true
    }
}

/// What a slice came to.
#[derive(Debug)]
pub enum Progress {
    /// The answer.
    Done(Reply),
    /// The slice is over and the work is not: call [`Playground::resume`].
    More,
}

/// A moment to go back to.
#[derive(Clone, Debug)]
struct Moment {
    state: State,
    log: usize,
    done: Vec<bool>,
    focus: String,
}

/// What the page has been told, so that only changes are sent.
#[derive(Debug, Default)]
struct Sent {
    files: Option<FilesView>,
    git: Option<GitView>,
    apps: Option<Vec<protocol::AppView>>,
    trees: Option<Vec<protocol::TreeView>>,
    events: Option<Vec<protocol::EventView>>,
    clock: Option<ClockView>,
    timeline: Option<protocol::TimelineView>,
    progress: Option<ProgressView>,
    /// Texts that the page has.
    texts: SortedMap<Rc<str>, Rc<[u8]>>,
}

/// One playground.
#[derive(Debug)]
pub struct Playground {
    pub(crate) lesson: Option<Rc<Lesson>>,
    pub(crate) state: State,
    pub(crate) typed: SortedMap<Rc<str>, Rc<str>>,
    log: Vec<Entry>,
    moments: SortedMap<String, Moment>,
    pub(crate) done: Vec<bool>,
    pub(crate) focus: String,
    pub(crate) live: Live,
    sent: Sent,
    pub(crate) terminal: Vec<TerminalView>,
    notices: Vec<Message>,
    pub(crate) running: Option<Running>,
    head: Option<(git::Oid, Rc<git::Files>)>,
    past: Past,
    looking: Option<Box<State>>,
}

impl Default for Playground {
    fn default() -> Playground {
        Playground::new()
    }
}

impl Playground {
    /// A playground in which nothing is open yet.
    pub fn new() -> Playground {
        Playground {
            lesson: None,
            state: State::new(base::Time::default(), 0),
            typed: SortedMap::new(),
            log: Vec::new(),
            moments: SortedMap::new(),
            done: Vec::new(),
            focus: String::new(),
            live: Live::default(),
            sent: Sent::default(),
            terminal: Vec::new(),
            notices: Vec::new(),
            running: None,
            head: None,
            past: Past::default(),
            looking: None,
        }
    }

    /// Begins a request. A request that comes while another one is unfinished ends that one where it stands.
    pub fn handle(&mut self, request: Request, slice: &mut dyn Slice) -> Progress {
        self.running = None;
        let Request { id, revision, kind } = request;
        let done = |body| Progress::Done(Reply { id, revision, micros: 0, body });
        if self.lesson.is_none() && !matches!(kind, RequestKind::Open(_) | RequestKind::Ping) {
            return done(refused("nothing-open", &[]));
        }
        match kind {
            RequestKind::Ping => done(Body::Pong),
            RequestKind::Export => {
                let text = self.saved();
                done(Body::Saved(text))
            }
            RequestKind::Explain(target) => done(Body::Explain(explain::explain(self, &target))),
            RequestKind::Details(object) => done(Body::Details(details::details(self, &object).map(Box::new))),
            RequestKind::ValuesTable { app } => done(Body::Values(explain::values(self, app.as_deref()))),
            RequestKind::Edit { path, change } => done(self.edit(&path, change, revision)),
            RequestKind::Focus { path } => {
                self.focus = path;
                done(self.light_update(revision))
            }
            RequestKind::Open(Opening::Lesson { id }) => match self.open_lesson(&id) {
                Ok(()) => done(self.full_update(true, revision)),
                Err(message) => done(Body::Refused(message)),
            },
            RequestKind::Open(Opening::Saved { text }) => match Saved::read(&text) {
                Err(key) => done(refused(key, &[])),
                Ok(saved) => match self.open_lesson(&saved.lesson) {
                    Err(message) => done(Body::Refused(message)),
                    Ok(()) => {
                        self.running = Some(Running::replay(id, revision, saved));
                        self.resume(slice)
                    }
                },
            },
            RequestKind::Look { at } => {
                self.looking = at.and_then(|at| self.moment_at(at)).map(|past| Box::new(past.state));
                done(self.full_update(false, revision))
            }
            RequestKind::Clock(movement) => {
                self.looking = None;
                self.flush();
                self.running = Some(Running::clock(id, revision, movement, &self.state));
                self.resume(slice)
            }
            other => match self.change(other) {
                Ok(whole) => done(self.full_update(whole, revision)),
                Err(message) => done(Body::Refused(message)),
            },
        }
    }

    /// Goes on with the unfinished request.
    pub fn resume(&mut self, slice: &mut dyn Slice) -> Progress {
        let Some(mut running) = self.running.take() else {
            return Progress::Done(Reply { id: 0, revision: 0, micros: 0, body: refused("nothing-open", &[]) });
        };
        loop {
            if running.step(self) {
                let (id, revision, whole) = (running.id, running.revision, running.whole());
                let body = match running.failure.take() {
                    Some(message) => Body::Refused(message),
                    None => self.full_update_until(whole, revision, running.until()),
                };
                return Progress::Done(Reply { id, revision, micros: 0, body });
            }
            if !slice.more() {
                self.running = Some(running);
                return Progress::More;
            }
        }
    }

    /// [`Playground::handle`] to the end, without slices.
    pub fn answer(&mut self, request: Request) -> Reply {
        let mut progress = self.handle(request, &mut Endless);
        loop {
            match progress {
                Progress::Done(reply) => return reply,
                Progress::More => progress = self.resume(&mut Endless),
            }
        }
    }

    /// Digest of the state: equal logs give equal digests, natively and in a browser.
    pub fn digest(&mut self) -> String {
        self.flush();
        engine::digest(&self.state)
    }

    fn change(&mut self, kind: RequestKind) -> Result<bool, Message> {
        self.looking = None;
        match kind {
            RequestKind::AddFile { path, text } => self.add_file(&path, text),
            RequestKind::RenameFile { from, to } => self.rename(from, to),
            RequestKind::DeleteFile { path } => self.delete(path),
            RequestKind::Command(command) => {
                self.flush();
                self.execute(Entry::Run(command));
                Ok(false)
            }
            RequestKind::FillIn { step } => self.fill_in(step, None).map(|()| false),
            RequestKind::Snapshot { name } => {
                self.flush();
                let moment = self.moment();
                self.moments.insert(name, moment);
                Ok(false)
            }
            RequestKind::Rewind { at } => self.rewind(at).map(|()| true),
            RequestKind::Restore { name } => self.restore(&name).map(|()| true),
            _ => Ok(false),
        }
    }

    pub(crate) fn open_lesson(&mut self, id: &str) -> Result<(), Message> {
        let lesson = built_in(id).ok_or_else(|| message("no-such-lesson", &[id]))?;
        self.open(Rc::new(lesson));
        Ok(())
    }

    /// Starts a lesson that was read from anywhere.
    pub fn open(&mut self, lesson: Rc<Lesson>) {
        *self = Playground::new();
        self.state = State::new(lesson.start, lesson.seed);
        let repository = &lesson.repository;
        let prepare = [
            sim::Command::GitInitBare { path: repository.bare.as_str().into() },
            sim::Command::BindUrl { url: repository.url.as_str().into(), path: repository.bare.as_str().into() },
            sim::Command::GitClone { from: repository.bare.as_str().into(), dir: repository.work_tree.as_str().into() },
        ];
        for command in prepare {
            self.state.apply(command);
        }
        for (path, bytes) in &lesson.files {
            self.state.apply(sim::Command::WriteFile { path: path.as_str().into(), bytes: Rc::from(bytes.as_slice()) });
        }
        self.focus.clone_from(&lesson.open);
        let setup = lesson.setup.clone();
        self.lesson = Some(lesson);
        self.prepare(&setup);
        self.past.keep(&self.state, &self.done, &self.log);
    }

    // Texts.

    /// A file as typed.
    pub(crate) fn text(&self, path: &str) -> Option<Rc<str>> {
        if let Some(text) = self.typed.get(path) {
            return Some(text.clone());
        }
        self.state.disk.get(path).and_then(|bytes| std::str::from_utf8(bytes).ok()).map(Rc::from)
    }

    /// All files as typed.
    pub(crate) fn disk(&self) -> SortedMap<Rc<str>, Rc<[u8]>> {
        let mut disk: SortedMap<Rc<str>, Rc<[u8]>> =
            self.state.disk.iter().map(|(path, bytes)| (path.clone(), bytes.clone())).collect();
        for (path, text) in &self.typed {
            disk.insert(path.clone(), Rc::from(text.as_bytes()));
        }
        disk
    }

    fn edit(&mut self, path: &str, change: Change, revision: u64) -> Body {
        let old = self.text(path);
        let new: Rc<str> = match change {
            Change::Text(text) => text.into(),
            Change::Splice { from, to, insert } => {
                let Some(old) = &old else { return refused("no-such-file", &[path]) };
                let (start, end) = (byte_of(old, from), byte_of(old, to));
                let spliced = start.zip(end).and_then(|(from, to)| log::splice(old, from, to, &insert));
                let Some(text) = spliced else { return refused("edit-out-of-range", &[path]) };
                text.into()
            }
        };
        self.sent.texts.insert(path.into(), Rc::from(new.as_bytes()));
        self.typed.insert(path.into(), new);
        if self.watches(path) && self.check_goals() {
            // A step that an edit finishes stays finished: the log has to hold that text.
            self.flush();
        }
        self.light_update(revision)
    }

    /// Whether a goal looks at this file of the disk.
    fn watches(&self, path: &str) -> bool {
        let Some(lesson) = &self.lesson else { return false };
        lesson
            .steps
            .iter()
            .flat_map(|step| &step.goals)
            .any(|(_, goal)| matches!(goal, lesson::Goal::File(file) if file.path == path))
    }

    /// Brings typed texts into the log and the simulation.
    pub(crate) fn flush(&mut self) {
        for (path, text) in std::mem::take(&mut self.typed) {
            let entry = match self.state.disk.get(&path).map(|bytes| std::str::from_utf8(bytes)) {
                Some(Ok(old)) => log::delta(&path, old, &text),
                _ => Some(Entry::Write { path: path.to_string(), text: text.to_string() }),
            };
            if let Some(entry) = entry {
                self.execute(entry);
            }
        }
    }

    /// Carries out an entry and remembers it.
    pub(crate) fn execute(&mut self, entry: Entry) {
        let write =
            |path: &str, text: &str| sim::Command::WriteFile { path: path.into(), bytes: Rc::from(text.as_bytes()) };
        match &entry {
            Entry::Edit { path, from, to, insert } => {
                let old = self.state.disk.get(path.as_str()).and_then(|bytes| std::str::from_utf8(bytes).ok());
                if let Some(text) = log::splice(old.unwrap_or(""), *from, *to, insert) {
                    self.state.apply(write(path, &text));
                }
            }
            Entry::Write { path, text } => {
                self.state.apply(write(path, text));
            }
            Entry::Delete { path } => {
                self.state.apply(sim::Command::DeleteFile { path: path.as_str().into() });
            }
            Entry::Rename { from, to } => {
                self.state.apply(sim::Command::RenameFile { from: from.as_str().into(), to: to.as_str().into() });
            }
            Entry::Run(command) => self.run_command(command),
            Entry::Advance(ms) => {
                self.state.apply(sim::Command::Advance(i64::try_from(*ms).unwrap_or(i64::MAX)));
            }
        }
        log::push(&mut self.log, entry);
        self.check_goals();
        self.past.keep(&self.state, &self.done, &self.log);
    }

    /// Remembers that so much time passed, after the simulation was moved.
    pub(crate) fn passed(&mut self, ms: u64) {
        log::push(&mut self.log, Entry::Advance(ms));
        self.check_goals();
        self.past.keep(&self.state, &self.done, &self.log);
    }

    fn add_file(&mut self, path: &str, text: String) -> Result<bool, Message> {
        let path = base::world::clean(path);
        let path = format!("/{path}");
        if self.text(&path).is_some() || self.state.disk.get(path.as_str()).is_some() {
            return Err(message("file-exists", &[&path]));
        }
        self.flush();
        self.sent.texts.insert(path.as_str().into(), Rc::from(text.as_bytes()));
        self.execute(Entry::Write { path, text });
        Ok(false)
    }

    fn rename(&mut self, from: String, to: String) -> Result<bool, Message> {
        let to = format!("/{}", base::world::clean(&to));
        self.flush();
        let inside = format!("{from}/");
        if !self.state.disk.keys().any(|path| **path == *from || path.starts_with(&inside)) {
            return Err(message("no-such-file", &[&from]));
        }
        if self.state.disk.get(to.as_str()).is_some() {
            return Err(message("file-exists", &[&to]));
        }
        if self.focus == from {
            self.focus.clone_from(&to);
        }
        self.execute(Entry::Rename { from, to });
        Ok(false)
    }

    fn delete(&mut self, path: String) -> Result<bool, Message> {
        self.flush();
        if self.state.disk.get(path.as_str()).is_none() {
            return Err(message("no-such-file", &[&path]));
        }
        self.execute(Entry::Delete { path });
        Ok(false)
    }

    /// Writes the files of a step's solution, or those whose path ends with `only`.
    pub(crate) fn fill_in(&mut self, step: u32, only: Option<&str>) -> Result<(), Message> {
        let lesson = self.lesson.clone();
        let index = usize::try_from(step).unwrap_or(usize::MAX);
        let step = lesson.as_ref().and_then(|lesson| lesson.steps.get(index));
        let step = step.ok_or_else(|| message("no-such-step", &[&index.to_string()]))?;
        self.flush();
        for (path, bytes) in step.files.iter().filter(|(path, _)| only.is_none_or(|only| path.ends_with(only))) {
            let text = String::from_utf8_lossy(bytes);
            let text = self.with_answers(step, path, &text).unwrap_or_else(|| text.into_owned());
            self.typed.insert(path.as_str().into(), text.into());
        }
        self.flush();
        Ok(())
    }

    /// The text of an answer file with what the cluster says now; `None` when the file is none, or it is too early.
    pub(crate) fn with_answers(&self, step: &lesson::Step, path: &str, text: &str) -> Option<String> {
        let lesson = self.lesson.as_ref()?;
        let goal = step.goals.iter().find_map(|(_, goal)| match goal {
            lesson::Goal::File(file) if file.path == path && !file.live.is_empty() => Some(file),
            _ => None,
        })?;
        let context = engine::Goals { state: &self.state, typed: &self.typed, repository: &lesson.repository };
        // Before the cluster is where the step wants it, its answers would be wrong ones.
        let mut others = step.goals.iter().filter(|(_, goal)| !matches!(goal, lesson::Goal::File(_)));
        others.all(|(_, goal)| evaluate(goal, &context).met).then(|| crate::lesson::answered(goal, text, &context))?
    }

    // Moments.

    fn moment(&self) -> Moment {
        Moment { state: self.state.clone(), log: self.log.len(), done: self.done.clone(), focus: self.focus.clone() }
    }

    /// Remembers the present under a name, while replaying.
    pub(crate) fn remember(&mut self, name: String) {
        let moment = self.moment();
        self.moments.insert(name, moment);
    }

    fn restore(&mut self, name: &str) -> Result<(), Message> {
        let moment = self.moments.get(name).cloned().ok_or_else(|| message("no-such-moment", &[name]))?;
        self.typed.clear();
        self.log.truncate(moment.log);
        self.moments.retain(|_, other| other.log <= moment.log);
        (self.state, self.done, self.focus) = (moment.state, moment.done, moment.focus);
        self.head = None;
        self.past.forget_after(self.state.now);
        Ok(())
    }

    /// The simulation as it was so many milliseconds after the start.
    fn moment_at(&self, at: u64) -> Option<crate::past::Glimpse> {
        let ms = i64::try_from(at).ok()?;
        self.past.at(self.start() + ms).filter(|past| past.state.now <= self.state.now)
    }

    fn rewind(&mut self, at: u64) -> Result<(), Message> {
        let past = self.moment_at(at).ok_or_else(|| message("no-such-moment", &[&at.to_string()]))?;
        // Texts stay as they are typed: only the cluster, Argo CD and Git go back.
        let texts = self.disk();
        self.typed.clear();
        self.log = past.log(&self.log);
        self.past.forget_after(past.state.now);
        let entries = self.log.len();
        self.moments.retain(|_, other| other.log <= entries);
        (self.state, self.done) = (past.state, past.done);
        for (path, bytes) in &texts {
            if self.state.disk.get(path) != Some(bytes)
                && let Ok(text) = std::str::from_utf8(bytes)
            {
                self.typed.insert(path.clone(), text.into());
            }
        }
        self.past.keep(&self.state, &self.done, &self.log);
        self.head = None;
        Ok(())
    }

    /// The simulation that is on show: the present, or the moment that is looked at.
    pub(crate) fn shown(&self) -> &State {
        self.looking.as_deref().unwrap_or(&self.state)
    }

    /// The playground as a text.
    fn saved(&mut self) -> String {
        self.flush();
        let saved = Saved {
            build: protocol::BUILD.to_string(),
            lesson: self.lesson.as_ref().map(|lesson| lesson.id.clone()).unwrap_or_default(),
            focus: self.focus.clone(),
            log: self.log.clone(),
            moments: self.moments.iter().map(|(name, moment)| (name.clone(), moment.log)).collect(),
            digest: engine::digest(&self.state),
        };
        saved.to_text()
    }

    /// Tells the person something with the next update.
    pub(crate) fn say(&mut self, message: Message) {
        self.notices.push(message);
    }

    // Goals.

    pub(crate) fn start(&self) -> base::Time {
        self.lesson.as_ref().map(|lesson| lesson.start).unwrap_or_default()
    }

    /// The state of every goal now.
    pub fn goals(&self) -> Vec<Vec<GoalState>> {
        let Some(lesson) = &self.lesson else { return Vec::new() };
        let context = engine::Goals { state: &self.state, typed: &self.typed, repository: &lesson.repository };
        let step = |step: &lesson::Step| step.goals.iter().map(|(_, goal)| evaluate(goal, &context)).collect();
        lesson.steps.iter().map(step).collect()
    }

    /// Which steps were done at some time.
    pub fn steps_done(&self) -> &[bool] {
        &self.done
    }

    /// Marks the steps whose goals are all met; true when one is new.
    fn check_goals(&mut self) -> bool {
        if self.done.iter().all(|done| *done) {
            return false;
        }
        let mut new = false;
        for (done, goals) in self.done.clone().iter().zip(self.goals()).enumerate().map(|(i, (d, g))| ((i, *d), g)) {
            let (index, done) = done;
            if !done && goals.iter().all(|goal| goal.met) {
                self.done[index] = true;
                new = true;
            }
        }
        new
    }

    // Views.

    /// After an edit or a change of focus: render, marks, goals that look at files.
    fn light_update(&mut self, revision: u64) -> Body {
        let mut update = Update::default();
        self.file_views(&mut update, false);
        self.progress_view(&mut update);
        self.render_view(&mut update, false, revision);
        Body::Update(Box::new(update))
    }

    pub(crate) fn full_update(&mut self, whole: bool, revision: u64) -> Body {
        self.full_update_until(whole, revision, None)
    }

    fn full_update_until(&mut self, whole: bool, revision: u64, until: Option<u64>) -> Body {
        if whole {
            self.sent = Sent::default();
        }
        let mut update = Update { whole, ..Update::default() };
        if whole {
            update.lesson = self.lesson.as_ref().map(|lesson| view::lesson(lesson));
        }
        self.file_views(&mut update, whole);
        self.progress_view(&mut update);
        self.render_view(&mut update, whole, revision);
        let start = self.start();
        let objects = engine::objects(self.shown());
        let of_kind = |kind: &str| -> Vec<Json> {
            objects.iter().filter(|object| object.text_at(&["kind"]) == kind).cloned().collect()
        };
        let applications = of_kind("Application");
        let apps = view::apps(&applications, &objects, self.shown(), start);
        changed(&mut self.sent.apps, apps, &mut update.apps);
        changed(&mut self.sent.trees, view::trees(&applications, &objects, start), &mut update.trees);
        changed(&mut self.sent.events, view::events(&of_kind("Event"), start), &mut update.events);
        let trees = self.sent.trees.clone().unwrap_or_default();
        let timeline = view::timeline(self.state.timeline.iter(), &applications, &trees, start, self.state.now);
        changed(&mut self.sent.timeline, timeline, &mut update.timeline);
        let clock = ClockView {
            now: view::since(start, self.state.now),
            wall: self.state.now.rfc3339(),
            next_event: self.state.next_event().map(|at| view::since(start, at)),
            idle: engine::idle(&self.state),
            looking: self.looking.as_ref().map(|past| view::since(start, past.now)),
            until,
        };
        changed(&mut self.sent.clock, clock, &mut update.clock);
        update.terminal = std::mem::take(&mut self.terminal);
        update.notices = std::mem::take(&mut self.notices);
        update.saved = Some(self.saved());
        Body::Update(Box::new(update))
    }

    fn progress_view(&mut self, update: &mut Update) {
        self.check_goals();
        let progress = view::progress(&self.done, self.goals());
        changed(&mut self.sent.progress, progress, &mut update.progress);
    }

    fn render_view(&mut self, update: &mut Update, whole: bool, revision: u64) {
        let mut live = std::mem::take(&mut self.live);
        update.render = live.view(self, whole, revision);
        self.live = live;
    }

    fn file_views(&mut self, update: &mut Update, whole: bool) {
        let Some(lesson) = self.lesson.clone() else { return };
        let repository = &lesson.repository;
        let head = self.head_files(&repository.work_tree);
        let disk = self.disk();
        let known = &self.sent.texts;
        let wanted = |path: &str, bytes: &[u8]| whole || known.get(path).is_none_or(|known| **known != *bytes);
        let files = view::files(&repository.work_tree, &disk, &head, &wanted);
        let clone = engine::clone_at(&self.state, &repository.work_tree);
        let remote = engine::remote(&self.state, &repository.bare);
        let git = view::git(clone, remote, &files, &repository.url);
        let silent = |view: &FilesView| view.files.iter().all(|file| file.text.is_none());
        let bare = FilesView {
            files: files.files.iter().map(|file| protocol::FileView { text: None, ..file.clone() }).collect(),
            ..files.clone()
        };
        if self.sent.files.as_ref() != Some(&bare) || !silent(&files) {
            self.sent.files = Some(bare);
            update.files = Some(files);
        }
        self.sent.texts = disk;
        changed(&mut self.sent.git, git, &mut update.git);
    }

    /// Files of the work tree's last commit, read once for each commit.
    fn head_files(&mut self, work_tree: &str) -> Rc<git::Files> {
        let clone = engine::clone_at(&self.state, work_tree);
        let Some((clone, head)) = clone.and_then(|clone| Some((clone, clone.head_commit()?))) else {
            return Rc::default();
        };
        match &self.head {
            Some((oid, files)) if *oid == head => files.clone(),
            _ => {
                let files = Rc::new(clone.files(head));
                self.head = Some((head, files.clone()));
                files
            }
        }
    }
}

/// Puts `view` into the update when it differs from what the page has.
fn changed<T: PartialEq + Clone>(sent: &mut Option<T>, view: T, update: &mut Option<T>) {
    if sent.as_ref() != Some(&view) {
        *sent = Some(view.clone());
        *update = Some(view);
    }
}

pub(crate) fn message(key: &str, args: &[&str]) -> Message {
    Message { key: key.to_string(), args: args.iter().map(ToString::to_string).collect() }
}

fn refused(key: &str, args: &[&str]) -> Body {
    Body::Refused(message(key, args))
}

/// The byte offset of a UTF-16 offset; `None` past the end or inside a surrogate pair.
fn byte_of(text: &str, units: u32) -> Option<usize> {
    let units = usize::try_from(units).ok()?;
    let byte = base::utf16::to_byte(text, units);
    (base::utf16::from_byte(text, byte) == units).then_some(byte)
}
