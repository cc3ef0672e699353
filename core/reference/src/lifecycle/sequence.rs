//! Planning a configured instance (section 7), in both phases.

use crate::at::At;
use crate::computed_blocks;
use crate::merge::Merge;
use planfuzz_core::planner::{Configured, PlanAnswer, PlanChange, Refusal, Severity, summary};
use planfuzz_core::plans::{Action, ActionReason, Change, Importing, Marked, ResourceInstanceChange};
use planfuzz_core::state::{Private, Status};
use planfuzz_core::value::{PathSet, Text, Value, WrittenPath};

use super::action::{Question, decide, replacement};
use super::answer::{Call, Deferral};
use super::ignore_changes::ignore_changes;
use super::replace_filter::filter;
use super::typed_object::TypedObject;
use super::walk::{Step, Walk};

/// The input of the sequence.
pub(super) struct Sequence<'q> {
    pub configured: &'q Configured,
    /// The refreshed object, if there is one.
    pub object: Option<&'q TypedObject>,
    pub create_before_destroy: bool,
    /// Whether this instance is in the force-replace set (L92).
    pub forced: bool,
    /// Whether `replace_triggered_by` put it there (L96).
    pub triggered: bool,
    /// The severity of a false precondition (L30).
    pub preconditions: Severity,
    pub moved_from: Option<Text>,
    pub importing: Option<Text>,
    /// The private data of the answer by which the object is gone, if there is one.
    pub left: Private,
    /// The change planned earlier, in the apply phase.
    pub earlier: Option<&'q ResourceInstanceChange>,
}

/// The prior of L33.
struct Prior {
    value: Marked,
    private: Private,
    /// The value of the tainted object, which does not count as prior.
    tainted: Option<Marked>,
}

impl Walk<'_, '_> {
    /// L30 to L52.
    pub fn plan_configured(&mut self, sequence: &Sequence<'_>) -> Step<ResourceInstanceChange> {
        let Sequence { configured, earlier, .. } = *sequence;
        // L30
        self.preconditions(configured, sequence.preconditions)?;
        // L31
        if let Some(earlier) = earlier.filter(|earlier| earlier.change.action == Action::NoOp) {
            return Ok(earlier.clone());
        }
        // L32
        self.check_ephemeral(configured)?;
        // L33
        let prior = self.prior(sequence);
        // L34
        self.validate(configured.config.value())?;
        // L35
        let ignore = &configured.lifecycle.ignore_changes;
        let config = ignore_changes(ignore, &prior.value, &configured.config, Some(&self.source().block))?;
        // L36, L37, L38
        let (config, marks) = config.into_parts();
        let config = self.prepared(&config)?;
        let answer = self.ask_with(prior.value.value(), &config, prior.private.clone(), Call::First, earlier)?;
        // L39, L40, L41
        self.check_planned(&answer.planned)?;
        self.check_plan_valid(prior.value.value(), &config, &answer)?;
        // L42
        let planned = match answer.legacy_type_system {
            true => ignore_legacy(configured, &prior.value, &answer.planned)?,
            false => answer.planned,
        };
        // L43
        let sensitive = self.sensitive_paths(&planned)?;
        let mut after = Marked::new(planned, &marks.union(&sensitive));
        // L44
        let kept = self.filter_requires_replace(&answer.requires_replace, &prior, &after)?;
        // L45
        let (mut action, mut reason) = decide(&Question {
            prior: prior.value.value(),
            planned: after.value(),
            forced: sequence.forced,
            kept: &kept,
            create_before_destroy: sequence.create_before_destroy,
        });
        let mut private = answer.private;
        let mut before = prior.value;
        // L46, L47
        if action.is_replace() {
            let null = self.null();
            let config = self.prepared(configured.config.value())?;
            let second = self.ask_with(&null, &config, private, Call::Second, earlier)?;
            self.check_planned(&second.planned)?;
            after = Marked::new(second.planned, &marks);
            private = second.private;
        }
        // L48
        if let (Some(tainted), Action::Create) = (prior.tainted, action) {
            action = replacement(sequence.create_before_destroy);
            reason = ActionReason::ReplaceBecauseTainted;
            before = tainted;
        }
        // L49
        if action.is_replace() && configured.lifecycle.keep_on_destroy && self.dialect().can_keep_on_destroy() {
            action = Action::ForgetThenCreate;
        }
        // L50
        if action == Action::NoOp && before.sensitive() != after.sensitive() {
            action = Action::Update;
        }
        // L96
        if sequence.triggered {
            reason = ActionReason::ReplaceByTriggers;
        }
        // L51
        if let Some(earlier) = earlier.filter(|earlier| earlier.change.action.is_replace() && action == Action::Create)
        {
            action = earlier.change.action;
            before = earlier.change.before.clone();
        }
        // L52
        let importing = sequence.importing.clone().map(Importing::Id);
        Ok(ResourceInstanceChange {
            moved_from: sequence.moved_from.clone(),
            deposed: None,
            change: Change { action, before, after, importing },
            reason,
            required_replace: kept,
            private,
        })
    }

