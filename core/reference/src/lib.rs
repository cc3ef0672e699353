//! The reference planner: merge-and-rules.md and lifecycle.md as code, one rule after another, without optimizations.
//!
//! It is written to be read beside the specification. A file is a section, a function a rule (or the rules its
//! documentation names), and the cases of a function stand in the order of the rule's own. Where the rules leave an
//! order free it is the order of the names. Set elements are correlated by trying every pair, members are found by
//! name, and nothing is kept from one request to the next but what follows from the schema alone (`Planning`,
//! `BlockSchema`): so an answer is wrong only if a line here differs from a line there.
//!
//! | file | rules |
//! | --- | --- |
//! | `lookup` | S60, S61, S63: the schema at a path |
//! | `merge`, `collections` | M01 to M21 |
//! | `correlate` | M22 to M25 |
//! | `data_resource` | M40 to M42 |
//! | `validity` | P01 to P12 |
//! | `compatible` | AC01 to AC22, C10 |
//! | `normalize` | LN01 to LN04 |
//! | `untyped` | M30: reading where any type may stand |
//! | `computed_blocks` | C01, C02 |
//! | `lifecycle` | lifecycle.md, by its sections |
//!
//! No answer panics: an input on which an engine crashes, and a value that does not have the type that the schema
//! implies, are refused.

#![forbid(unsafe_code)]

mod at;
mod block_schema;
mod collections;
mod compatible;
mod computed_blocks;
mod correlate;
mod data_resource;
mod lifecycle;
mod lookup;
mod merge;
mod normalize;
mod parts;
mod planning;
mod untyped;
mod validity;

#[cfg(test)]
mod check;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, Violation,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;

use at::At;
use block_schema::BlockSchema;
use planning::Planning;

/// The reference planner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

/// The reference planner for one schema in one dialect.
#[derive(Debug)]
struct OfSchema<'s>(Planning<'s>);

impl Planner for Reference {
    fn name(&self) -> &str {
        "reference"
    }

    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
        Box::new(OfSchema(Planning { dialect, source: schema, schema: BlockSchema::new(&schema.block, dialect) }))
    }
}

impl Prepared for OfSchema<'_> {
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        merge::Merge { dialect: self.0.dialect }.proposed(&self.0.schema, prior.view(), config.view(), &At::ROOT)
    }

    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        data_resource::planned_data_resource(self.0.dialect, &self.0.schema, config.view())
    }

    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal> {
        validity::violations(self.0.dialect, &self.0.schema, [prior, config, planned].map(Value::view))
    }

    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        compatible::violations(self.0.dialect, &self.0.schema, planned.view(), actual.view())
    }

    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        normalize::normalize(self.0.dialect, &self.0.schema, value.view(), &At::ROOT)
    }

    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        computed_blocks::prepare(self.0.dialect, &self.0.schema, value.view())
    }

    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        lifecycle::plan(&self.0, request, provider)
    }

    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        lifecycle::apply(&self.0, request, provider)
    }
}
