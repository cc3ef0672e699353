//! The diagnostics that an engine prints are assigned to their instance and place. Without an engine the tests print that and pass.

mod batch;
mod scripted_provider;

use batch::{Case, ask, binary, schema};
use planfuzz_core::json::Json;
use planfuzz_core::value::Value;
use planfuzz_engine::output::{About, Keys, Named, Printed, Subject, about};
use planfuzz_engine::process::{RunOutcome, Runs};

const PLAN: &[&str] = &["plan", "-input=false", "-json", "-out=plan.bin"];
const APPLY: &[&str] = &["apply", "-input=false", "-json", "-auto-approve"];

const IMPORTS: &str = r#","import":[{"to":"six_18.r","id":"i18"},{"to":"six_19.r","id":"i19"},
    {"to":"six_20.r","id":"i20"},{"to":"six_21.r","id":"i21"}]"#;

/// The diagnostics of each job: summaries and paths. A diagnostic that names no job has the number `usize::MAX`.
fn found(cases: &[Case], extra: &str, args: &[&str]) -> Option<Vec<(usize, String, String)>> {
    let temp = tempfile::tempdir().expect("a directory");
    let runs = Runs::open(temp.path()).expect("runs");
    let (configuration, all) = ask(&binary(&runs)?, &runs, cases, extra, &[args]);
    let mut found = Vec::new();
    for ended in all {
        let RunOutcome::Finished(finished) = ended else { panic!("expected an end, found {ended:?}") };
        let printed = Printed::read(&finished.stdout);
        assert!(printed.strange.is_empty() && finished.stderr.is_empty(), "{printed:?} {:?}", finished.stderr);
        for one in printed.diagnostics {
            let keys = |case: &Case| Keys::of(Json::parse(case.config).ok().as_ref().map(shape).as_ref());
            let keys: Vec<Keys> = cases.iter().map(keys).collect();
            let schema = schema();
            let subject = |named: Named| Some(Subject { schema: &schema, keys: keys.get(named.job)? });
            let id = one.import_id().and_then(|id| id.strip_prefix('i')?.parse().ok());
            found.push(match about(one, &configuration, subject) {
                About::Instance { job, diagnostic } => {
                    (job, diagnostic.summary.to_string(), diagnostic.path.to_string())
                }
                About::NoInstance(diagnostic) => (id.unwrap_or(usize::MAX), diagnostic.summary, String::new()),
                About::Unplaced { job, diagnostic } => (job, diagnostic.summary, "unplaced".to_owned()),
                other @ About::Helper { .. } => panic!("{other:?}"),
            });
        }
    }
    Some(found)
}

/// A value that has the members of a text of JSON.
fn shape(json: &Json) -> Value {
    match json {
        Json::Object(members) => {
            Value::object(members.iter().map(|(name, json)| ((&**name).into(), shape(json))).collect())
        }
        Json::Array(items) => Value::tuple(items.iter().map(shape).collect()),
        _ => Value::bool(true),
    }
}

