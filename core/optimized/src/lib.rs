//! The optimized planner: the same answers, as fast as the machine allows.
//!
//! A schema is compiled once (`program`); after that every operation (`operations`) is a walk over payloads in the order in which
//! they are stored. It is linear where the engines are quadratic (sets), shares unchanged parts with its inputs, and allocates
//! only for changed ones. Each shortcut names the rule or law (H01 to H09, MP…, V96) by which it is not observable; an attack on
//! this planner starts there.
//!
//! Recursion is as deep as schema and types, which readers bound.

#![forbid(unsafe_code)]

mod compatible;
mod computed;
mod correlate;
mod flags;
mod here;
mod kinds;
mod legacy;
mod lifecycle;
mod matching;
mod merge;
mod merge_collections;
mod merge_sets;
mod operations;
mod partners;
mod program;
mod same;
#[cfg(test)]
mod tests;
mod valid;
mod valid_blocks;
mod waiting;
mod wire;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, Violation,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;

use operations::Program;
pub use wire::{Wire, WireError, WireProgram};

/// The optimized planner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Optimized;

impl Planner for Optimized {
    fn name(&self) -> &str {
        "optimized"
    }

    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
        Box::new(OfSchema(Program::compile(schema, dialect)))
    }
}

impl Optimized {
    /// The same as [`Planner::prepare`], for several threads.
    pub fn prepare_shared<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + Send + Sync + 's> {
        Box::new(OfSchema(Program::compile(schema, dialect)))
    }
}

/// The optimized planner for one schema in one dialect.
struct OfSchema(Program);

impl Prepared for OfSchema {
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        self.0.proposed_new(prior, config)
    }

    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        self.0.planned_data_resource(config)
    }

    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal> {
        self.0.assert_plan_valid(prior, config, planned)
    }

    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        self.0.assert_object_compatible(planned, actual)
    }

    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        self.0.normalize_legacy(value)
    }

    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        self.0.prepare_computed_blocks(value)
    }

    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        lifecycle::plan(&self.0, request, provider)
    }

    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        lifecycle::apply(&self.0, request, provider)
    }
}
