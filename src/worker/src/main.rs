//! The browser worker that owns the playground.

fn main() {}
