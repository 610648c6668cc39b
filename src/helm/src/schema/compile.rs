//! Schemas made ready for validation. References are followed once, so that schemas may refer to themselves; each
//! document is held against the metaschema of its dialect first.

use super::document::Doc;
use super::draft::{Dialect, Draft};
use super::error::Failure;
use super::format::Format;
use super::keywords::{Additional, Count, Dependency, Items, Keywords, Limit, types_of};
use super::location::{self, quote, shown};
use super::number::Number;
use super::resources::{Documents, Root};
use super::validate;
use crate::funcs::re2::Pattern;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Number of a schema.
pub(crate) type Id = usize;

/// One schema.
#[derive(Debug)]
pub(crate) struct Node {
    /// URL of its document.
    pub(crate) url: Rc<str>,
    /// Pointer in its document.
    pub(crate) pointer: Rc<str>,
    /// Its draft.
    pub(crate) draft: Draft,
    /// The named schema it lies in.
    pub(crate) resource: Id,
    /// Of a named schema: its dynamic anchors.
    pub(crate) dynamic_anchors: BTreeMap<Rc<str>, Id>,
    /// `true` and `false`, and `{}`.
    pub(crate) fixed: Option<bool>,
    /// The keywords of any other schema.
    pub(crate) keywords: Box<Keywords>,
}

impl Node {
    /// `URL#pointer`; a metaschema that was put together has a bare URL.
    pub(crate) fn location(&self) -> String {
        if *self.url == *MADE {
            return MADE.to_string();
        }
        shown(&self.url, &self.pointer)
    }
}

/// One world of schemas: a chart's own, or the metaschemas, whose formats are always checked.
#[derive(Debug, Default)]
struct Registry {
    documents: Documents,
    roots: BTreeMap<Rc<str>, Root>,
    known: BTreeMap<(Rc<str>, Rc<str>), Id>,
    queue: Vec<Id>,
    compiled: usize,
    assert_format: bool,
}

/// URL of metaschemas that are put together from vocabularies.
const MADE: &str = "urn:mem:metaschema";

const OWN: usize = 0;
const META: usize = 1;

/// Why a schema cannot be used.
#[derive(Debug)]
pub(crate) enum Unusable {
    /// The library's words.
    Invalid(String),
    /// It would have to be fetched from another host; the words say so.
    Remote(String),
}

/// A schema that values can be held against.
#[derive(Debug)]
pub(crate) struct Schema {
    nodes: Vec<Node>,
    root: Id,
    /// `urn:` references that were taken for schemas that allow everything.
    pub(crate) urns: Vec<Rc<str>>,
}

impl Schema {
    /// Makes a schema ready. The error has the library's words.
    pub(crate) fn compile(text: &[u8]) -> Result<Schema, Unusable> {
        let url: Rc<str> = "file:///values.schema.json".into();
        let mut compiler = Compiler::default();
        compiler.registries[META].assert_format = true;
        let doc = Doc::parse(text).map_err(Unusable::Invalid)?;
        compiler.registries[OWN].documents.add(&url, doc);
        let root = compiler.compile(OWN, &url, "");
        let documents = &mut compiler.registries[OWN].documents;
        match root {
            Ok(root) => Ok(Schema { urns: std::mem::take(&mut documents.urns), nodes: compiler.nodes, root }),
            Err(text) if documents.remote => Err(Unusable::Remote(text)),
            Err(text) => Err(Unusable::Invalid(text)),
        }
    }

    /// Holds a value against the schema.
    pub(crate) fn validate(&self, value: &Doc) -> Result<(), Box<Failure>> {
        validate::validate(&self.nodes, self.root, value, None)
    }
}

#[derive(Default)]
struct Compiler {
    nodes: Vec<Node>,
    registries: [Registry; 2],
}

/// The schema being compiled.
struct Source<'a> {
    world: usize,
    url: &'a Rc<str>,
    pointer: &'a Rc<str>,
    doc: &'a Doc,
    dialect: &'a Dialect,
    /// URL of the named schema around it.
    base: &'a str,
}

