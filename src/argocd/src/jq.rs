//! The part of jq that `ignoreDifferences` needs: expressions that name paths. `.a`, `.a.b`, `."a"`, `.["a"]`, `[0]`,
//! `[]`, `?`, `..`, `|`, `,`, `select(…)`, comparisons, `and`, `or`, `not`, `has`, `length`, `type`, `test` with plain
//! text, `startswith`, `endswith`, `contains`, `any`, `all`, `empty`, `recurse`, `first`. Everything else is refused
//! when it is read, rather than taken for something else. Errors of the syntax are gojq's.

use base::Json;
use std::rc::Rc;

/// Nesting of an expression, and of objects below `..`.
const DEPTH: usize = 48;
/// Values that one expression may look at.
const FUEL: usize = 200_000;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A member.
    Key(Rc<str>),
    /// An element.
    Index(usize),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Identity,
    Literal(Json),
    Member(Box<Expression>, Box<Expression>),
    Each(Box<Expression>),
    Try(Box<Expression>),
    Recurse,
    Pipe(Box<Expression>, Box<Expression>),
    Comma(Box<Expression>, Box<Expression>),
    Compare(Box<Expression>, &'static str, Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Call(Rc<str>, Vec<Expression>),
}

/// Functions with the number of their arguments.
const FUNCTIONS: [(&str, usize); 17] = [
    ("select", 1),
    ("not", 0),
    ("has", 1),
    ("length", 0),
    ("type", 0),
    ("empty", 0),
    ("recurse", 0),
    ("first", 0),
    ("last", 0),
    ("startswith", 1),
    ("endswith", 1),
    ("contains", 1),
    ("test", 1),
    ("any", 1),
    ("all", 1),
    ("true", 0),
    ("false", 0),
];

/// Reads an expression that stands inside `del(…)`.
pub(crate) fn parse(text: &str) -> Result<Expression, String> {
    let mut parser = Parser { tokens: tokens(&format!("{text})"))?, at: 0, depth: 0 };
    let expression = parser.pipe()?;
    parser.expect(")")?;
    if parser.at < parser.tokens.len() {
        return Err(parser.unexpected());
    }
    Ok(expression)
}

