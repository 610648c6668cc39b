//! How long it takes from a keystroke to its answer and to the painted result. The figures stand in
//! `window.__tidepool` as `roundTrips`, `workers` and `paints` (milliseconds, newest last) for the browser tests and
//! for a curious person with the console open; the same moments are `performance` measures for the profiler.

use crate::browser;
use js_sys::{Array, Object, Reflect};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// The lists keep this many figures.
const KEEP: u32 = 500;

thread_local! {
    /// A frame is being made: what is put into the document now is painted with it.
    static IN_FRAME: Cell<bool> = const { Cell::new(false) };
    static INPUT: RefCell<Option<f64>> = const { RefCell::new(None) };
    static ANSWERED: RefCell<Option<f64>> = const { RefCell::new(None) };
}

/// `window.__tidepool`, made on first use.
pub(crate) fn probe() -> Option<Object> {
    let window = browser::window()?;
    let name = JsValue::from_str("__tidepool");
    let found = Reflect::get(&window, &name).ok()?;
    if found.is_object() {
        return found.dyn_into().ok();
    }
    let made = Object::new();
    for list in ["roundTrips", "workers", "paints"] {
        Reflect::set(&made, &list.into(), &Array::new()).ok()?;
    }
    Reflect::set(&window, &name, &made).ok()?;
    Some(made)
}

fn note(list: &str, ms: f64) {
    let found = probe().and_then(|p| Reflect::get(&p, &list.into()).ok()).and_then(|l| l.dyn_into::<Array>().ok());
    if let Some(list) = found {
        list.push(&ms.into());
        if list.length() > KEEP {
            list.shift();
        }
    }
}

fn mark(name: &str) {
    if let Some(p) = browser::window().and_then(|w| w.performance()) {
        let _ = p.mark(name);
    }
}

fn measure(name: &str, from: &str) {
    if let Some(p) = browser::window().and_then(|w| w.performance()) {
        let _ = p.measure_with_start_mark(name, from);
    }
}

/// The person typed.
pub(crate) fn input() {
    INPUT.with(|i| _ = i.borrow_mut().get_or_insert_with(browser::now));
    mark("tide-input");
}

/// The worker answered an edit after so many milliseconds, `worker` of which it worked.
pub(crate) fn answered(ms: f64, worker: f64) {
    note("roundTrips", ms);
    note("workers", worker);
    let begun = INPUT.with(|i| i.borrow_mut().take());
    ANSWERED.with(|a| *a.borrow_mut() = begun);
}

/// The page has put the answer into the document: counts as painted when the frame after it is out.
pub(crate) fn drawn() {
    let Some(begun) = ANSWERED.with(|a| a.borrow_mut().take()) else { return };
    let Some(window) = browser::window() else { return };
    let painted = Closure::once_into_js(move || {
        note("paints", browser::now() - begun);
        measure("tide-paint", "tide-input");
    });
    // A task queued in the frame's callback runs after that frame was handed to the compositor.
    if IN_FRAME.get() {
        let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(painted.unchecked_ref(), 0);
        return;
    }
    let frame = Closure::once_into_js({
        let window = window.clone();
        move || {
            let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(painted.unchecked_ref(), 0);
        }
    });
    let _ = window.request_animation_frame(frame.unchecked_ref());
}

/// To be called in a frame's callback; holds until that frame is out.
pub(crate) fn in_frame() {
    let Some(window) = browser::window() else { return };
    IN_FRAME.set(true);
    let out = Closure::once_into_js(|| IN_FRAME.set(false));
    if window.set_timeout_with_callback_and_timeout_and_arguments_0(out.unchecked_ref(), 0).is_err() {
        IN_FRAME.set(false);
    }
}

/// Gives the tests a way to kill the worker, as a crash would.
pub(crate) fn offer_kill(kill: Rc<dyn Fn()>) {
    if let Some(probe) = probe() {
        let call = Closure::<dyn Fn()>::new(move || kill());
        let _ = Reflect::set(&probe, &"killWorker".into(), &call.into_js_value());
    }
}
