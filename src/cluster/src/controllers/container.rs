//! The life of one container: pull, run, end, restart. Its state is data; [`Container::due`] says when it goes on.

use crate::registry::Behaviour;
use crate::shell;
use base::{Json, Time};
use std::rc::Rc;

/// Lines of output that are kept for each container.
const LOG: usize = 500;
/// Seconds of the longest wait between restarts or pulls.
const LONGEST: i64 = 300;

/// The output of a container: its lines, each with its time, oldest first.
pub type Log = Rc<Vec<(Time, Rc<str>)>>;

/// How a run of a container ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ended {
    pub(crate) code: i64,
    pub(crate) reason: &'static str,
    pub(crate) message: Option<Rc<str>>,
    pub(crate) from: Time,
    pub(crate) to: Time,
}

/// What a container does now.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    /// Not started yet.
    Creating,
    /// Its image cannot be pulled; true while the kubelet backs off.
    Unpulled(bool),
    /// Runs since then.
    Running(Time),
    /// Has ended and is started again after this many seconds.
    BackOff(i64),
    /// Has ended.
    Ended(Ended),
}

/// One container of a pod as the kubelet knows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Container {
    pub(crate) state: State,
    pub(crate) last: Option<Ended>,
    pub(crate) restarts: i64,
    pub(crate) ready: bool,
    pub(crate) started: bool,
    /// When the container does something by itself.
    pub(crate) due: Option<Time>,
    /// When the running program ends, and with which code.
    ends: Option<(Time, i64)>,
    /// When its readiness probe succeeds.
    ready_at: Option<Time>,
    /// When the kubelet kills it because a probe failed too often.
    killed_at: Option<(Time, Rc<str>)>,
    script: Option<Rc<shell::Machine>>,
    failures: u32,
    pub(crate) log: Log,
    pub(crate) previous_log: Log,
}

/// What a start of the container would run.
#[derive(Clone, Debug)]
pub(crate) enum Program {
    /// The image's own program.
    Image(Behaviour),
    /// A script or a command that the small shell knows.
    Script(Box<shell::Machine>),
    /// Something that cannot be started: the runtime's words.
    Missing(String),
}

/// Who decides about a container: its spec, and what surrounds it.
pub(crate) struct Surroundings<'a> {
    pub(crate) now: Time,
    pub(crate) spec: &'a Json,
    /// `Always`, `OnFailure` or `Never`.
    pub(crate) restart: &'a str,
    /// The first restart waits already, as with the kubelet of the recordings.
    pub(crate) recorded: bool,
    pub(crate) absent: bool,
    pub(crate) program: &'a dyn Fn() -> Program,
    pub(crate) world: &'a dyn shell::World,
}

/// What happened, for the kubelet's events: type, reason, message.
pub(crate) type Happened = Vec<(&'static str, &'static str, String)>;

impl Container {
    pub(crate) fn new() -> Container {
        Container {
            state: State::Creating,
            last: None,
            restarts: 0,
            ready: false,
            started: false,
            due: None,
            ends: None,
            ready_at: None,
            killed_at: None,
            script: None,
            failures: 0,
            log: Rc::default(),
            previous_log: Rc::default(),
        }
    }

    /// True when a run of it is over for good under its restart policy.
    pub(crate) fn over(&self) -> Option<i64> {
        match &self.state {
            State::Ended(ended) => Some(ended.code),
            _ => None,
        }
    }

    /// True while a shell runs in it: as process 1 it does not hear the signal to stop.
    pub(crate) fn deaf(&self) -> bool {
        self.script.is_some() && matches!(self.state, State::Running(_))
    }

