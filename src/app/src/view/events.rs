//! Kubernetes events, newest first.

use protocol::EventView;
use ui_state::{Lang, Shared, clock, texts};
use yew::prelude::*;

/// The most rows that are drawn: older ones are of little use and cost time at every move of the clock.
const ROWS: usize = 200;

#[derive(Properties, PartialEq)]
pub(crate) struct EventsProps {
    pub(crate) lang: Lang,
    pub(crate) events: Shared<Vec<EventView>>,
}

#[component]
pub(crate) fn EventsPane(p: &EventsProps) -> Html {
    html! { <div class="scroll">{ table(p.lang, &p.events) }</div> }
}

/// A table of events, newest first.
pub(crate) fn table(lang: Lang, events: &[EventView]) -> Html {
    let t = texts(lang);
    if events.is_empty() {
        return html! { <p class="empty">{ t.events_empty }</p> };
    }
    html! {
        <table class="grid" data-testid="events">
            <thead><tr><th>{ t.time }</th><th>{ t.reason }</th><th>{ t.object }</th><th>{ t.message }</th></tr></thead>
            <tbody>
                { for events.iter().rev().take(ROWS).map(|e| html! {
                    <tr class={(e.kind == "Warning").then_some("warn")}>
                        <td class="mono">{ clock(e.at) }</td>
                        <td>{ &e.reason }if e.count > 1 { { format!(" ×{}", e.count) } }</td>
                        <td class="mono">{ &e.object }</td><td>{ &e.message }</td>
                    </tr>
                }) }
            </tbody>
        </table>
    }
}
