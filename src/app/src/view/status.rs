//! Status words with their icons: sync, health and operation side by side, never mixed.

use protocol::AppView;
use ui_state::{Action, Lang, RightTab, Shared, message, texts};
use yew::prelude::*;

/// The colour class of a status word of Argo CD or Kubernetes.
pub(crate) fn tone(word: &str) -> &'static str {
    match word {
        "Synced" | "Healthy" | "Succeeded" | "Created" | "Running!" | "Ready" => "healthy",
        "Progressing" | "Running" | "Pending" | "Terminating" => "progressing",
        "Degraded" | "Failed" | "Error" => "degraded",
        "OutOfSync" | "Missing" => "missing",
        "Suspended" => "suspended",
        _ => "unknown",
    }
}

/// A status word with an icon, so that colour is not all there is to tell them apart.
pub(crate) fn badge(word: &str, testid: &'static str) -> Html {
    let tone = tone(word);
    let icon = match tone {
        "healthy" => {
            html! { <path d="M2.5 6.4l2.4 2.4 4.6-5.2" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" /> }
        }
        "progressing" => {
            html! { <circle cx="6" cy="6" r="4.4" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="19 9" /> }
        }
        "degraded" => {
            html! { <path d="M3 3l6 6M9 3L3 9" stroke="currentColor" stroke-width="2" stroke-linecap="round" /> }
        }
        "missing" => {
            html! { <path d="M6 1.5v5.6M6 9.6v.6" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" /> }
        }
        _ => html! { <circle cx="6" cy="6" r="2" fill="currentColor" /> },
    };
    html! {
        <span class={classes!("badge", tone)} data-testid={testid}>
            <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">{ icon }</svg>{ word }
        </span>
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct StatusProps {
    pub(crate) lang: Lang,
    pub(crate) apps: Shared<Vec<AppView>>,
    /// The chosen Application.
    pub(crate) app: String,
    pub(crate) on: Callback<Action>,
}

/// One line for the chosen Application: sync, health, operation, verdict, message.
#[component]
pub(crate) fn StatusStrip(p: &StatusProps) -> Html {
    let t = texts(p.lang);
    html! {
        <div aria-live="polite">
            { for p.apps.iter().filter(|a| a.name == p.app).map(|a| html! {
                <div class="status" key={a.name.clone()} data-testid={format!("status-{}", a.name)}>
                    <button class="link strong" onclick={p.on.reform(|_| Action::Right(RightTab::App))}>{ &a.name }</button>
                    if !a.sync.is_empty() { <span class="sr">{ t.sync }</span>{ badge(&a.sync, "strip-sync") } }
                    if !a.health.is_empty() { <span class="sr">{ t.health }</span>{ badge(&a.health, "strip-health") } }
                    if !a.phase.is_empty() { <span class="sr">{ t.operation }</span>{ badge(&a.phase, "strip-phase") } }
                    if let Some(verdict) = &a.verdict {
                        <span class={classes!("verdict", verdict.key.clone(), "clip")} data-testid="verdict" title={message(p.lang, verdict)}>{ message(p.lang, verdict) }</span>
                    }
                    <span class="lead clip" title={a.message.clone()}>{ &a.message }</span>
                </div>
            }) }
        </div>
    }
}

/// Applications to choose from when there are several.
#[component]
pub(crate) fn AppChooser(p: &StatusProps) -> Html {
    let t = texts(p.lang);
    let choose = |name: String, label: Html| {
        let (pressed, id) = ((p.app == name).to_string(), format!("choose-{name}"));
        html! { <button data-testid={id} aria-pressed={pressed} onclick={p.on.reform(move |_| Action::ShowApp(name.clone()))}>{ label }</button> }
    };
    if p.apps.len() < 2 {
        return html! {};
    }
    html! {
        <span class="apps" role="group" aria-label={t.application}>
            { for p.apps.iter().map(|a| {
                let worst = [&a.phase, &a.sync, &a.health].into_iter().map(|w| tone(w)).find(|t| !matches!(*t, "healthy" | "unknown")).unwrap_or("healthy");
                choose(a.name.clone(), html! { <><i class={classes!("dot", worst)}></i>{ &a.name }</> })
            }) }
            { choose(String::new(), html! { { t.all_apps } }) }
        </span>
    }
}
