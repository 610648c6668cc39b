//! Lays the timeline out: which lanes, where each bar starts in per mille of the width, bands of phase and wave, ticks.

use protocol::{BarView, TimelineView};

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
    /// Waits: lane that waits, lane that it waits for, start, end, words.
    pub waits: Vec<(usize, Option<usize>, f64, f64, String)>,
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

/// Lays out a timeline at the moment `now`.
pub fn layout(view: &TimelineView, now: u64) -> Layout {
    let start = view.from;
    // Some room on the right for words beside the last bar.
    let length = (view.to.max(now).saturating_sub(start)).max(1000) as f64 * 1.18;
    let x = |ms: u64| (ms.saturating_sub(start)) as f64 / length * 1000.0;
    let lanes: Vec<Lane> = view
        .lanes
        .iter()
        .map(|lane| Lane {
            id: lane.id.clone(),
            kind: lane.kind.clone(),
            name: lane.name.clone(),
            bars: lane
                .bars
                .iter()
                .map(|bar| (x(bar.from), (x(bar.to.max(bar.from)) - x(bar.from)).max(THIN), bar.clone()))
                .collect(),
        })
        .collect();
    let at = |id: &str| view.lanes.iter().position(|l| l.id == id);
    let waits =
        view.waits.iter().filter_map(|w| Some((at(&w.lane)?, at(&w.on), x(w.from), x(w.to), w.text.clone()))).collect();
    Layout { lanes, bands: bands(view, x), ticks: ticks(start, length, x), now: x(now), from: start, length, waits }
}

fn bands(view: &TimelineView, x: impl Fn(u64) -> f64) -> Vec<Band> {
    let mut found: Vec<(String, i32, u64, u64)> = Vec::new();
    for lane in view.lanes.iter().filter(|l| !l.phase.is_empty()) {
        let (Some(first), Some(last)) = (lane.bars.first(), lane.bars.last()) else { continue };
        match found.iter_mut().find(|(p, w, ..)| *p == lane.phase && *w == lane.wave) {
            Some((.., from, to)) => (*from, *to) = ((*from).min(first.from), (*to).max(last.to)),
            None => found.push((lane.phase.clone(), lane.wave, first.from, last.to)),
        }
    }
    found.sort_by_key(|(_, wave, from, _)| (*from, *wave));
    let starts: Vec<u64> = found.iter().map(|f| f.2).collect();
    found
        .into_iter()
        .enumerate()
        .map(|(i, (phase, wave, from, to))| {
            // A band ends where the next begins: waves do not overlap.
            let to = starts.get(i + 1).copied().filter(|next| *next > from).unwrap_or(to);
            Band { phase, wave, from: x(from), width: (x(to) - x(from)).max(THIN) }
        })
        .collect()
}

fn ticks(start: u64, length: f64, x: impl Fn(u64) -> f64) -> Vec<Tick> {
    const STEPS: [u64; 13] =
        [200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000];
    let step = STEPS.into_iter().find(|s| length / *s as f64 <= 9.0).unwrap_or_else(|| (length as u64 / 8).max(1));
    let first = start.div_ceil(step) * step;
    (0..12)
        .map(|i| first + i * step)
        .filter(|ms| *ms as f64 <= start as f64 + length * 0.97)
        .map(|ms| Tick { at: x(ms), ms })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::LaneView;

    #[test]
    fn bars_bands_and_ticks() {
        let bar = |from, to, state: &str| BarView { from, to, state: state.into(), text: String::new() };
        let lane =
            |id: &str, wave, bars| LaneView { id: id.into(), phase: "Sync".into(), wave, bars, ..LaneView::default() };
        let view = TimelineView {
            from: 0,
            to: 10_000,
            lanes: vec![
                lane("a", -1, vec![bar(1000, 2000, "Healthy")]),
                lane("b", 0, vec![bar(2000, 10_000, "Progressing")]),
            ],
            waits: vec![],
        };
        let out = layout(&view, 10_000);
        assert_eq!(out.bands.iter().map(|b| b.wave).collect::<Vec<_>>(), [-1, 0]);
        assert!(out.lanes[0].bars[0].0 < out.lanes[1].bars[0].0 && out.now < 1000.0);
        assert!((3..=12).contains(&out.ticks.len()), "{:?}", out.ticks);
        assert!(layout(&TimelineView::default(), 0).lanes.is_empty());
    }
}
