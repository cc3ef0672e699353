//! One case with one planner: the answers that several properties need are computed once.

use std::cell::OnceCell;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Planner, Prepared, Violation};
use planfuzz_core::schema::{Block, Schema};
use planfuzz_core::value::{Type, Value, structural_hash};

use super::remake::Choices;
use super::shape::{self, ConfigFacts, SchemaFacts};
use crate::case::Merge;

/// A case and a planner that is prepared for it.
pub(super) struct Trial<'a> {
    pub(super) planner: &'a dyn Planner,
    pub(super) prepared: Box<dyn Prepared + 'a>,
    pub(super) merge: &'a Merge,
    pub(super) dialect: Dialect,
    /// The implied type of the schema.
    pub(super) ty: Type,
    pub(super) schema_facts: SchemaFacts,
    pub(super) config_facts: ConfigFacts,
    choice: u64,
    proposed: OnceCell<Option<Value>>,
    violations: OnceCell<Option<Vec<Violation>>>,
    incompatible: OnceCell<Option<Vec<Violation>>>,
    distinct_keys: OnceCell<bool>,
}

impl<'a> Trial<'a> {
    pub(super) fn new(planner: &'a dyn Planner, merge: &'a Merge, dialect: Dialect) -> Trial<'a> {
        let schema: &Schema = &merge.schema;
        let ty = schema.implied_type(dialect);
        let hashes = [&merge.prior, &merge.config, &merge.planned].map(|value| structural_hash(value.node()));
        let choice = hashes.into_iter().fold(0, |all: u64, one| all.rotate_left(21) ^ one);
        Trial {
            planner,
            prepared: planner.prepare(schema, dialect),
            merge,
            dialect,
            schema_facts: SchemaFacts::of(&schema.block, ty.has_dynamic()),
            config_facts: ConfigFacts::of(&schema.block, merge.config.view()),
            ty,
            choice,
            proposed: OnceCell::new(),
            violations: OnceCell::new(),
            incompatible: OnceCell::new(),
            distinct_keys: OnceCell::new(),
        }
    }

    pub(super) fn block(&self) -> &'a Block {
        &self.merge.schema.block
    }

    /// Null of the schema's type.
    pub(super) fn null(&self) -> Value {
        Value::null(self.ty.clone())
    }

    /// Choices for one property; the same case gives the same choices.
    pub(super) fn choices(&self, property: u64) -> Choices {
        Choices::new(self.choice ^ property.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The proposed object, unless the engine crashes.
    pub(super) fn proposed(&self) -> Option<&Value> {
        let ask = || self.prepared.proposed_new(&self.merge.prior, &self.merge.config).ok();
        self.proposed.get_or_init(ask).as_ref()
    }

    /// The violations of the case's plan, unless the engine crashes.
    pub(super) fn violations(&self) -> Option<&[Violation]> {
        let Merge { prior, config, planned, .. } = self.merge;
        let ask = || self.prepared.assert_plan_valid(prior, config, planned).ok();
        self.violations.get_or_init(ask).as_deref()
    }

    /// The incompatibilities between the case's planned and actual objects, unless the engine crashes.
    pub(super) fn incompatible(&self) -> Option<&[Violation]> {
        let ask = || self.prepared.assert_object_compatible(&self.merge.planned, &self.merge.actual).ok();
        self.incompatible.get_or_init(ask).as_deref()
    }

    /// Whether no two different elements of one set share a key, in the inputs and in the proposed object, and there is no
    /// negative zero.
    pub(super) fn distinct_keys(&self) -> bool {
        *self.distinct_keys.get_or_init(|| {
            let inputs = [Some(&self.merge.prior), Some(&self.merge.config), self.proposed()];
            inputs.into_iter().flatten().all(|value| shape::has_distinct_keys(value.view()))
        })
    }
}
