//! Configurations that may have led to an object, for files without a configuration.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, NestedBlock, NestedType, Nesting, Shape};
use planfuzz_core::value::{Text, Type, Value, ValueError, ValueRef};

/// A configuration that could lead to the object: its values are configured, except those that only the provider can know.
///
/// Computed attributes that cannot be configured are null, and so are those that may be computed and are unknown; write-only
/// ones are null, as neither states nor plans have them. All else is configured as it is in the object, unknown where it is
/// unknown. Nested blocks are never null or unknown in part (S51).
///
///
/// # Errors
/// Elements of one set that have different types.
pub fn configuration(block: &Block, object: ValueRef<'_>, dialect: Dialect) -> Result<Value, ValueError> {
    if !object.is_present() {
        return Ok(object.to_value());
    }
    let mut members: Vec<(Text, Value)> = Vec::with_capacity(block.attributes.len() + block.block_types.len());
    for (name, attribute) in block.attributes.iter() {
        if let Some(value) = object.member(name) {
            members.push((name.clone(), configured_attribute(attribute, value, dialect)?));
        }
    }
    for (name, nested) in block.block_types.iter() {
        if let Some(value) = object.member(name) {
            members.push((name.clone(), configured_blocks(nested, value, dialect)?));
        }
    }
    Ok(Value::object(members))
}

/// The configuration of an attribute.
///
/// # Errors
/// As [`configuration`].
pub fn configured_attribute(attribute: &Attribute, value: ValueRef<'_>, dialect: Dialect) -> Result<Value, ValueError> {
    let cannot = attribute.computed && !attribute.optional;
    let is_computed = attribute.computed && value.is_unknown();
    if cannot || is_computed || attribute.write_only {
        return Ok(Value::null(attribute.implied_type(dialect)));
    }
    match &attribute.shape {
        Shape::Leaf(_) => Ok(value.to_value()),
        Shape::Nested(nested) => configured_nested(nested, value, dialect),
    }
}

fn configured_nested(nested: &NestedType, value: ValueRef<'_>, dialect: Dialect) -> Result<Value, ValueError> {
    if !value.is_present() {
        return Ok(value.to_value());
    }
    let object = |object: ValueRef<'_>| -> Result<Value, ValueError> {
        if !object.is_present() {
            return Ok(object.to_value());
        }
        let members = nested.attributes.iter().filter_map(|(name, attribute)| {
            let member = object.member(name)?;
            Some(configured_attribute(attribute, member, dialect).map(|value| (name.clone(), value)))
        });
        members.collect::<Result<_, _>>().map(Value::object)
    };
    let element = nested.object_type(dialect);
    let elements = || value.children().map(|(_, child)| object(child)).collect::<Result<Vec<_>, _>>();
    match nested.nesting {
        Nesting::Single | Nesting::Group => object(value),
        Nesting::List => Value::list(&element, elements()?),
        Nesting::Set => Value::set(&element, elements()?),
        Nesting::Map => {
            let keys = value.entries().map(|(key, _)| key.clone());
            Value::map(&element, keys.zip(elements()?).collect())
        }
    }
}

/// The configuration of nested blocks of a type.
///
/// # Errors
/// As [`configuration`].
pub fn configured_blocks(nested: &NestedBlock, value: ValueRef<'_>, dialect: Dialect) -> Result<Value, ValueError> {
    let block = &nested.block;
    if matches!(nested.nesting, Nesting::Single | Nesting::Group) {
        let is_absent = value.is_null() && nested.nesting == Nesting::Group;
        return if is_absent { Ok(block.empty_value(dialect)) } else { configuration(block, value, dialect) };
    }
    // S51: where one of them is unknown, their number is unknown.
    let is_open = value.is_unknown() || value.children().any(|(_, child)| child.is_unknown());
    if is_open {
        return Ok(Value::unknown(nested.implied_type(dialect)));
    }
    let mut elements = Vec::new();
    let labels: Vec<&Text> = value.entries().map(|(label, _)| label).collect();
    for (at, (_, child)) in value.children().enumerate().filter(|(_, (_, child))| !child.is_null()) {
        let label = labels.get(at).map(|label| (*label).clone()).unwrap_or_default();
        elements.push((label, configuration(block, child, dialect)?));
    }
    assembled(nested, elements, dialect)
}

/// Nested blocks of a type, as the engine holds them (S30, S33).
///
/// # Errors
/// Elements of one set that are of different types.
pub fn assembled(nested: &NestedBlock, blocks: Vec<(Text, Value)>, dialect: Dialect) -> Result<Value, ValueError> {
    let object = nested.block.implied_type(dialect);
    let is_open = matches!(nested.implied_type(dialect), Type::Dynamic);
    let values = |blocks: Vec<(Text, Value)>| blocks.into_iter().map(|(_, block)| block).collect::<Vec<_>>();
    match nested.nesting {
        Nesting::List if is_open => Ok(Value::tuple(values(blocks))),
        Nesting::Map if is_open => Ok(Value::object(blocks)),
        Nesting::Set => Value::set(&object, values(blocks)),
        Nesting::Map => Value::map(&object, blocks),
        Nesting::List | Nesting::Single | Nesting::Group => Value::list(&object, values(blocks)),
    }
}
