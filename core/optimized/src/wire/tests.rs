//! The laws of the walk over bytes. Its answers are compared with the rules in whole comparisons.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use planfuzz_core::json::Json;
use planfuzz_core::msgpack::decode_at;
use planfuzz_core::strategies::any_value;

/// A block in short, compiled for bytes.
struct Fixture {
    program: WireProgram,
}

impl Fixture {
    fn new(block: &str, dialect: Dialect) -> Fixture {
        let schema = Schema::parse(&format!(r#"{{"block":{block}}}"#)).expect("a schema");
        Fixture { program: WireProgram::compile(&schema, dialect) }
    }

    fn bytes(&self, json: &str) -> Vec<u8> {
        let json = Json::parse(json).expect("JSON");
        let value = Value::from_json(&json, self.program.ty()).expect("a value of the schema");
        encode(value.view(), self.program.ty()).expect("bytes")
    }

    /// The answer, which is checked against that of decoding, merging and encoding.
    #[track_caller]
    fn check(&self, prior: &[u8], config: &[u8]) -> Result<Vec<u8>, WireError> {
        let (found, want) = (self.program.proposed_new(prior, config), self.program.decoded(prior, config));
        match (&found, &want) {
            (Ok(found), Ok(want)) => assert_eq!(found, want),
            (Err(found), Err(want)) => assert_eq!(found.to_string(), want.to_string()),
            _ => panic!("found {found:?}, expected {want:?}"),
        }
        found
    }

    /// The merge of values in JSON.
    #[track_caller]
    fn merged(&self, prior: &str, config: &str) -> String {
        let answer = self.check(&self.bytes(prior), &self.bytes(config)).expect("an answer");
        let value = decode(&answer, self.program.ty()).expect("a value");
        value.to_json(self.program.ty()).to_compact()
    }
}

const FLAT: &str = r#"{"attributes":{
    "a":{"type":"string","optional":true},
    "b":{"type":"number","computed":true},
    "c":{"type":["map","number"],"optional":true,"computed":true},
    "d":{"type":"dynamic","optional":true,"computed":true}}}"#;

const TREE: &str = r#"{"attributes":{
    "n":{"optional":true,"computed":true,"nested_type":{"nesting_mode":"list","attributes":{
        "x":{"type":"string","optional":true},"y":{"type":"string","computed":true}}}},
    "s":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
        "x":{"type":"string","optional":true},"y":{"type":"string","computed":true}}}}},
  "block_types":{
    "l":{"nesting_mode":"list","block":{"attributes":{
        "x":{"type":"string","optional":true},"y":{"type":"number","computed":true}}}},
    "o":{"nesting_mode":"group","block":{"attributes":{"y":{"type":"string","computed":true}}}},
    "t":{"nesting_mode":"set","block":{"attributes":{
        "x":{"type":"string","optional":true},"y":{"type":"string","computed":true}}}}}}"#;

fn flat() -> Fixture {
    Fixture::new(FLAT, Dialect::default())
}

fn tree() -> Fixture {
    Fixture::new(TREE, Dialect::default())
}

