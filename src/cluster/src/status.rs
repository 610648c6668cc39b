//! The API's `Status` errors, with the real server's words.

use base::Json;
use std::fmt;

/// One cause of an invalid object or a conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// `FieldValueRequired`, `FieldValueInvalid` …
    pub reason: &'static str,
    /// What is wrong, such as `Required value`.
    pub message: String,
    /// Path of the field.
    pub field: String,
}

impl Cause {
    /// A missing value.
    pub fn required(field: impl Into<String>, detail: &str) -> Cause {
        let message = if detail.is_empty() { "Required value".into() } else { format!("Required value: {detail}") };
        Cause { reason: "FieldValueRequired", message, field: field.into() }
    }

    /// A value that is not allowed; `value` is printed as the server prints it (texts quoted).
    pub fn invalid(field: impl Into<String>, value: &Json, detail: &str) -> Cause {
        let message = format!("Invalid value: {}: {detail}", shown(value));
        Cause { reason: "FieldValueInvalid", message, field: field.into() }
    }

    /// A value outside a fixed set.
    pub fn not_supported(field: impl Into<String>, value: &Json, known: &[&str]) -> Cause {
        let known: Vec<String> = known.iter().map(|k| format!("\"{k}\"")).collect();
        let message = format!("Unsupported value: {}: supported values: {}", shown(value), known.join(", "));
        Cause { reason: "FieldValueNotSupported", message, field: field.into() }
    }

    /// A value that occurs twice.
    pub fn duplicate(field: impl Into<String>, value: &Json) -> Cause {
        Cause {
            reason: "FieldValueDuplicate",
            message: format!("Duplicate value: {}", shown(value)),
            field: field.into(),
        }
    }

    /// A reference to something that is not there.
    pub fn not_found(field: impl Into<String>, value: &Json) -> Cause {
        Cause { reason: "FieldValueNotFound", message: format!("Not found: {}", shown(value)), field: field.into() }
    }

    /// A change or combination that is not allowed.
    pub fn forbidden(field: impl Into<String>, detail: &str) -> Cause {
        Cause { reason: "FieldValueForbidden", message: format!("Forbidden: {detail}"), field: field.into() }
    }
}

/// A value as field errors show it: texts quoted as Go's `%q`, the rest as JSON.
fn shown(value: &Json) -> String {
    value.to_raw_text()
}

/// An error answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// HTTP status code.
    pub code: u16,
    /// Machine-readable reason, such as `NotFound`; may be empty.
    pub reason: &'static str,
    /// The text that kubectl shows after `Error from server (Reason): `.
    pub message: String,
    /// `details` of the Status object; `Null` when there are none.
    pub details: Json,
}

impl Status {
    /// An error without details.
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Status {
        Status { code, reason, message: message.into(), details: Json::Null }
    }

    /// `deployments.apps "web" not found`.
    pub fn not_found(group: &str, resource: &str, name: &str) -> Status {
        let message = format!("{} \"{name}\" not found", qualified(resource, group));
        Status { details: details(name, group, resource), ..Status::new(404, "NotFound", message) }
    }

    /// `configmaps "a" already exists`.
    pub fn already_exists(group: &str, resource: &str, name: &str) -> Status {
        let message = format!("{} \"{name}\" already exists", qualified(resource, group));
        Status { details: details(name, group, resource), ..Status::new(409, "AlreadyExists", message) }
    }

    /// A write that lost against another one, or that something stands against.
    pub fn conflict(group: &str, resource: &str, name: &str, why: &str) -> Status {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", qualified(resource, group));
        Status { details: details(name, group, resource), ..Status::new(409, "Conflict", message) }
    }

    /// A refusal by admission.
    pub fn forbidden(group: &str, resource: &str, name: &str, why: &str) -> Status {
        let message = format!("{} \"{name}\" is forbidden: {why}", qualified(resource, group));
        Status { details: details(name, group, resource), ..Status::new(403, "Forbidden", message) }
    }

    /// A request that makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Status {
        Status::new(400, "BadRequest", message)
    }

    /// An object that fails validation; one or more causes.
    pub fn invalid(group: &str, kind: &str, name: &str, causes: &[Cause]) -> Status {
        let texts: Vec<String> = causes.iter().map(|c| format!("{}: {}", c.field, c.message)).collect();
        let list = match texts.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let mut details = details(name, group, kind);
        let causes = causes.iter().map(|cause| {
            Json::map([
                ("reason", Json::str(cause.reason)),
                ("message", Json::str(cause.message.as_str())),
                ("field", Json::str(cause.field.as_str())),
            ])
        });
        details.set(&["causes"], Json::list(causes));
        let message = format!("{} \"{name}\" is invalid: {list}", qualified(kind, group));
        Status { details, ..Status::new(422, "Invalid", message) }
    }

    /// The Status object.
    pub fn body(&self) -> Json {
        let mut body = Json::map([
            ("kind", Json::str("Status")),
            ("apiVersion", Json::str("v1")),
            ("metadata", Json::map::<&str>([])),
            ("status", Json::str("Failure")),
            ("message", Json::str(self.message.as_str())),
            ("code", Json::Int(i64::from(self.code))),
        ]);
        if !self.reason.is_empty() {
            body.set(&["reason"], Json::str(self.reason));
        }
        if !self.details.is_null() {
            body.set(&["details"], self.details.clone());
        }
        body
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Status {}

/// `resource.group`, or `resource` in the core group.
pub(crate) fn qualified(resource: &str, group: &str) -> String {
    if group.is_empty() { resource.to_string() } else { format!("{resource}.{group}") }
}

fn details(name: &str, group: &str, kind: &str) -> Json {
    let members = [("name", name), ("group", group), ("kind", kind)];
    Json::map(members.into_iter().filter(|(_, v)| !v.is_empty()).map(|(k, v)| (k, Json::str(v))))
}
