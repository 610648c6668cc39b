//! What the browser keeps: per lesson the saved playground and the edits since, and the person's preferences. Storage
//! may be refused or full; the caller hears of it.

use crate::browser;
use ui_state::{Lang, Theme};

/// The browser refused to store.
#[derive(Debug)]
pub(crate) struct Refused;

fn storage() -> Option<web_sys::Storage> {
    browser::window()?.local_storage().ok()?
}

fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

fn put(key: &str, text: Option<&str>) -> Result<(), Refused> {
    let storage = storage().ok_or(Refused)?;
    match text {
        Some(text) => storage.set_item(key, text),
        None => storage.remove_item(key),
    }
    .map_err(|_| Refused)
}

pub(crate) fn saved(lesson: &str) -> Option<String> {
    get(&format!("tidepool/saved/{lesson}"))
}

pub(crate) fn edits(lesson: &str) -> Option<String> {
    get(&format!("tidepool/edits/{lesson}"))
}

pub(crate) fn keep_saved(lesson: &str, text: Option<&str>) -> Result<(), Refused> {
    put(&format!("tidepool/saved/{lesson}"), text)
}

pub(crate) fn keep_edits(lesson: &str, text: Option<&str>) -> Result<(), Refused> {
    put(&format!("tidepool/edits/{lesson}"), text)
}

/// The kept language and theme, each if there is one.
pub(crate) fn preferences() -> (Option<Lang>, Theme) {
    (get("tidepool/lang").map(|l| Lang::of(&l)), get("tidepool/theme").map(|t| Theme::of(&t)).unwrap_or_default())
}

/// Keeps language and theme; a browser that refuses only forgets them.
pub(crate) fn keep_preferences(lang: Lang, theme: Theme) {
    let _ = put("tidepool/lang", Some(lang.code()));
    let _ = put("tidepool/theme", theme.code());
}
