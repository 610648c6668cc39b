//! The one place that touches `web_sys::Worker`. It starts the worker, waits for its handshake, sends one request at a
//! time from the [`Outbox`], watches for a worker that went silent or broke, replaces it, and reports all of this as
//! actions. It holds no state of the playground: a new worker is told everything again by the page's `Recover` effect.

use crate::letterbox::Letterbox;
use crate::{browser, timing};
use js_sys::{Array, Reflect, Uint8Array};
use protocol::{BUILD, FromWorker, PROTOCOL_VERSION, RequestKind};
use std::cell::RefCell;
use std::rc::Rc;
use ui_state::{Action, Outbox, Verdict};
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

/// The worker's module, beside the page.
const SCRIPT: &str = "./worker_loader.js";
/// Deaths in a row without any answer after which the page gives up.
const HOPELESS: u32 = 6;
/// How long a worker may take to load and say ready, in milliseconds.
const START_PATIENCE: f64 = 60_000.0;

/// The handle that the page holds.
#[derive(Clone)]
pub(crate) struct Engine(Rc<RefCell<Inner>>);

struct Inner {
    worker: Option<Live>,
    outbox: Outbox,
    on: Callback<Action>,
    /// Which worker this is; messages of earlier ones are dropped.
    generation: u64,
    ready: bool,
    started: f64,
    sent: f64,
    deaths_in_a_row: u32,
    /// The next frame will begin with a look into the letterbox.
    expecting: bool,
    /// And look once more after the editor's own work.
    looking: bool,
}

/// A worker with the closures that it calls.
struct Live {
    worker: Worker,
    letterbox: Option<Letterbox>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(web_sys::Event)>,
}

impl Drop for Live {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// The worker that `www/early.js` started before the page was there, with what it said since.
struct Early {
    worker: Worker,
    messages: Vec<Vec<u8>>,
}

/// Takes that worker over, once; none if it was not started or broke.
fn early() -> Option<Early> {
    let window = browser::window()?;
    let name = JsValue::from_str("__tidepoolEarly");
    let found = Reflect::get(&window, &name).ok().filter(JsValue::is_object)?;
    Reflect::set(&window, &name, &JsValue::UNDEFINED).ok()?;
    let worker: Worker = Reflect::get(&found, &"worker".into()).ok()?.dyn_into().ok()?;
    let failed = Reflect::get(&found, &"failed".into()).ok()?.is_truthy();
    if failed {
        worker.terminate();
        return None;
    }
    let list: Array = Reflect::get(&found, &"messages".into()).ok()?.dyn_into().ok()?;
    Some(Early { worker, messages: list.iter().map(|m| Uint8Array::new(&m).to_vec()).collect() })
}

impl Engine {
    /// Starts a worker; what happens to it is reported to `on`.
    pub(crate) fn start(on: Callback<Action>) -> Engine {
        let engine = Engine(Rc::new(RefCell::new(Inner {
            worker: None,
            outbox: Outbox::default(),
            on,
            generation: 0,
            ready: false,
            started: 0.0,
            sent: 0.0,
            deaths_in_a_row: 0,
            expecting: false,
            looking: false,
        })));
        engine.spawn();
        let kill = engine.clone();
        timing::offer_kill(Rc::new(move || kill.died("killed by a test")));
        engine
    }

    /// Asks the worker, now or when it is free.
    pub(crate) fn send(&self, revision: u64, kind: RequestKind) {
        self.0.borrow_mut().outbox.push(revision, kind);
        self.pump();
    }

    /// Asks these before everything that waits.
    pub(crate) fn recover(&self, revision: u64, kinds: Vec<RequestKind>) {
        self.0.borrow_mut().outbox.lead(revision, kinds);
        self.pump();
    }

    /// Asks this instead of everything that waits.
    pub(crate) fn restart(&self, revision: u64, kind: RequestKind) {
        let mut inner = self.0.borrow_mut();
        inner.outbox.clear();
        inner.outbox.push(revision, kind);
        drop(inner);
        self.pump();
    }

    /// Looks whether the worker is stuck; to be called about once a second.
    pub(crate) fn watch(&self) {
        let now = browser::now();
        let inner = self.0.borrow();
        let stuck = if inner.ready {
            inner.outbox.overdue(now)
        } else {
            inner.worker.is_some() && now - inner.started > START_PATIENCE
        };
        drop(inner);
        if stuck {
            self.died("no heartbeat");
        }
    }

