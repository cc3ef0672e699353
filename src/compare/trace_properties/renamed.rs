//! LP04: renaming everything changes nothing but names.
//!
//! A planner that decides by a name is right as long as no name is the one that it looks for, and no other check would notice. So the
//! scenario is played once more with a planner that sees other names: it is prepared for the schema with every name changed, and its
//! requests and answers, those to the provider too, go through a [`Renaming`]. The scenario itself stays as it is, because a provider
//! model fills values by their paths. Both runs must be equal, call by call.
//!
//! Facts of other instances, such as the triggers of a replacement, belong to other schemas and keep their names. The property does not
//! apply to a run in which something has the same name as a part of the schema where engines do not distinguish the two.

mod parts;

use std::cell::Cell;

use planfuzz_core::planner::{
    Applied, ApplyAnswer, ApplyChange, ApplyRequest, Capabilities, ImportAnswer, ImportState, Plan, PlanAnswer,
    PlanChange, PlanRequest, Prepared, Provider, ReadAnswer, ReadData, ReadDataAnswer, ReadResource, UpgradeAnswer,
    UpgradeState, ValidateAnswer, ValidateConfig,
};

use super::related::MARK;
use super::{PropertyResult, Subject, answered, same_trace, trace_of};
use crate::case::scenario::{NoAnswer, Walker};
use crate::compare::renaming::Renaming;
use parts::Renamed;

pub(super) fn check(subject: &Subject<'_>) -> PropertyResult {
    // The prefix must not occur in the names or in the provider's answers.
    subject.document()?;
    let schema = &subject.scenario.schema;
    let namesakes = Cell::default();
    let renaming = Renaming::new(&schema.block, MARK, &namesakes);
    let schema = renaming.schema(schema.version);
    let prepared = subject.planner.prepare(&schema, subject.case.dialect);
    let trace = trace_of(&mut OtherNames { planner: &*prepared, renaming }, subject.scenario)?;
    if namesakes.get() {
        return None;
    }
    let trace = answered("with other names", trace)?;
    Some(trace.and_then(|trace| same_trace("with other names", &subject.trace, &trace)))
}

/// A planner that sees other names than its caller.
struct OtherNames<'a> {
    planner: &'a dyn Prepared,
    renaming: Renaming<'a>,
}

impl Walker for OtherNames<'_> {
    fn plan(&mut self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, NoAnswer> {
        let request = request.renamed(self.renaming);
        let mut provider = OwnNames { provider, renaming: self.renaming };
        let plan = Walker::plan(&mut self.planner, &request, &mut provider)?;
        Ok(plan.renamed(self.renaming.back()))
    }

    fn apply(&mut self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, NoAnswer> {
        let request = request.renamed(self.renaming);
        let mut provider = OwnNames { provider, renaming: self.renaming };
        let applied = Walker::apply(&mut self.planner, &request, &mut provider)?;
        Ok(applied.renamed(self.renaming.back()))
    }
}

/// A provider with its own names, called by a planner that sees others.
struct OwnNames<'a> {
    provider: &'a mut dyn Provider,
    renaming: Renaming<'a>,
}

macro_rules! asked_by_own_names {
    ($($call:ident($request:ty) -> $answer:ty;)*) => {
        impl Provider for OwnNames<'_> {
            fn capabilities(&self) -> Capabilities {
                self.provider.capabilities()
            }

            $(fn $call(&mut self, request: $request) -> $answer {
                self.provider.$call(request.renamed(self.renaming.back())).renamed(self.renaming)
            })*
        }
    };
}

asked_by_own_names! {
    validate(ValidateConfig) -> ValidateAnswer;
    upgrade(UpgradeState) -> UpgradeAnswer;
    read(ReadResource) -> ReadAnswer;
    plan(PlanChange) -> PlanAnswer;
    apply(ApplyChange) -> ApplyAnswer;
    import(ImportState) -> ImportAnswer;
    read_data(ReadData) -> ReadDataAnswer;
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;
    use planfuzz_optimized::Optimized;
    use planfuzz_reference::Reference;

    use crate::case::CaseFile;
    use crate::compare::trace_properties::check;

    /// A map of objects with a computed name, a leaf, and a block that is computed or not.
    fn applies(dialect: &str, is_computed: bool, leaf: &str, ignored: &str) -> bool {
        let text = format!(
            r#"{{"format":1,"dialect":"{dialect}","op":"scenario","schema":{{"block":{{
                "attributes":{{
                    "id":{{"type":"string","computed":true}},
                    "leaf":{{"type":["object",{{"{leaf}":["list","string"]}}],"optional":true}},
                    "n":{{"optional":true,"nested_type":{{"nesting_mode":"map","attributes":{{
                        "x":{{"type":"string","computed":true}},"y":{{"type":"string","optional":true}}}}}}}}}},
                "block_types":{{"b":{{"nesting_mode":"list","block":{{"computed":{is_computed},
                    "attributes":{{"z":{{"type":"string","optional":true,"computed":true}}}}}}}}}}}}}},
                "model":{{"style":"framework"}},
                "state":{{"current":{{"raw":{{"id":"i","leaf":{{"{leaf}":["1"]}},"n":{{"k":{{"x":"1","y":"2","gone":"3"}}}},
                    "b":[{{"z":"1"}}],"lost":true}}}}}},
                "remote":[{{"id":"i","leaf":{{"{leaf}":["1"]}},"n":{{"k":{{"x":"1","y":"2"}}}},"b":[{{"z":"1"}}]}}],
                "steps":[{{"command":"apply","presence":{{
                    "config":{{"id":null,"leaf":{{"{leaf}":[]}},"n":{{"k":{{"x":null,"y":"3"}}}},"b":[]}},
                    "lifecycle":{{"ignore_changes":["{ignored}"]}}}}}}]}}"#
        );
        let case = CaseFile::from_json(&Json::parse(&text).expect("a document")).expect("a case").case;
        let [reference, optimized] = [check(&Reference, &case), check(&Optimized, &case)];
        assert!(
            reference.broken.is_empty() && optimized.broken.is_empty(),
            "{:?} {:?}",
            reference.broken,
            optimized.broken
        );
        assert_eq!(reference.applied, optimized.applied);
        assert!(reference.applied.contains(&"LP01"));
        reference.applied.contains(&"LP04")
    }

    #[test]
    fn names_in_raw_states_blocks_and_ignored_paths_change() {
        for ignored in [".n", ".n[\\\"k\\\"].y", ".n.k.x", ".b[0].z", ".none.x", ".leaf.c"] {
            assert!(applies("terraform-1.11", false, "c", ignored), "{ignored}");
        }
        assert!(applies("terraform-1.17", true, "c", ".n"));
    }

    #[test]
    fn s61_a_key_that_is_called_as_a_name_is_no_evidence() {
        assert!(!applies("terraform-1.11", false, "c", ".n.x"));
    }

    #[test]
    fn c02_a_leaf_with_the_name_of_a_computed_block_is_no_evidence() {
        assert!(!applies("terraform-1.17", true, "b", ".n"));
        assert!(applies("terraform-1.17", false, "b", ".n"));
    }
}
