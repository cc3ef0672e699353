//! Every form reads back what it writes, and rejects everything else.

use planfuzz_core::planner::{Applied, ApplyRequest, Exchange, Plan, PlanRequest, StepTrace};
use planfuzz_core::schema::Schema;

use super::*;

/// One attribute for each kind of attribute that forms distinguish, and one with a dynamic inside.
fn ty() -> Type {
    let schema = r#"{"block": {"attributes": {
        "id": {"type": "string", "computed": true}, "name": {"type": "string", "optional": true},
        "zones": {"type": ["set", "string"], "optional": true}, "any": {"type": "dynamic", "optional": true}}}}"#;
    Schema::parse(schema).expect("a schema").implied_type(Default::default())
}

/// Checks that a text is written as it was read, except for white space.
#[track_caller]
fn survives<T: Form>(text: &str) -> T {
    let json = Json::parse(text).expect("a document");
    let read = T::from_form(&json, &ty()).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(read.to_form(&ty()).to_compact(), json.to_compact());
    read
}

#[track_caller]
fn refused<T: Form>(text: &str, message: &str) {
    let json = Json::parse(text).expect("a document");
    match T::from_form(&json, &ty()) {
        Ok(_) => panic!("read"),
        Err(problem) => assert!(problem.to_string().contains(message), "{problem}"),
    }
}

const OBJECT: &str = r#"{"any": null, "id": "1", "name": "a", "zones": ["b"]}"#;
const CONFIG: &str =
    r#"{"any": {"type": "bool", "value": true}, "id": null, "name": "a", "zones": {"$unknown": true}}"#;

#[test]
fn plan_requests_survive() {
    survives::<PlanRequest>(r#"{"presence": {"orphan": {}}}"#);
    let full = format!(
        r#"{{"kind": "data", "mode": "refresh_only",
        "options": {{"skip_refresh": true, "replace": true, "import": "i", "moved_from": "a.b", "forget": true, "fresh_key": "0000000a"}},
        "state": {{"current": {{"value": {OBJECT}, "tainted": true, "private": "AP8=", "dependencies": ["a.b"],
                "create_before_destroy": true, "sensitive": [".name"], "skip_destroy": true}},
            "deposed": {{"00000001": {{"raw": {{"id": "x", "old": 1e+3}}, "version": 3}}, "00000002": {{"value": {OBJECT}}}}}}},
        "presence": {{"config": {CONFIG}, "sensitive": [".id", ".name"], "ephemeral": [".name"], "at_validation": {CONFIG},
            "lifecycle": {{"create_before_destroy": true, "forced_create_before_destroy": true, "prevent_destroy": "bad",
                "ignore_changes": [".zones", ".name"],
                "replace_triggered_by": [{{}}, {{"changes": [{{"action": "update", "before": {{"type": "string", "value": "x"}},
                    "before_sensitive": [""], "after": {{"type": "string", "value": null}}}}], "attribute": ".x"}}], "keep_on_destroy": true}},
            "preconditions": [true, false, {{"$unknown": true}}], "postconditions": [true],
            "provisioners": [{{"on_destroy": true, "fails": true, "on_failure_continue": true}}, {{}}],
            "dependencies": [{{"address": "a.b"}}, {{"address": "data.c.d", "kind": "data", "link": "depends_on", "actions": ["read"]}}],
            "in_check": true}}}}"#
    );
    survives::<PlanRequest>(&full);
    survives::<PlanRequest>(
        r#"{"presence": {"removed": {"block": true, "module": true, "key": "index", "repetition": "for_each",
            "declared": true, "prevent_destroy": true, "keep_on_destroy": true}}}"#,
    );
    survives::<PlanRequest>(&format!(
        r#"{{"presence": {{"config": {CONFIG}, "lifecycle": {{"ignore_changes": "all"}}}}}}"#
    ));
}

#[test]
fn plans_survive() {
    survives::<Plan>("{}");
    let full = format!(
        r#"{{"previous_run": {{"current": {{"value": {OBJECT}}}}}, "refreshed": {{"current": {{"value": {OBJECT}}}}},
        "changes": [{{"action": "delete_then_create", "reason": "replace_by_request", "before": {OBJECT}, "before_sensitive": [".name"],
                "after": {CONFIG}, "after_sensitive": [".id", ".zones"], "required_replace": [".name"], "private": "AA==",
                "importing": {{"id": "i"}}, "moved_from": "a.b"}},
            {{"deposed": "00000001", "action": "no_op", "before": {{"$type": "dynamic", "value": null}},
                "after": {{"$type": "dynamic", "value": null}}}}],
        "drift": {{"action": "delete", "before": {OBJECT}, "after": null}},
        "working": {{"value": {CONFIG}, "sensitive": [""]}}, "applyable": true,
        "diagnostics": [{{"severity": "error", "summary": "s", "path": ".zones[<set element>]"}}, {{"severity": "warning", "summary": "t"}}]}}"#
    );
    survives::<Plan>(&full);
    for importing in [r#"{"unknown": true}"#, r#"{"id": "", "identity": "gA=="}"#] {
        survives::<Plan>(&full.replace(r#"{"id": "i"}"#, importing));
    }
}

#[test]
fn apply_walks_survive() {
    survives::<ApplyRequest>(&format!(
        r#"{{"kind": "data", "options": {{"replace": true}}, "state": {{"current": {{"value": {OBJECT}}}}},
        "changes": [{{"action": "create", "before": null, "after": {CONFIG}}}], "presence": {{"config": {CONFIG}}}}}"#
    ));
    survives::<Applied>("{}");
    survives::<Applied>(&format!(
        r#"{{"state": {{"current": {{"value": {OBJECT}}}}}, "diagnostics": [{{"severity": "error", "summary": "s"}}]}}"#
    ));
}