#[test]
fn m10_leaves_come_from_the_side_that_has_them() {
    let found = flat().merged(
        r#"{"a":"p","b":1,"c":{"k":1},"d":{"type":"string","value":"p"}}"#,
        r#"{"a":"c","b":null,"c":{"j":2},"d":{"type":"bool","value":null}}"#,
    );
    assert_eq!(found, r#"{"a":"c","b":1,"c":{"j":2},"d":{"type":"string","value":"p"}}"#);
}

#[test]
fn m01_without_a_prior_the_empty_value_stands_in() {
    let config = r#"{"n":null,"s":null,"l":[{"x":"c","y":null}],"o":{"y":null},"t":[]}"#;
    assert_eq!(tree().merged("null", config), r#"{"l":[{"x":"c","y":null}],"n":null,"o":{"y":null},"s":null,"t":[]}"#);
    assert_eq!(tree().merged("null", "null"), "null");
    let empty = r#"{"l":[],"n":null,"o":{"y":null},"s":null,"t":[]}"#;
    assert_eq!(tree().merged("null", r#"{"$unknown":true}"#), empty);
}

#[test]
fn m12_m16_m17_m18_elements_follow_the_configuration() {
    let prior = r#"{"n":[{"x":null,"y":"n"}],"s":{"a":{"x":"1","y":"a"},"b":{"x":"2","y":"b"},"d":null},
        "l":[{"x":"1","y":1},{"x":"2","y":2},{"x":"3","y":3}],"o":{"y":"o"},"t":[{"x":"1","y":"t"}]}"#;
    let config = r#"{"n":null,"s":{"b":{"x":"3","y":null},"c":{"x":"4","y":null},"d":{"$unknown":true}},
        "l":[{"x":"9","y":null},{"$unknown":true}],"o":null,"t":[{"x":"1","y":null}]}"#;
    let found = tree().merged(prior, config);
    let want = concat!(
        r#"{"l":[{"x":"9","y":1},{"x":"2","y":2}],"n":[{"x":null,"y":"n"}],"o":{"y":"o"},"#,
        r#""s":{"b":{"x":"3","y":"b"},"c":{"x":"4","y":null},"d":{"x":{"$unknown":true},"y":{"$unknown":true}}},"#,
        r#""t":[{"x":"1","y":"t"}]}"#
    );
    assert_eq!(found, want);
}

#[test]
fn m21_a_configured_element_does_not_survive_a_null() {
    let config = r#"{"n":null,"s":null,"l":[],"o":null,"t":[]}"#;
    for (x, stays) in [(r#""1""#, false), (r#"{"$unknown":true}"#, false), ("null", true)] {
        let prior = format!(r#"{{"n":[null,{{"x":{x},"y":"n"}}],"s":null,"l":[],"o":null,"t":[]}}"#);
        assert_eq!(tree().merged(&prior, config).contains(r#""n":null"#), !stays, "{x}");
    }
}

#[test]
fn m21_any_element_may_have_been_configured() {
    let inside = r#""attributes":{"x":{"type":"string","optional":true},
        "z":{"computed":true,"nested_type":{"nesting_mode":"single","attributes":{"x":{"type":"string","optional":true}}}}}"#;
    for (mode, open, close) in
        [("list", ["[", ","], "]"), ("map", [r#"{"a":"#, r#","b":"#], "}"), ("set", ["[", ","], "]")]
    {
        let nested =
            format!(r#"{{"optional":true,"computed":true,"nested_type":{{"nesting_mode":"{mode}",{inside}}}}}"#);
        let fixture = Fixture::new(&format!(r#"{{"attributes":{{"n":{nested}}}}}"#), Dialect::default());
        for (second, stays) in [
            (r#"{"x":null,"z":{"x":null}}"#, true),
            (r#"{"x":null,"z":{"x":"deep"}}"#, false),
            (r#"{"x":"here","z":null}"#, false),
            ("null", true),
        ] {
            let prior = format!(r#"{{"n":{}{{"x":null,"z":null}}{}{second}{close}}}"#, open[0], open[1]);
            let found = fixture.merged(&prior, r#"{"n":null}"#);
            assert_eq!(found != r#"{"n":null}"#, stays, "{mode} {second}");
        }
    }
}

#[test]
fn v43_v81_unknowns_with_records_come_out_as_they_are_read() {
    let unknown = |facts: &str| format!(r#"{{"a":{{"$unknown":{{{facts}}}}},"b":null,"c":null,"d":null}}"#);
    let prior = r#"{"a":"p","b":1,"c":{"k":1},"d":null}"#;
    let found = flat().merged(prior, &unknown(r#""not_null":true,"string_prefix":"ab""#));
    assert!(found.contains(r#""string_prefix":"ab""#), "{found}");
    // A null that a record makes known, at a computed leaf and at a nested attribute.
    let null = [0xc7, 0x03, 12, 0x81, 1, 0xc3];
    let fixture = tree();
    let mut config = fixture.bytes(r#"{"n":null,"s":null,"l":[{"x":"1","y":null}],"o":null,"t":[]}"#);
    for name in [b"\xa1y", b"\xa1n", b"\xa1s"] {
        let at = config.windows(2).position(|two| two == name).expect("the name") + 2;
        config.splice(at..=at, null);
        fixture
            .check(
                &fixture.bytes(r#"{"n":[{"x":null,"y":"1"}],"s":{},"l":[{"x":"1","y":7}],"o":null,"t":[]}"#),
                &config,
            )
            .expect("an answer");
    }
    // A list of known length is known.
    let at = config.windows(2).position(|two| two == b"\xa1l").expect("the name") + 2;
    config.splice(at.., [0xc7, 0x07, 12, 0x83, 1, 0xc2, 5, 2, 6, 2]);
    config.extend(fixture.bytes(r#"{"n":null,"s":null,"l":[],"o":null,"t":[]}"#).split_off(7));
    let _ = fixture.check(&fixture.bytes("null"), &config);
}

#[test]
fn v84_maps_may_have_keys_in_any_order_and_twice() {
    let fixture = flat();
    let prior = fixture.bytes(r#"{"a":"p","b":1,"c":{"k":1},"d":null}"#);
    let config = b"\x84\xa1a\xc0\xa1b\xc0\xa1c\x83\xa1z\x01\xa1k\x02\xa1z\xcd\x00\x05\xa1d\xc0";
    let answer = fixture.check(&prior, config).expect("an answer");
    assert_eq!(answer, fixture.bytes(r#"{"a":null,"b":1,"c":{"k":2,"z":5},"d":null}"#));
}

#[test]
fn v71_other_forms_of_numbers_names_and_lengths_are_rewritten() {
    let fixture = flat();
    let prior = b"\xde\x00\x04\xc4\x01c\xc0\xa1b\xa15\xd9\x01a\xc0\xa1d\x92\xa8\"string\"\xda\x00\x01x";
    let config =
        b"\x84\xa1a\xda\x00\x01c\xa1b\xc0\xa1c\xdf\x00\x00\x00\x01\xa1k\xcb\x40\x00\x00\x00\x00\x00\x00\x00\xa1d\xc0";
    let answer = fixture.check(prior, config).expect("an answer");
    assert_eq!(answer, fixture.bytes(r#"{"a":"c","b":5,"c":{"k":2},"d":{"type":"string","value":"x"}}"#));
}

#[test]
fn v80_v85_hostile_bytes_are_refused_as_they_are_when_decoded() {
    let fixture = tree();
    let prior = fixture.bytes(
        r#"{"n":[{"x":null,"y":"n"}],"s":{"a":{"x":"1","y":"a"}},"l":[{"x":"1","y":1.5}],"o":{"y":"o"},"t":[{"x":"1","y":"t"}]}"#,
    );
    let config = fixture
        .bytes(r#"{"n":null,"s":{"a":{"x":"3","y":null}},"l":[{"x":"9","y":null}],"o":null,"t":[{"x":"1","y":null}]}"#);
    for end in 0..prior.len() {
        assert!(matches!(fixture.check(&prior[..end], &config), Err(WireError::Prior(_))), "cut at {end}");
    }
    for end in 0..config.len() {
        assert!(matches!(fixture.check(&prior, &config[..end]), Err(WireError::Config(_))), "cut at {end}");
    }
    for (side, at) in
        [&prior, &config].into_iter().enumerate().flat_map(|(side, bytes)| (0..bytes.len()).map(move |at| (side, at)))
    {
        for byte in [0x00, 0x80, 0x90, 0xa0, 0xc0, 0xc1, 0xc7, 0xcb, 0xd4, 0xdc, 0xdd, 0xdf, 0xff] {
            let (mut prior, mut config) = (prior.clone(), config.clone());
            [&mut prior, &mut config][side][at] = byte;
            let _ = fixture.check(&prior, &config);
        }
    }
    assert!(fixture.check(&prior, &[0x80]).is_err(), "V85, S30: an empty object is none of the schema");
}

#[test]
fn a_schema_deeper_than_values_is_left_to_the_decoder() {
    let leaf = r#"{"attributes":{"a":{"type":"string","optional":true}}}"#.to_owned();
    let block = (0..MAX_DEPTH)
        .fold(leaf, |inner, _| format!(r#"{{"block_types":{{"b":{{"nesting_mode":"single","block":{inner}}}}}}}"#));
    let Ok(schema) = Schema::parse(&format!(r#"{{"block":{block}}}"#)) else { return };
    let program = WireProgram::compile(&schema, Dialect::default());
    assert!(program.layout.is_none());
    assert!(program.proposed_new(&[0xc0], &[0xc0]).is_ok());
}

/// The guarantee of `scan`: canonical bytes are decoded to the same end, and encoded as they stand.
fn check_canonical(bytes: &[u8], ty: &Type) -> Result<bool, TestCaseError> {
    let ty = ty.strip_optional();
    if let Some(end) = Cursor::new(bytes).readable(&ty) {
        let placed = decode_at(bytes, 0, &ty, 0).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(placed.end, end.at());
        prop_assert!(placed.value.ty().conforms_to(&ty));
    }
    let Some(end) = Cursor::new(bytes).canonical(&ty) else { return Ok(false) };
    let placed = decode_at(bytes, 0, &ty, 0).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(placed.end, end.at());
    prop_assert_eq!(placed.made, 0);
    prop_assert!(placed.value.ty().conforms_to(&ty));
    let again = encode(placed.value.view(), &ty).expect("bytes");
    prop_assert_eq!(&again[..], &bytes[..end.at()]);
    Ok(true)
}

/// Numbers in every form, the right one among them; most of them where one form ends and another begins.
fn any_number() -> impl Strategy<Value = Vec<u8>> {
    let edge = (0..64_u32, -2..3_i64, any::<bool>()).prop_map(|(shift, beside, negative)| {
        let power = 1_i64.wrapping_shl(shift).wrapping_add(beside);
        if negative { power.wrapping_neg() } else { power }
    });
    let int = prop_oneof![edge, -300..300_i64, any::<i64>()];
    let forms = (0..8_usize, int).prop_map(|(form, int)| {
        let width = 1 << (form % 4);
        [&[0xcc + form as u8][..], &int.to_be_bytes()[8 - width..]].concat()
    });
    let floats = any::<f64>().prop_map(|float| [&[0xcb][..], &float.to_be_bytes()].concat());
    let halves = (-9..9_i32).prop_map(|halves| [&[0xcb][..], &(f64::from(halves) / 2.0).to_be_bytes()].concat());
    prop_oneof![4 => forms, 1 => floats, 1 => halves, 1 => vec(any::<u8>(), 1..10)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn v70_canonical_bytes_are_written_unchanged((ty, value) in any_value(), changes in vec(any::<(u16, u8)>(), 0..4)) {
        let mut bytes = encode(value.view(), &ty).expect("bytes");
        check_canonical(&bytes, &ty)?;
        for (place, byte) in changes {
            let place = usize::from(place) % bytes.len();
            bytes[place] = byte;
            check_canonical(&bytes, &ty)?;
        }
    }

    #[test]
    fn v71_each_int64_has_one_canonical_form(int in any_number()) {
        // Whatever the form was, the encoder's bytes of the number are canonical, but for text.
        if let Ok(placed) = decode_at(&int, 0, &Type::Number, 0) {
            let bytes = encode(placed.value.view(), &Type::Number).expect("bytes");
            let is_text = matches!(bytes[0], 0xa0..=0xbf | 0xd9..=0xdb);
            prop_assert!(is_text || check_canonical(&bytes, &Type::Number)?);
        }
    }

    #[test]
    fn v71_v83_so_are_numbers(bytes in any_number()) {
        check_canonical(&bytes, &Type::Number)?;
    }

    #[test]
    fn v52_sets_of_strings_and_numbers_that_ascend_stay(mut texts in vec(".{0,3}", 0..6), mut ints in vec(any::<i16>(), 0..6)) {
        texts.sort();
        texts.dedup();
        ints.sort_unstable();
        ints.dedup();
        let texts = texts.iter().map(|text| Value::string(text)).collect();
        let ints = ints.iter().map(|int| Value::number(i64::from(*int))).collect();
        for (element, elements) in [(Type::String, texts), (Type::Number, ints)] {
            let set = Value::set(&element, elements).expect("a set");
            let bytes = encode(set.view(), set.ty()).expect("bytes");
            prop_assert!(check_canonical(&bytes, set.ty())? || element == Type::String);
        }
    }
}
