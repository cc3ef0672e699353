//! Scenarios from scenarios: steps are changed, left out, repeated or added; the provider or the stored objects are redrawn.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Configured, Presence};
use planfuzz_core::plans::Marked;
use planfuzz_core::value::{PathSet, Value};
use planfuzz_pipelines::model::Style;

use super::super::dice::Dice;
use super::super::generator::Generator;
use super::super::model::{Plot, spots_of_schema};
use super::super::mutate::{Knowledge, fitted};
use super::super::outline::BlockOutline;
use super::super::schema_context::SchemaContext;
use super::super::settings::Size;
use super::super::value::ValueGenerator;
use super::ScenarioContext;
use super::outside;
use super::walk::Walk;
use crate::generate::dice::weighted;
use crate::scenario::{Command, Outside, Scenario, Step};

/// The most steps that a scenario grows to.
const MOST_STEPS: usize = 8;

/// One change of a scenario.
pub(in super::super) fn mutated(
    dice: &mut Dice<'_, '_>,
    generator: &Generator,
    scenario: &Scenario,
    dialect: Dialect,
) -> Scenario {
    let context = ScenarioContext::of_scenario(scenario, dialect);
    let pools = generator.pools_for(context.plot);
    let mut scenario = scenario.clone();
    weighted! { dice;
        40 => change_command(dice, &mut scenario.steps),
        20 => rearrange(dice, &mut scenario.steps),
        24 => happen(dice, generator, &context, &mut scenario),
        44 => reconfigure(dice, generator, &context, &mut scenario),
        30 => {
            let mut values = ValueGenerator::new(dice, pools, &context.schema_context);
            let other = Walk::scenario(&mut values, &context);
            // The start or the steps of another scenario, or all of it.
            match values.dice.below(3) {
                0 => (scenario.state, scenario.remote) = (other.state, other.remote),
                1 => scenario.steps = other.steps,
                _ => scenario = other,
            }
        },
        60 => {
            let kept = dice.below(scenario.steps.len() + 1).max(scenario.steps.len() / 2);
            scenario.steps.truncate(kept);
            let more = 1 + dice.below(2);
            let mut values = ValueGenerator::new(dice, pools, &context.schema_context);
            scenario.steps = Walk::played_on(&mut values, &context, &scenario, more);
        },
        24 => scenario.model = context.other_model(dice, generator),
        14 => {
            let model = Arc::make_mut(&mut scenario.model);
            match dice.below(4) {
                0 => model.seed = dice.below(4) as u64,
                1 => model.failures.clear(),
                2 => model.faults.clear(),
                _ => {
                    let chosen = dice.below(model.rules.iter().len());
                    let path = model.rules.iter().nth(chosen).map(|(path, _)| path.clone());
                    if let Some(path) = path {
                        model.rules.remove(&path);
                    }
                }
            }
        },
    }
    scenario.steps.truncate(MOST_STEPS);
    scenario
}

/// The first scenario with steps of the second, whose configurations are made to fit.
pub(in super::super) fn crossed(
    dice: &mut Dice<'_, '_>,
    one: &Scenario,
    other: &Scenario,
    dialect: Dialect,
) -> Scenario {
    let mut crossed = one.clone();
    let outline = BlockOutline::of_schema(&one.schema, dialect);
    let from = dice.below(other.steps.len());
    let count = 1 + dice.below(other.steps.len().saturating_sub(from));
    let at = dice.below(crossed.steps.len() + 1);
    if dice.chance(128) {
        crossed.steps.truncate(at);
    }
    let at = at.min(crossed.steps.len());
    let steps = other.steps.iter().skip(from).take(count).map(|step| fitted_step(&outline, step, one));
    let steps: Vec<Step> = steps.collect();
    crossed.steps.splice(at..at, steps);
    crossed.steps.truncate(MOST_STEPS);
    crossed
}

