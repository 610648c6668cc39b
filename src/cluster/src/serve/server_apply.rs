//! Server-side apply: merge by ownership, with conflicts.

use crate::cluster::Cluster;
use crate::defaults;
use crate::fields::{FieldSet, Parts, child_shape, compare, element, granular};
use crate::managed::{self, Author, Operation};
use crate::schema::{Merge, Shape};
use crate::serve::Context;
use crate::serve::decode::decode;
use crate::serve::write::schema;
use crate::status::Status;
use crate::store::Key;
use base::{Json, Map};
use std::rc::Rc;

impl Cluster {
    pub(crate) fn server_side_apply(
        &mut self,
        key: &Key,
        body: &Json,
        force: bool,
        context: &mut Context<'_>,
    ) -> Result<(u16, Json), Status> {
        let resource = context.resource;
        let shape = self.shape_of(resource);
        let mut config = body.clone();
        config.remove(&["metadata", "managedFields"]);
        if let Some(namespace) = (!key.namespace.is_empty()).then(|| key.namespace.clone()) {
            config.set(&["metadata", "namespace"], Json::str(namespace));
        }
        config.set(&["metadata", "name"], Json::str(key.name.clone()));
        let mut applied = FieldSet::of(&config, &shape);
        applied.strip_identity();
        let live = self.store.get(key).cloned();
        let api_version = resource.api_version();
        let manager = context.manager.clone();
        let author =
            Author { manager: &manager, api_version: &api_version, subresource: context.subresource, now: self.now };
        let Some(live) = live else {
            context.applied = Some(applied);
            return self.create_object(key.clone(), config, context);
        };
        let mut entries = managed::read(&live);
        let previous = managed::entry_of(&mut entries, &author, Operation::Apply).fields.clone();
        let mut merged = merge(&live, &config, &shape);
        // What this manager applied before and no longer does goes, unless somebody else owns it too.
        let mut dropped = previous.clone();
        dropped.subtract(&applied);
        for entry in entries.iter().filter(|e| !(e.manager == manager && e.operation == Operation::Apply)) {
            dropped.subtract(&entry.fields);
        }
        let foreign: Vec<FieldSet> = entries
            .iter()
            .filter(|e| !(e.manager == manager && e.operation == Operation::Apply))
            .map(|e| e.fields.clone())
            .collect();
        drop_whole(&mut dropped, &previous, Some(&applied), &foreign.iter().collect::<Vec<_>>());
        merged = prune(&merged, &dropped, &shape).unwrap_or_default();
        // Conflicts are about what was written, before it takes its canonical form.
        let written = compare(&live, &merged, &shape, schema(resource)).changed;
        let mut decoded = decode(&merged, context)?;
        self.admit_custom(&mut decoded, context)?;
        defaults::fill(&resource.kind, &mut decoded);
        let difference = compare(&live, &decoded, &self.shape_of(resource), schema(resource));
        let wanted = applied.both(&written);
        let mut conflicts = Vec::new();
        for entry in &mut entries {
            if entry.manager == manager && entry.operation == Operation::Apply {
                continue;
            }
            let taken = entry.fields.both(&wanted);
            if !taken.is_empty() {
                conflicts.push((entry.clone(), taken.clone()));
                entry.fields.subtract(&taken);
            }
        }
        if !conflicts.is_empty() && !force {
            return Err(conflict(&conflicts));
        }
        for entry in &mut entries {
            entry.fields.subtract(&difference.removed);
        }
        let own = managed::entry_of(&mut entries, &author, Operation::Apply);
        if own.fields != applied {
            own.time = self.now.rfc3339();
        }
        own.fields = applied;
        // Fields that the server fills in or drops along the way belong to nobody by an apply.
        if resource.status && context.subresource.is_empty() {
            match live.get("status") {
                Some(status) => decoded.set(&["status"], status.clone()),
                None => {
                    decoded.remove(&["status"]);
                }
            }
        }
        let old = live.clone();
        let stored = self.commit_settled(key, &old, decoded, entries, context)?;
        Ok((200, stored))
    }
}

