//! Hostile workspaces end quickly, with one error that names the place and the limit.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;
use planfuzz_workspace::{Diagnostic, Planned, WorkspacePlanner};
use planfuzz_workspace_cases::shapes::{Shape, workspace};
use planfuzz_workspace_optimized::Optimized;

fn plan(files: &BTreeMap<String, Json>) -> Planned {
    let (workspace, providers) = workspace(files, None).expect("a workspace");
    Optimized.plan(&workspace, &mut &providers)
}

fn errors(planned: &Planned) -> Vec<&str> {
    planned.diagnostics.iter().filter(|one| Diagnostic::is_error(one)).map(|one| one.summary.as_str()).collect()
}

#[test]
fn e101_a_count_of_a_thousand_million_is_refused_before_it_is_expanded() {
    let planned = plan(&Shape::Count.files(1_000_000_000, false));
    let wanted = "Workspace too large: w_thing.t has 1000000000 instances, and a workspace may have 250000 in all";
    assert_eq!(errors(&planned), [wanted]);
}

#[test]
fn e100_calls_that_multiply_are_refused_where_they_are_too_many() {
    let planned = plan(&Shape::Modules.files(2_000_000, false));
    assert_eq!(errors(&planned).len(), 1, "{:?}", errors(&planned));
    assert!(errors(&planned)[0].starts_with("Workspace too large: module.m.w_thing.t has 10 instances"));
}

#[test]
fn g140_a_chain_is_planned_as_long_as_its_dependencies_have_room() {
    let planned = plan(&Shape::Chain.files(300, false));
    assert_eq!(errors(&planned), [""; 0]);
    assert_eq!(planned.plan.expect("a plan").changes.len(), 300);
}
