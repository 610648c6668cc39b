//! The grammar of `--set`, `--set-string`, `--set-file`, `--set-json` and `--set-literal` (Helm's `pkg/strvals`):
//! `a.b[0]=x,c={1,2}`. Values are written into the tree of the layers before, and what they replace is recorded.

use crate::values::{DEPTH, Data, Source, TableRef, Value};
use crate::version::HelmVersion;
use base::{Fate, Json, Layer, Span};
use std::rc::Rc;

/// Largest index of a list that Helm accepts.
const MAX_INDEX: i64 = 65_536;
/// Most dots in one key.
const MAX_DOTS: usize = 30;

/// Which flag's grammar and typing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// `--set`: `true`, `null` and whole numbers are typed, the rest is text.
    Typed,
    /// `--set-string`: every scalar is text.
    Text,
    /// `--set-file`: the value is a path and becomes the file's bytes.
    File,
    /// `--set-json`: the value is JSON.
    Json,
    /// `--set-literal`: no escapes and no commas; the rest of the argument is the value.
    Literal,
}

/// Reads a file for [`Flavour::File`]; the error is the text to report.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Rc<[u8]>, String>;

/// Writes the assignments of one flag value into `table`. The error is Helm's inner text.
pub fn parse_into(
    text: &str,
    flavour: Flavour,
    table: &TableRef,
    layer: &Rc<Layer>,
    read: ReadFile<'_>,
    version: HelmVersion,
) -> Result<(), String> {
    let mut parser = Parser { text, at: 0, flavour, layer, read, version };
    loop {
        match parser.key(table, 0) {
            Ok(()) => {}
            Err(Stop::End) => return Ok(()),
            Err(Stop::Error(message)) => return Err(message),
        }
    }
}

/// Why reading stopped: the text ended where it may, or it is wrong.
enum Stop {
    End,
    Error(String),
}

