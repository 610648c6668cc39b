//! The worker's edge to the browser: messages in and out, its clock, and the pause between slices.

use js_sys::Uint8Array;
use playground::{Playground, Progress, Slice};
use protocol::{FromWorker, Reply, Request};
use std::cell::RefCell;
use std::collections::VecDeque;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort};

/// How long one slice lasts, in milliseconds: long enough to be worth it, short enough for a steady heartbeat.
const SLICE: f64 = 50.0;

thread_local! {
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

struct Worker {
    scope: DedicatedWorkerGlobalScope,
    playground: Playground,
    waiting: VecDeque<(Request, f64)>,
    /// The unfinished request: its id and when it came.
    current: Option<(u64, f64)>,
    /// Posting here runs the next slice after messages that already wait.
    pulse: MessagePort,
}

/// Installs the handlers and says ready.
pub(crate) fn start() {
    std::panic::set_hook(Box::new(|info| {
        if let Ok(scope) = scope() {
            say(&scope, &FromWorker::Fatal { message: info.to_string() });
        }
    }));
    if let (Ok(scope), Ok(channel)) = (scope(), MessageChannel::new()) {
        listen(scope, &channel);
    }
}

fn scope() -> Result<DedicatedWorkerGlobalScope, JsValue> {
    js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>().map_err(JsValue::from)
}

fn listen(scope: DedicatedWorkerGlobalScope, channel: &MessageChannel) {
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        let now = now();
        let request = protocol::decode::<Request>(&Uint8Array::new(&event.data()).to_vec());
        with(|worker| match request {
            Some(request) => {
                worker.waiting.push_back((request, now));
                worker.pump();
            }
            None => say(&worker.scope, &FromWorker::Fatal { message: "a request that cannot be read".into() }),
        });
    });
    let on_pulse = Closure::<dyn FnMut(MessageEvent)>::new(|_: MessageEvent| with(Worker::pump));
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    channel.port1().set_onmessage(Some(on_pulse.as_ref().unchecked_ref()));
    on_message.forget();
    on_pulse.forget();
    say(&scope, &FromWorker::Ready { protocol: protocol::PROTOCOL_VERSION, build: protocol::BUILD.to_string() });
    let worker = Worker {
        scope,
        playground: Playground::new(),
        waiting: VecDeque::new(),
        current: None,
        pulse: channel.port2(),
    };
    WORKER.with(|slot| *slot.borrow_mut() = Some(worker));
}

fn with(act: impl FnOnce(&mut Worker)) {
    WORKER.with(|slot| {
        if let Ok(mut slot) = slot.try_borrow_mut()
            && let Some(worker) = slot.as_mut()
        {
            act(worker);
        }
    });
}

impl Worker {
    /// Does one slice of the current request, or begins the next one.
    fn pump(&mut self) {
        let mut slice = Until { end: now() + SLICE };
        let (progress, came) = match self.current {
            Some((_, came)) => (self.playground.resume(&mut slice), came),
            None => {
                let Some((request, came)) = self.waiting.pop_front() else { return };
                self.current = Some((request.id, came));
                (self.playground.handle(request, &mut slice), came)
            }
        };
        match progress {
            Progress::Done(reply) => {
                self.current = None;
                let micros = ((now() - came) * 1000.0).max(0.0) as u64;
                say(&self.scope, &FromWorker::Reply(Reply { micros, ..reply }));
            }
            Progress::More => {
                if let Some((id, _)) = self.current {
                    say(&self.scope, &FromWorker::Beat { id });
                }
            }
        }
        if self.current.is_some() || !self.waiting.is_empty() {
            // A pulse that cannot be posted leaves the request to the page's watchdog.
            let _ = self.pulse.post_message(&JsValue::NULL);
        }
    }
}

/// A slice that ends at an instant.
struct Until {
    end: f64,
}

impl Slice for Until {
    fn more(&mut self) -> bool {
        now() < self.end
    }
}

fn say(scope: &DedicatedWorkerGlobalScope, message: &FromWorker) {
    let bytes = Uint8Array::from(protocol::encode(message).as_slice());
    // Bytes can always be posted.
    let _ = scope.post_message_with_transfer(&bytes, &js_sys::Array::of1(&bytes.buffer()));
}

fn now() -> f64 {
    scope().ok().and_then(|scope| scope.performance()).map_or(0.0, |performance| performance.now())
}
