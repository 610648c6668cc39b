//! What a person types at the lab machine's prompt, as commands of the simulation: one file a tool. A line either
//! changes something (one or more commands), only looks (no command), or is not simulated, which is said.

mod argocd_cli;
mod git_cli;
mod kubectl_cli;

use crate::command::Command;

/// The commands of one line that is split into words already, the tool's name first. `stdin` is what a pipe or a here
/// document gives it, `cwd` the work tree that git runs in. A line that only looks gives no command.
///
/// # Errors
/// Words that say what is not simulated.
pub fn parse(words: &[&str], stdin: &str, cwd: &str) -> Result<Vec<Command>, String> {
    match words.split_first() {
        Some((&"kubectl", rest)) => kubectl_cli::parse(rest, stdin),
        Some((&"argocd", rest)) => argocd_cli::parse(rest),
        Some((&"git", rest)) => git_cli::parse(rest, cwd),
        Some((tool, _)) => Err(format!("{tool}: not simulated yet")),
        None => Ok(Vec::new()),
    }
}

/// Words of a line sorted into plain ones and flags. `--flag=value`, `--flag value` and `-f value` are read alike; the
/// names in `valued` take the next word as their value, all others stand alone.
struct Words<'a> {
    plain: Vec<&'a str>,
    flags: Vec<(&'a str, &'a str)>,
}

impl<'a> Words<'a> {
    fn read(words: &[&'a str], valued: &[&str]) -> Words<'a> {
        let (mut plain, mut flags) = (Vec::new(), Vec::new());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let bare = word.trim_start_matches('-');
            if bare.len() == word.len() || bare.is_empty() {
                plain.push(*word);
            } else if let Some((name, value)) = bare.split_once('=') {
                flags.push((name, value));
            } else if valued.contains(&bare) {
                flags.push((bare, words.next().copied().unwrap_or("")));
            } else {
                flags.push((bare, "true"));
            }
        }
        Words { plain, flags }
    }

    /// The value of the first flag among these names.
    fn flag(&self, names: &[&str]) -> Option<&'a str> {
        self.flags.iter().find(|(name, _)| names.contains(name)).map(|(_, value)| *value)
    }

    fn is_set(&self, name: &str) -> bool {
        self.flag(&[name]).is_some_and(|value| value != "false")
    }

    /// The first flag that is not among these.
    fn other(&self, known: &[&str]) -> Option<&'a str> {
        self.flags.iter().map(|(name, _)| *name).find(|name| !known.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::ObjectRef;

    fn one(line: &str) -> Command {
        let words: Vec<&str> = line.split(' ').collect();
        let mut commands = parse(&words, "", "/repo").unwrap();
        assert_eq!(commands.len(), 1, "{line}");
        commands.remove(0)
    }

    #[test]
    fn flags_may_stand_anywhere() {
        let object =
            ObjectRef { kind: "deploy".into(), namespace: "x".into(), name: "web".into(), ..ObjectRef::default() };
        let scaled = Command::KubectlScale { object, replicas: 3 };
        assert_eq!(one("kubectl -n x scale deploy web --replicas=3"), scaled);
        assert_eq!(one("kubectl scale deploy/web --replicas 3 --namespace=x"), scaled);
    }

    #[test]
    fn looking_is_no_command_and_strangers_are_refused() {
        assert_eq!(parse(&["kubectl", "get", "pods"], "", ""), Ok(Vec::new()));
        assert_eq!(parse(&["argocd", "app", "get", "x"], "", ""), Ok(Vec::new()));
        assert!(parse(&["kubectl", "drain", "node"], "", "").is_err());
        assert!(parse(&["argocd", "app", "sync", "x", "--frobnicate"], "", "").is_err());
    }

    #[test]
    fn a_sync_with_flags() {
        let Command::SyncAppWith { app, request } = one("argocd app sync x --resource apps:Deployment:web --dry-run")
        else {
            panic!("another command")
        };
        assert_eq!((&*app, request.dry_run, request.prune), ("x", true, false));
        assert_eq!(request.resources, [("apps".into(), "Deployment".into(), "web".into())]);
    }

    #[test]
    fn git_in_a_work_tree() {
        assert_eq!(one("git commit -am fix"), Command::GitCommit { dir: "/repo".into(), message: "fix".into() });
        assert_eq!(one("git push origin main"), Command::GitPush { dir: "/repo".into(), branch: Some("main".into()) });
    }
}