    /// Runs everything that is due by now.
    pub(crate) fn advance(&mut self, at: &Surroundings<'_>, happened: &mut Happened) {
        // Each turn ends at least one wait; a container that is due again at once comes back with the next tick.
        for _ in 0..16 {
            if self.due.is_none_or(|due| due > at.now) {
                return;
            }
            match self.state.clone() {
                State::Creating | State::BackOff(_) | State::Unpulled(true) => self.start(at, happened),
                State::Unpulled(false) => {
                    let image = at.spec.text_at(&["image"]);
                    happened.push(("Normal", "BackOff", format!("Back-off pulling image \"{image}\"")));
                    self.state = State::Unpulled(true);
                    self.due = Some(at.now + wait(self.failures) * 1000);
                    self.failures += 1;
                }
                State::Running(since) => self.run(since, at, happened),
                State::Ended(_) => self.due = None,
            }
        }
    }

    fn start(&mut self, at: &Surroundings<'_>, happened: &mut Happened) {
        let image = at.spec.text_at(&["image"]);
        if at.absent {
            happened.push(("Warning", "Failed", format!("Failed to pull image \"{image}\": {}", pull_error(image))));
            self.state = State::Unpulled(false);
            self.due = (!at.recorded).then_some(at.now + 2000);
            return;
        }
        if matches!(self.state, State::Unpulled(_)) {
            self.failures = 0;
        }
        if self.last.is_some() {
            self.restarts += 1;
            self.previous_log = std::mem::take(&mut self.log);
        }
        self.state = State::Running(at.now);
        (self.ready, self.started, self.script, self.ends, self.killed_at) = (false, false, None, None, None);
        let mut serving = Some(at.now);
        match (at.program)() {
            Program::Missing(words) => {
                happened.push(("Warning", "Failed", format!("Error: {words}")));
                let ended =
                    Ended { code: 128, reason: "StartError", message: Some(words.into()), from: at.now, to: at.now };
                return self.end(ended, at, happened);
            }
            Program::Script(machine) => self.script = Some(Rc::new(*machine)),
            Program::Image(Behaviour::Serves { after }) => serving = Some(at.now + after * 1000),
            Program::Image(Behaviour::Exits { after, code, log }) => {
                for line in log.lines() {
                    self.print(at.now, line.into());
                }
                // The fake kubelet of the recordings is a little late, so that controllers see the pod running.
                let late = if at.recorded { 20 } else { 0 };
                self.ends = Some((at.now + after * 1000 + late, code));
            }
            Program::Image(Behaviour::NeverReady | Behaviour::Absent) => serving = None,
        }
        self.probe(at, serving);
        self.due = Some(at.now);
    }

    /// When probes will succeed, or fail once too often.
    fn probe(&mut self, at: &Surroundings<'_>, serving: Option<Time>) {
        let number = |probe: &Json, name: &str, or: i64| probe.int_at(&[name]).unwrap_or(or);
        let first = |probe: &Json, from: Time| from + (number(probe, "initialDelaySeconds", 0) + 1) * 1000;
        let period = |probe: &Json| number(probe, "periodSeconds", 10).max(1) * 1000;
        // The first attempt that finds the program serving.
        let succeeds = |probe: &Json, from: Time, up: Time| {
            let start = first(probe, from);
            let missed = (up.0 - start.0).max(0);
            let tries = (missed + period(probe) - 1) / period(probe);
            (start + tries * period(probe), tries)
        };
        let mut from = at.now;
        if let Some(probe) = at.spec.get("startupProbe") {
            let limit = number(probe, "failureThreshold", 3);
            match serving.map(|up| succeeds(probe, from, up)) {
                Some((good, tries)) if tries < limit => from = good,
                _ => {
                    let last = first(probe, from) + (limit - 1).max(0) * period(probe);
                    self.killed_at = Some((last, "startup".into()));
                    self.ready_at = None;
                    return;
                }
            }
        }
        self.ready_at = match (at.spec.get("readinessProbe"), serving) {
            (_, None) => None,
            (None, Some(up)) => Some(if at.recorded { up } else { from.max(up) }),
            (Some(probe), Some(up)) => {
                let more = (number(probe, "successThreshold", 1) - 1).max(0) * period(probe);
                Some(succeeds(probe, from, up).0 + more)
            }
        };
        if let (Some(probe), Some(up), false) = (at.spec.get("livenessProbe"), serving, at.recorded) {
            let limit = number(probe, "failureThreshold", 3);
            if succeeds(probe, from, up).1 >= limit {
                let last = first(probe, from) + (limit - 1).max(0) * period(probe);
                self.killed_at = Some((last, "liveness".into()));
            }
        }
    }

