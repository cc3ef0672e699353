//! Planning a configured instance (sections 7 and 10), in both phases.

use planfuzz_core::planner::{Configured, Diagnostic, PlanChange, PlanOptions, Refusal, Severity, summary};
use planfuzz_core::plans::{Action, ActionReason, Change, Importing, Marked, ResourceInstanceChange};
use planfuzz_core::state::Private;
use planfuzz_core::value::{PathSet, Tri, WrittenPath};

use super::super::same::certainly_equal;
use super::answers::Warnings;
use super::ignore;
use super::typed_object::TypedObject;
use super::walk::{Phase, Stop, Walk, Walked};

/// The input of the sequence of section 7.
pub(super) struct Intent<'r> {
    pub(super) configured: &'r Configured,
    pub(super) options: &'r PlanOptions,
    /// The current object.
    pub(super) held: Option<&'r TypedObject>,
    /// The private data of the answer by which the object is gone, if there is one.
    pub(super) left: Private,
    pub(super) create_before_destroy: bool,
    /// Whether an entry of `replace_triggered_by` fired (L100).
    pub(super) triggered: bool,
    /// The severity of a false precondition (L30).
    pub(super) severity: Severity,
    /// The change as it was planned, in the apply phase.
    pub(super) earlier: Option<&'r ResourceInstanceChange>,
    /// Whether the object was imported just now (L22).
    pub(super) imported: bool,
}

/// L33.
struct Prior<'r> {
    object: Marked,
    private: Private,
    /// The tainted object, which does not count as prior.
    tainted: Option<&'r Marked>,
}

/// The result of a plan call.
struct Planned {
    object: Marked,
    private: Private,
}

