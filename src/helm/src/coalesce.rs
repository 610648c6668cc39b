//! Coalescing of values (Helm's `pkg/chartutil/coalesce.go`): user values over a chart's defaults, globals handed down,
//! nulls that remove keys. Tables are changed in place and some stay shared between charts, as in Helm, because what
//! leaks through them is visible in renders.

use crate::chart::ChartRef;
use crate::notice::Log;
use crate::strvals::quote;
use crate::values::{Data, Table, TableRef, Value, deep_copy};
use crate::version::HelmVersion;
use base::Fate;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The key under which values are handed down to sub-charts.
const GLOBAL: &str = "global";
const CODE: &str = "helm/values";

/// Which of the two flavours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// A null removes the default below it: what a render sees (`CoalesceValues`).
    Remove,
    /// Nulls are kept for a later step (`MergeValues`).
    Keep,
}

/// The effective values of `chart` and its sub-charts under the user's `values`, which are not changed. The error is
/// Helm's text for a sub-chart section that is not a table.
pub fn coalesce(
    chart: &ChartRef,
    values: &TableRef,
    nulls: Nulls,
    version: HelmVersion,
    log: &mut Log,
) -> Result<TableRef, String> {
    let dest = deep_copy(values);
    Run { version, log }.chart(chart, &dest, "", nulls)?;
    Ok(dest)
}

/// Merges `src` into `dst`, which is stronger. `src` may gain nulls, as in Helm.
pub fn tables(dst: &TableRef, src: &TableRef, nulls: Nulls, version: HelmVersion, log: &mut Log) {
    Run { version, log }.tables(dst, src, "", nulls, Fate::Overridden);
}

struct Run<'a> {
    version: HelmVersion,
    log: &'a mut Log,
}

fn join(prefix: &str, key: &str) -> String {
    if prefix.is_empty() { key.to_string() } else { format!("{prefix}.{key}") }
}

