//! Hostile templates end as ordinary errors, on a stack smaller than a browser worker's.

use gotmpl::{Call, Func, FuncError, Heap, Nested, NoHost, Options, Outcome, Param, Parsed, Set, Value, render};

static FUNCS: &[Func] = &[
    Func::new("include", &[Param::Str, Param::Any], include).own_labels(),
    Func::new("tpl", &[Param::Str, Param::Any], tpl).own_labels(),
];

fn include(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let name = call.heap.lossy(args[0]).into_owned();
    Ok(Outcome::Render(Nested {
        set: call.set.clone(),
        name: name.into(),
        asker: "gotpl",
        dot: args[1],
        done: |call, _, text| Ok(call.heap.marked(text)),
        failed: |_, _, error| FuncError::Nested(String::new(), Box::new(error)),
    }))
}

fn tpl(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let text = call.heap.bytes(args[0]).to_vec();
    call.heap.spend(text.len() as u64)?;
    let parsed = Parsed::parse("gotpl", &text, &[FUNCS]).map_err(|d| FuncError::Message(d.message))?;
    let mut set = call.set.clone();
    set.add(&parsed);
    Ok(Outcome::Render(Nested {
        set,
        name: "gotpl".into(),
        asker: "gotpl",
        dot: args[1],
        done: |call, _, text| Ok(call.heap.marked(text)),
        failed: |_, _, error| FuncError::Nested("in tpl: ".into(), Box::new(error)),
    }))
}

/// Renders on a stack of 256 KiB; text or error text.
fn run(template: impl Into<String>) -> Result<String, String> {
    let template = template.into();
    let work = move || {
        let parsed = Parsed::parse("t", template.as_bytes(), &[FUNCS]).map_err(|d| d.message)?;
        let mut set = Set::new();
        set.add(&parsed);
        let mut heap = Heap::new(true);
        heap.fuel = 3_000_000;
        let dot = heap.str("dot");
        let out = render(&set, "t", "gotpl", dot, &mut heap, &mut NoHost, &Options::default());
        out.map(|m| String::from_utf8_lossy(&m.bytes).into_owned()).map_err(|e| e.text())
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(work);
    thread.expect("thread starts").join().expect("no panic and no overflow")
}

#[test]
fn ten_thousand_parentheses() {
    let nested = |n: usize| format!("{{{{ {}1{} }}}}", "(".repeat(n), ")".repeat(n));
    assert_eq!(run(nested(10_000)).as_deref(), Ok("1"));
    assert_eq!(run(nested(10_001)).unwrap_err(), "template: t:1: max expression depth exceeded");
    let failing = format!("{{{{ {}nil{} }}}}", "(".repeat(9_000), ")".repeat(9_000));
    assert!(run(failing).unwrap_err().ends_with("nil is not a command"));
}

#[test]
fn deep_control_structures() {
    let n = 50_000;
    assert_eq!(run("{{if .}}".repeat(n) + "x" + &"{{end}}".repeat(n)).as_deref(), Ok("x"));
    assert_eq!(run("{{if .}}".repeat(n)).unwrap_err(), "template: t:1: unexpected EOF");
    let chain = "{{if not .}}a".to_string() + &"{{else if not .}}b".repeat(n) + "{{else}}c{{end}}";
    assert_eq!(run(chain).as_deref(), Ok("c"));
}

#[test]
fn templates_without_end() {
    let error = run(r#"{{define "x"}}{{template "x" .}}{{end}}{{template "x" .}}"#).unwrap_err();
    assert_eq!(
        error,
        r#"template: t:1:25: executing "x" at <{{template "x" .}}>: exceeded maximum template depth (100000)"#
    );
    assert!(run(r#"{{define "x"}}{{include "x" .}}{{end}}{{include "x" .}}"#).is_err());
    assert!(run(r#"{{define "x"}}{{tpl "{{include \"x\" .}}" .}}{{end}}{{include "x" .}}"#).is_err());
    assert!(run("{{range 9000000000}}{{end}}").unwrap_err().contains("render stopped after"));
}

#[test]
fn output_is_capped() {
    let error = run("{{range 1000000}}0123456789012345678901234567890123456789{{end}}").unwrap_err();
    assert!(error.contains("render writes more than 32 MiB"), "{error}");
}

#[test]
fn errors_nest_as_go_nests_them() {
    let text =
        "{{ define \"a\" }}{{ include \"b\" . }}{{ end }}{{ define \"b\" }}\n {{ .x }}{{ end }}{{ include \"a\" . }}";
    assert_eq!(
        run(text).unwrap_err(),
        "template: t:2:21: executing \"t\" at <include \"a\" .>: error calling include: template: t:1:19: executing \"a\" \
         at <include \"b\" .>: error calling include: template: t:2:4: executing \"b\" at <.x>: can't evaluate field x \
         in type string"
    );
    assert_eq!(
        run("{{ include \"q\" . }}").unwrap_err(),
        "template: t:1:3: executing \"t\" at <include \"q\" .>: error calling include: template: no template \"q\" \
         associated with template \"gotpl\""
    );
}
