//! Plan validity (section 3, P01 to P12): the plans that a provider may return for a configuration and a prior
//! object.
//!
//! `p`, `c` and `n` are the members of prior, config and planned, as in the rules, and travel together as [`Three`].

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Refusal, Violation};
use planfuzz_core::schema::{Attribute, Named, NestedType, Nesting};
use planfuzz_core::value::{
    Text, Tri, Type, Value, ValueRef, equals, includes, length, raw_equals, raw_equals_unrefined,
};

use super::at::At;
use super::block_schema::{BlockSchema, BlockType};
use super::parts::{described, elements, member};
use super::untyped::{self, count, has, keyed, of_prior};

/// The violations of `[prior, config, planned]`.
pub(super) fn violations(
    dialect: Dialect,
    schema: &BlockSchema<'_>,
    [p, c, n]: [ValueRef<'_>; 3],
) -> Result<Vec<Violation>, Refusal> {
    let mut validity = Validity { dialect, found: Vec::new() };
    validity.block(schema, Three { p, c, n }, &At::ROOT)?;
    Ok(validity.found)
}

/// The parts of prior, config and planned at one place.
#[derive(Clone, Copy)]
struct Three<'v> {
    p: ValueRef<'v>,
    c: ValueRef<'v>,
    n: ValueRef<'v>,
}

impl<'v> Three<'v> {
    fn member(self, name: &Text, at: &At<'_>) -> Result<Three<'v>, Refusal> {
        Ok(Three { p: member(self.p, name, at)?, c: member(self.c, name, at)?, n: member(self.n, name, at)? })
    }

    /// P04: the same in nested types, where the members of a null object are null of the schema's type (S34).
    fn nested_member(self, name: &Text, declared: &'v Type, at: &At<'_>) -> Result<Three<'v>, Refusal> {
        let of = |object: ValueRef<'v>| match object.is_null() {
            true => Ok(ValueRef::null(declared)),
            false => member(object, name, at),
        };
        Ok(Three { p: of(self.p)?, c: of(self.c)?, n: of(self.n)? })
    }

    /// The elements of config and planned, with the prior element if there is one, else null.
    fn of_element(p: Option<ValueRef<'v>>, c: ValueRef<'v>, n: ValueRef<'v>) -> Three<'v> {
        Three { p: p.unwrap_or(ValueRef::null(n.ty())), c, n }
    }
}

/// The check in a dialect, and the violations so far.
struct Validity {
    dialect: Dialect,
    found: Vec<Violation>,
}

impl Validity {
    fn violation(&mut self, at: &At<'_>, rule: &'static str) -> Result<(), Refusal> {
        self.found.push(at.violation(rule));
        Ok(())
    }

    /// P01.
    fn block(&mut self, schema: &BlockSchema<'_>, objects: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        let Three { c, n, .. } = objects;
        if n.is_null() && !c.is_null() {
            return self.violation(at, "P01");
        }
        if c.is_null() && !n.is_null() {
            return self.violation(at, "P01");
        }
        if c.is_null() && n.is_null() {
            return Ok(());
        }
        for (name, attribute) in schema.block.attributes.iter() {
            let at = at.attribute(name);
            self.attribute(attribute, objects.member(name, &at)?, &at)?;
        }
        for nested in &schema.block_types {
            let at = at.attribute(nested.name);
            self.nested_block(nested, objects.member(nested.name, &at)?, &at)?;
        }
        Ok(())
    }

    /// P04 for every attribute of an object of a nested type.
    fn nested_attributes(
        &mut self,
        attributes: &Named<Attribute>,
        objects: Three<'_>,
        at: &At<'_>,
    ) -> Result<(), Refusal> {
        for (name, attribute) in attributes.iter() {
            let null_object = objects.c.is_null() || objects.n.is_null();
            if null_object && !self.dialect.reads_members_of_null_nested_objects() {
                return Err(at.refusal("P04", "expected planned and configured objects, found a null one"));
            }
            let at = at.attribute(name);
            let declared = attribute.declared_type(self.dialect);
            self.attribute(attribute, objects.nested_member(name, &declared, &at)?, &at)?;
        }
        Ok(())
    }

