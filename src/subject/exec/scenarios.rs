//! Scenarios with a program as the planner.

use std::sync::Arc;

use super::process::Silence;
use super::walks::LineWalker;
use super::{Exec, Outcome};
use crate::scenario::{NoAnswer, Scenario, ScenarioProviders, Trace, play};
use crate::subject::LeftOut;

impl Exec {
    /// Runs a scenario with the program as its planner. A program that fails is started anew for the next one.
    pub(super) fn run_scenario(&mut self, scenario: &Scenario, providers: &mut ScenarioProviders) -> Outcome {
        if self.has_given_up() {
            return Outcome::LeftOut(LeftOut::GivenUp);
        }
        let Ok(mut remote) = providers.provider_of(scenario) else {
            return Outcome::LeftOut(LeftOut::Unplayable);
        };
        let mut process = match self.process.take().map_or_else(|| self.restart(), Ok) {
            Ok(process) => process,
            Err(silence) => return self.stopped(Trace::default(), silence),
        };
        let ty = scenario.schema.implied_type(self.options.dialect);
        let (options, id, schema) = (&self.options, &mut self.id, &*scenario.schema);
        let mut walker = LineWalker { process: &mut process, options, id, schema, ty: &ty, silence: None };
        let trace = play(scenario, &mut walker, &mut remote);
        match walker.silence.take() {
            None => {
                self.process = Some(process);
                self.strikes = 0;
                Outcome::Trace(Arc::new(trace))
            }
            Some(silence) => {
                process.kill();
                self.stopped(trace, silence)
            }
        }
    }

    /// The outcome of a run that ended because the program stopped answering; `silence` is the reason.
    fn stopped(&mut self, mut trace: Trace, silence: Silence) -> Outcome {
        self.strikes += u32::from(matches!(silence, Silence::Late | Silence::NotStarted(_)));
        let halt = match self.failure(silence) {
            Outcome::Crashed { site, message, .. } => NoAnswer::Crashed { site, message },
            Outcome::OverBudget { limit } => NoAnswer::OverBudget { limit },
            other => return other,
        };
        match &mut trace.stopped {
            Some(stopped) => {
                stopped.halt = halt;
                Outcome::Trace(Arc::new(trace))
            }
            None => match halt {
                NoAnswer::Crashed { site, message } => Outcome::Crashed { site, message, predicted: false },
                NoAnswer::OverBudget { limit } => Outcome::OverBudget { limit },
                NoAnswer::Refused(message) | NoAnswer::LeftOut(message) => Outcome::Refused(message),
            },
        }
    }
}
