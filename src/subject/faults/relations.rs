//! Planners that depend on what must not matter: each is right in one run, and wrong compared with related runs.
//!
//! Their mistakes show in no rule and in no single run: only the properties of scenarios can find them.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, Violation,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;
use planfuzz_reference::Reference;

/// The input that a planner wrongly depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// How many schemas it has read before.
    Schemas,
    /// How many plans it has made of this schema before.
    Plans,
    /// How many attributes there are.
    Attributes,
    /// The name of its first attribute.
    Names,
}

impl Dependence {
    /// All of them, each with the property that it breaks.
    pub const ALL: [(Dependence, &'static str); 4] = [
        (Dependence::Schemas, "LP01"),
        (Dependence::Plans, "LP02"),
        (Dependence::Attributes, "LP03"),
        (Dependence::Names, "LP04"),
    ];
}

/// The reference planner, except that it inverts `applyable` of some plans, as its [`Dependence`] decides.
#[derive(Debug)]
pub struct Dependent {
    on: Dependence,
    schemas: AtomicU64,
}

impl Dependent {
    /// A planner with this dependence.
    pub fn new(on: Dependence) -> Dependent {
        Dependent { on, schemas: AtomicU64::new(0) }
    }
}

impl Planner for Dependent {
    fn name(&self) -> &str {
        "dependent"
    }

    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
        let is_odd = |count: u64| count % 2 == 1;
        let is_spoiled = match self.on {
            Dependence::Schemas => is_odd(self.schemas.fetch_add(1, Ordering::Relaxed)),
            Dependence::Plans => false,
            Dependence::Attributes => is_odd(schema.block.attributes.len() as u64),
            Dependence::Names => schema.block.attributes.iter().next().is_some_and(|(name, _)| **name < *"n"),
        };
        let alternates = self.on == Dependence::Plans;
        Box::new(DependentWalks {
            right: Reference.prepare(schema, dialect),
            alternates,
            is_spoiled: Cell::new(is_spoiled),
        })
    }
}

struct DependentWalks<'s> {
    right: Box<dyn Prepared + 's>,
    alternates: bool,
    is_spoiled: Cell<bool>,
}

impl Prepared for DependentWalks<'_> {
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        self.right.proposed_new(prior, config)
    }

    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        self.right.planned_data_resource(config)
    }

    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal> {
        self.right.assert_plan_valid(prior, config, planned)
    }

    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        self.right.assert_object_compatible(planned, actual)
    }

    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        self.right.normalize_legacy(value)
    }

    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        self.right.prepare_computed_blocks(value)
    }

    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        let mut plan = self.right.plan(request, provider)?;
        let is_spoiled = self.is_spoiled.get();
        plan.applyable ^= is_spoiled;
        self.is_spoiled.set(is_spoiled ^ self.alternates);
        Ok(plan)
    }

    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        self.right.apply(request, provider)
    }
}
