//! Traces at the edge of the checks: open outcomes, the party at fault, breaks that only seem to be.

use super::core_breaks::{exchanges_of_apply, failing, ignoring, saved};
use super::runs::*;
use super::{Party, apply_call, broken, count, held, held_in, plan_call};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Exchange, IgnoreChanges, StepTrace};
use planfuzz_core::plans::{Action, Marked, Mode};
use planfuzz_core::state::Private;

#[test]
fn i29_an_update_to_nothing_that_fails_keeps_its_private_data() {
    let mut run = update();
    let apply = run[0].apply.as_mut().expect("an apply");
    let (_, answer) = plan_call(&mut apply.exchanges, 0);
    (answer.planned, answer.legacy_type_system) = (null(), true);
    let (request, answer) = apply_call(&mut apply.exchanges, 0);
    (request.planned, answer.new_state) = (null(), None);
    answer.remarks.push(error("no"));
    apply.applied.state = apply.request.state.clone();
    apply.applied.diagnostics.push(error_diagnostic("no"));
    assert!(broken(&held(&run), "I29").is_empty());
}

#[test]
fn i29_an_unknown_of_an_upgrade_stays_as_null() {
    let mut run = failing(update(), false);
    if let Exchange::Upgrade(_, answer) = &mut exchanges_of_apply(&mut run)[0] {
        answer.upgraded = value(r#"{"id": "1", "name": "a", "oc": {"$unknown": true}}"#);
    }
    store(saved(&mut run).current.as_mut().expect("an object"), r#"{"id": "1", "name": "a"}"#);
    assert!(broken(&held_in(&run, Dialect::OPENTOFU_1_12), "I29").is_empty());
}

#[test]
fn i49_a_value_that_no_provider_answered_is_no_leak_of_a_provider() {
    let mut run = create();
    store(saved(&mut run).current.as_mut().expect("an object"), r#"{"id": "2", "name": "b", "oc": "y", "wo": "w"}"#);
    for dialect in [Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12] {
        assert!(!broken(&held_in(&run, dialect), "I49").is_empty(), "{dialect:?}");
    }
}

#[test]
fn an_object_that_is_upgraded_to_null_is_open() {
    let mut run = delete();
    let exchanges = exchanges_of_apply(&mut run);
    if let Exchange::Upgrade(_, answer) = &mut exchanges[0] {
        answer.upgraded = null();
    }
    exchanges.truncate(1);
    let found = held(&run);
    assert!(broken(&found, "I40").is_empty() && broken(&found, "I29").is_empty(), "{:?}", found.broken);
}

#[test]
fn i41_the_private_data_of_null_objects_are_open() {
    let mut run = update();
    run[0].apply = None;
    if let Exchange::Upgrade(_, answer) = &mut run[0].plan.exchanges[0] {
        answer.upgraded = null();
    }
    plan_call(&mut run[0].plan.exchanges, 0).0.private = Private::NONE;
    assert!(broken(&held(&run), "I41").is_empty());
    let mut run = update();
    run[0].apply = None;
    if let Exchange::Read(_, answer) = &mut run[0].plan.exchanges[1] {
        answer.new_state = value(r#"{"$unknown": true}"#);
    }
    run[0].plan.plan.refreshed.current = None;
    plan_call(&mut run[0].plan.exchanges, 0).0.private = Private::NONE;
    assert!(broken(&held_in(&run, Dialect::OPENTOFU_1_12), "I41").is_empty());
}

#[test]
fn i43_nothing_is_seen_of_an_orphan_that_is_nothing() {
    let mut run = delete();
    let walk = &mut run[0].plan;
    walk.plan.changes = vec![change(Action::NoOp, "null", "null", "")];
    walk.exchanges.clear();
    run[0].apply = None;
    let found = held(&run);
    assert_eq!((broken(&found, "I43").len(), count(&found, "I43")), (0, 1));
}

#[test]
fn i41_a_destroyed_object_keeps_no_private_data() {
    let mut run = data();
    let walk = &mut run[0].plan;
    (walk.request.mode, walk.request.state, walk.plan.refreshed) =
        (Mode::Destroy, state(Some(object(MADE, "A"))), state(Some(object(MADE, "A"))));
    walk.exchanges.clear();
    walk.plan.changes = vec![change(Action::Delete, "null", "null", "")];
    assert!(broken(&held(&run), "I41").is_empty());
    let mut run = create();
    run[0].apply = None;
    let walk = &mut run[0].plan;
    walk.request.mode = Mode::Destroy;
    (walk.plan.changes, walk.plan.working) = (vec![change(Action::NoOp, "null", "null", "")], None);
    assert!(broken(&held(&run), "I41").is_empty());
}

/// Adds deposed objects to an apply, whose calls may follow.
fn with_deposed(run: &mut [StepTrace], keys: &[&str], text: &str) {
    let apply = run[0].apply.as_mut().expect("an apply");
    for key in keys {
        let key = planfuzz_core::state::DeposedKey::new(key).expect("a key");
        apply.request.state.deposed.insert(key.clone(), object(text, "A"));
        let mut deleted = change(Action::Delete, text, "null", "D");
        deleted.deposed = Some(key);
        apply.request.changes.push(deleted);
    }
}

fn destroys_deposed(text: &str) -> [Exchange; 3] {
    [upgrade(text), plan(text, "null", "null", "A", "null", "D"), apply(text, "null", "null", "D", "null", "")]
}

#[test]
fn i40_calls_for_a_deposed_object_are_not_taken_for_those_of_the_old_one() {
    let mut run = replace_creating_first_in_vain();
    with_deposed(&mut run, &["0000000a"], MADE);
    exchanges_of_apply(&mut run).extend(destroys_deposed(MADE));
    let found = held(&run);
    assert!(!broken(&found, "I40").is_empty() && broken(&found, "I31").is_empty(), "{:?}", found.broken);
}

#[test]
fn i31_the_calls_of_the_old_object_are_its_own() {
    let mut run = replace_creating_first();
    apply_call(exchanges_of_apply(&mut run), 0).1.remarks.push(error("no"));
    let found = held(&run);
    assert!(broken(&found, "I40").is_empty() && !broken(&found, "I31").is_empty(), "{:?}", found.broken);
}

#[test]
fn i40_equal_deposed_objects_each_have_their_calls() {
    let mut run = no_op();
    with_deposed(&mut run, &["0000000a", "0000000b", "0000000c"], THERE);
    let exchanges = exchanges_of_apply(&mut run);
    (0..3).for_each(|_| exchanges.extend(destroys_deposed(THERE)));
    apply_call(exchanges, 0).1.remarks.push(error("no"));
    assert!(broken(&held(&run), "I40").is_empty());
}

#[test]
fn i40_a_failed_provisioner_holds_up_deposed_objects() {
    let mut run = create();
    with_deposed(&mut run, &["0000000a"], THERE);
    exchanges_of_apply(&mut run).extend(destroys_deposed(THERE));
    assert!(broken(&held(&run), "I40").is_empty());
    let fails = planfuzz_core::planner::Provisioner { on_destroy: false, fails: true, on_failure_continue: false };
    settings(&mut run[0].apply.as_mut().expect("an apply").request.presence).provisioners = vec![fails];
    assert!(!broken(&held(&run), "I40").is_empty());
}

#[test]
fn i36_either_party_left_changes_where_the_prior_is_another_one() {
    let mut run = settled();
    run[1].plan.exchanges[3] = plan(THERE, CONFIG, PROPOSED, "S", UPDATED, "P");
    run[1].plan.plan.changes[0] = change(Action::Update, THERE, UPDATED, "P");
    let found = held(&run);
    let left: Vec<_> = broken(&found, "I36").iter().map(|broken| (broken.fault, broken.step)).collect();
    assert_eq!(left, [(Party::Either, 1)]);
}

/// A settled trace whose second plan only updates marks.
fn moving_marks(ignored: IgnoreChanges, before: &[&str], after: &[&str]) -> bool {
    let mut run = settled();
    let walk = &mut run[1].plan;
    settings(&mut walk.request.presence).lifecycle.ignore_changes = ignored;
    let change = &mut walk.plan.changes[0];
    change.change.action = Action::Update;
    (change.change.before, change.change.after) =
        (Marked::new(value(UPDATED), &paths(before)), Marked::new(value(UPDATED), &paths(after)));
    broken(&held(&run), "I36").is_empty()
}

#[test]
fn i36_marks_that_are_ignored_may_move() {
    let name = || IgnoreChanges::Some(vec![path(".name")]);
    assert!(moving_marks(name(), &[".secret"], &[".name", ".secret"]));
    assert!(!moving_marks(name(), &[".secret"], &[".oc", ".secret"]));
    assert!(moving_marks(IgnoreChanges::All, &[".id", ".secret"], &[".secret"]));
    assert!(!moving_marks(IgnoreChanges::All, &[".oc", ".secret"], &[".secret"]));
    assert!(!moving_marks(IgnoreChanges::All, &[".name", ".secret"], &[".secret"]));
}

fn faults(run: &[StepTrace], invariant: &str) -> Vec<Party> {
    broken(&held(run), invariant).iter().map(|broken| broken.fault).collect()
}

#[test]
fn an_answer_to_a_change_that_should_be_ignored_is_the_fault_of_the_asking_party() {
    for sent in [r#"{"name": "b", "oc": "q", "wo": "w"}"#, r#"{"name": "other", "wo": "w"}"#] {
        let mut run = ignoring();
        let (request, answer) = plan_call(&mut run[0].plan.exchanges, 0);
        // The proposed object is the right merge, so that only the ignored part is wrong.
        request.config = value(sent);
        let proposed = sent.replacen('{', r#"{"id": "1", "#, 1);
        request.proposed =
            value(&if sent.contains("oc") { proposed } else { proposed.replace("\"wo\"", "\"oc\": \"z\", \"wo\"") });
        answer.planned = value(r#"{"id": "1", "name": "x", "oc": "z"}"#);
        let found = faults(&run, "I06");
        assert!(!found.is_empty() && found.iter().all(|fault| *fault == Party::Core), "{found:?}");
    }
}

#[test]
fn an_answer_to_a_creation_with_a_prior_is_the_fault_of_the_asking_party() {
    let mut run = create();
    let (request, answer) = plan_call(exchanges_of_apply(&mut run), 0);
    (request.prior, request.proposed) = (value(THERE), value(PROPOSED));
    answer.planned = value(r#"{"id": "1", "name": "x", "oc": "z"}"#);
    let found = faults(&run, "I06");
    assert!(!found.is_empty() && found.iter().all(|fault| *fault == Party::Core), "{found:?}");
}
