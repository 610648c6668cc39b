//! The few command lines of `solve` lists: what a person does to solve a step, one line each.

use serde::{Deserialize, Serialize};

/// One thing that a person does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// `fill` (all files of the step's solution) or `fill PATH` (those whose path ends so).
    Fill(Option<String>),
    /// `git commit -m 'MESSAGE'`, with all changes added.
    Commit(String),
    /// `git push`.
    Push,
    /// `kubectl apply -f PATH`.
    Apply(String),
    /// `argocd app sync NAME`.
    Sync(String),
    /// `refresh NAME` or `refresh NAME hard`.
    Refresh(String, bool),
    /// `wait 30s`: so much time passes.
    Wait(u64),
    /// Any other line of `kubectl`, `argocd` or `git`, as typed at a prompt.
    Line(String),
    /// `run 60s`: until nothing is due but polling, at most so long.
    Run(u64),
}

/// Reads one line of a `solve` list.
pub fn parse_act(line: &str) -> Result<Act, String> {
    let line = line.trim();
    let seconds = |text: &str| -> Result<u64, String> {
        let number = text.trim().strip_suffix('s').and_then(|n| n.parse::<u64>().ok());
        number.map(|n| n.saturating_mul(1000)).ok_or_else(|| format!("not a number of seconds such as 30s: {text}"))
    };
    if line == "fill" {
        return Ok(Act::Fill(None));
    }
    if line == "git push" {
        return Ok(Act::Push);
    }
    let rest = |prefix: &str| line.strip_prefix(prefix).map(str::trim).filter(|rest| !rest.is_empty());
    if let Some(path) = rest("fill ") {
        return Ok(Act::Fill(Some(path.to_string())));
    }
    if let Some(message) = rest("git commit -m ") {
        return Ok(Act::Commit(message.trim_matches('\'').to_string()));
    }
    if let Some(path) = rest("kubectl apply -f ") {
        return Ok(Act::Apply(path.to_string()));
    }
    if let Some(app) = rest("argocd app sync ") {
        return Ok(Act::Sync(app.to_string()));
    }
    if let Some(app) = rest("refresh ") {
        let (app, hard) = app.strip_suffix(" hard").map_or((app, false), |app| (app, true));
        return Ok(Act::Refresh(app.to_string(), hard));
    }
    if let Some(time) = rest("wait ") {
        return Ok(Act::Wait(seconds(time)?));
    }
    if let Some(time) = rest("run ") {
        return Ok(Act::Run(seconds(time)?));
    }
    if ["kubectl ", "argocd ", "git "].iter().any(|tool| line.starts_with(tool)) {
        return Ok(Act::Line(line.to_string()));
    }
    Err(format!("not a known command: {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_acts() {
        assert_eq!(parse_act("git commit -m 'chart web'"), Ok(Act::Commit("chart web".into())));
        assert_eq!(parse_act("refresh web hard"), Ok(Act::Refresh("web".into(), true)));
        let scale = "kubectl -n web scale deploy web --replicas=4";
        assert_eq!(parse_act(scale), Ok(Act::Line(scale.into())));
        assert_eq!(parse_act("run 60s"), Ok(Act::Run(60_000)));
        assert_eq!(parse_act("wait soon"), Err("not a number of seconds such as 30s: soon".into()));
        assert_eq!(parse_act("rm -rf /"), Err("not a known command: rm -rf /".into()));
    }
}
