//! Lays the timeline out: which lanes, where each bar starts in per mille of the width, bands of phase and wave, ticks,
//! waits.

use crate::Zoom;
use protocol::{BarView, Message, TimelineView};

/// The laid-out timeline. Positions are per mille of the width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Lanes in order.
    pub lanes: Vec<Lane>,
    /// Stretches of one phase and wave.
    pub bands: Vec<Band>,
    /// Marks on the time axis.
    pub ticks: Vec<Tick>,
    /// Now.
    pub now: f64,
    /// First moment, in milliseconds.
    pub from: u64,
    /// Milliseconds in the whole width.
    pub length: f64,
    /// Who waits for whom.
    pub waits: Vec<WaitLine>,
}

/// One wait.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitLine {
    /// Index of the lane that waits.
    pub lane: usize,
    /// Index of the lane that it waits for, when it has one.
    pub on: Option<usize>,
    /// Start and end.
    pub from: f64,
    /// End.
    pub to: f64,
    /// True while it lasts.
    pub open: bool,
    /// The tool's words.
    pub text: String,
    /// Why, with figures.
    pub causes: Vec<Message>,
}

impl Layout {
    /// Where a moment is.
    pub fn x(&self, ms: u64) -> f64 {
        ms.saturating_sub(self.from) as f64 / self.length.max(1.0) * 1000.0
    }

    /// The moment at a position.
    pub fn moment(&self, per_mille: f64) -> u64 {
        self.from + (per_mille.clamp(0.0, 1000.0) / 1000.0 * self.length) as u64
    }
}

/// One lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Stable id.
    pub id: String,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
    /// Phase and wave, when a sync touches it.
    pub step: Option<(String, i32)>,
    /// Bars with start and width.
    pub bars: Vec<(f64, f64, BarView)>,
}

/// A stretch of time that belongs to one phase and wave.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Phase.
    pub phase: String,
    /// Wave.
    pub wave: i32,
    /// Start.
    pub from: f64,
    /// Width.
    pub width: f64,
}

/// A mark on the time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where.
    pub at: f64,
    /// Milliseconds.
    pub ms: u64,
}

/// The narrowest a bar is drawn, so that a moment is seen.
const THIN: f64 = 3.0;
/// Room on the right for words beside the last bar.
const ROOM: f64 = 1.18;

/// Lays out the lanes of an Application (of all when `app` is empty) at the moment `now`.
pub fn layout(view: &TimelineView, app: &str, zoom: Zoom, now: u64) -> Layout {
    let end = view.to.max(now);
    let start = first(view, app, zoom, end);
    let length = end.saturating_sub(start).max(1000) as f64 * ROOM;
    let mut out = Layout { from: start, length, ..Layout::default() };
    let shown: Vec<_> = view
        .lanes
        .iter()
        .filter(|lane| app.is_empty() || lane.app == app)
        .filter(|lane| lane.bars.last().is_some_and(|bar| bar.to.max(bar.from) >= start))
        .collect();
    let x = move |ms: u64| ms.saturating_sub(start) as f64 / length * 1000.0;
    let width = move |from: u64, to: u64| (x(to.max(from)) - x(from)).max(THIN);
    out.lanes = shown
        .iter()
        .map(|lane| Lane {
            id: lane.id.clone(),
            kind: lane.kind.clone(),
            name: lane.name.clone(),
            step: (!lane.phase.is_empty()).then(|| (lane.phase.clone(), lane.wave)),
            bars: lane
                .bars
                .iter()
                .filter(|bar| bar.to.max(bar.from) >= start)
                .map(|bar| (x(bar.from), width(bar.from.max(start), bar.to), bar.clone()))
                .collect(),
        })
        .collect();
    let at = |id: &str| shown.iter().position(|lane| lane.id == id);
    let waits = view.waits.iter().filter(|wait| wait.to >= start).filter_map(|wait| {
        Some(WaitLine {
            lane: at(&wait.lane)?,
            on: at(&wait.on),
            from: x(wait.from),
            to: x(wait.to),
            open: wait.to >= view.to,
            text: wait.text.clone(),
            causes: wait.causes.clone(),
        })
    });
    out.waits = waits.collect();
    let bands = view.bands.iter().filter(|band| band.app == app && band.to >= start);
    out.bands = bands
        .map(|band| Band {
            phase: band.phase.clone(),
            wave: band.wave,
            from: x(band.from),
            width: width(band.from.max(start), band.to),
        })
        .collect();
    out.ticks = ticks(&out);
    out.now = out.x(now);
    out
}

