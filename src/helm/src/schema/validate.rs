//! Holding a value against a schema, in the library's order of checks, with its habits: a value of the wrong type, or
//! outside of its choices, is looked at no further; `contains`, `anyOf` and `oneOf` say why nothing fitted.

use super::compile::{Id, Node};
use super::document::{Doc, duplicates};
use super::draft::Draft;
use super::error::{Failure, Kind, quoted, quoted_list};
use super::keywords::{Additional, Count, Dependency, INTEGER, Items, Keywords, Limit, NUMBER, TYPES, type_of};
use super::location::{escape, quote};
use super::number::count;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Schemas inside each other that one value, or the values in it, may be under.
const DEPTH: usize = 300;
/// Schemas that one check may hold values against.
const FUEL: u32 = 2_000_000;

type Checked = Result<(), Box<Failure>>;

/// Holds `value` against the schema `root`. When the value is a schema itself, `meta` has the metaschema and, by the
/// pointers of its named parts, theirs.
pub(crate) fn validate(nodes: &[Node], root: Id, value: &Doc, meta: Option<(Id, &BTreeMap<Rc<str>, Id>)>) -> Checked {
    let mut walk = Walk { nodes, metas: meta.map(|(_, metas)| metas), path: Vec::new(), fuel: FUEL, depth: 0 };
    let result = walk.fresh(root, value, meta.map(|(meta, _)| meta));
    if walk.fuel == 0 {
        return Err(Box::new(Failure { path: Vec::new(), kind: Kind::Limit, member: None, causes: Vec::new() }));
    }
    result
}

struct Walk<'n> {
    nodes: &'n [Node],
    metas: Option<&'n BTreeMap<Rc<str>, Id>>,
    /// Keys that lead to the value.
    path: Vec<Rc<str>>,
    /// Steps left; 0 ends everything.
    fuel: u32,
    depth: usize,
}

/// A schema that is being checked and the ones that led to it.
struct Scope<'s> {
    schema: Id,
    /// The keyword of a reference; empty when the schema is part of its parent.
    keyword: &'static str,
    /// Equal for schemas that are held against the same value.
    value: usize,
    parent: Option<&'s Scope<'s>>,
}

/// Members or items that nothing has looked at.
#[derive(Default)]
struct Unevaluated {
    members: BTreeSet<Rc<str>>,
    items: BTreeSet<usize>,
}

impl Unevaluated {
    fn is_empty(&self) -> bool {
        self.members.is_empty() && self.items.is_empty()
    }

    fn merge(&mut self, other: &Unevaluated) {
        self.members.retain(|key| other.members.contains(key));
        self.items.retain(|i| other.items.contains(i));
    }

    fn of(value: &Doc, k: &Keywords, draft: Draft, wanted: bool) -> Unevaluated {
        let mut open = Unevaluated::default();
        match value {
            Doc::Map(members) => {
                let all = !matches!(k.additional_properties, Additional::Unsaid);
                if !all && (wanted || k.unevaluated_properties.is_some()) {
                    open.members = members.keys().cloned().collect();
                }
            }
            Doc::List(items) if wanted || k.unevaluated_items.is_some() => {
                let (all, some) = if draft < Draft::D2020 {
                    let all = !matches!(k.additional_items, Additional::Unsaid) || matches!(k.items, Items::All(_));
                    (all, if let Items::Each(each) = &k.items { each.len() } else { 0 })
                } else {
                    (k.items_after.is_some(), k.prefix_items.len())
                };
                if !all {
                    open.items = (some..items.len()).collect();
                }
            }
            _ => {}
        }
        open
    }
}

/// One schema held against one value.
struct Check<'s, 'v> {
    value: &'v Doc,
    schema: Id,
    scope: &'s Scope<'s>,
    open: Unevaluated,
    errors: Vec<Failure>,
    /// Only whether it fits is asked.
    quiet: bool,
    meta: Option<Id>,
}

impl<'n> Walk<'n> {
    fn fresh(&mut self, schema: Id, value: &Doc, meta: Option<Id>) -> Checked {
        let scope = Scope { schema, keyword: "", value: 0, parent: None };
        let node = &self.nodes[schema];
        let open = Unevaluated::of(value, &node.keywords, node.draft, false);
        self.run(&mut Check { value, schema, scope: &scope, open, errors: Vec::new(), quiet: false, meta })
    }

