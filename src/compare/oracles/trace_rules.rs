//! Checks the invariants on a run once, for two oracles: [`Invariants`] reports what planners break, [`ProviderPromises`] what providers
//! break.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use planfuzz_pipelines::model::Model;
use planfuzz_rules::{BrokenInvariant, Claims, INVARIANT_COUNT, Lifecycle, Party, Walk};

use super::invariants::Invariants;
use super::promises::ProviderPromises;
use crate::case::Case;
use crate::case::scenario::{Obligation, Promises, Trace};
use crate::compare::answers::Answer;
use crate::compare::judge::Judge;
use crate::compare::oracle::{Oracle, Question};

/// The result of checking the invariants on a run.
#[derive(Debug)]
pub struct TraceCheck {
    /// The promises of its provider.
    pub promises: Promises,
    /// How often each invariant was checked.
    pub checks: [u64; INVARIANT_COUNT],
    /// The broken invariants that could have been kept, whoever is to blame.
    pub broken: Vec<BrokenInvariant>,
    /// The invariants that both an engine and a planner of its dialect break.
    pub predicted: Vec<BrokenInvariant>,
}

/// The invariants for the runs of one schema.
pub(super) struct TraceRules<'s> {
    case: &'s Case,
    rules: OnceCell<Option<Lifecycle<'s>>>,
    /// Whether providers are judged too.
    pub(super) providers: bool,
    /// The promises of a provider, computed once for its model.
    promises: Option<(Arc<Model>, Promises)>,
}

pub(super) fn make<'s>(judge: &'s Judge, case: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    let Some(scenario) = case.scenario().filter(|_| !judge.without_rules) else { return Vec::new() };
    let promises = Some((scenario.model.clone(), promised(&scenario.model, judge.providers)));
    let rules = TraceRules { case, rules: OnceCell::new(), providers: judge.providers, promises };
    let rules = Rc::new(rules);
    vec![Box::new(Invariants(rules.clone())), Box::new(ProviderPromises(rules))]
}

fn promised(model: &Model, providers: bool) -> Promises {
    if providers { Promises::but_for_faults(model) } else { Promises::of(model) }
}

impl<'s> TraceRules<'s> {
    /// Checks a run; cached in the answer.
    pub(super) fn check<'a>(
        &self,
        question: &Question<'_>,
        answer: &'a Answer<'_>,
        trace: &Trace,
    ) -> Option<&'a TraceCheck> {
        if let Some(checked) = answer.trace_check.get() {
            return Some(checked);
        }
        let lifecycle = || self.case.schema().map(|schema| Lifecycle::new(schema, self.case.dialect));
        let rules = self.rules.get_or_init(lifecycle).as_ref()?;
        let promises = self.promises_of(question.case).in_trace(trace);
        let mut held = rules.check(&trace.steps, promises.claims);
        if answer.is_of_engine() {
            held.leave_out(UNSHOWN);
        }
        let predicted = std::mem::take(&mut held.predicted);
        let broken = held.broken.into_iter().filter(|broken| !is_natural(trace, broken)).collect();
        let check = TraceCheck { promises, checks: held.checks, broken, predicted };
        Some(answer.trace_check.get_or_init(|| check))
    }

    fn promises_of(&self, case: &Case) -> Promises {
        let Some(scenario) = case.scenario() else { return Promises::default() };
        let promises = match &self.promises {
            Some((model, promises)) if Arc::ptr_eq(model, &scenario.model) => *promises,
            _ => promised(&scenario.model, self.providers),
        };
        let standing = match promises.standing {
            Obligation::Held if !scenario.is_fair(case.dialect) => Obligation::Waived,
            standing => standing,
        };
        let idempotent = promises.claims.idempotent && !scenario.ignores_changes() && standing == Obligation::Held;
        Promises { claims: Claims { idempotent, ..promises.claims }, standing }
    }
}

impl TraceCheck {
    /// A remark on a breach: a provider that was made to break nothing did. Then the breach is a finding even if providers are not
    /// judged.
    pub(super) fn besides(&self, broken: &BrokenInvariant) -> &'static str {
        // I55: the user chooses what to import.
        let is_breach = broken.fault == Party::Provider && !broken.tolerated && broken.invariant != "I55";
        if self.promises.standing == Obligation::Held && is_breach { "; the provider is well-behaved" } else { "" }
    }
}

/// The invariant about what expressions see, which engines do not show.
const UNSHOWN: &str = "I43";

/// A broken invariant in words, beginning with its id.
pub(super) fn in_words(broken: &BrokenInvariant) -> String {
    let BrokenInvariant { invariant, step, walk, path, message, fault, reported_as, is_reported, .. } = broken;
    let walk = match walk {
        Walk::Plan => "plan",
        Walk::Apply => "apply",
    };
    let reported = match (fault, reported_as, is_reported) {
        (Party::Provider, Some(summary), false) => format!(", and {summary:?} is not reported"),
        (Party::Provider, Some(summary), true) => format!(", which may be, but {summary:?} is reported"),
        _ => String::new(),
    };
    format!("{invariant} in step {}, {walk}, at {:?}: {message}{reported}", step + 1, path.to_string())
}

/// Whether a provider cannot avoid a breach: if nothing is left to do by the time of the apply, the SDK answers the prior object,
/// whatever it planned before (N15).
fn is_natural(trace: &Trace, broken: &BrokenInvariant) -> bool {
    let is_of_provider = broken.fault == Party::Provider && broken.invariant == "I20";
    is_of_provider && trace.steps.get(broken.step).is_some_and(Trace::dissolves)
}
