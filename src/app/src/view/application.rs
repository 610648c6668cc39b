//! The Application card: the three statuses, the operation's message, conditions in Argo CD's words, resources, history.

use super::status::badge;
use protocol::{AppView, Command, ObjectView};
use ui_state::{Action, Lang, Shared, clock, fill, message, short, texts};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct AppProps {
    pub(crate) lang: Lang,
    pub(crate) apps: Shared<Vec<AppView>>,
    /// The Application on show; all of them when empty.
    pub(crate) app: String,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn AppPane(p: &AppProps) -> Html {
    let t = texts(p.lang);
    if p.apps.is_empty() {
        return html! { <div class="scroll"><p class="empty" data-testid="app-empty">{ t.app_empty }</p></div> };
    }
    html! { <div class="scroll pad">{ for p.apps.iter().filter(|a| p.app.is_empty() || a.name == p.app).map(|a| card(p, a)) }</div> }
}

fn card(p: &AppProps, a: &AppView) -> Html {
    let t = texts(p.lang);
    let run = |command: Command| p.on.reform(move |_| Action::Run(command.clone()));
    let refresh = |hard| Command::Refresh { app: a.name.clone(), hard };
    let terminate = format!("argocd app terminate-op {}", a.name);
    let cell = |name: &str, body: Html, sub: String| html! { <div class="cell"><span class="lead">{ name }</span>{ body }<span class="lead mono">{ sub }</span></div> };
    let word = |w: &str, id: &'static str| {
        if w.is_empty() {
            html! { <span class="lead" data-testid={id}>{ "—" }</span> }
        } else {
            badge(w, id)
        }
    };
    let times = match (a.started, a.finished) {
        (Some(s), Some(f)) => format!("{} – {}", clock(s), clock(f)),
        (Some(s), None) => format!("{} –", clock(s)),
        _ => String::new(),
    };
    html! {
        <article class="card" key={a.name.clone()} data-testid={format!("app-{}", a.name)}>
            <header>
                <h2>{ &a.name }</h2><span class="grow"></span>
                <button class="ghost" data-testid="refresh" title={refresh_line(&a.name, "normal")} onclick={run(refresh(false))}>{ t.refresh }</button>
                <button class="ghost" data-testid="hard-refresh" title={refresh_line(&a.name, "hard")} onclick={run(refresh(true))}>{ t.hard_refresh }</button>
                <button class="ghost" data-testid="sync-now" title={format!("argocd app sync {}", a.name)} onclick={run(Command::Sync { app: a.name.clone() })}>{ t.sync_now }</button>
                if a.phase == "Running" {
                    <button class="ghost" data-testid="terminate" title={terminate.clone()} onclick={run(Command::Line { line: terminate.clone() })}>{ t.terminate }</button>
                }
            </header>
            <div class="three">
                { cell(t.sync, word(&a.sync, "app-sync"), short(&a.revision).to_owned()) }
                { cell(t.health, word(&a.health, "app-health"), String::new()) }
                { cell(t.operation, word(&a.phase, "app-phase"), times) }
            </div>
            if !a.message.is_empty() { <p class="said" data-testid="app-message">{ &a.message }</p> }
            if let Some(verdict) = &a.verdict { <p class={classes!("verdict", verdict.key.clone())}>{ message(p.lang, verdict) }</p> }
            { for a.conditions.iter().map(|c| html! {
                <div class="problem error" role="alert" data-testid="condition"><b>{ &c.kind }</b><pre class="mono">{ &c.message }</pre></div>
            }) }
            <p class="lead mono wrap">{ &a.repo }{ " · " }{ &a.target_revision }{ " · " }{ &a.path }{ " → " }{ &a.namespace }</p>
            if !a.resources.is_empty() { { resources(p, a) } }
            { plan(p, a) }
            if !a.history.is_empty() {
                <h3>{ t.history }</h3>
                <ul class="plain">{ for a.history.iter().rev().map(|h| html! { <li class="mono">{ h.id }{ " · " }{ short(&h.revision) }{ " · " }{ clock(h.at) }</li> }) }</ul>
            }
        </article>
    }
}

/// The command behind a refresh button.
fn refresh_line(app: &str, how: &str) -> String {
    format!("kubectl -n argocd annotate app {app} argocd.argoproj.io/refresh={how} --overwrite")
}

/// What the next sync would do, by phase and wave. A sync that would change nothing is not worth a table.
fn plan(p: &AppProps, a: &AppView) -> Html {
    let t = texts(p.lang);
    if a.plan.iter().all(|task| matches!(task.action.as_str(), "keep" | "hook")) {
        return html! {};
    }
    let word = |action: &str| match action {
        "create" => t.plan_create,
        "change" => t.plan_change,
        "prune" => t.plan_prune,
        "hook" => t.plan_hook,
        _ => t.plan_keep,
    };
    html! {
        <>
            <h3>{ t.plan }</h3>
            <table class="grid" data-testid="plan"><tbody>
                { for a.plan.iter().map(|task| {
                    let step = if task.phase == "Sync" { fill(t.wave, &[&task.wave.to_string()]) } else { task.phase.clone() };
                    html! {
                        <tr class={classes!("plan", task.action.clone())}>
                            <td class="lead">{ step }</td><td>{ &task.object.kind }{ " " }{ &task.object.name }</td><td>{ word(&task.action) }</td>
                        </tr>
                    }
                }) }
            </tbody></table>
        </>
    }
}

fn resources(p: &AppProps, a: &AppView) -> Html {
    let t = texts(p.lang);
    html! {
        <table class="grid">
            <thead><tr><th>{ t.resources }</th><th>{ t.sync }</th><th>{ t.health }</th></tr></thead>
            <tbody>
                { for a.resources.iter().filter(|r| !r.name.is_empty()).map(|r| {
                    let object = ObjectView { group: r.group.clone(), kind: r.kind.clone(), namespace: r.namespace.clone(), name: r.name.clone() };
                    let name = format!("{} {}", r.kind, r.name);
                    html! {
                        <tr data-testid={format!("resource-{}-{}", r.kind, r.name)}>
                            <td>
                                <button class="link" onclick={p.on.reform(move |_| Action::ShowObject(object.clone()))}>{ name }</button>
                                <div class="lead">{ &r.phase }{ " · " }{ fill(t.wave, &[&r.wave.to_string()]) }</div>
                                <div class="lead">{ &r.message }</div>
                            </td>
                            <td>{ if r.sync.is_empty() { html! {} } else { badge(&r.sync, "resource-sync") } }</td>
                            <td>{ if r.health.is_empty() { html! {} } else { badge(&r.health, "resource-health") } }</td>
                        </tr>
                    }
                }) }
            </tbody>
        </table>
    }
}
