//! Go's `fmt`: `Sprint`, `Sprintln`, `Sprintf` with all verbs, flags, widths, argument indexes and error forms.
//! What is printed keeps the marks and labels of its operands.

use crate::format::Spec;
use crate::heap::Heap;
use crate::label::Label;
use crate::lex::decode;
use crate::marked::{Marked, TextBuilder};
use crate::value::{Bytes, Data, IntKind, Key, Kind, Value};
use base::limits;
use std::io::Write;

/// Appends `%v` of a value.
pub(crate) fn print_value(heap: &Heap, out: &mut Vec<u8>, value: Value) {
    match value.data {
        Data::Str(id) => out.extend_from_slice(heap.text(id).0),
        Data::Bool(b) => out.extend_from_slice(if b { b"true" } else { b"false" }),
        Data::Int(n, kind) if !kind.unsigned() => {
            let _ = write!(out, "{n}");
        }
        // Small whole floats print as whole numbers; a negative zero keeps its sign.
        Data::Float(f) if f.fract() == 0.0 && f.abs() < 1e6 && f.to_bits() != (-0.0f64).to_bits() => {
            let _ = write!(out, "{}", f as i64);
        }
        _ => Printer { heap, out, spec: Spec::default(), erroring: false }.arg(value, 'v'),
    }
}

/// `fmt.Sprintf("%VERB", value)` without flags.
pub fn format_verb(heap: &Heap, value: Value, verb: char) -> Vec<u8> {
    let mut out = Vec::new();
    Printer { heap, out: &mut out, spec: Spec::default(), erroring: false }.arg(value, verb);
    out
}

/// `fmt.Sprint`: a space between operands when neither is a string.
pub fn sprint(heap: &mut Heap, args: &[Value]) -> Marked {
    let mut out = TextBuilder::default();
    let mut string_before = false;
    for (i, arg) in args.iter().enumerate() {
        let string = heap.kind(*arg) == Kind::String;
        if i > 0 && !string && !string_before {
            out.push(b" ");
        }
        operand(heap, &mut out, *arg, 'v', Spec::default());
        string_before = string;
    }
    out.finish()
}

/// `fmt.Sprintln`.
pub fn sprintln(heap: &mut Heap, args: &[Value]) -> Marked {
    let mut out = TextBuilder::default();
    for (i, arg) in args.iter().enumerate() {
        if i > 0 {
            out.push(b" ");
        }
        operand(heap, &mut out, *arg, 'v', Spec::default());
    }
    out.push(b"\n");
    out.finish()
}

/// Prints one operand with its marks and labels.
fn operand(heap: &mut Heap, out: &mut TextBuilder, arg: Value, verb: char, spec: Spec) {
    if let Data::Str(id) = arg.data
        && matches!(verb, 'v' | 's')
        && spec == Spec::default()
    {
        let len = heap.text(id).0.len();
        return out.value(heap, arg, 0..len);
    }
    let (marks, start) = (out.out.marks.len(), out.len());
    Printer { heap, out: &mut out.out.bytes, spec, erroring: false }.arg(arg, verb);
    if heap.tracing() {
        let label = heap.label_of(arg);
        if label != Label::NONE {
            out.fill(heap, marks, start, crate::Action::NONE, crate::StackId::ROOT, label);
        }
    }
}

/// `fmt.Sprintf`; pieces keep the marks and labels of what they print.
pub fn sprintf(heap: &mut Heap, format: Value, args: &[Value]) -> Marked {
    let text: Vec<u8> = heap.bytes(format).to_vec();
    let mut run = Directives { text: &text, at: 0, arg: 0, args, reordered: false, good: true };
    let mut out = TextBuilder::default();
    while run.at < text.len() {
        run.good = true;
        let percent = text[run.at..].iter().position(|b| *b == b'%').map_or(text.len(), |i| run.at + i);
        if percent > run.at {
            out.value(heap, format, run.at..percent);
        }
        if percent >= text.len() {
            break;
        }
        run.at = percent + 1;
        run.directive(heap, &mut out);
    }
    if !run.reordered && run.arg < args.len() {
        out.push(b"%!(EXTRA ");
        for (i, arg) in args[run.arg..].iter().enumerate() {
            if i > 0 {
                out.push(b", ");
            }
            out.push(heap.type_name(*arg).as_bytes());
            if !arg.is_nil() {
                out.push(b"=");
                operand(heap, &mut out, *arg, 'v', Spec::default());
            }
        }
        out.push(b")");
    }
    out.finish()
}

