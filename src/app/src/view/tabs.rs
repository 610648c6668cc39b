//! Rows of tabs: of panes, and of open files.

use ui_state::{Action, Lang, fill, texts};
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// A row of tabs over a pane: value, test id, name, count to show (0 for none).
pub(crate) fn tablist<T: Copy + PartialEq + 'static>(
    label: &'static str,
    items: &[(T, &'static str, &'static str, usize)],
    chosen: T,
    on: &Callback<Action>,
    action: fn(T) -> Action,
) -> Html {
    html! {
        <div class="tabs" role="tablist" aria-label={label} onkeydown={Callback::from(arrows)}>
            { for items.iter().map(|(value, id, name, count)| {
                let value = *value;
                html! {
                    <button key={*id} class="tab" role="tab" data-testid={*id} aria-selected={(value == chosen).to_string()}
                        tabindex={if value == chosen { "0" } else { "-1" }} onclick={on.reform(move |_| action(value))}>
                        { *name }
                        if *count > 0 { <span class="count">{ *count }</span> }
                    </button>
                }
            }) }
        </div>
    }
}

/// Left and right move between the tabs of a row, as in any tab list.
fn arrows(e: KeyboardEvent) {
    let Some(at) = e.target().and_then(|t| t.dyn_into::<web_sys::HtmlElement>().ok()) else { return };
    let next = match e.key().as_str() {
        "ArrowRight" => at.next_element_sibling(),
        "ArrowLeft" => at.previous_element_sibling(),
        _ => return,
    };
    if let Some(next) = next.and_then(|n| n.dyn_into::<web_sys::HtmlElement>().ok()) {
        e.prevent_default();
        let _ = next.focus();
        next.click();
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct EditorTabsProps {
    pub(crate) lang: Lang,
    /// Path, and whether it differs from the last commit.
    pub(crate) tabs: Vec<(String, bool)>,
    pub(crate) active: Option<String>,
    /// The active file, if it can be applied.
    pub(crate) apply: Option<String>,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn EditorTabs(p: &EditorTabsProps) -> Html {
    let t = texts(p.lang);
    let row = use_node_ref();
    // The chosen tab is always in sight, also when more are open than the row is wide.
    use_effect_with((p.active.clone(), p.tabs.len()), {
        let row = row.clone();
        move |_| {
            let Some(row) = row.cast::<web_sys::HtmlElement>() else { return };
            let chosen = row.query_selector("[aria-selected=true]").ok().flatten();
            if let Some(tab) = chosen.and_then(|tab| tab.dyn_into::<web_sys::HtmlElement>().ok()) {
                let (left, right) =
                    (tab.offset_left() - row.offset_left(), tab.offset_left() - row.offset_left() + tab.offset_width());
                if left < row.scroll_left() || right > row.scroll_left() + row.client_width() {
                    row.set_scroll_left((right - row.client_width()).max(0));
                }
            }
        }
    });
    html! {
        <>
            <div ref={row} class="tabs" role="tablist" aria-label={t.files} onkeydown={Callback::from(arrows)}>
                { for p.tabs.iter().map(|(path, marked)| {
                    let on = p.active.as_deref() == Some(path);
                    let (open, close) = (path.clone(), path.clone());
                    let close = p.on.reform(move |e: MouseEvent| {
                        e.stop_propagation();
                        Action::CloseTab(close.clone())
                    });
                    html! {
                        <button key={path.clone()} class="tab" role="tab" aria-selected={on.to_string()} tabindex={if on { "0" } else { "-1" }}
                            data-testid={format!("tab-{path}")} title={path.clone()} onclick={p.on.reform(move |_| Action::OpenFile(open.clone()))}>
                            { short_name(path) }
                            if *marked { <i class="dot" title={t.git_modified}></i> }
                            <span class="close" title={fill(t.close_tab, &[path])} onclick={close}>{ "✕" }</span>
                        </button>
                    }
                }) }
            </div>
            if let Some(path) = &p.apply {
                <div class="bar">
                    <button class="primary" data-testid="apply" title={t.apply_title} onclick={apply(p, path)}>
                        { fill(t.apply, &[short_name(path)]) }
                    </button>
                </div>
            }
        </>
    }
}

fn apply(p: &EditorTabsProps, path: &str) -> Callback<MouseEvent> {
    let path = path.to_owned();
    p.on.reform(move |_| Action::Run(protocol::Command::KubectlApply { path: path.clone() }))
}

/// The file name, with its folder for names that say little alone.
fn short_name(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |i| i + 1);
    match path[..name.saturating_sub(1)].rfind('/') {
        Some(folder) if path[folder + 1..].starts_with("templates/") => &path[folder + 1..],
        _ => &path[name..],
    }
}
