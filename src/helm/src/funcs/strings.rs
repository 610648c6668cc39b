//! Sprig's string functions. Those that pass text through keep its marks; the others widen.

use super::args::{Res, as_string, find_all, finish, int, ok, panic, part, push_strval, str_values, strval, text};
use super::casing;
use super::unicode::is_space;
use gotmpl::{Call, Data, FuncError, Heap, ListType, MapType, TextBuilder, Value};

fn len(heap: &Heap, value: Value) -> usize {
    heap.bytes(value).len()
}

/// Text through a function on bytes; marks widen.
fn mapped(call: &mut Call<'_>, value: Value, map: impl Fn(&[u8]) -> Vec<u8>) -> Res {
    let bytes = map(call.heap.bytes(value));
    text(call, bytes)
}

/// Text through a function that keeps every byte at its place, so that marks stay too.
fn mapped_in_place(call: &mut Call<'_>, value: Value, map: impl Fn(&[u8]) -> Vec<u8>) -> Res {
    let bytes = map(call.heap.bytes(value));
    let same = bytes.len() == len(call.heap, value);
    if !call.heap.tracing() || !same || call.heap.marks(value).is_empty() {
        let out = call.heap.str(bytes);
        return ok(call.heap.also_from(out, value));
    }
    let marked = gotmpl::Marked { bytes, marks: call.heap.marks(value).to_vec() };
    ok(call.heap.marked(marked).with_label(value.label))
}

pub(super) fn upper(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped_in_place(call, args[0], casing::to_upper)
}

pub(super) fn lower(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped_in_place(call, args[0], casing::to_lower)
}

pub(super) fn title(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped_in_place(call, args[0], casing::to_title)
}

pub(super) fn untitle(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped_in_place(call, args[0], casing::untitle)
}

pub(super) fn swapcase(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped_in_place(call, args[0], casing::swapcase)
}

pub(super) fn nospace(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped(call, args[0], casing::nospace)
}

pub(super) fn initials(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped(call, args[0], casing::initials)
}

pub(super) fn camelcase(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped(call, args[0], casing::pascal)
}

pub(super) fn snakecase(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped(call, args[0], |text| casing::separated(text, '_'))
}

pub(super) fn kebabcase(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped(call, args[0], |text| casing::separated(text, '-'))
}

pub(super) fn wrap(call: &mut Call<'_>, args: &[Value]) -> Res {
    mapped(call, args[1], |text| casing::wrap(text, int(args[0]), b"", false))
}

pub(super) fn wrap_with(call: &mut Call<'_>, args: &[Value]) -> Res {
    let newline = call.heap.bytes(args[1]).to_vec();
    let lines = len(call.heap, args[2]) / usize::try_from(int(args[0]).max(1)).unwrap_or(usize::MAX);
    call.heap.reserve(lines.saturating_mul(newline.len()))?;
    mapped(call, args[2], |text| casing::wrap(text, int(args[0]), &newline, true))
}

pub(super) fn abbrev(call: &mut Call<'_>, args: &[Value]) -> Res {
    if int(args[0]) < 4 {
        return ok(args[1]);
    }
    mapped(call, args[1], |text| casing::abbreviate(text, 0, int(args[0])))
}

pub(super) fn abbrevboth(call: &mut Call<'_>, args: &[Value]) -> Res {
    let (left, right) = (int(args[0]), int(args[1]));
    if right < 4 || left > 0 && right < 7 {
        return ok(args[2]);
    }
    mapped(call, args[2], |text| casing::abbreviate(text, left, right))
}

/// The white space around a text, as offsets of what is inside.
fn trimmed(text: &[u8], drop: impl Fn(char) -> bool) -> std::ops::Range<usize> {
    let (mut start, mut end) = (0, text.len());
    while let Some((c, size)) = casing::first_rune(&text[start..end]) {
        if !drop(c) {
            break;
        }
        start += size;
    }
    while end > start {
        // The last character starts at most three bytes before the end.
        let from = (end.saturating_sub(4).max(start)..end)
            .find(|&i| casing::first_rune(&text[i..end]).is_some_and(|(c, n)| i + n == end && (n > 1 || c.is_ascii())))
            .unwrap_or(end - 1);
        match casing::first_rune(&text[from..end]) {
            Some((c, _)) if drop(c) => end = from,
            _ => break,
        }
    }
    start..end
}

