//! Documents and the schemas in them that have names: `$id`, anchors, and the dialect each is written in.

use super::document::Doc;
use super::draft::{Dialect, Draft, metaschemas};
use super::location::{self, quote, shown};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A schema with a URL of its own.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    /// Pointer from the document's root.
    pub(crate) pointer: Rc<str>,
    /// Its URL.
    pub(crate) id: Rc<str>,
    /// How it is to be read.
    pub(crate) dialect: Dialect,
    /// Pointers of named schemas inside.
    pub(crate) anchors: BTreeMap<Rc<str>, Rc<str>>,
    /// Those of the anchors that `$dynamicRef` looks for.
    pub(crate) dynamic: BTreeSet<Rc<str>>,
}

/// A document and what was found in it.
#[derive(Debug)]
pub(crate) struct Root {
    /// Where it is.
    pub(crate) url: Rc<str>,
    /// The document.
    pub(crate) doc: Doc,
    /// Named schemas by pointer; the root always is one.
    pub(crate) resources: BTreeMap<Rc<str>, Resource>,
    /// Pointers of schemas that were looked at.
    pub(crate) processed: BTreeSet<Rc<str>>,
}

impl Root {
    /// The named schema that a pointer lies in.
    pub(crate) fn resource(&self, pointer: &str) -> Option<&Resource> {
        let mut pointer = pointer;
        loop {
            if let Some(resource) = self.resources.get(pointer) {
                return Some(resource);
            }
            pointer = &pointer[..pointer.rfind('/')?];
        }
    }

    fn resource_of(&self, id: &str) -> Option<&Resource> {
        self.resources.values().find(|resource| *resource.id == *id)
    }

    fn fragment_in(&self, fragment: &str, resource: &Resource) -> Result<Rc<str>, String> {
        if fragment.is_empty() || fragment.starts_with('/') {
            return Ok(format!("{}{fragment}", resource.pointer).into());
        }
        resource.anchors.get(fragment).cloned().ok_or_else(|| {
            let reference = shown(&resource.id, fragment);
            format!("anchor in {} not found in schema {}", quote(&reference), quote(&self.url))
        })
    }

    /// The pointer of a fragment of the document.
    pub(crate) fn fragment(&self, fragment: &str) -> Result<Rc<str>, String> {
        match self.resources.get("") {
            Some(root) => self.fragment_in(fragment, root),
            None => Ok(fragment.into()),
        }
    }

    /// The pointer of a URL in this document; `None` when it is elsewhere.
    pub(crate) fn resolve(&self, url: &str, fragment: &str) -> Option<Result<Rc<str>, String>> {
        if *self.url == *url {
            return Some(self.fragment(fragment));
        }
        Some(self.fragment_in(fragment, self.resource_of(url)?))
    }

    /// The value at a pointer.
    pub(crate) fn lookup(&self, pointer: &str) -> Result<Doc, String> {
        let mut here = &self.doc;
        for token in pointer.split('/').skip(1) {
            let Some(name) = location::unescape(token) else {
                return Err(format!("invalid json-pointer {}", quote(&shown(&self.url, pointer))));
            };
            let next = match here {
                Doc::Map(members) => members.get(&*name),
                Doc::List(items) => name.parse::<usize>().ok().and_then(|i| items.get(i)),
                _ => None,
            };
            let missing = || format!("json-pointer in {} not found", quote(&shown(&self.url, pointer)));
            here = next.ok_or_else(missing)?;
        }
        Ok(here.clone())
    }

    /// Looks through a schema and all below it for names. What a schema inherits comes from `fallback`.
    pub(crate) fn collect(
        &mut self,
        documents: &mut Documents,
        schema: Doc,
        base: Rc<str>,
        pointer: Rc<str>,
        fallback: Dialect,
    ) -> Result<(), String> {
        let mut open = vec![(schema, base, pointer, fallback)];
        while let Some((schema, base, pointer, fallback)) = open.pop() {
            if self.processed.insert(pointer.clone()) {
                self.collect_one(documents, &schema, base, pointer, fallback, &mut open)?;
            }
        }
        Ok(())
    }

    fn collect_one(
        &mut self,
        documents: &mut Documents,
        schema: &Doc,
        mut base: Rc<str>,
        pointer: Rc<str>,
        fallback: Dialect,
        open: &mut Vec<(Doc, Rc<str>, Rc<str>, Dialect)>,
    ) -> Result<(), String> {
        let named = |id: &Rc<str>, dialect: Dialect| Resource {
            pointer: pointer.clone(),
            id: id.clone(),
            dialect,
            anchors: BTreeMap::new(),
            dynamic: BTreeSet::new(),
        };
        if schema.as_map().is_none() {
            if pointer.is_empty() {
                self.resources.insert(pointer.clone(), named(&base, fallback));
            }
            return Ok(());
        }
        let mut own_dialect = schema.get("$schema").and_then(Doc::as_str).is_some();
        let mut draft = documents.draft(&self.url, &pointer, schema, fallback.draft)?;
        let mut id = draft.id(schema);
        if id.is_empty() && !pointer.is_empty() {
            // Without a name of its own a schema cannot change the draft.
            draft = fallback.draft;
            own_dialect = false;
            id = draft.id(schema);
        }
        if !id.is_empty() || pointer.is_empty() {
            if !id.is_empty() {
                let place = || format!("error in parsing id at {}", quote(&shown(&self.url, &pointer)));
                base = location::join(&base, id).map_err(|_| place())?.0;
            }
            match self.resource_of(&base) {
                Some(other) if other.pointer != pointer => {
                    return Err(format!(
                        "duplicate id {} in {} at {} and {}",
                        quote(&base),
                        quote(&self.url),
                        quote(&pointer),
                        quote(&other.pointer)
                    ));
                }
                Some(_) => {}
                None => {
                    let dialect = match own_dialect {
                        true => Dialect { draft, vocabularies: documents.vocabularies(schema, draft)? },
                        false => fallback.clone(),
                    };
                    self.resources.insert(pointer.clone(), named(&base, dialect));
                }
            }
        }
        self.collect_anchors(schema, &pointer, &base)?;
        let dialect = self.resource_of(&base).map_or(fallback, |resource| resource.dialect.clone());
        for (pointer, schema) in draft.subschemas(schema, &pointer).into_iter().rev() {
            open.push((schema, base.clone(), pointer, dialect.clone()));
        }
        Ok(())
    }

