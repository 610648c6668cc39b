//! The timeline: a lane for each object, bars for its states, bands of phase and wave, waits with their cause. Drawn as
//! SVG with positions in per cent, so that it needs no measuring and no style attributes.

use super::status::tone;
use protocol::{BarView, ObjectView, TimelineView};
use ui_state::{Action, Lane, Lang, Layout, Shared, WaitLine, Zoom, fill, layout, message, span, texts};
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// Height of a lane and of the axis above, in pixels.
const LANE: usize = 28;
const AXIS: usize = 38;

#[derive(Properties, PartialEq)]
pub(crate) struct TimelineProps {
    pub(crate) lang: Lang,
    pub(crate) timeline: Shared<TimelineView>,
    /// The Application whose lanes are shown; all of them when empty.
    pub(crate) app: String,
    pub(crate) zoom: Zoom,
    pub(crate) now: u64,
    /// The past moment on show.
    pub(crate) looking: Option<u64>,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn TimelinePane(p: &TimelineProps) -> Html {
    let t = texts(p.lang);
    if p.timeline.lanes.is_empty() {
        return html! { <div class="scroll"><p class="empty">{ t.timeline_empty }</p></div> };
    }
    let l = layout(&p.timeline, &p.app, p.zoom, p.now);
    let height = (AXIS + LANE * l.lanes.len() + 6).to_string();
    let open: Vec<_> = l.waits.iter().filter(|wait| wait.open).collect();
    html! {
        <>
            <div class="bar zoom">
                <span class="segmented" role="group" aria-label={t.zoom}>
                    { for [(Zoom::Operation, "zoom-operation", t.zoom_operation), (Zoom::Minute, "zoom-minute", t.zoom_minute), (Zoom::All, "zoom-all", t.zoom_all)]
                        .into_iter().map(|(zoom, id, name)| html! {
                            <button data-testid={id} aria-pressed={(p.zoom == zoom).to_string()} onclick={p.on.reform(move |_| Action::Zoom(zoom))}>{ name }</button>
                        }) }
                </span>
                <span class="waiting clip" data-testid="waiting" aria-live="polite">
                    { for open.iter().map(|wait| html! { <span><b>{ t.waits_now }{ ": " }</b>{ reasons(p.lang, wait) }</span> }) }
                </span>
            </div>
            <div class="scroll timeline" data-testid="timeline">
                <div class="names">
                    { for l.lanes.iter().map(|lane| html! { <div key={lane.id.clone()} title={lane.id.clone()}>{ name(p, lane) }</div> }) }
                </div>
                { drawing(p, &l, &height) }
            </div>
        </>
    }
}

fn drawing(p: &TimelineProps, l: &Layout, height: &str) -> Html {
    let t = texts(p.lang);
    let scrub = {
        let (on, layout, now) = (p.on.clone(), l.clone(), p.now);
        Callback::from(move |e: PointerEvent| {
            // A move counts while the button is down only.
            if e.buttons() & 1 == 0 {
                return;
            }
            let Some(svg) = e.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) else { return };
            let rect = svg.get_bounding_client_rect();
            let at = layout.moment((f64::from(e.client_x()) - rect.left()) / rect.width().max(1.0) * 1000.0);
            on.emit(Action::Look((at < now).then_some(at)));
        })
    };
    let height = height.to_owned();
    html! {
        <svg width="100%" height={height.clone()} role="img" aria-label={summary(l)} onpointerdown={scrub.clone()} onpointermove={scrub}>
            <title>{ t.scrub_title }</title>
            <defs>
                <pattern id="going" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect width="6" height="6" class="going-back" /><rect width="2" height="6" class="going-stripe" />
                </pattern>
            </defs>
            { bands(p.lang, l, &height) }
            { for l.ticks.iter().map(|tick| html! {
                <g class="tick-mark">
                    <line x1={pc(tick.at)} x2={pc(tick.at)} y1={(AXIS - 5).to_string()} y2={height.clone()} />
                    <text x={pc(tick.at)} dx="3" y={(AXIS - 8).to_string()}>{ span(tick.ms) }</text>
                </g>
            }) }
            { for l.lanes.iter().enumerate().map(|(i, lane)| lane_bars(p.lang, i, lane)) }
            { for l.waits.iter().map(|w| wait(p.lang, w)) }
            if let Some(at) = p.looking {
                <line class="looking" x1={pc(l.x(at))} x2={pc(l.x(at))} y1="18" y2={height.clone()} data-testid="looking-line" />
            }
            <line class="now" x1={pc(l.now)} x2={pc(l.now)} y1="18" y2={height} />
            <circle class="now" cx={pc(l.now)} cy="18" r="4" />
        </svg>
    }
}

