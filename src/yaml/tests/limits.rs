//! Hostile input: deep nesting, alias bombs, unreadable bytes. Nothing may panic, hang or use much native stack.

use base::Json;

/// Runs `body` with the little stack that a browser worker may have.
fn with_small_stack(body: fn()) {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(body).expect("a thread");
    thread.join().expect("no overflow");
}

fn message(text: &str) -> String {
    yaml::to_json(text.as_bytes()).map(|value| value.to_text()).unwrap_or_else(|error| error.to_string())
}

#[test]
fn deep_flow_collections() {
    with_small_stack(|| {
        assert_eq!(message(&"[".repeat(10_001)), "yaml: exceeded max depth of 10000");
        assert_eq!(message(&"{a: ".repeat(10_001)), "yaml: exceeded max depth of 10000");
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(yaml::parse(deep.as_bytes()).unwrap()[0].nodes.len(), 10_000);
        assert_eq!(message(&deep), "yaml: exceeded max depth of 256");
        let fair = format!("{}{}", "[".repeat(256), "]".repeat(256));
        assert_eq!(message(&fair), fair);
    });
}

#[test]
fn deep_block_collections() {
    with_small_stack(|| {
        assert_eq!(message(&"- ".repeat(10_001)), "yaml: exceeded max depth of 10000");
        let deep = "- ".repeat(9_000);
        assert_eq!(yaml::parse(deep.as_bytes()).unwrap()[0].nodes.len(), 9_001);
        let mapping: String = (0..250).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
        let value = yaml::to_json(mapping.as_bytes()).unwrap();
        let written = yaml::emit_v2(&value);
        assert_eq!(yaml::to_json(written.as_bytes()).unwrap(), value);
        assert!(yaml::emit_v3_pretty(&value).ends_with("a: null\n"));
    });
}

#[test]
fn too_deep_values_are_not_written() {
    let mut value = Json::Null;
    for _ in 0..400 {
        value = Json::list([value]);
    }
    assert_eq!(yaml::emit_v2(&value), "");
    assert_eq!(yaml::try_emit_v2(&value).unwrap_err().to_string(), "yaml: exceeded max depth of 256");
}

#[test]
fn alias_bomb() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for i in 1..12 {
        let items = vec![format!("*a{}", i - 1); 9].join(", ");
        text.push_str(&format!("a{i}: &a{i} [{items}]\n"));
    }
    assert_eq!(message(&text), "yaml: document contains excessive aliasing");
    // Printing the value of an unsupported key must not expand it either.
    assert!(message(&format!("{text}~: *a11\n")).contains("excessive aliasing"));
    assert_eq!(message("a: &x [*x]"), "yaml: anchor 'x' value contains itself");
    assert_eq!(message("a: *x"), "yaml: unknown anchor 'x' referenced");
}

#[test]
fn unreadable_bytes() {
    let read = |bytes: &[u8]| yaml::to_json(bytes).unwrap_err().to_string();
    assert_eq!(read(b"a: \x01"), "yaml: control characters are not allowed");
    assert_eq!(read(b"a: \xff"), "yaml: invalid leading UTF-8 octet");
    assert_eq!(read(b"a: \xc3("), "yaml: invalid trailing UTF-8 octet");
    assert_eq!(read(b"a: b\n\xe2\x82"), "yaml: incomplete UTF-8 octet sequence");
    assert_eq!(yaml::to_json(b"\xff\xfea\0:\0 \x001\0").unwrap().to_text(), r#"{"a":1}"#);
}

#[test]
fn any_prefix_of_a_hard_text_is_read_or_refused() {
    let text =
        "%YAML 1.1\n---\n&a !!map\n? [x, {y: 'z''', \"\\u00e9\\\n  b\": *a}]\n: |2-\n   lit\n\n- no\n<<: &b {k: >+\n";
    for end in 0..text.len() {
        let _ = yaml::to_json(&text.as_bytes()[..end]);
        let _ = yaml::parse(&text.as_bytes()[end..]);
    }
}
