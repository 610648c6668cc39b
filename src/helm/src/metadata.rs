//! `Chart.yaml`: its fields, how Go decodes them, and validation with Helm's texts (`pkg/chart/metadata.go`).

use crate::semver;
use crate::strvals::quote;
use crate::version::HelmVersion;
use base::SortedMap;
use base::{Json, Span};
use std::cell::RefCell;
use std::rc::Rc;
use yaml::{Located, LocatedValue};

/// One entry of `maintainers`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Maintainer {
    /// Name.
    pub name: Rc<str>,
    /// Mail address.
    pub email: Rc<str>,
    /// Page.
    pub url: Rc<str>,
}

/// One entry of `dependencies`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dependency {
    /// Name of the chart; dependency processing puts the alias here.
    pub name: Rc<str>,
    /// Range of versions.
    pub version: Rc<str>,
    /// Where it comes from.
    pub repository: Rc<str>,
    /// Comma-separated paths of values that switch it on or off.
    pub condition: Rc<str>,
    /// Tags that switch it on or off.
    pub tags: Vec<Rc<str>>,
    /// Whether it takes part.
    pub enabled: bool,
    /// What of its values the parent imports: texts or `{child, parent}`.
    pub import_values: Vec<Json>,
    /// Name to use instead of the chart's.
    pub alias: Rc<str>,
    /// Where it stands in `Chart.yaml`.
    pub span: Span,
}

/// A shared entry: Helm 3's aliased copies of one chart share their nested entries.
pub type DependencyRef = Rc<RefCell<Dependency>>;

/// `Chart.yaml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// Name of the chart.
    pub name: Rc<str>,
    /// Page of the project.
    pub home: Rc<str>,
    /// Sources of the project; `None` when absent.
    pub sources: Option<Vec<Rc<str>>>,
    /// Version of the chart.
    pub version: Rc<str>,
    /// One sentence on it.
    pub description: Rc<str>,
    /// Keywords; `None` when absent.
    pub keywords: Option<Vec<Rc<str>>>,
    /// Maintainers; `None` when absent, `None` inside for a null entry.
    pub maintainers: Option<Vec<Option<Maintainer>>>,
    /// Address of an image.
    pub icon: Rc<str>,
    /// `v1` or `v2`.
    pub api_version: Rc<str>,
    /// `condition`.
    pub condition: Rc<str>,
    /// `tags`.
    pub tags: Rc<str>,
    /// Version of what is inside.
    pub app_version: Rc<str>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Annotations; `None` when absent.
    pub annotations: Option<SortedMap<Rc<str>, Rc<str>>>,
    /// Range of Kubernetes versions.
    pub kube_version: Rc<str>,
    /// Dependencies; `None` when absent, `None` inside for a null entry.
    pub dependencies: Option<Vec<Option<DependencyRef>>>,
    /// `application` or `library` (`type`).
    pub kind: Rc<str>,
}

/// What is wrong, in Helm's words, and where in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The words.
    pub message: String,
    /// Where, when it is known.
    pub span: Option<Span>,
}

impl Metadata {
    /// The entries of `dependencies` that are not null.
    pub fn entries(&self) -> Vec<DependencyRef> {
        self.dependencies.iter().flatten().flatten().cloned().collect()
    }

    /// A copy that shares no entries.
    pub fn detached(&self) -> Metadata {
        let mut copy = self.clone();
        for entry in copy.dependencies.iter_mut().flatten().flatten() {
            let detached = entry.borrow().clone();
            *entry = Rc::new(RefCell::new(detached));
        }
        copy
    }

