//! Generated workspaces, planned again after edits and from scratch: `again CASES [SEED [FIRST [DIALECT]]]`. Prints the smallest case in which the two
//! differ, and how.

use std::process::ExitCode;

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::agree::{Agreement, agree};
use planfuzz_workspace_cases::hunt::{differ, made_in};
use planfuzz_workspace_cases::shrink::shrink;
use planfuzz_workspace_optimized::{Incremental, Optimized};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(default);
    let dialect: Dialect = arguments.get(3).and_then(|text| text.parse().ok()).unwrap_or_default();
    let made = |seed, number| made_in(dialect, seed, number);
    let (cases, seed, first) = (number(0, 1000), number(1, 1), number(2, 0));
    let planner = Incremental;
    let Some(found) = (first..first + cases).find(|number| differ(&made(seed, *number), &Optimized, &planner)) else {
        println!("{cases} cases of seed {seed}: the same");
        return ExitCode::SUCCESS;
    };
    let small = shrink(&made(seed, found), 2_500, &Optimized, &mut |case| differ(case, &Optimized, &planner));
    println!("case {found}: {}", small.to_json().to_compact());
    for agreement in agree(&small, &Optimized, &planner).into_iter().flatten() {
        if let Agreement::Different(found) = agreement {
            found.iter().for_each(|one| println!("    {:?}: {}", one.kind, one.text));
        }
    }
    ExitCode::FAILURE
}
