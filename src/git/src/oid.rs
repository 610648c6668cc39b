//! Object ids: SHA-1 over git's `<type> <size>\0<content>`.

use sha1::{Digest, Sha1};
use std::fmt;

/// The id of an object, printed as 40 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(pub [u8; 20]);

impl Oid {
    /// The id of `content` as an object of type `kind` (`blob`, `tree`, `commit`, `tag`).
    pub fn of(kind: &str, content: &[u8]) -> Oid {
        let mut hash = Sha1::new();
        hash.update(format!("{kind} {}\0", content.len()).as_bytes());
        hash.update(content);
        Oid(hash.finalize().into())
    }

    /// Reads 40 hexadecimal digits in either case; `None` for anything else.
    pub fn parse(text: &str) -> Option<Oid> {
        let text = text.as_bytes();
        if text.len() != 40 {
            return None;
        }
        let mut bytes = [0; 20];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks(2)) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = (high * 16 + low) as u8;
        }
        Some(Oid(bytes))
    }

    /// The first seven digits, as git shows an id in short form.
    pub fn short(self) -> String {
        self.to_string()[..7].to_string()
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
