//! The types that merged elements have, as far as a refusal has to be judged by them (V08): a walk over types that
//! compares nothing and builds no value.

use super::collections::{Partner, list_partner, map_partner};
use super::merge::{ElementRule, is_taken_away};
use super::shape::{AttributeShape, BlockShape, Field, NestedShape, ObjectShape};
use crate::dialect::Dialect;
use crate::schema::Nesting;
use crate::value::{Text, Type, ValueRef};

/// The one type that the elements of a merged list or map have, or nothing if they have several (V08). Where the rules
/// leave a type open it is taken to fit.
pub(super) fn of_elements<'a>(
    dialect: Dialect,
    rule: ElementRule<'a>,
    prior: ValueRef<'a>,
    config: ValueRef<'a>,
) -> Option<Type> {
    let mut common = None;
    for ty in elements(dialect, rule, prior, config) {
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

/// The type of each merged element, nothing for one that has none itself.
fn elements<'a>(
    dialect: Dialect,
    rule: ElementRule<'a>,
    prior: ValueRef<'a>,
    config: ValueRef<'a>,
) -> Vec<Option<Type>> {
    let merged = |partner, config: ValueRef<'a>| match partner {
        Partner::Prior(prior) => element(dialect, rule, prior, config),
        Partner::None | Partner::Crash | Partner::Open => Some(config.ty().clone()),
    };
    let in_list = (0..config.len()).filter_map(|index| Some((index, config.element(index)?)));
    let of_list = in_list.map(|(index, config)| merged(list_partner(rule, prior, index), config));
    let of_map = config.entries().map(|(key, config)| merged(map_partner(dialect, prior, key, config), config));
    match config.ty() {
        Type::List(_) | Type::Tuple(_) => of_list.collect(),
        _ => of_map.collect(),
    }
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
    if nesting == Nesting::Set || !config.is_present() || config.is_empty() {
        return Some(config.ty().clone());
    }
    Some(match config.ty() {
        Type::List(_) => Type::list(of_elements(dialect, rule, prior, config)?),
        Type::Map(_) => Type::map(of_elements(dialect, rule, prior, config)?),
        Type::Tuple(_) => Type::tuple(elements(dialect, rule, prior, config).into_iter().collect::<Option<_>>()?),
        _ => {
            let types = elements(dialect, rule, prior, config).into_iter().collect::<Option<Vec<_>>>()?;
            Type::object(config.entries().map(|(key, _)| key.clone()).zip(types))
        }
    })
}

/// A member of both; where `dynamic` lets the prior have none, the configuration's own stands in for it.
fn members<'a, T>(field: &Field<'_, T>, prior: ValueRef<'a>, config: ValueRef<'a>) -> (ValueRef<'a>, ValueRef<'a>) {
    let config = field.of(config).unwrap_or(config);
    (field.of(prior).unwrap_or(config), config)
}
