//! Computed blocks in the configuration (section 7, C01, C02). C10 is in `compatible`; C03 follows from the merge.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Refusal;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Path, Value, ValueError, ValueRef};

use super::block_schema::BlockSchema;
use super::lookup::block_at;

/// C01.
pub(super) fn prepare(dialect: Dialect, schema: &BlockSchema<'_>, v: ValueRef<'_>) -> Result<Value, Refusal> {
    if !dialect.has_computed_blocks() || !schema.has_computed_blocks() {
        return Ok(v.to_value());
    }
    v.transform(&mut |path, value| prepared(schema, path, value)).map_err(|stopped| match stopped {
        Stopped::Refused(refusal) => refusal,
        Stopped::MixedElements(error) => Refusal::new("V08", &Path::root(), error.to_string()),
    })
}

/// C01 for one part of the value; C02 for one that only has a path like a block's.
fn prepared(schema: &BlockSchema<'_>, path: &Path, value: Value) -> Result<Value, Stopped> {
    if value.is_null() || value.is_unknown() {
        return Ok(value);
    }
    let Some(nested) = block_at(schema.block, path) else { return Ok(value) };
    if !nested.block.computed || !matches!(nested.nesting, Nesting::List | Nesting::Set | Nesting::Map) {
        return Ok(value);
    }
    if value.ty().is_primitive() {
        let message = "expected a collection at a path that ends in a computed block's name, found a primitive";
        return Err(Stopped::Refused(Refusal::new("C02", path, message)));
    }
    Ok(if value.view().is_empty() { Value::null(value.ty().clone()) } else { value })
}

/// The reason why the transform ended early.
enum Stopped {
    Refused(Refusal),
    MixedElements(ValueError),
}

impl From<ValueError> for Stopped {
    fn from(error: ValueError) -> Stopped {
        Stopped::MixedElements(error)
    }
}

#[cfg(test)]
mod tests {
    use crate::check::{WITH_COMPUTED_BLOCKS, WITHOUT_COMPUTED_BLOCKS, check, check_blocks};

    const ALL_MODES: &str = r#"{"l":{"nesting_mode":"list","block":{"computed":true}},
        "m":{"nesting_mode":"map","block":{"computed":true}},"s":{"nesting_mode":"set","block":{"computed":true}},
        "z":{"nesting_mode":"single","block":{"computed":true}},"n":{"nesting_mode":"list","block":{}}}"#;
    const EMPTY: &str = r#"{"l":[],"m":{},"s":[],"z":{},"n":[]}"#;

    #[test]
    fn c01_empty_computed_collections_become_null() {
        let nulled = r#"{"l":null,"m":null,"s":null,"z":{},"n":[]}"#;
        check_blocks(ALL_MODES).in_dialects(WITH_COMPUTED_BLOCKS).prepare_computed_blocks(EMPTY).is(nulled);
        check_blocks(ALL_MODES).in_dialects(WITHOUT_COMPUTED_BLOCKS).prepare_computed_blocks(EMPTY).is(EMPTY);
    }

    #[test]
    fn c02_a_primitive_at_a_path_that_ends_in_the_blocks_name_is_refused() {
        let asked = check(
            r#"{"attributes":{"a":{"type":["object",{"l":"string"}],"optional":true}},
                "block_types":{"l":{"nesting_mode":"list","block":{"computed":true}}}}"#,
        );
        let asked = asked.in_dialects(WITH_COMPUTED_BLOCKS);
        asked.prepare_computed_blocks(r#"{"a":{"l":"x"},"l":[]}"#).is_refused("C02", ".a.l");
        asked.prepare_computed_blocks(r#"{"a":{"l":null},"l":[]}"#).is(r#"{"a":{"l":null},"l":null}"#);
    }
}
