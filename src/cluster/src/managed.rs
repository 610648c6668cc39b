//! `metadata.managedFields`: who owns which field, after an update or a server-side apply.

use crate::fields::{Difference, FieldSet};
use base::{Json, Time};

/// The operation of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    /// Server-side apply.
    Apply,
    /// Everything else.
    Update,
}

/// One manager's entry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) manager: String,
    pub(crate) operation: Operation,
    pub(crate) api_version: String,
    pub(crate) subresource: String,
    pub(crate) time: String,
    pub(crate) fields: FieldSet,
}

/// Who writes now.
#[derive(Clone, Debug)]
pub(crate) struct Author<'a> {
    pub(crate) manager: &'a str,
    pub(crate) api_version: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) now: Time,
}

/// Entries of update managers that are kept apart; older ones are folded into `ancient-changes`.
const UPDATE_MANAGERS: usize = 10;

/// Reads `metadata.managedFields`; entries without manager and fields are left out.
pub(crate) fn read(object: &Json) -> Vec<Entry> {
    let items = object.items_at(&["metadata", "managedFields"]).iter();
    items
        .filter(|item| item.as_map().is_some_and(|m| !m.is_empty()))
        .map(|item| Entry {
            manager: item.text_at(&["manager"]).to_string(),
            operation: if item.text_at(&["operation"]) == "Apply" { Operation::Apply } else { Operation::Update },
            api_version: item.text_at(&["apiVersion"]).to_string(),
            subresource: item.text_at(&["subresource"]).to_string(),
            time: item.text_at(&["time"]).to_string(),
            fields: FieldSet::read(item.get("fieldsV1").unwrap_or(&Json::Null)),
        })
        .collect()
}

/// Writes `metadata.managedFields`, sorted as the server sorts.
pub(crate) fn write(object: &mut Json, mut entries: Vec<Entry>) {
    entries.retain(|entry| !entry.fields.is_empty());
    if entries.is_empty() {
        object.remove(&["metadata", "managedFields"]);
        return;
    }
    base::order::sort_by(&mut entries, |a, b| {
        let key =
            |e: &Entry| (e.operation, e.time.clone(), e.manager.clone(), e.api_version.clone(), e.subresource.clone());
        key(a).cmp(&key(b))
    });
    let list = entries.into_iter().map(|entry| {
        let mut out = Json::map([
            ("manager", Json::str(entry.manager)),
            ("operation", Json::str(if entry.operation == Operation::Apply { "Apply" } else { "Update" })),
            ("apiVersion", Json::str(entry.api_version)),
            ("time", Json::str(entry.time)),
            ("fieldsType", Json::str("FieldsV1")),
            ("fieldsV1", entry.fields.write()),
        ]);
        if !entry.subresource.is_empty() {
            out.set(&["subresource"], Json::str(entry.subresource));
        }
        out
    });
    object.set(&["metadata", "managedFields"], Json::list(list));
}

/// Gives what changed to the author and takes it from everybody else; what is gone is nobody's.
pub(crate) fn after_update(entries: &mut Vec<Entry>, difference: &Difference, author: &Author<'_>) {
    for entry in entries.iter_mut() {
        entry.fields.subtract(&difference.removed);
        if !is_author(entry, author, Operation::Update) {
            entry.fields.subtract(&difference.changed);
        }
    }
    if !difference.changed.is_empty() {
        let own = entry_of(entries, author, Operation::Update);
        own.fields.add(&difference.changed);
        own.time = author.now.rfc3339();
    }
    entries.retain(|entry| !entry.fields.is_empty());
    cap(entries);
}

fn is_author(entry: &Entry, author: &Author<'_>, operation: Operation) -> bool {
    entry.manager == author.manager
        && entry.operation == operation
        && entry.subresource == author.subresource
        && entry.api_version == author.api_version
}

/// The author's entry, made when missing.
pub(crate) fn entry_of<'a>(entries: &'a mut Vec<Entry>, author: &Author<'_>, operation: Operation) -> &'a mut Entry {
    let at = entries.iter().position(|entry| is_author(entry, author, operation)).unwrap_or_else(|| {
        entries.push(Entry {
            manager: author.manager.to_string(),
            operation,
            api_version: author.api_version.to_string(),
            subresource: author.subresource.to_string(),
            time: author.now.rfc3339(),
            fields: FieldSet::default(),
        });
        entries.len() - 1
    });
    &mut entries[at]
}

fn cap(entries: &mut Vec<Entry>) {
    let updates = |entries: &[Entry]| entries.iter().filter(|e| e.operation == Operation::Update).count();
    while updates(entries) > UPDATE_MANAGERS {
        let mut order: Vec<usize> = (0..entries.len()).filter(|&i| entries[i].operation == Operation::Update).collect();
        base::order::sort_by_key(&mut order, |&i| {
            (entries[i].manager != "ancient-changes", entries[i].time.clone(), entries[i].manager.clone())
        });
        let (first, second) = (order[0], order[1]);
        let gone = entries[second].clone();
        let bucket = &mut entries[first];
        bucket.fields.add(&gone.fields);
        bucket.manager = "ancient-changes".to_string();
        bucket.time = bucket.time.clone().max(gone.time);
        bucket.subresource.clear();
        entries.remove(second);
    }
}

/// The default field manager of a user agent: what stands before the first `/`, at most 128 characters.
pub(crate) fn manager_of_agent(agent: &str) -> String {
    let name = agent.split('/').next().unwrap_or("");
    if name.is_empty() { "unknown".to_string() } else { name.chars().take(128).collect() }
}
