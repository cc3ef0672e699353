//! The optimized planner: the same answers, as fast as the machine allows.
//!
//! A schema is compiled once (`program`); after that every operation is a walk over payloads in the order in which
//! they are stored. It is linear where the engines are quadratic (sets), shares with its inputs whatever did not
//! change, and allocates for what did. Each shortcut names, where it is taken, the rule or law (H01 to H09, MP…, V96)
//! that says that nobody can tell; whoever attacks this planner starts there.
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
mod partners;
mod program;
mod same;
#[cfg(test)]
mod tests;
mod valid;
mod valid_blocks;
mod waiting;
mod wire;

use std::sync::OnceLock;

use triomphe::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, Violation,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Path, Type, Value, ValueRef};

use compatible::{Compare, Pair};
use here::Here;
use merge::Merge;
use program::Object;
use valid::{Check, Sides};
pub use wire::{Wire, WireError, WireProgram};

/// The optimized planner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Optimized;

impl Planner for Optimized {
    fn name(&self) -> &str {
        "optimized"
    }

    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
        Box::new(Program::compile(schema, dialect))
    }
}

impl Optimized {
    /// The same as [`Planner::prepare`], for several threads.
    pub fn prepare_shared<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + Send + Sync + 's> {
        Box::new(Program::compile(schema, dialect))
    }
}

/// A compiled schema.
struct Program {
    root: Object,
    dialect: Dialect,
    /// The version of the schema (L05).
    version: u64,
    /// Types that were found to conform to the schema: most values of one schema share a few.
    accepted: [OnceLock<Type>; ACCEPTED],
}

/// How many conforming types are remembered: one for each side of a question.
const ACCEPTED: usize = 4;

impl Program {
    fn compile(schema: &Schema, dialect: Dialect) -> Program {
        let root = Object::of_block(&schema.block, dialect);
        Program { root, dialect, version: schema.version, accepted: [const { OnceLock::new() }; ACCEPTED] }
    }

    /// V03, S30: refuses what is no object of the schema, of which no part may be read.
    fn accept(&self, values: &[&Value]) -> Result<(), Refusal> {
        match values.iter().all(|value| self.conforms(value.ty())) {
            true => Ok(()),
            false => Err(Refusal::new("S30", &Path::root(), "the value does not conform to the schema")),
        }
    }

    /// V03, S30: whether values of the type are objects of the schema.
    fn conforms(&self, ty: &Type) -> bool {
        if is_shared(&self.root.ty, ty)
            || self.accepted.iter().any(|accepted| accepted.get().is_some_and(|known| is_shared(known, ty)))
        {
            return true;
        }
        let conforms = ty.conforms_to(&self.root.ty);
        if conforms && let Some(free) = self.accepted.iter().find(|accepted| accepted.get().is_none()) {
            // Another thread may have been first; what conforms conforms, remembered or not.
            let _ = free.set(ty.clone());
        }
        conforms
    }
}

fn is_shared(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Object(a), Type::Object(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

impl Prepared for Program {
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        self.accept(&[prior, config])?;
        let mut merge = Merge::new(self.dialect);
        let merged = merge.proposed(&self.root, prior.view(), config.view(), &Here::Root)?;
        Ok(merged.value(prior.view(), config.view(), &self.root.ty))
    }

    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        self.accept(&[config])?;
        let mut merge = Merge::new(self.dialect);
        let prior = ValueRef::unknown(&self.root.ty);
        let merged = merge.merge_block(&self.root, prior, config.view(), &Here::Root)?;
        Ok(merged.value(prior, config.view(), &self.root.ty))
    }

    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal> {
        self.accept(&[prior, config, planned])?;
        let mut check = Check::new(self.dialect);
        let sides = Sides { prior: prior.view(), config: config.view(), planned: planned.view() };
        check.block(&self.root, sides, &Here::Root)?;
        Ok(check.violations)
    }

    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        self.accept(&[planned, actual])?;
        let mut compare = Compare::new(self.dialect);
        compare.block(&self.root, Pair::new(planned.view(), actual.view()), &Here::Root)?;
        Ok(compare.violations)
    }

    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        self.accept(&[value])?;
        legacy::normalize(&self.root, value)
    }

    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        self.accept(&[value])?;
        computed::prepare(&self.root, value)
    }

    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        lifecycle::plan(self, request, provider)
    }

    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        lifecycle::apply(self, request, provider)
    }
}
