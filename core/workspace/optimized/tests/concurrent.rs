//! Plans with several workers are those with one to the last letter: changes, states, diagnostics, calls, and the order of all of them.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::{Answer, Call, Planned, Providers, SharedProviders, Workspace, WorkspacePlanner};
use planfuzz_workspace_cases::agree::{Agreement, step_of};
use planfuzz_workspace_cases::generate::Settings;
use planfuzz_workspace_cases::model::Simulated;
use planfuzz_workspace_cases::shapes::{Shape, workspace};
use planfuzz_workspace_cases::{Case, pairs, play};
use planfuzz_workspace_optimized::{Concurrent, Optimized, SHARED_OUT, Workers};

mod generated;

use generated::generated;

/// A planner with `count` workers that share out blocks of two instances or more, in parts of `part` instances, in an order that follows
/// from `number`.
fn eager(count: usize, part: usize, number: u64) -> Concurrent {
    let count = NonZeroUsize::new(count).expect("a number of workers");
    Concurrent::new(Workers { least: 2, part: NonZeroUsize::new(part), shuffled: Some(number), ..Workers::new(count) })
}

/// Many workers, few, and one; parts of one instance, and of some.
fn planners() -> [Concurrent; 4] {
    [(1, 1), (2, 1), (3, 2), (8, 1)].map(|(count, part)| eager(count, part, part as u64 * 31 + count as u64))
}

fn shared_out(planners: &[Concurrent]) -> u64 {
    let counted = planners.iter().flat_map(WorkspacePlanner::counted);
    counted.filter(|(name, _)| *name == SHARED_OUT).map(|(_, count)| count).sum()
}

/// Everything that a planner answers, as text.
fn text(planned: &Planned) -> String {
    format!("{planned:?}")
}

/// Compares all planners with one worker in every step of cases; at least `least` blocks are shared out.
fn hold(cases: impl Iterator<Item = (u64, Case)>, least: u64) {
    let planners = planners();
    for (number, case) in cases {
        let played = play::play(&case, &Optimized).expect("a case");
        for (at, step) in played.steps.iter().enumerate() {
            for planner in &planners {
                let agreement = step_of(step, planner);
                assert!(matches!(agreement, Agreement::Same), "case {number}, step {at}: {agreement:?}");
                let mut providers = &step.providers;
                let planned = planner.plan(&step.workspace, &mut providers);
                let wanted = Optimized.plan(&step.workspace, &mut providers);
                assert!(text(&planned) == text(&wanted), "case {number}, step {at}: another order");
            }
        }
    }
    let count = shared_out(&planners);
    println!("{count} blocks shared out");
    assert!(count >= least, "only {count} blocks are shared out");
}

#[test]
fn small_workspaces_are_planned_alike_by_any_number_of_workers() {
    hold(generated(Settings::SMALL, 41, 200), 500);
}

#[test]
fn medium_workspaces_are_planned_alike_by_any_number_of_workers() {
    hold(generated(Settings::MEDIUM, 41, 40), 500);
}

#[test]
fn pairs_of_actions_are_planned_alike_by_any_number_of_workers() {
    let numbers = (0..pairs::COUNT as u64).step_by(11);
    hold(numbers.map(|number| (number, pairs::pair(number as usize, Dialect::TERRAFORM_1_11))), 1);
}

/// A workspace of a shape as it is planned first, planned again, changed, refreshed and destroyed.
fn commands(shape: Shape, instances: usize) -> Vec<(Workspace, Simulated)> {
    let of = |changed, state| workspace(&shape.files(instances, changed), state).expect("a workspace");
    let (empty, providers) = of(false, None);
    let planned = Optimized.plan(&empty, &mut &providers);
    let stored = Optimized.apply(&empty, &planned.plan.expect("a plan"), &mut &providers).state;
    let mut all = vec![(empty, providers)];
    for (changed, mode) in
        [(false, Mode::Normal), (true, Mode::Normal), (true, Mode::RefreshOnly), (false, Mode::Destroy)]
    {
        let (mut workspace, providers) = of(changed, Some(stored.clone()));
        workspace.options.mode = mode;
        all.push((workspace, providers));
    }
    all
}

#[test]
fn every_shape_is_planned_alike_by_any_number_of_workers() {
    let usual = [2, 8].map(|count| Concurrent::new(Workers::new(NonZeroUsize::new(count).expect("a number"))));
    let planners: Vec<Concurrent> = planners().into_iter().chain(usual).collect();
    for (shape, name) in Shape::ALL {
        for (at, (workspace, providers)) in commands(shape, 160).iter().enumerate() {
            let wanted = text(&Optimized.plan(workspace, &mut &*providers));
            for (which, planner) in planners.iter().enumerate() {
                let planned = text(&planner.plan(workspace, &mut &*providers));
                assert!(planned == wanted, "{name}, command {at}, planner {which}");
            }
        }
    }
    assert!(shared_out(&planners) > 30, "{}", shared_out(&planners));
}

