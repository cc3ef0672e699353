//! The works to count: the operations on a workload, msgpack, and yardsticks; plans of workspaces ([`super::workspaces`]).

use std::hint::black_box;
use std::process::ExitCode;

use planfuzz::case::MergeCall;
use planfuzz::workloads::{Timed, Workload};
use planfuzz_core::msgpack;
use planfuzz_core::planner::{Planner, Prepared};
use planfuzz_core::value::{Value, raw_equals, structural_hash};
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

use super::workspaces;

/// Calls that are counted together, to spread occasional work of the allocator over them.
pub const CALLS: u64 = 8;

/// The name of the function within which callgrind counts.
pub const COUNTED: &str = "counted_work";

/// Does the work. Callgrind counts within this function alone; nothing else calls it.
#[inline(never)]
fn counted_work(work: &mut dyn FnMut()) {
    work();
    // Without this the call above would be a tail call, and callgrind would not see it return.
    black_box(());
}

fn plain(work: &mut dyn FnMut()) {
    work();
}

/// How a work is called: by [`counted_work`], or by [`plain`].
pub type Meter = fn(&mut dyn FnMut());

/// One line: a name, and a function that makes inputs for so many calls and then makes the calls.
pub struct Work<'a> {
    /// Its name.
    pub name: String,
    /// Calls that are counted together.
    pub calls: u64,
    /// The divisor of one call: instances of a workspace.
    pub each: u64,
    /// Makes so many calls.
    pub run: Box<dyn Fn(u64, Meter) + 'a>,
}

/// The workloads in the order of the tables.
pub fn names() -> Vec<String> {
    Workload::NAMES.into_iter().map(str::to_owned).chain(workspaces::names()).collect()
}

/// Does everything on a workload, counted, and prints the names of the lines in that order, each after the divisor of its count: the side
/// that runs under callgrind.
pub fn count(name: &str) -> ExitCode {
    let merges = Workload::named(name);
    let works = match (&merges, planfuzz::measure::SizedShape::named(name)) {
        (Some(workload), _) => works(workload),
        (None, Some(workload)) => workspaces::works(workload),
        (None, None) => return ExitCode::from(2),
    };
    for work in works {
        // The first time warms up the allocator and initializes what is made on demand.
        (work.run)(work.calls.min(2), plain);
        (work.run)(work.calls, counted_work);
        println!("{} {}", work.calls * work.each, work.name);
    }
    ExitCode::SUCCESS
}

/// Does everything on small workloads once, to see that it works.
pub fn try_all() {
    for name in ["W1", "W2", "W3-10", "W3c-10", "W4-10"] {
        let workload = Workload::named(name).expect("a workload");
        works(&workload).iter().for_each(|work| (work.run)(1, plain));
    }
    for name in workspaces::names().filter(|name| name.ends_with("-100")) {
        let workload = planfuzz::measure::SizedShape::named(&name).expect("a workload");
        workspaces::works(workload).iter().for_each(|work| (work.run)(1, plain));
    }
}

fn works(workload: &Workload) -> Vec<Work<'_>> {
    let mut works = Vec::new();
    for op in Timed::ALL {
        works.push(answers(workload, op, &Optimized));
        if workload.for_reference {
            works.push(answers(workload, op, &Reference));
        }
    }
    works.extend(codec(workload));
    works.extend(yardsticks(workload));
    works
}

fn answers<'a>(workload: &'a Workload, op: Timed, planner: &'static dyn Planner) -> Work<'a> {
    let prepared: Box<dyn Prepared> = planner.prepare(&workload.merge.schema, workload.dialect());
    let inputs = move || workload.fresh(op);
    work(&format!("{} {}", op.op(), planner.name()), inputs, move |call: &MergeCall| prepared.answer(call.request()))
}

fn codec(workload: &Workload) -> [Work<'_>; 2] {
    let prior = &workload.merge.prior;
    let bytes = msgpack::encode(prior.view(), prior.ty()).expect("a state can be written");
    [
        work("msgpack encode", || prior.deep_clone(), |value: &Value| msgpack::encode(value.view(), value.ty())),
        work("msgpack decode", move || bytes.clone(), |bytes: &Vec<u8>| msgpack::decode(bytes, prior.ty())),
    ]
}

/// The works that the planners are compared with.
fn yardsticks(workload: &Workload) -> [Work<'_>; 3] {
    let (prior, config) = (&workload.merge.prior, &workload.merge.config);
    [
        work("deep clone", || config.clone(), Value::deep_clone),
        work(
            "hash of both",
            || [prior.deep_clone(), config.deep_clone()],
            |both: &[Value; 2]| both.each_ref().map(|value| structural_hash(value.node())),
        ),
        work(
            "equality",
            || [config.deep_clone(), config.deep_clone()],
            |[one, other]: &[Value; 2]| raw_equals(one.view(), other.view()),
        ),
    ]
}

/// A work in which neither making inputs nor dropping results is counted.
fn work<'a, I, O>(name: &str, input: impl Fn() -> I + 'a, call: impl Fn(&I) -> O + 'a) -> Work<'a> {
    let run = move |calls: u64, meter: Meter| {
        let inputs: Vec<I> = (0..calls).map(|_| input()).collect();
        let mut results = Vec::with_capacity(inputs.len());
        meter(&mut || results.extend(inputs.iter().map(|input| call(black_box(input)))));
        black_box(results);
    };
    Work { name: name.to_owned(), calls: CALLS, each: 1, run: Box::new(run) }
}
