//! Objects changed by attribute, and the texts that providers generate.

use planfuzz_core::json::Json;
use planfuzz_core::value::{Node, Text, Type, Value};

/// The text of an attribute, if it is known.
pub(super) fn text_of(value: &Value, name: &str) -> Option<String> {
    value.view().member(name).and_then(|member| member.as_text().map(|text| text.to_string()))
}

/// The name of an object, if it is known. A `null_resource` has it among its triggers. Private data are made of the empty one
/// where there is none, as recorded runs have them.
pub(super) fn name_of(value: &Value) -> Option<String> {
    let of_triggers = || Some(value.view().member("triggers")?.entry("name")?.as_text()?.to_string());
    text_of(value, "name").or_else(of_triggers)
}

/// Whether an attribute is not known.
pub(super) fn is_unknown(value: &Value, name: &str) -> bool {
    value.view().member(name).is_some_and(|member| member.is_unknown())
}

/// Whether an attribute is null.
pub(super) fn is_null(value: &Value, name: &str) -> bool {
    value.view().member(name).is_none_or(|member| member.is_null())
}

/// The object with another attribute.
pub(super) fn with(value: &Value, name: &str, node: Node) -> Value {
    let Some(index) = value.ty().as_object().and_then(|object| object.index_of(name)) else { return value.clone() };
    let mut parts = value.node().parts().to_vec();
    match parts.get_mut(index) {
        Some(part) => *part = node,
        None => return value.clone(),
    }
    Value::from_parts(value.ty().clone(), Node::seq(parts))
}

/// The object with a text in an attribute.
pub(super) fn with_text(value: &Value, name: &str, text: &str) -> Value {
    with(value, name, Node::String(Text::new(text)))
}

/// A few digits that follow from a document alone: FNV-1a, whose last bytes are then mixed into all bits. Without that, two documents that
/// differ in their last number alone would mostly have the same digits.
pub(super) fn digits(json: &Json) -> String {
    let hash = json
        .to_compact()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    format!("{:04x}", mixed >> 48)
}

/// Attributes of a JSON object as an object of the type; what it does not have is null, what the type does not have is left out.
pub(super) fn of_attributes(raw: &Json, ty: &Type) -> Option<Value> {
    let object = ty.as_object()?;
    let members = raw.expect_object().ok()?;
    let is_known = |(name, _): &&(Box<str>, Json)| object.index_of(name).is_some();
    if members.iter().all(|member| is_known(&member)) {
        return Value::from_stored_json_or_absent(raw, ty).ok();
    }
    let known = members.iter().filter(is_known).cloned().collect();
    Value::from_stored_json_or_absent(&Json::Object(known), ty).ok()
}
