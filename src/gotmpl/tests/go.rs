//! Cases whose output was recorded from Go 1.26's text/template: `cases/go.jsonl`, one JSON object a line with the
//! template, whether Go accepts it, and the output or error text. All run on the data and functions below.

use base::Json;
use gotmpl::{
    Call, Data, Func, FuncError, Heap, IntKind, Key, Label, ListType, MapType, NilType, NoHost, Options, Outcome,
    Param, Parsed, Set, Value, fmt, render,
};

const DATA: &str = r#"{"s":"text","i":3,"f":1.5,"b":true,"e":"","n":null,"m":{"k":"v","z":1,"a":{"b":{"c":"deep"}}},
    "l":[1,"two",null,{"x":1}],"em":{},"el":[],"big":3000000,"x1":"éü","neg":-2.5}"#;

type Result<T> = std::result::Result<T, FuncError>;

fn int(args: &[Value], add: i64) -> i64 {
    args[0].as_int().unwrap_or(0) + add
}

fn dict(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome> {
    let pairs = args.chunks_exact(2).map(|p| (Key::from(call.heap.print_v(p[0])), p[1])).collect();
    Ok(call.heap.map_of(MapType::ANY, pairs).into())
}

fn strmap(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome> {
    let pairs = args.chunks_exact(2).map(|p| (call.heap.key(p[0]), p[1])).collect();
    Ok(call.heap.map_of(MapType::STRINGS, pairs).into())
}

fn print(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome> {
    let text = fmt::sprint(call.heap, args);
    Ok(call.heap.marked(text).into())
}

static FUNCS: &[Func] = &[
    Func::new("boom", &[Param::Str], |c, a| Err(FuncError::Message(format!("boom {}", c.heap.lossy(a[0]))))),
    Func::new("byts", &[Param::Str], |c, a| {
        let bytes = c.heap.bytes(a[0]).to_vec();
        Ok(c.heap.byte_slice(bytes).into())
    }),
    Func::new("dict", &[], dict).variadic(Param::Any),
    Func::new("i64", &[Param::Int], |_, a| Ok(Value::int64(int(a, 0)).into())),
    Func::new("list", &[], |c, a| Ok(c.heap.list(a.to_vec()).into())).variadic(Param::Any),
    Func::new("needbool", &[Param::Bool], |_, a| Ok(Value::bool(a[0].as_bool() == Some(false)).into())),
    Func::new("needfloat", &[Param::Float], |_, a| Ok(a[0].into())),
    Func::new("needi64", &[Param::Int64], |_, a| Ok(Value::int64(int(a, 1)).into())),
    Func::new("needint", &[Param::Int], |_, a| Ok(Value::int(int(a, 1)).into())),
    Func::new("needlist", &[Param::List], |c, a| Ok(Value::int(c.heap.len(a[0]).unwrap_or(0) as i64).into())),
    Func::new("needmap", &[Param::Map], |c, a| Ok(Value::int(c.heap.len(a[0]).unwrap_or(0) as i64).into())),
    Func::new("nillist", &[], |_, _| Ok(Value::new(Data::NilOf(NilType::LIST)).into())),
    Func::new("nilmap", &[], |_, _| Ok(Value::new(Data::NilOf(NilType::MAP)).into())),
    Func::new("nul", &[], |c, _| Ok(c.heap.str("nul").into())),
    Func::new("nulany", &[], |_, _| Ok(Value::NIL.into())),
    Func::new("pan", &[], |_, _| Err(FuncError::Panic("assignment to entry in nil map".into()))),
    Func::new("strmap", &[], strmap).variadic(Param::Str),
    Func::new("strs", &[], |c, a| Ok(c.heap.list_of(ListType::STRINGS, a.to_vec()).into())).variadic(Param::Str),
    Func::new("two", &[Param::Str, Param::Any], |c, a| {
        let slash = c.heap.str("/");
        print(c, &[a[0], slash, a[1]])
    }),
    Func::new("u64", &[Param::Int], |_, a| Ok(Value::new(Data::Int(int(a, 0), IntKind::Uint64)).into())),
    Func::new("u8", &[Param::Int], |_, a| Ok(Value::new(Data::Int(int(a, 0) & 255, IntKind::Uint8)).into())),
    Func::new("upper1", &[Param::Str], |c, a| {
        let text = format!("<{}>", c.heap.lossy(a[0]));
        Ok(c.heap.str(text).into())
    }),
    Func::new("vari", &[Param::Str], |c, a| {
        let ints = c.heap.list_of(ListType::INTS, a[1..].to_vec());
        print(c, &[a[0], ints])
    })
    .variadic(Param::Int),
];

fn run(template: &str, tracing: bool) -> std::result::Result<String, String> {
    let parsed = Parsed::parse("c/t.yaml", template.as_bytes(), &[FUNCS]).map_err(|d| d.message)?;
    let mut set = Set::new();
    set.add(&parsed);
    let mut heap = Heap::new(tracing);
    let dot = heap.from_json(&Json::parse(DATA).expect("valid"), false, Label::NONE);
    let out = render(&set, "c/t.yaml", "gotpl", dot, &mut heap, &mut NoHost, &Options::default());
    out.map(|m| String::from_utf8_lossy(&m.bytes).into_owned()).map_err(|e| e.text())
}

#[test]
fn same_as_go() {
    let cases = include_str!("cases/go.jsonl");
    let mut wrong = Vec::new();
    for line in cases.lines() {
        let case = Json::parse(line).expect("valid case");
        let (template, output) = (case.text_at(&["template"]), case.text_at(&["output"]).to_string());
        let want = if case.at(&["ok"]).and_then(Json::as_bool) == Some(true) { Ok(output) } else { Err(output) };
        for tracing in [false, true] {
            let got = run(template, tracing);
            if got != want {
                wrong.push(format!("{template}\n  want {want:?}\n  got  {got:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