    /// Decodes a YAML text into this metadata, over what is there, as `yaml.Unmarshal` into a struct does.
    pub fn decode(&mut self, text: &[u8], version: HelmVersion) -> Result<(), Problem> {
        let root =
            yaml::located(text).map_err(|error| Problem { message: error.converting(), span: Some(error.span) })?;
        let Some(root) = root else { return Ok(()) };
        let package = if version.is_v4() { "v2" } else { "chart" };
        let mut decoder = Decoder { error: None, package, path: Vec::new() };
        decoder.metadata(&root, self);
        match decoder.error {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }

    /// Checks and cleans the metadata. The text comes without the `validation: ` prefix.
    pub fn validate(&mut self) -> Result<(), String> {
        for text in [
            &mut self.name,
            &mut self.description,
            &mut self.home,
            &mut self.icon,
            &mut self.condition,
            &mut self.tags,
            &mut self.app_version,
            &mut self.kube_version,
        ] {
            sanitize(text);
        }
        self.sources.iter_mut().chain(self.keywords.iter_mut()).flatten().for_each(sanitize);
        let problem = |text: &str| Err(text.to_string());
        if self.api_version.is_empty() {
            return problem("chart.metadata.apiVersion is required");
        }
        if self.name.is_empty() {
            return problem("chart.metadata.name is required");
        }
        if matches!(&*self.name, "." | "..") {
            return Err(format!("chart.metadata.name {} is not allowed", quote(&self.name)));
        }
        if self.name.contains('/') {
            return Err(format!("chart.metadata.name {} is invalid", quote(&self.name)));
        }
        if self.version.is_empty() {
            return problem("chart.metadata.version is required");
        }
        if semver::Version::parse(&self.version).is_err() {
            return Err(format!("chart.metadata.version {} is invalid", quote(&self.version)));
        }
        if !matches!(&*self.kind, "" | "application" | "library") {
            return problem("chart.metadata.type must be application or library");
        }
        for maintainer in self.maintainers.iter_mut().flatten() {
            let Some(maintainer) = maintainer else {
                return problem("maintainers must not contain empty or null nodes");
            };
            [&mut maintainer.name, &mut maintainer.email, &mut maintainer.url].into_iter().for_each(sanitize);
        }
        self.validate_dependencies()
    }

    fn validate_dependencies(&mut self) -> Result<(), String> {
        let mut seen: Vec<Rc<str>> = Vec::new();
        for entry in self.dependencies.iter().flatten() {
            let Some(entry) = entry else {
                return Err("dependencies must not contain empty or null nodes".to_string());
            };
            let mut entry = entry.borrow_mut();
            let entry = &mut *entry;
            for text in [&mut entry.name, &mut entry.version, &mut entry.repository, &mut entry.condition] {
                sanitize(text);
            }
            entry.tags.iter_mut().for_each(sanitize);
            let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if !entry.alias.chars().all(allowed) {
                return Err(format!("dependency {} has disallowed characters in the alias", quote(&entry.name)));
            }
            let key = if entry.alias.is_empty() { &entry.name } else { &entry.alias };
            if seen.contains(key) {
                return Err(format!("more than one dependency with name or alias {}", quote(key)));
            }
            seen.push(key.clone());
        }
        Ok(())
    }
}

/// Blanks become spaces, what cannot be printed goes.
fn sanitize(text: &mut Rc<str>) {
    let bad = |c: char| c != ' ' && (c.is_whitespace() || !printable(c));
    if text.chars().any(bad) {
        let clean: String = text
            .chars()
            .filter_map(|c| match c {
                c if c.is_whitespace() => Some(' '),
                c if printable(c) => Some(c),
                _ => None,
            })
            .collect();
        *text = clean.into();
    }
}

/// Near enough Go's `unicode.IsPrint`: no controls, formats, surrogates, private use.
fn printable(c: char) -> bool {
    !(c.is_control()
        || matches!(c as u32, 0xad | 0x600..=0x605 | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfeff
            | 0xfff9..=0xfffb | 0xe000..=0xf8ff | 0xfff0..=0xfff8 | 0xfffe..=0xffff | 0xe0000..=0x10ffff))
}

/// Go's `encoding/json` into structs: fields by name without case, the first mismatch is reported, the rest is read.
struct Decoder {
    error: Option<Problem>,
    package: &'static str,
    path: Vec<&'static str>,
}

impl Decoder {
    fn mismatch(&mut self, found: &Located, owner: &str, wanted: &str) {
        if self.error.is_some() {
            return;
        }
        let kind = match &found.json {
            LocatedValue::Null => "null",
            LocatedValue::Bool(_) => "bool",
            LocatedValue::Int(_) | LocatedValue::Float(_) => "number",
            LocatedValue::Str(_) => "string",
            LocatedValue::List(_) => "array",
            LocatedValue::Map(_) => "object",
        };
        let target = if self.path.is_empty() {
            format!("value of type {wanted}")
        } else {
            format!("struct field {owner}.{} of type {wanted}", self.path.join("."))
        };
        let message =
            format!("error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {kind} into Go {target}");
        self.error = Some(Problem { message, span: Some(found.span) });
    }

