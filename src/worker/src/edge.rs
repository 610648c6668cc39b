//! The worker's edge to the browser: messages in and out, its clock, and the pause between slices.

use js_sys::{Atomics, Int32Array, SharedArrayBuffer, Uint8Array};
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
    /// Memory shared with the page, if it has any.
    letterbox: Option<Letterbox>,
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
        if let Ok(memory) = event.data().dyn_into::<SharedArrayBuffer>() {
            return with(|worker| worker.letterbox = Some(Letterbox::new(&memory)));
        }
        let now = now();
        let request = protocol::decode::<Request>(&Uint8Array::new(&event.data()).to_vec());
        with(|worker| match request {
            Some(request) => {
                worker.waiting.push_back((request, now));
                worker.pump();
            }
            None => worker.say(&FromWorker::Fatal { message: "a request that cannot be read".into() }),
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
        letterbox: None,
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
                self.say(&FromWorker::Reply(Reply { micros, ..reply }));
            }
            Progress::More => {
                if let Some((id, _)) = self.current {
                    self.say(&FromWorker::Beat { id });
                }
            }
        }
        if self.current.is_some() || !self.waiting.is_empty() {
            // A pulse that cannot be posted leaves the request to the page's watchdog.
            let _ = self.pulse.post_message(&JsValue::NULL);
        }
    }

    fn say(&self, message: &FromWorker) {
        let bytes = protocol::encode(message);
        if self.letterbox.as_ref().is_some_and(|letterbox| letterbox.put(&bytes)) {
            // For a page that is between frames.
            let _ = self.scope.post_message(&JsValue::NULL);
        } else {
            post(&self.scope, &bytes);
        }
    }
}

/// The worker's end of the memory that `app::letterbox` offers: whether something lies there, its length, the content.
struct Letterbox {
    head: Int32Array,
    content: Uint8Array,
}

impl Letterbox {
    fn new(memory: &SharedArrayBuffer) -> Letterbox {
        Letterbox { head: Int32Array::new(memory), content: Uint8Array::new_with_byte_offset(memory, 8) }
    }

    /// Leaves a message; false when it does not fit or the last one still lies there.
    fn put(&self, bytes: &[u8]) -> bool {
        let Ok(length) = i32::try_from(bytes.len()) else { return false };
        if bytes.len() > self.content.length() as usize || Atomics::load(&self.head, 0) != Ok(0) {
            return false;
        }
        self.content.subarray(0, bytes.len() as u32).copy_from(bytes);
        Atomics::store(&self.head, 1, length).is_ok() && Atomics::store(&self.head, 0, 1).is_ok()
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
    post(scope, &protocol::encode(message));
}

fn post(scope: &DedicatedWorkerGlobalScope, bytes: &[u8]) {
    let bytes = Uint8Array::from(bytes);
    // Bytes can always be posted.
    let _ = scope.post_message_with_transfer(&bytes, &js_sys::Array::of1(&bytes.buffer()));
}

fn now() -> f64 {
    scope().ok().and_then(|scope| scope.performance()).map_or(0.0, |performance| performance.now())
}
