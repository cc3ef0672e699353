//! A compiled model: the work that depends on the model alone is done once.

use super::pipeline::{ModelError, Pipeline};
use crate::faults::Faults;
use crate::model::{Failure, Model, Respond};
use crate::places::{DIALECT, Places, compile};
use crate::well_behaved::{is_deterministic, is_idempotent};
use planfuzz_core::value::Type;

/// A model, compiled. Many runs share one.
#[derive(Debug)]
pub struct CompiledModel {
    /// The implied type of the schema.
    pub(super) ty: Type,
    pub(super) places: Places,
    pub(super) pipeline: Pipeline,
    pub(super) respond: Respond,
    pub(super) failures: Vec<Failure>,
    pub(super) faults: Faults,
    is_idempotent: bool,
    is_deterministic: bool,
}

impl CompiledModel {
    /// Compiles a model.
    ///
    /// # Errors
    /// The model cannot be expressed in its style.
    pub fn new(model: &Model) -> Result<CompiledModel, ModelError> {
        let (pipeline, block) = Pipeline::new(model)?;
        let places = compile(model, &block);
        let ty = block.implied_type(DIALECT);
        Ok(CompiledModel {
            faults: Faults::new(&model.faults, &places, &ty),
            ty,
            places,
            pipeline,
            respond: model.respond,
            failures: model.failures.clone(),
            is_idempotent: is_idempotent(model),
            is_deterministic: is_deterministic(model),
        })
    }

    /// As [`is_idempotent`].
    pub fn is_idempotent(&self) -> bool {
        self.is_idempotent
    }

    /// As [`is_deterministic`].
    pub fn is_deterministic(&self) -> bool {
        self.is_deterministic
    }

    /// The implied type of the schema: that of all objects.
    pub fn object_type(&self) -> &Type {
        &self.ty
    }
}
