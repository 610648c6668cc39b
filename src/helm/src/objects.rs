//! The Go objects of a render context: `.Chart` (a struct in Helm 3, a map in Helm 4), `.Capabilities`, `.Files`, and the
//! named map type of `.Values`.

use crate::capabilities::Capabilities;
use crate::chart::File;
use crate::files;
use crate::metadata::{Dependency, Maintainer, Metadata};
use crate::version::HelmVersion;
use base::Json;
use gotmpl::types::{Field, ObjectType};
use gotmpl::{Call, Func, FuncError, Heap, Key, Kind, ListType, MapType, NilType, ObjectData, Outcome, Param, Value};
use std::rc::Rc;

static VALUES_V3: MapType = MapType { name: "chartutil.Values", elem: "interface {}", methods: VALUES_METHODS };
static VALUES_V4: MapType = MapType { name: "common.Values", elem: "interface {}", methods: VALUES_METHODS };
const VALUES_METHODS: &[Func] = &[Func::new("AsMap", &[], values_as_map)];

/// `.Values.AsMap`: the same map under its plain type. A copy here, as one map has one type on the heap.
fn values_as_map(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let entries = args[0].as_map().map(|id| call.heap.entries(id)).unwrap_or_default();
    Ok(call.heap.map_of(MapType::ANY, entries.to_vec()).into())
}

/// The Go type of `.Values`.
pub(crate) fn values_type(version: HelmVersion) -> &'static MapType {
    if version.is_v4() { &VALUES_V4 } else { &VALUES_V3 }
}

static FILES: MapType = MapType { name: "engine.files", elem: "[]uint8", methods: files::METHODS };

/// `.Files` of these files.
pub(crate) fn files(heap: &mut Heap, files: &[File]) -> Value {
    let entries: Vec<(Key, Value)> =
        files.iter().map(|file| (Key::from(file.name.as_bytes()), heap.byte_slice(file.data.clone()))).collect();
    heap.map_of(&FILES, entries)
}

/// A `.Files` with these entries.
pub(crate) fn files_of(heap: &mut Heap, entries: Vec<(Key, Value)>) -> Value {
    heap.map_of(&FILES, entries)
}

const fn field(name: &'static str, index: usize) -> Field {
    Field { name, index, promoted: None, boxes: false }
}

const fn promoted(name: &'static str, inner: usize) -> Field {
    Field { name, index: 0, promoted: Some(inner), boxes: false }
}

const fn structure(name: &'static str, kind: Kind, fields: &'static [Field]) -> ObjectType {
    ObjectType { name, kind, fields, methods: &[], text: None, json: None }
}

static METADATA: ObjectType =
    ObjectType { json: Some(metadata_json), ..structure("chart.Metadata", Kind::Struct, METADATA_FIELDS) };
