//! Reads a shell script into a tree: lists, pipelines, compounds, words with their quoting and expansions.

use std::rc::Rc;

/// How deep compounds and expansions may nest.
const DEPTH: u32 = 40;

/// A piece of a word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// Plain text; true when quoted.
    Text(String, bool),
    /// `$name` or `${name:-word}`: name, operator and its word, quoted.
    Param(String, Option<(&'static str, Word)>, bool),
    /// `$(…)`, quoted.
    Command(Rc<Node>, bool),
    /// `$((…))`.
    Arith(Word),
}

/// A word before its expansion.
pub(super) type Word = Vec<Part>;

/// `<`, `>`, `>>`, `&` (duplicate) or `<<` (the text itself).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Redirect {
    pub(super) fd: u32,
    pub(super) kind: &'static str,
    pub(super) target: Word,
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Simple {
        assigns: Vec<(String, Word)>,
        words: Vec<Word>,
        redirects: Vec<Redirect>,
    },
    /// Two or more commands, output to input.
    Pipe(Vec<Rc<Node>>),
    Not(Rc<Node>),
    /// First command, then those behind `&&` (true) and `||`.
    AndOr(Rc<Node>, Vec<(bool, Rc<Node>)>),
    Seq(Vec<Rc<Node>>),
    /// Tests with their bodies, and the last `else`.
    If(Vec<(Rc<Node>, Rc<Node>)>, Option<Rc<Node>>),
    /// `while` (true) or `until`.
    Loop(bool, Rc<Node>, Rc<Node>),
    For(String, Option<Vec<Word>>, Rc<Node>),
    Case(Word, Vec<(Vec<Word>, Rc<Node>)>),
    /// A group with redirections, or a subshell (true).
    Group(bool, Rc<Node>, Vec<Redirect>),
    Function(String, Rc<Node>),
}

/// Reads a whole script; the error is the shell's text after `syntax error: `.
pub(super) fn parse(script: &str) -> Result<Rc<Node>, String> {
    let mut parser = Parser { text: script.chars().collect(), at: 0, depth: 0, pending: Vec::new() };
    let node = parser.list()?;
    match parser.peek() {
        None => Ok(node),
        Some(c) => Err(format!("unexpected \"{c}\"")),
    }
}

struct Parser {
    text: Vec<char>,
    at: usize,
    depth: u32,
    /// Ends of here documents whose text begins on the next line.
    pending: Vec<(String, bool)>,
}

