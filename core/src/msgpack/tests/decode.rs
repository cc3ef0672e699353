use super::*;
use crate::value::Node;

#[track_caller]
fn check(declared: &str, bytes: &[u8], want: &str) {
    match decode(bytes, &ty(declared)) {
        Ok(found) => assert_eq!(found.view().to_json_text(&ty(declared)), want, "{bytes:02x?} against {declared}"),
        Err(error) => panic!("{bytes:02x?} against {declared}: {error}"),
    }
}

#[track_caller]
fn check_base64(declared: &str, text: &str, want: &str) {
    check(declared, &base64(text), want);
}

#[track_caller]
fn check_error(declared: &str, bytes: &[u8], want: &str) {
    let error = decode(bytes, &ty(declared)).expect_err("refused");
    assert_eq!(error.to_string(), want, "{bytes:02x?} against {declared}");
    assert!(!error.is_engine_crash(), "{error}");
}

#[track_caller]
fn check_crash(declared: &str, bytes: &[u8]) {
    let error = decode(bytes, &ty(declared)).expect_err("refused");
    assert!(error.is_engine_crash(), "{error}");
}

/// An extension of type 12 with this body.
fn refined(body: &[u8]) -> Vec<u8> {
    [&[0xc7, body.len() as u8, 12], body].concat()
}

/// A dynamic value: the type's text and the value's bytes.
fn dynamic(ty: &str, value: &[u8]) -> Vec<u8> {
    [&[0x92, 0xc4, ty.len() as u8], ty.as_bytes(), value].concat()
}

#[test]
fn v21_floats_of_either_size() {
    check_base64("\"number\"", "yz/xmZmZmZma", "1.1");
    check_base64("\"number\"", "yj+MzM0=", "1.100000023841858");
}