/// The scenario without one of its steps, a part of its provider, or the objects at its start; `None` if nothing is left to
/// remove.
pub(in super::super) fn pruned(scenario: &Scenario, seed: u64) -> Option<Scenario> {
    let mut pruned = scenario.clone();
    let pick = |count: usize| usize::try_from(seed % count.max(1) as u64).unwrap_or(0);
    let Scenario { schema: _, kind: _, model, state, remote, steps } = &mut pruned;
    if steps.len() > 1 {
        steps.remove(pick(steps.len()));
        return Some(pruned);
    }
    let is_plain = model.rules.is_empty() && model.validate.is_empty() && model.failures.is_empty();
    if !is_plain || !model.faults.is_empty() {
        let model = Arc::make_mut(model);
        let path = model.rules.iter().nth(pick(model.rules.iter().len())).map(|(path, _)| path.clone());
        match path {
            Some(path) => {
                model.rules.remove(&path);
            }
            None => (model.validate, model.failures, model.faults) = Default::default(),
        }
        return Some(pruned);
    }
    if !state.is_absent() || !remote.is_empty() {
        (*state, *remote) = Default::default();
        return Some(pruned);
    }
    let step = steps.first_mut()?;
    if step.outside.is_empty() && step.at_apply.is_none() {
        return None;
    }
    (step.outside, step.at_apply) = Default::default();
    Some(pruned)
}

impl ScenarioContext {
    /// The context of an existing scenario.
    fn of_scenario(scenario: &Scenario, dialect: Dialect) -> ScenarioContext {
        let schema_context = SchemaContext::of_schema(scenario.schema.clone(), dialect, Size::SMALL);
        let plot = Plot::of_model(&scenario.model);
        ScenarioContext {
            spots: spots_of_schema(&scenario.schema, dialect),
            schema_context,
            model: scenario.model.clone(),
            is_data: scenario.kind == planfuzz_core::address::ResourceKind::Data,
            plot,
        }
    }

    /// Another provider of the same resource, written with the same pipeline.
    fn other_model(&self, dice: &mut Dice<'_, '_>, generator: &Generator) -> Arc<planfuzz_pipelines::model::Model> {
        let plot = Plot { fault: None, ..self.plot };
        let pools = generator.pools_for(plot);
        let schema_context = self.schema_context.clone();
        match &self.model.style {
            Style::Framework { .. } => ScenarioContext::framework(dice, pools, schema_context, plot).model,
            Style::Sdk { schema, .. } => ScenarioContext::sdk(dice, pools, schema_context, plot, schema).model,
        }
    }
}

/// Another command for a step, or another option.
fn change_command(dice: &mut Dice<'_, '_>, steps: &mut [Step]) {
    let chosen = dice.below(steps.len());
    let Some(step) = steps.get_mut(chosen) else { return };
    match dice.below(6) {
        0 => step.options.skip_refresh = !step.options.skip_refresh,
        1 => step.options.replace = !step.options.replace,
        2 => step.options.moved_from = step.options.moved_from.is_none().then(|| "test_old.a".into()),
        _ => {
            let commands = [Command::Apply, Command::Plan, Command::Refresh, Command::Destroy];
            step.command = dice.pick(&commands).clone();
        }
    }
}

/// Leaves a step out, repeats it, or swaps two.
fn rearrange(dice: &mut Dice<'_, '_>, steps: &mut Vec<Step>) {
    let (one, other) = (dice.below(steps.len()), dice.below(steps.len()));
    match dice.below(3) {
        0 if steps.len() > 1 => {
            steps.remove(one);
        }
        1 if one < steps.len() => steps.insert(other, steps[one].clone()),
        _ if one < steps.len() => steps.swap(one, other),
        _ => {}
    }
}

