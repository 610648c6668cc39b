//! The Git panel under the file tree: branch, commit with a message, push.

use protocol::{Command, GitView};
use ui_state::{Action, Lang, Shared, fill, texts};
use wasm_bindgen::JsCast;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct GitProps {
    pub(crate) lang: Lang,
    pub(crate) git: Shared<GitView>,
    pub(crate) message: String,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn GitPanel(p: &GitProps) -> Html {
    let t = texts(p.lang);
    let git = &p.git;
    let oninput = {
        let on = p.on.clone();
        Callback::from(move |e: InputEvent| {
            if let Some(input) = e.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok()) {
                on.emit(Action::CommitMessage(input.value()));
            }
        })
    };
    let onkeydown = {
        let on = p.on.clone();
        Callback::from(move |e: KeyboardEvent| {
            if e.key() == "Enter" && !e.is_composing() {
                on.emit(Action::Commit);
            }
        })
    };
    let state = match (git.head.is_empty(), git.ahead) {
        (true, _) => String::new(),
        (_, 0) if git.remote == git.head => t.pushed.to_owned(),
        (_, n) => fill(t.ahead, &[&n.to_string()]),
    };
    let unpushed = !git.head.is_empty() && git.remote != git.head;
    html! {
        <section class="git" aria-label={t.git}>
            <div class="head">
                <h2>{ t.git }</h2>
                <span class="mono lead" data-testid="git-head">{ &git.branch }{ " " }{ ui_state::short(&git.head) }</span>
            </div>
            <input type="text" data-testid="commit-message" aria-label={t.commit_message} placeholder={t.commit_message}
                value={p.message.clone()} {oninput} {onkeydown} />
            <div class="row">
                <button class="primary" data-testid="commit" disabled={git.dirty == 0 || p.message.trim().is_empty()}
                    title="git add -A && git commit" onclick={p.on.reform(|_| Action::Commit)}>
                    { t.commit }
                    if git.dirty > 0 { { format!(" {}", git.dirty) } }
                </button>
                <button class="ghost" data-testid="push" disabled={!unpushed} title="git push origin main"
                    onclick={p.on.reform(|_| Action::Run(Command::GitPush))}>
                    { t.push }
                    if git.ahead > 0 { { format!(" ↑{}", git.ahead) } }
                </button>
            </div>
            <p class="lead" data-testid="git-state">{ state }</p>
        </section>
    }
}
