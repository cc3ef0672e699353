//! The types of merged elements, as far as they are needed to judge a refusal (V08): a walk over types that compares and builds no values.

use super::collections::{Partner, PriorMap, list_partner};
use super::correlate::assign;
use super::kinds;
use super::merge::{ElementRule, is_taken_away};
use super::sets;
use super::shape::{AttributeShape, BlockShape, Field, NestedShape, ObjectShape};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Text, Type, ValueRef};

/// The common type of the elements of a merged list or map; `None` if they have several (V08). A type that the rules leave open counts as
/// fitting.
pub(super) fn of_elements<'a>(
    dialect: Dialect,
    rule: ElementRule<'a>,
    prior: ValueRef<'a>,
    config: ValueRef<'a>,
    is_map: bool,
) -> Option<Type> {
    one(elements(dialect, rule, prior, config, is_map).into_iter())
}

/// V08.
fn one(types: impl Iterator<Item = Option<Type>>) -> Option<Type> {
    let mut common = None;
    for ty in types {
        let ty = ty?;
        match &common {
            _ if ty.is_dynamic() => {}
            None => common = Some(ty),
            Some(first) if *first == ty => {}
            Some(_) => return None,
        }
    }
    Some(common.unwrap_or(Type::Dynamic))
}

/// The type of each merged element; `None` if an element has no single type.
fn elements<'a>(
    dialect: Dialect,
    rule: ElementRule<'a>,
    prior: ValueRef<'a>,
    config: ValueRef<'a>,
    is_map: bool,
) -> Vec<Option<Type>> {
    let merged = |partner, config: ValueRef<'a>| match partner {
        Partner::Prior(prior) => element(dialect, rule, prior, config),
        Partner::Untyped(prior) if !config.is_present() => Some(prior.ty().clone()),
        Partner::None | Partner::Untyped(_) | Partner::Crash | Partner::Open => Some(config.ty().clone()),
    };
    if is_map {
        let priors = PriorMap::new(prior);
        return config.entries().map(|(key, config)| merged(priors.partner(dialect, key, config), config)).collect();
    }
    let elements = kinds::all(config).into_iter();
    elements.map(|(key, config)| merged(list_partner(rule, prior, key), config)).collect()
}

/// The common type of the elements of a merged set, each merged with its partner; `None` if they have several.
pub(super) fn of_set<'a>(
    dialect: Dialect,
    rule: ElementRule<'a>,
    pairs: impl Iterator<Item = (ValueRef<'a>, ValueRef<'a>)>,
) -> Option<Type> {
    one(pairs.map(|(prior, config)| element(dialect, rule, prior, config)))
}

fn element<'a>(dialect: Dialect, rule: ElementRule<'a>, prior: ValueRef<'a>, config: ValueRef<'a>) -> Option<Type> {
    match rule {
        ElementRule::Block(block) => of_block(dialect, block, prior, config),
        ElementRule::Object(_) if config.is_null() => Some(config.ty().clone()),
        ElementRule::Object(object) => of_object(dialect, object, prior, config),
    }
}

fn of_block<'a>(
    dialect: Dialect,
    block: &'a BlockShape<'a>,
    prior: ValueRef<'a>,
    config: ValueRef<'a>,
) -> Option<Type> {
    let prior = if prior.is_null() && !config.is_null() { block.empty.view() } else { prior };
    if !config.is_present() {
        return Some(prior.ty().clone());
    }
    let attributes = block.attributes.iter().map(|field| of_attribute(dialect, field, prior, config));
    let blocks = block.blocks.iter().map(|field| of_nested_block(dialect, field, prior, config));
    Some(Type::object(attributes.chain(blocks).collect::<Option<Vec<_>>>()?))
}

fn of_object<'a>(
    dialect: Dialect,
    object: &'a ObjectShape<'a>,
    prior: ValueRef<'a>,
    config: ValueRef<'a>,
) -> Option<Type> {
    let attributes = object.attributes.iter().map(|field| of_attribute(dialect, field, prior, config));
    Some(Type::object(attributes.collect::<Option<Vec<_>>>()?))
}