    /// P05.
    fn attribute(&mut self, attribute: &Attribute, members: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        let Three { p, c, n } = members;
        // a
        if raw_equals_unrefined(n, c) {
            return Ok(());
        }
        // b
        if raw_equals_unrefined(n, p) && !p.is_null() && !c.is_null() {
            return Ok(());
        }
        // c
        if attribute.write_only && self.dialect.decides_write_only_first() {
            return if n.is_null() { Ok(()) } else { self.violation(at, "P05") };
        }
        // d
        if attribute.computed && !attribute.optional {
            return Ok(());
        }
        // e
        if attribute.computed && c.is_null() {
            return Ok(());
        }
        // f
        if c.is_null() && !n.is_null() {
            return self.violation(at, "P05");
        }
        // g
        let late = !self.dialect.decides_write_only_first();
        if late && attribute.write_only && !c.is_null() && n.is_null() {
            return Ok(());
        }
        match attribute.nested_type() {
            // h
            Some(nested) => self.nested_type(nested, members, at),
            // i
            None => self.violation(at, "P05"),
        }
    }

    /// P07.
    fn nested_type(&mut self, nested: &NestedType, members: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        let Three { c, n, .. } = members;
        if n.is_null() && !c.is_null() {
            return self.violation(at, "P07");
        }
        if c.is_null() && !n.is_null() {
            return self.violation(at, "P07");
        }
        if !c.is_null() && n.is_unknown() {
            return self.violation(at, "P07");
        }
        if n.is_null() {
            return Ok(());
        }
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.nested_attributes(&nested.attributes, members, at),
            Nesting::List => self.nested_list(nested, members, at),
            Nesting::Map => self.nested_map(nested, members, at),
            Nesting::Set => self.nested_set(members, at),
        }
    }

    /// P07, list.
    fn nested_list(&mut self, nested: &NestedType, members: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        let Three { p, c, n } = members;
        if !have_equal_lengths(c, n, at)? {
            return self.violation(at, "P07");
        }
        refuse_unknown_of_exact_length(c, at)?;
        for (index, (c, n)) in elements(c).zip(elements(n)).enumerate() {
            self.nested_attributes(&nested.attributes, Three::of_element(p.element(index), c, n), &at.index(index))?;
        }
        Ok(())
    }

    /// P07, map.
    fn nested_map(&mut self, nested: &NestedType, members: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        let Three { p, c, n } = members;
        if !have_equal_lengths(c, n, at)? {
            return self.violation(at, "P07");
        }
        refuse_unknown_of_exact_length(c, at)?;
        for (key, n) in n.entries() {
            match c.entry(key) {
                None => self.violation(at, "P07")?,
                // An attribute step, not an index step.
                Some(c) => {
                    let objects = Three::of_element(p.entry(key), c, n);
                    self.nested_attributes(&nested.attributes, objects, &at.attribute(key))?;
                }
            }
        }
        for _ in c.entries().filter(|(key, _)| n.entry(key).is_none()) {
            self.violation(at, "P07")?;
        }
        Ok(())
    }

    /// P07, set.
    fn nested_set(&mut self, members: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        let (planned, configured) = (length_of(members.n, at)?, length_of(members.c, at)?);
        if includes(planned.view(), configured.view()) == Tri::False {
            return self.violation(at, "P07");
        }
        Ok(())
    }

    /// P10.
    fn nested_block(&mut self, nested: &BlockType<'_>, members: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        let Three { c, n, .. } = members;
        // 0
        if self.dialect.forbids_null_planned_blocks() && nested.nesting != Nesting::Single && n.is_null() {
            return self.violation(at, "P10");
        }
        // 1
        if raw_equals(n, c) {
            return Ok(());
        }
        // 2
        if c.is_unknown() {
            return self.violation(at, "P10");
        }
        // 2b
        if self.dialect.has_computed_blocks() && c.is_null() && nested.schema.block.computed {
            return Ok(());
        }
        // 3
        if n.is_unknown() {
            return self.violation(at, "P10");
        }
        // 4
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.block(&nested.schema, members, at),
            Nesting::List => self.list_block(&nested.schema, members, at),
            Nesting::Map => self.map_block(&nested.schema, members, at),
            Nesting::Set => self.set_block(members, at),
        }
    }

    /// P10, list.
    fn list_block(&mut self, schema: &BlockSchema<'_>, members: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        let Three { p, c, n } = members;
        if n.is_null() {
            return self.violation(at, "P10");
        }
        // A null list, set or map counts as the empty list.
        let configured =
            if c.is_null() && c.ty().is_collection() { Some(0) } else { count(c).filter(|_| !c.is_null()) };
        let (Some(planned), Some(configured)) = (count(n), configured) else {
            return Err(unreadable("values with elements", c, n, at));
        };
        if planned != configured {
            return self.violation(at, "P10");
        }
        for (key, n) in keyed(n) {
            let at_key = key.step(at);
            if n.is_unknown() {
                self.violation(&at_key, "P10")?;
                continue;
            }
            let refused = || unreadable("elements by the same keys", c, members.n, at);
            // An element that is not configured under this key is not checked.
            if !has(c, key).ok_or_else(refused)? {
                continue;
            }
            let c = untyped::at(c, key).ok_or_else(refused)?;
            let p = of_prior(p, key).map_err(|_| unreadable_prior(p, at))?;
            self.block(schema, Three::of_element(p, c, n), &at_key)?;
        }
        Ok(())
    }

    /// P10, map.
    fn map_block(&mut self, schema: &BlockSchema<'_>, members: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        if members.n.is_null() {
            return self.violation(at, "P10");
        }
        match members.n.ty() {
            Type::Object(_) => self.map_block_of_object(schema, members, at),
            _ => self.map_block_of_map(schema, members, at),
        }
    }

    /// P10, map, n an object.
    fn map_block_of_object(
        &mut self,
        schema: &BlockSchema<'_>,
        members: Three<'_>,
        at: &At<'_>,
    ) -> Result<(), Refusal> {
        let Three { p, c, n } = members;
        let Some(configured) = c.object_type() else {
            return Err(unreadable("objects", c, n, at));
        };
        for (key, element) in n.entries() {
            let at_key = at.attribute(key);
            if configured.index_of(key).is_none() {
                self.violation(at, "P10")?;
            } else if element.is_unknown() {
                self.violation(&at_key, "P10")?;
            } else {
                let c = c.entry(key).ok_or_else(|| unreadable("a configured object", c, n, at))?;
                if p.is_present() && p.object_type().is_none() {
                    return Err(unreadable_prior(p, at));
                }
                self.block(schema, Three::of_element(p.entry(key), c, element), &at_key)?;
            }
        }
        for _ in configured.attributes().iter().filter(|attribute| n.entry(&attribute.name).is_none()) {
            self.violation(at, "P10")?;
        }
        Ok(())
    }

    /// P10, map, n no object.
    fn map_block_of_map(&mut self, schema: &BlockSchema<'_>, members: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        let Three { p, c, n } = members;
        let refused = || unreadable("values with the same kind of keys", c, n, at);
        if count(n).ok_or_else(refused)? != count(c).ok_or_else(refused)? {
            return self.violation(at, "P10");
        }
        if c.is_null() {
            return Err(refused());
        }
        for (key, element) in keyed(n) {
            let at_key = key.step(at);
            if element.is_unknown() {
                self.violation(&at_key, "P10")?;
                continue;
            }
            if key.name().is_none() {
                return Err(refused());
            }
            if !has(c, key).ok_or_else(refused)? {
                self.violation(&at_key, "P10")?;
                continue;
            }
            let c = untyped::at(c, key).ok_or_else(refused)?;
            let p = of_prior(p, key).map_err(|_| unreadable_prior(p, at))?;
            self.block(schema, Three::of_element(p, c, element), &at_key)?;
        }
        for (key, _) in keyed(c) {
            if !has(n, key).ok_or_else(refused)? {
                key.name().ok_or_else(refused)?;
                self.violation(at, "P10")?;
            }
        }
        Ok(())
    }

    /// P10, set.
    fn set_block(&mut self, members: Three<'_>, at: &At<'_>) -> Result<(), Refusal> {
        if members.n.is_null() {
            return self.violation(at, "P10");
        }
        for element in elements(members.n).filter(|element| element.is_unknown()) {
            self.violation(&at.element(element), "P10")?;
        }
        Ok(())
    }
}

