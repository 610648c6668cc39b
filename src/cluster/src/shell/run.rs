//! Runs a script step by step. Control flow lives in [`Frame`]s on the heap, so that a script can stop in the middle of a
//! loop, be stored, and go on; pipelines, subshells and substitutions run through at once.

use super::parse::{Node, Redirect, Word};
use super::programs;
use super::{Progress, World};
use crate::registry::Behaviour;
use base::{SortedMap, Time};
use std::rc::Rc;

/// Steps of one advance, before the script counts as busy for good.
const FUEL: u32 = 100_000;
/// Nested machines (pipelines, substitutions, groups with redirections).
const DEPTH: u32 = 16;
/// Bytes of a captured output.
const CAPTURE: usize = 1 << 20;

/// What a script can change.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Env {
    pub(super) vars: SortedMap<Rc<str>, Rc<str>>,
    functions: SortedMap<Rc<str>, Rc<Node>>,
    pub(super) files: SortedMap<Rc<str>, Rc<str>>,
    pub(super) args: Vec<Rc<str>>,
    /// `$0`.
    pub(super) name: Rc<str>,
    pub(super) status: i64,
    errexit: bool,
    pub(super) nounset: bool,
    trace: bool,
    pipefail: bool,
    /// The image has the few programs of a small system only.
    pub(super) small: bool,
    /// Name of the image, whose own program has it too.
    pub(super) own: String,
    pub(super) behaviour: Option<Behaviour>,
}

impl Env {
    pub(super) fn new(vars: SortedMap<Rc<str>, Rc<str>>, shell: &str) -> Env {
        Env {
            vars,
            functions: SortedMap::new(),
            files: SortedMap::new(),
            args: Vec::new(),
            name: shell.into(),
            status: 0,
            errexit: false,
            nounset: false,
            trace: false,
            pipefail: false,
            small: false,
            own: String::new(),
            behaviour: None,
        }
    }

    /// `set -e` and its like.
    pub(super) fn flag(&mut self, flag: char, on: bool) {
        match flag {
            'e' => self.errexit = on,
            'u' => self.nounset = on,
            'x' => self.trace = on,
            _ => {}
        }
    }

    /// `set -o name`.
    pub(super) fn option(&mut self, name: &str, on: bool) {
        match name {
            "errexit" => self.errexit = on,
            "nounset" => self.nounset = on,
            "xtrace" => self.trace = on,
            "pipefail" => self.pipefail = on,
            _ => {}
        }
    }
}

/// A compound that is being run.
#[derive(Clone, Debug, PartialEq)]
enum Frame {
    /// The next item of a list.
    Seq(Rc<Node>, usize),
    /// The next part of `a && b || c`.
    AndOr(Rc<Node>, usize),
    Not,
    /// The arm whose test runs.
    If(Rc<Node>, usize),
    /// True while the test runs.
    Loop(Rc<Node>, bool),
    /// The rest of a `for`'s words.
    For(Rc<Node>, Rc<[Rc<str>]>, usize),
    /// A function's caller: its arguments.
    Call(Vec<Rc<str>>),
}

/// A script on its way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Machine {
    frames: Vec<Frame>,
    next: Option<Rc<Node>>,
    pub(super) env: Env,
    pub(super) clock: Time,
    lines: Vec<(Time, Rc<str>)>,
    /// Output that has no newline yet, or all of it when it is captured.
    out: String,
    captured: bool,
    pub(super) input: Option<Rc<str>>,
    depth: u32,
    fuel: u32,
    exit: Option<i64>,
    forever: bool,
    becomes: bool,
}

impl Machine {
    pub(super) fn begin(node: Rc<Node>, env: Env, now: Time) -> Machine {
        Machine {
            frames: Vec::new(),
            next: Some(node),
            env,
            clock: now,
            lines: Vec::new(),
            out: String::new(),
            captured: false,
            input: None,
            depth: 0,
            fuel: FUEL,
            exit: None,
            forever: false,
            becomes: false,
        }
    }

    /// A script that cannot be read: one line, exit code 2.
    pub(super) fn refused(line: String, env: Env, now: Time) -> Machine {
        let mut machine = Machine::begin(Rc::new(Node::Seq(Vec::new())), env, now);
        machine.complain(&line);
        machine.exit = Some(2);
        machine
    }

    /// Runs until something lies after `now`.
    pub(crate) fn advance(&mut self, now: Time, world: &dyn World) -> Progress {
        self.fuel = FUEL;
        loop {
            if self.becomes {
                return Progress::Becomes;
            }
            if self.forever {
                return Progress::Forever;
            }
            if self.exit.is_some() || self.next.is_none() && self.frames.is_empty() {
                self.flush();
                return Progress::Exited { code: self.exit.unwrap_or(self.env.status) & 255, at: self.clock };
            }
            if self.clock > now {
                self.flush();
                return Progress::Waits(self.clock);
            }
            self.step(world);
        }
    }

