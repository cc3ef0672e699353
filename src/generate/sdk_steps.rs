//! Calls of the classic SDK's pipeline: plans, applies and reads of whole objects, and the pieces that they are made of.
//!
//! Plans are of what Core would propose, mostly; applies are of what a plan came to, or of anything. What a provider's function sets is drawn
//! from the object that a merge has as its result.

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::value::{Text, Value};
use planfuzz_pipelines::model::CustomizeOp;
use planfuzz_pipelines::sdk::{Function, ID, Mode, Pipeline, PlanRequest, State, Tree};

use super::dice::Dice;
use crate::case::{Merge, SdkCall};

/// What a call is drawn by, beside the values of a merge.
pub(super) struct Draw {
    kind: usize,
    odd: usize,
    ids: [usize; 2],
    sets: usize,
    fails: bool,
    partial: bool,
}

impl Draw {
    /// Draws.
    pub(super) fn new(dice: &mut Dice<'_, '_>) -> Draw {
        Draw {
            kind: dice.weighted(&[90, 44, 24, 24, 10, 3, 12, 10, 4]),
            odd: dice.weighted(&[150, 40, 24, 24, 16]),
            ids: [dice.weighted(&[200, 30, 14, 12]), dice.weighted(&[170, 50, 20, 16])],
            sets: dice.below(1 << 12),
            fails: dice.chance(24),
            partial: dice.chance(16),
        }
    }
}

/// A provider, and what it does to plans.
pub(super) struct Sdk<'s> {
    pub(super) pipeline: &'s Arc<Pipeline>,
    pub(super) customize: &'s [CustomizeOp],
}

impl Sdk<'_> {
    /// A call for the values of a merge; `propose` says what Core proposes for them.
    pub(super) fn call(&self, draw: &Draw, merge: Merge, propose: impl Fn(&Merge) -> Value) -> SdkCall {
        let pipeline = self.pipeline.clone();
        let prior = with_id(&merge.prior, draw.ids[0]);
        let merge = Merge { prior, ..merge };
        match draw.kind {
            0 | 1 => {
                let proposed = match draw.odd {
                    0 | 1 => propose(&merge),
                    2 => merge.planned.clone(),
                    3 => merge.config.clone(),
                    _ => Value::null(merge.prior.ty().clone()),
                };
                let Merge { prior, config, planned, actual, .. } = merge;
                if draw.kind == 0 {
                    let customize_diff = self.customize.to_vec();
                    return SdkCall::Plan { pipeline, customize_diff, prior, config, proposed };
                }
                let request = PlanRequest { prior: &prior, config: &config, proposed: &proposed };
                let (planned, extra) = match pipeline.plan(self.customize, request) {
                    Ok(plan) if draw.odd < 3 => (plan.planned, plan.extra),
                    _ => (planned, BTreeMap::new()),
                };
                let function = self.function(draw, &actual);
                SdkCall::Apply { pipeline, prior, planned, config, extra, function }
            }
            2 => {
                let function = self.function(draw, &merge.actual);
                SdkCall::Read { pipeline, current: merge.prior, function }
            }
            3 => {
                let state = State::shim(pipeline.schema(), merge.prior.view()).ok();
                let of = if draw.odd < 3 { &merge.config } else { &merge.planned };
                let config = Tree::of_object(of.view(), &pipeline.core_schema().block);
                SdkCall::Diff { pipeline, state: state.filter(|_| !merge.prior.is_null()), config }
            }
            4 => SdkCall::ShimState { pipeline, value: merge.prior },
            5 => SdkCall::CoreSchema { pipeline },
            _ => of_values(draw, merge),
        }
    }

    /// What the provider's code does.
    fn function(&self, draw: &Draw, actual: &Value) -> Function {
        let is_field = |name: &Text| self.pipeline.schema().fields().get(name).is_some();
        let sets = actual.view().entries().enumerate().filter(|(index, (name, value))| {
            draw.sets >> (index % 12) & 1 == 1 && is_field(name) && value.is_wholly_known()
        });
        let sets = sets.map(|(_, (name, value))| (name.clone(), value.to_value())).collect();
        let id = [Some("i"), None, Some("j"), Some("")][draw.ids[1]].map(Text::new);
        Function { sets, id, error: draw.fails, partial: draw.partial }
    }
}

/// A part of the pipeline that works on whole values.
fn of_values(draw: &Draw, merge: Merge) -> SdkCall {
    let Merge { schema, prior, config, planned, actual } = merge;
    let ty = prior.ty().clone();
    match (draw.kind, draw.odd) {
        (6, 0) => SdkCall::Normalize { ty, dst: planned, src: config, mode: Mode::Plan },
        (6, 1 | 2) => SdkCall::Normalize { ty, dst: actual, src: planned, mode: Mode::Apply },
        (6, _) => SdkCall::Normalize { ty, dst: config, src: prior, mode: Mode::Plan },
        (7, 0) => SdkCall::Equivalent { ty, a: planned, b: actual },
        (7, _) => SdkCall::Equivalent { ty, a: prior, b: planned },
        (_, 0) => SdkCall::SetUnknowns { schema, value: config },
        _ => SdkCall::SetUnknowns { schema, value: planned },
    }
}

/// The object with an id, mostly; now and then with one that is null or empty.
fn with_id(object: &Value, which: usize) -> Value {
    let id =
        [Value::string("i"), Value::string("j"), Value::null(planfuzz_core::value::Type::String), Value::string("")];
    if object.is_null() || object.is_unknown() {
        return object.clone();
    }
    let members = object.view().entries().map(|(name, member)| {
        let member = if name.as_str() == ID { id[which].clone() } else { member.to_value() };
        (name.clone(), member)
    });
    Value::object(members.collect())
}