pub(super) fn trim(call: &mut Call<'_>, args: &[Value]) -> Res {
    let range = trimmed(call.heap.bytes(args[0]), is_space);
    ok(part(call.heap, args[0], range))
}

pub(super) fn trim_all(call: &mut Call<'_>, args: &[Value]) -> Res {
    let set: Vec<char> = casing::runes(call.heap.bytes(args[0])).map(|(c, _)| c).collect();
    let range = trimmed(call.heap.bytes(args[1]), |c| set.contains(&c));
    ok(part(call.heap, args[1], range))
}

pub(super) fn trim_suffix(call: &mut Call<'_>, args: &[Value]) -> Res {
    let (suffix, whole) = (call.heap.bytes(args[0]), call.heap.bytes(args[1]));
    let end = if whole.ends_with(suffix) { whole.len() - suffix.len() } else { whole.len() };
    ok(part(call.heap, args[1], 0..end))
}

pub(super) fn trim_prefix(call: &mut Call<'_>, args: &[Value]) -> Res {
    let (prefix, whole) = (call.heap.bytes(args[0]), call.heap.bytes(args[1]));
    let (start, end) = (if whole.starts_with(prefix) { prefix.len() } else { 0 }, whole.len());
    ok(part(call.heap, args[1], start..end))
}

pub(super) fn trunc(call: &mut Call<'_>, args: &[Value]) -> Res {
    let (count, len) = (int(args[0]), len(call.heap, args[1]));
    let size = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    let range = match count {
        c if c < 0 && size < len => len - size..len,
        c if c >= 0 && size < len => 0..size,
        _ => 0..len,
    };
    ok(part(call.heap, args[1], range))
}

pub(super) fn substr(call: &mut Call<'_>, args: &[Value]) -> Res {
    let (start, end, size) = (int(args[0]), int(args[1]), len(call.heap, args[2]) as i64);
    let (from, to) = if start < 0 {
        if !(0..=size).contains(&end) {
            let of = if end < 0 { String::new() } else { format!(" with length {size}") };
            return panic(format!("runtime error: slice bounds out of range [:{end}]{of}"));
        }
        (0, end)
    } else if end < 0 || end > size {
        (start, size)
    } else {
        (start, end)
    };
    if from > to {
        return panic(format!("runtime error: slice bounds out of range [{from}:{to}]"));
    }
    ok(part(call.heap, args[2], from as usize..to as usize))
}

pub(super) fn repeat(call: &mut Call<'_>, args: &[Value]) -> Res {
    let count = int(args[0]);
    if count < 0 {
        return panic("strings: negative Repeat count");
    }
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    call.heap.reserve(count.saturating_mul(len(call.heap, args[1])))?;
    mapped(call, args[1], |text| if text.is_empty() { Vec::new() } else { text.repeat(count) })
}

pub(super) fn replace(call: &mut Call<'_>, args: &[Value]) -> Res {
    let [old, new, source] = [args[0], args[1], args[2]];
    let needle = call.heap.bytes(old).to_vec();
    let size = len(call.heap, source);
    let found = if needle.is_empty() {
        let mut at = 0;
        let ends = casing::runes(call.heap.bytes(source)).map(|(_, n)| {
            at += n;
            at
        });
        std::iter::once(0).chain(ends).collect()
    } else {
        find_all(call.heap.bytes(source), &needle)
    };
    if found.is_empty() {
        return ok(source);
    }
    let new_len = len(call.heap, new);
    call.heap.reserve(size + found.len().saturating_mul(new_len))?;
    let mut out = TextBuilder::new();
    let mut from = 0;
    for at in found {
        out.value(call.heap, source, from..at);
        out.value(call.heap, new, 0..new_len);
        from = at + needle.len();
    }
    out.value(call.heap, source, from..size);
    ok(finish(call.heap, out, &[source, new]))
}

