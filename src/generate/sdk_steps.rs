//! Calls of the classic SDK's pipeline: plans, applies and reads of whole objects, and the pieces that they are made of.
//!
//! Plans are mostly of what Core would propose; applies are of a plan's outcome, or of anything. The values that a provider's function
//! sets are drawn from the actual value of a merge.

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz_core::value::{Text, Value};
use planfuzz_pipelines::rules::CustomizeOp;
use planfuzz_pipelines::sdk::{Function, ID, Mode, Pipeline, PlanRequest, State, Tree};

use super::dice::{Dice, weighted};
use crate::case::{Merge, Op, SdkCall};

/// The random choices of a call, except for the values of a merge.
pub(super) struct Draw {
    op: Op,
    odd: Odd,
    /// The id of the object before, and the one that the provider sets.
    ids: [Option<&'static str>; 2],
    sets: usize,
    fails: bool,
    partial: bool,
}

/// How far a call is from the calls of a real run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Odd {
    Not,
    Little,
    Somewhat,
    Very,
    Most,
}

impl Odd {
    pub(super) fn draw(dice: &mut Dice<'_, '_>) -> Odd {
        weighted! {
            dice;
            150 => Odd::Not,
            40 => Odd::Little,
            24 => Odd::Somewhat,
            24 => Odd::Very,
            16 => Odd::Most,
        }
    }
}

impl Draw {
    /// Draws the choices of one call.
    pub(super) fn new(dice: &mut Dice<'_, '_>) -> Draw {
        Draw {
            op: weighted! {
                dice;
                90 => Op::SdkPlan,
                44 => Op::SdkApply,
                24 => Op::SdkRead,
                24 => Op::SdkDiff,
                10 => Op::SdkShimState,
                3 => Op::SdkCoreSchema,
                12 => Op::SdkNormalize,
                10 => Op::SdkEquivalent,
                4 => Op::SdkSetUnknowns,
            },
            odd: Odd::draw(dice),
            ids: [
                weighted! { dice; 200 => Some("i"), 30 => Some("j"), 14 => None, 12 => Some("") },
                weighted! { dice; 170 => Some("i"), 50 => None, 20 => Some("j"), 16 => Some("") },
            ],
            sets: dice.below(1 << 12),
            fails: dice.chance(24),
            partial: dice.chance(16),
        }
    }
}

/// A provider, and its plan customisation.
pub(super) struct Sdk<'s> {
    pub(super) pipeline: &'s Arc<Pipeline>,
    pub(super) customize: &'s [CustomizeOp],
}

impl Sdk<'_> {
    /// A call for the values of a merge; `propose` has what Core proposes for them.
    pub(super) fn call(&self, draw: &Draw, merge: Merge, propose: impl Fn(&Merge) -> Value) -> SdkCall {
        let pipeline = self.pipeline.clone();
        let prior = with_id(&merge.prior, draw.ids[0]);
        let merge = Merge { prior, ..merge };
        match draw.op {
            Op::SdkPlan | Op::SdkApply => {
                let proposed = match draw.odd {
                    Odd::Not | Odd::Little => propose(&merge),
                    Odd::Somewhat => merge.planned.clone(),
                    Odd::Very => merge.config.clone(),
                    Odd::Most => Value::null(merge.prior.ty().clone()),
                };
                let Merge { prior, config, planned, actual, .. } = merge;
                if draw.op == Op::SdkPlan {
                    let customize_diff = self.customize.to_vec();
                    return SdkCall::Plan { pipeline, customize_diff, prior, config, proposed };
                }
                let request = PlanRequest { prior: &prior, config: &config, proposed: &proposed };
                let (planned, extra) = match pipeline.plan(self.customize, request) {
                    Ok(plan) if draw.odd < Odd::Very => (plan.planned, plan.extra),
                    _ => (planned, BTreeMap::new()),
                };
                let function = self.function(draw, &actual);
                SdkCall::Apply { pipeline, prior, planned, config, extra, function }
            }
            Op::SdkRead => {
                let function = self.function(draw, &merge.actual);
                SdkCall::Read { pipeline, current: merge.prior, function }
            }
            Op::SdkDiff => {
                let state = State::shim(pipeline.schema(), merge.prior.view()).ok();
                let of = if draw.odd < Odd::Very { &merge.config } else { &merge.planned };
                let config = Tree::of_object(of.view(), &pipeline.core_schema().block);
                SdkCall::Diff { pipeline, state: state.filter(|_| !merge.prior.is_null()), config }
            }
            Op::SdkShimState => SdkCall::ShimState { pipeline, value: merge.prior },
            Op::SdkCoreSchema => SdkCall::CoreSchema { pipeline },
            _ => of_values(draw, merge),
        }
    }

    /// The function that stands for the provider's code.
    fn function(&self, draw: &Draw, actual: &Value) -> Function {
        let is_field = |name: &Text| self.pipeline.schema().fields().get(name).is_some();
        let sets = actual.view().entries().enumerate().filter(|(index, (name, value))| {
            draw.sets >> (index % 12) & 1 == 1 && is_field(name) && value.is_wholly_known()
        });
        let sets = sets.map(|(_, (name, value))| (name.clone(), value.to_value())).collect();
        Function { sets, id: draw.ids[1].map(Text::new), error: draw.fails, partial: draw.partial }
    }
}

/// A part of the pipeline that works on whole values.
fn of_values(draw: &Draw, merge: Merge) -> SdkCall {
    let Merge { schema, prior, config, planned, actual } = merge;
    let ty = prior.ty().clone();
    match (draw.op, draw.odd) {
        (Op::SdkNormalize, Odd::Not) => SdkCall::Normalize { ty, dst: planned, src: config, mode: Mode::Plan },
        (Op::SdkNormalize, Odd::Little | Odd::Somewhat) => {
            SdkCall::Normalize { ty, dst: actual, src: planned, mode: Mode::Apply }
        }
        (Op::SdkNormalize, _) => SdkCall::Normalize { ty, dst: config, src: prior, mode: Mode::Plan },
        (Op::SdkEquivalent, Odd::Not) => SdkCall::Equivalent { ty, a: planned, b: actual },
        (Op::SdkEquivalent, _) => SdkCall::Equivalent { ty, a: prior, b: planned },
        (_, Odd::Not) => SdkCall::SetUnknowns { schema, value: config },
        _ => SdkCall::SetUnknowns { schema, value: planned },
    }
}

/// The object with an id, mostly; now and then with one that is null or empty.
fn with_id(object: &Value, id: Option<&str>) -> Value {
    let id = id.map_or_else(|| Value::null(planfuzz_core::value::Type::String), Value::string);
    if object.is_null() || object.is_unknown() {
        return object.clone();
    }
    let members = object.view().entries().map(|(name, member)| {
        let member = if name.as_str() == ID { id.clone() } else { member.to_value() };
        (name.clone(), member)
    });
    Value::object(members.collect())
}
