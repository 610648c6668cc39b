//! Rendered manifests, live while typing. Problems stand first; the last good render stays below them, marked stale.
//! Each line can be asked who set it, by click or with the arrow keys.

use protocol::{DiagnosticView, ManifestView, PlaceView, SeverityView, SourceView};
use ui_state::{Action, Lang, Pending, Shared, fill, highlight, key_column, message, texts};
use wasm_bindgen::JsCast;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct RenderedProps {
    pub(crate) lang: Lang,
    pub(crate) source: SourceView,
    pub(crate) fresh: bool,
    pub(crate) manifests: Vec<Shared<ManifestView>>,
    pub(crate) diagnostics: Shared<Vec<DiagnosticView>>,
    pub(crate) pending: Pending,
    /// Manifest and line that "who set this?" points at.
    pub(crate) picked: Option<(String, u32)>,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn RenderedPane(p: &RenderedProps) -> Html {
    let t = texts(p.lang);
    let stale = !p.fresh && !p.manifests.is_empty();
    let from = match &p.source {
        SourceView::Nothing => None,
        SourceView::Chart { path, value_files } if value_files.is_empty() => Some(path.clone()),
        SourceView::Chart { path, value_files } => Some(format!("{path} · {}", value_files.join(", "))),
        SourceView::Folder { path } => Some(path.clone()),
        SourceView::Application { name, .. } => Some(format!("Application {name}")),
    };
    html! {
        <div class="scroll rendered" data-testid="rendered" data-fresh={p.fresh.to_string()}>
            { for p.diagnostics.iter().map(|d| problem(p.lang, d, &p.on)) }
            if stale { <p class="stale" role="status" data-testid="stale">{ t.stale }</p> }
            if let Some(from) = from {
                <p class="from lead">{ fill(t.rendered_from, &[&from]) }{ " · " }{ t.click_line }</p>
                { pending(p.lang, p.pending) }
            } else if p.diagnostics.is_empty() {
                <p class="empty">{ t.rendered_empty }</p>
            }
            { for p.manifests.iter().map(|m| {
                let line = p.picked.as_ref().filter(|(id, _)| *id == m.id).map(|(_, line)| *line);
                html! { <Manifest key={m.id.clone()} manifest={m.clone()} {stale} {line} on={p.on.clone()} /> }
            }) }
        </div>
    }
}

/// Says that what is shown is typed, not deployed.
pub(crate) fn pending(lang: Lang, pending: Pending) -> Html {
    let t = texts(lang);
    match pending {
        Pending::Nothing => html! {},
        Pending::Commit => html! { <p class="pending" data-testid="pending">{ t.pending_commit }</p> },
        Pending::Push => html! { <p class="pending" data-testid="pending">{ t.pending_push }</p> },
    }
}

/// A link to a place in a file.
pub(crate) fn place_link(lang: Lang, place: &PlaceView, on: &Callback<Action>) -> Html {
    let (file, line, col) = (place.file.clone(), place.line, place.col);
    let name = file.rsplit('/').next().unwrap_or_default().to_owned();
    let text = fill(texts(lang).line_of, &[&name, &line.to_string()]);
    html! { <button class="link" title={place.file.clone()} onclick={on.reform(move |_| Action::OpenAt(file.clone(), line, col))}>{ text }</button> }
}

fn problem(lang: Lang, d: &DiagnosticView, on: &Callback<Action>) -> Html {
    let class = match d.severity {
        SeverityView::Error => "error",
        SeverityView::Warning => "warning",
        SeverityView::Info => "info",
    };
    let trace = d.trace.iter().map(|p| html! { <span>{ " ← " }{ place_link(lang, p, on) }</span> });
    html! {
        <div class={classes!("problem", class)} role="alert" data-testid="problem" data-code={d.code.clone()}>
            <pre class="mono">{ &d.message }</pre>
            if let Some(place) = &d.place { <div>{ place_link(lang, place, on) }{ for trace }</div> }
            { for d.hints.iter().map(|h| html! { <p class="tip">{ message(lang, h) }</p> }) }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct ManifestProps {
    manifest: Shared<ManifestView>,
    stale: bool,
    line: Option<u32>,
    on: Callback<Action>,
}

/// One manifest; drawn again only when its text or its chosen line changes.
#[component]
fn Manifest(p: &ManifestProps) -> Html {
    let m = &p.manifest;
    let count = m.text.lines().count() as u32;
    let pick = {
        let (on, m) = (p.on.clone(), m.clone());
        move |line: u32| {
            let col = m.text.lines().nth(line as usize - 1).map_or(1, key_column);
            on.emit(Action::PickLine(m.id.clone(), line, col));
        }
    };
    let onclick = {
        let pick = pick.clone();
        Callback::from(move |e: MouseEvent| {
            let at = e
                .target()
                .and_then(|t| t.dyn_into::<web_sys::Element>().ok())
                .and_then(|t| t.closest("[data-line]").ok()?);
            if let Some(line) = at.and_then(|l| l.get_attribute("data-line")?.parse().ok()) {
                pick(line);
            }
        })
    };
    let at = p.line;
    let onkeydown = Callback::from(move |e: KeyboardEvent| {
        let next = match (e.key().as_str(), at) {
            ("ArrowDown", Some(l)) => (l + 1).min(count),
            ("ArrowUp", Some(l)) => l.saturating_sub(1).max(1),
            ("Enter" | "ArrowDown", None) => 1,
            _ => return,
        };
        e.prevent_default();
        pick(next);
    });
    html! {
        <article class={classes!("manifest", p.stale.then_some("old"))} data-testid={format!("manifest-{}-{}", m.kind, m.name)}>
            <h3><b>{ &m.kind }</b>{ " " }{ &m.name }<span class="grow"></span><span class="lead mono">{ &m.source }</span></h3>
            <pre class="lines" tabindex="0" {onclick} {onkeydown} aria-label={format!("{} {}", m.kind, m.name)}>
                { for m.text.lines().enumerate().map(|(i, line)| {
                    let n = i as u32 + 1;
                    html! {
                        <div class={classes!("ln", (p.line == Some(n)).then_some("picked"))} data-line={n.to_string()}>
                            { for highlight(line).into_iter().map(|t| if t.class.is_empty() { html! { { t.text } } } else { html! { <span class={t.class}>{ t.text }</span> } }) }
                            { "\n" }
                        </div>
                    }
                }) }
            </pre>
        </article>
    }
}