const METADATA_FIELDS: &[Field] = &[
    field("Name", 0),
    field("Home", 1),
    field("Sources", 2),
    field("Version", 3),
    field("Description", 4),
    field("Keywords", 5),
    field("Maintainers", 6),
    field("Icon", 7),
    field("APIVersion", 8),
    field("Condition", 9),
    field("Tags", 10),
    field("AppVersion", 11),
    field("Deprecated", 12),
    field("Annotations", 13),
    field("KubeVersion", 14),
    field("Dependencies", 15),
    field("Type", 16),
];
static CHART: ObjectType = ObjectType {
    json: Some(chart_json),
    ..structure("struct { chart.Metadata; IsRoot bool }", Kind::Struct, CHART_FIELDS)
};
const CHART_FIELDS: &[Field] = &[
    field("Metadata", 0),
    field("IsRoot", 1),
    promoted("Name", 0),
    promoted("Home", 1),
    promoted("Sources", 2),
    promoted("Version", 3),
    promoted("Description", 4),
    promoted("Keywords", 5),
    promoted("Maintainers", 6),
    promoted("Icon", 7),
    promoted("APIVersion", 8),
    promoted("Condition", 9),
    promoted("Tags", 10),
    promoted("AppVersion", 11),
    promoted("Deprecated", 12),
    promoted("Annotations", 13),
    promoted("KubeVersion", 14),
    promoted("Dependencies", 15),
    promoted("Type", 16),
];
static MAINTAINER: ObjectType = ObjectType {
    json: Some(native_json),
    ..structure("*chart.Maintainer", Kind::Ptr, &[field("Name", 0), field("Email", 1), field("URL", 2)])
};
static DEPENDENCY: ObjectType = ObjectType {
    json: Some(native_json),
    ..structure(
        "*chart.Dependency",
        Kind::Ptr,
        &[
            field("Name", 0),
            field("Version", 1),
            field("Repository", 2),
            field("Condition", 3),
            field("Tags", 4),
            field("Enabled", 5),
            field("ImportValues", 6),
            field("Alias", 7),
        ],
    )
};
static MAINTAINERS: ListType = ListType { name: "[]*chart.Maintainer", elem: "*chart.Maintainer", methods: &[] };
static DEPENDENCIES: ListType = ListType { name: "[]*chart.Dependency", elem: "*chart.Dependency", methods: &[] };
static NO_MAINTAINERS: NilType = NilType { name: "[]*chart.Maintainer", kind: Kind::Slice };
static NO_DEPENDENCIES: NilType = NilType { name: "[]*chart.Dependency", kind: Kind::Slice };
static NO_MAINTAINER: NilType = NilType { name: "*chart.Maintainer", kind: Kind::Ptr };

/// `.Chart`.
pub(crate) fn chart(heap: &mut Heap, metadata: &Metadata, is_root: bool, version: HelmVersion) -> Value {
    if version.is_v4() {
        return chart_map(heap, metadata, is_root);
    }
    let fields = metadata_values(heap, metadata, false);
    let json: Rc<Json> = Rc::new(json_of_metadata(metadata));
    let inner = heap.object(ObjectData { ty: &METADATA, fields, native: Some(json.clone()) });
    heap.object(ObjectData { ty: &CHART, fields: vec![inner, Value::bool(is_root)], native: Some(json) })
}

/// Helm 4's `.Chart`: Go field names as keys, slices as lists of anything.
fn chart_map(heap: &mut Heap, metadata: &Metadata, is_root: bool) -> Value {
    let values = metadata_values(heap, metadata, true);
    let mut entries: Vec<(Key, Value)> =
        METADATA_FIELDS.iter().map(|field| Key::from(field.name.as_bytes())).zip(values).collect();
    entries.push((Key::from(&b"IsRoot"[..]), Value::bool(is_root)));
    heap.map_of(MapType::ANY, entries)
}

fn texts(heap: &mut Heap, list: Option<&Vec<Rc<str>>>, as_map: bool) -> Value {
    match list {
        None if as_map => heap.list(Vec::new()),
        None => Value::new(gotmpl::Data::NilOf(NilType::STRINGS)),
        Some(list) if as_map => {
            let items = list.iter().map(|text| heap.str(text.clone())).collect();
            heap.list(items)
        }
        Some(list) => heap.strings(list.iter().cloned()),
    }
}