impl Source<'_> {
    fn number(&self, keyword: &str) -> Option<Number> {
        self.doc.get(keyword).and_then(Doc::as_number)
    }

    fn truth(&self, keyword: &str) -> bool {
        self.doc.get(keyword).and_then(Doc::as_bool) == Some(true)
    }

    fn text(&self, keyword: &str) -> Option<Rc<str>> {
        self.doc.get(keyword).and_then(Doc::as_str).cloned()
    }

    fn pattern(&self, keyword: &str, pattern: &str) -> Result<Pattern, String> {
        Pattern::new(pattern.as_bytes()).map_err(|error| {
            let place = shown(self.url, &location::append(self.pointer, keyword));
            format!("invalid regex {} at {}: {error}", quote(pattern), quote(&place))
        })
    }
}

fn strings(items: &[Doc]) -> Vec<Rc<str>> {
    items.iter().filter_map(Doc::as_str).cloned().collect()
}

impl Compiler {
    /// The schema at a pointer of a document, with all it refers to.
    fn compile(&mut self, world: usize, url: &Rc<str>, fragment: &str) -> Result<Id, String> {
        self.load(world, url)?;
        let root = self.root(world, url)?;
        let pointer = root.fragment(fragment)?;
        let id = self.enqueue(world, url, &pointer);
        while let Some(&next) = self.registries[world].queue.get(self.registries[world].compiled) {
            self.compile_node(world, next)?;
            self.registries[world].compiled += 1;
        }
        Ok(id)
    }

    fn root(&self, world: usize, url: &str) -> Result<&Root, String> {
        self.registries[world].roots.get(url).ok_or_else(|| format!("failing loading {}", quote(url)))
    }

    fn enqueue(&mut self, world: usize, url: &Rc<str>, pointer: &Rc<str>) -> Id {
        let id = self.nodes.len();
        let registry = &mut self.registries[world];
        match registry.known.entry((url.clone(), pointer.clone())) {
            std::collections::btree_map::Entry::Occupied(known) => return *known.get(),
            std::collections::btree_map::Entry::Vacant(free) => free.insert(id),
        };
        registry.queue.push(id);
        self.nodes.push(Node {
            url: url.clone(),
            pointer: pointer.clone(),
            draft: Draft::D2020,
            resource: id,
            dynamic_anchors: BTreeMap::new(),
            fixed: None,
            keywords: Box::default(),
        });
        id
    }

    /// Makes sure that a document is there, its names are known and it is a schema at all.
    fn load(&mut self, world: usize, url: &Rc<str>) -> Result<(), String> {
        let registry = &mut self.registries[world];
        if registry.roots.contains_key(url) {
            return Ok(());
        }
        let doc = registry.documents.load(url)?;
        let mut root =
            Root { url: url.clone(), doc: doc.clone(), resources: BTreeMap::new(), processed: Default::default() };
        let usual = Dialect { draft: Draft::D2020, vocabularies: None };
        root.collect(&mut registry.documents, doc.clone(), url.clone(), "".into(), usual)?;
        registry.roots.insert(url.clone(), root);
        if url.starts_with("http://json-schema.org/") || url.starts_with("https://json-schema.org/") {
            return Ok(());
        }
        self.check(world, url, &doc, "")
    }

    /// Makes sure that what stands at a pointer was looked at as a schema: references may lead anywhere.
    fn ensure(&mut self, world: usize, url: &Rc<str>, pointer: &Rc<str>) -> Result<(), String> {
        self.load(world, url)?;
        let registry = &mut self.registries[world];
        let Some(root) = registry.roots.get_mut(url).filter(|root| !root.processed.contains(pointer)) else {
            return Ok(());
        };
        let doc = root.lookup(pointer)?;
        if let Some(around) = root.resource(pointer) {
            let (base, dialect) = (around.id.clone(), around.dialect.clone());
            root.collect(&mut registry.documents, doc.clone(), base, pointer.clone(), dialect)?;
        }
        self.check(world, url, &doc, pointer)
    }

