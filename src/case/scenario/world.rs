//! Where a scenario is played: the provider, and the remote objects behind it.

use std::sync::Arc;

use planfuzz_core::planner::{IgnoreChanges, Presence, Provider};
use planfuzz_pipelines::model::Model;
use planfuzz_pipelines::remote::{CompiledModel, ModelError, ModelProvider};
use planfuzz_pipelines::well_behaved::{is_deterministic, is_idempotent, is_well_behaved};
use planfuzz_rules::Claims;

use super::{Life, Outside, Scenario};

/// A provider, and the world that its objects are in.
pub trait SimulatedRemote: Provider + Happenings {}

impl<W: Provider + Happenings> SimulatedRemote for W {}

/// Where things happen without a planner.
pub trait Happenings {
    /// Something happens to the objects; what happens to the state is none of its business.
    fn happen(&mut self, outside: &Outside);
}

impl Happenings for ModelProvider {
    fn happen(&mut self, outside: &Outside) {
        match outside {
            Outside::Drift { path, value } => self.drift(&[(path.clone(), value.clone())]),
            Outside::Vanish => self.vanish(),
            Outside::Appear(value) => self.appear(value),
            Outside::Taint | Outside::Untaint => false,
        };
    }
}

/// What a provider promises, by its model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Promises {
    /// What is claimed beyond its contract.
    pub claims: Claims,
    /// Whether it promises to keep its contract, but for what the legacy type system is allowed.
    pub standing: Standing,
}

/// Whether a provider is held to what well-behaved ones promise (section 4 of provider-model.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// It is not well-behaved, and promises nothing.
    #[default]
    None,
    /// It is well-behaved, but the life is one in which nobody could keep the promise (WS1 to WS11).
    Waived,
    /// It is.
    Held,
}

impl Promises {
    /// What is left of the promises in a life as it came about.
    pub fn in_life(self, life: &Life) -> Promises {
        match self.standing {
            Standing::Held if life.imports_beside_deposed() => {
                Promises { claims: Claims { idempotent: false, ..self.claims }, standing: Standing::Waived }
            }
            _ => self,
        }
    }
}

impl Promises {
    /// What a model promises. It takes a look at the whole of it.
    pub fn of(model: &Model) -> Promises {
        let claims = Claims { idempotent: is_idempotent(model), deterministic: is_deterministic(model) };
        let standing = if is_well_behaved(model) { Standing::Held } else { Standing::None };
        Promises { claims, standing }
    }

    /// What a model would promise without its faults.
    pub fn but_for_faults(model: &Model) -> Promises {
        if model.faults.is_empty() { Promises::of(model) } else { Promises::of(&without_faults(model)) }
    }
}

fn without_faults(model: &Model) -> Model {
    Model { faults: Vec::new(), ..model.clone() }
}

impl Scenario {
    /// The same life under a provider without faults.
    #[must_use]
    pub fn without_faults(&self) -> Scenario {
        Scenario { model: Arc::new(without_faults(&self.model)), ..self.clone() }
    }
}

impl Scenario {
    /// Whether changes are ignored in some step: what is planned then need not be what is configured, so that I36 is not claimed.
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

/// Sets up the provider of one scenario after the other. Scenarios that share a model, not merely an equal one, share what
/// is made of it.
#[derive(Debug, Default)]
pub struct Stage(Option<(Arc<Model>, Arc<CompiledModel>)>);

impl Stage {
    /// The provider of a scenario with the remote objects of its start.
    ///
    /// # Errors
    /// A model that cannot be played.
    pub fn set(&mut self, scenario: &Scenario) -> Result<ModelProvider, ModelError> {
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
