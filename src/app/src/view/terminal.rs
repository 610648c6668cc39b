//! The commands that ran and what they printed, and a line to type at.

use protocol::{Command, TerminalView};
use ui_state::{Action, Lang, Shared, clock, message, texts};
use wasm_bindgen::JsCast;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct TerminalProps {
    pub(crate) lang: Lang,
    pub(crate) terminal: Shared<Vec<TerminalView>>,
    pub(crate) on: Callback<Action>,
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
    html! {
        <div class="terminal">
            <div class="scroll term mono" ref={end} role="log" tabindex="0" data-testid="terminal">
                if p.terminal.is_empty() { <p class="empty">{ t.terminal_empty }</p> }
                { for p.terminal.iter().map(|c| html! {
                    <div class={classes!("run", (c.code != 0).then_some("bad"))} data-code={c.code.to_string()}>
                        <div><span class="lead">{ clock(c.at) }</span>{ " $ " }<b>{ &c.command }</b></div>
                        <pre>{ &c.output }</pre>
                        if let Some(note) = &c.note { <div class="lead">{ message(p.lang, note) }</div> }
                    </div>
                }) }
            </div>
            <Prompt lang={p.lang} terminal={p.terminal.clone()} on={p.on.clone()} />
        </div>
    }
}

/// The line to type at. Up and down go through what ran before.
#[component]
fn Prompt(p: &TerminalProps) -> Html {
    let t = texts(p.lang);
    let back = use_mut_ref(|| 0_usize);
    let onkeydown = {
        let (on, terminal) = (p.on.clone(), p.terminal.clone());
        Callback::from(move |e: KeyboardEvent| {
            let Some(input) = e.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok()) else { return };
            let mut at = back.borrow_mut();
            match e.key().as_str() {
                "Enter" if !e.is_composing() => {
                    let line = input.value().trim().to_owned();
                    if !line.is_empty() {
                        *at = 0;
                        input.set_value("");
                        on.emit(Action::Run(Command::Line { line }));
                    }
                }
                key @ ("ArrowUp" | "ArrowDown") => {
                    let next = if key == "ArrowUp" { *at + 1 } else { at.saturating_sub(1) };
                    let line = if next == 0 {
                        Some("")
                    } else {
                        terminal.iter().rev().nth(next - 1).map(|c| c.command.as_str())
                    };
                    if let Some(line) = line {
                        *at = next;
                        input.set_value(line);
                    }
                    e.prevent_default();
                }
                _ => {}
            }
        })
    };
    html! {
        <label class="prompt mono"><span aria-hidden="true">{ "$" }</span>
            <input type="text" data-testid="prompt" aria-label={t.prompt} placeholder={t.prompt} spellcheck="false" autocapitalize="off"
                autocomplete="off" {onkeydown} />
        </label>
    }
}
