//! The text that keeps a playground: the lesson's id, the log, the moments and a digest of the end state, so that a
//! replay that ends elsewhere says so. JSON with names, so that a later build can read what an earlier one kept.

use crate::log::Entry;
use base::{Json, SortedMap};
use protocol::{Command, ObjectView};

/// Raised whenever old texts need a different reading.
pub const SAVED_FORMAT: u32 = 1;

/// The text's content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    /// Build that wrote it.
    pub build: String,
    /// Lesson.
    pub lesson: String,
    /// File in view.
    pub focus: String,
    /// What happened.
    pub log: Vec<Entry>,
    /// Remembered moments: name → number of log entries.
    pub moments: SortedMap<String, usize>,
    /// Digest of the state after the log.
    pub digest: String,
}

impl Saved {
    /// The text.
    pub fn to_text(&self) -> String {
        let moments = self.moments.iter().map(|(name, at)| (name.as_str(), number(*at as u64)));
        Json::map([
            ("format", number(SAVED_FORMAT.into())),
            ("build", self.build.as_str().into()),
            ("lesson", self.lesson.as_str().into()),
            ("focus", self.focus.as_str().into()),
            ("log", Json::list(self.log.iter().map(entry))),
            ("moments", Json::map(moments)),
            ("digest", self.digest.as_str().into()),
        ])
        .to_raw_text()
    }

    /// Reads a text; the error is a text key.
    pub fn read(text: &str) -> Result<Saved, &'static str> {
        const UNREADABLE: &str = "saved-unreadable";
        let json = Json::parse(text).map_err(|_| UNREADABLE)?;
        if json.int_at(&["format"]).ok_or(UNREADABLE)? != i64::from(SAVED_FORMAT) {
            return Err("saved-from-newer-version");
        }
        content(&json).ok_or(UNREADABLE)
    }
}

fn content(json: &Json) -> Option<Saved> {
    let text = |key: &str| json.text_at(&[key]).to_string();
    let moments = json.get("moments").and_then(Json::as_map);
    Some(Saved {
        build: text("build"),
        lesson: json.get("lesson")?.as_str()?.to_string(),
        focus: text("focus"),
        log: json.get("log")?.as_list()?.iter().map(read_entry).collect::<Option<_>>()?,
        moments: moments
            .into_iter()
            .flatten()
            .map(|(name, at)| Some((name.to_string(), usize::try_from(at.as_int()?).ok()?)))
            .collect::<Option<Vec<_>>>()?
            .into(),
        digest: text("digest"),
    })
}

