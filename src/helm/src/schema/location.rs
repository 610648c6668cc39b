//! Where schemas are: URLs, fragments and JSON pointers as the library joins, reads and prints them.

use crate::funcs::url;
use gotmpl::quote::go_quote;
use std::rc::Rc;

/// The text before and after the first `#`.
pub(crate) fn split(text: &str) -> (&str, &str) {
    text.split_once('#').unwrap_or((text, ""))
}

fn parse_error(shown: &str, error: &str) -> String {
    format!("error in parsing {}: {error}", quote(shown))
}

/// Go's `%q`.
pub(crate) fn quote(text: &str) -> String {
    go_quote(text.as_bytes())
}

/// The URL and the decoded fragment of a reference.
pub(crate) fn split_fragment(text: &str) -> Result<(&str, String), String> {
    let (main, fragment) = split(text);
    let fragment = url::path_unescape(fragment).map_err(|error| parse_error(text, &error))?;
    Ok((main, fragment))
}

/// A reference against a base: the absolute URL and the decoded fragment.
pub(crate) fn join(base: &str, reference: &str) -> Result<(Rc<str>, String), String> {
    let base_url = url::reference(base).map_err(|error| parse_error(base, &error))?;
    let (reference, fragment) = split_fragment(reference)?;
    let parsed = url::reference(reference).map_err(|error| parse_error(reference, &error))?;
    let joined = if parsed.absolute || parsed.opaque {
        normal(reference)
    } else if base_url.opaque || reference.is_empty() {
        base.to_string()
    } else {
        let (scheme, rest) = base.split_once(':').unwrap_or(("", base));
        let (authority, path) = authority(rest);
        let joined = if reference.starts_with("//") {
            let (authority, path) = self::authority(reference);
            format!("{authority}{}", resolved(path))
        } else if reference.starts_with('/') {
            format!("{authority}{}", resolved(reference))
        } else if reference.starts_with('?') {
            let path = path.split_once('?').map_or(path, |(path, _)| path);
            format!("{authority}{path}{reference}")
        } else {
            let path = path.split_once('?').map_or(path, |(path, _)| path);
            let folder = path.rfind('/').map_or("", |i| &path[..=i]);
            let slash = if folder.is_empty() { "/" } else { "" };
            format!("{authority}{}", resolved(&format!("{slash}{folder}{reference}")))
        };
        format!("{scheme}:{joined}")
    };
    Ok((joined.into(), fragment))
}

/// `//host` and what follows it.
fn authority(text: &str) -> (&str, &str) {
    let Some(rest) = text.strip_prefix("//") else { return ("", text) };
    let end = rest.find(['/', '?']).map_or(text.len(), |i| i + 2);
    text.split_at(end)
}

/// An absolute URL as Go prints it again.
fn normal(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once(':') else { return text.to_string() };
    if !rest.starts_with('/') {
        return format!("{}:{rest}", scheme.to_ascii_lowercase());
    }
    let (authority, path) = authority(rest);
    format!("{}:{authority}{}", scheme.to_ascii_lowercase(), resolved(path))
}

/// A path (and query) without dot segments.
fn resolved(text: &str) -> String {
    let (path, query) = text.split_once('?').map_or((text, None), |(path, query)| (path, Some(query)));
    let mut parts: Vec<&str> = Vec::new();
    let mut open = false;
    for (i, part) in path.split('/').enumerate() {
        open = part == "." || part == "..";
        match part {
            "." => {}
            ".." => {
                if parts.len() > 1 {
                    parts.pop();
                }
            }
            _ if i == 0 && part.is_empty() => parts.push(""),
            _ => parts.push(part),
        }
    }
    if open {
        parts.push("");
    }
    let path = url::escape_path(&parts.join("/"));
    match query {
        Some(query) => format!("{path}?{query}"),
        None => path,
    }
}

/// A pointer with one more token.
pub(crate) fn append(pointer: &str, token: &str) -> Rc<str> {
    format!("{pointer}/{}", escape(token)).into()
}

/// A token of a JSON pointer.
pub(crate) fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// The name behind a token; `None` for a stray `~`.
pub(crate) fn unescape(token: &str) -> Option<String> {
    let mut parts = token.split('~');
    let mut out = parts.next()?.to_string();
    for part in parts {
        out.push(match part.bytes().next()? {
            b'0' => '~',
            b'1' => '/',
            _ => return None,
        });
        out.push_str(&part[1..]);
    }
    Some(out)
}

/// `URL#pointer`, the pointer escaped as in a URL.
pub(crate) fn shown(url: &str, pointer: &str) -> String {
    let mut out = format!("{url}#");
    for b in pointer.bytes() {
        if b.is_ascii_alphanumeric() || b"-_.~$&+=:@/".contains(&b) {
            out.push(b as char);
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_as_go_does() {
        let joined =
            |base: &str, reference: &str| join(base, reference).map(|(url, fragment)| format!("{url} {fragment}"));
        let file = "file:///values.schema.json";
        assert_eq!(joined(file, "#/a%20b").as_deref(), Ok("file:///values.schema.json /a b"));
        assert_eq!(joined(file, "other.json#x").as_deref(), Ok("file:///other.json x"));
        assert_eq!(joined("http://x/a/b", "../c?d").as_deref(), Ok("http://x/c?d "));
        assert_eq!(joined("http://x", "c").as_deref(), Ok("http://x/c "));
        assert_eq!(joined("urn:a:b", "#c").as_deref(), Ok("urn:a:b c"));
        assert_eq!(joined(file, "HTTP://x/y").as_deref(), Ok("http://x/y "));
        assert_eq!(joined(file, "#%zz"), Err("error in parsing \"#%zz\": invalid URL escape \"%zz\"".to_string()));
    }

    #[test]
    fn tokens_are_escaped() {
        assert_eq!(unescape("a~0b~1c").as_deref(), Some("a~b/c"));
        assert_eq!(unescape("~2"), None);
        assert_eq!(&*append("/x", "a/b~"), "/x/a~1b~0");
        assert_eq!(shown("u", "/a b/~1"), "u#/a%20b/~1");
    }
}