    /// Holds the same value against another schema.
    fn same_value(&mut self, c: &mut Check<'_, '_>, schema: Id, keyword: &'static str, quiet: bool) -> Checked {
        let scope = Scope { schema, keyword, value: c.scope.value, parent: Some(c.scope) };
        let node = &self.nodes[schema];
        let mut sub = Check {
            value: c.value,
            schema,
            scope: &scope,
            open: Unevaluated::of(c.value, &node.keywords, node.draft, !c.open.is_empty()),
            errors: Vec::new(),
            quiet: c.quiet || quiet,
            meta: c.meta,
        };
        self.enter_dialect(&mut sub);
        self.run(&mut sub)?;
        c.open.merge(&sub.open);
        Ok(())
    }

    /// Holds a member or an item against a schema.
    fn inner_value(&mut self, c: &Check<'_, '_>, schema: Id, value: &Doc, key: Rc<str>) -> Checked {
        let scope = Scope { schema, keyword: "", value: c.scope.value + 1, parent: Some(c.scope) };
        let node = &self.nodes[schema];
        self.path.push(key);
        let open = Unevaluated::of(value, &node.keywords, node.draft, false);
        let mut sub = Check { value, schema, scope: &scope, open, errors: Vec::new(), quiet: c.quiet, meta: c.meta };
        self.enter_dialect(&mut sub);
        let result = self.run(&mut sub);
        self.path.pop();
        result
    }

    /// A schema with a dialect of its own, inside another schema, is held against its own metaschema.
    fn enter_dialect(&self, c: &mut Check<'_, '_>) {
        let Some(metas) = self.metas.filter(|_| c.meta == Some(c.schema)) else { return };
        let pointer: String = self.path.iter().map(|token| format!("/{}", escape(token))).collect();
        if let Some(&meta) = metas.get(&*pointer) {
            c.meta = Some(meta);
            c.schema = meta;
        }
    }

    fn failure(&self, c: &Check<'_, '_>, kind: Kind) -> Failure {
        if c.quiet {
            return Failure { path: Vec::new(), kind: Kind::Silent, member: None, causes: Vec::new() };
        }
        Failure { path: self.path.clone(), kind, member: None, causes: Vec::new() }
    }

    /// Notes a complaint; the words are only made when somebody asks.
    fn complain(&self, c: &mut Check<'_, '_>, text: impl FnOnce() -> String) {
        self.complain_with(c, text, Vec::new());
    }

    fn complain_with(&self, c: &mut Check<'_, '_>, text: impl FnOnce() -> String, causes: Vec<Failure>) {
        let kind = if c.quiet { Kind::Silent } else { Kind::Message(text()) };
        let failure = Failure { causes, ..self.failure(c, kind) };
        c.errors.push(failure);
    }

    fn refuse(&self, c: &Check<'_, '_>, text: impl FnOnce() -> String) -> Checked {
        let kind = if c.quiet { Kind::Silent } else { Kind::Message(text()) };
        Err(Box::new(self.failure(c, kind)))
    }

    // The checks of each kind of value stay out of line: what recursion goes through must have small frames.
    fn run(&mut self, c: &mut Check<'_, '_>) -> Checked {
        if self.fuel == 0 || self.depth == DEPTH {
            self.fuel = 0;
            return Ok(());
        }
        self.fuel -= 1;
        self.depth += 1;
        let result = self.keywords(c);
        self.depth -= 1;
        result
    }

    fn keywords(&mut self, c: &mut Check<'_, '_>) -> Checked {
        let nodes = self.nodes;
        let node = &nodes[c.schema];
        let k: &Keywords = &node.keywords;
        match node.fixed {
            Some(true) => return Ok(()),
            Some(false) => return self.refuse(c, || "false schema".into()),
            None => {}
        }
        self.check_at_once(c, node)?;
        if let Some(target) = k.reference {
            let result = self.reference(c, target, "$ref");
            if node.draft < Draft::D2019 {
                return result;
            }
            c.errors.extend(result.err().map(|failure| *failure));
        }
        match c.value {
            Doc::Map(members) => self.object(c, node, members),
            Doc::List(items) => self.array(c, node, items),
            Doc::Str(text) => self.text(c, k, text),
            Doc::Num(_) => self.number(c, k),
            _ => {}
        }
        if c.errors.is_empty() || !c.quiet {
            if node.draft >= Draft::D2019 {
                self.later_references(c, k);
            }
            self.combinations(c, k);
            if node.draft >= Draft::D2019 {
                self.unevaluated(c, k);
            }
        }
        match c.errors.len() {
            0 => Ok(()),
            1 => Err(Box::new(c.errors.remove(0))),
            _ => Err(Box::new(Failure { causes: std::mem::take(&mut c.errors), ..self.failure(c, Kind::Group) })),
        }
    }

