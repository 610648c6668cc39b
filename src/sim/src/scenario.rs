//! Replays a recorded scenario (`scenario.json`) on virtual time and prints what a watcher of the cluster sees, one
//! event a line: what `tidepool simulate` does.

use crate::command::Command;
use crate::state::State;
use crate::terminal;
use base::SortedMap;
use base::{Json, Time, limits};
use std::rc::Rc;

/// A command of the recording reaches the API server this much later than its step began, in milliseconds.
const COMMAND_TIME: i64 = 200;

/// Replays a scenario and returns its events as JSON lines: `{t, type, resource, namespace, name, object}`.
///
/// Steps that only look are skipped. A step that the simulation does not know ends the replay with an error, rather
/// than going on with something else.
pub fn replay(scenario: &Json) -> Result<String, String> {
    // The recording tells the second in which it began, not the instant: the middle is the best guess.
    let start = Time::parse_rfc3339(scenario.text_at(&["startedAt"])).ok_or("startedAt is no time")? + 500;
    let list = |key: &str| -> Vec<Rc<str>> {
        scenario.items_at(&[key]).iter().filter_map(Json::as_str).map(Rc::from).collect()
    };
    let mut replay = Replay {
        seen: 0,
        start,
        namespaces: list("namespaces"),
        shas: SortedMap::new(),
        out: String::new(),
        state: State::new(start, base::hash::hash(0, scenario.text_at(&["id"]), "scenario", 0)),
    };
    replay.seen = replay.state.cluster.version();
    replay.state.cluster.imitate_recorded_kubelet();
    replay.state.argocd.set_release(argocd::Release::of(scenario.text_at(&["argocdVersion"])));
    for step in scenario.items_at(&["steps"]) {
        let t = step.get("t").map_or(0.0, number);
        replay.run_to(start + (t * 1000.0) as i64);
        replay.step(step)?;
        replay.drain();
    }
    let end = scenario.get("durationSeconds").map_or(0.0, number);
    replay.run_to(start + (end * 1000.0) as i64);
    let mut out = replay.out;
    // Recorded commits hold an author and a moment that scenarios do not tell; the replay's own ids are printed as the
    // recorded ones, so that both can be compared.
    for (own, recorded) in &replay.shas {
        out = out.replace(own, recorded).replace(&own[..7], recorded.get(..7).unwrap_or(recorded));
    }
    Ok(out)
}

struct Replay {
    state: State,
    start: Time,
    namespaces: Vec<Rc<str>>,
    shas: SortedMap<String, String>,
    seen: u64,
    out: String,
}

impl Replay {
    fn run_to(&mut self, to: Time) {
        for _ in 0..limits::ADVANCE_EVENTS {
            match self.state.next_wakeup().filter(|at| *at < to) {
                Some(at) => self.state.advance(at.max(self.state.now)),
                None => break,
            }
            self.drain();
        }
        self.state.advance(to);
        self.drain();
    }

    fn drain(&mut self) {
        let t = (self.state.now - self.start) as f64 / 1000.0;
        let changes: Vec<cluster::Change> = self.state.cluster.changes_since(self.seen).cloned().collect();
        self.seen = self.state.cluster.version();
        for change in changes {
            let mut object = if change.object.is_null() { change.before.clone() } else { change.object.clone() };
            let (resource, namespace, name) = (&*change.key.resource, &*change.key.namespace, &*change.key.name);
            let ours = |ns: &str| self.namespaces.iter().any(|n| **n == *ns);
            let shown = match resource {
                "namespaces" => ours(name),
                "applications" | "applicationsets" | "appprojects" => true,
                "events" => namespace == argocd::ARGOCD_NAMESPACE,
                _ => {
                    ours(namespace)
                        && name != "kube-root-ca.crt"
                        && !(resource == "serviceaccounts" && name == "default")
                }
            };
            if !shown {
                continue;
            }
            if &*change.key.group == "argoproj.io" {
                object.remove(&["metadata", "managedFields"]);
            }
            let line = Json::map([
                ("t", Json::Float(t)),
                ("type", change.kind.text().into()),
                ("resource", resource.into()),
                ("namespace", namespace.into()),
                ("name", name.into()),
                ("object", object),
            ]);
            self.out.push_str(&line.to_raw_text());
            self.out.push('\n');
        }
    }