/// The state of one `Sprintf` over its format.
struct Directives<'a> {
    text: &'a [u8],
    at: usize,
    /// Index of the next operand.
    arg: usize,
    args: &'a [Value],
    reordered: bool,
    /// Whether the operand index of this directive made sense.
    good: bool,
}

impl Directives<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn directive(&mut self, heap: &mut Heap, out: &mut TextBuilder) {
        let mut spec = Spec::default();
        while let Some(c) = self.peek() {
            match c {
                b'#' => spec.sharp = true,
                b'0' => spec.zero = true,
                b'+' => spec.plus = true,
                b'-' => spec.minus = true,
                b' ' => spec.space = true,
                _ => break,
            }
            self.at += 1;
        }
        let mut indexed = self.index();
        if self.peek() == Some(b'*') {
            self.at += 1;
            match self.star() {
                Some(width) => {
                    spec.width = Some(width.unsigned_abs() as usize);
                    if width < 0 {
                        spec.minus = true;
                        spec.zero = false;
                    }
                }
                None => out.push(b"%!(BADWIDTH)"),
            }
            indexed = false;
        } else {
            spec.width = self.number();
            self.good &= !(indexed && spec.width.is_some());
        }
        if self.peek() == Some(b'.') && self.at + 1 < self.text.len() {
            self.at += 1;
            self.good &= !indexed;
            indexed = self.index();
            if self.peek() == Some(b'*') {
                self.at += 1;
                match self.star() {
                    Some(n) if n >= 0 => spec.prec = Some(n as usize),
                    // A negative precision counts as none, and Go then complains too.
                    _ => out.push(b"%!(BADPREC)"),
                }
                indexed = false;
            } else {
                spec.prec = Some(self.number().unwrap_or(0));
            }
        }
        if !indexed {
            self.index();
        }
        if self.at >= self.text.len() {
            return out.push(b"%!(NOVERB)");
        }
        let (verb, width) = decode(&self.text[self.at..]);
        self.at += width;
        let problem: Option<&[u8]> = if verb == '%' {
            return out.push(b"%");
        } else if !self.good {
            Some(b"(BADINDEX)")
        } else if self.arg >= self.args.len() {
            Some(b"(MISSING)")
        } else {
            None
        };
        if let Some(problem) = problem {
            out.push(b"%!");
            out.push(verb.encode_utf8(&mut [0; 4]).as_bytes());
            return out.push(problem);
        }
        if matches!(verb, 'v' | 'w') {
            spec.sharp_v = std::mem::take(&mut spec.sharp);
            spec.plus_v = std::mem::take(&mut spec.plus);
        }
        operand(heap, out, self.args[self.arg], verb, spec);
        self.arg += 1;
    }

    /// Digits, as a width or precision; too large a number counts as none, and is read no further.
    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        let mut n = 0usize;
        while let Some(c @ b'0'..=b'9') = self.peek() {
            if n > 1_000_000 {
                // Go gives up on the whole rest of the format.
                self.at = self.text.len();
                return None;
            }
            n = n * 10 + usize::from(c - b'0');
            self.at += 1;
        }
        (self.at > start).then_some(n)
    }

    /// `*`: the operand as a width or precision.
    fn star(&mut self) -> Option<i64> {
        let value = *self.args.get(self.arg)?;
        self.arg += 1;
        match value.data {
            Data::Int(n, _) if (-1_000_000..=1_000_000).contains(&n) => Some(n),
            _ => None,
        }
    }

    /// `[n]`; true when there was a well-formed one.
    fn index(&mut self) -> bool {
        if self.peek() != Some(b'[') {
            return false;
        }
        self.reordered = true;
        let rest = &self.text[self.at..];
        let Some(close) = rest.iter().skip(1).position(|b| *b == b']').map(|i| i + 1).filter(|_| rest.len() >= 3)
        else {
            self.good = false;
            self.at += 1;
            return false;
        };
        self.at += close + 1;
        let digits = &rest[1..close];
        let number = std::str::from_utf8(digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
        let number = number.and_then(|d| d.parse::<usize>().ok()).filter(|n| *n <= 10_000_000);
        match number {
            Some(n) if (1..=self.args.len()).contains(&n) => {
                self.arg = n - 1;
                true
            }
            Some(_) => {
                self.good = false;
                true
            }
            None => {
                self.good = false;
                false
            }
        }
    }
}