    /// The checks after which nothing else is looked at.
    #[inline(never)]
    fn check_at_once(&self, c: &Check<'_, '_>, node: &Node) -> Checked {
        let k: &Keywords = &node.keywords;
        if let Some(other) = cycle(c.scope) {
            let location = node.location();
            return self.refuse(c, || {
                let (one, two) = (self.keyword_location(c.scope), self.keyword_location(other));
                format!("both {one} and {two} resolve to {} causing reference cycle", quote(&location))
            });
        }
        let have = type_of(c.value);
        if k.types != 0 {
            let whole = || c.value.as_number().is_some_and(|n| n.is_integer());
            if k.types & have == 0 && !(have == NUMBER && k.types & INTEGER != 0 && whole()) {
                return self.refuse(c, || {
                    let name = |bits: u8| (0..7).filter(move |i| bits >> i & 1 == 1).map(|i| TYPES[i]);
                    let got: String = name(have).collect();
                    format!("got {got}, want {}", name(k.types).collect::<Vec<_>>().join(" or "))
                });
            }
        }
        if let Some(constant) = k.constant.as_ref().filter(|constant| !c.value.same(constant)) {
            return self.refuse(c, || match shown_value(constant) {
                Some(text) => format!("value must be {text}"),
                None => "'const' failed".into(),
            });
        }
        if let Some(choices) = k.choices.as_ref().filter(|choices| !choices.iter().any(|item| c.value.same(item))) {
            return self.refuse(c, || {
                let shown: Option<Vec<String>> = choices.iter().map(shown_value).collect();
                match shown.as_deref() {
                    None => "'enum' failed".into(),
                    Some([one]) => format!("value must be {one}"),
                    Some(more) => format!("value must be one of {}", more.join(", ")),
                }
            });
        }
        if let (Some(format), Doc::Str(text)) = (&k.format, c.value)
            && let Err(why) = format.check(text)
        {
            return self.refuse(c, || format!("{} is not valid {}: {why}", quoted(text), format.name()));
        }
        Ok(())
    }

    fn reference(&mut self, c: &mut Check<'_, '_>, target: Id, keyword: &'static str) -> Checked {
        self.same_value(c, target, keyword, false).map_err(|failure| {
            let causes = if matches!(failure.kind, Kind::Group) { failure.causes } else { vec![*failure] };
            Box::new(Failure { causes, ..self.failure(c, Kind::Reference) })
        })
    }

    #[inline(never)]
    fn later_references(&mut self, c: &mut Check<'_, '_>, k: &Keywords) {
        let nodes = self.nodes;
        if let Some(mut target) = k.recursive_reference {
            if nodes[target].keywords.recursive_anchor {
                for scope in scopes(c.scope) {
                    if nodes[nodes[scope.schema].resource].keywords.recursive_anchor {
                        target = scope.schema;
                    }
                }
            }
            let result = self.reference(c, target, "$recursiveRef");
            c.errors.extend(result.err().map(|failure| *failure));
        }
        if let Some((target, name)) = &k.dynamic_reference {
            let mut target = *target;
            if !name.is_empty() && nodes[target].keywords.dynamic_anchor.as_ref() == Some(name) {
                for scope in scopes(c.scope) {
                    if let Some(&anchor) = nodes[nodes[scope.schema].resource].dynamic_anchors.get(name) {
                        target = anchor;
                    }
                }
            }
            let result = self.reference(c, target, "$dynamicRef");
            c.errors.extend(result.err().map(|failure| *failure));
        }
    }

    fn count(&self, c: &mut Check<'_, '_>, k: &Keywords, got: usize, low: Count, high: Count) {
        let got = got as i64;
        for (limit, bad) in [(low, Ordering::Less), (high, Ordering::Greater)] {
            if let Some(want) = k.counts[limit as usize].filter(|want| got.cmp(want) == bad) {
                self.complain(c, || format!("{}: got {}, want {}", limit.keyword(), count(got), count(want)));
            }
        }
    }

    fn missing(names: &[Rc<str>], members: &base::SortedMap<Rc<str>, Doc>) -> Option<Vec<Rc<str>>> {
        let missing: Vec<Rc<str>> = names.iter().filter(|name| !members.contains_key(*name)).cloned().collect();
        (!missing.is_empty()).then_some(missing)
    }

