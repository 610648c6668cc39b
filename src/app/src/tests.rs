//! Components in a real browser.