#[test]
fn exchanges_survive() {
    let remarks = r#""diagnostics": [{"severity": "warning", "summary": "w"}]"#;
    let other = r#"{"$type": ["list", "string"], "value": ["x"]}"#;
    for (request, answer) in [
        (format!(r#"{{"call": "validate", "config": {CONFIG}}}"#), format!("{{{remarks}}}")),
        (
            format!(r#"{{"call": "upgrade", "version": 1, "state": {OBJECT}}}"#),
            format!(r#"{{"upgraded": {OBJECT}, {remarks}}}"#),
        ),
        (r#"{"call": "upgrade", "version": 0, "raw": {"id": "1"}}"#.to_owned(), format!(r#"{{"upgraded": {other}}}"#)),
        (
            format!(r#"{{"call": "read", "current": {OBJECT}, "private": null}}"#),
            format!(r#"{{"state": null, "private": "AA==", "deferred": true, {remarks}}}"#),
        ),
        (
            format!(
                r#"{{"call": "plan", "prior": null, "config": {CONFIG}, "proposed": {CONFIG}, "private": "AA=="}}"#
            ),
            format!(
                r#"{{"planned": {CONFIG}, "requires_replace": [".name", ".name", ""], "private": "AA==", "legacy_type_system": true,
                "deferred": true, {remarks}}}"#
            ),
        ),
        (
            format!(r#"{{"call": "apply", "prior": {OBJECT}, "config": null, "planned": null, "private": null}}"#),
            format!(r#"{{"state": {other}, "private": "AA==", "legacy_type_system": true, {remarks}}}"#),
        ),
        (
            format!(r#"{{"call": "apply", "prior": {OBJECT}, "config": null, "planned": null, "private": null}}"#),
            "{}".to_owned(),
        ),
        (
            r#"{"call": "import", "id": "i"}"#.to_owned(),
            format!(r#"{{"imported": [{{"state": {OBJECT}, "private": "AA=="}}, {{"state": null}}], {remarks}}}"#),
        ),
        (format!(r#"{{"call": "read_data", "config": {CONFIG}}}"#), format!(r#"{{"state": {OBJECT}, {remarks}}}"#)),
    ] {
        survives::<Exchange>(&format!(r#"{{"request": {request}, "answer": {answer}}}"#));
    }
}

#[test]
fn steps_survive() {
    let request = r#"{"presence": {"orphan": {}}}"#;
    survives::<StepTrace>(&format!(
        r#"{{"changed_outside": true, "plan": {{"request": {request}, "plan": {{}}}}, "apply": {{"request": {request},
        "exchanges": [{{"request": {{"call": "import", "id": "i"}}, "answer": {{}}}}], "applied": {{}}}}}}"#
    ));
}

#[test]
fn documents_without_a_meaning_are_refused() {
    refused::<PlanRequest>(r#"{"presence": {"orphan": {}}, "x": 1}"#, "unknown member \"x\"");
    refused::<PlanRequest>(r#"{"presence": {"orphan": {}, "removed": {}}, "mode": "dry"}"#, "refresh_only");
    refused::<PlanRequest>(r#"{"presence": {"orphan": {}, "config": null}}"#, "unknown member \"config\"");
    refused::<PlanRequest>(r#"{"presence": {}}"#, "the member \"config\"");
    let typed = r#"{"$type": "string", "value": "x"}"#;
    refused::<PlanRequest>(&format!(r#"{{"presence": {{"config": {typed}}}}}"#), "presence.config");
    refused::<Plan>(
        &format!(r#"{{"changes": [{{"action": "create", "before": null, "after": {typed}}}]}}"#),
        "changes[0].after",
    );
    refused::<Plan>(r#"{"refreshed": {"deposed": {"xyz": {"raw": {}}}}}"#, "eight digits");
    refused::<Exchange>(r#"{"request": {"call": "import", "id": "i"}, "answer": {"planned": null}}"#, "unknown member");
    refused::<Exchange>(r#"{"request": {"call": "configure"}, "answer": {}}"#, "a call");
}

#[test]
fn marks_sit_where_the_value_has_a_place_for_them() {
    let json = Json::parse(r#"{"working": {"value": null, "sensitive": [".name"]}}"#).expect("a document");
    let plan = Plan::from_form(&json, &ty()).expect("a plan");
    assert_eq!(plan.working.map(|working| working.sensitive().len()), Some(0));
}
