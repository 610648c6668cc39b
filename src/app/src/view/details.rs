//! One object of the cluster: what an apply would change, live, desired and last applied YAML, its events, and what a
//! person may do to it by hand.

use super::events::table;
use protocol::{Command, DetailsView, LineChange, ObjectView, Target};
use ui_state::{Action, Lang, Shared, Side, fill, highlight, key_column, texts};
use wasm_bindgen::JsCast;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct DetailsProps {
    pub(crate) lang: Lang,
    pub(crate) object: Option<ObjectView>,
    pub(crate) details: Option<Shared<DetailsView>>,
    pub(crate) side: Side,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn DetailsPane(p: &DetailsProps) -> Html {
    let t = texts(p.lang);
    // The YAML while the person edits it.
    let draft = use_state(|| None::<String>);
    use_effect_with(p.object.clone(), {
        let draft = draft.clone();
        move |_| draft.set(None)
    });
    let Some(object) = &p.object else {
        return html! { <div class="scroll"><p class="empty" data-testid="object-empty">{ t.object_empty }</p></div> };
    };
    let title =
        html! { <h2 data-testid="object-title"><span class="lead">{ &object.kind }</span>{ " " }{ &object.name }</h2> };
    let Some(d) = &p.details else {
        return html! { <div class="scroll pad">{ title }<p class="empty">{ t.object_gone }</p></div> };
    };
    let sides = [
        (Side::Difference, "side-diff", t.side_diff),
        (Side::Live, "side-live", t.side_live),
        (Side::Desired, "side-desired", t.side_desired),
        (Side::LastApplied, "side-last", t.side_last),
        (Side::Events, "side-events", t.events),
    ];
    let body = match (&*draft, p.side) {
        (Some(text), _) => edit(p, object, text, &draft),
        (None, Side::Difference) => difference(p, d),
        (None, Side::Live) => live(p, object, &d.live),
        (None, Side::Desired) if d.desired.is_empty() => html! { <p class="empty">{ t.not_wanted }</p> },
        (None, Side::Desired) => yaml(&d.desired),
        (None, Side::LastApplied) if d.last_applied.is_empty() => html! { <p class="empty">{ t.never_applied }</p> },
        (None, Side::LastApplied) => yaml(&d.last_applied),
        (None, Side::Events) => table(p.lang, &d.events),
    };
    html! {
        <div class="scroll object" data-testid="object">
            <div class="pad">
                { title }
                <p class="path mono">{ place(object) }if !d.app.is_empty() { { " · Application " }{ &d.app } }</p>
                { actions(p, object, d, &draft) }
                <div class="sides">
                    { for sides.into_iter().map(|(side, id, name)| html! {
                        <button class="chip" data-testid={id} aria-pressed={(p.side == side && draft.is_none()).to_string()} onclick={{
                            let (on, draft) = (p.on.clone(), draft.clone());
                            Callback::from(move |_| { draft.set(None); on.emit(Action::ShowSide(side)) })
                        }}>{ name }</button>
                    }) }
                </div>
            </div>
            { body }
        </div>
    }
}

fn place(object: &ObjectView) -> String {
    let group = if object.group.is_empty() { String::new() } else { format!("{}/", object.group) };
    let namespace = if object.namespace.is_empty() { String::new() } else { format!("{}/", object.namespace) };
    format!("{group}{} {namespace}{}", object.kind, object.name)
}

/// `kubectl` with the namespace and the words that name the object.
fn kubectl(object: &ObjectView, verb: &str) -> String {
    let namespace = if object.namespace.is_empty() { String::new() } else { format!(" -n {}", object.namespace) };
    format!("kubectl{namespace} {verb} {} {}", object.kind.to_lowercase(), object.name)
}

fn actions(p: &DetailsProps, object: &ObjectView, d: &DetailsView, draft: &UseStateHandle<Option<String>>) -> Html {
    let t = texts(p.lang);
    if d.live.is_empty() {
        return html! {};
    }
    let run = |line: String| p.on.reform(move |_: MouseEvent| Action::Run(Command::Line { line: line.clone() }));
    let scale = d.replicas.map(|count| {
        let to = |count: u32| format!("{} --replicas={count}", kubectl(object, "scale"));
        let (less, more) = (to(count.saturating_sub(1)), to(count + 1));
        html! {
            <span class="stepper" role="group" aria-label={t.scale}>
                <span class="lead">{ t.scale }</span>
                <button class="ghost" data-testid="scale-down" title={less.clone()} aria-label={less.clone()} disabled={count == 0} onclick={run(less)}>{ "−" }</button>
                <b class="mono" data-testid="replicas">{ count }</b>
                <button class="ghost" data-testid="scale-up" title={more.clone()} aria-label={more.clone()} onclick={run(more)}>{ "+" }</button>
            </span>
        }
    });
    let delete = kubectl(object, "delete");
    let begin = {
        let (draft, text) = (draft.clone(), d.live.clone());
        Callback::from(move |_| draft.set(Some(text.clone())))
    };
    html! {
        <div class="actions">
            { for scale }
            <button class="ghost" data-testid="edit-object" title={kubectl(object, "edit")} onclick={begin}>{ t.edit }</button>
            <button class="ghost" data-testid="delete-object" title={delete.clone()} onclick={run(delete)}>{ t.delete_file }</button>
        </div>
    }
}

fn edit(p: &DetailsProps, object: &ObjectView, text: &str, draft: &UseStateHandle<Option<String>>) -> Html {
    let t = texts(p.lang);
    let oninput = {
        let draft = draft.clone();
        Callback::from(move |e: InputEvent| {
            if let Some(area) = e.target().and_then(|t| t.dyn_into::<web_sys::HtmlTextAreaElement>().ok()) {
                draft.set(Some(area.value()));
            }
        })
    };
    let save = {
        let (on, draft, object, text) = (p.on.clone(), draft.clone(), object.clone(), text.to_owned());
        Callback::from(move |_| {
            on.emit(Action::Run(Command::Edit { object: object.clone(), text: text.clone() }));
            draft.set(None);
        })
    };
    let cancel = {
        let draft = draft.clone();
        Callback::from(move |_| draft.set(None))
    };
    html! {
        <div class="pad">
            <textarea class="yaml-edit" data-testid="object-yaml" aria-label={kubectl(object, "edit")} spellcheck="false"
                rows={(text.lines().count() + 2).to_string()} value={text.to_owned()} {oninput} />
            <div class="actions">
                <button class="primary" data-testid="save-object" title={kubectl(object, "edit")} onclick={save}>{ t.save }</button>
                <button class="ghost" onclick={cancel}>{ t.cancel }</button>
            </div>
        </div>
    }
}

fn difference(p: &DetailsProps, d: &DetailsView) -> Html {
    let t = texts(p.lang);
    if d.desired.is_empty() {
        return html! { <p class="empty">{ t.not_wanted }</p> };
    }
    if d.diff.is_empty() {
        return html! { <p class="empty" data-testid="no-difference">{ t.no_difference }</p> };
    }
    html! {
        <>
            <p class="lead pad-x"><span class="minus">{ t.diff_live }</span>{ "   " }<span class="plus">{ t.diff_desired }</span></p>
            <pre class="lines diff" tabindex="0" data-testid="difference">
                { for d.diff.iter().map(|line| {
                    let (class, sign) = match line.change {
                        LineChange::Same => ("ln", "  "),
                        LineChange::Live => ("ln minus", "− "),
                        LineChange::Desired => ("ln plus", "+ "),
                        LineChange::Gap => ("ln gap", "⋯"),
                    };
                    html! { <div {class}>{ sign }{ &line.text }{ "\n" }</div> }
                }) }
            </pre>
        </>
    }
}

/// The live YAML; each line can be asked who set it.
fn live(p: &DetailsProps, object: &ObjectView, text: &str) -> Html {
    let t = texts(p.lang);
    let onclick = {
        let (on, object, text) = (p.on.clone(), object.clone(), text.to_owned());
        Callback::from(move |e: MouseEvent| {
            let at = e.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
            let line = at
                .and_then(|t| t.closest("[data-line]").ok()?)
                .and_then(|l| l.get_attribute("data-line")?.parse().ok());
            if let Some(line) = line {
                let col = text.lines().nth(line as usize - 1).map_or(1, key_column);
                let object = object.clone();
                on.emit(Action::PickLive(Target::LiveLine { object, line, col }));
            }
        })
    };
    html! {
        <>
            <p class="lead pad-x">{ t.click_field }</p>
            <pre class="lines" tabindex="0" data-testid="live-yaml" {onclick}>{ for lines(text) }</pre>
        </>
    }
}

fn yaml(text: &str) -> Html {
    html! { <pre class="lines plain" tabindex="0">{ for lines(text) }</pre> }
}

fn lines(text: &str) -> impl Iterator<Item = Html> + '_ {
    text.lines().enumerate().map(|(i, line)| {
        let spans = highlight(line).into_iter().map(|t| {
            if t.class.is_empty() {
                html! { { t.text } }
            } else {
                html! { <span class={t.class}>{ t.text }</span> }
            }
        });
        html! { <div class="ln" data-line={(i + 1).to_string()}>{ for spans }{ "\n" }</div> }
    })
}

/// The past moment on show, with the ways out of it.
pub(crate) fn looking_back(lang: Lang, at: u64, on: &Callback<Action>) -> Html {
    let t = texts(lang);
    html! {
        <div class="bar looking" role="status" data-testid="looking">
            <b>{ fill(t.looking_at, &[&ui_state::clock(at)]) }</b>
            <button class="primary" data-testid="back-to-now" onclick={on.reform(|_| Action::Look(None))}>{ t.back_to_now }</button>
            <button class="ghost" data-testid="go-on" title={t.go_on_title} onclick={on.reform(|_| Action::Rewind)}>{ t.go_on_from_here }</button>
        </div>
    }
}