/// Prints values with one directive.
struct Printer<'a> {
    heap: &'a Heap,
    out: &'a mut Vec<u8>,
    spec: Spec,
    /// Inside `%!verb(…)`: `String()` is not asked.
    erroring: bool,
}

/// What is left of a nested value.
enum Job {
    Value(Value, u32),
    Text(&'static str),
    Key(Key),
}

impl Printer<'_> {
    fn arg(&mut self, value: Value, verb: char) {
        match (value.data, verb) {
            (Data::Nil, 'T' | 'v') => self.spec.pad(self.out, b"<nil>"),
            (Data::Nil, _) => self.bad_verb(value, verb),
            (_, 'T') => {
                let name = self.heap.type_name(value);
                self.spec.string(self.out, name.as_bytes());
            }
            (_, 'p') => self.pointer(value, verb),
            // `%w` is for errors, and only `Errorf` takes it.
            (Data::List(_) | Data::Map(_) | Data::Object(_) | Data::NilOf(_), 'w') if !self.erroring => {
                self.bad_verb(value, verb);
            }
            (Data::Bytes(id), _) => self.bytes(id, value, verb, "[]byte"),
            _ => self.value(value, verb),
        }
    }

    /// Prints a value and all that it holds, without recursion.
    fn value(&mut self, value: Value, verb: char) {
        let mut jobs = vec![Job::Value(value, 0)];
        while let Some(job) = jobs.pop() {
            if self.out.len() > limits::RENDER_OUTPUT {
                // A value that contains itself; the render ends at its own limit.
                return;
            }
            match job {
                Job::Text(text) => self.out.extend_from_slice(text.as_bytes()),
                Job::Key(key) => self.text(&key, Value::NIL, verb),
                Job::Value(value, depth) => self.one(value, verb, depth, &mut jobs),
            }
        }
    }

    fn one(&mut self, value: Value, verb: char, depth: u32, jobs: &mut Vec<Job>) {
        match value.data {
            Data::Nil => {
                // An interface slot that holds nothing.
                self.out.extend_from_slice(if self.spec.sharp_v { b"interface {}(nil)" } else { b"<nil>" });
            }
            Data::Bool(b) => match verb {
                't' | 'v' => self.spec.pad(self.out, if b { b"true" } else { b"false" }),
                _ => self.bad_verb(value, verb),
            },
            Data::Int(n, kind) => self.int(n, kind, value, verb),
            Data::Float(f) => {
                if !self.spec.float_verb(self.out, f, verb) {
                    self.bad_verb(value, verb);
                }
            }
            Data::Str(id) => {
                let heap = self.heap;
                self.text(heap.text(id).0, value, verb);
            }
            Data::Bytes(id) => match verb {
                's' | 'q' | 'x' | 'X' => self.bytes(id, value, verb, "[]uint8"),
                _ => {
                    let items = self.heap.elements(value).unwrap_or_default();
                    self.list("[]uint8", &items, depth, jobs);
                }
            },
            Data::List(id) => {
                let items = self.heap.items(id);
                self.list(self.heap.list_type(id).name, &items, depth, jobs);
            }
            Data::Map(id) => {
                let name = self.heap.map_type(id).name;
                let (open, between, close) = self.brackets("map[", "]");
                if self.spec.sharp_v {
                    self.out.extend_from_slice(name.as_bytes());
                }
                self.out.extend_from_slice(open.as_bytes());
                jobs.push(Job::Text(close));
                for (i, (key, item)) in self.heap.entries(id).iter().enumerate().rev() {
                    jobs.push(Job::Value(*item, depth + 1));
                    jobs.push(Job::Text(":"));
                    jobs.push(Job::Key(key.clone()));
                    if i > 0 {
                        jobs.push(Job::Text(between));
                    }
                }
            }
            Data::Object(_) => self.object(value, verb, depth, jobs),
            Data::NilOf(ty) => match ty.kind {
                Kind::Ptr => self.pointer(value, verb),
                kind => {
                    if self.spec.sharp_v {
                        self.out.extend_from_slice(ty.name.as_bytes());
                        self.out.extend_from_slice(b"(nil)");
                    } else if ty.name == "[]uint8" && matches!(verb, 's' | 'q' | 'x' | 'X') {
                        self.text(b"", value, verb);
                    } else {
                        self.out.extend_from_slice(if kind == Kind::Map { b"map[]" } else { b"[]" });
                    }
                }
            },
        }
    }

