//! What a person runs: buttons and typed lines as commands of the simulation, with the line that a shell would show.

use crate::session::{Playground, message};
use crate::view;
use base::Json;
use lesson::Act;
use protocol::{Command, ObjectView, TerminalView};
use sim::ObjectRef;
use std::rc::Rc;

impl Playground {
    /// Carries out a command and shows what it printed.
    pub(crate) fn run_command(&mut self, command: &Command) {
        let Some(lesson) = self.lesson.clone() else { return };
        let dir = lesson.repository.work_tree.as_str();
        let (line, commands) = match command {
            Command::GitCommit { message } => (
                format!("git add -A && git commit -m {}", quoted(message)),
                vec![sim::Command::GitCommit { dir: dir.into(), message: message.as_str().into() }],
            ),
            Command::GitPush => (
                "git push origin main".to_string(),
                vec![sim::Command::GitPush { dir: dir.into(), branch: Some("main".into()) }],
            ),
            Command::KubectlApply { path } => (
                format!("kubectl apply -f {path}"),
                vec![sim::Command::KubectlApply { from: sim::ApplyFrom::File(path.as_str().into()), namespace: None }],
            ),
            Command::Refresh { app, hard } => (
                format!(
                    "kubectl -n argocd annotate app {app} argocd.argoproj.io/refresh={} --overwrite",
                    if *hard { "hard" } else { "normal" }
                ),
                vec![sim::Command::Refresh { app: app.as_str().into(), hard: *hard }],
            ),
            Command::Sync { app } => (
                format!("argocd app sync {app}"),
                vec![sim::Command::SyncApp { app: app.as_str().into(), prune: false }],
            ),
            Command::Line { line } => return self.run_line(line, dir),
            Command::Edit { object, text } => return self.edit_object(object, text),
        };
        for command in commands {
            self.run(&line, command);
        }
    }

    fn run(&mut self, line: &str, command: sim::Command) {
        let outcome = self.state.apply(command);
        let output = format!("{}{}", outcome.stdout, outcome.stderr);
        self.show(TerminalView { command: line.to_string(), output, code: outcome.code, ..TerminalView::default() });
    }

    fn show(&mut self, view: TerminalView) {
        let at = view::since(self.start(), self.state.now);
        self.terminal.push(TerminalView { at, ..view });
    }

    fn run_line(&mut self, line: &str, dir: &str) {
        let words = words(line);
        let plain: Vec<&str> = words.iter().map(String::as_str).collect();
        let note = |key: &str, code: i32| TerminalView {
            command: line.to_string(),
            code,
            note: Some(message(key, &[])),
            ..TerminalView::default()
        };
        if let ["date", rest @ ..] = &plain[..] {
            let now = self.state.now;
            let seconds = now.0.div_euclid(1000);
            let output = if rest == ["+%s"] { format!("{seconds}\n") } else { format!("{}\n", now.rfc3339()) };
            return self.show(TerminalView { command: line.to_string(), output, ..TerminalView::default() });
        }
        match sim::terminal::parse(&plain, "", dir) {
            Ok(commands) if commands.is_empty() => self.show(note("only-looks", 0)),
            Ok(commands) => {
                for command in commands {
                    self.run(line, command);
                }
            }
            Err(_) => self.show(note("not-simulated", 127)),
        }
    }

    /// What `kubectl edit` does once the editor is closed: the difference goes to the server as a patch.
    fn edit_object(&mut self, object: &ObjectView, text: &str) {
        let part = |text: &str| Rc::from(text);
        let at = ObjectRef {
            group: part(&object.group),
            kind: part(&object.kind),
            namespace: part(&object.namespace),
            name: part(&object.name),
        };
        let space = if object.namespace.is_empty() { String::new() } else { format!(" -n {}", object.namespace) };
        let group = if object.group.is_empty() { String::new() } else { format!(".{}", object.group) };
        let line = format!("kubectl{space} edit {}{group} {}", object.kind.to_lowercase(), object.name);
        let failed =
            |output: String| TerminalView { command: line.clone(), output, code: 1, ..TerminalView::default() };
        let Some(live) = self.state.object(&at) else {
            let output = format!("Error from server (NotFound): {} \"{}\" not found\n", object.kind, object.name);
            return self.show(failed(output));
        };
        match yaml::to_json(text.as_bytes()) {
            Err(error) => self.show(failed(format!("error: {}\n", error.converting()))),
            Ok(edited) => match merge_patch(&crate::details::without_managers(&live), &edited) {
                None => self.show(TerminalView {
                    command: line,
                    output: "Edit cancelled, no changes made.\n".into(),
                    ..TerminalView::default()
                }),
                Some(patch) => {
                    let command = sim::Command::KubectlEdit {
                        object: at,
                        kind: cluster::PatchType::Merge,
                        patch,
                        part: "".into(),
                        manager: "kubectl-edit".into(),
                    };
                    self.run(&line, command);
                }
            },
        }
    }