/// The first moment on show.
fn first(view: &TimelineView, app: &str, zoom: Zoom, end: u64) -> u64 {
    match zoom {
        Zoom::All => view.from,
        Zoom::Minute => end.saturating_sub(60_000).max(view.from),
        Zoom::Operation => {
            // Attempts of one operation belong together: they are apart by more than a step, and their bands carry on.
            let own = |lane: &&protocol::LaneView| lane.kind == "Application" && (app.is_empty() || lane.name == app);
            let began = view.lanes.iter().filter(own).filter_map(|lane| {
                let running =
                    lane.bars.iter().rev().skip_while(|bar| bar.state != "Running" && bar.state != "Terminating");
                running
                    .take_while(|bar| bar.state == "Running" || bar.state == "Terminating")
                    .last()
                    .map(|bar| bar.from)
            });
            let began = began.max().unwrap_or(view.from);
            began.saturating_sub((end - began.min(end)) / 20 + 200).max(view.from)
        }
    }
}

fn ticks(layout: &Layout) -> Vec<Tick> {
    const STEPS: [u64; 13] =
        [200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000];
    let length = layout.length;
    let step = STEPS.into_iter().find(|s| length / *s as f64 <= 9.0).unwrap_or_else(|| (length as u64 / 8).max(1));
    let first = layout.from.div_ceil(step) * step;
    (0..12)
        .map(|i| first + i * step)
        .filter(|ms| *ms as f64 <= layout.from as f64 + length * 0.97)
        .map(|ms| Tick { at: layout.x(ms), ms })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{BandView, LaneView, WaitView};

    fn view() -> TimelineView {
        let bar = |from, to, state: &str| BarView { from, to, state: state.into(), ..BarView::default() };
        let lane = |id: &str, app: &str, bars| LaneView {
            id: id.into(),
            kind: if id == "app" { "Application".into() } else { "Job".into() },
            name: app.into(),
            app: app.into(),
            bars,
            ..LaneView::default()
        };
        TimelineView {
            from: 0,
            to: 100_000,
            lanes: vec![
                lane(
                    "app",
                    "x",
                    vec![bar(1000, 2000, "Running"), bar(2000, 2000, "Succeeded"), bar(90_000, 100_000, "Running")],
                ),
                lane("a", "x", vec![bar(1000, 100_000, "Healthy")]),
                lane("gone", "x", vec![bar(1000, 2000, "Healthy")]),
                lane("b", "y", vec![bar(2000, 10_000, "Progressing")]),
            ],
            waits: vec![WaitView {
                from: 91_000,
                to: 100_000,
                lane: "app".into(),
                on: "a".into(),
                ..WaitView::default()
            }],
            bands: vec![BandView { app: "x".into(), from: 90_000, to: 100_000, phase: "PreSync".into(), wave: 0 }],
        }
    }

    #[test]
    fn an_operation_fills_the_width() {
        let out = layout(&view(), "x", Zoom::Operation, 100_000);
        assert!((88_000..90_000).contains(&out.from), "{}", out.from);
        assert_eq!(out.lanes.iter().map(|lane| lane.id.as_str()).collect::<Vec<_>>(), ["app", "a"]);
        assert_eq!((out.bands.len(), out.waits.len(), out.waits[0].open), (1, 1, true));
        assert!((3..=12).contains(&out.ticks.len()), "{:?}", out.ticks);
        assert_eq!(out.moment(out.x(95_000)), 95_000);
    }

    #[test]
    fn everything_is_there_on_demand() {
        let out = layout(&view(), "", Zoom::All, 100_000);
        assert_eq!((out.from, out.lanes.len()), (0, 4));
        assert!(layout(&TimelineView::default(), "", Zoom::Minute, 0).lanes.is_empty());
    }
}
