//! Go's `path` functions; the `os` variants are the same on Linux.

use super::args::{Res, ok, text};
use gotmpl::{Call, Value};

/// `path.Clean`.
pub(super) fn cleaned(path: &[u8]) -> Vec<u8> {
    let rooted = path.first() == Some(&b'/');
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|p| *p != b"..") => {
                parts.pop();
            }
            b".." if rooted => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join(&b'/');
    match (rooted, joined.is_empty()) {
        (true, _) => [b"/", joined.as_slice()].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => joined,
    }
}

pub(super) fn clean(call: &mut Call<'_>, args: &[Value]) -> Res {
    let path = cleaned(call.heap.bytes(args[0]));
    text(call, path)
}

pub(super) fn base(call: &mut Call<'_>, args: &[Value]) -> Res {
    let path = call.heap.bytes(args[0]);
    let end = path.iter().rposition(|&b| b != b'/').map_or(0, |i| i + 1);
    let start = path[..end].iter().rposition(|&b| b == b'/').map_or(0, |i| i + 1);
    let name = match &path[start..end] {
        [] if path.is_empty() => b".".to_vec(),
        [] => b"/".to_vec(),
        name => name.to_vec(),
    };
    text(call, name)
}

pub(super) fn dir(call: &mut Call<'_>, args: &[Value]) -> Res {
    let path = call.heap.bytes(args[0]);
    let end = path.iter().rposition(|&b| b == b'/').map_or(0, |i| i + 1);
    let dir = cleaned(&path[..end]);
    text(call, dir)
}

pub(super) fn ext(call: &mut Call<'_>, args: &[Value]) -> Res {
    let path = call.heap.bytes(args[0]);
    let name = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
    let ext = name.iter().rposition(|&b| b == b'.').map_or(Vec::new(), |i| name[i..].to_vec());
    text(call, ext)
}

pub(super) fn is_abs(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(call.heap.bytes(args[0]).first() == Some(&b'/'))
}