fn metadata_values(heap: &mut Heap, m: &Metadata, as_map: bool) -> Vec<Value> {
    let maintainers = match &m.maintainers {
        None if as_map => heap.list(Vec::new()),
        None => Value::new(gotmpl::Data::NilOf(&NO_MAINTAINERS)),
        Some(list) => {
            let items: Vec<Value> = list.iter().map(|one| maintainer(heap, one.as_ref(), as_map)).collect();
            if as_map { heap.list(items) } else { heap.list_of(&MAINTAINERS, items) }
        }
    };
    let annotations = match &m.annotations {
        None => Value::new(gotmpl::Data::NilOf(NilType::MAP_STRINGS)),
        Some(map) => {
            let entries = map.iter().map(|(k, v)| (Key::from(k.as_bytes()), heap.str(v.clone()))).collect();
            heap.map_of(MapType::STRINGS, entries)
        }
    };
    let dependencies = match &m.dependencies {
        None if as_map => heap.list(Vec::new()),
        None => Value::new(gotmpl::Data::NilOf(&NO_DEPENDENCIES)),
        Some(_) => {
            let items: Vec<Value> = m.entries().iter().map(|one| dependency(heap, &one.borrow(), as_map)).collect();
            if as_map { heap.list(items) } else { heap.list_of(&DEPENDENCIES, items) }
        }
    };
    let sources = texts(heap, m.sources.as_ref(), as_map);
    let keywords = texts(heap, m.keywords.as_ref(), as_map);
    let mut text = |text: &Rc<str>| heap.str(text.clone());
    vec![
        text(&m.name),
        text(&m.home),
        sources,
        text(&m.version),
        text(&m.description),
        keywords,
        maintainers,
        text(&m.icon),
        text(&m.api_version),
        text(&m.condition),
        text(&m.tags),
        text(&m.app_version),
        Value::bool(m.deprecated),
        annotations,
        text(&m.kube_version),
        dependencies,
        text(&m.kind),
    ]
}

fn as_object(heap: &mut Heap, ty: &'static ObjectType, fields: Vec<Value>, json: Json, as_map: bool) -> Value {
    if as_map {
        let entries = ty.fields.iter().map(|field| Key::from(field.name.as_bytes())).zip(fields).collect();
        return heap.map_of(MapType::ANY, entries);
    }
    heap.object(ObjectData { ty, fields, native: Some(Rc::new(json)) })
}

fn maintainer(heap: &mut Heap, one: Option<&Maintainer>, as_map: bool) -> Value {
    let Some(one) = one else { return Value::new(gotmpl::Data::NilOf(&NO_MAINTAINER)) };
    let fields = [&one.name, &one.email, &one.url].map(|text| heap.str(text.clone())).into();
    as_object(heap, &MAINTAINER, fields, json_of_maintainer(one), as_map)
}

fn dependency(heap: &mut Heap, one: &Dependency, as_map: bool) -> Value {
    let tags = texts(heap, (!one.tags.is_empty()).then_some(&one.tags), as_map);
    let imports: Vec<Value> = one
        .import_values
        .iter()
        .map(|item| {
            // Processed entries are wrapped in a list of one.
            let item = item.as_list().and_then(<[Json]>::first).unwrap_or(item);
            let value = heap.from_json(item, false, gotmpl::Label::NONE);
            match value.as_map() {
                Some(id) => {
                    let entries = heap.entries(id).to_vec();
                    heap.map_of(MapType::STRINGS, entries)
                }
                None => value,
            }
        })
        .collect();
    let imports =
        if imports.is_empty() && !as_map { Value::new(gotmpl::Data::NilOf(NilType::LIST)) } else { heap.list(imports) };
    let mut text = |text: &Rc<str>| heap.str(text.clone());
    let fields = vec![
        text(&one.name),
        text(&one.version),
        text(&one.repository),
        text(&one.condition),
        tags,
        Value::bool(one.enabled),
        imports,
        text(&one.alias),
    ];
    as_object(heap, &DEPENDENCY, fields, json_of_dependency(one), as_map)
}

/// Members whose text is not empty.
fn members(pairs: &[(&str, &Rc<str>)]) -> Vec<(Rc<str>, Json)> {
    let filled = pairs.iter().filter(|(_, text)| !text.is_empty());
    filled.map(|(key, text)| (Rc::from(*key), Json::Str((*text).clone()))).collect()
}

fn json_texts(list: &[Rc<str>]) -> Json {
    Json::list(list.iter().map(|text| Json::Str(text.clone())))
}

