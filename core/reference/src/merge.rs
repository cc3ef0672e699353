//! ProposedNew (section 1): a prior object and a configuration become the object that is proposed.
//!
//! `p` and `c` are the members of prior and config, as in the rules. The collections (M17 to M19) are in
//! `collections`, the correlation of set elements (M22) in `correlate`.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Refusal;
use planfuzz_core::schema::{Attribute, Named, NestedType, Nesting};
use planfuzz_core::value::{Text, Value, ValueRef};

use super::at::At;
use super::block_schema::{BlockSchema, BlockType};
use super::lookup::Place;
use super::parts::{described, member, object};

/// The merge in a dialect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merge {
    pub dialect: Dialect,
}

/// The rule that makes an element of a collection from the correlated prior element and the element of config.
#[derive(Clone, Copy, Debug)]
pub(super) enum ElementRule<'r, 's> {
    /// M15: `proposed` of the block.
    Block(&'r BlockSchema<'s>),
    /// M11: the object of a nested type.
    NestedType(&'s NestedType),
}

impl Merge {
    /// M01.
    pub fn proposed(
        self,
        schema: &BlockSchema<'_>,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        at: &At<'_>,
    ) -> Result<Value, Refusal> {
        if prior.is_null() && config.is_null() {
            return Ok(prior.to_value());
        }
        let prior = if prior.is_null() { schema.empty.view() } else { prior };
        self.merge(schema, prior, config, at)
    }

    /// M02, and with it M03.
    pub fn merge(
        self,
        schema: &BlockSchema<'_>,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        at: &At<'_>,
    ) -> Result<Value, Refusal> {
        if !config.is_present() {
            return Ok(prior.to_value());
        }
        for object in [prior, config] {
            if object.object_type().is_none() {
                return Err(
                    at.refusal("M02", format!("expected a prior and a configured object, found {}", described(object)))
                );
            }
        }
        let mut members = self.attributes(&schema.block.attributes, prior, config, at)?;
        for nested in &schema.block_types {
            let at = at.attribute(nested.name);
            let (p, c) = (member(prior, nested.name, &at)?, member(config, nested.name, &at)?);
            members.push((nested.name.clone(), self.nested_block(nested, p, c, &at)?));
        }
        Ok(object(config.ty(), members))
    }

    /// M10 for every attribute.
    fn attributes(
        self,
        attributes: &Named<Attribute>,
        prior: ValueRef<'_>,
        config: ValueRef<'_>,
        at: &At<'_>,
    ) -> Result<Vec<(Text, Value)>, Refusal> {
        let merged = attributes.iter().map(|(name, attribute)| {
            let at = at.attribute(name);
            let (p, c) = (member(prior, name, &at)?, member(config, name, &at)?);
            Ok((name.clone(), self.attribute(attribute, p, c, &at)?))
        });
        merged.collect()
    }

    /// M10.
    fn attribute(self, attribute: &Attribute, p: ValueRef<'_>, c: ValueRef<'_>, at: &At<'_>) -> Result<Value, Refusal> {
        if attribute.computed && c.is_null() {
            return Ok(if is_not_computable(attribute, p) { c.to_value() } else { p.to_value() });
        }
        match attribute.nested_type() {
            Some(nested) => self.nested_type(nested, p, c, at),
            None => Ok(c.to_value()),
        }
    }

    /// M11.
    fn nested_type(self, nested: &NestedType, p: ValueRef<'_>, c: ValueRef<'_>, at: &At<'_>) -> Result<Value, Refusal> {
        if c.is_unknown() {
            return Ok(c.to_value());
        }
        if nested.nesting == Nesting::Group && self.dialect.has_group_nested_types() {
            return Err(
                at.refusal("M11", "expected a nested type of mode single, list, map or set, found one of mode group")
            );
        }
        if c.is_null() {
            return Ok(c.to_value());
        }
        let rule = ElementRule::NestedType(nested);
        match nested.nesting {
            Nesting::Single => self.nested_object(nested, p, c, at),
            Nesting::List => self.list(rule, p, c, at),
            Nesting::Map => self.map(rule, p, c, at),
            Nesting::Set => self.set(rule, p, c, at),
            // S31: the other dialects never get here with a group.
            Nesting::Group => Err(at.refusal("M11", "expected a nested type of another mode, found a group")),
        }
    }

