//! Computed attributes of a created object (Z112).

use planfuzz_core::schema::Block;

use crate::schema::object;
use crate::value::{Is, Ty, Val, build};

/// Z112.
pub fn set_unknowns(block: &Block, value: &Val) -> Val {
    let Is::Named(members) = &value.is else { return value.clone() };
    let member = |(name, value): &(String, Val)| {
        let after = match (block.block_types.get(name), block.attributes.get(name)) {
            (Some(nested), _) => in_blocks(&nested.block, value),
            (None, Some(attribute)) if attribute.computed && value.is_null() => Val::unknown(value.ty.clone()),
            _ => value.clone(),
        };
        (name.clone(), after)
    };
    object(members.iter().map(member).collect())
}

fn in_blocks(block: &Block, value: &Val) -> Val {
    let Is::Seq(items) = &value.is else { return value.clone() };
    let has_computed = block.attributes.values().any(|attribute| attribute.computed);
    let item = |item: &Val| match &item.ty {
        Ty::Object(attributes) if item.is_null() && has_computed => {
            let nulls = attributes.iter().map(|of| (of.name.clone(), Val::null(of.ty.clone()))).collect();
            set_unknowns(block, &object(nulls))
        }
        _ => set_unknowns(block, item),
    };
    let items: Vec<Val> = items.iter().map(item).collect();
    let items = if matches!(value.ty, Ty::Set(_)) { build(items) } else { items };
    Val { ty: value.ty.clone(), is: Is::Seq(items.into()) }
}

/// Z113.
pub fn without_write_only(block: &Block, value: &Val) -> Val {
    let Is::Named(members) = &value.is else { return value.clone() };
    let member = |(name, value): &(String, Val)| {
        let after = match (block.block_types.get(name), block.attributes.get(name)) {
            (Some(nested), _) => match &value.is {
                Is::Seq(items) => {
                    let items: Vec<Val> = items.iter().map(|item| without_write_only(&nested.block, item)).collect();
                    let items = if matches!(value.ty, Ty::Set(_)) { build(items) } else { items };
                    Val { ty: value.ty.clone(), is: Is::Seq(items.into()) }
                }
                _ => value.clone(),
            },
            (None, Some(attribute)) if attribute.write_only => Val::null(value.ty.clone()),
            _ => value.clone(),
        };
        (name.clone(), after)
    };
    object(members.iter().map(member).collect())
}
