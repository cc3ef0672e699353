//! Every part of a run is compared: a difference in any part is found, with its class and place.

use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;

use super::*;
use crate::case::lifecycle::Form;

fn ty() -> Type {
    let schema = r#"{"block": {"attributes": {"id": {"type": "string", "computed": true}, "any": {"type": ["list", "dynamic"], "optional": true}}}}"#;
    Schema::parse(schema).expect("a schema").implied_type(Default::default())
}

/// A run with something in every part. Each `@` is one place that a test may change.
const TRACE: &str = r#"{"steps": [
    {"changed_outside": true,
     "plan": {"request": {"presence": {"orphan": {}}},
        "exchanges": [
            {"request": {"call": "validate", "config": V}, "answer": {}},
            {"request": {"call": "upgrade", "version": 1, "raw": {"id": "1"}}, "answer": {"upgraded": V}},
            {"request": {"call": "upgrade", "version": 1, "state": V}, "answer": {"upgraded": V}},
            {"request": {"call": "read", "current": V, "private": null}, "answer": {"state": V}},
            {"request": {"call": "plan", "prior": V, "config": V, "proposed": V, "private": null}, "answer": {"planned": V}},
            {"request": {"call": "import", "id": "i"}, "answer": {}},
            {"request": {"call": "read_data", "config": V}, "answer": {"state": V}}],
        "plan": {"previous_run": {"current": {"value": V}},
            "refreshed": {"current": {"value": V, "private": "AA==", "sensitive": [".id"], "dependencies": ["a.b"]}, "deposed": {"00000001": {"raw": {"x": 1}, "version": 2}}},
            "changes": [
                {"action": "update", "reason": "replace_by_request", "before": V, "before_sensitive": [".id"], "after": V, "required_replace": [".id"],
                    "private": "AQ==", "importing": {"id": "i"}, "moved_from": "a.b"},
                {"deposed": "00000001", "action": "delete", "before": V, "after": null}],
            "drift": {"action": "update", "before": V, "after": V}, "working": {"value": V}, "applyable": true,
            "diagnostics": [{"severity": "warning", "summary": "w"}, {"severity": "error", "summary": "e", "path": ".id"}]}},
     "apply": {"request": {"presence": {"orphan": {}}},
        "exchanges": [{"request": {"call": "apply", "prior": V, "config": V, "planned": V, "private": "AA=="}, "answer": {"state": V}}],
        "applied": {"state": {"current": {"value": V, "create_before_destroy": true}}, "diagnostics": [{"severity": "error", "summary": "e"}]}}}],
    "stopped": {"walk": "plan", "refused": "no"}}"#;

