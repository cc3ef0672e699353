//! The tables of all times: those in docs/performance.md.
//!
//! Ratios mean something only if both sides were measured together. So within one row all contestants take turns, in rounds of alternating
//! order, and disturbances of the machine affect all of them; the figure of each is the median of its rounds. Nothing is asserted on time.
//!
//! `cargo bench --bench ratios` prints the tables as Markdown; `-- --quick` prints them in seconds, with few rounds and without the
//! largest sets; `-- --walks` prints the table of walks alone, `-- --wire` that of merges of bytes, `-- --exec` that of programs, `--
//! --growth` how the largest sets grow, `-- --statements` how plans of workspaces grow with statements and addresses. `-- --workspaces`
//! prints those of whole workspaces, of the named shapes or of all, with `--engine N` beside a real engine up to so many instances. Run by
//! `cargo test --benches` it does one round of the small ones; its figures mean nothing.

mod cases;
mod echo;
mod exec;
mod go;
mod growth;
#[path = "../common/numbers.rs"]
mod numbers;
mod rows;
mod shared;
mod statements;
mod timing;
mod walks;
mod wire;
mod workspaces;

use std::hint::black_box;

use planfuzz::workloads::Workload;
use planfuzz_workspace_cases::shapes::Shape;
use timing::Effort;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if given(echo::FLAG) {
        return echo::run().expect("pipes");
    }
    keep_memory();
    let effort = match (given("--bench"), given("--quick") || given("--test")) {
        (true, false) => Effort::FULL,
        (true, true) => Effort::QUICK,
        (false, _) => Effort::ONCE,
    };
    if given("--workspaces") {
        let named: Vec<Shape> = arguments.iter().filter_map(|name| Shape::from_name(name)).collect();
        let engine = arguments.iter().skip_while(|argument| *argument != "--engine").nth(1);
        let engine = engine.map_or(0, |most| most.parse().expect("--engine: how many instances, at most"));
        return workspaces::print(&named, engine, effort);
    }
    if given("--statements") {
        return statements::print(effort);
    }
    if given("--growth") {
        return growth::print(Vec::new(), effort);
    }
    if given("--walks") {
        return walks::print(effort);
    }
    if given("--wire") {
        return wire::print(effort);
    }
    if given("--exec") {
        return exec::print(effort);
    }
    let workloads: Vec<Workload> = Workload::all().into_iter().filter(|workload| effort.takes(workload)).collect();
    let measured = rows::operations(&workloads, effort);
    rows::print(&measured);
    growth::print(measured, effort);
    shared::print(&workloads, effort);
    walks::print(effort);
    rows::codec(&workloads, effort);
    wire::print(effort);
    cases::print(effort);
    exec::print(effort);
    statements::print(effort);
}

/// Makes the allocator keep the memory that runs free. glibc's returns the top of its heap to the system whenever more than 128 KiB of it
/// are free, and the next run pays for fetching it again; it raises that limit to twice the largest block that it has seen freed.
fn keep_memory() {
    drop(black_box(Vec::<u8>::with_capacity(31 << 20)));
}