    fn spawn(&self) {
        let mut inner = self.0.borrow_mut();
        inner.generation += 1;
        inner.ready = false;
        inner.started = browser::now();
        let generation = inner.generation;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let early = early();
        let (worker, heard) = match early {
            Some(early) => (Ok(early.worker), early.messages),
            None => (Worker::new_with_options(SCRIPT, &options), Vec::new()),
        };
        let worker = match worker {
            Ok(worker) => worker,
            Err(why) => {
                let on = inner.on.clone();
                drop(inner);
                on.emit(Action::WorkerFailed(format!("{why:?}")));
                return;
            }
        };
        let engine = self.clone();
        let message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let current = engine.0.borrow().generation == generation;
            if current {
                engine.collect();
                // Empty: only a hint that something lies in the letterbox.
                if let Ok(bytes) = event.data().dyn_into::<Uint8Array>() {
                    engine.hear(&bytes.to_vec());
                }
            }
        });
        let engine = self.clone();
        let error = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            event.prevent_default();
            let current = engine.0.borrow().generation == generation;
            if current {
                let why = event.dyn_ref::<web_sys::ErrorEvent>().map(|e| e.message()).unwrap_or_default();
                engine.died(&why);
            }
        });
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        let letterbox = Letterbox::offer(&worker);
        inner.worker = Some(Live { worker, letterbox, _message: message, _error: error });
        drop(inner);
        for bytes in heard {
            self.hear(&bytes);
        }
    }

    /// Hears what lies in the letterbox.
    fn collect(&self) {
        let found = self.0.borrow().worker.as_ref().and_then(|live| live.letterbox.as_ref()?.take());
        if let Some(bytes) = found {
            self.hear(&bytes);
        }
    }

    /// A key is down: the next frame will begin with a look into the letterbox, before the editor measures itself.
    pub(crate) fn expect_answer(&self) {
        let mut inner = self.0.borrow_mut();
        let has_letterbox = inner.worker.as_ref().is_some_and(|live| live.letterbox.is_some());
        if has_letterbox && !inner.expecting {
            inner.expecting = true;
            drop(inner);
            self.collect_in_frame(|inner| inner.expecting = false);
        }
    }

    /// Looks into the letterbox in the next frame, before it is painted.
    fn collect_in_frame(&self, begun: fn(&mut Inner)) {
        let engine = self.clone();
        let look = Closure::once_into_js(move || {
            begun(&mut engine.0.borrow_mut());
            timing::in_frame();
            engine.collect();
        });
        if let Some(window) = browser::window() {
            // A refusal leaves the answer to its message.
            let _ = window.request_animation_frame(look.unchecked_ref());
        }
    }

    fn hear(&self, bytes: &[u8]) {
        let Some(message) = protocol::decode::<FromWorker>(bytes) else {
            // A message that we cannot read is a worker of another build, whatever its handshake said.
            self.emit(Action::WorkerMismatch);
            return;
        };
        match message {
            FromWorker::Ready { protocol, build } => {
                let same = protocol == PROTOCOL_VERSION && build == BUILD;
                self.0.borrow_mut().ready = same;
                self.emit(if same { Action::WorkerReady } else { Action::WorkerMismatch });
                self.pump();
            }
            FromWorker::Beat { id } => self.0.borrow_mut().outbox.beat(id, browser::now()),
            FromWorker::Reply(reply) => {
                let mut inner = self.0.borrow_mut();
                let Some(kind) = inner.outbox.answered(reply.id) else { return };
                inner.deaths_in_a_row = 0;
                let took = browser::now() - inner.sent;
                drop(inner);
                if matches!(kind, RequestKind::Edit { .. }) {
                    timing::answered(took, reply.micros as f64 / 1000.0);
                }
                // The worker goes on with the next request while the page draws this answer.
                self.pump();
                self.emit(Action::Answer(kind, reply));
            }
            FromWorker::Fatal { message } => self.died(&message),
        }
    }

    /// The worker is gone: a new one takes over.
    fn died(&self, why: &str) {
        let mut inner = self.0.borrow_mut();
        inner.worker = None;
        inner.deaths_in_a_row += 1;
        let verdict = inner.outbox.died();
        let hopeless = inner.deaths_in_a_row >= HOPELESS;
        drop(inner);
        if hopeless {
            self.emit(Action::WorkerFailed(why.to_owned()));
            return;
        }
        self.emit(Action::WorkerReplaced);
        if let Verdict::SetAside(kind) = verdict {
            self.emit(Action::SetAside(kind));
        }
        self.spawn();
    }

    fn pump(&self) {
        let mut inner = self.0.borrow_mut();
        if !inner.ready {
            return;
        }
        let now = browser::now();
        let Some(request) = inner.outbox.take(now) else { return };
        inner.sent = now;
        let bytes = Uint8Array::from(protocol::encode(&request).as_slice());
        if let Some(live) = &inner.worker {
            // Bytes can always be posted; a worker that is gone is noticed by the watchdog.
            let _ = live.worker.post_message(&bytes);
            if live.letterbox.is_some() && !inner.looking {
                inner.looking = true;
                drop(inner);
                self.collect_in_frame(|inner| inner.looking = false);
            }
        }
    }

    fn emit(&self, action: Action) {
        let on = self.0.borrow().on.clone();
        on.emit(action);
    }
}
