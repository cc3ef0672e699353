//! The apply walk of one instance (section 20).
//!
//! | file | rules |
//! | --- | --- |
//! | `create` | 20.1, 20.2: the create/update leg |
//! | `call` | 20.3: the call and its checks |
//! | `saved` | 20.4: the saved object |
//! | `destroy` | 20.5, 20.6: the destroy leg and the deposed leg |
//! | `provisioners` | A15, A42 |

mod call;
mod create;
mod destroy;
mod provisioners;
mod saved;

use crate::planning::Planning;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Applied, ApplyRequest, Presence, Provider, Refusal};
use planfuzz_core::plans::{Action, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, InstanceState};
use planfuzz_core::value::Path;

use super::walk::{Step, Walk, contained};

/// One instance's part of an apply walk.
pub(crate) fn apply(
    planning: &Planning<'_>,
    request: &ApplyRequest,
    provider: &mut dyn Provider,
) -> Result<Applied, Refusal> {
    refuse_absent_deposed(request)?;
    let mut applying = Applying { walk: Walk::new(planning, provider), request, state: request.state.clone() };
    let (deposed, current): (Vec<_>, Vec<_>) = request.changes.iter().partition(|change| change.deposed.is_some());
    let mut is_done = true;
    for change in current {
        is_done &= contained(applying.current(change))?.is_some() || is_not_awaited(change);
    }
    // A62
    for change in deposed.into_iter().filter(|_| is_done) {
        if let Some(key) = &change.deposed {
            contained(applying.deposed(key, change))?;
        }
    }
    Ok(Applied { state: applying.state, diagnostics: applying.walk.diagnostics })
}

/// LD46.
fn refuse_absent_deposed(request: &ApplyRequest) -> Result<(), Refusal> {
    let Presence::Configured(configured) = &request.presence else { return Ok(()) };
    let has_conditions = !configured.preconditions.is_empty() || !configured.postconditions.is_empty();
    let is_gone = |change: &ResourceInstanceChange| change.deposed.is_some() && change.change.action == Action::NoOp;
    match has_conditions && request.changes.iter().any(is_gone) {
        true => Err(Refusal::new("LD46", &Path::root(), "the conditions of the current object are reported twice")),
        false => Ok(()),
    }
}

/// A62: whether deposed objects do not wait for the leg of the current one.
fn is_not_awaited(change: &ResourceInstanceChange) -> bool {
    matches!(change.change.action, Action::Delete | Action::Forget)
}

/// An apply and the state that it has reached.
struct Applying<'w, 's> {
    walk: Walk<'w, 's>,
    request: &'w ApplyRequest,
    state: InstanceState,
}

impl Applying<'_, '_> {
    /// The legs of the change of the current object, in the order of 20.8.
    fn current(&mut self, change: &ResourceInstanceChange) -> Step<()> {
        if self.request.kind == ResourceKind::Data {
            return self.walk.apply_data(&self.request.presence, change, &mut self.state.current);
        }
        match change.change.action {
            Action::NoOp | Action::Create | Action::Update => self.create_leg(change),
            Action::Delete => self.destroy_leg(change),
            // A61
            Action::DeleteThenCreate => {
                self.destroy_leg(change)?;
                self.create_leg(change)
            }
            // A62
            Action::CreateThenDelete => {
                self.create_leg(change)?;
                // An error of this leg ends only this leg.
                contained(self.deposed_leg(&self.request.options.fresh_key.clone()))?;
                Ok(())
            }
            // 20.7
            Action::Forget => {
                // 20.7
                if let Some(object) = self.state.current.clone() {
                    self.walk.read_stored(&object)?;
                }
                self.state.current = None;
                Ok(())
            }
            Action::ForgetThenCreate => {
                self.state.current = None;
                self.create_leg(change)
            }
            // Terraform 1.17: the old object is forgotten once the new one is there.
            Action::CreateThenForget => {
                self.create_leg(change)?;
                self.state.deposed.remove(&self.request.options.fresh_key);
                Ok(())
            }
            Action::Read => Ok(()),
        }
    }