    /// L33; A04 for the private data.
    fn prior(&self, sequence: &Sequence<'_>) -> Prior {
        let null = Marked::plain(self.null());
        let planned = || sequence.earlier.map(|earlier| earlier.private.clone()).unwrap_or_default();
        let sends_planned = sequence.earlier.is_some() && self.dialect().sends_planned_private();
        let private = |stored: Private| if sends_planned { planned() } else { stored };
        match sequence.object.filter(|object| !object.value.is_null()) {
            None => Prior { value: null, private: private(sequence.left.clone()), tainted: None },
            Some(object) if object.status == Status::Tainted => {
                Prior { value: null, private: private(Private::NONE), tainted: Some(object.value.clone()) }
            }
            Some(object) => {
                Prior { value: object.value.clone(), private: private(object.private.clone()), tainted: None }
            }
        }
    }

    /// C01.
    fn prepared(&self, config: &Value) -> Result<Value, Refusal> {
        computed_blocks::prepare(self.dialect(), self.schema(), config.view())
    }

    /// L36, L37: a plan call with the object that Core proposes.
    fn ask_with(
        &mut self,
        prior: &Value,
        config: &Value,
        private: Private,
        call: Call,
        earlier: Option<&ResourceInstanceChange>,
    ) -> Step<PlanAnswer> {
        let merge = Merge { dialect: self.dialect() };
        let proposed = merge.proposed(self.schema(), prior.view(), config.view(), &At::ROOT)?;
        let request = PlanChange { prior: prior.clone(), config: config.clone(), proposed, private };
        let deferred = if earlier.is_some() { summary::DEFERRED_DURING_APPLY } else { summary::DEFERRED };
        self.ask_plan(request, call, Deferral::Error(deferred))
    }

    /// L44.
    fn filter_requires_replace(&mut self, paths: &[WrittenPath], prior: &Prior, after: &Marked) -> Step<PathSet> {
        let filtered = filter(&self.source().block, paths, prior.value.value(), after.value());
        self.fail_at(summary::INVALID_PLAN, filtered.nowhere, "L82")?;
        Ok(filtered.kept)
    }
}

/// L42.
fn ignore_legacy(configured: &Configured, prior: &Marked, planned: &Value) -> Result<Value, Refusal> {
    let prior = Marked::plain(prior.value().clone());
    let ignored = ignore_changes(&configured.lifecycle.ignore_changes, &prior, &Marked::plain(planned.clone()), None)?;
    Ok(ignored.into_parts().0)
}

#[cfg(test)]
mod tests {
    use crate::lifecycle::fixture::{fixture, marked, object, path, remark, summaries, text_of};
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::planner::{Exchange, IgnoreChanges, PlanAnswer, PlanChange, Severity};
    use planfuzz_core::plans::{Action, Marked};
    use planfuzz_core::state::Status;
    use planfuzz_core::value::{PathSet, Tri, Value};

    const OLD: &str = r#"{"id":"1","name":"a"}"#;

