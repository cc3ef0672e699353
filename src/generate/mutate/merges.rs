//! Merges from merges: one of the values is changed, redrawn or copied from another place, or the schema changes under all values.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Named, Schema};
use planfuzz_core::value::{Text, Value};

use super::super::dice::{Dice, weighted};
use super::super::outline::BlockOutline;
use super::super::pools::Pools;
use super::super::schema::Inventor;
use super::super::schema_context::SchemaContext;
use super::super::settings::Size;
use super::super::value::settle::settled;
use super::super::value::{Role, ValueGenerator};
use super::fit::{Knowledge, fitted};
use crate::case::{Merge, MergeCall};

/// How often a change of the schema is tried until one is valid.
const SCHEMA_TRIES: usize = 4;

/// One change of a merge.
pub(super) fn mutated(dice: &mut Dice<'_, '_>, pools: &Pools, merge: &Merge, dialect: Dialect) -> Merge {
    let schema_context = SchemaContext::of_schema(merge.schema.clone(), dialect, size_of(&merge.schema));
    if dice.chance(72)
        && let Some(schema) = changed_schema(dice, pools, &schema_context)
    {
        let schema_context = SchemaContext::of_schema(Arc::new(schema), dialect, schema_context.size);
        let refitted = refitted(&schema_context, [&merge.prior, &merge.config, &merge.planned, &merge.actual]);
        return if dice.chance(96) { with_new_value(dice, pools, &schema_context, refitted) } else { refitted };
    }
    with_new_value(dice, pools, &schema_context, merge.clone())
}

/// A merge with parts of two merges.
pub(super) fn crossed(dice: &mut Dice<'_, '_>, one: &Merge, other: &Merge, dialect: Dialect) -> Merge {
    let (one, other) = if dice.chance(128) { (one, other) } else { (other, one) };
    if dice.chance(112)
        && let Some(grafted) = grafted(dice, one, other, dialect)
    {
        return grafted;
    }
    let schema_context = SchemaContext::of_schema(one.schema.clone(), dialect, size_of(&one.schema));
    let theirs = 1 + dice.below(15);
    let pick = |bit: usize, mine: &Value, theirs_value: &Value| {
        if theirs >> bit & 1 == 1 { theirs_value.clone() } else { mine.clone() }
    };
    refitted(
        &schema_context,
        [
            &pick(0, &one.prior, &other.prior),
            &pick(1, &one.config, &other.config),
            &pick(2, &one.planned, &other.planned),
            &pick(3, &one.actual, &other.actual),
        ],
    )
}

/// A merge with the inputs of one operation; the inputs that the operation lacks are made to fit.
pub(super) fn lifted(dice: &mut Dice<'_, '_>, pools: &Pools, call: &MergeCall, dialect: Dialect) -> Merge {
    let schema = call.schema().clone();
    let schema_context = SchemaContext::of_schema(schema.clone(), dialect, size_of(&schema));
    let null = || Value::null(schema_context.outline.ty.clone());
    let (prior, config, planned, actual) = match call.clone() {
        MergeCall::ProposedNew { prior, config, .. } => (prior, config, None, None),
        MergeCall::PlannedDataResource { config, .. } => (null(), config, None, None),
        MergeCall::AssertPlanValid { prior, config, planned, .. } => (prior, config, Some(planned), None),
        MergeCall::AssertObjectCompatible { planned, actual, .. } => (null(), null(), Some(planned), Some(actual)),
        MergeCall::NormalizeLegacy { value, .. } => (null(), null(), Some(value), None),
        MergeCall::PrepareComputedBlocks { value, .. } => (null(), value, None, None),
    };
    let mut values = ValueGenerator::new(dice, pools, &schema_context);
    let outline = &*schema_context.outline;
    let config = fitted(outline, config.view(), Knowledge::Part);
    let planned = planned.unwrap_or_else(|| values.answer(outline, prior.view(), &config));
    let actual = actual.unwrap_or_else(|| values.complete(outline, &planned));
    refitted(&schema_context, [&prior, &config, &planned, &actual])
}

/// The merge without one of the members at the root of its schema; `None` if there is no member.
pub(super) fn pruned(merge: &Merge, dialect: Dialect, seed: u64) -> Option<Merge> {
    let mut schema = Schema::clone(&merge.schema);
    let block = &merge.schema.block;
    let names: Vec<&Text> =
        block.attributes.iter().map(|(name, _)| name).chain(block.block_types.iter().map(|(name, _)| name)).collect();
    let name = names.get(usize::try_from(seed % names.len().max(1) as u64).ok()?)?;
    schema.block.attributes = without(&block.attributes, name);
    schema.block.block_types = without(&block.block_types, name);
    let size = size_of(&schema);
    let schema_context = SchemaContext::of_schema(Arc::new(schema), dialect, size);
    Some(refitted(&schema_context, [&merge.prior, &merge.config, &merge.planned, &merge.actual]))
}