    /// Holds a schema against the metaschema of its dialect.
    fn check(&mut self, world: usize, url: &Rc<str>, doc: &Doc, pointer: &str) -> Result<(), String> {
        let root = self.root(world, url)?;
        let dialects: Vec<(Rc<str>, Dialect)> =
            root.resources.iter().map(|(pointer, resource)| (pointer.clone(), resource.dialect.clone())).collect();
        let around = root.resource(pointer).map(|resource| resource.pointer.clone());
        let mut metas: BTreeMap<Rc<str>, Id> = BTreeMap::new();
        for (pointer, dialect) in dialects {
            let meta = self.metaschema(&dialect)?;
            metas.insert(pointer, meta);
        }
        let Some(&meta) = around.and_then(|pointer| metas.get(&pointer)) else { return Ok(()) };
        validate::validate(&self.nodes, meta, doc, Some((meta, &metas))).map_err(|failure| {
            let location = self.nodes[meta].location();
            let place = quote(&shown(url, pointer));
            format!("{place} is not valid against metaschema: {}", failure.report(&location))
        })
    }

    /// The metaschema of a dialect: the draft's own, or all vocabularies of it that are on.
    fn metaschema(&mut self, dialect: &Dialect) -> Result<Id, String> {
        let draft = dialect.draft;
        let Some(names) = &dialect.vocabularies else { return self.compile(META, &draft.url().into(), "") };
        let mut all_of = Vec::new();
        for name in names.iter() {
            all_of.push(self.compile(META, &draft.vocabulary_url(name).into(), "")?);
        }
        let id = self.nodes.len();
        let mut keywords = Keywords { all_of, ..Keywords::default() };
        let mut dynamic_anchors = BTreeMap::new();
        if draft >= Draft::D2020 {
            keywords.dynamic_anchor = Some("meta".into());
            dynamic_anchors.insert("meta".into(), id);
        }
        self.nodes.push(Node {
            url: MADE.into(),
            pointer: "".into(),
            draft,
            resource: id,
            dynamic_anchors,
            fixed: None,
            keywords: Box::new(keywords),
        });
        Ok(id)
    }

    fn compile_node(&mut self, world: usize, id: Id) -> Result<(), String> {
        let (url, pointer) = (self.nodes[id].url.clone(), self.nodes[id].pointer.clone());
        self.ensure(world, &url, &pointer)?;
        let root = self.root(world, &url)?;
        let doc = root.lookup(&pointer)?;
        let Some(resource) = root.resource(&pointer).cloned() else { return Ok(()) };
        let anchors: Vec<(Rc<str>, Rc<str>)> = resource
            .anchors
            .iter()
            .filter(|(name, _)| resource.dynamic.contains(*name) && resource.pointer == pointer)
            .map(|(name, at)| (name.clone(), at.clone()))
            .collect();
        self.nodes[id].draft = resource.dialect.draft;
        self.nodes[id].resource = self.enqueue(world, &url, &resource.pointer);
        for (name, at) in anchors {
            let anchor = self.enqueue(world, &url, &at);
            self.nodes[id].dynamic_anchors.insert(name, anchor);
        }
        match &doc {
            Doc::Bool(b) => self.nodes[id].fixed = Some(*b),
            Doc::Map(members) if members.is_empty() => self.nodes[id].fixed = Some(true),
            Doc::Map(_) => {
                let source = Source {
                    world,
                    url: &url,
                    pointer: &pointer,
                    doc: &doc,
                    dialect: &resource.dialect,
                    base: &resource.id,
                };
                let keywords = self.keywords(&source)?;
                *self.nodes[id].keywords = keywords;
            }
            _ => {}
        }
        Ok(())
    }