impl Walk<'_> {
    /// Reports failed conditions of one kind (L30, L113, A17); returns whether any is an error.
    pub(super) fn conditions(
        &mut self,
        conditions: &[Tri],
        summary: &'static str,
        severity: Severity,
        rule: &'static str,
    ) -> bool {
        let failed = conditions.iter().filter(|holds| **holds == Tri::False).count();
        for _ in 0..failed {
            let path = WrittenPath::default();
            self.diagnostics.push(Diagnostic { severity, summary: summary.into(), path, rule });
        }
        failed > 0 && severity == Severity::Error
    }

    /// L30.
    pub(super) fn preconditions(&mut self, configured: &Configured, severity: Severity) -> Walked<()> {
        match self.conditions(&configured.preconditions, summary::PRECONDITION, severity, "L30") {
            true => Err(Stop::Error),
            false => Ok(()),
        }
    }

    /// L30 to L52.
    pub(super) fn plan_configured(&mut self, intent: &Intent<'_>) -> Walked<ResourceInstanceChange> {
        let Intent { configured, .. } = intent;
        self.preconditions(configured, intent.severity)?;
        if self.phase == Phase::Apply {
            // A plan walk has validated the same configuration (L03).
            let start = self.diagnostic_count();
            self.ephemeral(configured);
            self.stop_since(start)?;
        }
        let prior = self.prior(intent);
        let config = &configured.config;
        self.validate(config.value())?;

        let ignored = self.ignored(configured, &prior)?;
        let sent = self.program.prepare_computed_blocks(ignored.value())?;
        let proposed = self.program.proposed_new(prior.object.value(), &sent)?;
        let request = PlanChange {
            prior: prior.object.value().clone(),
            config: sent.clone(),
            proposed,
            private: prior.private.clone(),
        };
        let answer = self.ask_plan(request, Warnings::Kept)?;
        let planned = self.readable_plan(answer.planned)?;
        let violations = self.program.assert_plan_valid(prior.object.value(), &sent, &planned)?;
        let planned = if answer.legacy_type_system {
            // L41: the violations are only logged; L42.
            ignore::of_answer(&configured.lifecycle.ignore_changes, prior.object.value(), planned)?
        } else {
            if self.report_invalid(&violations) {
                return Err(Stop::Error);
            }
            planned
        };
        let object = self.marked(planned, ignored.sensitive())?;
        let kept = self.required_replace(&answer.requires_replace, prior.object.value(), object.value())?;
        let planned = Planned { object, private: answer.private };
        self.decide(intent, prior, planned, kept, ignored.sensitive())
    }

    /// L33.
    fn prior<'r>(&self, intent: &Intent<'r>) -> Prior<'r> {
        let null = || Marked::plain(self.null());
        let mut prior = match intent.held {
            None => Prior { object: null(), private: intent.left.clone(), tainted: None },
            Some(held) if held.is_tainted() => {
                let tainted = Some(&held.object).filter(|object| !object.is_null());
                Prior { object: null(), private: Private::NONE, tainted }
            }
            Some(held) => Prior { object: held.object.clone(), private: held.private.clone(), tainted: None },
        };
        if let Some(earlier) = intent.earlier
            && self.program.dialect.sends_planned_private()
        {
            prior.private = earlier.private.clone();
        }
        prior
    }

    /// L35.
    fn ignored(&self, configured: &Configured, prior: &Prior<'_>) -> Result<Marked, Refusal> {
        let ignore = &configured.lifecycle.ignore_changes;
        ignore::of_config(&self.program.root, ignore, &prior.object, &configured.config)
    }

    /// L45 to L52.
    fn decide(
        &mut self,
        intent: &Intent<'_>,
        prior: Prior<'_>,
        planned: Planned,
        kept: PathSet,
        marks: &PathSet,
    ) -> Walked<ResourceInstanceChange> {
        let lifecycle = &intent.configured.lifecycle;
        let replacement =
            if intent.create_before_destroy { Action::CreateThenDelete } else { Action::DeleteThenCreate };
        let (mut action, mut reason) = self.action(intent, &prior, &planned, &kept, replacement);
        let planned =
            if action.is_replace() { self.plan_again(intent.configured, planned.private, marks)? } else { planned };
        let mut before = prior.object;
        if let Some(tainted) = prior.tainted {
            // L48. A null prior makes a creation of everything (L90).
            (action, reason) = (replacement, ActionReason::ReplaceBecauseTainted);
            before = tainted.clone();
        }
        if intent.triggered {
            // L96.
            reason = ActionReason::ReplaceByTriggers;
        }
        if action.is_replace() && lifecycle.keep_on_destroy && self.program.dialect.can_keep_on_destroy() {
            action = Action::ForgetThenCreate;
        }
        if action == Action::NoOp && before.sensitive() != planned.object.sensitive() {
            // L50.
            action = Action::Update;
        }
        if let Some(earlier) = intent.earlier.filter(|earlier| earlier.change.action.is_replace())
            && action == Action::Create
        {
            // L51.
            action = earlier.change.action;
            before = earlier.change.before.clone();
        }
        let importing = intent.options.import.as_ref().filter(|_| intent.imported).map(|id| Importing::Id(id.clone()));
        Ok(ResourceInstanceChange {
            moved_from: intent.options.moved_from.clone(),
            deposed: None,
            change: Change { action, before, after: planned.object, importing },
            reason,
            required_replace: kept,
            private: planned.private,
        })
    }

    /// L90 to L95.
    fn action(
        &self,
        intent: &Intent<'_>,
        prior: &Prior<'_>,
        planned: &Planned,
        kept: &PathSet,
        replacement: Action,
    ) -> (Action, ActionReason) {
        if prior.object.is_null() {
            (Action::Create, ActionReason::None)
        } else if intent.options.replace || intent.triggered {
            (replacement, ActionReason::ReplaceByRequest)
        } else if !kept.is_empty() {
            (replacement, ActionReason::ReplaceBecauseCannotUpdate)
        } else if certainly_equal(planned.object.value().view(), prior.object.value().view()) {
            (Action::NoOp, ActionReason::None)
        } else {
            (Action::Update, ActionReason::None)
        }
    }

    /// L47: the second plan call of a replacement, for a creation.
    fn plan_again(&mut self, configured: &Configured, private: Private, marks: &PathSet) -> Walked<Planned> {
        let prior = self.null();
        let config = self.program.prepare_computed_blocks(configured.config.value())?;
        let proposed = self.program.proposed_new(&prior, &config)?;
        let answer = self.ask_plan(PlanChange { prior, config, proposed, private }, Warnings::Dropped)?;
        let planned = self.readable_plan(answer.planned)?;
        Ok(Planned { object: Marked::new(planned, marks), private: answer.private })
    }
}