/// The schema of one merge with a member of the other, and the values of both.
fn grafted(dice: &mut Dice<'_, '_>, one: &Merge, other: &Merge, dialect: Dialect) -> Option<Merge> {
    let mut schema = Schema::clone(&one.schema);
    let block = &other.schema.block;
    let count = block.attributes.len() + block.block_types.len();
    let chosen = dice.below(count);
    let name = match chosen.checked_sub(block.attributes.len()) {
        None => {
            let (name, attribute) = block.attributes.iter().nth(chosen)?;
            schema.block.block_types = without(&schema.block.block_types, name);
            schema.block.attributes = with(&schema.block.attributes, name, attribute);
            name
        }
        Some(index) => {
            let (name, nested) = block.block_types.iter().nth(index)?;
            schema.block.attributes = without(&schema.block.attributes, name);
            schema.block.block_types = with(&schema.block.block_types, name, nested);
            name
        }
    };
    if !schema.problems(dialect).is_empty() {
        return None;
    }
    let graft = |mine: &Value, theirs: &Value| match (mine.view().is_present(), theirs.view().member(name)) {
        (true, Some(part)) => {
            let mut members: Vec<_> = mine.view().entries().map(|(name, one)| (name.clone(), one.to_value())).collect();
            members.retain(|(probe, _)| probe != name);
            members.push((name.clone(), part.to_value()));
            Value::object(members)
        }
        _ => mine.clone(),
    };
    let size = size_of(&schema);
    let schema_context = SchemaContext::of_schema(Arc::new(schema), dialect, size);
    let [prior, config, planned, actual] = [
        graft(&one.prior, &other.prior),
        graft(&one.config, &other.config),
        graft(&one.planned, &other.planned),
        graft(&one.actual, &other.actual),
    ];
    Some(refitted(&schema_context, [&prior, &config, &planned, &actual]))
}

fn with<T: Clone>(things: &Named<T>, name: &Text, thing: &T) -> Named<T> {
    let mut entries = without(things, name).into_entries();
    entries.push((name.clone(), thing.clone()));
    Named::new(entries)
}

fn without<T: Clone>(things: &Named<T>, name: &str) -> Named<T> {
    let others = things.iter().filter(|(probe, _)| probe.as_str() != name);
    Named::new(others.map(|(name, thing)| (name.clone(), thing.clone())).collect())
}

fn changed_schema(dice: &mut Dice<'_, '_>, pools: &Pools, schema_context: &SchemaContext) -> Option<Schema> {
    (0..SCHEMA_TRIES).find_map(|_| {
        Inventor::changed(dice, pools, schema_context.size, schema_context.dialect, &schema_context.schema)
    })
}

/// Values made to conform to a schema; a prior state is wholly known.
fn refitted(schema_context: &SchemaContext, [prior, config, planned, actual]: [&Value; 4]) -> Merge {
    let outline = &*schema_context.outline;
    Merge {
        schema: schema_context.schema.clone(),
        prior: fitted(outline, prior.view(), Knowledge::Whole),
        config: fitted(outline, config.view(), Knowledge::Part),
        planned: fitted(outline, planned.view(), Knowledge::Part),
        actual: fitted(outline, actual.view(), Knowledge::Part),
    }
}

/// Which value of a merge is replaced.
enum New {
    Config,
    Prior,
    Planned,
    Actual,
    /// Planned and actual value: what a provider might answer for the others.
    Answers,
    /// The configuration that fits the prior object.
    ConfigOfPrior,
    /// Any value, by anything.
    Anything,
    /// Any value, by one of the others.
    Another,
}

/// The merge with one of its values replaced.
fn with_new_value(dice: &mut Dice<'_, '_>, pools: &Pools, schema_context: &SchemaContext, merge: Merge) -> Merge {
    let Merge { schema, prior, config, planned, actual } = merge;
    let outline: &BlockOutline = &schema_context.outline;
    let new = weighted! {
        dice;
        60 => New::Config,
        40 => New::Prior,
        52 => New::Planned,
        40 => New::Actual,
        20 => New::Answers,
        14 => New::ConfigOfPrior,
        10 => New::Anything,
        20 => New::Another,
    };
    let mut values = ValueGenerator::new(dice, pools, schema_context);
    let (prior, config, planned, actual) = match new {
        New::Config => {
            let role = if values.dice.chance(200) { Role::Config } else { Role::Loose };
            let config = values.edited(outline, config, role);
            (prior, config, planned, actual)
        }
        New::Prior => {
            let role = if values.dice.chance(216) { Role::State } else { Role::LooseState };
            (values.edited(outline, prior, role), config, planned, actual)
        }
        New::Planned => {
            let planned = values.edited(outline, planned, Role::Loose);
            (prior, config, planned, actual)
        }
        New::Actual => {
            let role = if values.dice.chance(128) { Role::State } else { Role::Loose };
            let actual = values.edited(outline, actual, role);
            (prior, config, planned, actual)
        }
        New::Answers => {
            let planned = values.answer(outline, prior.view(), &config);
            let actual = values.complete(outline, &planned);
            (prior, config, planned, actual)
        }
        New::ConfigOfPrior => {
            let config = values.project(outline, prior.view());
            (prior, config, planned, actual)
        }
        New::Anything => {
            let role = [Role::State, Role::Config, Role::Loose, Role::LooseState][values.dice.below(4)];
            let value = values.block(outline, role);
            placed(values.dice, [prior, config, planned, actual], value)
        }
        New::Another => {
            let sides = [prior, config, planned, actual];
            let value = sides[values.dice.below(4)].clone();
            placed(values.dice, sides, value)
        }
    };
    let prior = fitted(outline, prior.view(), Knowledge::Whole);
    let [config, planned, actual] = [config, planned, actual].map(|value| settled(&outline.ty, value));
    Merge { schema, prior, config, planned, actual }
}

/// The values with one of them, drawn at random, replaced by `value`.
fn placed(dice: &mut Dice<'_, '_>, sides: [Value; 4], value: Value) -> (Value, Value, Value, Value) {
    let mut sides = sides;
    sides[dice.below(4)] = value;
    let [prior, config, planned, actual] = sides;
    (prior, config, planned, actual)
}

/// The size that suits a schema: that of the smallest preset that makes schemas of its width.
fn size_of(schema: &Schema) -> Size {
    let width = schema.block.attributes.len() + schema.block.block_types.len();
    match width {
        0..=6 => Size::SMALL,
        7..=40 => Size::MEDIUM,
        _ => Size::MEDIUM.for_real_schema(),
    }
}