fn number(n: u64) -> Json {
    Json::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

/// A variant with fields, as `{ "Name": { … } }`.
fn variant(name: &str, fields: &[(&str, Json)]) -> Json {
    Json::map([(name, Json::map(fields.iter().cloned()))])
}

fn entry(entry: &Entry) -> Json {
    match entry {
        Entry::Edit { path, from, to, insert } => variant(
            "Edit",
            &[
                ("path", path.as_str().into()),
                ("from", number(*from as u64)),
                ("to", number(*to as u64)),
                ("insert", insert.as_str().into()),
            ],
        ),
        Entry::Write { path, text } => {
            variant("Write", &[("path", path.as_str().into()), ("text", text.as_str().into())])
        }
        Entry::Delete { path } => variant("Delete", &[("path", path.as_str().into())]),
        Entry::Rename { from, to } => variant("Rename", &[("from", from.as_str().into()), ("to", to.as_str().into())]),
        Entry::Run(command) => Json::map([("Run", command_json(command))]),
        Entry::Advance(ms) => Json::map([("Advance", number(*ms))]),
    }
}

fn command_json(command: &Command) -> Json {
    match command {
        Command::GitCommit { message } => variant("GitCommit", &[("message", message.as_str().into())]),
        Command::GitPush => "GitPush".into(),
        Command::KubectlApply { path } => variant("KubectlApply", &[("path", path.as_str().into())]),
        Command::Refresh { app, hard } => variant("Refresh", &[("app", app.as_str().into()), ("hard", (*hard).into())]),
        Command::Sync { app } => variant("Sync", &[("app", app.as_str().into())]),
        Command::Line { line } => variant("Line", &[("line", line.as_str().into())]),
        Command::Edit { object, text } => variant(
            "Edit",
            &[
                ("group", object.group.as_str().into()),
                ("kind", object.kind.as_str().into()),
                ("namespace", object.namespace.as_str().into()),
                ("name", object.name.as_str().into()),
                ("text", text.as_str().into()),
            ],
        ),
    }
}

fn read_entry(json: &Json) -> Option<Entry> {
    let (name, fields) = json.as_map()?.first_key_value()?;
    let text = |key: &str| fields.get(key).and_then(Json::as_str).map(str::to_string);
    let place = |key: &str| fields.int_at(&[key]).and_then(|n| usize::try_from(n).ok());
    Some(match &**name {
        "Edit" => Entry::Edit { path: text("path")?, from: place("from")?, to: place("to")?, insert: text("insert")? },
        "Write" => Entry::Write { path: text("path")?, text: text("text")? },
        "Delete" => Entry::Delete { path: text("path")? },
        "Rename" => Entry::Rename { from: text("from")?, to: text("to")? },
        "Run" => Entry::Run(read_command(fields)?),
        "Advance" => Entry::Advance(u64::try_from(fields.as_int()?).ok()?),
        _ => return None,
    })
}

fn read_command(json: &Json) -> Option<Command> {
    if json.as_str() == Some("GitPush") {
        return Some(Command::GitPush);
    }
    let (name, fields) = json.as_map()?.first_key_value()?;
    let text = |key: &str| fields.get(key).and_then(Json::as_str).map(str::to_string);
    Some(match &**name {
        "GitCommit" => Command::GitCommit { message: text("message")? },
        "KubectlApply" => Command::KubectlApply { path: text("path")? },
        "Refresh" => Command::Refresh { app: text("app")?, hard: fields.get("hard")?.as_bool()? },
        "Sync" => Command::Sync { app: text("app")? },
        "Line" => Command::Line { line: text("line")? },
        "Edit" => Command::Edit {
            object: ObjectView {
                group: text("group")?,
                kind: text("kind")?,
                namespace: text("namespace")?,
                name: text("name")?,
            },
            text: text("text")?,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_comes_back() {
        let t = |text: &str| text.to_string();
        let saved = Saved {
            build: t("0"),
            lesson: t("lab-values"),
            focus: t("/a"),
            log: vec![
                Entry::Edit { path: t("/a"), from: 1, to: 2, insert: t("<가>\n\u{2028}") },
                Entry::Write { path: t("/a"), text: t("") },
                Entry::Delete { path: t("/a") },
                Entry::Rename { from: t("/a"), to: t("/b") },
                Entry::Run(Command::GitCommit { message: t("m") }),
                Entry::Run(Command::GitPush),
                Entry::Run(Command::KubectlApply { path: t("/a") }),
                Entry::Run(Command::Refresh { app: t("x"), hard: true }),
                Entry::Run(Command::Sync { app: t("x") }),
                Entry::Run(Command::Line { line: t("argocd app terminate-op x") }),
                Entry::Run(Command::Edit {
                    object: ObjectView { kind: t("Pod"), ..ObjectView::default() },
                    text: t("a"),
                }),
                Entry::Advance(5),
            ],
            moments: [(t("start"), 3)].into(),
            digest: t("d"),
        };
        assert_eq!(Saved::read(&saved.to_text()), Ok(saved));
        assert_eq!(Saved::read("{}"), Err("saved-unreadable"));
        assert_eq!(Saved::read(r#"{"format":9}"#), Err("saved-from-newer-version"));
        assert_eq!(Saved::read(r#"{"format":1,"lesson":"x","log":[{"Jump":1}]}"#), Err("saved-unreadable"));
    }
}
