//! Each check finds a fault that is planted, and is silent where there is none.

mod plan_file;
mod plan_json;
mod state_file;

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::json::Json;

use super::*;
use crate::artifact::Kind;

/// The schemas of the resources in these tests. None of the legacy SDK has a nested type.
const SCHEMAS: &str = r#"{"format_version": "1.0", "provider_schemas": {"registry.terraform.io/hashicorp/t": {
    "resource_schemas": {"t_a": {"version": 1, "block": {
        "attributes": {
            "id": {"type": "string", "computed": true},
            "n": {"optional": true, "nested_type": {"nesting_mode": "single", "attributes": {
                "x": {"type": "string", "optional": true}}}},
            "name": {"type": "string", "optional": true},
            "req": {"type": "string", "required": true},
            "secret": {"type": ["map", "string"], "optional": true, "sensitive": true},
            "wo": {"type": "string", "optional": true, "write_only": true}},
        "block_types": {"blk": {"nesting_mode": "list", "min_items": 1, "max_items": 2, "block": {
            "attributes": {"v": {"type": "string", "optional": true}}}}}}}},
    "data_source_schemas": {"d_a": {"version": 0, "block": {"attributes": {
        "id": {"type": "string", "computed": true}, "q": {"type": "string", "optional": true}}}}}}}}"#;

fn given() -> Catalogue {
    let mut given = Catalogue::default();
    given.add("schemas.json", &Json::parse(SCHEMAS).expect("JSON")).expect("schemas");
    given
}

fn lint_bytes(bytes: &[u8]) -> Report {
    lint(&Artifact::read(bytes, None).expect("an artifact"), &given())
}

/// The ids of the checks with findings.
fn found(report: &Report) -> BTreeSet<&'static str> {
    report.findings.iter().map(|finding| finding.check).collect()
}

fn texts(report: &Report) -> Vec<String> {
    let text = |it: &LintFinding| format!("{}: {}", it.signature(), it.message);
    report.findings.iter().map(text).collect()
}

/// Puts a value at a path of names and indexes, separated by dots, or removes what is there.
fn plant(json: &mut Json, path: &str, value: Option<&str>) {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let value_of = |text: &str| Json::parse(text).expect("JSON");
    match (json, rest) {
        (Json::Array(items), Some(rest)) => plant(&mut items[step.parse::<usize>().expect("an index")], rest, value),
        (Json::Array(items), None) => {
            let at: usize = step.parse().expect("an index");
            match value {
                None => drop(items.remove(at)),
                Some(text) if at == items.len() => items.push(value_of(text)),
                Some(text) => items[at] = value_of(text),
            }
        }
        (Json::Object(members), Some(rest)) => {
            let member = members.iter_mut().find(|(name, _)| **name == *step);
            plant(&mut member.unwrap_or_else(|| panic!("no {step}")).1, rest, value);
        }
        (Json::Object(members), None) => {
            members.retain(|(name, _)| **name != *step);
            members.extend(value.map(|text| (step.into(), value_of(text))));
        }
        (other, _) => panic!("{step} of {}", other.describe()),
    }
}

/// The report on a document with faults planted in it.
fn planted_in(document: &str, plants: &[(&str, Option<&str>)]) -> Report {
    let mut json = Json::parse(document).expect("JSON");
    for (path, value) in plants {
        plant(&mut json, path, *value);
    }
    lint_bytes(json.to_compact().as_bytes())
}

/// Asserts that each check finds the faults planted for it.
fn check_planted(document: &str, planted: &[Planted]) {
    let missed = planted.iter().filter_map(|(id, plants)| {
        let report = planted_in(document, plants);
        (!found(&report).contains(id)).then(|| format!("{id} does not find {plants:?}: {:#?}", texts(&report)))
    });
    let missed: Vec<String> = missed.collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// A check, and the values to plant at paths; `None` removes.
type Planted = (&'static str, &'static [(&'static str, Option<&'static str>)]);

#[test]
fn every_check_is_planted_on_some_kind() {
    let planted: BTreeSet<&str> =
        plan_json::planted().chain(state_file::planted()).chain(plan_file::planted()).collect();
    let all: BTreeSet<&str> = checks().map(|check| check.id).collect();
    assert_eq!(all.difference(&planted).collect::<Vec<_>>(), Vec::<&&str>::new(), "never planted");
    assert_eq!(planted.difference(&all).collect::<Vec<_>>(), Vec::<&&str>::new(), "no such check");
    assert_eq!(all.len(), checks().count(), "each id is there once");
}

#[test]
fn the_page_has_the_checks_that_there_are() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join("lint.md");
    let text = std::fs::read_to_string(path).expect("docs/lint.md");
    let page = page();
    assert!(text.contains(&page), "docs/lint.md has other tables than these:\n{page}");
}

#[test]
fn sensitive_values_are_not_reported() {
    let report = planted_in(
        plan_json::CLEAN,
        &[
            ("resource_changes.9.change.before.secret", Some(r#"{"hunter2": "hunter3"}"#)),
            ("resource_changes.6.change.replace_paths", Some(r#"[["secret", "hunter2"]]"#)),
            (
                "resource_changes.4.change.after_sensitive",
                Some(r#"{"blk": [{}], "n": {}, "secret": {"hunter4": true}}"#),
            ),
            ("prior_state.values.root_module.resources.0.values.wo", Some("\"hunter5\"")),
        ],
    );
    let none = BTreeMap::new();
    let files = [SarifFile { path: "plan.json", report: Ok(&report), allowed: &none }];
    let output = format!("{:#?} {}", texts(&report), sarif(&files).to_compact());
    assert!(!output.contains("hunter"), "{output}");
}

#[test]
fn sarif_has_the_required_members() {
    let report = planted_in(plan_json::CLEAN, &[("applyable", Some("false"))]);
    let allowed = BTreeMap::from([(0, "known".to_owned())]);
    let none = BTreeMap::new();
    let files = [
        SarifFile { path: "a b/plan.json", report: Ok(&report), allowed: &allowed },
        SarifFile { path: "broken", report: Err("expected a plan"), allowed: &none },
    ];
    let sarif = sarif(&files);
    let run = &sarif.member("runs").expect("runs").expect_array().expect("an array")[0];
    let rules = run.member("tool").and_then(|it| it.member("driver")).and_then(|it| it.member("rules")).expect("rules");
    assert_eq!(rules.expect_array().expect("an array").len(), checks().count());
    let result = &run.member("results").expect("results").expect_array().expect("an array")[0];
    let index = result.member("ruleIndex").expect("an index").expect_u64().expect("a number");
    let rule = &rules.expect_array().expect("an array")[usize::try_from(index).expect("small")];
    assert_eq!(rule.member("id"), result.member("ruleId"));
    let text = result.to_compact();
    for part in ["\"uri\":\"a%20b/plan.json\"", "\"suppressions\"", "\"partialFingerprints\":{\"planfuzz/v1\":\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let invocation = &run.member("invocations").expect("one").expect_array().expect("an array")[0];
    assert_eq!(invocation.member("executionSuccessful"), Some(&Json::Bool(false)));
}

#[test]
fn kinds_of_files_have_checks() {
    for kind in Kind::ALL {
        assert!(checks().filter(|check| check.kinds.contains(&kind)).count() > 5, "{}", kind.name());
    }
}
