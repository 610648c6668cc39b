//! Sprig's numbers: conversions, wrapping 64-bit arithmetic, decimal arithmetic for floats, ranges of integers.

use super::args::{Res, int, ok, panic, text, to_float, to_int};
use super::decimal::Decimal;
use super::number;
use gotmpl::{Call, FuncError, ListType, Value};

pub(super) fn atoi(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(Value::int(number::parse_int_base(call.heap.bytes(args[0]), 10).unwrap_or(0)))
}

pub(super) fn int_of(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(Value::int(to_int(call.heap, args[0])))
}

pub(super) fn int64_of(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(Value::int64(to_int(call.heap, args[0])))
}

pub(super) fn float64_of(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(Value::float(to_float(call.heap, args[0])))
}

pub(super) fn to_decimal(call: &mut Call<'_>, args: &[Value]) -> Res {
    let printed = call.heap.print_v(args[0]);
    ok(Value::int64(number::parse_int_base(&printed, 8).unwrap_or(0)))
}

fn fold(call: &mut Call<'_>, args: &[Value], op: fn(i64, i64) -> i64) -> Res {
    let mut numbers = args.iter().map(|v| to_int(call.heap, *v));
    let first = numbers.next().unwrap_or(0);
    ok(Value::int64(numbers.fold(first, op)))
}

pub(super) fn add(call: &mut Call<'_>, args: &[Value]) -> Res {
    fold(call, args, i64::wrapping_add)
}

pub(super) fn add1(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(Value::int64(to_int(call.heap, args[0]).wrapping_add(1)))
}

pub(super) fn sub(call: &mut Call<'_>, args: &[Value]) -> Res {
    fold(call, args, i64::wrapping_sub)
}

pub(super) fn mul(call: &mut Call<'_>, args: &[Value]) -> Res {
    fold(call, args, i64::wrapping_mul)
}

pub(super) fn max(call: &mut Call<'_>, args: &[Value]) -> Res {
    fold(call, args, i64::max)
}

pub(super) fn min(call: &mut Call<'_>, args: &[Value]) -> Res {
    fold(call, args, i64::min)
}

pub(super) fn div(call: &mut Call<'_>, args: &[Value]) -> Res {
    match to_int(call.heap, args[1]) {
        0 => panic("runtime error: integer divide by zero"),
        divisor => ok(Value::int64(to_int(call.heap, args[0]).wrapping_div(divisor))),
    }
}

pub(super) fn modulo(call: &mut Call<'_>, args: &[Value]) -> Res {
    match to_int(call.heap, args[1]) {
        0 => panic("runtime error: integer divide by zero"),
        divisor => ok(Value::int64(to_int(call.heap, args[0]).wrapping_rem(divisor))),
    }
}

fn decimal(value: f64) -> Result<Decimal, FuncError> {
    let shown = if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "+Inf"
    } else {
        "-Inf"
    };
    Decimal::from_float(value).ok_or_else(|| FuncError::Panic(format!("Cannot create a Decimal from {shown}")))
}

fn fold_decimal(call: &mut Call<'_>, first: f64, rest: &[Value], op: fn(&Decimal, &Decimal) -> Option<Decimal>) -> Res {
    let mut result = decimal(first)?;
    for value in rest {
        // Numbers grow with every factor; each step costs what it may cost.
        call.heap.spend(20)?;
        let other = decimal(to_float(call.heap, *value))?;
        result = op(&result, &other).ok_or_else(|| FuncError::Panic("decimal division by 0".into()))?;
    }
    ok(Value::float(result.to_float()))
}

pub(super) fn addf(call: &mut Call<'_>, args: &[Value]) -> Res {
    fold_decimal(call, 0.0, args, |a, b| Some(a.add(b)))
}

pub(super) fn add1f(call: &mut Call<'_>, args: &[Value]) -> Res {
    let first = to_float(call.heap, args[0]);
    fold_decimal(call, first, &[Value::int(1)], |a, b| Some(a.add(b)))
}

pub(super) fn subf(call: &mut Call<'_>, args: &[Value]) -> Res {
    let first = to_float(call.heap, args[0]);
    fold_decimal(call, first, &args[1..], |a, b| Some(a.sub(b)))
}

pub(super) fn mulf(call: &mut Call<'_>, args: &[Value]) -> Res {
    let first = to_float(call.heap, args[0]);
    fold_decimal(call, first, &args[1..], |a, b| Some(a.mul(b)))
}

