//! The file tree with marks of Git, and adding, renaming and deleting files.

use crate::browser;
use protocol::FileMark;
use ui_state::{Action, Lang, Row, fill, texts};
use wasm_bindgen::JsCast;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct FilesProps {
    pub(crate) lang: Lang,
    pub(crate) rows: Vec<Row>,
    pub(crate) active: Option<String>,
    pub(crate) work_tree: String,
    pub(crate) on: Callback<Action>,
}

/// What the input line under the buttons is for.
#[derive(Clone, PartialEq)]
enum Asking {
    Nothing,
    New,
    Rename(String),
}

#[component]
pub(crate) fn FilesPane(p: &FilesProps) -> Html {
    let t = texts(p.lang);
    let asking = use_state(|| Asking::Nothing);
    let ask = |what: Asking| {
        let asking = asking.clone();
        Callback::from(move |_: MouseEvent| asking.set(what.clone()))
    };
    let active = p.active.clone();
    let delete = active.clone().map(|path| {
        let (on, lang) = (p.on.clone(), p.lang);
        Callback::from(move |_: MouseEvent| {
            if browser::confirm(&fill(texts(lang).delete_confirm, &[&path])) {
                on.emit(Action::DeleteFile(path.clone()));
            }
        })
    });
    html! {
        <nav class="files" aria-label={t.files}>
            <div class="head">
                <h2>{ t.files }</h2><span class="grow"></span>
                <button class="icon" data-testid="add-file" title={t.new_file} aria-label={t.new_file} onclick={ask(Asking::New)}>{ icon("M7 2.5v9M2.5 7h9") }</button>
                if let Some(path) = active {
                    <button class="icon" data-testid="rename-file" title={t.rename_file} aria-label={t.rename_file} onclick={ask(Asking::Rename(path))}>{ icon("M2.5 11.5l.7-2.8 6-6 2.1 2.1-6 6zM8.2 3.7l2.1 2.1") }</button>
                    <button class="icon" data-testid="delete-file" title={t.delete_file} aria-label={t.delete_file} onclick={delete}>{ icon("M2.5 4h9M5.5 4V2.5h3V4M3.8 4l.6 7.5h5.2l.6-7.5M6 6.2v3.3M8 6.2v3.3") }</button>
                }
            </div>
            if *asking != Asking::Nothing { { line(p, &asking) } }
            <ul class="scroll" role="tree" aria-label={t.files} data-testid="files">
                { for p.rows.iter().map(|r| row(p, r)) }
            </ul>
        </nav>
    }
}

fn icon(path: &'static str) -> Html {
    html! {
        <svg viewBox="0 0 14 14" width="14" height="14" fill="none" stroke="currentColor" stroke-width="1.4"
            stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d={path} /></svg>
    }
}

/// The input line: Enter takes it, Escape leaves.
fn line(p: &FilesProps, asking: &UseStateHandle<Asking>) -> Html {
    let t = texts(p.lang);
    let start = match &**asking {
        Asking::Rename(path) => path.clone(),
        _ => String::new(),
    };
    let onkeydown = {
        let (asking, on) = (asking.clone(), p.on.clone());
        Callback::from(move |e: KeyboardEvent| {
            if e.is_composing() {
                return;
            }
            match e.key().as_str() {
                "Enter" => {
                    let typed = e.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok());
                    let path = typed.map(|i| i.value()).unwrap_or_default();
                    match &*asking {
                        Asking::New if !path.trim().is_empty() => on.emit(Action::AddFile(path)),
                        Asking::Rename(from) => on.emit(Action::RenameFile(from.clone(), path)),
                        _ => {}
                    }
                    asking.set(Asking::Nothing);
                }
                "Escape" => asking.set(Asking::Nothing),
                _ => {}
            }
        })
    };
    html! {
        <div class="ask">
            <input type="text" data-testid="file-path" class="mono" aria-label={t.new_file_path} placeholder={p.work_tree.clone()}
                autofocus=true value={start} {onkeydown} />
        </div>
    }
}

fn row(p: &FilesProps, r: &Row) -> Html {
    let t = texts(p.lang);
    let depth = format!("d{}", r.depth.min(8));
    let level = (r.depth + 1).to_string();
    if r.folder {
        return html! {
            <li key={r.path.clone()} role="treeitem" aria-level={level} aria-expanded="true" class={classes!("folder", depth)} title={r.path.clone()}>{ &r.label }{ "/" }</li>
        };
    }
    let (sign, what) = match r.mark {
        FileMark::Modified => ("M", t.git_modified),
        FileMark::Untracked => ("U", t.git_untracked),
        FileMark::Deleted => ("D", t.git_deleted),
        FileMark::Clean | FileMark::Outside => ("", ""),
    };
    let on = p.active.as_deref() == Some(&r.path);
    let path = r.path.clone();
    html! {
        <li key={r.path.clone()} role="treeitem" aria-level={level} aria-selected={on.to_string()}>
            <button class={classes!("file", depth, on.then_some("on"), format!("mark-{sign}"))} title={r.path.clone()} data-mark={sign}
                data-testid={format!("file-{}", r.path)} onclick={p.on.reform(move |_| Action::OpenAt(path.clone(), 1, 1))}>
                <span class="name">{ &r.label }</span>
                if !sign.is_empty() { <abbr title={what}>{ sign }</abbr> }
            </button>
        </li>
    }
}
