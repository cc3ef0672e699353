//! Scenarios: the history of a resource instance, as a walk of related steps.
//!
//! The walk keeps a rough idea of the state after each step: whether there is an object, what its configuration is. It plans
//! nothing itself: if a provider refuses or a planner is wrong, the run differs from this idea, and the remaining steps are as
//! useful there.

pub(super) mod changed;
mod configs;
mod facts;
mod moves;
mod outside;
mod places;
mod stored;
mod walk;

use std::sync::Arc;

use planfuzz_pipelines::model::Model;
use planfuzz_pipelines::sdk::Schema as SdkSchema;

use super::dice::Dice;
use super::model::{self, Plot, Spot};
use super::pools::Pools;
use super::schema_context::SchemaContext;
use super::value::ValueGenerator;
use crate::scenario::Scenario;

/// What the scenarios of one provider have in common.
#[derive(Clone, Debug)]
pub struct ScenarioContext {
    pub(super) schema_context: SchemaContext,
    pub(super) model: Arc<Model>,
    pub(super) spots: Vec<Spot>,
    /// Whether the resource is a data resource.
    pub(super) is_data: bool,
    pub(super) plot: Plot,
}

/// The share of scenarios for data resources, of 256.
const DATA: u8 = 20;

impl ScenarioContext {
    /// The context for a schema that fits, with a provider written with the framework.
    pub(super) fn framework(
        dice: &mut Dice<'_, '_>,
        pools: &Pools,
        schema_context: SchemaContext,
        plot: Plot,
    ) -> ScenarioContext {
        let is_data = dice.chance(DATA);
        let mut values = ValueGenerator::new(dice, pools, &schema_context);
        let (model, spots) = model::framework(&mut values, &schema_context.schema, schema_context.dialect, plot);
        ScenarioContext { schema_context, model: Arc::new(model), spots, is_data, plot }
    }

    /// The same with a provider written with the SDK.
    pub(super) fn sdk(
        dice: &mut Dice<'_, '_>,
        pools: &Pools,
        schema_context: SchemaContext,
        plot: Plot,
        schema: &Arc<SdkSchema>,
    ) -> ScenarioContext {
        let is_data = dice.chance(DATA);
        let mut values = ValueGenerator::new(dice, pools, &schema_context);
        let (model, spots) = model::sdk(&mut values, schema, &schema_context.schema, schema_context.dialect, plot);
        ScenarioContext { schema_context, model: Arc::new(model), spots, is_data, plot }
    }

    /// Whether the provider was made to be well-behaved (section 4 of provider-model.md).
    #[cfg(test)]
    pub(super) fn is_meant_well(&self) -> bool {
        self.plot.fault.is_none() && self.plot.conduct == model::Conduct::WellBehaved
    }

    /// The bytes of dice for one scenario.
    pub(super) fn entropy(&self) -> usize {
        self.schema_context.size.value_entropy * (1 + usize::from(self.schema_context.size.steps) / 2)
    }

    /// A scenario.
    pub(super) fn scenario(&self, dice: &mut Dice<'_, '_>, pools: &Pools) -> Scenario {
        let mut values = ValueGenerator::new(dice, pools, &self.schema_context);
        walk::Walk::scenario(&mut values, self)
    }
}
