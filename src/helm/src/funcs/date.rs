//! Sprig's dates, and the `time.Time` object with its methods. Now is the World's time; the local zone is UTC.

use super::args::{Res, ok, text};
use super::gotime::{DAYS, Instant, MONTHS, duration_text, parse_duration};
use super::host::RenderHost;
use super::number::parse_int_base;
use super::{timeparse, zones};
use base::Json;
use gotmpl::{Call, Data, Func, FuncError, Heap, IntKind, Kind, ObjectData, ObjectType, Param, Value};
use std::rc::Rc;

fn instant_in(object: &ObjectData) -> Option<&Instant> {
    object.native.as_ref()?.downcast_ref()
}

static TIME: ObjectType = ObjectType {
    name: "time.Time",
    kind: Kind::Struct,
    fields: &[],
    methods: METHODS,
    text: Some(|_: &Heap, object: &ObjectData| instant_in(object).map(Instant::shown).unwrap_or_default()),
    json: Some(|_: &Heap, object: &ObjectData| {
        let text = instant_in(object).map(|t| t.format(b"2006-01-02T15:04:05.999999999Z07:00")).unwrap_or_default();
        Json::str(String::from_utf8_lossy(&text).into_owned())
    }),
};

/// The name behind a named integer, counted from `first`.
fn named(object: &ObjectData, names: &[&str], first: i64) -> Vec<u8> {
    let n = object.fields.first().and_then(|v| v.as_int()).unwrap_or(0);
    let name = usize::try_from(n - first).ok().and_then(|i| names.get(i));
    name.map_or_else(|| n.to_string(), |name| name.to_string()).into_bytes()
}

static MONTH: ObjectType = ObjectType {
    name: "time.Month",
    kind: Kind::Int,
    fields: &[],
    methods: &[],
    text: Some(|_: &Heap, object: &ObjectData| named(object, &MONTHS, 1)),
    json: None,
};

static WEEKDAY: ObjectType = ObjectType {
    name: "time.Weekday",
    kind: Kind::Int,
    fields: &[],
    methods: &[],
    text: Some(|_: &Heap, object: &ObjectData| named(object, &DAYS, 0)),
    json: None,
};