    /// Does what a lesson wants done before its first step, without a trace in the log.
    pub(crate) fn prepare(&mut self, setup: &[Act]) {
        let Some(lesson) = self.lesson.clone() else { return };
        let dir: Rc<str> = lesson.repository.work_tree.as_str().into();
        for act in setup {
            let command = match act {
                Act::Fill(_) => continue,
                Act::Commit(message) => sim::Command::GitCommit { dir: dir.clone(), message: message.as_str().into() },
                Act::Push => sim::Command::GitPush { dir: dir.clone(), branch: Some("main".into()) },
                Act::Apply(path) => {
                    sim::Command::KubectlApply { from: sim::ApplyFrom::File(path.as_str().into()), namespace: None }
                }
                Act::Sync(app) => sim::Command::SyncApp { app: app.as_str().into(), prune: false },
                Act::Refresh(app, hard) => sim::Command::Refresh { app: app.as_str().into(), hard: *hard },
                Act::Wait(ms) => sim::Command::Advance(i64::try_from(*ms).unwrap_or_default()),
                Act::Run(ms) => sim::Command::RunUntilIdle(i64::try_from(*ms).unwrap_or_default()),
                Act::Line(line) => {
                    self.run_line(line, &dir);
                    continue;
                }
            };
            self.state.apply(command);
        }
        self.terminal.clear();
        self.done = vec![false; lesson.steps.len()];
    }
}

/// The JSON merge patch that makes `old` into `new`; `None` when they are equal.
fn merge_patch(old: &Json, new: &Json) -> Option<Json> {
    if old == new {
        return None;
    }
    let (Some(before), Some(after)) = (old.as_map(), new.as_map()) else { return Some(new.clone()) };
    let gone = before.keys().filter(|key| after.get(key.as_ref()).is_none()).map(|key| (key.to_string(), Json::Null));
    let changed = after.iter().filter_map(|(key, value)| {
        let patch = match before.get(key) {
            Some(old) => merge_patch(old, value)?,
            None => value.clone(),
        };
        Some((key.to_string(), patch))
    });
    let members: Vec<(String, Json)> = gone.chain(changed).collect();
    Some(Json::map(members.iter().map(|(key, value)| (key.as_str(), value.clone()))))
}

/// The words of a line: blanks part them, quotes keep blanks, a backslash takes the next character as it is.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut open, mut quote) = (String::new(), false, None);
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => {
                word.extend(characters.next());
                open = true;
            }
            (c, Some(q)) if c == q => quote = None,
            (c, Some(_)) => word.push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                open = true;
            }
            (c, None) if c.is_whitespace() => {
                if open {
                    words.push(std::mem::take(&mut word));
                    open = false;
                }
            }
            (c, None) => {
                word.push(c);
                open = true;
            }
        }
    }
    if open {
        words.push(word);
    }
    words
}

/// A word as one types it in a shell.
fn quoted(text: &str) -> String {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./:=@".contains(&b));
    if plain { text.to_string() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_parted_as_a_shell_does() {
        assert_eq!(words("kubectl patch x -p '{\"a\": \"b c\"}'"), ["kubectl", "patch", "x", "-p", "{\"a\": \"b c\"}"]);
        assert_eq!(words("a \\' \"b\\\"c\" ''"), ["a", "'", "b\"c", ""]);
        assert!(words("  ").is_empty());
    }

    #[test]
    fn a_merge_patch_says_what_changed() {
        let parse = |text: &str| Json::parse(text).unwrap();
        let patch = merge_patch(&parse(r#"{"a":1,"b":{"c":[1],"d":2}}"#), &parse(r#"{"b":{"c":[1,2],"d":2},"e":3}"#));
        assert_eq!(patch, Some(parse(r#"{"a":null,"b":{"c":[1,2]},"e":3}"#)));
        assert_eq!(merge_patch(&parse("{}"), &parse("{}")), None);
    }
}
