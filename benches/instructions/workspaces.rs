//! Plans of whole workspaces: the cost of an instance, in two sizes, so that growth beyond that of the input shows.
//!
//! Providers are the suite's own. Their cost is counted separately, by answering the calls of the same plan again.

use std::cell::RefCell;
use std::hint::black_box;

use planfuzz::measure::{LeafEdit, PlanOp, PlannedSession, SizedShape};
use planfuzz_workspace::WorkspacePlanner;
use planfuzz_workspace_cases::shapes::Shape;
use planfuzz_workspace_optimized::{Library, Optimized};
use planfuzz_workspace_reference::Reference;

use super::works::{Meter, Work};

/// How many instances.
pub const SIZES: [usize; 2] = [100, 1_000];

/// The name of the work that answers the calls of another.
pub const PROVIDERS: &str = "providers";

/// How often each work is done.
const CALLS: u64 = 2;

/// The workloads in the order of the tables.
pub fn names() -> impl Iterator<Item = String> {
    Shape::ALL.into_iter().flat_map(|(_, shape)| SIZES.map(|size| format!("{shape}-{size}")))
}

/// All works on a workload.
pub fn works(workload: SizedShape) -> Vec<Work<'static>> {
    let stored = workload.stored().expect("every shape can be created");
    let mut works = Vec::new();
    for (op, name) in PlanOp::ALL {
        let of = || workload.asked(op, Some(&stored)).expect("every shape is a workspace");
        works.push(plan(workload, name, &Optimized, of()));
        if workload.instances == SIZES[0] {
            works.push(plan(workload, name, &Reference, of()));
        }
        works.push(answers(workload, name, of()));
    }
    works.extend(LeafEdit::ALL.map(|(edit, name)| again(workload, edit, name)));
    works
}

type Asked = (planfuzz_workspace::Workspace, planfuzz_workspace_cases::model::Simulated);

fn plan(
    workload: SizedShape,
    op: &str,
    planner: &'static dyn WorkspacePlanner,
    (asked, providers): Asked,
) -> Work<'static> {
    let run = move |calls: u64, meter: Meter| {
        let mut plans = Vec::new();
        meter(&mut || plans.extend((0..calls).map(|_| planner.plan(black_box(&asked), &mut &providers))));
        black_box(plans);
    };
    of_instances(workload, format!("{op} {}", planner.name()), run)
}

/// The cost of the providers of a plan alone.
fn answers(workload: SizedShape, op: &str, (asked, providers): Asked) -> Work<'static> {
    let made = Optimized.plan(&asked, &mut &providers).trace.calls;
    let run = move |calls: u64, meter: Meter| {
        let mut answers = Vec::with_capacity(made.len() * calls as usize);
        let again = || (0..calls).flat_map(|_| &made).map(|made| providers.answer(black_box(&made.call)));
        meter(&mut || answers.extend(again()));
        black_box(answers);
    };
    of_instances(workload, format!("{op} {PROVIDERS}"), run)
}

fn of_instances(workload: SizedShape, name: String, run: impl Fn(u64, Meter) + 'static) -> Work<'static> {
    Work { name, calls: CALLS, each: workload.instances as u64, run: Box::new(run) }
}

/// Plans one change again, in a session that has planned everything; there and back.
fn again(workload: SizedShape, edit: LeafEdit, op: &str) -> Work<'static> {
    // The session lives as long as the process, which runs the works of one workload and ends.
    let library: &'static Library = Box::leak(Box::default());
    let standing = workload.session(library).expect("every shape can be planned");
    let edits = standing.edits(edit).clone();
    let PlannedSession { session, providers, .. } = standing;
    let session = RefCell::new(session);
    let run = move |calls: u64, meter: Meter| {
        let mut session = session.borrow_mut();
        let due: Vec<_> = edits.iter().cycle().take(calls as usize).cloned().collect();
        meter(&mut || {
            for edit in due.iter().cloned() {
                session.edit(edit).expect("a small file");
                black_box(session.replan(&mut &providers));
            }
        });
    };
    Work { name: format!("{op} optimized"), calls: super::works::CALLS, each: 1, run: Box::new(run) }
}