    #[inline(never)]
    fn object(&mut self, c: &mut Check<'_, '_>, node: &'n Node, members: &base::SortedMap<Rc<str>, Doc>) {
        let k: &Keywords = &node.keywords;
        self.count(c, k, members.len(), Count::MinProperties, Count::MaxProperties);
        if let Some(missing) = Self::missing(&k.required, members) {
            let word = if missing.len() == 1 { "property" } else { "properties" };
            self.complain(c, || format!("missing {word} {}", quoted_list(&missing)));
        }
        if c.quiet && !c.errors.is_empty() {
            return;
        }
        let dependent = |name: &str, missing: &[Rc<str>]| {
            format!("properties {} required, if {} exists", quoted_list(missing), quoted(name))
        };
        for (name, dependency) in k.dependencies.iter().filter(|(name, _)| members.contains_key(name)) {
            match dependency {
                Dependency::Required(names) => {
                    if let Some(missing) = Self::missing(names, members) {
                        self.complain(c, || dependent(name, &missing));
                    }
                }
                Dependency::Schema(schema) => self.also(c, *schema, false),
            }
        }
        self.members(c, k, members);
        if node.draft == Draft::D4 {
            return;
        }
        if let Some(schema) = k.property_names {
            for name in members.keys() {
                self.property_name(c, schema, name);
            }
        }
        if node.draft == Draft::D6 {
            return;
        }
        for (_, schema) in k.dependent_schemas.iter().filter(|(name, _)| members.contains_key(name)) {
            self.also(c, *schema, false);
        }
        for (name, names) in k.dependent_required.iter().filter(|(name, _)| members.contains_key(name)) {
            if let Some(missing) = Self::missing(names, members) {
                self.complain(c, || dependent(name, &missing));
            }
        }
    }

    #[inline(never)]
    fn members(&mut self, c: &mut Check<'_, '_>, k: &Keywords, members: &base::SortedMap<Rc<str>, Doc>) {
        let mut extra: Vec<Rc<str>> = Vec::new();
        for (name, value) in members {
            if c.quiet && !c.errors.is_empty() {
                return;
            }
            let mut evaluated = false;
            if let Some(&schema) = k.properties.get(name) {
                evaluated = true;
                self.inner(c, schema, value, name.clone());
            }
            for (pattern, schema) in &k.pattern_properties {
                if pattern.matches(name.as_bytes()) {
                    evaluated = true;
                    self.inner(c, *schema, value, name.clone());
                }
            }
            if !evaluated {
                match k.additional_properties {
                    Additional::Unsaid => continue,
                    Additional::Fixed(true) => {}
                    Additional::Fixed(false) => extra.push(name.clone()),
                    Additional::Schema(schema) => self.inner(c, schema, value, name.clone()),
                }
            }
            c.open.members.remove(name);
        }
        if let Some(first) = extra.first().cloned() {
            self.complain(c, || format!("additional properties {} not allowed", quoted_list(&extra)));
            if let Some(failure) = c.errors.last_mut() {
                failure.member = Some(first);
            }
        }
    }

    /// Names of members are checked as values of their own: whatever is wrong is said to be at the root.
    #[inline(never)]
    fn property_name(&mut self, c: &mut Check<'_, '_>, schema: Id, name: &Rc<str>) {
        let path = std::mem::take(&mut self.path);
        let result = self.fresh(schema, &Doc::Str(name.clone()), c.meta);
        if let Err(failure) = result {
            let causes = if matches!(failure.kind, Kind::Group) { failure.causes } else { vec![*failure] };
            self.complain_with(c, || format!("invalid propertyName {}", quoted(name)), causes);
        }
        self.path = path;
    }

    /// Holds a member or an item against a schema and keeps the complaint.
    fn inner(&mut self, c: &mut Check<'_, '_>, schema: Id, value: &Doc, key: Rc<str>) {
        let result = self.inner_value(c, schema, value, key);
        c.errors.extend(result.err().map(|failure| *failure));
    }

    /// Holds the same value against a schema and keeps the complaint.
    fn also(&mut self, c: &mut Check<'_, '_>, schema: Id, quiet: bool) {
        let result = self.same_value(c, schema, "", quiet);
        c.errors.extend(result.err().map(|failure| *failure));
    }

