//! What Sprig makes at random. Ours are functions of the World's seed, the place of the call and a count, so that the
//! same input renders to the same bytes.

use super::args::{Res, int, ok, panic, text};
use super::casing;
use super::host::RenderHost;
use gotmpl::{Call, Value};

const DIGITS: &[u8] = b"0123456789";
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The next random number of a call site.
fn draw(call: &mut Call<'_>, purpose: &str) -> u64 {
    let span = call.action.span;
    let (seed, n) = match call.host_as::<RenderHost>() {
        Some(host) => {
            host.drawn += 1;
            (host.seed, host.drawn)
        }
        None => (0, 0),
    };
    base::hash::hash(seed, &format!("{}-{}", span.start, span.end), purpose, n)
}

fn random(call: &mut Call<'_>, count: Value, purpose: &str, alphabet: &[u8]) -> Res {
    let count = usize::try_from(int(count)).unwrap_or(0);
    call.heap.reserve(count)?;
    call.heap.spend(count as u64)?;
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        out.push(alphabet[(draw(call, purpose) % alphabet.len() as u64) as usize]);
    }
    text(call, out)
}

pub(super) fn alpha_num(call: &mut Call<'_>, args: &[Value]) -> Res {
    random(call, args[0], "randAlphaNum", &[LETTERS, DIGITS].concat())
}

pub(super) fn alpha(call: &mut Call<'_>, args: &[Value]) -> Res {
    random(call, args[0], "randAlpha", LETTERS)
}

pub(super) fn numeric(call: &mut Call<'_>, args: &[Value]) -> Res {
    random(call, args[0], "randNumeric", DIGITS)
}

pub(super) fn ascii(call: &mut Call<'_>, args: &[Value]) -> Res {
    random(call, args[0], "randAscii", &(b' '..=b'~').collect::<Vec<_>>())
}

pub(super) fn bytes(call: &mut Call<'_>, args: &[Value]) -> Res {
    use base64::Engine;
    let Ok(count) = usize::try_from(int(args[0])) else { return panic("runtime error: makeslice: len out of range") };
    call.heap.reserve(count.saturating_mul(2))?;
    call.heap.spend(count as u64)?;
    let bytes: Vec<u8> = (0..count).map(|_| draw(call, "randBytes") as u8).collect();
    text(call, base64::engine::general_purpose::STANDARD.encode(bytes))
}

pub(super) fn integer(call: &mut Call<'_>, args: &[Value]) -> Res {
    let (low, high) = (int(args[0]), int(args[1]));
    let size = high.wrapping_sub(low);
    if size <= 0 {
        return panic("invalid argument to Intn");
    }
    let n = draw(call, "randInt") % size as u64;
    ok(Value::int(low.wrapping_add(n as i64)))
}

pub(super) fn uuid(call: &mut Call<'_>, _args: &[Value]) -> Res {
    let n = draw(call, "uuidv4");
    text(call, base::hash::uuid(n, "uuidv4", "id"))
}

pub(super) fn shuffle(call: &mut Call<'_>, args: &[Value]) -> Res {
    let mut chars: Vec<char> = casing::runes(call.heap.bytes(args[0])).map(|(c, _)| c).collect();
    for i in (1..chars.len()).rev() {
        let j = (draw(call, "shuffle") % (i as u64 + 1)) as usize;
        chars.swap(i, j);
    }
    text(call, chars.into_iter().collect::<String>())
}
