//! A plan and its apply in one run of the binary: `apply` without a plan file.
//!
//! This is for engines whose plan files cannot be written here. The engine repeats the earlier plan, so the apply walk is what it calls and
//! prints beyond that plan. If the second plan differs, there is no answer, and the walk is counted.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Applied, ApplyRequest, Configured, Diagnostic, Exchange, PlanRequest, Presence};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::Tri;

use super::EngineError;
use super::outcome::{Reported, answered, asked, has_error, is_as_meant, reported};
use super::plan::{PlanRun, laid_out};
use super::runner::Runner;
use super::settle::{Attempt, End, Walk, WalkInRun};
use super::states::{Written, saved};
use crate::job::LeftOut;
use crate::workdir::{ConfigurationFiles, Names, plan_files};

/// An apply walk, and the plan walk that it follows.
#[derive(Clone, Debug)]
pub struct AtOnce {
    /// The plan walk.
    pub plan: PlanRequest,
    /// The calls to the provider in it.
    pub asked: Vec<Exchange>,
    /// Its diagnostics, none of them an error.
    pub diagnostics: Vec<Diagnostic>,
    /// The apply walk.
    pub apply: ApplyRequest,
}

impl Walk for AtOnce {
    type Answer = Applied;
    /// The run of the plan, and that of the apply.
    type Run = (PlanRun, bool);

    fn run(&self) -> Self::Run {
        (self.plan.run(), self.apply.run())
    }

    fn most(runner: &Runner) -> usize {
        runner.options.applies
    }

    fn configuration_files(&self, names: Names, schema: &Schema) -> Result<ConfigurationFiles, LeftOut> {
        if self.apply.presence != self.plan.presence {
            return Err(LeftOut::Unwritable("what is planned and applied at once is configured once"));
        }
        if let Presence::Configured(configured) = &self.plan.presence
            && is_open(configured)
        {
            return Err(LeftOut::Unwritable("what is not known at the plan is known when it is applied at once"));
        }
        plan_files(names, schema, &self.plan)
    }

    fn stored(&self) -> (ResourceKind, &InstanceState) {
        self.plan.stored()
    }

    fn presence(&self) -> &Presence {
        &self.plan.presence
    }

    fn attempt(
        runner: &mut Runner,
        (plan, in_check): Self::Run,
        walks: &[WalkInRun<'_, AtOnce>],
    ) -> Result<Attempt<Applied>, EngineError> {
        let (dir, files) = laid_out(runner, walks)?;
        let mut args = vec!["apply", "-auto-approve", "-input=false", "-json", "-lock=false"];
        args.extend(plan.options());
        args.extend(walks.iter().flat_map(|walk| walk.configuration_files.flags.iter().map(String::as_str)));
        let Reported { logs, of_walk } = match reported(runner, (&dir, &files), &args, walks)? {
            Ok(reported) => reported,
            Err(attempt) => return Ok(attempt),
        };
        let Some(saved) = saved(&dir, walks)? else { return Ok(Attempt::Unclear) };
        let written = Written::of(&saved);
        let has_failed = of_walk.iter().any(has_error) && walks.len() > 1;
        let ends = walks.iter().zip(&logs).zip(of_walk).map(|((walk, log), found)| {
            let heard = asked(log).and_then(|exchanges| Ok((exchanges, found?)));
            let (exchanges, diagnostics) = match heard.and_then(|heard| after_plan(walk.request, heard)) {
                Ok(heard) => heard,
                Err(reason) => return End::LeftOut(reason),
            };
            if in_check && has_failed && exchanges.is_empty() {
                return End::Again;
            }
            match written.instance(walk, &exchanges, &walk.request.apply.options.fresh_key) {
                Ok(state) => {
                    let is_as_meant = is_as_meant(&walk.request.plan.presence, &exchanges, false);
                    answered(Applied { state, diagnostics }, exchanges, is_as_meant)
                }
                Err(_) => End::LeftOut(LeftOut::Unreadable("a stored object")),
            }
        });
        Ok(Attempt::Each(ends.collect()))
    }
}

/// Whether a configured value or condition is not known yet.
fn is_open(configured: &Configured) -> bool {
    let mut conditions = configured.preconditions.iter().chain(&configured.postconditions);
    !configured.config.value().is_wholly_known() || conditions.any(|condition| *condition == Tri::Unknown)
}

/// The calls and diagnostics beyond the plan.
fn after_plan(
    request: &AtOnce,
    (exchanges, found): (Vec<Exchange>, Vec<Diagnostic>),
) -> Result<(Vec<Exchange>, Vec<Diagnostic>), LeftOut> {
    let mut planned = exchanges;
    let applied = planned.split_off(request.asked.len().min(planned.len()));
    // Calls about several objects are made in parallel.
    let is_planned_alike = without(request.asked.clone(), &planned).is_some_and(|left| left.is_empty());
    let rest = without(found, &request.diagnostics);
    match rest {
        Some(rest) if is_planned_alike => Ok((applied, rest)),
        _ => Err(LeftOut::OtherPlan),
    }
}

/// The list without one occurrence of each of these; `None` if one of them is missing.
fn without<T: PartialEq>(mut list: Vec<T>, these: &[T]) -> Option<Vec<T>> {
    for this in these {
        let at = list.iter().position(|other| other == this)?;
        list.remove(at);
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_removed_once() {
        assert_eq!(without(vec![1, 2, 1], &[1]), Some(vec![2, 1]));
        assert_eq!(without(vec![1, 2], &[1, 1]), None);
    }
}
