//! What the person typed since the worker last gave a saved playground. Kept by the browser at every keystroke and
//! replayed on top of the saved playground after a reload or a crash of the worker.

use protocol::{Change, RequestKind};
use std::collections::BTreeMap;

/// The newest text of each file that was typed into, with the revision at which it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    edits: BTreeMap<String, (u64, String)>,
}

impl Draft {
    /// Remembers the newest text of a file.
    pub fn typed(&mut self, path: &str, revision: u64, text: String) {
        self.edits.insert(path.to_owned(), (revision, text));
    }

    /// The worker's saved text has everything up to this revision.
    pub fn saved(&mut self, revision: u64) {
        self.edits.retain(|_, (r, _)| *r > revision);
    }

    /// The text of a file that was typed after this revision.
    pub fn newer(&self, path: &str, revision: u64) -> Option<&str> {
        self.edits.get(path).filter(|(r, _)| *r > revision).map(|(_, text)| text.as_str())
    }

    /// A file is gone or moved.
    pub fn forget(&mut self, path: &str) {
        self.edits.remove(path);
    }

    /// Whether nothing was typed since.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The highest revision in it.
    pub fn revision(&self) -> u64 {
        self.edits.values().map(|(r, _)| *r).max().unwrap_or(0)
    }

    /// The requests that bring a worker up to date.
    pub fn replay(&self) -> impl Iterator<Item = RequestKind> + '_ {
        self.edits
            .iter()
            .map(|(path, (_, text))| RequestKind::Edit { path: path.clone(), change: Change::Text(text.clone()) })
    }

    /// As text to keep: for each file a line `revision path-bytes text-bytes`, then path and text.
    pub fn encode(&self) -> String {
        let mut out = String::new();
        for (path, (revision, text)) in &self.edits {
            out.push_str(&format!("{revision} {} {}\n{path}{text}\n", path.len(), text.len()));
        }
        out
    }

    /// From kept text; anything else is an empty draft.
    pub fn decode(text: &str) -> Draft {
        read(text).unwrap_or_default()
    }
}

fn read(mut rest: &str) -> Option<Draft> {
    let mut draft = Draft::default();
    while !rest.is_empty() {
        let (head, body) = rest.split_once('\n')?;
        let mut numbers = head.split(' ').map(|number| number.parse::<u64>().ok());
        let (revision, path, text) = (numbers.next()??, numbers.next()??, numbers.next()??);
        let (path, text) = (usize::try_from(path).ok()?, usize::try_from(text).ok()?);
        let end = path.checked_add(text)?;
        draft.typed(body.get(..path)?, revision, body.get(path..end)?.to_owned());
        rest = body.get(end..)?.strip_prefix('\n')?;
    }
    Some(draft)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_what_was_typed_later() {
        let mut draft = Draft::default();
        draft.typed("a", 1, "one".into());
        draft.typed("b", 3, "three".into());
        draft.saved(1);
        assert_eq!((draft.newer("a", 0), draft.newer("b", 2), draft.newer("b", 3)), (None, Some("three"), None));
        assert_eq!(Draft::decode(&draft.encode()), draft);
        draft.typed("/c d\n", 4, "가\n\n".into());
        assert_eq!(Draft::decode(&draft.encode()), draft);
        for broken in ["{nonsense", "1 2\nab\n", "1 1 9\nab\n", "1 1 1\nab", "9 1 2\na가\n"] {
            assert!(Draft::decode(broken).is_empty(), "{broken}");
        }
    }
}
