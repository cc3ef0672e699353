//! All rows of a case: those of the case itself, and those of the outcome that the reference implementation gives it.

use planfuzz_core::planner::Planner;
use planfuzz_pipelines::remote::ModelError;
use planfuzz_reference::Reference;
use planfuzz_workspace_cases::CaseError;

use super::Features;
use crate::case::{Call, Case, Task};
use crate::scenario::{ScenarioProviders, play};
use crate::subject::walked;

/// Why a case has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum Unplayable {
    /// The model of its provider cannot be played.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Its files or state cannot be used.
    #[error(transparent)]
    Workspace(#[from] CaseError),
}

/// Counts the rows of one case after the other.
#[derive(Debug, Default)]
pub struct Census {
    providers: ScenarioProviders,
}

impl Census {
    /// Counts a case and its outcome; counts nothing on an error.
    ///
    /// # Errors
    /// A scenario or workspace that cannot be played.
    pub fn count(&mut self, case: &Case, features: &mut Features) -> Result<(), Unplayable> {
        match &case.task {
            Task::Merge(merge) => {
                features.observe(case);
                features.observe_outcomes(case, &*Reference.prepare(&merge.schema, case.dialect));
            }
            Task::Call(Call::Scenario(scenario)) => {
                let mut remote = self.providers.provider_of(scenario)?;
                features.observe(case);
                let planner = Reference.prepare(&scenario.schema, case.dialect);
                features.observe_trace(&play(scenario, &mut &*planner, &mut remote));
            }
            Task::Call(Call::Expression(call)) => {
                features.observe(case);
                features.observe_expression(call, &walked(call, case.dialect));
            }
            Task::Call(Call::Workspace(workspace)) => {
                let played = planfuzz_workspace_cases::play(workspace, &planfuzz_workspace_reference::Reference)?;
                features.observe(case);
                features.observe_played(&played);
            }
            Task::Call(_) => features.observe(case),
        }
        Ok(())
    }
}