fn conflict(conflicts: &[(managed::Entry, FieldSet)]) -> Status {
    let who = |entry: &managed::Entry| {
        let mut text = format!("conflict with \"{}\"", entry.manager);
        if entry.operation == Operation::Update {
            if !entry.subresource.is_empty() {
                text += &format!(" with subresource \"{}\"", entry.subresource);
            }
            text += &format!(" using {}", entry.api_version);
        }
        text
    };
    let mut causes = Vec::new();
    let mut lines = Vec::new();
    let mut count = 0;
    for (entry, fields) in conflicts {
        let paths = fields.paths();
        count += paths.len();
        lines.push((who(entry), paths.clone()));
        for path in paths {
            causes.push(Json::map([
                ("reason", Json::str("FieldManagerConflict")),
                ("message", Json::str(who(entry))),
                ("field", Json::str(path)),
            ]));
        }
    }
    let noun = if count == 1 { "conflict" } else { "conflicts" };
    let text = match lines.as_slice() {
        [(who, paths)] if paths.len() == 1 => format!("Apply failed with 1 {noun}: {who}: {}", paths[0]),
        _ => {
            let parts: Vec<String> = lines
                .iter()
                .map(|(who, paths)| {
                    let list: Vec<String> = paths.iter().map(|p| format!("- {p}")).collect();
                    format!("{}s{}:\n{}", "conflict", who.trim_start_matches("conflict"), list.join("\n"))
                })
                .collect();
            format!("Apply failed with {count} {noun}: {}", parts.join("\n"))
        }
    };
    let mut status = Status::new(409, "Conflict", text);
    status.details = Json::map([("causes", Json::list(causes))]);
    status
}

/// Lays `config` over `live`: maps by key, keyed lists by their keys, the rest as a whole.
fn merge(live: &Json, config: &Json, shape: &Shape) -> Json {
    match (granular(live, shape), granular(config, shape)) {
        (Parts::Fields(old), Parts::Fields(new)) => {
            let mut out: Map = old.clone();
            for (key, value) in new {
                let merged = match old.get(key) {
                    Some(was) => merge(was, value, &child_shape(shape, key)),
                    None => value.clone(),
                };
                out.insert(key.clone(), merged);
            }
            Json::Map(Rc::new(out))
        }
        (Parts::Items(old), Parts::Items(new)) => {
            let Shape::List { item, .. } = shape else { return config.clone() };
            let mut out: Vec<(Rc<str>, Json)> = old.into_iter().map(|(k, v)| (k, v.clone())).collect();
            for (key, value) in new {
                match out.iter_mut().find(|(k, _)| *k == key) {
                    Some((_, was)) => *was = merge(was, value, item),
                    None => out.push((key, value.clone())),
                }
            }
            Json::list(out.into_iter().map(|(_, v)| v))
        }
        _ => config.clone(),
    }
}

/// A named struct that is applied no more goes whole, with the defaults in it that belong to nobody.
fn drop_whole(dropped: &mut FieldSet, previous: &FieldSet, applied: Option<&FieldSet>, others: &[&FieldSet]) {
    for (name, child) in &previous.children {
        if child.children.is_empty() {
            continue;
        }
        let Some(gone) = dropped.children.get_mut(name) else { continue };
        let now = applied.and_then(|a| a.children.get(name));
        let held: Vec<&FieldSet> = others.iter().filter_map(|o| o.children.get(name)).collect();
        let struct_goes = name.starts_with("f:") && !name.starts_with("f:metadata");
        if struct_goes && now.is_none() && held.is_empty() {
            gone.member = true;
            gone.children.clear();
        } else {
            drop_whole(gone, child, now, &held);
        }
    }
}

/// Removes the paths of a set; `None` when nothing is left of a value that the set names.
fn prune(value: &Json, gone: &FieldSet, shape: &Shape) -> Option<Json> {
    if gone.is_empty() {
        return Some(value.clone());
    }
    match (value, shape) {
        (Json::Map(members), _) if !gone.children.is_empty() => {
            let mut out = Map::new();
            for (key, item) in members.iter() {
                match gone.children.get(format!("f:{key}").as_str()) {
                    Some(child) => {
                        if let Some(kept) = prune(item, child, &child_shape(shape, key)) {
                            out.insert(key.clone(), kept);
                        }
                    }
                    None => {
                        out.insert(key.clone(), item.clone());
                    }
                }
            }
            (!out.is_empty() || !gone.member).then(|| Json::Map(Rc::new(out)))
        }
        (Json::List(items), Shape::List { item, merge }) if *merge != Merge::Atomic && !gone.children.is_empty() => {
            let mut out = Vec::new();
            for entry in items.iter() {
                match gone.children.get(&element(entry, merge)) {
                    Some(child) if child.member => {}
                    Some(child) => out.extend(prune(entry, child, item)),
                    None => out.push(entry.clone()),
                }
            }
            (!out.is_empty() || !gone.member).then(|| Json::list(out))
        }
        _ => (!gone.member).then(|| value.clone()),
    }
}