    /// The leg of a deposed object (A53, 20.7).
    fn deposed(&mut self, key: &DeposedKey, change: &ResourceInstanceChange) -> Step<()> {
        match change.change.action {
            Action::Delete => self.deposed_leg(key),
            Action::Forget => {
                // 20.7
                if let Some(stored) = self.state.deposed.get(key).cloned()
                    && self.read_deposed(&stored)?.is_none()
                {
                    return Ok(());
                }
                self.state.deposed.remove(key);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lifecycle::fixture::{
        Fixture, fixture, key, marked, object, remark, stored, summaries, text_of, value_of,
    };
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::planner::{ApplyAnswer, ApplyChange, Presence, Provisioner, Remark, Severity};
    use planfuzz_core::plans::{Action, Marked, ResourceInstanceChange};
    use planfuzz_core::state::Status;
    use planfuzz_core::state::Stored;
    use planfuzz_core::value::{Tri, Value};

    const OLD: &str = r#"{"id":"1","name":"a"}"#;

    fn replacing(create_before_destroy: bool) -> Fixture {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        fixture.configured().lifecycle.create_before_destroy = create_before_destroy;
        fixture.options.replace = true;
        fixture.options.fresh_key = key("0000000a");
        fixture
    }

    fn applied(dialect: Dialect, apply: fn(&ApplyChange, &mut ApplyAnswer)) -> (Vec<String>, Option<Value>) {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        fixture.dialect = dialect;
        fixture.provider.apply = apply;
        let outcome = fixture.plan_and_apply().answer;
        (summaries(&outcome.diagnostics), outcome.state.current.is_some().then(|| value_of(&outcome.state.current)))
    }

    #[test]
    fn a61_a_replacement_destroys_with_the_private_data_of_its_plan_and_creates_with_none() {
        let run = replacing(false).plan_and_apply();
        assert_eq!(run.calls(), "upgrade apply validate plan apply");
        assert!(run.plan_requests()[0].prior.is_null() && run.plan_requests()[0].private.is_none());
        let privates: Vec<_> = run.apply_requests().iter().map(|request| text_of(&request.private)).collect();
        assert_eq!(privates, ["P2", "P3"], "A43");
        assert_eq!(value_of(&run.answer.state.current), object(r#"{"id":"NEW","name":"b","oc":"NEW"}"#));
    }

    #[test]
    fn a61_nothing_is_created_where_the_destruction_failed() {
        let mut fixture = replacing(false);
        fixture.provider.apply = |_, answer| answer.remarks.push(remark(Severity::Error, "no"));
        let run = fixture.plan_and_apply();
        assert_eq!(run.calls(), "upgrade apply");
        assert_eq!(value_of(&run.answer.state.current), object(OLD), "A34");
    }

    #[test]
    fn a62_creating_first_deposes_and_plans_the_old_object_again() {
        let run = replacing(true).plan_and_apply();
        assert_eq!(run.calls(), "validate plan apply upgrade plan apply");
        let plan = run.plan_requests()[1];
        assert!(plan.config.is_null() && plan.prior == object(OLD));
        assert_eq!(text_of(&plan.private), "R", "A50: its own private data");
        assert_eq!(text_of(&run.apply_requests()[1].private), "P4");
        assert!(run.answer.state.deposed.is_empty() && run.answer.diagnostics.is_empty());
    }

    #[test]
    fn a16_a_failed_creation_gives_the_old_object_its_place_back() {
        let mut fixture = replacing(true);
        fixture.provider.apply = |_, answer| {
            answer.remarks.push(remark(Severity::Error, "no"));
            answer.new_state = Some(Value::null(object(OLD).ty().clone()));
        };
        let run = fixture.plan_and_apply();
        assert_eq!(run.calls(), "validate plan apply");
        assert_eq!(value_of(&run.answer.state.current), object(OLD));
        assert!(run.answer.state.deposed.is_empty());
        fixture = replacing(true);
        fixture.provider.apply = |_, answer| answer.remarks.push(remark(Severity::Error, "no"));
        let run = fixture.plan_and_apply();
        assert_eq!(run.answer.state.current.map(|object| object.status), Some(Status::Tainted));
        assert_eq!(run.answer.state.deposed.len(), 1);
    }

    #[test]
    fn a16_a_replacement_that_creates_first_by_now_has_nothing_to_restore() {
        for (by_now, want) in
            [(true, vec!["E Attempt to restore non-existent deposed object", "E no"]), (false, vec!["E no"])]
        {
            let mut fixture = replacing(false);
            let changes = fixture.plan().answer.changes;
            assert_eq!(changes[0].change.action, Action::DeleteThenCreate);
            fixture.configured().lifecycle.create_before_destroy = by_now;
            fixture.provider.apply = |request, answer| {
                if !request.planned.is_null() {
                    answer.remarks.push(remark(Severity::Error, "no"));
                }
            };
            assert_eq!(summaries(&fixture.apply(changes).answer.diagnostics), want);
        }
    }

    #[test]
    fn a16_a_failed_final_plan_restores_nothing() {
        let mut fixture = replacing(true);
        let plan = fixture.plan().answer;
        fixture.state = plan.refreshed;
        fixture.provider.plan = |_, answer| answer.remarks.push(remark(Severity::Error, "no"));
        let run = fixture.apply(plan.changes);
        assert_eq!(run.calls(), "validate plan");
        assert!(run.answer.state.current.is_none());
        assert_eq!(run.answer.state.deposed.len(), 1);
    }

    #[test]
    fn a06_a07_the_final_plan_keeps_action_and_known_values() {
        let mut fixture = fixture(OLD, r#"{"name":{"$unknown":true}}"#);
        let mut plan = fixture.plan().answer;
        fixture.state = plan.refreshed.clone();
        fixture.configured().config = Marked::plain(object(r#"{"name":"a"}"#));
        let run = fixture.apply(plan.changes.clone());
        assert_eq!((run.calls().as_str(), run.answer.diagnostics.len()), ("upgrade validate plan", 0), "A10");
        fixture.configured().config = Marked::plain(object(r#"{"name":"b","pass":"p"}"#));
        let run = fixture.apply(plan.changes.clone());
        assert_eq!(summaries(&run.answer.diagnostics), ["E Provider produced inconsistent final plan .pass"]);
        plan.changes[0].change.action = Action::Create;
        let run = fixture.apply(plan.changes);
        let pif = "E Provider produced inconsistent final plan";
        assert_eq!(summaries(&run.answer.diagnostics), [pif.to_owned(), format!("{pif} .pass")]);
    }

    #[test]
    fn a05_a_deferral_is_an_error_of_terraform() {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        let plan = fixture.plan().answer;
        fixture.provider.plan = |_, answer| answer.deferred = true;
        let run = fixture.apply(plan.changes);
        assert_eq!(summaries(&run.answer.diagnostics), ["E Resource deferred during apply, but not during plan"]);
    }

    #[test]
    fn a10_a_no_op_is_read_where_it_has_conditions_and_they_hold() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        let plan = fixture.plan().answer;
        for (before, after, want) in [
            (Tri::True, Tri::True, vec![]),
            (Tri::True, Tri::False, vec!["E Resource postcondition failed"]),
            (Tri::False, Tri::False, vec!["E Resource precondition failed"]),
        ] {
            fixture.configured().preconditions = vec![before];
            fixture.configured().postconditions = vec![after];
            let run = fixture.apply(plan.changes.clone());
            assert_eq!(run.calls(), "upgrade");
            assert_eq!(summaries(&run.answer.diagnostics), want);
        }
    }

    #[test]
    fn a17_a_postcondition_is_checked_after_a_failed_call() {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        let plan = fixture.plan().answer;
        fixture.configured().postconditions = vec![Tri::False];
        fixture.provider.apply = |_, answer| answer.remarks.push(remark(Severity::Error, "no"));
        assert_eq!(
            summaries(&fixture.apply(plan.changes).answer.diagnostics),
            ["E Resource postcondition failed", "E no"]
        );
    }

    #[test]
    fn a24_marks_alone_do_not_reach_the_provider() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.configured().config = marked(r#"{"name":"a"}"#, &[".name"]);
        let run = fixture.plan_and_apply();
        assert_eq!(run.calls(), "upgrade validate plan");
        let object = run.answer.state.current.expect("an object");
        assert_eq!(
            (text_of(&object.private), object.sensitive.texts()),
            ("R", vec![".name".to_owned(), ".pass".to_owned()])
        );
    }

    #[test]
    fn a26_a_dead_call_keeps_the_value_and_loses_the_private_data() {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        fixture.provider.apply = |_, answer| answer.new_state = None;
        let outcome = fixture.plan_and_apply().answer;
        assert_eq!(summaries(&outcome.diagnostics), ["E Provider produced invalid object"]);
        assert_eq!(value_of(&outcome.state.current), object(OLD));
        assert!(outcome.state.current.expect("an object").private.is_none());
        fixture.provider.apply = |_, answer| {
            answer.new_state = None;
            answer.remarks.push(remark(Severity::Error, "Plugin did not respond"));
        };
        assert_eq!(summaries(&fixture.plan_and_apply().answer.diagnostics), ["E Plugin did not respond"]);
    }

    #[test]
    fn a27_a28_unusable_answers_keep_an_object_by_dialect() {
        let (t11, th, ot) = (Dialect::TERRAFORM_1_11, Dialect::TERRAFORM_1_17, Dialect::OPENTOFU_1_12);
        let pio = "E Provider produced invalid object";
        let foreign = |_: &ApplyChange, answer: &mut ApplyAnswer| answer.new_state = Some(Value::bool(true));
        assert_eq!(applied(t11, foreign), (vec![pio.to_owned()], None));
        assert_eq!(applied(ot, foreign), (vec![pio.to_owned()], None));
        assert_eq!(applied(th, foreign), (vec![pio.to_owned()], Some(object(OLD))));
        let leak = r#"{"id":"1","name":"b","wo":"x"}"#;
        let leaks = |_: &ApplyChange, answer: &mut ApplyAnswer| {
            answer.new_state = Some(object(r#"{"id":"1","name":"b","wo":"x"}"#));
        };
        assert_eq!(applied(t11, leaks), (vec![format!("{pio} .wo")], None));
        assert_eq!(applied(th, leaks), (vec![format!("{pio} .wo")], Some(object(OLD))));
        assert_eq!(applied(ot, leaks), (vec!["E Invalid provider response .wo".to_owned()], Some(object(leak))));
    }

    #[test]
    fn a62_deposed_objects_wait_for_creations_and_updates() {
        for (old, config, postcondition, is_reached) in [
            ("", "b", Tri::True, true),
            ("", "b", Tri::False, false),
            (OLD, "b", Tri::True, true),
            (OLD, "b", Tri::False, false),
            (OLD, "a", Tri::True, true),
            (OLD, "a", Tri::False, false),
        ] {
            let mut fixture = fixture(old, &format!(r#"{{"name":"{config}"}}"#));
            fixture.state.deposed.insert(key("00000009"), stored(r#"{"id":"9"}"#));
            let changes = fixture.plan().answer.changes;
            fixture.configured().postconditions = vec![postcondition];
            let state = fixture.apply(changes).answer.state;
            assert_eq!(state.deposed.is_empty(), is_reached, "{old} {config} {postcondition:?}");
        }
    }

    #[test]
    fn a15_a_provisioner_that_fails_taints_unless_it_may() {
        let provisioner = |on_failure_continue| Provisioner { on_destroy: false, fails: true, on_failure_continue };
        for (may, status, want) in [(true, Status::Ready, &[][..]), (false, Status::Tainted, &["E Provisioner failed"])]
        {
            let mut fixture = fixture("", r#"{"name":"a"}"#);
            fixture.configured().provisioners = vec![provisioner(may)];
            let outcome = fixture.plan_and_apply().answer;
            assert_eq!(summaries(&outcome.diagnostics), want, "LD44");
            assert_eq!(outcome.state.current.map(|object| object.status), Some(status));
        }
    }

    #[test]
    fn a42_a_destroy_time_provisioner_that_fails_keeps_the_object_unless_it_is_tainted() {
        for (status, calls) in [(Status::Ready, "upgrade"), (Status::Tainted, "upgrade apply validate plan apply")] {
            let mut fixture = replacing(false);
            fixture.state.current.as_mut().expect("an object").status = status;
            fixture.configured().provisioners =
                vec![Provisioner { on_destroy: true, fails: true, on_failure_continue: false }];
            let run = fixture.plan_and_apply();
            assert_eq!(run.calls(), calls);
            assert!(run.answer.state.current.is_some());
        }
    }

    #[test]
    fn a53_section_20_7_deposed_objects_are_destroyed_or_forgotten_by_their_keys() {
        let mut fixture = fixture("", "");
        for name in ["0000000a", "0000000b"] {
            fixture.state.deposed.insert(key(name), stored(OLD));
        }
        let plan = fixture.plan();
        assert_eq!(plan.changes(), "0000000a:delete, 0000000b:delete");
        let mut changes = plan.answer.changes;
        changes[1].change.action = Action::Forget;
        let run = fixture.apply(changes.clone());
        assert_eq!(run.calls(), "upgrade plan apply upgrade");
        assert!(run.answer.state.is_absent());
        fixture.state = run.answer.state;
        let run = fixture.apply(changes);
        assert_eq!(summaries(&run.answer.diagnostics), ["E Deposed object not found"]);
    }

    #[test]
    fn ld46_engines_die_of_a_deposed_object_that_is_gone_beside_conditions() {
        for (dialect, has_condition, refused) in [
            (Dialect::TERRAFORM_1_11, true, true),
            (Dialect::TERRAFORM_1_11, false, false),
            (Dialect::OPENTOFU_1_12, true, true),
        ] {
            let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
            fixture.dialect = dialect;
            fixture.configured().postconditions = vec![Tri::True; usize::from(has_condition)];
            let plan = fixture.plan();
            let mut changes = plan.answer.changes;
            let gone = ResourceInstanceChange { deposed: Some(key("0000000a")), ..changes[0].clone() };
            changes.push(gone);
            assert_eq!(fixture.try_apply(changes).is_err(), refused, "{dialect}");
        }
    }

    #[test]
    fn l06_opentofu_knows_of_a_forced_flag_only_where_the_plan_creates_first() {
        let (t11, ot) = (Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12);
        for (dialect, creates_first, want) in
            [(t11, false, true), (ot, false, false), (t11, true, true), (ot, true, true)]
        {
            let mut fixture = replacing(creates_first);
            fixture.dialect = dialect;
            let changes = fixture.plan().answer.changes;
            fixture.configured().lifecycle.create_before_destroy = false;
            fixture.configured().lifecycle.forced_create_before_destroy = true;
            let state = fixture.apply(changes).answer.state;
            assert_eq!(state.current.expect("an object").create_before_destroy, want, "{dialect} {creates_first}");
        }
    }

    #[test]
    fn section_20_7_opentofu_forgets_then_creates() {
        let mut fixture = replacing(false);
        fixture.dialect = Dialect::OPENTOFU_1_12;
        fixture.configured().lifecycle.keep_on_destroy = true;
        let run = fixture.plan_and_apply();
        assert_eq!(run.calls(), "validate plan apply");
        assert!(run.answer.diagnostics.is_empty());
        assert!(run.answer.state.current.expect("an object").skip_destroy, "L129");
    }

    #[test]
    fn a54_a_deferral_of_a_deposed_objects_destruction_keeps_it_without_diagnostics() {
        for (dialect, is_kept) in
            [(Dialect::TERRAFORM_1_11, true), (Dialect::TERRAFORM_1_17, true), (Dialect::OPENTOFU_1_12, false)]
        {
            let mut fixture = fixture("", "");
            fixture.dialect = dialect;
            fixture.state.deposed.insert(key("0000000a"), stored(OLD));
            let plan = fixture.plan().answer;
            fixture.state = plan.refreshed;
            // L121 is not checked after a deferral.
            fixture.provider.plan = |request, answer| (answer.deferred, answer.planned) = (true, request.prior.clone());
            let run = fixture.apply(plan.changes);
            let want: &[&str] = if is_kept { &[] } else { &["E Provider produced invalid plan"] };
            assert_eq!(summaries(&run.answer.diagnostics), want, "{dialect}");
            assert_eq!(run.answer.state.deposed.len(), 1, "{dialect}");
            assert_eq!(run.calls(), "upgrade plan", "{dialect}");
        }
    }

    #[test]
    fn a55_a_warning_keeps_a_deposed_object() {
        for action in [Action::Delete, Action::Forget] {
            let mut fixture = fixture("", "");
            fixture.state.deposed.insert(key("0000000a"), stored(OLD));
            let plan = fixture.plan().answer;
            fixture.state = plan.refreshed;
            let mut changes = plan.changes;
            changes.iter_mut().for_each(|change| change.change.action = action);
            fixture.provider.upgrade =
                |answer| answer.remarks.push(Remark { severity: Severity::Warning, summary: "odd".into() });
            let run = fixture.apply(changes);
            assert_eq!(summaries(&run.answer.diagnostics), ["W odd"]);
            assert_eq!(run.calls(), "upgrade");
            assert_eq!(run.answer.state.deposed.len(), 1);
        }
    }

    #[test]
    fn a40_a_deletion_needs_no_configuration_and_a_forgotten_object_is_only_read() {
        let mut fixture = fixture(OLD, "");
        let run = fixture.plan_and_apply();
        assert_eq!(run.calls(), "upgrade apply");
        assert!(run.answer.state.is_absent());
        fixture = self::fixture(OLD, "");
        fixture.presence = Presence::Removed(Default::default());
        let run = fixture.plan_and_apply();
        assert_eq!(run.calls(), "upgrade", "20.7");
        assert!(run.answer.state.is_absent());
    }

    #[test]
    fn a04_without_a_configuration_there_is_nothing_to_create() {
        let mut fixture = fixture("", "");
        let mut nothing = stored(OLD);
        nothing.stored = Stored::Value(Value::null(object(OLD).ty().clone()));
        fixture.state.current = Some(nothing);
        let mut changes = fixture.plan().answer.changes;
        assert_eq!(changes[0].change.action, Action::NoOp);
        let run = fixture.apply(changes.clone());
        assert!(run.exchanges.is_empty() && run.answer.diagnostics.is_empty());
        assert!(run.answer.state.current.is_some());
        changes[0].change.action = Action::Create;
        assert!(fixture.try_apply(changes).is_err());
    }
}
