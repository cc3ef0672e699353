//! Planning a configured instance (section 7), in both phases.

use crate::planner::{Configured, PlanAnswer, PlanChange, Refusal, Severity, summary};
use crate::plans::{Action, ActionReason, Change, Importing, Marked, ResourceInstanceChange};
use crate::reference::at::At;
use crate::reference::computed_blocks;
use crate::reference::merge::Merge;
use crate::state::{Private, Status};
use crate::value::{PathSet, Text, Value, WrittenPath};

use super::action::{Question, decide, replacement};
use super::answer::Call;
use super::held::Held;
use super::ignore_changes::ignore_changes;
use super::replace_filter::filter;
use super::walk::{Step, Walk};

/// What the sequence starts from.
pub(super) struct Sequence<'q> {
    pub configured: &'q Configured,
    /// The refreshed object, or none.
    pub object: Option<&'q Held>,
    pub create_before_destroy: bool,
    /// Whether this instance is in the force-replace set (L92).
    pub forced: bool,
    /// Whether `replace_triggered_by` put it there (L96).
    pub triggered: bool,
    /// How bad a false precondition is (L30).
    pub preconditions: Severity,
    pub moved_from: Option<Text>,
    pub importing: Option<Text>,
    /// The change planned earlier, in the apply phase.
    pub earlier: Option<&'q ResourceInstanceChange>,
}

/// The prior of L33.
struct Prior {
    value: Marked,
    private: Private,
    /// The value of a tainted object, put aside.
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
        let importing = sequence.importing.clone().map(|id| Importing { id });
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
            None => Prior { value: null, private: private(Private::NONE), tainted: None },
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

    /// L36, L37: a plan call with what Core proposes.
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
        self.ask_plan(request, call, deferred)
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
