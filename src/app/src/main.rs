//! The Yew page.

fn main() {}