/// Sorted by name.
static METHODS: &[Func] = &[
    Func::new("AddDate", &[Param::Int, Param::Int, Param::Int], |call, args| {
        let t = instant(call, args[0]);
        let c = t.civil();
        let [years, months, days] =
            [1, 2, 3].map(|i: usize| args[i].as_int().unwrap_or(0).clamp(-1_000_000, 1_000_000));
        let months = (c.year + years) * 12 + c.month - 1 + months;
        let day = super::gotime::days_of(months.div_euclid(12), months.rem_euclid(12) + 1, 1) + c.day - 1 + days;
        let secs = day * 86_400 + c.hour * 3600 + c.minute * 60 + c.second - t.offset;
        ok(object(call, Instant { secs, ..t }))
    }),
    Func::new("After", &[Param::Named("time.Time")], |call, args| {
        let (a, b) = (instant(call, args[0]), instant(call, args[1]));
        ok((a.secs, a.nanos) > (b.secs, b.nanos))
    }),
    Func::new("Before", &[Param::Named("time.Time")], |call, args| {
        let (a, b) = (instant(call, args[0]), instant(call, args[1]));
        ok((a.secs, a.nanos) < (b.secs, b.nanos))
    }),
    Func::new("Day", &[], |call, args| ok(Value::int(instant(call, args[0]).civil().day))),
    Func::new("Equal", &[Param::Named("time.Time")], |call, args| {
        let (a, b) = (instant(call, args[0]), instant(call, args[1]));
        ok((a.secs, a.nanos) == (b.secs, b.nanos))
    }),
    Func::new("Format", &[Param::Str], |call, args| {
        let shown = instant(call, args[0]).format(call.heap.bytes(args[1]));
        text(call, shown)
    }),
    Func::new("Hour", &[], |call, args| ok(Value::int(instant(call, args[0]).civil().hour))),
    Func::new("IsZero", &[], |call, args| {
        let t = instant(call, args[0]);
        ok((t.secs, t.nanos) == (Instant::zero().secs, 0))
    }),
    Func::new("Local", &[], |call, args| {
        let t = instant(call, args[0]);
        ok(object(call, Instant::utc(t.secs, t.nanos)))
    }),
    Func::new("Minute", &[], |call, args| ok(Value::int(instant(call, args[0]).civil().minute))),
    Func::new("Month", &[], |call, args| {
        let n = instant(call, args[0]).civil().month;
        ok(call.heap.object(ObjectData { ty: &MONTH, fields: vec![Value::int(n)], native: None }))
    }),
    Func::new("Nanosecond", &[], |call, args| ok(Value::int(i64::from(instant(call, args[0]).nanos)))),
    Func::new("Second", &[], |call, args| ok(Value::int(instant(call, args[0]).civil().second))),
    Func::new("String", &[], |call, args| {
        let shown = instant(call, args[0]).shown();
        text(call, shown)
    }),
    Func::new("UTC", &[], |call, args| {
        let t = instant(call, args[0]);
        ok(object(call, Instant::utc(t.secs, t.nanos)))
    }),
    Func::new("Unix", &[], |call, args| ok(Value::int64(instant(call, args[0]).secs))),
    Func::new("UnixMilli", &[], |call, args| {
        let t = instant(call, args[0]);
        ok(Value::int64(t.secs.wrapping_mul(1000).wrapping_add(i64::from(t.nanos / 1_000_000))))
    }),
    Func::new("UnixNano", &[], |call, args| {
        let t = instant(call, args[0]);
        ok(Value::int64(t.secs.wrapping_mul(1_000_000_000).wrapping_add(i64::from(t.nanos))))
    }),
    Func::new("Weekday", &[], |call, args| {
        let n = instant(call, args[0]).civil().weekday;
        ok(call.heap.object(ObjectData { ty: &WEEKDAY, fields: vec![Value::int(n)], native: None }))
    }),
    Func::new("Year", &[], |call, args| ok(Value::int(instant(call, args[0]).civil().year))),
    Func::new("YearDay", &[], |call, args| ok(Value::int(instant(call, args[0]).civil().yearday))),
];

fn instant(call: &Call<'_>, value: Value) -> Instant {
    call.heap.native::<Instant>(value).cloned().unwrap_or_else(Instant::zero)
}

/// A `time.Time`.
pub(super) fn value(heap: &mut Heap, at: Instant) -> Value {
    heap.object(ObjectData { ty: &TIME, fields: Vec::new(), native: Some(Rc::new(at)) })
}

fn object(call: &mut Call<'_>, at: Instant) -> Value {
    value(call.heap, at)
}

fn present(call: &mut Call<'_>) -> Instant {
    call.host_as::<RenderHost>().map_or_else(Instant::zero, |host| Instant::of(host.now))
}

pub(super) fn now(call: &mut Call<'_>, _args: &[Value]) -> Res {
    let now = present(call);
    ok(object(call, now))
}

/// A date argument: a time, whole seconds since the epoch, or now for anything else.
fn date_of(call: &mut Call<'_>, value: Value, with_int32: bool) -> Instant {
    if let Some(at) = call.heap.native::<Instant>(value) {
        return at.clone();
    }
    match value.data {
        Data::Int(n, IntKind::Int | IntKind::Int64) => Instant::utc(n, 0),
        Data::Int(n, IntKind::Int32) if with_int32 => Instant::utc(n, 0),
        _ => present(call),
    }
}

fn formatted(call: &mut Call<'_>, layout: &[u8], date: Value, zone: &str) -> Res {
    let at = date_of(call, date, true);
    let at = zones::in_zone(&at, zone).map_err(FuncError::Limit)?;
    text(call, at.format(layout))
}

pub(super) fn date(call: &mut Call<'_>, args: &[Value]) -> Res {
    let layout = call.heap.bytes(args[0]).to_vec();
    formatted(call, &layout, args[1], "Local")
}

pub(super) fn date_in_zone(call: &mut Call<'_>, args: &[Value]) -> Res {
    let layout = call.heap.bytes(args[0]).to_vec();
    let zone = call.heap.lossy(args[2]).into_owned();
    formatted(call, &layout, args[1], &zone)
}

