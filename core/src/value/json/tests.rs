use crate::json::{Json, JsonError, JsonProblem};
use crate::value::json::too_deep;
use crate::value::{Type, Value};

fn ty(text: &str) -> Type {
    Type::parse(text).unwrap()
}

fn read(ty: &str, json: &str) -> Result<Value, JsonError> {
    Value::from_json(&Json::parse(json).unwrap(), &self::ty(ty))
}

/// Reads, checks the concrete type, writes, and expects the same text back.
#[track_caller]
fn check(declared: &str, json: &str, concrete: &str) {
    let value = read(declared, json).unwrap();
    assert_eq!(value.ty().to_v05_text(), concrete);
    assert_eq!(value.view().to_json_text(&ty(declared)), json);
    assert_eq!(value.view().to_json(&ty(declared)), Json::parse(json).unwrap());
}

#[track_caller]
fn check_refused(declared: &str, json: &str, message: &str) {
    assert_eq!(read(declared, json).expect_err(json).to_string(), message);
}

#[test]
fn v05_types_are_written_as_engines_write_them() {
    for text in [
        r#""dynamic""#,
        r#"["list",["set",["map","bool"]]]"#,
        r#"["tuple",[]]"#,
        r#"["tuple",["number",["tuple",["string"]]]]"#,
        r#"["object",{}]"#,
        r#"["object",{"A":"bool","a":"string","a<\u003e":"number"},["A","a"]]"#,
    ] {
        let read = Type::parse(text).unwrap();
        let want = text.replace('<', "\\u003c");
        assert_eq!(read.to_v05_text(), want);
        assert_eq!(Type::from_json(&read.to_json()).unwrap(), read);
    }
    let odd = Type::parse("[ \"object\" , {\"\\u2028&\\u001f\\n\": \"bool\"}, []]\n").unwrap();
    assert_eq!(odd.to_v05_text(), "[\"object\",{\"\\u2028\\u0026\\u001f\\n\":\"bool\"}]");
    assert_eq!(ty(r#"["tuple",null]"#), ty(r#"["tuple",[]]"#));
    assert_eq!(ty(r#"["object",null]"#), ty(r#"["object",{}]"#));
    assert_eq!(ty("[\"object\",{\"e\u{301}\":\"bool\"}]"), ty("[\"object\",{\"é\":\"bool\"}]"));
}

#[test]
fn v05_invalid_types_are_refused() {
    for text in [
        "null",
        "1",
        "{}",
        "[]",
        "[\"list\"]",
        "[\"list\",\"bool\",\"bool\"]",
        "\"any\"",
        "\"List\"",
        "[\"bool\"]",
        "[\"list\",[\"bool\"]]",
        "[\"tuple\",\"bool\"]",
        "[\"tuple\",{}]",
        "[\"object\",[]]",
        "[[\"list\"],\"bool\"]",
        "[\"object\",{\"a\":1}]",
        "[\"object\",{\"a\":\"bool\"},[\"b\"]]",
        "[\"object\",{\"a\":\"bool\"},[1]]",
        "[\"object\",{\"a\":\"bool\"},null]",
        "[\"object\",{\"a\":\"bool\",\"a\":\"bool\"}]",
        "\"bool\" 1",
        "[\"object\",{\"e\\u0301\":\"bool\",\"é\":\"bool\"}]",
    ] {
        assert!(Type::parse(text).is_err(), "{text}");
    }
    let nested = |levels: usize| "[\"list\",".repeat(levels - 1) + "\"bool\"" + &"]".repeat(levels - 1);
    assert_eq!(Type::parse(&nested(crate::value::MAX_DEPTH)).unwrap().depth(), crate::value::MAX_DEPTH);
    let error = Type::parse(&nested(crate::value::MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(error.problem(), &too_deep());
    let error = Type::parse(r#"["tuple",["bool",["object",{"a":["set","x"]}]]]"#).unwrap_err();
    assert_eq!(error.to_string(), "[1][1][1].a[1]: expected a type (V05), found the string \"x\"");
}

#[test]
fn values_without_dynamic_are_read_and_written() {
    check("\"bool\"", "true", "\"bool\"");
    check("\"number\"", "-12", "\"number\"");
    check("\"string\"", "\"é\\n\"", "\"string\"");
    check("\"string\"", "null", "\"string\"");
    check("\"string\"", r#"{"$unknown":true}"#, "\"string\"");
    let object = r#"["object",{"$a":"bool","l":["list","number"],"m":["map","string"],"t":["tuple",["bool","bool"]]}]"#;
    check(object, r#"{"$$a":true,"l":[1,null,{"$unknown":true}],"m":{"$$$":"x","k":null},"t":[null,false]}"#, object);
    check(object, "null", object);
    check(object, r#"{"$unknown":{"not_null":true}}"#, object);
}

#[test]
fn members_may_come_in_any_order() {
    let value = read(r#"["object",{"a":"bool","b":"string"}]"#, r#"{"b":"x","a":null}"#).unwrap();
    assert_eq!(value.view().to_json_text(value.ty()), r#"{"a":null,"b":"x"}"#);
}

#[test]
fn optional_markers_do_not_reach_values() {
    let value = read(r#"["object",{"a":"bool"},["a"]]"#, "null").unwrap();
    assert_eq!(value.ty().to_v05_text(), r#"["object",{"a":"bool"}]"#);
}

#[test]
fn a_dynamic_place_has_its_type() {
    check("\"dynamic\"", "null", "\"dynamic\"");
    check("\"dynamic\"", r#"{"$unknown":true}"#, "\"dynamic\"");
    check("\"dynamic\"", r#"{"type":"string","value":null}"#, "\"string\"");
    check("\"dynamic\"", r#"{"type":["list","dynamic"],"value":[null]}"#, r#"["list","dynamic"]"#);
    check(
        r#"["object",{"a":"dynamic","b":"dynamic","c":"string"}]"#,
        r#"{"a":{"type":["tuple",["bool"]],"value":[true]},"b":null,"c":"x"}"#,
        r#"["object",{"a":["tuple",["bool"]],"b":"dynamic","c":"string"}]"#,
    );
}

#[test]
fn v08_elements_share_one_concrete_type() {
    check(
        r#"["list",["object",{"b":"dynamic","c":["list","dynamic"]}]]"#,
        r#"[null,{"b":{"type":"string","value":"x"},"c":[]},{"b":{"type":"string","value":null},"c":[{"type":"bool","value":true}]}]"#,
        r#"["list",["object",{"b":"string","c":["list","bool"]}]]"#,
    );
    check(
        r#"["map",["set","dynamic"]]"#,
        r#"{"a":[],"b":[{"type":"number","value":1}]}"#,
        r#"["map",["set","number"]]"#,
    );
    let value = read(r#"["list","dynamic"]"#, r#"[null,{"type":"string","value":"x"}]"#).unwrap();
    assert_eq!(value.ty(), &ty(r#"["list","string"]"#));
    check_refused(
        r#"["object",{"l":["list",["object",{"b":"dynamic"}]]}]"#,
        r#"{"l":[{"b":null},{"b":{"type":"string","value":"x"}}]}"#,
        ".l: expected elements of one type (V08), found \"dynamic\" and \"string\"",
    );
}

#[test]
fn values_that_a_type_does_not_allow_are_refused_with_their_path() {
    let object = r#"["object",{"a":["list","number"],"m":["map",["object",{"x":"bool"}]]}]"#;
    for (json, message) in [
        (r#"{"a":[]}"#, "expected the member \"m\", found none of that name"),
        (r#"{"a":[],"m":{},"z":1}"#, "found the unknown member \"z\"; expected no more than a, m"),
        (r#"{"a":[1,"x"],"m":{}}"#, ".a[1]: expected a number, \"inf\" or \"-inf\", found the string \"x\""),
        (r#"{"a":[1,true],"m":{}}"#, ".a[1]: expected a number, \"inf\" or \"-inf\", found true"),
        (r#"{"a":{},"m":{}}"#, ".a: expected an array, found an empty object"),
        (r#"{"a":[],"m":[]}"#, ".m: expected an object, found an array of 0 items"),
        (r#"{"a":[],"m":{"k.k":{"x":1}}}"#, ".m[\"k.k\"].x: expected a bool, found the number 1"),
        (
            r#"{"a":[],"m":{"$k":null}}"#,
            ".m[\"$k\"]: expected a name without $, or with two where it begins with one, found \"$k\"",
        ),
        (
            r#"{"a":{"$unknown":true,"b":1},"m":{}}"#,
            ".a: expected {\"$unknown\": …} and nothing beside it, found an object of 2 members",
        ),
        (
            r#"{"a":{"$unknown":false},"m":{}}"#,
            ".a.\"$unknown\": expected true or an object of refinements, found false",
        ),
        ("[]", "expected an object, found an array of 0 items"),
    ] {
        check_refused(object, json, message);
    }
    check_refused(
        r#"["tuple",["bool"]]"#,
        "[true,true]",
        "expected an array with an item for each of 1 positions, found an array of 2 items",
    );
    for json in
        ["1", "[]", "{}", r#"{"type":"bool"}"#, r#"{"type":"bool","value":1}"#, r#"{"type":"bool","value":true,"x":1}"#]
    {
        assert!(read("\"dynamic\"", json).is_err(), "{json}");
    }
}

#[test]
fn v24_two_keys_that_are_one_in_nfc_are_refused() {
    for ty in [r#"["map","bool"]"#, "[\"object\",{\"é\":\"bool\"}]"] {
        let error = read(ty, "{\"é\":true,\"e\u{301}\":true}").unwrap_err();
        assert_eq!(error.problem(), &JsonProblem::Duplicate { name: "é".into() });
    }
}

#[test]
fn v41_an_empty_record_is_not_a_plain_unknown() {
    check("\"string\"", r#"{"$unknown":{}}"#, "\"string\"");
    check("\"string\"", r#"{"$unknown":{"not_null":true,"string_prefix":"ab"}}"#, "\"string\"");
    check("\"number\"", r#"{"$unknown":{"number_min":[1,true],"number_max":[5,false]}}"#, "\"number\"");
    check(r#"["map","bool"]"#, r#"{"$unknown":{"not_null":true,"length_min":1,"length_max":2}}"#, r#"["map","bool"]"#);
}

#[test]
fn v42_facts_that_contradict_or_do_not_fit_are_refused() {
    for (ty, record) in [
        ("\"number\"", r#"{"number_min":[2,true],"number_max":[1,true]}"#),
        ("\"number\"", r#"{"number_min":[1,true],"number_max":[1,false]}"#),
        ("\"number\"", r#"{"number_min":[1]}"#),
        ("\"number\"", r#"{"string_prefix":"a"}"#),
        ("\"string\"", r#"{"length_min":1}"#),
        ("\"string\"", r#"{"not_null":false}"#),
        ("\"string\"", r#"{"prefix":"a"}"#),
        ("\"dynamic\"", "{}"),
        (r#"["list","bool"]"#, r#"{"length_min":2,"length_max":1}"#),
        (r#"["list","bool"]"#, r#"{"length_min":-1}"#),
        (r#"["list","bool"]"#, r#"{"not_null":true,"length_min":4000000000,"length_max":4000000000}"#),
        (r#"["list","bool"]"#, r#"{"length_max":9223372036854775808}"#),
    ] {
        assert!(read(ty, &format!("{{\"$unknown\":{record}}}")).is_err(), "{ty} {record}");
    }
}

#[test]
fn v43_refinements_that_leave_no_choice_make_a_known_value() {
    for (ty, record, want) in [
        ("\"number\"", r#"{"not_null":true,"number_min":[1,true],"number_max":[1,true]}"#, "1"),
        (
            r#"["list","bool"]"#,
            r#"{"not_null":true,"length_min":2,"length_max":2}"#,
            r#"[{"$unknown":true},{"$unknown":true}]"#,
        ),
        (r#"["set","bool"]"#, r#"{"not_null":true,"length_min":1,"length_max":1}"#, r#"[{"$unknown":true}]"#),
        (r#"["map","bool"]"#, r#"{"not_null":true,"length_max":0}"#, "{}"),
    ] {
        let value = read(ty, &format!("{{\"$unknown\":{record}}}")).unwrap();
        assert_eq!(value.view().to_json_text(value.ty()), want);
    }
}

#[test]
fn st05_primitives_are_read_back_as_engines_read_them() {
    let stored = |ty: &str, json: &str| Value::from_stored_json(&Json::parse(json).unwrap(), &self::ty(ty));
    let check = |ty: &str, json: &str, want: &str| {
        assert_eq!(stored(ty, json).unwrap().view().to_json_text(&self::ty(ty)), want, "{json} as {ty}");
    };
    check("\"number\"", "\"017\"", "17");
    check("\"number\"", "\"1p4\"", "16");
    check("\"number\"", "\"+inf\"", "\"inf\"");
    check("\"bool\"", "\"1\"", "true");
    check("\"bool\"", "\"false\"", "false");
    check("\"string\"", "100000.0", "\"100000.0\"");
    check("\"string\"", "true", "\"true\"");
    for (ty, json) in [
        ("\"number\"", "\"0x1F\""),
        ("\"number\"", "\" 5\""),
        ("\"number\"", "true"),
        ("\"bool\"", "1"),
        ("\"bool\"", "\"True\""),
        ("\"string\"", "[]"),
    ] {
        stored(ty, json).expect_err(json);
    }
    // The other notation does not read this string as a number.
    read("\"number\"", "\"5\"").expect_err("a number");
}
