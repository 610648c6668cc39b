//! Unpacks gzip as Go's `compress/gzip` does: members one after the other, checksums looked at, Go's error texts. The
//! checksum is worked out from a table of 16 entries; the usual one of 4,096 would be a first visit's largest constant.

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

/// The text of Go's error for bytes that are not gzip.
pub(crate) const BAD_HEADER: &str = "gzip: invalid header";
const CUT_OFF: &str = "unexpected EOF";
const BAD_CHECKSUM: &str = "gzip: invalid checksum";
/// Bytes that are unpacked at a time.
const CHUNK: usize = 64 << 10;

/// The content, at most `cap` bytes of it. The error is Go's text.
pub(crate) fn unpack(bytes: &[u8], cap: usize) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        rest = header(rest)?;
        let from = out.len();
        rest = member(rest, &mut out, cap)?;
        if out.len() >= cap {
            out.truncate(cap);
            return Ok(out);
        }
        let (trailer, next) = rest.split_at_checked(8).ok_or(CUT_OFF)?;
        let content = &out[from..];
        let word = |at: usize| trailer[at..at + 4].iter().rev().fold(0u32, |n, b| n << 8 | u32::from(*b));
        if word(0) != crc(content) || word(4) != content.len() as u32 {
            return Err(BAD_CHECKSUM.into());
        }
        rest = next;
    }
    Ok(out)
}

/// What follows the header of a member.
fn header(bytes: &[u8]) -> Result<&[u8], String> {
    let (fixed, mut rest) = bytes.split_at_checked(10).ok_or(CUT_OFF)?;
    if !fixed.starts_with(&[0x1f, 0x8b, 8]) {
        return Err(BAD_HEADER.into());
    }
    let flags = fixed[3];
    if flags & 4 != 0 {
        let (size, after) = rest.split_at_checked(2).ok_or(CUT_OFF)?;
        rest = after.get(usize::from(size[0]) + usize::from(size[1]) * 256..).ok_or(CUT_OFF)?;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            let end = rest.iter().position(|b| *b == 0).ok_or(CUT_OFF)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & 2 != 0 {
        let (sum, after) = rest.split_at_checked(2).ok_or(CUT_OFF)?;
        let own = crc(&bytes[..bytes.len() - rest.len()]);
        if u32::from(sum[0]) + u32::from(sum[1]) * 256 != own & 0xffff {
            return Err(BAD_HEADER.into());
        }
        rest = after;
    }
    Ok(rest)
}

/// Unpacks one member's data behind `out`; what follows it.
fn member<'b>(bytes: &'b [u8], out: &mut Vec<u8>, cap: usize) -> Result<&'b [u8], String> {
    let mut state = InflateState::new_boxed(DataFormat::Raw);
    let mut rest = bytes;
    let mut chunk = vec![0; CHUNK];
    loop {
        let step = inflate(&mut state, rest, &mut chunk, MZFlush::None);
        rest = &rest[step.bytes_consumed..];
        out.extend_from_slice(&chunk[..step.bytes_written]);
        match step.status {
            Ok(MZStatus::StreamEnd) => return Ok(rest),
            Ok(_) if out.len() >= cap => return Ok(rest),
            Ok(_) if step.bytes_consumed > 0 || step.bytes_written > 0 => {}
            _ if rest.is_empty() => return Err(CUT_OFF.into()),
            _ => return Err("flate: corrupt input".into()),
        }
    }
}

fn crc(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 16] = {
        let mut table = [0; 16];
        let mut i = 0;
        while i < 16 {
            let mut n = i as u32;
            let mut bit = 0;
            while bit < 4 {
                n = if n & 1 == 1 { n >> 1 ^ 0xedb8_8320 } else { n >> 1 };
                bit += 1;
            }
            table[i] = n;
            i += 1;
        }
        table
    };
    let half = |sum: u32| sum >> 4 ^ TABLE[(sum & 15) as usize];
    !bytes.iter().fold(!0, |sum, b| half(half(sum ^ u32::from(*b))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_the_usual_example() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn members_and_faults() {
        // printf hi | gzip -n
        let hi = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0xc8, 4, 0, 0xac, 0x2a, 0x93, 0xd8, 2, 0, 0, 0];
        assert_eq!(unpack(&hi, 100), Ok(b"hi".to_vec()));
        assert_eq!(unpack(&[hi, hi].concat(), 100), Ok(b"hihi".to_vec()));
        assert_eq!(unpack(&hi[..hi.len() - 1], 100), Err(CUT_OFF.into()));
        assert_eq!(unpack(&hi[..12], 100), Err(CUT_OFF.into()));
        assert_eq!(unpack(&[&hi[..], b"junk junk junk"].concat(), 100), Err(BAD_HEADER.into()));
        let mut bad = hi;
        bad[14] ^= 1;
        assert_eq!(unpack(&bad, 100), Err(BAD_CHECKSUM.into()));
    }
}
