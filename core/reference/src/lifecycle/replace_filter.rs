//! The paths of `requires_replace` that have an effect (section 9).

use crate::lookup::Place;
use planfuzz_core::schema::Block;
use planfuzz_core::value::{Number, PathSet, Tri, Type, Value, ValueRef, WrittenPath, WrittenStep, equals};

use super::follow::schema_steps;

/// The paths of a provider, filtered.
#[derive(Debug, Default)]
pub(super) struct Filtered {
    /// L83 to L85: those that force a replacement.
    pub kept: PathSet,
    /// L82: those that exist nowhere, as often as they were given.
    pub nowhere: Vec<WrittenPath>,
}

/// L80 to L87.
pub(super) fn filter(block: &Block, paths: &[WrittenPath], prior: &Value, planned: &Value) -> Filtered {
    let mut filtered = Filtered::default();
    // L80
    if prior.is_null() {
        return filtered;
    }
    let mut kept = Vec::new();
    for path in paths {
        match (follow(prior, path), follow(planned, path)) {
            // L82
            (None, None) => filtered.nowhere.push(path.clone()),
            // L84, L85
            (Some(prior), Some(planned)) => {
                let is_same = equals(planned.view(), prior.view()) == Tri::True;
                if !is_same || is_write_only(block, path) {
                    kept.push(path.clone());
                }
            }
            // L83
            _ => kept.push(path.clone()),
        }
    }
    filtered.kept = kept.into_iter().collect();
    filtered
}

fn is_write_only(block: &Block, path: &WrittenPath) -> bool {
    let place = schema_steps(path).iter().fold(Place::Block(block), |place, step| place.step(step));
    place.attribute().is_some_and(|attribute| attribute.write_only)
}

/// L81: the part at a path by the lenient rules of the language.
fn follow(value: &Value, path: &WrittenPath) -> Option<Value> {
    path.steps().iter().try_fold(value.clone(), |value, step| match step {
        WrittenStep::Attribute(name) => attribute(value.view(), name),
        WrittenStep::Key(key) => element(value.view(), &Key::Text(key)),
        WrittenStep::Index(index) => element(value.view(), &Key::Index(*index)),
        WrittenStep::Element => None,
    })
}

/// An attribute step.
fn attribute(value: ValueRef<'_>, name: &str) -> Option<Value> {
    if value.is_null() {
        return None;
    }
    match value.ty() {
        Type::Dynamic => Some(value.to_value()),
        Type::Object(_) => value.member(name).map(ValueRef::to_value),
        Type::Map(element) if value.is_unknown() => Some(Value::unknown((**element).clone())),
        Type::Map(_) => value.entry(name).map(ValueRef::to_value),
        Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Bool | Type::Number | Type::String => None,
    }
}

/// The key of an element step.
enum Key<'k> {
    Text(&'k str),
    Index(u64),
}

impl Key<'_> {
    fn text(&self) -> String {
        match self {
            Key::Text(text) => (*text).to_owned(),
            Key::Index(index) => index.to_string(),
        }
    }

    /// Whether the key can be converted to the key of a list.
    fn is_number(&self) -> bool {
        match self {
            Key::Text(text) => Number::parse(text).is_ok(),
            Key::Index(_) => true,
        }
    }

    /// The key as an index: `None` for text that is no number, and for a number that is negative, a fraction or out of
    /// range of every sequence.
    fn index(&self) -> Option<usize> {
        let index = match self {
            Key::Text(text) => u64::try_from(Number::parse(text).ok()?.to_i64()?).ok()?,
            Key::Index(index) => *index,
        };
        usize::try_from(index).ok()
    }
}