#[test]
fn v24_keys_and_strings_are_put_into_nfc() {
    check_base64(r#"["map","number"]"#, "gaNlzIEB", r#"{"é":1}"#);
    check("\"string\"", b"\xa3e\xcc\x81", "\"é\"");
    // An attribute's name is looked up as it is.
    check_error(
        r#"["object",{"é":"bool"}]"#,
        b"\x81\xa3e\xcc\x81\xc3",
        "byte 1: expected an attribute of the object, found \"e\\u{301}\"",
    );
}

#[test]
fn v25_invalid_utf_8_is_refused() {
    check_error("\"string\"", b"\xa3ab\xff", "byte 3: expected valid UTF-8, found an invalid byte after 2 bytes");
    check_error(
        r#"["map","bool"]"#,
        b"\x81\xa1\xff\xc3",
        "byte 2: expected valid UTF-8, found an invalid byte after 0 bytes",
    );
}

#[test]
fn v42_contradictions_crash() {
    check_crash("\"number\"", &base64("xwkMggOSBcMEkgHD"));
    check_crash("\"bool\"", &refined(&[0x82, 1, 0xc2, 1, 0xc3]));
    check_crash(r#"["list","bool"]"#, &refined(&[0x82, 5, 2, 6, 1]));
    check_crash(r#"["list","bool"]"#, &refined(&[0x81, 6, 0xff]));
}

#[test]
fn v43_facts_that_leave_no_choice_make_a_value() {
    check("\"number\"", &refined(&[0x83, 1, 0xc2, 3, 0x92, 1, 0xc3, 4, 0x92, 1, 0xc3]), "1");
    check(r#"["list","bool"]"#, &refined(&[0x83, 1, 0xc2, 5, 2, 6, 2]), r#"[{"$unknown":true},{"$unknown":true}]"#);
}

#[test]
fn v80_bytes_after_the_value_are_ignored_and_truncation_is_an_error() {
    check_base64("\"bool\"", "w8M=", "true");
    check_error("\"bool\"", &[], "byte 0: expected 1 bytes more, found 0");
    check_error("\"string\"", b"\xa3ab", "byte 1: expected 3 bytes more, found 2");
    check_error(r#"["list","bool"]"#, &[0xdd, 0xff, 0xff, 0xff, 0xff], "byte 5, [0]: expected 1 bytes more, found 0");
}

#[test]
fn v81_short_extensions_of_any_type_are_plain_unknowns() {
    check_base64("\"string\"", "1AUH", r#"{"$unknown":true}"#);
    check_base64("\"string\"", "xwAM", r#"{"$unknown":true}"#);
    check("\"dynamic\"", &[0xd4, 0, 0], r#"{"$unknown":true}"#);
    check_error("\"string\"", &[0xd4, 0], "byte 2: expected 1 bytes more, found 0");
}

#[test]
fn v81_longer_extensions_are_of_type_12_and_hold_a_map() {
    check_error("\"string\"", &base64("1QwAAA=="), "byte 2: expected a map of refinements, found the code 0x00");
    check_base64("\"string\"", "1QyAAA==", r#"{"$unknown":{}}"#);
    check_base64("\"dynamic\"", "xwMMgQHC", r#"{"$unknown":true}"#);
    check(r#""bool""#, &refined(&[0xc0, 0]), r#"{"$unknown":{}}"#);
    check(r#""bool""#, &refined(&[0xd4, 9, 0x81, 1, 0xc2]), r#"{"$unknown":{"not_null":true}}"#);
    let other = "byte 1: expected an unknown value (extension 12, at most 1024 bytes), found extension 11 of 2 bytes";
    check_error("\"string\"", &[0xd5, 11, 0x80, 0], other);
    let long = [&[0xc8, 4, 1, 12, 0x80][..], &[0; 1024]].concat();
    assert!(decode(&long, &Type::Bool).is_err());
    check("\"bool\"", &[&[0xc8, 4, 0, 12, 0x80][..], &[0; 1023]].concat(), r#"{"$unknown":{}}"#);
}

#[test]
fn v81_nullness() {
    check_base64("\"string\"", "xwMMgQHA", r#"{"$unknown":{"not_null":true}}"#);
    check_base64("\"string\"", "xwMMgQHD", "null");
    check_error("\"string\"", &refined(&[0x81, 1, 2]), "byte 5: expected a bool, found the code 0x02");
}

#[test]
fn v81_facts_fit_the_type() {
    check_error("\"number\"", &base64("xwUMgQKiYWI="), "byte 4: expected a refinement of \"number\", found key 2");
    check("\"string\"", &refined(b"\x81\x02\xa2ab"), r#"{"$unknown":{"string_prefix":"ab"}}"#);
    check("\"number\"", &refined(&[0x81, 3, 0x92, 0xa1, b'7', 0xc3]), r#"{"$unknown":{"number_min":[7,true]}}"#);
    check(
        r#"["map","bool"]"#,
        &refined(&[0x82, 5, 1, 6, 0xcd, 1, 0]),
        r#"{"$unknown":{"length_min":1,"length_max":256}}"#,
    );
    check(r#"["map","bool"]"#, &refined(&[0x81, 5, 0xff]), r#"{"$unknown":{}}"#);
    for bound in [&[0xc0][..], &[0x92, 0xc0, 0xc3], &[0x92, 1, 0xd4, 0, 0], &[0x90]] {
        let error = decode(&refined(&[&[0x81, 4], bound].concat()), &Type::Number).expect_err("no bound");
        assert_eq!(*error.problem(), DecodeProblem::Bound);
    }
}

#[test]
fn v81_an_unlisted_key_is_skipped_without_its_value() {
    let declared = "\"string\"";
    check_error(declared, &base64("xwUMgj/CAcI="), "byte 5: expected an integer, found the code 0xc2");
    check(declared, &refined(&[0x82, 0x3f, 1, 0xc2]), r#"{"$unknown":{"not_null":true}}"#);
    check(declared, &refined(&[0x81, 0xc0]), r#"{"$unknown":{}}"#);
}

#[test]
fn v82_dynamic_values() {
    check_base64("\"dynamic\"", "ksQIInN0cmluZyLA", r#"{"type":"string","value":null}"#);
    check("\"dynamic\"", b"\x92\xa6\"bool\"\xc3", r#"{"type":"bool","value":true}"#);
    check("\"dynamic\"", &dynamic("\"dynamic\"", &dynamic("\"bool\"", &[0xc3])), r#"{"type":"bool","value":true}"#);
    check("\"dynamic\"", &dynamic("\"dynamic\"", &[0xc0]), "null");
    check_error("\"dynamic\"", &[0x93], "byte 0: expected 2 entries, found 3");
    check_error("\"dynamic\"", &[0x92, 0xc0], "byte 1: expected the JSON of a type, found the code 0xc0");
    assert!(decode(&dynamic("\"strin\"", &[0xc0]), &Type::Dynamic).is_err());
}

#[test]
fn v83_numbers_and_strings() {
    check_base64("\"number\"", "oTU=", "5");
    check("\"number\"", &[0xc4, 1, b'5'], "5");
    check("\"number\"", &[0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "18446744073709551615");
    check("\"number\"", &[0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "-1");
    check("\"number\"", &[0xca, 0x3f, 0x00, 0, 0], "0.5");
    check_crash("\"number\"", &base64("y3/4AAAAAAAA"));
    check_crash("\"number\"", &[0xca, 0x7f, 0xc0, 0, 0]);
    check("\"string\"", &[0xc4, 1, b'a'], "\"a\"");
    check_error("\"string\"", &[1], "byte 0: expected a string, found the code 0x01");
    check_error("\"number\"", &[0xc3], "byte 0: expected a number, found the code 0xc3");
    check_error("\"bool\"", &[1], "byte 0: expected a bool, found the code 0x01");
}

#[test]
fn v84_odd_keys_of_maps() {
    let declared = r#"["map","number"]"#;
    check_base64(declared, "gQUB", r#"{"":1}"#);
    check(declared, &[0x81, 0xc0, 1], r#"{"":1}"#);
    check(declared, &[0x81, 0xc4, 1, b'a', 1], r#"{"a":1}"#);
    // The payload of the odd key is read as the value.
    check(declared, &[0x81, 0xcc, 5], r#"{"":5}"#);
    check(declared, &[0x83, 0xa1, b'b', 1, 0xa1, b'a', 2, 0xa1, b'b', 3], r#"{"a":2,"b":3}"#);
    check_error(declared, &[0x90], "byte 0: expected a map, found the code 0x90");
}

#[test]
fn v84_sets_take_their_elements_in_order() {
    check_base64(r#"["set","number"]"#, "k9QAANQAAAE=", r#"[1,{"$unknown":true},{"$unknown":true}]"#);
    check(r#"["set","string"]"#, b"\x93\xa1b\xa1a\xa1b", r#"["a","b"]"#);
}

#[test]
fn v85_lengths_of_tuples_and_objects() {
    let object = r#"["object",{"a":"number","b":"number"}]"#;
    check_error(
        r#"["object",{"a":"number"}]"#,
        &base64("gaFiAQ=="),
        "byte 1: expected an attribute of the object, found \"b\"",
    );
    check_error(object, &base64("gaFhAQ=="), "byte 0: expected 2 entries, found 1");
    check_error(object, &[0x82, 5, 1], "byte 1: expected an attribute's name, found the code 0x05");
    check(object, &[0x82, 0xa1, b'b', 2, 0xa1, b'a', 1], r#"{"a":1,"b":2}"#);
    check(r#"["object",{"":"number"}]"#, &[0x81, 0xc0, 1], r#"{"":1}"#);
    check_error(r#"["tuple",["bool"]]"#, &[0x92], "byte 0: expected 1 entries, found 2");
}

#[test]
fn v85_values_that_do_not_conform_are_let_through() {
    let object = ty(r#"["object",{"a":"number","b":"number"}]"#);
    let twice = decode(&[0x82, 0xa1, b'b', 1, 0xa1, b'b', 2], &object).expect("decodes");
    assert_eq!(twice.ty().to_v05_text(), r#"["object",{"b":"number"}]"#);
    assert_eq!(twice.node().parts().len(), 1);
    assert!(matches!(&twice.node().parts()[0], Node::Number(number) if number.to_i64() == Some(2)));
    assert!(!twice.ty().conforms_to(&object));
    assert_eq!(decode(&[0x80], &object).expect("decodes").ty(), &Type::empty_object());
    assert_eq!(decode(&[0x90], &ty(r#"["tuple",["bool"]]"#)).expect("decodes").ty(), &Type::tuple(vec![]));
    let inside = decode(&[0x91, 0x90], &ty(r#"["list",["tuple",["bool"]]]"#)).expect("decodes");
    assert_eq!(inside.ty().to_v05_text(), r#"["list",["tuple",[]]]"#);
    check_crash(r#"["list",["tuple",["bool"]]]"#, &[0x92, 0x90, 0x91, 0xc3]);
}

#[test]
fn v86_elements_of_different_types_crash() {
    check_crash(r#"["list",["object",{"b":"dynamic"}]]"#, &base64("ksCBoWKSxAgic3RyaW5nIqF4"));
    let (text, number) = (dynamic("\"string\"", b"\xa1x"), dynamic("\"number\"", &[1]));
    for declared in [r#"["list","dynamic"]"#, r#"["set","dynamic"]"#] {
        check_crash(declared, &[&[0x92][..], &text, &number].concat());
    }
    check_crash(r#"["map","dynamic"]"#, &[&[0x82, 0xa1, b'a'][..], &text, &[0xa1, b'b'], &number].concat());
    // A replaced entry does not count.
    let replaced = [&[0x82, 0xa1, b'a'][..], &text, &[0xa1, b'a'], &number].concat();
    check(r#"["map","dynamic"]"#, &replaced, r#"{"a":{"type":"number","value":1}}"#);
    check_crash(r#"["list",["list","dynamic"]]"#, &[&[0x92, 0x90, 0x91][..], &text].concat());
}

#[test]
fn v08_null_and_unknown_of_type_dynamic_take_on_the_type_of_the_others() {
    let bytes = [&[0x93, 0xc0, 0xd4, 0, 0][..], &dynamic("\"string\"", b"\xa1x")].concat();
    let list = decode(&bytes, &ty(r#"["list","dynamic"]"#)).expect("decodes");
    assert_eq!(list.ty().to_v05_text(), r#"["list","string"]"#);
    let plain = decode(&[0x92, 0xc0, 0xd4, 0, 0], &ty(r#"["list","dynamic"]"#)).expect("decodes");
    assert_eq!(plain.ty().to_v05_text(), r#"["list","dynamic"]"#);
}

#[test]
fn v60_optional_markers_mean_nothing() {
    let found = decode(&[0xc0], &ty(r#"["object",{"a":"bool"},["a"]]"#)).expect("decodes");
    assert_eq!(found.ty().to_v05_text(), r#"["object",{"a":"bool"}]"#);
}

#[test]
fn errors_have_a_place_in_the_value_and_in_the_bytes() {
    let declared = r#"["object",{"a":["list",["map","bool"]]}]"#;
    let bytes = [0x81, 0xa1, b'a', 0x92, 0x80, 0x81, 0xa1, b'k', 5];
    check_error(declared, &bytes, "byte 8, .a[1][\"k\"]: expected a bool, found the code 0x05");
    let in_set = [0x81, 0xa1, b'a', 0x91, 0x81, 0xa1, b'k', 5];
    let declared = r#"["object",{"a":["set",["map","bool"]]}]"#;
    check_error(declared, &in_set, "byte 7, .a: expected a bool, found the code 0x05");
}
