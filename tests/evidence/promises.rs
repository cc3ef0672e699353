//! Promises of well-behaved providers are checked in fair scenarios, and in those only.

use planfuzz::case::{Call, Case, CaseFile, Task};
use planfuzz::compare::{Answers, Finding, Judge, Summary};
use planfuzz::scenario::{Obligation, Promises, Scenario};
use planfuzz::subject::{InProcess, Outcome, Shown, Subject as _};
use planfuzz_core::json::Json;
use planfuzz_pipelines::well_behaved::breaches;
use planfuzz_reference::Reference;

const STRING: &str = r#""a":{"type":"string","optional":true},"c":{"type":"string","computed":true}"#;

/// A case of a framework provider with these attributes and members.
fn framework(attributes: &str, more: &str, steps: &str) -> Case {
    read(&format!(
        r#"{{"format":1,"dialect":"terraform-1.11","op":"scenario","schema":{{"version":0,"block":{{"attributes":{{{attributes}}}}}}},
        "model":{{"style":"framework"{more}}},"steps":[{steps}]}}"#
    ))
}

/// A case of a provider of the SDK with these fields and members.
fn sdk(fields: &str, more: &str, steps: &str) -> Case {
    read(&format!(
        r#"{{"format":1,"dialect":"terraform-1.11","op":"scenario","sdk_schema":{{{fields}}},"model":{{"style":"sdk"{more}}},"steps":[{steps}]}}"#
    ))
}

fn read(document: &str) -> Case {
    let json = Json::parse(document).unwrap_or_else(|problem| panic!("{problem}: {document}"));
    CaseFile::from_json(&json).unwrap_or_else(|problem| panic!("{problem}: {document}")).case
}

fn scenario(case: &Case) -> &Scenario {
    match &case.task {
        Task::Call(Call::Scenario(scenario)) => scenario,
        other => panic!("{other:?}"),
    }
}

fn played(case: &Case) -> Vec<Outcome> {
    InProcess::new(Reference).answer(std::slice::from_ref(case)).remove(0)
}

/// The findings if these outcomes are taken for the answers to a case.
fn found(outcomes: &[Outcome], case: &Case) -> Vec<Finding> {
    let answers = Answers { subject: "reference", outcomes, shown: Shown::Whole, is_of_shared_code: false };
    Judge::default().judge(case, &[answers], &mut Summary::default())
}

