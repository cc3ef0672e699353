//! ProposedNew of collections (M17 to M20): lists, maps and sets of blocks or of objects of a nested type.

use planfuzz_core::planner::Refusal;
use planfuzz_core::value::{Text, Type, Value, ValueRef};

use super::at::At;
use super::correlate::{Unused, place_of_elements};
use super::merge::{ElementRule, Merge};
use super::parts::{described, elements, is_keyed, mixed_elements, object};
use super::untyped::{self, Key, Named, count, keyed, of_prior};

impl Merge {
    /// M17.
    pub fn list(
        self,
        rule: ElementRule<'_, '_>,
        p: ValueRef<'_>,
        c: ValueRef<'_>,
        at: &At<'_>,
    ) -> Result<Value, Refusal> {
        if c.is_null() {
            return Ok(c.to_value());
        }
        let has_kind = matches!(rule, ElementRule::Block(_)) || matches!(c.ty(), Type::List(_) | Type::Tuple(_));
        let Some(count) = count(c).filter(|_| has_kind) else {
            return Err(at.refusal("M17", format!("expected a value with elements, found {}", described(c))));
        };
        if count == 0 {
            return Ok(c.to_value());
        }
        let merged = keyed(c).into_iter().map(|(key, element)| {
            let at = key.step(at);
            match prior_at(p, key, &at)? {
                None => Ok(element.to_value()),
                Some(prior) => self.element(rule, prior, element, &at),
            }
        });
        let merged: Vec<Value> = merged.collect::<Result<_, Refusal>>()?;
        match c.ty() {
            Type::Tuple(_) => Ok(Value::tuple(merged)),
            // V08: where all are of type `dynamic`, so is the list's.
            _ => Value::list(&Type::Dynamic, merged).map_err(|error| mixed_elements(error, at)),
        }
    }

    /// M18.
    pub fn map(
        self,
        rule: ElementRule<'_, '_>,
        p: ValueRef<'_>,
        c: ValueRef<'_>,
        at: &At<'_>,
    ) -> Result<Value, Refusal> {
        if c.is_null() {
            return Ok(c.to_value());
        }
        let is_empty = count(c) == Some(0);
        if is_empty && (matches!(rule, ElementRule::Block(_)) || is_keyed(c.ty())) {
            return Ok(c.to_value());
        }
        if !is_keyed(c.ty()) {
            return Err(at.refusal("M18", format!("expected a map or object, found {}", described(c))));
        }
        if p.is_present() && !has_names(rule, p) {
            return Err(at.refusal("M18", format!("expected a prior map or object, found {}", described(p))));
        }
        let priors = Named::of(p);
        let merged = c.entries().map(|(key, element)| {
            let at = at.key(key);
            let merged = match priors.get(key) {
                Some(prior) => self.element(rule, prior, element, &at)?,
                None if !self.dialect.merges_new_map_elements() => element.to_value(),
                None if p.is_unknown() => self.element(rule, ValueRef::unknown(element.ty()), element, &at)?,
                None => self.element(rule, ValueRef::null(element.ty()), element, &at)?,
            };
            Ok((key.clone(), merged))
        });
        let merged: Vec<(Text, Value)> = merged.collect::<Result<_, Refusal>>()?;
        match c.ty().element() {
            Some(element) => Value::map(element, merged).map_err(|error| mixed_elements(error, at)),
            None => Ok(object(c.ty(), merged)),
        }
    }

    /// M19.
    pub fn set(
        self,
        rule: ElementRule<'_, '_>,
        p: ValueRef<'_>,
        c: ValueRef<'_>,
        at: &At<'_>,
    ) -> Result<Value, Refusal> {
        if c.is_null() {
            return Ok(c.to_value());
        }
        let Type::Set(element_type) = c.ty() else {
            return Err(at.refusal("M19", format!("expected a set, found {}", described(c))));
        };
        if c.is_empty() {
            return Ok(c.to_value());
        }
        let mut priors = Unused::new(place_of_elements(rule), elements(p));
        let merged = elements(c).map(|element| {
            let prior = priors.take_match(element).unwrap_or(ValueRef::null(element_type));
            self.element(rule, prior, element, &at.element(element))
        });
        let merged: Vec<Value> = merged.collect::<Result<_, Refusal>>()?;
        Value::set(element_type, merged).map_err(|error| mixed_elements(error, at))
    }
}

