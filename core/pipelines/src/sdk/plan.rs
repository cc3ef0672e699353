//! Plan (Z50).

use std::collections::BTreeMap;

use crate::rules::CustomizeOp;
use planfuzz_core::value::{Path, Value, ValueRef};

use super::Pipeline;
use super::customize::Customizer;
use super::diff::{Diff, Differ, Entry};
use super::equivalent::are_equivalent;
use super::error::SdkError;
use super::fill::{set_unknowns, without_write_only};
use super::flat::joined;
use super::normalize::{Mode, normalize};
use super::planned::Planned;
use super::read::{At, ConfigReader, Merged, StateReader};
use super::replace::replacement_path;
use super::schema::{ID, Schema};
use super::state::State;
use super::tree::Tree;
use super::unflatten::unflatten;

/// The plan of a provider. It always carries the legacy type system flag (Z50).
#[derive(Clone, Debug)]
pub struct Plan {
    /// The planned object.
    pub planned: Value,
    /// The replacement paths, in no particular order, none of them twice (Z115).
    pub requires_replace: Vec<Path>,
    /// The inputs of state functions, by flat path: part of the planned private data (Z62).
    pub extra: BTreeMap<String, String>,
}

/// A plan request of Core.
#[derive(Clone, Copy, Debug)]
pub struct PlanRequest<'a> {
    /// The prior state, or null.
    pub prior: &'a Value,
    /// The configuration, or null.
    pub config: &'a Value,
    /// The proposed object, or null.
    pub proposed: &'a Value,
}

impl Pipeline {
    /// Plans (Z50), with plan customisation.
    ///
    /// # Errors
    /// The provider reports errors, or upstream would crash.
    pub fn plan(&self, customize: &[CustomizeOp], request: PlanRequest<'_>) -> Result<Plan, SdkError> {
        let PlanRequest { prior, config: _, proposed } = request;
        let unchanged =
            |planned: &Value| Plan { planned: planned.clone(), requires_replace: Vec::new(), extra: BTreeMap::new() };
        if proposed.is_null() {
            return Ok(unchanged(proposed));
        }
        refuse_null_elements(proposed.view(), "")?;
        let is_create = prior.is_null();
        let state = State::shim(self.schema(), prior.view())?;
        let tree = Tree::of_object(proposed.view(), &self.core_schema().block);
        let mut diff = field_diffs(self.schema(), &state, &tree, true)?;
        if !customize.is_empty() {
            diff = Customizer::new(self, request, &state, &tree, diff).run(customize)?;
        }
        diff.take_old_from(&state.flat);
        if is_create {
            diff.put(ID.to_owned(), Some(Entry { computed: true, ..Entry::default() }));
        }
        if diff.is_empty() {
            return Ok(unchanged(prior));
        }
        let mut planned = self.apply_diff(&state, &diff, proposed)?;
        let is_equivalent = !is_create && are_equivalent(prior, &planned);
        if is_equivalent {
            planned = prior.clone();
        }
        let block = &self.core_schema().block;
        if is_create {
            planned = set_unknowns(block, &planned);
        }
        let planned = without_write_only(block, &planned);
        let requires_replace = self.replacement_paths(&diff, &planned, is_equivalent);
        Ok(Plan { planned, requires_replace, extra: diff.extras() })
    }

    /// Z50, step 7.
    pub(super) fn apply_diff(&self, state: &State, diff: &Diff, proposed: &Value) -> Result<Value, SdkError> {
        let flat = Planned { state: &state.flat, diff }.object(self.layout());
        Ok(normalize(&unflatten(&flat, self.ty())?, proposed, Mode::Plan))
    }

    /// Z115 to Z117.
    fn replacement_paths(&self, diff: &Diff, planned: &Value, is_equivalent: bool) -> Vec<Path> {
        let asking = diff.iter().filter(|(_, entry)| entry.requires_new && !is_equivalent);
        let mut paths: Vec<Path> = asking.map(|(flat, _)| replacement_path(flat, self.ty())).collect();
        let id_is_known = planned.view().member(ID).is_some_and(ValueRef::is_present);
        if !paths.is_empty() || !id_is_known {
            paths.push(replacement_path(ID, self.ty()));
        }
        let mut written = std::collections::BTreeSet::new();
        paths.retain(|path| written.insert(path.to_string()));
        paths
    }
}