/// The refusal of blocks that cannot be compared (M30).
fn unreadable(expected: &str, c: ValueRef<'_>, n: ValueRef<'_>, at: &At<'_>) -> Refusal {
    at.refusal("P10", format!("expected {expected}, found {} configured, {} planned", described(c), described(n)))
}

fn unreadable_prior(p: ValueRef<'_>, at: &At<'_>) -> Refusal {
    at.refusal("P10", format!("expected a prior value with such elements, found {}", described(p)))
}

/// P07: whether the lengths (V45) are equal for certain.
fn have_equal_lengths(c: ValueRef<'_>, n: ValueRef<'_>, at: &At<'_>) -> Result<bool, Refusal> {
    let (planned, configured) = (length_of(n, at)?, length_of(c, at)?);
    Ok(equals(planned.view(), configured.view()) == Tri::True)
}

/// The length (V45) of a value that is a collection by the schema.
fn length_of(collection: ValueRef<'_>, at: &At<'_>) -> Result<Value, Refusal> {
    let refused = || at.refusal("P07", format!("expected a list, set or map, found {}", described(collection)));
    length(collection).ok_or_else(refused)
}

/// P07: an unknown c refined to exactly the planned length.
fn refuse_unknown_of_exact_length(c: ValueRef<'_>, at: &At<'_>) -> Result<(), Refusal> {
    if c.is_unknown() {
        return Err(at.refusal("P07", "expected configured elements, found an unknown of exactly the planned length"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::check::{
        OPENTOFU, TERRAFORM, WITH_COMPUTED_BLOCKS, WITHOUT_COMPUTED_BLOCKS, check_attributes, check_blocks,
    };

    const STRING: &str = r#"{"nesting_mode":"MODE","attributes":{"n":{"type":"string","optional":true}}}"#;

    fn nested(mode: &str, flags: &str) -> String {
        format!(r#"{{"s":{{{flags},"nested_type":{}}}}}"#, STRING.replace("MODE", mode))
    }

    fn block(mode: &str, ty: &str) -> String {
        let attribute = format!(r#"{{"n":{{"type":"{ty}","optional":true}}}}"#);
        format!(r#"{{"s":{{"nesting_mode":"{mode}","block":{{"attributes":{attribute}}}}}}}"#)
    }

    #[test]
    fn p01_null_planned_or_null_config() {
        let asked = check_attributes(r#"{"s":{"type":"string","optional":true}}"#);
        asked.assert_plan_valid("null", "null", "null").finds(&[]);
        asked.assert_plan_valid("null", r#"{"s":null}"#, "null").finds(&[""]);
        asked.assert_plan_valid("null", "null", r#"{"s":null}"#).finds(&[""]);
        asked.assert_plan_valid("null", r#"{"s":"a"}"#, r#"{"$unknown":true}"#).finds(&[".s"]);
        asked.assert_plan_valid("null", r#"{"$unknown":true}"#, r#"{"s":"a"}"#).finds(&[".s"]);
    }

    #[test]
    fn p04_null_objects_in_nested_types() {
        let (config, planned) = (r#"{"s":[null,{"n":"a"}]}"#, r#"{"s":[null,{"n":"b"}]}"#);
        let list = nested("list", r#""optional":true"#);
        check_attributes(&list).in_dialects(TERRAFORM).assert_plan_valid("null", config, planned).finds(&[".s[1].n"]);
        check_attributes(&list)
            .in_dialects(OPENTOFU)
            .assert_plan_valid("null", config, planned)
            .is_refused("P04", ".s[0]");
        let prior = r#"{"s":[null]}"#;
        check_attributes(&list)
            .assert_plan_valid(prior, r#"{"s":[{"n":"a"}]}"#, r#"{"s":[{"n":"b"}]}"#)
            .finds(&[".s[0].n"]);
    }

    #[test]
    fn p05_write_only_by_dialect() {
        let attribute = r#"{"s":{"type":"string","optional":true,"computed":true,"write_only":true}}"#;
        let ask = || check_attributes(attribute);
        ask().assert_plan_valid("null", r#"{"s":"a"}"#, r#"{"s":null}"#).finds(&[]);
        ask().in_dialects(OPENTOFU).assert_plan_valid("null", r#"{"s":null}"#, r#"{"s":"x"}"#).finds(&[]);
        ask().in_dialects(TERRAFORM).assert_plan_valid("null", r#"{"s":null}"#, r#"{"s":"x"}"#).finds(&[".s"]);
    }

    #[test]
    fn p05_the_prior_excuses_only_configured_values() {
        let asked = check_attributes(&nested("single", r#""optional":true"#));
        let prior = r#"{"s":{"n":"old"}}"#;
        asked.assert_plan_valid(prior, r#"{"s":{"n":"new"}}"#, prior).finds(&[]);
        asked.assert_plan_valid(prior, r#"{"s":null}"#, prior).finds(&[".s"]);
        asked.assert_plan_valid(r#"{"s":null}"#, r#"{"s":{"n":"new"}}"#, r#"{"s":null}"#).finds(&[".s"]);
    }

    #[test]
    fn p07_lists_of_nested_objects() {
        let asked = check_attributes(&nested("list", r#""optional":true"#));
        asked.assert_plan_valid("null", r#"{"s":[{"n":"a"}]}"#, r#"{"s":[]}"#).finds(&[".s"]);
        asked.assert_plan_valid("null", r#"{"s":[{"n":"a"}]}"#, r#"{"s":{"$unknown":true}}"#).finds(&[".s"]);
        asked.assert_plan_valid("null", r#"{"s":[{"n":"a"}]}"#, r#"{"s":[{"$unknown":true}]}"#).finds(&[".s[0].n"]);
        asked.assert_plan_valid("null", r#"{"s":{"$unknown":true}}"#, r#"{"s":[{"n":"a"}]}"#).finds(&[".s"]);
        let exact = r#"{"s":{"$unknown":{"length_min":1,"length_max":1}}}"#;
        asked.assert_plan_valid("null", exact, r#"{"s":[{"n":"a"}]}"#).is_refused("P07", ".s");
        let kept = r#"{"s":[{"n":"old"}]}"#;
        asked
            .assert_plan_valid(kept, r#"{"s":[{"n":"a"},{"n":"b"}]}"#, r#"{"s":[{"n":"old"},{"n":"c"}]}"#)
            .finds(&[".s[1].n"]);
    }

    #[test]
    fn p07_map_keys_are_attribute_steps() {
        let asked = check_attributes(&nested("map", r#""optional":true"#));
        let config = r#"{"s":{"a.b":{"n":"1"},"c":{"n":"1"}}}"#;
        asked
            .assert_plan_valid("null", config, r#"{"s":{"a.b":{"n":"2"},"c":{"n":"2"}}}"#)
            .finds(&[".s.\"a.b\".n", ".s.c.n"]);
        asked.assert_plan_valid("null", config, r#"{"s":{"a.b":{"n":"1"}}}"#).finds(&[".s"]);
    }

    #[test]
    fn p10_lists_of_blocks() {
        let asked = check_blocks(&block("list", "string"));
        asked.assert_plan_valid("null", r#"{"s":[{"n":"a"}]}"#, r#"{"s":null}"#).finds(&[".s"]);
        asked.assert_plan_valid("null", r#"{"s":null}"#, r#"{"s":[]}"#).finds(&[]);
        asked.assert_plan_valid("null", r#"{"s":null}"#, r#"{"s":[{"n":null}]}"#).finds(&[".s"]);
        asked.assert_plan_valid("null", r#"{"s":[{"n":"a"}]}"#, r#"{"s":[{"$unknown":true}]}"#).finds(&[".s[0]"]);
        asked.assert_plan_valid("null", r#"{"s":[{"n":"a"}]}"#, r#"{"s":{"$unknown":true}}"#).finds(&[".s"]);
        let prior = r#"{"s":[{"n":"old"}]}"#;
        asked.assert_plan_valid(prior, r#"{"s":[{"n":"a"}]}"#, prior).finds(&[]);
        asked.assert_plan_valid(prior, r#"{"s":[{"n":"a"}]}"#, r#"{"s":[null]}"#).finds(&[".s[0]"]);
    }

    #[test]
    fn p10_a_null_plan_that_equals_the_config() {
        check_blocks(&block("single", "string")).assert_plan_valid("null", r#"{"s":null}"#, r#"{"s":null}"#).finds(&[]);
        for mode in ["list", "map", "set", "group"] {
            let ask = |dialects| check_blocks(&block(mode, "string")).in_dialects(dialects);
            let nulls = r#"{"s":null}"#;
            ask(WITHOUT_COMPUTED_BLOCKS).assert_plan_valid("null", nulls, nulls).finds(&[]);
            ask(WITH_COMPUTED_BLOCKS).assert_plan_valid("null", nulls, nulls).finds(&[".s"]);
        }
    }

    #[test]
    fn p10_a_null_config_of_another_type_is_refused() {
        let planned = r#"{"s":{"type":["tuple",[]],"value":[]}}"#;
        check_blocks(&block("list", "dynamic"))
            .assert_plan_valid("null", r#"{"s":null}"#, planned)
            .is_refused("P10", ".s");
        check_blocks(&block("map", "string"))
            .assert_plan_valid("null", r#"{"s":null}"#, r#"{"s":{}}"#)
            .is_refused("P10", ".s");
    }

    #[test]
    fn p10_maps_of_blocks() {
        let asked = check_blocks(&block("map", "string"));
        let config = r#"{"s":{"a":{"n":"1"},"b":{"n":"1"}}}"#;
        asked.assert_plan_valid("null", config, r#"{"s":{"a":{"n":"1"}}}"#).finds(&[".s"]);
        asked.assert_plan_valid("null", config, r#"{"s":{"a":{"$unknown":true},"c":{"n":"1"}}}"#).finds(&[
            ".s",
            ".s[\"a\"]",
            ".s[\"c\"]",
        ]);
        let of = |a: &str, b: &str| {
            format!(
                r#"{{"s":{{"type":["object",{{"a":["object",{{"n":"string"}}],"b":["object",{{"n":"string"}}]}}],
                "value":{{"a":{a},"b":{b}}}}}}}"#
            )
        };
        check_blocks(&block("map", "dynamic"))
            .assert_plan_valid("null", &of(r#"{"n":"1"}"#, r#"{"n":"1"}"#), &of(r#"{"n":"2"}"#, r#"{"$unknown":true}"#))
            .finds(&[".s.a.n", ".s.b"]);
    }

    #[test]
    fn p10_a_map_planned_for_an_object_of_blocks_is_refused_at_its_first_known_element() {
        let asked = check_blocks(&block("map", "dynamic"));
        let of = |ty: &str, value: &str| format!(r#"{{"s":{{"type":{ty},"value":{value}}}}}"#);
        let config = of(r#"["object",{"a":["object",{"n":"string"}]}]"#, r#"{"a":{"n":"1"}}"#);
        let map = |value: &str| of(r#"["map",["object",{"n":"string"}]]"#, value);
        asked.assert_plan_valid("null", &config, &map(r#"{"a":{"n":"1"}}"#)).is_refused("P10", ".s");
        asked.assert_plan_valid("null", &config, &map(r#"{"b":{"n":"1"}}"#)).is_refused("P10", ".s");
        asked.assert_plan_valid("null", &config, &map(r#"{"a":{"$unknown":true}}"#)).finds(&[".s[\"a\"]"]);
        asked.assert_plan_valid("null", &config, &map("{}")).finds(&[".s"]);
    }

    #[test]
    fn p10_a_computed_block_may_be_planned_freely_where_config_is_null() {
        let asked = check_blocks(
            r#"{"s":{"nesting_mode":"list","block":{"computed":true,"attributes":{"n":{"type":"string","computed":true}}}}}"#,
        );
        let asked = asked.in_dialects(WITH_COMPUTED_BLOCKS);
        asked.assert_plan_valid("null", r#"{"s":null}"#, r#"{"s":[{"n":"a"}]}"#).finds(&[]);
        asked.assert_plan_valid("null", r#"{"s":null}"#, r#"{"s":null}"#).finds(&[".s"]);
        asked.assert_plan_valid("null", r#"{"s":[]}"#, r#"{"s":[{"n":"a"}]}"#).finds(&[".s"]);
    }

    #[test]
    fn p10_dynamic_blocks_of_another_kind_are_refused() {
        let object = r#"["object",{"n":"string"}]"#;
        let of = |ty: &str, value: &str| format!(r#"{{"s":{{"type":{ty},"value":{value}}}}}"#);
        let tuple = of(&format!(r#"["tuple",[{object}]]"#), r#"[{"n":"1"}]"#);
        let map = of(&format!(r#"["map",{object}]"#), r#"{"a":{"n":"1"}}"#);
        let string = of(r#""string""#, r#""a""#);
        let none = of(r#"["tuple",[]]"#, "[]");
        for (mode, config, planned) in [
            ("list", &tuple, &string),
            ("list", &string, &none),
            ("map", &map, &tuple),
            ("map", &map, &string),
            ("map", &string, &map),
        ] {
            check_blocks(&block(mode, "dynamic")).assert_plan_valid("null", config, planned).is_refused("P10", ".s");
        }
    }

    #[test]
    fn p10_values_planned_under_another_key_are_not_compared() {
        let object = r#"["object",{"n":"string"}]"#;
        let of = |ty: &str, value: &str| format!(r#"{{"s":{{"type":{ty},"value":{value}}}}}"#);
        let tuple = of(&format!(r#"["tuple",[{object}]]"#), r#"[{"n":"1"}]"#);
        let map = of(&format!(r#"["map",{object}]"#), r#"{"a":{"n":"2"}}"#);
        let numbers = |value: &str| of(r#"["set","number"]"#, value);
        let asked = |config: &str, planned: &str| {
            check_blocks(&block("list", "dynamic")).assert_plan_valid("null", config, planned)
        };
        asked(&tuple, &map).finds(&[]);
        asked(&map, &tuple).finds(&[]);
        asked(&tuple, &of(r#"["set","string"]"#, r#"["0"]"#)).finds(&[]);
        for other in ["[1]", "[-1]", "[0.5]"] {
            asked(&tuple, &numbers(other)).finds(&[]);
        }
        // M30: a key of the configured tuple is no object of the block, and a null one cannot be looked up.
        asked(&tuple, &numbers("[0]")).is_refused("S30", ".s[0].n");
        asked(&tuple, &numbers("[null]")).is_refused("P10", ".s");
    }

    #[test]
    fn p07_nulls_of_two_types_are_both_null() {
        let asked = check_attributes(
            r#"{"l":{"optional":true,"nested_type":{"nesting_mode":"list","attributes":{
                "s":{"optional":true,"nested_type":{"nesting_mode":"single","attributes":{
                    "d":{"type":"dynamic","optional":true}}}}}}}}"#,
        );
        let config = r#"{"l":[{"s":{"d":{"type":"string","value":"x"}}},{"s":null}]}"#;
        let planned = r#"{"l":[{"s":{"d":{"type":"number","value":1}}},{"s":null}]}"#;
        asked.assert_plan_valid("null", config, planned).finds(&[".l[0].s.d"]);
    }
}
