//! Plans made again after edits equal plans from scratch: the same calls, changes, states, diagnostics and order. The edits are those that
//! the generator makes between the steps of a case, and those of the state that the step before left.

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace::{Answer, Call, CallId, Providers, WorkspacePlanner};
use planfuzz_workspace_cases::agree::{Agreement, step_of};
use planfuzz_workspace_cases::generate::Settings;
use planfuzz_workspace_cases::model::Simulated;
use planfuzz_workspace_cases::shapes::{Shape, leaf, workspace};
use planfuzz_workspace_cases::{Case, pairs, play};
use planfuzz_workspace_optimized::edits::Edit;
use planfuzz_workspace_optimized::{Library, Optimized, Remembering, Replanned, Session};

mod edited;
mod generated;

use generated::generated;

/// Runs cases with both planners; at least `least` plans are made again in part.
fn hold(cases: impl Iterator<Item = (u64, Case)>, least: u64) {
    let (mut parts, mut wholes): (u64, BTreeMap<&str, u64>) = (0, BTreeMap::new());
    for (number, case) in cases {
        let incremental = Remembering::default();
        let played = play::play(&case, &Optimized).expect("a case");
        for (at, step) in played.steps.iter().enumerate() {
            let agreement = step_of(step, &incremental);
            assert!(matches!(agreement, Agreement::Same), "case {number}, step {at}: {agreement:?}");
        }
        let counts = incremental.counts();
        parts += counts.parts;
        counts.wholes.into_iter().for_each(|(reason, count)| *wholes.entry(reason).or_default() += count);
    }
    println!("{parts} in part, as a whole: {wholes:?}");
    assert!(parts >= least, "only {parts} in part, as a whole: {wholes:?}");
}

#[test]
fn edits_that_the_generator_seldom_makes_are_planned_again_as_from_scratch() {
    hold((0..).zip(edited::cases()), 9);
}

#[test]
fn small_workspaces_are_planned_again_as_from_scratch() {
    hold(generated(Settings::SMALL, 25, 400), 60);
}

#[test]
fn medium_workspaces_are_planned_again_as_from_scratch() {
    hold(generated(Settings::MEDIUM, 25, 60), 10);
}

#[test]
fn pairs_of_actions_are_planned_again_as_from_scratch() {
    hold(
        (0..pairs::COUNT as u64)
            .step_by(3)
            .map(|number| (number, pairs::pair(number as usize, Dialect::TERRAFORM_1_11))),
        60,
    );
}

/// The cost of one change is that of the nodes and calls that depend on it, however large the workspace.
#[test]
fn one_changed_file_is_as_little_work_in_a_large_workspace_as_in_a_small_one() {
    for (shape, name) in Shape::ALL {
        let work = [40, 400].map(|instances| {
            let mut files = shape.files(instances, false);
            files.extend([leaf(false)]);
            let (mut workspace, providers) = workspace(&files, None).expect("a workspace");
            let planned = Optimized.plan(&workspace, &mut &providers);
            let applied = Optimized.apply(&workspace, &planned.plan.expect("a plan"), &mut &providers);
            workspace.state = Some(applied.state);
            let library = Library::default();
            let mut session = Session::new(&library, workspace);
            session.plan(&mut &providers);
            let (path, json) = leaf(true);
            session.edit(Edit::File(path, Some(json.to_compact().into_bytes()))).expect("a file");
            let mut counted = Counted { of: &providers, calls: 0 };
            let again = session.replan(&mut counted);
            assert!(matches!(again, Replanned::Part(_)), "{name}: {again:?}");
            let news: Vec<String> = session.news().map(|change| change.addr.to_string()).collect();
            assert_eq!(news, ["w_thing.leaf0"], "{name}");
            (again, counted.calls)
        });
        assert_eq!(work[0], work[1], "{name}");
        assert!(work[0].1 > 0, "{name}");
    }
}

/// Providers whose calls are counted.
struct Counted<'s> {
    of: &'s Simulated,
    calls: usize,
}

impl Providers for Counted<'_> {
    fn call(&mut self, call: &Call) -> Answer {
        self.calls += 1;
        self.of.answer(call)
    }
}

/// Other comparisons ignore order; here the order must be that of a plan from scratch.
#[test]
fn calls_and_changes_come_in_the_order_of_a_plan_from_scratch() {
    let mut compared = 0;
    for (number, case) in generated(Settings::SMALL, 26, 150) {
        let incremental = Remembering::default();
        let played = play::play(&case, &Optimized).expect("a case");
        for step in played.steps.iter().filter(|step| step.command.plans()) {
            let mut providers = &step.providers;
            let again = incremental.plan(&step.workspace, &mut providers);
            let calls = |trace: &planfuzz_workspace::Trace| {
                (0..trace.calls.len()).map(|call| trace.describe(CallId(call))).collect::<Vec<_>>()
            };
            assert_eq!(calls(&again.trace), calls(&step.planned.trace), "case {number}");
            let changes = |planned: &planfuzz_workspace::Planned| {
                planned.plan.iter().flat_map(|plan| &plan.changes).map(|one| one.addr.to_string()).collect::<Vec<_>>()
            };
            assert_eq!(changes(&again), changes(&step.planned), "case {number}");
            compared += 1;
        }
    }
    assert!(compared > 200, "only {compared}");
}
