//! Calls of the pipelines of providers, by number: plans, applies and reads, whole and in their parts.
//!
//! Providers are those of scenarios, but more of them behave arbitrarily. The values are those of merges; the proposed value is mostly
//! what Core proposes for them, and now and then anything else of the type.

use std::sync::Arc;

use arbitrary::Unstructured;
use planfuzz_core::planner::{Answer, Planner as _};
use planfuzz_core::value::{Type, Value};
use planfuzz_pipelines::model::Style;
use planfuzz_pipelines::rules::Mod;
use planfuzz_pipelines::sdk::Pipeline;
use planfuzz_reference::Reference;

use super::cases::{Stream, fill};
use super::dice::{Dice, weighted};
use super::generator::Generator;
use super::scenario::ScenarioContext;
use super::sdk_steps::{Draw, Odd, Sdk};
use crate::case::{Call, Case, FrameworkProvider, Merge, Op, ProviderCall, Task};

/// The bytes of dice for a provider, as a multiple of the bytes for a schema.
const PROVIDER_ENTROPY: usize = 2;

/// The number of consecutive calls for one provider.
const CALLS_PER_PROVIDER: u64 = 4;

/// The calls of a seed. Caches the provider of the last call.
#[derive(Debug)]
pub struct StepCalls {
    generator: Generator,
    seed: u64,
    buffer: Vec<u8>,
    last: Option<(u64, Provider)>,
}

/// A provider, and its pipeline if it is one of the SDK.
#[derive(Debug)]
struct Provider {
    context: ScenarioContext,
    sdk: Option<Arc<Pipeline>>,
}

impl StepCalls {
    /// The calls of a seed.
    pub fn new(generator: Generator, seed: u64) -> StepCalls {
        StepCalls { generator: generator.of_steps(), seed, buffer: Vec::new(), last: None }
    }

    /// Call number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        let which = number / CALLS_PER_PROVIDER;
        let provider = match self.last.take() {
            Some((made, provider)) if made == which => provider,
            _ => {
                let length = self.generator.settings().schema_entropy * PROVIDER_ENTROPY;
                fill(&mut self.buffer, length, self.seed, which, Stream::StepProvider);
                let context = self.generator.scenario_context(&mut Unstructured::new(&self.buffer));
                let sdk = match &context.model.style {
                    Style::Sdk { schema, .. } => Some(Arc::new(Pipeline::new((**schema).clone()))),
                    Style::Framework { .. } => None,
                };
                Provider { context, sdk }
            }
        };
        let context = &provider.context;
        fill(&mut self.buffer, context.entropy(), self.seed, number, Stream::Steps);
        let mut bytes = Unstructured::new(&self.buffer);
        let call = self.call(&mut Dice::new(&mut bytes), &provider);
        let case = Case::new(context.schema_context.dialect(), Task::Call(Call::Provider(call)));
        self.last = Some((which, provider));
        case
    }

    fn call(&self, dice: &mut Dice<'_, '_>, Provider { context, sdk }: &Provider) -> ProviderCall {
        let draw = Draw::new(dice);
        let op = weighted! {
            dice;
            12 => Op::FwPlan,
            2 => Op::FwMarkUnknown,
            3 => Op::FwModifier,
            5 => Op::FwApply,
            3 => Op::FwRead,
        };
        let (returns, fails) = (dice.chance(220), dice.chance(24));
        let odd = Odd::draw(dice);
        let pick = (dice.below(64), dice.below(16));
        let merge =
            self.generator.merge_of(dice, self.generator.pools_for(context.plot), &context.schema_context, false);
        let merge = without_unknown_roots(merge);
        let model = &context.model;
        let modify_plan = match &model.style {
            Style::Framework { plan, .. } => plan.clone(),
            Style::Sdk { customize_diff: customize, .. } => {
                let pipeline = sdk.as_ref().expect("a provider of the SDK has its pipeline");
                let sdk = Sdk { pipeline, customize };
                return ProviderCall::Sdk(sdk.call(&draw, merge, |merge| proposed(merge, context)));
            }
        };
        let provider = FrameworkProvider { schema: merge.schema.clone(), rules: model.rules.clone() };
        let null = Value::null(merge.prior.ty().clone());
        let returned = returns.then(|| merge.actual.clone());
        match op {
            Op::FwPlan | Op::FwMarkUnknown => {
                let proposed = match odd {
                    Odd::Not => proposed(&merge, context),
                    Odd::Little => merge.planned.clone(),
                    Odd::Somewhat => merge.config.clone(),
                    Odd::Very => merge.actual.clone(),
                    Odd::Most => null,
                };
                let Merge { prior, config, .. } = merge;
                if op == Op::FwMarkUnknown {
                    return ProviderCall::FwMarkUnknown { provider, config, proposed };
                }
                ProviderCall::FwPlan { provider, modify_plan, prior, config, proposed }
            }
            Op::FwModifier => modifier(&merge, pick, odd),
            Op::FwApply => {
                let Merge { prior, planned, config, .. } = merge;
                ProviderCall::FwApply { provider, prior, planned, config, returned, provider_error: fails }
            }
            _ => ProviderCall::FwRead { provider, current: merge.prior, returned, provider_error: fails },
        }
    }
}

