//! `argocd`: the subcommands that change an Application.

use super::Words;
use crate::command::Command;
use argocd::SyncRequest;
use std::rc::Rc;

/// Flags with a value of their own.
const VALUED: [&str; 6] = ["timeout", "resource", "revision", "strategy", "output", "o"];

pub(super) fn parse(words: &[&str]) -> Result<Vec<Command>, String> {
    let unknown = || format!("argocd {}: not simulated yet", words.join(" "));
    let read = Words::read(words, &VALUED);
    match read.plain[..] {
        ["app", "get" | "list" | "wait" | "diff" | "history" | "manifests" | "resources" | "logs", ..]
        | ["version" | "login" | "context", ..]
        | ["repo" | "proj" | "cluster" | "appset", "list" | "get", ..] => Ok(Vec::new()),
        ["app", "sync", app] => {
            let known = [
                "prune",
                "dry-run",
                "force",
                "replace",
                "strategy",
                "revision",
                "resource",
                "async",
                "timeout",
                "server-side",
            ];
            if read.other(&known).is_some() {
                return Err(unknown());
            }
            let mut request = SyncRequest {
                prune: read.is_set("prune"),
                dry_run: read.is_set("dry-run"),
                force: read.is_set("force"),
                revision: read.flag(&["revision"]).unwrap_or("").into(),
                ..SyncRequest::default()
            };
            match read.flag(&["strategy"]) {
                None | Some("" | "hook") => {}
                Some("apply") => request.apply_only = true,
                Some(_) => return Err(unknown()),
            }
            for (flag, option) in [("replace", "Replace=true"), ("server-side", "ServerSideApply=true")] {
                if read.is_set(flag) {
                    request.options.push(option.into());
                }
            }
            for (_, resource) in read.flags.iter().filter(|(flag, _)| *flag == "resource") {
                let mut parts = resource.splitn(3, ':').map(Rc::from);
                let (Some(group), Some(kind), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
                    return Err(unknown());
                };
                request.resources.push((group, kind, name));
            }
            Ok(vec![Command::SyncAppWith { app: app.into(), request }])
        }
        ["app", "rollback", app, id] => {
            let id = id.parse().map_err(|_| unknown())?;
            Ok(vec![Command::Rollback { app: app.into(), id }])
        }
        ["app", "terminate-op", app] => Ok(vec![Command::TerminateOp { app: app.into() }]),
        _ => Err(unknown()),
    }
}
