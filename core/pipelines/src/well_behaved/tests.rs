//! Models that miss one condition.

use crate::model::Model;
use planfuzz_core::json::Json;

fn breaches(document: &str) -> Vec<String> {
    let model = Model::from_document(&Json::parse(document).expect("json"))
        .unwrap_or_else(|error| panic!("{error}: {document}"));
    let breaches = super::breaches(&model);
    assert_eq!(super::is_well_behaved(&model), breaches.is_empty());
    let place = |breach: &super::Breach| breach.at.as_ref().map(|at| format!(" {at}")).unwrap_or_default();
    breaches.iter().map(|breach| format!("{}{}", breach.condition.id(), place(breach))).collect()
}

/// `a` optional, `oc` both, `c` computed, `w` write-only, with more attributes and members.
#[track_caller]
fn framework(attributes: &str, more: &str, want: &[&str]) {
    let document = format!(
        r#"{{"style":"framework","schema":{{"block":{{"attributes":{{"a":{{"type":"string","optional":true}},
        "oc":{{"type":"string","optional":true,"computed":true}},"c":{{"type":"string","computed":true}},
        "w":{{"type":"string","optional":true,"write_only":true}}{attributes}}}}}}}{more}}}"#
    );
    assert_eq!(breaches(&document), want, "{attributes} {more}");
}

