//! Markdown → block and inline trees. HTML in the source becomes plain text, links other than `https:` and `file:`
//! lose their target, so that nothing a lesson says can run in the page.

use protocol::{Block, Inline};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Nested blocks and inlines beyond this depth are dropped.
const DEPTH: usize = 64;

/// The blocks of a text.
pub fn blocks(text: &str) -> Vec<Block> {
    sections(text).into_iter().flat_map(|s| s.heading.into_iter().chain(s.body)).collect()
}

/// The inlines of a text that is one paragraph.
pub fn inlines(text: &str) -> Vec<Inline> {
    match blocks(text).into_iter().next() {
        Some(Block::Paragraph(content)) => content,
        _ => Vec::new(),
    }
}

/// A heading with its anchor, and what follows up to the next heading of any level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    /// Level, 0 before the first heading.
    pub(crate) level: u8,
    /// Anchor given as `{#name}`; empty when none.
    pub(crate) anchor: String,
    /// The heading as a block.
    pub(crate) heading: Option<Block>,
    /// The blocks below it.
    pub(crate) body: Vec<Block>,
}

/// Splits a text at its headings.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut builder = Builder { stack: vec![Open::Root(Vec::new())], sections: vec![Section::default()] };
    let options = Options::ENABLE_HEADING_ATTRIBUTES | Options::ENABLE_TABLES;
    let mut skipped = 0usize;
    for event in Parser::new_ext(text, options) {
        match &event {
            Event::Start(_) if skipped > 0 || builder.stack.len() >= DEPTH => skipped += 1,
            Event::End(_) if skipped > 0 => skipped -= 1,
            _ if skipped > 0 => {}
            _ => builder.event(event),
        }
    }
    builder.finish()
}

/// The plain text of inlines, for titles.
pub(crate) fn plain(content: &[Inline]) -> String {
    content
        .iter()
        .map(|inline| match inline {
            Inline::Text(text) | Inline::Code(text) => text.clone(),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Link { content: inner, .. } => plain(inner),
            Inline::Break => " ".to_string(),
        })
        .collect()
}

/// What is open while reading.
enum Open {
    Root(Vec<Block>),
    Heading(u8, String, Vec<Inline>),
    Paragraph(Vec<Inline>),
    List(bool, Vec<Vec<Block>>),
    Item(Vec<Block>, Vec<Inline>),
    Code(String, String),
    Quote(Vec<Block>),
    Table(Vec<Vec<Vec<Inline>>>),
    Row(Vec<Vec<Inline>>),
    Cell(Vec<Inline>),
    Strong(Vec<Inline>),
    Emphasis(Vec<Inline>),
    Link(String, Vec<Inline>),
    Other,
}

struct Builder {
    stack: Vec<Open>,
    sections: Vec<Section>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(end) => self.close(end),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => self.inline(Inline::Code(code.to_string())),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.inline(Inline::Break),
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            _ => {}
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        let open = match tag {
            Tag::Heading { level, id, .. } => {
                Open::Heading(level_number(level), id.map(|id| id.to_string()).unwrap_or_default(), Vec::new())
            }
            Tag::Paragraph => Open::Paragraph(Vec::new()),
            Tag::List(start) => Open::List(start.is_some(), Vec::new()),
            Tag::Item => Open::Item(Vec::new(), Vec::new()),
            Tag::CodeBlock(kind) => {
                let lang = match kind {
                    CodeBlockKind::Fenced(lang) => lang.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                Open::Code(lang, String::new())
            }
            Tag::BlockQuote(_) => Open::Quote(Vec::new()),
            Tag::Table(_) => Open::Table(Vec::new()),
            Tag::TableHead | Tag::TableRow => Open::Row(Vec::new()),
            Tag::TableCell => Open::Cell(Vec::new()),
            Tag::Strong => Open::Strong(Vec::new()),
            Tag::Emphasis => Open::Emphasis(Vec::new()),
            Tag::Link { dest_url, .. } => {
                let safe = dest_url.starts_with("https://") || dest_url.starts_with("file:/");
                Open::Link(if safe { dest_url.to_string() } else { String::new() }, Vec::new())
            }
            _ => Open::Other,
        };
        self.stack.push(open);
    }

