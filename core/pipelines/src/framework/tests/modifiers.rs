//! Steps 6 and 7 of a plan.

use super::*;
use crate::rules::Mod;

/// `n` of a mode, with `a` optional and `c` computed; and `id`, computed.
fn nested(mode: &str) -> String {
    format!(
        r#"{{"attributes":{{"id":{{"type":"string","computed":true}},
            "n":{{"nested_type":{{"nesting_mode":"{mode}","attributes":{{
            "a":{{"type":"string","optional":true}},"c":{{"type":"string","computed":true}}}}}},"optional":true}}}}}}"#
    )
}

/// The same as blocks.
fn blocks(mode: &str) -> String {
    format!(
        r#"{{"attributes":{{"id":{{"type":"string","computed":true}}}},
            "block_types":{{"n":{{"nesting_mode":"{mode}","block":{{"attributes":{{
            "a":{{"type":"string","optional":true}},"c":{{"type":"string","computed":true}}}}}}}}}}}}"#
    )
}

fn of(elements: &[(&str, &str)]) -> String {
    let text = |text: &str| match text {
        "-" => "null".to_owned(),
        "?" => r#"{"$unknown":true}"#.to_owned(),
        other => format!("{other:?}"),
    };
    let elements = elements.iter().map(|(a, c)| format!(r#"{{"a":{},"c":{}}}"#, text(a), text(c)));
    format!(r#"{{"id":"i","n":[{}]}}"#, elements.collect::<Vec<_>>().join(","))
}

const LEAVES: &str = r#"{"attributes":{"a":{"type":"string","optional":true},
    "b":{"type":"string","optional":true,"computed":true},"n":{"type":"number","optional":true}}}"#;

#[test]
fn f50_modifiers_do_not_see_changes_of_others() {
    let rules = r#"{"a":{"plan":[{"set":{"const":"new"}}]},"b":{"plan":[{"set":{"root":["plan",["a"]]}}]}}"#;
    let config = r#"{"a":"old","b":"x","n":null}"#;
    provider(LEAVES, rules).plans("null", config, config, r#"{"a":"new","b":"old","n":null}"#, &[]);
}

#[test]
fn f52_each_modifier_sees_the_value_left_by_the_one_before() {
    let rules = r#"{"a":{"plan":["requires_replace",{"set":{"this":"prior"}},
        {"set":{"concat":[{"this":"plan"},{"this":"config"}]}}]}}"#;
    let (prior, config) = (r#"{"a":"x","b":"b","n":null}"#, r#"{"a":"y","b":"b","n":null}"#);
    provider(LEAVES, rules).plans(prior, config, config, r#"{"a":"xy","b":"b","n":null}"#, &[".a"]);
}

#[test]
fn f53_the_first_error_ends_its_attribute_and_the_plan() {
    let rules = r#"{"a":{"plan":[{"error_if":{"eq":[{"this":"plan"},{"const":"x"}]}}]}}"#;
    let failing = provider(LEAVES, rules);
    failing.fails("null", r#"{"a":"x","b":"b","n":null}"#, r#"{"a":"x","b":"b","n":null}"#, "F53", ".a");
    let unknown = r#"{"a":{"$unknown":true},"b":"b","n":null}"#;
    failing.plans("null", unknown, unknown, unknown, &[]);
}

#[test]
fn f54_nothing_is_processed_inside_unknowns() {
    let rules = r#"{"n":{"plan":[{"set":"unknown"}]},"n.a":{"plan":["requires_replace"]}}"#;
    let (prior, config) = (of(&[("x", "1")]), of(&[("y", "-")]));
    let want = r#"{"id":"i","n":{"$unknown":true}}"#;
    provider(&nested("list"), rules).plans(&prior, &config, &of(&[("y", "1")]), want, &[]);
}

#[test]
fn f55_elements_of_a_set_are_paired_by_position() {
    let rules = r#"{"n.c":{"plan":["use_state_for_unknown"]}}"#;
    // "b" has the position in the plan that "c" has in prior.
    let prior = of(&[("a", "1"), ("c", "3")]);
    let config = of(&[("a", "-"), ("b", "-")]);
    let proposed = of(&[("a", "-"), ("b", "-")]);
    provider(&nested("set"), rules).plans(&prior, &config, &proposed, &of(&[("a", "1"), ("b", "3")]), &[]);
    // If there is no element at the position, the child's prior is null (F56).
    let longer = of(&[("a", "-"), ("b", "-"), ("c", "-")]);
    let want = of(&[("a", "1"), ("b", "3"), ("c", "-")]);
    provider(&nested("set"), rules).plans(&prior, &longer, &longer, &want, &[]);
}

#[test]
fn f55_elements_of_a_map_are_paired_by_key() {
    let map = |text: &str| format!(r#"{{"id":"i","n":{{{text}}}}}"#);
    let rules = r#"{"n.c":{"plan":["use_state_for_unknown","requires_replace"]}}"#;
    let prior = map(r#""a":{"a":"x","c":"1"},"c":{"a":"x","c":"3"}"#);
    let config = map(r#""b":{"a":"x","c":null},"c":{"a":"y","c":null}"#);
    let want = map(r#""b":{"a":"x","c":null},"c":{"a":"y","c":"3"}"#);
    provider(&nested("map"), rules).plans(&prior, &config, &config, &want, &[]);
}

#[test]
fn f57_element_modifiers_run_before_the_children() {
    let rules = r#"{"n":{"element_plan":["requires_replace",{"set":{"const":{"a":"e","c":null}}}]},
        "n.a":{"plan":[{"set":{"concat":[{"this":"plan"},{"const":"!"}]}}]}}"#;
    let (prior, config) = (of(&[("x", "1")]), of(&[("y", "-")]));
    for (schema, path) in [(nested("list"), ".n[0]"), (blocks("list"), ".n[0]"), (nested("set"), ".n")] {
        provider(&schema, rules).plans(&prior, &config, &config, &of(&[("e!", "-")]), &[path]);
    }
}

#[test]
fn f58_a_null_block_becomes_known_again() {
    let rules = r#"{"n":{"element_plan":[{"set":"null"}]},"n.a":{"plan":[{"set":{"const":"z"}}]}}"#;
    let config = of(&[("x", "-")]);
    provider(&blocks("list"), rules).plans("null", &config, &config, &of(&[("z", "-")]), &[]);
    let null = r#"{"id":"i","n":[null]}"#;
    provider(&nested("list"), rules).plans("null", &config, &config, null, &[]);
    let unknown = rules.replace("\"null\"", "\"unknown\"");
    provider(&blocks("list"), &unknown).plans("null", &config, &config, &of(&[("z", "?")]), &[]);
}

#[test]
fn f59_a_parent_that_swaps_its_list_pairs_the_children_anew() {
    let rules = r#"{"n":{"plan":[{"set":{"this":"prior"}}]},"n.a":{"plan":["requires_replace_if_configured"]}}"#;
    let (prior, config) = (of(&[("x", "1"), ("y", "2")]), of(&[("z", "-")]));
    provider(&nested("list"), rules).plans(&prior, &config, &config, &prior, &[]);
}

#[test]
fn f07_f60_paths_end_at_sets_and_come_once() {
    let rules = r#"{"n":{"plan":["requires_replace"]},"n.a":{"plan":["requires_replace","requires_replace"]}}"#;
    let (prior, config) = (of(&[("a", "1"), ("b", "2")]), of(&[("c", "1"), ("d", "2")]));
    for (mode, paths) in [("set", vec![".n"]), ("list", vec![".n", ".n[0].a", ".n[1].a"])] {
        let planned = provider(&nested(mode), rules).plan(&prior, &config, &config).expect("a plan");
        let got: Vec<String> = planned.requires_replace.iter().map(WrittenPath::to_string).collect();
        assert_eq!(got, paths);
    }
}

#[test]
fn f63_equal_elements_are_an_error_at_the_top_only() {
    let block = r#"{"attributes":{"n":{"nested_type":{"nesting_mode":"set","attributes":{
        "a":{"type":"string","optional":true,"computed":true}}},"optional":true}}}"#;
    let config = r#"{"n":[{"a":"d"},{"a":null}]}"#;
    provider(block, r#"{"n.a":{"default":"d"}}"#).fails("null", config, config, "F63", ".n");
    let block = r#"{"attributes":{"o":{"nested_type":{"nesting_mode":"single","attributes":{
        "n":{"nested_type":{"nesting_mode":"set","attributes":{
        "a":{"type":"string","optional":true,"computed":true}}},"optional":true}}},"optional":true}}}"#;
    let config = format!(r#"{{"o":{config}}}"#);
    // F06: as a set again, the two are one element.
    let inside = provider(block, r#"{"o.n.a":{"default":"d"}}"#);
    inside.plans("null", &config, &config, r#"{"o":{"n":[{"a":"d"}]}}"#, &[]);
}

#[test]
fn f70_to_f74_the_built_in_modifiers() {
    let text = |text: &str| Value::from_json(&json(text), &Type::String).expect("a value");
    let run = |modifier: &str, config: &str, state: &str, plan: &str| {
        let modifier = Mod::from_json(&json(modifier), &Type::String).expect("a modifier");
        let (config, state, plan) = (text(config), text(state), text(plan));
        let request = ModifierRequest {
            ty: &Type::String,
            config: &config,
            plan: &plan,
            state: &state,
            state_null: false,
            plan_null: false,
        };
        let modified = modify(&modifier, request).expect("values of the type");
        (modified.plan.to_json(&Type::String).to_compact(), modified.requires_replace)
    };
    let unknown = r#"{"$unknown":true}"#;
    let same = |text: &str| (text.to_owned(), false);
    assert_eq!(run(r#""use_state_for_unknown""#, "null", r#""s""#, unknown), same(r#""s""#));
    assert_eq!(run(r#""use_state_for_unknown""#, "null", "null", unknown), same("null"));
    assert_eq!(run(r#""use_state_for_unknown""#, unknown, r#""s""#, unknown), same(unknown));
    assert_eq!(run(r#""use_non_null_state_for_unknown""#, "null", "null", unknown), same(unknown));
    let raised = |text: &str| (text.to_owned(), true);
    assert_eq!(run(r#""requires_replace""#, "null", r#""s""#, unknown), raised(unknown));
    assert_eq!(run(r#""requires_replace""#, "null", r#""s""#, r#""s""#), same(r#""s""#));
    assert_eq!(run(r#""requires_replace_if_configured""#, "null", r#""s""#, unknown), same(unknown));
    assert_eq!(run(r#""requires_replace_if_configured""#, unknown, r#""s""#, unknown), raised(unknown));
    let changed = r#"{"requires_replace_if":{"eq":[{"this":"plan"},{"const":"t"}]}}"#;
    assert_eq!(run(changed, "null", r#""s""#, r#""t""#), raised(r#""t""#));
    assert_eq!(run(changed, "null", r#""s""#, r#""u""#), same(r#""u""#));
    // An unknown condition raises, so that knowing it later can only withdraw the request.
    assert_eq!(run(changed, "null", r#""s""#, unknown), raised(unknown));
    assert_eq!(run(r#"{"keep_state_if":"case"}"#, r#""S""#, r#""s""#, r#""S""#), same(r#""s""#));
}

#[test]
fn f75_a_dynamic_is_looked_into_but_not_by_f71() {
    let value = |text: &str| Value::from_json(&json(text), &Type::Dynamic).expect("a value");
    let typed = value(r#"{"type":"string","value":{"$unknown":true}}"#);
    let state = value(r#"{"type":"string","value":"s"}"#);
    let null = value(r#"{"type":"string","value":null}"#);
    let untyped = Value::unknown(Type::Dynamic);
    let request = |config, plan| ModifierRequest {
        ty: &Type::Dynamic,
        config,
        plan,
        state: &state,
        state_null: false,
        plan_null: false,
    };
    let run = |modifier: &Mod, config, plan| modify(modifier, request(config, plan)).expect("values");
    assert_eq!(run(&Mod::UseStateForUnknown, &null, &typed).plan, state);
    assert_eq!(run(&Mod::UseNonNullStateForUnknown, &null, &typed).plan, Value::unknown(Type::Dynamic));
    assert_eq!(run(&Mod::UseNonNullStateForUnknown, &null, &untyped).plan, state);
    assert!(!run(&Mod::RequiresReplaceIfConfigured, &null, &typed).requires_replace);
}

#[test]
fn some_modifiers_only_act_on_unconfigured_attributes() {
    let rules = r#"{"b":{"plan":[{"default_if":[{"is_null":{"sibling":["config","a"]}},{"const":"d"}]},
        {"unknown_if":{"changed":{"sibling":["plan","n"]}}}]}}"#;
    let acting = provider(LEAVES, rules);
    let prior = r#"{"a":null,"b":"b","n":1}"#;
    let of = |a: &str, b: &str, n: &str| format!(r#"{{"a":{a},"b":{b},"n":{n}}}"#);
    let unknown = r#"{"$unknown":true}"#;
    acting.plans(prior, &of("null", "null", "1"), prior, &of("null", r#""d""#, "1"), &[]);
    acting.plans(prior, &of("null", r#""c""#, "2"), &of("null", r#""c""#, "2"), &of("null", r#""c""#, "2"), &[]);
    acting.plans(prior, &of("null", "null", "2"), &of("null", r#""b""#, "2"), &of("null", unknown, "2"), &[]);
    // An unknown condition gives an unknown value.
    acting.plans(prior, &of(unknown, "null", "1"), &of(unknown, r#""b""#, "1"), &of(unknown, unknown, "1"), &[]);
}

#[test]
fn f80_f81_resource_level_rules_run_in_order_on_the_current_plan() {
    let rules = r#"[{"set":["a",{"const":"x"}]},{"default":["b",{"eq":[{"root":["plan",["a"]]},{"const":"x"}]},
        {"const":"d"}]},{"replace_if":["a",true]},{"replace_if":["n",true]},{"requires_replace":"nope"},
        {"requires_replace":".n[<set element>].x"},{"when":[{"op":"create"},{"error_if":true}]}]"#;
    let acting = provider_with_plan(LEAVES, "{}", rules);
    let prior = r#"{"a":"p","b":"b","n":1}"#;
    let config = r#"{"a":"c","b":null,"n":1}"#;
    let want = r#"{"a":"x","b":"d","n":1}"#;
    acting.plans(prior, config, config, want, &[".a", ".n", ".nope"]);
    acting.fails("null", config, config, "F81", "");
    // On a destroy, rules that need a configuration do not act.
    acting.fails(prior, "null", "null", "F85", "");
}

#[test]
fn f82_setting_an_attribute_of_nothing_makes_an_object() {
    let block = r#"{"attributes":{"a":{"type":"string","optional":true},"s":{"type":["set","string"],"optional":true}},
        "block_types":{"b":{"nesting_mode":"list","block":{}}}}"#;
    let rules = r#"[{"set_all":"null"},{"set":["a",{"const":"x"}]}]"#;
    let config = r#"{"a":"c","b":[],"s":["y"]}"#;
    provider_with_plan(block, "{}", rules).plans("null", config, config, r#"{"a":"x","b":[],"s":null}"#, &[]);
}
