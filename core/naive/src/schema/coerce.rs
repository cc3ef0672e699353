//! Coercion to the type of a schema (S40 to S48).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Block, NestedBlock, Nesting, Shape};

use super::{attribute_type, collection_type, empty_value, implied_type, object};
use crate::path;
use crate::value::{Is, Ty, Val, alike, build, convert};

/// The reason why a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// An error, at this path.
    At(String),
    /// The engine crashes.
    Crash,
}

/// Coerces a value to a block. Names are visited in byte order.
///
/// # Errors
/// The first thing that does not fit.
pub fn coerce(block: &Block, value: &Val, dialect: Dialect) -> Result<Val, Unfit> {
    coerce_at(block, value, dialect, "")
}

fn coerce_at(block: &Block, value: &Val, dialect: Dialect, p: &str) -> Result<Val, Unfit> {
    let implied = implied_type(block, dialect);
    if value.is_null() {
        return Ok(Val::null(implied));
    }
    if value.is_unknown() {
        return Ok(Val::unknown(implied));
    }
    let (Ty::Object(_), Is::Named(given)) = (&value.ty, &value.is) else { return Err(Unfit::At(p.to_owned())) };
    let is_known = |name: &str| {
        block.attributes.iter().any(|(known, _)| known.as_str() == name)
            || block.block_types.iter().any(|(known, _)| known.as_str() == name)
    };
    if given.iter().any(|(name, _)| !is_known(name)) {
        return Err(Unfit::At(p.to_owned()));
    }
    let of = |name: &str| given.iter().find(|(found, _)| found == name).map(|(_, member)| member.clone());
    let mut members = Vec::new();
    for (name, attribute) in block.attributes.iter() {
        let mut member = match of(name) {
            Some(member) => member,
            None if attribute.computed || attribute.optional => Val::null(Ty::Dynamic),
            None => return Err(Unfit::At(p.to_owned())),
        };
        let is_group = matches!(&attribute.shape, Shape::Nested(nested) if nested.nesting == Nesting::Group);
        if is_group && member.is_null() && dialect.has_group_nested_types() {
            member = object(Vec::new());
        }
        let converted = convert(&member, &attribute_type(attribute, dialect));
        let converted =
            converted.map_err(|inside| Unfit::At(format!("{p}{}{}", path::attribute(name), inside.concat())))?;
        members.push((name.to_string(), converted));
    }
    let mut p = p.to_owned();
    for (name, nested) in block.block_types.iter() {
        let given = of(name);
        let has_elements = given.as_ref().is_some_and(|given| !given.children().is_empty());
        members.push((name.to_string(), blocks(nested, given, dialect, name, &p)?));
        // S47: the slip.
        if has_elements && !matches!(nested.nesting, Nesting::Single | Nesting::Group) {
            p.push_str(&path::attribute(name));
        }
    }
    Ok(object(members))
}

/// S43, S44.
fn blocks(nested: &NestedBlock, given: Option<Val>, dialect: Dialect, name: &str, p: &str) -> Result<Val, Unfit> {
    let own = implied_type(&nested.block, dialect);
    let at = format!("{p}{}", path::attribute(name));
    let ty = collection_type(nested.nesting, own.clone());
    let value = match (nested.nesting, given) {
        (Nesting::Single, None) => return Ok(Val::null(own)),
        (Nesting::Group, None) => return Ok(empty_value(&nested.block, dialect)),
        (Nesting::Single | Nesting::Group, Some(value)) => return coerce_at(&nested.block, &value, dialect, &at),
        (_, None) => return collection(nested.nesting, &own, Vec::new()).ok_or(Unfit::Crash),
        (_, Some(value)) => value,
    };
    if value.is_null() {
        return Ok(Val::null(ty));
    }
    if value.is_unknown() {
        return Ok(Val::unknown(ty));
    }
    let mut coerced: Vec<(String, Val)> = Vec::new();
    for (key, step, element) in elements(&value).ok_or_else(|| Unfit::At(p.to_owned()))? {
        if nested.nesting == Nesting::Map && key.is_none() {
            return Err(Unfit::At(at));
        }
        let element = coerce_at(&nested.block, element, dialect, &format!("{at}{step}"))?;
        coerced.push((key.unwrap_or_default(), element));
    }
    if nested.nesting == Nesting::Map && becomes_object(&value, &coerced, &own, dialect) {
        return Ok(object(coerced));
    }
    collection(nested.nesting, &own, coerced).ok_or(Unfit::Crash)
}

/// The elements with their string keys and their steps; `None` for a value without elements.
fn elements(value: &Val) -> Option<Vec<(Option<String>, String, &Val)>> {
    Some(match (&value.ty, &value.is) {
        (Ty::Set(_), Is::Seq(items)) => {
            let key = |item: &Val| if let Is::Str(text) = &item.is { Some(text.clone()) } else { None };
            items.iter().map(|item| (key(item), path::SET_ELEMENT.to_owned(), item)).collect()
        }
        (_, Is::Seq(items)) => items.iter().enumerate().map(|(at, item)| (None, format!("[{at}]"), item)).collect(),
        (_, Is::Named(entries)) => {
            entries.iter().map(|(name, item)| (Some(name.clone()), path::key(name), item)).collect()
        }
        _ => return None,
    })
}

/// S45.
fn becomes_object(input: &Val, coerced: &[(String, Val)], own: &Ty, dialect: Dialect) -> bool {
    if coerced.is_empty() {
        return false;
    }
    if matches!(input.ty, Ty::Object(_)) {
        return true;
    }
    match dialect.coerces_dynamic_map_blocks_by_schema() {
        true => own.has_dynamic(),
        false => coerced.iter().any(|(_, element)| input.ty.element() != Some(&element.ty)),
    }
}

fn collection(nesting: Nesting, own: &Ty, coerced: Vec<(String, Val)>) -> Option<Val> {
    let (names, items): (Vec<String>, Vec<Val>) = coerced.into_iter().unzip();
    let (element, items) = alike(own, items)?;
    let is = match nesting {
        Nesting::Set => Is::Seq(build(items).into()),
        Nesting::Map => {
            let mut entries: Vec<(String, Val)> = names.into_iter().zip(items).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Is::Named(entries.into())
        }
        _ => Is::Seq(items.into()),
    };
    Some(Val { ty: collection_type(nesting, element), is })
}
