//! Cases with the text that the library gives.

use super::*;

/// What Helm prints below the chart's name.
fn check(schema: &str, values: &str) -> String {
    match Schema::compile(schema.as_bytes()) {
        Err(Unusable::Invalid(text) | Unusable::Remote(text)) => text,
        Ok(compiled) => match compiled.validate(&Doc::parse(values.as_bytes()).expect("values")) {
            Ok(()) => String::new(),
            Err(failure) => format!("{}\n", failure.body()),
        },
    }
}

#[test]
fn references_that_lead_in_circles_end() {
    assert_eq!(
        check(r##"{"$ref":"#"}"##, "{}"),
        "- at '': both /$ref and  resolve to \"file:///values.schema.json#\" causing reference cycle\n"
    );
}

#[test]
fn other_hosts_are_not_asked() {
    assert_eq!(
        check(r#"{"$ref":"http://x.y/z"}"#, "{}"),
        "failing loading \"http://x.y/z\": schemas of other hosts are not fetched here"
    );
    assert_eq!(
        check(r#"{"$ref":"other.json"}"#, "{}"),
        "failing loading \"file:///other.json\": open /other.json: no such file or directory"
    );
    assert_eq!(check(r#"{"$ref":"urn:x:y"}"#, "{}"), "");
}

#[test]
fn names_of_properties_are_checked_on_their_own() {
    assert_eq!(
        check(r#"{"properties":{"a":{"propertyNames":{"minLength":1000,"pattern":"^z"}}}}"#, r#"{"a":{"b":1}}"#),
        "- at '': invalid propertyName 'b'\n  - at '': minLength: got 1, want 1,000\n  - at '': 'b' does not match pattern '^z'\n"
    );
}

#[test]
fn numbers_of_the_schema_are_shown_as_written() {
    assert_eq!(
        check(r#"{"properties":{"a":{"enum":[1.0,2.50,1e3,null,"it's"]}}}"#, r#"{"a":5}"#),
        "- at '/a': value must be one of 1.0, 2.50, 1e3, <nil>, 'it\\'s'\n"
    );
}

#[test]
fn a_schema_may_ask_for_a_part_of_a_draft() {
    assert_eq!(
        check(r#"{"$schema":"https://json-schema.org/draft/2020-12/meta/core","$id":5}"#, "{}"),
        "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with 'urn:mem:metaschema'\n- at '': 'allOf' failed\n  - at '/$id': got number, want string"
    );
}

#[test]
fn too_much_work_is_refused() {
    let mut schema = String::from(r##"{"$ref":"#/$defs/d0","$defs":{"##);
    for i in 0..40 {
        schema.push_str(&format!(
            r##""d{i}":{{"allOf":[{{"$ref":"#/$defs/d{0}"}},{{"$ref":"#/$defs/d{0}"}}]}},"##,
            i + 1
        ));
    }
    schema.push_str(r#""d40":{"type":"object"}}}"#);
    assert_eq!(check(&schema, "{}"), "- at '': too much work to check here\n");
    let deep = format!("{}{{}}{}", r#"{"not":"#.repeat(450), "}".repeat(450));
    assert!(check(&deep, "{}").contains("too much work"));
}

/// A browser worker has little native stack.
#[test]
fn deep_schemas_and_values_fit_a_small_stack() {
    let run = || {
        for open in ["{\"not\":", "{\"properties\":{\"a\":", "{\"allOf\":[", "{\"items\":"] {
            let close = open.matches('{').map(|_| "}").collect::<String>();
            let close = if open.ends_with('[') { "]}".to_string() } else { close };
            for depth in [40, 90, 200] {
                check(&format!("{}{{\"type\":5}}{}", open.repeat(depth), close.repeat(depth)), "{}");
            }
        }
        let list = r##"{"$defs":{"n":{"properties":{"a":{"$ref":"#/$defs/n"}},"required":["z"]}},"$ref":"#/$defs/n"}"##;
        check(list, &format!("{}{{}}{}", "{\"a\":".repeat(450), "}".repeat(450)));
    };
    let thread = std::thread::Builder::new().stack_size(400 << 10).spawn(run);
    thread.expect("a thread").join().expect("no overflow");
}
