//! What holds for every value and for all bytes.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::super::decode::decode_any;
use super::super::usual;
use super::*;
use crate::value::{MAX_DEPTH, Text, Type, ValueRef, raw_equals};

fn any_type() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![Just(Type::Bool), Just(Type::Number), Just(Type::String), Just(Type::Dynamic)];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            inner.clone().prop_map(Type::map),
            vec(inner.clone(), 0..4).prop_map(Type::tuple),
            btree_map("[a-cé]{0,2}", inner, 0..4)
                .prop_map(|members| Type::object(members.into_iter().map(|(name, ty)| (Text::new(&name), ty)))),
        ]
    })
}

/// A value of a type without `dynamic`, by the notation of formats.md: unknowns with records included.
fn json_of(ty: &Type, dice: &mut impl FnMut(u32) -> u32) -> String {
    let join = |items: Vec<String>| items.join(",");
    let quoted = |text: &str| format!("{text:?}");
    match dice(8) {
        0 => return "null".into(),
        1 => return r#"{"$unknown":true}"#.into(),
        2 if !ty.is_dynamic() => return record_of(ty, dice),
        _ => {}
    }
    match ty {
        Type::Dynamic => match dice(3) {
            0 => format!(r#"{{"type":"string","value":{}}}"#, json_of(&Type::String, dice)),
            1 => format!(r#"{{"type":["list","number"],"value":{}}}"#, json_of(&Type::list(Type::Number), dice)),
            _ => format!(
                r#"{{"type":["tuple",["dynamic"]],"value":[{}]}}"#,
                if dice(2) == 0 { "null" } else { r#"{"$unknown":true}"# }
            ),
        },
        Type::Bool => (dice(2) == 0).to_string(),
        Type::Number => match dice(5) {
            0 => (i64::from(dice(u32::MAX)) - i64::from(dice(u32::MAX))).to_string(),
            1 => format!("{}.{}", dice(1000), dice(1000)),
            2 => format!("{}", f64::from(dice(u32::MAX)) / 1024.0),
            3 => format!("-{}e{}", dice(1000), dice(60)),
            _ => ["\"inf\"", "\"-inf\"", "0", "9223372036854775808", "-9223372036854775808"][dice(5) as usize].into(),
        },
        Type::String => quoted(&["é", "ab", "", "日本"][dice(4) as usize].repeat(dice(40) as usize)),
        Type::List(element) | Type::Set(element) => {
            // Elements of a dynamic type share one concrete type.
            let count = if element.has_dynamic() { dice(2) } else { dice(4) };
            format!("[{}]", join((0..count).map(|_| json_of(element, dice)).collect()))
        }
        Type::Map(element) => {
            let count = if element.has_dynamic() { dice(2) } else { dice(4) };
            let entry = |index: u32| format!("{}:{}", quoted(&format!("k{index}")), json_of(element, dice));
            format!("{{{}}}", join((0..count).map(entry).collect()))
        }
        Type::Tuple(tuple) => format!("[{}]", join(tuple.elements().iter().map(|ty| json_of(ty, dice)).collect())),
        Type::Object(object) => {
            let members = object.attributes().iter();
            let members = members.map(|member| format!("{}:{}", quoted(&member.name), json_of(&member.ty, dice)));
            format!("{{{}}}", join(members.collect()))
        }
    }
}

fn record_of(ty: &Type, dice: &mut impl FnMut(u32) -> u32) -> String {
    let mut facts = Vec::new();
    if dice(2) == 0 {
        facts.push(r#""not_null":true"#.to_owned());
    }
    match ty {
        Type::String => facts.push(format!(r#""string_prefix":{:?}"#, "ab-é".repeat(dice(30) as usize))),
        Type::Number => {
            facts.push(format!(r#""number_min":[{}.5,true]"#, dice(100)));
            facts.push(format!(r#""number_max":[{},{}]"#, 1000 + dice(100), dice(2) == 0));
        }
        Type::List(_) | Type::Set(_) | Type::Map(_) => {
            let least = dice(4);
            facts.push(format!(r#""length_min":{least}"#));
            facts.push(format!(r#""length_max":{}"#, least + dice(300)));
        }
        _ => {}
    }
    format!(r#"{{"$unknown":{{{}}}}}"#, facts.join(","))
}

/// A type, and a value that conforms to it.
pub(crate) fn any_value() -> impl Strategy<Value = (Type, Value)> {
    (any_type(), vec(any::<u32>(), 1..64)).prop_map(|(ty, rolls)| {
        let mut next = 0;
        let mut dice = |sides: u32| {
            next += 1;
            rolls[next % rolls.len()].wrapping_add(next as u32) % sides
        };
        let text = json_of(&ty, &mut dice);
        let json = Json::parse(&text).expect("a document");
        let value =
            Value::from_json(&json, &ty).unwrap_or_else(|error| panic!("{text} as {}: {error}", ty.to_v05_text()));
        (ty, value)
    })
}

/// Empty records become plain (V95); what the generator makes has no other exception.
pub(crate) fn has_empty_record(value: ValueRef<'_>) -> bool {
    value.to_json_text(&Type::Dynamic).contains(r#"{"$unknown":{}}"#)
}

fn mutated(mut bytes: Vec<u8>, changes: &[(u16, u8)]) -> Vec<u8> {
    for (place, byte) in changes {
        if !bytes.is_empty() {
            let place = usize::from(*place) % bytes.len();
            bytes[place] = *byte;
        }
    }
    bytes
}

#[test]
fn ordinary_values_come_in_the_usual_forms() {
    let texts = Value::list(&Type::String, vec![Value::string("a"), Value::null(Type::String)]).expect("a list");
    let entries = |number: i64| vec![(Text::new("x"), Value::number(number)), (Text::new("y"), Value::number(300_i64))];
    let maps = [1, -70_000].map(|number| Value::map(&Type::Number, entries(number)).expect("a map"));
    let maps = Value::set(&Type::map(Type::Number), maps.into()).expect("a set");
    let pair = Value::tuple(vec![Value::bool(true), Value::unknown(Type::String)]);
    let value =
        Value::object([("a", texts), ("b", maps), ("c", pair)].map(|(name, part)| (Text::new(name), part)).into());
    let bytes = encode(value.view(), value.ty()).expect("encodes");
    let (node, length) = usual::read(&bytes, value.ty(), 0).expect("usual forms");
    assert_eq!(length, bytes.len());
    assert!(raw_equals(Value::from_parts(value.ty().clone(), node).view(), value.view()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn v95_decoding_what_was_encoded_gives_the_value((ty, value) in any_value()) {
        let bytes = encode(value.view(), &ty).expect("encodes");
        let back = decode(&bytes, &ty).expect("decodes");
        if !has_empty_record(value.view()) {
            prop_assert!(raw_equals(value.view(), back.view()), "{value:?} came back as {back:?}");
        }
        prop_assert_eq!(encode(back.view(), &ty).expect("encodes"), bytes);
    }

    #[test]
    fn v80_a_value_that_is_cut_is_an_error_and_bytes_after_it_are_ignored((ty, value) in any_value()) {
        let mut bytes = encode(value.view(), &ty).expect("encodes");
        for end in 0..bytes.len() {
            prop_assert!(decode(&bytes[..end], &ty).is_err(), "cut at {end}");
            let _ = implied_type(&bytes[..end]);
        }
        bytes.extend([0xc1, 0xff]);
        let back = decode(&bytes, &ty).expect("decodes");
        prop_assert_eq!(back.view().is_null(), value.is_null());
    }

    #[test]
    fn damaged_bytes_give_a_value_or_an_error(
        (ty, value) in any_value(),
        changes in vec(any::<(u16, u8)>(), 1..6),
    ) {
        let bytes = mutated(encode(value.view(), &ty).expect("encodes"), &changes);
        if let Ok(back) = decode(&bytes, &ty) {
            // What V85 lets through is written against its own type.
            let again = encode(back.view(), back.ty()).expect("encodes");
            prop_assert!(decode(&again, back.ty()).is_ok());
        }
        let _ = implied_type(&bytes);
    }

    #[test]
    fn what_is_read_in_the_usual_forms_is_what_the_bytes_say(
        (ty, value) in any_value(),
        changes in vec(any::<(u16, u8)>(), 0..4),
        level in prop_oneof![Just(0), MAX_DEPTH - 4..=MAX_DEPTH],
    ) {
        let mut bytes = mutated(encode(value.view(), &ty).expect("encodes"), &changes);
        if let Some((node, length)) = usual::read(&bytes, &ty, level) {
            bytes.insert(0, 0xc1);
            let want = decode_any(&bytes, 1, &ty, level).expect("what is usual has no errors");
            prop_assert_eq!((want.end, want.made), (1 + length, 0));
            prop_assert_eq!(want.value.ty(), &ty);
            let texts = [Value::from_parts(ty, node), want.value].map(|value| value.view().to_json_text(&Type::Dynamic));
            prop_assert_eq!(&texts[0], &texts[1]);
        }
    }

    #[test]
    fn random_bytes_give_a_value_or_an_error(ty in any_type(), bytes in vec(any::<u8>(), 0..64)) {
        let _ = decode(&bytes, &ty).map(|value| encode(value.view(), value.ty()).expect("encodes"));
        let _ = implied_type(&bytes).map(|ty| decode(&bytes, &ty));
    }
}