    fn brackets(&self, open: &'static str, close: &'static str) -> (&'static str, &'static str, &'static str) {
        if self.spec.sharp_v { ("{", ", ", "}") } else { (open, " ", close) }
    }

    fn list(&mut self, name: &str, items: &[Value], depth: u32, jobs: &mut Vec<Job>) {
        let (open, between, close) = self.brackets("[", "]");
        if self.spec.sharp_v {
            self.out.extend_from_slice(name.as_bytes());
        }
        self.out.extend_from_slice(open.as_bytes());
        jobs.push(Job::Text(close));
        for (i, item) in items.iter().enumerate().rev() {
            jobs.push(Job::Value(*item, depth + 1));
            if i > 0 {
                jobs.push(Job::Text(between));
            }
        }
    }

    fn object(&mut self, value: Value, verb: char, depth: u32, jobs: &mut Vec<Job>) {
        let Data::Object(id) = value.data else { return };
        let object = self.heap.object_data(id);
        if let Some(text) = object.ty.text
            && !self.erroring
            && !self.spec.sharp_v
            && matches!(verb, 'v' | 's' | 'x' | 'X' | 'q')
        {
            let text = text(self.heap, object);
            return self.text(&text, value, verb);
        }
        match object.ty.kind {
            Kind::Complex128 => {
                let part = |i: usize| object.fields.get(i).and_then(|v| v.as_float()).unwrap_or(0.0);
                if !matches!(verb, 'v' | 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E') {
                    return self.bad_verb(value, verb);
                }
                let plus = self.spec.plus;
                self.out.push(b'(');
                self.spec.float_verb(self.out, part(0), verb);
                self.spec.plus = true;
                self.spec.float_verb(self.out, part(1), verb);
                self.spec.plus = plus;
                self.out.extend_from_slice(b"i)");
            }
            Kind::Struct | Kind::Ptr => {
                if object.ty.kind == Kind::Ptr {
                    if depth > 0 {
                        return self.pointer(value, verb);
                    }
                    self.out.push(b'&');
                }
                let (_, between, _) = self.brackets("", "");
                if self.spec.sharp_v {
                    self.out.extend_from_slice(object.ty.name.trim_start_matches('*').as_bytes());
                }
                self.out.push(b'{');
                jobs.push(Job::Text("}"));
                let own: Vec<_> = object.ty.fields.iter().filter(|f| f.promoted.is_none()).collect();
                for (i, field) in own.iter().enumerate().rev() {
                    jobs.push(Job::Value(object.fields.get(field.index).copied().unwrap_or(Value::NIL), depth + 1));
                    if self.spec.plus_v || self.spec.sharp_v {
                        jobs.push(Job::Text(":"));
                        jobs.push(Job::Text(field.name));
                    }
                    if i > 0 {
                        jobs.push(Job::Text(between));
                    }
                }
            }
            // A named scalar prints as what it is.
            _ => jobs.push(Job::Value(object.fields.first().copied().unwrap_or(Value::NIL), depth)),
        }
    }

    fn int(&mut self, n: i64, kind: IntKind, value: Value, verb: char) {
        let signed = !kind.unsigned();
        let u = n as u64;
        match verb {
            'v' if self.spec.sharp_v && !signed => self.spec.hex(self.out, u, true),
            'v' | 'd' => self.spec.integer(self.out, u, 10, signed, verb),
            'b' => self.spec.integer(self.out, u, 2, signed, verb),
            'o' | 'O' => self.spec.integer(self.out, u, 8, signed, verb),
            'x' | 'X' => self.spec.integer(self.out, u, 16, signed, verb),
            'c' => self.spec.char(self.out, u),
            'q' => self.spec.quoted_char(self.out, u),
            'U' => self.spec.code_point(self.out, u),
            _ => self.bad_verb(value, verb),
        }
    }

