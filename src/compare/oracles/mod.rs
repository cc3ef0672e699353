//! The oracles, one per file.

mod allowances;
mod answers;
mod endings;
mod invariants;
mod known;
mod laws;
mod merge_properties;
mod promises;
mod rules;
mod trace_properties;
mod trace_rules;
mod traces;
mod workspace_rules;
mod workspaces;

pub(super) use trace_rules::TraceCheck;
pub(super) use workspaces::run_difference;

use super::judge::Judge;
use super::oracle::Oracle;
use crate::case::Case;

/// Makes the oracles of a file for a case; none if they do not apply to cases like it.
type Make = for<'s> fn(&'s Judge, &'s Case) -> Vec<Box<dyn Oracle + 's>>;

/// All oracles, each with the names that it reports under, in the order in which they are called.
const ALL: [(&[&str], Make); 12] = [
    (&[traces::NAME], traces::make),
    (&[workspaces::NAME], workspaces::make),
    (&[answers::NAME], answers::make),
    (&[rules::NAME], rules::make),
    (&[invariants::NAME, promises::NAME], trace_rules::make),
    (&[workspace_rules::NAME], workspace_rules::make),
    (&[endings::NAME], endings::make),
    (&[merge_properties::NAME], merge_properties::make),
    (&[trace_properties::NAME], trace_properties::make),
    (&[laws::NAME], laws::make),
    (&[known::NAME], known::make),
    (&[allowances::NAME], allowances::make),
];

/// The names of all oracles, each once.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for name in ALL.iter().flat_map(|(names, _)| names.iter()) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    names
}

/// The oracles that apply to a case, and to all that are judged like it.
pub(super) fn of<'s>(judge: &'s Judge, case: &'s Case) -> Vec<Box<dyn Oracle + 's>> {
    ALL.iter().flat_map(|(_, make)| make(judge, case)).collect()
}