impl Run<'_> {
    fn chart(&mut self, chart: &ChartRef, dest: &TableRef, prefix: &str, nulls: Nulls) -> Result<(), String> {
        self.defaults(chart, dest, prefix, nulls);
        let path = join(prefix, &chart.name());
        for sub in chart.dependencies.borrow().iter() {
            let name = sub.name();
            let existing = dest.borrow().get(&name).cloned();
            let section = match existing {
                None => {
                    let section = TableRef::default();
                    dest.borrow_mut().entries.insert(name, Value::new(Data::Map(section.clone()), None));
                    section
                }
                Some(value) => match value.as_table() {
                    Some(section) => section.clone(),
                    None => return Err(format!("type mismatch on {name}: {}", percent_t(&value))),
                },
            };
            self.globals(&section, dest, &path);
            self.chart(sub, &section, &path, nulls)?;
        }
        Ok(())
    }

    /// Hands the parent's globals down to a sub-chart's section.
    fn globals(&mut self, dest: &TableRef, src: &TableRef, prefix: &str) {
        let table_of = |owner: &TableRef| match owner.borrow().get(GLOBAL) {
            None => Ok(TableRef::default()),
            Some(value) => value.as_table().cloned().ok_or(()),
        };
        let Ok(child) = table_of(dest) else {
            let text = format!("warning: skipping globals because destination {GLOBAL} is not a table.");
            return self.log.warn("coalesce.go:138", CODE, text);
        };
        let Ok(parent) = table_of(src) else {
            let text = format!("warning: skipping globals because source {GLOBAL} is not a table.");
            return self.log.warn("coalesce.go:145", CODE, text);
        };
        let entries: Vec<(Rc<str>, Value)> =
            parent.borrow().entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        for (key, value) in entries {
            let existing = child.borrow().get(&key).cloned();
            let Some(table) = value.as_table() else {
                if existing.as_ref().is_some_and(|old| old.as_table().is_some()) {
                    self.log.warn("coalesce.go:175", CODE, format!("key {key} is table. Skipping"));
                } else {
                    let mut value = value;
                    if let Some(old) = existing {
                        value.beat(&old, Fate::ParentGlobal);
                    }
                    child.borrow_mut().entries.insert(key, value);
                }
                continue;
            };
            // Helm copies only the outermost table; deeper ones stay shared with the parent.
            let copy: TableRef = Rc::new(RefCell::new(table.borrow().clone()));
            let mut merged = Value { data: Data::Map(copy.clone()), ..value.clone() };
            if let Some(old) = existing {
                let Some(old_table) = old.as_table() else {
                    let text = format!("Conflict: cannot merge map onto non-map for {}. Skipping.", quote(&key));
                    self.log.warn("coalesce.go:161", CODE, text);
                    continue;
                };
                self.tables(&copy, old_table, &join(prefix, &key), Nulls::Keep, Fate::ParentGlobal);
                merged.beat(&Value { data: Data::Null, ..old.clone() }, Fate::ParentGlobal);
                merged.losers = None;
            }
            child.borrow_mut().entries.insert(key, merged);
        }
        let source = dest.borrow().get(GLOBAL).and_then(|value| value.source.clone());
        dest.borrow_mut().entries.insert(GLOBAL.into(), Value::new(Data::Map(child), source));
    }

    /// The chart's own `values.yaml` below the values it is given.
    fn defaults(&mut self, chart: &ChartRef, dest: &TableRef, prefix: &str, nulls: Nulls) {
        let path = join(prefix, &chart.name());
        let defaults = deep_copy(&chart.values.borrow());
        let defaults = Rc::unwrap_or_clone(defaults).into_inner();
        for (key, default) in defaults.entries {
            let existing = dest.borrow().get(&key).cloned();
            let Some(mut value) = existing else {
                if let Some(default) = self.default_to_copy(default, nulls) {
                    dest.borrow_mut().entries.insert(key, default);
                }
                continue;
            };
            if value.is_null() && nulls == Nulls::Remove {
                dest.borrow_mut().remove_by_null(&key, Some(&default));
                continue;
            }
            let (Some(table), src) = (value.as_table().cloned(), default.as_table()) else {
                value.beat(&default, fate(&value, &default));
                dest.borrow_mut().entries.insert(key, value);
                continue;
            };
            match src {
                Some(src) => {
                    let is_sub = chart.dependencies.borrow().iter().any(|sub| *sub.name() == *key);
                    let nulls = if is_sub { Nulls::Keep } else { nulls };
                    if self.version.is_v4() && nulls == Nulls::Remove {
                        clean_nulls(src);
                    }
                    self.tables(&table, src, &join(&path, &key), nulls, Fate::Overridden);
                }
                None => {
                    if !default.is_null() {
                        let text = format!("warning: skipped value for {path}.{key}: Not a table.");
                        self.log.warn("coalesce.go:237", CODE, text);
                        value.beat(&default, Fate::TypeConflict);
                        dest.borrow_mut().entries.insert(key, value);
                    }
                }
            }
        }
    }

    /// A default that nobody overrides. Helm 4 leaves out nulls of it at any depth of tables while coalescing.
    fn default_to_copy(&self, default: Value, nulls: Nulls) -> Option<Value> {
        if !self.version.is_v4() || nulls == Nulls::Keep {
            return Some(default);
        }
        if default.is_null() {
            return None;
        }
        if let Some(table) = default.as_table() {
            clean_nulls(table);
        }
        Some(default)
    }

    fn tables(&mut self, dst: &TableRef, src: &TableRef, prefix: &str, nulls: Nulls, fate_of_loser: Fate) {
        if Rc::ptr_eq(dst, src) {
            return;
        }
        let had_value: BTreeSet<Rc<str>> = {
            let src = src.borrow();
            src.entries.iter().filter(|(_, value)| !value.is_null()).map(|(key, _)| key.clone()).collect()
        };
        // Helm copies the nulls of the stronger side into the weaker one first.
        let mut originals: Vec<(Rc<str>, Value)> = Vec::new();
        for (key, value) in dst.borrow().entries.iter().filter(|(_, value)| value.is_null()) {
            if let Some(old) = src.borrow_mut().entries.insert(key.clone(), value.clone()) {
                originals.push((key.clone(), old));
            }
        }
        let entries: Vec<(Rc<str>, Value)> =
            src.borrow().entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        for (key, value) in entries {
            let existing = dst.borrow().get(&key).cloned();
            let Some(mut strong) = existing else {
                dst.borrow_mut().entries.insert(key, value);
                continue;
            };
            if strong.is_null() && nulls == Nulls::Remove && had_value.contains(&key) {
                let loser = originals.iter().find(|(k, _)| *k == key).map(|(_, value)| value);
                dst.borrow_mut().remove_by_null(&key, loser);
                continue;
            }
            match (strong.as_table().cloned(), value.as_table()) {
                (Some(strong), Some(weak)) => {
                    self.tables(&strong, weak, &join(prefix, &key), nulls, fate_of_loser.clone());
                }
                (None, Some(_)) => {
                    let full = join(prefix, &key);
                    let text =
                        format!("warning: cannot overwrite table with non table for {full} ({})", value.go_text());
                    self.log.warn("coalesce.go:316", CODE, text);
                    strong.beat(&value, Fate::TypeConflict);
                    dst.borrow_mut().entries.insert(key, strong);
                }
                (Some(_), None) if !value.is_null() => {
                    let full = join(prefix, &key);
                    let text = format!(
                        "warning: destination for {full} is a table. Ignoring non-table value ({})",
                        value.go_text()
                    );
                    self.log.warn("coalesce.go:319", CODE, text);
                    strong.beat(&value, Fate::TypeConflict);
                    dst.borrow_mut().entries.insert(key, strong);
                }
                _ => {
                    let why =
                        if fate_of_loser == Fate::Overridden { fate(&strong, &value) } else { fate_of_loser.clone() };
                    strong.beat(&value, why);
                    dst.borrow_mut().entries.insert(key, strong);
                }
            }
        }
    }
}

