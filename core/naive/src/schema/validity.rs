//! S10 to S26, on schemas as they are written (S06).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;

use crate::value::Ty;

/// Whether a schema is valid.
pub fn is_valid(schema: &Json, dialect: Dialect) -> bool {
    match member(schema, "block") {
        Some(block) => block_is_valid(block, dialect, false),
        None => false,
    }
}

fn member<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    let Json::Object(members) = json else { return None };
    members.iter().find(|(found, _)| **found == *name).map(|(_, json)| json)
}

fn flag(json: &Json, name: &str) -> bool {
    matches!(member(json, name), Some(Json::Bool(true)))
}

fn number(json: &Json, name: &str) -> i64 {
    match member(json, name) {
        Some(Json::Number(text)) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

fn named<'j>(json: &'j Json, name: &str) -> Vec<(&'j str, &'j Json)> {
    match member(json, name) {
        Some(Json::Object(members)) => members.iter().map(|(name, json)| (&**name, json)).collect(),
        _ => Vec::new(),
    }
}

fn mode(json: &Json) -> &str {
    match member(json, "nesting_mode") {
        Some(Json::String(mode)) => mode,
        _ => "",
    }
}

/// S25.
fn message_is_fine(json: &Json, dialect: Dialect) -> bool {
    let has_message = matches!(member(json, "deprecation_message"), Some(Json::String(text)) if !text.is_empty());
    !has_message || flag(json, "deprecated") || !dialect.checks_deprecation_messages()
}

fn block_is_valid(block: &Json, dialect: Dialect, below_computed: bool) -> bool {
    let is_computed = dialect.has_computed_blocks() && (flag(block, "computed") || below_computed);
    let attributes = named(block, "attributes");
    let fits = |attribute: &Json| !is_computed || flag(attribute, "computed");
    message_is_fine(block, dialect)
        && attributes.iter().all(|(_, attribute)| fits(attribute) && attribute_is_valid(attribute, dialect))
        && named(block, "block_types").iter().all(|(name, nested)| {
            let is_taken = attributes.iter().any(|(other, _)| other == name);
            !is_taken && nested_is_valid(name, nested, dialect, is_computed)
        })
}

fn nested_is_valid(name: &str, nested: &Json, dialect: Dialect, below_computed: bool) -> bool {
    let Some(block) = member(nested, "block") else { return false };
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let (min, max) = (number(nested, "min_items"), number(nested, "max_items"));
    let counts_fit = match mode(nested) {
        "single" => min == max && (min == 0 || min == 1),
        "group" | "map" => min == 0 && max == 0,
        "list" | "set" => max == 0 || min <= max,
        _ => false,
    };
    let set_fits = mode(nested) != "set"
        || !(block_type(block, dialect).has_dynamic()
            || dialect.forbids_write_only_in_sets() && block_has_write_only(block));
    let is_computed = dialect.has_computed_blocks() && flag(block, "computed");
    let computed_fits = (!below_computed || is_computed) && !(is_computed && (mode(nested) == "group" || min > 0));
    is_name
        && min >= 0
        && max >= 0
        && counts_fit
        && set_fits
        && computed_fits
        && block_is_valid(block, dialect, below_computed)
}

fn attribute_is_valid(attribute: &Json, dialect: Dialect) -> bool {
    let (required, optional, computed) =
        (flag(attribute, "required"), flag(attribute, "optional"), flag(attribute, "computed"));
    if !(required || optional || computed) || (required && (optional || computed)) {
        return false;
    }
    let is_nested = member(attribute, "nested_type").is_some();
    let is_leaf = member(attribute, "type").is_some();
    if is_nested == is_leaf || !message_is_fine(attribute, dialect) {
        return false;
    }
    let Some(nested) = member(attribute, "nested_type") else {
        return member(attribute, "type").and_then(Ty::read).is_some();
    };
    let mode_fits = match mode(nested) {
        "single" | "list" | "map" => true,
        "set" => {
            !(attribute_type(attribute, dialect).has_dynamic()
                || dialect.forbids_write_only_in_sets() && has_write_only(nested))
        }
        "group" => dialect.has_group_nested_types(),
        _ => false,
    };
    mode_fits && named(nested, "attributes").iter().all(|(_, inner)| attribute_is_valid(inner, dialect))
}

fn has_write_only(nested: &Json) -> bool {
    named(nested, "attributes").iter().any(|(_, attribute)| {
        flag(attribute, "write_only") || member(attribute, "nested_type").is_some_and(has_write_only)
    })
}

fn block_has_write_only(block: &Json) -> bool {
    has_write_only(block)
        || named(block, "block_types")
            .iter()
            .any(|(_, nested)| member(nested, "block").is_some_and(block_has_write_only))
}

fn attribute_type(attribute: &Json, dialect: Dialect) -> Ty {
    let Some(nested) = member(attribute, "nested_type") else {
        return member(attribute, "type").and_then(Ty::read).unwrap_or(Ty::Dynamic);
    };
    if mode(nested) == "group" && !dialect.has_group_nested_types() {
        return Ty::Object(Vec::new().into());
    }
    let members = named(nested, "attributes");
    Ty::plain_object(members.into_iter().map(|(name, inner)| (name, attribute_type(inner, dialect))))
}

/// The type of a block, as far as `dynamic` in it needs it.
fn block_type(block: &Json, dialect: Dialect) -> Ty {
    let attributes = named(block, "attributes").into_iter().map(|(name, of)| (name, attribute_type(of, dialect)));
    let blocks = named(block, "block_types")
        .into_iter()
        .map(|(name, nested)| (name, member(nested, "block").map_or(Ty::Dynamic, |block| block_type(block, dialect))));
    Ty::plain_object(attributes.chain(blocks))
}
