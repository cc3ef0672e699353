//! Rules of whole workspaces: checks of the calls and results of a run. Nothing here plans.
//!
//! Problem: two planners that agree can both be wrong. Idea: a rule checks whether a statement of the specification holds in a run
//! (configuration, start state, calls with their order, plan, state after, diagnostics). It does not know the planner, and reads what it
//! needs of the configuration from its text ([`Run`]). Guarantee: a correct run breaks no rule; each rule is tested with a run that is
//! changed so that it breaks. Parts that a run does not show (the schedule of a planner that only gives an order, the refreshed state of an
//! engine) are left out and listed in [`RuleReport::left_out`].
//!
//! The text of the rules is `docs/spec/workspace-rules.md`.

#![forbid(unsafe_code)]

mod apply;
mod configuration;
mod findings;
mod id;
mod order;
mod part;
mod plan;
mod predicted;
mod run;
mod states;
mod targets;
mod visits;
mod walks;
mod written;

pub use findings::{Broken, RuleReport};
pub use id::{RULES, RuleInfo};
pub use run::{About, Changed, ObservedCall, PlanView, Run, StateView, StoredObject};

impl Run<'_> {
    /// Checks all rules against the run.
    pub fn check(&self) -> RuleReport {
        let mut held = RuleReport::default();
        walks::check(self, &mut held);
        order::check(self, &mut held);
        plan::check(self, &mut held);
        apply::check(self, &mut held);
        predicted::check(self, &mut held);
        states::check(self, &mut held);
        visits::check(self, &mut held);
        part::check(self, &mut held);
        written::check(self, &mut held);
        held
    }
}
