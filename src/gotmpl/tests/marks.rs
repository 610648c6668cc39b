//! Origins: every output byte knows its action, its calls and what it depends on.

use gotmpl::{
    Call, Data, Dep, Func, FuncError, Heap, Host, Key, Label, MapId, MapType, Marked, Nested, Options, Outcome, Param,
    Parsed, Set, TextBuilder, Value, render,
};

static FUNCS: &[Func] = &[
    Func::new("include", &[Param::Str, Param::Any], include).own_labels(),
    Func::new("nindent", &[Param::Int, Param::Str], nindent).own_labels(),
    Func::new("upper", &[Param::Str], |call, args| {
        let text = call.heap.bytes(args[0]).to_ascii_uppercase();
        Ok(call.heap.str(text).into())
    }),
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

fn nindent(call: &mut Call<'_>, args: &[Value]) -> Result<Outcome, FuncError> {
    let pad = " ".repeat(args[0].as_int().unwrap_or(0) as usize);
    let text = call.heap.bytes(args[1]).to_vec();
    let mut out = TextBuilder::new();
    let mut from = 0;
    for line in text.split_inclusive(|b| *b == b'\n') {
        out.push(b"\n");
        out.push(pad.as_bytes());
        let end = from + line.len() - usize::from(line.ends_with(b"\n"));
        out.value(call.heap, args[1], from..end);
        from += line.len();
    }
    Ok(call.heap.marked(out.finish()).into())
}

/// Gives the dependency 100 to whatever is absent and 200 to whatever is ranged over.
struct Watcher;

impl Host for Watcher {
    fn as_any(&mut self) -> &mut dyn std::any::Any {
        self
    }
    fn absent(&mut self, heap: &mut Heap, _: MapId, _: &[u8]) -> Label {
        heap.label_dep(Dep(100))
    }
    fn ranged(&mut self, heap: &mut Heap, _: Value) -> Label {
        heap.label_dep(Dep(200))
    }
}

/// Each mark as `text <action> data|control`.
fn marks(template: &str) -> Vec<String> {
    let parsed = Parsed::parse("t", template.as_bytes(), &[FUNCS]).expect("parses");
    let mut set = Set::new();
    set.add(&parsed);
    let mut heap = Heap::new(true);
    let entries = ["a", "b", "c", "e"].iter().enumerate().map(|(i, name)| {
        let label = heap.label_dep(Dep(i as u32 + 1));
        let text = if *name == "e" { "" } else { name };
        (Key::from(name.as_bytes()), heap.str(text).with_label(label))
    });
    let entries: Vec<_> = entries.collect();
    let dot = heap.map_of(MapType::ANY, entries);
    let items: Vec<Value> = ["x", "y"].iter().map(|t| heap.str(*t)).collect();
    let list = heap.list(items);
    let label = heap.label_dep(Dep(50));
    if let Data::Map(id) = dot.data {
        heap.set_str(id, "l", list.with_label(label));
    }
    let out = render(&set, "t", "gotpl", dot, &mut heap, &mut Watcher, &Options::default()).expect("renders");
    check(&out);
    let deps = |deps: &[Dep]| deps.iter().map(|d| d.0.to_string()).collect::<Vec<_>>().join(",");
    let show = |m: &gotmpl::Mark| {
        let text = String::from_utf8_lossy(&out.bytes[m.start as usize..m.end as usize]).into_owned();
        let action = &template[m.action.span.range()];
        let (data, control) = (deps(heap.label_data(m.label)), deps(heap.label_control(m.label)));
        let mut depth = 0;
        let mut stack = m.stack;
        while let Some((up, ..)) = heap.stack(stack) {
            depth += 1;
            stack = up;
        }
        format!("{text:?} {action} {data}|{control} @{depth}")
    };
    out.marks.iter().map(show).collect()
}

fn check(out: &Marked) {
    let mut at = 0;
    for mark in &out.marks {
        assert!(mark.start >= at && mark.end > mark.start, "sorted, not empty, not overlapping");
        at = mark.end;
    }
    assert!(at as usize <= out.bytes.len());
}

#[test]
fn values_and_literal_text() {
    assert_eq!(marks("x: {{ .a }}\n"), [r#""x: " x:  | @0"#, r#""a" {{ .a }} 1| @0"#, "\"\\n\" \n | @0"]);
    assert_eq!(marks("{{ .q }}"), [r#""<no value>" {{ .q }} 100| @0"#]);
}

#[test]
fn control_is_kept_apart() {
    assert_eq!(marks("{{ if .a }}y{{ .b }}{{ end }}"), [r#""y" y |1 @0"#, r#""b" {{ .b }} 2|1 @0"#]);
    assert_eq!(marks("{{ with .e }}y{{ else }}n{{ end }}"), [r#""n" n |4 @0"#]);
    assert_eq!(marks("{{ or .e .b }}"), [r#""b" {{ or .e .b }} 2|4 @0"#]);
    assert_eq!(marks("{{ range .l }}{{ . }}{{ end }}z"), [r#""xy" {{ . }} 50|50,200 @0"#, r#""z" z | @0"#]);
    assert_eq!(marks("{{ if eq .a .b }}{{ else }}n{{ end }}"), [r#""n" n |1,2 @0"#]);
}

#[test]
fn includes_keep_their_marks_through_indent() {
    let got = marks(
        "{{ define \"p\" }}k: {{ .a }}\nl: {{ .b }}{{ end }}{{ if .c }}{{ include \"p\" . | nindent 2 }}{{ end }}",
    );
    let outer = r#"{{ include "p" . | nindent 2 }}"#;
    assert_eq!(
        got,
        [
            format!(r#""\n  " {outer} |3 @0"#),
            r#""k: " k:  |3 @1"#.to_string(),
            r#""a" {{ .a }} 1|3 @1"#.to_string(),
            format!(r#""\n  " {outer} |3 @0"#),
            r#""l: " l:  |3 @1"#.to_string(),
            r#""b" {{ .b }} 2|3 @1"#.to_string(),
        ]
    );
}

#[test]
fn printf_keeps_tokens_and_others_widen() {
    assert_eq!(
        marks(r#"{{ printf "%s-%s" .a .b }}"#),
        [
            r#""a" {{ printf "%s-%s" .a .b }} 1| @0"#,
            r#""-" {{ printf "%s-%s" .a .b }} | @0"#,
            r#""b" {{ printf "%s-%s" .a .b }} 2| @0"#
        ]
    );
    assert_eq!(marks(r#"{{ printf "%s-%s" .a .b | upper }}"#), [r#""A-B" {{ printf "%s-%s" .a .b | upper }} 1,2| @0"#]);
    assert_eq!(marks("{{ $x := .a }}{{ if .b }}{{ $x = .c }}{{ end }}{{ $x }}"), [r#""c" {{ $x }} 3|2 @0"#]);
}

#[test]
fn removal_moves_marks() {
    let text = Marked::plain("a<no value>b").without(b"<no value>");
    assert_eq!(text.bytes, b"ab");
}
