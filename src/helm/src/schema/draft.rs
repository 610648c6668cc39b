//! The drafts of JSON Schema: their URLs, the keywords that hold sub-schemas, their vocabularies and metaschemas.

use super::document::Doc;
use super::location;
use std::rc::Rc;

/// A draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Draft {
    D4,
    D6,
    D7,
    D2019,
    D2020,
}

/// Where the sub-schemas of a keyword are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// The keyword's own value.
    Own,
    /// Each item of its array.
    Items,
    /// Each member of its object.
    Members,
}

/// Keywords with sub-schemas and the draft that brought them.
const SUBSCHEMAS: &[(&str, Position, Draft)] = &[
    ("definitions", Position::Members, Draft::D4),
    ("not", Position::Own, Draft::D4),
    ("allOf", Position::Items, Draft::D4),
    ("anyOf", Position::Items, Draft::D4),
    ("oneOf", Position::Items, Draft::D4),
    ("properties", Position::Members, Draft::D4),
    ("additionalProperties", Position::Own, Draft::D4),
    ("patternProperties", Position::Members, Draft::D4),
    ("items", Position::Own, Draft::D4),
    ("items", Position::Items, Draft::D4),
    ("additionalItems", Position::Own, Draft::D4),
    ("dependencies", Position::Members, Draft::D4),
    ("propertyNames", Position::Own, Draft::D6),
    ("contains", Position::Own, Draft::D6),
    ("if", Position::Own, Draft::D7),
    ("then", Position::Own, Draft::D7),
    ("else", Position::Own, Draft::D7),
    ("$defs", Position::Members, Draft::D2019),
    ("dependentSchemas", Position::Members, Draft::D2019),
    ("unevaluatedProperties", Position::Own, Draft::D2019),
    ("unevaluatedItems", Position::Own, Draft::D2019),
    ("contentSchema", Position::Own, Draft::D2019),
    ("prefixItems", Position::Items, Draft::D2020),
];

const VOCABULARIES: &[(&str, Draft)] = &[
    ("core", Draft::D2019),
    ("applicator", Draft::D2019),
    ("validation", Draft::D2019),
    ("meta-data", Draft::D2019),
    ("content", Draft::D2019),
    ("format", Draft::D2019),
    ("unevaluated", Draft::D2020),
    ("format-annotation", Draft::D2020),
    ("format-assertion", Draft::D2020),
];

impl Draft {
    /// URL of the metaschema.
    pub(crate) fn url(self) -> &'static str {
        match self {
            Draft::D4 => "http://json-schema.org/draft-04/schema",
            Draft::D6 => "http://json-schema.org/draft-06/schema",
            Draft::D7 => "http://json-schema.org/draft-07/schema",
            Draft::D2019 => "https://json-schema.org/draft/2019-09/schema",
            Draft::D2020 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The draft of a `$schema`.
    pub(crate) fn of_url(url: &str) -> Option<Draft> {
        let (url, fragment) = location::split(url);
        if !fragment.is_empty() {
            return None;
        }
        let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")).unwrap_or(url);
        match rest.strip_prefix("json-schema.org/")? {
            "schema" | "draft/2020-12/schema" => Some(Draft::D2020),
            "draft/2019-09/schema" => Some(Draft::D2019),
            "draft-07/schema" => Some(Draft::D7),
            "draft-06/schema" => Some(Draft::D6),
            "draft-04/schema" => Some(Draft::D4),
            _ => None,
        }
    }

    /// The keyword that names a schema.
    pub(crate) fn id_keyword(self) -> &'static str {
        if self == Draft::D4 { "id" } else { "$id" }
    }

    /// A schema's own URL reference, without its fragment; empty when it has none.
    pub(crate) fn id(self, schema: &Doc) -> &str {
        if self < Draft::D2019 && schema.get("$ref").is_some() {
            return "";
        }
        schema.get(self.id_keyword()).and_then(Doc::as_str).map_or("", |id| location::split(id).0)
    }