fn fate(winner: &Value, loser: &Value) -> Fate {
    match (&winner.data, &loser.data) {
        (Data::List(_), Data::List(_)) => Fate::ListReplaced,
        _ => Fate::Overridden,
    }
}

fn clean_nulls(table: &TableRef) {
    let mut inner = table.borrow_mut();
    inner.entries.retain(|_, value| !value.is_null());
    for value in inner.entries.values() {
        if let Some(table) = value.as_table() {
            clean_nulls(table);
        }
    }
}

/// A copy of a table without its nulls, at any depth of tables.
pub fn without_nulls(table: &TableRef) -> TableRef {
    let copy = deep_copy(table);
    clean_nulls(&copy);
    copy
}

/// Go's `%t` of a value, which for anything but a truth value is a complaint.
fn percent_t(value: &Value) -> String {
    match &value.data {
        Data::Bool(b) => b.to_string(),
        // A nil at the top is complained about; inside a collection it prints plainly.
        Data::Null => "%!t(<nil>)".to_string(),
        _ => percent_t_inside(value),
    }
}

fn percent_t_inside(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(" ");
    match &value.data {
        Data::Bool(b) => b.to_string(),
        Data::Null => "<nil>".to_string(),
        Data::List(items) => format!("[{}]", list(items.iter().map(percent_t_inside).collect())),
        Data::Map(table) => {
            let table = table.borrow();
            let entry = |(key, value): (&Rc<str>, &Value)| format!("%!t(string={key}):{}", percent_t_inside(value));
            format!("map[{}]", list(table.entries.iter().map(entry).collect()))
        }
        _ => format!("%!t({}={})", value.go_type(), value.go_text()),
    }
}

/// The table at a dotted path (`Values.Table`). The error is Helm's text.
pub fn table_at(table: &TableRef, path: &str) -> Result<TableRef, String> {
    let mut here = table.clone();
    for key in path.split('.') {
        let next = here.borrow().get(key).and_then(|value| value.as_table().cloned());
        here = next.ok_or_else(|| format!("{} is not a table", quote(key)))?;
    }
    Ok(here)
}

/// The value at a dotted path when it is not a table (`Values.PathValue`).
pub fn value_at(table: &TableRef, path: &str) -> Option<Value> {
    let (owner, key) = match path.rsplit_once('.') {
        Some((owner, key)) => (table_at(table, owner).ok()?, key),
        None => (table.clone(), path),
    };
    let value = owner.borrow().get(key).cloned()?;
    value.as_table().is_none().then_some(value)
}

/// A table with one member.
pub fn singleton(key: &str, value: Value) -> TableRef {
    let mut table = Table::default();
    table.entries.insert(key.into(), value);
    Rc::new(RefCell::new(table))
}
