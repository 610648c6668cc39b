//! `git` in a work tree of the lab machine.

use super::Words;
use crate::command::Command;
use std::rc::Rc;

pub(super) fn parse(words: &[&str], cwd: &str) -> Result<Vec<Command>, String> {
    let unknown = || format!("git {}: not simulated yet", words.join(" "));
    let (words, dir) = match words {
        ["-C", dir, rest @ ..] => (rest, *dir),
        _ => (words, cwd),
    };
    let dir: Rc<str> = dir.into();
    let Some((verb, rest)) = words.split_first() else { return Ok(Vec::new()) };
    let one = |command: Command| Ok(vec![command]);
    match *verb {
        "status" | "log" | "diff" | "show" | "branch" | "remote" | "config" | "rev-parse" => Ok(Vec::new()),
        // A commit takes in everything, so that staging is nothing of its own.
        "add" => Ok(Vec::new()),
        "commit" => {
            let read = Words::read(rest, &["m", "am", "message"]);
            let message = read.flag(&["m", "am", "message"]).ok_or_else(unknown)?;
            one(Command::GitCommit { dir, message: message.into() })
        }
        "push" => {
            let read = Words::read(rest, &[]);
            if read.other(&["u", "set-upstream"]).is_some() {
                return Err(unknown());
            }
            one(Command::GitPush { dir, branch: read.plain.get(1).map(|b| Rc::from(*b)) })
        }
        "checkout" | "switch" => match rest {
            ["-b" | "-c", branch] => one(Command::GitCheckout { dir, branch: (*branch).into(), create: true }),
            [branch] => one(Command::GitCheckout { dir, branch: (*branch).into(), create: false }),
            _ => Err(unknown()),
        },
        "clone" => match rest {
            [from, dir] => one(Command::GitClone { from: (*from).into(), dir: (*dir).into() }),
            _ => Err(unknown()),
        },
        "init" => match rest {
            ["--bare", path] => one(Command::GitInitBare { path: (*path).into() }),
            _ => Err(unknown()),
        },
        _ => Err(unknown()),
    }
}
