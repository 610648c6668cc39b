//! Base64 and base32 as Go's standard encodings, with Go's texts for what cannot be decoded; and the sums.

use super::args::{Res, text};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gotmpl::{Call, Value};
use sha1::Digest;
use std::fmt::Write;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

pub(super) fn b64enc(call: &mut Call<'_>, args: &[Value]) -> Res {
    let encoded = STANDARD.encode(call.heap.bytes(args[0]));
    text(call, encoded)
}

pub(super) fn b64dec(call: &mut Call<'_>, args: &[Value]) -> Res {
    match decode64(call.heap.bytes(args[0])) {
        Ok(bytes) => text(call, bytes),
        Err(error) => text(call, error),
    }
}

/// `base64.StdEncoding.DecodeString`: line breaks are skipped; the error is Go's text.
pub(super) fn decode64(source: &[u8]) -> Result<Vec<u8>, String> {
    let bad = |at: usize| Err(format!("illegal base64 data at input byte {at}"));
    let breaks = |b: &u8| matches!(b, b'\r' | b'\n');
    let mut out = Vec::with_capacity(source.len() / 4 * 3);
    let mut at = 0;
    loop {
        let (mut digits, mut count) = (0u32, 0);
        while count < 4 {
            let Some(&b) = source.get(at) else {
                return if count == 0 { Ok(out) } else { bad(at - count) };
            };
            at += 1;
            if breaks(&b) {
                continue;
            }
            if let Some(digit) = BASE64.iter().position(|&c| c == b) {
                digits = digits << 6 | digit as u32;
                count += 1;
                continue;
            }
            if b != b'=' || count < 2 {
                return bad(at - 1);
            }
            if count == 2 {
                // A second padding character must follow.
                while source.get(at).is_some_and(breaks) {
                    at += 1;
                }
                match source.get(at) {
                    None => return bad(source.len()),
                    Some(b'=') => at += 1,
                    Some(_) => return bad(at - 1),
                }
            }
            while source.get(at).is_some_and(breaks) {
                at += 1;
            }
            if at < source.len() {
                return bad(at);
            }
            digits <<= 6 * (4 - count) as u32;
            out.extend_from_slice(&digits.to_be_bytes()[1..count]);
            return Ok(out);
        }
        out.extend_from_slice(&digits.to_be_bytes()[1..]);
    }
}

pub(super) fn b32enc(call: &mut Call<'_>, args: &[Value]) -> Res {
    let source = call.heap.bytes(args[0]);
    let mut out = String::with_capacity(source.len().div_ceil(5) * 8);
    for chunk in source.chunks(5) {
        let bits = chunk.iter().fold(0u64, |n, b| n << 8 | u64::from(*b)) << (8 * (5 - chunk.len()));
        let used = (chunk.len() * 8).div_ceil(5);
        for i in 0..8 {
            let digit = BASE32[(bits >> (35 - 5 * i) & 31) as usize] as char;
            out.push(if i < used { digit } else { '=' });
        }
    }
    text(call, out)
}

pub(super) fn b32dec(call: &mut Call<'_>, args: &[Value]) -> Res {
    match decode32(call.heap.bytes(args[0])) {
        Ok(bytes) => text(call, bytes),
        Err(error) => text(call, error),
    }
}

/// `base32.StdEncoding.DecodeString`.
fn decode32(source: &[u8]) -> Result<Vec<u8>, String> {
    let source: Vec<u8> = source.iter().copied().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
    let bad = |at: usize| Err(format!("illegal base32 data at input byte {at}"));
    let mut out = Vec::with_capacity(source.len() / 8 * 5);
    let mut at = 0;
    while at < source.len() {
        let (mut bits, mut count) = (0u64, 0);
        while count < 8 {
            let Some(&b) = source.get(at) else { return bad(at - count) };
            at += 1;
            if b == b'=' && count >= 2 && source.len() - at < 8 {
                // Padding must fill the group, and end the text.
                let padding = 8 - count - 1;
                if source.len() - at < padding {
                    return bad(source.len());
                }
                if let Some(i) = source[at..at + padding].iter().position(|&c| c != b'=') {
                    return bad(at + i - 1);
                }
                if matches!(count, 1 | 3 | 6) {
                    return bad(at - 1);
                }
                at += padding;
                if at < source.len() {
                    return bad(at);
                }
                break;
            }
            match BASE32.iter().position(|&c| c == b) {
                Some(digit) => bits = bits << 5 | digit as u64,
                None => return bad(at - 1),
            }
            count += 1;
        }
        bits <<= 5 * (8 - count) as u32;
        out.extend_from_slice(&bits.to_be_bytes()[3..3 + count * 5 / 8]);
    }
    Ok(out)
}

fn hex(call: &mut Call<'_>, sum: &[u8]) -> Res {
    let mut out = String::with_capacity(sum.len() * 2);
    for b in sum {
        let _ = write!(out, "{b:02x}");
    }
    text(call, out)
}

pub(super) fn sha1sum(call: &mut Call<'_>, args: &[Value]) -> Res {
    let sum = sha1::Sha1::digest(call.heap.bytes(args[0]));
    hex(call, &sum)
}

pub(super) fn sha256sum(call: &mut Call<'_>, args: &[Value]) -> Res {
    let sum = sha2::Sha256::digest(call.heap.bytes(args[0]));
    hex(call, &sum)
}

pub(super) fn sha512sum(call: &mut Call<'_>, args: &[Value]) -> Res {
    let sum = sha2::Sha512::digest(call.heap.bytes(args[0]));
    hex(call, &sum)
}

pub(super) fn adler32sum(call: &mut Call<'_>, args: &[Value]) -> Res {
    let (mut a, mut b) = (1u32, 0u32);
    for byte in call.heap.bytes(args[0]) {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    text(call, (b << 16 | a).to_string())
}
