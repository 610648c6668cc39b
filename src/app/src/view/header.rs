//! The header: brand, where one is in the lesson, versions, language and theme; and the messages below it.

use protocol::LessonView;
use ui_state::{Action, Banner, Boot, BottomTab, Lang, Pane, Shared, Theme, fill, message, texts};
use wasm_bindgen::JsCast;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct HeaderProps {
    pub(crate) lang: Lang,
    pub(crate) theme: Theme,
    pub(crate) lesson: Option<Shared<LessonView>>,
    pub(crate) step: usize,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn Header(p: &HeaderProps) -> Html {
    let t = texts(p.lang);
    let (theme_name, glyph) = match p.theme {
        Theme::System => (t.theme_system, "◐"),
        Theme::Light => (t.theme_light, "☀"),
        Theme::Dark => (t.theme_dark, "☾"),
    };
    let next = p.theme.next();
    html! {
        <header class="top">
            <span class="logo">
                <svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="var(--accent)" stroke-width="2"
                    stroke-linecap="round" aria-hidden="true">
                    <circle cx="11" cy="11" r="9.2" opacity=".28" />
                    <path d="M3.5 11.2c2.5-2.6 5-2.6 7.5 0s5 2.6 7.5 0M5.6 15.2c1.8-1.5 3.6-1.5 5.4 0s3.6 1.5 5.4 0" />
                </svg>
                <span>{ "Tidepool" }</span>
            </span>
            <span class="crumb" data-testid="crumb">{ crumb(p) }</span>
            <span class="grow"></span>
            <span class="chip">{ "Argo CD 3.5.2 · Helm 4.2.4 · Kubernetes 1.36" }</span>
            <span class="segmented" role="group" aria-label={t.language}>
                { for [Lang::Ko, Lang::En].into_iter().map(|lang| html! {
                    <button data-testid={format!("lang-{}", lang.code())} lang={lang.code()}
                        aria-pressed={(p.lang == lang).to_string()}
                        onclick={p.on.reform(move |_| Action::Lang(lang))}>{ lang.name() }</button>
                }) }
            </span>
            <button class="icon" data-testid="theme" aria-label={theme_name} title={theme_name}
                onclick={p.on.reform(move |_| Action::Theme(next))}>{ glyph }</button>
        </header>
    }
}

fn crumb(p: &HeaderProps) -> Html {
    let t = texts(p.lang);
    let Some(lesson) = &p.lesson else { return html! {} };
    let title = lesson.steps.get(p.step).map_or(&lesson.title, |s| &s.title);
    let place = fill(t.step_of, &[&(p.step + 1).to_string(), &lesson.steps.len().to_string()]);
    html! {
        <>
            { lessons(p, lesson) }
            <span>{ place }</span>{ " · " }<b>{ pick(p.lang, &title.en, &title.ko) }</b>
        </>
    }
}

/// The list of lessons, to go to another one. What was done in this one is kept.
fn lessons(p: &HeaderProps, lesson: &LessonView) -> Html {
    let t = texts(p.lang);
    if lesson.lessons.len() < 2 {
        return html! { <span class="what">{ t.lesson }{ " · " }</span> };
    }
    let onchange = Callback::from(|e: Event| {
        if let Some(select) = e.target().and_then(|t| t.dyn_into::<web_sys::HtmlSelectElement>().ok()) {
            crate::browser::go_to_lesson(&select.value());
        }
    });
    html! {
        <select class="lessons" data-testid="lessons" aria-label={t.lesson} {onchange}>
            { for lesson.lessons.iter().map(|card| html! {
                <option key={card.id.clone()} value={card.id.clone()} selected={card.id == lesson.id}>{ pick(p.lang, &card.title.en, &card.title.ko) }</option>
            }) }
        </select>
    }
}

/// The text of one language.
pub(crate) fn pick<'a>(lang: Lang, en: &'a str, ko: &'a str) -> &'a str {
    match lang {
        Lang::En => en,
        Lang::Ko => ko,
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct BannersProps {
    pub(crate) lang: Lang,
    pub(crate) boot: Boot,
    pub(crate) banners: Vec<Banner>,
    pub(crate) on: Callback<Action>,
}

/// One message at a time; a broken start comes first and stays.
#[component]
pub(crate) fn Banners(p: &BannersProps) -> Html {
    let t = texts(p.lang);
    let reload = Callback::from(|_| {
        if let Some(w) = crate::browser::window() {
            let _ = w.location().reload();
        }
    });
    let broken = match &p.boot {
        Boot::Mismatch => Some(t.worker_version.to_owned()),
        Boot::Failed(why) => Some(fill(t.worker_failed, &[why])),
        Boot::Starting | Boot::Ready => None,
    };
    if let Some(text) = broken {
        return html! {
            <div class="banner bad" role="alert" data-testid="banner">
                <span>{ text }</span><button class="ghost" onclick={reload}>{ t.reload }</button>
            </div>
        };
    }
    let Some(first) = p.banners.first() else { return html! {} };
    let text = |text: String| html! { <span>{ text }</span> };
    let (bad, said) = match first {
        Banner::Restarted => (false, text(t.worker_restarted.to_owned())),
        Banner::SetAside(what) => (true, text(fill(t.worker_set_aside, &[what]))),
        Banner::Storage => (true, text(t.storage_failed.to_owned())),
        Banner::Notice(what) => (false, text(message(p.lang, what))),
        Banner::Refused(why) => (true, text(message(p.lang, why))),
        Banner::CommandFailed { command, output } => (true, failed_command(p, command, output)),
    };
    html! {
        <div class={classes!("banner", bad.then_some("bad"))} role="alert" data-testid="banner">
            { said }<span class="grow"></span>
            <button class="ghost" data-testid="dismiss" aria-label={t.dismiss} onclick={p.on.reform(|_| Action::Dismiss)}>{ "✕" }</button>
        </div>
    }
}

/// What the tool printed, with a way to all that ran.
fn failed_command(p: &BannersProps, command: &str, output: &str) -> Html {
    let on = p.on.clone();
    let show = Callback::from(move |_| {
        on.emit(Action::Bottom(BottomTab::Terminal));
        on.emit(Action::Pane(Pane::Bottom));
    });
    html! {
        <>
            <div class="failed mono" data-testid="command-failed"><b>{ "$ " }{ command }</b><pre>{ output }</pre></div>
            <button class="link" onclick={show}>{ texts(p.lang).terminal }</button>
        </>
    }
}
