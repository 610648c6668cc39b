//! "Who set this?": the chain from the cluster back to the source, with all claims on each value.

use super::rendered::{pending, place_link};
use protocol::{ClaimView, ExplainStep, ExplainView};
use ui_state::{Action, Lang, Pending, RightTab, Shared, ago, layer, message, short, texts};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct WhoProps {
    pub(crate) lang: Lang,
    pub(crate) explain: Option<Shared<ExplainView>>,
    pub(crate) pending: Pending,
    pub(crate) now: u64,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn WhoPane(p: &WhoProps) -> Html {
    let t = texts(p.lang);
    let Some(e) = &p.explain else {
        return html! { <div class="scroll"><p class="empty" data-testid="who-empty">{ t.who_empty }</p></div> };
    };
    html! {
        <div class="scroll why" data-testid="who" aria-live="polite">
            <h2 data-testid="who-title">{ format!("{}: {}", e.title, e.value) }</h2>
            <div class="path mono">{ &e.object }{ " · " }{ &e.field }</div>
            { pending(p.lang, p.pending) }
            <ol class="chain">{ for e.steps.iter().map(|s| step(p, s)) }</ol>
            <button class="link" data-testid="back-to-rendered" onclick={p.on.reform(|_| Action::Right(RightTab::Rendered))}>{ "← " }{ t.rendered }</button>
        </div>
    }
}

fn hop(name: &str, sub: Html, link: Html) -> Html {
    html! { <div class="hop"><b>{ name }</b><span class="sub">{ sub }</span><span class="grow"></span>{ link }</div> }
}

fn step(p: &WhoProps, s: &ExplainStep) -> Html {
    let t = texts(p.lang);
    match s {
        ExplainStep::Cluster { manager, operation, at, value } => {
            let age = ago(p.now.saturating_sub(*at));
            let sub = html! { <>{ manager }{ " · " }{ operation }{ " · " }{ age }{ " · " }<code>{ value }</code></> };
            html! { <li data-hop="cluster">{ hop(t.cluster, sub, html! { <span class="lead">{ "managedFields" }</span> }) }</li> }
        }
        ExplainStep::Argo { app, text } => {
            html! { <li data-hop="argocd">{ hop(t.argocd, html! { <>{ app }{ " · " }{ message(p.lang, text) }</> }, html! {}) }</li> }
        }
        ExplainStep::Template { place, action, calls, literal } => {
            // A literal of a file that is no template is just a line of that file.
            let template = !*literal || place.file.contains("/templates/");
            let calls = calls.iter().map(|c| html! { <div class="sub">{ "← " }{ place_link(p.lang, c, &p.on) }</div> });
            html! {
                <li data-hop="template">
                    { hop(if template { t.template } else { t.manifest }, html! { <code>{ action }</code> }, place_link(p.lang, place, &p.on)) }
                    { for calls }
                </li>
            }
        }
        ExplainStep::Change { transformer, place, before, after, overridden } => {
            let link = place.as_ref().map(|at| place_link(p.lang, at, &p.on)).unwrap_or_default();
            let who = if *overridden { "Application · kustomize" } else { "kustomization" };
            let was = if before.is_empty() {
                html! {}
            } else {
                html! { <><code class="was">{ before }</code>{ " → " }</> }
            };
            let sub = html! { <>{ transformer }{ " · " }{ was }<code>{ after }</code></> };
            html! { <li data-hop="change" data-overridden={overridden.to_string()}>{ hop(who, sub, link) }</li> }
        }
        ExplainStep::Value { path, claims, .. } => {
            let table = html! { <button class="link" onclick={p.on.reform(|_| Action::Right(RightTab::Values))}>{ t.values }</button> };
            html! {
                <li data-hop="value">
                    { hop(path, html! {}, table) }
                    <table class="claims" data-testid="claims">
                        <thead class="sr"><tr><th>{ t.place }</th><th>{ t.value }</th><th>{ t.result }</th></tr></thead>
                        <tbody>{ for claims.iter().map(|c| claim(p.lang, c, &p.on)) }</tbody>
                    </table>
                </li>
            }
        }
        ExplainStep::Builtin { path, text } => {
            html! { <li data-hop="builtin">{ hop(path, html! { { message(p.lang, text) } }, html! {}) }</li> }
        }
        ExplainStep::Git { commit, subject, author, at, place } => {
            let age = ago(p.now.saturating_sub(*at));
            let sub =
                html! { <><code>{ short(commit) }</code>{ " " }{ subject }{ " · " }{ author }{ " · " }{ age }</> };
            html! { <li data-hop="git">{ hop(t.git_commit_hop, sub, place_link(p.lang, place, &p.on)) }</li> }
        }
        ExplainStep::NotInGit { place, text } => {
            let link = place.as_ref().map(|at| place_link(p.lang, at, &p.on)).unwrap_or_default();
            html! { <li data-hop="not-in-git">{ hop(t.not_in_git, html! { { message(p.lang, text) } }, link) }</li> }
        }
    }
}

/// One claim as a row: who, what, and what became of it.
pub(crate) fn claim(lang: Lang, c: &ClaimView, on: &Callback<Action>) -> Html {
    let fate = message(lang, &protocol::Message { key: c.fate.clone(), args: vec![] });
    let (name, place) = (layer(lang, &c.layer), c.place.as_ref().map(|p| place_link(lang, p, on)));
    // A values file's name is in its link already.
    let who = match place {
        Some(link) if c.layer.kind == "values-file" => link,
        Some(link) => html! { <>{ name }{ " " }{ link }</> },
        None => html! { { name } },
    };
    html! {
        <tr class={if c.won { "w" } else { "l" }} data-won={c.won.to_string()} data-layer={c.layer.kind.clone()}>
            <td>{ who }</td><td class="mono v">{ &c.value }</td><td class="fate">{ fate }</td>
        </tr>
    }
}
