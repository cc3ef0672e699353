use super::*;

#[track_caller]
fn check(declared: &str, given: &str, want: &str) {
    let found = encode(value(declared, given).view(), &ty(declared)).expect("encodes");
    assert_eq!(STANDARD.encode(&found), want, "{given} against {declared}");
}

#[track_caller]
fn check_bytes(declared: &str, given: &str, want: &[u8]) {
    check(declared, given, &STANDARD.encode(want));
}

#[test]
fn v70_null_and_primitives() {
    check_bytes("\"bool\"", "null", &[0xc0]);
    check_bytes("\"bool\"", "true", &[0xc3]);
    check_bytes("\"bool\"", "false", &[0xc2]);
}

#[test]
fn v71_a_number_takes_the_shortest_form() {
    for (number, want) in [
        ("0", &[0x00][..]),
        ("-0", &[0x00]),
        ("127", &[0x7f]),
        ("128", &[0xcc, 0x80]),
        ("255", &[0xcc, 0xff]),
        ("256", &[0xcd, 0x01, 0x00]),
        ("65535", &[0xcd, 0xff, 0xff]),
        ("65536", &[0xce, 0, 1, 0, 0]),
        ("4294967295", &[0xce, 0xff, 0xff, 0xff, 0xff]),
        ("-1", &[0xff]),
        ("-32", &[0xe0]),
        ("-33", &[0xd0, 0xdf]),
        ("-128", &[0xd0, 0x80]),
        ("-129", &[0xd1, 0xff, 0x7f]),
        ("-32768", &[0xd1, 0x80, 0x00]),
        ("-32769", &[0xd2, 0xff, 0xff, 0x7f, 0xff]),
        ("-2147483648", &[0xd2, 0x80, 0, 0, 0]),
        ("-2147483649", &[0xd3, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]),
    ] {
        check_bytes("\"number\"", number, want);
    }
    check("\"number\"", "0.1", "ozAuMQ==");
    check("\"number\"", "1.5", "yz/4AAAAAAAA");
    check("\"number\"", "9223372036854775808", "szkyMjMzNzIwMzY4NTQ3NzU4MDg=");
    check("\"number\"", "-33", "0N8=");
    check("\"number\"", "\"-inf\"", "y//wAAAAAAAA");
    check("\"number\"", "\"inf\"", "y3/wAAAAAAAA");
    check("\"number\"", "4294967296", "zwAAAAEAAAAA");
}

#[test]
fn v71_a_length_takes_the_shortest_form() {
    for (length, header) in [
        (0, &[0xa0][..]),
        (31, &[0xbf]),
        (32, &[0xd9, 32]),
        (255, &[0xd9, 255]),
        (256, &[0xda, 1, 0]),
        (65535, &[0xda, 255, 255]),
        (65536, &[0xdb, 0, 1, 0, 0]),
    ] {
        let text = "x".repeat(length);
        check_bytes("\"string\"", &format!("{text:?}"), &[header, text.as_bytes()].concat());
    }
    for (length, header) in
        [(15, &[0x9f][..]), (16, &[0xdc, 0, 16]), (65535, &[0xdc, 255, 255]), (65536, &[0xdd, 0, 1, 0, 0])]
    {
        let list = format!("[{}]", vec!["true"; length].join(","));
        check_bytes("[\"list\",\"bool\"]", &list, &[header, &vec![0xc3; length]].concat());
    }
    let entries: Vec<_> = (0..16).map(|index| format!("\"{index:x}\":null")).collect();
    let body: Vec<u8> = "0123456789abcdef".bytes().flat_map(|digit| [0xa1, digit, 0xc0]).collect();
    check_bytes("[\"map\",\"bool\"]", &format!("{{{}}}", entries.join(",")), &[&[0xde, 0, 16], &body[..]].concat());
    check_bytes("[\"map\",\"bool\"]", &format!("{{{}}}", entries[..15].join(",")), &[&[0x8f], &body[..45]].concat());
}