    #[inline(never)]
    fn array(&mut self, c: &mut Check<'_, '_>, node: &'n Node, items: &[Doc]) {
        let k: &Keywords = &node.keywords;
        self.count(c, k, items.len(), Count::MinItems, Count::MaxItems);
        if k.unique_items
            && let Some((i, j)) = duplicates(items)
        {
            self.complain(c, || format!("items at {} and {} are equal", count(i as i64), count(j as i64)));
        }
        if node.draft < Draft::D2020 {
            self.items(c, k, items);
        } else {
            for (i, (item, schema)) in items.iter().zip(&k.prefix_items).enumerate() {
                self.inner(c, *schema, item, index(i));
            }
            if let Some(schema) = k.items_after {
                // The library counts the rest from 0, and so do its messages.
                for (i, item) in items.iter().skip(k.prefix_items.len()).enumerate() {
                    self.inner(c, schema, item, index(i));
                }
            }
        }
        if let Some(schema) = k.contains {
            self.contains(c, node, schema, items);
        }
    }

    #[inline(never)]
    fn items(&mut self, c: &mut Check<'_, '_>, k: &Keywords, items: &[Doc]) {
        let mut evaluated = 0;
        match &k.items {
            Items::Unsaid => {}
            Items::All(schema) => {
                for (i, item) in items.iter().enumerate() {
                    self.inner(c, *schema, item, index(i));
                }
                evaluated = items.len();
            }
            Items::Each(schemas) => {
                for (i, (item, schema)) in items.iter().zip(schemas).enumerate() {
                    self.inner(c, *schema, item, index(i));
                }
                evaluated = items.len().min(schemas.len());
            }
        }
        match k.additional_items {
            Additional::Fixed(false) if evaluated != items.len() => {
                let rest = (items.len() - evaluated) as i64;
                self.complain(c, || format!("last {} additionalItem(s) not allowed", count(rest)));
            }
            Additional::Schema(schema) => {
                for (i, item) in items[evaluated..].iter().enumerate() {
                    self.inner(c, schema, item, index(i));
                }
            }
            _ => {}
        }
    }

    #[inline(never)]
    fn contains(&mut self, c: &mut Check<'_, '_>, node: &Node, schema: Id, items: &[Doc]) {
        let k: &Keywords = &node.keywords;
        let mut failures = Vec::new();
        let mut matched: Vec<String> = Vec::new();
        for (i, item) in items.iter().enumerate() {
            match self.inner_value(c, schema, item, index(i)) {
                Err(failure) => failures.push(*failure),
                Ok(()) => {
                    matched.push(i.to_string());
                    if node.draft >= Draft::D2020 {
                        c.open.items.remove(&i);
                    }
                }
            }
        }
        let number = matched.len() as i64;
        let found = || format!("matched {} items at {}", count(number), matched.join(" "));
        match k.counts[Count::MinContains as usize] {
            Some(want) if number < want => {
                let found = || if number == 0 { "none matched".to_string() } else { found() };
                let text = || format!("min {} items required to match contains schema, but {}", count(want), found());
                self.complain_with(c, text, failures);
            }
            None if number == 0 => self.complain_with(c, || "no items match contains schema".into(), failures),
            _ => {}
        }
        if let Some(want) = k.counts[Count::MaxContains as usize].filter(|want| number > *want) {
            self.complain(c, || {
                format!("max {} items required to match contains schema, but {}", count(want), found())
            });
        }
    }

    #[inline(never)]
    fn text(&self, c: &mut Check<'_, '_>, k: &Keywords, text: &str) {
        self.count(c, k, text.chars().count(), Count::MinLength, Count::MaxLength);
        if let Some((pattern, source)) = &k.pattern
            && !pattern.matches(text.as_bytes())
        {
            self.complain(c, || format!("{} does not match pattern {}", quoted(text), quoted(source)));
        }
    }

    #[inline(never)]
    fn number(&self, c: &mut Check<'_, '_>, k: &Keywords) {
        if k.limits.iter().all(Option::is_none) {
            return;
        }
        let Some(got) = c.value.as_number() else { return };
        for limit in Limit::ALL {
            let Some(want) = &k.limits[limit as usize] else { continue };
            let order = got.compare(want);
            let good = match limit {
                Limit::Minimum => order.is_ge(),
                Limit::Maximum => order.is_le(),
                Limit::ExclusiveMinimum => order.is_gt(),
                Limit::ExclusiveMaximum => order.is_lt(),
                Limit::MultipleOf => got.is_multiple_of(want),
            };
            if !good {
                self.complain(c, || format!("{}: got {}, want {}", limit.keyword(), got.shown(), want.shown()));
            }
        }
    }

