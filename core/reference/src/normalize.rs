//! The normal form of objects from the legacy SDK (section 5, LN01 to LN04).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Refusal;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Text, Type, Value, ValueRef};

use super::at::At;
use super::block_schema::{BlockSchema, BlockType};
use super::parts::{described, elements, member, mixed_elements, object};

/// LN01, and with it LN04.
pub(super) fn normalize(
    dialect: Dialect,
    schema: &BlockSchema<'_>,
    v: ValueRef<'_>,
    at: &At<'_>,
) -> Result<Value, Refusal> {
    if v.is_null() {
        return Ok(Value::null(schema.ty.clone()));
    }
    let mut members = Vec::with_capacity(schema.block.attributes.len() + schema.block_types.len());
    for (name, _) in schema.block.attributes.iter() {
        members.push((name.clone(), member(v, name, at)?.to_value()));
    }
    for nested in &schema.block_types {
        let at = at.attribute(nested.name);
        members.push((nested.name.clone(), nested_block(dialect, nested, member(v, nested.name, &at)?, &at)?));
    }
    Ok(object(&schema.ty, members))
}

/// LN02.
fn nested_block(dialect: Dialect, nested: &BlockType<'_>, v: ValueRef<'_>, at: &At<'_>) -> Result<Value, Refusal> {
    if nested.schema.ty.has_dynamic() {
        return Ok(v.to_value());
    }
    match nested.nesting {
        Nesting::Single | Nesting::Group if v.is_unknown() => stub(dialect, &nested.schema, at),
        Nesting::Single if v.is_null() => Ok(v.to_value()),
        Nesting::Group if v.is_null() => Ok(nested.schema.empty.clone()),
        Nesting::Single | Nesting::Group => normalize(dialect, &nested.schema, v, at),
        Nesting::List | Nesting::Set => {
            let elements = normalized_elements(dialect, &nested.schema, v, at)?;
            collection(nested, elements, at)
        }
        Nesting::Map => Ok(v.to_value()),
    }
}

/// LN02, list and set: the elements of the normal form.
fn normalized_elements(
    dialect: Dialect,
    schema: &BlockSchema<'_>,
    v: ValueRef<'_>,
    at: &At<'_>,
) -> Result<Vec<Value>, Refusal> {
    if v.is_unknown() {
        return Ok(vec![stub(dialect, schema, at)?]);
    }
    if !matches!(v.ty(), Type::List(_) | Type::Set(_)) {
        return Err(at.refusal("LN02", format!("expected a list or set, found {}", described(v))));
    }
    elements(v).enumerate().map(|(index, element)| normalize(dialect, schema, element, &at.index(index))).collect()
}

/// LN03.
fn stub(dialect: Dialect, schema: &BlockSchema<'_>, at: &At<'_>) -> Result<Value, Refusal> {
    let mut members: Vec<(Text, Value)> = Vec::with_capacity(schema.block.attributes.len() + schema.block_types.len());
    for (name, attribute) in schema.block.attributes.iter() {
        let at = at.attribute(name);
        if attribute.nested_type().is_some() {
            return Err(at.refusal("LN03", "expected an attribute with a type, found one with a nested type"));
        }
        members.push((name.clone(), Value::unknown(attribute.declared_type(dialect))));
    }
    for nested in &schema.block_types {
        let at = at.attribute(nested.name);
        let value = match nested.nesting {
            Nesting::Single | Nesting::Group => stub(dialect, &nested.schema, &at)?,
            Nesting::List | Nesting::Set => collection(nested, vec![stub(dialect, &nested.schema, &at)?], &at)?,
            Nesting::Map => Value::map(&nested.schema.ty, Vec::new()).map_err(|error| mixed_elements(error, &at))?,
        };
        members.push((nested.name.clone(), value));
    }
    Ok(object(&schema.ty, members))
}

