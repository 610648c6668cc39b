//! What the worker is asked next. One request is out at a time and the order is kept, since a commit must see the
//! edits before it; while the worker is busy, later edits of the same file, later questions of the same kind and later
//! clock moves replace or join those that still wait. It also counts deaths: a request that killed the worker twice is
//! not sent a third time.

use protocol::{ClockMove, Request, RequestKind};
use std::collections::{BTreeMap, VecDeque};

/// How long a worker may be silent on a request, in milliseconds. Long runs send heartbeats, so only a worker that is
/// stuck misses this.
const PATIENCE: f64 = 8_000.0;
/// The first request also waits for the replay of a saved playground.
const PATIENCE_OPEN: f64 = 30_000.0;
/// How often a request may kill the worker before it is set aside.
const DEATHS: u32 = 2;

/// What to do after the worker died.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The request in flight may be tried once more (or there was none).
    Again,
    /// This request killed the worker twice.
    SetAside(RequestKind),
}

/// The queue of requests.
#[derive(Debug, Default)]
pub struct Outbox {
    next_id: u64,
    waiting: VecDeque<(u64, RequestKind)>,
    flight: Option<Flight>,
    deaths: BTreeMap<Vec<u8>, u32>,
}

#[derive(Debug)]
struct Flight {
    request: Request,
    heard: f64,
}

impl Outbox {
    /// Adds a request; it may replace one that still waits.
    pub fn push(&mut self, revision: u64, kind: RequestKind) {
        if self.condemned(&kind) {
            return;
        }
        match &kind {
            RequestKind::Edit { path, .. } => {
                // Edits commute with questions, so look back over these for an edit of the same file.
                for (r, waiting) in self.waiting.iter_mut().rev() {
                    match waiting {
                        RequestKind::Edit { path: p, .. } if p == path => {
                            (*r, *waiting) = (revision, kind);
                            return;
                        }
                        RequestKind::Edit { .. }
                        | RequestKind::Explain(_)
                        | RequestKind::Details(_)
                        | RequestKind::ValuesTable { .. } => {}
                        _ => break,
                    }
                }
            }
            RequestKind::Clock(ClockMove::Advance { ms }) => {
                if let Some((r, RequestKind::Clock(ClockMove::Advance { ms: m }))) = self.waiting.back_mut() {
                    (*r, *m) = (revision, m.saturating_add(*ms));
                    return;
                }
            }
            RequestKind::Explain(_) => self.waiting.retain(|(_, k)| !matches!(k, RequestKind::Explain(_))),
            RequestKind::Details(_) => self.waiting.retain(|(_, k)| !matches!(k, RequestKind::Details(_))),
            RequestKind::Look { .. } => self.waiting.retain(|(_, k)| !matches!(k, RequestKind::Look { .. })),
            RequestKind::ValuesTable { .. } => {
                self.waiting.retain(|(_, k)| !matches!(k, RequestKind::ValuesTable { .. }))
            }
            RequestKind::Focus { .. } => {
                if let Some((r, RequestKind::Focus { .. })) = self.waiting.back() {
                    let _ = r;
                    self.waiting.pop_back();
                }
            }
            _ => {}
        }
        self.waiting.push_back((revision, kind));
    }

    /// Puts these before everything that waits, in order: what a new worker has to hear first.
    pub fn lead(&mut self, revision: u64, kinds: Vec<RequestKind>) {
        for kind in kinds.into_iter().rev() {
            if !self.condemned(&kind) {
                self.waiting.push_front((revision, kind));
            }
        }
    }

    /// Forgets everything that waits.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }

    /// The next request to send, if the worker is free. `now` in milliseconds.
    pub fn take(&mut self, now: f64) -> Option<Request> {
        if self.flight.is_some() {
            return None;
        }
        let (revision, kind) = self.waiting.pop_front()?;
        self.next_id += 1;
        let request = Request { id: self.next_id, revision, kind };
        self.flight = Some(Flight { request: request.clone(), heard: now });
        Some(request)
    }

    /// The worker is still at it.
    pub fn beat(&mut self, id: u64, now: f64) {
        if let Some(flight) = &mut self.flight
            && flight.request.id == id
        {
            flight.heard = now;
        }
    }

    /// The worker answered: what was asked, or `None` for an answer that nobody waits for.
    pub fn answered(&mut self, id: u64) -> Option<RequestKind> {
        if self.flight.as_ref().is_some_and(|f| f.request.id == id) {
            return self.flight.take().map(|f| f.request.kind);
        }
        None
    }

