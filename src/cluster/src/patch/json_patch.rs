//! JSON patch (RFC 6902). All operations that fail answer the same text, as the API server does.

use crate::status::Status;
use base::Json;
use std::rc::Rc;

/// Operations that one patch may hold, as in the API server.
const OPERATIONS: usize = 10_000;

/// Applies a list of operations.
pub(crate) fn json_patch(target: &Json, patch: &Json) -> Result<Json, Status> {
    let operations = patch.as_list().ok_or_else(|| Status::bad_request("error decoding patch: invalid JSON patch"))?;
    if operations.len() > OPERATIONS {
        let text = format!("The allowed maximum operations in a JSON patch is {OPERATIONS}, got {}", operations.len());
        return Err(Status::new(413, "RequestEntityTooLarge", text));
    }
    let mut document = target.clone();
    for operation in operations {
        run(&mut document, operation).ok_or_else(|| {
            let text = "the server rejected our request due to an error in our request";
            Status { details: Json::map::<&str>([]), ..Status::new(422, "Invalid", text) }
        })?;
    }
    Ok(document)
}

fn run(document: &mut Json, operation: &Json) -> Option<()> {
    let path = pointer(operation.get("path")?.as_str()?)?;
    let value = || operation.get("value").cloned().unwrap_or_default();
    match operation.text_at(&["op"]) {
        "add" => edit(document, &path, Edit::Add(value())).map(|_| ()),
        "replace" if path.is_empty() => {
            *document = value();
            Some(())
        }
        "replace" => edit(document, &path, Edit::Replace(value())).map(|_| ()),
        "remove" => edit(document, &path, Edit::Remove).map(|_| ()),
        "test" => (look(document, &path).unwrap_or(&Json::Null) == &value()).then_some(()),
        "copy" => {
            let from = look(document, &pointer(operation.get("from")?.as_str()?)?)?.clone();
            edit(document, &path, Edit::Add(from)).map(|_| ())
        }
        "move" => {
            let from = edit(document, &pointer(operation.get("from")?.as_str()?)?, Edit::Remove)?;
            edit(document, &path, Edit::Add(from)).map(|_| ())
        }
        _ => None,
    }
}

fn pointer(text: &str) -> Option<Vec<String>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let rest = text.strip_prefix('/')?;
    Some(rest.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect())
}

fn look<'a>(document: &'a Json, path: &[String]) -> Option<&'a Json> {
    path.iter().try_fold(document, |node, part| match node {
        Json::Map(members) => members.get(part.as_str()),
        Json::List(items) => items.get(index(part, items.len())?),
        _ => None,
    })
}

fn index(part: &str, len: usize) -> Option<usize> {
    match part.strip_prefix('-').and_then(|n| n.parse::<usize>().ok()) {
        Some(back) => len.checked_sub(back),
        None => part.parse().ok(),
    }
}

enum Edit {
    Add(Json),
    Replace(Json),
    Remove,
}

/// Makes one change and returns what stood there (`Null` for nothing).
fn edit(node: &mut Json, path: &[String], change: Edit) -> Option<Json> {
    let Some((first, rest)) = path.split_first() else {
        return match change {
            Edit::Add(value) | Edit::Replace(value) => Some(std::mem::replace(node, value)),
            Edit::Remove => None,
        };
    };
    match node {
        Json::Map(members) => {
            let members = Rc::make_mut(members);
            if !rest.is_empty() {
                return edit(members.get_mut(first.as_str())?, rest, change);
            }
            match change {
                Edit::Add(value) => Some(members.insert(first.as_str().into(), value).unwrap_or_default()),
                // The API server's library lets a member that is not there be replaced.
                Edit::Replace(value) => Some(members.insert(first.as_str().into(), value).unwrap_or_default()),
                Edit::Remove => members.remove(first.as_str()),
            }
        }
        Json::List(items) => {
            let len = items.len();
            let items = Rc::make_mut(items);
            if !rest.is_empty() {
                return edit(items.get_mut(index(first, len)?)?, rest, change);
            }
            match change {
                Edit::Add(value) if first == "-" => items.push(value),
                Edit::Add(value) => {
                    let at = index(first, len).filter(|at| *at <= len)?;
                    items.insert(at, value);
                }
                Edit::Replace(value) => return Some(std::mem::replace(items.get_mut(index(first, len)?)?, value)),
                Edit::Remove => {
                    let at = index(first, len).filter(|at| *at < len)?;
                    return Some(items.remove(at));
                }
            }
            Some(Json::Null)
        }
        _ => None,
    }
}
