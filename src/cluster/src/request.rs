//! Requests and responses of the API server, without HTTP around them.

use base::Json;
use base::SortedMap;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// GET of one object.
    Get,
    /// GET of a collection.
    List,
    /// POST.
    Create,
    /// PUT.
    Update,
    /// PATCH; the content type names the kind of patch.
    Patch,
    /// DELETE of one object.
    Delete,
    /// DELETE of a collection.
    DeleteCollection,
}

/// The kinds of patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchType {
    /// `application/merge-patch+json` (RFC 7386).
    Merge,
    /// `application/json-patch+json` (RFC 6902).
    Json,
    /// `application/strategic-merge-patch+json`.
    Strategic,
    /// `application/apply-patch+yaml`: server-side apply.
    Apply,
}

impl PatchType {
    /// The content type.
    pub fn content_type(self) -> &'static str {
        match self {
            PatchType::Merge => "application/merge-patch+json",
            PatchType::Json => "application/json-patch+json",
            PatchType::Strategic => "application/strategic-merge-patch+json",
            PatchType::Apply => "application/apply-patch+yaml",
        }
    }

    /// The patch kind of a content type (parameters after `;` are ignored).
    pub fn parse(content_type: &str) -> Option<PatchType> {
        let name = content_type.split(';').next().unwrap_or("").trim();
        [PatchType::Merge, PatchType::Json, PatchType::Strategic, PatchType::Apply]
            .into_iter()
            .find(|kind| kind.content_type() == name)
            .or((name == "application/apply-patch+json").then_some(PatchType::Apply))
    }
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What to do.
    pub verb: Verb,
    /// API group; `""` for the core group.
    pub group: String,
    /// API version, such as `v1`.
    pub version: String,
    /// Plural resource name, such as `deployments`.
    pub resource: String,
    /// Namespace; `None` for cluster-scoped resources and lists over all namespaces.
    pub namespace: Option<String>,
    /// Object name; `None` for collections.
    pub name: Option<String>,
    /// `status`, `scale`, `binding` …
    pub subresource: Option<String>,
    /// Query parameters: `fieldManager`, `dryRun`, `force`, `fieldSelector`, `labelSelector`, `propagationPolicy` …
    pub query: SortedMap<String, String>,
    /// Content type; of importance for patches only.
    pub content_type: String,
    /// Body; `Null` when there is none.
    pub body: Json,
    /// User agent, from which the default field manager comes.
    pub user_agent: String,
}

impl Request {
    /// A request with no name, body or query yet.
    pub fn new(verb: Verb, group: &str, version: &str, resource: &str, namespace: Option<&str>) -> Request {
        Request {
            verb,
            group: group.to_string(),
            version: version.to_string(),
            resource: resource.to_string(),
            namespace: namespace.map(str::to_string),
            name: None,
            subresource: None,
            query: SortedMap::new(),
            content_type: "application/json".to_string(),
            body: Json::Null,
            user_agent: String::new(),
        }
    }

    /// A query parameter, or `""`.
    pub fn param(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }
}

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// HTTP status code.
    pub code: u16,
    /// The object, list or Status.
    pub body: Json,
    /// Texts of `Warning` headers.
    pub warnings: Vec<String>,
}