fn error<T>(message: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Error(message.into()))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    flavour: Flavour,
    layer: &'a Rc<Layer>,
    read: ReadFile<'a>,
    version: HelmVersion,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Text up to one of `stops`, which is consumed; `None` as the stop means the end of the text came first.
    /// A backslash takes the next character as it is, except in the literal flavour.
    fn until(&mut self, stops: &[char]) -> (String, Option<char>) {
        let mut taken = String::new();
        while let Some(c) = self.next() {
            if stops.contains(&c) {
                return (taken, Some(c));
            }
            if c == '\\' && self.flavour != Flavour::Literal {
                match self.next() {
                    Some(escaped) => taken.push(escaped),
                    None => return (taken, None),
                }
            } else {
                taken.push(c);
            }
        }
        (taken, None)
    }

    fn source(&self, start: usize) -> Option<Source> {
        Some(Source { layer: self.layer.clone(), span: Span::new(start, self.at) })
    }

    fn key(&mut self, table: &TableRef, dots: usize) -> Result<(), Stop> {
        let start = self.at;
        let stops: &[char] = if self.flavour == Flavour::Literal { &['=', '[', '.'] } else { &['=', '[', ',', '.'] };
        let (key, stop) = self.until(stops);
        match stop {
            None if key.is_empty() => Err(Stop::End),
            None => error(format!("key {} has no value", quote(&key))),
            Some('[') => self.list_at_key(table, &key, dots, start),
            Some('=') => self.value_at_key(table, &key, start),
            Some('.') => self.table_at_key(table, &key, dots + 1, start),
            Some(_) => {
                let empty = Value::text("", self.source(start));
                set(table, &key, empty);
                error(format!("key {} has no value (cannot end with ,)", quote(&key)))
            }
        }
    }

    fn table_at_key(&mut self, table: &TableRef, key: &str, dots: usize, start: usize) -> Result<(), Stop> {
        if dots > MAX_DOTS {
            return error(format!(
                "value name nested level is greater than maximum supported nested level of {MAX_DOTS}"
            ));
        }
        let existing = table.borrow().get(key).cloned();
        let inner = match &existing {
            Some(value) => match value.as_table() {
                Some(inner) => inner.clone(),
                None => return error(conversion(value, "map[string]interface {}")),
            },
            None => TableRef::default(),
        };
        let result = self.key(&inner, dots);
        let empty = inner.borrow().entries.is_empty();
        if result.is_ok() && empty {
            return error(format!("key map {} has no value", quote(key)));
        }
        if !empty && existing.is_none() {
            set(table, key, Value::new(Data::Map(inner), self.source(start)));
        }
        result
    }

    fn list_at_key(&mut self, table: &TableRef, key: &str, dots: usize, start: usize) -> Result<(), Stop> {
        let index = self.index()?;
        let existing = table.borrow().get(key).cloned();
        let mut list = match &existing {
            None => Vec::new(),
            Some(Value { data: Data::List(items), .. }) => items.as_ref().clone(),
            Some(other) => return error(conversion(other, "[]interface {}")),
        };
        let result = self.item(&mut list, index, dots, 0);
        // Helm stores the list whatever came of it; an element that failed leaves the others in place.
        let list = Data::List(Rc::new(list));
        match existing {
            Some(old) => set_silently(table, key, Value { data: list, ..old }),
            None => set(table, key, Value::new(list, self.source(start))),
        }
        result
    }

    fn value_at_key(&mut self, table: &TableRef, key: &str, start: usize) -> Result<(), Stop> {
        let (value, result) = self.value(start);
        if let Some(value) = value {
            set(table, key, value);
        }
        result
    }

    /// The value after `=`. Some errors still set a value, as Helm's do.
    fn value(&mut self, start: usize) -> (Option<Value>, Result<(), Stop>) {
        match self.flavour {
            Flavour::Literal => {
                let rest = self.text[self.at..].to_string();
                self.at = self.text.len();
                (Some(Value::text(&rest, self.source(start))), Ok(()))
            }
            Flavour::Json => match self.json(start) {
                Ok(value) => (Some(value), Ok(())),
                Err(stop) => (None, Err(stop)),
            },
            _ => self.scalar_or_list(start),
        }
    }

    fn scalar_or_list(&mut self, start: usize) -> (Option<Value>, Result<(), Stop>) {
        let before = self.at;
        match self.next() {
            None => (Some(Value::text("", self.source(start))), Err(Stop::End)),
            Some('{') => match self.braces(start) {
                Ok(value) => (Some(value), Ok(())),
                Err(stop) => (None, Err(stop)),
            },
            Some(_) => {
                self.at = before;
                let (text, _) = self.until(&[',']);
                match self.scalar(&text, start) {
                    Ok(value) => (Some(value), Ok(())),
                    Err(message) => (Some(Value::new(Data::Null, self.source(start))), error(message)),
                }
            }
        }
    }

    fn braces(&mut self, start: usize) -> Result<Value, Stop> {
        let mut items = Vec::new();
        loop {
            let from = self.at;
            let (text, stop) = self.until(&[',', '}']);
            let Some(stop) = stop else { return error("list must terminate with '}'") };
            let ended = stop == '}';
            if ended {
                let before = self.at;
                if self.next() != Some(',') {
                    self.at = before;
                }
            }
            match self.scalar(&text, from) {
                Ok(value) => items.push(value),
                Err(message) => return error(message),
            }
            if ended {
                return Ok(Value::new(Data::List(Rc::new(items)), self.source(start)));
            }
        }
    }

    fn scalar(&self, text: &str, start: usize) -> Result<Value, String> {
        let data = match self.flavour {
            Flavour::File => Data::Str((self.read)(text)?),
            Flavour::Typed => typed(text),
            _ => Data::Str(Rc::from(text.as_bytes())),
        };
        Ok(Value::new(data, self.source(start)))
    }

    /// Skips blanks and one comma; true when nothing or only the comma was there.
    fn blank(&mut self) -> bool {
        loop {
            let before = self.at;
            match self.next() {
                None | Some(',') => return true,
                Some(c) if c.is_whitespace() => {}
                Some(_) => {
                    self.at = before;
                    return false;
                }
            }
        }
    }

    fn json(&mut self, start: usize) -> Result<Value, Stop> {
        if self.blank() {
            return Ok(Value::new(Data::Null, self.source(start)));
        }
        let rest = &self.text[self.at..];
        let end = json_end(rest).ok_or_else(|| Stop::Error("invalid JSON".to_string()))?;
        let json = Json::parse(&rest[..end]).map_err(|e| Stop::Error(e.to_string()))?;
        self.at += end;
        let value = Value::from_json(&json, &self.source(start), true);
        let value = value.ok_or_else(|| Stop::Error("exceeded max depth".to_string()))?;
        self.blank();
        Ok(value)
    }

    fn index(&mut self) -> Result<i64, Stop> {
        let (text, stop) = self.until(&[']']);
        if stop.is_none() {
            // Helm 4 takes the end of the text inside an index for the end of all assignments.
            return if self.version.is_v4() { Err(Stop::End) } else { error("error parsing index: EOF") };
        }
        atoi(&text).map_err(|message| Stop::Error(format!("error parsing index: {message}")))
    }

    fn item(&mut self, list: &mut Vec<Value>, index: i64, dots: usize, depth: usize) -> Result<(), Stop> {
        if index < 0 {
            return error(format!("negative {index} index not allowed"));
        }
        if depth > DEPTH {
            return error("lists are nested too deeply");
        }
        let start = self.at;
        let (text, stop) = self.until(&['[', '.', '=']);
        if !text.is_empty() {
            return error(format!("unexpected data at end of array index: {}", quote_runes(&text)));
        }
        match stop {
            None => Err(Stop::End),
            Some('=') => {
                let (value, result) = self.value(start);
                match (value, result) {
                    // The end of the text after `=` is an ordinary empty value inside a list.
                    (Some(value), Ok(()) | Err(Stop::End)) => set_index(list, index, value),
                    (_, result) => result,
                }
            }
            Some('[') => {
                let next = self.index()?;
                let mut inner = match list.get(index as usize) {
                    None | Some(Value { data: Data::Null, .. }) => Vec::new(),
                    Some(Value { data: Data::List(items), .. }) => items.as_ref().clone(),
                    Some(other) => return error(conversion(other, "[]interface {}")),
                };
                self.item(&mut inner, next, dots, depth + 1)?;
                let value = Value::new(Data::List(Rc::new(inner)), self.source(start));
                set_index(list, index, value)
            }
            Some(_) => {
                let inner = match list.get_mut(index as usize) {
                    None => TableRef::default(),
                    Some(Value { data: Data::Map(table), .. }) => table.clone(),
                    Some(other) => {
                        let table = TableRef::default();
                        *other = Value::new(Data::Map(table.clone()), self.source(start));
                        table
                    }
                };
                self.key(&inner, dots)?;
                let value = Value::new(Data::Map(inner), self.source(start));
                set_index(list, index, value)
            }
        }
    }
}

