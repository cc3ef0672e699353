//! Laws of plans: twice, in another order, without refresh, saved, refreshed (UL01, UL04 to UL06, UL14, UL15, UL22).

use planfuzz_core::address::ResourceMode;
use planfuzz_core::plans::{Action, AddressedChange, Mode};
use planfuzz_workspace::{Options, WorkspacePlanner};

use super::LawResult;
use super::commands::is_blocked;
use super::played_case::{PlayedCase, Then, changes_of};
use crate::PlayedStep;
use crate::case::Command;

/// Seed of the other order of visits.
const ORDER: u64 = 7;

impl PlayedCase<'_> {
    pub(super) fn idempotent(&self) -> LawResult {
        if !self.is_whole() {
            return LawResult::Silent;
        }
        let Some(next) = self.planned(&self.then()) else { return LawResult::Silent };
        let Some(plan) = next.planned.plan.as_ref().filter(|_| !next.planned.is_errored()) else {
            return LawResult::Silent;
        };
        let has_late_data = plan.changes.iter().any(|change| change.addr.resource.mode == ResourceMode::Data);
        // I36: a replacement that fires others fires them once more where the trigger was replaced itself.
        match plan.applyable && !has_late_data {
            false => LawResult::Holds,
            true => {
                let change = plan.changes.iter().find(|change| !change.is_empty());
                LawResult::Broken(format!("the next plan has {:?}", change.map(AddressedChange::action)))
            }
        }
    }

    /// UL04
    pub(super) fn any_order(&self) -> LawResult {
        let Some(other) = self.planner.in_another_order(ORDER) else { return LawResult::Silent };
        let other = &*other;
        self.same_deeds(&self.instead(), &self.instead(), other, "another order of visits does something else")
    }

    /// UL05
    pub(super) fn any_parallelism(&self) -> LawResult {
        let mut then = self.instead();
        then.options.parallelism = if then.options.parallelism == 1 { 10 } else { 1 };
        self.same_deeds(&self.instead(), &then, self.planner, "another parallelism does something else")
    }

    fn same_deeds(&self, one: &Then, other: &Then, planner: &dyn WorkspacePlanner, broken: &str) -> LawResult {
        let command = self.last.command.clone();
        let (one, other) = (self.done_by(self.planner, one, command.clone()), self.done_by(planner, other, command));
        // A race of the engine: the import or the visit that plans the deletion may come first (G49).
        let races = |done: &PlayedStep| done.planned.trace.asks_for_imports_of_nothing();
        match (one, other) {
            (Some(one), Some(other)) if races(&one) || races(&other) => LawResult::Silent,
            (Some(one), Some(other)) => LawResult::if_same(&self.record_of(&one), &self.record_of(&other), broken),
            _ => LawResult::Silent,
        }
    }

    /// UL06, UL30: between plan and apply the planner makes other plans.
    pub(super) fn saved_plan(&self) -> LawResult {
        let then = Then { options: Options { refresh: true, ..self.instead().options }, ..self.instead() };
        let Some(at_once) = self.done_by(self.planner, &then, Command::Apply) else { return LawResult::Silent };
        if at_once.applied.is_none() {
            return LawResult::Silent;
        }
        let Some(mut later) = self.done_by(self.planner, &then, Command::Plan) else { return LawResult::Silent };
        let between = Then { options: Options { mode: Mode::Destroy, ..self.then().options }, ..self.then() };
        drop(self.planned(&between));
        let Some(plan) = &later.planned.plan else {
            return LawResult::Broken("a plan is not there when it is kept".into());
        };
        later.applied = Some(self.planner.apply(&later.workspace, plan, &mut &later.providers));
        LawResult::if_same(
            &self.record_of(&at_once),
            &self.record_of(&later),
            "a plan that was kept is applied otherwise",
        )
    }

    /// UL14: a refresh after a refresh leaves the state as it is.
    pub(super) fn refreshed_twice(&self) -> LawResult {
        let refresh = |then: Then| {
            let then = Then { options: Options { mode: Mode::RefreshOnly, ..self.then().options }, ..then };
            self.applied(&then)
        };
        let events = self.last.providers.events.outside.clone();
        let outside = || {
            let mut then = self.then();
            then.events.outside.clone_from(&events);
            then
        };
        let Some(once) = refresh(outside()) else { return LawResult::Silent };
        // A blocked move is made as soon as a refresh found the blocking object gone (UL25).
        if is_blocked(&once) {
            return LawResult::Silent;
        }
        // L183: an instance with deposed objects alone is seen in the refresh that finds them gone, too, and no longer in the next.
        if loses_deposed_alone(&once) {
            return LawResult::Silent;
        }
        let Some(twice) = refresh(Then { state: once.after().cloned(), ..outside() }) else { return LawResult::Silent };
        // G21: a moved object may move on from there.
        if twice.planned.plan.iter().any(|plan| plan.drift.iter().any(AddressedChange::moved)) {
            return LawResult::Silent;
        }
        let (one, other) = (self.stored(once.after()), self.stored(twice.after()));
        LawResult::if_same(&one, &other, "a second refresh changes what is stored")
    }

    pub(super) fn unrefreshed(&self) -> LawResult {
        let plan = |refresh| {
            let then = Then { options: Options { refresh, ..self.then().options }, ..self.then() };
            // G31: what comes from another type is without marks, which is drift, and a change if nothing is read.
            self.planned(&then)
                .filter(|step| !step.planned.trace.asks_to_take_over() && !finds_marks(step))
                .and_then(|step| changes_of(&step))
        };
        match (plan(true), plan(false)) {
            (Some(one), Some(two)) => LawResult::if_same(&one, &two, "the plan without refresh has other changes"),
            _ => LawResult::Silent,
        }
    }

    pub(super) fn planned_twice(&self) -> LawResult {
        let record_of = || self.planned(&self.then()).map(|step| self.record_of(&step));
        match (record_of(), record_of()) {
            (Some(one), Some(two)) => LawResult::if_same(&one, &two, "two plans of one workspace differ"),
            _ => LawResult::Silent,
        }
    }
}

/// Whether a refresh gave an object marks that are not stored: an earlier step took it over, and ended before it was applied.
fn finds_marks(step: &PlayedStep) -> bool {
    let drift = step.planned.plan.iter().flat_map(|plan| &plan.drift);
    let mut changes = drift.map(|drift| &drift.planned.change).filter(|change| change.action != Action::NoOp);
    changes.any(|change| change.before.value() == change.after.value())
}

/// Whether a refresh found the last objects of an instance gone, some of them deposed.
fn loses_deposed_alone(refresh: &PlayedStep) -> bool {
    let (Some(plan), Some(after)) = (&refresh.planned.plan, refresh.after()) else { return false };
    let mut before = plan.previous.instances();
    before.any(|(address, _, instance)| !instance.deposed.is_empty() && after.instance(&address).is_none())
}
