//! Expansion of words: parameters, substitutions, arithmetic, splitting into fields.

use super::World;
use super::parse::{Part, Word};
use super::programs::glob;
use super::run::Machine;
use std::rc::Rc;

impl Machine {
    /// A word as one text.
    pub(super) fn text(&mut self, word: &Word, world: &dyn World) -> String {
        word.iter().map(|part| self.part(part, world)).collect()
    }

    /// A word as a pattern: what is quoted is taken literally.
    pub(super) fn pattern(&mut self, word: &Word, world: &dyn World) -> String {
        let mut out = String::new();
        for part in word {
            let text = self.part(part, world);
            if matches!(part, Part::Text(_, true)) {
                for c in text.chars() {
                    if matches!(c, '*' | '?' | '[' | '\\') {
                        out.push('\\');
                    }
                    out.push(c);
                }
            } else {
                out.push_str(&text);
            }
        }
        out
    }

    /// A word as the fields that it becomes.
    pub(super) fn fields(&mut self, word: &Word, world: &dyn World) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut open = false;
        for part in word {
            if let Part::Param(name, None, true) = part
                && name == "@"
            {
                for (i, arg) in self.env.args.clone().iter().enumerate() {
                    if i == 0 && open {
                        append(&mut out, arg, true);
                    } else {
                        out.push(arg.to_string());
                    }
                    open = true;
                }
                continue;
            }
            let text = self.part(part, world);
            match part {
                Part::Text(_, _) | Part::Param(_, _, true) | Part::Command(_, true) | Part::Arith(_) => {
                    append(&mut out, &text, open);
                    open = true;
                }
                Part::Param(..) | Part::Command(..) => {
                    if text.starts_with(char::is_whitespace) {
                        open = false;
                    }
                    for (i, field) in text.split_whitespace().enumerate() {
                        append(&mut out, field, open && i == 0);
                        open = true;
                    }
                    if text.ends_with(char::is_whitespace) && !text.trim().is_empty() {
                        open = false;
                    }
                }
            }
        }
        out
    }

    fn part(&mut self, part: &Part, world: &dyn World) -> String {
        match part {
            Part::Text(text, _) => text.clone(),
            Part::Param(name, operation, _) => self.parameter(name, operation.as_ref(), world),
            Part::Command(body, _) => {
                let (out, err, env) = self.nested(body, None, world);
                self.env.status = env.status;
                err.lines().for_each(|line| self.complain(line));
                out.trim_end_matches('\n').to_string()
            }
            Part::Arith(word) => {
                let text = self.text(word, world);
                match arithmetic(&text, &|name| {
                    self.env.vars.get(name).and_then(|v| v.trim().parse().ok()).unwrap_or(0)
                }) {
                    Some(n) => n.to_string(),
                    None => {
                        self.complain(&format!("{}: arithmetic syntax error", self.env.name));
                        self.leave(2);
                        String::new()
                    }
                }
            }
        }
    }

    fn parameter(&mut self, name: &str, operation: Option<&(&'static str, Word)>, world: &dyn World) -> String {
        let value: Option<String> = match name {
            "?" => Some(self.env.status.to_string()),
            "#" => Some(self.env.args.len().to_string()),
            "$" => Some("1".to_string()),
            "!" | "-" => Some(String::new()),
            "@" | "*" => Some(self.env.args.join(" ")),
            "0" => Some(self.env.name.to_string()),
            digit if digit.bytes().all(|b| b.is_ascii_digit()) => {
                digit.parse::<usize>().ok().and_then(|n| self.env.args.get(n.wrapping_sub(1))).map(|a| a.to_string())
            }
            name => self.env.vars.get(name).map(|v| v.to_string()),
        };
        let Some((operator, word)) = operation else {
            if value.is_none() && self.env.nounset {
                self.complain(&format!("{}: {name}: parameter not set", self.env.name));
                self.leave(2);
            }
            return value.unwrap_or_default();
        };
        let colon = operator.starts_with(':');
        let set = value.as_ref().is_some_and(|v| !colon || !v.is_empty());
        match *operator {
            "#len" => value.unwrap_or_default().chars().count().to_string(),
            ":-" | "-" if !set => self.text(word, world),
            ":=" | "=" if !set => {
                let text = self.text(word, world);
                self.env.vars.insert(name.into(), text.as_str().into());
                text
            }
            ":+" | "+" => {
                if set {
                    self.text(word, world)
                } else {
                    String::new()
                }
            }
            ":?" | "?" if !set => {
                let text = self.text(word, world);
                let text = if text.is_empty() { "parameter not set".to_string() } else { text };
                self.complain(&format!("{}: {name}: {text}", self.env.name));
                self.leave(2);
                String::new()
            }
            "#" | "##" | "%" | "%%" => {
                let pattern = self.text(word, world);
                trimmed(&value.unwrap_or_default(), &pattern, operator)
            }
            _ => value.unwrap_or_default(),
        }
    }
}

