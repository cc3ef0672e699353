//! The well-behaved subset (section 4 of provider-model.md): models whose providers keep what Core asks of them.
//!
//! A condition is held against a model alone, so it may refuse a model that keeps the invariants in every scenario that it is
//! played in; what it lets through keeps them in all, where the scenario does what the conditions ask of it (W6).

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

/// What keeps the model out of the well-behaved subset, in the order of the conditions, each at each place once.
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

/// Whether a plan right after a plan and apply without errors has nothing to do (I36), whatever the configuration: the model is
/// well behaved, nothing plans something else than what is configured (W6, N7), and nothing write-only asks for a replacement,
/// which it gets every time (L85).
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

/// Whether the same question gets the same answer as long as nothing happens in between (I46, I47), private data aside: no
/// fault and no failure goes by the number of a call.
pub fn is_deterministic(model: &Model) -> bool {
    model.faults.is_empty() && model.failures.is_empty()
}

/// Whether GEN is what a model needs at a place: known, and made of what does not change by itself (W8).
fn makes_well(generator: &Gen, at: &references::Here<'_>) -> bool {
    match generator {
        Gen::Null | Gen::Fill(_) | Gen::Counter(_) => true,
        Gen::Const(value) => value.is_wholly_known(),
        Gen::Copy(reference) => at.is_given(reference),
        Gen::Hash(references) => references.iter().all(|reference| at.is_given(reference)),
        Gen::Once(generator) => makes_well(generator, at),
    }
}

/// The schema that is looked at for references: where an attribute is computed.
type Core = Schema;

/// Whether a condition can be unknown first and true or false later, never the other way round: it does not ask whether something
/// is unknown.
fn only_settles(cond: &Cond) -> bool {
    match cond {
        Cond::IsUnknown(_) | Cond::PartlyUnknown(_) => false,
        Cond::Bool(_) | Cond::Op(_) | Cond::IsNull(_) | Cond::Changed(_) => true,
        Cond::Eq(a, b) | Cond::Lt(a, b) | Cond::Same(_, a, b) => [a, b].into_iter().all(references::settles_in),
        Cond::Not(cond) => only_settles(cond),
        Cond::All(conds) | Cond::Any(conds) => conds.iter().all(only_settles),
    }
}

/// The rule inside all conditions under which it runs, and whether these are the same in every plan of an operation.
fn innermost(rule: &PlanRule) -> (&PlanRule, bool) {
    match rule {
        PlanRule::When(cond, rule) => {
            let (rule, is_fixed) = innermost(rule);
            (rule, is_fixed && matches!(cond, Cond::Bool(_) | Cond::Op(_)))
        }
        rule => (rule, true),
    }
}
