//! Validation of metadata that all kinds share: labels, annotations, owners, finalizers.

use crate::schema::kind_type;
use crate::status::Cause;
use base::Json;

pub(crate) const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME_PART: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const QUALIFIED: &str = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// What is wrong with an object's metadata, its name aside.
pub(crate) fn check(kind: &str, object: &Json, causes: &mut Vec<Cause>) {
    labels(object.at(&["metadata", "labels"]), "metadata.labels", causes);
    annotations(object.at(&["metadata", "annotations"]), "metadata.annotations", causes);
    for owner in object.items_at(&["metadata", "ownerReferences"]) {
        for (name, words) in [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ] {
            if owner.text_at(&[name]).is_empty() {
                causes.push(Cause::invalid(format!("metadata.ownerReferences.{name}"), &"".into(), words));
            }
        }
    }
    for (i, finalizer) in object.items_at(&["metadata", "finalizers"]).iter().enumerate() {
        let text = finalizer.as_str().unwrap_or("");
        let field = format!("metadata.finalizers[{i}]");
        let before = causes.len();
        qualified(text, &field, text, causes);
        // Two kinds and custom resources have only the general check.
        let lax = matches!(kind, "Lease" | "PodDisruptionBudget") || kind_type(kind).is_none();
        let standard = lax || matches!(text, "orphan" | "foregroundDeletion" | "kubernetes");
        if causes.len() == before && !text.contains('/') && !standard {
            const WORDS: &str = "name is neither a standard finalizer name nor is it fully qualified";
            causes.push(Cause::invalid(field, finalizer, WORDS));
        }
    }
}

/// Labels, or a map that has to look like labels.
pub(crate) fn labels(map: Option<&Json>, field: &str, causes: &mut Vec<Cause>) {
    for (key, value) in map.and_then(Json::as_map).into_iter().flatten() {
        qualified(key, field, key, causes);
        label_value(value.as_str().unwrap_or(""), field, causes);
    }
}

/// Annotations: keys like those of labels, any values, 256 KiB in all.
pub(crate) fn annotations(map: Option<&Json>, field: &str, causes: &mut Vec<Cause>) {
    let mut size = 0;
    for (key, value) in map.and_then(Json::as_map).into_iter().flatten() {
        size += key.len() + value.as_str().map_or(0, str::len);
        qualified(&key.to_lowercase(), field, key, causes);
    }
    if size > 256 * 1024 {
        let message = "Too long: may not be more than 262144 bytes".to_string();
        causes.push(Cause { reason: "FieldValueTooLong", message, field: field.into() });
    }
}

pub(crate) fn label_value(value: &str, field: &str, causes: &mut Vec<Cause>) {
    if value.len() > 63 {
        causes.push(Cause::invalid(field, &Json::str(value), "must be no more than 63 bytes"));
    }
    if !value.is_empty() && !is_name(value) {
        causes.push(Cause::invalid(field, &Json::str(value), LABEL_VALUE));
    }
}

/// A name with an optional prefix, as label keys have; `shown` is what the error shows.
pub(crate) fn qualified(name: &str, field: &str, shown: &str, causes: &mut Vec<Cause>) {
    let mut add = |words: &str| causes.push(Cause::invalid(field, &Json::str(shown), words));
    let parts: Vec<&str> = name.split('/').collect();
    let last = match parts.as_slice() {
        [last] => last,
        [prefix, last] => {
            if prefix.is_empty() {
                add("prefix part must be non-empty");
            } else if !prefix.split('.').all(is_label) {
                add(&format!("prefix part {SUBDOMAIN}"));
            }
            last
        }
        _ => return add(QUALIFIED),
    };
    if last.is_empty() {
        add("name part must be non-empty");
    } else if last.len() > 63 {
        add("name part must be no more than 63 bytes");
    }
    if !is_name(last) {
        add(NAME_PART);
    }
}

fn is_name(text: &str) -> bool {
    let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let ends = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    ends(text.as_bytes().first()) && ends(text.as_bytes().last()) && text.bytes().all(good)
}

/// A DNS label.
pub(crate) fn is_label(text: &str) -> bool {
    let alnum = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = text.as_bytes();
    let ends = bytes.first().is_some_and(|b| alnum(*b)) && bytes.last().is_some_and(|b| alnum(*b));
    ends && bytes.iter().all(|b| alnum(*b) || *b == b'-')
}

/// Says so when a text is not a DNS subdomain.
pub(crate) fn subdomain(text: &str, field: &str, causes: &mut Vec<Cause>) {
    if !text.split('.').all(is_label) {
        causes.push(Cause::invalid(field, &Json::str(text), SUBDOMAIN));
    }
}