    /// M12.
    fn nested_object(
        self,
        nested: &NestedType,
        p: ValueRef<'_>,
        c: ValueRef<'_>,
        at: &At<'_>,
    ) -> Result<Value, Refusal> {
        if c.is_null() {
            return Ok(c.to_value());
        }
        Ok(object(c.ty(), self.attributes(&nested.attributes, p, c, at)?))
    }

    /// M15.
    fn nested_block(
        self,
        nested: &BlockType<'_>,
        p: ValueRef<'_>,
        c: ValueRef<'_>,
        at: &At<'_>,
    ) -> Result<Value, Refusal> {
        if c.is_unknown() {
            return Ok(c.to_value());
        }
        let rule = ElementRule::Block(&nested.schema);
        match nested.nesting {
            Nesting::Single if c.is_null() => Ok(c.to_value()),
            Nesting::Single | Nesting::Group => self.proposed(&nested.schema, p, c, at),
            Nesting::List => self.list(rule, p, c, at),
            Nesting::Map => self.map(rule, p, c, at),
            Nesting::Set => self.set(rule, p, c, at),
        }
    }

    /// An element by its rule.
    pub fn element(
        self,
        rule: ElementRule<'_, '_>,
        p: ValueRef<'_>,
        c: ValueRef<'_>,
        at: &At<'_>,
    ) -> Result<Value, Refusal> {
        match rule {
            ElementRule::Block(schema) => self.proposed(schema, p, c, at),
            ElementRule::NestedType(nested) => self.nested_object(nested, p, c, at),
        }
    }
}

/// M21.
fn is_not_computable(attribute: &Attribute, p: ValueRef<'_>) -> bool {
    match attribute.nested_type() {
        Some(nested) if attribute.optional => has_configured_part(Place::NestedType(nested), p),
        _ => false,
    }
}

/// M21: whether a value that is not null sits, here or inside, at the place of an attribute that is not computed.
fn has_configured_part(place: Place<'_>, value: ValueRef<'_>) -> bool {
    if place.attribute().is_some_and(|attribute| !attribute.computed) && !value.is_null() {
        return true;
    }
    value.children().any(|(step, child)| has_configured_part(place.step(&step), child))
}

#[cfg(test)]
mod tests {
    use crate::check::{WITH_D01, WITHOUT_D01, check, check_attributes, check_blocks};

    #[test]
    fn m01_null_with_null_is_null_and_a_null_prior_is_the_empty_value() {
        let asked = check(
            r#"{"attributes":{"s":{"type":"string","optional":true}},"block_types":{
                "g":{"nesting_mode":"group","block":{"attributes":{"c":{"type":"string","computed":true}}}}}}"#,
        );
        asked.proposed_new("null", "null").is("null");
        asked.proposed_new("null", r#"{"s":"a","g":{"c":null}}"#).is(r#"{"s":"a","g":{"c":null}}"#);
        asked.proposed_new("null", r#"{"$unknown":true}"#).is(r#"{"s":null,"g":{"c":null}}"#);
    }

    #[test]
    fn m02_a_prior_that_is_no_object_is_refused() {
        let list = r#"{"l":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"dynamic","optional":true}}}}}"#;
        let prior = r#"{"l":{"type":["list","string"],"value":["a"]}}"#;
        let config = r#"{"l":{"type":["tuple",[["object",{"x":"string"}]]],"value":[{"x":"1"}]}}"#;
        check_blocks(list).proposed_new(prior, config).is_refused("M02", ".l[0]");
    }

    #[test]
    fn m10_a_record_in_the_configuration_stays() {
        check_attributes(r#"{"s":{"type":"string","optional":true,"computed":true}}"#)
            .proposed_new(r#"{"s":"old"}"#, r#"{"s":{"$unknown":{"string_prefix":"a"}}}"#)
            .is(r#"{"s":{"$unknown":{"string_prefix":"a"}}}"#);
    }

    #[test]
    fn m11_a_group_nested_type_is_refused_where_it_is_merged() {
        let asked = check_attributes(
            r#"{"g":{"optional":true,"nested_type":{"nesting_mode":"group","attributes":{
                "x":{"type":"string","optional":true}}}}}"#,
        );
        let asked = asked.in_dialects(&["terraform-1.17"]);
        asked.proposed_new("null", r#"{"g":{"x":"a"}}"#).is_refused("M11", ".g");
        asked.proposed_new("null", r#"{"g":null}"#).is_refused("M11", ".g");
        asked.proposed_new("null", r#"{"g":{"$unknown":true}}"#).is(r#"{"g":{"$unknown":true}}"#);
    }

    #[test]
    fn m13_a_prior_is_taken_over_whole_at_computed_members_only() {
        check_attributes(
            r#"{"c":{"computed":true,"nested_type":{"nesting_mode":"list","attributes":{
                    "x":{"type":"string","optional":true}}}},
                "o":{"optional":true,"nested_type":{"nesting_mode":"list","attributes":{
                    "x":{"type":"string","optional":true},"y":{"type":"string","optional":true,"computed":true}}}}}"#,
        )
        .proposed_new(
            r#"{"c":[{"x":"1"}],"o":[{"x":"1","y":"2"},{"x":"3","y":"4"}]}"#,
            r#"{"c":null,"o":[{"x":null,"y":null}]}"#,
        )
        .is(r#"{"c":[{"x":"1"}],"o":[{"x":null,"y":"2"}]}"#);
    }

