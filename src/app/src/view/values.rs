//! The table of all values: effective value, who decided it, who else claimed it.

use protocol::{ValueRow, ValuesView};
use ui_state::{Action, Lang, Shared, layer, texts};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct ValuesProps {
    pub(crate) lang: Lang,
    pub(crate) values: Option<Shared<ValuesView>>,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn ValuesPane(p: &ValuesProps) -> Html {
    let t = texts(p.lang);
    let Some(values) = p.values.as_ref().filter(|v| !v.rows.is_empty()) else {
        return html! { <div class="scroll"><p class="empty">{ t.values_empty }</p></div> };
    };
    html! {
        <div class="scroll">
            <table class="grid" data-testid="values">
                <thead><tr><th>{ t.key }</th><th>{ t.value }</th><th>{ t.decided_by }</th><th>{ t.also_set_by }</th></tr></thead>
                <tbody>{ for values.rows.iter().map(|r| row(p, r)) }</tbody>
            </table>
        </div>
    }
}

fn row(p: &ValuesProps, r: &ValueRow) -> Html {
    let t = texts(p.lang);
    let winner = r.claims.iter().find(|c| c.won);
    let jump = winner
        .and_then(|c| c.place.clone())
        .map(|at| p.on.reform(move |_| Action::OpenAt(at.file.clone(), at.line, at.col)));
    let who = winner.map(|c| layer(p.lang, &c.layer)).unwrap_or_default();
    html! {
        <tr key={r.path.clone()} data-testid={format!("value-{}", r.path)}>
            <td class="mono">
                { &r.path }
                if !r.used { <span class="lead" title={t.unused}>{ " ∅" }</span> }
            </td>
            <td class="mono v">{ &r.value }</td>
            <td class="w">
                if let Some(onclick) = jump { <button class="link" {onclick}>{ who }</button> } else { { who } }
            </td>
            <td class="lead">
                { for r.claims.iter().filter(|c| !c.won).map(|c| html! { <div>{ layer(p.lang, &c.layer) }{ ": " }<s class="mono">{ &c.value }</s></div> }) }
            </td>
        </tr>
    }
}
