//! Spans, comments, field paths, and where written values went.

use base::{Json, Span};
use std::rc::Rc;
use yaml::{LocatedValue, PathSeg, Value, field_at, span_of};

fn key(name: &str) -> PathSeg {
    PathSeg::Key(Rc::from(name))
}

fn cut(text: &str, span: Span) -> &str {
    &text[span.range()]
}

#[test]
fn located_values_know_their_text() {
    let text =
        "image:\n  tag: v1  # pinned\n  tag: \"v2\"\nlist: [1, {a: 2.5}]\nbase: &b {x: 1}\nuse:\n  <<: *b\n  z: *b\n";
    let root = yaml::located(text.as_bytes()).unwrap().unwrap();
    let image = root.get("image").unwrap();
    let tag = image.get("tag").unwrap();
    assert_eq!(tag.json, LocatedValue::Str(Rc::from("v2")));
    assert_eq!((cut(text, tag.key_span.unwrap()), cut(text, tag.span)), ("tag", "\"v2\""));
    assert_eq!(cut(text, image.span), "tag: v1  # pinned\n  tag: \"v2\"");
    let user = root.get("use").unwrap();
    assert_eq!(cut(text, user.get("x").unwrap().key_span.unwrap()), "x");
    assert_eq!(cut(text, user.get("z").unwrap().span), "*b");
    let LocatedValue::List(items) = &root.get("list").unwrap().json else { panic!("a list") };
    assert_eq!(cut(text, items[1].span), "{a: 2.5}");
    assert_eq!(items[1].get("a").unwrap().string_for_field().as_deref(), Some("2.5"));
    assert_eq!(yaml::located(b"").unwrap(), None);
    assert_eq!(yaml::located(b"# only\n").unwrap(), None);
}

#[test]
fn fields_at_bytes() {
    let text = "kind: Deployment\nspec:\n  containers:\n  - name: web\n    image: \"nginx\"\n  - name: side\n";
    let doc = yaml::parse_first(text.as_bytes()).unwrap().unwrap();
    let at = |needle: &str| field_at(&doc, text.find(needle).unwrap());
    let item = |i, name: &str| vec![key("spec"), key("containers"), PathSeg::Index(i), key(name)];
    assert_eq!(at("Deployment"), [key("kind")]);
    assert_eq!(at("nginx"), item(0, "image"));
    assert_eq!(at("image"), item(0, "image"));
    assert_eq!(at("side"), item(1, "name"));
    assert_eq!(at("containers"), [key("spec"), key("containers")]);
    assert_eq!(at("- name: web"), [key("spec"), key("containers"), PathSeg::Index(0)]);
    assert_eq!(at("- name: side"), [key("spec"), key("containers"), PathSeg::Index(1)]);
    let (key_span, span) = span_of(&doc, &item(0, "image")).unwrap();
    assert_eq!((cut(text, key_span.unwrap()), cut(text, span)), ("image", "\"nginx\""));
    assert_eq!(span_of(&doc, &item(2, "image")), None);
}

#[test]
fn documents_and_comments() {
    let text = "# top\na: 1 # one\n# two\nb:\n- x\n# end\n---\n---\nc: |\n  text\n";
    let docs = yaml::parse(text.as_bytes()).unwrap();
    assert_eq!(docs.len(), 3);
    let doc = &docs[0];
    let Value::Map(entries) = &doc[doc.root()].value else { panic!("a mapping") };
    let comments = |id| doc.node(id).comments.as_deref().cloned().unwrap_or_default();
    assert_eq!(comments(entries[0].0).head, [Rc::from("# top")]);
    assert_eq!(comments(entries[0].1).line.as_deref(), Some("# one"));
    assert_eq!(comments(entries[1].0).head, [Rc::from("# two")]);
    assert_eq!(comments(doc.root()).foot, [Rc::from("# end")]);
    assert!(docs[1].explicit && docs[1].scalar(docs[1].root()) == Some(""));
    assert_eq!(cut(text, docs[2].span), "c: |\n  text");
    let all = yaml::to_json_all(text.as_bytes()).unwrap();
    assert_eq!(all[1], Json::Null);
}

#[test]
fn written_values_are_found_again() {
    let value = Json::parse(r#"{"z":["a",{"k":"two\nlines\n"}],"a":{},"b":"yes","c":[[1]]}"#).unwrap();
    let mut seen = Vec::new();
    let mut report = |path: &[PathSeg], key: Option<std::ops::Range<usize>>, range: std::ops::Range<usize>| {
        seen.push((path.to_vec(), key, range));
    };
    let text = yaml::emit_v2_traced(&value, &mut report).unwrap();
    assert_eq!(text, yaml::emit_v2(&value));
    let find = |path: &[PathSeg]| {
        let (_, key, range) = seen.iter().find(|(known, _, _)| known == path).unwrap();
        (key.clone().map_or("", |key| &text[key]), &text[range.clone()])
    };
    assert_eq!(find(&[key("a")]), ("a", "{}"));
    assert_eq!(find(&[key("b")]), ("b", "\"yes\""));
    assert_eq!(find(&[key("z"), PathSeg::Index(0)]), ("", "a"));
    assert_eq!(find(&[key("z"), PathSeg::Index(1), key("k")]), ("k", "|\n    two\n    lines"));
    assert_eq!(find(&[key("c")]), ("c", "- - 1"));
    assert_eq!(find(&[]).1, text.trim_end());
}