    #[test]
    fn m15_a_null_single_block_stays_null_with_any_prior() {
        check_blocks(
            r#"{"z":{"nesting_mode":"single","block":{"attributes":{"c":{"type":"string","computed":true}}}},
                "g":{"nesting_mode":"group","block":{"attributes":{"c":{"type":"string","computed":true}}}}}"#,
        )
        .proposed_new(r#"{"z":{"c":"1"},"g":{"c":"2"}}"#, r#"{"z":null,"g":null}"#)
        .is(r#"{"z":null,"g":{"c":"2"}}"#);
    }

    #[test]
    fn m16_a_block_under_a_null_prior() {
        check_blocks(
            r#"{"z":{"nesting_mode":"single","block":{"block_types":{
                "g":{"nesting_mode":"group","block":{"attributes":{"c":{"type":"string","computed":true}}}}}}}}"#,
        )
        .proposed_new(r#"{"z":null}"#, r#"{"z":{"g":{"c":null}}}"#)
        .is(r#"{"z":{"g":{"c":null}}}"#);
    }

    #[test]
    fn m21_deep_configured_parts_of_the_prior_take_it_away() {
        let asked = check_attributes(
            r#"{"s":{"optional":true,"computed":true,"nested_type":{"nesting_mode":"map","attributes":{
                "c":{"computed":true,"type":["object",{"n":"string"}]},
                "n":{"computed":true,"nested_type":{"nesting_mode":"set","attributes":{
                    "n":{"type":"string","optional":true},"c":{"type":"string","computed":true}}}}}}}}"#,
        );
        let config = r#"{"s":null}"#;
        let computed_only = r#"{"s":{"n":{"c":{"n":"inside a leaf"},"n":[{"n":null,"c":"1"}]}}}"#;
        asked.proposed_new(computed_only, config).is(computed_only);
        asked.proposed_new(r#"{"s":{"k":{"c":null,"n":[{"n":"x","c":"1"}]}}}"#, config).is(config);
        asked.proposed_new(r#"{"s":{"k":{"c":null,"n":[{"n":{"$unknown":true},"c":"1"}]}}}"#, config).is(config);
    }

    #[test]
    fn m18_new_map_elements_by_dialect() {
        let map = r#"{"m":{"nesting_mode":"map","block":{"block_types":{
            "z":{"nesting_mode":"set","block":{"attributes":{"x":{"type":"string","optional":true}}}}}}}}"#;
        let config = r#"{"m":{"k":{"z":[{"$unknown":true}]}}}"#;
        check_blocks(map).in_dialects(WITHOUT_D01).proposed_new("null", config).is(config);
        check_blocks(map).in_dialects(WITH_D01).proposed_new("null", config).is(r#"{"m":{"k":{"z":[{"x":null}]}}}"#);
    }

    #[test]
    fn m10_an_object_takes_the_types_of_all_that_it_takes_over() {
        check_attributes(
            r#"{"c":{"type":"dynamic","computed":true},"d":{"type":"dynamic","optional":true,"computed":true}}"#,
        )
        .proposed_new(
            r#"{"c":{"type":"string","value":"a"},"d":{"type":"number","value":1}}"#,
            r#"{"c":null,"d":null}"#,
        )
        .is(r#"{"c":{"type":"string","value":"a"},"d":{"type":"number","value":1}}"#);
    }
}