/// A list or set block of `elements`; a set is built anew (V50).
fn collection(nested: &BlockType<'_>, elements: Vec<Value>, at: &At<'_>) -> Result<Value, Refusal> {
    let collection = match nested.nesting {
        Nesting::Set => Value::set(&nested.schema.ty, elements),
        _ => Value::list(&nested.schema.ty, elements),
    };
    collection.map_err(|error| mixed_elements(error, at))
}

#[cfg(test)]
mod tests {
    use crate::check::{check, check_blocks};

    #[test]
    fn ln01_null_stays_null_and_an_unknown_object_has_unknown_attributes() {
        let asked = check(
            r#"{"attributes":{"a":{"type":"string","optional":true}},
                "block_types":{"m":{"nesting_mode":"map","block":{}}}}"#,
        );
        asked.normalize_legacy("null").is("null");
        asked.normalize_legacy(r#"{"$unknown":true}"#).is(r#"{"a":{"$unknown":true},"m":{"$unknown":true}}"#);
    }

    #[test]
    fn ln02_a_block_with_dynamic_inside_is_unchanged() {
        let value = r#"{"l":{"$unknown":true}}"#;
        check_blocks(
            r#"{"l":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"dynamic","optional":true}}}}}"#,
        )
        .normalize_legacy(value)
        .is(value);
    }

    #[test]
    fn ln02_a_null_group_is_empty_and_a_null_single_block_stays_null() {
        check_blocks(
            r#"{"g":{"nesting_mode":"group","block":{"attributes":{"x":{"type":"string","optional":true}}}},
                "z":{"nesting_mode":"single","block":{"attributes":{"x":{"type":"string","optional":true}}}}}"#,
        )
        .normalize_legacy(r#"{"g":null,"z":null}"#)
        .is(r#"{"g":{"x":null},"z":null}"#);
    }

    #[test]
    fn ln02_the_elements_of_a_set_may_become_equal() {
        check_blocks(
            r#"{"s":{"nesting_mode":"set","block":{"block_types":{"l":{"nesting_mode":"list","block":{}}}}}}"#,
        )
        .normalize_legacy(r#"{"s":[{"l":null},{"l":[]}]}"#)
        .is(r#"{"s":[{"l":[]}]}"#);
    }

    #[test]
    fn ln03_a_stub_by_mode() {
        let inner = r#""block":{"attributes":{"x":{"type":"string","optional":true}}}"#;
        check_blocks(&format!(
            r#"{{"z":{{"nesting_mode":"single","block":{{"block_types":{{
                "g":{{"nesting_mode":"group",{inner}}},"l":{{"nesting_mode":"list",{inner}}},
                "m":{{"nesting_mode":"map",{inner}}},"s":{{"nesting_mode":"set",{inner}}},
                "z":{{"nesting_mode":"single",{inner}}}}}}}}}}}"#
        ))
        .normalize_legacy(r#"{"z":{"$unknown":true}}"#)
        .is(r#"{"z":{"g":{"x":{"$unknown":true}},"l":[{"x":{"$unknown":true}}],"m":{},
            "s":[{"x":{"$unknown":true}}],"z":{"x":{"$unknown":true}}}}"#);
    }

    #[test]
    fn ln03_a_stub_is_of_declared_types_and_does_not_mix_with_others() {
        check_blocks(
            r#"{"l":{"nesting_mode":"list","block":{"block_types":{"z":{"nesting_mode":"single","block":{"attributes":{
                "x":{"type":["object",{"c":"string"},["c"]],"optional":true}}}}}}}}"#,
        )
        .normalize_legacy(r#"{"l":[{"z":{"x":null}},{"z":{"$unknown":true}}]}"#)
        .is_refused("V08", ".l");
    }

    #[test]
    fn ln03_a_stub_with_a_nested_type_is_refused() {
        check_blocks(
            r#"{"z":{"nesting_mode":"single","block":{"attributes":{"n":{"optional":true,"nested_type":{
                "nesting_mode":"single","attributes":{"x":{"type":"string","optional":true}}}}}}}}"#,
        )
        .normalize_legacy(r#"{"z":{"$unknown":true}}"#)
        .is_refused("LN03", ".z.n");
    }
}