/// Providers that record the order of calls: they allow one caller at a time.
struct Noting<'s> {
    of: &'s Simulated,
    asked: Vec<String>,
}

impl Providers for Noting<'_> {
    fn call(&mut self, call: &Call) -> Answer {
        self.asked.push(format!("{call:?}"));
        self.of.answer(call)
    }
}

#[test]
fn providers_that_are_not_shared_are_asked_in_the_order_of_one_worker() {
    let (workspace, providers) = workspace(&Shape::Count.files(50, false), None).expect("a workspace");
    let planner = eager(4, 1, 9);
    let asked = [&Optimized as &dyn WorkspacePlanner, &planner].map(|planner| {
        let mut noting = Noting { of: &providers, asked: Vec::new() };
        planner.plan(&workspace, &mut noting);
        noting.asked
    });
    assert_eq!(asked[0], asked[1]);
    assert_eq!(shared_out(&[planner]), 0);
}

/// Providers that panic when one object is planned.
struct Falling<'s>(&'s Simulated);

impl SharedProviders for Falling<'_> {
    fn call_shared(&self, call: &Call) -> Answer {
        assert!(!format!("{:?}", call.request).contains("t-37"), "no such thing: t-37");
        self.0.answer(call)
    }
}

impl Providers for Falling<'_> {
    fn call(&mut self, call: &Call) -> Answer {
        self.call_shared(call)
    }

    fn shared(&self) -> Option<&dyn SharedProviders> {
        Some(self)
    }
}

#[test]
fn a_panic_of_a_worker_is_a_panic_of_the_caller() {
    let (workspace, providers) = workspace(&Shape::Count.files(60, false), None).expect("a workspace");
    let planner = eager(3, 4, 5);
    for planner in [&Optimized as &dyn WorkspacePlanner, &planner] {
        let fell = catch_unwind(AssertUnwindSafe(|| planner.plan(&workspace, &mut Falling(&providers))));
        let payload = fell.expect_err("a panic");
        assert_eq!(payload.downcast_ref::<&str>().copied(), Some("no such thing: t-37"));
    }
    // The workers are still there.
    let planned = planner.plan(&workspace, &mut &providers);
    assert_eq!(text(&planned), text(&Optimized.plan(&workspace, &mut &providers)));
    assert_eq!(shared_out(&[planner]), 2);
}

#[cfg(feature = "faults")]
mod faults {
    use planfuzz_workspace_cases::hunt::{differ, hunt_in};
    use planfuzz_workspace_optimized::faults::{Fault, Faulty};

    use super::*;

    /// How many workspaces are tried for each.
    const CASES: u64 = 4_000;

    fn is_concurrent(fault: &Fault) -> bool {
        fault.rule() == Fault::CONCURRENT && *fault != Fault::MergedAsTheyCome
    }

    #[test]
    fn every_fault_of_several_workers_is_found_by_comparing_with_one() {
        let mut tried = 0;
        for fault in Fault::ALL.iter().copied().filter(is_concurrent) {
            let planner = Faulty(fault, eager(3, 2, 17));
            let found = hunt_in(fault.dialect(), &Optimized, &planner, 3, CASES);
            let caught = found.unwrap_or_else(|| panic!("{} is not found", fault.name()));
            println!("{:45} case {:5}, {} resources", fault.name(), caught.number, caught.resources);
            assert!(differ(&caught.small, &Optimized, &planner), "{}: not in the small case", fault.name());
            tried += 1;
        }
        assert_eq!(tried, 5);
    }

    /// Other comparisons ignore the order of results; this one does not.
    #[test]
    fn results_merged_as_they_come_have_another_order() {
        let (workspace, providers) = workspace(&Shape::Count.files(40, false), None).expect("a workspace");
        let right = text(&Optimized.plan(&workspace, &mut &providers));
        let planner = Faulty(Fault::MergedAsTheyCome, eager(2, 3, 17));
        assert!(text(&planner.plan(&workspace, &mut &providers)) != right);
    }

    /// A mistake of one thread is one of all its workers.
    #[test]
    fn a_fault_planted_in_a_thread_is_planted_in_its_workers() {
        let (workspace, providers) = workspace(&Shape::Modules.files(100, false), None).expect("a workspace");
        let planner = Faulty(Fault::SlotsKept, eager(2, 15, 17));
        let right = text(&Optimized.plan(&workspace, &mut &providers));
        assert!(text(&planner.plan(&workspace, &mut &providers)) != right);
    }
}
