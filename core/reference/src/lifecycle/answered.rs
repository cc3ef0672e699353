//! The checks that many answers need: conformance, write-only attributes, unknowns.

use crate::at::At;
use planfuzz_core::planner::summary;
use planfuzz_core::value::{Path, Step as PathStep, Value, ValueError, ValueRef, WrittenPath};

use super::walk::{Step, Stop, Walk};

impl Walk<'_, '_> {
    /// Whether a value is one of the schema's implied type.
    pub fn conforms(&self, value: &Value) -> bool {
        value.ty().conforms_to(self.ty())
    }

    /// The write-only attributes of a value that are not null, in the order of the schema (I11).
    pub fn write_only_values(&self, value: &Value) -> Step<Vec<WrittenPath>> {
        let paths = self.source().write_only_paths(value.view())?;
        let is_set = |path: &&Path| part(value.view(), path).is_some_and(|part| !part.is_null());
        Ok(paths.iter().filter(is_set).map(WrittenPath::from).collect())
    }

    /// `IPR`: in a dialect that looks for write-only values as it decodes an answer, each is an error of the call.
    /// Returns whether there was any.
    pub fn decode(&mut self, value: &Value, rule: &'static str) -> Step<bool> {
        if !self.dialect().decodes_write_only_strictly() {
            return Ok(false);
        }
        // LD22: a value that does not conform cannot be decoded that far.
        let found = if self.conforms(value) { self.write_only_values(value)? } else { Vec::new() };
        for path in &found {
            self.error(summary::INVALID_RESPONSE, path.clone(), rule);
        }
        Ok(!found.is_empty())
    }

    /// In a dialect that looks for write-only values later: errors that end the walk.
    pub fn refuse_write_only(&mut self, value: &Value, summary: &'static str, rule: &'static str) -> Step<()> {
        if self.dialect().decodes_write_only_strictly() {
            return Ok(());
        }
        let found = self.write_only_values(value)?;
        self.fail_at(summary, found, rule)
    }
}

/// The part of a value at one of its own paths, elements of sets included.
fn part<'v>(value: ValueRef<'v>, path: &Path) -> Option<ValueRef<'v>> {
    path.steps().into_iter().try_fold(value, |value, step| match step {
        PathStep::Element(element) => {
            (0..value.len()).filter_map(|index| value.element(index)).find(|part| part.to_value() == *element)
        }
        step => value.apply(step),
    })
}

/// The unknowns of a value, in path order.
pub(super) fn unknown_paths(value: &Value) -> Vec<WrittenPath> {
    let mut found = Vec::new();
    value.view().walk(&mut |path, part| {
        if part.is_unknown() {
            found.push(WrittenPath::from(path));
        }
        true
    });
    found
}

/// A value with null for every unknown, as the encoder of the state writes it.
pub(super) fn without_unknowns(value: &Value) -> Step<Value> {
    if value.is_wholly_known() {
        return Ok(value.clone());
    }
    let nulled = value.view().transform(&mut |_, part| {
        Ok::<_, ValueError>(if part.is_unknown() { Value::null(part.ty().clone()) } else { part })
    });
    nulled.map_err(|error| Stop::Refused(At::ROOT.refusal("V08", error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::part;
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::json::Json;
    use planfuzz_core::schema::Schema;
    use planfuzz_core::value::{Type, Value};

    #[test]
    fn i11_a_part_of_an_element_of_a_set_is_that_of_its_own_element() {
        let schema = Schema::parse(
            r#"{"block":{"block_types":{"s":{"nesting_mode":"set","block":{"attributes":{
                "k":{"type":"string","optional":true},"w":{"type":"string","optional":true,"write_only":true}}}}}}}"#,
        );
        let schema = schema.expect("a schema");
        let json = Json::parse(r#"{"s":[{"k":"a","w":"x"},{"k":"b","w":null}]}"#).expect("JSON");
        let value = Value::from_json(&json, &schema.implied_type(Dialect::OPENTOFU_1_12)).expect("a value");
        let paths = schema.write_only_paths(value.view()).expect("no crash");
        let parts: Vec<Value> = paths.iter().map(|path| part(value.view(), path).expect("a part").to_value()).collect();
        assert_eq!(parts, [Value::string("x"), Value::null(Type::String)]);
    }
}