fn apply(config: &str) -> String {
    format!(r#"{{"command":"apply","presence":{{"config":{config}}}}}"#)
}

fn late(config: &str, at_apply: &str) -> String {
    format!(r#"{{"command":"apply","presence":{{"config":{config}}},"at_apply":{{"config":{at_apply}}}}}"#)
}

#[test]
fn a_breach_of_a_well_behaved_provider_is_a_finding() {
    let step = apply(r#"{"a":"x","c":null}"#);
    let faulty = framework(STRING, r#","faults":[{"fault":"apply_change_known","at":"a"}]"#, &step);
    assert!(found(&played(&faulty), &faulty).is_empty(), "a provider with a fault promises nothing");
    let honest = framework(STRING, "", &step);
    assert!(found(&played(&honest), &honest).is_empty());
    let found = found(&played(&faulty), &honest);
    let signatures: Vec<String> = found.iter().map(|found| found.signature.to_string()).collect();
    assert_eq!(signatures, ["scenario rule_broken:I24 attribute provider"]);
}

#[track_caller]
fn fair(case: &Case, want: bool) {
    let scenario = scenario(case);
    assert_eq!(Promises::of(&scenario.model).standing, Obligation::Held, "{:?}", breaches(&scenario.model));
    assert_eq!(scenario.is_fair(case.dialect), want);
}

#[test]
fn ws1_ws2_applied_configurations_are_the_planned_ones() {
    let (open, x, y) = (r#"{"a":{"$unknown":true},"c":null}"#, r#"{"a":"x","c":null}"#, r#"{"a":"y","c":null}"#);
    fair(&framework(STRING, "", &late(open, x)), true);
    fair(&framework(STRING, "", &apply(open)), false);
    fair(&framework(STRING, "", &late(x, y)), false);
    let refined = r#"{"a":{"$unknown":{"string_prefix":"x"}},"c":null}"#;
    fair(&framework(STRING, "", &late(refined, x)), true);
    fair(&framework(STRING, "", &late(refined, y)), false);
}

#[test]
fn ws3_stored_objects_could_have_been_saved() {
    let secret = r#""w":{"type":"string","optional":true,"write_only":true}"#;
    let step = apply(r#"{"w":"s"}"#);
    let case = |value: &str| {
        let document = framework(secret, "", &step).to_json().to_compact();
        let state = format!(r#""state":{{"current":{{"value":{value}}}}},"steps""#);
        read(&document.replacen(r#""steps""#, &state, 1))
    };
    fair(&case(r#"{"w":null}"#), true);
    fair(&case(r#"{"w":"s"}"#), false);
}

#[test]
fn ws4_stored_objects_are_distinguished() {
    let case = |current: &str, deposed: &str| {
        let document = framework(STRING, "", &apply(r#"{"a":"x","c":null}"#)).to_json().to_compact();
        let state = format!(
            r#""state":{{"current":{{"value":{{"a":"x","c":"1"}}{current}}},"deposed":{{"dead0000":{{"value":{{"a":"x","c":"1"}}{deposed}}}}}}},"steps""#
        );
        read(&document.replacen(r#""steps""#, &state, 1))
    };
    // r2/apply/0 and r1/apply/0.
    let (second, first) = (r#","private":"cjIvYXBwbHkvMA==""#, r#","private":"cjEvYXBwbHkvMA==""#);
    fair(&case(second, first), true);
    fair(&case(first, first), false);
    fair(&case("", ""), false);
}

#[test]
fn ws5_ws6_ws8_values_below_an_unknown_are_lost() {
    let any = r#""a":{"type":"dynamic","optional":true}"#;
    let plan = |config: &str| format!(r#"{{"command":"plan","presence":{{"config":{config}}}}}"#);
    fair(&framework(any, "", &plan(r#"{"a":{"$unknown":true}}"#)), true);
    fair(&framework(any, "", &plan(r#"{"a":{"type":"string","value":{"$unknown":true}}}"#)), false);
    let list = |flags: &str| {
        format!(
            r#""l":{{"optional":true,"nested_type":{{"nesting_mode":"list","attributes":{{"x":{{"type":"string","optional":true{flags}}}}}}}}}"#
        )
    };
    let (secret, plain) = (list(r#","write_only":true"#), list(""));
    let (whole, inside, known) =
        (r#"{"l":[{"$unknown":true}]}"#, r#"{"l":[{"x":{"$unknown":true}}]}"#, r#"{"l":[{"x":"1"}]}"#);
    fair(&framework(&secret, "", &late(whole, known)), false);
    fair(&framework(&secret, "", &late(inside, known)), true);
    fair(&framework(&plain, "", &late(whole, known)), true);
    fair(&framework(&plain, "", &late(whole, r#"{"l":[null]}"#)), false);
}

#[test]
fn ws7_conditional_customisation_is_about_what_is_known() {
    let fields = r#""a":{"type":"string","optional":true}"#;
    let customised = r#","customize_diff":[{"when":[{"changed":"a"},{"force_new":"a"}]}]"#;
    let step = late(r#"{"a":{"$unknown":true},"id":null}"#, r#"{"a":"x","id":null}"#);
    fair(&sdk(fields, "", &step), true);
    fair(&sdk(fields, customised, &step), false);
    fair(&sdk(fields, customised, &apply(r#"{"a":"x","id":null}"#)), true);
}

#[test]
fn ws10_the_sdk_knows_what_is_inside_a_block() {
    let fields = r#""b":{"type":"list","optional":true,"elem":{"resource":{"l":{"type":"list","elem":{"type":"string"},"optional":true}}}}"#;
    let inside = |l: &str| format!(r#"{{"b":[{{"l":{l}}}],"id":null}}"#);
    fair(&sdk(fields, "", &late(&inside(r#"{"$unknown":true}"#), &inside(r#"["x"]"#))), false);
    fair(&sdk(fields, "", &late(&inside(r#"[{"$unknown":true}]"#), &inside(r#"["x"]"#))), false);
    fair(&sdk(fields, "", &late(r#"{"b":{"$unknown":true},"id":null}"#, &inside(r#"["x"]"#))), true);
}
