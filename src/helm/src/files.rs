//! `.Files` (Helm's `pkg/engine/files.go`): the chart's other files by name, with `Get`, `GetBytes`, `Glob`, `AsConfig`,
//! `AsSecrets` and `Lines`. Globs are those of gobwas/glob with `/` as the separator.

use crate::objects;
use base::Json;
use base64::Engine;
use gotmpl::{Call, Func, FuncError, Outcome, Param, Value};

/// The methods of `.Files`.
pub(crate) const METHODS: &[Func] = &[
    Func::new("Get", &[Param::Str], get),
    Func::new("GetBytes", &[Param::Str], get_bytes),
    Func::new("Glob", &[Param::Str], glob),
    Func::new("AsConfig", &[], as_config),
    Func::new("AsSecrets", &[], as_secrets),
    Func::new("Lines", &[Param::Str], lines),
];

fn find(call: &Call<'_>, args: &[Value]) -> Vec<u8> {
    let found = args[0].as_map().and_then(|id| call.heap.get(id, call.heap.bytes(args[1])));
    found.map(|value| call.heap.bytes(value).to_vec()).unwrap_or_default()
}

fn get(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let bytes = find(call, args);
    Ok(call.heap.str(bytes).into())
}

fn get_bytes(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let bytes = find(call, args);
    Ok(call.heap.byte_slice(bytes).into())
}

fn glob(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let pattern = Glob::compile(&call.heap.lossy(args[1]));
    let entries = args[0].as_map().map(|id| call.heap.entries(id)).unwrap_or_default();
    call.heap.spend(entries.len() as u64)?;
    let hits = entries
        .iter()
        .filter(|(key, _)| pattern.as_ref().is_none_or(|pattern| pattern.matches(&String::from_utf8_lossy(key))));
    let hits = hits.cloned().collect();
    Ok(objects::files_of(call.heap, hits).into())
}

fn as_map(call: &mut Call<'_>, args: &[Value], text: fn(&[u8]) -> String) -> Result<Outcome, FuncError> {
    let entries = args[0].as_map().map(|id| call.heap.entries(id)).unwrap_or_default();
    let members = entries.iter().map(|(key, value)| {
        let key = String::from_utf8_lossy(key).into_owned();
        let base = key.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_string();
        (base, Json::str(text(call.heap.bytes(*value))))
    });
    let yaml = yaml::emit_v2(&Json::map(members));
    let yaml = yaml.strip_suffix('\n').unwrap_or(&yaml).to_string();
    Ok(call.heap.str(yaml).into())
}

fn as_config(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    as_map(call, args, |bytes| String::from_utf8_lossy(bytes).into_owned())
}

fn as_secrets(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    as_map(call, args, |bytes| base64::engine::general_purpose::STANDARD.encode(bytes))
}

fn lines(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let v4 = call.host_as::<crate::funcs::RenderHost>().is_some_and(|host| host.version.is_v4());
    let exists = args[0].as_map().and_then(|id| call.heap.get(id, call.heap.bytes(args[1]))).is_some();
    let bytes = find(call, args);
    if bytes.is_empty() {
        if v4 && exists {
            return Err(FuncError::Panic("runtime error: index out of range [-1]".to_string()));
        }
        return Ok(call.heap.strings(Vec::<Vec<u8>>::new()).into());
    }
    let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let list: Vec<Vec<u8>> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    Ok(call.heap.strings(list).into())
}

/// A compiled glob.
#[derive(Debug, PartialEq)]
struct Glob {
    /// Alternatives of braces are multiplied out.
    patterns: Vec<Vec<Token>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Star,
    /// `**`
    Super,
    /// `[…]`: ranges, and whether it is negated.
    Class(Vec<(char, char)>, bool),
}

/// Most patterns that braces may multiply out to.
const ALTERNATIVES: usize = 1024;

impl Glob {
    /// `None` for a pattern that the library refuses: Helm then takes every file.
    fn compile(text: &str) -> Option<Glob> {
        let chars: Vec<char> = text.chars().collect();
        let mut at = 0;
        let patterns = alternatives(&chars, &mut at, 0)?;
        (at == chars.len()).then_some(Glob { patterns })
    }

    fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        self.patterns.iter().any(|pattern| fits(pattern, &name))
    }
}

/// Reads a sequence up to the end, or up to `,` or `}` inside braces.
fn alternatives(chars: &[char], at: &mut usize, depth: usize) -> Option<Vec<Vec<Token>>> {
    let mut all: Vec<Vec<Token>> = vec![Vec::new()];
    let push = |all: &mut Vec<Vec<Token>>, token: Token| all.iter_mut().for_each(|p| p.push(token.clone()));
    while let Some(&c) = chars.get(*at) {
        match c {
            '\\' => {
                *at += 1;
                push(&mut all, Token::Char(*chars.get(*at)?));
            }
            '?' => push(&mut all, Token::One),
            '*' => {
                let double = chars.get(*at + 1) == Some(&'*');
                *at += usize::from(double);
                push(&mut all, if double { Token::Super } else { Token::Star });
            }
            '[' => {
                let class = class(chars, at)?;
                push(&mut all, class);
                continue;
            }
            '{' => {
                if depth > 16 {
                    return None;
                }
                *at += 1;
                let mut inner = Vec::new();
                loop {
                    inner.extend(alternatives(chars, at, depth + 1)?);
                    match chars.get(*at) {
                        Some(',') => *at += 1,
                        Some('}') => break,
                        // Unclosed braces compile, and match nothing.
                        _ => return Some(Vec::new()),
                    }
                }
                if all.len() * inner.len() > ALTERNATIVES {
                    return None;
                }
                all = all
                    .iter()
                    .flat_map(|head| inner.iter().map(move |tail| [head.as_slice(), tail.as_slice()].concat()))
                    .collect();
            }
            ',' | '}' if depth > 0 => return Some(all),
            _ => push(&mut all, Token::Char(c)),
        }
        *at += 1;
    }
    Some(all)
}

fn class(chars: &[char], at: &mut usize) -> Option<Token> {
    *at += 1;
    let negated = chars.get(*at) == Some(&'!');
    *at += usize::from(negated);
    let mut ranges = Vec::new();
    loop {
        let mut c = *chars.get(*at)?;
        if c == ']' {
            *at += 1;
            return (!ranges.is_empty()).then_some(Token::Class(ranges, negated));
        }
        if c == '\\' {
            *at += 1;
            c = *chars.get(*at)?;
        }
        *at += 1;
        if chars.get(*at) == Some(&'-') && chars.get(*at + 1).is_some_and(|next| *next != ']') {
            let high = chars[*at + 1];
            *at += 2;
            if high < c {
                return None;
            }
            ranges.push((c, high));
        } else {
            ranges.push((c, c));
        }
    }
}

/// Dynamic programming over the name: linear memory, no backtracking.
fn fits(pattern: &[Token], name: &[char]) -> bool {
    let mut reach = vec![false; name.len() + 1];
    reach[0] = true;
    for token in pattern {
        let mut next = vec![false; name.len() + 1];
        match token {
            Token::Star | Token::Super => {
                for i in 0..=name.len() {
                    let goes_on = i > 0 && next[i - 1] && (*token == Token::Super || name[i - 1] != '/');
                    next[i] = reach[i] || goes_on;
                }
            }
            _ => {
                for (i, &c) in name.iter().enumerate() {
                    let hit = match token {
                        Token::Char(want) => c == *want,
                        Token::One => c != '/',
                        Token::Class(ranges, negated) => {
                            ranges.iter().any(|(low, high)| *low <= c && c <= *high) != *negated
                        }
                        Token::Star | Token::Super => false,
                    };
                    next[i + 1] = reach[i] && hit;
                }
            }
        }
        reach = next;
    }
    reach[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        let fits = |pattern: &str, name: &str| Glob::compile(pattern).is_none_or(|glob| glob.matches(name));
        assert!(fits("config/*.yaml", "config/a.yaml"));
        assert!(!fits("config/*", "config/a/b.yaml"));
        assert!(fits("**.yaml", "config/a/b.yaml"));
        assert!(fits("{a,b}/*.txt", "b/x.txt"));
        assert!(fits("[!a]x", "bx") && !fits("[!a]x", "ax"));
        assert!(fits("[", "anything") && !fits("{a", "a"));
    }
}