    /// The lines printed since the last call.
    pub(crate) fn take_lines(&mut self) -> Vec<(Time, Rc<str>)> {
        std::mem::take(&mut self.lines)
    }

    fn step(&mut self, world: &dyn World) {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            self.forever = true;
            return;
        }
        match self.next.take() {
            Some(node) => self.enter(&node, world),
            None => self.resume(),
        }
    }

    fn enter(&mut self, node: &Rc<Node>, world: &dyn World) {
        match &**node {
            Node::Simple { assigns, words, redirects } => self.simple(assigns, words, redirects, world),
            Node::Seq(_) => self.frames.push(Frame::Seq(node.clone(), 0)),
            Node::AndOr(first, _) => {
                self.frames.push(Frame::AndOr(node.clone(), 0));
                self.next = Some(first.clone());
            }
            Node::Not(inner) => {
                self.frames.push(Frame::Not);
                self.next = Some(inner.clone());
            }
            Node::If(arms, _) => {
                self.frames.push(Frame::If(node.clone(), 0));
                self.next = arms.first().map(|(test, _)| test.clone());
            }
            Node::Loop(_, test, _) => {
                self.frames.push(Frame::Loop(node.clone(), true));
                self.next = Some(test.clone());
            }
            Node::For(_, words, _) => {
                let list: Vec<Rc<str>> = match words {
                    Some(words) => words.iter().flat_map(|w| self.fields(w, world)).map(Rc::from).collect(),
                    None => self.env.args.clone(),
                };
                self.env.status = 0;
                self.frames.push(Frame::For(node.clone(), list.into(), 0));
            }
            Node::Case(subject, arms) => {
                let subject = self.text(subject, world);
                self.env.status = 0;
                for (patterns, body) in arms {
                    for pattern in patterns {
                        let pattern = self.pattern(pattern, world);
                        if programs::glob(&pattern, &subject) {
                            self.next = Some(body.clone());
                            return;
                        }
                    }
                }
            }
            Node::Group(false, body, redirects) if redirects.is_empty() => self.next = Some(body.clone()),
            Node::Group(sub, body, redirects) => {
                let (input, targets) = self.redirected(redirects, world);
                let (out, err, env) = self.nested(body, input, world);
                if !*sub {
                    self.env = env;
                } else {
                    self.env.status = env.status;
                    self.env.files = env.files;
                }
                self.route(&out, &err, &targets);
                self.checked();
            }
            Node::Pipe(parts) => {
                let mut input: Option<Rc<str>> = self.input.clone();
                let mut failed = 0;
                for (i, part) in parts.iter().enumerate() {
                    let (out, err, env) = self.nested(part, input.take(), world);
                    self.env.files = env.files;
                    if env.status != 0 {
                        failed = env.status;
                    }
                    self.env.status = if self.env.pipefail { failed } else { env.status };
                    self.complain_all(&err);
                    if i + 1 == parts.len() {
                        self.print(&out);
                    } else {
                        input = Some(out.into());
                    }
                }
                self.checked();
            }
            Node::Function(name, body) => {
                self.env.functions.insert(name.as_str().into(), body.clone());
                self.env.status = 0;
            }
        }
    }

    fn resume(&mut self) {
        let good = self.env.status == 0;
        let Some(frame) = self.frames.pop() else { return };
        match frame {
            Frame::Seq(node, at) => {
                if let Node::Seq(items) = &*node
                    && let Some(item) = items.get(at)
                {
                    self.next = Some(item.clone());
                    self.frames.push(Frame::Seq(node, at + 1));
                }
            }
            Frame::AndOr(node, at) => {
                let Node::AndOr(_, rest) = &*node else { return };
                // Parts that the last status passes over are skipped.
                let found = rest.iter().enumerate().skip(at).find(|(_, (and, _))| *and == good);
                if let Some((i, (_, part))) = found {
                    self.next = Some(part.clone());
                    self.frames.push(Frame::AndOr(node.clone(), i + 1));
                }
            }
            Frame::Not => self.env.status = i64::from(good),
            Frame::If(node, at) => {
                let Node::If(arms, other) = &*node else { return };
                if good {
                    self.next = arms.get(at).map(|(_, body)| body.clone());
                } else if let Some((test, _)) = arms.get(at + 1) {
                    self.next = Some(test.clone());
                    self.frames.push(Frame::If(node.clone(), at + 1));
                } else {
                    self.env.status = 0;
                    self.next = other.clone();
                }
            }
            Frame::Loop(node, testing) => {
                let Node::Loop(while_true, test, body) = &*node else { return };
                if !testing {
                    self.next = Some(test.clone());
                    self.frames.push(Frame::Loop(node.clone(), true));
                } else if good == *while_true {
                    self.next = Some(body.clone());
                    self.frames.push(Frame::Loop(node.clone(), false));
                } else {
                    self.env.status = 0;
                }
            }
            Frame::For(node, list, at) => {
                let Node::For(name, _, body) = &*node else { return };
                if let Some(value) = list.get(at) {
                    self.env.vars.insert(name.as_str().into(), value.clone());
                    self.next = Some(body.clone());
                    self.frames.push(Frame::For(node.clone(), list, at + 1));
                }
            }
            Frame::Call(args) => self.env.args = args,
        }
    }

    /// Ends the script when `set -e` is on and a command failed where nothing looks at its status.
    fn checked(&mut self) {
        if self.env.status == 0 || !self.env.errexit {
            return;
        }
        let looked_at = self.frames.iter().any(|frame| match frame {
            Frame::Not | Frame::If(..) | Frame::Loop(_, true) => true,
            Frame::AndOr(node, at) => matches!(&**node, Node::AndOr(_, rest) if *at < rest.len()),
            _ => false,
        });
        if !looked_at {
            self.exit = Some(self.env.status);
        }
    }

    fn simple(&mut self, assigns: &[(String, Word)], words: &[Word], redirects: &[Redirect], world: &dyn World) {
        let before = self.env.status;
        self.env.status = 0;
        let argv: Vec<String> = {
            self.env.status = before;
            words.iter().flat_map(|w| self.fields(w, world)).collect()
        };
        if self.exit.is_some() {
            return;
        }
        let substituted = self.env.status;
        let mut saved = Vec::new();
        for (name, value) in assigns {
            let value = self.text(value, world);
            saved.push((name.clone(), self.env.vars.get(name.as_str()).cloned()));
            self.env.vars.insert(name.as_str().into(), value.into());
        }
        let (input, targets) = self.redirected(redirects, world);
        if argv.is_empty() {
            // The status of a substitution is that of the assignment.
            let substitutes =
                assigns.iter().any(|(_, w)| w.iter().any(|p| matches!(p, super::parse::Part::Command(..))));
            self.env.status = if substitutes { self.env.status } else { 0 };
            self.route("", "", &targets);
            return self.checked();
        }
        if self.env.trace {
            self.complain(&format!("+ {}", argv.join(" ")));
        }
        let _ = substituted;
        if self.control(&argv) {
            return;
        }
        if let Some(body) = self.env.functions.get(argv[0].as_str()).cloned() {
            let args = argv[1..].iter().map(|a| Rc::from(a.as_str())).collect();
            if redirects.is_empty() {
                self.frames.push(Frame::Call(std::mem::replace(&mut self.env.args, args)));
                self.next = Some(body);
                return;
            }
            let kept = std::mem::replace(&mut self.env.args, args);
            let (out, err, env) = self.nested(&body, input, world);
            self.env = env;
            self.env.args = kept;
            self.route(&out, &err, &targets);
            return self.checked();
        }
        let kept = self.input.clone();
        if input.is_some() {
            self.input = input;
        }
        let result = programs::run(self, &argv, world);
        self.input = kept;
        for (name, old) in saved {
            match old {
                Some(old) => {
                    self.env.vars.insert(name.as_str().into(), old);
                }
                None => {
                    self.env.vars.remove(name.as_str());
                }
            }
        }
        self.env.status = result.code;
        self.route(&result.out, &result.err, &targets);
        self.checked();
    }

    /// Builtins that change the course of the script; true when `argv` was one.
    fn control(&mut self, argv: &[String]) -> bool {
        let number = argv.get(1).and_then(|n| n.parse::<i64>().ok());
        match argv[0].as_str() {
            "exit" => self.exit = Some(number.unwrap_or(self.env.status)),
            "return" => {
                self.env.status = number.unwrap_or(self.env.status);
                while let Some(frame) = self.frames.pop() {
                    if let Frame::Call(args) = frame {
                        self.env.args = args;
                        return true;
                    }
                }
            }
            "break" | "continue" => {
                let mut levels = number.unwrap_or(1).max(1);
                while let Some(frame) = self.frames.pop() {
                    if !matches!(frame, Frame::Loop(..) | Frame::For(..)) {
                        continue;
                    }
                    levels -= 1;
                    if levels == 0 {
                        if argv[0] == "continue" {
                            self.frames.push(match frame {
                                Frame::Loop(node, _) => Frame::Loop(node, false),
                                other => other,
                            });
                        }
                        break;
                    }
                }
                self.env.status = 0;
            }
            _ => return false,
        }
        true
    }

    /// Runs a command through with its output captured: output, complaints, and what it left behind.
    pub(super) fn nested(
        &mut self,
        node: &Rc<Node>,
        input: Option<Rc<str>>,
        world: &dyn World,
    ) -> (String, String, Env) {
        let mut inner = Machine::begin(node.clone(), self.env.clone(), self.clock);
        inner.captured = true;
        inner.input = input.or_else(|| self.input.clone());
        inner.depth = self.depth + 1;
        inner.fuel = self.fuel;
        if inner.depth > DEPTH {
            self.forever = true;
            return (String::new(), String::new(), self.env.clone());
        }
        while inner.exit.is_none() && (inner.next.is_some() || !inner.frames.is_empty()) && !inner.forever {
            inner.step(world);
            self.becomes |= inner.becomes;
            if inner.becomes {
                break;
            }
        }
        self.fuel = inner.fuel.max(1);
        self.forever |= inner.forever;
        self.clock = inner.clock;
        if let Some(code) = inner.exit {
            inner.env.status = code;
        }
        let err: String = inner.lines.iter().map(|(_, line)| format!("{line}\n")).collect();
        (inner.out, err, inner.env)
    }

    pub(super) fn evaluate(&mut self, script: &str) {
        match super::parse::parse(script) {
            Ok(node) => self.next = Some(node),
            Err(words) => {
                self.complain(&format!("{}: syntax error: {words}", self.env.name));
                self.env.status = 2;
            }
        }
    }

    pub(super) fn leave(&mut self, code: i64) {
        self.exit = Some(code);
    }

    /// The script gives way to the image's own program.
    pub(super) fn become_image(&mut self) {
        self.becomes = true;
    }

    pub(super) fn wait(&mut self, milliseconds: i64) {
        self.clock = self.clock + milliseconds.clamp(0, 1 << 40);
    }

    pub(super) fn wait_forever(&mut self) {
        self.forever = true;
    }

    pub(super) fn print(&mut self, text: &str) {
        if self.out.len() + text.len() <= CAPTURE {
            self.out.push_str(text);
        }
        if !self.captured {
            while let Some(end) = self.out.find('\n') {
                let line: String = self.out.drain(..=end).collect();
                self.lines.push((self.clock, line.trim_end_matches('\n').into()));
            }
        }
    }

    fn flush(&mut self) {
        if !self.captured && !self.out.is_empty() {
            let rest = std::mem::take(&mut self.out);
            self.lines.push((self.clock, rest.into()));
        }
    }

    pub(super) fn complain(&mut self, line: &str) {
        self.lines.push((self.clock, line.into()));
    }

    fn complain_all(&mut self, text: &str) {
        text.lines().for_each(|line| self.complain(line));
    }

    /// Where output and complaints of a command go, and what it reads.
    fn redirected(&mut self, redirects: &[Redirect], world: &dyn World) -> (Option<Rc<str>>, [Target; 2]) {
        let (mut input, mut targets) = (None, [Target::Out, Target::Err]);
        for redirect in redirects {
            let target = self.text(&redirect.target, world);
            let fd = redirect.fd.clamp(1, 2) as usize - 1;
            match redirect.kind {
                "<" => input = Some(self.env.files.get(target.as_str()).cloned().unwrap_or_default()),
                "<<" => input = Some(target.into()),
                "&" => targets[fd] = if target == "2" { targets[1].clone() } else { targets[0].clone() },
                kind => {
                    let to = match target.as_str() {
                        "/dev/null" => Target::Nowhere,
                        "/dev/stdout" | "/proc/1/fd/1" => Target::Out,
                        "/dev/stderr" | "/proc/1/fd/2" => Target::Err,
                        name => {
                            if kind == ">" {
                                self.env.files.insert(name.into(), "".into());
                            }
                            Target::File(name.into())
                        }
                    };
                    if redirect.fd == 3 {
                        targets = [to.clone(), to];
                    } else {
                        targets[fd] = to;
                    }
                }
            }
        }
        (input, targets)
    }

    fn route(&mut self, out: &str, err: &str, targets: &[Target; 2]) {
        for (text, target) in [(err, &targets[1]), (out, &targets[0])] {
            match target {
                Target::Out => self.print(text),
                Target::Err => self.complain_all(text),
                Target::Nowhere => {}
                Target::File(name) => {
                    let old = self.env.files.get(&**name).cloned().unwrap_or_default();
                    if old.len() + text.len() <= CAPTURE {
                        self.env.files.insert(name.clone(), format!("{old}{text}").into());
                    }
                }
            }
        }
    }
}

/// Where an output goes.
#[derive(Clone, Debug, PartialEq)]
enum Target {
    Out,
    Err,
    Nowhere,
    File(Rc<str>),
}