    fn text(&mut self, text: &[u8], value: Value, verb: char) {
        match verb {
            'v' if self.spec.sharp_v => self.spec.quoted(self.out, text),
            'v' | 's' => self.spec.string(self.out, text),
            'x' | 'X' => self.spec.hex_bytes(self.out, text, verb == 'X'),
            'q' => self.spec.quoted(self.out, text),
            _ if value.is_nil() => {
                // A key has no handle of its own.
                self.bad_verb_head(verb);
                self.out.extend_from_slice(b"string=");
                self.spec.string(self.out, text);
                self.out.push(b')');
            }
            _ => self.bad_verb(value, verb),
        }
    }

    fn bytes(&mut self, id: crate::StrId, value: Value, verb: char, name: &str) {
        let heap = self.heap;
        let bytes = heap.text(id).0;
        match verb {
            'v' | 'd' => {
                let (open, between, close) = self.brackets("[", "]");
                if self.spec.sharp_v {
                    self.out.extend_from_slice(name.as_bytes());
                }
                self.out.extend_from_slice(open.as_bytes());
                for (i, b) in bytes.iter().enumerate() {
                    if i > 0 {
                        self.out.extend_from_slice(between.as_bytes());
                    }
                    if self.spec.sharp_v {
                        self.spec.hex(self.out, u64::from(*b), true);
                    } else {
                        self.spec.integer(self.out, u64::from(*b), 10, false, verb);
                    }
                }
                self.out.extend_from_slice(close.as_bytes());
            }
            's' => self.spec.string(self.out, bytes),
            'x' | 'X' => self.spec.hex_bytes(self.out, bytes, verb == 'X'),
            'q' => self.spec.quoted(self.out, bytes),
            _ => self.value(value, verb),
        }
    }

    /// Addresses do not exist here; Go's differ from run to run, so one stands for all.
    fn pointer(&mut self, value: Value, verb: char) {
        let address = match value.data {
            Data::NilOf(_) => 0,
            Data::Map(_) | Data::List(_) | Data::Bytes(_) => 0xc0_0000_0000,
            Data::Object(_) if self.heap.kind(value) == Kind::Ptr => 0xc0_0000_0000,
            _ => return self.bad_verb(value, verb),
        };
        match verb {
            'v' if self.spec.sharp_v => {
                self.out.push(b'(');
                self.out.extend_from_slice(self.heap.type_name(value).as_bytes());
                self.out.extend_from_slice(b")(");
                if address == 0 {
                    self.out.extend_from_slice(b"nil");
                } else {
                    self.spec.hex(self.out, address, true);
                }
                self.out.push(b')');
            }
            'v' if address == 0 => self.spec.pad(self.out, b"<nil>"),
            'v' | 'p' => {
                let sharp = !self.spec.sharp;
                self.spec.hex(self.out, address, sharp);
            }
            'b' | 'o' | 'd' | 'x' | 'X' => self.int(address as i64, IntKind::Uint64, value, verb),
            _ => self.bad_verb(value, verb),
        }
    }

    fn bad_verb_head(&mut self, verb: char) {
        self.out.extend_from_slice(b"%!");
        self.out.extend_from_slice(verb.encode_utf8(&mut [0; 4]).as_bytes());
        self.out.push(b'(');
    }

    fn bad_verb(&mut self, value: Value, verb: char) {
        self.bad_verb_head(verb);
        let before = std::mem::replace(&mut self.erroring, true);
        if value.is_nil() {
            self.out.extend_from_slice(b"<nil>");
        } else {
            self.out.extend_from_slice(self.heap.type_name(value).as_bytes());
            self.out.push(b'=');
            if !before || !matches!(value.data, Data::Object(_)) {
                self.arg(value, 'v');
            }
        }
        self.erroring = before;
        self.out.push(b')');
    }
}

impl Heap {
    /// A string value of `Sprint`-like output.
    pub(crate) fn text_value(&mut self, text: Marked) -> Value {
        if text.marks.is_empty() { self.str(Bytes::Owned(text.bytes)) } else { self.marked(text) }
    }
}
