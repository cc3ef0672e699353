//! Changes of remote objects outside of the engine: actions of a scenario, not of the model.

use crate::places::{Kind, Places, collection_of, elements, object_of};
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Type, Value, ValueRef, WrittenPath, WrittenStep};

/// The value with the part at `path` replaced; `None` if the path leads nowhere or the part does not fit.
///
/// A missing key of a map is added. A path through null leads nowhere.
pub(super) fn drifted(value: ValueRef<'_>, path: &[WrittenStep], part: &Value) -> Option<Value> {
    let Some((step, rest)) = path.split_first() else { return Some(part.clone()) };
    match (value.ty(), step) {
        (Type::Object(object), WrittenStep::Attribute(name)) if value.is_present() => {
            let index = object.index_of(name)?;
            replaced(value, index, rest, part).map(|members| object_of(value, members))
        }
        (Type::List(_) | Type::Tuple(_), WrittenStep::Index(index)) => {
            let index = usize::try_from(*index).ok()?;
            let new = replaced(value, index, rest, part)?;
            uniform(value, &new).then(|| collection_of(value, new))
        }
        (Type::Map(element), WrittenStep::Key(key)) if matches!(value.node(), Node::Map(_)) => {
            let mut entries: Vec<_> = value.entries().map(|(key, value)| (key.clone(), value.to_value())).collect();
            match entries.iter().position(|(probe, _)| probe == key) {
                Some(index) => entries[index].1 = drifted(entries[index].1.view(), rest, part)?,
                None if rest.is_empty() => entries.push((key.clone(), part.clone())),
                None => return None,
            }
            Value::map(element, entries).ok()
        }
        _ => None,
    }
}

/// The parts of a known value, one of them drifted.
fn replaced(value: ValueRef<'_>, index: usize, rest: &[WrittenStep], part: &Value) -> Option<Vec<Value>> {
    let mut parts: Vec<Value> = elements(value).map(|(_, part)| part.to_value()).collect();
    let old = parts.get_mut(index)?;
    *old = drifted(old.view(), rest, part)?;
    Some(parts)
}

/// Whether the elements are of one type, as those of a list must be.
fn uniform(collection: ValueRef<'_>, elements: &[Value]) -> bool {
    matches!(collection.ty(), Type::Tuple(_)) || elements.windows(2).all(|pair| pair[0].ty() == pair[1].ty())
}

/// The value with several parts replaced. An edit that leads nowhere, or whose result is no remote object of type `ty`, is skipped; `None`
/// if all are.
pub(super) fn edited(value: &Value, ty: &Type, places: &Places, edits: &[(WrittenPath, Value)]) -> Option<Value> {
    let mut edited = None;
    for (path, part) in edits {
        let now = edited.as_ref().unwrap_or(value);
        if let Some(new) = drifted(now.view(), path.steps(), part).filter(|new| can_be(new, ty, places)) {
            edited = Some(new);
        }
    }
    edited
}

/// Whether a value is a possible remote object.
pub(super) fn can_be(value: &Value, ty: &Type, places: &Places) -> bool {
    value.view().is_present()
        && value.is_wholly_known()
        && value.ty().conforms_to(ty)
        && !has_null_block(places, value.view())
}

/// Whether one of several nested blocks is null, which no configuration can produce.
fn has_null_block(places: &Places, value: ValueRef<'_>) -> bool {
    places.iter().zip(elements(value)).any(|(place, (_, part))| match &place.kind {
        Kind::Block(..) if !part.is_present() => false,
        Kind::Block(Nesting::Single | Nesting::Group, inner) => has_null_block(inner, part),
        Kind::Block(_, inner) => elements(part).any(|(_, block)| !block.is_present() || has_null_block(inner, block)),
        Kind::Leaf | Kind::Nested(..) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;

    const TYPE: &str = r#"["object",{"a":"string","m":["map","number"],"l":["list",["object",{"x":"dynamic"}]],"n":["object",{"y":"bool"}]}]"#;

    fn object(json: &str) -> (Value, Type) {
        let ty = Type::from_json(&Json::parse(TYPE).expect("json")).expect("a type");
        (Value::from_json(&Json::parse(json).expect("json"), &ty).expect("a value"), ty)
    }

    #[track_caller]
    fn check(edits: &[(&str, Value)], want: Option<&str>) {
        let (before, ty) = object(r#"{"a":"x","m":{"k":1},"l":[{"x":{"type":"string","value":"s"}}],"n":null}"#);
        let edits: Vec<_> =
            edits.iter().map(|(path, value)| (WrittenPath::parse(path).expect("a path"), value.clone())).collect();
        assert_eq!(edited(&before, &ty, &Places::default(), &edits), want.map(|json| object(json).0), "{edits:?}");
    }

    #[test]
    fn drift_replaces_parts_and_puts_in_keys() {
        let want = r#"{"a":null,"m":{"j":3,"k":2},"l":[{"x":{"type":"bool","value":true}}],"n":null}"#;
        let edits = [
            (".a", Value::null(Type::String)),
            (".m[\"k\"]", Value::number(2i64)),
            (".m[\"j\"]", Value::number(3i64)),
            (".l[0].x", Value::bool(true)),
        ];
        check(&edits, Some(want));
    }

    #[test]
    fn drift_that_does_not_fit_does_nothing() {
        for (path, value) in [
            ("", Value::bool(true)),
            (".a", Value::bool(true)),
            (".a", Value::unknown(Type::String)),
            (".none", Value::bool(true)),
            (".l[1].x", Value::bool(true)),
            (".n.y", Value::bool(true)),
            (".m[\"k\"].z", Value::bool(true)),
            (".m[0]", Value::number(1i64)),
        ] {
            check(&[(path, value)], None);
        }
    }
}
