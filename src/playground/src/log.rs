//! The command log: the whole history of a playground as plain data. Edits of one file coalesce into one delta before
//! the next command, adjacent advances merge, and replaying the log gives the same state, byte for byte.

use protocol::Command;

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Bytes `from..to` of a file's text were replaced.
    Edit {
        /// Absolute path.
        path: String,
        /// First byte that went.
        from: usize,
        /// Just after the last byte that went.
        to: usize,
        /// What came instead.
        insert: String,
    },
    /// A file was written whole: it is new, or it was not text before.
    Write {
        /// Absolute path.
        path: String,
        /// Content.
        text: String,
    },
    /// A file was deleted.
    Delete {
        /// Absolute path.
        path: String,
    },
    /// A file was moved.
    Rename {
        /// Old absolute path.
        from: String,
        /// New absolute path.
        to: String,
    },
    /// A command ran.
    Run(Command),
    /// So many milliseconds passed. Every move of the clock becomes this, with the time that really passed.
    Advance(u64),
}

/// Appends an entry; neighbours that are one thing become one entry.
pub fn push(log: &mut Vec<Entry>, entry: Entry) {
    match (log.last_mut(), &entry) {
        (_, Entry::Advance(0)) => {}
        (Some(Entry::Advance(ms)), Entry::Advance(more)) => *ms = ms.saturating_add(*more),
        (Some(Entry::Write { path, text }), Entry::Write { path: again, text: newer }) if path == again => {
            text.clone_from(newer);
        }
        _ => log.push(entry),
    }
}

/// The entry that turns `old` into `new`: the smallest replaced range.
pub fn delta(path: &str, old: &str, new: &str) -> Option<Entry> {
    if old == new {
        return None;
    }
    let mut from = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    while !(old.is_char_boundary(from) && new.is_char_boundary(from)) {
        from -= 1;
    }
    let rest = |text: &str| text.len() - from;
    let tail = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    let mut tail = tail.min(rest(old)).min(rest(new));
    while !(old.is_char_boundary(old.len() - tail) && new.is_char_boundary(new.len() - tail)) {
        tail -= 1;
    }
    let insert = new[from..new.len() - tail].to_string();
    Some(Entry::Edit { path: path.to_string(), from, to: old.len() - tail, insert })
}

/// `text` with bytes `from..to` replaced; `None` when the range is not one of the text.
pub fn splice(text: &str, from: usize, to: usize, insert: &str) -> Option<String> {
    if from > to {
        return None;
    }
    let (before, after) = (text.get(..from)?, text.get(to..)?);
    Some([before, insert, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_are_small_and_exact() {
        for (old, new) in [("abc", "abXc"), ("aaa", "aa"), ("", "x"), ("가나", "가다나"), ("각", "간"), ("ab", "ba")]
        {
            let Some(Entry::Edit { from, to, insert, .. }) = delta("p", old, new) else { panic!("{old} {new}") };
            assert_eq!(splice(old, from, to, &insert).as_deref(), Some(new));
        }
        assert_eq!(
            delta("p", "a: 2\n", "a: 3\n"),
            Some(Entry::Edit { path: "p".into(), from: 3, to: 4, insert: "3".into() })
        );
        assert_eq!(delta("p", "x", "x"), None);
        assert_eq!(splice("가", 1, 2, ""), None);
    }

    #[test]
    fn advances_merge() {
        let mut log = Vec::new();
        for entry in
            [Entry::Advance(5), Entry::Advance(0), Entry::Advance(7), Entry::Run(Command::GitPush), Entry::Advance(1)]
        {
            push(&mut log, entry);
        }
        assert_eq!(log, vec![Entry::Advance(12), Entry::Run(Command::GitPush), Entry::Advance(1)]);
    }
}
