//! Helm's functions that run templates: `include` and `tpl`; and `lookup`, which finds nothing without a cluster.

use super::args::{Res, ok, text};
use super::host::RenderHost;
use base::limits;
use gotmpl::{Call, ExecError, FuncError, Label, Marked, Nested, Outcome, Parsed, Set, Value};
use std::rc::Rc;

/// The name of Helm's parent template, which `tpl` texts and "no template" errors carry.
pub(crate) const PARENT: &str = "gotpl";

pub(super) fn include(call: &mut Call<'_>, args: &[Value]) -> Res {
    let name: Rc<[u8]> = call.heap.key(args[0]);
    let text: Rc<str> = Rc::from(String::from_utf8_lossy(&name));
    if let Some(host) = call.host_as::<RenderHost>() {
        let running = host.includes.entry(name).or_insert(0);
        if *running > limits::INCLUDE_DEPTH {
            return Err(FuncError::Message(format!(
                "rendering template has a nested reference name: {text}: unable to execute template"
            )));
        }
        *running += 1;
    }
    Ok(Outcome::Render(Nested {
        set: call.set.clone(),
        name: text,
        asker: PARENT,
        dot: args[1],
        done: included,
        failed: include_failed,
    }))
}

fn leave(call: &mut Call<'_>, name: Value) {
    let name = call.heap.key(name);
    if let Some(host) = call.host_as::<RenderHost>()
        && let Some(running) = host.includes.get_mut(&name)
    {
        *running = running.saturating_sub(1);
    }
}

fn included(call: &mut Call<'_>, args: &[Value], output: Marked) -> Result<Value, FuncError> {
    leave(call, args[0]);
    Ok(labelled(call, args, output))
}

/// The output as a value; the name of what was included decides about it.
fn labelled(call: &mut Call<'_>, args: &[Value], output: Marked) -> Value {
    let value = call.heap.marked(output);
    match args[0].label {
        Label::NONE => value,
        _ => call.heap.decided_by(value, args[0]),
    }
}

fn include_failed(call: &mut Call<'_>, args: &[Value], error: ExecError) -> FuncError {
    leave(call, args[0]);
    FuncError::Nested(String::new(), Box::new(error))
}

pub(super) fn tpl(call: &mut Call<'_>, args: &[Value]) -> Res {
    let source = call.heap.bytes(args[0]).to_vec();
    if !source.windows(2).any(|w| w == b"{{") {
        // Plain text renders as itself, with its marks.
        let out = Marked { bytes: source, marks: call.heap.marks(args[0]).to_vec() };
        return ok(call.heap.marked(out.without(b"<no value>")).with_label(args[0].label));
    }
    call.heap.spend(source.len() as u64 / 8)?;
    let version = call.host_as::<RenderHost>().map(|host| host.version).unwrap_or_default();
    let parsed = Parsed::parse(PARENT, &source, super::tables(version)).map_err(|error| {
        let quoted = gotmpl::quote::go_quote(&source);
        FuncError::Message(format!("cannot parse template {quoted}: {}", error.message))
    })?;
    let own = parsed.templates.iter().find(|template| &*template.name == PARENT);
    // A text of blanks and definitions does not replace the template around it, yet it is what runs.
    let mut set = if own.is_some_and(|template| template.empty) { Set::new() } else { call.set.clone() };
    set.add(&parsed);
    Ok(Outcome::Render(Nested {
        set,
        name: Rc::from(PARENT),
        asker: PARENT,
        dot: args[1],
        done: tpl_done,
        failed: tpl_failed,
    }))
}

fn tpl_done(call: &mut Call<'_>, args: &[Value], output: Marked) -> Result<Value, FuncError> {
    let value = call.heap.marked(output.without(b"<no value>"));
    Ok(call.heap.also_from(value, args[0]))
}

fn tpl_failed(call: &mut Call<'_>, args: &[Value], error: ExecError) -> FuncError {
    let quoted = gotmpl::quote::go_quote(call.heap.bytes(args[0]));
    FuncError::Nested(format!("error during tpl function execution for {quoted}: "), Box::new(error))
}

pub(super) fn lookup(call: &mut Call<'_>, _args: &[Value]) -> Res {
    ok(call.heap.map())
}

pub(super) fn get_host_by_name(call: &mut Call<'_>, _args: &[Value]) -> Res {
    text(call, "")
}
