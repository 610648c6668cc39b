//! A value that does not fit its chart's schema is shown where it was written.

use base::{MemWorld, Place, World};
use helm::{Session, TemplateOptions, ValuesSource};

const SCHEMA: &str = r#"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{
  "image":{"properties":{"tag":{"type":"string"}},"additionalProperties":false},
  "ports":{"items":{"type":"integer"}}}}"#;

fn world(prod: &str) -> MemWorld {
    MemWorld::new([
        ("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 0.1.0\n"),
        ("web/values.yaml", "image:\n  tag: \"1\"\nports: []\n"),
        ("web/values.schema.json", SCHEMA),
        ("web/templates/t.yaml", "a: 1\n"),
        ("prod.yaml", prod),
    ])
}

fn failed(prod: &str) -> (String, Option<String>) {
    let world = world(prod);
    let mut options = TemplateOptions::new("web");
    options.values.push(ValuesSource::File("prod.yaml".to_string()));
    let failure = Session::new().template(&world, &options).expect_err("refused");
    let at = |place: &Place| {
        let bytes = world.read(&place.file).expect("a file");
        format!("{} {}", place.file, String::from_utf8_lossy(&bytes[place.span.range()]))
    };
    (failure.error.message.clone(), failure.error.primary.as_ref().map(at))
}

#[test]
fn the_place_is_the_wrong_value() {
    let (message, place) = failed("image:\n  tag: 12\n");
    assert_eq!(
        message,
        "values don't meet the specifications of the schema(s) in the following chart(s):\nweb:\n- at '/image/tag': got number, want string\n"
    );
    assert_eq!(place.as_deref(), Some("prod.yaml tag: 12"));
    assert_eq!(failed("ports: [1, x]\n").1.as_deref(), Some("prod.yaml x"));
    assert_eq!(failed("image: {tga: typo}\n").1.as_deref(), Some("prod.yaml tga: typo"));
}