fn of_attribute<'a>(
    dialect: Dialect,
    field: &'a Field<'a, AttributeShape<'a>>,
    prior: ValueRef<'a>,
    config: ValueRef<'a>,
) -> Option<(Text, Type)> {
    let (prior, config) = members(field, prior, config);
    let shape = &field.of;
    let ty = match &shape.nested {
        _ if shape.schema.computed && config.is_null() && !is_taken_away(shape, prior) => prior.ty().clone(),
        Some(object) if config.is_present() => match object.nesting {
            Nesting::Single => of_object(dialect, object, prior, config)?,
            nesting => of_collection(dialect, nesting, ElementRule::Object(object), prior, config)?,
        },
        _ => config.ty().clone(),
    };
    Some((field.name.clone(), ty))
}

fn of_nested_block<'a>(
    dialect: Dialect,
    field: &'a Field<'a, NestedShape<'a>>,
    prior: ValueRef<'a>,
    config: ValueRef<'a>,
) -> Option<(Text, Type)> {
    let (prior, config) = members(field, prior, config);
    let block = &field.of.block;
    let ty = match field.of.nesting {
        _ if config.is_unknown() => config.ty().clone(),
        Nesting::Single if config.is_null() => config.ty().clone(),
        Nesting::Single | Nesting::Group => of_block(dialect, block, prior, config)?,
        nesting => of_collection(dialect, nesting, ElementRule::Block(block), prior, config)?,
    };
    Some((field.name.clone(), ty))
}

fn of_collection<'a>(
    dialect: Dialect,
    nesting: Nesting,
    rule: ElementRule<'a>,
    prior: ValueRef<'a>,
    config: ValueRef<'a>,
) -> Option<Type> {
    if !config.is_present() || config.is_empty() {
        return Some(config.ty().clone());
    }
    if nesting == Nesting::Set {
        return of_set_block(dialect, rule, prior, config);
    }
    let is_map = nesting == Nesting::Map;
    let types = elements(dialect, rule, prior, config, is_map);
    Some(match config.ty() {
        Type::Tuple(_) if !is_map => Type::tuple(types.into_iter().collect::<Option<_>>()?),
        _ if !is_map => Type::list(one(types.into_iter())?),
        Type::Map(_) => Type::map(one(types.into_iter())?),
        _ => {
            let types = types.into_iter().collect::<Option<Vec<_>>>()?;
            Type::object(config.entries().map(|(key, _)| key.clone()).zip(types))
        }
    })
}

/// Sets have the configured type, unless they may contain a null or unknown that the schema supplies (S34).
fn of_set_block<'a>(
    dialect: Dialect,
    rule: ElementRule<'a>,
    prior: ValueRef<'a>,
    config: ValueRef<'a>,
) -> Option<Type> {
    let (priors, configs) = (sets::elements(prior), sets::elements(config));
    let Some(element) = config.ty().element() else { return Some(config.ty().clone()) };
    if !rule.hazards().markers || (priors.len() + configs.len()) * configs.len() > sets::MOST_PAIRS {
        return Some(config.ty().clone());
    }
    let partners = assign(rule, &priors, &configs).into_iter();
    let partners = partners.map(|partner| partner.map_or(ValueRef::null(element), |index| priors[index]));
    of_set(dialect, rule, partners.zip(configs.iter().copied())).map(Type::set)
}

/// The member of both; if the prior has none, because of `dynamic`, the configuration's own is used.
fn members<'a, T>(field: &Field<'_, T>, prior: ValueRef<'a>, config: ValueRef<'a>) -> (ValueRef<'a>, ValueRef<'a>) {
    let config = field.of(config).unwrap_or(config);
    (field.of(prior).unwrap_or(config), config)
}
