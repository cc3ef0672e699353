//! What a scenario is played with: the provider, and the remote objects behind it.

use std::sync::Arc;

use planfuzz_core::planner::{IgnoreChanges, Presence, Provider};
use planfuzz_pipelines::model::Model;
use planfuzz_pipelines::remote::{CompiledModel, ModelError, ModelProvider};
use planfuzz_pipelines::well_behaved::{is_deterministic, is_idempotent, is_well_behaved};
use planfuzz_rules::Claims;

use super::{Outside, Scenario, Trace};

/// A provider, and the remote objects that it manages.
pub trait SimulatedRemote: Provider + OutsideEvents {}

impl<W: Provider + OutsideEvents> SimulatedRemote for W {}

/// Remote objects that change without their provider.
pub trait OutsideEvents {
    /// Applies an outside event to the remote objects; events of the state are ignored.
    fn happen(&mut self, outside: &Outside);
}

impl OutsideEvents for ModelProvider {
    fn happen(&mut self, outside: &Outside) {
        match outside {
            Outside::Drift { path, value } => self.drift(&[(path.clone(), value.clone())]),
            Outside::Vanish => self.vanish(),
            Outside::Appear(value) => self.appear(value),
            Outside::Taint | Outside::Untaint => false,
        };
    }
}

/// The promises of a provider, by its model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Promises {
    /// Its claims beyond its contract.
    pub claims: Claims,
    /// Whether it promises to keep its contract, except for what the legacy type system is allowed.
    pub standing: Obligation,
}

/// Whether a provider is held to the promises of well-behaved ones (section 4 of provider-model.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Obligation {
    /// It is not well-behaved, and promises nothing.
    #[default]
    None,
    /// It is well-behaved, but no provider could keep the promises in this scenario (WS1 to WS11).
    Waived,
    /// It is well-behaved and held to its promises.
    Held,
}

impl Promises {
    /// The promises that still hold for a run.
    pub fn in_trace(self, trace: &Trace) -> Promises {
        match self.standing {
            Obligation::Held if trace.imports_beside_deposed() => {
                Promises { claims: Claims { idempotent: false, ..self.claims }, standing: Obligation::Waived }
            }
            _ => self,
        }
    }
}

impl Promises {
    /// The promises of a model. Examines the whole model.
    pub fn of(model: &Model) -> Promises {
        let claims = Claims { idempotent: is_idempotent(model), deterministic: is_deterministic(model) };
        let standing = if is_well_behaved(model) { Obligation::Held } else { Obligation::None };
        Promises { claims, standing }
    }

    /// The promises of a model without its faults.
    pub fn but_for_faults(model: &Model) -> Promises {
        if model.faults.is_empty() { Promises::of(model) } else { Promises::of(&without_faults(model)) }
    }
}

fn without_faults(model: &Model) -> Model {
    Model { faults: Vec::new(), ..model.clone() }
}

impl Scenario {
    /// The same scenario under a provider without faults.
    #[must_use]
    pub fn without_faults(&self) -> Scenario {
        Scenario { model: Arc::new(without_faults(&self.model)), ..self.clone() }
    }
}

impl Scenario {
    /// Whether changes are ignored in some step: the planned object then need not be the configured one, so that I36 is not claimed.
    pub fn ignores_changes(&self) -> bool {
        let ignores = |presence: &Presence| match presence {
            Presence::Configured(configured) => match &configured.lifecycle.ignore_changes {
                IgnoreChanges::All => true,
                IgnoreChanges::Some(entries) => !entries.is_empty(),
            },
            Presence::Orphan(_) | Presence::Removed(_) => false,
        };
        self.steps.iter().any(|step| ignores(&step.presence) || step.at_apply.as_deref().is_some_and(ignores))
    }
}

/// Sets up the provider of one scenario after another. Consecutive scenarios that share a model (the same one, not an equal one)
/// share its compiled form.
#[derive(Debug, Default)]
pub struct ScenarioProviders(Option<(Arc<Model>, Arc<CompiledModel>)>);

impl ScenarioProviders {
    /// The provider of a scenario with the remote objects of its start.
    ///
    /// # Errors
    /// A model that cannot be played.
    pub fn provider_of(&mut self, scenario: &Scenario) -> Result<ModelProvider, ModelError> {
        let compiled = match &self.0 {
            Some((model, compiled)) if Arc::ptr_eq(model, &scenario.model) => compiled.clone(),
            _ => {
                let compiled = Arc::new(CompiledModel::new(&scenario.model)?);
                self.0 = Some((scenario.model.clone(), compiled.clone()));
                compiled
            }
        };
        let mut provider = ModelProvider::new(compiled);
        for object in scenario.remote.iter().rev() {
            provider.appear(object);
        }
        Ok(provider)
    }
}