/// Adds an outside event before a step, or removes all of them.
fn happen(dice: &mut Dice<'_, '_>, generator: &Generator, context: &ScenarioContext, scenario: &mut Scenario) {
    let chosen = dice.below(scenario.steps.len());
    let Some(step) = scenario.steps.get_mut(chosen) else { return };
    let outline = &*context.schema_context.outline;
    let mut values = ValueGenerator::new(dice, generator.pools_for(context.plot), &context.schema_context);
    match values.dice.below(6) {
        0 => step.outside.clear(),
        1 => step.outside.push(Outside::Vanish),
        2 => step.outside.push(Outside::Taint),
        3 => step.outside.push(Outside::Untaint),
        4 => {
            let value = values.stored_value(outline);
            step.outside.push(Outside::Appear(fitted(outline, value.view(), Knowledge::Whole)));
        }
        _ => {
            let config = config_of(&step.presence).cloned().unwrap_or_else(|| values.new_config(outline));
            let object = values.applied(outline, &config);
            let object = fitted(outline, object.view(), Knowledge::Whole);
            let drift = outside::drift(&mut values, outline, &context.spots, &object);
            step.outside.extend(drift.into_iter().map(|(path, value)| Outside::Drift { path, value }));
        }
    }
}

/// Another configuration in one step. Its unknowns are known at apply.
fn reconfigure(dice: &mut Dice<'_, '_>, generator: &Generator, context: &ScenarioContext, scenario: &mut Scenario) {
    let chosen = dice.below(scenario.steps.len());
    let Some(step) = scenario.steps.get_mut(chosen) else { return };
    let Presence::Configured(configured) = &*step.presence else { return };
    let outline = &*context.schema_context.outline;
    let mut values = ValueGenerator::new(dice, generator.pools_for(context.plot), &context.schema_context);
    let known = fitted(outline, configured.config.value().view(), Knowledge::WholeConfig);
    let changed = match values.dice.below(3) {
        0 => values.changed_config(outline, &known),
        1 => values.unset(outline, &known),
        _ => {
            let index = values.dice.below(outline.members.len());
            values.changed_member(outline, &known, index)
        }
    };
    let changed = fitted(outline, changed.view(), Knowledge::WholeConfig);
    let has_unknowns = values.dice.chance(56);
    let planned = match has_unknowns {
        true => fitted(outline, values.with_unknowns(outline, &changed).view(), Knowledge::Config),
        false => changed.clone(),
    };
    let was_late = step.at_apply.is_some();
    let (planned, known) = (with_config(configured, planned), with_config(configured, changed));
    step.presence = Arc::new(planned);
    step.at_apply = (has_unknowns || was_late).then(|| Arc::new(known));
}

/// The step with configurations and values of another schema.
fn fitted_step(outline: &BlockOutline, step: &Step, host: &Scenario) -> Step {
    let refit = |presence: &Arc<Presence>| match &**presence {
        Presence::Configured(configured) => {
            let value = fitted(outline, configured.config.value().view(), Knowledge::Config);
            let mut presence = with_config(configured, value);
            // Paths of another schema do not exist here.
            if let Presence::Configured(configured) = &mut presence {
                configured.ephemeral = PathSet::EMPTY;
            }
            Arc::new(presence)
        }
        _ => presence.clone(),
    };
    let at_home = |outside: &&Outside| !matches!(outside, Outside::Drift { .. });
    let outside = step.outside.iter().filter(at_home).map(|outside| match outside {
        Outside::Appear(value) => Outside::Appear(fitted(outline, value.view(), Knowledge::Whole)),
        other => other.clone(),
    });
    let is_data = host.kind == planfuzz_core::address::ResourceKind::Data;
    let command = match &step.command {
        Command::Import { .. } if is_data => Command::Apply,
        command => command.clone(),
    };
    Step {
        outside: outside.collect(),
        command,
        options: step.options.clone(),
        presence: refit(&step.presence),
        at_apply: step.at_apply.as_ref().map(refit),
    }
}

fn with_config(configured: &Configured, config: Value) -> Presence {
    let mut configured = configured.clone();
    let sensitive = configured.config.sensitive().clone();
    configured.ephemeral =
        if configured.ephemeral.is_empty() { PathSet::EMPTY } else { configured.ephemeral.on(config.view()) };
    configured.config = Marked::new(config, &sensitive);
    configured.at_validation = None;
    Presence::Configured(Box::new(configured))
}

fn config_of(presence: &Presence) -> Option<&Value> {
    match presence {
        Presence::Configured(configured) => Some(configured.config.value()),
        Presence::Orphan(_) | Presence::Removed(_) => None,
    }
}
