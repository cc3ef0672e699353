//! The planned object of a data resource that is read later (section 2, M40 to M42).
//!
//! M41 and M42 need no code of their own: they follow from the merge with an unknown prior.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Refusal;
use planfuzz_core::value::{Value, ValueRef};

use super::at::At;
use super::block_schema::BlockSchema;
use super::merge::Merge;

/// M40.
pub(super) fn planned_data_resource(
    dialect: Dialect,
    schema: &BlockSchema<'_>,
    config: ValueRef<'_>,
) -> Result<Value, Refusal> {
    Merge { dialect }.merge(schema, ValueRef::unknown(&schema.ty), config, &At::ROOT)
}

#[cfg(test)]
mod tests {
    use crate::check::{TERRAFORM, check_attributes, check_blocks};

    #[test]
    fn m40_a_null_or_unknown_configuration_is_an_unknown_object() {
        let asked = check_attributes(r#"{"s":{"type":"string","optional":true}}"#);
        asked.planned_data_resource("null").is(r#"{"$unknown":true}"#);
        asked.planned_data_resource(r#"{"$unknown":true}"#).is(r#"{"$unknown":true}"#);
    }

    #[test]
    fn m41_a_computed_nested_type_is_unknown_with_any_attributes() {
        check_attributes(
            r#"{"s":{"optional":true,"computed":true,"nested_type":{"nesting_mode":"list","attributes":{
                "x":{"type":"string","optional":true}}}}}"#,
        )
        .planned_data_resource(r#"{"s":null}"#)
        .is(r#"{"s":{"$unknown":true}}"#);
    }

    const LIST_IN_MAP: &str = r#"{"m":{"nesting_mode":"map","block":{"block_types":{
        "l":{"nesting_mode":"list","block":{"attributes":{
            "x":{"type":"dynamic","optional":true},"c":{"type":"string","computed":true}}}}}}}}"#;

    #[test]
    fn m42_a_dynamic_list_below_a_dynamic_map() {
        let config = r#"{"m":{"type":["object",{"k":["object",{"l":["tuple",[["object",{"x":"string","c":"string"}]]]}]}],
            "value":{"k":{"l":[{"x":"1","c":null}]}}}}"#;
        let asked = check_blocks(LIST_IN_MAP);
        asked
            .in_dialects(&["terraform-1.17"])
            .planned_data_resource(config)
            .is(r#"{"m":{"type":["object",{"k":["object",{"l":["tuple",[["object",{"x":"string","c":"string"}]]]}]}],
            "value":{"k":{"l":[{"x":"1","c":{"$unknown":true}}]}}}}"#);
        check_blocks(LIST_IN_MAP).in_dialects(&["terraform-1.11"]).planned_data_resource(config).is(config);
    }

    #[test]
    fn m42_a_dynamic_list_with_a_block_is_refused_and_without_is_not() {
        let list = r#"{"l":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"dynamic","optional":true}}}}}"#;
        let one = r#"{"l":{"type":["tuple",[["object",{"x":"string"}]]],"value":[{"x":"1"}]}}"#;
        check_blocks(list).in_dialects(TERRAFORM).planned_data_resource(one).is_refused("M02", ".l[0]");
        let none = r#"{"l":{"type":["tuple",[]],"value":[]}}"#;
        check_blocks(list).planned_data_resource(none).is(none);
    }
}
