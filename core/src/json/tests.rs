use super::*;

fn error(text: &str) -> JsonError {
    Json::parse(text).expect_err(text)
}

#[test]
fn number_text_is_kept_as_it_stands() {
    let digits = "7".repeat(600);
    let max = u64::MAX.to_string();
    for text in ["0", "-0", "-0.0", "-9223372036854775808", &max, "1e+400", "5.50", "1.5e-2", &digits] {
        assert_eq!(Json::parse(text).unwrap(), Json::Number(text.into()));
    }
    assert_eq!(Json::parse("1E400").unwrap(), Json::Number("1e+400".into()));
}

#[test]
fn the_private_key_of_numbers_is_a_name_like_any_other() {
    for text in [
        r#"{"$serde_json::private::Number":"12"}"#,
        r#"{"$serde_json::private::Number":12}"#,
        r#"[{"\u0024serde_json::private::Number":"x","b":1}]"#,
    ] {
        let json = Json::parse(text).unwrap();
        assert_eq!(json.to_compact(), text.replace("\\u0024", "$"));
    }
    assert!(matches!(Json::parse(r#"{"$serde_json::private::RawValue":"1"}"#), Ok(Json::Object(_))));
}

#[test]
fn a_number_literal_without_end_is_refused_once_and_clearly() {
    let longest = "1".repeat(MAX_NUMBER_LENGTH);
    assert!(Json::parse(&longest).is_ok());
    let error = error(&format!("[0, {longest}1]"));
    assert_eq!(error.problem(), &JsonProblem::LongNumber { length: MAX_NUMBER_LENGTH + 1 });
    assert_eq!(error.path(), "[1]");
}

#[test]
fn members_keep_their_order_and_may_not_repeat() {
    let text = r#"{"b":1,"a":{"x":[],"":{}}}"#;
    assert_eq!(Json::parse(text).unwrap().to_compact(), text);
    let error = error("{\"a\": 1,\n \"l\": [0, {\"k\": 1, \"\\u006b\": 2}]}");
    assert_eq!(error.problem(), &JsonProblem::Duplicate { name: "k".into() });
    assert_eq!(error.path(), ".l[1]");
    assert_eq!(error.position().unwrap().line, 2);
}

#[test]
fn members_of_large_objects_may_not_repeat_either() {
    let members: Vec<_> = (0..1000).map(|n| format!("\"m{n}\":{n}")).collect();
    assert!(Json::parse(&format!("{{{}}}", members.join(","))).is_ok());
    for again in [0, 15, 16, 17, 999] {
        let error = error(&format!("{{{},\"m{again}\":0}}", members.join(",")));
        assert_eq!(error.problem(), &JsonProblem::Duplicate { name: format!("m{again}") });
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(Json::parse(&nested(MAX_NESTING)).is_ok());
    assert_eq!(error(&nested(MAX_NESTING + 1)).problem(), &JsonProblem::TooDeep);
    assert_eq!(error(&nested(100_000)).problem(), &JsonProblem::TooDeep);
    assert_eq!(error(&"{\"a\":".repeat(100_000)).problem(), &JsonProblem::TooDeep);
}

#[test]
fn invalid_documents_are_refused_with_their_place() {
    for text in [
        "",
        " ",
        "{",
        "[1",
        "[1,]",
        "{\"a\":}",
        "{\"a\" 1}",
        "nul",
        "01",
        "+1",
        ".5",
        "1.",
        "\"\n\"",
        "\"\\ud800\"",
        "1 2",
        "{} x",
        "NaN",
        "'a'",
        "{a:1}",
        "{1:1}",
        "\u{feff}1",
        "[1] // c",
    ] {
        let error = error(text);
        assert!(matches!(error.problem(), JsonProblem::Syntax { .. }), "{text}: {error}");
        assert!(error.position().is_some());
    }
    assert_eq!(
        error("{\"a\": [1,\n x]}").to_string(),
        "line 2, column 2, .a[1]: expected one JSON document: expected value"
    );
}

#[test]
fn bytes_that_are_not_utf_8_are_refused() {
    for bytes in [&b"\"\xff\""[..], b"\xff", b"{\"\xc3\": 1}", b"\"\xed\xa0\x80\""] {
        assert!(Json::parse_bytes(bytes).is_err(), "{bytes:?}");
    }
    assert_eq!(Json::parse_bytes("\"é\"".as_bytes()).unwrap(), Json::string("é"));
}

#[test]
fn strings_are_escaped_as_little_as_json_allows() {
    let text = "\"\\\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é<>&\u{2028}😀";
    let json = Json::string(text);
    assert_eq!(json.to_compact(), "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}é<>&\u{2028}😀\"");
    assert_eq!(Json::parse(&json.to_compact()).unwrap(), json);
}

#[test]
fn short_parts_stay_on_one_line_for_people() {
    let text = format!(r#"{{"short":[1,{{"a":null}},{{}}],"long":["{0}","{0}"],"empty":[]}}"#, "x".repeat(60));
    let json = Json::parse(&text).unwrap();
    let want = format!(
        "{{\n  \"short\": [1, {{\"a\": null}}, {{}}],\n  \"long\": [\n    \"{0}\",\n    \"{0}\"\n  ],\n  \"empty\": []\n}}\n",
        "x".repeat(60)
    );
    assert_eq!(json.to_pretty(), want);
    assert_eq!(Json::parse(&want).unwrap(), json);
}

#[test]
fn lines_for_people_keep_to_their_width() {
    for length in 80..110 {
        let json = Json::object([("name", Json::Array(vec![Json::string(&"x".repeat(length)), Json::Null]))]);
        let pretty = json.to_pretty();
        let unbreakable = length + 8 > 100;
        assert!(unbreakable || pretty.lines().all(|line| line.len() <= 100), "{pretty}");
    }
}

#[test]
fn a_strict_reader_refuses_members_that_were_not_read() {
    let json = Json::parse(r#"{"a": 1, "b": {"c": "x"}, "d": true}"#).unwrap();
    let mut object = ObjectReader::new(&json, "a test").unwrap();
    assert_eq!(object.required("a", Json::expect_u64), Ok(1));
    assert_eq!(object.optional("z", Json::expect_u64), Ok(None));
    assert_eq!(object.flag("d"), Ok(true));
    let error = object.required("b", |b| ObjectReader::new(b, "b")?.required("c", Json::expect_i64)).unwrap_err();
    assert_eq!(error.to_string(), ".b.c: expected a whole number of 64 bits, found the string \"x\"");
    assert!(object.finish().is_ok());
    let error = ObjectReader::new(&json, "a test").unwrap().finish().unwrap_err();
    assert!(matches!(error.problem(), JsonProblem::Unknown { name, .. } if name == "a"));
}

#[test]
fn a_long_path_is_printed_by_its_start_and_its_end() {
    let error = Json::parse(&"[".repeat(100_000)).expect_err("too deep").to_string();
    assert!(error.chars().count() < 250, "{error}");
    assert!(error.contains('…') && error.contains("at most 127 levels"), "{error}");
}
