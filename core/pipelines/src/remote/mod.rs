//! The simulated remote system and the provider in front of it (section 3.5 of provider-model.md).
//!
//! A [`ModelProvider`] plays a model: it answers the calls of a planner, and keeps the remote objects that result. Its answers are a
//! function of the model, its seed and the earlier calls, so that subjects under comparison each play against a provider of their own.

mod answers;
mod apply;
mod compiled;
mod complete;
mod failures;
mod forms;
mod objects;
mod outside;
mod pipeline;
mod run;
mod token;
mod upgrade;

use std::sync::Arc;

pub use compiled::CompiledModel;
pub use pipeline::ModelError;
pub use token::ObjectId;

use crate::model::Model;
use planfuzz_core::value::{Value, WrittenPath};
use run::Run;

/// A provider that plays a model, and the remote objects behind it.
///
/// A copy continues independently.
#[derive(Clone, Debug)]
pub struct ModelProvider {
    model: Arc<CompiledModel>,
    run: Run,
}

impl ModelProvider {
    /// A provider without remote objects.
    pub fn new(model: Arc<CompiledModel>) -> ModelProvider {
        ModelProvider { model, run: Run::default() }
    }

    /// A provider of a model that is played once.
    ///
    /// # Errors
    /// The model cannot be expressed in its style.
    pub fn of(model: &Model) -> Result<ModelProvider, ModelError> {
        Ok(ModelProvider::new(Arc::new(CompiledModel::new(model)?)))
    }

    /// Resets the run: no remote objects, all counters at zero.
    pub fn restart(&mut self) {
        self.run = Run::default();
    }

    /// The model.
    pub fn model(&self) -> &Arc<CompiledModel> {
        &self.model
    }

    /// The remote objects, oldest first.
    pub fn remote_objects(&self) -> impl DoubleEndedIterator<Item = (ObjectId, &Value)> {
        self.run.objects.iter().map(|object| (object.id, &object.value))
    }

    /// Adds a remote object that the engine did not make. Returns whether it was added: it must be wholly known and of the resource's type.
    pub fn appear(&mut self, value: &Value) -> bool {
        let can_be = outside::can_be(value, &self.model.ty, &self.model.places);
        if can_be {
            self.run.objects.create(value.clone(), value.clone());
        }
        can_be
    }

    /// Removes the newest remote object. Returns whether there was one.
    pub fn vanish(&mut self) -> bool {
        let newest = self.run.objects.newest().map(|object| object.id);
        newest.map(|id| self.run.objects.remove(id)).is_some()
    }

    /// Changes parts of the newest remote object. Returns whether anything changed: a path that leads nowhere, and a value that does not
    /// fit, change nothing.
    pub fn drift(&mut self, edits: &[(WrittenPath, Value)]) -> bool {
        let Some(object) = self.run.objects.newest() else { return false };
        match outside::edited(&object.value, &self.model.ty, &self.model.places, edits) {
            Some(edited) if edited != object.value => {
                object.value = edited;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