/// Sets a member and records the one it replaces. An empty key is silently not set.
fn set(table: &TableRef, key: &str, mut value: Value) {
    if key.is_empty() {
        return;
    }
    let mut table = table.borrow_mut();
    if let Some(old) = table.entries.get(key) {
        let both_lists = matches!((&old.data, &value.data), (Data::List(_), Data::List(_)));
        value.beat(old, if both_lists { Fate::ListReplaced } else { Fate::Overridden });
    }
    table.entries.insert(Rc::from(key), value);
}

fn set_silently(table: &TableRef, key: &str, value: Value) {
    if !key.is_empty() {
        table.borrow_mut().entries.insert(Rc::from(key), value);
    }
}

fn set_index(list: &mut Vec<Value>, index: i64, mut value: Value) -> Result<(), Stop> {
    if index > MAX_INDEX {
        return error(format!("index of {index} is greater than maximum supported index of {MAX_INDEX}"));
    }
    let index = index as usize;
    if list.len() <= index {
        list.resize(index + 1, Value::default());
    }
    let same = match (&list[index].data, &value.data) {
        (Data::Map(old), Data::Map(new)) => Rc::ptr_eq(old, new),
        _ => false,
    };
    if same {
        value = list[index].clone();
    } else {
        value.beat(&list[index], Fate::Overridden);
    }
    list[index] = value;
    Ok(())
}

fn typed(text: &str) -> Data {
    // Go folds case by Unicode here, but no other letter folds into these words' letters except the long s.
    let folded = text.replace('ſ', "s");
    if folded.eq_ignore_ascii_case("true") {
        return Data::Bool(true);
    }
    if folded.eq_ignore_ascii_case("false") {
        return Data::Bool(false);
    }
    if text.eq_ignore_ascii_case("null") {
        return Data::Null;
    }
    if text == "0" {
        return Data::Int(0);
    }
    if !text.starts_with('0')
        && let Ok(n) = text.parse::<i64>()
    {
        return Data::Int(n);
    }
    Data::Str(Rc::from(text.as_bytes()))
}

/// Go's `strconv.Atoi`, with its error texts.
fn atoi(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("strconv.Atoi: parsing {}: invalid syntax", quote(text)));
    }
    text.parse().map_err(|_| format!("strconv.Atoi: parsing {}: value out of range", quote(text)))
}

