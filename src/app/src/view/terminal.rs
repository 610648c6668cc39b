//! The commands that ran and what they printed.

use protocol::TerminalView;
use ui_state::{Lang, Shared, clock, texts};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct TerminalProps {
    pub(crate) lang: Lang,
    pub(crate) terminal: Shared<Vec<TerminalView>>,
}

#[component]
pub(crate) fn TerminalPane(p: &TerminalProps) -> Html {
    let t = texts(p.lang);
    let end = use_node_ref();
    use_effect_with(p.terminal.len(), {
        let end = end.clone();
        move |_| {
            if let Some(end) = end.cast::<web_sys::Element>() {
                end.set_scroll_top(end.scroll_height());
            }
        }
    });
    if p.terminal.is_empty() {
        return html! { <div class="scroll"><p class="empty">{ t.terminal_empty }</p></div> };
    }
    html! {
        <div class="scroll term mono" ref={end} role="log" tabindex="0" data-testid="terminal">
            { for p.terminal.iter().map(|c| html! {
                <div class={classes!("run", (c.code != 0).then_some("bad"))} data-code={c.code.to_string()}>
                    <div><span class="lead">{ clock(c.at) }</span>{ " $ " }<b>{ &c.command }</b></div>
                    <pre>{ &c.output }</pre>
                </div>
            }) }
        </div>
    }
}
