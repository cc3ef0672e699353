//! Types and values for property tests, of this crate and of those that stand on it (feature `strategies`).

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::json::Json;
use crate::value::{Text, Type, Value, ValueRef};

/// Any type that nests at most five levels.
pub fn any_type() -> impl Strategy<Value = Type> {
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
pub fn any_value() -> impl Strategy<Value = (Type, Value)> {
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

/// Whether a value contains an unknown with an empty record, which is written as a plain unknown (V95).
pub fn has_empty_record(value: ValueRef<'_>) -> bool {
    value.to_json_text(&Type::Dynamic).contains(r#"{"$unknown":{}}"#)
}
