//! Memory shared with the worker, where it leaves its answers. After a key press a browser puts messages off until the
//! next frame is out, so an answer that came as a message would always be painted a frame late; from here the page takes
//! it in the frame itself. Only pages that are cross-origin isolated (two response headers, see `www/_headers`) get shared
//! memory; all others live on messages alone.

use crate::browser;
use js_sys::{Atomics, Int32Array, Reflect, SharedArrayBuffer, Uint8Array};
use web_sys::Worker;

/// Bytes of the memory; an answer that does not fit comes as a message.
const SIZE: u32 = 1 << 18;
/// Bytes before the content: whether something lies here, and its length.
const HEAD: u32 = 8;

/// The page's end.
pub(crate) struct Letterbox {
    head: Int32Array,
    content: Uint8Array,
}

impl Letterbox {
    /// Makes one and hands it to the worker; `None` where there is no shared memory.
    pub(crate) fn offer(worker: &Worker) -> Option<Letterbox> {
        let window = browser::window()?;
        let isolated = Reflect::get(&window, &"crossOriginIsolated".into()).ok()?;
        if !isolated.is_truthy() {
            return None;
        }
        let memory = SharedArrayBuffer::new(SIZE);
        worker.post_message(&memory).ok()?;
        Some(Letterbox { head: Int32Array::new(&memory), content: Uint8Array::new_with_byte_offset(&memory, HEAD) })
    }

    /// Takes out what lies there.
    pub(crate) fn take(&self) -> Option<Vec<u8>> {
        if Atomics::load(&self.head, 0).ok()? == 0 {
            return None;
        }
        let length = u32::try_from(Atomics::load(&self.head, 1).ok()?).ok()?;
        let bytes = self.content.subarray(0, length).to_vec();
        Atomics::store(&self.head, 0, 0).ok()?;
        Some(bytes)
    }
}