/// Replaces unknown objects by null: the inputs of a step are objects or null.
fn without_unknown_roots(merge: Merge) -> Merge {
    let known = |value: Value| if value.is_unknown() { Value::null(value.ty().clone()) } else { value };
    let Merge { schema, prior, config, planned, actual } = merge;
    Merge { schema, prior: known(prior), config: known(config), planned: known(planned), actual: known(actual) }
}

/// What Core proposes (M01).
fn proposed(merge: &Merge, context: &ScenarioContext) -> Value {
    let dialect = context.schema_context.dialect();
    let case = Case::new(dialect, Task::Merge(merge.clone()));
    let prepared = Reference.prepare(&merge.schema, dialect);
    match case.request(Op::ProposedNew).map(|request| prepared.answer(request)) {
        Some(Ok(Answer::Value(value))) => value,
        // A call that is refused does not occur in a run.
        _ => merge.config.clone(),
    }
}

/// One modifier of an attribute of the schema.
fn modifier(merge: &Merge, (which, of): (usize, usize), odd: Odd) -> ProviderCall {
    let none = Value::null(Type::String);
    let member = |value: &Value, at: usize| {
        let found = value.view().entries().nth(at).map(|(_, member)| member.to_value());
        found.unwrap_or_else(|| none.clone())
    };
    let count = merge.schema.block.attributes.len().max(1);
    let name = merge.schema.block.attributes.iter().nth(which % count);
    let ty =
        name.and_then(|(name, _)| merge.prior.ty().as_object()?.attribute_type(name).cloned()).unwrap_or(Type::String);
    let at = name.and_then(|(name, _)| merge.prior.ty().as_object()?.index_of(name)).unwrap_or(0);
    let of_type = |value: Value| if value.ty().conforms_to(&ty) { value } else { Value::null(ty.clone()) };
    let [config, state, plan] = [&merge.config, &merge.prior, &merge.planned].map(|value| of_type(member(value, at)));
    let plan = if odd == Odd::Little { Value::unknown(ty.clone()) } else { plan };
    let modifier = match of % 6 {
        0 | 1 => Mod::UseStateForUnknown,
        2 => Mod::UseNonNullStateForUnknown,
        3 => Mod::RequiresReplace,
        4 => Mod::RequiresReplaceIfConfigured,
        _ => Mod::KeepStateIf(planfuzz_pipelines::expression::Equiv::Case),
    };
    let (state_null, plan_null) = (merge.prior.is_null(), merge.planned.is_null());
    ProviderCall::FwModifier { ty, modifier, config, plan, state, state_null, plan_null }
}
