//! Mistakes in code that all planners share, planted by lists beside the sources: a campaign in its default form finds them, and
//! makes the case small. `kills` hunts all of them; here every twentieth.

use planfuzz::kills::{Hunted, shared};
use planfuzz_planting::Planted;
use planfuzz_workspace_cases::hunt::sampled;

use super::common::on_every_core;
use super::{SEEDS, bounds};

/// One of so many is hunted.
const EVERY: usize = 20;

/// The bound of a campaign.
const CASES: u64 = 300_000;

/// The most bytes of a small case's document.
const BYTES: usize = 700;

/// The same for a file of an engine, of which not every part can be removed.
const BYTES_OF_FILES: usize = 1_200;

/// The same for a step of a provider, whose schema and model are not minimized as far yet.
const BYTES_OF_STEPS: usize = 20_000;

#[test]
fn mistakes_in_what_planners_share_are_found_in_the_default_mix() {
    assert!(shared::all().count() >= 50, "the lists are not empty");
    let sample: Vec<&'static Planted> = shared::all().step_by(sampled(EVERY)).collect();
    let hunted: Vec<Hunted> =
        on_every_core(sample.len(), |number| shared::hunt(sample[number], SEEDS[0], &bounds(CASES)));
    let mut problems = Vec::new();
    for (planted, hunted) in sample.iter().zip(hunted) {
        let Some(catch) = hunted.found() else {
            problems.push(format!("{}: not found in {} cases: {hunted:?}", planted.name, hunted.cases));
            continue;
        };
        let most = match catch.signature.op {
            op if op.is_provider() => BYTES_OF_STEPS,
            op if op.is_file() => BYTES_OF_FILES,
            _ => BYTES,
        };
        if catch.size.bytes > most {
            problems.push(format!("{}: {} bytes", planted.name, catch.size.bytes));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
