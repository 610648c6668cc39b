//! Colours for one line of a rendered manifest: keys, strings, numbers, comments. Rendered YAML is regular enough for
//! a look at each line by itself; block scalars are coloured as plain text.

/// A piece of a line with its style class; empty for plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// `k` key, `s` string, `n` number or keyword, `c` comment, or empty.
    pub class: &'static str,
    /// The text.
    pub text: &'a str,
}

/// The pieces of one line; joined they are the line.
pub fn highlight(line: &str) -> Vec<Token<'_>> {
    let mut rest = line;
    let mut out = Vec::with_capacity(4);
    let lead = rest.len() - rest.trim_start_matches([' ', '-']).len();
    // `---` and `- ` leads are plain; a number such as `-1` keeps its sign.
    let lead = if rest[lead..].starts_with(|c: char| c.is_ascii_digit()) && rest[..lead].ends_with('-') {
        lead - 1
    } else {
        lead
    };
    if lead > 0 {
        out.push(Token { class: "", text: &rest[..lead] });
        rest = &rest[lead..];
    }
    if rest.starts_with('#') {
        out.push(Token { class: "c", text: rest });
        return out;
    }
    if let Some(colon) = key_end(rest) {
        out.push(Token { class: "k", text: &rest[..colon] });
        let gap = colon + 1 + (rest.len() - colon - 1 - rest[colon + 1..].trim_start().len());
        out.push(Token { class: "", text: &rest[colon..gap] });
        rest = &rest[gap..];
    }
    if !rest.is_empty() {
        out.push(Token { class: scalar(rest), text: rest });
    }
    out
}

/// Where a line's key ends: before the first `: ` or final `:` outside of quotes.
fn key_end(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = 0;
    if let Some(quote @ (b'"' | b'\'')) = bytes.first() {
        at = 1 + bytes[1..].iter().position(|b| b == quote)? + 1;
        return (bytes.get(at) == Some(&b':') && matches!(bytes.get(at + 1), None | Some(b' '))).then_some(at);
    }
    while at < bytes.len() {
        match bytes[at] {
            b':' if matches!(bytes.get(at + 1), None | Some(b' ')) => return (at > 0).then_some(at),
            b' ' if bytes.get(at + 1) == Some(&b'#') => return None,
            b'{' | b'[' if at == 0 => return None,
            _ => at += 1,
        }
    }
    None
}

fn scalar(text: &str) -> &'static str {
    let t = text.trim_end();
    match t.as_bytes().first() {
        Some(b'"' | b'\'') => "s",
        Some(b'#') => "c",
        Some(b'|' | b'>' | b'&' | b'*' | b'{' | b'[') => "",
        _ if matches!(t, "true" | "false" | "null" | "~") || is_number(t) => "n",
        _ => "s",
    }
}

/// Whether a plain scalar looks like a number: digits with at most one point, a sign, an exponent.
fn is_number(text: &str) -> bool {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (number, exponent) = body.split_once(['e', 'E']).unwrap_or((body, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    digits(whole) && (fraction.is_empty() || digits(fraction)) && digits(exponent.trim_start_matches(['-', '+']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(line: &str) -> String {
        let tokens = highlight(line);
        assert_eq!(tokens.iter().map(|t| t.text).collect::<String>(), line);
        tokens.iter().filter(|t| !t.class.is_empty()).map(|t| format!("{}={} ", t.class, t.text)).collect()
    }

    #[test]
    fn numbers_are_known() {
        for text in ["1", "-2.5", "1e3", "3."] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "-", "1.2.3", "v1", "e5", "0x1f"] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn lines() {
        assert_eq!(painted("  replicas: 3"), "k=replicas n=3 ");
        assert_eq!(painted("        - name: web"), "k=name s=web ");
        assert_eq!(painted("image: nginx:1.27-alpine"), "k=image s=nginx:1.27-alpine ");
        assert_eq!(painted("# Source: web/templates/x.yaml"), "c=# Source: web/templates/x.yaml ");
        assert_eq!(painted("\"a: b\": \"c\""), "k=\"a: b\" s=\"c\" ");
        assert_eq!(painted("wave: -1"), "k=wave n=-1 ");
        assert_eq!((painted("---"), painted(""), painted("- -1")), (String::new(), String::new(), "n=-1 ".into()));
        assert_eq!(painted("값: 한국어"), "k=값 s=한국어 ");
    }
}
