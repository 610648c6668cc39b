//! Values that look random but are functions of their inputs. A value is `hash(seed, object, purpose, n)`, never the
//! next number of a stream, so that two forks of a simulation differ only where they must.

/// A 64-bit mix of a seed, who asks, what for, and which one of several.
pub fn hash(seed: u64, object: &str, purpose: &str, n: u64) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325u64 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for b in object.bytes().chain([0xff]).chain(purpose.bytes()).chain([0xff]).chain(n.to_le_bytes()) {
        h = (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    // Finaliser of SplitMix64: spreads the low-entropy FNV state over all bits.
    h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ (h >> 31)
}

/// The alphabet of Kubernetes' generated name suffixes (no vowels, no look-alikes).
const SUFFIX: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// `len` characters as Kubernetes appends them to a `generateName`.
pub fn suffix(seed: u64, object: &str, purpose: &str, len: usize) -> String {
    (0..len).map(|i| SUFFIX[(hash(seed, object, purpose, i as u64) % 27) as usize] as char).collect()
}

/// A version 4 UUID in its usual text form.
pub fn uuid(seed: u64, object: &str, purpose: &str) -> String {
    let (a, b) = (hash(seed, object, purpose, 0), hash(seed, object, purpose, 1));
    format!(
        "{:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:012x}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        8 + ((b >> 60) & 3),
        (b >> 48) & 0xfff,
        b & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_inputs_same_value() {
        assert_eq!(hash(1, "a", "b", 2), hash(1, "a", "b", 2));
        assert_ne!(hash(1, "ab", "", 0), hash(1, "a", "b", 0));
        let id = uuid(7, "ns/pod", "uid");
        assert_eq!((id.len(), &id[14..15]), (36, "4"));
        assert_eq!(suffix(7, "x", "pod", 5).len(), 5);
    }
}