    fn text(&mut self, value: &Located, owner: &str, into: &mut Rc<str>) {
        match value.string_for_field() {
            Some(text) => *into = text.into(),
            None if value.json == LocatedValue::Null => {}
            None => self.mismatch(value, owner, "string"),
        }
    }

    fn flag(&mut self, value: &Located, owner: &str, into: &mut bool) {
        match value.json {
            LocatedValue::Bool(b) => *into = b,
            LocatedValue::Null => {}
            _ => self.mismatch(value, owner, "bool"),
        }
    }

    fn items<'l>(&mut self, value: &'l Located, owner: &str, wanted: &str) -> Option<&'l [Located]> {
        match &value.json {
            LocatedValue::List(items) => Some(items),
            LocatedValue::Null => None,
            _ => {
                self.mismatch(value, owner, wanted);
                None
            }
        }
    }

    fn texts(&mut self, value: &Located, owner: &str, into: &mut Option<Vec<Rc<str>>>) {
        if value.json == LocatedValue::Null {
            *into = None;
        }
        let Some(items) = self.items(value, owner, "[]string") else { return };
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let mut text = Rc::from("");
            self.text(item, owner, &mut text);
            list.push(text);
        }
        *into = Some(list);
    }

    fn members<'l>(&mut self, value: &'l Located, owner: &str, wanted: &str) -> &'l [(Rc<str>, Located)] {
        match &value.json {
            LocatedValue::Map(members) => members,
            LocatedValue::Null => &[],
            _ => {
                self.mismatch(value, owner, wanted);
                &[]
            }
        }
    }

    fn metadata(&mut self, value: &Located, into: &mut Metadata) {
        const OWNER: &str = "Metadata";
        const FIELDS: &[&str] = &[
            "name",
            "home",
            "sources",
            "version",
            "description",
            "keywords",
            "maintainers",
            "icon",
            "apiVersion",
            "condition",
            "tags",
            "appVersion",
            "deprecated",
            "annotations",
            "kubeVersion",
            "dependencies",
            "type",
        ];
        let wanted = format!("{}.Metadata", self.package);
        for (key, value) in self.members(value, OWNER, &wanted) {
            let Some(field) = field_of(FIELDS, key) else { continue };
            self.path.push(field);
            match field {
                "name" => self.text(value, OWNER, &mut into.name),
                "home" => self.text(value, OWNER, &mut into.home),
                "sources" => self.texts(value, OWNER, &mut into.sources),
                "version" => self.text(value, OWNER, &mut into.version),
                "description" => self.text(value, OWNER, &mut into.description),
                "keywords" => self.texts(value, OWNER, &mut into.keywords),
                "maintainers" => self.maintainers(value, into),
                "icon" => self.text(value, OWNER, &mut into.icon),
                "apiVersion" => self.text(value, OWNER, &mut into.api_version),
                "condition" => self.text(value, OWNER, &mut into.condition),
                "tags" => self.text(value, OWNER, &mut into.tags),
                "appVersion" => self.text(value, OWNER, &mut into.app_version),
                "deprecated" => self.flag(value, OWNER, &mut into.deprecated),
                "annotations" => self.annotations(value, into),
                "kubeVersion" => self.text(value, OWNER, &mut into.kube_version),
                "dependencies" => self.dependencies(value, into),
                _ => self.text(value, OWNER, &mut into.kind),
            }
            self.path.pop();
        }
    }

    fn annotations(&mut self, value: &Located, into: &mut Metadata) {
        if value.json == LocatedValue::Null {
            into.annotations = None;
            return;
        }
        let members = self.members(value, "Metadata", "map[string]string");
        let mut annotations = into.annotations.take().unwrap_or_default();
        for (key, value) in members {
            let mut text = Rc::from("");
            self.text(value, "Metadata", &mut text);
            annotations.insert(key.clone(), text);
        }
        into.annotations = Some(annotations);
    }

    fn maintainers(&mut self, value: &Located, into: &mut Metadata) {
        const OWNER: &str = "Maintainer";
        let wanted = format!("[]*{}.Maintainer", self.package);
        if value.json == LocatedValue::Null {
            into.maintainers = None;
        }
        let Some(items) = self.items(value, "Metadata", &wanted) else { return };
        let mut old = into.maintainers.take().unwrap_or_default().into_iter();
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let known = old.next().flatten();
            if item.json == LocatedValue::Null {
                list.push(None);
                continue;
            }
            let mut maintainer = known.unwrap_or_default();
            let wanted = format!("{}.Maintainer", self.package);
            for (key, value) in self.members(item, "Metadata", &wanted) {
                let Some(field) = field_of(&["name", "email", "url"], key) else { continue };
                self.path.push(field);
                let target = match field {
                    "name" => &mut maintainer.name,
                    "email" => &mut maintainer.email,
                    _ => &mut maintainer.url,
                };
                self.text(value, OWNER, target);
                self.path.pop();
            }
            list.push(Some(maintainer));
        }
        into.maintainers = Some(list);
    }

    fn dependencies(&mut self, value: &Located, into: &mut Metadata) {
        let wanted = format!("[]*{}.Dependency", self.package);
        if value.json == LocatedValue::Null {
            into.dependencies = None;
        }
        let Some(items) = self.items(value, "Metadata", &wanted) else { return };
        // Go decodes into the elements that are there: requirements.yaml is laid over the entries of Chart.yaml.
        let mut old = into.dependencies.take().unwrap_or_default().into_iter();
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let known = old.next().flatten();
            if item.json == LocatedValue::Null {
                list.push(None);
                continue;
            }
            let entry = known.unwrap_or_default();
            entry.borrow_mut().span = item.span;
            self.dependency(item, &mut entry.borrow_mut());
            list.push(Some(entry));
        }
        into.dependencies = Some(list);
    }

    fn dependency(&mut self, item: &Located, into: &mut Dependency) {
        const OWNER: &str = "Dependency";
        const FIELDS: &[&str] =
            &["name", "version", "repository", "condition", "tags", "enabled", "import-values", "alias"];
        let wanted = format!("{}.Dependency", self.package);
        for (key, value) in self.members(item, "Metadata", &wanted) {
            let Some(field) = field_of(FIELDS, key) else { continue };
            self.path.push(field);
            match field {
                "name" => self.text(value, OWNER, &mut into.name),
                "version" => self.text(value, OWNER, &mut into.version),
                "repository" => self.text(value, OWNER, &mut into.repository),
                "condition" => self.text(value, OWNER, &mut into.condition),
                "tags" => {
                    let mut tags = Some(std::mem::take(&mut into.tags));
                    self.texts(value, OWNER, &mut tags);
                    into.tags = tags.unwrap_or_default();
                }
                "enabled" => self.flag(value, OWNER, &mut into.enabled),
                "import-values" => {
                    let items = self.items(value, OWNER, "[]interface {}");
                    into.import_values = items.unwrap_or_default().iter().map(Located::to_json).collect();
                }
                _ => self.text(value, OWNER, &mut into.alias),
            }
            self.path.pop();
        }
    }
}

fn field_of(fields: &[&'static str], key: &str) -> Option<&'static str> {
    let exact = fields.iter().find(|field| **field == key);
    exact.or_else(|| fields.iter().find(|field| field.eq_ignore_ascii_case(key))).copied()
}
