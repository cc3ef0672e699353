//! The well-behaved subset (section 4 of provider-model.md): models whose providers keep Core's requirements.
//!
//! A condition is a property of the model alone, so it may reject a model that keeps the invariants in every scenario that it is played in.
//! A model that meets all conditions keeps the invariants in every scenario that does what the conditions require of it (W6).

mod condition;
mod framework;
mod references;
mod sdk;
#[cfg(test)]
mod tests;

pub use condition::{Breach, Condition};

use crate::expression::Cond;
use crate::model::{Model, Style};
use crate::rules::{Check, Gen, Mod, PlanRule, ResourceCheck};
use condition::Breaches;
use planfuzz_core::schema::Schema;

/// The breaches that keep the model out of the well-behaved subset, in the order of the conditions, each at each place once.
pub fn breaches(model: &Model) -> Vec<Breach> {
    let mut breaches = Breaches::default();
    if !model.faults.is_empty() {
        breaches.add(Condition::NoFaults, None);
    }
    match &model.style {
        Style::Framework { schema, plan } => framework::check(model, schema, plan.as_deref(), &mut breaches),
        Style::Sdk { schema, customize_diff } => sdk::check(model, schema, customize_diff, &mut breaches),
    }
    checks(model, &mut breaches);
    breaches.finish()
}

/// W12.
fn checks(model: &Model, breaches: &mut Breaches) {
    for (at, rule) in model.rules.iter() {
        let settle = |check: &Check| !matches!(check, Check::ErrorIf(cond) if !only_settles(cond));
        breaches.require(Condition::SettledChecks, at, rule.validate.iter().all(settle));
    }
    let judges = |check: &ResourceCheck| matches!(check, ResourceCheck::ErrorIf(cond) if !only_settles(cond));
    if model.validate.iter().any(judges) {
        breaches.add(Condition::SettledChecks, None);
    }
}

/// Whether the model is in the well-behaved subset.
pub fn is_well_behaved(model: &Model) -> bool {
    breaches(model).is_empty()
}

/// Whether a plan right after a plan and apply without errors has nothing to do (I36), whatever the configuration: the model is well
/// behaved, no plan differs from the configuration (W6, N7), and no write-only attribute asks for a replacement, which it would get every
/// time (L85).
pub fn is_idempotent(model: &Model) -> bool {
    let keeps = |modifier: &Mod| matches!(modifier, Mod::KeepStateIf(_));
    let settles = match &model.style {
        Style::Framework { schema, plan } => {
            !framework::loses_elements(&schema.block, false)
                && !plan.iter().flatten().any(|rule| framework::always_replaces(schema, rule))
                && !plan
                    .iter()
                    .flatten()
                    .any(|rule| framework::fights_default(model, plan.as_deref().unwrap_or(&[]), rule))
        }
        Style::Sdk { schema, customize_diff } => sdk::settles(schema, customize_diff),
    };
    settles
        && !model.rules.iter().any(|(_, rule)| rule.plan.iter().chain(&rule.element_plan).any(keeps))
        && is_well_behaved(model)
}

/// Whether equal requests get equal answers as long as nothing happens in between (I46, I47), except for private data: no fault and no
/// failure depends on the number of a call.
pub fn is_deterministic(model: &Model) -> bool {
    model.faults.is_empty() && model.failures.is_empty()
}

/// Whether a generator (GEN) gives a known value that is derived only from what does not change by itself (W8).
fn makes_well(generator: &Gen, at: &references::Here<'_>) -> bool {
    match generator {
        Gen::Null | Gen::Fill(_) | Gen::Counter(_) => true,
        Gen::Const(value) => value.is_wholly_known(),
        Gen::Copy(reference) => at.is_given(reference),
        Gen::Hash(references) => references.iter().all(|reference| at.is_given(reference)),
        Gen::Once(generator) => makes_well(generator, at),
    }
}

/// The schema for looking up whether a referenced attribute is computed.
type Core = Schema;

/// Whether a condition can only change from unknown to true or false, never back: it does not ask whether a value is unknown.
fn only_settles(cond: &Cond) -> bool {
    match cond {
        Cond::IsUnknown(_) | Cond::PartlyUnknown(_) => false,
        Cond::Bool(_) | Cond::Op(_) | Cond::IsNull(_) | Cond::Changed(_) => true,
        Cond::Eq(a, b) | Cond::Lt(a, b) | Cond::Same(_, a, b) => [a, b].into_iter().all(references::settles_in),
        Cond::Not(cond) => only_settles(cond),
        Cond::All(conds) | Cond::Any(conds) => conds.iter().all(only_settles),
    }
}

/// The rule within all its conditions, and whether the conditions are the same in every plan of an operation.
fn innermost(rule: &PlanRule) -> (&PlanRule, bool) {
    match rule {
        PlanRule::When(cond, rule) => {
            let (rule, is_fixed) = innermost(rule);
            (rule, is_fixed && matches!(cond, Cond::Bool(_) | Cond::Op(_)))
        }
        rule => (rule, true),
    }
}
