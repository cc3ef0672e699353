//! Steps 1 to 5 and 8 of a plan.

use super::*;

const ID: &str = r#"{"attributes":{"a":{"type":"string","optional":true},
    "d":{"type":"string","optional":true,"computed":true},"id":{"type":"string","computed":true}}}"#;

/// A nested attribute `n` of a mode, with `a` optional, `b` optional and computed, `c` computed.
fn nested(mode: &str, flags: &str) -> String {
    format!(
        r#"{{"attributes":{{"n":{{"nested_type":{{"nesting_mode":"{mode}","attributes":{{
            "a":{{"type":"string","optional":true}},"b":{{"type":"string","optional":true,"computed":true}},
            "c":{{"type":"string","computed":true}}}}}},{flags}}}}}}}"#
    )
}

const OPTIONAL: &str = r#""optional":true"#;

#[test]
fn f01_shapes_that_the_style_has_not_are_refused() {
    let refused = |block: &str, rules: &str| try_provider(block, rules, None).err().map(|problem| problem.rule);
    let attribute = |written: &str| format!(r#"{{"attributes":{{"a":{{{written},"optional":true}}}}}}"#);
    let block = |mode: &str| format!(r#"{{"block_types":{{"b":{{"nesting_mode":"{mode}","block":{{}}}}}}}}"#);
    for mode in ["group", "map"] {
        assert_eq!(refused(&block(mode), "{}"), Some("F01"), "{mode}");
    }
    for mode in ["single", "list", "set"] {
        assert_eq!(refused(&block(mode), "{}"), None, "{mode}");
    }
    assert_eq!(refused(&attribute(r#""type":["list","dynamic"]"#), "{}"), Some("F01"));
    assert_eq!(refused(&attribute(r#""type":["tuple",["string"]]"#), "{}"), Some("F01"));
    assert_eq!(refused(&attribute(r#""type":["object",{"x":"dynamic"}]"#), "{}"), None);
    assert_eq!(refused(&attribute(r#""type":"string","computed":true,"write_only":true"#), "{}"), Some("F01"));
    assert_eq!(refused(&attribute(r#""type":["set","string"],"write_only":true"#), "{}"), Some("F01"));
    let in_set = r#"{"block_types":{"b":{"nesting_mode":"set","block":{"attributes":{
        "a":{"type":"string","optional":true,"write_only":true}}}}}}"#;
    assert_eq!(refused(in_set, "{}"), Some("F01"));
    assert_eq!(refused(&block("single"), r#"{"b":{"element_plan":["requires_replace"]}}"#), Some("F57"));
    assert_eq!(refused(&block("list"), r#"{"b":{"default":[{}]}}"#), Some("F24"));
}

#[test]
fn f02_f03_empty_blocks_are_null_inside_and_empty_outside() {
    let block = r#"{"attributes":{"a":{"type":"string","optional":true},"l":{"type":["list","string"],"optional":true}},
        "block_types":{"b":{"nesting_mode":"list","block":{
        "block_types":{"s":{"nesting_mode":"set","block":{}}}}},"o":{"nesting_mode":"single","block":{}}}}"#;
    // A modifier sees an empty block as null, and an empty list attribute as it is.
    let rules = r#"{"b":{"plan":[{"error_if":{"not":{"is_null":{"this":"plan"}}}}]},
        "l":{"plan":[{"error_if":{"is_null":{"this":"plan"}}}]}}"#;
    let empty = r#"{"a":"x","b":[],"l":[],"o":null}"#;
    provider(block, rules).plans("null", empty, empty, empty, &[]);
    let inner = r#"{"a":"x","b":[{"s":[]}],"l":null,"o":null}"#;
    provider(block, "{}").plans("null", inner, inner, inner, &[]);
}

#[test]
fn f04_refinements_are_lost() {
    let refined = r#"{"a":{"$unknown":{"not_null":true}},"d":"x","id":null}"#;
    let want = r#"{"a":{"$unknown":true},"d":"x","id":{"$unknown":true}}"#;
    provider(ID, "{}").plans("null", refined, refined, want, &[]);
}

#[test]
fn f10_a_create_knows_nothing_that_is_computed() {
    let want = r#"{"a":"x","d":{"$unknown":true},"id":{"$unknown":true}}"#;
    let config = r#"{"a":"x","d":null,"id":null}"#;
    provider(ID, "{}").plans("null", config, config, want, &[]);
}

#[test]
fn f11_an_unknown_in_a_dynamic_leaves_without_a_type() {
    let block = r#"{"attributes":{"d":{"type":"dynamic","optional":true},
        "o":{"type":["object",{"p":"dynamic"}],"optional":true}}}"#;
    let typed = r#"{"type":"string","value":{"$unknown":true}}"#;
    let config = format!(r#"{{"d":{typed},"o":{{"p":{typed}}}}}"#);
    let want = r#"{"d":{"$unknown":true},"o":{"p":{"$unknown":true}}}"#;
    provider(block, "{}").plans("null", &config, &config, want, &[]);
}

#[test]
fn f20_a_default_replaces_any_proposed_value_if_nothing_is_configured() {
    let with_default = provider(ID, r#"{"d":{"default":"dd"}}"#);
    let prior = r#"{"a":"x","d":"old","id":"i"}"#;
    let config = r#"{"a":"x","d":null,"id":null}"#;
    with_default.plans(prior, config, prior, r#"{"a":"x","d":"dd","id":{"$unknown":true}}"#, &[]);
    let config = r#"{"a":"x","d":{"$unknown":true},"id":null}"#;
    let proposed = r#"{"a":"x","d":{"$unknown":true},"id":"i"}"#;
    with_default.plans(prior, config, proposed, r#"{"a":"x","d":{"$unknown":true},"id":{"$unknown":true}}"#, &[]);
}

#[test]
fn f22_an_outer_default_replaces_inner_ones() {
    let block = nested("single", r#""optional":true,"computed":true"#);
    let rules = r#"{"n":{"default":{"a":"A","b":"B","c":"C"}},"n.b":{"default":"inner"}}"#;
    // F45: the computed child without its own default is marked within the default of the whole.
    let want = r#"{"n":{"a":"A","b":"B","c":{"$unknown":true}}}"#;
    provider(&block, rules).plans("null", r#"{"n":null}"#, r#"{"n":null}"#, want, &[]);
}

#[test]
fn f23_an_inner_default_brings_no_parent_into_being() {
    let rules = r#"{"n.b":{"default":"inner"}}"#;
    let nested = provider(&nested("list", OPTIONAL), rules);
    nested.plans("null", r#"{"n":null}"#, r#"{"n":null}"#, r#"{"n":null}"#, &[]);
    let unknown = r#"{"n":{"$unknown":true}}"#;
    nested.plans("null", unknown, unknown, unknown, &[]);
}

#[test]
fn f25_a_typed_null_counts_as_null() {
    let block = r#"{"attributes":{"d":{"type":"dynamic","optional":true,"computed":true}}}"#;
    let rules = r#"{"d":{"default":{"type":"bool","value":true}}}"#;
    let config = r#"{"d":{"type":"string","value":null}}"#;
    provider(block, rules).plans("null", config, config, r#"{"d":{"type":"bool","value":true}}"#, &[]);
    provider(block, "{}").plans("null", config, config, r#"{"d":{"$unknown":true}}"#, &[]);
}

#[test]
fn f26_f44_a_null_default_is_a_default() {
    let config = r#"{"a":null,"d":null,"id":null}"#;
    let want = r#"{"a":null,"d":null,"id":{"$unknown":true}}"#;
    provider(ID, r#"{"d":{"default":null}}"#).plans("null", config, config, want, &[]);
}

#[test]
fn f27_f43_an_element_that_core_completed_is_not_found_in_the_configuration() {
    let rules = r#"{"n.b":{"default":"d"}}"#;
    let config = r#"{"n":[{"a":"x","b":"custom","c":null}]}"#;
    let proposed = r#"{"n":[{"a":"x","b":"custom","c":"id"}]}"#;
    let set = provider(&nested("set", OPTIONAL), rules);
    set.plans("null", config, proposed, r#"{"n":[{"a":"x","b":"d","c":"id"}]}"#, &[]);
    // In a list the configured element is found by position.
    let list = provider(&nested("list", OPTIONAL), rules);
    list.plans("null", config, proposed, r#"{"n":[{"a":"x","b":"custom","c":{"$unknown":true}}]}"#, &[]);
}

#[test]
fn f21_an_element_of_a_large_set_is_found_as_well() {
    let element = |index: usize| format!(r#"{{"a":"{index}","b":{{"$unknown":true}},"c":null}}"#);
    let of = |elements: Vec<String>| format!(r#"{{"n":[{}]}}"#, elements.join(","));
    let config = of((0..40).map(element).collect());
    let want = of((0..40).map(|index| element(index).replace("null", r#"{"$unknown":true}"#)).collect());
    provider(&nested("set", OPTIONAL), "{}").plans("null", &config, &config, &want, &[]);
}

#[test]
fn f28_an_element_that_is_unknown_as_a_whole_gets_known_defaults() {
    let rules = r#"{"n.b":{"default":"d"}}"#;
    let unknown = r#"{"a":{"$unknown":true},"b":{"$unknown":true},"c":{"$unknown":true}}"#;
    let want = r#"{"n":[{"a":{"$unknown":true},"b":"d","c":{"$unknown":true}}]}"#;
    let list = provider(&nested("list", OPTIONAL), rules);
    list.plans("null", r#"{"n":[{"$unknown":true}]}"#, &format!(r#"{{"n":[{unknown}]}}"#), want, &[]);
}

#[test]
fn f30_f31_a_write_only_value_becomes_null_of_its_own_type() {
    let block = r#"{"attributes":{"w":{"type":"string","optional":true,"write_only":true},
        "x":{"type":"dynamic","optional":true,"write_only":true},
        "n":{"nested_type":{"nesting_mode":"map","attributes":{"w":{"type":"string","optional":true,"write_only":true}}},
        "optional":true}}}"#;
    let config = r#"{"n":{"k":{"w":"s"}},"w":{"$unknown":true},"x":{"type":"string","value":null}}"#;
    let want = r#"{"n":{"k":{"w":null}},"w":null,"x":{"type":"string","value":null}}"#;
    provider(block, "{}").plans("null", config, config, want, &[]);
    let configured = provider(block, r#"{"w":{"plan":[{"error_if":{"is_null":{"this":"config"}}}]}}"#);
    configured.plans("null", config, config, want, &[]);
}

#[test]
fn f40_one_difference_opens_the_gate_for_the_whole_object() {
    let prior = r#"{"a":"x","d":"d","id":"i"}"#;
    let none = provider(ID, "{}");
    none.plans(prior, r#"{"a":"x","d":null,"id":null}"#, prior, prior, &[]);
    let want = r#"{"a":"y","d":{"$unknown":true},"id":{"$unknown":true}}"#;
    none.plans(prior, r#"{"a":"y","d":null,"id":null}"#, r#"{"a":"y","d":"d","id":"i"}"#, want, &[]);
}

#[test]
fn f42_the_deepest_value_that_was_reached_decides() {
    let missing = r#"{"n":[{"a":"x","b":null,"c":null}]}"#;
    let list = provider(&nested("list", OPTIONAL), "{}");
    // A missing position: the list itself, which is not null.
    list.plans("null", r#"{"n":[]}"#, missing, missing, &[]);
    // An unknown on the way.
    list.plans("null", r#"{"n":{"$unknown":true}}"#, missing, missing, &[]);
    // A null on the way.
    let marked = r#"{"n":[{"a":"x","b":{"$unknown":true},"c":{"$unknown":true}}]}"#;
    list.plans("null", r#"{"n":null}"#, missing, marked, &[]);
}

#[test]
fn f46_a_nested_attribute_that_is_not_configured_is_unknown_as_a_whole() {
    let block = nested("single", r#""optional":true,"computed":true"#);
    let prior = r#"{"n":{"a":"x","b":"y","c":"z"}}"#;
    provider(&block, "{}").plans("null", r#"{"n":null}"#, prior, r#"{"n":{"$unknown":true}}"#, &[]);
}

#[test]
fn f47_f48_blocks_and_plain_collections_are_not_marked() {
    let block = r#"{"attributes":{"l":{"type":["list","string"],"optional":true,"computed":true}},
        "block_types":{"b":{"nesting_mode":"single","block":{"attributes":{"c":{"type":"string","computed":true}}}}}}"#;
    let none = provider(block, "{}");
    none.plans("null", r#"{"b":null,"l":[null]}"#, r#"{"b":null,"l":[null]}"#, r#"{"b":null,"l":[null]}"#, &[]);
    let config = r#"{"b":{"c":null},"l":null}"#;
    none.plans("null", config, config, r#"{"b":{"c":{"$unknown":true}},"l":{"$unknown":true}}"#, &[]);
}

#[test]
fn f85_f93_a_destroy_plans_nothing() {
    let prior = r#"{"a":"x","d":"d","id":"i"}"#;
    provider(ID, r#"{"a":{"plan":[{"error_if":true}]}}"#).plans(prior, "null", "null", "null", &[]);
    let keeps = provider_with_plan(ID, "{}", r#"[{"set_all":{"root":["prior",[]]}}]"#);
    keeps.fails(prior, "null", "null", "F85", "");
}

#[test]
fn values_of_other_types_are_refused() {
    let provider = provider(ID, "{}");
    let (null, other) = (Value::null(provider.ty.clone()), Value::bool(true));
    for (prior, config, proposed) in [(&other, &null, &null), (&null, &other, &null), (&null, &null, &other)] {
        let plan = provider.program.plan(PlanRequest { prior, config, proposed });
        assert!(matches!(plan, Err(PlanError::Unfit(_))));
    }
}
