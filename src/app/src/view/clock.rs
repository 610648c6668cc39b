//! The clock: play, pause, next event, until quiet, speed.

use protocol::ClockView;
use ui_state::{Action, Lang, Shared, fill, span, texts};
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// Offered speeds: virtual milliseconds in a real one.
const SPEEDS: [u32; 6] = [1, 2, 4, 10, 30, 100];

#[derive(Properties, PartialEq)]
pub(crate) struct ClockProps {
    pub(crate) lang: Lang,
    pub(crate) clock: Shared<ClockView>,
    pub(crate) playing: bool,
    pub(crate) speed: u32,
    pub(crate) busy: bool,
    pub(crate) on: Callback<Action>,
    /// What else stands in the bar.
    pub(crate) children: Html,
}

#[component]
pub(crate) fn ClockBar(p: &ClockProps) -> Html {
    let t = texts(p.lang);
    let c = &p.clock;
    let next = match c.next_event {
        Some(at) => fill(t.next_at, &[&span(at.saturating_sub(c.now))]),
        None => t.nothing_due.to_owned(),
    };
    let (name, glyph) = if p.playing { (t.pause, "❚❚") } else { (t.play, "▶") };
    let onchange = {
        let on = p.on.clone();
        Callback::from(move |e: Event| {
            let chosen = e.target().and_then(|t| t.dyn_into::<web_sys::HtmlSelectElement>().ok());
            if let Some(speed) = chosen.and_then(|s| s.value().parse().ok()) {
                on.emit(Action::Speed(speed));
            }
        })
    };
    html! {
        <div class="bar clock">
            <button class="primary play" data-testid="play" aria-label={name} title={name} aria-pressed={p.playing.to_string()}
                onclick={p.on.reform(|_| Action::TogglePlay)}>{ glyph }</button>
            <button class="ghost" data-testid="next-event" disabled={p.busy} onclick={p.on.reform(|_| Action::NextEvent)}>{ t.next_event }</button>
            <button class="ghost" data-testid="until-idle" disabled={p.busy} onclick={p.on.reform(|_| Action::UntilIdle)}>{ t.until_idle }</button>
            <span class="time mono" data-testid="clock" data-ms={c.now.to_string()} title={c.wall.clone()} aria-label={t.now}>{ ui_state::clock(c.now) }</span>
            <span class="lead clip" data-testid="next-at">{ next }</span>
            <span class="grow"></span>
            { p.children.clone() }
            <select data-testid="speed" aria-label={t.speed} {onchange}>
                { for SPEEDS.iter().map(|s| html! { <option value={s.to_string()} selected={*s == p.speed}>{ format!("×{s}") }</option> }) }
            </select>
        </div>
    }
}
