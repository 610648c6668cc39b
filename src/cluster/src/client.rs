//! Typed shortcuts over requests: what kubectl, Argo CD and tests call.

use crate::cluster::Cluster;
use crate::request::{PatchType, Request, Response, Verb};
use crate::status::Status;
use base::Json;

/// An object by group, kind and place, as people name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// API group; `""` for core.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; `""` for cluster-scoped objects.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl ObjectRef {
    /// A reference from its parts.
    pub fn new(group: &str, kind: &str, namespace: &str, name: &str) -> ObjectRef {
        ObjectRef { group: group.into(), kind: kind.into(), namespace: namespace.into(), name: name.into() }
    }

    /// The reference of an object, from its `apiVersion`, `kind` and metadata.
    pub fn of(object: &Json) -> ObjectRef {
        let group = object.text_at(&["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
        ObjectRef::new(
            group,
            object.text_at(&["kind"]),
            object.text_at(&["metadata", "namespace"]),
            object.text_at(&["metadata", "name"]),
        )
    }
}

/// Who writes, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writer {
    /// Field manager; also the user agent.
    pub manager: String,
    /// Answer as if, and change nothing.
    pub dry_run: bool,
    /// Server-side apply takes fields from other managers.
    pub force: bool,
}

impl Writer {
    /// A plain writer with this field manager.
    pub fn new(manager: &str) -> Writer {
        Writer { manager: manager.to_string(), ..Writer::default() }
    }
}

/// What happens to an object's dependents when it is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// The object goes first, dependents follow.
    Background,
    /// Dependents go first.
    Foreground,
    /// Dependents stay.
    Orphan,
}

impl Propagation {
    /// The word in `propagationPolicy`.
    pub fn text(self) -> &'static str {
        match self {
            Propagation::Background => "Background",
            Propagation::Foreground => "Foreground",
            Propagation::Orphan => "Orphan",
        }
    }
}

impl Cluster {
    /// One object.
    pub fn get(&self, at: &ObjectRef) -> Result<Json, Status> {
        let request = self.request_for(Verb::Get, at)?;
        self.read(&request)
    }

    /// Objects of a kind in a namespace (`None`: all), filtered by a label selector (`""`: all). Without list wrapper;
    /// each item has its `apiVersion` and `kind`.
    pub fn list(&self, group: &str, kind: &str, namespace: Option<&str>, labels: &str) -> Result<Vec<Json>, Status> {
        let mut request = self.request_for(Verb::List, &ObjectRef::new(group, kind, namespace.unwrap_or(""), ""))?;
        request.query.insert("labelSelector".into(), labels.into());
        let (api_version, kind) = self.type_of(group, kind);
        let list = self.read(&request)?;
        Ok(list
            .items_at(&["items"])
            .iter()
            .map(|item| {
                let mut item = item.clone();
                item.set(&["apiVersion"], Json::str(api_version.as_str()));
                item.set(&["kind"], Json::str(kind.as_str()));
                item
            })
            .collect())
    }

    /// Creates an object.
    pub fn create(&mut self, object: &Json, writer: &Writer) -> Result<Json, Status> {
        let mut at = ObjectRef::of(object);
        at.name.clear();
        let mut request = self.request_for(Verb::Create, &at)?;
        request.body = object.clone();
        self.send(request, writer)
    }

    /// Replaces an object.
    pub fn update(&mut self, object: &Json, writer: &Writer) -> Result<Json, Status> {
        let mut request = self.request_for(Verb::Update, &ObjectRef::of(object))?;
        request.body = object.clone();
        self.send(request, writer)
    }

    /// Replaces an object's status (through the subresource where the kind has one).
    pub fn update_status(&mut self, object: &Json, writer: &Writer) -> Result<Json, Status> {
        let mut request = self.request_for(Verb::Update, &ObjectRef::of(object))?;
        if self.kinds().plural(&request.group, &request.resource).is_some_and(|r| r.status) {
            request.subresource = Some("status".into());
        }
        request.body = object.clone();
        self.send(request, writer)
    }

    /// Patches an object, or with `subresource` (`"status"`, `"scale"`) a part of it (`""`: the object).
    pub fn patch(
        &mut self,
        at: &ObjectRef,
        subresource: &str,
        kind: PatchType,
        patch: &Json,
        writer: &Writer,
    ) -> Result<Json, Status> {
        let mut request = self.request_for(Verb::Patch, at)?;
        request.subresource = (!subresource.is_empty()).then(|| subresource.to_string());
        request.content_type = kind.content_type().to_string();
        request.body = patch.clone();
        self.send(request, writer)
    }

    /// Server-side apply.
    pub fn apply(&mut self, object: &Json, writer: &Writer) -> Result<Json, Status> {
        self.patch(&ObjectRef::of(object), "", PatchType::Apply, object, writer)
    }

    /// Deletes an object; `None` leaves the propagation to the kind's default.
    pub fn delete(
        &mut self,
        at: &ObjectRef,
        propagation: Option<Propagation>,
        writer: &Writer,
    ) -> Result<Json, Status> {
        let mut request = self.request_for(Verb::Delete, at)?;
        if let Some(propagation) = propagation {
            request.query.insert("propagationPolicy".into(), propagation.text().into());
        }
        self.send(request, writer)
    }

    fn send(&mut self, mut request: Request, writer: &Writer) -> Result<Json, Status> {
        request.user_agent = writer.manager.clone();
        request.query.insert("fieldManager".into(), writer.manager.clone());
        if writer.dry_run {
            request.query.insert("dryRun".into(), "All".into());
        }
        if writer.force && request.content_type == PatchType::Apply.content_type() {
            request.query.insert("force".into(), "true".into());
        }
        self.write(&request).map(|(_, response): (u16, Json)| response)
    }

    fn type_of(&self, group: &str, kind: &str) -> (String, String) {
        let version = self.kinds().kind(group, kind).map(|r| r.api_version()).unwrap_or_default();
        (version, kind.to_string())
    }

    fn request_for(&self, verb: Verb, at: &ObjectRef) -> Result<Request, Status> {
        let resource = self
            .kinds()
            .kind(&at.group, &at.kind)
            .ok_or_else(|| Status::new(404, "NotFound", "the server could not find the requested resource"))?;
        let namespace = (resource.namespaced && !at.namespace.is_empty()).then_some(at.namespace.as_str());
        let mut request = Request::new(verb, &at.group, &resource.version, &resource.plural, namespace);
        request.name = (!at.name.is_empty()).then(|| at.name.clone());
        Ok(request)
    }

    /// Serves any request.
    pub fn request(&mut self, request: &Request) -> Response {
        let mut warnings = Vec::new();
        let result = match request.verb {
            Verb::Get | Verb::List => self.read(request).map(|body| (200, body)),
            _ => self.write_warned(request, &mut warnings),
        };
        match result {
            Ok((code, body)) => Response { code, body, warnings },
            Err(status) => Response { code: status.code, body: status.body(), warnings },
        }
    }
}