    /// Whether the worker has been silent for too long.
    pub fn overdue(&self, now: f64) -> bool {
        self.flight.as_ref().is_some_and(|f| {
            let patience = if matches!(f.request.kind, RequestKind::Open(_)) { PATIENCE_OPEN } else { PATIENCE };
            now - f.heard > patience
        })
    }

    /// Whether a request is out.
    pub fn in_flight(&self) -> bool {
        self.flight.is_some()
    }

    /// The worker died. The request that was out goes back to the front, or is set aside. Edits are not put back: the
    /// draft has them, and replays the newest.
    pub fn died(&mut self) -> Verdict {
        let Some(flight) = self.flight.take() else { return Verdict::Again };
        let kind = flight.request.kind;
        let deaths = self.deaths.entry(key(&kind)).or_default();
        *deaths += 1;
        if *deaths >= DEATHS {
            return Verdict::SetAside(kind);
        }
        if !matches!(kind, RequestKind::Edit { .. } | RequestKind::Open(_)) {
            self.waiting.push_front((flight.request.revision, kind));
        }
        Verdict::Again
    }

    fn condemned(&self, kind: &RequestKind) -> bool {
        !self.deaths.is_empty() && self.deaths.get(&key(kind)).is_some_and(|n| *n >= DEATHS)
    }
}

fn key(kind: &RequestKind) -> Vec<u8> {
    protocol::encode(kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Change, Command, Opening};

    fn edit(path: &str, text: &str) -> RequestKind {
        RequestKind::Edit { path: path.into(), change: Change::Text(text.into()) }
    }

    #[test]
    fn waiting_edits_of_a_file_collapse_but_not_across_a_commit() {
        let mut out = Outbox::default();
        out.push(0, RequestKind::Ping);
        let first = out.take(0.0).unwrap();
        out.push(1, edit("a", "1"));
        out.push(2, edit("b", "1"));
        out.push(3, edit("a", "2"));
        out.push(4, RequestKind::Command(Command::GitPush));
        out.push(5, edit("a", "3"));
        assert!(out.take(0.0).is_none(), "one at a time");
        assert_eq!(out.answered(first.id), Some(RequestKind::Ping));
        let mut seen = Vec::new();
        while let Some(r) = out.take(0.0) {
            out.answered(r.id);
            seen.push((r.revision, r.kind));
        }
        assert_eq!(
            seen,
            vec![
                (3, edit("a", "2")),
                (2, edit("b", "1")),
                (4, RequestKind::Command(Command::GitPush)),
                (5, edit("a", "3"))
            ]
        );
    }

    #[test]
    fn clock_moves_join() {
        let mut out = Outbox::default();
        out.push(0, RequestKind::Clock(ClockMove::Advance { ms: 100 }));
        out.push(0, RequestKind::Clock(ClockMove::Advance { ms: 50 }));
        assert_eq!(out.take(0.0).unwrap().kind, RequestKind::Clock(ClockMove::Advance { ms: 150 }));
        assert!(out.take(0.0).is_none());
    }

    #[test]
    fn a_killer_is_tried_twice_and_then_set_aside() {
        let mut out = Outbox::default();
        let killer = RequestKind::Command(Command::GitPush);
        out.push(0, killer.clone());
        out.take(0.0);
        assert_eq!(out.died(), Verdict::Again);
        out.lead(0, vec![RequestKind::Open(Opening::Lesson { id: "x".into() })]);
        let open = out.take(0.0).unwrap();
        assert!(matches!(open.kind, RequestKind::Open(_)));
        out.answered(open.id);
        assert_eq!(out.take(0.0).unwrap().kind, killer);
        assert_eq!(out.died(), Verdict::SetAside(killer.clone()));
        out.push(0, killer);
        assert!(out.take(0.0).is_none());
    }

    #[test]
    fn silence_is_counted_from_the_last_beat() {
        let mut out = Outbox::default();
        out.push(0, RequestKind::Ping);
        let id = out.take(0.0).unwrap().id;
        assert!(!out.overdue(7_000.0));
        out.beat(id, 7_000.0);
        assert!(!out.overdue(14_000.0) && out.overdue(16_000.0));
        assert_eq!(out.answered(id + 1), None);
        assert!(out.answered(id).is_some() && !out.overdue(1e9));
    }
}
