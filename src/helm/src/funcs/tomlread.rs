//! TOML texts for `fromToml`, as BurntSushi/toml 1.6 decodes them: whole numbers are `int64`, dates are `time.Time`,
//! arrays of tables are `[]map[string]interface {}`. Of its error texts only the common ones are known; others are
//! reported as not simulated rather than made up.

use super::date;
use super::gotime::Instant;
use super::{number, timeparse};
use gotmpl::quote::go_quote;
use gotmpl::{Heap, Key, ListType, MapId, Value};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Nested arrays and inline tables that we follow.
const DEPTH: u32 = 200;

/// Why a text is not TOML.
pub(super) enum Fault {
    /// The library's text.
    Known(String),
    /// A fault whose text we do not know.
    Unknown(usize),
}

type Read<T> = Result<T, Fault>;

/// Reads a document into a new map.
pub(super) fn read(heap: &mut Heap, text: &[u8]) -> Read<Value> {
    let root = heap.map();
    let Some(id) = root.as_map() else { return Ok(root) };
    if std::str::from_utf8(text).is_err() {
        return Err(Fault::Unknown(0));
    }
    let mut reader =
        Reader { heap, text, at: 0, last_key: String::new(), tables: BTreeSet::new(), closed: BTreeSet::new() };
    reader.document(id)?;
    Ok(root)
}