    fn run(&mut self, since: Time, at: &Surroundings<'_>, happened: &mut Happened) {
        let mut next: Option<Time> = None;
        let mut later = |time: Time| next = Some(next.map_or(time, |n| n.min(time)));
        if let Some(mut machine) = self.script.clone() {
            let progress = Rc::make_mut(&mut machine).advance(at.now, at.world);
            for (time, line) in Rc::make_mut(&mut machine).take_lines() {
                self.print(time, line);
            }
            self.script = Some(machine);
            match progress {
                shell::Progress::Exited { code, at } => self.ends = Some((at, code)),
                shell::Progress::Waits(time) => later(time),
                shell::Progress::Forever => {}
                shell::Progress::Becomes => self.script = None,
            }
        }
        if let Some((time, code)) = self.ends {
            if time <= at.now {
                let reason = if code == 0 { "Completed" } else { "Error" };
                return self.end(Ended { code, reason, message: None, from: since, to: at.now }, at, happened);
            }
            later(time);
        }
        if let Some((time, probe)) = self.killed_at.clone() {
            if time <= at.now {
                let name = at.spec.text_at(&["name"]);
                let title = if &*probe == "startup" { "Startup" } else { "Liveness" };
                happened.push(("Warning", "Unhealthy", format!("{title} probe failed: connection refused")));
                let text = format!("Container {name} failed {probe} probe, will be restarted");
                happened.push(("Normal", "Killing", text));
                let ended = Ended { code: 137, reason: "Error", message: None, from: since, to: at.now };
                return self.end(ended, at, happened);
            }
            later(time);
        }
        self.started = true;
        if let Some(time) = self.ready_at {
            if time <= at.now {
                self.ready = true;
            } else {
                later(time);
            }
        }
        self.due = next;
    }

    fn end(&mut self, ended: Ended, at: &Surroundings<'_>, happened: &mut Happened) {
        (self.ready, self.started, self.script, self.ends, self.killed_at) = (false, false, None, None, None);
        let again = match at.restart {
            "Always" => true,
            "OnFailure" => ended.code != 0,
            _ => false,
        };
        if !again {
            (self.state, self.due) = (State::Ended(ended), None);
            return;
        }
        // Ten good minutes forgive what was before.
        if ended.to.0 - ended.from.0 >= 600_000 {
            self.failures = 0;
        }
        self.last = Some(ended);
        if at.recorded {
            (self.state, self.due) = (State::BackOff(10), None);
            return;
        }
        // The first restart is immediate; later ones wait 10 s, 20 s … 300 s.
        if self.failures == 0 {
            (self.state, self.due) = (State::Creating, Some(at.now + 1000));
        } else {
            let seconds = wait(self.failures - 1);
            let name = at.spec.text_at(&["name"]);
            happened.push(("Warning", "BackOff", format!("Back-off restarting failed container {name} in pod")));
            (self.state, self.due) = (State::BackOff(seconds), Some(at.now + seconds * 1000));
        }
        self.failures += 1;
    }

    fn print(&mut self, time: Time, line: Rc<str>) {
        let log = Rc::make_mut(&mut self.log);
        if log.len() >= LOG {
            log.remove(0);
        }
        log.push((time, line));
    }
}

/// Seconds of the wait after so many failures.
fn wait(failures: u32) -> i64 {
    (10_i64 << failures.min(8)).min(LONGEST)
}

/// What the container runtime says about an image that is not there.
pub(crate) fn pull_error(image: &str) -> String {
    format!("failed to pull and unpack image \"{image}\": failed to resolve reference \"{image}\": {image}: not found")
}