/// Go's `%q` of a string, marks kept.
fn push_quoted(heap: &mut Heap, out: &mut TextBuilder, value: Value) {
    let bytes = strval(heap, value);
    if !heap.tracing() {
        return out.push(gotmpl::quote::go_quote(&bytes).as_bytes());
    }
    let value = as_string(heap, value);
    out.push(b"\"");
    let (mut at, mut plain) = (0, 0);
    for (_, size) in casing::runes(&bytes).collect::<Vec<_>>() {
        let quoted = gotmpl::quote::go_quote(&bytes[at..at + size]);
        let inner = &quoted.as_bytes()[1..quoted.len() - 1];
        if inner != &bytes[at..at + size] {
            out.value(heap, value, plain..at);
            out.value_as(heap, value, at, inner);
            plain = at + size;
        }
        at += size;
    }
    out.value(heap, value, plain..at);
    out.push(b"\"");
}

pub(super) fn quote(call: &mut Call<'_>, args: &[Value]) -> Res {
    let mut out = TextBuilder::new();
    for value in args.iter().filter(|v| !v.is_nil()) {
        if !out.is_empty() {
            out.push(b" ");
        }
        push_quoted(call.heap, &mut out, *value);
    }
    let quoted = finish(call.heap, out, args);
    ok(with_empty(call.heap, quoted, args))
}

pub(super) fn squote(call: &mut Call<'_>, args: &[Value]) -> Res {
    let mut out = TextBuilder::new();
    for value in args.iter().filter(|v| !v.is_nil()) {
        if !out.is_empty() {
            out.push(b" ");
        }
        out.push(b"'");
        match value.data {
            Data::Str(_) => push_strval(call.heap, &mut out, *value),
            _ => {
                let label = call.heap.label_of(*value);
                out.push_labeled(&call.heap.print_v(*value), label);
            }
        }
        out.push(b"'");
    }
    let quoted = finish(call.heap, out, args);
    ok(with_empty(call.heap, quoted, args))
}

/// Quotes around an empty text depend on it too.
fn with_empty(heap: &mut Heap, quoted: Value, args: &[Value]) -> Value {
    match args {
        [one] if heap.tracing() && heap.len(*one) == Some(0) => heap.also_from(quoted, *one),
        _ => quoted,
    }
}

pub(super) fn cat(call: &mut Call<'_>, args: &[Value]) -> Res {
    let mut out = TextBuilder::new();
    for (i, value) in args.iter().filter(|v| !v.is_nil()).enumerate() {
        if i > 0 {
            out.push(b" ");
        }
        match value.data {
            Data::Bytes(_) => out.push(&call.heap.print_v(*value)),
            _ => push_strval(call.heap, &mut out, *value),
        }
    }
    ok(finish(call.heap, out, args))
}

/// `pad` spaces before every line, after `lead`.
fn indented(call: &mut Call<'_>, args: &[Value], lead: &[u8]) -> Res {
    if int(args[0]) < 0 {
        return panic("strings: negative Repeat count");
    }
    let width = usize::try_from(int(args[0])).unwrap_or(usize::MAX);
    let source = args[1];
    let breaks = find_all(call.heap.bytes(source), b"\n");
    let size = len(call.heap, source);
    call.heap.reserve(width.saturating_mul(breaks.len() + 1).saturating_add(size))?;
    let pad = vec![b' '; width];
    let mut out = TextBuilder::new();
    out.push(lead);
    let mut from = 0;
    for at in breaks {
        out.push(&pad);
        out.value(call.heap, source, from..at + 1);
        from = at + 1;
    }
    out.push(&pad);
    out.value(call.heap, source, from..size);
    let indented = finish(call.heap, out, args);
    ok(with_empty(call.heap, indented, &args[1..]))
}