fn rule(at: &str, rule: &str) -> String {
    format!(r#","rules":{{"{at}":{{{rule}}}}}"#)
}

fn nested(mode: &str, flags: &str, attributes: &str) -> String {
    format!(r#","n":{{{flags},"nested_type":{{"nesting_mode":"{mode}","attributes":{{{attributes}}}}}}}"#)
}

const OPTIONAL: &str = r#""optional":true"#;
const BOTH: &str = r#""optional":true,"computed":true"#;
const KEY: &str = r#""k":{"type":"string","required":true}"#;

#[test]
fn models_without_behaviour_are_well_behaved() {
    framework("", "", &[]);
    framework(&nested("set", OPTIONAL, KEY), "", &[]);
    framework("", &rule("c", r#""plan":["use_state_for_unknown",{"unknown_if":{"changed":"a"}}]"#), &[]);
    framework("", r#","faults":[{"fault":"plan_null"}]"#, &["W0"]);
}

#[test]
fn w1_forced_values_are_breaches() {
    framework("", &rule("a", r#""plan":[{"set":{"const":"x"}}]"#), &["W1 a"]);
    framework("", r#","resource":{"plan":[{"set_all":"null"}]}"#, &["W1"]);
    framework("", r#","resource":{"plan":[{"when":[true,{"set":["a","null"]}]}]}"#, &["W1 a"]);
    framework(&nested("list", OPTIONAL, KEY), &rule("n", r#""element_plan":["use_state_for_unknown"]"#), &["W1 n"]);
}

#[test]
fn w2_sets() {
    framework(&nested("set", OPTIONAL, r#""k":{"type":"string","optional":true}"#), "", &["W2 n"]);
    framework(&nested("set", BOTH, KEY), "", &["W2 n", "W10 n"]);
    let with = |more: &str| nested("set", OPTIONAL, &format!("{KEY},{more}"));
    framework(&with(r#""x":{"type":"string","optional":true,"computed":true}"#), "", &["W2 n.x"]);
    framework(&with(r#""x":{"type":["set","string"],"computed":true}"#), "", &["W2 n.x"]);
    let computed = with(r#""x":{"type":"string","computed":true}"#);
    framework(&computed, "", &[]);
    let single = r#""x":{"type":"string","computed":true},"o":{"optional":true,"nested_type":{"nesting_mode":"single","attributes":{}}}"#;
    framework(&with(single), "", &["W2 n"]);
    framework(&computed, &rule("n.x", r#""plan":["use_state_for_unknown"]"#), &["W2 n.x"]);
}

#[test]
fn w3_defaults_of_nested_attributes() {
    let field = r#""x":{"type":"string","optional":true,"computed":true}"#;
    let default = rule("n.x", r#""default":"d""#);
    framework(&nested("single", OPTIONAL, field), &default, &[]);
    framework(&nested("list", OPTIONAL, field), &default, &["W3 n.x"]);
    framework(&nested("single", BOTH, field), &default, &["W3 n.x"]);
    framework(&nested("single", BOTH, field), &rule("n", r#""default":{"x":"d"}"#), &["W3 n"]);
}

#[test]
fn w4_defaults_from_configuration() {
    let default_if = |cond: &str, expr: &str| rule("oc", &format!(r#""plan":[{{"default_if":[{cond},{expr}]}}]"#));
    framework("", &default_if("true", r#"{"root":["config",["a"]]}"#), &[]);
    framework("", &default_if("true", r#"{"root":["plan",["a"]]}"#), &[]);
    framework("", &default_if("true", r#"{"root":["plan",["c"]]}"#), &["W4 oc"]);
    framework("", &default_if(r#"{"changed":"a"}"#, r#"{"const":"x"}"#), &["W4 oc"]);
    framework("", &default_if("true", r#"{"this":"prior"}"#), &["W4 oc"]);
    framework("", &default_if("true", r#""unknown""#), &["W4 oc"]);
    framework("", &rule("a", r#""plan":[{"default_if":[true,{"const":"x"}]}]"#), &["W4 a"]);
    framework("", &rule("oc", r#""default":"x","plan":["use_state_for_unknown"]"#), &["W4 oc"]);
    framework("", r#","resource":{"plan":[{"default":["oc",true,{"const":"x"}]}]}"#, &[]);
    let both = format!(
        r#"{},"resource":{{"plan":[{{"default":["oc",true,{{"const":"x"}}]}}]}}"#,
        rule("oc", r#""default":"y""#)
    );
    framework("", &both, &["W4 oc"]);
    let when = r#","resource":{"plan":[{"when":[{"is_null":{"root":["config",["a"]]}},{"default":["oc",true,{"const":"x"}]}]}]}"#;
    framework("", when, &["W4 oc"]);
}

#[test]
fn w5_values_become_unknown_only_on_a_change() {
    let unknown_if = |at: &str, cond: &str| rule(at, &format!(r#""plan":[{{"unknown_if":{cond}}}]"#));
    framework("", &unknown_if("c", r#"{"any":[{"changed":"a"},{"all":[true,{"changed":"w"}]}]}"#), &[]);
    framework("", &unknown_if("c", "true"), &["W5 c"]);
    framework("", &unknown_if("c", r#"{"not":{"changed":"a"}}"#), &["W5 c"]);
    framework("", &unknown_if("c", r#"{"changed":"oc"}"#), &["W5 c"]);
    framework("", &unknown_if("a", r#"{"changed":"w"}"#), &["W5 a"]);
}

#[test]
fn w6_w7_equivalences_and_forms() {
    framework("", &rule("a", r#""equal":"always""#), &["W6 a"]);
    framework("", &rule("a", r#""plan":[{"keep_state_if":"always"}]"#), &["W6 a"]);
    let list = r#","l":{"type":["list","string"],"optional":true}"#;
    framework(list, &rule("l", r#""plan":[{"keep_state_if":"unordered"}]"#), &["W6 l"]);
    framework("", &rule("a", r#""remote_form":"lower""#), &["W7 a"]);
    framework("", &rule("a", r#""remote_form":"lower","equal":"trim""#), &["W7 a"]);
    framework("", &rule("a", r#""remote_form":"lower","equal":"case""#), &[]);
    let inside = nested("set", OPTIONAL, KEY);
    framework(&inside, &rule("n.k", r#""remote_form":"lower","equal":"case""#), &["W7 n.k"]);
}

#[test]
fn w8_generators_depend_on_given_values() {
    framework("", &rule("c", r#""computed":{"copy":{"root":["plan",["a"]]}}"#), &[]);
    framework("", &rule("c", r#""computed":{"copy":{"root":["plan",["oc"]]}}"#), &["W8 c"]);
    framework("", &rule("c", r#""computed":{"hash":[{"sibling":["prior","a"]}]}"#), &["W8 c"]);
}

#[test]
fn w9_replacement() {
    framework("", &rule("a", r#""plan":["requires_replace"]"#), &[]);
    framework("", &rule("oc", r#""plan":["requires_replace"]"#), &["W9 oc"]);
    framework("", &rule("oc", r#""plan":["use_state_for_unknown","requires_replace"]"#), &[]);
    let cond = |cond: &str| rule("a", &format!(r#""plan":[{{"requires_replace_if":{cond}}}]"#));
    framework("", &cond(r#"{"eq":[{"this":"plan"},{"const":"x"}]}"#), &[]);
    framework("", &cond(r#"{"not":{"is_unknown":{"this":"plan"}}}"#), &["W9 a"]);
    framework(&nested("single", OPTIONAL, KEY), &rule("n.k", r#""plan":["requires_replace"]"#), &["W9 n.k"]);
    framework("", r#","resource":{"plan":[{"requires_replace":"a"},{"replace_if":["a",true]}]}"#, &[]);
    framework("", r#","resource":{"plan":[{"requires_replace":"nope"}]}"#, &["W9 nope"]);
}

#[test]
fn w10_w11_nested_and_write_only() {
    let with = |flags: &str| nested("single", BOTH, &format!(r#""x":{{"type":"string",{flags}}}"#));
    framework(&with(OPTIONAL), "", &["W10 n"]);
    framework(&with(BOTH), "", &[]);
    framework("", &rule("w", r#""plan":["requires_replace"]"#), &["W11 w"]);
}

#[test]
fn w12_checks_that_settle() {
    let check = |cond: &str| rule("a", &format!(r#""validate":[{{"error_if":{cond}}}]"#));
    framework("", &check(r#"{"is_null":{"this":"config"}}"#), &[]);
    framework("", &check(r#"{"partly_unknown":{"this":"config"}}"#), &["W12 a"]);
    framework(
        "",
        r#","resource":{"validate":[{"error_if":{"not":{"is_unknown":{"root":["config",["a"]]}}}}]}"#,
        &["W12"],
    );
}

#[track_caller]
fn sdk(fields: &str, more: &str, want: &[&str]) {
    let document = format!(
        r#"{{"style":"sdk","sdk_schema":{{"a":{{"type":"string","optional":true}},"c":{{"type":"string","computed":true}}{fields}}}{more}}}"#
    );
    assert_eq!(breaches(&document), want, "{fields} {more}");
}

#[test]
fn the_conditions_of_the_sdk() {
    let block = |ty: &str, fields: &str| {
        format!(r#","b":{{"type":"{ty}","optional":true,"elem":{{"resource":{{{fields}}}}}}}"#)
    };
    sdk("", "", &[]);
    sdk(&block("list", r#""k":{"type":"string","required":true}"#), "", &[]);
    sdk(&block("list", r#""k":{"type":"string","optional":true}"#), "", &["Z157 b.k"]);
    sdk(&block("list", r#""k":{"type":"string","optional":true,"default":"d"}"#), "", &[]);
    sdk(&block("set", r#""k":{"type":"string","optional":true,"default":"d"}"#), "", &["Z33 b"]);
    sdk(&block("set", r#""k":{"type":"string","required":true},"c":{"type":"int","computed":true}"#), "", &["Z33 b.c"]);
    sdk(r#","s":{"type":"set","elem":{"type":"string"},"optional":true,"computed":true}"#, "", &["Z156 s"]);
    let lost = r#""s":{"type":"set","optional":true,"config_mode":"attr","elem":{"resource":{"k":{"type":"string","required":true}}}}"#;
    sdk(&block("list", lost), "", &["Z85 b.s"]);
    sdk(
        r#","l":{"type":"list","elem":{"type":"string"},"computed":true}"#,
        &rule("l", r#""computed":"null""#),
        &["Z160 l"],
    );
    sdk(r#","l":{"type":"list","elem":{"type":"string"},"computed":true}"#, "", &[]);
    sdk(r#","f":{"type":"string","optional":true,"state_func":"lower"}"#, "", &["Z151 f"]);
    sdk(r#","f":{"type":"string","optional":true,"state_func":"lower"}"#, &rule("f", r#""remote_form":"lower""#), &[]);
    sdk(r#","f":{"type":"string","optional":true,"diff_suppress":"always"}"#, "", &["Z152 f"]);
    let suppressed = r#","f":{"type":"string","optional":true,"diff_suppress":"case"}"#;
    sdk(suppressed, "", &[]);
    sdk(suppressed, &rule("f", r#""remote_form":"lower""#), &["Z152 f"]);
    sdk("", r#","customize_diff":[{"set_new":["c",{"root":["config",["a"]]}]}]"#, &["Z71 c"]);
    sdk("", r#","customize_diff":[{"set_new":["c",{"const":""}]}]"#, &["Z71 c"]);
    sdk("", r#","customize_diff":[{"set_new":["c",{"hash":[{"root":["config",["a"]]}]}]}]"#, &[]);
    let forced = r#""k":{"type":"string","required":true,"force_new":true}"#;
    sdk(&block("list", forced), "", &["Z55 b.k"]);
    sdk(&block("list", r#""m":{"type":"map","elem":{"type":"string"},"optional":true}"#), "", &["Z51 b.m"]);
    let collected =
        r#""k":{"type":"string","required":true},"l":{"type":"list","elem":{"type":"string"},"optional":true}"#;
    sdk(&block("list", collected), "", &[]);
    sdk(&block("set", collected), "", &["Z51 b.l"]);
    let suppressed_inside = r#""k":{"type":"string","required":true,"diff_suppress":"case"}"#;
    sdk(&block("set", suppressed_inside), "", &["Z152 b.k"]);
    sdk("", r#","customize_diff":[{"when":[true,{"set_new":["c",{"root":["prior",["a"]]}]}]}]"#, &["Z71 c"]);
    sdk(
        r#","s":{"type":"set","elem":{"type":"string"},"computed":true}"#,
        r#","customize_diff":[{"set_new_computed":"s"}]"#,
        &["W5 s", "Z75 s"],
    );
    sdk("", r#","customize_diff":[{"set_new_computed":"c"}]"#, &["W5 c"]);
    sdk("", r#","customize_diff":[{"when":[{"changed":"a"},{"set_new_computed":"c"}]}]"#, &[]);
    sdk("", &rule("id", r#""computed":{"const":""}"#), &["Z135 id"]);
    sdk("", &rule("c", r#""computed":{"copy":{"root":["prior",["a"]]}}"#), &["W8 c"]);
}
