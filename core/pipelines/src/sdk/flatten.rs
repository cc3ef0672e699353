//! Objects as flat maps (Z10).

use planfuzz_core::value::{Node, Truth, Type, ValueRef};

use super::flat::{FlatMap, joined};
use super::text::UNKNOWN;

/// Z10: an object as a flat map; empty for null.
pub fn flatten(object: ValueRef<'_>) -> FlatMap {
    let mut flat = FlatMap::default();
    write(object, "", &mut flat);
    flat
}

fn write(value: ValueRef<'_>, path: &str, flat: &mut FlatMap) {
    if let Type::Object(object) = value.ty() {
        if value.is_null() {
            return;
        }
        for attribute in object.attributes() {
            if let Some(member) = value.member(&attribute.name) {
                write(member, &joined(path, &attribute.name), flat);
            }
        }
        return;
    }
    let count = if matches!(value.ty(), Type::Map(_)) { "%" } else { "#" };
    match value.node() {
        Node::Null => {}
        Node::Unknown(_) if value.ty().is_collection() => flat.set(joined(path, count), UNKNOWN),
        Node::Unknown(_) => flat.set(path, UNKNOWN),
        Node::Bool(Truth(bool)) => flat.set(path, bool.to_string()),
        Node::Number(number) => flat.set(path, number.text()),
        Node::String(text) => flat.set(path, text.as_str()),
        Node::Map(_) => {
            flat.set(joined(path, count), value.len().to_string());
            for (key, entry) in value.entries() {
                write(entry, &joined(path, key), flat);
            }
        }
        Node::Seq(_) => {
            flat.set(joined(path, count), value.len().to_string());
            for (index, element) in (0..value.len()).filter_map(|index| Some((index, value.element(index)?))) {
                write(element, &joined(path, &index.to_string()), flat);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;
    use planfuzz_core::value::Value;

    #[test]
    fn z10_each_type_has_its_entries() {
        let ty = Type::parse(
            r#"["object", {"b": "bool", "f": "number", "l": ["list", ["object", {"s": "string"}]], "m": ["map", "string"],
                "n": "string", "o": ["object", {"p": ["set", "string"]}], "u": ["list", "string"]}]"#,
        );
        let ty = ty.expect("a type");
        let json = r#"{"b": true, "f": 1e6, "l": [{"s": null}, {"s": "x"}], "m": {"k": {"$unknown": true}}, "n": null,
            "o": {"$unknown": true}, "u": {"$unknown": true}}"#;
        let value = Value::from_json(&Json::parse(json).expect("a document"), &ty).expect("a value");
        let want: FlatMap = [
            ("b", "true"),
            ("f", "1000000"),
            ("l.#", "2"),
            ("l.1.s", "x"),
            ("m.%", "1"),
            ("m.k", UNKNOWN),
            ("o.p.#", UNKNOWN),
            ("u.#", UNKNOWN),
        ]
        .into_iter()
        .collect();
        assert_eq!(flatten(value.view()), want);
    }
}
