//! Laws of the notation, checked against generated types and values.

use proptest::prelude::*;

use crate::json::Json;
use crate::value::{Number, Text, Type, Value};

const NAMES: [&str; 5] = ["a", "b", "$c", "", "é.\""];

/// Types without `dynamic` inside.
pub(crate) fn types() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![Just(Type::Bool), Just(Type::Number), Just(Type::String)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            inner.clone().prop_map(Type::map),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Type::tuple),
            prop::collection::vec((prop::sample::select(&NAMES[..]), inner), 0..4)
                .prop_map(|members| Type::object(members.into_iter().map(|(name, ty)| (Text::new(name), ty)))),
        ]
    })
}

/// Values of a type without `dynamic` inside.
pub(crate) fn values(ty: &Type) -> BoxedStrategy<Value> {
    let unknown = prop_oneof![Just("true"), Just("{}"), Just(r#"{"not_null":true}"#)].prop_map({
        let ty = ty.clone();
        move |record| {
            let json = Json::parse(&format!("{{\"$unknown\":{record}}}")).expect("a document");
            Value::from_json(&json, &ty).expect("an unknown of any type")
        }
    });
    prop_oneof![1 => Just(Value::null(ty.clone())), 1 => unknown, 6 => known(ty)].boxed()
}

fn known(ty: &Type) -> BoxedStrategy<Value> {
    match ty.clone() {
        Type::Dynamic => Just(Value::null(Type::Dynamic)).boxed(),
        Type::Bool => any::<bool>().prop_map(Value::bool).boxed(),
        Type::Number => "-?[0-9]{1,25}(\\.[0-9]{1,9})?|-?inf"
            .prop_map(|text| Value::number(Number::parse(&text).expect("a number")))
            .boxed(),
        Type::String => ".{0,4}".prop_map(|text| Value::string(&text)).boxed(),
        Type::List(element) => prop::collection::vec(values(&element), 0..3)
            .prop_map(move |items| Value::list(&element, items).expect("one type"))
            .boxed(),
        Type::Set(element) => prop::collection::vec(values(&element), 0..4)
            .prop_map(move |items| Value::set(&element, items).expect("one type"))
            .boxed(),
        Type::Map(element) => prop::collection::vec((prop::sample::select(&NAMES[..]), values(&element)), 0..3)
            .prop_map(move |entries| {
                let entries = entries.into_iter().map(|(key, value)| (Text::new(key), value)).collect();
                Value::map(&element, entries).expect("one type")
            })
            .boxed(),
        Type::Tuple(tuple) => tuple.elements().iter().map(values).collect::<Vec<_>>().prop_map(Value::tuple).boxed(),
        Type::Object(object) => object
            .attributes()
            .iter()
            .map(|attribute| (Just(attribute.name.clone()), values(&attribute.ty)))
            .collect::<Vec<_>>()
            .prop_map(Value::object)
            .boxed(),
    }
}

/// A type to which `ty` conforms: the parts that `choices` picks are `dynamic`.
fn loosened(ty: &Type, choices: &mut impl Iterator<Item = bool>) -> Type {
    if choices.next() == Some(true) {
        return Type::Dynamic;
    }
    match ty {
        Type::List(element) => Type::list(loosened(element, choices)),
        Type::Set(element) => Type::set(loosened(element, choices)),
        Type::Map(element) => Type::map(loosened(element, choices)),
        Type::Tuple(tuple) => Type::tuple(tuple.elements().iter().map(|ty| loosened(ty, choices)).collect()),
        Type::Object(object) => {
            let attributes = object.attributes().iter();
            Type::object(attributes.map(|attribute| (attribute.name.clone(), loosened(&attribute.ty, choices))))
        }
        leaf => leaf.clone(),
    }
}

fn written_and_read(value: &Value, declared: &Type) -> (String, Value) {
    let text = value.view().to_json_text(declared);
    let json = Json::parse(&text).expect("a document");
    assert_eq!(value.view().to_json(declared), json);
    let read = Value::from_json(&json, declared).expect(&text);
    (text, read)
}

proptest! {
    #[test]
    fn a_type_is_read_as_it_was_written(ty in types()) {
        prop_assert_eq!(Type::parse(&ty.to_v05_text()).unwrap(), ty);
    }

    #[test]
    fn a_value_is_read_as_it_was_written(value in types().prop_flat_map(|ty| values(&ty))) {
        prop_assert_eq!(&written_and_read(&value, value.ty()).1, &value);
        prop_assert_eq!(&written_and_read(&value, &Type::Dynamic).1, &value);
    }

    #[test]
    fn nothing_that_is_written_gets_lost(
        value in types().prop_flat_map(|ty| values(&ty)),
        choices in prop::collection::vec(prop::bool::weighted(0.3), 0..20),
    ) {
        let declared = loosened(value.ty(), &mut choices.into_iter());
        let (text, read) = written_and_read(&value, &declared);
        prop_assert!(read.ty().conforms_to(&declared));
        prop_assert_eq!(read.view().to_json_text(&declared), text);
        if read.ty() == value.ty() {
            prop_assert_eq!(read, value);
        }
    }

    #[test]
    fn any_document_at_any_type_is_read_or_refused(
        value in types().prop_flat_map(|ty| values(&ty)),
        other in types(),
        choices in prop::collection::vec(prop::bool::weighted(0.2), 0..20),
    ) {
        let declared = loosened(&other, &mut choices.into_iter());
        if let Ok(read) = Value::from_json(&value.view().to_json(value.ty()), &declared) {
            prop_assert!(read.ty().conforms_to(&declared));
            prop_assert_eq!(&written_and_read(&read, &declared).1, &read);
        }
    }

    #[test]
    fn any_text_is_a_document_or_is_not(text in "[\\[\\]{}:,\"\\\\a1e.+ \\-]{0,40}") {
        if let Ok(json) = Json::parse(&text) {
            prop_assert_eq!(&Json::parse(&json.to_compact()).unwrap(), &json);
            prop_assert_eq!(&Json::parse(&json.to_pretty()).unwrap(), &json);
        }
    }
}