    fn answered(dialect: Dialect, plan: fn(&PlanChange, &mut PlanAnswer)) -> Vec<String> {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        fixture.dialect = dialect;
        fixture.provider.plan = plan;
        let run = fixture.plan();
        assert_eq!(run.answer.changes.is_empty(), run.answer.is_errored());
        summaries(&run.answer.diagnostics)
    }

    #[test]
    fn l30_a_false_precondition_stops_before_any_call() {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        fixture.configured().preconditions = vec![Tri::False, Tri::Unknown, Tri::False];
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate upgrade read");
        assert_eq!(summaries(&run.answer.diagnostics), ["E Resource precondition failed"; 2]);
    }

    #[test]
    fn l39_write_only_values_are_found_where_the_dialect_looks() {
        let leaks = |_: &PlanChange, answer: &mut PlanAnswer| {
            answer.planned = object(r#"{"id":"1","name":"b","wo":"x"}"#);
            answer.legacy_type_system = true;
            answer.remarks.push(remark(Severity::Warning, "beside"));
        };
        let terraform = answered(Dialect::TERRAFORM_1_17, leaks);
        assert_eq!(terraform, ["E Provider produced invalid plan .wo", "W beside"]);
        let opentofu = answered(Dialect::OPENTOFU_1_12, leaks);
        assert_eq!(opentofu, ["E Invalid provider response .wo", "W beside"]);
    }

    #[test]
    fn l40_l41_conformance_is_never_excused_validity_is() {
        let foreign = |_: &PlanChange, answer: &mut PlanAnswer| {
            answer.planned = Value::bool(true);
            answer.legacy_type_system = true;
        };
        assert_eq!(answered(Dialect::default(), foreign), ["E Provider produced invalid plan"]);
        let wrong = |_: &PlanChange, answer: &mut PlanAnswer| answer.planned = object(r#"{"id":"1","name":"z"}"#);
        assert_eq!(answered(Dialect::default(), wrong), ["E Provider produced invalid plan .name"]);
        let legacy = |_: &PlanChange, answer: &mut PlanAnswer| {
            answer.planned = object(r#"{"id":"1","name":"z"}"#);
            answer.legacy_type_system = true;
        };
        assert!(answered(Dialect::default(), legacy).is_empty());
    }

    #[test]
    fn l56a_deferrals_are_errors_of_terraform_unless_there_are_others() {
        let deferred = "E Provider deferred changes when Terraform did not allow deferrals";
        assert_eq!(answered(Dialect::TERRAFORM_1_11, |_, answer| answer.deferred = true), [deferred]);
        assert!(answered(Dialect::OPENTOFU_1_12, |_, answer| answer.deferred = true).is_empty());
        let both = |_: &PlanChange, answer: &mut PlanAnswer| {
            answer.deferred = true;
            answer.remarks.push(remark(Severity::Error, "no"));
        };
        assert_eq!(answered(Dialect::TERRAFORM_1_11, both), ["E no"]);
    }

    #[test]
    fn l47_the_second_call_has_no_prior_no_ignored_values_and_no_warnings() {
        let mut fixture = fixture(OLD, r#"{"name":"b","oc":"y","pass":"p"}"#);
        fixture.configured().lifecycle.ignore_changes = IgnoreChanges::Some(vec![path(".name")]);
        fixture.options.replace = true;
        fixture.provider.plan = |_, answer| answer.remarks.push(remark(Severity::Warning, "twice"));
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate upgrade read validate plan plan");
        let [first, second] = run.plan_requests()[..] else { panic!("two calls") };
        assert_eq!(first.config, object(r#"{"name":"a","oc":"y","pass":"p"}"#));
        assert_eq!(second.config, object(r#"{"name":"b","oc":"y","pass":"p"}"#));
        assert!(second.prior.is_null());
        assert_eq!([text_of(&first.private), text_of(&second.private)], ["R", "P1"]);
        assert_eq!(summaries(&run.answer.diagnostics), ["W twice"]);
        let change = run.change();
        assert_eq!((text_of(&change.private), change.change.action), ("P2", Action::DeleteThenCreate));
        assert!(change.change.after.sensitive().is_empty(), "the schema's marks are not added again");
    }

    #[test]
    fn l48_a_tainted_object_is_replaced_with_one_call() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.state.current.as_mut().expect("an object").status = Status::Tainted;
        fixture.configured().lifecycle.create_before_destroy = true;
        fixture.options.replace = true;
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate upgrade read validate plan");
        assert_eq!(run.changes(), "create_then_delete replace_because_tainted");
        assert!(run.plan_requests()[0].private.is_none());
        assert_eq!(*run.change().change.before.value(), object(OLD));
    }

    #[test]
    fn l49_opentofu_forgets_kept_objects_and_prevents_nothing() {
        for (dialect, want) in [
            (Dialect::OPENTOFU_1_12, "forget_then_create replace_by_request"),
            (Dialect::TERRAFORM_1_11, "delete_then_create replace_by_request"),
        ] {
            let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
            fixture.dialect = dialect;
            fixture.options.replace = true;
            fixture.configured().lifecycle.keep_on_destroy = true;
            assert_eq!(fixture.plan().changes(), want);
        }
    }

    #[test]
    fn l50_marks_alone_make_an_update() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.configured().config = marked(r#"{"name":"a"}"#, &[".name"]);
        let run = fixture.plan();
        assert_eq!(run.changes(), "update");
        assert_eq!(run.change().change.after.sensitive().texts(), [".name", ".pass"]);
    }

    #[test]
    fn l03_l32_ephemeral_values_belong_into_write_only_attributes() {
        let with = |paths: &[&str]| {
            let mut fixture = fixture("", r#"{"name":"a","pass":"p","wo":"w"}"#);
            fixture.configured().ephemeral = PathSet::parse(paths.iter().copied()).expect("paths");
            let run = fixture.plan();
            (run.calls(), summaries(&run.answer.diagnostics))
        };
        assert_eq!(with(&[".wo"]), ("validate validate plan".to_owned(), vec![]));
        let (calls, reported) = with(&[".pass", ".wo", ".name"]);
        assert_eq!(reported, ["E Invalid use of ephemeral value .name", "E Invalid use of ephemeral value .pass"]);
        assert_eq!(calls, "validate", "LD02");
    }

    #[test]
    fn l112_a_no_op_takes_the_configured_dependencies() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.state.current.as_mut().expect("an object").dependencies = vec!["x.old".into()];
        let refreshed = fixture.plan().answer.refreshed.current.expect("an object");
        assert!(refreshed.dependencies.is_empty());
    }

    #[test]
    fn l113_a_false_postcondition_is_an_error_beside_the_change() {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        fixture.configured().postconditions = vec![Tri::False, Tri::True];
        let run = fixture.plan();
        assert_eq!(summaries(&run.answer.diagnostics), ["E Resource postcondition failed"]);
        assert_eq!(run.changes(), "update");
    }

    #[test]
    fn a04_which_private_data_the_plan_of_an_apply_gets() {
        for (dialect, want) in [(Dialect::TERRAFORM_1_11, "R"), (Dialect::TERRAFORM_1_17, "P1")] {
            let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
            fixture.dialect = dialect;
            let run = fixture.plan_and_apply();
            assert_eq!(run.calls(), "upgrade validate plan apply");
            assert_eq!(text_of(&run.plan_requests()[0].private), want);
            assert_eq!(text_of(&run.apply_requests()[0].private), "P2");
        }
    }

    #[test]
    fn l01_the_validation_walk_has_its_own_configuration() {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.configured().at_validation = Some(object(r#"{"name":{"$unknown":true}}"#));
        fixture.configured().config = Marked::plain(object(r#"{"name":"a"}"#));
        let run = fixture.plan();
        let configs: Vec<bool> = run
            .exchanges
            .iter()
            .filter_map(|exchange| match exchange {
                Exchange::Validate(request, _) => Some(request.config.is_wholly_known()),
                _ => None,
            })
            .collect();
        assert_eq!(configs, [false, true]);
        fixture.provider.remarks_of_validate = vec![remark(Severity::Error, "no")];
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate");
        assert!(run.answer.changes.is_empty() && !run.answer.applyable);
    }
}