fn trace(text: &str) -> Trace {
    let text = text.replace(" V", r#" {"id": "1", "any": null}"#);
    Trace::from_form(&Json::parse(&text).expect("a document"), &ty()).unwrap_or_else(|problem| panic!("{problem}"))
}

/// The class and place of the first difference, with `old` replaced by `new` in one of the runs.
#[track_caller]
fn differs(old: &str, new: &str) -> (Class, String) {
    assert_eq!(TRACE.matches(old).count(), 1, "{old}");
    let changed = TRACE.replace(old, new);
    let there = compare_traces(&trace(TRACE), &trace(&changed), View::default()).difference.expect("a difference");
    let back = compare_traces(&trace(&changed), &trace(TRACE), View::default()).difference.expect("a difference");
    assert_eq!((there.class, place(&there).path.clone()), (back.class, place(&back).path.clone()));
    (there.class, there.path.to_string())
}

fn place(difference: &Difference) -> &TracePlace {
    match &difference.path {
        Place::Trace(place) => place,
        other => panic!("{other:?}"),
    }
}

const OTHER: &str = r#" {"id": "2", "any": null}"#;

#[test]
fn equal_traces_are_alike_walk_by_walk() {
    let compared = compare_traces(&trace(TRACE), &trace(TRACE), View::default());
    assert_eq!((compared.alike, compared.both_refuse), (2, true));
    assert!(compared.difference.is_none());
}

#[test]
fn every_request_counts() {
    for (old, place) in [
        (r#""call": "validate", "config": V"#, "request 1 (validate): config .id"),
        (r#""call": "upgrade", "version": 1, "state": V"#, "request 3 (upgrade): state .id"),
        (r#""current": V, "private": null"#, "request 4 (read): current .id"),
        (r#""prior": V, "config": V, "proposed": V, "private": null"#, "request 5 (plan): prior .id"),
        (r#""read_data", "config": V"#, "request 7 (read_data): config .id"),
    ] {
        let (class, found) = differs(old, &old.replacen(" V", OTHER, 1));
        assert_eq!((class, found.as_str()), (Class::Request, format!("step 1, plan: {place}").as_str()));
    }
    for (old, new, place) in [
        (
            r#""version": 1, "raw": {"id": "1"}"#,
            r#""version": 2, "raw": {"id": "1"}"#,
            "plan: request 2 (upgrade): version",
        ),
        (r#""raw": {"id": "1"}"#, r#""raw": {"id": "2"}"#, "plan: request 2 (upgrade): raw"),
        (r#""version": 1, "state": V"#, r#""version": 1, "raw": {}"#, "plan: request 3 (upgrade): state"),
        (r#""current": V, "private": null"#, r#""current": V, "private": "AA==""#, "plan: request 4 (read): private"),
        (r#""config": V, "proposed": V"#, r#""config": null, "proposed": V"#, "plan: request 5 (plan): config"),
        (r#""proposed": V"#, r#""proposed": null"#, "plan: request 5 (plan): proposed"),
        (r#""proposed": V, "private": null"#, r#""proposed": V, "private": "AA==""#, "plan: request 5 (plan): private"),
        (r#""call": "import", "id": "i""#, r#""call": "import", "id": "j""#, "plan: request 6 (import): id"),
        (
            r#"{"request": {"call": "import", "id": "i"}, "answer": {}},"#,
            r#"{"request": {"call": "validate", "config": V}, "answer": {}},"#,
            "plan: request 6 (import or validate)",
        ),
        (
            r#"{"request": {"call": "validate", "config": V}, "answer": {}},"#,
            r#"{"request": {"call": "import", "id": "i"}, "answer": {}},"#,
            "plan: request 1 (validate or import)",
        ),
        (
            r#"{"request": {"call": "read_data", "config": V}, "answer": {"state": V}}]"#,
            r#"{"request": {"call": "read_data", "config": V}, "answer": {"state": V}}, {"request": {"call": "import", "id": "i"}, "answer": {}}]"#,
            "plan: request 8 (import), made by one",
        ),
        (r#""config": V, "planned": V"#, r#""config": null, "planned": V"#, "apply: request 1 (apply): config"),
        (r#""planned": V, "private""#, r#""planned": null, "private""#, "apply: request 1 (apply): planned"),
        (r#""planned": V, "private": "AA==""#, r#""planned": V, "private": null"#, "apply: request 1 (apply): private"),
    ] {
        assert_eq!(differs(old, new), (Class::Request, format!("step 1, {place}")));
    }
}

#[test]
fn answers_to_equal_requests_are_not_compared() {
    let other = TRACE.replace(r#""answer": {"planned": V}"#, r#""answer": {"planned": null}"#);
    assert!(compare_traces(&trace(TRACE), &trace(&other), View::default()).difference.is_none());
}

#[test]
fn every_part_of_a_plan_counts() {
    for (old, new, class, place) in [
        (r#""deposed": "00000001", "action""#, r#""action""#, Class::Changes, "what is changed"),
        (
            r#""action": "update", "reason""#,
            r#""action": "create", "reason""#,
            Class::Action,
            "change: Update or Create",
        ),
        (
            r#""action": "delete", "before""#,
            r#""action": "forget", "before""#,
            Class::Action,
            "change of deposed 00000001: Delete or Forget",
        ),
        (
            r#""reason": "replace_by_request", "#,
            "",
            Class::Reason,
            "change: ResourceInstanceReplaceByRequest or ResourceInstanceChangeNoReason",
        ),
        (
            r#""before": V, "before_sensitive""#,
            r#""before": null, "before_sensitive""#,
            Class::Before,
            "change: before",
        ),
        (
            r#""after": V, "required_replace""#,
            r#""after": {"id": {"$unknown": true}, "any": null}, "required_replace""#,
            Class::After,
            "change: after .id",
        ),
        (
            r#""before_sensitive": [".id"]"#,
            r#""before_sensitive": [".any"]"#,
            Class::Sensitive,
            "change: before: sensitive .any",
        ),
        (
            r#""required_replace": [".id"]"#,
            r#""required_replace": []"#,
            Class::RequiredReplace,
            "change: required replace .id",
        ),
        (r#""private": "AQ==""#, r#""private": null"#, Class::Private, "change: private"),
        (r#""importing": {"id": "i"}, "#, "", Class::Importing, "change: importing"),
        (r#""moved_from": "a.b""#, r#""moved_from": "a.c""#, Class::MovedFrom, "change: moved from"),
        (r#""drift": {"action": "update", "before": V, "after": V}, "#, "", Class::Drift, "drift"),
        (r#""drift": {"action": "update""#, r#""drift": {"action": "delete""#, Class::Drift, "drift: action"),
        (r#""working": {"value": V}, "#, "", Class::Working, "working"),
        (r#""working": {"value": V}"#, r#""working": {"value": null}"#, Class::Working, "working"),
        (
            r#""previous_run": {"current": {"value": V}}"#,
            r#""previous_run": {}"#,
            Class::State,
            "previous run: current: current",
        ),
        (
            r#""private": "AA==", "sensitive": [".id"]"#,
            r#""private": "AA==", "tainted": true, "sensitive": [".id"]"#,
            Class::State,
            "refreshed: current: status",
        ),
        (
            r#""private": "AA==", "sensitive": [".id"]"#,
            r#""private": "AQ==", "sensitive": [".id"]"#,
            Class::State,
            "refreshed: current: private",
        ),
        (
            r#""private": "AA==", "sensitive": [".id"]"#,
            r#""private": "AA==""#,
            Class::Sensitive,
            "refreshed: current: sensitive .id",
        ),
        (r#", "dependencies": ["a.b"]"#, "", Class::State, "refreshed: current: dependencies"),
        (
            r#""00000001": {"raw": {"x": 1}, "version": 2}"#,
            r#""00000002": {"raw": {"x": 1}, "version": 2}"#,
            Class::State,
            "refreshed: what is deposed",
        ),
        (
            r#""raw": {"x": 1}, "version": 2"#,
            r#""raw": {"x": 1}, "version": 3"#,
            Class::State,
            "refreshed: deposed 00000001: version",
        ),
        (r#""raw": {"x": 1}, "version": 2"#, r#""value": V"#, Class::State, "refreshed: deposed 00000001: value"),
        (
            r#""raw": {"x": 1}, "version": 2"#,
            r#""raw": {"x": 1}, "version": 2, "skip_destroy": true"#,
            Class::State,
            "refreshed: deposed 00000001: skip_destroy",
        ),
        (r#"{"severity": "warning", "summary": "w"}, "#, "", Class::Diagnostics, r#""w""#),
        (r#""summary": "e", "path": ".id""#, r#""summary": "e", "path": ".any""#, Class::Diagnostics, r#""e" .any"#),
        (r#""applyable": true,"#, "", Class::Applyable, "applyable"),
    ] {
        assert_eq!(differs(old, new), (class, format!("step 1, plan: {place}")), "{old}");
    }
}

#[test]
fn every_part_of_an_apply_counts() {
    for (old, new, class, place) in [
        (r#", "create_before_destroy": true"#, "", Class::State, "saved: current: create_before_destroy"),
        (
            r#"{"value": V, "create_before_destroy": true}"#,
            r#"{"value": {"id": "2", "any": null}, "create_before_destroy": true}"#,
            Class::State,
            "saved: current: value .id",
        ),
        (
            r#""diagnostics": [{"severity": "error", "summary": "e"}]"#,
            r#""diagnostics": [{"severity": "warning", "summary": "e"}]"#,
            Class::Diagnostics,
            r#""e""#,
        ),
    ] {
        assert_eq!(differs(old, new), (class, format!("step 1, apply: {place}")), "{old}");
    }
}

/// The run with another end: `end` is the text of that end, after a comma.
fn ended(end: &str) -> Trace {
    let (steps, _) = TRACE.split_once(r#""stopped""#).expect("an end");
    trace(&format!("{}{end}}}", steps.trim_end().trim_end_matches(',')))
}

/// The step twice, so that the run goes on.
fn going_on() -> Trace {
    let mut trace = ended("");
    trace.steps.push(trace.steps[0].clone());
    trace
}

#[test]
fn a_refusal_by_one_is_a_difference() {
    for (one, other) in [(trace(TRACE), going_on()), (going_on(), trace(TRACE))] {
        let compared = compare_traces(&one, &other, View::default());
        let difference = compared.difference.expect("a difference");
        assert_eq!((compared.alike, difference.class), (2, Class::RefusedByOne));
        assert_eq!(difference.path.to_string(), "step 2, plan: the whole");
    }
    let compared = compare_traces(&trace(TRACE), &ended(""), View::default());
    assert_eq!(compared.difference.map(|difference| difference.class), Some(Class::Form));
}

#[test]
fn walks_before_a_crash_are_compared() {
    for end in [r#""crashed": {"site": "s", "message": "m"}"#, r#""over_budget_ms": 10"#] {
        let crashed = ended(&format!(r#", "stopped": {{"walk": "plan", {end}}}"#));
        for (one, other) in [(&crashed, &going_on()), (&going_on(), &crashed), (&crashed, &trace(TRACE))] {
            let compared = compare_traces(one, other, View::default());
            assert_eq!(
                (compared.alike, compared.both_refuse, compared.difference.is_none()),
                (2, false, true),
                "{end}"
            );
        }
    }
}

#[test]
fn the_plan_before_a_refused_apply_is_compared() {
    let refused = |plan: &str| {
        let plan = format!(r#"{{"request": {{"presence": {{"orphan": {{}}}}}}, "plan": {plan}}}"#);
        ended(&format!(r#", "stopped": {{"walk": "apply", "plan": {plan}, "refused": "no"}}"#))
    };
    let compared = compare_traces(&refused("{}"), &refused("{}"), View::default());
    assert_eq!((compared.alike, compared.both_refuse, compared.difference.is_none()), (3, true, true));
    let compared = compare_traces(&refused("{}"), &refused(r#"{"applyable": true}"#), View::default());
    assert_eq!(compared.difference.map(|difference| difference.class), Some(Class::Applyable));
}

#[test]
fn types_that_a_line_cannot_carry_are_tolerated_over_a_line_alone() {
    let list = |ty: Type| planfuzz_core::value::Value::list(&ty, Vec::new()).expect("a list");
    let of = |ty: Type| {
        let mut trace = ended("");
        let id = planfuzz_core::value::Value::null(Type::String);
        let value = planfuzz_core::value::Value::object(vec![("any".into(), list(ty)), ("id".into(), id)]);
        trace.steps[0].plan.plan.working = Some(planfuzz_core::plans::Marked::plain(value));
        trace
    };
    let (one, other) = (of(Type::Bool), of(Type::String));
    let compared = compare_traces(&one, &other, View::default());
    assert_eq!(compared.difference.map(|difference| difference.class), Some(Class::Working));
    let compared = compare_traces(&one, &other, View { shown: Shown::Written, declared: Some(&ty()), version: None });
    assert_eq!((compared.difference.is_none(), compared.unwritten), (true, 1));
}

#[test]
fn the_order_of_diagnostics_does_not_count() {
    let other = TRACE.replace(
        r#"{"severity": "warning", "summary": "w"}, {"severity": "error", "summary": "e", "path": ".id"}"#,
        r#"{"severity": "error", "summary": "e", "path": ".id", "rule": "L1"}, {"severity": "warning", "summary": "w"}"#,
    );
    assert!(compare_traces(&trace(TRACE), &trace(&other), View::default()).difference.is_none());
}

/// The view if one side is read off an engine.
const OBSERVED: View<'static> = View { shown: Shown::Observed, declared: None, version: Some(0) };

#[test]
fn parts_that_an_engine_does_not_show_are_not_compared() {
    let other = TRACE.replace(r#""applyable": true"#, r#""applyable": false"#);
    assert_ne!(other, TRACE);
    assert!(compare_traces(&trace(TRACE), &trace(&other), View::default()).difference.is_some());
    assert!(compare_traces(&trace(TRACE), &trace(&other), OBSERVED).difference.is_none());
}

#[test]
fn a_planner_refuses_where_an_engine_crashes() {
    let ended = |how: &str| trace(&format!(r#"{{"steps": [], "stopped": {{"walk": "plan", {how}}}}}"#));
    let (refused, crashed) = (ended(r#""refused": "M01""#), ended(r#""crashed": {"site": "f", "message": "m"}"#));
    assert!(compare_traces(&refused, &crashed, OBSERVED).both_refuse);
    assert!(!compare_traces(&refused, &crashed, View::default()).both_refuse);
    let unforeseen = compare_traces(&trace(TRACE), &crashed, OBSERVED).difference.expect("a difference");
    assert_eq!(unforeseen.class, Class::RefusedByOne);
}

#[test]
fn a_comparison_goes_past_excused_differences_to_the_next_part_and_walk() {
    let changed = TRACE
        .replacen(r#""call": "validate", "config": V"#, r#""call": "validate", "config": {"id": "2", "any": null}"#, 1)
        .replacen(r#""reason": "replace_by_request""#, r#""reason": "replace_because_tainted""#, 1)
        .replacen(r#""create_before_destroy": true"#, r#""create_before_destroy": false"#, 1);
    let (first, second) = (trace(TRACE), trace(&changed));
    let seen = |excused: &[Class]| {
        let excuses = |difference: &Difference| excused.contains(&difference.class);
        let compared = compare_past(&first, &second, View::default(), &excuses);
        let passed: Vec<Class> = compared.passed.iter().map(|difference| difference.class).collect();
        (passed, compared.difference.map(|difference| difference.class))
    };
    assert_eq!(seen(&[]), (vec![], Some(Class::Request)));
    assert_eq!(seen(&[Class::Request]), (vec![Class::Request], Some(Class::Reason)));
    let both = vec![Class::Request, Class::Reason];
    assert_eq!(seen(&both), (both.clone(), Some(Class::State)), "in the apply that follows");
    let all = vec![Class::Request, Class::Reason, Class::State];
    assert_eq!(seen(&all), (all.clone(), None));
}