pub(super) fn indent(call: &mut Call<'_>, args: &[Value]) -> Res {
    indented(call, args, b"")
}

pub(super) fn nindent(call: &mut Call<'_>, args: &[Value]) -> Res {
    indented(call, args, b"\n")
}

pub(super) fn contains(call: &mut Call<'_>, args: &[Value]) -> Res {
    let (needle, text) = (call.heap.bytes(args[0]), call.heap.bytes(args[1]));
    ok(needle.is_empty() || text.windows(needle.len()).any(|w| w == needle))
}

pub(super) fn has_prefix(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(call.heap.bytes(args[1]).starts_with(call.heap.bytes(args[0])))
}

pub(super) fn has_suffix(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(call.heap.bytes(args[1]).ends_with(call.heap.bytes(args[0])))
}

pub(super) fn plural(call: &mut Call<'_>, args: &[Value]) -> Res {
    let chosen = if int(args[2]) == 1 { args[0] } else { args[1] };
    ok(call.heap.decided_by(chosen, args[2]))
}

pub(super) fn to_string(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(as_string(call.heap, args[0]))
}

pub(super) fn to_strings(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = str_values(call.heap, args[0]);
    ok(call.heap.list_of(ListType::STRINGS, items))
}

pub(super) fn join(call: &mut Call<'_>, args: &[Value]) -> Res {
    let items = str_values(call.heap, args[1]);
    let (sep, sep_len) = (args[0], len(call.heap, args[0]));
    call.heap.reserve(items.len().saturating_mul(sep_len))?;
    let mut out = TextBuilder::new();
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.value(call.heap, sep, 0..sep_len);
        }
        push_strval(call.heap, &mut out, *item);
    }
    let joined = finish(call.heap, out, args);
    ok(joined.with_label(call.heap.join(joined.label, args[1].label)))
}

/// `strings.SplitN` as ranges; a negative limit means all, an empty separator splits into characters.
fn split_ranges(text: &[u8], sep: &[u8], limit: i64) -> Vec<std::ops::Range<usize>> {
    if limit == 0 {
        return Vec::new();
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut out = Vec::new();
    if sep.is_empty() {
        let mut at = 0;
        for (_, size) in casing::runes(text) {
            if out.len() + 1 == limit {
                out.push(at..text.len());
                return out;
            }
            out.push(at..at + size);
            at += size;
        }
        return out;
    }
    let mut from = 0;
    for at in find_all(text, sep) {
        if out.len() + 1 >= limit {
            break;
        }
        out.push(from..at);
        from = at + sep.len();
    }
    out.push(from..text.len());
    out
}

fn split_parts(call: &mut Call<'_>, text: Value, sep: Value, limit: i64) -> Result<Vec<Value>, FuncError> {
    let ranges = split_ranges(call.heap.bytes(text), call.heap.bytes(sep), limit);
    call.heap.reserve(ranges.len() * 64)?;
    Ok(ranges.into_iter().map(|range| part(call.heap, text, range)).collect())
}

fn numbered(call: &mut Call<'_>, parts: Vec<Value>) -> Res {
    let key = |i: usize| gotmpl::Key::from(format!("_{i}").into_bytes());
    let entries = parts.into_iter().enumerate().map(|(i, v)| (key(i), v)).collect();
    ok(call.heap.map_of(MapType::STRINGS, entries))
}

pub(super) fn split(call: &mut Call<'_>, args: &[Value]) -> Res {
    let parts = split_parts(call, args[1], args[0], -1)?;
    numbered(call, parts)
}

pub(super) fn splitn(call: &mut Call<'_>, args: &[Value]) -> Res {
    let parts = split_parts(call, args[2], args[0], int(args[1]))?;
    numbered(call, parts)
}

pub(super) fn split_list(call: &mut Call<'_>, args: &[Value]) -> Res {
    let parts = split_parts(call, args[1], args[0], -1)?;
    ok(call.heap.list_of(ListType::STRINGS, parts))
}
