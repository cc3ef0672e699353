//! Planners that are wrong on purpose: one for each property, which it breaks.

use std::sync::atomic::{AtomicU64, Ordering};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, Violation,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Node, Path, Type, Value, ValueRef, structural_hash};
use planfuzz_reference::Reference;

/// The reference planner, made wrong such that it breaks the named property.
pub(super) struct Spoiled {
    pub(super) property: &'static str,
    /// Whether it refuses a proposal instead of proposing null.
    pub(super) refuses: bool,
}

struct SpoiledPrepared<'s> {
    property: &'static str,
    refuses: bool,
    schema: &'s Schema,
    right: Box<dyn Prepared + 's>,
    calls: AtomicU64,
}

impl Planner for Spoiled {
    fn name(&self) -> &str {
        "spoiled"
    }

    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
        let right = Reference.prepare(schema, dialect);
        let Spoiled { property, refuses } = *self;
        Box::new(SpoiledPrepared { property, refuses, schema, right, calls: AtomicU64::new(0) })
    }
}

impl SpoiledPrepared<'_> {
    /// Whether the planner proposes null instead of the right answer.
    fn forgets(&self, prior: &Value, config: &Value, right: &Value) -> bool {
        let attributes = &self.schema.block.attributes;
        match self.property {
            "MP01" => config.is_null(),
            "MP02" => prior.is_null(),
            "MP05" => config.view().children().any(|(_, member)| member.is_null()),
            "MP08" => prior == config,
            "MP09" => prior == right,
            "MP10" => structural_hash(prior.node()).is_multiple_of(2),
            "MP11" => self.calls.fetch_add(1, Ordering::Relaxed) % 2 == 1,
            "MP12" => attributes.iter().any(|(name, _)| name.starts_with('_')),
            "MP13" => config.is_wholly_known(),
            "MP24" => attributes.values().all(|attribute| attribute.sensitive),
            _ => false,
        }
    }

    /// A part of the answer, made wrong for the properties that check parts.
    fn part(&self, name: &str, prior: &Value, config: ValueRef<'_>, right: ValueRef<'_>) -> Node {
        let is_plain = self.schema.block.attributes.get(name).is_some_and(|attribute| !attribute.computed);
        let parts = right.node().parts();
        match (self.property, right.ty()) {
            ("MP03", _) if !config.is_null() => Node::Null,
            ("MP04", _) if is_plain && config.is_null() => {
                prior.view().member(name).map_or(Node::Null, |prior| prior.node().clone())
            }
            ("MP06", Type::List(_)) if right.is_present() => Node::seq(parts.iter().rev().cloned().collect()),
            ("MP07", Type::List(_) | Type::Set(_)) if right.is_present() => {
                Node::seq(parts.iter().skip(1).cloned().collect())
            }
            _ => right.node().clone(),
        }
    }
}

/// The violations, with an additional one at the root if the fault shows.
fn wrong(violations: Vec<Violation>, shows: bool) -> Vec<Violation> {
    let one = shows.then(|| Violation::new(Path::root(), "wrong"));
    violations.into_iter().chain(one).collect()
}

impl Prepared for SpoiledPrepared<'_> {
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        let right = self.right.proposed_new(prior, config)?;
        if self.forgets(prior, config, &right) {
            if self.refuses {
                return Err(Refusal::new("M01", &Path::root(), "spoiled"));
            }
            return Ok(Value::null(right.ty().clone()));
        }
        let (Some(object), true) = (right.ty().as_object(), right.view().is_present() && !config.is_null()) else {
            return Ok(right);
        };
        let parts = object.attributes().iter().filter_map(|attribute| {
            let name = &attribute.name;
            Some(self.part(name, prior, config.view().member(name)?, right.view().member(name)?))
        });
        Ok(Value::from_parts(right.ty().clone(), Node::seq(parts.collect())))
    }

    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        let right = self.right.planned_data_resource(config)?;
        Ok(if self.property == "MP23" { config.clone() } else { right })
    }

    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal> {
        let right = self.right.assert_plan_valid(prior, config, planned)?;
        let shows = match self.property {
            "MP15" => planned != config,
            "MP16" => planned == config,
            "MP17" => structural_hash(planned.node()).is_multiple_of(2),
            _ => false,
        };
        Ok(wrong(right, shows))
    }

    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        let right = self.right.assert_object_compatible(planned, actual)?;
        let shows = match self.property {
            "MP14" | "MP19" => planned != actual,
            "MP18" => planned == actual,
            "MP20" => !planned.is_wholly_known(),
            "MP21" => return Ok(Vec::new()),
            _ => false,
        };
        Ok(wrong(right, shows))
    }

    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        let right = self.right.normalize_legacy(value)?;
        let again = self.property == "MP22" && right == *value;
        Ok(if again { Value::unknown(right.ty().clone()) } else { right })
    }

    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        self.right.prepare_computed_blocks(value)
    }

    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        self.right.plan(request, provider)
    }

    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        self.right.apply(request, provider)
    }
}
