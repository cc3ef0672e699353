//! Edits of a whole document that keep its meaning: properties derive related cases with them.

use planfuzz_core::json::Json;

use super::document::{is_sdk, member_mut, values};
use super::place;
use super::scenario;

/// Adds an optional attribute of the resource that is null in every object. Returns whether it could be added.
pub fn add_unused_attribute(document: &mut Json, name: &str) -> bool {
    if is_sdk(document) {
        return false;
    }
    scenario::expand(document);
    for place in values(document) {
        if let Some(Json::Object(object)) = place::at_mut(document, &place)
            && object.iter().all(|(member, _)| !member.starts_with('$') || member.starts_with("$$"))
        {
            object.push((name.into(), Json::Null));
        }
    }
    let Some(block) = member_mut(document, "schema").and_then(|schema| member_mut(schema, "block")) else {
        return false;
    };
    if member_mut(block, "attributes").is_none()
        && let Json::Object(parts) = block
    {
        parts.push(("attributes".into(), Json::Object(Vec::new())));
    }
    let Some(Json::Object(attributes)) = member_mut(block, "attributes") else { return false };
    let description = [("type", Json::string("string")), ("optional", Json::Bool(true))];
    attributes.push((name.into(), Json::object(description)));
    true
}
