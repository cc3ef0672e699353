//! Properties of every value and of all bytes.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::decode::decode_any;
use super::super::usual;
use super::*;
use crate::strategies::{any_type, any_value, has_empty_record};
use crate::value::{MAX_DEPTH, Text, Type, raw_equals};

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
            // A value that V85 lets through is written against its own type.
            let again = encode(back.view(), back.ty()).expect("encodes");
            prop_assert!(decode(&again, back.ty()).is_ok());
        }
        let _ = implied_type(&bytes);
    }

    #[test]
    fn values_read_in_the_usual_forms_are_those_of_the_bytes(
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
