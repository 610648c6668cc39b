//! Draws a lesson's text tree. There is no way for it to hold HTML, so a lesson cannot run a script.

use protocol::{Block, Inline};
use ui_state::Action;
use yew::prelude::*;

/// Blocks one after the other. The worker caps the nesting.
pub(crate) fn blocks(list: &[Block], on: &Callback<Action>) -> Html {
    list.iter().map(|b| block(b, on)).collect()
}

fn block(b: &Block, on: &Callback<Action>) -> Html {
    match b {
        Block::Heading { level: 3, content } => html! { <h3>{ inlines(content, on) }</h3> },
        Block::Heading { content, .. } => html! { <h4>{ inlines(content, on) }</h4> },
        Block::Paragraph(content) => html! { <p>{ inlines(content, on) }</p> },
        Block::List { ordered, items } => {
            let items = items.iter().map(|i| html! { <li>{ blocks(i, on) }</li> });
            if *ordered {
                html! { <ol>{ for items }</ol> }
            } else {
                html! { <ul>{ for items }</ul> }
            }
        }
        Block::Code { text, .. } => html! { <pre class="code" tabindex="0"><code>{ text }</code></pre> },
        Block::Quote(inner) => html! { <blockquote>{ blocks(inner, on) }</blockquote> },
        Block::Table { rows } => {
            let cell = |c: &Vec<Inline>, head: bool| {
                if head {
                    html! { <th scope="col">{ inlines(c, on) }</th> }
                } else {
                    html! { <td>{ inlines(c, on) }</td> }
                }
            };
            let rows = rows.iter().enumerate().map(|(i, row)| {
                html! { <tr>{ for row.iter().map(|c| cell(c, i == 0)) }</tr> }
            });
            html! { <div class="wide"><table>{ for rows }</table></div> }
        }
    }
}

/// Running text.
pub(crate) fn inlines(list: &[Inline], on: &Callback<Action>) -> Html {
    list.iter().map(|i| inline(i, on)).collect()
}

fn inline(i: &Inline, on: &Callback<Action>) -> Html {
    match i {
        Inline::Text(text) => html! { { text } },
        Inline::Code(text) => html! { <code>{ text }</code> },
        Inline::Strong(content) => html! { <strong>{ inlines(content, on) }</strong> },
        Inline::Emphasis(content) => html! { <em>{ inlines(content, on) }</em> },
        Inline::Break => html! { <br /> },
        Inline::Link { href, content } => {
            if let Some(path) = href.strip_prefix("file:") {
                let path = path.to_owned();
                let onclick = on.reform(move |_| Action::OpenAt(path.clone(), 1, 1));
                return html! { <button class="link" {onclick}>{ inlines(content, on) }</button> };
            }
            // Only what the protocol promises becomes a link: a lesson cannot smuggle in `javascript:`.
            if !href.starts_with("https:") {
                return html! { <>{ inlines(content, on) }</> };
            }
            html! { <a href={href.clone()} target="_blank" rel="noopener noreferrer">{ inlines(content, on) }</a> }
        }
    }
}
