//! Small questions to the browser: query, language, the document's attributes, timers.

use ui_state::{Lang, Theme};
use wasm_bindgen::prelude::*;
use web_sys::{Document, Window};

pub(crate) fn window() -> Option<Window> {
    web_sys::window()
}

pub(crate) fn document() -> Option<Document> {
    window()?.document()
}

/// Milliseconds on a clock that never goes back; 0 where there is none.
pub(crate) fn now() -> f64 {
    window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}

/// A parameter of the page's query, such as `lesson`.
pub(crate) fn query(name: &str) -> Option<String> {
    let search = window()?.location().search().ok()?;
    web_sys::UrlSearchParams::new_with_str(&search).ok()?.get(name)
}

/// Loads the page again with another lesson.
pub(crate) fn go_to_lesson(id: &str) {
    let Some(window) = window() else { return };
    let search = window.location().search().unwrap_or_default();
    let Ok(query) = web_sys::UrlSearchParams::new_with_str(&search) else { return };
    query.set("lesson", id);
    // A refused navigation leaves the person where they are.
    let _ = window.location().set_search(&String::from(query.to_string()));
}

/// The language that the browser asks for.
pub(crate) fn language() -> Lang {
    Lang::of(&window().and_then(|w| w.navigator().language()).unwrap_or_default())
}

/// Sets language, theme and title on the document.
pub(crate) fn dress(lang: Lang, theme: Theme) {
    let Some(document) = document() else { return };
    document.set_title(ui_state::texts(lang).title);
    let Some(root) = document.document_element() else { return };
    // A refused attribute leaves the page readable, only in the wrong dress.
    let _ = root.set_attribute("lang", lang.code());
    let _ = match theme.code() {
        Some(code) => root.set_attribute("data-theme", code),
        None => root.remove_attribute("data-theme"),
    };
}

/// Asks the person a yes-or-no question.
pub(crate) fn confirm(question: &str) -> bool {
    window().and_then(|w| w.confirm_with_message(question).ok()).unwrap_or(false)
}

/// Calls back every `ms` milliseconds until dropped.
pub(crate) struct Every {
    id: i32,
    _call: Closure<dyn FnMut()>,
}

impl Every {
    pub(crate) fn new(ms: i32, call: impl FnMut() + 'static) -> Option<Every> {
        let call = Closure::<dyn FnMut()>::new(call);
        let id =
            window()?.set_interval_with_callback_and_timeout_and_arguments_0(call.as_ref().unchecked_ref(), ms).ok()?;
        Some(Every { id, _call: call })
    }
}

impl Drop for Every {
    fn drop(&mut self) {
        if let Some(window) = window() {
            window.clear_interval_with_handle(self.id);
        }
    }
}