/// An element step.
fn element(value: ValueRef<'_>, key: &Key<'_>) -> Option<Value> {
    if value.is_null() {
        return None;
    }
    match value.ty() {
        Type::Dynamic => Some(value.to_value()),
        Type::List(element) if value.is_unknown() => key.is_number().then(|| Value::unknown((**element).clone())),
        Type::Tuple(tuple) if value.is_unknown() => tuple.elements().get(key.index()?).cloned().map(Value::unknown),
        Type::List(_) | Type::Tuple(_) => value.element(key.index()?).map(ValueRef::to_value),
        Type::Map(element) if value.is_unknown() => Some(Value::unknown((**element).clone())),
        Type::Object(_) if value.is_unknown() => Some(Value::unknown(Type::Dynamic)),
        Type::Map(_) | Type::Object(_) => value.entry(&key.text()).map(ValueRef::to_value),
        Type::Set(_) | Type::Bool | Type::Number | Type::String => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{filter, follow};
    use crate::lifecycle::fixture::{object, path, schema};
    use planfuzz_core::json::Json;
    use planfuzz_core::value::{Type, Value};

    fn value(ty: &str, json: &str) -> Value {
        Value::from_json(&Json::parse(json).expect("JSON"), &Type::parse(ty).expect("a type")).expect("a value")
    }

    #[test]
    fn l81_lenient_steps() {
        let (map, list) = (value(r#"["map","string"]"#, r#"{"1":"x"}"#), value(r#"["list","string"]"#, r#"["x"]"#));
        let object = value(r#"["object",{"1":"string"}]"#, r#"{"1":"x"}"#);
        let set = value(r#"["set","string"]"#, r#"["x"]"#);
        let unknown = |ty: &str| value(ty, r#"{"$unknown":true}"#);
        let leads = |value: &Value, to: &str| follow(value, &path(to)).is_some();
        for to in [".\"1\"", "[\"1\"]", "[1]"] {
            assert!(leads(&map, to) && leads(&object, to), "{to}");
        }
        for to in [".\"2\"", "[\"2\"]", "[2]"] {
            assert!(!leads(&map, to) && !leads(&object, to), "{to}");
        }
        assert!(leads(&list, "[0]") && leads(&list, "[\"0\"]"));
        for to in [".\"0\"", "[1]", "[\"-1\"]", "[\"0.5\"]", "[\"x\"]", "[<set element>]"] {
            assert!(!leads(&list, to), "{to}");
        }
        assert!(!leads(&set, "[0]") && !leads(&set, ".a") && !leads(&Value::string("x"), "[0]"));
        assert!(leads(&unknown(r#"["list","string"]"#), "[7]") && leads(&unknown(r#"["map","string"]"#), ".a"));
        let list = unknown(r#"["list","string"]"#);
        assert!(leads(&list, "[\"-1\"]") && leads(&list, "[\"0.5\"]") && !leads(&list, "[\"x\"]"));
        assert!(!leads(&unknown(r#"["object",{"a":"string"}]"#), ".b"));
        assert!(leads(&unknown(r#"["object",{"a":"string"}]"#), "[\"b\"]"));
        assert!(!leads(&unknown(r#"["set","string"]"#), "[0]") && !leads(&Value::null(Type::Dynamic), ".a"));
        let pair = value(r#"["tuple",["string","bool"]]"#, r#"["x",true]"#);
        assert_eq!(follow(&pair, &path("[0]")), Some(Value::string("x")));
        assert!(!leads(&pair, "[2]") && !leads(&pair, ".\"0\""));
        assert_eq!(follow(&map, &path("[\"1\"]")), Some(Value::string("x")));
        let pair = unknown(r#"["tuple",["string","bool"]]"#);
        assert_eq!(follow(&pair, &path("[1]")), Some(Value::unknown(Type::Bool)));
        assert!(!leads(&pair, "[2]") && !leads(&pair, "[\"-1\"]") && !leads(&pair, "[\"x\"]"));
        assert_eq!(follow(&unknown(r#"["map","string"]"#), &path("[\"k\"]")), Some(Value::unknown(Type::String)));
        assert!(leads(&unknown(r#"["object",{"a":"string"}]"#), "[\"a\"].x"), "of dynamic type");
    }

    #[test]
    fn l80_to_l85_paths_to_actual_changes_are_kept() {
        let prior = object(r#"{"id":"1","name":"a","list":[{"x":"a"}]}"#);
        let planned = object(r#"{"id":{"$unknown":true},"name":"a","list":[{"x":"a"},{"x":"b"}]}"#);
        let paths = [".id", ".id", ".name", ".list[1].x", ".list[2]", ".none", ".wo"].map(path);
        let filtered = filter(&schema().block, &paths, &prior, &planned);
        assert_eq!(filtered.kept.texts(), [".id", ".list[1].x", ".wo"]);
        assert_eq!(filtered.nowhere, [path(".list[2]"), path(".none")]);
        let null = Value::null(prior.ty().clone());
        assert!(filter(&schema().block, &paths, &null, &planned).nowhere.is_empty(), "L80");
    }
}