fn json_of_maintainer(one: &Maintainer) -> Json {
    Json::map(members(&[("name", &one.name), ("email", &one.email), ("url", &one.url)]))
}

fn json_of_dependency(one: &Dependency) -> Json {
    let mut all = members(&[("version", &one.version), ("condition", &one.condition), ("alias", &one.alias)]);
    all.push(("name".into(), Json::Str(one.name.clone())));
    all.push(("repository".into(), Json::Str(one.repository.clone())));
    if !one.tags.is_empty() {
        all.push(("tags".into(), json_texts(&one.tags)));
    }
    if one.enabled {
        all.push(("enabled".into(), Json::Bool(true)));
    }
    if !one.import_values.is_empty() {
        let plain = |item: &Json| item.as_list().and_then(<[Json]>::first).unwrap_or(item).clone();
        all.push(("import-values".into(), Json::list(one.import_values.iter().map(plain))));
    }
    Json::map(all)
}

fn json_of_metadata(m: &Metadata) -> Json {
    let mut all = members(&[
        ("name", &m.name),
        ("home", &m.home),
        ("version", &m.version),
        ("description", &m.description),
        ("icon", &m.icon),
        ("apiVersion", &m.api_version),
        ("condition", &m.condition),
        ("tags", &m.tags),
        ("appVersion", &m.app_version),
        ("kubeVersion", &m.kube_version),
        ("type", &m.kind),
    ]);
    for (key, list) in [("sources", &m.sources), ("keywords", &m.keywords)] {
        if let Some(list) = list.as_ref().filter(|list| !list.is_empty()) {
            all.push((key.into(), json_texts(list)));
        }
    }
    if let Some(list) = m.maintainers.as_ref().filter(|list| !list.is_empty()) {
        let one = |one: &Option<Maintainer>| one.as_ref().map_or(Json::Null, json_of_maintainer);
        all.push(("maintainers".into(), Json::list(list.iter().map(one))));
    }
    if m.deprecated {
        all.push(("deprecated".into(), Json::Bool(true)));
    }
    if let Some(map) = m.annotations.as_ref().filter(|map| !map.is_empty()) {
        let text = |(key, text): (&Rc<str>, &Rc<str>)| (key.clone(), Json::Str(text.clone()));
        all.push(("annotations".into(), Json::map(map.iter().map(text))));
    }
    let entries = m.entries();
    if !entries.is_empty() {
        let one = |one: &crate::metadata::DependencyRef| json_of_dependency(&one.borrow());
        all.push(("dependencies".into(), Json::list(entries.iter().map(one))));
    }
    Json::map(all)
}

fn native_json(_: &Heap, object: &ObjectData) -> Json {
    object.native.as_ref().and_then(|native| native.downcast_ref::<Json>()).cloned().unwrap_or_default()
}

fn metadata_json(heap: &Heap, object: &ObjectData) -> Json {
    native_json(heap, object)
}

fn chart_json(heap: &Heap, object: &ObjectData) -> Json {
    let mut json = native_json(heap, object);
    let is_root = object.fields.get(1).and_then(|value| value.as_bool()).unwrap_or(false);
    json.set(&["IsRoot"], Json::Bool(is_root));
    json
}

// .Capabilities

const VERSION_SET_METHODS: &[Func] = &[Func::new("Has", &[Param::Str], has_version)];
static VERSION_SET_V3: ListType =
    ListType { name: "chartutil.VersionSet", elem: "string", methods: VERSION_SET_METHODS };
static VERSION_SET_V4: ListType = ListType { name: "common.VersionSet", elem: "string", methods: VERSION_SET_METHODS };

fn has_version(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let items = call.heap.elements(args[0]).unwrap_or_default();
    let wanted = call.heap.bytes(args[1]);
    let found = items.iter().any(|item| call.heap.bytes(*item) == wanted);
    Ok(Value::bool(found).into())
}