    /// The sub-schemas of a schema with their pointers.
    pub(crate) fn subschemas(self, schema: &Doc, pointer: &str) -> Vec<(Rc<str>, Doc)> {
        let mut found = Vec::new();
        for (keyword, position, since) in SUBSCHEMAS {
            let Some(value) = schema.get(keyword).filter(|_| self >= *since) else { continue };
            let own = location::append(pointer, keyword);
            match (position, value) {
                (Position::Own, value) => found.push((own, value.clone())),
                (Position::Items, Doc::List(items)) => {
                    let item = |(i, item): (usize, &Doc)| (format!("{own}/{i}").into(), item.clone());
                    found.extend(items.iter().enumerate().map(item));
                }
                (Position::Members, Doc::Map(members)) => {
                    found.extend(members.iter().map(|(key, item)| (location::append(&own, key), item.clone())));
                }
                _ => {}
            }
        }
        found
    }

    fn vocabulary_prefix(self) -> String {
        format!("{}vocab/", self.url().strip_suffix("schema").unwrap_or_default())
    }

    /// URL of the metaschema of one vocabulary.
    pub(crate) fn vocabulary_url(self, name: &str) -> String {
        format!("{}meta/{name}", self.url().strip_suffix("schema").unwrap_or_default())
    }

    fn has_vocabulary(self, name: &str) -> bool {
        VOCABULARIES
            .iter()
            .any(|(known, since)| *known == name && self >= *since && !(name == "format" && self == Draft::D2020))
    }

    /// The required vocabularies that a metaschema lists; `None` for the draft's usual ones.
    pub(crate) fn vocabularies(self, url: &str, metaschema: &Doc) -> Result<Option<Rc<Vec<Rc<str>>>>, String> {
        let Some(listed) = metaschema.get("$vocabulary").and_then(Doc::as_map).filter(|_| self >= Draft::D2019) else {
            return Ok(None);
        };
        let prefix = self.vocabulary_prefix();
        let mut names: Vec<Rc<str>> = Vec::new();
        for (vocabulary, _) in listed.iter().filter(|(_, required)| required.as_bool() == Some(true)) {
            match vocabulary.strip_prefix(&*prefix).filter(|name| self.has_vocabulary(name)) {
                Some(name) => names.push(name.into()),
                None => {
                    let (vocabulary, url) = (location::quote(vocabulary), location::quote(url));
                    return Err(format!("unsupported vocabulary {vocabulary} in {url}"));
                }
            }
        }
        if !names.iter().any(|name| **name == *"core") {
            names.push("core".into());
        }
        Ok(Some(Rc::new(names)))
    }
}

/// A draft and the vocabularies that are on.
#[derive(Clone, Debug)]
pub(crate) struct Dialect {
    /// The draft.
    pub(crate) draft: Draft,
    /// Vocabularies that a metaschema lists; `None` for the draft's usual ones.
    pub(crate) vocabularies: Option<Rc<Vec<Rc<str>>>>,
}

impl Dialect {
    /// Whether keywords of a vocabulary count.
    pub(crate) fn has(&self, name: &str) -> bool {
        if name == "core" || self.draft < Draft::D2019 {
            return true;
        }
        match &self.vocabularies {
            Some(names) => names.iter().any(|known| **known == *name),
            None => matches!(name, "applicator" | "validation") || name == "unevaluated" && self.draft == Draft::D2020,
        }
    }
}

/// The metaschema documents that come with the one at `url`, each with its URL; none when it is not one of ours.
pub(crate) fn metaschemas(url: &str) -> Vec<(String, Doc)> {
    let Some(at) = ["http://json-schema.org/", "https://json-schema.org/"].iter().find(|p| url.starts_with(**p)) else {
        return Vec::new();
    };
    let path = &url[at.len()..];
    let text = match path.rsplit_once("/meta/").map_or(path, |(draft, _)| draft) {
        "draft-04/schema" => include_str!("metaschemas/draft-04.json"),
        "draft-06/schema" => include_str!("metaschemas/draft-06.json"),
        "draft-07/schema" => include_str!("metaschemas/draft-07.json"),
        "draft/2019-09/schema" | "draft/2019-09" => include_str!("metaschemas/2019-09.json"),
        "schema" | "draft/2020-12/schema" | "draft/2020-12" => include_str!("metaschemas/2020-12.json"),
        _ => return Vec::new(),
    };
    let Ok(Doc::Map(members)) = Doc::parse(text.as_bytes()) else { return Vec::new() };
    let mut found: Vec<(String, Doc)> =
        members.iter().map(|(path, document)| (format!("{at}{path}"), document.clone())).collect();
    if path == "schema" {
        found.extend(members.get("draft/2020-12/schema").map(|document| (url.to_string(), document.clone())));
    }
    found
}
