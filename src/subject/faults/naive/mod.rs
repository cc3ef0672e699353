//! A third planner written from the specification, as short as possible, with a fault at each decision.
//!
//! Faults are planted here and not in the planners of the suite, whose readers have no use for them. Crashes of engines are not
//! implemented again: the reference refuses first, and all code after it may assume inputs on which no engine crashes. With no
//! fault chosen it answers as the reference does; a test checks that.

mod compatible;
mod correlate;
mod kinds;
mod legacy;
mod merge;
mod validity;
mod validity_blocks;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, Violation,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Path, Type, Value, ValueError, ValueRef};
use planfuzz_reference::Reference;

use super::catalogue::Fault;
use super::scenarios::Walks;
use crate::case::Op;

/// The planner with one fault, or none.
pub(super) struct NaivePlanner {
    pub(super) name: String,
    pub(super) fault: Option<Fault>,
}

/// The decisions of the specification, in a dialect, one of which may be wrong.
#[derive(Clone, Copy, Debug)]
struct Naive {
    dialect: Dialect,
    fault: Option<Fault>,
}

/// A value, or the refusal of one that a fault has made impossible.
type Made = Result<Value, Refusal>;

/// The planner for one schema.
struct Planning<'s> {
    schema: &'s Schema,
    reference: Box<dyn Prepared + 's>,
    naive: Naive,
}

impl Naive {
    /// Whether `fault` is the chosen one, so that the decision here is wrong.
    fn plants(self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// Whether the fault is to give an answer where the engine crashes by this rule.
    fn overlooks(self, refusal: &Refusal) -> bool {
        let rules: &[&str] = match self.fault {
            Some(Fault::MarkersForgotten | Fault::StubMarkersForgotten) => &["V08"],
            Some(Fault::NullGroupNestedTaken) => &["M11"],
            Some(Fault::PriorOfOtherKindIgnored) => &["M17", "M18"],
            Some(Fault::PriorBlocksOfOtherKindIgnored) => &["P10"],
            Some(Fault::ResultOfOtherKindRead) => &["AC20"],
            _ => &[],
        };
        rules.contains(&refusal.rule)
    }

    /// Whether the chosen fault is in this operation, or none is chosen.
    fn decides(self, op: Op) -> bool {
        self.fault.is_none_or(|fault| fault.op() == op)
    }
}

impl Planner for NaivePlanner {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
        let reference = Reference.prepare(schema, dialect);
        Box::new(Planning { schema, reference, naive: Naive { dialect, fault: self.fault } })
    }
}

impl Planning<'_> {
    /// The right answer; or `other`, if the fault overlooks the reference's refusal.
    fn unless_overlooked<T>(&self, op: Op, right: Result<T, Refusal>, other: impl FnOnce() -> T) -> Result<T, Refusal> {
        let is_overlooked = |refusal: &Refusal| self.naive.decides(op) && self.naive.overlooks(refusal);
        right.or_else(|refusal| if is_overlooked(&refusal) { Ok(other()) } else { Err(refusal) })
    }

    /// Whether blocks of dynamic type are of other kinds than their nesting mode names, and the fault is not about that: then the
    /// reference answers.
    fn is_left_to_the_reference(&self, values: &[&Value]) -> bool {
        let is_about_kinds = self.naive.fault.is_some_and(|fault| fault.rule() == "M30");
        let block = &self.schema.block;
        !is_about_kinds && !values.iter().all(|value| self.naive.has_named_kinds(block, value.view()))
    }

    /// The walks, with the fault if it is one of scenarios.
    fn walks(&self) -> Walks<'_> {
        let Naive { dialect, fault } = self.naive;
        let fault = fault.filter(|fault| fault.op() == Op::Scenario);
        Walks { fault, schema: self.schema, dialect, reference: &*self.reference }
    }
}

