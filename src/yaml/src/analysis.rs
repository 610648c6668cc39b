//! What styles a text may be written in: the questions libyaml asks before it writes a scalar.

/// The answers for one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Analysis {
    /// It contains a line break of any kind.
    pub(crate) multiline: bool,
    /// It may stand without quotes outside of flow collections.
    pub(crate) plain: bool,
    /// It may stand in single quotes.
    pub(crate) single: bool,
    /// It may stand as a literal block.
    pub(crate) block: bool,
}

/// The line breaks of YAML 1.1.
pub(crate) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What libyaml prints without an escape. Tabs and everything beyond U+FFFF are not among it.
pub(crate) fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{A0}'..='\u{FFFD}') && c != '\u{FEFF}'
}

/// Looks at `text` once. `tabs_in_blocks` is the one point where v3 differs: it lets tabs into literal blocks.
pub(crate) fn analyze(text: &str, tabs_in_blocks: bool) -> Analysis {
    let bytes = text.as_bytes();
    let (Some(&first), Some(last)) = (bytes.first(), text.chars().next_back()) else {
        return Analysis { multiline: false, plain: true, single: true, block: false };
    };
    let first_char = text.chars().next().unwrap_or(' ');
    let mut indicators = text.starts_with("---") || text.starts_with("...");
    let (mut breaks, mut special, mut tab) = (false, false, false);
    let (mut break_space, mut space_break) = (false, false);
    let (mut after_space, mut after_break, mut after_blank) = (false, false, true);
    let blank_or_end = |i: usize| matches!(bytes.get(i), None | Some(b' ' | b'\t'));
    indicators |= match first {
        b'#' | b',' | b'[' | b']' | b'{' | b'}' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%' | b'@'
        | b'`' => true,
        b'?' | b':' | b'-' => blank_or_end(1),
        _ => false,
    };
    for (i, c) in text.char_indices() {
        match c {
            ' ' => {
                break_space |= after_break;
                (after_space, after_break, after_blank) = (true, false, true);
                continue;
            }
            ':' => indicators |= blank_or_end(i + 1),
            '#' => indicators |= after_blank,
            'a'..='z' | 'A'..='Z' | '0'..='9' => {}
            '\t' if tabs_in_blocks => tab = true,
            c => {
                special |= !is_printable(c);
                if is_break(c) {
                    breaks = true;
                    space_break |= after_space;
                    (after_space, after_break, after_blank) = (false, true, true);
                    continue;
                }
            }
        }
        (after_space, after_break) = (false, false);
        after_blank = matches!(c, '\t' | '\0');
    }
    let edge = |c: char| c == ' ' || is_break(c);
    let bad_inside = break_space || space_break || special || tab;
    Analysis {
        multiline: breaks,
        plain: !(indicators || breaks || bad_inside || edge(first_char) || edge(last)),
        single: !bad_inside,
        block: !(last == ' ' || space_break || special),
    }
}
