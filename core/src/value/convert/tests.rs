//! Conversion, checked by rule and against its laws.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::*;
use crate::json::Json;

fn ty(text: &str) -> Type {
    Type::parse(text).expect("a type")
}

fn value(of: &str, text: &str) -> Value {
    Value::from_json(&Json::parse(text).expect("JSON"), &ty(of)).expect("a value")
}

/// The result, with its type, in the notation of a value at a dynamic place.
fn check(of: &str, text: &str, to: &str, want: &str) {
    let found = convert(&value(of, text), &ty(to)).expect("a conversion");
    assert_eq!(found.to_json(&Type::Dynamic).to_compact(), want, "{of} {text} to {to}");
}

/// The path of the error.
fn check_error(of: &str, text: &str, to: &str, path: &str) {
    let error = convert(&value(of, text), &ty(to)).expect_err("an error");
    assert_eq!(error.path().to_string(), path, "{of} {text} to {to}: {error}");
}

fn check_unify(types: &str, want: Option<&str>) {
    let types = Json::parse(types).expect("JSON").read_items(Type::from_json).expect("types");
    let found = unify(&types).map(|ty| ty.to_v05_text());
    assert_eq!(found.as_deref(), want, "{types:?}");
}

#[test]
fn v60_an_equal_type_keeps_records_and_an_error_names_the_path() {
    let text = r#"{"$unknown":{"string_prefix":"a"}}"#;
    check("\"string\"", text, "\"string\"", r#"{"type":"string","value":{"$unknown":{"string_prefix":"a"}}}"#);
    check_error(r#"["object",{"a":["list","string"]}]"#, r#"{"a":["1","x"]}"#, r#"["map",["list","number"]]"#, ".a[1]");
    check_error(r#"["map",["tuple",["string"]]]"#, r#"{"k":["x"]}"#, r#"["map",["list","bool"]]"#, r#"["k"][0]"#);
}

#[test]
fn v61_primitives_go_through_text() {
    check("\"number\"", "5.50", "\"string\"", r#"{"type":"string","value":"5.5"}"#);
    check("\"bool\"", "true", "\"string\"", r#"{"type":"string","value":"true"}"#);
    check("\"string\"", "\"0\"", "\"bool\"", r#"{"type":"bool","value":false}"#);
    check("\"string\"", "\"1p3\"", "\"number\"", r#"{"type":"number","value":8}"#);
    check_error("\"string\"", "\"True\"", "\"bool\"", "");
    check_error("\"string\"", "\" 1\"", "\"number\"", "");
    check_error("\"bool\"", "true", "\"number\"", "");
}

#[test]
fn v61_objects_drop_extra_attributes_and_fill_in_optional_ones() {
    let of = r#"["object",{"a":"string","x":"string"}]"#;
    let to = r#"["object",{"a":"number","b":["list","dynamic"]},["b"]]"#;
    check(
        of,
        r#"{"a":"1","x":"q"}"#,
        to,
        r#"{"type":["object",{"a":"number","b":["list","dynamic"]}],"value":{"a":1,"b":null}}"#,
    );
    check_error(of, r#"{"a":"1","x":"q"}"#, r#"["object",{"z":"string"}]"#, "");
}

#[test]
fn v61_maps_become_objects_where_their_keys_allow() {
    let to = r#"["object",{"a":"string","b":["list","string"]},["b"]]"#;
    let want = r#"{"type":["object",{"a":"string","b":["list","string"]}],"value":{"a":"1","b":null}}"#;
    check(r#"["map","number"]"#, r#"{"a":1,"c":2}"#, to, want);
    check_error(r#"["map","number"]"#, r#"{"a":1,"b":2}"#, to, r#"["b"]"#);
    check_error(r#"["map","number"]"#, r#"{"c":1}"#, to, "");
    check_error(r#"["map","number"]"#, r#"{"a":1}"#, r#"["object",{"a":["list","string"]}]"#, "");
}

#[test]
fn v61_tuples_and_objects_become_collections_of_one_type() {
    check(
        r#"["tuple",["string","number"]]"#,
        r#"["a",1]"#,
        r#"["list","dynamic"]"#,
        r#"{"type":["list","string"],"value":["a","1"]}"#,
    );
    check(
        r#"["tuple",["string","number"]]"#,
        r#"["1",1]"#,
        r#"["set","string"]"#,
        r#"{"type":["set","string"],"value":["1"]}"#,
    );
    check(
        r#"["object",{"a":"bool","b":"string"}]"#,
        r#"{"a":true,"b":"x"}"#,
        r#"["map","dynamic"]"#,
        r#"{"type":["map","string"],"value":{"a":"true","b":"x"}}"#,
    );
    check_error(r#"["tuple",["bool","number"]]"#, "[true,1]", r#"["list","dynamic"]"#, "");
    let with_dynamic = r#"["tuple",["dynamic",["list","string"]]]"#;
    check_error(with_dynamic, r#"[null,["x"]]"#, r#"["set","dynamic"]"#, "");
    check(
        r#"["tuple",["dynamic","dynamic"]]"#,
        r#"[null,{"type":"string","value":"x"}]"#,
        r#"["list","string"]"#,
        r#"{"type":["list","string"],"value":[null,"x"]}"#,
    );
}

#[test]
fn v61_an_empty_source_keeps_the_element_type_that_is_known() {
    check(r#"["list","string"]"#, "[]", r#"["set","dynamic"]"#, r#"{"type":["set","string"],"value":[]}"#);
    check(r#"["list","string"]"#, "[]", r#"["list","number"]"#, r#"{"type":["list","number"],"value":[]}"#);
    check(r#"["tuple",[]]"#, "[]", r#"["list","dynamic"]"#, r#"{"type":["list","dynamic"],"value":[]}"#);
    let to = r#"["map",["object",{"a":"string"},["a"]]]"#;
    check(r#"["object",{}]"#, "{}", to, r#"{"type":["map",["object",{"a":"string"}]],"value":{}}"#);
}

#[test]
fn v61_a_set_of_unknown_length_becomes_an_unknown_list_of_its_own_elements() {
    let unknown = r#"{"type":["list","string"],"value":{"$unknown":true}}"#;
    check(r#"["set","string"]"#, r#"["a",{"$unknown":true}]"#, r#"["list","number"]"#, unknown);
    let known = r#"{"type":["list","number"],"value":[{"$unknown":{}}]}"#;
    check(
        r#"["set",["list","string"]]"#,
        r#"[{"$unknown":true}]"#,
        r#"["list",["list","number"]]"#,
        &known.replace("\"number\"", "[\"list\",\"number\"]"),
    );
}

#[test]
fn v61_elements_are_unified_after_conversion() {
    let of = r#"["tuple",[["set","number"],["set","number"]]]"#;
    let text = r#"[[1,{"$unknown":true}],[2]]"#;
    let want = r#"{"type":["list",["list","string"]],"value":[{"$unknown":{}},["2"]]}"#;
    check(of, text, r#"["list",["list","string"]]"#, want);
    let map = r#"{"type":["map",["list","string"]],"value":{"a":{"$unknown":{}},"b":["2"]}}"#;
    let members = r#"{"a":[1,{"$unknown":true}],"b":[2]}"#;
    check(r#"["map",["set","number"]]"#, members, r#"["map",["list","string"]]"#, map);
    check(r#"["object",{"a":["set","number"],"b":["set","number"]}]"#, members, r#"["map",["list","string"]]"#, map);
    check_error(r#"["list",["set","number"]]"#, text, r#"["list",["list","string"]]"#, "");
}

#[test]
fn v62_null_and_unknown_fill_in_dynamic_types() {
    check(
        r#"["tuple",["bool","string"]]"#,
        "null",
        r#"["list","dynamic"]"#,
        r#"{"type":["list","string"],"value":null}"#,
    );
    let to = r#"["object",{"a":"dynamic","b":"dynamic"},["b"]]"#;
    check(r#"["map","bool"]"#, "null", to, r#"{"type":["object",{"a":"bool","b":"bool"}],"value":null}"#);
    check("\"dynamic\"", "null", r#"["list","dynamic"]"#, r#"{"type":["list","dynamic"],"value":null}"#);
}

#[test]
fn v62_only_facts_of_a_record_that_still_hold_survive() {
    let unknown = |record: &str| format!(r#"{{"$unknown":{record}}}"#);
    let cases = [
        ("\"string\"", r#"{"not_null":true,"string_prefix":"1"}"#, "\"number\"", r#"{"not_null":true}"#),
        ("\"string\"", r#"{"string_prefix":"1"}"#, "\"number\"", "true"),
        (r#"["list","string"]"#, "true", r#"["list","number"]"#, "{}"),
        (
            r#"["list","string"]"#,
            r#"{"length_min":2,"length_max":3}"#,
            r#"["set","number"]"#,
            r#"{"length_min":1,"length_max":3}"#,
        ),
        (r#"["tuple",["bool","bool"]]"#, "true", r#"["set","string"]"#, r#"{"length_min":1,"length_max":2}"#),
        (r#"["tuple",[]]"#, "true", r#"["set","string"]"#, r#"{"length_max":0}"#),
        (
            r#"["object",{"a":"bool"}]"#,
            r#"{"not_null":true}"#,
            r#"["map","string"]"#,
            r#"{"not_null":true,"length_min":1,"length_max":1}"#,
        ),
    ];
    for (of, record, to, want) in cases {
        check(of, &unknown(record), to, &format!(r#"{{"type":{to},"value":{}}}"#, unknown(want)));
    }
    let two = r#"{"type":["list","string"],"value":[{"$unknown":true},{"$unknown":true}]}"#;
    check(r#"["tuple",["bool","bool"]]"#, r#"{"$unknown":{"not_null":true}}"#, r#"["list","string"]"#, two);
    let many = r#"{"$unknown":{"not_null":true,"length_min":9000000000,"length_max":9000000000}}"#;
    check_error(r#"["set","string"]"#, many, r#"["list","number"]"#, "");
}

#[test]
fn v63_null_and_unknown_need_a_conversion_too() {
    check_error(r#"["list","string"]"#, "null", "\"number\"", "");
    check_error(r#"["list","string"]"#, r#"{"$unknown":true}"#, "\"number\"", "");
    check("\"dynamic\"", "null", "\"number\"", r#"{"type":"number","value":null}"#);
    assert!(conversion_exists(&ty("\"string\""), &ty("\"number\"")));
    assert!(!conversion_exists(&ty("\"number\""), &ty("\"bool\"")));
}

#[test]
fn v64_primitives_have_strings_in_common() {
    check_unify("[]", None);
    check_unify(r#"["bool","number","string"]"#, Some("\"string\""));
    check_unify(r#"["bool","number"]"#, None);
    check_unify(r#"["bool","number","dynamic"]"#, Some("\"dynamic\""));
    check_unify(r#"["dynamic","bool"]"#, Some("\"bool\""));
}

#[test]
fn v64_one_kind_is_unified_part_by_part() {
    check_unify(r#"[["list","bool"],["list","string"]]"#, Some(r#"["list","string"]"#));
    check_unify(r#"[["list","bool"],"dynamic"]"#, Some("\"dynamic\""));
    check_unify(r#"[["set","bool"],["set","number"]]"#, None);
    check_unify(r#"[["object",{"a":"bool"}],["object",{"a":"string"}]]"#, Some(r#"["object",{"a":"string"}]"#));
    check_unify(r#"[["object",{"a":"bool"}],["object",{"b":"string"}]]"#, Some(r#"["map","string"]"#));
    check_unify(r#"[["object",{"a":"bool"}],["object",{"a":"number"}]]"#, None);
    check_unify(r#"[["object",{"a":"bool"}],"dynamic"]"#, Some("\"dynamic\""));
    check_unify(r#"[["tuple",["bool"]],["tuple",["string"]]]"#, Some(r#"["tuple",["string"]]"#));
    check_unify(r#"[["tuple",["bool"]],["tuple",["string","bool"]]]"#, Some(r#"["list","string"]"#));
}

#[test]
fn v64_mixed_kinds_meet_in_the_more_general_one() {
    check_unify(r#"[["map","bool"],["object",{"a":"string"}]]"#, Some(r#"["map","string"]"#));
    check_unify(r#"[["tuple",["number","bool","string"]],["list","bool"]]"#, Some(r#"["list","string"]"#));
    check_unify(r#"[["set","string"],["tuple",["bool"]]]"#, Some(r#"["set","string"]"#));
    check_unify(r#"[["set","bool"],["list","bool"]]"#, Some(r#"["list","bool"]"#));
    check_unify(r#"[["object",{"a":"bool"}],["tuple",["bool"]],"dynamic"]"#, None);
    check_unify(r#"[["map","bool"],["object",{}]]"#, Some(r#"["map","bool"]"#));
}

#[test]
fn entangled_types_are_refused_in_time() {
    let mut deep = Type::Dynamic;
    for _ in 0..super::super::MAX_DEPTH / 3 {
        deep = Type::tuple(vec![deep.clone(), Type::list(deep.clone()), Type::tuple(vec![deep, Type::Bool])]);
    }
    let error = convert(&Value::null(deep), &Type::list(Type::Dynamic)).expect_err("too much work");
    assert!(matches!(error.reason(), Reason::TooComplex), "{error:?}");
}

fn any_type() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![Just(Type::Bool), Just(Type::Number), Just(Type::String), Just(Type::Dynamic)];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            inner.clone().prop_map(Type::map),
            vec(inner.clone(), 0..3).prop_map(Type::tuple),
            btree_map("[a-c]", inner, 0..3)
                .prop_map(|members| Type::object(members.into_iter().map(|(name, ty)| (Text::new(&name), ty)))),
        ]
    })
}

/// A value whose type conforms to `ty`, chosen by `dice`; strings are numbers more often than not.
fn any_value(ty: &Type, dice: &mut impl FnMut(u32) -> u32) -> Value {
    match (dice(6), ty) {
        (0, _) => return Value::null(ty.clone()),
        (1, _) => return Value::unknown(ty.clone()),
        _ => {}
    }
    let one_type = |count: u32, element: &Type| if element.has_dynamic() { count.min(1) } else { count };
    match ty {
        Type::Dynamic => Value::string("d"),
        Type::Bool => Value::bool(dice(2) == 0),
        Type::Number => Value::number(i64::from(dice(20)) - 10),
        Type::String => Value::string(["1", "true", "2.5", "x"][dice(4) as usize]),
        Type::List(element) | Type::Set(element) => {
            let elements = (0..one_type(dice(4), element)).map(|_| any_value(element, dice)).collect();
            let made = if matches!(ty, Type::Set(_)) { Value::set } else { Value::list };
            made(element, elements).expect("elements of one type")
        }
        Type::Map(element) => {
            let entry = |index| (Text::new(["a", "b", "z"][index as usize]), any_value(element, dice));
            let count = one_type(2, element);
            Value::map(element, (0..count).map(entry).collect()).expect("elements of one type")
        }
        Type::Tuple(tuple) => Value::tuple(tuple.elements().iter().map(|ty| any_value(ty, dice)).collect()),
        Type::Object(object) => {
            let member =
                |attribute: &crate::value::TypeAttribute| (attribute.name.clone(), any_value(&attribute.ty, dice));
            Value::object(object.attributes().iter().map(member).collect())
        }
    }
}

/// Dice that are a function of the seed.
fn dice(mut seed: u64) -> impl FnMut(u32) -> u32 {
    move |sides| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(seed >> 33).unwrap_or(0) % sides
    }
}

/// Whether the value has a set of unknown length somewhere: it becomes a list of its own elements (V61).
fn has_set_of_unknown_length(value: &Value) -> bool {
    let mut found = false;
    value.view().walk(&mut |_, part| {
        found |= matches!(part.ty(), Type::Set(_)) && part.len() > 1 && !part.is_wholly_known();
        true
    });
    found
}

proptest! {
    #[test]
    fn v60_to_its_own_type_a_value_stays_as_it_is(of in any_type(), seed: u64) {
        let value = any_value(&of, &mut dice(seed));
        prop_assert_eq!(&convert(&value, value.ty()).expect("no change"), &value);
        prop_assert!(convert(&value, &Type::Dynamic).expect("no change").node().ptr_eq(value.node()) || value.node().parts().is_empty());
    }

    #[test]
    fn v61_a_result_conforms_and_an_error_has_a_reason(of in any_type(), to in any_type(), seed: u64) {
        let value = any_value(&of, &mut dice(seed));
        match convert(&value, &to) {
            Ok(found) => {
                prop_assert!(conversion_exists(value.ty(), &to));
                prop_assert!(found.ty().conforms_to(&to) || has_set_of_unknown_length(&value), "{:?}", found);
                prop_assert_eq!(found.is_null(), value.is_null());
            }
            Err(error) => {
                let exists = conversion_exists(value.ty(), &to);
                let wants_one = matches!(error.reason(), Reason::NoConversion { .. });
                prop_assert_eq!(exists, !wants_one);
            }
        }
    }

    #[test]
    fn v64_equal_types_have_themselves_in_common(of in any_type(), count in 1usize..4) {
        prop_assert_eq!(unify(&vec![of.clone(); count]), Some(of));
    }

    #[test]
    fn v64_every_concrete_type_converts_to_the_common_one(types in vec(any_type(), 1..4)) {
        // A tuple with `dynamic` inside counts as a list of it, which claims more than its other parts hold.
        prop_assume!(!types.iter().any(Type::has_dynamic));
        if let Some(common) = unify(&types) {
            for ty in &types {
                prop_assert!(conversion_exists(ty, &common), "{ty:?} to {common:?}");
            }
        }
    }
}