impl Prepared for Planning<'_> {
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        let right =
            self.unless_overlooked(Op::ProposedNew, self.reference.proposed_new(prior, config), || prior.clone())?;
        if self.naive.plants(Fault::ConfigOfOtherKindRefused)
            && self.naive.has_keyed_list(&self.schema.block, config.view())
        {
            return Err(another_kind());
        }
        if !self.naive.decides(Op::ProposedNew) || self.is_left_to_the_reference(&[prior, config]) {
            return Ok(right);
        }
        let unknown = Value::unknown(self.schema.implied_type(self.naive.dialect));
        let create_as_read = prior.is_null() && !config.is_null() && self.naive.plants(Fault::CreateAsDataSource);
        let prior = if create_as_read { &unknown } else { prior };
        self.naive.proposed(&self.schema.block, prior.view(), config.view())
    }

    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        let right = self.reference.planned_data_resource(config)?;
        if !self.naive.decides(Op::PlannedDataResource) || self.is_left_to_the_reference(&[config]) {
            return Ok(right);
        }
        self.naive.planned_data_resource(self.schema, config.view())
    }

    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal> {
        let right = self.unless_overlooked(
            Op::AssertPlanValid,
            self.reference.assert_plan_valid(prior, config, planned),
            Vec::new,
        )?;
        let (c, n) = (config.view(), planned.view());
        if self.naive.plants(Fault::PlanOfOtherKindRefused) && self.naive.are_of_two_kinds(&self.schema.block, c, n) {
            return Err(another_kind());
        }
        if !self.naive.decides(Op::AssertPlanValid) || self.is_left_to_the_reference(&[prior, config, planned]) {
            return Ok(right);
        }
        let mut found = Vec::new();
        let values = [prior.view(), config.view(), planned.view()];
        self.naive.valid_block(&self.schema.block, values, &Path::root(), &mut found);
        Ok(found)
    }

    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        let right = self.unless_overlooked(
            Op::AssertObjectCompatible,
            self.reference.assert_object_compatible(planned, actual),
            Vec::new,
        )?;
        let refuses = self.naive.plants(Fault::ResultOfOtherKindRefused);
        if refuses && self.naive.has_indexed_map(&self.schema.block, planned.view()) {
            return Err(another_kind());
        }
        if !self.naive.decides(Op::AssertObjectCompatible) || self.is_left_to_the_reference(&[planned, actual]) {
            return Ok(right);
        }
        let mut found = Vec::new();
        self.naive.compatible_block(&self.schema.block, planned.view(), actual.view(), &Path::root(), &mut found);
        Ok(found)
    }

    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        let right =
            self.unless_overlooked(Op::NormalizeLegacy, self.reference.normalize_legacy(value), || value.clone())?;
        if !self.naive.decides(Op::NormalizeLegacy) {
            return Ok(right);
        }
        self.naive.normalized(&self.schema.block, value.view())
    }

    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        let right = self.reference.prepare_computed_blocks(value)?;
        let skipped = self.naive.plants(Fault::ComputedBlocksNotPrepared);
        Ok(if skipped { value.clone() } else { right })
    }

    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        self.walks().plan(request, provider)
    }

    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        self.walks().apply(request, provider)
    }
}

/// The refusal of blocks of dynamic type of another kind, for faults that look at the kind.
fn another_kind() -> Refusal {
    Refusal::new("M30", &Path::root(), "expected blocks of the kind that the nesting mode names")
}

static DYNAMIC: Type = Type::Dynamic;

/// A member of an object; null if a fault has put another value in the object's place.
fn member<'a>(object: ValueRef<'a>, name: &str) -> ValueRef<'a> {
    object.member(name).unwrap_or(ValueRef::null(&DYNAMIC))
}

/// A collection of these elements, of the same kind as `like`: a list, set or tuple.
fn collection_like(like: ValueRef<'_>, elements: Vec<Value>) -> Made {
    let made = match like.ty() {
        Type::List(element) => Value::list(element, elements),
        Type::Set(element) => Value::set(element, elements),
        _ => Ok(Value::tuple(elements)),
    };
    made.map_err(broken)
}

/// The refusal of a collection whose elements are of different types.
fn broken(problem: ValueError) -> Refusal {
    Refusal::new("V08", &Path::root(), problem.to_string())
}