struct Reader<'a> {
    heap: &'a mut Heap,
    text: &'a [u8],
    at: usize,
    last_key: String,
    /// Tables that a header defined.
    tables: BTreeSet<MapId>,
    /// Inline tables, which nothing may extend.
    closed: BTreeSet<MapId>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn line(&self) -> usize {
        self.text[..self.at.min(self.text.len())].iter().filter(|&&b| b == b'\n').count() + 1
    }

    fn known<T>(&self, text: &str) -> Read<T> {
        let key = if self.last_key.is_empty() {
            String::new()
        } else {
            format!(" (last key {})", go_quote(self.last_key.as_bytes()))
        };
        Err(Fault::Known(format!("toml: line {}{key}: {text}", self.line())))
    }

    fn unknown<T>(&self) -> Read<T> {
        Err(Fault::Unknown(self.line()))
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn comment(&mut self) {
        if self.peek() == Some(b'#') {
            while self.peek().is_some_and(|b| b != b'\n') {
                self.at += 1;
            }
        }
    }

    /// Blanks, line breaks and comments.
    fn gap(&mut self) {
        loop {
            self.blanks();
            self.comment();
            match self.peek() {
                Some(b'\n' | b'\r') => self.at += 1,
                _ => return,
            }
        }
    }

    fn document(&mut self, root: MapId) -> Read<()> {
        let (mut table, mut prefix) = (root, String::new());
        loop {
            self.gap();
            match self.peek() {
                None => return Ok(()),
                Some(b'[') => (table, prefix) = self.header(root)?,
                Some(_) => self.pair(table, &prefix, 0)?,
            }
            self.blanks();
            self.comment();
            if !matches!(self.peek(), None | Some(b'\n' | b'\r')) {
                return self.unknown();
            }
        }
    }

    fn header(&mut self, root: MapId) -> Read<(MapId, String)> {
        self.at += 1;
        let array = self.peek() == Some(b'[');
        self.at += usize::from(array);
        let path = self.key_path(true)?;
        let close: &[u8] = if array { b"]]" } else { b"]" };
        if !self.text[self.at.min(self.text.len())..].starts_with(close) {
            return self.unknown();
        }
        self.at += close.len();
        let name = path.iter().map(|k| String::from_utf8_lossy(k).into_owned()).collect::<Vec<_>>().join(".");
        self.last_key = name.clone();
        let Some((last, parents)) = path.split_last() else { return self.unknown() };
        let mut table = root;
        for key in parents {
            table = self.step(table, key)?;
        }
        let old = self.heap.get(table, last);
        if array {
            let new = self.heap.map();
            let items = match old {
                None => vec![new],
                Some(old) => match self.heap.elements(old) {
                    Some(items) if items.iter().all(|v| v.as_map().is_some()) && !items.is_empty() => {
                        items.iter().copied().chain([new]).collect()
                    }
                    _ => return self.unknown(),
                },
            };
            let list = self.heap.list_of(ListType::MAPS, items);
            self.heap.set(table, last.clone(), list);
            return new.as_map().map(|id| (id, name.clone())).ok_or(Fault::Unknown(0));
        }
        let id = match old.map(|v| v.as_map()) {
            None => self.new_table(table, last)?,
            Some(Some(id)) if !self.tables.contains(&id) && !self.closed.contains(&id) => id,
            Some(_) => return self.known(&format!("Key '{name}' has already been defined.")),
        };
        self.tables.insert(id);
        Ok((id, name))
    }

    fn new_table(&mut self, table: MapId, key: &Key) -> Read<MapId> {
        let new = self.heap.map();
        self.heap.set(table, key.clone(), new);
        new.as_map().ok_or(Fault::Unknown(0))
    }

    /// The table under a key, made when missing; of an array of tables the last.
    fn step(&mut self, table: MapId, key: &Key) -> Read<MapId> {
        match self.heap.get(table, key) {
            None => self.new_table(table, key),
            Some(value) => {
                let last = self.heap.elements(value).and_then(|items| items.last().copied());
                match last.unwrap_or(value).as_map() {
                    Some(id) if !self.closed.contains(&id) => Ok(id),
                    _ => self.unknown(),
                }
            }
        }
    }

    fn key_path(&mut self, header: bool) -> Read<Vec<Key>> {
        let mut path = Vec::new();
        loop {
            self.blanks();
            let key: Key = match self.peek() {
                Some(b'"' | b'\'') if self.text[self.at..].starts_with(b"\"\"\"") => return self.unknown(),
                Some(b'"') => Key::from(self.basic()?),
                Some(b'\'') => Key::from(self.literal()?),
                _ => {
                    let from = self.at;
                    while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
                        self.at += 1;
                    }
                    if from == self.at {
                        return self.unknown();
                    }
                    Key::from(&self.text[from..self.at])
                }
            };
            path.push(key);
            self.blanks();
            match self.peek() {
                Some(b'.') => self.at += 1,
                None if !header => return self.known("unexpected EOF; expected key separator '='"),
                _ => return Ok(path),
            }
        }
    }

    fn pair(&mut self, table: MapId, prefix: &str, depth: u32) -> Read<()> {
        let path = self.key_path(false)?;
        if self.peek() != Some(b'=') {
            return self.unknown();
        }
        self.at += 1;
        let own = path.iter().map(|k| String::from_utf8_lossy(k).into_owned()).collect::<Vec<_>>().join(".");
        self.last_key = if prefix.is_empty() { own.clone() } else { format!("{prefix}.{own}") };
        let key_line = self.at;
        self.blanks();
        let value = self.value(depth)?;
        let Some((last, parents)) = path.split_last() else { return self.unknown() };
        let mut target = table;
        for key in parents {
            target = self.step(target, key)?;
            self.tables.insert(target);
        }
        if self.heap.get(target, last).is_some() {
            self.at = key_line;
            let name = self.last_key.clone();
            return self.known(&format!("Key '{name}' has already been defined."));
        }
        self.heap.set(target, last.clone(), value);
        Ok(())
    }

    fn value(&mut self, depth: u32) -> Read<Value> {
        if depth > DEPTH {
            return self.unknown();
        }
        match self.peek() {
            None => self.known("unexpected EOF; expected value"),
            Some(b'"') if self.text[self.at..].starts_with(b"\"\"\"") => self.multi_line(b'"'),
            Some(b'\'') if self.text[self.at..].starts_with(b"'''") => self.multi_line(b'\''),
            Some(b'"') => {
                let text = self.basic()?;
                Ok(self.heap.str(text))
            }
            Some(b'\'') => {
                let text = self.literal()?;
                Ok(self.heap.str(text))
            }
            Some(b'[') => self.array(depth),
            Some(b'{') => self.inline_table(depth),
            Some(_) => self.bare(),
        }
    }

    fn array(&mut self, depth: u32) -> Read<Value> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.gap();
            if self.peek() == Some(b']') {
                break;
            }
            items.push(self.value(depth + 1)?);
            self.gap();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {}
                _ => return self.unknown(),
            }
        }
        self.at += 1;
        let tables = !items.is_empty() && items.iter().all(|v| v.as_map().is_some());
        Ok(self.heap.list_of(if tables { ListType::MAPS } else { ListType::ANY }, items))
    }

    fn inline_table(&mut self, depth: u32) -> Read<Value> {
        self.at += 1;
        let table = self.heap.map();
        let Some(id) = table.as_map() else { return Ok(table) };
        let prefix = self.last_key.clone();
        loop {
            self.gap();
            if self.peek() == Some(b'}') {
                break;
            }
            self.pair(id, &prefix, depth + 1)?;
            self.gap();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {}
                _ => return self.unknown(),
            }
        }
        self.at += 1;
        self.closed.insert(id);
        Ok(table)
    }

    fn literal(&mut self) -> Read<Vec<u8>> {
        let body = &self.text[self.at + 1..];
        match body.iter().position(|&b| b == b'\'' || b == b'\n') {
            Some(end) if body[end] == b'\'' => {
                self.at += end + 2;
                Ok(body[..end].to_vec())
            }
            _ => self.unknown(),
        }
    }

    fn basic(&mut self) -> Read<Vec<u8>> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            match self.peek() {
                None | Some(b'\n') => return self.unknown(),
                Some(b'"') => break,
                Some(b'\\') => self.escape(&mut out)?,
                Some(b) => {
                    out.push(b);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        Ok(out)
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Read<()> {
        self.at += 1;
        let Some(letter) = self.peek() else { return self.unknown() };
        self.at += 1;
        let plain = match letter {
            b'b' => 0x08,
            b't' => b'\t',
            b'n' => b'\n',
            b'f' => 0x0c,
            b'r' => b'\r',
            b'e' => 0x1b,
            b'"' | b'\\' => letter,
            b'x' | b'u' | b'U' => {
                let len = match letter {
                    b'x' => 2,
                    b'u' => 4,
                    _ => 8,
                };
                let digits = self.text.get(self.at..self.at + len).and_then(|d| std::str::from_utf8(d).ok());
                let c = digits.and_then(|d| u32::from_str_radix(d, 16).ok()).and_then(char::from_u32);
                let Some(c) = c else { return self.unknown() };
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                self.at += len;
                return Ok(());
            }
            _ => return self.unknown(),
        };
        out.push(plain);
        Ok(())
    }

    fn multi_line(&mut self, mark: u8) -> Read<Value> {
        self.at += 3;
        if self.text[self.at..].starts_with(b"\r\n") {
            self.at += 2;
        } else if self.peek() == Some(b'\n') {
            self.at += 1;
        }
        let mut out = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            let marks = rest.iter().take_while(|&&b| b == mark).count();
            if marks >= 3 {
                // Up to two more marks belong to the text.
                let inside = (marks - 3).min(2);
                out.extend(std::iter::repeat_n(mark, inside));
                self.at += 3 + inside;
                return Ok(self.heap.str(out));
            }
            match rest.first() {
                None => return self.unknown(),
                Some(b'\\') if mark == b'"' => {
                    let blank = rest[1..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
                    if rest.get(1 + blank) == Some(&b'\n') {
                        self.at += 1;
                        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
                            self.at += 1;
                        }
                    } else {
                        self.escape(&mut out)?;
                    }
                }
                Some(&b) => {
                    out.push(b);
                    self.at += 1;
                }
            }
        }
    }

    /// Booleans, numbers and dates.
    fn bare(&mut self) -> Read<Value> {
        let from = self.at;
        let stop = |b: u8| matches!(b, b',' | b']' | b'}' | b'#' | b'\n' | b'\r' | b' ' | b'\t');
        while self.peek().is_some_and(|b| !stop(b)) {
            self.at += 1;
        }
        // A blank may stand between a date and a time.
        let time_follows = self.at - from == 10
            && self.text[from + 4] == b'-'
            && self.peek() == Some(b' ')
            && self.text.get(self.at + 3) == Some(&b':');
        if time_follows {
            self.at += 1;
            while self.peek().is_some_and(|b| !stop(b)) {
                self.at += 1;
            }
        }
        let token = &self.text[from..self.at];
        match token {
            b"true" => return Ok(Value::bool(true)),
            b"false" => return Ok(Value::bool(false)),
            b"inf" | b"+inf" => return Ok(Value::float(f64::INFINITY)),
            b"-inf" => return Ok(Value::float(f64::NEG_INFINITY)),
            b"nan" | b"+nan" | b"-nan" => return Ok(Value::float(f64::NAN)),
            _ => {}
        }
        if let Some(at) = instant(token) {
            return Ok(date::value(self.heap, at));
        }
        let digits = token.strip_prefix(b"+").or(token.strip_prefix(b"-")).unwrap_or(token);
        let leading_zero = digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit();
        if !leading_zero && digits.first().is_some_and(u8::is_ascii_digit) {
            if let Some(n) = number::parse_int(token) {
                return Ok(Value::int64(n));
            }
            let decimal = !digits.ends_with(b".") && !digits.starts_with(b"0x");
            if let Some(f) = number::parse_float(token).filter(|_| decimal) {
                return Ok(Value::float(f));
            }
        }
        self.at = from;
        self.unknown()
    }
}

/// A date, time or both; those without zone carry the library's names for local ones.
fn instant(token: &[u8]) -> Option<Instant> {
    let token = token.iter().map(|b| if matches!(b, b'T' | b't') { b' ' } else { *b }).collect::<Vec<_>>();
    let layouts: [(&[u8], &str); 4] = [
        (b"2006-01-02 15:04:05.999999999Z07:00", ""),
        (b"2006-01-02 15:04:05.999999999", "datetime-local"),
        (b"2006-01-02", "date-local"),
        (b"15:04:05.999999999", "time-local"),
    ];
    if token.len() < 8 || !matches!(token[2], b':') && token.get(4) != Some(&b'-') {
        return None;
    }
    layouts.iter().find_map(|(layout, zone)| {
        let at = timeparse::parse(layout, &token).ok()?;
        Some(if zone.is_empty() { at } else { Instant { zone: Rc::from(*zone), ..at } })
    })
}
