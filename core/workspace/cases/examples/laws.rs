//! Checks the laws on generated workspaces of every dialect with the reference planner: `laws CASES [SEED [PRESET [FROM]]]`. For each broken
//! law it also prints the smallest case that breaks it.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::Case;
use planfuzz_workspace_cases::generate::{Choices, Settings, case};
use planfuzz_workspace_cases::laws::{Law, LawResult, hold, hold_only};
use planfuzz_workspace_cases::shrink::shrink;
use planfuzz_workspace_reference::Reference;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (cases, seed) = (number(1000), number(1));
    let preset = std::env::args().nth(3).unwrap_or_else(|| "small".into());
    let Some(settings) = Settings::preset(&preset) else { return ExitCode::from(2) };
    let mut held: BTreeMap<(Law, &str), u64> = BTreeMap::new();
    let mut broken: BTreeMap<(Law, String), (u64, u64)> = BTreeMap::new();
    let begun = Instant::now();
    let from: u64 = std::env::args().nth(4).and_then(|text| text.parse().ok()).unwrap_or(0);
    let made = |number: u64| {
        let dialect = Dialect::ALL[number as usize % Dialect::ALL.len()];
        case(settings, dialect, &mut Choices::seeded(seed, number))
    };
    for number in from..from + cases {
        let made = made(number);
        let Ok(found) = hold(&made.case, &Reference) else {
            eprintln!("case {number} cannot be played");
            return ExitCode::from(3);
        };
        for (law, outcome) in found {
            let word = match outcome {
                LawResult::Holds => "holds",
                LawResult::Silent => "silent",
                LawResult::Broken(why) => {
                    broken.entry((law, why)).or_insert((0, number)).0 += 1;
                    "broken"
                }
            };
            *held.entry((law, word)).or_default() += 1;
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "seed {seed}: {cases} {preset} cases in {seconds:.1} s, {:.0} a second",
        cases as f64 / seconds.max(0.001)
    );
    for ((law, word), count) in &held {
        println!("{law:?} {word} {count}");
    }
    for ((law, why), (count, first)) in &broken {
        println!("broken {count}: {law:?}: {why} (case {first})");
        let made = made(*first);
        let mut shows = |case: &Case| {
            hold_only(case, &Reference, *law)
                .is_ok_and(|outcome| matches!(outcome, LawResult::Broken(of) if of == *why))
        };
        println!("{}", shrink(&made.case, 3000, &Reference, &mut shows).to_json().to_compact());
    }
    if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
