//! A planner that is being rewritten, one operation at a time.
//!
//! **Problem.** A team replaces a planner piece by piece and wants to know after each piece that no behaviour changed.
//! **Idea.** The new planner implements [`Planner`]; what is not rewritten yet is delegated to the old one. Here `proposed_new` is
//! new for resources without blocks and nested attributes, and everything else is the optimized planner of planfuzz.
//! **Guarantee.** `tests/agreement.rs` compares it with the reference planner on generated cases, and shows that a mistake in
//! the new piece is found.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, Violation,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;
use planfuzz_optimized::Optimized;

/// The planner that is being rewritten.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnPlanner {
    /// A mistake, to see that the comparison finds it: an unknown configuration gives way to the prior value.
    pub has_mistake: bool,
}

impl Planner for OwnPlanner {
    fn name(&self) -> &str {
        "own"
    }

    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
        Box::new(Rewritten {
            old: Optimized.prepare(schema, dialect),
            schema,
            is_flat: is_flat(schema),
            planner: *self,
        })
    }
}

/// The planner with its schema.
struct Rewritten<'s> {
    old: Box<dyn Prepared + 's>,
    schema: &'s Schema,
    is_flat: bool,
    planner: OwnPlanner,
}

impl Prepared for Rewritten<'_> {
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        if self.is_flat && prior.view().is_present() && config.view().is_present() {
            return Ok(self.planner.proposed_flat(self.schema, prior, config));
        }
        self.old.proposed_new(prior, config)
    }

    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        self.old.planned_data_resource(config)
    }

    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal> {
        self.old.assert_plan_valid(prior, config, planned)
    }

    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        self.old.assert_object_compatible(planned, actual)
    }

    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        self.old.normalize_legacy(value)
    }

    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        self.old.prepare_computed_blocks(value)
    }

    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        self.old.plan(request, provider)
    }

    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        self.old.apply(request, provider)
    }
}

impl OwnPlanner {
    /// The new piece: of attributes without a nested type, what is computed and not configured keeps its prior value (M10), and
    /// everything else is as configured.
    fn proposed_flat(self, schema: &Schema, prior: &Value, config: &Value) -> Value {
        let members = schema.block.attributes.iter().filter_map(|(name, attribute)| {
            let configured = config.view().member(name)?;
            let gives_way = configured.is_null() || (self.has_mistake && configured.is_unknown());
            let kept = if attribute.computed && gives_way { prior.view().member(name)? } else { configured };
            Some((name.clone(), kept.to_value()))
        });
        Value::object(members.collect())
    }
}

/// Whether the new piece is for resources of this schema.
fn is_flat(schema: &Schema) -> bool {
    schema.block.block_types.is_empty()
        && schema.block.attributes.values().all(|attribute| attribute.leaf_type().is_some())
}
