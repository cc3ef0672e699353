//! Orders and names that must not show.

use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Schema, Shape};
use planfuzz_core::value::{Text, Type, Value, ValueRef};

use super::remake::inserted_backwards;
use super::trial::Trial;
use super::walk::{Kind, Members};
use super::{Held, same, value_like};
use crate::case::Op;

/// MP11: with distinct keys, sets that were built in another order are the same sets, and the same is proposed.
pub(super) fn set_order(trial: &Trial<'_>) -> Held {
    let (prior, config) = (&trial.merge.prior, &trial.merge.config);
    if !(has_order(prior.view()) || has_order(config.view())) || !trial.distinct_keys() {
        return None;
    }
    let before = trial.proposed()?;
    let backwards = |value: &Value| value_like(value, inserted_backwards(value.view()));
    let (other_prior, other_config) = (backwards(prior), backwards(config));
    let rebuilt = same(Op::ProposedNew, "the prior, its sets built backwards", prior.view(), other_prior.view())
        .and_then(|()| {
            same(Op::ProposedNew, "the configuration, its sets built backwards", config.view(), other_config.view())
        });
    if rebuilt.is_err() {
        return Some(rebuilt);
    }
    let after = trial.prepared.proposed_new(&other_prior, &other_config).ok()?;
    Some(same(Op::ProposedNew, "proposed for sets that were built backwards", before.view(), after.view()))
}

/// Whether there is a set of two elements or more.
fn has_order(value: ValueRef<'_>) -> bool {
    matches!(value.ty(), Type::Set(_)) && value.len() > 1
        || !value.ty().is_primitive() && value.children().any(|(_, part)| has_order(part))
}

/// Goes in front of every name. It keeps their order, and composes with nothing that may follow it (V24).
const PREFIX: &str = "_";

/// MP12: renaming attributes and blocks in the same order and proposing can be done in either order.
pub(super) fn renaming(trial: &Trial<'_>) -> Held {
    let proposed = trial.proposed()?;
    let schema = Schema { version: trial.merge.schema.version, block: renamed_block(trial.block()) };
    let prepared = trial.planner.prepare(&schema, trial.dialect);
    let members = Members::Block(trial.block());
    // A payload is in the order of the names, so only types change.
    let renamed = |value: &Value| Value::from_parts(renamed_object(members, value.ty()), value.node().clone());
    let found = prepared.proposed_new(&renamed(&trial.merge.prior), &renamed(&trial.merge.config)).ok()?;
    Some(same(Op::ProposedNew, "proposed with other names", renamed(proposed).view(), found.view()))
}

fn new_name(name: &str) -> Text {
    Text::new(&format!("{PREFIX}{name}"))
}

fn renamed_all<T>(things: &Named<T>, renamed: impl Fn(&T) -> T) -> Named<T> {
    Named::new(things.iter().map(|(name, thing)| (new_name(name), renamed(thing))).collect())
}

fn renamed_block(block: &Block) -> Block {
    Block {
        attributes: renamed_all(&block.attributes, renamed_attribute),
        block_types: renamed_all(&block.block_types, |nested: &NestedBlock| NestedBlock {
            block: renamed_block(&nested.block),
            ..nested.clone()
        }),
        ..block.clone()
    }
}

fn renamed_attribute(attribute: &Attribute) -> Attribute {
    match &attribute.shape {
        Shape::Leaf(_) => attribute.clone(),
        Shape::Nested(nested) => {
            let attributes = renamed_all(&nested.attributes, renamed_attribute);
            Attribute { shape: Shape::Nested(NestedType { attributes, ..*nested }), ..attribute.clone() }
        }
    }
}

/// The type of an object, with the names of the schema changed in it; names inside leaves and keys stay.
fn renamed_object(members: Members<'_>, ty: &Type) -> Type {
    let Type::Object(object) = ty else { return ty.clone() };
    Type::object(object.attributes().iter().map(|attribute| {
        let ty = match members.get(&attribute.name).and_then(Kind::inside) {
            None => attribute.ty.clone(),
            Some((nesting, inside)) => renamed_collection(nesting, inside, &attribute.ty),
        };
        (new_name(&attribute.name), ty)
    }))
}

fn renamed_collection(nesting: Nesting, members: Members<'_>, ty: &Type) -> Type {
    match (nesting, ty) {
        (_, Type::List(element)) => Type::list(renamed_object(members, element)),
        (_, Type::Set(element)) => Type::set(renamed_object(members, element)),
        (_, Type::Map(element)) => Type::map(renamed_object(members, element)),
        (_, Type::Tuple(tuple)) => {
            Type::tuple(tuple.elements().iter().map(|element| renamed_object(members, element)).collect())
        }
        // M30: at any untyped blocks an object holds them under keys, which are no names of the schema.
        (Nesting::Map | Nesting::List | Nesting::Set, Type::Object(object)) => Type::object(
            object.attributes().iter().map(|entry| (entry.name.clone(), renamed_object(members, &entry.ty))),
        ),
        _ => renamed_object(members, ty),
    }
}