    #[inline(never)]
    fn combinations(&mut self, c: &mut Check<'_, '_>, k: &Keywords) {
        if let Some(schema) = k.not
            && self.same_value(c, schema, "", true).is_ok()
        {
            self.complain(c, || "'not' failed".into());
        }
        let mut failures = Vec::new();
        for &schema in &k.all_of {
            if let Err(failure) = self.same_value(c, schema, "", false) {
                failures.push(*failure);
                if c.quiet {
                    break;
                }
            }
        }
        if !failures.is_empty() {
            self.complain_with(c, || "'allOf' failed".into(), failures);
        }
        if !k.any_of.is_empty() {
            self.any_of(c, k);
        }
        if !k.one_of.is_empty() {
            self.one_of(c, k);
        }
        if let Some(schema) = k.condition {
            let fits = self.same_value(c, schema, "", true).is_ok();
            if let Some(schema) = if fits { k.then } else { k.otherwise } {
                self.also(c, schema, false);
            }
        }
    }

    #[inline(never)]
    fn any_of(&mut self, c: &mut Check<'_, '_>, k: &Keywords) {
        let mut failures = Vec::new();
        let mut matched = false;
        for &schema in &k.any_of {
            match self.same_value(c, schema, "", false) {
                Err(failure) => failures.push(*failure),
                Ok(()) => {
                    matched = true;
                    // The others may still look at members that are open.
                    if c.open.is_empty() {
                        break;
                    }
                }
            }
        }
        if !matched {
            self.complain_with(c, || "'anyOf' failed".into(), failures);
        }
    }

    #[inline(never)]
    fn one_of(&mut self, c: &mut Check<'_, '_>, k: &Keywords) {
        let mut failures = Vec::new();
        let mut matched: Option<usize> = None;
        for (i, &schema) in k.one_of.iter().enumerate() {
            match (self.same_value(c, schema, "", matched.is_some()), matched) {
                (Err(failure), None) => failures.push(*failure),
                (Err(_), Some(_)) => {}
                (Ok(()), None) => matched = Some(i),
                (Ok(()), Some(first)) => {
                    self.complain(c, || format!("'oneOf' failed, subschemas {first}, {i} matched"));
                    break;
                }
            }
        }
        if matched.is_none() {
            self.complain_with(c, || "'oneOf' failed, none matched".into(), failures);
        }
    }

    #[inline(never)]
    fn unevaluated(&mut self, c: &mut Check<'_, '_>, k: &Keywords) {
        if let (Some(schema), Doc::Map(members)) = (k.unevaluated_properties, c.value) {
            for name in std::mem::take(&mut c.open.members) {
                if let Some(value) = members.get(&name) {
                    self.inner(c, schema, value, name);
                }
            }
        }
        if let (Some(schema), Doc::List(items)) = (k.unevaluated_items, c.value) {
            for i in std::mem::take(&mut c.open.items) {
                if let Some(item) = items.get(i) {
                    self.inner(c, schema, item, index(i));
                }
            }
        }
    }

    /// The keywords that led to a schema, as a pointer.
    fn keyword_location(&self, scope: &Scope<'_>) -> String {
        let mut parts: Vec<String> = Vec::new();
        for scope in scopes(scope) {
            let Some(parent) = scope.parent else { break };
            if scope.keyword.is_empty() {
                let location = self.nodes[scope.schema].location();
                let from = self.nodes[parent.schema].location().len();
                parts.push(location.get(from..).unwrap_or_default().to_string());
            } else {
                parts.push(format!("/{}", scope.keyword));
            }
        }
        parts.reverse();
        parts.concat()
    }
}

/// The scopes from the innermost outwards.
fn scopes<'a, 's>(scope: &'a Scope<'s>) -> impl Iterator<Item = &'a Scope<'s>> {
    std::iter::successors(Some(scope), |scope| scope.parent)
}

/// The scope in which the same schema is being held against the same value already.
fn cycle<'a, 's>(scope: &'a Scope<'s>) -> Option<&'a Scope<'s>> {
    scopes(scope).skip(1).take_while(|other| other.value == scope.value).find(|other| other.schema == scope.schema)
}

/// A constant in a message; `None` for arrays and objects.
fn shown_value(value: &Doc) -> Option<String> {
    match value {
        Doc::Null => Some("<nil>".into()),
        Doc::Bool(b) => Some(b.to_string()),
        Doc::Num(text) => Some(text.to_string()),
        Doc::Str(text) => Some(quoted(text)),
        Doc::List(_) | Doc::Map(_) => None,
    }
}

fn index(i: usize) -> Rc<str> {
    i.to_string().into()
}