const KUBE_METHODS: &[Func] = &[Func::new("String", &[], kube_string), Func::new("GitVersion", &[], kube_git_version)];
static KUBE_V3: ObjectType = ObjectType {
    methods: KUBE_METHODS,
    ..structure("chartutil.KubeVersion", Kind::Struct, &[field("Version", 0), field("Major", 1), field("Minor", 2)])
};
/// Helm 4 has the normalised version as a second, unexported field.
static KUBE_V4: ObjectType = ObjectType {
    methods: KUBE_METHODS,
    json: Some(kube_v4_json),
    ..structure(
        "common.KubeVersion",
        Kind::Struct,
        &[field("Version", 0), field("normalizedVersion", 1), field("Major", 2), field("Minor", 3)],
    )
};

/// Unexported fields print but are not encoded.
fn kube_v4_json(heap: &Heap, object: &ObjectData) -> Json {
    let text = |index: usize| Json::str(object.fields.get(index).map(|v| heap.lossy(*v)).unwrap_or_default().as_ref());
    Json::map([("Version", text(0)), ("Major", text(2)), ("Minor", text(3))])
}

fn object_field(heap: &Heap, object: Value, index: usize) -> Value {
    match object.data {
        gotmpl::Data::Object(id) => heap.object_data(id).fields.get(index).copied().unwrap_or(Value::NIL),
        _ => Value::NIL,
    }
}

fn kube_git_version(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    Ok(object_field(call.heap, args[0], 0).into())
}

/// The normalised version, which in Helm 3 is the version itself.
fn kube_string(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let index = usize::from(call.heap.type_name(args[0]).starts_with("common."));
    Ok(object_field(call.heap, args[0], index).into())
}

static HELM_V3: ObjectType = structure(
    "version.BuildInfo",
    Kind::Struct,
    &[field("Version", 0), field("GitCommit", 1), field("GitTreeState", 2), field("GoVersion", 3)],
);
static HELM_V4: ObjectType = structure(
    "version.BuildInfo",
    Kind::Struct,
    &[
        field("Version", 0),
        field("GitCommit", 1),
        field("GitTreeState", 2),
        field("GoVersion", 3),
        field("KubeClientVersion", 4),
    ],
);
const CAPABILITY_FIELDS: &[Field] = &[field("KubeVersion", 0), field("APIVersions", 1), field("HelmVersion", 2)];
static CAPABILITIES_V3: ObjectType = structure("*chartutil.Capabilities", Kind::Ptr, CAPABILITY_FIELDS);
static CAPABILITIES_V4: ObjectType = structure("*common.Capabilities", Kind::Ptr, CAPABILITY_FIELDS);

/// `.Capabilities`.
pub(crate) fn capabilities(heap: &mut Heap, of: &Capabilities, helm: &'static str, version: HelmVersion) -> Value {
    let v4 = version.is_v4();
    let kube = &of.kube_version;
    let mut texts = vec![&kube.version, &kube.normalised, &kube.major, &kube.minor];
    if !v4 {
        texts.remove(1);
    }
    let fields = texts.into_iter().map(|text| heap.str(text.clone())).collect();
    let ty = if v4 { &KUBE_V4 } else { &KUBE_V3 };
    let kube = heap.object(ObjectData { ty, fields, native: None });
    let versions = of.api_versions.iter().map(|text| heap.str(text.clone())).collect();
    let versions = heap.list_of(if v4 { &VERSION_SET_V4 } else { &VERSION_SET_V3 }, versions);
    let go = "go1.26.8";
    let fields = [helm, "", "clean", go, "v1.36"].map(|text| heap.str(text));
    let ty = if v4 { &HELM_V4 } else { &HELM_V3 };
    let helm = heap.object(ObjectData { ty, fields: fields[..ty.fields.len()].to_vec(), native: None });
    let ty = if v4 { &CAPABILITIES_V4 } else { &CAPABILITIES_V3 };
    heap.object(ObjectData { ty, fields: vec![kube, versions, helm], native: None })
}