impl Parser {
    fn rest(&self) -> &[char] {
        self.text.get(self.at..).unwrap_or(&[])
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn has(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.text.get(self.at + i) == Some(&c))
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.has(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.has("\\\n") => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    fn lines(&mut self) {
        loop {
            self.blanks();
            match self.peek() {
                Some('\n') => self.at += 1,
                _ => return,
            }
        }
    }

    /// The reserved word or brace here, if it stands alone.
    fn reserved(&self) -> Option<&'static str> {
        const WORDS: &[&str] = &[
            "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "in", "case", "esac", "{", "}",
            "!",
        ];
        WORDS.iter().copied().find(|word| {
            let next = self.text.get(self.at + word.len());
            self.has(word)
                && next.is_none_or(|c| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')' | '<' | '>'))
        })
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        self.lines();
        if self.reserved() == Some(word) || matches!(word, ")" | "(") && self.has(word) {
            self.take(word);
            return Ok(());
        }
        Err(match self.peek() {
            Some(c) => format!("unexpected \"{c}\" (expecting \"{word}\")"),
            None => format!("unexpected end of file (expecting \"{word}\")"),
        })
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Parser) -> Result<T, String>) -> Result<T, String> {
        if self.depth >= DEPTH {
            return Err("nested too deeply".to_string());
        }
        self.depth += 1;
        let out = inner(self);
        self.depth -= 1;
        out
    }

    fn list(&mut self) -> Result<Rc<Node>, String> {
        self.deeper(|p| {
            let mut items = Vec::new();
            loop {
                p.lines();
                let ends = matches!(p.reserved(), Some("then" | "elif" | "else" | "fi" | "do" | "done" | "esac" | "}"));
                if ends || p.peek().is_none_or(|c| c == ')') || p.has(";;") {
                    break;
                }
                items.push(p.and_or()?);
                p.blanks();
                match p.peek() {
                    Some('\n') => p.here_documents(&mut items),
                    Some(';') if !p.has(";;") => p.at += 1,
                    Some('&') => p.at += 1,
                    _ => break,
                }
            }
            p.lines();
            Ok(if items.len() == 1 { items.remove(0) } else { Rc::new(Node::Seq(items)) })
        })
    }

    /// Reads the texts of here documents after the line that asked for them, into its last command.
    fn here_documents(&mut self, items: &mut [Rc<Node>]) {
        self.at += 1;
        for (end, expands) in std::mem::take(&mut self.pending) {
            let mut text = String::new();
            while self.at < self.text.len() {
                let line: String = self.rest().iter().take_while(|c| **c != '\n').collect();
                self.at += line.chars().count() + 1;
                if line.trim_start_matches('\t') == end {
                    break;
                }
                text.push_str(&line);
                text.push('\n');
            }
            self.at = self.at.min(self.text.len());
            let word = match expands {
                true => self.embedded(&text, true).unwrap_or_default(),
                false => vec![Part::Text(text, true)],
            };
            if let Some(last) = items.last_mut() {
                fill_here(Rc::make_mut(last), &word);
            }
        }
    }

    fn and_or(&mut self) -> Result<Rc<Node>, String> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let and = if self.take("&&") {
                true
            } else if self.take("||") {
                false
            } else {
                break;
            };
            self.lines();
            rest.push((and, self.pipeline()?));
        }
        Ok(if rest.is_empty() { first } else { Rc::new(Node::AndOr(first, rest)) })
    }

    fn pipeline(&mut self) -> Result<Rc<Node>, String> {
        self.blanks();
        if self.reserved() == Some("!") {
            self.take("!");
            let inner = self.deeper(Parser::pipeline)?;
            return Ok(Rc::new(Node::Not(inner)));
        }
        let mut parts = vec![self.command()?];
        loop {
            self.blanks();
            if !self.has("|") || self.has("||") {
                break;
            }
            self.at += 1;
            self.lines();
            parts.push(self.command()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Rc::new(Node::Pipe(parts)) })
    }

    fn command(&mut self) -> Result<Rc<Node>, String> {
        self.blanks();
        let word = self.reserved();
        let node = match word {
            Some("if") => self.conditional()?,
            Some(word @ ("while" | "until")) => {
                self.take(word);
                let test = self.list()?;
                self.expect("do")?;
                let body = self.list()?;
                self.expect("done")?;
                Node::Loop(word == "while", test, body)
            }
            Some("for") => self.for_loop()?,
            Some("case") => self.case()?,
            Some("{") => {
                self.take("{");
                let body = self.list()?;
                self.expect("}")?;
                Node::Group(false, body, Vec::new())
            }
            Some(word) => return Err(format!("unexpected \"{word}\"")),
            None if self.take("(") => {
                let body = self.list()?;
                self.expect(")")?;
                Node::Group(true, body, Vec::new())
            }
            None => return self.simple(),
        };
        let mut redirects = Vec::new();
        self.blanks();
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
            self.blanks();
        }
        let node = Rc::new(node);
        Ok(match (&*node, redirects.is_empty()) {
            (_, true) => node,
            (Node::Group(sub, body, _), _) => Rc::new(Node::Group(*sub, body.clone(), redirects)),
            _ => Rc::new(Node::Group(false, node, redirects)),
        })
    }

    fn conditional(&mut self) -> Result<Node, String> {
        let mut arms = Vec::new();
        self.take("if");
        loop {
            let test = self.list()?;
            self.expect("then")?;
            arms.push((test, self.list()?));
            match self.reserved() {
                Some("elif") => self.take("elif"),
                _ => break,
            };
        }
        let other = if self.reserved() == Some("else") {
            self.take("else");
            Some(self.list()?)
        } else {
            None
        };
        self.expect("fi")?;
        Ok(Node::If(arms, other))
    }

    fn for_loop(&mut self) -> Result<Node, String> {
        self.take("for");
        self.blanks();
        let name = self.name();
        self.lines();
        let mut words = None;
        if self.reserved() == Some("in") {
            self.take("in");
            let mut all = Vec::new();
            self.blanks();
            while let Some(word) = self.word()? {
                all.push(word);
                self.blanks();
            }
            words = Some(all);
        }
        self.blanks();
        self.take(";");
        self.expect("do")?;
        let body = self.list()?;
        self.expect("done")?;
        Ok(Node::For(name, words, body))
    }

    fn case(&mut self) -> Result<Node, String> {
        self.take("case");
        self.blanks();
        let subject = self.word()?.unwrap_or_default();
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.lines();
            if self.reserved() == Some("esac") {
                break;
            }
            self.take("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word()?.ok_or("unexpected end of file (expecting \")\")")?);
                self.blanks();
                if !self.take("|") {
                    break;
                }
            }
            self.expect(")")?;
            arms.push((patterns, self.list()?));
            if !self.take(";;") {
                break;
            }
        }
        self.expect("esac")?;
        Ok(Node::Case(subject, arms))
    }

    fn simple(&mut self) -> Result<Rc<Node>, String> {
        let (mut assigns, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            let start = self.at;
            if words.is_empty() {
                let name = self.name();
                if !name.is_empty() && self.take("=") {
                    assigns.push((name, self.word()?.unwrap_or_default()));
                    continue;
                }
                if !name.is_empty() && assigns.is_empty() && redirects.is_empty() {
                    self.blanks();
                    if self.take("()") {
                        self.lines();
                        let body = self.deeper(Parser::command)?;
                        return Ok(Rc::new(Node::Function(name, body)));
                    }
                }
                self.at = start;
            }
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
        }
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(match self.peek() {
                Some('\n') => "unexpected newline".to_string(),
                Some(c) => format!("unexpected \"{c}\""),
                None => "unexpected end of file".to_string(),
            });
        }
        Ok(Rc::new(Node::Simple { assigns, words, redirects }))
    }

    fn name(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| c == '_' || c.is_ascii_alphabetic() || self.at > start && c.is_ascii_digit())
        {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or(&[]).iter().collect()
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, String> {
        let digits = self.rest().iter().take_while(|c| c.is_ascii_digit()).count();
        let mark = self.text.get(self.at + digits);
        if !matches!(mark, Some('<' | '>')) && !self.has("&>") {
            return Ok(None);
        }
        let number: String = self.rest().iter().take(digits).collect();
        self.at += digits;
        let both = self.take("&");
        let kind = ["<<-", "<<", ">>", ">&", "<&", ">|", ">", "<"].into_iter().find(|k| self.take(k)).unwrap_or(">");
        let fd = number.parse().unwrap_or(if kind.starts_with('<') { 0 } else { 1 });
        self.blanks();
        let quoted = matches!(self.peek(), Some('\'' | '"'));
        let target = self.word()?.ok_or("unexpected newline (expecting word)")?;
        if kind.starts_with("<<") {
            let end: String = target.iter().map(|p| if let Part::Text(t, _) = p { t.as_str() } else { "" }).collect();
            self.pending.push((end, !quoted));
            return Ok(Some(Redirect { fd, kind: "<<", target: Vec::new() }));
        }
        let kind = match kind {
            ">&" | "<&" => "&",
            ">|" => ">",
            kind => kind,
        };
        Ok(Some(Redirect { fd: if both { 3 } else { fd }, kind, target }))
    }

    /// A word, or `None` at the end of a command.
    fn word(&mut self) -> Result<Option<Word>, String> {
        let mut parts: Word = Vec::new();
        let mut plain = String::new();
        let start = self.at;
        while let Some(c) = self.peek() {
            match c {
                c if c.is_whitespace() => break,
                ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    self.at += 1;
                    let text: String = self.rest().iter().take_while(|c| **c != '\'').collect();
                    self.at += text.chars().count() + 1;
                    if self.at > self.text.len() {
                        return Err("unterminated quoted string".to_string());
                    }
                    flush(&mut parts, &mut plain, false);
                    parts.push(Part::Text(text, true));
                }
                '"' => {
                    self.at += 1;
                    flush(&mut parts, &mut plain, false);
                    self.double_quoted(&mut parts)?;
                }
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => self.at += 1,
                        Some(c) => {
                            flush(&mut parts, &mut plain, false);
                            parts.push(Part::Text(c.to_string(), true));
                            self.at += 1;
                        }
                        None => plain.push('\\'),
                    }
                }
                '$' | '`' => {
                    flush(&mut parts, &mut plain, false);
                    parts.push(self.expansion(false)?);
                }
                c => {
                    plain.push(c);
                    self.at += 1;
                }
            }
        }
        flush(&mut parts, &mut plain, false);
        Ok((self.at > start).then_some(parts))
    }

    fn double_quoted(&mut self, parts: &mut Word) -> Result<(), String> {
        // An empty pair of quotes is still a word.
        parts.push(Part::Text(String::new(), true));
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err("unterminated quoted string".to_string()),
                Some('"') => {
                    self.at += 1;
                    flush(parts, &mut text, true);
                    return Ok(());
                }
                Some('\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => {}
                        Some(c @ ('"' | '\\' | '$' | '`')) => text.push(c),
                        Some(c) => {
                            text.push('\\');
                            text.push(c);
                        }
                        None => {}
                    }
                    self.at += 1;
                }
                Some('$' | '`') => {
                    flush(parts, &mut text, true);
                    parts.push(self.expansion(true)?);
                }
                Some(c) => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
    }

    /// A text with expansions in it, as in double quotes.
    fn embedded(&mut self, text: &str, quoted: bool) -> Result<Word, String> {
        let mut inner =
            Parser { text: text.chars().chain(['"']).collect(), at: 0, depth: self.depth + 1, pending: Vec::new() };
        if inner.depth >= DEPTH {
            return Err("nested too deeply".to_string());
        }
        if !quoted {
            inner.text.pop();
            return Ok(inner.word()?.unwrap_or_default());
        }
        let text = text.replace('"', "\\\"");
        inner.text = text.chars().chain(['"']).collect();
        let mut parts = Vec::new();
        inner.double_quoted(&mut parts)?;
        Ok(parts)
    }

    fn expansion(&mut self, quoted: bool) -> Result<Part, String> {
        if self.take("`") {
            let text: String = self.rest().iter().take_while(|c| **c != '`').collect();
            self.at += text.chars().count() + 1;
            let mut inner = Parser { text: text.chars().collect(), at: 0, depth: self.depth + 1, pending: Vec::new() };
            return Ok(Part::Command(inner.list()?, quoted));
        }
        self.at += 1;
        if self.has("((") {
            let inside = self.until_closed(2)?;
            return Ok(Part::Arith(self.embedded(&inside, true)?));
        }
        if self.take("(") {
            let body = self.list()?;
            self.expect(")")?;
            return Ok(Part::Command(body, quoted));
        }
        if self.take("{") {
            let length = self.has("#") && !self.has("#}");
            self.at += usize::from(length);
            let mut name = self.name();
            if name.is_empty()
                && let Some(c) = self.peek()
            {
                name.push(c);
                self.at += 1;
            }
            let mut inside = String::new();
            let mut depth = 1;
            loop {
                let c = self.peek().ok_or("bad substitution")?;
                self.at += 1;
                depth += i32::from(c == '{') - i32::from(c == '}');
                if depth == 0 {
                    break;
                }
                inside.push(c);
            }
            if length {
                return Ok(Part::Param(name, Some(("#len", Vec::new())), quoted));
            }
            const OPERATORS: &[&str] = &[":-", ":=", ":+", ":?", "-", "=", "+", "?", "##", "#", "%%", "%"];
            let operator = OPERATORS.iter().copied().find(|op| inside.starts_with(op));
            let operation = match operator {
                Some(op) => {
                    let rest = inside[op.len()..].to_string();
                    Some((op, self.deeper(|p| p.embedded(&rest, true))?))
                }
                None if inside.is_empty() => None,
                None => return Err("bad substitution".to_string()),
            };
            return Ok(Part::Param(name, operation, quoted));
        }
        let name = self.name();
        if !name.is_empty() {
            return Ok(Part::Param(name, None, quoted));
        }
        match self.peek() {
            Some(c) if c.is_ascii_digit() || matches!(c, '?' | '#' | '@' | '*' | '$' | '!' | '-') => {
                self.at += 1;
                Ok(Part::Param(c.to_string(), None, quoted))
            }
            _ => Ok(Part::Text("$".to_string(), quoted)),
        }
    }

    /// The text between `((` and `))`.
    fn until_closed(&mut self, count: i32) -> Result<String, String> {
        let (mut out, mut depth) = (String::new(), 0);
        loop {
            let c = self.peek().ok_or("missing '))'")?;
            self.at += 1;
            depth += i32::from(c == '(') - i32::from(c == ')');
            if !(c == '(' && depth <= count && out.is_empty() || c == ')' && depth < count) {
                out.push(c);
            }
            if depth == 0 {
                return Ok(out);
            }
        }
    }
}

fn flush(parts: &mut Word, text: &mut String, quoted: bool) {
    if !text.is_empty() {
        parts.push(Part::Text(std::mem::take(text), quoted));
    }
}

/// Puts a here document's text into the first command that waits for one.
fn fill_here(node: &mut Node, word: &Word) -> bool {
    match node {
        Node::Simple { redirects, .. } | Node::Group(_, _, redirects)
            if redirects.iter().any(|r| r.kind == "<<" && r.target.is_empty()) =>
        {
            if let Some(redirect) = redirects.iter_mut().find(|r| r.kind == "<<" && r.target.is_empty()) {
                redirect.target = word.clone();
            }
            true
        }
        Node::Pipe(parts) | Node::Seq(parts) => parts.iter_mut().any(|p| fill_here(Rc::make_mut(p), word)),
        Node::Not(inner) => fill_here(Rc::make_mut(inner), word),
        Node::AndOr(first, rest) => {
            fill_here(Rc::make_mut(first), word) || rest.iter_mut().any(|(_, n)| fill_here(Rc::make_mut(n), word))
        }
        _ => false,
    }
}