/// M18: whether strings can be looked up in a known prior: at a block place in any value whose keys are all strings
/// (M30).
fn has_names(rule: ElementRule<'_, '_>, p: ValueRef<'_>) -> bool {
    match rule {
        ElementRule::Block(_) => count(p).is_some() && keyed(p).iter().all(|(key, _)| key.name().is_some()),
        _ => is_keyed(p.ty()),
    }
}

/// M17: the prior element for a key of config, or `None` if that element is taken as it is.
fn prior_at<'v>(p: ValueRef<'v>, key: Key<'_>, at: &At<'_>) -> Result<Option<ValueRef<'v>>, Refusal> {
    let refused = || at.refusal("M17", format!("expected a prior element here, found {}", described(p)));
    if p.is_unknown() {
        return untyped::at(p, key).map(Some).ok_or_else(refused);
    }
    of_prior(p, key).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use crate::check::{WITH_D01, WITHOUT_D01, check_attributes, check_blocks};

    const DYNAMIC_LIST: &str = r#"{"l":{"nesting_mode":"list","block":{"attributes":{
        "x":{"type":"dynamic","optional":true},"c":{"type":"dynamic","computed":true}}}}}"#;

    #[test]
    fn m17_a_tuple_stays_a_tuple_and_takes_the_types_of_its_elements() {
        check_blocks(DYNAMIC_LIST)
            .proposed_new(
                r#"{"l":{"type":["tuple",[["object",{"x":"string","c":"number"}]]],"value":[{"x":"1","c":7}]}}"#,
                r#"{"l":{"type":["tuple",[["object",{"x":"bool","c":"dynamic"}],["object",{"x":"bool","c":"dynamic"}]]],
                    "value":[{"x":true,"c":null},{"x":false,"c":null}]}}"#,
            )
            .is(
                r#"{"l":{"type":["tuple",[["object",{"x":"bool","c":"number"}],["object",{"x":"bool","c":"dynamic"}]]],
                "value":[{"x":true,"c":7},{"x":false,"c":null}]}}"#,
            );
    }

    #[test]
    fn m17_values_other_than_sequences_are_refused() {
        let string = r#"{"l":{"type":"string","value":"a"}}"#;
        let tuple = r#"{"l":{"type":["tuple",[["object",{"x":"string","c":"string"}]]],"value":[{"x":"1","c":null}]}}"#;
        check_blocks(DYNAMIC_LIST).proposed_new(string, tuple).is_refused("M17", ".l[0]");
        check_blocks(DYNAMIC_LIST).proposed_new(tuple, string).is_refused("M17", ".l");
    }

    #[test]
    fn m17_elements_that_come_out_with_different_types_are_refused() {
        check_attributes(
            r#"{"l":{"optional":true,"nested_type":{"nesting_mode":"list","attributes":{
                "c":{"type":"dynamic","optional":true,"computed":true}}}}}"#,
        )
        .proposed_new(r#"{"l":[{"c":{"type":"string","value":"a"}}]}"#, r#"{"l":[{"c":null},{"c":null}]}"#)
        .is_refused("V08", ".l");
    }

    #[test]
    fn m18_an_object_stays_an_object_and_keys_only_in_the_prior_are_dropped() {
        check_blocks(
            r#"{"m":{"nesting_mode":"map","block":{"attributes":{
                "x":{"type":"dynamic","optional":true},"c":{"type":"string","computed":true}}}}}"#,
        )
        .proposed_new(
            r#"{"m":{"type":["object",{"a":["object",{"x":"string","c":"string"}],"z":["object",{"x":"string","c":"string"}]}],
                "value":{"a":{"x":"1","c":"7"},"z":{"x":"1","c":"8"}}}}"#,
            r#"{"m":{"type":["object",{"a":["object",{"x":"bool","c":"string"}]}],"value":{"a":{"x":true,"c":null}}}}"#,
        )
        .is(r#"{"m":{"type":["object",{"a":["object",{"x":"bool","c":"string"}]}],"value":{"a":{"x":true,"c":"7"}}}}"#);
    }

    #[test]
    fn m18_an_unknown_prior_map_by_dialect() {
        let map = r#"{"m":{"nesting_mode":"map","block":{"attributes":{"c":{"type":"string","computed":true}}}}}"#;
        let (prior, config) = (r#"{"m":{"$unknown":true}}"#, r#"{"m":{"k":{"c":null}}}"#);
        check_blocks(map).in_dialects(WITHOUT_D01).proposed_new(prior, config).is(config);
        let unknown = r#"{"m":{"k":{"c":{"$unknown":true}}}}"#;
        check_blocks(map).in_dialects(WITH_D01).proposed_new(prior, config).is(unknown);
    }

    #[test]
    fn m19_equal_results_merge_and_an_unknown_prior_set_counts_as_nothing() {
        let set = r#"{"s":{"nesting_mode":"set","block":{"attributes":{
            "k":{"type":"string","optional":true},"c":{"type":"string","optional":true,"computed":true}}}}}"#;
        let config = r#"{"s":[{"k":"a","c":null},{"k":"b","c":null}]}"#;
        check_blocks(set).proposed_new(r#"{"s":{"$unknown":true}}"#, config).is(config);
        check_blocks(set)
            .proposed_new(r#"{"s":[{"k":"a","c":"1"}]}"#, config)
            .is(r#"{"s":[{"k":"a","c":"1"},{"k":"b","c":null}]}"#);
    }

    const DYNAMIC_MAP: &str = r#"{"m":{"nesting_mode":"map","block":{"attributes":{
        "x":{"type":"dynamic","optional":true},"c":{"type":"dynamic","computed":true}}}}}"#;

    #[test]
    fn m17_a_prior_map_has_no_elements_by_index() {
        let config =
            r#"{"l":{"type":["tuple",[["object",{"x":"string","c":"string"}]]],"value":[{"x":"1","c":null}]}}"#;
        check_blocks(DYNAMIC_LIST)
            .proposed_new(
                r#"{"l":{"type":["map",["object",{"x":"string","c":"string"}]],"value":{"0":{"x":"1","c":"7"}}}}"#,
                config,
            )
            .is(config);
    }

    #[test]
    fn m17_an_unknown_prior_tuple_has_only_its_own_elements() {
        check_blocks(DYNAMIC_LIST)
            .proposed_new(
                r#"{"l":{"type":["tuple",[["object",{"x":"string","c":"string"}]]],"value":{"$unknown":true}}}"#,
                r#"{"l":{"type":["tuple",[["object",{"x":"string","c":"string"}],["object",{"x":"string","c":"string"}]]],
                    "value":[{"x":"1","c":null},{"x":"2","c":null}]}}"#,
            )
            .is_refused("M17", ".l[1]");
    }

    #[test]
    fn m18_values_without_keys_are_refused() {
        let object = r#"{"m":{"type":["object",{"a":["object",{"x":"string","c":"string"}]}],"value":{"a":{"x":"1","c":null}}}}"#;
        for other in [
            r#"{"m":{"type":"string","value":"a"}}"#,
            r#"{"m":{"type":["list","string"],"value":["a"]}}"#,
            r#"{"m":{"type":["tuple",[["object",{"x":"string","c":"string"}]]],"value":[{"x":"1","c":null}]}}"#,
        ] {
            check_blocks(DYNAMIC_MAP).proposed_new(object, other).is_refused("M18", ".m");
        }
    }

    #[test]
    fn m02_attributes_that_the_block_does_not_have_are_dropped() {
        check_blocks(DYNAMIC_LIST)
            .proposed_new(
                r#"{"l":{"type":["tuple",[["object",{"x":"string","c":"string"}]]],"value":[{"x":"1","c":"7"}]}}"#,
                r#"{"l":{"type":["tuple",[["object",{"x":"string","c":"string","z":"string"}]]],
                    "value":[{"x":"2","c":null,"z":"3"}]}}"#,
            )
            .is(r#"{"l":{"type":["tuple",[["object",{"x":"string","c":"string"}]]],"value":[{"x":"2","c":"7"}]}}"#);
    }
}
