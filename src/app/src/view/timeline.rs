//! The timeline: a lane for each object, bars for its states, bands of phase and wave, waits with their cause. Drawn as
//! SVG with positions in per cent, so that it needs no measuring and no style attributes.

use super::status::tone;
use protocol::{BarView, TimelineView};
use ui_state::{Action, Lane, Lang, Layout, Shared, fill, layout, span, texts};
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// Height of a lane and of the axis above, in pixels.
const LANE: usize = 28;
const AXIS: usize = 24;

#[derive(Properties, PartialEq)]
pub(crate) struct TimelineProps {
    pub(crate) lang: Lang,
    pub(crate) timeline: Shared<TimelineView>,
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
    let l = layout(&p.timeline, p.now);
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
    let height = (AXIS + LANE * l.lanes.len() + 6).to_string();
    html! {
        <div class="scroll timeline" data-testid="timeline">
            <div class="names">
                { for l.lanes.iter().map(|lane| html! {
                    <div key={lane.id.clone()} title={lane.id.clone()}><span class="lead">{ &lane.kind }</span>{ " " }{ &lane.name }</div>
                }) }
            </div>
            <svg width="100%" onpointerdown={scrub.clone()} onpointermove={scrub} height={height.clone()} role="img" aria-label={summary(&l)}>
                <defs>
                    <pattern id="going" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <rect width="6" height="6" class="going-back" /><rect width="2" height="6" class="going-stripe" />
                    </pattern>
                </defs>
                { bands(p.lang, &l, &height) }
                { for l.ticks.iter().map(|tick| html! {
                    <g class="tick-mark">
                        <line x1={pc(tick.at)} x2={pc(tick.at)} y1={(AXIS - 5).to_string()} y2={height.clone()} />
                        <text x={pc(tick.at)} dx="3" y={(AXIS - 8).to_string()}>{ span(tick.ms) }</text>
                    </g>
                }) }
                { for l.lanes.iter().enumerate().map(|(i, lane)| lane_bars(i, lane)) }
                { for l.waits.iter().map(wait) }
                if let Some(at) = p.looking {
                    <line class="looking" x1={pc(l.x(at))} x2={pc(l.x(at))} y1="14" y2={height.clone()} data-testid="looking-line" />
                }
                <line class="now" x1={pc(l.now)} x2={pc(l.now)} y1="14" y2={height.clone()} />
                <circle class="now" cx={pc(l.now)} cy="14" r="4" />
            </svg>
        </div>
    }
}

fn pc(per_mille: f64) -> String {
    format!("{:.2}%", per_mille / 10.0)
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
                    <rect x={pc(b.from)} width={pc(b.width)} y="0" height={height.to_owned()}><title>{ name }</title></rect>
                </g>
            }
        })
        .collect()
}

fn lane_bars(i: usize, lane: &Lane) -> Html {
    let top = AXIS + i * LANE;
    let last = lane.bars.len().saturating_sub(1);
    html! {
        <g key={lane.id.clone()} data-testid={format!("lane-{}-{}", lane.kind, lane.name)}>
            <line class="rule" x1="0" x2="100%" y1={top.to_string()} y2={top.to_string()} />
            { for lane.bars.iter().enumerate().map(|(n, (from, width, bar))| html! {
                <>
                    <rect class={classes!("state", bar_class(bar))} x={pc(*from)} width={pc(*width)} y={(top + 5).to_string()}
                        height={(LANE - 10).to_string()} rx="3"><title>{ words(bar) }</title></rect>
                    if n == last { { label(*from, *width, bar, top) } }
                </>
            }) }
        </g>
    }
}

/// A bar's words beside it, or on it where there is no room beside.
fn label(from: f64, width: f64, bar: &BarView, top: usize) -> Html {
    let y = (top + 18).to_string();
    if from + width > 700.0 && width > 200.0 {
        return html! { <text class={classes!("on", bar_class(bar))} x={pc(from)} dx="8" {y}>{ words(bar) }</text> };
    }
    html! { <text x={pc(from + width)} dx="6" {y}>{ words(bar) }</text> }
}

fn bar_class(bar: &BarView) -> &'static str {
    tone(&bar.state)
}

fn words(bar: &BarView) -> String {
    match bar.text.as_str() {
        "" => bar.state.clone(),
        text => format!("{} · {text}", bar.state),
    }
}

fn wait((lane, on, from, to, text): &(usize, Option<usize>, f64, f64, String)) -> Html {
    let y = |i: usize| (AXIS + i * LANE + LANE / 2).to_string();
    let target = on.unwrap_or(*lane);
    html! {
        <g class="wait">
            <line x1={pc(*from)} x2={pc(*to)} y1={y(target)} y2={y(*lane)} /><title>{ text }</title>
        </g>
    }
}