/// A lane's name; the object opens on a click.
fn name(p: &TimelineProps, lane: &Lane) -> Html {
    let mut parts = lane.id.splitn(4, '/').map(str::to_owned);
    let mut part = || parts.next().unwrap_or_default();
    let object = ObjectView { group: part(), kind: part(), namespace: part(), name: part() };
    let step = lane.step.as_ref().map(|(phase, wave)| {
        let words = if phase == "Sync" { wave.to_string() } else { phase.clone() };
        html! { <i class={classes!("step-mark", phase.clone())}>{ words }</i> }
    });
    html! {
        <>
            { for step }
            <span class="lead">{ &lane.kind }</span>{ " " }
            <button class="link" onclick={p.on.reform(move |_| Action::ShowObject(object.clone()))}>{ &lane.name }</button>
        </>
    }
}

/// The words of a wait: the tool's, then ours with figures.
fn reasons(lang: Lang, wait: &WaitLine) -> String {
    let causes: Vec<String> = wait.causes.iter().map(|cause| message(lang, cause)).collect();
    match (wait.text.as_str(), causes.is_empty()) {
        (text, true) => text.to_owned(),
        ("", false) => causes.join(", "),
        (text, false) => format!("{text} ({})", causes.join(", ")),
    }
}

fn pc(per_mille: f64) -> String {
    // In whole numbers: printing floats would bring ten kilobytes of code for this one place.
    let hundredths = (per_mille * 10.0) as i64;
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

/// The timeline in words, for those who do not see it.
fn summary(l: &Layout) -> String {
    let last = |lane: &Lane| lane.bars.last().map(|(.., b)| b.state.clone()).unwrap_or_default();
    l.lanes.iter().map(|lane| format!("{} {}: {}", lane.kind, lane.name, last(lane))).collect::<Vec<_>>().join(", ")
}

fn bands(lang: Lang, l: &Layout, height: &str) -> Html {
    l.bands
        .iter()
        .map(|b| {
            let name = if b.phase == "Sync" { fill(texts(lang).wave, &[&b.wave.to_string()]) } else { b.phase.clone() };
            html! {
                <g class={classes!("band", b.phase.clone())}>
                    <rect x={pc(b.from)} width={pc(b.width)} y="0" height={height.to_owned()}><title>{ name.clone() }</title></rect>
                    if b.width > 40.0 { <text x={pc(b.from)} dx="4" y="11">{ name }</text> }
                </g>
            }
        })
        .collect()
}

fn lane_bars(lang: Lang, i: usize, lane: &Lane) -> Html {
    let top = AXIS + i * LANE;
    let last = lane.bars.len().saturating_sub(1);
    html! {
        <g key={lane.id.clone()} data-testid={format!("lane-{}-{}", lane.kind, lane.name)}>
            <line class="rule" x1="0" x2="100%" y1={top.to_string()} y2={top.to_string()} />
            { for lane.bars.iter().enumerate().map(|(n, (from, width, bar))| html! {
                <>
                    <rect class={classes!("state", bar_class(bar))} x={pc(*from)} width={pc(*width)} y={(top + 5).to_string()}
                        height={(LANE - 10).to_string()} rx="3"><title>{ words(lang, bar) }</title></rect>
                    if n == last { { label(lang, *from, *width, bar, top) } }
                </>
            }) }
        </g>
    }
}

/// A bar's words beside it, or on it where there is no room beside.
fn label(lang: Lang, from: f64, width: f64, bar: &BarView, top: usize) -> Html {
    let y = (top + 18).to_string();
    if from + width > 700.0 && width > 200.0 {
        return html! { <text class={classes!("on", bar_class(bar))} x={pc(from)} dx="8" {y}>{ words(lang, bar) }</text> };
    }
    html! { <text x={pc(from + width)} dx="6" {y}>{ words(lang, bar) }</text> }
}

fn bar_class(bar: &BarView) -> &'static str {
    tone(&bar.state)
}

fn words(lang: Lang, bar: &BarView) -> String {
    let by = if bar.automated { format!(" ({})", texts(lang).by_argocd) } else { String::new() };
    match bar.text.as_str() {
        "" => format!("{}{by}", bar.state),
        text => format!("{}{by} · {text}", bar.state),
    }
}

fn wait(lang: Lang, wait: &WaitLine) -> Html {
    let y = |i: usize| (AXIS + i * LANE + LANE / 2).to_string();
    let target = wait.on.unwrap_or(wait.lane);
    html! {
        <g class={classes!("wait", wait.open.then_some("open"))}>
            <line x1={pc(wait.from)} x2={pc(wait.from)} y1={y(wait.lane)} y2={y(target)} />
            <line x1={pc(wait.from)} x2={pc(wait.to)} y1={y(target)} y2={y(target)} />
            <circle cx={pc(wait.to)} cy={y(target)} r="3" />
            <title>{ reasons(lang, wait) }</title>
        </g>
    }
}