#[test]
fn v71_collections_and_objects() {
    check(r#"["set","string"]"#, r#"["b","a",null]"#, "k6FhoWLA");
    check(r#"["object",{"b":"bool","a":["list","number"]}]"#, r#"{"b":null,"a":[1]}"#, "gqFhkQGhYsA=");
    check_bytes(r#"["map","bool"]"#, r#"{"b":true,"a":null}"#, &[0x82, 0xa1, b'a', 0xc0, 0xa1, b'b', 0xc3]);
    check_bytes(r#"["tuple",["bool","number"]]"#, "[true,1]", &[0x92, 0xc3, 1]);
}

#[test]
fn v72_unknowns_without_refinements_are_short_extensions() {
    check("\"string\"", r#"{"$unknown":{}}"#, "1AAA");
    check("\"string\"", r#"{"$unknown":true}"#, "1AAA");
    check("\"dynamic\"", r#"{"$unknown":true}"#, "1AAA");
}

#[test]
fn v73_refined_unknowns() {
    check("\"string\"", r#"{"$unknown":{"not_null":true,"string_prefix":"ami-"}}"#, "xwkMggHCAqRhbWkt");
    let bounds = r#"{"$unknown":{"number_min":[0,true],"number_max":[1.5,false]}}"#;
    check("\"number\"", bounds, "xxEMggOSAMMEkss/+AAAAAAAAMI=");
    check(r#"["list","string"]"#, r#"{"$unknown":{"not_null":true,"length_max":3}}"#, "xwUMggHCBgM=");
}

#[test]
fn v73_the_body_takes_the_fixed_form_where_one_fits() {
    for (length, header) in [(4, &[0xc7, 7, 12][..]), (5, &[0xd7, 12]), (6, &[0xc7, 9, 12]), (13, &[0xd8, 12])] {
        let prefix = "x".repeat(length);
        let found = format!(r#"{{"$unknown":{{"string_prefix":"{prefix}"}}}}"#);
        let body = [&[0x81, 2, 0xa0 + length as u8], prefix.as_bytes()].concat();
        check_bytes("\"string\"", &found, &[header, &body].concat());
    }
    let least = r#"{"$unknown":{"length_min":200}}"#;
    check_bytes(r#"["set","bool"]"#, least, &[0xd6, 12, 0x81, 5, 0xcc, 200]);
}

#[test]
fn v73_a_long_prefix_is_cut() {
    let encoded = |prefix: &str| {
        let unknown = format!(r#"{{"$unknown":{{"string_prefix":"{prefix}"}}}}"#);
        encode(value("\"string\"", &unknown).view(), &Type::String).expect("encodes")
    };
    let kept = "c".repeat(255) + "-";
    assert_eq!(encoded(&kept), [&[0xc8, 1, 5, 12, 0x81, 2, 0xda, 1, 0], kept.as_bytes()].concat());
    let cut = [&[0xc8, 1, 2, 12, 0x81, 2, 0xd9, 254][..], "a".repeat(254).as_bytes()].concat();
    assert_eq!(encoded(&"a".repeat(257)), cut);
    assert_eq!(encoded(&"a".repeat(1023)), cut);
    assert_eq!(encoded(&("a".repeat(255) + "🤷")), cut);
}

#[test]
fn v74_dynamic_values() {
    check("\"dynamic\"", r#"{"type":["list","string"],"value":["a"]}"#, "ksQRWyJsaXN0Iiwic3RyaW5nIl2RoWE=");
    check("\"dynamic\"", r#"{"type":"string","value":null}"#, "ksQIInN0cmluZyLA");
    check("\"dynamic\"", "null", "wA==");
    check("\"dynamic\"", r#"{"type":"number","value":{"$unknown":true}}"#, "ksQIIm51bWJlciLUAAA=");
    let in_list = [&[0x91, 0x92, 0xc4, 6][..], b"\"bool\"", &[0xc3]].concat();
    check_bytes(r#"["list","dynamic"]"#, r#"[{"type":"bool","value":true}]"#, &in_list);
}

#[test]
fn v60_values_that_do_not_conform_are_converted_or_refused() {
    let five = value("\"number\"", "5");
    assert_eq!(encode(five.view(), &Type::String).expect("encodes"), [0xa1, b'5']);
    let optional = ty(r#"["object",{"a":"string","b":"bool"},["b"]]"#);
    let part = value(r#"["object",{"a":"number"}]"#, r#"{"a":1}"#);
    assert_eq!(encode(part.view(), &optional).expect("encodes"), b"\x82\xa1a\xa11\xa1b\xc0");
    let list = value(r#"["list","bool"]"#, "[true]");
    let error = encode(list.view(), &Type::Number).expect_err("no conversion");
    assert!(matches!(error, EncodeError::Convert(_)), "{error}");
}

#[test]
fn encode_into_appends_and_leaves_the_buffer_alone_when_it_fails() {
    let mut buffer = vec![7];
    encode_into(&mut buffer, Value::bool(true).view(), &Type::Bool).expect("encodes");
    assert_eq!(buffer, [7, 0xc3]);
    let broken = Value::from_parts(
        Type::list(Type::Bool),
        Value::list(&Type::String, vec![Value::string("x")]).unwrap().node().clone(),
    );
    let error = encode_into(&mut buffer, broken.view(), &Type::list(Type::Bool)).expect_err("no bool");
    assert!(matches!(error, EncodeError::Payload { ty: Type::Bool }), "{error}");
    assert_eq!(buffer, [7, 0xc3]);
}
