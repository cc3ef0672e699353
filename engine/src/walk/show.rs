//! Shows plan files with the engine's `show`, in the directory of the run that made or has the file.

use std::sync::{Arc, Mutex, PoisonError};

use planfuzz_core::address::ResourceKind;
use planfuzz_core::schema::Schema;

use super::EngineError;
use super::directory::PLAN;
use super::runner::Runner;
use super::settle::{Walk, WalkInRun};
use crate::process::{RunDir, RunOutcome};

/// A plan file of a run, and the engine's output about it.
#[derive(Clone, Debug)]
pub struct ShownPlan {
    /// The file.
    pub plan: Vec<u8>,
    /// Whether it was written here, for the engine to apply; otherwise the engine wrote it.
    pub is_written_here: bool,
    /// The walks in it.
    pub walks: usize,
    /// The schemas of all types that the run serves.
    pub schemas: Vec<ShownSchema>,
    /// What `show -json` prints.
    pub json: Result<Vec<u8>, String>,
    /// What `show` prints for people.
    pub text: Result<Vec<u8>, String>,
}

/// A schema of a run.
#[derive(Clone, Debug)]
pub struct ShownSchema {
    /// The source of the provider.
    pub provider: String,
    /// Managed or data.
    pub kind: ResourceKind,
    /// The resource type.
    pub type_name: String,
    /// The schema.
    pub schema: Arc<Schema>,
}

/// Collects shown plans.
pub(super) type ShownPlans = Arc<Mutex<Vec<ShownPlan>>>;

impl Runner {
    /// Shows a plan file that is in a directory, if that is wanted.
    pub(super) fn show<R: Walk>(
        &mut self,
        dir: &RunDir,
        plan: &[u8],
        is_written_here: bool,
        walks: &[WalkInRun<'_, R>],
    ) -> Result<(), EngineError> {
        let Some(shown_plans) = self.shown_plans.clone() else { return Ok(()) };
        let mut print = |args: &[&str]| Ok::<_, EngineError>(output_of(self.run(dir, args, walks)?.0));
        let json = print(&["show", "-json", PLAN])?;
        let text = print(&["show", "-no-color", PLAN])?;
        let schemas = walks.iter().flat_map(schemas).collect();
        let shown = ShownPlan { plan: plan.to_vec(), is_written_here, walks: walks.len(), schemas, json, text };
        shown_plans.lock().unwrap_or_else(PoisonError::into_inner).push(shown);
        Ok(())
    }
}

fn output_of(ended: RunOutcome) -> Result<Vec<u8>, String> {
    match ended {
        RunOutcome::Finished(finished) if finished.exit == 0 => Ok(finished.stdout),
        RunOutcome::Finished(finished) => Err(String::from_utf8_lossy(&finished.stderr).into_owned()),
        RunOutcome::Crashed(crash) => Err(format!("{} at {}", crash.message, crash.site)),
        RunOutcome::TimedOut { limit } => Err(format!("no end within {limit:?}")),
        RunOutcome::Interrupted => Err("interrupted".to_owned()),
    }
}

fn schemas<R: Walk>(walk: &WalkInRun<'_, R>) -> Vec<ShownSchema> {
    let provider = walk.configuration_files.names.provider_address.source();
    let (kind, type_name) = (walk.request.stored().0, walk.configuration_files.names.type_name());
    let own = ShownSchema { provider: provider.clone(), kind, type_name, schema: walk.schema.clone() };
    let helpers = walk.configuration_files.helpers.iter().map(|helper| ShownSchema {
        provider: provider.clone(),
        kind: helper.kind,
        type_name: helper.type_name.clone(),
        schema: helper.schema.clone(),
    });
    std::iter::once(own).chain(helpers).collect()
}