#[track_caller]
fn check(cases: &[(&str, &str, Case)], extra: &str, args: &[&str], unnamed: &[usize]) {
    let instances: Vec<Case> = cases.iter().map(|(_, _, case)| *case).collect();
    let Some(mut found) = found(&instances, extra, args) else { return };
    found.retain(|(_, summary, _)| summary != "warning");
    let mut expected: Vec<(usize, String, String)> = Vec::new();
    for (index, (summary, path, _)) in cases.iter().enumerate() {
        let job = if unnamed.contains(&index) { usize::MAX } else { index };
        expected.push((job, (*summary).to_owned(), (*path).to_owned()));
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn diagnostics_of_a_plan_are_assigned() {
    check(&PLANS, IMPORTS, PLAN, &[]);
}

/// Terraform 1.11 dies of a null element that holds something sensitive. Either outcome is accepted.
#[test]
fn a_crash_is_identified_by_its_place() {
    let temp = tempfile::tempdir().expect("a directory");
    let runs = Runs::open(temp.path()).expect("runs");
    let Some(binary) = binary(&runs) else { return };
    let ask = || ask(&binary, &runs, &[case(r#"{"nl":[null]}"#, "", "")], "", &[PLAN]).1.pop();
    match (ask(), ask()) {
        (Some(RunOutcome::Crashed(first)), Some(RunOutcome::Crashed(second))) => {
            println!("{}: {}", first.site, first.message);
            assert_eq!(first, second, "nothing in it changes from run to run");
            assert!(first.site != "unknown" && !first.site.contains("0x"), "{first:?}");
        }
        (Some(RunOutcome::Finished(_)), Some(RunOutcome::Finished(_))) => {
            println!("left out: {} survives it", binary.version())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn diagnostics_of_a_validation_are_assigned() {
    let ignoring = r#"{"bl":{"x":"1"},"lifecycle":{"ignore_changes":["a","bl[0].zz"]}}"#;
    check(&[("error", "", case("{}", "", r#"{"validate":[{"remark":"error"}]}"#))], "", PLAN, &[]);
    check(&[("Unsupported attribute", ".bl[0].zz", case(ignoring, "", ""))], "", PLAN, &[]);
    check(&[("Extraneous JSON object property", "", case(r#"{"zz":"1"}"#, "", ""))], "", PLAN, &[]);
    let ephemeral = r#","variable":{"e":{"ephemeral":true,"default":"x"}}"#;
    check(&[("Invalid use of ephemeral value", ".a", case(r#"{"a":"${var.e}"}"#, "", ""))], ephemeral, PLAN, &[]);
    check(
        &[("Invalid use of ephemeral value", "unplaced", case(r#"{"bl":{"x":"${var.e}"}}"#, "", ""))],
        ephemeral,
        PLAN,
        &[],
    );
}

#[test]
fn diagnostics_of_an_apply_are_assigned() {
    check(&APPLIES, "", APPLY, &[7]);
}

const fn case(config: &'static str, stored: &'static str, script: &'static str) -> Case {
    Case { config, stored, script, data: false }
}

const fn data(script: &'static str) -> Case {
    Case { config: "{}", stored: "", script, data: true }
}

const PLANS: [(&str, &str, Case); 25] = [
    ("Provider produced invalid plan", ".a", case(r#"{"a":"1"}"#, "", r#"{"plan":[{"value":{"a":"2"}}]}"#)),
    (
        "Provider produced invalid plan",
        r#".nm."k.x: y".x"#,
        case(r#"{"nm":{"k.x: y":{"x":"1"}}}"#, "", r#"{"plan":[{"value":{"nm":{"k.x: y":{"x":"2","y":null}}}}]}"#),
    ),
    (
        "Provider produced invalid plan",
        ".bl[0].x",
        case(r#"{"bl":{"x":"1"}}"#, "", r#"{"plan":[{"value":{"bl":[{"x":"2","y":null}]}}]}"#),
    ),
    ("Provider produced invalid plan", ".w", case(r#"{"w":"1"}"#, "", r#"{"plan":[{"value":{"w":"2"}}]}"#)),
    ("Provider produced invalid plan", ".bl[7].x", case(r#"{"a":"1"}"#, "{}", r#"{"plan":[{"replace":".bl[7].x"}]}"#)),
    (
        "Provider deferred changes when Terraform did not allow deferrals",
        "",
        case("{}", "", r#"{"plan":[{"deferred":true}]}"#),
    ),
    (
        "Provider produced invalid plan",
        r#".bm["q\"r"].x"#,
        case(r#"{"bm":{"q\"r":{"x":"1"}}}"#, "", r#"{"plan":[{"value":{"bm":{"q\"r":{"x":"2"}}}}]}"#),
    ),
    ("error", "", case("{}", "", r#"{"plan":[{"remark":"error"}],"validate":[{"remark":"warning"}]}"#)),
    ("Provider produced invalid object", "", case("{}", "{}", r#"{"read":[{"value":{"c":{"$unknown":true}}}]}"#)),
    ("Provider produced invalid object", ".w", case("{}", "{}", r#"{"read":[{"value":{"w":"1"}}]}"#)),
    (
        "Provider deferred changes when Terraform did not allow deferrals",
        "",
        case("{}", "{}", r#"{"read":[{"deferred":true}]}"#),
    ),
    ("error", "", case("{}", "{}", r#"{"read":[{"remark":"error"}]}"#)),
    ("Invalid resource state upgrade", "", case("{}", "{}", r#"{"upgrade":[{"value":{"c":{"$unknown":true}}}]}"#)),
    ("Invalid resource state upgrade", ".w", case("{}", "{}", r#"{"upgrade":[{"value":{"w":"1"}}]}"#)),
    ("error", "", case("{}", "{}", r#"{"upgrade":[{"remark":"error"}]}"#)),
    (
        "Instance cannot be destroyed",
        "",
        case(r#"{"a":"1","lifecycle":{"prevent_destroy":true}}"#, r#"{"a":"2"}"#, r#"{"plan":[{"replace":".a"}]}"#),
    ),
    (
        "Resource precondition failed",
        "",
        case(
            r#"{"lifecycle":{"precondition":{"condition":"${terraform.workspace == \"x\"}","error_message":"no"}}}"#,
            "",
            "",
        ),
    ),
    (
        "Resource postcondition failed",
        "",
        case(r#"{"lifecycle":{"postcondition":{"condition":"${self.a == \"x\"}","error_message":"no"}}}"#, "", ""),
    ),
    ("Import returned no resources", "", case("{}", "", "")),
    ("Multiple import states not supported", "", case("{}", "", r#"{"import":[{"value":{},"many":true}]}"#)),
    ("Import returned null resource", "", case("{}", "", r#"{"import":[{"value":null}]}"#)),
    (
        "Import returned a non-null value for a write-only attribute",
        ".w",
        case("{}", "", r#"{"import":[{"value":{"w":"1"}}]}"#),
    ),
    ("Redundant ignore_changes element", ".k", case(r#"{"lifecycle":{"ignore_changes":["k"]}}"#, "", "")),
    ("Provider produced null object", "", data(r#"{"read_data":[{"value":null}]}"#)),
    ("Provider produced invalid object", "", data(r#"{"read_data":[{"value":{"c":{"$unknown":true}}}]}"#)),
];

const APPLIES: [(&str, &str, Case); 16] = [
    (
        "Provider produced inconsistent result after apply",
        ".a",
        case(r#"{"a":"1"}"#, "", r#"{"apply":[{"value":{"a":"2"}}]}"#),
    ),
    (
        "Provider produced inconsistent result after apply",
        r#".nm["k.x: y"].x"#,
        case(
            r#"{"nm":{"k.x: y":{"x":"1","y":"1"}}}"#,
            "",
            r#"{"apply":[{"value":{"nm":{"k.x: y":{"x":"2","y":"1"}}}}]}"#,
        ),
    ),
    (
        "Provider produced inconsistent result after apply",
        ".bs",
        case(r#"{"bs":{"x":"1","y":"2"}}"#, "", r#"{"apply":[{"value":{"bs":[{"x":"2","y":"2"}]}}]}"#),
    ),
    (
        "Provider returned invalid result object after apply",
        ".bs[<set element>].y",
        case(
            r#"{"bs":{"x":"1"}}"#,
            "",
            r#"{"plan":[{"value":{"bs":[{"x":"1","y":{"$unknown":true}}]}}],"apply":[{"value":{"bs":[{"x":"1","y":{"$unknown":true}}]}}]}"#,
        ),
    ),
    ("Provider produced inconsistent result after apply", "", case("{}", "", r#"{"apply":[{"value":null}]}"#)),
    (
        "Provider produced invalid object",
        ".w",
        case(r#"{"w":"1"}"#, "", r#"{"plan":[{"value":{}}],"apply":[{"value":{"w":"1"}}]}"#),
    ),
    (
        "Provider produced inconsistent final plan",
        ".c",
        case("{}", "", r#"{"plan":[{"value":{"c":"1"}},{"value":{"c":"2"}}]}"#),
    ),
    ("Plugin did not respond", "", case("{}", "", r#"{"apply":[{"fails":true}]}"#)),
    ("Resource deferred during apply, but not during plan", "", case("{}", "", r#"{"plan":[{},{"deferred":true}]}"#)),
    ("Provider returned invalid result object after apply", "", case("", "{}", r#"{"destroy":[{"value":{}}]}"#)),
    ("error", "", case("", "{}", r#"{"destroy":[{"remark":"error"}]}"#)),
    ("error", "", case("{}", "", r#"{"apply":[{"remark":"error","value":{}}]}"#)),
    ("Provider produced invalid plan", ".a", case(r#"{"a":"1"}"#, "", r#"{"plan":[{},{"value":{"a":"2"}}]}"#)),
    (
        "Resource postcondition failed",
        "",
        case(
            r#"{"lifecycle":{"postcondition":{"condition":"${self.k == \"1\"}","error_message":"no"}}}"#,
            "",
            r#"{"plan":[{"value":{"k":{"$unknown":true}}}],"apply":[{"value":{"k":"2"}}]}"#,
        ),
    ),
    ("Provisioner failed", "", case(r#"{"provisioner":[{"local-exec":{"command":"false"}}]}"#, "", "")),
    (
        "Provider produced inconsistent result after apply",
        ".d.p.q",
        case(
            r#"{"d":{"p":{"q":"1"}}}"#,
            "",
            r#"{"apply":[{"value":{"d":{"type":["object",{"p":["object",{"q":"string"}]}],"value":{"p":{"q":"2"}}}}}]}"#,
        ),
    ),
];
