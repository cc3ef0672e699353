//! Laws of plans: twice, in another order, without refresh, saved, refreshed (UL01, UL04 to UL06, UL14, UL15, UL22).

use planfuzz_core::address::ResourceMode;
use planfuzz_core::plans::{AddressedChange, Mode};
use planfuzz_workspace::{Options, WorkspacePlanner};

use super::Held;
use super::commands::is_blocked;
use super::played_case::{PlayedCase, Then, changes_of};
use crate::PlayedStep;
use crate::case::Command;

/// Seed of the other order of visits.
const ORDER: u64 = 7;

impl PlayedCase<'_> {
    pub(super) fn idempotent(&self) -> Held {
        if !self.is_whole() {
            return Held::Silent;
        }
        let Some(next) = self.planned(&self.then()) else { return Held::Silent };
        let Some(plan) = next.planned.plan.as_ref().filter(|_| !next.planned.is_errored()) else { return Held::Silent };
        let has_late_data = plan.changes.iter().any(|change| change.addr.resource.mode == ResourceMode::Data);
        // I36: a replacement that fires others fires them once more where the trigger was replaced itself.
        match plan.applyable && !has_late_data {
            false => Held::Holds,
            true => {
                let change = plan.changes.iter().find(|change| !change.is_empty());
                Held::Broken(format!("the next plan has {:?}", change.map(AddressedChange::action)))
            }
        }
    }

    /// UL04
    pub(super) fn any_order(&self) -> Held {
        let Some(other) = self.planner.in_another_order(ORDER) else { return Held::Silent };
        let other = &*other;
        self.same_deeds(&self.instead(), &self.instead(), other, "another order of visits does something else")
    }

    /// UL05
    pub(super) fn any_parallelism(&self) -> Held {
        let mut then = self.instead();
        then.options.parallelism = if then.options.parallelism == 1 { 10 } else { 1 };
        self.same_deeds(&self.instead(), &then, self.planner, "another parallelism does something else")
    }

    fn same_deeds(&self, one: &Then, other: &Then, planner: &dyn WorkspacePlanner, broken: &str) -> Held {
        let command = self.last.command.clone();
        let (one, other) = (self.done_by(self.planner, one, command.clone()), self.done_by(planner, other, command));
        // A race of the engine: the import or the visit that plans the deletion may come first (G49).
        let races = |done: &PlayedStep| done.planned.trace.asks_for_imports_of_nothing();
        match (one, other) {
            (Some(one), Some(other)) if races(&one) || races(&other) => Held::Silent,
            (Some(one), Some(other)) => Held::if_same(&self.deeds(&one), &self.deeds(&other), broken),
            _ => Held::Silent,
        }
    }

    /// UL06, UL30: between plan and apply the planner makes other plans.
    pub(super) fn saved_plan(&self) -> Held {
        let then = Then { options: Options { refresh: true, ..self.instead().options }, ..self.instead() };
        let Some(at_once) = self.done_by(self.planner, &then, Command::Apply) else { return Held::Silent };
        if at_once.applied.is_none() {
            return Held::Silent;
        }
        let Some(mut later) = self.done_by(self.planner, &then, Command::Plan) else { return Held::Silent };
        let between = Then { options: Options { mode: Mode::Destroy, ..self.then().options }, ..self.then() };
        drop(self.planned(&between));
        let Some(plan) = &later.planned.plan else { return Held::Broken("a plan is not there when it is kept".into()) };
        later.applied = Some(self.planner.apply(&later.workspace, plan, &mut &later.providers));
        Held::if_same(&self.deeds(&at_once), &self.deeds(&later), "a plan that was kept is applied otherwise")
    }

    /// UL14: a refresh after a refresh leaves the state as it is.
    pub(super) fn refreshed_twice(&self) -> Held {
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
        let Some(once) = refresh(outside()) else { return Held::Silent };
        // A blocked move is made as soon as a refresh found the blocking object gone (UL25).
        if is_blocked(&once) {
            return Held::Silent;
        }
        // L183: an instance with deposed objects alone is seen in the refresh that finds them gone, too, and no longer in the next.
        if loses_deposed_alone(&once) {
            return Held::Silent;
        }
        let Some(twice) = refresh(Then { state: once.after().cloned(), ..outside() }) else { return Held::Silent };
        // G21: a moved object may move on from there.
        if twice.planned.plan.iter().any(|plan| plan.drift.iter().any(AddressedChange::moved)) {
            return Held::Silent;
        }
        let (one, other) = (self.stored(once.after()), self.stored(twice.after()));
        Held::if_same(&one, &other, "a second refresh changes what is stored")
    }

    pub(super) fn unrefreshed(&self) -> Held {
        let plan = |refresh| {
            let then = Then { options: Options { refresh, ..self.then().options }, ..self.then() };
            self.planned(&then).and_then(|step| changes_of(&step))
        };
        match (plan(true), plan(false)) {
            (Some(one), Some(two)) => Held::if_same(&one, &two, "the plan without refresh has other changes"),
            _ => Held::Silent,
        }
    }

    pub(super) fn planned_twice(&self) -> Held {
        let deeds = || self.planned(&self.then()).map(|step| self.deeds(&step));
        match (deeds(), deeds()) {
            (Some(one), Some(two)) => Held::if_same(&one, &two, "two plans of one workspace differ"),
            _ => Held::Silent,
        }
    }
}

/// Whether a refresh found the last objects of an instance gone, some of them deposed.
fn loses_deposed_alone(refresh: &PlayedStep) -> bool {
    let (Some(plan), Some(after)) = (&refresh.planned.plan, refresh.after()) else { return false };
    let mut before = plan.previous.instances();
    before.any(|(address, _, instance)| !instance.deposed.is_empty() && after.instance(&address).is_none())
}
