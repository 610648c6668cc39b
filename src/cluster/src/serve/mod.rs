//! Serving requests: reading, writing and deleting objects.

mod decode;
mod delete;
mod read;
mod server_apply;
mod write;

pub(crate) use write::Context;
