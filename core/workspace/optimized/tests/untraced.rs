//! Without a trace, commands plan, store and report what they do with one, and call providers alike; only the trace is empty.

use std::num::NonZeroUsize;

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace::{Answer, Call, Providers, Trace, WorkspacePlanner};
use planfuzz_workspace_cases::generate::Settings;
use planfuzz_workspace_cases::model::Simulated;
use planfuzz_workspace_cases::play::{self, PlayedStep};
use planfuzz_workspace_cases::{Case, pairs};
use planfuzz_workspace_optimized::{Optimized, SHARED_OUT, Untraced, Workers};

mod generated;

use generated::generated;

/// Providers that note what they are asked.
struct Noted<'s> {
    of: &'s Simulated,
    calls: Vec<String>,
}

impl Providers for Noted<'_> {
    fn call(&mut self, call: &Call) -> Answer {
        self.calls.push(format!("{call:?}"));
        self.of.answer(call)
    }
}

/// The calls of a plan, as its providers see them.
fn calls(step: &PlayedStep, planner: &dyn WorkspacePlanner) -> Vec<String> {
    let mut providers = Noted { of: &step.providers, calls: Vec::new() };
    planner.plan(&step.workspace, &mut providers);
    providers.calls
}

fn is_empty(trace: &Trace) -> bool {
    trace.calls.is_empty() && trace.order.walks.iter().all(|walk| walk.nodes.len() < 2)
}

/// Everything that a step shows, but for its trace.
fn text(step: &PlayedStep) -> String {
    let planned = (&step.planned.plan, &step.planned.diagnostics);
    let applied = step.applied.as_ref().map(|applied| (&applied.state, &applied.diagnostics));
    format!("{planned:?} {applied:?} {:?} {:?}", step.written, step.late_diagnostics())
}

/// Plays each step of cases with a trace and without.
fn hold(cases: impl Iterator<Item = (u64, Case)>, planner: &dyn WorkspacePlanner) {
    let (mut applies, mut made) = (0, 0);
    for (number, case) in cases {
        for (at, step) in play::play(&case, &Optimized).expect("a case").steps.iter().enumerate() {
            let (workspace, providers) = (step.workspace.clone(), step.providers.clone());
            let other = play::step_of(step.files.clone(), workspace, providers, step.command.clone(), planner);
            assert!(text(step) == text(&other), "case {number}, step {at}: another result");
            assert!(is_empty(&other.planned.trace), "case {number}, step {at}: a trace of the plan");
            assert!(other.applied.iter().all(|applied| is_empty(&applied.trace)), "case {number}, step {at}");
            assert!(calls(step, planner) == calls(step, &Optimized), "case {number}, step {at}: other calls");
            applies += usize::from(step.applied.is_some());
            made += step.planned.trace.calls.len();
        }
    }
    println!("{applies} applies, {made} calls of plans");
    assert!(applies > 50 && made > 500, "{applies} applies, {made} calls of plans");
}

#[test]
fn small_workspaces_are_planned_alike_without_a_trace() {
    hold(generated(Settings::SMALL, 47, 300), &Untraced::default());
}

#[test]
fn medium_workspaces_are_planned_alike_without_a_trace_by_two_workers() {
    let workers = Workers { least: 2, ..Workers::new(NonZeroUsize::new(2).expect("a number")) };
    let (one, two) = (Untraced::default(), Untraced::concurrent(workers));
    for (number, case) in generated(Settings::MEDIUM, 48, 40) {
        for step in &play::play(&case, &Optimized).expect("a case").steps {
            let plans = [&one, &two].map(|planner| planner.plan(&step.workspace, &mut &step.providers));
            assert!(format!("{:?}", plans[0]) == format!("{:?}", plans[1]), "case {number}");
        }
    }
    let counted = two.counted();
    assert!(counted.iter().any(|(name, count)| *name == SHARED_OUT && *count > 100), "{counted:?}");
}

#[test]
fn pairs_of_actions_are_planned_alike_without_a_trace() {
    let numbers = (0..pairs::COUNT as u64).step_by(37);
    hold(numbers.map(|number| (number, pairs::pair(number as usize, Dialect::TERRAFORM_1_11))), &Untraced::default());
}