    /// The schema that a reference keyword leads to.
    fn reference(&mut self, source: &Source<'_>, keyword: &str) -> Result<Option<Id>, String> {
        let Some(reference) = source.text(keyword) else { return Ok(None) };
        let (url, fragment) = location::join(source.base, &reference)?;
        if let Some(pointer) = self.root(source.world, source.url)?.resolve(&url, &fragment) {
            return Ok(Some(self.enqueue(source.world, source.url, &pointer?)));
        }
        self.load(source.world, &url)?;
        let pointer = self.root(source.world, &url)?.fragment(&fragment)?;
        Ok(Some(self.enqueue(source.world, &url, &pointer)))
    }

    fn own(&mut self, source: &Source<'_>, keyword: &str) -> Option<Id> {
        source.doc.get(keyword)?;
        Some(self.enqueue(source.world, source.url, &location::append(source.pointer, keyword)))
    }

    fn array(&mut self, source: &Source<'_>, keyword: &str) -> Vec<Id> {
        let len = source.doc.get(keyword).and_then(Doc::as_list).map_or(0, <[Doc]>::len);
        let at = location::append(source.pointer, keyword);
        (0..len).map(|i| self.enqueue(source.world, source.url, &format!("{at}/{i}").into())).collect()
    }

    fn members(&mut self, source: &Source<'_>, keyword: &str) -> BTreeMap<Rc<str>, Id> {
        let Some(members) = source.doc.get(keyword).and_then(Doc::as_map) else { return BTreeMap::new() };
        let at = location::append(source.pointer, keyword);
        let mut enqueue = |key: &Rc<str>| self.enqueue(source.world, source.url, &location::append(&at, key));
        members.keys().map(|key| (key.clone(), enqueue(key))).collect()
    }

    fn additional(&mut self, source: &Source<'_>, keyword: &str) -> Additional {
        match source.doc.get(keyword).and_then(Doc::as_bool) {
            Some(b) => Additional::Fixed(b),
            None => self.own(source, keyword).map_or(Additional::Unsaid, Additional::Schema),
        }
    }

    fn keywords(&mut self, source: &Source<'_>) -> Result<Keywords, String> {
        let draft = source.dialect.draft;
        let mut k = Keywords { reference: self.reference(source, "$ref")?, ..Keywords::default() };
        // Older drafts ignore what stands beside a reference, though the library reads some of it all the same.
        if draft >= Draft::D2019 || k.reference.is_none() {
            if source.dialect.has("applicator") {
                self.applicators(source, &mut k)?;
            }
            if source.dialect.has("validation") {
                Self::assertions(source, &mut k)?;
            }
            let asserted = draft < Draft::D2019
                || self.registries[source.world].assert_format
                || source.dialect.has(if draft == Draft::D2019 { "format" } else { "format-assertion" });
            if asserted {
                k.format = source.text("format").and_then(|name| Format::named(&name));
            }
        }
        self.later_drafts(source, &mut k)?;
        Ok(k)
    }

    fn applicators(&mut self, source: &Source<'_>, k: &mut Keywords) -> Result<(), String> {
        k.all_of = self.array(source, "allOf");
        k.any_of = self.array(source, "anyOf");
        k.one_of = self.array(source, "oneOf");
        k.not = self.own(source, "not");
        if source.dialect.draft < Draft::D2020 {
            if source.doc.get("items").and_then(Doc::as_list).is_some() {
                k.items = Items::Each(self.array(source, "items"));
                k.additional_items = self.additional(source, "additionalItems");
            } else if let Some(items) = self.own(source, "items") {
                k.items = Items::All(items);
            }
        }
        k.properties = self.members(source, "properties");
        for (pattern, schema) in self.members(source, "patternProperties") {
            k.pattern_properties.push((source.pattern("patternProperties", &pattern)?, schema));
        }
        k.additional_properties = self.additional(source, "additionalProperties");
        if let Some(members) = source.doc.get("dependencies").and_then(Doc::as_map) {
            let schemas = self.members(source, "dependencies");
            for (key, value) in members {
                let dependency = match value.as_list() {
                    Some(items) => Dependency::Required(strings(items)),
                    None => Dependency::Schema(schemas[key]),
                };
                k.dependencies.push((key.clone(), dependency));
            }
        }
        Ok(())
    }