pub(super) fn divf(call: &mut Call<'_>, args: &[Value]) -> Res {
    let first = to_float(call.heap, args[0]);
    fold_decimal(call, first, &args[1..], Decimal::div)
}

/// `math.Max`: NaN wins, and +0 is greater than -0.
fn go_max(a: f64, b: f64) -> f64 {
    match () {
        () if a == f64::INFINITY || b == f64::INFINITY => f64::INFINITY,
        () if a.is_nan() || b.is_nan() => f64::NAN,
        () if a == 0.0 && b == 0.0 => {
            if a.is_sign_negative() {
                b
            } else {
                a
            }
        }
        () => a.max(b),
    }
}

pub(super) fn maxf(call: &mut Call<'_>, args: &[Value]) -> Res {
    let numbers = args.iter().map(|v| to_float(call.heap, *v));
    ok(Value::float(numbers.reduce(go_max).unwrap_or(0.0)))
}

pub(super) fn minf(call: &mut Call<'_>, args: &[Value]) -> Res {
    let numbers = args.iter().map(|v| -to_float(call.heap, *v));
    ok(Value::float(-numbers.reduce(go_max).unwrap_or(0.0)))
}

pub(super) fn floor(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(Value::float(to_float(call.heap, args[0]).floor()))
}

pub(super) fn ceil(call: &mut Call<'_>, args: &[Value]) -> Res {
    ok(Value::float(to_float(call.heap, args[0]).ceil()))
}

/// 10 to a whole power, as Go's `math.Pow` gives it for the powers that occur.
fn pow10(places: i64) -> f64 {
    match places {
        0..=308 => format!("1e{places}").parse().unwrap_or(f64::INFINITY),
        -323..0 => format!("1e{places}").parse().unwrap_or(0.0),
        p if p > 0 => f64::INFINITY,
        _ => 0.0,
    }
}

pub(super) fn round(call: &mut Call<'_>, args: &[Value]) -> Res {
    let on = args.get(2).and_then(|v| v.as_float()).unwrap_or(0.5);
    let value = to_float(call.heap, args[0]);
    let pow = pow10(int(args[1]));
    let digits = pow * value;
    // `math.Modf`: the fraction has the number's sign, and that of an infinity is not a number.
    let fraction = if digits.is_infinite() { f64::NAN } else { digits - digits.trunc() };
    let rounded = if fraction >= on { digits.ceil() } else { digits.floor() };
    ok(Value::float(rounded / pow))
}

/// The integers from `start` towards `stop` (not included) by `step`.
fn steps(call: &mut Call<'_>, start: i64, stop: i64, step: i64) -> Result<Vec<i64>, FuncError> {
    let forward = stop >= start;
    if forward && step <= 0 || !forward && step >= 0 {
        return Ok(Vec::new());
    }
    let count = (i128::from(stop) - i128::from(start)).unsigned_abs().div_ceil(i128::from(step).unsigned_abs());
    let bytes = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(size_of::<Value>());
    call.heap.reserve(bytes)?;
    call.heap.spend(count as u64)?;
    Ok((0..count as i64).map(|i| start.wrapping_add(step.wrapping_mul(i))).collect())
}

fn ints(call: &mut Call<'_>, start: i64, stop: i64, step: i64) -> Res {
    let numbers = steps(call, start, stop, step)?;
    ok(call.heap.list_of(ListType::INTS, numbers.into_iter().map(Value::int).collect()))
}

pub(super) fn until(call: &mut Call<'_>, args: &[Value]) -> Res {
    let count = int(args[0]);
    ints(call, 0, count, if count < 0 { -1 } else { 1 })
}

pub(super) fn until_step(call: &mut Call<'_>, args: &[Value]) -> Res {
    ints(call, int(args[0]), int(args[1]), int(args[2]))
}

pub(super) fn seq(call: &mut Call<'_>, args: &[Value]) -> Res {
    let (start, step, end) = match args {
        [end] => (1, if int(*end) < 1 { -1 } else { 1 }, int(*end)),
        [start, end] => (int(*start), if int(*end) < int(*start) { -1 } else { 1 }, int(*end)),
        [start, step, end] => (int(*start), int(*step), int(*end)),
        _ => return text(call, ""),
    };
    if args.len() == 3 && end < start && step > 0 {
        return text(call, "");
    }
    let after = end.wrapping_add(if end < start { -1 } else { 1 });
    let numbers = steps(call, start, after, step)?;
    let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
    text(call, texts.join(" "))
}
