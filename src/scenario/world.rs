//! Where a scenario is played: the provider, and the remote objects behind it.

use std::sync::Arc;

use planfuzz_core::planner::Provider;
use planfuzz_core::provider::model::Model;
use planfuzz_core::provider::remote::{CompiledModel, ModelError, ModelProvider};
use planfuzz_core::rules::Claims;

use super::{Outside, Scenario};

/// A provider, and the world that its objects are in.
pub trait World: Provider {
    /// Something happens to the objects; what happens to the state is none of its business.
    fn happen(&mut self, outside: &Outside);
}

impl World for ModelProvider {
    fn happen(&mut self, outside: &Outside) {
        match outside {
            Outside::Drift { path, value } => self.drift(&[(path.clone(), value.clone())]),
            Outside::Vanish => self.vanish(),
            Outside::Appear(value) => self.appear(value),
            Outside::Taint | Outside::Untaint => false,
        };
    }
}

impl Scenario {
    /// What is claimed of the provider beyond its contract. It takes a look at the whole model.
    pub fn claims(&self) -> Claims {
        Claims { idempotent: self.model.is_idempotent(), deterministic: self.model.is_deterministic() }
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
