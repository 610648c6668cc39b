//! The browser worker that owns the playground: says ready, reads requests, works in slices with a heartbeat, answers.
//! Messages are bytes. A panic is reported as fatal; the page then starts another worker.

#[cfg(target_arch = "wasm32")]
mod edge;

fn main() {
    #[cfg(target_arch = "wasm32")]
    edge::start();
}