fn conversion(found: &Value, wanted: &str) -> String {
    format!("unable to parse key: interface conversion: interface {{}} is {}, not {wanted}", found.go_type())
}

/// Where the first JSON value of `text` ends, reading as little as Go's decoder does (`1.5abc` ends after `1.5`).
/// The piece still has to be parsed; `None` when nothing like a value starts here.
fn json_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'"' => json_string_end(bytes, 0),
        b'{' | b'[' => {
            let (mut depth, mut i) = (0usize, 0);
            while i < bytes.len() {
                match bytes[i] {
                    b'"' => i = json_string_end(bytes, i)? - 1,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                i += 1;
                if depth == 0 {
                    return Some(i);
                }
            }
            None
        }
        b'-' | b'0'..=b'9' => Some(json_number_end(bytes)),
        _ => ["true", "false", "null"].iter().find(|word| text.starts_with(**word)).map(|word| word.len()),
    }
}

fn json_string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut i = start + 1;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 1,
            b'"' => return Some(i + 1),
            _ => {}
        }
        i += 1;
    }
    None
}

fn json_number_end(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = usize::from(bytes[0] == b'-');
    end += if bytes.get(end) == Some(&b'0') { 1 } else { digits(end) };
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end += 1 + sign + digits(end + 1 + sign);
    }
    end
}

/// Go's `%q` of a text.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        push_quoted(&mut out, c, '"');
    }
    out.push('"');
    out
}

/// Go's `%q` of a list of runes: `['a' 'b']`.
fn quote_runes(text: &str) -> String {
    let runes: Vec<String> = text
        .chars()
        .map(|c| {
            let mut out = String::from("'");
            push_quoted(&mut out, c, '\'');
            out.push('\'');
            out
        })
        .collect();
    format!("[{}]", runes.join(" "))
}

fn push_quoted(out: &mut String, c: char, mark: char) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\u{b}' => out.push_str("\\v"),
        '\u{c}' => out.push_str("\\f"),
        c if c == mark => {
            out.push('\\');
            out.push(c);
        }
        c if c.is_control() && (c as u32) < 0x80 => out.push_str(&format!("\\x{:02x}", c as u32)),
        c if c.is_control() || (c.is_whitespace() && c != ' ') || c == '\u{feff}' => {
            out.push_str(&format!("\\u{:04x}", c as u32));
        }
        c => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::LayerKind;

    fn set(text: &str, flavour: Flavour) -> Result<String, String> {
        let table = TableRef::default();
        let layer = Rc::new(Layer { kind: LayerKind::Flag("--set", 0), file: None });
        parse_into(text, flavour, &table, &layer, &|path| Ok(Rc::from(path.as_bytes())), HelmVersion::V3)?;
        Ok(Value::new(Data::Map(table), None).to_json().to_raw_text())
    }

    #[test]
    fn set_is_typed_and_nested() {
        let set = |text| set(text, Flavour::Typed);
        assert_eq!(set("a.b=1,c=x").as_deref(), Ok(r#"{"a":{"b":1},"c":"x"}"#));
        assert_eq!(set("a[1].b=true,d=0123,e=null").as_deref(), Ok(r#"{"a":[null,{"b":true}],"d":"0123","e":null}"#));
        assert_eq!(set(r"a\.b={1,x\,y},c=1.5").as_deref(), Ok(r#"{"a.b":[1,"x,y"],"c":"1.5"}"#));
        assert_eq!(set("a").err().as_deref(), Some("key \"a\" has no value"));
        assert_eq!(set("a=1,,b=2").err().as_deref(), Some("key \"\" has no value (cannot end with ,)"));
        assert_eq!(
            set("a[x]=1").err().as_deref(),
            Some("error parsing index: strconv.Atoi: parsing \"x\": invalid syntax")
        );
        assert_eq!(set("a[0]x=1").err().as_deref(), Some("unexpected data at end of array index: ['x']"));
        assert_eq!(set("a={1").err().as_deref(), Some("list must terminate with '}'"));
    }

    #[test]
    fn json_is_read_greedily() {
        let set = |text| set(text, Flavour::Json);
        assert_eq!(set(r#"a={"b":[1]} ,c=true,d="#).as_deref(), Ok(r#"{"a":{"b":[1]},"c":true,"d":null}"#));
        assert!(set("a=nope").is_err());
    }
}