    fn step(&mut self, step: &Json) -> Result<(), String> {
        let words: Vec<&str> = step.items_at(&["args"]).iter().filter_map(Json::as_str).collect();
        match step.text_at(&["action"]) {
            "git-commit" => self.commit(step),
            "git-tag" => {
                let path = bare(step.text_at(&["repo"]));
                let revision = step.text_at(&["branch"]);
                let revision = if revision.is_empty() { "main" } else { revision };
                self.carry_out(Command::RemoteTag {
                    path,
                    tag: step.text_at(&["tag"]).into(),
                    revision: revision.into(),
                });
                Ok(())
            }
            "kubectl" | "argocd-cli" => {
                // What the real API server refused changes nothing; an apply may be refused in part, a sync may fail
                // long after it began.
                let refused = step.int_at(&["rc"]).unwrap_or(0) != 0;
                let partly = words.first() == Some(&"apply") || words.get(1) == Some(&"sync");
                if refused && !partly {
                    return Ok(());
                }
                self.run_to(self.state.now + COMMAND_TIME);
                let tool = if step.text_at(&["action"]) == "kubectl" { "kubectl" } else { "argocd" };
                let words: Vec<String> = std::iter::once(tool).chain(words).map(|w| self.own(w)).collect();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let stdin = self.own(step.text_at(&["stdin"]));
                for command in terminal::parse(&words, &stdin, "")? {
                    self.carry_out(command);
                }
                Ok(())
            }
            "observe" | "wait" | "observed" => Ok(()),
            other => Err(format!("step \"{other}\" is not simulated yet")),
        }
    }

    /// A word with the recorded commit ids replaced by the replay's own.
    fn own(&self, word: &str) -> String {
        let mut out = word.to_string();
        for (own, recorded) in &self.shas {
            for length in [40, 7] {
                if let (Some(recorded), Some(own)) = (recorded.get(..length), own.get(..length)) {
                    out = out.replace(recorded, own);
                }
            }
        }
        out
    }

    fn carry_out(&mut self, command: Command) {
        self.state.apply(command);
        self.drain();
    }

    fn commit(&mut self, step: &Json) -> Result<(), String> {
        let path = bare(step.text_at(&["repo"]));
        if !self.state.remotes.bare.contains_key(&path) {
            self.carry_out(Command::GitInitBare { path: path.clone() });
        }
        let branch = step.text_at(&["branch"]);
        let files = step.get("files").and_then(Json::as_map);
        let files = files.into_iter().flatten();
        let outcome = self.state.apply(Command::RemoteCommit {
            path,
            branch: if branch.is_empty() { "main" } else { branch }.into(),
            message: step.text_at(&["message"]).into(),
            files: files.map(|(p, t)| (p.clone(), Rc::from(t.as_str().unwrap_or("").as_bytes()))).collect(),
            deleted: step.items_at(&["deleted"]).iter().filter_map(Json::as_str).map(Rc::from).collect(),
        });
        if outcome.code != 0 {
            return Err(format!("commit: {}{}", outcome.stdout, outcome.stderr));
        }
        self.shas.insert(outcome.stdout.trim().to_string(), step.text_at(&["sha"]).to_string());
        Ok(())
    }
}

fn number(value: &Json) -> f64 {
    match value {
        Json::Int(n) => *n as f64,
        Json::Float(f) => *f,
        _ => 0.0,
    }
}

fn bare(repo: &str) -> Rc<str> {
    format!("/srv/bare/{repo}.git").into()
}
