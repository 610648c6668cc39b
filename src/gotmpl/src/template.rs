//! Parsed files, sets of templates, and rendering: the face of the engine.

use crate::code::{File, Op};
use crate::error::ExecError;
use crate::func::{Func, Host};
use crate::heap::Heap;
use crate::marked::Marked;
use crate::parse::Parser;
use crate::value::Value;
use base::SortedMap;
use base::{Diagnostic, limits};
use std::rc::Rc;

/// What a missing map key gives (`Option("missingkey=…")`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingKey {
    /// `default`: no value at all.
    Invalid,
    /// `zero`: the zero value of the element type (what Helm uses).
    #[default]
    Zero,
    /// `error`: the render ends.
    Error,
}

/// How to render.
#[derive(Clone, Debug)]
pub struct Options {
    /// What a missing map key gives.
    pub missing_key: MissingKey,
    /// Bytes that one execution may write, all nested templates together.
    pub output: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { missing_key: MissingKey::Zero, output: limits::RENDER_OUTPUT }
    }
}

/// A parsed file: its own template and those it defines, shareable between renders and sets.
#[derive(Debug)]
pub struct Parsed {
    /// Its name.
    pub name: Rc<str>,
    /// Its templates, the file's own among them, sorted by name.
    pub templates: Vec<Rc<Template>>,
}

/// One named template.
#[derive(Debug)]
pub struct Template {
    /// Its name: of the `define`, or of the file.
    pub name: Rc<str>,
    /// True when it holds only blanks, comments and definitions.
    pub empty: bool,
    pub(crate) file: Rc<File>,
    pub(crate) code: Vec<Op>,
    pub(crate) slots: u32,
}

impl Template {
    /// The name of the file that it is written in.
    pub fn file(&self) -> &Rc<str> {
        &self.file.name
    }
}

impl Parsed {
    /// Parses `text`. Functions are looked up in the tables in order (each sorted by name), then among the builtins.
    /// The diagnostic says `template: NAME:LINE: …` in Go's words, with the place of the token.
    pub fn parse(name: &str, text: &[u8], funcs: &[&'static [Func]]) -> Result<Rc<Parsed>, Diagnostic> {
        let mut parser = Parser::new(name, text, funcs);
        parser.run().map_err(|error| *error)?;
        let Parser { tree, pools, mut done, .. } = parser;
        let name: Rc<str> = Rc::from(name);
        let file = Rc::new(File { name: name.clone(), text: Rc::from(text), tree, pools });
        base::order::sort_by(&mut done, |a, b| a.name.cmp(&b.name));
        let template = |body: crate::parse::Body| {
            let (name, code, slots, empty) = (body.name, body.code, body.slots, body.empty);
            Rc::new(Template { name, empty, file: file.clone(), code, slots })
        };
        Ok(Rc::new(Parsed { name, templates: done.into_iter().map(template).collect() }))
    }
}

/// Templates of a layer that is copied rather than shared.
const LAYER: usize = 16;

/// A namespace of templates. Cloning is cheap; what is added to the clone does not show in the original.
#[derive(Clone, Debug, Default)]
pub struct Set(Rc<Names>);

#[derive(Debug, Default)]
struct Names {
    own: SortedMap<Rc<str>, Rc<Template>>,
    under: Option<Set>,
}

impl Set {
    /// An empty set.
    pub fn new() -> Set {
        Set::default()
    }

    /// Adds a file's templates: each replaces one of the same name, unless it is empty.
    pub fn add(&mut self, parsed: &Parsed) {
        if Rc::get_mut(&mut self.0).is_none() {
            // Small layers are copied and large ones lain under, so that lookups stay short in `tpl` within `tpl`.
            let names = if self.0.own.len() <= LAYER {
                Names { own: self.0.own.clone(), under: self.0.under.clone() }
            } else {
                Names { own: SortedMap::new(), under: Some(self.clone()) }
            };
            self.0 = Rc::new(names);
        }
        for template in &parsed.templates {
            if template.empty && self.get(&template.name).is_some() {
                continue;
            }
            if let Some(names) = Rc::get_mut(&mut self.0) {
                names.own.insert(template.name.clone(), template.clone());
            }
        }
    }

    /// The template of that name.
    pub fn get(&self, name: &str) -> Option<&Rc<Template>> {
        let mut set = self;
        loop {
            if let Some(found) = set.0.own.get(name) {
                return Some(found);
            }
            set = set.0.under.as_ref()?;
        }
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        // Sets of `tpl` within `tpl` form long chains; take them apart without recursion.
        let mut under = self.under.take();
        while let Some(set) = under {
            under = Rc::try_unwrap(set.0).ok().and_then(|mut names| names.under.take());
        }
    }
}

/// Runs the template `name` of `set` on `dot`. `asker` is the name in `no template "x" associated with template
/// "asker"`. Values, labels, fuel and memory are the heap's and go on from render to render.
pub fn render(
    set: &Set,
    name: &str,
    asker: &str,
    dot: Value,
    heap: &mut Heap,
    host: &mut dyn Host,
    options: &Options,
) -> Result<Marked, ExecError> {
    let Some(template) = set.get(name).cloned() else {
        let quoted = |text: &str| crate::quote::go_quote(text.as_bytes());
        let (name, asker) = (quoted(name), quoted(asker));
        return Err(ExecError::plain(format!("template: no template {name} associated with template {asker}")));
    };
    crate::exec::run(&template, set, dot, heap, host, options)
}