    fn close(&mut self, _end: TagEnd) {
        if self.stack.len() < 2 {
            return;
        }
        let Some(open) = self.stack.pop() else { return };
        match open {
            Open::Root(_) | Open::Other => {}
            Open::Heading(level, anchor, content) => {
                let body = self.take_root();
                if let Some(last) = self.sections.last_mut() {
                    last.body = body;
                }
                let heading = Some(Block::Heading { level, content });
                self.sections.push(Section { level, anchor, heading, body: Vec::new() });
            }
            Open::Paragraph(content) => self.block(Block::Paragraph(content)),
            Open::List(ordered, items) => self.block(Block::List { ordered, items }),
            Open::Item(mut blocks, tight) => {
                if !tight.is_empty() {
                    blocks.push(Block::Paragraph(tight));
                }
                if let Some(Open::List(_, items)) = self.stack.last_mut() {
                    items.push(blocks);
                }
            }
            Open::Code(lang, text) => self.block(Block::Code { lang, text }),
            Open::Quote(blocks) => self.block(Block::Quote(blocks)),
            Open::Table(rows) => self.block(Block::Table { rows }),
            Open::Row(cells) => {
                if let Some(Open::Table(rows)) = self.stack.last_mut() {
                    rows.push(cells);
                }
            }
            Open::Cell(content) => {
                if let Some(Open::Row(cells)) = self.stack.last_mut() {
                    cells.push(content);
                }
            }
            Open::Strong(content) => self.inline(Inline::Strong(content)),
            Open::Emphasis(content) => self.inline(Inline::Emphasis(content)),
            Open::Link(href, content) if href.is_empty() => content.into_iter().for_each(|i| self.inline(i)),
            Open::Link(href, content) => self.inline(Inline::Link { href, content }),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(Open::Code(_, code)) = self.stack.last_mut() {
            code.push_str(text);
            return;
        }
        if let Some(Inline::Text(last)) = self.inline_target().and_then(|list| list.last_mut()) {
            last.push_str(text);
            return;
        }
        self.inline(Inline::Text(text.to_string()));
    }

    fn inline(&mut self, inline: Inline) {
        if let Some(list) = self.inline_target() {
            list.push(inline);
        }
    }

    fn inline_target(&mut self) -> Option<&mut Vec<Inline>> {
        match self.stack.last_mut()? {
            Open::Heading(_, _, list)
            | Open::Paragraph(list)
            | Open::Item(_, list)
            | Open::Cell(list)
            | Open::Strong(list)
            | Open::Emphasis(list)
            | Open::Link(_, list) => Some(list),
            _ => None,
        }
    }

    fn block(&mut self, block: Block) {
        match self.stack.last_mut() {
            Some(Open::Root(blocks) | Open::Quote(blocks)) => blocks.push(block),
            Some(Open::Item(blocks, tight)) => {
                // Text of a tight item that stands before a nested block is a paragraph of its own.
                if !tight.is_empty() {
                    blocks.push(Block::Paragraph(std::mem::take(tight)));
                }
                blocks.push(block);
            }
            _ => {}
        }
    }

    fn take_root(&mut self) -> Vec<Block> {
        match self.stack.first_mut() {
            Some(Open::Root(blocks)) => std::mem::take(blocks),
            _ => Vec::new(),
        }
    }

    fn finish(mut self) -> Vec<Section> {
        let body = self.take_root();
        if let Some(last) = self.sections.last_mut() {
            last.body = body;
        }
        self.sections
    }
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_a_tree() {
        let tree = blocks("A `b` **c**\nd\n\n- x\n- y\n\n```yaml\na: 1\n```\n");
        let text = |t: &str| Inline::Text(t.to_string());
        assert_eq!(
            tree,
            vec![
                Block::Paragraph(vec![
                    text("A "),
                    Inline::Code("b".into()),
                    text(" "),
                    Inline::Strong(vec![text("c")]),
                    text(" d"),
                ]),
                Block::List {
                    ordered: false,
                    items: vec![vec![Block::Paragraph(vec![text("x")])], vec![Block::Paragraph(vec![text("y")])]],
                },
                Block::Code { lang: "yaml".into(), text: "a: 1\n".into() },
            ]
        );
    }

    #[test]
    fn nothing_can_run() {
        let tree = blocks("<script>alert(1)</script>\n\n[x](javascript:alert(1)) [y](file:/root/a)");
        let text = format!("{tree:?}");
        assert!(!text.contains("href: \"javascript"), "{text}");
        assert!(text.contains("file:/root/a"), "{text}");
    }

    #[test]
    fn deep_nesting_is_cut() {
        let text = format!("{}x", "> ".repeat(5000));
        assert!(blocks(&text).len() <= 1);
    }
}