    /// Notes the anchors of one schema in the named schema at `base`.
    fn collect_anchors(&mut self, schema: &Doc, pointer: &Rc<str>, base: &str) -> Result<(), String> {
        let url = self.url.clone();
        let Some(resource) = self.resources.values_mut().find(|resource| *resource.id == *base) else { return Ok(()) };
        let draft = resource.dialect.draft;
        let mut names: Vec<(Rc<str>, bool)> = Vec::new();
        if draft < Draft::D2019 {
            if schema.get("$ref").is_some() {
                return Ok(());
            }
            if let Some(id) = schema.get(draft.id_keyword()).and_then(Doc::as_str) {
                let place = || format!("error in parsing anchor at {}", quote(&shown(&url, pointer)));
                let (_, fragment) = location::split_fragment(id).map_err(|_| place())?;
                if !fragment.is_empty() && !fragment.starts_with('/') {
                    names.push((fragment.into(), false));
                }
            }
        } else {
            let text = |keyword: &str| schema.get(keyword).and_then(Doc::as_str).cloned();
            names.extend(text("$anchor").map(|name| (name, false)));
            if draft >= Draft::D2020 {
                names.extend(text("$dynamicAnchor").map(|name| (name, true)));
            }
        }
        for (name, dynamic) in names {
            if let Some(other) = resource.anchors.get(&name).filter(|other| *other != pointer) {
                let (name, url) = (quote(&name), quote(&url));
                let (other, pointer) = (quote(other), quote(pointer));
                return Err(format!("duplicate anchor {name} in {url} at {other} and {pointer}"));
            }
            if dynamic {
                resource.dynamic.insert(name.clone());
            }
            resource.anchors.insert(name, pointer.clone());
        }
        Ok(())
    }
}

/// The documents that can be had by URL.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    known: BTreeMap<Rc<str>, Doc>,
    /// `urn:` references, which Helm takes for schemas that allow everything, with a warning each.
    pub(crate) urns: Vec<Rc<str>>,
    /// Whether something would have to be fetched from another host.
    pub(crate) remote: bool,
}

impl Documents {
    /// Adds a document.
    pub(crate) fn add(&mut self, url: &Rc<str>, doc: Doc) {
        self.known.insert(url.clone(), doc);
    }

    /// The document at a URL. Nothing is fetched: what is not a metaschema ends with the error of a file that does not
    /// exist, or with ours.
    pub(crate) fn load(&mut self, url: &Rc<str>) -> Result<Doc, String> {
        if let Some(doc) = self.known.get(url) {
            return Ok(doc.clone());
        }
        for (url, doc) in metaschemas(url) {
            self.known.insert(url.into(), doc);
        }
        if let Some(doc) = self.known.get(url) {
            return Ok(doc.clone());
        }
        let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
        let why = match scheme {
            "urn" => {
                self.urns.push(url.clone());
                self.add(url, Doc::Bool(true));
                return Ok(Doc::Bool(true));
            }
            "file" => {
                let path = url.strip_prefix("file://").unwrap_or(url);
                format!("open {path}: no such file or directory")
            }
            "http" | "https" => {
                self.remote = true;
                "schemas of other hosts are not fetched here".to_string()
            }
            _ => format!("no URLLoader registered for {}", quote(url)),
        };
        Err(format!("failing loading {}: {why}", quote(url)))
    }

    /// The draft that a schema's `$schema` asks for.
    fn draft(&mut self, url: &Rc<str>, pointer: &str, schema: &Doc, fallback: Draft) -> Result<Draft, String> {
        let (mut url, mut pointer, mut schema) = (url.clone(), pointer, schema.clone());
        let mut seen: BTreeSet<Rc<str>> = BTreeSet::new();
        loop {
            let Some(meta) = schema.get("$schema").and_then(Doc::as_str).cloned() else { return Ok(fallback) };
            if let Some(draft) = Draft::of_url(&meta) {
                return Ok(draft);
            }
            let meta: Rc<str> = location::split(&meta).0.into();
            crate::funcs::url::reference(&meta)
                .map_err(|error| format!("invalid $schema in {}: {error}", quote(&shown(&url, pointer))))?;
            if pointer.is_empty() && meta == url {
                return Err(format!("draft {} is not supported", quote(&meta)));
            }
            if !seen.insert(meta.clone()) {
                return Err(format!("cycle in resolving $schema in {}", quote(&meta)));
            }
            schema = self.load(&meta)?;
            (url, pointer) = (meta, "");
        }
    }

    fn vocabularies(&mut self, schema: &Doc, draft: Draft) -> Result<Option<Rc<Vec<Rc<str>>>>, String> {
        let Some(meta) = schema.get("$schema").and_then(Doc::as_str) else { return Ok(None) };
        if Draft::of_url(meta).is_some() {
            return Ok(None);
        }
        let url: Rc<str> = location::split(meta).0.into();
        let metaschema = self.load(&url)?;
        draft.vocabularies(&url, &metaschema)
    }
}
