//! Parts of the invariants on their own.

use super::runs::*;
use super::{broken, count, held, held_in, plan_call};
use crate::Rules;
use crate::lifecycle::Lifecycle;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Exchange, StepTrace};
use planfuzz_core::plans::Action;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::Object;
use planfuzz_core::value::Value;

const COMPUTED: &str = r#"{"block": {"attributes": {"a": {"type": "string", "optional": true}, "o": {"type": "string", "optional": true}},
    "block_types": {"b": {"nesting_mode": "list", "block": {"computed": true, "attributes": {"x": {"type": "string", "computed": true}}}}}}}"#;

fn of_schema(schema: &Schema, dialect: Dialect, text: &str) -> Value {
    let json = planfuzz_core::json::Json::parse(text).expect("JSON");
    Value::from_json(&json, &schema.implied_type(dialect)).expect("a value")
}

#[test]
fn a_configuration_may_be_prepared_and_nothing_else() {
    let (schema, dialect) = (Schema::parse(COMPUTED).expect("a schema"), Dialect::TERRAFORM_1_17);
    let of = Lifecycle::new(&schema, dialect);
    let read = |text| of_schema(&schema, dialect, text);
    let written = read(r#"{"a": "1", "o": null, "b": []}"#);
    assert!(of.is_as_written(&written, &written));
    assert!(of.is_as_written(&written, &read(r#"{"a": "1", "o": null, "b": null}"#)));
    assert!(!of.is_as_written(&written, &read(r#"{"a": "2", "o": null, "b": null}"#)));
}

/// A refresh that reads `read` and keeps `kept`.
fn refreshed(read: &Value, kept: &Value) -> Vec<StepTrace> {
    let mut trace = refresh_only();
    if let Exchange::Read(_, answer) = &mut trace[0].plan.exchanges[1] {
        answer.new_state = read.clone();
    }
    let current = trace[0].plan.plan.refreshed.current.as_mut().expect("an object");
    current.stored = planfuzz_core::state::Stored::Value(kept.clone());
    trace
}

#[test]
fn i34_a_read_object_is_kept_in_the_form_of_the_dialect() {
    let null_blocks = value(r#"{"id": "1", "name": "a", "oc": "z", "b": null}"#);
    let is_broken = |trace: &[StepTrace], dialect| !broken(&held_in(trace, dialect), "I34").is_empty();
    let as_read = refreshed(&null_blocks, &null_blocks);
    assert!(is_broken(&as_read, Dialect::TERRAFORM_1_11));
    assert!(!is_broken(&as_read, Dialect::TERRAFORM_1_17));
    let normal = refreshed(&null_blocks, &value(THERE));
    assert!(!is_broken(&normal, Dialect::TERRAFORM_1_11));
    let other = refreshed(&value(THERE), &value(MADE));
    assert!(is_broken(&other, Dialect::TERRAFORM_1_11) && is_broken(&other, Dialect::TERRAFORM_1_17));
}

#[test]
fn nonconforming_values_are_not_searched_for_write_only_ones() {
    let mut trace = create();
    trace[0].apply = None;
    let wo = (planfuzz_core::value::Text::new("wo"), Value::string("w"));
    plan_call(&mut trace[0].plan.exchanges, 0).1.planned = Value::object(vec![wo]);
    let found = held(&trace);
    assert!(broken(&found, "I11").is_empty() && !broken(&found, "I05").is_empty(), "{:?}", found.broken);
}

#[test]
fn write_only_values_are_found_in_map_blocks_of_dynamic_type() {
    let schema = Schema::parse(
        r#"{"block": {"block_types": {"m": {"nesting_mode": "map", "block": {"attributes": {
            "d": {"type": "dynamic", "optional": true}, "w": {"type": "string", "optional": true, "write_only": true}}}}}}}"#,
    )
    .expect("a schema");
    let dialect = Dialect::TERRAFORM_1_11;
    let leaking = r#"{"m": {"type": ["object", {"a": ["object", {"d": "string", "w": "string"}]}], "value": {"a": {"d": "x", "w": "s"}}}}"#;
    let leaks = Lifecycle::new(&schema, dialect).leaks(&of_schema(&schema, dialect, leaking)).expect("no crash");
    assert_eq!(leaks.len(), 1);
}

#[test]
fn violations_are_none_where_the_outcome_is_open_or_the_engine_crashes() {
    let (schema, dialect) = (
        Schema::parse(
            r#"{"block": {"block_types": {
                "a": {"nesting_mode": "list", "block": {"attributes": {"x": {"type": "string", "optional": true}}}},
                "b": {"nesting_mode": "list", "block": {"computed": true, "attributes": {"x": {"type": "string", "computed": true}}}},
                "m": {"nesting_mode": "map", "block": {"attributes": {"x": {"type": "string", "optional": true}}}}}}}"#,
        )
        .expect("a schema"),
        Dialect::TERRAFORM_1_17,
    );
    let rules = Rules::new(&schema, dialect);
    let read = |text| of_schema(&schema, dialect, text);
    let planned = read(r#"{"a": [], "b": [], "m": {}}"#);
    assert!(rules.object_violations(&planned, &planned).is_some_and(|found| found.is_empty()));
    assert!(rules.object_violations(&planned, &read(r#"{"a": [{"x": "1"}], "b": null, "m": {}}"#)).is_none());
    assert!(rules.object_violations(&planned, &read(r#"{"a": [], "b": [], "m": {"$unknown": true}}"#)).is_none());
}

const PATHS: &str = r#"{"block": {"attributes": {
    "l": {"type": ["list", "string"], "optional": true}, "m": {"type": ["map", "string"], "optional": true},
    "o": {"type": ["object", {"a": "string"}], "optional": true}, "t": {"type": ["tuple", ["string"]], "optional": true}},
    "block_types": {"b": {"nesting_mode": "list", "block": {"attributes": {"wo": {"type": "string", "optional": true, "write_only": true}}}}}}}"#;

#[test]
fn paths_that_require_replacement_are_followed_leniently() {
    use crate::lifecycle::fits::{Asked, asked};
    let schema = Schema::parse(PATHS).expect("a schema");
    let dialect = Dialect::TERRAFORM_1_11;
    let read = |member: &str| {
        let names = ["l", "m", "o", "t"].into_iter().filter(|name| !member.starts_with(&format!("\"{name}\"")));
        let rest: Vec<_> = names.map(|name| format!("\"{name}\": null")).chain([r#""b": []"#.to_owned()]).collect();
        let own = if member.is_empty() { String::new() } else { format!("{member}, ") };
        of_schema(&schema, dialect, &format!("{{{own}{}}}", rest.join(", ")))
    };
    for (prior, planned, at, wanted) in [
        (r#""o": {"a": "x"}"#, r#""o": {"a": "x"}"#, r#".o["zz"]"#, Asked::Nowhere),
        (r#""m": {"k": "v"}"#, r#""m": {"k": "v"}"#, r#".m["k"]"#, Asked::Unchanged),
        (r#""m": {"k": "v"}"#, r#""m": {"k": "v"}"#, r#".m["zz"]"#, Asked::Nowhere),
        ("", r#""m": {"$unknown": true}"#, r#".m["k"]"#, Asked::Kept),
        (r#""l": ["a"]"#, r#""l": ["b"]"#, r#".l["0"]"#, Asked::Kept),
        ("", r#""l": {"$unknown": true}"#, r#".l["0"]"#, Asked::Kept),
        ("", r#""l": {"$unknown": true}"#, r#".l["-1"]"#, Asked::Kept),
        ("", r#""l": {"$unknown": true}"#, r#".l["x"]"#, Asked::Nowhere),
        (r#""l": ["a"]"#, r#""l": ["a"]"#, r#".l["1.0"]"#, Asked::Open),
        (r#""t": ["a"]"#, r#""t": ["a"]"#, ".t[0]", Asked::Unchanged),
        ("", r#""t": {"$unknown": true}"#, ".t[0]", Asked::Open),
        ("", "", ".b[0].wo", Asked::Open),
    ] {
        assert_eq!(asked(&schema, &read(prior), &read(planned), &path(at)), wanted, "{at} of {planned}");
    }
}

#[test]
fn unknowns_become_null_and_all_else_stays() {
    use crate::lifecycle::fits::is_nulled;
    let is = |value: &Value, known: &Value| is_nulled(value.view(), known.view());
    assert!(is(&value(PLANNED), &value(r#"{"name": "b"}"#)));
    assert!(!is(&value(PLANNED), &value(r#"{"name": "c"}"#)));
    let ty = planfuzz_core::value::Type::set(planfuzz_core::value::Type::String);
    let set = |text| Value::from_json(&planfuzz_core::json::Json::parse(text).expect("JSON"), &ty).expect("a set");
    let answered = set(r#"["a", {"$unknown": true}]"#);
    assert!(is(&answered, &set(r#"["a", null]"#)) && is(&answered, &set(r#"["a"]"#)));
    for other in ["[]", "null", r#"["a", "b", "c"]"#] {
        assert!(!is(&answered, &set(other)), "{other}");
    }
}

#[test]
fn i35_an_object_of_an_older_version_is_sent_as_it_is_stored() {
    use crate::lifecycle::calls::is_as_stored;
    use planfuzz_core::planner::RawState;
    let schema =
        Schema::parse(r#"{"version": 2, "block": {"attributes": {"n": {"type": "string", "optional": true}}}}"#)
            .expect("a schema");
    let json = |text| planfuzz_core::json::Json::parse(text).expect("JSON");
    let stored = |version| Object {
        stored: planfuzz_core::state::Stored::Raw { version, attributes: json(r#"{"n": "a", "old": 1}"#).into() },
        ..object(THERE, "A")
    };
    let is =
        |stored: &Object, version, sent| is_as_stored(&schema, stored, version, &RawState::Json(json(sent).into()));
    assert!(is(&stored(1), 1, r#"{"n": "a", "old": 1}"#));
    assert!(!is(&stored(1), 1, r#"{"n": "a"}"#));
    assert!(!is(&stored(1), 2, r#"{"n": "a", "old": 1}"#));
    // If the versions are equal, Core drops members.
    assert!(is(&stored(2), 2, r#"{"n": "a"}"#));
}

/// The invariants that a sent configuration breaks, with ignored entries, or with all changes ignored.
fn ignored_by(
    schema: &str,
    dialect: Dialect,
    entries: Option<&[&str]>,
    [prior, written, sent]: [&str; 3],
) -> Vec<&'static str> {
    use crate::lifecycle::{calls::Calls, findings::Findings, ignored};
    use planfuzz_core::planner::IgnoreChanges;
    let schema = Schema::parse(schema).expect("a schema");
    let read = |text| of_schema(&schema, dialect, text);
    let mut walk = no_op().remove(0).plan;
    let configured = settings(&mut walk.request.presence);
    configured.config = planfuzz_core::plans::Marked::plain(read(written));
    configured.lifecycle.ignore_changes = match entries {
        None => IgnoreChanges::All,
        Some(entries) => IgnoreChanges::Some(entries.iter().map(|entry| path(entry)).collect()),
    };
    let mut findings = Findings::default();
    let of = Lifecycle::new(&schema, dialect);
    ignored::check(&of, &mut findings, &Calls::of_plan(&walk), &read(prior), &read(sent));
    findings.finish().broken.iter().map(|broken| broken.invariant).collect()
}

const KINDS: &str = r#"{"block": {"attributes": {
    "d": {"type": "dynamic", "optional": true}, "l": {"type": ["list", "string"], "optional": true}, "m": {"type": ["map", "string"], "optional": true}},
    "block_types": {"s": {"nesting_mode": "set", "block": {"attributes": {
        "id": {"type": "string", "computed": true}, "n": {"type": "string", "optional": true}}}}}}}"#;

fn kinds(d: &str, l: &str, m: &str, s: &str) -> String {
    format!(r#"{{"d": {d}, "l": {l}, "m": {m}, "s": {s}}}"#)
}

#[test]
fn all_that_is_ignored_is_sent_as_it_was() {
    let of = |prior: String, sent: String| {
        ignored_by(KINDS, Dialect::TERRAFORM_1_11, None, [&prior, &kinds("null", "null", "null", "[]"), &sent])
    };
    let list = |l: &str| kinds("null", l, "null", "[]");
    let map = |m: &str| kinds("null", "null", m, "[]");
    let set = |s: &str| kinds("null", "null", "null", s);
    assert_eq!(of(list(r#"["a", "b"]"#), list(r#"["a", "b"]"#)), [""; 0]);
    assert_eq!(of(list(r#"["a", "b"]"#), list(r#"["a"]"#)), ["I37"]);
    assert_eq!(of(map(r#"{"k": "v"}"#), map(r#"{"j": "v"}"#)), ["I37"]);
    // Without their ids the two are one.
    let two = || set(r#"[{"id": "1", "n": "a"}, {"id": "2", "n": "a"}]"#);
    assert_eq!(of(two(), set(r#"[{"id": null, "n": "a"}]"#)), [""; 0]);
    assert_eq!(of(two(), set("[]")), ["I37"]);
    assert_eq!(of(set("[]"), two()), ["I37"]);
}

#[test]
fn entries_of_maps_are_sent_as_they_were() {
    let of = |entries: &[&str], prior: &str, written: &str, sent: &str| {
        ignored_by(KINDS, Dialect::TERRAFORM_1_11, Some(entries), [prior, written, sent])
    };
    let map = |m: &str| kinds("null", "null", m, "[]");
    let list = |l: &str| kinds("null", l, "null", "[]");
    let dynamic = |d: &str| kinds(d, "null", "null", "[]");
    let entry = [r#".m["k"]"#];
    assert_eq!(of(&entry, &map(r#"{"k": "1"}"#), &map(r#"{"k": "2"}"#), &map(r#"{"k": "1"}"#)), [""; 0]);
    assert_eq!(of(&entry, &map(r#"{"k": "1"}"#), &map(r#"{"k": "2"}"#), &map(r#"{"k": "2"}"#)), ["I37"]);
    // L69: in a set of strings each string is its own key.
    let (was, written, sent) = (
        dynamic(r#"{"type": ["set", "string"], "value": ["a"]}"#),
        dynamic(r#"{"type": ["map", "string"], "value": {"a": "2"}}"#),
        dynamic(r#"{"type": ["map", "string"], "value": {"a": "a"}}"#),
    );
    assert_eq!(of(&[r#".d["a"]"#], &was, &written, &sent), [""; 0]);
    // Everything except the entry stays as written.
    assert_eq!(of(&[".l[0]"], &list(r#"["x"]"#), &list("null"), &list("[]")), ["I02"]);
    assert_eq!(of(&[".l[0]"], &list(r#"["x"]"#), &list(r#"["x"]"#), &list(r#"["x", "y"]"#)), ["I02"]);
    assert_eq!(of(&[".m"], &list(r#"["x"]"#), &list(r#"["x"]"#), &list(r#"["y"]"#)), ["I02"]);
}

#[test]
fn computed_blocks_are_prepared_after_ignored_changes() {
    let of = |entries: Option<&[&str]>, prior: &str, written: &str, sent: &str| {
        ignored_by(COMPUTED, Dialect::TERRAFORM_1_17, entries, [prior, written, sent])
    };
    let some: Option<&[&str]> = Some(&[".a"]);
    let (prior, written) = (r#"{"a": "0", "o": "p", "b": []}"#, r#"{"a": "1", "o": "p", "b": []}"#);
    assert_eq!(of(some, prior, written, r#"{"a": "0", "o": "p", "b": null}"#), [""; 0]);
    assert_eq!(of(some, prior, written, r#"{"a": "0", "o": "q", "b": null}"#), ["I02"]);
    assert_eq!(of(None, prior, written, r#"{"a": "0", "o": "p", "b": null}"#), [""; 0]);
    assert_eq!(of(None, prior, written, r#"{"a": "1", "o": "p", "b": null}"#), ["I37"]);
}

#[test]
fn very_many_breaches_of_one_party_hide_none_of_the_other() {
    let blocks = |x: &str| {
        let block = format!(r#"{{"x": "{x}"}}"#);
        format!(r#"{{"name": "b", "b": [{}]}}"#, vec![block; 60].join(", "))
    };
    let (config, planned) = (blocks("c"), blocks("d"));
    let mut trace = create();
    trace[0].apply = None;
    let walk = &mut trace[0].plan;
    settings(&mut walk.request.presence).config = planfuzz_core::plans::Marked::plain(value(&config));
    walk.exchanges = vec![validate(&config), plan("null", &config, &config, "", &planned, "P")];
    plan_call(&mut walk.exchanges, 0).1.legacy_type_system = true;
    walk.plan.changes = vec![change(Action::Create, "null", &planned, "P")];
    walk.plan.working = None;
    let found = held(&trace);
    assert_eq!((broken(&found, "I06").len(), broken(&found, "I43").len()), (50, 1));
}

#[test]
fn an_invariant_can_be_left_out() {
    let mut trace = no_op();
    trace[0].plan.plan.changes[0].change.after = marked(value(MADE));
    let mut found = held(&trace);
    assert!(!broken(&found, "I14").is_empty() && found.broken.iter().any(|broken| broken.invariant != "I14"));
    let (others, of_first) = (found.broken.len() - broken(&found, "I14").len(), count(&found, "I01"));
    found.leave_out("I14");
    assert_eq!((count(&found, "I14"), broken(&found, "I14").len()), (0, 0));
    assert_eq!((found.broken.len(), count(&found, "I01")), (others, of_first));
}
