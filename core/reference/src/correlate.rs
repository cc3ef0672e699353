//! Matching set elements (M22 to M25): the prior element that a set element of config continues.

use planfuzz_core::value::{Type, ValueRef, raw_equals_unrefined};

use super::lookup::Place;
use super::merge::ElementRule;

/// The elements of a prior set that no element of config has taken yet, in iteration order.
pub(super) struct Unused<'s, 'v> {
    place: Place<'s>,
    elements: Vec<Option<ValueRef<'v>>>,
}

impl<'s, 'v> Unused<'s, 'v> {
    /// All elements of a prior set whose elements are at `place` of the schema.
    pub fn new(place: Place<'s>, elements: impl Iterator<Item = ValueRef<'v>>) -> Unused<'s, 'v> {
        Unused { place, elements: elements.map(Some).collect() }
    }

    /// M19: the first not yet used element that matches `e`; from now on it is used.
    pub fn take_match(&mut self, e: ValueRef<'_>) -> Option<ValueRef<'v>> {
        let place = self.place;
        self.elements.iter_mut().find(|unused| unused.is_some_and(|p| matches(place, p, e)))?.take()
    }
}

/// M22: where lookups of the schema start, at the root of an element: S60 or S61.
pub(super) fn place_of_elements<'s>(rule: ElementRule<'_, 's>) -> Place<'s> {
    match rule {
        ElementRule::Block(schema) => Place::Block(schema.block),
        ElementRule::NestedType(nested) => Place::NestedType(nested),
    }
}

/// M22.
fn matches(place: Place<'_>, p: ValueRef<'_>, e: ValueRef<'_>) -> bool {
    // 1
    if raw_equals_unrefined(e, p) {
        return true;
    }
    // 2
    if matches!(e.ty(), Type::Set(_)) {
        return false;
    }
    // 3
    if let Some(attribute) = place.attribute().filter(|attribute| attribute.leaf_type().is_some()) {
        return attribute.computed && e.is_null();
    }
    // 4
    if !p.is_present() {
        return true;
    }
    p.children().all(|(step, child)| match e.apply(&step) {
        Some(counterpart) => matches(place.step(&step), child, counterpart),
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use crate::check::{Check, check_attributes, check_blocks};

    fn leaves() -> Check {
        check_blocks(
            r#"{"s":{"nesting_mode":"set","block":{"attributes":{
                "k":{"type":"number","optional":true},"c":{"type":"string","optional":true,"computed":true}}}}}"#,
        )
    }

    #[test]
    fn m22_records_do_not_hinder_a_match() {
        leaves()
            .proposed_new(
                r#"{"s":[{"k":{"$unknown":true},"c":"1"}]}"#,
                r#"{"s":[{"k":{"$unknown":{"not_null":true}},"c":null}]}"#,
            )
            .is(r#"{"s":[{"k":{"$unknown":{"not_null":true}},"c":"1"}]}"#);
    }

    #[test]
    fn m22_a_step_that_the_element_has_not_is_no_match() {
        check_attributes(
            r#"{"s":{"optional":true,"nested_type":{"nesting_mode":"set","attributes":{
                "c":{"type":"string","computed":true},
                "m":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
                    "x":{"type":"string","optional":true}}}}}}}}"#,
        )
        .proposed_new(
            r#"{"s":[{"c":"1","m":{"a":{"x":"1"},"b":{"x":"2"}}},{"c":"2","m":{"b":{"x":"2"}}}]}"#,
            r#"{"s":[{"c":null,"m":{"b":{"x":"2"},"d":{"x":"3"}}}]}"#,
        )
        .is(r#"{"s":[{"c":"2","m":{"b":{"x":"2"},"d":{"x":"3"}}}]}"#);
    }

    #[test]
    fn m23_a_computed_set_or_nested_type_with_a_value_never_matches_null() {
        for (ty, matches) in [
            (r#""type":["set","string"]"#, false),
            (r#""type":["list","string"]"#, true),
            (r#""nested_type":{"nesting_mode":"list","attributes":{"x":{"type":"string","computed":true}}}"#, false),
        ] {
            let value = if ty.contains("nested") { r#"[{"x":"1"}]"# } else { r#"["x"]"# };
            let attributes = format!(r#"{{"k":{{"type":"string","required":true}},"t":{{{ty},"computed":true}}}}"#);
            let prior = format!(r#"{{"s":[{{"k":"a","t":{value}}}]}}"#);
            let config = r#"{"s":[{"k":"a","t":null}]}"#;
            let set = format!(r#"{{"s":{{"nesting_mode":"set","block":{{"attributes":{attributes}}}}}}}"#);
            check_blocks(&set).proposed_new(&prior, config).is(if matches { &prior } else { config });
        }
    }

    #[test]
    fn m23_a_null_element_of_config_matches_null_and_nothing_else() {
        check_attributes(
            r#"{"s":{"optional":true,"nested_type":{"nesting_mode":"set","attributes":{
                "k":{"type":"string","optional":true},"c":{"type":"string","computed":true}}}}}"#,
        )
        .proposed_new(r#"{"s":[{"k":"a","c":"1"}]}"#, r#"{"s":[null]}"#)
        .is(r#"{"s":[null]}"#);
    }

    #[test]
    fn m24_the_element_with_a_value_chooses_first() {
        leaves()
            .proposed_new(r#"{"s":[{"k":1,"c":"a"},{"k":1,"c":"b"}]}"#, r#"{"s":[{"k":1,"c":null},{"k":1,"c":"a"}]}"#)
            .is(r#"{"s":[{"k":1,"c":"a"},{"k":1,"c":"b"}]}"#);
    }
}