fn append(out: &mut Vec<String>, text: &str, open: bool) {
    match out.last_mut().filter(|_| open) {
        Some(last) => last.push_str(text),
        None => out.push(text.to_string()),
    }
}

/// `${name#pattern}` and its like.
fn trimmed(value: &str, pattern: &str, operator: &str) -> String {
    let mut cuts: Vec<usize> = value.char_indices().map(|(i, _)| i).chain([value.len()]).collect();
    let front = operator.starts_with('#');
    // The shortest match first, the longest with a doubled operator.
    if front == (operator.len() == 2) {
        cuts.reverse();
    }
    for cut in cuts {
        let (head, tail) = value.split_at(cut);
        if glob(pattern, if front { head } else { tail }) {
            return if front { tail } else { head }.to_string();
        }
    }
    value.to_string()
}

/// Whole-number arithmetic: `+ - * / %`, comparisons, `&& || !`, parentheses, variables.
pub(super) fn arithmetic(text: &str, variable: &dyn Fn(&str) -> i64) -> Option<i64> {
    let mut tokens: Vec<Rc<str>> = Vec::new();
    let chars: Vec<char> = text.chars().filter(|c| *c != '$').collect();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let from = at;
        if c.is_whitespace() {
            at += 1;
            continue;
        }
        if c.is_ascii_alphanumeric() || c == '_' {
            while chars.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_') {
                at += 1;
            }
        } else {
            let two: String = chars[at..chars.len().min(at + 2)].iter().collect();
            at += if matches!(two.as_str(), "==" | "!=" | "<=" | ">=" | "&&" | "||") { 2 } else { 1 };
        }
        tokens.push(chars[from..at].iter().collect::<String>().into());
    }
    if tokens.is_empty() {
        return Some(0);
    }
    let mut reader = Arithmetic { tokens, at: 0, depth: 0, variable };
    let value = reader.level(0)?;
    (reader.at == reader.tokens.len()).then_some(value)
}

struct Arithmetic<'a> {
    tokens: Vec<Rc<str>>,
    at: usize,
    depth: u32,
    variable: &'a dyn Fn(&str) -> i64,
}

const LEVELS: &[&[&str]] = &[&["||"], &["&&"], &["==", "!="], &["<", ">", "<=", ">="], &["+", "-"], &["*", "/", "%"]];

impl Arithmetic<'_> {
    fn level(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.tokens.get(self.at).filter(|t| operators.contains(&&***t)).cloned() {
            self.at += 1;
            let right = self.level(level + 1)?;
            left = match &*operator {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 200 {
            return None;
        }
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        match &*token {
            "-" => self.unary().map(i64::wrapping_neg),
            "+" => self.unary(),
            "!" => self.unary().map(|n| i64::from(n == 0)),
            "(" => {
                let value = self.level(0)?;
                self.at += 1;
                (self.tokens.get(self.at - 1).map(|t| &**t) == Some(")")).then_some(value)
            }
            word if word.starts_with(|c: char| c.is_ascii_digit()) => word.parse().ok(),
            word if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => Some((self.variable)(word)),
            _ => None,
        }
    }
}