pub(super) fn html_date(call: &mut Call<'_>, args: &[Value]) -> Res {
    formatted(call, b"2006-01-02", args[0], "Local")
}

pub(super) fn html_date_in_zone(call: &mut Call<'_>, args: &[Value]) -> Res {
    let zone = call.heap.lossy(args[1]).into_owned();
    formatted(call, b"2006-01-02", args[0], &zone)
}

pub(super) fn date_modify(call: &mut Call<'_>, args: &[Value]) -> Res {
    match parse_duration(call.heap.bytes(args[0])) {
        Ok(nanos) => {
            let moved = instant(call, args[1]).add(nanos);
            ok(object(call, moved))
        }
        Err(_) => ok(args[1]),
    }
}

pub(super) fn must_date_modify(call: &mut Call<'_>, args: &[Value]) -> Res {
    let nanos = parse_duration(call.heap.bytes(args[0]))?;
    let moved = instant(call, args[1]).add(nanos);
    ok(object(call, moved))
}

/// Nanoseconds from `at` until now; saturates as Go's `Since` does.
fn since(call: &mut Call<'_>, at: &Instant) -> i64 {
    let now = present(call);
    let total = i128::from(now.secs - at.secs) * 1_000_000_000 + i128::from(now.nanos) - i128::from(at.nanos);
    i64::try_from(total).unwrap_or(if total < 0 { i64::MIN } else { i64::MAX })
}

pub(super) fn ago(call: &mut Call<'_>, args: &[Value]) -> Res {
    let at = date_of(call, args[0], false);
    let nanos = since(call, &at);
    let rest = nanos % 1_000_000_000;
    let up = if rest.abs() >= 500_000_000 { rest.signum() * 1_000_000_000 } else { 0 };
    let rounded = (nanos - rest).checked_add(up).unwrap_or(nanos);
    text(call, duration_text(rounded))
}

pub(super) fn duration(call: &mut Call<'_>, args: &[Value]) -> Res {
    let seconds = match args[0].data {
        Data::Int(n, IntKind::Int64) => n,
        Data::Str(_) => parse_int_base(call.heap.bytes(args[0]), 10).unwrap_or(0),
        _ => 0,
    };
    text(call, duration_text(seconds.wrapping_mul(1_000_000_000)))
}

pub(super) fn duration_round(call: &mut Call<'_>, args: &[Value]) -> Res {
    let at = call.heap.native::<Instant>(args[0]).cloned();
    let nanos = match (at, args[0].data) {
        (Some(at), _) => since(call, &at),
        (None, Data::Int(n, IntKind::Int64)) => n,
        (None, Data::Str(_)) => parse_duration(call.heap.bytes(args[0])).unwrap_or(0),
        _ => 0,
    };
    const SECOND: u64 = 1_000_000_000;
    const DAY: u64 = 86_400 * SECOND;
    let units =
        [(365 * DAY, "y"), (30 * DAY, "mo"), (DAY, "d"), (3600 * SECOND, "h"), (60 * SECOND, "m"), (SECOND, "s")];
    let abs = nanos.unsigned_abs();
    let found = units.iter().find(|(unit, _)| abs > *unit);
    text(call, found.map_or("0s".to_string(), |(unit, name)| format!("{}{name}", abs / unit)))
}

pub(super) fn to_date(call: &mut Call<'_>, args: &[Value]) -> Res {
    let at = timeparse::parse(call.heap.bytes(args[0]), call.heap.bytes(args[1]));
    ok(object(call, at.unwrap_or_else(|_| Instant::zero())))
}

pub(super) fn must_to_date(call: &mut Call<'_>, args: &[Value]) -> Res {
    let at = timeparse::parse(call.heap.bytes(args[0]), call.heap.bytes(args[1]))?;
    ok(object(call, at))
}

pub(super) fn unix_epoch(call: &mut Call<'_>, args: &[Value]) -> Res {
    let secs = instant(call, args[0]).secs;
    text(call, secs.to_string())
}