/// The paths that the expression names in a value; `None` when it fails there, or names something that is no path.
pub(crate) fn paths(expression: &Expression, value: &Json) -> Option<Vec<Vec<Step>>> {
    let mut run = Run { fuel: FUEL };
    let found = run.eval(expression, &(Some(Vec::new()), value.clone()), 0)?;
    found.into_iter().map(|(path, _)| path).collect()
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Mark(&'static str),
    Word(Rc<str>),
    Field(Rc<str>),
    Text(Rc<str>),
    Number(Json, Rc<str>),
}

const MARKS: [&str; 19] =
    ["..", "==", "!=", "<=", ">=", "|", ",", "(", ")", "[", "]", "?", "<", ">", ":", "+", "-", "*", "."];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut rest = text;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    'next: loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return Ok(out) };
        if let Some(after) = rest.strip_prefix('.')
            && after.starts_with(|c: char| word(c) && !c.is_ascii_digit())
        {
            let end = after.find(|c| !word(c)).unwrap_or(after.len());
            out.push(Token::Field(after[..end].into()));
            rest = &after[end..];
            continue;
        }
        if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number =
                rest[..end].parse().map(Json::Int).map_err(|_| format!("unexpected token {:?}", &rest[..end]))?;
            out.push(Token::Number(number, rest[..end].into()));
            rest = &rest[end..];
            continue;
        }
        if word(first) {
            let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
            out.push(Token::Word(rest[..end].into()));
            rest = &rest[end..];
            continue;
        }
        if let Some(after) = rest.strip_prefix('"') {
            let (mut text, mut chars) = (String::new(), after.char_indices());
            while let Some((at, c)) = chars.next() {
                match c {
                    '"' => {
                        out.push(Token::Text(text.into()));
                        rest = &after[at + 1..];
                        continue 'next;
                    }
                    '\\' => match chars.next() {
                        Some((_, 'n')) => text.push('\n'),
                        Some((_, 't')) => text.push('\t'),
                        Some((_, '(')) => return Err("jq: string interpolation is not simulated yet".to_string()),
                        Some((_, c)) => text.push(c),
                        None => break,
                    },
                    c => text.push(c),
                }
            }
            return Err("unterminated string literal".to_string());
        }
        match MARKS.iter().find(|m| rest.starts_with(**m)) {
            Some(mark) => {
                out.push(Token::Mark(mark));
                rest = &rest[mark.len()..];
            }
            None => return Err(format!("unexpected token {:?}", first.to_string())),
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn unexpected(&self) -> String {
        let shown = match self.tokens.get(self.at) {
            None => return "unexpected EOF".to_string(),
            Some(Token::Mark(m)) => (*m).to_string(),
            Some(Token::Word(w)) => w.to_string(),
            Some(Token::Field(f)) => format!(".{f}"),
            Some(Token::Text(t)) => t.to_string(),
            Some(Token::Number(_, n)) => n.to_string(),
        };
        format!("unexpected token {shown:?}")
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Mark(m)) if *m == mark);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Word(w)) if **w == *word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: &str) -> Result<(), String> {
        if self.take(mark) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn pipe(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("jq: expression is nested too deeply".to_string());
        }
        let mut left = self.comma()?;
        while self.take("|") {
            left = Expression::Pipe(Box::new(left), Box::new(self.comma()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn comma(&mut self) -> Result<Expression, String> {
        let mut left = self.or()?;
        while self.take(",") {
            left = Expression::Comma(Box::new(left), Box::new(self.or()?));
        }
        Ok(left)
    }

    fn or(&mut self) -> Result<Expression, String> {
        let mut left = self.and()?;
        while self.take_word("or") {
            left = Expression::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expression, String> {
        let mut left = self.comparison()?;
        while self.take_word("and") {
            left = Expression::And(Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Expression, String> {
        let left = self.postfix()?;
        for operator in ["==", "!=", "<=", ">=", "<", ">"] {
            if self.take(operator) {
                return Ok(Expression::Compare(Box::new(left), operator, Box::new(self.postfix()?)));
            }
        }
        Ok(left)
    }

    fn postfix(&mut self) -> Result<Expression, String> {
        let mut base = self.primary()?;
        loop {
            if let Some(Token::Field(name)) = self.tokens.get(self.at).cloned() {
                self.at += 1;
                base = member(base, Json::Str(name));
            } else if self.take("[") {
                base = self.index(base)?;
            } else if self.take("?") {
                base = Expression::Try(Box::new(base));
            } else if self.take(".") {
                // `.a."b"` and `.a.["b"]`
                if let Some(Token::Text(name)) = self.tokens.get(self.at).cloned() {
                    self.at += 1;
                    base = member(base, Json::Str(name));
                } else {
                    self.expect("[")?;
                    base = self.index(base)?;
                }
            } else {
                return Ok(base);
            }
        }
    }

    /// What follows `[`.
    fn index(&mut self, base: Expression) -> Result<Expression, String> {
        if self.take("]") {
            return Ok(Expression::Each(Box::new(base)));
        }
        let negative = self.take("-");
        let key = match self.tokens.get(self.at).cloned() {
            Some(Token::Number(Json::Int(n), _)) => Expression::Literal(Json::Int(if negative { -n } else { n })),
            Some(Token::Text(text)) if !negative => Expression::Literal(Json::Str(text)),
            Some(Token::Mark(")" | "]") | Token::Word(_)) | None => return Err(self.unexpected()),
            Some(_) => return Err("jq: computed indices and slices are not simulated yet".to_string()),
        };
        self.at += 1;
        if matches!(self.tokens.get(self.at), Some(Token::Mark(":"))) {
            return Err("jq: slices are not simulated yet".to_string());
        }
        self.expect("]")?;
        Ok(Expression::Member(Box::new(base), Box::new(key)))
    }

    fn primary(&mut self) -> Result<Expression, String> {
        let Some(token) = self.tokens.get(self.at).cloned() else { return Err(self.unexpected()) };
        self.at += 1;
        match token {
            Token::Field(name) => Ok(member(Expression::Identity, Json::Str(name))),
            Token::Mark("..") => Ok(Expression::Recurse),
            Token::Mark(".") => match self.tokens.get(self.at).cloned() {
                Some(Token::Text(name)) => {
                    self.at += 1;
                    Ok(member(Expression::Identity, Json::Str(name)))
                }
                _ => Ok(Expression::Identity),
            },
            Token::Mark("(") => {
                let inner = self.pipe()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Text(text) => Ok(Expression::Literal(Json::Str(text))),
            Token::Number(number, _) => Ok(Expression::Literal(number)),
            Token::Word(name) => self.call(name),
            Token::Mark(_) => {
                self.at -= 1;
                Err(self.unexpected())
            }
        }
    }

    fn call(&mut self, name: Rc<str>) -> Result<Expression, String> {
        if &*name == "null" {
            return Ok(Expression::Literal(Json::Null));
        }
        let mut arguments = Vec::new();
        if self.take("(") {
            arguments.push(self.pipe()?);
            self.expect(")")?;
        }
        if FUNCTIONS.iter().any(|(n, count)| **n == *name && *count == arguments.len()) {
            return Ok(Expression::Call(name, arguments));
        }
        Err(format!("jq: {name}/{} is not simulated yet", arguments.len()))
    }
}

fn member(base: Expression, key: Json) -> Expression {
    Expression::Member(Box::new(base), Box::new(Expression::Literal(key)))
}

type Found = (Option<Vec<Step>>, Json);

struct Run {
    fuel: usize,
}

impl Run {
    /// The values, with their paths where they have some; `None` for an error of the expression.
    fn eval(&mut self, expression: &Expression, input: &Found, depth: usize) -> Option<Vec<Found>> {
        self.fuel = self.fuel.checked_sub(1)?;
        if depth > DEPTH {
            return None;
        }
        let plain = |value: Json| Some(vec![(None, value)]);
        match expression {
            Expression::Identity => Some(vec![input.clone()]),
            Expression::Literal(value) => plain(value.clone()),
            Expression::Try(inner) => Some(self.eval(inner, input, depth + 1).unwrap_or_default()),
            Expression::Pipe(a, b) => {
                let mut out = Vec::new();
                for found in self.eval(a, input, depth + 1)? {
                    out.extend(self.eval(b, &found, depth + 1)?);
                }
                Some(out)
            }
            Expression::Comma(a, b) => {
                let mut out = self.eval(a, input, depth + 1)?;
                out.extend(self.eval(b, input, depth + 1)?);
                Some(out)
            }
            Expression::Member(base, key) => {
                let Expression::Literal(key) = &**key else { return None };
                self.eval(base, input, depth + 1)?.iter().map(|found| step(found, key)).collect()
            }
            Expression::Each(base) => {
                let mut out = Vec::new();
                for found in self.eval(base, input, depth + 1)? {
                    out.extend(children(&found)?);
                }
                Some(out)
            }
            Expression::Recurse => {
                let mut out = Vec::new();
                self.descend(input, &mut out, 0)?;
                Some(out)
            }
            Expression::Compare(a, operator, b) => {
                let (left, right) = (self.eval(a, input, depth + 1)?, self.eval(b, input, depth + 1)?);
                let mut out = Vec::new();
                for (_, r) in &right {
                    for (_, l) in &left {
                        out.push((None, Json::Bool(compare(l, operator, r)?)));
                    }
                }
                Some(out)
            }
            Expression::And(a, b) | Expression::Or(a, b) => {
                let stop = matches!(expression, Expression::Or(..));
                let mut out = Vec::new();
                for (_, left) in self.eval(a, input, depth + 1)? {
                    if truth(&left) == stop {
                        out.push((None, Json::Bool(stop)));
                        continue;
                    }
                    let right = self.eval(b, input, depth + 1)?;
                    out.extend(right.iter().map(|(_, r)| (None, Json::Bool(truth(r)))));
                }
                Some(out)
            }
            Expression::Call(name, arguments) => self.call(name, arguments.first(), input, depth),
        }
    }

    fn call(&mut self, name: &str, argument: Option<&Expression>, input: &Found, depth: usize) -> Option<Vec<Found>> {
        let value = &input.1;
        let plain = |value: Json| Some(vec![(None, value)]);
        match (name, argument) {
            ("true", _) => plain(Json::Bool(true)),
            ("false", _) => plain(Json::Bool(false)),
            ("empty", _) => Some(Vec::new()),
            ("not", _) => plain(Json::Bool(!truth(value))),
            ("recurse", _) => self.eval(&Expression::Recurse, input, depth + 1),
            ("first", _) => Some(vec![step(input, &Json::Int(0))?]),
            ("last", _) => Some(vec![step(input, &Json::Int(-1))?]),
            ("length", _) => plain(Json::Int(match value {
                Json::Null => 0,
                Json::Str(s) => i64::try_from(s.chars().count()).ok()?,
                Json::List(l) => i64::try_from(l.len()).ok()?,
                Json::Map(m) => i64::try_from(m.len()).ok()?,
                _ => return None,
            })),
            ("type", _) => plain(Json::from(kind(value))),
            ("select", Some(condition)) => {
                let kept = self.eval(condition, input, depth + 1)?;
                Some(kept.iter().filter(|(_, v)| truth(v)).map(|_| input.clone()).collect())
            }
            ("any" | "all", Some(condition)) => {
                let mut found = name == "all";
                for child in children(input)? {
                    let holds = self.eval(condition, &child, depth + 1)?.iter().any(|(_, v)| truth(v));
                    found = if name == "all" { found && holds } else { found || holds };
                }
                plain(Json::Bool(found))
            }
            (_, Some(argument)) => {
                let mut out = Vec::new();
                for (_, with) in self.eval(argument, input, depth + 1)? {
                    out.push((None, Json::Bool(ask(name, value, &with)?)));
                }
                Some(out)
            }
            _ => None,
        }
    }

    fn descend(&mut self, found: &Found, out: &mut Vec<Found>, depth: usize) -> Option<()> {
        self.fuel = self.fuel.checked_sub(1)?;
        if depth > DEPTH {
            return None;
        }
        out.push(found.clone());
        for child in children(found).unwrap_or_default() {
            self.descend(&child, out, depth + 1)?;
        }
        Some(())
    }
}

fn below(path: &Option<Vec<Step>>, step: Step) -> Option<Vec<Step>> {
    path.as_ref().map(|p| p.iter().cloned().chain([step]).collect())
}

fn step(found: &Found, key: &Json) -> Option<Found> {
    let (path, value) = found;
    match (value, key) {
        (Json::Null | Json::Map(_), Json::Str(name)) => {
            Some((below(path, Step::Key(name.clone())), value.get(name).cloned().unwrap_or_default()))
        }
        (Json::Null, Json::Int(n)) => Some((below(path, Step::Index(usize::try_from(*n).ok()?)), Json::Null)),
        (Json::List(items), Json::Int(n)) => {
            let index =
                if *n < 0 { items.len().checked_sub(usize::try_from(-*n).ok()?) } else { usize::try_from(*n).ok() };
            let index = index.unwrap_or(usize::MAX);
            Some((below(path, Step::Index(index)), items.get(index).cloned().unwrap_or_default()))
        }
        _ => None,
    }
}

fn children(found: &Found) -> Option<Vec<Found>> {
    let (path, value) = found;
    match value {
        Json::List(items) => {
            Some(items.iter().enumerate().map(|(i, v)| (below(path, Step::Index(i)), v.clone())).collect())
        }
        Json::Map(members) => {
            Some(members.iter().map(|(k, v)| (below(path, Step::Key(k.clone())), v.clone())).collect())
        }
        _ => None,
    }
}

fn truth(value: &Json) -> bool {
    !matches!(value, Json::Null | Json::Bool(false))
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Int(_) | Json::Float(_) => "number",
        Json::Str(_) => "string",
        Json::List(_) => "array",
        Json::Map(_) => "object",
    }
}

fn compare(left: &Json, operator: &str, right: &Json) -> Option<bool> {
    let order = || match (left, right) {
        (Json::Int(a), Json::Int(b)) => Some(a.cmp(b)),
        (Json::Str(a), Json::Str(b)) => Some(a.cmp(b)),
        _ => None,
    };
    Some(match operator {
        "==" => left == right,
        "!=" => left != right,
        "<" => order()?.is_lt(),
        ">" => order()?.is_gt(),
        "<=" => order()?.is_le(),
        _ => order()?.is_ge(),
    })
}

fn ask(name: &str, value: &Json, with: &Json) -> Option<bool> {
    match (name, value, with) {
        ("has", Json::Map(members), Json::Str(key)) => Some(members.contains_key(key)),
        ("has", Json::List(items), Json::Int(n)) => Some(usize::try_from(*n).is_ok_and(|n| n < items.len())),
        ("startswith", Json::Str(text), Json::Str(part)) => Some(text.starts_with(&**part)),
        ("endswith", Json::Str(text), Json::Str(part)) => Some(text.ends_with(&**part)),
        ("contains", Json::Str(text), Json::Str(part)) => Some(text.contains(&**part)),
        ("test", Json::Str(text), Json::Str(pattern)) => plain_pattern(text, pattern),
        _ => None,
    }
}

/// A regular expression that is plain text with optional anchors; anything more fails, so that its rule is skipped.
fn plain_pattern(text: &str, pattern: &str) -> Option<bool> {
    let (pattern, start) = pattern.strip_prefix('^').map_or((pattern, false), |p| (p, true));
    let (pattern, end) = pattern.strip_suffix('$').map_or((pattern, false), |p| (p, true));
    if pattern.contains(['.', '*', '+', '?', '[', ']', '(', ')', '{', '}', '|', '\\', '^', '$']) {
        return None;
    }
    Some(match (start, end) {
        (true, true) => text == pattern,
        (true, false) => text.starts_with(pattern),
        (false, true) => text.ends_with(pattern),
        (false, false) => text.contains(pattern),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(expression: &str, value: &str) -> Option<Vec<String>> {
        let found = paths(&parse(expression).unwrap(), &Json::parse(value).unwrap())?;
        let text = |path: &Vec<Step>| {
            let parts = path.iter().map(|s| match s {
                Step::Key(key) => key.to_string(),
                Step::Index(i) => i.to_string(),
            });
            parts.collect::<Vec<_>>().join("/")
        };
        Some(found.iter().map(text).collect())
    }

    const POD: &str = r#"{"spec":{"c":[{"name":"web","env":[{"name":"A"},{"name":"B"}]},{"name":"x"}],"a.b":1}}"#;

    #[test]
    fn paths_of_selected_elements() {
        let one = r#".spec.c[] | select(.name == "web") | .env[] | select(.name == "A" or .name == "Z")"#;
        assert_eq!(shown(one, POD).unwrap(), ["spec/c/0/env/0"]);
        assert_eq!(shown(".spec.c[1].name, .spec[\"a.b\"]", POD).unwrap(), ["spec/c/1/name", "spec/a.b"]);
        assert_eq!(shown(".spec.c[]?.env[0]?", POD).unwrap(), ["spec/c/0/env/0", "spec/c/1/env/0"]);
        assert_eq!(shown(".. | select(type == \"object\" and has(\"env\"))", POD).unwrap(), ["spec/c/0"]);
        assert_eq!(shown(".spec[]", r#"{"spec":3}"#), None);
        assert_eq!(shown(".spec | length", POD), None);
    }

    #[test]
    fn syntax_errors_are_gojqs() {
        assert_eq!(parse(".spec.replicas[").unwrap_err(), "unexpected token \")\"");
        assert_eq!(parse("(.a").unwrap_err(), "unexpected EOF");
        assert_eq!(parse(".a | ltrimstr(\"x\")").unwrap_err(), "jq: ltrimstr/1 is not simulated yet");
        assert!(parse(&"(".repeat(10_000)).is_err());
    }
}