    fn assertions(source: &Source<'_>, k: &mut Keywords) -> Result<(), String> {
        let doc = source.doc;
        k.types = doc.get("type").map_or(0, types_of);
        if let Some(Doc::List(items)) = doc.get("enum") {
            k.choices = Some(items.clone());
        }
        for limit in Limit::ALL {
            k.limits[limit as usize] = source.number(limit.keyword());
        }
        // In draft 4 these two are switches that belong to the limits.
        for (limit, exclusive) in [(Limit::Maximum, Limit::ExclusiveMaximum), (Limit::Minimum, Limit::ExclusiveMinimum)]
        {
            if source.truth(exclusive.keyword()) {
                k.limits[exclusive as usize] = k.limits[limit as usize].take();
            }
        }
        for count in Count::ALL {
            k.counts[count as usize] = source.number(count.keyword()).and_then(|n| n.as_int());
        }
        if let Some(pattern) = source.text("pattern") {
            k.pattern = Some((source.pattern("pattern", &pattern)?, pattern));
        }
        k.unique_items = source.truth("uniqueItems");
        k.required = doc.get("required").and_then(Doc::as_list).map(strings).unwrap_or_default();
        Ok(())
    }

    /// What drafts after the fourth brought.
    fn later_drafts(&mut self, source: &Source<'_>, k: &mut Keywords) -> Result<(), String> {
        let (draft, doc) = (source.dialect.draft, source.doc);
        let (applies, asserts) = (source.dialect.has("applicator"), source.dialect.has("validation"));
        if draft >= Draft::D6 && applies {
            k.contains = self.own(source, "contains");
            k.property_names = self.own(source, "propertyNames");
        }
        if draft >= Draft::D6 && asserts {
            k.constant = doc.get("const").cloned();
        }
        if draft >= Draft::D7 && applies {
            k.condition = self.own(source, "if");
            let fixed = doc.get("if").and_then(Doc::as_bool);
            if k.condition.is_some() && fixed != Some(false) {
                k.then = self.own(source, "then");
            }
            if k.condition.is_some() && fixed != Some(true) {
                k.otherwise = self.own(source, "else");
            }
        }
        if draft < Draft::D2019 || !asserts || k.contains.is_none() {
            k.counts[Count::MinContains as usize] = None;
            k.counts[Count::MaxContains as usize] = None;
        }
        if draft < Draft::D2019 {
            return Ok(());
        }
        k.recursive_reference = self.reference(source, "$recursiveRef")?;
        k.recursive_anchor = source.truth("$recursiveAnchor");
        if let Some(members) = doc.get("dependentRequired").and_then(Doc::as_map).filter(|_| asserts) {
            let listed = |(key, items): (&Rc<str>, &Doc)| Some((key.clone(), strings(items.as_list()?)));
            k.dependent_required = members.iter().filter_map(listed).collect();
        }
        if applies {
            k.dependent_schemas = self.members(source, "dependentSchemas").into_iter().collect();
        }
        if if draft == Draft::D2019 { applies } else { source.dialect.has("unevaluated") } {
            k.unevaluated_items = self.own(source, "unevaluatedItems");
            k.unevaluated_properties = self.own(source, "unevaluatedProperties");
        }
        if draft < Draft::D2020 {
            return Ok(());
        }
        if let Some(target) = self.reference(source, "$dynamicRef")? {
            let text = source.text("$dynamicRef").unwrap_or_default();
            let (_, fragment) = location::split_fragment(&text)?;
            k.dynamic_reference = Some((target, fragment.into()));
        }
        k.dynamic_anchor = source.text("$dynamicAnchor");
        if applies {
            k.prefix_items = self.array(source, "prefixItems");
            k.items_after = self.own(source, "items");
        }
        Ok(())
    }
}
