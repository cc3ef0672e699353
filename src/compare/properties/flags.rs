//! Flags of attributes that do not change values.

use std::collections::BTreeSet;

use planfuzz_core::planner::{Prepared, Violation};
use planfuzz_core::schema::{Attribute, Block, NestedBlock, Nesting, Schema, Shape};
use planfuzz_core::value::{Path, Step};

use super::trial::Trial;
use super::{Breach, PropertyResult, both, same};
use crate::case::{Merge, Op};

/// What the second of two requests has.
const FLAGGED: &str = "with other flags";

/// MP24: if `required` and `deprecated` are inverted and everything is `sensitive`, the same object is proposed, the same plans are
/// valid, and the violations of compatibility inside an attribute collapse to one at it (AC12).
pub(super) fn flags(trial: &Trial<'_>) -> PropertyResult {
    let Merge { prior, config, schema, .. } = trial.merge;
    let mut flagged = Schema { version: schema.version, block: schema.block.clone() };
    flag_block(&mut flagged.block);
    let prepared = trial.planner.prepare(&flagged, trial.dialect);
    let proposed = both(Op::ProposedNew, FLAGGED, trial.proposed(), prepared.proposed_new(prior, config))?;
    let is_same = proposed
        .and_then(|(before, after)| same(Op::ProposedNew, "proposed with other flags", before.view(), after.view()));
    Some(is_same.and_then(|()| valid(trial, &*prepared)).and_then(|()| compatible(trial, &*prepared)))
}

/// The same plans are valid for a planner that is prepared for the other flags.
fn valid(trial: &Trial<'_>, flagged: &dyn Prepared) -> Result<(), Breach> {
    let Merge { prior, config, planned, .. } = trial.merge;
    let found = flagged.assert_plan_valid(prior, config, planned);
    let Some(answers) = both(Op::AssertPlanValid, FLAGGED, trial.violations(), found) else { return Ok(()) };
    let (before, after) = answers?;
    same_paths(Op::AssertPlanValid, sorted(before.iter().map(path)), sorted(after.iter().map(path)))
}

/// The violations of compatibility collapse for a planner that is prepared for the other flags.
fn compatible(trial: &Trial<'_>, flagged: &dyn Prepared) -> Result<(), Breach> {
    if trial.schema_facts.computed_blocks {
        return Ok(());
    }
    let found = flagged.assert_object_compatible(&trial.merge.planned, &trial.merge.actual);
    let Some(answers) = both(Op::AssertObjectCompatible, FLAGGED, trial.incompatible(), found) else { return Ok(()) };
    let (before, after) = answers?;
    let want = collapsed(trial.block(), before);
    same_paths(Op::AssertObjectCompatible, want, sorted(after.iter().map(path)))
}

fn path(violation: &Violation) -> String {
    violation.path.to_string()
}

fn sorted(paths: impl Iterator<Item = String>) -> Vec<String> {
    let mut paths: Vec<String> = paths.collect();
    paths.sort_unstable();
    paths
}

fn same_paths(op: Op, want: Vec<String>, found: Vec<String>) -> Result<(), Breach> {
    if want == found {
        return Ok(());
    }
    let message = format!("violations with other flags: expected {want:?}, found {found:?}");
    Err(Breach { op, path: Path::root(), message })
}

/// Inverts flags, as far as the schema stays valid: required becomes optional and the other way round (S11).
fn flag_block(block: &mut Block) {
    block.attributes.values_mut().for_each(flag_attribute);
    for NestedBlock { block, .. } in block.block_types.values_mut() {
        flag_block(block);
    }
}

fn flag_attribute(attribute: &mut Attribute) {
    if !attribute.computed {
        std::mem::swap(&mut attribute.required, &mut attribute.optional);
    }
    attribute.sensitive = true;
    attribute.deprecated = !attribute.deprecated;
    // S25.
    attribute.deprecation_message = None;
    if let Shape::Nested(nested) = &mut attribute.shape {
        nested.attributes.values_mut().for_each(flag_attribute);
    }
}

/// The paths of violations, with all those inside one attribute of a block merged into one at the attribute.
fn collapsed(block: &Block, violations: &[Violation]) -> Vec<String> {
    let mut attributes = BTreeSet::new();
    let mut others = Vec::new();
    for violation in violations {
        match attribute_of(block, &violation.path) {
            Some(path) => {
                attributes.insert(path);
            }
            None => others.push(violation.path.to_string()),
        }
    }
    sorted(others.into_iter().chain(attributes))
}

/// The path of the attribute of a block that a path leads to or into.
fn attribute_of(mut block: &Block, path: &Path) -> Option<String> {
    let mut to = Path::root();
    let steps = path.steps();
    let mut steps = steps.into_iter();
    while let Some(step) = steps.next() {
        to = to.step(step.clone());
        let Step::Attribute(name) = step else { return None };
        let Some(nested) = block.block_types.get(name) else {
            return block.attributes.get(name).map(|_| to.to_string());
        };
        if matches!(nested.nesting, Nesting::List | Nesting::Map | Nesting::Set) {
            to = to.step(steps.next()?.clone());
        }
        block = &nested.block;
    }
    None
}