/// Z52 for every field.
///
/// # Errors
/// A field cannot hold a value.
pub fn field_diffs(schema: &Schema, state: &State, tree: &Tree, canonicalises: bool) -> Result<Diff, SdkError> {
    let reader = StateReader { flat: &state.flat };
    let mut differ = Differ {
        state: reader,
        new: &ConfigReader,
        present: &Merged { levels: &[&reader, &ConfigReader] },
        before: None,
        has_id: !state.id.is_empty(),
        customised: false,
        suppresses: true,
        canonicalises,
        diff: Diff::default(),
    };
    let root = At::root(Some(tree));
    for (name, field) in schema.fields().iter() {
        differ.field(field.into(), &root.field(name), false)?;
    }
    Ok(differ.diff)
}

/// Z50, step 2.
fn refuse_null_elements(value: ValueRef<'_>, path: &str) -> Result<(), SdkError> {
    for (name, entry) in value.entries() {
        refuse_null_elements(entry, &joined(path, name))?;
    }
    for element in (0..value.len()).filter_map(|index| value.element(index)) {
        if element.is_null() {
            return Err(SdkError::NullElement { path: path.to_owned() });
        }
        refuse_null_elements(element, path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::sdk::SdkError;
    use crate::sdk::testing::resource;

    #[test]
    fn z50_a_null_element_is_an_error() {
        let resource = resource(r#"{"l": {"type": "list", "elem": {"type": "string"}, "optional": true}}"#);
        let plan = resource.plan("null", r#"{"id": null, "l": ["a", null]}"#);
        assert_eq!(plan, Err(SdkError::NullElement { path: "l".to_owned() }));
    }

    #[test]
    fn z50_6_without_entries_prior_is_planned() {
        let resource = resource(
            r#"{"b": {"type": "list", "optional": true, "elem": {"resource": {
            "a": {"type": "string", "optional": true}}}}}"#,
        );
        resource.check_plan(
            r#"{"b":[{"a":null}],"id":"i"}"#,
            r#"{"b":[{"a":null}],"id":"i"}"#,
            r#"{"b":[{"a":null}],"id":"i"}"#,
        );
    }

    #[test]
    fn z51_prior_without_an_id_is_no_state() {
        let resource = resource(r#"{"a": {"type": "string", "optional": true, "computed": true}}"#);
        resource.check_plan(r#"{"a":"x","id":""}"#, r#"{"a":"x","id":""}"#, r#"{"a":"x","id":?} .id"#);
    }

    #[test]
    fn z112_computed_attributes_are_filled_on_create_only() {
        let resource = resource(
            r#"{"b": {"type": "list", "optional": true, "elem": {"resource": {
            "c": {"type": "string", "computed": true}, "o": {"type": "string", "optional": true}}}},
            "s": {"type": "string", "computed": true}}"#,
        );
        resource.check_plan(
            "null",
            r#"{"b":[{"c":null,"o":"x"}],"id":null,"s":null}"#,
            r#"{"b":[{"c":?,"o":"x"}],"id":?,"s":?} .id"#,
        );
        resource.check_plan(
            r#"{"b":[],"id":"i","s":null}"#,
            r#"{"b":[{"c":null,"o":"x"}],"id":"i","s":null}"#,
            r#"{"b":[{"c":null,"o":"x"}],"id":"i","s":null}"#,
        );
    }

    #[test]
    fn z113_write_only_attributes_are_planned_null() {
        let resource = resource(r#"{"w": {"type": "string", "optional": true, "write_only": true}}"#);
        resource.check_plan("null", r#"{"id":null,"w":"secret"}"#, r#"{"id":?,"w":null} .id"#);
    }

    #[test]
    fn z117_a_plan_that_is_equivalent_to_prior_asks_for_no_replacement() {
        let resource = resource(r#"{"n": {"type": "int", "optional": true, "force_new": true}}"#);
        resource.check_plan(r#"{"id":"i","n":0}"#, r#"{"id":"i","n":null}"#, r#"{"id":"i","n":0}"#);
        resource.check_plan(r#"{"id":"i","n":1}"#, r#"{"id":"i","n":null}"#, r#"{"id":"i","n":null} .id .n"#);
    }

    #[test]
    fn z119_an_unknown_value_of_a_force_new_field_asks_for_replacement() {
        let resource = resource(r#"{"a": {"type": "string", "required": true, "force_new": true}}"#);
        resource.check_plan(r#"{"a":"x","id":"i"}"#, r#"{"a":?,"id":"i"}"#, r#"{"a":?,"id":"i"} .a .id"#);
    }
}
