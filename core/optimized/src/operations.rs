//! The operations of the merge over a compiled schema.

use std::sync::OnceLock;

use triomphe::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Refusal, Violation};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Path, Type, Value, ValueRef};

use super::compatible::{Compare, Pair};
use super::here::Here;
use super::merge::Merge;
use super::program::Object;
use super::valid::{Check, Sides};
use super::{computed, legacy};

/// A compiled schema.
pub(super) struct Program {
    pub(super) root: Object,
    pub(super) dialect: Dialect,
    /// The version of the schema (L05).
    pub(super) version: u64,
    /// Types that are known to conform to the schema: most values of one schema share a few.
    pub(super) accepted: [OnceLock<Type>; ACCEPTED],
}

/// How many conforming types are remembered: one for each argument of an operation.
const ACCEPTED: usize = 4;

impl Program {
    pub(super) fn compile(schema: &Schema, dialect: Dialect) -> Program {
        let root = Object::of_block(&schema.block, dialect);
        Program { root, dialect, version: schema.version, accepted: [const { OnceLock::new() }; ACCEPTED] }
    }

    /// V03, S30: refuses a value that is no object of the schema, so that no part of it is read.
    pub(super) fn accept(&self, values: &[&Value]) -> Result<(), Refusal> {
        match values.iter().all(|value| self.conforms(value.ty())) {
            true => Ok(()),
            false => Err(Refusal::new("S30", &Path::root(), "the value does not conform to the schema")),
        }
    }

    /// V03, S30: whether values of the type are objects of the schema.
    pub(super) fn conforms(&self, ty: &Type) -> bool {
        if is_shared(&self.root.ty, ty)
            || self.accepted.iter().any(|accepted| accepted.get().is_some_and(|known| is_shared(known, ty)))
        {
            return true;
        }
        let conforms = ty.conforms_to(&self.root.ty);
        if conforms && let Some(free) = self.accepted.iter().find(|accepted| accepted.get().is_none()) {
            // Another thread may have been first; that changes no result.
            let _ = free.set(ty.clone());
        }
        conforms
    }

    /// As [`planfuzz_core::planner::Prepared::proposed_new`].
    pub(super) fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        self.accept(&[prior, config])?;
        let mut merge = Merge::new(self.dialect);
        let merged = merge.proposed(&self.root, prior.view(), config.view(), &Here::Root)?;
        Ok(merged.value(prior.view(), config.view(), &self.root.ty))
    }

    /// As [`planfuzz_core::planner::Prepared::planned_data_resource`].
    pub(super) fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        self.accept(&[config])?;
        let mut merge = Merge::new(self.dialect);
        let prior = ValueRef::unknown(&self.root.ty);
        let merged = merge.merge_block(&self.root, prior, config.view(), &Here::Root)?;
        Ok(merged.value(prior, config.view(), &self.root.ty))
    }

    /// As [`planfuzz_core::planner::Prepared::assert_plan_valid`].
    pub(super) fn assert_plan_valid(
        &self,
        prior: &Value,
        config: &Value,
        planned: &Value,
    ) -> Result<Vec<Violation>, Refusal> {
        self.accept(&[prior, config, planned])?;
        let mut check = Check::new(self.dialect);
        let sides = Sides { prior: prior.view(), config: config.view(), planned: planned.view() };
        check.block(&self.root, sides, &Here::Root)?;
        Ok(check.violations)
    }

    /// As [`planfuzz_core::planner::Prepared::assert_object_compatible`].
    pub(super) fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        self.accept(&[planned, actual])?;
        let mut compare = Compare::new(self.dialect);
        compare.block(&self.root, Pair::new(planned.view(), actual.view()), &Here::Root)?;
        Ok(compare.violations)
    }

    /// As [`planfuzz_core::planner::Prepared::normalize_legacy`].
    pub(super) fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        self.accept(&[value])?;
        legacy::normalize(&self.root, value)
    }

    /// As [`planfuzz_core::planner::Prepared::prepare_computed_blocks`].
    pub(super) fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        self.accept(&[value])?;
        computed::prepare(&self.root, value)
    }
}

fn is_shared(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Object(a), Type::Object(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}
